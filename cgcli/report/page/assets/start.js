// What happens when the page opens, and on what a person does.

const articles = [...document.querySelectorAll("article.file")];
const picker = document.getElementById("file");

function showFile(id) {
  if (!articles.some((article) => article.id === id)) return;
  for (const article of articles) article.hidden = article.id !== id;
  if (picker) picker.value = id;
}

// The parts of a file that draw: each policy, and the dollars of all.
function drawPart(part) {
  const canvas = part.querySelector("canvas");
  const { file, i } = placed(part.closest("[id]").id);
  if (i === null) drawn(canvas, () => cumulativeConfig(file, part));
  else drawn(canvas, () => stackedConfig(file, i, (t) => openTurn(part, t)));
}

const canvasParts = (root) => [...root.querySelectorAll(".policy, .cumulative-part")];

const seen = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || charts.has(target.querySelector("canvas"))) continue;
      drawPart(target);
    }
  },
  { rootMargin: "300px" },
);

// Draws again what was drawn: after the colours, the lane or the choice of policies changed.
function redraw(root) {
  for (const part of canvasParts(root)) if (charts.has(part.querySelector("canvas"))) drawPart(part);
}

function fillTurns(section) {
  const { file, i } = placed(section.id);
  turnTable(file, i, section);
}

function openTurn(section, t) {
  const details = section.querySelector("details.turns");
  if (!details.open) {
    details.open = true;
    fillTurns(section);
  }
  let row = section.querySelector(`tr.turn[data-turn="${t}"]`);
  if (!row) {
    section.querySelector(".only-changed").checked = false;
    fillTurns(section);
    row = section.querySelector(`tr.turn[data-turn="${t}"]`);
  }
  if (!row) return;
  const button = row.querySelector(".open-turn");
  if (button.getAttribute("aria-expanded") === "false") button.click();
  row.scrollIntoView({ block: "center" });
  button.focus({ preventScroll: true });
}

function startPolicy(section) {
  const { file, i } = placed(section.id);
  const details = section.querySelector("details.turns");
  details.addEventListener("toggle", () => {
    if (details.open && !details.querySelector("tr.turn")) fillTurns(section);
  });
  section.querySelector(".only-changed").addEventListener("change", () => fillTurns(section));
  section.addEventListener("click", (event) => {
    const go = event.target.closest(".go");
    if (!go) return;
    const t = armOf(file, i).full.line.indexOf(Number(go.dataset.line));
    if (t >= 0) openTurn(section, t);
  });
}

function startCumulative(part) {
  const { file } = placed(part.closest("article").id);
  const details = part.querySelector(".cumulative-table");
  details.addEventListener("toggle", () => details.open && cumulativeTable(file, part));
  part.addEventListener("change", () => {
    drawPart(part);
    if (details.open) cumulativeTable(file, part);
  });
}

function startFile(article) {
  const lane = article.querySelector("select.lane");
  if (!lane) return;
  const { file } = placed(article.id);
  file.lane = lane.value;
  lane.addEventListener("change", () => {
    file.lane = lane.value;
    redraw(article);
    for (const section of article.querySelectorAll(".policy")) {
      if (section.querySelector("details.turns").open) fillTurns(section);
    }
    for (const box of article.querySelectorAll(".mode-turns[open] .mode-turns-box")) modeTable(file, box);
  });
}

// A link to a policy shows its file first.
function followHash() {
  const id = location.hash.slice(1);
  const target = id && document.getElementById(id);
  const article = target && target.closest("article.file");
  if (!article) return;
  showFile(article.id);
  target.scrollIntoView();
}

// On paper all turns of the shown file stand, its charts are drawn, and everything has the light colours.
let opened = [];

function beforePrint() {
  document.documentElement.classList.add("paper");
  for (const article of articles.filter((one) => !one.hidden)) {
    for (const details of article.querySelectorAll("details:not([open])")) {
      if (details.closest(".equal, .cumulative-table, .mode-turns")) continue;
      details.open = true;
      opened.push(details);
    }
    for (const section of article.querySelectorAll(".policy")) {
      if (!section.querySelector("tr.turn")) fillTurns(section);
    }
    for (const part of canvasParts(article)) {
      drawPart(part);
      charts.get(part.querySelector("canvas")).resize(1000, 260);
    }
  }
}

function afterPrint() {
  document.documentElement.classList.remove("paper");
  for (const details of opened) details.open = false;
  opened = [];
  for (const article of articles) redraw(article);
}

for (const table of document.querySelectorAll("table.sortable")) sortable(table);
for (const article of articles) startFile(article);
for (const section of document.querySelectorAll(".policy")) startPolicy(section);
for (const part of document.querySelectorAll(".cumulative-part")) startCumulative(part);
for (const details of document.querySelectorAll(".mode-turns")) startModes(details);
for (const part of canvasParts(document)) seen.observe(part);
if (articles.length) showFile(articles[0].id);
if (picker) picker.addEventListener("change", () => showFile(picker.value));
followHash();
window.addEventListener("hashchange", followHash);
window.addEventListener("beforeprint", beforePrint);
window.addEventListener("afterprint", afterPrint);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraw(document));

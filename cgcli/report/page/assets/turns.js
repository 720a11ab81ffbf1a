// The list of turns of one policy, and what one turn did.

function turnTable(file, i, section) {
  const arm = armOf(file, i);
  const onlyChanged = section.querySelector(".only-changed").checked;
  const shown = turnsShown(file, arm, { onlyChanged });
  const decimals = { usd: aligned(shown.map((t) => arm.full.usd[t])), against: aligned(shown.map((t) => against(arm, t))) };
  const head = [
    heading("turn", "", ""),
    heading("lane, turn", "", ""),
    heading("line", ""),
    heading("sent", "tokens"),
    heading("read", "tokens"),
    heading("written", "tokens"),
    heading("fresh", "tokens"),
    heading("output", "recorded"),
    heading("dollars", "$"),
    heading("so far, against off", "$"),
    heading("fired", "", ""),
    heading("removed", "tokens"),
    heading("read less, since", "", ""),
  ];
  const body = element("tbody", {}, ...shown.map((t) => turnRow(arm, t, decimals)));
  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr.turn");
    if (row && !window.getSelection().toString()) toggleTurn(arm, row);
  });
  const box = section.querySelector(".turns-box");
  const none = element("p", { class: "quiet" }, "No turn has anything new.");
  box.replaceChildren(shown.length ? scrollingTable(`Turns under ${arm.policy}`, head, body, "turns figures") : none);
}

// Dollars up to and with a turn, against off.
const against = (arm, t) => difference(arm.full.cumulative_usd[t], arm.full.cumulative_off_usd[t]);

function turnRow(arm, t, decimals) {
  const of = arm.full;
  const isNew = Boolean(arm.edits[t]);
  const button = element("button", { type: "button", "aria-expanded": "false", class: "open-turn" }, String(t + 1));
  const unknown = of.not_simulated[t] === null ? "" : NOT_SIMULATED;
  const row = element(
    "tr",
    { class: `turn${isNew ? " new" : ""}${of.reset[t] ? " was-reset" : ""}` },
    element("th", { scope: "row" }, button),
    cell(`${of.lane[t]}.${of.turn[t]}`),
    figureCell(of.line[t]),
    figureCell(of.input_tokens[t]),
    figureCell(of.read_tokens[t], unknown),
    figureCell(of.write_tokens[t], unknown),
    figureCell(of.fresh_tokens[t], unknown),
    figureCell(of.output_tokens[t], "not recorded"),
    cell(dollars(of.usd[t], decimals.usd), of.usd[t] === null ? "figure state" : "figure"),
    cell(signedDollars(against(arm, t), decimals.against), against(arm, t) === null ? "figure state" : "figure"),
    cell(fired(of, t)),
    figureCell(of.removed_tokens[t]),
    cell(of.why[t] === null ? "" : plain(of.why[t])),
  );
  row.dataset.turn = String(t);
  return row;
}

function fired(of, t) {
  const names = Object.entries(of.fired[t]).map(([name, n]) => (n === 1 ? name : `${name} \u00d7${grouped(n)}`));
  return [...names, ...(of.reset[t] ? ["cache reset"] : [])].join(", ");
}

function toggleTurn(arm, row) {
  const button = row.querySelector(".open-turn");
  const isOpen = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!isOpen));
  if (isOpen) {
    row.nextElementSibling.remove();
    return;
  }
  const inner = turnDetail(arm, Number(row.dataset.turn));
  row.after(element("tr", { class: "detail" }, element("td", { colspan: String(row.cells.length) }, inner)));
}

function turnDetail(arm, t) {
  const of = arm.full;
  const changes = edits(arm, t);
  const box = element("div", { class: "turn-detail" });
  const saved = of.before_tokens[t] - of.input_tokens[t];
  const sent = `${grouped(of.input_tokens[t])} of ${times(of.before_tokens[t], "token")} sent`;
  const facts = [
    ["Request", `line ${of.line[t]}, turn ${of.turn[t]} of lane ${of.lane[t]}, ${of.model[t] ?? "no model recorded"}`],
    ["Input", saved ? `${sent}, ${grouped(saved)} ${saved > 0 ? "fewer" : "more"}` : sent],
    ["Cache, simulated", cacheSaid(of, t)],
    ["Dollars, simulated", dollarsSaid(arm, t)],
    ["Fired", fired(of, t) || "nothing"],
  ];
  box.append(element("dl", {}, ...facts.flatMap(([name, said]) => [element("dt", {}, name), element("dd", {}, said)])));
  if (!changes.length) {
    const said = hasFired(arm, t) || saved ? "Nothing new: earlier decisions were repeated." : "Nothing was changed.";
    box.append(element("p", { class: "quiet" }, said));
  }
  for (const change of changes) box.append(editBox(change));
  return box;
}

function cacheSaid(of, t) {
  if (of.not_simulated[t] !== null) return `${NOT_SIMULATED}: ${of.not_simulated[t]}`;
  const writes = Object.entries(of.write_by_ttl_s[t]).filter(([, n]) => n);
  const lived = writes.length ? ` (${writes.map(([s, n]) => `${grouped(n)} for ${lifetime(s)}`).join(", ")})` : "";
  const from = of.read_line[t] === null ? "" : ` of line ${of.read_line[t]}`;
  const why = of.why[t] === null ? "" : ` ${DATA.why[of.why[t]] ?? plain(of.why[t])}`;
  return (
    `${figure(of.read_tokens[t])} read${from}, ${figure(of.write_tokens[t])} written${lived}, ` +
    `${figure(of.fresh_tokens[t])} fresh.${why}`
  );
}

function dollarsSaid(arm, t) {
  const of = arm.full;
  if (of.usd[t] === null) return UNPRICED;
  const own = of.own_usd[t] ? `, ${dollars(of.own_usd[t])} of it for model calls of the policy` : "";
  return `${dollars(of.usd[t])}${own}; so far ${dollars(of.cumulative_usd[t])}, ${signedDollars(against(arm, t))} against off`;
}

function editBox(change) {
  const tokens = `${grouped(change.beforeTokens)} \u2192 ${times(change.afterTokens, "token")}`;
  const title = element("p", { class: "edit" }, element("b", {}, change.component), " ", element("code", {}, change.path));
  title.append(" ", element("span", { class: "quiet" }, tokens));
  return element("div", { class: "edit-box" }, title, diff(change));
}

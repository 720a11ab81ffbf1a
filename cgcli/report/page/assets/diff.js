// What an edit changed, from the lines that are equal, removed and added.

const CONTEXT = 3;
const FOLDED = 4; // fewer equal lines than this are shown

function diff(edit) {
  const box = element("div", { class: "diff", role: "group", "aria-label": "before and after" });
  if (edit.runs === null) {
    box.append(element("p", { class: "quiet" }, "The texts of this edit are not in this page."));
    return box;
  }
  const before = edit.before.split("\n");
  const after = edit.after.split("\n");
  let i = 0;
  let j = 0;
  for (let at = 0; at < edit.runs.length; at += 3) {
    const [equal, removed, added] = edit.runs.slice(at, at + 3);
    unchanged(box, before.slice(i, i + equal), { isFirst: at === 0, isLast: at + 3 >= edit.runs.length && !removed && !added });
    i += equal;
    j += equal;
    replaced(box, before.slice(i, i + removed), after.slice(j, j + added));
    i += removed;
    j += added;
  }
  if (edit.isCut) box.append(element("p", { class: "quiet" }, "Only the beginning of the texts is in this page."));
  return box;
}

// Equal lines: a few beside what changed, the rest behind a line that opens them.
function unchanged(box, lines, { isFirst, isLast }) {
  const head = isFirst ? 0 : CONTEXT;
  const tail = isLast ? 0 : CONTEXT;
  if (lines.length < head + tail + FOLDED) {
    box.append(...lines.map((line) => lineOf("same", " ", line)));
    return;
  }
  const stop = lines.length - tail;
  const middle = lines.slice(head, stop);
  box.append(
    ...lines.slice(0, head).map((line) => lineOf("same", " ", line)),
    element(
      "details",
      { class: "equal" },
      element("summary", {}, times(middle.length, "equal line")),
      ...middle.map((line) => lineOf("same", " ", line)),
    ),
    ...lines.slice(stop).map((line) => lineOf("same", " ", line)),
  );
}

// Removed lines, then added ones; where they are as many, what differs inside each pair is set off.
function replaced(box, old, now) {
  const isPaired = old.length === now.length;
  const pairs = isPaired ? old.map((line, n) => insides(line, now[n])) : [];
  old.forEach((line, n) => box.append(lineOf("del", "\u2212", line, isPaired ? pairs[n].old : null)));
  now.forEach((line, n) => box.append(lineOf("ins", "+", line, isPaired ? pairs[n].now : null)));
}

// Where two lines differ: from the end of what both begin with to the start of what both end with.
function insides(old, now) {
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  if (isSecondHalf(old, head) || isSecondHalf(now, head)) head -= 1;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  if (isSecondHalf(old, old.length - tail)) tail -= 1;
  const isTelling = head + tail > 2;
  return {
    old: isTelling ? [head, old.length - tail] : null,
    now: isTelling ? [head, now.length - tail] : null,
  };
}

// Whether a character that takes two units begins before *at*; it is never cut in two.
const isSecondHalf = (text, at) => (text.charCodeAt(at) & 0xfc00) === 0xdc00;

function lineOf(kind, sign, text, inside = null) {
  const parts = inside
    ? [text.slice(0, inside[0]), element("mark", {}, text.slice(...inside)), text.slice(inside[1])]
    : [text];
  const tag = kind === "same" ? "span" : kind;
  return element(
    "div",
    { class: `line ${kind}` },
    element("span", { class: "sign", "aria-hidden": "true" }, sign),
    element(tag, { class: "text" }, ...parts),
  );
}

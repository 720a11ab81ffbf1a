// What each operating mode sent, turn by turn, side by side.

function modeTable(file, box) {
  const modes = file.modes[Number(box.dataset.group)].map((mode) => ({ ...mode, sent: armOf(file, mode.arm).full }));
  const { line, lane, turn } = armOf(file, 0).full;
  const head = [heading("line", "", "figure"), heading("lane", "", ""), heading("turn", "", "figure")];
  for (const mode of modes) {
    head.push(heading(mode.name, "tokens sent"), heading("", "breakpoints"));
    if (mode.is_async) head.push(heading("job", "", ""));
  }
  const rows = turnsShown(file, armOf(file, 0)).map((t) => {
    const cells = [figureCell(line[t]), cell(lane[t]), figureCell(turn[t])];
    for (const mode of modes) {
      cells.push(figureCell(mode.sent.input_tokens[t]), figureCell(mode.breakpoints[t]));
      if (mode.is_async) cells.push(cell(mode.job[t]));
    }
    return element("tr", {}, ...cells);
  });
  box.replaceChildren(scrollingTable("What each mode sent", head, element("tbody", {}, ...rows), "figures"));
}

function startModes(details) {
  const { file } = placed(details.closest("article").id);
  details.addEventListener("toggle", () => details.open && modeTable(file, details.querySelector(".mode-turns-box")));
}

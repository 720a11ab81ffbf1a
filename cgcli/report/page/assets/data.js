// The data of the page: every file's policies, their turns as columns.

const DATA = JSON.parse(document.getElementById("data").textContent);

const WORDS = ["lane", "model", "why", "not_simulated"];

// A policy's turns; columns that it does not have itself are those of the file's first policy.
function armOf(file, i) {
  const arm = file.arms[i];
  if (!arm.full) {
    arm.full = { ...file.arms[0].columns, ...arm.columns };
    for (const name of WORDS) {
      const column = arm.full[name];
      arm.full[name] = column.at.map((at) => column.of[at]);
    }
    arm.length = arm.full.line.length;
  }
  return arm;
}

// The file and the policy that an id such as "f0a3" stands for.
function placed(id) {
  const found = /^f(\d+)(?:a(\d+))?/.exec(id);
  if (!found || !DATA.files[found[1]]) return null;
  const file = DATA.files[found[1]];
  return { file, i: found[2] === undefined ? null : Number(found[2]) };
}

// The numbers of the turns to show, under the lane that is chosen for the file.
function turnsShown(file, arm, { onlyChanged = false } = {}) {
  const { lane, reset } = arm.full;
  const shown = [];
  for (let t = 0; t < arm.length; t += 1) {
    if (file.lane && lane[t] !== file.lane) continue;
    if (onlyChanged && !arm.edits[t] && !reset[t]) continue;
    shown.push(t);
  }
  return shown;
}

const hasFired = (arm, t) => Object.keys(arm.full.fired[t]).length > 0;

function edits(arm, t) {
  return (arm.edits[t] ?? []).map(([path, component, beforeTokens, afterTokens, before, after, at, cut]) => ({
    path,
    component,
    beforeTokens,
    afterTokens,
    before: before === null ? null : DATA.texts[before],
    after: after === null ? null : DATA.texts[after],
    runs: at === null ? null : DATA.runs[at],
    isCut: cut === 1,
  }));
}

// Read, written and fresh tokens of each request: one stacked chart for a policy, drawn when it comes into view.

const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

const charts = new Map(); // from a canvas to its chart and what draws it again

function themed() {
  Chart.defaults.color = token("quiet");
  Chart.defaults.borderColor = token("rule");
  Chart.defaults.font.family = token("sans");
  Chart.defaults.font.size = 12;
  Chart.defaults.animation = false;
}

function drawn(canvas, config) {
  const earlier = charts.get(canvas);
  if (earlier) earlier.destroy();
  themed();
  charts.set(canvas, new Chart(canvas, config()));
}

const bar = (name, label, data) => ({
  type: "bar",
  label,
  data,
  backgroundColor: token(name),
  stack: "tokens",
  barPercentage: 1,
  categoryPercentage: 0.9,
  order: 3,
});

const marks = (name, label, data, pointStyle, radius) => ({
  type: "line",
  label,
  data,
  showLine: false,
  pointStyle,
  pointRadius: radius,
  pointHoverRadius: radius + 2,
  borderColor: token(name),
  backgroundColor: pointStyle === "triangle" ? token(name) : "transparent",
  borderWidth: 2,
  clip: false,
  stack: label,
  order: 1,
});

function stackedConfig(file, i, openTurn) {
  const arm = armOf(file, i);
  const of = arm.full;
  const shown = turnsShown(file, arm);
  const pick = (column) => shown.map((t) => column[t]);
  const unknown = shown.map((t) => (of.not_simulated[t] === null ? null : of.input_tokens[t]));
  const top = (isThere) => shown.map((t) => (isThere(t) ? of.input_tokens[t] : null));
  const before = {
    type: "line",
    label: "before compaction",
    data: pick(of.before_tokens),
    borderColor: token("before"),
    borderWidth: 1.5,
    borderDash: [4, 3],
    pointRadius: 0,
    stepped: "middle",
    stack: "before",
    order: 2,
  };
  const datasets = [
    bar("read", "read", pick(of.read_tokens)),
    bar("write", "written", pick(of.write_tokens)),
    bar("fresh", "fresh", pick(of.fresh_tokens)),
    ...(unknown.some((n) => n !== null) ? [bar("unknown", NOT_SIMULATED, unknown)] : []),
    before,
    marks("fired", "compacted", top((t) => Boolean(arm.edits[t])), "triangle", shown.length > 80 ? 2.5 : 4),
    marks("reset", "cache reset", top((t) => of.reset[t] === 1), "circle", 7),
  ];
  const labels = shown.map((t) => String(file.lane ? of.turn[t] : t + 1));
  const xTitle = file.lane ? `turn of lane ${file.lane}` : "request";
  return {
    data: { labels, datasets },
    options: {
      responsive: true,
      maintainAspectRatio: false,
      layout: { padding: { top: 10 } },
      interaction: { mode: "index", intersect: false },
      onClick: (_event, active) => active.length && openTurn(shown[active[0].index]),
      scales: {
        x: { stacked: true, grid: { display: false }, title: { display: true, text: xTitle }, ticks: { maxRotation: 0, autoSkipPadding: 14 } },
        y: {
          stacked: true,
          border: { display: false },
          title: { display: true, text: "tokens" },
          ticks: { callback: (n) => grouped(n), maxTicksLimit: 8 },
        },
      },
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: {
            title: ([item]) => {
              const t = shown[item.dataIndex];
              return `request ${t + 1}: ${of.lane[t]}.${of.turn[t]}, line ${of.line[t]}`;
            },
            label: ({ dataset, parsed }) => {
              const isMark = dataset.label === "compacted" || dataset.label === "cache reset";
              return isMark ? dataset.label : `${dataset.label}: ${times(parsed.y, "token")}`;
            },
            footer: ([item]) => {
              const t = shown[item.dataIndex];
              return [dollars(of.usd[t]), of.why[t] === null ? "" : plain(of.why[t])].filter(Boolean);
            },
          },
        },
      },
    },
  };
}

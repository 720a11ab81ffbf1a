// Dollars after each request, of every policy: the difference from off, or in all.

const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

function cumulativeOf(arm, way) {
  const of = arm.full;
  return way === "total"
    ? of.cumulative_usd
    : of.cumulative_usd.map((usd, t) => difference(usd, of.cumulative_off_usd[t]));
}

const wayOf = (part) => part.querySelector(".way:checked").value;

const chosenArms = (part) =>
  [...part.querySelectorAll("input[data-arm]:checked")].map((input) => Number(input.dataset.arm));

function cumulativeConfig(file, part) {
  const way = wayOf(part);
  const signed = way === "total" ? dollars : signedDollars;
  const arms = chosenArms(part).map((i) => [i, armOf(file, i)]);
  const datasets = arms.map(([i, arm]) => ({
    label: arm.policy,
    data: cumulativeOf(arm, way),
    borderColor: token(`line-${i % 8}`),
    backgroundColor: token(`line-${i % 8}`),
    borderDash: DASHES[Math.floor(i / 8) % DASHES.length],
    borderWidth: i === 0 ? 1.5 : 2,
    pointRadius: 0,
    pointHitRadius: 8,
  }));
  const length = armOf(file, 0).length;
  return {
    type: "line",
    data: { labels: Array.from({ length }, (_, t) => String(t + 1)), datasets },
    options: {
      responsive: true,
      maintainAspectRatio: false,
      interaction: { mode: "index", intersect: false },
      scales: {
        x: { grid: { display: false }, title: { display: true, text: "request" }, ticks: { maxRotation: 0, autoSkipPadding: 14 } },
        y: {
          border: { display: false },
          title: { display: true, text: way === "total" ? "dollars" : "dollars, against off" },
          ticks: { callback: (n, _i, all) => signed(n, decimalsOfStep(all[1].value - all[0].value)), maxTicksLimit: 7 },
        },
      },
      plugins: {
        legend: { display: false },
        tooltip: {
          itemSort: (a, b) => b.parsed.y - a.parsed.y,
          callbacks: {
            title: ([item]) => `request ${item.dataIndex + 1}`,
            label: ({ dataset, parsed }) => `${dataset.label}: ${signed(parsed.y)}`,
          },
        },
      },
    },
  };
}

function cumulativeTable(file, part) {
  const way = wayOf(part);
  const signed = way === "total" ? dollars : signedDollars;
  const arms = file.arms.map((_, i) => armOf(file, i));
  const head = [heading("request", "", ""), ...arms.map((arm) => heading(arm.policy, "$"))];
  const columns = arms.map((arm) => cumulativeOf(arm, way));
  const decimals = columns.map(aligned);
  const rows = Array.from({ length: arms[0].length }, (_, t) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, String(t + 1)),
      ...columns.map((column, c) => cell(signed(column[t], decimals[c]), column[t] === null ? "figure state" : "figure")),
    ),
  );
  const caption = way === "total" ? "Dollars so far" : "Dollars so far, against off";
  const body = element("tbody", {}, ...rows);
  part.querySelector(".cumulative-box").replaceChildren(scrollingTable(caption, head, body, "figures"));
}

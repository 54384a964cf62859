/* SPDX-License-Identifier: MIT */
/* A trace has its points in what --power-cap answers, a mix has them itself. */
const capPoints = (cap) => (cap.power_cap ?? cap).points.filter((p) => p.duration_ns);
const capText = (uw) => uw === null ? "none" : powerText(uw);
const spanText = (span, text) => span.low === span.high ? text(span.nominal) :
  `${text(span.nominal)} (${rangeText(span.low, span.high, text)})`;

/* The range and the middle of a quantity over time, in steps; limits: lines of their own. */
function capChart(parent, label, points, {of, units, text, title}, limits) {
  const end = Math.max(...points.map((p) => p.start_ns + p.duration_ns));
  const [seconds, time] = unitFor([end], TIMES);
  const [scale, unit] = unitFor(points.map((p) => p[of].high), units);
  const ends = (p) => [p.start_ns, p.start_ns + p.duration_ns];
  const steps = (value) => points.flatMap((p) => ends(p).map((ns) =>
    ({x: ns / seconds, y: value(p) === null ? NaN : value(p) / scale})));
  const color = COLORS[of === "power_uw" ? 1 : 0];
  const line = {showLine: true, pointRadius: 0, pointHitRadius: 6};
  /* The first is drawn last. */
  const sets = [
    ...(limits ? [{...line, ...drawn({color: COLORS[8], mark: MARKS[3]}), label: "cap",
      data: steps((p) => p.cap_uw), borderWidth: 2}] : []),
    {...line, ...drawn({color, mark: MARKS[0]}), label: title, data: steps((p) => p[of].nominal),
      borderWidth: 3},
    {...line, ...drawn({color, mark: MARKS[2]}), label: "lowest", data: steps((p) => p[of].low),
      borderWidth: 1},
    {...line, ...drawn({color, mark: MARKS[1]}), label: "highest", data: steps((p) => p[of].high),
      borderWidth: 1, fill: "-1", backgroundColor: `${color}30`},
  ];
  const one = chart(parent, 300, label, {
    type: "scatter",
    data: {datasets: sets},
    options: {
      scales: {
        x: {min: 0, max: end / seconds, title: {display: true, text: `time, ${time}`},
          ticks: {maxTicksLimit: 9, maxRotation: 0}},
        y: {min: 0, grace: "5%", title: {display: true, text: unit}},
      },
      plugins: {tooltip: {callbacks: {label: ({dataset, raw}) =>
        `${dataset.label}: ${text(raw.y * scale)}`}}},
    },
  }, {
    heads: [["from", "text"], ["for"], ["cap"], ["low"], [title], ["high"]],
    rows: points.map((p) => [timeText(p.start_ns), timeText(p.duration_ns), capText(p.cap_uw),
      text(p[of].low), text(p[of].nominal), text(p[of].high)]),
  }, true);
  switches(one, sets.map((s) => ({color: s.borderColor,
    mark: MARKS.find((m) => m.dash === s.borderDash)})));
}

function capRun(parent, run) {
  const share = (ppm) => shareText(ppm, 1e6);
  const row = (name, span, text) => [name, text(span.low), text(span.nominal), text(span.high)];
  table("Under the cap", [["quantity", "text rule"], ["low"], ["nominal"], ["high"]], [
    row("throughput lost", run.loss_ppm, share),
    row("mean power", run.power_uw, powerText),
    row("power of 99 % of the time, at most", run.p99_power_uw, powerText),
    row("power, at most", run.max_power_uw, powerText),
    row("mean power without a cap", run.uncapped_power_uw, powerText),
    ["added to I/Os, mean of all", "", timeText(run.delay_mean_ns), ""],
    ["added to 99 % of them, at most", "", timeText(run.delay_p99_ns), ""],
    ["added, at most", "", timeText(run.delay_max_ns), ""],
  ], parent);
}

function showCap(cap, index) {
  const main = document.getElementById("main");
  const points = capPoints(cap);
  main.append(element("h2", {}, `${cap.drive} under power caps`));
  if (data.caps.length > 1)
    main.append(verdictOf(data.cap_verdicts[index]));
  if (cap.power_cap)
    capRun(titled(main, cap.trace), cap.power_cap);
  table("Caps", [["from", "text"], ["for"], ["cap"], ["throughput"], ["mean power"], ["energy"],
    ["limited by", "text"]],
  points.map((p) => [timeText(p.start_ns), timeText(p.duration_ns), capText(p.cap_uw),
    spanText(p.bytes_per_s, rateText), spanText(p.power_uw, powerText),
    energyText(p.nominal_energy_nj), p.limit ?? "-"]), titled(main, "Caps"));
  if (!points.length)
    return;
  const pair = element("div", {className: "charts"});
  main.append(pair);
  capChart(titled(pair, "Throughput"), `Throughput of ${cap.drive}`, points,
    {of: "bytes_per_s", units: RATES, text: rateText, title: "throughput"}, false);
  capChart(titled(pair, "Power"), `Power of ${cap.drive}`, points,
    {of: "power_uw", units: POWERS, text: powerText, title: "mean power"}, true);
}

/* SPDX-License-Identifier: MIT */
/* Operations per second, with the digits that a person reads. */
const iopsText = (v) => v === null || v === undefined ? "-" : Math.round(v).toLocaleString("en");
const milliText = (v) => iopsText(v === null ? null : v / 1000);
const seriesName = (one) => one.file ?? `spare ${one.spare_ppm / 1e4} %`;

const IOPS = {key: "iops_milli", scale: 1e-3, unit: "operations per second",
  text: (v) => iopsText(v)};
const POWER = {key: "power_uw", scale: 1e-6, unit: "W", text: (v) => powerText(v * 1e6)};

/* The worst operation and the mean power of each piece of the time. */
function secondsNumbers(begin, end, of) {
  const PIECES = 20;
  const step = Math.max(1, Math.ceil((end - begin) / data.step_s / PIECES));
  const first = Math.ceil(begin / data.step_s);
  const cell = (one, i) => {
    const values = (one[of.key] ?? []).slice(i, i + step).filter((v) => v !== null);
    if (!values.length)
      return "-";
    return of.text((of === IOPS ? Math.min(...values) : sum(values) / values.length) * of.scale);
  };
  const rows = [];
  for (let i = first; i * data.step_s < end; i += step)
    rows.push([`${i * data.step_s} s`, ...data.consistency.map((one) => cell(one, i))]);
  return {heads: [["from", "text"], ...data.consistency.map((one) =>
    [`${seriesName(one)}, ${of === IOPS ? "worst" : "mean"}`, "rule"])], rows};
}

/* A point for each second from begin on; what is 0 stands at the lower edge. */
function secondsChart(parent, label, begin, scale, of = IOPS) {
  const shown = data.consistency;
  const points = (one) => (one[of.key] ?? []).map((v, i) => ({x: i * data.step_s, v}))
    .filter(({x, v}) => x >= begin && v !== null)
    .map(({x, v}) => ({x, y: Math.max(v * of.scale, scale.min), v: v * of.scale}));
  const end = Math.max(...shown.map((one) => one.iops_milli.length * data.step_s));
  switches(chart(parent, of === IOPS ? 380 : 240, label, {
    type: "scatter",
    data: {datasets: shown.map((one, i) => ({
      ...drawn(look(seriesName(one))), label: seriesName(one), data: points(one), pointRadius: 1.5,
      pointHoverRadius: 4, borderWidth: 0, pointBorderWidth: 0,
    }))},
    options: {
      scales: {
        x: {min: begin, max: end, title: {display: true, text: "time, s"},
          ticks: {maxTicksLimit: 9, maxRotation: 0, autoSkipPadding: 16}},
        y: {...scale, title: {display: true, text: of.unit},
          ticks: {callback: (v) => of !== IOPS ? Math.round(1e6 * v) / 1e6 :
            scale.type === "linear" ||
            Number.isInteger(Math.round(1e9 * Math.log10(v)) / 1e9) ? iopsText(v) : null}},
      },
      plugins: {
        tooltip: {callbacks: {label: ({raw, dataset}) =>
          `${dataset.label}: ${of.text(raw.v)} at ${raw.x} s`}},
      },
    },
  }, secondsNumbers(begin, end, of), true), shown.map((one) => look(seriesName(one))));
}

const hasPower = () => data.consistency.some((one) => one.power_uw);

function consistencyTable(parent) {
  const share = (ppm) => ppm === null ? "-" : `${(ppm / 1e4).toFixed(1)} %`;
  const second = (s) => s === null ? "-" : `${s} s`;
  const below = data.consistency[0].threshold_iops;
  const watts = (uw) => uw === null ? "-" : powerText(uw);
  const heads = [["series", "text rule"], ["seconds"], ["floor"], ["p0.1"], ["p1"], ["median"], ["mean"],
    ["most"], ["variation"], ["floor/mean"], ["plateau"], ["cliff"], ["steady"]];
  if (hasPower())
    heads.push(["plateau power"], ["mean power"]);
  if (below)
    heads.push([`below ${iopsText(below)}`]);
  table("Operations per second", heads, data.consistency.map((c) => [
    seriesName(c), iopsText(c.n), milliText(c.floor_iops_milli), milliText(c.p01_iops_milli),
    milliText(c.p1_iops_milli), milliText(c.median_iops_milli), milliText(c.mean_iops_milli),
    milliText(c.max_iops_milli), share(c.variation_ppm), share(c.floor_share_ppm),
    milliText(c.plateau_iops_milli), second(c.cliff_s), second(c.steady_s),
    ...(hasPower() ? [watts(c.plateau_power_uw), watts(c.mean_power_uw)] : []),
    ...(below ? [shareText(c.n_below, c.n)] : []),
  ]), parent, data.consistency.map((c, i) => i === data.marked ? "highest floor" : ""));
}

function showConsistency() {
  const main = document.getElementById("main");
  if (!data.consistency.length) {
    main.append(element("p", {}, "No log is shown."));
    return;
  }
  consistencyTable(titled(main, "Operations per second", data.consistency.some((c) => c.n_holes) ?
    "Some seconds do not count: a log has no line for them. In these no operation ended, or " +
    "fio was held up." : "", "h2"));
  const values = (begin) => data.consistency.flatMap((one) =>
    one.iops_milli.filter((v, i) => v !== null && i * data.step_s >= begin).map((v) => v / 1e3));
  const most = (list) => list.reduce((a, b) => Math.max(a, b), 1);
  const least = (list) => list.reduce((a, b) => b > 0 ? Math.min(a, b) : a, Infinity);
  const decades = (list) => ({type: "logarithmic",
    min: 10 ** Math.floor(Math.log10(Math.min(least(list), most(list)))),
    max: 10 ** Math.max(Math.ceil(Math.log10(most(list))),
      Math.floor(Math.log10(Math.min(least(list), most(list)))) + 1)});
  const of = (data.step_s > 1 ? `Of ${data.step_s} seconds each, the worst.` :
    "One point a second.") +
    (values(0).includes(0) ? " Seconds without any stand at the lower edge." : "");
  secondsChart(titled(main, "The whole run", of, "h2"), "The whole run", 0, decades(values(0)));
  if (hasPower())
    secondsChart(titled(main, "Power", data.step_s > 1 ?
      `Means of ${data.step_s} seconds.` : "Means of a second.", "h2"), "Power", 0,
      {type: "linear", min: 0, grace: "5%"}, POWER);
  const late = values(data.late_s);
  if (!late.length) {
    main.append(element("p", {className: "note"}, `No log goes on beyond ${data.late_s} s.`));
    return;
  }
  const pair = element("div", {className: "charts"});
  main.append(pair);
  secondsChart(titled(pair, `From ${data.late_s} s on`, "", "h2"), `From ${data.late_s} s on`, data.late_s,
    decades(late));
  secondsChart(titled(pair, `From ${data.late_s} s on, linear`, "", "h2"),
    `From ${data.late_s} s on, linear`, data.late_s,
    {type: "linear", min: 0, max: most(late) > 40000 ? undefined : 40000});
}

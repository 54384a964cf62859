/* SPDX-License-Identifier: MIT */
const isSet = (drive) => drive.advice === "set";
const setMark = (drive) => isSet(drive) ? "set" : "";

/* What is in force, as the kernel has it: the latency limit of an NVMe drive is a number. */
function todayText({policy}) {
  if (!/^\d+$/.test(policy))
    return policy || "-";
  return policy === "0" ? "never sleep" : `limit ${timeText(policy * 1e3)}`;
}

/* A limit, or a link policy: each as on the other pages. */
const settingLook = ({lpm, max_exit_latency_us: us}) =>
  look(lpm ?? (us ? "latency-limit" : "none"));

const addedText = (ns) => `${ns < 0 ? "-" : "+"}${timeText(Math.abs(ns))}`;

/* No column is empty: where nothing is known of any drive, it is left out. */
function tuneDrives(parent, drives) {
  const heads = [["best other setting", "text"], ["saving", "text"], ["likely"], ["mean"],
    ["p99"]];
  const isKnown = drives.some((d) => d.likely);
  const cells = (d) => d.likely ? [d.words.setting, VERDICTS[d.likely.verdict],
    `${powerText(d.likely.median_uw)} (${rangeText(d.likely.low_uw, d.likely.high_uw)})`,
    addedText(d.added_mean_ns), addedText(d.added_p99_ns)] : heads.map(() => "");
  table("Drives", [["drive", "text"], ["product", "text"], ["today", "text"],
    ...(isKnown ? heads : [])],
  drives.map((d) => [d.name, d.product ?? "-", todayText(d), ...(isKnown ? cells(d) : [])]),
  parent, drives.map(setMark));
}

function tuneSavings(parent, drives) {
  const rows = drives.map((d) => ({
    label: `${d.name}: ${d.words.setting}`, look: settingLook(d.setting), mark: setMark(d),
    text: [VERDICTS[d.likely.verdict], setMark(d)].filter(Boolean).join(", "),
    open: OPEN.includes(d.likely.verdict), of: d,
    low: d.likely.low_uw, mid: d.likely.median_uw, high: d.likely.high_uw,
  })).sort((a, b) => b.mid - a.mid);
  const label = "Likely saving of the best other setting";
  const box = titled(parent, label, "Left of the line a setting costs. In nine of ten cases the " +
    "saving is within the interval, under the assumptions of ssdpm_likely(3), version " +
    `${rows[0].of.likely.priors_version}. A hollow mark is not decided or too small to matter.`, "h2");
  intervals(box, label, {text: powerText, units: POWERS}, rows, true, {
    heads: [["drive", "text"], ["setting", "text"], ["saving", "text"], ["low"], ["middle"],
      ["high"]],
    rows: rows.map((r) => [r.of.name, r.of.words.setting, VERDICTS[r.of.likely.verdict],
      ...[r.low, r.mid, r.high].map(powerText)]),
    marks: rows.map((r) => r.mark),
  }, (unit) => `costs  ←  ${unit}  →  saves`);
}

/* From the point of the first set to that of the second. */
const ways = {
  id: "ways",
  beforeDatasetsDraw(chart) {
    const {ctx, scales, data: {datasets: [from, to]}} = chart;
    ctx.save();
    ctx.lineWidth = 2;
    to.data.forEach((point, i) => {
      const y = scales.y.getPixelForValue(point.y);
      ctx.strokeStyle = point.color;
      ctx.beginPath();
      ctx.moveTo(scales.x.getPixelForValue(from.data[i].x), y);
      ctx.lineTo(scales.x.getPixelForValue(point.x), y);
      ctx.stroke();
    });
    ctx.restore();
  },
};

/* What I/Os wait today, with the setting, and at most: key is of each of these runs. */
function tuneDelays(parent, drives, label, key, limit) {
  const rows = drives.map((d) => ({label: `${d.name}: ${d.words.setting}`, mark: setMark(d),
    text: setMark(d), color: settingLook(d.setting).color, today: d.before[key],
    then: d.after[key], most: d.bounds[limit]}));
  const [scale, unit] = unitFor(rows.flatMap((r) => [r.today, r.then, r.most ?? 0]), TIMES);
  const points = (value) => rows.map((r, y) => ({x: r[value] / scale, y, color: r.color}));
  const own = ({raw}) => raw ? raw.color : theme.ink;
  const sets = [
    {label: "today", pointStyle: "circle", pointBackgroundColor: () => theme.page},
    {label: "then", pointStyle: "circle", pointBackgroundColor: own},
    {label: "most", pointStyle: "line", pointRotation: 90, pointBorderColor: () => theme.ink},
  ];
  chart(parent, 70 + 48 * rows.length, label, {
    type: "scatter",
    data: {datasets: sets.map((one) => ({pointBorderColor: own, pointBorderWidth: 2,
      pointRadius: one.label === "most" ? 10 : 6, pointHoverRadius: 10, clip: false, ...one,
      data: points(one.label)}))},
    options: {
      scales: {
        x: {min: 0, grace: "5%", title: {display: true, text: unit},
          ticks: {maxTicksLimit: 7, maxRotation: 0}},
        y: rowScale(rows),
      },
      plugins: {tooltip: {callbacks: {label: ({dataset, raw}) =>
        `${rows[raw.y].label}, ${dataset.label}: ${timeText(raw.x * scale)}`}}},
    },
    plugins: [ways],
  }, {
    heads: [["drive", "text"], ["setting", "text"], ["today"], ["then"], ["limit"]],
    rows: drives.map((d, i) => [d.name, d.words.setting, timeText(rows[i].today),
      timeText(rows[i].then), rows[i].most === null ? "-" : timeText(rows[i].most)]),
    marks: rows.map((r) => r.mark),
  });
}

/* How a value that decides can be known. */
const WAYS = {"identify": "ask the drive", "calibrate": "measure it", "state": "state it"};

function tuneLeft(parent, drives) {
  const left = drives.filter((d) => !isSet(d));
  const isOpen = left.some((d) => d.words.decider);
  const cells = ({words: {decider}, likely}) =>
    decider ? [decider, likely.decider_ways.map((way) => WAYS[way]).join(", ")] : ["", ""];
  if (left.length)
    table("Left as they are", [["drive", "text"], ["why", "text rule"],
      ...(isOpen ? [["decided by", "text"], ["to know it", "text"]] : [])],
    left.map((d) => [d.name, d.words.reason, ...(isOpen ? cells(d) : [])]),
    titled(parent, "Left as they are", "", "h2"));
}

function showTuning() {
  const main = document.getElementById("main");
  const drives = data.tuning.map((d, i) => ({...d, words: data.words[i]}));
  main.append(element("p", {className: "note"}, `Workload: ${data.workload}. ` +
    `Limits of the time that I/Os wait, and of what one in 100 waits: ${data.limits}.`));
  if (data.risk)
    main.append(element("p", {className: "warning"}, data.risk));
  if (!drives.length)
    return;
  tuneDrives(titled(main, "Drives", "Mean and p99 are of the delay that the setting adds to an I/O.",
    "h2"), drives);
  const found = drives.filter((d) => d.likely);
  if (found.length) {
    const settings = new Map(found.map((d) => [settingLook(d.setting), d.setting]));
    tuneSavings(main, found);
    key(main.lastChild, [...settings].map(([one, {lpm, max_exit_latency_us: us}]) =>
      ({label: lpm ?? (us ? "latency limit" : "never sleep"), ...one})));
    const pair = element("div", {className: "charts"});
    main.append(pair);
    tuneDelays(titled(pair, "Mean delay of an I/O", "Hollow: today. Filled: with the setting. " +
      "Upright line: the limit.", "h2"), found, "Mean delay of an I/O", "delay_mean_ns",
    "max_delay_mean_ns");
    tuneDelays(titled(pair, "Delay of one I/O in 100", "So long or longer.", "h2"), found,
      "Delay of one I/O in 100", "delay_p99_ns", "max_delay_p99_ns");
  }
  tuneLeft(main, drives);
  if (data.to_decide) {
    /* The name of a capture may have a colon, too. */
    const [what, ...call] = data.to_decide.split(": ");
    titled(main, what, "", "h2").append(element("pre", {tabIndex: 0}, call.join(": ")));
  }
  if (data.further) {
    const [what, call] = data.further.split("\nTo see it: ");
    titled(main, "Another route", what, "h2").append(element("pre", {tabIndex: 0}, call));
  }
  if (data.link) {
    const [what, call] = data.link.split("\n");
    titled(main, "PCIe link", what, "h2").append(element("pre", {tabIndex: 0}, call));
  }
}

/* SPDX-License-Identifier: MIT */
const isSata = (estimate) => Boolean(estimate.rows[0].lpm);

/* The states of a SATA drive are those of its link. */
function stateText(estimate, i) {
  const link = isSata(estimate) && [null, "partial", "slumber", "DevSleep"][i];
  return link ? `PS${i} ${link}` : `PS${i}`;
}

/* Which states occur, with their color. */
function classes(estimate) {
  const slept = new Set();
  for (const row of estimate.rows)
    row.nominal.states.forEach((s, i) => {
      if (s.n_entries)
        slept.add(i);
    });
  const states = [...slept].sort((a, b) => a - b);
  const step = states.length > 1 ? 5 / (states.length - 1) : 0;
  return [
    areaClass("busy", "busy", "busy"),
    areaClass("idle", `PS${estimate.operational_state} idle`, "idle"),
    areaClass("transition", "entering, leaving", "transition"),
    ...states.map((i, n) => ({state: i, ...areaClass(`PS${i}`, stateText(estimate, i),
      `sleep-${states.length > 1 ? Math.round(n * step) : 3}`)})),
  ];
}

function timeIn(row, estimate, c) {
  const run = row.nominal;
  if (c.key === "busy")
    return run.busy_ns;
  if (c.key === "transition")
    return run.entry_ns + run.exit_ns;
  return run.states[c.state ?? estimate.operational_state].time_ns;
}

/* Energy of a state is with that of going there. */
function powerIn(row, estimate, c) {
  const run = row.nominal;
  const seconds = run.duration_ns / 1e9;
  if (c.key === "transition" || !seconds)
    return 0;
  const asleep = sum(run.states.map((s) => s.energy_nj));
  const nj = c.key === "busy" ? Math.max(0, run.energy_nj - asleep) :
    run.states[c.state ?? estimate.operational_state].energy_nj;
  return nj / 1e6 / seconds;
}

function stackedBars(parent, label, estimate, shown, value, unit, max) {
  const values = estimate.rows.map((row) => shown.map((c) => value(row, estimate, c)));
  return chart(parent, 70 + 34 * estimate.rows.length, label, {
    type: "bar",
    data: {
      labels: estimate.rows.map((row) => lines(name(row))),
      datasets: shown.map((c, i) => ({label: c.label, backgroundColor: c.fill,
        borderColor: () => theme.page, borderWidth: {right: 1}, borderSkipped: false,
        data: values.map((row) => row[i])})),
    },
    options: {
      indexAxis: "y",
      scales: {
        x: {stacked: true, max, title: {display: true, text: unit}},
        y: {stacked: true, ticks: {autoSkip: false, font: lineFont(estimate.rows.length)}},
      },
      plugins: {tooltip: {callbacks: {label: (item) =>
        `${item.dataset.label}: ${digits(item.parsed.x)} ${unit}`}}},
    },
  }, {
    heads: [["policy", "text rule"], ...shown.map((c) => [`${c.label}, ${unit}`])],
    rows: estimate.rows.map((row, i) => [row.policies.join(", "),
      ...values[i].map((v) => String(digits(v)))]),
  });
}

function frontier(parent, estimate) {
  const rows = estimate.rows;
  const [scale, unit] = unitFor(rows.map((r) => r.nominal.delay_mean_ns), TIMES);
  const mw = (row) => row.nominal.mean_power_uw / 1e3;
  switches(chart(parent, 380, "Energy and latency of all policies", {
    type: "scatter",
    data: {datasets: rows.map((row, i) => ({
      ...drawn(rowLook(row)),
      label: row.policies.join(", "),
      pointRadius: i ? 5 : 8,
      pointHoverRadius: 9,
      clip: false,
      data: [{x: row.nominal.delay_mean_ns / scale, y: mw(row)}],
    }))},
    options: {
      scales: {
        x: {title: {display: true, text: `mean delay of an I/O, ${unit}`}, grace: "5%",
          min: 0, suggestedMax: 1},
        y: {title: {display: true, text: "nominal mean power, mW"},
          min: 0, suggestedMax: 1.05 * Math.max(...rows.map(mw))},
      },
      plugins: {
        tooltip: {callbacks: {label: (item) => `${item.dataset.label}: ` +
          `${powerText(item.raw.y * 1e3)}, ${timeText(item.raw.x * scale)}`}},
      },
    },
  }, {
    heads: [["policy", "text rule"], ["mean delay"], ["nominal mean power"]],
    rows: rows.map((row) => [row.policies.join(", "), timeText(row.nominal.delay_mean_ns),
      powerText(row.nominal.mean_power_uw)]),
  }, true), rows.map(rowLook));
}

/* The share of the I/Os that wait for so long or longer, in percent. */
const shareFrom = (row, ns) => 100 * sum(row.delays.filter((d) => d.start_ns >= ns)
  .map((d) => d.n_ios)) / sum(row.delays.map((d) => d.n_ios));

/* These shares as steps down to the floor. */
function exceeding(row, left, floor) {
  const total = sum(row.delays.map((d) => d.n_ios));
  const delayed = row.delays.filter((d) => d.start_ns > 0);
  let rest = sum(delayed.map((d) => d.n_ios));
  const points = [{x: left, y: 100 * rest / total}];
  for (const {start_ns, n_ios} of delayed) {
    points.push({x: start_ns, y: 100 * rest / total});
    rest -= n_ios;
  }
  const last = points[points.length - 1].y;
  points.push({x: row.nominal.delay_max_ns, y: last}, {x: row.nominal.delay_max_ns, y: floor});
  return points;
}

function latency(parent, estimate) {
  const rows = estimate.rows.filter((row) => row.nominal.n_delayed);
  const shown = (row) => row.nominal.n_delayed ? exceeding(row, left, floor) : [];
  const note = (row) => row.nominal.n_delayed ? "" : " (delays no I/O)";
  if (!rows.length) {
    parent.append(element("p", {}, "No I/O is delayed."));
    return;
  }
  const decade = (value, round) => 10 ** round(Math.log10(value));
  const starts = rows.flatMap((row) => row.delays.map((d) => d.start_ns)).filter((ns) => ns);
  const left = decade(Math.min(...starts), Math.floor);
  const right = decade(Math.max(...rows.map((row) => row.nominal.delay_max_ns)), Math.ceil);
  const floor = decade(Math.min(10, ...rows.map((row) =>
    99 / sum(row.delays.map((d) => d.n_ios)))), Math.floor);
  const decades = [];
  for (let ns = left; ns < right; ns *= 10)
    decades.push(ns);
  /* Ticks at 1, and where there is room at 2 and 5, of each decade. */
  const tick = (v, text, wide) => {
    const digit = Math.round(v / 10 ** Math.floor(Math.log10(v) + 1e-9));
    return digit === 1 || (!wide && (digit === 2 || digit === 5)) ? text(v) : null;
  };
  switches(chart(parent, 380, "Distribution of the delays", {
    type: "scatter",
    data: {datasets: estimate.rows.map((row) => ({
      ...drawn(rowLook(row)), label: row.policies.join(", ") + note(row), data: shown(row),
      showLine: true, stepped: "after", borderWidth: 2, pointRadius: 0, pointHitRadius: 8,
      clip: 4,
    }))},
    options: {
      scales: {
        x: {type: "logarithmic", min: left, max: right,
          title: {display: true, text: "added latency"},
          ticks: {maxRotation: 0, autoSkip: false, callback: (v) => tick(v, timeText, right / left > 99)}},
        y: {type: "logarithmic", min: floor, max: 100,
          title: {display: true, text: "I/Os that wait so long or longer, %"},
          ticks: {autoSkip: false, callback: (v) => tick(v, String, true)}},
      },
      plugins: {
        tooltip: {callbacks: {label: (item) => `${item.dataset.label}: ` +
          `${digits(item.raw.y)} % by ${timeText(item.raw.x)} or more`}},
      },
    },
  }, {
    heads: [["policy", "text rule"], ...decades.map((ns) => [`${timeText(ns)} or more`])],
    rows: estimate.rows.map((row) => [row.policies.join(", "),
      ...decades.map((ns) => row.nominal.n_delayed ? `${digits(shareFrom(row, ns))} %` : "0 %")]),
  }, true), estimate.rows.map(rowLook));
}

/* The numbers behind a timeline are those of a few pieces of it. */
const PIECES = 12;
function stripNumbers(t, shown) {
  const step = Math.ceil(t.n / PIECES);
  const rows = [];
  for (let i = 0; i < t.n; i += step) {
    const ns = shown.map((c) => sum((t[c.key] || []).slice(i, i + step)));
    rows.push([timeText(i * t.bin_ns), ...ns.map((v) => shareText(v, sum(ns)))]);
  }
  return {heads: [["from", "text"], ...shown.map((c) => [c.label])], rows};
}

function strip(parent, row, shown, label = `States over time under ${row.policies[0]}`) {
  const t = row.timeline;
  const total = [];
  for (let i = 0; i < t.n; i++)
    total.push(sum(shown.map((c) => t[c.key] ? t[c.key][i] : 0)) || 1);
  const box = element("div", {className: "strip"},
    element("p", {}, row.policies.join(", ")));
  parent.append(box);
  const [scale, unit] = unitFor([t.n * t.bin_ns / 2], TIMES);
  const bin = t.bin_ns / scale;
  return chart(box, 110, label, {
    type: "bar",
    data: {
      datasets: shown.filter((c) => t[c.key]).map((c) => ({
        label: c.label, backgroundColor: c.fill, categoryPercentage: 1, barPercentage: 1,
        data: t[c.key].map((ns, i) => ({x: (i + 0.5) * bin, y: 100 * ns / total[i]})),
      })),
    },
    options: {
      interaction: {mode: "index"},
      scales: {
        x: {type: "linear", stacked: true, offset: false, min: 0, max: t.n * bin,
          grid: {display: false, offset: false},
          ticks: {maxTicksLimit: 9, maxRotation: 0, includeBounds: false,
            callback: (v) => `${digits(v, 6)} ${unit}`}},
        y: {stacked: true, max: 100, ticks: {stepSize: 50, callback: (v) => `${v} %`}},
      },
      plugins: {tooltip: {
        filter: (item) => item.parsed.y > 0,
        callbacks: {
          title: (items) => items.length ? `from ${timeText(items[0].dataIndex * t.bin_ns)}` : "",
          label: (item) => `${item.dataset.label}: ${digits(item.parsed.y)} %`,
        }}},
    },
  }, stripNumbers(t, shown), true);
}

function timelines(parent, estimate, shown) {
  const rows = estimate.rows.filter((row) => row.timeline && row.timeline.n);
  if (!rows.length)
    return;
  const box = titled(parent, "States over time",
    "Each column is a piece of the time; its colors are the shares of the states.");
  key(box, shown);
  strip(box, rows[0], shown);
  if (rows.length === 1)
    return;
  const details = element("details", {className: "others"},
    element("summary", {}, "The other policies"));
  details.addEventListener("toggle", () => {
    for (const row of rows.slice(1))
      strip(details, row, shown);
  }, {once: true});
  box.append(details);
}

/* The row of an estimate that is marked, with its word; or nothing. */
function markOf(row, decision) {
  return decision && row.policies.includes(decision.policy) ? decision.mark : "";
}

function numbers(parent, estimate, decision) {
  const rows = estimate.rows.map((row, i) => {
    const run = row.nominal;
    const range = row.low ? rangeText(row.low.mean_power_uw, row.high.mean_power_uw) : "";
    const likely = row.likely;
    if (i && row.refused)
      return [row.policies.join(", "), "-", "", "refused by Linux", ...Array(7).fill("")];
    return [
      row.policies.join(", "), powerText(run.mean_power_uw), range,
      row.refused ? "refused by Linux" : i && likely ? VERDICTS[likely.verdict] : "",
      i && likely ? powerText(likely.median_uw) : "",
      i && likely ? rangeText(likely.low_uw, likely.high_uw) : "",
      shareText(run.n_delayed, sum(run.n_ios)), timeText(run.delay_mean_ns),
      timeText(run.delay_p99_ns), timeText(run.delay_max_ns), run.n_wakes.toLocaleString("en"),
    ];
  });
  table("Policies", [["policy", "text rule"], ["mean power"], ["possible"], ["saving", "text"],
    ["middle"], ["likely"], ["delayed"], ["mean delay"], ["p99"], ["most"], ["wakes"]], rows,
  parent, estimate.rows.map((row) => markOf(row, decision)));
}

/* What can be said of a saving. */
const VERDICTS = {
  "saves": "saves",
  "probably-saves": "probably saves",
  "not-decided": "not decided",
  "too-small": "too small to matter",
  "probably-costs": "probably costs",
  "costs": "costs",
};
const OPEN = ["not-decided", "too-small"];

/* Each saving as an interval beside nothing: means do not show who saves. */
function savings(parent, estimate, decision) {
  const [first, ...others] = estimate.rows.filter((row, i) => !i || row.likely);
  if (!others.length)
    return;
  const rows = others.map((row) => ({
    label: name(row), look: rowLook(row), open: OPEN.includes(row.likely.verdict),
    mark: markOf(row, decision),
    text: [VERDICTS[row.likely.verdict], markOf(row, decision)].filter(Boolean).join(", "),
    verdict: VERDICTS[row.likely.verdict], of: row,
    low: row.likely.low_uw, mid: row.likely.median_uw, high: row.likely.high_uw,
  })).sort((a, b) => b.mid - a.mid);
  const label = `Likely saving against ${first.policies[0]}`;
  const box = titled(parent, label, "Left of the line a policy costs. In nine of ten cases the " +
    "saving is within the interval, under the assumptions of ssdpm_likely(3), version " +
    `${others[0].likely.priors_version}. A hollow mark is not decided or too small to matter.`);
  intervals(box, label, {text: powerText, units: POWERS}, rows, true, {
    heads: [["policy", "text rule"], ["saving", "text"], ["low"], ["middle"], ["high"]],
    rows: rows.map((r) => [r.of.policies.join(", "), r.verdict,
      ...[r.low, r.mid, r.high].map(powerText)]),
    marks: rows.map((r) => r.mark),
  }, (unit) => `costs  ←  ${unit}  →  saves`);
}

function known(parent, estimate) {
  const details = element("details", {}, element("summary", {},
    "What is taken for known of the drive"));
  table("What is taken for known of the drive", [["what", "text"], ["of"], ["low"], ["nominal"],
    ["high"], ["source", "text"], ["rule", "text rule"]],
  estimate.parameters.map((p) => [p.kind, p.index, p.low, p.nominal, p.high, p.provenance,
    p.rule].map(String)), details);
  parent.append(details);
}

/* How surely a setting keeps the bounds. */
function keptText(r) {
  if (r.advice !== "set")
    return "";
  return `; the bounds are kept ${r.kept}` + (r.kept !== "nominally" ? "" :
    `, at worst ${timeText(r.high.delay_mean_ns)} on average, p99 ${timeText(r.high.delay_p99_ns)}`);
}

function recommendations(parent, list) {
  if (!list)
    return;
  titled(parent, "Recommendation", "The best of each route within the bounds: of the latency " +
    "limits the one that saves most in the middle of what is likely; of the tables that the " +
    "other routes reach the one with the least nominal energy, unless a limit likely saves " +
    "more.").append(element("ul", {className: "recommendations"},
    ...list.map((r) => element("li", {}, r.text + keptText(r)))));
}

function showEstimate(estimate, index) {
  const main = document.getElementById("main");
  const decision = (data.decisions || [])[index];
  main.append(element("h2", {id: `estimate-${index}`}, `${estimate.drive} on ${estimate.trace}`));
  if (!estimate.rows.length) {
    main.append(element("p", {}, "No policy is compared."));
    return;
  }
  /* What the port refuses has a row, and no chart. */
  const taken = {...estimate, rows: estimate.rows.filter((row, i) => !i || !row.refused)};
  const shown = classes(taken);
  const run = estimate.rows[0].nominal;
  estimate.rows.forEach((row, i) => row.timeline = ((data.timelines || [])[index] || [])[i]);
  main.append(element("p", {className: "note"}, [estimate.product,
    `${sum(run.n_ios).toLocaleString("en")} I/Os in ${timeText(run.duration_ns)}`,
    `${estimate.loop} loop`,
    isSata(estimate) ? "" : `asleep with the link in ${estimate.pcie_link || "l1.2 to l0"}`,
    `energy under ${estimate.rows[0].policies[0]}: ${energyText(run.energy_nj)}`]
    .filter(Boolean).join("; ")));
  recommendations(main, ((data.recommendations || [])[index] || {}).recommendations);
  const figures = titled(main, "Policies", estimate.rows.length > 1 ?
    `Savings are against ${estimate.rows[0].policies[0]}.` : "");
  numbers(figures, estimate, decision);
  savings(main, taken, decision);
  timelines(main, taken, shown);
  const bars = element("div", {className: "charts"});
  const time = titled(bars, "Time in each state");
  key(time, shown);
  stackedBars(time, "Time in each state", taken, shown, (row, e, c) =>
    row.nominal.duration_ns ? 100 * timeIn(row, e, c) / row.nominal.duration_ns : 0, "%", 100);
  const power = titled(bars, "Mean power by state");
  key(power, shown.filter((c) => c.key !== "transition"));
  stackedBars(power, "Mean power by state", taken,
    shown.filter((c) => c.key !== "transition"), powerIn, "mW");
  main.append(bars);
  const pair = element("div", {className: "charts"});
  main.append(pair);
  frontier(titled(pair, "Energy against latency"), taken);
  if (taken.rows.some((row) => row.delays))
    latency(titled(pair, "Delays"), taken);
  known(main, estimate);
}

/* Each verdict leads to its estimate. */
function showEstimates() {
  const main = document.getElementById("main");
  const {estimates, decisions} = data;
  if (estimates.length > 1)
    main.append(element("ul", {className: "verdicts"}, ...estimates.map((e, i) =>
      element("li", {}, element("a", {href: `#estimate-${i}`}, `${e.drive} on ${e.trace}`),
        verdictOf(decisions[i].verdict)))));
  if (!estimates.length)
    main.append(element("p", {}, "No policy is compared."));
  main.append(element("p", {className: "note"}, "Bounds are the least and the most over " +
    "everything that is not known of the drive. Two policies are compared with the same values."));
  estimates.forEach(showEstimate);
}

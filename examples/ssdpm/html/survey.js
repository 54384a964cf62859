/* SPDX-License-Identifier: MIT */
/* What a survey compares, with the unit of its keys. */
const SURVEYED = [
  {key: "power", unit: "uw", title: "Mean power", text: powerText, units: POWERS},
  {key: "latency", unit: "ns", title: "Latency", text: timeText, units: TIMES},
  {key: "throughput", unit: "bytes_per_s", title: "Throughput", text: rateText, units: RATES},
];

/* The means of a comparison, and what it says of each pair: pictures with their numbers. */
function surveyMeans(parent, kind, comparison, of, advised) {
  const value = (row, name) => row[`${name}_${kind.unit}`];
  const percent = (m) => m.share_ppm ? `${digits(m.share_ppm / 1e4)} %` : "";
  const marks = comparison.means.map((m) => m.policy === advised ? "recommended" : "");
  const rows = comparison.means.map((m, i) => ({label: m.policy, look: look(m.policy),
    text: marks[i], mark: marks[i],
    mid: value(m, "mean"), low: value(m, "low"), high: value(m, "high")}));
  intervals(titled(parent, "", "Means, each with its interval of 95 %"), `${kind.title}, ${of}`,
    kind, rows, false, {
      heads: [["policy", "text rule"], ["runs"], ["mean"], ["95 % interval"], ["share"]],
      rows: comparison.means.map((m, i) => [m.policy, String(m.n_runs), kind.text(rows[i].mid),
        rangeText(rows[i].low, rows[i].high, kind.text), percent(m)]),
      marks,
    });
}

function surveyDifferences(parent, kind, comparison, of) {
  const value = (row, name) => row[`${name}_${kind.unit}`];
  const chance = (p) => p < 1000 ? "< 0.001" : (p / 1e6).toFixed(3);
  const rows = comparison.differences.map((d) => ({label: `${d.policy} - ${d.other_policy}`,
    open: !d.different, mid: value(d, "difference"), low: value(d, "low"),
    high: value(d, "high")}));
  intervals(titled(parent, "", "Differences, hollow where they are not shown; all hold together"),
    `Differences in ${kind.title.toLowerCase()}, ${of}`, kind, rows, true, {
      heads: [["difference", "text rule"], ["middle"], ["interval"], ["p"], ["verdict", "text"]],
      rows: comparison.differences.map((d, i) => [rows[i].label, kind.text(rows[i].mid),
        rangeText(rows[i].low, rows[i].high, kind.text), chance(d.p_ppm),
        d.different ? "differ" : "not shown"]),
    });
}

function surveyComparison(parent, kind, comparison, advised) {
  const of = `${comparison.fio ? "fio " : ""}${comparison.of}`;
  const box = titled(parent, `${kind.title}, ${of}`, comparison.reason || "");
  if (!comparison.compared)
    return;
  const pictures = element("div", {className: "charts"});
  box.append(pictures);
  surveyMeans(pictures, kind, comparison, of, advised);
  surveyDifferences(pictures, kind, comparison, of);
}

/* The means of a few pieces of each run. */
function courseNumbers(runs, timed) {
  const PIECES = 6;
  const mean = (values) => values.length ? powerText(sum(values) / values.length) : "-";
  return {
    heads: [["run", "text rule"], ...Array.from({length: PIECES}, (_, i) =>
      [`${timed ? "time" : "readings"} ${i + 1}/${PIECES}`])],
    rows: runs.map(({run, course}) => [`${run.policy}, block ${run.block}`,
      ...Array.from({length: PIECES}, (_, i) => mean(course.power_uw.slice(
        Math.floor(course.power_uw.length * i / PIECES),
        Math.floor(course.power_uw.length * (i + 1) / PIECES)).filter((uw) => uw !== null)))]),
  };
}

/* The readings of all runs of a scenario, each from when its policy was set. */
function surveyCourses(parent, survey, scenario) {
  const runs = survey.runs.map((run, i) => ({run, course: data.courses[i]}))
    .filter(({run}) => run.scenario === scenario && run.status === "complete");
  const timed = runs.every(({course}) => course.end_ns > course.begin_ns);
  const [scale, unit] = timed ?
    unitFor(runs.map(({course}) => course.end_ns), TIMES) : [1, "reading"];
  const points = ({course}) => {
    const n = course.power_uw.length;
    const step = timed ? (course.end_ns - course.begin_ns) / Math.max(1, n - 1) : course.step;
    return course.power_uw.map((uw, i) =>
      ({x: (course.begin_ns + i * step) / scale, y: uw === null ? NaN : uw / 1e6}));
  };
  return chart(parent, 320, `Power over time, ${scenario}`, {
    type: "scatter",
    data: {datasets: runs.map((r) => ({
      label: `${r.run.policy}, block ${r.run.block}`, data: points(r), showLine: true,
      ...drawn(look(r.run.policy)), borderWidth: 1, pointRadius: 0, pointHitRadius: 4,
    }))},
    options: {
      scales: {
        x: {title: {display: true, text: timed ? `since the policy was set, ${unit}` : unit},
          grace: 0, ticks: {maxTicksLimit: 9, maxRotation: 0}},
        y: {title: {display: true, text: "W"}, grace: "5%"},
      },
      plugins: {tooltip: {callbacks: {label: (item) =>
        `${item.dataset.label}: ${powerText(item.raw.y * 1e6)}`}}},
    },
  }, courseNumbers(runs, timed), true);
}

function surveyAdvice(parent, advice) {
  const box = titled(parent, "Recommendation");
  /* The first line is the verdict. */
  if (advice.text.length > 1)
    box.append(element("ul", {className: "recommendations"},
      ...advice.text.slice(1).map((line) => element("li", {}, line))));
  if (advice.warning)
    box.append(element("p", {className: "warning"}, `Warning: ${advice.warning}`));
  for (const text of [advice.setting, advice.udev_rule].filter(Boolean))
    box.append(element("pre", {tabIndex: 0}, text));
}

function showSurvey(survey) {
  const main = document.getElementById("main");
  main.append(element("h2", {}, survey.drives.join("; ") || survey.file),
    element("p", {className: "note"}, [survey.machine, survey.meter && `measured by ${survey.meter}`,
      `${survey.n_complete} complete runs`,
      survey.n_incomplete + survey.n_replaced ?
        `${survey.n_incomplete + survey.n_replaced} left out` : "",
      `chance shows any difference in ${parseFloat((survey.error_rate_ppm / 1e4).toPrecision(3))}` +
        " of 100 such surveys"].filter(Boolean).join("; ")));
  surveyAdvice(main, survey.recommendation);
  if (!survey.policies.length)
    main.append(element("p", {}, "No policy is compared."));
  const courses = titled(main, "Power over time", "One line for each run.");
  key(courses, survey.policies.map((label) => ({label, ...look(label)})));
  for (const scenario of new Set(survey.runs.map((run) => run.scenario)))
    surveyCourses(titled(courses, "", scenario), survey, scenario);
  for (const kind of SURVEYED)
    for (const comparison of survey[kind.key])
      surveyComparison(main, kind, comparison, survey.recommendation.policy);
}

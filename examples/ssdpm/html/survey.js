/* SPDX-License-Identifier: MIT */
/* What a survey compares, with the unit of its keys. */
const SURVEYED = [
  {key: "power", unit: "uw", title: "Mean power", text: powerText,
    units: [[1, "µW"], [1e3, "mW"], [1e6, "W"]]},
  {key: "latency", unit: "ns", title: "Latency", text: timeText, units: TIMES},
  {key: "throughput", unit: "bytes_per_s", title: "Throughput",
    text: (v) => scaled(v, RATES), units: []},
];
const RATES = [[1, "B/s"], [1024, "KiB/s"], [1024 ** 2, "MiB/s"], [1024 ** 3, "GiB/s"]];
SURVEYED[2].units = RATES;

function surveyTables(parent, kind, comparison) {
  const value = (row, name) => row[`${name}_${kind.unit}`];
  const range = (row) => `${kind.text(value(row, "low"))} to ${kind.text(value(row, "high"))}`;
  const percent = (row) => row.share_ppm === undefined || row.share_ppm === null ? "" :
    `${parseFloat((row.share_ppm / 1e4).toPrecision(3))} %`;
  const chance = (p) => p < 1000 ? "< 0.001" : (p / 1e6).toFixed(3);
  table([["policy", "text"], ["runs"], ["mean"], ["95 % interval"], ["share"]],
    comparison.means.map((m) => [m.policy, String(m.n_runs), kind.text(value(m, "mean")),
      range(m), percent(m)]), parent);
  table([["difference", "text"], [""], ["interval"], ["p"], ["", "text"]],
    comparison.differences.map((d) => [`${d.policy} - ${d.other_policy}`,
      kind.text(value(d, "difference")), range(d), chance(d.p_ppm),
      d.different ? "differ" : "not shown"]), parent);
}

function surveyComparison(parent, kind, comparison) {
  const of = `${comparison.fio ? "fio " : ""}${comparison.of}`;
  const box = titled(parent, `${kind.title}, ${of}`, comparison.reason || "");
  if (!comparison.compared)
    return;
  const value = (row, name) => row[`${name}_${kind.unit}`];
  const pictures = element("div", {className: "charts"});
  box.append(pictures);
  const row = (r, name, label, color) => ({label, color, mid: value(r, name),
    low: value(r, "low"), high: value(r, "high")});
  intervals(titled(pictures, "", "Means, each with its interval of 95 %"),
    `${kind.title}, ${of}`, kind, comparison.means.map((m) =>
      row(m, "mean", m.policy, look(m.policy).color)), false);
  intervals(titled(pictures, "", "Differences, gray where they are not shown; all hold together"),
    `Differences in ${kind.title.toLowerCase()}, ${of}`, kind, comparison.differences.map((d) =>
      row(d, "difference", `${d.policy} - ${d.other_policy}`,
        d.different ? null : "#888")), true);
  surveyTables(box, kind, comparison);
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
  });
}

function surveyAdvice(parent, advice) {
  const box = titled(parent, "Recommendation");
  box.append(element("ul", {className: "recommendations"},
    ...advice.text.map((line) => element("li", {}, line))));
  if (advice.warning)
    box.append(element("p", {className: "warning"}, `Warning: ${advice.warning}`));
  for (const text of [advice.setting, advice.udev_rule].filter(Boolean))
    box.append(element("pre", {}, text));
}

function showSurvey(survey) {
  const main = document.getElementById("main");
  document.getElementById("bounds-note").remove();
  main.append(element("h2", {}, survey.drives.join("; ") || survey.file),
    element("p", {className: "note"}, [survey.machine, survey.meter && `measured by ${survey.meter}`,
      `${survey.n_complete} complete runs`,
      survey.n_incomplete + survey.n_replaced ?
        `${survey.n_incomplete + survey.n_replaced} left out` : "",
      `chance shows any difference in ${parseFloat((survey.error_rate_ppm / 1e4).toPrecision(3))}` +
        " of 100 such surveys"].filter(Boolean).join("; ")));
  surveyAdvice(main, survey.recommendation);
  const courses = titled(main, "Power over time", "One line for each run.");
  key(courses, survey.policies.map((label) => ({label, ...look(label)})));
  for (const scenario of new Set(survey.runs.map((run) => run.scenario)))
    surveyCourses(titled(courses, "", scenario), survey, scenario);
  for (const kind of SURVEYED)
    for (const comparison of survey[kind.key])
      surveyComparison(main, kind, comparison);
}

/* SPDX-License-Identifier: MIT */
/* A chart has so many causes, and the others together. */
const MOST_CAUSES = 10;

const KIND_WORDS = {writeback: ", written back", journal: ", journal", kernel: ", kernel",
  cgroup: ", cgroup"};
const causeName = (cause) => cause.name + (KIND_WORDS[cause.kind] || "");

/* The energy of admin commands is unknown, which is not 0. */
const isPriced = (cause) => Boolean(cause.n_ios || cause.bytes);

/* Microwatts over some time. */
const meanPower = (nj, ns) => ns ? nj * 1e6 / ns : 0;
function changeText(without) {
  const uw = meanPower(without.without_energy_nj - without.energy_nj,
    without.until_ns - without.from_ns - without.uncovered_ns);
  return `${uw < 0 ? "−" : "+"}${powerText(Math.abs(uw))}`;
}

/* From nothing to a full wake-up for each admin command. */
function adminText(drive, cause) {
  const help = drive.help.find((h) =>
    h.kind === "admin-interval" && drive.causes[h.cause] === cause);
  const uw = help ? Math.trunc(meanPower(help.saving_high_nj, help.until_ns - help.from_ns)) : 0;
  return uw ? `0..${powerText(uw)}` : "unknown";
}

/* The states that occur, ever farther from the color of the page. */
function watchedClasses(timeline) {
  const states = Object.keys(timeline).filter((one) => one.startsWith("PS"));
  const step = states.length > 1 ? 5 / (states.length - 1) : 0;
  return [
    areaClass("busy", "busy", "busy"),
    areaClass("idle", "idle", "idle"),
    areaClass("transition", "entering, leaving", "transition"),
    ...states.map((one, n) =>
      areaClass(one, one, `sleep-${states.length > 1 ? Math.round(n * step) : 3}`)),
  ];
}

function watchedWakes(parent, drive) {
  const causes = drive.causes.filter((c) => c.n_wakes).sort((a, b) => b.n_wakes - a.n_wakes);
  const rows = causes.slice(0, MOST_CAUSES).map((c) =>
    ({label: causeName(c), n: c.n_wakes, color: () => look(causeName(c)).color}));
  const others = causes.slice(MOST_CAUSES);
  if (others.length)
    rows.push({label: `${others.length} others`, n: sum(others.map((c) => c.n_wakes)),
      color: () => theme.note});
  const label = `Wake-ups of ${drive.name} by cause`;
  const box = titled(parent, "Wake-ups by cause", "How often an I/O of each cause woke the drive.");
  chart(box, 70 + 34 * rows.length, label, {
    type: "bar",
    data: {
      labels: rows.map((r) => lines(r.label)),
      datasets: [{label: "wake-ups", data: rows.map((r) => r.n),
        backgroundColor: ({dataIndex}) => rows[dataIndex].color()}],
    },
    options: {
      indexAxis: "y",
      scales: {
        x: {title: {display: true, text: "wake-ups"}, ticks: {precision: 0, maxRotation: 0}},
        y: {grid: {display: false}, ticks: {autoSkip: false, font: lineFont(rows.length)}},
      },
    },
  }, {
    heads: [["cause", "text rule"], ["wake-ups"], ["share"]],
    rows: rows.map((r) => [r.label, r.n.toLocaleString("en"), shareText(r.n, drive.n_wakes)]),
  });
}

function watchedCauses(parent, drive) {
  const ns = drive.now_ns - drive.start_ns - drive.uncovered_ns;
  const causes = [...drive.causes].sort((a, b) => b.energy_nj - a.energy_nj);
  const count = (n) => n === null ? "-" : n.toLocaleString("en");
  const rows = causes.map((c) => [causeName(c), count(c.n_ios), count(c.n_admin),
    count(c.n_wakes), isPriced(c) ? powerText(meanPower(c.energy_nj, ns)) : adminText(drive, c),
    isPriced(c) ? changeText(c.without) : "unknown"]);
  /* The simulation begins with the first I/O. */
  const rest = ["nobody: at rest", "", "", "",
    ns ? powerText(meanPower(drive.resting_nj, ns)) : "unknown", ""];
  table(`Causes of ${drive.name}`, [["cause", "text rule"], ["I/Os"], ["admin"], ["wakes"],
    ["takes"], ["without it"]], [...rows, rest],
  titled(parent, "Causes", "Takes: the share of the mean power, nominal; of admin commands, from " +
    "nothing to a full wake-up each. Without it: how the power would change if these I/Os did " +
    "not come. At most the last 32,768 I/Os are simulated for that."));
}

function showWatchedDrive(drive, i) {
  const main = document.getElementById("main");
  const timeline = data.timelines[i];
  main.append(element("h2", {}, drive.name));
  if (data.watched.length > 1)
    main.append(verdictOf(data.verdicts[i]));
  if (!timeline.n) {
    main.append(element("p", {}, "No I/O came."));
    if (drive.causes.length)
      watchedCauses(main, drive);
    return;
  }
  const shown = watchedClasses(timeline);
  const box = titled(main, "States over time", "Simulated, not measured. Each " +
    "column is a piece of the time; its colors are the shares of the states. At most the last " +
    "32,768 I/Os are shown.");
  key(box, shown);
  strip(box, {policies: [drive.name], timeline}, shown, `States of ${drive.name} over time`);
  if (drive.n_wakes)
    watchedWakes(main, drive);
  watchedCauses(main, drive);
}

function showWatched() {
  if (!data.watched.length)
    document.getElementById("main").append(element("p", {}, "No drive is watched."));
  data.watched.forEach(showWatchedDrive);
}

/* SPDX-License-Identifier: MIT */
/* One drive, or a card of several devices. */
const itemName = (item) => item.devices.map((d) => d.drive).join(" + ");
const wattsText = (uw) => `${uw / 1e6}\u00a0W`;
const chosenOf = (item) => item.states.find((s) => s.state === item.state);

/* Those alike that are in the same state, once. */
function budgetGroups(items) {
  const groups = new Map();
  for (const item of items) {
    const name = itemName(item);
    const key = `${name}\n${item.state}\n${item.weight_thousandths}`;
    if (!groups.has(key))
      groups.set(key, {name, item, count: 0});
    groups.get(key).count++;
  }
  return [...groups.values()];
}

const groupName = ({name, count}) => count > 1 ? `${count}x ${name}` : name;
const bestRate = (item) => Math.max(...item.states.map((s) => s.bytes_per_s.nominal));

function budgetStates(parent, groups) {
  const rows = groups.flatMap((group) => group.item.states.map((s) => ({group, s,
    chosen: s.state === group.item.state})));
  table("States", [["drive", "text rule"], ["state", "text"], ["power"], ["throughput"],
    ["possible"], ["lost"], ["limited by", "text"], ["assumed", "text rule"]],
  rows.map(({group, s}) => [groupName(group), `PS${s.state}`, wattsText(s.power_uw),
    rateText(s.bytes_per_s.nominal), rangeText(s.bytes_per_s.low, s.bytes_per_s.high, rateText),
    shareText(s.lost_bytes_per_s, bestRate(group.item)), s.limit ?? "-", s.assumed.join(", ")]),
  parent, rows.map(({chosen}) => chosen ? "chosen" : ""));
}

function budgetBars(parent, groups) {
  const values = groups.map(({item, count}) => {
    const lost = chosenOf(item).lost_bytes_per_s * count;
    return {kept: bestRate(item) * count - lost, lost};
  });
  const [scale, unit] = unitFor(values.map((v) => v.kept + v.lost), RATES);
  const parts = [areaClass("kept", "kept", "sleep-1"), areaClass("lost", "lost", "busy")];
  key(parent, parts);
  chart(parent, 70 + 44 * groups.length, "Throughput kept and lost", {
    type: "bar",
    data: {
      labels: groups.map((g) => [...lines(groupName(g)), `PS${g.item.state}`]),
      datasets: parts.map((part) => ({label: part.label, backgroundColor: part.fill,
        borderColor: () => theme.page, borderWidth: {right: 1}, borderSkipped: false,
        data: values.map((v) => v[part.key] / scale)})),
    },
    options: {
      indexAxis: "y",
      scales: {
        x: {stacked: true, title: {display: true, text: unit}},
        y: {stacked: true, ticks: {autoSkip: false, font: lineFont(groups.length, 3.7)}},
      },
      plugins: {tooltip: {callbacks: {label: (item) =>
        `${item.dataset.label}: ${rateText(item.parsed.x * scale)}`}}},
    },
  }, {
    heads: [["drive", "text rule"], ["state", "text"], ["kept"], ["lost"]],
    rows: groups.map((g, i) => [groupName(g), `PS${g.item.state}`, rateText(values[i].kept),
      rateText(values[i].lost)]),
  });
}

/* What no choice of states loses less than, and the choice. */
function budgetFrontier(parent, budget) {
  const points = budget.frontier;
  const [scale, unit] = unitFor(points.map((p) => p.loss), RATES);
  const at = (p) => ({x: (budget.base_uw + p.power_uw) / 1e6, y: p.loss / scale, of: p});
  const chosen = budget.fits ? [{power_uw: budget.power_uw, loss: budget.loss}] : [];
  const limit = {power_uw: budget.budget_uw - budget.base_uw};
  const most = Math.max(...points.map((p) => p.loss), 1) / scale;
  const sets = [
    {label: "frontier", color: COLORS[0], mark: MARKS[1], points: points.map(at), line: true},
    {label: "budget", color: COLORS[8], mark: MARKS[2], line: true,
      points: [0, most].map((y) => ({x: at({...limit, loss: 0}).x, y}))},
    {label: "the choice", color: COLORS[1], mark: MARKS[0], points: chosen.map(at)},
  ];
  const one = chart(parent, 380, "Power against loss", {
    type: "scatter",
    data: {datasets: sets.map((s) => ({...drawn(s), label: s.label, data: s.points,
      showLine: Boolean(s.line), borderWidth: 2, pointRadius: s.line ? 3 : 9,
      pointHoverRadius: 9, clip: false}))},
    options: {
      scales: {
        x: {title: {display: true, text: "power with all else, W"}, grace: "5%"},
        y: {title: {display: true, text: `lost, ${unit}`}, min: 0},
      },
      plugins: {tooltip: {callbacks: {label: ({dataset, raw}) =>
        `${dataset.label}: ${digits(raw.x, 6)} W, ${rateText(raw.y * scale)}`}}},
    },
  }, {
    heads: [["point", "text"], ["power of the drives"], ["with all else"], ["lost"]],
    rows: [...points.map((p, i) => [`frontier ${i + 1}`, p]),
      ...chosen.map((p) => ["the choice", p])].map(([name, p]) => [name, wattsText(p.power_uw),
      wattsText(budget.base_uw + p.power_uw), rateText(p.loss)]),
    marks: [...points.map(() => ""), ...chosen.map(() => "chosen")],
  }, true);
  switches(one, sets);
}

function showBudget(budget) {
  const main = document.getElementById("main");
  const groups = budgetGroups(budget.items);
  main.append(element("h2", {}, wattsText(budget.budget_uw)),
    element("p", {className: "note"}, [
      budget.base_uw ? `everything else takes ${wattsText(budget.base_uw)}` : "",
      `${budget.items.length.toLocaleString("en")} drives or cards by ${budget.power} power`]
      .filter(Boolean).join("; ")));
  if (!groups.length) {
    main.append(element("p", {}, "No drive is in this budget."));
    return;
  }
  budgetStates(titled(main, "States of the drives"), groups);
  const pair = element("div", {className: "charts"});
  main.append(pair);
  budgetBars(titled(pair, "Throughput"), groups);
  budgetFrontier(titled(pair, "What each watt buys",
    "No choice of states is below the line of the frontier."), budget);
  if (!budget.commands.length)
    return;
  const box = titled(main, "Commands that set it");
  for (const text of budget.commands)
    box.append(element("pre", {tabIndex: 0}, text));
}

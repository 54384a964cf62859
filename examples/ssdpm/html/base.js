/* SPDX-License-Identifier: MIT */
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);

/* A canvas knows no style sheet, and Chart.js keeps a color unless a function gives it. */
const theme = {};
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["page", "ink", "note", "rule", "busy", "idle", "transition", "sleep-0",
    "sleep-1", "sleep-2", "sleep-3", "sleep-4", "sleep-5"])
    theme[name] = style.getPropertyValue(`--${name}`).trim();
}

function redraw() {
  readTheme();
  for (const one of Object.values(Chart.instances)) {
    one.update("none");
    one.resize();
  }
}

/* A browser does not resize a canvas for paper: the charts take its width before. */
function printing(on) {
  document.documentElement.classList.toggle("print", on);
  redraw();
}
addEventListener("beforeprint", () => printing(true));
addEventListener("afterprint", () => printing(false));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

readTheme();
Chart.defaults.scale.ticks.color = Chart.defaults.scale.title.color = () => theme.note;
Chart.defaults.scale.grid.color = () => theme.rule;
Chart.defaults.devicePixelRatio = () =>
  Math.max(devicePixelRatio, document.documentElement.classList.contains("print") ? 2 : 1);
Chart.defaults.animation = false;
Chart.defaults.plugins.legend.display = false;
Chart.defaults.maintainAspectRatio = false;
Chart.defaults.font.family = "system-ui, sans-serif";

/* A number with three digits in the largest of the units that leaves 1. */
function scaled(value, units) {
  const size = Math.abs(value);
  let best = units[0];
  for (const unit of units)
    if (size >= unit[0] * 0.9995)
      best = unit;
  const number = value / best[0];
  const digits = Math.abs(number) < 9.995 ? 2 : Math.abs(number) < 99.95 ? 1 : 0;
  return `${parseFloat(number.toFixed(digits))}\u00a0${best[1]}`;
}
const TIMES = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"], [60e9, "min"], [3600e9, "h"],
  [86400e9, "d"]];
const POWERS = [[1, "µW"], [1e3, "mW"], [1e6, "W"]];
const RATES = [[1, "B/s"], [1024, "KiB/s"], [1024 ** 2, "MiB/s"], [1024 ** 3, "GiB/s"]];
const timeText = (ns) => ns === 0 ? "0" : scaled(ns, TIMES);
const powerText = (uw) => scaled(uw, POWERS);
const rateText = (bytes) => scaled(bytes, RATES);
const energyText = (nj) => scaled(nj, [[1, "nJ"], [1e3, "µJ"], [1e6, "mJ"], [1e9, "J"],
  [1e12, "kJ"], [1e15, "MJ"]]);
/* The unit once, where both ends have the same. */
function rangeText(low, high, text = powerText) {
  const [a, b] = [text(low), text(high)];
  const [number, unit] = a.split("\u00a0");
  return low === high ? "" : `${b.endsWith(`\u00a0${unit}`) ? number : a} to ${b}`;
}
const digits = (value, n = 3) => parseFloat(value.toPrecision(n));
const shareText = (part, whole) => whole ? `${digits(100 * part / whole)} %` : "-";
const sum = (values) => values.reduce((a, b) => a + b, 0);

/* The unit in which the largest of these values reads well. */
function unitFor(values, units) {
  const most = Math.max(...values.map(Math.abs), 0);
  return units.filter((u) => most >= u[0]).pop() || units[0];
}

function element(name, properties, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

/*
 * label: for those who hear it; heads: [text, class]; rows: arrays of cells, of
 * which the first names the row.
 * marks: of each row a word that singles it out, or nothing.
 */
function table(label, heads, rows, parent, marks = []) {
  const cell = (row, r) => (text, i) => {
    const node = element(i ? "td" : "th", {className: heads[i][1] || ""}, text);
    if (!i)
      node.scope = "row";
    if (!i && marks[r])
      node.append(" ", element("strong", {className: "mark"}, marks[r]));
    return node;
  };
  const body = rows.map((row, r) =>
    element("tr", {className: marks[r] ? "marked" : ""}, ...row.map(cell(row, r))));
  const head = element("tr", {}, ...heads.map(([text, kind]) =>
    element("th", {className: kind || "", scope: "col"}, text)));
  const grid = element("table", {className: heads.length > 11 ? "many" : ""},
    element("thead", {}, head), element("tbody", {}, ...body));
  const box = element("div", {className: "scroll", tabIndex: 0}, grid);
  box.setAttribute("role", "group");
  for (const one of [grid, box])
    one.setAttribute("aria-label", label);
  parent.append(box);
}

function titled(parent, text, note, level = "h3") {
  const box = element("section", {});
  if (text)
    box.append(element(level, {}, text));
  if (note)
    box.append(element("p", {className: "note"}, note));
  parent.append(box);
  return box;
}

/* The sentence that decides: the command has said it, and nothing here makes one. */
const verdictOf = (text) => element("p", {className: "verdict"}, text);

/* Names of a row: those of one table stand together. */
function name(row) {
  const more = row.policies.length - 1;
  return more ? `${row.policies[0]} (+${more})` : row.policies[0];
}

/* A text beside a chart has one line or two of this length: the middle is left out. */
const LINE = 22;
function lines(text) {
  if (text.length <= LINE)
    return [text];
  if (text.length > 2 * LINE)
    return [text.slice(0, LINE), `…${text.slice(1 - LINE)}`];
  const cut = [/- /g, /:/g, /[-_ ]/g].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((found) => found.index + found[0].length))
    .find((i) => i <= LINE && text.length - i <= LINE) ?? LINE;
  return [text.slice(0, cut), text.slice(cut)];
}

/* Lines that stand close together are small. */
const lineFont = (n, of = 2.6) => ({chart}) =>
  ({size: Math.min(12, (chart.height - 70) / n / of)});

/* SPDX-License-Identifier: MIT */
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
/* Each has a contrast of 3 on both pages, and differs most from those before it. */
const COLORS = ["#1e69a5", "#ff5a00", "#ff00ff", "#009600", "#c30f78", "#871eff", "#a587c3",
  "#965a1e", "#2d87ff", "#ff4ba5", "#969669", "#00785a", "#c300d2", "#0f96a5", "#e1002d",
  "#876987", "#b469ff", "#874bb4", "#005af0", "#c36978", "#6978c3", "#c36900", "#d24bb4",
  "#00a578"];
/* 5 marks and 24 colors have no common divisor: 120 pairs differ. */
const MARKS = [
  {point: "rectRot", turn: 0, dash: [], path: "M14 1L19 6 14 11 9 6Z"},
  {point: "circle", turn: 0, dash: [8, 3], path: "M9.5 6a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0"},
  {point: "triangle", turn: 0, dash: [2, 2], path: "M14 1.5L19 10H9Z"},
  {point: "rect", turn: 0, dash: [8, 2, 2, 2], path: "M10 2H18V10H10Z"},
  {point: "triangle", turn: 180, dash: [4, 4], path: "M14 10.5L9 2H19Z"},
];
const SLEEP = ["#9ecae1", "#84b6d7", "#6ba3cd", "#5490c4", "#407cba", "#2f68b0"];

/* One name has one look on the whole page. */
const looks = new Map();
function look(name) {
  if (!looks.has(name))
    looks.set(name, looks.size);
  const i = looks.get(name);
  return {color: COLORS[i % COLORS.length], mark: MARKS[i % MARKS.length]};
}
const rowLook = (row) => look(row.policies[0]);

/* What Chart.js calls the parts of a look. */
const drawn = ({color, mark}) => ({borderColor: color, backgroundColor: color,
  borderDash: mark.dash, pointStyle: mark.point, pointRotation: mark.turn});

/* A canvas knows no style sheet, and Chart.js keeps a color unless a function gives it. */
const theme = {};
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ink", "note", "rule"])
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
const timeText = (ns) => ns === 0 ? "0" : scaled(ns, TIMES);
const powerText = (uw) => scaled(uw, [[1, "µW"], [1e3, "mW"], [1e6, "W"]]);
const energyText = (nj) => scaled(nj, [[1, "nJ"], [1e3, "µJ"], [1e6, "mJ"], [1e9, "J"],
  [1e12, "kJ"], [1e15, "MJ"]]);
/* The unit once, where both ends have the same. */
function rangeText(low, high) {
  const [a, b] = [powerText(low), powerText(high)];
  const [number, unit] = a.split("\u00a0");
  return low === high ? "" : `${b.endsWith(`\u00a0${unit}`) ? number : a} to ${b}`;
}
const shareText = (part, whole) => whole ? `${parseFloat((100 * part / whole).toPrecision(3))} %` : "-";
const sum = (values) => values.reduce((a, b) => a + b, 0);

function element(name, properties, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

function table(heads, rows, parent) {
  const body = rows.map((row) => element("tr", {}, ...row.map((cell, i) =>
    element("td", {className: heads[i][1] || ""}, cell))));
  const head = element("tr", {}, ...heads.map(([text, kind]) =>
    element("th", {className: kind ? "text" : ""}, text)));
  parent.append(element("div", {className: "scroll"}, element("table", {},
    element("thead", {}, head), element("tbody", {}, ...body))));
}

function chart(parent, height, label, config) {
  const canvas = element("canvas", {});
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", label);
  const box = element("div", {className: "chart"}, canvas);
  box.style.height = `${height}px`;
  parent.append(box);
  parent.classList.add("whole");
  return new Chart(canvas, config);
}

function titled(parent, text, note) {
  const box = element("section", {}, element("h3", {}, text));
  if (note)
    box.append(element("p", {className: "note"}, note));
  parent.append(box);
  return box;
}

/* Names of a row: those of one table stand together. */
function name(row) {
  const more = row.policies.length - 1;
  return more ? `${row.policies[0]} (+${more})` : row.policies[0];
}

/* A text beside a chart has one line or two of this length: the middle is left out. */
const LINE = 22;
function lines(text) {
  if (text.length <= LINE)
    return text;
  if (text.length > 2 * LINE)
    return [text.slice(0, LINE), `…${text.slice(1 - LINE)}`];
  const cut = [/- /g, /:/g, /[-_ ]/g].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((found) => found.index + found[0].length))
    .find((i) => i <= LINE && text.length - i <= LINE) ?? LINE;
  return [text.slice(0, cut), text.slice(cut)];
}

/* Lines that stand close together are small. */
const lineFont = (n) => ({chart}) => ({size: Math.min(12, (chart.height - 70) / n / 2.6)});

/* From the low to the high end of each point, and a line where nothing differs. */
const whiskers = {
  id: "whiskers",
  afterDatasetsDraw(chart) {
    const {ctx, scales, chartArea} = chart;
    ctx.save();
    ctx.lineWidth = 2;
    for (const point of chart.data.datasets[0].data) {
      const y = scales.y.getPixelForValue(point.y);
      ctx.strokeStyle = point.color || theme.ink;
      ctx.beginPath();
      ctx.moveTo(scales.x.getPixelForValue(point.low), y);
      ctx.lineTo(scales.x.getPixelForValue(point.high), y);
      for (const x of [point.low, point.high]) {
        ctx.moveTo(scales.x.getPixelForValue(x), y - 5);
        ctx.lineTo(scales.x.getPixelForValue(x), y + 5);
      }
      ctx.stroke();
    }
    const zero = scales.x.getPixelForValue(0);
    if (zero >= chartArea.left && zero <= chartArea.right) {
      ctx.strokeStyle = theme.ink;
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(zero, chartArea.top);
      ctx.lineTo(zero, chartArea.bottom);
      ctx.stroke();
    }
    ctx.restore();
  },
};

/* Rows of a name, a middle and an interval. */
function intervals(parent, label, kind, rows, zero) {
  const [scale, unit] = unitFor(rows.flatMap((r) => [r.low, r.high]), kind.units);
  const ends = rows.flatMap((r) => [r.low / scale, r.high / scale]);
  const room = (Math.max(...ends) - Math.min(...ends)) * 0.08 || 1;
  const least = Math.min(...ends) - room;
  const most = Math.max(...ends) + room;
  return chart(parent, 70 + 44 * rows.length, label, {
    type: "scatter",
    data: {datasets: [{
      data: rows.map((r, i) => ({x: r.mid / scale, y: i, low: r.low / scale,
        high: r.high / scale, color: r.color, row: r})),
      pointBackgroundColor: ({raw}) => raw && (raw.color || theme.ink),
      pointRadius: 5, pointHoverRadius: 7,
    }]},
    options: {
      scales: {
        x: {min: zero ? Math.min(least, -room) : least, max: zero ? Math.max(most, room) : most,
          title: {display: true, text: unit},
          ticks: {includeBounds: false, maxTicksLimit: 7, maxRotation: 0,
            callback: (v) => parseFloat(v.toPrecision(4))}},
        y: {min: -0.6, max: rows.length - 0.4, reverse: true, grid: {display: false},
          ticks: {stepSize: 1, autoSkip: false, includeBounds: false, font: lineFont(rows.length),
            callback: (v) => Number.isInteger(v) && rows[v] ? lines(rows[v].label) : null}},
      },
      plugins: {tooltip: {callbacks: {label: ({raw}) =>
        `${raw.row.label}: ${kind.text(raw.row.mid)} (` +
        `${kind.text(raw.row.low)} to ${kind.text(raw.row.high)})`}}},
    },
    plugins: [whiskers],
  });
}

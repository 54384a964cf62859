/* SPDX-License-Identifier: MIT */
/* Each has a contrast of 3 on both pages, and differs most from those before it. */
const COLORS = ["#1e69a5", "#ff5a00", "#ff00ff", "#009600", "#c30f78", "#871eff", "#a587c3",
  "#965a1e", "#2d87ff", "#ff4ba5", "#969669", "#00785a", "#c300d2", "#0f96a5", "#e1002d",
  "#876987", "#b469ff", "#874bb4", "#005af0", "#c36978", "#6978c3", "#c36900", "#d24bb4",
  "#00a578"];
/* 7 marks and 24 colors have no common divisor. */
const MARKS = [
  {point: "rectRot", turn: 0, dash: [], path: "M14 1L19 6 14 11 9 6Z"},
  {point: "circle", turn: 0, dash: [8, 3], path: "M9.5 6a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0"},
  {point: "triangle", turn: 0, dash: [2, 2], path: "M14 1.5L19 10H9Z"},
  {point: "rect", turn: 0, dash: [8, 2, 2, 2], path: "M10 2H18V10H10Z"},
  {point: "triangle", turn: 180, dash: [4, 4], path: "M14 10.5L9 2H19Z"},
  {point: "triangle", turn: 90, dash: [12, 3], path: "M18.5 6L10 1V11Z"},
  {point: "triangle", turn: 270, dash: [12, 3, 2, 3], path: "M9.5 6L18 1V11Z"},
];

/* Names that ssdpm gives: each has a look of its own, on every page. */
const NAMED = new Map(["linux", "lower-envelope", "windows:balanced:battery", "none", "today",
  "latency-limit", "windows:performance:ac", "linux-legacy", "windows:balanced:ac",
  "windows:modern-standby:ac", "raw-table", "nvme-core", "windows:power-saver:ac",
  "windows:power-saver:battery", "windows:performance:battery",
  "windows:modern-standby:battery"].map((name, at) => [name, at]));
/* Those of SATA links have colors of NVMe's, with other marks: no drive has both. */
const LINKS = {"max_performance": 1, "medium_power": 0, "med_power_with_dipm": 2,
  "min_power_with_partial": 7, "min_power": 6, "keep_firmware_settings": 10};
for (const [name, at] of Object.entries(LINKS))
  NAMED.set(name, COLORS.length + at);

/* The same number for the same text, on every page (FNV-1a). */
function hash(text) {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text))
    value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}

/* The color of a name is the same on every page; its mark tells it from others of one color. */
const looks = new Map();
function look(name) {
  const word = String(name).replace(/^lpm=/, "");
  if (looks.has(word))
    return looks.get(word);
  let at = NAMED.get(word);
  if (at === undefined) {
    const taken = new Set([...NAMED.values(), ...[...looks.values()].map((one) => one.at)]);
    at = hash(word) % COLORS.length;
    while (taken.has(at) && at < COLORS.length * (MARKS.length - 1))
      at += COLORS.length;
    /* All marks of its color are taken: another color, as long as there is one. */
    while (taken.has(at) && taken.size < COLORS.length * MARKS.length)
      at = (at + 1) % (COLORS.length * MARKS.length);
  }
  const one = {at, color: COLORS[at % COLORS.length], mark: MARKS[at % MARKS.length]};
  looks.set(word, one);
  return one;
}
const rowLook = (row) => look(row.policies[0]);

/* What Chart.js calls the parts of a look. */
const drawn = ({color, mark}) => ({borderColor: color, backgroundColor: color,
  borderDash: mark.dash, pointStyle: mark.point, pointRotation: mark.turn});

/* An area of a style sheet's color: --sleep-0 to --sleep-5 are ever farther from the page's. */
const areaClass = (key, label, color) =>
  ({key, label, color: `var(--${color})`, fill: () => theme[color]});

/* A square, or a line with a mark. */
function swatch({color, mark}) {
  const path = (more) => `<path ${more}/>`;
  const line = mark ? path(`d="M0 6H28" stroke="${color}" stroke-width="2" ` +
    `stroke-dasharray="${mark.dash.join(" ")}"`) : "";
  const area = path(`d="${mark ? mark.path : "M0 0H12V12H0Z"}" fill="${color}"`);
  const svg = `<svg width="${mark ? 28 : 12}" height="12" aria-hidden="true">${line}${area}</svg>`;
  return element("template", {innerHTML: svg}).content.firstChild;
}

function key(parent, shown) {
  parent.append(element("div", {className: "key"}, ...shown.map((c) =>
    element("span", {}, swatch(c), c.label))));
}

/* The key of a chart with a line or a point for each name: a click hides or shows it. */
function switches(one, entries) {
  const button = (set, i) => {
    const entry = element("button", {type: "button"}, swatch(entries[i]), set.label);
    entry.setAttribute("aria-pressed", true);
    entry.addEventListener("click", () => {
      one.setDatasetVisibility(i, !one.isDatasetVisible(i));
      entry.setAttribute("aria-pressed", one.isDatasetVisible(i));
      one.update();
    });
    return entry;
  };
  one.canvas.closest("section").append(element("div", {className: "key"},
    ...one.data.datasets.map(button)));
}

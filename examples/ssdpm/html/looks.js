/* SPDX-License-Identifier: MIT */
/*
 * From looks.json, which pages and plots of Python share. Each color has a contrast of
 * 3 on both pages, and differs most from those before it. 7 marks and 24 colors have
 * no common divisor. Names that ssdpm gives have a number each; those of SATA links
 * have colors of NVMe's, with other marks: no drive has both.
 */
const {colors: COLORS, marks: MARKS, names: NAMES} = @LOOKS@;
const NAMED = new Map(Object.entries(NAMES));

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

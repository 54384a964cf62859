/* SPDX-License-Identifier: MIT */
/* What follows a chart: buttons that zoom in on a part of its time, or of its values. */
function zoomable(one, box, label) {
  const x = one.options.scales.x;
  const isLog = x.type === "logarithmic";
  const [to, from] = isLog ? [Math.log10, (v) => 10 ** v] : [Number, Number];
  const own = {min: x.min, max: x.max};
  const [least, most] = [to(one.scales.x.min), to(one.scales.x.max)];
  const shown = () => [to(one.scales.x.min), to(one.scales.x.max)];
  const show = (low, high) => {
    const width = Math.min(high - low, most - least);
    const begin = Math.min(Math.max(low, least), most - width);
    const isWhole = width >= (most - least) * 0.999;
    /* Each update makes new options of those before. */
    const now = one.options.scales.x;
    now.min = isWhole ? own.min : from(begin);
    now.max = isWhole ? own.max : from(begin + width);
    one.update("none");
  };
  const scale = (factor) => {
    const [low, high] = shown();
    const half = (high - low) * factor / 2;
    show((low + high) / 2 - half, (low + high) / 2 + half);
  };
  const move = (share) => {
    const [low, high] = shown();
    show(low + share * (high - low), high + share * (high - low));
  };
  const button = (text, what, action) => {
    const node = element("button", {type: "button", title: what}, text);
    node.setAttribute("aria-label", `${what}: ${label}`);
    node.addEventListener("click", action);
    return node;
  };
  const group = element("div", {className: "zoom"},
    button("+", "Zoom in", () => scale(0.5)), button("−", "Zoom out", () => scale(2)),
    button("←", "Move left", () => move(-0.25)), button("→", "Move right", () => move(0.25)),
    button("all", "Show all", () => show(least, most)));
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", `Zoom of ${label}`);
  box.after(group);
  selectable(one, box, (a, b) => show(to(a), to(b)));
}

/* A mouse that is drawn over a part of a chart shows that part alone. */
function selectable(one, box, show) {
  let begin = null;
  const mark = element("div", {className: "selected"});
  const at = (event) => {
    const left = event.clientX - one.canvas.getBoundingClientRect().left;
    return Math.min(Math.max(left, one.chartArea.left), one.chartArea.right);
  };
  one.canvas.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button)
      return;
    begin = at(event);
    one.canvas.setPointerCapture(event.pointerId);
    box.append(mark);
    mark.style.width = 0;
  });
  one.canvas.addEventListener("pointermove", (event) => {
    if (begin === null)
      return;
    mark.style.left = `${Math.min(begin, at(event))}px`;
    mark.style.width = `${Math.abs(begin - at(event))}px`;
  });
  one.canvas.addEventListener("pointerup", (event) => {
    if (begin === null)
      return;
    const ends = [begin, at(event)].sort((a, b) => a - b);
    begin = null;
    mark.remove();
    if (ends[1] - ends[0] > 8)
      show(...ends.map((px) => one.scales.x.getValueForPixel(px)));
  });
}

let nTables = 0;

/*
 * A picture with its numbers behind it, for those who cannot see it or want to
 * read them: numbers has heads and rows as table() takes them. zoom: the x axis
 * can show a part.
 */
function chart(parent, height, label, config, numbers, zoom = false) {
  const canvas = element("canvas", {});
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", label);
  const box = element("div", {className: "chart"}, canvas);
  const behind = element("details", {className: "numbers", id: `numbers-${++nTables}`},
    element("summary", {}, `Numbers: ${label}`));
  canvas.setAttribute("aria-details", behind.id);
  table(label, numbers.heads, numbers.rows, behind, numbers.marks);
  box.style.height = `${height}px`;
  parent.append(box, behind);
  parent.classList.add("whole");
  const one = new Chart(canvas, config);
  if (zoom)
    zoomable(one, box, label);
  return one;
}

/* From the low to the high end of each point, and a line where nothing differs. */
const whiskers = {
  id: "whiskers",
  beforeDatasetsDraw(chart) {
    const {ctx, scales, chartArea} = chart;
    ctx.save();
    const zero = scales.x.getPixelForValue(0);
    if (zero >= chartArea.left && zero <= chartArea.right) {
      ctx.strokeStyle = theme.ink;
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(zero, chartArea.top);
      ctx.lineTo(zero, chartArea.bottom);
      ctx.stroke();
    }
    ctx.lineWidth = 2;
    for (const point of chart.data.datasets[0].data) {
      const y = scales.y.getPixelForValue(point.y);
      ctx.strokeStyle = point.row.look ? point.row.look.color : theme.ink;
      ctx.beginPath();
      ctx.moveTo(scales.x.getPixelForValue(point.low), y);
      ctx.lineTo(scales.x.getPixelForValue(point.high), y);
      for (const x of [point.low, point.high]) {
        ctx.moveTo(scales.x.getPixelForValue(x), y - 5);
        ctx.lineTo(scales.x.getPixelForValue(x), y + 5);
      }
      ctx.stroke();
    }
    ctx.restore();
  },
};

/* A label for each row, with its text below; those with a mark stand out. */
function rowScale(rows) {
  const size = lineFont(rows.length, 3.7);
  const marked = ({tick}) => tick && (rows[tick.value] || {}).mark;
  return {min: -0.6, max: rows.length - 0.4, reverse: true, grid: {display: false},
    ticks: {stepSize: 1, autoSkip: false, includeBounds: false,
      color: (context) => marked(context) ? theme.ink : theme.note,
      font: (context) => ({...size(context), weight: marked(context) ? "bold" : "normal"}),
      callback: (v) => Number.isInteger(v) && rows[v] ?
        [...lines(rows[v].label), ...(rows[v].text ? [rows[v].text] : [])] : null}};
}

/*
 * Rows of a label, a middle and an interval, in the look of a policy where the
 * row has one; text: what is decided of it, in words; open: nothing is. kind:
 * the units. zero: the line of no difference belongs to it.
 */
function intervals(parent, label, kind, rows, zero, numbers, axis = (unit) => unit) {
  const [scale, unit] = unitFor(rows.flatMap((r) => [r.low, r.high]), kind.units);
  const ends = rows.flatMap((r) => [r.low / scale, r.high / scale]);
  const room = (Math.max(...ends) - Math.min(...ends)) * 0.08 || 1;
  const least = Math.min(...ends) - room;
  const most = Math.max(...ends) + room;
  const color = ({raw}) => raw && raw.row.look ? raw.row.look.color : theme.ink;
  return chart(parent, 70 + 48 * rows.length, label, {
    type: "scatter",
    data: {datasets: [{
      data: rows.map((r, i) => ({x: r.mid / scale, y: i, low: r.low / scale,
        high: r.high / scale, row: r})),
      pointBackgroundColor: (point) => point.raw && point.raw.row.open ? theme.page : color(point),
      pointBorderColor: color, pointBorderWidth: 2,
      pointStyle: ({raw}) => raw && raw.row.look ? raw.row.look.mark.point : "circle",
      pointRotation: ({raw}) => raw && raw.row.look ? raw.row.look.mark.turn : 0,
      pointRadius: 6, pointHoverRadius: 8,
    }]},
    options: {
      scales: {
        x: {min: zero ? Math.min(least, -room) : least, max: zero ? Math.max(most, room) : most,
          title: {display: true, text: axis(unit)},
          ticks: {includeBounds: false, maxTicksLimit: 7, maxRotation: 0,
            callback: (v) => digits(v, 4)}},
        y: rowScale(rows),
      },
      plugins: {tooltip: {callbacks: {label: ({raw}) =>
        `${raw.row.label}: ${kind.text(raw.row.mid)} (` +
        `${kind.text(raw.row.low)} to ${kind.text(raw.row.high)})`}}},
    },
    plugins: [whiskers],
  }, numbers);
}

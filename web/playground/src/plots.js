// Curves over time: energy, momentum, residuals. With two panes, the same quantity of both in one picture.
import uPlot from "uplot";

const FLOOR = 1e-9;    // residuals below this are not drawn: their axis is logarithmic
const MOST = 700;      // points of a curve that are drawn

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const positive = (v) => (v > FLOOR ? v : null);
const MOST_KINDS = 4;  // that have a curve each: those with most constraints
const COLORS = ["--accent", "--second", "--good", "--ink"];

// The largest error of a kind as a share of the size of its constraint; of angles in rad. Kinds have different units: no curve mixes them.
const relative = (name) => (report) => positive(report.kinds.find((k) => k[0] === name)?.[4] ?? 0);
const frequent = (kinds) => [...kinds].sort((a, b) => b[3] - a[3]).map((k) => k[0]);

const charts = [
  {
    id: "energy", title: "Energy", unit: "J", log: false,
    single: [
      ["total", "--ink", (r, start) => r.energy - start.potential],
      ["kinetic", "--accent", (r) => r.kinetic],
      ["potential", "--second", (r, start) => r.potential - start.potential],
      ["elastic", "--good", (r) => r.elastic],
    ],
    both: (r, start) => r.energy - start.potential,
  },
  {
    id: "momentum", title: "Momentum", unit: "kg m/s", log: false,
    single: [["linear", "--accent", (r) => r.momentum], ["angular, kg m²/s", "--second", (r) => r.angular]],
    both: (r) => r.momentum,
  },
  {
    id: "residual", title: "Error", unit: "of its size; angles rad", log: true,
    byKind: true,
  },
];

function axis(extra) {
  const filter = extra.filter ? { filter: extra.filter } : {};
  return { stroke: style("--soft"), grid: { stroke: style("--line"), width: 1, ...filter }, ticks: { stroke: style("--line"), width: 1, size: 4, ...filter }, font: `11px ${style("--sans")}`, ...extra };
}

// Of a logarithmic axis only powers of ten, and of those at most five.
function powers(u, splits) {
  const power = splits.map((v) => (v > 0 && Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-6 ? Math.round(Math.log10(v)) : null));
  const step = Math.max(1, Math.ceil(power.filter((p) => p !== null).length / 5));
  return splits.map((v, i) => (power[i] !== null && power[i] % step === 0 ? v : null));
}

// Labels of ticks with as many digits as it takes to tell them apart.
export function labels(values, unit = "") {
  const given = values.filter((v) => v !== null);
  for (let digits = 4; ; ++digits) {
    const made = given.map((v) => (v === 0 ? "0" : Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3 ? v.toExponential(digits - 4) : String(+v.toPrecision(digits))));
    if (new Set(made).size === new Set(given).size || digits >= 12) return values.map((v) => (v === null ? "" : made[given.indexOf(v)] + unit));
  }
}

export class Plots {
  constructor(element) {
    this.element = element;
    this.cursor = 0;
    this.build(false);
  }

  // kinds: of the report, of which the most frequent have curves of their errors.
  build(split, kinds = this.kinds) {
    this.split = split;
    this.kinds = kinds || [];
    for (const plot of this.plots || []) plot.chart.destroy();
    this.element.textContent = "";
    this.plots = charts.map((chart) => this.make(chart, split));
    this.data = null;
  }

  make(chart, split) {
    const series = chart.byKind ? this.errors(split) : split ? [["A", "--accent", chart.both], ["B", "--second", chart.both]] : chart.single;
    const figure = document.createElement("figure");
    figure.className = "plot";
    figure.id = `plot-${chart.id}`;
    figure.innerHTML = `<figcaption><b>${chart.title}</b> <span>${chart.unit}</span> ${series.map(([name, color]) => `<i style="--c:var(${color})">${name}</i>`).join("")}</figcaption>`;
    this.element.append(figure);
    const made = new uPlot({
      width: Math.max(180, this.element.clientWidth || 280), height: 112, legend: { show: false }, cursor: { show: true, drag: { x: false, y: false }, points: { size: 5 } },
      scales: { x: { time: false }, y: chart.log ? { distr: 3 } : {} },
      axes: [axis({ size: 26, values: (u, v) => labels(v, " s") }), axis({ size: 48, space: 24, ...(chart.log ? { filter: powers } : {}), values: (u, v) => labels(v) })],
      series: [{}, ...series.map(([label, color]) => ({ label, stroke: style(color), width: 1.6, points: { show: false } }))],
      hooks: { draw: [(u) => this.drawNow(u)] },
    }, series.map(() => []).concat([[]]), figure);
    made.ctx.canvas.setAttribute("role", "img");
    made.ctx.canvas.setAttribute("aria-label", `${chart.title} over time`);
    return { chart: made, series, figure };
  }

  errors(split) {
    const names = frequent(this.kinds).slice(0, split ? 1 : MOST_KINDS);
    if (split) return ["A", "B"].map((side, i) => [`${side} ${names[0] || ""}`, COLORS[i], relative(names[0])]);
    return names.length ? names.map((name, i) => [name, COLORS[i], relative(name)]) : [["none", COLORS[0], () => null]];
  }

  // A line at the time that is shown.
  drawNow(u) {
    const x = Math.round(u.valToPos(this.cursor, "x", true));
    if (!(x >= u.bbox.left && x <= u.bbox.left + u.bbox.width)) return;
    u.ctx.save();
    u.ctx.strokeStyle = style("--soft");
    u.ctx.setLineDash([3, 3]);
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  // rows: for each pane the curves of its time line.
  update(rows, cursor) {
    this.cursor = cursor;
    if (!rows.length || !rows[0].length) return;
    if (rows.length > 1 !== this.split) this.build(rows.length > 1);
    const length = Math.max(...rows.map((r) => r.length));
    const step = Math.max(1, Math.ceil(length / MOST));
    const longest = rows.find((r) => r.length === length);
    const picked = [];
    for (let i = 0; i < length; i += step) picked.push(i);
    if (picked[picked.length - 1] !== length - 1) picked.push(length - 1);
    const times = picked.map((i) => longest[i].time);
    for (const { chart, series, figure } of this.plots) {
      const columns = series.map(([, , value], s) => {
        const own = rows[this.split ? s : 0];
        return picked.map((i) => {
          const v = own[i] ? value(own[i].report, own[0].report) : null;
          return v !== null && Number.isFinite(v) ? v : null;
        });
      });
      figure.classList.toggle("empty", columns.every((column) => column.every((v) => v === null)));
      chart.setData([times, ...columns]);
    }
  }

  resize() {
    const width = this.element.clientWidth;
    if (width > 50) for (const { chart } of this.plots) chart.setSize({ width, height: 112 });
  }

  retheme() {
    this.build(this.split);
  }
}

// A look at one thing: its name, mass, speed, what pulls at it and what is missed, with a curve of it; and layers that show what the engine sees.
import { Tool } from "./tool.js";

const quantities = {
  speed: ["Speed", "m/s", (w) => Math.hypot(...w.velocity)],
  force: ["Force", "N", (w) => w.force],
  error: ["Error", null, (w) => w.error],
};
const WIDTH = 240, HEIGHT = 64, MOST = 600;   // px, px, frames
const layers = [["particles", "Particles"], ["constraints", "Rods"], ["anchors", "Anchors"], ["contacts", "Contacts"], ["velocities", "Velocities"], ["strain", "Strain"], ["islands", "Islands"]];

export class Inspect extends Tool {
  choices = layers;
  several = true;   // any of them at once
  shown = "speed";

  begin() {
    this.card = document.getElementById("inspect");
    this.card.onclick = (event) => {
      const { quantity, close } = event.target.dataset;
      if (quantity) { this.shown = quantity; this.fill(true); }
      if (close !== undefined) this.forget();
    };
  }

  chosen(id) {
    return this.app.layers.includes(id) || (id === "anchors" && this.app.layers.includes("axes"));
  }

  // One layer on or off. Of the colours there is one.
  choose(id) {
    const more = { contacts: ["contacts", "forces"], anchors: ["anchors", "axes"], strain: ["strain", "constraints"], islands: ["islands", "particles", "shapes"] }[id] || [id];
    const on = !this.chosen(id), colours = ["strain", "islands", "tiles", "batches"];
    let now = this.app.layers.filter((name) => !more.includes(name));
    if (on && colours.includes(id)) now = now.filter((name) => !colours.includes(name));
    this.app.setLayers(on ? [...now, ...more] : now);
  }

  down(event) {
    this.from = this.app.hands.find(event);
    return Boolean(this.from);
  }

  async up() {
    const { from } = this;
    this.cancel();
    try {
      const what = await this.identify(from);
      if (!what?.pick) return;
      this.what = { ...what, pane: from.pane, start: from.pane.start };
      await from.pane.engine.call("watch", { hit: { particle: what.pick.particle, body: what.pick.body } });
      if (!this.app.playing) { await from.pane.look(); this.app.show(this.app.last); }
      this.card.hidden = false;
      this.fill(true);
    } catch (error) {
      this.app.say(error.message);
    }
  }

  async forget() {
    const { what } = this;
    this.what = null;
    this.card.hidden = true;
    if (what && what.start === what.pane.start) await what.pane.engine.call("watch", { hit: null });
  }

  end() {
    this.cancel();
    this.forget();
  }

  tick() {
    if (!this.what) return;
    if (this.what.pane.start !== this.what.start) { this.forget(); return; }   // another scene
    this.fill(false);
  }

  fill(all) {
    const { what } = this, { pane } = what, watched = pane.picture?.watched;
    if (!all && this.drawn === pane.picture) return;
    this.drawn = pane.picture;
    const number = (v) => (Math.abs(v) >= 1e4 || (v && Math.abs(v) < 1e-3) ? v.toExponential(2) : +v.toPrecision(3));
    const rows = !watched ? [["", "it is gone"]] : [
      ["mass", what.kind === "object" ? `${number(what.mass)} kg, here ${watched.mass === Infinity ? "held" : `${number(watched.mass)} kg`}` : watched.mass === Infinity ? "held" : `${number(watched.mass)} kg`],
      ["speed", `${number(Math.hypot(...watched.velocity))} m/s`],
      ["constraints", watched.constraints],
      ["largest force", watched.constraints ? `${number(watched.force)} N, ${watched.forceKind.replace(/_/g, " ")}` : "none"],
      ["all together", `${number(Math.hypot(...watched.sum))} N`],
      ["largest error", watched.constraints ? `${number(watched.error)} ${watched.errorUnit}, ${watched.errorKind.replace(/_/g, " ")}` : "none"],
    ];
    const part = what.pick.body < 0 ? `, particle ${what.pick.particle}` : "";
    const key = JSON.stringify([what.name, part, this.shown]);
    if (this.made !== key || all) {
      this.made = key;
      this.card.innerHTML = `<div class="drawer-head"><h2></h2><span class="grow"></span><button data-close aria-label="Close">✕</button></div><dl></dl>
        <div class="quantities" role="group" aria-label="Curve of">${Object.entries(quantities).map(([id, [name]]) => `<button data-quantity="${id}" aria-pressed="${id === this.shown}">${name}</button>`).join("")}</div>
        <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"><polyline/></svg><p class="range"></p>`;
      this.card.querySelector("h2").textContent = `${what.name}${part}`;
    }
    this.card.querySelector("dl").innerHTML = rows.map(([k, v]) => `<dt>${k}</dt><dd>${v}</dd>`).join("");
    this.curve(pane);
  }

  curve(pane) {
    const [name, unit, of] = quantities[this.shown];
    const rows = pane.timeline.frames.filter((picture) => picture.watched).slice(-MOST), values = rows.map((picture) => of(picture.watched)).map((v) => (Number.isFinite(v) ? v : 0));
    const most = Math.max(...values, 1e-12), from = rows[0]?.frame ?? 0, to = Math.max(from + 1, rows[rows.length - 1]?.frame ?? 1);
    const points = values.map((v, i) => `${(((rows[i].frame - from) / (to - from)) * WIDTH).toFixed(1)},${(HEIGHT - 3 - (v / most) * (HEIGHT - 8)).toFixed(1)}`);
    this.card.querySelector("polyline").setAttribute("points", points.join(" "));
    this.card.querySelector("svg").setAttribute("aria-label", `${name} over time`);
    this.card.querySelector(".range").textContent = values.length > 1 ? `up to ${+most.toPrecision(3)} ${unit ?? rows[rows.length - 1].watched.errorUnit}, frames ${from} to ${to}` : "The curve comes as it plays";
  }
}

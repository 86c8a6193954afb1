// The toolbar, and the tools that act on what is there: throw, pin, wind, explode, delete, copy; undo and redo. It is loaded after the first picture.
// A tool has the pointer while it is chosen: down says whether it takes it (otherwise the camera has it), then come move, and up or cancel. Those that build are in build_tools.js.
import { Vector3 } from "three";
import { Add, Connect } from "./build_tools.js";
import { Inspect } from "./inspect.js";
import { icons } from "./icons.js";
import { Overlay } from "./overlay.js";
import { Tool, numbers } from "./tool.js";

const SHORT = 6;   // px: a pointer that moved less was a click

// Does something to a thing that is clicked.
class Click extends Tool {
  down(event) {
    this.from = this.app.hands.find(event, this.obstacles);
    if (!this.from) return false;
    Object.assign(this.from, { x: event.clientX, y: event.clientY });
    return true;
  }

  async up(event) {
    const { from } = this;
    this.cancel();
    if (!from || this.far(event, from) > 3 * SHORT) return;
    try {
      await this.app.branch();
      await this.act(from);
    } catch (error) {
      this.app.say(error.message);
    }
  }
}

// ---- The tools ------------------------------------------------------------------------------------------------------------

class Pin extends Click {
  act(from) {
    return this.app.hands.togglePin(from);
  }
}

class Delete extends Click {
  obstacles = true;

  async act(from) {
    const what = await this.identify(from);
    if (!what) return;
    if (await this.app.edit(from.pane, "remove", [what.name])) this.app.say(`${what.name} is gone`);
  }
}

// A ball flies from the eye to what is clicked; in the plane it flies along the line that is drawn.
class Throw extends Tool {
  down(event) {
    this.from = this.place(event);
    return this.from.thing || this.from.pane.model.dimensions === 2;
  }

  move(event) {
    if (this.from.pane.model.dimensions === 2) this.overlay.arrow(this.from, event);
  }

  async up(event) {
    const { from } = this, { pane, point } = from, { view } = pane, flat = pane.model.dimensions === 2;
    const to = this.along(event, from);
    this.cancel();
    const speed = 2.6 * Math.sqrt(9.81 * Math.max(0.3, view.size)), radius = +(0.04 * view.size).toPrecision(3);
    let start = point, velocity;
    if (flat) velocity = to.clone().sub(point).divideScalar(Math.max(1e-9, 0.5 * view.size)).clampLength(0.2, 1.5).multiplyScalar(speed);
    else {
      const { origin, direction } = this.stage.ray(from.pointer), far = origin.distanceTo(point), way = Math.min(far, 1.2 * view.size);
      start = point.clone().addScaledVector(direction, -way);
      velocity = direction.clone().multiplyScalar(speed);
      velocity.y += 0.5 * 9.81 * (way / speed);   // it falls on the way
    }
    const name = this.tools.name(pane, "ball");
    const ball = { name, position: numbers(start), velocity: numbers(velocity), density: 1500, shapes: { type: "sphere", radius } };
    await this.app.branch();
    if (await this.app.command(pane, "throw", [{ bodies: [...this.tools.ground(pane), ball] }])) this.app.play(true);
  }
}

// Air that goes with the pointer carries along what is under it.
class Wind extends Tool {
  reach = 0.14;   // of the scene's size

  down(event) {
    this.from = this.place(event);
    this.last = { time: performance.now(), point: this.from.point.clone() };
    this.velocity = new Vector3();
    this.blowing = false;
    this.app.branch().then(() => this.app.play(true));
    this.draw(event);
    return true;
  }

  move(event) {
    this.now = { event, point: this.along(event, this.from) };
    this.draw(event);
  }

  // Once for each picture: the air takes on the velocity of the pointer, and loses it when that rests.
  tick() {
    if (!this.from) return;
    const { pane } = this.from, time = performance.now(), passed = Math.max(0.008, (time - this.last.time) / 1000);
    const point = this.now?.point || this.last.point, most = 4 * Math.sqrt(9.81 * pane.view.size);
    const speed = point.clone().sub(this.last.point).divideScalar(passed).clampLength(0, most);
    this.velocity.lerp(speed, Math.min(1, passed * 12));
    this.last = { time, point: point.clone() };
    if (this.velocity.length() < 0.02 * most && !this.blowing) return;
    const { pointer } = this.now ? this.stage.locate(this.now.event, this.from.index) : this.from;
    const { origin, direction } = this.stage.ray(pointer);
    this.blowing = true;
    pane.command("gust", [numbers(origin), numbers(direction), numbers(this.velocity.clone().multiplyScalar(1.5)), +(this.reach * pane.view.size).toPrecision(3)]).then(() => this.app.touched(pane), (error) => this.app.say(error.message));
  }

  draw(event) {
    const { pane } = this.from, distance = this.stage.camera.position.distanceTo(this.from.point);
    this.overlay.ring(event, (this.reach * pane.view.size) / this.stage.pixel(distance), "soft");
    this.overlay.trail(event);
  }

  up() {
    this.stop();
  }

  cancel() {
    this.stop();
  }

  stop() {
    if (this.from && this.blowing) this.from.pane.command("calm", []).catch(() => {});
    this.from = this.now = null;
    this.overlay.clear();
  }
}

// What a line that is drawn passes over is cut, however deep: cloth, ropes, rods.
class Cut extends Tool {
  down(event) {
    this.from = { ...this.stage.locate(event), x: event.clientX, y: event.clientY };
    return true;
  }

  move(event) {
    this.overlay.line(this.from, event);
  }

  // The blade: what is seen from the eye at this place of the screen, from before the scene to behind it.
  edge(pointer, pane) {
    if (pane.model.dimensions === 2) {
      const at = this.stage.inPlane(pointer, new Vector3(0, 0, 0), true);
      return [[at.x, at.y, -1], [at.x, at.y, 1]];
    }
    const { origin, direction } = this.stage.ray(pointer), far = origin.distanceTo(this.stage.controls.target) + 4 * pane.view.size;
    return [0.01 * far, far].map((t) => numbers(origin.clone().addScaledVector(direction, t)));
  }

  async up(event) {
    const { from } = this, { pane } = from, short = this.far(event, from) < SHORT;
    this.cancel();
    if (short) return this.app.say("Draw a line across what is to be cut");
    const [a, b] = this.edge(from.pointer, pane), [toA, toB] = this.edge(this.stage.locate(event, from.index).pointer, pane);
    await this.app.branch();
    const answer = await this.app.edit(pane, "cut", [a, b, toA, toB]);
    if (!answer) return;
    const { inserted, split, removed, left } = answer.done;
    this.app.say(split ? `Cut through ${inserted + split} places` : left ? `Cut off ${left} particles` : removed ? `${removed} ${removed === 1 ? "rod" : "rods"} cut` : "There was nothing to cut");
  }
}

// A blow from a place outwards: as far as is dragged.
class Explode extends Tool {
  down(event) {
    this.from = this.place(event);
    this.draw(event);
    return true;
  }

  reachOf(event) {
    const drawn = this.far(event, this.from) > SHORT ? this.along(event, this.from).distanceTo(this.from.point) : 0;
    return Math.max(drawn, 0.22 * this.from.pane.view.size);
  }

  move(event) {
    this.draw(event);
  }

  draw(event) {
    const distance = this.stage.camera.position.distanceTo(this.from.point);
    this.overlay.ring({ clientX: this.from.x, clientY: this.from.y }, this.reachOf(event) / this.stage.pixel(distance), "blast");
  }

  async up(event) {
    const { from } = this, reach = this.reachOf(event);
    this.cancel();
    await this.app.branch();
    const speed = 2.4 * Math.sqrt(9.81 * reach);
    if (!await this.app.command(from.pane, "explode", [numbers(from.point), +speed.toPrecision(4), +reach.toPrecision(4)])) return;
    this.overlay.flash({ clientX: from.x, clientY: from.y }, reach / this.stage.pixel(this.stage.camera.position.distanceTo(from.point)));
    this.app.play(true);
  }
}

// Another one of what is clicked, beside it, or where it is dragged to.
class Copy extends Tool {
  down(event) {
    this.from = this.app.hands.find(event);
    if (!this.from) return false;
    Object.assign(this.from, { x: event.clientX, y: event.clientY });
    return true;
  }

  move(event) {
    this.overlay.arrow(this.from, event);
  }

  async up(event) {
    const { from } = this, clicked = this.far(event, from) < SHORT, to = this.along(event, from);
    this.cancel();
    try {
      await this.app.branch();
      const what = await this.identify(from);
      if (!what) return;
      const where = await from.pane.engine.call("where", { name: what.name });
      const by = clicked ? [1.15 * where.size[0], 0, 0] : to.sub(from.point).toArray();
      const name = this.tools.name(from.pane, what.name.replace(/[^\w-]+/g, "_").replace(/_?\d*_?$/, "") || "copy");
      const { list, record } = copyOf(await this.app.document(from.pane), what, where, by);
      if (await this.app.edit(from.pane, "add", [{ [list]: [{ ...record, name }] }])) this.app.say(`${name} is a copy of ${what.name}`);
    } catch (error) {
      this.app.say(error.message);
    }
  }
}

// The record of a copy: what the document says of it, moved along with the original, or, of a body, what it is made of.
function copyOf(document, what, { middle, born, pose, shapes }, by) {
  const found = document.find(what.name), record = structuredClone(found?.record ?? {});
  const plus = (a, b) => a.map((v, k) => +((v ?? 0) + b[k]).toFixed(6));
  if (what.kind === "body") {
    for (const key of ["turn", "velocity", "spin"]) delete record[key];
    return { list: "bodies", record: { ...record, ...(found ? {} : { shapes: shapes.map(shapeOf) }), position: plus(pose.slice(0, 3), by), rotation: pose.slice(3).map((v) => +v.toFixed(7)) } };
  }
  if (!found) throw new Error(`${what.name} is made by a loop of the scene: copy it in its text`);
  return { list: "objects", record: { ...record, position: plus(plus(record.position ?? [0, 0, 0], by), middle.map((v, k) => v - born[k])) } };
}

// A shape as a scene file has it.
function shapeOf({ type, position, rotation, half, radius, rounding, vertices }) {
  const own = { sphere: { radius }, capsule: { radius, length: 2 * half[1] }, cylinder: { radius, length: 2 * half[1] }, cone: { radius, length: 2 * half[1] }, box: { size: half.map((v) => 2 * v) }, hull: { points: vertices } }[type];
  if (!own) throw new Error(`a ${type} cannot be copied`);
  return { type, position, rotation, rounding, ...own };
}

// ---- The bar --------------------------------------------------------------------------------------------------------------

const catalogue = [
  { id: "grab", label: "Grab", key: "v", make: null, hint: "Drag things. A second finger pulls a second one" },
  { id: "throw", label: "Throw", key: "h", make: Throw, hint: "Click on something: a ball flies there" },
  { id: "add", label: "Add", key: "a", make: Add, hint: "Draw a thing of the chosen kind; a click makes one of a usual size" },
  { id: "connect", label: "Connect", key: "k", make: Connect, hint: "Drag from one thing to another, or to a place" },
  { id: "cut", label: "Cut", key: "x", make: Cut, hint: "Draw a line: it cuts cloth, ropes and rods" },
  { id: "pin", label: "Pin", key: "p", make: Pin, hint: "Click on a thing to pin it where it is, or to let it go" },
  { id: "wind", label: "Wind", key: "w", make: Wind, hint: "Draw: air goes with the pointer and carries things along" },
  { id: "explode", label: "Explode", key: "e", make: Explode, hint: "Click, or drag a circle: what is in it flies away" },
  { id: "inspect", label: "Look inside", key: "q", make: Inspect, hint: "Click on a thing for its mass, force and error; layers show what the engine sees" },
  { id: "copy", label: "Copy", key: "d", make: Copy, hint: "Click on a thing for another one beside it, or drag it where it shall be" },
  { id: "delete", label: "Delete", key: "delete", make: Delete, hint: "Click on a thing: it goes" },
];

export class Tools {
  constructor(app, bar) {
    this.app = app;
    this.bar = bar;
    this.overlay = new Overlay(app.stage);
    this.made = new Map();
    this.names = new Map();
    this.fill();
    this.current = "grab";
    this.mark();
    this.sync();
    bar.hidden = false;
    const measure = () => bar.parentElement.style.setProperty("--tools", `${bar.offsetHeight}px`);   // what floats above it keeps clear
    new ResizeObserver(measure).observe(bar);
    measure();
  }

  fill() {
    for (const tool of catalogue) this.button(tool, () => this.use(tool.id));
    this.bar.append(Object.assign(document.createElement("hr"), { ariaHidden: "true" }));
    this.button({ id: "undo", label: "Undo", key: "z", keys: "Z or Ctrl Z" }, () => this.undo());
    this.button({ id: "redo", label: "Redo", key: "y", keys: "Y or Ctrl Y" }, () => this.undo(true));
    this.bar.addEventListener("keydown", (event) => this.walk(event));
  }

  button({ id, label, key, keys = key.length > 1 ? "Del" : key.toUpperCase() }, run) {
    const button = Object.assign(document.createElement("button"), { id: `tool-${id}`, className: "icon", type: "button", title: `${label} (${keys})`, innerHTML: icons[id] });
    button.setAttribute("aria-label", label);
    button.setAttribute("aria-keyshortcuts", keys.replace(/ or .*/, "").replace("Del", "Delete"));
    button.addEventListener("click", run);
    this.bar.append(button);
    return button;
  }

  // Arrow keys go through the bar, as toolbars have it; they do not turn the view then.
  walk(event) {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const all = [...this.bar.querySelectorAll("button:not(:disabled)")], at = all.indexOf(document.activeElement);
    all[(at + by + all.length) % all.length].focus();
    event.preventDefault();
    event.stopPropagation();
  }

  get keys() {
    const keys = Object.fromEntries(catalogue.map(({ id, key }) => [key, () => this.use(id)]));
    return { ...keys, backspace: keys.delete, z: () => this.undo(), y: () => this.undo(true) };
  }

  use(id) {
    const tool = catalogue.find((one) => one.id === id);
    if (tool.make && !this.made.has(id)) this.made.set(id, new tool.make(this));
    this.current = id;
    const made = this.made.get(id) || null;
    this.app.hands.setTool(made);
    this.mark();
    this.showChoices(made, tool.label);
    this.app.say(tool.hint);
  }

  // Kinds that a tool knows, in a bar above.
  showChoices(tool, label) {
    const bar = document.getElementById("choices");
    bar.replaceChildren();
    bar.hidden = !tool?.choices;
    bar.setAttribute("aria-label", `What to ${label.toLowerCase()}`);
    for (const [id, words] of tool?.choices || []) {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: words });
      button.dataset.choice = id;
      const chosen = (one) => (tool.several ? tool.chosen(one) : tool.choice === one);
      button.setAttribute("aria-pressed", String(chosen(id)));
      button.addEventListener("click", () => {
        if (tool.several) tool.choose(id);
        else tool.choice = id;
        for (const one of bar.children) one.setAttribute("aria-pressed", String(chosen(one.dataset.choice)));
      });
      bar.append(button);
    }
  }

  // Back to the hand; false if it was the hand already.
  escape() {
    if (this.current === "grab") return false;
    this.use("grab");
    return true;
  }

  mark() {
    for (const { id } of catalogue) this.bar.querySelector(`#tool-${id}`).setAttribute("aria-pressed", String(id === this.current));
  }

  async undo(again = false) {
    const done = await this.app.undo(again);
    if (done) this.app.say(`${again ? "Again" : "Undone"}: ${words[done.name] || done.name}`);
    this.sync();
  }

  // What can be undone now.
  sync() {
    const pane = this.app.panes.includes(this.app.acted) ? this.app.acted : this.app.panes[0];
    for (const which of ["undo", "redo"]) this.bar.querySelector(`#tool-${which}`).disabled = !pane?.history[which];
  }

  // A name that nothing in the scene has, or had since it was opened.
  name(pane, stem) {
    if (this.named !== pane.start) this.names.clear();
    this.named = pane.start;
    const { model } = pane.picture, taken = new Set([...model.meshes, ...model.bodies, ...model.fixed].map((one) => one.name));
    let n = this.names.get(stem) || 0;
    do ++n; while (taken.has(`${stem}${n}`));
    this.names.set(stem, n);
    return `${stem}${n}`;
  }

  // The ground that is drawn, as a body, where there is none yet: what is added shall lie on it.
  ground(pane) {
    const { view } = pane;
    if (view.model.fixed.some((body) => view.isGround(body)) || [...view.model.fixed].some((body) => body.name === "ground")) return [];
    return [{ name: "ground", type: "static", position: [0, +view.groundHeight().toFixed(4), 0], shapes: { type: "plane" } }];
  }
}

const words = {
  grab: "a drag", pin: "a pin", unpin: "a pin", throw: "a throw", gust: "wind", explode: "an explosion", cut: "a cut", add: "something new", remove: "a deletion", settings: "a setting", material: "a material",
};

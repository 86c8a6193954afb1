// The settings of one pane, as lil-gui shows them. What is changed there is sent at once; what the engine refuses is put back.
import GUI from "lil-gui";

const words = (name) => name.replace(/_/g, " ");
const options = (names) => Object.fromEntries(names.map((name) => [words(name), name]));
const drawn = { particles: ["particles"], constraints: ["constraints"], shapes: ["shapes", "skins"], contacts: ["contacts", "forces"], velocities: ["velocities"], anchors: ["anchors", "axes"], bounds: ["bounds"] };
const choices = { jacobi: ["split", "averaged"], drift: ["baumgarte", "soft"], linear: ["minres", "least_squares"] };

const round = (v) => +v.toFixed(4);
// How strong gravity is, and how far from straight down, to the right: as two sliders have it.
const tilted = ([x, y]) => (x === 0 ? { gravity: -y, tilt: 0 } : { gravity: round(Math.hypot(x, y)), tilt: Math.round((Math.atan2(x, -y) * 180) / Math.PI) });

export class Panel {
  // change(some): settings; material(kind, compliance); layers(names): of debug drawing, which all panes have in common.
  constructor(element, title, lists, { change, material, air, friction, layers = null }) {
    this.layers = layers;
    this.air = air;
    this.friction = friction;
    this.element = element;
    this.lists = lists;
    this.change = change;
    this.material = material;
    this.title = title;
  }

  build(settings, kinds, { title = this.title, closed = false, flat = false } = {}) {
    this.flat = flat;
    this.gui?.destroy();
    const gui = this.gui = new GUI({ container: this.element, title });
    if (closed) gui.close();
    this.values = { ...settings, ...tilted(settings.gravity), kind: "all", softness: -6, wind: 0, towards: 0, friction: 0.5 };
    const set = (key) => (value) => this.change({ [key]: value });
    const pick = (folder, key, names, label) => folder.add(this.values, key, options(names)).name(label).onChange(set(key));
    const slide = (folder, key, least, most, step, label) => folder.add(this.values, key, least, most, step).name(label).onChange(set(key));
    this.addOutside(gui, settings);
    pick(gui, "solver", this.lists.solvers, "Solver");
    pick(gui, "integrator", this.lists.integrators, "Integrator");
    slide(gui, "substeps", 1, Math.max(100, settings.substeps), 1, "Substeps");
    slide(gui, "iterations", 0, Math.max(50, settings.iterations), 1, "Passes");
    slide(gui, "damping", 0, 10, 0.05, "Damping, 1/s");
    const soft = gui.addFolder("Compliance").close();
    soft.add(this.values, "kind", { "all kinds": "all", ...options(kinds) }).name("Of");
    soft.add(this.values, "softness", -10, 0, 0.1).name("10ˣ m/N, x =").onFinishChange((x) => this.material(this.values.kind === "all" ? null : this.values.kind, 10 ** x));
    soft.add({ rigid: () => this.material(this.values.kind === "all" ? null : this.values.kind, 0) }, "rigid").name("Make rigid");
    if (this.layers) this.addLayers(gui);
    const more = gui.addFolder("More").close();
    pick(more, "order", this.lists.orders, "Order of a pass");
    pick(more, "gradients", this.lists.gradients, "Gradients");
    slide(more, "tolerance", 0, 0.01, 1e-5, "Tolerance, m");
    more.add(this.values, "correct_stiffness").name("Correct stiffness").onChange(set("correct_stiffness"));
    pick(more, "jacobi", choices.jacobi, "Jacobi shares");
    slide(more, "relaxation", 0.1, 2, 0.05, "Relaxation");
    pick(more, "drift", choices.drift, "Drift (impulses)");
    slide(more, "baumgarte", 0, 1, 0.01, "Baumgarte");
    more.add(this.values, "warm_start").name("Warm start").onChange(set("warm_start"));
    pick(more, "linear", choices.linear, "Linear (Lagrange)");
    this.name(gui);
  }

  // Wind, gravity and friction. Wind at 0° goes to the right, at 90° away from the viewer; gravity at 90° pulls to the right.
  addOutside(gui, settings) {
    const blow = () => { const { wind, towards } = this.values, a = (towards * Math.PI) / 180; this.air([round(wind * Math.cos(a)), 0, this.flat ? 0 : round(-wind * Math.sin(a))]); };
    const pull = () => { const { gravity, tilt } = this.values, a = (tilt * Math.PI) / 180; this.change({ gravity: [round(gravity * Math.sin(a)), round(-gravity * Math.cos(a)), settings.gravity[2]] }); };
    gui.add(this.values, "gravity", -10, 20, 0.01).name("Gravity, m/s²").onChange(pull);
    gui.add(this.values, "tilt", -180, 180, 1).name("Gravity, tilt °").onChange(pull);
    gui.add(this.values, "wind", 0, 20, 0.1).name("Wind, m/s").onChange(blow);
    if (!this.flat) gui.add(this.values, "towards", -180, 180, 5).name("Wind towards °").onChange(blow);
    gui.add(this.values, "friction", 0, 1.5, 0.01).name("Friction").onChange((value) => this.friction(value));
  }

  // What the engine's debug drawing shows: any of these, coloured in one way.
  addLayers(gui) {
    const shown = this.shown ||= Object.fromEntries([...Object.keys(drawn), "colour"].map((name) => [name, name === "colour" ? "kind" : false]));
    const tell = () => this.layers(Object.keys(drawn).filter((name) => shown[name]).flatMap((name) => drawn[name]).concat(shown.colour === "kind" ? [] : [shown.colour]));
    const folder = gui.addFolder("Layers");
    if (!Object.keys(drawn).some((name) => shown[name])) folder.close();
    for (const name of Object.keys(drawn)) folder.add(shown, name).name(name[0].toUpperCase() + name.slice(1)).onChange(tell);
    folder.add(shown, "colour", { "by kind": "kind", "by strain": "strain", "by island and sleep": "islands", "by tile": "tiles", "by batch": "batches" }).name("Coloured").onChange(tell);
  }

  // Sliders of lil-gui have a name for their number only.
  name(gui) {
    for (const controller of gui.controllersRecursive()) {
      for (const field of controller.domElement.querySelectorAll("input, select")) if (!field.labels?.length) field.setAttribute("aria-label", controller._name);
      controller.domElement.querySelector(".lil-slider")?.setAttribute("aria-hidden", "true");
      controller.domElement.querySelector(".slider")?.setAttribute("aria-hidden", "true");
    }
  }

  show(settings) {
    if (!this.gui) return;
    Object.assign(this.values, { ...settings, ...tilted(settings.gravity) });
    for (const controller of this.gui.controllersRecursive()) controller.updateDisplay();
  }
}

// The playground: ties the panes, the stage, the clock and the controls together.
import { wire } from "./controls.js";
import { Hands } from "./hands.js";
import { around, difference, pick, pinsOf, remember, remembered, withoutCommands } from "./helpers.js";
import { patience } from "./engine.js";
import { Links } from "./links.js";
import { Pane } from "./pane.js";
import { Stage } from "./stage.js";

const $ = (id) => document.getElementById(id);
const FIRST = "flag";
const NARROW = 760;              // px: as in style.css
const PLOT_EVERY = 120;          // ms

// The smallest module with a vector in it: a browser that takes it has vectors.
const VECTORS = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);

class App extends Links {
  constructor() {
    super();
    this.panes = [];
    this.cursor = 0;
    this.live = true;      // the newest frame is shown
    this.playing = false;
    this.speed = 1;
    this.due = 0;          // s of motion that the clock owes
    this.lastTick = 0;
    this.lastPlot = 0;
    this.source = null;    // { name, text, files }
    this.opening = 0;
    this.layers = [];      // of debug drawing
    this.patience = patience;
    this.panels = [];
    this.goldens = {};     // hashes of the native program
    // Lessons, curves and settings come after the first picture: furnish().
    this.lessonView = { lesson: null, sync() {}, tick() {}, close() {} };
    this.plots = { build() {}, update() {}, resize() {}, retheme() {} };
  }

  // What opens in front of the page.
  get gallery() {
    return import("./gallery.js");
  }

  async start() {
    $("from-embed").addEventListener("pointerenter", async () => { $("from-embed").href = (await this.link()).replace(/\?[^#]*/, ""); });
    $("from-embed").href = location.href.replace(/\?[^#]*/, "");
    document.body.classList.toggle("embed", new URLSearchParams(location.search).has("embed"));
    this.setTheme(remembered() || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"), false);
    const threaded = self.crossOriginIsolated && (navigator.hardwareConcurrency || 1) > 1;
    // All that will ever be needed, at once, and before the stage is built, which may take seconds: later nothing is fetched any more.
    const fetched = Promise.all([this.fetchJson("./scenes.json"), this.fetchWasm(threaded), this.fetchBlob("./sinew-worker.js"), this.fetchBlob("./thumbs.webp"), this.fetchBlob("./thumbs-dark.webp")]);
    fetched.catch(() => {});   // it is awaited below
    this.stage = new Stage($("canvas"));
    this.hands = new Hands(this, this.stage);
    const [library, wasm, thread, ...pictures] = await fetched;
    this.thread = thread;
    ["--thumbs-light", "--thumbs-dark"].forEach((name, i) => document.documentElement.style.setProperty(name, `url(${pictures[i]})`));
    this.library = new Map(Object.entries(library.scenes).map(([name, text]) => [name, { text, ...pick(JSON.parse(text), ["title", "about", "topic"]) }]));
    this.meshes = library.files;
    this.views = library.views;   // how far scenes get
    this.thumbs = library.thumbs;
    this.wasm = wasm;
    // Both workers start now; the second loads the engine when it is needed.
    this.pool = [0, 1].map(() => new Pane("./worker.js"));
    for (const pane of this.pool) {
      pane.onframe = (from, picture) => this.arrived(from, picture);
      pane.engine.onstuck = (message) => this.stuck(message);
    }
    this.info = await this.ready(this.pool[0]);
    wire(this);
    for (const pane of this.pool) pane.view.setTheme(this.theme);
    requestAnimationFrame((now) => this.tick(now));
    const linked = await this.openLink(location.hash);
    if (!linked && await this.openScene(FIRST)) this.invite();
    $("boot").classList.add("gone");
    await this.furnish();
    const { Editor } = await import("./editor.js"), { Recorder } = await import("./record.js"), { Tools } = await import("./tools.js"), { Tilt } = await import("./tilt.js");
    this.tilt = new Tilt(this, $("toggle-tilt"));
    this.editor = new Editor(this, $("editor"), await this.fetchJson("./schema.json"));
    this.recorder = new Recorder(this);
    this.tools = new Tools(this, $("tools"));
  }

  // Says what can be done, until something is.
  invite() {
    const hint = $("invite");
    hint.hidden = document.body.classList.contains("embed");
    this.invited = () => {
      hint.hidden = true;
      this.invited = null;
    };
    setTimeout(() => this.invited?.(), 20000);
  }

  // What the first picture does not need: settings, curves, lessons, models and files.
  furnish() {
    this.furnished ||= (async () => {
      const [panel, plots, view, list, glb, files] = await Promise.all([import("./panel.js"), import("./plots.js"), import("./lesson_view.js"), import("lessons"), import("./glb.js"), import("./files.js")]), { fillGallery, fillHelp, fillLessons } = await this.gallery;
      this.goldens = (await import("../data/goldens.json")).default;
      fillGallery($("gallery-body"), this.library, this.thumbs, (name) => { $("gallery").close(); this.closeLesson(); this.openScene(name); });
      this.markScene();
      fillHelp($("help-body"));
      this.lessons = list.lessons;
      this.labels = plots.labels;
      this.lessonView = new view.LessonView(this, $("lesson-body"));
      this.plots = new plots.Plots($("plots"));
      Object.assign(this, { writeGlb: glb.writeGlb, files });
      this.panels = ["a", "b"].map((letter, i) => new panel.Panel($(`gui-${letter}`), letter.toUpperCase(), this.info, {
        change: (some) => this.configure(this.panes[i], some),
        material: (kind, compliance) => this.soften(this.panes[i], kind, compliance),
        air: (velocity) => this.command(this.panes[i], "air", [velocity]),
        friction: (value) => this.command(this.panes[i], "friction", [value]),
        layers: i === 0 ? (names) => this.setLayers(names) : null,
      }));
      fillLessons($("lessons-body"), list, (id) => { $("lessons").close(); this.openLesson(id); });
      if (this.panes.length) { this.showPanels(); this.showHash(); }
    })();
    return this.furnished;
  }

  async fetchJson(url) {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
    return answer.json();
  }

  async fetchBlob(url) {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
    return URL.createObjectURL(await answer.blob());
  }

  async fetchWasm(threaded) {
    const vectors = WebAssembly.validate(VECTORS);   // Chrome 91, Firefox 89, Safari 16.4 and later have them; others are slower, and get the same bits
    for (const name of !vectors ? ["./sinew-scalar.wasm"] : threaded ? ["./sinew-threads.wasm", "./sinew.wasm"] : ["./sinew.wasm"]) {
      const answer = await fetch(name);
      if (answer.ok) return { threads: name.includes("threads") ? "auto" : 1, module: await WebAssembly.compile(await answer.arrayBuffer()) };
    }
    throw new Error(`sinew${vectors ? "" : "-scalar"}.wasm was not found beside the page`);
  }

  ready(pane) {
    return pane.engine.ready(this.wasm.module, { threads: this.wasm.threads, worker: this.thread });
  }

  // ---- Opening ----------------------------------------------------------------------------------------------------------

  builtIn(name) {
    const { text } = this.library.get(name);
    return { name: `${name}.json`, text, files: this.meshes };
  }

  openScene(name, options = {}) {
    if (!this.library.has(name)) {
      this.problem(`There is no scene '${name}'`, [{ message: `found '${name}', expected one of the ${this.library.size} scenes in the gallery` }]);
      return false;
    }
    return this.open(this.builtIn(name), { scene: name, ...options });
  }

  // Loads a source into one pane, or two. sets: for each pane what is changed in the text before it is built.
  async open(source, { scene = null, sets = [[]], play = true, camera = null, keepCamera = false, address = true, onfail = null } = {}) {
    const turn = ++this.opening, played = this.playing;
    this.playing = false;
    const panes = this.pool.slice(0, sets.length);
    try {
      await Promise.all(panes.map((pane) => this.ready(pane).then(() => pane.engine.call("layers", { names: this.layers }))));
      const models = await Promise.all(panes.map((pane, i) => pane.load(source, sets[i], this.lessonView.lesson?.probes)));
      if (turn !== this.opening || models.includes(null)) return false;
      this.invited?.();   // it speaks of the scene before
    } catch (error) {
      if (turn === this.opening) {
        if (onfail) onfail(error);
        else this.failed(error, source);
        this.play(played && this.panes.length > 0);   // the scene before goes on
      }
      return false;
    }
    const other = this.source?.text !== source.text;
    this.source = source;
    this.scene = scene;
    this.panes = panes;
    this.cursor = 0;
    this.live = true;
    this.due = 0;
    this.showScene(camera, keepCamera);
    if (address) this.setAddress();
    if (other) this.editor?.refresh();
    this.tools?.sync();
    this.unsay();
    this.play(play);
    return true;
  }

  // What is open; a link that was followed stays as it is.
  setAddress() {
    const { lesson } = this.lessonView;
    const fragment = lesson ? `#lesson=${lesson.id}` : this.scene ? `#scene=${this.scene}` : "";
    history.replaceState(null, "", location.href.replace(/#.*/, "") + fragment);
  }

  showScene(camera, keepCamera) {
    const split = this.panes.length > 1, { model } = this.panes[0];
    document.body.classList.toggle("split", split);
    $("toggle-split").setAttribute("aria-pressed", String(split));
    $("gui-b").hidden = !split;
    this.stage.setPanes(this.panes);
    const { lesson } = this.lessonView, hint = { ...(this.views[this.scene] || (lesson?.text === this.source.text && this.views[`lesson/${lesson.id}`])), ...(lesson ? lesson.view : null) };
    const bounds = hint.low ? { low: hint.low, high: hint.high } : around(model.bounds, model.dimensions);
    for (const pane of this.panes) {
      pane.view.setTheme(this.theme);
      pane.view.build(pane.picture, bounds);
    }
    this.bounds = bounds;
    this.hint = hint;
    if (camera) this.stage.look(camera);
    this.showPanels();
    $("scene-title").textContent = model.title || this.source.name;
    $("scene-about").textContent = withoutCommands(model.about);
    const warnings = model.problems.filter((p) => p.severity === "warning");
    $("scene-warnings").hidden = !warnings.length || Boolean(this.scene);
    $("scene-warnings").textContent = warnings.map((p) => p.text).join(" ");
    this.markScene();
    this.settingsChanged();
    this.showTime();
    if (!camera && !keepCamera) this.fitView();   // now that the caption is as high as it will be
  }

  // The scene that is open, in the gallery.
  markScene() {
    for (const card of $("gallery-body").querySelectorAll(".card")) card.setAttribute("aria-current", String(card.dataset.scene === this.scene));
  }

  showPanels() {
    const split = this.panes.length > 1, { model } = this.panes[0];
    this.panels.slice(0, this.panes.length).forEach((panel, i) => panel.build(this.panes[i].settings, this.panes[i].start.report.kinds.map((k) => k[0]), { title: split ? undefined : "Settings", closed: Boolean(this.lessonView.lesson), flat: model.dimensions === 2 }));
    this.plots.build(split, this.panes[0].start.report.kinds);
    this.plotted = "";
    this.settingsChanged();
  }

  // The present scene from its start, with the settings as they are now.
  async restart() {
    const kept = this.panes.map((pane) => ({ some: difference(pane.settings, pane.model.settings), materials: pane.materials || [] }));
    const done = await this.doings(), pins = done.map((list) => pinsOf(list));
    if (!await this.open(this.source, { scene: this.scene, sets: this.panes.map((p) => p.set), play: this.playing, keepCamera: true })) return;
    for (const [i, { some, materials }] of kept.entries()) {
      if (Object.keys(some).length) await this.configure(this.panes[i], some);
      for (const [kind, compliance] of materials) await this.soften(this.panes[i], kind, compliance);
      for (const [, name, args] of done[i].filter((c) => ["add", "remove"].includes(c[1]))) await this.edit(this.panes[i], name, args);
      for (const particle of pins[i]) await this.command(this.panes[i], "pin", [particle]);
    }
    const dragged = done.flat().some((c) => c[1] === "grab"), pinned = pins.flat().length;
    if (dragged || pinned) this.say(`From the start${pinned ? `; ${pinned === 1 ? "the pin stays" : "pins stay"}` : ""}${dragged ? "; what was dragged is where it was at first" : ""}`);
  }

  // What was done by hand in each pane, up to the frame that is shown.
  async doings() {
    const lists = await Promise.all(this.panes.map((pane) => pane.engine.call("commands").catch(() => [])));
    return lists.map((list) => list.filter((c) => c[0] <= this.cursor));
  }

  // Back to what the scene itself says.
  reset() {
    return this.doings().then(async (done) => {
      const all = done.flat(), lost = [all.some((c) => c[1] === "pin") && "pins", all.some((c) => c[1] === "grab") && "drags"].filter(Boolean);
      const opened = await (this.lessonView.lesson ? this.openLesson(this.lessonView.lesson.id)
        : this.open(this.source, { scene: this.scene, sets: this.panes.map(() => []), play: this.playing, keepCamera: true }));
      if (opened && lost.length) this.say(`As the scene has it: ${lost.join(" and ")} are gone`);
      return opened;
    });
  }

  async toggleSplit() {
    if (this.panes.length > 1) {
      const [done] = await this.doings(), frame = this.cursor, camera = this.stage.view, { aspect } = this.stage.camera, { playing } = this;
      if (!await this.open(this.source, { scene: this.scene, sets: [this.panes[0].set], play: false, camera })) return;
      this.stage.moveBack(Math.min(1, aspect / this.stage.camera.aspect));
      await this.replay({ frame, panes: [{ commands: done }] }, playing);
      return;
    }
    const [a] = this.panes, [done] = await this.doings(), frame = this.cursor, camera = this.stage.view, { aspect } = this.stage.camera;
    if (!await this.open(this.source, { scene: this.scene, sets: [a.set, a.set], play: false, camera })) return;
    this.stage.moveBack(Math.max(1, aspect / this.stage.camera.aspect));   // each pane is narrower: what was in view stays in view
    await this.replay({ frame, panes: [{ commands: done }, { commands: done }] }, false);   // the same moment, with what was pinned, dragged and set
    const other = a.settings.solver === "jacobi" ? "tiled" : "jacobi";
    if (!await this.configure(this.panes[1], { solver: other }, true)) await this.configure(this.panes[1], { substeps: Math.max(1, Math.round(a.settings.substeps / 4)) });
    this.play(true);
  }

  // What the other pane shows, as a ghost in each.
  toggleGhosts(on = !this.stage.ghosts) {
    this.stage.ghosts = on;
    this.stage.dirty = true;
    $("toggle-ghosts").setAttribute("aria-pressed", String(on));
  }

  // A worker was stopped and another one started: the scene as it comes takes its place.
  async stuck(message) {
    const source = this.panes.length ? this.source : null, scene = this.scene;
    ++this.opening;
    this.playing = false;
    if (!source || !await this.open(source, { scene, play: false })) await this.openScene(FIRST, { play: false });
    this.problem("The engine did not answer", [{ message: `${message}. ${source ? "The scene begins anew, paused, with the settings that it comes with." : "What was asked for cannot be shown."}` }]);
    $("boot").classList.add("gone");
  }

  failed(error, source) {
    if (error.problems?.length) {
      const first = error.problems.filter((p) => p.severity === "error").length;
      this.problem(`${source.name}: ${first === 1 ? "a mistake" : `${first} mistakes`}`, error.problems, source.text);
    } else this.problem(`${source.name} cannot be run`, [{ message: error.message }]);
  }

  problem(title, problems, text) {
    $("problems-title").textContent = title;
    this.gallery.then(({ fillProblems }) => fillProblems($("problems-body"), problems, text));
    if (!$("problems").open) $("problems").showModal();
  }

  async openFiles(list) {
    let source;
    try {
      await this.furnish();
      source = this.files.asScene(await this.files.readFiles(list));
    } catch (error) {
      this.problem("This cannot be opened", [{ message: error.message }]);
      return false;
    }
    this.closeLesson();
    return this.open({ ...source, files: { ...this.meshes, ...source.files } });
  }

  // ---- Lessons ----------------------------------------------------------------------------------------------------------

  async openLesson(id, play) {
    await this.furnish();
    const { lessons } = this;
    const index = lessons.findIndex((l) => l.id === id);
    if (index < 0) {
      this.problem(`There is no lesson '${id}'`, [{ message: `found '${id}', expected one of ${lessons.map((l) => l.id).join(", ")}` }]);
      return false;
    }
    const lesson = lessons[index];
    this.editor?.show(false);
    $("lesson").hidden = false;
    document.body.classList.add("in-lesson");
    this.lessonView.show(lesson, index, lessons.length);
    if (lesson.layers.length) this.setLayers(lesson.layers);
    this.togglePanel(innerWidth > NARROW);   // with its curves, where there is room
    return this.reloadLesson(play);
  }

  reloadLesson(play) {
    const { lesson, builds } = this.lessonView;
    const sets = [[...(lesson.set || []), ...builds]];
    if (lesson.other) sets.push([...lesson.other, ...builds]);
    const options = { sets, play: play ?? this.lessonView.answered };   // first the question
    return lesson.text ? this.open({ name: `${lesson.id}.json`, text: lesson.text, files: this.meshes }, options) : this.openScene(lesson.scene, options);
  }

  nextLesson(by) {
    const { lessons } = this, index = lessons.indexOf(this.lessonView.lesson);
    this.openLesson(lessons[(index + by + lessons.length) % lessons.length].id);
  }

  closeLesson() {
    if ($("lesson").hidden) return;
    $("lesson").hidden = true;
    document.body.classList.remove("in-lesson");
    if (this.lessonView.lesson.layers.length) this.setLayers([]);
    this.lessonView.close();
    this.stage.resize();
  }

  // ---- Changing what runs -----------------------------------------------------------------------------------------------

  // Whoever changes something while an earlier frame is shown goes on from there: what was recorded after it is forgotten.
  async branch() {
    if (!this.live) {
      this.live = true;
      this.branching = Promise.all(this.panes.map((pane) => pane.back(this.cursor))).then(() => this.settingsChanged());
      this.branching = this.branching.finally(() => { this.branching = null; });
    }
    await this.branching;
  }

  async command(which, name, args) {
    const pane = typeof which === "number" ? this.panes[which] : which;
    await this.branch();
    try {
      const answer = await pane.command(name, args);
      this.touched(pane);
      return answer;
    } catch (error) {
      this.say(error.message);
      return false;
    }
  }

  // A command that is to be seen at once, also while nothing plays.
  async edit(pane, name, args) {
    const answer = await this.command(pane, name, args);
    if (!answer || this.playing) return answer;
    await pane.look();
    this.show(this.last);
    return answer;
  }

  // The scene as a document, with what was built up to now.
  async document(pane = this.panes[0]) {
    const { SceneDocument } = await import("./document.js");
    const list = (await pane.engine.call("commands")).filter((c) => c[0] <= this.cursor), { model } = pane.picture;
    return SceneDocument.after(this.source.text, list, (particle) => {
      const body = model.bodies.find((one) => one.particle === particle), mesh = model.meshes.find((one) => particle >= one.first && particle < one.first + one.count);
      return body ? { body: body.name } : mesh ? { object: mesh.name, index: particle - mesh.first } : null;
    });
  }

  // Runs a text in the place of the scene, if it can be run. Gives what is wrong with it.
  async tryText(text) {
    let problems = [];
    const name = this.source.name.replace(/^.*\//, ""), onfail = (error) => { problems = error.problems?.length ? error.problems : [{ severity: "error", message: error.message }]; };
    const opened = await this.open({ name, text, files: this.source.files }, { play: this.playing, keepCamera: true, onfail });
    return opened ? this.panes[0].model.problems.filter((p) => p.severity === "warning") : problems;
  }

  // Takes back what was done last, and the time since; or does it again. In Compare all panes go to that moment.
  async undo(again = false) {
    if (this.undoing || !this.panes.length) return null;
    this.undoing = true;
    try {
      this.hands.release();
      this.play(false);
      await this.branch();
      const pane = this.panes.includes(this.acted) ? this.acted : this.panes[0];
      const done = await pane.undo(again);
      if (!done) {
        this.say(again ? "There is nothing to do again" : "There is nothing to undo");
        return null;
      }
      for (const other of this.panes) if (other !== pane && other.timeline.last > done.frame) await other.back(done.frame);
      this.live = true;
      this.settingsChanged();
      for (const one of this.panes) one.picture = null;   // the same frame may look different now
      this.show(this.last);
      this.touched(pane);
      return done;
    } catch (error) {
      this.say(error.message);
      return null;
    } finally {
      this.undoing = false;
    }
  }

  // Some settings exclude each other; the one that was chosen last wins.
  async configure(pane, some, quiet = false) {
    await this.branch();
    const wanted = { ...some }, now = pane.settings;
    const solver = wanted.solver || now.solver, order = wanted.order || now.order;
    if (solver === "tiled" && order !== "there_and_back") {
      if (wanted.order) wanted.solver = "gauss_seidel";
      else wanted.order = "there_and_back";
    }
    if ((wanted.integrator || now.integrator) === "bdf2") {
      if (wanted.integrator && ["impulses", "lagrange"].includes(solver)) wanted.solver = "tiled";
      else if (["impulses", "lagrange"].includes(wanted.solver)) wanted.integrator = "symplectic_euler";
      if ((wanted.gradients || now.gradients) === "start") Object.assign(wanted, wanted.gradients ? { integrator: "symplectic_euler" } : { gradients: "current" });
    }
    try {
      await pane.command("settings", [wanted]);
      this.settingsChanged();
      this.touched(pane);
      return true;
    } catch (error) {
      if (!quiet) this.say(error.message);
      this.settingsChanged();
      return false;
    }
  }

  async soften(pane, kind, compliance) {
    if (await this.command(pane, "material", [kind, { compliance }])) {
      (pane.materials ||= []).push([kind, compliance]);
      this.say(compliance ? `${kind || "all kinds"}: compliance ${compliance.toExponential(1)} m/N` : `${kind || "all kinds"}: rigid`);
    }
  }

  // Debug drawing, in all panes, from now on.
  async setLayers(names) {
    this.layers = names;
    await Promise.all(this.panes.map((pane) => pane.layers(names)));
    this.stage.dirty = true;
  }

  async pin(pane, particle) {
    const { fixed } = pane.picture;
    const on = !(fixed && fixed[particle]);
    if (await this.command(pane, on ? "pin" : "unpin", [particle])) {
      this.say(on ? `particle ${particle} is pinned` : `particle ${particle} is free`);
      if (!this.playing) { await pane.look(); this.show(this.last); }
    }
  }

  settingsChanged() {
    this.panes.forEach((pane, i) => this.panels[i]?.show(pane.settings));
    const label = (pane) => `${pane.settings.solver.replace(/_/g, " ")}, ${pane.settings.integrator.replace(/_/g, " ")}, ${pane.settings.substeps} × ${pane.settings.iterations}`;
    $("label-a").textContent = this.panes.length > 1 ? `A  ${label(this.panes[0])}` : "";
    $("label-b").textContent = this.panes.length > 1 ? `B  ${label(this.panes[1])}` : "";
    this.lessonView.sync();
  }

  touched(pane) {
    if (pane) this.acted = pane;
    this.showHash();
    this.tools?.sync();
    this.editor?.refresh();
    this.noteAddress();
  }

  // While nothing plays a drag poses: what is held goes there, all else follows, and no time passes.
  async poses(held, holds) {
    if (this.playing) return false;
    held.posing = true;
    held.turn = Promise.resolve();
    held.ended = () => { held.pane.view.showHand(null, null); };
    const step = async () => {
      if (!holds()) return;
      if (held.moved) {
        held.moved = false;
        held.pane.view.showHand(held.point.toArray(), held.target);
        await this.edit(held.pane, "pose", [held.hit, held.target]);
      }
      requestAnimationFrame(() => { held.turn = step(); });
    };
    step();
    return true;
  }

  // ---- Time -------------------------------------------------------------------------------------------------------------

  play(on) {
    const failed = on && this.panes.length && this.panes.every((pane) => pane.failed);
    if (failed && this.cursor >= this.last) {   // there is nothing to play
      on = false;
      this.say(`The run ends here: ${this.panes[0].failed}`, true);
    }
    this.playing = on;
    this.pace = null;
    this.due = 0;
    document.body.classList.toggle("playing", on);
    $("play").setAttribute("aria-label", on ? "Pause" : "Play");
    this.showPace();
    if (!on) this.catchUp();
    if (!on && this.panes.length) this.noteAddress();
  }

  get last() {
    const running = this.panes.filter((pane) => !pane.failed);
    return Math.min(...(running.length ? running : this.panes).map((pane) => pane.timeline.last));
  }

  arrived(pane, picture) {
    this.check(pane, picture);
    if (picture.failed && this.panes.every((p) => p.failed)) {
      this.play(false);
      this.say(`The run ends here: ${picture.failed}`, true);
    } else if (picture.failed && !pane.told) {
      pane.told = true;
      this.say(`${this.panes.indexOf(pane) ? "B" : "A"} ends here: ${picture.failed}`, true);
    }
    if (!this.playing && this.live) this.catchUp();
  }

  // While nothing plays, the newest frame of all panes is shown.
  catchUp() {
    if (!this.live || !this.panes.length || this.panes.some((p) => p.flying > 1)) return;
    this.show(this.last);
  }

  async stepOnce() {
    if (this.playing) return this.play(false);
    if (!this.live) return this.show(this.panes[0].timeline.after(this.cursor), this.last);
    await Promise.all(this.panes.filter((p) => !p.failed).map((pane) => pane.ask(true)));
    this.show(this.last);
  }

  stepBack() {
    this.play(false);
    if (this.cursor > 0) this.scrub(this.cursor - 1);
  }

  scrub(frame) {
    this.noteAddress();
    this.play(false);
    this.live = frame >= this.last;
    this.show(Math.min(frame, this.last));
  }

  show(frame) {
    this.cursor = frame;
    if (frame >= this.last) this.live = true;
    for (const pane of this.panes) if (pane.show(frame)) this.stage.dirty = true;
    this.showTime();
  }

  tick(now) {
    requestAnimationFrame((next) => this.tick(next));
    const passed = Math.min(0.1, (now - this.lastTick) / 1000);
    this.lastTick = now;
    if (this.panes.length && this.panes.every((pane) => pane.picture)) {
      this.hands.tick();
      if (this.playing && !this.branching) this.advance(passed);
      if (now - this.lastPlot > PLOT_EVERY) {
        this.lastPlot = now;
        this.slowTick();
      }
    }
    this.stage.render();
  }

  advance(passed) {
    const { frameTime } = this.panes[0].model;
    this.due = Math.min(this.due + passed * this.speed, 3 * frameTime);
    let frame = this.cursor;
    while (this.due >= frameTime && frame < this.last) {
      frame = this.panes[0].timeline.after(frame);
      this.due -= frameTime;
    }
    if (this.live || frame >= this.last - 2) for (const pane of this.panes) pane.prefetch(frame);
    this.measure(passed, frame);
    if (frame !== this.cursor) {
      const live = this.live || frame >= this.last;
      this.show(frame);
      this.live = live;
    }
  }

  // How fast it really goes, over about a second: 1 is real time.
  measure(passed, frame) {
    const pace = this.pace ||= { time: 0, frames: 0, shown: null };
    pace.time += passed;
    pace.frames += frame - this.cursor;
    if (pace.time < 1) return;
    pace.shown = pace.frames * this.panes[0].model.frameTime / pace.time;
    pace.time = pace.frames = 0;
    this.showPace();
  }

  // Only where it is slower than what was chosen.
  showPace() {
    const real = this.playing ? this.pace?.shown : null, slow = real !== null && real !== undefined && real < 0.9 * this.speed;
    $("pace").textContent = slow ? `${real < 0.1 ? real.toFixed(2) : real.toFixed(1)}×` : "";
    $("pace").title = slow ? `It goes at ${real.toFixed(2)} of real time: this machine needs ${Math.max(...this.panes.map((p) => p.picture.ms)).toFixed(0)} ms for a frame` : "";
  }

  slowTick() {
    const key = `${this.cursor} ${this.last} ${this.panes.length} ${this.opening}`;
    if (key === this.plotted) return;
    this.plotted = key;
    if (!$("panel").hidden) this.plots.update(this.panes.map((p) => p.timeline.curves), this.panes[0].picture.time);
    this.lessonView.tick();
    this.showFacts();
  }

  showTime() {
    const [pane] = this.panes, { frames, frameTime } = pane.model, most = Math.max(frames, this.last);
    const slider = $("timeline");
    slider.max = most;
    slider.value = this.cursor;
    slider.setAttribute("aria-valuetext", `frame ${this.cursor}`);
    $("clock").innerHTML = `${(this.cursor * frameTime).toFixed(2)} s<span> · frame ${this.cursor}</span>`;
    this.showHash();
  }

  showFacts() {
    const [pane] = this.panes, { picture } = pane, { model } = picture, r = picture.report;
    const ms = this.panes.map((p) => p.picture.ms);
    const rows = [
      ["particles", model.particles], ["constraints", model.constraints], ...(model.bodyCount ? [["bodies", model.bodyCount]] : []),
      ["engine, ms a frame", ms.map((v) => v.toFixed(1)).join(" | ")], ["passes a frame", this.panes.map((p) => p.picture.report.passes).join(" | ")],
      ["mass, kg", +r.mass.toPrecision(4)], ["threads", this.info.threads], ["vectors", this.info.simd ? "yes" : "no"],
    ];
    $("facts").innerHTML = rows.map(([k, v]) => `<dt>${k}</dt><dd>${v}</dd>`).join("");
  }

  // Compares with what the native program computes, where a hash of that frame is known.
  check(pane, picture) {
    const native = this.goldens[this.scene]?.[picture.frame];
    if (!native || !picture.hash || pane.touched) return;
    pane.checked = { frame: picture.frame, same: picture.hash === native };
  }

  showHash() {
    const [pane] = this.panes, button = $("hash"), picture = pane.picture;
    if (!picture) return;
    if (picture.hash) this.check(pane, picture);
    const known = this.goldens[this.scene], checked = pane.touched ? null : pane.checked;
    let word = "";
    if (pane.touched) word = "touched: a run of its own";
    else if (checked) word = checked.same ? `<span class="same">native: the same at frame ${checked.frame} ✓</span>` : `<span class="other">native: another at frame ${checked.frame} ✗</span>`;
    else if (known) word = `native: to compare at frame ${Object.keys(known)[0]}`;
    else word = "no native run to compare with";
    button.className = checked ? (checked.same ? "same" : "other") : "";
    button.dataset.hash = picture.hash || "";
    button.dataset.frame = picture.frame;
    const html = `<b>${picture.hash || "················"}</b><small>${word}</small>`;
    if (html !== this.hashShown) button.innerHTML = this.hashShown = html;
  }

  // ---- The page ---------------------------------------------------------------------------------------------------------

  // stays: until something else is said or opened.
  say(text, stays = false) {
    const status = $("status");
    status.textContent = text;
    status.classList.add("on");
    status.classList.toggle("bad", stays);
    clearTimeout(this.saying);
    if (!stays) this.saying = setTimeout(() => status.classList.remove("on"), 3500);
  }

  unsay() {
    clearTimeout(this.saying);
    $("status").classList.remove("on", "bad");
  }

  themeChosen() {
    return Boolean(remembered());
  }

  setTheme(name, keep = true) {
    this.theme = name;
    document.documentElement.dataset.theme = name;
    if (keep) remember(name);
    for (const pane of this.panes) pane.view.setTheme(name);
    if (this.plots) { this.plots.retheme(); this.plotted = ""; }
    if (this.stage) this.stage.dirty = true;
  }

  togglePanel(on = $("panel").hidden) {
    $("panel").hidden = !on;
    $("toggle-panel").setAttribute("aria-pressed", String(on));
    this.stage.resize();
    if (on) { this.plots.resize(); this.plotted = ""; }
  }

  setSpeed(by) {
    const select = $("speed");
    select.selectedIndex = Math.max(0, Math.min(select.options.length - 1, select.selectedIndex + by));
    this.speed = Number(select.value);
  }

  // The camera by keys: so many steps around and up, and nearer or farther.
  turnView(around, up, farther) {
    const [x, y, z, tx, ty, tz] = this.stage.view, STEP = 0.12;
    const far = Math.hypot(x - tx, y - ty, z - tz), flat = this.panes[0].model.dimensions === 2;
    const azimuth = Math.atan2(x - tx, z - tz) + (flat ? 0 : STEP * around);
    const height = Math.max(-1.5, Math.min(1.5, Math.asin((y - ty) / far) + (flat ? 0 : STEP * up))), r = far * farther;
    const [dx, dy] = flat ? [0.1 * far * around, 0.1 * far * up] : [0, 0];   // in the plane it goes sideways
    this.stage.look([tx + dx + r * Math.cos(height) * Math.sin(azimuth), ty + dy + r * Math.sin(height), tz + r * Math.cos(height) * Math.cos(azimuth), tx + dx, ty + dy, tz]);
    this.stage.dirty = true;
  }

  fitView() {
    const words = $("caption").offsetHeight || (this.panes.length > 1 ? $("label-a").offsetHeight : 0);   // 0 where it is hidden
    this.stage.fit(this.bounds, this.hint, this.panes[0].model.dimensions === 2, words && words + 8, ($("tools").offsetHeight || 48) + ($("choices").hidden ? 6 : $("choices").offsetHeight + 12));
  }
}

const app = new App();
window.playground = app;   // for the console, and for tests
app.start().catch((error) => {
  $("boot-text").textContent = `The playground cannot start: ${error.message}`;
  document.querySelector("#boot .spinner").hidden = true;
  console.error(error);
});

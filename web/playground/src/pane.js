// One run of a scene: the engine in its worker, what is drawn of it, and what was recorded.
import { Engine } from "./engine.js";
import { Timeline } from "./timeline.js";
import { View } from "./view.js";

const AHEAD = 2;   // frames that the engine may be in front of what is shown

export class Pane {
  constructor(workerUrl) {
    this.engine = new Engine(workerUrl);
    this.view = new View();
    this.timeline = new Timeline();
    this.flying = 0;       // frames that were asked for and have not come
    this.loading = 0;
    this.onframe = () => {};
    this.engine.onframe = (picture, cut) => this.receive(picture, cut);
  }

  receive(picture, cut = null) {
    if (this.loading) return;   // of the scene before
    if (cut !== null) this.timeline.cut(cut);
    this.record(picture);
    this.failed = picture.failed;
    this.onframe(this, picture);
  }

  // What is the same as in the frame before is sent only once.
  record(picture) {
    const before = this.timeline.at(picture.frame) || this.start;
    picture.fixed ||= before.fixed;
    picture.model ||= before.model;
    this.timeline.add(picture);
  }

  async load(source, set, probes = []) {
    ++this.loading;
    try {
      const picture = await this.engine.call("load", { ...source, set, probes }), { model } = picture;
      if (this.loading > 1) return null;   // another one was asked for since
      this.model = model;   // as it is at the start; a picture has its own, with what was added, cut or taken away since
      this.start = picture;
      this.history = { undo: false, redo: false };
      this.settings = model.settings;
      this.set = set;
      this.failed = null;
      this.touched = set.length > 0;
      this.checked = null;
      this.materials = [];
      this.timeline.clear();
      this.timeline.add(picture);
      this.picture = picture;
      return model;
    } finally {
      --this.loading;
    }
  }

  // Asks for frames until the engine is a little ahead of the frame that is shown.
  prefetch(cursor) {
    while (!this.failed && !this.loading && this.flying < AHEAD && this.timeline.last + this.flying < cursor + AHEAD) this.ask(false).catch(() => {});   // the engine tells why
  }

  async ask(wantHash) {
    ++this.flying;
    try {
      await this.engine.call("step", { count: 1, wantHash });
    } finally {
      --this.flying;
    }
  }

  // Layers of debug drawing. Frames that were taken before have none; the last one gets them.
  async layers(names) {
    const { frame, drawn } = await this.engine.call("layers", { names });
    const shown = this.timeline.frames.length ? this.timeline.at(frame) : null;
    if (!shown || shown.frame !== frame) return;
    shown.drawn = drawn;
    if (this.picture === shown) this.view.update(shown);
  }

  async command(name, args) {
    this.touched = true;
    const answer = await this.engine.call("command", { name, args });
    if (answer.settings) this.settings = answer.settings;
    this.history = { undo: answer.undo, redo: answer.redo };
    return answer;
  }

  // The present frame again, as commands have left it.
  async look() {
    while (this.flying) await new Promise((resolve) => setTimeout(resolve, 4));
    this.receive(await this.engine.call("look"));
  }

  // Takes back what was done last, or does it again. Gives what it was, or null if there is nothing.
  async undo(again = false) {
    while (this.flying) await new Promise((resolve) => setTimeout(resolve, 4));
    const answer = await this.engine.call(again ? "redo" : "undo");
    if (!answer) return null;
    this.timeline.cut(answer.picture.frame);
    this.receive(answer.picture);
    this.settings = answer.settings;
    this.history = { undo: answer.undo, redo: answer.redo };
    this.touched = this.set.length > 0 || answer.undo;
    return { name: answer.name, frame: answer.picture.frame };
  }

  async back(frame) {
    while (this.flying) await new Promise((resolve) => setTimeout(resolve, 4));
    const answer = await this.engine.call("back", { to: frame });
    this.timeline.cut(frame);
    this.record(answer.picture);
    this.failed = null;
    this.settings = answer.settings;
    this.touched = this.set.length > 0 || answer.commands > 0;
  }

  show(frame) {
    const picture = this.timeline.at(frame);
    if (!picture || picture === this.picture) return false;
    this.picture = picture;
    this.view.update(picture);
    return true;
  }
}

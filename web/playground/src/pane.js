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
    this.engine.onframe = (picture) => this.receive(picture);
  }

  receive(picture) {
    if (this.loading) return;   // of the scene before
    picture.fixed ||= this.timeline.frames.length ? this.timeline.at(picture.frame).fixed : this.model.picture.fixed;
    this.timeline.add(picture);
    this.failed = picture.failed;
    this.onframe(this, picture);
  }

  async load(source, set) {
    ++this.loading;
    try {
      const model = await this.engine.call("load", { ...source, set });
      if (this.loading > 1) return null;   // another one was asked for since
      this.model = model;
      this.settings = model.settings;
      this.set = set;
      this.failed = null;
      this.touched = set.length > 0;
      this.checked = null;
      this.materials = [];
      this.timeline.clear();
      this.timeline.add(model.picture);
      this.picture = model.picture;
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
    return answer;
  }

  async back(frame) {
    while (this.flying) await new Promise((resolve) => setTimeout(resolve, 4));
    const answer = await this.engine.call("back", { to: frame });
    this.timeline.cut(frame);
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

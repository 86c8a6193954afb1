// What leaves the page and comes into it: links, the address, files.
import { decode, encode } from "./share.js";

const $ = (id) => document.getElementById(id);
const MOST_ADDRESS = 6000;       // characters of the part after '#' that the page keeps up by itself
const MOST_COMMANDS = 60000;     // bytes of a link

export class Links {
  async state() {
    const state = {};
    if (this.scene) state.scene = this.scene;
    else {
      state.text = this.source.text;
      state.name = this.source.name;
      const own = Object.entries(this.source.files).filter(([name]) => !(name in this.meshes));
      if (own.length) state.files = Object.fromEntries(own.map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]));
    }
    if (this.lessonView.lesson) state.lesson = this.lessonView.lesson.id;
    state.frame = this.cursor;
    state.camera = this.stage.view;
    const panes = [];
    for (const pane of this.panes) {
      const list = (await pane.engine.call("commands")).filter((c) => c[0] <= this.cursor);
      panes.push({ set: pane.set, commands: list });
    }
    if (panes.length > 1 || panes[0].set.length || panes[0].commands.length) state.panes = panes;
    return state;
  }

  async link() {
    let state = await this.state(), fragment = await encode(state);
    if (fragment.length > MOST_COMMANDS && state.panes) {   // then without drags; settings and pins stay
      for (const pane of state.panes) pane.commands = pane.commands.filter((c) => !["grab", "pull", "drop"].includes(c[1]));
      fragment = await encode(state);
      this.say("The link leaves out what was dragged: it would be too long");
    }
    return `${location.href.replace(/#.*/, "")}#${fragment}`;
  }

  async share() {
    const url = await this.link();
    clearTimeout(this.noting);   // the address stays this one
    this.stage.moved = true;
    history.replaceState(null, "", url);
    try {
      await navigator.clipboard.writeText(url);
      this.say("Link copied");
    } catch {
      this.say("The link is in the address bar");
    }
  }

  // Opens what a link says. False if it says nothing.
  async openLink(hash) {
    let state;
    try {
      state = await decode(hash);
    } catch (error) {
      this.problem("This link cannot be read", [{ message: error.message }]);
      return false;
    }
    if (!state || !(state.scene || state.text || state.lesson)) return false;
    const sets = state.panes ? state.panes.map((p) => p.set || []) : [[]];
    const play = state.play ?? !state.frame;
    let done;
    if (state.lesson && !state.panes && !state.frame) done = await this.openLesson(state.lesson);
    else {
      if (state.lesson) {
        await this.openLesson(state.lesson, false);
      }
      const files = {};
      for (const [name, text] of Object.entries(state.files || {})) files[name] = new TextEncoder().encode(text);
      const options = { sets, play: false, camera: state.camera || null, address: false };
      done = state.text ? await this.open({ name: state.name || "scene.json", text: state.text, files: { ...this.meshes, ...files } }, options) : await this.openScene(state.scene, options);
      $("boot").classList.add("gone");   // what is replayed is seen, and can be left
      if (done) await this.replay(state, play);
    }
    return Boolean(done);
  }

  // Ends early if another scene is opened meanwhile, or a command is refused.
  async replay(state, play) {
    const turn = this.opening;
    try {
      await Promise.all(this.panes.map(async (pane, i) => {
        const list = state.panes?.[i]?.commands || [];
        if (!list.length && !state.frame) return;
        pane.touched ||= list.length > 0;
        const answer = await pane.engine.call("replay", { list, to: state.frame || 0 });
        pane.settings = answer.settings;
      }));
    } catch (error) {
      if (turn === this.opening) this.problem("This cannot be repeated", [{ message: error.message }]);
      return;
    }
    if (turn !== this.opening) return;
    this.settingsChanged();
    this.show(this.last);
    this.play(play);
  }

  save(name, data, type) {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([data], { type })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  get fileName() {
    return `${this.scene || this.source.name.replace(/\.\w+$/, "")}_${String(this.cursor).padStart(4, "0")}`;
  }

  glb() {
    return this.writeGlb(this.panes[0].view.drawables);
  }

  exportGlb() {
    this.save(`${this.fileName}.glb`, this.glb(), "model/gltf-binary");
  }

  png() {
    this.stage.dirty = true;
    this.stage.render();
    return new Promise((resolve) => this.stage.canvas.toBlob(resolve, "image/png"));
  }

  async exportPng() {
    this.save(`${this.fileName}.png`, await this.png(), "image/png");
  }

  // The document, with what was built; what happens only once is not in it.
  async exportScene() {
    const made = await this.document();
    this.save(`${this.fileName.replace(/_\d+$/, "")}.json`, made.toString(), "application/json");
    if (made.left.length) this.say(`Saved as built. A scene file cannot say: ${made.left.join(", ")}`);
  }

  async exportJson() {
    try {
      this.save(`${this.fileName}.json`, await this.panes[0].engine.call("saveAt", { to: this.cursor }), "application/json");
    } catch (error) {
      this.say(error.message);
    }
  }

  // While nothing plays the address tells scene, frame and changes, if that is short enough to be sent.
  noteAddress() {
    clearTimeout(this.noting);
    this.noting = setTimeout(async () => {
      if (this.playing || this.lessonView.lesson || !this.panes.length || (!this.scene && !this.source.text)) return;
      const turn = this.opening, state = await this.state();
      if (!this.stage.moved) delete state.camera;
      if (!state.frame && !state.panes && !state.camera && this.scene) return this.setAddress();
      const fragment = await encode(state);
      if (turn === this.opening && !this.playing && fragment.length < MOST_ADDRESS) history.replaceState(null, "", `${location.href.replace(/#.*/, "")}#${fragment}`);
    }, 500);
  }
}

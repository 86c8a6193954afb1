// The scene as text, beside the picture. What is typed runs at once if it can be run; if not, mistakes stand below, with their places, and what ran goes on.
import { hints } from "./hints.js";

const WAIT = 350;   // ms after the last key

export class Editor {
  constructor(app, element, schema) {
    this.app = app;
    this.schema = schema;
    this.element = element;
    element.innerHTML = `<div class="drawer-head"><h2>Scene as text</h2><span class="grow"></span><button id="editor-close" aria-label="Close the text">✕</button></div>
      <div class="code"><pre class="gutter" aria-hidden="true"></pre><textarea spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off" aria-label="The scene, in JSON"></textarea></div>
      <ul class="hints" hidden aria-label="What may stand here"></ul><p class="about" aria-live="polite"></p><div class="mistakes" role="status" aria-live="polite"></div>`;
    this.area = element.querySelector("textarea");
    this.gutter = element.querySelector(".gutter");
    this.mistakes = element.querySelector(".mistakes");
    this.area.addEventListener("input", () => this.typed());
    this.area.addEventListener("scroll", () => { this.gutter.scrollTop = this.area.scrollTop; });
    this.area.addEventListener("keydown", (event) => this.key(event));
    for (const type of ["keyup", "click"]) this.area.addEventListener(type, () => this.explain());
    element.querySelector("#editor-close").addEventListener("click", () => this.show(false));
    this.mistakes.addEventListener("click", (event) => { const at = event.target.closest("[data-line]"); if (at) this.go(Number(at.dataset.line), Number(at.dataset.column)); });
    element.querySelector(".hints").addEventListener("pointerdown", (event) => { const item = event.target.closest("[data-hint]"); if (item) { event.preventDefault(); this.complete(item.dataset.hint); } });
  }

  get open() {
    return !this.element.hidden;
  }

  async show(on = !this.open) {
    if (on) this.app.closeLesson();
    this.element.hidden = !on;
    document.body.classList.toggle("in-editor", on);
    document.getElementById("toggle-editor").setAttribute("aria-pressed", String(on));
    this.app.stage.resize();
    if (on) {
      await this.refresh();
      this.area.focus();
    }
  }

  // The text as the scene is now; not while one types.
  async refresh() {
    if (!this.open || this.waiting) return;
    const text = (await this.app.document()).toString();
    if (this.waiting || text === this.area.value) return;
    this.area.value = text;
    this.tell([]);
  }

  typed() {
    clearTimeout(this.waiting);
    this.lines();
    this.waiting = setTimeout(() => this.run(), WAIT);
  }

  async run() {
    const { app } = this, text = this.area.value;
    this.running = true;
    const problems = await app.tryText(text);
    this.running = false;
    this.waiting = null;
    if (text !== this.area.value) return;
    this.tell(problems);
    this.explain();
  }

  lines(bad = new Set()) {
    const count = this.area.value.split("\n").length;
    this.gutter.innerHTML = Array.from({ length: count }, (_, i) => (bad.has(i + 1) ? `<b>${i + 1}</b>` : i + 1)).join("\n");
    this.gutter.scrollTop = this.area.scrollTop;
  }

  // Mistakes and warnings, each a button that goes there.
  tell(problems) {
    this.lines(new Set(problems.filter((p) => p.severity !== "warning").map((p) => p.line)));
    this.mistakes.replaceChildren(...problems.map((p) => {
      const row = Object.assign(document.createElement(p.line ? "button" : "p"), { className: p.severity || "error", textContent: `${p.line ? `${p.line}:${p.column}  ` : ""}${p.path ? `${p.path}: ` : ""}${p.message}` });
      if (p.line) Object.assign(row.dataset, { line: p.line, column: p.column });
      return row;
    }));
    this.element.classList.toggle("wrong", problems.some((p) => p.severity !== "warning"));
  }

  go(line, column) {
    const before = this.area.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    this.area.focus();
    this.area.setSelectionRange(before + column - 1, before + column - 1);
    this.area.scrollTop = Math.max(0, (line - 4) * 18);
  }

  // What the schema says of the key under the cursor, and what else may stand there.
  explain() {
    const { about, words, typed } = hints(this.schema, this.area.value, this.area.selectionStart);
    this.element.querySelector(".about").textContent = about;
    const list = this.element.querySelector(".hints");
    list.hidden = !words.length || document.activeElement !== this.area;
    list.innerHTML = words.slice(0, 12).map(({ word, about: what }) => `<li data-hint="${word}"><b>${word}</b> <span></span></li>`).join("");
    list.querySelectorAll("span").forEach((span, i) => { span.textContent = words[i].about; });
    this.typedWord = typed;
  }

  complete(word) {
    const at = this.area.selectionStart, from = at - this.typedWord.length;
    this.area.setRangeText(word, from, at, "end");
    this.typed();
    this.explain();
  }

  key(event) {
    const list = this.element.querySelector(".hints");
    if (event.key === "Escape") {
      if (list.hidden) this.show(false);
      list.hidden = true;
      event.stopPropagation();
    }
    if (event.key === "Tab" && !event.shiftKey && !list.hidden && this.typedWord) {
      event.preventDefault();
      this.complete(list.firstElementChild.dataset.hint);
    }
  }
}

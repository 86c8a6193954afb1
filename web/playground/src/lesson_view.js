// Shows a lesson beside its scene, with the controls it has.
const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

export class LessonView {
  constructor(app, body) {
    this.app = app;
    this.body = body;
    this.lesson = null;
  }

  // What controls say that builds the scene: as lines for 'set'.
  get builds() {
    if (!this.lesson) return [];
    return this.lesson.controls.filter((c) => c.build && this.values[c.key] !== c.start).flatMap((c) => [c.key, c.also || []].flat().map((key) => `${key}=${this.values[c.key]}`));
  }

  show(lesson, index, count) {
    this.lesson = lesson;
    this.values = {};
    for (const control of lesson.controls) if (control.build) this.values[control.key] = control.start;
    this.body.innerHTML = `<p class="source">Lesson ${index + 1} of ${count} · ${escape(lesson.source)}</p><h2>${lesson.title}</h2>${lesson.body}
      <h3>Try</h3><ol class="tasks">${lesson.tasks.map((t) => `<li>${t}</li>`).join("")}</ol><div id="lesson-controls"></div><h3>Live</h3><div id="lesson-live"></div>`;
    this.controls = lesson.controls.map((control, i) => this.add(control, i));
    this.body.parentElement.scrollTop = 0;
  }

  add(control, i) {
    const box = this.body.querySelector("#lesson-controls");
    if (control.type === "action") {
      const last = box.lastElementChild?.classList.contains("choices") ? box.lastElementChild : box.appendChild(Object.assign(document.createElement("div"), { className: "choices" }));
      const button = last.appendChild(Object.assign(document.createElement("button"), { textContent: control.label }));
      button.onclick = () => control.run(this.app);
      return { control };
    }
    const id = `lesson-control-${i}`;
    const line = box.appendChild(Object.assign(document.createElement("div"), { className: "control" }));
    line.innerHTML = `<label for="${id}">${escape(control.label)}</label>${control.type === "range"
      ? `<input id="${id}" type="range" min="${control.least}" max="${control.most}" step="${control.step}"><output for="${id}"></output>`
      : `<select id="${id}">${control.options.map(([value, name]) => `<option value="${value}">${escape(name)}</option>`).join("")}</select>`}`;
    const field = line.querySelector("input, select"), output = line.querySelector("output");
    const show = (value) => { field.value = value; if (output) output.textContent = String(value); };
    field.addEventListener("input", () => { if (output) output.textContent = field.value; });
    field.addEventListener("change", () => this.change(control, control.type === "range" ? Number(field.value) : field.value));
    if (control.build) show(control.start);
    return { control, show };
  }

  async change(control, value) {
    if (control.build) {
      this.values[control.key] = value;
      await this.app.reloadLesson();
      return;
    }
    const panes = control.pane === undefined ? this.app.panes : [this.app.panes[control.pane]].filter(Boolean);
    for (const pane of panes) await this.app.configure(pane, { [control.key]: value });
    this.sync();
  }

  // Controls show what the panes have.
  sync() {
    if (!this.lesson) return;
    for (const { control, show } of this.controls) {
      if (!show || control.build) continue;
      const pane = this.app.panes[control.pane || 0];
      if (pane?.settings) show(pane.settings[control.key]);
    }
  }

  tick() {
    const live = this.body.querySelector("#lesson-live");
    if (!this.lesson || !live || this.app.panes.some((p) => !p.picture)) return;
    if (this.lesson.other && this.app.panes.length < 2) return;
    try {
      live.innerHTML = this.lesson.live(this.app.panes, this.values);
    } catch {
      live.textContent = "";   // the scene is another one now
    }
  }

  close() {
    this.lesson = null;
    this.body.textContent = "";
  }
}

// Shows a lesson beside its scene: a question first, its sliders and numbers, the text; and labels in the picture.
import { measure, particleOf } from "./measure.js";

const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

// A number as a table shows it: three digits after the point, or an exponent; a count without a point.
function shown(v) {
  if (typeof v === "string") return escape(v);
  if (Array.isArray(v)) return `(${v.map((c) => shown(c)).join(", ")})`;
  if (!Number.isFinite(v)) return "–";
  const size = Math.abs(v);
  return (size >= 1e5 ? v.toExponential(2) : size >= 5e-7 && size < 0.0005 ? v.toFixed(6) : v.toFixed(size >= 1000 || (size >= 10 && Number.isInteger(v)) ? 0 : 3)).replace(/^-0\.0+$/, "0.000").replace("-", "−");
}

const table = (head, rows) => `<table><thead><tr><td></td>${head.map((h) => `<td>${escape(h)}</td>`).join("")}</tr></thead><tbody>${rows.map(([name, ...cells]) => `<tr><th scope="row">${escape(name)}</th>${cells.map((c) => `<td>${c}</td>`).join("")}</tr>`).join("")}</tbody></table>`;

export class LessonView {
  constructor(app, body) {
    this.app = app;
    this.body = body;
    this.lesson = null;
    this.names = document.getElementById("names");
    app.stage.onshown = () => this.place();
  }

  // What controls say that builds the scene: as lines for 'set'.
  get builds() {
    if (!this.lesson) return [];
    return this.lesson.controls.filter((c) => c.build && this.values[c.key] !== c.start).flatMap((c) => [c.key, c.also || []].flat().map((key) => `${key}=${this.values[c.key]}`));
  }

  show(lesson, index, count) {
    const { predict } = lesson;
    this.lesson = lesson;
    this.answered = false;
    this.values = {};
    for (const control of lesson.controls) if (control.build) this.values[control.key] = control.start;
    const part = (title, html) => (html ? `<h3>${title}</h3>${html}` : "");
    this.body.innerHTML = `<p class="source">Lesson ${index + 1} of ${count} · ${escape(lesson.source)}</p><h2>${lesson.title}</h2>
      <section id="predict" aria-label="Predict"><p>${predict.question}</p><div class="answers">${predict.answers.map((a) => `<button>${a}</button>`).join("")}</div><p class="why" role="status" hidden></p></section>
      <div id="lesson-controls"></div><div id="lesson-live"></div>${lesson.body}${part("Notice", lesson.notice)}${part("What the sources got wrong", lesson.wrong)}${part("Challenge", lesson.challenge)}`;
    this.body.querySelectorAll(".answers button").forEach((button, i) => { button.onclick = () => this.answer(i); });
    this.controls = lesson.controls.map((control, i) => this.add(control, i));
    this.body.parentElement.scrollTop = 0;
    this.label();
  }

  // What was predicted: says whether it is so, and lets it run.
  answer(chosen) {
    const { predict } = this.lesson, why = this.body.querySelector(".why");
    this.answered = true;
    this.body.querySelectorAll(".answers button").forEach((button, i) => {
      button.classList.toggle("right", i === predict.right);
      button.classList.toggle("off", i === chosen && i !== predict.right);
      button.setAttribute("aria-pressed", String(i === chosen));
    });
    why.innerHTML = `<b>${chosen === predict.right ? "Right." : "Watch it."}</b> ${predict.why}`;
    why.hidden = false;
    this.bringSliders(why);
    if (!this.app.playing) this.app.play(true);
  }

  // Where the lesson has little room, on a phone: scrolls until the sliders are to be seen, but not past the answer.
  bringSliders(why) {
    const panel = this.body.parentElement, room = panel.getBoundingClientRect(), head = panel.querySelector(".drawer-head")?.offsetHeight ?? 0;
    const missing = this.body.querySelector("#lesson-controls").getBoundingClientRect().bottom - room.bottom, most = why.getBoundingClientRect().top - room.top - head;
    if (missing > 0) panel.scrollTop += Math.min(missing, most);
  }

  add(control, i) {
    const box = this.body.querySelector("#lesson-controls");
    if (control.type === "action") {
      const last = box.lastElementChild?.classList.contains("choices") ? box.lastElementChild : box.appendChild(Object.assign(document.createElement("div"), { className: "choices" }));
      const button = last.appendChild(Object.assign(document.createElement("button"), { textContent: control.label }));
      button.onclick = () => this.act(control);
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

  act({ action, args }) {
    const { app } = this;
    if (action === "step") return app.stepOnce();
    if (action === "command") return app.command(0, ...args);
    return app.restart();
  }

  async change(control, value) {
    this.answered = true;   // a slider is an answer of another kind
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
    const live = this.body.querySelector("#lesson-live"), { panes } = this.app;
    if (!this.lesson || !live || panes.some((p) => !p.picture)) return;
    if (this.lesson.other && panes.length < 2) return;
    try {
      live.innerHTML = this.table(panes);
    } catch {
      live.textContent = "";   // the scene is another one now
    }
  }

  table(panes) {
    const { columns, rows, probes } = this.lesson, all = measure(panes, probes, (path) => Number(this.values[path]));
    const head = columns || (panes.length > 1 ? ["A", "B"] : ["now"]);
    return table(head, rows.map(([name, ...cells]) => [name, ...(columns ? cells.map((cell) => shown(cell(all[0]))) : all.map((one) => shown(cells[0](one))))]));
  }

  // ---- Labels in the picture --------------------------------------------------------------------------------------------------

  label() {
    this.names.textContent = "";
    this.labels = [0, 1].slice(0, this.lesson.other ? 2 : 1).flatMap((pane) => this.lesson.labels.map(([name, words]) => ({ name, pane, size: null, element: this.names.appendChild(Object.assign(document.createElement("span"), { textContent: words, hidden: true })) })));
  }

  // Beside their particles; those that would lie on each other go below.
  place() {
    if (!this.lesson || !this.labels.length) return;
    const { stage, panes } = this.app, taken = [];
    for (const label of this.labels) {
      const at = this.whereIs(panes[label.pane], label.name), screen = at && stage.toScreen(at, label.pane);
      label.element.hidden = !screen;
      if (!screen) continue;
      label.size ||= [label.element.offsetWidth, label.element.offsetHeight];
      const [width, height] = label.size, x = Math.round(Math.min(screen[0] + 12, (stage.stacked ? 1 : label.pane + 1) * stage.paneWidth - width - 4));
      let y = Math.round(screen[1] - height - 6);
      for (const one of taken) if (x < one.x + one.width && one.x < x + width && y < one.y + height && one.y < y + height) y = one.y + height + 1;
      taken.push({ x, y, width });
      label.element.style.transform = `translate(${x}px, ${y}px)`;
    }
  }

  whereIs(pane, name) {
    if (!pane?.picture) return null;
    try {
      const n = particleOf(pane.picture.model, name), { positions } = pane.picture;
      return [positions[3 * n], positions[3 * n + 1], positions[3 * n + 2]];
    } catch {
      return null;   // the scene is another one now
    }
  }

  close() {
    this.lesson = null;
    this.body.textContent = "";
    this.names.textContent = "";
  }
}

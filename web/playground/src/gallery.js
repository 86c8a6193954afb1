// The gallery, the list of lessons, the keys, and problems of files: what opens in front of the page.

const chapters = [
  ["Cloth and nets", ["cloth", "nets", "everything together"]],
  ["Ropes, chains, figures", ["ropes", "figures", "statics", "mass-spring systems", "inequality constraints"]],
  ["Soft bodies", ["soft bodies", "volume preservation"]],
  ["Contact and grains", ["contact"]],
  ["Rigid bodies and joints", ["rigid bodies", "joints", "rigid bodies from particles", "bodies"]],
  ["Solvers, integrators, stability", ["solvers", "integrators", "stability", "stiffness", "damping", "distance constraint", "constrained dynamics"]],
];

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

// Small pictures lie in one file, in the order of their names.
function picture(name, thumbs) {
  const i = thumbs.names.indexOf(name);
  if (i < 0) return "";
  const columns = thumbs.columns, rows = Math.ceil(thumbs.names.length / columns);
  const x = columns > 1 ? (100 * (i % columns)) / (columns - 1) : 0, y = rows > 1 ? (100 * Math.floor(i / columns)) / (rows - 1) : 0;
  return `background-image:var(--thumbs);background-size:${100 * columns}% ${100 * rows}%;background-position:${x}% ${y}%`;
}

export function fillGallery(body, scenes, thumbs, open) {
  const left = new Set(scenes.keys());
  const card = (name) => {
    const { title, about } = scenes.get(name);
    left.delete(name);
    return `<button class="card" data-scene="${name}"><div class="picture" style="${picture(name, thumbs)}"></div><div class="words"><b>${escape(title)}</b><span>${escape(about)}</span></div></button>`;
  };
  const chapter = (title, names) => (names.length ? `<section><h3>${title}</h3><div class="cards">${names.map(card).join("")}</div></section>` : "");
  const html = chapters.map(([title, topics]) => chapter(title, [...scenes].filter(([, s]) => topics.includes(s.topic)).map(([name]) => name)));
  html.push(chapter("And more", [...left]));
  body.innerHTML = html.join("");
  body.addEventListener("click", (event) => {
    const found = event.target.closest("[data-scene]");
    if (found) open(found.dataset.scene);
  });
}

export function findInGallery(body, text) {
  const wanted = text.trim().toLowerCase();
  for (const section of body.querySelectorAll("section")) {
    let any = false;
    for (const card of section.querySelectorAll(".card")) {
      card.hidden = wanted !== "" && !`${card.dataset.scene} ${card.textContent}`.toLowerCase().includes(wanted);
      any ||= !card.hidden;
    }
    section.hidden = !any;
  }
}

export function fillLessons(list, { lessons, chapters }, open) {
  const line = (id) => { const l = lessons.find((one) => one.id === id); return `<li><button data-lesson="${l.id}"><b>${l.title}</b><span>${l.short}</span></button></li>`; };
  list.innerHTML = chapters.map((c) => `<section><h3>${c.title}</h3><ol>${c.lessons.map(line).join("")}</ol></section>`).join("");
  list.addEventListener("click", (event) => {
    const found = event.target.closest("[data-lesson]");
    if (found) open(found.dataset.lesson);
  });
}

export const keys = [
  ["Time", [["Space", "play or pause"], [".", "one frame forward"], [",", "one frame back"], ["Home", "start again"], ["[ ]", "slower, faster"]]],
  ["Look", [["F", "show all"], ["drag background", "turn"], ["right drag", "move"], ["wheel, pinch, + −", "nearer, farther"], ["arrows", "turn"], ["T", "dark or light"]]],
  ["Tools", [["V", "grab: drag things, with two fingers two"], ["H", "throw a ball"], ["A", "add: draw a rope, a cloth, a box ..."], ["K", "connect: drag from one thing to another"], ["X", "cut: draw a line"], ["P", "pin, or let go; Shift + click does so with any tool"], ["W", "wind: air goes with the pointer"], ["E", "explode"], ["Q", "look inside: click on a thing"], ["D", "copy"], ["Del", "delete"], ["Z", "undo, also Ctrl Z: back to the moment before"], ["Y", "redo, also Ctrl Y"], ["Esc", "the hand again"]]],
  ["Open", [["G", "scenes"], ["L", "lessons"], ["J", "the scene as text"], ["B", "compare two settings"], ["U", "each as a ghost in the other"], ["S", "settings and curves"], ["O", "a file of yours"], ["C", "copy a link"], ["I", "save a picture"], ["R", "record a film, and again to end and save it"], ["?", "this"], ["Esc", "close"]]],
];

export function fillHelp(body) {
  body.innerHTML = keys.map(([title, rows]) => `<table><caption class="hide">${title}</caption><tbody>${rows.map(([key, what]) => `<tr><td>${/^[A-Z?.,]$|^(Space|Home|Esc|Del|\[ \])$/.test(key) ? `<kbd>${key}</kbd>` : key}</td><td>${what}</td></tr>`).join("")}</tbody></table>`).join("");
}

// Problems of a scene, each with the line it is about and a mark below the place.
export function fillProblems(body, problems, source) {
  const lines = source ? source.split(/\r\n|\n|\r/) : [];
  body.innerHTML = problems.map(({ severity = "error", line, column, path, message, file }) => {
    const where = [file, line ? `line ${line}, column ${column}` : "", path].filter(Boolean).join(" · ");
    const own = line ? lines[line - 1] : undefined;
    let excerpt = "";
    if (own !== undefined) {
      const from = Math.max(0, column - 41), shown = own.slice(from, from + 92);
      excerpt = `<pre><i>${line} │ </i>${escape(shown)}\n<i>${" ".repeat(String(line).length)} │ </i>${" ".repeat(Math.max(0, column - 1 - from))}<em>^</em></pre>`;
    }
    return `<div class="problem ${severity}"><p class="where">${escape(where || severity)}</p><p>${escape(message)}</p>${excerpt}</div>`;
  }).join("");
}

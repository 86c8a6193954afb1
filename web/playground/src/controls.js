// Buttons, keys and files that are dropped: what they do.

const $ = (id) => document.getElementById(id);

export function wire(app) {
  const on = (id, run) => $(id).addEventListener("click", () => run());
  on("open-gallery", () => $("gallery").showModal());
  on("open-lessons", () => $("lessons").showModal());
  on("open-help", () => $("help").showModal());
  on("toggle-editor", () => app.editor?.show());
  on("toggle-split", () => app.toggleSplit());
  on("toggle-ghosts", () => app.toggleGhosts());
  on("open-file", () => $("file-input").click());
  on("share", () => app.share());
  on("export-glb", () => app.exportGlb());
  on("export-png", () => app.exportPng());
  on("export-webm", () => app.recorder?.toggle("webm"));
  on("export-gif", () => app.recorder?.toggle("gif"));
  on("export-scene", () => app.exportScene());
  on("export-json", () => app.exportJson());
  on("toggle-theme", () => app.setTheme(app.theme === "dark" ? "light" : "dark"));
  on("play", () => app.play(!app.playing));
  on("step", () => app.stepOnce());
  on("step-back", () => app.stepBack());
  on("to-start", () => app.restart());
  on("panel-reset", () => app.reset());
  on("panel-close", () => app.togglePanel(false));
  on("toggle-panel", () => app.togglePanel());
  on("fit", () => app.fitView());
  on("lesson-list", () => $("lessons").showModal());
  on("lesson-prev", () => app.nextLesson(-1));
  on("lesson-next", () => app.nextLesson(1));
  on("lesson-close", () => { app.closeLesson(); if (app.panes.length > 1) app.toggleSplit(); });
  on("hash", () => navigator.clipboard?.writeText($("hash").dataset.hash).then(() => app.say("Hash copied"), () => {}));
  $("speed").addEventListener("change", () => app.setSpeed(0));
  $("timeline").addEventListener("input", () => app.scrub(Number($("timeline").value)));
  $("gallery-find").addEventListener("input", () => app.gallery.then(({ findInGallery }) => findInGallery($("gallery-body"), $("gallery-find").value)));
  $("gallery-find").addEventListener("keydown", (event) => { if (event.key === "Escape" && !event.target.value) $("gallery").close(); });
  $("export-menu").addEventListener("click", (event) => { if (event.target.closest("[role=menuitem]")) $("export-menu").open = false; });
  document.addEventListener("pointerdown", (event) => { if (!event.target.closest("#export-menu")) $("export-menu").open = false; });
  $("file-input").addEventListener("change", () => { app.openFiles([...$("file-input").files]); $("file-input").value = ""; });
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.querySelector(".close").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => { if (!app.themeChosen()) app.setTheme(event.matches ? "dark" : "light", false); });
  addEventListener("hashchange", () => app.openLink(location.hash));
  addEventListener("resize", () => app.plots.resize());
  wireDrop(app);
  addEventListener("keydown", (event) => key(app, event));
}

function wireDrop(app) {
  let inside = 0;
  const hint = (by) => { inside = Math.max(0, inside + by); $("drop-hint").hidden = inside === 0; };
  addEventListener("dragenter", (event) => { event.preventDefault(); hint(1); });
  addEventListener("dragleave", () => hint(-1));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    hint(-inside);
    if (event.dataTransfer.files.length) app.openFiles([...event.dataTransfer.files]);
  });
}

function key(app, event) {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && ["z", "y"].includes(event.key.toLowerCase()) && !event.target.closest("input:not([type=range]), textarea")) {
    event.preventDefault();
    app.undo(event.key.toLowerCase() === "y" || event.shiftKey);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=range]), select, textarea") || document.querySelector("dialog[open]")) return;
  if (event.key === " " && event.target.closest("button, summary, a")) return;   // a button's own key
  const actions = {
    " ": () => app.play(!app.playing), ".": () => app.stepOnce(), ",": () => app.stepBack(), Home: () => app.restart(),
    "[": () => app.setSpeed(-1), "]": () => app.setSpeed(1), f: () => app.fitView(), t: () => $("toggle-theme").click(),
    g: () => $("gallery").showModal(), l: () => $("lessons").showModal(), b: () => app.toggleSplit(), u: () => { if (app.panes.length > 1) app.toggleGhosts(); }, j: () => app.editor?.show(), s: () => app.togglePanel(), o: () => $("file-input").click(),
    c: () => app.share(), i: () => app.exportPng(), r: () => app.recorder?.toggle("webm"), "?": () => $("help").showModal(), Escape: () => (app.tools?.escape() ? null : app.closeLesson()),
    ...app.tools?.keys,
  };
  const turns = { ArrowLeft: [-1, 0, 1], ArrowRight: [1, 0, 1], ArrowUp: [0, 1, 1], ArrowDown: [0, -1, 1], "+": [0, 0, 0.9], "=": [0, 0, 0.9], "-": [0, 0, 1 / 0.9] };
  if (turns[event.key] && event.target.type !== "range") actions[event.key] = () => app.turnView(...turns[event.key]);
  const run = actions[event.key] || actions[event.key.toLowerCase()];
  if (!run || (event.target.type === "range" && event.key === "Home")) return;
  event.preventDefault();
  run();
}

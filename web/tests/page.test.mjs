// The page in a real browser: every scene with its native hash, and everything that a visitor can do. Frame rates are nobody's business
// here: WebGL runs in software.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { readLessons } from "../playground/lessons.mjs";
import { dist, onScreen, openPage, openScene, particle, playground, runTo, start, validateGlb } from "./browser.mjs";

const root = path.resolve(playground, "../..");
const goldens = JSON.parse(readFileSync(path.join(playground, "data/goldens.json"), "utf8"));
const scenes = readdirSync(path.join(root, "scenes")).filter((n) => n.endsWith(".json")).map((n) => n.slice(0, -5));
const SMALL = [840, 480];   // above the width of phones
let session, page;

before(async () => {
  session = await start();
  page = await fresh();
});
after(() => session?.close());

const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
const fresh = async (options = {}) => {   // with settings and curves open, where there is room
  const p = await openPage(session, { hash: "#scene=pendulum", size: SMALL, ...options });
  if (!options.size) await p.evaluate(() => playground.togglePanel(true));
  return p;
};
const settled = (p, frames) => p.waitForFunction((n) => playground.cursor >= n, frames, { timeout: 60000 });

test("every scene runs 120 frames with the native hash", async (t) => {
  for (const name of scenes) {
    await t.test(name, async () => {
      assert.ok(goldens[name], `data/goldens.json has no '${name}': run node web/playground/goldens.mjs`);
      assert.equal(await openScene(page, name), true);
      const { frame, hash, failed } = await runTo(page, 120);
      assert.deepEqual(failed, [null]);
      assert.equal(frame, 120);
      assert.equal(hash, goldens[name][120]);
      assert.match(await page.textContent("#hash"), /the same at frame/);
      await page.evaluate(() => { playground.stage.dirty = true; playground.stage.render(); });
      assert.deepEqual(page.errors.splice(0), []);
    });
  }
});

test("the hashes in the page are those of the program here", async (t) => {
  const program = process.env.SINEW_PROGRAM || path.join(root, "build/release/sinew");
  if (!existsSync(program)) return t.skip("there is no native program");
  for (const name of ["pendulum", "heavy_bob", "hinge_door", "point_on_circle", "cascade_and_jacobi"]) {
    const { stdout } = await promisify(execFile)(program, ["run", path.join(root, "scenes", `${name}.json`), "--frames", "120", "--json"], { maxBuffer: 1 << 26 });
    assert.equal(JSON.parse(stdout.trim().split("\n").pop()).state_hash, goldens[name][120], name);
  }
});

test("dragging pulls a particle, and the run is its own from then on", async () => {
  await openScene(page, "heavy_bob");
  await runTo(page, 30);
  const before = await particle(page, 20), from = await onScreen(page, before);
  await page.evaluate(() => playground.play(true));
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.waitForFunction(() => playground.hands.held?.grabbed);
  await page.mouse.move(from.x + 30, from.y - 60, { steps: 4 });
  const target = await page.evaluate(() => playground.hands.held.target);
  await settled(page, 75);
  const there = await particle(page, 20);
  assert.ok(distance(there, target) < 0.5 * distance(before, target), `at ${there}, wanted ${target}`);
  await page.mouse.up();
  await settled(page, 80);
  assert.match(await page.textContent("#hash"), /touched/);
  assert.equal(await page.evaluate(() => playground.hands.held), null);
  assert.deepEqual(page.errors.splice(0), []);
});

test("dragging the background turns the view", async () => {
  await openScene(page, "pendulum");
  const view = await page.evaluate(() => playground.stage.view);
  const box = await page.locator("#canvas").boundingBox();
  await page.mouse.move(box.x + 12, box.y + box.height - 12);
  await page.mouse.down();
  await page.mouse.move(box.x + 90, box.y + box.height - 30, { steps: 3 });
  await page.mouse.up();
  assert.notDeepEqual(await page.evaluate(() => playground.stage.view), view);
  assert.doesNotMatch(await page.textContent("#hash"), /touched/);
});

test("a body can be dragged", async () => {
  await openScene(page, "gyroscope");
  await openScene(page, "box_tower");
  const before = await page.evaluate(() => [...playground.panes[0].picture.bodies.slice(7 * 19, 7 * 19 + 3)]);
  const from = await onScreen(page, before);
  await page.evaluate(() => playground.play(true));
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.waitForFunction(() => playground.hands.held?.grabbed);
  await page.mouse.move(from.x + 50, from.y, { steps: 4 });
  await settled(page, 40);
  await page.mouse.up();
  const now = await page.evaluate(() => [...playground.panes[0].picture.bodies.slice(7 * 19, 7 * 19 + 3)]);
  assert.ok(distance(before, now) > 0.02, `it stayed at ${now}`);
  assert.deepEqual(page.errors.splice(0), []);
});

test("in two dimensions things are dragged in their plane", async () => {
  await openScene(page, "box_2d");
  const before = await particle(page, 0), from = await onScreen(page, before);
  await page.evaluate(() => playground.play(true));
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.waitForFunction(() => playground.hands.held?.grabbed);
  await page.mouse.move(from.x + 25, from.y - 30, { steps: 4 });
  await settled(page, 25);
  await page.mouse.up();
  const now = await particle(page, 0);
  assert.ok(distance(before, now) > 0.05, `it stayed at ${now}`);
  assert.equal(now[2], 0);
  assert.doesNotMatch(await page.textContent("#status"), /expected/);
  assert.deepEqual(page.errors.splice(0), []);
});

test("pinning holds a particle, and lets it go", async () => {
  await openScene(page, "heavy_bob");
  await runTo(page, 20);
  const place = await onScreen(page, await particle(page, 20));
  await page.keyboard.down("Shift");
  await page.mouse.click(place.x, place.y);
  await page.keyboard.up("Shift");
  await page.waitForFunction(() => playground.panes[0].picture.fixed[20] === 1);
  const held = await particle(page, 20);
  await runTo(page, 40);
  assert.ok(distance(await particle(page, 20), held) < 1e-4);
  await page.click("#tool-pin");
  const again = await onScreen(page, held);
  await page.mouse.click(again.x, again.y);
  await page.waitForFunction(() => playground.panes[0].picture.fixed[20] === 0);
  await page.click("#tool-grab");
  await runTo(page, 60);
  assert.ok(distance(await particle(page, 20), held) > 0.02);
  assert.deepEqual(page.errors.splice(0), []);
});

test("scrubbing shows what was, and going on from there gives the same bits", async () => {
  await openScene(page, "cascade_and_jacobi");
  const { hash } = await runTo(page, 75);
  const at40 = await page.evaluate(() => [...playground.panes[0].timeline.at(40).positions.slice(0, 30)]);
  await runTo(page, 100);
  await page.evaluate(() => { const t = document.getElementById("timeline"); t.value = 40; t.dispatchEvent(new Event("input")); });
  assert.equal(await page.evaluate(() => playground.cursor), 40);
  assert.deepEqual(await page.evaluate(() => [...playground.panes[0].picture.positions.slice(0, 30)]), at40);
  assert.match(await page.textContent("#clock"), /0\.67 s/);
  await page.evaluate(() => playground.branch());
  assert.equal(await page.evaluate(() => playground.last), 40);
  assert.equal((await runTo(page, 75)).hash, hash);
  assert.deepEqual(page.errors.splice(0), []);
});

test("the time line is dragged with the mouse, and playing shows the recording again", async () => {
  await openScene(page, "pendulum");
  await runTo(page, 90);
  const box = await page.locator("#timeline").boundingBox();
  await page.mouse.move(box.x + 0.2 * box.width, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.08 * box.width, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  const frame = await page.evaluate(() => playground.cursor);
  assert.ok(frame < 60, `at frame ${frame}`);
  assert.equal(await page.evaluate(() => playground.live), false);
  await page.click("#play");
  await settled(page, frame + 3);
  assert.equal(await page.evaluate(() => playground.last), 90);
  await page.click("#play");
  assert.doesNotMatch(await page.textContent("#hash"), /touched/);
});

test("what was done is done again when the past is repeated", async () => {
  await openScene(page, "heavy_bob");
  await runTo(page, 10);
  await page.evaluate(() => playground.configure(playground.panes[0], { substeps: 7 }));
  await page.evaluate(() => playground.command(0, "impulse", [20, [0, 30, 5]]));
  const { hash } = await runTo(page, 50);
  await runTo(page, 70);
  await page.evaluate(async () => { playground.scrub(50); await playground.branch(); });
  assert.equal(await page.evaluate(() => playground.panes[0].engine.call("hash").then((h) => h.hash)), hash);
  assert.equal(await page.evaluate(() => playground.panes[0].settings.substeps), 7);
});

test("play, pause, one frame forward and back, slow motion, start again", async () => {
  await openScene(page, "pendulum");
  await page.click("#play");
  await settled(page, 5);
  await page.click("#play");
  await page.waitForFunction(() => !playground.playing && playground.panes[0].flying === 0 && playground.cursor === playground.last);
  const frame = await page.evaluate(() => playground.cursor);
  await page.click("#step");
  await page.waitForFunction((n) => playground.cursor === n, frame + 1);
  await page.click("#step-back");
  assert.equal(await page.evaluate(() => playground.cursor), frame);
  await page.selectOption("#speed", "0.1");
  assert.equal(await page.evaluate(() => playground.speed), 0.1);
  await page.selectOption("#speed", "1");
  await page.click("#to-start");
  await page.waitForFunction(() => playground.cursor === 0);
});

test("solver, integrator, substeps and compliance change while it runs", async () => {
  await openScene(page, "cascade_and_jacobi");
  const choose = (label, value) => page.locator("#gui-a .lil-controller", { hasText: label }).locator("select").first().selectOption({ label: value });
  await page.click("#play");
  await choose("Solver", "jacobi");
  await page.waitForFunction(() => playground.panes[0].settings.solver === "jacobi");
  await choose("Integrator", "verlet");
  await page.waitForFunction(() => playground.panes[0].settings.integrator === "verlet");
  const substeps = page.locator("#gui-a .lil-controller", { hasText: "Substeps" }).locator("input");
  await substeps.fill("6");
  await substeps.press("Enter");
  await page.waitForFunction(() => playground.panes[0].settings.substeps === 6);
  const passes = page.locator("#gui-a .lil-controller", { hasText: "Passes" }).locator("input");
  await passes.fill("3");
  await passes.press("Enter");
  await page.waitForFunction(() => playground.panes[0].settings.iterations === 3);
  const frame = await page.evaluate(() => playground.cursor);
  await settled(page, frame + 3);
  await page.click("#play");
  const low = () => page.evaluate(() => { const p = playground.panes[0].picture.positions; let y = 9; for (let i = 1; i < p.length; i += 3) y = Math.min(y, p[i]); return y; });
  await page.evaluate(() => playground.reset());
  await runTo(page, 120);
  const stiff = await low();
  await page.evaluate(() => playground.reset());
  await page.evaluate(() => playground.soften(playground.panes[0], null, 0.02));
  await runTo(page, 120);
  assert.ok(await low() < stiff - 0.05, `${await low()} is not below ${stiff}`);
  assert.deepEqual(page.errors.splice(0), []);
});

test("settings that exclude each other are sorted out, others are refused with a reason", async () => {
  await openScene(page, "pendulum");
  assert.equal(await page.isVisible("#invite"), false, "the hint speaks of the first scene");
  await page.evaluate(() => playground.configure(playground.panes[0], { order: "symmetric" }));
  assert.deepEqual(await page.evaluate(() => [playground.panes[0].settings.order, playground.panes[0].settings.solver]), ["symmetric", "gauss_seidel"]);
  await page.evaluate(() => playground.configure(playground.panes[0], { solver: "tiled" }));
  assert.deepEqual(await page.evaluate(() => [playground.panes[0].settings.order, playground.panes[0].settings.solver]), ["there_and_back", "tiled"]);
  assert.equal(await page.evaluate(() => playground.configure(playground.panes[0], { substeps: 0 })), false);
  assert.match(await page.textContent("#status"), /substeps/);
});

test("two settings side by side, with curves of both", async () => {
  const p = await fresh();
  await openScene(p, "cascade_and_jacobi");
  const requests = session.server.requests.length;
  await p.click("#toggle-split");
  await p.waitForFunction(() => playground.panes.length === 2 && playground.playing);
  assert.deepEqual(await p.evaluate(() => playground.panes.map((x) => x.settings.solver)), ["gauss_seidel", "jacobi"]);
  await runTo(p, 60);
  const hashes = await p.evaluate(() => playground.panes.map((x) => x.picture.hash));
  assert.notEqual(hashes[0], hashes[1]);
  assert.equal(hashes[0], goldens.cascade_and_jacobi[60]);
  await p.evaluate(() => { playground.plotted = ""; playground.slowTick(); });
  assert.match(await p.textContent("#plot-energy figcaption"), /A.*B/s);
  const lengths = await p.evaluate(() => playground.plots.plots.map((x) => x.chart.data.map((c) => c.length)));
  for (const l of lengths) assert.deepEqual(l, [61, 61, 61]);
  assert.match(await p.textContent("#label-b"), /jacobi/);
  await p.click("#toggle-split");
  await p.waitForFunction(() => playground.panes.length === 1);
  await p.click("#open-gallery");
  await p.click("#gallery .close");
  await p.evaluate(() => playground.openLesson("order"));
  assert.deepEqual(session.server.requests.slice(requests), [], "fetched after the page had loaded");
  assert.deepEqual(p.errors, []);
  await p.context().close();
});

test("dragging in the second pane leaves the first alone", async () => {
  await page.evaluate(() => playground.openLesson("bob"));
  await runTo(page, 20);
  const from = await onScreen(page, await particle(page, 20, 1), 1);
  await page.evaluate(() => playground.play(true));
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.waitForFunction(() => playground.hands.held?.grabbed);
  assert.equal(await page.evaluate(() => playground.hands.held.index), 1);
  await page.mouse.move(from.x + 20, from.y - 20, { steps: 3 });
  await settled(page, 30);
  await page.mouse.up();
  const commands = await page.evaluate(() => Promise.all(playground.panes.map((p) => p.engine.call("commands"))));
  assert.equal(commands[0].length, 0);
  assert.ok(commands[1].some((c) => c[1] === "pull"));
  await page.evaluate(() => playground.closeLesson());
});

test("curves of one scene", async () => {
  await openScene(page, "pendulum");
  await runTo(page, 30);
  await page.evaluate(() => { if (document.getElementById("panel").hidden) playground.togglePanel(true); playground.plotted = ""; playground.slowTick(); });
  const data = await page.evaluate(() => playground.plots.plots.map((p) => p.chart.data.map((c) => [...c])));
  assert.equal(data[0].length, 5);
  assert.equal(data[0][0].length, 31);
  const total = data[0][1], kinetic = data[0][2], potential = data[0][3];
  for (let i = 0; i <= 30; ++i) assert.ok(Math.abs(total[i] - kinetic[i] - potential[i]) < 1e-6);
  assert.ok(kinetic[30] > 0.1);
  const [, momentum, residual] = data;
  assert.equal(momentum.length, 3);
  assert.ok(momentum[1][30] > 0.1 && momentum[2][30] > 0.01, "momentum, linear and angular");
  assert.equal(residual.length, 1 + await page.evaluate(() => playground.panes[0].picture.report.kinds.length));   // one for each kind
  assert.ok(residual[1].some((v) => v > 0) && residual[1].every((v) => v === null || v < 0.01), "residuals");
});

test("the lesson of the worked example has its numbers", async () => {
  await page.evaluate(() => playground.openLesson("distance"));
  await page.waitForSelector("#lesson-live table");
  await page.click("text=Project once");
  await page.waitForFunction(() => playground.cursor === 1);
  await page.waitForFunction(() => document.querySelector("#lesson-live").textContent.split("(4.667, 3.167, 2.333)").length === 3);   // by hand and by the engine
  const text = await page.textContent("#lesson-live");
  assert.equal(text.split("(2.667, 4.167, 4.333)").length, 3);
  assert.equal(text.split("(−0.333, 0.167, 0.333)").length, 3);
});

test("every lesson opens, runs and shows its numbers", async (t) => {
  const ids = await page.evaluate(() => [...document.querySelectorAll("[data-lesson]")].map((b) => b.dataset.lesson));
  assert.deepEqual(ids, readLessons().map(({ lesson }) => lesson.id));
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.evaluate(() => playground.stage.setQuality(3));
  for (const id of ids) {
    await t.test(id, async () => {
      assert.equal(await page.evaluate((id) => playground.openLesson(id), id), true);
      const fold = await page.evaluate(() => { const controls = document.querySelectorAll("#lesson-controls .control"), last = controls[controls.length - 1]; return [playground.playing, playground.cursor, last.getBoundingClientRect().bottom, document.querySelector("footer").getBoundingClientRect().top]; });
      assert.deepEqual(fold.slice(0, 2), [false, 0], "it waits for a prediction");
      assert.ok(fold[2] <= fold[3], `sliders are to be seen without scrolling: ${fold[2]} px of ${fold[3]}`);
      await page.evaluate(() => document.querySelectorAll("#predict button")[playground.lessonView.lesson.predict.right].click());
      assert.equal(await page.evaluate(() => playground.playing), true);
      assert.match(await page.textContent("#predict .why"), /^Right\. .{20}/);
      await runTo(page, 12);
      await page.evaluate(() => { playground.stage.dirty = true; playground.stage.render(); });
      const labels = await page.evaluate(() => [playground.lessonView.labels.length, [...document.querySelectorAll("#names span")].filter((s) => !s.hidden).length]);
      assert.equal(labels[1], labels[0], "labels that are to be seen");
      await page.evaluate(() => { playground.plotted = ""; playground.slowTick(); });
      const cells = await page.$$eval("#lesson-live td", (all) => all.map((c) => c.textContent));
      assert.ok(cells.length >= 2, "a table");
      assert.ok(!cells.some((c) => /NaN|undefined/.test(c)), cells.join(" "));
      assert.ok(await page.$$eval("#lesson-body math", (all) => all.length) > 0, "a formula");
      assert.deepEqual(page.errors.splice(0), []);
    });
  }
  await page.setViewportSize({ width: SMALL[0], height: SMALL[1] });
  await page.evaluate(() => playground.closeLesson());
});

test("a control of a lesson changes its pane", async () => {
  await page.evaluate(() => playground.openLesson("bob"));
  const field = page.getByLabel("Substeps, A");
  await field.fill("40");
  await page.waitForFunction(() => playground.panes[0].settings.substeps === 40);
  assert.equal(await page.evaluate(() => playground.panes[1].settings.substeps), 10);
  await page.evaluate(() => playground.closeLesson());
});

test("a scene and a mesh of one's own", async () => {
  const text = readFileSync(path.join(root, "scenes/pendulum.json"), "utf8").replace(/"title": "[^"]*"/, '"title": "Mine"');
  await page.setInputFiles("#file-input", { name: "mine.json", mimeType: "application/json", buffer: Buffer.from(text) });
  await page.waitForFunction(() => document.getElementById("scene-title").textContent === "Mine");
  assert.equal((await runTo(page, 120)).hash, goldens.pendulum[120]);
  const cube = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
  await page.setInputFiles("#file-input", { name: "cube.obj", mimeType: "model/obj", buffer: Buffer.from(cube) });
  await page.waitForFunction(() => document.getElementById("scene-title").textContent === "cube.obj");
  const { frame, failed } = await runTo(page, 60);
  assert.equal(frame, 60);
  assert.deepEqual(failed, [null]);
  await page.setInputFiles("#file-input", { name: "sheet.obj", mimeType: "model/obj", buffer: readFileSync(path.join(root, "scenes/meshes/round_cloth.obj")) });
  await page.waitForFunction(() => document.getElementById("scene-title").textContent === "sheet.obj");
  await runTo(page, 20);
  assert.deepEqual(page.errors.splice(0), []);
});

test("dropped files are read", async () => {
  const text = readFileSync(path.join(root, "scenes/pendulum.json"), "utf8").replace(/"title": "[^"]*"/, '"title": "Dropped"');
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "dropped.json"));
    document.body.dispatchEvent(new DragEvent("dragenter", { dataTransfer: data, bubbles: true }));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, text);
  await page.waitForFunction(() => document.getElementById("scene-title").textContent === "Dropped");
  assert.equal(await page.isHidden("#drop-hint"), true);
});

test("bad files say what is wrong and where, and the scene goes on", async (t) => {
  await openScene(page, "pendulum");
  const cases = [
    ["syntax.json", '{"world": {"substeps": 10},\n "objects": [}', /line 2, column 1[34]/],
    ["key.json", '{\n  "world": {"substep": 10}\n}', /line 2, column \d+.*substep/s],
    ["value.json", '{\n  "objects": [\n    {"type": "rope", "segments": -2}\n  ]\n}', /line 3, column \d+.*segments/s],
    ["mesh.obj", "v 0 0 0\nv 1 0 0\nf 1 2 9\n", /./],
    ["picture.gif", "GIF89a", /picture\.gif.*expected a scene/s],
  ];
  for (const [name, text, expected] of cases) {
    await t.test(name, async () => {
      await page.setInputFiles("#file-input", { name, mimeType: "text/plain", buffer: Buffer.from(text) });
      await page.waitForSelector("#problems[open]");
      assert.match(await page.textContent("#problems-body"), expected);
      await page.click("#problems .close");
      assert.match(await page.textContent("#scene-title"), /pendulum/i);
      assert.deepEqual(page.errors.splice(0), []);
    });
  }
});

test("a link brings back scene, time, settings, drags and camera", async () => {
  await openScene(page, "heavy_bob");
  await runTo(page, 10);
  await page.evaluate(() => playground.configure(playground.panes[0], { solver: "direct", substeps: 8 }));
  await page.evaluate(() => playground.command(0, "impulse", [20, [0, 40, 0]]));
  const { hash } = await runTo(page, 45);
  const [link, view] = await page.evaluate(async () => [await playground.link(), playground.stage.view]);
  const p = await fresh({ hash: `#${link.split("#")[1]}` });
  await p.waitForFunction(() => playground.cursor === 45);
  assert.equal(await p.evaluate(() => playground.panes[0].picture.hash), hash);
  assert.equal(await p.evaluate(() => playground.panes[0].settings.solver), "direct");
  const there = await p.evaluate(() => playground.stage.view);
  view.forEach((v, i) => assert.ok(Math.abs(v - there[i]) < 0.02));
  assert.deepEqual(p.errors, []);
  await p.context().close();
});

test("the button copies the link, and puts it into the address", async () => {
  const p = await fresh({ permissions: ["clipboard-read", "clipboard-write"] });
  await runTo(p, 40);   // it played before it was there
  await p.evaluate(() => playground.scrub(7));
  await p.click("#share");
  await p.waitForFunction(() => document.getElementById("status").textContent === "Link copied");
  const copied = await p.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, p.url());
  assert.match(copied, /#scene=pendulum&frame=7&camera=/);
  assert.deepEqual(p.errors, []);
  await p.context().close();
});

test("a plain link, a link of a scene of one's own, and a damaged one", async () => {
  const p = await fresh({ hash: "#scene=flag&frame=3" });
  assert.deepEqual(await p.evaluate(() => [playground.scene, playground.cursor, playground.playing]), ["flag", 3, false]);
  const text = '{"title": "Tiny", "objects": [{"type": "particles", "positions": [0, 1, 0]}]}';
  await p.setInputFiles("#file-input", { name: "tiny.json", mimeType: "application/json", buffer: Buffer.from(text) });
  await p.waitForFunction(() => document.getElementById("scene-title").textContent === "Tiny");
  const { hash } = await runTo(p, 5);
  const link = await p.evaluate(() => playground.link());
  const q = await fresh({ hash: `#${link.split("#")[1]}` });
  assert.equal(await q.textContent("#scene-title"), "Tiny");
  assert.equal(await q.evaluate(() => playground.panes[0].picture.hash), hash);
  await q.context().close();
  const r = await fresh({ hash: "#z=AAAAdamaged" });
  assert.equal(await r.isVisible("#problems"), true);
  assert.deepEqual(r.errors, []);
  await r.context().close();
  await p.context().close();
});

test("models are valid glTF, pictures are PNG", async (t) => {
  for (const name of ["washing_line", "box_pile", "grain_pile", "hour_glass", "arm_through_curtain", "zoo", "jelly_cubes"]) {
    await t.test(name, async () => {
      await openScene(page, name);
      await runTo(page, 4);
      const { errors, info } = await validateGlb(Buffer.from(await page.evaluate(async () => { let s = ""; for (const b of playground.glb()) s += String.fromCharCode(b); return btoa(s); }), "base64"));
      assert.deepEqual(errors, []);
      assert.ok(info.totalTriangleCount > 10);
    });
  }
  await page.click("#export-menu summary");
  const [model] = await Promise.all([page.waitForEvent("download"), page.click("#export-glb")]);
  assert.match(model.suggestedFilename(), /^jelly_cubes_0004\.glb$/);
  assert.deepEqual((await validateGlb(readFileSync(await model.path()))).errors, []);
  const [download] = await Promise.all([page.waitForEvent("download"), page.evaluate(() => playground.exportPng())]);
  assert.match(download.suggestedFilename(), /^jelly_cubes_0004\.png$/);
  const bytes = readFileSync(await download.path());
  assert.deepEqual([...bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  assert.ok(bytes.length > 5000, "not an empty picture");
  const [saved] = await Promise.all([page.waitForEvent("download"), page.evaluate(() => playground.exportJson())]);
  const text = readFileSync(await saved.path(), "utf8");
  assert.doesNotThrow(() => JSON.parse(text));
});

test("the keyboard", async () => {
  const p = await fresh();
  await p.evaluate(() => playground.play(false));
  await p.keyboard.press("Space");
  assert.equal(await p.evaluate(() => playground.playing), true);
  await p.keyboard.press("Space");
  assert.equal(await p.evaluate(() => playground.playing), false);
  await p.keyboard.press("?");
  assert.equal(await p.isVisible("#help"), true);
  await p.keyboard.press("Escape");
  assert.equal(await p.isVisible("#help"), false);
  for (const [key, id] of [["g", "#gallery"], ["l", "#lessons"]]) {
    await p.keyboard.press(key);
    assert.equal(await p.isVisible(id), true);
    await p.keyboard.press("Escape");
  }
  const theme = await p.evaluate(() => document.documentElement.dataset.theme);
  await p.keyboard.press("t");
  assert.notEqual(await p.evaluate(() => document.documentElement.dataset.theme), theme);
  await p.keyboard.press("s");
  assert.equal(await p.isVisible("#panel"), false);
  assert.deepEqual(p.errors, []);
  await p.context().close();
});

test("the gallery finds and opens scenes", async () => {
  await page.click("#open-gallery");
  assert.equal(await page.locator(".card").count(), scenes.length);
  await page.fill("#gallery-find", "gyroscope");
  await page.click(".card:visible >> nth=0");
  await page.waitForFunction(() => playground.scene === "gyroscope");
  assert.equal(await page.isVisible("#gallery"), false);
});

test("the gallery has pictures for the light and the dark theme", async () => {
  const shown = () => page.evaluate(() => getComputedStyle(document.querySelector(".card .picture")).backgroundImage);
  const theme = await page.evaluate(() => playground.theme), here = await shown();
  await page.evaluate(() => playground.setTheme(playground.theme === "dark" ? "light" : "dark", false));
  const there = await shown();
  await page.evaluate((theme) => playground.setTheme(theme, false), theme);
  for (const one of [here, there]) assert.match(one, /^url\("blob:/);
  assert.notEqual(here, there);
});

test("everything that can be operated has a name", async () => {
  const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, summary, a[href], canvas")].filter((e) => {
    if (e.type === "file" || e.type === "hidden") return false;
    const label = e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || [...(e.labels || [])].map((l) => l.textContent).join("") || e.textContent || e.title;
    return !label.trim();
  }).map((e) => e.outerHTML.slice(0, 120)));
  assert.deepEqual(nameless, []);
});

test("a phone, and a dark one", async () => {
  const p = await openPage(session, { hash: "#scene=pendulum", size: [390, 780], colorScheme: "dark", hasTouch: true });
  assert.equal(await p.evaluate(() => document.documentElement.dataset.theme), "dark");
  assert.ok(await p.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  for (const id of ["#play", "#timeline", "#open-gallery", "#toggle-panel"]) {
    const box = await p.locator(id).boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 391 && box.y + box.height <= 781, `${id} is outside`);
  }
  const bar = () => p.$$eval("nav > button, nav > details", (all) => all.filter((b) => b.offsetWidth).map((b) => ({ name: b.id, left: b.getBoundingClientRect().left, right: b.getBoundingClientRect().right, wide: b.clientWidth, needs: b.scrollWidth })).sort((a, b) => a.left - b.left));
  for (const compared of [false, true]) {
    if (compared) await p.evaluate(() => playground.toggleSplit());
    const buttons = await bar();
    assert.ok(buttons.length >= 7);
    buttons.forEach((b, i) => assert.ok(b.needs <= b.wide + 1 && (i === 0 || b.left >= buttons[i - 1].right - 1), `${JSON.stringify(b)} is cut, or lies on ${JSON.stringify(buttons[i - 1])}`));
  }
  await p.evaluate(() => playground.toggleSplit());
  await p.click("#toggle-panel");
  assert.equal(await p.isVisible("#panel"), true);
  await p.click("#panel-close");
  for (const id of ["distance", "silk", "rejection"]) {
    await p.evaluate((id) => playground.openLesson(id), id);
    await p.evaluate(() => { document.querySelectorAll("#predict button")[playground.lessonView.lesson.predict.right].click(); playground.play(false); });
    const [sliders, foot, why, top] = await p.evaluate(() => [[...document.querySelectorAll("#lesson-controls .control")].pop().getBoundingClientRect().bottom, document.querySelector("footer").getBoundingClientRect().top, document.querySelector("#predict .why").getBoundingClientRect().top, document.querySelector("#lesson").getBoundingClientRect().top]);
    assert.ok(sliders <= foot + 1 && why >= top, `${id}: after an answer the sliders are to be seen: ${sliders} of ${foot}, ${why} of ${top}`);
  }
  await p.evaluate(() => playground.closeLesson());
  await p.tap("#play");
  assert.deepEqual(p.errors, []);
  await p.context().close();
});

test("from another folder, without isolation, with one thread", async () => {
  const other = await start({ prefix: "/some/folder/", isolated: false });
  try {
    const p = await openPage(other, { hash: "#scene=heavy_bob", size: SMALL });
    await p.evaluate(() => playground.reset());
    assert.equal(await p.evaluate(() => self.crossOriginIsolated), false);
    assert.equal(await p.evaluate(() => playground.info.threads), 1);
    assert.equal((await runTo(p, 60)).hash, goldens.heavy_bob[60]);
    assert.ok(other.server.requests.every((r) => r.startsWith("/some/folder/") || r === "/favicon.ico"), other.server.requests.join());
    assert.deepEqual(p.errors, []);
  } finally {
    await other.close();
  }
});

test("with isolation, as many threads as there are processors", async () => {
  const [isolated, threads, processors] = await page.evaluate(() => [self.crossOriginIsolated, playground.info.threads, navigator.hardwareConcurrency]);
  assert.equal(isolated, true);
  assert.ok(processors === 1 ? threads === 1 : threads > 1 && threads <= processors, `${threads} threads on ${processors} processors`);
});

// What is fetched before the first picture. Scenes and their thumbnails, 120 KB, grow with every scene and are not counted; tools, lessons, curves and settings come after it.
test("the first picture takes at most 1 MB, by gzip, with the engine, before scenes", () => {
  const small = (name) => gzipSync(readFileSync(path.join(dist, name)), { level: 9 }).length;
  const first = new Set(["index.html", "playground.css", "playground.js", "worker.js", "sinew-worker.js", "sinew.wasm"]);
  for (const [, chunk] of readFileSync(path.join(dist, "playground.js"), "utf8").matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) first.add(chunk);
  const total = [...first].reduce((sum, name) => sum + small(name), 0);
  assert.ok([...first].some((name) => name.startsWith("chunk-")), "three.js is in a chunk of its own");
  assert.ok(total <= 1e6, `${total} bytes (30,000 more if there was no wasm-opt when the package was built)`);
});

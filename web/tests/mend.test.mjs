// What was wrong with the page once: links that wedge it, things that were lost silently, signs that were not shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { missing, openPage as open, openScene, runTo, start } from "./browser.mjs";

const session = missing ? null : await start();
test.after(() => session?.close());
const skip = missing;
let opened = null;
const openPage = async (...args) => (opened = await open(...args));
test.afterEach(() => opened?.context().close());   // also where a test failed: a run goes on otherwise

const frameOf = (page) => page.evaluate(() => playground.cursor);
const problem = (page) => page.evaluate(() => (document.getElementById("problems").open ? `${document.getElementById("problems-title").textContent}: ${document.getElementById("problems-body").textContent}` : ""));
const encoded = (page, state) => page.evaluate(async (state) => {
  const bytes = new Uint8Array(await new Response(new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());
  return `#z=${btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`;
}, state);

test("a link to a frame that is far away leaves the page usable", { skip }, async () => {
  const page = await openPage(session, { hash: "#scene=heavy_bob&frame=100000000" });
  await page.waitForFunction(() => playground.last > 5);
  assert.ok(await openScene(page, "pendulum"));   // and another scene can be opened meanwhile
  assert.equal(await page.evaluate(() => playground.scene), "pendulum");
  assert.ok((await runTo(page, 20)).frame >= 20);
  assert.equal(await problem(page), "");
  assert.deepEqual(page.errors, []);
});

test("malformed links are told in words", { skip }, async () => {
  const page = await openPage(session, { hash: "#scene=pendulum" });
  const cases = [
    ["#scene=pendulum&frame=abc", /frame: found NaN, expected a number/],
    ["#scene=pendulum&camera=1,2", /camera: found \[1,2\], expected six numbers/],
    ["#z=AAAA", /damaged/],
    [await encoded(page, { scene: "pendulum", frame: "abc" }), /frame: found "abc", expected a number/],
    [await encoded(page, { scene: 7 }), /scene: found 7, expected a text/],
    [await encoded(page, { scene: "pendulum", panes: "x" }), /panes: found "x", expected one or two/],
    [await encoded(page, { scene: "pendulum", panes: [{ commands: [[0, "boom", []]] }] }), /found "boom", expected one of settings/],
    [await encoded(page, { scene: "pendulum", panes: [{ commands: [[0, "settings", [{ substeps: 100000, iterations: 1000 }]]] }] }), /substeps × passes: found 100000000, expected at most 20000/],
    [await encoded(page, { scene: "pendulum", frame: 5, panes: [{ commands: [[0, "pin", [99999]]] }] }), /99999/],
  ];
  for (const [hash, expected] of cases) {
    await page.evaluate((hash) => playground.openLink(hash), hash);
    assert.match(await problem(page), expected, hash);
    await page.evaluate(() => document.getElementById("problems").close());
  }
  assert.deepEqual(page.errors, []);
  assert.ok((await runTo(page, 10)).frame >= 10);
});

test("a worker that does not answer is started again", { skip }, async () => {
  const page = await openPage(session, { hash: "#scene=pendulum" });
  await page.evaluate(() => { playground.patience.ms = 1500; });
  await page.evaluate(() => { playground.panes[0].engine.call("command", { name: "settings", args: [{ solver: "gauss_seidel", order: "insertion", substeps: 100000, iterations: 1000 }] }); playground.play(true); });
  await page.waitForFunction(() => document.getElementById("problems").open, null, { timeout: 30000 });
  assert.match(await problem(page), /did not answer.*begins anew/);
  await page.evaluate(() => document.getElementById("problems").close());
  await page.evaluate(() => { playground.patience.ms = 30000; });
  assert.ok((await runTo(page, 10)).frame >= 10);
});

test("a sign is not taken for markup in a formula", { skip }, async () => {
  const page = await openPage(session, { hash: "#lesson=rejection" });
  const signs = await page.evaluate(() => [...document.querySelectorAll("#lesson-body math mo")].map((mo) => mo.textContent));
  assert.ok(signs.includes("<"), signs.join(" "));
});

test("the address tells what is open", { skip }, async () => {
  const page = await openPage(session, { hash: "#scene=pendulum&frame=3" });
  await openScene(page, "gyroscope");
  assert.equal(await page.evaluate(() => location.hash), "#scene=gyroscope");
  await page.evaluate(() => playground.openLesson("rejection"));
  assert.equal(await page.evaluate(() => location.hash), "#lesson=rejection");
});

test("exporting a scene at an earlier frame keeps the recording", { skip }, async () => {
  const page = await openPage(session, { hash: "#scene=pendulum" });
  const { hash } = await runTo(page, 90);
  const [early, last] = await page.evaluate(async () => {
    playground.scrub(5);
    const early = await playground.panes[0].engine.call("saveAt", { to: 5 });
    await playground.exportJson();
    return [early, playground.last];
  });
  assert.equal(last, 90);
  assert.equal(JSON.parse(early).run.frame, 5);
  assert.equal((await page.evaluate(() => playground.panes[0].engine.call("hash"))).hash, hash);
  assert.equal((await runTo(page, 120)).frame, 120);
  assert.match(await page.evaluate(() => document.getElementById("hash").textContent), /the same at frame 120/);
});

test("compare keeps the moment and what was pinned; starting again keeps pins; reset says what is gone", { skip }, async () => {
  const page = await openPage(session, { hash: "#scene=flag" });
  await runTo(page, 20);
  await page.evaluate(() => playground.pin(playground.panes[0], 40));
  await runTo(page, 30);
  await page.evaluate(() => playground.toggleSplit());
  await page.evaluate(() => playground.play(false));
  assert.ok(await frameOf(page) >= 30);
  const pinned = () => page.evaluate(() => Promise.all(playground.panes.map((p) => p.engine.call("isPinned", { particle: 40 }))));
  assert.deepEqual(await pinned(), [true, true]);
  await page.evaluate(() => playground.restart());
  assert.deepEqual(await pinned(), [true, true]);
  assert.match(await page.textContent("#status"), /pins? stay/);
  await page.evaluate(() => playground.reset());
  assert.deepEqual(await pinned(), [false, false]);
  assert.match(await page.textContent("#status"), /pins are gone/);
});

test("a failed run says so for as long as it is shown, and does not play", { skip }, async () => {
  const page = await openPage(session, { hash: "#scene=pendulum" });
  await page.evaluate(() => playground.open({ name: "far.json", files: {}, text: JSON.stringify({
    objects: [{ type: "particles", positions: [0, 0, 0], velocities: [3e37, 0, 0] }], forces: [{ type: "acceleration", value: [3e38, 0, 0] }] }) }));
  await page.waitForFunction(() => playground.panes[0].failed, null, { timeout: 20000 });
  await page.waitForTimeout(4000);
  assert.ok(await page.evaluate(() => document.getElementById("status").classList.contains("on")));
  assert.match(await page.textContent("#status"), /ends here/);
  await page.click("#play");
  assert.equal(await page.evaluate(() => document.body.classList.contains("playing")), false);
  await openScene(page, "pendulum");
  assert.equal(await page.evaluate(() => document.getElementById("status").classList.contains("on")), false);
});

test("a scene that is slower than real time says how slow", { skip }, async () => {
  const page = await openPage(session, { hash: "#scene=pendulum" });
  const pace = await page.evaluate(() => {
    playground.playing = true;
    playground.pace = { time: 0.9, frames: 12, shown: null };
    playground.measure(0.2, playground.cursor);
    const text = document.getElementById("pace").textContent;
    playground.pace = { time: 0.9, frames: 70, shown: null };
    playground.measure(0.2, playground.cursor);
    const fast = document.getElementById("pace").textContent;
    playground.play(false);
    return [text, fast];
  });
  assert.deepEqual(pace, ["0.2×", ""]);
});

test("errors are curves by kind, as a share of their size", { skip }, async () => {
  const page = await openPage(session, { hash: "#scene=curtain", size: [1200, 800] });
  await runTo(page, 3);
  const legend = await page.evaluate(() => document.querySelector("#plot-residual figcaption").textContent);
  assert.match(legend, /Error.*of its size.*distance/);
  const kinds = await page.evaluate(() => playground.panes[0].picture.report.kinds);
  assert.ok(kinds.every((k) => Number.isFinite(k[4])));
});

test("texts can be read and what is touched is large enough", { skip }, async () => {
  const { lowContrast, smallTargets } = await import("./looks.mjs");
  for (const colorScheme of ["light", "dark"]) {
    const page = await openPage(session, { hash: "#lesson=rejection", colorScheme, size: [1200, 800] });
    assert.deepEqual(await page.evaluate(lowContrast), []);
    await page.context().close();
  }
  const page = await openPage(session, { hash: "#lesson=rejection", size: [390, 800], hasTouch: true, isMobile: true });
  assert.deepEqual(await page.evaluate(smallTargets), []);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  assert.ok(await page.isVisible("#fit"));
});

test("the camera goes by keys, captions leave out command lines, ticks do not repeat", { skip }, async () => {
  const page = await openPage(session, { hash: "#scene=heavy_bob" });
  const before = await page.evaluate(() => playground.stage.view);
  await page.focus("#canvas");
  for (const key of ["ArrowLeft", "ArrowUp", "+"]) await page.keyboard.press(key);
  const after = await page.evaluate(() => playground.stage.view);
  assert.deepEqual(after.slice(3), before.slice(3));
  assert.ok(Math.hypot(...[0, 1, 2].map((i) => after[i] - before[i])) > 0.05);
  for (const name of ["heavy_bob", "layers_on_sphere", "pendulum", "explosion", "stiffness_and_compliance"]) {
    await openScene(page, name);
    const about = await page.textContent("#scene-about");
    assert.ok(about.length > 30 && !/--|sinew run/.test(about) && /[.!?]$/.test(about), about);
  }
  const labels = await page.evaluate(() => playground.labels([1.00001, 1.00002, 1.00003, null]));
  assert.equal(new Set(labels).size, 4);
});

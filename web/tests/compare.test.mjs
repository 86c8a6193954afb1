// Compare keeps the moment and what was done, there and back; ghosts; gravity by tilting a phone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { down } from "../playground/src/tilt.js";
import { onScreen, openPage, openScene, particle, runTo, start } from "./browser.mjs";

let session, page;
before(async () => {
  session = await start();
  page = await openPage(session, { hash: "#scene=heavy_bob", size: [640, 400], hasTouch: true, isMobile: true });
  await page.evaluate(() => { playground.play(false); playground.stage.setQuality(3); });
});
after(() => session?.close());

test("Compare begins at the same moment with the same pins, and ends at it", async () => {
  await openScene(page, "heavy_bob");
  await runTo(page, 20);
  await page.evaluate(() => playground.command(0, "pin", [20]));
  await runTo(page, 40);
  const held = await particle(page, 20);
  await page.evaluate(async () => { await playground.toggleSplit(); playground.play(false); });
  assert.equal(await page.evaluate(() => playground.panes.length), 2);
  assert.ok(await page.evaluate(() => playground.cursor) >= 40);
  for (const pane of [0, 1]) assert.deepEqual(await particle(page, 20, pane), held);
  await runTo(page, 50);
  await page.evaluate(async () => { await playground.toggleSplit(); });
  assert.equal(await page.evaluate(() => playground.panes.length), 1);
  assert.ok(await page.evaluate(() => playground.cursor) >= 50, "the moment is kept");
  assert.equal(await page.evaluate(() => playground.panes[0].picture.fixed[20]), 1);
  assert.deepEqual(page.errors.splice(0), []);
});

test("what is in view stays in view, in panes of half the width", async () => {
  await openScene(page, "heavy_bob");
  await runTo(page, 1);
  await page.setViewportSize({ width: 1000, height: 640 });
  await page.waitForFunction(() => playground.stage.width === 1000);
  await page.evaluate(() => playground.fitView());
  const first = await page.evaluate(() => playground.stage.view), bob = await particle(page, 20), alone = await onScreen(page, bob);
  assert.ok(alone.x > 0 && alone.x < 1000, `the bob is at ${alone.x} before`);
  await page.evaluate(async () => { await playground.toggleSplit(); playground.play(false); });
  assert.equal(await page.evaluate(() => playground.stage.stacked), false);
  for (const pane of [0, 1]) {
    const { x } = await onScreen(page, bob, pane);
    assert.ok(x > 500 * pane && x < 500 * (pane + 1), `the bob is at ${x} in pane ${pane}`);
  }
  await page.evaluate(() => playground.toggleSplit());
  const last = await page.evaluate(() => playground.stage.view);
  first.forEach((v, i) => assert.ok(Math.abs(v - last[i]) < 0.01 * Math.abs(first[2]), `the view is ${last} afterwards, and was ${first}`));
  await page.setViewportSize({ width: 640, height: 400 });
  await page.waitForFunction(() => playground.stage.width === 640);
  assert.deepEqual(page.errors.splice(0), []);
});

test("a ghost of the other setting is seen in each picture", async () => {
  await openScene(page, "heavy_bob");
  await page.evaluate(async () => { await playground.toggleSplit(); playground.play(false); await playground.configure(playground.panes[1], { substeps: 1, stiffening: "off" }); });
  await runTo(page, 60);
  const look = () => page.evaluate(() => { const { stage } = playground; stage.dirty = true; stage.render(); const c = document.createElement("canvas"); c.width = stage.canvas.width; c.height = stage.canvas.height; const d = c.getContext("2d"); d.drawImage(stage.canvas, 0, 0); return [...d.getImageData(0, 0, c.width / 2, c.height).data].reduce((sum, v, i) => (sum * 31 + v + i) % 1000003, 7); });
  const without = await look();
  await page.evaluate(() => document.getElementById("toggle-ghosts").click());
  assert.notEqual(await look(), without);
  await page.evaluate(() => document.getElementById("toggle-ghosts").click());
  assert.equal(await look(), without);
  await page.evaluate(() => playground.toggleSplit());
  assert.equal(await page.evaluate(() => getComputedStyle(document.getElementById("toggle-ghosts")).display), "none");
  assert.deepEqual(page.errors.splice(0), []);
});

test("a phone that is tilted turns gravity", async () => {
  const near = (a, b) => assert.ok(a.every((v, i) => Math.abs(v - b[i]) < 1e-6), `${a} is not ${b}`);
  near(down({ beta: 90, gamma: 0 }), [0, -1, 0]);       // upright
  near(down({ beta: 0, gamma: 90 }), [1, 0, 0]);        // on its right edge
  near(down({ beta: 0, gamma: 0 }), [0, 0, -1]);        // on a table
  near(down({ beta: 0, gamma: -90 }, 90), [0, -1, 0]);  // on its side, and the picture turned along
  await openScene(page, "pendulum");
  assert.equal(await page.isVisible("#toggle-tilt"), true);
  await page.evaluate(() => playground.tilt.toggle(true));
  await page.evaluate(() => window.dispatchEvent(new DeviceOrientationEvent("deviceorientation", { alpha: 0, beta: 0, gamma: 90 })));
  const way = down({ beta: 0, gamma: 90 }, await page.evaluate(() => screen.orientation.angle)), [axis] = [0, 1].filter((k) => Math.abs(way[k]) > 0.5);
  await page.waitForFunction(([axis, v]) => Math.abs(playground.panes[0].settings.gravity[axis] - 9.81 * v) < 0.02, [axis, way[axis]]);
  await page.evaluate(() => playground.tilt.toggle(false));
  assert.deepEqual(await page.evaluate(() => playground.panes[0].settings.gravity.map((v) => +v.toFixed(2))), [0, -9.81, 0]);
  assert.deepEqual(page.errors.splice(0), []);
});

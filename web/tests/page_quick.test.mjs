// A quick look at the page: a few scenes, their hashes, a model, a bad file. Everything else is in page.test.mjs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { missing, openPage, openScene, playground, runTo, start, validateGlb } from "./browser.mjs";

const goldens = JSON.parse(readFileSync(path.join(playground, "data/goldens.json"), "utf8"));
let session, page;

before(async () => {
  if (missing) return;
  session = await start();
  page = await openPage(session, { hash: "#scene=pendulum", size: [520, 360] });
});
after(() => session?.close());

for (const name of ["pendulum", "heavy_bob", "newtons_cradle", "gyroscope"]) {
  test(`${name} has the native hash`, { skip: missing }, async () => {
    assert.equal(await openScene(page, name), true);
    const { frame, hash } = await runTo(page, 120);
    assert.equal(frame, 120);
    assert.equal(hash, goldens[name][120], "another hash than the page expects; if results were meant to change: node web/playground/goldens.mjs");
    assert.match(await page.textContent("#hash"), /native: the same at frame 120/);
    assert.deepEqual(page.errors, []);
  });
}

test("layers of debug drawing are shown and taken away", { skip: missing }, async () => {
  await openScene(page, "gyroscope");
  const count = () => page.evaluate(() => { const { lines, points } = playground.panes[0].view.drawn; return [lines, points].map((o) => (o.visible ? o.geometry.drawRange.count : 0)); });
  assert.deepEqual(await count(), [0, 0]);
  const box = page.locator("#gui-a .lil-controller", { hasText: "Bounds" }).locator("input");
  await box.evaluate((element) => element.click()); // the panel is hidden on so small a page
  await page.waitForFunction(() => playground.panes[0].view.drawn.lines.visible);
  assert.ok((await count())[0] >= 24); // a box has twelve edges of two ends
  await runTo(page, 30); // frames bring theirs along
  assert.ok((await count())[0] >= 24);
  await page.evaluate(() => playground.setLayers(["axes", "velocities", "shapes", "islands"]));
  assert.ok((await count())[1] > 0);
  await page.evaluate(() => playground.setLayers([]));
  assert.deepEqual(await count(), [0, 0]);
  assert.deepEqual(page.errors, []);
});

test("a model of the scene is valid", { skip: missing }, async () => {
  const { errors } = await validateGlb(Buffer.from(await page.evaluate(() => [...playground.glb()])));
  assert.deepEqual(errors, []);
});

test("a bad file says where it is bad", { skip: missing }, async () => {
  await page.setInputFiles("#file-input", { name: "bad.json", mimeType: "application/json", buffer: Buffer.from('{\n  "world": {"substeps": -3}\n}') });
  await page.waitForSelector("#problems[open]");
  assert.match(await page.textContent("#problems-body"), /line 2, column \d+/);
  assert.deepEqual(page.errors, []);
});

// What a scene looks like inside, and as text: the inspector, layers, the editor.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { onScreen, runTo } from "./browser.mjs";
import { draw, open, places, quiet, until, use } from "./pages.mjs";

const hanging = { world: { substeps: 10 }, objects: [{ type: "rope", name: "cord", segments: 4, length: 1, from: [0, 2, 0], mass: 0.4, bob: 3, pins: ["start"] }], bodies: [{ name: "floor", type: "static", position: [0, 0.5, 0], shapes: { type: "plane" } }] };
const press = (page, selector) => (page.touch ? page.locator(selector).tap() : page.click(selector));
const opened = (page, scene) => page.evaluate((text) => playground.open({ name: "own.json", text, files: {} }, { play: false }), JSON.stringify(scene, null, 2));

for (const where of places) describe(where, () => {
  let page;
  before(async () => { page = await open(where); });
  after(() => page?.session.close());

  test("a thing that is clicked says its name, mass, force and error, with a curve", async () => {
    await opened(page, hanging);
    await runTo(page, 20);
    await use(page, "inspect");
    await draw(page, [await onScreen(page, [0, 1.5, 0])]);
    await until(page, () => !document.getElementById("inspect").hidden && /cord/.test(document.querySelector("#inspect h2")?.textContent));
    await runTo(page, 60);
    await until(page, () => document.querySelector("#inspect polyline").getAttribute("points").split(" ").length > 30);
    const watched = await page.evaluate(() => playground.panes[0].picture.watched);
    assert.ok(Math.abs(watched.force - 3.25 * 9.81) < 0.02 * 32, `${watched.force} N`);   // the bob, and what is below of the cord
    assert.ok(Math.abs(watched.sum[1] - 0.1 * 9.81) < 0.1, `${watched.sum}`);   // together they bear this particle alone
    assert.ok(watched.error < 1e-3);
    const text = await page.textContent("#inspect");
    assert.match(text, /3\.35 kg, here 0\.1 kg/);
    assert.match(text, /N, distance/);
    await press(page, "#inspect [data-quantity=force]");
    await until(page, () => / N, frames/.test(document.querySelector("#inspect .range").textContent));
    await press(page, "#inspect [data-close]");
    assert.equal(await page.evaluate(() => document.getElementById("inspect").hidden), true);
    quiet(page);
  });

  test("layers are switched beside it, and strain is a colour", async () => {
    await opened(page, hanging);
    await use(page, "inspect");
    const lines = () => page.evaluate(() => { const { lines } = playground.panes[0].view.drawn; return lines.visible ? lines.geometry.drawRange.count : 0; });
    assert.equal(await lines(), 0);
    await press(page, "#choices [data-choice=strain]");
    await until(page, () => playground.panes[0].view.drawn.lines.visible);
    assert.equal(await page.getAttribute("#choices [data-choice=strain]", "aria-pressed"), "true");
    assert.ok(await lines() >= 8);
    await press(page, "#choices [data-choice=strain]");
    await until(page, () => !playground.panes[0].view.drawn.lines.visible);
    await page.evaluate(() => playground.tools.use("grab"));
    quiet(page);
  });

  test("the text runs as it is typed, mistakes stand below it, and what is built comes into it", async () => {
    await opened(page, hanging);
    await press(page, "#toggle-editor");
    await until(page, () => document.querySelector("#editor textarea")?.value.includes("cord"));
    const type = (from, to) => page.evaluate(([from, to]) => { const area = document.querySelector("#editor textarea"); area.value = area.value.replace(from, to); area.dispatchEvent(new Event("input")); }, [from, to]);
    await type('"segments": 4', '"segments": 7');
    await until(page, () => playground.panes[0].picture.model.particles === 8);
    await type('"segments": 7', '"segmants": 7');
    await until(page, () => /segments/.test(document.querySelector("#editor .mistakes").textContent));
    assert.match(await page.textContent("#editor .mistakes"), /^\d+:\d+ .*segmants/);
    assert.equal(await page.evaluate(() => playground.panes[0].picture.model.particles), 8);   // what ran goes on
    assert.equal(await page.evaluate(() => document.getElementById("problems").open), false);
    assert.ok(await page.evaluate(() => document.querySelectorAll("#editor .gutter b").length === 1));
    await page.evaluate(() => document.querySelector("#editor .mistakes button").click());
    assert.ok(await page.evaluate(() => { const area = document.querySelector("#editor textarea"); return area.value.slice(area.selectionStart).startsWith('"segmants"'); }));
    await type('"segmants": 7', '"segments": 5');
    await until(page, () => playground.panes[0].picture.model.particles === 6 && !document.querySelector("#editor .mistakes").textContent);
    await page.evaluate(() => playground.edit(playground.panes[0], "add", [{ objects: [{ type: "rope", name: "another", segments: 3, from: [1, 2, 0], pins: ["start"] }] }]));
    await until(page, () => document.querySelector("#editor textarea").value.includes("another"));
    quiet(page);
  });

  test("keys are completed and explained from the schema", async () => {
    await page.evaluate(() => { const area = document.querySelector("#editor textarea"), at = area.value.indexOf('"segments"'); area.focus(); area.setRangeText('"mas"', at, at, "start"); area.setSelectionRange(at + 4, at + 4); area.dispatchEvent(new Event("keyup")); });
    await until(page, () => !document.querySelector("#editor .hints").hidden);
    assert.match(await page.textContent("#editor .hints"), /mass/);
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate(() => document.querySelector("#editor textarea").value.includes('"mass"')));
    assert.match(await page.textContent("#editor .about"), /of the whole/);
    await press(page, "#editor-close");
    assert.equal(await page.evaluate(() => document.getElementById("editor").hidden), true);
    quiet(page);
  });
});

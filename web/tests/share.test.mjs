// What the page gives away and how it greets: sliders, the address, embedding, films, previews, and whether all can use it (axe).
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { dist, openPage, openScene, playground, runTo } from "./browser.mjs";
import { open, pause, places, quiet, state, until } from "./pages.mjs";

const axe = path.join(playground, "node_modules/axe-core/axe.min.js");

for (const where of places) describe(where, () => {
  let page;
  before(async () => { page = await open(where, ""); });
  after(() => page?.session.close());

  test("it opens on the flag, with the panel closed and a hint that goes with the first touch", async () => {
    assert.equal(await page.evaluate(() => playground.scene), "flag");
    assert.equal(await page.evaluate(() => document.getElementById("panel").hidden), true);
    await page.evaluate(() => { document.getElementById("invite").hidden = false; playground.invite(); });   // it may have gone by itself on a slow machine
    assert.equal(await page.isVisible("#invite"), true);
    const box = await page.locator("#canvas").boundingBox();
    if (page.touch) await page.touchscreen.tap(box.x + 20, box.y + 100);
    else await page.mouse.click(box.x + 20, box.y + 100);
    await until(page, () => document.getElementById("invite").hidden);
    quiet(page);
  });

  test("axe finds nothing: page, panel, tools, text, gallery, help, lesson, dark", async () => {
    await page.addScriptTag({ path: axe });
    const look = async (what) => {
      const found = await page.evaluate(async () => (await axe.run(document)).violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(" | ")}`));
      assert.deepEqual(found, [], what);
    };
    await look("page");
    await page.evaluate(() => playground.togglePanel(true));
    await look("panel");
    await page.evaluate(() => { playground.togglePanel(false); playground.tools.use("add"); });
    await look("tools");
    await page.evaluate(() => { playground.tools.use("grab"); return playground.editor.show(true); });
    await look("text");
    await page.evaluate(() => playground.editor.show(false));
    for (const id of ["gallery", "help", "lessons"]) {
      await page.evaluate((id) => document.getElementById(id).showModal(), id);
      await look(id);
      await page.evaluate((id) => document.getElementById(id).close(), id);
    }
    await page.evaluate(() => playground.openLesson("cascade", false));
    await look("lesson");
    await page.evaluate(() => playground.setTheme("dark"));
    await look("lesson, dark");
    await page.evaluate(() => { playground.setTheme("light"); playground.closeLesson(); });
    quiet(page);
  });

  test("wind, gravity's direction and friction are sliders", async () => {
    await page.evaluate(() => playground.open({ name: "cloth.json", text: JSON.stringify({ world: { substeps: 6 }, objects: [{ type: "cloth", name: "sheet", columns: 9, rows: 9, position: [0, 1, 0], pins: "top" }] }), files: {} }, { play: false }));
    await page.evaluate(() => playground.togglePanel(true));
    const set = (name, value) => page.evaluate(([name, value]) => { const c = playground.panels[0].gui.controllersRecursive().find((one) => one._name === name); c.setValue(value); }, [name, value]);
    await set("Wind, m/s", 8);
    await set("Wind towards °", 90);
    await runTo(page, 40);
    const z = await page.evaluate(() => playground.panes[0].picture.positions[3 * 4 + 2] + playground.panes[0].picture.positions[3 * 76 + 2]);
    assert.ok(z < -0.1, `${z}`);   // away from the viewer
    const text = await page.evaluate(async () => (await playground.document()).toString());
    assert.match(text, /"type": "wind", "value": \[0, 0, -8\]/);
    await set("Wind, m/s", 0);
    await set("Gravity, tilt °", 90);
    await runTo(page, 80);
    assert.ok(Math.abs(await page.evaluate(() => playground.panes[0].settings.gravity[0]) - 9.81) < 0.01);
    await set("Friction", 0.9);
    await pause(page);
    const names = (await page.evaluate(() => playground.panes[0].engine.call("commands"))).map((c) => c[1]);
    assert.ok(names.includes("air") && names.includes("friction"), names.join());
    await page.evaluate(() => playground.togglePanel(false));
    quiet(page);
  });

  test("the address tells scene, frame and changes while it stands, and brings them back", async () => {
    await openScene(page, "heavy_bob");
    await runTo(page, 12);
    await page.evaluate(() => playground.edit(playground.panes[0], "remove", ["no such thing"]));
    await page.evaluate(() => playground.edit(playground.panes[0], "pin", [9]));
    await until(page, () => location.hash.startsWith("#z="));
    const { hash } = await state(page), address = await page.evaluate(() => location.hash);
    await openScene(page, "pendulum");
    await page.evaluate((hash) => playground.openLink(hash), address);
    await until(page, () => playground.cursor === 12 && playground.scene === "heavy_bob");
    assert.equal((await state(page)).hash, hash);
    await page.evaluate(() => playground.scrub(5));
    await until(page, () => /frame=5/.test(location.hash) || location.hash.startsWith("#z="));
    quiet(page);
  });

  if (where === "desk") test("a film is recorded: GIF and WebM", async () => {
    await openScene(page, "pendulum");
    for (const kind of ["gif", "webm"]) {
      const [download] = await Promise.all([page.waitForEvent("download", { timeout: 60000 }), page.evaluate(async (kind) => {
        await playground.recorder.toggle(kind);
        const from = playground.cursor;
        while (playground.cursor < from + 15) await new Promise((resolve) => setTimeout(resolve, 50));
        await playground.recorder.toggle(kind);
      }, kind)]);
      const bytes = readFileSync(await download.path());
      assert.match(download.suggestedFilename(), new RegExp(`\\.${kind}$`));
      if (kind === "gif") {
        assert.equal(bytes.subarray(0, 6).toString(), "GIF89a");
        const frames = await page.evaluate(async (data) => { const decoder = new ImageDecoder({ data: Uint8Array.from(data), type: "image/gif" }); await decoder.tracks.ready; await decoder.completed; const { image } = await decoder.decode({ frameIndex: decoder.tracks.selectedTrack.frameCount - 1 }); image.close(); return decoder.tracks.selectedTrack.frameCount; }, [...bytes]);
        assert.ok(frames >= 3, `${frames} pictures`);
      } else assert.equal(bytes.readUInt32BE(0), 0x1a45dfa3);
    }
    quiet(page);
  });

  if (where === "desk") test("embedded it is the scene and its time line alone", async () => {
    await pause(page);
    const p = await openPage(page.session, { hash: "?embed#scene=pendulum", size: [480, 320] });
    assert.equal(await p.isVisible("header"), false);
    assert.equal(await p.isVisible("#tools"), false);
    assert.equal(await p.isVisible("#play"), true);
    assert.match(await p.getAttribute("#from-embed", "href"), /\/#scene=pendulum|index\.html#scene=pendulum/);
    assert.deepEqual(p.errors, []);
    await p.context().close();
  });
});

test("every scene has a page to send, with its title, words and a picture that exists", () => {
  for (const name of ["flag", "torn_curtain", "pendulum"]) {
    const text = readFileSync(path.join(dist, "share", `${name}.html`), "utf8");
    assert.match(text, /og:title" content="[^"]+/);
    const [, picture] = /og:image" content="([^"]+)"/.exec(text);
    assert.ok(existsSync(path.join(dist, "share", picture)), picture);
    assert.match(text, new RegExp(`url=\\.\\./index\\.html#scene=${name}"`));
  }
});

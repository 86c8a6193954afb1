// The tools of the page, with the mouse on a desk and with fingers on a phone. Each does something to the world, can be undone and done again with the
// same bits, and is in a link.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { onScreen, openScene, particle, runTo } from "./browser.mjs";
import { body, command, draw, open, pause, places, quiet, scene, state, undoRedo, until, use } from "./pages.mjs";

for (const where of places) describe(where, () => {
  let page;
  before(async () => { page = await open(where); });
  after(() => page?.session.close());

  test(`the bar has names, keys and room for a finger`, async () => {
    const buttons = await page.$$eval("#tools button", (all) => all.map((b) => ({ name: b.ariaLabel, title: b.title, width: b.offsetWidth, height: b.offsetHeight, left: b.getBoundingClientRect().left, bottom: b.getBoundingClientRect().bottom, most: document.querySelector("#stage").getBoundingClientRect().bottom })));
    assert.ok(buttons.length >= 9);
    for (const b of buttons) {
      assert.ok(b.name && b.title, JSON.stringify(b));
      assert.ok(b.width >= 40 && b.height >= 40 && b.left >= 0 && b.bottom <= b.most, JSON.stringify(b));
    }
  });

  test(`a ball is thrown, hits, and can be undone and redone`, async () => {
    await scene(page, "box_tower");
    const before = await state(page), middle = await body(page, 10);
    await use(page, "throw");
    const there = await onScreen(page, middle);
    await draw(page, [there]);
    await until(page, () => playground.cursor >= 50);
    await pause(page);
    const now = await state(page);
    assert.equal(now.bodies, before.bodies + 1);
    assert.ok(now.names.includes("ball1"));
    const moved = await body(page, 10);
    assert.ok(Math.hypot(...moved.map((v, k) => v - middle[k])) > 0.02, "the tower stands as if nothing had happened");
    await undoRedo(page, before);
  });

  test(`a body and an object are deleted, and come back`, async () => {
    await scene(page, "box_tower", 5);
    const before = await state(page);
    await use(page, "delete");
    await draw(page, [await onScreen(page, await body(page, 19))]);
    await until(page, () => /is gone/.test(document.getElementById("status").textContent));
    assert.equal((await state(page)).bodies, before.bodies - 1);
    await undoRedo(page, before);
    await scene(page, "heavy_bob", 5);
    const rope = await state(page);
    await use(page, "delete");
    await draw(page, [await onScreen(page, await particle(page, 10))]);
    await until(page, () => playground.panes[0].picture.model.meshes.length === 0);
    assert.equal((await state(page)).particles, 0);
    await undoRedo(page, rope);
  });

  test(`a copy lies where it is dragged`, async () => {
    await scene(page, "box_tower", 3);
    const before = await state(page), from = await onScreen(page, await body(page, 5));
    await use(page, "copy");
    await draw(page, [from, { x: from.x + 60, y: from.y - 5 }, { x: from.x + 90, y: from.y - 10 }]);
    await until(page, () => /is a copy of/.test(document.getElementById("status").textContent));
    const now = await state(page), name = now.names.find((n) => !before.names.includes(n));
    assert.equal(now.bodies, before.bodies + 1);
    const place = await page.evaluate((name) => { const [p] = playground.panes, { body } = p.picture.model.bodies.find((b) => b.name === name); return [...p.picture.bodies.slice(7 * body, 7 * body + 3)]; }, name);
    const shown = await onScreen(page, place);
    assert.ok(Math.hypot(shown.x - from.x - 90, shown.y - from.y + 10) < 25, `${JSON.stringify(shown)} and ${JSON.stringify(from)}`);
    await undoRedo(page, before);
  });

  test(`a whole rope is copied, from the words of its scene`, async () => {
    await scene(page, "heavy_bob", 3);
    const before = await state(page), from = await onScreen(page, await particle(page, 10));
    await use(page, "copy");
    await draw(page, [from, { x: from.x - 40, y: from.y }]);
    await until(page, () => playground.panes[0].picture.model.meshes.length === 2);
    assert.equal((await state(page)).particles, 2 * before.particles);
    await undoRedo(page, before);
  });

  test(`an explosion blows things apart, wind carries them along`, async () => {
    await scene(page, "box_tower", 3);
    const before = await state(page), middle = await body(page, 10), place = await onScreen(page, middle);
    await use(page, "explode");
    await draw(page, [place, { x: place.x + 40, y: place.y }, { x: place.x + 80, y: place.y }]);
    await until(page, () => playground.cursor >= 12);
    await pause(page);
    assert.ok(Math.hypot(...(await body(page, 12)).map((v, k) => v - middle[k])) > 0.3);
    await undoRedo(page, before);

    await scene(page, "heavy_bob", 3);
    const start = await particle(page, 14), at = await onScreen(page, start);
    await use(page, "wind");
    const way = Array.from({ length: 8 }, (_, i) => ({ x: at.x - 50 + 14 * i, y: at.y }));
    await draw(page, way);
    await until(page, () => playground.cursor >= 10);
    await pause(page);
    const commands = await page.evaluate(() => playground.panes[0].engine.call("commands"));
    assert.ok(commands.some((c) => c[1] === "gust") && commands[commands.length - 1][1] === "calm");
    await undoRedo(page, null);   // it plays on before the pointer moves
  });

  test(`a line cuts a rope, and a cloth`, async () => {
    await scene(page, "heavy_bob", 5);
    const rope = await state(page), at = await onScreen(page, await particle(page, 10));
    await use(page, "cut");
    await draw(page, [{ x: at.x - 40, y: at.y + 3 }, { x: at.x + 40, y: at.y + 4 }]);
    await until(page, () => /rods? cut/.test(document.getElementById("status").textContent));
    const drawn = await page.evaluate(() => playground.panes[0].picture.model.meshes[0].lines.length / 2);
    assert.equal(drawn, await page.evaluate(() => playground.panes[0].start.model.meshes[0].lines.length / 2) - 1);
    await undoRedo(page, rope);

    await page.evaluate(() => playground.open({ name: "cloth.json", text: JSON.stringify({ world: { substeps: 8 }, objects: [{ type: "cloth", name: "sheet", columns: 11, rows: 11, position: [0, 1, 0], pins: "top" }], forces: [{ type: "wind", value: [0, 0, 2] }] }), files: {} }, { play: false }));
    await runTo(page, 3);
    const cloth = await state(page), left = await onScreen(page, [-0.7, 1.02, 0]), right = await onScreen(page, [0.7, 1.03, 0]);
    await use(page, "cut");
    await draw(page, [left, right]);
    await until(page, () => /Cut through/.test(document.getElementById("status").textContent));
    const now = await state(page);
    assert.ok(now.particles > cloth.particles + 10, `${now.particles}`);
    await page.evaluate(() => playground.panes[0].engine.call("step", { count: 20 }));
    await pause(page);
    const low = await page.evaluate(() => { const { positions } = playground.panes[0].picture; return Math.min(...positions.filter((_, i) => i % 3 === 1)); });
    assert.ok(low < 0.3, `the lower part is at ${low}`);   // it hung at 0.5
    const surface = await page.evaluate(() => { const d = playground.panes[0].view.drawables.find((one) => one.object.name === "sheet"), p = d.position.array; let most = 0; for (let i = 0; i < d.index.length; i += 3) for (let k = 0; k < 3; ++k) { const a = 3 * d.index[i + k], b = 3 * d.index[i + (k + 1) % 3]; most = Math.max(most, Math.hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2])); } return most; });
    assert.ok(surface < 0.2, `an edge of the picture is ${surface} m long`);   // none spans the cut
    await undoRedo(page, cloth);
    await use(page, "cut");
    await draw(page, [{ x: right.x, y: right.y }, { x: right.x + 3, y: right.y }]);
    await until(page, () => /Draw a line/.test(document.getElementById("status").textContent));
  });

  test(`the pin holds, and Undo lets go`, async () => {
    await scene(page, "heavy_bob", 10);
    const before = await state(page), place = await onScreen(page, await particle(page, 12));
    await use(page, "pin");
    await draw(page, [place]);
    await until(page, () => /is pinned/.test(document.getElementById("status").textContent));
    assert.equal(await page.evaluate(() => playground.panes[0].picture.fixed[12]), 1);
    await undoRedo(page, before);
    assert.equal(await page.evaluate(() => playground.panes[0].picture.fixed[12]), 1);
  });

  test("each kind of thing is added by a drag, runs, and is saved as a scene that the command runs", async () => {
    await page.evaluate(() => playground.open({ name: "empty.json", text: "{}", files: {} }, { play: false }));
    const before = await state(page), kinds = ["rope", "cloth", "ball", "box", "jelly", "ragdoll", "balloon", "pole"];
    await use(page, "add");
    const box = await page.locator("#canvas").boundingBox(), unit = Math.min(box.width, box.height) / 10;
    for (const [i, kind] of kinds.entries()) {
      await (page.touch ? page.locator(`#choices [data-choice=${kind}]`).tap() : page.click(`#choices [data-choice=${kind}]`));
      const x = box.x + box.width * (0.15 + 0.1 * i), y = box.y + box.height * 0.3;
      await draw(page, [{ x, y }, { x: x + unit / 2, y: y + unit }, { x: x + 0.8 * unit, y: y + 1.5 * unit }]);
      await page.waitForFunction((name) => document.getElementById("status").textContent.startsWith(name), `${kind}1 is there`, { timeout: 15000 }).catch(async () => assert.fail(`${kind}: ${await page.textContent("#status")}`));
    }
    const made = await state(page);
    for (const kind of kinds) assert.ok(made.names.includes(`${kind}1`), `${kind}: ${made.names}`);
    assert.ok(made.names.includes("ground"));
    await page.evaluate(() => playground.panes[0].engine.call("step", { count: 40 }));
    await pause(page);
    assert.deepEqual(await page.evaluate(() => [playground.panes[0].failed, playground.cursor]), [null, 40]);
    const text = await page.evaluate(async () => (await playground.document()).toString());
    await command(text);
    for (const _ of kinds) await page.evaluate(() => playground.undo());
    assert.equal((await state(page)).hash, before.hash);
    quiet(page);
  });

  test("two things are connected: rod, spring, rope, hinge, motor", async () => {
    const text = JSON.stringify({ world: { gravity: [0, -9.81, 0] }, bodies: [
      { name: "left", position: [-0.6, 1, 0], shapes: { type: "box", size: [0.4, 0.4, 0.4] } }, { name: "right", position: [0.6, 1, 0], shapes: { type: "box", size: [0.4, 0.4, 0.4] } },
      { name: "post", type: "static", position: [0, 1.7, 0], shapes: { type: "sphere", radius: 0.15 } }, { name: "floor", type: "static", shapes: { type: "plane" } }] });
    for (const kind of ["rod", "spring", "rope", "hinge", "motor"]) {
      await page.evaluate((text) => playground.open({ name: "two.json", text, files: {} }, { play: false }), text);
      const before = await state(page), turning = ["hinge", "motor"].includes(kind);
      const constraints = () => page.evaluate(() => playground.panes[0].picture.model.constraints);
      const a = await onScreen(page, [0.6, 1, 0.2]), b = await onScreen(page, turning ? [-0.6, 1, 0.2] : [0, 1.7, 0.15]);
      await use(page, "connect");
      await (page.touch ? page.locator(`#choices [data-choice=${kind}]`).tap() : page.click(`#choices [data-choice=${kind}]`));
      await draw(page, [a, { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }, b]);
      await page.waitForFunction((kind) => document.getElementById("status").textContent.includes(`${kind}1 connects right and`), kind, { timeout: 30000 });
      assert.ok(await constraints() > 0);
      const named = await page.textContent("#status");
      assert.match(named, turning ? /left/ : /post/);
      await page.evaluate(() => playground.panes[0].engine.call("step", { count: 60 }));
      await pause(page);
      const right = await body(page, await page.evaluate(() => playground.panes[0].picture.model.bodies.find((one) => one.name === "right").body));
      if (!turning) assert.ok(right[1] > 0.5, `${kind}: it fell to ${right}`);   // 0.2 on the floor
      if (kind === "motor") assert.ok(await page.evaluate(() => { const [p] = playground.panes, { body } = p.picture.model.bodies.find((one) => one.name === "right"); return Math.abs(p.picture.bodies[7 * body + 6]) < 0.999; }), "nothing turned");
      await command(await page.evaluate(async () => (await playground.document()).toString()));
      await undoRedo(page, before);
    }
    await use(page, "connect");
    await page.evaluate(() => playground.tools.use("grab"));
  });

  test("dragging while paused poses: no time passes, all else follows", async () => {
    await scene(page, "heavy_bob", 10);
    const before = await state(page), start = await particle(page, 10), from = await onScreen(page, start);
    await page.evaluate(() => playground.play(false));
    const to = { x: from.x + 40, y: from.y - 20 };
    if (page.touch) {
      const send = (type, points) => page.touch.send("Input.dispatchTouchEvent", { type, touchPoints: points });
      await send("touchStart", [from]);
      await until(page, () => playground.hands.held?.posing);
      await send("touchMove", [to]);
      await until(page, () => playground.panes[0].history.undo);
      await send("touchEnd", []);
    } else {
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await until(page, () => playground.hands.held?.posing);
      await page.mouse.move(to.x, to.y, { steps: 2 });
      await until(page, () => playground.panes[0].history.undo);
      await page.mouse.up();
    }
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
    const now = await state(page), there = await onScreen(page, await particle(page, 10));
    assert.equal(now.frame, before.frame);
    assert.ok(Math.hypot(there.x - to.x, there.y - to.y) < 12, JSON.stringify([there, to]));
    const apart = await page.evaluate(() => { const { positions: p } = playground.panes[0].picture; let most = 0; for (let n = 0; n < 19; ++n) most = Math.max(most, Math.hypot(p[3 * n] - p[3 * n + 3], p[3 * n + 1] - p[3 * n + 4], p[3 * n + 2] - p[3 * n + 5])); return most; });
    assert.ok(apart < 0.4, `a link is ${apart} m long`);
    await undoRedo(page, before);
  });

  if (where === "phone") test("two fingers pull two things", async () => {
    await scene(page, "box_2d");
    const two = [], spots = [];
    for (const n of [0, 1, 2, 3]) {   // those that no button lies upon
      const at = await onScreen(page, await particle(page, n));
      if (two.length < 2 && await page.evaluate(({ x, y }) => document.elementFromPoint(x, y)?.id === "canvas", at)) { two.push(n); spots.push(at); }
    }
    assert.equal(two.length, 2);
    const send = (type, points) => page.touch.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    await page.evaluate(() => playground.play(true));
    await send("touchStart", [{ ...spots[0], id: 0 }]);
    await until(page, () => playground.hands.held?.grabbed);
    await send("touchStart", [{ ...spots[0], id: 0 }, { ...spots[1], id: 1 }]);
    await until(page, () => playground.hands.fingers.size === 2 && [...playground.hands.fingers.values()].every((f) => f.grabbed));
    const before = await Promise.all(two.map((n) => particle(page, n)));
    await send("touchMove", [{ x: spots[0].x - 30, y: spots[0].y - 30, id: 0 }, { x: spots[1].x + 30, y: spots[1].y - 30, id: 1 }]);
    const frame = await page.evaluate(() => playground.cursor);
    await page.waitForFunction((n) => playground.cursor > n + 12, frame, { timeout: 60000 });
    await send("touchEnd", []);
    const now = await Promise.all(two.map((n) => particle(page, n)));
    for (const n of [0, 1]) assert.ok(Math.hypot(...now[n].map((v, k) => v - before[n][k])) > 0.02, `particle ${two[n]} stayed`);
    await until(page, () => playground.hands.fingers.size === 0);
    quiet(page);
  });

  if (where === "desk") test("keys choose tools, Esc gives the hand back, and Ctrl Z undoes", async () => {
    await scene(page, "box_tower");
    for (const [key, id] of [["h", "throw"], ["w", "wind"], ["Delete", "delete"], ["v", "grab"], ["e", "explode"]]) {
      await page.keyboard.press(key);
      assert.equal(await page.getAttribute(`#tool-${id}`, "aria-pressed"), "true");
    }
    await page.keyboard.press("Escape");
    assert.equal(await page.getAttribute("#tool-grab", "aria-pressed"), "true");
    await page.evaluate(() => playground.edit(playground.panes[0], "remove", ["tower[3]"]));
    await page.keyboard.press("Control+z");
    await until(page, () => playground.panes[0].history.redo);
    await page.keyboard.press("Control+Shift+z");
    await until(page, () => !playground.panes[0].history.redo);
    assert.equal((await state(page)).bodies, 20);
    quiet(page);
  });

  if (where === "desk") test("scrubbing goes through what came and went, and a link brings it all back", async () => {
    await scene(page, "heavy_bob", 10);
    await page.evaluate(async () => {
      const [pane] = playground.panes;
      await playground.edit(pane, "add", [{ objects: [{ type: "rope", name: "second", position: [0.5, 2, 0], segments: 8, pins: ["start"] }] }]);
      await pane.engine.call("step", { count: 10 });
      playground.show(playground.last);
      await playground.edit(pane, "remove", ["second"]);
      await pane.engine.call("step", { count: 5 });
      playground.show(playground.last);
    });
    const shown = (frame) => page.evaluate((frame) => { playground.scrub(frame); const { view } = playground.panes[0]; view.hits({ x: 0, y: 0 }, playground.stage.camera); playground.stage.render(); return view.drawables.map((d) => d.object.name).filter((n) => /second/.test(n)).length; }, frame);
    const rope = await shown(5), both = await shown(15), later = await shown(25);
    assert.equal(rope, 0);
    assert.ok(both >= 1);
    assert.equal(later, 0);
    const { hash } = await state(page), link = await page.evaluate(() => playground.link());
    await openScene(page, "pendulum");
    await page.evaluate((hash) => playground.openLink(hash), link.replace(/^[^#]*/, ""));
    await until(page, () => playground.cursor === 25);
    assert.equal((await state(page)).hash, hash);
    quiet(page);
  });
});

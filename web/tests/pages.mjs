// A page as on a desk or on a phone, and hands for it: what tests of tools share.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openPage, openScene, runTo, start } from "./browser.mjs";

const kinds = {
  desk: { size: [640, 480] },
  phone: { size: [390, 740], hasTouch: true, isMobile: true },
};

// One page at a time, without shadows: WebGL runs in software.
export async function open(kind, hash = "#scene=pendulum") {
  const session = await start();
  const page = await openPage(session, { hash, ...kinds[kind] });
  page.session = session;
  page.touch = kind === "phone" ? await page.context().newCDPSession(page) : null;
  await page.waitForFunction(() => playground.tools, null, { timeout: 60000 });
  await page.evaluate(() => { playground.play(false); playground.stage.setQuality(3); playground.togglePanel(false); });
  return page;
}

// A press at one place, a way through others, and a release: of the mouse, or of fingers.
export async function draw(page, places) {
  if (!page.touch) {
    await page.mouse.move(places[0].x, places[0].y);
    await page.mouse.down();
    for (const { x, y } of places.slice(1)) await page.mouse.move(x, y, { steps: 3 });
    return page.mouse.up();
  }
  const send = (type, points) => page.touch.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  await send("touchStart", [places[0]]);
  for (const place of places.slice(1)) await send("touchMove", [place]);
  return send("touchEnd", []);
}

export const use = (page, id) => (page.touch ? page.locator(`#tool-${id}`).tap() : page.click(`#tool-${id}`));
export const state = (page) => page.evaluate(async () => {
  const [pane] = playground.panes, { frame, hash } = await pane.engine.call("hash");
  return { frame, hash, bodies: pane.picture.model.bodyCount, particles: pane.picture.model.particles, names: [...pane.picture.model.meshes, ...pane.picture.model.fixed].map((m) => m.name), ...pane.history };
});
export const body = (page, n) => page.evaluate((n) => [...playground.panes[0].picture.bodies.slice(7 * n, 7 * n + 3)], n);
export const scene = async (page, name, frames = 0) => { await openScene(page, name); if (frames) await runTo(page, frames); await page.evaluate(() => playground.tools.use("grab")); };
export const until = (page, text) => page.waitForFunction(text, null, { timeout: 60000 });
export const quiet = (page) => assert.deepEqual(page.errors.splice(0), []);
export const pause = (page) => page.evaluate(async () => { playground.play(false); for (const p of playground.panes) while (p.flying) await new Promise((r) => setTimeout(r, 5)); playground.show(playground.last); });

// What the page saved, checked and run by the native program.
const program = process.env.SINEW_PROGRAM || fileURLToPath(new URL("../../build/release/sinew", import.meta.url));
export async function command(text) {
  if (!existsSync(program)) return;
  const file = path.join(mkdtempSync(path.join(tmpdir(), "sinew-")), "built.json");
  writeFileSync(file, text);
  const { stdout } = await promisify(execFile)(program, ["run", file, "--frames", "30", "--json"], { maxBuffer: 1 << 26 });
  assert.match(stdout, /state_hash/);
}

// Takes it back and does it again: the same bits both times.
export async function undoRedo(page, before) {
  await pause(page);
  const done = await state(page);
  await use(page, "undo");
  await until(page, () => playground.panes[0].history.redo);
  const undone = await state(page);
  if (before) assert.equal(undone.frame, before.frame);
  if (before) assert.equal(undone.hash, before.hash);
  await use(page, "redo");
  await until(page, () => !playground.panes[0].history.redo);
  const again = await state(page);
  await page.evaluate((n) => playground.panes[0].engine.call("step", { count: n }), Math.max(0, done.frame - again.frame));
  assert.equal((await state(page)).hash, done.hash);
  quiet(page);
}

export const places = (process.env.SINEW_PAGES || "desk,phone").split(",");

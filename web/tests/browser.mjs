// Opens the built page in Debian's Chromium, without a window and with WebGL in software.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
export const playground = path.resolve(here, "../playground");
export const dist = path.resolve(process.env.SINEW_PLAYGROUND || path.join(playground, "dist"));
const require = createRequire(path.join(playground, "package.json"));
const { chromium } = require("playwright-core");
const { serve } = await import(path.join(playground, "serve.mjs"));

const programs = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const executablePath = programs.find((p) => p && existsSync(p));

// Why there is no browser, or no page to look at, or false: for tests that are skipped then.
export const missingBrowser = executablePath ? false : "Chromium is missing (Debian: apt-get install chromium)";
export const missing = missingBrowser || (!existsSync(path.join(dist, "index.html")) && "the page is not built (make playground)");

export async function start({ folder = dist, ...options } = {}) {
  if (missingBrowser) throw new Error(missingBrowser);
  const server = await serve(folder, options);
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"] });
  return { server, browser, close: async () => { await browser.close(); server.close(); } };
}

// A page that has started. Everything that goes wrong in it is collected in page.errors.
export async function openPage({ browser, server }, { hash = "", size = [900, 600], ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: size[0], height: size[1] }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.errors = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type()) && !/GPU stall|software WebGL|swiftshader/i.test(message.text())) page.errors.push(message.text()); });
  page.on("pageerror", (error) => page.errors.push(error.stack || error.message));
  await page.goto(`${server.url}${hash}`, { timeout: 60000 });
  await page.waitForFunction(() => document.getElementById("boot")?.classList.contains("gone") || document.querySelector("#boot .spinner[hidden]"), null, { timeout: 60000 });
  const text = await page.textContent("#boot-text");
  if (/cannot/.test(text)) throw new Error(`${text}\n${page.errors.join("\n")}`);
  await page.waitForFunction(() => window.playground.tools, null, { timeout: 60000 });   // the rest, after the first picture
  return page;
}

// Runs until so many frames are recorded, as fast as the engine goes.
export async function runTo(page, frames) {
  return page.evaluate(async (frames) => {
    const app = window.playground;
    app.play(false);
    for (const pane of app.panes) {
      while (pane.flying) await new Promise((resolve) => setTimeout(resolve, 5));
      const missing = frames - pane.timeline.last;
      if (missing > 0) await pane.engine.call("step", { count: missing, wantHash: true });
    }
    app.show(app.last);
    return { frame: app.cursor, hash: app.panes[0].picture.hash, failed: app.panes.map((p) => p.failed) };
  }, frames);
}

export async function openScene(page, name) {
  return page.evaluate((name) => window.playground.openScene(name, { play: false }), name);
}

// What Khronos' validator says of a model: messages of severity 0.
export async function validateGlb(bytes) {
  const { validateBytes } = require("gltf-validator");
  const report = await validateBytes(new Uint8Array(bytes));
  return { errors: report.issues.messages.filter((m) => m.severity === 0).map((m) => `${m.code} ${m.pointer}: ${m.message}`), info: report.info };
}

// Where a place of the scene is on the screen, in a pane.
export async function onScreen(page, place, pane = 0) {
  return page.evaluate(([place, index]) => {
    const { stage } = window.playground, box = stage.canvas.getBoundingClientRect();
    stage.camera.updateMatrixWorld();
    const v = stage.camera.position.clone().set(...place).project(stage.camera);
    const left = stage.stacked ? 0 : index * stage.paneWidth, top = stage.stacked ? index * stage.paneHeight : 0;
    return { x: box.left + left + ((v.x + 1) / 2) * stage.paneWidth, y: box.top + top + ((1 - v.y) / 2) * stage.paneHeight };
  }, [place, pane]);
}

export async function particle(page, number, pane = 0) {
  return page.evaluate(([n, i]) => [...window.playground.panes[i].picture.positions.slice(3 * n, 3 * n + 3)], [number, pane]);
}

// Takes the pictures of docs/playground.md, with the built page in Chromium: docs/images/playground/*.jpg. Run it after the page looks different.
//
//     node pictures.mjs [NAME ...]
import path from "node:path";
import { fileURLToPath } from "node:url";
import { openPage, openScene, runTo, start } from "../tests/browser.mjs";

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../docs/images/playground");
const DESK = [1180, 700], PHONE = { size: [390, 780], hasTouch: true, isMobile: true, colorScheme: "dark" };

const settled = (page, frames) => runTo(page, frames).then(() => page.evaluate(() => { playground.plotted = ""; playground.slowTick(); }));
const steady = (page) => page.evaluate(() => { playground.stage.steady = true; playground.stage.setQuality(1); });   // software draws slowly, and would lose its shadows

const pictures = {
  page: [{ size: DESK }, async (page) => {
    await openScene(page, "flag");
    await page.evaluate(() => playground.togglePanel(true));
    await settled(page, 120);
  }],
  bodies: [{ size: DESK, colorScheme: "dark" }, async (page) => {
    await openScene(page, "box_pile");
    await page.evaluate(() => playground.togglePanel(true));
    await settled(page, 70);
  }],
  phone: [PHONE, async (page) => {
    await openScene(page, "tablecloth");
    await settled(page, 100);
  }],
  gallery: [{ size: DESK }, (page) => page.click("#open-gallery")],
  lesson: [{ size: DESK }, async (page) => {
    await page.evaluate(() => playground.openLesson("integrators"));
    await page.evaluate(() => document.querySelectorAll("#predict button")[playground.lessonView.lesson.predict.right].click());
    await settled(page, 180);
  }],
  problems: [{ size: DESK }, async (page) => {
    const text = '{\n  "title": "A rope, with mistakes",\n  "objects": [\n    {"type": "rope", "segments": -2, "lenght": 3}\n  ]\n}\n';
    await page.setInputFiles("#file-input", { name: "mine.json", mimeType: "application/json", buffer: Buffer.from(text) });
    await page.waitForSelector("#problems[open]");
  }],
};

const session = await start();
try {
  for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(pictures)) {
    const [options, show] = pictures[name], page = await openPage(session, { hash: "#scene=pendulum", colorScheme: "light", ...options });
    await page.evaluate(() => playground.play(false));
    await steady(page);
    await show(page);
    await page.evaluate(() => { document.getElementById("invite")?.remove(); playground.stage.dirty = true; playground.stage.render(); });
    await page.screenshot({ path: path.join(folder, `${name}.jpg`), type: "jpeg", quality: 80, timeout: 120000 });
    await page.context().close();
    console.log(name);
  }
} finally {
  await session.close();
}

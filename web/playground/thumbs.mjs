// Takes the small pictures of the gallery, with the built page in Chromium: data/thumbs.webp and thumbs-dark.webp, all in one file for each theme, and
// data/thumbs.json, which is where.
// The frames to show are in data/views.json.
//
//     node thumbs.mjs [NAME ...]     all, or these again where no scene was added or removed
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { openPage, openScene, runTo, start } from "../tests/browser.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const views = JSON.parse(readFileSync(path.join(here, "data/views.json"), "utf8"));
const files = ["thumbs", "thumbs-dark"].map((name) => path.join(here, `data/${name}.webp`));
const WIDTH = 256, HEIGHT = 160, COLUMNS = 8, QUALITY = 0.6;
const bare = "header, footer, #panel, #caption, #lesson { display: none !important } body { grid-template: 'stage' 1fr / 1fr !important }";

const session = await start();
try {
  const page = await openPage(session, { hash: "#scene=pendulum", size: [2 * WIDTH, 2 * HEIGHT], colorScheme: "light" });
  await page.addStyleTag({ content: bare });
  await page.evaluate(() => { playground.stage.steady = true; playground.stage.setQuality(1); });   // software draws slowly, and would lose its shadows
  const names = await page.evaluate(() => [...playground.library.keys()]);
  await page.evaluate(([w, h]) => { window.atlas = ["light", "dark"].map((theme) => Object.assign(document.createElement("canvas"), { width: w, height: h, theme })); }, [COLUMNS * WIDTH, Math.ceil(names.length / COLUMNS) * HEIGHT]);
  const wanted = process.argv.slice(2);
  if (wanted.length) {
    for (const [i, file] of files.entries()) {
      await page.evaluate(async ([i, data]) => {
        const image = new Image();
        image.src = data;
        await image.decode();
        window.atlas[i].getContext("2d").drawImage(image, 0, 0);
      }, [i, `data:image/webp;base64,${readFileSync(file).toString("base64")}`]);
    }
  }
  for (const [i, name] of names.entries()) {
    if (wanted.length && !wanted.includes(name)) continue;
    await openScene(page, name);
    await runTo(page, views[name]?.frame ?? 60);
    await page.evaluate(([x, y, w, h]) => {
      const { stage } = playground;
      playground.fitView();
      for (const one of window.atlas) {
        playground.setTheme(one.theme, false);
        stage.dirty = true;
        stage.render();
        const draw = one.getContext("2d");
        draw.imageSmoothingQuality = "high";
        draw.drawImage(stage.canvas, x, y, w, h);
      }
    }, [(i % COLUMNS) * WIDTH, Math.floor(i / COLUMNS) * HEIGHT, WIDTH, HEIGHT]);
    process.stdout.write(".");
  }
  for (const [i, file] of files.entries()) {
    const data = await page.evaluate(([i, q]) => window.atlas[i].toDataURL("image/webp", q), [i, QUALITY]);
    writeFileSync(file, Buffer.from(data.split(",")[1], "base64"));
  }
  writeFileSync(path.join(here, "data/thumbs.json"), `${JSON.stringify({ columns: COLUMNS, names })}\n`);
  process.stdout.write("\n");
} finally {
  await session.close();
}

// The site: the reference has all that the headers have, every link leads somewhere, the search finds, from file:// and below any folder of a host.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { markdown } from "../site/markdown.mjs";
import { everyName, folders, readHeaders } from "../site/reference.mjs";
import { missingBrowser, start } from "./browser.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
let site, files, session;

const filesOf = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? filesOf(path.join(folder, e.name)) : [path.join(folder, e.name)]));

before(async () => {
  site = path.join(mkdtempSync(path.join(tmpdir(), "sinew-site-")), "site");
  execFileSync(process.execPath, [path.join(root, "web/site/build.mjs"), site], { stdio: "pipe" });
  files = filesOf(site).filter((f) => f.endsWith(".html") && !f.startsWith(path.join(site, "playground") + path.sep));
  if (!missingBrowser) session = await start({ folder: site, prefix: "/some/where/else/" });
});
after(async () => {
  await session?.close();
  rmSync(path.dirname(site), { recursive: true, force: true });
});

// ---- Pages --------------------------------------------------------------------------------------------------------------------

test("every link leads somewhere, and to a place that is there", () => {
  const ids = new Map(files.map((f) => [f, new Set([...readFileSync(f, "utf8").matchAll(/\bid="([^"]*)"/g)].map((m) => m[1]))]));
  const broken = [];
  let count = 0;
  for (const file of files) {
    const html = readFileSync(file, "utf8");
    for (const [, kind, raw] of html.matchAll(/\b(href|src)="([^"]*)"/g)) {
      const target = raw.replace(/&amp;/g, "&");
      if (/^(https?:|mailto:)/.test(target) && kind === "href" && !/<link[^>]*$/.test(html.slice(0, html.indexOf(raw)).slice(-200))) continue;
      if (target === "data:,") continue;
      ++count;
      const [name, mark] = target.split("#"), to = name ? path.resolve(path.dirname(file), name.split("?")[0]) : file;
      const shown = `${path.relative(site, file)}: ${target}`;
      if (/^[a-z]+:|^\//.test(name)) broken.push(`${shown} is not relative`);
      else if (!to.startsWith(site)) broken.push(`${shown} leads out of the site`);
      else if (!existsSync(to) || statSync(to).isDirectory()) broken.push(`${shown} is not there`);
      else if (mark && ids.has(to) && !ids.get(to).has(decodeURIComponent(mark))) broken.push(`${shown} has no such place`);
    }
  }
  assert.ok(count > 3000, `only ${count} links: is this still a test?`);
  assert.deepEqual(broken, []);
});

test("ids are unique, and nothing comes from elsewhere", () => {
  for (const file of files) {
    const html = readFileSync(file, "utf8"), ids = [...html.matchAll(/\bid="([^"]*)"/g)].map((m) => m[1]);
    assert.equal(new Set(ids).size, ids.length, `${path.relative(site, file)}: ${ids.filter((id, i) => ids.indexOf(id) !== i)}`);
    assert.doesNotMatch(html, /<(script|img|link)[^>]*(src|href)="(https?:)?\/\//, file);
  }
});

test("every page of docs/ is on the site and in the menu", () => {
  const menu = readFileSync(path.join(site, "index.html"), "utf8");
  const notes = readdirSync(path.join(root, "docs", "notes")).map((f) => `notes/${f}`);
  for (const name of [...readdirSync(path.join(root, "docs")), ...notes].filter((f) => f.endsWith(".md"))) {
    const page = name.replace(/\.md$/, ".html");
    assert.ok(files.includes(path.join(site, page)), page);
    assert.ok(menu.includes(`href="${page}"`), `${page} is not in the menu`);
  }
});

test("Markdown, as the docs use it", () => {
  const html = (text) => markdown(text, (target) => target.replace(/\.md/, ".html")).html;
  assert.equal(html("a *b* **c** `d*e*`"), "<p>a <em>b</em> <strong>c</strong> <code>d*e*</code></p>");
  assert.equal(html("[x](y.md#z) <b> & \"q\""), '<p><a href="y.html#z">x</a> <b> &amp; "q"</p>');
  assert.match(html("| a | b |\n|---|---:|\n| `x\\|y` | 2 |"), /<th>a<\/th><th class="right">b<\/th>.*<td><code>x\|y<\/code><\/td><td class="right">2<\/td>/s);
  assert.equal(html("- a\n  b\n- c\n\n  d\n- e\n  - f"), "<ul><li>a\nb</li>\n<li>c\n<p>d</p></li>\n<li>e\n<ul><li>f</li></ul></li></ul>");
  assert.equal(html("1. a\n2. b"), "<ol><li>a</li>\n<li>b</li></ol>");
  assert.match(html("```c\nint a = 1; /* <b> */\n```"), /<span class="word">int<\/span> a = 1; <span class="comment">\/\* &lt;b&gt; \*\/<\/span>/);
  assert.match(html("# A b, c!\n## x\n## x"), /id="a-b-c".*id="x".*id="x-1"/s);
  assert.equal(html("2 * 3 * 4 and a_b_c"), "<p>2 * 3 * 4 and a_b_c</p>");
});

// ---- The reference ------------------------------------------------------------------------------------------------------------

test("the reference has every function, type, field and constant of the headers", () => {
  const known = new Set(everyName(readHeaders(root))), missing = [];
  let functions = 0, fields = 0;
  for (const { folder } of folders)
    for (const name of readdirSync(path.join(root, folder)).filter((f) => f.endsWith(".h"))) {
      const code = readFileSync(path.join(root, folder, name), "utf8").replace(/\/\*[^]*?\*\//g, "").replace(/\\\n/g, " ");
      const want = (found) => { if (!known.has(found)) missing.push(`${name}: ${found}`); };
      for (const [, found] of code.matchAll(/^(?:SN_API|static inline)\b[^;{(]*?\b(\w+)\(/gm)) { ++functions; want(found); }
      for (const [, found] of code.matchAll(/^(?:const )?(?:sn_|bool|void|double|uint|size_t)[^;{(=]*?\b(sn_\w+)\(/gm)) { ++functions; want(found); }
      for (const [, found] of code.matchAll(/^#define (SN_\w+)\b(?!\()[ \t]+\S/gm)) want(found);
      for (const [, struct, body] of code.matchAll(/^typedef struct (\w+) \{([^]*?)^\} \1;/gm)) {
        want(struct);
        for (const [, field] of body.matchAll(/(?:\(\*)?\b(\w+)\)?(?:\[[^\]]*\]|\([^;]*\))*(?=\s*[;])/g)) { ++fields; want(`${struct}.${field}`); }
      }
    }
  assert.deepEqual(missing, []);
  assert.ok(functions > 330 && fields > 300, `${functions} functions and ${fields} fields: is this still a test?`);
});

test("the reference has every comment of the headers", () => {
  const letters = (text) => text.replace(/[^\p{L}\p{N}]+/gu, "");
  const plain = (html) => letters(html.replace(/<[^>]*>/g, "").replace(/&(lt|gt|quot|amp);/g, ""));
  const lost = [];
  let count = 0;
  for (const { folder } of folders)
    for (const name of readdirSync(path.join(root, folder)).filter((f) => f.endsWith(".h"))) {
      const text = readFileSync(path.join(root, folder, name), "utf8");
      const page = plain(readFileSync(path.join(site, "reference", name.replace(/\.h$/, ".html")), "utf8"));
      // what is inside of bodies of functions, or belongs to the preprocessor, is not shown
      const outside = text.replace(/^#(?!define SN_[A-Z_0-9]+ +[^/\s])[^\n]*/gm, "").replace(/^(static inline|SN_LANES_INLINE)[^;]*?\n\{[^]*?^\}/gm, "").replace(/^#define [^\n]*\\\n(?:[^\n]*\\\n)*[^\n]*/gm, "");
      for (const [comment] of outside.matchAll(/\/\*[^]*?\*\//g))
        for (const sentence of comment.slice(2, -2).replace(/-{3,}/g, "\n\n").split(/\.\s+|\n\s*\n/)) {
          const words = letters(sentence.replace(/`/g, "").replace(/docs\/(\w+)\.md/g, "$1"));
          if (words.length < 12) continue;
          ++count;
          if (!page.includes(words)) lost.push(`${name}: ${sentence.trim().slice(0, 100)}`);
        }
    }
  assert.deepEqual(lost, []);
  assert.ok(count > 1000, `only ${count} sentences: is this still a test?`);
});

test("the reference as Markdown", () => {
  const folder = path.join(path.dirname(site), "reference");
  execFileSync(process.execPath, [path.join(root, "web/site/build.mjs"), "--reference", folder], { stdio: "pipe" });
  const page = readFileSync(path.join(folder, "particles.md"), "utf8");
  assert.match(page, /^# particles\.h$/m);
  assert.match(page, /<h3 id="sn_particle_add">/);
  assert.match(page, /href="base\.md#sn_result"/);
});

// ---- In a browser -------------------------------------------------------------------------------------------------------------

async function open(address, size = [1200, 800]) {
  const context = await session.browser.newContext({ viewport: { width: size[0], height: size[1] } }), page = await context.newPage();
  page.errors = [];
  page.on("console", (m) => { if (m.type() === "error") page.errors.push(m.text()); });
  page.on("pageerror", (e) => page.errors.push(e.message));
  page.on("requestfailed", (r) => page.errors.push(`${r.url()} failed`));
  page.on("response", (r) => { if (r.status() >= 400) page.errors.push(`${r.status()} ${r.url()}`); });
  await page.goto(address);
  return page;
}

for (const how of ["file://", "a folder of a host"]) {
  test(`the search finds "rope", from ${how}`, { skip: missingBrowser }, async () => {
    const base = how === "file://" ? `${pathToFileURL(site)}/` : session.server.url;
    const page = await open(`${base}index.html`);
    await page.keyboard.press("/");
    await page.keyboard.type("rope");
    await page.waitForSelector("#search-list a");
    const found = await page.$$eval("#search-list a", (links) => links.map((a) => a.textContent));
    assert.ok(found.length > 5 && found.some((t) => /rope/i.test(t) && /Tutorial/.test(t)) && found.some((t) => /Scene files/.test(t)), found.join("\n"));
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => !location.pathname.endsWith("index.html"));
    assert.match(await page.textContent("main"), /rope/i);
    await page.fill("#search-box", "sn_particle_add");
    await page.waitForFunction(() => /sn_particle_add/.test(document.querySelector("#search-list a b")?.textContent || ""));
    await page.goto(`${base}search.html?q=wind%20turbulence`);
    await page.waitForSelector("#found a");
    assert.match(await page.textContent("#found"), /Scene files/);
    await page.goto(`${base}search.html?q=xyzzy%3Cb%3E`);
    await page.waitForFunction(() => /Nothing found for “xyzzy<b>”/.test(document.getElementById("found").textContent));
    await page.goto(`${base}reference/world.html`); // from deeper down
    await page.fill("#search-box", "curtain");
    await page.waitForSelector("#search-list a");
    assert.deepEqual(page.errors, []);
    if (how === "file://" && existsSync(path.join(site, "playground"))) {
      await page.click("text=Open the playground");
      assert.match(await page.textContent("main .note"), /needs a web server/);
    }
    await page.context().close();
  });
}

test("on a phone nothing is wider than the screen, and the menu opens", { skip: missingBrowser }, async () => {
  for (const name of ["index.html", "scenes.html", "reference/constraints.html", "source/scenes/curtain.json.html"]) {
    if (!existsSync(path.join(site, name))) continue;
    const page = await open(`${session.server.url}${name}`, [390, 780]);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), `${name} is wider than the screen`);
    await page.click("#open-menu");
    assert.ok(await page.isVisible("#menu a"));
    await page.context().close();
  }
});

test("the playground is inside where it was built", { skip: missingBrowser || (!existsSync(path.join(root, "web/playground/dist/index.html")) && "the page is not built (make playground)") }, async () => {
  const page = await open(`${session.server.url}source/scenes/pendulum.json.html`);
  await page.click("text=Open it in the playground");
  await page.waitForFunction(() => document.getElementById("boot")?.classList.contains("gone"), null, { timeout: 60000 });
  assert.match(page.url(), /\/some\/where\/else\/playground\/index\.html#.*pendulum/);
  await page.context().close();
});

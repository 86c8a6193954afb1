// Builds the site: every page of docs/, the README, the reference, the sources that they link to, a search, and the playground where it is built.
// Plain files with relative links: it works from file:// and from any folder of any host.
//
//   node web/site/build.mjs [FOLDER]                  the site, by default into build/site
//   node web/site/build.mjs --reference [FOLDER]      the reference alone, as Markdown, by default into build/reference
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { highlight } from "./highlight.mjs";
import { escape, markdown } from "./markdown.mjs";
import { reference } from "./reference.mjs";
import { searchIndex } from "./search_index.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../..");

// What there is, in the order in which a new user needs it. Pages of docs/ that are not named come last.
const menu = [
  ["Begin", [["README.md", "Sinew"], ["docs/tutorial.md", "Tutorial"], ["docs/cookbook.md", "Cookbook"], ["docs/troubleshooting.md", "Troubleshooting"], ["docs/gallery.md", "Gallery"]]],
  ["Scenes and the command", [["docs/scenes.md", "Scene files"], ["docs/command.md", "The command"], ["docs/blender.md", "Blender"], ["docs/playground.md", "Playground"], ["docs/testbed.md", "Testbed"]]],
  ["Programs", [["docs/games.md", "Games"], ["docs/cpp.md", "C++"], ["docs/python.md", "Python"], ["docs/web.md", "Web"], ["docs/queries.md", "Queries"], ["docs/words.md", "Words"]]],
  ["What it simulates", [["docs/constraints.md", "Constraints"], ["docs/contact.md", "Contact"], ["docs/bodies.md", "Rigid bodies"], ["docs/cloth.md", "Cloth"], ["docs/tearing.md", "Tearing and cutting"]]],
  ["How it works", [["docs/solvers.md", "Solvers"], ["docs/integrators.md", "Integrators"], ["docs/stability.md", "Stability"], ["docs/convergence.md", "Stiff meshes"], ["docs/accuracy.md", "Accuracy"], ["docs/performance.md", "Performance"], ["docs/architecture.md", "Architecture"]]],
  ["Project", [["CONTRIBUTING.md", "Contributing"], ["CHANGELOG.md", "Changes"], ["docs/patents.md", "A patent to know of"]]],
];

const text = (file) => readFileSync(path.join(root, file), "utf8");

class Site {
  constructor(out, playground) {
    this.out = out;
    this.playground = playground;
    this.pages = [];
    this.sources = new Set();
    this.wanted = [];
    this.copied = new Set();
    this.broken = [];
    const named = new Set(menu.flatMap(([, pages]) => pages.map(([file]) => file)));
    const more = readdirSync(path.join(root, "docs")).filter((f) => f.endsWith(".md") && !named.has(`docs/${f}`)).sort();
    this.menu = [...menu.map(([title, pages]) => [title, pages.filter(([file]) => existsSync(path.join(root, file)))])];
    const headed = (file) => [file, /^# +(.*)/m.exec(text(file))?.[1].replace(/^Laboratory notes: (.)/, (all, letter) => letter.toUpperCase()) || file];
    if (more.length) this.menu.push(["More", more.map((f) => headed(`docs/${f}`))]);
    this.menu.push(["Laboratory notes", readdirSync(path.join(root, "docs", "notes")).filter((f) => f.endsWith(".md")).sort().map((f) => headed(`docs/notes/${f}`))]);
  }

  // Where a file of the repository is on the site; what is needed there is put on the list.
  place(file, from) {
    if (file === "README.md") return "index.html";
    if (this.menu.some(([, pages]) => pages.some(([f]) => f === file))) return file.replace(/^(docs\/)?/, "").replace(/\.md$/, ".html");
    if (/^docs\/(images|data)\//.test(file)) {
      this.copied.add(file);
      return file.slice("docs/".length);
    }
    const header = /^(?:scene\/)?include\/sinew\/(\w+)\.h$/.exec(file);
    if (header) return `reference/${header[1]}.html`;
    if (/^(scene\/)?include\/sinew$/.test(file)) return "reference/index.html";
    const real = path.join(root, file);
    if (!existsSync(real)) {
      this.broken.push(`${from}: ${file} is not there`);
      return "";
    }
    if (!this.sources.has(file)) {
      this.sources.add(file);
      this.wanted.push(file);
    }
    return statSync(real).isDirectory() ? `source/${file}/index.html` : `source/${file}.html`;
  }

  // What a link of a file leads to, seen from the page at `at`.
  linker(file, at) {
    return (target) => {
      if (/^([a-z]+:|#|\/\/)/.test(target)) return target;
      const [name, mark] = target.split("#"), inside = path.posix.normalize(path.posix.join(path.posix.dirname(file), name)).replace(/\/$/, "");
      if (inside.startsWith("..")) {
        this.broken.push(`${file}: ${target} leads out of the repository`);
        return target;
      }
      const to = this.place(inside, file);
      return path.posix.relative(path.posix.dirname(at), to) + (mark ? `#${mark}` : "");
    };
  }

  add(at, title, file, html, headings, options = {}) {
    this.pages.push({ at, title, file, html, headings, ...options });
  }

  addMarkdown(file, title) {
    const at = this.place(file);
    const { html, headings } = markdown(text(file), this.linker(file, at));
    this.add(at, title, file, html, headings);
  }

  addReference() {
    const { pages } = reference(root, "html");
    for (const [name, page] of pages) {
      const at = `reference/${name.replace(/\.md$/, ".html")}`;
      const { html, headings } = markdown(page.text, (target) => target);
      this.add(at, page.title, null, html, headings, { reference: true });
    }
  }

  // Files that pages link to, as they are; of a folder its list.
  addSource(file) {
    const real = path.join(root, file), folder = statSync(real).isDirectory();
    const at = folder ? `source/${file}/index.html` : `source/${file}.html`;
    const link = this.linker(folder ? `${file}/.` : file, at);
    let body;
    if (folder) {
      const names = readdirSync(real, { withFileTypes: true }).filter((e) => !e.name.startsWith(".") && (e.isDirectory() ? e.name !== "node_modules" && file === "scenes" : /\.(c|h|hpp|json|md|py|mjs|sh|def|txt|obj|ply)$/.test(e.name))).map((e) => e.name).sort();
      const about = (name) => {
        if (!name.endsWith(".json")) return "";
        const found = /"(?:about|title)":\s*"((?:[^"\\]|\\.)*)"/.exec(text(`${file}/${name}`));
        return found ? ` <span class="about">${escape(JSON.parse(`"${found[1]}"`))}</span>` : "";
      };
      body = `<ul class="files">${names.map((n) => `<li><a href="${link(n)}">${escape(n)}</a>${about(n)}</li>`).join("\n")}</ul>`;
    } else {
      const lines = text(file).replace(/\n$/, "").split("\n");
      const code = highlight(lines.join("\n"), path.extname(file).slice(1)).split("\n");
      const scene = /^scenes\/([\w-]+)\.json$/.exec(file);
      const play = scene && this.playground ? `<p><a href="${path.posix.relative(path.posix.dirname(at), "playground/index.html")}#scene=${scene[1]}">Open it in the playground</a></p>` : "";
      body = `${play}<pre class="code lines"><code>${code.map((l, i) => `<span id="L${i + 1}">${l}</span>`).join("\n")}</code></pre>`;
    }
    this.add(at, file, file, `<h1 id="file"><code>${escape(file)}</code></h1>\n${body}`, [], { source: true });
  }

  write() {
    rmSync(this.out, { recursive: true, force: true });
    mkdirSync(this.out, { recursive: true });
    for (const [, pages] of this.menu) for (const [file, title] of pages) this.addMarkdown(file, title);
    this.addReference();
    while (this.wanted.length) this.addSource(this.wanted.pop());
    if (this.broken.length) throw new Error(`links that lead nowhere:\n  ${[...new Set(this.broken)].join("\n  ")}`);
    for (const page of this.pages) {
      const to = path.join(this.out, page.at);
      mkdirSync(path.dirname(to), { recursive: true });
      writeFileSync(to, this.frame(page));
    }
    for (const file of this.copied) cpSync(path.join(root, file), path.join(this.out, file.slice("docs/".length)));
    for (const name of ["site.css", "site.js"]) cpSync(path.join(here, name), path.join(this.out, name));
    writeFileSync(path.join(this.out, "search_index.js"), `window.sinewSearch=${JSON.stringify(searchIndex(this.pages.filter((p) => !p.source)))};\n`);
    this.add("search.html", "Search", null, '<h1 id="search">Search</h1>\n<div id="found"></div>', []);
    writeFileSync(path.join(this.out, "search.html"), this.frame(this.pages[this.pages.length - 1]));
    if (this.playground) cpSync(this.playground, path.join(this.out, "playground"), { recursive: true });
  }

  frame(page) {
    const up = path.posix.relative(path.posix.dirname(page.at), "") || ".";
    const to = (at) => `${up}/${at}`.replace(/^\.\//, "");
    const item = (at, title, current) => `<li><a href="${to(at)}"${current ? ' aria-current="page"' : ""}>${escape(title)}</a></li>`;
    const menuHtml = this.menu.map(([title, pages]) => `<p>${title}</p><ul>${pages.map(([file, name]) => item(this.place(file), name, file === page.file)).join("")}${title === "Programs" ? item("reference/index.html", "Reference", page.reference) : ""}${title === "Scenes and the command" && this.playground ? item("playground/index.html", "▶ Open the playground") : ""}</ul>`).join("\n");
    const inside = page.headings.filter((h) => h.level === 2 || (h.level === 3 && page.reference));
    const contents = inside.length > 2 ? `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${inside.map((h) => `<li class="level${h.level}"><a href="#${h.id}">${h.text.replace(/<a class="anchor"[^]*?<\/a>/g, "").replace(/<\/?a[^>]*>/g, "").replace(/ <small>.*?<\/small>/g, "")}</a></li>`).join("")}</ul></nav>` : "";
    const title = page.at === "index.html" ? "Sinew, a position-based dynamics engine" : `${page.title} · Sinew`;
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to("site.css")}">
<script>window.sinewUp = ${JSON.stringify(up)};</script>
<script src="${to("site.js")}" defer></script>
</head>
<body>
<header>
<button id="open-menu" aria-label="Menu" aria-expanded="false">☰</button>
<a class="name" href="${to("index.html")}">Sinew</a>
<form id="search-form" action="${to("search.html")}" role="search">
<input id="search-box" name="q" type="search" placeholder="Search (/)" aria-label="Search" autocomplete="off">
<div id="search-list" role="listbox" hidden></div>
</form>
</header>
<nav id="menu" aria-label="Pages">
${menuHtml}
</nav>
<main>
${page.html}
</main>
${contents}
</body>
</html>
`;
  }
}

const args = process.argv.slice(2), alone = args[0] === "--reference";
if (alone) args.shift();
if (args.length > 1 || args[0]?.startsWith("-")) {
  console.error("usage: build.mjs [--reference] [FOLDER]");
  process.exit(2);
}
try {
  if (alone) {
    const out = path.resolve(args[0] || path.join(root, "build/reference"));
    const { pages, headers } = reference(root, "md");
    mkdirSync(out, { recursive: true });
    for (const [name, page] of pages) writeFileSync(path.join(out, name), page.text);
    console.log(`reference: ${headers.length} headers in ${path.relative(process.cwd(), out) || "."}; begin with index.md`);
  } else {
    const out = path.resolve(args[0] || path.join(root, "build/site")), built = path.join(root, "web/playground/dist");
    const site = new Site(out, existsSync(path.join(built, "index.html")) ? built : null);
    site.write();
    const names = path.relative(process.cwd(), out) || ".";
    console.log(`site: ${site.pages.length} pages in ${names}${site.playground ? ", the playground inside" : "; without the playground, which is not built (make playground)"}. Open ${names}/index.html`);
  }
} catch (error) {
  console.error(`site: ${error.message}`);
  process.exit(1);
}

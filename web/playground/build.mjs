// Builds the page into dist/: everything it needs, with relative addresses, to be put on any static host.
//
//     node build.mjs [FOLDER]
import { build } from "esbuild";
import { cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { asModule } from "./lessons.mjs";
import { lean } from "./three.mjs";
import { describing, wordless } from "./wordless.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../..");
const packaged = path.join(here, "../package");
const out = path.resolve(process.argv[2] || path.join(here, "dist"));

if (!existsSync(path.join(packaged, "sinew.wasm"))) {
  console.error("web/package/sinew.wasm is missing: build the package first (make playground does)");
  process.exit(1);
}

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });

// What the first picture needs is in playground.js; tools, lessons and the like come after it, in files of their own. Workers are one file each: a browser may
// start them from a blob.
const lessons = { name: "lessons", setup(build) {
  build.onResolve({ filter: /^lessons$/ }, () => ({ path: "lessons", namespace: "lessons" }));
  build.onLoad({ filter: /.*/, namespace: "lessons" }, () => ({ contents: asModule() }));
} };
const options = {
  plugins: [lessons, lean], metafile: true, absWorkingDir: here, bundle: true, minify: true, format: "esm", target: "es2022", legalComments: "none", logLevel: "warning", outdir: out,
  alias: { "sinew-physics": path.join(packaged, "sinew.js") }, external: ["node:*"],
};
await build({ ...options, splitting: true, chunkNames: "[name]-[hash]", entryPoints: { playground: "src/main.js" } });
await build({ ...options, entryPoints: { worker: "src/worker.js", "sinew-worker": path.join(packaged, "sinew-worker.js") } });
await build({ absWorkingDir: here, bundle: true, minify: true, entryPoints: { playground: "src/page.css" }, outdir: out, logLevel: "warning" });

// The editor alone explains keys, and fetches what there is to say when it opens.
const engine = await (await import(path.join(packaged, "sinew.js"))).load(), schema = engine.schema();
const texts = describing(schema, engine.kinds(), engine.objectTypes);
await writeFile(path.join(out, "schema.json"), JSON.stringify(schema));
for (const name of ["sinew.wasm", "sinew-threads.wasm", "sinew-scalar.wasm"]) if (existsSync(path.join(packaged, name))) await writeFile(path.join(out, name), wordless(await readFile(path.join(packaged, name)), texts));
await cp(path.join(here, "index.html"), path.join(out, "index.html"));
for (const name of ["thumbs.webp", "thumbs-dark.webp"]) await cp(path.join(here, "data", name), path.join(out, name));

// The scenes, the meshes that they name, how far they get, and where their pictures are.
const data = async (name) => JSON.parse(await readFile(path.join(here, `data/${name}.json`), "utf8"));
const scenes = {}, files = {};
for (const name of (await readdir(path.join(root, "scenes"))).sort()) if (name.endsWith(".json")) scenes[name.slice(0, -5)] = await readFile(path.join(root, "scenes", name), "utf8");
for (const name of await readdir(path.join(root, "scenes/meshes"))) files[`meshes/${name}`] = await readFile(path.join(root, "scenes/meshes", name), "utf8");
await writeFile(path.join(out, "scenes.json"), JSON.stringify({ scenes, files, views: await data("views"), thumbs: await data("thumbs") }));

// Pages to send: each has the title, the words and the picture of its scene, for programs that show a preview, and leads to the scene.
const escape = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
await mkdir(path.join(out, "share"));
await cp(path.join(root, "docs/images/playground/page.jpg"), path.join(out, "preview.jpg"));
for (const [name, text] of Object.entries(scenes)) {
  const { title = name, about = "" } = JSON.parse(text), picture = path.join(root, "docs/images/gallery", `${name}.jpg`), own = existsSync(picture);
  if (own) await cp(picture, path.join(out, "share", `${name}.jpg`));
  await writeFile(path.join(out, "share", `${name}.html`), `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escape(title)}: Sinew playground</title>
<meta property="og:title" content="${escape(title)}"><meta property="og:description" content="${escape(about)}"><meta property="og:image" content="${own ? `./${name}.jpg` : "../preview.jpg"}">
<meta name="twitter:card" content="summary_large_image"><meta http-equiv="refresh" content="0; url=../index.html#scene=${name}"><a href="../index.html#scene=${name}">${escape(title)}</a></html>
`);
}

// Whose work is in the bundle, and under which terms.
const licences = [["Sinew", path.join(root, "LICENSE")], ...["three/LICENSE", "lil-gui/LICENSE.md", "uplot/LICENSE"].map((name) => [name.split("/")[0], path.join(here, "node_modules", name)])];
const terms = await Promise.all(licences.map(async ([name, file]) => `${name}\n\n${(await readFile(file, "utf8")).trim()}\n`));
await writeFile(path.join(out, "LICENSES.txt"), terms.join(`\n${"-".repeat(80)}\n\n`));

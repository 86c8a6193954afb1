// The package as users have it: a page built by Vite, by webpack and by esbuild with their defaults runs, with threads.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { missingBrowser, start } from "./browser.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const bundlers = path.resolve(here, "../bundlers"), packaged = path.resolve(here, "../package");
const modules = ["sinew.wasm", "sinew-threads.wasm", "sinew-scalar.wasm"], threads = ["sinew.js", "sinew-worker.js"];
const skip = missingBrowser || (!existsSync(path.join(bundlers, "node_modules/vite")) && "the packages of web/bundlers are not installed");

// A folder like a user's: the package in node_modules, a page and a program.
function project() {
  const folder = mkdtempSync(path.join(tmpdir(), "sinew-bundle-"));
  for (const name of ["index.html", "src"]) cpSync(path.join(bundlers, name), path.join(folder, name), { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{"type": "module", "private": true}');
  mkdirSync(path.join(folder, "node_modules/sinew-physics"), { recursive: true });
  for (const name of ["package.json", "sinew-single.js", ...threads, ...modules]) cpSync(path.join(packaged, name), path.join(folder, "node_modules/sinew-physics", name));
  for (const name of ["vite", "webpack", "webpack-cli"]) symlinkSync(path.join(bundlers, "node_modules", name), path.join(folder, "node_modules", name));
  return folder;
}

// esbuild leaves addresses of files as they are: these lie beside the bundle.
function esbuild(folder, beside) {
  execFileSync(path.join(bundlers, "node_modules/.bin/esbuild"), ["src/main.js", "--bundle", "--format=esm", "--external:node:*", "--outfile=dist/src/main.js", "--log-level=error"], { cwd: folder, stdio: "pipe" });
  cpSync(path.join(folder, "index.html"), path.join(folder, "dist/index.html"));
  for (const name of beside) cpSync(path.join(packaged, name), path.join(folder, "dist/src", name));
  return path.join(folder, "dist");
}

// How many threads a page gets that wants two.
const builds = {
  vite: [2, (folder) => {
    execFileSync(process.execPath, [path.join(bundlers, "node_modules/vite/bin/vite.js"), "build"], { cwd: folder, stdio: "pipe" });
    return path.join(folder, "dist");
  }],
  webpack: [2, (folder) => {
    execFileSync(process.execPath, [path.join(bundlers, "node_modules/webpack/bin/webpack.js"), "--mode=production", "--entry=./src/main.js"], { cwd: folder, stdio: "pipe" });
    writeFileSync(path.join(folder, "dist/index.html"), '<!doctype html><body><p id="out">…</p><script src="./main.js"></script></body>');
    return path.join(folder, "dist");
  }],
  esbuild: [2, (folder) => esbuild(folder, [...modules, ...threads])],
  "esbuild, of the one file": [1, (folder) => {
    const main = path.join(folder, "src/main.js");
    writeFileSync(main, readFileSync(main, "utf8").replace('"sinew-physics"', '"sinew-physics/single"'));
    return esbuild(folder, []);
  }],
};

let hash;
for (const [name, [expected, build]] of Object.entries(builds)) {
  test(`a page built by ${name} runs`, { skip }, async () => {
    const folder = project();
    const session = await start({ folder: build(folder) });
    try {
      const page = await session.browser.newPage();
      await page.goto(session.server.url);
      await page.waitForFunction(() => /^[0-9a-f]{16} threads \d/.test(document.getElementById("out").textContent), null, { timeout: 60000 });
      const text = await page.textContent("#out");
      assert.match(text, new RegExp(`threads ${expected}$`));
      hash ??= text.slice(0, 16);
      assert.equal(text.slice(0, 16), hash, "the same bits");
    } finally {
      await session.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

test("a page that lacks the script of threads says so", { skip }, async () => {
  const folder = project();
  const session = await start({ folder: esbuild(folder, modules) });
  try {
    const page = await session.browser.newPage();
    await page.goto(session.server.url);
    await page.waitForFunction(() => document.getElementById("out").textContent !== "…", null, { timeout: 60000 });
    assert.match(await page.textContent("#out"), /a thread could not be started: .*\/sinew-worker\.js was not loaded/);
  } finally {
    await session.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

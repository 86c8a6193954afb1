// The package as users have it: a page built by Vite and by webpack with their defaults runs, with threads.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { missingBrowser, start } from "./browser.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const bundlers = path.resolve(here, "../bundlers"), packaged = path.resolve(here, "../package");
const skip = missingBrowser || (!existsSync(path.join(bundlers, "node_modules/vite")) && "the packages of web/bundlers are not installed");

// A folder like a user's: the package in node_modules, a page and a program.
function project() {
  const folder = mkdtempSync(path.join(tmpdir(), "sinew-bundle-"));
  for (const name of ["index.html", "src"]) cpSync(path.join(bundlers, name), path.join(folder, name), { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{"type": "module", "private": true}');
  mkdirSync(path.join(folder, "node_modules/sinew-physics"), { recursive: true });
  for (const name of ["package.json", "sinew.js", "sinew-worker.js", "sinew.wasm", "sinew-threads.wasm", "sinew-scalar.wasm"]) cpSync(path.join(packaged, name), path.join(folder, "node_modules/sinew-physics", name));
  for (const name of ["vite", "webpack", "webpack-cli"]) symlinkSync(path.join(bundlers, "node_modules", name), path.join(folder, "node_modules", name));
  return folder;
}

const builds = {
  vite: (folder) => {
    execFileSync(process.execPath, [path.join(bundlers, "node_modules/vite/bin/vite.js"), "build"], { cwd: folder, stdio: "pipe" });
    return path.join(folder, "dist");
  },
  webpack: (folder) => {
    execFileSync(process.execPath, [path.join(bundlers, "node_modules/webpack/bin/webpack.js"), "--mode=production", "--entry=./src/main.js"], { cwd: folder, stdio: "pipe" });
    writeFileSync(path.join(folder, "dist/index.html"), '<!doctype html><body><p id="out">…</p><script src="./main.js"></script></body>');
    return path.join(folder, "dist");
  },
};

for (const [name, build] of Object.entries(builds)) {
  test(`a page built by ${name} runs`, { skip }, async () => {
    const folder = project();
    const session = await start({ folder: build(folder) });
    try {
      const page = await session.browser.newPage();
      await page.goto(session.server.url);
      await page.waitForFunction(() => /^[0-9a-f]{16} threads \d/.test(document.getElementById("out").textContent), null, { timeout: 60000 });
      assert.match(await page.textContent("#out"), /threads [12]$/);
    } finally {
      await session.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

// Asks the native program for the state hashes that the page shows beside its own: data/goldens.json. Run it when scenes or results
// have changed; the tests say so.
//
//     node goldens.mjs [PROGRAM]        build/release/sinew if not given
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const here = path.dirname(fileURLToPath(import.meta.url));
const scenes = path.resolve(here, "../../scenes");
const program = path.resolve(process.argv[2] || path.join(here, "../../build/release/sinew"));
const run = promisify(execFile);

export async function nativeHash(program, file, frames) {
  const { stdout } = await run(program, ["run", file, "--frames", String(frames), "--json"], { maxBuffer: 1 << 28 });
  return JSON.parse(stdout.trim().split("\n").pop()).state_hash;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const goldens = {};
  for (const name of readdirSync(scenes).filter((n) => n.endsWith(".json")).sort()) {
    const { run: { frames = 300 } = {} } = JSON.parse(readFileSync(path.join(scenes, name), "utf8"));
    const entry = goldens[name.slice(0, -5)] = {};
    for (const n of [...new Set([60, 120, frames])].sort((a, b) => a - b)) entry[n] = await nativeHash(program, path.join(scenes, name), n);
    process.stdout.write(".");
  }
  const lines = Object.entries(goldens).map(([name, entry]) => `${JSON.stringify(name)}: ${JSON.stringify(entry)}`);
  writeFileSync(path.join(here, "data/goldens.json"), `{\n${lines.join(",\n")}\n}\n`);
  process.stdout.write("\n");
}

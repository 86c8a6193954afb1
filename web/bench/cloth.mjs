// The speed of the package in Node and in Chromium, beside the native program and npm's jolt-physics, on the cloth of models.mjs.
//
//   node web/bench/cloth.mjs [--sizes 64,128] [--frames 300] [--save FILE]
//
// One thread; ns per rod and pass, in which everything else a frame does is included. Blocks of frames take turns between all of them,
// and the least of each is reported: other programs can only make it more. CPU time in Node and of the native program; browsers know
// only the clock, so blocks are shorter there.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import initJolt from 'jolt-physics/wasm';
import { load } from '../package/sinew.js';
import { PASSES, engines } from './models.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = process.env.SINEW ?? `${root}build/release/sinew`;
const BLOCKS = 10;

const options = { sizes: '64,128', frames: '300', save: '' };
for (let i = 2; i < process.argv.length; i += 2) options[process.argv[i].replace(/^--/, '')] = process.argv[i + 1];

function cpuOf(frames, step) {
  const start = process.cpuUsage();
  for (let i = 0; i < frames; ++i) step();
  const { user, system } = process.cpuUsage(start);
  return (user + system) * 1e3;
}

/** The native program in one block of its own. */
function native(n, frames) {
  if (!existsSync(program)) return Infinity;
  const said = execFileSync(program, ['bench', `cloth-${n}`, '-p', 'general', '-t', '1', '-b', 'none', '-n', String(Math.max(frames, 10)), '--json'], { encoding: 'utf8' });
  return JSON.parse(said.trim().split('\n').pop()).ns_per_projection;
}

/** The same in Chromium, if it is there: null, or a function that runs a block of both engines. */
async function chromium() {
  const { missingBrowser, start } = await import('../tests/browser.mjs').catch(() => ({ missingBrowser: 'its driver is not there' }));
  if (missingBrowser) {
    console.log(`not in Chromium: ${missingBrowser}`);
    return null;
  }
  const session = await start({ folder: `${root}web` });
  const page = await (await session.browser.newContext()).newPage();
  await page.goto(`${session.server.url}bench/empty.html`);
  await page.evaluate(async () => {
    const [{ load }, { default: initJolt }, models] = await Promise.all([import('../package/sinew.js'), import('./node_modules/jolt-physics/dist/jolt-physics.wasm.js'), import('./models.mjs')]);
    Object.assign(window, { sinew: await load(), Jolt: await initJolt(), models });
  });
  return {
    version: session.browser.version(),
    prepare: (n) => page.evaluate((n) => { window.ready = window.models.engines(window.sinew, window.Jolt, n); }, n),
    block: (blocks, frames) => page.evaluate(([blocks, frames]) => {
      const best = {};
      for (let block = 0; block < blocks; ++block) {
        for (const [name, step] of Object.entries(window.ready.all)) {
          const start = performance.now();
          for (let i = 0; i < frames; ++i) step();
          best[name] = Math.min(best[name] ?? Infinity, ((performance.now() - start) * 1e6) / (frames * window.models.PASSES * window.ready.rods));
        }
      }
      return best;
    }, [blocks, frames]),
    close: () => session.close(),
  };
}

const sinew = await load();
const Jolt = await initJolt();
const browser = await chromium();
const rows = [];
for (const n of options.sizes.split(',').map(Number)) {
  const { all, rods } = engines(sinew, Jolt, n);
  await browser?.prepare(n);
  const frames = Math.ceil(Math.min(Number(options.frames), 300 * (128 / n) ** 2) / BLOCKS);
  const best = { native: Infinity, node: { sinew: Infinity, jolt: Infinity }, chromium: { sinew: Infinity, jolt: Infinity } };
  const take = (where, name, value) => { where[name] = Math.min(where[name], value); };
  for (let block = 0; block < BLOCKS; ++block) {
    for (const [name, step] of Object.entries(all)) take(best.node, name, cpuOf(frames, step) / (frames * PASSES * rods));
    if (browser) for (const [name, value] of Object.entries(await browser.block(10, Math.ceil(frames / 10)))) take(best.chromium, name, value);
    if (block % 3 === 0) take(best, 'native', native(n, frames * BLOCKS));
  }
  const row = { cloth: n, rods, frames: frames * BLOCKS, native: best.native, node: best.node.sinew, node_share: best.node.sinew / best.native, node_jolt: best.node.jolt };
  if (browser) Object.assign(row, { chromium: best.chromium.sinew, chromium_share: best.chromium.sinew / best.native, chromium_jolt: best.chromium.jolt });
  rows.push(row);
  const say = (where, ns, jolt) => `${where} ${ns.toFixed(2)} ns (${(ns / best.native).toFixed(2)} x; jolt-physics ${jolt.toFixed(2)} ns)`;
  console.log(`cloth ${n}: native ${row.native.toFixed(2)} ns, ${say('Node', row.node, row.node_jolt)}${browser ? `, ${say('Chromium', row.chromium, row.chromium_jolt)}` : ''}`);
}
if (options.save) {
  const about = { processor: cpus()[0].model, node: process.version, v8: process.versions.v8, chromium: browser?.version ?? null };
  writeFileSync(options.save, `${JSON.stringify({ about, unit: 'ns per rod and pass, one thread, least of blocks; CPU time, in Chromium wall-clock time', rows }, null, 1)}\n`);
}
await browser?.close();
process.exit(0);

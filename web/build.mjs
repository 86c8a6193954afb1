// Builds the package: web/package/sinew.wasm, sinew-threads.wasm and sinew-scalar.wasm of C, and sinew.js of package/src, with the parser of JSON inside.
//
//   node web/build.mjs [--compiler auto|debian|npm] [--jobs N] [--out FOLDER]
//
// The module is put together by esbuild; it and the parser, jsonc-parser, come from npm (scripts/web.sh fetches them), pinned in web/package.json.
// The compiler is Debian's clang with wasi-libc where both are there, otherwise the clang that npm has as WebAssembly
// (@yowasp/clang, pinned in web/compiler/package.json). Results are the same bits either way; the second takes minutes instead of
// seconds. Objects are kept in build/web by the hash of what they are made of, so that a second build makes what changed.
import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { ordered } from './order.mjs';

const run = promisify(execFile);
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const build = join(root, 'build', 'web');
let out = join(root, 'web', 'package');

// ---- What there is to compile ------------------------------------------------------------------------------------------

function files(folder, matches) {
  const found = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...files(path, matches));
    else if (matches(entry.name)) found.push(path);
  }
  return found.sort();
}

const isSource = (name) => name.endsWith('.c');
const isHeader = (name) => name.endsWith('.h') || name.endsWith('.def');

function sources() {
  const commandOnly = ['scene/json_read.c', 'scene/load.c', 'scene/folder.c', 'scene/api.c'];
  return [
    ...files('src', isSource),
    ...files('scene', isSource).filter((path) => !commandOnly.includes(path)),
    'export/body_mesh.c',
    'export/shape_mesh.c',
    'export/torn_mesh.c',
    ...files('web/glue', isSource),
  ];
}

// Formulas over lanes (include/sinew/lanes.h) and their drivers are compiled once more, for the vectors of WebAssembly.
const isOverLanes = (path) => /^src\/wide\/drive(_double)?\.c$/.test(path)
  || (path.startsWith('src/constraints/') && /^SN_LANES\(/m.test(readFileSync(join(root, path), 'utf8')));
// Drivers are not needed without vectors there: vectors_only.c says why.
const isDriver = (path) => /^src\/wide\/drive/.test(path);
const isAbout = { vectors: /^web\/glue\/(vectors_only|alone|alone_double)\.c$/, scalar: /^src\/wide\/(scalar|contact_scalar|chain_plain)\.c$/ };
const units = (vectors) => sources().filter((path) => (vectors ? !isAbout.scalar.test(path) : !isAbout.vectors.test(path)))
  .flatMap((path) => [...(vectors && isDriver(path) ? [] : [{ path, own: [] }]), ...(vectors && isOverLanes(path) ? [{ path, own: ['-DSN_VECTOR=16'] }] : [])]);

const headers = () => ['include', 'src', 'scene', 'export', 'web/glue'].flatMap((folder) => files(folder, isHeader));

// What is worth vectors is written in vectors (src/wide); where clang 14 makes some of other loops, results are wrong.
// No fused multiply-add and nothing of -ffast-math: the same bits as everywhere. What a page's engine can do by now (2021)
// may be used: block copies, sign extension, and vectors, but for the module without them. Addresses stay as they are written (no loop strength reduction): a base and a
// constant offset are one instruction in a browser, a running sum of both are two or three.
const features = ['-mbulk-memory', '-msign-ext', '-mnontrapping-fptoint', '-mmutable-globals'];
const common = ['-std=c17', '-O2', '-mllvm', '-disable-lsr', '-fno-vectorize', '-fno-slp-vectorize', '-DNDEBUG', '-D_POSIX_C_SOURCE=200809L', '-ffp-contract=off', '-fno-math-errno', '-Wall',
  '-Wextra', '-Wno-psabi', '-I.', '-Iinclude', '-Iscene/include', '-Isrc', ...features];

// What only reads and builds scenes, makes plans, answers calls, cuts, saves or draws need not be fast, but has to be fetched.
const hot = 'step|solve|motion|turns|spin|springs|forces|undo|sleep|fields';
const making = 'collision/(hull|shape|shape_data|shape_def|trimesh|heights|distance_field|predicates|solid|revolved|manifold_cast|ccd|best_rotation|neighbours|neighbours_levels|neighbours_sort|pose)|bodies/mass(_shapes)?|constraints/(store|incidence|joint_(gear|six|wheel|universal|line|plane|slider)|spline|polyline|curve|on_shape|coplanar|collinear|connector|pulley|velocity|edge_edge|hinge)|'
  + 'contact/(callbacks|events|surface_(topology|follow|tangles|shells|events|strands)|body_make|fixed_tree)|solvers/(direct|impulses|krylov|system|worst_first|order|hierarchy_(shape|stages|meshes|tethers|follow)|tiled_begin|forest)';   // shapes, masses, orders; solvers of the lectures
const cold = new RegExp(`^((scene|export|web/glue)/|src/world/(?!(${hot})\\.c)|src/solvers/(plan|hierarchy_(build|levels)|lagrange)|src/(${making})\\.c)`);

// Runs in every step, and is as fast when it is small: measured by turns, bodies, cloth and jelly within 5 %. Loops over lanes (src/wide) and
// contact of particles are not: they become slower by a tenth to a half. Nor is the stress of solids, which is loops over lanes, too. Loops are unrolled in
// kernels of distances and contact alone (src/wide/lanes4.c), which become a third slower otherwise; elsewhere it is 12 KB for nothing that was seen.
const inLanes = /^src\/solvers\/solids(_factor)?\.c$/;
const warm = /^src\/(solvers|world|constraints|bodies|integrators|base)\/|^src\/collision\/(manifold|triangle|trimesh_crossing|roots|bvh|convex|hull_near)|^src\/contact\/(body|skin|surface|deepest|materials|particle_(bodies|broad_phase|cache|margins|preloads|quiet|supports|sweep))|^src\/wide\/(drive|drive_double|project|choose|chain_plain)\.c/;
const smallest = /^src\/(solvers|world|bodies|integrators|base|collision|contact)\//;   // balloons take a quarter longer if all are
const smaller = (path) => [smallest.test(path) && !inLanes.test(path) ? '-Oz' : '-Os'];

// Without vectors, these run only for formulas of a program's own, for the solvers of the lectures and for reports.
const isFallback = (path, own) => isOverLanes(path) && !own.length;

// What is written in vectors, and what only has to know whether there are any. All else is the same in every module.
const isInVectors = (path, own) => own.length > 0 || /^web\/glue\/alone|^src\/(wide\/|collision\/bvh_quads|solvers\/(hierarchy_solve|solids\.c))/.test(path);
// Where one constraint alone is computed, as in the solvers of the lectures and in reports, the formula for vectors serves (web/glue/alone.c): each formula is fetched once,
// 20 KB less. Rods would be a quarter slower in those solvers, so they keep a formula for one.
const isLight = /^src\/constraints\/distance\.c$/;
const aboutWidths = (path) => ['-DSN_LANES_16=1', ...(isLight.test(path) ? [] : ['-DSN_LANES_ALONE'])];
const withVectors = (path, own, vectors) => (vectors && isInVectors(path, own) ? ['-msimd128'] : []);
const knowsWidths = (found) => [...found.values()].some((text) => text.includes('SN_LANES_16'));

// The second variant differs in what is atomic, the third has no vectors, for browsers without them: slower, and the same bits. Objects without atomic operations serve both: those whose source neither includes
// <stdatomic.h> itself nor names such an operation, nor does a header of it. An operation without a name, as in 'if (flag)', is an error there.
const variants = {
  'sinew.wasm': { vectors: true, flags: ['-DSN_NO_THREADS'], link: [] },
  'sinew-threads.wasm': {
    vectors: true,
    flags: ['-DSN_NO_THREADS', '-pthread', '-matomics'],
    link: ['-Wl,--shared-memory,--import-memory,--no-check-features', '-Wl,--initial-memory=16777216,--max-memory=2147483648',
      '-Xlinker', '--features=atomics,bulk-memory,mutable-globals,sign-ext,nontrapping-fptoint,simd128',
      '-Wl,--export=__stack_pointer'],
  },
  'sinew-scalar.wasm': { vectors: false, flags: ['-DSN_NO_THREADS'], link: [] },
};
const linking = ['-mexec-model=reactor', '-Wl,--strip-all,--gc-sections,--compress-relocations,-O2', '-Wl,-z,stack-size=1048576,--stack-first'];

// A module is made smaller once it is linked (binaryen), by what costs no speed: equal functions become one, a value is not stored twice, locals are numbered by use. Hints of
// alignment, which browsers ignore, are dropped, for gzip: atomic operations need theirs. Constants below 1024 that are added to an address go into the offset of the load or
// store, also through locals. That is the same unless the sum passes 2^32 and ends below 1024, where nothing lies but the end of a stack of a megabyte. The gain is 4 %;
// 'wasm-opt -Oz' gains less by gzip, in ten times the time.
const passes = ['low-memory-unused', 'duplicate-function-elimination', 'optimize-added-constants-propagate', 'remove-unused-brs', 'merge-blocks', 'simplify-locals-nostructure', 'coalesce-locals', 'rse', 'vacuum', 'merge-blocks', 'reorder-locals'];
const shrinking = ({ vectors, link }) => ['bulk-memory', 'sign-ext', 'nontrapping-float-to-int', 'mutable-globals', ...(vectors ? ['simd'] : []), ...(link.length ? ['threads'] : [])].map((name) => `--enable-${name}`)
  .concat([...(link.length ? [] : ['dealign']), ...passes].map((name) => `--${name}`));

/** The files of this tree that a source includes, itself first. */
function closure(path, found = new Map()) {
  if (found.has(path)) return found;
  const text = readFileSync(join(root, path), 'utf8');
  found.set(path, text);
  for (const [, name] of text.matchAll(/#include ["<]([^">]+)[">]/g)) {
    const file = ['', 'src/', 'include/'].map((folder) => folder + name).find((one) => existsSync(join(root, one)));
    if (file) closure(file, found);
  }
  return found;
}

const operation = /\batomic_(load|store|exchange|compare_exchange|fetch|init|flag|thread_fence)|__wasm_atomics__|_Thread_local/;
const hasAtomics = (path, found) => /<stdatomic\.h>/.test(found.get(path)) || [...found.values()].some((text) => operation.test(text));
const withoutAtomics = [...variants['sinew.wasm'].flags, '-Werror=atomic-implicit-seq-cst'];

// ---- The two compilers -------------------------------------------------------------------------------------------------

async function works(program, args) {
  try {
    return (await run(program, args)).stdout;
  } catch {
    return null;
  }
}

/** Debian's clang, or another that knows where its WASI library is. */
async function debian() {
  const version = await works('clang', ['--version']);
  if (!version || !(await works('wasm-ld', ['--version']))) return null;
  const target = ['--target=wasm32-wasi'];
  const probe = join(build, 'probe');
  writeFileSync(`${probe}.c`, '#include <stdio.h>\nint probe(void) { return snprintf(NULL, 0, "%g", 1.0); }\n');
  if (!(await works('clang', [...target, '-mexec-model=reactor', `${probe}.c`, '-o', `${probe}.wasm`]))) {
    if (!existsSync(`${probe}.wasm`)) return null;
  }
  return {
    name: `debian ${version.split('\n')[0]}`,
    compile: async (path, flags, object) => {
      const { stderr } = await run('clang', [...target, ...flags, '-c', path, '-o', object], { cwd: root });
      if (stderr) process.stderr.write(stderr);
    },
    link: (objects, flags, file) => run('clang', [...target, ...objects, ...flags, '-o', file], { cwd: root }),
    jobs: availableParallelism?.() ?? cpus().length,
    end: () => {},
  };
}

/** A folder of this tree as runClang wants it. */
function tree() {
  const all = {};
  for (const path of [...headers(), ...sources()]) {
    let at = all;
    const parts = path.split('/');
    for (const part of parts.slice(0, -1)) at = at[part] ??= {};
    at[parts.at(-1)] = readFileSync(join(root, path), 'utf8');
  }
  return all;
}

/** clang as WebAssembly, in threads of its own: it computes for seconds without a pause. */
async function npm(jobs) {
  const manifest = join(root, 'web', 'compiler', 'node_modules', '@yowasp', 'clang', 'package.json');
  if (!existsSync(manifest)) return null;
  const all = tree();
  const threads = [];
  const idle = [];
  const waiting = [];
  const next = () => {
    while (idle.length && waiting.length) {
      const thread = idle.pop();
      const { job, resolve, reject } = waiting.shift();
      const done = (answer) => {
        idle.push(thread);
        next();
        if (answer.error) reject(new Error(answer.error));
        else resolve(answer.bytes);
      };
      thread.once('message', done);
      thread.postMessage(job);
    }
  };
  const ask = (job) => new Promise((resolve, reject) => {
    if (threads.length < jobs && !idle.length) {
      const thread = new Worker(join(root, 'web', 'compiler', 'thread.mjs'), { workerData: all });
      threads.push(thread);
      idle.push(thread);
    }
    waiting.push({ job, resolve, reject });
    next();
  });
  return {
    name: `npm ${JSON.parse(readFileSync(manifest, 'utf8')).version}`,
    compile: async (path, flags, object) => {
      const bytes = await ask({ args: ['clang', ...flags, '-c', path, '-o', 'out.o'], result: 'out.o' });
      writeFileSync(object, bytes);
    },
    link: async (objects, flags, file) => {
      const inputs = {};
      objects.forEach((path, i) => (inputs[`${i}.o`] = readFileSync(path)));
      writeFileSync(file, await ask({ args: ['clang', ...Object.keys(inputs), ...flags, '-o', 'out.wasm'], inputs, result: 'out.wasm' }));
    },
    jobs,
    end: () => threads.forEach((thread) => thread.terminate()),
  };
}

/** Makes a module smaller, where there is binaryen ('found' is its version), and puts its functions in an order that gzip likes. */
async function shrink(path, variant, found) {
  if (found) await run('wasm-opt', [...shrinking(variant), path, '-o', path]);
  writeFileSync(path, ordered(readFileSync(path)));
}

// ---- Building ----------------------------------------------------------------------------------------------------------

async function inParallel(jobs, tasks) {
  let at = 0;
  await Promise.all(Array.from({ length: Math.min(jobs, tasks.length) }, async () => {
    while (at < tasks.length) await tasks[at++]();
  }));
}

async function buildAll(compiler) {
  const objects = join(build, 'objects');
  mkdirSync(objects, { recursive: true });
  const tasks = new Map();
  const made = {};
  for (const [file, { flags, vectors }] of Object.entries(variants)) {
    made[file] = units(vectors).map(({ path, own }) => {
      const found = closure(path), small = cold.test(path) || (vectors && isFallback(path, own));
      const all = [...common, ...own, ...withVectors(path, own, vectors), ...(vectors && knowsWidths(found) ? aboutWidths(path) : []), ...(path === 'src/wide/lanes4.c' ? [] : ['-fno-unroll-loops']), ...(small ? ['-Oz', '-mllvm', '-inline-threshold=-5'] : warm.test(path) ? smaller(path) : []), ...(hasAtomics(path, found) ? flags : withoutAtomics)];
      const key = createHash('sha256').update(JSON.stringify([compiler.name, all, path, ...found])).digest('hex');
      const object = join(objects, `${key.slice(0, 32)}.o`);
      if (!existsSync(object)) {
        tasks.set(object, async () => {
          await compiler.compile(path, all, `${object}.part`);
          renameSync(`${object}.part`, object);
        });
      }
      return object;
    });
  }
  if (tasks.size) console.log(`web: compiling ${tasks.size} files (${compiler.name})`);
  let left = tasks.size;
  await inParallel(compiler.jobs, [...tasks.values()].map((task) => async () => {
    await task();
    left -= 1;
    if (left && left % 50 === 0) console.log(`web: ${left} to go`);
  }));
  const binaryen = await works('wasm-opt', ['--version']);
  if (!binaryen) console.log("web: there is no wasm-opt, so the modules are 4 % larger than they could be, and the page may be too large for its test: install Debian's binaryen");
  for (const [file, variant] of Object.entries(variants)) {
    const { link } = variant;
    const path = join(out, file);
    const newest = Math.max(...made[file].map((object) => statSync(object).mtimeMs));
    const mark = join(build, `${file}.${createHash('sha256').update(path).digest('hex').slice(0, 8)}`);
    const wanted = createHash('sha256').update(JSON.stringify([made[file], link, linking, binaryen, shrinking(variant), readFileSync(join(root, 'web', 'order.mjs'), 'utf8')])).digest('hex');
    if (existsSync(path) && existsSync(mark) && readFileSync(mark, 'utf8') === wanted && statSync(path).mtimeMs >= newest) continue;
    await compiler.link(made[file], [...linking, ...link], path);
    await shrink(path, variant, binaryen);
    writeFileSync(mark, wanted);
    console.log(`web: ${relative(root, path)} (${Math.round(statSync(path).size / 1024)} KiB)`);
  }
}

// ---- The package's module: one file that browsers and Node take as it is ----------------------------------------------------------------

const parser = 'jsonc-parser';

async function buildModule() {
  const folder = join(root, 'web', 'node_modules', parser);
  const esbuild = await import('esbuild').catch(() => null);
  if (!esbuild || !existsSync(folder)) throw new Error("esbuild and jsonc-parser are not there: run 'scripts/web.sh build'");
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const licence = readFileSync(join(folder, 'LICENSE.md'), 'utf8').trim();
  const path = join(out, 'sinew.js');
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: ['web/package/src/sinew.js'],
    outfile: path,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module'],
    target: 'es2022',
    charset: 'utf8',
    logLevel: 'warning',
    banner: { js: `/*! Made by web/build.mjs of web/package/src. Inside is ${parser} ${version}:\n\n${licence}\n*/` },
  });
  console.log(`web: ${relative(root, path)} (${Math.round(statSync(path).size / 1024)} KiB)`);
}

// The same with the engine inside, for pages that want one file: it needs no server that knows .wasm, and has one thread.
async function buildSingle() {
  const esbuild = await import('esbuild');
  const path = join(out, 'sinew-single.js');
  const contents = "import { load as loadWith } from './sinew.js';\nimport wasm from './sinew.wasm';\nexport { SinewError } from './sinew.js';\n"
    + 'export const load = (options = {}) => loadWith({ ...options, threads: 1, wasm: options.wasm ?? wasm });\n';
  await esbuild.build({
    stdin: { contents, resolveDir: out }, outfile: path, bundle: true, format: 'esm', platform: 'neutral', target: 'es2022', charset: 'utf8', logLevel: 'warning',
    loader: { '.wasm': 'binary' },
  });
  console.log(`web: ${relative(root, path)} (${Math.round(statSync(path).size / 1024)} KiB)`);
}

async function main() {
  const options = { compiler: 'auto', jobs: 0, out };
  for (let i = 2; i < process.argv.length; i += 2) {
    const name = process.argv[i].replace(/^--/, '');
    if (!(name in options) || process.argv[i + 1] === undefined) throw new Error(`what is ${process.argv[i]}?`);
    options[name] = process.argv[i + 1];
  }
  out = options.out;
  mkdirSync(build, { recursive: true });
  mkdirSync(out, { recursive: true });
  await buildModule();
  const jobs = Number(options.jobs) || Math.min(4, availableParallelism?.() ?? cpus().length);
  const compiler = (options.compiler !== 'npm' && (await debian())) || (options.compiler !== 'debian' && (await npm(jobs)));
  if (!compiler) throw new Error("there is no compiler: run 'scripts/web.sh build', or install Debian's clang, lld, wasi-libc and libclang-rt-14-dev-wasm32");
  try {
    await buildAll(compiler);
  } finally {
    compiler.end();
  }
  await buildSingle();
}

try {
  await main();
} catch (error) {
  console.error(`web: ${error.stderr || error.message}`);
  process.exit(1);
}

// The cloth of `sinew bench`, general path, in WebAssembly under Node, beside the native program and npm's jolt-physics.
//
//   node web/bench/cloth.mjs [--sizes 64,128,256] [--frames 300] [--save FILE]
//
// n by n particles, 5 cm apart, held at two corners; rods along rows, columns and both diagonals; ten passes over all of them in
// a frame of 1/60 s (Sinew: ten substeps of one pass; Jolt: ten iterations). Numbers of particles and order of rods are shuffled,
// as in any mesh. One thread; CPU time of the process; ns per rod and pass, in which everything else a frame does is included.
// Blocks of frames take turns between the engines, and the least of each is reported: other programs can only make it more.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { load } from '../package/sinew.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = process.env.SINEW ?? `${root}build/release/sinew`;
const SPACING = 0.05;
const DT = 1 / 60;
const PASSES = 10;
const BLOCKS = 10;

const options = { sizes: '64,128,256', frames: '300', save: '' };
for (let i = 2; i < process.argv.length; i += 2) options[process.argv[i].replace(/^--/, '')] = process.argv[i + 1];

/** A shuffled list of numbers, the same every time. */
function shuffled(count) {
  const list = Uint32Array.from({ length: count }, (_, i) => i);
  let state = 1;
  for (let i = count - 1; i > 0; --i) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const k = Math.floor((state / 2 ** 32) * (i + 1));
    [list[i], list[k]] = [list[k], list[i]];
  }
  return list;
}

function cloth(n) {
  const number = shuffled(n * n);
  const positions = new Float32Array(3 * n * n);
  const edges = [];
  for (let row = 0; row < n; ++row) {
    for (let column = 0; column < n; ++column) {
      positions.set([SPACING * column, 0, SPACING * row], 3 * number[row * n + column]);
      const join = (r, c) => r < n && c >= 0 && c < n && edges.push([number[row * n + column], number[r * n + c]]);
      join(row, column + 1);
      join(row + 1, column);
      join(row + 1, column + 1);
      join(row + 1, column - 1);
    }
  }
  const order = shuffled(edges.length);
  return { positions, edges: Array.from(order, (i) => edges[i]), held: [number[0], number[n - 1]], grid: number };
}

function sinewCloth(sinew, model) {
  const world = sinew.world({ substeps: PASSES });
  world.addParticles(model.positions);
  model.held.forEach((p) => world.setMass(p, Infinity));
  world.addConstraints('distance', model.edges.flat());
  return () => world.step(DT);
}

async function joltCloth(model, n) {
  const { default: init } = await import('jolt-physics/wasm');
  const Jolt = await init();
  const settings = new Jolt.JoltSettings();
  const pairs = new Jolt.ObjectLayerPairFilterTable(1);
  const layers = new Jolt.BroadPhaseLayerInterfaceTable(1, 1);
  layers.MapObjectToBroadPhaseLayer(0, new Jolt.BroadPhaseLayer(0));
  settings.mObjectLayerPairFilter = pairs;
  settings.mBroadPhaseLayerInterface = layers;
  settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 1, pairs, 1);
  settings.mMaxWorkerThreads = 0;
  const jolt = new Jolt.JoltInterface(settings);
  jolt.GetPhysicsSystem().SetGravity(new Jolt.Vec3(0, -9.81, 0));
  const shared = new Jolt.SoftBodySharedSettings();
  const vertex = new Jolt.SoftBodySharedSettingsVertex();
  for (let i = 0; i < n * n; ++i) {
    vertex.mPosition = new Jolt.Float3(...model.positions.subarray(3 * i, 3 * i + 3));
    vertex.mInvMass = model.held.includes(i) ? 0 : 1;
    shared.mVertices.push_back(vertex);
  }
  for (const [a, b] of model.edges) shared.mEdgeConstraints.push_back(new Jolt.SoftBodySharedSettingsEdge(a, b, 0));
  const face = new Jolt.SoftBodySharedSettingsFace(model.grid[0], model.grid[1], model.grid[n], 0); // it wants one
  shared.AddFace(face);
  shared.CalculateEdgeLengths();
  shared.Optimize();
  const body = new Jolt.SoftBodyCreationSettings(shared, new Jolt.RVec3(0, 0, 0), Jolt.Quat.prototype.sIdentity(), 0);
  body.mNumIterations = PASSES;
  body.mLinearDamping = 0;
  body.mAllowSleeping = false;
  body.mUpdatePosition = false;
  const made = jolt.GetPhysicsSystem().GetBodyInterface().CreateSoftBody(body);
  jolt.GetPhysicsSystem().GetBodyInterface().AddBody(made.GetID(), Jolt.EActivation_Activate);
  return () => jolt.Step(DT, 1);
}

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

const sinew = await load();
const rows = [];
for (const n of options.sizes.split(',').map(Number)) {
  const model = cloth(n);
  const frames = Math.ceil(Math.min(Number(options.frames), 300 * (128 / n) ** 2) / BLOCKS);
  const engines = { sinew: sinewCloth(sinew, model), jolt: await joltCloth(model, n) };
  const best = { sinew: Infinity, jolt: Infinity, native: Infinity };
  for (const step of Object.values(engines)) for (let i = 0; i < 20; ++i) step(); // until it is compiled for speed
  for (let block = 0; block < BLOCKS; ++block) {
    for (const [name, step] of Object.entries(engines)) best[name] = Math.min(best[name], cpuOf(frames, step) / (frames * PASSES * model.edges.length));
    if (block % 3 === 0) best.native = Math.min(best.native, native(n, frames * BLOCKS));
  }
  const row = { cloth: n, rods: model.edges.length, frames: frames * BLOCKS, native: best.native, wasm: best.sinew, jolt: best.jolt, share: best.sinew / best.native };
  rows.push(row);
  console.log(`cloth ${n}: native ${row.native.toFixed(2)} ns, in Node ${row.wasm.toFixed(2)} ns (${row.share.toFixed(2)} x), jolt-physics ${row.jolt.toFixed(2)} ns`);
}
if (options.save) {
  const about = { processor: cpus()[0].model, node: process.version, v8: process.versions.v8 };
  writeFileSync(options.save, `${JSON.stringify({ about, unit: 'ns per rod and pass, one thread, CPU time', rows }, null, 1)}\n`);
}
process.exit(0);

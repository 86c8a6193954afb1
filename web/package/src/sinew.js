// Sinew in WebAssembly. sinew.d.ts says what everything means; this file carries it out. web/build.mjs makes ../sinew.js of it.
import { jsonEvents } from './json.js';

const RESULTS = ['ok', 'argument', 'stale', 'memory', 'limit', 'busy', 'diverged', 'host'];
const MEASURE = -3.0e38;
const MOST_THREADS = 64; // that a loop of the engine can use
const PAGE = 65536;

// What web/glue numbers.
const BLADES = { segment: 0, triangle: 1, plane: 2 };
const TEARS = ['split', 'break', 'insert', 'leave'];
const ARRAY = { positions: 0, velocities: 1, inverseMasses: 2, radii: 3, bodyPoses: 4, links: 5, ties: 6 };
const CHANGE = { position: 0, velocity: 1, mass: 2, force: 3, impulse: 4, moveTo: 5, remove: 6 };
const JOINT_NUMBERS = ['least', 'most', 'target', 'target_most', 'target_compliance', 'target_damping', 'speed', 'speed_most',
  'friction', 'linear_compliance', 'linear_damping', 'angular_compliance', 'angular_damping', 'swing', 'rest', 'spring_compliance',
  'spring_damping', 'second_axis', 'target_turn', 'strength',
  'torque_strength'];
const LAYERS = { particles: 1, constraints: 2, skins: 4, shapes: 8, axes: 16, anchors: 32, contacts: 64, forces: 128, velocities: 256, bounds: 512, names: 1024,
  strain: 1 << 16, islands: 1 << 17, tiles: 1 << 18, batches: 1 << 19 };
const REPORT_HEAD = 22;
const REPORT_KIND = 6;
const POINT_NUMBERS = 5;

// Drags: a particle is led to where the mouse is, but no faster than this, m/s, so that a jump of the mouse is no explosion.
// A body is pulled by a spring of this frequency, Hz, critically damped.
const DRAG_SPEED = 20;
const DRAG_FREQUENCY = 4;

export class SinewError extends Error {
  constructor(message, code, problems = []) {
    super(message);
    this.name = 'SinewError';
    this.code = code;
    this.problems = problems;
  }
}

const isNode = typeof process === 'object' && !!process.versions?.node && process.type !== 'renderer';
const decoder = new TextDecoder();
const encoder = new TextEncoder();

function wrong(message) {
  return new SinewError(message, 'argument');
}

function number(value, what) {
  if (typeof value !== 'number' || Number.isNaN(value)) throw wrong(`${what}: expected a number, found ${String(value)}`);
  return value;
}

function index(value, what) {
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) throw wrong(`${what}: expected a number of one, 0 or more, found ${String(value)}`);
  return value;
}

function vector(value, what, length = 3) {
  if (value === null || typeof value !== 'object' || value.length !== length) throw wrong(`${what}: expected ${length} numbers, found ${String(value)}`);
  for (let i = 0; i < length; ++i) number(value[i], what);
  return value;
}

// ---- Loading ----------------------------------------------------------------------------------------------------------------

/** Imports that only Node has, out of sight of bundlers. */
const nodeModule = (name) => import(/* @vite-ignore */ /* webpackIgnore: true */ `node:${name}`);

async function compile(source, fallback) {
  if (source instanceof WebAssembly.Module) return source;
  if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer) return WebAssembly.compile(source);
  const url = source ?? fallback;
  if (isNode) {
    const address = url instanceof URL ? url : /^(file|data|https?):/.test(url) ? new URL(url) : null;
    if (!address || address.protocol === 'file:') {
      const { readFile } = await nodeModule('fs/promises');
      return WebAssembly.compile(await readFile(address ?? url));
    }
  }
  const response = await fetch(url);
  if (!response.ok) throw new SinewError(`${url}: ${response.status} ${response.statusText}`, 'host');
  return WebAssembly.compile(await response.arrayBuffer());
}

/** What the C side asks of its host: the clock, and to parse JSON, which only the thread that loads scenes does. */
function imports(module, memory, parse = () => 0) {
  const wasi = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (from === 'wasi_snapshot_preview1' && kind === 'function') wasi[name] = () => 52; // not there
  }
  let views = null;
  const view = () => {
    const buffer = memory().buffer;
    if (!views || views.buffer !== buffer) views = new DataView(buffer);
    return views;
  };
  wasi.clock_time_get = (clock, precision, at) => {
    const now = clock === 0 ? Date.now() : performance.now();
    view().setBigUint64(at, BigInt(Math.round(now * 1e6)), true);
    return 0;
  };
  wasi.proc_exit = (code) => {
    throw new SinewError(`the engine gave up (${code})`, 'host');
  };
  return { wasi_snapshot_preview1: wasi, sinew: { json_events: parse } };
}

const jsonDecoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Parses a text of C. Gives where the events are, in memory that C gives back, and puts their size there; 0 if there is no memory.
 *  Nothing may be thrown through C. */
function parser(c, memory) {
  return (at, length, size) => {
    try {
      const events = jsonEvents(jsonDecoder.decode(new Uint8Array(memory.buffer, at, length).slice()));
      const to = c.web_take(events.length);
      if (!to) return 0;
      new Uint8Array(memory.buffer, to, events.length).set(events);
      new DataView(memory.buffer).setUint32(size, events.length, true);
      return to;
    } catch {
      return 0; // only memory can be missing
    }
  };
}

function coreCount() {
  return globalThis.navigator?.hardwareConcurrency ?? 0;
}

async function wantedThreads(threads) {
  if (threads === undefined || threads === 1) return 1;
  let count = threads;
  if (threads === 'auto') {
    count = coreCount();
    if (!count && isNode) count = (await nodeModule('os')).cpus().length;
    count = Math.min(count || 1, 8);
  }
  if (!Number.isInteger(count) || count < 1) throw wrong(`threads: expected a whole number from 1 on, or "auto", found ${String(threads)}`);
  const possible = typeof SharedArrayBuffer === 'function' && (isNode || globalThis.crossOriginIsolated === true) && (isNode || typeof Worker === 'function');
  return possible ? Math.min(count, MOST_THREADS) : 1;
}

/** Memory that threads share must say how large it may become, and some machines reserve that at once. */
function sharedMemory() {
  for (let most = 32768; most >= 1024; most /= 2) {
    try {
      return new WebAssembly.Memory({ initial: 256, maximum: most, shared: true });
    } catch {
      // less, then
    }
  }
  throw new SinewError('there is no memory that threads can share', 'memory');
}

/** A worker of the page, or a thread of Node, that helps; resolves when it is at work. */
async function startWorker(url, message) {
  if (isNode) {
    const { Worker: Thread } = await nodeModule('worker_threads');
    const thread = new Thread(url, { workerData: 'sinew' });
    thread.unref();
    await new Promise((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
      thread.postMessage(message);
    });
    return thread;
  }
  const worker = url ? new Worker(url, { type: 'module' }) : new Worker(new URL('./sinew-worker.js', import.meta.url), { type: 'module' });
  await new Promise((resolve, reject) => {
    worker.onmessage = resolve;
    worker.onerror = (event) => reject(new SinewError(`a thread could not be started: ${event.message ?? 'its script was not loaded'}`, 'host'));
    worker.postMessage(message);
  });
  return worker;
}

async function loadThreads(options, count) {
  const module = await compile(options.wasm, new URL('./sinew-threads.wasm', import.meta.url));
  if (!WebAssembly.Module.imports(module).some((one) => one.kind === 'memory')) return null; // it is the other one
  const memory = sharedMemory();
  let parse = null;
  const instance = await WebAssembly.instantiate(module, { ...imports(module, () => memory, (...text) => parse(...text)), env: { memory } });
  const c = instance.exports;
  parse = parser(c, memory);
  c._initialize();
  const pool = c.web_pool_create();
  const workers = [];
  const size = 1 << 20;
  for (let i = 1; i < count; ++i) {
    const stack = c.web_take(size);
    if (!pool || !stack) throw new SinewError('there is no memory for threads', 'memory');
    const url = options.worker ?? (isNode ? new URL('./sinew-worker.js', import.meta.url) : null);
    workers.push(await startWorker(url, { module, memory, pool, stack: (stack + size) & ~15 }));
  }
  return new Engine(c, memory, { pool, workers });
}

/** The smallest module with a vector in it: an engine that takes it has vectors. */
const VECTORS = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);
const hasVectors = () => WebAssembly.validate(VECTORS);

export async function load(options = {}) {
  const threads = await wantedThreads(options.threads), vectors = hasVectors();
  if (threads > 1 && vectors) {
    const engine = await loadThreads(options, threads);
    if (engine) return engine;
  }
  const module = await (vectors ? compile(options.wasm, new URL('./sinew.wasm', import.meta.url)) : compile(options.wasm, new URL('./sinew-scalar.wasm', import.meta.url)));
  let memory = null;
  let parse = null;
  const instance = await WebAssembly.instantiate(module, imports(module, () => memory, (...text) => parse(...text)));
  memory = instance.exports.memory;
  parse = parser(instance.exports, memory);
  instance.exports._initialize();
  return new Engine(instance.exports, memory, null);
}

/** What sinew-worker.js does: joins the pool, and stays there. */
export async function work({ module, memory, pool, stack }, ready) {
  const instance = await WebAssembly.instantiate(module, { ...imports(module, () => memory), env: { memory } });
  instance.exports.__stack_pointer.value = stack;
  ready();
  instance.exports.web_pool_work(pool);
}

// ---- The engine ---------------------------------------------------------------------------------------------------------------

class Engine {
  #c;
  #memory;
  #threads;
  #handle;
  #tables;
  #scratch; // a small block for what goes in and comes out of a call

  constructor(c, memory, threads) {
    this.#c = c;
    this.#memory = memory;
    this.#threads = threads;
    this.#handle = c.web_engine_create(threads?.pool ?? 0);
    this.#scratch = c.web_take(8192);
    if (!this.#handle || !this.#scratch) throw new SinewError('out of memory', 'memory');
    this.version = this.cText(c.web_version());
    this.threads = 1 + (threads?.workers.length ?? 0);
    this.simd = c.web_vectors() !== 0;
    this.double = false;
    this.#tables = this.#ask((engine) => c.web_tables(engine));
    this.solvers = this.#tables.solvers;
    this.integrators = this.#tables.integrators;
    this.orders = this.#tables.orders;
    this.gradients = this.#tables.gradients;
    this.objectTypes = this.#tables.objectTypes;
  }

  get memory() {
    return this.#memory.buffer.byteLength;
  }

  kinds() {
    return structuredClone(this.#tables.kinds);
  }

  schema() {
    return this.#ask((engine) => this.#c.web_schema(engine));
  }

  world(settings = {}) {
    return this.scene(JSON.stringify({ world: plain(settings) }), { name: 'world' }).world;
  }

  scene(text, options = {}) {
    const c = this.#c;
    if (typeof text !== 'string' && !(text instanceof Uint8Array)) throw wrong('a scene is the text of a scene file, or its bytes');
    const name = options.name ?? 'scene.json';
    const given = options.set ?? [];
    const taken = [];
    const put = (string) => {
      const at = this.cString(string);
      taken.push(at);
      return at;
    };
    try {
      for (const [file, content] of Object.entries(options.files ?? {})) {
        const bytes = typeof content === 'string' ? encoder.encode(content) : content;
        const at = this.take(bytes.length);
        this.bytes(at, bytes.length).set(bytes);
        if (!c.web_file_add(this.#handle, this.cString(file), at, bytes.length)) throw new SinewError('out of memory', 'memory');
      }
      const bytes = typeof text === 'string' ? encoder.encode(text) : text;
      const at = this.take(bytes.length);
      taken.push(at);
      this.bytes(at, bytes.length).set(bytes);
      const sets = given.map(put);
      const list = this.take(4 * sets.length);
      taken.push(list);
      this.words(list, sets.length).set(sets);
      const handle = c.web_scene_load(this.#handle, this.cString(name), at, bytes.length, sets.length, list);
      const problems = this.answer();
      if (!handle) throw sceneError(problems);
      return new Scene(new World(this, this.#tables, handle, this.#scratch), name, problems);
    } finally {
      taken.forEach((at) => c.web_give(at));
      c.web_files_clear(this.#handle);
    }
  }

  destroy() {
    if (this.#threads) {
      this.#c.web_pool_end(this.#threads.pool);
      for (const worker of this.#threads.workers) worker.terminate();
      this.#threads = null;
    }
  }

  // ---- For World and Scene, not part of the contract

  get c() {
    return this.#c;
  }

  /** Memory of so many bytes, which may make all memory grow. */
  take(size) {
    const at = this.#c.web_take(size);
    if (!at) throw new SinewError(`out of memory (${size} bytes)`, 'memory');
    return at;
  }

  get buffer() {
    return this.#memory.buffer;
  }

  bytes(at, count) {
    return new Uint8Array(this.#memory.buffer, at, count);
  }

  words(at, count) {
    return new Uint32Array(this.#memory.buffer, at, count);
  }

  floats(at, count) {
    return new Float32Array(this.#memory.buffer, at, count);
  }

  doubles(at, count) {
    return new Float64Array(this.#memory.buffer, at, count);
  }

  /** A text of C. Shared memory has to be copied: decoders refuse it. */
  cText(at) {
    const all = new Uint8Array(this.#memory.buffer);
    return decoder.decode(all.slice(at, all.indexOf(0, at)));
  }

  cString(text) {
    const bytes = encoder.encode(text);
    const at = this.take(bytes.length + 1);
    const to = this.bytes(at, bytes.length + 1);
    to.set(bytes);
    to[bytes.length] = 0;
    return at;
  }

  answerText() {
    const at = this.#c.web_text(this.#handle);
    if (!at) throw new SinewError('out of memory', 'memory');
    return decoder.decode(this.bytes(at, this.#c.web_text_length(this.#handle)).slice());
  }

  answer() {
    return JSON.parse(this.answerText());
  }

  #ask(call) {
    if (!call(this.#handle)) throw new SinewError('out of memory', 'memory');
    return this.answer();
  }
}

function sceneError(problems) {
  const errors = problems.filter((one) => one.severity === 'error');
  return new SinewError(errors.map((one) => one.text).join('\n') || 'the scene could not be made', 'scene', problems);
}

/** A copy that JSON can hold: typed arrays as lists. */
function plain(value) {
  if (ArrayBuffer.isView(value)) return Array.from(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
  return value;
}

// ---- A world ------------------------------------------------------------------------------------------------------------------

class World {
  #engine;
  #c;
  #handle;
  #scratch;
  #kinds;
  #version = 1; // counts changes, by which arrays know whether they are up to date
  #arrays = new Map();
  #drags = new Set();
  #moments = new Set();
  #extended = 0;

  constructor(engine, tables, handle, scratch) {
    this.#engine = engine;
    this.#c = engine.c;
    this.#handle = handle;
    this.#scratch = scratch;
    this.#kinds = tables.kinds;
  }

  // ---- Calls

  /** The handle in C; throws if the world is gone. */
  get handle() {
    if (!this.#handle) throw new SinewError('the world was destroyed', 'stale');
    return this.#handle;
  }

  /** Counts the objects and bodies that were added, by which a scene knows whether its lists are up to date. */
  get extended() {
    return this.#extended;
  }

  get engine() {
    return this.#engine;
  }

  #check(result) {
    if (result !== 0) throw new SinewError(this.#engine.cText(this.#c.web_error(this.handle)) || RESULTS[result], RESULTS[result] ?? 'argument');
  }

  /** Numbers into the small block; gives where. */
  #put(numbers, at = 0) {
    const to = this.#engine.doubles(this.#scratch + at, numbers.length);
    for (let i = 0; i < numbers.length; ++i) to[i] = numbers[i];
    return this.#scratch + at;
  }

  #problems(done) {
    const problems = this.#engine.answer();
    if (!done) throw sceneError(problems);
    this.#version++;
    return problems;
  }

  #withText(text, call) {
    const bytes = encoder.encode(text);
    const at = this.#engine.take(bytes.length);
    this.#engine.bytes(at, bytes.length).set(bytes);
    try {
      return call(at, bytes.length);
    } finally {
      this.#c.web_give(at);
    }
  }

  // ---- Settings and counts

  get settings() {
    if (!this.#c.web_settings(this.handle)) throw new SinewError('out of memory', 'memory');
    const { dimensions, ...settings } = this.#engine.answer();
    return { ...settings, profile: !!this.#c.web_profiled(this.handle) };
  }

  set settings(some) {
    this.configure(some);
  }

  configure(some) {
    const { profile, ...others } = plain(some);
    const handle = this.handle;
    this.#problems(this.#withText(JSON.stringify(others), (at, length) => this.#c.web_configure(handle, at, length)));
    if (profile !== undefined) this.#c.web_profile(handle, profile ? 1 : 0);
  }

  #counts() {
    this.#c.web_counts(this.handle, this.#scratch);
    return this.#engine.words(this.#scratch, 4);
  }

  get particleCount() {
    return this.#counts()[0];
  }

  get constraintCount() {
    return this.#counts()[1];
  }

  get bodyCount() {
    return this.#counts()[2];
  }

  get dimensions() {
    return this.#counts()[3];
  }

  get time() {
    return this.#c.web_time(this.handle);
  }

  // ---- Adding

  add(parts) {
    const handle = this.handle;
    this.#problems(this.#withText(JSON.stringify(plain(parts)), (at, length) => this.#c.web_extend(handle, at, length)));
    this.#extended++;
  }

  addObject(object) {
    this.add({ objects: [object] });
  }

  addRope(rope) {
    this.add({ objects: [{ ...rope, type: 'rope' }] });
  }

  addCloth(cloth) {
    this.add({ objects: [{ ...cloth, type: 'cloth' }] });
  }

  addBody(body) {
    this.add({ bodies: [body] });
    const fixed = body.type === 'static' || body.type === 'kinematic';
    return fixed ? this.#c.web_last_fixed(this.handle) : this.#c.web_last_body(this.handle);
  }

  addParticle(position, { mass = 1, velocity = [0, 0, 0], radius = 0, group = 0 } = {}) {
    const all = [...vector(position, 'position'), ...vector(velocity, 'velocity'), number(mass, 'mass'), number(radius, 'radius')];
    const at = this.#put(all);
    this.#version++;
    this.#check(this.#c.web_particle_add(this.handle, at, index(group, 'group'), this.#scratch + 512));
    return this.#engine.words(this.#scratch + 512, 1)[0];
  }

  addParticles(positions, { mass = 1, radius = 0, group = 0 } = {}) {
    if (positions.length === 0 || positions.length % 3 !== 0) throw wrong(`positions: expected three numbers for each particle, found ${positions.length}`);
    const at = this.#engine.take(4 * positions.length);
    try {
      this.#engine.floats(at, positions.length).set(positions);
      this.#version++;
      this.#check(this.#c.web_particles_add(this.handle, positions.length / 3, at, number(mass, 'mass'), number(radius, 'radius'), index(group, 'group'), this.#scratch));
      return this.#engine.words(this.#scratch, 1)[0];
    } finally {
      this.#c.web_give(at);
    }
  }

  #kind(name) {
    const at = this.#kinds.findIndex((one) => one.name === name);
    if (at < 0) throw wrong(`there is no kind of constraint called '${String(name)}'; there are ${this.#kinds.map((one) => one.name).join(', ')}`);
    return at + 1;
  }

  #params(kind, params) {
    const known = this.#kinds[kind - 1].params;
    const total = known.reduce((sum, one) => sum + one.numbers, 0);
    const list = new Array(total).fill(MEASURE);
    if (Array.isArray(params) || ArrayBuffer.isView(params)) {
      if (params.length > total) throw wrong(`${this.#kinds[kind - 1].name}: expected at most ${total} parameters, found ${params.length}`);
      for (let i = 0; i < params.length; ++i) list[i] = number(params[i], `parameter ${i}`);
      return list;
    }
    for (const [name, value] of Object.entries(params ?? {})) {
      let at = 0;
      const one = known.find((param) => param.name === name || ((at += param.numbers), false));
      if (!one) throw wrong(`${this.#kinds[kind - 1].name}: there is no parameter '${name}'; there are ${known.map((param) => param.name).join(', ') || 'none'}`);
      if (one.numbers === 1) list[at] = number(value, name);
      else vector(value, name).forEach?.((x, i) => (list[at + i] = x)) ?? [0, 1, 2].forEach((i) => (list[at + i] = value[i]));
    }
    return list;
  }

  #points(points) {
    const list = [];
    for (const point of points) {
      if (typeof point === 'number') list.push(0, index(point, 'particle'), 0, 0, 0);
      else if (point?.place) list.push(2, 0, ...vector(point.place, 'place'));
      else if (point?.body !== undefined) list.push(1, index(point.body, 'body'), ...vector(point.at ?? [0, 0, 0], 'at'));
      else throw wrong(`a point is the number of a particle, { body, at } or { place }; found ${String(point)}`);
    }
    return list;
  }

  #material({ compliance = NaN, damping = NaN, stiffness = NaN } = {}) {
    return [compliance, damping, stiffness];
  }

  #constraint(at) {
    const [kind, place, generation] = this.#engine.words(at, 3);
    return { kind: this.#kinds[kind - 1].name, index: place, generation };
  }

  #constraintAt(constraint) {
    const at = this.#scratch + 4096;
    this.#engine.words(at, 3).set([this.#kind(constraint?.kind), constraint.index, constraint.generation]);
    return at;
  }

  addConstraint(kind, points, params = {}, material = {}) {
    const which = this.#kind(kind);
    const info = this.#kinds[which - 1];
    if (info.points && points.length !== info.points) throw wrong(`${kind}: expected ${info.points} points, found ${points.length}`);
    const numbers = this.#points(points);
    const list = this.#params(which, params);
    const block = this.#engine.take(8 * (numbers.length + list.length + 4));
    try {
      this.#engine.doubles(block, numbers.length + list.length + 3).set([...numbers, ...list, ...this.#material(material)]);
      this.#version++;
      const at = this.#scratch + 4096;
      this.#check(this.#c.web_constraint_add(this.handle, which, points.length, block, list.length, block + 8 * numbers.length, block + 8 * (numbers.length + list.length), at));
      return this.#constraint(at);
    } finally {
      this.#c.web_give(block);
    }
  }

  addConstraints(kind, particles, params = null, material = {}) {
    const which = this.#kind(kind);
    const info = this.#kinds[which - 1];
    if (!info.points) throw wrong(`${kind}: has any number of points; add such constraints one by one`);
    if (particles.length % info.points !== 0) throw wrong(`${kind}: expected ${info.points} particles for each, found ${particles.length} in all`);
    const count = particles.length / info.points;
    const width = info.params.reduce((sum, one) => sum + one.numbers, 0);
    if (params && params.length !== count * width) throw wrong(`${kind}: expected ${width} parameters for each of ${count}, found ${params.length}`);
    const block = this.#engine.take(4 * (particles.length + (params?.length ?? 0)) + 4);
    const numbers = block + 4 * particles.length;
    try {
      this.#engine.words(block, particles.length).set(particles);
      if (params) this.#engine.floats(numbers, params.length).set(params);
      this.#version++;
      this.#check(this.#c.web_constraints_add(this.handle, which, count, block, params ? numbers : 0, this.#put(this.#material(material))));
      return count;
    } finally {
      this.#c.web_give(block);
    }
  }

  addJoint(joint) {
    const { kind, a, b, anchor = [0, 0, 0], axis = [1, 0, 0], ...others } = joint;
    const which = this.#kind(`joint_${kind}`);
    const list = [...vector(anchor, 'anchor'), ...vector(axis, 'axis')];
    for (const name of JOINT_NUMBERS) {
      const value = others[name];
      delete others[name];
      if (name === 'target_turn' || name === 'second_axis') list.push(...(value === undefined ? [MEASURE, MEASURE, MEASURE] : vector(value, name)));
      else list.push(value === undefined ? MEASURE : number(value, name));
    }
    const [unknown] = Object.keys(others);
    if (unknown) throw wrong(`a joint has no '${unknown}'; it may have ${JOINT_NUMBERS.join(', ')}`);
    const of = (body) => (body === null || body === undefined ? -1 : index(body, 'body'));
    const at = this.#scratch + 4096;
    this.#version++;
    this.#check(this.#c.web_joint_add(this.handle, which, of(a), of(b), this.#put(list), at));
    return this.#constraint(at);
  }

  #change(particle, what, x = 0, y = 0, z = 0) {
    this.#version++;
    this.#check(this.#c.web_particle_change(this.handle, index(particle, 'particle'), what, x, y, z));
  }

  removeParticle(particle) {
    this.#change(particle, CHANGE.remove);
  }

  removeBody(body) {
    this.#version++;
    this.#check(this.#c.web_body_remove(this.handle, index(body, 'body')));
    this.#extended++;
  }

  remove(name) {
    const text = this.#engine.cString(String(name));
    try {
      this.#version++;
      const result = this.#c.web_remove(this.handle, text);
      if (result) throw new SinewError(RESULTS[result] === 'memory' ? 'out of memory' : `there is no object and no body '${name}'`, RESULTS[result] ?? 'argument');
      this.#extended++;
    } finally {
      this.#c.web_give(text);
    }
  }

  setBreeze(velocity) {
    const result = this.#c.web_breeze(this.handle, ...vector(velocity, 'velocity'));
    if (result) throw new SinewError(`found a wind of ${[...velocity].join(', ')} m/s, expected finite numbers, and z = 0 in two dimensions`, RESULTS[result]);
  }

  setFriction(friction) {
    this.#version++;
    this.#check(this.#c.web_friction(this.handle, number(friction, 'friction')));
  }

  removeConstraint(constraint) {
    this.#version++;
    this.#check(this.#c.web_constraint_remove(this.handle, this.#constraintAt(constraint)));
  }

  // ---- Running

  step(seconds) {
    this.#lead(number(seconds, 'seconds'));
    this.#version++;
    this.#check(this.#c.web_step(this.handle, seconds));
  }

  /** Of a scene: one frame. */
  stepFrame(seconds) {
    this.#lead(seconds);
    this.#version++;
    this.#check(this.#c.web_frame(this.handle));
  }

  relax({ dt = NaN, steps = NaN, displacement = NaN, patience = NaN } = {}) {
    const at = this.#put([dt, steps, displacement, patience]);
    this.#version++;
    this.#check(this.#c.web_relax(this.handle, at, this.#scratch + 64));
    const [rested, taken, moved, speed, residual] = this.#engine.doubles(this.#scratch + 64, 5);
    return { rested: rested !== 0, steps: taken, displacement: moved, speed, residual };
  }

  reverse() {
    this.#version++;
    this.#check(this.#c.web_reverse(this.handle));
  }

  hash() {
    return BigInt.asUintN(64, this.#c.web_hash(this.handle)).toString(16).padStart(16, '0');
  }

  // ---- Reading

  /** A view of an array of the engine's, brought up to date if the world has changed since, and made anew if memory has moved. */
  #array(which, make) {
    let array = this.#arrays.get(which);
    const handle = this.handle;
    if (!array || array.version !== this.#version) {
      if (!this.#c.web_array_of_world(handle, which, this.#scratch)) throw new SinewError('out of memory', 'memory');
      const [at, count] = this.#engine.words(this.#scratch, 2);
      array = { version: this.#version, at, count, view: null };
      this.#arrays.set(which, array);
    }
    if (!array.view || array.view.buffer !== this.#engine.buffer) array.view = make(array.at, array.count);
    return array.view;
  }

  #floats(which) {
    return this.#array(which, (at, count) => this.#engine.floats(count ? at : 0, count));
  }

  get positions() {
    return this.#floats(ARRAY.positions);
  }

  get velocities() {
    return this.#floats(ARRAY.velocities);
  }

  get inverseMasses() {
    return this.#floats(ARRAY.inverseMasses);
  }

  get radii() {
    return this.#floats(ARRAY.radii);
  }

  get bodyPoses() {
    return this.#floats(ARRAY.bodyPoses);
  }

  get storage() {
    this.#c.web_storage(this.handle, this.#scratch);
    const [x, v, count, bytes, slot, numbers, number] = this.#engine.words(this.#scratch, 7);
    const stride = bytes / 4;
    return {
      positions: this.#engine.floats(x, count * stride),
      velocities: this.#engine.floats(v, count * stride),
      stride,
      slot: this.#engine.words(slot, numbers),
      index: this.#engine.words(number, count),
    };
  }

  links() {
    return this.#array(ARRAY.links, (at, count) => this.#engine.words(count ? at : 0, count)).slice();
  }

  ties() {
    return this.#floats(ARRAY.ties).slice();
  }

  inspect(particle, body = -1) {
    this.#check(this.#c.web_inspect(this.handle, index(particle, 'particle'), body, this.#scratch + 128));
    const [mass, x, y, z, count, pulls, force, misses, error, fx, fy, fz] = this.#engine.doubles(this.#scratch + 128, 12);
    const kind = (number) => this.#kinds[number - 1] ?? null;
    return { mass, velocity: [x, y, z], constraints: count, force, forceKind: kind(pulls)?.name ?? '', error, errorKind: kind(misses)?.name ?? '', errorUnit: kind(misses)?.unit ?? '', sum: [fx, fy, fz] };
  }

  toBody(body, place) {
    const at = this.#put(vector(place, 'place'));
    this.#c.web_body_own(this.handle, index(body, 'body'), at);
    return Array.from(this.#engine.doubles(at, 3));
  }

  mass(particle) {
    return this.#c.web_particle_mass(this.handle, index(particle, 'particle'));
  }

  draw(layers, { size = 1 } = {}) {
    let bits = 0;
    for (const name of layers) {
      if (!Object.hasOwn(LAYERS, name)) throw wrong(`there is no layer '${name}'; there are ${Object.keys(LAYERS).join(', ')}`);
      bits |= LAYERS[name];
    }
    this.#check(this.#c.web_draw(this.handle, bits, number(size, 'size'), this.#scratch));
    const [points, pointCount, lines, lineCount] = this.#engine.words(this.#scratch, 4);
    return { points: this.#engine.floats(pointCount ? points : 0, 5 * pointCount).slice(), lines: this.#engine.floats(lineCount ? lines : 0, 7 * lineCount).slice() };
  }

  bodyParticle(body) {
    return this.#c.web_body_particle(this.handle, index(body, 'body'));
  }

  particleBody(particle) {
    return this.#c.web_particle_body(this.handle, index(particle, 'particle'));
  }

  report() {
    this.#check(this.#c.web_report(this.handle, this.#scratch + 16, this.#scratch));
    const [kinds] = this.#engine.words(this.#scratch, 1);
    const r = this.#engine.doubles(this.#scratch + 16, REPORT_HEAD + REPORT_KIND * kinds);
    const report = {
      time: r[0],
      steps: r[1],
      passes: r[2],
      particles: r[3],
      constraints: r[4],
      kinetic: r[5],
      potential: r[6],
      elastic: r[7],
      energy: r[5] + r[6] + r[7],
      mass: r[8],
      centre: [r[9], r[10], r[11]],
      momentum: [r[12], r[13], r[14]],
      angularMomentum: [r[15], r[16], r[17]],
      seconds: { step: r[18], predict: r[19], solve: r[20], update: r[21] },
      kinds: [],
    };
    for (let i = 0, at = REPORT_HEAD; i < kinds; ++i, at += REPORT_KIND) {
      report.kinds.push({ name: this.#kinds[r[at] - 1]?.name ?? `kind ${r[at]}`, count: r[at + 1], undefined: r[at + 2], largest: r[at + 3], mean: r[at + 4], relative: r[at + 5] });
    }
    return report;
  }

  force(constraint) {
    return this.#c.web_constraint_force(this.handle, this.#constraintAt(constraint));
  }

  // ---- Changing

  setPosition(particle, position) {
    this.#change(particle, CHANGE.position, ...vector(position, 'position'));
  }

  setVelocity(particle, velocity) {
    this.#change(particle, CHANGE.velocity, ...vector(velocity, 'velocity'));
  }

  setMass(particle, mass) {
    this.#change(particle, CHANGE.mass, number(mass, 'mass'));
  }

  addForce(particle, force) {
    this.#change(particle, CHANGE.force, ...vector(force, 'force'));
  }

  addImpulse(particle, impulse) {
    this.#change(particle, CHANGE.impulse, ...vector(impulse, 'impulse'));
  }

  moveTo(particle, target) {
    this.#change(particle, CHANGE.moveTo, ...vector(target, 'target'));
  }

  setBodyPose(body, position, rotation) {
    const at = this.#put([...vector(position, 'position'), ...vector(rotation, 'rotation', 4)]);
    this.#version++;
    this.#check(this.#c.web_body_pose(this.handle, index(body, 'body'), at));
  }

  setBodyVelocity(body, velocity, spin) {
    const at = this.#put([...vector(velocity, 'velocity'), ...vector(spin, 'spin')]);
    this.#version++;
    this.#check(this.#c.web_body_velocity(this.handle, index(body, 'body'), at));
  }

  setParam(constraint, name, value) {
    const handle = this.#constraintAt(constraint);
    const numbers = typeof value === 'number' ? [value] : [...vector(value, name)];
    const at = this.#put([...numbers, 0, 0]);
    const text = this.#engine.cString(name);
    try {
      this.#version++;
      this.#check(this.#c.web_constraint_param(this.handle, handle, text, at, numbers.length));
    } finally {
      this.#c.web_give(text);
    }
  }

  setMaterial(kind, material) {
    const at = this.#put(this.#material(material));
    this.#version++;
    this.#check(this.#c.web_material(this.handle, kind === null ? 0 : this.#kind(kind), at, this.#scratch + 64));
    return this.#engine.words(this.#scratch + 64, 1)[0];
  }

  // ---- Going back

  snapshot() {
    const moment = new Moment(this, this.#c);
    this.#moments.add(moment);
    return moment;
  }

  /** For snapshots. */
  forget(moment) {
    this.#moments.delete(moment);
  }

  restore(snapshot) {
    if (!(snapshot instanceof Moment) || snapshot.world !== this) throw wrong('a snapshot is restored in the world that it was taken from');
    this.#version++;
    this.#extended++;
    for (const drag of [...this.#drags]) drag.end();
    this.#check(this.#c.web_return(this.handle, snapshot.handle));
  }

  // ---- Coming apart

  cut({ blade = 'segment', a = [0, 0, 0], b = [0, 0, 0], toA = [0, 0, 0], toB = [0, 0, 0], group = -1, edgesOnly = false } = {}) {
    if (!Object.hasOwn(BLADES, blade)) throw wrong(`there is no blade '${blade}'; there are ${Object.keys(BLADES).join(', ')}`);
    const places = [vector(a, 'a'), vector(b, 'b'), vector(toA, 'toA'), vector(toB, 'toB')].flatMap((place) => [...place]);
    const at = this.#put([BLADES[blade], ...places, group === -1 ? -1 : index(group, 'group'), edgesOnly ? 1 : 0]);
    this.#version++;
    this.#check(this.#c.web_cut(this.handle, at, this.#scratch + 256));
    const [inserted, split, removed, released] = this.#engine.doubles(this.#scratch + 256, 4);
    return { inserted, split, removed, released };
  }

  tears() {
    if (!this.#c.web_tears(this.handle, this.#scratch)) throw new SinewError('out of memory', 'memory');
    const [at, count] = this.#engine.words(this.#scratch, 2);
    const all = this.#engine.doubles(count ? at : 0, 15 * count);
    return Array.from({ length: count }, (_, i) => {
      const [type, cut, particle, other, made, kind, constraint, x, y, z, strain, force, released, formedKind, formed] = all.subarray(15 * i, 15 * i + 15);
      return { type: TEARS[type], cut: cut !== 0, particle, other, made, kind, constraint, place: [x, y, z], strain, force, released, formedKind, formed };
    });
  }

  get topology() {
    return this.#c.web_topology(this.handle);
  }

  topologyChanges(since) {
    if (!this.#c.web_topology_since(this.handle, number(since, 'since'), this.#scratch)) throw new SinewError('out of memory', 'memory');
    const [at, count, known] = this.#engine.words(this.#scratch, 3);
    return known ? this.#engine.words(count ? at : 0, count).slice() : null;
  }

  /** Of an object of the scene: where its triangles are, how many there are, and lines. */
  mesh(object) {
    if (!this.#c.web_mesh(this.handle, object, this.#scratch)) throw new SinewError('out of memory', 'memory');
    return [...this.#engine.words(this.#scratch, 3)];
  }

  // ---- The mouse

  pick(origin, direction, { reach = 0, length = 1e6 } = {}) {
    const at = this.#put([...vector(origin, 'origin'), ...vector(direction, 'direction'), number(length, 'length'), number(reach, 'reach')]);
    if (!this.#c.web_pick(this.handle, at, this.#scratch + 128)) return null;
    const [particle, body, distance, x, y, z] = this.#engine.doubles(this.#scratch + 128, 6);
    return { particle, body, point: [x, y, z], distance };
  }

  drag(hit) {
    const drag = hit.body >= 0 ? this.#dragBody(hit) : this.#dragParticle(hit);
    this.#drags.add(drag);
    return drag;
  }

  #dragParticle(hit) {
    const particle = index(hit.particle, 'particle');
    const start = this.positions.slice(3 * particle, 3 * particle + 3);
    if (start.length < 3 || Number.isNaN(start[0])) throw new SinewError(`there is no particle ${particle}`, 'stale');
    const offset = [0, 1, 2].map((i) => start[i] - hit.point[i]);
    const target = Array.from(start);
    const drags = this.#drags;
    return {
      particle,
      body: -1,
      to(x, y, z) {
        [x, y, z].forEach((value, i) => (target[i] = number(value, 'to') + offset[i]));
      },
      end() {
        drags.delete(this);
      },
      lead: (seconds) => {
        const now = this.positions.subarray(3 * particle, 3 * particle + 3);
        const way = [0, 1, 2].map((i) => target[i] - now[i]);
        const length = Math.hypot(...way);
        if (this.dimensions === 2) way[2] = 0;
        const share = length > DRAG_SPEED * seconds ? (DRAG_SPEED * seconds) / length : 1;
        this.#change(particle, CHANGE.moveTo, now[0] + way[0] * share, now[1] + way[1] * share, now[2] + way[2] * share);
      },
    };
  }

  #dragBody(hit) {
    const body = index(hit.body, 'body');
    const mass = this.#c.web_body_mass(this.handle, body);
    const at = this.#put(vector(hit.point, 'point'));
    this.#c.web_body_own(this.handle, body, at);
    const own = Array.from(this.#engine.doubles(at, 3));
    const rate = 2 * Math.PI * DRAG_FREQUENCY;
    const movable = Number.isFinite(mass);
    const material = movable ? { compliance: 1 / (mass * rate * rate), damping: 2 * mass * rate } : {};
    const held = movable ? this.addConstraint('pin', [{ body, at: own }], { target: Array.from(hit.point) }, material) : null;
    const drags = this.#drags;
    let done = false;
    return {
      particle: hit.particle,
      body,
      to: (x, y, z) => {
        if (held && !done) this.setParam(held, 'target', this.dimensions === 2 ? [x, y, 0] : [x, y, z]);
      },
      end: () => {
        if (done) return;
        done = true;
        drags.forEach((one) => one.held === held && drags.delete(one));
        if (held && this.#handle) {
          try {
            this.removeConstraint(held);
          } catch {
            // it went with its body, or with a snapshot
          }
        }
      },
      held: held ?? {},
      lead() {},
    };
  }

  #lead(seconds) {
    for (const drag of this.#drags) drag.lead(seconds);
  }

  pin(particle) {
    this.#version++;
    this.#check(this.#c.web_pin(this.handle, index(particle, 'particle'), 1));
  }

  unpin(particle) {
    this.#version++;
    this.#check(this.#c.web_pin(this.handle, index(particle, 'particle'), 0));
    if (this.isPinned(particle)) throw wrong(`particle ${particle} was made immovable and has no other mass: set one with setMass`);
  }

  isPinned(particle) {
    return this.#c.web_particle_mass(this.handle, index(particle, 'particle')) === Infinity;
  }

  destroy() {
    if (!this.#handle) return;
    for (const moment of [...this.#moments]) moment.destroy();
    this.#drags.clear();
    this.#arrays.clear();
    this.#c.web_world_destroy(this.#handle);
    this.#handle = 0;
  }
}

class Moment {
  #c;
  #handle;

  constructor(world, c) {
    this.world = world;
    this.#c = c;
    this.#handle = c.web_mark(world.handle);
    if (!this.#handle) throw new SinewError('out of memory for a snapshot', 'memory');
  }

  get handle() {
    if (!this.#handle) throw new SinewError('the snapshot was destroyed', 'stale');
    return this.#handle;
  }

  get time() {
    return this.#c.web_moment_time(this.handle);
  }

  get size() {
    return this.#c.web_moment_size(this.handle);
  }

  update() {
    if (this.#c.web_mark_again(this.world.handle, this.handle) !== 0) throw new SinewError('out of memory for a snapshot', 'memory');
  }

  destroy() {
    if (!this.#handle) return;
    this.#c.web_moment_destroy(this.#handle);
    this.#handle = 0;
    this.world.forget(this);
  }
}

const shapesOf = (body) => body.shapes.map((shape) => ({ ...shape, vertices: shape.vertices.length ? Float32Array.from(shape.vertices) : null }));

// ---- A scene ------------------------------------------------------------------------------------------------------------------

class Scene {
  #description = null;
  #extended = '';   // how it was when it was described
  #bodies = null;
  #moving = null; // the dynamic ones of them

  constructor(world, name, problems) {
    this.world = world;
    this.name = name;
    this.problems = problems;
    const about = this.#describe();
    this.title = about.title;
    this.about = about.about;
    this.topic = about.topic;
    this.frames = about.frames;
    this.warmUp = about.warmUp;
    this.frameTime = 1 / about.rate;
  }

  #describe() {
    const made = `${this.world.extended} ${this.world.topology}`;
    if (this.#extended !== made) {
      const { engine, handle } = this.world;
      if (!engine.c.web_describe(handle)) throw new SinewError('out of memory', 'memory');
      this.#description = engine.answer();
      this.#bodies = this.#moving = null;
      this.#extended = made;
    }
    return this.#description;
  }

  get frameCount() {
    return this.world.engine.c.web_frames(this.world.handle);
  }

  get meshes() {
    const { engine } = this.world;
    return this.#describe().objects.map((object, i) => {
      const [at, faces, edges] = this.world.mesh(i);
      const triangles = engine.words(faces ? at : 0, 3 * faces).slice();
      const lines = engine.words(edges ? at + 12 * faces : 0, 2 * edges).slice();
      const used = new Uint8Array(object.count);
      for (const list of [triangles, lines]) for (const particle of list) used[particle - object.first] = 1;
      const points = Uint32Array.from({ length: object.count }, (_, k) => object.first + k).filter((particle) => !used[particle - object.first]);
      return { name: object.name, type: object.type, object: i, group: object.group, first: object.first, count: object.count, triangles, lines, points };
    });
  }

  get bodies() {
    const { fixed } = this.#describe();
    this.#bodies ??= [
      ...this.#dynamic(),
      ...fixed.map((body) => ({ ...body, particle: -1, object: -1, shapes: shapesOf(body), mesh: this.#fixedMesh(body.body) })),
    ];
    return this.#bodies;
  }

  #dynamic() {
    const { objects } = this.#describe();
    this.#moving ??= objects.flatMap((object, i) => (object.bodies.length ? this.#bodiesOf(object, i) : []));
    return this.#moving;
  }

  #bodiesOf(object, i) {
    const { engine, handle } = this.world;
    const at = engine.take(20);
    const parts = object.bodies.map(() => ({ vertices: [], triangles: [] }));
    try {
      if (!engine.c.web_body_mesh(handle, i, at)) throw new SinewError('out of memory', 'memory');
      const [x, count, bodyOf, corners, triangles] = engine.words(at, 5);
      const places = engine.floats(x, 3 * count);
      const of = engine.words(bodyOf, count);
      const part = (vertex) => parts[object.bodies.findIndex((body) => body.item === of[vertex])];
      const renamed = new Uint32Array(count);
      for (let k = 0; k < count; ++k) {
        const to = part(k)?.vertices;
        if (!to) continue;
        renamed[k] = to.length / 3;
        to.push(places[3 * k], places[3 * k + 1], places[3 * k + 2]);
      }
      const all = engine.words(corners, 3 * triangles);
      for (let k = 0; k < all.length; k += 3) part(all[k])?.triangles.push(renamed[all[k]], renamed[all[k + 1]], renamed[all[k + 2]]);
      [x, bodyOf, corners].forEach((block) => engine.c.web_give(block));
    } finally {
      engine.c.web_give(at);
    }
    return object.bodies.map((body, k) => ({
      name: body.name,
      body: body.body,
      type: 'dynamic',
      particle: body.particle,
      object: i,
      shapes: shapesOf(body),
      mesh: { vertices: Float32Array.from(parts[k].vertices), triangles: Uint32Array.from(parts[k].triangles) },
    }));
  }

  #fixedMesh(body) {
    const { engine, handle } = this.world;
    const { low, high } = this.bounds;
    const middle = [0, 1, 2].map((i) => (low[i] + high[i]) / 2);
    const reach = 4 * Math.max(1, ...[0, 1, 2].map((i) => high[i] - low[i]));
    const at = engine.take(20);
    try {
      if (!engine.c.web_fixed_mesh(handle, body, ...middle, reach, at)) throw new SinewError('out of memory', 'memory');
      const [x, count, , corners, triangles] = engine.words(at, 5);
      const mesh = { vertices: engine.floats(x, 3 * count).slice(), triangles: engine.words(corners, 3 * triangles).slice() };
      [x, corners].forEach((block) => block && engine.c.web_give(block));
      return mesh;
    } finally {
      engine.c.web_give(at);
    }
  }

  get bounds() {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    const include = (x, y, z, r) => [x, y, z].forEach((value, i) => {
      if (!Number.isFinite(value)) return;
      low[i] = Math.min(low[i], value - r);
      high[i] = Math.max(high[i], value + r);
    });
    const { positions, radii, bodyPoses } = this.world;
    for (let i = 0; i < positions.length; i += 3) include(positions[i], positions[i + 1], positions[i + 2], radii[i / 3]);
    for (const { body, shapes } of this.#dynamic()) {
      const [x, y, z] = bodyPoses.subarray(7 * body, 7 * body + 3);
      include(x, y, z, Math.max(0, ...shapes.map(shapeReach)));
    }
    if (!Number.isFinite(low[0])) return { low: [-1, -1, -1], high: [1, 1, 1] };
    return { low, high };
  }

  get camera() {
    const { low, high } = this.bounds;
    const target = [0, 1, 2].map((i) => (low[i] + high[i]) / 2);
    const size = Math.max(0.1, Math.hypot(...[0, 1, 2].map((i) => high[i] - low[i])));
    const way = this.world.dimensions === 2 ? [0, 0, 1] : [0.45, 0.3, 0.84];
    return { position: target.map((x, i) => x + 1.3 * size * way[i]), target };
  }

  frame() {
    this.world.stepFrame(this.frameTime);
  }

  save() {
    const { engine, handle } = this.world;
    if (!engine.c.web_save(handle)) throw new SinewError(String(engine.answer()), 'scene');
    return engine.answerText();
  }

  destroy() {
    this.world.destroy();
  }
}

/** How far a shape reaches from the origin of its body. */
function shapeReach(shape) {
  const from = Math.hypot(...shape.position);
  if (shape.type === 'sphere') return from + shape.radius;
  if (shape.type === 'capsule') return from + shape.radius + shape.half[1];
  if (shape.type === 'box') return from + shape.radius + Math.hypot(...shape.half);
  let most = 0;
  for (let i = 0; i < (shape.vertices?.length ?? 0); i += 3) most = Math.max(most, Math.hypot(shape.vertices[i], shape.vertices[i + 1], shape.vertices[i + 2]));
  return from + shape.radius + most;
}

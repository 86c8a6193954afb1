// Fetches the module, and the threads that help.
import { Engine } from './engine.js';
import { jsonEvents } from './json.js';
import { SinewError, wrong } from './values.js';

const MOST_THREADS = 64; // that a loop of the engine can use
const isNode = typeof process === 'object' && !!process.versions?.node && process.type !== 'renderer';

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
    worker.onerror = (event) => reject(new SinewError(`a thread could not be started: ${event.message || `${url ?? new URL('./sinew-worker.js', import.meta.url)} was not loaded`}`, 'host'));
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

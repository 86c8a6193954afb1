// The engine: its memory, and what it can make.
import { Scene } from './scene.js';
import { SinewError, plain, sceneError, wrong } from './values.js';
import { World } from './world.js';

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export class Engine {
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

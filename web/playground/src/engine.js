// The page's side of a worker: requests that are promises, and frames that come by themselves.
export class EngineError extends Error {
  constructor({ message, code, problems }) {
    super(message);
    this.code = code;
    this.problems = problems;
  }
}

// A worker that owes an answer and has said nothing for so long (ms) is stopped, and another one started.
export const patience = { ms: 30000 };

export class Engine {
  constructor(url) {
    this.url = url;
    this.next = 1;
    this.onframe = () => {};
    this.onstuck = () => {};
    this.start();
    setInterval(() => this.watch(), 500);
  }

  start() {
    this.worker = new Worker(this.url, { type: "module" });
    this.waiting = new Map();
    this.loaded = this.broken = null;
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = (event) => this.fail(event.message || "the worker did not start");
  }

  watch() {
    if (!this.waiting.size || performance.now() - this.heard < patience.ms) return;
    const message = `the engine gave no answer for ${Math.round(patience.ms / 1000)} s and was stopped`;
    this.worker.terminate();
    this.fail(message);
    this.start();
    this.onstuck(message);
  }

  receive(data) {
    this.heard = performance.now();
    if (data.type === "frame") return this.onframe(data.picture, data.cut);
    const { resolve, reject } = this.waiting.get(data.id);
    this.waiting.delete(data.id);
    if (data.error) reject(new EngineError(data.error));
    else resolve(data.answer);
  }

  fail(message) {
    for (const { reject } of this.waiting.values()) reject(new EngineError({ message, code: "host", problems: [] }));
    this.waiting.clear();
    this.broken = message;
  }

  call(type, args = {}) {
    if (this.broken) return Promise.reject(new EngineError({ message: this.broken, code: "host", problems: [] }));
    if (!this.waiting.size) this.heard = performance.now();
    return new Promise((resolve, reject) => {
      const id = this.next++;
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, type, args });
    });
  }

  // Loads the engine into the worker, once.
  ready(wasm, options) {
    this.loaded ||= this.call("init", { wasm, ...options });
    return this.loaded;
  }
}

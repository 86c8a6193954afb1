// A thread of the engine: a worker of the page, or a thread of Node. sinew.js starts it and says what to join. (No await at the top: bundlers
// for older browsers refuse that.)
import { work } from './sinew.js';

if (typeof self === 'object' && typeof self.postMessage === 'function' && typeof window === 'undefined' && typeof process === 'undefined') {
  self.onmessage = ({ data }) => work(data, () => self.postMessage('ready'));
} else {
  import(/* @vite-ignore */ /* webpackIgnore: true */ 'node:worker_threads').then(({ parentPort }) => {
    parentPort.once('message', (data) => work(data, () => parentPort.postMessage('ready')));
  });
}

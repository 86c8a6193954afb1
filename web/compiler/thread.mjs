// clang as WebAssembly, in a thread of web/build.mjs. Gets the sources as a tree of names and texts, then jobs.
import { Exit, runClang } from '@yowasp/clang';
import { parentPort, workerData as all } from 'node:worker_threads';

parentPort.on('message', async ({ args, inputs, result }) => {
  const said = [];
  const decoder = new TextDecoder();
  const stderr = (bytes) => bytes && said.push(decoder.decode(bytes));
  try {
    const made = await runClang(args, { ...all, ...inputs }, { stderr, stdout: stderr, fetchProgress: () => {} });
    if (said.length) process.stderr.write(said.join(''));
    parentPort.postMessage({ bytes: made[result] });
  } catch (error) {
    parentPort.postMessage({ error: `${args.join(' ')}\n${said.join('')}${error instanceof Exit ? '' : error.stack}` });
  }
});

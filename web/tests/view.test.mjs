// `sinew view`: serves the page's folder, and nothing else, to this machine.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { program, text } from './scenes.mjs';

const skip = existsSync(program) ? false : 'the command is not built';

// An installed tree with a page that is easy to tell: bin/sinew, share/sinew/playground.
let folder;
before(() => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), 'sinew-view-'));
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'share/sinew/playground'), { recursive: true });
  cpSync(program, join(folder, 'bin/sinew'));
  writeFileSync(join(folder, 'share/sinew/playground/index.html'), '<!doctype html>the page');
  writeFileSync(join(folder, 'share/sinew/playground/sinew.wasm'), Buffer.alloc(300000, 1));
  writeFileSync(join(folder, 'share/sinew/secret'), 'not for the page');
});
after(() => folder && rmSync(folder, { recursive: true }));

function view(...args) {
  const child = spawn(join(folder, 'bin/sinew'), ['view', '--no-open', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve(code ?? signal)));
  let said = '';
  child.stderr.on('data', (bytes) => (said += bytes));
  const address = new Promise((resolve, reject) => {
    child.stdout.on('data', (bytes) => (said += bytes) && /^http\S+$/m.test(said) && resolve(/^http\S+$/m.exec(said)[0]));
    ended.then((code) => reject(new Error(`ended with ${code}: ${said}`)));
  });
  return { child, ended, address };
}

/** A request as it is written, without the cleaning of fetch. */
function ask(address, path, { method = 'GET', headers = {} } = {}) {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, method, headers }, (answer) => {
      const parts = [];
      answer.on('data', (bytes) => parts.push(bytes));
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts) }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

test('the page is served with its types and the headers of threads, and Ctrl-C ends it', { skip }, async () => {
  const { child, ended, address } = view('pendulum');
  assert.match(await address, /^http:\/\/127\.0\.0\.1:\d+\/#scene=pendulum$/);
  const page = await ask(await address, '/');
  assert.equal(page.status, 200);
  assert.equal(page.body.toString(), '<!doctype html>the page');
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(page.headers['cross-origin-opener-policy'], 'same-origin');
  assert.equal(page.headers['cross-origin-embedder-policy'], 'require-corp');
  const wasm = await ask(await address, '/sinew.wasm?x=1');
  assert.equal(wasm.headers['content-type'], 'application/wasm');
  assert.equal(wasm.body.length, 300000);
  const head = await ask(await address, '/sinew.wasm', { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers['content-length'], head.body.length], [200, '300000', 0]);
  child.kill('SIGINT');
  assert.equal(await ended, 0);
});

test('nothing else is served', { skip }, async () => {
  const { child, ended, address } = view();
  for (const path of ['/../secret', '/%2e%2e/secret', '/..%2fsecret', '/%', '/%00', '/nothing', '//', '/.hidden']) {
    assert.equal((await ask(await address, path)).status, 404, path);
  }
  assert.equal((await ask(await address, '/', { method: 'POST' })).status, 405);
  assert.equal((await ask(await address, '/', { headers: { Host: 'elsewhere.example' } })).status, 403);
  assert.match(String((await ask(await address, `/${'x'.repeat(20000)}`)).status), /^4(14|31)$/);
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
});

/** What the page /view hands to the playground. */
async function handedOn(address) {
  const page = (await ask(address, '/view')).body.toString();
  return JSON.parse(inflateRawSync(Buffer.from(/#z=([^"]+)"/.exec(page)[1], 'base64url')).toString());
}

test('the page gets the meshes that the scene reads, and no file that it only mentions', { skip, timeout: 60000 }, async () => {
  const place = join(folder, 'deep', 'scene');
  const mesh = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';
  mkdirSync(place, { recursive: true });
  writeFileSync(join(folder, 'outside.obj'), mesh);
  writeFileSync(join(place, 'beside.obj'), mesh);
  writeFileSync(join(place, 'inside.obj'), mesh);
  execFileSync('mkfifo', [join(place, 'fifo.obj')]);
  const scene = { title: '</script>', about: '../../outside.obj', topic: 'beside.obj', comment: 'fifo.obj' };
  writeFileSync(join(place, 'evil.json'), JSON.stringify({ ...scene, objects: [{ type: 'cloth', mesh: 'inside.obj' }] }));
  const { child, ended, address } = view(join(place, 'evil.json'));
  assert.deepEqual((await handedOn(await address)).files, { 'inside.obj': mesh });
  child.kill('SIGINT');
  assert.equal(await ended, 0);
  for (const name of ['../../outside.obj', 'fifo.obj']) {
    writeFileSync(join(place, 'evil.json'), JSON.stringify({ objects: [{ type: 'cloth', mesh: name }] }));
    await assert.rejects(view(join(place, 'evil.json')).address, /ended with 3: .*(outside of which|not a plain file)/s);
  }
});

test("one's own scene goes to the page, a bad one does not", { skip }, async () => {
  const own = text('pendulum').replace('"title"', '"comment": "mine \\u00e4 \\"", "title"');
  writeFileSync(join(folder, 'mine.json'), own);
  const { child, ended, address } = view(join(folder, 'mine.json'));
  assert.match(await address, /\/view$/);
  const state = await handedOn(await address);
  assert.equal(state.text, own);
  assert.equal(state.name, 'mine.json');
  child.kill('SIGINT');
  assert.equal(await ended, 0);
  writeFileSync(join(folder, 'bad.json'), '{"objects": [{"type": "roep"}]}');
  await assert.rejects(view(join(folder, 'bad.json')).address, /ended with 3: .*did you mean 'rope'/s);
});

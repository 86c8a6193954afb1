// An engine without vectors takes the module without them: slower, and the same bits. V8 has none if it may not use SSE 4.1.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from '../package/sinew.js';
import { nativeHash, webHash } from './scenes.mjs';

const scenes = process.env.SINEW_LONG_TESTS ? ['flag', 'ragdoll_stairs', 'jelly', 'jelly_cubes', 'grain_pile', 'tablecloth', 'zoo'] : ['pendulum', 'ragdoll_stairs'];

if (process.env.SINEW_WITHOUT_VECTORS) {
  const sinew = await load({ threads: 2 });
  console.log(JSON.stringify({ simd: sinew.simd, threads: sinew.threads, hashes: scenes.map((name) => webHash(sinew, name, 60)) }));
  process.exit(0);
}

test('without vectors: another module, the same hashes', { skip: process.arch !== 'x64' && 'V8 knows how to do without vectors on x86 only' }, async () => {
  const out = execFileSync(process.execPath, ['--no-enable-sse4-1', fileURLToPath(import.meta.url)], { encoding: 'utf8', env: { ...process.env, SINEW_WITHOUT_VECTORS: '1' } });
  const { simd, threads, hashes } = JSON.parse(out.trim().split('\n').pop()), sinew = await load();
  assert.equal(simd, false);
  assert.equal(threads, 1);
  assert.equal(sinew.simd, true);
  for (const [i, name] of scenes.entries()) assert.equal(hashes[i], (await nativeHash(name, 60)) ?? webHash(sinew, name, 60), name);
});

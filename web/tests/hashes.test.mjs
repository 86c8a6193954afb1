// Same scene, same bits: every scene in WebAssembly against the native program, with one thread and with several.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from '../package/sinew.js';
import { names, nativeHash, root, webHash } from './scenes.mjs';

const FRAMES = 120;

for (const threads of [1, 3]) {
  test(`every scene has the native hash after ${FRAMES} frames with ${threads} threads`, async (t) => {
    const sinew = await load({ threads });
    assert.equal(sinew.threads, threads);
    for (const name of names) {
      await t.test(name, async (t) => {
        const native = await nativeHash(name, FRAMES);
        if (!native) return t.skip('neither the native program nor its hashes are here');
        assert.equal(webHash(sinew, name, FRAMES), native);
      });
    }
    sinew.destroy();
  });
}

test('the zoos have their golden hashes', async () => {
  const source = readFileSync(`${root}tests/scene/test_zoo.c`, 'utf8');
  const single = source.slice(source.indexOf('#else'), source.indexOf('#endif'));
  const goldens = [...single.matchAll(/\{"(\w+)", (\d+), UINT64_C\(0x([0-9a-f]{16})\)\}/g)];
  assert.ok(goldens.length >= 2, 'tests/scene/test_zoo.c has them');
  const sinew = await load();
  for (const [, name, frames, golden] of goldens) assert.equal(webHash(sinew, name, Number(frames)), golden, name);
});

// Three scenes, of particles, of events, and of bodies, in WebAssembly against the native program. hashes.test.mjs does so with all of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../package/sinew.js';
import { nativeHash, webHash } from './scenes.mjs';

for (const [name, threads] of [['flag', 1], ['discontinuities', 1], ['ragdoll_stairs', 2]]) {
  test(`${name} has the native hash with ${threads} ${threads > 1 ? 'threads' : 'thread'}`, async (t) => {
    const native = await nativeHash(name, 60);
    if (!native) return t.skip('neither the native program nor its hashes are here');
    const sinew = await load({ threads });
    assert.equal(webHash(sinew, name, 60), native);
    sinew.destroy();
  });
}

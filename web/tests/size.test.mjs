// What makes the page smaller changes nothing else: another order of functions, and shaders without what is never drawn.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ordered } from '../order.mjs';
import { needed } from '../playground/three.mjs';
import { describing, wordless } from '../playground/wordless.mjs';

const section = (id, bytes) => [id, bytes.length, ...bytes];
const body = (...code) => [code.length + 2, 0, ...code, 0x0b];
const word = (text) => [text.length, ...Buffer.from(text)];

// Four functions: 7, 7 × 7 + what the import gives, one that is like the first, and the third through the table.
const module = (elements = [1, 0, 0x41, 1, 0x0b, 1, 3]) => Buffer.from([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  ...section(1, [1, 0x60, 0, 1, 0x7f]),
  ...section(2, [1, ...word('m'), ...word('f'), 0, 0]),
  ...section(3, [4, 0, 0, 0, 0]),
  ...section(4, [1, 0x70, 0, 2]),
  ...section(7, [2, ...word('b'), 0, 2, ...word('d'), 0, 4]),
  ...section(9, elements),
  ...section(10, [4, ...body(0x41, 0, 0x41, 0, 0x6a, 0x41, 7, 0x6a), ...body(0x10, 1, 0x10, 1, 0x6c, 0x10, 0, 0x6a), ...body(0x41, 0, 0x41, 0, 0x6a, 0x41, 9, 0x6a), ...body(0x41, 1, 0x11, 0, 0)]),
]);

const results = (bytes) => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { m: { f: () => 100 } });
  return [exports.b(), exports.d()];
};

test('functions in another order are the same functions', () => {
  const before = module(), after = ordered(before);
  assert.deepEqual(results(before), [149, 9]);
  assert.deepEqual(results(after), [149, 9]);
  assert.equal(after.length, before.length);
  assert.notDeepEqual(after, before, 'the first and the third lie beside each other');
  assert.deepEqual(ordered(before), after);
});

test('a table that is filled in an unknown way is refused', () => {
  assert.throws(() => ordered(module([1, 1, 0, 1, 3])), /a table is filled in an unknown way/);
});

const cut = (text) => needed(text.split(/(?<!\|)\|(?!\|)/).map((line) => line.trim())).join('|');

test('branches of shaders that are never taken are left out', () => {
  assert.equal(cut('a|#ifdef USE_BUMPMAP|b|#endif|c'), 'a|c');
  assert.equal(cut('#ifndef USE_BUMPMAP|b|#else|c|#endif'), 'b');
  assert.equal(cut('#ifdef USE_MAP|a|#ifdef USE_SKINNING|b|#else|c|#endif|#else|d|#endif'), '#ifdef USE_MAP|a|c|#else|d|#endif');
  assert.equal(cut('#ifdef USE_SKINNING|a|#ifdef USE_MAP|b|#else|c|#endif|#endif|d'), 'd');
  assert.equal(cut('#if defined( USE_SKINNING )|a|#elif defined( USE_MAP )|b|#else|c|#endif'), '#if defined( USE_MAP )|b|#else|c|#endif');
  assert.equal(cut('#if defined( USE_MAP )|a|#elif ! defined( USE_SKINNING )|b|#else|c|#endif'), '#if defined( USE_MAP )|a|#else|b|#endif');
});

test('conditions of shaders hold, do not, or depend on what is drawn', () => {
  const kept = (condition) => ({ a: true, b: false })[cut(`#if ${condition}|a|#else|b|#endif`)] ?? null;
  assert.equal(kept('defined( USE_SKINNING ) || defined USE_BUMPMAP'), false);
  assert.equal(kept('defined( USE_SKINNING ) && defined( USE_MAP )'), false);
  assert.equal(kept('defined( USE_MAP ) || ( ! defined( USE_SKINNING ) && ! defined( USE_BUMPMAP ) )'), true);
  assert.equal(kept('defined( USE_MAP ) || defined( USE_SKINNING )'), null);
  assert.equal(kept('( NUM_SPOT_LIGHTS > 0 ) && defined( USE_MAP )'), false);
  assert.equal(kept('( defined( USE_MAP ) ) && ( defined( USE_SKINNING ) )'), false);
  assert.equal(kept('NUM_DIR_LIGHTS > 0'), null);
});

// Texts 'rod' and 'a thin rod' at 16 and 20, and a number at 31 that may point to 'rod' inside of the longer text.
const texts = (pointer) => Buffer.from([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  ...section(1, [1, 0x60, 0, 1, 0x7f]),
  ...section(3, [1, 0]),
  ...section(5, [1, 0, 1]),
  ...section(10, [1, ...body(0x41, 20)]),
  ...section(11, [1, 0, 0x41, 16, 0x0b, 20, ...Buffer.from('rod\0a thin rod\0\0'), pointer, 0, 0, 0]),
]);

test('texts that only describe are empty in the engine of the page', () => {
  const text = (bytes) => wordless(bytes, ['a thin rod']).toString('latin1').slice(-20);
  assert.equal(text(texts(0)), 'rod\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0');
  assert.equal(text(texts(27)), 'rod\0\0\0\0\0\0\0\0rod\0\0\x1b\0\0\0', 'something points to the end of it');
  assert.deepEqual(describing({ description: 'the length (m)', properties: { a: { description: 'how wide it is (along x) (m)' } } }, [{ about: 'A rod of any length', formula: 'C = |a - b| - rest' }], []),
    ['the length (m)', 'how wide it is (along x) (m)', 'how wide it is', 'how wide it is (along x)', 'A rod of any length', 'C = |a - b| - rest']);
});

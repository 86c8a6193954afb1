// JSON in the package and in the command: two parsers, one answer. Both get the same texts, good and bad, and must tell the same
// problems at the same places, in the same words.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { SinewError, load } from '../package/sinew.js';
import { program, root } from './scenes.mjs';

let sinew;
before(async () => {
  sinew = await load();
});

const skip = existsSync(program) ? false : 'the command is not built';
const bytesOf = (text) => (typeof text === 'string' ? new TextEncoder().encode(text) : text);
const bytes = (...parts) => Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part))));
const shown = (text) => JSON.stringify(Buffer.from(bytesOf(text)).toString('latin1')).slice(0, 300);

const problem = ({ severity, path, line = 0, column = 0, message }) => `${line}:${column}: ${severity}: ${path}: ${message}`;

/** What the package says of a text: its problems, one a line. */
function said(text) {
  try {
    const scene = sinew.scene(text);
    scene.destroy();
    return scene.problems.map(problem);
  } catch (error) {
    assert.ok(error instanceof SinewError && error.problems.length, error.stack);
    return error.problems.map(problem);
  }
}

/** What the command says of many texts. */
async function commandSaid(texts) {
  const folder = mkdtempSync(join(tmpdir(), 'sinew-'));
  const all = [];
  try {
    for (let begin = 0; begin < texts.length; begin += 400) {
      const names = texts.slice(begin, begin + 400).map((text, i) => {
        const name = join(folder, `${i}.json`);
        writeFileSync(name, bytesOf(text));
        return name;
      });
      const done = await promisify(execFile)(program, ['check', '--json', ...names], { maxBuffer: 1 << 28 }).catch((error) => error);
      let problems = [];
      for (const line of done.stdout.trim().split('\n').map((one) => JSON.parse(one))) {
        if (line.event === 'problem') problems.push(problem({ ...line, message: line.text }));
        if (line.event !== 'checked') continue;
        all.push(problems);
        problems = [];
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  assert.equal(all.length, texts.length, 'the command has answered of every text');
  return all;
}

async function same(texts) {
  const command = await commandSaid(texts);
  const differ = [];
  texts.forEach((text, i) => {
    const mine = said(text).join('\n');
    if (mine !== command[i].join('\n')) differ.push(`${shown(text)}\n  command: ${command[i].join('\n           ')}\n  package: ${mine}`);
  });
  assert.ok(!differ.length, `${differ.length} of ${texts.length} differ:\n${differ.slice(0, 25).join('\n')}`);
}

// ---- Texts that are not JSON, and such that are only just --------------------------------------------------------------------------

const bad = [
  // nothing, and what is no UTF-8
  '', ' \n\t\r\n', '\ufeff', '\ufeff \n', '\ufeff\n{"ä": x}', '\ufeff{"a":x}', '\ufeff{"a":1,"a":2}', '\ufeff[', '\ufeff\ufeff{}',
  bytes(0xff, 0xfe, '{', 1), bytes(0xfe, 0xff, 0, '{'), bytes('["ää",\n ', 0xff, ']'), bytes('["', 0xed, 0xa0, 0x80, '"]'),
  bytes('[1,', 0, ' 2]'), bytes('[1]', 0),
  bytes('{"', 0xc3, '"'), bytes('{"a":"', 0xf0, 0x9f, 0xa7), bytes(0xef, 0xbb),
  // signs
  '{"a":1,}', '[1,]', '[1,,2]', '[,]', '[,1]', '{,}', '{"a":1,,"b":2}', '{"a":1,,}', '[1 2]', '[1}', '{"a":1]', '{"a":1 "b":2}',
  '{"a" 1}', '{"a":}', '{"a":,}', '{"a"}',
  '{"a",1}', '{"a":1:2}', '{:1}', '{1:2}', '{[]:2}', '{{}}', '{a:1}', "{'a':1}", '["a" "b"]', '[1:2]', ']', '}', ':', ',', '[]]',
  '{}}', '[[1,2],3', '[{]', '{"a":[}', '{} x', '{} {}', '[] 1',
  '{}, ', '1 2', '"a" "b"', 'null null', '{}\n\n  "open', '{} "\\q"', '{} 1e999', '{} "\\ud800"', '[1 1e999]', '[1 "\\ud800"]',
  '[1 123456789012345678901234567890]', '[1 9007199254740993]', '[1 1.00000000000000000000000]',
  '[1 aWordOfMoreThanTwentyLetters]', '{"a" "a text of more than 20 letters \\""}', '[1 1234567890123456789012345e]',
  '{} "\\u0000"',
  // words and comments
  '[nan]', '[NaN]', '[Infinity]', '[-Infinity]', '[True]', '[truex]', '[true1]', '[true_]', '[nullé]', '{"a":false9}', 'true1',
  'true false', 'nul', 'nulls', '[tru', 'tr', '[undefined]', '[ä]', '[😀]', '{ä:1}',
  "['a']", '// x\n{}', '/* x */ {}', '{} // x', '{} /* x', '[1, # x\n2]', '[1 /* x */, 2]', '[1, // x\n2]', '/', '[/]', '[1/2]',
  '[true/false]', '{"a"/**/:1}', '[\x1b[31m]', '[\x7f]', '[\u00a0]', '[\v1]', '[1\f]', '[\u2028]',
  '[1;2]', '[(1)]', '[`a`]', '[=]', '[\\n]', '[0x10]', '[1_000]', '[1,5 3,5]',
  // numbers
  '[.5]', '[01]', '[-01]', '[00]', '[0123.5]', '[1 01]', '[+1]', '[1.]', '[-]', '[--1]', '[-a]', '[1.e5]', '[1e]', '[1e+]',
  '[1e5.5]', '[1.5.3]', '[1e', '[1.', '-', '[-', '01', '0x1', '1.', '[1x]', '[0x]', '[1.5x]',
  '[1,\n 9007199254740993]', '{"a": {"b c": [0, [-9007199254740993]]}}', '[123456789012345678901234567890]',
  '[9223372036854775807]', '[9223372036854775808]', '[-9223372036854775808]', '[-9223372036854775809]',
  '[9007199254740993, 1e999]', '[9007199254740993, 9007199254740995]', '[9007199254740993, x]', '[9007199254740993',
  '{"a": 9007199254740993, "a": 1}', '[1e999]', '[-1e999]', '[1e309]', '[1.8e308]', `[1${'0'.repeat(400)}]`,
  `[-${'9'.repeat(60)}]`,
  `[0.${'1'.repeat(60)}e400]`, '[1e99999999999999999999]', '9007199254740993', '1e999',
  // keys
  '{"a":1,\n"a":2}', '{"a":1,"b":{"a":2,"a":3}}', '{"a":1,"\\u0061":2}', '{"":1,"":2}', '{"a":1,"a"', '{"a":1,"a" 2}',
  '{"__proto__":1,"__proto__":2}', '{"ä😀":1, "b":"😀", "ä😀":2}',
  '{"a key that has more than 20 letters \\"":1,\n  "a key that has more than 20 letters \\"":2}',
  `{"${'k'.repeat(70)}":1,"${'k'.repeat(70)}":2}`, '[{"a":1},{"a":1},{"b":1,"b":1}]',
  // texts
  '["abc', '"', '["a \\" quote", "and a text that is long enough', '["a\nb"]', '["a\r\nb"]', '["a\\qb"]', '["a\\', '["a\\"',
  '["a\\\\', '["a\\u', '["a\\u1', '["a\\u12', '["a\\u123', '["a\\u1234', '["a\\u12g4"]', '["\\u"]', '["\\uu"]', '["\\é"]',
  '["\\u12é4"]', '["\\😀',
  '["\\\n"]', '["\\\t"]', '["a\\ud800x"]', '["\\ud800"]', '["\\udc00"]', '["\\ud800\\ud800"]',
  '["\\ud83e\\uddf5", "\\uddf5\\ud83e"]', '["\\ud800\\q"]', '["\\ud800\\u0041"]', '["\\ud800😀"]', '["\\u0000"]',
  '["ab\\u0000\\ud800"]', '["\\ud800\\u0000"]', '{"\\u0000":1}', '{"\\ud800":1}',
  '["a\tb"]', '["a\x01\\q"]', '["a\\q\x01"]', '["\x1f\n"]', '["😀😀", "a\x02"]', '{"a\tb":1}', '{"a\n":1}', '{"a', '{"a\\',
  '["\\ud800\n"]', '["\\x41"]', "[\"\\'\"]", '["\\U0041"]',
  // where it ends
  '{"a":', '{"a":1,\n', '{"a":1', '{"a":1 ', '{', '{ \n', '{"a"', '[1', '[1,', '[', '[ ', '[[', '[{', '[{}', '{"a":[1,2',
  '{"a":{"b":', '{"a":{"b":1}', '[true', '["a"', '["a",', '[null', '{"a":{},',
];

test('the same words for what is no JSON', { skip }, async () => {
  await same(bad);
  for (const text of bad) {
    const [one, ...more] = said(text);
    assert.ok(one && !more.length && / error: : \S/.test(one), `${shown(text)}: ${one}`);
    assert.ok(!/make no sense|out of memory/.test(one), `${shown(text)}: ${one}`);
  }
});

// ---- A small scene, damaged -----------------------------------------------------------------------------------------------------------

const small = `{
  "title": "Ein Seil, gefädelt 🧵 \\"\\u00e4\\ud83e\\uddf5\\n",
  "world": {"substeps": 4, "gravity": [0, -9.81, 0.0e0], "solver": "gauss_seidel"},
  "comment": {"mixed": [1, "x", [], {}, [-2.5E-3, 10], null, true, false, -0], "ä": ""},
  "objects": [
    {"type": "rope", "name": "r", "segments": 3, "pins": "start"}
  ]
}
`;

test('the same words for a scene that ends too early', { skip }, async () => {
  const whole = bytesOf(small);
  assert.deepEqual(said(small), []);
  await same(Array.from(whole, (_, length) => whole.subarray(0, length)));
});

const random = (seed) => () => { // a linear congruential generator: the same texts every time
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};

test('the same words for a scene with a byte too few, too many, or wrong', { skip }, async () => {
  const whole = bytesOf(small);
  const next = random(7);
  const texts = [];
  const signs = bytesOf('{}[]:,"\\/ \n\r\t0159.eE+-tfnulasx#\'\x01\x7f');
  for (let at = 0; at < whole.length; ++at) {
    texts.push(bytes(whole.subarray(0, at), whole.subarray(at + 1)));
    const sign = signs[Math.floor(next() * signs.length)];
    texts.push(bytes(whole.subarray(0, at), sign, whole.subarray(at)), bytes(whole.subarray(0, at), sign, whole.subarray(at + 1)));
  }
  await same(texts);
});

test('the same words for tokens in any order', { skip }, async () => {
  const tokens = ['{', '}', '[', ']', ':', ',', ':', ',', '{"a":', '"a"', '"b"', '"a":', '"b":', '"', '"\\u00', '\\', '1', '-', '0', '2.5', 'e9', '1e999', '9007199254740993', '99999999999999999999',
    'true ', 'null\n', 'x', ' ', '\n', '"\\ud800"', '"\\u0000"', '"ä😀"', '/', '//', '/*', '#', "'", '😀', '\ufeff', '\t', '[]', '{}', '1, 2', '[1, '];
  const next = random(1);
  await same(Array.from({ length: 1500 }, () => Array.from({ length: 1 + Math.floor(next() * 9) }, () => tokens[Math.floor(next() * tokens.length)]).join('')));
});

test('the same words for what lies too deep', { skip }, async () => {
  const texts = [];
  for (const depth of [255, 256, 257, 258, 2047, 2048, 2049, 3000, 100000]) {
    for (const inner of ['', '1', '1, 2', '"x"', '{}', 'x', '[1], 9007199254740993']) texts.push(`${'['.repeat(depth)}${inner}${']'.repeat(depth)}`);
    texts.push('['.repeat(depth), `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`, `[9007199254740993, ${'['.repeat(depth)}${']'.repeat(depth)}]`);
  }
  await same(texts);
});

// ---- Texts that are JSON ----------------------------------------------------------------------------------------------------------------

const numbers = ['0', '-0', '-0.0', '0e5', '-0e-5', '0.1', '1E+2', '1e-2', '12345678901234567e-3', '9007199254740992', '-9007199254740992', '1e22', '3.4028234e38', '1.17549435e-38', '1e-45', '1e-400',
  '0.30000001192092896', '0.1000000000000000055511151231257827021181583404541015625', '123456789.123456789', '-2.5E-3'];

test('good texts have the same values, to the bit', { skip }, async () => {
  const scene = `\ufeff{"title": "\\u0061\\b\\f\\n\\r\\t\\/\\\\\\" \x7f ä\\u00E4 🧵\\ud83e\\uddf5 \u2028",\r\n\t"comment": [[], {}, [1], [1, "x", 2], [[1, 2], 3], {"__proto__": 1, "2": 0, "1": 0, "": null}],
    "world": {"gravity": [-0, -0.0, 1]},
    "objects": [{"type": "particles", "positions": [${numbers.map((one) => (Math.abs(Number(one)) > 1e9 ? '1e9' : one)).flatMap((one) => [one, one, one]).join(', ')}]}]}`;
  const folder = mkdtempSync(join(tmpdir(), 'sinew-'));
  try {
    const [name, saved] = [join(folder, 'good.json'), join(folder, 'saved.json')];
    writeFileSync(name, scene);
    const { stdout } = await promisify(execFile)(program, ['run', name, '--frames', '0', '--json', '--save', saved]);
    for (const given of [scene, bytesOf(scene)]) {
      const mine = sinew.scene(given, { name: 'good.json' });
      assert.equal(mine.world.hash(), JSON.parse(stdout.trim().split('\n').pop()).state_hash);
      assert.equal(mine.title, 'a\b\f\n\r\t/\\" \x7f ää 🧵🧵 \u2028');
      assert.equal(mine.save(), readFileSync(saved, 'utf8'));
      mine.destroy();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('scenes that are well written and wrong have the same problems', { skip }, async () => {
  const values = [...numbers, ...numbers.map((one) => `[${one}]`), '"x"', 'true', 'false', 'null', '[]', '{}', '[1, 2, 3, 4]', '[1, "x"]', '{"a": [1]}', '" 🧵\\n"'];
  await same([...values, ...values.map((value) => `{"world": {"gravity": ${value}}}`), ...values.map((value) => `{"ä": ${value}, "title": ${value}}`), ...values.map((value) => `{"world":\n {"substeps": ${value}}}`)]);
});

test('values of changes are JSON, or texts', () => {
  const scene = (set) => sinew.scene(small, { set: [set] });
  assert.equal(scene('world.substeps=7').world.settings.substeps, 7);
  assert.deepEqual(scene('world.gravity=[1, 2, -0.5]').world.settings.gravity, [1, 2, -0.5]);
  assert.equal(scene('title=not JSON, "but" a text').title, 'not JSON, "but" a text');
  assert.equal(scene('title="\\u00e4"').title, 'ä');
  assert.throws(() => scene('world.substeps={"a":1,"a":2}'), /substeps/);
});

test('threads parse as well', async () => {
  const several = await load({ threads: 2 });
  assert.equal(several.scene(small).world.hash(), sinew.scene(small).world.hash());
  assert.throws(() => several.scene('{"a":1,}'), /expected a key/);
  several.destroy();
});

test('a large text', () => {
  const count = 200000;
  const positions = Array.from({ length: 3 * count }, (_, i) => i / 8);
  const keys = Object.fromEntries(Array.from({ length: 20000 }, (_, i) => [`k${i}`, [i, `${i}`]]));
  const scene = sinew.scene(JSON.stringify({ comment: keys, objects: [{ type: 'particles', positions }] }));
  assert.equal(scene.world.particleCount, count);
  assert.equal(scene.world.positions[3 * count - 1], positions.at(-1));
  scene.destroy();
});

test('the parser inside has its licence', () => {
  const [notice] = readFileSync(`${root}web/package/sinew.js`, 'utf8').split('*/');
  assert.match(notice, /jsonc-parser \d+\.\d+\.\d+:[\s\S]*MIT License[\s\S]*Copyright \(c\) Microsoft[\s\S]*Permission is hereby granted/);
});

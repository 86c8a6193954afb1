// The package in Node: what its types promise.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { SinewError, load } from '../package/sinew.js';
import { files, program, root, text } from './scenes.mjs';
import { existsSync } from 'node:fs';

let sinew;
before(async () => {
  sinew = await load();
});

const near = (a, b, tolerance) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b} to ${tolerance}`);

/** What a call throws. */
function thrown(call) {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof SinewError, String(error.stack));
    return error;
  }
  assert.fail('nothing was thrown');
}

test('the engine says what it is', () => {
  assert.equal(sinew.version, JSON.parse(readFileSync(`${root}web/package/package.json`, 'utf8')).version);
  assert.equal(sinew.threads, 1);
  assert.equal(sinew.double, false);
  assert.ok(sinew.solvers.includes('tiled') && sinew.integrators.includes('verlet'));
  const distance = sinew.kinds().find((kind) => kind.name === 'distance');
  assert.equal(distance.points, 2);
  assert.equal(distance.params[0].name, 'rest');
  assert.ok(sinew.objectTypes.some((type) => type.name === 'cloth'));
  assert.equal(sinew.schema().$schema, 'https://json-schema.org/draft/2020-12/schema');
});

test('the program of the README runs and says what is so', async () => {
  const code = /```js\n(import[\s\S]*?)```/.exec(readFileSync(`${root}web/package/README.md`, 'utf8'))[1];
  const folder = mkdtempSync(join(tmpdir(), 'sinew-'));
  try {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(`${root}web/package`, join(folder, 'node_modules', 'sinew-physics'));
    writeFileSync(join(folder, 'program.mjs'), code);
    const { stdout } = await promisify(execFile)(process.execPath, ['program.mjs'], { cwd: folder });
    assert.match(stdout, /the weight hangs at -0\.\d\d m\nenergy -?\d+\.\d J, state hash [0-9a-f]{16}\n/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a falling particle falls', () => {
  const world = sinew.world({ gravity: [0, -10, 0] });
  const p = world.addParticle([1, 2, 3], { velocity: [1, 0, 0], mass: 2 });
  for (let i = 0; i < 60; ++i) world.step(1 / 60);
  near(world.time, 1, 1e-6);
  near(world.positions[3 * p], 2, 1e-5);
  near(world.positions[3 * p + 1], 2 - 5, 0.02);
  near(world.velocities[3 * p + 1], -10, 1e-4);
  near(world.inverseMasses[p], 0.5, 0);
  near(world.report().momentum[1], -20, 1e-3);
  world.destroy();
  assert.equal(thrown(() => world.step(1)).code, 'stale');
  world.destroy();
});

test('views are of the engine, not copied, and follow a step', () => {
  const world = sinew.world();
  const first = world.addParticles(new Float32Array([0, 0, 0, 1, 0, 0, 2, 0, 0]));
  assert.equal(first, 0);
  world.addConstraints('distance', [0, 1, 1, 2]);
  assert.equal(world.constraintCount, 2);
  assert.deepEqual([...world.links()], [0, 1, 1, 2]);
  const before = world.positions;
  assert.equal(world.positions, before, 'asking again gives the same view');
  const { positions, slot, stride } = world.storage;
  assert.equal(positions.buffer, before.buffer);
  world.step(1 / 60);
  const after = world.positions;
  assert.ok(after[1] < 0);
  if (before.length) assert.equal(before[1], after[1], 'the old view shows the same memory');
  assert.equal(world.storage.positions[world.storage.slot[2] * stride], after[6]);
  assert.equal(slot.length, 3);
  world.removeParticle(1);
  assert.ok(Number.isNaN(world.positions[3]));
  assert.equal(world.particleCount, 2);
  assert.equal(world.constraintCount, 0);
  world.destroy();
});

test('memory grows under views that are asked for again', () => {
  const world = sinew.world();
  world.addParticle([1, 0, 0]);
  const small = world.positions;
  assert.equal(small.length, 3);
  const size = sinew.memory;
  world.addParticles(new Float32Array(3 * 400000).fill(0.5));
  assert.ok(sinew.memory > size);
  assert.equal(small.length, 0, 'the old view has died');
  assert.equal(world.positions.length, 3 * 400001);
  assert.equal(world.positions[0], 1);
  world.destroy();
});

test('settings are read and changed by the names of scene files', () => {
  const world = sinew.world({ substeps: 7, solver: 'gauss_seidel', gravity: new Float32Array([0, 1, 0]) });
  assert.equal(world.settings.substeps, 7);
  assert.deepEqual(world.settings.gravity, [0, 1, 0]);
  world.settings = { iterations: 3, integrator: 'verlet' };
  assert.deepEqual([world.settings.iterations, world.settings.integrator, world.settings.substeps], [3, 'verlet', 7]);
  const error = thrown(() => (world.settings = { substeps: 4, itterations: 2 }));
  assert.match(error.message, /itterations.*did you mean 'iterations'/s);
  assert.equal(error.problems[0].path, 'itterations');
  assert.equal(world.settings.substeps, 7, 'nothing was changed');
  assert.match(thrown(() => world.configure({ solver: 'impulses', integrator: 'bdf2' })).message, /bdf2/i);
  assert.match(thrown(() => world.configure({ substeps: -1 })).message, /substeps/);
  world.configure({ profile: true });
  assert.equal(world.settings.profile, true);
  assert.equal(world.settings.solver, 'gauss_seidel');
  world.destroy();
});

test('objects, bodies, static ones and joints are added, or refused without a trace', () => {
  const world = sinew.world();
  world.addCloth({ name: 'sheet', columns: 5, rows: 5, width: 1, height: 1, position: [0, 2, 0] });
  const floor = world.addBody({ type: 'static', name: 'floor', shapes: { type: 'plane' } });
  const door = world.addBody({ name: 'door', shapes: [{ type: 'box', size: [1, 2, 0.1] }], position: [0.5, 1, 0] });
  const hinge = world.addJoint({ kind: 'hinge', a: null, b: door, anchor: [0, 1, 0], axis: [0, 1, 0], least: -1, most: 1 });
  assert.equal(hinge.kind, 'joint_hinge');
  assert.deepEqual([floor, door, world.bodyCount], [0, 1, 2]);
  assert.equal(world.bodyPoses.length, 14);
  near(world.bodyPoses[13], 1, 0);
  assert.equal(world.particleBody(world.bodyParticle(door)), door);
  const hash = world.hash();
  const error = thrown(() => world.add({ objects: [{ type: 'rope', name: 'ok', length: 1, segments: 4 }, { type: 'roep' }] }));
  assert.match(error.message, /did you mean 'rope'/);
  assert.equal(error.problems[0].path, 'objects[1].type');
  assert.equal(world.hash(), hash);
  assert.match(thrown(() => world.add({ world: { substeps: 3 } })).message, /world/);
  world.add({ objects: [{ type: 'rope', name: 'rope', length: 1, segments: 4, position: [0, 3, 0] }] });
  assert.match(thrown(() => world.addJoint({ kind: 'hinge', a: null, b: 9 })).message, /9/);
  assert.match(thrown(() => world.addJoint({ kind: 'hinge', a: null, b: door, leest: 1 })).message, /leest/);
  assert.match(thrown(() => world.addConstraint('distence', [0, 1])).message, /distence/);
  assert.match(thrown(() => world.addConstraint('distance', [0])).message, /2 points/);
  assert.match(thrown(() => world.addConstraint('distance', [0, 1], { length: 1 })).message, /rest/);
  assert.match(thrown(() => world.addParticle([0, NaN, 0])).message, /NaN/);
  assert.match(thrown(() => world.setPosition(12345, [0, 0, 0])).message, /12345/);
  world.step(1 / 60);
  world.destroy();
});

test('constraints hold, give and are removed', () => {
  const world = sinew.world({ substeps: 20 });
  const [a, b] = [world.addParticle([0, 0, 0], { mass: Infinity }), world.addParticle([1, 0, 0])];
  const rod = world.addConstraint('distance', [a, b], { rest: 1 });
  for (let i = 0; i < 120; ++i) world.step(1 / 60);
  near(Math.hypot(...world.positions.subarray(3, 6)), 1, 1e-3);
  world.setParam(rod, 'rest', 2);
  for (let i = 0; i < 60; ++i) world.step(1 / 60);
  near(Math.hypot(...world.positions.subarray(3, 6)), 2, 1e-2);
  assert.ok(world.force(rod) > 0);
  assert.equal(world.setMaterial('distance', { compliance: 0.5 }), 1);
  world.removeConstraint(rod);
  assert.equal(thrown(() => world.removeConstraint(rod)).code, 'stale');
  world.destroy();
});

test('snapshots bring back the same bits, the scene included', () => {
  const scene = sinew.scene(text('wrecking_ball'), { files });
  for (let i = 0; i < 10; ++i) scene.frame();
  const snapshot = scene.world.snapshot();
  near(snapshot.time, scene.world.time, 1e-5);
  assert.ok(snapshot.size > 1000);
  const then = scene.world.hash();
  for (let i = 0; i < 20; ++i) scene.frame();
  const later = scene.world.hash();
  scene.world.add({ objects: [{ type: 'rope', name: 'more', length: 1, segments: 4, position: [0, 9, 0] }] });
  const meshes = scene.meshes.length;
  scene.world.restore(snapshot);
  assert.equal(scene.meshes.length, meshes - 1, 'what was added since is gone');
  assert.equal(scene.frameCount, 10);
  assert.equal(scene.world.hash(), then);
  for (let i = 0; i < 20; ++i) scene.frame();
  assert.equal(scene.world.hash(), later);
  snapshot.update();
  assert.equal(snapshot.time.toFixed(3), scene.world.time.toFixed(3));
  snapshot.destroy();
  assert.equal(thrown(() => scene.world.restore(snapshot)).code, 'stale');
  scene.destroy();
});

test('events of a scene happen again after going back', () => {
  const scene = sinew.scene(text('discontinuities'));
  const snapshot = scene.world.snapshot();
  const run = () => {
    for (let i = 0; i < 200; ++i) scene.frame();
    return scene.world.hash();
  };
  const once = run();
  scene.world.restore(snapshot);
  assert.equal(run(), once);
  scene.destroy();
});

test('what the mouse takes follows it, and is pinned and let go', () => {
  const scene = sinew.scene(text('crate_in_hammock'), { files });
  const { world } = scene;
  const body = scene.bodies[0];
  const pose = world.bodyPoses.slice(7 * body.body, 7 * body.body + 3);
  const hit = world.pick([pose[0], pose[1] + 10, pose[2]], [0, -1, 0]);
  assert.equal(hit.body, body.body);
  const drag = world.drag(hit);
  for (let i = 0; i < 120; ++i) {
    drag.to(hit.point[0] + 1, hit.point[1] + 1, hit.point[2]);
    scene.frame();
  }
  assert.ok(world.bodyPoses[7 * body.body] > pose[0] + 0.5);
  drag.end();
  scene.frame();
  const { first } = scene.meshes.find((mesh) => mesh.count > 10);
  const p = first + 5;
  const was = world.isPinned(p);
  if (was) world.unpin(p);
  world.pin(p);
  assert.ok(world.isPinned(p));
  const place = world.positions.slice(3 * p, 3 * p + 3);
  scene.frame();
  assert.deepEqual(world.positions.slice(3 * p, 3 * p + 3), place);
  world.unpin(p);
  assert.ok(!world.isPinned(p));
  const held = world.drag({ particle: p, body: -1, point: [...place], distance: 1 });
  for (let i = 0; i < 30; ++i) {
    held.to(place[0], place[1] + 0.2, place[2]);
    scene.frame();
  }
  near(world.positions[3 * p + 1], place[1] + 0.2, 1e-5);
  held.end();
  scene.destroy();
  assert.equal(sinew.world().pick([0, 9, 0], [0, -1, 0]), null);
});

test('debug drawing gives what the engine sees', () => {
  const scene = sinew.scene(text('box_tower'), { files });
  for (let i = 0; i < 60; ++i) scene.frame();
  const { world } = scene, before = world.hash();
  const bounds = world.draw(['bounds']);
  assert.equal(bounds.points.length, 0);
  assert.ok(bounds.lines.length / 7 >= 12 * 20); // twenty boxes, of twelve edges each; the ground has none
  const contacts = world.draw(['contacts'], { size: 4 });
  assert.ok(contacts.points.length > 0 && contacts.lines.length > 0);
  for (let i = 0; i < contacts.lines.length; i += 7) near(Math.hypot(...[0, 1, 2].map((k) => contacts.lines[i + 3 + k] - contacts.lines[i + k])), 0.16, 1e-4);
  const plain = world.draw(['shapes']), islands = world.draw(['shapes', 'islands']);
  assert.equal(plain.lines.length, islands.lines.length);
  assert.equal(world.draw([]).lines.length, 0);
  assert.throws(() => world.draw(['contact']), /no layer 'contact'.*contacts/);
  assert.throws(() => world.draw(['shapes'], { size: NaN }), /size/);
  assert.equal(world.hash(), before);
  scene.destroy();
  const rope = sinew.scene(text('heavy_bob'), { files });
  for (let i = 0; i < 60; ++i) rope.frame();
  const strained = rope.world.draw(['constraints', 'strain']).lines, colours = new Set();
  for (let i = 6; i < strained.length; i += 7) colours.add(strained[i]);
  assert.ok(strained.length > 0 && [...colours].every((c) => Number.isInteger(c) && c >= 0 && c <= 0xffffff));
  rope.destroy();
});

test('a scene tells what it is made of', () => {
  const scene = sinew.scene(text('zoo_of_bodies'), { name: 'zoo_of_bodies.json', files });
  assert.ok(scene.title && scene.about && scene.frames > 0);
  near(scene.frameTime, 1 / 60, 1e-9);
  for (const { mesh, shapes, body } of scene.bodies) {
    assert.ok(shapes.length === 0 || mesh.triangles.length > 0);
    assert.ok(mesh.triangles.every((corner) => corner < mesh.vertices.length / 3));
    assert.ok(Number.isFinite(scene.world.bodyPoses[7 * body]));
  }
  const fixed = scene.bodies.filter((one) => one.type !== 'dynamic');
  assert.ok(fixed.length && fixed.every((one) => one.shapes[0].type === 'field' || one.mesh.triangles.length > 0));
  const cloth = sinew.scene(text('tablecloth'), { files });
  const mesh = cloth.meshes.find((one) => one.triangles.length);
  assert.ok(mesh.triangles.every((p) => p >= mesh.first && p < mesh.first + mesh.count));
  assert.ok(cloth.camera.position.every(Number.isFinite) && cloth.bounds.low[0] < cloth.bounds.high[0]);
  const saved = sinew.scene(cloth.save());
  assert.equal(saved.world.particleCount, cloth.world.particleCount);
  assert.equal(saved.world.hash(), cloth.world.hash());
  [scene, cloth, saved].forEach((one) => one.destroy());
});

test('a bad scene says all that is wrong, where, and in the words of the command', async () => {
  const bad = '{\n  "world": {"substeps": 0},\n  "objects": [\n    {"type": "rope", "lenght": 2},\n    {"type": "cloth", "pins": ["nowhere"]}\n  ]\n}\n';
  const error = thrown(() => sinew.scene(bad, { name: 'bad.json' }));
  assert.equal(error.code, 'scene');
  assert.deepEqual([error.problems[0].line, error.problems[0].column], [2, 25]);
  assert.ok(error.problems.some((one) => /lenght.*did you mean 'length'/.test(one.text) && one.line === 4));
  const broken = thrown(() => sinew.scene('{\n "a": 1,\n}', { name: 'broken.json' }));
  assert.deepEqual([broken.problems[0].line, broken.problems[0].column], [3, 1]);
  assert.match(broken.message, /broken\.json:3:1: error: expected a key/);
  assert.match(thrown(() => sinew.scene(text('tablecloth'))).message, /not among the files/);
  assert.match(thrown(() => sinew.scene('{}', { set: ['world.substeps=no'] })).message, /substeps/);
  if (!existsSync(program)) return;
  for (const [name, content] of [['bad.json', bad], ['broken.json', '{\n "a": 1,\n}']]) {
    const folder = mkdtempSync(join(tmpdir(), 'sinew-'));
    writeFileSync(join(folder, name), content);
    const { stderr } = await promisify(execFile)(program, ['check', name], { cwd: folder }).catch((failed) => failed);
    const mine = thrown(() => sinew.scene(content, { name })).problems.map((one) => one.text);
    assert.deepEqual(mine, stderr.split('\n').filter((line) => line.startsWith(name)));
    rmSync(folder, { recursive: true });
  }
});

test('changes before building, as --set makes them', () => {
  const scene = sinew.scene(text('pendulum'), { set: ['world.substeps=33', 'title="Another"'] });
  assert.equal(scene.world.settings.substeps, 33);
  assert.equal(scene.title, 'Another');
  scene.destroy();
});

test('a step that diverges is not taken', () => {
  const world = sinew.world({ substeps: 1 });
  const p = world.addParticle([0, 0, 0]);
  world.setVelocity(p, [3e38, 0, 0]);
  assert.equal(thrown(() => { for (let i = 0; i < 5; ++i) world.step(10); }).code, 'diverged');
  assert.ok(Number.isFinite(world.positions[0]));
  world.destroy();
});

test('rest is found, and time turned round', () => {
  const world = sinew.world();
  world.addRope({ name: 'rope', length: 1, segments: 8, from: [0, 0, 0], to: [0.6, 0, 0], pins: ['start', 'end'] });
  const { rested, steps } = world.relax();
  assert.ok(rested && steps > 0);
  world.reverse();
  world.destroy();
});

test('threads come and go', async () => {
  const several = await load({ threads: 4 });
  assert.equal(several.threads, 4);
  const world = several.world();
  world.addCloth({ name: 'sheet', columns: 150, rows: 150, width: 5, height: 5, pins: ['top'] });
  const single = sinew.world();
  single.addCloth({ name: 'sheet', columns: 150, rows: 150, width: 5, height: 5, pins: ['top'] });
  for (let i = 0; i < 5; ++i) {
    world.step(1 / 60);
    single.step(1 / 60);
  }
  assert.equal(world.hash(), single.hash());
  assert.ok(world.positions.buffer instanceof SharedArrayBuffer);
  world.destroy();
  single.destroy();
  several.destroy();
  await assert.rejects(load({ threads: 0 }), SinewError);
});

test('worlds give back what they took', () => {
  const make = () => {
    const scene = sinew.scene(text('zoo'), { files });
    scene.frame();
    void [scene.meshes, scene.bodies, scene.world.positions, scene.world.links(), scene.world.report()];
    scene.world.snapshot();
    scene.destroy();
  };
  for (let i = 0; i < 5; ++i) make();
  const size = sinew.memory;
  for (let i = 0; i < (process.env.SINEW_LONG_TESTS ? 40 : 12); ++i) make();
  assert.equal(sinew.memory, size);
});

test('the types name what the engine has', () => {
  const types = readFileSync(new URL('../package/sinew.d.ts', import.meta.url), 'utf8');
  const union = (name) => types.match(new RegExp(`export type ${name} = ([^;]+);`))[1].split('|').map((one) => JSON.parse(one.trim()));
  assert.deepEqual(union('Solver'), sinew.solvers);
  assert.deepEqual(union('Integrator'), sinew.integrators);
  assert.deepEqual(union('Order'), sinew.orders);
  assert.deepEqual(union('Gradients'), sinew.gradients);
});

test('nothing in the package needs await at the top, which bundlers refuse for older browsers', async () => {
  const { build } = await import('esbuild');
  for (const name of ['sinew.js', 'sinew-worker.js']) {
    const file = new URL(`../package/${name}`, import.meta.url).pathname;
    const { errors } = await build({ entryPoints: [file], bundle: true, format: 'esm', write: false, logLevel: 'silent', target: ['es2020', 'chrome87', 'safari14'], external: ['node:*'] });   // Vite's default
    assert.deepEqual(errors, []);
  }
});

test('the one-file build carries its engine', async () => {
  const alone = await import('../package/sinew-single.js');
  const one = await alone.load(), scene = one.scene(text('pendulum'), { files }), other = sinew.scene(text('pendulum'), { files });
  for (let i = 0; i < 10; ++i) scene.frame(), other.frame();
  assert.equal(scene.world.hash(), other.world.hash());
  assert.equal(one.threads, 1);
  scene.destroy();
  other.destroy();
});

test('cloth is cut, and the changes bring a copy of its triangles up to date', () => {
  const scene = sinew.scene(JSON.stringify({
    world: { gravity: [0, 0, 0] },
    objects: [
      { type: 'cloth', name: 'sheet', width: 1, height: 1, columns: 9, rows: 9, skin: {} },
      { type: 'rope', name: 'rope', from: [0, 2, 0], to: [1, 2, 0], segments: 10 },
    ],
  }));
  const { world } = scene;
  const before = scene.meshes, copy = Array.from(before[0].triangles);
  const known = world.topology, hash = world.hash();
  assert.equal(world.topologyChanges(known).length, 0);
  assert.equal(world.topologyChanges(known + 1), null);
  assert.deepEqual(world.cut({ blade: 'plane', a: [50, 0, 0], b: [1, 0, 0] }), { inserted: 0, split: 0, removed: 0, left: 0, released: 0 });
  assert.equal(world.hash(), hash);
  assert.deepEqual(world.tears(), []);
  const info = world.cut({ blade: 'plane', a: [0.07, 0, 0], b: [1, 0, 0] });
  assert.ok(info.inserted > 5 && info.split > 5 && info.removed > 0);
  assert.ok(world.topology !== known);
  const changes = world.topologyChanges(known);
  for (let i = 0; i < changes.length; i += 5) {
    assert.equal(changes[i], 0);
    for (let k = 0; k < 3; ++k) copy[3 * changes[i + 1] + k] = changes[i + 2 + k];
  }
  const after = scene.meshes;
  assert.deepEqual(copy, Array.from(after[0].triangles));
  assert.equal(after[1].lines.length, before[1].lines.length - 2);
  const tears = world.tears();
  assert.equal(tears.filter((tear) => tear.type === 'insert').length, info.inserted);
  assert.equal(tears.filter((tear) => tear.type === 'split').length, info.split);
  assert.ok(tears.some((tear) => tear.type === 'break' && tear.cut && Math.abs(tear.place[1] - 2) < 0.1)); // the rope's link
  assert.ok(tears.every((tear) => tear.type === 'break' || (3 * tear.made < world.positions.length && !Number.isNaN(world.positions[3 * tear.made]))));
  for (let i = 0; i < 10; ++i) scene.frame();
  assert.match(thrown(() => world.cut({ blade: 'plane', a: [0, 0, 0], b: [0, 0, 0] })).message, /normal/);
  assert.match(thrown(() => world.cut({ blade: 'saw' })).message, /no blade 'saw'/);
  scene.destroy();
});

test('a soft body that is torn in two tells which group its particles have joined', () => {
  const scene = sinew.scene(JSON.stringify({
    world: { gravity: [0, 0, 0] },
    objects: [{ type: 'jelly', name: 'jelly', width: 1, height: 0.4, depth: 0.4, columns: 9, rows: 4, layers: 4, firmness: 0.9, material: { tear_strain: 0.3 } }],
    motions: [
      { of: 'jelly.left', keys: [{ time: 0 }, { time: 0.5, move: [-1, 0, 0] }] },
      { of: 'jelly.right', keys: [{ time: 0 }, { time: 0.5, move: [1, 0, 0] }] },
    ],
  }));
  const left = [];
  for (let i = 0; i < 40; ++i) {
    scene.frame();
    left.push(...scene.world.tears().filter((tear) => tear.type === 'leave'));
  }
  const joined = left.filter((tear) => tear.formed >= 0);
  assert.ok(joined.length >= 4 && joined.every((tear) => tear.formedKind === tear.kind && tear.formed !== tear.constraint));
  assert.ok(left.every((tear) => (tear.formed < 0) === (tear.formedKind < 0)));
  scene.destroy();
});

test('restoring a moment before a cut says that triangles must be read anew', () => {
  const scene = sinew.scene(JSON.stringify({ objects: [{ type: 'cloth', width: 1, height: 1, columns: 6, rows: 6, skin: {} }] }));
  const { world } = scene, moment = world.snapshot(), whole = Array.from(scene.meshes[0].triangles);
  world.cut({ blade: 'plane', a: [0.03, 0, 0], b: [1, 0, 0] });
  const cut = world.topology;
  assert.notDeepEqual(Array.from(scene.meshes[0].triangles), whole);
  world.restore(moment);
  assert.ok(world.topology !== cut);
  assert.equal(world.topologyChanges(cut), null);
  assert.deepEqual(Array.from(scene.meshes[0].triangles), whole);
  scene.destroy();
});

// A world: what is in it, what is done to it, and its arrays.
import { RESULTS, SinewError, index, number, plain, sceneError, vector, wrong } from './values.js';

const MEASURE = -3.0e38;
const encoder = new TextEncoder();

// What web/glue numbers.
const BLADES = { segment: 0, triangle: 1, plane: 2 };
const TEARS = ['split', 'break', 'insert', 'leave'];
const ARRAY = { positions: 0, velocities: 1, inverseMasses: 2, radii: 3, bodyPoses: 4, links: 5, ties: 6 };
const CHANGE = { position: 0, velocity: 1, mass: 2, force: 3, impulse: 4, moveTo: 5, remove: 6 };
const JOINT_NUMBERS = ['least', 'most', 'target', 'target_most', 'target_compliance', 'target_damping', 'speed', 'speed_most',
  'friction', 'linear_compliance', 'linear_damping', 'angular_compliance', 'angular_damping', 'swing', 'rest', 'spring_compliance',
  'spring_damping', 'second_axis', 'target_turn', 'strength',
  'torque_strength'];
const LAYERS = { particles: 1, constraints: 2, skins: 4, shapes: 8, axes: 16, anchors: 32, contacts: 64, forces: 128, velocities: 256, bounds: 512, names: 1024,
  strain: 1 << 16, islands: 1 << 17, tiles: 1 << 18, batches: 1 << 19 };
const REPORT_HEAD = 22;
const REPORT_KIND = 6;
const POINT_NUMBERS = 5;

// Drags: a particle is led to where the mouse is, but no faster than this, m/s, so that a jump of the mouse is no explosion.
// A body is pulled by a spring of this frequency, Hz, critically damped.
const DRAG_SPEED = 20;
const DRAG_FREQUENCY = 4;

export class World {
  #engine;
  #c;
  #handle;
  #scratch;
  #kinds;
  #version = 1; // counts changes, by which arrays know whether they are up to date
  #arrays = new Map();
  #drags = new Set();
  #moments = new Set();
  #extended = 0;

  constructor(engine, tables, handle, scratch) {
    this.#engine = engine;
    this.#c = engine.c;
    this.#handle = handle;
    this.#scratch = scratch;
    this.#kinds = tables.kinds;
  }

  // ---- Calls

  /** The handle in C; throws if the world is gone. */
  get handle() {
    if (!this.#handle) throw new SinewError('the world was destroyed', 'stale');
    return this.#handle;
  }

  /** Counts the objects and bodies that were added, by which a scene knows whether its lists are up to date. */
  get extended() {
    return this.#extended;
  }

  get engine() {
    return this.#engine;
  }

  #check(result) {
    if (result !== 0) throw new SinewError(this.#engine.cText(this.#c.web_error(this.handle)) || RESULTS[result], RESULTS[result] ?? 'argument');
  }

  /** Numbers into the small block; gives where. */
  #put(numbers, at = 0) {
    const to = this.#engine.doubles(this.#scratch + at, numbers.length);
    for (let i = 0; i < numbers.length; ++i) to[i] = numbers[i];
    return this.#scratch + at;
  }

  #problems(done) {
    const problems = this.#engine.answer();
    if (!done) throw sceneError(problems);
    this.#version++;
    return problems;
  }

  #withText(text, call) {
    const bytes = encoder.encode(text);
    const at = this.#engine.take(bytes.length);
    this.#engine.bytes(at, bytes.length).set(bytes);
    try {
      return call(at, bytes.length);
    } finally {
      this.#c.web_give(at);
    }
  }

  // ---- Settings and counts

  get settings() {
    if (!this.#c.web_settings(this.handle)) throw new SinewError('out of memory', 'memory');
    const { dimensions, ...settings } = this.#engine.answer();
    return { ...settings, profile: !!this.#c.web_profiled(this.handle) };
  }

  set settings(some) {
    this.configure(some);
  }

  configure(some) {
    const { profile, ...others } = plain(some);
    const handle = this.handle;
    this.#problems(this.#withText(JSON.stringify(others), (at, length) => this.#c.web_configure(handle, at, length)));
    if (profile !== undefined) this.#c.web_profile(handle, profile ? 1 : 0);
  }

  #counts() {
    this.#c.web_counts(this.handle, this.#scratch);
    return this.#engine.words(this.#scratch, 4);
  }

  get particleCount() {
    return this.#counts()[0];
  }

  get constraintCount() {
    return this.#counts()[1];
  }

  get bodyCount() {
    return this.#counts()[2];
  }

  get dimensions() {
    return this.#counts()[3];
  }

  get time() {
    return this.#c.web_time(this.handle);
  }

  // ---- Adding

  add(parts) {
    const handle = this.handle;
    this.#problems(this.#withText(JSON.stringify(plain(parts)), (at, length) => this.#c.web_extend(handle, at, length)));
    this.#extended++;
  }

  addObject(object) {
    this.add({ objects: [object] });
  }

  addRope(rope) {
    this.add({ objects: [{ ...rope, type: 'rope' }] });
  }

  addCloth(cloth) {
    this.add({ objects: [{ ...cloth, type: 'cloth' }] });
  }

  addBody(body) {
    this.add({ bodies: [body] });
    const fixed = body.type === 'static' || body.type === 'kinematic';
    return fixed ? this.#c.web_last_fixed(this.handle) : this.#c.web_last_body(this.handle);
  }

  addParticle(position, { mass = 1, velocity = [0, 0, 0], radius = 0, group = 0 } = {}) {
    const all = [...vector(position, 'position'), ...vector(velocity, 'velocity'), number(mass, 'mass'), number(radius, 'radius')];
    const at = this.#put(all);
    this.#version++;
    this.#check(this.#c.web_particle_add(this.handle, at, index(group, 'group'), this.#scratch + 512));
    return this.#engine.words(this.#scratch + 512, 1)[0];
  }

  addParticles(positions, { mass = 1, radius = 0, group = 0 } = {}) {
    if (positions.length === 0 || positions.length % 3 !== 0) throw wrong(`positions: expected three numbers for each particle, found ${positions.length}`);
    const at = this.#engine.take(4 * positions.length);
    try {
      this.#engine.floats(at, positions.length).set(positions);
      this.#version++;
      this.#check(this.#c.web_particles_add(this.handle, positions.length / 3, at, number(mass, 'mass'), number(radius, 'radius'), index(group, 'group'), this.#scratch));
      return this.#engine.words(this.#scratch, 1)[0];
    } finally {
      this.#c.web_give(at);
    }
  }

  #kind(name) {
    const at = this.#kinds.findIndex((one) => one.name === name);
    if (at < 0) throw wrong(`there is no kind of constraint called '${String(name)}'; there are ${this.#kinds.map((one) => one.name).join(', ')}`);
    return at + 1;
  }

  #params(kind, params) {
    const known = this.#kinds[kind - 1].params;
    const total = known.reduce((sum, one) => sum + one.numbers, 0);
    const list = new Array(total).fill(MEASURE);
    if (Array.isArray(params) || ArrayBuffer.isView(params)) {
      if (params.length > total) throw wrong(`${this.#kinds[kind - 1].name}: expected at most ${total} parameters, found ${params.length}`);
      for (let i = 0; i < params.length; ++i) list[i] = number(params[i], `parameter ${i}`);
      return list;
    }
    for (const [name, value] of Object.entries(params ?? {})) {
      let at = 0;
      const one = known.find((param) => param.name === name || ((at += param.numbers), false));
      if (!one) throw wrong(`${this.#kinds[kind - 1].name}: there is no parameter '${name}'; there are ${known.map((param) => param.name).join(', ') || 'none'}`);
      if (one.numbers === 1) list[at] = number(value, name);
      else vector(value, name).forEach?.((x, i) => (list[at + i] = x)) ?? [0, 1, 2].forEach((i) => (list[at + i] = value[i]));
    }
    return list;
  }

  #points(points) {
    const list = [];
    for (const point of points) {
      if (typeof point === 'number') list.push(0, index(point, 'particle'), 0, 0, 0);
      else if (point?.place) list.push(2, 0, ...vector(point.place, 'place'));
      else if (point?.body !== undefined) list.push(1, index(point.body, 'body'), ...vector(point.at ?? [0, 0, 0], 'at'));
      else throw wrong(`a point is the number of a particle, { body, at } or { place }; found ${String(point)}`);
    }
    return list;
  }

  #material({ compliance = NaN, damping = NaN, stiffness = NaN } = {}) {
    return [compliance, damping, stiffness];
  }

  #constraint(at) {
    const [kind, place, generation] = this.#engine.words(at, 3);
    return { kind: this.#kinds[kind - 1].name, index: place, generation };
  }

  #constraintAt(constraint) {
    const at = this.#scratch + 4096;
    this.#engine.words(at, 3).set([this.#kind(constraint?.kind), constraint.index, constraint.generation]);
    return at;
  }

  addConstraint(kind, points, params = {}, material = {}) {
    const which = this.#kind(kind);
    const info = this.#kinds[which - 1];
    if (info.points && points.length !== info.points) throw wrong(`${kind}: expected ${info.points} points, found ${points.length}`);
    const numbers = this.#points(points);
    const list = this.#params(which, params);
    const block = this.#engine.take(8 * (numbers.length + list.length + 4));
    try {
      this.#engine.doubles(block, numbers.length + list.length + 3).set([...numbers, ...list, ...this.#material(material)]);
      this.#version++;
      const at = this.#scratch + 4096;
      this.#check(this.#c.web_constraint_add(this.handle, which, points.length, block, list.length, block + 8 * numbers.length, block + 8 * (numbers.length + list.length), at));
      return this.#constraint(at);
    } finally {
      this.#c.web_give(block);
    }
  }

  addConstraints(kind, particles, params = null, material = {}) {
    const which = this.#kind(kind);
    const info = this.#kinds[which - 1];
    if (!info.points) throw wrong(`${kind}: has any number of points; add such constraints one by one`);
    if (particles.length % info.points !== 0) throw wrong(`${kind}: expected ${info.points} particles for each, found ${particles.length} in all`);
    const count = particles.length / info.points;
    const width = info.params.reduce((sum, one) => sum + one.numbers, 0);
    if (params && params.length !== count * width) throw wrong(`${kind}: expected ${width} parameters for each of ${count}, found ${params.length}`);
    const block = this.#engine.take(4 * (particles.length + (params?.length ?? 0)) + 4);
    const numbers = block + 4 * particles.length;
    try {
      this.#engine.words(block, particles.length).set(particles);
      if (params) this.#engine.floats(numbers, params.length).set(params);
      this.#version++;
      this.#check(this.#c.web_constraints_add(this.handle, which, count, block, params ? numbers : 0, this.#put(this.#material(material))));
      return count;
    } finally {
      this.#c.web_give(block);
    }
  }

  addJoint(joint) {
    const { kind, a, b, anchor = [0, 0, 0], axis = [1, 0, 0], ...others } = joint;
    const which = this.#kind(`joint_${kind}`);
    const list = [...vector(anchor, 'anchor'), ...vector(axis, 'axis')];
    for (const name of JOINT_NUMBERS) {
      const value = others[name];
      delete others[name];
      if (name === 'target_turn' || name === 'second_axis') list.push(...(value === undefined ? [MEASURE, MEASURE, MEASURE] : vector(value, name)));
      else list.push(value === undefined ? MEASURE : number(value, name));
    }
    const [unknown] = Object.keys(others);
    if (unknown) throw wrong(`a joint has no '${unknown}'; it may have ${JOINT_NUMBERS.join(', ')}`);
    const of = (body) => (body === null || body === undefined ? -1 : index(body, 'body'));
    const at = this.#scratch + 4096;
    this.#version++;
    this.#check(this.#c.web_joint_add(this.handle, which, of(a), of(b), this.#put(list), at));
    return this.#constraint(at);
  }

  #change(particle, what, x = 0, y = 0, z = 0) {
    this.#version++;
    this.#check(this.#c.web_particle_change(this.handle, index(particle, 'particle'), what, x, y, z));
  }

  removeParticle(particle) {
    this.#change(particle, CHANGE.remove);
  }

  removeBody(body) {
    this.#version++;
    this.#check(this.#c.web_body_remove(this.handle, index(body, 'body')));
    this.#extended++;
  }

  remove(name) {
    const text = this.#engine.cString(String(name));
    try {
      this.#version++;
      const result = this.#c.web_remove(this.handle, text);
      if (result) throw new SinewError(RESULTS[result] === 'memory' ? 'out of memory' : `there is no object and no body '${name}'`, RESULTS[result] ?? 'argument');
      this.#extended++;
    } finally {
      this.#c.web_give(text);
    }
  }

  setBreeze(velocity) {
    const result = this.#c.web_breeze(this.handle, ...vector(velocity, 'velocity'));
    if (result) throw new SinewError(`found a wind of ${[...velocity].join(', ')} m/s, expected finite numbers, and z = 0 in two dimensions`, RESULTS[result]);
  }

  setFriction(friction) {
    this.#version++;
    this.#check(this.#c.web_friction(this.handle, number(friction, 'friction')));
  }

  removeConstraint(constraint) {
    this.#version++;
    this.#check(this.#c.web_constraint_remove(this.handle, this.#constraintAt(constraint)));
  }

  // ---- Running

  step(seconds) {
    this.#lead(number(seconds, 'seconds'));
    this.#version++;
    this.#check(this.#c.web_step(this.handle, seconds));
  }

  /** Of a scene: one frame. */
  stepFrame(seconds) {
    this.#lead(seconds);
    this.#version++;
    this.#check(this.#c.web_frame(this.handle));
  }

  relax({ dt = NaN, steps = NaN, displacement = NaN, patience = NaN } = {}) {
    const at = this.#put([dt, steps, displacement, patience]);
    this.#version++;
    this.#check(this.#c.web_relax(this.handle, at, this.#scratch + 64));
    const [rested, taken, moved, speed, residual] = this.#engine.doubles(this.#scratch + 64, 5);
    return { rested: rested !== 0, steps: taken, displacement: moved, speed, residual };
  }

  reverse() {
    this.#version++;
    this.#check(this.#c.web_reverse(this.handle));
  }

  hash() {
    return BigInt.asUintN(64, this.#c.web_hash(this.handle)).toString(16).padStart(16, '0');
  }

  // ---- Reading

  /** A view of an array of the engine's, brought up to date if the world has changed since, and made anew if memory has moved. */
  #array(which, make) {
    let array = this.#arrays.get(which);
    const handle = this.handle;
    if (!array || array.version !== this.#version) {
      if (!this.#c.web_array_of_world(handle, which, this.#scratch)) throw new SinewError('out of memory', 'memory');
      const [at, count] = this.#engine.words(this.#scratch, 2);
      array = { version: this.#version, at, count, view: null };
      this.#arrays.set(which, array);
    }
    if (!array.view || array.view.buffer !== this.#engine.buffer) array.view = make(array.at, array.count);
    return array.view;
  }

  #floats(which) {
    return this.#array(which, (at, count) => this.#engine.floats(count ? at : 0, count));
  }

  get positions() {
    return this.#floats(ARRAY.positions);
  }

  get velocities() {
    return this.#floats(ARRAY.velocities);
  }

  get inverseMasses() {
    return this.#floats(ARRAY.inverseMasses);
  }

  get radii() {
    return this.#floats(ARRAY.radii);
  }

  get bodyPoses() {
    return this.#floats(ARRAY.bodyPoses);
  }

  get storage() {
    this.#c.web_storage(this.handle, this.#scratch);
    const [x, v, count, bytes, slot, numbers, number] = this.#engine.words(this.#scratch, 7);
    const stride = bytes / 4;
    return {
      positions: this.#engine.floats(x, count * stride),
      velocities: this.#engine.floats(v, count * stride),
      stride,
      slot: this.#engine.words(slot, numbers),
      index: this.#engine.words(number, count),
    };
  }

  links() {
    return this.#array(ARRAY.links, (at, count) => this.#engine.words(count ? at : 0, count)).slice();
  }

  ties() {
    return this.#floats(ARRAY.ties).slice();
  }

  inspect(particle, body = -1) {
    this.#check(this.#c.web_inspect(this.handle, index(particle, 'particle'), body, this.#scratch + 128));
    const [mass, x, y, z, count, pulls, force, misses, error, fx, fy, fz] = this.#engine.doubles(this.#scratch + 128, 12);
    const kind = (number) => this.#kinds[number - 1] ?? null;
    return { mass, velocity: [x, y, z], constraints: count, force, forceKind: kind(pulls)?.name ?? '', error, errorKind: kind(misses)?.name ?? '', errorUnit: kind(misses)?.unit ?? '', sum: [fx, fy, fz] };
  }

  toBody(body, place) {
    const at = this.#put(vector(place, 'place'));
    this.#c.web_body_own(this.handle, index(body, 'body'), at);
    return Array.from(this.#engine.doubles(at, 3));
  }

  mass(particle) {
    return this.#c.web_particle_mass(this.handle, index(particle, 'particle'));
  }

  draw(layers, { size = 1 } = {}) {
    let bits = 0;
    for (const name of layers) {
      if (!Object.hasOwn(LAYERS, name)) throw wrong(`there is no layer '${name}'; there are ${Object.keys(LAYERS).join(', ')}`);
      bits |= LAYERS[name];
    }
    this.#check(this.#c.web_draw(this.handle, bits, number(size, 'size'), this.#scratch));
    const [points, pointCount, lines, lineCount] = this.#engine.words(this.#scratch, 4);
    return { points: this.#engine.floats(pointCount ? points : 0, 5 * pointCount).slice(), lines: this.#engine.floats(lineCount ? lines : 0, 7 * lineCount).slice() };
  }

  bodyParticle(body) {
    return this.#c.web_body_particle(this.handle, index(body, 'body'));
  }

  particleBody(particle) {
    return this.#c.web_particle_body(this.handle, index(particle, 'particle'));
  }

  report() {
    this.#check(this.#c.web_report(this.handle, this.#scratch + 16, this.#scratch));
    const [kinds] = this.#engine.words(this.#scratch, 1);
    const r = this.#engine.doubles(this.#scratch + 16, REPORT_HEAD + REPORT_KIND * kinds);
    const report = {
      time: r[0],
      steps: r[1],
      passes: r[2],
      particles: r[3],
      constraints: r[4],
      kinetic: r[5],
      potential: r[6],
      elastic: r[7],
      energy: r[5] + r[6] + r[7],
      mass: r[8],
      centre: [r[9], r[10], r[11]],
      momentum: [r[12], r[13], r[14]],
      angularMomentum: [r[15], r[16], r[17]],
      seconds: { step: r[18], predict: r[19], solve: r[20], update: r[21] },
      kinds: [],
    };
    for (let i = 0, at = REPORT_HEAD; i < kinds; ++i, at += REPORT_KIND) {
      report.kinds.push({ name: this.#kinds[r[at] - 1]?.name ?? `kind ${r[at]}`, count: r[at + 1], undefined: r[at + 2], largest: r[at + 3], mean: r[at + 4], relative: r[at + 5] });
    }
    return report;
  }

  force(constraint) {
    return this.#c.web_constraint_force(this.handle, this.#constraintAt(constraint));
  }

  // ---- Changing

  setPosition(particle, position) {
    this.#change(particle, CHANGE.position, ...vector(position, 'position'));
  }

  setVelocity(particle, velocity) {
    this.#change(particle, CHANGE.velocity, ...vector(velocity, 'velocity'));
  }

  setMass(particle, mass) {
    this.#change(particle, CHANGE.mass, number(mass, 'mass'));
  }

  addForce(particle, force) {
    this.#change(particle, CHANGE.force, ...vector(force, 'force'));
  }

  addImpulse(particle, impulse) {
    this.#change(particle, CHANGE.impulse, ...vector(impulse, 'impulse'));
  }

  moveTo(particle, target) {
    this.#change(particle, CHANGE.moveTo, ...vector(target, 'target'));
  }

  setBodyPose(body, position, rotation) {
    const at = this.#put([...vector(position, 'position'), ...vector(rotation, 'rotation', 4)]);
    this.#version++;
    this.#check(this.#c.web_body_pose(this.handle, index(body, 'body'), at));
  }

  setBodyVelocity(body, velocity, spin) {
    const at = this.#put([...vector(velocity, 'velocity'), ...vector(spin, 'spin')]);
    this.#version++;
    this.#check(this.#c.web_body_velocity(this.handle, index(body, 'body'), at));
  }

  setParam(constraint, name, value) {
    const handle = this.#constraintAt(constraint);
    const numbers = typeof value === 'number' ? [value] : [...vector(value, name)];
    const at = this.#put([...numbers, 0, 0]);
    const text = this.#engine.cString(name);
    try {
      this.#version++;
      this.#check(this.#c.web_constraint_param(this.handle, handle, text, at, numbers.length));
    } finally {
      this.#c.web_give(text);
    }
  }

  setMaterial(kind, material) {
    const at = this.#put(this.#material(material));
    this.#version++;
    this.#check(this.#c.web_material(this.handle, kind === null ? 0 : this.#kind(kind), at, this.#scratch + 64));
    return this.#engine.words(this.#scratch + 64, 1)[0];
  }

  // ---- Going back

  snapshot() {
    const moment = new Moment(this, this.#c);
    this.#moments.add(moment);
    return moment;
  }

  /** For snapshots. */
  forget(moment) {
    this.#moments.delete(moment);
  }

  restore(snapshot) {
    if (!(snapshot instanceof Moment) || snapshot.world !== this) throw wrong('a snapshot is restored in the world that it was taken from');
    this.#version++;
    this.#extended++;
    for (const drag of [...this.#drags]) drag.end();
    this.#check(this.#c.web_return(this.handle, snapshot.handle));
  }

  // ---- Coming apart

  cut({ blade = 'segment', a = [0, 0, 0], b = [0, 0, 0], toA = [0, 0, 0], toB = [0, 0, 0], group = -1, edgesOnly = false } = {}) {
    if (!Object.hasOwn(BLADES, blade)) throw wrong(`there is no blade '${blade}'; there are ${Object.keys(BLADES).join(', ')}`);
    const places = [vector(a, 'a'), vector(b, 'b'), vector(toA, 'toA'), vector(toB, 'toB')].flatMap((place) => [...place]);
    const at = this.#put([BLADES[blade], ...places, group === -1 ? -1 : index(group, 'group'), edgesOnly ? 1 : 0]);
    this.#version++;
    this.#check(this.#c.web_cut(this.handle, at, this.#scratch + 256));
    const [inserted, split, removed, released, left] = this.#engine.doubles(this.#scratch + 256, 5);
    return { inserted, split, removed, left, released };
  }

  tears() {
    if (!this.#c.web_tears(this.handle, this.#scratch)) throw new SinewError('out of memory', 'memory');
    const [at, count] = this.#engine.words(this.#scratch, 2);
    const all = this.#engine.doubles(count ? at : 0, 15 * count);
    return Array.from({ length: count }, (_, i) => {
      const [type, cut, particle, other, made, kind, constraint, x, y, z, strain, force, released, formedKind, formed] = all.subarray(15 * i, 15 * i + 15);
      return { type: TEARS[type], cut: cut !== 0, particle, other, made, kind, constraint, place: [x, y, z], strain, force, released, formedKind, formed };
    });
  }

  get topology() {
    return this.#c.web_topology(this.handle);
  }

  topologyChanges(since) {
    if (!this.#c.web_topology_since(this.handle, number(since, 'since'), this.#scratch)) throw new SinewError('out of memory', 'memory');
    const [at, count, known] = this.#engine.words(this.#scratch, 3);
    return known ? this.#engine.words(count ? at : 0, count).slice() : null;
  }

  /** Of an object of the scene: where its triangles are, how many there are, and lines. */
  mesh(object) {
    if (!this.#c.web_mesh(this.handle, object, this.#scratch)) throw new SinewError('out of memory', 'memory');
    return [...this.#engine.words(this.#scratch, 3)];
  }

  // ---- The mouse

  pick(origin, direction, { reach = 0, length = 1e6 } = {}) {
    const at = this.#put([...vector(origin, 'origin'), ...vector(direction, 'direction'), number(length, 'length'), number(reach, 'reach')]);
    if (!this.#c.web_pick(this.handle, at, this.#scratch + 128)) return null;
    const [particle, body, distance, x, y, z] = this.#engine.doubles(this.#scratch + 128, 6);
    return { particle, body, point: [x, y, z], distance };
  }

  drag(hit) {
    const drag = hit.body >= 0 ? this.#dragBody(hit) : this.#dragParticle(hit);
    this.#drags.add(drag);
    return drag;
  }

  #dragParticle(hit) {
    const particle = index(hit.particle, 'particle');
    const start = this.positions.slice(3 * particle, 3 * particle + 3);
    if (start.length < 3 || Number.isNaN(start[0])) throw new SinewError(`there is no particle ${particle}`, 'stale');
    const offset = [0, 1, 2].map((i) => start[i] - hit.point[i]);
    const target = Array.from(start);
    const drags = this.#drags;
    return {
      particle,
      body: -1,
      to(x, y, z) {
        [x, y, z].forEach((value, i) => (target[i] = number(value, 'to') + offset[i]));
      },
      end() {
        drags.delete(this);
      },
      lead: (seconds) => {
        const now = this.positions.subarray(3 * particle, 3 * particle + 3);
        const way = [0, 1, 2].map((i) => target[i] - now[i]);
        const length = Math.hypot(...way);
        if (this.dimensions === 2) way[2] = 0;
        const share = length > DRAG_SPEED * seconds ? (DRAG_SPEED * seconds) / length : 1;
        this.#change(particle, CHANGE.moveTo, now[0] + way[0] * share, now[1] + way[1] * share, now[2] + way[2] * share);
      },
    };
  }

  #dragBody(hit) {
    const body = index(hit.body, 'body');
    const mass = this.#c.web_body_mass(this.handle, body);
    const at = this.#put(vector(hit.point, 'point'));
    this.#c.web_body_own(this.handle, body, at);
    const own = Array.from(this.#engine.doubles(at, 3));
    const rate = 2 * Math.PI * DRAG_FREQUENCY;
    const movable = Number.isFinite(mass);
    const material = movable ? { compliance: 1 / (mass * rate * rate), damping: 2 * mass * rate } : {};
    const held = movable ? this.addConstraint('pin', [{ body, at: own }], { target: Array.from(hit.point) }, material) : null;
    const drags = this.#drags;
    let done = false;
    return {
      particle: hit.particle,
      body,
      to: (x, y, z) => {
        if (held && !done) this.setParam(held, 'target', this.dimensions === 2 ? [x, y, 0] : [x, y, z]);
      },
      end: () => {
        if (done) return;
        done = true;
        drags.forEach((one) => one.held === held && drags.delete(one));
        if (held && this.#handle) {
          try {
            this.removeConstraint(held);
          } catch {
            // it went with its body, or with a snapshot
          }
        }
      },
      held: held ?? {},
      lead() {},
    };
  }

  #lead(seconds) {
    for (const drag of this.#drags) drag.lead(seconds);
  }

  pin(particle) {
    this.#version++;
    this.#check(this.#c.web_pin(this.handle, index(particle, 'particle'), 1));
  }

  unpin(particle) {
    this.#version++;
    this.#check(this.#c.web_pin(this.handle, index(particle, 'particle'), 0));
    if (this.isPinned(particle)) throw wrong(`particle ${particle} was made immovable and has no other mass: set one with setMass`);
  }

  isPinned(particle) {
    return this.#c.web_particle_mass(this.handle, index(particle, 'particle')) === Infinity;
  }

  destroy() {
    if (!this.#handle) return;
    for (const moment of [...this.#moments]) moment.destroy();
    this.#drags.clear();
    this.#arrays.clear();
    this.#c.web_world_destroy(this.#handle);
    this.#handle = 0;
  }
}

class Moment {
  #c;
  #handle;

  constructor(world, c) {
    this.world = world;
    this.#c = c;
    this.#handle = c.web_mark(world.handle);
    if (!this.#handle) throw new SinewError('out of memory for a snapshot', 'memory');
  }

  get handle() {
    if (!this.#handle) throw new SinewError('the snapshot was destroyed', 'stale');
    return this.#handle;
  }

  get time() {
    return this.#c.web_moment_time(this.handle);
  }

  get size() {
    return this.#c.web_moment_size(this.handle);
  }

  update() {
    if (this.#c.web_mark_again(this.world.handle, this.handle) !== 0) throw new SinewError('out of memory for a snapshot', 'memory');
  }

  destroy() {
    if (!this.#handle) return;
    this.#c.web_moment_destroy(this.#handle);
    this.#handle = 0;
    this.world.forget(this);
  }
}

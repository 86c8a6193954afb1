// What commands do to the world of a scene: the engine's side of the hand and of every tool. All of it is repeatable: the same commands at the
// same frames give the same bits.
const POSE_STEPS = 24;
const GUST_RATE = 7;   // 1/s: how fast what is in a gust takes on its velocity

// Where each thing that was done begins in a list of commands: a drag with all its pulls is one, and so is one slider that was moved.
export function gestures(list) {
  const starts = [];
  let held = 0, before = null;
  list.forEach(([frame, name, args], i) => {
    const goes = (["pull", "drop", "calm"].includes(name) || (name === "gust" && before?.[1] === "gust")) && starts.length > 0;
    const slides = before && ["settings", "material", "air", "friction", "pose"].includes(name) && before[1] === name && frame - before[0] < 60 && same(args, before[2]);
    const second = name === "grab" && held > 0;
    if (!goes && !slides && !second) starts.push(i);
    if (name === "grab") ++held;
    if (name === "drop") held = args.length ? Math.max(0, held - 1) : 0;
    before = list[i];
  });
  return starts;
}

const keysOf = (value) => (value && typeof value === "object" ? Object.keys(value).join() : String(value));
const same = (a, b) => a.length === b.length && a.every((value, i) => keysOf(value) === keysOf(b[i]));

export class Deeds {
  constructor(scene) {
    this.scene = scene;
    this.world = scene.world;
    this.version = 0;        // of what there is: rises when something comes or goes
    this.drags = new Map();  // by finger: { drag, target }
    this.gust = null;
    this.born = new Map();   // by name: the middle of a thing when it came
    this.note();
  }

  run(name, args) {
    if (!Object.hasOwn(actions, name)) throw new Error(`no command '${name}'`);
    if (name !== "pose") this.endPose();
    return actions[name](this, ...args);
  }

  endPose() {
    this.posing?.destroy();
    this.posing = null;
  }

  // Whether something came, went, tore or broke since this was asked last.
  look() {
    const { world } = this, held = [...this.drags.values()].filter(({ drag }) => drag.body >= 0).length;   // a hand on a body is a constraint, too
    const key = `${world.topology} ${world.constraintCount - held} ${world.particleCount} ${world.bodyCount}`;
    if (key !== this.key) ++this.version;
    this.key = key;
    return this.version;
  }

  get busy() {
    return this.drags.size > 0 || this.gust !== null;
  }

  // Before every frame: what is held goes where the hand is, and wind blows.
  lead() {
    this.endPose();
    for (const { drag, target } of this.drags.values()) drag.to(...target);
    if (this.gust) this.blow(...this.gust);
  }

  // Lets go of everything.
  rest() {
    this.endPose();
    for (const finger of [...this.drags.keys()]) this.drop(finger);
    this.gust = null;
  }

  restored() {
    this.endPose();
    this.drags.clear();
    this.gust = null;
    ++this.version;
  }

  drop(finger) {
    const held = this.drags.get(finger);
    this.drags.delete(finger);
    held?.drag.end();
  }

  // Air that moves at velocity within reach of a ray.
  blow(origin, direction, velocity, reach) {
    const { world } = this, x = world.positions.slice(), v = world.velocities.slice(), w = world.inverseMasses.slice();
    for (let n = 0; n < w.length; ++n) {
      if (!(w[n] > 0)) continue;
      const d = [0, 1, 2].map((k) => x[3 * n + k] - origin[k]), along = dot(d, direction);
      if (along <= 0) continue;
      const r2 = (dot(d, d) - along * along) / (reach * reach);
      if (r2 >= 1) continue;
      const force = [0, 1, 2].map((k) => ((velocity[k] - v[3 * n + k]) * GUST_RATE * (1 - r2)) / w[n]);
      if (world.dimensions === 2) force[2] = 0;
      world.addForce(n, force);
    }
  }

  // All within reach of a place flies away from it, what is near at `speed`.
  explode(place, speed, reach) {
    const { world } = this, x = world.positions.slice(), w = world.inverseMasses.slice();
    for (let n = 0; n < w.length; ++n) {
      if (!(w[n] > 0)) continue;
      const d = [0, 1, 2].map((k) => x[3 * n + k] - place[k]), r = Math.sqrt(dot(d, d));
      if (r >= reach) continue;
      const push = (speed * (1 - (r / reach) ** 2)) / w[n];
      const way = r > 1e-6 * reach ? d.map((value) => value / r) : [0, 1, 0];
      if (world.dimensions === 2) way[2] = 0;
      world.addImpulse(n, way.map((value) => value * push));
    }
  }

  // What a particle or body belongs to, or null: a body, or an object with all its parts. Bodies of a wall or a heap are things of their own, those of a
  // doll or a chain are not.
  identify({ particle, body }) {
    const { scene } = this, found = body >= 0 ? scene.bodies.find((one) => one.body === body) : null;
    if (body >= 0 && !found) return null;
    const mesh = found ? scene.meshes[found.object] : scene.meshes.find((one) => (particle >= one.first && particle < one.first + one.count) || one.triangles.includes(particle));
    if (found && (!mesh || ["wall", "pile", "body", ""].includes(mesh.type) || mesh.name === found.name)) return { name: found.name, kind: "body", type: found.type, body, mass: this.massOf([found], null) };
    return mesh ? { name: mesh.name, kind: "object", type: mesh.type, first: mesh.first, count: mesh.count, mass: this.massOf(scene.bodies.filter((one) => one.object === mesh.object), mesh) } : null;
  }

  // kg, of what moves.
  massOf(bodies, mesh) {
    const { world } = this, w = world.inverseMasses, list = bodies.map((one) => one.particle).filter((n) => n >= 0);
    if (mesh) for (let n = mesh.first; n < mesh.first + mesh.count; ++n) list.push(n);
    return list.reduce((sum, n) => sum + (w[n] > 0 ? 1 / w[n] : 0), 0);
  }

  // A point of a thing, as constraints of scene files name it: a spot of a body, or a particle of an object.
  point({ hit }) {
    const { scene, world } = this;
    if (hit.body >= 0) {
      const found = scene.bodies.find((one) => one.body === hit.body);
      return { body: found.name, place: world.toBody(hit.body, hit.point).map((v) => +v.toFixed(6)) };
    }
    const mesh = scene.meshes.find((one) => hit.particle >= one.first && hit.particle < one.first + one.count);
    return mesh ? `${mesh.name}[${hit.particle - mesh.first}]` : hit.particle;
  }

  // Where a thing would be if a hand held it there for a while and nothing weighed anything: all from the moment before the first of these.
  pose(hit, target) {
    const { world } = this, { gravity } = world.settings;
    if (this.posing) world.restore(this.posing);
    else this.posing = world.snapshot();
    const to = world.dimensions === 2 ? [target[0], target[1], 0] : target;
    world.configure({ gravity: [0, 0, 0] });
    const drag = hit.body >= 0 ? world.drag(hit) : null;
    if (drag) drag.to(...to);
    else {
      const at = world.positions.slice(3 * hit.particle, 3 * hit.particle + 3);
      world.moveTo(hit.particle, to.map((v, k) => v + at[k] - hit.point[k]));
    }
    try {
      world.relax({ steps: POSE_STEPS });
    } finally {
      drag?.end();
      world.configure({ gravity });
    }
  }

  // Where a thing is now, where it was when it came, how large it is; of a body also its pose and its shapes.
  where({ name }) {
    const { world, scene } = this, found = scene.bodies.find((one) => one.name === name);
    const box = this.box(name);
    if (!box) throw new Error(`there is no '${name}'`);
    const pose = found ? Array.from(world.bodyPoses.subarray(7 * found.body, 7 * found.body + 7)) : null;
    return { ...box, born: this.born.get(name) || box.middle, pose, shapes: found ? found.shapes.map((s) => ({ ...s, vertices: s.vertices ? Array.from(s.vertices) : null })) : null };
  }

  box(name, mesh = this.scene.meshes.find((one) => one.name === name)) {
    const { world, scene } = this;
    const bodies = scene.bodies.filter((one) => one.name === name || (mesh && one.object === mesh.object));
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity], x = world.positions, radii = world.radii, poses = world.bodyPoses;
    const take = (at, o, r) => { for (let k = 0; k < 3; ++k) { low[k] = Math.min(low[k], at[o + k] - r); high[k] = Math.max(high[k], at[o + k] + r); } };
    if (mesh) for (let n = mesh.first; n < mesh.first + mesh.count; ++n) if (Number.isFinite(x[3 * n])) take(x, 3 * n, radii[n]);
    for (const one of bodies) take(poses, 7 * one.body, bodyReach(one));
    return Number.isFinite(low[0]) ? { middle: low.map((v, k) => (v + high[k]) / 2), size: low.map((v, k) => high[k] - v) } : null;
  }

  // Remembers where objects that are new came into being.
  note() {
    for (const mesh of this.scene.meshes) if (!this.born.has(mesh.name)) this.born.set(mesh.name, this.box(mesh.name, mesh)?.middle);
  }

  add(parts) {
    this.world.add(parts);
    ++this.version;
    this.note();
  }

  remove(name) {
    this.world.remove(name);
    this.born.delete(name);
    ++this.version;
  }
}

function bodyReach({ mesh: { vertices } }) {
  let most = 0;
  for (let i = 0; i < vertices.length; i += 3) most = Math.max(most, vertices[i] ** 2 + vertices[i + 1] ** 2 + vertices[i + 2] ** 2);
  return Math.sqrt(most);
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

const actions = {
  settings: ({ world }, some) => world.configure(some),
  material: ({ world }, kind, material) => world.setMaterial(kind, material),
  pin: ({ world }, particle) => world.pin(particle),
  unpin: ({ world }, particle) => world.unpin(particle),
  grab: (deeds, hit, finger = 0) => {
    deeds.drop(finger);
    deeds.drags.set(finger, { drag: deeds.world.drag(hit), target: hit.point });
  },
  pull: (deeds, x, y, z, finger = 0) => {
    const held = deeds.drags.get(finger);
    if (held) held.target = [x, y, z];
  },
  drop: (deeds, finger = null) => (finger === null ? deeds.rest() : deeds.drop(finger)),
  impulse: ({ world }, particle, impulse) => world.addImpulse(particle, impulse),
  reverse: ({ world }) => world.reverse(),
  gust: (deeds, ...air) => { deeds.gust = air; },
  calm: (deeds) => { deeds.gust = null; },
  explode: (deeds, place, speed, reach) => deeds.explode(place, speed, reach),
  add: (deeds, parts) => deeds.add(parts),
  throw: (deeds, parts) => deeds.add(parts),
  pose: (deeds, hit, target) => deeds.pose(hit, target),
  air: ({ world }, velocity) => world.setBreeze(velocity),
  friction: ({ world }, value) => world.setFriction(value),
  cut: ({ world }, a, b, toA, toB) => world.cut({ a, b, toA, toB }),
  remove: (deeds, name) => deeds.remove(name),
};

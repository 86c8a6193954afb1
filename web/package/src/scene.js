// A scene: a world, and what its file says of it.
import { SinewError } from './values.js';

const shapesOf = (body) => body.shapes.map((shape) => ({ ...shape, vertices: shape.vertices.length ? Float32Array.from(shape.vertices) : null }));

export class Scene {
  #description = null;
  #extended = '';   // how it was when it was described
  #bodies = null;
  #moving = null; // the dynamic ones of them

  constructor(world, name, problems) {
    this.world = world;
    this.name = name;
    this.problems = problems;
    const about = this.#describe();
    this.title = about.title;
    this.about = about.about;
    this.topic = about.topic;
    this.frames = about.frames;
    this.warmUp = about.warmUp;
    this.frameTime = 1 / about.rate;
  }

  #describe() {
    const made = `${this.world.extended} ${this.world.topology}`;
    if (this.#extended !== made) {
      const { engine, handle } = this.world;
      if (!engine.c.web_describe(handle)) throw new SinewError('out of memory', 'memory');
      this.#description = engine.answer();
      this.#bodies = this.#moving = null;
      this.#extended = made;
    }
    return this.#description;
  }

  get frameCount() {
    return this.world.engine.c.web_frames(this.world.handle);
  }

  get meshes() {
    const { engine } = this.world;
    return this.#describe().objects.map((object, i) => {
      const [at, faces, edges] = this.world.mesh(i);
      const triangles = engine.words(faces ? at : 0, 3 * faces).slice();
      const lines = engine.words(edges ? at + 12 * faces : 0, 2 * edges).slice();
      const used = new Uint8Array(object.count);
      for (const list of [triangles, lines]) for (const particle of list) used[particle - object.first] = 1;
      const points = Uint32Array.from({ length: object.count }, (_, k) => object.first + k).filter((particle) => !used[particle - object.first]);
      return { name: object.name, type: object.type, object: i, group: object.group, first: object.first, count: object.count, triangles, lines, points };
    });
  }

  get bodies() {
    const { fixed } = this.#describe();
    this.#bodies ??= [
      ...this.#dynamic(),
      ...fixed.map((body) => ({ ...body, particle: -1, object: -1, shapes: shapesOf(body), mesh: this.#fixedMesh(body.body) })),
    ];
    return this.#bodies;
  }

  #dynamic() {
    const { objects } = this.#describe();
    this.#moving ??= objects.flatMap((object, i) => (object.bodies.length ? this.#bodiesOf(object, i) : []));
    return this.#moving;
  }

  #bodiesOf(object, i) {
    const { engine, handle } = this.world;
    const at = engine.take(20);
    const parts = object.bodies.map(() => ({ vertices: [], triangles: [] }));
    try {
      if (!engine.c.web_body_mesh(handle, i, at)) throw new SinewError('out of memory', 'memory');
      const [x, count, bodyOf, corners, triangles] = engine.words(at, 5);
      const places = engine.floats(x, 3 * count);
      const of = engine.words(bodyOf, count);
      const part = (vertex) => parts[object.bodies.findIndex((body) => body.item === of[vertex])];
      const renamed = new Uint32Array(count);
      for (let k = 0; k < count; ++k) {
        const to = part(k)?.vertices;
        if (!to) continue;
        renamed[k] = to.length / 3;
        to.push(places[3 * k], places[3 * k + 1], places[3 * k + 2]);
      }
      const all = engine.words(corners, 3 * triangles);
      for (let k = 0; k < all.length; k += 3) part(all[k])?.triangles.push(renamed[all[k]], renamed[all[k + 1]], renamed[all[k + 2]]);
      [x, bodyOf, corners].forEach((block) => engine.c.web_give(block));
    } finally {
      engine.c.web_give(at);
    }
    return object.bodies.map((body, k) => ({
      name: body.name,
      body: body.body,
      type: 'dynamic',
      particle: body.particle,
      object: i,
      shapes: shapesOf(body),
      mesh: { vertices: Float32Array.from(parts[k].vertices), triangles: Uint32Array.from(parts[k].triangles) },
    }));
  }

  #fixedMesh(body) {
    const { engine, handle } = this.world;
    const { low, high } = this.bounds;
    const middle = [0, 1, 2].map((i) => (low[i] + high[i]) / 2);
    const reach = 4 * Math.max(1, ...[0, 1, 2].map((i) => high[i] - low[i]));
    const at = engine.take(20);
    try {
      if (!engine.c.web_fixed_mesh(handle, body, ...middle, reach, at)) throw new SinewError('out of memory', 'memory');
      const [x, count, , corners, triangles] = engine.words(at, 5);
      const mesh = { vertices: engine.floats(x, 3 * count).slice(), triangles: engine.words(corners, 3 * triangles).slice() };
      [x, corners].forEach((block) => block && engine.c.web_give(block));
      return mesh;
    } finally {
      engine.c.web_give(at);
    }
  }

  get bounds() {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    const include = (x, y, z, r) => [x, y, z].forEach((value, i) => {
      if (!Number.isFinite(value)) return;
      low[i] = Math.min(low[i], value - r);
      high[i] = Math.max(high[i], value + r);
    });
    const { positions, radii, bodyPoses } = this.world;
    for (let i = 0; i < positions.length; i += 3) include(positions[i], positions[i + 1], positions[i + 2], radii[i / 3]);
    for (const { body, shapes } of this.#dynamic()) {
      const [x, y, z] = bodyPoses.subarray(7 * body, 7 * body + 3);
      include(x, y, z, Math.max(0, ...shapes.map(shapeReach)));
    }
    if (!Number.isFinite(low[0])) return { low: [-1, -1, -1], high: [1, 1, 1] };
    return { low, high };
  }

  get camera() {
    const { low, high } = this.bounds;
    const target = [0, 1, 2].map((i) => (low[i] + high[i]) / 2);
    const size = Math.max(0.1, Math.hypot(...[0, 1, 2].map((i) => high[i] - low[i])));
    const way = this.world.dimensions === 2 ? [0, 0, 1] : [0.45, 0.3, 0.84];
    return { position: target.map((x, i) => x + 1.3 * size * way[i]), target };
  }

  frame() {
    this.world.stepFrame(this.frameTime);
  }

  save() {
    const { engine, handle } = this.world;
    if (!engine.c.web_save(handle)) throw new SinewError(String(engine.answer()), 'scene');
    return engine.answerText();
  }

  destroy() {
    this.world.destroy();
  }
}

/** How far a shape reaches from the origin of its body. */
function shapeReach(shape) {
  const from = Math.hypot(...shape.position);
  if (shape.type === 'sphere') return from + shape.radius;
  if (shape.type === 'capsule') return from + shape.radius + shape.half[1];
  if (shape.type === 'box') return from + shape.radius + Math.hypot(...shape.half);
  let most = 0;
  for (let i = 0; i < (shape.vertices?.length ?? 0); i += 3) most = Math.max(most, Math.hypot(shape.vertices[i], shape.vertices[i + 1], shape.vertices[i + 2]));
  return from + shape.radius + most;
}

// What lessons measure in a picture of a scene: their tables on the page, and the numbers in their sentences in the tests.
import { countPiercings } from "./piercings.js";

const length3 = (v) => Math.hypot(v[0], v[1], v[2]);
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const vectors = {
  sub: minus, add: (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]], scale: (s, a) => a.map((v) => s * v), dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], norm: length3,
};

// The number of a particle: "rope", "rope[3]", "rope[-1]", or a body.
export function particleOf(model, name) {
  const [, own, number = "0"] = name.match(/^(.+?)(?:\[(-?\d+)\])?$/);
  const body = model.bodies.find((b) => b.name === name || b.name === own);
  if (body) return body.particle;
  const mesh = model.meshes.find((m) => m.name === own), n = Number(number);
  if (!mesh) throw new Error(`there is no '${name}'`);
  return mesh.first + (n < 0 ? mesh.count + n : n);
}

const meshOf = (model, name) => {
  const mesh = model.meshes.find((m) => m.name === name);
  if (!mesh) throw new Error(`there is no '${name}'`);
  return mesh;
};

// One state: a picture, the description of its scene, and what its probes said.
function state(picture, model, probes) {
  const { positions, report } = picture;
  const at = (what) => {
    if (Array.isArray(what)) return what;
    const n = particleOf(model, what);
    return [positions[3 * n], positions[3 * n + 1], positions[3 * n + 2]];
  };
  const distance = (a, b) => length3(minus(at(a), at(b)));
  const each = (name, take) => { const m = meshOf(model, name); return Array.from({ length: m.count }, (_, i) => take(3 * (m.first + i))); };
  const probe = (name) => {
    const found = picture.probed?.[probes.indexOf(name)];
    if (!found) throw new Error(`nothing is known of '${name}'`);
    return found;
  };
  return {
    ...vectors, at, x: (a) => at(a)[0], y: (a) => at(a)[1], z: (a) => at(a)[2], distance,
    // by how much the path a, b, c turns at b, in degrees: 0 is straight
    angle: (a, b, c) => { const u = minus(at(b), at(a)), v = minus(at(c), at(b)); return Math.atan2(length3(vectors.cross(u, v)), vectors.dot(u, v)) * 180 / Math.PI; },
    centre: (name) => [0, 1, 2].map((k) => { const all = each(name, (i) => positions[i + k]); return all.reduce((s, v) => s + v, 0) / all.length; }),
    top: (name) => Math.max(...each(name, (i) => positions[i + 1])), bottom: (name) => Math.min(...each(name, (i) => positions[i + 1])),
    length: (name) => { const m = meshOf(model, name); let sum = 0; for (let i = m.first; i + 1 < m.first + m.count; ++i) sum += length3(minus([...positions.slice(3 * i, 3 * i + 3)], [...positions.slice(3 * i + 3, 3 * i + 6)])); return sum; },
    // inside of a closed surface
    volume: (name) => {
      const { triangles } = meshOf(model, name), corner = (n) => [...positions.slice(3 * n, 3 * n + 3)];
      let sum = 0;
      for (let i = 0; i < triangles.length; i += 3) sum += vectors.dot(corner(triangles[i]), vectors.cross(corner(triangles[i + 1]), corner(triangles[i + 2])));
      return sum / 6;
    },
    // edges that go through triangles of the same surface
    piercings: (name) => { const m = meshOf(model, name); return countPiercings(positions, m.triangles); },
    // of a body, about z, in degrees
    turn: (name) => { const { body } = model.bodies.find((b) => b.name === name), [qx, qy, qz, qw] = picture.bodies.slice(7 * body + 3, 7 * body + 7); return Math.atan2(2 * (qw * qz + qx * qy), 1 - 2 * (qy * qy + qz * qz)) * 180 / Math.PI; },
    ...report, time: picture.time, frame: picture.frame,
    residual: (kind) => report.kinds.find((k) => k[0] === kind)?.[1] ?? 0,
    velocity: (name) => probe(name).velocity, speed: (name) => length3(probe(name).velocity), force: (name) => probe(name).force, error: (name) => probe(name).error,
  };
}

// Mean and largest strain of what links particles, against their distances at the start.
function strains(links, now, was) {
  let worst = 0, sum = 0;
  for (let i = 0; i < links.length; i += 2) {
    const [a, b] = [3 * links[i], 3 * links[i + 1]], far = (p) => Math.hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2]);
    const strain = Math.abs(far(now) / far(was) - 1);
    sum += strain;
    worst = Math.max(worst, strain);
  }
  return { mean: 100 * sum / Math.max(1, links.length / 2), worst: 100 * worst };
}

// All that an expression of a lesson may name, for each pane. panes: [{ picture, model, start, settings }]; value: of a control.
export function measure(panes, probes, value = () => undefined) {
  const all = panes.map(({ picture, model, start, settings }) => {
    const now = state(picture, model, probes), before = state(start, model, probes);
    return { ...now, ...strains(model.links, picture.positions, start.positions), start: before, stretch: (name) => 100 * (now.length(name) / before.length(name) - 1), settings, value };
  });
  for (const one of all) Object.assign(one, { A: all[0], B: all[1] });
  return all;
}

// Of a world, for the page and for tests alike.
export function shortReport(world) {
  const r = world.report();
  return {
    kinetic: r.kinetic, potential: r.potential, elastic: r.elastic, energy: r.energy, mass: r.mass, momentum: length3(r.momentum), angular: length3(r.angularMomentum), passes: r.passes,
    kinds: r.kinds.filter((k) => k.count).map((k) => [k.name, k.largest, k.mean, k.count, k.relative]),
  };
}

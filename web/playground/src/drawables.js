// Things that follow particles and bodies: surfaces, strands (ropes, rods, springs), balls, solids. Each is built once for a scene
// and then brought up to date from the arrays of a frame, without allocating.
import {
  BufferAttribute, BufferGeometry, Color, CylinderGeometry, DoubleSide, DynamicDrawUsage, InstancedMesh, LineBasicMaterial, LineSegments, Mesh,
  MeshStandardMaterial, Points, PointsMaterial, SphereGeometry, SRGBColorSpace,
} from "three";
import { mergeVertices, toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";

export function material(color, options = {}) {
  return new MeshStandardMaterial({ color, roughness: 0.62, metalness: 0, ...options });
}

function shadowed(mesh, name) {
  mesh.castShadow = mesh.receiveShadow = true;
  mesh.frustumCulled = false;   // bounds would have to be found anew in every frame
  mesh.name = name;
  return mesh;
}

// Normals of all vertices: the sum of those of the triangles around each, weighted by area.
function smoothNormals(position, index, normal) {
  normal.fill(0);
  for (let t = 0; t < index.length; t += 3) {
    const a = 3 * index[t], b = 3 * index[t + 1], c = 3 * index[t + 2];
    const ux = position[b] - position[a], uy = position[b + 1] - position[a + 1], uz = position[b + 2] - position[a + 2];
    const vx = position[c] - position[a], vy = position[c + 1] - position[a + 1], vz = position[c + 2] - position[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    normal[a] += x; normal[a + 1] += y; normal[a + 2] += z;
    normal[b] += x; normal[b + 1] += y; normal[b + 2] += z;
    normal[c] += x; normal[c + 1] += y; normal[c + 2] += z;
  }
  for (let i = 0; i < normal.length; i += 3) {
    const length = Math.sqrt(normal[i] * normal[i] + normal[i + 1] * normal[i + 1] + normal[i + 2] * normal[i + 2]);
    if (length > 0) { normal[i] /= length; normal[i + 1] /= length; normal[i + 2] /= length; } else normal[i + 1] = 1;
  }
}

// A surface of triangles between particles.
export class Surface {
  constructor(name, triangles, color) {
    const local = new Map();
    const index = new Uint32Array(triangles.length);
    triangles.forEach((number, i) => {
      if (!local.has(number)) local.set(number, local.size);
      index[i] = local.get(number);
    });
    this.numbers = Uint32Array.from(local.keys());
    this.index = index;
    const geometry = new BufferGeometry();
    this.position = new BufferAttribute(new Float32Array(3 * this.numbers.length), 3).setUsage(DynamicDrawUsage);
    this.normal = new BufferAttribute(new Float32Array(3 * this.numbers.length), 3).setUsage(DynamicDrawUsage);
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("normal", this.normal);
    geometry.setIndex(new BufferAttribute(index, 1));
    this.object = shadowed(new Mesh(geometry, material(color, { side: DoubleSide, roughness: 0.78, shadowSide: DoubleSide })), name);
  }

  update({ positions }) {
    const to = this.position.array, numbers = this.numbers;
    for (let i = 0; i < numbers.length; ++i) {
      const n = 3 * numbers[i];
      to[3 * i] = positions[n]; to[3 * i + 1] = positions[n + 1]; to[3 * i + 2] = positions[n + 2];
    }
    smoothNormals(to, this.index, this.normal.array);
    this.position.needsUpdate = this.normal.needsUpdate = true;
  }
}

function instanced(name, geometry, look, count) {
  const mesh = shadowed(new InstancedMesh(geometry, look, count), name);
  mesh.instanceMatrix.setUsage(DynamicDrawUsage);
  return mesh;
}

// A cylinder of unit length along y from the origin, to be stretched between two particles.
function rod(sides = 10) {
  const geometry = new CylinderGeometry(1, 1, 1, sides, 1, true);
  geometry.translate(0, 0.5, 0);
  return geometry;
}

// Tubes between pairs of particles.
export class Strands {
  constructor(name, pairs, radius, color, options) {
    this.pairs = pairs;
    this.radius = radius;
    this.object = instanced(name, rod(), material(color, options), pairs.length / 2);
  }

  update({ positions }) {
    const m = this.object.instanceMatrix.array, r = this.radius, pairs = this.pairs;
    for (let i = 0; i < pairs.length / 2; ++i) {
      const a = 3 * pairs[2 * i], b = 3 * pairs[2 * i + 1], o = 16 * i;
      const x = positions[b] - positions[a], y = positions[b + 1] - positions[a + 1], z = positions[b + 2] - positions[a + 2];
      const length = Math.sqrt(x * x + y * y + z * z);
      if (!(length > 0)) { m.fill(0, o, o + 16); continue; }
      // two directions across: any that is not along the strand
      let ux, uy, uz;
      if (Math.abs(y) < 0.9 * length) { ux = z; uy = 0; uz = -x; } else { ux = 0; uy = -z; uz = y; }
      const s = r / Math.sqrt(ux * ux + uy * uy + uz * uz);
      ux *= s; uy *= s; uz *= s;
      const l = 1 / length;
      m[o] = ux; m[o + 1] = uy; m[o + 2] = uz; m[o + 3] = 0;
      m[o + 4] = x; m[o + 5] = y; m[o + 6] = z; m[o + 7] = 0;
      m[o + 8] = (uy * z - uz * y) * l; m[o + 9] = (uz * x - ux * z) * l; m[o + 10] = (ux * y - uy * x) * l; m[o + 11] = 0;
      m[o + 12] = positions[a]; m[o + 13] = positions[a + 1]; m[o + 14] = positions[a + 2]; m[o + 15] = 1;
    }
    this.object.instanceMatrix.needsUpdate = true;
  }
}

// Where an end of a tie is: at a particle, in a body, at a place.
function tieEnd({ positions, bodies }, ties, o, out) {
  const number = ties[o + 1], x = ties[o + 2], y = ties[o + 3], z = ties[o + 4];
  if (ties[o] === 2) { out[0] = x; out[1] = y; out[2] = z; return; }
  if (ties[o] === 0) { for (let k = 0; k < 3; ++k) out[k] = positions[3 * number + k]; return; }
  pose(turned, 0, bodies, 7 * number);
  for (let k = 0; k < 3; ++k) out[k] = turned[k] * x + turned[4 + k] * y + turned[8 + k] * z + turned[12 + k];
}
const turned = new Float32Array(16);

// Rods between bodies and places, and balls where hinges are: their ends are put into an array of their own.
export class Ties {
  constructor(ties, radius, color) {
    this.ties = ties;
    this.ends = new Float32Array((6 * ties.length) / 10);
    const pairs = Uint32Array.from({ length: ties.length / 5 }, (_, i) => i);
    this.strands = new Strands("ties", pairs, radius, color);
    this.radius = radius;
    this.object = this.strands.object;
    this.where = [0, 0, 0];
  }

  update(picture) {
    const { ties, ends, where } = this, m = this.object.instanceMatrix.array, r = 2.4 * this.radius;
    for (let i = 0; i < ties.length / 5; ++i) {
      tieEnd(picture, ties, 5 * i, where);
      ends.set(where, 3 * i);
    }
    this.strands.update({ positions: ends });
    for (let i = 0; i < ends.length / 6; ++i) {   // a hinge: a short pin that can be seen
      const e = 6 * i, o = 16 * i;
      if (Math.hypot(ends[e + 3] - ends[e], ends[e + 4] - ends[e + 1], ends[e + 5] - ends[e + 2]) > 0.5 * this.radius) continue;
      m.fill(0, o, o + 16);
      m[o] = m[o + 5] = m[o + 10] = r; m[o + 12] = ends[e]; m[o + 13] = ends[e + 1] - 0.5 * r; m[o + 14] = ends[e + 2]; m[o + 15] = 1;
    }
  }
}

// Balls at particles, each with its radius.
export class Balls {
  constructor(name, numbers, radii, color, { shades = false, ...options } = {}) {
    this.numbers = numbers;
    this.radii = radii;
    const many = numbers.length > 2000;
    const geometry = new SphereGeometry(1, many ? 12 : 24, many ? 8 : 16);
    this.object = instanced(name, geometry, material(color, { roughness: 0.45, ...options }), numbers.length);
    if (shades) this.shade(color);
  }

  // Grains of one heap differ a little, or they would look like one mass.
  shade(color) {
    const base = new Color(color), tone = new Color();
    this.object.material.color.set(0xffffff);
    for (let i = 0; i < this.numbers.length; ++i) {
      const jitter = ((i * 2654435761) >>> 0) / 2 ** 32 - 0.5;
      this.object.setColorAt(i, tone.copy(base).offsetHSL(jitter * 0.03, jitter * 0.12, jitter * 0.16));
    }
  }

  update({ positions }) {
    const m = this.object.instanceMatrix.array;
    for (let i = 0; i < this.numbers.length; ++i) {
      const n = 3 * this.numbers[i], o = 16 * i;
      const there = Number.isFinite(positions[n]);
      m.fill(0, o, o + 16);
      m[o] = m[o + 5] = m[o + 10] = there ? this.radii[i] : 0;
      m[o + 12] = positions[n] || 0; m[o + 13] = positions[n + 1] || 0; m[o + 14] = positions[n + 2] || 0; m[o + 15] = 1;
    }
    this.object.instanceMatrix.needsUpdate = true;
  }
}

export function pose(m, o, p, i) {
  const x = p[i + 3], y = p[i + 4], z = p[i + 5], w = p[i + 6];
  if (!Number.isFinite(p[i])) { m.fill(0, o, o + 16); return; }
  m[o] = 1 - 2 * (y * y + z * z); m[o + 1] = 2 * (x * y + w * z); m[o + 2] = 2 * (x * z - w * y); m[o + 3] = 0;
  m[o + 4] = 2 * (x * y - w * z); m[o + 5] = 1 - 2 * (x * x + z * z); m[o + 6] = 2 * (y * z + w * x); m[o + 7] = 0;
  m[o + 8] = 2 * (x * z + w * y); m[o + 9] = 2 * (y * z - w * x); m[o + 10] = 1 - 2 * (x * x + y * y); m[o + 11] = 0;
  m[o + 12] = p[i]; m[o + 13] = p[i + 1]; m[o + 14] = p[i + 2]; m[o + 15] = 1;
}

// A closed mesh with smooth curves and sharp edges.
export function solidGeometry({ vertices, triangles }) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(vertices, 3));
  geometry.setIndex(new BufferAttribute(triangles, 1));
  const creased = mergeVertices(toCreasedNormals(geometry, 0.65), 1e-7);
  geometry.dispose();
  return creased;
}

// Bodies of one shape, at their poses.
export class Solids {
  constructor(name, geometry, bodies, colors) {
    this.bodies = bodies;
    this.object = instanced(name, geometry, material(0xffffff, { roughness: 0.5 }), bodies.length);
    const tone = new Color();
    colors.forEach((color, i) => this.object.setColorAt(i, tone.set(color)));
  }

  update({ bodies }) {
    const m = this.object.instanceMatrix.array;
    for (let i = 0; i < this.bodies.length; ++i) pose(m, 16 * i, bodies, 7 * this.bodies[i]);
    this.object.instanceMatrix.needsUpdate = true;
  }
}

// A static or kinematic body at its pose.
export class Obstacle {
  constructor(name, geometry, number, look) {
    this.number = number;
    this.object = shadowed(new Mesh(geometry, look), name);
    this.object.matrixAutoUpdate = false;
  }

  update({ bodies }) {
    pose(this.object.matrix.elements, 0, bodies, 7 * this.number);
    this.object.matrixWorldNeedsUpdate = true;
  }
}

// The engine's debug drawing: lines and points in its colours, over all else.
export class Drawn {
  constructor() {
    const look = { vertexColors: true, depthTest: false, transparent: true, opacity: 0.9, fog: false };
    this.lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial(look));
    this.points = new Points(new BufferGeometry(), new PointsMaterial({ ...look, size: 5, sizeAttenuation: false }));
    this.objects = [this.lines, this.points];
    for (const object of this.objects) {
      object.name = "debug drawing";
      object.frustumCulled = false;
      object.renderOrder = 9;
      object.visible = false;
    }
  }

  // numbers: `stride` for each, of which the last is the colour; `corners` places at its start.
  static fill(object, numbers, stride, corners) {
    const count = numbers ? numbers.length / stride : 0, room = object.geometry.attributes.position?.count ?? 0, tone = new Color();
    object.visible = count > 0;
    if (!count) return;
    if (room < corners * count) {
      object.geometry.dispose();
      for (const name of ["position", "color"]) object.geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * Math.ceil(1.25 * corners * count)), 3).setUsage(DynamicDrawUsage));
    }
    const { position, color } = object.geometry.attributes;
    for (let i = 0; i < count; ++i) {
      tone.setHex(numbers[stride * i + stride - 1], SRGBColorSpace);
      for (let k = 0; k < corners; ++k) {
        for (let axis = 0; axis < 3; ++axis) position.array[3 * (corners * i + k) + axis] = numbers[stride * i + 3 * k + axis];
        tone.toArray(color.array, 3 * (corners * i + k));
      }
    }
    object.geometry.setDrawRange(0, corners * count);
    position.needsUpdate = color.needsUpdate = true;
  }

  update(drawn) {
    Drawn.fill(this.lines, drawn?.lines, 7, 2);
    Drawn.fill(this.points, drawn?.points, 5, 1);
  }
}

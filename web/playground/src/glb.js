// Writes what is drawn as a binary glTF file: https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
import { Color, Matrix4, Quaternion, Vector3 } from "three";

const FLOAT = 5126, UNSIGNED_INT = 5125;
const ARRAY_BUFFER = 34962, ELEMENT_ARRAY_BUFFER = 34963;

class Writer {
  constructor() {
    this.chunks = [];
    this.length = 0;
    this.json = {
      asset: { version: "2.0", generator: "Sinew playground" }, scene: 0, scenes: [{ nodes: [] }], nodes: [], meshes: [], materials: [],
      accessors: [], bufferViews: [], buffers: [],
    };
    this.meshes = new Map();
    this.materials = new Map();
  }

  view(array, target) {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    this.json.bufferViews.push({ buffer: 0, byteOffset: this.length, byteLength: bytes.length, target });
    this.chunks.push(bytes);
    this.length += bytes.length;   // all arrays have items of four bytes, so views stay aligned
    return this.json.bufferViews.length - 1;
  }

  accessor(array, items, target, bounds) {
    const entry = { bufferView: this.view(array, target), componentType: target === ARRAY_BUFFER ? FLOAT : UNSIGNED_INT, count: array.length / items, type: items === 3 ? "VEC3" : "SCALAR" };
    if (bounds) {
      entry.min = [Infinity, Infinity, Infinity];
      entry.max = [-Infinity, -Infinity, -Infinity];
      array.forEach((v, i) => { entry.min[i % 3] = Math.min(entry.min[i % 3], v); entry.max[i % 3] = Math.max(entry.max[i % 3], v); });
    }
    this.json.accessors.push(entry);
    return this.json.accessors.length - 1;
  }

  material(look, color) {
    const c = color.toArray().map((v) => +v.toFixed(4));
    const key = [c, look.roughness, look.metalness, look.opacity, look.side].join();
    if (!this.materials.has(key)) {
      const made = { pbrMetallicRoughness: { baseColorFactor: [...c, look.opacity], metallicFactor: look.metalness, roughnessFactor: look.roughness }, doubleSided: look.side === 2 };
      if (look.transparent) made.alphaMode = "BLEND";
      this.materials.set(key, this.json.materials.push(made) - 1);
    }
    return this.materials.get(key);
  }

  mesh(geometry, look, color, name) {
    const material = this.material(look, color);
    const key = `${geometry.id}:${material}`;
    if (!this.meshes.has(key)) {
      const position = Float32Array.from(geometry.attributes.position.array);
      const normal = unitNormals(geometry.attributes.normal.array);
      const index = geometry.index ? Uint32Array.from(geometry.index.array) : Uint32Array.from({ length: position.length / 3 }, (_, i) => i);
      if (!position.every(Number.isFinite)) return -1;
      const entry = { name, primitives: [{ attributes: { POSITION: this.accessor(position, 3, ARRAY_BUFFER, true), NORMAL: this.accessor(normal, 3, ARRAY_BUFFER) }, indices: this.accessor(index, 1, ELEMENT_ARRAY_BUFFER), material }] };
      this.meshes.set(key, this.json.meshes.push(entry) - 1);
    }
    return this.meshes.get(key);
  }

  node(mesh, matrix, name) {
    const p = new Vector3(), q = new Quaternion(), s = new Vector3();
    matrix.decompose(p, q, s);
    if (mesh < 0 || !(Math.abs(s.x * s.y * s.z) > 0)) return;   // hidden, or gone
    const node = { mesh, name };
    if (p.lengthSq() > 0) node.translation = p.toArray();
    if (Math.abs(q.w) < 1) node.rotation = q.normalize().toArray();
    if (Math.abs(s.x - 1) + Math.abs(s.y - 1) + Math.abs(s.z - 1) > 1e-6) node.scale = s.toArray();
    this.json.scenes[0].nodes.push(this.json.nodes.push(node) - 1);
  }

  finish() {
    const { json } = this;
    json.buffers = [{ byteLength: this.length }];
    for (const key of ["nodes", "meshes", "materials", "accessors", "bufferViews", "buffers"]) if (!json[key].length || (key === "buffers" && !this.length)) delete json[key];
    if (!json.nodes) delete json.scenes[0].nodes;
    const text = new TextEncoder().encode(JSON.stringify(json));
    const padded = (n) => (n + 3) & ~3;
    const binary = this.length ? 8 + padded(this.length) : 0;
    const file = new Uint8Array(12 + 8 + padded(text.length) + binary);
    const head = new DataView(file.buffer);
    head.setUint32(0, 0x46546c67, true);
    head.setUint32(4, 2, true);
    head.setUint32(8, file.length, true);
    head.setUint32(12, padded(text.length), true);
    head.setUint32(16, 0x4e4f534a, true);
    file.fill(0x20, 20, 20 + padded(text.length));
    file.set(text, 20);
    if (this.length) {
      let at = 20 + padded(text.length);
      head.setUint32(at, padded(this.length), true);
      head.setUint32(at + 4, 0x004e4942, true);
      at += 8;
      for (const chunk of this.chunks) { file.set(chunk, at); at += chunk.length; }
    }
    return file;
  }
}

function unitNormals(array) {
  const normal = Float32Array.from(array);
  for (let i = 0; i < normal.length; i += 3) {
    const length = Math.hypot(normal[i], normal[i + 1], normal[i + 2]);
    if (length > 0) { normal[i] /= length; normal[i + 1] /= length; normal[i + 2] /= length; } else normal[i + 1] = 1;
  }
  return normal;
}

// The drawables of a view as they are now; instances become nodes that share a mesh.
export function writeGlb(drawables) {
  const writer = new Writer(), matrix = new Matrix4(), color = new Color();
  for (const { object } of drawables) {
    const { geometry, material, name } = object;
    if (!object.isInstancedMesh) {
      writer.node(writer.mesh(geometry, material, material.color, name), object.matrix, name);
      continue;
    }
    for (let i = 0; i < object.count; ++i) {
      object.getMatrixAt(i, matrix);
      if (object.instanceColor) {
        object.getColorAt(i, color);
        color.multiply(material.color);
      }
      else color.copy(material.color);
      writer.node(writer.mesh(geometry, material, color, name), matrix, object.count > 1 ? `${name} ${i}` : name);
    }
  }
  return writer.finish();
}

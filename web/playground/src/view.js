// One scene as it is seen: what is drawn for its objects, light, ground, and what lies under the pointer.
import {
  BufferGeometry, CanvasTexture, CircleGeometry, Color, DirectionalLight, DoubleSide, Float32BufferAttribute, Fog, HemisphereLight,
  Line, LineBasicMaterial, Mesh, MeshBasicMaterial, MeshStandardMaterial, Raycaster, RepeatWrapping, Scene, SphereGeometry, SRGBColorSpace, Vector3,
} from "three";
import { Balls, Drawn, Obstacle, Solids, Strands, Surface, Ties, material, solidGeometry } from "./drawables.js";

export const palette = ["#e2603a", "#2f86a8", "#efb23c", "#4a9d6f", "#8a63a8", "#d4688c", "#2aa59b", "#8c9aa8"];

const themes = {
  light: { sky: "#e9eef4", ground: "#dae1e9", line: "#bcc7d3", hemi: ["#f4f8ff", "#c4c9cf", 0.7], sun: 2.55, room: 0.26, obstacle: "#aeb9c5", pin: "#2b3947" },
  dark: { sky: "#1a212b", ground: "#323d4b", line: "#465364", hemi: ["#c3d2e8", "#5a636e", 0.75], sun: 2.3, room: 0.24, obstacle: "#5b6878", pin: "#e8edf2" },
};

// Squares on the ground, a metre or a power of ten of it wide.
function groundTexture(theme) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 256;
  const draw = canvas.getContext("2d");
  draw.fillStyle = theme.ground;
  draw.fillRect(0, 0, 256, 256);
  draw.strokeStyle = theme.line;
  draw.lineWidth = 3;
  draw.strokeRect(0, 0, 256, 256);
  const texture = new CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.colorSpace = SRGBColorSpace;
  texture.anisotropy = 8;
  return texture;
}

export class View {
  constructor() {
    this.scene = new Scene();
    this.hemi = new HemisphereLight();
    this.sun = new DirectionalLight(0xfff4e6, 1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.radius = 3.2;
    this.fill = new DirectionalLight(0xdfeaff, 0.5);   // from the other side, without a shadow
    this.scene.add(this.hemi, this.sun, this.sun.target, this.fill, this.fill.target);
    this.drawables = [];
    this.marks = null;
    this.ray = new Raycaster();
    this.hand = this.makeHand();
    this.drawn = new Drawn();
    this.scene.add(...this.drawn.objects);
  }

  // A ball where the mouse holds, and a line to what it holds.
  makeHand() {
    const line = new Line(new BufferGeometry().setAttribute("position", new Float32BufferAttribute(6, 3)), new LineBasicMaterial({ depthTest: false, transparent: true }));
    const ball = new Mesh(new SphereGeometry(1, 16, 12), new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.75 }));
    line.renderOrder = ball.renderOrder = 10;
    line.frustumCulled = false;
    line.visible = ball.visible = false;
    this.scene.add(line, ball);
    return { line, ball };
  }

  // Pixels of the shadow; 0: none.
  setShadow(pixels) {
    const { sun } = this;
    sun.castShadow = pixels > 0;
    if (!pixels || sun.shadow.mapSize.x === pixels) return;
    sun.shadow.mapSize.set(pixels, pixels);
    sun.shadow.map?.dispose();
    sun.shadow.map = null;
  }

  setTheme(name) {
    const theme = this.theme = themes[name];
    this.scene.background = new Color(theme.sky);
    this.hemi.color.set(theme.hemi[0]);
    this.hemi.groundColor.set(theme.hemi[1]);
    this.hemi.intensity = theme.hemi[2];
    this.sun.intensity = theme.sun;
    this.scene.environmentIntensity = theme.room;
    this.hand.line.material.color.set(theme.pin);
    this.hand.ball.material.color.set(theme.pin);
    for (const d of this.drawables) if (d instanceof Obstacle && !d.fixedColor) d.object.material.color.set(theme.obstacle);
    if (this.marks) this.marks.object.material.color.set(theme.pin);
    if (this.ground) this.addGround();
  }

  discard({ object }) {
    this.scene.remove(object);
    object.geometry.dispose();
    object.material.dispose();
    object.dispose?.();
  }

  // key: what it is of; when that is drawn anew and is still the same, what there is stays.
  add(drawable, key = null) {
    drawable.key = key;
    this.drawables.push(drawable);
    this.scene.add(drawable.object);
    return drawable;
  }

  // A drawable that there was already, of the same numbers, or one that `make` makes. Numbers: arrays, or plain values.
  keep(key, numbers, make) {
    const old = this.before?.get(key);
    if (old && alike(old.madeOf, numbers)) {
      this.before.delete(key);
      this.drawables.push(old);
      return old;
    }
    const made = this.add(make(), key);
    made.madeOf = numbers;
    return made;
  }

  // Makes everything for a scene. bounds: what the camera and the light should take in.
  build(picture, bounds) {
    for (const drawable of this.drawables) this.discard(drawable);
    this.drawables = [];
    this.marks = null;
    this.bounds = bounds;
    this.size = Math.max(0.3, Math.hypot(...bounds.high.map((v, i) => v - bounds.low[i])));
    this.thin = Math.min(0.03, this.size * 0.0035);
    this.first = [...picture.model.title].reduce((sum, c) => sum + c.charCodeAt(0), 0) % 5;   // not every scene begins with the same colour
    this.model = this.start = picture.model;
    this.picture = picture;
    this.place = picture.bodies;
    this.addGround();
    this.placeSun();
    this.remodel(picture);
    this.update(picture);
  }

  // What came, went or was cut is made anew; all else stays as it is.
  remodel(picture) {
    const { model } = picture;
    this.before = new Map(this.drawables.filter((d) => d.key).map((d) => [d.key, d]));
    for (const drawable of this.drawables) if (!drawable.key) this.discard(drawable);
    this.drawables = [];
    this.marks = this.fixed = null;
    this.model = model;
    this.place = picture.bodies;
    const busy = new Set(model.bodyParticles);
    model.meshes.forEach((mesh) => this.addObject(mesh, this.color(mesh.name), busy));
    this.addLinks(busy);
    this.addTies();
    this.addBodies();
    for (const body of model.fixed) this.addFixed(body);
    for (const drawable of this.before.values()) this.discard(drawable);
    this.before = null;
    if (this.ground && Math.abs(this.ground.position.y - this.groundHeight()) > 2e-4 * this.size) this.addGround();
  }

  // Things keep the colour that they came with.
  color(name) {
    if (this.colored?.of !== this.start) this.colored = { of: this.start, names: new Map() };
    const { names } = this.colored;
    if (!names.has(name)) names.set(name, names.size);
    return palette[(names.get(name) + this.first) % palette.length];
  }

  addObject(mesh, color, busy) {
    const { radii, inverseMasses } = this.model;
    if (mesh.triangles.length) {
      this.keep(`surface ${mesh.name}`, [mesh.triangles], () => new Surface(mesh.name, mesh.triangles, color));
      mesh.triangles.forEach((n) => busy.add(n));
    }
    const lines = mesh.lines;
    const single = [];
    if (lines.length && !mesh.triangles.length) {
      const joints = [...new Set(lines)];
      const usual = Math.max(...joints.slice(0, 4000).map((n) => radii[n]), 0);
      const net = lines.length > 2.6 * joints.length;   // threads of a net are thin, or it would look like a sheet
      const tube = Math.max(this.thin * (net ? 0.8 : 1.35), net ? 0 : Math.min(usual, this.thin * 3));
      this.keep(`strands ${mesh.name}`, [lines, tube], () => new Strands(mesh.name, lines, tube, color, { roughness: 0.7 }));
      const masses = joints.map((n) => (inverseMasses[n] > 0 ? 1 / inverseMasses[n] : 0));
      const middle = masses.filter((m) => m > 0).sort((a, b) => a - b)[masses.length >> 1] || 1;
      const size = joints.map((n, i) => Math.max(tube * 1.02, net ? 0 : radii[n], jointSize(masses[i] / middle, tube, joints.length)));
      this.keep(`joints ${mesh.name}`, [joints, size], () => new Balls(`${mesh.name} joints`, Uint32Array.from(joints), Float32Array.from(size), color));
      joints.forEach((n) => busy.add(n));
    }
    for (let n = mesh.first; n < mesh.first + mesh.count; ++n) if (!busy.has(n)) single.push(n);
    if (single.length) {
      const size = single.map((n) => (radii[n] > 0 ? radii[n] : this.size * 0.017));
      this.keep(`balls ${mesh.name}`, [single, size], () => new Balls(mesh.name, Uint32Array.from(single), Float32Array.from(size), color, { shades: single.length > 60 }));
    }
  }

  // Rods and threads that belong to no object's lines: those that somebody added between objects.
  addLinks(busy) {
    const { links, meshes } = this.model;
    const owner = new Map();
    meshes.forEach((mesh, i) => { for (let n = mesh.first; n < mesh.first + mesh.count; ++n) owner.set(n, i); mesh.triangles.forEach((n) => owner.set(n, i)); });
    const drawn = (a, b) => {
      const i = owner.get(a);
      return i !== undefined && i === owner.get(b) && (meshes[i].triangles.length || meshes[i].lines.length);
    };
    const loose = [];
    for (let i = 0; i < links.length; i += 2) if (!drawn(links[i], links[i + 1])) loose.push(links[i], links[i + 1]);
    if (loose.length) this.keep("links", [loose], () => new Strands("links", Uint32Array.from(loose), this.thin * 0.7, this.theme.obstacle));
  }

  addTies() {
    const { ties } = this.model;
    if (ties.length) this.keep("ties", [ties], () => new Ties(ties, this.thin * 0.9, this.theme.obstacle));
  }

  // Bodies of the same shape are drawn together.
  addBodies() {
    const groups = new Map();
    for (const body of this.model.bodies) {
      if (!body.mesh.triangles.length) continue;
      const key = `${body.mesh.triangles.length}:${Array.from(body.mesh.vertices.subarray(0, 240), (v) => v.toFixed(6)).join()}`;
      if (!groups.has(key)) groups.set(key, { mesh: body.mesh, bodies: [], colors: [] });
      groups.get(key).bodies.push(body.body);
      const whole = this.model.meshes[body.object];   // limbs of one figure have one colour
      groups.get(key).colors.push(this.color(whole && ["ragdoll", "character", "body_chain", "bridge"].includes(whole.type) ? whole.name : body.name));
    }
    for (const [key, { mesh, bodies, colors }] of groups) this.keep(`bodies ${key}`, [bodies, colors], () => new Solids("bodies", solidGeometry(mesh), bodies, colors));
  }

  addFixed(body) {
    if (!body.mesh.triangles.length || this.isGround(body)) return;
    const look = material(this.theme.obstacle, { roughness: 0.85, side: body.type === "mesh" || body.type === "plane" ? DoubleSide : 0 });
    if (body.sensor || body.type === "plane") Object.assign(look, { transparent: true, opacity: body.sensor ? 0.18 : 0.4, depthWrite: false });
    if (body.name.match(/glass|funnel/)) Object.assign(look, { transparent: true, opacity: 0.32, roughness: 0.1, depthWrite: false, side: DoubleSide });
    const obstacle = this.keep(`fixed ${body.name}`, [body.body, body.mesh.vertices], () => new Obstacle(body.name, solidGeometry(body.mesh), body.body, look));
    obstacle.object.castShadow = !look.transparent;
  }

  // A plane that looks up, and does not move, is the ground itself.
  isGround(body) {
    if (body.type !== "plane") return false;
    const { vertices: v, triangles: t } = body.mesh;
    const corner = (i) => new Vector3().fromArray(v, 3 * t[i]);
    const normal = corner(1).sub(corner(0)).cross(corner(2).sub(corner(0))).normalize();
    const p = this.place, o = 7 * body.body;
    normal.applyQuaternion({ x: p[o + 3], y: p[o + 4], z: p[o + 5], w: p[o + 6] });
    return Math.abs(normal.y) > 0.999;
  }

  groundHeight() {
    const plane = this.model.fixed.find((c) => this.isGround(c));
    if (plane) return this.place[7 * plane.body + 1];
    return this.bounds.low[1] - 0.03 * this.size;
  }

  addGround() {
    if (this.ground) {
      this.scene.remove(this.ground);
      this.ground.geometry.dispose();
      this.ground.material.map.dispose();
      this.ground.material.dispose();
    }
    const reach = this.size * 14;
    const texture = groundTexture(this.theme);
    const square = 10 ** Math.round(Math.log10(this.size / 6));
    texture.repeat.set((2 * reach) / square, (2 * reach) / square);
    this.ground = new Mesh(new CircleGeometry(reach, 64), new MeshStandardMaterial({ map: texture, roughness: 0.95 }));
    this.ground.rotation.x = -Math.PI / 2;
    const middle = this.middle();
    this.ground.position.set(middle.x, this.groundHeight() - 1e-4 * this.size, middle.z);
    this.ground.receiveShadow = true;
    this.ground.name = "ground";
    this.scene.add(this.ground);
    this.scene.fog = new Fog(this.theme.sky, 1, 2);
  }

  // The ground fades into the sky behind what the camera looks at.
  haze(distance) {
    if (!this.scene.fog) return;
    this.scene.fog.near = distance + 0.9 * this.size;
    this.scene.fog.far = 2 * distance + 4.5 * this.size;
  }

  middle() {
    const { low, high } = this.bounds;
    return new Vector3((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2);
  }

  placeSun() {
    const middle = this.middle(), reach = 0.75 * this.size;
    this.sun.target.position.copy(middle);
    this.sun.position.copy(middle).add(new Vector3(0.5, 1.25, 0.72).multiplyScalar(this.size));
    this.fill.target.position.copy(middle);
    this.fill.position.copy(middle).add(new Vector3(-0.9, 0.5, 0.6).multiplyScalar(this.size));
    const c = this.sun.shadow.camera;
    c.left = c.bottom = -reach;
    c.right = c.top = reach;
    c.near = 0.1 * this.size;
    c.far = 3.5 * this.size;
    c.updateProjectionMatrix();
    this.sun.shadow.normalBias = this.size * 0.002;
  }

  // Small dark balls on particles that nothing moves.
  setMarks(fixed) {
    if (!fixed || fixed === this.fixed && this.marks) return;
    this.fixed = fixed;
    if (this.marks) {
      this.drawables.splice(this.drawables.indexOf(this.marks), 1);
      this.scene.remove(this.marks.object);
      this.marks.object.dispose();
      this.marks = null;
    }
    const bodies = new Set(this.model.bodyParticles);   // and what is fixed as a whole is scenery
    for (const { first, count } of this.model.meshes) if (count > 2 && fixed.subarray(first, first + count).every(Boolean)) for (let n = first; n < first + count; ++n) bodies.add(n);
    const numbers = [];
    fixed.forEach((f, n) => { if (f && !bodies.has(n)) numbers.push(n); });
    if (!numbers.length || numbers.length > 3000) return;
    const many = numbers.length > 40;
    const size = numbers.map((n) => (many ? this.thin * 1.2 : Math.max(this.thin * 2, this.model.radii[n] * 1.04)));
    this.marks = this.add(new Balls("pins", Uint32Array.from(numbers), Float32Array.from(size), this.theme.pin, { roughness: 0.4 }));
  }

  update(picture) {
    if (picture.model !== this.model) this.remodel(picture);
    this.setMarks(picture.fixed);
    for (const drawable of this.drawables) drawable.update(picture);
    this.drawn.update(picture.drawn);
    this.picture = picture;
  }

  // Whether something that can be dragged lies under the pointer (in -1 .. 1): a quick look, the engine decides what it is.
  // obstacles: also what stands.
  hits(pointer, camera, obstacles = false) {
    this.ray.setFromCamera(pointer, camera);
    for (const { object } of this.drawables) {
      if (object.isInstancedMesh) object.boundingSphere = null;
      else if (object.geometry.boundingSphere) object.geometry.boundingSphere = null;
    }
    const movable = this.drawables.filter((d) => obstacles || !(d instanceof Obstacle)).map((d) => d.object);
    return this.ray.intersectObjects(movable, false)[0] || null;
  }

  // The particle nearest to the pointer on the screen, within so many pixels; -1 if there is none.
  nearest(pointer, camera, width, height, pixels = 16) {
    const p = this.picture.positions, spot = new Vector3();
    let best = pixels * pixels, found = -1, depth = Infinity;
    for (let n = 0; 3 * n < p.length; ++n) {
      if (!Number.isFinite(p[3 * n])) continue;
      spot.fromArray(p, 3 * n).project(camera);
      if (spot.z > 1) continue;
      const x = ((spot.x - pointer.x) * width) / 2, y = ((spot.y - pointer.y) * height) / 2, d = x * x + y * y;
      if (d < best - 4 || (d < best + 4 && d < pixels * pixels && spot.z < depth)) { best = Math.min(best, d); found = n; depth = spot.z; }
    }
    return found;
  }

  showHand(from, to) {
    const { line, ball } = this.hand;
    line.visible = ball.visible = Boolean(to);
    if (!to) return;
    line.geometry.attributes.position.setXYZ(0, ...from);
    line.geometry.attributes.position.setXYZ(1, ...to);
    line.geometry.attributes.position.needsUpdate = true;
    ball.position.set(...to);
    ball.scale.setScalar(this.thin * 2.2);
  }
}

// Whether lists of arrays and values say the same.
function alike(a, b) {
  return a.length === b.length && a.every((value, i) => (value === b[i] || (value?.length !== undefined && value.length === b[i].length && value.every((v, k) => v === b[i][k]))));
}

// Heavy joints look heavy: the radius goes with the cube root of the mass.
function jointSize(ratio, tube, count) {
  if (count <= 6) return tube * 2.4 * Math.cbrt(Math.min(Math.max(ratio, 0.2), 60));
  return ratio > 3 ? tube * 1.7 * Math.cbrt(Math.min(ratio, 300)) : 0;
}

/** Sinew in WebAssembly: the engine, and the scenes that the `sinew` command runs, with the same bits.
 *
 *  Units are SI. A vector is an array of three numbers, a turn a quaternion [x, y, z, w]. Particles and bodies go by
 *  their numbers, which stay the same while they live.
 *
 *  Typed arrays are views of the engine's memory, nothing is copied. Memory that grows moves: a view is good until the next
 *  call of any function of this package that steps, adds, removes, loads or restores. Ask for it again then (asking is cheap),
 *  or keep a copy (`view.slice()`). A view that has died has length 0, or shows what was.
 */

/** Loads the engine. Threads need a page that is cross-origin isolated (or Node); elsewhere, and by default, there is one. */
export function load(options?: LoadOptions): Promise<Sinew>;

export interface LoadOptions {
  /** `sinew.wasm`, or, with threads, `sinew-threads.wasm`: where it is, its bytes, or the module compiled from them. By default
   *  it lies beside `sinew.js`. */
  wasm?: URL | string | BufferSource | WebAssembly.Module;
  /** How many threads step a world, the calling one included; "auto": one for each core, at most 8. Default 1. Results do not
   *  depend on it. Where threads are not to be had there is one. */
  threads?: number | "auto";
  /** The script of the threads, `sinew-worker.js`, if it does not lie beside `sinew.js`. */
  worker?: URL | string;
}

export type Vec3 = ArrayLike<number>;
export type Quat = ArrayLike<number>;

export interface Sinew {
  /** "0.1.0" */
  readonly version: string;
  /** How many threads there are: 1 if there is no help. */
  readonly threads: number;
  /** Whether it computes in vectors: false in a browser that has none, and where sinew-scalar.wasm is given. The results are the same. */
  readonly simd: boolean;
  /** Whether the engine counts in double precision; the one in this package does not. */
  readonly double: boolean;
  /** An empty world. Settings as for `world.settings`; `dimensions` 2 locks z. Throws SinewError. */
  world(settings?: Partial<Settings> & { dimensions?: 2 | 3 }): World;
  /** Builds a scene from the text of a scene file, or from the bytes of one, in UTF-8. Throws SinewError with all its problems. */
  scene(text: string | Uint8Array, options?: SceneOptions): Scene;
  /** The kinds of constraints. */
  kinds(): KindInfo[];
  /** The names that settings.solver takes; the others likewise. */
  readonly solvers: Solver[];
  readonly integrators: Integrator[];
  readonly orders: Order[];
  readonly gradients: Gradients[];
  /** The types of objects that a scene can have, with a sentence about each. */
  readonly objectTypes: { name: string; about: string }[];
  /** The JSON Schema of scene files. */
  schema(): object;
  /** Bytes of memory that the engine has now. It never gets less. */
  readonly memory: number;
  /** Ends the threads. Worlds that still live must not be used any more. */
  destroy(): void;
}

export interface SceneOptions {
  /** What messages call it; default "scene.json". */
  name?: string;
  /** Changes before it is built, as `sinew run --set`: "world.substeps=20". */
  set?: string[];
  /** Files that the scene names (meshes), by those names. */
  files?: Record<string, Uint8Array | string>;
}

export type Solver = "gauss_seidel" | "jacobi" | "impulses" | "lagrange" | "direct" | "tiled";
export type Integrator = "symplectic_euler" | "forward_euler" | "leapfrog" | "verlet" | "bdf2";
export type Order = "insertion" | "symmetric" | "worst_first" | "there_and_back";
export type Gradients = "current" | "start";

/** Something is wrong: with a scene (then problems are listed), with an argument, or with a step that diverged. */
export class SinewError extends Error {
  /** Of scenes: all that was found, errors and warnings alike, in the order of the command line. Otherwise empty. */
  readonly problems: Problem[];
  /** "argument", "stale", "memory", "limit", "busy", "diverged", "host"; "scene" for problems. */
  readonly code: "argument" | "stale" | "memory" | "limit" | "busy" | "diverged" | "host" | "scene";
}

export interface Problem {
  severity: "error" | "warning" | "note";
  /** "objects[2].pins[0]"; "" for the whole. */
  path: string;
  /** Counted from 1; 0 if there is no place to name. */
  line: number;
  column: number;
  message: string;
  /** As the command prints it: "scene.json:12:5: error: objects[2].pins[0]: found ..., expected ...". */
  text: string;
}

/** What `world` records of scene files hold, under the names that they have there: see docs/scenes.md. */
export interface Settings {
  gravity: [number, number, number];
  solver: Solver;
  integrator: Integrator;
  order: Order;
  substeps: number;
  iterations: number;
  tolerance: number;
  damping: number;
  correct_stiffness: boolean;
  gradients: Gradients;
  profile: boolean;
  jacobi: "split" | "averaged";
  relaxation: number;
  drift: "baumgarte" | "soft";
  baumgarte: number;
  warm_start: boolean;
  linear: "minres" | "least_squares";
  stiffening: "auto" | "off";
  drift_time: number;
  k_s: number;
  k_d: number;
}

export interface KindInfo {
  name: string;
  about: string;
  formula: string;
  unit: string;
  /** 0: any number of them. */
  points: number;
  rows: number;
  params: { name: string; unit: string; numbers: number; default: number | null; least: number; most: number }[];
}

/** A constraint of a world. */
export interface Constraint {
  readonly kind: string;
  readonly index: number;
  readonly generation: number;
}

/** The number of a particle; a spot of a body, in its own frame; or a place in the world. */
export type Point = number | { body: number; at?: Vec3 } | { place: Vec3 };

export interface World {
  /** All settings. Change some of them with `configure`, or assign: `world.settings = { substeps: 20 }` changes only those that
   *  are named. Throws SinewError that names the key, and nothing is changed. */
  get settings(): Settings;
  set settings(some: Partial<Settings>);
  configure(some: Partial<Settings>): void;
  /** 2 or 3. */
  readonly dimensions: number;
  /** Seconds simulated so far. */
  readonly time: number;
  readonly particleCount: number;
  readonly constraintCount: number;
  readonly bodyCount: number;

  // ---- Adding. All throw SinewError, and then nothing is changed.

  /** Adds what a scene file could: `world.add({ objects: [{ type: "rope", ... }], bodies: [...] })`, with the keys of
   *  docs/scenes.md (objects, bodies, constraints, attachments, forces, motions, events, groups, materials, names).
   *  Later calls can name what earlier ones added. */
  add(parts: object): void;
  addObject(object: object): void;
  addRope(rope: object): void;
  addCloth(cloth: object): void;
  /** A body of any type: an entry of the list "bodies". Returns its number. */
  addBody(body: object): number;
  /** Two bodies, by number, or null for the world; kind is "ball", "hinge", "slider", "fixed", "cone_twist", "line", "plane",
   *  "velocity" or "spin"; other keys are the parameters of that kind, with vectors as arrays. */
  addJoint(joint: { kind: "ball" | "hinge" | "slider" | "fixed" | "cone_twist" | "line" | "plane" | "velocity" | "spin"; a: number | null; b: number | null; anchor?: Vec3; axis?: Vec3; strength?: number; torque_strength?: number } & Record<string, unknown>): Constraint;
  /** mass in kg; Infinity: nothing moves it. Returns its number. */
  addParticle(position: Vec3, options?: { mass?: number; velocity?: Vec3; radius?: number; group?: number }): number;
  /** Three numbers for each, all of one mass, at rest. Returns the number of the first; the others follow. */
  addParticles(positions: ArrayLike<number>, options?: { mass?: number; radius?: number; group?: number }): number;
  /** params: named, or in the order of the kind, vectors as three numbers; what is left out is measured. */
  addConstraint(kind: string, points: Point[], params?: Record<string, number | Vec3> | number[], material?: Material): Constraint;
  /** Many of one kind between particles: so many numbers of particles for each as the kind has points. Returns how many. */
  addConstraints(kind: string, particles: ArrayLike<number>, params?: ArrayLike<number> | null, material?: Material): number;
  /** Takes out an object with all that it is made of, or one body, by the name that the scene has for it. What acts on it forgets it. */
  remove(name: string): void;
  /** A wind on everything, m/s, besides those of the scene, which can be changed as it blows; [0, 0, 0] ends it. In a scene. Give it again when objects were added. */
  setBreeze(velocity: Vec3): void;
  /** The friction of everything but shapes that have a material of their own. */
  setFriction(friction: number): void;
  removeParticle(particle: number): void;
  removeBody(body: number): void;
  removeConstraint(constraint: Constraint): void;

  // ---- Running

  /** Advances the world. Throws SinewError with code "diverged" if that would give infinities; the world then stands where it
   *  still was well. In a scene use `scene.frame()`, which also moves what the scene moves. */
  step(seconds: number): void;
  /** Runs until nothing moves any more. */
  relax(options?: { dt?: number; steps?: number; displacement?: number; patience?: number }): { rested: boolean; steps: number; displacement: number; speed: number; residual: number };
  /** Turns all velocities round. */
  reverse(): void;
  /** 16 hexadecimal digits, the same as the command's "state hash" for the same state. */
  hash(): string;

  // ---- Reading: views, without a copy; see the top of this file for how long they live

  /** x, y, z of each particle, by its number. NaN for numbers that no particle has. Put in order by the engine when asked for
   *  the first time after a step: one pass over the particles; asking again costs nothing. */
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  /** 1/kg, by number; 0: immovable, and for numbers that no particle has. */
  readonly inverseMasses: Float32Array;
  /** m, by number. */
  readonly radii: Float32Array;
  /** The engine's own storage, not even put in order: item slot[number] belongs to that particle, stride numbers apart. */
  readonly storage: { positions: Float32Array; velocities: Float32Array; stride: number; slot: Uint32Array; index: Uint32Array };
  /** Seven numbers for each body, static ones included, by number: position, rotation. NaN for numbers that no body has. */
  readonly bodyPoses: Float32Array;
  /** Pairs of particles that rods, ropes and springs join, whatever object they belong to: what can be drawn as lines. A copy. */
  links(): Uint32Array;
  /** Rods, ropes and springs that hold on to a body, a spot or a place, and hinges: ten numbers each. Of both ends: 0 a particle, 1 a body, 2 a place; its number; where, in the
   *  frame of the body or in the world. A copy. */
  ties(): Float32Array;
  /** A place in the world, in the frame of a body. */
  toBody(body: number, place: Vec3): [number, number, number];
  /** What holds a particle, or the body that it is the middle of: mass (kg), velocity (m/s), how many constraints, the largest force among them (N) and of which kind, the largest error
   *  (in the unit of its kind), and the sum of their forces on it (N), all as of the last step. */
  inspect(particle: number, body?: number): { mass: number; velocity: [number, number, number]; constraints: number; force: number; forceKind: string; error: number; errorKind: string; errorUnit: string; sum: [number, number, number] };
  /** kg, of a particle, or of the body that it is the middle of; Infinity: nothing moves it. */
  mass(particle: number): number;
  /** Debug drawing, as sn_world_draw does it: layers that are drawn (constraints, contacts ...), and of strain, islands, tiles and batches one that colours them. size, m: of the
   *  scene, by which normals, axes and pieces of planes are drawn; default 1. Points have five numbers each, x, y, z, radius (m; 0: as small as you like) and colour (0xrrggbb);
   *  lines seven, two places and the colour. Copies. Triangles of skins and shapes are left out, names too. */
  draw(layers: DrawLayer[], options?: { size?: number }): { points: Float32Array; lines: Float32Array };
  /** The particle in the middle of a body, which is among the particles; and the body of a particle, or -1. */
  bodyParticle(body: number): number;
  particleBody(particle: number): number;
  report(): Report;
  /** Forces of a constraint in the last substep, N. */
  force(constraint: Constraint): number;

  // ---- Changing

  setPosition(particle: number, position: Vec3): void;
  setVelocity(particle: number, velocity: Vec3): void;
  setMass(particle: number, mass: number): void;
  /** Acts during the next step, N. */
  addForce(particle: number, force: Vec3): void;
  /** At once, N s. */
  addImpulse(particle: number, impulse: Vec3): void;
  /** In the next step the particle goes there, whatever holds it. */
  moveTo(particle: number, target: Vec3): void;
  setBodyPose(body: number, position: Vec3, rotation: Quat): void;
  setBodyVelocity(body: number, velocity: Vec3, spin: Vec3): void;
  setParam(constraint: Constraint, name: string, value: number | Vec3): void;
  /** Compliance and damping of all constraints of a kind, or, with null, of all that can have one. Returns how many that were. */
  setMaterial(kind: string | null, material: Material): number;

  // ---- Going back

  /** The whole state; of a world that belongs to a scene, also where that is in its frames and events. It stays in the engine's
   *  memory: destroy it, or let the world's end do so. */
  snapshot(): Snapshot;
  /** The same bits follow as followed then. */
  restore(snapshot: Snapshot): void;

  // ---- Coming apart: sinew/tear.h

  /** Cuts what the blade touches, now; all 0 if that is nothing. segment: what the segment from a to b sweeps over on its way to toA and toB; triangle: a, b, toA; plane: through a across b.
   *  Only what belongs to the group, if one is given. edgesOnly: along edges, without new vertices. */
  cut(blade: { blade?: 'segment' | 'triangle' | 'plane'; a: Vec3; b: Vec3; toA?: Vec3; toB?: Vec3; group?: number; edgesOnly?: boolean }): CutInfo;
  /** What came apart in the last step or in the last cut since, in order. */
  tears(): Tear[];
  /** A number that is another one whenever triangles between particles changed. */
  readonly topology: number;
  /** The triangles that changed since topology was that number, in order: five numbers each, the object (see Scene.meshes; 0xffffffff: of none), the triangle, and its three particles. One behind
   *  the last is new. null: not known any more, as after a restore; then read Scene.meshes. A copy. */
  topologyChanges(since: number): Uint32Array | null;

  // ---- The mouse

  /** What a ray meets first. reach, m: particles are found as balls of at least this radius; default 0. */
  pick(origin: Vec3, direction: Vec3, options?: { reach?: number; length?: number }): Hit | null;
  /** Takes hold of what was picked, where it was picked. A particle goes where it is told; a body is pulled by a spring. */
  drag(hit: Hit): Drag;
  /** Holds a particle (or the body that it is the middle of) where it is, and lets it go again with the mass that it had. A
   *  particle that was made immovable and has no other mass is refused. */
  pin(particle: number): void;
  unpin(particle: number): void;
  isPinned(particle: number): boolean;

  /** Frees it. Of a world that belongs to a scene: use scene.destroy(). Calls on what was destroyed throw. */
  destroy(): void;
}

export interface Material {
  /** m/N for distances, rad/(N m) for angles; 0 is rigid. */
  compliance?: number;
  damping?: number;
  /** Classic stiffness, 0 to 1. */
  stiffness?: number;
}

export interface Snapshot {
  readonly time: number;
  /** Bytes. */
  readonly size: number;
  /** Writes the state of the same world into it anew, which takes no new memory if it fits. */
  update(): void;
  destroy(): void;
}

export interface Hit {
  /** The particle; of a skin the nearest corner; of a body its middle. */
  particle: number;
  /** The body, or -1. */
  body: number;
  /** Where, m. */
  point: [number, number, number];
  /** Along the ray, m. */
  distance: number;
}

export interface CutInfo {
  /** Vertices that were put on edges, particles that came because a vertex became several, constraints that are gone. */
  inserted: number;
  split: number;
  removed: number;
  /** Particles that left a group of shape matching. */
  left: number;
  /** J: the elastic energy of those. */
  released: number;
}

export interface Tear {
  /** A vertex became two; a constraint is gone; a cut put a vertex on an edge; a particle left a group of shape matching. */
  type: 'split' | 'break' | 'insert' | 'leave';
  cut: boolean;
  /** The parent, for insert also the other end of the edge, and the particle that came; -1: none. */
  particle: number;
  other: number;
  made: number;
  /** Number of the kind, and of the constraint; -1: none. */
  kind: number;
  constraint: number;
  place: [number, number, number];
  strain: number;
  /** N. */
  force: number;
  /** J. */
  released: number;
  /** Of leave: the group that the particle is a member of now, the number of its kind and its own; -1: none, and for others. */
  formedKind: number;
  formed: number;
}

export interface Drag {
  readonly particle: number;
  readonly body: number;
  /** Where it shall be in the next step. */
  to(x: number, y: number, z: number): void;
  /** Lets go. */
  end(): void;
}

export type DrawLayer = 'particles' | 'constraints' | 'skins' | 'shapes' | 'axes' | 'anchors' | 'contacts' | 'forces' | 'velocities' | 'bounds' | 'names' | 'strain' | 'islands' | 'tiles' | 'batches';

export interface Report {
  time: number;
  steps: number;
  passes: number;
  particles: number;
  constraints: number;
  /** J */
  kinetic: number;
  potential: number;
  elastic: number;
  /** The three together. */
  energy: number;
  mass: number;
  centre: [number, number, number];
  momentum: [number, number, number];
  angularMomentum: [number, number, number];
  /** s of wall time, if settings.profile is set; otherwise 0. */
  seconds: { step: number; predict: number; solve: number; update: number };
  /** largest and mean are in the unit of the kind; relative is the largest as a share of the size of its constraint, or, where that is no length, the largest itself (rad, 1). */
  kinds: { name: string; count: number; undefined: number; largest: number; mean: number; relative: number }[];
}

export interface Mesh {
  /** Of the object. */
  name: string;
  /** "cloth", "rope" */
  type: string;
  /** Its place among the objects of the scene. */
  object: number;
  group: number;
  /** Its particles have the numbers first .. first + count - 1; those that came when it was torn or cut have others. */
  first: number;
  count: number;
  /** Numbers of particles: three for each triangle, two for each line, as they are now. Copies. */
  triangles: Uint32Array;
  lines: Uint32Array;
  /** Numbers of those that are in no triangle and no line. A copy. */
  points: Uint32Array;
}

export interface Shape {
  type: "sphere" | "capsule" | "box" | "hull" | "cylinder" | "cone" | "plane" | "mesh" | "heights" | "field";
  /** In the frame of the body. */
  position: [number, number, number];
  rotation: [number, number, number, number];
  half: [number, number, number];
  radius: number;
  rounding: number;
  sensor: boolean;
  /** Of a hull: its points, three numbers each. */
  vertices: Float32Array | null;
}

export interface BodyInfo {
  name: string;
  /** Its number in world.bodyPoses. */
  body: number;
  type: "dynamic" | "static" | "kinematic";
  /** The particle at its centre, and the object that it is of; -1 of a static or kinematic one. */
  particle: number;
  object: number;
  shapes: Shape[];
  /** The surface of all shapes in the frame of the body, to be drawn; of a plane a square. A copy. Empty for fields that are no mesh. */
  mesh: { vertices: Float32Array; triangles: Uint32Array };
}

export interface Scene {
  readonly world: World;
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly topic: string;
  /** s: 1 / rate. */
  readonly frameTime: number;
  /** So many frames the scene says it runs; `warmUp` before the first that counts. */
  readonly frames: number;
  readonly warmUp: number;
  /** Frames taken so far. */
  readonly frameCount: number;
  /** Warnings and notes; a scene with errors was not made. */
  readonly problems: Problem[];
  readonly meshes: Mesh[];
  readonly bodies: BodyInfo[];
  /** A box around all that moves, as it is now. */
  readonly bounds: { low: [number, number, number]; high: [number, number, number] };
  /** A place to look from, and what to look at, that shows the scene as it is now. */
  readonly camera: { position: [number, number, number]; target: [number, number, number] };
  /** One frame, as `sinew run` takes it: the same bits follow. Throws SinewError with code "diverged". */
  frame(): void;
  /** The scene as it is now, as the text of a scene file. */
  save(): string;
  /** Frees the scene, its world and its snapshots. */
  destroy(): void;
}

// The engine's side of the playground: one worker holds one scene, takes its frames when it is asked to, and can go back.
//
// What a user does (settings, pins, drags, all that tools do) is a list of commands, each with the frame before which it was given. To go
// back means to load the last snapshot before that frame and to take the frames since then again, commands included: the same bits follow.
// Undo goes back to the moment before the last thing that was done, without it.
import { load } from "sinew-physics";
import { Deeds, gestures } from "./deeds.js";
import { particleOf, shortReport } from "./measure.js";

const SNAPSHOT_EVERY = 60;            // frames
const SNAPSHOT_BYTES = 96 * 2 ** 20;  // what snapshots may take; beyond that every other one goes
const HASH_BUDGET = 1.5;              // ms: a world that takes longer to hash is hashed only where somebody looks

let sinew = null;
let scene = null;
let world = null;
let frame = 0;
let commands = [];
let snapshots = [];
let deeds = null;                     // what commands do to the world
let undone = [];                      // lists of commands that undo took back, the last one first to come again
let told = -1;                        // the state of deeds.version that the page knows
let failed = null;
let hashCost = 0;
let fixed = null;
let layers = [];                      // of debug drawing; they stay from scene to scene
let probes = [];                      // particles that a lesson measures in every frame
let watched = null;                   // a thing that is looked at in every frame: { particle, body }
let replaying = 0;                    // a list of commands is being repeated; another scene ends that

const SLICE = 40;                     // ms: so long at a time, so that the page is heard in between

function forget() {
  if (scene) scene.destroy();
  scene = world = deeds = failed = fixed = null;
  replaying = 0;
  told = -1;
  probes = [];
  watched = null;
  frame = 0;
  commands = [];
  undone = [];
  snapshots = [];
}

// ---- Commands ------------------------------------------------------------------------------------------------------------

function command(name, args) {
  const done = deeds.run(name, args);
  const last = commands[commands.length - 1], again = last && last[1] === name && last[0] === frame;
  if (again && (name === "gust" || (name === "pose" && JSON.stringify(last[2][0]) === JSON.stringify(args[0])) || (name === "pull" && (last[2][3] || 0) === (args[3] || 0)))) last[2] = args;   // only the latest place counts
  else commands.push([frame, name, args]);
  return done;
}

// ---- Frames --------------------------------------------------------------------------------------------------------------

function keepSnapshot() {
  if (deeds.busy || frame % SNAPSHOT_EVERY || snapshots.some((kept) => kept.frame === frame)) return;
  snapshots.push({ frame, count: commands.filter((c) => c[0] < frame).length, state: world.snapshot() });
  let bytes = snapshots.reduce((sum, kept) => sum + kept.state.size, 0);
  while (bytes > SNAPSHOT_BYTES && snapshots.length > 4) {
    const thin = snapshots.filter((kept, i) => i && i % 2 && i < snapshots.length - 1);
    for (const kept of thin) kept.state.destroy();
    snapshots = snapshots.filter((kept) => !thin.includes(kept));
    bytes = snapshots.reduce((sum, kept) => sum + kept.state.size, 0);
  }
}

function take() {
  if (failed) return false;
  try {
    deeds.lead();
    scene.frame();
  } catch (error) {
    failed = error.message;
    return false;
  }
  ++frame;
  return true;
}

function hash(wanted) {
  if (!wanted && frame % 60 && hashCost > HASH_BUDGET) return null;
  const start = performance.now();
  const text = world.hash();
  hashCost = performance.now() - start;
  return text;
}

// What moved, as the page draws it. Arrays are copies that go to the page for good.
function picture(wantHash, ms = 0) {
  const masses = world.inverseMasses;
  let changed = !fixed || fixed.length !== masses.length;
  const now = new Uint8Array(masses.length);
  for (let i = 0; i < masses.length; ++i) {
    now[i] = masses[i] === 0 ? 1 : 0;
    if (!changed && now[i] !== fixed[i]) changed = true;
  }
  if (changed) fixed = now;
  return {
    model: model(), frame, time: world.time, ms, failed, hash: hash(wantHash), report: shortReport(world), fixed: changed ? now.slice() : null,
    positions: world.positions.slice(), bodies: world.bodyPoses.slice(),
    drawn: drawn(), watched: watch(), ...(probes.length ? { probed: probes.map((n) => inspect(n, world.particleBody(n))) } : {}),
  };
}

// What there is to say of the thing that is looked at; null if it is gone.
const watch = () => (watched ? inspect(watched.particle, watched.body) : null);

function inspect(particle, body) {
  try {
    return world.inspect(particle, body);
  } catch {
    return null;
  }
}

// What there is to draw, if that is other than what the page knows.
function model() {
  if (told === deeds.look()) return null;
  told = deeds.version;
  return describe();
}

// What the engine's debug drawing shows of this frame.
function drawn() {
  if (!layers.length) return null;
  const { low, high } = scene.bounds;
  return world.draw(layers, { size: Math.max(0.01, Math.hypot(...high.map((v, i) => v - low[i]))) });
}

// cut: the page forgets what it recorded after this frame.
function send(shown, cut = null) {
  const more = shown.drawn ? [shown.drawn.points.buffer, shown.drawn.lines.buffer] : [];
  postMessage({ type: "frame", picture: shown, cut }, [shown.positions.buffer, shown.bodies.buffer, ...more]);
}

// ---- What the page asks for ----------------------------------------------------------------------------------------------

const requests = {
  async init({ wasm, threads, worker }) {
    sinew = await load({ wasm, threads, worker });
    return {
      version: sinew.version, threads: sinew.threads, simd: sinew.simd, solvers: sinew.solvers, integrators: sinew.integrators,
      orders: sinew.orders, gradients: sinew.gradients,
    };
  },

  // Builds a scene and describes it. The one before lives on if that fails.
  load({ text, name, set, files, probes: names = [] }) {
    const made = sinew.scene(text, { name, set, files });
    forget();
    scene = made;
    world = scene.world;
    deeds = new Deeds(scene);
    probes = names.map((one) => particleOf({ meshes: scene.meshes, bodies: scene.bodies }, one));
    for (let i = 0; i < scene.warmUp; ++i) scene.frame();
    keepSnapshot();
    return picture(true);
  },

  // One frame after the other; each is sent as soon as it is there.
  step({ count = 1, wantHash = false }) {
    if (replaying) return frame;
    for (let i = 0; i < count; ++i) {
      const start = performance.now();
      const went = take();
      const ms = performance.now() - start;
      send(picture(wantHash && i === count - 1, ms));
      if (!went) break;
      keepSnapshot();
    }
    return frame;
  },

  command({ name, args }) {
    const done = command(name, args);
    undone = [];
    return { ...history(), ...(name === "settings" ? { settings: world.settings } : {}), done: name === "cut" ? done : null };
  },

  // The present frame once more, as commands have left it.
  look: () => picture(true),

  // Goes to a frame that was there, by way of a snapshot; what came after is forgotten.
  back({ to }) {
    go(to, commands.filter((c) => c[0] < to));
    return { picture: picture(true), settings: world.settings, commands: commands.length };
  },

  // Takes back the last thing that was done: the moment before it, and all that came before it.
  undo() {
    const starts = gestures(commands), start = starts[starts.length - 1];
    if (start === undefined) return null;
    const gone = commands.slice(start);
    go(gone[0][0], commands.slice(0, start));
    undone.push(gone);
    return { picture: picture(true), settings: world.settings, name: gone[0][1], ...history() };
  },

  // Does it again, at the frame at which it was done. Frames on the way are sent.
  async redo() {
    const list = undone.pop();
    if (!list) return null;
    const from = list[0][0], later = undone;
    const cut = frame > from ? from : null;
    if (cut !== null) go(from, commands.filter((c) => c[0] <= from));
    try {
      if (cut !== null) send(picture(true), cut);
      await requests.replay({ list, to: list[list.length - 1][0] });
      if (deeds.busy) command("drop", []);
    } finally {
      undone = later;
    }
    return { picture: picture(true), settings: world.settings, name: list[0][1], ...history() };
  },

  // Takes commands and frames as they were taken elsewhere: a link, or another pane. Every frame is sent.
  async replay({ list, to }) {
    const turn = replaying = performance.now() + 1;
    try {
      for (let next = 0, going = true; going;) {
        const end = performance.now() + SLICE;
        while (going && performance.now() < end) {
          for (; next < list.length && list[next][0] <= frame; ++next) command(list[next][1], list[next][2]);
          going = frame < to && take();
          if (!going) break;
          keepSnapshot();
          send(picture(frame === to));
        }
        if (going) await new Promise((resolve) => setTimeout(resolve));
        if (replaying !== turn) throw new Error("another scene was opened");
      }
    } finally {
      if (replaying === turn) replaying = 0;
    }
    if (failed) send(picture(true));
    return { frame, settings: world.settings };
  },

  // The scene as it was at a frame, as a file; what was recorded after it stays.
  saveAt({ to }) {
    if (deeds.busy) throw new Error("something is being dragged; let it go first");
    const kept = to < frame ? snapshots.filter((s) => s.frame <= to).pop() : null;
    if (to !== frame && !kept) throw new Error(`there is no state before frame ${to}`);
    if (!kept) return scene.save();
    const now = { state: world.snapshot(), frame, commands, failed };
    try {
      const list = commands.filter((c) => c[0] < to);
      world.restore(kept.state);
      frame = kept.frame;
      failed = null;
      for (let next = kept.count; ;) {
        for (; next < list.length && list[next][0] <= frame; ++next) deeds.run(list[next][1], list[next][2]);
        if (frame >= to || !take()) break;
      }
      deeds.rest();
      return scene.save();
    } finally {
      deeds.rest();
      world.restore(now.state);
      now.state.destroy();
      ({ frame, commands, failed } = now);
    }
  },

  pick({ origin, direction, reach }) {
    return world.pick(origin, direction, { reach });
  },

  // What it is: the object or the body that a particle or a body belongs to.
  identify: (hit) => deeds.identify(hit),
  watch({ hit }) {
    watched = hit;
    return watch();
  },
  point: (what) => deeds.point(what),
  where: (what) => deeds.where(what),

  isPinned({ particle }) {
    return world.isPinned(particle);
  },

  // Chooses layers; gives what they show now.
  layers({ names }) {
    layers = names;
    return { frame, drawn: scene ? drawn() : null };
  },

  commands: () => commands,
  hash: () => ({ frame, hash: world.hash() }),
  save: () => scene.save(),
  memory: () => sinew.memory,
};

const history = () => ({ undo: commands.length > 0, redo: undone.length > 0 });

// To a frame, with this list of commands, all of which were given before it or at it.
function go(to, list) {
  deeds.rest();
  failed = null;
  const kept = snapshots.filter((s) => s.frame <= to).pop();
  if (!kept) throw new Error(`there is no state before frame ${to}`);
  for (const later of snapshots.filter((s) => s.frame > to)) later.state.destroy();
  snapshots = snapshots.filter((s) => s.frame <= to);
  world.restore(kept.state);
  frame = kept.frame;
  commands = list.slice(0, kept.count);
  deeds.restored();
  rerun(list.slice(kept.count), to);
  if (deeds.busy) command("drop", []);
  fixed = null;
}

function rerun(list, to) {
  let next = 0;
  while (true) {
    for (; next < list.length && list[next][0] <= frame; ++next) command(list[next][1], list[next][2]);
    if (frame >= to || !take()) break;
    keepSnapshot();
  }
}

function describe() {
  const copy = (m) => ({ vertices: m.vertices.slice(), triangles: m.triangles.slice() });
  const moving = scene.bodies.filter((b) => b.type === "dynamic"), links = world.links();
  return {
    name: scene.name, title: scene.title, about: scene.about, topic: scene.topic, frameTime: scene.frameTime, frames: scene.frames,
    dimensions: world.dimensions, problems: scene.problems.map(({ severity, line, column, path, message, text }) => ({ severity, line, column, path, message, text })),
    settings: world.settings, particles: world.particleCount, constraints: world.constraintCount, bodyCount: world.bodyCount,
    radii: world.radii.slice(), inverseMasses: world.inverseMasses.slice(), links, ties: world.ties(), bounds: scene.bounds, camera: scene.camera,
    bodyParticles: moving.map((b) => b.particle),
    meshes: scene.meshes.map((m) => ({
      name: m.name, type: m.type, object: m.object, group: m.group, first: m.first, count: m.count,
      triangles: m.triangles.slice(), lines: m.lines.slice(), points: m.points.slice(),
    })),
    bodies: moving.map((b) => ({
      name: b.name, body: b.body, particle: b.particle, object: b.object, mesh: copy(b.mesh),
      shapes: b.shapes.map((s) => ({ ...s, vertices: s.vertices ? s.vertices.slice() : null })),
    })),
    fixed: scene.bodies.filter((b) => b.type !== "dynamic").map((s) => ({
      name: s.name, body: s.body, type: s.shapes.length === 1 ? s.shapes[0].type : "body", sensor: s.shapes[0].sensor, mesh: copy(s.mesh),
    })),
  };
}

onmessage = async ({ data: { id, type, args } }) => {
  try {
    if (!requests[type]) throw new Error(`no request '${type}'`);
    const answer = await requests[type](args || {});
    postMessage({ type: "answer", id, answer });
  } catch (error) {
    postMessage({ type: "answer", id, error: { message: error.message, code: error.code || "", problems: error.problems || [], stack: error.stack } });
  }
};

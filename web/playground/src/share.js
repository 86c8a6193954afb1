// A state as the part of an address after '#': a scene with what was done to it, up to a frame, and where one looks from.
// Small states are plain ("#scene=flag&frame=60"), large ones JSON, deflated, in base64 ("#z=...").
const PLAIN = 220;   // characters of JSON that are still worth reading

function toBase64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function fromBase64(text) {
  const plain = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(plain, (c) => c.charCodeAt(0));
}

async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

const keys = ["scene", "lesson", "frame", "play", "camera"];

// state: { scene | text, files, frame, play, camera: [x, y, z, tx, ty, tz], lesson, panes: [{ set, commands }] }
export async function encode(state) {
  const json = JSON.stringify(state);
  const simple = Object.keys(state).every((key) => keys.includes(key));
  if (simple && json.length < PLAIN) {
    return keys.filter((key) => state[key] !== undefined).map((key) => `${key}=${encodeURIComponent(state[key])}`).join("&");
  }
  return `z=${toBase64(await through(new TextEncoder().encode(json), new CompressionStream("deflate-raw")))}`;
}

export async function decode(fragment) {
  const text = fragment.replace(/^#/, "");
  if (!text) return null;
  if (!text.startsWith("z=")) return check(plain(text));
  let state;
  try {
    state = JSON.parse(new TextDecoder().decode(await through(fromBase64(text.slice(2)), new DecompressionStream("deflate-raw"))));
  } catch {
    throw new Error("the part after '#' is damaged; perhaps it was cut off");
  }
  return check(state);
}

function plain(text) {
  const state = {};
  for (const [key, value] of new URLSearchParams(text)) {
    if (key === "frame") state.frame = value.trim() === "" ? NaN : Number(value);
    else if (key === "play") state.play = value === "true" || value === "1";
    else if (key === "camera") state.camera = value.split(",").map(Number);
    else if (keys.includes(key)) state[key] = value;
  }
  return state;
}

// ---- What a link may say -------------------------------------------------------------------------------------------------

export const MOST_FRAMES = 36000;   // of a link: ten minutes
const MOST_WORK = 20000;            // substeps × passes of a frame
const MOST_PANES = 2;
const commandArguments = {
  settings: (args) => args.length === 1 && isRecord(args[0]),
  material: (args) => args.length === 2 && (args[0] === null || typeof args[0] === "string") && isRecord(args[1]),
  pin: (args) => args.length === 1 && isCount(args[0]),
  unpin: (args) => args.length === 1 && isCount(args[0]),
  grab: (args) => (args.length === 1 || (args.length === 2 && isCount(args[1]))) && isRecord(args[0]),
  pull: (args) => (args.length === 3 || args.length === 4) && args.every(Number.isFinite),
  drop: (args) => args.length <= 1 && args.every(isCount),
  gust: (args) => args.length === 4 && args.slice(0, 3).every(isVector) && args[3] > 0,
  calm: (args) => args.length === 0,
  explode: (args) => args.length === 3 && isVector(args[0]) && Number.isFinite(args[1]) && args[2] > 0,
  add: (args) => args.length === 1 && isRecord(args[0]),
  throw: (args) => args.length === 1 && isRecord(args[0]),
  pose: (args) => args.length === 2 && isRecord(args[0]) && isVector(args[1]),
  air: (args) => args.length === 1 && isVector(args[0]),
  friction: (args) => args.length === 1 && Number.isFinite(args[0]) && args[0] >= 0,
  cut: (args) => args.length === 4 && args.every(isVector),
  remove: (args) => args.length === 1 && typeof args[0] === "string",
  impulse: (args) => args.length === 2 && isCount(args[0]) && Array.isArray(args[1]) && args[1].length === 3 && args[1].every(Number.isFinite),
};

const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isVector = (value) => Array.isArray(value) && value.length === 3 && value.every(Number.isFinite);
const isCount = (value) => Number.isInteger(value) && value >= 0;

function shown(value) {
  const text = typeof value === "number" ? String(value) : JSON.stringify(value);
  return text === undefined ? "nothing" : text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function must(good, what, value, expected) {
  if (!good) throw new Error(`${what}: found ${shown(value)}, expected ${expected}`);
}

function checkCommand(command, what) {
  must(Array.isArray(command) && command.length === 3, what, command, "a frame, a name and arguments");
  const [frame, name, args] = command;
  must(isCount(frame) && frame <= MOST_FRAMES, `${what}: frame`, frame, `a whole number from 0 to ${MOST_FRAMES}`);
  must(Object.hasOwn(commandArguments, name), `${what}: name`, name, `one of ${Object.keys(commandArguments).join(", ")}`);
  must(Array.isArray(args) && commandArguments[name](args), `${what}: arguments of ${name}`, args, "others");
  if (name !== "settings") return;
  const { substeps = 1, iterations = 1 } = args[0];
  must(!(substeps * Math.max(1, iterations) > MOST_WORK), `${what}: substeps × passes`, substeps * iterations, `at most ${MOST_WORK}: a frame would take minutes`);
}

// The state, or an error that says in words what is wrong with it. A frame that is too late becomes the last one that a link may name.
export function check(state) {
  must(isRecord(state), "the link", state, "a record");
  for (const key of ["scene", "lesson", "text", "name"]) must(state[key] === undefined || typeof state[key] === "string", key, state[key], "a text");
  must(state.frame === undefined || (Number.isFinite(state.frame) && state.frame >= 0), "frame", state.frame, "a number, 0 or more");
  if (state.frame !== undefined) state.frame = Math.min(MOST_FRAMES, Math.round(state.frame));
  must(state.play === undefined || typeof state.play === "boolean", "play", state.play, "true or false");
  must(state.camera === undefined || (Array.isArray(state.camera) && state.camera.length === 6 && state.camera.every(Number.isFinite)), "camera", state.camera, "six numbers");
  must(state.files === undefined || (isRecord(state.files) && Object.values(state.files).every((text) => typeof text === "string")), "files", state.files, "texts by name");
  must(state.panes === undefined || (Array.isArray(state.panes) && state.panes.length >= 1 && state.panes.length <= MOST_PANES), "panes", state.panes, "one or two");
  for (const [i, pane] of (state.panes || []).entries()) {
    must(isRecord(pane), `panes[${i}]`, pane, "a record");
    must(pane.set === undefined || (Array.isArray(pane.set) && pane.set.every((s) => typeof s === "string")), `panes[${i}].set`, pane.set, "a list of texts");
    must(pane.commands === undefined || Array.isArray(pane.commands), `panes[${i}].commands`, pane.commands, "a list");
    for (const [k, command] of (pane.commands || []).entries()) checkCommand(command, `panes[${i}].commands[${k}]`);
  }
  return state;
}

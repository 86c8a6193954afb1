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
  if (text.startsWith("z=")) return JSON.parse(new TextDecoder().decode(await through(fromBase64(text.slice(2)), new DecompressionStream("deflate-raw"))));
  const state = {};
  for (const [key, value] of new URLSearchParams(text)) {
    if (key === "frame") state.frame = Math.max(0, Math.round(Number(value)) || 0);
    else if (key === "play") state.play = value === "true" || value === "1";
    else if (key === "camera") state.camera = value.split(",").map(Number);
    else if (keys.includes(key)) state[key] = value;
  }
  return state;
}

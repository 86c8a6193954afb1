// Small things that need nothing of the page.

// The theme that was chosen. Where a browser keeps nothing, nothing is kept.
export function remembered() {
  try { return localStorage.getItem("sinew-theme"); } catch { return null; }
}

export function remember(theme) {
  try { localStorage.setItem("sinew-theme", theme); } catch { /* then not */ }
}

export function pick(from, keys) {
  return Object.fromEntries(keys.map((key) => [key, from[key] || ""]));
}

// What a scene says about itself, less what is for the command line: brackets, and parts of sentences, that name its options.
export function withoutCommands(about) {
  const isCommand = (part) => /--[a-z]|\bsinew (run|view|render|compare|bench)\b/.test(part);
  const words = about.replace(/ ?\([^()]*\)/g, (bracket) => (isCommand(bracket) ? "" : bracket));
  const sentences = words.match(/[^.!?]+(?:[.!?](?=\S)[^.!?]*)*[.!?]*\s*/g) || [words];
  return sentences.map((sentence) => {
    if (!isCommand(sentence)) return sentence;
    const head = sentence.split(/[:;] /)[0];
    return isCommand(head) || head === sentence ? "" : `${head}. `;
  }).join("").trim();
}

// The particles that a list of commands leaves pinned.
export function pinsOf(list) {
  const pins = new Set();
  for (const [, name, [particle]] of list) {
    if (name === "pin") pins.add(particle);
    if (name === "unpin") pins.delete(particle);
  }
  return [...pins];
}

export function difference(now, was) {
  return Object.fromEntries(Object.entries(now).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(was[key])));
}

// Room around what is there at the start, for scenes whose later extent is unknown.
export function around({ low, high }, dimensions) {
  const size = Math.max(...high.map((v, k) => v - low[k]), 0.2);
  const grow = (v, k, sign) => v + sign * size * (k === 2 && dimensions === 2 ? 0 : 0.12);
  return { low: low.map((v, k) => grow(v, k, -1)), high: high.map((v, k) => grow(v, k, 1)) };
}

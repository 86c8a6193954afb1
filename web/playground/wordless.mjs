// The engine of the page without the texts that describe keys and kinds, 19 KB by gzip: the editor, which alone shows them, gets them from schema.json.
import { eachFunction, leb, sections } from "../order.mjs";

/** The texts of a schema and of the kinds that stand in the engine as they are: without the unit that a schema adds. */
export function describing(schema, kinds, types) {
  const texts = new Set();
  const add = (text) => { texts.add(text); for (let at = text.indexOf(" ("); at >= 0; at = text.indexOf(" (", at + 1)) texts.add(text.slice(0, at)); };
  (function look(value) {
    if (!value || typeof value !== "object") return;
    if (typeof value.description === "string") add(value.description);
    Object.values(value).forEach(look);
  })(schema);
  for (const { about, formula = "" } of [...kinds, ...types]) { add(about); add(formula); }
  return [...texts].filter((text) => text.length >= 12);
}

/** The parts of memory that a module fills at fixed addresses: where they begin in the module, their length and address. */
function segments(data) {
  const all = [];
  for (let [count, at] = leb(data, 0); count--;) {
    let address = null, size;
    if (data[at] === 0 && data[at + 1] === 0x41) [address, at] = leb(data, at + 2);
    else if (data[at] === 0) throw new Error("a part of memory lies at an unknown address");
    [size, at] = leb(data, at + 1);
    if (address !== null) all.push({ from: at, size, address });
    at += size;
  }
  return all;
}

/** All numbers that may be addresses: constants in the code, and aligned words of the data. */
function addresses(code, parts, data) {
  const all = new Set();
  for (let [count, at] = leb(code, 0), size; count--; at += size) {
    [size, at] = leb(code, at);
    eachFunction(code, at, at + size, () => {}, (value) => all.add(value));
  }
  for (const { from, size, address } of parts) for (let at = (4 - (address % 4)) % 4; at + 4 <= size; at += 4) all.add(data.readUInt32LE(from + at));
  return [...all].sort((a, b) => a - b);
}

/** The module with these texts empty. The end of a text that is another text, too, stays: something points there. */
export function wordless(bytes, texts) {
  const out = Buffer.from(bytes), all = sections(out), data = all.find(({ id }) => id === 11).content;
  const parts = segments(data), known = addresses(all.find(({ id }) => id === 10).content, parts, data);
  const after = (address) => {
    let low = 0, high = known.length;
    while (low < high) { const middle = (low + high) >> 1; if (known[middle] > address) high = middle; else low = middle + 1; }
    return known[low] ?? Infinity;
  };
  for (const { from, size, address } of parts) {
    const part = data.subarray(from, from + size);
    for (const text of texts) {
      const found = Buffer.from(`${text}\0`);
      for (let at = part.indexOf(found); at >= 0; at = part.indexOf(found, at + 1)) {
        if (at && part[at - 1]) continue;   // the end of a longer one
        part.fill(0, at, Math.min(at + found.length, after(address + at) - address));
      }
    }
  }
  return out;
}

// Writes animated GIFs: colours from a fixed cube with ordered dither, LZW, one picture after the other, for ever.
const LEVELS = [6, 7, 6];   // of red, green, blue: 252 colours
const BAYER = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

function palette() {
  const table = new Uint8Array(256 * 3);
  for (let r = 0, i = 0; r < LEVELS[0]; ++r) for (let g = 0; g < LEVELS[1]; ++g) for (let b = 0; b < LEVELS[2]; ++b, ++i) {
    table.set([r, g, b].map((v, k) => Math.round((255 * v) / (LEVELS[k] - 1))), 3 * i);
  }
  return table;
}

// The place in the palette of each pixel. rgba: four bytes each.
export function quantise(rgba, width) {
  const out = new Uint8Array(rgba.length / 4);
  for (let i = 0; i < out.length; ++i) {
    const nudge = (BAYER[4 * (Math.floor(i / width) & 3) + (i % width & 3)] + 0.5) / 16 - 0.5;
    let index = 0;
    for (let k = 0; k < 3; ++k) {
      const most = LEVELS[k] - 1, level = Math.max(0, Math.min(most, Math.round((rgba[4 * i + k] / 255) * most + nudge)));
      index = index * LEVELS[k] + level;
    }
    out[i] = index;
  }
  return out;
}

// LZW as GIF has it, for eight bits, in blocks of at most 255 bytes.
export function lzw(pixels) {
  const bytes = [], CLEAR = 256, END = 257;
  let codes = new Map(), next = 258, size = 9, bits = 0, held = 0;
  const put = (code) => {
    bits |= code << held;
    held += size;
    while (held >= 8) { bytes.push(bits & 255); bits >>>= 8; held -= 8; }
  };
  put(CLEAR);
  let prefix = pixels[0];
  for (let i = 1; i < pixels.length; ++i) {
    const key = (prefix << 8) | pixels[i], known = codes.get(key);
    if (known !== undefined) { prefix = known; continue; }
    put(prefix);
    codes.set(key, next++);
    if (next > 1 << size && size < 12) ++size;   // the reader is one code behind
    if (next >= 4096) { put(CLEAR); codes = new Map(); next = 258; size = 9; }
    prefix = pixels[i];
  }
  put(prefix);
  put(END);
  if (held > 0) bytes.push(bits & 255);
  const out = [8];
  for (let i = 0; i < bytes.length; i += 255) out.push(Math.min(255, bytes.length - i), ...bytes.slice(i, i + 255));
  out.push(0);
  return Uint8Array.from(out);
}

// frames: lists of palette places, each width × height. delay, hundredths of a second.
export function writeGif(frames, width, height, delay) {
  const word = (v) => [v & 255, v >> 8], text = (t) => [...t].map((c) => c.charCodeAt(0));
  const parts = [Uint8Array.from([...text("GIF89a"), ...word(width), ...word(height), 0xf7, 0, 0]), palette(), Uint8Array.from([0x21, 0xff, 11, ...text("NETSCAPE2.0"), 3, 1, 0, 0, 0])];
  for (const frame of frames) parts.push(Uint8Array.from([0x21, 0xf9, 4, 0, ...word(delay), 0, 0, 0x2c, 0, 0, 0, 0, ...word(width), ...word(height), 0]), lzw(frame));
  parts.push(Uint8Array.from([0x3b]));
  return new Blob(parts, { type: "image/gif" });
}

// Puts the functions of a WebAssembly module beside those that they resemble: gzip looks back 32 KB. Sections of a tool's own
// (names, producers) are dropped; nothing else changes.

/** An unsigned number at a place, and the place after it. */
export function leb(bytes, at) {
  let value = 0, scale = 1;
  for (;; scale *= 128) {
    const byte = bytes[at++];
    value += (byte & 127) * scale;
    if (byte < 128) return [value, at];
  }
}

function asLeb(value) {
  const out = [];
  for (; value > 127; value = Math.floor(value / 128)) out.push((value % 128) | 128);
  return [...out, value];
}

const text = (numbers) => Buffer.from(numbers);

/** Whether nothing follows an instruction. */
const bare = (op) => op < 2 || [0x05, 0x0b, 0x0f, 0x1a, 0x1b, 0xd1].includes(op) || (op >= 0x45 && op <= 0xc4);

/** Calls back with the place of each number of a function in a body, which ends at 'end', and with each constant that may be an address. */
export function eachFunction(bytes, at, end, found, constant = () => {}) {
  const skip = (count) => { while (count--) while (bytes[at++] > 127); };
  const number = () => { let value; [value, at] = leb(bytes, at); return value; };
  const vectors = (op) => {
    if (op < 12 || op === 92 || op === 93) skip(2);   // loads and stores
    else if (op < 14) at += 16;                       // a constant, a shuffle
    else if (op > 20 && op < 35) at += 1;             // of a lane
    else if (op > 83 && op < 92) { skip(2); at += 1; }
  };
  for (let groups = number(); groups--;) skip(2);   // locals
  while (at < end) {
    const op = bytes[at++];
    if (op === 0x10 || op === 0xd2) { const from = at; found(from, number()); }                                           // call, ref.func
    else if (op === 0x41) constant(number());                                                                             // i32.const
    else if (op === 0x0e) skip(number() + 1);                                                                             // br_table
    else if (op === 0x1c) at += number();                                                                                 // select of a type
    else if (op === 0x43) at += 4;
    else if (op === 0x44) at += 8;
    else if (op === 0xfc) { const more = number(); skip(more < 8 ? 0 : [8, 10, 12, 14].includes(more) ? 2 : 1); }          // memory, tables
    else if (op === 0xfd) vectors(number());
    else if (op === 0xfe) { if (number() === 3) at += 1; else skip(2); }                                                  // atomics
    else if (op === 0x11 || (op >= 0x28 && op <= 0x3e)) skip(2);                                                          // call_indirect, loads and stores
    else if ((op >= 0x02 && op <= 0x04) || op === 0x0c || op === 0x0d || (op >= 0x20 && op <= 0x26) || (op >= 0x3f && op <= 0x42) || op === 0xd0) skip(1);
    else if (!bare(op)) throw new Error(`an unknown instruction, 0x${op.toString(16)}`);
  }
  if (at !== end) throw new Error('a function does not end where it should');
}

// Measured: functions resemble each other if they share runs of six bytes that few functions have.
const length = 6, most = 30, reach = 32768, weight = 200;

/** The runs of bytes of each function that some others have too, as numbers. What it calls does not count. */
function runsOf(bodies) {
  const bits = 22, last = new Int32Array(1 << bits).fill(-1), count = new Uint32Array(1 << bits);
  const all = bodies.map(({ masked }, i) => {
    const own = [];
    for (let at = 0; at + length <= masked.length; ++at) {
      let hash = 0;
      for (let k = 0; k < length; ++k) hash = Math.imul(hash ^ masked[at + k], 0x9e3779b1) ^ (hash >>> 15);
      hash >>>= 32 - bits;
      if (last[hash] === i) continue;
      last[hash] = i;
      count[hash] += 1;
      own.push(hash);
    }
    return own;
  });
  return all.map((own) => own.filter((hash) => count[hash] > 1 && count[hash] <= most));
}

/** An order in which each function follows those that have most in common with it, among the last ones. */
function alike(bodies) {
  const runs = runsOf(bodies), having = new Map(), near = new Map(), score = new Float64Array(bodies.length), left = new Set(bodies.keys());
  runs.forEach((own, i) => own.forEach((hash) => (having.get(hash) ?? having.set(hash, []).get(hash)).push(i)));
  const change = (i, by) => {
    for (const hash of runs[i]) {
      const before = near.get(hash) ?? 0;
      near.set(hash, before + by);
      if (before + by === (by > 0 ? 1 : 0)) for (const other of having.get(hash)) score[other] += by;
    }
  };
  const order = [];
  for (let next = 0, first = 0, size = 0; next >= 0;) {
    order.push(next);
    left.delete(next);
    change(next, 1);
    for (size += bodies[next].masked.length; size > reach; ++first) { change(order[first], -1); size -= bodies[order[first]].masked.length; }
    let best = -1;
    next = -1;
    for (const i of left) {
      const value = score[i] / (bodies[i].masked.length + weight);
      if (value > best) [best, next] = [value, i];
    }
  }
  return order;
}

const vector = (items) => Buffer.concat([text(asLeb(items.length)), ...items]);

export function sections(bytes) {
  const all = [];
  for (let at = 8; at < bytes.length;) {
    const [size, from] = leb(bytes, at + 1);
    all.push({ id: bytes[at], content: bytes.subarray(from, from + size) });
    at = from + size;
  }
  return all;
}

/** The module with its functions in another order. */
export function ordered(bytes) {
  const all = sections(bytes), content = (id) => all.find((one) => one.id === id)?.content;
  const imported = WebAssembly.Module.imports(new WebAssembly.Module(bytes)).filter(({ kind }) => kind === 'function').length;
  const code = content(10), bodies = [];
  for (let [count, at] = leb(code, 0); count--;) {
    const [size, from] = leb(code, at), calls = [], masked = Buffer.from(code.subarray(from, from + size));
    eachFunction(code, from, from + size, (place, index) => { calls.push([place, index]); masked.fill(0, place - from, leb(code, place)[1] - from); });
    bodies.push({ from, end: from + size, calls, masked });
    at = from + size;
  }
  const order = alike(bodies), numbers = new Uint32Array(imported + order.length).map((_, i) => i);
  order.forEach((old, now) => { numbers[imported + old] = imported + now; });
  const types = [];
  for (let [count, at] = leb(content(3), 0), type; count--;) { [type, at] = leb(content(3), at); types.push(type); }
  const body = ({ from, end, calls }) => {
    const parts = [];
    let at = from;
    for (const [place, index] of calls) { parts.push(code.subarray(at, place), text(asLeb(numbers[index]))); at = leb(code, place)[1]; }
    const whole = Buffer.concat([...parts, code.subarray(at, end)]);
    return Buffer.concat([text(asLeb(whole.length)), whole]);
  };
  const renumber = {
    3: () => vector(order.map((i) => text(asLeb(types[i])))),
    7: (of) => exportsOf(of, numbers),
    8: (of) => text(asLeb(numbers[leb(of, 0)[0]])),
    9: (of) => elementsOf(of, numbers),
    10: () => vector(order.map((i) => body(bodies[i]))),
  };
  return Buffer.concat([bytes.subarray(0, 8), ...all.filter(({ id }) => id).flatMap(({ id, content: of }) => {
    const now = renumber[id]?.(of) ?? of;
    return [text([id]), text(asLeb(now.length)), now];
  })]);
}

function exportsOf(of, numbers) {
  const items = [];
  for (let [count, at] = leb(of, 0); count--;) {
    const from = at, [length, start] = leb(of, at), kind = of[start + length], [index, next] = leb(of, start + length + 1);
    items.push(Buffer.concat([of.subarray(from, start + length + 1), text(asLeb(kind === 0 ? numbers[index] : index))]));
    at = next;
  }
  return vector(items);
}

/** Functions of a table, at a constant place: the one form that the linker makes. */
function elementsOf(of, numbers) {
  const items = [];
  for (let [count, at] = leb(of, 0); count--;) {
    const from = at, place = leb(of, at + 2)[1];
    if (of[at] !== 0 || of[at + 1] !== 0x41 || of[place] !== 0x0b) throw new Error('a table is filled in an unknown way');
    const [length, start] = leb(of, place + 1), own = [];
    at = start;
    for (let k = 0, index; k < length; ++k) { [index, at] = leb(of, at); own.push(text(asLeb(numbers[index]))); }
    items.push(of.subarray(from, place + 1), vector(own));
  }
  return Buffer.concat([text(asLeb(leb(of, 0)[0])), ...items]);
}

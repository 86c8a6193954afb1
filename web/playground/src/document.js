// The scene as a document: the text that it came from, with what was built since. Every edit of the world that a scene file can say is an edit of the
// document, too; what happens only once (drags, throws, cuts, wind) is not.
const lists = ["objects", "bodies", "constraints", "attachments", "forces", "motions", "events"];

export class SceneDocument {
  constructor(text) {
    this.text = text;       // as it came, as long as nothing was built
    this.root = JSON.parse(text);
    this.left = [];         // what cannot be said, in words
  }

  // The document after a list of commands. find: of a particle number the object and its number in there, or null.
  static after(text, commands, find) {
    const made = new SceneDocument(text);
    for (const [, name, args] of commands) made.apply(name, args, find);
    return made;
  }

  apply(name, args, find) {
    const edits = {
      add: () => this.add(args[0]), remove: () => this.remove(args[0]), settings: () => this.configure(args[0]),
      pin: () => this.pin(find(args[0]), true), unpin: () => this.pin(find(args[0]), false),
      air: () => this.blow(args[0]), friction: () => this.note("friction"),
      cut: () => this.note("cuts"), throw: () => this.note("throws"), explode: () => this.note("explosions"), gust: () => this.note("wind"),
      grab: () => this.note("drags"), material: () => this.note("compliance"), pose: () => this.note("poses"),
    };
    edits[name]?.();
  }

  note(word) {
    if (!this.left.includes(word)) this.left.push(word);
  }

  changed() {
    this.text = null;
  }

  add(parts) {
    for (const key of lists) if (parts[key]) this.root[key] = [...asList(this.root[key]), ...structuredClone(parts[key])];
    this.changed();
  }

  // The record that something is made from: { list, index, record }, or null, as for what a loop has made.
  find(name) {
    for (const list of ["objects", "bodies"]) {
      const index = asList(this.root[list]).findIndex((record, i) => (record.name ?? `${record.type}${i + 1}`) === name && record.for === undefined);
      if (index >= 0) return { list, index, record: this.root[list][index] };
    }
    return null;
  }

  // Without it, and without what names it.
  remove(name) {
    const found = this.find(name.replace(/[.[].*$/, ""));
    if (!found || /[.[]/.test(name)) return this.note(`the deletion of ${name}`);
    this.root[found.list].splice(found.index, 1);
    const names = (value) => typeof value === "string" && (value === name || value.startsWith(`${name}.`) || value.startsWith(`${name}[`));
    const mentions = (value) => names(value) || (value && typeof value === "object" && Object.values(value).some(mentions));
    for (const key of ["constraints", "attachments", "motions", "events"]) if (Array.isArray(this.root[key])) this.root[key] = this.root[key].filter((entry) => !mentions(entry));
    const thin = (of) => (Array.isArray(of) ? of.filter((entry) => !mentions(entry)) : mentions(of) ? [] : of);
    if (Array.isArray(this.root.forces)) this.root.forces = this.root.forces.map((force) => (force.of === undefined ? force : { ...force, of: thin(force.of) })).filter((force) => !(Array.isArray(force.of) && !force.of.length));
    for (const key of Object.keys(this.root.record || {})) if (Array.isArray(this.root.record[key])) this.root.record[key] = thin(this.root.record[key]);
    this.changed();
  }

  configure(some) {
    this.root.world = { ...this.root.world, ...structuredClone(some) };
    this.changed();
  }

  // The wind of the sliders: one of the forces, the last.
  blow(value) {
    this.root.forces = asList(this.root.forces).filter((force) => force !== this.breeze);
    this.breeze = value.some((v) => v !== 0) ? { type: "wind", value, gust: 0.3 } : null;
    if (this.breeze) this.root.forces.push(this.breeze);
    if (!this.root.forces.length) delete this.root.forces;
    this.changed();
  }

  // where: { object, index } or { body }.
  pin(where, on) {
    const found = where && this.find(where.object ?? where.body);
    if (!found) return this.note("a pin");
    const { record } = found;
    if (where.body) {
      if (on) record.pinned = true;
      else delete record.pinned;
    } else {
      const pins = asList(record.pins).filter((pin) => pin !== where.index);
      if (!on && pins.length === asList(record.pins).length) return this.note("a pin that was let go");
      record.pins = on ? [...pins, where.index] : pins;
      if (!record.pins.length) delete record.pins;
    }
    this.changed();
  }

  toString() {
    return this.text ?? `${format(this.root)}\n`;
  }
}

const asList = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);
const WIDTH = 140;

// JSON for people: what fits stands on one line.
export function format(value, indent = "") {
  const flat = plain(value);
  if (flat.length + indent.length <= WIDTH || typeof value !== "object" || value === null) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item === "number")) return `[\n${wrap(value.map(plain), inner)}\n${indent}]`;
    return `[\n${value.map((item) => inner + format(item, inner)).join(",\n")}\n${indent}]`;
  }
  return `{\n${Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${format(item, inner)}`).join(",\n")}\n${indent}}`;
}

function plain(value) {
  if (Array.isArray(value)) return `[${value.map(plain).join(", ")}]`;
  if (value && typeof value === "object") return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${plain(item)}`).join(", ")}}`;
  return JSON.stringify(value);
}

function wrap(words, indent) {
  const rows = [indent];
  for (const [i, word] of words.entries()) {
    const piece = word + (i < words.length - 1 ? ", " : "");
    if (rows[rows.length - 1].length + piece.length > WIDTH) rows.push(indent);
    rows[rows.length - 1] += piece;
  }
  return rows.map((row) => row.trimEnd()).join("\n");
}

// Reads the public headers: what they declare, and what their comments say of it. No C parser: the headers are formatted by clang-format,
// and what is not understood is an error, so that nothing is left out in silence.
import { readFileSync } from "node:fs";

// ---- Pieces of a header -------------------------------------------------------------------------------------------------------

// A comment without its marks; the indentation of its lines, which have three spaces by custom, goes as well.
function commentText(raw) {
  const lines = raw.slice(2, -2).split("\n");
  const rest = lines.slice(1).filter((l) => l.trim()).map((l) => l.match(/^ */)[0].length);
  const least = rest.length ? Math.min(...rest) : 0;
  return [lines[0].trim(), ...lines.slice(1).map((l) => l.slice(Math.min(least, l.match(/^ */)[0].length)).trimEnd())].join("\n").trim();
}

// Cuts a header into comments, preprocessor lines, declarations and blank lines, with the number of the line on which each begins.
function* pieces(text, file) {
  let at = 0, line = 1;
  const take = (length) => {
    const piece = text.slice(at, at + length);
    at += length;
    line += piece.split("\n").length - 1;
    return piece;
  };
  while (at < text.length) {
    const rest = text.slice(at), start = line;
    let match;
    if ((match = /^[ \t]*\n/.exec(rest))) {
      take(match[0].length);
      yield { type: "blank", line: start };
    } else if ((match = /^\/\*[^]*?\*\/[ \t]*\n?/.exec(rest))) {
      take(match[0].length);
      yield { type: "comment", raw: match[0].trim(), line: start };
    } else if ((match = /^#(?:[^\n]*\\\n)*[^\n]*\n?/.exec(rest))) {
      let length = match[0].length; // a comment may go on behind it
      const open = match[0].lastIndexOf("/*");
      if (open >= 0 && match[0].indexOf("*/", open) < 0) length = rest.indexOf("*/", open) + 2 + 1;
      yield { type: "directive", raw: take(length).trimEnd(), line: start };
    } else {
      yield { type: "code", raw: take(codeLength(rest, file, start)).trimEnd(), line: start };
    }
  }
}

// A declaration ends with a semicolon, or, of a function with a body, with its brace, outside of all brackets.
function codeLength(text, file, line) {
  let depth = 0;
  for (let i = 0; i < text.length; ++i) {
    const c = text[i];
    if (text.startsWith("/*", i)) i = text.indexOf("*/", i) + 1;
    else if (c === '"') i = text.indexOf('"', i + 1);
    else if (c === "'") i = text.indexOf("'", text[i + 1] === "\\" ? i + 3 : i + 1);
    else if (c === "{" || c === "(" || c === "[") ++depth;
    else if (c === "}" || c === ")" || c === "]") {
      if (--depth < 0) return i + 1; // the brace of extern "C"
      if (depth === 0 && c === "}" && /^[ \t]*(\n|$)/.test(text.slice(i + 1))) return i + 2;
    } else if (depth === 0 && c === ";") {
      const tail = /^[ \t]*(\/\*[^]*?\*\/)?[ \t]*\n?/.exec(text.slice(i + 1));
      return i + 1 + tail[0].length;
    }
    if (depth === 1 && c === "{" && /^extern "C" \{/.test(text)) return i + 1;
  }
  throw new Error(`${file}:${line}: a declaration without an end`);
}

// ---- Declarations -------------------------------------------------------------------------------------------------------------

const stripComments = (text) => text.replace(/\/\*[^]*?\*\//g, " ");
const squeeze = (text) => stripComments(text).replace(/\s+/g, " ").trim();

// The members of a struct, or the values of an enum: { names, type, about }. A comment stands behind its member or before it.
function members(body, separator) {
  const found = [];
  let about = [], code = "", last = null, depth = 0;
  const end = () => {
    const text = squeeze(code).replace(/^#.*$/gm, "").trim();
    code = "";
    if (!text) return;
    last = { text, about: about.join("\n") };
    about = [];
    found.push(last);
  };
  for (let i = 0; i < body.length; ++i) {
    if (body.startsWith("/*", i)) {
      const stop = body.indexOf("*/", i) + 2, text = commentText(body.slice(i, stop));
      const own = /\n[ \t]*$/.test(body.slice(0, i)) && !code.trim(); // on a line of its own
      const follows = /^[ \t]*\n?[ \t]*$/.test(body.slice(body.lastIndexOf("\n", i) + 1, i)) && own;
      if (follows && !(last && continues(body, i))) about.push(text);
      else if (code.trim()) about.push(text);
      else if (last) last.about += (last.about ? "\n" : "") + text;
      else about.push(text);
      i = stop - 1;
    } else if (body[i] === "#") { // #define ... #include <sinew/constraints.def>: a list of its own
      const stop = body.indexOf("\n", i);
      const directive = body.slice(i, stop);
      if (/^#include/.test(directive)) found.push({ text: "...", about: `What ${directive.replace(/.*<|>.*/g, "")} lists.` });
      i = stop;
    } else if (body[i] === separator && depth === 0) {
      end();
    } else {
      if ("({[".includes(body[i])) ++depth;
      if (")}]".includes(body[i])) --depth;
      code += body[i];
    }
  }
  end();
  return found;
}

// A comment on a line of its own that only goes on the one above, being further to the right than members are.
function continues(body, i) {
  const column = i - body.lastIndexOf("\n", i) - 1;
  return column > 12;
}

function splitDeclarators(text) {
  const parts = [];
  let depth = 0, from = 0;
  for (let i = 0; i <= text.length; ++i) {
    if (i === text.length || (text[i] === "," && depth === 0)) {
      parts.push(text.slice(from, i).trim());
      from = i + 1;
    } else if ("([{".includes(text[i])) ++depth;
    else if (")]}".includes(text[i])) --depth;
  }
  return parts;
}

// "sn_real least, most" -> names and type; "void *(*allocate)(size_t)" -> its name and the whole.
function fieldOf({ text, about }) {
  if (text === "...") return { names: [], type: "", about };
  const pointer = /\(\*(\w+)\)/.exec(text);
  if (pointer) return { names: [pointer[1]], type: text, about };
  const parts = splitDeclarators(text.replace(/\s+\[/g, "["));
  const first = /^(.*?)(\**)(\w+)((?:\[[^\]]*\])*)$/.exec(parts[0]);
  if (!first) throw new Error(`a member that is not understood: ${text}`);
  const bare = (p) => p.replace(/^\*+/, "").replace(/\[.*$/, "").trim();
  const names = [first[3], ...parts.slice(1).map(bare)];
  return { names, type: `${first[1].trim()}${first[2] ? " " + first[2] : ""}${first[4]}`.trim(), about };
}

function describe(raw) {
  const code = raw.trim();
  const flat = squeeze(code);
  let match;
  if ((match = /^typedef (struct|union) (\w+) \{/.exec(flat)) || (match = /^(struct|union) (\w+) \{/.exec(flat))) {
    const body = code.slice(code.indexOf("{") + 1, code.lastIndexOf("}"));
    const note = /\{[ \t]*\/\*([^]*?)\*\/[ \t]*\n/.exec(code); // behind the brace: of the whole
    const inner = note ? body.slice(body.indexOf("*/") + 2) : body;
    return { type: match[1], name: match[2], fields: members(inner, ";").map(fieldOf), note: note ? commentText(`/*${note[1]}*/`) : "" };
  }
  if ((match = /^typedef enum (\w+) \{/.exec(flat)) || (match = /^enum (\w*) ?\{/.exec(flat))) {
    const body = code.slice(code.indexOf("{") + 1, code.lastIndexOf("}"));
    const values = members(body, ",").map((m) => ({ names: m.text === "..." ? [] : [m.text.replace(/ ?=.*/, "")], type: (/= ?(.*)/.exec(m.text) || ["", ""])[1], about: m.about }));
    return { type: "enum", name: match[1], fields: values };
  }
  if ((match = /^typedef struct (\w+) \w+;/.exec(flat))) return { type: "handle", name: match[1] };
  if ((match = /^typedef .*\(\*?(\w+)\)\(.*\);/.exec(flat)) || (match = /^typedef .*?\b(\w+)\(.*\);/.exec(flat))) return { type: "callback", name: match[1], prototype: `${flat.replace(/;.*$/, "")};` };
  if ((match = /^typedef .*?(\w+)( __attribute__.*)?;/.exec(flat))) return { type: "type", name: match[1], prototype: flat };
  if ((match = /^(?:SN_API|SN_LANES_INLINE|static inline|extern)?.*?\b(\w+)\(/.exec(flat))) {
    const head = flat.replace(/\s*\{.*$/, "").replace(/;.*$/, "").replace(/^(SN_API|SN_LANES_INLINE|static inline|extern) /, "");
    return { type: "function", name: match[1], prototype: `${head};`, inline: flat.includes("{") };
  }
  return null;
}

// ---- A header -----------------------------------------------------------------------------------------------------------------

// { file, title, intro, groups: [{ section, about, items: [{ type, name, ... , line }] }] }
export function readHeader(file, shown) {
  const text = readFileSync(file, "utf8").replace(/\r/g, "");
  const header = { file: shown, title: "", intro: "", groups: [] };
  let comment = null, group = null;
  const open = (about = "") => { group = { about, items: [] }; header.groups.push(group); };
  for (const piece of pieces(text, shown)) {
    if (piece.type === "blank") {
      if (comment && group === null) { open(comment); comment = null; } // a comment by itself
      group = null;
    } else if (piece.type === "comment") {
      const said = commentText(piece.raw), section = /^----+ *([^\n]*?) *-{3,}\s*/.exec(said);
      if (!header.title && !header.groups.length) {
        header.intro = said;
        header.title = said.split(/(?<=[.:])\s/)[0].replace(/[.:]$/, "").replace(/\s+/g, " ");
        continue;
      }
      if (section) {
        const [, title, more] = /^([^]*?[^.])(?:\.\s+([^]*))?$/.exec(section[1].replace(/-+$/, "").trim().replace(/\.$/, "")); // a title is one sentence
        header.groups.push({ section: title, about: [more, said.slice(section[0].length).trim()].filter(Boolean).join("\n\n"), items: [] });
        comment = null;
        group = null;
      } else if (comment && group === null) {
        open(comment);
        comment = said;
        group = null;
      } else {
        comment = said;
        group = null;
      }
    } else if (piece.type === "directive") {
      const define = /^#define (\w+)(\([^)]*\))?\s*([^]*)$/.exec(piece.raw);
      if (!define || /_H$/.test(define[1]) || /^(SN_KIND$|sn_)/.test(define[1]) || !define[3].trim()) continue;
      if (header.groups.some((g) => g.items.some((i) => i.name === define[1]))) continue; // for another platform
      if (!group) { open(comment || ""); comment = null; }
      const note = /\/\*[^]*\*\//.exec(define[3]);
      group.items.push({ type: "macro", name: define[1], line: piece.line, about: note ? commentText(note[0]) : "", prototype: `#define ${define[1]}${define[2] || ""} ${squeeze(define[3].replace(/\\\n/g, " "))}`.trim() });
    } else {
      if (/^extern "C"|^\}$/.test(piece.raw)) continue;
      const item = describe(piece.raw);
      if (!item) throw new Error(`${shown}:${piece.line}: a declaration that is not understood: ${piece.raw.slice(0, 80)}`);
      const trailing = /;[ \t]*(\/\*[^]*\*\/)\s*$/.exec(piece.raw);
      item.line = piece.line;
      item.about = trailing && item.type !== "struct" ? commentText(trailing[1]) : item.note || "";
      if (!group) { open(comment || ""); comment = null; }
      if (header.groups.some((g) => g.items.some((i) => i.name === item.name && i.name && i.type === item.type))) continue; // for another platform
      group.items.push(item);
    }
  }
  header.groups = header.groups.filter((g) => g.items.length || g.about || g.section);
  return header;
}

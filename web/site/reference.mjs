// The reference: a page for each public header, with every function, type, field and constant, its comment, and links between them.
import { readdirSync } from "node:fs";
import path from "node:path";
import { readHeader } from "./headers.mjs";

const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

export const folders = [
  { folder: "include/sinew", library: "The engine" },
  { folder: "scene/include/sinew", library: "The scene library" },
];

export function readHeaders(root) {
  return folders.flatMap(({ folder, library }) =>
    readdirSync(path.join(root, folder)).filter((f) => f.endsWith(".h")).sort()
      .map((f) => ({ ...readHeader(path.join(root, folder, f), `${folder}/${f}`), name: f.replace(/\.h$/, ""), library })));
}

// Where each name is: sn_particle -> { page: "particles", id }. Fields of structs are at struct.field.
function namesOf(headers) {
  const known = new Map();
  for (const header of headers)
    for (const group of header.groups)
      for (const item of group.items) {
        if (item.name && !(known.get(item.name)?.item.fields)) known.set(item.name, { page: header.name, id: item.name, item });
        if (item.type === "enum") for (const value of item.fields) for (const name of value.names) known.set(name, { page: header.name, id: name, item });
      }
  return known;
}

// All names that the reference has, with their fields: for the test that nothing is left out.
export function everyName(headers) {
  return headers.flatMap((h) => h.groups.flatMap((g) => g.items.flatMap((i) => [i.name, ...(i.fields || []).flatMap((f) => f.names.map((n) => (i.type === "enum" ? n : `${i.name}.${n}`)))]))).filter(Boolean);
}

// ending: "md" or "html", of the pages that are linked.
export function reference(root, ending) {
  const headers = readHeaders(root), known = namesOf(headers), pages = new Map();
  const href = (name, here) => {
    const found = known.get(name);
    return found && `${found.page === here ? "" : `${found.page}.${ending}`}#${found.id}`;
  };
  const linked = (text, here, self) => escape(text).replace(/\b(sn_\w+|SN_\w+|lanes?\w*|flags)\b/g, (name) => {
    const target = name === self ? null : href(name, here);
    return target ? `<a href="${target}">${name}</a>` : name;
  });
  const words = (text, here, self) => linked(text, here, self)
    .replace(/`([^`\n]+)`/g, "<code>$1</code>")
    .replace(/\b(?:sinew\/)(\w+)\.h\b/g, (all, name) => (headers.some((h) => h.name === name) ? `<a href="${name}.${ending}">${all}</a>` : all))
    .replace(/\bdocs\/(\w+)\.md\b/g, (all, name) => (ending === "html" ? `<a href="../${name}.html">${name}</a>` : all));
  const prose = (text, here, self) => text.split(/\n{2,}/).map((part) => {
    const lines = part.split("\n"), out = [];
    let plain = [], code = [];
    const flush = () => {
      if (plain.length) out.push(`<p>${words(plain.join(" "), here, self)}</p>`);
      if (code.length) {
        const least = Math.min(...code.map((l) => l.match(/^ */)[0].length));
        out.push(`<pre class="code"><code>${code.map((l) => linked(l.slice(least), here, self)).join("\n")}</code></pre>`);
      }
      plain = [], code = [];
    };
    for (const line of lines) {
      const deep = /^ {3,}\S/.test(line);
      if (deep ? plain.length : code.length) flush();
      (deep ? code : plain).push(deep ? line : line.trim());
    }
    flush();
    return out.join("\n");
  }).join("\n");

  const fields = (item, here) => {
    if (!item.fields?.length) return "";
    const rows = item.fields.map((f) => {
      const names = f.names.map((n) => `<code id="${item.type === "enum" ? n : `${item.name}.${n}`}">${n}</code>`).join(", ");
      const type = item.type === "enum" ? (f.type ? `<code>${escape(f.type)}</code>` : "") : `<code>${linked(f.type, here, item.name)}</code>`;
      return `<tr><td>${names}</td><td>${type}</td><td>${f.about ? words(f.about.replace(/\s+/g, " "), here, item.name) : ""}</td></tr>`;
    });
    return `<div class="wide"><table class="fields"><tbody>\n${rows.join("\n")}\n</tbody></table></div>`;
  };
  const signature = (item, here) => {
    if (item.prototype) return `<pre class="code"><code>${linked(wrap(item.prototype), here, item.name)}</code></pre>`;
    if (item.type === "handle") return `<pre class="code"><code>typedef struct ${item.name} ${item.name};</code></pre>`;
    return "";
  };
  const kind = { function: "", struct: "struct", union: "union", enum: "enum", macro: "macro", handle: "type", callback: "function type", type: "type" };

  for (const header of headers) {
    const here = header.name, out = [`# ${here}.h`, "", `<p class="where"><code>#include &lt;sinew/${here}.h&gt;</code> · ${header.library}</p>`, "", prose(header.intro, here), ""];
    for (const group of header.groups) {
      if (group.section) out.push(`## ${group.section}`, "");
      if (group.items.length) {
        const named = group.items.filter((i) => i.name);
        const title = named.map((i) => `<code>${i.name}</code>`).join(", ") || "<code>enum</code>";
        const tag = group.items.every((i) => i.type === group.items[0].type) ? kind[group.items[0].type] : "";
        const first = named[0]?.name || `enum-${group.items[0].line}`;
        out.push(`<h3 id="${first}">${title}${tag ? ` <small>${tag}</small>` : ""}</h3>`, "");
        for (const item of group.items) {
          if (item.name && item.name !== first) out.push(`<a id="${item.name}"></a>`);
          const parts = [signature(item, here), item.about ? prose(item.about, here, item.name) : "", group.items.length === 1 ? "" : fields(item, here)].filter(Boolean);
          if (parts.length) out.push(parts.join("\n"), "");
        }
      }
      if (group.about) out.push(prose(group.about, here), "");
      if (group.items.length === 1) out.push(fields(group.items[0], here), "");
    }
    pages.set(`${here}.md`, { title: `${here}.h: ${header.title}`, text: out.join("\n").replace(/\n{3,}/g, "\n\n") });
  }
  pages.set("index.md", { title: "Reference", text: indexPage(headers, known, ending) });
  return { pages, headers };
}

function indexPage(headers, known, ending) {
  const out = ["# Reference", "", "Every public header, and all that it declares. It is made from the headers, whose comments are the manual of the C interface.", ""];
  for (const { library } of folders) {
    out.push(`## ${library}`, "", "| | |", "|---|---|");
    for (const h of headers.filter((x) => x.library === library)) out.push(`| [${h.name}.h](${h.name}.${ending}) | ${h.title} |`);
    out.push("");
  }
  out.push("## All names", "");
  const byLetter = new Map();
  for (const [name, { page, item }] of [...known].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (item.type === "enum" && name !== item.name) continue;
    const group = item.type === "function" ? "Functions" : item.type === "macro" ? "Constants and macros" : "Types";
    byLetter.set(group, [...(byLetter.get(group) || []), `<a href="${page}.${ending}#${name}"><code>${name}</code></a>`]);
  }
  for (const [group, links] of byLetter) out.push(`### ${group}`, "", `<p class="names">${links.join(" ")}</p>`, "");
  return out.join("\n");
}

// Long prototypes get a line for each parameter.
function wrap(text) {
  if (text.length <= 100) return text;
  const open = text.indexOf("("), head = text.slice(0, open + 1);
  let depth = 0, out = "", rest = text.slice(open + 1);
  for (const c of rest) {
    if (c === "(") ++depth;
    if (c === ")") --depth;
    out += c === "," && depth === 0 ? ",\n   " : c;
  }
  return `${head}\n    ${out.replace(/\n {4}/g, "\n    ")}`;
}

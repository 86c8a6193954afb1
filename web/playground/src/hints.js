// What a JSON Schema says about a place in a text: of which record the cursor is in, which keys it may have, and what the key at hand means. The text may be broken: it is read up to
// the cursor only.

// The way to the cursor: keys and places in lists, and what is being typed there; `at` is "key" or "value".
export function wayTo(text, cursor) {
  const way = [];   // of each level: { list, key, index, type }
  let inText = false, word = "", last = "", expecting = "value", start = 0;
  for (let i = 0; i < cursor; ++i) {
    const c = text[i], top = way[way.length - 1];
    if (inText) {
      if (c === "\\") { word += c + (text[++i] ?? ""); continue; }
      if (c !== '"') { word += c; continue; }
      inText = false;
      last = word;
      if (top && !top.list && expecting === "key") top.key = word;
      else if (top && !top.list && top.key === "type") top.type = word;
      else if (top && !top.list && top.key === "kind") top.kind = word;
      continue;
    }
    if (c === '"') { inText = true; word = ""; start = i + 1; }
    else if (c === "{") { way.push({ list: false, key: null }); expecting = "key"; }
    else if (c === "[") { way.push({ list: true, index: 0 }); expecting = "value"; }
    else if (c === "}" || c === "]") { way.pop(); expecting = "value"; }
    else if (c === ":") expecting = "value";
    else if (c === "," && top) {
      if (top.list) ++top.index;
      else { top.key = null; expecting = "key"; }
    }
  }
  return { way, at: expecting, typed: inText ? word : "", inText, start, last };
}

// The part of a schema that a way leads to. Records that are told by their `type` are found by it, where it was typed already or comes later in the text.
function follow(schema, way, root) {
  let now = [schema];
  const open = (list) => list.flatMap((part) => {
    if (!part || typeof part !== "object") return [];
    if (part.$ref) return open([part.$ref.replace(/^#\//, "").split("/").reduce((at, key) => at?.[key], root)]);
    return [part, ...open([...(part.oneOf || []), ...(part.anyOf || []), ...(part.allOf || []), ...(part.then ? [part.then] : [])])];
  });
  for (const [i, level] of way.entries()) {
    const type = level.type ?? level.kind;
    let here = open(now);
    if (!level.list && type) {
      const typed = here.filter((part) => [part.properties?.type, part.properties?.kind].some((of) => of && (of.const === type || of.enum?.includes(type))));
      if (typed.length) here = typed.length === here.length ? here : [...typed, ...here.filter((part) => part.properties && !part.properties.type?.const)];
    }
    if (i === way.length - 1) return here;
    now = level.list ? here.map((part) => part.items).filter(Boolean) : here.map((part) => part.properties?.[level.key] ?? (typeof part.additionalProperties === "object" ? part.additionalProperties : null)).filter(Boolean);
  }
  return open(now);
}

export function hints(schema, text, cursor) {
  const none = { about: "", words: [], typed: "" };
  if (!schema) return none;
  const { way, at, typed, inText } = wayTo(text, cursor), level = way[way.length - 1];
  if (!level) return none;
  if (!level.list && level.type === undefined) level.type = typeAhead(text, cursor);
  const here = follow(schema, way, schema), find = (key) => here.map((part) => part.properties?.[key]).find(Boolean);
  if (at === "key" && !level.list) {
    const names = new Map();
    for (const part of here) for (const [key, of] of Object.entries(part.properties || {})) if (!names.has(key)) names.set(key, of.description || "");
    const words = inText ? [...names].filter(([key]) => key.startsWith(typed) && key !== typed).map(([word, about]) => ({ word, about })) : [];
    return { about: names.get(typed) || "", words, typed };
  }
  const of = level.list ? null : find(level.key);
  if (!of) return none;
  const choices = [of, ...(of.oneOf || []), ...(of.anyOf || [])].flatMap((part) => part.enum || (part.const !== undefined ? [part.const] : [])).filter((one) => typeof one === "string");
  const all = level.key === "type" || level.key === "kind" ? [...new Set([...choices, ...here.flatMap((part) => part.properties?.[level.key]?.const ?? [])])] : choices;
  const words = inText ? all.filter((one) => one.startsWith(typed) && one !== typed).map((word) => ({ word, about: "" })) : [];
  return { about: `${level.key}: ${of.description || ""}`, words, typed };
}

// The `type` of the record around the cursor, if it stands behind the cursor.
function typeAhead(text, cursor) {
  let depth = 0;
  for (let i = cursor; i < Math.min(text.length, cursor + 4000); ++i) {
    if (text[i] === "{" || text[i] === "[") ++depth;
    if (text[i] === "}" || text[i] === "]") { if (depth === 0) return undefined; --depth; }
    if (depth === 0 && text[i] === '"') {
      const found = /^"type"\s*:\s*"([^"]*)"/.exec(text.slice(i, i + 80));
      if (found) return found[1];
    }
  }
  return undefined;
}

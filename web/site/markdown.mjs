// Markdown, as the docs use it, to HTML: headings, paragraphs, lists, tables, code, quotes, pictures, links, emphasis, and HTML blocks as they are.
import { highlight } from "./highlight.mjs";

export const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

// What a heading is called in links, as GitHub does it: small letters, digits, _ and -, with a number behind the second one of a name.
export function slug(text, used) {
  const plain = text.replace(/<[^>]*>/g, "").replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "").toLowerCase();
  const base = plain.replace(/[^\p{L}\p{N}_\- ]/gu, "").replace(/ /g, "-");
  const count = used.get(base) || 0;
  used.set(base, count + 1);
  return count ? `${base}-${count}` : base;
}

// Inline marks. link(target) gives what a link leads to on the site.
export function inline(text, link) {
  const kept = [];
  const keep = (html) => `\u0000${kept.push(html) - 1}\u0000`;
  let s = text.replace(/(`+)(.+?)\1(?!`)/g, (_, marks, code) => keep(`<code>${escape(code.replace(/^ (.*) $/, "$1"))}</code>`));
  s = s.replace(/\\([\\`*_{}[\]()#+\-.!|<>$])/g, (_, c) => keep(escape(c)));
  s = s.replace(/<(\/?(?:a|b|i|em|strong|code|sub|sup|br|img|span|kbd)(?:\s[^>]*)?)>/g, (all) => keep(all));
  s = s.replace(/<(https?:[^>]+)>/g, (_, url) => keep(`<a href="${escape(url)}">${escape(url)}</a>`));
  s = escape(s).replace(/&quot;/g, '"');
  const image = /!\[([^\]]*)\]\(([^)\s]+)\)/g;
  s = s.replace(image, (_, about, source) => keep(`<img src="${escape(link(source))}" alt="${about.replace(/"/g, "&quot;")}" loading="lazy">`));
  s = s.replace(/\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (_, label, target) => `${keep(`<a href="${escape(link(target.replace(/&amp;/g, "&")))}">`)}${label}${keep("</a>")}`);
  s = s.replace(/(^|[\s(])(https?:\/\/[^\s<)]*[^\s<).,;:])/g, (_, before, url) => `${before}${keep(`<a href="${url}">${url}</a>`)}`);
  s = s.replace(/\*\*(?=\S)([^]*?\S)\*\*/g, "<strong>$1</strong>").replace(/(^|[^\w*])\*(?=\S)([^*]*?\S)\*(?![\w*])/g, "$1<em>$2</em>");
  while (/\u0000\d+\u0000/.test(s)) s = s.replace(/\u0000(\d+)\u0000/g, (_, i) => kept[+i]);
  return s;
}

const cells = (row) => row.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "").split(/(?<!\\)\|/).map((c) => c.trim().replace(/\\\|/g, "|"));

// { html, headings: [{ level, text, id }] }. parts: for the search, { id, title, text } of every section.
export function markdown(source, link) {
  const lines = source.replace(/\r/g, "").replace(/<!--[^]*?-->/g, "").split("\n");
  const used = new Map(), headings = [];
  const html = blocks(lines, { link, used, headings });
  return { html, headings };
}

const isTable = (lines, i) => /\|/.test(lines[i]) && i + 1 < lines.length && /^\s*\|?[\s:|-]*-[\s:|-]*\|[\s:|-]*$/.test(lines[i + 1]);
const listMark = /^(\s*)([-*+]|\d+[.)])(\s+)/;

function blocks(lines, state) {
  const out = [];
  for (let i = 0; i < lines.length;) {
    const line = lines[i];
    let match;
    if (!line.trim()) {
      ++i;
    } else if ((match = /^(`{3,}|~{3,})\s*(\S*)/.exec(line))) {
      const code = [];
      for (++i; i < lines.length && !lines[i].startsWith(match[1]); ++i) code.push(lines[i]);
      ++i;
      out.push(`<pre class="code"><code>${highlight(code.join("\n"), match[2])}</code></pre>`);
    } else if ((match = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line))) {
      const id = slug(match[2], state.used), text = inline(match[2], state.link), level = match[1].length;
      state.headings.push({ level, text, id });
      out.push(`<h${level} id="${id}">${text}${level > 1 ? `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>` : ""}</h${level}>`);
      ++i;
    } else if (/^<(\/?)(div|pre|table|tr|td|dl|dt|dd|p|section|details|summary|h[1-6]|a id)/.test(line)) {
      const raw = [];
      for (; i < lines.length && lines[i].trim(); ++i) raw.push(lines[i]);
      const text = raw.join("\n");
      for (const [, level, id, label] of text.matchAll(/<h([1-6]) id="([^"]*)">([^]*?)<\/h/g)) state.headings.push({ level: +level, id, text: label });
      out.push(text);
    } else if (/^(-{3,}|\*{3,})$/.test(line.trim())) {
      out.push("<hr>");
      ++i;
    } else if (/^>/.test(line)) {
      const quoted = [];
      for (; i < lines.length && /^>/.test(lines[i]); ++i) quoted.push(lines[i].replace(/^> ?/, ""));
      out.push(`<blockquote>${blocks(quoted, state)}</blockquote>`);
    } else if (/^( {4}|\t)/.test(line)) {
      const code = [];
      for (; i < lines.length && (/^( {4}|\t)/.test(lines[i]) || (!lines[i].trim() && /^( {4}|\t)/.test(lines[i + 1] || ""))); ++i) code.push(lines[i].replace(/^( {4}|\t)/, ""));
      out.push(`<pre class="code"><code>${highlight(code.join("\n"), "")}</code></pre>`);
    } else if (isTable(lines, i)) {
      [i] = table(lines, i, state, out);
    } else if (listMark.test(line)) {
      i = list(lines, i, state, out);
    } else {
      const text = [];
      for (; i < lines.length && lines[i].trim() && !/^(#{1,6} |`{3}|>)/.test(lines[i]) && !isTable(lines, i) && !(text.length && /^[-*+] |^1[.)] /.test(lines[i])); ++i) text.push(lines[i].trim());
      const html = inline(text.join("\n"), state.link);
      out.push(/^<img [^>]*>$/.test(html) ? `<p class="picture">${html}</p>` : `<p>${html}</p>`);
    }
  }
  return out.join("\n");
}

function table(lines, i, state, out) {
  const head = cells(lines[i]), align = cells(lines[i + 1]).map((c) => (/^:-+:$/.test(c) ? "center" : /-:$/.test(c) ? "right" : ""));
  const cell = (tag, text, k) => `<${tag}${align[k] ? ` class="${align[k]}"` : ""}>${inline(text, state.link)}</${tag}>`;
  const rows = [];
  for (i += 2; i < lines.length && /\|/.test(lines[i]) && lines[i].trim(); ++i) rows.push(`<tr>${cells(lines[i]).map((c, k) => cell("td", c, k)).join("")}</tr>`);
  const titles = head.some((c) => c) ? `<thead><tr>${head.map((c, k) => cell("th", c, k)).join("")}</tr></thead>` : "";
  const pictures = /<img/.test(rows.join("")) ? ' class="pictures"' : "";
  out.push(`<div class="wide"><table${pictures}>${titles}<tbody>${rows.join("\n")}</tbody></table></div>`);
  return [i];
}

function list(lines, i, state, out) {
  const [, indent, mark] = listMark.exec(lines[i]), ordered = /\d/.test(mark), items = [];
  while (i < lines.length) {
    const match = listMark.exec(lines[i]);
    if (!match || match[1].length !== indent.length || /\d/.test(match[2]) !== ordered) break;
    const inner = match[0].length, own = [lines[i].slice(inner)];
    for (++i; i < lines.length; ++i) {
      const blank = !lines[i].trim(), deep = lines[i].match(/^ */)[0].length;
      if (blank) {
        const next = lines[i + 1] || "";
        if (!next.trim() || next.match(/^ */)[0].length < inner) break;
        own.push("");
      } else if (deep > indent.length) {
        own.push(lines[i].slice(Math.min(deep, inner)));
      } else if (listMark.test(lines[i]) || /^(#{1,6} |`{3}|\|)/.test(lines[i])) {
        break;
      } else {
        own.push(lines[i]);
      }
    }
    const html = blocks(own, state);
    items.push(`<li>${/^<p>[^]*<\/p>$/.test(html) && html.lastIndexOf("<p>") === 0 ? html.slice(3, -4) : html.replace(/^<p>([^]*?)<\/p>/, "$1")}</li>`);
    while (i < lines.length && !lines[i].trim() && listMark.test(lines[i + 1] || "") && listMark.exec(lines[i + 1])[1].length === indent.length) ++i;
  }
  out.push(`<${ordered ? "ol" : "ul"}>${items.join("\n")}</${ordered ? "ol" : "ul"}>`);
  return i;
}

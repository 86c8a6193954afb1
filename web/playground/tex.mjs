// Formulas of the lessons, written in a little TeX, as MathML, which browsers draw by themselves.
//
//     x_1  x^2  {group}  \frac{a}{b}  \sqrt{a}  \under{∑}{i}  \b{x} (bold)  \hat{α}  \dot{x}  \ddot{x}  \text{words}  \sin  \quad
//
// Signs stand for themselves: λ ∇ Δ ∑ · × ≤ ≥. A hyphen is a minus.
const escape = (text) => text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);

function symbol(text) {
  if (/^[\d.]+$/.test(text)) return `<mn>${text}</mn>`;
  if (/^[\p{L}\p{M}′∞]+$/u.test(text)) return `<mi>${escape(text)}</mi>`;
  if ("|()[]‖".includes(text)) return `<mo stretchy="false">${text}</mo>`;
  return `<mo>${escape(text === "-" ? "−" : text)}</mo>`;
}

const over = (mark) => (inner) => `<mover accent="true">${inner}<mo>${mark}</mo></mover>`;
const commands = {
  frac: [2, (a, b) => `<mfrac>${a}${b}</mfrac>`],
  sqrt: [1, (a) => `<msqrt>${a}</msqrt>`],
  under: [2, (a, b) => `<munder>${a}${b}</munder>`],
  hat: [1, over("^")], dot: [1, over("˙")], ddot: [1, over("¨")], bar: [1, over("¯")],
};

class Reader {
  constructor(text) {
    this.tokens = text.match(/\\[a-z]+2?|\d+(?:\.\d+)?|\s+|[^\s]/gu)?.filter((t) => t.trim()) || [];
    this.source = text;
    this.raw = text;
    this.at = 0;
  }

  fail(why) {
    throw new Error(`formula '${this.source}': ${why}`);
  }

  // Everything up to the end, or to the brace that closes a group.
  row(inGroup = false) {
    const parts = [];
    while (this.at < this.tokens.length && !(inGroup && this.tokens[this.at] === "}")) parts.push(this.scripted());
    if (inGroup && this.tokens[this.at++] !== "}") this.fail("a brace is open");
    return parts.length === 1 ? parts[0] : `<mrow>${parts.join("")}</mrow>`;
  }

  scripted() {
    const base = this.part(), scripts = {};
    while (["_", "^"].includes(this.tokens[this.at])) scripts[this.tokens[this.at++]] = this.part();
    if (scripts._ && scripts["^"]) return `<msubsup>${base}${scripts._}${scripts["^"]}</msubsup>`;
    if (scripts._) return `<msub>${base}${scripts._}</msub>`;
    if (scripts["^"]) return `<msup>${base}${scripts["^"]}</msup>`;
    return base;
  }

  // The plain words of a group.
  words() {
    if (this.tokens[this.at++] !== "{") this.fail("expected words in braces");
    const words = [];
    while (this.tokens[this.at] !== "}") {
      if (this.at >= this.tokens.length) this.fail("a brace is open");
      words.push(this.tokens[this.at++]);
    }
    ++this.at;
    return words;
  }

  part() {
    const token = this.tokens[this.at++];
    if (token === undefined) this.fail("something is missing at the end");
    if (token === "{") return this.row(true);
    if (!token.startsWith("\\")) return symbol(token);
    const name = token.slice(1);
    if (name === "quad") return '<mspace width="0.9em"/>';
    if (name === "text") return `<mtext>${this.text()}</mtext>`;
    if (name === "b") return `<mi mathvariant="normal" style="font-weight:700">${escape(this.words().join(""))}</mi>`;
    if (["sin", "cos", "tan", "atan2", "acos", "exp", "ln", "max", "min", "det"].includes(name)) return `<mrow><mi>${name}</mi><mspace width="0.17em"/></mrow>`;
    if (!commands[name]) this.fail(`what is \\${name}?`);
    const [count, make] = commands[name];
    return make(...Array.from({ length: count }, () => this.part()));
  }

  // Words keep their blanks: they are taken from the source, where the n-th \text stands.
  text() {
    this.words();
    const found = this.raw.match(/\\text\{([^{}]*)\}/);
    this.raw = this.raw.slice(found.index + found[0].length);
    return escape(found[1]).replace(/ /g, "\u00a0");
  }
}

export const inline = (text) => `<math>${new Reader(text).row()}</math>`;
export const display = (lines) => `<div class="formula" tabindex="0" role="group" aria-label="Formula">${lines.map((line) => `<math display="block">${new Reader(line).row()}</math>`).join("")}</div>`;

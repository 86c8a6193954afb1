// Formulas as MathML, which browsers draw by themselves.
const escape = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;");
const isMade = (part) => typeof part === "string" && /^<[a-z]/.test(part);   // "<" alone is a sign
const wrap = (part) => (isMade(part) ? part : atom(part));

// One symbol: a number, an operator, or a name.
function atom(text) {
  const t = String(text);
  if (/^[\d.]+$/.test(t)) return `<mn>${t}</mn>`;
  if (/^[\p{L}\p{M}′]+$/u.test(t)) return `<mi>${escape(t)}</mi>`;
  if ("|()[]".includes(t)) return `<mo stretchy="false">${t}</mo>`;
  return `<mo>${escape(t)}</mo>`;
}

export const row = (...parts) => `<mrow>${parts.map(wrap).join("")}</mrow>`;
export const frac = (a, b) => `<mfrac>${wrap(a)}${wrap(b)}</mfrac>`;
export const sub = (a, b) => `<msub>${wrap(a)}${wrap(b)}</msub>`;
export const sup = (a, b) => `<msup>${wrap(a)}${wrap(b)}</msup>`;
export const subsup = (a, b, c) => `<msubsup>${wrap(a)}${wrap(b)}${wrap(c)}</msubsup>`;
export const under = (a, b) => `<munder>${wrap(a)}${wrap(b)}</munder>`;
export const dot = (a) => a.replace(/<\/mi>$/, "\u0307</mi>");   // the time derivative of a symbol
export const hat = (a) => `<mover accent="true">${wrap(a)}<mo>^</mo></mover>`;
export const bold = (a) => `<mi mathvariant="normal" style="font-weight:700">${escape(a)}</mi>`;
export const text = (a) => `<mtext>${escape(a).replace(/ /g, "\u00a0")}</mtext>`;
export const space = `<mspace width="0.8em"/>`;

// Splits "a + b" at spaces; parts that are made already go in as they are.
export const math = (...parts) => `<math>${parts.flatMap((p) => (isMade(p) ? [p] : p.split(" ").filter(Boolean))).map(wrap).join("")}</math>`;
export const formula = (...lines) => `<div class="formula" tabindex="0" role="group" aria-label="Formula">${lines.map((l) => l.replace("<math>", '<math display="block">')).join("")}</div>`;

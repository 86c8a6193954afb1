// Reads the lessons, one file each in lessons/: data, of which the build makes a module for the page, and of which the tests take what to run and assert.
// How a file is written: lessons/README.md.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { display, inline } from "./tex.mjs";

const folder = fileURLToPath(new URL("./lessons/", import.meta.url));
const SECTIONS = ["Predict", "Sliders", "Numbers", "Labels", "Scene", "Text", "Notice", "Wrong in the sources", "Challenge"];
const NEEDED = ["Predict", "Sliders", "Numbers", "Text", "Notice", "Challenge"];
const HEAD = ["short", "source", "topics", "scene", "set", "other", "layers", "view", "panel"];

export const index = () => JSON.parse(readFileSync(path.join(folder, "index.json"), "utf8"));
export const files = () => readdirSync(folder).filter((name) => name.endsWith(".md") && name !== "README.md").map((name) => name.slice(0, -3));

// ---- Text ----------------------------------------------------------------------------------------------------------------

const escape = (text) => text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);

// {6.7 @300 | expression}: a number that the scene shows. Before the bar: words to print instead, in quotes; the number; ± how much it may be off, half
// a unit of its last digit if that is left out; B, if it is of the second pane; @ the frame; what is set differently, path=value.
export function readClaim(inside) {
  const bar = inside.indexOf("|"), head = inside.slice(0, bar), code = inside.slice(bar + 1).trim();
  const found = head.match(/^\s*(?:"([^"]*)"\s*)?([−-]?[\d.]+(?:e-?\d+)?)\s*(?:±\s*([\d.e-]+))?\s*(B\b)?\s*@(\d+)\s*(.*?)\s*$/);
  if (bar < 0 || !found || !code) throw new Error(`{${inside}}: expected {number @frame | expression}`);
  const [, words, number, within, pane, frame, sets] = found;
  const digits = (number.split("e")[0].split(".")[1] || "").length, unit = 10 ** (Number(number.split("e")[1] || 0) - digits);
  return { shown: words ?? number, value: Number(number.replace("−", "-")), pane: pane ? 1 : 0, within: within ? Number(within) : 0.5001 * unit, frame: Number(frame), set: sets ? sets.split(/;\s*/) : [], code };
}

function words(text, claims) {
  const kept = [], keep = (html) => `\u0001${kept.push(html) - 1}\u0001`;
  const plain = text
    .replace(/\{([^{}]*\|[^{}]*@?[^{}]*)\}(?!\})/g, (all, inside) => {
      if (!/@\d/.test(inside)) return all;
      const claim = readClaim(inside);
      claims.push({ ...claim, sentence: text });
      return keep(escape(claim.shown.replace("-", "−")));
    })
    .replace(/\$([^$]+)\$/g, (_, formula) => keep(inline(formula)));
  return escape(plain).replace(/\*\*([^*]+)\*\*/g, "<b>$1</b>").replace(/\u0001(\d+)\u0001/g, (_, n) => kept[n]);
}

// Paragraphs, lists of lines that begin with a dash, and formulas between lines of $$.
function blocks(lines, claims) {
  const out = [];
  for (let i = 0; i < lines.length; ++i) {
    if (!lines[i].trim()) continue;
    if (lines[i].trim() === "$$") {
      const end = lines.indexOf("$$", i + 1);
      if (end < 0) throw new Error("a formula has no end ($$)");
      out.push(display(lines.slice(i + 1, end)));
      i = end;
    } else if (lines[i].startsWith("- ")) {
      const items = [];
      for (; i < lines.length && lines[i].startsWith("- "); ++i) items.push(`<li>${words(lines[i].slice(2), claims)}</li>`);
      --i;
      out.push(`<ul class="tasks">${items.join("")}</ul>`);
    } else out.push(`<p>${words(lines[i], claims)}</p>`);
  }
  return out.join("");
}

// ---- Parts ---------------------------------------------------------------------------------------------------------------

// A question, its answers (the right one begins with +), and why.
function readPredict(lines, claims) {
  const answers = lines.filter((l) => l.startsWith("- ")).map((l) => l.slice(2)), right = answers.findIndex((a) => a.startsWith("+ "));
  const question = lines.filter((l) => l.trim() && !/^[->] /.test(l)), why = lines.filter((l) => l.startsWith("> ")).map((l) => l.slice(2));
  if (!question.length || answers.length < 2 || right < 0 || !why.length) throw new Error("Predict: expected a question, at least two answers, a right one (+), and why (>)");
  return { question: words(question.join(" "), claims), answers: answers.map((a) => words(a.replace(/^\+ /, ""), claims)), right, why: words(why.join(" "), claims) };
}

const value = (text) => (/^-?[\d.]+(e-?\d+)?$/.test(text) ? Number(text) : text);

// NAME: KEY LEAST..MOST [step S]   or   NAME: KEY a "words" | b "words"   or   NAME: restart | step | command WHICH JSON
// KEY: a setting, A. or B. before it for one pane; or 'build PATH', for which the scene is built anew, with '= START' at the end.
function readControl(line) {
  const [, label, rest] = line.match(/^(.+?): (.+)$/) || [];
  if (!rest) throw new Error(`'${line}': expected NAME: what it changes`);
  const action = rest.match(/^(restart|step|command) ?(.*)$/);
  if (action) return { type: "action", label, action: action[1], args: action[2] ? JSON.parse(action[2]) : [] };
  const [, build, pane, key, others = "", tail] = rest.match(/^(build )?(?:([AB])\.)?(\S+?)((?:,\S+)*) (.+)$/) || [];
  if (!key) throw new Error(`'${line}': expected a key and its values`);
  const [body, start] = build ? tail.split(/ = (?=[^=]*$)/) : [tail];
  if (build && start === undefined) throw new Error(`'${line}': expected '= START'`);
  const common = { label, key, ...(pane ? { pane: pane === "A" ? 0 : 1 } : {}), ...(build ? { build: true, start: value(start) } : {}), ...(others ? { also: others.slice(1).split(",") } : {}) };
  const span = body.match(/^(-?[\d.]+)\.\.(-?[\d.]+)(?: step ([\d.]+))?$/);
  if (span) return { ...common, type: "range", least: Number(span[1]), most: Number(span[2]), step: Number(span[3] || 1) };
  return { ...common, type: "choice", options: body.split(" | ").map((one) => { const [, id, name] = one.match(/^(\S+)(?: "(.*)")?$/) || [null, one]; return [id, name || id.replace(/_/g, " ")]; }) };
}

// NAME: EXPRESSION, for each pane; with a first line 'columns: a | b', one expression for each column.
function readNumbers(lines) {
  const rows = lines.filter((l) => l.trim()), columns = rows[0]?.startsWith("columns: ") ? rows.shift().slice(9).split(" | ") : null;
  return {
    columns,
    rows: rows.map((line) => {
      const [, name, rest] = line.match(/^(.+?): (.+)$/) || [];
      const cells = rest?.split(" | ");
      if (!cells || (columns && cells.length !== columns.length)) throw new Error(`'${line}': expected NAME: an expression${columns ? " for each column" : ""}`);
      return [name, ...cells];
    }),
  };
}

const PROBE = /\b(?:speed|velocity|force|error)\(\s*(["'])(.+?)\1/g;

function readOne(id, text) {
  const lines = text.split("\n"), title = lines[0].match(/^# (.+)$/)?.[1];
  if (!title) throw new Error("expected '# TITLE' first");
  const sections = {}, head = {};
  let at = null;
  for (const line of lines.slice(1)) {
    const name = line.match(/^## (.+)$/)?.[1];
    if (name) {
      if (!SECTIONS.includes(name) || sections[name]) throw new Error(`section '${name}': expected each of ${SECTIONS.join(", ")} once`);
      at = sections[name] = [];
    } else if (at) at.push(line);
    else if (line.trim()) {
      const [, key, rest] = line.match(/^(\w+): (.*)$/) || [];
      if (!HEAD.includes(key)) throw new Error(`'${line}': expected one of ${HEAD.join(", ")}`);
      head[key] = rest;
    }
  }
  for (const name of NEEDED) if (!sections[name]) throw new Error(`there is no section '${name}'`);
  if (Boolean(head.scene) === Boolean(sections.Scene)) throw new Error("expected 'scene: NAME' or a section 'Scene'");
  const claims = [], section = (name) => (sections[name] ? blocks(sections[name], claims) : "");
  const list = (text) => (text ? text.split(/;\s*/) : []);
  const lesson = {
    id, title, short: head.short, source: head.source, topics: list(head.topics), ...(head.scene ? { scene: head.scene } : { text: sceneText(sections.Scene) }),
    set: list(head.set), ...(head.other !== undefined ? { other: list(head.other) } : {}), layers: list(head.layers), ...(head.view ? { view: JSON.parse(head.view) } : {}),
    predict: readPredict(sections.Predict, claims), controls: sections.Sliders.filter((l) => l.trim()).map(readControl), numbers: readNumbers(sections.Numbers),
    labels: (sections.Labels || []).filter((l) => l.trim()).map((line) => line.match(/^(.+?): (.+)$/).slice(1)),
    body: section("Text"), notice: section("Notice"), wrong: section("Wrong in the sources"), challenge: section("Challenge"),
  };
  const codes = [...lesson.numbers.rows.flatMap(([, ...cells]) => cells), ...claims.map((c) => c.code)];
  lesson.probes = [...new Set(codes.flatMap((code) => [...code.matchAll(PROBE)].map((m) => m[2])))];
  return { lesson, claims };
}

// As it is written, without the indentation and the fence.
const sceneText = (lines) => `${lines.filter((l) => !l.startsWith("```")).join("\n").trim()}\n`;

// { lesson, claims }
export function readLesson(id) {
  try {
    return readOne(id, readFileSync(path.join(folder, `${id}.md`), "utf8"));
  } catch (error) {
    throw new Error(`lessons/${id}.md: ${error.message}`);
  }
}

// All of them, in the order of the index.
export const readLessons = () => index().flatMap(({ lessons }) => lessons).map(readLesson);

// What an expression may name: all that measure() in src/measure.js gives.
const names = "{ A, B, at, x, y, z, distance, angle, length, stretch, centre, top, bottom, volume, piercings, worst, mean, kinetic, potential, elastic, energy, momentum, angular, mass, passes, residual, start, time, frame, speed, velocity, force, error, value, settings, sub, add, scale, dot, cross, norm, turn }";
export const asFunction = (code) => `(${names}) => (${code})`;

// The module of the page: data, and functions of what is measured.
export function asModule() {
  const all = readLessons().map(({ lesson }) => {
    const { numbers, ...rest } = lesson;
    const rows = numbers.rows.map(([name, ...cells]) => `[${JSON.stringify(name)}, ${cells.map(asFunction).join(", ")}]`);
    return `{ ...${JSON.stringify(rest)}, columns: ${JSON.stringify(numbers.columns)}, rows: [${rows.join(", ")}] }`;
  });
  return `export const chapters = ${JSON.stringify(index())};\nexport const lessons = [\n${all.join(",\n")}\n];\n`;
}

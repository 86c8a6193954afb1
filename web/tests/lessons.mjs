// Runs scenes of lessons in Node and measures what they say: for the tests, and for the author of a lesson.
//
//     node web/tests/lessons.mjs LESSON [FRAME...] [PATH=VALUE...]     its table at these frames
import { fileURLToPath } from "node:url";
import { asFunction, readLesson } from "../playground/lessons.mjs";
import { measure, particleOf, shortReport } from "../playground/src/measure.js";
import { files, text } from "./scenes.mjs";

const evaluate = (code) => new Function(`return ${asFunction(code)}`)();   // the lessons are ours

class Run {
  constructor(sinew, lesson, set, reverseAt) {
    this.scene = sinew.scene(lesson.text ?? text(lesson.scene), { name: `${lesson.id}.json`, set, files });
    const { scene } = this, { world } = scene, moving = scene.bodies.filter((b) => b.type === "dynamic");
    this.model = { links: world.links(), meshes: scene.meshes.map((m) => ({ ...m, triangles: m.triangles.slice() })), bodies: moving.map((b) => ({ name: b.name, body: b.body, particle: b.particle })) };
    this.probes = lesson.probes.map((name) => particleOf(this.model, name));
    for (let i = 0; i < scene.warmUp; ++i) scene.frame();
    this.frame = 0;
    this.reverseAt = reverseAt;
    this.start = this.picture();
  }

  picture() {
    const { world } = this.scene;
    return { frame: this.frame, time: world.time, positions: world.positions.slice(), bodies: world.bodyPoses.slice(), report: shortReport(world), probed: this.probes.map((n) => world.inspect(n, world.particleBody(n))) };
  }

  to(frame) {
    for (; this.frame < frame; ++this.frame) {
      if (this.frame === this.reverseAt) this.scene.world.reverse();
      this.scene.frame();
    }
    return { picture: this.picture(), model: this.model, start: this.start, settings: this.scene.world.settings };
  }
}

const started = (lesson, path) => lesson.controls.find((c) => c.build && (c.key === path || c.also?.includes(path)))?.start;

// Opens a lesson under other settings (reverse=FRAME: time is turned round then); at(frame) gives what can be measured of each pane, code evaluated.
export function openLesson(sinew, lesson, set = []) {
  const given = Object.fromEntries(set.map((one) => one.split("="))), paths = set.filter((one) => !one.startsWith("reverse="));
  const runs = [lesson.set, ...(lesson.other ? [lesson.other] : [])].map((own) => new Run(sinew, lesson, [...own, ...paths], Number(given.reverse)));
  const value = (path) => Number(given[path] ?? started(lesson, path));
  return {
    at(frame) {
      const all = measure(runs.map((run) => run.to(frame)), lesson.probes, value);
      return { value: (code, pane = 0) => evaluate(code)(all[pane]) };
    },
    close() { for (const run of runs) run.scene.destroy(); },
  };
}

export const shown = (v, digits = 4) => (Array.isArray(v) ? `(${v.map((c) => c.toFixed(digits)).join(", ")})` : typeof v === "number" ? v.toPrecision(5) : String(v));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [id, ...rest] = process.argv.slice(2), { load } = await import("../package/sinew.js");
  const found = readLesson(id), { lesson } = found, frames = rest.filter((r) => /^\d+$/.test(r)).map(Number), open = openLesson(await load(), lesson, rest.filter((r) => r.includes("=")));
  for (const frame of frames.length ? frames.sort((a, b) => a - b) : [0, 60, 120, 240]) {
    const now = open.at(frame);
    console.log(`frame ${frame}`);
    for (const [name, ...cells] of lesson.numbers.rows) {
      const values = lesson.numbers.columns ? cells.map((code) => now.value(code)) : [lesson.set, ...(lesson.other ? [1] : [])].map((_, pane) => now.value(cells[0], pane));
      console.log(`  ${name.padEnd(34)} ${values.map((v) => shown(v)).join("   ")}`);
    }
  }
  for (const claim of found.claims) {
    const own = openLesson(await load(), lesson, claim.set), v = own.at(claim.frame).value(claim.code, claim.pane);
    console.log(`  ${Math.abs(v - claim.value) <= claim.within ? "holds" : "FAILS"}  ${claim.shown} @${claim.frame} ${claim.set.join(" ")}: ${v}`);
  }
}

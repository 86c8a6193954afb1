// Finds how far each scene gets, so that camera, light and ground take in the whole run from its first frame: data/views.json. Angles that
// are there already are kept. Scenes that lessons have for themselves are 'lesson/NAME'. Run it for new ones:
//
//     node views.mjs [NAME ...]
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { load } from "../package/sinew.js";
import { files as lessons, readLesson } from "./lessons.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const scenes = path.resolve(here, "../../scenes");
const file = path.join(here, "data/views.json");
const views = JSON.parse(readFileSync(file, "utf8"));
const names = process.argv.length > 2 ? process.argv.slice(2) : [...readdirSync(scenes).filter((n) => n.endsWith(".json")).map((n) => n.slice(0, -5)), ...lessons().filter((id) => readLesson(id).lesson.text).map((id) => `lesson/${id}`)];
const meshes = Object.fromEntries(readdirSync(path.join(scenes, "meshes")).map((n) => [`meshes/${n}`, readFileSync(path.join(scenes, "meshes", n))]));
const LONGEST = 240;   // frames
const SHARE = 0.005;   // of all places that may lie outside: what flies away

const engine = await load();
for (const name of names.sort()) {
  const own = name.startsWith("lesson/") ? readLesson(name.slice(7)).lesson : null;
  const scene = engine.scene(own ? own.text : readFileSync(path.join(scenes, `${name}.json`), "utf8"), { files: meshes, set: own?.set });
  const { world } = scene, seen = [[], [], []];
  const look = () => {
    const p = world.positions, r = world.radii, w = world.inverseMasses;
    const stride = Math.max(1, Math.floor(p.length / 3 / 400));
    for (let i = 0; 3 * i < p.length; i += stride) for (let k = 0; k < 3; ++k) if (Number.isFinite(p[3 * i + k])) seen[k].push(p[3 * i + k] - (w[i] ? r[i] : 0), p[3 * i + k] + (w[i] ? r[i] : 0));
    for (const body of scene.bodies.filter((b) => b.type === "dynamic")) {
      const c = world.bodyPoses.subarray(7 * body.body, 7 * body.body + 7);
      const v = body.mesh.vertices, [x, y, z, s] = c.subarray(3);
      for (let i = 0; i < v.length; i += 3 * Math.max(1, Math.floor(v.length / 60))) {
        const tx = 2 * (y * v[i + 2] - z * v[i + 1]), ty = 2 * (z * v[i] - x * v[i + 2]), tz = 2 * (x * v[i + 1] - y * v[i]);
        seen[0].push(c[0] + v[i] + s * tx + y * tz - z * ty);
        seen[1].push(c[1] + v[i + 1] + s * ty + z * tx - x * tz);
        seen[2].push(c[2] + v[i + 2] + s * tz + x * ty - y * tx);
      }
    }
  };
  for (let i = 0; i < scene.warmUp; ++i) scene.frame();
  look();
  for (const v of seen) v.push(...v, ...v, ...v);   // the start counts
  for (let i = 1; i <= Math.min(LONGEST, scene.frames); ++i) {
    scene.frame();
    if (i % 8 === 0) look();
  }
  const low = [], high = [];
  for (let k = 0; k < 3; ++k) {
    const v = Float64Array.from(seen[k]).sort();
    low.push(+v[Math.floor(SHARE * (v.length - 1))].toFixed(3));
    high.push(+v[Math.ceil((1 - SHARE) * (v.length - 1))].toFixed(3));
  }
  views[name] = { ...views[name], low, high };
  scene.destroy();
  process.stdout.write(".");
}
const lines = Object.entries(views).sort().map(([name, entry]) => `${JSON.stringify(name)}: ${JSON.stringify(entry)}`);
writeFileSync(file, `{\n${lines.join(",\n")}\n}\n`);
process.stdout.write("\n");

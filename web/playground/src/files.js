// Files of one's own: a scene, with the meshes that it names, or meshes alone, for which a scene is made.
const MOST = 40 * 2 ** 20;   // bytes of one file

export async function readFiles(list) {
  const files = {};
  for (const file of list) {
    if (file.size > MOST) throw new Error(`${file.name} has ${(file.size / 2 ** 20).toFixed(1)} MiB; at most ${MOST / 2 ** 20} can be read here`);
    files[file.name] = new Uint8Array(await file.arrayBuffer());
  }
  return files;
}

// What was dropped, as { name, text, files }: the scene, and what it may read.
export function asScene(files) {
  const names = Object.keys(files);
  const scenes = names.filter((name) => /\.json$/i.test(name));
  const meshes = names.filter((name) => /\.(obj|ply)$/i.test(name));
  const other = names.find((name) => !scenes.includes(name) && !meshes.includes(name));
  if (other) throw new Error(`${other}: found a file of another type, expected a scene (.json) or meshes (.obj, .ply)`);
  if (scenes.length > 1) throw new Error(`found ${scenes.length} scenes (${scenes.join(", ")}), expected one at a time`);
  if (scenes.length) {
    const kept = {};
    for (const name of meshes) { kept[name] = files[name]; kept[`meshes/${name}`] = files[name]; }
    return { name: scenes[0], text: new TextDecoder().decode(files[scenes[0]]), files: kept };
  }
  if (!meshes.length) throw new Error("there was no file");
  return { name: meshes[0].replace(/\.\w+$/, ".json"), text: sceneOf(meshes, files), files };
}

// Reads just enough of an OBJ file to know how large it is and whether its surface is closed; the engine reads it properly.
function measure(bytes) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity], edges = new Map();
  let vertices = 0;
  for (const line of new TextDecoder().decode(bytes).split("\n")) {
    const words = line.trim().split(/\s+/);
    if (words[0] === "v") {
      ++vertices;
      for (let k = 0; k < 3; ++k) { low[k] = Math.min(low[k], +words[k + 1]); high[k] = Math.max(high[k], +words[k + 1]); }
    } else if (words[0] === "f") {
      const corner = words.slice(1).map((w) => { const n = parseInt(w, 10); return n < 0 ? vertices + n : n - 1; });
      corner.forEach((a, i) => {
        const b = corner[(i + 1) % corner.length], key = a < b ? `${a},${b}` : `${b},${a}`;
        edges.set(key, (edges.get(key) || 0) + 1);
      });
    }
  }
  const known = low.every(Number.isFinite) && high.every(Number.isFinite);
  return { low: known ? low : [0, 0, 0], high: known ? high : [1, 1, 1], closed: edges.size > 0 && [...edges.values()].every((n) => n === 2) };
}

// A closed mesh falls as a balloon, an open one as cloth on a ball; both are scaled to about a metre.
function sceneOf(names, files) {
  let x = 0;
  const objects = names.map((file) => {
    const { low, high, closed } = /\.obj$/i.test(file) ? measure(files[file]) : { low: [0, 0, 0], high: [1, 1, 1], closed: true };
    const size = Math.max(...high.map((v, k) => v - low[k]), 1e-9), scale = +(1 / size).toPrecision(4);
    const middle = low.map((v, k) => ((v + high[k]) / 2) * scale);
    const lowest = low[1] * scale;
    const object = {
      type: closed ? "balloon" : "cloth", name: file.replace(/\.\w+$/, "").replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d)/, "m"), mesh: file, scale, radius: 0.01,
      position: [x - middle[0], (closed ? 0.4 : 1.15) - lowest, -middle[2]].map((v) => +v.toFixed(4)),
      material: closed ? { density: 0.6, stretch: 2e-4, bend: 5, damping: 0.002 } : { density: 0.2, stretch: 1e-4, bend: 2000, damping: 0.001 },
      contact: { material: { friction: 0.5 } },
    };
    x += 1.4;
    return { object, closed };
  });
  return JSON.stringify({
    title: names.join(", "),
    about: objects.some((o) => !o.closed) ? "Your mesh, as cloth. Drag it, pin it, or change its scene: Export, Scene." : "Your mesh, as a balloon that keeps its volume. Drag it, or change its scene: Export, Scene.",
    topic: "yours",
    world: { substeps: 20, damping: 0.2 },
    run: { frames: 600 },
    objects: objects.map((o) => o.object),
    bodies: [
      { name: "floor", type: "static", shapes: { type: "plane", material: { friction: 0.6 } } },
      ...objects.filter((o) => !o.closed).map((o, i) => ({ name: `ball${i}`, type: "static", position: [o.object.position[0], 0.55, 0], shapes: { type: "sphere", radius: 0.35 } })),
    ],
  }, null, 2);
}

// The lesson on cloth that passes through itself. Given what lessons share: see lessons.js.
import { bold, formula, math, row, space, sub, text } from "./mathml.js";

const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

// Whether the edge from p to q goes through the triangle a, b, c: both ends on different sides, and the line inside of all three edges.
function pierces(p, q, a, b, c) {
  const normal = cross(minus(b, a), minus(c, a)), before = dot(minus(p, a), normal), after = dot(minus(q, a), normal);
  if (before * after >= 0) return false;
  const way = minus(q, p), one = dot(way, cross(minus(a, p), minus(b, p))), two = dot(way, cross(minus(b, p), minus(c, p))), three = dot(way, cross(minus(c, p), minus(a, p)));
  return (one > 0 && two > 0 && three > 0) || (one < 0 && two < 0 && three < 0);
}

// How many pairs of an edge and a triangle, without a common corner, go through each other. By boxes along the axis on which the cloth is longest it is fast enough for a few hundred triangles.
export function countPiercings(positions, triangles) {
  const at = (i) => [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
  const edges = new Map(), faces = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = [triangles[t], triangles[t + 1], triangles[t + 2]], places = corners.map(at);
    faces.push({ corners, places, low: [0, 1, 2].map((k) => Math.min(...places.map((p) => p[k]))), high: [0, 1, 2].map((k) => Math.max(...places.map((p) => p[k]))) });
    for (let k = 0; k < 3; k++) {
      const a = Math.min(corners[k], corners[(k + 1) % 3]), b = Math.max(corners[k], corners[(k + 1) % 3]);
      edges.set(`${a} ${b}`, [a, b]);
    }
  }
  let count = 0;
  for (const [a, b] of edges.values()) {
    const p = at(a), q = at(b);
    for (const face of faces) {
      if ([0, 1, 2].some((k) => Math.min(p[k], q[k]) > face.high[k] || Math.max(p[k], q[k]) < face.low[k])) continue;
      if (!face.corners.includes(a) && !face.corners.includes(b) && pierces(p, q, ...face.places)) count++;
    }
  }
  return count;
}

export function clothLesson({ table, sides, range }) {
  const towel = ["objects[0].columns=13", "objects[0].rows=22"];
  return {
    id: "cloth", title: "Why cloth passes through itself", short: "Points do not see the gaps between them. What does, and what stops it.", source: "Beyond the lectures: cloth that never passes through itself",
    scene: "dropped_towel", set: [...towel, "objects[0].skin.self_collision=false"], other: towel,
    body: `<p>A towel falls on its edge and folds up. To the solver it is a set of points and rods. Two layers that come together touch between their points: in the middle of triangles, and where edges cross. Contact of points sees none of it, and A falls into itself.</p>
      <p>B looks for the two ways in which surfaces come together: a <b>vertex and a triangle</b>, and an <b>edge and an edge</b>. The nearest spots are at fixed shares of the corners, and are kept apart by the thickness of both layers:</p>
      ${formula(math("C = (", row("∑", sub("a", "i"), sub(bold("x"), "i"), "−", "∑", sub("b", "j"), sub(bold("x"), "j")), ") ·", bold("n"), "−", "2 r ≥ 0"))}
      <p>That is a push, and a push can fail: one that lifts a vertex out of one triangle may move it through the next. Once through, it is pushed to the wrong side for good. So the last word of a substep is not a push. Two layers that were apart come to intersect only through a moment in which four corners lie in one plane:</p>
      ${formula(math("(", sub(bold("x"), "2"), "−", sub(bold("x"), "1"), ") × (", sub(bold("x"), "3"), "−", sub(bold("x"), "1"), ") · (", sub(bold("x"), "4"), "−", sub(bold("x"), "1"), ") = 0", space, text("at a time "), "t ≤ h"))}
      <p>With corners on straight ways this is a cubic in t. B asks it of all pairs that are near, never misses a root, and stops what would touch shortly before: as one rigid zone, so that momentum stays. What it costs is motion, never truth: with one substep a frame instead of ten the towel is softer and later, and still free.</p>`,
    tasks: ["Let both fall. From which moment on is the count of A not zero?", "Give both one substep. Does B come to intersect?", "Pull a corner of A out of the heap, then one of B.", "Make the towel thicker: how do the folds of B change, and why not those of A?"],
    controls: [range("Substeps", "substeps", 1, 20, 1), range("Thickness, m", "objects[0].skin.thickness", 0.002, 0.02, 0.002, { build: true, start: 0.006 }), { type: "action", label: "Start again", run: (app) => app.restart(true) }],
    live: (panes) => table(sides(panes), [
      ["edges through triangles", ...panes.map((p) => countPiercings(p.picture.positions, p.model.meshes[0].triangles))],
      ["kinetic energy, J", ...panes.map((p) => p.picture.report.kinetic.toFixed(3))],
    ]),
  };
}

// How often a surface goes through itself.
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

// The cloth of `sinew bench`, general path, in Sinew and in npm's jolt-physics, for Node and browsers. Each engine gives a function that takes a frame.
//
// n by n particles, 5 cm apart, held at two corners; rods along rows, columns and both diagonals; ten passes over all of them in
// a frame of 1/60 s (Sinew: ten substeps of one pass; Jolt: ten iterations). Numbers of particles and order of rods are shuffled,
// as in any mesh.
const SPACING = 0.05;
const DT = 1 / 60;
export const PASSES = 10;

/** A shuffled list of numbers, the same every time. */
function shuffled(count) {
  const list = Uint32Array.from({ length: count }, (_, i) => i);
  let state = 1;
  for (let i = count - 1; i > 0; --i) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const k = Math.floor((state / 2 ** 32) * (i + 1));
    [list[i], list[k]] = [list[k], list[i]];
  }
  return list;
}

export function cloth(n) {
  const number = shuffled(n * n);
  const positions = new Float32Array(3 * n * n);
  const edges = [];
  for (let row = 0; row < n; ++row) {
    for (let column = 0; column < n; ++column) {
      positions.set([SPACING * column, 0, SPACING * row], 3 * number[row * n + column]);
      const join = (r, c) => r < n && c >= 0 && c < n && edges.push([number[row * n + column], number[r * n + c]]);
      join(row, column + 1);
      join(row + 1, column);
      join(row + 1, column + 1);
      join(row + 1, column - 1);
    }
  }
  const order = shuffled(edges.length);
  return { positions, edges: Array.from(order, (i) => edges[i]), held: [number[0], number[n - 1]], grid: number };
}

export function sinewCloth(sinew, model) {
  const world = sinew.world({ substeps: PASSES });
  world.addParticles(model.positions);
  model.held.forEach((p) => world.setMass(p, Infinity));
  world.addConstraints('distance', model.edges.flat());
  return () => world.step(DT);
}

export function joltCloth(Jolt, model, n) {
  const settings = new Jolt.JoltSettings();
  const pairs = new Jolt.ObjectLayerPairFilterTable(1);
  const layers = new Jolt.BroadPhaseLayerInterfaceTable(1, 1);
  layers.MapObjectToBroadPhaseLayer(0, new Jolt.BroadPhaseLayer(0));
  settings.mObjectLayerPairFilter = pairs;
  settings.mBroadPhaseLayerInterface = layers;
  settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 1, pairs, 1);
  settings.mMaxWorkerThreads = 0;
  const jolt = new Jolt.JoltInterface(settings);
  jolt.GetPhysicsSystem().SetGravity(new Jolt.Vec3(0, -9.81, 0));
  const shared = new Jolt.SoftBodySharedSettings();
  const vertex = new Jolt.SoftBodySharedSettingsVertex();
  for (let i = 0; i < n * n; ++i) {
    vertex.mPosition = new Jolt.Float3(...model.positions.subarray(3 * i, 3 * i + 3));
    vertex.mInvMass = model.held.includes(i) ? 0 : 1;
    shared.mVertices.push_back(vertex);
  }
  for (const [a, b] of model.edges) shared.mEdgeConstraints.push_back(new Jolt.SoftBodySharedSettingsEdge(a, b, 0));
  const face = new Jolt.SoftBodySharedSettingsFace(model.grid[0], model.grid[1], model.grid[n], 0); // it wants one
  shared.AddFace(face);
  shared.CalculateEdgeLengths();
  shared.Optimize();
  const body = new Jolt.SoftBodyCreationSettings(shared, new Jolt.RVec3(0, 0, 0), Jolt.Quat.prototype.sIdentity(), 0);
  body.mNumIterations = PASSES;
  body.mLinearDamping = 0;
  body.mAllowSleeping = false;
  body.mUpdatePosition = false;
  const made = jolt.GetPhysicsSystem().GetBodyInterface().CreateSoftBody(body);
  jolt.GetPhysicsSystem().GetBodyInterface().AddBody(made.GetID(), Jolt.EActivation_Activate);
  return () => jolt.Step(DT, 1);
}

/** Both, warmed up: until they are compiled for speed. */
export function engines(sinew, Jolt, n) {
  const model = cloth(n);
  const all = { sinew: sinewCloth(sinew, model), jolt: joltCloth(Jolt, model, n) };
  for (const step of Object.values(all)) for (let i = 0; i < 20; ++i) step();
  return { all, rods: model.edges.length };
}

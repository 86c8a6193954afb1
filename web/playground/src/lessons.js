// Lessons on topics of the lectures: a short text, the formula, and the scene, live, with a few controls of its own.
//
// A lesson names a scene, what is changed in it before it is built (set, as 'sinew run --set'), and, if two are to be compared, the
// same for the second pane. Controls change the settings of panes while they run, or build the scene anew; a table shows what counts.
import { clothLesson } from "./lesson_cloth.js";
import { bold, dot, formula, frac, hat, math, row, space, sub, subsup, sup, text, under } from "./mathml.js";

const n = (v, digits = 3) => (Number.isFinite(v) ? (Math.abs(v) >= 1e5 || (v !== 0 && Math.abs(v) < 10 ** -digits) ? v.toExponential(2) : v.toFixed(digits)) : "–");
const at = (picture, particle) => [0, 1, 2].map((k) => picture.positions[3 * particle + k]);
const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
const vector = (v) => `(${v.map((x) => n(x)).join(", ")})`;

// Mean and largest strain of what links particles, against their distances at the start.
function strain(pane) {
  const { links } = pane.model, picture = pane.start, now = pane.picture.positions, was = picture.positions;
  let worst = 0, sum = 0;
  for (let i = 0; i < links.length; i += 2) {
    const a = 3 * links[i], b = 3 * links[i + 1];
    const l0 = Math.hypot(was[a] - was[b], was[a + 1] - was[b + 1], was[a + 2] - was[b + 2]);
    const l = Math.hypot(now[a] - now[b], now[a + 1] - now[b + 1], now[a + 2] - now[b + 2]);
    const e = Math.abs(l / l0 - 1);
    sum += e;
    worst = Math.max(worst, e);
  }
  return { mean: sum / (links.length / 2), worst };
}

const table = (head, rows) => `<table><thead><tr><th></th>${head.map((h) => `<td>${h}</td>`).join("")}</tr></thead><tbody>${rows.map(([name, ...cells]) => `<tr><th scope="row">${name}</th>${cells.map((c) => `<td>${c}</td>`).join("")}</tr>`).join("")}</tbody></table>`;
const sides = (panes) => (panes.length > 1 ? ["A", "B"] : ["now"]);

const range = (label, key, least, most, step, extra = {}) => ({ type: "range", label, key, least, most, step, ...extra });
const choice = (label, key, options, extra = {}) => ({ type: "choice", label, key, options, ...extra });

const integrators = [["forward_euler", "Forward Euler"], ["symplectic_euler", "Symplectic Euler"], ["leapfrog", "Leapfrog"], ["verlet", "Verlet"], ["bdf2", "BDF2"]];

// Of the weight on the spring: what is stored in the spring, which as a plain force is in no report, and what moves.
function springEnergy(pane) {
  const l = distance(at(pane.picture, 0), at(pane.picture, 1));
  return pane.picture.report.kinetic + 20 * (l - 1) ** 2;
}

export const lessons = [
  {
    id: "integrators", title: "Integrators on a spring", short: "Why forward Euler gains energy and Verlet does not.", source: "Integrators, damping and positional constraints for games",
    scene: "spring_integrators", set: ["world.integrator=forward_euler"], other: ["world.integrator=verlet"],
    body: `<p>A weight swings on a spring without any friction. Its energy ought to stay what it was. Whether it does depends on one line of code: which velocity moves the position.</p>
      ${formula(math(text("forward Euler: "), row(sub(bold("x"), text("new")), "=", bold("x"), "+", "h", bold("v"))),
        math(text("symplectic Euler: "), row(sub(bold("x"), text("new")), "=", bold("x"), "+", "h", sub(bold("v"), text("new")))),
        math(text("Verlet: "), row(sub(bold("x"), text("new")), "=", "2", bold("x"), "−", sub(bold("x"), text("old")), "+", sup("h", "2"), bold("a"))))}
      <p>Forward Euler uses the old velocity, always steps off the curve to the outside, and gains with every swing. Symplectic Euler uses the new one: its energy wavers, but stays in a band. Leapfrog and Verlet keep it to second order: halve the step, and the error becomes a quarter.</p>`,
    tasks: ["Let A run for ten seconds. How far does the weight swing then?", "Give A symplectic Euler, and look at the band in the curve of energy.", "Give forward Euler ten substeps. Is it cured, or only slower?"],
    controls: [choice("A", "integrator", integrators, { pane: 0 }), choice("B", "integrator", integrators, { pane: 1 }), range("Substeps", "substeps", 1, 20, 1)],
    live: (panes) => table(sides(panes), [["energy at the start, J", ...panes.map(() => n(20 * 0.25))], ["energy now, J", ...panes.map((p) => n(springEnergy(p)))], ["swing, m", ...panes.map((p) => n(Math.abs(distance(at(p.picture, 0), at(p.picture, 1)) - 1)))]]),
  },
  {
    id: "distance", title: "One distance, worked", short: "Two particles, a rod, and every number of one projection.", source: "The distance constraint, derived and worked",
    scene: "worked_example", paused: true,
    body: `<p>Two particles of 10 kg and 2 kg are 6 m apart and belong on a rod of 3 m. The constraint says what is wrong, its gradient in which direction it gets better:</p>
      ${formula(math("C = |", sub(bold("p"), "1"), "−", sub(bold("p"), "2"), "| − d"), math("λ = −", frac(row("C"), row(sub("w", "1"), "+", sub("w", "2"))), space, "Δ", sub(bold("p"), "i"), "= λ", sub("w", "i"), sub("∇", "i"), "C"))}
      <p>With w = 1/m the light one takes five sixths of the way and the heavy one a sixth. The centre of mass stays, and so do linear and angular momentum. One projection is exact here, because C is linear along the line between the two.</p>
      <p>The slide calls k|Δp| a force. It is a way; the forces are m Δp / h², and those are equal and opposite.</p>`,
    tasks: ["Press <b>Project</b>, and compare with the numbers in the table, which are worked by hand.", "Give both the same mass."],
    controls: [{ type: "action", label: "Project once", run: (app) => app.stepOnce() }, { type: "action", label: "Start again", run: (app) => app.restart() },
      range("m₁, kg", "objects[0].masses[0]", 1, 20, 1, { build: true, start: 10 }), range("m₂, kg", "objects[0].masses[1]", 1, 20, 1, { build: true, start: 2 }), range("d, m", "constraints[0].rest", 0.5, 8, 0.5, { build: true, start: 3 })],
    live: ([pane], values) => {
      const p1 = [5, 3, 2], p2 = [1, 5, 6], m1 = values["objects[0].masses[0]"], m2 = values["objects[0].masses[1]"], d = values["constraints[0].rest"];
      const l = distance(p1, p2), w1 = 1 / m1, w2 = 1 / m2, lambda = -(l - d) / (w1 + w2);
      const u = p1.map((x, k) => (x - p2[k]) / l);
      const d1 = u.map((x) => lambda * w1 * x), d2 = u.map((x) => -lambda * w2 * x);
      const now = pane.picture, a = at(now, 0), b = at(now, 1);
      return table(["by hand", now.frame ? "engine" : "engine, before"], [
        ["C before, m", n(l - d), n(l - d)],
        ["λ, kg m", n(lambda), "–"],
        ["Δp₁", vector(d1), now.frame ? vector(a.map((x, k) => x - p1[k])) : "–"],
        ["Δp₂", vector(d2), now.frame ? vector(b.map((x, k) => x - p2[k])) : "–"],
        ["p₁", vector(p1.map((x, k) => x + d1[k])), vector(a)],
        ["p₂", vector(p2.map((x, k) => x + d2[k])), vector(b)],
        ["C now, m", n(0), n(distance(a, b) - d)],
      ]);
    },
  },
  {
    id: "cascade", title: "Cascade against Jacobi", short: "One after the other, or all at once?", source: "Enforcing a set of constraints",
    scene: "cascade_and_jacobi", set: [], other: ["world.solver=jacobi"],
    body: `<p>Solve one rod, and you break its neighbour. The <b>cascade</b> (Gauss-Seidel) goes through them one after the other, each seeing what those before it did, and starts over until the worst error is small or its passes are used up.</p>
      <p><b>Jacobi</b> shows the same positions to all, and puts together what they ask for. It can run on any number of processors without an order, but a correction travels only one rod in a pass:</p>
      ${formula(math(text("cascade: "), bold("x"), "←", bold("x"), "+ Δ", sub(bold("x"), "i"), "(", bold("x"), ")", space, text("for i = 1, 2, …")), math(text("Jacobi: "), bold("x"), "←", bold("x"), "+", under("∑", "i"), "Δ", sub(bold("x"), "i"), "(", bold("x"), ")", text(" / share")))}
      <p>What several rods ask of one particle must be shared: the sum overshoots and explodes, the mean does not conserve momentum. Sinew splits the particle's mass among its constraints, which does neither.</p>`,
    tasks: ["Watch the residuals, whose axis is logarithmic: how many times better is A?", "How many passes does B need to hang as A does?", "Take the mean with relaxation 1.5: closer, and momentum?"],
    controls: [range("Passes, A", "iterations", 1, 40, 1, { pane: 0 }), range("Passes, B", "iterations", 1, 40, 1, { pane: 1 }), choice("Jacobi shares", "jacobi", [["split", "mass, split"], ["averaged", "the mean"]], { pane: 1 }), range("Relaxation", "relaxation", 0.5, 1.9, 0.1, { pane: 1 })],
    live: (panes) => table(sides(panes), [["mean strain, %", ...panes.map((p) => n(100 * strain(p).mean, 2))], ["worst strain, %", ...panes.map((p) => n(100 * strain(p).worst, 1))], ["passes a frame", ...panes.map((p) => p.settings.substeps * p.settings.iterations)]]),
  },
  {
    id: "stiffness", title: "Stiffness against compliance", short: "A number without a unit, and one with.", source: "Constraint stiffness; extended position-based dynamics",
    scene: "stiffness_and_compliance",
    body: `<p>The classic way to make a constraint soft is a stiffness k between 0 and 1: a projection goes only that share of the way. But n passes leave (1 − k)ⁿ of the error, so the same k is soft with few passes and hard with many.</p>
      <p>A <b>compliance</b> α is physics instead: metres per newton, the inverse of a spring's stiffness. The multiplier λ is remembered through the passes of a substep, and what the constraint yields depends on its force alone, as soon as the passes are enough to tell every link what hangs on it:</p>
      ${formula(math("Δλ = −", frac(row("C", "+", hat("α"), "λ"), row("∑", sub("w", "j"), sup(row("|", sub("∇", "j"), "C", "|"), "2"), "+", hat("α"))), space, hat("α"), "=", frac("α", sup("h", "2"))))}
      <p>The left chain has k = 0.1, the right rope a compliance that makes it 0.11 m longer under its own weight: from ten passes on. With one pass it is 0.22 m, with five 0.113.</p>`,
    tasks: ["Move the passes from 10 to 40. Which of the two changes its length?", "And from 10 to 1?", "Move the substeps as well.", "Pull at both."],
    controls: [range("Passes", "iterations", 1, 40, 1), range("Substeps", "substeps", 1, 20, 1)],
    live: ([pane]) => {
      const { meshes } = pane.model, picture = pane.start;
      const end = (mesh) => mesh.first + mesh.count - 1;
      const sag = (mesh) => distance(at(pane.picture, mesh.first), at(pane.picture, end(mesh))) - distance(at(picture, mesh.first), at(picture, end(mesh)));
      return table(["stiffness k", "compliance"], [["longer by, m", ...meshes.slice(0, 2).map((m) => n(sag(m)))], ["expected, m", "–", "0.11"]]);
    },
  },
  {
    id: "order", title: "The order of sweeps", short: "The same cloth, the same passes: one explodes.", source: "Two claims to test: unconditional stability",
    scene: "explosion", set: ["objects[0].columns=60", "objects[0].rows=60", "objects[0].mass=3600"], other: ["objects[0].columns=60", "objects[0].rows=60", "objects[0].mass=3600", "world.order=insertion"],
    body: `<p>Position-based dynamics is often called unconditionally stable. It is not. Both sheets are the same stiff cloth with one pass a substep; only the order of the rods in a pass differs. B takes them as they were added, vertex by vertex.</p>
      <p>A pass in one direction carries waves along with it. Write the error after a pass as S e, and for a wave with S e = λ e its growth z in a substep obeys</p>
      ${formula(math(sup("z", "2"), "= λ ( 2 z − 1 )"))}
      <p>For real λ in [0, 1] every wave dies. In the order of vertices λ reaches −0.58, which grows by half in every substep while the wave travels through the cloth. The larger the cloth, the more time it has: 16 × 16 only shakes, 60 × 60 is gone in half a second.</p>
      <p>The default order goes there and back, half of the rods each way: nothing is carried along.</p>`,
    tasks: ["Let it run, and look at the energy of B.", "Give B two passes, and start again.", "Damping is said to keep energy from ever growing. Give B some, and see."],
    controls: [choice("Order of B", "order", [["insertion", "as added"], ["there_and_back", "there and back"], ["symmetric", "forth and back again"], ["worst_first", "worst first"]], { pane: 1 }), range("Passes", "iterations", 1, 4, 1), range("Damping, 1/s", "damping", 0, 10, 0.5), { type: "action", label: "Start again", run: (app) => app.restart(true) }],
    live: (panes) => table(sides(panes), [["kinetic energy, J", ...panes.map((p) => n(p.picture.report.kinetic, 1))], ["worst residual, m", ...panes.map((p) => n(Math.max(0, ...p.picture.report.kinds.map((k) => k[1])), 4))]]),
  },
  {
    id: "forces", title: "Constraint forces against positions", short: "A bead on a wire: legal accelerations, or legal places.", source: "Constrained dynamics with forces (a point on a circle)",
    scene: "point_on_circle", set: [], other: ["world.solver=gauss_seidel", "world.integrator=symplectic_euler"],
    body: `<p>A bead on a circle: C = ½(x·x − 1). If its place is legal and its velocity along the wire, then it is enough to keep the acceleration legal. The force that does so points along x and does no work:</p>
      ${formula(math(hat("f"), "= λ", bold("x"), space, "λ = −", frac(row(bold("f"), "·", bold("x"), "+", "m", dot(bold("x")), "·", dot(bold("x"))), row(bold("x"), "·", bold("x")))), math(bold("J"), bold("W"), sup(bold("J"), "T"), "λ = −", dot(bold("J")), dot(bold("q")), "−", bold("J"), bold("W"), bold("F"), "−", sub("k", "s"), bold("C"), "−", sub("k", "d"), dot(bold("C"))))}
      <p>A solves for such forces, with the spring k<sub>s</sub> and the damper k<sub>d</sub> against drift. B just moves the bead back to the wire after each substep. Its place is right to the last digit, yet every correction takes a little speed: watch how high it climbs.</p>`,
    tasks: ["Compare the curves of energy after ten seconds.", "Then the residuals: who holds the wire better?", "How many substeps does B need to lose as little?"],
    controls: [range("Substeps, A", "substeps", 1, 40, 1, { pane: 0 }), range("Substeps, B", "substeps", 1, 200, 1, { pane: 1 }), choice("B", "integrator", integrators.slice(1), { pane: 1 })],
    live: (panes) => table(sides(panes), [
      ["energy, J", ...panes.map((p) => n(p.picture.report.energy))],
      ["at the start, J", ...panes.map((p) => n(p.start.report.energy))],
      ["|x| − 1, m", ...panes.map((p) => n(Math.hypot(...at(p.picture, 0)) - 1, 6))],
      ["λ by the formula, N/m", ...panes.map((p) => {
        const x = at(p.picture, 0), r2 = x[0] ** 2 + x[1] ** 2;
        return n(-(-9.81 * x[1] + 2 * p.picture.report.kinetic) / r2, 2);
      })],
    ]),
  },
  {
    id: "verlet", title: "Verlet, impulses and teleports", short: "Where is the velocity, if only positions are stored?", source: "Verlet’s caveats",
    scene: "discontinuities",
    body: `<p>Verlet stores no velocity: it is the difference of two positions. So whoever moves a particle also pushes it, which is what makes position-based dynamics work, and a nuisance when nobody wanted to push.</p>
      ${formula(math(sub(bold("x"), text("new")), "=", bold("x"), "+ (", bold("x"), "−", sub(bold("x"), text("old")), ")", frac("h", sub("h", text("old"))), "+", bold("a"), "h", frac(row("h", "+", sub("h", text("old"))), "2")), math(text("impulse: "), sub(bold("x"), text("old")), "←", sub(bold("x"), text("old")), "− h", frac(bold("j"), "m")), math(text("teleport: "), bold("x"), text(" and "), sub(bold("x"), text("old")), text(" both by "), bold("d")))}
      <p>After one second the first ball gets an impulse, the second a force for half a second, the third is teleported by a metre, and the last one loses its pin. All under Verlet, and each does what it would under any other integrator.</p>`,
    tasks: ["Run it, then choose another integrator: nothing should look different.", "Scrub to just before 1 s, and step through the jump frame by frame.", "Kick a ball while it flies."],
    controls: [choice("Integrator", "integrator", integrators), range("Substeps", "substeps", 1, 20, 1), { type: "action", label: "Kick the third ball", run: (app) => app.command(0, "impulse", [2, [0, 2, 0]]) }, { type: "action", label: "Start again", run: (app) => app.restart() }],
    live: ([pane]) => table(["x, m", "y, m"], pane.model.meshes.map((m) => [m.name, n(at(pane.picture, m.first)[0]), n(at(pane.picture, m.first)[1])])),
  },
  {
    id: "rejection", title: "Directional rejection", short: "How interlocked balls find the way out.", source: "Position-based particles: interlocking",
    scene: "directional_rejection",
    body: `<p>A solid made of balls meets another one. If they have got into each other by more than a layer, the line between two centres points anywhere, some pairs push one way and some the other, and the bodies hook into each other for good.</p>
      <p>The mesh knows where out is. If the centres disagree with its normal n, the direction is mirrored at the surface:</p>
      ${formula(math(sup(bold("n"), "*"), "=", bold("x"), "− 2 ⟨", bold("x"), ",", bold("n"), "⟩", bold("n"), space, text("if "), "⟨", bold("x"), ",", bold("n"), "⟩ <", "0 ,", text("  else "), bold("n")), math("d = (", sub("r", "i"), "+", sub("r", "j"), ") − |", bold("x"), "|"))}
      <p>The two blocks in front push along the lines between their balls and stay hooked. Those behind use the normals of their skins, and part.</p>`,
    tasks: ["Pull the hooked ones apart by hand.", "Turn the view from above to see both pairs."],
    controls: [range("Substeps", "substeps", 1, 30, 1), { type: "action", label: "Start again", run: (app) => app.restart() }],
    live: ([pane]) => {
      const mid = (m) => { let s = 0; for (let i = m.first; i < m.first + m.count; ++i) s += pane.picture.positions[3 * i]; return s / m.count; };
      const [a, b, c, d] = pane.model.meshes;
      return table(["hooked", "parted"], [["distance of the blocks, m", n(mid(b) - mid(a)), n(mid(d) - mid(c))], ["they touch at, m", "0.400", "0.400"]]);
    },
  },
  {
    id: "shape", title: "Shape matching", short: "Rigid and soft bodies without a single rod.", source: "Rigid objects as particles",
    scene: "jelly_cubes",
    body: `<p>Forget who is joined to whom. Take all particles of a body, find the rotation and the place in which their shape at rest fits best to where they are now, and move each of them towards its goal there.</p>
      ${formula(math(bold("A"), "=", under("∑", "i"), sub("m", "i"), "(", sub(bold("x"), "i"), "−", bold("c"), ")", sup(row("(", subsup(bold("x"), "i", "0"), "−", sup(bold("c"), "0"), ")"), "T")), math(bold("A"), "=", bold("R"), bold("S"), space, sub(bold("g"), "i"), "=", bold("R"), "(", subsup(bold("x"), "i", "0"), "−", sup(bold("c"), "0"), ") +", bold("c")))}
      <p>R is the rotation in the polar decomposition of A. With all particles in one group and goals met at once that is a rigid body; with overlapping groups, and goals that may be stretched (linear) or bent (quadratic), it is jelly. The last block yields: its shape at rest follows its dents.</p>`,
    tasks: ["Pull at each of the four and let go.", "Which one keeps a dent?", "Fewer substeps make all of them softer: stiffness here is a share of the way, as in an earlier lesson."],
    controls: [range("Substeps", "substeps", 2, 30, 1), range("Damping, 1/s", "damping", 0, 3, 0.1), { type: "action", label: "Start again", run: (app) => app.restart() }],
    live: ([pane]) => {
      const spread = (picture, m) => {
        let low = Infinity, high = -Infinity;
        for (let i = m.first; i < m.first + m.count; ++i) { const y = picture.positions[3 * i + 1]; low = Math.min(low, y); high = Math.max(high, y); }
        return high - low;
      };
      return table(["height, m"], pane.model.meshes.map((m) => [m.name, n(spread(pane.picture, m))]));
    },
  },
  {
    id: "bob", title: "A rope with a heavy bob", short: "Where sweeps give up, and a direct solve does not.", source: "Beyond the lectures: the direct solver",
    scene: "heavy_bob", set: ["world.substeps=10", "world.stiffening=off"], other: ["world.substeps=10"],
    body: `<p>Twenty links, and at their end a bob of a hundred times their mass. A cascade tells it to the links one after the other: each projection moves the light link and hardly the bob, so the news of its weight climbs slowly, and the rope stretches like rubber.</p>
      <p>But a rope is a chain, and its equations are a tridiagonal matrix:</p>
      ${formula(math("(", bold("J"), sup(bold("M"), row("−", "1")), sup(bold("J"), "T"), "+", hat("α"), ") Δ", bold("λ"), "= −", bold("C"), "−", hat("α"), bold("λ")))}
      <p>Eliminate the links from the free end to the peg and substitute back: the linearised equations are then solved exactly, by one sweep there and one back, whatever hangs on it; what is left is of second order. Sinew finds the chains and trees that carry much in a world, and solves them so; the rest is swept.</p>`,
    tasks: ["How many substeps does A need to look like B?", "And what do many passes do for it, at the same cost?", "Pull the bob far away, and let go."],
    controls: [range("Substeps, A", "substeps", 1, 100, 1, { pane: 0 }), range("Passes, A", "iterations", 1, 50, 1, { pane: 0 }), range("Substeps, B", "substeps", 1, 100, 1, { pane: 1 })],
    live: (panes) => table(sides(panes), [["rope longer by, %", ...panes.map((p) => {
      const { links } = p.model, picture = p.start;
      const length = (pic) => { let s = 0; for (let i = 0; i < links.length; i += 2) s += distance(at(pic, links[i]), at(pic, links[i + 1])); return s; };
      return n(100 * (length(p.picture) / length(picture) - 1), 2);
    })], ["worst link, %", ...panes.map((p) => n(100 * strain(p).worst, 2))]]),
  },
  {
    id: "silk", title: "Rubber or silk", short: "The finer the cloth, the more it stretches. It need not.", source: "Beyond the lectures: limits from coarse to fine",
    scene: "rubber_and_silk", set: ["world.stiffening=off"], other: [],
    body: `<p>Both cloths have the same threads, the same masses and the same number of passes. A is swept: a pass goes over all threads once. B is swept as well, after a few more constraints.</p>
      <p>A pass hands a load on by one thread. With 64 threads from the pins to the hem, ten passes a frame are too few: the threads at the pins learn late what hangs on them, and stretch like rubber. A finer cloth is worse, because its threads are lighter and there are more of them on the way.</p>
      <p>So B first looks from afar. Particles are put together in groups, and groups in larger groups. The centres of two neighbours may be no farther apart than they were at rest:</p>
      ${formula(math("|", sub(bold("c"), "a"), "−", sub(bold("c"), "b"), "| ≤ d", space, text("with"), space, bold("c"), "=", frac(row("∑", sub("m", "i"), sub(bold("x"), "i")), row("∑", sub("m", "i")))))}
      <p>These limits are solved from the coarsest to the finest, and each moves a whole group. Then one plain sweep does the rest. A limit never pushes, so cloth folds as it likes.</p>`,
    tasks: ["Before it runs: which cloth hangs lower, and by how much?", "Give both 16 threads, then 96. Which of the two depends on it?", "How many substeps does A need to look like B?", "Lift a corner of B, and let it fall: does it fold?"],
    controls: [choice("Threads", "objects[0].columns", [["16", "16"], ["32", "32"], ["64", "64"], ["96", "96"]], { build: true, start: "64", also: "objects[0].rows" }), range("Substeps, A", "substeps", 1, 60, 1, { pane: 0 }), range("Substeps, B", "substeps", 1, 60, 1, { pane: 1 })],
    live: (panes) => table(sides(panes), [["mean stretch, %", ...panes.map((p) => n(100 * strain(p).mean, 2))], ["worst thread, %", ...panes.map((p) => n(100 * strain(p).worst, 1))]]),
  },
  {
    id: "drag", title: "Three ways to say drag", short: "And why (1 − k)ᵗ is not always a number.", source: "Friction, velocity damping",
    scene: "drag",
    body: `<p>Velocity fades away. One can say by what force per speed, which share is lost in a second, or at which rate it decays. All three are one exponential, and the velocity is exact for any step. The place is not: with one substep of 1/60 s the first puck is 4 cm short of 7 m after 5 s, with ten 4 mm.</p>
      ${formula(math(bold("v"), "←", sup("e", row("−", sub("k", "0"), "h", "/", "m")), bold("v"), space, sup(row("(", "1", "−", sub("k", "1"), ")"), "h"), bold("v"), space, sup("e", row("−", sub("k", "2"), "h")), bold("v")), math(sub("k", "2"), "=", frac(sub("k", "0"), "m"), space, sub("k", "1"), "= 1 −", sup("e", row("−", sub("k", "2")))))}
      <p>The slide has (1 − k₀/m)ᵗ for the first: that is no number once k₀ exceeds m. Damp before forces are added, or gravity is damped, too, and nothing reaches the speed at which it should fall.</p>`,
    tasks: ["Two of the five stay side by side all the way: 50 % lost a second, and a rate of ln 2. Which?", "Do they still with twenty substeps?", "The heavy puck feels the same force as the light one. Which coasts farther?"],
    controls: [range("Substeps", "substeps", 1, 20, 1), { type: "action", label: "Start again", run: (app) => app.restart() }],
    live: ([pane]) => table(["x, m", "y, m"], pane.model.meshes.slice(0, 6).map((m) => [m.name, n(at(pane.picture, m.first)[0]), n(at(pane.picture, m.first)[1])])),
  },
  {
    id: "box", title: "A box of four particles", short: "Rigid bodies nobody programmed.", source: "Rigid objects as emerging behaviour",
    scene: "box_2d",
    body: `<p>Four particles, six rods: a box in two dimensions. There is no angle, no angular velocity and no torque anywhere in the program. Yet it tumbles, because the rods keep the corners apart and the floor stops them one at a time.</p>
      ${formula(math("∑", sub("m", "i"), "Δ", sub(bold("x"), "i"), "= 0", space, "∑", sub(bold("r"), "i"), "×", sub("m", "i"), "Δ", sub(bold("x"), "i"), "= 0"))}
      <p>Every projection of a rod conserves linear momentum, and angular momentum about where the corners are then; so what emerges turns nearly as a rigid body turns. Nearly: velocities are differences to where the corners were, and of a box that turns freely at 3 rad/s 6.7 % of the angular momentum is gone after 5 s with ten substeps, 3.6 % with twenty, however many the passes.</p>`,
    tasks: ["Pull a corner.", "With one pass a substep the box becomes soft. How many does it take?"],
    controls: [range("Passes", "iterations", 1, 30, 1), range("Substeps", "substeps", 1, 30, 1), { type: "action", label: "Start again", run: (app) => app.restart() }],
    live: ([pane]) => table(["now"], [["worst strain of a rod, %", n(100 * strain(pane).worst, 3)], ["angular momentum, kg m²/s", n(pane.picture.report.angular)]]),
  },
  clothLesson({ table, sides, range }),
];

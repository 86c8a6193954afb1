// Scenes with known answers, as plain data, and how far a run is from them. A scene is what every engine can build: rigid bodies with given masses and
// moments, ball joints and hinges, of which some are sprung, a ground. A run is a list of frames; a frame is a list of poses {x, q, v, w}, one for each body. Where a
// scene asks for forces, a frame has `forces` as well, if the engine tells them: by body, what it is pushed up with by what is below it, N, the mean over the frame.
export const g = 9.81;
export const frame = 1 / 60; // s, between two poses

// ---- Bodies ----
// Moments of a box with these halves.
const moments = (mass, [a, b, c]) => [mass / 3 * (b * b + c * c), mass / 3 * (a * a + c * c), mass / 3 * (a * a + b * b)];
const still = {rotation: [0, 0, 0, 1], velocity: [0, 0, 0], spin: [0, 0, 0], friction: 0, restitution: 0};
const thin = 0.02;

// A rod from one place in the plane z = 0 to another.
function rod(from, to, mass) {
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
    const turn = Math.atan2(to[1] - from[1], to[0] - from[0]) / 2;
    const half = [length / 2, thin, thin];
    return {...still, half, mass, moments: moments(mass, half), position: [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2, 0], rotation: [0, 0, Math.sin(turn), Math.cos(turn)]};
}
const box = (half, mass, position, more) => ({...still, shape: 'box', half, mass, moments: moments(mass, half), position, ...more});
const sphere = (radius, mass, position, more) =>
    ({...still, shape: 'sphere', radius, mass, moments: Array(3).fill(0.4 * mass * radius * radius), position, ...more});
const hinge = (a, b, anchor) => ({type: 'hinge', a, b, anchor, axis: [0, 0, 1]});
const sprung = (a, b, anchor, stiffness, damping) => ({...hinge(a, b, anchor), stiffness, damping}); // N m/rad, N m s; at rest as it is
const ball = (a, b, anchor) => ({type: 'ball', a, b, anchor, axis: [1, 0, 0]});

// ---- Mathematics ----
// Complete elliptic integral of the first kind, by the arithmetic-geometric mean.
function ellipticK(k) {
    let a = 1, b = Math.sqrt(1 - k * k);
    for (let i = 0; i < 30; ++i) [a, b] = [(a + b) / 2, Math.sqrt(a * b)];
    return Math.PI / (2 * a);
}
// The period of inertia * angle'' = -stiffness * sin(angle), released at an angle.
const period = (inertia, stiffness, angle) => 4 * Math.sqrt(inertia / stiffness) * ellipticK(Math.sin(angle / 2));

function rk4(state, derivative, h, steps) {
    const add = (a, b, s) => a.map((x, i) => x + s * b[i]);
    for (let i = 0; i < steps; ++i) {
        const k1 = derivative(state), k2 = derivative(add(state, k1, h / 2)), k3 = derivative(add(state, k2, h / 2)), k4 = derivative(add(state, k3, h));
        state = state.map((x, j) => x + h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]));
    }
    return state;
}

function turned([x, y, z, w], v) {
    const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    const c = cross([x, y, z], v).map((e, i) => e + w * v[i]), d = cross([x, y, z], c);
    return v.map((e, i) => e + 2 * d[i]);
}
const inverse = ([x, y, z, w]) => [-x, -y, -z, w];

// When something crosses 0, by the cubic through the four samples around it.
function crossings(value) {
    const found = [];
    for (let i = 1; i + 2 < value.length; ++i) {
        if ((value[i] > 0) === (value[i + 1] > 0)) continue;
        const [a, b, c, d] = value.slice(i - 1, i + 3);
        const at = (t) => a * -t * (t - 1) * (t - 2) / 6 + b * (t + 1) * (t - 1) * (t - 2) / 2 - c * (t + 1) * t * (t - 2) / 2 + d * (t + 1) * t * (t - 1) / 6;
        let low = 0, high = 1;
        for (let k = 0; k < 60; ++k) {
            const middle = (low + high) / 2;
            if ((at(middle) > 0) === (b > 0)) low = middle; else high = middle;
        }
        found.push((i + low) * frame);
    }
    return found;
}
const periodError = (run, body, exact) => {
    const times = crossings(run.map((poses) => Math.atan2(poses[body].x[0] - (run.pivot ?? 0), -poses[body].x[1])));
    return times.length > 2 ? Math.abs(times[2] - times[0] - exact) / exact : Infinity;
};

// ---- Cases ----
function pendulum() {
    // at 120 degrees: at 90, of all angles, the second-order error of the period vanishes for symplectic methods
    const angle = 2 * Math.PI / 3, body = rod([0, 0], [Math.sin(angle), -Math.cos(angle)], 1), inertia = body.moments[2] + 0.25;
    const scene = {gravity: [0, -g, 0], bodies: [body], joints: [hinge(-1, 0, [0, 0, 0])]};
    return [
        {name: 'pendulum, period', about: 'a rod of 1 m on a hinge, released at 120 degrees: its first period, by an elliptic integral (at 90 degrees, where this was first tried, the second-order error of symplectic methods vanishes by chance)', unit: '%', scene, seconds: 4,
            error: (run) => 100 * periodError(run, 0, period(inertia, g / 2, angle))},
        {name: 'pendulum, energy', about: 'the same: the energy that is gained or lost after 10 s, relative to m g l', unit: '%', scene, seconds: 10,
            error: (run) => {
                const {x, v, w} = run.at(-1)[0], [i1, , i3] = body.moments;
                const spin = i3 * w[2] ** 2 + i1 * (w[0] ** 2 + w[1] ** 2);
                return 100 * Math.abs((v[0] ** 2 + v[1] ** 2 + v[2] ** 2 + spin) / 2 + g * (x[1] + Math.cos(angle) / 2)) / (g / 2);
            }},
    ];
}

function doublePendulum() {
    const bodies = [rod([0, 0], [1, 0], 1), rod([1, 0], [2, 0], 1)], inertia = bodies[0].moments[2];
    // angles from the vertical; the centre of the second rod is l1 + l2 / 2 away
    const derivative = ([a, b, da, db]) => {
        const m11 = inertia + 0.25 + 1, m22 = inertia + 0.25, m12 = 0.5 * Math.cos(a - b), s = 0.5 * Math.sin(a - b);
        const f1 = -s * db * db - 1.5 * g * Math.sin(a), f2 = s * da * da - 0.5 * g * Math.sin(b), det = m11 * m22 - m12 * m12;
        return [da, db, (m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det];
    };
    const [a, b] = rk4([Math.PI / 2, Math.PI / 2, 0, 0], derivative, 1e-5, 100000);
    const tip = [Math.sin(a) + Math.sin(b), -Math.cos(a) - Math.cos(b)];
    return [{name: 'double pendulum', about: 'two rods of 1 m, released horizontally: where the tip is after 1 s, against a Runge-Kutta integration of 1e-5 s', unit: 'mm',
        scene: {gravity: [0, -g, 0], bodies, joints: [hinge(-1, 0, [0, 0, 0]), hinge(0, 1, [1, 0, 0])]}, seconds: 1,
        error: (run) => {
            const {x, q} = run.at(-1)[1], end = turned(q, [0.5, 0, 0]);
            return 1000 * Math.hypot(x[0] + end[0] - tip[0], x[1] + end[1] - tip[1], x[2] + end[2]);
        }}];
}

function precession() {
    const length = 0.2, spin = 50, moment = 0.02, rate = g * length / (moment * spin);
    const body = {...still, half: [0.02, 0.2, 0.2], mass: 1, moments: [moment, 0.0125, 0.0125], position: [length, 0, 0], velocity: [0, 0, -rate * length], spin: [spin, rate, 0]};
    return [{name: 'precession', about: 'a fast top with a horizontal axis, held at one end, in steady precession: by how much its axis is wrong after 2 s', unit: 'rad',
        scene: {gravity: [0, -g, 0], bodies: [body], joints: [ball(-1, 0, [0, 0, 0])]}, seconds: 2,
        error: (run) => {
            const [x, y, z] = run.at(-1)[0].x, size = Math.hypot(x, y, z), along = (x * Math.cos(2 * rate) - z * Math.sin(2 * rate)) / size;
            return Math.acos(Math.min(1, along));
        }}];
}

function tumbling() {
    const body = {...still, half: [0.3, 0.2, 0.1], mass: 1, moments: [1, 2, 3], position: [0, 0, 0], spin: [0.01, 5, 0.01]};
    return [{name: 'tumbling', about: 'a free body that turns about its middle axis: when it first turns over (2.741068 s)', unit: '%',
        scene: {gravity: [0, 0, 0], bodies: [body], joints: []}, seconds: 6,
        error: (run) => {
            const times = crossings(run.map(([{q, w}]) => turned(inverse(q), w)[1]));
            return times.length ? 100 * Math.abs(times[0] - 2.741068) / 2.741068 : Infinity;
        }}];
}

function fourBar() {
    const angle = Math.PI / 3, [s, c] = [Math.sin(angle), -Math.cos(angle)];
    const bodies = [rod([0, 0], [s, c], 1), rod([1, 0], [1 + s, c], 1), rod([s, c], [1 + s, c], 1)], inertia = bodies[0].moments[2] + 0.25;
    return [{name: 'four-bar', about: 'a parallelogram of three rods of 1 m, released at 60 degrees: its first period', unit: '%',
        scene: {gravity: [0, -g, 0], bodies, joints: [hinge(-1, 0, [0, 0, 0]), hinge(-1, 1, [1, 0, 0]), hinge(0, 2, [s, c, 0]), hinge(1, 2, [1 + s, c, 0])]}, seconds: 4,
        error: (run) => 100 * periodError(run, 0, period(2 * inertia + 1, 2 * g, angle))}];
}

function restitution(e) {
    return {name: `restitution ${e}`, about: `a ball that falls 1 m: how high it comes back, ${(e * e).toFixed(2)} m`, unit: '%',
        scene: {gravity: [0, -g, 0], ground: {friction: 0.5, restitution: e}, bodies: [sphere(0.1, 1, [0, 1.1, 0], {friction: 0.5, restitution: e})], joints: []}, seconds: 0.65,
        error: (run) => {
            const [{x, v}] = run.at(-1);
            return 100 * Math.abs(x[1] - 0.1 + v[1] * Math.abs(v[1]) / (2 * g) - e * e) / (e * e);
        }};
}

function sliding() {
    const exact = 4 / (2 * 0.4 * g);
    return {name: 'sliding stop', about: 'a box of 2 m/s on a ground with friction 0.4: how far it comes', unit: '%',
        scene: {gravity: [0, -g, 0], ground: {friction: 0.4, restitution: 0}, bodies: [box([0.2, 0.05, 0.2], 1, [0, 0.05, 0], {velocity: [2, 0, 0], friction: 0.4})], joints: []}, seconds: 1.5,
        error: (run) => 100 * Math.abs(run.at(-1)[0].x[0] - exact) / exact};
}

function rolling() {
    const slope = Math.PI / 9, exact = 5 / 14 * g * Math.sin(slope);
    return {name: 'rolling', about: 'a ball that rolls down 20 degrees with friction 0.8: how far it is after 1 s', unit: '%',
        scene: {gravity: [g * Math.sin(slope), -g * Math.cos(slope), 0], ground: {friction: 0.8, restitution: 0}, bodies: [sphere(0.1, 1, [0, 0.1, 0], {friction: 0.8})], joints: []}, seconds: 1,
        error: (run) => 100 * Math.abs(run.at(-1)[0].x[0] - exact) / exact};
}

function stack() {
    const bodies = Array.from({length: 10}, (_, i) => box([0.1, 0.1, 0.1], 1, [0, 0.1 + 0.2 * i, 0], {friction: 0.5}));
    return {name: 'stack', about: 'ten boxes of 0.2 m on each other for 10 s: how far one of them is from where it was put, at most', unit: 'mm',
        scene: {gravity: [0, -g, 0], ground: {friction: 0.5, restitution: 0}, bodies, joints: []}, seconds: 10,
        error: (run) => 1000 * Math.max(...run.at(-1).map(({x}, i) => Math.hypot(x[0], x[1] - 0.1 - 0.2 * i, x[2])))};
}

function stackForces() {
    const count = 10, {scene, seconds} = stack();
    return {name: 'stack forces', about: `the same: the largest error of a force between two, or on the ground, in the last second (means over frames), relative to the weight of all`, unit: '%',
        scene: {...scene, forces: true}, seconds,
        error: (run) => (run.at(-1).forces ? 100 / count * Math.max(...run.slice(-60).flatMap(({forces}) => forces.map((force, i) => Math.abs(force / g - (count - i))))) : undefined)};
}

// A metre and a kilogram of rods, with springs as a beam of 6 N m^2 has them.
function cantilever(count) {
    const length = 1 / count, mass = 1 / count, stiffness = 6 * count, damping = stiffness / 30;
    // the rods' angles below the horizontal: the least of the energy, by Newton's method; the equations are tridiagonal
    let angle = Array(count).fill(0);
    const load = angle.map((_, i) => mass * g * length * (count - i - 0.5));
    for (let k = 0; k < 50; ++k) {
        const pull = angle.map((a, i) => load[i] * Math.cos(a) - stiffness * (a - (angle[i - 1] ?? 0)) + stiffness * ((angle[i + 1] ?? a) - a));
        const own = angle.map((a, i) => stiffness * (i + 1 < count ? 2 : 1) + load[i] * Math.sin(a));
        for (let i = 1; i < count; ++i) {
            own[i] -= stiffness * stiffness / own[i - 1];
            pull[i] += stiffness / own[i - 1] * pull[i - 1];
        }
        let next = 0;
        for (let i = count; i-- > 0;) angle[i] += next = (pull[i] + stiffness * next) / own[i];
    }
    const exact = angle.reduce((sum, a) => sum + length * Math.sin(a), 0);
    const bodies = angle.map((_, i) => rod([length * i, 0], [length * (i + 1), 0], mass));
    return {name: `cantilever of ${count}`, about: `${count} rods of ${length} m and ${mass} kg in a row, the first at a wall, on hinges with springs of ${stiffness} N m/rad and ${damping} N m s: the error of the sag of the free end after 10 s, relative to the sag at rest (${exact.toFixed(6)} m)`, unit: '%',
        scene: {gravity: [0, -g, 0], bodies, joints: bodies.map((_, i) => sprung(i - 1, i, [length * i, 0, 0], stiffness, damping))}, seconds: 10,
        error: (run) => {
            const {x, q} = run.at(-1)[count - 1];
            return 100 * Math.abs(x[1] + turned(q, [length / 2, 0, 0])[1] + exact) / exact;
        }};
}

// The same ball with six coefficients, each in a world of its own.
function restitutionLadder() {
    const steps = [0.5, 0.6, 0.7, 0.8, 0.9, 1].map(restitution);
    return {name: 'restitution ladder', about: 'the same with 0.5, 0.6, 0.7, 0.8, 0.9 and 1: the worst of them', unit: '%', scenes: steps.map((s) => s.scene), seconds: steps[0].seconds,
        error: (runs) => Math.max(...runs.map((run, i) => steps[i].error(run)))};
}

function heavyChain() {
    const bodies = Array.from({length: 10}, (_, i) => rod([0, -0.1 * i], [0, -0.1 * (i + 1)], 0.1));
    bodies.push(sphere(0.1, 100, [0, -1.1, 0], {shape: undefined}));
    const joints = bodies.map((_, i) => ball(i - 1, i, [0, -0.1 * i, 0]));
    return {name: 'heavy chain', about: 'ten rods of 0.1 kg and 0.1 m with 100 kg below: its largest stretch in the last of 5 s, relative to its length', unit: '%',
        scene: {gravity: [0, -g, 0], bodies, joints}, seconds: 5,
        error: (run) => 100 * Math.max(...run.slice(-60).map((poses) => Math.hypot(poses[10].x[0], poses[10].x[1] + 1.1, poses[10].x[2])))};
}

function catenary() {
    const links = 20, length = 0.1, direction = (i, pull) => Math.atan((i + 0.5 - links / 2) / pull); // of link i, by the pull in weights of a link
    const span = (pull) => Array.from({length: links}, (_, i) => length * Math.cos(direction(i, pull))).reduce((a, b) => a + b);
    let low = 1e-3, high = 1e3;
    for (let k = 0; k < 100; ++k) {
        const middle = Math.sqrt(low * high);
        if (span(middle) < 1) low = middle; else high = middle;
    }
    const at = [[0, 0]];
    for (let i = 0; i < links; ++i) at.push([at[i][0] + length * Math.cos(direction(i, low)), at[i][1] + length * Math.sin(direction(i, low))]);
    const bodies = Array.from({length: links}, (_, i) => rod(at[i], at[i + 1], 0.1)), sag = -at[links / 2][1];
    const joints = [...bodies.map((_, i) => ball(i - 1, i, [...at[i], 0])), ball(-1, links - 1, [1, 0, 0])];
    return {name: 'catenary', about: `a chain of 20 rods, 2 m, between two places 1 m apart, put where it rests: the largest error of the height of its middle in the last of 5 s, relative to its sag (${sag.toFixed(6)} m)`, unit: '%',
        scene: {gravity: [0, -g, 0], bodies, joints}, seconds: 5,
        error: (run) => 100 / sag * Math.max(...run.slice(-60).map((poses) => {
            const {x, q} = poses[links / 2 - 1], end = turned(q, [length / 2, 0, 0]);
            return Math.abs(x[1] + end[1] + sag);
        }))};
}

export const cases = [...pendulum(), ...doublePendulum(), ...precession(), ...tumbling(), ...fourBar(), restitution(0.5), restitution(0.8), restitutionLadder(), sliding(), rolling(), stack(), stackForces(), heavyChain(), cantilever(5), cantilever(10), catenary()];

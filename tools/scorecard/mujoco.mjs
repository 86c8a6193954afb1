// MuJoCo, as its documentation says: bodies that joints tie to the world or to each other are a tree in joint coordinates, joints that close a loop are equality
// constraints (connect), what is free has a free joint. Defaults but for the length of a step; a second way takes its Runge-Kutta integrator. Restitution is the damping
// ratio of the contact's spring, which is as stiff as some steps of a swing allow; without restitution its time constant is two steps, the shortest that the
// documentation has. Friction is Coulomb's, with an elliptic cone.
import loadMujoco from '@mujoco/mujoco';
import {frame} from './cases.mjs';
import {timed} from './timed.mjs';

const mujoco = await loadMujoco();
export const version = mujoco.mj_versionString?.() ?? String(mujoco.mj_version?.() ?? '');

const text = (numbers) => numbers.map((n) => n.toPrecision(17)).join(' ');
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
function turn([x, y, z, w], v) {
    const c = cross([x, y, z], v).map((e, i) => e + w * v[i]), d = cross([x, y, z], c);
    return v.map((e, i) => e + 2 * d[i]);
}
const back = ([x, y, z, w]) => [-x, -y, -z, w];
const times = ([ax, ay, az, aw], [bx, by, bz, bw]) =>
    [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz];

function model(scene, h, integrator) {
    const parent = scene.bodies.map(() => null), loops = [];
    for (const j of scene.joints) // the first joint of a body ties it to what came before
        if (parent[j.b] === null && j.a < j.b) parent[j.b] = j; else loops.push(j);
    const geom = (b) => {
        if (!b.shape) return '';
        const e = Math.max(b.restitution, 1e-3), ratio = b.restitution ? -Math.log(e) / Math.hypot(Math.PI, Math.log(e)) : 1;
        const soft = `solref="${b.restitution ? 4 * h / ratio : 2 * h} ${ratio}" friction="${b.friction} 0 0" condim="3"`;
        return b.shape === 'box' ? `<geom type="box" size="${text(b.half)}" ${soft}/>` : `<geom type="sphere" size="${b.radius}" ${soft}/>`;
    };
    const write = (i) => {
        const b = scene.bodies[i], j = parent[i], of = j && j.a >= 0 ? scene.bodies[j.a] : {position: [0, 0, 0], rotation: [0, 0, 0, 1]};
        const place = turn(back(of.rotation), b.position.map((x, k) => x - of.position[k])), [x, y, z, w] = times(back(of.rotation), b.rotation);
        const anchor = j && turn(back(b.rotation), j.anchor.map((p, k) => p - b.position[k]));
        const joint = !j ? '<freejoint/>' : j.type === 'hinge' ? `<joint type="hinge" pos="${text(anchor)}" axis="${text(turn(back(b.rotation), j.axis))}"${j.stiffness ? ` stiffness="${j.stiffness}" damping="${j.damping}"` : ''}/>` : `<joint type="ball" pos="${text(anchor)}"/>`;
        const children = scene.bodies.map((_, k) => (parent[k]?.a === i ? write(k) : '')).join('');
        return `<body name="b${i}" pos="${text(place)}" quat="${text([w, x, y, z])}"><inertial pos="0 0 0" mass="${b.mass}" diaginertia="${text(b.moments)}"/>${joint}${geom(b)}${children}</body>`;
    };
    const ground = scene.ground ? geom({shape: 'box', half: [100, 1, 100], friction: scene.ground.friction, restitution: scene.ground.restitution}).replace('<geom', '<geom pos="0 -1 0"') : '';
    const connect = loops.map((j) => {
        const b = scene.bodies[j.b], anchor = turn(back(b.rotation), j.anchor.map((p, k) => p - b.position[k]));
        return `<connect body1="b${j.b}" ${j.a >= 0 ? `body2="b${j.a}"` : ''} anchor="${text(anchor)}"/>`;
    }).join('');
    return `<mujoco><compiler autolimits="true"/><option timestep="${h}" gravity="${text(scene.gravity)}" integrator="${integrator}" cone="elliptic"/>
        <worldbody>${ground}${scene.bodies.map((_, i) => (!parent[i] || parent[i].a < 0 ? write(i) : '')).join('')}</worldbody><equality>${connect}</equality></mujoco>`;
}

// Velocities of joints that give a body its velocity and spin: only bodies that are free, or on one joint at the world, have some here.
function start(scene, m, data) {
    scene.bodies.forEach((b, i) => {
        if (![...b.velocity, ...b.spin].some((x) => x !== 0)) return;
        const at = m.body_dofadr[i + 1], count = m.body_dofnum[i + 1], own = turn(back(b.rotation), b.spin);
        const values = count === 6 ? [...b.velocity, ...own] : count === 3 ? own : [b.spin[2]];
        values.forEach((v, k) => { data.qvel[at + k] = v; });
    });
}

export const run = (integrator) => (scene, h, frames) => {
    const m = mujoco.MjModel.from_xml_string(model(scene, h, integrator)), data = new mujoco.MjData(m);
    start(scene, m, data);
    mujoco.mj_forward(m, data);
    // mj_step leaves poses of the beginning of the step; kinematics and velocities are brought up to date, outside of the time
    const poses = () => {
        mujoco.mj_kinematics(m, data);
        mujoco.mj_comPos(m, data);
        mujoco.mj_comVel(m, data);
        return scene.bodies.map((_, k) => {
            const i = k + 1, x = Array.from(data.xpos.slice(3 * i, 3 * i + 3)), [qw, qx, qy, qz] = data.xquat.slice(4 * i, 4 * i + 4);
            const c = Array.from(data.cvel.slice(6 * i, 6 * i + 6)), root = m.body_rootid[i], com = data.subtree_com.slice(3 * root, 3 * root + 3);
            const w = c.slice(0, 3), shift = cross(w, x.map((e, n) => e - com[n]));
            return {x, q: [qx, qy, qz, qw], v: c.slice(3).map((e, n) => e + shift[n]), w};
        });
    };
    // of a contact with an elliptic cone the first number is the force along the normal
    const forces = () => {
        const up = scene.bodies.map(() => 0), contacts = data.contact, force = data.efc_force;
        for (let i = 0; i < data.ncon; ++i) {
            const contact = contacts.get(i), upper = Math.max(m.geom_bodyid[contact.geom1], m.geom_bodyid[contact.geom2]);
            if (contact.efc_address >= 0) up[upper - 1] += force[contact.efc_address];
            contact.delete();
        }
        contacts.delete();
        return up;
    };
    const result = timed(frames, Math.round(frame / h), () => mujoco.mj_step(m, data), poses, scene.forces && forces);
    data.delete();
    m.delete();
    return result;
};

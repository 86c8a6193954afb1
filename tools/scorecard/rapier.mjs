// Rapier, as its guide says: a world with its own defaults but for the length of a step; nothing sleeps, no damping. Friction and restitution of a contact are means.
import RAPIER from '@dimforge/rapier3d-compat';
import {frame} from './cases.mjs';
import {timed} from './timed.mjs';

await RAPIER.init();
export const version = RAPIER.version();
const v3 = ([x, y, z]) => ({x, y, z}), list = ({x, y, z}) => [x, y, z];

export function run(scene, h, frames) {
    const world = new RAPIER.World(v3(scene.gravity));
    world.timestep = h;
    const ground = scene.ground &&
        world.createCollider(RAPIER.ColliderDesc.cuboid(100, 1, 100).setTranslation(0, -1, 0).setFriction(scene.ground.friction).setRestitution(scene.ground.restitution));
    const fixed = world.createRigidBody(RAPIER.RigidBodyDesc.fixed());
    const colliders = [];
    const bodies = scene.bodies.map((b) => {
        const [x, y, z, w] = b.rotation;
        const desc = RAPIER.RigidBodyDesc.dynamic().setTranslation(...b.position).setRotation({x, y, z, w}).setLinvel(...b.velocity).setAngvel(v3(b.spin)).setCanSleep(false)
            .setAdditionalMassProperties(b.mass, {x: 0, y: 0, z: 0}, v3(b.moments), {x: 0, y: 0, z: 0, w: 1});
        const body = world.createRigidBody(desc);
        if (b.shape)
            colliders.push(world.createCollider((b.shape === 'box' ? RAPIER.ColliderDesc.cuboid(...b.half) : RAPIER.ColliderDesc.ball(b.radius)).setDensity(0).setFriction(b.friction).setRestitution(b.restitution), body));
        return body;
    });
    for (const j of scene.joints) {
        const [a, b] = [j.a < 0 ? fixed : bodies[j.a], bodies[j.b]];
        const local = (body, at) => {
            const q = body.rotation(), p = body.translation(), d = [at[0] - p.x, at[1] - p.y, at[2] - p.z];
            return v3(turn([-q.x, -q.y, -q.z, q.w], d));
        };
        // all hinges turn about z, and so does whatever is on them
        const joint = j.type === 'hinge' ? RAPIER.JointData.revolute(local(a, j.anchor), local(b, j.anchor), v3(j.axis)) : RAPIER.JointData.spherical(local(a, j.anchor), local(b, j.anchor));
        const made = world.createImpulseJoint(joint, a, b, true);
        if (j.stiffness) { // a motor towards the angle that it has; its numbers are of forces, not of accelerations
            made.configureMotorModel(RAPIER.MotorModel.ForceBased);
            made.configureMotorPosition(0, j.stiffness, j.damping);
        }
    }
    const poses = () => bodies.map((b) => {
        const q = b.rotation();
        return {x: list(b.translation()), q: [q.x, q.y, q.z, q.w], v: list(b.linvel()), w: list(b.angvel())};
    });
    const forces = () => colliders.map((upper, i) => {
        let sum = 0;
        world.contactPair(upper, i ? colliders[i - 1] : ground, (manifold) => {
            for (let k = 0; k < manifold.numContacts(); ++k) sum += manifold.contactImpulse(k) / h;
        });
        return sum;
    });
    const result = timed(frames, Math.round(frame / h), () => world.step(), poses, scene.forces && forces);
    world.free();
    return result;
}

function turn([x, y, z, w], v) {
    const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    const c = cross([x, y, z], v).map((e, i) => e + w * v[i]), d = cross([x, y, z], c);
    return v.map((e, i) => e + 2 * d[i]);
}

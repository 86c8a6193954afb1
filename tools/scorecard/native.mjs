// Engines that are programs: the scene goes to them as numbers, poses come back, and behind them the CPU seconds that the steps took.
//     h frame frames, gravity, ground (0 or 1) friction restitution, bodies: shape (0 none, 1 box, 2 sphere) size mass moments position rotation velocity
//     spin friction restitution, joints: hinge (0 or 1) a b anchor axis; a is -1 for the world
import {spawnSync} from 'node:child_process';
import {frame} from './cases.mjs';

export function native(program, how = []) {
    return (scene, h, frames) => {
        const words = [h, frame, frames, ...scene.gravity, scene.ground ? 1 : 0, scene.ground?.friction ?? 0, scene.ground?.restitution ?? 0, scene.bodies.length];
        for (const b of scene.bodies)
            words.push(b.shape === 'box' ? 1 : b.shape === 'sphere' ? 2 : 0, ...(b.half ?? [b.radius, 0, 0]), b.mass, ...b.moments, ...b.position, ...b.rotation, ...b.velocity, ...b.spin, b.friction, b.restitution);
        words.push(scene.joints.length);
        for (const j of scene.joints) words.push(j.type === 'hinge' ? 1 : 0, j.a, j.b, ...j.anchor, ...j.axis);
        const done = spawnSync(program, how, {input: words.join(' ') + '\n', maxBuffer: 1 << 28, encoding: 'utf8'});
        if (done.status !== 0) throw new Error(`${program}: ${done.stderr || done.error || done.status}`);
        const lines = done.stdout.trim().split('\n'), run = [];
        const seconds = Number(lines.pop());
        for (let i = 0; i < lines.length; i += scene.bodies.length)
            run.push(lines.slice(i, i + scene.bodies.length).map((line) => {
                const n = line.split(' ').map(Number);
                return {x: n.slice(0, 3), q: n.slice(3, 7), v: n.slice(7, 10), w: n.slice(10, 13)};
            }));
        return {run, seconds};
    };
}

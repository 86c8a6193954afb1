// Engines that are programs: the scene goes to them as numbers, poses come back, and behind them the CPU seconds that the steps took.
//     h frame frames forces (0 or 1), gravity, ground (0 or 1) friction restitution, bodies: shape (0 none, 1 box, 2 sphere) size mass moments position rotation velocity
//     spin friction restitution, joints: hinge (0 or 1) a b anchor axis stiffness damping; a is -1 for the world
// Where forces are asked for, a line of them follows the poses of a frame.
import {spawnSync} from 'node:child_process';
import {frame} from './cases.mjs';

export function native(program, how = []) {
    return (scene, h, frames) => {
        const words = [h, frame, frames, scene.forces ? 1 : 0, ...scene.gravity, scene.ground ? 1 : 0, scene.ground?.friction ?? 0, scene.ground?.restitution ?? 0, scene.bodies.length];
        for (const b of scene.bodies)
            words.push(b.shape === 'box' ? 1 : b.shape === 'sphere' ? 2 : 0, ...(b.half ?? [b.radius, 0, 0]), b.mass, ...b.moments, ...b.position, ...b.rotation, ...b.velocity, ...b.spin, b.friction, b.restitution);
        words.push(scene.joints.length);
        for (const j of scene.joints) words.push(j.type === 'hinge' ? 1 : 0, j.a, j.b, ...j.anchor, ...j.axis, j.stiffness ?? 0, j.damping ?? 0);
        const done = spawnSync(program, how, {input: words.join(' ') + '\n', maxBuffer: 1 << 28, encoding: 'utf8'});
        if (done.status !== 0) throw new Error(`${program}: ${done.stderr || done.error || done.status}`);
        const lines = done.stdout.trim().split('\n'), run = [];
        const seconds = Number(lines.pop());
        const numbers = (line) => line.trim().split(' ').map(Number), count = scene.bodies.length;
        for (let i = 0; i < lines.length; i += count + (scene.forces ? 1 : 0)) {
            const poses = lines.slice(i, i + count).map(numbers).map((n) => ({x: n.slice(0, 3), q: n.slice(3, 7), v: n.slice(7, 10), w: n.slice(10, 13)}));
            if (scene.forces) poses.forces = numbers(lines[i + count]);
            run.push(poses);
        }
        return {run, seconds};
    };
}

// Steps and samples. Time is that of the process, in which little else happens: other programs on the machine do not count.
// forces, if a scene asks for them: gives those of the last step, by body; outside of the time.
export function timed(frames, steps, step, poses, forces) {
    const run = [poses()];
    let seconds = 0;
    const clocked = (count) => {
        const start = process.cpuUsage();
        for (let k = 0; k < count; ++k) step();
        const used = process.cpuUsage(start);
        seconds += (used.user + used.system) * 1e-6;
    };
    for (let i = 0; i < frames; ++i) {
        let sum;
        for (let k = 0; forces && k < steps; ++k) {
            clocked(1);
            const now = forces();
            sum = sum ? sum.map((s, n) => s + now[n]) : now;
        }
        if (!forces) clocked(steps);
        run.push(poses());
        if (forces) run.at(-1).forces = sum.map((s) => s / steps);
    }
    return {run, seconds};
}

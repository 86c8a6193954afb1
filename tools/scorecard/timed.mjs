// Steps and samples. Time is that of the process, in which little else happens: other programs on the machine do not count.
export function timed(frames, steps, step, poses) {
    const run = [poses()];
    let seconds = 0;
    for (let i = 0; i < frames; ++i) {
        const start = process.cpuUsage();
        for (let k = 0; k < steps; ++k) step();
        const used = process.cpuUsage(start);
        seconds += (used.user + used.system) * 1e-6;
        run.push(poses());
    }
    return {run, seconds};
}

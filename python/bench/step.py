#!/usr/bin/env python3
"""What a step from Python costs beside one from C: a cloth of 100 by 100 particles.

    python/bench/step.py PROGRAM     PROGRAM: build/release/python/bench, the same in C

Both step the same world, on one thread, and must come to the same hash. Times of single steps on a machine with other work differ by more than what is looked for, so
two things are told: steps by turns, of which the median and the twentieth part that is fastest count; and what a call costs by itself, from steps of 0 s, which do nothing."""
import statistics
import subprocess
import sys
import time

import numpy as np
import sinew

SIDE, WARM, STEPS, ROUNDS = 100, 20, 40, 15


def world() -> sinew.World:
    made = sinew.World(threads=1, contact={"on": False})
    x, y = np.meshgrid(np.arange(SIDE) * 0.01, np.arange(SIDE) * 0.01)
    run = made.add_particles(np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], 1), mass=0.001)
    n = run.numbers.reshape(SIDE, SIDE)
    made.add_constraints("distance", np.stack([n[:, :-1].ravel(), n[:, 1:].ravel()], 1))
    made.add_constraints("distance", np.stack([n[:-1].ravel(), n[1:].ravel()], 1))
    run[0].mass = run[SIDE - 1].mass = float("inf")
    return made


def timed(made: sinew.World, steps: int) -> list[float]:
    times = []
    for _ in range(steps):
        begin = time.perf_counter()
        made.step(0.01)
        times.append(time.perf_counter() - begin)
    return times


def main(program: str) -> int:
    native = subprocess.Popen([program, str(SIDE), str(WARM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    here = world()
    here.step(0.01, count=WARM)
    python, c = [], []
    for _ in range(ROUNDS):
        python += timed(here, STEPS)
        native.stdin.write(f"{STEPS}\n")
        native.stdin.flush()
        c += [float(word) for word in native.stdout.readline().split()]
    native.stdin.close()
    equal = int(native.stdout.read(), 16) == here.hash
    native.wait()
    call = min(timed_calls(here, 20) for _ in range(3000))
    print(f"{len(here)} particles, {here.constraint_count()} rods, {len(c)} steps each, by turns; the same hash: {equal}")
    for name, times in (("C", c), ("Python", python)):
        print(f"{name:7} median {1e6 * statistics.median(times):9.1f} us   fast {1e6 * fast(times):9.1f} us")
    print(f"ratio   median {statistics.median(python) / statistics.median(c):9.4f}      fast {fast(python) / fast(c):9.4f}")
    print(f"a call by itself, from Python: {1e6 * call:.2f} us, {100 * call / fast(c):.3f} % of a fast step in C")
    return 0 if equal else 1


def fast(times: list[float]) -> float:
    """The time that a twentieth of the steps do not exceed."""
    return sorted(times)[len(times) // 20]


def timed_calls(made: sinew.World, count: int) -> float:
    begin = time.perf_counter()
    for _ in range(count):
        made.step(0)
    return (time.perf_counter() - begin) / count


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))

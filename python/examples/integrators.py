"""A table of integrators: a mass on a spring that is a force, swung for five periods and a quarter with fewer and more steps a period. How far is it off?

The spring has m = 1 kg and k = 4 pi^2 N/m, so that a period is one second and x(t) = cos(2 pi t). The error is that of the place and the velocity over
2 pi, together, and the order says by which power of the step it falls. (After whole periods symplectic Euler would look like second order: what is of first order
in it vanishes where the mass turns.)"""
import math

import numpy as np
import sinew


def error(integrator: str, steps: int) -> float:
    """How far the mass is off after 5.25 periods of so many steps."""
    with sinew.World(gravity=(0, 0, 0), substeps=1, iterations=2, integrator=integrator, threads=1, contact={"on": False}) as world:
        mass = world.add_particle((3, 0, 0))
        world.add_constraint("spring", (0, 0, 0), mass, rest=2, stiffness=4 * math.pi**2)
        world.step(1 / steps, count=21 * steps // 4)
        x, v = float(mass.position[0]) - 2, float(mass.velocity[0]) / (2 * math.pi)
        return math.hypot(x, v + 1)


def main() -> dict[str, tuple[list[float], float]]:
    counts = (400, 800, 1600)
    table = {}
    print(f"{'integrator':18}" + "".join(f"{count:>5} steps" for count in counts) + "   order")
    for integrator in sinew.Integrator:
        name = integrator.name.lower()
        errors = [error(name, count) for count in counts]
        order = float(np.polyfit(np.log(counts), -np.log(errors), 1)[0])
        table[name] = errors, order
        print(f"{name:18}" + "".join(f"{one:11.2e}" for one in errors) + f"{order:8.2f}")
    return table


if __name__ == "__main__":
    main()

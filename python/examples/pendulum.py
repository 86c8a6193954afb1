"""A pendulum of one rod: its period beside the closed form, T = 4 sqrt(l / g) K(sin(a / 2)), for several amplitudes a.

The bob starts at rest and turns back after half a period, where its velocity changes sign. Leapfrog with gradients at the start of a substep (SHAKE)
is of second order, so that the difference falls to a quarter with half the step."""
import math

import sinew


def closed_form(length: float, gravity: float, amplitude: float) -> float:
    """The period by the arithmetic-geometric mean, with which K(k) = pi / (2 agm(1, cos(a / 2)))."""
    a, b = 1.0, math.cos(amplitude / 2)
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return 2 * math.pi * math.sqrt(length / gravity) / a


def simulated(length: float, gravity: float, amplitude: float, dt: float) -> float:
    """The period as it is simulated, from two turning points, with the moment of turning between two steps found by a straight line."""
    with sinew.World(gravity=(0, -gravity, 0), substeps=1, iterations=20, integrator="leapfrog", gradients="start", threads=1) as world:
        pivot = world.add_particle(mass=math.inf)
        bob = world.add_particle((length * math.sin(amplitude), -length * math.cos(amplitude), 0))
        world.add_constraint("distance", pivot, bob)
        turns, before = [], 0.0
        while len(turns) < 2:
            world.step(dt)
            x, y, _ = bob.position
            vx, vy, _ = bob.velocity
            turning = float(x * vy - y * vx)  # about the pivot
            if before * turning < 0:
                turns.append(world.time - dt * turning / (turning - before))
            before = turning
        return 2 * (turns[1] - turns[0])


def main() -> list[tuple[float, float, float]]:
    rows = []
    print("amplitude   period, closed form   simulated   off by")
    for degrees in (10, 45, 90, 150):
        exact, found = closed_form(1, 9.81, math.radians(degrees)), simulated(1, 9.81, math.radians(degrees), 1 / 500)
        rows.append((degrees, exact, found))
        print(f"{degrees:6} deg   {exact:16.6f} s   {found:9.6f}   {abs(found / exact - 1):.1e}")
    return rows


if __name__ == "__main__":
    main()

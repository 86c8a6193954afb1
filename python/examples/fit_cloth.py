"""A parameter of a cloth that is fitted to a target: how stretchy is the cloth whose lower edge hangs so low?

A cloth of 1 m by 1 m and 300 g hangs by its upper edge. Its lower edge is measured, here on a cloth whose compliance is known, so that the answer can be
looked at. The sag grows with the compliance, so a few steps of the secant method in the logarithm of both find it; every try is a scene of its own that
is relaxed to its rest."""
import math

import numpy as np
import sinew


def sag(compliance: float) -> float:
    """m: by how much the middle of the lower edge hangs below where it would without gravity."""
    cloth = {"type": "cloth", "name": "cloth", "columns": 9, "rows": 9, "mass": 0.3, "pins": "top", "material": {"stretch": compliance, "bend": 1}}
    with sinew.Scene(text={"world": {"substeps": 20}, "objects": [cloth]}, threads=1) as scene:
        lower = [particle.index for particle in scene.select("cloth.bottom")]
        before = np.array([scene.world.particle(i).position[1] for i in lower])
        if not scene.world.relax(displacement=1e-6).rested:
            raise RuntimeError(f"a cloth of {compliance} m/N does not come to rest")
        after = np.array([scene.world.particle(i).position[1] for i in lower])
        return float((before - after)[len(lower) // 2])


def fit(target: float, low: float = 1e-3, high: float = 1e-1) -> tuple[float, int]:
    """The compliance in m/N whose sag is the target to a ten-thousandth, and how many cloths it took."""
    guess = [math.log(low), math.log(high)]
    off = [math.log(sag(low) / target), math.log(sag(high) / target)]
    tries = 2
    while abs(off[-1]) > 1e-4:
        if tries == 20:
            raise RuntimeError(f"no compliance was found for a sag of {target} m")
        guess.append(guess[-1] - off[-1] * (guess[-1] - guess[-2]) / (off[-1] - off[-2]))
        off.append(math.log(sag(math.exp(guess[-1])) / target))
        tries += 1
    return math.exp(guess[-1]), tries


def main() -> tuple[float, float]:
    true = 0.02
    target = sag(true)
    found, tries = fit(target)
    print(f"a cloth of {true} m/N sags by {1000 * target:.2f} mm; fitted to that: {found:.5f} m/N, with {tries} cloths")
    return true, found


if __name__ == "__main__":
    main()

"""A pole balanced on a cart, found by random search: 512 carts at once, each with four weights of its own.

The force on a cart is the product of its weights with what is seen: where the cart is and how fast, how the pole leans and how fast. All start alike; those whose pole stays up
longest, and near the middle, are the parents of the next generation."""
import numpy as np
import sinew

CARTS, STEPS, FORCE = 512, 300, 20.0


def build(world, number):
    cart = world.add_particle((0, 0, 0), mass=1)
    pole = world.add_particle((0.05, 1, 0), mass=0.1)
    world.add_constraint("on_line", cart, origin=(0, 0, 0), direction=(1, 0, 0))
    world.add_constraint("distance", cart, pole)
    return cart, pole


def score(worlds: sinew.Worlds, weights: np.ndarray) -> np.ndarray:
    """Seconds that each pole stays above the cart within 2 m of the middle; a little less the farther it goes."""
    worlds.reset()
    seen, up, sum_of = worlds.observe(), np.ones(CARTS, bool), np.zeros(CARTS)
    for _ in range(STEPS):
        x, vx, pole_x, pole_y, pole_vx = seen.T
        state = np.stack([x, vx, pole_x - x, pole_vx - vx], 1)
        seen = worlds.step(np.clip((weights * state).sum(1), -FORCE, FORCE), dt=1 / 50)
        up &= (seen[:, 3] > 0.8) & (abs(seen[:, 0]) < 2)
        sum_of += up * (1 - 0.1 * abs(seen[:, 0]))
    return sum_of / 50


def main() -> tuple[float, float]:
    random = np.random.default_rng(1)
    with sinew.Worlds(CARTS, build, dimensions=2, contact={"on": False}) as worlds:
        cart, pole = worlds.built
        worlds.observations = [("position", cart, "x"), ("velocity", cart, "x"), ("position", pole, "xy"), ("velocity", pole, "x")]
        worlds.actions = [("force", cart, "x")]
        weights = random.normal(0, 20, (CARTS, 4))
        first = 0.0
        for generation in range(6):
            reached = score(worlds, weights)
            best = np.argsort(reached)[::-1]
            first = first or float(np.median(reached))
            print(f"generation {generation}: best {reached[best[0]]:.2f} s, median {np.median(reached):.2f} s of {STEPS / 50:.0f} s; "
                  f"{worlds.side_by_side} carts side by side")
            parents = weights[best[: CARTS // 8]]
            weights = parents[random.integers(0, len(parents), CARTS)] + random.normal(0, 5 / (generation + 1), (CARTS, 4))
            weights[0] = parents[0]
        return first, float(np.median(score(worlds, weights)))


if __name__ == "__main__":
    main()

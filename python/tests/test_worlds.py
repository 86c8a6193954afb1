"""Many worlds: arrays, resets, errors, and that each is what it is alone."""
import gc
import threading
import unittest

import numpy as np
import sinew


def build(world, number):
    cart = world.add_particle((0, 0, 0), mass=1)
    pole = world.add_particle((0, 1, 0), mass=0.1, velocity=(0.01 * number, 0, 0))
    world.add_constraint("on_line", cart, origin=(0, 0, 0), direction=(1, 0, 0))
    rod = world.add_constraint("distance", cart, pole, rest=1)
    return cart, pole, rod


class ManyWorlds(unittest.TestCase):
    def setUp(self):
        self.worlds = sinew.Worlds(70, build, threads=2, contact={"on": False})
        self.addCleanup(self.worlds.close)
        self.cart, self.pole, self.rod = self.worlds.built

    def channels(self):
        self.worlds.observations = [("position", self.cart, "x"), ("position", self.pole), ("velocity", self.pole, "xy"), ("tension", self.rod), "time"]
        self.worlds.actions = [("force", self.cart, "x")]

    def test_as_alone(self):
        self.channels()
        forces = np.linspace(-5, 5, 70)
        for _ in range(6):
            seen = self.worlds.step(forces)
        self.assertEqual(self.worlds.side_by_side, 70)
        self.assertEqual((seen.shape, seen.dtype), ((70, 8), np.float32))
        for number in (0, 33, 69):
            with sinew.World(threads=1, contact={"on": False}) as world:
                cart, pole, rod = build(world, number)
                for _ in range(6):
                    cart.apply_force((np.float32(forces[number]), 0, 0))
                    world.step()
                self.assertEqual(world.hash, self.worlds[number].hash)
                np.testing.assert_array_equal(seen[number, 1:4], np.float32(pole.position))
                self.assertAlmostEqual(float(seen[number, 7]), world.time, 6)
        np.testing.assert_array_equal(self.worlds.observe(), seen)
        out = np.empty_like(seen)
        self.assertIs(self.worlds.observe(out), out)
        np.testing.assert_array_equal(out, seen)
        self.assertTrue((self.worlds.results == 0).all())

    def test_several_steps(self):
        self.channels()
        forces = np.linspace(-5, 5, 70)
        for _ in range(7):
            single = self.worlds.step(forces)
        self.worlds.reset()
        np.testing.assert_array_equal(self.worlds.step(forces, count=7), single)
        np.testing.assert_array_equal(self.worlds.step(forces, count=0), single)
        for particle in (self.cart, self.pole):
            self.worlds[41].particle(particle.index).velocity = (8e36, 0, 0)
        with self.assertRaisesRegex(sinew.Error, r"world 41, step \d of 7: "):
            self.worlds.step(dt=10, count=7)
        self.assertEqual(list(np.flatnonzero(self.worlds.results)), [41])
        self.assertLess(self.worlds[41].time, self.worlds[40].time)

    def test_without_channels(self):
        self.assertEqual(self.worlds.step(dt=0.01, count=3).shape, (70, 0))
        self.assertAlmostEqual(self.worlds[5].time, 0.03)
        self.assertEqual(self.worlds.observations, [])

    def test_reset(self):
        self.channels()
        start = self.worlds.observe()
        self.worlds.step(1.0, count=4)
        moved = self.worlds.observe()
        which = np.arange(70) % 2 == 0
        self.worlds.reset(which)
        seen = self.worlds.observe()
        np.testing.assert_array_equal(seen[which], start[which])
        np.testing.assert_array_equal(seen[~which], moved[~which])
        self.worlds.keep([1, -1])
        self.worlds.step(count=2)
        self.worlds.reset([1, 69])
        np.testing.assert_array_equal(self.worlds.observe()[[1, 69]], seen[[1, 69]])
        self.worlds.reset()
        np.testing.assert_array_equal(self.worlds.observe()[0], start[0])
        self.worlds.reset([])
        with self.assertRaisesRegex(ValueError, r"shape \(3,\), expected \(70,\)"):
            self.worlds.reset([True, False, True])
        with self.assertRaisesRegex(IndexError, "70 worlds"):
            self.worlds.reset([70])
        with self.assertRaisesRegex(TypeError, "float64"):
            self.worlds.reset([0.5])

    def test_edits(self):
        self.worlds.step(count=3)
        third = self.worlds[3]
        third.add_particle((5, 5, 5))
        self.worlds.step()
        self.assertEqual((len(third), len(self.worlds[4])), (3, 2))
        self.assertEqual(self.worlds.side_by_side, 69)
        self.worlds.reset([3])
        self.worlds.step(count=2)
        self.assertEqual((len(third), self.worlds.side_by_side), (2, 70))
        self.assertEqual(self.worlds[-1].time, self.worlds[69].time)

    def test_a_world_that_fails(self):
        self.channels()
        self.worlds[7].velocities[1] = (3e38, 0, 0)
        before = self.worlds[7].hash
        with self.assertRaisesRegex(sinew.Error, "^world 7: ") as caught:
            self.worlds.step()
        self.assertEqual(caught.exception.result, sinew.Result.ERROR_DIVERGED)
        self.assertEqual(list(np.flatnonzero(self.worlds.results)), [7])
        self.assertEqual(self.worlds[7].hash, before)
        self.assertGreater(self.worlds[8].time, 0)

    def test_bad_actions(self):
        self.channels()
        bad = np.zeros((70, 1))
        bad[12] = np.nan
        with self.assertRaisesRegex(sinew.Error, "world 12: number 0 .*'force'.* nan"):
            self.worlds.act(bad)
        with self.assertRaisesRegex(ValueError, r"shape \(3, 2\), expected \(70, 1\)"):
            self.worlds.act(np.zeros((3, 2)))
        with self.assertRaisesRegex(ValueError, r"float32 of shape \(70, 8\)"):
            self.worlds.observe(np.zeros((70, 8)))
        with self.assertRaisesRegex(ValueError, "count"):
            self.worlds.step(count=-1)

    def test_bad_channels(self):
        for channel, kind, words in ((("speed", self.cart), ValueError, "'speed', expected one of position"),
                                     (("position", self.cart, "q"), ValueError, "axes 'q'"),
                                     (("position", 3), TypeError, "found 3"),
                                     (("position", self.cart, "x", 1), ValueError, "4 parts"),
                                     (("force", self.cart), sinew.Error, "channel 0: 'force' is an action"),
                                     (("body_spin", self.cart), sinew.Error, "world 0 does not have")):
            with self.assertRaisesRegex(kind, words):
                self.worlds.observations = [channel]

    def test_build_fails(self):
        def fails(world, number):
            world.add_particle()
            if number == 3:
                raise KeyError("three")

        def refused(world, number):
            world.add_particle(mass=-1 if number == 2 else 1)

        with self.assertRaisesRegex(KeyError, "three"):
            sinew.Worlds(5, fails)
        with self.assertRaisesRegex(sinew.Error, "mass"):
            sinew.Worlds(5, refused)
        with self.assertRaisesRegex(sinew.Error, "count is 0"):
            sinew.Worlds(0, build)
        with self.assertRaisesRegex(AttributeError, "no_such"):
            sinew.Worlds(2, build, no_such=1)

    def test_closed(self):
        kept = []
        worlds = sinew.Worlds(5, lambda world, number: kept.append((world, world.add_particle())))
        second, shown = worlds[1], worlds[1].positions
        with self.assertRaisesRegex(sinew.Error, "world 1 belongs"):
            second.close()
        worlds.close()
        worlds.close()
        self.assertTrue(worlds.closed)
        for call in (worlds.step, lambda: len(worlds), lambda: second.step(), lambda: kept[4][1].position, lambda: kept[2][0].time):
            with self.assertRaisesRegex(sinew.Error, "closed"):
                call()
        self.assertEqual(np.asarray(shown).shape, (1, 3))
        del worlds, second, kept, shown
        gc.collect()

    def test_two_threads(self):
        def held(_):
            inside.set()
            go_on.wait(10)
            return (0, 0, 0)

        inside, go_on = threading.Event(), threading.Event()
        worlds = sinew.Worlds(1, build)
        worlds[0].add_field(held)
        other = threading.Thread(target=worlds.step)
        other.start()
        self.assertTrue(inside.wait(10))
        with self.assertRaisesRegex(sinew.Error, "another thread"):
            worlds.step()
        with self.assertRaisesRegex(sinew.Error, "another thread"):
            worlds[0].step()
        go_on.set()
        other.join()
        worlds.close()

    def test_what_a_field_raises(self):
        def fails(_):
            raise ZeroDivisionError("in a field")

        self.worlds[2].add_field(fails)
        with self.assertRaisesRegex(ZeroDivisionError, "in a field"):
            self.worlds.step()
        self.assertEqual(list(np.flatnonzero(self.worlds.results)), [2])


if __name__ == "__main__":
    unittest.main()

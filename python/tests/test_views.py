"""Views: arrays that are the engine's own memory."""
import gc
import math
import pickle
import unittest

import numpy as np
import sinew


class Views(unittest.TestCase):
    def setUp(self):
        self.world = sinew.World(threads=1)
        self.addCleanup(self.world.close)
        self.run = self.world.add_particles(np.arange(30).reshape(10, 3))

    def place(self, number):
        return list(self.world.particle(number).position)

    def test_a_view_is_no_copy(self):
        view = self.world.positions
        self.assertEqual((view.shape, view.dtype), ((10, 3), np.float32))
        again = self.world.positions
        self.assertEqual(view.__array_interface__["data"][0], again.__array_interface__["data"][0])
        self.assertTrue(np.shares_memory(np.asarray(view), np.asarray(again)))
        before = np.array(view)
        self.world.step()
        self.assertTrue((np.asarray(view)[:, 1] < before[:, 1]).all())  # it shows what the step did
        velocities = self.world.velocities
        self.assertAlmostEqual(float(velocities[0, 1]), -9.81 / 60, 5)

    def test_writing_moves_the_particle(self):
        view = self.world.positions
        numbers = self.world.numbers
        view[3] = (7, 8, 9)
        self.assertEqual(self.place(numbers[3]), [7, 8, 9])
        view[4, 1] = -1
        self.assertEqual(self.place(numbers[4])[1], -1)
        view[:, 0] = 5
        self.assertEqual({self.place(i)[0] for i in range(10)}, {5})
        view[2:4] += (0, 0, 1)
        self.assertEqual(self.place(numbers[3]), [5, 8, 10])
        view[view[:, 1] > 8] *= 2
        self.assertEqual((self.place(numbers[3])[0], self.place(numbers[5])[0]), (5, 10))
        view[[8, 9, 8]] = [(1, 1, 1), (2, 2, 2), (3, 3, 3)]
        self.assertEqual(self.place(numbers[8]), [3, 3, 3])
        row = view[5]
        row += 1
        row[2] = 0
        self.assertEqual(self.place(numbers[5])[0::2], [11, 0])
        view[1:3][::-1] = [(1, 1, 1), (2, 2, 2)]
        self.assertEqual([self.place(numbers[i]) for i in (1, 2)], [[2, 2, 2], [1, 1, 1]])
        view[..., 0] = np.arange(10)
        self.assertEqual(self.place(numbers[7])[0], 7)
        view[np.newaxis, 6, :] = 3
        self.assertEqual(self.place(numbers[6]), [3, 3, 3])
        view[[0, 1], [1, 2]] = (8, 9)
        self.assertEqual((self.place(numbers[0])[1], self.place(numbers[1])[2]), (8, 9))
        view[0:0] = 5
        view.T[1] = 4
        self.assertEqual({self.place(i)[1] for i in range(10)}, {4})
        view[::-1][0] = (0, 0, 0)
        self.assertEqual(self.place(numbers[9]), [0, 0, 0])
        np.add(view, 1, out=view)
        self.assertEqual(self.place(numbers[9]), [1, 1, 1])
        view += 1
        self.world.positions *= 2
        self.assertEqual(self.place(numbers[9]), [4, 4, 4])
        self.world.velocities[...] = (1, 2, 3)
        self.assertEqual(list(self.world.particle(6).velocity), [1, 2, 3])
        self.world.velocities = 0
        self.assertEqual(list(self.world.particle(6).velocity), [0, 0, 0])

    def test_writing_is_what_setting_a_position_is(self):
        """Not only the number: all that the engine knows of the particle follows, and so do the bits of later steps."""
        worlds = [sinew.World(threads=1, integrator="verlet") for _ in range(2)]
        for world in worlds:
            run = world.add_particles([(0, 0, 0), (1, 0, 0)])
            world.add_constraint("distance", run[0], run[1])
            world.step(count=3)
        worlds[0].particle(1).position = (1.5, 0.25, 0)
        row = list(worlds[1].numbers).index(1)
        worlds[1].positions[row] = (1.5, 0.25, 0)
        self.assertEqual(worlds[0].hash, worlds[1].hash)
        for world in worlds:
            world.step(count=3)
        self.assertEqual(worlds[0].hash, worlds[1].hash)

    def test_writing_wakes(self):
        with sinew.World(contact={"sleep": True}, threads=1) as world:
            world.add_plane()
            ball = world.add_particle((0, 0.1, 0), radius=0.1)
            world.step(count=120)
            self.assertFalse(ball.awake)
            world.positions[0, 1] = 3
            self.assertTrue(ball.awake)
            self.assertAlmostEqual(world.ray((0, 9, 0), (0, -1, 0)).distance, 9 - 3.1, 4)

    def test_bad_numbers_change_nothing(self):
        view = self.world.positions
        before = self.world.hash
        for value in (math.nan, math.inf, (1, 2, math.nan)):
            with self.assertRaisesRegex(sinew.Error, "must be finite"):
                view[2] = value
        with self.assertRaises(ValueError):
            view[2] = (1, 2)
        with self.assertRaises(IndexError):
            view[10] = 0
        self.assertEqual(self.world.hash, before)

    def test_arithmetic_gives_plain_arrays(self):
        view = self.world.positions
        for made in (view + 1, np.sqrt(view), view.sum(axis=0), np.concatenate([view, view]), np.linalg.norm(view, axis=1), view[[1, 2]] * 1):
            self.assertNotIsInstance(made, sinew.View)
        copied = view.copy()
        copied[0] = 99
        self.assertNotEqual(self.place(0), [99, 99, 99])
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(view)), np.array(view))
        with self.assertRaises(ValueError):
            np.copyto(view, 0)  # what cannot be told to the engine is refused
        with self.assertRaises(ValueError):
            view.fill(0)
        with self.assertRaises(ValueError):
            np.asarray(view)[0] = 1

    def test_dead_views(self):
        for kill in (lambda: self.world.add_particle(), lambda: self.run[3].remove(), lambda: self.world.add_particles(np.zeros((999, 3)))):
            view = self.world.positions
            part = view[2:4]
            kill()
            for use in (lambda: view[0], lambda: view + 1, lambda: np.sum(view), lambda: part[0], lambda: view.__setitem__(0, 1),
                        lambda: part.__iadd__(1), lambda: repr(view), lambda: view.sum()):
                with self.assertRaisesRegex(sinew.Error, "dead"):
                    use()
            self.assertEqual(len(self.world.positions), len(self.world))

    def test_dead_memory_is_kept_while_it_is_shown(self):
        plain = np.asarray(self.world.positions)
        values = plain.copy()
        keep = self.world._core.keep
        self.world.add_particles(np.ones((100000, 3)))  # moves to larger memory
        self.assertGreater(sinew.api.sn_python_keep_size(keep), 0)
        np.testing.assert_array_equal(plain, values)
        del plain
        gc.collect()
        self.assertEqual(sinew.api.sn_python_keep_size(keep), 0)
        last = np.asarray(self.world.positions)[5:]
        self.world.close()
        self.assertEqual(float(last[-1].sum()), 3)  # also after the world

    def test_a_step_may_store_particles_elsewhere(self):
        world = sinew.World(threads=1, gravity=(0, 0, 0))
        n = 30
        grid = np.stack(np.meshgrid(np.arange(n), np.arange(n), [0]), -1).reshape(-1, 3)
        order = np.random.default_rng(1).permutation(len(grid))
        run = world.add_particles(grid[order])
        where = np.argsort(order).reshape(n, n)
        world.add_constraints("distance", np.concatenate([np.stack([where[:-1].ravel(), where[1:].ravel()], 1),
                                                          np.stack([where[:, :-1].ravel(), where[:, 1:].ravel()], 1)]))
        view = world.positions
        world.step()
        self.assertFalse((world.numbers == np.arange(len(run))).all())  # otherwise this says nothing
        np.testing.assert_array_equal(view[run.rows], grid[order])
        np.testing.assert_array_equal(view, grid[order][world.numbers])
        np.testing.assert_array_equal(run.positions, grid[order])
        view[run.rows[7]] = (50, 50, 50)
        self.assertEqual(list(run[7].position), [50, 50, 50])
        world.close()

    def test_an_empty_world(self):
        with sinew.World() as world:
            self.assertEqual(world.positions.shape, (0, 3))
            world.positions += 1
            self.assertEqual(world.numbers.shape, (0,))


class Runs(unittest.TestCase):
    def setUp(self):
        self.world = sinew.World(threads=1)
        self.addCleanup(self.world.close)
        self.world.add_particle()
        self.run = self.world.add_particles(np.arange(12).reshape(4, 3))

    def test_a_window_shows_and_writes(self):
        window = self.run.positions
        self.assertEqual((window.shape, len(window)), ((4, 3), 4))
        self.world.add_particle()  # it does not die
        window[1] = (0, 1, 0)
        self.assertEqual(list(self.run[1].position), [0, 1, 0])
        window[:, 2] += 5
        self.assertEqual(list(self.run[1].position), [0, 1, 5])
        self.run.positions += (1, 0, 0)
        self.run.positions[-1] -= 1
        self.assertEqual(list(self.run[3].position), [9, 9, 15])
        np.testing.assert_array_equal(window - 1, np.asarray(window) - 1)
        self.run.velocities = (1, 0, 0)
        np.testing.assert_array_equal(self.run.velocities, [(1, 0, 0)] * 4)
        self.run.positions = np.zeros((4, 3))
        self.world.step()
        self.assertLess(window[0, 1], 0)
        self.run.inverse_masses = [0, 1, 2, 4]
        self.assertEqual(self.run[3].mass, 0.25)
        self.assertEqual(self.run[0].mass, math.inf)
        np.testing.assert_array_equal(self.run.inverse_masses, [0, 1, 2, 4])

    def test_parts_and_slices_of_runs(self):
        part = self.run.positions[1]
        part[0] = 50
        self.assertEqual(self.run[1].position[0], 50)
        part += 1
        self.assertEqual(list(self.run[1].position), [51, 5, 6])
        self.run.positions[2:][0][1] = 77
        self.assertEqual(self.run[2].position[1], 77)
        for row in self.run.positions:
            row[2] = 0
        self.assertEqual(self.run.positions.T[2].max(), 0)
        self.assertEqual(self.run.positions.mean(axis=0)[2], 0)
        with self.assertRaises(ValueError):
            self.run.positions.sort()  # would be lost
        with self.assertRaisesRegex(sinew.Error, "finite"):
            part[0] = math.nan
        self.assertEqual((part[0], self.run[1].position[0]), (51, 51))
        self.assertNotIsInstance(part + 1, sinew.RunView)
        copied = part.copy()
        copied[0] = 3
        self.assertEqual(self.run[1].position[0], 51)

        middle = self.run[1:3]
        self.assertEqual((len(middle), middle[0]), (2, self.run[1]))
        middle.positions = 8
        self.assertEqual([float(row[0]) for row in self.run.positions], [0, 8, 8, 9])
        self.assertEqual(np.asarray(self.run[2:2].positions).shape, (0, 3))
        with self.assertRaises(ValueError):
            self.run[::2]

    def test_refused(self):
        before = self.world.hash
        with self.assertRaisesRegex(sinew.Error, "finite"):
            self.run.positions[1] = math.nan
        with self.assertRaises(ValueError):
            self.run.positions = np.zeros((5, 3))
        with self.assertRaises(IndexError):
            self.run[4]
        self.assertEqual(self.world.hash, before)
        self.run[2].remove()
        with self.assertRaises(sinew.Error) as raised:
            self.run.positions[0]
        self.assertEqual(raised.exception.result, sinew.Result.ERROR_STALE)
        with self.assertRaises(sinew.Error):
            self.run.rows


if __name__ == "__main__":
    unittest.main()

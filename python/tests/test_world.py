"""Worlds: what is in them, steps, reports, snapshots, queries, events, errors."""
import copy
import gc
import logging
import math
import pickle
import sys
import threading
import unittest
import weakref

import numpy as np
import sinew


def cloth(world, n):
    """A square net of rods, n by n particles."""
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n))
    run = world.add_particles(np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], 1), mass=0.01)
    grid = run.numbers.reshape(n, n)
    across = np.stack([grid[:, :-1].ravel(), grid[:, 1:].ravel()], 1)
    up = np.stack([grid[:-1].ravel(), grid[1:].ravel()], 1)
    return run, world.add_constraints("distance", np.concatenate([across, up]))


class Worlds(unittest.TestCase):
    def setUp(self):
        self.world = sinew.World(threads=1)
        self.addCleanup(self.world.close)

    def refused(self, words, result=None):
        case = self

        class Refused:
            def __enter__(self):
                self.context = case.assertRaisesRegex(sinew.Error, words)
                self.context.__enter__()
                self.hash = case.world.hash if not case.world.closed else None
                return self

            def __exit__(self, *raised):
                answer = self.context.__exit__(*raised)
                if self.hash is not None and not case.world.closed:
                    case.assertEqual(case.world.hash, self.hash)
                if answer and result is not None:
                    case.assertEqual(self.context.exception.result, result)
                return answer

        return Refused()

    def test_free_fall(self):
        particle = self.world.add_particle((0, 10, 0), velocity=(1, 0, 0))
        self.world.settings.integrator = "leapfrog"
        self.world.step(0.01, count=100)
        self.assertAlmostEqual(self.world.time, 1, 5)
        np.testing.assert_allclose(particle.position, (1, 10 - 9.81 / 2, 0), atol=1e-4)
        np.testing.assert_allclose(particle.velocity, (1, -9.81, 0), atol=1e-4)

    def test_particle_properties(self):
        particle = self.world.add_particle((1, 2, 3), mass=2, radius=0.1, group=4, user=2**63)
        self.assertEqual((particle.mass, particle.group, particle.user, particle.index), (2, 4, 2**63, 0))
        self.assertAlmostEqual(particle.radius, 0.1)
        particle.position, particle.velocity, particle.mass, particle.group, particle.user = (3, 2, 1), (1, 1, 1), 3, 5, 6
        particle.radius = 0.2
        self.assertEqual((list(particle.position), list(particle.velocity), particle.mass, particle.group, particle.user),
                         ([3, 2, 1], [1, 1, 1], 3, 5, 6))
        particle.apply_impulse((3, 0, 0))
        self.assertEqual(particle.velocity[0], 2)
        with self.assertRaises(ValueError):
            particle.position[0] = 7  # what was read is no way to write
        self.assertEqual(self.world.particle(0), particle)
        self.assertTrue(particle.alive)
        particle.remove()
        self.assertFalse(particle.alive)
        with self.refused("particle", sinew.Result.ERROR_STALE):
            particle.position = (0, 0, 0)
        with self.refused("particle"):
            particle.position

    def test_pendulum_keeps_its_length_and_tells_its_force(self):
        self.world.settings.update(substeps=5)  # a force is noisier the shorter the substep is
        pivot = self.world.add_particle(mass=math.inf)
        bob = self.world.add_particle((0, -1, 0), mass=2)
        rod = self.world.add_constraint("distance", pivot, bob)
        self.world.step(count=10)
        self.assertAlmostEqual(rod.force, 2 * 9.81, 1)
        self.assertLess(rod.forces[0], 0)
        np.testing.assert_allclose(rod.force_on(1), (0, 2 * 9.81, 0), atol=0.1)
        self.assertEqual(rod.kind, "distance")
        rod.set(rest=0.5)
        self.world.step(count=10)
        self.assertAlmostEqual(np.linalg.norm(bob.position), 0.5, 3)
        rod.set(compliance=0.01, damping=1)
        self.world.relax()
        self.assertAlmostEqual(np.linalg.norm(bob.position), 0.5 + 0.01 * 2 * 9.81, 3)
        self.assertAlmostEqual(float(rod.value[0]), 0.01 * 2 * 9.81, 3)

    def test_constraints_by_name(self):
        a, b = self.world.add_particle(), self.world.add_particle((1, 0, 0))
        body = self.world.add_box((0, 3, 0), (0.5, 0.5, 0.5))
        made = [self.world.add_constraint("pin", a, target=(0, 1, 0)), self.world.add_constraint("spring", a, b, stiffness=10, damping=1),
                self.world.add_constraint("distance_max", b, sinew.on_body(body, (0.5, 0, 0)), most=9, user=5),
                self.world.add_constraint("distance", (0, 9, 0), body, compliance=1e-4)]
        self.assertEqual(list(self.world.constraints), made)
        self.assertEqual([one.kind for one in made], ["pin", "spring", "distance_max", "distance"])
        self.assertEqual(made[2].user, 5)
        self.assertEqual(self.world.constraint_count("spring"), 1)
        self.assertIn("joint_hinge", self.world.kinds)
        for wrong, kind, points, named in [
                (ValueError, "rod", (a, b), {}), (ValueError, "distance", (a,), {}), (TypeError, "distance", (a, b), {"most": 1}),
                (ValueError, "pin", (a,), {"target": (1, 2)}), (TypeError, "distance", (a, b), {"rest": "far"}),
                (ValueError, "distance", (a, b), {"user": -1}), (sinew.Error, "distance", (a, a), {}),
                (sinew.Error, "distance", (a, b), {"rest": math.nan}), (ValueError, "distance", (a, b), {"rest": 1e39})]:
            with self.subTest(kind=kind, named=named), self.assertRaises(wrong):
                self.world.add_constraint(kind, *points, **named)
        self.assertEqual(self.world.constraint_count(), 4)
        made[0].remove()
        self.assertFalse(made[0].alive)

    def test_a_cloth_in_bulk(self):
        run, rods = cloth(self.world, 12)
        self.assertEqual((len(run), len(rods), len(self.world)), (144, 264, 144))
        run[0].mass = run[11].mass = math.inf
        self.world.step(count=60)
        report = self.world.report()
        self.assertEqual((report.particles, report.constraints, report.steps), (144, 264, 60))
        self.assertEqual(list(report.kinds), ["distance"])
        told = report.kinds["distance"]
        places = np.asarray(run.positions, np.float64).reshape(12, 12, 3)
        lengths = [np.linalg.norm(np.diff(places, axis=axis), axis=2).ravel() for axis in (0, 1)]
        off = np.abs(np.concatenate(lengths) * 11 - 1)
        self.assertAlmostEqual(told.relative, off.max(), 5)
        self.assertAlmostEqual(told.mean * 11, off.mean(), 5)
        self.assertAlmostEqual(abs(told.worst.value[0]), told.largest, 6)
        self.assertAlmostEqual(report.mass, 1.42, 4)
        for index in ([0, 1], [[0, 1, 2]], [[0.5, 1]], [[-1, 2]]):
            with self.assertRaises((ValueError, TypeError)):
                self.world.add_constraints("distance", index)
        with self.refused("particle"):
            self.world.add_constraints("distance", [[0, 99999]])

    def test_bodies_and_joints(self):
        ground = self.world.add_plane()
        box = self.world.add_box((0, 0.5, 0), (0.5, 0.5, 0.5), density=10)
        door = self.world.add_box((3, 2, 0), (1, 1, 0.1))
        self.assertEqual((ground.type, box.type), (sinew.BodyType.STATIC, sinew.BodyType.DYNAMIC))
        self.assertAlmostEqual(box.mass, 10, 4)
        hinge = self.world.add_joint("hinge", None, door, (2, 2, 0), axis=(0, 1, 0), speed=1, speed_most=1e5, least=-3, most=3)
        self.world.step(count=60)
        self.assertAlmostEqual(hinge.angle, 1, 2)
        np.testing.assert_allclose(box.position, (0, 0.5, 0), atol=0.01)
        force, _ = hinge.reaction
        self.assertEqual(force.shape, (3,))
        box.position, box.velocity, box.spin = (0, 5, 0), (1, 0, 0), (0, 0, 2)
        box.rotation = (0, 0, 1, 1)
        np.testing.assert_allclose(box.rotation, (0, 0, math.sqrt(0.5), math.sqrt(0.5)), atol=1e-6)
        np.testing.assert_allclose(box.to_world((1, 0, 0)), (0, 6, 0), atol=1e-5)
        np.testing.assert_allclose(box.to_own((0, 6, 0)), (1, 0, 0), atol=1e-5)
        self.assertEqual(self.world.bodies, [ground, box, door])
        self.assertEqual(box.particle.body, box)
        box.remove()
        self.assertEqual(self.world.bodies, [ground, door])
        with self.refused("body"):
            box.mass
        with self.assertRaises(ValueError):
            self.world.add_joint("hing", None, door, (0, 0, 0))
        with self.refused("sphere|radius"):
            self.world.add_sphere((0, 0, 0), -1)
        hull = self.world.add_body(sinew.Shape("hull", vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]), position=(0, 9, 0))
        self.assertAlmostEqual(hull.mass, 1000 / 6, 2)
        self.world.add_body(sinew.Shape("heights", heights=np.zeros((4, 5)), cell=1), type="static", position=(20, 0, 0))

    def test_what_a_body_is(self):
        rod = self.world.add_cylinder((0, 3, 0), half_length=0.5, radius=0.1, density=1000)
        self.assertAlmostEqual(rod.mass, 10 * math.pi, 3)
        np.testing.assert_allclose(rod.bounds, [(-0.1, 2.5, -0.1), (0.1, 3.5, 0.1)], atol=2e-3)
        read = rod.read()
        self.assertAlmostEqual(read.moments[1], 0.5 * rod.mass * 0.01, 4)
        self.assertAlmostEqual(read.mass, rod.mass, 4)
        rod.apply_angular_impulse((0, read.moments[1] * 2, 0))
        np.testing.assert_allclose(rod.spin, (0, 2, 0), atol=1e-4)
        np.testing.assert_allclose(rod.velocity_at((0.1, 3, 0)), (0, 0, -0.2), atol=1e-4)
        rod.set_spin_damping(3)
        self.assertEqual(rod.read().spin_damping, 3)
        rod.set_filter(mask=0)
        self.world.add_plane()
        self.world.step(count=90)
        self.assertLess(rod.position[1], -1)  # it collides with nothing
        rod.set_filter()
        rod.set_material(restitution=1)
        with self.refused("shape"):
            rod.set_filter(1, mask=0)
        with self.assertRaisesRegex(AttributeError, "restitution"):
            rod.set_material(restitutoin=1)

    def test_sleep_of_bodies(self):
        self.world.contact.sleep = True
        self.world.add_plane()
        box = self.world.add_box((0, 0.5, 0), (0.5, 0.5, 0.5))
        self.assertTrue(box.awake)
        self.world.step(count=120)
        self.assertFalse(box.awake)
        box.wake()
        self.assertTrue(box.awake)
        self.world.step(count=120)
        self.assertFalse(box.awake)
        box.particle.wake()
        self.assertTrue(box.awake)

    def test_constraints_are_read(self):
        a, b = self.world.add_particle((0, 0, 0)), self.world.add_particle((2, 0, 0))
        rod = self.world.add_constraint("distance", a, b, compliance=1e-3, user=7)
        read = rod.read()
        self.assertEqual((read.rest, read.user), (2, 7))
        self.assertAlmostEqual(read.compliance, 1e-3, 8)
        pin = self.world.add_constraint("pin", a, target=(1, 2, 3))
        self.assertEqual(pin.read().target, (1, 2, 3))
        six = self.world.add_joint("six", None, self.world.add_box((5, 0, 0), (1, 1, 1)), (5, 0, 0))
        six.set_axis_limits(0, -1, 1)
        six.set_axis_motor(0, 2, 1e9)
        self.world.step(count=15)
        self.assertAlmostEqual(six.axis_value(0), 0.5, 2)
        six.set_axis_target(0, 0, 1e9)
        self.world.step(count=15)
        self.assertAlmostEqual(six.axis_value(0), 0, 2)
        self.assertFalse(rod.collides)
        rod.collides = True
        self.assertTrue(rod.collides)
        door = self.world.add_joint("hinge", None, self.world.add_box((9, 0, 0), (1, 1, 1)), (8, 0, 0), axis=(0, 1, 0), collides=True)
        self.assertTrue(door.collides)
        rod.remove()
        with self.refused("does not exist"):
            rod.read()

    def test_shapes_that_are_cast(self):
        box = self.world.add_box((5, 0, 0), (1, 1, 1))
        probe = sinew.Shape("box", half=(0.5, 0.5, 0.5), position=(0, 0.2, 0))
        hit = self.world.shape_cast(probe, (1, 0, 0))
        self.assertAlmostEqual(hit.distance, 3.5, 4)
        self.assertEqual(hit.body, box)
        self.assertIsNone(self.world.shape_cast(probe, (0, 1, 0)))
        self.assertEqual(self.world.shape_overlap(probe), [])
        inside = self.world.shape_overlap(sinew.Shape("sphere", radius=0.25, position=(4, 0, 0)))
        self.assertEqual([found.body for found in inside], [box])
        self.assertAlmostEqual(inside[0].distance, -0.25, 4)

    def test_settings(self):
        settings = self.world.settings
        settings.substeps = 7
        settings.gravity = (0, 0, -1)
        settings.solver = sinew.Solver.GAUSS_SEIDEL
        self.assertEqual((settings.substeps, settings.gravity, settings.solver), (7, (0, 0, -1), sinew.Solver.GAUSS_SEIDEL))
        with self.assertRaisesRegex(AttributeError, "substeps"):
            settings.substep = 3
        with self.refused("substeps"):
            settings.update(gravity=(0, 0, 0), substeps=0)
        self.assertEqual(settings.gravity, (0, 0, -1))
        self.world.contact.events = True
        self.assertTrue(self.world.contact.events)
        self.world.group_contact(3).update(material={"static_friction": 0.1, "dynamic_friction": 0.1}, rolls=True)
        self.assertTrue(self.world.group_contact(3).rolls)
        self.assertAlmostEqual(self.world.group_contact(3).material["static_friction"], 0.1, 6)
        with self.assertRaisesRegex(sinew.Error, "substeps"):
            sinew.World(substeps=0)
        with self.assertRaises(AttributeError):
            sinew.World(gravitty=1)

    def test_snapshots(self):
        run, _ = cloth(self.world, 5)
        self.world.step(count=3)
        saved = self.world.save()
        self.assertGreater(saved.size, 1000)
        before = self.world.hash
        self.world.step(count=3)
        after = self.world.hash
        self.world.load(saved)
        self.assertEqual(self.world.hash, before)
        self.world.step(count=3)
        self.assertEqual(self.world.hash, after)
        other = sinew.World()
        other.load(saved)
        self.assertEqual(other.hash, before)
        other.close()
        self.world.close()
        self.assertGreater(saved.size, 1000)  # it outlives the world
        with self.assertRaises(TypeError):
            sinew.World().load(None)

    def test_copies(self):
        """What stands for memory of the engine is never there twice: two would free it twice."""
        world = sinew.World()
        particle = world.add_particle((0, 1, 0))
        saved = world.save()
        self.assertIs(copy.copy(saved), saved)
        self.assertIs(copy.deepcopy([saved])[0], saved)
        for thing in (world, particle, world.settings, saved, sinew.Scene("pendulum"), sinew.Worlds(2, lambda world, number: None)):
            with self.assertRaisesRegex(TypeError, "pickled"):
                pickle.dumps(thing)
            if thing is not saved:
                with self.assertRaisesRegex(TypeError, "copied"):
                    copy.deepcopy(thing)
        world.load(saved)
        self.assertIn("bytes", repr(saved))

    def test_everything_is_described(self):
        """Every public name, method and property has a docstring."""
        silent = []
        for name in sinew.__all__:
            thing = getattr(sinew, name)
            if not thing.__doc__:
                silent.append(name)
            if isinstance(thing, type) and thing.__module__.startswith("sinew") and not issubclass(thing, int):
                silent += [f"{name}.{part}" for part, value in vars(thing).items()
                           if not part.startswith("_") and isinstance(value, (property, classmethod, staticmethod, type(lambda: 0)))
                           and not value.__doc__]
        self.assertEqual(silent, [])

    def test_names_that_are_almost_right(self):
        world = sinew.World()
        particle = world.add_particle((0, 1, 0))
        with self.assertRaisesRegex(ValueError, "did you mean distance"):
            world.add_constraint("distnace", particle, (0, 0, 0))
        with self.assertRaisesRegex(ValueError, "expected one of ball, hinge"):
            world.add_joint("xyz", None, None, (0, 0, 0))
        with self.assertRaisesRegex(AttributeError, "did you mean substeps"):
            sinew.World(substep=3)
        with self.assertRaisesRegex(sinew.Error, "did you mean curtain"):
            sinew.Scene("curtian")

    def test_joints_are_driven(self):
        world = sinew.World(gravity=(0, 0, 0))
        arm = world.add_box((0.5, 0, 0), half=(0.5, 0.05, 0.05), density=100)
        world.add_joint("hinge", None, arm, (0, 0, 0), axis=(0, 0, 1))
        [hinge] = world.constraints
        self.assertIsInstance(hinge, sinew.Joint)
        hinge.set_target(0.5, most=100)
        world.step(count=120)
        self.assertAlmostEqual(hinge.angle, 0.5, 2)
        hinge.set_motor(2, most=100)
        world.step(count=30)
        self.assertAlmostEqual(arm.spin[2], 2, 2)
        hinge.set_limits(-1, 1)
        world.step(count=120)
        self.assertLess(hinge.angle, 1.01)
        with self.assertRaises(sinew.Error):
            hinge.set_target((0, 0, 1), most=1)  # a hinge has one axis
        with self.assertRaises(sinew.Error):
            hinge.swing

    def test_queries(self):
        ball = self.world.add_sphere((0, 5, 0), 1)
        self.world.add_plane()
        particle = self.world.add_particle((4, 1, 0), radius=0.5)
        hit = self.world.ray((0, 10, 0), (0, -1, 0))
        self.assertEqual(hit.body, ball)
        self.assertAlmostEqual(hit.distance, 4, 5)
        np.testing.assert_allclose(hit.point, (0, 6, 0), atol=1e-5)
        self.assertIsNone(hit.particle)
        self.assertEqual(self.world.ray((0, 10, 0), (0, -1, 0), what="statics").distance, 10)
        self.assertEqual(self.world.ray((4, 10, 0), (0, -1, 0), what=["particles", "bodies"]).particle, particle)
        self.assertIsNone(self.world.ray((0, 10, 0), (0, 1, 0)))
        np.testing.assert_allclose(self.world.rays([(0, 10, 0), (4, 10, 0), (9, 9, 9)], [(0, -1, 0), (0, -1, 0), (0, 1, 0)]),
                                   [4, 8.5, math.inf], atol=1e-5)
        self.assertEqual([found.body or found.particle for found in self.world.overlap((0, 5, 0), 0.1)], [ball])
        self.assertEqual(self.world.closest((4, 3, 0), what="particles").particle, particle)
        self.assertIsNone(self.world.closest((4, 30, 0), 1))
        with self.refused("direction"):
            self.world.ray((0, 0, 0), (0, 0, 0))
        with self.assertRaises(ValueError):
            self.world.ray((0, 0, 0), (0, 1, 0), what="ghosts")

    def test_events_and_breaking(self):
        self.world.contact.update(events=True)
        ground = self.world.add_plane()
        ball = self.world.add_sphere((0, 1.05, 0), 1)
        hanging = self.world.add_particle((9, 5, 0))
        rope = self.world.add_constraint("distance", (9, 6, 0), hanging)
        rope.strength = 1
        events, broken = [], []
        for _ in range(30):
            self.world.step()
            events += self.world.events()
            broken += self.world.broken()
        self.assertEqual(events[0].phase, sinew.ContactPhase.BEGIN)
        self.assertEqual((events[0].body, events[0].other_body), (ball, ground))
        self.assertGreater(events[0].impulse, 0)
        self.assertEqual([one.constraint for one in broken], [rope])
        self.assertFalse(rope.alive)

    def test_fields_and_drags(self):
        self.world.settings.gravity = (0, 0, 0)
        particle = self.world.add_particle(mass=2)
        seen = []

        def wind(of):
            seen.append((of.mass, of.index))
            return (4, 0, 0)

        field = self.world.add_field(wind)
        self.world.step(0.5)
        self.assertAlmostEqual(particle.velocity[0], 1, 5)
        self.assertEqual(set(seen), {(2, 0)})
        self.world.remove_field(field)
        drag = self.world.add_drag(strength=1)
        self.world.step(1)
        self.assertAlmostEqual(particle.velocity[0], math.exp(-1), 4)
        self.world.remove_drag(drag)

        def fails(_):
            raise KeyError("mine")

        self.world.add_field(fails)
        with self.assertRaisesRegex(KeyError, "mine"):
            self.world.step()

    def test_a_call_from_a_callback_is_refused(self):
        self.world.add_particle()
        self.world.add_field(lambda of: self.world.step() or (0, 0, 0))
        before = self.world.hash
        with self.assertRaises(sinew.Error) as raised:
            self.world.step()
        self.assertEqual(raised.exception.result, sinew.Result.ERROR_BUSY)
        self.assertEqual(self.world.hash, before)

    def test_budget(self):
        cloth(self.world, 8)
        budget = sinew.Budget(relative=0.01)
        for _ in range(5):
            certificate = self.world.step_budget(budget=budget)
        self.assertGreaterEqual(certificate.substeps, 1)
        self.assertEqual(certificate.report.kinds["distance"].count, 112)

    def test_divergence_names_the_particle(self):
        self.world.add_particle(velocity=(3e38, 0, 0))
        with self.refused("particle", sinew.Result.ERROR_DIVERGED):
            self.world.step(10)

    def test_skins(self):
        run = self.world.add_particles([(0, 0, 0), (1, 0, 0), (0, 0, 1)], mass=math.inf)
        skin = self.world.add_skin([run.numbers], thickness=0.01)
        self.assertTrue(skin.alive)
        ball = self.world.add_particle((0.2, 0.5, 0.2), radius=0.1, group=1)
        self.world.step(count=120)
        self.assertAlmostEqual(ball.position[1], 0.11, 2)
        self.assertEqual(self.world.ray((0.2, -1, 0.2), (0, 1, 0), what="skins").skin, skin)
        skin.remove()
        self.assertFalse(skin.alive)

    def test_tearing_and_cutting(self):
        self.world.settings.gravity = (0, 0, 0)
        run = self.world.add_particles([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)])
        corners = run.numbers[[[0, 1, 2], [1, 3, 2]]]
        self.world.add_constraints("distance", run.numbers[[[0, 1], [1, 2], [2, 0], [1, 3], [3, 2]]])
        skin = self.world.add_skin(corners)
        np.testing.assert_array_equal(skin.triangles, corners)
        view = self.world.positions
        mass = self.world.report().mass
        done = self.world.cut("plane", a=(0.3, 0, 0), b=(1, 0, 0))
        self.assertGreater(done.inserted, 0)
        self.assertGreater(len(self.world), 4)
        self.assertGreater(len(skin.triangles), 2)
        self.assertEqual(self.world.report().mass, mass)
        self.assertTrue(all(one.cut for one in self.world.tears()))
        self.assertEqual({one.skin for one in self.world.tears() if one.type == sinew.TearType.INSERT}, {skin})
        self.assertTrue(self.world.tear_copies())
        self.assertEqual({one.made.kind for one in self.world.tear_copies()}, {one.parent.kind for one in self.world.tear_copies()})
        with self.assertRaisesRegex(sinew.Error, "dead"):
            view[0]
        with self.refused("blade|normal"):
            self.world.cut("plane", a=(0, 0, 0), b=(0, 0, 0))
        skin.set_tear(strain=0.5)
        skin.set_tear()
        with self.refused("strain"):
            skin.set_tear(strain=-1)

        ends = self.world.add_particles([(9, 0, 0), (10, 0, 0)], mass=math.inf)
        rods = self.world.add_constraints("distance", [ends.numbers])
        rods.set_tear(strain=0.1)
        ends[1].position = (11, 0, 0)
        self.world.step()
        self.assertEqual([(one.type, one.constraint) for one in self.world.tears() if not one.cut], [(sinew.TearType.BREAK, rods[0])])

    def test_a_function_refuses_tears(self):
        self.world.settings.gravity = (0, 0, 0)
        ends = self.world.add_particles([(0, 0, 0), (1, 0, 0)], mass=math.inf)
        rods = self.world.add_constraints("distance", [ends.numbers])
        rods.set_tear(strain=0.1)
        ends[1].position = (2, 0, 0)
        asked = []
        self.world.set_tear_function(asked.append)  # which returns None
        self.world.step()
        self.assertEqual([(one.type, one.constraint, round(one.strain, 3)) for one in asked], [(sinew.TearType.BREAK, rods[0], 1)])
        self.assertEqual(self.world.cut("plane", a=(1, 0, 0), b=(1, 0, 0)).removed, 0)
        self.assertTrue(asked[1].cut and rods[0].alive)

        def fails(_tear):
            self.world.cut("plane", a=(1, 0, 0), b=(1, 0, 0))

        self.world.set_tear_function(fails)
        with self.assertRaisesRegex(sinew.Error, "callback"):
            self.world.step()
        self.assertTrue(rods[0].alive)
        self.world.set_tear_function(None)
        self.world.step()
        self.assertFalse(rods[0].alive)

    def test_2d(self):
        with sinew.World(dimensions=2) as world:
            world.add_particle((1, 2, 0))
            with self.assertRaisesRegex(sinew.Error, "2D"):
                world.add_particle((0, 0, 1))
            with self.assertRaisesRegex(sinew.Error, "2D"):
                world.positions[0] = (0, 0, 1)

    def test_after_close(self):
        particle, rod = self.world.add_particle(), None
        positions, run = self.world.positions, self.world.add_particles([(1, 1, 1), (2, 2, 2)])
        rod = self.world.add_constraint("distance", run[0], run[1])
        self.world.close()
        self.world.close()
        self.assertTrue(self.world.closed)
        for use in (self.world.step, self.world.report, self.world.save, lambda: self.world.positions, lambda: len(self.world),
                    lambda: particle.position, lambda: rod.force, lambda: run.positions[0], lambda: positions[0],
                    lambda: self.world.add_particle(), lambda: self.world.settings.substeps, lambda: self.world.ray((0, 0, 0), (1, 0, 0))):
            with self.assertRaisesRegex(sinew.Error, "the world is closed"):
                use()
        self.assertIn("closed", repr(self.world))

    def test_two_threads_at_once(self):
        particle = self.world.add_particle()
        stepping, go_on, failed = threading.Event(), threading.Event(), []

        def wait(_):  # holds the other thread in the middle of its step
            stepping.set()
            go_on.wait(60)
            return (0, 0, 0)

        def step():
            try:
                self.world.step()
            except Exception as error:
                failed.append(error)

        self.world.add_field(wait)
        thread = threading.Thread(target=step)
        thread.start()
        try:
            self.assertTrue(stepping.wait(60))
            for use in (self.world.step, lambda: len(self.world), lambda: particle.position, lambda: self.world.positions, self.world.close):
                with self.assertRaisesRegex(sinew.Error, "the world is used by another thread") as raised:
                    use()
                self.assertEqual(raised.exception.result, sinew.Result.ERROR_BUSY)
        finally:
            go_on.set()
            thread.join()
        self.assertEqual(failed, [])
        self.assertAlmostEqual(self.world.time, 1 / 60)  # the step was not disturbed, and the world may be used again

    def test_many_threads_on_one_world(self):
        """Whatever comes in between: a value or an Error, never anything else."""
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1e-5)
        run, _ = cloth(self.world, 6)
        wrong, done = [], []

        def use(what):
            for _ in range(150):
                try:
                    what()
                    done.append(what)
                except sinew.Error:
                    pass
                except BaseException as error:
                    wrong.append(error)

        uses = [lambda: self.world.step(0.001), lambda: self.world.add_particles(np.ones((200, 3))).remove(), lambda: self.world.positions[3].sum(),
                lambda: self.world.positions.__setitem__(3, 0), lambda: run.positions[2], lambda: self.world.load(self.world.save()),
                lambda: self.world.report().kinds["distance"].worst]
        threads = [threading.Thread(target=use, args=[what]) for what in uses]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertTrue(done)
        self.world.step()

    def test_worlds_on_threads_of_their_own(self):
        worlds = [sinew.World(threads=1) for _ in range(3)]

        def run(world):
            cloth(world, 10)
            world.step(count=20)

        threads = [threading.Thread(target=run, args=[world]) for world in worlds]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len({world.hash for world in worlds}), 1)
        for world in worlds:
            world.close()

    def test_arguments_that_are_none(self):
        particle = self.world.add_particle()
        for wrong, words, use in [
                (TypeError, "dt", lambda: self.world.step("a")), (TypeError, "dt", lambda: self.world.step(None)),
                (ValueError, "count", lambda: self.world.step(count=-1)), (ValueError, "group: found -1", lambda: setattr(particle, "group", -1)),
                (TypeError, "group: found 1.5", lambda: setattr(particle, "group", 1.5)), (ValueError, "index", lambda: self.world.particle(2**32)),
                (ValueError, "position", lambda: setattr(particle, "position", (1, 2))), (TypeError, "x", lambda: setattr(particle, "position", "abc")),
                (ValueError, "position", lambda: setattr(particle, "position", 3)), (AttributeError, "colour", lambda: self.world.add_particle(colour=1)),
                (ValueError, "positions", lambda: self.world.add_particles([[1, 2]])), (sinew.Error, "finite", lambda: self.world.add_particles([[1e300, 0, 0]])),
                (sinew.Error, "finite", lambda: self.world.positions.__setitem__(0, 1e300)), (ValueError, "mass", lambda: setattr(particle, "mass", 1e300)),
                (sinew.Error, "mass", lambda: setattr(particle, "mass", -1)), (ValueError, "threads", lambda: setattr(self.world, "threads", -1)),
                (AttributeError, "gravity", lambda: setattr(self.world, "gravity", (0, 0, 0))), (AttributeError, "positon", lambda: setattr(particle, "positon", 1)),
                (AttributeError, "second", lambda: setattr(sinew.Budget(), "second", 1)), (ValueError, "half: found 1", lambda: self.world.add_box((0, 0, 0), 1)),
                (sinew.Error, "dimensions", lambda: sinew.World(dimensions=4)), (ValueError, "integrator.*leapfrog", lambda: sinew.World(integrator="rk4"))]:
            before = self.world.hash
            with self.subTest(words), self.assertRaisesRegex(wrong, words):
                use()
            self.assertEqual(self.world.hash, before)

    def test_handles_of_another_world(self):
        with sinew.World() as other:
            particle = other.add_particle()
            own = self.world.add_particle()
            with self.assertRaisesRegex(ValueError, "another world"):
                self.world.add_constraint("distance", particle, own)
            with self.assertRaisesRegex(ValueError, "another world"):
                self.world.add_joint("ball", None, other.add_sphere((0, 0, 0), 1), (0, 0, 0))

    def test_a_world_that_is_dropped_is_freed(self):
        world = sinew.World()
        world.add_field(lambda of: (0, 0, 0))
        gone = weakref.ref(world._core)
        del world
        gc.collect()
        self.assertIsNone(gone())

    def test_a_particle_keeps_its_world(self):
        particle = sinew.World().add_particle((1, 2, 3))
        gc.collect()
        self.assertEqual(list(particle.position), [1, 2, 3])

    def test_warnings_are_logged(self):
        a, b = self.world.add_particle(), self.world.add_particle((1, 0, 0))
        self.world.add_constraint("spring", a, b, stiffness=1e9)
        with self.assertLogs("sinew", logging.WARNING) as logged:
            self.world.step()
        self.assertIn("stiff", logged.output[0])

    def test_the_same_bits_as_the_c_interface(self):
        api = sinew.api
        made = api.sn_default_world_def()
        made.threads = 1
        pointer = api.C.c_void_p()
        self.assertEqual(api.sn_world_create(made, api.C.cast(api.C.byref(pointer), api.sn_world_create.argtypes[1])), 0)
        world = pointer.value
        a = api.sn_particle_add_at(world, api.sn_vec3(0, 0, 0), math.inf)
        b = api.sn_particle_add_at(world, api.sn_vec3(1, 0, 0), 1)
        api.sn_constraint_add_distance(world, api.sn_at(a), api.sn_at(b), api.SN_MEASURE)
        for _ in range(50):
            self.assertEqual(api.sn_world_step(world, 0.01), 0)
        here = [self.world.add_particle(mass=math.inf), self.world.add_particle((1, 0, 0))]
        self.world.add_constraint("distance", *here)
        self.world.step(0.01, count=50)
        self.assertEqual(self.world.hash, api.sn_world_hash(world))
        api.sn_world_destroy(world)


if __name__ == "__main__":
    unittest.main()

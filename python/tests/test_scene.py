"""Scenes by name, by path and from a dict."""
import json
import os
import tempfile
import unittest

import numpy as np
import sinew

ROPE = {"objects": [{"type": "rope", "name": "rope", "length": 1, "segments": 10, "direction": [1, 0, 0], "pins": "start"}]}


class Scenes(unittest.TestCase):
    def test_all_scenes_of_the_package_open(self):
        names = sinew.scene_names()
        self.assertIn("curtain", names)
        for name in ("pendulum", "box_2d", "balloons", "hinge_door", "cloth_over_sphere"):
            with self.subTest(name), sinew.Scene(name, threads=1) as scene:
                self.assertTrue(scene.info.title)
                scene.step()
                self.assertEqual(scene.frame, 1)

    def test_a_scene_is_what_a_file_says(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rope.json")
            with open(path, "w") as file:
                json.dump(ROPE, file)
            scenes = [sinew.Scene(path), sinew.Scene(text=ROPE), sinew.Scene(text=json.dumps(ROPE)), sinew.Scene(text=ROPE, threads=2)]
            for scene in scenes:
                scene.step(20)
            self.assertEqual(len({scene.world.hash for scene in scenes}), 1)
            scenes[0].save(os.path.join(folder, "saved.json"))
            self.assertEqual(len(sinew.Scene(os.path.join(folder, "saved.json")).world), 11)
            for scene in scenes:
                scene.close()

    def test_objects_and_selectors(self):
        with sinew.Scene(text=ROPE, set={"objects[0].segments": 5, "world.substeps": 3}) as scene:
            rope = scene["rope"]
            self.assertEqual((rope.name, rope.type, len(rope.particles), scene.world.settings.substeps), ("rope", "rope", 6, 3))
            self.assertEqual(rope.lines.shape, (5, 2))
            self.assertEqual(list(scene.objects), ["rope"])
            self.assertEqual(scene.particle("rope.end"), rope.particles[-1])
            self.assertEqual(scene.select("rope[0:2]"), [rope.particles[0], rope.particles[1]])
            self.assertEqual(scene.constraint("rope.links[3]").kind, "distance_max")
            scene.pin("rope.end")
            scene.step(30)
            np.testing.assert_allclose(rope.particles[-1].position, (1, 0, 0), atol=1e-6)
            scene.release("rope.end")
            scene.cut("rope.links[0]")
            scene.step(30)
            self.assertLess(rope.particles[-1].position[1], -0.3)
            scene.add({"bodies": [{"name": "crate", "position": [5, 0, 0], "shapes": [{"type": "box"}]}]})
            crate = scene.body("crate")
            self.assertEqual(crate.type, sinew.BodyType.DYNAMIC)
            certificate = scene.step_budget(sinew.Budget(relative=0.01))
            self.assertGreaterEqual(certificate.substeps, 1)
            self.assertAlmostEqual(scene.time, 61 / 60, 5)

    def test_moments(self):
        with sinew.Scene(text=ROPE) as scene, sinew.Scene(text=ROPE) as other:
            scene.step(5)
            moment, gone = scene.mark(), scene.mark()
            del gone
            scene.step(5)
            after = scene.world.hash
            scene.go_back(moment)
            self.assertEqual((scene.frame, moment.time), (5, scene.time))
            scene.step(5)
            self.assertEqual((scene.frame, scene.world.hash), (10, after))
            for wrong in (other.mark(), None):
                with self.assertRaises(ValueError):
                    scene.go_back(wrong)
        with self.assertRaisesRegex(sinew.Error, "the scene is closed"):
            scene.go_back(moment)
        with self.assertRaisesRegex(sinew.Error, "the scene is closed"):
            moment.time

    def test_errors_say_where(self):
        with self.assertRaisesRegex(sinew.Error, r"text:1:\d+: error: objects\[0\]\.type: .*did you mean 'rope'"):
            sinew.Scene(text={"objects": [{"type": "rop"}]})
        with self.assertRaisesRegex(sinew.Error, "no file and no scene of the package .nothing_like_it"):
            sinew.Scene("nothing_like_it")
        with self.assertRaises(TypeError):
            sinew.Scene()
        with sinew.Scene(text=ROPE) as scene:
            before = scene.world.hash
            for use in (lambda: scene.particle("rope.middle"), lambda: scene.select("chain"), lambda: scene.body("rope"),
                        lambda: scene.add({"objects": [{"type": "sheet"}]}), lambda: scene.pin("rope.x"), lambda: scene.cut("rope.y")):
                with self.assertRaisesRegex(sinew.Error, "rope|chain|sheet|names 11"):
                    use()
            with self.assertRaisesRegex(KeyError, "rope"):
                scene["cloth"]
            self.assertEqual(scene.world.hash, before)
            rope, world = scene["rope"], scene.world
        for use in (scene.step, world.step, lambda: rope.name, lambda: scene.frame, lambda: rope.particles):
            with self.assertRaisesRegex(sinew.Error, "the scene is closed"):
                use()


if __name__ == "__main__":
    unittest.main()

"""The declarations are those of the headers: sizes, offsets, values, calls."""
import ctypes
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import sinew
from sinew import api

ROOT = Path(__file__).resolve().parent.parent.parent


class Layout(unittest.TestCase):
    def test_the_installed_package_is_tested(self):
        if os.environ.get("SINEW_INSTALLED"):
            self.assertIn("site-packages", sinew.__file__)

    def test_structs_enums_and_constants_are_those_of_the_compiler(self):
        source, compiler = os.environ.get("SINEW_CHECK_C"), os.environ.get("CC") or shutil.which("cc")
        if not source or not compiler:
            self.skipTest("needs a C compiler and SINEW_CHECK_C")
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "check")
            subprocess.run([compiler, f"-I{ROOT}", f"-I{ROOT}/include", f"-I{ROOT}/scene/include", "-o", program, source], check=True)
            lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
        structs, fields, values = {}, {}, {}
        for words in map(str.split, lines):
            if len(words) == 4:
                fields[words[0], words[1]] = int(words[2]), int(words[3])
            elif words[0].startswith("SN_"):
                values[words[0]] = float(words[1])
            else:
                structs[words[0]] = int(words[1])

        for struct in api.STRUCTS:
            name = struct.__name__
            self.assertEqual(ctypes.sizeof(struct), structs[name], name)
            for field, _ in struct._fields_:
                found = getattr(struct, field)
                self.assertEqual((found.offset, found.size), fields.pop((name, field)), f"{name}.{field}")
        self.assertEqual(fields, {})
        self.assertGreater(len(api.STRUCTS), 70)

        for enum in api.ENUMS:
            for member in enum:
                ends = [value for name, value in values.items() if name.endswith("_" + member.name) and value == member.value]
                self.assertTrue(ends, f"{enum.__name__}.{member.name}")
        for name, value in values.items():
            if hasattr(api, name):
                found = getattr(api, name)
                self.assertAlmostEqual(found / value if value not in (0, float("inf")) else found - value + 1 if value == 0 else 1, 1, 6, name)
        for size in (size for name, size in structs.items() if not hasattr(api, name)):  # enums
            self.assertEqual(size, 4)

    def test_every_public_call_is_there(self):
        declared = set()
        for path in [*ROOT.glob("include/sinew/*.h"), *ROOT.glob("scene/include/sinew/*.h")]:
            text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
            text = re.sub(r"^#.*(\\\n.*)*", "", text, flags=re.M)
            if path.parent.parent.parent.name == "scene":
                declared |= set(re.findall(r"^(?!static|typedef|\s)[\w *]*?\b(sn_\w+)\(", text, re.M))
            else:
                declared |= set(re.findall(r"SN_API [\w *]*?\b(sn_\w+)\(", text))
        called = {name for name in api.CALLS if not name.startswith("sn_python_")}
        self.assertEqual(declared, called)
        self.assertGreater(len(called), 370)

    def test_describe(self):
        self.assertIn("the number of substeps of a step", sinew.describe("settings.substeps"))
        self.assertRegex(sinew.describe("world_step"), r"^sn_result sn_world_step\(world, dt\)\nAdvances the world by dt seconds")
        self.assertIn("substeps: the number of substeps", sinew.describe("sn_settings"))
        self.assertRegex(sinew.describe("Solver"), r"tiled = \d: Gauss-Seidel with a plan")
        self.assertEqual(sinew.describe("sn_body_spin").splitlines()[1], "rad/s")  # a comment behind it
        self.assertRegex(sinew.describe("scene_release_selected"), "releases them again")  # a comment of two calls
        self.assertNotIn("\n", sinew.describe("particle_group"))  # nothing is said of it, and nothing of its neighbours is taken
        with self.assertRaisesRegex(KeyError, "did you mean.*sn_settings"):
            sinew.describe("setings")

    def test_version(self):
        self.assertEqual(sinew.__version__, f"{api.SN_VERSION_MAJOR}.{api.SN_VERSION_MINOR}.{api.SN_VERSION_PATCH}")
        self.assertEqual(api.sn_real_size(), 4)


if __name__ == "__main__":
    unittest.main()

"""The examples and the lines of the README and of docs/python.md run, and what they print is true."""
import contextlib
import importlib.util
import io
import os
import re
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def example(name):
    """What main of an example returns, and what it printed."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "python/examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        return module.main(), out.getvalue()


class Examples(unittest.TestCase):
    def test_every_example_has_a_test(self):
        here = {name.removeprefix("test_") for name in dir(self) if name.startswith("test_")}
        self.assertLessEqual({path.stem for path in (ROOT / "python/examples").glob("*.py")}, here)

    def test_pendulum(self):
        rows, out = example("pendulum")
        self.assertEqual([row[0] for row in rows], [10, 45, 90, 150])
        for _, exact, found in rows:
            self.assertAlmostEqual(found / exact, 1, 4)
        self.assertIn("closed form", out)

    def test_integrators(self):
        table, _ = example("integrators")
        orders = {name: round(order) for name, (_, order) in table.items()}
        self.assertEqual(orders, {"symplectic_euler": 1, "forward_euler": 1, "leapfrog": 2, "verlet": 2, "bdf2": 2})

    def test_fit_cloth(self):
        (true, found), _ = example("fit_cloth")
        self.assertAlmostEqual(found / true, 1, 3)

    def test_cart_pole(self):
        (before, after), out = example("cart_pole")
        self.assertLess(before, 2)
        self.assertGreater(after, 5)  # of 6 s
        self.assertIn("512 carts side by side", out)


class Documentation(unittest.TestCase):
    def run_blocks(self, path):
        blocks = re.findall(r"^```python\n(.*?)^```", path.read_text(), re.S | re.M)
        self.assertTrue(blocks)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
            os.chdir(folder)
            try:
                names = {}
                for block in blocks:
                    exec(compile(block, str(path), "exec"), names)
            finally:
                os.chdir(before)
        return blocks, out.getvalue()

    def test_readme(self):
        blocks, out = self.run_blocks(ROOT / "python/README.md")
        self.assertEqual(len([line for line in blocks[0].splitlines() if line.strip()]), 9)
        self.assertIn("(", out)

    def test_page(self):
        self.run_blocks(ROOT / "docs/python.md")


if __name__ == "__main__":
    unittest.main()

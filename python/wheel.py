#!/usr/bin/env python3
"""Makes the Python package: a folder that can be imported, and a wheel of it.

    python/wheel.py LIBRARIES OUTPUT     LIBRARIES: the folder of _sinew.so, build/release/python

OUTPUT/stage/sinew is the package, OUTPUT/check.c a program that prints sizes and offsets of all structs, and
OUTPUT/dist/sinew-VERSION-py3-none-linux_MACHINE.whl the wheel. A wheel is a zip with some metadata, so nothing but Python is needed. Equal
input gives equal bytes.
"""
from __future__ import annotations

import base64
import hashlib
import platform
import re
import shutil
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
import generate  # noqa: E402

JANSSON_LICENCE = Path("/usr/share/doc/libjansson4/copyright")


def version() -> str:
    text = (ROOT / "include/sinew/base.h").read_text()
    return ".".join(re.search(rf"^#define SN_VERSION_{part} (\d+)", text, re.M)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def stage(libraries: Path, output: Path) -> Path:
    """The package as it is installed."""
    package = output / "stage/sinew"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(ROOT / "python/sinew", package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "scenes", package / "scenes", ignore=shutil.ignore_patterns("bench", "counter"))
    for library in sorted(libraries.glob("*.so*")):
        shutil.copy(library, package)
    if generate.main([str(package / "_api.py"), "--check", str(output / "check.c")]):
        sys.exit(1)
    return package


def metadata() -> str:
    return "\n".join([
        "Metadata-Version: 2.1", "Name: sinew", f"Version: {version()}", "Summary: A position-based dynamics engine",
        "Requires-Python: >=3.9", "Requires-Dist: numpy", "Description-Content-Type: text/markdown", "",
        (ROOT / "python/README.md").read_text()])


def wheel(package: Path, output: Path) -> Path:
    tag = f"py3-none-linux_{platform.machine()}"
    name = f"sinew-{version()}"
    info = f"{name}.dist-info"
    files = {f"sinew/{path.relative_to(package)}": path.read_bytes()
             for path in sorted(package.rglob("*")) if path.is_file() and "__pycache__" not in path.parts}
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: sinew\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    if JANSSON_LICENCE.exists():  # libjansson travels along
        files[f"{info}/licenses/jansson"] = JANSSON_LICENCE.read_bytes()
    record = ""
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()

    (output / "dist").mkdir(parents=True, exist_ok=True)
    for old in (output / "dist").glob("*.whl"):
        old.unlink()
    made = output / "dist" / f"{name}-{tag}.whl"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if ".so" in path else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return made


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    libraries_, output_ = Path(sys.argv[1]), Path(sys.argv[2])
    if not (libraries_ / "_sinew.so").exists():
        sys.exit(f"wheel: there is no {libraries_ / '_sinew.so'}; build the target sinew_python")
    output_.mkdir(parents=True, exist_ok=True)
    print(wheel(stage(libraries_, output_), output_))

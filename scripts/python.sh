#!/bin/bash
# Builds the Python package, installs it into a fresh virtual environment and runs its tests there.
#
#   scripts/python.sh            all of it; the wheel is then in build/python/dist
#   scripts/python.sh bench      also compares a step from Python with one from C
#   scripts/python.sh notebooks  runs the notebooks instead of the tests
set -eu
cd "$(dirname "$0")/.."

python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import ensurepip, numpy, venv' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || { echo "python: no python3 with numpy and venv (Debian: python3-numpy, python3-venv)" >&2; exit 1; }

scripts/build.sh release sinew_python
wheel=$("$python" python/wheel.py build/release/python build/python)

# The environment sees the system's NumPy, and nothing is fetched.
rm -rf build/python/venv
"$python" -m venv --system-site-packages build/python/venv
build/python/venv/bin/python -m pip --disable-pip-version-check install --quiet --no-index --no-deps --force-reinstall "$wheel"

if [ "${1:-}" = notebooks ]; then
  build/python/venv/bin/python -m ipykernel install --prefix build/python/venv --name sinew >/dev/null
  PYDEVD_DISABLE_FILE_VALIDATION=1 build/python/venv/bin/python python/tests/run_notebooks.py # or the debugger warns
  exit
fi
check=$PWD/build/python/check.c
(cd build/python && SINEW_CHECK_C=$check SINEW_INSTALLED=1 PYTHONWARNINGS=error venv/bin/python -m unittest discover -q -s ../../python/tests -t ../../python/tests)
if [ "${1:-}" = bench ]; then
  scripts/build.sh release sinew_python_bench
  build/python/venv/bin/python python/bench/step.py build/release/python/bench
fi
echo "Built: $wheel. Next: pip install it, and python/README.md"

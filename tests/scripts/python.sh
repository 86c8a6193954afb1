#!/bin/bash
# The Python package, as it lies in the build: its tests, without an installation. 'make python' also makes a wheel and installs it.
set -eu
root=$SINEW_SOURCE_DIR
libraries=$SINEW_BUILD_DIR/python
[ -e "$libraries/_sinew.so" ] || { echo "SKIPPED: there is no $libraries/_sinew.so in this build"; exit 0; }
python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import numpy' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || { echo "SKIPPED: no python3 with numpy (Debian: apt-get install python3-numpy)"; exit 0; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" "$root/python/wheel.py" "$libraries" "$work" >/dev/null
cd "$work"
export PYTHONPATH=$work/stage PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=error SINEW_CHECK_C=$work/check.c
"$python" -m unittest discover -s "$root/python/tests" -t "$root/python/tests"

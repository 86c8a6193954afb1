#!/bin/bash
# Runs a scene, imports what it wrote into Blender without a window, and compares every vertex with the arrays of the
# same run, bit for bit; then renders a frame to out/blender_test.png. What 'make test-blender' calls.
#
#     scripts/blender_test.sh [PROGRAM]        PROGRAM is the sinew command, otherwise build/release/sinew
set -eu
cd "$(dirname "$0")/.."
program=${1:-build/release/sinew}
command -v blender >/dev/null || { echo "blender is missing (Debian: apt-get install blender)"; exit 1; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
frames=60

cat >"$folder/scene.json" <<'END'
{
  "title": "A curtain and a rope in the wind",
  "world": {"substeps": 20},
  "run": {"rate": 30},
  "materials": {"silk": {"density": 0.2, "bend": 1e4, "stretch": 1e-5, "damping": 0.001}},
  "objects": [
    {"type": "cloth", "name": "curtain", "width": 1.6, "height": 1.6, "columns": 40, "rows": 40,
     "position": [0, 1.2, 0], "material": "silk", "pins": ["top_left", "top[13]", "top[26]", "top_right"]},
    {"type": "rope", "name": "rope", "length": 1.5, "segments": 30, "position": [1.1, 1.9, 0.2],
     "direction": [0.6, -0.3, 0.6], "pins": "start", "radius": 0.02}
  ],
  "forces": [{"type": "wind", "value": [0.5, 0, 2.5], "gust": 0.5, "period": 0.7}]
}
END

"$program" run "$folder/scene.json" --frames $frames --out "$folder/out" --format pc2,npy --quiet
mkdir -p out
# one frame more than asked for: the state at the start comes first
blender -b --factory-startup --python-exit-code 1 --python tools/blender/check_import.py -- \
  "$folder/out" "$PWD/out/blender_test.png" $((frames + 1)) >"$folder/log" 2>&1 ||
  { grep -v '^Fra:' "$folder/log"; echo "FAILED: the import into Blender"; exit 1; }
grep 'to the last bit' "$folder/log"
echo "rendered out/blender_test.png"

#!/bin/bash
# Runs a scene, imports its files into Blender without a window, and compares every vertex with the arrays of the same
# run, bit for bit; then renders a frame to out/blender_test.png. Tests the add-on: installs it, runs a scene, changes
# it, bakes. Checks that a failing import reports the reason and fails. For 'make test-blender'.
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
# one frame more than requested: the state at the start comes first
blender -b --factory-startup --python-exit-code 1 --python tools/blender/check_import.py -- \
  "$folder/out" "$PWD/out/blender_test.png" $((frames + 1)) >"$folder/log" 2>&1 ||
  { grep -v '^Fra:' "$folder/log"; echo "FAILED: the import into Blender"; exit 1; }
grep 'to the last bit' "$folder/log"
echo "rendered out/blender_test.png"

cat >"$folder/bodies.json" <<'END'
{
  "objects": [
    {"type": "cloth", "name": "curtain", "columns": 12, "rows": 12, "position": [-2, 2, 0], "pins": ["top_left"]},
    {"type": "wall", "name": "wall", "columns": 3, "rows": 4}
  ],
  "bodies": [{"name": "ball", "shapes": {"type": "sphere", "radius": 0.2}, "mass": 20, "position": [0, 0.6, 1], "velocity": [0, 0, -6]},
    {"name": "floor", "type": "static", "shapes": {"type": "plane"}}]
}
END
absolute=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
BLENDER_USER_SCRIPTS=$folder/scripts blender -b --factory-startup --python-exit-code 1 --python tools/blender/check_addon.py -- \
  "$absolute" "$folder/bodies.json" "$folder/addon" >"$folder/log" 2>&1 ||
  { cat "$folder/log"; echo "FAILED: the add-on"; exit 1; }
grep '^the add-on ran' "$folder/log"

# Torn or cut sheets: one mesh after the other.
"$program" run cut_cloth --frames 80 --out "$folder/torn" --format pc2,obj --quiet
blender -b --factory-startup --python-exit-code 1 --python tools/blender/check_torn_import.py -- "$folder/torn" cloth rope >"$folder/log" 2>&1 ||
  { cat "$folder/log"; echo "FAILED: the import of what was cut"; exit 1; }
grep '^torn' "$folder/log"

# Invalid imports: no folder, an empty folder, a cache of another mesh.
fails() { # FOLDER PATTERN
  if blender -b --factory-startup --python tools/blender/import_sinew.py -- "$1" >"$folder/log" 2>&1; then
    cat "$folder/log"; echo "FAILED: an import of $1 that must fail ended with 0"; exit 1
  fi
  grep -q "^import_sinew: .*$2" "$folder/log" || { cat "$folder/log"; echo "FAILED: it did not say '$2'"; exit 1; }
}
fails "$folder/nowhere" 'No such file'
mkdir "$folder/empty"
fails "$folder/empty" 'there is no NAME.obj with a NAME.pc2'
mkdir "$folder/mixed"
cp "$folder/out/rope.obj" "$folder/mixed/rope.obj"
cp "$folder/out/curtain.pc2" "$folder/mixed/rope.pc2"
fails "$folder/mixed" 'points, rope.obj'
echo "imports that cannot be say why, and fail"

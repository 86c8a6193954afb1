#!/bin/bash
# Runs scenes and checks their files with other programs: gltf-validator, three.js and Blender open scene.glb, VTK
# scene.pvd. For 'make test-files'. The npm packages have the versions of tools/files/package-lock.json.
#
#     scripts/files_test.sh [PROGRAM]        PROGRAM is the sinew command, otherwise build/release/sinew
set -eu
cd "$(dirname "$0")/.."
program=${1:-build/release/sinew}
fail() { echo "FAILED: $*" >&2; exit 1; }

. scripts/packages.inc
packages tools/files
python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import numpy, vtk' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || fail "no python3 with numpy and vtk (Debian: python3-numpy, python3-vtk9)"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/all.json" <<'END'
{
  "world": {"substeps": 20},
  "run": {"rate": 30},
  "objects": [
    {"type": "cloth", "name": "curtain", "columns": 20, "rows": 20, "position": [-2, 2, 0], "pins": ["top_left", "top_right"]},
    {"type": "rope", "name": "rope", "length": 1.5, "segments": 30, "position": [1.1, 1.9, 0.2], "direction": [0.6, -0.3, 0.6], "pins": "start"},
    {"type": "particles", "name": "dust", "positions": [0, 1, 0, 0.1, 2, -3, 1, 1, 1]},
    {"type": "wall", "name": "wall", "columns": 3, "rows": 4}
  ],
  "bodies": [{"name": "ball", "shapes": {"type": "sphere", "radius": 0.2}, "mass": 20, "position": [0, 0.6, 1], "velocity": [0, 0, -6]},
    {"name": "floor", "type": "static", "shapes": {"type": "plane"}}],
  "forces": [{"type": "wind", "of": "curtain", "value": [0.5, 0, 2.5]}]
}
END

judge() { # SCENE FRAMES
  local out=$folder/out
  rm -rf "$out"
  echo "$(basename "$1" .json):"
  "$program" run "$1" --frames "$2" --out "$out" --format glb,vtk,npy,ply --quiet 2>"$folder/log" || { cat "$folder/log"; fail "the run of $1"; }
  node tools/files/check_glb.mjs "$out"
  "$python" tools/files/check_vtk.py "$out"
}

judge "$folder/all.json" 40
blender -b --factory-startup --python-exit-code 1 --python tools/blender/check_glb.py -- "$folder/out" >"$folder/log" 2>&1 ||
  { grep -v '^Fra:' "$folder/log"; fail "Blender's import of scene.glb"; }
grep '^scene.glb' "$folder/log"
judge torn_curtain 60     # topology changes
judge sheet_shot_through 40
judge jelly 30            # a surface with particles inside
judge zoo_of_bodies 30    # all shapes
judge marionette 20       # bodies and strings

# Torn sheets in Blender: the importer accepts them, and each shape is visible only in its time.
"$program" run torn_curtain --frames 40 --out "$folder/torn" --format glb --quiet 2>/dev/null
blender -b --factory-startup --python-exit-code 1 --python tools/blender/check_torn_glb.py -- "$folder/torn" >"$folder/log" 2>&1 ||
  { grep -v '^Fra:' "$folder/log"; fail "Blender's import of a torn scene.glb"; }
grep '^scene.glb' "$folder/log"

#!/bin/sh
# Tests that surfaces do not intersect: runs the scenes of scenes/apart, and those of cloth and ropes that come with
# Sinew, at 10 substeps and at 3, and checks every frame, exactly. Surfaces of scenes/tangled begin with intersections:
# those are not run here; see tests/world/test_tangles.c.
# Usage: scripts/surfaces.sh [PROGRAM [FRAMES [SCENE...]]]; 2,000 frames by default. Exits with 1 if something
# intersects.
set -eu
program=${1:-build/release/sinew}
frames=${2:-2000}
[ $# -gt 2 ] && shift 2 || set -- scenes/apart/*.json scenes/knot.json scenes/coil_of_rope.json scenes/walking_dress.json scenes/dropped_towel.json
bad=0
for scene in "$@"; do
    for substeps in 10 3; do
        if said=$("$program" run "$scene" --frames "$frames" --certify 1 --set "world.substeps=$substeps" 2>/dev/null); then
            echo "$scene, $substeps substeps: apart in $frames frames"
        else
            bad=1
            echo "$scene, $substeps substeps: $(echo "$said" | grep -E 'intersect' || echo 'the run failed')"
        fi
    done
done
exit $bad

#!/bin/bash
# Renders pictures of scenes with Blender, without a window, to docs/images/gallery/NAME.jpg. What 'make gallery' calls.
#
#     scripts/gallery.sh [NAME ...]            scenes/NAME.json; otherwise those in the list below
#
# SINEW_PROGRAM is the sinew command, otherwise build/release/sinew. A picture takes about a minute on two cores.
set -eu
cd "$(dirname "$0")/.."
program=${SINEW_PROGRAM:-build/release/sinew}
command -v blender >/dev/null || { echo "blender is missing (Debian: apt-get install blender)"; exit 1; }

# The scenes and what to show of them: the frame first, then what else tools/blender/gallery.py takes.
views='
arm_through_curtain   frame=150 azimuth=-20
ball_stack            frame=135 azimuth=20 elevation=20
balloons              frame=161
bridge                frame=201
bullet_and_sheet      frame=2 azimuth=50
capstan               frame=50 azimuth=55
catenary              frame=241
cloth_over_sphere     frame=170 colour=1
curtain               frame=131
directional_rejection frame=40 azimuth=40 elevation=32 balls=1
joint_ball            frame=40 ghosts=4
hinge_door            frame=61 azimuth=-12 elevation=38
slider_ramp           frame=45 azimuth=40 elevation=30
cone_twist_arm        frame=200 azimuth=-35 elevation=20
breaking_beam         frame=80 azimuth=25
point_on_line         frame=60 ghosts=3
point_in_plane        frame=120 elevation=25
motor_with_limit      frame=120 ghosts=3
ragdoll_stairs        frame=90 azimuth=40
wrecking_ball         frame=100 azimuth=30
bridge_of_planks      frame=150 azimuth=25
box_pile              frame=240 azimuth=25 elevation=30
jelly_cubes           frame=60 colour=1
crate_in_hammock      frame=150
double_pendulum       frame=61 ghosts=8
flag                  frame=181 colour=1
friction_ramp         frame=80 azimuth=-35 elevation=28
grain_pile            frame=96 azimuth=-58 colour=2
hammock               frame=181
hitman                frame=81 ghosts=3
hour_glass            frame=55 colour=2
jelly                 frame=51
marionette            frame=151
tablecloth            frame=200 colour=3
tablecloth_corner     frame=230 azimuth=45 colour=3
washing_line          frame=141
'

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p docs/images/gallery

# Name and options of the scenes that were asked for; those that the list does not have are shown at their 121st frame.
chosen() {
  [ $# -gt 0 ] || { sed '/^$/d' <<<"$views"; return; }
  for name in "$@"; do
    grep "^$name " <<<"$views" || echo "$name frame=121"
  done
}

while read -r name frame options; do
  "$program" run "scenes/$name.json" --frames $((${frame#frame=} - 1)) --out "$folder/$name" --format pc2 --quiet
  # shellcheck disable=SC2086
  blender -b --factory-startup --python-exit-code 1 --python tools/blender/gallery.py -- \
    "$folder/$name" "$PWD/docs/images/gallery/$name.jpg" "$frame" $options </dev/null >"$folder/log" 2>&1 ||
    { grep -v '^Fra:' "$folder/log"; echo "FAILED: the picture of $name"; exit 1; }
  rm -rf "${folder:?}/$name"
  echo "docs/images/gallery/$name.jpg: $(($(stat -c %s "docs/images/gallery/$name.jpg") / 1000)) kB"
done < <(chosen "$@")

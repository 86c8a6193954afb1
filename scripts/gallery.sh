#!/bin/bash
# Renders pictures of scenes with Blender, without a window, to docs/images/gallery/NAME.jpg. For 'make gallery'.
#
#     scripts/gallery.sh [NAME ...]            scenes/NAME.json; otherwise those in the list below
#
# SINEW_PROGRAM is the sinew command, otherwise build/release/sinew. A picture takes about a minute on two cores.
set -eu
cd "$(dirname "$0")/.."
program=${SINEW_PROGRAM:-build/release/sinew}
command -v blender >/dev/null || { echo "blender is missing (Debian: apt-get install blender)"; exit 1; }

# The scenes and their views: the frame first, then options of tools/blender/gallery.py; tears=1: triangles change.
views='
arm_through_curtain   frame=149 azimuth=-20
ball_stack            frame=134 azimuth=20 elevation=20
balloons              frame=160
bridge                frame=200
bullet_and_sheet      frame=1 azimuth=50
capstan               frame=49 azimuth=55
catenary              frame=240
cloth_over_sphere     frame=169 colour=1
curtain               frame=130
directional_rejection frame=39 azimuth=40 elevation=32 balls=1
joint_ball            frame=39 ghosts=4
hinge_door            frame=60 azimuth=-12 elevation=38
slider_ramp           frame=44 azimuth=40 elevation=30
cone_twist_arm        frame=199 azimuth=-35 elevation=20
breaking_beam         frame=79 azimuth=25
point_on_line         frame=59 ghosts=3
point_in_plane        frame=119 elevation=25
motor_with_limit      frame=119 ghosts=3
ragdoll_stairs        frame=89 azimuth=40
wrecking_ball         frame=99 azimuth=30
bridge_of_planks      frame=149 azimuth=25
box_pile              frame=239 azimuth=25 elevation=30
jelly_cubes           frame=59 colour=1
crate_in_hammock      frame=149
double_pendulum       frame=60 ghosts=8
flag                  frame=180 colour=1
friction_ramp         frame=79 azimuth=-35 elevation=28
grain_pile            frame=95 azimuth=-58 colour=2
hammock               frame=180
hitman                frame=80 ghosts=3
hour_glass            frame=54 colour=2
jelly                 frame=50
marionette            frame=150
tablecloth            frame=199 colour=3
tablecloth_corner     frame=229 azimuth=45 colour=3
washing_line          frame=140
torn_curtain          frame=160 azimuth=20 tears=1
sheet_shot_through    frame=30 azimuth=35 tears=1
cake_cut              frame=120 azimuth=30 elevation=30 colour=2 tears=1
net_and_fish          frame=60 azimuth=25 elevation=25 tears=1
perforated_paper      frame=30 azimuth=20 tears=1
bridge_gives_way      frame=150 azimuth=15 tears=1
'

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p docs/images/gallery

# Name and options of the chosen scenes; scenes that are not in the list are shown at frame 120.
chosen() {
  [ $# -gt 0 ] || { sed '/^$/d' <<<"$views"; return; }
  for name in "$@"; do
    grep "^$name " <<<"$views" || echo "$name frame=120"
  done
}

while read -r name frame options; do
  formats=pc2
  [[ $options == *tears=1* ]] && formats=pc2,obj
  "$program" run "scenes/$name.json" --frames "${frame#frame=}" --out "$folder/$name" --format $formats --quiet
  # shellcheck disable=SC2086
  blender -b --factory-startup --python-exit-code 1 --python tools/blender/gallery.py -- \
    "$folder/$name" "$PWD/docs/images/gallery/$name.jpg" "$frame" $options </dev/null >"$folder/log" 2>&1 ||
    { grep -v '^Fra:' "$folder/log"; echo "FAILED: the picture of $name"; exit 1; }
  rm -rf "${folder:?}/$name"
  echo "docs/images/gallery/$name.jpg: $(($(stat -c %s "docs/images/gallery/$name.jpg") / 1000)) kB"
done < <(chosen "$@")

#!/bin/bash
# Measures the stretch of stiff cloth, plain and with limits; a beam of tetrahedra, plain and with a lattice; nets, a
# dome and a balloon. Writes the tables into docs/convergence.md.
#
#   scripts/convergence.sh BENCH_PROGRAM SINEW CURVES_PROGRAM
set -eu
cd "$(dirname "$0")/.."
page=docs/convergence.md
rows=$(mktemp)
new=$(mktemp)
trap 'rm -f "$rows" "$new"' EXIT
for mesh in grid shuffled; do
  "$1" --both --mesh "$mesh" --n 64,128,256
done >"$rows"
"$1" --both --n 512 corners >>"$rows"
{
  sed '/<!-- measured begin -->/q' "$page"
  echo '| held by | mesh | N | plain: mean, largest % | ms a frame | with limits: mean, largest % | ms a frame | cost |'
  echo '|---|---|---|---|---|---|---|---|'
  awk '{ for (i = 1; i <= NF; ++i) { if ($i == "mean") mean = $(i + 1); if ($i == "largest") largest = $(i + 1) } ms = $(NF - 1)
         if ($7 == "plain") { plain = sprintf("%.2f, %.0f", mean, largest); was = ms; next }
         printf "| %s | %s | %s | %s | %.2f | **%.2f, %.1f** | %.2f | %.2f |\n", $1, $2, $3, plain, was, mean, largest, ms, ms / was }' "$rows"
  sed -n '/<!-- measured end -->/,$p' "$page"
} >"$new"
cat "$new" >"$page"

# The beam: its sag after ten seconds, and the time of a step (of 60 frames, on one thread).
beam() { # stiffening, substeps, how to call it
  "$2" run bench/beam.json -q --threads 1 --set world.stiffening="$1" --set world.substeps="$3" --trace "$rows.csv" >/dev/null 2>&1
  sag=$(tail -n 1 "$rows.csv" | awk -F, '{ printf "%.1f", 1000 * (1 - $(NF - 4)) }')
  kinetic=$(tail -n 1 "$rows.csv" | awk -F, '{ printf "%.0e", $3 }')
  ms=$("$2" run bench/beam.json --frames 60 --threads 1 --profile --set world.stiffening="$1" --set world.substeps="$3" 2>/dev/null |
    awk '$1 == "step" { printf "%.1f", $NF / 1000 }')
  echo "| $4 | $sag | $kinetic | $ms |"
}
trap 'rm -f "$rows" "$rows.csv" "$new"' EXIT
{
  sed '/<!-- beam begin -->/q' "$page"
  echo '| | sag, mm | kinetic energy, J | ms a frame |'
  echo '|---|---:|---:|---:|'
  for substeps in 10 20 40 80; do
    beam off "$2" $substeps "plain sweeps, $substeps substeps"
  done
  for substeps in 5 7 10 20; do
    beam auto "$2" $substeps "stress on a lattice, $substeps substeps"
  done
  sed -n '/<!-- beam end -->/,$p' "$page"
} >"$new"
cat "$new" >"$page"

# Nets, a dome and a balloon: the difference from a run with many plain substeps, at rest and in motion.
scenes=$(mktemp -d)
trap 'rm -rf "$rows" "$rows.csv" "$new" "$scenes"' EXIT
cp bench/net.json bench/dome.json bench/balloon.json "$scenes"
python3 scripts/convergence_scenes.py "$scenes"
curve() { # what it is called, scene, substeps of the reference (a2000: of the default), plain substeps, substeps of the default, more options
  local name=$1 scene=$2 how=--reference reference=$3 plain=$4 default=$5
  shift 5
  case $reference in a*) how=--reference-auto reference=${reference#a} ;; esac
  "$curves" "$scenes/$scene" "$how" "$reference" --plain "$plain" --auto "$default" "$@" 2>/dev/null >"$rows"
  awk -v name="$name" '$1 != "right" { for (i = 1; i <= NF; ++i) v[$i] = $(i + 1)
       printf "| %s | %s, %s substeps | %.3g, %.3g | %.2g, %.2g | %s | %s | %.2f |\n", name, $1 == "plain" ? "plain sweeps" : "default", $2, v["off"], v["largest"],
              v["rods"], v["worst"], v["pressure"] > 0 ? v["pressure"] : "", v["kinetic"], $(NF - 1) }' "$rows"
}
curves=$3
{
  sed '/<!-- curves begin -->/q' "$page"
  echo '| | | particles off by, mm: rms, largest | strain of rods off by, %: mean, largest | pressure, Pa | kinetic energy, J | ms a frame |'
  echo '|---|---|---:|---:|---:|---:|---:|'
  still="--set world.damping=0 --motion --frames 60"
  curve "net, at rest" net.json 1000 10,20,40,80,160 5,10,20
  curve "net, in motion" net.json 1000 10,20,40,80 10,20 $still
  curve "irregular net, at rest" knots.json 1000 10,20,40,80,160 5,10,20
  curve "dome, at rest" dome.json 640 10,20,40,80,160 10,20,40 --frames 200
  curve "dome, in motion" dome.json 640 20,40,80 20,40 $still
  curve "balloon, at rest" balloon.json a60 10,20,40,80 5,10,20
    sed -n '/<!-- curves end -->/,$p' "$page"
} >"$new"
cat "$new" >"$page"

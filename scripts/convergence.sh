#!/bin/bash
# Measures how stiff cloth comes out, plain and with limits, and a beam of tetrahedra, plain and with a lattice. Puts the tables into docs/convergence.md.
#
#   scripts/convergence.sh BENCH_PROGRAM SINEW
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

# The beam: how far it sags after ten seconds, and what a step takes (of 60 frames, on one thread).
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

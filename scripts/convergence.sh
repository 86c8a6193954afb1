#!/bin/bash
# Measures how stiff cloth comes out, plain and with limits, and puts the table into docs/convergence.md.
#
#   scripts/convergence.sh BENCH_PROGRAM
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

#!/bin/bash
# Runs the benchmark on Sinew and, if it was built, on Bullet, for 'make bench', 'make bench-long' and 'make
# bench-docs'.
#
#     scripts/bench.sh [OPTIONS]       options of 'sinew bench', such as --long for the pile of a million, too; the rows are
#                                      also written to out/bench.json
#     scripts/bench.sh --docs          measures all of it into docs/data/ and writes docs/performance.md from it
#     scripts/bench.sh --page          only writes the page, from the files in docs/data/
#
# SINEW_PROGRAM is the sinew command, otherwise build/release/sinew. Nothing else should run on the machine meanwhile.
# On a machine with 16 cores or more, 'sinew bench cloth --threads 1,2,4,8,16 --save docs/data/bench-16.json' makes the
# figures for it.
set -eu
cd "$(dirname "$0")/.."
program=${SINEW_PROGRAM:-build/release/sinew}

page() {
  command -v gnuplot >/dev/null || { echo "gnuplot is missing (Debian: apt-get install gnuplot-nox)"; exit 1; }
  python3 scripts/bench_page.py docs/data docs/performance.md docs/images/performance bench/reasons.txt
}

case ${1:-} in
--docs)
  mkdir -p docs/data
  cores=$(nproc 2>/dev/null || echo 1)
  threads=1
  for ((t = 2; t <= cores; t *= 2)); do threads+=,$t; done
  "$program" bench --long --threads "$threads" --save docs/data/bench.json
  # Error against time: the same cloth with more and more passes.
  "$program" bench cloth-64 --threads 1 --path grid,general --substeps 1,2,3,5,7,10,15,20,30,40 \
    --save docs/data/bench-passes.json
  "$program" bench kinds --save docs/data/bench-kinds.json
  page
  ;;
--page) page ;;
*)
  mkdir -p out
  "$program" bench --save out/bench.json "$@"
  "$program" bench queries
  "$program" bench worlds
  "$program" bench layers
  ;;
esac

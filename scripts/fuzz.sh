#!/bin/bash
# Builds the fuzz targets (fuzz/fuzz_NAME.c) and runs each for so many seconds, one after the other, from its corpus in
# fuzz/corpus/NAME. Inputs that were new are kept in build/fuzz/corpus; an input that fails ends it, is named and kept.
#
#   scripts/fuzz.sh SECONDS [NAME...]
set -eu
cd "$(dirname "$0")/.."
seconds=${1:?how many seconds}
shift
mkdir -p build/fuzz
cmake --preset fuzz >build/fuzz/configure.log 2>&1 || { cat build/fuzz/configure.log; exit 1; }
echo "== fuzz"
cmake --build --preset fuzz
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for source in fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    names+=("${name#fuzz_}")
  done
fi
for name in "${names[@]}"; do
  mkdir -p "build/fuzz/corpus/$name"
  dictionary=()
  [ ! -f "fuzz/$name.dict" ] || dictionary=("-dict=fuzz/$name.dict")
  log=build/fuzz/$name.log
  "build/fuzz/fuzz/fuzz_$name" -max_total_time="$seconds" -max_len=8192 -rss_limit_mb=4096 -timeout=25 \
    -artifact_prefix="build/fuzz/$name-" "${dictionary[@]}" "build/fuzz/corpus/$name" "fuzz/corpus/$name" \
    >"$log" 2>&1 || { tail -n 40 "$log"; echo "FAILED: fuzz_$name; the input is in build/fuzz/$name-*"; exit 1; }
  echo "fuzz_$name: $(grep -oE 'Done [0-9]+ runs in [0-9]+ second' "$log" | tail -1)(s), nothing found"
done

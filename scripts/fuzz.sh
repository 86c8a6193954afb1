#!/bin/bash
# Builds the fuzz targets (fuzz/fuzz_NAME.c) and runs each for so many seconds, one on each processor, from its corpus in
# fuzz/corpus/NAME. Inputs that were new are kept in build/fuzz/corpus; an input that fails is named and kept, and the
# script fails once all are done.
#
#   scripts/fuzz.sh SECONDS [NAME...]
set -eu
cd "$(dirname "$0")/.."
seconds=${1:?how many seconds}
shift
mkdir -p build/fuzz
cmake --preset fuzz >build/fuzz/configure.log 2>&1 || { cat build/fuzz/configure.log; exit 1; }
echo "== fuzz"
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for source in fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    names+=("${name#fuzz_}")
  done
fi
cmake --build --preset fuzz --target "${names[@]/#/fuzz_}"

# One target, to its end; says what came of it.
fuzz() { # name
  local name=$1 log=build/fuzz/$1.log dictionary=()
  mkdir -p "build/fuzz/corpus/$name"
  [ ! -f "fuzz/$name.dict" ] || dictionary=("-dict=fuzz/$name.dict")
  "build/fuzz/fuzz/fuzz_$name" -max_total_time="$seconds" -max_len=8192 -rss_limit_mb=4096 -timeout=25 \
    -artifact_prefix="build/fuzz/$name-" "${dictionary[@]}" "build/fuzz/corpus/$name" "fuzz/corpus/$name" \
    >"$log" 2>&1 || { tail -n 40 "$log"; echo "FAILED: fuzz_$name; the input is in build/fuzz/$name-*"; return 1; }
  echo "fuzz_$name: $(grep -oE 'Done [0-9]+ runs in [0-9]+ second' "$log" | tail -1)(s), nothing found"
}

# As many at a time as there are processors: each has the processor that it would have alone.
export -f fuzz
export seconds
printf '%s\n' "${names[@]}" | xargs -P "$(nproc 2>/dev/null || echo 2)" -I NAME bash -c 'fuzz "$1"' fuzz NAME

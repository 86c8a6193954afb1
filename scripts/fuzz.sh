#!/bin/bash
# Builds the fuzz targets (fuzz/fuzz_NAME.c) and runs each of them, one per processor, from its corpus in
# fuzz/corpus/NAME. An input that fails is named and kept, and the script fails once all are done.
#
#   scripts/fuzz.sh SECONDS [NAME...]   searches: for this time, from a new seed every time, and from all inputs
#                                       that were new in earlier runs, which are kept in build/fuzz/corpus
#   scripts/fuzz.sh smoke [NAME...]     tests: a fixed number of runs (below) with one seed, from fuzz/corpus alone.
#                                       The inputs are the same every time, so that the result changes only with the
#                                       code; some 4 s each
set -eu
cd "$(dirname "$0")/.."
mode=${1:?how many seconds, or smoke}
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

# Runs of a smoke test: scenes are run and saved, other inputs only read.
smoke_runs() { # name
  case $1 in
    scene) echo 2000 ;;
    json) echo 60000 ;;
    *) echo 80000 ;;
  esac
}

# The options that choose the inputs, one per line.
plan() { # name
  if [ "$mode" != smoke ]; then
    mkdir -p "build/fuzz/corpus/$1"
    printf '%s\n' "-max_total_time=$mode" "build/fuzz/corpus/$1" "fuzz/corpus/$1"
    return
  fi
  # libFuzzer takes inputs in the order of the folder, and reads it again by the clock: so they are listed, in order
  local files
  files=$(LC_ALL=C find "fuzz/corpus/$1" -type f | LC_ALL=C sort | paste -sd ,)
  rm -rf "build/fuzz/smoke/$1"
  mkdir -p "build/fuzz/smoke/$1"
  printf '%s' "$files" >"build/fuzz/$1.inputs"
  printf '%s\n' -seed=1 "-runs=$(smoke_runs "$1")" -reload=0 "-seed_inputs=@build/fuzz/$1.inputs" "build/fuzz/smoke/$1"
}

# Runs one target to its end, and reports the result.
fuzz() { # name
  local name=$1 log=build/fuzz/$1.log options=() still=()
  mapfile -t options < <(plan "$name")
  [ ! -f "fuzz/$name.dict" ] || options=("-dict=fuzz/$name.dict" "${options[@]}")
  # addresses are among the numbers that a target compares, and libFuzzer tries such numbers
  [ "$mode" != smoke ] || ! setarch "$(uname -m)" -R true 2>/dev/null || still=(setarch "$(uname -m)" -R)
  "${still[@]}" "build/fuzz/fuzz/fuzz_$name" -max_len=8192 -rss_limit_mb=4096 -timeout=25 \
    -artifact_prefix="build/fuzz/$name-" "${options[@]}" \
    >"$log" 2>&1 || { tail -n 40 "$log"; echo "FAILED: fuzz_$name; the input is in build/fuzz/$name-*"; return 1; }
  echo "fuzz_$name: $(grep -oE 'Done [0-9]+ runs in [0-9]+ second' "$log" | tail -1)(s), nothing found"
}

# As many at a time as there are processors: each has a processor of its own.
export -f fuzz plan smoke_runs
export mode
printf '%s\n' "${names[@]}" | xargs -P "$(nproc 2>/dev/null || echo 2)" -I NAME bash -c 'fuzz "$1"' fuzz NAME

#!/bin/bash
# Configures, builds and tests presets, goes on after a failure, and ends with a one-line summary.
#
#   scripts/test.sh [--web] PRESET...     --web: also a short test of the web page
#
# All cores are kept busy: while a preset is tested the next one is built, and so is the page. What only tests need is
# fetched while the first preset is built.
set -u
cd "$(dirname "$0")/.." || exit 1
jobs=$(nproc 2>/dev/null || echo 2)
start=$SECONDS
passed=
failed=
known=

web=
[[ ${1:-} == --web ]] && { web=yes; shift; }
presets=("$@")
mkdir -p build

# Adds the last result of a preset to the list.
finish() { # preset, exit status, what it did
  if (($2 == 0)); then passed+="${passed:+, }$1 $3"; else failed+="${failed:+, }$1 ($3)"; fi
}

# ThreadSanitizer of gcc 12 cannot start if the kernel randomises addresses too widely; setarch turns that off.
launcher() {
  [[ $1 == tsan ]] && setarch -R true 2>/dev/null && echo "setarch -R"
}

# Gives 2 if it cannot be configured.
build() { # preset, priority as of 'nice'
  nice -n "$2" scripts/build.sh "$1"
}

# The whole output is in ctest.log; shown are results, and the failures of a failing program.
run_tests() { # preset
  local status count text
  # shellcheck disable=SC2046
  $(launcher "$1") ctest --preset "$1" -j "$jobs" --no-label-summary 2>&1 |
    tee "build/$1/ctest.log" | grep --line-buffered -vE '^ *Start |^\[ RUN  |^\[       OK \]'
  status=${PIPESTATUS[0]}
  count=$(sed -nE 's/.* ([0-9]+) tests? failed out of ([0-9]+).*/\1 \2/p' "build/$1/ctest.log")
  if ((status == 0)); then text="${count#* } tests"; else text="${count% *} of ${count#* } tests failed"; fi
  finish "$1" "$status" "$text"
  # Prints the known failures that tests report (tests/support/support.h).
  known+=$(grep -hao 'KNOWN FAILURE: .*' "build/$1/Testing/Temporary/LastTest.log")$'\n'
}

# The page needs large downloads, so it comes last.
look_at_page() {
  scripts/setup.sh web wasm browser || {
    echo "test: without what the web page needs, 'make test WEB=no' runs everything but its tests" >&2
    return 1
  }
  nice -n 10 scripts/web.sh quick
}

scripts/setup.sh --look test || exit 1
scripts/setup.sh test &
packages=$!

for i in "${!presets[@]}"; do
  preset=${presets[i]} next=${presets[i + 1]:-}
  echo "== $preset"
  if ((i == 0)); then
    build "$preset" 0
    status=$?
    wait "$packages" || exit 1
    [[ $web ]] && { look_at_page >build/web.log 2>&1 & web=$!; }
  else
    wait "$builder"
    status=$?
    ((status == 0)) || cat "build/$preset/build.log"
  fi
  if [[ $next ]]; then
    mkdir -p "build/$next"
    build "$next" 10 >"build/$next/build.log" 2>&1 &
    builder=$!
  fi
  case $status in
  0) run_tests "$preset" ;;
  2) finish "$preset" 1 "does not configure" ;;
  *) finish "$preset" 1 "does not build" ;;
  esac
done

if [[ $web ]]; then
  echo "== web"
  wait "$web"
  status=$?
  cat build/web.log
  finish web "$status" "$(sed -nE 's/^[^0-9]*tests ([0-9]+)$/\1 tests/p' build/web.log)"
fi

echo
grep . <<<"$known" | sort -u
if [[ -n $failed ]]; then
  echo "FAILED after $((SECONDS - start)) s: $failed${passed:+; passed: $passed}"
  exit 1
fi
echo "PASSED in $((SECONDS - start)) s: $passed"

#!/bin/bash
# Configures, builds and tests presets one after the other, goes on after a failure, and ends with a one-line summary.
#
#   scripts/test.sh PRESET...
set -u
cd "$(dirname "$0")/.." || exit 1
jobs=$(nproc 2>/dev/null || echo 2)
start=$SECONDS
passed=
failed=
known=

# Puts the last result of a preset on the list.
finish() { # preset, exit status, what it did
  if (($2 == 0)); then passed+="${passed:+, }$1 $3"; else failed+="${failed:+, }$1 ($3)"; fi
}

# ThreadSanitizer of gcc 12 cannot start where the kernel randomises addresses too widely, so it is asked not to.
launcher() {
  [[ $1 == tsan ]] && setarch -R true 2>/dev/null && echo "setarch -R"
}

for preset in "$@"; do
  echo "== $preset"
  mkdir -p "build/$preset"
  log=build/$preset/configure.log
  if ! cmake --preset "$preset" >"$log" 2>&1; then
    cat "$log"
    finish "$preset" 1 "does not configure"
  elif ! cmake --build --preset "$preset"; then
    finish "$preset" 1 "does not build"
  else
    # The whole output is in ctest.log; shown are results, and of a failing program what did not pass.
    # shellcheck disable=SC2046
    $(launcher "$preset") ctest --preset "$preset" -j "$jobs" --no-label-summary 2>&1 |
      tee "build/$preset/ctest.log" | grep --line-buffered -vE '^ *Start |^\[ RUN  |^\[       OK \]'
    status=${PIPESTATUS[0]}
    count=$(sed -nE 's/.* ([0-9]+) tests? failed out of ([0-9]+).*/\1 \2/p' "build/$preset/ctest.log")
    if ((status == 0)); then text="${count#* } tests"; else text="${count% *} of ${count#* } tests failed"; fi
    finish "$preset" "$status" "$text"
    # What tests say of defects that are known and not cured yet (tests/support/support.h).
    known+=$(grep -hao 'KNOWN FAILURE: .*' "build/$preset/Testing/Temporary/LastTest.log")$'\n'
  fi
done

echo
grep . <<<"$known" | sort -u
if [[ -n $failed ]]; then
  echo "FAILED after $((SECONDS - start)) s: $failed${passed:+; passed: $passed}"
  exit 1
fi
echo "PASSED in $((SECONDS - start)) s: $passed"

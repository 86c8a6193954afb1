#!/bin/bash
# Compares the interface of the library with that of another revision, by the rule of include/sinew/base.h: within one
# soname only functions and enum values may be added. Needs abidiff (Debian: abigail-tools).
#
#   scripts/abi.sh [REVISION]         the present tree with a revision; default: the newest tag v* before it
#   scripts/abi.sh --headers OLD NEW  two folders of headers
#   scripts/abi.sh --builds           builds of the library itself, for 'make test-abi', see below
#
# Revisions are compared by their headers alone: as a library of empty functions, one for every call that they declare.
set -euo pipefail
cd "$(dirname "$0")/.."
cc=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "abi: $*" >&2; exit 1; }
command -v abidiff >/dev/null || fail "abidiff is missing (Debian: apt-get install abigail-tools)"

# The soname of headers: the same rule as in CMakeLists.txt.
soname() { # folder of headers
  local major minor
  major=$(sed -n 's/^#define SN_VERSION_MAJOR //p' "$1/sinew/base.h")
  minor=$(sed -n 's/^#define SN_VERSION_MINOR //p' "$1/sinew/base.h")
  if [ "$major" = 0 ]; then echo "libsinew.so.0.$minor"; else echo "libsinew.so.$major"; fi
}

# Makes a library of the calls that headers declare.
make_library() { # folder of headers, file
  { echo '#include <sinew/sinew.h>'
    cat "$1"/sinew/*.h | grep -v '^[[:space:]]*#' | tr '\n' ' ' | sed 's:/\*:\n/*:g' | sed 's:^/\*.*\*/::' | tr '\n' ' ' |
      tr ';{}' '\n\n\n' | tr -s ' ' | sed -n 's/.*\(SN_API [^(]*sn_[a-z0-9_]* *(.*)\).*/\1 { __builtin_trap(); }/p'
  } >"$2.c"
  [ "$(grep -c __builtin_trap "$2.c")" -ge 200 ] || fail "$1: found only $(grep -c __builtin_trap "$2.c") calls; is the pattern out of date?"
  "$cc" -std=c11 -g -w -fPIC -shared -fvisibility=hidden -I "$1" -Wl,-soname,"$(soname "$1")" "$2.c" -o "$2" || fail "$1: the headers do not compile"
}

compare() { # folder of old headers, of new ones
  local old new
  old=$(soname "$1")
  new=$(soname "$2")
  [ "$old" = "$new" ] || { echo "abi: $old became $new, so anything may have changed"; return; }
  make_library "$1" "$work/old.so"
  make_library "$2" "$work/new.so"
  if ! abidiff --no-added-syms "$work/old.so" "$work/new.so" >"$work/report"; then
    cat "$work/report" >&2
    fail "programs that were compiled for $old would not work with this; it needs a new soname (SN_VERSION_MINOR before 1.0, else SN_VERSION_MAJOR)"
  fi
  echo "abi: programs that were compiled for $old work with this"
}

if [ "${1:-}" = --headers ]; then
  compare "${2:?old headers}" "${3:?new headers}"
  exit
fi
# ---- Builds of the library itself
#
# abidiff reads debugging information and follows pointers into structs that programs never see, such as that of a
# world. Those differ between compilers, which name their types differently, and from commit to commit. The folders of
# the public headers are not enough to exclude private structs: abidiff compares only file names, and there is a private
# world.h as well. So it also gets a list of structs that the headers name but do not define.

hidden_structs() { # folder of headers
  local name
  sed -n 's/^typedef struct \(sn_[a-z0-9_]*\) \1;.*/\1/p' "$1"/sinew/*.h | sort -u | while read -r name; do
    grep -q "^struct $name {\|^typedef struct $name {" "$1"/sinew/*.h || echo "$name"
  done
}

build_library() { # folder of the tree, build folder, compiler
  cmake -S "$1" -B "$2" -G Ninja -DCMAKE_C_COMPILER="$3" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG='-O0 -g' -DBUILD_SHARED_LIBS=ON \
    -DSINEW_TESTS=OFF -DSINEW_EXAMPLES=OFF -DSINEW_COMMAND=OFF -DSINEW_SCENE=OFF -DSINEW_TESTBED=OFF >"$work/log" 2>&1 &&
    cmake --build "$2" --target sinew >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; fail "$1: it does not compile with $3"; }
}

compare_builds() { # tree and build folder of one, and of the other; the report is $work/report
  { echo '[suppress_type]'; echo "name_regexp = ^($(hidden_structs include | paste -sd '|'))\$"; } >"$work/hidden"
  abidiff --suppressions "$work/hidden" --headers-dir1 "$1/include" --headers-dir2 "$3/include" "$2/libsinew.so" "$4/libsinew.so" >"$work/report"
}

copy_tree() { # folder
  mkdir "$1"
  git ls-files -z -- CMakeLists.txt CMakePresets.json cmake include src scene export cli LICENSE | xargs -0 cp --parents -t "$1"
}

compare_all_builds() {
  build_library . "$work/one" gcc
  if command -v clang >/dev/null; then
    build_library . "$work/two" clang
    compare_builds . "$work/one" . "$work/two" ||
      { cat "$work/report" >&2; fail "builds with gcc and clang are to have the same interface"; }
    rm -rf "$work/two"
  fi
  copy_tree "$work/private"
  sed -i 's/^struct sn_world {/&\n    double abi_test[3];/' "$work/private/src/world/world.h"
  grep -q abi_test "$work/private/src/world/world.h" || fail "the private struct of the test was not found; is the pattern out of date?"
  build_library "$work/private" "$work/two" gcc
  compare_builds . "$work/one" "$work/private" "$work/two" ||
    { cat "$work/report" >&2; fail "a private struct is to be of no interest"; }
  rm -rf "$work/two"
  copy_tree "$work/public"
  sed -i 's/^} sn_log;/    int abi_test;\n&/' "$work/public/include/sinew/base.h"
  grep -q abi_test "$work/public/include/sinew/base.h" || fail "the public struct of the test was not found; is the pattern out of date?"
  build_library "$work/public" "$work/two" gcc
  ! compare_builds . "$work/one" "$work/public" "$work/two" && grep -q abi_test "$work/report" ||
    { cat "$work/report" >&2; fail "a public struct that grew is to be told"; }
  echo "abi: abidiff finds nothing between builds with gcc and clang, and where a private struct grew, and tells of a public one that did"
}

if [ "${1:-}" = --builds ]; then
  compare_all_builds
  exit
fi
revision=${1:-$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || true)}
[ -n "$revision" ] || { echo "abi: there is no release to compare with yet"; exit; }
mkdir "$work/tree"
git archive "$revision" include | tar -x -C "$work/tree" || fail "there is no revision '$revision'"
compare "$work/tree/include" include

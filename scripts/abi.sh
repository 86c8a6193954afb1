#!/bin/bash
# Compares the interface of the library with that of another revision, by the rule of include/sinew/base.h: within one soname nothing but functions
# and enum values may be added. Needs abidiff (Debian: abigail-tools).
#
#   scripts/abi.sh [REVISION]         the tree as it is with a revision; default: the last release, the newest tag v* before it
#   scripts/abi.sh --headers OLD NEW  two folders of headers
#
# What is compared is made of the headers alone: a library with every call that they declare, and nothing in it.
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

# A library of what headers declare.
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
revision=${1:-$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || true)}
[ -n "$revision" ] || { echo "abi: there is no release to compare with yet"; exit; }
mkdir "$work/tree"
git archive "$revision" include | tar -x -C "$work/tree" || fail "there is no revision '$revision'"
compare "$work/tree/include" include

#!/bin/bash
# Makes build/amalgamation/sinew.h and sinew.c, the library in two files.
#
#   scripts/amalgamation.sh         makes them
#   scripts/amalgamation.sh test    also compiles them alone, with gcc and clang as available, without a warning, and
#                                   builds the command and the examples with them; scenes must then end in the same
#                                   state, to the bit, and examples print the same, as with the library
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/build/amalgamation release=$PWD/build/release
fail() { echo "amalgamation: $*" >&2; exit 1; }

scripts/build.sh release sinew_command examples
python3 scripts/amalgamate.py "$release/calls" "$out"
[ "${1:-}" = test ] || exit 0

# Programs include <sinew/sinew.h>.
mkdir -p "$out/include/sinew"
echo '#include "../../sinew.h"' >"$out/include/sinew/sinew.h"
echo '#include "sinew.h"' >"$out/alone.c"
scenes="curtain box_pile ragdoll_stairs jelly torn_curtain balloons zoo zoo_of_bodies hinge_door soft_beam twisted_cloth character"
hashes() { # program
  for scene in $scenes; do
    echo "$scene $("$1" run "$scene" --frames 30 --json 2>/dev/null | tail -n 1 | grep -o '"state_hash": "[^"]*"')"
  done
}
hashes "$release/sinew" >"$out/expected"
[ "$(grep -c state_hash "$out/expected")" = "$(wc -w <<<"$scenes")" ] || fail "some scenes did not run: $(cat "$out/expected")"

for compiler in gcc clang; do
  command -v $compiler >/dev/null || { echo "amalgamation: there is no $compiler; skipped"; continue; }
  echo "amalgamation: compiling with $compiler, a minute or two"
  $compiler -std=c11 -O2 -Wall -Wextra -Werror -I "$out" -c "$out/sinew.c" -o "$out/sinew_$compiler.o" || fail "$compiler does not compile it without a warning"
  $compiler -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$out" -fsyntax-only "$out/alone.c" || fail "sinew.h does not compile alone"
  # shellcheck disable=SC2046
  $compiler -o "$out/sinew_$compiler" "$release"/CMakeFiles/sinew_command.dir/cli/main.c.o "$release"/libsinew_cli.a "$release"/libsinew_export.a \
    "$release"/libsinew_json.a "$release"/libsinew_scene.a "$out/sinew_$compiler.o" $(pkg-config --libs jansson libmicrohttpd) -lm -lpthread
  hashes "$out/sinew_$compiler" >"$out/found"
  cmp "$out/expected" "$out/found" || { diff "$out/expected" "$out/found" >&2; fail "other states than with the library"; }
  count=0
  for source in examples/*.c; do
    name=$(basename "$source" .c)
    grep -qE '<sinew/(scene|lanes).h>' "$source" && continue
    $compiler -std=c11 -I "$out/include" "$source" "$out/sinew_$compiler.o" -lm -lpthread -o "$out/example" 2>"$out/log" || { cat "$out/log"; fail "$source does not compile"; }
    (cd "$out" && timeout 120 ./example >found.txt 2>&1; timeout 120 "$release/examples/$name" >expected.txt 2>&1; cmp expected.txt found.txt) || fail "$name says something else"
    count=$((count + 1))
  done
  echo "amalgamation: $compiler: no warning; $(wc -w <<<"$scenes") scenes end in the same state, to the bit, and $count examples say the same"
done

#!/bin/bash
# Follows docs/tutorial.md, and then docs/cookbook.md, to the letter, in an empty folder, with an installation of this build. Blocks whose first line names a file are written to
# it, blocks of sh are run one after the other, and what the last one printed is compared with a block of output.
set -eu
[ -n "${SINEW_PROGRAM:-}" ] || { echo "without the command there is nothing to follow"; exit 0; }
command -v gnuplot >/dev/null || { echo "gnuplot is missing (Debian: apt-get install gnuplot-nox)"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
page=$SINEW_SOURCE_DIR/docs/tutorial.md
cmake --install "$SINEW_BUILD_DIR" --prefix "$folder/prefix" >/dev/null
library=$(dirname "$(find "$folder/prefix" -name sinew-scene.pc -printf '%h\n')")
export PATH="$folder/prefix/bin:$PATH" PKG_CONFIG_PATH="$library/pkgconfig" LD_LIBRARY_PATH="$library"
mkdir "$folder/mine"
cd "$folder/mine"

# Films and pictures are made small, runs short (not with SINEW_LONG_TESTS), and programs with warnings as errors: that is all that is different.
sinew() {
  local brief=
  [ -n "${SINEW_LONG_TESTS:-}" ] || case " $* " in
  *' --frame '*) ;;
  ' run '* | ' render '*) brief="--frames 20" ;;
  esac
  # shellcheck disable=SC2086
  case $1 in
  render) command sinew "$@" $brief --size 160x90 ;;
  *) command sinew "$@" $brief ;;
  esac
}
cc() { "$CC" -std=c11 -Wall -Wextra -Werror "$@"; }

block= words= count=0
while IFS= read -r line; do
  case $line in
  '```') # the end of a block
    case $words in
    sh*)
      count=$((count + 1))
      status=0
      printf '%s' "$block" >../block.sh
      (set -e && . ../block.sh) >../printed 2>&1 || status=$?
      case $words:$status in
      sh:0 | *expect-failure:[1-9]*) ;;
      *) cat ../printed; echo "FAILED ($status), in docs/tutorial.md:"; printf '%s' "$block"; exit 1 ;;
      esac
      ;;
    output)
      printf '%s' "$block" | diff - ../printed || { echo "FAILED: docs/tutorial.md promises another output"; exit 1; }
      ;;
    *' '*) printf '%s' "$block" >"${words#* }" ;;
    esac
    words=
    ;;
  '```'*) words=${line#'```'} block= ;;
  *) block+=$line$'\n' ;;
  esac
done <"$page"
for file in rope.png rope.gif rope.csv energies.svg cloth.png cloth.gif wind.png end.json end.png; do
  [ -s "$file" ] || { echo "FAILED: the tutorial did not make $file"; exit 1; }
done
grep -q '^after 4 s the corner of the sheet is at a height of 0\.' ../printed || { cat ../printed; exit 1; }

# The cookbook: every scene is good and runs, and the program opens one.
awk '/^```json$/ { n++; on = 1; next } /^```/ { on = 0 } on { print > ("recipe" n ".json") }' "$SINEW_SOURCE_DIR/docs/cookbook.md"
awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' "$SINEW_SOURCE_DIR/docs/cookbook.md" >recipe.c
recipes=0
for scene in recipe*.json; do
  command sinew check "$scene" --quiet || exit 1
  command sinew run "$scene" --quiet --frames 10 || exit 1
  recipes=$((recipes + 1))
done
[ "$recipes" -gt 8 ] || { echo "FAILED: the cookbook has only $recipes scenes"; exit 1; }
mv recipe2.json recipe.json
# shellcheck disable=SC2046
cc recipe.c $(pkg-config --cflags --libs --static sinew-scene) -o recipe && ./recipe
echo "$count blocks of commands, $recipes recipes"

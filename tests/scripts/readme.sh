#!/bin/sh
# Compiles and runs the C program in the README, with warnings as errors, as a reader would.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' "$SINEW_SOURCE_DIR/README.md" >"$folder/readme.c"
lines=$(wc -l <"$folder/readme.c")
[ "$lines" -gt 10 ] || { echo "the README has no C program"; exit 1; }
# shellcheck disable=SC2086
$CC -std=c11 -Wall -Wextra -Wpedantic -Werror $SINEW_CFLAGS "$folder/readme.c" $SINEW_LIBS -o "$folder/readme"
"$folder/readme" >"$folder/out"
cat "$folder/out"
grep -Eq '^the bob is at -?[0-9.e-]+ -?[0-9.e-]+ ' "$folder/out" || { echo "that is not what the README promises"; exit 1; }
# the pieces of C in the pages on bodies, contact, cloth, tearing, queries and games compile, one after the other in a function that has what they speak of
for page in bodies contact cloth tearing queries games; do
  {
    printf '#include <sinew/sinew.h>\n#include <math.h>\n#include <stdio.h>\n'
    printf 'void piece(sn_world *world, sn_particle ball, sn_vec3 eye, sn_vec3 ray, sn_vec3 where_the_mouse_is);\n'
    printf 'void piece(sn_world *world, sn_particle ball, sn_vec3 eye, sn_vec3 ray, sn_vec3 where_the_mouse_is)\n{\n'
    printf '(void)ball, (void)eye, (void)ray, (void)where_the_mouse_is;\n'
    [ "$page" != games ] || cat <<'END'
    double seconds_of_this_frame = 0.01;
    sn_vec3 push = {0, 0, 0}, positions[8];
    sn_quat rotations[8];
    sn_real cloth_vertices[12];
    sn_particles cloth = {0, 4, 1};
    sn_body crate = {0, 1};
    uint32_t body_count = 8;
END
    [ "$page" != tearing ] || echo 'sn_skin skin = {0, 1}; sn_constraints links = {1, 0, 1, 1}; const uint32_t corners[] = {0, 1, 2, 3, 4, 5, 6, 7}, cells = 1; sn_vec3 from = {0, 0, 0}, to = {1, 0, 0}, handle = {0, 1, 0};'
    [ "$page" != cloth ] || echo 'uint32_t triangles[3] = {0, 1, 2}, ends[2] = {0, 1}, count = 1, vertices = 3; sn_real xyz[9] = {0}, animated[9] = {0};'
    awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' "$SINEW_SOURCE_DIR/docs/$page.md"
    echo '}'
  } >"$folder/$page.c"
  # shellcheck disable=SC2086
  $CC -std=c11 -Wall -Wextra -Wpedantic -Werror -Wno-unused $SINEW_CFLAGS -c "$folder/$page.c" -o "$folder/$page.o"
done
# every file and folder that the README, CONTRIBUTING and the documentation link to exists
for page in "$SINEW_SOURCE_DIR"/*.md "$SINEW_SOURCE_DIR"/docs/*.md "$SINEW_SOURCE_DIR"/docs/notes/*.md; do
  grep -oE '\]\([^)#]+' "$page" | sed 's/](//' | grep -v '^http' | while read -r link; do
    [ -e "$(dirname "$page")/$link" ] || { echo "$page links to $link, which does not exist"; exit 1; }
  done
done
# the scene that docs/scenes.md begins with is good, and runs
if [ -n "${SINEW_PROGRAM:-}" ]; then
  awk '/^```json$/ { on = 1; next } /^```/ { if (on) exit } on' "$SINEW_SOURCE_DIR/docs/scenes.md" >"$folder/scene.json"
  "$SINEW_PROGRAM" check "$folder/scene.json"
  "$SINEW_PROGRAM" run "$folder/scene.json" --frames 5 --quiet
  # and so is the one with variables
  awk '/^```json$/ { n++; on = n == 2; next } /^```/ { on = 0 } on' "$SINEW_SOURCE_DIR/docs/scenes.md" >"$folder/variables.json"
  grep -q variables "$folder/variables.json"
  "$SINEW_PROGRAM" check "$folder/variables.json"
fi

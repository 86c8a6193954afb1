#!/bin/bash
# Uses the library as another project would. One case per call:
#
#   consumer.sh install             installs the library of this build; the cases below use what it leaves
#   consumer.sh find-package        a CMake project that finds it
#   consumer.sh pkg-config          one compiler call with the flags from pkg-config
#   consumer.sh cxx                 the same as C++; all headers as C++17; sinew.hpp and the example that uses it
#   consumer.sh scene               the scene library: CMake's component, pkg-config, as C and C++, each header by itself
#   consumer.sh precision-mismatch  a program with the other sn_real must not link
#   consumer.sh exported-symbols    the shared library exports what the headers declare and nothing else
#   consumer.sh shared-library      a program that is linked with the shared library
#   consumer.sh fetch-content       a CMake project with the library as a part of its build; compiles it only with
#                                   SINEW_LONG_TESTS in the environment
#   consumer.sh headers             each header compiles by itself
#   consumer.sh abi                 scripts/abi.sh knows which changes of the headers need a new soname; skipped without abidiff
#
# Environment, set by ctest: SINEW_SOURCE_DIR, SINEW_BUILD_DIR, SINEW_DOUBLE (0 or 1), SINEW_SHARED (the shared library), CC, CMAKE,
# GENERATOR.
set -u
case=${1:?a case}
here=$SINEW_SOURCE_DIR/tests/consumer
root=$SINEW_BUILD_DIR/tests/consumer
prefix=$root/prefix
work=$root/$case
warnings="-Wall -Wextra -Wpedantic -Werror"

fail() { echo "FAILED: $*"; exit 1; }

# Runs a command and shows what it printed only if it fails.
quietly() { local out; out=$("$@" 2>&1) || { echo "$out"; fail "$*"; }; }

configure() { # source directory, build directory, options
  local source=$1 build=$2
  shift 2
  quietly "$CMAKE" -S "$source" -B "$build" -G "$GENERATOR" -DCMAKE_C_COMPILER="$CC" -DCMAKE_BUILD_TYPE=Debug "$@"
}

# pkg-config that sees this installation only, so that a Sinew of the system cannot stand in for it.
library_dir() { dirname "$(find "$prefix" -name sinew.pc -printf '%h\n')"; }
flags() { PKG_CONFIG_LIBDIR=$(library_dir)/pkgconfig pkg-config "$@" sinew; }
# The same for the scene library, which needs the jansson of the system as well.
scene_flags() {
  PKG_CONFIG_LIBDIR=$(library_dir)/pkgconfig:$(pkg-config --variable pc_path pkg-config) pkg-config "$@" sinew-scene
}

run_consumer() { LD_LIBRARY_PATH=$(library_dir) "$@" || fail "the program ran and did not like what it saw"; }

case $case in
install)
  # Installed in one place and moved to another: nothing in it may remember where it was.
  rm -rf "$prefix" "$root/staging"
  quietly "$CMAKE" --install "$SINEW_BUILD_DIR" --prefix "$root/staging"
  mv "$root/staging" "$prefix"
  remembered=$(grep -rlF -e "$root/staging" -e "$SINEW_SOURCE_DIR/include" "$prefix" --include='*.cmake' --include='*.pc')
  [ -z "$remembered" ] || fail "these files contain the place of the build: $remembered"
  # The command came along, finds the scenes that were installed with it, and runs one.
  for file in bin/sinew share/man/man1/sinew.1 share/sinew/scenes/curtain.json share/sinew/blender/import_sinew.py; do
    [ -e "$prefix/$file" ] || fail "$file was not installed"
  done
  LD_LIBRARY_PATH=$(library_dir) quietly "$prefix/bin/sinew" run worked_example
  for header in scene scene_objects; do
    [ -f "$prefix/include/sinew/$header.h" ] || fail "$header.h was not installed"
  done
  (cd "$SINEW_SOURCE_DIR/include" && find . -name '*.h' -o -name '*.hpp' -o -name '*.def') | while read -r header; do
    [ -f "$prefix/include/$header" ] || { echo "FAILED: $header was not installed"; exit 1; }
  done || exit 1
  ;;

find-package)
  rm -rf "$work"
  configure "$here" "$work" -DCMAKE_PREFIX_PATH="$prefix" -DCONSUMER_WANTS_VERSION="$(flags --modversion)"
  quietly "$CMAKE" --build "$work"
  run_consumer "$work/consumer"
  ;;

pkg-config)
  rm -rf "$work" && mkdir -p "$work"
  # shellcheck disable=SC2046,SC2086
  quietly "$CC" -std=c11 $warnings $(flags --cflags) "$here/main.c" -o "$work/consumer" $(flags --libs)
  run_consumer "$work/consumer"
  ;;

cxx)
  rm -rf "$work" && mkdir -p "$work"
  cxx=${CXX:-c++}
  command -v "$cxx" >/dev/null || fail "no C++ compiler '$cxx' (Debian: apt-get install g++)"
  # shellcheck disable=SC2046,SC2086
  quietly "$cxx" -std=c++11 $warnings $(flags --cflags) "$here/main.cpp" -o "$work/consumer" $(flags --libs)
  run_consumer "$work/consumer"
  for other in "$cxx" clang++; do # as the whole interface is read: all of it, without a warning
    command -v "$other" >/dev/null || continue
    all=$(cd "$prefix/include" && printf -- '-include %s ' sinew/*.h sinew/*.hpp)
    # shellcheck disable=SC2046,SC2086
    quietly "$other" -std=c++17 $warnings -Wshadow -Wundef $(flags --cflags) -fsyntax-only $all -x c++ /dev/null
    # shellcheck disable=SC2046,SC2086
    quietly "$other" -std=c++17 $warnings -fno-exceptions $(flags --cflags) -fsyntax-only -include sinew/sinew.hpp -x c++ /dev/null
  done
  # shellcheck disable=SC2046,SC2086
  quietly "$cxx" -std=c++17 -O1 $warnings -Wshadow $(flags --cflags) "$SINEW_SOURCE_DIR/examples/cloth.cpp" -o "$work/cloth" $(flags --libs)
  run_consumer "$work/cloth"
  ;;

scene)
  rm -rf "$work" && mkdir -p "$work"
  used="$SINEW_SOURCE_DIR/scenes/curtain.json $SINEW_SOURCE_DIR/scenes/meshes/round_cloth.obj"
  configure "$here" "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCONSUMER_WANTS_SCENE=ON
  quietly "$CMAKE" --build "$work/cmake"
  # shellcheck disable=SC2086
  run_consumer "$work/cmake/scene_consumer" $used
  cxx=${CXX:-c++}
  command -v "$cxx" >/dev/null || fail "no C++ compiler '$cxx' (Debian: apt-get install g++)"
  # shellcheck disable=SC2046,SC2086
  quietly "$CC" -std=c11 $warnings $(scene_flags --cflags) "$here/scene.c" -o "$work/c" $(scene_flags --libs --static)
  # shellcheck disable=SC2046,SC2086
  quietly "$cxx" -std=c++11 $warnings $(scene_flags --cflags) "$here/scene.cpp" -o "$work/cxx" $(scene_flags --libs --static)
  # shellcheck disable=SC2086
  for program in c cxx; do
    run_consumer "$work/$program" $used
  done
  for header in scene scene_objects; do
    # shellcheck disable=SC2046,SC2086
    quietly "$CC" -std=c11 $warnings -Wshadow -Wstrict-prototypes -Wundef $(scene_flags --cflags) -fsyntax-only -include "sinew/$header.h" -x c /dev/null
    # shellcheck disable=SC2046,SC2086
    quietly "$cxx" -std=c++17 $warnings -Wshadow -Wundef $(scene_flags --cflags) -fsyntax-only -include "sinew/$header.h" -x c++ /dev/null
  done
  # what the headers declare is there
  archive=$(find "$prefix" -name libsinew_scene.a)
  for name in $(sed -nE 's/^[a-z].*[ *](sn_[a-z0-9_]+)\(.*/\1/p' "$prefix"/include/sinew/scene*.h); do
    nm "$archive" | grep -qE " T $name(_double)?$" || fail "scene.h declares $name, which the library has not"
  done
  ;;

precision-mismatch)
  rm -rf "$work" && mkdir -p "$work"
  # shellcheck disable=SC2046
  if out=$("$CC" $(flags --cflags) -USINEW_DOUBLE -DSINEW_DOUBLE=$((1 - SINEW_DOUBLE)) "$here/main.c" \
           -o "$work/consumer" $(flags --libs) 2>&1); then
    fail "a program with SINEW_DOUBLE=$((1 - SINEW_DOUBLE)) links with a library with SINEW_DOUBLE=$SINEW_DOUBLE"
  fi
  echo "$out" | grep -q 'undefined.*sn_world_create' || { echo "$out"; fail "it did not link, but for another reason"; }
  ;;

exported-symbols)
  library=$SINEW_SHARED
  exported=$(nm -D --defined-only "$library" | awk '{ print $NF }' | sort -u)
  declared=$(sed -nE 's/^SN_API [^(]*\b(sn_[a-z0-9_]+)\(.*/\1/p' "$SINEW_SOURCE_DIR"/include/sinew/*.h | sort -u)
  [ "$SINEW_DOUBLE" = 0 ] || declared=$(echo "$declared" | sed 's/^sn_world_create$/&_double/' | sort)
  [ -n "$declared" ] || fail "found no declaration in the headers"
  extra=$(comm -23 <(echo "$exported") <(echo "$declared"))
  missing=$(comm -13 <(echo "$exported") <(echo "$declared"))
  [ -z "$extra" ] || fail "exported, but in no public header:" $extra
  [ -z "$missing" ] || fail "in a public header, but not exported:" $missing
  soname=$(objdump -p "$library" | awk '$1 == "SONAME" { print $2 }')
  [ "$soname" != libsinew.so ] && [ -e "$(dirname "$library")/$soname" ] || fail "the soname '$soname' carries no version"
  echo "$(echo "$exported" | wc -l) functions, $soname"
  ;;

shared-library)
  rm -rf "$work" && mkdir -p "$work"
  # shellcheck disable=SC2086
  quietly "$CC" -std=c11 $warnings -I "$SINEW_SOURCE_DIR/include" -DSINEW_SHARED -DSINEW_DOUBLE="$SINEW_DOUBLE" "$here/main.c" \
    -o "$work/consumer" -L "$(dirname "$SINEW_SHARED")" -lsinew -lm
  LD_LIBRARY_PATH=$(dirname "$SINEW_SHARED") "$work/consumer" || fail "the program ran and did not like what it saw"
  ;;

fetch-content)
  rm -rf "$work"
  configure "$here" "$work" -DCONSUMER_FETCHES="$SINEW_SOURCE_DIR" -DSINEW_DOUBLE="$SINEW_DOUBLE"
  if [ -z "${SINEW_LONG_TESTS:-}" ]; then # what would be built: the library, the consumer and nothing else
    plan=$(ninja -C "$work" -t targets all | sed -nE 's/^([^:]*\.o): C_COMPILER.*/\1/p')
    echo "$plan" | grep -q 'src/world/step.c.o' && echo "$plan" | grep -q 'main.c.o' || fail "it would not build the library"
    guests=$(echo "$plan" | grep -vE '/(src/[a-z]+|calls)/[a-z0-9_]+\.c\.o$|/main\.c\.o$')
    [ -z "$guests" ] || fail "it would also build" $guests
    # with the scene library, if that is wanted, and still without the command and the tests
    configure "$here" "$work-scene" -DCONSUMER_FETCHES="$SINEW_SOURCE_DIR" -DSINEW_DOUBLE="$SINEW_DOUBLE" -DSINEW_SCENE=ON
    plan=$(ninja -C "$work-scene" -t targets all | sed -nE 's/^([^:]*\.o): C_COMPILER.*/\1/p')
    echo "$plan" | grep -q 'scene/api.c.o' && echo "$plan" | grep -q 'scene.c.o' || fail "it would not build the scene library"
    guests=$(echo "$plan" | grep -E '/(cli|tests|bench)/')
    [ -z "$guests" ] || fail "with the scene library it would also build" $guests
    exit 0
  fi
  quietly "$CMAKE" --build "$work"
  "$work/consumer" || fail "the program ran and did not like what it saw"
  quietly "$CMAKE" --install "$work" --prefix "$work/prefix"
  guests=$(find "$work/prefix" -type f ! -name consumer)
  [ -z "$guests" ] || fail "installing the consumer also installed" $guests
  ;;

headers)
  for header in "$SINEW_SOURCE_DIR"/include/sinew/*.h; do
    # shellcheck disable=SC2086
    quietly "$CC" -std=c11 $warnings -Wshadow -Wstrict-prototypes -Wundef -I "$SINEW_SOURCE_DIR/include" \
      -DSINEW_DOUBLE="$SINEW_DOUBLE" -fsyntax-only -include "$header" -x c /dev/null
  done
  ;;

abi)
  command -v abidiff >/dev/null || { echo "abidiff is not installed (Debian: apt-get install abigail-tools)"; exit 77; }
  changed() { # what it is called, whether it may be, file, what sed makes of it
    rm -rf "$work" && mkdir -p "$work" && cp -r "$SINEW_SOURCE_DIR/include" "$work/include"
    sed -i -E "$4" "$work/include/sinew/$3"
    cmp -s "$work/include/sinew/$3" "$SINEW_SOURCE_DIR/include/sinew/$3" && [ "$1" != nothing ] && fail "$1: sed changed nothing"
    out=$(CC=$CC "$SINEW_SOURCE_DIR/scripts/abi.sh" --headers "$SINEW_SOURCE_DIR/include" "$work/include" 2>&1)
    status=$?
    case $2$status in
    good0 | bad1) ;;
    *) echo "$out"; fail "$1: expected $2, and it ended with $status" ;;
    esac
    [ "$2" = good ] || echo "$out" | grep -q 'it needs a new soname' || { echo "$out"; fail "$1: failed for another reason"; }
  }
  changed nothing good base.h ''
  changed "a new call and a new enum value" good base.h 's/^    SN_CANCELLED /    SN_CANCELLED, SN_NEW /; s/^SN_API const char \*sn_version/SN_API int sn_new(void);\n&/'
  changed "an enum value that is another" bad base.h 's/^    SN_CANCELLED /    SN_NEW, SN_CANCELLED /'
  changed "a field at the end of a part of others" bad base.h 's/^\} sn_log;/int more; &/'
  changed "a call that is gone" bad particles.h 's/^SN_API sn_particle sn_particle_add_at\(/SN_API sn_particle sn_particle_add_point(/'
  changed "another soname, whatever else" good base.h 's/^#define SN_VERSION_MINOR .*/#define SN_VERSION_MINOR 99/; s/^} sn_log;/int more; &/'
  ;;

*) fail "no case '$case'" ;;
esac

#!/bin/bash
# Random worlds beyond those of the tests.
#
#   scripts/random.sh search SECONDS   new worlds under ASan and UBSan, on every core; goes on after a failure
#   scripts/random.sh check            thousands of worlds in every twin, and the same hash from every build there is
set -u
cd "$(dirname "$0")/.." || exit 1

# Builds the program of a preset.
build() {
  mkdir -p "build/$1" && cmake --preset "$1" >"build/$1/configure.log" 2>&1 &&
    cmake --build --preset "$1" --target random_test_worlds >"build/$1/build.log" 2>&1 ||
    { cat "build/$1/configure.log" "build/$1/build.log"; exit 1; }
}

search() {
  build asan
  local seed jobs i status=0
  seed=$(date +%s)
  jobs=$(nproc)
  for ((i = 0; i < jobs; ++i)); do
    build/asan/tests/random/test_worlds --seed "$((seed * 100000 + i * 100000000))" --seconds "$1" --keep-going \
      --program "build/random_worlds" &
  done
  for ((i = 0; i < jobs; ++i)); do wait -n || status=1; done
  return "$status"
}

check() {
  local preset status=0
  build clang
  build/clang/tests/random/test_worlds --worlds 3000 --all --keep-going --program build/random_worlds || status=1
  for preset in build/*/tests/random/test_worlds; do
    preset=${preset#build/}
    echo "$(build/"$preset" --hash --worlds 300) ${preset%%/*}"
  done | sort | awk '{ print "random worlds: sn_real of " $1 " bytes, hash " $2 ", " $3 }
    $1 == size && $2 != hash { bad = 1 } { size = $1; hash = $2 }
    END { if (bad) print "random worlds: builds of the same sn_real differ"; exit bad }' || status=1
  return "$status"
}

case ${1:-} in
search) search "${2:?seconds}" ;;
check) check ;;
*) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

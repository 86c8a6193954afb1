#!/bin/bash
# The web package and the page.
#
#   scripts/web.sh build        WebAssembly and sinew.js into web/package
#   scripts/web.sh playground   the same, then the page into web/playground/dist
#   scripts/web.sh page         the same, quietly, if this machine can build it: a part of 'make install'
#   scripts/web.sh test         both, then all their tests: the package in Node, the page in Chromium
#   scripts/web.sh quick        both, then a short test of them: a part of 'make test'
#   scripts/web.sh bench        the speed of the package in Node and Chromium, with native code and npm's jolt-physics
#
# npm packages are fetched once, at the versions of the lock files; later builds need no network.
set -u
cd "$(dirname "$0")/.." || exit 1

fail() { echo "web: $*" >&2; exit 1; }

. scripts/packages.inc

# Debian's clang, with all that it needs for WebAssembly: 'scripts/setup.sh wasm'.
has_debian() { command -v clang && command -v wasm-ld && [[ -e /usr/include/wasm32-wasi/stdio.h ]]; } >/dev/null 2>&1

build() {
  command -v node >/dev/null || fail "there is no node; run 'scripts/setup.sh web'"
  packages web
  # the npm compiler is large, and needed only where Debian's is missing
  has_debian || { echo "web: compiling with npm's clang, which takes some minutes"; packages web/compiler; }
  node web/build.mjs || exit 1
}

playground() {
  build
  [[ -e web/playground/build.mjs ]] || { echo "web: there is no page in this tree"; return; }
  packages web/playground
  node web/playground/build.mjs || exit 1
  echo "web: the page is in web/playground/dist; 'sinew view' shows it, and any static host serves it"
}

# Everything else works without the page, so that a machine without a network gets what can be installed.
page() {
  local log=build/web/page.log index=web/playground/dist/index.html
  mkdir -p build/web
  if [[ -e $index ]] && [[ -z $(find web src scene include export scenes \( -name node_modules -o -name dist \) -prune -o -type f -newer "$index" -print -quit) ]]; then
    return # nothing has changed since it was built
  fi
  echo "install: building the page of 'sinew view'; the first time takes two minutes ('make install WEB=no' leaves it out)"
  (scripts/setup.sh web && { scripts/setup.sh wasm || true; } && playground) >"$log" 2>&1 && return
  tail -n 5 "$log" >&2
  echo "install: the page could not be built, and 'sinew view' needs it; all of it is in $log" >&2
}

run_tests() { # file...
  local found=() file
  for file in "$@"; do [[ -e web/tests/$file ]] && found+=("web/tests/$file"); done
  node --test --test-reporter=spec "${found[@]}"
}

case ${1:-} in
build) build ;;
playground) playground ;;
page) page ;;
test)
  playground
  packages web/bundlers
  SINEW_LONG_TESTS=1 run_tests package.test.mjs size.test.mjs json.test.mjs view.test.mjs hashes.test.mjs scalar.test.mjs memory.test.mjs lessons.test.mjs piercings.test.mjs page.test.mjs compare.test.mjs mend.test.mjs tools.test.mjs inside.test.mjs share.test.mjs bundlers.test.mjs site.test.mjs
  ;;
quick)
  echo "== web"
  playground
  run_tests package.test.mjs size.test.mjs view.test.mjs quick.test.mjs scalar.test.mjs lessons.test.mjs piercings.test.mjs page_quick.test.mjs site.test.mjs
  ;;
bench)
  build
  packages web/bench
  packages web/playground
  node web/bench/cloth.mjs "${@:2}"
  ;;
*) fail "expected build, playground, page, test, quick or bench, found '${1:-}'" ;;
esac

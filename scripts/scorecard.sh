#!/bin/bash
# Measures Sinew and MuJoCo, Jolt, Rapier (npm) and Bullet (Debian) and writes docs/scorecard.md, or the given file. The
# npm packages have the versions of tools/scorecard/package-lock.json.
set -euo pipefail
cd "$(dirname "$0")/.."
page=${1:-docs/scorecard.md}
out=build/scorecard
mkdir -p "$out"
fail() { echo "scorecard: $*" >&2; exit 1; }

. scripts/packages.inc
packages tools/scorecard
cc -std=c17 -O2 -Wall -Wextra -Werror -I include tools/scorecard/sinew.c build/release/libsinew.a -lm -lpthread -o "$out/sinew"
# shellcheck disable=SC2046
c++ -std=c++17 -O2 -Wall $(pkg-config --cflags bullet) tools/scorecard/bullet.cpp $(pkg-config --libs bullet) -o "$out/bullet"
part() { sed -n "s/^#define SN_VERSION_$1 //p" include/sinew/base.h; }
SINEW_VERSION=$(part MAJOR).$(part MINOR).$(part PATCH) node tools/scorecard/scorecard.mjs "$PWD/$out/sinew" "$PWD/$out/bullet" "$page"

#!/bin/sh
# Installs missing tools that the targets of the Makefile need.
#
#   scripts/setup.sh [--look] GROUP...     --look: installs nothing, and fails only if that would
#
# Groups: build, plot, test, check, abi, amalgamation, deb, format, bench, blender, vtk, python, notebooks, web, wasm,
# browser, testbed, mingw, aarch64. Prints nothing if all are installed. Installs Debian packages as root or through a
# sudo without a password; otherwise prints the command to run and fails.
set -u

# group, package, and a probe: the name of a program or header that shows that it is installed, also from elsewhere.
# cmocka is in 'build' because a plain 'cmake --preset release' configures the tests too.
packages='
build   gcc                       cc
build   libc6-dev                 stdio.h
build   cmake                     cmake
build   ninja-build               ninja
build   pkg-config                pkg-config
build   libcmocka-dev             cmocka.h
build   libjansson-dev            jansson.h
build   libmicrohttpd-dev         microhttpd.h
plot    gnuplot-nox               gnuplot
test    g++                       c++
test    python3-numpy             -
test    python3-jsonschema        -
test    gnuplot-nox               gnuplot
test    mandoc                    mandoc
bench   g++                       c++
bench   libbullet-dev             -
bench   gnuplot-nox               gnuplot
bench   python3                   python3
blender blender                   blender
blender python3-numpy             -
vtk     python3-vtk9              -
vtk     python3-numpy             -
check   clang                     clang
check   openmpi-bin               mpirun
check   libclang-rt-14-dev        -
abi     abigail-tools             abidiff
amalgamation python3              python3
deb     dpkg-dev                  dpkg-buildpackage
deb     debhelper                 dh
deb     build-essential           -
deb     fakeroot                  fakeroot
format  clang-format              clang-format
python  python3                   python3
python  python3-venv              -
python  python3-numpy             -
notebooks python3-nbclient        -
notebooks python3-ipykernel       -
notebooks python3-matplotlib      -
web     nodejs                    node
wasm    clang                     clang
wasm    lld                       wasm-ld
wasm    wasi-libc                 -
wasm    libclang-rt-14-dev-wasm32 -
wasm    binaryen                  wasm-opt
browser chromium                  chromium
testbed libsdl2-dev               SDL2/SDL.h
mingw   gcc-mingw-w64-x86-64      x86_64-w64-mingw32-gcc
aarch64 gcc-aarch64-linux-gnu     aarch64-linux-gnu-gcc
aarch64 libc6-dev-arm64-cross     -
aarch64 qemu-user                 qemu-aarch64
aarch64 libcmocka-dev:arm64       -
aarch64 libjansson-dev:arm64      -
aarch64 libmicrohttpd-dev:arm64   -
'

present() { # package, probe
  case $2 in
  -) ;;
  *.h) echo "#include <$2>" | cc -E -x c - >/dev/null 2>&1 && return ;;
  *) command -v "$2" >/dev/null 2>&1 && return ;;
  esac
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

look=
[ "${1:-}" = --look ] && { look=yes; shift; }
missing=
for group in "$@"; do
  found=
  while read -r of package probe; do
    [ "$of" = "$group" ] || continue
    found=yes
    present "$package" "$probe" || missing="$missing $package"
  done <<END
$packages
END
  [ -n "$found" ] || { echo "setup: no group '$group'" >&2; exit 2; }
done
[ -n "$missing" ] || exit 0

# A package of another architecture needs that architecture to be added first.
foreign=
case $missing in
*:arm64*) dpkg --print-foreign-architectures 2>/dev/null | grep -qx arm64 || foreign=arm64 ;;
esac

line="apt-get install -y --no-install-recommends$missing"
[ -z "$foreign" ] || line="dpkg --add-architecture $foreign && apt-get update && $line"

if ! command -v apt-get >/dev/null 2>&1; then
  echo "setup: missing what Debian calls:$missing" >&2
  echo "setup: this is not a Debian; install them with your own package manager and try again" >&2
  exit 1
fi
if [ "$(id -u)" = 0 ]; then
  sudo=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  sudo="sudo -n"
else
  echo "setup: some packages are missing. As root, run:" >&2
  echo "  $line" >&2
  exit 1
fi

[ -z "$look" ] || exit 0
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
logged() { $sudo env DEBIAN_FRONTEND=noninteractive "$@" >>"$log" 2>&1; }
# shellcheck disable=SC2086
install_missing() {
  logged apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $missing
}

echo "setup: installing$missing"
[ -z "$foreign" ] || logged dpkg --add-architecture "$foreign"
# The package lists are fetched only if they are missing or too old.
{ [ -z "$foreign" ] && install_missing; } ||
  { logged apt-get -o DPkg::Lock::Timeout=300 update; install_missing; } || {
  tail -n 20 "$log" >&2
  echo "setup: the installation failed. As root, run:" >&2
  echo "  $line" >&2
  exit 1
}

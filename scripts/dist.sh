#!/bin/bash
# Makes the release files.
#
#   scripts/dist.sh tar     build/dist/sinew-VERSION.tar.gz: all committed files, and nothing else. The same commit
#                           gives the same bytes
#   scripts/dist.sh deb     also Debian packages, source and binary, in build/dist
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "dist: $*" >&2; exit 1; }

part() { sed -n "s/^#define SN_VERSION_$1 //p" include/sinew/base.h; }
version=$(part MAJOR).$(part MINOR).$(part PATCH)
dist=$PWD/build/dist
git rev-parse --verify -q HEAD >/dev/null || fail "this is no git repository; a tarball is made of a commit"
[ -z "$(git status --porcelain --untracked-files=no)" ] || echo "dist: what is not committed is not in it" >&2

tarball() {
  mkdir -p "$dist"
  # git gives every file the time of the commit, and the order of its tree; gzip -n keeps name and time out of the
  # header
  git archive --format=tar --prefix="sinew-$version/" HEAD | gzip -9 -n >"$dist/sinew-$version.tar.gz.part"
  mv "$dist/sinew-$version.tar.gz.part" "$dist/sinew-$version.tar.gz"
  (cd "$dist" && sha256sum "sinew-$version.tar.gz")
}

debian() {
  local of
  of=$(dpkg-parsechangelog -S Version)
  [ "${of%-*}" = "$version" ] || fail "debian/changelog says $of, include/sinew/base.h $version"
  rm -rf "$dist/sinew-$version"
  cp "$dist/sinew-$version.tar.gz" "$dist/sinew_$version.orig.tar.gz"
  tar -x -z -C "$dist" -f "$dist/sinew-$version.tar.gz"
  (cd "$dist/sinew-$version" && dpkg-buildpackage -us -uc -j"$(nproc)") >"$dist/build.log" 2>&1 ||
    { tail -n 20 "$dist/build.log" >&2; fail "dpkg-buildpackage failed; build/dist/build.log has all of it"; }
  rm -rf "$dist/sinew-$version"
  (cd "$dist" && ls ./*.deb ./*.dsc)
}

case ${1:-} in
tar) tarball ;;
deb) tarball; debian ;;
*) fail "expected 'tar' or 'deb'" ;;
esac

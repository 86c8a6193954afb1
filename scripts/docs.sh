#!/bin/bash
# Puts the generated table into docs/constraints.md, or with --check says whether it is already there.
#
#   scripts/docs.sh [--check] LIST_KINDS_PROGRAM
set -eu
cd "$(dirname "$0")/.."
check=false
[[ $1 == --check ]] && { check=true; shift; }
page=docs/constraints.md
new=$(mktemp)
trap 'rm -f "$new"' EXIT
{
  sed '/<!-- kinds begin -->/q' "$page"
  "$1"
  sed -n '/<!-- kinds end -->/,$p' "$page"
} >"$new"
if $check; then
  diff -u "$page" "$new" || { echo "docs/constraints.md is out of date: run 'make docs'"; exit 1; }
else
  cat "$new" >"$page"
fi

#!/bin/bash
# Writes the generated parts of docs/: the table of kinds into constraints.md, the reference of the format into
# scenes.md. With --check it only checks that they are up to date.
#
#   scripts/docs.sh [--check] LIST_KINDS_PROGRAM SINEW_PROGRAM [CLAIMS_PROGRAM]
#
# The claims of docs/solvers.md are figures, which differ between builds: they are written, but not checked.
set -eu
cd "$(dirname "$0")/.."
check=false
[[ $1 == --check ]] && { check=true; shift; }
new=$(mktemp)
trap 'rm -f "$new"' EXIT

# Replaces the text between two marks of a page by the output of a command.
put() { # page, mark, command...
  local page=$1 mark=$2
  shift 2
  { sed "/<!-- $mark begin -->/q" "$page"; "$@"; sed -n "/<!-- $mark end -->/,\$p" "$page"; } >"$new"
  if $check; then
    diff -u "$page" "$new" || { echo "$page is out of date: run 'make docs'"; exit 1; }
  else
    cat "$new" >"$page"
  fi
}

put docs/constraints.md kinds "$1"
put docs/scenes.md reference "$2" schema --reference
if [ -n "${3:-}" ] && ! $check; then
  put docs/solvers.md claims "$3" --markdown
fi

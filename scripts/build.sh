#!/bin/sh
# Configures a preset and builds it with one line of progress. Errors are shown completely.
#
#   scripts/build.sh PRESET [-DOPTION=VALUE...] [TARGET...]     without targets: everything
#
# Ends with 2 if it cannot be configured. With V=1 in the environment every command is shown. The preset 'release' leaves the command as ./sinew.
set -eu
cd "$(dirname "$0")/.."
preset=$1
shift
folder=build/$preset
options=
targets=
for word in "$@"; do
  case $word in
  -D*) options="$options $word" ;;
  *) targets="$targets $word" ;;
  esac
done

mkdir -p "$folder"
# shellcheck disable=SC2086
cmake --preset "$preset" $options >"$folder/configure.log" 2>&1 || { cat "$folder/configure.log"; exit 2; }

[ -e "$folder/.ninja_log" ] || echo "build: $folder, for the first time; a minute or two"

# On a terminal ninja writes its progress over one line. Elsewhere it would write a line for each file, which is
# suppressed.
how=
if [ -n "${V:-}" ]; then
  how=-v
elif ! [ -t 1 ] && ninja --help 2>&1 | grep -q -- --quiet; then
  how=--quiet
fi
start=$(date +%s)
# shellcheck disable=SC2086
(cd "$folder" && ninja $how $targets)
seconds=$(($(date +%s) - start))
[ "$seconds" -lt 3 ] || echo "build: done in $seconds s"
if [ "$preset" = release ] && [ -x "$folder/sinew" ]; then
  ln -sfn "$folder/sinew" sinew
fi

#!/bin/sh
# What is generated in docs/ is what this build would generate.
set -eu
program=$SINEW_BUILD_DIR/examples/list_kinds
[ -x "$program" ] || { echo "list_kinds is not built (examples are off)"; exit 0; }
"$SINEW_SOURCE_DIR/scripts/docs.sh" --check "$program" "$SINEW_PROGRAM"

#!/bin/sh
# Every public call that may change a world stands in src/world/calls.def: those whose arguments include an sn_world that is not
# const. Names what is missing, and what is in the list but in no header.
set -eu

root=${SINEW_SOURCE_DIR:-$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# Not in the list: what makes, gives and ends a world.
cat >"$work/other" <<'END'
sn_world_create
sn_world_destroy
sn_worlds_at
END

# The headers as one line without comments and preprocessor lines, cut into declarations.
cat "$root"/include/sinew/*.h | grep -v '^[[:space:]]*#' | tr '\n' ' ' | sed 's:/\*:\n/*:g' | sed 's:^/\*.*\*/::' |
    tr '\n' ' ' | tr ';{}' '\n\n\n' | grep 'SN_API' | sed 's/const sn_world \*/const_world /g' | grep 'sn_world \*' |
    sed -n 's/.*SN_API[^(]*[ *]\(sn_[a-z0-9_]*\) *(.*/\1/p' | sort -u >"$work/public"
sed -n 's/^SN_CALL([A-Z_]*, \(sn_[a-z0-9_]*\),.*/\1/p' "$root/src/world/calls.def" | sort >"$work/all"
sort -u "$work/all" "$work/other" >"$work/listed"

if [ "$(wc -l <"$work/public")" -lt 100 ]; then
    echo "calls: found only $(wc -l <"$work/public") calls in the headers; is the pattern out of date?" >&2
    exit 2
fi
failed=0
uniq -d "$work/all" | sed 's/$/ stands twice in src\/world\/calls.def/' >"$work/twice"
comm -23 "$work/public" "$work/listed" | sed 's/$/ is missing from src\/world\/calls.def/' >"$work/missing"
for list in twice missing; do
    if [ -s "$work/$list" ]; then
        sed 's/^/calls: /' "$work/$list" >&2
        failed=1
    fi
done
[ "$failed" = 0 ] && echo "calls: all $(wc -l <"$work/all") public calls that may change a world are in the list"
exit "$failed"

#!/bin/sh
# The conventions of include/sinew/base.h, as far as declarations show them. `conventions.sh --list` prints every call with what it returns when it
# fails. Of the others: a call returns a type that the convention knows; only calls that destroy return nothing; a call that takes a world takes it first, after
# the object that it belongs to; every struct that a caller fills (_def) has a default function. And in sources, parts of a vector are not reached through its
# first (src/base/vec.h says why).
set -eu

root=${SINEW_SOURCE_DIR:-$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# A line for each call: name, what it returns, arguments.
cat "$root"/include/sinew/*.h | grep -v '^[[:space:]]*#' | tr '\n' ' ' | sed 's:/\*:\n/*:g' | sed 's:^/\*.*\*/::' |
    tr '\n' ' ' | tr ';{}' '\n\n\n' | tr -s ' ' | grep 'SN_API' |
    sed -n 's/.*SN_API \([^(]*[ *]\)\(sn_[a-z0-9_]*\) *(\(.*\)).*/\2;\1;\3/p' | sed 's/ *;/;/g; s/; */;/g' >"$work/calls"

if [ "$(wc -l <"$work/calls")" -lt 200 ]; then
    echo "conventions: found only $(wc -l <"$work/calls") calls in the headers; is the pattern out of date?" >&2
    exit 2
fi

# What a call returns when it fails. Defaults and constants cannot.
awk -F ';' '
    function failing(name, type) {
        if (name ~ /^sn_default_/ || name ~ /^sn_(at|on|in)_|^sn_at$/) return "cannot fail"
        if (name ~ /^sn_math_|^sn_(version|real_size|result_text|stage_name|world_error)$/) return "cannot fail"
        if (type == "sn_result") return "a reason"
        if (type == "void") return name ~ /_destroy$/ ? "nothing" : "?"
        if (type ~ /\*$/) return "NULL"
        if (type ~ /^(sn_particle|sn_particles|sn_body|sn_constraint|sn_constraints|sn_shape|sn_skin|sn_point)$/) return "a null handle"
        if (type ~ /^(sn_real|sn_vec3|sn_quat|double|sn_force)$/) return "NaN"
        if (type ~ /^(uint32_t|uint64_t|size_t)$/) return "0"
        if (type == "bool") return "false"
        if (type == "sn_body_type") return "SN_BODY_DYNAMIC"
        if (type ~ /^(sn_settings|sn_contact_settings|sn_group_contact|sn_view|sn_profile|sn_fault)$/) return "all zero"
        return "?"
    }
    { printf "%s;%s;%s;%s\n", $1, $2, failing($1, $2), $3 }' "$work/calls" >"$work/told"

if [ "${1:-}" = --list ]; then
    awk -F ';' '{ printf "%-36s %-26s %s\n", $1, $2, $3 }' "$work/told"
    exit
fi

failed=0
complain() { # file with names, what is wrong
    [ -s "$1" ] || return 0
    sed "s/\$/ $2/; s/^/conventions: /" "$1" >&2
    failed=1
}

awk -F ';' '$3 == "?" { print $1 " returns " $2 "," }' "$work/told" >"$work/types"
complain "$work/types" "of which the convention in base.h says nothing"

# The world comes first; before it only what belongs to one: an accumulator, a rewind.
awk -F ';' '
    $4 ~ /sn_world \*/ && $1 !~ /^sn_world_create$/ {
        sub(/^(const )?sn_(accumulator|rewind) \*[a-z]+, /, "", $4)
        if ($4 !~ /^(const )?sn_world \*/) print $1
    }' "$work/told" >"$work/order"
complain "$work/order" "does not take its world first"

# Structs that a caller fills.
sed -nE 's/^typedef struct sn_([a-z0-9_]*_def) \{.*/\1/p' "$root"/include/sinew/*.h | sort -u >"$work/structs"
cut -d ';' -f 1 "$work/told" | sed -n 's/^sn_default_//p' | sort -u >"$work/defaults"
comm -23 "$work/structs" "$work/defaults" | sed 's/^/sn_/' >"$work/without"
complain "$work/without" "has no default function"
if [ "$(wc -l <"$work/structs")" -lt 8 ]; then
    echo "conventions: found only $(wc -l <"$work/structs") structs; is the pattern out of date?" >&2
    exit 2
fi

# (&v.x)[k] takes v.y for v.x: vec3_part and vec4_part read parts by number.
grep -rnE '\(&[^&;]*(\.|->)x\)\[' "$root/src" "$root/scene" "$root/export" --include='*.[ch]' | grep -v 'src/base/vec.h' | cut -d : -f 1,2 >"$work/parts" || true
complain "$work/parts" "reaches parts of a vector through its first"

[ "$failed" = 0 ] && echo "conventions: $(wc -l <"$work/calls") public calls and $(wc -l <"$work/structs") defs keep them"
exit "$failed"

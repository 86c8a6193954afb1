#!/bin/sh
# Every public function is called by some test. Takes the functions from the headers (those marked SN_API, and the
# inline ones) and the calls from all C and C++ files under tests/, comments and strings aside; names what is missing.
# SINEW_SOURCE_DIR is the root of the repository; by default the one that this script lies in.
set -eu

root=${SINEW_SOURCE_DIR:-$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)}
[ -f "$root/include/sinew/sinew.h" ] || {
    echo "api_coverage: there is no include/sinew/sinew.h in '$root' (set SINEW_SOURCE_DIR)" >&2
    exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# The code of the files given, without comments, strings and character constants.
bare_code() {
    awk '
        FNR == 1 { inside = 0 }
        {
            line = $0
            gsub(/\047\\?.\047/, "0", line)
            gsub(/"([^"\\]|\\.)*"/, "0", line)
            text = ""
            while (line != "") {
                at = index(line, inside ? "*/" : "/*")
                if (!inside)
                    text = text (at ? substr(line, 1, at - 1) " " : line)
                if (!at)
                    break
                line = substr(line, at + 2)
                inside = !inside
            }
            sub(/\/\/.*/, "", text)
            print text
        }' "$@"
}

# A declaration may run over several lines, so the headers are read as one line; preprocessor lines are left out.
bare_code "$root"/include/sinew/*.h | grep -v '^[[:space:]]*#' | tr '\n' ' ' | tr ';{}' '\n\n\n' |
    sed -n -e 's/.*SN_API[^(]*[ *]\(sn_[a-z0-9_]*\) *(.*/\1/p' \
        -e 's/.*static inline[^(]*[ *]\(sn_[a-z0-9_]*\) *(.*/\1/p' | sort -u >"$work/public"

find "$root/tests" -type f \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) >"$work/files"
while IFS= read -r file; do
    bare_code "$file"
done <"$work/files" | tr -c 'a-z0-9_(' '\n' |
    awk '{ n = split($0, word, "("); for (i = 1; i < n; ++i) if (word[i] ~ /^sn_/) print word[i] }' |
    sort -u >"$work/called"

public=$(wc -l <"$work/public")
if [ "$public" -lt 50 ]; then
    echo "api_coverage: found only $public public functions; is the pattern out of date?" >&2
    exit 2
fi
comm -23 "$work/public" "$work/called" >"$work/missing"
if [ -s "$work/missing" ]; then
    sed 's/^/api_coverage: no test calls /' "$work/missing" >&2
    exit 1
fi
echo "api_coverage: all $((public)) public functions are called by tests"

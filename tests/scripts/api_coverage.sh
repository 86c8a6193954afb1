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

# The code of the given files without comments, strings, character constants and preprocessor lines.
bare_code() {
    awk '
        FNR == 1 { inside = 0; continued = 0 }
        {
            line = $0
            gsub(/\047\\?.\047/, "0", line)
            gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
            text = ""
            while (line != "") {
                at = index(line, inside ? "*/" : "/*")
                if (!inside) text = text (at ? substr(line, 1, at - 1) " " : line)
                if (!at) break
                line = substr(line, at + 2)
                inside = !inside
            }
            sub(/\/\/.*/, "", text)
            directive = continued || text ~ /^[ \t]*#/
            continued = directive && text ~ /\\$/
            # macros that tests define call functions too; in headers only what is declared counts
            if (!directive || keep_macros) print text
        }' "keep_macros=$1" "${@:2}"
}

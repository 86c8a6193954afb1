#!/bin/bash
# Formats every source file with clang-format, or with --check shows what it would change and fails if it is anything.
set -u
cd "$(dirname "$0")/.." || exit 1
mapfile -t files < <(find include src scene export cli bench fuzz tests examples web/glue python -name '*.[ch]' -o -name '*.cpp' 2>/dev/null | sort)

if [[ ${1:-} != --check ]]; then
  clang-format -i "${files[@]}"
  exit
fi

unformatted=0
for file in "${files[@]}"; do
  clang-format "$file" | diff -u --label "$file" --label "$file, formatted" "$file" - || ((++unformatted))
done
((unformatted == 0)) || { echo "$unformatted of ${#files[@]} files are not formatted; run 'make format'"; exit 1; }

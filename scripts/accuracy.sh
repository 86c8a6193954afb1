#!/bin/bash
# Writes docs/accuracy.md: what the scorecard measures with this source, in single and in double precision. Fails, after
# writing it, if a record is out of its tolerance.
set -eu
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

for preset in release double; do
  mkdir -p "build/$preset"
  cmake --preset "$preset" >"build/$preset/configure.log" 2>&1 || { cat "build/$preset/configure.log"; exit 1; }
  cmake --build --preset "$preset" --target scorecard
  echo "measuring: $preset"
  SINEW_LONG_TESTS=1 "build/$preset/tests/validation/scorecard" --tsv >"$work/$preset" || failed=1
done

# A record is: row, set-up, expected, measured, tolerance, pass. The two lists are joined by row and set-up, in the order of
# the double build, which has more of them: convergence is judged there.
merge() { # single, double
  awk -F '\t' '
    function both(a, b) { return a == b || b == "" ? a : a == "" ? b : a " / " b }
    function cell(a) { return a == "" ? "–" : a }
    function verdict(a, b) { return a == "NO" || b == "NO" ? "**no**" : "yes" }
    { key = $1 "\t" $2 }
    FNR == NR { expected[key] = $3; measured[key] = $4; tolerance[key] = $5; pass[key] = $6; single[++n] = key; next }
    { seen[key] = 1
      printf "| %s | %s | %s | %s | %s | %s | %s |\n", $1, $2, both(expected[key], $3), cell(measured[key]), $4,
             both(tolerance[key], $5), verdict(pass[key], $6) }
    END { for (i = 1; i <= n; ++i) if (!(single[i] in seen)) { print "unmatched: " single[i] > "/dev/stderr"; exit 1 } }
  ' "$1" "$2"
}

{
  cat <<'END'
# Accuracy

Written by `make accuracy`, never by hand: `tests/validation/scorecard` runs every set-up in the single precision build
(`release`) and in the double precision build (`double`), and this page is what it printed. `make test` asserts the same
records.

Unless a row names another one, the method is plain position-based dynamics: symplectic Euler, the cascade of Gauss and
Seidel in the default order, compliance after Macklin, Müller and Chentanez (2016). g = 9.81 m/s², a frame is 1/60 s, h is the substep. Where single and
double precision are held to different figures, both are given, single precision first. Rows are numbered as in the project's
list of validation cases; those that need kinds or solvers that do not exist yet are missing, and – marks what is not in it. "Rigid" and
"bodies" mean rigid bodies; the others are particles. Where nothing is promised, the figure is reported. A first-order error has to fall
at least ninefold when h falls tenfold, which is judged in double precision. Where a row says "of this method" its
expectation is the figure of plain projection, computed independently: the exact periods are 2.1528747, 2.3678419 and 3.5350982 s, and no energy is lost.

| # | set-up | expected | measured, float | measured, double | tolerance | pass |
|---|---|---|---|---|---|---|
END
  merge "$work/release" "$work/double"
} >"$work/page"

mkdir -p docs
cp "$work/page" docs/accuracy.md
echo "wrote docs/accuracy.md"
exit $failed

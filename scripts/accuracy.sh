#!/bin/bash
# Writes docs/accuracy.md: the results of the scorecard with this source, in single and in double precision. Fails,
# after writing it, if a record is out of its tolerance.
set -eu
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

for preset in release double; do
  folder=build/accuracy-$preset # the list of tests of the preset does not have the scorecard
  mkdir -p "$folder"
  cmake --preset "$preset" -B "$folder" -DSINEW_TESTS_ONLY= >"$folder/configure.log" 2>&1 || { cat "$folder/configure.log"; exit 1; }
  cmake --build "$folder" --target scorecard
  echo "measuring: $preset"
  SINEW_LONG_TESTS=1 "$folder/tests/validation/scorecard" --tsv >"$work/$preset" || failed=1
done

# A record is: row, set-up, expected, measured, tolerance, pass. The two lists are joined by row and set-up, in the
# order of the double build, which has more records: convergence is judged there.
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

`make accuracy` writes this page. `tests/validation/scorecard` runs every set-up in the single precision build
(`release`) and in the double precision build (`double`), and the table is its output. `make test` asserts the same
records.

- **Method.** Unless a row names another, it is plain position-based dynamics: symplectic Euler, Gauss-Seidel in the default order,
  and compliance after Macklin, Müller and Chentanez (2016). g = 9.81 m/s², a frame is 1/60 s, h is the substep.
- **Precision.** If single and double precision have different bounds, both are given, single precision first.
- **Rows** have the numbers of the project's list of validation cases. Numbers are missing where the case needs a kind or solver that
  does not exist, and – marks a row that is not in the list. "Rigid" and "bodies" mean rigid bodies; the others are particles.
- **Tolerance.** A row without a tolerance only reports its figure. A first-order error has to fall at least ninefold when h falls
  tenfold, in double precision. "Of this method" means that the expected value is that of plain projection,
  computed independently. The exact periods are 2.1528747, 2.3678419 and 3.5350982 s, and no energy is lost.

| # | set-up | expected | measured, float | measured, double | tolerance | pass |
|---|---|---|---|---|---|---|
END
  merge "$work/release" "$work/double"
} >"$work/page"

mkdir -p docs
cp "$work/page" docs/accuracy.md
echo "wrote docs/accuracy.md"
exit $failed

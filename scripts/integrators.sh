#!/bin/bash
# Measures the accuracy of integrators per millisecond and writes it into docs/integrators.md, with a figure. For 'make
# integrator-docs'.
#
#     scripts/integrators.sh              measures into docs/data/integrators.tsv (some minutes) and writes the page
#     scripts/integrators.sh --page       only writes the page, from that file
#     scripts/integrators.sh --show FILE  prints the tables of a file and writes nothing
#
# SINEW_STUDY is the program, otherwise build/release/tests/validation/study. Nothing else should run on the machine
# meanwhile.
set -eu
cd "$(dirname "$0")/.."
program=${SINEW_STUDY:-build/release/tests/validation/study}
data=docs/data/integrators.tsv
page=docs/integrators.md
figure=docs/images/integrators_study.png

# A table for each scene: every method with 16 sweeps over the constraints per frame, and the number of sweeps and the
# time, as shares of those of the default, with which it is as accurate as the default then is.
tables() { # file
  python3 - "$1" <<'PYTHON'
import csv, math, sys

SWEEPS = 16
rows = list(csv.DictReader(open(sys.argv[1], encoding="utf-8"), delimiter="\t"))


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def shown(text):
    value = number(text)
    return "–" if value is None else f"{value:.3g}"


def sweeps(row):
    return int(row["substeps"]) * int(row["passes"])


def needed(curve, price, of, error):
    """The price from which on a method is as accurate as that, between two of its points; None: it never is."""
    points = sorted((price(r), number(r[of])) for r in curve)
    if any(e is None for _, e in points) or not abs(points[-1][1]) <= error:
        return None
    last = max((i for i, p in enumerate(points) if not abs(p[1]) <= error), default=-1)
    b, f = points[last + 1]
    if last < 0 or f == 0:
        return b
    a, e = points[last]
    return a * (b / a) ** (math.log(error / abs(e)) / math.log(abs(f / e)))


for scene in dict.fromkeys(r["scene"] for r in rows):
    some = [r for r in rows if r["scene"] == scene]
    default = next(r for r in some if sweeps(r) == SWEEPS)
    of = "error" if number(default["spin"]) is None else "spin"
    print(f"**{scene[0].upper() + scene[1:]}**, error in {default['unit']}:\n")
    print(f"| method | substeps × passes | ms/frame | error | energy | highest gain | spin | sweeps for the same {of} | time for it |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for name in dict.fromkeys(r["method"] for r in some):
        curve = [r for r in some if r["method"] == name]
        at = next((r for r in curve if sweeps(r) == SWEEPS), curve[-1])
        same = []
        for price in (sweeps, lambda r: float(r["ms_frame"])):
            least = needed(curve, price, of, abs(number(default[of])))
            same.append("never" if least is None else f"{least / price(default):.2f} ×")
        print(f"| {name} | {at['substeps']} × {at['passes']} | {shown(at['ms_frame'])} | "
              f"{'failed' if at['error'] == 'failed' else shown(at['error'])} | {shown(at['energy'])} | "
              f"{shown(at['gain'])} | {shown(at['spin'])} | {same[0]} | {same[1]} |")
    print()
PYTHON
}

draw() {
  command -v gnuplot >/dev/null || { echo "gnuplot is missing (Debian: apt-get install gnuplot-nox)"; exit 1; }
  {
    cat <<END
set terminal pngcairo size 1100,1150 noenhanced background rgb 'white' font 'sans,10'
set output '$figure'
set datafile separator '\t'
set multiplot layout 3,2
set grid back lt 1 lc rgb '#d0d0d0'
set logscale xy
set format '%.0e'
set xlabel 'CPU time of a frame / ms'
set key off
END
    cut -f1 "$data" | tail -n +2 | uniq | while read -r scene; do
      word=$(awk -F '\t' -v s="$scene" '$1 == s { print $7; exit }' "$data")
      column=6
      [ "$scene" = "turning block" ] && { column=10; word="share of the angular momentum"; }
      printf "set title '%s'\nset ylabel 'error, %s'\nplot " "$scene" "$word"
      awk -F '\t' -v s="$scene" '$1 == s && $2 !~ /^reference/ && !seen[$2]++ { print $2 }' "$data" | while read -r method; do
        printf "'%s' using (strcol(1) eq '%s' && strcol(2) eq '%s' ? column(5) : NaN):(abs(column(%d))) with linespoints title '%s', " \
          "$data" "$scene" "$method" "$column" "$method"
      done
      echo "NaN notitle"
    done
    # The last panel is the legend of all.
    printf "unset logscale; unset tics; unset border; unset xlabel; unset ylabel; unset title; set key on center; set xrange [0:1]; set yrange [0:1]\nplot "
    awk -F '\t' 'NR > 1 && $2 !~ /^reference/ && !seen[$2]++ { printf "NaN with linespoints title \047%s\047, ", $2 }' "$data"
    echo "NaN notitle"
  } | gnuplot
}

put() {
  local new
  new=$(mktemp)
  { sed '/<!-- study begin -->/q' "$page"; tables "$data"; echo "![Error against the time of a frame](images/${figure##*/})"; sed -n '/<!-- study end -->/,$p' "$page"; } >"$new"
  cat "$new" >"$page"
  rm -f "$new"
  draw
  echo "wrote $page and $figure"
}

case ${1:-} in
--show) tables "$2" ;;
--page) put ;;
*)
  "$program" >"$data.new"
  mv "$data.new" "$data"
  put
  ;;
esac

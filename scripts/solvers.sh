#!/bin/bash
# Makes the figures and tables of docs/notes/solvers.md with 'sinew compare' and gnuplot. For 'make solver-docs'.
#
#     scripts/solvers.sh [NAME ...]            some of the scenes below; otherwise all
#
# SINEW_PROGRAM is the sinew command, otherwise build/release/sinew. Times are those of this machine, so nothing else
# should run on it. It takes some minutes.
set -eu
cd "$(dirname "$0")/.."
program=${SINEW_PROGRAM:-build/release/sinew}
page=docs/notes/solvers.md
command -v gnuplot >/dev/null || { echo "gnuplot is missing (Debian: apt-get install gnuplot-nox)"; exit 1; }

solvers=gauss_seidel,jacobi,jacobi:averaged+relaxation=1.5,impulses,impulses:soft,lagrange,lagrange:leapfrog,direct

# The same colour everywhere. A curve that often covers another one is dashed.
declare -A look=([gauss_seidel]="lc rgb '#1f77b4'" [jacobi]="lc rgb '#ff7f0e'"
  [jacobi:averaged+relaxation=1.5]="lc rgb '#c9a227'" [impulses]="lc rgb '#2ca02c'" [impulses:soft]="lc rgb '#7fbf7f'"
  [lagrange]="lc rgb '#d62728'" [lagrange+iterations=16]="lc rgb '#e98080'" [lagrange+iterations=64]="lc rgb '#d62728'"
  [lagrange:leapfrog]="lc rgb '#8c1a5b'" [direct]="dt 2 lc rgb '#000000'")

# The scenes: name of the figure, scene, frames, iterations, and settings. A scene with its own integrator gets the
# default one, so that all solvers can take part. Solving for the forces in a large cloth to convergence takes thousands
# of iterations per substep: there they are limited.
scenes='
pendulum        pendulum        300  1,2,4,8,16,32
double_pendulum double_pendulum 300  1,2,4,8,16,32  world.integrator=symplectic_euler world.substeps=20
chain           catenary        300  1,2,4,8,16,32  world.damping=0
heavy_bob       heavy_bob       300  1,2,4,8,16,32  world.substeps=20
box_2d          box_2d          300  1,2,4,8,16,32
hitman          hitman          240  1,2,4,8,16,32
cloth_64        bench/cloth_64  40   1,2,4,8,16     solvers=gauss_seidel,jacobi,jacobi:averaged+relaxation=1.5,impulses,impulses:soft,lagrange+iterations=16,lagrange+iterations=64,direct
'

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p docs/images/solvers

# Four panels: mean error against passes and against time, mean error and energy over time with the fewest iterations.
draw() { # name
  local table=$folder/$1/table.csv curves=$folder/$1/curves.csv labels
  labels=$(awk -F, 'NR > 1 && $12 == "finished" && !seen[$1]++ { print $1 }' "$table")
  {
    cat <<END
set terminal pngcairo size 1100,800 noenhanced background rgb 'white' font 'sans,10'
set output 'docs/images/solvers/$1.png'
set datafile separator ','
set multiplot layout 2,2 margins 0.08,0.98,0.07,0.9 spacing 0.1,0.1
set grid back lt 1 lc rgb '#d0d0d0'
set key off
$(legend "$labels")
set logscale xy
set format y '%.0e'
set xlabel 'passes over the constraints in a substep'
set ylabel 'mean error'
END
    # shellcheck disable=SC2016
    panel "$table" '(strcol(1) eq "LABEL" && strcol(12) eq "finished" ? $5 : NaN):($7 > 0 ? $7 : NaN) smooth unique with linespoints lw 1.5 pt 7 ps 0.5' "$labels"
    echo "unset label; set xlabel 'CPU time of a frame / ms'"
    # shellcheck disable=SC2016
    panel "$table" '(strcol(1) eq "LABEL" && strcol(12) eq "finished" ? $6 : NaN):($7 > 0 ? $7 : NaN) smooth unique with linespoints lw 1.5 pt 7 ps 0.5' "$labels"
    echo "unset logscale x; set xlabel 'time / s'"
    # shellcheck disable=SC2016
    panel "$curves" "(strcol(1) eq \"LABEL\" && \$2 == FEWEST ? \$5 : NaN):(\$6 > 0 ? \$6 : NaN) with lines lw 1.2" "$labels"
    echo "unset logscale y; set format y '%g'; set ylabel 'energy / J'; $(energy_range "$curves")"
    # shellcheck disable=SC2016
    panel "$curves" "(strcol(1) eq \"LABEL\" && \$2 == FEWEST ? \$5 : NaN):8 with lines lw 1.2" "$labels"
  } | gnuplot
}

# A legend across the top, four entries per line.
legend() { # labels
  local number=0 label
  while read -r label; do
    number=$((number + 1))
    printf 'set label %d "%s" at screen %s,%s point pt 5 %s offset 1,0\n' "$number" "$label" \
      "0.$((8 + 23 * ((number - 1) % 4)))" "0.9$((7 - 3 * ((number - 1) / 4)))" "${look[$label]#dt 2 }"
  done <<<"$1" | sed 's/screen 0\.8,/screen 0.08,/'
}

panel() { # file, what to plot with LABEL and FEWEST in it, labels
  local comma="plot" label fewest what
  while read -r label; do
    fewest=$(awk -F, -v label="$label" '$1 == label { print $2; exit }' "$1")
    what=${2//LABEL/$label}
    printf '%s "%s" skip 1 using %s %s title "%s"' "$comma" "$1" "${what//FEWEST/$fewest}" "${look[$label]}" "$label"
    comma=", \\
    "
  done <<<"$3"
  echo
}

# A solver that explodes must not decide the range: it is that of Gauss-Seidel, three times as wide.
energy_range() { # curves
  awk -F, '$1 == "gauss_seidel" { n = n ? n : $2 } $1 == "gauss_seidel" && $2 == n { if (!k++) { a = b = $8 } if ($8 < a) a = $8; if ($8 > b) b = $8; if ($9 > t) t = $9 }
    END { w = b - a > t / 4 ? b - a : t / 4; printf "set yrange [%.9g:%.9g]", a - w, b + w }' "$1"
}

# The rows with the fewest and the most iterations of each solver, as a table.
rows() { # name
  echo "| solver | iterations | passes | ms/frame | mean error | worst error | energy drift |"
  echo "|---|---:|---:|---:|---:|---:|---:|"
  awk -F, '
    function cell(x, f) { return x == "" ? "–" : sprintf(f, x) }
    function row(l,   a) { split(l, a, ",")
      if (a[12] == "refused" || a[12] == "diverged")
        printf "| %s | %s | | | %s | | |\n", a[1], a[2] == "" ? "any" : a[2], a[12]
      else
        printf "| %s | %d | %s | %s | %s | %s | %s |\n", a[1], a[2], cell(a[5], "%.3g"), cell(a[6], "%.3g"),
               cell(a[7], "%.1e"), cell(a[8], "%.1e"), cell(a[10], "%+.1e") }
    NR == 1 { next }
    $1 != last && last != "" && n > 1 { row(line) }
    $1 != last { row($0); n = 0 }
    { last = $1; line = $0; ++n }
    END { if (n > 1) row(line) }' "$folder/$1/table.csv"
}

put() { # mark, file with what goes there
  local new=$folder/page
  grep -q "<!-- $1 begin -->" "$page" || { echo "$page has no place <!-- $1 begin -->"; exit 1; }
  { sed "/<!-- $1 begin -->/q" "$page"; cat "$2"; sed -n "/<!-- $1 end -->/,\$p" "$page"; } >"$new"
  cat "$new" >"$page"
}

while read -r name scene frames iterations sets; do
  [ -n "$name" ] || continue
  [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
  arguments=() list=$solvers
  for set in $sets; do
    case $set in
    solvers=*) list=${set#solvers=} ;;
    *) arguments+=(--set "$set") ;;
    esac
  done
  "$program" compare "$scene" --solvers "$list" --frames "$frames" --iterations "$iterations" "${arguments[@]}" \
    --out "$folder/$name" --quiet </dev/null
  draw "$name"
  rows "$name" >"$folder/rows"
  put "$name" "$folder/rows"
  echo "docs/images/solvers/$name.png"
done <<<"$scenes"

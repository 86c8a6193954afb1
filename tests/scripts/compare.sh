#!/bin/sh
# Drives 'sinew compare': what it prints and writes, solvers that refuse or diverge, bad input, exit codes, interruption.
# See drive.inc for what it is told by the environment.
subcommand=compare
# shellcheck source=tests/scripts/drive.inc
. "$(dirname -- "$0")/drive.inc"

# column NAME FILE: the values of a column, for files without quoted commas
column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) at = i; next } { print $at }' "$2"; }

cat >rope.json <<'END'
{
  "run": {"frames": 12},
  "objects": [{"type": "rope", "name": "rope", "length": 2, "segments": 10, "rods": true, "direction": [1, 0, 0],
               "pins": ["start"], "bob": 5}]
}
END
cat >free.json <<'END'
{
  "run": {"frames": 30, "warm_up": 2},
  "world": {"substeps": 5},
  "objects": [{"type": "rope", "name": "rope", "length": 2, "segments": 10, "rods": true, "direction": [1, 0, 0],
               "spin": [0, 0, 3], "bob": 3}]
}
END
# ---- what is printed and written ------------------------------------------------------------------------------------

expect 0 rope.json # without a record "world", all solvers, all numbers of iterations
says '^rope, 12 frames; Sinew '
says 'errors are shares of 0.2 m'
for solver in gauss_seidel jacobi impulses lagrange direct; do
    for iterations in 1 2 4 8 16 32; do
        says "^\\| $solver +\\| +$iterations \\| +10 \\| "
    done
done
good "it complains" test ! -s stderr

# More iterations hold a rope better under each of the iterative methods; and the error is the stretch.
expect 0 rope.json --solvers gauss_seidel,jacobi --iterations 1,16 --out one
good "table.csv has not 4 rows" test "$(wc -l <one/table.csv)" -eq 5
good "curves.csv has not 4 times 13 rows" test "$(wc -l <one/curves.csv)" -eq 53
column error_mean one/table.csv >errors
good "16 iterations are no better than 1" awk '{ e[NR] = $1 } END { exit !(e[2] < e[1] / 2 && e[4] < e[3] / 2) }' errors
good "jacobi is no worse than Gauss-Seidel" awk '{ e[NR] = $1 } END { exit !(e[3] > e[1]) }' errors
"$program" run rope.json --set world='{"stiffening": "off"}' --trace trace.csv --quiet
column residual_distance trace.csv | awk 'NR > 1 && $1 > m { m = $1 } END { print m / 0.2 }' >stretch
column error_worst one/table.csv | head -n 1 >worst
good "the worst error is not the stretch of the rods" \
    awk '{ a[NR] = $1 } END { d = a[1] / a[2] - 1; exit !(d < 1e-3 && d > -1e-3) }' stretch worst
good "energies in curves.csv are not those of a run" \
    sh -c "awk -F, 'NR == 14 { print \$8 }' one/curves.csv >a; awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if (\$i == \"energy\") k = i } NR == 14 { print \$k }' trace.csv >b; cmp -s a b || awk '{ v[NR] = \$1 } END { d = v[1] - v[2]; exit !(d < 1e-6 && d > -1e-6) }' a b"
if command -v gnuplot >/dev/null; then
    for picture in error_iterations error_time energy momentum; do
        good "there is no whole $picture.svg" grep -q '</svg>' one/$picture.svg
    done
    good "the energy has not two curves" test "$(grep -c 'x 1</title>\|x 1</text>\|x 1<' one/energy.svg)" -ge 2
fi

# Without gnuplot there are tables all the same.
checks=$((checks + 1))
last='without gnuplot'
PATH=/nonexistent "$program" compare rope.json -i 1 -q -o two >stdout 2>stderr
[ $? -eq 4 ] || fail "without gnuplot: expected exit code 4"
complains 'gnuplot'
good "no tables" test -s two/table.csv -a -s two/curves.csv

# Momentum: kept by what works in pairs, where nothing holds the scene; not by averaging.
expect 0 free.json --solvers gauss_seidel,jacobi,jacobi:averaged -i 2 --json
good "not JSON" sh -c 'command -v python3 >/dev/null || exit 0; python3 -c "import json, sys
rows = [json.loads(line) for line in open(\"stdout\")]
assert [r[\"event\"] for r in rows] == [\"start\"] + 3 * [\"result\"] + [\"summary\"]
drift = [r[\"momentum_drift\"] for r in rows[1:4]]
assert drift[0] < 1e-5 and drift[1] < 1e-5 and drift[2] > 1e-4, drift
assert rows[1][\"frames\"] == 30 and rows[-1][\"exit_code\"] == 0"'
expect 0 rope.json -i 1 --solvers gauss_seidel --json
good "momentum of a rope that hangs" sh -c '! grep -q momentum_drift stdout'

expect 0 rope.json -i 1 --quiet
silent

# ---- settings of a solver --------------------------------------------------------------------------------------------

expect 0 rope.json -i 1,2 -n 3 --solvers 'gauss_seidel+iterations=7,direct+substeps=3,lagrange:leapfrog'
good "iterations of its own: not one run" test "$(grep -c '^| gauss_seidel+iterations=7 ' stdout)" -eq 1
says '^\| gauss_seidel\+iterations=7 +\| +7 \| '
says '^\| direct\+substeps=3 +\| +1 \| +3 \| '
says '^\| lagrange:leapfrog +\| +2 \| '
expect 0 rope.json -i 1 -n 3 --set world='{"substeps": 4}' --solvers gauss_seidel
says '^\| gauss_seidel \| +1 \| +4 \| '
expect 0 rope.json -n 3 --solvers 'gauss_seidel,direct+gravity=[0,-1,0]+objects[0].name="x"' -i 1 -o three
good "a comma in the name of a solver spoils the table" \
    grep -q '^"direct+gravity=\[0,-1,0\]+objects\[0\].name=""x""",1,10,3,' three/table.csv

expect 0 rope.json -n 10 --solvers gauss_seidel,direct --budget-ms 0.2
says 'as many substeps as fit into 0.2 ms'
good "one run each" test "$(grep -c '^| [gd]' stdout)" -eq 2
expect 0 rope.json -n 2 --solvers gauss_seidel --budget-ms 1e-6
says 'over the budget with one substep'

# ---- what solvers refuse, and what diverges --------------------------------------------------------------------------

expect 0 rope.json -n 3 -i 1,2 --solvers gauss_seidel,impulses:bdf2
says '^\| impulses:bdf2 +\| +- \| .*refused: .*BDF2'
good "it is refused once" test "$(grep -c refused stdout)" -eq 1
expect 0 zoo -n 3 -i 1 --solvers gauss_seidel,jacobi -o four
says "refused: .*'surface_scaling'"
good "no refusal in the table" grep -q ',refused,' four/table.csv
expect 1 rope.json -n 3 --solvers impulses:bdf2,lagrange:bdf2
complains 'no solver took it to its end'
cat >springs.json <<'END'
{
  "run": {"frames": 60},
  "world": {"substeps": 1, "integrator": "leapfrog"},
  "objects": [{"type": "particles", "name": "p", "positions": [0, 0, 0, 1, 0, 0]}],
  "constraints": [{"kind": "spring", "points": ["p[0]", "p[1]"], "rest": 0.9, "stiffness": 1e6}]
}
END
expect 0 springs.json -i 1,2 --solvers gauss_seidel,gauss_seidel+substeps=100
complains '^sinew: warning: gauss_seidel: springs at particle [01] are too stiff'
good "the same warning several times" test "$(grep -c warning stderr)" -eq 1
says '^\| gauss_seidel +\| +2 \| .*diverged: at frame [0-9]+: '
says '^\| gauss_seidel\+substeps=100 +\| +2 \| '
"$program" run springs.json --quiet >stdout 2>stderr
last='sinew run springs.json'
complains '^sinew: warning: springs at particle'

# ---- bad input -------------------------------------------------------------------------------------------------------

expect 2
expect 2 rope.json rope.json
expect 2 -
complains 'standard input'
expect 3 not_there.json
expect 3 rope.json -i 1 --set wrld.x=3
expect 2 rope.json -i 1 --set nothing
expect 2 rope.json --iterations 0
complains "expected a whole number from 1 to 100000"
expect 2 rope.json --iterations 4,2
complains "rise"
expect 2 rope.json --iterations 1 --budget-ms 2
complains "exclude each other"
expect 2 rope.json --budget-ms -2
expect 2 rope.json --budget-ms nan
expect 2 rope.json --quiet --json
expect 2 rope.json --solvers gauss_sidel
complains "there is no solver 'gauss_sidel'; did you mean 'gauss_seidel'\?"
expect 2 rope.json --solvers jacobi:averagd
complains "did you mean 'averaged'\?"
expect 2 rope.json --solvers jacobi+relaxatio=1
complains "did you mean 'relaxation'\?"
expect 2 rope.json --solvers jacobi+relaxation=7
complains 'world.relaxation: found 7'
expect 2 rope.json --solvers jacobi,jacobi
complains "is there twice"
: >file
expect 4 rope.json -i 1 --out file/folder
expect 4 rope.json -i 1 --out file
if [ -w /dev/full ]; then
    checks=$((checks + 1))
    "$program" compare rope.json -i 1 -n 3 >/dev/full 2>stderr && fail "a full disk was not noticed"
fi

# ---- interruption ----------------------------------------------------------------------------------------------------

"$program" compare rope.json --frames 1000000 --solvers gauss_seidel -o five >stdout 2>stderr &
running=$!
last='an interrupted comparison'
for _ in 1 2 3 4 5 6 7 8 9 10; do # a few thousand frames are enough, and all of them are drawn
    sleep 0.2
    [ -d five ] && break
done
kill -INT "$running"
wait "$running"
code=$?
running=
checks=$((checks + 1))
[ "$code" -eq 130 ] || fail "$last: exit code $code, expected 130"
says 'interrupted: at frame [0-9]+'
good "no table of what was interrupted" grep -q ',interrupted,' five/table.csv

if [ "$failed" -gt 0 ]; then
    echo "compare: $failed of $checks checks failed" >&2
    exit 1
fi
echo "compare: $checks checks passed"

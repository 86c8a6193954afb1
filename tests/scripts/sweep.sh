#!/bin/bash
# Drives 'sinew sweep': a thousand runs (three hundred without SINEW_LONG_TESTS), killed and begun again, by any number of workers and ranks, come to the same table; bad input; what the table says.
# See drive.inc for what it is told by the environment.
# shellcheck source=tests/scripts/drive.inc
. "$(dirname -- "$0")/drive.inc"
trap 'kill -KILL $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
unset OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE PMIX_RANK PMI_RANK PMI_SIZE SLURM_PROCID SLURM_NTASKS

cat >tiny.json <<'END'
{
  "variables": {"seed": 0, "mass": 0.1},
  "world": {"substeps": 5},
  "run": {"frames": 20},
  "objects": [{"type": "rope", "name": "rope", "from": [0, 0, 0], "to": ["0.5 + 0.1 * random($seed)", 0, 0], "segments": 4, "mass": "$mass", "pins": ["start"]}],
  "record": {"particles": ["rope.end"]}
}
END
seeds=${SINEW_LONG_TESTS:+100}
seeds=${seeds:-30}
runs=$((10 * seeds))
many=(tiny.json --vary variables.mass=0.1:1:5 --vary world.substeps=2,5 --seeds $seeds --quiet)

check() { # what, command...
    local what=$1
    shift
    checks=$((checks + 1))
    "$@" >/dev/null 2>&1 || fail "$what"
}

# expect CODE WORDS ARGUMENTS...: its exit code, and words on standard error
expect() {
    local code=$1 words=$2
    shift 2
    checks=$((checks + 1))
    "$program" sweep "$@" >stdout 2>stderr
    local got=$?
    [ $got -eq "$code" ] || fail "sweep $*: exit code $got instead of $code"
    [ -z "$words" ] || grep -q -- "$words" stderr || fail "sweep $*: does not say '$words'"
}

same() { # folder: its tables are those of one process that was left alone
    check "$1: another table.csv" cmp whole/table.csv "$1/table.csv"
    check "$1: another table.npy" cmp whole/table.npy "$1/table.npy"
}

wait_for_rows() { # folder count: until there are so many
    local i
    for i in $(seq 500); do
        [ "$(cat "$1"/*.rows 2>/dev/null | wc -l)" -ge "$2" ] && return
        sleep 0.01
    done
}

# ---- Many runs, left alone, and what they say
expect 0 '' "${many[@]}" --out whole --workers 1
check "a row for each and a head" test "$(wc -l <whole/table.csv)" -eq $((runs + 1))
check "the head" grep -q '^run,variables.mass,world.substeps,variables.seed,status,worst_relative,worst_overlap,frame,time,.*,x_rope.end,.*,message$' whole/table.csv
check "all are done" test "$(grep -c ',done,' whole/table.csv)" -eq $runs
check "values in order" grep -q "^$((runs - 1)),1,5,$((seeds - 1)),done," whole/table.csv
check "what another sweep left is not touched" test ! -e whole/plot.svg
expect 0 '' "${many[@]}" --out whole --workers 1 # nothing is left to do
if command -v gnuplot >/dev/null 2>&1; then
    cp whole/table.csv before.csv
    expect 0 '' "${many[@]}" --out whole --plot --column y_rope.end
    check "a picture" grep -q '<svg' whole/plot.svg
    check "the same table" cmp before.csv whole/table.csv
    expect 2 "no 'height'" "${many[@]}" --out whole --plot --column height
fi
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import numpy' 2>/dev/null; then python=$candidate; break; fi
done
if [ -n "$python" ]; then
    check "NumPy reads the same" "$python" -c '
import csv, numpy, sys
table, rows = numpy.load("whole/table.npy"), list(csv.DictReader(open("whole/table.csv")))
assert len(table) == len(rows) == int(sys.argv[1]) and (table["status"] == 0).all()
for name in ("variables.mass", "variables.seed", "worst_relative", "x_rope.end", "energy"):
    assert (table[name] == [float(row[name]) for row in rows]).all(), name' $runs
fi

# ---- The same as one run alone
"$program" run tiny.json --set variables.mass=0.55 --set world.substeps=2 --set variables.seed=7 --trace alone.csv --quiet
[ -z "$python" ] || check "a row is the last of a trace" "$python" -c '
import csv, sys
row, last = list(csv.DictReader(open("whole/table.csv")))[4 * int(sys.argv[1]) + 7], list(csv.DictReader(open("alone.csv")))[-1]
assert all(float(row[name]) == float(value) for name, value in last.items())' $seeds

# ---- Workers, kills, ranks
expect 0 '' "${many[@]}" --out two --workers 2
same two
for round in 1 2 3; do
    "$program" sweep "${many[@]}" --out killed --workers 2 2>/dev/null &
    wait_for_rows killed $((round * runs * 15 / 100))
    kill -KILL $! 2>/dev/null
    wait $! 2>/dev/null
done
check "it was killed in the middle" test ! -e killed/table.csv
for file in killed/*.rows; do # as if the machine had stopped in the middle of a write
    [ -s "$file" ] && truncate -s -5 "$file" && break
done
expect 0 '' "${many[@]}" --out killed --workers 2
same killed

"$program" sweep "${many[@]}" --out worker --workers 2 2>stderr &
wait_for_rows worker $((runs / 10))
victim=$(ls worker/*.rows | head -n 1 | sed 's/.*-\([0-9]*\)\.rows/\1/')
kill -KILL "$victim" 2>/dev/null
wait $!
check "a worker that died is told" grep -q 'ended by signal 9' stderr
same worker

# ranks: processes that know nothing of each other but the folder
for ranks in 2 4; do
    for rank in $(seq 0 $((ranks - 1))); do
        OMPI_COMM_WORLD_SIZE=$ranks OMPI_COMM_WORLD_RANK=$rank "$program" sweep "${many[@]}" --out ranks$ranks 2>/dev/null &
    done
    if [ "$ranks" = 4 ]; then # one of them dies
        wait_for_rows ranks4 $((runs / 10))
        kill -KILL $! 2>/dev/null
    fi
    wait 2>/dev/null
    same ranks$ranks
    check "each has worked" test "$(ls ranks$ranks/*.rows | wc -l)" -eq "$ranks"
done

if command -v mpirun >/dev/null 2>&1; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    for ranks in 1 2 4; do
        mpirun -n $ranks "$program" sweep "${many[@]}" --out mpi$ranks 2>stderr
        same mpi$ranks
    done
    long=("${many[@]}" --frames 1200)
    "$program" sweep "${long[@]}" --out long
    for option in "" "--mca orte_enable_recovery 1 --mca orte_abort_on_non_zero_status 0"; do
        # shellcheck disable=SC2086
        mpirun $option -n 4 "$program" sweep "${long[@]}" --out lost 2>/dev/null &
        wait_for_rows lost 60
        kill -KILL "$(pgrep -P $! | sed -n 2p)" 2>/dev/null
        wait $!
        # without the option Open MPI ends the others, too, about a second later, if they are not done by then; the next command goes on
    done
    check "the others went on" cmp long/table.csv lost/table.csv
else
    echo "sweep: there is no mpirun: ranks were tried without it"
fi

# ---- What cannot be run
expect 1 '' tiny.json --vary world.substeps=5,0 --out bad --quiet
check "what is refused is told" grep -q '^1,0,refused,,,.*substeps' bad/table.csv
check "and the other is done" grep -q '^0,5,done,' bad/table.csv
expect 3 'world.no_such' tiny.json --vary world.no_such=1,2 --out none
check "nothing was made" test ! -e none
expect 3 '' no_such_scene --vary a=1 --out none
expect 2 'nothing is varied' tiny.json --out none
expect 2 'PATH=VALUES' tiny.json --vary world.substeps --out none
expect 2 "found '1:2:3:lin'" tiny.json --vary world.substeps=1:2:3:lin --out none
expect 2 "found '-1:2:3:log'" tiny.json --vary variables.mass=-1:2:3:log --out none
expect 2 'varied twice' tiny.json --vary a=1 --vary a=2 --out none
expect 2 'more than 10000000' tiny.json --vary a=1:2:100000 --vary b=1:2:1000 --out none
expect 2 'must be a file' - --vary a=1 --out none
expect 2 'svg or .png' tiny.json --vary a=1 --plot=x.pdf --out none
expect 2 'another sweep' tiny.json --vary world.substeps=3 --out two
expect 0 '' tiny.json --vary world.substeps=3 --out two --fresh --quiet
check "the new one" test "$(wc -l <two/table.csv)" -eq 2
expect 0 '' tiny.json --vary 'objects[0].to=[1,0,0],[2,0,0]' --vary variables.mass=0.1:10:3:log --out lists --quiet
check "commas in lists" grep -q '^4,"\[2,0,0\]",1,done' lists/table.csv
touch file
expect 4 '' tiny.json --vary world.substeps=3 --out file/there --quiet

# ---- A signal
"$program" sweep tiny.json --frames 100000 --vary world.substeps=5,6 --out slow --workers 2 --quiet 2>stderr &
wait_for_rows slow 0
sleep 0.3
kill -INT $!
wait $!
check "exit code 130" test $? -eq 130
check "what to do" grep -q 'goes on where it was' stderr

[ $failed -eq 0 ] || exit 1
echo "sweep: $checks checks"

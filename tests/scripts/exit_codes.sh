#!/bin/sh
# Walks the exit codes that docs/command.md documents: each has a case here for every command that can end with it, each case's code
# is documented, and a closed pipe makes no noise. See drive.inc for what it is told by the environment.
# shellcheck source=tests/scripts/drive.inc
. "$(dirname -- "$0")/drive.inc"

seen=' '

# expect CODE WORDS...: notes the code, too
expect() {
    wanted=$1
    shift
    checks=$((checks + 1))
    seen="$seen$wanted "
    "$program" "$@" >stdout 2>stderr </dev/null
    code=$?
    [ "$code" -eq "$wanted" ] || fail "sinew $*: exit code $code, expected $wanted"
    if [ "$wanted" -ne 0 ] && [ ! -s stderr ]; then fail "sinew $*: exit code $wanted, and not a word why"; fi
}

cat >good.json <<'END'
{"run": {"frames": 3}, "objects": [{"type": "rope", "name": "rope", "length": 1, "segments": 4, "pins": ["start"]}]}
END
cat >endless.json <<'END'
{"run": {"frames": 1000000}, "objects": [{"type": "cloth", "name": "cloth", "columns": 20, "rows": 20, "pins": ["top"]}]}
END
cat >torn.json <<'END'
{"world": {"solver": "gauss_seidel", "gravity": [0, 0, 0]}, "run": {"frames": 3},
 "objects": [{"type": "particles", "name": "p", "positions": [0, 0, 0], "velocity": [1e37, 0, 0]}]}
END
echo '{"objects": [{"type": "rope", "lenght": 1}]}' >bad.json
printf 'time,x\n0,1\n1,2\n' >trace.csv

# 0: fine
expect 0 run good.json --frames 1
expect 0 check good.json
expect 0 list scenes
expect 0 info good.json
expect 0 compare good.json --frames 1 --iterations 1 --solvers gauss_seidel
expect 0 bench --list
expect 0 render good.json --frames 1 --size 32x18 --out picture.png
expect 0 draw good.json --out drawn.svg
expect 0 schema
expect 0 help
expect 0 --version
command -v gnuplot >/dev/null && expect 0 plot trace.csv

# 1: the run failed
expect 1 run torn.json --set 'objects[0].velocity=[3e38,0,0]' --set world.gravity=[3e38,0,0]
expect 1 render torn.json --set 'objects[0].velocity=[3e38,0,0]' --set world.gravity=[3e38,0,0] --size 32x18

# 2: the command line is wrong
for command in run check list info plot bench compare view render draw schema help; do
    expect 2 $command --no-such-option
done
expect 2
expect 2 no_such_command
expect 2 run
expect 2 list no_such_thing

# 3: an input is wrong, or cannot be read
for command in run check info compare bench render draw; do
    expect 3 $command bad.json
    expect 3 $command no_such_scene
done
expect 3 plot no_such.csv
expect 3 view bad.json --no-open
expect 3 run good.json --steps no_such_file.txt
echo 'ten one' >steps.txt
expect 3 run good.json --steps steps.txt

# 4: something could not be written
: >plain
expect 4 run good.json --out plain/out
expect 4 run good.json --trace plain/t.csv
expect 4 run good.json --save plain/s.json
expect 4 run good.json --budget 100ms --steps plain/steps.txt
expect 4 compare good.json --frames 1 --iterations 1 --solvers gauss_seidel --out plain/out
expect 4 render good.json --frames 1 --size 32x18 --out plain/p.png
expect 4 draw good.json --out plain/p.svg
mkdir no_path
old_path=$PATH
PATH=$work/no_path
expect 4 plot trace.csv
PATH=$old_path

# 4 and silence: a closed pipe. The shell function is the reader that goes at once.
silence() {
    checks=$((checks + 1))
    { "$program" "$@" 2>stderr </dev/null; echo $? >code; } | true
    code=$(cat code)
    { [ "$code" -eq 4 ] || [ "$code" -eq 0 ]; } || fail "sinew $* into a closed pipe: exit code $code, expected 4"
    [ ! -s stderr ] || fail "sinew $* into a closed pipe: noise"
}
for words in 'run good.json -q --frames 1' 'run good.json --json' 'check good.json' 'check --json good.json' list 'list kinds' \
    'list scenes --json' 'info good.json' 'info --json good.json' 'bench --list' schema 'schema --reference' help 'help run' --version \
    'compare good.json --frames 1 -i 1 --solvers gauss_seidel --json -q' 'draw good.json --out d.svg'; do
    # shellcheck disable=SC2086
    [ "$words" = "compare good.json --frames 1 -i 1 --solvers gauss_seidel --json -q" ] && words=${words% -q}
    # shellcheck disable=SC2086
    silence $words
done

# 130, 143, 129: signals
for signal in INT:130 TERM:143 HUP:129; do
    checks=$((checks + 1))
    seen="$seen${signal#*:} "
    rm -f lines
    # A shell starts background jobs with SIGINT ignored; env gives it back.
    env --default-signal=INT "$program" run endless.json --json >lines 2>stderr &
    running=$!
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ "$(grep -c '"frame"' lines 2>/dev/null)" -gt 1 ] 2>/dev/null && break
        sleep 0.2
    done
    kill -s "${signal%:*}" $running
    wait $running
    code=$?
    running=
    [ "$code" -eq "${signal#*:}" ] || fail "SIG${signal%:*}: exit code $code, expected ${signal#*:}"
done

# What is documented has a case, and what has a case is documented, in both places.
section=$(sed -n '/^## Exit codes/,/^## /p' "$root/docs/command.md")
documented=$(echo "$section" | sed -nE 's/^\| ([0-9]+) \|.*/\1/p')
[ -n "$documented" ] || fail "docs/command.md has no table of exit codes"
for code in $documented $(echo "$section" | grep -oE '[0-9]+: by SIG' | tr -dc '0-9\n'); do
    checks=$((checks + 1))
    case $seen in *" $code "*) ;; *) fail "exit code $code is documented and has no case here" ;; esac
done
for code in $seen; do
    echo "$section" | grep -qE "(^\| |[(, ])$code( \||:)" || fail "exit code $code is not documented"
    grep -qE "(^\.B |[(, ])$code(:|$)" "$root/cli/sinew.1" || fail "exit code $code is not in the manual page"
done

if [ $failed -gt 0 ]; then
    echo "exit_codes: $failed of $checks checks failed" >&2
    exit 1
fi
echo "exit_codes: $checks checks passed"

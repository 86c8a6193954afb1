#!/bin/sh
# Drives the sinew command: every subcommand, bad input, exit codes, interruption, disks that are full.
# See drive.inc for what it is told by the environment.
# shellcheck source=tests/scripts/drive.inc
. "$(dirname -- "$0")/drive.inc"

if command -v python3 >/dev/null && python3 -c '' 2>/dev/null; then
    json_lines() { python3 -c 'import json, sys
for line in open(sys.argv[1]): json.loads(line)' "$1" 2>/dev/null; }
    json_text() { python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1" 2>/dev/null; }
elif command -v jq >/dev/null; then
    json_lines() { jq -e . "$1" >/dev/null 2>&1; }
    json_text() { json_lines "$1"; }
else
    json_lines() { true; }
    json_text() { true; }
fi

# number OFFSET FILE: the little-endian 32-bit number there
number() { od -An -tu4 -j"$1" -N4 "$2" | tr -d ' '; }

# whole_cache FILE: the head of a PC2 file goes with its length
whole_cache() {
    points=$(number 16 "$1")
    frames=$(number 28 "$1")
    [ "$(wc -c <"$1")" -eq $((32 + 12 * points * frames)) ]
}

cat >rope.json <<'END'
{
  "title": "A rope",
  "about": "for tests",
  "run": {"frames": 20},
  "world": {"substeps": 10},
  "objects": [{"type": "rope", "name": "rope", "length": 2, "segments": 10, "rods": true, "direction": [1, 0, 0],
               "pins": ["start"]}],
  "record": {"particles": ["rope.end"]}
}
END
cat >cloth.json <<'END'
{
  "objects": [{"type": "cloth", "name": "cloth", "columns": 40, "rows": 40, "pins": ["top_left", "top_right"]}],
  "run": {"frames": 1000000},
  "world": {}
}
END

# ---- help and version ---------------------------------------------------------------------------------------------

expect 2
complains 'usage: sinew'
expect 0 help
says 'Exit codes'
expect 0 --help
says '^  run '
expect 0 --version
says '^sinew [0-9]+\.[0-9]+\.[0-9]+, (single|double) precision$'
expect 2 --frames
complains '^sinew: expected a command before'
expect 2 rnu
complains "^sinew: there is no command 'rnu'; did you mean 'run'\?"
expect 2 zzzzzz
complains "'sinew help' shows them all"
expect 2 help chek
complains "did you mean 'check'\?"

# Every option of every command is in the manual page and in docs/command.md; every command has --help.
sed 's/\\-/-/g' "$root/cli/sinew.1" >manual
for command in run compare sweep check list info plot bench view render draw schema help; do
    expect 0 help $command
    says "^usage: sinew $command"
    cp stdout help_$command
    expect 0 $command --help
    good "help and --help differ" cmp -s stdout help_$command
    for option in $(sed -nE 's/^  (-., |    )(--[a-z-]+).*/\2/p' help_$command); do
        for page in manual "$root/docs/command.md"; do
            checks=$((checks + 1))
            grep -q -e "$option" "$page" || fail "$command $option is not in $page"
        done
    done
    good "sinew $command is not in the manual page" grep -q "sinew $command" manual
    good "sinew $command is not in docs/command.md" grep -q "sinew $command" "$root/docs/command.md"
done
for code in 0 1 2 3 4 130; do
    good "exit code $code is not in the manual page" grep -qx ".B $code" manual
    good "exit code $code is not in docs/command.md" grep -q "^| $code |" "$root/docs/command.md"
done
if command -v man >/dev/null && command -v groff >/dev/null; then
    groff -man -ww -z "$root/cli/sinew.1" >stdout 2>stderr
    last='groff sinew.1'
    silent
fi

# ---- wrong usage --------------------------------------------------------------------------------------------------

expect 2 run
complains '^sinew: run: expected SCENE'
expect 2 run rope.json more
complains "'more' is one word too many"
expect 2 run rope.json --frmes 3
complains "has no option '--frmes'; did you mean '--frames'\?"
expect 2 run rope.json -Z
complains "has no option '-Z'"
expect 2 run rope.json -qZq
complains "has no option '-Z'"
expect 2 run rope.json -n
complains '--frames needs a value: N'
expect 2 run rope.json --frames
complains '--frames needs a value: N'
expect 2 run rope.json --quiet=yes
complains '--quiet takes no value'
for value in x -1 1.5 4294967296 ''; do
    expect 2 run rope.json --frames "$value"
    complains 'expected a whole number'
done
expect 2 run rope.json --every 0 --out out
complains 'whole number, 1 or more'
expect 2 run rope.json --memory lots
expect 2 run rope.json --memory 0
complains 'number of bytes'
expect 2 run rope.json --format pc3 --out out
complains "there is no format 'pc3'; did you mean 'pc2'\?"
expect 2 run rope.json --format pc2
complains '--format needs --out'
expect 2 run rope.json --trace trace.txt
complains 'ends with .csv or .npy'
expect 2 run rope.json --plot=x.jpg
complains 'ends with .svg or .png'
expect 2 run rope.json --profile=x.txt
complains 'ends with .json, found x.txt'
expect 2 run rope.json --quiet --profile
complains 'profile.*quiet'
expect 2 run rope.json --set world.substeps
complains 'expected PATH=VALUE'
expect 2 run rope.json --quiet --json
complains 'exclude each other'
good "something was written" test ! -e out

# ---- run ----------------------------------------------------------------------------------------------------------

expect 0 run rope.json
says '^rope: 20 frames, 0\.3333 s of motion in '
says 'particles +11$'
says 'constraints +10$'
says 'energies +kinetic .* J, potential .* J, elastic .* J'
says 'residuals +distance +worst .* m( \(.* % of its size\))?, at the end .*, mean'
says 'direct +10 constraints in 1 tree'
says 'state hash +[0-9a-f]{16}$'
good "files appeared" test -z "$(find . -type f ! -name rope.json ! -name cloth.json ! -name 'std*' ! -name manual \
    ! -name 'help_*')"
expect 0 run rope.json --quiet
silent

# A rope that carries a lot: right by itself, and told of where it is not.
cat >load.json <<'END'
{"objects": [{"type": "rope", "name": "rope", "length": 2, "segments": 20, "mass": 0.2, "bob": 75, "pins": "start"}],
 "run": {"frames": 150}}
END
expect 0 run load.json
good "it complains" test ! -s stderr
says 'worst [0-9.e-]+ m \(0\.0[0-9.e-]* % of its size\)|worst [0-9.e-]+ m \([0-9.]+e-[0-9]+ % of its size\)'
expect 0 run load.json --set world.stiffening=off
complains "for a second now constraints of the kind 'distance_max' have been wrong: number [0-9]+ by [0-9]+ % of its size.*stiffening.*is off"
expect 0 info load.json
says 'directly +20 constraints in 1 tree'
expect 0 info load.json --set world.stiffening=off
says 'directly +none: stiffening is off'
rm load.json

# A heavy rope is tied to a light cloth: swept, the knot, which has no size, opens and closes as the rope swings.
cat >tied.json <<'END'
{"world": {"stiffening": "off"}, "objects": [
   {"type": "cloth", "name": "cloth", "columns": 25, "rows": 25, "mass": 0.3, "turn": {"axis": [1, 0, 0], "angle": 1.5708},
    "pins": ["top_left", "top_right", "bottom_left", "bottom_right"]},
   {"type": "rope", "name": "rope", "mass": 5}],
 "attachments": [{"between": ["cloth.centre[0]", "rope.start"]}], "run": {"frames": 120}}
END
expect 0 run tied.json
complains "for a second now constraints of the kind 'attachment' have been wrong: number 0 by 0\.[0-9]+ m"
rm tied.json

# Surfaces that intersect are told, and are the exit code; a sheet that folds onto itself has none.
cat >sheets.json <<'END'
{"world": {"gravity": [0, 0, 0]}, "objects": [
  {"type": "cloth", "columns": 5, "rows": 5, "skin": true}, {"type": "cloth", "columns": 5, "rows": 5, "skin": true, "turn": {"axis": [0, 1, 0], "angle": 1}}]}
END
expect 1 run sheets.json --frames 4 --certify 2
complains 'sheets: surfaces intersect in 3 of the 3 frames that were looked at; first in frame 0: triangle [0-9]+ of skin 0 and triangle [0-9]+ of skin 1'
says 'surfaces +[0-9]+ pairs intersect at worst, in frame 0'
expect 1 run sheets.json --frames 4 --certify 2 --json
says '"intersections": \{"frames_checked": 3, "frames_with": 3, "worst": [0-9]+, "worst_frame": 0, "first_frame": 0\}'
expect 0 run sheets.json --frames 4 --certify 2 --set 'objects[1].position=[0, 0, 3]'
says 'surfaces +no intersections in the 3 frames'
expect 3 check sheets.json --set 'objects[0].skin={"self_collision": true}'
complains 'thickness is 0 m; it must be positive'
expect 0 run dropped_towel --frames 4 --certify 1
says 'surfaces +no intersections in the 5 frames'
for scene in "$root"/scenes/apart/*.json; do # in full length: make test-surfaces
    expect 0 run "$scene" --frames 3 --certify 1 --set world.substeps=3
    says 'surfaces +no intersections in the 4 frames'
done
rm sheets.json

# A budget, and the same steps again.
expect 0 run rope.json --frames 6 --budget 1000ms,1%,2mm --steps chosen.txt
says '^  budget +[0-9]+ to [0-9]+ substeps'
sed -n 's/^  state hash *//p' stdout >first.hash
good "chosen.txt has not six lines" test "$(wc -l <chosen.txt)" -eq 6
expect 0 run rope.json --frames 6 --steps chosen.txt
good "the same steps gave another state" grep -q "state hash *$(cat first.hash)" stdout
expect 3 run rope.json --frames 7 --steps chosen.txt
complains 'chosen.txt: line 7: expected the substeps and passes of frame 7'
expect 0 run rope.json --frames 2 --budget 5% --json
says '"budget": *\{'
for bad in 5 5kg -1ms 0ms nanms 1ms,2ms , 1ms,; do
    expect 2 run rope.json --budget "$bad"
    complains '--budget: expected positive numbers with a unit'
done
for bad in '9999999999 1' '-3 1' '2.5 1' '10' 'ten one' '0 1' 'nan 1'; do
    echo "$bad" >bad_steps.txt
    expect 3 run rope.json --frames 1 --steps bad_steps.txt
    complains 'bad_steps.txt: line 1: expected the substeps and passes of frame 1'
done
expect 4 run rope.json --frames 2 --budget 1ms --steps no_such_folder/x
expect 3 run rope.json --frames 2 --steps no_such_file.txt

"$program" run - --frames 3 <rope.json >stdout 2>stderr
good "standard input" test $? -eq 0
says '^scene: 3 frames'
expect 3 run - --frames 1 # standard input is empty

expect 0 run rope.json --json
good "a line is no JSON" json_lines stdout
says '^\{"event": "start", .*"frames": 20'
says '^\{"event": "frame", "frame": 0, "time": 0,'
good "not a line per frame" test "$(grep -c '"event": "frame"' stdout)" -eq 21
tail -n 1 stdout >summary
# What broke is in the summary.
cat >breaks.json <<'EOF'
{"objects": [{"type": "body_chain", "name": "chain", "links": 4, "position": [0, 3, 0], "bob": 50, "strength": 300}]}
EOF
expect 0 run breaks.json --frames 20
says '^  torn +5 constraints broke, first in frame 1$'
expect 0 run breaks.json --frames 20 --json
says '"torn": \{"broken": 5, "split": 0, "first_frame": 1\}'

for key in frames wall_seconds particles constraints energies momenta residuals state_hash files; do
    good "the summary has no $key" grep -q "\"$key\": " summary
done
good "the summary does not come last" grep -q '^{"event": "summary"' summary
hash=$(sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' summary)
good "the hash has not 16 digits" test ${#hash} -eq 16
expect 0 run rope.json --json
good "the same scene gave another hash" grep -q "$hash" stdout
expect 0 run rope.json --profile
says "state hash +$hash"
says 'profile +stage +seconds +share +us a step$'
says '^ +constraints +[0-9.]+ +[0-9.]+% +[0-9.]+$'
says '^ +step +[0-9.]+ +100.0% +[0-9.]+$'
says '^ +a step +candidates 0, contacts 0, manifolds made anew 0, sweeps 0, passes '
says '^ +awake 11 of 11, bodies 0, batches '
expect 0 run rope.json --quiet --profile=timeline.json
silent
good "the timeline is no JSON" json_text timeline.json
good "not a step per frame" test "$(grep -c '"step", "ph": "B"' timeline.json)" -eq 20
good "not all begins end" test "$(grep -c '"ph": "B"' timeline.json)" -eq "$(grep -c '"ph": "E"' timeline.json)"
expect 0 run rope.json --json --profile
says '"profile": \{"steps": 20, "seconds": .*"stages": \{"other": .*"mean_counts": .*"awake": 11\}'
expect 4 run rope.json --quiet --profile=nowhere/timeline.json
complains 'nowhere/timeline.json: '
expect 0 run rope.json --json --set world.substeps=20
good "--set changed nothing" test -z "$(grep "$hash" stdout)"
says '"substeps": 20'
expect 0 run rope.json --set 'objects[0].segments=5' --set world.integrator=verlet
says 'particles +6$'
expect 3 run rope.json --set world.substps=20
complains "^rope.json: error: world.substps: .*did you mean 'substeps'\? \(from --set world.substps=20\)"
expect 3 check rope.json --set world.substeps=0 --json
says '"path": "world.substeps", "set": "world.substeps=0"'
good "a line of the file is named" test -z "$(grep '"line"' stdout)"
echo '{"objects": [{"type": "rope"}]}' >plain.json
expect 0 run plain.json --frames 1 --json --set world.substeps=3 --set 'forces[0]={"value": [0, 1, 0]}'
says '"substeps": 3'
expect 3 run rope.json --set wrld.substeps=20
complains 'wrld'

expect 0 run rope.json --frames 5 --out a/b/out --format pc2,obj,ply,npy --trace t.csv --save saved.json
says 'results +a/b/out: 6 frames'
says 'blender --python .*import_sinew.py -- a/b/out'
for file in rope.obj rope.pc2 rope.npy; do
    good "$file is missing" test -s a/b/out/$file
done
good "frames of .ply" test "$(find a/b/out -name '*.ply' | wc -l)" -eq 6
good "frames of .pc2" test "$(number 28 a/b/out/rope.pc2)" -eq 6
good "the point cache is not whole" whole_cache a/b/out/rope.pc2
good "rows of the trace" test "$(wc -l <t.csv)" -eq 7
expect 0 check saved.json
run_file() { # FOLDER PATTERN: what the file that marks a run says
    checks=$((checks + 1))
    grep -Eq -e "$2" "$1/sinew-run.json" || fail "$last: $1/sinew-run.json has nothing like '$2'"
}
run_file a/b/out '"state": "complete"'
run_file a/b/out '"frames_written": 6'
good "the file that marks a run is no JSON" json_text a/b/out/sinew-run.json
expect 0 run rope.json --frames 6 --out every --every 3
good "--every" test "$(number 28 every/rope.pc2)" -eq 3
run_file every '"last_frame": 6'

# A shorter run leaves nothing of a longer one, and everything that is not of a run.
expect 0 run rope.json --frames 8 --out again --format obj,ply --quiet
echo mine >again/rope_0007.obj
echo mine >again/rope_x.obj
ln -s rope_0000.ply again/rope_9999.ply
expect 0 run rope.json --frames 3 --out again --format obj,ply --quiet
(cd again && echo *) >stdout
last='a shorter run'
says '^rope_0000.obj rope_0000.ply rope_0001.obj rope_0001.ply rope_0002.obj rope_0002.ply rope_0003.obj rope_0003.ply rope_0007.obj rope_9999.ply rope_x.obj sinew-run.json$'

expect 0 run rope.json --frames 1 --set world.integrator=bdf2 --json
says '"event": "problem", "severity": "warning", "text": '
expect 0 run rope.json --frames 1 --set world.integrator=bdf2 --quiet
complains '^sinew: warning: '

# A scene that is saved before its first step is the same scene.
expect 0 run rope.json --frames 0 --save zero.json --json
hash=$(sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' stdout)
expect 0 run zero.json --frames 0 --json
says "\"state_hash\": \"$hash\""

# ---- names --------------------------------------------------------------------------------------------------------

mkdir mine
cp rope.json mine/my_rope.json
expect 3 run my_rope
complains "there is no file and no scene 'my_rope'"
SINEW_SCENES=/nowhere:$work/mine
export SINEW_SCENES
expect 0 run my_rope --frames 1
says '^my_rope: 1 frame,'
expect 3 run my_rpoe
complains "did you mean 'my_rope'\?"
expect 0 list scenes
says 'my_rope +A rope'
expect 0 list my_rope
says 'about +for tests'
unset SINEW_SCENES
expect 3 run nowhere.json
complains '^sinew: nowhere.json: No such file'
expect 3 run .
complains 'is a folder'

# ---- bad scenes ---------------------------------------------------------------------------------------------------

printf '{\n  "objects": [{"type": "rope", "lenght": 2}]\n}\n' >bad.json
expect 3 run bad.json
complains "^bad.json:2:[0-9]+: error: objects\[0\].*did you mean 'length'"
expect 3 run bad.json --json
good "a line is no JSON" json_lines stdout
says '"event": "problem", "severity": "error", "file": "bad.json", "line": 2, "column": [0-9]+, "path": "objects\[0\]'
printf '{"objects": [' >cut.json
expect 3 check cut.json
complains '^cut.json:1:'
expect 3 check rope.json bad.json
says '^rope.json: good, 11 particles, 10 constraints$'
complains '^bad.json:2:'
expect 0 check rope.json --quiet
silent
# Everything at once, in the order of the file, which is not that of reading.
cat >wrong.json <<'END'
{"forces": [{"type": "wnd", "value": [0, 1, 0]}],
 "objects": [{"type": "rope", "name": "r", "lenght": 1,
              "pins": "strat"}, {"type": "rope", "name": "s", "position": [0, 0]}],
 "events": [{"type": "cut", "time": 0, "of": "t.links"}]}
END
expect 3 check wrong.json
sed 's/^wrong.json:\([0-9]*\):.*/\1/' stderr | tr '\n' ' ' >stdout
says '^1 2 3 3 4 $'
# Warnings, and what shows in the first frame only.
cat >gap.json <<'END'
{"objects": [{"type": "rope", "name": "a", "from": [0, 0, 0], "to": [1, 0, 0]},
             {"type": "rope", "name": "b", "from": [50, 0, 0], "to": [51, 0, 0]}],
 "attachments": [{"between": ["a.end", "b.start"]}], "run": {"frames": 60},
 "events": [{"type": "cut", "time": 99, "of": "b.links"}]}
END
expect 0 check gap.json
complains "^gap.json:3:[0-9]+: warning: attachments\[0\]: 'a.end' and 'b.start' are 49 m apart"
complains "^gap.json:4:[0-9]+: warning: events\[0\].time: 99 s is after the end"
echo '{"objects": [{"type": "rope", "velocity": [1e38, 0, 0]}],
 "forces": [{"type": "acceleration", "value": [3e38, 0, 0]}]}' >fast.json
if "$program" --version | grep -q single; then
    expect 3 check fast.json
    complains '^fast.json: error: the first frame fails: .*particle'
    expect 3 check fast.json --json
    says '"event": "checked", "file": "fast.json", "good": false, "errors": 1'
fi
expect 3 check --json rope.json bad.json missing.json
good "a line is no JSON" json_lines stdout
says '"event": "checked", "file": "rope.json", "good": true, .*"particles": 11, "constraints": 10'
says '"event": "checked", "file": "bad.json", "good": false, "errors": 1'
says '"event": "checked", "file": "missing.json", "good": false'
expect 2 check

# Files outside of the scene's folder, and more memory than allowed.
mkdir inner
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 5 4 6\n' >sheet.obj
echo '{"objects": [{"type": "cloth", "name": "c", "mesh": "../sheet.obj"}]}' >inner/outside.json
expect 3 check inner/outside.json
complains 'outside.*--read-anywhere'
expect 0 check inner/outside.json --read-anywhere
complains 'note: .*welding merged 2 vertices'
expect 0 run inner/outside.json --read-anywhere --frames 1 --quiet
silent
# What a file is and how large is looked at before it is read.
echo '{"objects": [{"type": "cloth", "name": "c", "mesh": "huge.obj"}]}' >large.json
for file in huge.obj huge.json; do
    : >$file
    truncate -s 1T $file 2>/dev/null || dd if=/dev/zero of=$file bs=1 count=1 seek=1T 2>/dev/null
done
expect 3 check large.json
complains "'huge.obj' cannot be read: it has 1099511627776 bytes, and may have 1073741824 at most"
expect 3 check huge.json
complains 'cannot be read: it has 1099511627776 bytes'
rm huge.obj huge.json
expect 3 run /dev/zero
complains '^/dev/zero: error: cannot be read: it is a device'
"$program" run - </dev/zero >stdout 2>stderr
code=$?
last='sinew run - </dev/zero'
good "exit code $code, expected 3" test $code -eq 3
complains 'it is a device'
expect 3 run cloth.json --set 'objects[0].columns=4000' --set 'objects[0].rows=4000' --memory 100M
complains '16000000|1.6e\+?07'

# ---- the run fails ------------------------------------------------------------------------------------------------

cat >far.json <<'END'
{"objects": [{"type": "rope", "name": "rope", "segments": 1, "velocity": [1e38, 0, 0]}], "run": {"frames": 100000},
 "world": {"substeps": 1}}
END
expect 1 run far.json --out far --json --trace far.csv --set 'objects[0].velocity=[1e37,0,0]' \
    --set 'forces=[{"type":"acceleration","value":[3e37,0,0]}]'
complains '^sinew: far: frame [0-9]+ failed: '
says '"event": "summary", .*"failure": "far: frame .*"exit_code": 1'
good "the point cache is not whole" whole_cache far/rope.pc2
good "rows and frames differ" test "$(number 28 far/rope.pc2)" -eq $(($(wc -l <far.csv) - 1))
run_file far '"state": "cut short"'
run_file far '"reason": "far: frame [0-9]+ failed: '
run_file far "\"frames_written\": $(number 28 far/rope.pc2)"

# ---- what cannot be written ---------------------------------------------------------------------------------------

echo plain >plain
expect 4 run rope.json --out plain/out
complains '^sinew: .*plain'
expect 4 run rope.json --out plain
complains '^sinew: .*plain'
expect 4 run rope.json --trace nowhere/t.csv
complains '^sinew: nowhere/t.csv: .*No such file'
expect 4 run rope.json --save nowhere/s.json
complains 'nowhere/s.json.*No such file'
if [ -w /dev/full ]; then
    ln -s /dev/full full.csv
    expect 4 run rope.json --trace full.csv --out beside
    complains '^sinew: full.csv: .*No space left'
    good "the point cache is not whole" whole_cache beside/rope.pc2
    ln -s /dev/full full.json
    expect 4 run rope.json --quiet --profile=full.json
    complains 'full.json: '
    expect 4 run rope.json --save full.json
    complains 'full.json.*No space left'
    "$program" list kinds >/dev/full 2>stderr
    code=$?
    last='sinew list >/dev/full'
    good "exit code $code, expected 4" test $code -eq 4
    complains '^sinew: standard output: No space left'
    "$program" run rope.json --json >/dev/full 2>stderr
    code=$?
    last='sinew run --json >/dev/full'
    good "exit code $code, expected 4" test $code -eq 4
fi
{ "$program" run cloth.json --json --out piped 2>stderr; echo $? >code; } | head -n 2 >stdout
last='sinew run --json | head'
good "exit code" test "$(cat code)" -eq 4
checks=$((checks + 1))
! grep -q 'standard output' stderr || fail "noise about a pipe that was closed"
good "the point cache is not whole" whole_cache piped/cloth.pc2
# A limit on the size of files stands in for a disk that fills up.
(
    trap '' XFSZ
    ulimit -f 2000 # blocks of 512 or 1024 bytes
    "$program" run cloth.json --out limited >stdout 2>stderr
    echo $? >code
)
last='sinew run with a limited file'
good "exit code" test "$(cat code)" -eq 4
complains '^sinew: limited/cloth.pc2: '
good "the point cache is not whole" whole_cache limited/cloth.pc2
run_file limited '"state": "cut short"'
run_file limited '"reason": "limited/cloth.pc2: cannot be written'
run_file limited "\"frames_written\": $(number 28 limited/cloth.pc2)"

# ---- interruption -------------------------------------------------------------------------------------------------

# wait_for PATTERN FILE: until the running program has printed it, half a minute at most
wait_for() {
    tries=0
    until grep -q -e "$1" "$2" 2>/dev/null; do
        tries=$((tries + 1))
        if [ $tries -gt 300 ] || ! kill -0 "$running" 2>/dev/null; then
            fail "no '$1' in $2"
            return 1
        fi
        sleep 0.1
    done
}

# interrupt SIGNAL CODE
interrupt() {
    last="sinew run, then SIG$1"
    : >stderr # what an earlier command printed must not be taken for a sign of life of this one
    "$program" run cloth.json --out "out_$1" --trace "$1.csv" --save "$1.json" >stdout 2>stderr &
    running=$!
    if wait_for 'frame [0-9]* of 1000000' stderr; then kill -"$1" "$running"; else kill -KILL "$running"; fi
    wait "$running"
    code=$?
    running=
    good "exit code $code, expected $2" test $code -eq "$2"
    says '^cloth: [0-9]+ frames of 1000000 \(interrupted\)'
    good "the point cache is not whole" whole_cache "out_$1/cloth.pc2"
    good "rows and frames differ" test "$(number 28 "out_$1/cloth.pc2")" -eq $(($(wc -l <"$1.csv") - 1))
    run_file "out_$1" '"state": "cut short"'
    run_file "out_$1" "\"reason\": \".*SIG$1"
    run_file "out_$1" "\"frames_written\": $(number 28 "out_$1/cloth.pc2")"
    expect 0 check --quiet "$1.json"
}
interrupt INT 130
interrupt TERM 143

# A frame that takes minutes is given up between two substeps, and the scene stands before it.
expect 0 run cloth.json --frames 0 --json --set world.substeps=100000 --set world.iterations=100
hash=$(sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' stdout)
last='sinew run, then SIGTERM within a frame'
: >stdout
"$program" run cloth.json --json --set world.substeps=100000 --set world.iterations=100 --out within >stdout 2>stderr &
running=$!
if wait_for '"event": "frame"' stdout; then kill -TERM "$running"; else kill -KILL "$running"; fi
wait "$running"
code=$?
running=
good "exit code $code, expected 143" test $code -eq 143
says "^\{\"event\": \"summary\", \"frames\": 0, .*\"state_hash\": \"$hash\", .*\"interrupted\": true"
run_file within '"frames_written": 1'

# The second one does not even wait for the substep. Both are sent while it stands still, so that it gets them at once.
last='sinew run, then SIGINT and SIGTERM'
: >stdout
"$program" run cloth.json --json --set world.substeps=100000 --set world.iterations=100 --out twice >stdout 2>stderr &
running=$!
if wait_for '"event": "frame"' stdout; then
    kill -STOP "$running"
    [ ! -e "/proc/$running/status" ] || wait_for '^State:.*T' "/proc/$running/status"
    kill -INT "$running"
    kill -TERM "$running"
    kill -CONT "$running"
else
    kill -KILL "$running"
fi
wait "$running"
code=$?
running=
good "exit code $code, expected 130 or 143" test $code -eq 130 -o $code -eq 143
run_file twice '"state": "running"'

# ---- list ---------------------------------------------------------------------------------------------------------

expect 0 list
for section in scenes objects shapes kinds solvers integrators orders gradients settings formats; do
    says "^$section$"
done
for section in objects shapes kinds solvers integrators orders gradients settings formats; do
    expect 0 list $section
    good "$section is empty" test -s stdout
    expect 0 list $section --json
    good "a line is no JSON" json_lines stdout
    for name in $(sed -n 's/.*"event": "[a-z]*", "name": "\([^"]*\)".*/\1/p' stdout); do
        expect 0 list $section "$name"
        says "^$name \("
    done
done
expect 2 list rope mass
complains "there is no section 'rope'"
expect 2 list knids distance
complains "there is no section 'knids'; did you mean 'kinds'\?"
expect 0 list distance
says 'rest +number, m'
expect 0 list box
says '^box \(object\)'
says '^box \(shape\)'
says '^box \(kind\)'
{ "$program" list 2>stderr; echo $? >code; } | head -n 1 >/dev/null
last='sinew list | head'
good "noise about a pipe that was closed" test ! -s stderr
expect 0 list rope
says 'segments +whole number, .*default 20'
says 'material +name or record'
says 'position +vector, m, default'
expect 0 list verlet
says 'verlet \(integrator\)'
expect 2 list ditsance
complains "did you mean 'distance'"
expect 2 list kinds rope
complains "there is no kind 'rope'"
expect 2 list nothings distance

# ---- info ---------------------------------------------------------------------------------------------------------

expect 0 info rope.json
says 'particles +11$'
says 'bytes per particle +[0-9.]+ bytes'
says 'distance +[0-9.]+$'
expect 0 info rope.json --json
good "a line is no JSON" json_lines stdout
says '"bytes_per_particle": [0-9]'
printf '{"bodies": [{"type": "static", "name": "floor", "shapes": {"type": "plane"}}, {"type": "static", "position": [1, 2, 3], "shapes": {"type": "sphere", "sensor": true}}]}' >walls.json
expect 0 info walls.json
says 'floor +plane at 0, 0, 0 m$'
says 'sphere2 +sphere at 1, 2, 3 m, sensor$'
expect 0 info sheet.obj
says 'vertices +6$'
says 'triangles +2$'
says 'area +1 m\^2'
says 'closed +no'
says 'merged +2$'
printf 'ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n' >tetra
printf 'element face 4\nproperty list uchar int vertex_indices\nend_header\n' >>tetra
printf '0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n' >>tetra
expect 0 info tetra
says 'PLY mesh'
says 'closed +yes'
says 'volume +0\.16666666'
expect 0 info a/b/out/rope.pc2
says 'points +11$'
says 'frames +6$'
expect 0 info a/b/out/rope.npy
says 'shape +6, 11, 3$'
says 'most +.* m$'
expect 0 info a/b/out/rope_0003.ply
says 'vertices +11'
expect 0 info t.csv
says 'rows +6$'
says 'kinetic +least 0 '
says 'y_rope.end'
expect 0 info t.csv --json
good "a line is no JSON" json_lines stdout
head -c 40 a/b/out/rope.pc2 >short.pc2
expect 3 info short.pc2
complains 'short.pc2'
printf 'time,x\n1,2\n3\n' >ragged.csv
expect 3 info ragged.csv
complains 'ragged.csv: line 3: has 1 fields, expected 2'
printf 'time,x\n1,two\n' >words.csv
expect 3 info words.csv
complains "line 2, x: found 'two', expected a number"
echo 'just words' >words
expect 3 info words
complains 'none of the files that Sinew knows'
expect 3 info nothing
complains 'there is no file'

# ---- threads ------------------------------------------------------------------------------------------------------

expect 0 run cloth_over_sphere --frames 5 --json --threads 1
one=$(sed -nE 's/.*"state_hash": "([0-9a-f]+)".*/\1/p' stdout)
expect 0 run cloth_over_sphere --frames 5 --json --threads 3
three=$(sed -nE 's/.*"state_hash": "([0-9a-f]+)".*/\1/p' stdout)
good "results depend on threads" test "${one:-none}" = "$three"
expect 2 run rope.json --threads 257
complains '\-\-threads: found 257, expected 1 to 256'
expect 2 render rope.json --threads x

# ---- plot ---------------------------------------------------------------------------------------------------------

expect 2 plot trace.npy
complains 'only traces that end with .csv'
expect 2 plot words
expect 2 plot t.csv -o t.pdf
if command -v gnuplot >/dev/null; then
    expect 0 plot t.csv
    says '^t.svg$'
    good "the picture is not whole" grep -q '</svg>' t.svg
    expect 0 plot t.csv -o "it's \$(touch evil).svg" --columns kinetic,y_rope.end
    good "a name was run as a command" test ! -e evil
    good "the picture is missing" test -s "it's \$(touch evil).svg"
    expect 3 plot t.csv --columns kinetik
    complains "did you mean 'kinetic'"
    expect 3 plot missing.csv
    complains '^sinew: missing.csv: No such file'
    printf 'time,x\n' >empty.csv
    expect 3 plot empty.csv
    complains 'no rows'
    expect 4 plot t.csv -o nowhere/t.svg
    complains 'nowhere/t.svg: No such file'
    expect 0 run rope.json --frames 5 --plot
    says 'picture +rope.svg$'
    good "the picture is missing" test -s rope.svg
    expect 0 run rope.json --frames 5 --plot two.svg --trace two.npy
    good "the picture is missing" test -s two.svg
    good "the trace is missing" test -s two.npy
    expect 0 run rope.json --frames 5 --plot --out three
    good "the picture is missing" test -s three/trace.svg
    good "the trace is missing" test -s three/trace.csv
    if [ -w /dev/full ]; then
        ln -s /dev/full full.svg
        expect 4 run rope.json --frames 5 --plot full.svg
        complains '^sinew: full.svg: No space left'
    fi
fi
mkdir -p no_path
PATH=$work/no_path "$program" plot t.csv >stdout 2>stderr
code=$?
last='sinew plot without gnuplot'
good "exit code $code, expected 4" test $code -eq 4
complains 'gnuplot.* is not installed'

# ---- draw ---------------------------------------------------------------------------------------------------------

expect 0 draw rope.json
says '^rope.svg: rope, 0 s'
good "the picture is no SVG" grep -q '^<svg .*xmlns' rope.svg
good "the picture has no end" test "$(tail -n 1 rope.svg)" = '</svg>'
expect 0 draw rope.json --time 0.1 --layers all,strain --from 1,0,0 --size 400x300 -o drawn.svg
says '^drawn.svg: rope, 0.1 s'
good "labels are missing" grep -q '<text' drawn.svg
expect 2 draw rope.json --layers contcats
complains "there is no layer 'contcats'; did you mean 'contacts'\?"
expect 2 draw rope.json --size 5x5
expect 2 draw rope.json --from 0,0,0
expect 2 draw rope.json --time -1
expect 2 draw rope.json --time 1e30 # for ever
complains "--time: found .1e30., expected .* s at most"
expect 3 draw bad.json
expect 4 draw rope.json -o no_such_folder/x.svg

# ---- bench and schema ---------------------------------------------------------------------------------------------

expect 0 bench --quick rope.json
says '^\| rope +\| +11 \| +10 \| +10 x 1 \|'
expect 0 bench --quick --frames 5 --json rope.json
good "a line is no JSON" json_lines stdout
says '"projections_per_frame": 100,'
expect 2 bench --frames 4 rope.json
expect 3 bench --quick bad.json
expect 0 check --quiet bench/cloth_64 bench/cloth_256 bench/rope_1000 bench/rope_1000_direct
expect 0 schema
good "the schema is no JSON" json_text stdout
good "the schema is empty" test "$(wc -c <stdout)" -gt 1000

if [ $failed -gt 0 ]; then
    echo "cli: $failed of $checks checks failed" >&2
    exit 1
fi
echo "cli: $checks checks passed"

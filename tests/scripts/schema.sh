#!/bin/sh
# The JSON Schema of scene files: is a schema, accepts what the command accepts, and refuses what it refuses for unknown
# keys, wrong types and ranges. On the way: every scene is the same world after saving and loading. SINEW_PROGRAM is the program, by default $SINEW_BUILD_DIR/sinew.
set -u

root=${SINEW_SOURCE_DIR:-$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)}
program=${SINEW_PROGRAM:-${SINEW_BUILD_DIR:-$root/build/release}/sinew}
case $program in /*) ;; *) program=$PWD/$program ;; esac
[ -x "$program" ] || {
    echo "schema: there is no program '$program' (set SINEW_PROGRAM or SINEW_BUILD_DIR)" >&2
    exit 2
}
command -v python3 >/dev/null || {
    echo "schema: skipped, there is no python3"
    exit 0
}
python3 -c 'from jsonschema import Draft202012Validator' 2>/dev/null || {
    echo "schema: skipped, python3 has no jsonschema of draft 2020-12 (Debian: apt-get install python3-jsonschema)"
    exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cat >"$work/schema.py" <<'PYTHON'
import copy, glob, json, os, subprocess, sys
from jsonschema import Draft202012Validator

root, program, work = sys.argv[1:4]
failures = 0
long = bool(os.environ.get("SINEW_LONG_TESTS"))


def fail(text):
    global failures
    failures += 1
    if failures <= 20:
        print("schema:", text, file=sys.stderr)


schema = json.loads(subprocess.run([program, "schema"], check=True, capture_output=True).stdout)
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)

# ---- Every reference leads somewhere, and every definition is used ----------------------------------------------------

used = set()


def follow(value, path):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            ref = value["$ref"]
            name = ref.removeprefix("#/$defs/")
            if name == ref or name not in schema["$defs"]:
                fail(f"{path}: {ref} leads nowhere")
            used.add(name)
        for key, item in value.items():
            follow(item, f"{path}/{key}")
    elif isinstance(value, list):
        for i, item in enumerate(value):
            follow(item, f"{path}/{i}")


follow(schema, "")
for name in schema["$defs"]:
    if name not in used:
        fail(f"nothing refers to the definition {name}")


def accepts(document):
    return validator.is_valid(document)


def check(documents):
    """What the command says about many documents at once: for each the list of its errors."""
    said, step = [], 200
    for begin in range(0, len(documents), step):
        names = []
        for i, document in enumerate(documents[begin : begin + step]):
            names.append(os.path.join(work, f"{i}.json"))
            with open(names[-1], "w") as file:
                json.dump(document, file)
        out = subprocess.run([program, "check", "--json", *names], capture_output=True, text=True).stdout
        errors, done = [], 0
        for line in map(json.loads, out.splitlines()):
            if line["event"] == "checked":
                said.append([] if line["good"] else errors or ["no reason"])
                errors, done = [], done + 1
            elif line.get("severity") == "error":
                errors.append(f"{line['path']}: {line['text']}")
        if done != len(names):
            fail(f"asked about {len(names)} documents, heard of {done}")
            sys.exit(1)
    return said


# ---- The scenes that come with Sinew, and what is saved of them ---------------------------------------------------------


def run(name, *more):
    result = subprocess.run([program, "run", name, "--json", "--frames", "0", *more], capture_output=True, text=True)
    return result.returncode, json.loads(result.stdout.splitlines()[-1])


scenes = sorted(glob.glob(root + "/scenes/**/*.json", recursive=True))
for name in scenes:
    with open(name) as file:
        document = json.load(file)
    for error in validator.iter_errors(document):
        fail(f"{name}: {error.json_path}: {error.message[:200]}")
        break
    if "/bench/" in name:
        continue
    saved = os.path.join(work, "saved")
    code, summary = run(name, "--save", saved)
    if code != 0:
        fail(f"{name} cannot be saved: {summary}")
        continue
    if not document.get("run", {}).get("warm_up") and run(saved)[1]["state_hash"] != summary["state_hash"]:
        fail(f"{name}: another world after saving and loading")
    if os.path.getsize(saved) > (40000 if long else 10000):  # long lists of numbers take the validator long and show nothing new
        continue
    with open(saved) as file:
        document = json.load(file)
    for error in validator.iter_errors(document):
        fail(f"{name}, saved: {error.json_path}: {error.message[:200]}")
        break

# ---- A scene with every section, and everything that can be wrong with its values ---------------------------------------

everything = {
    "$schema": "x", "comment": {"any": "thing"}, "sinew": 1, "title": "t", "about": "a", "topic": "o",
    "world": {"dimensions": 3, "gravity": [0, -9.81, 0], "solver": "gauss_seidel", "integrator": "leapfrog",
              "order": "symmetric", "gradients": "current", "substeps": 2, "iterations": 1, "tolerance": 0, "damping": 0.1,
              "correct_stiffness": False,
              "drags": [{"form": "planar", "object": "a", "strength": 0, "normal": [0, 1, 0], "origin": [0, 0, 0],
                         "distance": 1, "parallel": 1, "orthogonal": 1, "comment": 1},
                        {"form": "matrix", "matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}]},
    "run": {"frames": 1, "rate": 60, "warm_up": 0, "time": 0, "frame": 0},
    "materials": {"m": {"density": 1, "stretch": 0.1, "shear": 0.1, "bend": 1, "volume": 0, "damping": 0, "stiffness": 1}},
    "contact": {"on": True, "particles": True, "push_out": 1, "bounce_above": -1, "sleep": False, "sleep_speed": 0.1,
                "sleep_time": 1},
    "groups": {"g": {"material": {"friction": 1, "static_friction": 1, "dynamic_friction": 0.5, "restitution": 0.5,
                                  "rolling": 0.1, "friction_mix": "most", "restitution_mix": "least"}, "category": 1,
                     "mask": 3, "self": True, "rest_gap": 0.1, "rolls": True, "directional": False, "number": 9}, "7": {}},
    "bodies": [{"type": "static", "name": "floor", "position": [0, -9, 0], "turn": {"angle": 1}, "group": "g",
                "shapes": {"type": "plane", "rounding": 0.1, "material": {"friction": 1}, "category": 1, "mask": 1, "sensor": True,
                           "normal": [0, 1, 0]}},
               {"type": "kinematic", "name": "lift", "velocity": [0, 0, 0], "spin": [0, 0, 0], "rotation": [0, 0, 0, 1],
                "shapes": [{"type": "capsule", "from": [0, 0, 9], "to": [0, 1, 9], "radius": 0.1}]},
               {"type": "static", "shapes": {"type": "mesh", "vertices": [0, 0, 0, 1, 0, 0, 0, 0, 1], "triangles": [0, 2, 1],
                                             "one_sided": True}},
               {"type": "dynamic", "name": "crate", "position": [0, 30, 0], "shapes": {"type": "box"}, "mass": 2},
               {"position": [0, 40, 0], "shapes": {"type": "sphere"}, "pinned": True}],
    "objects": [
        {"type": "grains", "name": "h", "columns": 2, "rows": 2, "layers": 2, "radius": 0.1, "contact": {"self": True}},
        {"type": "cloth", "name": "d", "columns": 2, "rows": 2, "skin": {"thickness": 0.1, "one_sided": True}, "group": "g"},
        {"type": "cloth", "columns": 2, "rows": 2, "skin": True},
        {"type": "particles", "name": "a", "positions": [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1],
         "velocities": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "masses": [1, 1, 1, 1], "fixed": [0],
         "radii": [0, 0, 0, 0.1], "triangles": [0, 1, 2], "lines": [0, 1], "parts": {"x": [1, 2]}, "pins": ["x[0]", 3],
         "position": [0, 0, 0], "turn": {"axis": [0, 0, 1], "angle": 1}, "scale": 1, "velocity": [1, 0, 0],
         "spin": [0, 0, 1], "radius": 0.1, "group": 4},
        {"type": "rope", "name": "b", "segments": 3, "material": "m", "mass": 2, "pins": "start"},
        {"type": "rope", "name": "c", "segments": 3, "material": {"stretch": 0.1}, "pins": {"near": [0, 0, 0]}},
    ],
    "constraints": [
        {"kind": "distance", "name": "n", "points": [0, "a[1]"], "rest": 1, "compliance": 0.1, "damping": 1, "stiffness": 1},
        {"kind": "distance", "points": [{"spot": [0, 1, 2], "weights": [0.5, 0.25, 0.25]}, 5], "rest": "measure"},
        {"kind": "distance", "index": [0, 1, 1, 2], "rest": [1, 2], "compliance": [1, 0], "stiffness": [1, 0.5]},
        {"kind": "pin", "each": "b[1:]", "target": [0, 0, 0]},
        {"kind": "spring", "points": [0, 1], "stiffness": 10, "damping": 1},
    ],
    "names": {"b.more": ["#pin[0:2]"], "k": "n"},
    "attachments": [{"between": ["a[0]", "b.end"], "name": "t", "distance": 1, "compliance": 0.1, "damping": 1},
                    {"between": [0, 7]}],
    "forces": [{"type": "wind", "of": ["a", 5], "value": [1, 0, 0], "from": 0, "to": 1, "drag": 1, "gust": 0.5, "period": 1}],
    "motions": [{"of": "a[0]", "keys": [{"time": 0, "move": [0, 1, 0], "angle": 1}], "axis": [0, 0, 1], "about": [0, 0, 0],
                 "smooth": False, "repeat": False, "release": True, "start": [0, 0, 0]},
                {"of": "lift", "keys": [{"time": 0}]}],
    "events": [{"time": 1, "type": "impulse", "of": "a", "value": [1, 0, 0]}, {"type": "cut", "of": ["n"]}],
    "record": {"particles": [{"of": "a", "inside": [[0, 0, 0], [1, 1, 1]]}, "b"], "forces": ["n"], "slopes": ["h"], "every": 2},
}
wrong = [None, "zzz", -1, 0, 1.5, 5e9, [], [1, 2, 3, 4], ["zzz"], [[]], {}]


def places(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        if key not in ("comment", "$schema"):
            yield from places(item, path + (key,))


def changed(path, change):
    document = copy.deepcopy(everything)
    at = document
    for key in path[:-1]:
        at = at[key]
    change(at, path[-1])
    return document


# Documents, what is changed in them, and the part of each that the schema is asked about. One in thirteen, of all sorts, unless there
# is time: only those are made.
mutants, about, parts = [], [], []
turn = 0


def wanted():
    global turn
    turn += 1
    return long or turn % 13 == 1


def mutate(path, what, change):
    if not wanted():
        return
    mutants.append(changed(path, change))
    about.append(what)
    parts.append({path[0]: mutants[-1][path[0]]} if path[0] in mutants[-1] else {})
    if len(path) > 2 and isinstance(path[1], int):
        parts[-1] = {path[0]: [parts[-1][path[0]][path[1]]]}


if wanted():
    mutants, about, parts = [everything], ["as it is"], [everything]
for number, path in enumerate(places(everything)):
    if not path:
        continue
    for value in wrong[number % 2 :: 2]:
        mutate(path, f"{path} = {json.dumps(value)}", lambda at, key: at.__setitem__(key, value))
    mutate(path, f"without {path}", lambda at, key: at.__delitem__(key))
    at = everything
    for key in path:
        at = at[key]
    if isinstance(at, dict):
        mutate(path, f"{path} with a key too many", lambda a, key: a[key].__setitem__("zzz", 1))

# A part stands for the document because nothing in the schema looks at two sections, or at two items of a section.
local = {"$schema", "$id", "title", "description", "type", "properties", "patternProperties", "additionalProperties", "$defs", "$comment"}
if not set(schema) - {"required"} <= local or schema.get("required"):
    fail(f"the schema looks at more than single sections: {sorted(set(schema) - local)}")
for section, item in everything.items():
    definition = schema["properties"].get(section, {})
    definition = definition | schema["$defs"].get(definition.get("$ref", "").removeprefix("#/$defs/"), {})
    if isinstance(item, list) and not set(definition) <= {"$ref", "type", "items", "description", "title"}:
        fail(f"the schema looks at more than single items of '{section}': {sorted(definition)}")

# keys of all object types and parameters of all kinds, with values of every sort; those that all of them have once
seen = set()
for name, definition in schema["$defs"].items():
    for prefix, section, key in (("object_", "objects", "type"), ("constraint_", "constraints", "kind"),
                                 ("shape_", "bodies", "type")):
        if not name.startswith(prefix) or "properties" not in definition:
            continue
        for own in list(definition["properties"]) + ["zzz"]:
            same = (prefix, own, json.dumps(definition["properties"].get(own)))
            if own in ("comment", "$schema", key) or same in seen:
                continue
            seen.add(same)
            for value in [None, "zzz", -1, 1.5, 7, [1, 2, 3], {}]:
                item = {key: name.removeprefix(prefix)}
                if key == "kind":
                    item["points"] = list(range(4))
                if item[key] == "particles":
                    item["positions"] = [0, 0, 0, 1, 1, 1]
                item[own] = value
                if not wanted():
                    continue
                document = {section: [item]}
                if prefix == "shape_":
                    document = {section: [{"type": "static", "shapes": [item]}]}
                if key == "kind":
                    document["objects"] = [{"type": "particles", "positions": [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]}]
                mutants.append(document)
                parts.append(document)
                about.append(f"{item[key]} with {own} = {json.dumps(value)}")

# What the schema must refuse as well when the command says so.
plain = ("there is no such key", "is missing", "expected a number", "expected a text", "expected true or false",
         "expected one of \"", "expected a list of numbers", "expected a record", "expected a whole number",
         "expected more than 0", " or more", "there is no object type", "there is no kind '", "expected one of the keys 'points'")
# And what it cannot know: how many of something there are elsewhere, where a selector stands, and what two keys together
# must fulfil.
deep = ("found a list of", "'of' is missing", "point_count", "or 'bodies': what it consists of",
        "less than the length of a link", " along x, expected", " along y, expected", " along z, expected")


def is_plain(error):
    return any(text in error for text in plain) and not any(text in error for text in deep)


most = len(mutants)
both = refused = 0
for part, what, errors in zip(parts, about, check(mutants)):
    if not errors:
        both += 1
        if not accepts(part):
            error = next(validator.iter_errors(part))
            fail(f"the command accepts {what}, the schema does not: {error.json_path}: {error.message[:200]}")
    elif any(map(is_plain, errors)):
        refused += 1
        if accepts(part):
            fail(f"the schema accepts {what}; the command says {[e for e in errors if is_plain(e)][0]}")
if check([everything])[0]:
    fail(f"the scene with everything is bad: {check([everything])[0]}")
if both < most / 25 or refused < most / 4 or len(scenes) < 16:
    fail(f"only {both} documents are good and {refused} plainly bad: is this still a test?")

print(f"schema: {len(schema['$defs'])} definitions, {len(scenes)} scenes, {len(mutants)} documents ({both} good, {refused} bad): "
      + ("fine" if not failures else f"{failures} failures"))
sys.exit(1 if failures else 0)
PYTHON
python3 "$work/schema.py" "$root" "$program" "$work"

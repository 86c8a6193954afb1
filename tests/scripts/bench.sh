#!/bin/bash
# A glance at the benchmark: every row has what it promises, other engines are joined, what is saved becomes a page. No time is
# judged. Bullet is played by a program of this test.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

fail() {
  echo "bench: $*" >&2
  failed=$((failed + 1))
}

sinew() { # expected code, words
  local expected=$1 code
  shift
  "$SINEW_PROGRAM" "$@" >stdout 2>stderr
  code=$?
  [ $code -eq "$expected" ] || { fail "sinew $*: exit code $code, expected $expected"; cat stderr >&2; }
}

cat >bullet <<'END'
#!/bin/sh
[ "$2" = 16 ] || exit 3
printf '{"scene": "%s", "n": %d, "engine": "bullet", "version": "9.99", "particles": 256, "constraints": 930, "substeps": 1, ' "$1" "$2"
printf '"iterations": %d, "frames": %d, "blocks": 5, "ns_per_projection": 1000000, "ms_per_frame": 9300, "spread": 0, ' "$3" "$4"
printf '"first_ms": 1, "stretch_mean": 1000, "stretch_max": 2000}\n'
END
chmod +x bullet
cp bullet "it's here"

# Everything that a glance shows, with Bullet missing.
sinew 0 bench --quick --bullet ./nowhere --json --save rows.json
python3 - <<'END' || fail "rows"
import json, math
rows = [json.loads(line) for line in open("stdout")]
numbers = ("n", "threads", "ns_per_projection", "ms_per_frame", "stretch_mean", "stretch_max", "spread", "frames",
           "constraints", "particles")
seen = set()
features = {}
kinds = {}
for r in rows:
    seen.add((r["scene"], r["n"], r["engine"], r["path"], r["threads"]))
    if r["engine"] == "bullet":
        assert r["status"] == "not installed" and r["ns_per_projection"] is None, r
        continue
    assert r["engine"] == "sinew" and r["status"] == "measured" and r["blocks"] >= 5, r
    if r["scene"] == "kinds":
        kinds.setdefault(r["kind"], {})[r["width"]] = r
        continue
    for key in numbers:
        assert math.isfinite(r[key]) and r[key] >= 0, (key, r)
    assert r["ns_per_projection"] > 0 and r["ms_per_frame"] > 0 and r["stretch_max"] >= r["stretch_mean"], r
    assert abs(r["ms_per_frame"] * 1e6 / r["projections_per_frame"] / r["ns_per_projection"] - 1) < 1e-6, r
    if r["scene"] in ("pile", "boxes", "ragdolls"):
        assert r["projections_per_frame"] == r["substeps"] * r["particles"], r
        assert r["path"] == "falling" or r["settle_frames"] > 0, r
        assert r["kinetic_per_particle"] >= 0 and r["speed_max"] >= 0, r
        assert r["scene"] == "ragdolls" or r["contacts_per_particle"] >= 0, r
        assert r["scene"] == "pile" or r["bodies"] == r["particles"], r
    elif r["scene"] == "features":
        assert r["n"] == 16 and r["threads"] == 1 and r["ratio"] > 0 and r["ratio_spread"] >= 0, r
        assert r["about"] and r["ratio_target"] in (None, 1.1, 1.3, 2.5, 8), r
        features.setdefault(r["path"], {})[r["feature"]] = r
    else:
        assert 0 < r["limit_share"] and r["limit"] in ("arithmetic", "memory"), r
    assert r["threads"] == 1 or r["ratio_to_one_thread"] > 0, r
    assert r["threads"] == 1 or "ratio_to_bullet" not in r, r
    if r["threads"] > 1 and r.get("ms_per_frame"): # times of one clock are divided
        one = [q for q in rows if all(q.get(k) == r.get(k) for k in ("scene", "n", "engine", "path", "substeps", "feature")) and q["threads"] == 1]
        assert not one or abs(r["ratio_to_one_thread"] * r["ms_per_frame"] / one[0]["wall_ms_per_frame"] - 1) < 1e-6, (r, one)
for path in ("grid", "general", "sequential"):
    assert ("cloth", 64, "sinew", path, 1) in seen and ("rope", 1000, "sinew", path, 1) in seen, path
assert ("rope_heavy", 1000, "sinew", "direct", 1) in seen
assert ("cloth", 64, "bullet", "links", 1) in seen
assert ("pile", 2000, "sinew", "general", 1) in seen and ("pile", 2000, "bullet", "spheres", 1) in seen
for scene, n in (("boxes", 500), ("ragdolls", 100)):
    for path in ("falling", "settled"):
        assert (scene, n, "sinew", path, 1) in seen and (scene, n, "bullet", path, 1) in seen, (scene, path)
# What a feature costs: the same list on both paths, each beside a line of it; and what is on is on.
assert list(features) == ["grid", "general"] and list(features["grid"]) == list(features["general"])
for of in features.values():
    assert all(r["against"] in of for r in of.values()) and len(of) >= 30
    assert of["tolerance-4"]["against"] == "passes-4" and of["passes-4"]["iterations"] == 4
    assert of["kind-in-cloth"]["constraints"] == of["plain"]["constraints"] + 1
    assert of["spot"]["particles"] == of["plain"]["particles"] + 1
    assert of["profile"]["stretch_mean"] == of["plain"]["stretch_mean"]
    for name in ("bdf2", "damping-all", "stiffness-all", "compliance-all", "passes-4", "drag-all", "target-one"):
        assert of[name]["stretch_mean"] != of["plain"]["stretch_mean"], name
# What a kind costs: each at both widths, and every feature that it can have was measured. (A glance may be below nothing.)
assert len(kinds) > 40 and all(list(of) == ["1", "machine"] for of in kinds.values()), kinds.keys()
for name, of in kinds.items():
    for r in of.values():
        joint, ragdolls, cost = name.startswith("joint_"), name == "10 ragdolls", r["ns_per_constraint"]
        assert r["constraints"] == (100 if ragdolls else 16) and (ragdolls or math.isfinite(r["ns_per_row"])), r
        has = {key for key, value in cost.items() if value is not None}
        assert "plain" in has and (ragdolls or {"compliance", "damping", "stiffness", "strength"} <= has), r
        assert ragdolls or joint or {"spot", "body"} <= has, r
assert kinds["joint_hinge"]["1"]["ns_per_constraint"]["limits"] is not None and "10 ragdolls" in kinds
saved = json.load(open("rows.json"))
assert len(saved["rows"]) == len(rows) and saved["machine"]["cores"] >= 1
assert saved["limits"]["contiguous_ns"] > 0 and saved["limits"]["copy_bytes_per_second"] > 0
# Results do not depend on threads.
for r in saved["rows"]:
    one = [q for q in saved["rows"] if "kind" not in q and (q["scene"], q["n"], q["engine"], q["path"], q.get("feature"), q["threads"]) ==
           (r["scene"], r["n"], r["engine"], r["path"], r.get("feature"), 1)]
    assert not one or one[0]["stretch_mean"] == r["stretch_mean"], r
END

# Rows of the other engine are joined by scene, size and passes; its name is taken literally.
for program in ./bullet "it's here"; do
  sinew 0 bench --quick cloth-16 --threads 1 --path grid,general --substeps 2,4 --bullet "$program" --json --save joined.json
  python3 - <<'END' || fail "joining with $program"
import json
rows = [json.loads(line) for line in open("stdout")]
assert [(r["engine"], r["path"], r["substeps"] * r["iterations"]) for r in rows] == [
    ("bullet", "links", 2), ("sinew", "grid", 2), ("sinew", "general", 2),
    ("bullet", "links", 4), ("sinew", "grid", 4), ("sinew", "general", 4)], rows
assert rows[0]["version"] == "9.99"
for r in rows:
    if r["engine"] == "sinew":
        assert abs(r["ratio_to_bullet"] * r["ns_per_projection"] / 1e6 - 1) < 1e-6, r
        assert abs(r["stretch_ratio_to_bullet"] * r["stretch_mean"] / 1e3 - 1) < 1e-6, r
END
done
sinew 1 bench --quick cloth-17 --threads 1 --bullet ./bullet # which fails for that size
grep -q 'bullet, links: the program failed (exit code 3)' stdout || fail "a failing program is not named"

# The table, the list, wrong words.
sinew 0 bench --quick cloth-8 --threads 1,2 --bullet none
[ "$(grep -c '^| cloth-8 ' stdout)" -eq 6 ] || fail "expected three paths on one and two threads"
sinew 0 bench --list
grep -q '^  cloth-1024 ' stdout || fail "--list does not show cloth-1024"
grep -q '^  pile-1000000 ' stdout || fail "--list does not show pile-1000000"
grep -q '^  features-128 ' stdout || fail "--list does not show features-128"
grep -q '^  kinds-2048 ' stdout || fail "--list does not show kinds-2048"
sinew 0 bench --quick features-8 --path general
[ "$(grep -c '^| drag on an empty group  *|' stdout)" -eq 1 ] || fail "expected one table of features"
sinew 0 bench queries --quick
grep -q '^  ray of a camera, in a batch ' stdout || fail "expected a table of queries"
sinew 0 bench queries --quick --json
python3 - <<'END' || fail "queries"
import json
rows = [json.loads(line) for line in open("stdout")]
assert len(rows) > 12 and all(r["scene"] == "queries" and r["query"] and r["ns"] > 0 and r["hits"] >= 0 for r in rows), rows
assert len({r["query"] for r in rows}) == len(rows)
END
sinew 2 bench --threads 1,x
grep -q "'1,x': expected whole numbers from 1 to 256" stderr || fail "what is wrong with --threads 1,x?"
sinew 2 bench --threads 257
sinew 2 bench --substeps 0
sinew 2 bench --path grid,fast
grep -q "no path 'fast'" stderr || fail "what is wrong with --path grid,fast?"
sinew 2 bench --set world.substeps=2
sinew 3 bench --quick cloth-8 foo # said at once, before anything is measured
grep -q "no scene 'foo'" stderr || fail "foo is not named"
[ ! -s stdout ] || fail "something was measured although foo does not exist"
sinew 3 bench --quick cloth-1
sinew 3 bench --quick pile-4294967296
sinew 4 bench --quick cloth-8 --threads 1 --bullet none --save no_folder/rows.json

# The page. A second machine and the curve are sections of it only where they were measured.
page() { python3 "$SINEW_SOURCE_DIR/scripts/bench_page.py" "$@"; }
if command -v gnuplot >/dev/null; then
  mkdir data
  cp rows.json data/bench.json
  page data page.md images "$SINEW_SOURCE_DIR/bench/reasons.txt" >/dev/null || fail "no page"
  grep -q '^| cloth 64, any mesh, one thread | ≤ 2 ns | ' page.md || fail "a target is missing"
  grep -q '^| cloth 1024, any mesh, one thread | ≤ 2 ns | – | not measured |' page.md || fail "what was not measured is not said"
  grep -q '^| pile of 20,000 spheres, a frame, one thread (goal: 25 ms) | ≤ 40 ms | – | not measured |' page.md ||
    fail "the target of the pile is missing"
  grep -q '^| 2,000 | sinew | 1 | 10 × 1 |' page.md || fail "no row of the pile"
  grep -q '^| 500 boxes | falling | sinew | 1 | 10 × 1 |' page.md || fail "no row of boxes"
  grep -q '^| 100 ragdolls | settled | sinew | 1 | 10 × 1 |' page.md || fail "no row of ragdolls"
  grep -q '^| drag on an empty group | ≤ 1.1 | ' page.md || fail "no row of a feature"
  grep -q '^| joint_hinge | 6 | machine | ' page.md || fail "no row of a kind"
  grep -q '^| BDF2 | ≤ 1.3 | ' page.md || fail "no row of an integrator"
  grep -q '^| another integrator, cloth 128, grid | ≤ 1.3 × | – | not measured |' page.md || fail "the target of integrators is missing"
  sed 's/"n": 16,/"n": 128,/' rows.json >data/bench.json # as if those of a glance were the measurement
  page data page.md images "$SINEW_SOURCE_DIR/bench/reasons.txt" >/dev/null || fail "no page of features"
  grep -q '^| another integrator, cloth 128, grid: the most expensive of 4 | ≤ 1.3 × | [0-9]' page.md || fail "the most expensive integrator is missing"
  grep -q 'error.svg' page.md && fail "a plot without data"
  cp joined.json data/bench-passes.json
  sed 's/"cores": [0-9]*/"cores": 16/' rows.json >data/bench-16.json
  printf 'general: because of the weather\n' >reasons
  page data page.md images reasons >/dev/null || fail "no page with everything"
  grep -q '^## 16 cores' page.md || fail "no section for 16 cores"
  grep -q '^<svg\|<svg' images/error.svg || fail "no plot of the error"
  for picture in $(grep -o 'images/performance/[a-z0-9-]*\.svg' page.md); do
    [ -s "images/${picture##*/}" ] || fail "$picture is not there"
  done
  mkdir empty
  page empty page.md images reasons >/dev/null 2>stderr && fail "a page of nothing"
  grep -q 'bench.json' stderr || fail "what is missing is not named"
fi

[ $failed -eq 0 ] || { echo "bench: $failed failed" >&2; exit 1; }
echo "bench: passed"

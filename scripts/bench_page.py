#!/usr/bin/env python3
"""Writes the page about performance, and its plots, from files that 'sinew bench --save' made.

    bench_page.py DATA PAGE IMAGES REASONS

DATA is a folder: bench.json (needed), bench-passes.json and bench-16.json (used if they are there). No figure of the page is
typed by hand; the file REASONS says why a target is not reached, "key: reason" line by line.
"""
import json
import os
import subprocess
import sys

# ---- Reading -----------------------------------------------------------------------------------------------------------


def load(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def load_reasons(path):
    reasons = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            key, colon, reason = line.strip().partition(":")
            if colon and not line.startswith("#"):
                reasons[key.strip()] = reason.strip()
    return reasons


def passes(row):
    return row["substeps"] * row["iterations"]


class Rows:
    """The rows of one file that were measured."""

    def __init__(self, data):
        self.all = [r for r in data["rows"] if r["status"] == "measured"] if data else []

    def some(self, **like):
        return [r for r in self.all if all(r.get(k) == v for k, v in like.items())]

    def one(self, **like):
        found = self.some(**like)
        return found[0] if found else None


# ---- Text --------------------------------------------------------------------------------------------------------------


def number(value, digits=3):
    return "–" if value is None else f"{value:.{digits}g}"


def fixed(value, digits=2, unit=""):
    return "–" if value is None else f"{value:.{digits}f}{unit}"


def share(value):
    return "–" if value is None else f"{100 * value:.0f} %"


def name_of(row):
    return f"{row['scene']} {row['n']}" if row["scene"] in ("cloth", "pile") else row["scene"]


def table(head, lines, left):
    """A table in Markdown; the first `left` columns are texts, the others numbers."""
    out = ["| " + " | ".join(head) + " |"]
    out.append("|" + "|".join("---" if i < left else "---:" for i in range(len(head))) + "|")
    out += ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join(out)


def size(value):
    if not value:
        return "unknown"
    return f"{value / 1048576:g} MiB" if value >= 1048576 else f"{value / 1024:g} KiB"


def machine_text(data):
    m, limits = data["machine"], data["limits"]
    lines = [
        ["processor", m["cpu"]],
        ["cores", str(m["cores"])],
        ["data caches (first, second, third)", ", ".join(size(m[k]) for k in ("l1_bytes", "l2_bytes", "l3_bytes"))],
        ["system", m["system"]],
        ["compiler", m["compiler"]],
        ["Sinew", f"{data['version']}, {data['precision']} precision"],
    ]
    bullet = Rows(data).one(engine="bullet")
    lines.append(["Bullet", bullet["version"] if bullet else "not installed"])
    lines.append(["limit: projections in contiguous arrays",
                  f"{fixed(limits['contiguous_ns'])} ns each ({limits['contiguous_lanes']})"])
    lines.append(["limit: copying memory", f"{limits['copy_bytes_per_second'] / 1e9:.1f} GB/s, read and written together"])
    return table(["", ""], lines, 2)


def rows_text(rows):
    head = ["scene", "engine", "path", "threads", "constraints", "passes", "ns/projection", "ms/frame", "spread",
            "mean stretch", "max stretch", "of the limit", "speed-up", "× Bullet", "frames"]
    lines = []
    for r in rows.all:
        if r["scene"] == "pile" or r.get("bodies") or r.get("feature") or r.get("kind"):
            continue
        limit = share(r.get("limit_share")) + (" (memory)" if r.get("limit") == "memory" else "")
        lines.append([name_of(r), r["engine"], r["path"], str(r["threads"]), f"{r['constraints']:,}",
                      f"{r['substeps']} × {r['iterations']}", fixed(r["ns_per_projection"]), number(r["ms_per_frame"], 4),
                      share(r["spread"]), number(r["stretch_mean"]), number(r["stretch_max"]), limit,
                      fixed(r.get("ratio_to_one_thread")), fixed(r.get("ratio_to_bullet"), 1), str(r["frames"])])
    return table(head, lines, 3)


def percent(value, digits=3):
    return "–" if value is None else f"{100 * value:.{digits}g} %"


def piles_text(rows):
    head = ["spheres", "engine", "threads", "passes", "ms/frame", "ns/sphere and substep", "spread", "mean overlap",
            "max overlap", "contacts per sphere", "J per sphere", "fastest, m/s", "speed-up", "× Bullet", "settled for",
            "frames"]
    lines = []
    for r in rows.some(scene="pile"):
        lines.append([f"{r['particles']:,}", r["engine"], str(r["threads"]), f"{r['substeps']} × {r['iterations']}",
                      number(r["ms_per_frame"], 4), fixed(r["ns_per_projection"], 0), share(r["spread"]),
                      percent(r["stretch_mean"]), percent(r["stretch_max"]), fixed(r.get("contacts_per_particle")),
                      number(r.get("kinetic_per_particle"), 2), number(r.get("speed_max"), 2),
                      fixed(r.get("ratio_to_one_thread")), fixed(r.get("ratio_to_bullet"), 1),
                      str(r.get("settle_frames", "–")), str(r["frames"])])
    return table(head, lines, 2) if lines else "Not measured."


def bodies_text(rows):
    head = ["", "measured", "engine", "threads", "passes", "ms/frame", "µs/body", "spread", "mean overlap or gap",
            "max overlap or gap", "contacts per body", "J per body", "fastest, m/s", "speed-up", "× Bullet", "settled for", "frames"]
    lines = []
    for r in rows.all:
        if not r.get("bodies"):
            continue
        lines.append([f"{r['n']:,} {r['scene']}", r["path"], r["engine"], str(r["threads"]),
                      f"{r['substeps']} × {r['iterations']}", number(r["ms_per_frame"], 4),
                      fixed(1e3 * r["ms_per_frame"] / r["bodies"]), share(r["spread"]), percent(r["stretch_mean"]),
                      percent(r["stretch_max"]), fixed(r.get("contacts_per_particle")),
                      number(r.get("kinetic_per_particle"), 2), number(r.get("speed_max"), 2),
                      fixed(r.get("ratio_to_one_thread")), fixed(r.get("ratio_to_bullet"), 2),
                      str(r.get("settle_frames", "–")), str(r["frames"])])
    return table(head, lines, 3) if lines else "Not measured."


def features_text(rows):
    """One line for each feature, with a column for each path."""
    found = [r for r in rows.all if r.get("feature")]
    paths = [path for path in ("grid", "general") if any(r["path"] == path for r in found)]
    head = ["feature", "target"]
    for path in paths:
        head += [f"{path}: ms/frame", "ratio", "spread", "mean stretch"]
    lines = []
    for name in dict.fromkeys(r["feature"] for r in found):
        row = {r["path"]: r for r in found if r["feature"] == name}
        any_ = next(iter(row.values()))
        against = "" if any_["against"] == "plain" else f" (to {any_['against']})"
        line = [any_["about"] + against, "–" if any_["ratio_target"] is None else f"≤ {any_['ratio_target']:g}"]
        for path in paths:
            r = row.get(path, {})
            missed = r.get("ratio_target") is not None and r["ratio"] > r["ratio_target"]
            ratio = fixed(r.get("ratio"))
            line += [number(r.get("ms_per_frame"), 4), f"**{ratio}**" if missed else ratio,
                     percent(r.get("ratio_spread"), 2), number(r.get("stretch_mean"))]
        lines.append(line)
    return table(head, lines, 1) if lines else "Not measured."


def kinds_text(rows):
    """Two lines for each kind: one constraint at a time, and as many as the machine has lanes for."""
    found = [r for r in rows.all if r.get("kind")]
    if not found:
        return "Not measured."
    names = list(found[0]["ns_per_constraint"])
    lines = []
    for r in found:
        lines.append([r["kind"], str(r["rows"] or "–"), r["width"], fixed(r.get("ns_per_row"), 1)] +
                     [fixed(r["ns_per_constraint"][name], 1) for name in names] + [share(r["spread"])])
    return table(["kind", "rows", "width", "ns/row"] + names + ["spread"], lines, 1)


# ---- Targets -----------------------------------------------------------------------------------------------------------


class Targets:
    """What should be reached beside what was measured."""

    def __init__(self, reasons):
        self.reasons = reasons
        self.lines = []
        self.notes = []  # the reasons that were given, each once

    def reason(self, key):
        while key and key not in self.reasons:
            key = key.rpartition("-")[0]
        return self.reasons.get(key)

    def add(self, key, what, target, measured, text, reached):
        if measured is None:
            self.lines.append([what, target, "–", "not measured"])
            return
        verdict = "reached"
        if not reached:
            reason = self.reason(key)
            if reason and reason not in self.notes:
                self.notes.append(reason)
            verdict = "**not reached**" + (f", see {self.notes.index(reason) + 1}" if reason else "")
        self.lines.append([what, target, text, verdict])

    def most(self, key, what, value, bound, unit="ns"):
        self.add(key, what, f"≤ {bound:g} {unit}", value, None if value is None else f"{value:.3g} {unit}",
                 value is not None and value <= bound)

    def least(self, key, what, value, bound):
        self.add(key, what, f"≥ {bound:g} ×", value, None if value is None else f"{value:.2f} ×",
                 value is not None and value >= bound)


def value(row, key):
    return row.get(key) if row else None


def speed_targets(t, rows):
    for n in (64, 128, 256, 512, 1024):
        row = rows.one(scene="cloth", n=n, engine="sinew", path="general", threads=1)
        t.most(f"general-{n}", f"cloth {n}, any mesh, one thread", value(row, "ns_per_projection"), 2.0)
    for n, bound in ((64, 0.6), (128, 0.6), (256, 0.6), (512, 1.1), (1024, 1.1)):
        row = rows.one(scene="cloth", n=n, engine="sinew", path="grid", threads=1)
        t.most(f"grid-{n}", f"cloth {n}, regular grid, one thread", value(row, "ns_per_projection"), bound)
    for scene, words in (("ropes", "1,000 ropes of 32"), ("cloths", "256 cloths of 16 × 16")):
        row = rows.one(scene=scene, engine="sinew", path="grid", threads=1)
        t.most(f"identical-{scene}", f"identical objects: {words}, one thread", value(row, "ns_per_projection"), 0.6)


def thread_targets(t, rows, many):
    for path, sizes in (("general", (128, 256, 512, 1024)), ("grid", (512, 1024))):
        for n in sizes:
            row = rows.one(scene="cloth", n=n, engine="sinew", path=path, threads=2)
            t.least(f"threads-2-{path}-{n}", f"two threads, cloth {n}, {path}", value(row, "ratio_to_one_thread"), 1.8)
    for path in ("general", "grid"):
        row = many.one(scene="cloth", n=1024, engine="sinew", path=path, threads=16)
        t.least(f"threads-16-{path}-1024", f"16 threads, cloth 1024, {path}", value(row, "ratio_to_one_thread"), 11)


def bullet_targets(t, rows):
    for path, bounds in (("general", ((64, 4), (256, 8))), ("grid", ((64, 12), (256, 25)))):
        for n, bound in bounds:
            row = rows.one(scene="cloth", n=n, engine="sinew", path=path, threads=1)
            t.least(f"bullet-{path}-{n}", f"faster than Bullet, cloth {n}, {path}", value(row, "ratio_to_bullet"), bound)
    for path in ("general", "grid"):
        for n in (64, 256):
            row = rows.one(scene="cloth", n=n, engine="sinew", path=path, threads=1)
            t.least(f"bullet-stretch-{n}", f"mean stretch less than Bullet's, cloth {n}, {path}",
                    value(row, "stretch_ratio_to_bullet"), 5)


def other_targets(t, rows):
    direct = rows.one(scene="rope_heavy", engine="sinew", path="direct", threads=1)
    sweep = rows.one(scene="rope_heavy", engine="sinew", path="grid", threads=1)
    stretch = value(direct, "stretch_max")
    t.add("rope-stretch", "rope of 1,000, bob 1,000 ×: largest stretch", "< 0.1 %", stretch,
          None if stretch is None else f"{100 * stretch:.2g} %", stretch is not None and stretch < 0.001)
    cost = direct["ms_per_frame"] / sweep["ms_per_frame"] if direct and sweep else None
    t.add("rope-cost", "the same: cost relative to one sweep", "< 2 ×", cost, None if cost is None else f"{cost:.2f} ×",
          cost is not None and cost < 2)
    t.most("tets", "tetrahedron volume row", value(rows.one(scene="tets", engine="sinew", threads=1), "ns_per_volume"), 6)
    for path in ("general", "grid"):
        row = rows.one(scene="cloth", n=512, engine="sinew", path=path, threads=1)
        plan = row["first_ms"] - row["ms_per_frame"] if row else None
        t.most("plan", f"plan of a million constraints (cloth 512, {path}): first frame less a later one", plan, 100, "ms")
        t.most("edit", f"a constraint added or removed there ({path})", value(row, "edit_ns"), 1000)
        room = 48 * row["constraints"] + 128 * row["particles"] if row else 1
        used = row["bytes"] / room if row else None
        t.add("memory", f"all memory there ({path}), of 48 B per constraint and 128 B per particle", "≤ 100 %", used,
              None if used is None else f"{100 * used:.0f} %", used is not None and used <= 1)


REST = 5e-5  # J: a sphere of 1 kg at 1 cm/s, below which things may sleep
FLAT = 1.25  # times what a sphere costs in the pile of 20,000


def pile_targets(t, rows, many):
    def pile(n, threads=1, of=rows):
        return of.one(scene="pile", n=n, engine="sinew", threads=threads)

    row = pile(20000)
    t.most("pile-time", "pile of 20,000 spheres, a frame, one thread (goal: 25 ms)", value(row, "ms_per_frame"), 40, "ms")
    t.least("pile-threads", "two threads, pile of 20,000", value(pile(20000, 2), "ratio_to_one_thread"), 1.7)
    overlap = value(row, "stretch_max")
    t.add("pile-overlap", "the same: largest overlap, of the radius", "< 2 %", overlap, percent(overlap),
          overlap is not None and overlap < 0.02)
    kinetic = value(row, "kinetic_per_particle")
    t.add("pile-rest", "the same: kinetic energy per sphere when settled (1 cm/s is 5e-05 J)", f"≤ {REST:g} J", kinetic,
          f"{number(kinetic, 2)} J", kinetic is not None and kinetic <= REST)
    for of, words in ((rows, ""), (many, ", on the machine with more cores")):
        row = pile(20000, of=of)
        for n in (100000, 1000000):
            other = pile(n, of=of)
            cost = other["ns_per_projection"] / row["ns_per_projection"] if row and other else None
            if cost is not None or of is rows:
                t.add(f"pile-flat-{n}", f"cost of a sphere in a pile of {n:,} relative to 20,000{words}", f"≤ {FLAT:g} ×",
                      cost, f"{fixed(cost)} ×", cost is not None and cost <= FLAT)


def feature_targets(t, rows):
    """The worst of each group; the table of features has all of them."""
    for bound, key, words in ((1.1, "features-few", "a feature that few constraints or particles use, cloth 128"),
                              (1.3, "features-integrators", "another integrator, cloth 128")):
        for path in ("grid", "general"):
            some = [r for r in rows.some(scene="features", n=128, path=path) if r["ratio_target"] == bound]
            worst = max(some, key=lambda r: r["ratio"], default=None)
            what = f"{words}, {path}: the most expensive of {len(some)}" if some else f"{words}, {path}"
            t.add(f"{key}-{path}", what, f"≤ {bound:g} ×", value(worst, "ratio"),
                  f"{worst['ratio']:.2f} × ({worst['about']})" if worst else None, bool(worst) and worst["ratio"] <= bound)


def targets_text(rows, many, reasons):
    t = Targets(reasons)
    speed_targets(t, rows)
    thread_targets(t, rows, many)
    bullet_targets(t, rows)
    other_targets(t, rows)
    pile_targets(t, rows, many)
    feature_targets(t, rows)
    notes = "\n".join(f"{i + 1}. {reason[0].upper() + reason[1:]}." for i, reason in enumerate(t.notes))
    return table(["what", "target", "measured", ""], t.lines, 4) + (f"\n\nWhy not:\n\n{notes}" if notes else "")


# ---- Plots -------------------------------------------------------------------------------------------------------------

MARKED = "linespoints lw 2 pt 7 ps 0.6"
COLOUR = {"grid": "#1f77b4", "general": "#2ca02c", "bullet": "#d62728"}


def gnuplot(script):
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def curve(number_, points):
    return f"$data{number_} << END\n" + "\n".join(f"{x:g} {y:g}" for x, y in points) + "\nEND\n"


def plot(path, title, x, y, settings, curves):
    """curves: (title, style, points). Says whether there was anything to draw."""
    curves = [c for c in curves if c[2]]
    if not curves:
        return False
    script = (f"set terminal svg size 760,460 noenhanced background rgb 'white' font 'sans,12'\nset output '{path}'\n"
              f"set title '{title}'\nset xlabel '{x}'\nset ylabel '{y}'\nset grid lc rgb '#d0d0d0'\n{settings}\n")
    for i, c in enumerate(curves):
        script += curve(i, sorted(c[2]))
    script += "plot " + ", ".join(f"$data{i} using 1:2 with {c[1]} title '{c[0]}'"
                                  for i, c in enumerate(curves)) + "\n"
    gnuplot(script)
    return True


def plot_time(path, rows):
    curves = []
    most = max((r["threads"] for r in rows.all), default=1)
    for engine, name, threads in (("bullet", "links", 1), ("sinew", "general", 1), ("sinew", "general", most),
                                  ("sinew", "grid", 1), ("sinew", "grid", most)):
        if engine == "sinew" and threads == most and most == 1 and any(c[0].startswith(name) for c in curves):
            continue
        points = [(r["n"], r["ns_per_projection"])
                  for r in rows.some(scene="cloth", engine=engine, path=name, threads=threads)]
        label = "Bullet" if engine == "bullet" else name
        dash = "dt 2" if threads > 1 else ""
        colour = COLOUR["bullet" if engine == "bullet" else name]
        curves.append((f"{label}, {threads} thread{'s' if threads > 1 else ''}", f"{MARKED} {dash} lc rgb '{colour}'", points))
    return plot(path, "cloth of N × N particles, 10 passes a frame", "N", "ns per projection",
                "set logscale xy\nset xrange [48:1536]\nset xtics (64, 128, 256, 512, 1024)\nset key outside right", curves)


def plot_threads(path, rows):
    curves = []
    sizes = sorted({r["n"] for r in rows.some(scene="cloth", engine="sinew")})
    for name in ("grid", "general"):
        for i, n in enumerate(sizes):
            points = [(r["threads"], r["ratio_to_one_thread"]) for r in rows.some(scene="cloth", n=n, path=name)
                      if r.get("ratio_to_one_thread")]
            if points:
                style = f"{MARKED} lc rgb '{COLOUR[name]}' dt {i + 1}"
                curves.append((f"{name}, N = {n}", style, [(1, 1)] + points))
    most = max((x for c in curves for x, _ in c[2]), default=1)
    if curves:
        curves.append(("linear", "lines lc rgb '#909090'", [(1, 1), (most, most)]))
    return plot(path, "cloth of N × N particles", "threads", "speed-up against one thread",
                f"set xrange [1:{most}]\nset yrange [0:*]\nset xtics 1\nset key outside right", curves)


def plot_error(path, rows):
    curves = []
    for engine, name in (("bullet", "links"), ("sinew", "general"), ("sinew", "grid")):
        points = [(r["ms_per_frame"], r["stretch_mean"])
                  for r in rows.some(scene="cloth", engine=engine, path=name, threads=1) if r["stretch_mean"]]
        colour = COLOUR["bullet" if engine == "bullet" else name]
        curves.append(("Bullet" if engine == "bullet" else name, f"{MARKED} lc rgb '{colour}'", points))
    counts = [passes(r) for r in rows.all]
    span = f"{min(counts)} to {max(counts)}" if counts else ""
    return plot(path, f"cloth 64, {span} passes a frame, one thread", "ms per frame", "mean stretch",
                "set logscale xy\nset format y '%g'\nset key outside right", curves)


def plot_piles(path, rows):
    curves = []
    for engine, threads in (("bullet", 1), ("sinew", 1), ("sinew", 2)):
        points = [(r["n"], r["ns_per_projection"]) for r in rows.some(scene="pile", engine=engine, threads=threads)]
        colour = COLOUR["bullet" if engine == "bullet" else "general"]
        label = ("Bullet" if engine == "bullet" else "Sinew") + f", {threads} thread{'s' if threads > 1 else ''}"
        curves.append((label, f"{MARKED} {'dt 2' if threads > 1 else ''} lc rgb '{colour}'", points))
    return plot(path, "pile of spheres, 10 passes a frame", "spheres", "ns per sphere and substep",
                "set logscale xy\nset format x '10^%T'\nset xrange [1e3:2e6]\nset yrange [10:*]\nset key outside right",
                curves)


# ---- The page ----------------------------------------------------------------------------------------------------------

METHOD = """\
A projection is one visit of the solver to one constraint. Its cost is the time of whole steps, with everything that belongs to
them, divided by frames × passes × constraints. A frame is 1/60 s. The scenes make 10 passes per frame (10 substeps of one pass), the
ropes 20. Bullet has no substeps, and makes as many iterations in one step. Frames run in blocks until a second was measured. Short
scenes run several times. The tables show the median of the blocks and the spread between their quartiles. One thread is measured in
CPU time, several in wall time. The first frame, in which the plan is made, is timed separately. `stiffening` is off in these scenes:
everything is swept. [Convergence](convergence.md) shows what stiff meshes cost in addition, and how much less they stretch.
[Solvers](solvers.md#what-the-default-solves-directly) shows what trees cost that are solved directly.

The standard scenes are the same for both engines: particles of 1 kg, 5 cm apart, zero compliance, no damping, no collisions, released
from level. Piles and rigid bodies collide, and have sections of their own.

- *cloth N*: N × N particles, rods along both directions and both diagonals, held at two corners.
- *rope*: 1,000 particles and a bob 100 times heavier (*rope_heavy*: 1,000 times).
- *tets*: 20³ cubes of five tetrahedra each, with rods along all edges and a volume row for each tetrahedron (*tets_links*: the rods
  only), held at two corners.
- *ropes*: 1,000 ropes of 32. *cloths*: 256 cloths of 16 × 16.

On the path *grid*, particles are numbered row by row, so that the engine can find the regular structure. On *general*, numbers and
order are shuffled, as in any mesh. *sequential* is the reference solver, *direct* the direct one. Stretch is |l − l₀| / l₀ over the
structural edges (not the diagonals of cloth) at the end of the frames that the row names.

Two limits are measured in the same run: distance projections in contiguous arrays that fit the first cache, eight lanes wide with
exact square root and division; and memcpy beyond all caches. *Of the limit* compares a row with the first limit, divided by its
threads. On one thread and beyond the third cache it compares with the time to move the data of a substep (52 bytes per particle, and
12 per rod where nothing is regular), if that is more.

These scenes use little of what the engine can do. *What a feature costs* has the rest.
"""

FEATURES = """\
Each line is a cloth of 128 × 128 as above with one feature added, or with one setting changed, on one thread. It runs beside a second
world: the plain cloth, or the line named in brackets. The two alternate, in 15 rounds. In each round each of them makes one frame that
is not measured, which brings it back into the cache, and then four frames that are measured in CPU time. The order of the two changes
from round to round. The ratio is the median over the rounds, and the spread is the distance of their quartiles, as a share of the
ratio. So the two were measured within milliseconds of each other, and a machine that slows down affects both alike. The line *plain* is
the plain cloth beside itself. It shows how exact a ratio is. A ratio in bold misses its target. Targets are 1.1 for a feature that few
constraints or particles use, and 1.3 for another integrator. For features that all constraints use the aim was 1.5.
"""

KINDS = """\
2,048 constraints of one kind that share nothing, in any order, with the default solver on one thread; no gravity, no contact; 10
substeps of one pass. Their points are random particles, or spots of two bodies for joints. Parameters are measured, or the default.
Velocities are random, so that constraints have something to do. The same world without the constraints runs by turns with it, in 5
rounds, each time from the same start. The difference in time is the cost. The table shows ns per row and pass, then ns per constraint
and pass, as medians of the rounds: without options (*plain*), with a compliance, with compliance and damping, with a stiffness k < 1,
with a strength that never breaks, and with the first point inside a triangle (*spot*) or on a body; for joints also with limits, a
motor and friction. Width 1 takes one constraint at a time, *machine* as many as the machine has lanes. The last line is the joints of
1,000 ragdolls that touch nothing. Forces are not projected, so they are not in the table. Nor are kinds with any number of points.
"""

KIND_LIMITS = """
The aim was 12 ns per row, 6 for a volume and 60 per joint. Kinds above that are limited by instructions: this machine executes three per
nanosecond. Counted per constraint and pass, with eight lanes at once:

- A volume takes 141: 80 fetch and store its four points, which lie anywhere in memory (ten to fetch a point, nine to store it), 39 are
  the row formula, and 12 the formula of the volume itself.
- Angles, hinges and areas take 227 to 240. They are computed in double precision, four lanes at once, because single precision loses
  the angle of a straight line.
- A hinge joint takes 680: 386 fetch two bodies with their inertia and rotate them, 209 solve its five rows as a block, and 84 are its
  own formula.
- Gears and racks have a frame on each body and count full turns. They run through the code for any number of points.
"""

PILES = """\
Spheres of radius 5 cm and 1 kg fall into a box and settle. Nothing sleeps. The box for 20,000 is 2 m by 2 m. Others have the same depth
of about 5 m, and a side of 2 m × √(n / 20,000). The spheres start on a lattice of 2.6 radii, displaced by up to 0.29 radii along every
axis, and are numbered in random order. The lowest touch the floor at once, the highest fall from 11 m. Sinew settles them with 10
substeps of one pass, friction 0.5, for the frames that the row names, on all cores. Then the time is measured, for one thread and for
two from the same state. Overlap is that of spheres with each other and with walls, as a share of the radius. Its mean is over all
spheres that overlap. Bullet's spheres are rigid bodies, with everything at its default: one step per frame with 10 iterations, friction
0.5. Unlike particles they also rotate. They start where Sinew's settled and have 30 frames to settle again, because dropping them takes
Bullet minutes. Bullet runs with up to 20,000.
"""


BODIES = """\
*boxes*: rigid cubes of 20 cm and 1 kg fall into a box, each with some rotation at the start, 36 cm apart. The box for 5,000 is 4 m by
4 m. Others have the same depth, and a side of 4 m × √(n / 5,000). *ragdolls*: rigid figures of 1.75 m and 75 kg fall on a floor, each
with some rotation, in four layers 2 m apart. A figure is eleven capsules and ten joints with limits (cone-twist at waist, neck,
shoulders and hips, hinges at elbows and knees). Nothing sleeps, friction is 0.5, and all bodies that do not share a joint collide, also
within a figure. Sinew makes 10 substeps of one pass with the default solver. Bullet makes one step of 1/60 s with 10 iterations of its
sequential impulse solver, everything at its default (warm starting, error reduction 0.2, no damping). Its figures are made of
btCapsuleShape, btConeTwistConstraint and btHingeConstraint in the same places with the same limits.

*Falling* is measured from the start, over the frames that the row names. For boxes these are two seconds, in which the last ones land.
Contacts increase on the way, so the spread is large. *Settled* is measured after Sinew has run for the frames that the row names.
Bullet's bodies start at rest at the same places, and have 30 frames to settle again. The cost of a body is that of a frame divided by
the number of bodies. Overlap of boxes is that with each other and with walls, as a share of half an edge, and its mean is over all that
overlap. For ragdolls it is the gap between the two spots that a joint holds together, as a share of the height. Both are computed from
positions and rotations alone, by the same code for both engines.
"""


BODIES_PEERS = """\
ms a frame on one thread and on sixteen, and the largest overlap of boxes, as a share of half an edge, or the largest gap of a joint: the
most of every fourth frame. One run on a machine with 16 cores, which is a virtual one: two runs of the same program differ there by up to
20 %. One thread is CPU time, sixteen are wall time; the mean of the frames (120 that fall, 20 that lie). Sinew makes 10 substeps of one
pass. The others run at their defaults: Box3D of 12 August 2026 (30c67b5, gcc 12 with -O3, SSE2, which is its default) makes 4 substeps,
Bullet 3.24 one step with 10 iterations. Nothing sleeps, friction is 0.5. Bullet's settled bodies start where Sinew's lie, and have 30
frames; Box3D settles by itself.

| | Sinew | Box3D | Bullet | Sinew / Box3D | Sinew / Bullet |
|---|---:|---:|---:|---:|---:|
| 5,000 boxes, falling | 76 to 94 / 20.7, 7 % | 23.7 / 4.8, 151 % | 83, 216 % | 3.2 to 3.9 / 4.3 | 0.9 to 1.1 |
| 5,000 boxes, settled | 45 / 6.8, 1.3 % | 27.8 / 5.3, 84 % | 98, 127 % | 1.6 / 1.3 | 0.46 |
| 1,000 ragdolls, falling | 146 / 25.3, 54 mm | 42 / 7.1, 145 mm | 82, 206 mm | 3.5 / 3.5 | 1.8 |
| 1,000 ragdolls, settled | 108 / 11.5, 3.9 mm | 44 / 5.7, 12 mm | 77, 58 mm | 2.5 / 2.0 | 1.4 |
| mean overlap or gap, falling | 0.35 %, 0.16 mm | 12 %, 0.90 mm | 21 %, 4.5 mm | | |
| mean overlap or gap, settled | 0.16 %, 0.15 mm | 8.7 %, 0.46 mm | 14 %, 1.6 mm | | |

Boxes that fall took 94 ms on one thread, and 76 with a program that differs by 2 % of its instructions and makes the same bits. On a machine
with two cores, which many others used, CPU time of two runs by turns, the lesser: boxes that fall 47 ms beside Box3D's 16 (2.9), ragdolls
that fall 81 beside 23 (3.6), before 6.5 % and then another tenth of their instructions were saved. Older runs there, with fewer others,
had 2.8 and 2.5. Joints that contact opens were not held then, which is 13 to 19 % of ragdolls that fall.

Jolt 5 of June 2026 in an older run on 16 cores, one thread and sixteen: 36 / 6.3 ms (72 % overlap), 63 / 12.2 (34 %), 39 / 5.9 (62 mm),
59 / 7.4 (43 mm) in the order of the table, where Sinew took 110 / 15.2, 73 / 9.5, 122 / 15.7 and 118 / 11.0.

Of 10,000 joints of ragdolls that fall on each other single ones are open by 33 to 79 mm for some frames (eight heaps of 400 to 1,000).
Before joints that contact opens were held it was 313 mm. See *Joints that contact opens* below.

The aims (a quarter of Bullet's time for boxes that fall, a fifth when they lie, a third and three quarters for ragdolls, and Box3D's
time) are **not reached**. The bounds on overlap come first.

**Time against quality, by the number of substeps.** ms a frame on one thread (CPU time, mean of the frames), and the mean and the largest
overlap, as a share of half an edge, or gap of a joint. In brackets: before the changes that *Fewer substeps* tells below; the table
above is older than these, too. On a machine with two cores that up to 20 programs shared, where times of the same program differ by up
to a quarter. Each column is one run, one program after the other. What lies has fallen with the same number of substeps; Bullet's starts
where Sinew's lies, and has 30 frames.

| substeps | 5,000 boxes, falling | 1,000 boxes, settled | 1,000 ragdolls, falling | 150 ragdolls, settled |
|---|---:|---:|---:|---:|
| 10 | 59 (59), 0.33 % / 7 % (0.34 / 8) | 5.0, 0.14 % / 0.8 % | 123, 0.16 mm / 33 mm | 9.3, 0.14 mm / 2.3 mm |
| 8 | 51, 0.36 % / 8 % | | | |
| 6 | 54, 0.39 % / 6 % | 4.5, 0.16 % / 1.6 % | 98, 0.36 mm / 98 mm | 8.3, 0.35 mm / 5.2 mm |
| 5 | 56, 0.43 % / 6 % | | | |
| 4 | 56 (83), 0.46 % / 9 % (0.51 / 15) | 3.9, 0.18 % / 1.9 % | 87, 0.66 mm / 78 mm | 6.9, 0.76 mm / 10 mm |
| 3 | 55, 0.51 % / 12 % | 4.4, 0.24 % / 1.6 % | 91, 1.0 mm / 143 mm | 5.8, 1.4 mm / 26 mm |
| 2 | 57, 0.68 % / 21 % | 4.2, 0.29 % / 2.0 % | 94, 1.7 mm / 267 mm | 5.8, 3.0 mm / 106 mm |
| Box3D, 4 | 23, 12 % / 151 % | 3.5, 8.6 % / 81 % | 37, 0.90 mm / 145 mm | 2.8, 0.42 mm / 9 mm |
| Box3D, 10 | 26, 12 % / 149 % | | | |
| Bullet, 10 iterations | 71, 21 % / 216 % | 14.5, 13 % / 103 % | 74, 4.5 mm / 206 mm | 7.6, 1.3 mm / 34 mm |

In instructions, four substeps take 0.89 of ten for 300 boxes that fall (1.52 before), 0.69 where they lie, 0.78 for 60 ragdolls that fall,
0.55 where they lie. Boxes that lie have 9,400 of their 44,000 once a step.

What stands, by the number of substeps (one pass; how far something of it moves before it sleeps; `tests/world/test_standing.c` has these
at ten). A dash: it falls, or is awake after eight seconds.

| substeps | 10 | 8 | 6 | 5 | 4 | 3 | 2 |
|---|---:|---:|---:|---:|---:|---:|---:|
| tower of twenty boxes of 1 m | 3 mm | 5 mm | 9 mm | 20 mm | 31 mm | 43 mm | 84 mm |
| pyramid of forty rows | 26 mm | 38 mm | 74 mm | 118 mm | 172 mm | – | – |
| thirty flat bricks | 11 mm | 15 mm | 21 mm | 31 mm | 38 mm | – | – |
| arch of nine stones | 0.5 mm | 0.8 mm | 1.3 mm | 2 mm | 3 mm | 5 mm | 12 mm |
| house of cards, four storeys | 0.3 mm | 0.3 mm | 0.4 mm | 0.5 mm | 0.4 mm | 0.4 mm | – |
"""


BODIES_SHARED = """\
### What limits them

Stages of a step on one thread, in % of its time (`sn_world_profile`; a machine with two cores that others used):

| | broad phase | manifolds | contact | loops over bodies and the rest |
|---|---:|---:|---:|---:|
| 5,000 boxes, falling | 15 | 35 | 37 | 13 |
| 2,000 boxes, settled | 26 | 23 | 34 | 17 |

These are from before pairs were kept. By function the profile is flat. Instructions of a frame, per body: 500 boxes over their first two
seconds, and over 20 frames after ten; 60 ragdolls over their first 1.5 seconds, and 100 over 20 frames after five (some still move);
`valgrind --tool=callgrind`, one thread, AVX2. In brackets: before jointed bodies were measured, held and settled in lanes.

| | boxes that fall | that lie | ragdolls that fall | that lie |
|---|---:|---:|---:|---:|
| all | 64,300 (65,600) | 45,400 (45,700) | 52,000 (57,400) | 53,000 (61,800) |
| once a step: boxes, pairs, contacts made and kept | 7,900 | 9,400 | 5,700 | 7,400 |
| bodies predicted and loaded | 5,100 | 4,800 | 6,600 | 5,900 |
| contacts readied: manifolds, arms, gaps, masses | 17,500 | 12,800 | 5,300 | 5,000 (5,700) |
| which bodies may be thrown | 1,300 | – | 1,600 | – |
| loads on jointed bodies | 110 | 110 | 840 (960) | 2,300 (3,100) |
| joints | – | – | 7,100 (7,900) | 7,500 (8,700) |
| bodies settle; energies of jointed ones; loaded for contact | 1,800 | 2,600 | 7,900 (10,500) | 11,700 (16,000) |
| of that, swings | – | – | 2,500 (4,900) | 4,400 (8,600) |
| two sweeps, impulses of the substep before | 7,400 | 10,100 | 1,900 | 3,600 |
| sweeps over what strikes | 12,600 (13,700) | – | 4,200 (4,400) | – |
| joints that contact opens | – | – | 6,400 (7,600) | 2,500 (3,100) |
| overlap corrected; stored, stopped | 8,400 | 4,400 | 4,800 | 5,500 |

These are older than what *Fewer substeps* tells: since then 300 boxes that fall take 0.88, 60 ragdolls that fall 0.96. Sweeps over what strikes are also part of joints that contact opens. Ragdolls that lie do not move alike in the two columns; with the same bits
they take 0.88, before the one sweep below. Of 1,000 to 1,170 instructions that loops over bodies make of one in a
substep, 220 to 260 predict how it turns, 75 to 125 weigh its inertia, twice, 260 say how it moves and how far it may come, 70 to 170 settle
its turn, 220 to 255 store what contact did, 60 ask whether it was fast, 60 move its centre. Half of these only fetch numbers from the
records of bodies and put them back. Of contacts set up a third are masses, and of sweeps a third loads bodies into lanes and stores them.

Many bodies wait for memory. 120 frames of ragdolls that fall take 73 µs a frame for each of 150, 89 of 250, 106 of 400 and 131 of 1,000, on
a machine that many others used. (A part of that may be more contacts in larger heaps; instructions were not counted there.) 1,000
ragdolls are some 30 MB of bodies, joints, contacts and batches (estimated from the sizes of their records), and each of ten substeps goes through most of that several times. On that
machine, with up to 30 programs for two cores, a tenth fewer instructions were 2 to 5 % less CPU time of 60 ragdolls that fall (two binaries by
turns, 15 runs each, median and least), and 0 to 4 % of 400 or 1,000, which is within the noise there.

So what the stage *manifolds* costs is mostly contacts that are set up in each substep. Manifolds themselves are kept while the two stay where they were, and pairs while all boxes stay in wider ones; to find them is no longer what a settled
pile waits for. Two thirds are what is done in each of ten substeps, of which Box3D makes four.

- *Sweeps over what strikes.* 250 sweeps a frame, of which 20 are over all contacts and the others over bodies that would come far into each other. They keep overlap at 7 % where it is 72 to 96 % elsewhere. Box3D makes 8 over everything.
- *Manifolds.* 9,600 a frame are found anew while 5,000 boxes fall. One takes 3,900 instructions: 600 for the 15 axes, 1,550 for the points, 570 to choose four, 320 for the frame, the rest around it.
- *Memory.* 5,000 boxes take a third more each than 500: contacts, batches and bodies are 15 MB, and every pass reads most of it.
- *Substeps in which nothing happens.* Of boxes that lie, no visit to a batch of contacts changes an impulse by more than 1e-5 of what presses, and 95 % change it by less than 1e-6. A body at rest could be passed over in nine of
  ten substeps. To leave out the second sweep alone would save 7 %. What is beside a body that moves would have to be solved all the same, and in a large pile some body always moves a little. This was tried: see the notes.
- *Threads.* See below.

*Fewer substeps.* What does not shrink with their number: what is made once a step; manifolds, which two bodies need anew when they slid by
15 % of their size, whatever the substep (500 boxes that fall into a shaft: 60,000 at four substeps, 86,000 at ten); and violent contacts.
In longer substeps more boxes land at once, and, as the depth that counts as violent is the same, contact may leave less of their speed. So
there are more violent contacts, and they hang together more: 1,000 boxes in 120 frames had 2.8 million visits of them at ten substeps, 10.4
at four, and 6.7 with the same speed left. At four most substeps with violent contacts reached the limit of 60 sweeps. Substeps of their own
for some islands would not help there: where boxes land on each other, all of a heap is one island. Instructions of
300 boxes that fall, in millions, all 120 frames:

| | 10 substeps | before | 4 substeps | before |
|---|---:|---:|---:|---:|
| all | 1,820 | 2,070 | 1,620 | 3,150 |
| sweeps over what strikes | 290 | 470 | 580 | 1,290 |
| contacts readied, with manifolds | 510 | 530 | 360 | 610 |
| paths checked at the end | 48 | 49 | 40 | 430 |
| which bodies may be thrown | below 20 | 51 | 33 | 97 |
| once a step | 220 | 220 | 220 | 220 |

Before, paths were checked of boxes that fall side by side; a thrown box counted as thrown as far as without loss, and passed that on, so
that most of a heap was searched; and friction of impacts was found exactly in each sweep.

On 16 threads, beside 16 copies of the program that run at the same time, one thread each; ms a frame. The aim is 0.6. Those that fall are
of the run of the first table, the others of an older one.

| | 1 thread | 16 copies | 16 threads | of what the copies reach |
|---|---:|---:|---:|---:|
| 1,000 ragdolls, falling | 146 | 151 | 25.3 | 0.37 |
| 5,000 boxes, falling | 76 to 94 | 90 | 20.7 | 0.27 |
| 1,000 ragdolls, settled | 121 | 150 | 13.8 | 0.68 |
| 5,000 boxes, settled | 73 | 93 | 9.4 | 0.62 |
| pile of 20,000 balls | 31 | 32 | 6.9 | 0.29 |

What does not share, in ms a frame on one thread and on sixteen:

| | boxes that fall | ragdolls that fall |
|---|---:|---:|
| all | 80 / 20.0 | 134 / 22.7 |
| sweeps over what strikes | 11.6 / 9.0 | 3.0 / 3.2 |
| joints that contact opens are held, with such sweeps | – | 17.9 / 7.4 |
| two sweeps over everything | 10.0 / 1.4 | 5.6 / 0.7 |
| overlap is corrected | 6.8 / 1.6 | 2.6 / 0.8 |
| broad phase | 13.2 / 2.7 | 23.8 / 4.7 |
| manifolds | 24 to 26 / 2.4 | 20 / 1.7 |
| constraints | 0.4 / 0.2 | 15 / 1.5 |
| loops over bodies (predict, velocities) | 6.0 / 0.8 | 32 / 3.3 |

So half of the time of boxes that fall is violent contacts: up to 700 of them, in 94 full batches of 14 colours or so. A sweep is 25 µs, a
colour 2 µs, and threads need 4 µs to come together. Of the 700, up to 450 hang together, so parts that touch nothing else are not many
tasks either. All threads list and copy them; the sweeps run on one. Of ragdolls it is 180 small sets a frame, of 75 contacts in the mean.
One thread does 1 ms alone: a new tree of bodies every eighth step, trees of bodies that left where they were looked for, sorting. Of a pile of 20,000
balls a sweep is eight colours, one after the other; a colour is 7 µs of work for each of sixteen threads. Piles of 100,000 reach 0.65, of a
million 0.75.

*Ragdolls on 16 threads.* Limiting what joints add to the energy of jointed bodies cost 16 threads half as much again: which
bodies hang together was found anew in each step, and velocities were noted before each substep, both by one thread. One thread reads
what fifteen others wrote just before. ms a frame of 1,000 ragdolls on 16 threads, three runs each by turns:

| | without a limit | limited, before | limited, with these two shared or kept |
|---|---:|---:|---:|
| settled | 8.2, 8.3, 8.5 | 12.4, 12.8, 13.8 | 8.9, 9.5, 9.7 |
| falling | 13.1, 13.3, 13.4 | 18.0, 18.6, 20.0 | 15.4, 15.8, 16.3 |

The last column is a sketch of what is there now. Since then energies are computed in lanes, and in loops that were there already.
That was measured on one thread alone. 1,000 ragdolls over their first second take 38.3 ms a frame instead of 43.0 (the least of
three runs by turns, frame by frame, on a busy machine), over two seconds 57.9 instead of 60.7, and where they lie 57.2 instead of 60.0
(two runs). 200 that fall take 0.92 of the instructions, 200 that lie 0.93.

*Joints that contact opens* (`body_joints.c`). 1,000 ragdolls that fall, all 120 frames; random figures are those of
`tests/world/test_machines.c`, 1,000 of them with masses up to 1,000 times as large, 10 substeps, for three seconds. *Rises* are figures whose
energy rose by more than 1 % (10 %) of their start above what it fell to.

| | largest gap | mean | random figures above their start | rises |
|---|---:|---:|---|---:|
| not held | 313 mm | 0.27 mm | 1 (2.6 times) | 164 (29) |
| held, nothing closed | 95 mm | 0.17 mm | none | 75 (2) |
| held, half of the gap closed if all of it takes energy: kept | 33 mm | 0.16 mm | none | 69 (3) |
| all of the gap closed, whatever that adds | 8 mm | 0.12 mm | one without end | 35 (1) |
| not only what is opened further, by a fifth at least | 47 mm | 0.16 mm | not measured | – |
| four times there and back over the joints in a turn, instead of once | 36 mm | 0.16 mm | not measured | – |
| 8 turns instead of 16 | 35 mm | 0.17 mm | not measured | – |
| tolerance 0.0025 of the arms instead of 0.005 | 46 mm | 0.14 mm | not measured | – |
| 0.02, with another rule (only if the gap grew by so much) | 351 mm | 0.26 mm | not measured | – |
| a body is looked at from half as far on | 105 mm | 0.17 mm | not measured | – |

The largest gap is that of one joint, and differs by chance: 31 to 47 mm between heaps that are alike, and 105 mm once. A part of it is
what overlap is parted by, without a velocity, which joints are not asked about. At 3 substeps none of the random figures is above its
start either (before: one of 1,000, 1.13 times). Of the instructions of 60 ragdolls it costs a fifth while
they fall (75 frames), and an eighth in the next 75: sweeps of stirred contact are a good half of that, the joints themselves the rest. That is
more than was aimed at.
"""


def page_text(data, wide, kinds, drawn, reasons):
    rows, many = Rows(data), Rows(wide)
    parts = ["# Performance", "`make bench-docs` writes this page. `sinew bench` measures into `docs/data/`, and the page is made "
             "from that. Times differ between machines and hours, so compare ratios of one run.",
             "## Machine", machine_text(data), "## Method", METHOD.strip(), "## Targets",
             "What the project aimed at, and what was measured here.", targets_text(rows, many, reasons), "## Plots"]
    for name, words in drawn:
        parts.append(f"![{words}](images/performance/{name})")
    parts += ["## What a feature costs", FEATURES.strip(), features_text(rows)]
    parts += ["## What a kind costs", KINDS.strip() + (" " + kinds["note"] if kinds and "note" in kinds else ""),
              kinds_text(Rows(kinds) if kinds else rows), KIND_LIMITS.strip()]
    parts += ["## Piles", PILES.strip(), piles_text(rows), "## Rigid bodies", BODIES_PEERS.strip(), "### Method", BODIES.strip(), bodies_text(rows), BODIES_SHARED.strip(), "## All rows",
              rows_text(rows)]
    if wide:
        parts += [f"## {wide['machine']['cores']} cores", "The same benchmark on a machine with more cores, "
                  "from `docs/data/bench-16.json`.", machine_text(wide)]
        parts += [text for text in (piles_text(many), bodies_text(many)) if text != "Not measured."] + [rows_text(many)]
    parts.append("What was measured and tried on the way is in the [laboratory notes](notes/performance.md).")
    return "\n\n".join(parts) + "\n"


def main():
    if len(sys.argv) != 5:
        sys.exit("usage: bench_page.py DATA PAGE IMAGES REASONS")
    folder, page, images, reasons = sys.argv[1:]
    data, curves, wide, kinds = (load(folder, n) for n in ("bench.json", "bench-passes.json", "bench-16.json",
                                                           "bench-kinds.json"))
    if not data:
        sys.exit(f"bench_page.py: there is no {folder}/bench.json: run 'make bench-docs'")
    os.makedirs(images, exist_ok=True)
    drawn = []
    for name, words, draw, rows in (
            ("time.svg", "Time of a projection against the size of the cloth", plot_time, Rows(data)),
            ("threads.svg", "Speed-up against threads", plot_threads, Rows(data)),
            ("pile.svg", "Time of a sphere against the size of the pile", plot_piles, Rows(data)),
            ("error.svg", "Mean stretch against time", plot_error, Rows(curves)),
            ("threads-16.svg", "Speed-up against threads on the machine with more cores", plot_threads, Rows(wide))):
        if draw(os.path.join(images, name), rows):
            drawn.append((name, words))
    with open(page, "w", encoding="utf-8") as file:
        file.write(page_text(data, wide, kinds, drawn, load_reasons(reasons)))
    print(f"wrote {page}")


if __name__ == "__main__":
    main()

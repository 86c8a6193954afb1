#!/bin/bash
# Runs a scene with the command and reads everything that it wrote with NumPy: arrays, point caches, meshes and traces
# have to agree, bit by bit where they are binary and to the printed precision (which is all of it) where they are text.
set -eu

program=${SINEW_PROGRAM:-${SINEW_BUILD_DIR:-build/release}/sinew}
[ -x "$program" ] || { echo "SKIPPED: there is no $program"; exit 0; }
python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import numpy' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || { echo "SKIPPED: no python3 with numpy (Debian: apt-get install python3-numpy)"; exit 0; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/scene.json" <<'END'
{
  "world": {"substeps": 5},
  "run": {"rate": 50},
  "objects": [
    {"type": "rope", "name": "rope", "length": 1, "segments": 6, "direction": [1, 0, 0], "pins": "start"},
    {"type": "cloth", "name": "cloth", "width": 1, "height": 1, "columns": 5, "rows": 7, "position": [0, 2, 0.1],
     "material": {"stretch": 1e-4}, "pins": ["top_left", "top_right"]}
  ],
  "forces": [{"type": "wind", "value": [0.3, 0, 4]}],
  "record": {"particles": ["rope.end", "cloth.bottom_left"], "forces": ["rope.links[0]"]}
}
END

# --frames 12: the state at the start and twelve frames
"$program" run "$folder/scene.json" --frames 12 --out "$folder/out" --format pc2,npy,obj,ply \
  --trace "$folder/trace.csv" --quiet
"$program" run "$folder/scene.json" --frames 12 --trace "$folder/trace.npy" --quiet

cat >"$folder/check.py" <<'END'
import struct
import sys

import numpy

folder, frames = sys.argv[1], 13


def bits(a):
    return numpy.ascontiguousarray(a).view(numpy.uint8)


def same(a, b, what):
    assert a.dtype == b.dtype and a.shape == b.shape, f"{what}: {a.dtype} {a.shape}, {b.dtype} {b.shape}"
    assert (bits(a) == bits(b)).all(), f"{what}: not the same bits"


def check_cache(name, places):
    raw = open(f"{folder}/out/{name}.pc2", "rb").read()
    magic, version, points, start, rate, samples = struct.unpack("<12siiffi", raw[:32])
    assert (magic, version, samples) == (b"POINTCACHE2\0", 1, frames), (magic, version, samples)
    cache = numpy.fromfile(f"{folder}/out/{name}.pc2", dtype="<f4", offset=32).reshape(samples, points, 3)
    same(cache, places.astype("<f4"), name + ".pc2")


def check_obj(path, places):
    lines = [line.split() for line in open(path)]
    read = numpy.array([[float(x) for x in w[1:]] for w in lines if w[0] == "v"], dtype=places.dtype)
    same(read, places, path)
    corners = [int(x) for w in lines if w[0] in "fl" for x in w[1:]]
    assert corners and min(corners) >= 1 and max(corners) <= len(places), path


def check_ply(path, places):
    raw = open(path, "rb").read()
    head, data = raw.split(b"end_header\n", 1)
    real = "<f8" if b"property double x" in head else "<f4"
    assert real == places.dtype.str, real
    read = numpy.frombuffer(data, dtype=real, count=6 * len(places)).reshape(-1, 6)
    same(read[:, :3], places, path)
    return read[:, 3:]


arrays = {}
for name, count in ("rope", 7), ("cloth", 35):
    places = arrays[name] = numpy.load(f"{folder}/out/{name}.npy")
    assert places.shape == (frames, count, 3), places.shape
    assert numpy.isfinite(places).all() and (places[0] != places[-1]).any(), name
    check_cache(name, places)
    check_obj(f"{folder}/out/{name}.obj", places[0])
    for i in range(frames):
        check_obj(f"{folder}/out/{name}_{i + 1:04d}.obj", places[i])
        velocities = check_ply(f"{folder}/out/{name}_{i + 1:04d}.ply", places[i])

table = numpy.load(f"{folder}/trace.npy")
text = numpy.genfromtxt(f"{folder}/trace.csv", delimiter=",", names=True, dtype=None, deletechars="", encoding="utf-8")
assert table.dtype.names == text.dtype.names, (table.dtype.names, text.dtype.names)
assert table.shape == text.shape == (frames,), (table.shape, text.shape)
for column in table.dtype.names:
    same(table[column], text[column].astype(table[column].dtype), column)
same(table["frame"], numpy.arange(frames, dtype="<u4"), "frame")
assert numpy.allclose(table["time"], numpy.arange(frames) / 50), table["time"]
assert (table["energy"] == table["kinetic"] + table["potential"] + table["elastic"]).all()
for axis in 0, 1, 2:
    same(table["xyz"[axis] + "_rope.end"], numpy.ascontiguousarray(arrays["rope"][:, -1, axis]), "rope.end")
assert (table["force_rope.links[0]"][1:] > 0).all()
print("NumPy reads the same numbers from", 2 * (3 + 2 * frames) + 2, "files")
END
"$python" "$folder/check.py" "$folder"

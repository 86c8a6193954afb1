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
"$program" run "$folder/scene.json" --frames 12 --out "$folder/out" --format pc2,npy,obj,ply,glb,vtk \
  --trace "$folder/trace.csv" --quiet
"$program" run "$folder/scene.json" --frames 12 --trace "$folder/trace.npy" --quiet

cat >"$folder/check.py" <<'END'
import json
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


def check_vtp(path, places, velocities):
    raw = open(path, "rb").read()
    head, data = raw.split(b'<AppendedData encoding="raw">\n_', 1)
    for what, wanted in ("velocity", velocities), ("Points", places):
        line = next(line for line in head.decode().split("\n") if f'Name="{what}"' in line)
        real = "<f8" if "Float64" in line else "<f4"
        at = int(line.split('offset="')[1].split('"')[0])
        assert struct.unpack_from("<Q", data, at)[0] == wanted.nbytes, path
        same(numpy.frombuffer(data, real, wanted.size, at + 8).reshape(-1, 3), wanted, path)


def check_glb(path):
    """The first frame is there to the bit as float; later ones but for the rounding of a sum."""
    raw = open(path, "rb").read()
    size, length = struct.unpack_from("<II", raw, 8)
    assert size == len(raw), (size, len(raw))
    scene, numbers = json.loads(raw[20 : 20 + length]), raw[28 + length :]

    def vectors(number):
        accessor = scene["accessors"][number]
        view = scene["bufferViews"][accessor["bufferView"]]
        at = view["byteOffset"] + accessor["byteOffset"]
        return numpy.frombuffer(numbers, "<f4", 3 * accessor["count"], at).reshape(-1, 3)

    for node in scene["nodes"]:
        primitive = scene["meshes"][node["mesh"]]["primitives"][0]
        first, places = vectors(primitive["attributes"]["POSITION"]), arrays[node["name"]].astype("<f4")
        same(first, places[0], path)
        assert len(primitive["targets"]) == frames - 1, path
        for i, target in enumerate(primitive["targets"]):
            assert abs(first + vectors(target["POSITION"]) - places[i + 1]).max() < 5e-7, (path, i)


arrays = {}
for name, count in ("rope", 7), ("cloth", 35):
    places = arrays[name] = numpy.load(f"{folder}/out/{name}.npy")
    assert places.shape == (frames, count, 3), places.shape
    assert numpy.isfinite(places).all() and (places[0] != places[-1]).any(), name
    check_cache(name, places)
    check_obj(f"{folder}/out/{name}.obj", places[0])
    for i in range(frames):
        check_obj(f"{folder}/out/{name}_{i:04d}.obj", places[i])
        velocities = check_ply(f"{folder}/out/{name}_{i:04d}.ply", places[i])
        check_vtp(f"{folder}/out/{name}_{i:04d}.vtp", places[i], velocities)
check_glb(f"{folder}/out/scene.glb")

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
print("NumPy reads the same numbers from", 2 * (3 + 3 * frames) + 3, "files")
END
"$python" "$folder/check.py" "$folder"

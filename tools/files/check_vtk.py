"""Opens scene.pvd and what it names with VTK's own reader, as ParaView does, and compares places, velocities and cells of every frame with the .npy and
.ply files beside it, bit for bit. They are from `sinew run --format vtk,npy,ply`.

    python3 tools/files/check_vtk.py FOLDER       (Debian: python3-vtk9)
"""
import json
import os
import sys
import xml.etree.ElementTree

import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy

folder = sys.argv[1]


def read_ply(path):
    """Places, velocities, triangles, lines."""
    with open(path, "rb") as file:
        data = file.read()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    head = data[:end].decode().split("\n")
    count = {line.split()[1]: int(line.split()[2]) for line in head if line.startswith("element ")}
    real = "<f8" if "property double x" in head else "<f4"
    numbers = 6 if any(line.endswith(" vx") for line in head) else 3
    vertex = numpy.frombuffer(data, real, count["vertex"] * numbers, end).reshape(-1, numbers)
    at = end + vertex.nbytes
    face = numpy.frombuffer(data, [("n", "u1"), ("v", "<i4", 3)], count["face"], at)
    line = numpy.frombuffer(data, ("<i4", 2), count.get("edge", 0), at + face.nbytes)
    return vertex[:, :3], vertex[:, 3:] if numbers == 6 else None, face["v"], line


def same(a, b, what):
    a, b = numpy.ascontiguousarray(a), numpy.ascontiguousarray(b)
    assert a.dtype == b.dtype and a.shape == b.shape, (what, a.dtype, a.shape, b.dtype, b.shape)
    assert a.tobytes() == b.tobytes(), f"{what}: not the same bits"


def cells(array, corners):
    found = vtk_to_numpy(array.GetConnectivityArray()).reshape(-1, corners)
    ends = vtk_to_numpy(array.GetOffsetsArray())
    assert (ends == numpy.arange(len(found) + 1) * corners).all(), ends
    return found


with open(os.path.join(folder, "sinew-run.json")) as file:
    run = json.load(file)
sets = xml.etree.ElementTree.parse(os.path.join(folder, "scene.pvd")).getroot().find("Collection").findall("DataSet")
assert len(sets) == run["frames_written"] * len(run["names"]), (len(sets), run["frames_written"], run["names"])
compared = 0
for entry in sets:
    part, path = int(entry.get("part")), os.path.join(folder, entry.get("file"))
    name, frame = run["names"][part], round(float(entry.get("timestep")) * run["rate"] / run["every"])
    assert entry.get("file") == f"{name}_{frame:04}.vtp", (entry.attrib, name, frame)
    reader = vtk.vtkXMLPolyDataReader()
    assert reader.CanReadFile(path), path
    reader.SetFileName(path)
    reader.Update()
    assert reader.GetErrorCode() == 0, (path, reader.GetErrorCode())
    mesh = reader.GetOutput()
    if not mesh.GetNumberOfPoints():
        continue
    places = vtk_to_numpy(mesh.GetPoints().GetData())
    array = numpy.load(os.path.join(folder, name + ".npy"), mmap_mode="r")[frame]
    same(places[: len(array)], array, f"{path}: places")  # what was torn or cut has more
    wanted, velocity, triangles, lines = read_ply(path[:-3] + "ply")
    same(places, wanted, f"{path}: places")
    if velocity is not None:
        same(vtk_to_numpy(mesh.GetPointData().GetArray("velocity")), velocity, f"{path}: velocities")
    same(cells(mesh.GetPolys(), 3).astype("<i4"), triangles, f"{path}: triangles")
    same(cells(mesh.GetLines(), 2).astype("<i4"), lines, f"{path}: lines")
    loose = cells(mesh.GetVerts(), 1).ravel()
    used = numpy.unique(numpy.concatenate([triangles.ravel(), lines.ravel()]))
    assert (numpy.sort(numpy.concatenate([used, loose])) == numpy.arange(len(places))).all(), f"{path}: vertices"
    compared += len(places)
print(f"scene.pvd: VTK {vtk.vtkVersion.GetVTKVersion()} reads {compared} vertices of {run['frames_written']} frames, to the last bit as NumPy does")

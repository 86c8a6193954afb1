"""Imports scene.glb with Blender's own importer and compares every vertex in every frame with the .npy files beside it, which `sinew run --format glb,npy`
wrote. For scenes of objects of one kind each (a surface, or lines, or bodies) whose triangles do not change.

    blender -b --factory-startup --python-exit-code 1 --python tools/blender/check_glb.py -- FOLDER
"""
import json
import os
import sys

import bpy
import numpy

if not hasattr(numpy, "bool"):
    numpy.bool = bool  # Blender 3.4's importer uses the name, which NumPy 1.24 took away; Debian 12 has both

folder = sys.argv[sys.argv.index("--") + 1]
with open(os.path.join(folder, "sinew-run.json")) as file:
    run = json.load(file)
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = round(run["rate"])
bpy.ops.import_scene.gltf(filepath=os.path.join(folder, "scene.glb"))
worst = compared = 0


def vertices(thing, graph):
    """In the axes of glTF, where y is up."""
    seen = thing.evaluated_get(graph)
    mesh = seen.to_mesh()
    local = numpy.empty(3 * len(mesh.vertices), dtype=numpy.float32)
    mesh.vertices.foreach_get("co", local)
    seen.to_mesh_clear()
    matrix = numpy.array(seen.matrix_world)
    places = local.reshape(-1, 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]
    return places[:, [0, 2, 1]] * [1, 1, -1]


def parts(name):
    """The meshes of an object, or of its bodies in their order."""
    top = [o for o in bpy.data.objects if o.name == name]
    assert len(top) == 1, (name, [o.name for o in bpy.data.objects])
    if top[0].type == "MESH":
        return top
    number = lambda o: int(o.name.split("[")[1].split("]")[0])
    return sorted(top[0].children, key=number)


for frame in range(run["frames_written"]):
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    for name in run["names"]:
        wanted = numpy.load(os.path.join(folder, name + ".npy"), mmap_mode="r")[frame].astype(float)
        found = numpy.concatenate([vertices(part, graph) for part in parts(name)])
        assert found.shape == wanted.shape, (name, frame, found.shape, wanted.shape)
        size = max(1, abs(wanted).max())
        worst = max(worst, abs(found - wanted).max() / size)
        assert worst < 2e-6, (name, frame, worst)
        compared += len(wanted)
colours = {m.name for m in bpy.data.materials}
assert colours, "no materials"
print(f"scene.glb: Blender has {compared} vertices of {run['frames_written']} frames within {worst:.1e} of their size, in {len(colours)} colours")

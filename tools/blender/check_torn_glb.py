"""Imports a scene.glb in which something is torn, and looks whether exactly one of the meshes of the object is seen in every frame.

    blender -b --factory-startup --python-exit-code 1 --python tools/blender/check_torn_glb.py -- FOLDER
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
name = run["names"][0]
shapes = [o for o in bpy.data.objects if o.type == "MESH" and o.name.split(".")[0] == name]
assert len(shapes) > 1, [o.name for o in bpy.data.objects]
for frame in range(run["frames_written"]):
    bpy.context.scene.frame_set(frame * run["every"])
    seen = [o for o in shapes if o.scale.x > 0]
    assert len(seen) == 1 and abs(seen[0].scale.x - 1) < 1e-6, (frame, [(o.name, o.scale.x) for o in seen])
    first, frames = seen[0]["first_frame"], seen[0]["frames"]
    assert first <= frame < first + frames, (frame, first, frames)
print(f"scene.glb: of {len(shapes)} meshes of {name} Blender shows one at a time, each in its frames")

"""Imports a run in which something is torn, and looks in every frame: of each object exactly one mesh is seen, with the triangles, lines and places of that frame.

    blender -b --factory-startup --python-exit-code 1 --python tools/blender/check_torn_import.py -- FOLDER NAME...
"""
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import import_sinew

folder, *names = sys.argv[sys.argv.index("--") + 1:]
import_sinew.clear_startup()
import_sinew.import_folder(folder)
scene = bpy.context.scene
for name in names:
    meshes = [o for o in scene.objects if o.name == name or o.name.startswith(name + ".")]
    if len(meshes) < 2:
        sys.exit(f"FAILED: '{name}' was not torn")
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        seen = [o for o in meshes if not o.hide_viewport]
        if len(seen) != 1 or seen[0].hide_render:
            sys.exit(f"FAILED: {len(seen)} meshes of '{name}' are seen in frame {frame}")
        vertices, lines, faces, _ = import_sinew.read_obj(os.path.join(folder, f"{name}_{frame:04d}.obj"))
        if [list(p.vertices) for p in seen[0].data.polygons] != faces:
            sys.exit(f"FAILED: other triangles of '{name}' in frame {frame}")
        if not faces and len(seen[0].data.edges) != len(lines):
            sys.exit(f"FAILED: {len(seen[0].data.edges)} lines of '{name}' in frame {frame}, expected {len(lines)}")
        for modifier in seen[0].modifiers:  # what gives lines a thickness makes other vertices
            modifier.show_viewport = modifier.type == "MESH_CACHE"
        moved = seen[0].evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices
        worst = max(abs(moved[i].co[k] - v[k]) for i, v in enumerate(vertices) for k in range(3))
        if len(moved) != len(vertices) or worst > 1e-6:
            sys.exit(f"FAILED: '{name}' in frame {frame} is off by {worst}")
    print(f"torn: '{name}' is {len(meshes)} meshes, one in each of {scene.frame_end + 1} frames")

"""Uses the add-on as an artist would, without a window: installs it, runs a scene from its panel, changes a parameter, runs it again, bakes, imports.
Called by scripts/blender_test.sh.

    blender -b --factory-startup --python-exit-code 1 --python check_addon.py -- PROGRAM SCENE FOLDER
"""
import os
import shutil
import sys

import bpy
from mathutils import Quaternion, Vector


def places(thing, frame):
    """Where the vertices are in the world, as Blender shows them, without thickness."""
    for modifier in thing.modifiers:
        modifier.show_viewport = modifier.type == "MESH_CACHE"
    bpy.context.scene.frame_set(frame)
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = shown.to_mesh()
    found = [shown.matrix_world @ v.co for v in mesh.vertices]
    shown.to_mesh_clear()
    return found


def apart(a, b):
    assert len(a) == len(b), (len(a), len(b))
    return max((x - y).length for x, y in zip(a, b))


def check_bodies(folder, frames):
    """Bodies stand where the file of poses has them."""
    import import_sinew
    poses = import_sinew.read_poses(os.path.join(folder, "wall.poses.npy"))
    assert len(poses) == frames + 1, len(poses)
    for frame in (0, frames // 2, frames):
        bpy.context.scene.frame_set(frame)
        for number in (0, 3, len(poses[0]) - 1):
            thing, pose = bpy.data.objects[f"wall[{number}]"], poses[frame][number]
            place, turn, _ = thing.matrix_world.decompose()
            wanted = Vector((pose[0], -pose[2], pose[1]))  # y is up there
            assert (place - wanted).length < 1e-5, (frame, number, place, wanted)
            upright = Quaternion((1, 0, 0), 3.14159265358979 / 2) @ Quaternion((pose[6], pose[3], pose[4], pose[5]))
            assert abs(abs(turn.dot(upright)) - 1) < 1e-5, (frame, number, turn, upright)
    moved = [bpy.data.objects[f"wall[{i}]"].animation_data for i in range(len(poses[0]))]
    assert any(moved), "no brick moves: that shows nothing"


def main():
    program, scene, folder = sys.argv[sys.argv.index("--") + 1:]
    here = os.path.dirname(os.path.abspath(__file__))
    assert bpy.ops.preferences.addon_install(filepath=os.path.join(here, "import_sinew.py"), overwrite=True) == {"FINISHED"}
    assert bpy.ops.preferences.addon_enable(module="import_sinew") == {"FINISHED"}
    panel = bpy.context.scene.sinew
    panel.command, panel.scene, panel.folder, panel.frames = program, scene, folder, 30
    assert bpy.ops.sinew.run() == {"FINISHED"}, panel.said
    assert {"curtain", "ball", "wall[0]"} <= {thing.name for thing in bpy.data.objects}, list(bpy.data.objects)
    check_bodies(folder, 30)
    count, first = len(bpy.data.objects), places(bpy.data.objects["curtain"], 30)

    bpy.ops.sinew.setting(remove=-1)
    panel.settings[0].path, panel.settings[0].value = "world.gravity", "[0, -1.62, 0]"
    assert bpy.ops.sinew.run() == {"FINISHED"}, panel.said
    assert len(bpy.data.objects) == count, "the run before was not replaced"
    second = places(bpy.data.objects["curtain"], 30)
    assert apart(first, second) > 0.05, "another gravity changed nothing"

    panel.settings[0].path = "world.gravitas"  # what is wrong is said, and the objects stay
    try:
        result = bpy.ops.sinew.run()
    except RuntimeError as error:  # how an operator that reports an error ends in a script
        assert "there is no such key" in str(error) and "did you mean 'gravity'" in str(error), error
        result = {"CANCELLED"}
    assert result == {"CANCELLED"} and len(bpy.data.objects) == count

    before = [places(bpy.data.objects["curtain"], frame) for frame in (0, 15, 30)]
    assert bpy.ops.sinew.bake() == {"FINISHED"}
    shutil.rmtree(folder)
    after = [places(bpy.data.objects["curtain"], frame) for frame in (0, 15, 30)]
    assert max(map(apart, before, after)) < 1e-5, "what was baked is elsewhere"
    assert not any(m.type == "MESH_CACHE" for m in bpy.data.objects["curtain"].modifiers)
    bpy.ops.preferences.addon_disable(module="import_sinew")
    assert not hasattr(bpy.types.Scene, "sinew")
    print(f"the add-on ran a scene twice, with {count} objects, and baked it")


main()

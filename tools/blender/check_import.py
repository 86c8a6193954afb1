"""Imports a folder as an artist would and holds every vertex, as Blender sees it after the Mesh Cache modifier, against
the NumPy arrays of the same run, bit for bit; then renders a picture. Called by scripts/blender_test.sh.

    blender -b --factory-startup --python-exit-code 1 --python check_import.py -- FOLDER PICTURE FRAMES
"""
import os
import sys

import bpy
import numpy
from mathutils import Vector

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import import_sinew  # noqa: E402
import studio  # noqa: E402

def evaluated(thing):
    """The vertices after the modifiers that are switched on."""
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = shown.to_mesh()
    places = numpy.empty(3 * len(mesh.vertices), dtype=numpy.float32)
    mesh.vertices.foreach_get("co", places)
    shown.to_mesh_clear()
    return places.reshape(-1, 3)

def check(thing, folder, frames):
    expected = numpy.load(os.path.join(folder, thing.name + ".npy"))
    assert len(expected) == frames, f"{thing.name}.npy has {len(expected)} frames, expected {frames}"
    assert bpy.context.scene.frame_end == frames - 1, f"Blender ends at {bpy.context.scene.frame_end}, expected {frames - 1}"
    others = [m for m in thing.modifiers if m.type != "MESH_CACHE"]
    for modifier in others:
        modifier.show_viewport = False
    # the first and the last frames, and some between
    numbers = sorted({0, 1, frames // 3, frames // 2, frames - 2, frames - 1})
    for number in numbers:
        bpy.context.scene.frame_set(number)
        places = evaluated(thing)
        wanted = expected[number].astype(numpy.float32)
        assert places.shape == wanted.shape, f"{thing.name}: {places.shape} vertices, expected {wanted.shape}"
        different = numpy.flatnonzero((places.view(numpy.uint32) != wanted.view(numpy.uint32)).any(axis=1))
        if len(different):
            i = different[0]
            raise AssertionError(f"{thing.name}: {len(different)} vertices differ in frame {number}; "
                                 f"vertex {i} is {places[i]!r}, expected {wanted[i]!r}")
    assert (expected[0] != expected[-1]).any(), f"{thing.name} does not move: that shows nothing"
    for modifier in others:
        modifier.show_viewport = True
    bpy.context.scene.frame_set(frames - 1)
    if others:
        assert len(evaluated(thing)) > len(wanted), f"{thing.name} has no thickness"
    print(f"{thing.name}: {len(wanted)} vertices in {len(numbers)} frames are the same to the last bit")

def check_upright(thing):
    """y of the file is up in Blender."""
    bpy.context.scene.frame_set(0)
    up = thing.matrix_world.to_3x3() @ Vector((0, 1, 0))
    assert up.z > 0.999999, f"{thing.name} does not stand upright: {up}"

def main():
    folder, picture, frames = sys.argv[sys.argv.index("--") + 1:]
    frames = int(frames)
    import_sinew.clear_startup()
    things = import_sinew.import_folder(folder)
    assert things, "nothing was imported"
    for thing in things:
        check_upright(thing)
        check(thing, folder, frames)
    for name in ("Camera", "Light"):
        bpy.data.objects.remove(bpy.data.objects[name])
    studio.set_up(things, [0, frames // 2, frames - 1], 640, 360, None, None, 48)
    studio.render(picture, frames - 1)
    assert os.path.getsize(picture) > 10000, "the picture is empty"

main()

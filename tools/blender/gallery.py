"""Renders one picture of a run. Called by scripts/gallery.sh.

    blender -b --factory-startup --python-exit-code 1 --python gallery.py -- FOLDER PICTURE [key=value ...]

    frame=N        the frame to show, 0 being the start; otherwise the last one
    from=N         the first frame that matters, for ghosts and for the camera; otherwise 0
    ghosts=N       so many earlier moments, evenly spaced, as pale copies
    azimuth=A      where the camera stands, in degrees; 0 is in front, positive to the right
    elevation=E    and how high
    colour=N       where in the palette to begin, from 0 on
    balls=1        particles of surfaces and solids as balls of their radius
    tears=1        of gallery.sh: the run is written with the triangles of every frame
    samples=N      more are smoother and take longer
    size=WxH       in pixels
"""
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import import_sinew  # noqa: E402
import studio  # noqa: E402


def make_pale(material, share):
    """A copy of a material of which only a share is there."""
    pale = material.copy()
    nodes, link = pale.node_tree.nodes, pale.node_tree.links.new
    mix, clear = nodes.new("ShaderNodeMixShader"), nodes.new("ShaderNodeBsdfTransparent")
    mix.inputs[0].default_value = share
    link(clear.outputs[0], mix.inputs[1])
    link(nodes["Principled BSDF"].outputs[0], mix.inputs[2])
    link(mix.outputs[0], nodes["Material Output"].inputs["Surface"])
    return pale


def add_ghosts(things, frames):
    """Frozen copies of all things in these frames, the older the paler."""
    for number, frame in enumerate(frames):
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for thing in things:
            shown = thing.evaluated_get(graph)
            mesh = bpy.data.meshes.new_from_object(shown)
            ghost = bpy.data.objects.new(f"{thing.name} {frame}", mesh)
            ghost.matrix_world = thing.matrix_world
            ghost.visible_shadow = False
            share = 0.1 + 0.35 * number / max(1, len(frames) - 1)
            for i, material in enumerate(mesh.materials):
                if material:
                    mesh.materials[i] = make_pale(material, share)
            bpy.context.scene.collection.objects.link(ghost)


def main():
    folder, picture, *rest = sys.argv[sys.argv.index("--") + 1:]
    options = dict(pair.split("=", 1) for pair in rest)
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    things = import_sinew.import_folder(folder, int(options.get("colour", 0)))
    last = bpy.context.scene.frame_end
    frame = min(int(options.get("frame", last)), last)
    first = min(int(options.get("from", 0)), frame)
    ghosts = int(options.get("ghosts", 0))
    # the camera sees the way to the frame that is shown only if that is part of the picture
    span = [first + (frame - first) * i // 12 for i in range(13)] if ghosts else [frame]
    width, height = (int(n) for n in options.get("size", "800x500").split("x"))
    angles = [float(options[name]) if name in options else None for name in ("azimuth", "elevation")]
    studio.set_up(things, span, width, height, *angles, int(options.get("samples", 72)),
                    bool(int(options.get("balls", 0))))
    add_ghosts(things, [first + (frame - first) * i // ghosts for i in range(ghosts)])
    studio.render(picture, frame)


main()

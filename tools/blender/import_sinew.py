"""Imports what `sinew run SCENE --out FOLDER --format pc2` wrote into Blender.

    blender --python import_sinew.py -- FOLDER

Every NAME.obj with a NAME.pc2 beside it becomes an object: the mesh as it is in the file, moved by a Mesh Cache
modifier; static and kinematic bodies are objects like others, in grey. Vertices keep their order and their coordinates to the last bit;
Sinew's y points up, so the object is turned upright, not its vertices. Ropes, nets and other things made of lines get a
thickness, loose particles become balls.
Frame 1 is the first frame of the run. Made for Blender 3.4, with and without a window; what later versions call
differently is asked for, but only 3.4 is tested.
"""
import math
import os
import struct
import sys

import bpy

# Colours of the objects, one after the other (sRGB).
PALETTE = ["#d1495b", "#2e7dab", "#edae49", "#4f9d69", "#8b6fb0", "#e07b39", "#3aa6a0", "#b5838d"]

# Static bodies are all alike, so that they look like the room and not like what happens in it.
OBSTACLE = "#c3c9cf"

# Objects whose lines are drawn as sticks with joints; others are ropes.
STICKS = {"pendulum", "figure", "chain", "box", "particles"}

# An edge of a solid that is sharper than this stays an edge, in radians.
SHARP_ANGLE = math.radians(50)


def read_obj(path):
    """Vertices, lines and faces in the order of the file, and what its comments say about the run."""
    vertices, lines, faces, about = [], [], [], {}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            word = line.split()
            if not word:
                continue
            if word[0] == "v":
                vertices.append((float(word[1]), float(word[2]), float(word[3])))
            elif word[0] == "f":
                faces.append([int(w.split("/")[0]) - 1 for w in word[1:]])
            elif word[0] == "l":
                corners = [int(w.split("/")[0]) - 1 for w in word[1:]]
                lines.extend(zip(corners, corners[1:]))
            elif word[:2] == ["#", "sinew"] and len(word) > 3:
                about[word[2]] = " ".join(word[3:])
    return vertices, lines, faces, about


def read_cache_header(path):
    """Points and frames of a PC2 file."""
    with open(path, "rb") as file:
        head = file.read(32)
    if len(head) < 32 or head[:12] != b"POINTCACHE2\0":
        raise ValueError(f"{path} is not a point cache")
    _, points, _, _, frames = struct.unpack("<iiffi", head[12:])
    return points, frames


def linear(colour):
    """A colour like #2e7dab as Blender wants it."""
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts] + [1.0]


def make_material(name, colour, roughness=0.55):
    material = bpy.data.materials.new(name)
    material.diffuse_color = linear(colour)
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = linear(colour)
    shader.inputs["Roughness"].default_value = roughness
    for name in ("Specular", "Specular IOR Level"):  # 3.x, 4.x
        if name in shader.inputs:
            shader.inputs[name].default_value = 0.3
    return material


def extent(vertices):
    """The diagonal of the box around them."""
    if not vertices:
        return 1.0
    sides = [max(v[i] for v in vertices) - min(v[i] for v in vertices) for i in range(3)]
    return math.sqrt(sum(s * s for s in sides)) or 1.0


def add_cache(thing, path):
    """The Mesh Cache modifier: positions from the file, no axis changed."""
    cache = thing.modifiers.new("Sinew", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.filepath = path
    cache.deform_mode = "OVERWRITE"
    cache.interpolation = "LINEAR"
    cache.time_mode = "FRAME"
    cache.play_mode = "SCENE"
    cache.frame_start = 1
    cache.frame_scale = 1
    cache.forward_axis = "POS_Y"
    cache.up_axis = "POS_Z"
    return cache


def geometry_group(name):
    """An empty node group from geometry to geometry, with its two ends."""
    group = bpy.data.node_groups.new(name, "GeometryNodeTree")
    if hasattr(group, "interface"):  # 4.0 and later
        group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    else:
        group.inputs.new("NodeSocketGeometry", "Geometry")
        group.outputs.new("NodeSocketGeometry", "Geometry")
    return group, group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")


def add_thickness(thing, material, radius, joint):
    """Tubes along the lines and balls at the points: geometry nodes after the cache. radius 0: balls alone."""
    group, start, end = geometry_group(thing.name + " thickness")
    nodes, link = group.nodes, group.links.new
    join = nodes.new("GeometryNodeJoinGeometry")
    if radius:
        curve = nodes.new("GeometryNodeMeshToCurve")
        circle = nodes.new("GeometryNodeCurvePrimitiveCircle")
        circle.inputs["Resolution"].default_value = 12
        circle.inputs["Radius"].default_value = radius
        tube = nodes.new("GeometryNodeCurveToMesh")
        link(start.outputs[0], curve.inputs["Mesh"])
        link(curve.outputs[0], tube.inputs["Curve"])
        link(circle.outputs["Curve"], tube.inputs["Profile Curve"])
        link(tube.outputs[0], join.inputs[0])
    ball = nodes.new("GeometryNodeMeshIcoSphere")
    ball.inputs["Radius"].default_value = joint
    ball.inputs["Subdivisions"].default_value = 3 if len(thing.data.vertices) <= 1000 else 2
    instances = nodes.new("GeometryNodeInstanceOnPoints")
    real = nodes.new("GeometryNodeRealizeInstances")
    smooth = nodes.new("GeometryNodeSetShadeSmooth")
    paint = nodes.new("GeometryNodeSetMaterial")
    paint.inputs["Material"].default_value = material
    link(start.outputs[0], instances.inputs["Points"])
    link(ball.outputs[0], instances.inputs["Instance"])
    link(instances.outputs[0], real.inputs[0])
    link(real.outputs[0], join.inputs[0])
    link(join.outputs[0], smooth.inputs[0])
    link(smooth.outputs[0], paint.inputs["Geometry"])
    link(paint.outputs[0], end.inputs[0])
    modifier = thing.modifiers.new("Thickness", "NODES")
    modifier.node_group = group
    return modifier


def is_solid(mesh):
    """Closed and with sharp edges: a block, but not a balloon or a cloth."""
    sides = {}
    for polygon in mesh.polygons:
        for key in polygon.edge_keys:
            sides.setdefault(key, []).append(polygon)
    if any(len(both) != 2 for both in sides.values()):
        return False
    return any(a.normal.dot(b.normal) < math.cos(SHARP_ANGLE) for a, b in sides.values())


def shade(thing, material):
    """Smooth, except for the edges of solids."""
    mesh = thing.data
    mesh.materials.append(material)
    solid = is_solid(mesh)
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    if solid and hasattr(mesh, "use_auto_smooth"):  # until 4.0
        mesh.use_auto_smooth = True
        mesh.auto_smooth_angle = SHARP_ANGLE
    elif solid and hasattr(mesh, "set_sharp_from_angle"):
        mesh.set_sharp_from_angle(angle=SHARP_ANGLE)


def import_object(folder, name, colour):
    """One object. Gives it and what the file says about it."""
    vertices, lines, faces, about = read_obj(os.path.join(folder, name + ".obj"))
    cache = os.path.abspath(os.path.join(folder, name + ".pc2"))
    points, about["frames"] = read_cache_header(cache)
    if points != len(vertices):
        raise ValueError(f"{cache} has {points} points, {name}.obj {len(vertices)} vertices")
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, lines, faces)
    mesh.update()
    thing = bpy.data.objects.new(name, mesh)
    thing.rotation_euler.x = math.pi / 2
    bpy.context.scene.collection.objects.link(thing)
    add_cache(thing, cache)
    shape = about.get("type", "").split()
    thing["sinew_type"] = about.get("type", "")
    thing["sinew_radius"] = float(about.get("radius", 0))
    material = make_material(name, OBSTACLE if shape[:1] in (["static"], ["kinematic"]) else colour, 0.7 if faces else 0.5)
    if shape in (["static", "mesh"], ["kinematic", "mesh"]):  # a glass, or a funnel: what is in it is to be seen
        material.node_tree.nodes["Principled BSDF"].inputs["Alpha"].default_value = 0.35
        material.blend_method = "BLEND"
    if faces:
        shade(thing, material)
        return thing, about
    sticks = bool(lines) and about.get("type") in STICKS
    radius = float(about.get("radius", 0)) or (0.012 if sticks else 0.008) * extent(vertices)
    joint = 2 * radius if sticks else radius
    add_thickness(thing, material, radius if lines else 0, joint)
    return thing, about


def set_frames(frames, rate):
    """The scene's range and speed. Blender wants whole frames a second; others get a divisor (29.97 = 30 / 1.001)."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, max(frames, 1)
    scene.render.fps = max(1, math.ceil(rate - 1e-6))
    scene.render.fps_base = scene.render.fps / rate
    scene.frame_set(1)


def import_folder(folder, first_colour=0):
    """All objects and bodies of a folder, in the order of their names."""
    names = sorted(f[:-4] for f in os.listdir(folder)
                   if f.endswith(".pc2") and os.path.exists(os.path.join(folder, f[:-4] + ".obj")))
    if not names:
        raise FileNotFoundError(f"there is no NAME.obj with a NAME.pc2 in {folder}; "
                                "was it written with --format pc2?")
    things, frames, rate = [], 0, 60.0
    colour = first_colour
    for name in names:
        thing, about = import_object(folder, name, PALETTE[colour % len(PALETTE)])
        colour += not about.get("type", "").startswith(("static ", "kinematic "))
        things.append(thing)
        frames = max(frames, about["frames"])
        rate = float(about.get("rate", rate))
    set_frames(frames, rate)
    return things


def clear_startup():
    """Takes the cube away that an empty Blender starts with; what belongs to somebody is left alone."""
    if not bpy.data.filepath and sorted(o.name for o in bpy.data.objects) == ["Camera", "Cube", "Light"]:
        bpy.data.objects.remove(bpy.data.objects["Cube"])


def main():
    arguments = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    if len(arguments) != 1:
        sys.exit("usage: blender --python import_sinew.py -- FOLDER")
    clear_startup()
    for thing in import_folder(arguments[0]):
        print(f"imported {thing.name}: {len(thing.data.vertices)} vertices, {len(thing.data.polygons)} faces")


if __name__ == "__main__":
    main()

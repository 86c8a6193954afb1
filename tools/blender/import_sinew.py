"""Imports what `sinew run SCENE --out FOLDER` wrote into Blender. A script, and an add-on.

    blender --python import_sinew.py -- FOLDER

Every NAME.obj with a NAME.pc2 beside it becomes an object: the mesh as it is in the file, moved by a Mesh Cache modifier. Vertices keep their
order and their coordinates to the last bit; Sinew's y points up, so the object is turned upright, not its vertices. Ropes, nets and other things
made of lines get a thickness, loose particles become balls. Every NAME.obj with a NAME.poses.npy is a rigid body, or several: each becomes an object
with keyframes for location and rotation, under an empty that is turned upright. Static and kinematic bodies are grey.
What is torn or cut has other triangles, or lines, from some frame on, which a cache cannot say: where the run wrote a mesh for each frame as well
(--format pc2,obj), such an object becomes several, one after the other, of which one is seen in every frame.
Frame 1 is the start of the run. What cannot be imported is said on standard error, and the script ends with exit code 1.

As an add-on (Edit > Preferences > Add-ons > Install..., then this file) it is File > Import > Sinew run, and a panel "Sinew" in the sidebar of the
3D view: choose a scene file, or the name of one that comes with Sinew, change parameters, run it again, and bake the result into the .blend file.

Made for Blender 3.4, with and without a window; what later versions call differently is asked for, but only 3.4 is tested.
"""
import ast
import math
import os
import struct
import subprocess
import sys
import tempfile
from array import array

import bpy
from mathutils import Matrix, Quaternion, Vector

bl_info = {
    "name": "Sinew",
    "description": "Run scenes of Sinew, a position-based dynamics engine, and import what they do",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "View3D > Sidebar > Sinew; File > Import > Sinew run",
    "category": "Import-Export",
}

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


def read_poses(path):
    """Poses of a NumPy array [frame][body][7]: a list of frames of bodies of 7 numbers. Without NumPy, which not every Blender has."""
    with open(path, "rb") as file:
        head = file.read(10)
        if len(head) < 10 or head[:6] != b"\x93NUMPY" or head[6] != 1:
            raise ValueError(f"{path} is not an array of poses")
        about = ast.literal_eval(file.read(struct.unpack("<H", head[8:])[0]).decode("latin-1"))
        shape = about["shape"]
        if len(shape) != 3 or shape[2] != 7 or about["descr"] not in ("<f4", "<f8"):
            raise ValueError(f"{path} has shape {shape} of {about['descr']}, expected [frame][body][7] of <f4")
        numbers = array("f" if about["descr"] == "<f4" else "d")
        numbers.frombytes(file.read())
    if sys.byteorder == "big":
        numbers.byteswap()
    frames, bodies, _ = shape
    if len(numbers) < frames * bodies * 7:
        raise ValueError(f"{path} is cut short")
    return [[numbers[7 * (f * bodies + b):7 * (f * bodies + b) + 7] for b in range(bodies)] for f in range(frames)]


def read_pieces(path):
    """The bodies of an OBJ: (number, vertices, faces) each, faces counting the vertices of the body; and its comments."""
    pieces, about, first, total = [], {}, 0, 0
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            word = line.split()
            if not word:
                continue
            if word[0] == "o" or (word[0] == "v" and not pieces):
                pieces.append((int(word[1]) if word[0] == "o" else 0, [], []))
                first = total
            if word[0] == "v":
                pieces[-1][1].append(Vector([float(w) for w in word[1:4]]))
                total += 1
            elif word[0] == "f":
                pieces[-1][2].append([int(w.split("/")[0]) - 1 - first for w in word[1:]])
            elif word[:2] == ["#", "sinew"] and len(word) > 3:
                about[word[2]] = " ".join(word[3:])
    return pieces, about


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
    cache.frame_start = 0
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
    material = make_material(name, colour, 0.7 if faces else 0.5)
    return make_object(name, material, vertices, lines, faces, about, cache), about


def read_sequence(folder, name, files):
    """The meshes of a run frame by frame, as [first frame, lines, faces, vertices of each frame]: a new one begins where lines or faces change.
    Empty if there are none, or they never do."""
    found, frame = [], 0
    while f"{name}_{frame:04d}.obj" in files:
        vertices, lines, faces, _ = read_obj(os.path.join(folder, f"{name}_{frame:04d}.obj"))
        if not found or found[-1][1] != lines or found[-1][2] != faces or len(found[-1][3][0]) != len(vertices):
            found.append([frame, lines, faces, []])
        found[-1][3].append(vertices)
        frame += 1
    return found if len(found) > 1 else []


def write_cache(path, frames):
    """A PC2 file of places."""
    with open(path, "wb") as file:
        file.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, len(frames[0]), 0.0, 1.0, len(frames)))
        for vertices in frames:
            file.write(array("f", [c for v in vertices for c in v]).tobytes())


def show_only(thing, first, end):
    """It is seen from one frame on, and from another on no more."""
    for path in ("hide_viewport", "hide_render"):
        for frame, hidden in ((first - 1, True), (first, False), (end, True)):
            setattr(thing, path, hidden)
            thing.keyframe_insert(path, frame=frame)


def import_torn(folder, name, colour, sequence):
    """What is torn, or cut: an object for each set of triangles that it had."""
    about = read_obj(os.path.join(folder, name + ".obj"))[3]
    material = make_material(name, colour, 0.7 if sequence[0][2] else 0.5)
    things = []
    for number, (first, lines, faces, frames) in enumerate(sequence):
        cache = os.path.abspath(os.path.join(folder, f"{name}.torn_{number:04d}.pc2"))
        write_cache(cache, frames)
        thing = make_object(f"{name}.{number:04d}", material, frames[0], lines, faces, about, cache)
        thing.modifiers["Sinew"].frame_start = first
        show_only(thing, first, first + len(frames))
        things.append(thing)
    about["frames"] = sequence[-1][0] + len(sequence[-1][3])
    return things, about


def make_object(name, material, vertices, lines, faces, about, cache):
    """A mesh that a cache moves."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, lines, faces)
    mesh.update()
    thing = bpy.data.objects.new(name, mesh)
    thing.rotation_euler.x = math.pi / 2
    bpy.context.scene.collection.objects.link(thing)
    add_cache(thing, cache)
    thing["sinew_type"] = about.get("type", "")
    thing["sinew_radius"] = float(about.get("radius", 0))
    if faces:
        shade(thing, material)
        return thing
    sticks = bool(lines) and about.get("type") in STICKS
    radius = float(about.get("radius", 0)) or (0.012 if sticks else 0.008) * extent(vertices)
    joint = 2 * radius if sticks else radius
    add_thickness(thing, material, radius if lines else 0, joint)
    return thing


def body_material(name, about, colour):
    shape = about.get("type", "").split()
    stands = shape[:1] in (["static"], ["kinematic"])
    material = make_material(name, OBSTACLE if stands else colour, 0.7)
    if shape in (["static", "mesh"], ["kinematic", "mesh"]):  # a glass, or a funnel: what is in it is to be seen
        material.node_tree.nodes["Principled BSDF"].inputs["Alpha"].default_value = 0.35
        material.blend_method = "BLEND"
    return material


def animate(thing, poses):
    """Keyframes at every frame, from 0 on; none for what does not move."""
    thing.rotation_mode = "QUATERNION"
    turns, last = [], None
    for pose in poses:
        turn = Quaternion((pose[6], pose[3], pose[4], pose[5]))
        if last is not None and turn.dot(last) < 0:  # the same turn, by the shorter way
            turn.negate()
        turns.append(turn)
        last = turn
    thing.location = poses[0][:3]
    thing.rotation_quaternion = turns[0]
    if all(pose == poses[0] for pose in poses):
        return
    action = bpy.data.actions.new(thing.name)
    thing.animation_data_create().action = action
    tracks = [("location", i, [pose[i] for pose in poses]) for i in range(3)]
    tracks += [("rotation_quaternion", i, [turn[i] for turn in turns]) for i in range(4)]
    for path, index, values in tracks:
        curve = action.fcurves.new(path, index=index)
        curve.keyframe_points.add(len(values))
        curve.keyframe_points.foreach_set("co", [n for frame, value in enumerate(values) for n in (frame, value)])
        curve.keyframe_points.foreach_set("interpolation", [1] * len(values))  # linear
        curve.update()


def import_bodies(folder, name, colour):
    """The rigid bodies of a file, under an empty that is turned upright. Gives them and what the file says."""
    pieces, about = read_pieces(os.path.join(folder, name + ".obj"))
    poses = read_poses(os.path.join(folder, name + ".poses.npy"))
    about["frames"] = len(poses)
    if not poses:
        raise ValueError(f"{name}.poses.npy has no frames")
    upright = bpy.data.objects.new(name + " upright", None)
    upright.rotation_euler.x = math.pi / 2
    upright.empty_display_size = 0.1
    bpy.context.scene.collection.objects.link(upright)
    material, meshes, things = body_material(name, about, colour), {}, []
    for number, vertices, faces in pieces:
        if number >= len(poses[0]):
            raise ValueError(f"{name}.obj has a body {number}, {name}.poses.npy only {len(poses[0])}")
        start = poses[0][number]
        turn = Quaternion((start[6], start[3], start[4], start[5]))
        back = Matrix.Translation(start[:3]) @ turn.to_matrix().to_4x4()
        back.invert()
        own = [back @ v for v in vertices]
        look = (tuple(round(n, 5) for v in own for n in v), tuple(map(tuple, faces)))
        mesh = meshes.get(look)  # bodies that look alike share their mesh
        label = name if len(pieces) == 1 else f"{name}[{number}]"
        if mesh is None:
            mesh = meshes[look] = bpy.data.meshes.new(label)
            mesh.from_pydata(own, [], faces)
            mesh.update()
        thing = bpy.data.objects.new(label, mesh)
        if not mesh.materials:
            shade(thing, material)
        thing.parent = upright
        thing["sinew_type"], thing["sinew_radius"] = about.get("type", ""), 0.0
        bpy.context.scene.collection.objects.link(thing)
        animate(thing, [frame[number] for frame in poses])
        things.append(thing)
    return things, about


def set_frames(frames, rate):
    """The scene's range and speed. Blender wants whole frames a second; others get a divisor (29.97 = 30 / 1.001)."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 0, max(frames - 1, 0)
    scene.render.fps = max(1, math.ceil(rate - 1e-6))
    scene.render.fps_base = scene.render.fps / rate
    scene.frame_set(0)


def import_folder(folder, first_colour=0):
    """All objects and bodies of a folder, in the order of their names."""
    files = set(os.listdir(folder))
    names = sorted(f[:-4] for f in files if f.endswith(".obj") and (f[:-4] + ".pc2" in files or f[:-4] + ".poses.npy" in files))
    if not names:
        raise FileNotFoundError(f"there is no NAME.obj with a NAME.pc2 or a NAME.poses.npy in {folder}; "
                                "was it written with --format pc2?")
    things, frames, rate = [], 0, 60.0
    colour = first_colour
    for name in names:
        shown = PALETTE[colour % len(PALETTE)]
        sequence = read_sequence(folder, name, files) if name + ".pc2" in files else []
        if sequence:
            made, about = import_torn(folder, name, shown, sequence)
        elif name + ".pc2" in files:
            thing, about = import_object(folder, name, shown)
            made = [thing]
        else:
            made, about = import_bodies(folder, name, shown)
        colour += not about.get("type", "").startswith(("static ", "kinematic "))
        things += made
        frames = max(frames, about["frames"])
        rate = float(about.get("rate", rate))
    set_frames(frames, rate)
    return things


def clear_startup():
    """Takes the cube away that an empty Blender starts with; what belongs to somebody is left alone."""
    if not bpy.data.filepath and sorted(o.name for o in bpy.data.objects) == ["Camera", "Cube", "Light"]:
        bpy.data.objects.remove(bpy.data.objects["Cube"])


# ---- The add-on ------------------------------------------------------------------------------------------------------


class SinewSetting(bpy.types.PropertyGroup):
    """A change to the scene before it is run, as of `sinew run --set`."""
    path: bpy.props.StringProperty(name="Path", description="What to change, such as world.substeps or objects[0].length")
    value: bpy.props.StringProperty(name="Value", description="A number, a text or any JSON")


class SinewProperties(bpy.types.PropertyGroup):
    scene: bpy.props.StringProperty(name="Scene", subtype="FILE_PATH", default="curtain",
                                    description="A scene file, or the name of a scene that comes with Sinew")
    command: bpy.props.StringProperty(name="Command", subtype="FILE_PATH", default="sinew", description="The program sinew")
    folder: bpy.props.StringProperty(name="Folder", subtype="DIR_PATH", default="",
                                     description="Where the run is written; empty: a folder of its own among temporary files")
    frames: bpy.props.IntProperty(name="Frames", default=0, min=0, description="0: as many as the scene says")
    tears: bpy.props.BoolProperty(name="Show tears", default=True,
                                  description="Write a mesh for each frame as well, so that what tears or is cut is seen so")
    settings: bpy.props.CollectionProperty(type=SinewSetting)
    said: bpy.props.StringProperty(name="What the run said", default="")


def collection_of_run():
    """The collection that a run is imported into, emptied of the run before."""
    collection = bpy.data.collections.get("Sinew")
    if collection is None:
        collection = bpy.data.collections.new("Sinew")
        bpy.context.scene.collection.children.link(collection)
    for thing in list(collection.objects):
        data, action = thing.data, thing.animation_data and thing.animation_data.action
        bpy.data.objects.remove(thing)
        if isinstance(data, bpy.types.Mesh) and not data.users:
            bpy.data.meshes.remove(data)
        if action and not action.users:
            bpy.data.actions.remove(action)
    return collection


def import_into_collection(folder):
    collection = collection_of_run()
    things = import_folder(folder)
    for thing in {thing.parent for thing in things if thing.parent} | set(things):
        for other in list(thing.users_collection):
            other.objects.unlink(thing)
        collection.objects.link(thing)
        thing["sinew_run"] = folder
    return things


def run_command(properties):
    """Runs the scene. Gives the folder; raises with what the command said."""
    folder = bpy.path.abspath(properties.folder) if properties.folder else tempfile.mkdtemp(prefix="sinew-")
    scene = properties.scene
    if scene.startswith("//") or os.sep in scene or scene.endswith(".json"):
        scene = bpy.path.abspath(scene)
    command = [properties.command, "run", scene, "--out", folder, "--format", "pc2,obj" if properties.tears else "pc2"]
    if properties.frames:
        command += ["--frames", str(properties.frames)]
    for setting in properties.settings:
        if setting.path:
            command += ["--set", f"{setting.path}={setting.value}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise RuntimeError(f"the command '{properties.command}' cannot be run: {error.strerror}") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if ": frame " not in line]
        raise RuntimeError("\n".join(lines) or f"sinew ended with code {done.returncode}")
    properties.said = done.stdout.splitlines()[0] if done.stdout else ""
    return folder


class SINEW_OT_run(bpy.types.Operator):
    """Run the scene with these settings, and import what it does in the place of the run before"""
    bl_idname = "sinew.run"
    bl_label = "Run"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        try:
            things = import_into_collection(run_command(context.scene.sinew))
        except (OSError, ValueError, RuntimeError) as error:
            context.scene.sinew.said = str(error).splitlines()[0]
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{len(things)} objects; {context.scene.sinew.said}")
        return {"FINISHED"}


class SINEW_OT_import(bpy.types.Operator):
    """Import the folder of a run of Sinew"""
    bl_idname = "sinew.import_run"
    bl_label = "Sinew run"
    bl_options = {"REGISTER", "UNDO"}
    directory: bpy.props.StringProperty(subtype="DIR_PATH")
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def execute(self, context):
        try:
            things = import_into_collection(bpy.path.abspath(self.directory))
        except (OSError, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"imported {len(things)} objects")
        return {"FINISHED"}

    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}


def bake_cache(thing):
    """Puts the frames of a point cache into the object as shape keys, one a frame, and takes the cache away."""
    cache = next((m for m in thing.modifiers if m.type == "MESH_CACHE"), None)
    if cache is None:
        return False
    points, frames = read_cache_header(cache.filepath)
    places = array("f")
    with open(cache.filepath, "rb") as file:
        file.seek(32)
        places.frombytes(file.read(12 * points * frames))
    if len(places) < 3 * points * frames:
        raise ValueError(f"{cache.filepath} is cut short")
    if sys.byteorder == "big":
        places.byteswap()
    for frame in range(frames):
        key = thing.shape_key_add(name=f"{frame:04d}", from_mix=False)
        key.data.foreach_set("co", places[3 * points * frame:3 * points * (frame + 1)])
        key.interpolation = "KEY_LINEAR"
    keys = thing.data.shape_keys
    keys.use_relative = False
    for frame, time in ((0, keys.key_blocks[0].frame), (frames - 1, keys.key_blocks[-1].frame)):
        keys.eval_time = time
        keys.keyframe_insert("eval_time", frame=frame)
    for point in keys.animation_data.action.fcurves[0].keyframe_points:
        point.interpolation = "LINEAR"
    thing.modifiers.remove(cache)
    return True


class SINEW_OT_bake(bpy.types.Operator):
    """Put the motion into this .blend file, as shape keys, so that it needs the folder of the run no more"""
    bl_idname = "sinew.bake"
    bl_label = "Bake into file"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        collection = bpy.data.collections.get("Sinew")
        try:
            count = sum(bake_cache(thing) for thing in (collection.objects if collection else []))
        except (OSError, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"baked {count} objects; rigid bodies have keyframes already")
        return {"FINISHED"}


class SINEW_OT_setting(bpy.types.Operator):
    """Add a parameter to be changed, or remove one"""
    bl_idname = "sinew.setting"
    bl_label = "Parameter"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}
    remove: bpy.props.IntProperty(default=-1)

    def execute(self, context):
        settings = context.scene.sinew.settings
        if self.remove >= 0:
            settings.remove(self.remove)
        else:
            settings.add()
        return {"FINISHED"}


class SINEW_PT_panel(bpy.types.Panel):
    bl_label = "Sinew"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Sinew"

    def draw(self, context):
        properties, layout = context.scene.sinew, self.layout
        for name in ("scene", "frames", "tears", "folder", "command"):
            layout.prop(properties, name)
        box = layout.box()
        row = box.row()
        row.label(text="Parameters")
        row.operator("sinew.setting", text="", icon="ADD").remove = -1
        for i, setting in enumerate(properties.settings):
            row = box.row(align=True)
            row.prop(setting, "path", text="")
            row.prop(setting, "value", text="")
            row.operator("sinew.setting", text="", icon="X").remove = i
        layout.operator("sinew.run", icon="PLAY")
        layout.operator("sinew.bake", icon="FILE_TICK")
        if properties.said:
            layout.label(text=properties.said)


CLASSES = (SinewSetting, SinewProperties, SINEW_OT_run, SINEW_OT_import, SINEW_OT_bake, SINEW_OT_setting, SINEW_PT_panel)


def menu_item(self, context):
    self.layout.operator("sinew.import_run", text="Sinew run (folder)")


def register():
    for kind in CLASSES:
        bpy.utils.register_class(kind)
    bpy.types.Scene.sinew = bpy.props.PointerProperty(type=SinewProperties)
    bpy.types.TOPBAR_MT_file_import.append(menu_item)


def unregister():
    bpy.types.TOPBAR_MT_file_import.remove(menu_item)
    del bpy.types.Scene.sinew
    for kind in reversed(CLASSES):
        bpy.utils.unregister_class(kind)


# ---- The script ------------------------------------------------------------------------------------------------------


def main():
    arguments = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    if len(arguments) != 1:
        sys.exit("usage: blender --python import_sinew.py -- FOLDER")
    try:
        clear_startup()
        for thing in import_folder(arguments[0]):
            print(f"imported {thing.name}: {len(thing.data.vertices)} vertices, {len(thing.data.polygons)} faces")
    except (OSError, ValueError) as error:
        sys.exit(f"import_sinew: {error}")


if __name__ == "__main__":
    main()

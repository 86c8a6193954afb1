"""Light, ground and camera for pictures of what import_sinew imported."""
import math

import bpy
import numpy
from mathutils import Vector

import import_sinew

# Backdrop: colour at the bottom and at the top of the picture.
BACKDROP = ["#dfe5ea", "#f7f9fa"]


def is_plane(thing):
    """A static body without an end: the camera need not see all of it."""
    return thing.get("sinew_type") in ("static plane", "kinematic plane")


def bounds(things, frames):
    """The corners of the box around all vertices in these frames, in Blender's world (z is up)."""
    least, most = numpy.full(3, numpy.inf), numpy.full(3, -numpy.inf)
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for thing in things:
            if is_plane(thing):
                continue
            shown = thing.evaluated_get(graph)
            mesh = shown.to_mesh()
            places = numpy.empty(3 * len(mesh.vertices), dtype=numpy.float32)
            mesh.vertices.foreach_get("co", places)
            shown.to_mesh_clear()
            if not len(places):
                continue
            turn = numpy.array(shown.matrix_world)
            places = places.reshape(-1, 3) @ turn[:3, :3].T + turn[:3, 3]
            least, most = numpy.minimum(least, places.min(axis=0)), numpy.maximum(most, places.max(axis=0))
    return Vector(least), Vector(most)


def look(thing, direction):
    thing.rotation_euler = Vector(direction).to_track_quat("-Z", "Y").to_euler()


def add_sun():
    """From the left, over the shoulder, with soft shadows; the sky does the rest."""
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy = 2.3
    sun.data.angle = math.radians(12)
    sun.data.color = (1.0, 0.96, 0.9)
    look(sun, (0.55, 0.75, -1.0))
    bpy.context.scene.collection.objects.link(sun)


def add_sky():
    """Even, slightly blue light; the camera sees a pale gradient instead."""
    world = bpy.data.worlds.new("Studio")
    bpy.context.scene.world = world
    world.use_nodes = True
    nodes, link = world.node_tree.nodes, world.node_tree.links.new
    nodes.clear()
    path, mix, out = (nodes.new("ShaderNode" + n) for n in ("LightPath", "MixShader", "OutputWorld"))
    light, seen = nodes.new("ShaderNodeBackground"), nodes.new("ShaderNodeBackground")
    light.inputs["Color"].default_value = (0.86, 0.92, 1.0, 1.0)
    light.inputs["Strength"].default_value = 0.55
    place, split = nodes.new("ShaderNodeTexCoord"), nodes.new("ShaderNodeSeparateXYZ")
    ramp = nodes.new("ShaderNodeValToRGB")
    for end, colour in zip(ramp.color_ramp.elements, BACKDROP):
        end.color = import_sinew.linear(colour)
    link(place.outputs["Window"], split.inputs[0])
    link(split.outputs["Y"], ramp.inputs[0])
    link(ramp.outputs[0], seen.inputs["Color"])
    link(path.outputs["Is Camera Ray"], mix.inputs[0])
    link(light.outputs[0], mix.inputs[1])
    link(seen.outputs[0], mix.inputs[2])
    link(mix.outputs[0], out.inputs[0])


def add_ground(height, size, centre):
    """Nothing but the shadows on it."""
    bpy.ops.mesh.primitive_plane_add(size=60 * size, location=(centre.x, centre.y, height))
    ground = bpy.context.object
    ground.name = "Ground"
    ground.is_shadow_catcher = True
    ground.data.materials.append(import_sinew.make_material("Ground", BACKDROP[0], 1.0))


def add_camera(least, most, azimuth, elevation, aspect, margin=1.12):
    """Sees the whole box from a direction in degrees: azimuth 0 is the front (Sinew's z), more is to the right."""
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene = bpy.context.scene
    scene.collection.objects.link(camera)
    scene.camera = camera
    camera.data.lens = 60
    a, e = math.radians(azimuth), math.radians(elevation)
    back = Vector((math.sin(a) * math.cos(e), -math.cos(a) * math.cos(e), math.sin(e)))
    look(camera, -back)
    turn = camera.rotation_euler.to_quaternion()
    right, up = turn @ Vector((1, 0, 0)), turn @ Vector((0, 1, 0))
    corners = [Vector((x, y, z)) for x in (least.x, most.x) for y in (least.y, most.y) for z in (least.z, most.z)]
    half_x = math.tan(camera.data.angle_x / 2) / margin  # what lies within this slope is in the picture
    half_y = half_x / aspect
    centre = (least + most) / 2
    for _ in range(8):  # a corner that is nearer looks larger, so that the middle of the picture has to be found
        distance = max(max(abs((c - centre).dot(right)) / half_x, abs((c - centre).dot(up)) / half_y)
                       + (c - centre).dot(back) for c in corners)
        for axis in (right, up):
            slopes = [(c - centre).dot(axis) / (distance - (c - centre).dot(back)) for c in corners]
            centre = centre + axis * (max(slopes) + min(slopes)) / 2 * distance
    camera.location = centre + back * distance
    camera.data.clip_end = 100 * distance
    return camera


def make_glass(thing):
    """Clear where one looks through it, and white at its rim, where one looks along it."""
    material = thing.data.materials[0]
    nodes, link = material.node_tree.nodes, material.node_tree.links.new
    rim, alpha = nodes.new("ShaderNodeLayerWeight"), nodes.new("ShaderNodeMapRange")
    rim.inputs["Blend"].default_value = 0.35
    alpha.inputs["To Min"].default_value, alpha.inputs["To Max"].default_value = 0.06, 0.7
    link(rim.outputs["Facing"], alpha.inputs["Value"])
    link(alpha.outputs[0], nodes["Principled BSDF"].inputs["Alpha"])
    thing.visible_shadow = False


def thicken(thing):
    """Cloth that contact keeps at a distance is shown as thick as it is."""
    solid = thing.modifiers.new("Cloth", "SOLIDIFY")
    solid.thickness = 2 * thing["sinew_radius"]
    solid.offset = 0


def dress(things, balls):
    """What things get for a picture: glass, and cloth its thickness, or with balls all particles of whatever has a radius.
    Planes that lie flat become the ground; gives the height of the highest, or None."""
    heights = []
    for thing in things:
        if is_plane(thing):
            places = [(thing.matrix_world @ v.co).z for v in thing.data.vertices]
            if max(places) - min(places) < 1e-3 * thing.dimensions.length:
                heights.append(max(places))
                thing.hide_render = True
        elif thing.get("sinew_type") in ("static mesh", "kinematic mesh"):
            make_glass(thing)
        elif thing.data.polygons and thing.get("sinew_radius"):
            if balls:
                import_sinew.add_thickness(thing, thing.data.materials[0], 0, thing["sinew_radius"])
            elif thing["sinew_type"] == "cloth":
                thicken(thing)
    return max(heights, default=None)


def set_up(things, frames, width, height, azimuth, elevation, samples, balls=False):
    """A studio around what moves during these frames, rendered by Cycles on the processor, which needs no display."""
    floor = dress(things, balls)
    least, most = bounds(things, frames)
    size = max((most - least).length, 1e-6)
    flat = most.y - least.y < 0.02 * size
    if azimuth is None:
        azimuth = 14 if flat else 32
    if elevation is None:
        elevation = 7 if flat else 16
    add_sun()
    add_sky()
    add_ground(least.z - 0.001 * size if floor is None else floor, size, (least + most) / 2)
    add_camera(least, most, azimuth, elevation, width / height)
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.use_adaptive_sampling = True
    scene.cycles.adaptive_threshold = 0.015
    scene.cycles.use_denoising = False  # Debian's Blender is built without
    scene.cycles.max_bounces = 2
    scene.cycles.transparent_max_bounces = 32  # ghosts behind ghosts
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False
    scene.cycles.seed = 1
    scene.render.resolution_x, scene.render.resolution_y = width, height
    scene.render.resolution_percentage = 100
    scene.view_settings.view_transform = "Standard"


def render(path, frame):
    """To a PNG or, if the name says so, a JPEG."""
    scene = bpy.context.scene
    scene.frame_set(frame)
    settings = scene.render.image_settings
    settings.file_format = "JPEG" if path.endswith(".jpg") else "PNG"
    settings.color_mode = "RGB"
    settings.quality = 88
    settings.compression = 100
    scene.render.filepath = path
    bpy.ops.render.render(write_still=True)

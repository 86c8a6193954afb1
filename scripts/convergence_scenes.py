#!/usr/bin/env python3
"""Writes what the scenes of bench/ that are measured need: meshes that are too long to be kept.

    scripts/convergence_scenes.py FOLDER

dome.obj: a spherical cap, 4 m wide and 0.8 m high, of triangles in 34 rings, with vertices moved about a little, so that none of its directions is
special. knots.json: a fishing net of diamonds whose knots are moved about and numbered at random, as a scene for `sinew run`.
"""
import json
import math
import random
import sys

RINGS = 34
WIDE, HIGH = 4.0, 0.8


def dome(path):
    chance = random.Random(1)
    radius = (HIGH**2 + (WIDE / 2) ** 2) / (2 * HIGH)
    vertices, rings = [], []
    for ring in range(RINGS + 1):
        count = max(1, 6 * ring)
        rings.append(range(len(vertices), len(vertices) + count))
        for i in range(count):
            moved = 0.2 * WIDE / 2 / RINGS if 0 < ring < RINGS else 0
            r = WIDE / 2 * ring / RINGS + moved * chance.uniform(-1, 1)
            at = 2 * math.pi * i / count + (moved * chance.uniform(-1, 1) / r if r else 0)
            x, z = r * math.cos(at), r * math.sin(at)
            vertices.append((x, math.sqrt(radius**2 - x * x - z * z) - radius + HIGH, z))
    faces = []
    for ring in range(1, RINGS + 1):
        inner, outer = rings[ring - 1], rings[ring]
        for side in range(6):
            for i in range(ring):
                a = outer[side * ring + i]
                b = outer[(side * ring + i + 1) % len(outer)]
                c = inner[(side * (ring - 1) + i) % len(inner)]
                faces.append((a, c, b))
                if i < ring - 1:
                    faces.append((b, c, inner[(side * (ring - 1) + i + 1) % len(inner)]))
    with open(path, "w") as out:
        out.writelines("v %.6f %.6f %.6f\n" % v for v in vertices)
        out.writelines("f %d %d %d\n" % tuple(k + 1 for k in f) for f in faces)


def knots(path):
    """Diamonds: knots of a grid whose row and column are both even or both odd; cords lead to the four diagonal neighbours, and along the border."""
    chance = random.Random(2)
    side, size = 101, 3.5
    step = size / (side - 1)
    place = {}
    for row in range(side):
        for column in range(side):
            if (row + column) % 2:
                continue
            inside = 0 < row < side - 1 and 0 < column < side - 1
            moved = [0.25 * step * chance.uniform(-1, 1) if inside else 0 for _ in range(2)]
            place[row, column] = (column * step - size / 2 + moved[0], 2.0, row * step - size / 2 + moved[1])
    cords = []
    for row, column in place:
        cords += [((row, column), (row + 1, column + k)) for k in (-1, 1) if (row + 1, column + k) in place]
        if row in (0, side - 1) and column + 2 < side:
            cords.append(((row, column), (row, column + 2)))
        if column in (0, side - 1) and row + 2 < side:
            cords.append(((row, column), (row + 2, column)))
    order = list(place)
    chance.shuffle(order)
    chance.shuffle(cords)
    number = {knot: i for i, knot in enumerate(order)}
    corners = [number[row, column] for row in (0, side - 1) for column in (0, side - 1)]
    ring = []
    for i in range(8):
        at = (0.4 * math.cos(i * math.pi / 4), 0.4 * math.sin(i * math.pi / 4))
        ring.append(number[min(order, key=lambda k: math.hypot(place[k][0] - at[0], place[k][2] - at[1]))])
    way = 0.18
    scene = json.load(open("bench/net.json"))
    length = sum(math.dist(place[a], place[b]) for a, b in cords) / len(cords)
    scene["title"] = "A fishing net to be measured"
    scene["objects"] = [
        {"type": "particles", "name": "net", "positions": [v for k in order for v in place[k]], "mass": 0.01 * length * len(cords), "fixed": corners},
        {"type": "particles", "name": "load", "positions": [0, 1.9, 0], "masses": [20]},
    ]
    scene["constraints"] = [
        {"kind": "distance_max", "name": "cords", "compliance": 1e-5 * length, "index": [number[k] for cord in cords for k in cord]},
        {"kind": "distance_max", "name": "slings", "index": [v for k in ring for v in (k, len(order))]},
    ]
    scene["motions"] = [
        {"of": "net[%d]" % k, "smooth": False, "keys": [{"time": 0}, {"time": 1, "move": [-math.copysign(way, place[order[k]][0]), 0, -math.copysign(way, place[order[k]][2])]}]}
        for k in corners
    ]
    json.dump(scene, open(path, "w"))


if __name__ == "__main__":
    dome(sys.argv[1] + "/dome.obj")
    knots(sys.argv[1] + "/knots.json")

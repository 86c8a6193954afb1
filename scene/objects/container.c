#include "scene/objects/container.h"

#include <math.h>

enum { MOST_SIDES = 32 };

sn_container_def sn_default_container_def(void)
{
    return (sn_container_def){.size = {1, 1, 1}, .wall = (sn_real)0.1, .sides = 4};
}

static void container_defaults(void *record)
{
    *(sn_container_def *)record = sn_default_container_def();
}

/* Makes the walls. Each reaches as far as the outer sides of its neighbours and down to the lower side of the floor. */
static void make_walls(const sn_container_def *def, sn_shape_def *shape)
{
    const double w = (double)def->wall, high = (double)def->size.y + w, turn = 2 * SN_PI / def->sides;
    const double tangent = sn_math_sin(turn / 2) / sn_math_cos(turn / 2);
    for (uint32_t i = 0; i < def->sides; ++i) {
        const double angle = turn * i, c = sn_math_cos(angle), s = sn_math_sin(angle);
        const bool along_z = def->sides == 4 && i % 2 == 1;
        const double away = (double)(along_z ? def->size.z : def->size.x) / 2 + w / 2;
        const double across = (double)(along_z ? def->size.x : def->size.z) / 2 + w;
        const double half = def->sides == 4 ? across : (away + w / 2) * tangent;
        shape[i] = sn_default_shape_def(SN_SHAPE_BOX);
        shape[i].half = (sn_vec3){(sn_real)(w / 2), (sn_real)(high / 2), (sn_real)half};
        shape[i].position = (sn_vec3){(sn_real)(away * c), (sn_real)(high / 2 - w), (sn_real)(away * s)};
        shape[i].rotation = (sn_quat){0, (sn_real)-sn_math_sin(angle / 2), 0, (sn_real)sn_math_cos(angle / 2)};
    }
}

/* A floor or a lid with its middle at this height: a box, or a prism whose corners are stored in corner. */
static sn_shape_def make_plate(const sn_container_def *def, double middle, sn_vec3 corner[2 * MOST_SIDES])
{
    const double w = (double)def->wall, turn = 2 * SN_PI / def->sides;
    if (def->sides == 4) {
        sn_shape_def box = sn_default_shape_def(SN_SHAPE_BOX);
        box.half = (sn_vec3){def->size.x / 2 + def->wall, def->wall / 2, def->size.z / 2 + def->wall};
        box.position.y = (sn_real)middle;
        return box;
    }
    const double away = ((double)def->size.x / 2 + w) / sn_math_cos(turn / 2);
    for (uint32_t i = 0; i < 2 * def->sides; ++i) {
        const double angle = turn * (i / 2 + 0.5);
        corner[i] = (sn_vec3){(sn_real)(away * sn_math_cos(angle)), (sn_real)(middle + (i % 2 ? w : -w) / 2),
                              (sn_real)(away * sn_math_sin(angle))};
    }
    sn_shape_def hull = sn_default_shape_def(SN_SHAPE_HULL);
    hull.vertices = corner;
    hull.vertex_count = 2 * def->sides;
    return hull;
}

static bool build_container(sn_build *build, const void *own)
{
    const sn_container_def *def = own;
    sn_shape_def shape[MOST_SIDES + 2];
    sn_vec3 floor_corner[2 * MOST_SIDES], lid_corner[2 * MOST_SIDES];
    if (!(def->size.x > 0 && def->size.y > 0 && def->size.z > 0))
        return sn_build_fail(build, "size", "found [%g, %g, %g], expected more than 0 m each", (double)def->size.x,
                             (double)def->size.y, (double)def->size.z);
    if (!sn_build_begin(build, 3, 0))
        return false;
    sn_body_def body = sn_default_body_def();
    make_walls(def, shape);
    body.shapes = shape;
    body.shape_count = def->sides;
    if (!def->bottomless)
        shape[body.shape_count++] = make_plate(def, -(double)def->wall / 2, floor_corner);
    if (def->lid)
        shape[body.shape_count++] = make_plate(def, (double)def->size.y + (double)def->wall / 2, lid_corner);
    body.mass = SN_IMMOVABLE;
    return sn_build_body(build, &body, NULL);
}

#define KEY(key) offsetof(sn_container_def, key)

static const sn_key container_keys[] = {
    {"size", SN_KEY_VECTOR, KEY(size), .unit = "m", .least = 0, .most = 1e6,
     .about =
         "the size of the room inside; of a prism the first number is the diameter of the circle that fits into it"},
    {"wall", SN_KEY_REAL, KEY(wall), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "how thick its floor and walls are"},
    {"sides", SN_KEY_COUNT, KEY(sides), .least = 3, .most = MOST_SIDES,
     .about = "how many walls: 4 make a box, other numbers a regular prism; 16 is nearly round"},
    {"lid", SN_KEY_TRUTH, KEY(lid), .about = "the container is closed above"},
    {"bottomless", SN_KEY_TRUTH, KEY(bottomless), .about = "the container has no floor"},
    {.name = NULL}};

static const sn_record container_record = {"container", "A container.", sizeof(sn_container_def), container_keys,
                                           container_defaults};

const sn_object_type sn_object_container = {
    .name = "container",
    .about = "An immovable box or prism, open above, for grains and piles to fall into; the origin of its frame is in "
             "the middle of its floor, on the upper side",
    .parts = "no parts; no constraints",
    .dimension = 0,
    .spatial = true,
    .collides = true,
    .record = &container_record,
    .build = build_container,
};

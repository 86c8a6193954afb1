#include "scene/objects/box.h"

#include <math.h>

enum { FLAT_CORNERS = 4, MOST_CORNERS = 8, MOST_RODS = MOST_CORNERS * (MOST_CORNERS - 1) / 2 };

/* Lists the rods: between corners that differ in one bit, which are the edges, or in more, the diagonals. */
static uint32_t list_rods(uint32_t corners, bool edges, uint32_t *rod)
{
    uint32_t count = 0;
    for (uint32_t a = 0; a < corners; ++a)
        for (uint32_t b = a + 1; b < corners; ++b) {
            uint32_t differ = a ^ b;
            if (((differ & (differ - 1)) == 0) != edges)
                continue;
            rod[2 * count] = a;
            rod[2 * count + 1] = b;
            ++count;
        }
    return count;
}

/* Adds rods, with compliances in proportion to their lengths. */
static bool add_rods(sn_build *build, const sn_vec3 *place, const char *name, uint32_t count, const uint32_t *rod)
{
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    sn_real length[MOST_RODS], factor[MOST_RODS];
    double stretch = (double)build->stuff->stretch;
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 a = place[rod[2 * i]], b = place[rod[2 * i + 1]];
        double x = (double)(b.x - a.x), y = (double)(b.y - a.y), z = (double)(b.z - a.z);
        factor[i] = length[i] = (sn_real)(sn_build_scale(build) * sqrt(x * x + y * y + z * z));
    }
    return sn_build_constraints(build, name, &def, count, rod, length, stretch, stretch > 0 ? factor : NULL);
}

/* Names the corners of which a bit is set, or not set. */
static bool name_side(sn_build *build, const char *name, uint32_t corners, uint32_t bit, bool set)
{
    uint32_t index[MOST_CORNERS], count = 0;
    for (uint32_t i = 0; i < corners; ++i)
        if (((i & bit) != 0) == set)
            index[count++] = i;
    return sn_build_part(build, name, count, index);
}

static bool name_parts(sn_build *build, uint32_t corners)
{
    static const char *const flat[] = {"bottom_left", "bottom_right", "top_left", "top_right"};
    static const char *const deep[] = {"bottom_left_back",  "bottom_right_back",  "top_left_back",  "top_right_back",
                                       "bottom_left_front", "bottom_right_front", "top_left_front", "top_right_front"};
    for (uint32_t i = 0; i < corners; ++i)
        if (!sn_build_range(build, corners == FLAT_CORNERS ? flat[i] : deep[i], i, 1))
            return false;
    return name_side(build, "left", corners, 1, false) && name_side(build, "right", corners, 1, true) &&
           name_side(build, "bottom", corners, 2, false) && name_side(build, "top", corners, 2, true) &&
           (corners == FLAT_CORNERS ||
            (name_side(build, "back", corners, 4, false) && name_side(build, "front", corners, 4, true)));
}

static bool draw(sn_build *build, uint32_t corners, uint32_t edges, const uint32_t *edge)
{
    static const uint32_t flat[] = {0, 1, 3, 0, 3, 2};
    static const uint32_t deep[] = {4, 5, 7, 4, 7, 6, 1, 0, 2, 1, 2, 3, 5, 1, 3, 5, 3, 7,
                                    0, 4, 6, 0, 6, 2, 6, 7, 3, 6, 3, 2, 0, 1, 5, 0, 5, 4};
    bool is_flat = corners == FLAT_CORNERS;
    return sn_build_triangles(build, is_flat ? 2 : 12, is_flat ? flat : deep) && sn_build_lines(build, edges, edge);
}

static bool build_box(sn_build *build, const void *own)
{
    const sn_box_def *def = own;
    double width = (double)def->width, height = (double)def->height, depth = (double)def->depth;
    if (!(width > 0 && height > 0 && depth >= 0))
        return sn_build_fail(build, NULL,
                             "found %g m by %g m by %g m, expected a width and height of more than 0 and no less depth",
                             width, height, depth);
    if (depth > 0 && build->dimensions == 2)
        return sn_build_fail(build, "depth", "found %g m, expected 0 in a 2D world", depth);
    uint32_t corners = depth > 0 ? MOST_CORNERS : FLAT_CORNERS;
    uint32_t edge[2 * MOST_RODS], diagonal[2 * MOST_RODS];
    uint32_t edges = list_rods(corners, true, edge), diagonals = list_rods(corners, false, diagonal);
    if (!sn_build_begin(build, corners, edges + diagonals))
        return false;
    sn_vec3 place[MOST_CORNERS];
    for (uint32_t i = 0; i < corners; ++i)
        place[i] = (sn_vec3){(sn_real)(i & 1 ? width / 2 : -width / 2), (sn_real)(i & 2 ? height / 2 : -height / 2),
                             (sn_real)(i & 4 ? depth / 2 : 0 - depth / 2)};
    /* The mass is that of the edges; in each direction there are corners / 2 of them. */
    double metres = sn_build_scale(build) * corners / 2 * (width + height + (depth > 0 ? depth : 0));
    return sn_build_particles(build, corners, place, NULL, sn_build_mass(build, metres)) &&
           add_rods(build, place, "edges", edges, edge) && add_rods(build, place, "diagonals", diagonals, diagonal) &&
           draw(build, corners, edges, edge) && name_parts(build, corners);
}

sn_box_def sn_default_box_def(void)
{
    return (sn_box_def){.width = 1, .height = 1, .depth = 0};
}

static void box_defaults(void *record)
{
    *(sn_box_def *)record = sn_default_box_def();
}

#define KEY(key) offsetof(sn_box_def, key)

static const sn_key box_keys[] = {{"width", SN_KEY_REAL, KEY(width), .unit = "m", .flags = SN_KEY_POSITIVE,
                                   .about = "how wide it is, along x of its frame, whose origin is in the middle"},
                                  {"height", SN_KEY_REAL, KEY(height), .unit = "m", .flags = SN_KEY_POSITIVE,
                                   .about = "how high it is, along y of its frame, whose origin is in the middle"},
                                  {"depth", SN_KEY_REAL, KEY(depth), .unit = "m", .most = INFINITY,
                                   .about = "how deep it is, along z of its frame, whose origin is in the middle; 0 is "
                                            "a flat box of four corners, anything else has eight"},
                                  {.name = NULL}};

static const sn_record box_record = {"box", "A box of rods.", sizeof(sn_box_def), box_keys, box_defaults};

const sn_object_type sn_object_box = {
    .name = "box",
    .about = "A box of four corners, or eight, and rods from each to each: a rigid body that comes out of particles",
    .parts = "parts: left, right, bottom, top, and the corners bottom_left, bottom_right, top_left, top_right; with a "
             "depth also back and front, and corners such as bottom_left_front; constraints: edges, diagonals",
    .dimension = 1,
    .record = &box_record,
    .build = build_box,
};

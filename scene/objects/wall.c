#include "scene/objects/wall.h"

#include <math.h>

#define MOST_BRICKS 1e6

sn_wall_def sn_default_wall_def(void)
{
    return (sn_wall_def){.columns = 6,
                         .rows = 6,
                         .layers = 1,
                         .brick = {(sn_real)0.4, (sn_real)0.2, (sn_real)0.2},
                         .gap = (sn_real)0.002};
}

/* The number of bricks in a row; every second row of a running bond has half a brick at either end. */
static uint32_t bricks_in(const sn_wall_def *def, uint32_t row)
{
    if (def->bond == SN_BOND_PYRAMID)
        return def->columns - row;
    return def->columns + (def->bond == SN_BOND_RUNNING && row % 2 == 1);
}

/* The middle of a brick and its length along x, in bricks and gaps. */
static double brick_at(const sn_wall_def *def, uint32_t row, uint32_t i, double *length)
{
    double long_ = (double)def->brick.x, gap = (double)def->gap, pitch = long_ + gap;
    double left = -pitch * def->columns / 2; /* where the first cell begins */
    *length = long_;
    if (def->bond == SN_BOND_PYRAMID)
        return left + pitch * (i + 0.5 + row / 2.0);
    if (def->bond == SN_BOND_STACK || row % 2 == 0)
        return left + pitch * (i + 0.5);
    if (i > 0 && i < def->columns)
        return left + pitch * i;
    *length = (long_ - gap) / 2;
    return i == 0 ? left + (gap + *length) / 2 : left + pitch * def->columns - (gap + *length) / 2;
}

static bool add_brick(sn_build *build, const sn_wall_def *def, double density, double x, double y, double z,
                      double length)
{
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_BOX);
    sn_body_def body = sn_default_body_def();
    sn_real r = def->rounding;
    shape.half = (sn_vec3){(sn_real)(length / 2) - r, def->brick.y / 2 - r, def->brick.z / 2 - r};
    shape.rounding = r;
    body.shapes = &shape;
    body.shape_count = 1;
    body.density = (sn_real)density;
    body.position = (sn_vec3){(sn_real)x, (sn_real)y, (sn_real)z};
    return sn_build_body(build, &body, NULL);
}

/* m^3, scaled. */
static double volume_of(const sn_build *build, const sn_wall_def *def)
{
    double sum = 0, scale = sn_build_scale(build);
    for (uint32_t row = 0; row < def->rows; ++row)
        for (uint32_t i = 0; i < bricks_in(def, row); ++i) {
            double length;
            brick_at(def, row, i, &length);
            sum += length;
        }
    return sum * (double)def->brick.y * (double)def->brick.z * def->layers * scale * scale * scale;
}

static bool check(sn_build *build, const sn_wall_def *def)
{
    if (def->columns == 0 || def->rows == 0 || def->layers == 0)
        return sn_build_fail(build, NULL, "found %u columns, %u rows and %u layers, expected 1 or more of each",
                             def->columns, def->rows, def->layers);
    if (!(def->brick.x > 0 && def->brick.y > 0 && def->brick.z > 0))
        return sn_build_fail(build, "brick", "found [%g, %g, %g], expected more than 0 m each", (double)def->brick.x,
                             (double)def->brick.y, (double)def->brick.z);
    if (def->bond == SN_BOND_PYRAMID && def->rows > def->columns)
        return sn_build_fail(build, "rows", "found %u, expected at most the %u columns of a pyramid", def->rows,
                             def->columns);
    if (def->bond == SN_BOND_RUNNING && !(def->gap < def->brick.x))
        return sn_build_fail(build, "gap", "found %g m, expected less than the length of a brick", (double)def->gap);
    double least = fmin(fmin((double)def->brick.x, (double)def->brick.y), (double)def->brick.z);
    if (!(2 * (double)def->rounding < least / 2))
        return sn_build_fail(build, "rounding", "found %g m, expected less than a quarter of the shortest edge, %g m",
                             (double)def->rounding, least);
    double count = (double)def->columns * def->rows * def->layers;
    if (count > MOST_BRICKS)
        return sn_build_fail(build, NULL, "these are %.7g bricks, expected at most %g", count, MOST_BRICKS);
    return true;
}

static bool build_wall(sn_build *build, const void *own)
{
    const sn_wall_def *def = own;
    if (!check(build, def))
        return false;
    double bodies = 0;
    for (uint32_t row = 0; row < def->rows; ++row)
        bodies += (double)bricks_in(def, row) * def->layers;
    if (!sn_build_begin(build, 3 * bodies, 0))
        return false;
    double density = sn_build_density(build, volume_of(build, def));
    uint32_t top = 0;
    for (uint32_t row = 0; row < def->rows; ++row) {
        top = build->object->body_count;
        for (uint32_t layer = 0; layer < def->layers; ++layer)
            for (uint32_t i = 0; i < bricks_in(def, row); ++i) {
                double length, x = brick_at(def, row, i, &length);
                double z = (layer - (def->layers - 1) / 2.0) * ((double)def->brick.z + (double)def->gap);
                if (!add_brick(build, def, density, x, (row + 0.5) * (double)def->brick.y, z, length))
                    return false;
            }
    }
    return sn_build_range(build, "bottom", 0, bricks_in(def, 0) * def->layers) &&
           sn_build_range(build, "top", top, build->object->body_count - top);
}

static void wall_defaults(void *record)
{
    *(sn_wall_def *)record = sn_default_wall_def();
}

static const char *const bond_names[] = {"running", "stack", "pyramid"};
static const char *const bond_about[] = {"every second row is shifted by half a brick, with halves at its ends",
                                         "bricks stand on bricks", "every row has one brick less"};
static const sn_choices bonds = {3, bond_names, bond_about};

#define KEY(key) offsetof(sn_wall_def, key)

static const sn_key wall_keys[] = {
    {"columns", SN_KEY_COUNT, KEY(columns), .least = 1, .most = MOST_BRICKS,
     .about = "how many bricks the lowest row has"},
    {"rows", SN_KEY_COUNT, KEY(rows), .least = 1, .most = MOST_BRICKS,
     .about = "how many rows of bricks, one on the other"},
    {"layers", SN_KEY_COUNT, KEY(layers), .least = 1, .most = MOST_BRICKS,
     .about = "how many walls, one behind the other"},
    {"brick", SN_KEY_VECTOR, KEY(brick), .unit = "m", .least = 0, .most = 1e6, .about = "the edges of a brick"},
    {"gap", SN_KEY_REAL, KEY(gap), .unit = "m", .least = 0, .most = 1e6,
     .about = "the gap between the bricks of a row"},
    {"bond", SN_KEY_CHOICE, KEY(bond), .of = &bonds, .about = "how the rows of bricks lie on each other"},
    {"rounding", SN_KEY_REAL, KEY(rounding), .unit = "m", .least = 0, .most = 1e6,
     .about = "the radius of the rounded edges of a brick; the size of the brick does not change"},
    {.name = NULL}};

static const sn_record wall_record = {"wall", "A wall.", sizeof(sn_wall_def), wall_keys, wall_defaults};

const sn_object_type sn_object_wall = {
    .name = "wall",
    .about = "Bricks that lie on each other without mortar, a tower or a pyramid, from the origin of the frame "
             "upwards, of 1000 kg/m^3 unless told otherwise",
    .parts = "parts: bottom, top; no constraints",
    .dimension = 3,
    .spatial = true,
    .collides = true,
    .record = &wall_record,
    .build = build_wall,
};

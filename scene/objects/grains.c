/* Grains start on a lattice, each a little off its place so that no column stands on another: what comes to lie is then a
   random packing and not a crystal. None overlaps another: the gap between two is shared by them. */
#include "scene/objects/grains.h"

#include <math.h>

#define DEFAULT_SPACING 2.2 /* radii */
#define LOOSE_SPACING   0.1 /* m: of grains that have none */

enum { DEFAULT_LAYERS = 10 };

sn_grains_def sn_default_grains_def(void)
{
    return (sn_grains_def){
        .columns = 10, .rows = 10, .layers = UINT32_MAX, .spacing = (sn_real)NAN, .jitter = 1, .seed = 1};
}

static void grains_defaults(void *record)
{
    *(sn_grains_def *)record = sn_default_grains_def();
}

/* From -1 to 1; splitmix64, of which the upper 53 bits make a number. */
static double shake(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) / 4503599627370496.0 - 1;
}

static bool place_grains(sn_build *build, const sn_grains_def *def, uint32_t layers, double spacing, double jitter,
                         sn_real mass)
{
    uint32_t count = def->columns * def->rows * layers, n = 0;
    sn_vec3 *place = sn_build_take(build, count, sizeof *place);
    uint64_t seed = def->seed;
    if (!place)
        return false;
    for (uint32_t j = 0; j < def->rows; ++j) /* from below, so that parts of it are layers of the heap */
        for (uint32_t k = 0; k < layers; ++k)
            for (uint32_t i = 0; i < def->columns; ++i) {
                double x = (i - (def->columns - 1) / 2.0) * spacing + jitter * shake(&seed);
                double y = (j - (def->rows - 1) / 2.0) * spacing + jitter * shake(&seed);
                double z = (k - (layers - 1) / 2.0) * spacing + jitter * shake(&seed);
                place[n++] = (sn_vec3){(sn_real)x, (sn_real)y, build->dimensions == 2 ? 0 : (sn_real)z};
            }
    return sn_build_particles(build, count, place, NULL, mass);
}

static bool build_grains(sn_build *build, const void *own)
{
    const sn_grains_def *def = own;
    uint32_t layers = def->layers;
    if (layers == UINT32_MAX)
        layers = build->dimensions == 2 ? 1 : DEFAULT_LAYERS;
    double count = (double)def->columns * (double)def->rows * (double)layers;
    double scale = sn_build_scale(build), radius = (double)build->def->radius;
    double spacing = radius > 0 ? DEFAULT_SPACING * radius / scale : LOOSE_SPACING;
    if (!isnan(def->spacing))
        spacing = (double)def->spacing;
    if (build->dimensions == 2 && layers != 1)
        return sn_build_fail(build, "layers", "found %u, expected 1 in a 2D world", layers);
    if (!(count >= 1))
        return sn_build_fail(build, NULL, "expected at least one column, row and layer");
    if (!sn_build_begin(build, count, 0))
        return false;
    double gap = fmax(spacing - 2 * radius / scale, 0);
    double ball = build->dimensions == 2 ? SN_PI * radius * radius : 4 * SN_PI / 3 * radius * radius * radius;
    return place_grains(build, def, layers, spacing, (double)def->jitter * gap / 2, sn_build_mass(build, count * ball));
}

#define KEY(key) offsetof(sn_grains_def, key)

static const sn_key grains_keys[] = {
    {"columns", SN_KEY_COUNT, KEY(columns), .least = 1, .most = 100000, .about = "how many there are along x"},
    {"rows", SN_KEY_COUNT, KEY(rows), .least = 1, .most = 100000, .about = "how many there are along y"},
    {"layers", SN_KEY_COUNT, KEY(layers), .least = 1, .most = 100000,
     .about = "how many there are along z; 10 if not given, and 1 in a 2D world"},
    {"spacing", SN_KEY_REAL, KEY(spacing), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "between the centres of neighbours; 2.2 times the radius, or 0.1 without one, if not given"},
    {"jitter", SN_KEY_REAL, KEY(jitter), .least = 0, .most = 1,
     .about = "how far each is off its place along x, y and z, at most, as a share of what keeps them apart"},
    {"seed", SN_KEY_COUNT, KEY(seed), .most = 4294967294.0, .about = "another one gives another heap"},
    {.name = NULL}};

static const sn_record grains_record = {"grains", "Loose balls.", sizeof(sn_grains_def), grains_keys, grains_defaults};

const sn_object_type sn_object_grains = {
    .name = "grains",
    .about =
        "Loose balls of the object's radius, almost on a lattice, the origin in the middle; they collide with each "
        "other if their contact says 'self'",
    .parts = "parts: none but all; no constraints",
    .dimension = 3,
    .record = &grains_record,
    .build = build_grains,
};

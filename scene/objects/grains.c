/* Grains start on a lattice. Each is displaced a little, so that no column stands exactly on another: they settle in
   a random packing and not in a crystal. No two overlap: neighbours share the gap between them. */
#include "scene/objects/grains.h"

#include "scene/chance.h"
#include "scene/state.h"

#include <math.h>

#define DEFAULT_SPACING 2.2 /* radii */
#define LOOSE_SPACING   0.1 /* m: of grains without a radius */

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

/* Grains of many sizes and one density; ball is the volume, or in 2D the area, of a grain of the mean size. Sizes
   have a seed of their own. */
static bool vary_grains(sn_build *build, const sn_grains_def *def, uint32_t count, const sn_vec3 *place, double ball)
{
    sn_real *mass = sn_build_take(build, count, sizeof *mass);
    double *size = sn_build_take(build, count, sizeof *size), sum = 0;
    uint64_t seed = def->seed ^ UINT64_C(0x5bd1e995);
    if (!mass || !size)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        size[i] = 1 + (double)def->vary * sn_chance(&seed);
        sum += size[i] * size[i] * (build->dimensions == 2 ? 1 : size[i]);
    }
    const sn_real total = sn_build_mass(build, sum * ball);
    for (uint32_t i = 0; i < count; ++i)
        mass[i] = (sn_real)((double)total * size[i] * size[i] * (build->dimensions == 2 ? 1 : size[i]) / sum);
    if (!sn_build_particles(build, count, place, mass, total))
        return false;
    for (uint32_t i = 0; i < count; ++i)
        if (sn_particle_set_radius(build->scene->world, sn_particles_at(build->object->run, i),
                                   (sn_real)(size[i] * (double)build->def->radius)) != SN_OK)
            return sn_scene_refused(build->scene, build->reader);
    return true;
}

static bool place_grains(sn_build *build, const sn_grains_def *def, uint32_t layers, double spacing, double jitter,
                         double ball)
{
    uint32_t count = def->columns * def->rows * layers, n = 0;
    sn_vec3 *place = sn_build_take(build, count, sizeof *place);
    uint64_t seed = def->seed;
    if (!place)
        return false;
    for (uint32_t j = 0; j < def->rows; ++j) /* from below, so that a range of grains is a layer of the heap */
        for (uint32_t k = 0; k < layers; ++k)
            for (uint32_t i = 0; i < def->columns; ++i) {
                double x = (i - (def->columns - 1) / 2.0) * spacing + jitter * sn_chance(&seed);
                double y = (j - (def->rows - 1) / 2.0) * spacing + jitter * sn_chance(&seed);
                double z = (k - (layers - 1) / 2.0) * spacing + jitter * sn_chance(&seed);
                place[n++] = (sn_vec3){(sn_real)x, (sn_real)y, build->dimensions == 2 ? 0 : (sn_real)z};
            }
    return def->vary > 0 ? vary_grains(build, def, count, place, ball)
                         : sn_build_particles(build, count, place, NULL, sn_build_mass(build, count * ball));
}

static bool build_grains(sn_build *build, const void *own)
{
    const sn_grains_def *def = own;
    uint32_t layers = def->layers;
    if (layers == UINT32_MAX)
        layers = build->dimensions == 2 ? 1 : DEFAULT_LAYERS;
    double count = (double)def->columns * (double)def->rows * (double)layers;
    double scale = sn_build_scale(build), radius = (double)build->def->radius;
    double largest = radius * (1 + (double)def->vary);
    double spacing = radius > 0 ? DEFAULT_SPACING * largest / scale : LOOSE_SPACING;
    if (!isnan(def->spacing))
        spacing = (double)def->spacing;
    if (build->dimensions == 2 && layers != 1)
        return sn_build_fail(build, "layers", "found %u, expected 1 in a 2D world", layers);
    if (!(count >= 1))
        return sn_build_fail(build, NULL, "expected at least one column, row and layer");
    if (!sn_build_begin(build, count, 0))
        return false;
    double gap = fmax(spacing - 2 * largest / scale, 0);
    double ball = build->dimensions == 2 ? SN_PI * radius * radius : 4 * SN_PI / 3 * radius * radius * radius;
    return place_grains(build, def, layers, spacing, (double)def->jitter * gap / 2, ball);
}

#define KEY(key) offsetof(sn_grains_def, key)

static const sn_key grains_keys[] = {
    {"columns", SN_KEY_COUNT, KEY(columns), .least = 1, .most = 100000, .about = "how many grains there are along x"},
    {"rows", SN_KEY_COUNT, KEY(rows), .least = 1, .most = 100000, .about = "how many grains there are along y"},
    {"layers", SN_KEY_COUNT, KEY(layers), .least = 1, .most = 100000,
     .about = "how many grains there are along z; 10 if not given, and 1 in a 2D world"},
    {"spacing", SN_KEY_REAL, KEY(spacing), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "the distance between the centres of neighbours; 2.2 times the radius, or 0.1 without one, if not given"},
    {"jitter", SN_KEY_REAL, KEY(jitter), .least = 0, .most = 1,
     .about = "how far each is off its place along x, y and z, at most, as a share of what keeps them apart"},
    {"vary", SN_KEY_REAL, KEY(vary), .least = 0, .most = 0.9,
     .about = "radii differ by up to this share, up and down: 0.3 makes them 0.7 to 1.3 times as large"},
    {"seed", SN_KEY_COUNT, KEY(seed), .most = 4294967294.0,
     .about = "the seed of jitter and sizes: another number gives another heap"},
    {.name = NULL}};

static const sn_record grains_record = {"grains", "Loose balls.", sizeof(sn_grains_def), grains_keys, grains_defaults};

const sn_object_type sn_object_grains = {
    .name = "grains",
    .about = "Loose balls of the object's radius, almost on a lattice, the origin in the middle; they collide with "
             "each other unless their group says otherwise",
    .parts = "parts: none but all; no constraints",
    .dimension = 3,
    .collides = true,
    .record = &grains_record,
    .build = build_grains,
};

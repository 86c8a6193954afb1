#include "scene/objects/pendulum.h"

#include <math.h>

static const double one[] = {1}, quarter_turn[] = {1.5707963267948966};

static double number_at(sn_numbers list, uint32_t i)
{
    return list.data[list.count == 1 ? 0 : i];
}

/* The number of bobs: that of the longest list; 0 after an error. */
static uint32_t count_bobs(sn_build *build, const sn_pendulum_def *def)
{
    const char *const key[] = {"lengths", "masses", "angles"};
    const sn_numbers list[] = {def->lengths, def->masses, def->angles};
    uint32_t bobs = 0, longest = 0;
    for (uint32_t i = 0; i < 3; ++i)
        if (list[i].count > bobs) {
            bobs = list[i].count;
            longest = i;
        }
    for (uint32_t i = 0; i < 3; ++i) {
        if (list[i].count == 0 || !list[i].data) {
            sn_build_fail(build, key[i], "found no numbers, expected one for each bob, or one for all");
            return 0;
        }
        if (list[i].count != bobs && list[i].count != 1) {
            sn_build_fail(build, key[i], "found %u numbers, expected %u, as many as '%s' has, or one for all",
                          list[i].count, bobs, key[longest]);
            return 0;
        }
    }
    return bobs;
}

/* Bad numbers come only from programs: in a file, the ranges of the record exclude them. */
static bool check(sn_build *build, const sn_pendulum_def *def)
{
    for (uint32_t i = 0; i < def->lengths.count; ++i)
        if (!((sn_real)def->lengths.data[i] > 0 && isfinite((sn_real)def->lengths.data[i])))
            return sn_build_fail(build, "lengths", "number %u is %g, expected more than 0 m", i, def->lengths.data[i]);
    for (uint32_t i = 0; i < def->masses.count; ++i)
        if (!(def->masses.data[i] >= 1e-30 && def->masses.data[i] <= 1e30))
            return sn_build_fail(build, "masses", "number %u is %g, expected 1e-30 to 1e+30 kg", i,
                                 def->masses.data[i]);
    for (uint32_t i = 0; i < def->angles.count; ++i)
        if (!isfinite((sn_real)def->angles.data[i]))
            return sn_build_fail(build, "angles", "number %u is %g, expected a finite one", i, def->angles.data[i]);
    return true;
}

static void lay(const sn_build *build, const sn_pendulum_def *def, uint32_t bobs, sn_vec3 *place, sn_real *mass)
{
    double x = 0, y = 0, sum = 0;
    for (uint32_t i = 0; i < bobs; ++i)
        sum += number_at(def->masses, i);
    double share = isnan(build->def->mass) ? 1 : (double)build->def->mass / sum;
    place[0] = (sn_vec3){0, 0, 0};
    mass[0] = SN_IMMOVABLE;
    for (uint32_t i = 0; i < bobs; ++i) {
        double length = number_at(def->lengths, i), angle = number_at(def->angles, i);
        x += length * sn_math_sin(angle);
        y -= length * sn_math_cos(angle);
        place[i + 1] = (sn_vec3){(sn_real)x, (sn_real)y, 0};
        mass[i + 1] = (sn_real)(share * number_at(def->masses, i));
    }
}

static bool add_rods(sn_build *build, const sn_pendulum_def *def, uint32_t bobs)
{
    uint32_t *rod = sn_build_take(build, bobs, 2 * sizeof *rod);
    sn_real *length = rod ? sn_build_take(build, bobs, sizeof *length) : NULL;
    if (!length)
        return false;
    for (uint32_t i = 0; i < bobs; ++i) {
        rod[2 * i] = i;
        rod[2 * i + 1] = i + 1;
        length[i] = (sn_real)(number_at(def->lengths, i) * sn_build_scale(build));
    }
    sn_constraint_def rods = sn_default_constraint_def(SN_KIND_DISTANCE);
    double stretch = (double)build->stuff->stretch;
    return sn_build_constraints(build, "rods", &rods, bobs, rod, length, stretch, stretch > 0 ? length : NULL) &&
           sn_build_lines(build, bobs, rod);
}

static bool build_pendulum(sn_build *build, const void *own)
{
    const sn_pendulum_def *def = own;
    uint32_t bobs = count_bobs(build, def);
    if (bobs == 0 || !check(build, def) || !sn_build_begin(build, bobs + 1.0, bobs))
        return false;
    sn_vec3 *place = sn_build_take(build, bobs + (uint64_t)1, sizeof *place);
    sn_real *mass = place ? sn_build_take(build, bobs + (uint64_t)1, sizeof *mass) : NULL;
    if (!mass)
        return false;
    lay(build, def, bobs, place, mass);
    return sn_build_particles(build, bobs + 1, place, mass, 0) && add_rods(build, def, bobs) &&
           sn_build_range(build, "pivot", 0, 1) && sn_build_range(build, "bobs", 1, bobs) &&
           sn_build_range(build, "tip", bobs, 1);
}

sn_pendulum_def sn_default_pendulum_def(void)
{
    return (sn_pendulum_def){.lengths = {1, one}, .masses = {1, one}, .angles = {1, quarter_turn}};
}

static void pendulum_defaults(void *record)
{
    *(sn_pendulum_def *)record = sn_default_pendulum_def();
}

#define KEY(key) offsetof(sn_pendulum_def, key)

static const sn_key pendulum_keys[] = {
    {"lengths", SN_KEY_REALS, KEY(lengths), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "the lengths of the rods from bob to bob, the first from the pivot; one number counts for all"},
    {"masses", SN_KEY_REALS, KEY(masses), .unit = "kg", .least = 1e-30, .most = 1e30,
     .about = "the masses of the bobs; one number counts for all; with a 'mass' of the whole, their shares in it"},
    {"angles", SN_KEY_REALS, KEY(angles), .unit = "rad",
     .about = "the angle of each rod from straight down (-y) towards x; one number counts for all"},
    {.name = NULL}};

static const sn_record pendulum_record = {"pendulum", "A pendulum.", sizeof(sn_pendulum_def), pendulum_keys,
                                          pendulum_defaults};

const sn_object_type sn_object_pendulum = {
    .name = "pendulum",
    .about = "A pendulum of one bob or many on rods that weigh nothing, from a pivot that does not move",
    .parts = "parts: pivot, bobs, tip; constraints: rods",
    .dimension = 1,
    .record = &pendulum_record,
    .build = build_pendulum,
};

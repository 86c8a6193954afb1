/* What the rows share: records, and worlds to measure in. Everything is measured in double, whatever sn_real is. g = 9.81, h is
   the substep. */
#ifndef SINEW_TESTS_VALIDATION_ROW_TOOLS_H
#define SINEW_TESTS_VALIDATION_ROW_TOOLS_H

#include "support/fixed.h"
#include "support/support.h"
#include "validation/rows.h"

#include <math.h>

#define G           9.81
#define PI          3.14159265358979323846
#define FIXED       ((double)INFINITY) /* the mass of what does not move */
#define FRAME       (1.0 / 60)
#define IS_FLOAT    (sizeof(sn_real) == sizeof(float))
#define BUILD(f, d) (IS_FLOAT ? (f) : (d)) /* a tolerance of the float build and one of the double build */
#define FIRST_ORDER 9.0                    /* a first-order error falls at least ninefold when h falls tenfold */

/* ---- Records ---------------------------------------------------------------------------------------------------- */

static inline void give_up(const char *what, const char *why)
{
    fprintf(stderr, "validation: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

static inline record *append(records *out, int number, judgement judge, double expected, double measured,
                             double tolerance)
{
    if (out->count == out->capacity) {
        out->capacity = out->capacity ? 2 * out->capacity : 64;
        out->item = realloc(out->item, out->capacity * sizeof(*out->item));
        if (!out->item)
            give_up("records", "out of memory");
    }
    record *r = &out->item[out->count++];
    *r = (record){.row = number, .judge = judge, .expected = expected, .measured = measured, .tolerance = tolerance};
    return r;
}

#define SETUP(r, ...) snprintf((r)->setup, sizeof((r)->setup), __VA_ARGS__)

/* ---- Worlds ----------------------------------------------------------------------------------------------------- */

static inline void must(sn_world *world, sn_result result, const char *what)
{
    if (result != SN_OK)
        give_up(what, sn_world_error(world));
}

static inline sn_world *make_world(uint32_t substeps, uint32_t iterations, double damping)
{
    sn_world *world;
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, -G, 0);
    def.settings.substeps = substeps;
    def.settings.iterations = iterations;
    def.settings.damping = real(damping);
    if (sn_world_create(&def, &world) != SN_OK)
        give_up("world", "cannot be made");
    return world;
}

static inline void set_tolerance(sn_world *world, double tolerance)
{
    sn_settings s = sn_world_settings(world);
    s.tolerance = real(tolerance);
    must(world, sn_world_configure(world, &s), "tolerance");
}

static inline void set_gravity(sn_world *world, sn_vec3 gravity)
{
    sn_settings s = sn_world_settings(world);
    s.gravity = gravity;
    must(world, sn_world_configure(world, &s), "gravity");
}

static inline void run(sn_world *world, uint32_t steps, double dt)
{
    for (uint32_t i = 0; i < steps; ++i)
        must(world, sn_world_step(world, real(dt)), "step");
}

/* One material for everything that touches. */
static inline void set_materials(sn_world *world, sn_body fixed_shape, double friction, double restitution)
{
    sn_group_contact group = sn_default_group_contact(0);
    group.material.static_friction = group.material.dynamic_friction = real(friction);
    group.material.restitution = real(restitution);
    must(world, sn_world_set_group_contact(world, 0, &group), "material of particles");
    must(world, sn_body_set_material(world, fixed_shape, 0, &group.material), "material of a fixed shape");
}

#endif

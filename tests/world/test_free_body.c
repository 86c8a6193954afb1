/* What nothing holds and nothing pushes keeps its momentum: a soft block that turns freely stays where it is. */
#include "support/support.h"

enum { SIDE = 5, COUNT = SIDE * SIDE * SIDE, FRAMES = 300 };

#define SPACING  0.1  /* m */
#define SPEED    3.0  /* rad/s */
#define DRIFT    1e-5 /* m: of the centre, in five seconds */
#define VELOCITY 1e-6 /* m/s: of the centre; single precision has 6e-8 of the fastest particle's 0.85 m/s */

static sn_world *make_block(sn_integrator integrator, uint32_t substeps)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.settings.integrator = integrator;
    def.settings.substeps = substeps;
    sn_world *world = support_world_from(&def);
    for (uint32_t i = 0; i < COUNT; ++i) {
        double x = SPACING * (i % SIDE), y = SPACING * (i / SIDE % SIDE), z = SPACING * (i / SIDE / SIDE);
        sn_particle p = sn_particle_add_at(world, vec(x, y, z), 1), q;
        assert_ok(world, sn_particle_set_velocity(world, p, vec(-SPEED * (y - 0.2), SPEED * (x - 0.2), 0)));
        for (uint32_t k = 0; k < i; ++k) {
            q = sn_particle_from_index(world, k);
            if (support_gap(sn_particle_position(world, p), sn_particle_position(world, q)) > 1.8 * SPACING)
                continue;
            sn_constraint rod = sn_constraint_add_distance(world, sn_at(q), sn_at(p), SN_MEASURE);
            assert_ok(world, sn_constraint_set_material(world, rod, (sn_material){real(1e-5), 0}));
        }
    }
    return world;
}

static double size_of(const double v[3])
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

static void check(sn_integrator integrator, uint32_t substeps)
{
    sn_world *world = make_block(integrator, substeps);
    sn_report first, last;
    assert_ok(world, sn_world_report(world, &first));
    support_run(world, FRAMES, 1.0 / 60);
    assert_ok(world, sn_world_report(world, &last));
    double moved[3], speed = size_of(last.momentum) / (last.mass * last.mass);
    for (int i = 0; i < 3; ++i)
        moved[i] = last.centre[i] - first.centre[i];
    sn_world_destroy(world);
    if (size_of(moved) > DRIFT * DRIFT || speed > VELOCITY * VELOCITY)
        fail_msg("integrator %d, %u substeps: the centre moved by (%g, %g, %g) m", (int)integrator, (unsigned)substeps,
                 moved[0], moved[1], moved[2]);
}

static void a_free_body_stays_where_it_is(void **state)
{
    (void)state;
    for (int i = 0; i <= SN_INTEGRATOR_BDF2; ++i)
        if (i != SN_INTEGRATOR_FORWARD_EULER)
            check((sn_integrator)i, 10);
    check(SN_INTEGRATOR_SYMPLECTIC_EULER, 4);
    check(SN_INTEGRATOR_SYMPLECTIC_EULER, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_free_body_stays_where_it_is)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Springs, which are forces, by themselves and together with rods, which are positions (lectures 001 and 003). */
#include "support/support.h"

#include <math.h>

#define PI 3.14159265358979323846
#define H  (1.0 / 600) /* s, the substep of these tests */

/* A world of one substep of H each step, without gravity. */
static sn_world *spring_world(sn_integrator integrator)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.settings.substeps = 1;
    def.settings.integrator = integrator;
    return support_world_from(&def);
}

typedef struct bob {
    sn_world *world;
    sn_particle anchor, mass;
    sn_constraint spring;
} bob;

/* A mass of 2 kg on a spring of 1 m and 200 N/m, so that omega is 10 / s, pulled out by 0.1 m. */
static bob make_bob(sn_integrator integrator, double damping)
{
    bob b = {.world = spring_world(integrator)};
    b.anchor = sn_particle_add_at(b.world, vec(0, 0, 0), SN_IMMOVABLE);
    b.mass = sn_particle_add_at(b.world, vec(1.1, 0, 0), 2);
    b.spring = sn_constraint_add_spring(b.world, sn_at(b.anchor), sn_at(b.mass), 1, 200, real(damping));
    assert_true(sn_constraint_is_valid(b.world, b.spring));
    return b;
}

static double stretch_of(const bob *b)
{
    return (double)sn_particle_position(b->world, b->mass).x - 1;
}

/* The time of the next crossing of the rest length downwards, interpolated. */
static double next_crossing(const bob *b)
{
    for (uint32_t i = 0; i < 2000; ++i) {
        double before = stretch_of(b), time = sn_world_time(b->world);
        support_run(b->world, 1, H);
        double after = stretch_of(b);
        if (before > 0 && after <= 0)
            return time + H * before / (before - after);
    }
    fail_msg("the spring does not swing");
    return 0;
}

/* 2 pi sqrt(m / k), to the (omega h)^2 / 24 of the leapfrog. */
static void period(void **state)
{
    (void)state;
    bob b = make_bob(SN_INTEGRATOR_LEAPFROG, 0);
    double first = next_crossing(&b), last = first;
    for (uint32_t i = 0; i < 5; ++i)
        last = next_crossing(&b);
    assert_close((last - first) / 5, 2 * PI / 10, 5e-5 * 2 * PI / 10);
    sn_world_destroy(b.world);
}

/* Two free masses swing with the reduced mass, and their centre stays. */
static void period_of_two_masses(void **state)
{
    (void)state;
    sn_world *world = spring_world(SN_INTEGRATOR_LEAPFROG);
    sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), 3), b = sn_particle_add_at(world, vec(0, 1.1, 0), 1);
    sn_constraint_add_spring(world, sn_at(a), sn_at(b), 1, 75, 0); /* reduced mass 0.75 kg: omega is 10 / s */
    uint32_t swings = 0;
    double first = 0, last = 0, before = 0.1;
    for (uint32_t i = 0; i < 2400; ++i) {
        double time = sn_world_time(world);
        support_run(world, 1, H);
        double after = support_gap(sn_particle_position(world, a), sn_particle_position(world, b)) - 1;
        if (before > 0 && after <= 0) {
            last = time + H * before / (before - after);
            first = swings++ ? first : last;
        }
        before = after;
    }
    assert_close((last - first) / (swings - 1), 2 * PI / 10, 1e-4);
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    for (uint32_t i = 0; i < 3; ++i)
        assert_close(report.momentum[i], 0, SINEW_DOUBLE ? 1e-12 : 1e-4);
    assert_close(report.centre[1], 1.1 / 4, 1e-5);
    sn_world_destroy(world);
}

/* An amplitude that falls as exp(-c t / 2m), and at critical damping no swing at all. */
static void damping(void **state)
{
    (void)state;
    bob b = make_bob(SN_INTEGRATOR_LEAPFROG, 4); /* c / 2m = 1 / s */
    double rate = 1, omega = sqrt(100 - rate * rate), first = next_crossing(&b), second = next_crossing(&b);
    assert_close(second - first, 2 * PI / omega, 1e-3);
    while (sn_world_time(b.world) < 2)
        support_run(b.world, 1, H);
    double amplitude = 0;
    for (uint32_t i = 0; i < 380; ++i) { /* one period */
        double t = sn_world_time(b.world);
        amplitude = fmax(amplitude, fabs(stretch_of(&b)) * exp(rate * t));
        support_run(b.world, 1, H);
    }
    assert_close(amplitude, 0.1 * 10 / omega, 2e-3);
    sn_world_destroy(b.world);

    b = make_bob(SN_INTEGRATOR_LEAPFROG, 40);
    for (uint32_t i = 0; i < 600; ++i) {
        support_run(b.world, 1, H);
        assert_true(stretch_of(&b) > -1e-5);
    }
    assert_close(stretch_of(&b), 0.1 * (1 + 10) * exp(-10), 1e-4);
    sn_world_destroy(b.world);
}

/* Only the speed along the spring is damped: a mass circling at the right speed keeps circling. */
static void damping_acts_along_the_spring(void **state)
{
    (void)state;
    bob b = make_bob(SN_INTEGRATOR_LEAPFROG, 20);
    /* m v^2 / r = k (r - 1) at r = 1.1: v^2 = 200 * 0.1 * 1.1 / 2 */
    assert_ok(b.world, sn_particle_set_velocity(b.world, b.mass, vec(0, sqrt(11), 0)));
    support_run(b.world, 600, H);
    assert_close(support_gap(sn_particle_position(b.world, b.mass), vec(0, 0, 0)), 1.1, 1e-3);
    assert_close(support_gap(sn_particle_velocity(b.world, b.mass), vec(0, 0, 0)), sqrt(11), 5e-3);
    sn_world_destroy(b.world);
}

/* ---- Reading
   -------------------------------------------------------------------------------------------------------------- */

static void force_is_read(void **state)
{
    (void)state;
    bob b = make_bob(SN_INTEGRATOR_SYMPLECTIC_EULER, 5);
    assert_close(sn_constraint_force(b.world, b.spring).magnitude, 20, 1e-4);
    assert_vec_close(sn_constraint_force_on(b.world, b.spring, 0), vec(20, 0, 0), 1e-4);
    assert_vec_close(sn_constraint_force_on(b.world, b.spring, 1), vec(-20, 0, 0), 1e-4);
    assert_ok(b.world, sn_particle_set_velocity(b.world, b.mass, vec(2, 7, 0))); /* 5 N s/m of 2 m/s along it */
    assert_vec_close(sn_constraint_force_on(b.world, b.spring, 1), vec(-30, 0, 0), 1e-4);
    assert_ok(b.world, sn_particle_set_velocity(b.world, b.mass, vec(0, 0, 0)));
    assert_ok(b.world, sn_particle_set_position(b.world, b.mass, vec(0.8, 0, 0))); /* it pushes */
    assert_vec_close(sn_constraint_force_on(b.world, b.spring, 1), vec(40, 0, 0), 1e-4);
    sn_real c;
    assert_ok(b.world, sn_constraint_value(b.world, b.spring, &c));
    assert_close(c, -0.2, 1e-6);
    sn_world_destroy(b.world);
}

/* k x^2 / 2 is in the report, and with the kinetic energy it stays what it was. */
static void energy_is_reported(void **state)
{
    (void)state;
    bob b = make_bob(SN_INTEGRATOR_LEAPFROG, 0);
    sn_report report;
    assert_ok(b.world, sn_world_report(b.world, &report));
    assert_close(report.elastic, 1, 1e-5);
    double lowest = 1;
    for (uint32_t i = 0; i < 600; ++i) {
        support_run(b.world, 1, H);
        assert_ok(b.world, sn_world_report(b.world, &report));
        assert_close(report.elastic + report.kinetic, 1, 1e-3);
        lowest = fmin(lowest, report.elastic);
    }
    assert_true(lowest < 0.01);
    assert_non_null(sn_report_kind(&report, SN_KIND_SPRING));
    sn_world_destroy(b.world);
}

/* Ends in one place pull in no direction; a spring has no compliance; its rest length can be measured. */
static void odd_springs(void **state)
{
    (void)state;
    bob b = make_bob(SN_INTEGRATOR_SYMPLECTIC_EULER, 1);
    assert_ok(b.world, sn_particle_set_position(b.world, b.mass, vec(0, 0, 0)));
    support_run(b.world, 1, H);
    assert_vec_same(sn_particle_position(b.world, b.mass), vec(0, 0, 0));
    assert_false(sn_constraint_set_material(b.world, b.spring, (sn_material){real(0.1), 0}) == SN_OK);
    assert_ok(b.world, sn_particle_set_position(b.world, b.mass, vec(0, 0, 3)));
    sn_constraint measured = sn_constraint_add_spring(b.world, sn_at(b.anchor), sn_at(b.mass), SN_MEASURE, 10, 0);
    sn_real c = 1;
    assert_ok(b.world, sn_constraint_value(b.world, measured, &c));
    assert_true(c == 0);
    assert_false(
        sn_constraint_is_valid(b.world, sn_constraint_add_spring(b.world, sn_at(b.anchor), sn_at(b.mass), 1, -1, 0)));
    assert_says(sn_world_error(b.world), "stiffness");
    sn_world_destroy(b.world);
}

/* ---- Springs and rods in one world
   ---------------------------------------------------------------------------------------- */

/* Two masses on a rod hang from a spring: it stretches by their weight, the rod not at all. */
static void a_rod_hangs_from_a_spring(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    def.settings.damping = 2;
    sn_world *world = support_world_from(&def);
    sn_particle anchor = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
    sn_particle upper = sn_particle_add_at(world, vec(0.2, -1, 0), 1),
                lower = sn_particle_add_at(world, vec(0.2, -2, 0), 2);
    sn_constraint spring = sn_constraint_add_spring(world, sn_at(anchor), sn_at(upper), 1, 300, 10);
    sn_constraint rod = sn_constraint_add_distance(world, sn_at(upper), sn_at(lower), 1);
    support_run(world, 900, 1.0 / 60);
    sn_vec3 a = sn_particle_position(world, upper), b = sn_particle_position(world, lower);
    assert_close(support_gap(a, b), 1, 1e-4);
    assert_close(a.y, -1 - 3 * 9.81 / 300, 1e-3);
    assert_close(b.y, -2 - 3 * 9.81 / 300, 1e-3);
    assert_close(sn_constraint_force(world, spring).magnitude, 3 * 9.81, 0.3);
    assert_close(sn_constraint_force(world, rod).magnitude, 2 * 9.81, 0.4);
    sn_world_destroy(world);
}

/* A square frame of rods with springs as diagonals, and one of springs with rods as diagonals, thrown and spun: rods
   keep their length, springs swing, momenta stay. */
static void rods_and_springs_tumble(void **state)
{
    (void)state;
    static const uint32_t sides[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, diagonals[][2] = {{0, 2}, {1, 3}};
    for (int rods_outside = 0; rods_outside < 2; ++rods_outside) {
        sn_world_def def = sn_default_world_def();
        def.settings.gravity = vec(0, 0, 0);
        def.settings.substeps = 20;
        def.settings.iterations = 4;
        sn_world *world = support_world_from(&def);
        sn_point p[4];
        const sn_vec3 x[4] = {vec(0, 0, 0), vec(1, 0, 0), vec(1, 1, 0), vec(0, 1, 0)};
        for (uint32_t i = 0; i < 4; ++i) {
            sn_particle particle = sn_particle_add_at(world, x[i], real(1 + 0.5 * i));
            p[i] = sn_at(particle);
            assert_ok(world,
                      sn_particle_set_velocity(world, particle,
                                               vec(1 - 2 * ((double)x[i].y - 0.5), 2 * ((double)x[i].x - 0.5), 0.3)));
        }
        sn_constraint rod[4];
        uint32_t rods = 0;
        for (uint32_t i = 0; i < 4; ++i)
            if (rods_outside)
                rod[rods++] = sn_constraint_add_distance(world, p[sides[i][0]], p[sides[i][1]], SN_MEASURE);
            else
                sn_constraint_add_spring(world, p[sides[i][0]], p[sides[i][1]], SN_MEASURE, 100, 0);
        for (uint32_t i = 0; i < 2; ++i)
            if (rods_outside)
                sn_constraint_add_spring(world, p[diagonals[i][0]], p[diagonals[i][1]], SN_MEASURE, 100, 0);
            else
                rod[rods++] = sn_constraint_add_distance(world, p[diagonals[i][0]], p[diagonals[i][1]], SN_MEASURE);
        sn_report before, after;
        assert_ok(world, sn_world_report(world, &before));
        support_run(world, 120, 1.0 / 60);
        assert_ok(world, sn_world_report(world, &after));
        for (uint32_t i = 0; i < rods; ++i) {
            sn_real c;
            assert_ok(world, sn_constraint_value(world, rod[i], &c));
            assert_close(c, 0, 1e-4);
        }
        for (uint32_t k = 0; k < 3; ++k)
            assert_close(after.momentum[k], before.momentum[k], SINEW_DOUBLE ? 1e-9 : 1e-4);
        assert_close(after.angular_momentum[2], before.angular_momentum[2], 0.02 * before.angular_momentum[2]);
        assert_true(after.kinetic + after.elastic < 1.01 * (before.kinetic + before.elastic));
        assert_true(after.kinetic + after.elastic > 0.9 * (before.kinetic + before.elastic));
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(period),
        cmocka_unit_test(period_of_two_masses),
        cmocka_unit_test(damping),
        cmocka_unit_test(damping_acts_along_the_spring),
        cmocka_unit_test(force_is_read),
        cmocka_unit_test(energy_is_reported),
        cmocka_unit_test(odd_springs),
        cmocka_unit_test(a_rod_hangs_from_a_spring),
        cmocka_unit_test(rods_and_springs_tumble),
    };
    return cmocka_run_group_tests_name("springs", tests, NULL, NULL);
}

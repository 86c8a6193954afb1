/* Stepping to a budget: what is chosen follows from costs and errors, a run can be repeated from what was chosen, and certificates tell what
   is so. */
#include "sheet.h"
#include "support/support.h"
#include "world/budget.h"

#include <math.h>
#include <string.h>

#define DT real(1.0 / 60)

/* ---- What is decided ------------------------------------------------------------------------------------------------- */

static sn_budget timed(double seconds)
{
    sn_budget b = sn_default_budget();
    b.seconds = seconds;
    return b;
}

/* 1 ms for the step and half a millisecond for each substep: ten fit into 6 ms. */
static void test_time(void **state)
{
    (void)state;
    sn_budget b = timed(6.01e-3);
    sn_budget_decide(&b, &(sn_budget_step){4, 1, 1e-3, 0.5e-3, 0});
    assert_int_equal(b.substeps, 10);
    assert_int_equal(b.iterations, 1);
    sn_budget_decide(&b,
                     &(sn_budget_step){10, 1, 1e-3, 2.5e-3, 0}); /* it got dearer: half of that is believed at once */
    assert_int_equal(b.substeps, 3);
    for (int i = 0; i < 100; ++i)
        sn_budget_decide(&b, &(sn_budget_step){b.substeps, 1, 1e-3, 0.5e-3, 0});
    assert_int_equal(b.substeps, 10); /* and forgotten slowly */
    sn_budget_decide(&b, &(sn_budget_step){10, 1, 50e-3, 0.5e-3, 0});
    assert_int_equal(b.substeps, 1); /* nothing fits */
    b = timed(6.01e-3);
    b.most_substeps = 7;
    sn_budget_decide(&b, &(sn_budget_step){4, 1, 1e-3, 0.5e-3, 0});
    assert_int_equal(b.substeps, 7);
}

static void test_error(void **state)
{
    (void)state;
    sn_budget b = sn_default_budget();
    b.relative = 0.01;
    b.most_substeps = 20;
    b.most_iterations = 3;
    sn_budget_decide(&b, &(sn_budget_step){10, 1, 0, 0, 1.21 * 0.8});
    assert_int_equal(b.substeps, 11);
    sn_budget_decide(&b, &(sn_budget_step){10, 1, 0, 0, 100}); /* one step may mislead */
    assert_int_equal(b.substeps, 15);
    sn_budget_decide(&b, &(sn_budget_step){15, 1, 0, 0, 0.8}); /* good enough */
    assert_int_equal(b.substeps, 15);
    sn_budget_decide(&b, &(sn_budget_step){15, 1, 0, 0, 0.1}); /* but not for long */
    assert_int_equal(b.substeps, 15);
    b.recent = 0;
    sn_budget_decide(&b, &(sn_budget_step){10, 1, 0, 0, 0.1});
    assert_int_equal(b.substeps, 9);
    sn_budget_decide(&b, &(sn_budget_step){1, 1, 0, 0, 0});
    assert_int_equal(b.substeps, 1);
    for (int i = 0; i < 5; ++i)
        sn_budget_decide(&b, &(sn_budget_step){20, 1 + (uint32_t)i, 0, 0, 2});
    assert_int_equal(b.substeps, 20); /* passes where there are no more substeps */
    assert_int_equal(b.iterations, 3);
    b.recent = 0;
    sn_budget_decide(&b, &(sn_budget_step){20, 3, 0, 0, 0.1}); /* and they go first */
    assert_int_equal(b.substeps, 20);
    assert_int_equal(b.iterations, 2);
}

/* Time wins, and passes go before substeps. */
static void test_both(void **state)
{
    (void)state;
    sn_budget b = timed(11.01e-3);
    b.relative = 0.01;
    b.most_substeps = 10;
    sn_budget_decide(&b, &(sn_budget_step){10, 2, 1e-3, 2e-3, 5});
    assert_int_equal(b.substeps, 10);
    assert_int_equal(b.iterations, 1);
    b = timed(11.01e-3);
    b.relative = 0.01;
    sn_budget_decide(&b, &(sn_budget_step){4, 1, 1e-3, 1e-3, 0.7}); /* ten would fit, four are enough */
    assert_int_equal(b.substeps, 4);
}

/* ---- Worlds ---------------------------------------------------------------------------------------------------------- */

/* A hanging sheet whose rods are swept: the more substeps, the less it stretches. */
static sheet hanging(void)
{
    sn_world_def def = sn_default_world_def();
    def.settings.stiffening = SN_STIFFENING_OFF;
    return sheet_in(support_world_from(&def));
}

/* Runs it; the mean number of substeps in the second half, and in how many of the steps there the error was above what is aimed at. */
static double run(double aim, int *above)
{
    sheet s = hanging();
    sn_budget b = sn_default_budget();
    sn_certificate c;
    double sum = 0;
    b.relative = aim;
    *above = 0;
    for (int i = 0; i < 240; ++i) {
        assert_ok(s.world, sn_world_step_budget(s.world, DT, &b, &c));
        sum += i < 120 ? 0 : c.substeps;
        *above += i >= 120 && c.relative > aim;
        assert_true(i < 120 || c.relative < 2 * aim);
    }
    assert_int_equal(sn_world_settings(s.world).substeps, 10);
    sn_world_destroy(s.world);
    return sum / 120;
}

/* The error is kept, and a smaller one costs more substeps. */
static void test_keeps_error(void **state)
{
    (void)state;
    int coarse, fine;
    const double few = run(0.2, &coarse), many = run(0.05, &fine);
    print_message("20 %%: %.1f substeps, %d above; 5 %%: %.1f substeps, %d above\n", few, coarse, many, fine);
    assert_true(coarse <= 6 && fine <= 6); /* of 120 */
    assert_true(many > 1.5 * few && many < 90);
}

/* What was chosen by the clock gives the same bits again. */
static void test_repeats(void **state)
{
    (void)state;
    enum { STEPS = 60 };
    sheet s = hanging(), again = hanging();
    sn_budget b = timed(2e-3);
    b.relative = 0.01;
    uint64_t hash[STEPS];
    sn_certificate c[STEPS];
    for (int i = 0; i < STEPS; ++i) {
        assert_ok(s.world, sn_world_step_budget(s.world, DT, &b, &c[i]));
        hash[i] = sn_world_hash(s.world);
    }
    for (int i = 0; i < STEPS; ++i) {
        sn_budget same = sn_default_budget();
        same.substeps = c[i].substeps;
        same.iterations = c[i].iterations;
        assert_ok(again.world, sn_world_step_budget(again.world, DT, &same, NULL));
        assert_true(sn_world_hash(again.world) == hash[i]);
    }
    sn_world_destroy(s.world);
    sn_world_destroy(again.world);
}

/* An error alone asks no clock: any number of threads chooses alike. */
static void test_threads(void **state)
{
    (void)state;
    sheet s[2] = {hanging(), hanging()};
    sn_budget b[2] = {sn_default_budget(), sn_default_budget()};
    assert_ok(s[1].world, sn_world_set_threads(s[1].world, 3));
    b[0].relative = b[1].relative = 0.05;
    for (int i = 0; i < 60; ++i) {
        for (int k = 0; k < 2; ++k)
            assert_ok(s[k].world, sn_world_step_budget(s[k].world, DT, &b[k], NULL));
        assert_int_equal(b[0].substeps, b[1].substeps);
    }
    assert_true(sn_world_hash(s[0].world) == sn_world_hash(s[1].world));
    sn_world_destroy(s[0].world);
    sn_world_destroy(s[1].world);
}

/* ---- Certificates ------------------------------------------------------------------------------------------------------ */

/* A stone that falls 1 s keeps its energy but for m g h dt / 2, and one that is thrown upwards by a spot force gains what that does. */
static void test_energy(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle stone = sn_particle_add_at(world, vec(0, 0, 0), real(0.5));
    sn_budget b = sn_default_budget();
    sn_certificate c;
    assert_ok(world, sn_world_step_budget(world, DT, &b, &c));
    assert_int_equal(c.substeps, 10);
    assert_int_equal(c.iterations, 1);
    assert_true(fabs(c.change) < 0.01 && c.relative == 0 && c.penetration == 0 && c.seconds > 0);
    assert_ok(world, sn_particle_apply_force(world, stone, vec(0, 120, 0)));
    const double v = (double)sn_particle_velocity(world, stone).y, more = 120.0 / 0.5 / 60;
    assert_ok(world, sn_world_step_budget(world, DT, &b, &c));
    const double work = 120.0 / 60 * (v + more / 2);
    assert_true(fabs(c.change - work) < 0.05 * fabs(work));
    sn_world_destroy(world);
}

/* A crate that is 1 cm deep in another when it starts is parted at push_out, and says so. */
static void test_penetration(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    sn_world *world = support_world_from(&def);
    sn_body low = sn_body_add_box(world, vec(0, 0, 0), vec(0.5, 0.5, 0.5), 1);
    sn_body high = sn_body_add_box(world, vec(0, 0.99, 0), vec(0.5, 0.5, 0.5), 1);
    sn_budget b = sn_default_budget();
    sn_certificate c;
    b.substeps = 1;
    assert_ok(world, sn_world_step_budget(world, real(1e-3), &b, &c));
    const double apart = (double)sn_body_position(world, high).y - (double)sn_body_position(world, low).y;
    print_message("deep by %g m, by the certificate %g m\n", 1 - apart, c.penetration);
    assert_true(1 - apart > 0.005 && fabs(c.penetration - (1 - apart)) < 1e-5);
    assert_true(c.report.profile.counts.deepest.generation != 0 &&
                c.report.profile.counts.deepest_other.generation != 0);
    sn_world_destroy(world);
}

/* The same of balls, with each other and with the ground. */
static void test_penetration_of_balls(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = 1;
    sn_world *world = support_world_from(&def);
    sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    sn_particle ball[2];
    for (int i = 0; i < 2; ++i) {
        ball[i] = sn_particle_add_at(world, vec(0, 0.1 + 0.2 * i, 0), i ? 1000 : 1);
        assert_ok(world, sn_particle_set_radius(world, ball[i], real(0.1)));
    }
    sn_budget b = sn_default_budget();
    sn_certificate c;
    double deepest = 0;
    for (int i = 0; i < 30; ++i) {
        assert_ok(world, sn_world_step_budget(world, DT, &b, &c));
        const double low = (double)sn_particle_position(world, ball[0]).y,
                     high = (double)sn_particle_position(world, ball[1]).y;
        const double deep = fmax(0, fmax(0.1 - low, 0.2 - (high - low)));
        assert_true(fabs(c.penetration - deep) < 1e-6);
        deepest = fmax(deepest, deep);
    }
    print_message("deepest %g m\n", deepest);
    assert_true(deepest > 1e-5); /* otherwise it shows nothing */
    sn_world_destroy(world);
}

/* ---- Bad input ----------------------------------------------------------------------------------------------------------- */

static void test_bad_input(void **state)
{
    (void)state;
    sheet s = hanging();
    const uint64_t hash = sn_world_hash(s.world);
    const sn_budget good = sn_default_budget();
    sn_budget bad[10];
    for (int i = 0; i < 10; ++i)
        bad[i] = good;
    bad[0].seconds = -1;
    bad[1].seconds = NAN;
    bad[2].relative = INFINITY;
    bad[3].metres = -0.1;
    bad[4].least_substeps = 0;
    bad[5].least_substeps = 101;
    bad[6].most_substeps = 100001;
    bad[7].most_iterations = 0;
    bad[8].substeps = 100001;
    bad[9].iterations = 100001;
    static const char *const named[] = {"seconds",        "seconds",        "relative",      "metres",
                                        "least_substeps", "least_substeps", "most_substeps", "most_iterations",
                                        "substeps",       "iterations"};
    for (int i = 0; i < 10; ++i) {
        sn_budget b = bad[i];
        sn_certificate c;
        memset(&c, 0x5a, sizeof c);
        const sn_certificate before = c;
        assert_int_equal(sn_world_step_budget(s.world, DT, &b, &c), SN_ERROR_ARGUMENT);
        assert_non_null(strstr(sn_world_error(s.world), named[i]));
        assert_memory_equal(&b, &bad[i], sizeof b);
        assert_memory_equal(&c, &before, sizeof c);
    }
    sn_budget b = good;
    assert_int_equal(sn_world_step_budget(s.world, DT, NULL, NULL), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_step_budget(s.world, real(-1), &b, NULL), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_step_budget(NULL, DT, &b, NULL), SN_ERROR_ARGUMENT);
    assert_true(sn_world_hash(s.world) == hash);
    assert_memory_equal(&b, &good, sizeof b);
    sn_world_destroy(s.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_error),
        cmocka_unit_test(test_both),
        cmocka_unit_test(test_keeps_error),
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_penetration),
        cmocka_unit_test(test_penetration_of_balls),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

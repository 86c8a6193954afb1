/* Who takes part in a comparison, and the one number that its errors become. The command itself is driven by
   scripts/compare.sh. */
#include "support/support.h"
#include "cli/compare.h"

#include <math.h>

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

static void everybody(void **state)
{
    (void)state;
    sn_contestants all;
    assert_int_equal(sn_contestants_read(NULL, &all), SN_EXIT_FINE);
    assert_int_equal(all.count, 6);
    assert_string_equal(all.item[0].label, "gauss_seidel");
    assert_string_equal(all.item[3].set[0], "world.solver=lagrange");
    sn_contestants_release(&all);
}

static void with_settings(void **state)
{
    (void)state;
    sn_contestants all;
    assert_int_equal(sn_contestants_read("jacobi:averaged+relaxation=1.5,"
                                         "lagrange:least_squares:leapfrog+world.drift_time=1e+2+iterations=3,"
                                         "direct+gravity=[0,-1,0]+substeps=7+objects[0].name=\"a,b+c\"",
                                         &all),
                     SN_EXIT_FINE);
    assert_int_equal(all.count, 3);
    static const char *const sets[3][5] = {
        {"world.solver=jacobi", "world.jacobi=averaged", "world.relaxation=1.5"},
        {"world.solver=lagrange", "world.linear=least_squares", "world.integrator=leapfrog", "world.drift_time=1e+2",
         "world.iterations=3"},
        {"world.solver=direct", "world.gravity=[0,-1,0]", "world.substeps=7", "objects[0].name=\"a,b+c\""}};
    for (uint32_t i = 0; i < 3; ++i) {
        uint32_t count = 0;
        while (count < 5 && sets[i][count])
            ++count;
        assert_int_equal(all.item[i].set_count, count);
        for (uint32_t k = 0; k < count; ++k)
            assert_string_equal(all.item[i].set[k], sets[i][k]);
    }
    assert_string_equal(all.item[0].label, "jacobi:averaged+relaxation=1.5");
    assert_false(all.item[0].iterations || all.item[0].substeps);
    assert_true(all.item[1].iterations && !all.item[1].substeps);
    assert_true(!all.item[2].iterations && all.item[2].substeps);
    sn_contestants_release(&all);
}

static void not_understood(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      ",",
                                      "gauss_seidel,",
                                      "jakobi",
                                      "jacobi,jacobi",
                                      "jacobi:",
                                      "jacobi:averaged:",
                                      "jacobi:jacobi",
                                      "jacobi:0.5",
                                      "jacobi+",
                                      "jacobi+relaxation",
                                      "jacobi+relaxation=",
                                      "jacobi:averaged+[",
                                      "world.solver=jacobi"};
    for (uint32_t i = 0; i < COUNT_OF(bad); ++i) {
        sn_contestants all;
        if (sn_contestants_read(bad[i], &all) != SN_EXIT_USAGE)
            fail_msg("'%s' was understood", bad[i]);
        sn_contestants_release(&all);
    }
}

static void counts(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "0", "-1", "1,", ",1", "2,1", "1,1", "1.5", "1 2", "100001", "99999999999999"};
    uint32_t *count, length;
    assert_true(sn_counts_read("iterations", "1,3,100000", &count, &length));
    assert_int_equal(length, 3);
    assert_int_equal(count[1], 3);
    assert_int_equal(count[2], 100000);
    free(count);
    for (uint32_t i = 0; i < COUNT_OF(bad); ++i) {
        if (sn_counts_read("iterations", bad[i], &count, &length))
            fail_msg("'%s' was taken for counts", bad[i]);
        free(count);
    }
}

/* ---- The error --------------------------------------------------------------------------------------------------- */

static sn_error_scale scale_of(sn_world *world)
{
    sn_document document;
    sn_error_scale scale;
    sn_document_init(&document, NULL);
    sn_document_record(&document, NULL, NULL);
    assert_true(sn_error_scale_take(&scale, &document, world));
    sn_document_release(&document);
    return scale;
}

static void error_of(const sn_error_scale *scale, sn_world *world, double *mean, double *worst)
{
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    sn_error_of(scale, world, &report, mean, worst);
}

/* Of rods the stretch, as a share of their length. */
static void stretch(void **state)
{
    (void)state;
    double mean, worst;
    sn_world *world = support_void();
    sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), 1), b = sn_particle_add_at(world, vec(0.2, 0, 0), 1),
                c = sn_particle_add_at(world, vec(0.4, 0, 0), 1);
    sn_constraint_add_distance(world, sn_at(a), sn_at(b), SN_MEASURE);
    sn_constraint_add_distance(world, sn_at(b), sn_at(c), SN_MEASURE);
    sn_constraint_add_spring(world, sn_at(a), sn_at(c), 7, 1, 0); /* a force: neither counts nor measures */
    sn_error_scale scale = scale_of(world);
    assert_close(scale.length, 0.2, 1e-6);
    assert_false(scale.held);
    error_of(&scale, world, &mean, &worst);
    assert_close(mean, 0, 1e-6);
    assert_ok(world, sn_particle_set_position(world, c, vec(0.406, 0, 0)));
    error_of(&scale, world, &mean, &worst);
    assert_close(worst, 0.03, 1e-5);
    assert_close(mean, 0.015, 1e-5);
    sn_error_scale_release(&scale);
    sn_world_destroy(world);
}

/* Whatever the unit of C is, the error is how far a point is off: here the tip of a regular tetrahedron of edge 1, which
   is lifted by a hundredth, breaks its volume and nothing else. */
static void other_units(void **state)
{
    (void)state;
    double mean, worst;
    sn_world *world = support_void();
    sn_point p[4] = {sn_at(sn_particle_add_at(world, vec(0, 0, 0), 1)),
                     sn_at(sn_particle_add_at(world, vec(1, 0, 0), 1)),
                     sn_at(sn_particle_add_at(world, vec(0.5, 0.8660254, 0), 1)),
                     sn_at(sn_particle_add_at(world, vec(0.5, 0.2886751, 0.8164966), 1))};
    sn_constraint_add_volume(world, p[0], p[1], p[2], p[3], SN_MEASURE);
    sn_error_scale scale = scale_of(world);
    assert_close(scale.length, 1, 1e-5);
    assert_close(scale.gradient[SN_KIND_VOLUME], 0.1443376, 1e-5); /* a third of a face */
    assert_ok(world, sn_particle_set_position(world, p[3].particle[0], vec(0.5, 0.2886751, 0.8264966)));
    error_of(&scale, world, &mean, &worst);
    assert_close(mean, 0.01, 1e-4);
    assert_close(worst, 0.01, 1e-4);
    sn_error_scale_release(&scale);
    sn_world_destroy(world);
}

/* Pins have no size of their own: metres then, and they hold the scene. */
static void pins(void **state)
{
    (void)state;
    double mean, worst;
    sn_world *world = support_void();
    sn_particle a = sn_particle_add_at(world, vec(3, 0, 0), 1);
    sn_error_scale scale = scale_of(world); /* no constraint at all */
    error_of(&scale, world, &mean, &worst);
    assert_true(mean == 0 && worst == 0 && !scale.held);
    sn_error_scale_release(&scale);
    sn_constraint_add_pin(world, a);
    scale = scale_of(world);
    assert_true(scale.held);
    assert_close(scale.length, 1, 0);
    assert_ok(world, sn_particle_set_position(world, a, vec(3, 0.25, 0)));
    error_of(&scale, world, &mean, &worst);
    assert_close(worst, 0.25, 1e-6);
    sn_error_scale_release(&scale);
    sn_world_destroy(world);
}

/* Every kind has a scale that can be divided by, also those with any number of points. */
static void every_kind(void **state)
{
    (void)state;
    double mean, worst;
    sn_world *world = support_world();
    support_zoo(world);
    sn_error_scale scale = scale_of(world);
    assert_true(scale.held);
    for (uint32_t kind = 1; kind < scale.kinds; ++kind)
        assert_true(scale.gradient[kind] > 0 && isfinite(scale.gradient[kind]));
    error_of(&scale, world, &mean, &worst);
    assert_true(isfinite(mean) && isfinite(worst) && mean <= worst);
    sn_error_scale_release(&scale);
    sn_world_destroy(world);
}

/* Joints are evaluated with axes, which only the world has: comparing a scene with one was a crash. */
static void joints(void **state)
{
    (void)state;
    double mean, worst;
    sn_world *world = support_world();
    sn_body body = sn_body_add_box(world, (sn_vec3){0, 0, 0}, (sn_vec3){1, 1, 1}, 1000);
    sn_joint_add_ball(world, body, (sn_body){0, 0}, (sn_vec3){1, 1, 1});
    sn_error_scale scale = scale_of(world);
    error_of(&scale, world, &mean, &worst);
    assert_true(isfinite(mean) && mean <= worst && worst < 1e-6);
    sn_error_scale_release(&scale);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everybody), cmocka_unit_test(with_settings), cmocka_unit_test(not_understood),
        cmocka_unit_test(counts),    cmocka_unit_test(stretch),       cmocka_unit_test(other_units),
        cmocka_unit_test(pins),      cmocka_unit_test(every_kind),    cmocka_unit_test(joints),
    };
    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}

/* The rigid bodies of the benchmark: they start apart and whole, and what is said of how they hold is right. */
#include "support/support.h"

#include "cli/bench.h"

#include <math.h>

static sn_bench_model model_of(const char *scene, uint32_t n)
{
    sn_bench_case c;
    sn_bench_model m;
    assert_true(sn_bench_case_find(scene, n, &c) && sn_bench_case_is_bodies(&c) && !sn_bench_case_is_pile(&c));
    assert_true(sn_bench_model_build(&c, SN_BENCH_FALLING, &m));
    assert_int_equal(m.bodies, m.particles);
    return m;
}

/* As they start, seven numbers each. */
static double *poses_of(const sn_bench_model *m)
{
    double *pose = malloc(7 * (size_t)m->bodies * sizeof *pose);
    assert_non_null(pose);
    for (uint32_t i = 0; i < m->bodies; ++i)
        memcpy(&pose[7 * (size_t)i], m->body[i].pose, sizeof m->body[i].pose);
    return pose;
}

static sn_bench_overlap hold_of(const sn_bench_model *m, const double *pose)
{
    sn_bench_overlap o;
    assert_true(sn_bench_model_bodies_hold(m, pose, &o));
    return o;
}

static void boxes_start_apart(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 30, 500, 5000};
    for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
        sn_bench_model m = model_of("boxes", sizes[i]);
        double *pose = poses_of(&m);
        sn_bench_overlap o = hold_of(&m, pose);
        assert_int_equal(m.bodies, sizes[i]);
        assert_true(o.mean == 0 && o.largest == 0 && o.contacts == 0);
        free(pose);
        sn_bench_model_release(&m);
    }
}

static void place(double *pose, double x, double y, double z, double angle)
{
    const double to[7] = {x, y, z, 0, sin(angle / 2), 0, cos(angle / 2)};
    memcpy(pose, to, sizeof to);
}

/* Cubes of 0.2 m: beside each other, one turned by 45 degrees, in the floor, and edge across edge. */
static void depths_are_right(void **state)
{
    (void)state;
    sn_bench_model m = model_of("boxes", 2);
    double pose[14], quarter = acos(-1.0) / 4;
    m.box = 100;
    place(pose, 0, 1, 0, 0);
    place(pose + 7, 0.19, 1.05, 0.02, 0);
    sn_bench_overlap o = hold_of(&m, pose);
    assert_close(o.largest, 0.1, 1e-12); /* of half an edge */
    assert_close(o.mean, 0.1, 1e-12);
    assert_close(o.contacts, 1, 1e-12);
    place(pose + 7, 0.24, 1, 0, quarter); /* a corner reaches 0.1 sqrt 2 far */
    assert_close(hold_of(&m, pose).largest, (0.1 + 0.1 * sqrt(2.0) - 0.24) / 0.1, 1e-12);
    place(pose + 7, 0.2415, 1, 0, quarter);
    assert_true(hold_of(&m, pose).contacts == 0);
    place(pose + 7, 3, 0.07, 0, 0.3);
    o = hold_of(&m, pose);
    assert_close(o.largest, 0.3, 1e-12);
    assert_close(o.contacts, 0.5, 1e-12);
    const double across[7] = {0, 1 + 0.2 * sqrt(2.0) - 0.01, 0, sin(quarter / 2), 0, 0, cos(quarter / 2)};
    const double along[7] = {0, 1, 0, 0, 0, sin(quarter / 2), cos(quarter / 2)};
    memcpy(pose, along, sizeof along);
    memcpy(pose + 7, across, sizeof across);
    assert_close(hold_of(&m, pose).largest, 0.1, 1e-9);
    pose[3] = (double)NAN;
    assert_true(isnan(hold_of(&m, pose).largest));
    sn_bench_model_release(&m);
}

static void figures_are_whole(void **state)
{
    (void)state;
    sn_bench_model m = model_of("ragdolls", 9);
    double *pose = poses_of(&m), mass = 0, lowest = (double)INFINITY;
    assert_int_equal(m.bodies, 9 * 11);
    assert_int_equal(m.joints, 9 * 10);
    for (uint32_t i = 0; i < m.bodies; ++i) {
        mass += m.body[i].mass;
        lowest = fmin(lowest, pose[7 * (size_t)i + 1]);
    }
    assert_close(mass / 9, 75, 1e-9);
    assert_true(lowest > 0);
    sn_bench_overlap o = hold_of(&m, pose);
    assert_true(o.largest < 1e-12 && isnan(o.contacts));
    pose[0] += 0.175; /* a pelvis, which three joints hold: a tenth of the height */
    o = hold_of(&m, pose);
    assert_close(o.largest, 0.1, 1e-9);
    assert_close(o.mean, 3 * 0.1 / m.joints, 1e-9);
    for (uint32_t i = 0; i < m.joints; ++i)
        assert_true(m.joint[i].a / 11 == m.joint[i].b / 11 && m.joint[i].least < m.joint[i].most);
    free(pose);
    sn_bench_model_release(&m);
}

/* Joints as Sinew has them are at rest at the start: nothing moves without gravity but rounding. */
static void they_are_accepted(void **state)
{
    (void)state;
    sn_bench_model m = model_of("ragdolls", 5);
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    sn_world *world;
    assert_int_equal(sn_world_create(&def, &world), SN_OK);
    sn_body *body = malloc(m.bodies * sizeof *body);
    sn_bench_row row = sn_bench_row_new("ragdolls", 5, "sinew", "falling", 1);
    assert_non_null(body);
    if (!sn_bench_add_bodies(world, &m, body) || !sn_bench_add_joints(world, &m, body))
        fail_msg("%s", sn_world_error(world));
    assert_int_equal(sn_world_body_count(world), 55);
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_NONE), 50);
    for (uint32_t i = 0; i < 20; ++i)
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
    assert_true(sn_bench_measure_bodies(world, &m, body, &row));
    assert_true(row.stretch_max < 1e-5 && row.fastest < 1e-3);
    free(body);
    sn_world_destroy(world);
    sn_bench_model_release(&m);
}

/* Boxes that fall on each other crush none: at no time is one deeper in another than a tenth of half an edge. */
static void falling_boxes_crush_none(void **state)
{
    (void)state;
    sn_bench_case c;
    sn_bench_world b;
    char status[SN_BENCH_TEXT] = "";
    assert_true(sn_bench_case_find("boxes", 200, &c));
    const sn_bench_job job = {.what = &c, .path = SN_BENCH_FALLING, .threads = 1, .substeps = c.substeps};
    assert_true(sn_bench_world_build(&job, NULL, &b, status));
    for (uint32_t frame = 0; frame < 120; ++frame) {
        sn_bench_row row = {0};
        assert_ok(b.world, sn_world_step(b.world, real(SN_BENCH_DT)));
        assert_true(sn_bench_world_quality(&b, &row));
        assert_true(row.stretch_mean < 0.01);
        if (!(row.stretch_max < 0.1))
            fail_msg("frame %u: a box is %g of half an edge deep in another", (unsigned)frame, row.stretch_max);
    }
    sn_bench_world_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_start_apart),        cmocka_unit_test(depths_are_right),
        cmocka_unit_test(figures_are_whole),        cmocka_unit_test(they_are_accepted),
        cmocka_unit_test(falling_boxes_crush_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

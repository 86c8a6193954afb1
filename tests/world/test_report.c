/* The report: sums worked out by hand, and the times of the phases. */
#include "support/support.h"

/* Two particles and an immovable one, whose numbers are easy. */
static void test_sums(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle a = sn_particle_add_at(world, vec(1, 2, 0), 2), b = sn_particle_add_at(world, vec(-1, 0, 3), 1);
    sn_particle fixed = sn_particle_add_at(world, vec(100, 100, 100), SN_IMMOVABLE);
    assert_ok(world, sn_particle_set_velocity(world, a, vec(3, 0, 0)));
    assert_ok(world, sn_particle_set_velocity(world, b, vec(0, 4, 0)));
    assert_ok(world, sn_particle_set_velocity(world, fixed, vec(9, 9, 9)));
    sn_report r;
    assert_ok(world, sn_world_report(world, &r));
    assert_close(r.mass, 3, 1e-12);
    assert_close(r.kinetic, 2 * 9 / 2.0 + 16 / 2.0, 1e-6);
    assert_close(r.potential, 9.81 * 2 * 2, 1e-5);
    assert_close(r.centre[0], 1 / 3.0, 1e-6);
    assert_close(r.centre[2], 1, 1e-6);
    assert_close(r.momentum[0], 6, 1e-6);
    assert_close(r.momentum[1], 4, 1e-6);
    /* m x cross v: 2 (1, 2, 0) x (3, 0, 0) = (0, 0, -12), (-1, 0, 3) x (0, 4, 0) = (-12, 0, -4) */
    assert_close(r.angular_momentum[0], -12, 1e-5);
    assert_close(r.angular_momentum[1], 0, 1e-5);
    assert_close(r.angular_momentum[2], -16, 1e-5);
    assert_int_equal(r.particles, 3);
    assert_int_equal(r.steps, 0);
    sn_world_destroy(world);
}

/* A stretched soft rod, and two rigid ones that are missed by 0.25 and 0. */
static void test_residuals(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1), q = sn_particle_add_at(world, vec(2, 0, 0), 1);
    sn_constraint off = sn_constraint_add_distance(world, sn_at(p), sn_at(q), real(1.75));
    sn_constraint_add_distance(world, sn_at(p), sn_at(q), 2);
    sn_constraint rope = sn_constraint_add_distance_max(world, sn_at(p), sn_at(q), 1);
    assert_ok(world, sn_constraint_set_material(world, rope, (sn_material){.compliance = real(0.01)}));
    sn_report r;
    assert_ok(world, sn_world_report(world, &r));
    const sn_kind_report *rods = sn_report_kind(&r, SN_KIND_DISTANCE);
    assert_non_null(rods);
    assert_int_equal(rods->count, 2);
    assert_close(rods->largest, 0.25, 1e-6);
    assert_close(rods->mean, 0.125, 1e-6);
    assert_memory_equal(&rods->worst, &off, sizeof off);
    assert_close(r.elastic, 1 / (2 * 0.01), 1e-4);
    assert_null(sn_report_kind(&r, SN_KIND_PIN));
    sn_world_destroy(world);
}

/* Where numbers overflow the report says that it cannot evaluate, and stays finite. */
static void test_overflow(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), 1), b = sn_particle_add_at(world, vec(0, 1, 0), 1);
    assert_true(sn_constraint_add_spring(world, sn_at(a), sn_at(b), 1, real(1e20), 0).kind != 0);
    sn_body body = sn_body_add_box(world, vec(0, 0, 0.1 * SUPPORT_REAL_MAX), vec(1, 1, 1), 1);
    sn_joint_def def = sn_default_joint_def(SN_KIND_JOINT_FIXED);
    def.a = body;
    def.linear_compliance = 1;
    sn_constraint joint = sn_joint_add(world, &def);
    assert_ok(world, sn_particle_set_position(world, b, vec(0, 1e-3 * SUPPORT_REAL_MAX, 0)));
    assert_ok(world, sn_body_set_pose(world, body, vec(0, 0, -0.99 * SUPPORT_REAL_MAX), (sn_quat){1, 1, 0, 0}));
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    assert_true(isfinite(report.elastic));
    assert_int_equal(sn_report_kind(&report, SN_KIND_SPRING)->undefined, 1);
    if (joint.kind)
        assert_true(isfinite(sn_report_kind(&report, SN_KIND_JOINT_FIXED)->mean));
    sn_world_destroy(world);
}

static void check_damping(sn_world *world, sn_body body, sn_constraint spring, double spin)
{
    sn_report r;
    const sn_quat straight = {0, 0, 0, 1};
    assert_ok(world, sn_body_set_pose(world, body, vec(0, 0, 0), straight));
    assert_ok(world, sn_body_set_velocity(world, body, vec(0, 0, 0), vec(0, 0, spin)));
    assert_close(sn_constraint_force(world, spring).magnitude, 5 * spin, 1e-4);
    assert_ok(world, sn_world_report(world, &r));
    const sn_kind_report *joints = sn_report_kind(&r, SN_KIND_JOINT_BALL);
    assert_int_equal(joints->undefined, 0);
    if (r.steps == 0)
        assert_close(joints->largest, 2 * 3 * spin, 1e-4); /* compliance times damping times the rate of its length */
}

/* Dampers on a rotating body: its rotation is the present one, before the first step, after steps, after particles
   were added, and in a loaded world. New memory is filled with NaN. */
static void test_damping_of_rotation(void **state)
{
    (void)state;
    support_memory memory = {.rubbish = 0xff};
    sn_world_def def = support_scarce(&memory);
    sn_world *world = support_world_from(&def);
    const sn_body body = sn_body_add_box(world, vec(0, 0, 0), vec(1, 1, 1), 1);
    const sn_constraint spring =
        sn_constraint_add_spring(world, sn_on_body(body, vec(1, 0, 0)), sn_at_place(vec(1, -1, 0)), 1, 10, 5);
    sn_joint_def joint = sn_default_joint_def(SN_KIND_JOINT_BALL);
    joint.a = body;
    joint.anchor = vec(1, 0, 0);
    joint.linear_compliance = 2;
    joint.linear_damping = 3;
    assert_true(sn_joint_add(world, &joint).kind != 0);
    check_damping(world, body, spring, 2);
    check_damping(world, body, spring, 7);
    support_run(world, 2, 1.0 / 60);
    check_damping(world, body, spring, 3);
    for (uint32_t i = 0; i < 70; ++i) { /* as many as there is room for, too */
        sn_particle_add_at(world, vec(9, i, 0), 1);
        check_damping(world, body, spring, 4);
        sn_world *loaded = support_world_from(&def);
        sn_snapshot *saved = sn_world_save(world);
        assert_ok(loaded, sn_world_load(loaded, saved));
        check_damping(loaded, body, spring, 4);
        assert_int_equal(sn_world_hash(loaded), sn_world_hash(world));
        sn_snapshot_destroy(saved);
        sn_world_destroy(loaded);
    }
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_residuals),
        cmocka_unit_test(test_damping_of_rotation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

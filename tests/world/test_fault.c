/* What a program can learn of a step that failed. */
#include "support/support.h"

#include <math.h>

static sn_vec3 bad_wind(void *context, const sn_field_in *in)
{
    const uint32_t *victim = context;
    return vec(in->index == *victim && in->time > 0.05 ? (double)INFINITY : 0, 0, 0);
}

static void test_field(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1), q = sn_particle_add_at(world, vec(1, 0, 0), 1);
    uint32_t number;
    assert_true(sn_particle_is_valid(world, p));
    assert_ok(world, sn_field_add(world, bad_wind, &q.index, false, &number));
    assert_result(world, SN_ERROR_DIVERGED, sn_world_step(world, real(0.1)));
    sn_fault fault = sn_world_fault(world);
    assert_int_equal(fault.field, number);
    assert_memory_equal(&fault.particle, &q, sizeof q);
    assert_int_equal(fault.constraint.generation, 0);
    assert_true(fault.time > 0.049 && fault.time < 0.07);
    assert_true(sn_world_time(world) == 0); /* the substeps before that are taken back, too */

    assert_ok(world, sn_field_remove(world, number));
    assert_ok(world, sn_world_step(world, real(0.1)));
    assert_close(sn_world_time(world), 0.1, 1e-7);
    fault = sn_world_fault(world);
    assert_int_equal(fault.field, 0);
    assert_int_equal(fault.particle.generation, 0);
    assert_true(fault.time == 0);
    sn_world_destroy(world);
}

static bool undefined_eval(const sn_eval_in *in, const sn_eval_out *out)
{
    (void)in;
    out->c[0] = (sn_real)NAN;
    out->gradient[0] = vec(1, 0, 0);
    return true;
}

static void test_constraint(void **state)
{
    (void)state;
    const sn_kind kind = {.name = "undefined", .points = 1, .rows = 1, .eval = undefined_eval};
    sn_world *world = support_world();
    sn_point point = sn_at(sn_particle_add_at(world, vec(0, 0, 0), 1));
    sn_constraint_def def = sn_default_constraint_def(sn_kind_register(world, &kind));
    sn_constraint bad;
    def.points = &point;
    assert_ok(world, sn_constraint_add(world, &def, &bad));
    assert_result(world, SN_ERROR_DIVERGED, sn_world_step(world, real(0.1)));
    sn_fault fault = sn_world_fault(world);
    assert_memory_equal(&fault.constraint, &bad, sizeof bad);
    assert_true(fault.time == 0);
    assert_ok(world, sn_constraint_remove(world, fault.constraint));
    assert_ok(world, sn_world_step(world, real(0.1)));
    sn_world_destroy(world);
}

static void test_particle(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), real(1e-30));
    assert_ok(world, sn_particle_apply_force(world, p, vec(SUPPORT_REAL_MAX / 2, 0, 0)));
    assert_result(world, SN_ERROR_DIVERGED, sn_world_step(world, real(0.1)));
    sn_fault fault = sn_world_fault(world);
    assert_memory_equal(&fault.particle, &p, sizeof p);
    assert_int_equal(fault.field, 0);
    assert_true(sn_world_fault(NULL).time == 0);
    sn_world_destroy(world);
}

#if !SINEW_DOUBLE
/* The first thing that goes wrong is blamed, and logged, alone: here a joint, whose forces overflow at the end of a substep that
   contact would find fault with, too. */
static void test_first_is_blamed(void **state)
{
    (void)state;
    support_log log = {0};
    sn_world_def def = sn_default_world_def();
    def.log = support_log_hook(&log);
    def.settings = (sn_settings){.gravity = vec(0, -2, 1),
                                 .solver = SN_SOLVER_LAGRANGE,
                                 .integrator = SN_INTEGRATOR_LEAPFROG,
                                 .substeps = 1,
                                 .tolerance = 1,
                                 .damping = 1,
                                 .relaxation = 1,
                                 .drift_time = 1,
                                 .k_d = 1};
    sn_world *world = support_world_from(&def);
    sn_body body = sn_body_add_capsule(world, vec(1, -1.5, 0.09), vec(1, 1, 0), real(0.376331061), 1);
    sn_joint_def joint = sn_default_joint_def(SN_KIND_JOINT_CONE_TWIST);
    joint.b = body;
    joint.anchor = vec(-1, 1, -0.109182775);
    joint.axis = vec(1, 1, 0);
    joint.most = joint.target_most = joint.friction = 0;
    assert_true(sn_joint_add(world, &joint).kind != 0);
    assert_ok(world, sn_particle_set_mass(world, sn_body_particle(world, body), real(0.1)));
    assert_ok(world, sn_body_apply_impulse(world, body, vec(0, 0, -3.24748063), vec(0, 1, 0)));
    sn_result result = SN_OK;
    for (int i = 0; i < 10 && result == SN_OK; ++i)
        result = sn_world_step(world, 1);
    assert_int_equal(result, SN_ERROR_DIVERGED);
    assert_int_equal(log.count, 1);
    sn_world_destroy(world);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#if !SINEW_DOUBLE
        cmocka_unit_test(test_first_is_blamed),
#endif
        cmocka_unit_test(test_field),
        cmocka_unit_test(test_constraint),
        cmocka_unit_test(test_particle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A step that fails is taken back: the world stands where it began, whatever solver and integrator. */
#include "world/contact_worlds.h"

#include <math.h>

#if SINEW_DOUBLE
#define TINY 1e-200
#else
#define TINY 1e-30
#endif

enum { GRAINS = 6 };

/* Balls so small that their inertia is no number, almost in one place, above others that are well. */
static sn_world *tiny_grains(sn_solver solver, sn_integrator integrator, bool events)
{
    sn_world *world = contact_world(sn_default_world_def(), false, events);
    sn_settings settings = sn_world_settings(world);
    settings.solver = solver;
    settings.integrator = integrator;
    assert_ok(world, sn_world_configure(world, &settings));
    sn_group_contact contact = sn_default_group_contact(0);
    contact.rolls = true;
    assert_ok(world, sn_world_set_group_contact(world, 0, &contact));
    add_floor(world);
    sn_particle p = ball(world, vec(3, 0.0999, 0), 1, 0.1);
    assert_ok(world, sn_particle_set_spin(world, p, vec(0, 0, -5)));
    support_run(world, 3, FRAME); /* it rolls, and there is a past */
    for (int i = 0; i < GRAINS; ++i)
        ball(world, vec(0, 1, TINY * i), 1, TINY);
    return world;
}

static void check_taken_back(sn_world *world)
{
    uint64_t before = sn_world_hash(world);
    double time = sn_world_time(world);
    assert_result(world, SN_ERROR_DIVERGED, sn_world_step(world, real(FRAME)));
    assert_says(sn_world_error(world), "particle contact turn|place");
    assert_true(sn_particle_is_valid(world, sn_world_fault(world).particle));
    assert_true(sn_world_fault(world).time >= time);
    assert_true(sn_world_hash(world) == before);
    assert_true(sn_world_time(world) == time);
}

static void substeps_are_taken_back(void **state)
{
    (void)state;
    static const sn_solver solvers[] = {SN_SOLVER_TILED, SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_JACOBI};
    static const sn_integrator integrators[] = {SN_INTEGRATOR_SYMPLECTIC_EULER, SN_INTEGRATOR_LEAPFROG,
                                                SN_INTEGRATOR_VERLET, SN_INTEGRATOR_BDF2};
    for (size_t s = 0; s < COUNT_OF(solvers); ++s)
        for (size_t i = 0; i < COUNT_OF(integrators); ++i) {
            sn_world *world = tiny_grains(solvers[s], integrators[i], s == 1);
            check_taken_back(world);
            check_taken_back(world); /* as often as it is tried */
            for (uint32_t k = 0; k < GRAINS; ++k)
                assert_ok(world, sn_particle_remove(world, sn_particle_from_index(world, 1 + k)));
            support_run(world, 10, FRAME);
            assert_true((double)place(world, sn_particle_from_index(world, 0)).x > 3);
            sn_world_destroy(world);
        }
}

/* A ball that is larger than numbers can square. */
static void places_stay_finite(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_group_contact contact = sn_default_group_contact(0);
    contact.rolls = true;
    assert_ok(world, sn_world_set_group_contact(world, 0, &contact));
    for (int i = 0; i < 5; ++i)
        ball(world, vec(0.3 * i, 0.1 * i, 0), 1, 0.2);
    sn_particle p = ball(world, vec(0, 3, 0), 1, SUPPORT_REAL_MAX / 4);
    assert_ok(world, sn_particle_set_spin(world, p, vec(1, 2, 3)));
    sn_result result = SN_OK;
    for (int i = 0; i < 5 && result == SN_OK; ++i)
        result = sn_world_step(world, real(FRAME));
    assert_true(result == SN_OK || result == SN_ERROR_DIVERGED);
    for (uint32_t i = 0; i < 6; ++i) {
        sn_particle q = sn_particle_from_index(world, i);
        assert_true(support_is_finite(place(world, q)) && support_is_finite(speed(world, q)));
        assert_true(support_is_finite(sn_particle_spin(world, q)));
    }
    sn_world_destroy(world);
}

/* Nor is a particle led anywhere faster than numbers go. */
static void targets_are_taken_back(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        sn_world *world = support_world();
        sn_settings settings = sn_world_settings(world);
        settings.solver = i ? SN_SOLVER_GAUSS_SEIDEL : SN_SOLVER_TILED;
        assert_ok(world, sn_world_configure(world, &settings));
        sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1);
        assert_ok(world, sn_particle_move_to(world, p, vec(0, SUPPORT_REAL_MAX / 2, 0)));
        uint64_t before = sn_world_hash(world);
        assert_result(world, SN_ERROR_DIVERGED, sn_world_step(world, real(FRAME)));
        assert_says(sn_world_error(world), "particle 0 infinite");
        assert_true(sn_world_hash(world) == before);
        sn_world_destroy(world);
    }
}

/* In the first attempt at a step it pulls hard, and then by no number; afterwards not at all. */
static sn_vec3 pull_once(void *context, const sn_field_in *in)
{
    uint32_t *calls = context;
    (void)in;
    ++*calls;
    return vec(0, *calls == 1 ? -1e4 : *calls == 2 ? (double)NAN : 0, 0);
}

/* What a failed attempt did to a constraint does not break it: the step was taken again, and went well. */
static void forces_are_taken_back(void **state)
{
    (void)state;
    static const sn_solver solvers[] = {SN_SOLVER_TILED, SN_SOLVER_GAUSS_SEIDEL};
    for (size_t i = 0; i < COUNT_OF(solvers); ++i) {
        sn_world *world = support_world();
        uint32_t calls = 0;
        sn_settings settings = sn_world_settings(world);
        settings.solver = solvers[i];
        settings.substeps = 4;
        assert_ok(world, sn_world_configure(world, &settings));
        sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE),
                    b = sn_particle_add_at(world, vec(0, -1, 0), 1);
        sn_constraint rod = sn_constraint_add_distance(world, sn_at(a), sn_at(b), 1);
        assert_ok(world, sn_constraint_set_strength(world, rod, 100, 0));
        assert_ok(world, sn_field_add(world, pull_once, &calls, false, NULL));
        assert_ok(world, sn_world_step(world, real(FRAME)));
        assert_true(calls > 2 + settings.substeps - 1);
        assert_true(sn_constraint_is_valid(world, rod));
        assert_close(sn_constraint_force(world, rod).magnitude, 9.81, 0.1);
        sn_world_destroy(world);
    }
}

/* Making room for what may be put back can fail, and a warm step makes none. */
static void memory_may_run_out(void **state)
{
    (void)state;
    uint64_t at = 1;
    for (;; ++at) {
        support_memory memory = {0};
        sn_world_def def = support_scarce(&memory);
        sn_world *world = support_world_from(&def);
        add_floor(world);
        for (int i = 0; i < 4; ++i)
            ball(world, vec(0.15 * i, 0.09, 0), 1, 0.1);
        memory.fail_at = memory.requests + at;
        for (int i = 0; i < 4; ++i) {
            uint64_t before = sn_world_hash(world);
            if (ran_out(world, before, sn_world_step(world, real(FRAME))))
                step(world);
        }
        uint64_t requests = memory.requests;
        support_run(world, 3, FRAME);
        assert_true(memory.requests == requests);
        if (!support_had_failed(world, &memory))
            break;
    }
    assert_true(at > 5);
}

/* ---- Multipliers --------------------------------------------------------------------------------------------------- */

/* Goes on once, then cancels. */
static bool cancel_later(void *context)
{
    return ++*(int *)context > 1;
}

/* A body on a hinge that rubs, which remembers what the hinge exerted: stepped with passes, then told to make none. */
static sn_world *idle_hinge(sn_solver solver, sn_constraint *hinge)
{
    sn_world *world = support_world();
    sn_settings settings = sn_world_settings(world);
    sn_body body = sn_body_add_box(world, vec(1, 0, 0), vec(1, 0.1, 0.1), 1);
    sn_joint_def def = sn_default_joint_def(SN_KIND_JOINT_HINGE);
    def.b = body;
    def.axis = vec(0, 0, 1);
    def.friction = 1;
    *hinge = sn_joint_add(world, &def);
    assert_int_not_equal(hinge->kind, 0);
    settings.solver = solver;
    settings.warm_start = false;
    assert_ok(world, sn_world_configure(world, &settings));
    support_run(world, 3, FRAME);
    assert_true(fabs((double)sn_constraint_force(world, *hinge).magnitude) > 0.1);
    settings.iterations = 0;
    assert_ok(world, sn_world_configure(world, &settings));
    return world;
}

/* A substep without passes exerts nothing. So what was exerted before decides nothing, and whether a step failed in between, which
   clears it, does not either. */
static void nothing_is_exerted_without_passes(void **state)
{
    (void)state;
    static const sn_solver solvers[] = {SN_SOLVER_TILED, SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_JACOBI, SN_SOLVER_IMPULSES,
                                        SN_SOLVER_DIRECT};
    for (size_t i = 0; i < COUNT_OF(solvers); ++i) {
        sn_constraint hinge;
        sn_world *plain = idle_hinge(solvers[i], &hinge), *other = idle_hinge(solvers[i], &hinge);
        int asked = 0;
        assert_ok(other, sn_world_set_cancel(other, cancel_later, &asked));
        assert_result(other, SN_CANCELLED, sn_world_step(other, real(FRAME)));
        assert_ok(other, sn_world_set_cancel(other, NULL, NULL));
        assert_true(sn_world_hash(other) == sn_world_hash(plain));
        support_run(plain, 1, FRAME);
        support_run(other, 1, FRAME);
        assert_true(sn_constraint_force(plain, hinge).magnitude == 0);
        assert_true(sn_world_hash(other) == sn_world_hash(plain));
        sn_world_destroy(plain);
        sn_world_destroy(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(substeps_are_taken_back), cmocka_unit_test(places_stay_finite),
        cmocka_unit_test(targets_are_taken_back),  cmocka_unit_test(forces_are_taken_back),
        cmocka_unit_test(memory_may_run_out),      cmocka_unit_test(nothing_is_exerted_without_passes),
    };
    return cmocka_run_group_tests_name("undo", tests, NULL, NULL);
}

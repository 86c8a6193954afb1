/* What breaks a motion, under every integrator: impulses, teleports, new velocities, kinematic targets, forces that
   set in and end, damping, contacts. None of them may leave a kick behind that nobody gave. */
#include "integrators/motion.h"

#define ROUNDING EXACTNESS(2e-6, 1e-13)

static const double lengths[] = {0.01, 0.01, 0.01, 0.004, 0.02, 0.01}; /* of the steps before and after an event */

static void run_lengths(sn_world *world)
{
    for (size_t i = 0; i < COUNT_OF(lengths); ++i)
        assert_ok(world, sn_world_step(world, real(lengths[i])));
}

#define TIME_OF_LENGTHS 0.064

/* ---- Velocities --------------------------------------------------------------------------------------------------------- */

/* A free particle flies straight on: its velocity is the same to the last bit but for position pairs, which round. */
static void free_flight(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        sn_world *world = motion_world(schemes[i].id);
        sn_particle p = motion_add(world, vec(1, 2, 3), vec(0.7, -0.3, 2.1), 3);
        run_lengths(world);
        assert_vec_close(sn_particle_velocity(world, p), vec(0.7, -0.3, 2.1), ROUNDING);
        assert_vec_close(sn_particle_position(world, p),
                         vec(1 + 0.7 * TIME_OF_LENGTHS, 2 - 0.3 * TIME_OF_LENGTHS, 3 + 2.1 * TIME_OF_LENGTHS),
                         ROUNDING);
        sn_world_destroy(world);
    }
}

/* A teleport changes no velocity: not at once and not later. */
static void teleports(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        sn_world *world = motion_world(schemes[i].id);
        sn_particle p = motion_add(world, vec(0, 0, 0), vec(1, 0.5, 0), 3);
        run_lengths(world);
        sn_vec3 v = sn_particle_velocity(world, p);
        assert_ok(world, sn_particle_set_position(world, p, vec(50, -20, 8)));
        assert_vec_same(sn_particle_velocity(world, p), v);
        run_lengths(world);
        assert_vec_close(sn_particle_velocity(world, p), vec(1, 0.5, 0), ROUNDING);
        assert_vec_close(sn_particle_position(world, p), vec(50 + TIME_OF_LENGTHS, -20 + TIME_OF_LENGTHS / 2, 8),
                         8 * ROUNDING);
        sn_world_destroy(world);
    }
}

/* The same for a run of particles, written at once. */
static void bulk_teleports(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        const sn_real from[] = {0, 0, 0, 1, 0, 0}, to[] = {9, 9, 0, -9, 5, 0}, speed[] = {2, 0, 0, 0, 2, 0};
        sn_world *world = motion_world(schemes[i].id);
        sn_particles run = sn_add_particles(world, 2, from, 0, 1);
        support_run(world, 3, 0.01);
        assert_ok(world, sn_write_velocities(world, run, speed, 0));
        support_run(world, 3, 0.01);
        assert_ok(world, sn_write_positions(world, run, to, 0));
        support_run(world, 3, 0.01);
        assert_vec_close(sn_particle_velocity(world, sn_particles_at(run, 0)), vec(2, 0, 0), ROUNDING);
        assert_vec_close(sn_particle_position(world, sn_particles_at(run, 1)), vec(-9, 5.06, 0), 8 * ROUNDING);
        sn_world_destroy(world);
    }
}

/* An impulse changes the velocity by J / m, at once and for good, also in the middle of a fall. */
static void impulses(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        sn_world_def def = motion_def(schemes[i].id);
        def.settings.gravity = vec(0, -G, 0);
        sn_world *world = support_world_from(&def);
        sn_particle p = motion_add(world, vec(0, 0, 0), vec(1, 2, 0), 4);
        run_lengths(world);
        sn_vec3 v = sn_particle_velocity(world, p);
        assert_vec_close(v, vec(1, 2 - G * TIME_OF_LENGTHS, 0), ROUNDING);
        assert_ok(world, sn_particle_apply_impulse(world, p, vec(-8, 4, 2)));
        assert_vec_close(sn_particle_velocity(world, p), vec((double)v.x - 2, (double)v.y + 1, 0.5), ROUNDING);
        run_lengths(world);
        assert_vec_close(sn_particle_velocity(world, p), vec(-1, 3 - 2 * G * TIME_OF_LENGTHS, 0.5), 2 * ROUNDING);
        assert_ok(world, sn_particle_set_velocity(world, p, vec(0, 7, 0)));
        run_lengths(world);
        assert_vec_close(sn_particle_velocity(world, p), vec(0, 7 - G * TIME_OF_LENGTHS, 0), 2 * ROUNDING);
        sn_world_destroy(world);
    }
}

/* ---- Kinematic targets ---------------------------------------------------------------------------------------------------- */

/* The particle arrives exactly, and is let go with the velocity of the way, whatever it did before. */
static void kinematic_targets(void **state)
{
    (void)state;
    static const uint32_t substeps[] = {1, 4};
    for (size_t i = 0; i < COUNT_OF(schemes); ++i)
        for (size_t k = 0; k < COUNT_OF(substeps); ++k) {
            sn_world_def def = motion_def(schemes[i].id);
            def.settings.substeps = substeps[k];
            sn_world *world = support_world_from(&def);
            sn_particle p = motion_add(world, vec(0, 0, 0), vec(3, 0, 0), 1);
            support_run(world, 5, 0.01);
            for (int step = 0; step < 3; ++step) {
                sn_vec3 from = sn_particle_position(world, p), to = vec(1 + step, 0.5 * step, 2);
                assert_ok(world, sn_particle_move_to(world, p, to));
                assert_ok(world, sn_world_step(world, real(0.25)));
                assert_vec_same(sn_particle_position(world, p), to);
                sn_vec3 v = vec(4 * (double)(to.x - from.x), 4 * (double)(to.y - from.y), 4 * (double)(to.z - from.z));
                assert_vec_close(sn_particle_velocity(world, p), v, 10 * ROUNDING);
            }
            support_run(world, 10, 0.01);
            assert_vec_close(sn_particle_velocity(world, p), vec(4, 2, 0), 20 * ROUNDING);
            assert_vec_close(sn_particle_position(world, p), vec(3.4, 1.2, 2), 20 * ROUNDING);
            sn_world_destroy(world);
        }
}

/* ---- Forces ------------------------------------------------------------------------------------------------------------------ */

/* A force of a step gives F dt / m, as read right after it and ever after. */
static void forces_for_a_step(void **state)
{
    (void)state;
    static const uint32_t substeps[] = {1, 5};
    for (size_t i = 0; i < COUNT_OF(schemes); ++i)
        for (size_t k = 0; k < COUNT_OF(substeps); ++k) {
            sn_world_def def = motion_def(schemes[i].id);
            def.settings.substeps = substeps[k];
            def.settings.gravity = vec(0, -1, 0);
            sn_world *world = support_world_from(&def);
            sn_particle p = motion_add(world, vec(0, 0, 0), vec(0, 0, 0), 2);
            support_run(world, 3, 0.1);
            assert_ok(world, sn_particle_add_force(world, p, vec(8, 2, 0)));
            assert_ok(world, sn_world_step(world, real(0.1)));
            assert_vec_close(sn_particle_velocity(world, p), vec(0.4, -0.4 + 0.1, 0), ROUNDING);
            support_run(world, 5, 0.1);
            assert_vec_close(sn_particle_velocity(world, p), vec(0.4, -0.9 + 0.1, 0), 2 * ROUNDING);
            sn_world_destroy(world);
        }
}

static void steady(double t, const double x[2], const double v[2], double a[2])
{
    (void)t;
    (void)x;
    (void)v;
    a[0] = 0;
    a[1] = 3;
}

static const motion_problem push = {steady, {{0, 0}, {1, 0}}, 1};

static void add_and_remove_field(sn_world *world, sn_particle p, double *speed, double *force)
{
    uint32_t number;
    (void)p;
    assert_ok(world, sn_world_add_field(world, motion_field, (void *)(uintptr_t)&push, true, &number));
    support_run(world, 7, 0.01);
    assert_ok(world, sn_world_remove_field(world, number));
    *speed += 0.21;
    *force = 0;
}

static void change_gravity(sn_world *world, sn_particle p, double *speed, double *force)
{
    sn_settings settings = sn_world_settings(world);
    (void)p;
    (void)speed;
    settings.gravity = vec(0, 5, 0);
    motion_configure(world, &settings);
    *force = 5;
}

/* Whatever makes the acceleration jump, velocities go on from where they were: those who look back forget the old
   one. */
static void accelerations_that_jump(void **state)
{
    (void)state;
    typedef void event(sn_world *, sn_particle, double *speed, double *force);
    static event *const events[] = {add_and_remove_field, change_gravity};
    for (size_t i = 0; i < COUNT_OF(schemes); ++i)
        for (size_t k = 0; k < COUNT_OF(events); ++k) {
            double speed = 0.5, force = 0;
            sn_world *world = motion_world(schemes[i].id);
            sn_particle p = motion_add(world, vec(0, 0, 0), vec(0, 0.5, 0), 2);
            support_run(world, 5, 0.01);
            events[k](world, p, &speed, &force);
            for (int n = 1; n <= 6; ++n) {
                support_run(world, 1, 0.01);
                assert_close(sn_particle_velocity(world, p).y, speed + force * 0.01 * n, 2 * ROUNDING);
            }
            sn_world_destroy(world);
        }
}

/* A rod that is cut, or whose hook is taken away, lets its bob fly along the tangent. The bob was at full speed on a
   circle. */
static void cut_rods(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i)
        for (int hook_goes = 0; hook_goes < 2; ++hook_goes) {
            sn_world_def def = motion_def(schemes[i].id);
            def.settings.iterations = 10;
            sn_world *world = support_world_from(&def);
            sn_particle hook = sn_add_particle(world, vec(0, 0, 0), SN_IMMOVABLE);
            sn_particle p = motion_add(world, vec(1, 0, 0), vec(0, 2, 0), 1);
            sn_constraint rod = sn_add_distance(world, sn_at(hook), sn_at(p), 1);
            support_run(world, 100, 0.001);
            sn_vec3 v = sn_particle_velocity(world, p);
            assert_ok(world, hook_goes ? sn_particle_remove(world, hook) : sn_constraint_remove(world, rod));
            support_run(world, 10, 0.001);
            assert_vec_close(sn_particle_velocity(world, p), v, 2 * ROUNDING);
            sn_world_destroy(world);
        }
}

/* An impulse along a rod is shared by its two ends at once, and the sum stays. */
static void impulse_on_a_rod(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        sn_world *world = motion_world(schemes[i].id);
        sn_particle a = motion_add(world, vec(0, 0, 0), vec(0, 0, 0), 1),
                    b = motion_add(world, vec(1, 0, 0), vec(0, 0, 0), 3);
        sn_add_distance(world, sn_at(a), sn_at(b), 1);
        support_run(world, 5, 0.01);
        assert_ok(world, sn_particle_apply_impulse(world, a, vec(8, 0, 0)));
        for (int n = 0; n < 8; ++n) {
            support_run(world, 1, 0.01);
            assert_vec_close(sn_particle_velocity(world, a), vec(2, 0, 0), EXACTNESS(2e-5, 1e-11));
            assert_vec_close(sn_particle_velocity(world, b), vec(2, 0, 0), EXACTNESS(2e-5, 1e-11));
        }
        sn_world_destroy(world);
    }
}

/* ---- Damping ------------------------------------------------------------------------------------------------------------------ */

/* v e^(-k t), whatever the time is cut into. */
static void damping_is_exact(void **state)
{
    (void)state;
    static const uint32_t cut[][2] = {{1, 1}, {3, 1}, {1, 10}, {60, 1}, {60, 10}};
    static const double damping[] = {0.1, 1, 5, 20};
    for (size_t i = 0; i < COUNT_OF(schemes); ++i)
        for (size_t k = 0; k < COUNT_OF(damping); ++k)
            for (size_t c = 0; c < COUNT_OF(cut); ++c) {
                sn_world_def def = motion_def(schemes[i].id);
                def.settings.damping = real(damping[k]);
                def.settings.substeps = cut[c][1];
                sn_world *world = support_world_from(&def);
                sn_particle p = motion_add(world, vec(0, 0, 0), vec(3, -4, 12), 2);
                support_run(world, cut[c][0], 1.0 / cut[c][0]);
                double keep = exp(-damping[k]), tolerance = 13 * keep * EXACTNESS(3e-4, 1e-10);
                assert_vec_close(sn_particle_velocity(world, p), vec(3 * keep, -4 * keep, 12 * keep), tolerance);
                sn_world_destroy(world);
            }
}

/* Damping takes from the velocity that was there, not from what forces are about to give: the first substep from rest
   is free fall, and in single substeps the speed is the sum of g h e^(-k h i). */
static void damping_comes_before_forces(void **state)
{
    (void)state;
    const double h = 0.01, k = 30;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        sn_world_def def = motion_def(schemes[i].id);
        def.settings.gravity = vec(0, -G, 0);
        def.settings.damping = real(k);
        sn_world *world = support_world_from(&def);
        sn_particle p = sn_add_particle(world, vec(0, 0, 0), 1);
        assert_ok(world, sn_world_step(world, real(h)));
        assert_close(sn_particle_velocity(world, p).y, -G * h, EXACTNESS(1e-7, 1e-14));
        if (schemes[i].id != SN_INTEGRATOR_BDF2) {
            assert_ok(world, sn_world_step(world, real(h)));
            assert_close(sn_particle_velocity(world, p).y, -G * h * (1 + exp(-k * h)), EXACTNESS(1e-6, 1e-14));
        }
        sn_world_destroy(world);
    }
}

/* ---- Contacts --------------------------------------------------------------------------------------------------------------- */

/* A ball that falls on the ground stays there, and so does a rod with a ball at either end, whose upper one is
   stopped by the rod alone. Nothing bounces. */
static double highest_after_impact(sn_integrator integrator, bool with_rod)
{
    sn_world_def def = motion_def(integrator);
    def.settings.gravity = vec(0, -G, 0);
    def.settings.iterations = 20;
    sn_world *world = support_world_from(&def);
    sn_particle low = sn_add_particle(world, vec(0, 0.5, 0), 1), high = sn_add_particle(world, vec(0, 1.5, 0), 1);
    sn_add_half_space(world, sn_at(low), vec(0, 0, 0), vec(0, 1, 0));
    if (with_rod)
        sn_add_distance(world, sn_at(low), sn_at(high), 1);
    double most = 0;
    for (int i = 0; i < 600; ++i) {
        support_run(world, 1, 1.0 / 500);
        double y = (double)sn_particle_position(world, low).y;
        if (sn_world_time(world) > 0.33 && y > most)
            most = y;
    }
    sn_world_destroy(world);
    return most;
}

static void contacts_do_not_bounce(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i)
        for (int with_rod = 0; with_rod < 2; ++with_rod)
            assert_true(highest_after_impact(schemes[i].id, with_rod) < 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_flight),
        cmocka_unit_test(teleports),
        cmocka_unit_test(bulk_teleports),
        cmocka_unit_test(impulses),
        cmocka_unit_test(kinematic_targets),
        cmocka_unit_test(forces_for_a_step),
        cmocka_unit_test(accelerations_that_jump),
        cmocka_unit_test(cut_rods),
        cmocka_unit_test(impulse_on_a_rod),
        cmocka_unit_test(damping_is_exact),
        cmocka_unit_test(damping_comes_before_forces),
        cmocka_unit_test(contacts_do_not_bounce),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

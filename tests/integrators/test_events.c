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
        sn_particles run = sn_particles_add(world, 2, from, 0, 1);
        support_run(world, 3, 0.01);
        assert_ok(world, sn_particles_write_velocities(world, run, speed, 0));
        support_run(world, 3, 0.01);
        assert_ok(world, sn_particles_write_positions(world, run, to, 0));
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
            assert_ok(world, sn_particle_apply_force(world, p, vec(8, 2, 0)));
            assert_ok(world, sn_world_step(world, real(0.1)));
            assert_vec_close(sn_particle_velocity(world, p), vec(0.4, -0.4 + 0.1, 0), ROUNDING);
            support_run(world, 5, 0.1);
            assert_vec_close(sn_particle_velocity(world, p), vec(0.4, -0.9 + 0.1, 0), 2 * ROUNDING);
            sn_world_destroy(world);
        }
}

/* ---- Forces in every step ------------------------------------------------------------------------------------------------------ */

/* A string of equal masses between rods, that two forces pull taut at its ends: its second mode, y = cos(2 pi (i + 1/2) / n), has the
   frequency 2 sqrt(F / (m l)) sin(pi / n). */
#define STRING_MASSES 16
#define STRING_MASS   0.05
#define STRING_LINK   0.1
#define STRING_FORCE  5.0

static double string_mode(uint32_t i)
{
    return cos(2 * PI * (i + 0.5) / STRING_MASSES);
}

static sn_vec3 pull_ends(void *context, const sn_field_in *in)
{
    (void)context;
    return vec(in->index == 0 ? -STRING_FORCE : in->index == STRING_MASSES - 1 ? STRING_FORCE : 0, 0, 0);
}

typedef struct string_motion {
    double frequency, tension; /* rad/s, N: of the link in the middle, mean and */
    double worst;              /*   the largest error of it, once all has settled */
    sn_vec3 end;               /* where the first mass is in the end */
} string_motion;

static string_motion swing_string(sn_integrator integrator, bool by_field)
{
    sn_world_def def = motion_def(integrator);
    def.settings.solver = SN_SOLVER_DIRECT;
    def.settings.substeps = 2;
    sn_world *world = support_world_from(&def);
    sn_particle p[STRING_MASSES];
    sn_constraint middle = {0};
    string_motion result = {0};
    double last = 0, first = 0, crossed = 0;
    uint32_t crossings = 0, steps = 300, number;
    for (uint32_t i = 0; i < STRING_MASSES; ++i)
        p[i] = sn_particle_add_at(world, vec(i * STRING_LINK, 1e-3 * string_mode(i), 0), real(STRING_MASS));
    for (uint32_t i = 0; i + 1 < STRING_MASSES; ++i) {
        sn_constraint link = sn_constraint_add_distance(world, sn_at(p[i]), sn_at(p[i + 1]), SN_MEASURE);
        middle = i == STRING_MASSES / 2 ? link : middle;
    }
    if (by_field)
        assert_ok(world, sn_field_add(world, pull_ends, NULL, true, &number));
    for (uint32_t step = 0; step < steps; ++step) {
        for (uint32_t i = 0; i < STRING_MASSES && !by_field; i += STRING_MASSES - 1)
            assert_ok(world, sn_particle_apply_force(world, p[i], pull_ends(NULL, &(sn_field_in){.index = i})));
        support_run(world, 1, 1.0 / 60);
        double swing = 0, tension = support_gap(sn_constraint_force_on(world, middle, 0), vec(0, 0, 0));
        for (uint32_t i = 0; i < STRING_MASSES; ++i)
            swing += (double)sn_particle_position(world, p[i]).y * string_mode(i);
        if (swing * last < 0) {
            crossed = (step + swing / (last - swing)) / 60;
            first = crossings++ ? first : crossed;
        }
        last = swing;
        result.tension += tension / steps;
        if (step > 10)
            result.worst = fmax(result.worst, fabs(tension - STRING_FORCE));
    }
    result.frequency = PI * (crossings - 1) / (crossed - first);
    result.end = sn_particle_position(world, p[0]);
    sn_world_destroy(world);
    return result;
}

/* A force that a program gives in each step is a force like that of a field. */
static void strings_are_pulled(void **state)
{
    (void)state;
    const double exact = 2 * sqrt(STRING_FORCE / (STRING_MASS * STRING_LINK)) * sin(PI / STRING_MASSES);
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        if (schemes[i].id == SN_INTEGRATOR_FORWARD_EULER) /* it shakes the string to pieces either way */
            continue;
        string_motion given = swing_string(schemes[i].id, false), field = swing_string(schemes[i].id, true);
        if (!(fabs(given.frequency / exact - 1) < 0.005) || !(fabs(given.tension / STRING_FORCE - 1) < 0.01) ||
            !(given.worst < 0.05 * STRING_FORCE))
            fail_msg("%s: %g rad/s of %g; %g N, and up to %g beside, of %g", schemes[i].name, given.frequency, exact,
                     given.tension, given.worst, STRING_FORCE);
        assert_close(given.frequency, field.frequency, 1e-3 * exact);
        assert_vec_close(given.end, field.end, EXACTNESS(1e-5, 1e-9));
    }
}

/* The same for a torque: a body on a hinge that a compliant drive holds, about the angle to which a torque turns it. */
static void hinges_are_turned(void **state)
{
    (void)state;
    const double stiffness = 20, inertia = 0.2, torque = 2, exact = sqrt(stiffness / inertia);
    sn_world_def def = motion_def(SN_INTEGRATOR_BDF2);
    def.settings.substeps = 4;
    sn_world *world = support_world_from(&def);
    sn_body_def body = sn_default_body_def();
    sn_joint_def joint = sn_default_joint_def(SN_KIND_JOINT_HINGE);
    body.mass = 1;
    body.moments = vec(inertia, inertia, inertia);
    assert_ok(world, sn_body_add(world, &body, &joint.b));
    joint.axis = vec(0, 0, 1);
    joint.target = 0;
    joint.target_most = SN_JOINT_MOST;
    joint.target_compliance = real(1 / stiffness);
    sn_constraint hinge = sn_joint_add(world, &joint);
    double last = 0, first = 0, crossed = 0, most = 0;
    uint32_t crossings = 0;
    for (uint32_t step = 0; step < 180; ++step) {
        assert_ok(world, sn_body_apply_torque(world, joint.b, vec(0, 0, torque)));
        support_run(world, 1, 1.0 / 60);
        double angle = (double)sn_joint_angle(world, hinge) - torque / stiffness;
        if (angle * last < 0) {
            crossed = (step + angle / (last - angle)) / 60;
            first = crossings++ ? first : crossed;
        }
        last = angle;
        most = fmax(most, angle);
    }
    assert_close(PI * (crossings - 1) / (crossed - first), exact, 0.005 * exact);
    assert_close(most, torque / stiffness, 0.02 * torque / stiffness);
    sn_world_destroy(world);
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
    assert_ok(world, sn_field_add(world, motion_field, (void *)(uintptr_t)&push, true, &number));
    support_run(world, 7, 0.01);
    assert_ok(world, sn_field_remove(world, number));
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
            sn_particle hook = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
            sn_particle p = motion_add(world, vec(1, 0, 0), vec(0, 2, 0), 1);
            sn_constraint rod = sn_constraint_add_distance(world, sn_at(hook), sn_at(p), 1);
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
        sn_constraint_add_distance(world, sn_at(a), sn_at(b), 1);
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
        sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1);
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
    sn_particle low = sn_particle_add_at(world, vec(0, 0.5, 0), 1), high = sn_particle_add_at(world, vec(0, 1.5, 0), 1);
    sn_constraint_add_half_space(world, sn_at(low), vec(0, 0, 0), vec(0, 1, 0));
    if (with_rod)
        sn_constraint_add_distance(world, sn_at(low), sn_at(high), 1);
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

/* A kind that describes its row: y >= 0. */
static bool eval_floor(const sn_eval_in *in, const sn_eval_out *out)
{
    out->c[0] = in->x[0].y;
    out->gradient[0] = vec(0, 1, 0);
    out->row[0].type = SN_ROW_AT_LEAST;
    return true;
}

static const sn_kind kind_floor = {
    .name = "floor", .unit = "m", .points = 1, .rows = 1, .eval = eval_floor, .own_rows = true};

/* The highest that something falls back to once it was stopped, by each kind of inequality. */
static void inequalities_do_not_bounce(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i)
        for (int which = 0; which < 4; ++which) {
            sn_world_def def = motion_def(schemes[i].id);
            def.settings.gravity = vec(0, -G, 0);
            sn_world *world = support_world_from(&def);
            sn_particle p = sn_particle_add_at(world, vec(0, 0.5, 0), 1);
            sn_particle hook = sn_particle_add_at(world, vec(0, 1, 0), SN_IMMOVABLE);
            sn_point at = sn_at(p);
            sn_constraint_def floor = sn_default_constraint_def(sn_kind_register(world, &kind_floor));
            sn_constraint c = {0};
            floor.points = &at;
            if (which == 0)
                assert_ok(world, sn_constraint_add(world, &floor, &c));
            else if (which == 1)
                c = sn_constraint_add_half_space(world, at, vec(0, 0, 0), vec(0, 1, 0));
            else if (which == 2)
                c = sn_constraint_add_distance_max(world, sn_at(hook), at, 1);
            else
                c = sn_constraint_add_box(world, at, vec(-1, 0, -1), vec(1, 2, 1));
            assert_true(sn_constraint_is_valid(world, c));
            double most = 0;
            for (int step = 0; step < 400; ++step) {
                support_run(world, 1, 1.0 / 500);
                most = fmax(most, sn_world_time(world) > 0.33 ? (double)sn_particle_position(world, p).y : 0);
            }
            if (!(most < 1e-4))
                fail_msg("%s: inequality %d throws it back to %g m", schemes[i].name, which, most);
            sn_world_destroy(world);
        }
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
        cmocka_unit_test(strings_are_pulled),
        cmocka_unit_test(hinges_are_turned),
        cmocka_unit_test(accelerations_that_jump),
        cmocka_unit_test(cut_rods),
        cmocka_unit_test(impulse_on_a_rod),
        cmocka_unit_test(damping_is_exact),
        cmocka_unit_test(damping_comes_before_forces),
        cmocka_unit_test(contacts_do_not_bounce),
        cmocka_unit_test(inequalities_do_not_bounce),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

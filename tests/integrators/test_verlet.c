/* Verlet with position pairs is leapfrog: the two run side by side through everything that can happen to a particle,
   and differ by rounding alone. */
#include "integrators/motion.h"

/* Rounding of pairs adds up with the number of substeps. */
#define ROUNDING EXACTNESS(5e-5, 1e-12)

typedef struct twins {
    sn_world *world[2]; /* leapfrog, Verlet */
    sn_particle bob[2], partner[2];
} twins;

static const motion_problem orbit = {motion_kepler, {{1, 0}, {0, 1.25}}, 2};

/* A field that depends on velocity and time too. */
static sn_vec3 weather(void *context, const sn_field_in *in)
{
    (void)context;
    return vec(-0.3 * (double)in->velocity.x, sin(5 * in->time), -0.2 * (double)in->velocity.z * (double)in->mass);
}

static twins make_twins(double damping, sn_vec3 gravity)
{
    static const sn_integrator pair[2] = {SN_INTEGRATOR_LEAPFROG, SN_INTEGRATOR_VERLET};
    twins t;
    for (int i = 0; i < 2; ++i) {
        sn_world_def def = motion_def(pair[i]);
        def.settings.damping = real(damping);
        def.settings.gravity = gravity;
        def.settings.iterations = 10;
        t.world[i] = support_world_from(&def);
        t.bob[i] = motion_enter(t.world[i], &orbit);
        t.partner[i] = motion_add(t.world[i], vec(1, 0.5, 0.25), vec(0.25, 1, 0), 3);
    }
    return t;
}

static void both(twins *t, sn_result first, sn_result second)
{
    assert_ok(t->world[0], first);
    assert_ok(t->world[1], second);
}

#define BOTH(t, call, ...) both((t), call((t)->world[0], __VA_ARGS__), call((t)->world[1], __VA_ARGS__))
#define TO_BOB(t, call, ...)                                                                                           \
    both((t), call((t)->world[0], (t)->bob[0], __VA_ARGS__), call((t)->world[1], (t)->bob[1], __VA_ARGS__))

static void assert_alike(const twins *t)
{
    const sn_particle *who[2] = {t->bob, t->partner};
    for (int i = 0; i < 2; ++i) {
        const sn_particle *p = who[i];
        assert_vec_close(sn_particle_position(t->world[0], p[0]), sn_particle_position(t->world[1], p[1]), ROUNDING);
        assert_vec_close(sn_particle_velocity(t->world[0], p[0]), sn_particle_velocity(t->world[1], p[1]),
                         4 * ROUNDING);
    }
}

static void run_twins(twins *t, uint32_t steps, double dt)
{
    for (uint32_t i = 0; i < steps; ++i) {
        BOTH(t, sn_world_step, real(dt));
        assert_alike(t);
    }
}

static void end_twins(twins *t)
{
    sn_world_destroy(t->world[0]);
    sn_world_destroy(t->world[1]);
}

static void fixed_substeps(void **state)
{
    (void)state;
    twins t = make_twins(0, vec(0, -1, 0));
    run_twins(&t, 400, 0.005);
    end_twins(&t);
}

static void changing_substeps(void **state)
{
    (void)state;
    uint64_t seed = 3;
    twins t = make_twins(0, vec(0, -1, 0));
    for (int i = 0; i < 300; ++i)
        run_twins(&t, 1, support_random_in(&seed, 0.001, 0.012));
    end_twins(&t);
}

static void damped(void **state)
{
    (void)state;
    uint64_t seed = 5;
    static const double damping[] = {0.5, 20, 400};
    for (size_t k = 0; k < COUNT_OF(damping); ++k) {
        twins t = make_twins(damping[k], vec(0, -1, 0));
        for (int i = 0; i < 200; ++i)
            run_twins(&t, 1, support_random_in(&seed, 0.002, 0.008));
        end_twins(&t);
    }
}

/* Impulses, teleports, new velocities, masses and gravity, forces for a step, kinematic targets, fields that come and
   go. */
static void broken_motion(void **state)
{
    (void)state;
    twins t = make_twins(0.25, vec(0, 0, 0));
    sn_settings settings[2] = {sn_world_settings(t.world[0]), sn_world_settings(t.world[1])};
    run_twins(&t, 37, 0.005);
    TO_BOB(&t, sn_particle_apply_impulse, vec(0.5, -0.25, 1));
    run_twins(&t, 20, 0.005);
    TO_BOB(&t, sn_particle_set_position, vec(0.5, 1, 0.25));
    run_twins(&t, 20, 0.004);
    TO_BOB(&t, sn_particle_set_velocity, vec(0.25, 0.5, 0));
    run_twins(&t, 20, 0.005);
    for (int i = 0; i < 5; ++i) {
        TO_BOB(&t, sn_particle_add_force, vec(4, -2, i));
        run_twins(&t, 3, 0.005);
    }
    TO_BOB(&t, sn_particle_set_mass, real(0.5));
    run_twins(&t, 20, 0.005);
    TO_BOB(&t, sn_particle_move_to, vec(1, 1, 0));
    run_twins(&t, 20, 0.006);
    BOTH(&t, sn_world_add_field, weather, NULL, true, NULL);
    run_twins(&t, 40, 0.006);
    BOTH(&t, sn_world_remove_field, 2);
    for (int i = 0; i < 2; ++i) {
        settings[i].gravity = vec(1, -9, 0);
        settings[i].damping = 1;
        motion_configure(t.world[i], &settings[i]);
    }
    run_twins(&t, 40, 0.006);
    end_twins(&t);
}

/* With constraints of every sort between the two particles, gradients here and there. */
static void constrained(void **state)
{
    (void)state;
    for (int gradients = SN_GRADIENTS_CURRENT; gradients <= SN_GRADIENTS_START; ++gradients) {
        twins t = make_twins(0, vec(0, -1, 0));
        for (int i = 0; i < 2; ++i) {
            sn_settings settings = sn_world_settings(t.world[i]);
            settings.gradients = (sn_gradients)gradients;
            motion_configure(t.world[i], &settings);
            sn_add_distance(t.world[i], sn_at(t.bob[i]), sn_at(t.partner[i]), SN_MEASURE);
            sn_add_half_space(t.world[i], sn_at(t.partner[i]), vec(0, 0.25, 0), vec(0, 1, 0));
        }
        run_twins(&t, 200, 0.005);
        end_twins(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_substeps), cmocka_unit_test(changing_substeps), cmocka_unit_test(damped),
        cmocka_unit_test(broken_motion),  cmocka_unit_test(constrained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

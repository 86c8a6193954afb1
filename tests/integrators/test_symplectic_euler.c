/* Symplectic Euler with exact damping:  v' = e^(-k h) v + h a,  x' = x + h v'. */
#include "support/support.h"

#include <math.h>

#define G 9.81

#define EXACTNESS(single, twice) (sizeof(sn_real) == sizeof(float) ? (single) : (twice))

static sn_world *world_with(sn_vec3 gravity, double damping, uint32_t substeps)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = gravity;
    def.settings.damping = real(damping);
    def.settings.substeps = substeps;
    return support_world_from(&def);
}

static sn_particle add_moving(sn_world *world, sn_vec3 position, sn_vec3 velocity, double mass)
{
    sn_particle_def def = sn_default_particle_def();
    def.position = position;
    def.velocity = velocity;
    def.mass = real(mass);
    sn_particle p;
    assert_ok(world, sn_particle_add(world, &def, &p));
    return p;
}

/* n substeps of free fall from rest: v = -g h n, y = -g h^2 n (n + 1) / 2. */
static void free_fall(void **state)
{
    (void)state;
    static const uint32_t cut[][2] = {{1, 1}, {60, 1}, {1, 60}, {60, 10}, {6, 100}, {25, 4}};
    for (size_t i = 0; i < COUNT_OF(cut); ++i) {
        uint32_t steps = cut[i][0], substeps = cut[i][1];
        double n = (double)steps * substeps, h = 1 / n;
        sn_world *world = world_with(vec(0, -G, 0), 0, substeps);
        sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 5);
        support_run(world, steps, 1.0 / steps);
        double y = -G * h * h * n * (n + 1) / 2;
        assert_close(sn_particle_position(world, p).y, y, EXACTNESS(1e-5, 1e-12));
        assert_close(sn_particle_velocity(world, p).y, -G, EXACTNESS(2e-5, 1e-12));
        assert_close(sn_world_time(world), 1, EXACTNESS(1e-6, 1e-12));
        sn_world_destroy(world);
    }
}

/* A throw: x is uniform, y is free fall on top of uniform motion; the mass does not matter. */
static void projectile(void **state)
{
    (void)state;
    const double mass[] = {1e-3, 1, 1e4};
    for (size_t i = 0; i < COUNT_OF(mass); ++i) {
        sn_world *world = world_with(vec(0, -G, 0), 0, 10);
        sn_particle p = add_moving(world, vec(1, 2, 3), vec(4, 5, -6), mass[i]);
        support_run(world, 30, 1.0 / 60);
        double n = 300, h = 1.0 / 600, fall = G * h * h * n * (n + 1) / 2;
        assert_vec_close(sn_particle_position(world, p), vec(1 + 2, 2 + 2.5 - fall, 3 - 3), EXACTNESS(1e-5, 1e-12));
        assert_vec_close(sn_particle_velocity(world, p), vec(4, 5 - G / 2, -6), EXACTNESS(2e-5, 1e-12));
        sn_world_destroy(world);
    }
}

/* Steps of changing length: each adds h g to v and h v to x. */
static void variable_steps(void **state)
{
    (void)state;
    static const double steps[] = {0.01, 0.03, 0.002, 0, 0.05, 0.004};
    sn_world *world = world_with(vec(0, -G, 0), 0, 1);
    sn_particle p = add_moving(world, vec(0, 1, 0), vec(2, 0, 0), 1);
    double x = 0, y = 1, v = 0;
    for (size_t i = 0; i < COUNT_OF(steps); ++i) {
        assert_ok(world, sn_world_step(world, real(steps[i])));
        v -= G * steps[i];
        y += v * steps[i];
        x += 2 * steps[i];
    }
    assert_vec_close(sn_particle_position(world, p), vec(x, y, 0), EXACTNESS(1e-6, 1e-14));
    assert_vec_close(sn_particle_velocity(world, p), vec(2, v, 0), EXACTNESS(1e-6, 1e-14));
    sn_world_destroy(world);
}

/* Without gravity the speed is v e^(-k t) whatever the time is cut into, also where k h is far above 1. */
static void damping_is_exact(void **state)
{
    (void)state;
    static const uint32_t cut[][2] = {{1, 1}, {10, 1}, {1, 10}, {60, 1}, {60, 10}, {600, 1}};
    static const double damping[] = {0.1, 1, 5, 20};
    for (size_t k = 0; k < COUNT_OF(damping); ++k)
        for (size_t i = 0; i < COUNT_OF(cut); ++i) {
            sn_world *world = world_with(vec(0, 0, 0), damping[k], cut[i][1]);
            sn_particle p = add_moving(world, vec(0, 0, 0), vec(3, -4, 12), 2);
            support_run(world, cut[i][0], 1.0 / cut[i][0]);
            double keep = exp(-damping[k]);
            assert_vec_close(sn_particle_velocity(world, p), vec(3 * keep, -4 * keep, 12 * keep),
                             13 * keep * EXACTNESS(1e-4, 1e-11));
            sn_world_destroy(world);
        }
}

/* The path under damping is the sum of h v_i, v_i = v e^(-k h i). */
static void damped_path(void **state)
{
    (void)state;
    sn_world *world = world_with(vec(0, 0, 0), 2, 5);
    sn_particle p = add_moving(world, vec(0, 0, 0), vec(1, 0, 0), 1);
    support_run(world, 20, 0.05);
    double h = 0.01, q = exp(-2 * h);
    assert_close(sn_particle_position(world, p).x, h * q * (1 - pow(q, 100)) / (1 - q), EXACTNESS(1e-6, 1e-13));
    sn_world_destroy(world);
}

/* Forces are added after damping, so one substep from rest is free fall whatever the damping. The terminal velocity
   follows: v = e^(-k h) v + h g gives v = h g / (1 - e^(-k h)). */
static void damping_comes_before_forces(void **state)
{
    (void)state;
    const double h = 0.01, k = 30;
    sn_world *world = world_with(vec(0, -G, 0), k, 1);
    sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1);
    assert_ok(world, sn_world_step(world, real(h)));
    assert_close(sn_particle_velocity(world, p).y, -G * h, EXACTNESS(1e-8, 1e-15));
    assert_close(sn_particle_position(world, p).y, -G * h * h, EXACTNESS(1e-10, 1e-15));
    assert_ok(world, sn_world_step(world, real(h)));
    assert_close(sn_particle_velocity(world, p).y, -G * h * (1 + exp(-k * h)), EXACTNESS(1e-7, 1e-15));
    support_run(world, 200, h);
    assert_close(sn_particle_velocity(world, p).y, -G * h / (1 - exp(-k * h)), EXACTNESS(2e-6, 1e-13));
    sn_world_destroy(world);
}

/* A force acts during the whole of the next step, in every substep of it, and is then forgotten. */
static void forces_last_one_step(void **state)
{
    (void)state;
    sn_world *world = world_with(vec(0, 0, 0), 0, 10);
    sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 4);
    assert_ok(world, sn_particle_apply_force(world, p, vec(8, 0, 0)));
    assert_ok(world, sn_particle_apply_force(world, p, vec(0, 4, 0)));
    assert_ok(world, sn_world_step(world, real(0.5)));
    assert_vec_close(sn_particle_velocity(world, p), vec(1, 0.5, 0), EXACTNESS(1e-6, 1e-14));
    double h = 0.05, n = 10;
    assert_close(sn_particle_position(world, p).x, 2 * h * h * n * (n + 1) / 2, EXACTNESS(1e-6, 1e-14));
    assert_ok(world, sn_world_step(world, real(0.5)));
    assert_vec_close(sn_particle_velocity(world, p), vec(1, 0.5, 0), EXACTNESS(1e-6, 1e-14));
    sn_world_destroy(world);
}

/* Nothing of this moves an immovable particle. */
static void immovable_stays(void **state)
{
    (void)state;
    sn_world *world = world_with(vec(0, -G, 0), 0.5, 10);
    sn_particle p = add_moving(world, vec(1, 2, 3), vec(4, 5, 6), (double)INFINITY);
    assert_ok(world, sn_particle_apply_force(world, p, vec(1, 1, 1)));
    support_run(world, 10, 0.1);
    assert_vec_same(sn_particle_position(world, p), vec(1, 2, 3));
    assert_vec_same(sn_particle_velocity(world, p), vec(0, 0, 0));
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall),
        cmocka_unit_test(projectile),
        cmocka_unit_test(variable_steps),
        cmocka_unit_test(damping_is_exact),
        cmocka_unit_test(damped_path),
        cmocka_unit_test(damping_comes_before_forces),
        cmocka_unit_test(forces_last_one_step),
        cmocka_unit_test(immovable_stays),
    };
    return cmocka_run_group_tests_name("symplectic Euler", tests, NULL, NULL);
}

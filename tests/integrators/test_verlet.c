/* Verlet works on pairs of places; the engine keeps the pair in the form of a velocity. Here the places that it gives are held
   against pairs, as the lectures write them, in double:

       x' = x + (x - x_old) h / h_old + a h (h + h_old) / 2,      at the start  x_old = x - v h + a h^2 / 2. */
#include "integrators/motion.h"

/* Rounding adds up with the number of substeps. In double it is that of the pairs here: two places know a velocity to 1e-16 m / h,
   which after 300 substeps of 1 ms is 1e-11 m at most. */
#define ROUNDING EXACTNESS(2e-5, 1e-11)

/* One particle, as a pair. */
typedef struct pair {
    double x[2], old[2], h; /* h: between the two; 0: none yet */
} pair;

typedef struct flight {
    sn_world *world;
    sn_particle bob;
    pair p;
    double gravity, damping;
} flight;

static const motion_problem orbit = {motion_kepler, {{1, 0}, {0, 1.25}}, 2};

static void accelerate(const flight *f, const double x[2], double a[2])
{
    static const double none[2];
    motion_kepler(0, x, none, a);
    a[1] += f->gravity;
}

/* The pair that a velocity stands for. */
static void start(flight *f, double h)
{
    sn_vec3 x = sn_particle_position(f->world, f->bob), v = sn_particle_velocity(f->world, f->bob);
    double a[2], at[2] = {(double)x.x, (double)x.y}, speed[2] = {(double)v.x, (double)v.y};
    accelerate(f, at, a);
    for (int k = 0; k < 2; ++k) {
        f->p.x[k] = at[k];
        f->p.old[k] = at[k] - speed[k] * h + a[k] * h * h / 2;
    }
    f->p.h = h;
}

static flight take_off(double damping)
{
    sn_world_def def = motion_def(SN_INTEGRATOR_VERLET);
    flight f = {.gravity = -1, .damping = damping};
    def.settings.damping = real(damping);
    def.settings.gravity = vec(0, f.gravity, 0);
    f.world = support_world_from(&def);
    f.bob = motion_enter(f.world, &orbit);
    return f;
}

/* One step of both. Damping takes from v = (x - x_old) / h_old + a h_old / 2. */
static void fly(flight *f, double h)
{
    double a[2];
    h = (double)real(h);
    if (f->p.h == 0)
        start(f, h);
    accelerate(f, f->p.x, a);
    for (int k = 0; k < 2; ++k) {
        double way = (f->p.x[k] - f->p.old[k]) * h / f->p.h + a[k] * h * (h + f->p.h) / 2;
        double v = (f->p.x[k] - f->p.old[k]) / f->p.h + a[k] * f->p.h / 2;
        way -= h * -expm1(-f->damping * h) * v;
        f->p.old[k] = f->p.x[k];
        f->p.x[k] += way;
    }
    f->p.h = h;
    assert_ok(f->world, sn_world_step(f->world, real(h)));
    assert_vec_close(sn_particle_position(f->world, f->bob), vec(f->p.x[0], f->p.x[1], 0), ROUNDING);
}

static void fixed_substeps(void **state)
{
    (void)state;
    flight f = take_off(0);
    for (int i = 0; i < 400; ++i)
        fly(&f, 0.005);
    sn_world_destroy(f.world);
}

static void changing_substeps(void **state)
{
    (void)state;
    uint64_t seed = 3;
    flight f = take_off(0);
    for (int i = 0; i < 300; ++i)
        fly(&f, support_random_in(&seed, 0.001, 0.012));
    sn_world_destroy(f.world);
}

static void damped(void **state)
{
    (void)state;
    uint64_t seed = 5;
    static const double damping[] = {0.5, 20, 400};
    for (size_t k = 0; k < COUNT_OF(damping); ++k) {
        flight f = take_off(damping[k]);
        for (int i = 0; i < 200; ++i)
            fly(&f, support_random_in(&seed, 0.002, 0.008));
        sn_world_destroy(f.world);
    }
}

/* Impulses, teleports and new velocities are a new pair. */
static void broken_motion(void **state)
{
    (void)state;
    flight f = take_off(0.25);
    for (int i = 0; i < 120; ++i) {
        sn_vec3 v = sn_particle_velocity(f.world, f.bob);
        if (i % 30 == 10)
            assert_ok(f.world, sn_particle_apply_impulse(f.world, f.bob, vec(0.5, -0.25, 0)));
        if (i % 30 == 15)
            assert_ok(f.world, sn_particle_set_position(f.world, f.bob, vec(0.75, 1, 0)));
        if (i % 30 == 20)
            assert_ok(f.world, sn_particle_set_velocity(f.world, f.bob, vec(0.25 + (double)v.x, 0.5, 0)));
        if (i % 30 % 5 == 0)
            f.p.h = 0;
        fly(&f, i % 2 ? 0.004 : 0.005);
    }
    sn_world_destroy(f.world);
}

/* "This displacement automatically causes an update of the velocity": what a constraint moves x' by is in the next pair. A rod to
   an immovable particle moves bob along itself; the pair of places that the engine gave predicts the next one up to that. */
static void constrained(void **state)
{
    (void)state;
    flight f = take_off(0);
    sn_particle hub = sn_particle_add_at(f.world, vec(0, 0.25, 0), SN_IMMOVABLE);
    sn_constraint rod = sn_constraint_add_distance(f.world, sn_at(hub), sn_at(f.bob), SN_MEASURE);
    double worst = 0, pulled = 0;
    assert_true(rod.kind);
    for (int i = 0; i < 200; ++i) {
        double a[2], h = 0.005, at[2], across;
        if (i == 0)
            start(&f, h);
        accelerate(&f, f.p.x, a);
        for (int k = 0; k < 2; ++k)
            at[k] = 2 * f.p.x[k] - f.p.old[k] + a[k] * h * h;
        assert_ok(f.world, sn_world_step(f.world, real(h)));
        sn_vec3 x = sn_particle_position(f.world, f.bob);
        double by[2] = {(double)x.x - at[0], (double)x.y - at[1]};
        double along[2] = {(double)x.x, (double)x.y - 0.25}, length = hypot(along[0], along[1]);
        across = (by[0] * along[1] - by[1] * along[0]) / length;
        worst = fabs(across) > worst ? fabs(across) : worst;
        pulled = fmax(pulled, hypot(by[0], by[1]));
        for (int k = 0; k < 2; ++k)
            f.p.old[k] = f.p.x[k];
        f.p.x[0] = (double)x.x;
        f.p.x[1] = (double)x.y;
    }
    assert_true(pulled > 1e-5); /* h^2 times what the rod exerts */
    assert_true(worst < EXACTNESS(3e-7, 1e-13));
    sn_world_destroy(f.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_substeps), cmocka_unit_test(changing_substeps), cmocka_unit_test(damped),
        cmocka_unit_test(broken_motion),  cmocka_unit_test(constrained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

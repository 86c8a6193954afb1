/* What the tests of integrators share: the list of them, worlds for them, and motions in the plane with a fine
   reference. */
#ifndef SINEW_TESTS_INTEGRATORS_MOTION_H
#define SINEW_TESTS_INTEGRATORS_MOTION_H

#include "support/support.h"

#include <math.h>

#define EXACTNESS(single, twice) (sizeof(sn_real) == sizeof(float) ? (single) : (twice))
#define IS_FLOAT                 (sizeof(sn_real) == sizeof(float))
#define G                        9.81
#define PI                       3.14159265358979324

/* Every integrator, its order for forces, and its name. */
static const struct {
    sn_integrator id;
    int order;
    const char *name;
} schemes[] = {
    {SN_INTEGRATOR_FORWARD_EULER, 1, "forward Euler"},
    {SN_INTEGRATOR_SYMPLECTIC_EULER, 1, "symplectic Euler"},
    {SN_INTEGRATOR_LEAPFROG, 2, "leapfrog"},
    {SN_INTEGRATOR_VERLET, 2, "Verlet"},
    {SN_INTEGRATOR_BDF2, 2, "BDF2"},
};

/* ---- Worlds ------------------------------------------------------------------------------------------------------ */

/* One substep and one pass a step, nothing pulls. */
static inline sn_world_def motion_def(sn_integrator integrator)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.settings.integrator = integrator;
    def.settings.substeps = 1;
    return def;
}

static inline sn_world *motion_world(sn_integrator integrator)
{
    sn_world_def def = motion_def(integrator);
    return support_world_from(&def);
}

static inline sn_particle motion_add(sn_world *world, sn_vec3 position, sn_vec3 velocity, double mass)
{
    sn_particle_def def = sn_default_particle_def();
    def.position = position;
    def.velocity = velocity;
    def.mass = real(mass);
    sn_particle p;
    assert_ok(world, sn_particle_add(world, &def, &p));
    return p;
}

static inline void motion_configure(sn_world *world, const sn_settings *settings)
{
    assert_ok(world, sn_world_configure(world, settings));
}

/* ---- Motions in the plane ------------------------------------------------------------------------------------------ */

/* x'' = a(t, x, x'). */
typedef void motion_law(double t, const double x[2], const double v[2], double a[2]);

typedef struct motion_state {
    double x[2], v[2];
} motion_state;

typedef struct motion_problem {
    motion_law *law;
    motion_state start;
    double time; /* s */
} motion_problem;

/* The field that makes a law come true, whatever the mass; its context is a motion_problem. */
static inline sn_vec3 motion_field(void *context, const sn_field_in *in)
{
    const motion_problem *problem = context;
    double x[2] = {(double)in->position.x, (double)in->position.y}, a[2];
    double v[2] = {(double)in->velocity.x, (double)in->velocity.y};
    problem->law(in->time, x, v, a);
    return vec(a[0] * (double)in->mass, a[1] * (double)in->mass, 0);
}

/* One step of the classical Runge-Kutta method of fourth order. */
static inline motion_state motion_runge_kutta(motion_law *law, double t, motion_state s, double h)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    motion_state sum = s;
    double dx[2] = {0, 0}, dv[2] = {0, 0};
    for (int k = 0; k < 4; ++k) {
        motion_state y = s;
        for (int i = 0; i < 2; ++i) {
            y.x[i] += h * at[k] * dx[i];
            y.v[i] += h * at[k] * dv[i];
        }
        law(t + h * at[k], y.x, y.v, dv);
        for (int i = 0; i < 2; ++i) {
            dx[i] = y.v[i];
            sum.x[i] += h * weight[k] * dx[i];
            sum.v[i] += h * weight[k] * dv[i];
        }
    }
    return sum;
}

static inline motion_state motion_reference(motion_law *law, double t, motion_state s, double duration)
{
    enum { STEPS = 4000 };
    for (int i = 0; i < STEPS; ++i)
        s = motion_runge_kutta(law, t + i * duration / STEPS, s, duration / STEPS);
    return s;
}

static inline sn_particle motion_enter(sn_world *world, const motion_problem *problem)
{
    const motion_state *s = &problem->start;
    assert_ok(world, sn_field_add(world, motion_field, (void *)(uintptr_t)problem, true, NULL));
    return motion_add(world, vec(s->x[0], s->x[1], 0), vec(s->v[0], s->v[1], 0), 2);
}

/* How far a particle is from where it should be, in place and speed together. */
static inline double motion_error(const sn_world *world, sn_particle p, motion_state should)
{
    sn_vec3 x = sn_particle_position(world, p), v = sn_particle_velocity(world, p);
    double place = hypot((double)x.x - should.x[0], (double)x.y - should.x[1]);
    return hypot(place, hypot((double)v.x - should.v[0], (double)v.y - should.v[1]));
}

/* ---- Order --------------------------------------------------------------------------------------------------------- */

/* The error of a run cut into n pieces. */
typedef double motion_run(sn_integrator integrator, uint32_t n, const void *context);

/* The order seen when n is doubled. In single precision rounding must not matter, so n is small and the bound wide. */
static inline double motion_order(motion_run *run, sn_integrator integrator, uint32_t n, const void *context)
{
    return log2(run(integrator, n, context) / run(integrator, 2 * n, context));
}

#define assert_order(run, integrator, n, context, order, slack)                                                        \
    assert_close(motion_order((run), (integrator), (n), (context)), (order), (slack))

/* A few laws. */
static inline void motion_kepler(double t, const double x[2], const double v[2], double a[2])
{
    double r = hypot(x[0], x[1]);
    (void)t;
    (void)v;
    a[0] = -x[0] / (r * r * r);
    a[1] = -x[1] / (r * r * r);
}

#endif

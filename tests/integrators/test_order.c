/* The order of every integrator, by halving the substep: on an orbit, with forces that depend on time and velocity,
   with springs, and with rods. */
#include "integrators/motion.h"

/* A bound for the order: asymptotic in double; in single precision the substeps stay coarse. */
#define SLACK EXACTNESS(0.35, 0.12)

/* Substeps to begin with. */
#define CUT EXACTNESS(100, 400)

/* ---- Laws ---------------------------------------------------------------------------------------------------------- */

/* A force that is a function of time alone, another that also pulls back, and one that is mostly drag. */
static void pushed(double t, const double x[2], const double v[2], double a[2])
{
    (void)x;
    (void)v;
    a[0] = cos(3 * t);
    a[1] = 1 + t * t;
}

static void driven(double t, const double x[2], const double v[2], double a[2])
{
    (void)v;
    a[0] = 2 * sin(2 * t + 1) - 3 * x[0];
    a[1] = t - x[1] * x[1];
}

static void viscous(double t, const double x[2], const double v[2], double a[2])
{
    (void)t;
    a[0] = -4 * x[0] - v[0] * fabs(v[0]) - 0.5 * v[0];
    a[1] = -v[1] - x[0] * v[0];
}

static const motion_problem orbit = {motion_kepler, {{1, 0}, {0, 1.25}}, 2};
static const motion_problem motions[] = {
    {motion_kepler, {{1, 0}, {0, 1.25}}, 2},
    {pushed, {{0, 0}, {0.5, -0.25}}, 1.5},
    {driven, {{0.5, 0.25}, {0, 1}}, 1.5},
    {viscous, {{1, 0.5}, {0.5, 1}}, 1.5},
};

/* ---- Fixed and changing substeps ------------------------------------------------------------------------------------- */

static double run_fixed(sn_integrator integrator, uint32_t n, const void *context)
{
    const motion_problem *problem = context;
    sn_world *world = motion_world(integrator);
    sn_particle p = motion_enter(world, problem);
    support_run(world, n, problem->time / n);
    double error = motion_error(world, p, motion_reference(problem->law, 0, problem->start, problem->time));
    sn_world_destroy(world);
    return error;
}

static void forces_of_all_sorts(void **state)
{
    (void)state;
    for (size_t m = 0; m < COUNT_OF(motions); ++m)
        for (size_t i = 0; i < COUNT_OF(schemes); ++i)
            assert_order(run_fixed, schemes[i].id, CUT, &motions[m], schemes[i].order, SLACK);
}

typedef double pattern(uint32_t i, uint64_t *seed);

/* Steps of 2/3 and 4/3 of the mean in turn, and of anything between 1/2 and 3/2 of it. */
static double in_turn(uint32_t i, uint64_t *seed)
{
    (void)seed;
    return i % 2 ? 4.0 / 3 : 2.0 / 3;
}

static double at_random(uint32_t i, uint64_t *seed)
{
    (void)i;
    return support_random_in(seed, 0.5, 1.5);
}

/* Follows the orbit with steps that change; the reference is taken at the time that was reached. */
static double run_changing(sn_integrator integrator, uint32_t n, const void *context)
{
    pattern *next = *(pattern *const *)context;
    sn_world *world = motion_world(integrator);
    sn_particle p = motion_enter(world, &orbit);
    uint64_t seed = 7;
    for (uint32_t i = 0; i < n; ++i)
        assert_ok(world, sn_world_step(world, real(orbit.time / n * next(i, &seed))));
    motion_state should = motion_reference(orbit.law, 0, orbit.start, sn_world_time(world));
    double error = motion_error(world, p, should);
    sn_world_destroy(world);
    return error;
}

/* BDF2 has no past to look back to when every substep is another: it then takes starting substeps only, of first
   order. */
static void changing_substeps(void **state)
{
    (void)state;
    pattern *const patterns[] = {in_turn, at_random};
    for (size_t k = 0; k < COUNT_OF(patterns); ++k)
        for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
            bool keeps = schemes[i].id != SN_INTEGRATOR_BDF2;
            double slack = schemes[i].order == 2 && patterns[k] == at_random ? 0.35 : SLACK;
            assert_order(run_changing, schemes[i].id, CUT, &patterns[k], keeps ? schemes[i].order : 1, slack);
        }
}

/* dt changes twice on the way, from one fixed length to another: the order of BDF2 is unharmed. */
static double run_three_lengths(sn_integrator integrator, uint32_t n, const void *context)
{
    static const double length[] = {1, 0.5, 0.75};
    (void)context;
    sn_world *world = motion_world(integrator);
    sn_particle p = motion_enter(world, &orbit);
    for (size_t i = 0; i < COUNT_OF(length); ++i)
        support_run(world, n / 3, orbit.time / n * length[i]);
    motion_state should = motion_reference(orbit.law, 0, orbit.start, sn_world_time(world));
    double error = motion_error(world, p, should);
    sn_world_destroy(world);
    return error;
}

static void rare_changes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i)
        assert_order(run_three_lengths, schemes[i].id, CUT, NULL, schemes[i].order, 1.5 * SLACK);
}

/* ---- Springs ----------------------------------------------------------------------------------------------------------- */

static void spring_law(double t, const double x[2], const double v[2], double a[2])
{
    double l = hypot(x[0], x[1]), rate = (x[0] * v[0] + x[1] * v[1]) / l, pull = (40 * (l - 1) + 1.5 * rate) / 2;
    (void)t;
    a[0] = -pull * x[0] / l;
    a[1] = -pull * x[1] / l;
}

static const motion_problem swinging = {spring_law, {{1.25, 0}, {0, 1}}, 1.5};

typedef sn_constraint join_fn(sn_world *world, sn_particle hook, sn_particle mass);

/* 40 N/m and 1.5 N s/m on 2 kg, as a force element and as a compliant constraint. */
static sn_constraint join_spring(sn_world *world, sn_particle hook, sn_particle mass)
{
    sn_point points[] = {sn_at(hook), sn_at(mass)};
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_SPRING);
    def.points = points;
    def.param[0] = 1;
    def.param[1] = 40;
    def.param[2] = real(1.5);
    sn_constraint spring;
    assert_ok(world, sn_constraint_add(world, &def, &spring));
    return spring;
}

static sn_constraint join_soft(sn_world *world, sn_particle hook, sn_particle mass)
{
    sn_constraint soft = sn_constraint_add_distance(world, sn_at(hook), sn_at(mass), 1);
    assert_ok(world, sn_constraint_set_material(world, soft, (sn_material){sn_compliance(40), real(1.5)}));
    return soft;
}

static double run_spring(sn_integrator integrator, uint32_t n, const void *context)
{
    join_fn *join = *(join_fn *const *)context;
    sn_world_def def = motion_def(integrator);
    def.settings.iterations = 4;
    sn_world *world = support_world_from(&def);
    sn_particle hook = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
    sn_particle mass = motion_add(world, vec(1.25, 0, 0), vec(0, 1, 0), 2);
    join(world, hook, mass);
    support_run(world, n, swinging.time / n);
    double error = motion_error(world, mass, motion_reference(swinging.law, 0, swinging.start, swinging.time));
    sn_world_destroy(world);
    return error;
}

/* A spring as a force has the order of the scheme, its damper included. */
static void springs(void **state)
{
    join_fn *join = join_spring;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i)
        assert_order(run_spring, schemes[i].id, CUT, &join, schemes[i].order, SLACK);
}

/* A compliant constraint is taken at the end of the substep: first order but with BDF2. */
static void soft_constraints(void **state)
{
    join_fn *join = join_soft;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        int order = schemes[i].id == SN_INTEGRATOR_BDF2 ? 2 : 1;
        assert_order(run_spring, schemes[i].id, CUT, &join, order, SLACK);
    }
}

/* ---- Rods ---------------------------------------------------------------------------------------------------------------- */

typedef struct rod_case {
    sn_integrator integrator;
    sn_gradients gradients;
    int of_place, of_period;
} rod_case;

/* Symplectic Euler with gradients at the start moves as leapfrog does, half a substep late: the period does not see
   that. */
static const rod_case rods[] = {
    {SN_INTEGRATOR_SYMPLECTIC_EULER, SN_GRADIENTS_CURRENT, 1, 1},
    {SN_INTEGRATOR_LEAPFROG, SN_GRADIENTS_CURRENT, 1, 1},
    {SN_INTEGRATOR_VERLET, SN_GRADIENTS_CURRENT, 1, 1},
    {SN_INTEGRATOR_BDF2, SN_GRADIENTS_CURRENT, 2, 2},
    {SN_INTEGRATOR_SYMPLECTIC_EULER, SN_GRADIENTS_START, 1, 2},
    {SN_INTEGRATOR_LEAPFROG, SN_GRADIENTS_START, 2, 2},
    {SN_INTEGRATOR_VERLET, SN_GRADIENTS_START, 2, 2},
};

/* 1 kg on a rod of 1 m, from rest at 90 degrees. */
static sn_world *rod_world(const rod_case *rod, sn_particle *bob)
{
    sn_world_def def = motion_def(rod->integrator);
    def.settings.gravity = vec(0, -G, 0);
    def.settings.gradients = rod->gradients;
    def.settings.iterations = 20;
    sn_world *world = support_world_from(&def);
    sn_particle hook = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
    *bob = sn_particle_add_at(world, vec(1, 0, 0), 1);
    sn_constraint_add_distance(world, sn_at(hook), sn_at(*bob), 1);
    return world;
}

/* The angle of the pendulum, as a motion along x. */
static void pendulum(double t, const double x[2], const double v[2], double a[2])
{
    (void)t;
    (void)v;
    a[0] = -G * sin(x[0]);
    a[1] = 0;
}

/* Place and speed along the arc after a second. */
static double run_rod(sn_integrator integrator, uint32_t n, const void *context)
{
    sn_particle bob;
    sn_world *world = rod_world(context, &bob);
    (void)integrator;
    support_run(world, n, 1.0 / n);
    sn_vec3 x = sn_particle_position(world, bob), v = sn_particle_velocity(world, bob);
    motion_state should = motion_reference(pendulum, 0, (motion_state){{PI / 2, 0}, {0, 0}}, 1);
    double angle = atan2((double)x.x, -(double)x.y);
    double speed = (double)v.x * cos(angle) + (double)v.y * sin(angle);
    sn_world_destroy(world);
    return hypot(angle - should.x[0], speed - should.v[0]);
}

/* The time between the first and the third passage of the bottom, against the exact one. Nothing accelerates there, so
   interpolating along a straight line adds no error of second order. */
static double run_period(sn_integrator integrator, uint32_t n, const void *context)
{
    sn_particle bob;
    sn_world *world = rod_world(context, &bob);
    double passage[3] = {0, 0, 0}, before = PI / 2;
    (void)integrator;
    for (int k = 0; k < 3;) {
        support_run(world, 1, 1.0 / n);
        sn_vec3 x = sn_particle_position(world, bob);
        double angle = atan2((double)x.x, -(double)x.y);
        if ((before < 0) != (angle < 0))
            passage[k++] = sn_world_time(world) - angle / (angle - before) / n;
        before = angle;
    }
    sn_world_destroy(world);
    return fabs(passage[2] - passage[0] - 2.36784194757623);
}

static void rod_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rods); ++i)
        assert_order(run_rod, rods[i].integrator, CUT, &rods[i], rods[i].of_place, SLACK);
}

static void rod_periods(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rods); ++i)
        assert_order(run_period, rods[i].integrator, CUT, &rods[i], rods[i].of_period, SLACK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_of_all_sorts), cmocka_unit_test(changing_substeps),
        cmocka_unit_test(rare_changes),        cmocka_unit_test(springs),
        cmocka_unit_test(soft_constraints),    cmocka_unit_test(rod_places),
        cmocka_unit_test(rod_periods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

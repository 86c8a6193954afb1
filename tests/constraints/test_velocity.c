/* Constraints on the velocities of particles, under every solver: velocity, velocity_min, velocity_between, distance_rate. */
#include "support/support.h"

#include <math.h>

#define FRAME (1.0 / 60)
#define G     9.81

static sn_world *world_of(sn_solver solver, sn_integrator integrator)
{
    sn_world_def def = sn_default_world_def();
    def.settings.solver = solver;
    def.settings.integrator = integrator;
    def.settings.iterations = solver == SN_SOLVER_LAGRANGE ? 1 : 4;
    return support_world_from(&def);
}

static sn_constraint add(sn_world *world, uint32_t kind, sn_point a, sn_point b, const sn_real *param, uint32_t count)
{
    sn_constraint_def def = sn_default_constraint_def(kind);
    sn_point points[2] = {a, b};
    sn_constraint c;
    def.points = points;
    for (uint32_t i = 0; i < count; ++i)
        def.param[i] = param[i];
    assert_ok(world, sn_constraint_add(world, &def, &c));
    return c;
}

static sn_constraint add_velocity(sn_world *world, uint32_t kind, sn_point a, sn_vec3 axis, double speed, double force)
{
    const sn_real param[] = {axis.x, axis.y, axis.z, real(speed), real(force)};
    return add(world, kind, a, a, param, force > 0 ? 5 : 4);
}

#define FOR_EVERY_SOLVER(solver) for (sn_solver solver = SN_SOLVER_GAUSS_SEIDEL; solver <= SN_SOLVER_TILED; ++solver)

/* Down at 1 m/s however heavy it is, across as it likes, and the force is the weight. */
static void a_speed_is_kept(void **state)
{
    (void)state;
    FOR_EVERY_SOLVER(solver)
    for (sn_integrator n = SN_INTEGRATOR_SYMPLECTIC_EULER; n <= SN_INTEGRATOR_BDF2; ++n) {
        bool positions = solver != SN_SOLVER_IMPULSES && solver != SN_SOLVER_LAGRANGE;
        if (n == SN_INTEGRATOR_FORWARD_EULER || (n == SN_INTEGRATOR_BDF2 && !positions))
            continue;
        sn_world *world = world_of(solver, n);
        sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 3);
        assert_ok(world, sn_particle_set_velocity(world, p, vec(2, -1, 0)));
        sn_constraint c = add_velocity(world, SN_KIND_VELOCITY, sn_at(p), vec(0, 2, 0), -1, 0);
        support_run(world, 60, FRAME);
        sn_vec3 x = sn_particle_position(world, p), v = sn_particle_velocity(world, p), force;
        bool half_kicks = solver != SN_SOLVER_LAGRANGE && (n == SN_INTEGRATOR_LEAPFROG || n == SN_INTEGRATOR_VERLET);
        assert_close((double)v.y, -1, half_kicks ? G * FRAME / 20 * 1.01 : 1e-3); /* which constraints do not see */
        assert_close((double)x.y, -1, 2e-3);
        assert_close((double)x.x, 2, 1e-4);
        force = sn_constraint_force_on(world, c, 0);
        assert_close((double)force.y, 3 * G, 0.01 * 3 * G);
        sn_world_destroy(world);
    }
}

/* With 5 N on 1 kg it is not kept: the rest of gravity accelerates. With no force at all it falls. */
static void a_force_may_not_suffice(void **state)
{
    (void)state;
    FOR_EVERY_SOLVER(solver)
    {
        sn_world *world = world_of(solver, SN_INTEGRATOR_SYMPLECTIC_EULER);
        sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1), q = sn_particle_add_at(world, vec(1, 0, 0), 1);
        add_velocity(world, SN_KIND_VELOCITY, sn_at(p), vec(0, 1, 0), 1, 5);
        sn_constraint off = add_velocity(world, SN_KIND_VELOCITY, sn_at(q), vec(0, 1, 0), 1, 5);
        const sn_real none = 0;
        assert_ok(world, sn_constraint_set_param(world, off, "force", &none, 1));
        support_run(world, 60, FRAME);
        assert_close((double)sn_particle_velocity(world, p).y, 5 - G, 2e-3);
        assert_close((double)sn_particle_velocity(world, q).y, -G, 2e-3);
        sn_world_destroy(world);
    }
}

/* Falls freely up to 2 m/s and no faster; upwards nothing is asked. */
static void a_speed_at_least(void **state)
{
    (void)state;
    FOR_EVERY_SOLVER(solver)
    {
        sn_world *world = world_of(solver, SN_INTEGRATOR_SYMPLECTIC_EULER);
        sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 2);
        assert_ok(world, sn_particle_set_velocity(world, p, vec(1, 3, 0)));
        sn_constraint c = add_velocity(world, SN_KIND_VELOCITY_MIN, sn_at(p), vec(0, 1, 0), -2, 0);
        sn_vec3 force;
        for (uint32_t i = 1; i <= 60; ++i) {
            support_run(world, 1, FRAME);
            double free = 3 - G * i * FRAME;
            if (free > -1.8 || free < -2.3)
                assert_close((double)sn_particle_velocity(world, p).y, fmax(free, -2), 5e-3);
        }
        force = sn_constraint_force_on(world, c, 0);
        assert_close((double)force.y, 2 * G, 0.02 * 2 * G);
        assert_close((double)sn_particle_position(world, p).x, 1, 1e-4);
        sn_world_destroy(world);
    }
}

/* Two particles move apart along x at 0.5 m/s; their momentum is what it was, and across they are free. */
static void a_speed_between_two(void **state)
{
    (void)state;
    FOR_EVERY_SOLVER(solver)
    {
        sn_world *world = world_of(solver, SN_INTEGRATOR_SYMPLECTIC_EULER);
        sn_settings s = sn_world_settings(world);
        s.gravity = vec(0, 0, 0);
        assert_ok(world, sn_world_configure(world, &s));
        sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), 1), b = sn_particle_add_at(world, vec(1, 0, 0), 3);
        assert_ok(world, sn_particle_set_velocity(world, a, vec(4, 1, 0)));
        const sn_real param[] = {1, 0, 0, real(0.5)};
        add(world, SN_KIND_VELOCITY_BETWEEN, sn_at(a), sn_at(b), param, 4);
        support_run(world, 60, FRAME);
        sn_vec3 va = sn_particle_velocity(world, a), vb = sn_particle_velocity(world, b);
        assert_close((double)vb.x - (double)va.x, 0.5, 1e-3);
        assert_close((double)va.x + 3 * (double)vb.x, 4, 1e-4);
        assert_close((double)va.y, 1, 1e-5);
        assert_close((double)vb.y, 0, 1e-5);
        sn_world_destroy(world);
    }
}

/* A winch lifts 5 kg by 0.2 m/s, and swings a free pair closer without moving its centre. */
static void a_winch(void **state)
{
    (void)state;
    FOR_EVERY_SOLVER(solver)
    {
        sn_world *world = world_of(solver, SN_INTEGRATOR_SYMPLECTIC_EULER);
        sn_particle hook = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
        sn_particle load = sn_particle_add_at(world, vec(0, -2, 0), 5);
        const sn_real param[] = {real(-0.2)};
        sn_constraint c = add(world, SN_KIND_DISTANCE_RATE, sn_at(hook), sn_at(load), param, 1);
        support_run(world, 120, FRAME);
        sn_vec3 force;
        assert_close((double)sn_particle_position(world, load).y, -1.6, 3e-3);
        force = sn_constraint_force_on(world, c, 1);
        assert_close((double)force.y, 5 * G, 0.01 * 5 * G);
        sn_world_destroy(world);
    }
}

/* In the middle of what other constraints do: the end of a rope, and a corner of a cloth that is planned in planes, are led
   at 0.3 m/s. */
static void driven_ropes_and_cloths(void **state)
{
    (void)state;
    enum { SIDE = 6 };
    FOR_EVERY_SOLVER(solver)
    for (uint32_t cloth = 0; cloth < 2; ++cloth) {
        sn_world *world = world_of(solver, SN_INTEGRATOR_SYMPLECTIC_EULER);
        sn_settings s = sn_world_settings(world);
        s.iterations = solver == SN_SOLVER_JACOBI ? 100 : s.iterations; /* with 4 passes they lag */
        assert_ok(world, sn_world_configure(world, &s));
        uint32_t lines = cloth ? SIDE : 1;
        sn_particle p[SIDE * SIDE];
        for (uint32_t i = 0; i < SIDE * lines; ++i)
            p[i] = sn_particle_add_at(world, vec(0.1 * (i % SIDE), 0, 0.1 * (i / SIDE)), i % SIDE ? 1 : SN_IMMOVABLE);
        for (uint32_t i = 0; i < SIDE * lines; ++i) {
            if (i % SIDE)
                sn_constraint_add_distance(world, sn_at(p[i - 1]), sn_at(p[i]), real(0.1));
            if (i >= SIDE)
                sn_constraint_add_distance(world, sn_at(p[i - SIDE]), sn_at(p[i]), real(0.1));
        }
        sn_particle end = p[SIDE - 1];
        add_velocity(world, SN_KIND_VELOCITY, sn_at(end), vec(0, 1, 0), 0.3, 0);
        support_run(world, 60, FRAME);
        assert_close((double)sn_particle_position(world, end).y, 0.3, 0.01);
        assert_close((double)sn_particle_velocity(world, end).y, 0.3, 0.03);
        sn_world_destroy(world);
    }
}

/* A spot of a triangle, and one of a body, which turns about a corner that stands still. */
static void on_spots(void **state)
{
    (void)state;
    FOR_EVERY_SOLVER(solver)
    {
        sn_world *world = world_of(solver, SN_INTEGRATOR_SYMPLECTIC_EULER);
        sn_particle t[3];
        for (uint32_t i = 0; i < 3; ++i)
            t[i] = sn_particle_add_at(world, vec(i == 1, 0, i == 2), 1 + (double)i);
        sn_point spot = sn_on_triangle(t[0], t[1], t[2], real(0.2), real(0.3), real(0.5));
        add_velocity(world, SN_KIND_VELOCITY, spot, vec(0, 1, 0), 0.5, 0);
        sn_body body = sn_body_add_box(world, vec(5, 0, 0), vec(0.5, 0.2, 0.2), 1000);
        add_velocity(world, SN_KIND_VELOCITY, sn_on_body(body, vec(0.5, 0, 0)), vec(0, 1, 0), 0.5, 0);
        double spot_before = (double)sn_point_position(world, spot).y;
        support_run(world, 12, FRAME);
        assert_close((double)sn_point_position(world, spot).y - spot_before, 0.1, 5e-3);
        sn_vec3 v = sn_body_velocity(world, body), w = sn_body_spin(world, body);
        sn_quat q = sn_body_rotation(world, body);
        double arm_x = 0.5 * (1 - 2 * (double)(q.y * q.y + q.z * q.z)), arm_z = (double)(q.x * q.z - q.w * q.y);
        assert_close((double)v.y + (double)w.z * arm_x - (double)w.x * arm_z, 0.5, 0.02);
        sn_world_destroy(world);
    }
}

/* In 2D an axis across the plane asks for nothing; one in it does. */
static void in_two_dimensions(void **state)
{
    (void)state;
    sn_world *world = support_world_2d();
    sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1);
    add_velocity(world, SN_KIND_VELOCITY, sn_at(p), vec(0, 0, 1), 7, 0);
    add_velocity(world, SN_KIND_VELOCITY, sn_at(p), vec(0, 1, 0), 1, 0);
    support_run(world, 60, FRAME);
    assert_close((double)sn_particle_position(world, p).y, 1, 1e-3);
    assert_true(sn_particle_position(world, p).z == 0);
    sn_world_destroy(world);
}

/* Gradients by finite differences, of every kind here. */
static void gradients(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {SN_KIND_VELOCITY, SN_KIND_VELOCITY_MIN, SN_KIND_VELOCITY_BETWEEN,
                                     SN_KIND_DISTANCE_RATE};
    const double eps = sizeof(sn_real) == sizeof(float) ? 1e-2 : 1e-5;
    for (size_t n = 0; n < COUNT_OF(kinds); ++n) {
        const sn_kind *kind = sn_kind_info(NULL, kinds[n]);
        const sn_real along[] = {real(0.48), real(0.6), real(0.64), 1, 9}, rate[] = {1, 9};
        sn_vec3 x[2] = {vec(0.3, -0.2, 0.9), vec(-1.1, 0.4, 0.2)}, gradient[2] = {{0}}, other[2] = {{0}};
        sn_real c, lower, upper;
        sn_row row = {0}, ignored = {0};
        sn_eval_in in = {.x = x, .param = kinds[n] == SN_KIND_DISTANCE_RATE ? rate : along, .points = kind->points};
        assert_true(kind->eval(&in, &(sn_eval_out){&c, gradient, NULL, &row}));
        assert_int_equal(row.type, SN_ROW_RATE);
        for (uint32_t i = 0; i < 3 * kind->points; ++i) {
            sn_real *at = &x[i / 3].x + i % 3, was = *at;
            *at = was + real(eps);
            assert_true(kind->eval(&in, &(sn_eval_out){&upper, other, NULL, &ignored}));
            *at = was - real(eps);
            assert_true(kind->eval(&in, &(sn_eval_out){&lower, other, NULL, &ignored}));
            *at = was;
            assert_close(((double)upper - (double)lower) / (2 * eps), (double)(&gradient[i / 3].x)[i % 3], 1e-4);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_speed_is_kept),  cmocka_unit_test(a_force_may_not_suffice),
        cmocka_unit_test(a_speed_at_least), cmocka_unit_test(a_speed_between_two),
        cmocka_unit_test(a_winch),          cmocka_unit_test(driven_ropes_and_cloths),
        cmocka_unit_test(on_spots),         cmocka_unit_test(in_two_dimensions),
        cmocka_unit_test(gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

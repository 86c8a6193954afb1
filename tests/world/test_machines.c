/* Joints of machines: shafts, wheels, gears, racks, ropes and pulleys do what mechanics says, with every solver, and break. */
#include "support/support.h"

#include <math.h>

#define G  9.81
#define PI 3.14159265358979323846

static const sn_solver solvers[] = {SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_TILED, SN_SOLVER_JACOBI, SN_SOLVER_IMPULSES};
static const sn_body nowhere = {0, 0};

static sn_world *make_world(sn_solver solver, uint32_t dimensions, double gravity)
{
    sn_world_def def = sn_default_world_def();
    def.dimensions = dimensions;
    def.settings.gravity = vec(0, -gravity, 0);
    def.settings.solver = solver;
    def.settings.iterations = solver == SN_SOLVER_JACOBI ? 40 : 4;
    return support_world_from(&def);
}

/* A body without a shape, so that nothing but joints acts on it. */
static sn_body add_body(sn_world *world, double mass, sn_vec3 centre)
{
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.mass = real(mass);
    def.moments = vec(0.1 * mass, 0.1 * mass, 0.1 * mass);
    def.position = centre;
    assert_ok(world, sn_body_add(world, &def, &body));
    return body;
}

static sn_constraint made(const sn_world *world, sn_constraint joint)
{
    if (!joint.kind)
        fail_msg("%s", sn_world_error(world));
    return joint;
}

/* Angles on a circle. */
static void assert_angle(double a, double b, double within)
{
    if (!(fabs(remainder(a - b, 2 * PI)) <= within))
        fail_msg("%g and %g differ by more than %g", a, b, within);
}

typedef void machine(sn_solver solver, uint32_t dimensions);

/* In a brief run solvers take turns with the plane. */
static void for_every_solver(machine *test, bool planar)
{
    for (uint32_t i = 0; i < COUNT_OF(solvers); ++i)
        for (uint32_t dimensions = planar ? 2 : 3; dimensions <= 3; ++dimensions)
            if (!planar || dimensions == 2 + i % 2 || support_long(1, 0))
                test(solvers[i], dimensions);
}

/* Two shafts at an angle: if one has turned by t, then the other by f, tan f = tan t / cos of the angle between them. */
static void cardan(sn_solver solver, uint32_t dimensions)
{
    const double bend = 0.5;
    sn_world *world = make_world(solver, dimensions, 0);
    sn_body a = add_body(world, 1, vec(0, 0, 0)), b = add_body(world, 1, vec(0, 0, 0));
    sn_constraint first = made(world, sn_joint_add_hinge(world, nowhere, a, vec(0, 0, 0), vec(1, 0, 0)));
    sn_constraint second =
        made(world, sn_joint_add_hinge(world, nowhere, b, vec(0, 0, 0), vec(cos(bend), sin(bend), 0)));
    sn_constraint cross = made(world, sn_joint_add_universal(world, a, b, vec(0, 0, 0), vec(1, 0, 0)));
    assert_ok(world, sn_joint_set_motor(world, first, 2, 1000));
    for (uint32_t frame = 0; frame < 200; ++frame) {
        support_run(world, 1, 1.0 / 60);
        double t = (double)sn_joint_angle(world, first), f = (double)sn_joint_angle(world, second);
        assert_angle(f, atan2(sin(t), cos(t) * cos(bend)), 0.02);
        if (frame > 10)
            assert_angle(t, 2 * (frame + 1) / 60.0, 0.05);
    }
    assert_true(sn_joint_swing(world, cross) >= 0);
    sn_world_destroy(world);
}

static void universal_joints_turn(void **unused)
{
    (void)unused;
    for_every_solver(cardan, false);
}

/* A weight on a free universal joint leans as far as it may. */
static void lean(sn_solver solver, uint32_t dimensions)
{
    sn_world *world = make_world(solver, dimensions, G);
    sn_body b = add_body(world, 1, vec(1, 0, 0));
    sn_joint_def def = sn_default_joint_def(SN_KIND_JOINT_UNIVERSAL);
    def.b = b;
    def.swing = real(0.4);
    sn_constraint joint = made(world, sn_joint_add(world, &def));
    assert_ok(world, sn_body_set_spin_damping(world, b, 5));
    support_run(world, 240, 1.0 / 60);
    assert_close(sn_joint_swing(world, joint), 0.4, 5e-3);
    assert_close(sn_body_position(world, b).y, -sin(0.4), 5e-3);
    sn_world_destroy(world);
}

static void universal_joints_stop(void **unused)
{
    (void)unused;
    for_every_solver(lean, true);
}

/* A wheel sinks by its weight, spins, is steered, and stops at the end of its way. */
static void roll(sn_solver solver, uint32_t dimensions)
{
    sn_world *world = make_world(solver, dimensions, G);
    sn_body wheel = add_body(world, 2, vec(0, 0, 0));
    const double stiffness = 500;
    sn_constraint joint = made(world, sn_joint_add_wheel(world, nowhere, wheel, vec(0, 0, 0), vec(0, 1, 0),
                                                         vec(0, 0, 1), real(stiffness), 40));
    assert_ok(world, sn_joint_set_motor(world, joint, 3, 1000));
    double before = 0, turned = 0;
    for (uint32_t frame = 0; frame < 300; ++frame) {
        support_run(world, 1, 1.0 / 60);
        double now = (double)sn_joint_angle(world, joint);
        turned += frame < 60 ? 0 : remainder(now - before, 2 * PI);
        before = now;
    }
    assert_close(sn_joint_way(world, joint), -2 * G / stiffness, 1e-3);
    assert_close(fabs(turned), 3 * 4, 0.05);
    assert_close(fabs((double)sn_body_spin(world, wheel).z), 3, 0.01);
    assert_ok(world, sn_joint_set_limits(world, joint, real(-0.01), 1));
    support_run(world, 60, 1.0 / 60);
    assert_close(sn_joint_way(world, joint), -0.01, 1e-3);
    if (dimensions == 3) { /* steered, the axle is elsewhere, and the motor still runs */
        assert_ok(world, sn_joint_set_target(world, joint, real(0.5), 1000));
        support_run(world, 120, 1.0 / 60);
        sn_vec3 spin = sn_body_spin(world, wheel);
        assert_close(fabs((double)spin.x), 3 * sin(0.5), 0.05);
        assert_close(fabs((double)spin.z), 3 * cos(0.5), 0.05);
    }
    /* and the brake holds it */
    assert_ok(world, sn_joint_set_motor(world, joint, 0, 0));
    assert_ok(world, sn_constraint_set_param(world, joint, "friction", (sn_real[]){50}, 1));
    support_run(world, 60, 1.0 / 60);
    before = (double)sn_joint_angle(world, joint);
    for (uint32_t frame = 0; frame < 120; ++frame) {
        assert_ok(world, sn_body_apply_torque(world, wheel, vec(0, 0, 20)));
        support_run(world, 1, 1.0 / 60);
    }
    assert_angle(before, (double)sn_joint_angle(world, joint), 0.01);
    sn_world_destroy(world);
}

static void wheels_roll(void **unused)
{
    (void)unused;
    for_every_solver(roll, true);
}

/* A pair of gears of a ratio that is no whole number, turned many times, has lost nothing; and so with a rack. */
static void gears(sn_solver solver, uint32_t dimensions)
{
    sn_world *world = make_world(solver, dimensions, 0);
    const double ratio = 2.3, radius = 0.125, speed = 20;
    const uint32_t frames = support_long(600, 200);
    sn_body a = add_body(world, 1, vec(0, 0, 0)), b = add_body(world, 3, vec(1, 0, 0)),
            c = add_body(world, 1, vec(2, 0, 0));
    sn_constraint first = made(world, sn_joint_add_hinge(world, nowhere, a, vec(0, 0, 0), vec(0, 0, 1)));
    sn_constraint second = made(world, sn_joint_add_hinge(world, nowhere, b, vec(1, 0, 0), vec(0, 0, 1)));
    sn_constraint slider = made(world, sn_joint_add_slider(world, nowhere, c, vec(2, 0, 0), vec(0, 1, 0)));
    made(world, sn_joint_add_gear(world, first, second, real(ratio)));
    made(world, sn_joint_add_gear(world, second, slider, real(radius)));
    assert_ok(world, sn_joint_set_motor(world, first, real(speed), 100));
    double turned[2] = {0, 0}, before[2] = {0, 0};
    for (uint32_t frame = 0; frame < frames; ++frame) {
        support_run(world, 1, 1.0 / 60);
        const double now[2] = {(double)sn_joint_angle(world, first), (double)sn_joint_angle(world, second)};
        for (int i = 0; i < 2; ++i) {
            turned[i] += remainder(now[i] - before[i], 2 * PI);
            before[i] = now[i];
        }
    }
    assert_close(turned[0], speed * frames / 60, 5);
    assert_close(turned[0] + ratio * turned[1], 0, 2e-3);
    assert_close(radius * turned[1] + (double)sn_joint_way(world, slider), 0, 2e-3);
    sn_world_destroy(world);
}

static void gears_mesh(void **unused)
{
    (void)unused;
    for_every_solver(gears, true);
}

/* Six degrees of freedom: locked, limited, driven by itself. */
static void six(sn_solver solver, uint32_t dimensions)
{
    sn_world *world = make_world(solver, dimensions, G);
    sn_body b = add_body(world, 1, vec(0, 0, 0));
    sn_constraint joint = made(world, sn_joint_add_six(world, nowhere, b, vec(0, 0, 0), vec(1, 0, 0), vec(0, 1, 0)));
    support_run(world, 30, 1.0 / 60);
    for (uint32_t axis = 0; axis < 6; ++axis)
        assert_close(sn_joint_axis_value(world, joint, axis), 0, 1e-4);
    assert_ok(world, sn_joint_set_axis_limits(world, joint, 1, real(-0.25), SN_JOINT_MOST)); /* down to a stop */
    assert_ok(world, sn_joint_set_axis_limits(world, joint, 0, -SN_JOINT_MOST, SN_JOINT_MOST));
    assert_ok(world, sn_joint_set_axis_motor(world, joint, 0, real(0.5), 100)); /* along at a speed */
    assert_ok(world, sn_joint_set_axis_limits(world, joint, 5, real(-PI), real(PI)));
    assert_ok(world, sn_joint_set_axis_target(world, joint, 5, real(0.6), 100)); /* about z to a place */
    support_run(world, 120, 1.0 / 60);
    assert_close(sn_joint_axis_value(world, joint, 0), 1, 0.02);
    assert_close(sn_joint_axis_value(world, joint, 1), -0.25, 2e-3);
    assert_close(sn_joint_axis_value(world, joint, 5), 0.6, 0.02);
    for (uint32_t axis = 2; axis < 5; ++axis)
        assert_close(sn_joint_axis_value(world, joint, axis), 0, 1e-3);
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_set_axis_limits(world, joint, 6, 0, 1));
    assert_says(sn_world_error(world), "axis");
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_set_axis_limits(world, joint, 4, 0, 4));
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_set_motor(world, joint, 1, 1));
    assert_true(isnan(sn_joint_axis_value(world, joint, 6)) && isnan(sn_joint_angle(world, joint)));
    sn_world_destroy(world);
}

static void six_degrees_of_freedom(void **unused)
{
    (void)unused;
    for_every_solver(six, true);
}

/* A rope lets bodies come near, and no farther apart; a tackle of two weights is in balance. */
static void ropes(sn_solver solver, uint32_t dimensions)
{
    sn_world *world = make_world(solver, dimensions, G);
    sn_body a = add_body(world, 1, vec(0, -0.5, 0)), light = add_body(world, 1, vec(3, 0, 0)),
            heavy = add_body(world, 3, vec(4, 0, 0));
    made(world, sn_joint_add_rope(world, nowhere, a, vec(0, 0, 0), vec(0, -0.5, 0), 1));
    made(world, sn_constraint_add_pulley(world, sn_on_body(light, vec(0, 0, 0)), sn_at_place(vec(3, 1, 0)),
                                         sn_at_place(vec(4, 1, 0)), sn_on_body(heavy, vec(0, 0, 0)), 3, SN_MEASURE));
    support_run(world, 120, 1.0 / 60);
    assert_close(sn_body_position(world, a).y, -1, 2e-3);
    assert_close(sn_body_position(world, light).y, 0, 5e-3);
    assert_close(sn_body_position(world, heavy).y, 0, 5e-3);
    assert_ok(world,
              sn_body_apply_impulse(world, a, vec(0, 2, 0), sn_body_position(world, a))); /* upwards it is slack */
    support_run(world, 6, 1.0 / 60);
    assert_true(sn_body_position(world, a).y > real(-0.95));
    sn_world_destroy(world);
}

static void ropes_hold(void **unused)
{
    (void)unused;
    for_every_solver(ropes, true);
}

/* Whether the only constraint that is weak broke in one of some steps. */
static bool breaks(sn_world *world, sn_constraint weak)
{
    for (uint32_t frame = 0; frame < 30; ++frame) {
        uint32_t count;
        support_run(world, 1, 1.0 / 60);
        const sn_break *broken = sn_world_broken(world, &count);
        if (count) {
            assert_int_equal(count, 1);
            assert_int_equal(broken->constraint.kind, weak.kind);
            assert_false(sn_constraint_is_valid(world, weak));
            return true;
        }
    }
    return false;
}

/* A weight of 2 kg, held by 19.62 N: with less strength it breaks, and says so; with more it does not. Gears break by torque. */
static void breaking(sn_solver solver, uint32_t dimensions)
{
    static const uint32_t kinds[] = {SN_KIND_JOINT_BALL,  SN_KIND_JOINT_HINGE,      SN_KIND_JOINT_SLIDER,
                                     SN_KIND_JOINT_FIXED, SN_KIND_JOINT_CONE_TWIST, SN_KIND_JOINT_UNIVERSAL,
                                     SN_KIND_JOINT_WHEEL, SN_KIND_JOINT_SIX};
    for (size_t i = 0; i < COUNT_OF(kinds) + 2; ++i)
        for (int strong = 0; strong < 2; ++strong) {
            sn_world *world = make_world(solver, dimensions, i > COUNT_OF(kinds) ? 0 : G);
            sn_body body = add_body(world, 2, vec(0, 0, 0));
            const double strength = strong ? 25 : 15;
            sn_constraint weak;
            if (i < COUNT_OF(kinds)) {
                sn_joint_def def = sn_default_joint_def(kinds[i]);
                def.b = body;
                def.strength = real(strength);
                weak = made(world, sn_joint_add(world, &def));
            } else if (i == COUNT_OF(kinds)) {
                weak = made(world, sn_joint_add_rope(world, nowhere, body, vec(0, 1, 0), vec(0, 0, 0), SN_MEASURE));
                assert_ok(world, sn_constraint_set_strength(world, weak, real(strength), 0));
            } else { /* the second gear does not turn, and so the first, pulled by 20 N m, does not, either */
                sn_body other = add_body(world, 1, vec(1, 0, 0));
                sn_constraint first = made(world, sn_joint_add_hinge(world, nowhere, body, vec(0, 0, 0), vec(0, 0, 1)));
                sn_constraint second =
                    made(world, sn_joint_add_hinge(world, nowhere, other, vec(1, 0, 0), vec(0, 0, 1)));
                assert_ok(world, sn_joint_set_limits(world, second, 0, 0));
                assert_ok(world, sn_joint_set_motor(world, first, 100, 20));
                weak = made(world, sn_joint_add_gear(world, first, second, 1));
                assert_ok(world, sn_constraint_set_strength(world, weak, 0, real(strength)));
            }
            assert_int_equal(breaks(world, weak), !strong);
            sn_world_destroy(world);
        }
}

static void all_joints_break(void **unused)
{
    (void)unused;
    for_every_solver(breaking, true);
}

static sn_body add_box(sn_world *world, double mass, sn_vec3 centre, sn_vec3 half)
{
    sn_body_def def = sn_default_body_def();
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_BOX);
    sn_body body;
    shape.half = half;
    def.shapes = &shape;
    def.shape_count = 1;
    def.mass = real(mass);
    def.position = centre;
    assert_ok(world, sn_body_add(world, &def, &body));
    return body;
}

static sn_world *make_ground(sn_solver solver)
{
    sn_world_def def = sn_default_world_def();
    def.settings.solver = solver;
    sn_world *world = support_world_from(&def);
    assert_true(sn_body_is_valid(world, sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0))));
    return world;
}

/* A load of 100 kg on a spring with a damper, which stands on something light on the ground, sits as deep as the spring says. */
static void sit(sn_solver solver, double light)
{
    sn_world *world = make_ground(solver);
    sn_body wheel = add_box(world, light, vec(0, 0.1, 0), vec(0.1, 0.1, 0.1));
    sn_body load = add_box(world, 100, vec(0, 1, 0), vec(0.5, 0.1, 0.5));
    made(world, sn_joint_add_wheel(world, load, wheel, vec(0, 0.1, 0), vec(0, 1, 0), vec(0, 0, 1), 5000, 500));
    made(world, sn_joint_add_slider(world, nowhere, load, vec(0, 1, 0), vec(0, 1, 0)));
    support_run(world, 240, 1.0 / 60);
    assert_close(1 - (double)sn_body_position(world, load).y, 100 * G / 5000, 0.005 * 100 * G / 5000);
    sn_world_destroy(world);
}

/* A leg of 10 kg stands on a light foot, whose drive holds it as far from its target as its compliance says. */
static void stand(sn_solver solver, double light)
{
    const double stiffness = 200, half = 0.5;
    sn_world *world = make_ground(solver);
    sn_joint_def def = sn_default_joint_def(SN_KIND_JOINT_HINGE);
    def.a = add_box(world, light, vec(0.1, 0.03, 0), vec(0.3, 0.03, 0.2));
    def.b = add_box(world, 10, vec(0, 0.06 + half, 0), vec(0.05, half, 0.05));
    def.anchor = vec(0, 0.06, 0);
    def.axis = vec(0, 0, 1);
    def.target = real(-0.2);
    def.target_most = 1000;
    def.target_compliance = real(1 / stiffness);
    def.target_damping = 20;
    sn_constraint ankle = made(world, sn_joint_add(world, &def));
    double leans = 0.2;
    for (int i = 0; i < 100; ++i)
        leans = 0.2 + 10 * G * half * sin(leans) / stiffness;
    support_run(world, 420, 1.0 / 60);
    assert_close(-(double)sn_joint_angle(world, ankle), leans, 0.005);
    sn_world_destroy(world);
}

/* Constraints are solved before contact. A damper must not take for a motion what contact is about to undo. */
static void dampers_know_of_the_ground(void **unused)
{
    (void)unused;
    sit(SN_SOLVER_TILED, 10);
    sit(SN_SOLVER_GAUSS_SEIDEL, 10);
    stand(SN_SOLVER_TILED, 1);
    stand(SN_SOLVER_TILED, 0.5);
    stand(SN_SOLVER_GAUSS_SEIDEL, 1);
}

/* A car of 100 kg on wheels of 5 kg, on a slope of 0.2 rad, stands or climbs as its motors say. What friction did to
   wheels after motors were solved made it creep down by 4 cm/s with ten substeps, and by 38 with one. */
static void climb(uint32_t substeps, uint32_t kind, double speed)
{
    const double radius = 0.3, slope = 0.2;
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = substeps;
    def.settings.gravity = vec(-G * sin(slope), -G * cos(slope), 0);
    sn_world *world = support_world_from(&def);
    sn_group_contact group = sn_default_group_contact(0);
    group.material.static_friction = group.material.dynamic_friction = 1;
    assert_ok(world, sn_world_set_group_contact(world, 0, &group));
    sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    sn_body car = sn_body_add_box(world, vec(0, 0.5, 0), vec(1, 0.1, 0.4), 100 / 0.32);
    for (uint32_t i = 0; i < 4; ++i) {
        const double x = i & 1 ? 0.8 : -0.8, z = i & 2 ? 0.6 : -0.6;
        sn_joint_def joint = sn_default_joint_def(kind);
        joint.a = car;
        joint.b = sn_body_add_cylinder(world, vec(x, radius, z - 0.05), vec(x, radius, z + 0.05), real(radius), 177);
        joint.anchor = vec(x, radius, z);
        joint.axis = kind == SN_KIND_JOINT_HINGE ? vec(0, 0, 1) : vec(0, 1, 0);
        if (kind == SN_KIND_JOINT_WHEEL) {
            joint.second_axis = vec(-1, 0, 0);
            joint.spring_compliance = real(1e-5);
            joint.spring_damping = 2000;
        }
        joint.speed = real(-speed / radius);
        joint.speed_most = 1000;
        made(world, sn_joint_add(world, &joint));
    }
    support_run(world, 60, 1.0 / 60);
    const double from = (double)sn_body_position(world, car).x;
    support_run(world, 60, 1.0 / 60);
    assert_close((double)sn_body_position(world, car).x - from, speed, substeps > 1 ? 0.005 : 0.05);
    sn_world_destroy(world);
}

static void motors_know_of_friction(void **state)
{
    (void)state;
    static const uint32_t substeps[3] = {1, 4, 10};
    for (uint32_t i = 0; i < 12; ++i)
        climb(substeps[i / 4], i & 1 ? SN_KIND_JOINT_WHEEL : SN_KIND_JOINT_HINGE, i & 2 ? 1.5 : 0);
}

static void bad_calls_are_refused(void **unused)
{
    (void)unused;
    sn_world *world = make_world(SN_SOLVER_TILED, 3, 0);
    sn_body a = add_body(world, 1, vec(0, 0, 0));
    sn_constraint hinge = made(world, sn_joint_add_hinge(world, nowhere, a, vec(0, 0, 0), vec(0, 0, 1)));
    sn_constraint ball = made(world, sn_joint_add_ball(world, nowhere, a, vec(0, 0, 0)));
    uint64_t hash = sn_world_hash(world);
    assert_false(sn_joint_add_gear(world, hinge, ball, 1).kind);
    assert_says(sn_world_error(world), "joint_ball");
    assert_false(sn_joint_add_gear(world, ball, hinge, 1).kind);
    assert_false(sn_joint_add_gear(world, hinge, hinge, real(NAN)).kind);
    assert_false(sn_joint_add_rope(world, nowhere, nowhere, vec(0, 0, 0), vec(1, 0, 0), 1).kind);
    assert_false(sn_joint_add_wheel(world, nowhere, a, vec(0, 0, 0), vec(0, 1, 0), vec(0, 0, 1), -1, 0).kind);
    assert_true(sn_world_hash(world) == hash);
    sn_world_destroy(world);
}

/* x goes to the axis, and y to the second one, as far as that is across. */
static void axes_are_turned(void **unused)
{
    (void)unused;
    uint64_t seed = 5;
    sn_world *world = make_world(SN_SOLVER_TILED, 3, 0);
    for (int i = 0; i < 50; ++i) {
        double a[3], s[3], dot = 0, aa = 0;
        for (int k = 0; k < 3; ++k) {
            a[k] = support_random_in(&seed, -1, 1);
            s[k] = support_random_in(&seed, -1, 1);
        }
        for (int k = 0; k < 3; ++k) {
            aa += a[k] * a[k];
            dot += a[k] * s[k];
        }
        sn_body_def def = sn_default_body_def();
        sn_body body;
        def.mass = 1;
        def.moments = vec(1, 1, 1);
        def.rotation = sn_joint_axes(vec(a[0], a[1], a[2]), vec(s[0], s[1], s[2]));
        assert_ok(world, sn_body_add(world, &def, &body));
        double across[3], length = 0;
        for (int k = 0; k < 3; ++k) {
            across[k] = s[k] - a[k] * dot / aa;
            length += across[k] * across[k];
        }
        length = sqrt(length);
        assert_vec_close(sn_body_to_world(world, body, vec(1, 0, 0)),
                         vec(a[0] / sqrt(aa), a[1] / sqrt(aa), a[2] / sqrt(aa)), 1e-5);
        assert_vec_close(sn_body_to_world(world, body, vec(0, 1, 0)),
                         vec(across[0] / length, across[1] / length, across[2] / length), 1e-5);
    }
    sn_world_destroy(world);
}

/* J, of all bodies. */
static double energy_of(sn_world *world)
{
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    return report.kinetic + report.potential;
}

/* Three balls of 523, 4 and 65 kg on ball joints half way between them fall on the floor. Joints are solved before contact, with the masses of free bodies: the light
   ball alone gives way to the heavy ones, contact puts it back, and the joints stay open by what they moved it. Closing a wide gap in one substep is a blow. */
static void light_bodies_between_heavy_ones(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    sn_body heavy = sn_body_add_sphere(world, vec(1, 3.2, 0), real(0.5), 1000),
            light = sn_body_add_sphere(world, vec(0, 2, 0), real(0.1), 1000),
            other = sn_body_add_sphere(world, vec(-1, 2.2, 0.3), real(0.25), 1000);
    sn_joint_add_ball(world, heavy, light, vec(0.5, 2.6, 0));
    sn_joint_add_ball(world, light, other, vec(-0.5, 2.1, 0.15));
    const double start = energy_of(world);
    for (int i = 0; i < 240; ++i) {
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        assert_true(energy_of(world) < 1.001 * start);
    }
    assert_true(energy_of(world) < 0.25 * start);
    sn_world_destroy(world);
}

/* m: how far apart the place is on both bodies. */
static double gap_of(sn_world *world, const sn_body body[2], const sn_vec3 own[2])
{
    const sn_vec3 a = sn_body_to_world(world, body[0], own[0]), b = sn_body_to_world(world, body[1], own[1]);
    return hypot(hypot((double)(a.x - b.x), (double)(a.y - b.y)), (double)(a.z - b.z));
}

/* Two balls of 30 kg, on joints at the ends of a rod of 2 kg between them, fall across a bar by two metres. Contact stops the rod, which alone gives way to it: the joints
   opened by 75 mm, and closing them threw everything up again, with 150 J. */
static void caught_rod_stays_on_its_joints(void **state)
{
    (void)state;
    enum { SIDES = 2 };
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = 4;
    sn_world *world = support_world_from(&def);
    sn_static_add_capsule(world, vec(0, 1.8, -1), vec(0, 1.8, 1), real(0.1));
    sn_body body[SIDES][2];
    sn_vec3 own[SIDES][2];
    const sn_body rod = sn_body_add_capsule(world, vec(-0.15, 4, 0), vec(0.15, 4, 0), real(0.05), real(694));
    for (int i = 0; i < SIDES; ++i) {
        const double side = i ? 1 : -1;
        const sn_vec3 place = vec(0.23 * side, 4, 0);
        body[i][0] = rod;
        body[i][1] = sn_body_add_sphere(world, vec(0.4 * side, 4, 0), real(0.15), real(2122));
        made(world, sn_joint_add_ball(world, rod, body[i][1], place));
        for (int k = 0; k < 2; ++k)
            own[i][k] = sn_body_to_own(world, body[i][k], place);
    }
    double last = energy_of(world);
    for (int frame = 0; frame < 120; ++frame) {
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        assert_true(energy_of(world) < last + 30);
        last = energy_of(world);
        for (int i = 0; i < SIDES; ++i)
            assert_true(gap_of(world, body[i], own[i]) < 0.045);
    }
    assert_true(sn_body_position(world, rod).y > real(1.8));
    sn_world_destroy(world);
}

/* A figure of three to seven bodies of 1 to 1,000 kg on joints of three kinds, none of which overlap. */
static void add_random_figure(sn_world *world, uint64_t *seed)
{
    enum { MOST = 7 };
    sn_body body[MOST];
    double x[MOST][3] = {{0, 3, 0}}, radius[MOST];
    const int count = 3 + (int)support_random_in(seed, 0, 4.999);
    for (int i = 0; i < count; ++i) {
        int from = 0;
        radius[i] = support_random_in(seed, 0.05, 0.5);
        for (bool free = i == 0; !free; radius[i] *= free ? 1 : 0.97) {
            from = (int)support_random_in(seed, 0, i - 1e-9);
            const double angle = support_random_in(seed, 0, 6.2831), up = support_random_in(seed, -1, 1);
            const double far = support_random_in(seed, 0.8, 1.5) * (radius[i] + radius[from]) + 0.2;
            x[i][0] = x[from][0] + far * sqrt(1 - up * up) * cos(angle);
            x[i][1] = x[from][1] + far * up;
            x[i][2] = x[from][2] + far * sqrt(1 - up * up) * sin(angle);
            free = x[i][1] > radius[i] + 0.1;
            for (int k = 0; k < i; ++k)
                free = free && hypot(hypot(x[i][0] - x[k][0], x[i][1] - x[k][1]), x[i][2] - x[k][2]) >
                                   1.05 * (radius[i] + radius[k]);
        }
        const double mass = exp(support_random_in(seed, 0, log(1000))), r = radius[i];
        body[i] =
            support_random_in(seed, 0, 1) < 0.5
                ? sn_body_add_sphere(world, vec(x[i][0], x[i][1], x[i][2]), real(r), real(mass / (4.18879 * r * r * r)))
                : add_box(world, mass, vec(x[i][0], x[i][1], x[i][2]), vec(0.5 * r, 0.3 * r, 0.4 * r));
        if (i == 0)
            continue;
        const sn_vec3 middle = vec((x[i][0] + x[from][0]) / 2, (x[i][1] + x[from][1]) / 2, (x[i][2] + x[from][2]) / 2);
        const double kind = support_random_in(seed, 0, 1);
        made(world, kind < 0.6    ? sn_joint_add_ball(world, body[from], body[i], middle)
                    : kind < 0.85 ? sn_joint_add_hinge(world, body[from], body[i], middle, vec(0.3, 0.5, 0.8))
                                  : sn_joint_add_fixed(world, body[from], body[i], middle));
    }
}

/* Without the limit of world/articulations.c one in twenty of them explodes. */
static void random_figures_fall(void **state)
{
    (void)state;
    const int worlds = support_rounds(400, 10);
    for (int i = 0; i < worlds; ++i) {
        uint64_t seed = 1000 + (uint64_t)i;
        sn_world *world = support_world();
        sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
        add_random_figure(world, &seed);
        const double start = energy_of(world);
        for (int frame = 0; frame < 180; ++frame) {
            assert_ok(world, sn_world_step(world, real(1.0 / 60)));
            if (energy_of(world) > 1.001 * start)
                fail_msg("figure %d has %g of %g J in frame %d", i, energy_of(world), start, frame);
        }
        sn_world_destroy(world);
    }
}

/* Bodies on long arms that fall freely, at 40 substeps. Sweeps over their joints grow by themselves, from rounding: they gained 7 times their energy in two seconds. */
static void long_arms_fall(void **state)
{
    (void)state;
    const double half[2] = {0.26 * 0.398, 0.26 * 0.268};
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = 40;
    sn_world *world = support_world_from(&def);
    sn_body heavy = add_box(world, 560, vec(0, 3, 0), vec(half[0], half[0], half[0])),
            middle = add_box(world, 107, vec(-0.219, 2.82, 1.16), vec(half[1], half[1], half[1])),
            ball = sn_body_add_sphere(world, vec(0.36, 2.221, 0.906), real(0.313), real(86.4)),
            rod = sn_body_add_capsule(world, vec(-0.769, 2.814, 1.564), vec(-0.629, 2.814, 1.564), real(0.087), 11400);
    made(world, sn_joint_add_ball(world, heavy, middle, vec(-0.11, 2.91, 0.58)));
    made(world, sn_joint_add_hinge(world, middle, ball, vec(0.0705, 2.5205, 1.033), vec(-0.454, 0.2245, 0.976)));
    made(world, sn_joint_add_hinge(world, middle, rod, vec(-0.459, 2.817, 1.362), vec(-0.255, -0.45, 0.859)));
    const double start = energy_of(world);
    for (int i = 0; i < 120; ++i) {
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        assert_true(energy_of(world) < 1.001 * start);
    }
    sn_world_destroy(world);
}

/* Bodies of 523, 4 and 65 kg on joints, above the floor at x. */
typedef struct trio {
    sn_body body[3];
    sn_constraint ball, hinge;
} trio;

static trio add_trio(sn_world *world, double x, bool round)
{
    trio t;
    if (round)
        t = (trio){.body = {sn_body_add_sphere(world, vec(x + 1, 3.2, 0), real(0.5), 1000),
                            sn_body_add_sphere(world, vec(x, 2, 0), real(0.1), 1000),
                            sn_body_add_sphere(world, vec(x - 1, 2.2, 0.3), real(0.25), 1000)}};
    else
        t = (trio){.body = {add_box(world, 523, vec(x + 1, 3.2, 0), vec(0.4, 0.3, 0.4)),
                            add_box(world, 4, vec(x, 2, 0), vec(0.1, 0.08, 0.1)),
                            add_box(world, 65, vec(x - 1, 2.2, 0.3), vec(0.2, 0.15, 0.2))}};
    t.ball = made(world, sn_joint_add_ball(world, t.body[0], t.body[1], vec(x + 0.5, 2.6, 0)));
    t.hinge = made(world, sn_joint_add_hinge(world, t.body[1], t.body[2], vec(x - 0.5, 2.1, 0.15), vec(0.3, 0.5, 0.8)));
    return t;
}

/* What decides which bodies hang together, and whether they are limited, changes before they strike the floor; and again when the
   first three sleep. */
static void edit_trios(sn_world *world, trio *t, int frame)
{
    if (frame == 5)
        assert_ok(world, sn_joint_set_motor(world, t[1].hinge, 1, 50));
    if (frame == 10)
        assert_ok(world, sn_constraint_remove(world, t[2].ball));
    if (frame == 12)
        assert_ok(world, sn_body_remove(world, t[3].body[2]));
    if (frame == 15)
        t[5] = add_trio(world, 20, true);
    if (frame == 15 || frame == 60)
        assert_ok(world, sn_body_set_mass(world, t[4].body[0], frame == 15 ? SN_IMMOVABLE : real(523)));
    if (frame > 15 && frame < 30)
        assert_ok(world, sn_body_move_to(world, t[4].body[0], vec(17, 3 + frame % 5, 0), (sn_quat){0, 0, 0, 1}));
    if (frame == 250) {
        assert_false(sn_particle_is_awake(world, sn_body_particle(world, t[0].body[0])));
        assert_ok(world, sn_body_apply_impulse(world, t[0].body[0], vec(0, 3000, 0), vec(1, 0.5, 0.4)));
    }
}

/* Which bodies hang together is kept from step to step. A world into which the same state was loaded knows nothing of that. */
static void what_is_kept_is_as_found_anew(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_contact_settings settings = sn_world_contact_settings(world);
    trio t[6];
    settings.sleep = true;
    assert_ok(world, sn_world_set_contact_settings(world, &settings));
    sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    for (int i = 0; i < 5; ++i)
        t[i] = add_trio(world, 4 * i, i > 0);
    for (int frame = 0; frame < 320; ++frame) {
        edit_trios(world, t, frame);
        sn_world *other = support_world();
        sn_snapshot *saved = sn_world_save(world);
        assert_non_null(saved);
        assert_ok(other, sn_world_load(other, saved));
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        assert_ok(other, sn_world_step(other, real(1.0 / 60)));
        if (sn_world_hash(world) != sn_world_hash(other))
            fail_msg("not the same after frame %d", frame);
        sn_snapshot_destroy(saved);
        sn_world_destroy(other);
    }
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(universal_joints_turn),
        cmocka_unit_test(universal_joints_stop),
        cmocka_unit_test(wheels_roll),
        cmocka_unit_test(gears_mesh),
        cmocka_unit_test(six_degrees_of_freedom),
        cmocka_unit_test(ropes_hold),
        cmocka_unit_test(all_joints_break),
        cmocka_unit_test(dampers_know_of_the_ground),
        cmocka_unit_test(motors_know_of_friction),
        cmocka_unit_test(light_bodies_between_heavy_ones),
        cmocka_unit_test(caught_rod_stays_on_its_joints),
        cmocka_unit_test(random_figures_fall),
        cmocka_unit_test(long_arms_fall),
        cmocka_unit_test(what_is_kept_is_as_found_anew),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(axes_are_turned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Joints as a user meets them: they hold under load, limits and motors do what is said of them, reactions are what
   mechanics says, and what is too weak breaks. */
#include "support/support.h"

#include <math.h>

#define EXACTNESS(single, twice) (sizeof(sn_real) == sizeof(float) ? (single) : (twice))
#define G                        9.81

static const sn_solver solvers[] = {SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_TILED, SN_SOLVER_JACOBI, SN_SOLVER_IMPULSES};
static const sn_body nowhere = {0, 0};

typedef void joint_test(sn_solver solver);

static void for_every_solver(joint_test *test)
{
    for (size_t i = 0; i < COUNT_OF(solvers); ++i)
        test(solvers[i]);
}

static sn_world *make_world(sn_solver solver, double gravity)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, -gravity, 0);
    def.settings.solver = solver;
    return support_world_from(&def);
}

/* A body without a shape, so that nothing but joints acts on it. */
static sn_body add_body(sn_world *world, double mass, sn_vec3 moments, sn_vec3 centre)
{
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.mass = real(mass);
    def.moments = moments;
    def.position = centre;
    assert_ok(world, sn_body_add(world, &def, &body));
    return body;
}

static sn_constraint add_joint(sn_world *world, const sn_joint_def *def)
{
    sn_constraint joint = sn_joint_add(world, def);
    if (!joint.kind)
        fail_msg("%s", sn_world_error(world));
    return joint;
}

static sn_joint_def joint_to_world(uint32_t kind, sn_body body, sn_vec3 anchor, sn_vec3 axis)
{
    sn_joint_def def = sn_default_joint_def(kind);
    def.b = body;
    def.anchor = anchor;
    def.axis = axis;
    return def;
}

static double energy_of(sn_world *world)
{
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    return report.kinetic + report.potential + report.elastic;
}

static double dot(sn_vec3 a, sn_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

static double length_of(sn_vec3 a)
{
    return sqrt(dot(a, a));
}

/* A direction of the body's own frame in the world. */
static sn_vec3 direction_of(const sn_world *world, sn_body body, sn_vec3 own)
{
    sn_vec3 a = sn_body_to_world(world, body, own), b = sn_body_to_world(world, body, vec(0, 0, 0));
    return vec((double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z);
}

/* ---- Holding ---------------------------------------------------------------------------------------------------- */

/* Five seconds of a heavy door, on an axis that leans. */
static void hinge_swings(sn_solver solver)
{
    sn_world *world = make_world(solver, G);
    sn_body door = add_body(world, 5, vec(0.3, 0.5, 0.7), vec(0.5, 0, 0));
    sn_vec3 axis = vec(0.28, 0, 0.96), anchor = vec(0, 0, 0);
    sn_constraint hinge = sn_joint_add_hinge(world, nowhere, door, anchor, axis);
    assert_true(hinge.kind == SN_KIND_JOINT_HINGE);
    double start = energy_of(world), least = 0, most = 0;
    for (uint32_t frame = 0; frame < 300; ++frame) {
        support_run(world, 1, 1.0 / 60);
        sn_vec3 now = direction_of(world, door, axis);
        sn_vec3 cross = vec((double)axis.y * (double)now.z - (double)axis.z * (double)now.y,
                            (double)axis.z * (double)now.x - (double)axis.x * (double)now.z,
                            (double)axis.x * (double)now.y - (double)axis.y * (double)now.x);
        assert_true(length_of(cross) < 1e-4 && dot(axis, now) > 0.9);
        assert_vec_close(sn_body_to_world(world, door, vec(-0.5, 0, 0)), anchor, 1e-4);
        assert_true(energy_of(world) < start + 5e-3 * 5 * G);
        least = fmin(least, (double)sn_joint_angle(world, hinge));
        most = fmax(most, (double)sn_joint_angle(world, hinge));
    }
    assert_true(least < -2.5 && most < 0.1); /* it swings to nearly the other side, and back */
    sn_world_destroy(world);
}

static void a_hinge_swings(void **unused)
{
    (void)unused;
    for_every_solver(hinge_swings);
}

/* A chain of bodies on joints of one kind, hung up at one end, keeps together. */
static void chain_hangs(sn_solver solver)
{
    static const uint32_t kinds[] = {SN_KIND_JOINT_BALL, SN_KIND_JOINT_HINGE, SN_KIND_JOINT_FIXED,
                                     SN_KIND_JOINT_CONE_TWIST};
    for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
        sn_world *world = make_world(solver, G);
        sn_body body[5] = {nowhere};
        sn_constraint joint[5];
        for (uint32_t i = 0; i < 5; ++i) {
            body[i] = add_body(world, 1, vec(0.05, 0.1, 0.1), vec(0.5 + i, 0, 0));
            sn_joint_def def = sn_default_joint_def(kinds[k]);
            def.a = i ? body[i - 1] : nowhere;
            def.b = body[i];
            def.anchor = vec(i, 0, 0);
            def.axis = vec(0, 0, 1);
            joint[i] = add_joint(world, &def);
        }
        for (uint32_t frame = 0; frame < 120; ++frame) {
            support_run(world, 1, 1.0 / 60);
            for (uint32_t i = 1; i < 5; ++i)
                assert_vec_close(sn_body_to_world(world, body[i - 1], vec(0.5, 0, 0)),
                                 sn_body_to_world(world, body[i], vec(-0.5, 0, 0)), 0.02);
        }
        assert_true(sn_constraint_is_valid(world, joint[4]));
        sn_world_destroy(world);
    }
}

static void chains_hang(void **unused)
{
    (void)unused;
    for_every_solver(chain_hangs);
}

/* A body on an incline of 30 degrees gains g / 2, and does not turn. */
static void slider_slides(sn_solver solver)
{
    sn_world *world = make_world(solver, G);
    sn_body body = add_body(world, 2, vec(0.1, 0.2, 0.3), vec(1, 2, 3));
    sn_vec3 down = vec(sqrt(0.75), -0.5, 0);
    sn_joint_def def = joint_to_world(SN_KIND_JOINT_SLIDER, body, vec(0.3, 2.5, 3), down);
    sn_constraint slider = add_joint(world, &def);
    support_run(world, 60, 1.0 / 60);
    assert_close(sn_joint_way(world, slider), G / 4 * (1 + 1.0 / 600), 2e-3);
    assert_close(dot(sn_body_velocity(world, body), down), G / 2, 2e-3);
    sn_quat q = sn_body_rotation(world, body);
    assert_close(q.w, 1, 1e-6);
    /* and stops at its limit, at once, and stays there */
    assert_ok(world, sn_joint_set_limits(world, slider, -1, 3));
    double highest = energy_of(world);
    for (uint32_t frame = 0; frame < 60; ++frame) {
        support_run(world, 1, 1.0 / 60);
        assert_true((double)sn_joint_way(world, slider) < 3 + 1e-4);
        assert_true(energy_of(world) < highest + 1e-3 * G);
        highest = fmin(highest, energy_of(world));
    }
    assert_close(sn_joint_way(world, slider), 3, 1e-4);
    assert_true(length_of(sn_body_velocity(world, body)) < 1e-3);
    sn_world_destroy(world);
}

static void a_slider_slides(void **unused)
{
    (void)unused;
    for_every_solver(slider_slides);
}

/* A point on a line and a point in a plane: the rest of the body does what it likes. */
static void line_and_plane(sn_solver solver)
{
    sn_world *world = make_world(solver, G);
    sn_body a = add_body(world, 1, vec(0.1, 0.1, 0.1), vec(0, 0, 0)),
            b = add_body(world, 1, vec(0.1, 0.1, 0.1), vec(0, 0, 0));
    sn_joint_def on_line = joint_to_world(SN_KIND_JOINT_LINE, a, vec(0, 0.2, 0), vec(1, -1, 0));
    sn_joint_def in_plane = joint_to_world(SN_KIND_JOINT_PLANE, b, vec(0, 0.2, 0), vec(1, 1, 0));
    sn_constraint line = add_joint(world, &on_line);
    add_joint(world, &in_plane);
    assert_ok(world, sn_body_set_velocity(world, b, vec(0, 0, 1), vec(0, 0, 0)));
    for (uint32_t frame = 0; frame < 60; ++frame) {
        support_run(world, 1, 1.0 / 60);
        sn_vec3 p = sn_body_to_world(world, a, vec(0, 0.2, 0)), r = sn_body_to_world(world, b, vec(0, 0.2, 0));
        assert_close((double)p.x + (double)p.y, 0.2, 1e-4);
        assert_close(p.z, 0, 1e-4);
        assert_close((double)r.x + (double)r.y, 0.2, 1e-4);
        assert_close(sn_joint_way(world, line), ((double)p.x - (double)p.y + 0.2) / sqrt(2), 1e-4);
    }
    assert_true((double)sn_body_centre(world, b).z > 0.9 && (double)sn_joint_way(world, line) > 2);
    sn_world_destroy(world);
}

static void lines_and_planes(void **unused)
{
    (void)unused;
    for_every_solver(line_and_plane);
}

/* ---- Limits ----------------------------------------------------------------------------------------------------- */

static void hinge_stops(sn_solver solver)
{
    for (uint32_t iterations = 1; iterations <= 10; iterations += 9) {
        sn_world *world = make_world(solver, G);
        sn_settings settings = sn_world_settings(world);
        settings.iterations = iterations;
        assert_ok(world, sn_world_configure(world, &settings));
        sn_body bar = add_body(world, 1, vec(0.1, 0.1, 0.1), vec(0.5, 0, 0));
        sn_joint_def def = joint_to_world(SN_KIND_JOINT_HINGE, bar, vec(0, 0, 0), vec(0, 0, 1));
        def.least = real(-0.5);
        def.most = real(0.5);
        sn_constraint hinge = add_joint(world, &def);
        double highest = energy_of(world);
        for (uint32_t frame = 0; frame < 180; ++frame) {
            support_run(world, 1, 1.0 / 60);
            double angle = (double)sn_joint_angle(world, hinge);
            assert_true(angle > -0.5 - 1e-4 && angle < 0.5 + 1e-4);
            assert_true(energy_of(world) < highest + 5e-3 * G);
            highest = fmin(highest, energy_of(world));
        }
        assert_close(sn_joint_angle(world, hinge), -0.5, 1e-4);
        assert_true(length_of(sn_body_spin(world, bar)) < 1e-3);
        /* what it rests on carries its weight */
        sn_vec3 force, torque;
        double sum = 0;
        for (uint32_t frame = 0; frame < 60; ++frame) {
            support_run(world, 1, 1.0 / 60);
            assert_ok(world, sn_joint_reaction(world, hinge, &force, &torque));
            sum += (double)torque.z / 60;
        }
        assert_close(sum, G * 0.5 * cos(0.5), 0.005 * G);
        sn_world_destroy(world);
    }
}

static void hinges_stop(void **unused)
{
    (void)unused;
    for_every_solver(hinge_stops);
}

/* A motor that drives against a limit rests there, and so does what is pushed there by more than the motor can; also where that limit
   is the only one. */
static void motor_meets_limit(sn_solver solver)
{
    for (uint32_t iterations = 1; iterations <= 5; iterations += 4)
        for (int i = 0; i < 4; ++i) {
            bool pushed = i % 2, alone = i / 2;
            sn_world *world = make_world(solver, 0);
            sn_settings settings = sn_world_settings(world);
            settings.iterations = iterations;
            assert_ok(world, sn_world_configure(world, &settings));
            sn_body wheel = add_body(world, 1, vec(0.2, 0.2, 0.2), vec(0, 0, 0));
            sn_joint_def def = joint_to_world(SN_KIND_JOINT_HINGE, wheel, vec(0, 0, 0), vec(0, 0, 1));
            def.least = alone && !pushed ? SN_MEASURE : -1;
            def.most = alone && pushed ? SN_MEASURE : 1;
            def.speed = 3;
            def.speed_most = 2;
            sn_constraint hinge = add_joint(world, &def);
            for (uint32_t frame = 0; frame < 120; ++frame) {
                if (pushed)
                    assert_ok(world, sn_body_apply_torque(world, wheel, vec(0, 0, -5)));
                support_run(world, 1, 1.0 / 60);
            }
            assert_close(sn_joint_angle(world, hinge), pushed ? -1 : 1, 1e-5);
            assert_true(length_of(sn_body_spin(world, wheel)) < 1e-3);
            sn_vec3 torque;
            assert_ok(world, sn_joint_reaction(world, hinge, NULL, &torque));
            assert_close(torque.z, pushed ? 5 : 0, 0.1);
            sn_world_destroy(world);
        }
}

static void motors_meet_limits(void **unused)
{
    (void)unused;
    for_every_solver(motor_meets_limit);
}

/* Past the far side of the circle a joint returns to the nearer limit. */
static void limits_are_on_a_circle(void **unused)
{
    (void)unused;
    sn_world *world = make_world(SN_SOLVER_GAUSS_SEIDEL, 0);
    sn_settings settings = sn_world_settings(world);
    settings.substeps = 1;
    assert_ok(world, sn_world_configure(world, &settings));
    sn_body wheel = add_body(world, 1, vec(0.2, 0.2, 0.2), vec(0, 0, 0));
    sn_constraint hinge = sn_joint_add_hinge(world, nowhere, wheel, vec(0, 0, 0), vec(0, 0, 1));
    assert_ok(world, sn_body_set_pose(world, wheel, vec(0, 0, 0), (sn_quat){0, 0, real(sin(1.6)), real(cos(1.6))}));
    assert_close(sn_joint_angle(world, hinge), 3.2 - 2 * 3.14159265, 1e-5);
    assert_ok(world, sn_joint_set_limits(world, hinge, -1, 3));
    support_run(world, 1, 1.0 / 60);
    assert_close(sn_joint_angle(world, hinge), 3, 1e-3);
    sn_world_destroy(world);
}

/* A shoulder: the arm, thrown about, stays within its cone, and twists no farther than it may. */
static void cone_holds(sn_solver solver)
{
    sn_world *world = make_world(solver, G);
    sn_body arm = add_body(world, 2, vec(0.02, 0.2, 0.2), vec(0.5, 0, 0));
    sn_joint_def def = joint_to_world(SN_KIND_JOINT_CONE_TWIST, arm, vec(0, 0, 0), vec(1, 0, 0));
    def.swing = real(0.6);
    def.least = real(-0.3);
    def.most = real(0.4);
    sn_constraint joint = add_joint(world, &def);
    assert_ok(world, sn_body_set_velocity(world, arm, vec(0, 1, 2), vec(5, -4, 2)));
    double leaned = 0, least = 0, most = 0;
    for (uint32_t frame = 0; frame < 240; ++frame) {
        if (frame == 60)
            assert_ok(world, sn_body_apply_angular_impulse(world, arm, vec(-0.2, 0, 0)));
        support_run(world, 1, 1.0 / 60);
        leaned = fmax(leaned, (double)sn_joint_swing(world, joint));
        least = fmin(least, (double)sn_joint_angle(world, joint));
        most = fmax(most, (double)sn_joint_angle(world, joint));
        assert_vec_close(sn_body_to_world(world, arm, vec(-0.5, 0, 0)), vec(0, 0, 0), 1e-3);
    }
    assert_close(leaned, 0.6, 2e-3);
    assert_close(least, -0.3, 2e-3);
    assert_close(most, 0.4, 2e-3);
    assert_close(sn_joint_swing(world, joint), 0.6, 5e-3); /* it hangs on the cone */
    sn_world_destroy(world);
}

static void cones_hold(void **unused)
{
    (void)unused;
    for_every_solver(cone_holds);
}

/* ---- Motors, targets, friction ---------------------------------------------------------------------------------- */

static void motor_runs(sn_solver solver)
{
    const double moment = 0.4, torque = 2, speed = 3;
    sn_world *world = make_world(solver, 0);
    sn_body wheel = add_body(world, 1, vec(0.3, 0.5, moment), vec(0, 0, 0));
    sn_constraint hinge = sn_joint_add_hinge(world, nowhere, wheel, vec(0, 0, 0), vec(0, 0, 1));
    assert_ok(world, sn_joint_set_motor(world, hinge, real(speed), real(torque)));
    double last = 0;
    for (uint32_t frame = 1; frame <= 60; ++frame) {
        support_run(world, 1, 1.0 / 60);
        double l = (double)sn_body_angular_momentum(world, wheel).z, time = frame / 60.0;
        assert_true(l - last <= torque / 60 * (1 + EXACTNESS(1e-4, 1e-9)));
        assert_close(l, fmin(torque * time, moment * speed), 2e-3 * moment * speed);
        last = l;
    }
    assert_close(sn_body_spin(world, wheel).z, speed, EXACTNESS(1e-4, 1e-9));
    assert_ok(world, sn_joint_set_motor(world, hinge, 0, 0)); /* off: it runs on */
    support_run(world, 30, 1.0 / 60);
    assert_close(sn_body_spin(world, wheel).z, speed, 1e-3);
    sn_world_destroy(world);
}

static void motors_run(void **unused)
{
    (void)unused;
    for_every_solver(motor_runs);
}

/* A beam that a soft drive holds up sags by compliance times torque. */
static void drive_settles(sn_solver solver)
{
    const double compliance = 0.02, load = 2 * G * 0.5;
    sn_world *world = make_world(solver, G);
    sn_body beam = add_body(world, 2, vec(0.1, 0.1, 0.1), vec(0.5, 0, 0));
    sn_joint_def def = joint_to_world(SN_KIND_JOINT_HINGE, beam, vec(0, 0, 0), vec(0, 0, 1));
    def.target = 0;
    def.target_most = 100;
    def.target_compliance = real(compliance);
    def.target_damping = 5;
    sn_constraint hinge = add_joint(world, &def);
    double sag = 0;
    for (int i = 0; i < 50; ++i)
        sag = compliance * load * cos(sag);
    support_run(world, 300, 1.0 / 60);
    assert_close(sn_joint_angle(world, hinge), -sag, 0.005 * sag);
    /* with less than it takes, the beam falls, and swings through */
    assert_ok(world, sn_joint_set_target(world, hinge, 0, real(0.5 * load)));
    double least = 0;
    for (uint32_t frame = 0; frame < 120; ++frame) {
        support_run(world, 1, 1.0 / 60);
        least = fmin(least, (double)sn_joint_angle(world, hinge));
    }
    assert_true(least < -1);
    sn_world_destroy(world);
}

static void drives_settle(void **unused)
{
    (void)unused;
    for_every_solver(drive_settles);
}

/* A servo without compliance goes to its target and stays. The same for a slider, a ball and a shoulder. */
static void servo_arrives(sn_solver solver)
{
    sn_world *world = make_world(solver, G);
    sn_vec3 moments = vec(0.1, 0.1, 0.1);
    sn_body body[3];
    for (uint32_t i = 0; i < 3; ++i)
        body[i] = add_body(world, 1, moments, vec(0.3, 0, 10 * i));
    sn_joint_def lift = joint_to_world(SN_KIND_JOINT_SLIDER, body[0], vec(0, 0, 0), vec(0, 1, 0));
    lift.target = real(0.7);
    lift.target_most = 30;
    lift.target_compliance = real(1e-3);
    lift.target_damping = 50;
    sn_joint_def ball = joint_to_world(SN_KIND_JOINT_BALL, body[1], vec(0, 0, 10), vec(1, 0, 0));
    ball.target_turn = vec(0.3, -0.4, 0.5);
    ball.target_most = 40;
    ball.target_compliance = real(1e-3);
    ball.target_damping = 3;
    sn_joint_def shoulder = joint_to_world(SN_KIND_JOINT_CONE_TWIST, body[2], vec(0, 0, 20), vec(1, 0, 0));
    shoulder.swing = 1;
    shoulder.target_turn = vec(0.3, -0.6, 0.5);
    shoulder.target_most = 40;
    shoulder.target_compliance = real(1e-3);
    shoulder.target_damping = 3;
    sn_constraint joint[3] = {add_joint(world, &lift), add_joint(world, &ball), add_joint(world, &shoulder)};
    support_run(world, 300, 1.0 / 60);
    assert_close(sn_joint_way(world, joint[0]), 0.7 - 1e-3 * G, 1e-4);
    assert_close(sn_joint_swing(world, joint[2]), sqrt(0.61), 5e-3);
    assert_close(sn_joint_angle(world, joint[2]), 0.3, 5e-3);
    sn_quat q = sn_body_rotation(world, body[1]);
    double angle = sqrt(0.5), scale = sin(angle / 2) / angle;
    assert_close(q.x, 0.3 * scale, 3e-3);
    assert_close(q.y, -0.4 * scale, 3e-3);
    assert_close(q.z, 0.5 * scale, 3e-3);
    sn_world_destroy(world);
}

static void servos_arrive(void **unused)
{
    (void)unused;
    for_every_solver(servo_arrives);
}

/* A wheel of 0.2 kg m^2 at 5 rad/s stands after 2 s of a friction of 0.5 N m; on a ball and a slider, too. */
static void friction_stops(sn_solver solver)
{
    static const uint32_t kinds[] = {SN_KIND_JOINT_HINGE, SN_KIND_JOINT_BALL, SN_KIND_JOINT_CONE_TWIST,
                                     SN_KIND_JOINT_SLIDER};
    for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
        sn_world *world = make_world(solver, 0);
        sn_body body = add_body(world, 0.2, vec(0.2, 0.2, 0.2), vec(0, 0, 0));
        sn_joint_def def = joint_to_world(kinds[k], body, vec(0, 0, 0), vec(0, 0, 1));
        def.friction = real(0.5);
        add_joint(world, &def);
        bool slides = kinds[k] == SN_KIND_JOINT_SLIDER;
        assert_ok(world, sn_body_set_velocity(world, body, vec(0, 0, slides ? 5 : 0), vec(0, 0, slides ? 0 : 5)));
        for (uint32_t frame = 1; frame <= 150; ++frame) {
            support_run(world, 1, 1.0 / 60);
            double speed = (double)(slides ? sn_body_velocity(world, body) : sn_body_spin(world, body)).z;
            assert_close(speed, fmax(0, 5 - 2.5 * frame / 60), 0.01);
        }
        assert_true(length_of(sn_body_spin(world, body)) + length_of(sn_body_velocity(world, body)) <
                    EXACTNESS(1e-4, 1e-9));
        sn_world_destroy(world);
    }
}

static void friction_stops_in_time(void **unused)
{
    (void)unused;
    for_every_solver(friction_stops);
}

/* Four rods in a row, held out level by joints whose friction is twice what that takes. Once they sank to the ground. */
static void friction_holds(void **unused)
{
    static const uint32_t kinds[] = {SN_KIND_JOINT_HINGE, SN_KIND_JOINT_CONE_TWIST, SN_KIND_JOINT_BALL};
    static const sn_solver some[] = {SN_SOLVER_TILED, SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_DIRECT};
    (void)unused;
    enum { RODS = 4 };
    for (size_t k = 0; k < COUNT_OF(kinds) * COUNT_OF(some); ++k) {
        sn_world *world = make_world(some[k / COUNT_OF(kinds)], G);
        uint32_t kind = kinds[k % COUNT_OF(kinds)];
        sn_body last = nowhere;
        for (int i = 0; i < RODS; ++i) {
            const int behind = RODS - i;
            sn_body rod = add_body(world, 1, vec(0.001, 0.008, 0.008), vec(0.3 * (i + 0.5), 0, 0));
            bool hinge = kind == SN_KIND_JOINT_HINGE;
            sn_joint_def def = joint_to_world(kind, rod, vec(0.3 * i, 0, 0), hinge ? vec(0, 0, 1) : vec(1, 0, 0));
            def.a = last;
            def.friction = real(2 * G * 0.3 * behind * behind / 2);
            add_joint(world, &def);
            last = rod;
        }
        support_run(world, 240, 1.0 / 60);
        double y = (double)sn_body_position(world, last).y;
        support_run(world, 120, 1.0 / 60);
        double sunk = y - (double)sn_body_position(world, last).y;
        if (!(y > -0.05) || !(fabs(sunk) < 1e-3))
            fail_msg("kind %u, case %u: it sank by %g m, and by %g m in the next 2 s", kind, (unsigned)k, -y, sunk);
        sn_world_destroy(world);
    }
}

/* A slider on a slope: friction that is a tenth more than what pulls holds it to the end of the day, a tenth less does not. */
static void friction_of_a_slider(void **unused)
{
    (void)unused;
    for (int more = 0; more < 2; ++more) {
        sn_world *world = make_world(SN_SOLVER_TILED, G);
        sn_body body = add_body(world, 2, vec(0.01, 0.01, 0.01), vec(0, 0, 0));
        sn_joint_def def = joint_to_world(SN_KIND_JOINT_SLIDER, body, vec(0, 0, 0), vec(0.8, -0.6, 0));
        def.friction = real(2 * G * 0.6 * (more ? 1.1 : 0.9));
        add_joint(world, &def);
        support_run(world, 120, 1.0 / 60);
        double way = length_of(sn_body_position(world, body)), expected = more ? 0 : 0.1 * 0.6 * G * 2 * 2 / 2;
        assert_close(way, expected, 0.01);
        sn_world_destroy(world);
    }
}

/* Five rods on balls and hinges that turn by half a radian and more in a substep, as if they had been struck: they lose energy,
   or gain a little, where once it doubled in every other substep until nothing was finite. */
static void struck_figures_hold(void **unused)
{
    (void)unused;
    uint64_t seed = 7;
    for (int round = 0; round < 40; ++round) {
        sn_world *world = make_world(SN_SOLVER_TILED, 0);
        sn_body last = nowhere;
        for (int i = 0; i < 5; ++i) {
            sn_body rod = add_body(world, 2, vec(0.002, 0.02, 0.02), vec(0.3 * i, 0, 0));
            sn_vec3 spin = vec(support_random_in(&seed, -400, 400), support_random_in(&seed, -400, 400),
                               support_random_in(&seed, -400, 400));
            assert_ok(world, sn_body_set_velocity(world, rod, vec(0, 0, 0), spin));
            sn_joint_def def = joint_to_world(i % 2 ? SN_KIND_JOINT_HINGE : SN_KIND_JOINT_CONE_TWIST, rod,
                                              vec(0.3 * i - 0.15, 0, 0), i % 2 ? vec(0, 0, 1) : vec(1, 0, 0));
            def.a = last;
            def.least = real(-0.8);
            def.most = real(0.8);
            if (i > 0)
                add_joint(world, &def);
            last = rod;
        }
        double before = energy_of(world);
        support_run(world, 12, 1.0 / 60);
        double ratio = energy_of(world) / before;
        if (!(ratio < 3))
            fail_msg("round %d: %g times the energy", round, ratio);
        sn_world_destroy(world);
    }
}

/* Speeds along and about an axis, wherever the bodies are; with a limit to what that may take. */
static void rates_are_kept(sn_solver solver)
{
    sn_world *world = make_world(solver, G);
    sn_body a = add_body(world, 1, vec(0.1, 0.2, 0.3), vec(0, 0, 0)),
            b = add_body(world, 2, vec(0.3, 0.2, 0.2), vec(2, 1, 0));
    sn_joint_def apart = sn_default_joint_def(SN_KIND_JOINT_VELOCITY),
                 turning = sn_default_joint_def(SN_KIND_JOINT_SPIN);
    apart.a = turning.a = a;
    apart.b = turning.b = b;
    apart.axis = vec(0, 1, 0);
    turning.axis = vec(0, 0, 1);
    apart.speed = real(0.5);
    turning.speed = 2;
    add_joint(world, &turning);
    sn_constraint joint = add_joint(world, &apart);
    support_run(world, 5, 1.0 / 60);
    sn_vec3 spin[2] = {sn_body_spin(world, a), sn_body_spin(world, b)};
    assert_close((double)spin[1].z - (double)spin[0].z, 2, 5e-3);
    assert_ok(world, sn_joint_set_motor(world, joint, 5, 0)); /* asks for nothing */
    double before = (double)sn_body_velocity(world, b).y - (double)sn_body_velocity(world, a).y;
    support_run(world, 5, 1.0 / 60);
    assert_close((double)sn_body_velocity(world, b).y - (double)sn_body_velocity(world, a).y, before, 1e-3);
    sn_world_destroy(world);

    world = make_world(solver, G); /* held against its weight by a speed of 0, as far as the force reaches */
    a = add_body(world, 2, vec(0.1, 0.2, 0.3), vec(0, 0, 0));
    sn_joint_def hold = joint_to_world(SN_KIND_JOINT_VELOCITY, a, vec(0, 0, 0), vec(0, 1, 0));
    joint = add_joint(world, &hold);
    support_run(world, 60, 1.0 / 60);
    assert_close(sn_body_velocity(world, a).y, 0, EXACTNESS(1e-5, 1e-12));
    assert_ok(world, sn_joint_set_motor(world, joint, 0, real(G)));
    support_run(world, 60, 1.0 / 60);
    assert_close(sn_body_velocity(world, a).y, -G / 2, 1e-3);
    sn_world_destroy(world);
}

static void rates(void **unused)
{
    (void)unused;
    for_every_solver(rates_are_kept);
}

/* A hinge and a slider of a world in the plane. */
static void joints_in_the_plane(void **unused)
{
    (void)unused;
    sn_world *world = support_world_2d();
    sn_body_def def = sn_default_body_def();
    sn_body bar, block;
    def.mass = 1;
    def.moments = vec(0.1, 0.1, 0.1);
    def.position = vec(0.5, 0, 0);
    assert_ok(world, sn_body_add(world, &def, &bar));
    def.position = vec(5, 0, 0);
    assert_ok(world, sn_body_add(world, &def, &block));
    sn_constraint hinge = sn_joint_add_hinge(world, nowhere, bar, vec(0, 0, 0), vec(0, 0, 1));
    sn_constraint slider = sn_joint_add_slider(world, nowhere, block, vec(5, 0, 0), vec(1, -1, 0));
    assert_ok(world, sn_joint_set_limits(world, hinge, -1, 1));
    support_run(world, 120, 1.0 / 60);
    assert_close(sn_joint_angle(world, hinge), -1, 1e-3);
    assert_vec_close(sn_body_to_world(world, bar, vec(-0.5, 0, 0)), vec(0, 0, 0), 1e-4);
    assert_close(sn_joint_way(world, slider), G / sqrt(2) * 2, 0.02);
    sn_world_destroy(world);
}

/* Damping and compliance of what is locked: a soft weld sags by compliance times load, along and about. */
static void soft_weld(sn_solver solver)
{
    sn_world *world = make_world(solver, G);
    sn_body beam = add_body(world, 1, vec(0.1, 0.1, 0.1), vec(0.5, 0, 0));
    sn_joint_def def = joint_to_world(SN_KIND_JOINT_FIXED, beam, vec(0, 0, 0), vec(1, 0, 0));
    def.linear_compliance = real(1e-3);
    def.linear_damping = 100;
    def.angular_compliance = real(4e-3);
    def.angular_damping = 20;
    add_joint(world, &def);
    support_run(world, 400, 1.0 / 60);
    sn_vec3 root = sn_body_to_world(world, beam, vec(-0.5, 0, 0)), along = direction_of(world, beam, vec(1, 0, 0));
    assert_close(root.y, -1e-3 * G, 0.01e-3 * G);
    assert_close(along.y, -sin(4e-3 * 0.5 * G), 0.01 * 4e-3 * 0.5 * G);
    sn_world_destroy(world);
}

static void soft_welds_sag(void **unused)
{
    (void)unused;
    for_every_solver(soft_weld);
}

/* ---- Reactions -------------------------------------------------------------------------------------------------- */

static void reaction_is_weight(sn_solver solver)
{
    sn_world *world = make_world(solver, G);
    sn_body hung = add_body(world, 3, vec(0.1, 0.1, 0.1), vec(0, -1, 0)),
            welded = add_body(world, 3, vec(0.1, 0.1, 0.1), vec(5.5, 0, 0));
    sn_constraint ball = sn_joint_add_ball(world, nowhere, hung, vec(0, 0, 0));
    sn_constraint weld = sn_joint_add_fixed(world, welded, nowhere, vec(5, 0, 0)); /* the world is b: the opposite */
    sn_vec3 force, torque;
    double sum[3] = {0};
    support_run(world, 60, 1.0 / 60);
    for (uint32_t frame = 0; frame < 60; ++frame) {
        support_run(world, 1, 1.0 / 60);
        assert_ok(world, sn_joint_reaction(world, ball, &force, NULL));
        sum[0] += (double)force.y / 60;
        assert_ok(world, sn_joint_reaction(world, weld, &force, &torque));
        sum[1] += (double)force.y / 60;
        sum[2] += (double)torque.z / 60;
    }
    assert_close(sum[0], 3 * G, 0.005 * 3 * G);
    assert_close(sum[1], -3 * G, 0.005 * 3 * G);
    assert_close(sum[2], -3 * G * 0.5, 0.005 * 3 * G);
    sn_world_destroy(world);
}

static void reactions_are_weights(void **unused)
{
    (void)unused;
    for_every_solver(reaction_is_weight);
}

/* ---- Breaking --------------------------------------------------------------------------------------------------- */

/* The load at which a joint breaks, pulled more and more. */
static double breaking_load(sn_solver solver, bool by_torque)
{
    sn_world *world = make_world(solver, 0);
    sn_body body = add_body(world, 1, vec(0.1, 0.1, 0.1), vec(1, 0, 0));
    sn_joint_def def = joint_to_world(SN_KIND_JOINT_FIXED, body, vec(0, 0, 0), vec(1, 0, 0));
    def.strength = by_torque ? 0 : 20;
    def.torque_strength = by_torque ? 20 : 0;
    sn_constraint joint = add_joint(world, &def);
    double load = 0;
    uint32_t count = 7;
    for (; sn_constraint_is_valid(world, joint) && load < 100; load += 0.05) {
        assert_null(sn_world_broken(world, &count));
        assert_int_equal(count, 0);
        assert_ok(world,
                  sn_body_apply_force(world, body, vec(by_torque ? 0 : load, by_torque ? load : 0, 0), vec(1, 0, 0)));
        support_run(world, 1, 1.0 / 60);
    }
    const sn_break *broken = sn_world_broken(world, &count);
    assert_int_equal(count, 1);
    assert_memory_equal(&broken[0].constraint, &joint, sizeof joint);
    assert_close(by_torque ? broken[0].torque : broken[0].force, 20, 0.5);
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_NONE), 0);
    support_run(world, 1, 1.0 / 60);
    assert_null(sn_world_broken(world, NULL));
    sn_world_destroy(world);
    return load;
}

static void joint_breaks(sn_solver solver)
{
    assert_close(breaking_load(solver, false), 20, 0.3);
    assert_close(breaking_load(solver, true), 20, 0.3);
}

static void joints_break(void **unused)
{
    (void)unused;
    for_every_solver(joint_breaks);
}

/* Everything else breaks, too: of three weights on rods the two that are too heavy, in the order of their numbers. */
static void rods_break(void **unused)
{
    (void)unused;
    sn_world *world = make_world(SN_SOLVER_TILED, G);
    sn_constraint rod[3];
    const double masses[] = {2, 1, 3};
    for (uint32_t i = 0; i < 3; ++i) {
        sn_particle top = sn_particle_add_at(world, vec(i, 0, 0), SN_IMMOVABLE);
        sn_particle weight = sn_particle_add_at(world, vec(i, -1, 0), real(masses[i]));
        rod[i] = sn_constraint_add_distance(world, sn_at(top), sn_at(weight), SN_MEASURE);
    }
    for (uint32_t i = 3; i-- > 0;)
        assert_ok(world, sn_constraint_set_strength(world, rod[i], 15, 0));
    sn_snapshot *snapshot = sn_world_save(world);
    for (int round = 0; round < 2; ++round) {
        sn_real force = 0, torque = 1;
        uint32_t count;
        assert_ok(world, sn_constraint_strength(world, rod[1], &force, &torque));
        assert_true(force == 15 && torque == 0);
        support_run(world, 1, 1.0 / 60);
        const sn_break *broken = sn_world_broken(world, &count);
        assert_int_equal(count, 2);
        assert_int_equal(broken[0].constraint.index, rod[0].index);
        assert_int_equal(broken[1].constraint.index, rod[2].index);
        assert_true(sn_constraint_is_valid(world, rod[1]) && !sn_constraint_is_valid(world, rod[0]));
        support_run(world, 30, 1.0 / 60);
        assert_true((double)sn_particle_position(world, sn_particle_from_index(world, 1)).y < -1.5);
        assert_close(sn_particle_position(world, sn_particle_from_index(world, 3)).y, -1, 1e-3);
        assert_ok(world, sn_world_load(world, snapshot));
        assert_null(sn_world_broken(world, NULL));
    }
    sn_snapshot_destroy(snapshot);
    /* strength is state, and can be taken away again */
    uint64_t hash = sn_world_hash(world);
    assert_ok(world, sn_constraint_set_strength(world, rod[0], 16, 0));
    assert_true(sn_world_hash(world) != hash);
    for (uint32_t i = 0; i < 3; ++i)
        assert_ok(world, sn_constraint_set_strength(world, rod[i], 0, 0));
    support_run(world, 1, 1.0 / 60);
    assert_true(sn_constraint_is_valid(world, rod[2]));
    sn_world_destroy(world);
}

/* A number that is used again does not inherit the strength of the one before. */
static void strength_goes_with_its_constraint(void **unused)
{
    (void)unused;
    sn_world *world = make_world(SN_SOLVER_GAUSS_SEIDEL, G);
    sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE),
                b = sn_particle_add_at(world, vec(0, -1, 0), 5);
    uint64_t bare = sn_world_hash(world);
    sn_constraint rod = sn_constraint_add_distance(world, sn_at(a), sn_at(b), SN_MEASURE);
    assert_ok(world, sn_constraint_set_strength(world, rod, 1, 0));
    assert_ok(world, sn_constraint_remove(world, rod));
    assert_true(sn_world_hash(world) == bare);
    sn_constraint next = sn_constraint_add_distance(world, sn_at(a), sn_at(b), SN_MEASURE);
    assert_int_equal(next.index, rod.index);
    sn_real force = 1;
    assert_ok(world, sn_constraint_strength(world, next, &force, NULL));
    assert_true(force == 0);
    support_run(world, 3, 1.0 / 60);
    assert_true(sn_constraint_is_valid(world, next));
    assert_result(world, SN_ERROR_STALE, sn_constraint_strength(world, rod, &force, NULL));
    assert_result(world, SN_ERROR_STALE, sn_constraint_set_strength(world, rod, 1, 0));
    /* its own takes the place of that of the one before, without a step between them; taken away, nothing is left */
    for (int round = 0; round < 2; ++round) {
        assert_ok(world, sn_constraint_set_strength(world, next, 1, 0));
        assert_ok(world, sn_constraint_remove(world, next));
        next = sn_constraint_add_distance(world, sn_at(a), sn_at(b), SN_MEASURE);
        assert_int_equal(next.index, rod.index);
        bare = sn_world_hash(world);
        assert_ok(world, sn_constraint_set_strength(world, next, round ? 2 : 0, 0));
        assert_ok(world, sn_constraint_strength(world, next, &force, NULL));
        assert_true(force == (round ? 2 : 0) && (sn_world_hash(world) == bare) == !round);
        support_run(world, 1, 1.0 / 60);
        assert_true(sn_constraint_is_valid(world, next) == !round);
    }
    sn_world_destroy(world);
}

/* ---- Refusals --------------------------------------------------------------------------------------------------- */

static void refused(sn_world *world, const sn_joint_def *def, const char *words)
{
    uint64_t hash = sn_world_hash(world);
    sn_constraint joint = sn_joint_add(world, def);
    assert_int_equal(joint.kind, 0);
    assert_says(sn_world_error(world), words);
    assert_true(sn_world_hash(world) == hash);
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_NONE), 0);
}

static void bad_definitions_are_refused(void **unused)
{
    (void)unused;
    sn_world *world = make_world(SN_SOLVER_GAUSS_SEIDEL, 0);
    sn_body body = add_body(world, 1, vec(1, 1, 1), vec(0, 0, 0)),
            gone = add_body(world, 1, vec(1, 1, 1), vec(0, 0, 0));
    assert_ok(world, sn_body_remove(world, gone));
    const sn_joint_def good = joint_to_world(SN_KIND_JOINT_HINGE, body, vec(0, 0, 0), vec(0, 0, 1));
    sn_joint_def def;
    refused(world, NULL, "def NULL");
    memset(&def, 0, sizeof def);
    refused(world, &def, "sn_default_joint_def");
    def = sn_default_joint_def(SN_KIND_DISTANCE);
    def.b = body;
    refused(world, &def, "distance joint");
    def = sn_default_joint_def(9999);
    refused(world, &def, "joint");
#define BAD(field, value, words)                                                                                       \
    do {                                                                                                               \
        def = good;                                                                                                    \
        def.field = value;                                                                                             \
        refused(world, &def, words);                                                                                   \
    } while (0)
    BAD(b, nowhere, "body");
    BAD(b, gone, "body");
    BAD(a, body, "same");
    BAD(axis, vec(0, 0, 0), "axis");
    BAD(axis, vec((double)NAN, 0, 0), "axis");
    BAD(anchor, vec(0, (double)INFINITY, 0), "anchor");
    BAD(least, 4, "least");
    BAD(friction, -1, "friction");
    BAD(friction, (sn_real)NAN, "friction");
    BAD(speed, (sn_real)INFINITY, "speed");
    BAD(target_most, -1, "target_most");
    BAD(target_compliance, -1, "target_compliance");
    BAD(linear_damping, (sn_real)NAN, "linear_damping");
    BAD(swing, 1, "swing joint_hinge");
    BAD(target_turn, vec(0, 0, 0), "target_turn");
    BAD(strength, -1, "strength");
    BAD(torque_strength, (sn_real)NAN, "strength");
#undef BAD
    def = good;
    def.least = 1;
    def.most = 0;
    refused(world, &def, "least most");
    def = good;
    def.target_most = def.speed_most = 1;
    refused(world, &def, "target_most speed_most");
    def = sn_default_joint_def(SN_KIND_JOINT_BALL);
    def.b = body;
    def.target = 1;
    refused(world, &def, "target joint_ball target_turn");
    sn_world_destroy(world);
}

static void bad_calls_are_refused(void **unused)
{
    (void)unused;
    sn_world *world = make_world(SN_SOLVER_GAUSS_SEIDEL, 0);
    sn_body body = add_body(world, 1, vec(1, 1, 1), vec(0, 0, 0));
    sn_constraint ball = sn_joint_add_ball(world, body, nowhere, vec(0, 0, 0));
    sn_constraint hinge = sn_joint_add_hinge(world, body, nowhere, vec(0, 0, 0), vec(0, 0, 1)), none = {0};
    sn_constraint pin = sn_constraint_add_pin(world, sn_body_particle(world, body));
    sn_vec3 v;
    assert_true(isnan(sn_joint_angle(world, ball)));
    assert_says(sn_world_error(world), "joint_ball angle");
    assert_true(isnan(sn_joint_way(world, hinge)) && isnan(sn_joint_swing(world, hinge)) &&
                isnan(sn_joint_way(world, none)));
    uint64_t hash = sn_world_hash(world);
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_set_motor(world, ball, 1, 1));
    assert_says(sn_world_error(world), "joint_ball motor");
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_set_limits(world, ball, 0, 1));
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_set_target(world, ball, 0, 1));
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_set_target_turn(world, hinge, vec(0, 0, 0), 1));
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_set_motor(world, pin, 1, 1));
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_reaction(world, pin, &v, &v));
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_set_motor(world, hinge, (sn_real)NAN, 1));
    assert_says(sn_world_error(world), "speed");
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_set_motor(world, hinge, 1, -1));
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_set_target(world, hinge, 7, 1)); /* farther than round */
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_set_limits(world, hinge, 1, 0));
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_set_limits(world, hinge, -4, 0));
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_set_limits(world, hinge, 0, (sn_real)NAN));
    assert_result(world, SN_ERROR_STALE, sn_joint_set_limits(world, none, 0, 1));
    assert_result(world, SN_ERROR_STALE, sn_joint_reaction(world, none, &v, &v));
    assert_result(world, SN_ERROR_ARGUMENT, sn_constraint_set_strength(world, hinge, (sn_real)NAN, 0));
    assert_result(world, SN_ERROR_ARGUMENT, sn_constraint_set_strength(world, pin, 1, 1));
    assert_says(sn_world_error(world), "pin torque");
    assert_true(sn_world_hash(world) == hash);
    assert_int_equal(sn_joint_set_motor(NULL, hinge, 1, 1), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_constraint_set_strength(NULL, hinge, 1, 1), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_joint_reaction(NULL, hinge, &v, &v), SN_ERROR_ARGUMENT);
    assert_true(isnan(sn_joint_angle(NULL, hinge)) && !sn_world_broken(NULL, NULL));
    assert_int_equal(sn_joint_add(NULL, NULL).kind, 0);
    /* limits may move as a whole, either way */
    assert_ok(world, sn_joint_set_limits(world, hinge, 0, 1));
    assert_ok(world, sn_joint_set_limits(world, hinge, 2, 3));
    assert_ok(world, sn_joint_set_limits(world, hinge, -3, -2));
    /* a motor takes the place of a target, and back */
    assert_ok(world, sn_joint_set_target(world, hinge, 1, 5));
    assert_ok(world, sn_joint_set_motor(world, hinge, 1, 5));
    assert_ok(world, sn_joint_set_target(world, hinge, 1, 5));
    sn_world_destroy(world);
}

/* A joint of a body with itself holds nothing: refused by every way to make one, and nothing is changed. */
static void joints_within_a_body_are_refused(void **unused)
{
    (void)unused;
    sn_world *world = make_world(SN_SOLVER_GAUSS_SEIDEL, 0);
    add_body(world, 1, vec(1, 1, 1), vec(3, 0, 0));
    sn_body body = add_body(world, 1, vec(1, 1, 1), vec(0, 0, 0)),
            other = add_body(world, 1, vec(1, 1, 1), vec(1, 0, 0));
    uint64_t hash = sn_world_hash(world);
    for (uint32_t kind = 1; kind < sn_kind_count(world); ++kind) {
        const sn_kind *what = sn_kind_info(world, kind);
        sn_point points[2] = {sn_on_body(body, vec(0.1, 0, 0)), sn_on_body(body, vec(0, 0.2, 0))};
        if (!what->oriented || what->points != 2)
            continue;
        sn_constraint_def def = sn_default_constraint_def(kind);
        sn_joint_def joint = sn_default_joint_def(kind);
        sn_constraint c;
        assert_ok(world, sn_joint_constraint(world, &joint, &def));
        def.points = points;
        assert_result(world, SN_ERROR_ARGUMENT, sn_constraint_add(world, &def, &c));
        assert_says(sn_world_error(world), what->name);
        assert_says(sn_world_error(world), "same body 1");
        assert_int_equal(c.kind, 0);
        joint.a = joint.b = body;
        assert_int_equal(sn_joint_add(world, &joint).kind, 0);
        assert_says(sn_world_error(world), "same body 1");
        assert_true(sn_world_hash(world) == hash);
        points[1] = sn_on_body(other, vec(0, 0, 0));
        assert_ok(world, sn_constraint_add(world, &def, &c));
        points[1] = sn_on_body(body, vec(0, 0, 0)); /* nor can one become such a joint */
        assert_result(world, SN_ERROR_ARGUMENT, sn_constraint_change(world, c, &def));
        assert_ok(world, sn_constraint_remove(world, c));
        uint32_t numbers[2] = {0, 1}; /* particles have no axes, those of bodies either */
        assert_result(world, SN_ERROR_ARGUMENT, sn_constraints_add(world, &def, 1, numbers, NULL, NULL));
        assert_says(sn_world_error(world), "axes particles");
        hash = sn_world_hash(world);
    }
    sn_world_destroy(world);
}

/* A joint whose axes are given on each body is the same as one that is made from an anchor and an axis. */
static void joints_from_points(void **unused)
{
    (void)unused;
    sn_world *world = support_world();
    sn_body one = add_body(world, 1, vec(1, 1, 1), vec(1, 0, 0)), two = add_body(world, 1, vec(1, 1, 1), vec(1, 0, 3));
    sn_joint_def joint = joint_to_world(SN_KIND_JOINT_HINGE, one, vec(0, 0, 0), vec(1, 0, 0));
    joint.least = real(-0.5);
    joint.most = real(0.25);
    sn_constraint made = add_joint(world, &joint), own;
    sn_constraint_def def, read;
    sn_point points[2] = {sn_at_place(vec(0, 0, 3)), sn_on_body(two, vec(-1, 0, 0))}, read_points[SN_MAX_POINTS];
    assert_ok(world, sn_joint_constraint(world, &joint, &def));
    def.points = points;
    assert_ok(world, sn_constraint_add(world, &def, &own));
    assert_ok(world, sn_constraint_read(world, own, &def, read_points, SN_MAX_POINTS));
    assert_ok(world, sn_constraint_read(world, made, &read, read_points, SN_MAX_POINTS));
    assert_memory_equal(def.param, read.param, sizeof def.param);
    support_run(world, 30, 1.0 / 60);
    assert_close(sn_body_position(world, one).y, sn_body_position(world, two).y, 1e-5);
    joint.swing = 1; /* a hinge has none */
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_constraint(world, &joint, &def));
    assert_says(sn_world_error(world), "swing joint_hinge");
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_constraint(world, NULL, &def));
    assert_result(world, SN_ERROR_ARGUMENT, sn_joint_constraint(world, &joint, NULL));
    assert_int_equal(sn_joint_constraint(NULL, &joint, &def), SN_ERROR_ARGUMENT);
    sn_world_destroy(world);
}

/* Out of memory is an error like others, and leaves nothing behind. */
static void survives_without_memory(void **unused)
{
    (void)unused;
    for (uint64_t fail = 1; fail < 200; ++fail) {
        support_memory memory = {0};
        sn_world_def def = sn_default_world_def();
        def.allocator = support_allocator(&memory);
        sn_world *world = support_world_from(&def);
        sn_body body = add_body(world, 1, vec(1, 1, 1), vec(1, 0, 0));
        memory.fail_at = memory.requests + fail;
        uint64_t hash = sn_world_hash(world);
        sn_joint_def joint = joint_to_world(SN_KIND_JOINT_HINGE, body, vec(0, 0, 0), vec(0, 0, 1));
        joint.strength = 1;
        sn_constraint added = sn_joint_add(world, &joint);
        if (!added.kind)
            assert_true(sn_world_hash(world) == hash);
        sn_result result = added.kind ? sn_world_step(world, real(1.0 / 60)) : SN_ERROR_MEMORY;
        assert_true(result == SN_OK || result == SN_ERROR_MEMORY);
        bool done = !memory.failures;
        if (done)
            assert_false(sn_constraint_is_valid(world, added));
        sn_world_destroy(world);
        assert_memory_clean(&memory);
        if (done)
            return;
    }
    fail_msg("it never had enough");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hinge_swings),
        cmocka_unit_test(chains_hang),
        cmocka_unit_test(a_slider_slides),
        cmocka_unit_test(lines_and_planes),
        cmocka_unit_test(hinges_stop),
        cmocka_unit_test(motors_meet_limits),
        cmocka_unit_test(limits_are_on_a_circle),
        cmocka_unit_test(cones_hold),
        cmocka_unit_test(motors_run),
        cmocka_unit_test(drives_settle),
        cmocka_unit_test(servos_arrive),
        cmocka_unit_test(friction_stops_in_time),
        cmocka_unit_test(friction_holds),
        cmocka_unit_test(friction_of_a_slider),
        cmocka_unit_test(struck_figures_hold),
        cmocka_unit_test(rates),
        cmocka_unit_test(joints_in_the_plane),
        cmocka_unit_test(soft_welds_sag),
        cmocka_unit_test(reactions_are_weights),
        cmocka_unit_test(joints_break),
        cmocka_unit_test(rods_break),
        cmocka_unit_test(strength_goes_with_its_constraint),
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(joints_within_a_body_are_refused),
        cmocka_unit_test(joints_from_points),
        cmocka_unit_test(survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

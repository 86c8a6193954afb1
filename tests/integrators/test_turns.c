/* Bodies under every integrator: how they turn when nothing acts on them, under torques, on joints and in contact. */
#include "support/fixed.h"
#include "support/support.h"

#include <math.h>

#define EXACTNESS(single, twice) (SINEW_DOUBLE ? (twice) : (single))

static const struct {
    sn_integrator id;
    const char *name;
} schemes[] = {{SN_INTEGRATOR_SYMPLECTIC_EULER, "symplectic Euler"},
               {SN_INTEGRATOR_FORWARD_EULER, "forward Euler"},
               {SN_INTEGRATOR_LEAPFROG, "leapfrog"},
               {SN_INTEGRATOR_VERLET, "Verlet"},
               {SN_INTEGRATOR_BDF2, "BDF2"}};

static const sn_solver solvers[] = {SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_TILED, SN_SOLVER_JACOBI, SN_SOLVER_DIRECT};
static const sn_body nowhere = {0, 0};

static sn_world *make_world(sn_integrator integrator, sn_solver solver, double gravity)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, -gravity, 0);
    def.settings.integrator = integrator;
    def.settings.solver = solver;
    def.settings.substeps = 1;
    def.settings.iterations = solver == SN_SOLVER_DIRECT ? 1 : 10;
    return support_world_from(&def);
}

/* A body without a shape. */
static sn_body add_body(sn_world *world, double kilograms, sn_vec3 inertia, sn_vec3 place, sn_vec3 velocity,
                        sn_vec3 spin)
{
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.mass = real(kilograms);
    def.moments = inertia;
    def.position = place;
    def.velocity = velocity;
    def.spin = spin;
    assert_ok(world, sn_body_add(world, &def, &body));
    return body;
}

static double energy_of(sn_world *world)
{
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    return report.kinetic + report.potential + report.elastic;
}

/* rad: the least angle between a rotation and q, for small ones. */
static double angle_from(sn_quat a, const double q[4])
{
    double b[4] = {(double)a.x, (double)a.y, (double)a.z, (double)a.w}, plus = 0, minus = 0;
    for (int i = 0; i < 4; ++i) {
        plus += (b[i] + q[i]) * (b[i] + q[i]);
        minus += (b[i] - q[i]) * (b[i] - q[i]);
    }
    return 2 * sqrt(fmin(plus, minus));
}

/* ---- Alone ---------------------------------------------------------------------------------------------------------- */

/* Where nothing acts, all of them turn a body alike, to the last bit, and keep what it has. */
static void free_bodies_turn_alike(void **state)
{
    (void)state;
    sn_quat first = {0};
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        sn_world *world = make_world(schemes[i].id, SN_SOLVER_TILED, 0);
        sn_body body = add_body(world, 1, vec(1, 2, 3), vec(0, 0, 0), vec(1, 0, 0), vec(0.01, 5, 0.01));
        sn_vec3 l = sn_body_angular_momentum(world, body);
        double energy = energy_of(world);
        for (int step = 0; step < 3000; ++step) {
            support_run(world, 1, 1.0 / 600);
            assert_close(energy_of(world), energy, 1e-5 * energy);
        }
        assert_vec_same(sn_body_angular_momentum(world, body), l);
        sn_quat q = sn_body_rotation(world, body);
        if (i == 0)
            first = q;
        assert_memory_equal(&q, &first, sizeof q);
        sn_world_destroy(world);
    }
}

/* A torque for a while, about one axis: angle and spin are those of mechanics, also where it begins and ends. */
static void torques_turn(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        sn_world *world = make_world(schemes[i].id, SN_SOLVER_TILED, 0);
        sn_body body = add_body(world, 2, vec(0.5, 0.5, 0.5), vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0.5));
        const double h = 1.0 / 100, rate = 3.0 / 0.5;
        for (int step = 0; step < 100; ++step) {
            if (step >= 20 && step < 60)
                assert_ok(world, sn_body_apply_torque(world, body, vec(0, 0, 3)));
            support_run(world, 1, h);
        }
        assert_vec_close(sn_body_spin(world, body), vec(0, 0, 0.5 + 0.4 * rate), EXACTNESS(1e-6, 1e-12));
        double angle = 0.5 * 1 + rate * 0.4 * 0.4 / 2 + rate * 0.4 * 0.4, q[4] = {0, 0, sin(angle / 2), cos(angle / 2)};
        bool euler = schemes[i].id <= SN_INTEGRATOR_FORWARD_EULER;
        assert_true(angle_from(sn_body_rotation(world, body), q) < (euler ? 0.02 : EXACTNESS(1e-6, 1e-12)));
        sn_world_destroy(world);
    }
}

/* N or N m, at a time and place: what acts, for as long as a step takes. */
static double pushed(int law, int step, double place)
{
    return law == 0 ? 1 : law == 1 ? (step / 7 % 2 ? -2 : 1) : -10 * place;
}

/* A body turns under a torque as its centre moves under a force, step by step: from rest, where the push is constant, comes and
   goes, or is that of a spring; in one substep or several, with damping or without. */
static void torques_act_as_forces_do(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i)
        for (int law = 0; law < 3; ++law)
            for (int variant = 0; variant < 4; ++variant) {
                sn_world *world = make_world(schemes[i].id, SN_SOLVER_TILED, 0);
                sn_settings settings = sn_world_settings(world);
                settings.substeps = variant & 1 ? 3 : 1;
                settings.damping = variant & 2 ? real(0.7) : 0;
                assert_ok(world, sn_world_configure(world, &settings));
                sn_body body = add_body(world, 1, vec(1, 1, 1), vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0));
                double angle = law == 2 ? 0.3 : 0;
                assert_ok(world, sn_body_set_pose(world, body, vec(angle, 0, 0),
                                                  (sn_quat){0, 0, real(sin(angle / 2)), real(cos(angle / 2))}));
                for (int step = 0; step < 40; ++step) {
                    double push = pushed(law, step, (double)sn_body_centre(world, body).x);
                    assert_ok(world, sn_body_apply_torque(world, body, vec(0, 0, push)));
                    assert_ok(world, sn_particle_apply_force(world, sn_body_particle(world, body), vec(push, 0, 0)));
                    support_run(world, 1, 0.05);
                    sn_quat q = sn_body_rotation(world, body);
                    angle = 2 * atan2((double)q.z, (double)q.w);
                    double x = (double)sn_body_centre(world, body).x, v = (double)sn_body_velocity(world, body).x;
                    double spin = (double)sn_body_spin(world, body).z, most = EXACTNESS(1e-5, 1e-12);
                    if (!(fabs(angle - x) < most) || !(fabs(spin - v) < most))
                        fail_msg("%s, law %d, variant %d, step %d: turned by %g, moved by %g; spin %g, velocity %g",
                                 schemes[i].name, law, variant, step, angle, x, spin, v);
                }
                sn_world_destroy(world);
            }
}

/* From rest, with a unit of force and torque, one substep: h^2 a, nothing, and half of h^2 a. */
static void first_steps(void **state)
{
    (void)state;
    static const double way[] = {1, 0, 0.5, 0.5, 0.5};
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        sn_world *world = make_world(schemes[i].id, SN_SOLVER_TILED, 0);
        sn_body body = add_body(world, 2, vec(2, 2, 2), vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0));
        assert_ok(world, sn_body_apply_torque(world, body, vec(2, 0, 0)));
        support_run(world, 1, 0.1);
        sn_quat q = sn_body_rotation(world, body);
        assert_close(2 * atan2((double)q.x, (double)q.w), way[i] * 0.01, EXACTNESS(1e-8, 1e-15));
        assert_close(sn_body_spin(world, body).x, 0.1, EXACTNESS(1e-8, 1e-15));
        sn_world_destroy(world);
    }
}

/* Springs that turn a body, and springs of the same frequency that move a particle: under each scheme both gain or lose as much. */
static void springs_turn_as_they_move(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        sn_world *world = make_world(schemes[i].id, SN_SOLVER_TILED, 0);
        sn_body body = add_body(world, 1, vec(1, 1, 1), vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 1e-3));
        sn_particle p = sn_particle_add_at(world, vec(9, 0, 0), 1);
        assert_ok(world, sn_particle_set_velocity(world, p, vec(0, 1e-3, 0)));
        for (int side = -1; side < 2; side += 2) {
            sn_particle far = sn_particle_add_at(world, vec(9, 50 * side, 0), SN_IMMOVABLE);
            sn_constraint_add_spring(world, sn_at(far), sn_at(p), 50, 20, 0);
            for (int end = -1; end < 2; end += 2) {
                far = sn_particle_add_at(world, vec(end, 50 * side, 0), SN_IMMOVABLE);
                sn_constraint_add_spring(world, sn_at(far), sn_on_body(body, vec(end, 0, 0)), 50, 10, 0);
            }
        }
        double turning = 0, moving = 0;
        for (int step = 0; step < 300; ++step) {
            support_run(world, 1, 0.01);
            if (step < 200)
                continue;
            turning = fmax(turning, fabs((double)sn_body_spin(world, body).z));
            moving = fmax(moving, fabs((double)sn_particle_velocity(world, p).y));
        }
        assert_close(turning, moving, 1e-3 * moving);
        /* forward Euler: sqrt(1 + (omega h)^2) a step */
        bool forward = schemes[i].id == SN_INTEGRATOR_FORWARD_EULER;
        assert_close(turning, forward ? 1e-3 * exp(300 * 0.004 / 2) : 1e-3, 2e-5);
        sn_world_destroy(world);
    }
}

/* A spin decays as e^(-kt), also where dt changes; and an impulse is all there at once. */
static void spins_decay_and_jump(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        sn_world *world = make_world(schemes[i].id, SN_SOLVER_TILED, 0);
        sn_body body = add_body(world, 1, vec(0.5, 0.5, 0.5), vec(0, 0, 0), vec(0, 0, 0), vec(0, 2, 0));
        double spin = 2;
        assert_ok(world, sn_body_set_spin_damping(world, body, real(1.5)));
        for (int step = 0; step < 90; ++step) {
            double h = step < 50 ? 0.01 : 0.02;
            if (step == 30) {
                assert_ok(world, sn_body_apply_angular_impulse(world, body, vec(0, 1, 0)));
                spin += 2;
            }
            if (step == 70) {
                assert_ok(world, sn_body_set_velocity(world, body, vec(0, 0, 0), vec(0, -1, 0)));
                spin = -1;
            }
            support_run(world, 1, h);
            spin *= exp(-1.5 * h);
            assert_vec_close(sn_body_spin(world, body), vec(0, spin, 0), EXACTNESS(1e-5, 1e-12));
        }
        sn_world_destroy(world);
    }
}

/* ---- Limits of joints ------------------------------------------------------------------------------------------------ */

enum { FREE, FRICTION, MOTOR, TARGET, DRIVES };

static const struct {
    const char *name;
    uint32_t kind;
    bool turns;   /* its limit is an angle */
    bool leans;   /* of the swing */
    uint32_t end; /* of the drives that it has */
} limited[] = {{"hinge", SN_KIND_JOINT_HINGE, true, false, DRIVES},
               {"slider", SN_KIND_JOINT_SLIDER, false, false, DRIVES},
               {"line", SN_KIND_JOINT_LINE, false, false, DRIVES},
               {"cone_twist", SN_KIND_JOINT_CONE_TWIST, true, false, MOTOR},
               {"cone_twist, swing", SN_KIND_JOINT_CONE_TWIST, true, true, MOTOR}};

#define LIMIT 0.5

static sn_constraint add_limited(sn_world *world, size_t which, uint32_t drive, sn_body *body)
{
    bool turns = limited[which].turns, leans = limited[which].leans;
    *body = add_body(world, 2, vec(0.1, 0.2, 0.3), vec(0.5, 0, 0), turns ? vec(0, 0.75, 0) : vec(1.5, 0, 0),
                     turns ? vec(0, 0, 1.5) : vec(0, 0, 0));
    sn_joint_def def = sn_default_joint_def(limited[which].kind);
    def.b = *body;
    def.axis = turns && !leans ? vec(0, 0, 1) : vec(1, 0, 0);
    if (leans) {
        def.swing = real(LIMIT);
    } else {
        def.least = real(-LIMIT);
        def.most = real(LIMIT);
    }
    if (drive == FRICTION) {
        def.friction = real(0.2);
    } else if (drive == MOTOR) {
        def.speed = 100;
        def.speed_most = real(1.5);
    } else if (drive == TARGET) {
        def.target = real(0.8);
        def.target_most = real(1.5);
        def.target_compliance = real(0.1);
    }
    sn_constraint joint = sn_joint_add(world, &def);
    if (!joint.kind)
        fail_msg("%s", sn_world_error(world));
    return joint;
}

/* A body that runs against the limit of its joint stops there and stays: nothing throws it back. */
static void limits_stop_bodies(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i)
        for (size_t k = 0; k < COUNT_OF(solvers); ++k)
            for (size_t which = 0; which < COUNT_OF(limited); ++which)
                for (uint32_t drive = 0; drive < limited[which].end; ++drive) {
                    sn_world *world = make_world(schemes[i].id, solvers[k], 0);
                    sn_body body;
                    sn_constraint joint = add_limited(world, which, drive, &body);
                    double back = 0, beyond = 0;
                    bool hit = false;
                    for (int step = 0; step < 100; ++step) {
                        support_run(world, 1, 0.01);
                        double at = !limited[which].turns  ? (double)sn_joint_way(world, joint)
                                    : limited[which].leans ? (double)sn_joint_swing(world, joint)
                                                           : (double)sn_joint_angle(world, joint);
                        hit = hit || at > LIMIT - 1e-3;
                        back = hit ? fmax(back, LIMIT - at) : 0;
                        beyond = fmax(beyond, at - LIMIT);
                    }
                    if (!hit || !(back < 2e-3) || !(beyond < 2e-3))
                        fail_msg("%s, solver %d, %s, drive %u: %s, %g back, %g beyond", schemes[i].name,
                                 (int)solvers[k], limited[which].name, drive, hit ? "stopped" : "not stopped", back,
                                 beyond);
                    sn_world_destroy(world);
                }
}

/* ---- A heavy body on a nail: numbers to compare with ---------------------------------------------------------------- */

/* Euler's equations about the nail, by Runge and Kutta. */
typedef struct top {
    double q[4], w[3]; /* from its own axes to the world; spin along its own axes */
} top;

static const double moments[3] = {0.02, 0.05, 0.04}, arm[3] = {0.5, 0, 0}, mass = 1;

static top rate_of(const top *t)
{
    const double *q = t->q, *w = t->w;
    double about[3] = {moments[0], moments[1] + mass * arm[0] * arm[0], moments[2] + mass * arm[0] * arm[0]};
    double down[3] = {-2 * (q[0] * q[1] + q[3] * q[2]), -(1 - 2 * (q[0] * q[0] + q[2] * q[2])),
                      -2 * (q[1] * q[2] - q[3] * q[0])}; /* along its own axes */
    double torque[3] = {0, -arm[0] * mass * 9.81 * down[2], arm[0] * mass * 9.81 * down[1]};
    top d;
    d.q[0] = (q[3] * w[0] + q[1] * w[2] - q[2] * w[1]) / 2;
    d.q[1] = (q[3] * w[1] + q[2] * w[0] - q[0] * w[2]) / 2;
    d.q[2] = (q[3] * w[2] + q[0] * w[1] - q[1] * w[0]) / 2;
    d.q[3] = -(q[0] * w[0] + q[1] * w[1] + q[2] * w[2]) / 2;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        d.w[i] = (torque[i] - (about[k] - about[j]) * w[j] * w[k]) / about[i];
    }
    return d;
}

static top plus(const top *a, const top *b, double s)
{
    top sum = *a;
    for (int i = 0; i < 4; ++i)
        sum.q[i] += s * b->q[i];
    for (int i = 0; i < 3; ++i)
        sum.w[i] += s * b->w[i];
    return sum;
}

static top after(top t, double seconds)
{
    const int steps = 20000;
    const double h = seconds / steps;
    for (int i = 0; i < steps; ++i) {
        top a = rate_of(&t), at = plus(&t, &a, h / 2), b = rate_of(&at), bt = plus(&t, &b, h / 2), c = rate_of(&bt),
            ct = plus(&t, &c, h), d = rate_of(&ct);
        t = plus(&t, &a, h / 6);
        t = plus(&t, &b, h / 3);
        t = plus(&t, &c, h / 3);
        t = plus(&t, &d, h / 6);
    }
    return t;
}

static const top start = {{0, 0, 0, 1}, {6, 1, 2}};

/* N: what the nail exerts on it, m (a - g), with a = R (w' x r + w x (w x r)). */
static void pull_of(const top *t, double force[3])
{
    top d = rate_of(t);
    const double *w = t->w, *q = t->q, r = arm[0];
    double own[3] = {-r * (w[1] * w[1] + w[2] * w[2]), r * (d.w[2] + w[0] * w[1]), r * (w[0] * w[2] - d.w[1])}, half[3];
    for (int i = 0; i < 3; ++i)
        half[i] = 2 * (q[(i + 1) % 3] * own[(i + 2) % 3] - q[(i + 2) % 3] * own[(i + 1) % 3]);
    for (int i = 0; i < 3; ++i)
        force[i] = mass * (own[i] + q[3] * half[i] + q[(i + 1) % 3] * half[(i + 2) % 3] -
                           q[(i + 2) % 3] * half[(i + 1) % 3] + (i == 1 ? 9.81 : 0));
}

/* The body that `after` follows, held by a ball joint. */
typedef struct nailed {
    sn_world *world;
    sn_body body;
    sn_constraint joint;
} nailed;

static nailed nail(sn_integrator integrator, sn_solver solver)
{
    nailed n = {.world = make_world(integrator, solver, 9.81)};
    n.body = add_body(n.world, mass, vec(moments[0], moments[1], moments[2]), vec(arm[0], 0, 0),
                      vec(0, start.w[2] * arm[0], -start.w[1] * arm[0]), vec(start.w[0], start.w[1], start.w[2]));
    n.joint = sn_joint_add_ball(n.world, nowhere, n.body, vec(0, 0, 0));
    assert_true(n.joint.kind);
    return n;
}

typedef struct errors {
    double angle, energy, force; /* rad, J, N */
} errors;

static errors swing(sn_integrator integrator, sn_solver solver, uint32_t steps)
{
    nailed n = nail(integrator, solver);
    static top exact; /* once is enough */
    static double exact_force[3];
    double energy = energy_of(n.world);
    sn_vec3 force;
    if (exact.q[3] == 0) {
        exact = after(start, 1);
        pull_of(&exact, exact_force);
    }
    support_run(n.world, steps, 1.0 / steps);
    assert_ok(n.world, sn_joint_reaction(n.world, n.joint, &force, NULL));
    errors e = {angle_from(sn_body_rotation(n.world, n.body), exact.q), fabs(energy_of(n.world) - energy),
                support_gap(force, vec(exact_force[0], exact_force[1], exact_force[2]))};
    assert_vec_close(sn_body_to_world(n.world, n.body, vec(-arm[0], 0, 0)), vec(0, 0, 0), 1e-5);
    sn_world_destroy(n.world);
    return e;
}

/* A tumbling body on a nail: BDF2 is of second order in angle, energy and force, and far better than leapfrog, which
   is of first. Symplectic Euler is given back most of what it loses (world/swings.c). */
static void joints_at_second_order(void **state)
{
    (void)state;
    errors plain = swing(SN_INTEGRATOR_LEAPFROG, SN_SOLVER_GAUSS_SEIDEL, 250);
    errors euler = swing(SN_INTEGRATOR_SYMPLECTIC_EULER, SN_SOLVER_GAUSS_SEIDEL, 250);
    assert_true(euler.angle < plain.angle / 5 && euler.energy < plain.energy / 5);
    for (size_t i = 0; i < COUNT_OF(solvers); ++i) {
        errors coarse = swing(SN_INTEGRATOR_BDF2, solvers[i], 250), fine = swing(SN_INTEGRATOR_BDF2, solvers[i], 500);
        assert_true(coarse.angle < plain.angle / 50 && coarse.energy < plain.energy / 500);
        assert_true(coarse.force < plain.force / EXACTNESS(10, 100));
        assert_true(coarse.angle / fine.angle > EXACTNESS(3.4, 3.8) && coarse.angle / fine.angle < 4.3);
        assert_true(coarse.energy / fine.energy > 3.6 || !SINEW_DOUBLE);
        assert_true(coarse.force / fine.force > 3.4 || !SINEW_DOUBLE);
    }
}

/* The others hold it, too, and lose energy at first order. */
static void joints_under_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        errors e = swing(schemes[i].id, SN_SOLVER_TILED, 500);
        assert_true(e.angle < 0.15 && e.energy < 0.4);
    }
}

/* ---- Compliance -------------------------------------------------------------------------------------------------------- */

/* A disc on a soft weld that swings with 10 rad/s: what is left of its amplitude after a second. */
static double twist_left(sn_integrator integrator, sn_solver solver, uint32_t steps)
{
    sn_world *world = make_world(integrator, solver, 0);
    sn_body disc = add_body(world, 1, vec(0.5, 0.5, 0.5), vec(0, 0, 0), vec(0, 0, 0), vec(1, 0, 0));
    sn_joint_def def = sn_default_joint_def(SN_KIND_JOINT_FIXED);
    def.b = disc;
    def.angular_compliance = real(1 / 50.0);
    assert_true(sn_joint_add(world, &def).kind);
    support_run(world, steps, 1.0 / steps);
    double left = sqrt(2 * energy_of(world) / 0.5);
    sn_world_destroy(world);
    return left;
}

static void soft_welds_swing_on(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(solvers); ++i) {
        double others = twist_left(SN_INTEGRATOR_LEAPFROG, solvers[i], 600),
               bdf2 = twist_left(SN_INTEGRATOR_BDF2, solvers[i], 600);
        assert_close(others, 0.9201, 1e-3);
        assert_close(bdf2, 0.9995, 2e-4);
    }
}

/* Damped as a spring is: x'' = -100 x - 2 x', from rest at 0.1 rad. */
static void soft_welds_are_damped(void **state)
{
    (void)state;
    const double wave = sqrt(99), t = 1;
    const double exact = 0.1 * exp(-t) * (cos(wave * t) + sin(wave * t) / wave);
    for (size_t i = 0; i < COUNT_OF(solvers); ++i) {
        double error[2];
        for (uint32_t k = 0; k < 2; ++k) {
            sn_world *world = make_world(SN_INTEGRATOR_BDF2, solvers[i], 0);
            sn_body disc = add_body(world, 1, vec(0.5, 0.5, 0.5), vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0));
            sn_joint_def def = sn_default_joint_def(SN_KIND_JOINT_FIXED);
            uint32_t steps = 200u << k;
            def.b = disc;
            def.angular_compliance = real(1 / 50.0);
            def.angular_damping = 1;
            assert_true(sn_joint_add(world, &def).kind);
            assert_ok(world,
                      sn_body_set_pose(world, disc, vec(0, 0, 0), (sn_quat){real(sin(0.05)), 0, 0, real(cos(0.05))}));
            support_run(world, steps, t / steps);
            sn_quat q = sn_body_rotation(world, disc);
            error[k] = fabs(2 * atan2((double)q.x, (double)q.w) - exact);
            sn_world_destroy(world);
        }
        assert_true(error[0] < 1e-3 && error[1] < error[0] / 3.3);
    }
}

/* ---- Motors ------------------------------------------------------------------------------------------------------------ */

/* A motor of 2 N m turns a wheel of 0.5 kg m^2 up to 3 rad/s, in 0.75 s, and then keeps it; dry friction stops it. */
static void motors_and_friction(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(solvers); ++k) {
        sn_world *world = make_world(SN_INTEGRATOR_BDF2, solvers[k], 9.81);
        sn_body wheel = add_body(world, 3, vec(0.5, 0.3, 0.3), vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0));
        sn_joint_def def = sn_default_joint_def(SN_KIND_JOINT_HINGE);
        def.b = wheel;
        def.speed = 3;
        def.speed_most = 2;
        def.friction = 1;
        sn_constraint hinge = sn_joint_add(world, &def);
        assert_true(hinge.kind);
        support_run(world, 50, 0.01);
        assert_close(sn_body_spin(world, wheel).x, 2, 0.05);
        support_run(world, 100, 0.01);
        assert_vec_close(sn_body_spin(world, wheel), vec(3, 0, 0), 1e-4);
        sn_vec3 force;
        assert_ok(world, sn_joint_reaction(world, hinge, &force, NULL));
        assert_vec_close(force, vec(0, 3 * 9.81, 0), 1e-2);
        assert_ok(world, sn_joint_set_motor(world, hinge, 0, 0));
        support_run(world, 75, 0.01); /* friction: 2 rad/s^2 */
        assert_close(sn_body_spin(world, wheel).x, 1.5, 0.05);
        support_run(world, 100, 0.01);
        assert_vec_close(sn_body_spin(world, wheel), vec(0, 0, 0), 1e-4);
        sn_world_destroy(world);
    }
}

/* ---- Contact ----------------------------------------------------------------------------------------------------------- */

/* A tower on a floor stands under each of them; a ball that is thrown flat ends up rolling with 5/7 of its speed. */
static void contact_under_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        sn_world *world = make_world(schemes[i].id, SN_SOLVER_TILED, 9.81);
        sn_settings s = sn_world_settings(world);
        sn_body box[5], ball;
        s.substeps = 10;
        assert_ok(world, sn_world_configure(world, &s));
        assert_true(sn_body_is_valid(world, fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0))));
        for (int k = 0; k < 5; ++k)
            box[k] = sn_body_add_box(world, vec(0, 0.2 + 0.4 * k, 0), vec(0.2, 0.2, 0.2), 500);
        ball = sn_body_add_sphere(world, vec(-3, 0.3, 2), real(0.3), 500);
        assert_ok(world, sn_body_set_velocity(world, ball, vec(1.4, 0, 0), vec(0, 0, 0)));
        support_run(world, 120, 1.0 / 60);
        for (int k = 0; k < 5; ++k)
            assert_vec_close(sn_body_position(world, box[k]), vec(0, 0.2 + 0.4 * k, 0), 2e-3);
        assert_vec_close(sn_body_velocity(world, ball), vec(1, 0, 0), 0.02);
        assert_vec_close(sn_body_spin(world, ball), vec(0, 0, -1 / 0.3), 0.05);
        sn_world_destroy(world);
    }
}

/* ---- State -------------------------------------------------------------------------------------------------------------- */

/* Jointed bodies that fall on a floor, with all that breaks a past on the way. */
static sn_world *make_heap(uint32_t threads, sn_body *first)
{
    sn_world_def def = sn_default_world_def();
    def.settings.integrator = SN_INTEGRATOR_BDF2;
    def.settings.substeps = 4;
    def.threads = threads;
    sn_world *world = support_world_from(&def);
    fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    sn_body last = nowhere;
    for (int i = 0; i < 12; ++i) {
        sn_body body = sn_body_add_box(world, vec(0.5 * i, 0.4 + 0.1 * (i % 3), 0), vec(0.2, 0.1, 0.15), 300);
        if (i % 4)
            assert_true(sn_joint_add_ball(world, last, body, vec(0.5 * i - 0.25, 0.4, 0)).kind);
        else
            assert_ok(world, sn_body_set_velocity(world, body, vec(0, 0, 1), vec(1, 2, 3)));
        if (i == 0)
            *first = body;
        last = body;
    }
    return world;
}

static void go_on(sn_world *world, sn_body body, int from, int to)
{
    for (int i = from; i < to; ++i) {
        if (i % 17 == 5)
            assert_ok(world, sn_body_apply_torque(world, body, vec(0, 5, 0)));
        if (i % 29 == 11)
            assert_ok(world, sn_body_apply_angular_impulse(world, body, vec(1, 0, 0)));
        support_run(world, 1, 1.0 / 60);
    }
}

/* The past is state: what is loaded goes on as what was saved, and threads do not matter. */
static void pasts_are_saved(void **state)
{
    (void)state;
    sn_body body, other_body;
    sn_world *world = make_heap(1, &body), *other = make_heap(3, &other_body);
    go_on(world, body, 0, 20);
    go_on(other, other_body, 0, 20);
    assert_true(sn_world_hash(world) == sn_world_hash(other));
    sn_snapshot *snapshot = sn_world_save(world);
    assert_non_null(snapshot);
    go_on(world, body, 20, 60);
    go_on(other, other_body, 20, 45);
    assert_ok(other, sn_world_load(other, snapshot));
    go_on(other, other_body, 20, 60);
    assert_true(sn_world_hash(world) == sn_world_hash(other));
    sn_snapshot_destroy(snapshot);
    sn_world_destroy(other);
    sn_world_destroy(world);
}

/* From one integrator to another and back, with a body on a nail: nothing jumps. */
static void integrators_may_change(void **state)
{
    (void)state;
    nailed n = nail(SN_INTEGRATOR_BDF2, SN_SOLVER_GAUSS_SEIDEL);
    double energy = energy_of(n.world);
    for (uint32_t i = 0; i < 20; ++i) {
        sn_settings s = sn_world_settings(n.world);
        s.integrator = i % 2 ? SN_INTEGRATOR_BDF2 : (sn_integrator)(i / 2 % 5);
        assert_ok(n.world, sn_world_configure(n.world, &s));
        support_run(n.world, 25, 1.0 / 1000);
        assert_close(energy_of(n.world), energy, 0.15);
    }
    sn_world_destroy(n.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_bodies_turn_alike),    cmocka_unit_test(torques_turn),
        cmocka_unit_test(torques_act_as_forces_do),  cmocka_unit_test(first_steps),
        cmocka_unit_test(springs_turn_as_they_move), cmocka_unit_test(limits_stop_bodies),
        cmocka_unit_test(spins_decay_and_jump),      cmocka_unit_test(joints_at_second_order),
        cmocka_unit_test(joints_under_all),          cmocka_unit_test(soft_welds_swing_on),
        cmocka_unit_test(soft_welds_are_damped),     cmocka_unit_test(motors_and_friction),
        cmocka_unit_test(contact_under_all),         cmocka_unit_test(pasts_are_saved),
        cmocka_unit_test(integrators_may_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

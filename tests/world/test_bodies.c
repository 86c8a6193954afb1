/* Rigid bodies: how they turn, what they are made of, and what is refused. */
#include "support/fixed.h"
#include "support/support.h"

#define FRAME (1.0 / 60)
#define PI    3.14159265358979323846

static sn_world *weightless(void)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    def.settings.gravity = vec(0, 0, 0);
    assert_int_equal(sn_world_create(&def, &world), SN_OK);
    return world;
}

static sn_body add(sn_world *world, const sn_body_def *def)
{
    sn_body body = {0};
    assert_ok(world, sn_body_add(world, def, &body));
    return body;
}

static double length(sn_vec3 a)
{
    return sqrt((double)a.x * (double)a.x + (double)a.y * (double)a.y + (double)a.z * (double)a.z);
}

static sn_vec3 turn_back(sn_quat q, sn_vec3 a)
{
    double v[3] = {-(double)q.x, -(double)q.y, -(double)q.z}, b[3] = {(double)a.x, (double)a.y, (double)a.z}, t[3],
           r[3];
    for (int i = 0; i < 3; ++i)
        t[i] = 2 * (v[(i + 1) % 3] * b[(i + 2) % 3] - v[(i + 2) % 3] * b[(i + 1) % 3]);
    for (int i = 0; i < 3; ++i)
        r[i] = b[i] + (double)q.w * t[i] + v[(i + 1) % 3] * t[(i + 2) % 3] - v[(i + 2) % 3] * t[(i + 1) % 3];
    return vec(r[0], r[1], r[2]);
}

/* ---- How they turn ------------------------------------------------------------------------------------------------ */

/* Row 17 of the physics with known answers: the middle axis turns over again and again. */
static void tumbles_as_it_should(void **state)
{
    (void)state;
    sn_world *world = weightless();
    sn_body_def def = sn_default_body_def();
    def.mass = 1;
    def.moments = vec(1, 2, 3);
    def.spin = vec(0.01, 5, 0.01);
    sn_body body = add(world, &def);
    sn_vec3 before = sn_body_angular_momentum(world, body);
    double last = 5, times[4] = {0};
    int turns = 0;
    for (int frame = 0; frame < 1200; ++frame) {
        assert_ok(world, sn_world_step(world, real(FRAME)));
        double now = (double)turn_back(sn_body_rotation(world, body), sn_body_spin(world, body)).y;
        if ((now < 0) != (last < 0) && turns < 4)
            times[turns++] = (frame + 1 - now / (now - last)) * FRAME;
        last = now;
    }
    assert_int_equal(turns, 4);
    assert_close(times[0], 2.741068, 0.0005);
    for (int i = 1; i < 4; ++i)
        assert_close(times[i] - times[i - 1], 5.025929, 0.002);
    assert_vec_close(sn_body_angular_momentum(world, body), before, SUPPORT_ROUND_OFF);
    sn_world_destroy(world);
}

/* A body that hangs by a spot swings like a physical pendulum: 2 pi sqrt(2 L / 3 g) for a thin rod. */
static void swings_like_a_rod(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_settings settings = sn_world_settings(world);
    settings.solver = SN_SOLVER_GAUSS_SEIDEL;
    settings.gradients = SN_GRADIENTS_START;
    settings.integrator = SN_INTEGRATOR_LEAPFROG;
    assert_ok(world, sn_world_configure(world, &settings));
    sn_body rod = sn_body_add_box(world, vec(0.05 * 0.5, -0.5, 0), vec(0.005, 0.5, 0.005), 1000);
    double tilt = 0.05; /* small enough */
    assert_ok(world, sn_body_set_pose(world, rod, vec(0.5 * sin(tilt), -0.5 * cos(tilt), 0),
                                      (sn_quat){0, 0, real(sin(tilt / 2)), real(cos(tilt / 2))}));
    assert_true(sn_constraint_add_attachment(world, sn_at_place(vec(0, 0, 0)), sn_on_body(rod, vec(0, 0.5, 0))).kind);
    double last = 1, crossings[2] = {0};
    int count = 0;
    for (int frame = 0; frame < 300 && count < 2; ++frame) {
        assert_ok(world, sn_world_step(world, real(FRAME)));
        double x = (double)sn_body_centre(world, rod).x;
        if (last < 0 && x >= 0)
            crossings[count++] = (frame + 1 - x / (x - last)) * FRAME;
        last = x;
    }
    double inertia = 1.0 / 3 + 0.005 * 0.005 / 3,
           period = 2 * PI * sqrt(inertia / (9.81 * 0.5)) * (1 + tilt * tilt / 16);
    assert_int_equal(count, 2);
    assert_close(crossings[1] - crossings[0], period, 2e-3 * period);
    sn_world_destroy(world);
}

static void forces_and_impulses(void **state)
{
    (void)state;
    sn_world *world = weightless();
    sn_body box = sn_body_add_box(world, vec(0, 0, 0), vec(0.5, 0.5, 0.5), 12); /* 12 kg, 2 kg m^2 */
    assert_close(sn_body_mass(world, box), 12, 1e-4);
    assert_ok(world, sn_body_apply_impulse(world, box, vec(0, 12, 0), vec(0.5, 0, 0)));
    assert_vec_close(sn_body_velocity(world, box), vec(0, 1, 0), 1e-5);
    assert_vec_close(sn_body_spin(world, box), vec(0, 0, 3), 1e-5);
    assert_vec_close(sn_body_velocity_at(world, box, vec(0.5, 0, 0)), vec(0, 2.5, 0), 1e-5);
    assert_ok(world, sn_body_apply_angular_impulse(world, box, vec(0, 0, -6)));
    assert_vec_close(sn_body_spin(world, box), vec(0, 0, 0), 1e-5);
    assert_ok(world, sn_body_set_velocity(world, box, vec(0, 0, 0), vec(0, 0, 0)));
    for (int i = 0; i < 60; ++i) { /* a couple: it turns and does not move */
        sn_vec3 x = sn_body_to_world(world, box, vec(0.5, 0, 0)), y = sn_body_to_world(world, box, vec(-0.5, 0, 0));
        assert_ok(world, sn_body_apply_force(world, box, vec(0, 0, 1), x));
        assert_ok(world, sn_body_apply_force(world, box, vec(0, 0, -1), y));
        assert_ok(world, sn_body_apply_torque(world, box, vec(0, 1, 0)));
        assert_ok(world, sn_world_step(world, real(FRAME)));
    }
    assert_vec_close(sn_body_position(world, box), vec(0, 0, 0), 1e-5);
    assert_true(length(sn_body_spin(world, box)) <
                1e-2); /* -1 N m cos(angle), and 1 N m: they cancel while it hardly turns */
    assert_ok(world, sn_world_step(world, real(FRAME)));
    assert_vec_close(sn_body_velocity(world, box), vec(0, 0, 0), 1e-5); /* forces are for one step */
    sn_world_destroy(world);
}

static void spin_decays(void **state)
{
    (void)state;
    sn_world *world = weightless();
    sn_body_def def = sn_default_body_def();
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_SPHERE);
    def.shapes = &shape;
    def.shape_count = 1;
    def.spin = vec(0, 0, 10);
    def.spin_damping = 1;
    sn_body ball = add(world, &def);
    support_run(world, 60, FRAME);
    assert_close(sn_body_spin(world, ball).z, 10 * exp(-1), 1e-4);
    sn_world_destroy(world);
}

/* A body that is led arrives exactly, turning the short way, and takes what hangs on it along. */
static void is_led(void **state)
{
    (void)state;
    sn_world *world = weightless();
    sn_body box = sn_body_add_box(world, vec(0, 0, 0), vec(0.1, 0.1, 0.1), 1000);
    sn_particle ball = sn_particle_add_at(world, vec(1, 0, 0), real(0.1));
    sn_constraint_add_attachment(world, sn_at(ball), sn_on_body(box, vec(1, 0, 0)));
    sn_quat quarter = {0, 0, real(sqrt(0.5)), real(sqrt(0.5))};
    for (int i = 1; i <= 60; ++i) {
        double angle = PI / 2 * i / 60;
        sn_quat turn = {0, 0, real(sin(angle / 2)), real(cos(angle / 2))};
        assert_ok(world, sn_body_move_to(world, box, vec(0, i / 60.0, 0), turn));
        assert_ok(world, sn_world_step(world, real(FRAME)));
    }
    assert_vec_close(sn_body_position(world, box), vec(0, 1, 0), 1e-6);
    sn_quat q = sn_body_rotation(world, box);
    assert_close(q.z, quarter.z, 1e-6);
    assert_close(q.w, quarter.w, 1e-6);
    assert_close(sn_body_spin(world, box).z, PI / 2, 0.02); /* it lets go at the speed it was led with */
    assert_vec_close(sn_particle_position(world, ball), vec(0, 2, 0), 0.02);
    sn_world_destroy(world);
}

/* ---- What they are made of ------------------------------------------------------------------------------------------ */

static void compound_bodies(void **state)
{
    (void)state;
    sn_world *world = weightless();
    sn_shape_def part[2] = {sn_default_shape_def(SN_SHAPE_SPHERE), sn_default_shape_def(SN_SHAPE_SPHERE)};
    part[0].position = vec(0, 0, 0);
    part[1].position = vec(3, 0, 0);
    part[1].density = 3000; /* three times as heavy */
    sn_body_def def = sn_default_body_def();
    def.shapes = part;
    def.shape_count = 2;
    def.position = vec(1, 2, 3);
    sn_body body = add(world, &def);
    double ball = 4.0 / 3 * PI * 0.125 * 1000;
    assert_close(sn_body_mass(world, body), 4 * ball, 1e-4 * ball);
    assert_vec_close(sn_body_centre(world, body), vec(1 + 2.25, 2, 3), 1e-5);
    assert_vec_close(sn_body_position(world, body), vec(1, 2, 3), 1e-5);
    sn_body_def read;
    assert_ok(world, sn_body_read(world, body, &read));
    assert_int_equal(read.shape_count, 2);
    assert_vec_close(read.shapes[1].position, vec(3, 0, 0), 1e-5);
    assert_close(read.shapes[1].density, 3000, 0);
    double across = ball * 2.25 * 2.25 + 3 * ball * 0.75 * 0.75 + 4 * ball * 0.4 * 0.25;
    sn_real most = read.moments.x > read.moments.y ? read.moments.x : read.moments.y;
    most = read.moments.z > most ? read.moments.z : most;
    assert_close(most, across, 1e-4 * across);
    sn_world_destroy(world);
}

/* A hull and a mesh of the same cube have the mass of the box, wherever their own frame is. */
static void hulls_and_meshes(void **state)
{
    (void)state;
    sn_world *world = weightless();
    sn_vec3 corner[8];
    for (int i = 0; i < 8; ++i)
        corner[i] = vec(5 + (i & 1), 7 + (i >> 1 & 1), (i >> 2) - 3.0);
    sn_shape_def hull = sn_default_shape_def(SN_SHAPE_HULL);
    hull.vertices = corner;
    hull.vertex_count = 8;
    sn_body_def def = sn_default_body_def(), read;
    def.shapes = &hull;
    def.shape_count = 1;
    sn_body a = add(world, &def);
    static const uint32_t cube[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    def = sn_default_body_def();
    def.vertices = corner;
    def.vertex_count = 8;
    def.triangles = cube;
    def.triangle_count = 12;
    sn_body b = add(world, &def), both[2] = {a, b};
    for (int i = 0; i < 2; ++i) {
        assert_close(sn_body_mass(world, both[i]), 1000, 0.01);
        assert_vec_close(sn_body_centre(world, both[i]), vec(5.5, 7.5, -2.5), 1e-5);
        assert_ok(world, sn_body_read(world, both[i], &read));
        assert_vec_close(read.moments, vec(1000 / 6.0, 1000 / 6.0, 1000 / 6.0), 0.01);
    }
    sn_world_destroy(world);
}

/* Reading a body and adding what was read makes the same body. */
static void reads_back(void **state)
{
    (void)state;
    sn_world *world = weightless();
    sn_shape_def part[3] = {sn_default_shape_def(SN_SHAPE_BOX), sn_default_shape_def(SN_SHAPE_CAPSULE),
                            sn_default_shape_def(SN_SHAPE_SPHERE)};
    part[0].half = vec(0.3, 0.1, 0.2);
    part[1].position = vec(0.2, 0.4, 0);
    part[1].rotation = (sn_quat){real(0.6), 0, 0, real(0.8)};
    part[2].position = vec(0, 0, 1);
    sn_body_def def = sn_default_body_def(), read;
    def.shapes = part;
    def.shape_count = 3;
    def.rotation = (sn_quat){0, real(0.6), 0, real(0.8)};
    def.spin = vec(1, 2, 3);
    def.velocity = vec(3, 2, 1);
    def.group = 4;
    def.user = 77;
    sn_body body = add(world, &def);
    support_run(world, 10, FRAME);
    assert_ok(world, sn_body_read(world, body, &read));
    sn_world *other = weightless();
    sn_body copy = add(other, &read);
    assert_vec_close(sn_body_position(other, copy), sn_body_position(world, body), 1e-5);
    assert_vec_close(sn_body_spin(other, copy), sn_body_spin(world, body), 1e-4);
    support_run(world, 30, FRAME);
    support_run(other, 30, FRAME);
    assert_vec_close(sn_body_position(other, copy), sn_body_position(world, body), 1e-4);
    assert_vec_close(sn_body_spin(other, copy), sn_body_spin(world, body), 1e-3);
    assert_int_equal(sn_particle_user(other, sn_body_particle(other, copy)), 77);
    sn_world_destroy(world);
    sn_world_destroy(other);
}

/* ---- Points on bodies ------------------------------------------------------------------------------------------------ */

/* A chain of free bodies: momentum stays what it was. Angular momentum is lost by the torque of forces on points that are apart,
   so by what iterations leave (gradients of the start), by the order of the projections (tiled, first order in the substep) and
   by the correction of the drift (impulses, second order). */
static void momentum_is_kept(void **state)
{
    (void)state;
    static const sn_solver solvers[] = {SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_TILED, SN_SOLVER_IMPULSES};
    for (size_t s = 0; s < COUNT_OF(solvers); ++s) {
        sn_world *world = weightless();
        sn_settings settings = sn_world_settings(world);
        settings.solver = solvers[s];
        if (solvers[s] == SN_SOLVER_GAUSS_SEIDEL) {
            settings.gradients = SN_GRADIENTS_START;
            settings.iterations = 10;
        }
        assert_ok(world, sn_world_configure(world, &settings));
        sn_body body[4];
        for (int i = 0; i < 4; ++i) {
            body[i] = sn_body_add_box(world, vec(i, 0, 0), vec(0.4, 0.1, 0.2), 100);
            assert_ok(world, sn_body_set_velocity(world, body[i], vec(0, i - 1.0, 0.5 * (i % 2)), vec(1, 2 - i, 0.5)));
            if (i)
                assert_true(sn_constraint_add_attachment(world, sn_on_body(body[i - 1], vec(0.5, 0, 0)),
                                                         sn_on_body(body[i], vec(-0.5, 0, 0)))
                                .kind);
        }
        sn_report before, after;
        assert_ok(world, sn_world_report(world, &before));
        support_run(world, 100, FRAME);
        assert_ok(world, sn_world_report(world, &after));
        for (int i = 0; i < 3; ++i) {
            assert_close(after.momentum[i], before.momentum[i], SINEW_DOUBLE ? 1e-9 : 1e-5 * 15);
            double slack = solvers[s] == SN_SOLVER_TILED      ? 0.01
                           : solvers[s] == SN_SOLVER_IMPULSES ? 2e-5
                           : SINEW_DOUBLE                     ? 1e-9
                                                              : 2e-5;
            assert_close(after.angular_momentum[i], before.angular_momentum[i], slack * 52);
        }
        assert_true(after.kinetic < before.kinetic * 1.0001);
        sn_world_destroy(world);
    }
}

/* A constraint reads back as it was made, and goes with the body. */
static void points_come_and_go(void **state)
{
    (void)state;
    sn_world *world = weightless();
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_BOX);
    shape.position = vec(1, 0, 0);
    sn_body_def def = sn_default_body_def();
    def.shapes = &shape;
    def.shape_count = 1;
    sn_body body = add(world, &def);
    sn_particle p = sn_particle_add_at(world, vec(0, 5, 0), 1);
    sn_constraint rod = sn_constraint_add_distance(world, sn_on_body(body, vec(1, 0.5, 0)), sn_at(p), SN_MEASURE);
    sn_constraint pin = sn_constraint_add_pin_at(world, sn_on_body(body, vec(0, 0, 0)), vec(0, 0, 0));
    sn_constraint_def read;
    sn_point points[SN_MAX_POINTS];
    assert_ok(world, sn_constraint_read(world, rod, &read, points, SN_MAX_POINTS));
    assert_int_equal(points[0].type, SN_POINT_BODY);
    assert_vec_close(points[0].place, vec(1, 0.5, 0), 1e-6);
    assert_close(read.param[0], sqrt(1 + 4.5 * 4.5), 1e-5);
    assert_vec_close(sn_point_position(world, points[0]), vec(1, 0.5, 0), 1e-6);
    assert_true(sn_constraint_is_valid(world, pin));
    assert_ok(world, sn_body_remove(world, body));
    assert_false(sn_constraint_is_valid(world, rod));
    assert_false(sn_constraint_is_valid(world, pin));
    assert_int_equal(sn_world_body_count(world), 0);
    assert_int_equal(sn_world_particle_count(world), 1);
    assert_true(isnan((double)sn_point_position(world, points[0]).x));
    support_run(world, 2, FRAME);
    body = add(world, &def);
    assert_true(sn_body_is_valid(world, body));
    assert_ok(world, sn_particle_remove(world, sn_body_particle(world, body)));
    assert_false(sn_body_is_valid(world, body));
    sn_world_destroy(world);
}

/* A rod that is fixed at one end to the world: what holds it there is its weight, and that times half its length. */
static void reactions(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_body rod = sn_body_add_box(world, vec(0.5, 0, 0), vec(0.5, 0.05, 0.05), 100); /* 1 kg */
    sn_constraint joint = sn_joint_add_fixed(world, rod, (sn_body){0}, vec(0, 0, 0));
    double force = 0, torque = 0;
    assert_true(joint.kind);
    support_run(world, 10, FRAME);
    for (int i = 0; i < 60; ++i) {
        support_run(world, 1, FRAME);
        force += (double)sn_constraint_force_on(world, joint, 0).y / 60;
        torque += (double)sn_constraint_torque_on(world, joint, 0).z / 60;
    }
    assert_close(force, 9.81, 0.05);
    assert_close(torque, 9.81 * 0.5, 0.05);
    assert_vec_close(sn_constraint_torque_on(
                         world, sn_constraint_add_pin_at(world, sn_on_body(rod, vec(0, 0, 0)), vec(0.5, 0, 0)), 0),
                     vec(0, 0, 0), 0);
    sn_world_destroy(world);
}

/* ---- State ------------------------------------------------------------------------------------------------------------ */

static sn_world *crowd(sn_body *body, uint32_t threads)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    def.threads = threads;
    assert_int_equal(sn_world_create(&def, &world), SN_OK);
    fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    for (int i = 0; i < 40; ++i) {
        sn_vec3 at = vec(i % 5 * 0.7, 0.5 + i / 5 * 0.7, i % 3 * 0.65);
        body[i] = i % 3 == 0   ? sn_body_add_sphere(world, at, real(0.3), 500)
                  : i % 3 == 1 ? sn_body_add_box(world, at, vec(0.3, 0.2, 0.25), 500)
                               : sn_body_add_capsule(world, at, vec((double)at.x, (double)at.y + 0.3, (double)at.z),
                                                     real(0.2), 500);
        assert_true(body[i].generation);
        assert_ok(world, sn_body_set_velocity(world, body[i], vec(0, 0, 0), vec(i % 4, 1, i % 7)));
    }
    sn_particle balls[8];
    for (int i = 0; i < 8; ++i) {
        balls[i] = sn_particle_add_at(world, vec(i * 0.3, 7, 0.5), 1);
        assert_ok(world, sn_particle_set_radius(world, balls[i], real(0.1)));
    }
    return world;
}

/* Whatever the number of threads, and across a snapshot, it goes on with the same bits. */
static void same_bits(void **state)
{
    (void)state;
    sn_body body[40];
    sn_world *one = crowd(body, 1), *four = crowd(body, 4);
    support_run(one, support_rounds(60, 20), FRAME);
    support_run(four, support_rounds(60, 20), FRAME);
    assert_same_world(one, four);
    sn_snapshot *saved = sn_world_save(one);
    assert_non_null(saved);
    support_run(one, 30, FRAME);
    uint64_t hash = sn_world_hash(one);
    assert_ok(one, sn_world_load(one, saved));
    support_run(one, 30, FRAME);
    assert_true(sn_world_hash(one) == hash);
    assert_ok(four, sn_world_load(four, saved));
    support_run(four, 30, FRAME);
    assert_true(sn_world_hash(four) == hash);
    sn_snapshot_destroy(saved);
    sn_world_destroy(one);
    sn_world_destroy(four);
}

/* ---- What is refused ---------------------------------------------------------------------------------------------------- */

#define REFUSED(change, words)                                                                                         \
    do {                                                                                                               \
        sn_body_def def = good;                                                                                        \
        sn_shape_def shape = box;                                                                                      \
        sn_body body = {1, 1};                                                                                         \
        def.shapes = &shape;                                                                                           \
        change;                                                                                                        \
        assert_result(world, SN_ERROR_ARGUMENT, sn_body_add(world, &def, &body));                                      \
        assert_says(sn_world_error(world), words);                                                                     \
        assert_int_equal(body.generation, 0);                                                                          \
        assert_true(sn_world_hash(world) == before);                                                                   \
    } while (0)

static void bad_definitions(void **state)
{
    (void)state;
    sn_world *world = weightless();
    sn_body_def good = sn_default_body_def();
    sn_shape_def box = sn_default_shape_def(SN_SHAPE_BOX);
    good.shape_count = 1;
    uint64_t before = sn_world_hash(world);
    static const uint32_t one[3] = {0, 1, 2};
    sn_vec3 flat[4] = {vec(0, 0, 0), vec(1, 0, 0), vec(0, 1, 0), vec(1, 1, 0)};
    REFUSED(def.made = 0, "sn_default_body_def");
    REFUSED(def.position.x = (sn_real)NAN, "position");
    REFUSED(def.rotation = (sn_quat){0}, "rotation");
    REFUSED(def.spin.y = (sn_real)INFINITY, "spin");
    REFUSED(def.density = 0, "density");
    REFUSED(def.spin_damping = -1, "spin_damping");
    REFUSED(def.mass = -1, "mass");
    REFUSED(def.mass = (sn_real)NAN, "mass");
    REFUSED(def.centre.x = (sn_real)NAN, "centre");
    REFUSED((def.mass = 1, def.moments = vec(1, 1, 5)), "moments");
    REFUSED((def.mass = 1, def.moments = vec(1, -1, 1)), "moments");
    REFUSED(def.shapes = NULL, "shapes NULL");
    REFUSED(def.shape_count = 0, "mass");
    REFUSED((def.shape_count = 0, def.mass = 1), "moments");
    REFUSED(shape.half.x = 0, "shape 0 half");
    REFUSED(shape.half.y = (sn_real)NAN, "shape 0 half");
    REFUSED(shape.rounding = -1, "shape 0 rounding");
    REFUSED((shape.type = SN_SHAPE_SPHERE, shape.radius = 0), "shape 0 sphere radius 0");
    REFUSED((shape.type = SN_SHAPE_CYLINDER, shape.radius = -1), "shape 0 cylinder radius -1");
    REFUSED((shape.type = SN_SHAPE_CONE, shape.half.y = 0), "shape 0 cone half.y 0");
    REFUSED(shape.type = SN_SHAPE_PLANE, "shape 0 plane dynamic");
    REFUSED(shape.sensor = true, "no shape sensors give it a mass");
    REFUSED(def.type = (sn_body_type)7, "type 7");
    REFUSED(shape.position.x = (sn_real)NAN, "shape 0 position");
    REFUSED(shape.rotation = (sn_quat){0}, "rotation shape");
    REFUSED(shape.density = -1, "shape 0 density");
    REFUSED(shape.type = (sn_shape_type)10, "shape 0 type 10");
    REFUSED(shape.type = SN_SHAPE_HULL, "shape 0 vertices");
    REFUSED((shape.type = SN_SHAPE_HULL, shape.vertices = flat, shape.vertex_count = 4), "shape 0 plane");
    REFUSED((shape.type = SN_SHAPE_HULL, shape.vertices = flat, shape.vertex_count = 3), "shape 0 4");
    REFUSED(def.vertices = flat, "triangles");
    REFUSED((def.vertices = flat, def.vertex_count = 4, def.triangles = one, def.triangle_count = 1), "mesh edge|open");
    assert_int_equal(sn_world_body_count(world), 0);
    sn_world_destroy(world);
}

static void bad_calls(void **state)
{
    (void)state;
    sn_world *world = weightless();
    sn_body box = sn_body_add_box(world, vec(0, 0, 0), vec(1, 1, 1), 1),
            gone = sn_body_add_box(world, vec(5, 0, 0), vec(1, 1, 1), 1);
    assert_ok(world, sn_body_remove(world, gone));
    uint64_t before = sn_world_hash(world);
    sn_quat none = {0}, unit = {0, 0, 0, 1};
    sn_vec3 nan = vec((double)NAN, 0, 0), zero = vec(0, 0, 0);
    assert_result(world, SN_ERROR_STALE, sn_body_remove(world, gone));
    assert_says(sn_world_error(world), "body 1");
    assert_result(world, SN_ERROR_STALE, sn_body_set_pose(world, (sn_body){0}, zero, unit));
    assert_says(sn_world_error(world), "null");
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_pose(world, box, zero, none));
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_pose(world, box, nan, unit));
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_velocity(world, box, zero, nan));
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_velocity(world, box, nan, zero));
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_move_to(world, box, nan, unit));
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_apply_force(world, box, nan, zero));
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_apply_force(world, box, zero, nan));
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_apply_torque(world, box, nan));
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_apply_impulse(world, box, nan, zero));
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_apply_angular_impulse(world, box, nan));
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_mass(world, box, 0));
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_spin_damping(world, box, -1));
    assert_false(sn_constraint_add_attachment(world, sn_on_body(gone, zero), sn_on_body(box, zero)).kind);
    assert_false(sn_constraint_add_attachment(world, sn_on_body(box, nan), sn_at_place(zero)).kind);
    assert_false(sn_constraint_add_attachment(world, sn_at_place(zero), sn_at_place(vec(1, 0, 0))).kind);
    assert_says(sn_world_error(world), "places");
    assert_false(sn_body_add_capsule(world, zero, zero, 1, 1).generation);
    assert_true(support_is_nan(sn_body_position(world, gone)));
    assert_true(support_is_nan(sn_body_spin(NULL, box)));
    assert_true(sn_world_hash(world) == before);
    sn_world_destroy(world);
}

/* Every request for memory fails once: the call says so, and nothing has changed. */
static void memory_runs_out(void **state)
{
    (void)state;
    bool done = false;
    sn_vec3 corner[6] = {vec(0, 0, 0), vec(1, 0, 0), vec(0, 1, 0), vec(0, 0, 1), vec(1, 1, 0), vec(1, 0, 1)};
    for (uint64_t round = 1; !done; ++round) {
        support_memory memory = {0};
        sn_world_def def = support_scarce(&memory);
        sn_world *world = NULL;
        assert_int_equal(sn_world_create(&def, &world), SN_OK);
        fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
        sn_shape_def shape[2] = {sn_default_shape_def(SN_SHAPE_HULL), sn_default_shape_def(SN_SHAPE_BOX)};
        shape[0].vertices = corner;
        shape[0].vertex_count = 6;
        shape[1].position = vec(0, 2, 0);
        sn_body_def two = sn_default_body_def();
        two.shapes = shape;
        two.shape_count = 2;
        two.position = vec(0, 1, 0);
        memory.fail_at = memory.requests + round;
        uint64_t before = sn_world_hash(world);
        bool out = ran_out(world, before, sn_body_add(world, &two, NULL));
        before = sn_world_hash(world);
        out = out || ran_out(world, before, sn_world_step(world, real(FRAME)));
        before = sn_world_hash(world);
        out = out || ran_out(world, before, sn_body_add(world, &two, NULL));
        done = !out && !memory.failures;
        memory.fail_at = 0;
        support_run(world, 2, FRAME);
        sn_world_destroy(world);
        assert_memory_clean(&memory);
        assert_true(round < 1000);
    }
}

/* The same while tables that are bound together grow one after the other: one may have moved when there is no memory for the
   next. First bodies are added, then a snapshot of many is loaded where there are few. */
static void memory_runs_out_between_tables(void **state)
{
    (void)state;
    support_memory memory = {0}, other = {0};
    sn_world_def def = support_scarce(&memory), few_def = support_scarce(&other);
    sn_world *world = support_world_from(&def), *few = support_world_from(&few_def);
    for (uint32_t i = 0; i < 40; ++i)
        for (uint64_t request = 1; request;) {
            uint64_t before = sn_world_hash(world);
            memory.fail_at = memory.requests + request;
            memory.fail_ever_after = true;
            bool full = sn_body_add_sphere(world, vec(i, 0, 0), 1, 1).generation == 0;
            memory.fail_at = 0;
            assert_true(!full || sn_world_hash(world) == before);
            request = full ? request + 1 : 0;
        }
    assert_int_equal(sn_world_body_count(world), 40);
    sn_body_add_box(few, vec(0, 0, 0), vec(1, 1, 1), 1);
    sn_snapshot *saved = sn_world_save(world);
    for (uint64_t request = 1; request;) {
        uint64_t before = sn_world_hash(few);
        other.fail_at = other.requests + request;
        bool full = sn_world_load(few, saved) != SN_OK;
        other.fail_at = 0;
        assert_true(sn_world_hash(few) == (full ? before : sn_world_hash(world)));
        request = full ? request + 1 : 0;
    }
    sn_snapshot_destroy(saved);
    sn_world_destroy(few);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
    assert_memory_clean(&other);
}

/* Numbers that a shape does not use are no part of the state. */
static void unused_numbers(void **state)
{
    (void)state;
    static const sn_shape_type types[] = {SN_SHAPE_SPHERE, SN_SHAPE_CAPSULE};
    for (uint32_t i = 0; i < COUNT_OF(types); ++i) {
        uint64_t hash[2];
        for (int odd = 0; odd < 2; ++odd) {
            sn_world *world = support_world();
            sn_shape_def shape = sn_default_shape_def(types[i]);
            sn_body_def def = sn_default_body_def();
            sn_body body;
            if (odd)
                shape.half = (sn_vec3){7, shape.type == SN_SHAPE_SPHERE ? 8 : shape.half.y, (sn_real)NAN};
            def.shapes = &shape;
            def.shape_count = 1;
            assert_ok(world, sn_body_add(world, &def, &body));
            hash[odd] = sn_world_hash(world);
            sn_world_destroy(world);
        }
        assert_true(hash[0] == hash[1]);
    }
}

/* ---- In the plane ------------------------------------------------------------------------------------------------------- */

/* Runs a body with a spin of 1 rad/s about z for half a second, in 2D, and looks at how it turned and what a torque does to it. */
static void turn_in_plane(const sn_body_def *def, double inertia)
{
    sn_world_def made = sn_default_world_def();
    made.dimensions = 2;
    made.settings.gravity = vec(0, 0, 0);
    sn_world *world = support_world_from(&made);
    sn_body body;
    assert_ok(world, sn_body_add(world, def, &body));
    assert_vec_close(sn_body_spin(world, body), vec(0, 0, 1), 1e-6);
    assert_close(sn_body_angular_momentum(world, body).z, inertia, 1e-5 * inertia);
    support_run(world, 30, 1.0 / 60);
    sn_quat q = sn_body_rotation(world, body);
    assert_true(q.x == 0 && q.y == 0);
    assert_close(q.z, sin(0.25), 1e-5);
    assert_ok(world, sn_body_apply_angular_impulse(world, body, vec(0, 0, inertia)));
    assert_vec_close(sn_body_spin(world, body), vec(0, 0, 2), 1e-5);
    sn_world_destroy(world);
}

/* A body whose principal axes lean out of the plane turns about z all the same, with its moment about z. */
static void turns_about_z_in_the_plane(void **state)
{
    (void)state;
    sn_shape_def box[2] = {sn_default_shape_def(SN_SHAPE_BOX), sn_default_shape_def(SN_SHAPE_BOX)};
    sn_body_def two = sn_default_body_def(), given = two, leaning = two;
    for (int i = 0; i < 2; ++i) {
        box[i].half = vec(0.1, 0.1, 0.1);
        box[i].position = i ? vec(-0.3, 0, -0.3) : vec(0.3, 0, 0.3);
    }
    two.shapes = box;
    two.shape_count = 2;
    two.density = 1000;
    two.spin = vec(0, 0, 1);
    turn_in_plane(&two, 2 * 8 * (0.04 / 6 + 0.09));
    given.mass = 1;
    given.moments = vec(0.1, 0.2, 0.25);
    given.axes = (sn_quat){real(0.5), real(0.5), real(0.5), real(0.5)}; /* z is where y was */
    given.spin = vec(0, 0, 1);
    turn_in_plane(&given, 0.2);
    leaning.mass = 1;
    leaning.moments = vec(0.1, 0.2, 0.25);
    leaning.axes = (sn_quat){real(sin(0.4)), 0, 0, real(cos(0.4))};
    leaning.spin = vec(0, 0, 1);
    turn_in_plane(&leaning, 0.2 * sin(0.8) * sin(0.8) + 0.25 * cos(0.8) * cos(0.8));
}

/* ---- Bounds and sleep ----------------------------------------------------------------------------------------------- */

/* Compares with a box that may be too large by a thousandth, and may not be too small. */
static void assert_bounds(const sn_world *world, sn_body body, sn_vec3 low, sn_vec3 high)
{
    const double size =
        length(vec((double)high.x - (double)low.x, (double)high.y - (double)low.y, (double)high.z - (double)low.z));
    sn_vec3 a, b;
    assert_int_equal(sn_body_bounds(world, body, &a, &b), SN_OK);
    const double given[6] = {(double)low.x,   (double)low.y,   (double)low.z,
                             -(double)high.x, -(double)high.y, -(double)high.z};
    const double found[6] = {(double)a.x, (double)a.y, (double)a.z, -(double)b.x, -(double)b.y, -(double)b.z};
    for (int i = 0; i < 6; ++i)
        if (isinf(given[i]))
            assert_true(found[i] == given[i]);
        else
            assert_true(found[i] <= given[i] + 1e-6 && found[i] >= given[i] - 1e-3 * size - 1e-5);
}

static void bounds_are_around_all_shapes(void **state)
{
    (void)state;
    sn_world *world = weightless();
    sn_shape_def shapes[2] = {sn_default_shape_def(SN_SHAPE_BOX), sn_default_shape_def(SN_SHAPE_SPHERE)};
    sn_body_def def = sn_default_body_def(), bare = def;
    shapes[0].half = vec(1, 0.5, 0.25);
    shapes[0].rounding = real(0.1);
    shapes[1].position = vec(3, 0, 0);
    shapes[1].sensor = true;
    def.shapes = shapes;
    def.shape_count = 2;
    def.position = vec(10, 0, 0);
    def.rotation = (sn_quat){0, 0, real(sqrt(0.5)), real(sqrt(0.5))}; /* x goes where y was */
    sn_body dynamic = add(world, &def);
    assert_bounds(world, dynamic, vec(9.4, -1.1, -0.5), vec(10.6, 3.5, 0.5));
    def.type = SN_BODY_STATIC;
    assert_bounds(world, add(world, &def), vec(9.4, -1.1, -0.5), vec(10.6, 3.5, 0.5));
    assert_bounds(world, sn_static_add_plane(world, vec(0, 1, 0), vec(0, 1, 0)), vec(-INFINITY, -INFINITY, -INFINITY),
                  vec(INFINITY, 1, INFINITY));
    bare.mass = 1;
    bare.moments = vec(1, 1, 1);
    bare.position = vec(4, 5, 6);
    assert_bounds(world, add(world, &bare), vec(4, 5, 6), vec(4, 5, 6));

    assert_ok(world, sn_body_set_pose(world, dynamic, vec(0, 0, 0), (sn_quat){0, 0, 0, 1}));
    assert_bounds(world, dynamic, vec(-1.1, -0.6, -0.5), vec(3.5, 0.6, 0.5));
    assert_int_equal(sn_body_bounds(world, dynamic, NULL, NULL), SN_OK);

    /* shapes whose rows are not in the order of their numbers */
    sn_body first = sn_static_add_box(world, vec(0, 0, 0), vec(1, 1, 1));
    sn_body last = sn_static_add_box(world, vec(50, 0, 0), vec(1, 2, 1));
    assert_ok(world, sn_body_remove(world, first));
    assert_true(sn_static_add_box(world, vec(90, 0, 0), vec(3, 3, 3)).generation);
    assert_bounds(world, last, vec(49, -2, -1), vec(51, 2, 1));
    sn_world_destroy(world);
}

static void *take(void *context, size_t size, size_t alignment)
{
    (void)context;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

/* What is released is spoiled, so that it shows if it is read afterwards. */
static void spoil(void *context, void *block, size_t size)
{
    (void)context;
    if (block)
        memset(block, 0xee, size);
    free(block);
}

/* A body may be added as another was read, also when that makes tables move. */
static void copies_of_bodies(void **state)
{
    (void)state;
    sn_world_def world_def = sn_default_world_def();
    world_def.allocator = (sn_allocator){take, spoil, NULL};
    sn_world *world = support_world_from(&world_def);
    sn_contact_material material = sn_default_contact_material();
    const sn_filter filter = {4, 8};
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_BOX);
    material.restitution = real(0.375);
    shape.material = &material;
    shape.filter = &filter;
    for (int type = 0; type < 2; ++type) {
        sn_body_def def = sn_default_body_def();
        def.type = type ? SN_BODY_STATIC : SN_BODY_DYNAMIC;
        def.shapes = &shape;
        def.shape_count = 1;
        sn_body last = add(world, &def);
        for (int i = 0; i < 300; ++i) {
            assert_ok(world, sn_body_read(world, last, &def));
            last = add(world, &def);
        }
        assert_ok(world, sn_body_read(world, last, &def));
        assert_close(def.shapes[0].material->restitution, 0.375, 1e-9);
        assert_memory_equal(def.shapes[0].filter, &filter, sizeof filter);
    }
    sn_world_destroy(world);
}

static void bodies_sleep_and_wake(void **state)
{
    (void)state;
    sn_world_def world_def = sn_default_world_def();
    world_def.contact.sleep = true;
    sn_world *world = support_world_from(&world_def);
    sn_body floor = sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    sn_body low = sn_body_add_box(world, vec(0, 0.5, 0), vec(0.5, 0.5, 0.5), 100);
    sn_body high = sn_body_add_box(world, vec(0, 1.5, 0), vec(0.5, 0.5, 0.5), 100);
    sn_body apart = sn_body_add_box(world, vec(5, 0.5, 0), vec(0.5, 0.5, 0.5), 100);
    assert_true(sn_body_is_awake(world, low) && sn_body_is_awake(world, apart));
    for (int frame = 0; frame < 180; ++frame)
        assert_ok(world, sn_world_step(world, real(FRAME)));
    assert_false(sn_body_is_awake(world, low) || sn_body_is_awake(world, high) || sn_body_is_awake(world, apart));
    assert_true(sn_body_is_awake(world, floor));
    assert_ok(world, sn_body_wake(world, floor));
    assert_false(sn_body_is_awake(world, low));
    assert_ok(world, sn_body_wake(world, high));
    assert_true(sn_body_is_awake(world, low) && sn_body_is_awake(world, high));
    assert_false(sn_body_is_awake(world, apart));
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_about_z_in_the_plane),
        cmocka_unit_test(unused_numbers),
        cmocka_unit_test(tumbles_as_it_should),
        cmocka_unit_test(swings_like_a_rod),
        cmocka_unit_test(forces_and_impulses),
        cmocka_unit_test(spin_decays),
        cmocka_unit_test(is_led),
        cmocka_unit_test(compound_bodies),
        cmocka_unit_test(hulls_and_meshes),
        cmocka_unit_test(reads_back),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(points_come_and_go),
        cmocka_unit_test(reactions),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(bounds_are_around_all_shapes),
        cmocka_unit_test(copies_of_bodies),
        cmocka_unit_test(bodies_sleep_and_wake),
        cmocka_unit_test(bad_definitions),
        cmocka_unit_test(bad_calls),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(memory_runs_out_between_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

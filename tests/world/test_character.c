/* The character: steps, slopes, walls, corners, platforms, bodies; at many sizes and speeds. */
#include "support/fixed.h"
#include "support/support.h"

#include <math.h>
#include <sinew/character.h>

#define DT (1.0 / 60)

/* Walks: velocity across is kept, gravity pulls. */
static void walk(sn_world *world, sn_character *c, double x, double z, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; ++i) {
        c->velocity.x = real(x);
        c->velocity.z = real(z);
        if (!c->grounded)
            c->velocity.y -= real(9.81 * DT);
        else
            c->velocity.y = 0;
        assert_ok(world, sn_world_step(world, real(DT)));
        assert_ok(world, sn_character_move(world, c, real(DT)));
        assert_true(support_is_finite(c->position) && support_is_finite(c->velocity));
    }
}

static sn_character standing_at(double x, double y, double z)
{
    sn_character c = sn_default_character();
    c.position = vec(x, y, z);
    return c;
}

static sn_world *with_floor(void)
{
    sn_world *world = support_world();
    fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    return world;
}

static sn_quat about_z(double angle)
{
    return (sn_quat){0, 0, real(sin(angle / 2)), real(cos(angle / 2))};
}

/* ---- Ground -------------------------------------------------------------------------------------------------------- */

static void test_falls_and_stands(void **state)
{
    (void)state;
    sn_world *world = with_floor();
    sn_character c = standing_at(0, 3, 0);
    walk(world, &c, 0, 0, 30);
    assert_false(c.grounded);
    assert_close(c.position.y, 3 - 9.81 / 2 * 0.25, 0.1);
    walk(world, &c, 0, 0, 60);
    assert_true(c.grounded);
    assert_int_not_equal(c.ground.body.generation, 0);
    assert_close(c.position.y, 0.006, 1e-4);
    assert_close(c.velocity.y, 0, 0);
    sn_vec3 rest = c.position;
    walk(world, &c, 0, 0, 600);
    assert_true(support_gap(c.position, rest) < 1e-5); /* it stays, to the hundredth of a millimetre */
    walk(world, &c, 3, -4, 60);
    assert_close(c.position.x, 3, 1e-3);
    assert_close(c.position.z, -4, 1e-3);
    assert_close(c.position.y, 0.006, 1e-4);

    /* a jump of 5 m/s goes 1.27 m up, and it lands */
    double top = 0;
    c.velocity = vec(0, 5, 0);
    for (int i = 0; i < 90; ++i) {
        assert_ok(world, sn_character_move(world, &c, real(DT)));
        assert_int_equal(i == 0 && c.grounded, 0);
        top = fmax(top, (double)c.position.y);
        c.velocity.y = c.grounded ? 0 : c.velocity.y - real(9.81 * DT);
    }
    assert_close(top, 25 / (2 * 9.81), 0.1);
    assert_true(c.grounded);
    sn_world_destroy(world);
}

/* ---- Steps --------------------------------------------------------------------------------------------------------- */

static double walk_to_step(double height, double step, double radius, double speed, bool mesh)
{
    sn_world *world = with_floor();
    if (mesh) { /* a box of triangles */
        const sn_vec3 v[] = {vec(2, 0, -3),      vec(6, 0, -3),      vec(6, 0, 3),      vec(2, 0, 3),
                             vec(2, height, -3), vec(6, height, -3), vec(6, height, 3), vec(2, height, 3)};
        const uint32_t t[] = {4, 7, 6, 4, 6, 5, 0, 3, 7, 0, 7, 4, 1, 5, 6, 1, 6, 2,
                              0, 4, 5, 0, 5, 1, 3, 2, 6, 3, 6, 7, 0, 1, 2, 0, 2, 3};
        fixed_def def = default_fixed();
        def.type = SN_SHAPE_MESH;
        def.vertices = v;
        def.vertex_count = 8;
        def.triangles = t;
        def.triangle_count = 12;
        sn_body made;
        assert_ok(world, fixed_add(world, &def, &made));
    } else {
        fixed_add_box(world, vec(4, height / 2, 0), vec(2, height / 2, 3));
    }
    sn_character c = standing_at(0, 0.02, 0);
    c.step_height = real(step);
    c.radius = real(radius);
    c.skin = real(0.02 * radius);
    walk(world, &c, 0, 0, 10);
    walk(world, &c, speed, 0, (uint32_t)(4 / speed * 60));
    double y = (double)c.position.y;
    if (y < height / 2) { /* it stands before it */
        const double round = height < radius ? sqrt(radius * radius - (radius - height) * (radius - height)) : radius;
        assert_close(c.position.x, 2 - round, 0.04 * radius);
        assert_true(c.blocked);
        assert_close(c.velocity.x, 0, 1e-3);
    } else {
        assert_true(c.position.x > real(2.5));
    }
    assert_true(c.grounded);
    sn_world_destroy(world);
    return y;
}

static void test_steps(void **state)
{
    (void)state;
    const double radii[] = {0.2, 0.3, 0.5}, speeds[] = {0.5, 2, 8}, steps[] = {0.15, 0.3, 0.45};
    for (uint32_t r = 0; r < 3; ++r)
        for (uint32_t v = 0; v < 3; ++v)
            for (uint32_t k = 0; k < 3; ++k)
                for (int mesh = 0; mesh < 2; ++mesh) {
                    double step = steps[k], radius = radii[r];
                    double low = walk_to_step(0.93 * step, step, radius, speeds[v], mesh);
                    assert_close(low, 0.93 * step, 0.03 * radius);
                    double high = walk_to_step(1.07 * step, step, radius, speeds[v], mesh);
                    assert_close(high, 0, 0.03 * radius);
                }
}

/* Up and down a flight of stairs, on the ground all the time. */
static void test_stairs(void **state)
{
    (void)state;
    sn_world *world = with_floor();
    for (int i = 0; i < 10; ++i)
        fixed_add_box(world, vec(3 + 0.15 + 0.3 * i, 0.1 * (i + 1), 0), vec(0.15, 0.1 * (i + 1), 2));
    for (int i = 0; i < 10; ++i)
        fixed_add_box(world, vec(6 + 0.15 + 0.3 * i, 0.1 * (10 - i), 0), vec(0.15, 0.1 * (10 - i), 2));
    sn_character c = standing_at(0, 0.02, 0);
    walk(world, &c, 0, 0, 5);
    double top = 0;
    for (int i = 0; i < 360; ++i) {
        double before = (double)c.position.y;
        walk(world, &c, 2, 0, 1);
        assert_true(c.grounded);
        assert_true(fabs((double)c.position.y - before) < 0.31);
        top = fmax(top, (double)c.position.y);
    }
    assert_close(top, 2.006, 0.01);
    assert_true(c.position.x > real(11));
    assert_close(c.position.y, 0.006, 1e-3);
    sn_world_destroy(world);
}

/* ---- Slopes -------------------------------------------------------------------------------------------------------- */

static void test_slopes(void **state)
{
    (void)state;
    for (int degrees = 10; degrees <= 80; degrees += 10) {
        const double angle = degrees * SN_PI / 180;
        sn_world *world = with_floor();
        fixed_def def = default_fixed();
        def.type = SN_SHAPE_BOX; /* its upper face begins at x = 2 */
        def.half = vec(10, 1, 5);
        def.rotation = about_z(angle);
        def.position = vec(2 + 10 * cos(angle) + sin(angle), 10 * sin(angle) - cos(angle), 0);
        sn_body slope;
        assert_ok(world, fixed_add(world, &def, &slope));
        sn_character c = standing_at(0, 0.02, 0);
        c.slope_limit = real(45 * SN_PI / 180);
        c.step_height = real(0.2);
        walk(world, &c, 0, 0, 5);
        walk(world, &c, 2, 0, 180);
        if (degrees < 45) { /* it has come up, stands there, and does not slide back */
            assert_true(c.position.y > real(0.5));
            assert_true(c.grounded);
            assert_vec_close(c.ground.normal, vec(-sin(angle), cos(angle), 0), 1e-3);
            sn_vec3 rest = c.position;
            walk(world, &c, 0, 0, 120);
            assert_true(support_gap(c.position, rest) < 1e-3);
            for (int i = 0; i < 60; ++i) { /* and walks down on the ground */
                walk(world, &c, -2, 0, 1);
                assert_true(c.grounded);
            }
        } else {
            assert_true(c.position.y < real(0.1));
            assert_true(c.blocked);
            c.position = vec(2 + 5 * cos(angle), 5 * sin(angle) + 1, 0); /* dropped onto it, it slides down */
            c.velocity = vec(0, 0, 0);
            c.grounded = false;
            for (int i = 0; i < 300; ++i) {
                c.velocity.y -= c.grounded ? 0 : real(9.81 * DT);
                assert_ok(world, sn_character_move(world, &c, real(DT)));
            }
            assert_true(c.position.y < real(1));
        }
        sn_world_destroy(world);
    }
}

/* ---- Walls --------------------------------------------------------------------------------------------------------- */

/* Along a wall it keeps the part of its velocity along it. */
static void test_slides_along_walls(void **state)
{
    (void)state;
    sn_world *world = with_floor();
    fixed_add_box(world, vec(3, 2, 0), vec(1, 2, 50));
    sn_character c = standing_at(0, 0.02, 0);
    walk(world, &c, 0, 0, 5);
    walk(world, &c, 3, 4, 120);
    assert_close(c.position.x, 2 - 0.306, 2e-3);
    assert_close(c.position.z, 8, 0.05);
    assert_close(c.velocity.x, 0, 1e-4);
    assert_close(c.velocity.z, 4, 1e-4);
    assert_vec_close(c.wall.normal, vec(-1, 0, 0), 1e-3);
    sn_world_destroy(world);
}

/* Into corners of all angles: it comes to rest and does not tremble. */
static void test_corners(void **state)
{
    (void)state;
    for (int degrees = 20; degrees <= 160; degrees += 20) {
        const double half = degrees * SN_PI / 360;
        sn_world *world = with_floor();
        for (int side = -1; side <= 1; side += 2) { /* two walls that meet at x = 5 */
            fixed_def def = default_fixed();
            def.type = SN_SHAPE_BOX;
            def.half = vec(10, 3, 0.5);
            const double turn = side * half;
            def.rotation = (sn_quat){0, real(sin(turn / 2)), 0, real(cos(turn / 2))};
            def.position = vec(5 - 10 * cos(turn) + 0.5 * sin(half), 0, side * (10 * sin(half) + 0.5 * cos(half)));
            sn_body wall;
            assert_ok(world, fixed_add(world, &def, &wall));
        }
        sn_character c = standing_at(5 - 2 / sin(half), 0.02, 0);
        walk(world, &c, 0, 0, 5);
        walk(world, &c, 3, 0.37, 240);
        const double way = (c.radius + c.skin) / sin(half);
        assert_true((double)c.position.x < 5 - 0.9 * way);
        sn_vec3 rest = c.position;
        for (int i = 0; i < 120; ++i) {
            walk(world, &c, 3, 0.37, 1);
            assert_true(support_gap(c.position, rest) < 2e-3);
            assert_true(support_gap(c.moved, vec(0, 0, 0)) < 1e-3);
        }
        sn_world_destroy(world);
    }
}

/* A wall of a millimetre, at every speed and from every side. */
static void test_no_tunnelling(void **state)
{
    (void)state;
    sn_world *world = support_world();
    fixed_add_box(world, vec(0, 0, 0), vec(0.0005, 2000, 2000));
    uint64_t seed = 4;
    const sn_vec3 corner[] = {vec(20, -5000, -5000), vec(20, 5000, -5000),
                              vec(20, 0, 8000)}; /* and a triangle without any thickness to speak of */
    const uint32_t triangle[] = {0, 1, 2};
    fixed_def def = default_fixed();
    def.type = SN_SHAPE_MESH;
    def.vertices = corner;
    def.vertex_count = 3;
    def.triangles = triangle;
    def.triangle_count = 1;
    sn_body sheet;
    assert_ok(world, fixed_add(world, &def, &sheet));
    for (uint32_t i = 0; i < support_rounds(2000, 300); ++i) {
        const double speed = pow(10, support_random_in(&seed, 0, 5));
        sn_character c = standing_at(support_random_in(&seed, 0.4, 19.6), 0, support_random_in(&seed, -5, 5));
        c.grounded = i % 2;
        for (int k = 0; k < 5; ++k) {
            double a = support_random_in(&seed, 0, 2 * SN_PI), b = support_random_in(&seed, -0.3, 0.3);
            c.velocity = vec(speed * cos(a), k < 2 ? 0 : speed * b, 0.1 * speed * sin(a) / (1 + speed / 50));
            c.position.y = c.position.z = 0;
            assert_ok(world, sn_character_move(world, &c, real(DT)));
            assert_true(c.position.x > real(0.3) && c.position.x < real(19.71));
        }
    }
    sn_world_destroy(world);
}

/* ---- What moves ---------------------------------------------------------------------------------------------------- */

static void test_platforms(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        sn_world *world = support_world();
        sn_body fixed_shape = {0, 0};
        sn_body body = {0, 0};
        if (kind < 3) {
            fixed_shape = fixed_add_box(world, vec(0, -0.5, 0), vec(3, 0.5, 3));
        } else {
            body = sn_body_add_box(world, vec(0, -0.5, 0), vec(3, 0.5, 3), 1000);
            assert_ok(world, sn_body_set_mass(world, body, SN_IMMOVABLE));
        }
        sn_character c = standing_at(1, 0.02, 1);
        walk(world, &c, 0, 0, 10);
        assert_true(c.grounded);
        if (kind == 0) /* away, and up */
            assert_ok(world, sn_body_set_velocity(world, fixed_shape, vec(2, 1, -1), vec(0, 0, 0)));
        if (kind == 1) /* down */
            assert_ok(world, sn_body_set_velocity(world, fixed_shape, vec(0, -3, 0), vec(0, 0, 0)));
        if (kind == 2) /* round, a quarter in a second */
            assert_ok(world, sn_body_set_velocity(world, fixed_shape, vec(0, 0, 0), vec(0, SN_PI / 2, 0)));
        for (int i = 1; i <= 60; ++i) {
            if (kind == 3)
                assert_ok(world,
                          sn_body_move_to(world, body, vec(2 * i * DT, -0.5 + 0.5 * i * DT, 0), (sn_quat){0, 0, 0, 1}));
            walk(world, &c, 0, 0, 1);
            assert_true(c.grounded);
        }
        const sn_vec3 there = kind == 0   ? vec(3, 1.006, 0)
                              : kind == 1 ? vec(1, -2.994, 1)
                              : kind == 2 ? vec(1, 0.006, -1)
                                          : vec(3, 0.506, 1);
        assert_vec_close(c.position, there, 5e-3);
        if (kind == 0) {
            assert_vec_close(c.ground_velocity, vec(2, 1, -1), 1e-2);
            walk(world, &c, 1, 0, 30); /* and walks on it */
            assert_close(c.position.x, 3 + 1 + 0.5, 1e-2);
            assert_ok(world, sn_body_remove(world, fixed_shape));
            walk(world, &c, 0, 0, 30); /* gone from under it */
            assert_false(c.grounded);
        }
        sn_world_destroy(world);
    }
}

/* A wall that moves pushes it along; one that would crush it against another does no harm but to go through. */
static void test_pushed(void **state)
{
    (void)state;
    sn_world *world = with_floor();
    sn_body wall = fixed_add_box(world, vec(-2, 1, 0), vec(1, 1, 5));
    sn_character c = standing_at(0, 0.02, 0);
    walk(world, &c, 0, 0, 5);
    assert_ok(world, sn_body_set_velocity(world, wall, vec(1, 0, 0), vec(0, 0, 0)));
    walk(world, &c, 0, 0, 180);
    assert_close(c.position.x, 2 + 0.306, 0.02);
    assert_close(c.position.y, 0.006, 5e-3);
    assert_true(c.grounded);
    fixed_add_box(world, vec(4, 1, 0), vec(1, 1, 5));
    walk(world, &c, 0, 0, 120);
    assert_true(support_is_finite(c.position));
    sn_world_destroy(world);
}

static void test_pushes_bodies(void **state)
{
    (void)state;
    const double masses[] = {20, 200, 20000};
    double gone[3], slowed[3];
    for (int i = 0; i < 3; ++i) {
        sn_world *world = with_floor();
        sn_body box = sn_body_add_box(world, vec(1.5, 0.5, 0), vec(0.5, 0.5, 0.5), real(masses[i]));
        sn_character c = standing_at(0, 0.02, 0);
        walk(world, &c, 0, 0, 5);
        walk(world, &c, 2, 0, 90);
        gone[i] = (double)sn_body_position(world, box).x - 1.5;
        slowed[i] = (double)c.position.x;
        assert_true((double)c.position.x < (double)sn_body_position(world, box).x - 0.5 - 0.3 + 0.02);
        sn_world_destroy(world);
    }
    assert_true(gone[0] > 1.2); /* friction takes 100 N */
    assert_true(gone[1] < gone[0] && gone[1] >= 0);
    assert_close(gone[2], 0, 1e-2);
    assert_close(slowed[2], 0.7, 0.02);

    /* it presses on what it stands on: a plank on a pivot tips */
    sn_world *world = support_world();
    sn_body plank = sn_body_add_box(world, vec(0, 0, 0), vec(2, 0.05, 0.5), 100);
    assert_int_not_equal(sn_joint_add_hinge(world, plank, (sn_body){0, 0}, vec(0, 0, 0), vec(0, 0, 1)).generation, 0);
    sn_character c = standing_at(1, 0.07, 0);
    walk(world, &c, 0, 0, 20);
    assert_true(sn_body_spin(world, plank).z < real(-0.05));
    c.mass = 0;
    sn_world_destroy(world);
}

/* ---- The rest ------------------------------------------------------------------------------------------------------ */

/* Its own fixed shape does not stop it, and follows it. */
static void test_own_fixed_shape(void **state)
{
    (void)state;
    sn_world *world = with_floor();
    sn_character c = standing_at(0, 0.006, 0);
    c.body = fixed_add_capsule(world, vec(0, 0.3, 0), vec(0, 1.5, 0), real(0.3));
    walk(world, &c, 2, 0, 60);
    assert_close(c.position.x, 2, 1e-2);
    fixed_def def;
    assert_ok(world, sn_world_step(world, real(DT)));
    assert_ok(world, fixed_read(world, c.body, &def));
    assert_vec_close(def.position, vec(c.position.x, c.position.y + real(0.9), 0), 1e-3);
    assert_true(sn_character_fits(world, &c, c.position));
    assert_ok(world, sn_body_remove(world, c.body));
    assert_result(world, SN_ERROR_ARGUMENT, sn_character_move(world, &c, real(DT)));
    assert_says(sn_world_error(world), "body gone");
    sn_world_destroy(world);
}

static void test_fits(void **state)
{
    (void)state;
    sn_world *world = with_floor();
    fixed_add_box(world, vec(0, 2.5, 0), vec(5, 1, 5)); /* a ceiling at 1.5 m */
    sn_character c = standing_at(0, 0.01, 0);
    assert_false(sn_character_fits(world, &c, c.position));
    c.height = real(1.2);
    assert_true(sn_character_fits(world, &c, c.position));
    assert_true(sn_character_fits(world, &c, vec(0, 0, 0))); /* it only touches the floor */
    assert_false(sn_character_fits(world, &c, vec(0, -0.1, 0)));
    assert_false(sn_character_fits(world, &c, vec(NAN, 0, 0)));
    assert_false(sn_character_fits(NULL, &c, c.position));
    walk(world, &c, 1, 0, 60); /* and walks under it */
    assert_close(c.position.x, 1, 1e-2);
    sn_world_destroy(world);
}

/* All of it a thousand times smaller and larger: it climbs a step, and stands before one that is too high. */
static void test_sizes(void **state)
{
    (void)state;
    const double sizes[] = {1e-3, 1e-2, 1, 30, 1e3};
    for (uint32_t i = 0; i < COUNT_OF(sizes); ++i) {
        const double k = sizes[i];
        sn_world *world = support_void();
        fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
        fixed_add_box(world, vec(3 * k, 0.1 * k, 0), vec(1 * k, 0.1 * k, 3 * k));
        fixed_add_box(world, vec(6 * k, 0.5 * k, 0), vec(1 * k, 0.5 * k, 3 * k));
        sn_character c = standing_at(0, 0.02 * k, 0);
        c.radius = real(0.3 * k);
        c.height = real(1.8 * k);
        c.step_height = real(0.3 * k);
        c.skin = real(0.006 * k);
        c.velocity = vec(0, -k, 0);
        assert_ok(world, sn_character_move(world, &c, real(DT)));
        double top = 0;
        for (int frame = 0; frame < 300; ++frame) {
            c.velocity = vec(2 * k, 0, 0);
            assert_ok(world, sn_character_move(world, &c, real(DT)));
            assert_true(c.grounded);
            top = fmax(top, (double)c.position.y);
        }
        assert_close(top / k, 0.206, 5e-3);
        assert_close((double)c.position.x / k, 5 - 0.306, 5e-3);
        sn_world_destroy(world);
    }
}

/* Any way may be up, and worlds may be flat. */
static void test_up_and_flat(void **state)
{
    (void)state;
    sn_world *world = support_void();
    fixed_add_plane(world, vec(0, 0, 0), vec(1, 0, 0));
    sn_character c = sn_default_character();
    c.up = vec(3, 0, 0);
    c.position = vec(0.02, 0, 0);
    for (int i = 0; i < 60; ++i) {
        c.velocity = vec(c.grounded ? 0 : -1, 2, 0);
        assert_ok(world, sn_character_move(world, &c, real(DT)));
    }
    assert_true(c.grounded);
    assert_vec_close(c.position, vec(0.006, 2, 0), 1e-2);
    sn_world_destroy(world);

    world = support_world_2d();
    fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    fixed_add_box(world, vec(3, 0.1, 0), vec(1, 0.1, 1));
    c = standing_at(0, 0.02, 0);
    walk(world, &c, 0, 0, 5);
    walk(world, &c, 2, 0, 80);
    assert_close(c.position.y, 0.206, 5e-3);
    assert_true(c.position.z == 0);
    c.velocity.z = 1;
    assert_result(world, SN_ERROR_ARGUMENT, sn_character_move(world, &c, real(DT)));
    assert_says(sn_world_error(world), "velocity z");
    sn_world_destroy(world);
}

static void test_bad_input(void **state)
{
    (void)state;
    sn_world *world = with_floor();
    const sn_character good = standing_at(0, 0.1, 0);
    sn_character c;
#define REFUSED(field, value)                                                                                          \
    do {                                                                                                               \
        c = good;                                                                                                      \
        c.field = value;                                                                                               \
        sn_character before = c;                                                                                       \
        assert_result(world, SN_ERROR_ARGUMENT, sn_character_move(world, &c, real(DT)));                               \
        assert_says(sn_world_error(world), #field);                                                                    \
        assert_memory_equal(&c, &before, sizeof c);                                                                    \
    } while (0)
    REFUSED(radius, 0);
    REFUSED(radius, real(NAN));
    REFUSED(height, real(0.5));
    REFUSED(step_height, -1);
    REFUSED(slope_limit, 2);
    REFUSED(skin, 0);
    REFUSED(skin, 1);
    REFUSED(mass, -1);
    REFUSED(push, real(NAN));
    REFUSED(up, vec(0, 0, 0));
    REFUSED(up, vec(0, NAN, 0));
    REFUSED(position, vec(INFINITY, 0, 0));
    REFUSED(velocity, vec(0, NAN, 0));
    REFUSED(velocity, vec(1e30, 0, 0)); /* the squares of its way would leave the range */
    REFUSED(position, vec(0, 1e30, 0));
    REFUSED(filter.what, 0);
    REFUSED(filter.what, 0x100);
#undef REFUSED
    c = good;
    assert_result(world, SN_ERROR_ARGUMENT, sn_character_move(world, &c, 0));
    assert_result(world, SN_ERROR_ARGUMENT, sn_character_move(world, &c, real(INFINITY)));
    assert_says(sn_world_error(world), "dt");
    assert_result(world, SN_ERROR_ARGUMENT, sn_character_move(world, NULL, real(DT)));
    assert_says(sn_world_error(world), "character NULL");
    assert_int_equal(sn_character_move(NULL, &c, real(DT)), SN_ERROR_ARGUMENT);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falls_and_stands),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_stairs),
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_slides_along_walls),
        cmocka_unit_test(test_corners),
        cmocka_unit_test(test_no_tunnelling),
        cmocka_unit_test(test_platforms),
        cmocka_unit_test(test_pushed),
        cmocka_unit_test(test_pushes_bodies),
        cmocka_unit_test(test_own_fixed_shape),
        cmocka_unit_test(test_fits),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_up_and_flat),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

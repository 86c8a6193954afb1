/* Contact of bodies at hundreds of metres a second: nothing is passed, and what is only passed by is not touched. */
#include "world/body_worlds.h"

#define SHOTS support_rounds(60, 15)

static sn_vec3 along(sn_vec3 a, double s, sn_vec3 b)
{
    return vec((double)a.x + s * (double)b.x, (double)a.y + s * (double)b.y, (double)a.z + s * (double)b.z);
}

static sn_vec3 random_direction(uint64_t *seed)
{
    sn_vec3 d;
    do
        d = vec(support_random_in(seed, -1, 1), support_random_in(seed, -1, 1), support_random_in(seed, -1, 1));
    while (length(d) > 1 || length(d) < 0.1);
    return along(vec(0, 0, 0), 1 / length(d), d);
}

/* Free space, ten substeps a step. */
static sn_world *make_range(void)
{
    sn_world *world = support_void();
    sn_settings settings = sn_world_settings(world);
    settings.substeps = 10;
    assert_ok(world, sn_world_configure(world, &settings));
    return world;
}

/* Whether the way from one place to another, in a box's own frame, leads through its middle. */
static bool leads_through(sn_vec3 from, sn_vec3 to, sn_vec3 half)
{
    double y = (double)from.y, end = (double)to.y;
    if ((y > 0) == (end > 0))
        return false;
    double t = y / (y - end), x = (double)from.x + t * ((double)to.x - (double)from.x),
           z = (double)from.z + t * ((double)to.z - (double)from.z);
    return fabs(x) < 0.9 * (double)half.x && fabs(z) < 0.9 * (double)half.z;
}

/* ---- Particles ---------------------------------------------------------------------------------------------------------- */

/* Bullets at a box and at a plate, which stand, fly or turn. */
static void shoot_at_body(sn_vec3 half, sn_vec3 spin, double radius, uint64_t seed)
{
    for (uint32_t i = 0, shots = SHOTS; i < shots; ++i) {
        sn_world *world = make_range();
        set_materials(world, i % 2 ? 1 : 0, i % 3 == 0 ? 0.8 : 0);
        sn_body body = box_body(world, vec(0, 0, 0), half, 1000);
        sn_vec3 aim = vec(support_random_in(&seed, -0.6, 0.6) * (double)half.x, 0,
                          support_random_in(&seed, -0.6, 0.6) * (double)half.z);
        sn_vec3 d = vec(support_random_in(&seed, -0.5, 0.5), i % 2 ? 1 : -1, support_random_in(&seed, -0.5, 0.5));
        d = along(vec(0, 0, 0), 1 / length(d), d);
        sn_particle p = flying_ball(world, along(aim, -support_random_in(&seed, 1.2, 9), d),
                                    along(vec(0, 0, 0), 300, d), 0.01, radius);
        flying(world, body, vec(0, 0, 0), spin);
        sn_vec3 fired = speed(world, p), last = sn_body_to_own(world, body, place(world, p));
        for (int n = 0; n < 4; ++n) {
            step(world);
            sn_vec3 own = sn_body_to_own(world, body, place(world, p));
            double out = fmax(fabs((double)own.x) - (double)half.x,
                              fmax(fabs((double)own.y) - (double)half.y, fabs((double)own.z) - (double)half.z));
            if (out < radius - (length(spin) > 0 ? 2e-3 : 1e-3) ||
                (length(spin) == 0 && leads_through(last, own, half)))
                fail_msg("shot %u: %g m from the surface at step %d, (%g %g %g) to (%g %g %g)", i, out, n,
                         (double)last.x, (double)last.y, (double)last.z, (double)own.x, (double)own.y, (double)own.z);
            last = own;
        }
        if (length(spin) == 0 && support_gap(fired, speed(world, p)) < 10)
            fail_msg("shot %u: it was not met", i);
        sn_world_destroy(world);
    }
}

static void bullets_do_not_pass_bodies(void **state)
{
    (void)state;
    for (int radius = 0; radius < 2; ++radius) {
        shoot_at_body(vec(0.5, 0.5, 0.5), vec(0, 0, 0), 1e-3 * radius, 1);
        shoot_at_body(vec(0.5, 0.005, 0.5), vec(0, 0, 0), 1e-3 * radius, 2);
    }
}

/* A plate turns at 30 rad/s, 15 m/s at its edge, among bullets: they and it never overlap at the end of a step. */
static void bullets_and_plates_that_turn(void **state)
{
    (void)state;
    shoot_at_body(vec(0.5, 0.005, 0.5), vec(30, 0, 0), 1e-3, 3);
    shoot_at_body(vec(0.5, 0.005, 0.5), vec(5, 30, 20), 1e-3, 4);
}

/* Particles that hang in the air before a plate that swings at them are swept along, all of them. */
static void swung_plate_takes_all_along(void **state)
{
    (void)state;
    for (int fast = 0; fast < 2; ++fast) {
        sn_world *world = make_range();
        sn_body plate = box_body(world, vec(0, 0, 0), vec(0.5, 0.005, 0.5), 100000);
        sn_particle dust[24];
        for (int i = 0; i < 24; ++i)
            dust[i] = ball(world, vec(0.35 * cos(0.3 + 0.05 * i), 0.35 * sin(0.3 + 0.05 * i), -0.4 + 0.03 * i), 1e-3,
                           1e-3 * (i % 2));
        flying(world, plate, vec(0, 0, 0), vec(0, 0, fast ? 200 : 20));
        for (int n = 0; n < 10; ++n) {
            double turn = (fast ? 200 : 20) * FRAME * (n + 1);
            step(world);
            for (int i = 0; i < 24; ++i) {
                sn_vec3 own = sn_body_to_own(world, plate, place(world, dust[i]));
                double angle = 0.3 + 0.05 * i;
                if (turn > angle && turn < PI && fabs((double)own.x) < 0.49) { /* before the plate, not behind it */
                    if ((double)own.y < 0.003)
                        fail_msg("%d rad/s: grain %d is at (%g %g %g) of the plate after step %d", fast ? 200 : 20, i,
                                 (double)own.x, (double)own.y, (double)own.z, n);
                }
            }
        }
        sn_world_destroy(world);
    }
}

/* ---- Bodies ----------------------------------------------------------------------------------------------------------------- */

/* A wall of boxes with edges of 0.1 m that touch, facing x; immovable, or free. */
static void add_wall(sn_world *world, bool stands)
{
    for (int i = 0; i < 25; ++i) {
        sn_body box = box_body(world, vec(0, (i % 5 - 2) * 0.1, (i / 5 - 2) * 0.1), vec(0.05, 0.05, 0.05), 1000);
        if (stands)
            assert_ok(world, sn_body_set_mass(world, box, SN_IMMOVABLE));
    }
}

static void balls_do_not_pass_walls(void **state)
{
    (void)state;
    static const double speeds[] = {100, 300}, radii[] = {0.01, 0.05, 0.1};
    uint64_t seed = 5;
    for (int stands = 0; stands < 2; ++stands)
        for (size_t s = 0; s < COUNT_OF(speeds); ++s)
            for (size_t r = 0; r < COUNT_OF(radii); ++r)
                for (uint32_t shot = 0, shots = support_rounds(6, 2); shot < shots; ++shot) {
                    sn_world *world = make_range();
                    add_wall(world, stands);
                    /* anywhere; at the middle of a box, if that may give way to the side */
                    double wide = stands ? 0.15 : 0.01;
                    sn_vec3 from = vec(-support_random_in(&seed, 0.3, 8), support_random_in(&seed, -wide, wide),
                                       support_random_in(&seed, -wide, wide));
                    sn_body shell = sphere_body(world, from, radii[r], 1000);
                    flying(world, shell, vec(speeds[s], 0, 0), vec(0, 0, 0));
                    momenta before = momenta_of(world);
                    for (int n = 0, left = 1; n < 8 && left > 0; ++n) { /* until after the blow */
                        double ahead = 0;
                        step(world);
                        left -= (double)sn_body_velocity(world, shell).x < 0.99 * speeds[s];
                        for (uint32_t i = 0; i < 25; ++i)
                            ahead = fmax(ahead, (double)sn_body_position(world, sn_body_from_index(world, i)).x);
                        double x = (double)sn_body_position(world, shell).x;
                        if (stands ? !(x < -0.05 - 0.7 * radii[r]) : !(x < ahead - 0.04))
                            fail_msg("%g m/s, radius %g, stands %d: it is at %g m, the foremost box at %g m", speeds[s],
                                     radii[r], stands, x, ahead);
                    }
                    assert_true((double)sn_body_velocity(world, shell).x < 0.99 * speeds[s]);
                    momenta after = momenta_of(world);
                    for (int k = 0; !stands && k < 3; ++k)
                        assert_close(before.p[k], after.p[k], 1e-4 * before.scale);
                    sn_world_destroy(world);
                }
}

/* A plate a centimetre thick against another, flat, tilted and turning. */
static void plates_do_not_pass_plates(void **state)
{
    (void)state;
    static const double speeds[] = {30, 100, 300};
    uint64_t seed = 6;
    for (size_t s = 0; s < COUNT_OF(speeds); ++s)
        for (uint32_t shot = 0, shots = support_rounds(24, 6); shot < shots; ++shot) {
            sn_world *world = make_range();
            double tilt = shot % 3 ? 0.3 * (shot % 3) : 0, gap = support_random_in(&seed, 0.4, 3);
            sn_body wall = box_body(world, vec(0, 0, 0), vec(0.005, 0.5, 0.5), 1000);
            sn_body plate = box_body(world, vec(-gap, 0, 0), vec(0.005, 0.2, 0.2), 1000);
            assert_ok(world, sn_body_set_pose(world, plate, vec(-gap, 0, 0), turned(vec(0, 0, 1), tilt)));
            flying(world, plate, vec(speeds[s], 0, 0), shot % 2 ? random_direction(&seed) : vec(0, 0, 0));
            for (int n = 0; n < 15 && (double)sn_body_velocity(world, wall).x < 0.02 * speeds[s]; ++n)
                step(world);
            sn_vec3 own = sn_body_to_own(world, wall, sn_body_position(world, plate));
            if (!((double)own.x < 0) || !((double)sn_body_velocity(world, wall).x > 0.02 * speeds[s]))
                fail_msg("%g m/s, tilted by %g, turning %d: the plate is at (%g %g %g) m of the wall", speeds[s], tilt,
                         shot % 2, (double)own.x, (double)own.y, (double)own.z);
            sn_world_destroy(world);
        }
}

/* Who is struck strikes on within the step: the second box may not leave the first behind, nor pass what stands. */
static void blows_are_handed_on(void **state)
{
    (void)state;
    static const double gaps[] = {0.001, 0.02, 0.2, 0.7};
    for (size_t g = 0; g < COUNT_OF(gaps); ++g) {
        sn_world *world = make_range();
        sn_body box[4];
        for (int i = 0; i < 4; ++i)
            box[i] = box_body(world, vec((0.2 + gaps[g]) * i, 0, 0), vec(0.1, 0.1, 0.1), 1000);
        assert_ok(world, sn_body_set_mass(world, box[3], SN_IMMOVABLE));
        flying(world, sphere_body(world, vec(-1.5, 0, 0), 0.1, 8000), vec(200, 0, 0), vec(0, 0, 0));
        for (int n = 0; n < 12; ++n) {
            step(world);
            for (int i = 1; i < 4; ++i)
                if ((double)sn_body_position(world, box[i]).x - (double)sn_body_position(world, box[i - 1]).x < 0.05)
                    fail_msg("gap %g: step %d: box %d is at %g, box %d at %g", gaps[g], n, i - 1,
                             (double)sn_body_position(world, box[i - 1]).x, i,
                             (double)sn_body_position(world, box[i]).x);
        }
        sn_world_destroy(world);
    }
}

/* ---- Fixed shapes ---------------------------------------------------------------------------------------------------------------- */

static sn_real thin_slab(void *context, sn_vec3 p)
{
    (void)context;
    return (sn_real)(fabs((double)p.x) - 0.02);
}

/* Boxes, balls and capsules at 300 m/s against thin fixed shapes of all types. */
static void bodies_do_not_pass_fixed_shapes(void **state)
{
    (void)state;
    const sn_vec3 corners[] = {vec(0, -2, -2), vec(0, 2, -2), vec(0, -2, 2), vec(0, 2, 2)};
    static const uint32_t triangles[] = {0, 1, 2, 1, 3, 2};
    uint64_t seed = 9;
    for (int type = 0; type < 4; ++type)
        for (int shape = 0; shape < 3; ++shape)
            for (uint32_t shot = 0, shots = support_rounds(type == 2 ? 40 : 8, 3); shot < shots; ++shot) {
                sn_world *world = make_range();
                fixed_def def = default_fixed();
                sn_body wall;
                def.type = type == 0   ? SN_SHAPE_BOX
                           : type == 1 ? SN_SHAPE_MESH
                           : type == 2 ? SN_SHAPE_FIELD
                                       : SN_SHAPE_PLANE;
                def.half = vec(0.005, 2, 2);
                if (type == 1) {
                    def.vertices = corners;
                    def.vertex_count = 4;
                    def.triangles = triangles;
                    def.triangle_count = 2;
                } else if (type == 2) {
                    def.function = thin_slab;
                    def.low = vec(-0.5, -2, -2);
                    def.high = vec(0.5, 2, 2);
                } else if (type == 3) {
                    def.rotation = turned(vec(0, 0, 1), PI / 2);
                }
                assert_ok(world, fixed_add(world, &def, &wall));
                sn_vec3 from = vec(-support_random_in(&seed, 0.5, 8), support_random_in(&seed, -1, 1),
                                   support_random_in(&seed, -1, 1));
                sn_body body = shape == 0 ? sphere_body(world, from, 0.05, 1000)
                               : shape == 1
                                   ? box_body(world, from, vec(0.05, 0.05, 0.05), 1000)
                                   : sn_body_add_capsule(world, from, along(from, 0.1, vec(0, 1, 0)), real(0.03), 1000);
                flying(world, body, vec(300, 0, 0),
                       shot % 2 ? along(vec(0, 0, 0), 5, random_direction(&seed)) : vec(0, 0, 0));
                support_run(world, 5, FRAME);
                if (!((double)sn_body_centre(world, body).x < -0.02))
                    fail_msg("fixed shape %d, shape %d, shot %u: it is at %g m", type, shape, shot,
                             (double)sn_body_centre(world, body).x);
                sn_world_destroy(world);
            }
}

/* A bat, a kinematic box that turns at 30 rad/s, takes along whatever hangs in its way: nothing is behind it. */
static void bats_hit_what_they_meet(void **state)
{
    (void)state;
    for (int shape = 0; shape < 2; ++shape) {
        sn_world *world = make_range();
        sn_body bat = fixed_add_box(world, vec(0, 0, 0), vec(1, 0.02, 0.3));
        sn_body body[8];
        for (int i = 0; i < 8; ++i) {
            double angle = 0.5 + 0.2 * i, r = 0.3 + 0.08 * i;
            sn_vec3 at = vec(r * cos(angle), r * sin(angle), 0);
            body[i] = shape ? box_body(world, at, vec(0.03, 0.03, 0.03), 1000) : sphere_body(world, at, 0.03, 1000);
        }
        assert_ok(world, sn_body_set_velocity(world, bat, vec(0, 0, 0), vec(0, 0, 30)));
        for (int n = 0; n < 4; ++n) {
            step(world);
            double turn = 30 * FRAME * (n + 1);
            for (int i = 0; i < 8; ++i) {
                sn_vec3 x = sn_body_position(world, body[i]);
                double ahead = (double)x.y * cos(turn) - (double)x.x * sin(turn);
                double out = (double)x.x * cos(turn) + (double)x.y * sin(turn);
                if (out > 0 && out < 0.97 && ahead < 0.035)
                    fail_msg("shape %d, step %d: body %d is %g m before the bat, %g m out", shape, n, i, ahead, out);
            }
        }
        sn_world_destroy(world);
    }
}

/* How fast round things turn does not matter where there is no friction. */
static void spin_of_round_things_does_not_matter(void **state)
{
    (void)state;
    sn_vec3 end[2][2];
    for (int spins = 0; spins < 2; ++spins) {
        sn_world *world = make_range();
        fixed_add_sphere(world, vec(0, -1, 0), real(0.5));
        set_materials(world, 0, 0);
        sn_vec3 spin = spins ? vec(100, 200, -150) : vec(0, 0, 0);
        sn_body one = flying(world, sphere_body(world, vec(-1, 0.05, 0), 0.2, 1000), vec(3, -0.5, 0), spin);
        sn_body two = flying(world, sphere_body(world, vec(0, 0, 0), 0.2, 1000), vec(0, -1, 0), spin);
        support_run(world, 60, FRAME);
        end[spins][0] = sn_body_position(world, one);
        end[spins][1] = sn_body_position(world, two);
        assert_vec_close(sn_body_spin(world, one), spin, 1e-3);
        sn_world_destroy(world);
    }
    assert_vec_close(end[0][0], end[1][0], 1e-3);
    assert_vec_close(end[0][1], end[1][1], 1e-3);
}

/* ---- Passing by ------------------------------------------------------------------------------------------------------------------ */

/* What flies past a centimetre beside a box is not touched, wherever it is when substeps begin. */
static void passing_by_is_no_contact(void **state)
{
    (void)state;
    for (int what = 0; what < 3; ++what)           /* a particle, a ball, a box */
        for (int target = 0; target < 2; ++target) /* a body, a fixed shape */
            for (int i = 0; i < 12; ++i) {
                sn_world *world = make_range();
                if (target)
                    fixed_add_box(world, vec(0, 0, 0), vec(0.5, 0.5, 0.5));
                else
                    box_body(world, vec(0, 0, 0), vec(0.5, 0.5, 0.5), 1000);
                sn_vec3 from = vec(-3 - 0.043 * i, 0.5 + 0.01 + (what ? 0.02 : 0.001), 0.1), v = vec(300, 0, 0), now;
                if (what == 0) {
                    sn_particle p = flying_ball(world, from, v, 0.01, 0.001);
                    support_run(world, 2, FRAME);
                    now = speed(world, p);
                } else {
                    sn_body body = what == 1 ? sphere_body(world, from, 0.02, 1000)
                                             : box_body(world, from, vec(0.02, 0.02, 0.02), 1000);
                    flying(world, body, v, vec(0, 0, 0));
                    support_run(world, 2, FRAME);
                    now = sn_body_velocity(world, body);
                }
                if (support_gap(now, v) > 1e-3)
                    fail_msg("%s past a %s from %g m: its velocity became (%g %g %g) m/s",
                             what == 0   ? "particle"
                             : what == 1 ? "ball"
                                         : "box",
                             target ? "fixed shape" : "body", (double)from.x, (double)now.x, (double)now.y,
                             (double)now.z);
                sn_world_destroy(world);
            }
}

/* Boxes of 2 mm at 100 m/s, obliquely, onto a plane and a box of 2 mm: they get spins of thousands of radians a second, and stay in front. */
static void small_boxes_pass_nothing(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (uint32_t i = 0; i < support_rounds(400, 20); ++i) {
        sn_world *world = support_world();
        sn_body_def def = sn_default_body_def();
        sn_shape_def shape = sn_default_shape_def(SN_SHAPE_BOX);
        sn_body body;
        if (i % 2)
            fixed_add_box(world, vec(0, 0, 0), vec(1, 0.001, 1));
        else
            fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
        shape.radius = 0;
        shape.half = vec(0.001, 0.001, 0.001);
        def.shapes = &shape;
        def.shape_count = 1;
        def.position = vec(0, support_random_in(&seed, 0.5, 1.5), 0);
        def.velocity = vec(support_random_in(&seed, -15, 15), -100, support_random_in(&seed, -15, 15));
        def.rotation = (sn_quat){real(support_random_in(&seed, 0, 1)), real(support_random_in(&seed, 0, 1)),
                                 real(support_random_in(&seed, 0, 1)), real(support_random_in(&seed, 0, 1))};
        assert_ok(world, sn_body_add(world, &def, &body));
        for (uint32_t k = 0; k < 20; ++k) {
            support_run(world, 1, 1.0 / 60);
            assert_true(sn_body_centre(world, body).y > real(-0.0005));
        }
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bullets_do_not_pass_bodies),
        cmocka_unit_test(bullets_and_plates_that_turn),
        cmocka_unit_test(swung_plate_takes_all_along),
        cmocka_unit_test(balls_do_not_pass_walls),
        cmocka_unit_test(plates_do_not_pass_plates),
        cmocka_unit_test(blows_are_handed_on),
        cmocka_unit_test(bodies_do_not_pass_fixed_shapes),
        cmocka_unit_test(bats_hit_what_they_meet),
        cmocka_unit_test(spin_of_round_things_does_not_matter),
        cmocka_unit_test(small_boxes_pass_nothing),
        cmocka_unit_test(passing_by_is_no_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

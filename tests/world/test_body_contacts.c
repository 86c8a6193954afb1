/* Contact of bodies: what rests, slides, rolls and bounces as it should. */
#include "world/body_worlds.h"

#define BOX 0.5 /* m: half an edge */

/* ---- At rest -------------------------------------------------------------------------------------------------------- */

static void add_tower(sn_world *world, sn_body *box, uint32_t count, double top_density)
{
    for (uint32_t i = 0; i < count; ++i)
        box[i] = box_body(world, vec(0, BOX + i, 0), vec(BOX, BOX, BOX), i + 1 == count ? top_density : 1000);
}

/* After a minute none has moved by more than half a percent of its size. */
static void tower_stands(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_body box[20];
    add_floor(world);
    add_tower(world, box, 20, 1000);
    support_run(world, support_rounds(3600, 300), FRAME);
    for (uint32_t i = 0; i < 20; ++i) {
        assert_vec_close(sn_body_position(world, box[i]), vec(0, BOX + i, 0), 0.03);
        assert_close(fabs((double)sn_body_rotation(world, box[i]).w), 1, 1e-5);
    }
    assert_true(kinetic(world) < (support_rounds(1, 0) ? 1e-3 : 1)); /* of 20 tons */
    sn_world_destroy(world);
}

/* Bricks twice as wide as high are turned more easily than cubes by what presses on their corners. */
static void tower_of_bricks_stands(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_body brick[20];
    add_floor(world);
    for (uint32_t i = 0; i < 20; ++i)
        brick[i] = box_body(world, vec(0, 0.1 + 0.2 * i, 0), vec(0.2, 0.1, 0.2), 500);
    support_run(world, support_rounds(3600, 300), FRAME);
    for (uint32_t i = 0; i < 20; ++i) {
        assert_vec_close(sn_body_position(world, brick[i]), vec(0, 0.1 + 0.2 * i, 0), 0.006);
        assert_close(fabs((double)sn_body_rotation(world, brick[i]).w), 1, 1e-6);
    }
    assert_true(kinetic(world) < 1e-2);
    sn_world_destroy(world);
}

static void pyramid_comes_to_rest_and_sleeps(void **state)
{
    (void)state;
    const uint32_t rows = support_rounds(10, 5);
    sn_world *world = contact_world(sn_default_world_def(), true, false);
    sn_body top = {0, 0};
    add_floor(world);
    for (uint32_t r = 0; r < rows; ++r)
        for (uint32_t k = 0; k < rows - r; ++k)
            top = box_body(world, vec((k - (rows - r) / 2.0) * 1.05, BOX + r, 0), vec(BOX, BOX, BOX), 1000);
    support_run(world, 480, FRAME);
    assert_int_equal(sn_world_awake_count(world), 0);
    assert_vec_close(sn_body_position(world, top), vec(-0.525, rows - BOX, 0), 0.02);
    assert_true(kinetic(world) == 0);
    sn_world_destroy(world);
}

/* The one on top has ten times the mass of each below. */
static void heavy_on_light(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_body box[5];
    add_floor(world);
    add_tower(world, box, 5, 10000);
    support_run(world, support_rounds(900, 240), FRAME);
    for (uint32_t i = 0; i < 5; ++i)
        assert_vec_close(sn_body_position(world, box[i]), vec(0, BOX + i, 0), 0.02);
    assert_true(kinetic(world) < 1e-2);
    sn_world_destroy(world);
}

/* One box on another, up to ten thousand times as heavy: it sinks by less than a hundredth of its size, and stays on top. */
static void loads_of_any_weight(void **state)
{
    (void)state;
    static const double ratios[] = {100, 1000, 3000, 10000};
    for (size_t i = 0; i < COUNT_OF(ratios); ++i) {
        sn_world *world = support_world();
        sn_settings settings = sn_world_settings(world);
        settings.substeps = 10;
        assert_ok(world, sn_world_configure(world, &settings));
        add_floor(world);
        box_body(world, vec(0, BOX, 0), vec(BOX, BOX, BOX), 1);
        sn_body load = box_body(world, vec(0, 3 * BOX, 0), vec(BOX, BOX, BOX), ratios[i]);
        support_run(world, support_rounds(600, 120), FRAME);
        assert_vec_close(sn_body_position(world, load), vec(0, 3 * BOX, 0), 0.01);
        sn_world_destroy(world);
    }
}

/* Two boxes that begin nearly in one place part at about the speed of push_out, and keep nothing of it. */
static void deep_overlap_parts_without_a_bang(void **state)
{
    (void)state;
    static const double deep[] = {0.02, 0.3, 0.95};
    for (size_t i = 0; i < COUNT_OF(deep); ++i) {
        sn_world *world = support_void();
        sn_settings settings = sn_world_settings(world);
        settings.substeps = 10;
        assert_ok(world, sn_world_configure(world, &settings));
        sn_body a = box_body(world, vec(0, 0, 0), vec(BOX, BOX, BOX), 1000);
        sn_body b = box_body(world, vec(0.02, 1 - deep[i], 0.01), vec(BOX, BOX, BOX), 1000);
        sn_vec3 last = sn_body_position(world, b);
        for (int frame = 0; frame < 180; ++frame) {
            step(world);
            assert_true(length(sn_body_velocity(world, a)) < 1e-3);
            assert_true(support_gap(sn_body_position(world, b), last) < 1.1 * FRAME);
            last = sn_body_position(world, b);
        }
        assert_true(support_gap(last, sn_body_position(world, a)) > 0.99);
        assert_true(kinetic(world) < 1e-3);
        sn_world_destroy(world);
    }
}

/* A box and a ball that begin inside of the floor come out of it. */
static void comes_out_of_fixed_shapes(void **state)
{
    (void)state;
    sn_world *world = support_world();
    add_floor(world);
    fixed_add_box(world, vec(5, 0, 0), vec(1, 1, 1));
    sn_body box = box_body(world, vec(0, 0.2, 0), vec(BOX, BOX, BOX), 1000);
    sn_body ball_in = sphere_body(world, vec(5.1, 0.9, 0), 0.3, 1000);
    support_run(world, 180, FRAME);
    assert_close(sn_body_position(world, box).y, BOX, 5e-3);
    assert_close(sn_body_position(world, ball_in).y, 1.3, 5e-3);
    sn_world_destroy(world);
}

/* Dropped with a turn, boxes lie on a face in the end, in the floor by no more than a thousandth. They are too far apart
   to lean on each other. */
static void dropped_boxes_come_to_rest(void **state)
{
    (void)state;
    sn_world *world = support_world();
    uint64_t seed = 4;
    sn_body box[12];
    add_floor(world);
    for (uint32_t i = 0; i < COUNT_OF(box); ++i) {
        const double x = support_random_in(&seed, -3, 3), y = support_random_in(&seed, -3, 3),
                     z = support_random_in(&seed, -3, 3), along = support_random_in(&seed, -1, 1);
        box[i] =
            flying(world, box_body(world, vec(4 * i, 1.2, 0), vec(0.2, 0.3, 0.4), 500), vec(0, 0, along), vec(x, y, z));
    }
    support_run(world, 300, FRAME);
    for (uint32_t i = 0; i < COUNT_OF(box); ++i) {
        double y = (double)sn_body_position(world, box[i]).y, off = fabs(y - 0.2);
        off = fmin(off, fmin(fabs(y - 0.3), fabs(y - 0.4)));
        if (off > 2e-3 || length(sn_body_velocity(world, box[i])) > 1e-3)
            fail_msg("box %u is at a height of %g m and has %g m/s", i, y, length(sn_body_velocity(world, box[i])));
    }
    sn_world_destroy(world);
}

/* ---- Shapes ----------------------------------------------------------------------------------------------------------- */

static void compounds_rest(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_shape_def bell[3], table[5];
    add_floor(world);
    for (int i = 0; i < 3; ++i) { /* two balls, and what joins them */
        bell[i] = sn_default_shape_def(i < 2 ? SN_SHAPE_SPHERE : SN_SHAPE_BOX);
        bell[i].position = vec(i == 0 ? -0.5 : i == 1 ? 0.5 : 0, 0, 0);
        bell[i].radius = i < 2 ? real(0.2) : 0;
        bell[i].half = vec(0.5, 0.05, 0.05);
    }
    for (int i = 0; i < 5; ++i) {
        table[i] = sn_default_shape_def(SN_SHAPE_BOX);
        table[i].half = i < 4 ? vec(0.05, 0.4, 0.05) : vec(0.6, 0.05, 0.4);
        table[i].position = i < 4 ? vec(i % 2 ? 0.5 : -0.5, 0.4, i / 2 ? 0.3 : -0.3) : vec(0, 0.85, 0);
    }
    sn_body dumbbell = compound_body(world, vec(-2, 0.5, 0), bell, 3, 1000);
    sn_body desk = compound_body(world, vec(2, 0.2, 0), table, 5, 700);
    sn_body book = box_body(world, vec(2.3, 1.4, 0.1), vec(0.1, 0.03, 0.15), 800);
    support_run(world, 300, FRAME);
    assert_close(sn_body_position(world, dumbbell).y, 0.2, 2e-3);
    assert_close(sn_body_position(world, desk).y, 0, 2e-3);
    assert_close(sn_body_position(world, book).y, 0.93, 4e-3);
    assert_close(fabs((double)sn_body_rotation(world, desk).w), 1, 1e-5);
    assert_true(kinetic(world) < 1e-3);
    sn_world_destroy(world);
}

/* A tetrahedron lies on the face that it falls on. */
static void hull_rests_on_a_face(void **state)
{
    (void)state;
    sn_world *world = support_world();
    static const double corner[4][3] = {
        {0, 0, 1}, {0.943, 0, -0.333}, {-0.471, 0.816, -0.333}, {-0.471, -0.816, -0.333}};
    sn_vec3 vertices[4];
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_HULL);
    for (int i = 0; i < 4; ++i)
        vertices[i] = vec(0.3 * corner[i][0], 0.3 * corner[i][1], 0.3 * corner[i][2]);
    add_floor(world);
    shape.vertices = vertices;
    shape.vertex_count = 4;
    shape.radius = 0;
    sn_body hull = compound_body(world, vec(0, 1, 0), &shape, 1, 1000);
    flying(world, hull, vec(0, 0, 0), vec(1, 0.5, 2));
    support_run(world, 300, FRAME);
    assert_close(sn_body_centre(world, hull).y, 0.1, 2e-3); /* a third of the radius */
    assert_true(kinetic(world) < 1e-4);
    sn_world_destroy(world);
}

static sn_real hollow(void *context, sn_vec3 p)
{
    (void)context;
    return (sn_real)(2 - length(vec((double)p.x, (double)p.y - 2, (double)p.z))); /* a bowl */
}

/* A capsule on a floor of triangles, and in a bowl that is a distance field. */
static void capsule_on_mesh_and_field(void **state)
{
    (void)state;
    static const uint32_t triangles[] = {0, 2, 1, 1, 2, 3};
    const sn_vec3 vertices[] = {vec(-3, 0, -3), vec(3, 0, -3), vec(-3, 0, 3), vec(3, 0, 3)};
    for (int field = 0; field < 2; ++field) {
        sn_world *world = support_world();
        fixed_def def = default_fixed();
        sn_body ground;
        def.type = field ? SN_SHAPE_FIELD : SN_SHAPE_MESH;
        def.vertices = vertices;
        def.vertex_count = 4;
        def.triangles = triangles;
        def.triangle_count = 2;
        def.function = hollow;
        def.low = vec(-2.5, -0.5, -2.5);
        def.high = vec(2.5, 1.5, 2.5);
        if (field)
            def.vertices = NULL, def.vertex_count = 0, def.triangles = NULL, def.triangle_count = 0;
        else
            def.function = NULL;
        assert_ok(world, fixed_add(world, &def, &ground));
        sn_body capsule = sn_body_add_capsule(world, vec(-0.3, 0.6, 0.1), vec(0.3, 0.7, 0), real(0.1), 1000);
        assert_true(sn_body_is_valid(world, capsule));
        support_run(world, 480, FRAME);
        /* in the bowl its ends touch at sqrt(1.9^2 - 0.306^2) below the middle */
        double lies = field ? 2 - sqrt(1.9 * 1.9 - 0.0951) : 0.1;
        assert_close(sn_body_centre(world, capsule).y, lies, field ? 0.02 : 3e-3);
        sn_world_destroy(world);
    }
}

/* ---- Friction ------------------------------------------------------------------------------------------------------------- */

static sn_world *make_ramp(double angle, double friction)
{
    sn_world *world = support_world();
    add_plane(world, vec(0, 0, 0), vec(sin(angle), cos(angle), 0));
    set_materials(world, friction, 0);
    return world;
}

/* A box that lies on it, or a ball. */
static sn_body put_on_ramp(sn_world *world, double angle, double lift, bool round)
{
    sn_vec3 at = vec(lift * sin(angle), lift * cos(angle), 0);
    sn_body body = round ? sphere_body(world, at, lift, 1000) : box_body(world, at, vec(lift, lift, lift), 1000);
    assert_ok(world, sn_body_set_pose(world, body, at, turned(vec(0, 0, 1), -angle)));
    return body;
}

/* Row 14 of the physics with known answers. */
static void boxes_on_25_ramps(void **state)
{
    (void)state;
    static const double frictions[] = {0.1, 0.3, 0.5, 0.7, 1}, angles[] = {3, 10, 20, 30, 40};
    for (size_t f = 0; f < 5; ++f)
        for (size_t a = 0; a < 5; ++a) {
            double angle = angles[a] * TURNED_BY;
            sn_world *world = make_ramp(angle, frictions[f]);
            sn_body box = put_on_ramp(world, angle, 0.2, false);
            support_run(world, 12, FRAME);
            sn_vec3 from = sn_body_position(world, box);
            support_run(world, 120, FRAME);
            double way = support_gap(from, sn_body_position(world, box));
            bool slides = tan(angle) > frictions[f];
            if (slides ? !(way > 0.1) : !(way < 1e-3))
                fail_msg("friction %g, %g degrees: it has come %g m", frictions[f], angles[a], way);
            if (slides) { /* and as fast as it should */
                double a_along = GRAVITY * (sin(angle) - frictions[f] * cos(angle));
                assert_close(length(sn_body_velocity(world, box)), a_along * 2.2, 0.02 * a_along * 2.2 + 1e-3);
            }
            sn_world_destroy(world);
        }
}

/* Row 15: v^2 / 2 mu g, whatever the mass. */
static void sliding_stop_whatever_the_mass(void **state)
{
    (void)state;
    static const double frictions[] = {0.2, 0.4, 0.7}, masses[] = {0.1, 1, 100};
    for (size_t f = 0; f < 3; ++f)
        for (size_t m = 0; m < 3; ++m) {
            sn_world *world = make_ramp(0, frictions[f]);
            sn_body box = box_body(world, vec(0, 0.1, 0), vec(0.2, 0.1, 0.2), 1000);
            assert_ok(world, sn_body_set_mass(world, box, real(masses[m])));
            flying(world, box, vec(2, 0, 0), vec(0, 0, 0));
            support_run(world, 120, FRAME);
            double expected = 4 / (2 * frictions[f] * GRAVITY);
            assert_close(sn_body_position(world, box).x, expected, 0.01 * expected);
            assert_true(length(sn_body_velocity(world, box)) < 1e-4);
            sn_world_destroy(world);
        }
}

/* A ball that does not slip gains 5/7 g sin of the angle; a box that is pushed at its top tips over. */
static void ball_rolls_down_a_ramp(void **state)
{
    (void)state;
    double angle = 10 * TURNED_BY;
    sn_world *world = make_ramp(angle, 0.5);
    sn_body round = put_on_ramp(world, angle, 0.1, true);
    support_run(world, 60, FRAME);
    double expected = 5.0 / 7 * GRAVITY * sin(angle), fast = length(sn_body_velocity(world, round));
    assert_close(fast, expected, 1e-3 * expected);
    assert_close(length(sn_body_spin(world, round)) * 0.1, fast, 1e-3 * fast);
    sn_world_destroy(world);
}

/* A ball that is pushed at 1 m/s against a resistance of 0.01 stops after v^2 / (2 * 5/7 * 0.01 g) = 7.1356 m. */
static void ball_rolls_to_a_stop(void **state)
{
    (void)state;
    static const double radii[] = {0.05, 0.5};
    for (size_t i = 0; i < 2; ++i) {
        sn_world *world = support_world();
        add_floor(world);
        sn_group_contact group = sn_default_group_contact(0);
        group.material.rolling = real(0.01);
        assert_ok(world, sn_world_set_group_contact(world, 0, &group));
        assert_ok(world, sn_body_set_material(world, sn_body_from_index(world, 0), 0, &group.material));
        sn_body round = sphere_body(world, vec(0, radii[i], 0), radii[i], 1000);
        flying(world, round, vec(1, 0, 0), vec(0, 0, -1 / radii[i]));
        support_run(world, 900, FRAME);
        assert_close(sn_body_position(world, round).x, 7.1356, 0.03);
        assert_true(length(sn_body_velocity(world, round)) < 1e-5 && length(sn_body_spin(world, round)) < 1e-4);
        sn_world_destroy(world);
    }
}

/* Two balls that roll, one on the other's back, and a capsule across: resistance acts between bodies, too. */
static void rolling_is_resisted_between_bodies(void **state)
{
    (void)state;
    sn_world *world = support_world();
    add_floor(world);
    sn_group_contact group = sn_default_group_contact(0);
    group.material.rolling = real(0.01);
    assert_ok(world, sn_world_set_group_contact(world, 0, &group));
    sn_body desk = box_body(world, vec(0, 0.5, 0), vec(4, 0.5, 2), 1000);
    sn_body pipe = sn_body_add_capsule(world, vec(0, 1.1, -0.5), vec(0, 1.1, 0.5), real(0.1), 1000);
    flying(world, pipe, vec(0.5, 0, 0), vec(0, 0, -5));
    support_run(world, 600, FRAME);
    /* nearly a cylinder: I = 1/2 m r^2 and a little less; 0.25 / (2 * 2/3 * 0.01 g) */
    assert_close(sn_body_position(world, pipe).x, 0.25 / (4.0 / 3 * 0.01 * GRAVITY), 0.1);
    assert_true(length(sn_body_velocity(world, pipe)) < 1e-3);
    assert_true(length(sn_body_position(world, desk)) < 0.6);
    sn_world_destroy(world);
}

/* ---- Blows ----------------------------------------------------------------------------------------------------------------- */

/* Row 16: a gap of 1 m, h = 1/6000. */
static void bounces_to_the_right_height(void **state)
{
    (void)state;
    static const double restitutions[] = {0.5, 0.8};
    for (int shape = 0; shape < 2; ++shape)
        for (size_t i = 0; i < 2; ++i) {
            sn_world *world = support_world();
            sn_settings settings = sn_world_settings(world);
            settings.substeps = 100;
            assert_ok(world, sn_world_configure(world, &settings));
            add_floor(world);
            set_materials(world, 0.5, restitutions[i]);
            sn_body body = shape ? box_body(world, vec(0, 1.2, 0), vec(0.2, 0.2, 0.2), 1000)
                                 : sphere_body(world, vec(0, 1.2, 0), 0.2, 1000);
            double top = 0;
            bool struck = false;
            for (int frame = 0; frame < 70; ++frame) {
                step(world);
                struck = struck || (double)sn_body_velocity(world, body).y > 0;
                top = struck ? fmax(top, (double)sn_body_position(world, body).y - 0.2) : 0;
            }
            double expected = restitutions[i] * restitutions[i];
            assert_close(top, expected, 0.01 * expected);
            assert_true(length(sn_body_spin(world, body)) < 1e-2);
            sn_world_destroy(world);
        }
}

/* Six bounces at ten substeps, each e^2 as high as the one before, wherever they fall in a substep; and every one of them is an event with
   the impulse that turned the body. */
static void ladder_of_bounces(void **state)
{
    (void)state;
    for (int shape = 0; shape < 2; ++shape) {
        sn_world *world = support_world();
        sn_settings settings = sn_world_settings(world);
        sn_contact_settings contact = sn_world_contact_settings(world);
        settings.substeps = 10;
        contact.events = true;
        assert_ok(world, sn_world_configure(world, &settings));
        assert_ok(world, sn_world_set_contact_settings(world, &contact));
        add_floor(world);
        set_materials(world, 0.5, 0.8);
        sn_body body = shape ? box_body(world, vec(0, 2.2, 0), vec(0.2, 0.2, 0.2), 1000)
                             : sphere_body(world, vec(0, 2.2, 0), 0.2, 1000);
        const double mass = (double)sn_particle_mass(world, sn_body_particle(world, body)), g = 9.81;
        double v = 0, impulse = 0, change = 0, height[8] = {0};
        uint32_t bounces = 0, begun = 0;
        while (bounces < 7) {
            step(world);
            uint32_t count;
            const sn_contact_event *event = sn_world_contact_events(world, &count);
            for (uint32_t i = 0; i < count; ++i) {
                impulse += (double)event[i].impulse;
                begun += event[i].phase == SN_CONTACT_BEGIN;
            }
            const double now = (double)sn_body_velocity(world, body).y;
            if (now > v) {
                change += mass * (now - v + g * FRAME);
                ++bounces;
            }
            v = now;
            height[bounces] = fmax(height[bounces], (double)sn_body_position(world, body).y - 0.2);
        }
        for (uint32_t i = 1; i <= 6; ++i)
            assert_close(height[i], 2 * pow(0.64, i), 0.01 * 2 * pow(0.64, i));
        assert_int_equal(begun, 7);
        assert_close(impulse, change, 1e-3 * change);
        sn_world_destroy(world);
    }
}

/* A blow is handed through a row that touches, from one to the next: the last goes on as the first came. */
static void blow_goes_through_a_row(void **state)
{
    (void)state;
    static const double gaps[] = {0, 1e-5, 1e-3};
    for (size_t g = 0; g < COUNT_OF(gaps); ++g)
        for (int backwards = 0; backwards < 2; ++backwards) {
            sn_world *world = support_void();
            sn_body ball[5];
            set_materials(world, 0, 1);
            for (int i = 0; i < 5; ++i) {
                int k = backwards ? 4 - i : i;
                ball[k] = sphere_body(world, vec(k * (0.2 + gaps[g]) - (k ? 0 : 0.5), 0, 0), 0.1, 1000);
            }
            flying(world, ball[0], vec(1, 0, 0), vec(0, 0, 0));
            support_run(world, 90, FRAME);
            for (int k = 0; k < 5; ++k)
                assert_vec_close(sn_body_velocity(world, ball[k]), vec(k == 4, 0, 0), 1e-3);
            sn_world_destroy(world);
        }
}

/* Bodies, and particles among them, that fly into each other keep both momenta. */
static void collisions_keep_momenta(void **state)
{
    (void)state;
    for (int bounce = 0; bounce < 2; ++bounce) {
        sn_world *world = support_void();
        sn_settings settings = sn_world_settings(world);
        settings.substeps = 10;
        assert_ok(world, sn_world_configure(world, &settings));
        set_materials(world, 0.4, bounce ? 0.7 : 0);
        sn_group_contact smooth =
            sn_default_group_contact(1); /* balls without spin: friction would take angular momentum */
        smooth.material = material(0, 0.3);
        smooth.material.friction_mix = SN_MIX_LEAST;
        assert_ok(world, sn_world_set_group_contact(world, 1, &smooth));
        uint64_t seed = 7;
        for (int i = 0; i < 24; ++i) {
            sn_vec3 at = vec(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
            sn_vec3 v = vec(-2 * (double)at.x + support_random_in(&seed, -1, 1),
                            -2 * (double)at.y + support_random_in(&seed, -1, 1),
                            -2 * (double)at.z + support_random_in(&seed, -1, 1));
            sn_vec3 spin =
                vec(support_random_in(&seed, -4, 4), support_random_in(&seed, -4, 4), support_random_in(&seed, -4, 4));
            if (i % 4 == 3)
                assert_ok(world, sn_particle_set_group(world, flying_ball(world, at, v, 5, 0.2), 1));
            else if (i % 4 == 2)
                flying(world, sphere_body(world, at, 0.25, 500), v, spin);
            else
                flying(world, box_body(world, at, vec(0.2, 0.3, 0.25), 500), v, spin);
        }
        momenta before = momenta_of(world);
        double energy = kinetic(world);
        support_run(world, 120, FRAME);
        momenta after = momenta_of(world);
        assert_same_momenta(&before, &after);
        assert_true(kinetic(world) < 0.95 * energy); /* they did meet */
        sn_world_destroy(world);
    }
}

/* ---- What moves things ------------------------------------------------------------------------------------------------------- */

/* A body that is led pushes a stack before it, and carries what lies on it. */
static void led_bodies_push_and_carry(void **state)
{
    (void)state;
    sn_world *world = support_world();
    add_floor(world);
    sn_body ram = box_body(world, vec(-1.5, 0.5, 0), vec(0.5, 0.5, 1), 1000);
    sn_body lift = box_body(world, vec(5, 0.25, 0), vec(1, 0.25, 1), 1000);
    sn_body freight = box_body(world, vec(5, 0.8, 0), vec(0.3, 0.3, 0.3), 1000);
    sn_body pushed[3];
    for (int i = 0; i < 3; ++i)
        pushed[i] = box_body(world, vec(0, 0.3 + 0.6 * i, 0), vec(0.3, 0.3, 0.3), 1000);
    assert_ok(world, sn_body_set_mass(world, ram, SN_IMMOVABLE));
    for (int frame = 0; frame < 180; ++frame) {
        double t = (frame + 1) * FRAME;
        assert_ok(world, sn_body_move_to(world, ram, vec(-1.5 + 0.5 * t, 0.5, 0), turned(vec(0, 1, 0), 0)));
        assert_ok(world, sn_body_move_to(world, lift, vec(5, 0.25 + 0.5 * t, 0.4 * t), turned(vec(0, 1, 0), 0.3 * t)));
        step(world);
    }
    assert_vec_close(sn_body_position(world, ram), vec(0, 0.5, 0), 1e-4);
    assert_close(sn_body_position(world, pushed[0]).x, 0.8, 0.02);
    for (int i = 0; i < 3; ++i)
        assert_close(sn_body_position(world, pushed[i]).y, 0.3 + 0.6 * i, 0.01);
    assert_vec_close(sn_body_position(world, freight), vec(5, 2.3, 1.2), 0.02);
    assert_close(sn_body_spin(world, freight).y, 0.3, 0.02);
    sn_world_destroy(world);
}

/* A fixed shape that moves carries a box along, and a conveyor of its own turns one. */
static void fixed_shapes_carry_bodies(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_body slab = fixed_add_box(world, vec(0, 0, 0), vec(2, 0.5, 2));
    sn_body box = box_body(world, vec(0.5, 0.8, 0), vec(0.3, 0.3, 0.3), 1000);
    assert_ok(world, sn_body_set_velocity(world, slab, vec(0.5, 0.2, 0), vec(0, 0.5, 0)));
    support_run(world, 120, FRAME);
    assert_vec_close(sn_body_position(world, box), vec(1 + 0.5 * cos(1), 1.2, -0.5 * sin(1)),
                     0.05); /* it slips at first */
    assert_close(sn_body_spin(world, box).y, 0.5, 0.02);
    sn_world_destroy(world);
}

/* A net of balls falls over a box that stands on one side: it stays above, and its weight comes to the floor through the
   box; and a net that flies sideways into a box takes it along. */
static void cloth_and_body_push_each_other(void **state)
{
    (void)state;
    for (int sideways = 0; sideways < 2; ++sideways) {
        sn_world *world = sideways ? support_void() : contact_world(sn_default_world_def(), false, true);
        sn_settings settings = sn_world_settings(world);
        settings.substeps = 10;
        assert_ok(world, sn_world_configure(world, &settings));
        sn_particle node[13][13];
        if (!sideways)
            add_floor(world);
        sn_body box = box_body(world, vec(0, 0.5, 0), vec(0.3, 0.5, 0.3), 200);
        for (int i = 0; i < 13; ++i)
            for (int k = 0; k < 13; ++k) {
                double u = (i - 6) * 0.08, v = (k - 6) * 0.08;
                node[i][k] = ball(world, sideways ? vec(-0.5, 0.5 + u, v) : vec(u, 1.1, v), 0.2, 0.039);
                assert_ok(world, sn_particle_set_group(world, node[i][k], 1));
                if (sideways)
                    assert_ok(world, sn_particle_set_velocity(world, node[i][k], vec(3, 0, 0)));
                if (i)
                    sn_constraint_add_distance(world, sn_at(node[i - 1][k]), sn_at(node[i][k]), real(0.08));
                if (k)
                    sn_constraint_add_distance(world, sn_at(node[i][k - 1]), sn_at(node[i][k]), real(0.08));
            }
        momenta before = momenta_of(world);
        support_run(world, sideways ? 60 : 240, FRAME);
        momenta after = momenta_of(world);
        sn_vec3 at = sn_body_position(world, box);
        if (sideways) { /* 33.8 kg of net, 72 kg of box */
            for (int k = 0; k < 3; ++k)
                assert_close(before.p[k], after.p[k], 1e-4 * before.scale);
            assert_true((double)sn_body_velocity(world, box).x > 0.5);
        } else {
            assert_vec_close(at, vec(0, 0.5, 0), 5e-3);
            assert_true((double)place(world, node[6][6]).y > 1.037);
            assert_true((double)place(world, node[0][0]).y < 0.95); /* it hangs over the edges */
        }
        for (int i = 0; i < 13; ++i)
            for (int k = 0; k < 13; ++k) { /* nobody is inside of the box */
                sn_vec3 own = sn_body_to_own(world, box, place(world, node[i][k]));
                double out = length(vec(fmax(fabs((double)own.x) - 0.3, 0), fmax(fabs((double)own.y) - 0.5, 0),
                                        fmax(fabs((double)own.z) - 0.3, 0)));
                if (!(out > 0.036))
                    fail_msg("sideways %d: node %d %d is %g m from the box", sideways, i, k, out);
            }
        sn_world_destroy(world);
    }
}

/* In a flat world capsules that cross part in the plane, across one of them, at push_out: none passes over the other. */
static void crossed_capsules_part_in_a_flat_world(void **state)
{
    (void)state;
    static const double angles[] = {0.2, 0.8, 1.5708, 2.5};
    for (uint32_t i = 0; i < COUNT_OF(angles); ++i)
        for (int off = 0; off < 2; ++off) {
            sn_world_def def = sn_default_world_def();
            def.dimensions = 2;
            def.settings.gravity = vec(0, 0, 0);
            sn_world *world = support_world_from(&def);
            const double x = off ? 0.13 : 0, y = off ? 0.07 : 0, c = 0.5 * cos(angles[i]), s = 0.5 * sin(angles[i]);
            sn_body a = sn_body_add_capsule(world, vec(-0.5, 0, 0), vec(0.5, 0, 0), real(0.1), 100);
            sn_body b = sn_body_add_capsule(world, vec(x - c, y - s, 0), vec(x + c, y + s, 0), real(0.1), 100);
            double most = 0;
            for (uint32_t frame = 0; frame < 600; ++frame) {
                sn_report report;
                support_run(world, 1, 1.0 / 60);
                assert_ok(world, sn_world_report(world, &report));
                most = fmax(most, report.kinetic);
            }
            uint32_t touching = 0;
            const sn_contact_event *event = sn_world_contact_events(world, &touching);
            for (uint32_t k = 0; k < touching; ++k)
                assert_true(event[k].normal.z == 0);
            assert_true(support_gap(sn_body_position(world, a), sn_body_position(world, b)) > 0.19);
            if (most > 0.1)
                fail_msg("crossed at %g: %g J", angles[i], most);
            sn_world_destroy(world);
        }
}

/* A top on its tip, in steady precession: friction holds the tip, and the lean stays what it is, but for a little, as friction at a tip that is
   not a point raises it. The spin changed by the inertia at the end of each substep, and tops swung between 0.19 and 0.39 rad. */
static void tops_keep_their_lean(void **state)
{
    (void)state;
    const double mass = 0.5, l = 0.06, i1 = 4e-4, c = 6e-4, lean = 0.3, radius = 5e-4;
    for (double spin = 100; spin <= 400; spin *= 2)
        for (uint32_t substeps = 10; substeps <= 40; substeps *= 4) {
            const double k = (i1 + mass * l * l - c) * cos(lean), torque = mass * GRAVITY * l;
            const double precession = 2 * torque / (c * spin + sqrt(c * c * spin * spin - 4 * k * torque));
            sn_world_def def = sn_default_world_def();
            def.settings.substeps = substeps;
            def.settings.gravity = vec(0, -GRAVITY, 0);
            sn_world *world = support_world_from(&def);
            sn_group_contact group = sn_default_group_contact(0);
            sn_shape_def tip = sn_default_shape_def(SN_SHAPE_SPHERE);
            sn_body_def body = sn_default_body_def();
            sn_body top;
            group.material = material(2, 0);
            assert_ok(world, sn_world_set_group_contact(world, 0, &group));
            add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
            tip.radius = real(radius);
            body.shapes = &tip;
            body.shape_count = 1;
            body.mass = real(mass);
            body.centre = vec(0, l, 0);
            body.moments = vec(i1, c, i1);
            body.position = vec(0, radius, 0);
            body.rotation = (sn_quat){0, 0, real(sin(-lean / 2)), real(cos(lean / 2))};
            body.spin = vec(spin * sin(lean), spin * cos(lean) + precession, 0);
            body.velocity = vec(0, 0, -precession * l * sin(lean));
            assert_ok(world, sn_body_add(world, &body, &top));
            for (int frame = 0; frame < 120; ++frame) {
                step(world);
                const sn_vec3 up = sn_body_to_world(world, top, vec(0, 1, 0)),
                              at = sn_body_to_world(world, top, vec(0, 0, 0));
                assert_close(acos((double)up.y - (double)at.y), lean, 0.035);
            }
            sn_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tops_keep_their_lean),
        cmocka_unit_test(tower_stands),
        cmocka_unit_test(tower_of_bricks_stands),
        cmocka_unit_test(pyramid_comes_to_rest_and_sleeps),
        cmocka_unit_test(heavy_on_light),
        cmocka_unit_test(loads_of_any_weight),
        cmocka_unit_test(deep_overlap_parts_without_a_bang),
        cmocka_unit_test(crossed_capsules_part_in_a_flat_world),
        cmocka_unit_test(comes_out_of_fixed_shapes),
        cmocka_unit_test(dropped_boxes_come_to_rest),
        cmocka_unit_test(compounds_rest),
        cmocka_unit_test(hull_rests_on_a_face),
        cmocka_unit_test(capsule_on_mesh_and_field),
        cmocka_unit_test(boxes_on_25_ramps),
        cmocka_unit_test(sliding_stop_whatever_the_mass),
        cmocka_unit_test(ball_rolls_down_a_ramp),
        cmocka_unit_test(ball_rolls_to_a_stop),
        cmocka_unit_test(rolling_is_resisted_between_bodies),
        cmocka_unit_test(bounces_to_the_right_height),
        cmocka_unit_test(ladder_of_bounces),
        cmocka_unit_test(blow_goes_through_a_row),
        cmocka_unit_test(collisions_keep_momenta),
        cmocka_unit_test(led_bodies_push_and_carry),
        cmocka_unit_test(fixed_shapes_carry_bodies),
        cmocka_unit_test(cloth_and_body_push_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

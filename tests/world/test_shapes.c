/* Shapes of every type: what lies on them, what they weigh, what holds them, and that rays find them. */
#include "world/contact_worlds.h"

#include "collision/shape.h"

#include <math.h>

/* ---- Definitions ---------------------------------------------------------------------------------------------------- */

static const sn_vec3 cube[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const uint32_t cube_triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                            2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
static const sn_real level[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};

/* A shape that is flat or round above its middle, 1 m high there. */
static sn_shape_def one_metre_high(sn_shape_type type)
{
    sn_shape_def def = sn_default_shape_def(type);
    def.half = vec(1, 1, 1);
    def.radius = 1;
    if (type == SN_SHAPE_CAPSULE)
        def.half.y = real(0.5), def.radius = real(0.5);
    if (type == SN_SHAPE_PLANE)
        def.position.y = 1;
    if (type == SN_SHAPE_HULL || type == SN_SHAPE_MESH || type == SN_SHAPE_FIELD) {
        def.vertices = cube;
        def.vertex_count = 8;
    }
    if (type == SN_SHAPE_MESH || type == SN_SHAPE_FIELD) {
        def.triangles = cube_triangles;
        def.triangle_count = 12;
    }
    if (type == SN_SHAPE_HEIGHTS) {
        def.heights = level;
        def.height_count[0] = def.height_count[1] = 3;
        def.cell = 1;
    }
    if (type == SN_SHAPE_CONE) { /* on its tip nothing lies: its base is above */
        def.rotation = (sn_quat){1, 0, 0, 0};
        def.half.y = 1;
    }
    return def;
}

static sn_body add(sn_world *world, sn_body_type type, const sn_shape_def *shape, sn_vec3 position)
{
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.type = type;
    def.position = position;
    def.shapes = shape;
    def.shape_count = 1;
    assert_ok(world, sn_body_add(world, &def, &body));
    return body;
}

static sn_shape_def small(sn_shape_type type)
{
    sn_shape_def def = sn_default_shape_def(type);
    static const sn_vec3 corners[8] = {{-0.1f, -0.1f, -0.1f}, {0.1f, -0.1f, -0.1f}, {-0.1f, 0.1f, -0.1f},
                                       {0.1f, 0.1f, -0.1f},   {-0.1f, -0.1f, 0.1f}, {0.1f, -0.1f, 0.1f},
                                       {-0.1f, 0.1f, 0.1f},   {0.1f, 0.1f, 0.1f}};
    def.half = vec(0.1, 0.1, 0.1);
    def.radius = real(0.1);
    if (type == SN_SHAPE_CAPSULE)
        def.half.y = real(0.05), def.radius = real(0.05);
    if (type == SN_SHAPE_HULL) {
        def.vertices = corners;
        def.vertex_count = 8;
    }
    return def;
}

/* ---- Contact -------------------------------------------------------------------------------------------------------- */

/* Everything that moves comes to rest on everything that stands, 0.1 m above its top. A sanitizer sees the first moments of that. */
static void all_rest_on_all(void **state)
{
    (void)state;
    const uint32_t steps = support_rounds(1, 0) ? 60 : 15;
    for (int ground = 0; ground < SN_SHAPE_TYPES; ++ground)
        for (int type = -1; type <= SN_SHAPE_CONE; ++type) {
            sn_world *world = support_world();
            const sn_shape_def below = one_metre_high((sn_shape_type)ground);
            sn_vec3 place;
            add(world, SN_BODY_STATIC, &below, vec(0, 0, 0));
            if (type < 0) {
                sn_particle_def def = sn_default_particle_def();
                sn_particle ball;
                def.position = vec(0, 1.12, 0);
                def.radius = real(0.1);
                assert_ok(world, sn_particle_add(world, &def, &ball));
                support_run(world, steps, 1.0 / 60);
                place = sn_particle_position(world, ball);
            } else {
                const sn_shape_def shape = small((sn_shape_type)type);
                sn_body body = add(world, SN_BODY_DYNAMIC, &shape, vec(0, 1.12, 0));
                support_run(world, steps, 1.0 / 60);
                place = sn_body_position(world, body);
            }
            if (steps == 60 &&
                (fabs((double)place.y - 1.1) > 2e-3 || fabs((double)place.x) > 0.02 || fabs((double)place.z) > 0.02))
                fail_msg("%s on %s: it is at %g %g %g", type < 0 ? "particle" : sn_shape_type_name((sn_shape_type)type),
                         sn_shape_type_name((sn_shape_type)ground), (double)place.x, (double)place.y, (double)place.z);
            sn_world_destroy(world);
        }
}

/* A cylinder rolls like a solid one, whatever the way round it is: 2/3 g sin a t^2 / 2 down a ramp. And hardly slower on the level. */
static void cylinders_roll(void **state)
{
    (void)state;
    support_skip_watched();
    sn_world *world = support_world();
    const double lean = 0.1;
    sn_shape_def ramp = sn_default_shape_def(SN_SHAPE_PLANE);
    ramp.rotation = (sn_quat){0, 0, real(-sin(lean / 2)), real(cos(lean / 2))};
    add(world, SN_BODY_STATIC, &ramp, vec(0, 0, 0));
    const double r = 0.25;
    const sn_vec3 middle = vec(r * sin(lean), r * cos(lean), 0);
    sn_body roll = sn_body_add_cylinder(world, vec((double)middle.x, (double)middle.y, -0.3),
                                        vec((double)middle.x, (double)middle.y, 0.3), real(r), 500);
    support_run(world, 120, 1.0 / 60);
    const sn_vec3 now = sn_body_position(world, roll);
    const double way = hypot((double)now.x - (double)middle.x, (double)now.y - (double)middle.y);
    print_message("a cylinder rolls %.4f m in 2 s, %.4f by the formula\n", way, 9.81 * sin(lean) * 2 / 3 * 2);
    assert_close(way, 9.81 * sin(lean) * 2 / 3 * 2, 0.02);
    assert_close(now.z, 0, 1e-3);
    sn_world_destroy(world);

    world = support_world();
    sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    roll = sn_body_add_cylinder(world, vec(0, r, -0.3), vec(0, r, 0.3), real(r), 500);
    assert_ok(world, sn_body_set_velocity(world, roll, vec(2, 0, 0), vec(0, 0, -2 / r)));
    support_run(world, 120, 1.0 / 60);
    print_message("and on the level at 2 m/s: %.4f m/s after 2 s\n", (double)sn_body_velocity(world, roll).x);
    assert_true((double)sn_body_velocity(world, roll).x > 1.9);
    sn_world_destroy(world);
}

/* A wheel keeps its speed and stays on the ground, however far it turns in a substep: corners beside the line that it rolls on do not count. */
static void fast_cylinders_stay_down(void **state)
{
    (void)state;
    support_skip_watched();
    const double r = 0.3;
    for (uint32_t substeps = 1; substeps <= 10; substeps = substeps == 4 ? 10 : 2 * substeps)
        for (double turn = 0.1; turn < 1; turn *= 2) {
            sn_world_def def = sn_default_world_def();
            def.settings.substeps = substeps;
            sn_world *world = support_world_from(&def);
            add_floor(world);
            const double v = turn * 60 * substeps * r;
            sn_body roll = sn_body_add_cylinder(world, vec(0, r, -0.1), vec(0, r, 0.1), real(r), 1000);
            assert_ok(world, sn_body_set_velocity(world, roll, vec(v, 0, 0), vec(0, 0, -v / r)));
            double highest = 0;
            for (int i = 0; i < 120; ++i) {
                step(world);
                highest = fmax(highest, (double)sn_body_position(world, roll).y);
            }
            assert_true(highest < r * 1.001);
            assert_true(fabs((double)sn_vec3_length(sn_body_velocity(world, roll)) / v - 1) < 0.01);
            sn_world_destroy(world);
        }
}

/* A thin wheel on a sheet hovers at times, within the thickness of that, and is then about to pass by. Contact that is not solved must not go on
   pressing: this wheel rose by itself, and one of 20 mm ended with twice its energy. */
static void thin_wheels_roll_on_sheets(void **state)
{
    (void)state;
    const double r = 0.3, v = 5;
    const sn_vec3 corner[4] = {{-10, 0, -10}, {-10, 0, 10}, {30, 0, -10}, {30, 0, 10}};
    const uint32_t triangle[6] = {0, 1, 2, 2, 1, 3};
    for (uint32_t substeps = 4; substeps <= 10; substeps += 6)
        for (double width = 0.02; width < 0.1; width *= 2) {
            sn_world_def def = sn_default_world_def();
            def.settings.substeps = substeps;
            sn_world *world = support_world_from(&def);
            sn_shape_def sheet = sn_default_shape_def(SN_SHAPE_MESH);
            sheet.vertices = corner, sheet.vertex_count = 4;
            sheet.triangles = triangle, sheet.triangle_count = 2;
            add(world, SN_BODY_STATIC, &sheet, vec(0, 0, 0));
            sn_body wheel = sn_body_add_cylinder(world, vec(0, r, -width / 2), vec(0, r, width / 2), real(r), 1000);
            assert_ok(world, sn_body_set_velocity(world, wheel, vec(v, 0, 0), vec(0, 0, -v / r)));
            double highest = 0;
            for (int i = 0; i < 120; ++i) {
                step(world);
                highest = fmax(highest, (double)sn_body_position(world, wheel).y);
            }
            assert_true(highest < r + 0.0015);
            assert_close(sn_vec3_length(sn_body_velocity(world, wheel)), v, 0.01 * v);
            assert_close(sn_vec3_length(sn_body_spin(world, wheel)) * real(r), v, 0.01 * v);
            sn_world_destroy(world);
        }
}

/* Materials and filters of shapes count before those of the group. */
static void shapes_have_materials(void **state)
{
    (void)state;
    for (int which = 0; which < 4; ++which) {
        sn_world *world = support_world();
        sn_contact_material bouncy = sn_default_contact_material();
        bouncy.restitution = 1;
        bouncy.restitution_mix = SN_MIX_MOST;
        const sn_filter ghost = {2, 2};
        sn_shape_def floor = sn_default_shape_def(SN_SHAPE_PLANE), ball = small(SN_SHAPE_SPHERE);
        floor.material = which == 0 ? &bouncy : NULL;
        ball.material = which == 1 ? &bouncy : NULL;
        ball.filter = which == 2 ? &ghost : NULL;
        sn_body ground = add(world, SN_BODY_STATIC, &floor, vec(0, 0, 0));
        sn_body body = add(world, SN_BODY_DYNAMIC, &ball, vec(0, 0.6, 0));
        support_run(world, 24, 1.0 / 60); /* it falls for 0.32 s */
        const double v = (double)sn_body_velocity(world, body).y, y = (double)sn_body_position(world, body).y;
        if (which < 2)
            assert_true(v > 1.5);
        else if (which == 2)
            assert_true(y < 0);
        else
            assert_close(y, 0.1, 1e-3);
        /* and back to those of the group */
        if (which == 2) {
            assert_ok(world, sn_body_set_pose(world, body, vec(0, 0.2, 0), (sn_quat){0, 0, 0, 1}));
            assert_ok(world, sn_body_set_velocity(world, body, vec(0, 0, 0), vec(0, 0, 0)));
            assert_ok(world, sn_body_set_filter(world, body, 0, NULL));
            support_run(world, 30, 1.0 / 60);
            assert_close(sn_body_position(world, body).y, 0.1, 1e-3);
            assert_ok(world, sn_body_set_filter(world, ground, 0, &ghost));
            support_run(world, 30, 1.0 / 60);
            assert_true((double)sn_body_position(world, body).y < 0);
        }
        sn_world_destroy(world);
    }
}

/* ---- Compounds and anchors ------------------------------------------------------------------------------------------ */

/* A wheel of two paddles that turns about its own origin: a ball is hit by the far one where that really is. */
static void compounds_turn_as_one(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_shape_def paddle[2] = {sn_default_shape_def(SN_SHAPE_BOX), sn_default_shape_def(SN_SHAPE_SPHERE)};
    sn_body_def def = sn_default_body_def();
    sn_body wheel;
    paddle[0].half = vec(0.1, 0.1, 0.1);
    paddle[0].position = vec(2, 0, 0);
    paddle[0].user = 7;
    paddle[1].radius = real(0.1);
    paddle[1].position = vec(-2, 0, 0);
    def.type = SN_BODY_KINEMATIC;
    def.position = vec(1, 0, 0);
    def.spin = vec(0, 0, 0.5 * SN_PI);
    def.shapes = paddle;
    def.shape_count = 2;
    def.user = 5;
    def.group = 3;
    assert_ok(world, sn_body_add(world, &def, &wheel));
    assert_int_equal(sn_body_shape_count(world, wheel), 2);
    assert_true(sn_body_shape_user(world, wheel, 0) == 7 && sn_body_shape_user(world, wheel, 1) == 0);
    assert_true(sn_body_user(world, wheel) == 5 && sn_body_group(world, wheel) == 3);
    assert_ok(world, sn_body_set_user(world, wheel, 6));
    assert_ok(world, sn_body_set_group(world, wheel, 4));
    assert_true(sn_body_user(world, wheel) == 6 && sn_body_group(world, wheel) == 4);
    sn_hit hit;
    support_run(world, 60, 1.0 / 60); /* a quarter of a turn */
    assert_true(sn_query_ray(world, vec(1, 9, 0), vec(0, -1, 0), 20, sn_default_query_filter(), &hit));
    assert_true(hit.body.index == wheel.index && hit.shape == 0);
    assert_close(hit.distance, 9 - 2.1, 1e-4);
    assert_true(sn_query_ray(world, vec(1, -9, 0), vec(0, 1, 0), 20, sn_default_query_filter(), &hit));
    assert_true(hit.body.index == wheel.index && hit.shape == 1);
    assert_close(hit.distance, 9 - 2.1, 1e-4);
    assert_vec_close(sn_body_velocity_at(world, wheel, vec(1, 2, 0)), vec(-SN_PI, 0, 0), 1e-5);
    sn_world_destroy(world);
}

/* A rope hangs on a lift that goes up at 1 m/s, and a lamp on a beam: what holds them is where they are. */
static void constraints_hold_fixed_bodies(void **state)
{
    (void)state;
    sn_world *world = support_world();
    const sn_shape_def box = small(SN_SHAPE_BOX);
    sn_body lift = add(world, SN_BODY_KINEMATIC, &box, vec(0, 5, 0)),
            beam = add(world, SN_BODY_STATIC, &box, vec(3, 5, 0));
    assert_int_equal(sn_world_particle_count(world), 0);
    assert_int_equal(sn_body_particle(world, lift).generation, 0);
    sn_particle load = sn_particle_add_at(world, vec(0, 4, 0), 1), lamp = sn_particle_add_at(world, vec(3, 4, 0), 1);
    uint64_t before = sn_world_hash(world);
    assert_true(
        !sn_constraint_add_distance(world, sn_at(load), sn_on_body(lift, vec(0, 0, 0)), -5).generation); /* refused */
    assert_true(sn_world_hash(world) == before && sn_world_particle_count(world) == 2);
    assert_true(sn_constraint_add_distance(world, sn_at(load), sn_on_body(lift, vec(0, 0, 0)), SN_MEASURE).generation >
                0);
    sn_constraint rod = sn_constraint_add_distance(world, sn_at(lamp), sn_on_body(beam, vec(0, 0, 0)), SN_MEASURE);
    assert_true(rod.generation > 0);
    assert_result(world, SN_ERROR_ARGUMENT, sn_constraint_set_param(world, rod, "length", (const sn_real[]){1}, 1));
    assert_says(sn_world_error(world), "distance no parameter 'length' it has rest");
    assert_int_equal(sn_world_particle_count(world), 4); /* anchors */
    assert_true(!sn_constraint_add_distance(world, sn_on_body(lift, vec(0, 0, 0)), sn_on_body(beam, vec(0, 0, 0)), 1)
                     .generation);
    assert_says(sn_world_error(world), "static kinematic nothing moves");
    assert_int_equal(sn_body_mass(world, lift) == SN_IMMOVABLE, 1);
    assert_ok(world, sn_body_set_velocity(world, lift, vec(0, 1, 0), vec(0, 0, 0)));
    sn_snapshot *saved = sn_world_save(world);
    support_run(world, 120, 1.0 / 60);
    assert_close(sn_body_position(world, lift).y, 7, 1e-4);
    assert_close(sn_particle_position(world, load).y, 6, 5e-3);
    assert_close(sn_particle_position(world, lamp).y, 4, 1e-3);
    uint64_t hash = sn_world_hash(world);
    assert_ok(world, sn_world_load(world, saved));
    support_run(world, 120, 1.0 / 60);
    assert_true(sn_world_hash(world) == hash);
    sn_snapshot_destroy(saved);
    assert_ok(world, sn_body_move_to(world, lift, vec(0, 7, 1), (sn_quat){0, 0, 0, 1}));
    assert_ok(world, sn_world_step(world, real(1.0 / 60)));
    assert_vec_close(sn_particle_position(world, sn_body_particle(world, lift)), vec(0, 7, 1), 1e-5);
    assert_ok(world, sn_body_remove(world, lift)); /* and what held it */
    assert_int_equal(sn_world_constraint_count(world, 0), 1);
    assert_int_equal(sn_world_body_count(world), 1);
    assert_ok(world, sn_particle_remove(world, sn_body_particle(world, beam))); /* which is the body */
    assert_int_equal(sn_world_body_count(world), 0);
    sn_world_destroy(world);
}

/* A door on a hinge at a static post, which it overlaps: they do not collide. */
static void joined_ones_do_not_collide(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_shape_def box = small(SN_SHAPE_BOX);
    sn_body post = add(world, SN_BODY_STATIC, &box, vec(0, 1, 0));
    box.half = vec(0.5, 0.05, 0.05);
    sn_body door = add(world, SN_BODY_DYNAMIC, &box, vec(0.5, 1, 0));
    assert_true(sn_joint_add_hinge(world, post, door, vec(0, 1, 0), vec(0, 1, 0)).generation > 0);
    assert_ok(world, sn_body_set_velocity(world, door, vec(0, 0, -0.5), vec(0, 1, 0)));
    support_run(world, 60, 1.0 / 60);
    assert_close(sn_body_spin(world, door).y, 1, 0.02);
    assert_close(sn_body_position(world, door).y, 1, 1e-3);
    sn_world_destroy(world);
}

/* ---- Types ---------------------------------------------------------------------------------------------------------- */

static void static_ones_stand(void **state)
{
    (void)state;
    sn_world *world = support_world();
    const sn_shape_def box = small(SN_SHAPE_BOX);
    sn_body wall = add(world, SN_BODY_STATIC, &box, vec(0, 0, 0)),
            crate = add(world, SN_BODY_DYNAMIC, &box, vec(0, 5, 0));
    const sn_quat none = {0, 0, 0, 1};
    uint64_t hash = sn_world_hash(world);
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_move_to(world, wall, vec(1, 0, 0), none));
    assert_says(sn_world_error(world), "body 0 static");
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_velocity(world, wall, vec(1, 0, 0), vec(0, 0, 0)));
    assert_says(sn_world_error(world), "velocity 1 static");
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_apply_force(world, wall, vec(1, 0, 0), vec(0, 0, 0)));
    assert_says(sn_world_error(world), "body 0 static force");
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_mass(world, wall, 1));
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_type(world, wall, SN_BODY_DYNAMIC));
    assert_says(sn_world_error(world), "body 0 static dynamic");
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_type(world, crate, SN_BODY_STATIC));
    assert_true(sn_world_hash(world) == hash);
    assert_int_equal(sn_body_type_of(world, wall), SN_BODY_STATIC);
    assert_int_equal(sn_body_type_of(world, crate), SN_BODY_DYNAMIC);
    assert_ok(world, sn_body_set_type(world, wall, SN_BODY_KINEMATIC));
    assert_ok(world, sn_body_set_velocity(world, wall, vec(1, 0, 0), vec(0, 0, 0)));
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_type(world, wall, SN_BODY_STATIC));
    assert_says(sn_world_error(world), "moves");
    support_run(world, 60, 1.0 / 60);
    assert_close(sn_body_position(world, wall).x, 1, 1e-5);
    sn_body tube = sn_static_add_cylinder(world, vec(0, 0, 0), vec(0, 4, 0), 1);
    sn_body_def def;
    assert_ok(world, sn_body_read(world, tube, &def));
    assert_true(def.type == SN_BODY_STATIC && def.shapes[0].type == SN_SHAPE_CYLINDER && def.shapes[0].half.y == 2);
    sn_world_destroy(world);
}

static void types_have_names(void **state)
{
    (void)state;
    for (int type = 0; type < SN_SHAPE_TYPES; ++type) {
        assert_non_null(sn_shape_type_name((sn_shape_type)type));
        assert_int_equal(sn_shape_is_convex((sn_shape_type)type), type < SN_SHAPE_PLANE);
    }
    assert_null(sn_shape_type_name((sn_shape_type)SN_SHAPE_TYPES));
    assert_false(sn_shape_is_convex((sn_shape_type)-1));
}

/* 1 mm and 1 km: a stack of two, with gravity in proportion. */
static void sizes_do_not_matter(void **state)
{
    (void)state;
    for (int power = -3; power <= 3; power += 3)
        for (int type = 0; type <= SN_SHAPE_CONE; ++type) {
            const double s = pow(10, power);
            sn_world_def world_def = sn_default_world_def();
            world_def.settings.gravity = vec(0, -9.81 * s, 0);
            sn_world *world = support_world_from(&world_def);
            sn_shape_def shape = small((sn_shape_type)type);
            sn_vec3 corner[8];
            for (int i = 0; i < 8; ++i)
                corner[i] = vec3_scale(cube[i], real(0.1 * s));
            shape.half = vec3_scale(shape.half, real(s));
            shape.radius *= real(s);
            shape.vertices = type == SN_SHAPE_HULL ? corner : NULL;
            sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
            sn_body body = add(world, SN_BODY_DYNAMIC, &shape, vec(0, 0.1 * s, 0));
            support_run(world, 60, 1.0 / 60);
            if (fabs((double)sn_body_position(world, body).y - 0.1 * s) > 2e-3 * s)
                fail_msg("%s of %g m: it is at %g m", sn_shape_type_name((sn_shape_type)type), 0.2 * s,
                         (double)sn_body_position(world, body).y);
            sn_world_destroy(world);
        }
}

/* ---- Definitions that say more ---------------------------------------------------------------------------------------- */

static void many_like_one(void **state)
{
    (void)state;
    sn_world_def world_def = sn_default_world_def();
    world_def.contact.events = true;
    world_def.contact.sleep_time = 2;
    sn_world *world = support_world_from(&world_def);
    assert_true(sn_world_contact_settings(world).events && sn_world_contact_settings(world).sleep_time == 2);
    sn_particle_def like = sn_default_particle_def();
    const sn_real xyz[6] = {1, 2, 3, 4, 5, 6};
    like.mass = 3;
    like.radius = real(0.25);
    like.group = 7;
    like.user = 9;
    like.velocity = vec(0, 1, 0);
    sn_particles run = sn_particles_add_like(world, &like, 2, xyz, 0);
    assert_int_equal(run.count, 2);
    const sn_particle second = sn_particles_at(run, 1);
    assert_vec_same(sn_particle_position(world, second), vec(4, 5, 6));
    assert_vec_same(sn_particle_velocity(world, second), vec(0, 1, 0));
    assert_true(sn_particle_mass(world, second) == 3 && sn_particle_radius(world, second) == real(0.25));
    assert_true(sn_particle_group(world, second) == 7 && sn_particle_user(world, second) == 9);
    like.radius = -1;
    assert_int_equal(sn_particles_add_like(world, &like, 2, xyz, 0).count, 0);
    assert_says(sn_world_error(world), "radius -1");
    assert_int_equal(sn_particles_add_like(world, NULL, 2, xyz, 0).count, 0);

    const uint32_t corner[3] = {0, 1, 2};
    sn_skin_def skin_def = sn_default_skin_def();
    sn_skin skin;
    sn_particle_add_at(world, vec(0, 0, 1), 1);
    skin_def.triangles = corner;
    skin_def.triangle_count = 1;
    skin_def.user = 11;
    assert_ok(world, sn_skin_add(world, &skin_def, &skin));
    assert_true(sn_skin_user(world, skin) == 11);
    assert_ok(world, sn_skin_set_user(world, skin, 12));
    assert_true(sn_skin_user(world, skin) == 12);
    assert_result(world, SN_ERROR_STALE, sn_skin_set_user(world, (sn_skin){9, 9}, 1));
    sn_world_destroy(world);

    char message[200];
    world_def.contact.push_out = -1;
    assert_int_equal(sn_world_def_check(&world_def, message, sizeof message), SN_ERROR_ARGUMENT);
    assert_says(message, "contact push_out -1");
}

/* ---- Meshes that cross themselves ---------------------------------------------------------------------------------- */

/* Two boxes of half a size, the second moved by a way; the first `gone` triangles of the second are left out. */
typedef struct two_boxes {
    sn_vec3 vertex[16];
    uint32_t triangle[72];
} two_boxes;

static void make_boxes(two_boxes *m, double half, double second, sn_vec3 way)
{
    static const uint32_t box[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                     2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (uint32_t i = 0; i < 16; ++i) {
        const double h = i < 8 ? half : second;
        m->vertex[i] = vec(i & 1 ? h : -h, i & 2 ? h : -h, i & 4 ? h : -h);
        if (i >= 8)
            m->vertex[i] = vec((double)(m->vertex[i].x + way.x), (double)(m->vertex[i].y + way.y),
                               (double)(m->vertex[i].z + way.z));
    }
    for (uint32_t i = 0; i < 72; ++i)
        m->triangle[i] = box[i % 36] + (i < 36 ? 0 : 8);
}

static sn_result add_boxes(sn_world *world, const two_boxes *m, int how, uint32_t triangles)
{
    sn_body_def def = sn_default_body_def();
    sn_shape_def shape = sn_default_shape_def(how == 0 ? SN_SHAPE_MESH : how == 1 ? SN_SHAPE_FIELD : SN_SHAPE_BOX);
    def.type = how == 2 ? SN_BODY_DYNAMIC : SN_BODY_STATIC;
    def.shapes = &shape;
    def.shape_count = 1;
    if (how == 2) {
        def.vertices = m->vertex, def.vertex_count = 16;
        def.triangles = m->triangle, def.triangle_count = triangles;
    } else {
        shape.vertices = m->vertex, shape.vertex_count = 16;
        shape.triangles = m->triangle, shape.triangle_count = triangles;
    }
    return sn_body_add(world, &def, NULL);
}

/* As a solid, as a field and as a mass: those that cross or touch are refused with two triangles, at every size; a box beside the other or
   wholly around it is fine, and so is a sheet that crosses itself. */
static void crossing_meshes_are_refused(void **state)
{
    (void)state;
    sn_world *world = support_world();
    static const struct {
        double second;
        sn_vec3 way;
        bool good;
    } cases[] = {
        {1, {3, 0, 0}, true},           /* beside it */
        {0.5, {0, 0, 0}, true},         /* inside of it: two surfaces one in the other */
        {1, {0.7f, 0.4f, 0.3f}, false}, /* across */
        {1, {1, 0, 0}, false},      /* half way into it: four sides lie in one plane, and no edge goes through a face */
        {1, {2, 0, 0}, false},      /* two faces are one */
        {1, {2, 2, 2}, false},      /* they touch in one corner */
        {0.5, {1.2f, 0, 0}, false}, /* a corner of it sticks out */
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int size = -3; size <= 3; size += 3)
            for (int how = 0; how < 3; ++how) {
                const double scale = pow(10, size);
                const uint64_t hash = sn_world_hash(world);
                two_boxes m;
                make_boxes(&m, scale, scale * cases[i].second,
                           vec(scale * (double)cases[i].way.x, scale * (double)cases[i].way.y,
                               scale * (double)cases[i].way.z));
                const sn_result result = add_boxes(world, &m, how, 24);
                if ((result == SN_OK) != cases[i].good)
                    fail_msg("case %u, 1e%d m, way %d: %s", i, size, how,
                             result == SN_OK ? "taken" : sn_world_error(world));
                if (result == SN_OK)
                    continue;
                assert_says(sn_world_error(world), "triangles cross or touch each other");
                assert_true(sn_world_hash(world) == hash);
            }
    two_boxes m;
    make_boxes(&m, 1, 1, vec(0.7, 0.4, 0.3));
    assert_ok(world, add_boxes(world, &m, 0, 23)); /* one triangle less: a sheet */
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossing_meshes_are_refused),
        cmocka_unit_test(many_like_one),
        cmocka_unit_test(all_rest_on_all),
        cmocka_unit_test(cylinders_roll),
        cmocka_unit_test(fast_cylinders_stay_down),
        cmocka_unit_test(thin_wheels_roll_on_sheets),
        cmocka_unit_test(shapes_have_materials),
        cmocka_unit_test(compounds_turn_as_one),
        cmocka_unit_test(constraints_hold_fixed_bodies),
        cmocka_unit_test(joined_ones_do_not_collide),
        cmocka_unit_test(static_ones_stand),
        cmocka_unit_test(types_have_names),
        cmocka_unit_test(sizes_do_not_matter),
    };
    return cmocka_run_group_tests_name("shapes", tests, NULL, NULL);
}

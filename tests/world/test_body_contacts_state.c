/* Contact of bodies in a world as a whole: who meets whom, events, sleep, flat worlds, the same bits whoever computes
   them, saved and restored, and without memory. */
#include "world/body_worlds.h"

#include "world/world.h"

static sn_body block(sn_world *world, double x, double y)
{
    return box_body(world, vec(x, y, 0), vec(0.5, 0.5, 0.5), 1000);
}

static void put_in_group(sn_world *world, sn_body body, uint32_t group)
{
    assert_ok(world, sn_particle_set_group(world, sn_body_particle(world, body), group));
}

static double height(const sn_world *world, sn_body body)
{
    return (double)sn_body_position(world, body).y;
}

/* ---- Who meets whom
   ---------------------------------------------------------------------------------------------------- */

/* Two boxes, one above the other, that begin to fall: whether the upper one comes to lie on the lower one. */
static bool lies_on_top(sn_world *world, sn_body lower, sn_body upper)
{
    support_run(world, 90, FRAME);
    assert_close(height(world, lower), 0.5, 0.01);
    bool lies = height(world, upper) > 1.4;
    if (!lies)
        assert_close(height(world, upper), 0.5, 0.01);
    sn_world_destroy(world);
    return lies;
}

static void groups_and_masks(void **state)
{
    (void)state;
    for (int way = 0; way < 5; ++way) {
        sn_world *world = support_world();
        add_floor(world);
        sn_body lower = block(world, 0, 0.5), upper = block(world, 0.1, 1.6);
        sn_group_contact one = sn_default_group_contact(1), two = sn_default_group_contact(2);
        put_in_group(world, lower, 1);
        put_in_group(world, upper, way == 1 || way == 2 ? 1 : 2);
        one.self = way == 2;
        two.category = way >= 3 ? 4 : 1;
        two.mask = way == 4 ? ~2u : UINT32_MAX;
        one.category = 2;
        one.mask = way == 3 ? ~4u : UINT32_MAX;
        assert_ok(world, sn_world_set_group_contact(world, 1, &one));
        assert_ok(world, sn_world_set_group_contact(world, 2, &two));
        assert_int_equal(lies_on_top(world, lower, upper), way == 0 || way == 2);
    }
}

static void fixed_shape_masks(void **state)
{
    (void)state;
    sn_world *world = support_world();
    add_floor(world);
    fixed_def def = default_fixed();
    sn_body shelf;
    def.type = SN_SHAPE_BOX;
    def.half = vec(5, 0.1, 5);
    def.position = vec(0, 3, 0);
    def.mask = 2;
    assert_ok(world, fixed_add(world, &def, &shelf));
    sn_body stays = block(world, -2, 3.7), falls = block(world, 2, 3.7);
    sn_group_contact group = sn_default_group_contact(1);
    group.category = 2;
    assert_ok(world, sn_world_set_group_contact(world, 1, &group));
    put_in_group(world, stays, 1);
    support_run(world, 120, FRAME);
    assert_close(height(world, stays), 3.6, 0.01);
    assert_close(height(world, falls), 0.5, 0.01);
    sn_world_destroy(world);
}

/* Bodies that a joint or a rod joins do not collide; when it goes they do. */
static void joined_bodies_do_not_collide(void **state)
{
    (void)state;
    for (int rod = 0; rod < 2; ++rod) {
        sn_world *world = support_void();
        sn_settings settings = sn_world_settings(world);
        settings.substeps = 10;
        assert_ok(world, sn_world_configure(world, &settings));
        sn_body a = block(world, 0, 0), b = block(world, 0.8, 0); /* they overlap */
        sn_constraint joint =
            rod ? sn_constraint_add_distance(world, sn_on_body(a, vec(0, 0, 0)), sn_on_body(b, vec(0, 0, 0)), real(0.8))
                : sn_joint_add_ball(world, a, b, vec(0.4, 0, 0));
        assert_true(joint.kind != 0);
        support_run(world, 60, FRAME);
        assert_vec_close(sn_body_position(world, b), vec(0.8, 0, 0), 1e-4);
        assert_ok(world, sn_constraint_remove(world, joint));
        support_run(world, 60, FRAME);
        assert_true(support_gap(sn_body_position(world, a), sn_body_position(world, b)) > 0.99);
        sn_world_destroy(world);
    }
}

static void contact_can_be_off(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_contact_settings settings = sn_default_contact_settings();
    settings.on = false;
    assert_ok(world, sn_world_set_contact_settings(world, &settings));
    add_floor(world);
    sn_body box = block(world, 0, 1);
    support_run(world, 60, FRAME);
    assert_true(height(world, box) < -3);
    sn_world_destroy(world);
}

/* ---- Events
   ---------------------------------------------------------------------------------------------------------------- */

/* A box falls on the floor, lies there, and is lifted: it begins, stays and ends, and what presses is its weight times
   the time. */
static void events_tell_of_weight(void **state)
{
    (void)state;
    sn_world *world = contact_world(sn_default_world_def(), false, true);
    sn_body ground = add_floor(world);
    sn_body low = block(world, 0, 0.6), high = block(world, 0, 1.75);
    sn_particle one = sn_body_particle(world, low), two = sn_body_particle(world, high);
    uint32_t begins = 0, ends = 0;
    double impulse = 0, weight = 1000 * GRAVITY;
    for (int frame = 0; frame < 180; ++frame) {
        uint32_t count;
        step(world);
        const sn_contact_event *event = sn_world_contact_events(world, &count);
        for (uint32_t i = 0; i < count; ++i) {
            begins += event[i].phase == SN_CONTACT_BEGIN;
            ends += event[i].phase == SN_CONTACT_END;
            assert_int_equal(event[i].particle.index, one.index);
            assert_close(fabs((double)event[i].normal.y), event[i].phase == SN_CONTACT_END ? 0 : 1, 1e-3);
            if (!event[i].other.generation) {
                assert_int_equal(event[i].other_body.index, ground.index);
                assert_true((double)event[i].normal.y >= 0); /* towards the box */
                impulse = (double)event[i].impulse;
            } else {
                assert_int_equal(event[i].other.index, two.index);
                assert_true((double)event[i].normal.y <= 0);
                if (event[i].phase != SN_CONTACT_END)
                    assert_close(event[i].point.y, 1, 0.1);
            }
        }
    }
    assert_true(begins >= 2 && begins == ends + 2);
    assert_close(impulse, 2 * weight * FRAME, 2e-3 * impulse);
    assert_ok(world, sn_body_set_pose(world, high, vec(0, 5, 0), turned(vec(0, 1, 0), 0)));
    step(world);
    uint32_t count, over = 0;
    const sn_contact_event *event = sn_world_contact_events(world, &count);
    for (uint32_t i = 0; i < count; ++i)
        over += event[i].phase == SN_CONTACT_END && event[i].other.index == two.index && event[i].other.generation;
    assert_int_equal(over, 1);
    sn_world_destroy(world);
}

/* A box falls through a sensor: it begins once, ends once, and nothing is pushed. */
static void sensors_notice_bodies(void **state)
{
    (void)state;
    sn_world *world = contact_world(sn_default_world_def(), false, true);
    fixed_def def = default_fixed();
    sn_body sensor;
    def.type = SN_SHAPE_BOX;
    def.sensor = true;
    def.half = vec(2, 0.2, 2);
    assert_ok(world, fixed_add(world, &def, &sensor));
    sn_body box = block(world, 0, 2);
    uint32_t begins = 0, stays = 0, ends = 0;
    for (int frame = 0; frame < 90; ++frame) {
        uint32_t count;
        step(world);
        const sn_contact_event *event = sn_world_contact_events(world, &count);
        for (uint32_t i = 0; i < count; ++i) {
            assert_true(event[i].sensor && event[i].other_body.index == sensor.index && event[i].impulse == 0);
            begins += event[i].phase == SN_CONTACT_BEGIN;
            stays += event[i].phase == SN_CONTACT_STAY;
            ends += event[i].phase == SN_CONTACT_END;
        }
    }
    assert_int_equal(begins, 1);
    assert_int_equal(ends, 1);
    assert_true(stays > 5);
    assert_close(height(world, box), 2 - GRAVITY * 1.5 * (1.5 + FRAME / 10) / 2, 1e-2);
    sn_world_destroy(world);
}

/* ---- Sleep
   --------------------------------------------------------------------------------------------------------------------
   */

/* Who lies on something wakes when that goes, or is moved, and falls. */
static void removal_wakes_a_stack(void **state)
{
    (void)state;
    for (int what = 0; what < 4; ++what) {
        sn_world *world = contact_world(sn_default_world_def(), true, false);
        add_plane(world, vec(0, -3, 0), vec(0, 1, 0));
        sn_body shelf = fixed_add_box(world, vec(0, -0.1, 0), vec(2, 0.1, 2));
        sn_body box[3];
        for (int i = 0; i < 3; ++i)
            box[i] = block(world, 0, 0.5 + i);
        support_run(world, 120, FRAME);
        assert_int_equal(sn_world_awake_count(world), 0);
        if (what == 0)
            assert_ok(world, sn_body_remove(world, shelf));
        else if (what == 1)
            assert_ok(world, sn_body_remove(world, box[0]));
        else if (what == 2)
            assert_ok(world, sn_body_set_pose(world, shelf, vec(9, 0, 0), turned(vec(0, 1, 0), 0)));
        else
            assert_ok(world, sn_body_set_pose(world, box[0], vec(0, 7, 0), turned(vec(0, 1, 0), 0)));
        support_run(world, 20, FRAME);
        assert_true(height(world, box[1]) < 1.3);
        assert_true(height(world, box[2]) < 2.3);
        sn_world_destroy(world);
    }
}

/* A blow wakes those who sleep, however fast it comes. */
static void blows_wake(void **state)
{
    (void)state;
    for (int fast = 0; fast < 2; ++fast) {
        sn_world *world = contact_world(sn_default_world_def(), true, false);
        add_floor(world);
        sn_body low = block(world, 0, 0.5), high = block(world, 0, 1.5);
        support_run(world, 120, FRAME);
        assert_int_equal(sn_world_awake_count(world), 0);
        sn_vec3 rests = sn_body_position(world, high);
        support_run(world, 60, FRAME);
        assert_vec_same(sn_body_position(world, high), rests); /* to the last bit */
        flying(world, sphere_body(world, vec(-4, 1.5, 0), 0.2, 3000), vec(fast ? 100 : 10, fast ? 0 : 1.5, 0),
               vec(0, 0, 0));
        support_run(world, 60, FRAME);
        assert_true((double)sn_body_position(world, high).x > 0.02);
        (void)low;
        sn_world_destroy(world);
    }
}

/* ---- Flat worlds
   ------------------------------------------------------------------------------------------------------------------ */

static void assert_flat(const sn_world *world, sn_body body)
{
    sn_vec3 x = sn_body_position(world, body), v = sn_body_velocity(world, body), spin = sn_body_spin(world, body);
    sn_quat q = sn_body_rotation(world, body);
    assert_true(x.z == 0 && v.z == 0 && spin.x == 0 && spin.y == 0 && q.x == 0 && q.y == 0);
}

/* A stack of boxes and circles in two dimensions, however thin they are along z. */
static void flat_stacks(void **state)
{
    (void)state;
    static const double depth[] = {0.01, 0.5, 5};
    for (size_t d = 0; d < COUNT_OF(depth); ++d) {
        sn_world *world = support_world_2d();
        sn_body box[8], round[6];
        add_floor(world);
        add_plane(world, vec(-3, 0, 0), vec(1, 0, 0));
        add_plane(world, vec(6, 0, 0), vec(-1, 0, 0));
        for (int i = 0; i < 8; ++i)
            box[i] = box_body(world, vec(-2, 0.25 + 0.5 * i, 0), vec(0.5, 0.25, depth[d]), 1000);
        for (int i = 0; i < 6; ++i)
            round[i] = sphere_body(world, vec(1 + 0.7 * (i % 3), 0.4 + 0.8 * (i / 3), 0), 0.3, 1000);
        sn_body rod = box_body(world, vec(4, 2, 0), vec(1, 0.1, depth[d]), 1000);
        flying(world, rod, vec(0, 0, 0), vec(0, 0, 3));
        support_run(world, 300, FRAME);
        for (int i = 0; i < 8; ++i) {
            assert_flat(world, box[i]);
            assert_vec_close(sn_body_position(world, box[i]), vec(-2, 0.25 + 0.5 * i, 0), 0.02);
        }
        for (int i = 0; i < 6; ++i) {
            assert_flat(world, round[i]);
            for (int k = 0; k < i; ++k)
                assert_true(support_gap(sn_body_position(world, round[i]), sn_body_position(world, round[k])) > 0.59);
        }
        assert_flat(world, rod);
        assert_true(height(world, rod) > 0.095);
        sn_world_destroy(world);
    }
}

/* Deep in each other, flat bodies part in their plane. */
static void flat_bodies_part_in_their_plane(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    def.dimensions = 2;
    def.settings.gravity = vec(0, 0, 0);
    sn_world *world = support_world_from(&def);
    sn_body a = box_body(world, vec(0, 0, 0), vec(1, 0.5, 0.01), 1000);
    sn_body b = box_body(world, vec(0.1, 0.2, 0), vec(0.5, 0.5, 0.01), 1000);
    sn_body c = sphere_body(world, vec(-0.5, 0.1, 0), 0.3, 1000);
    sn_particle p = ball(world, vec(0.6, -0.1, 0), 1, 0.1);
    support_run(world, 240, FRAME);
    assert_flat(world, a);
    assert_flat(world, b);
    assert_flat(world, c);
    sn_vec3 own = sn_body_to_own(world, a, sn_body_position(world, b));
    assert_true(fabs((double)own.y) > 0.98 || fabs((double)own.x) > 1.48);
    own = sn_body_to_own(world, a, sn_body_position(world, c));
    assert_true(fabs((double)own.y) > 0.79 || fabs((double)own.x) > 1.29);
    own = sn_body_to_own(world, a, place(world, p));
    assert_true(fabs((double)own.y) > 0.59 || fabs((double)own.x) > 1.09);
    sn_world_destroy(world);
}

/* There is no way out between them, and any other leads out of the plane: one in it is taken. */
static void flat_capsules_in_one_place_part(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    def.dimensions = 2;
    def.settings.gravity = vec(0, 0, 0);
    sn_world *world = support_world_from(&def);
    sn_body body[2];
    for (int i = 0; i < 2; ++i)
        body[i] = sn_body_add_capsule(world, vec(0, 1, 0), vec(1, 0, 0), real(0.25), 1000);
    support_run(world, 240, FRAME);
    assert_flat(world, body[0]);
    assert_flat(world, body[1]);
    sn_vec3 apart = sn_body_to_own(world, body[0], sn_body_position(world, body[1]));
    assert_true(sqrt((double)vec3_dot(apart, apart)) > 0.48);
    sn_world_destroy(world);
}

/* m: how far apart the axes of two capsules are at the ends, where they are nearest unless they cross. */
static double axes_apart(const sn_world *world, const sn_body body[2], double half, bool *cross)
{
    double least = INFINITY;
    int sides[2][2];
    for (int i = 0; i < 2; ++i)
        for (int end = 0; end < 2; ++end) {
            const sn_vec3 tip = sn_body_to_world(world, body[i], vec(0, end ? half : -half, 0));
            const sn_vec3 own = sn_body_to_own(world, body[1 - i], tip);
            const double past = fmax(fabs((double)own.y) - half, 0);
            least = fmin(least, sqrt((double)own.x * (double)own.x + past * past));
            sides[i][end] = own.x > 0;
        }
    *cross = sides[0][0] != sides[0][1] && sides[1][0] != sides[1][1];
    return least;
}

/* Capsules that cross, at any angle and place, part in the plane. */
static void flat_capsules_that_cross_part(void **state)
{
    (void)state;
    for (int k = 0; k < 24; ++k) {
        sn_world_def def = sn_default_world_def();
        def.dimensions = 2;
        def.settings.gravity = vec(0, 0, 0);
        sn_world *world = support_world_from(&def);
        sn_shape_def capsule = sn_default_shape_def(SN_SHAPE_CAPSULE);
        sn_body body[2];
        bool cross;
        capsule.half = vec(0, 0.5, 0);
        capsule.radius = real(0.1);
        for (int i = 0; i < 2; ++i) {
            body[i] = compound_body(world, vec(0, i ? 0.2 * (k % 3) : 0, 0), &capsule, 1, 1000);
            assert_ok(world, sn_body_set_pose(world, body[i], sn_body_position(world, body[i]),
                                              turned(vec(0, 0, 1), i * (0.1 + 0.125 * k))));
        }
        axes_apart(world, body, 0.5, &cross);
        assert_true(cross);
        support_run(world, 240, FRAME);
        assert_flat(world, body[0]);
        assert_flat(world, body[1]);
        assert_true(axes_apart(world, body, 0.5, &cross) > 0.195);
        assert_false(cross);
        sn_world_destroy(world);
    }
}

/* And one that crosses a fixed shape comes out of it. */
static void flat_capsule_comes_out_of_a_capsule(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    def.dimensions = 2;
    def.settings.gravity = vec(0, 0, 0);
    sn_world *world = support_world_from(&def);
    fixed_add_capsule(world, vec(-1, 0, 0), vec(1, 0, 0), real(0.1));
    sn_body body = sn_body_add_capsule(world, vec(-0.1, -0.3, 0), vec(0.1, 0.6, 0), real(0.1), 1000);
    const sn_vec3 low = sn_body_to_own(world, body, vec(-0.1, -0.3, 0));
    support_run(world, 240, FRAME);
    assert_flat(world, body);
    assert_true((double)sn_body_to_world(world, body, low).y > 0.195);
    sn_world_destroy(world);
}

/* ---- The same bits
   ------------------------------------------------------------------------------------------------------------------ */

/* A heap of everything: boxes, balls, capsules, compounds, hulls, particles and cloth, fast ones among them. */
static void fill_world(sn_world *world, uint32_t count)
{
    uint64_t seed = 3;
    add_tub(world, 4, 4);
    sn_body drum = fixed_add_capsule(world, vec(-1, 0.2, 0), vec(1, 0.2, 0), real(0.2));
    assert_ok(world, sn_body_set_velocity(world, drum, vec(0, 0, 0), vec(1, 0, 0)));
    sn_group_contact group = sn_default_group_contact(1);
    group.material = material(0.6, 0.5);
    group.material.rolling = real(0.02);
    group.self = true;
    assert_ok(world, sn_world_set_group_contact(world, 1, &group));
    const sn_vec3 vertices[] = {vec(0.2, 0, 0), vec(-0.1, 0.2, 0), vec(-0.1, -0.2, 0.1), vec(0, 0, 0.3)};
    sn_particle last = {0, 0};
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 at = vec(support_random_in(&seed, -1.6, 1.6), 0.5 + 0.02 * i, support_random_in(&seed, -1.6, 1.6));
        sn_shape_def shape[2] = {sn_default_shape_def((sn_shape_type)(i % 4)), sn_default_shape_def(SN_SHAPE_BOX)};
        shape[0].half = vec(0.15, 0.1, 0.2);
        shape[0].radius = real(0.12);
        shape[0].rounding = i % 8 == 3 ? real(0.02) : 0;
        shape[0].vertices = i % 4 == 3 ? vertices : NULL;
        shape[0].vertex_count = i % 4 == 3 ? 4 : 0;
        shape[1].half = vec(0.05, 0.2, 0.05);
        shape[1].position = vec(0.15, 0.1, 0);
        sn_body body = compound_body(world, at, shape, i % 5 == 0 ? 2 : 1, 500);
        flying(world, body, vec(0, i % 17 == 0 ? -60 : 0, 0), vec(support_random_in(&seed, -5, 5), 0, 1));
        put_in_group(world, body, i % 3 == 0);
        if (i % 3 == 0) {
            sn_particle p = ball(world, vec(-1 + 0.01 * i, 2.5, 0.3), 1, 0.02);
            if (last.generation)
                sn_constraint_add_distance(world, sn_at(last), sn_at(p), real(0.05));
            last = p;
        }
    }
}

static void same_bits_whoever_computes(void **state)
{
    (void)state;
    const uint32_t count = support_rounds(120, 40), frames = support_rounds(90, 30);
    uint64_t expected = 0;
    for (int variant = -1; variant < CONTACT_VARIANTS; ++variant) {
        support_tasks tasks = {.mode = SUPPORT_TASKS_THREADS, .threads = 3};
        sn_world_def def = variant < 0 ? sn_default_world_def() : contact_variant(variant, &tasks);
        def.threads = variant < 0 ? 1 : def.threads;
        sn_world *world = contact_world(def, true, true);
        fill_world(world, count);
        support_run(world, frames, FRAME);
        if (variant < 0)
            expected = sn_world_hash(world);
        assert_true(sn_world_hash(world) == expected);
        sn_world_destroy(world);
    }
}

/* Lanes in which nothing pushes are passed over if their whole vector can be, and what is remembered of them must not
   tell by the sign of a zero how wide that is. */
static void zeros_have_no_sign(void **state)
{
    (void)state;
    sn_world *world = contact_world(sn_default_world_def(), true, true);
    uint32_t zeros = 0;
    fill_world(world, 40);
    for (uint32_t frame = 0; frame < 40; ++frame) {
        support_run(world, 1, FRAME);
        const sn_kept_manifold *kept = world->body_contacts.kept_table.column[0];
        for (uint32_t i = 0; i < world->body_contacts.kept_table.count; ++i) {
            const sn_body_friction_impulses *rub = &kept[i].friction_impulses;
            const sn_kept_point *point = kept[i].point;
            const sn_real number[] = {point[0].normal_impulse, point[0].last,         point[3].normal_impulse,
                                      point[3].last,           rub->twisted,          rub->tangent_impulse.x,
                                      rub->tangent_impulse.y,  rub->tangent_impulse.z};
            for (uint32_t k = 0; k < COUNT_OF(number); ++k) {
                zeros += number[k] == 0;
                assert_false(number[k] == 0 && signbit(number[k]));
            }
        }
    }
    assert_true(zeros > 100);
    sn_world_destroy(world);
}

/* So many that their meets are dealt to several tasks, on several levels; see body_groups.c. */
static void same_bits_of_a_large_pile(void **state)
{
    (void)state;
    const int side = support_rounds(10, 7) > 9 ? 10 : 7;
    const uint32_t frames = support_rounds(20, 8);
    uint64_t expected = 0;
    for (int variant = -1; variant < CONTACT_VARIANTS; ++variant) {
        support_tasks tasks = {.mode = SUPPORT_TASKS_THREADS, .threads = 3};
        sn_world_def def = variant < 0 ? sn_default_world_def() : contact_variant(variant, &tasks);
        def.threads = variant < 0 ? 1 : def.threads;
        sn_world *world = contact_world(def, false, false);
        assert_true(fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0)).generation != 0);
        for (int i = 0; i < side * side * 6; ++i)
            box_body(
                world,
                vec(0.21 * (i % side) + 0.01 * (i % 7), 0.1 + 0.21 * (i / (side * side)), 0.21 * (i / side % side)),
                vec(0.1, 0.1, 0.1), 500);
        support_run(world, frames, FRAME);
        if (variant < 0)
            expected = sn_world_hash(world);
        assert_true(sn_world_hash(world) == expected);
        assert_true(world->body_contacts.level[1] > 1);
        assert_true(world->body_contacts.level[SN_BODY_CONTACT_LEVELS] > world->body_contacts.level[1] + 1);
        sn_world_destroy(world);
    }
}

static void saved_and_restored(void **state)
{
    (void)state;
    sn_world *world = contact_world(sn_default_world_def(), true, true);
    sn_world *other = contact_world(sn_default_world_def(), true, true);
    fill_world(world, 60);
    fill_world(other, 60);
    support_run(world, 45, FRAME);
    sn_snapshot *saved = sn_world_save(world);
    assert_non_null(saved);
    support_run(world, 30, FRAME);
    uint64_t hash = sn_world_hash(world);
    uint32_t count, again;
    sn_world_contact_events(world, &count);
    for (int i = 0; i < 2; ++i) {
        sn_world *w = i ? other : world;
        assert_ok(w, sn_world_load(w, saved));
        support_run(w, 30, FRAME);
        assert_true(sn_world_hash(w) == hash);
        sn_world_contact_events(w, &again);
        assert_int_equal(count, again);
    }
    assert_same_world(world, other);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
    sn_world_destroy(other);
}

/* A snapshot brings the shapes of bodies with it: an empty world that loads it goes on as the one that was saved.
   Joints, cloth and all integrators too. */
static void restored_in_an_empty_world(void **state)
{
    (void)state;
    for (int integrator = SN_INTEGRATOR_SYMPLECTIC_EULER; integrator <= SN_INTEGRATOR_BDF2; ++integrator) {
        sn_world *world = contact_world(sn_default_world_def(), true, true), *empty = support_world();
        sn_settings settings = sn_world_settings(world);
        settings.integrator = (sn_integrator)integrator;
        assert_ok(world, sn_world_configure(world, &settings));
        fill_world(world, 40);
        assert_true(sn_joint_add_ball(world, sn_body_from_index(world, 3), sn_body_from_index(world, 7),
                                      sn_body_position(world, sn_body_from_index(world, 3)))
                        .kind);
        support_run(world, 20, FRAME);
        sn_snapshot *saved = sn_world_save(world);
        assert_non_null(saved);
        assert_ok(empty, sn_world_load(empty, saved));
        assert_true(sn_world_hash(world) == sn_world_hash(empty));
        support_run(world, 20, FRAME);
        support_run(empty, 20, FRAME);
        assert_same_world(world, empty);
        sn_snapshot_destroy(saved);
        sn_world_destroy(world);
        support_run(empty, 5, FRAME); /* it needs nothing of the other */
        sn_world_destroy(empty);
    }
}

static sn_body hull_body(sn_world *world, sn_vec3 at, const sn_vec3 *vertices, uint32_t count)
{
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_HULL);
    shape.radius = 0;
    shape.vertices = vertices;
    shape.vertex_count = count;
    return compound_body(world, at, &shape, 1, 500);
}

/* Hulls of the same corners that were given in different places stay what they were given as, in a world that has had
   others before. */
static void restored_hulls_read_back(void **state)
{
    (void)state;
    const sn_vec3 here[] = {vec(0, 0, 0), vec(1, 0, 0), vec(0, 1, 0), vec(0, 0, 1)};
    const sn_vec3 there[] = {vec(4, 0, 0), vec(5, 0, 0), vec(4, 1, 0), vec(4, 0, 1)};
    const sn_vec3 flat[] = {vec(0, 0, 0), vec(1, 0, 0), vec(0, 2, 0), vec(0, 0, 1), vec(1, 1, 1)};
    sn_world *world = support_world(), *other = support_world();
    hull_body(other, vec(0, 0, 0), flat, 5);
    hull_body(other, vec(0, 0, 0), there, 4);
    sn_body gone = hull_body(world, vec(0, 9, 0), flat, 5), body[2];
    body[0] = hull_body(world, vec(1, 2, 3), here, 4);
    body[1] = hull_body(world, vec(0, 0, 0), there, 4);
    assert_ok(world, sn_body_remove(world, gone));
    sn_snapshot *saved = sn_world_save(world);
    assert_ok(other, sn_world_load(other, saved));
    assert_ok(world, sn_world_load(world, saved));
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 2; ++i) {
            sn_body_def def;
            assert_ok(k ? other : world, sn_body_read(k ? other : world, body[i], &def));
            assert_int_equal(def.shape_count, 1);
            assert_int_equal(def.shapes->vertex_count, 4);
            assert_memory_equal(def.shapes->vertices, i ? there : here, sizeof here);
            assert_vec_close(def.shapes->position, vec(0, 0, 0), 1e-5);
            assert_vec_close(def.position, i ? vec(0, 0, 0) : vec(1, 2, 3), 1e-5);
        }
    assert_same_world(world, other);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
    sn_world_destroy(other);
}

/* Loading into an empty world fails for want of memory in all places where it can: nothing is changed, nothing leaks.
   */
static void restoring_without_memory(void **state)
{
    (void)state;
    sn_world *world = support_world();
    const sn_vec3 corners[] = {vec(0, 0, 0), vec(1, 0, 0), vec(0, 1, 0), vec(0, 0, 1)};
    hull_body(world, vec(0, 0, 0), corners, 4);
    sn_joint_add_ball(world, sn_body_from_index(world, 0), sn_body_add_box(world, vec(3, 0, 0), vec(1, 1, 1), 1),
                      vec(1, 0, 0));
    support_run(world, 3, FRAME);
    sn_snapshot *saved = sn_world_save(world);
    support_memory memory;
    uint64_t round = 0;
    sn_world *empty;
    do {
        memory = (support_memory){0};
        sn_world_def def = support_scarce(&memory);
        empty = support_world_from(&def);
        memory.fail_at = memory.requests + ++round;
        uint64_t before = sn_world_hash(empty);
        if (!ran_out(empty, before, sn_world_load(empty, saved))) {
            memory.fail_at = 0;
            assert_true(sn_world_hash(empty) == sn_world_hash(world));
            support_run(empty, 1, FRAME);
        }
    } while (support_had_failed(empty, &memory));
    assert_true(round > 3);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
}

/* A tower goes on standing when it is saved and restored: what it presses is part of the state. */
static void restored_tower_stays_calm(void **state)
{
    (void)state;
    sn_world *world = support_world();
    add_floor(world);
    for (int i = 0; i < 10; ++i)
        block(world, 0, 0.5 + i);
    support_run(world, 300, FRAME);
    sn_snapshot *saved = sn_world_save(world);
    support_run(world, 1, FRAME);
    uint64_t hash = sn_world_hash(world);
    double calm = kinetic(world);
    assert_ok(world, sn_world_load(world, saved));
    support_run(world, 1, FRAME);
    assert_true(sn_world_hash(world) == hash);
    assert_true(kinetic(world) == calm && calm < 1e-3);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
}

/* ---- Memory
   ---------------------------------------------------------------------------------------------------------------------------- */

/* Whichever request of a step fails, nothing has happened, and the step can be made again. */
static void step_without_memory_changes_nothing(void **state)
{
    (void)state;
    uint32_t failures = 0;
    bool done = false;
    for (uint64_t n = 1; !done; ++n) {
        support_memory memory = {0};
        sn_world_def def = support_scarce(&memory);
        sn_world *world = contact_world(def, false, true);
        fill_world(world, 20);
        uint64_t hash = sn_world_hash(world);
        memory.fail_at = memory.requests + n;
        sn_result result = sn_world_step(world, real(FRAME / 4));
        done = !memory.failures;
        assert_int_equal(result, done ? SN_OK : SN_ERROR_MEMORY);
        if (!done) {
            assert_true(sn_world_hash(world) == hash);
            ++failures;
        }
        memory.fail_at = 0;
        support_run(world, 2, FRAME);
        sn_world_destroy(world);
        assert_memory_clean(&memory);
    }
    assert_true(failures > 10);
}

/* Blows make more meets within a step. Whichever request fails, there is an error, and the world can be stepped on. */
static void blow_without_memory(void **state)
{
    (void)state;
    bool done = false;
    for (uint64_t n = 1; !done; ++n) {
        support_memory memory = {0};
        sn_world *world = contact_world(support_scarce(&memory), false, true);
        for (int i = 0; i < 12; ++i)
            block(world, 1.3 * i, 0);
        flying(world, sphere_body(world, vec(-3, 0, 0), 0.5, 8000), vec(300, 0, 0), vec(0, 0, 0));
        memory.fail_at = memory.requests + n;
        sn_result result = sn_world_step(world, real(FRAME));
        done = !memory.failures;
        assert_int_equal(result, done ? SN_OK : SN_ERROR_MEMORY);
        memory.fail_at = 0;
        support_run(world, 2, FRAME);
        sn_world_destroy(world);
        assert_memory_clean(&memory);
    }
}

static void resting_heap_asks_for_no_memory(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(&memory);
    sn_world *world = support_world_from(&def);
    add_floor(world);
    for (int i = 0; i < 20; ++i)
        block(world, 1.5 * (i % 5), 0.5 + i / 5);
    support_run(world, 60, FRAME);
    uint64_t before = memory.requests;
    support_run(world, 60, FRAME);
    assert_true(memory.requests == before);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

/* A hook that loses tasks is an error, whichever loop it is, and nothing is left half done for ever. */
static void lost_tasks_are_an_error(void **state)
{
    (void)state;
    uint32_t errors = 0;
    for (uint32_t run = 0; run < support_rounds(40, 10); ++run) {
        support_tasks tasks = {.mode = SUPPORT_TASKS_LOSE, .lost = SUPPORT_LOSE_ALL, .lossy_run = 7 * run};
        sn_world_def def = sn_default_world_def();
        def.tasks = support_tasks_hook(&tasks);
        sn_world *world = support_world_from(&def);
        fill_world(world, 150);
        for (int i = 0; i < 3; ++i) {
            sn_result result = sn_world_step(world, real(FRAME));
            assert_true(result == SN_OK || result == SN_ERROR_HOST);
            errors += result == SN_ERROR_HOST;
        }
        sn_world_destroy(world);
    }
    assert_true(errors > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_and_masks),
        cmocka_unit_test(fixed_shape_masks),
        cmocka_unit_test(joined_bodies_do_not_collide),
        cmocka_unit_test(contact_can_be_off),
        cmocka_unit_test(events_tell_of_weight),
        cmocka_unit_test(sensors_notice_bodies),
        cmocka_unit_test(removal_wakes_a_stack),
        cmocka_unit_test(blows_wake),
        cmocka_unit_test(flat_stacks),
        cmocka_unit_test(flat_bodies_part_in_their_plane),
        cmocka_unit_test(flat_capsules_in_one_place_part),
        cmocka_unit_test(flat_capsules_that_cross_part),
        cmocka_unit_test(flat_capsule_comes_out_of_a_capsule),
        cmocka_unit_test(same_bits_whoever_computes),
        cmocka_unit_test(zeros_have_no_sign),
        cmocka_unit_test(same_bits_of_a_large_pile),
        cmocka_unit_test(saved_and_restored),
        cmocka_unit_test(restored_in_an_empty_world),
        cmocka_unit_test(restored_hulls_read_back),
        cmocka_unit_test(restoring_without_memory),
        cmocka_unit_test(restored_tower_stays_calm),
        cmocka_unit_test(step_without_memory_changes_nothing),
        cmocka_unit_test(blow_without_memory),
        cmocka_unit_test(resting_heap_asks_for_no_memory),
        cmocka_unit_test(lost_tasks_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

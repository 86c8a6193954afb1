/* Constraints whose things collide nevertheless. */
#include "support/support.h"

static void run(sn_world *world, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; ++i)
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
}

static sn_world *make_world(void)
{
    sn_world_def def = sn_default_world_def();
    def.contact.sleep = true;
    sn_world *world = support_world_from(&def);
    assert_true(sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0)).generation);
    return world;
}

static sn_body box(sn_world *world, double y)
{
    return sn_body_add_box(world, vec(0, y, 0), vec(0.5, 0.5, 0.5), 100);
}

static double height(const sn_world *world, sn_body body)
{
    return (double)sn_body_position(world, body).y;
}

/* A box falls on another, to which a long rope ties it. */
static void tied_boxes_stack_if_told(void **state)
{
    (void)state;
    sn_world *world = make_world();
    sn_body low = box(world, 0.5), high = box(world, 2.5);
    sn_constraint rope = sn_joint_add_rope(world, low, high, vec(0, 1, 0), vec(0, 2, 0), 5);
    assert_false(sn_constraint_collides(world, rope));
    const uint64_t before = sn_world_hash(world);
    assert_ok(world, sn_constraint_set_collides(world, rope, true));
    assert_true(sn_constraint_collides(world, rope));
    assert_true(sn_world_hash(world) != before);
    sn_snapshot *start = sn_world_save(world);
    run(world, 150);
    assert_float_equal(height(world, high), 1.5, 0.005);
    assert_false(sn_body_is_awake(world, high));

    assert_ok(world, sn_constraint_set_collides(world, rope, false)); /* wakes them, and one falls into the other */
    assert_true(sn_body_is_awake(world, high));
    run(world, 120);
    assert_float_equal(height(world, high), 0.5, 0.005);

    assert_ok(world, sn_world_load(world, start));
    assert_true(sn_constraint_collides(world, rope));
    run(world, 150);
    assert_float_equal(height(world, high), 1.5, 0.005);
    assert_ok(world, sn_world_load(world, start));
    assert_true(sn_joint_add_rope(world, low, high, vec(0, 1, 0), vec(0, 2, 0), 5).kind);
    run(world, 150); /* another constraint joins them, too, and it is not one of these */
    assert_float_equal(height(world, high), 0.5, 0.005);
    sn_snapshot_destroy(start);
    sn_world_destroy(world);
}

/* A door without a limit is stopped by its frame, a static body. */
static void joints_stop_at_what_they_hold(void **state)
{
    (void)state;
    double angle[2];
    for (int collides = 0; collides < 2; ++collides) {
        sn_world *world = make_world();
        sn_body wall = sn_static_add_box(world, vec(0, 1, -1.2), vec(0.1, 1, 1));
        sn_body door = sn_body_add_box(world, vec(0.6, 1.5, 0), vec(0.45, 0.5, 0.05), 100);
        sn_joint_def def = sn_default_joint_def(SN_KIND_JOINT_HINGE);
        def.a = wall;
        def.b = door;
        def.anchor = vec(0.11, 1.5, -0.1);
        def.axis = vec(0, 1, 0);
        def.speed = 1;
        def.speed_most = 500;
        def.collides = collides;
        sn_constraint hinge = sn_joint_add(world, &def);
        assert_int_equal(sn_constraint_collides(world, hinge), collides);
        run(world, 180);
        angle[collides] = (double)sn_joint_angle(world, hinge);
        sn_world_destroy(world);
    }
    assert_true(angle[1] > 1 && angle[1] < 1.7); /* at the wall */
    assert_true(angle[0] > 2.5);                 /* through it */
}

static void tied_particles_collide_if_told(void **state)
{
    (void)state;
    for (int collides = 0; collides < 2; ++collides) {
        sn_world *world = make_world();
        sn_particle ball[2];
        for (int i = 0; i < 2; ++i) {
            ball[i] = sn_particle_add_at(world, vec(0, 0.1 + 0.5 * i, 0), i ? 1 : SN_IMMOVABLE);
            assert_ok(world, sn_particle_set_radius(world, ball[i], real(0.1)));
        }
        sn_constraint rope = sn_constraint_add_distance_max(world, sn_at(ball[0]), sn_at(ball[1]), 1);
        assert_ok(world, sn_constraint_set_collides(world, rope, collides));
        run(world, 60);
        assert_float_equal((double)sn_particle_position(world, ball[1]).y, collides ? 0.3 : 0.1, 0.005);
        sn_world_destroy(world);
    }
}

/* The number of a removed constraint is used again, without what that one let collide, and without its user data. */
static void new_constraints_begin_anew(void **state)
{
    (void)state;
    sn_world *world = make_world();
    sn_body low = box(world, 0.5), high = box(world, 2.5);
    sn_constraint first = sn_joint_add_rope(world, low, high, vec(0, 1, 0), vec(0, 2, 0), 5);
    assert_ok(world, sn_constraint_set_collides(world, first, true));
    assert_ok(world, sn_constraint_remove(world, first));
    sn_constraint second = sn_joint_add_rope(world, low, high, vec(0, 1, 0), vec(0, 2, 0), 5);
    assert_int_equal(second.index, first.index);
    assert_false(sn_constraint_collides(world, second));
    assert_int_equal(sn_constraint_set_collides(world, first, true), SN_ERROR_STALE);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tied_boxes_stack_if_told),
        cmocka_unit_test(joints_stop_at_what_they_hold),
        cmocka_unit_test(tied_particles_collide_if_told),
        cmocka_unit_test(new_constraints_begin_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

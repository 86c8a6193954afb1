/* Kinematic bodies whose velocity changes from step to step, and what lies on them. */
#include "world/body_worlds.h"

#define FRICTION 0.5

/* Where it is after a time, in m or rad. */
static double course(double acceleration, double time)
{
    return acceleration * time * time / 2;
}

static sn_body add_platform(sn_world *world, sn_shape_type type)
{
    sn_shape_def shape = sn_default_shape_def(type);
    sn_body_def def = sn_default_body_def();
    sn_contact_material material = sn_default_contact_material();
    sn_body body;
    material.static_friction = material.dynamic_friction = real(FRICTION);
    shape.half = vec(10, 0.5, 5);
    shape.radius = 3;
    shape.material = &material;
    def.type = SN_BODY_KINEMATIC;
    def.shapes = &shape;
    def.shape_count = 1;
    def.position = vec(0, -0.5, 0);
    assert_ok(world, sn_body_add(world, &def, &body));
    return body;
}

static sn_body add_load(sn_world *world, sn_vec3 at)
{
    sn_contact_material material = sn_default_contact_material();
    const sn_body box = box_body(world, at, vec(0.1, 0.1, 0.1), 1000);
    material.static_friction = material.dynamic_friction = real(FRICTION);
    assert_ok(world, sn_body_set_material(world, box, 0, &material));
    return box;
}

static sn_world *platform_world(uint32_t substeps)
{
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = substeps;
    return support_world_from(&def);
}

/* Moves a platform that was at rest with an acceleration, by targets or by velocities; a box lies on it. Returns m: by
   how much the box slid after a second. *early: after a quarter of it. */
static double slide(uint32_t substeps, double acceleration, bool by_target, double *early)
{
    sn_world *world = platform_world(substeps);
    const sn_body platform = add_platform(world, SN_SHAPE_BOX), box = add_load(world, vec(0, 0.1, 0));
    double slid = 0;
    support_run(world, 30, FRAME);
    const double from = (double)sn_body_position(world, box).x;
    for (int frame = 0; frame < 60; ++frame) {
        const double to = course(acceleration, (frame + 1) * FRAME), way = to - course(acceleration, frame * FRAME);
        if (by_target)
            assert_ok(world, sn_body_move_to(world, platform, vec(to, -0.5, 0), (sn_quat){0, 0, 0, 1}));
        else
            assert_ok(world, sn_body_set_velocity(world, platform, vec(way / FRAME, 0, 0), vec(0, 0, 0)));
        support_run(world, 1, FRAME);
        assert_close(sn_body_position(world, platform).x, to, 1e-5);
        slid = (double)sn_body_position(world, box).x - from - to;
        *early = frame == 14 ? slid : *early;
    }
    sn_world_destroy(world);
    return slid;
}

static void what_lies_on_it_follows(void **state)
{
    (void)state;
    const uint32_t substeps[] = {1, 4, 10, 20};
    for (int i = 0; i < 4; ++i)
        for (int by_target = 0; by_target < 2; ++by_target) {
            double early = 0;
            const double share[] = {0.3, 0.6, 0.9};
            for (int k = 0; k < 3; ++k) { /* it slides by a millimetre when it starts, and no more; it was 26 mm */
                const double slid = slide(substeps[i], share[k] * FRICTION * GRAVITY, by_target, &early);
                assert_close(slid, 0, k < 2 ? 0.0005 : 0.0015);
                assert_close(slid, early, 2e-5);
            }
            const double most = FRICTION * GRAVITY, slid = slide(substeps[i], 1.5 * most, by_target, &early);
            assert_close(slid, course(-0.5 * most, 1), 0.016 * course(0.5 * most, 1));
        }
}

/* A turntable that begins to rotate. rad: by how much the box is behind. */
static double spin_up(uint32_t substeps, double acceleration)
{
    sn_world *world = platform_world(substeps);
    const sn_body table = add_platform(world, SN_SHAPE_CYLINDER), box = add_load(world, vec(1, 0.1, 0));
    support_run(world, 30, FRAME);
    for (int frame = 0; frame < 60; ++frame) {
        const double way = course(acceleration, (frame + 1) * FRAME) - course(acceleration, frame * FRAME);
        assert_ok(world, sn_body_set_velocity(world, table, vec(0, 0, 0), vec(0, way / FRAME, 0)));
        support_run(world, 1, FRAME);
    }
    const sn_vec3 at = sn_body_position(world, box);
    sn_world_destroy(world);
    return atan2(-(double)at.z, (double)at.x) - course(acceleration, 1);
}

static void turntables_take_it_along(void **state)
{
    (void)state;
    for (uint32_t substeps = 1; substeps <= 16; substeps *= 4)
        assert_close(spin_up(substeps, 1.5), 0, 0.002); /* at the end 2.7 m/s^2, of 4.9 */
}

/* A paddle that jumps from rest to a velocity has it at once, and hands on no more than that. */
static void a_jump_is_a_jump(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    sn_world *world = support_world_from(&def);
    const sn_body paddle = add_platform(world, SN_SHAPE_BOX), box = box_body(world, vec(0, 3, 0), vec(1, 1, 1), 1);
    support_run(world, 3, FRAME);
    assert_ok(world, sn_body_set_velocity(world, paddle, vec(0, 60, 0), vec(0, 0, 0)));
    support_run(world, 2, FRAME); /* it is 2 m away */
    assert_close(sn_body_position(world, paddle).y, 1.5, 1e-4);
    assert_close(sn_body_velocity(world, box).y, 0, 1e-6);
    support_run(world, 2, FRAME);
    assert_close(sn_body_velocity(world, box).y, 60, 0.01);
    sn_world_destroy(world);
}

/* What is stored of the course is part of a snapshot and of the hash. */
static void courses_are_saved(void **state)
{
    (void)state;
    sn_world *world = platform_world(4);
    const sn_body platform = add_platform(world, SN_SHAPE_BOX);
    uint64_t hash[2];
    add_load(world, vec(0, 0.1, 0));
    for (int frame = 1; frame < 10; ++frame) {
        assert_ok(world, sn_body_set_velocity(world, platform, vec(0.05 * frame, 0, 0), vec(0, 0, 0)));
        support_run(world, 1, FRAME);
    }
    sn_snapshot *saved = sn_world_save(world);
    for (int i = 0; i < 2; ++i) {
        assert_ok(world, sn_world_load(world, saved));
        assert_ok(world, sn_body_set_velocity(world, platform, vec(0.5, 0, 0), vec(0, 0, 0)));
        support_run(world, 1, FRAME);
        hash[i] = sn_world_hash(world);
    }
    assert_true(hash[0] == hash[1]);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_on_it_follows),
        cmocka_unit_test(turntables_take_it_along),
        cmocka_unit_test(a_jump_is_a_jump),
        cmocka_unit_test(courses_are_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

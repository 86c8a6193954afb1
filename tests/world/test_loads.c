/* What lies on bodies that joints hold, and what joints report of it. */
#include "world/body_worlds.h"

static sn_world *load_world(uint32_t substeps)
{
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = substeps;
    return support_world_from(&def);
}

/* N: the length of the force of a joint. */
static double force_of(const sn_world *world, sn_constraint joint)
{
    sn_vec3 force;
    assert_int_equal(sn_joint_reaction(world, joint, &force, NULL), SN_OK);
    return length(force);
}

static double weight_of(const sn_world *world, sn_body body)
{
    return GRAVITY * (double)sn_body_mass(world, body);
}

/* A tray of 64 kg on three links, with a box on it. It sank through the tray from 12 times its mass on, and the force of
   the joints was twice the true one. */
static void chain_carries(uint32_t substeps, double density)
{
    sn_world *world = load_world(substeps);
    const sn_body hook = sn_static_add_box(world, vec(0, 5, 0), vec(0.05, 0.05, 0.05)),
                  tray = sn_body_add_box(world, vec(0, 2.75, 0), vec(0.4, 0.05, 0.4), 1000),
                  box = sn_body_add_box(world, vec(0, 2.9, 0), vec(0.1, 0.1, 0.1), real(density));
    sn_body link[3];
    sn_constraint joint[4];
    for (int i = 0; i < 3; ++i) {
        link[i] = sn_body_add_box(world, vec(0, 4.75 - 0.4 * i, 0), vec(0.03, 0.2, 0.03), 1000);
        joint[i] = sn_joint_add_ball(world, i ? link[i - 1] : hook, link[i], vec(0, 4.95 - 0.4 * i, 0));
    }
    joint[3] = sn_joint_add_ball(world, link[2], tray, vec(0, 3.75, 0));
    support_run(world, 180, FRAME);
    double below = weight_of(world, tray) + weight_of(world, box);
    assert_close(force_of(world, joint[3]), below, 0.01 * below);
    below += 3 * weight_of(world, link[0]);
    assert_close(force_of(world, joint[0]), below, 0.01 * below);
    assert_close(sn_body_position(world, box).y, 2.9, 0.001);
    assert_close(sn_body_position(world, tray).y, 2.75, 0.0005);
    assert_true(length(sn_body_velocity(world, box)) < 1e-3);
    sn_world_destroy(world);
}

static void chains_carry_trays(void **state)
{
    (void)state;
    for (double density = 100; density <= 1e5; density *= 10) { /* 0.01 to 12 times the tray */
        chain_carries(1, density);
        chain_carries(4, density);
        chain_carries(10, density);
        chain_carries(20, density);
    }
    chain_carries(10, 1e6);
    chain_carries(20, 1e6);
}

/* A shelf of 5 kg on a wall, with a box on it, and the torque that it exerts on the wall. */
static void shelf_carries(uint32_t substeps, double density)
{
    sn_world *world = load_world(substeps);
    const sn_body wall = sn_static_add_box(world, vec(-0.1, 1, 0), vec(0.1, 0.5, 0.5)),
                  shelf = sn_body_add_box(world, vec(0.5, 1, 0), vec(0.5, 0.025, 0.1), 500),
                  box = sn_body_add_box(world, vec(0.7, 1.125, 0), vec(0.1, 0.1, 0.1), real(density));
    const sn_constraint joint = sn_joint_add_fixed(world, wall, shelf, vec(0, 1, 0));
    const double force = weight_of(world, shelf) + weight_of(world, box),
                 torque = 0.5 * weight_of(world, shelf) + 0.7 * weight_of(world, box);
    sn_vec3 twist;
    support_run(world, 180, FRAME);
    assert_close(force_of(world, joint), force, 0.01 * force);
    assert_ok(world, sn_joint_reaction(world, joint, NULL, &twist));
    assert_close(length(twist), torque, 0.01 * torque);
    assert_close(sn_body_position(world, box).y, 1.125, 0.0005);
    sn_world_destroy(world);
}

static void shelves_carry(void **state)
{
    (void)state;
    for (uint32_t substeps = 1; substeps <= 16; substeps *= 4)
        shelf_carries(substeps, 1000);
    shelf_carries(4, 1e4);
    shelf_carries(10, 1e4);
    shelf_carries(20, 1e4);
}

/* A bridge of eight planks of 24 kg, and a box of 32 or 320 kg. Without loads in the prediction the light one trembled
   by 15 mm/s, and the heavy one fell through. */
static void bridges_carry(void **state)
{
    (void)state;
    for (double density = 500; density <= 5000; density *= 10) {
        sn_world *world = load_world(10);
        sn_body part[10];
        part[0] = sn_static_add_box(world, vec(-2.1, 1, 0), vec(0.1, 0.1, 0.5));
        part[9] = sn_static_add_box(world, vec(2.1, 1, 0), vec(0.1, 0.1, 0.5));
        for (int i = 1; i < 9; ++i)
            part[i] = sn_body_add_box(world, vec(-2.25 + 0.5 * i, 1, 0), vec(0.25, 0.03, 0.4), 500);
        for (int i = 0; i < 9; ++i)
            for (int side = -1; side <= 1; side += 2)
                sn_joint_add_ball(world, part[i], part[i + 1], vec(-2 + 0.5 * i, 1, 0.3 * side));
        const sn_body box = sn_body_add_box(world, vec(-0.25, 1.23, 0), vec(0.2, 0.2, 0.2), real(density));
        support_run(world, 600, FRAME);
        const double above = (double)sn_body_position(world, box).y - (double)sn_body_position(world, part[4]).y;
        assert_close(above, 0.23, 0.01);
        assert_true(length(sn_body_velocity(world, box)) < (density < 1000 ? 0.002 : 0.05));
        sn_world_destroy(world);
    }
}

/* Two bodies hang on a third, which lands. Contact holds its joints in that substep: their forces must be those that
   change the momentum of what hangs there. Returns N s: the largest impulse; *off: the largest deviation. */
static double land(bool fixed, double density, double *off)
{
    sn_world *world = load_world(1);
    const sn_body lands = sn_body_add_box(world, vec(0, 0.6, 0), vec(0.3, 0.05, 0.05), 1000),
                  hangs = sn_body_add_box(world, vec(0.5, 0.75, 0), vec(0.2, 0.05, 0.05), real(density)),
                  other = sn_body_add_box(world, vec(-0.5, 0.75, 0), vec(0.2, 0.05, 0.05), 1000);
    const sn_constraint joint = fixed ? sn_joint_add_fixed(world, lands, hangs, vec(0.3, 0.68, 0))
                                      : sn_joint_add_ball(world, lands, hangs, vec(0.3, 0.68, 0));
    const double h = FRAME / 10, mass = (double)sn_body_mass(world, hangs);
    double most = 0;
    sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    fixed ? sn_joint_add_fixed(world, lands, other, vec(-0.3, 0.68, 0))
          : sn_joint_add_ball(world, lands, other, vec(-0.3, 0.68, 0));
    *off = 0;
    for (int step = 0; step < 210; ++step) { /* until what hangs touches the ground */
        const sn_vec3 before = sn_body_velocity(world, hangs);
        support_run(world, 1, h);
        const sn_vec3 after = sn_body_velocity(world, hangs);
        sn_vec3 force;
        assert_ok(world, sn_joint_reaction(world, joint, &force, NULL));
        const sn_vec3 rest = {real(mass * (double)(after.x - before.x) - h * (double)force.x),
                              real(mass * ((double)(after.y - before.y) + GRAVITY * h) - h * (double)force.y),
                              real(mass * (double)(after.z - before.z) - h * (double)force.z)};
        *off = fmax(*off, length(rest));
        most = fmax(most, h * length(force));
    }
    sn_world_destroy(world);
    return most;
}

static void impacts_are_in_the_forces_of_joints(void **state)
{
    (void)state;
    for (int fixed = 0; fixed < 2; ++fixed)
        for (double density = 100; density <= 1e5; density *= 10) {
            double off;
            const double most = land(fixed, density, &off);
            assert_true(most > (density < 1000 ? 0.3 : 2)); /* it lands */
            assert_true(off < 0.015 * most);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_carry_trays),
        cmocka_unit_test(shelves_carry),
        cmocka_unit_test(bridges_carry),
        cmocka_unit_test(impacts_are_in_the_forces_of_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

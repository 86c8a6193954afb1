/* Balls that turn. */
#include "support/fixed.h"
#include "support/support.h"

#define FRAME (1.0 / 60)

static sn_world *ramp(double degrees, double friction, double rolling, sn_particle *ball)
{
    sn_world *world = support_world();
    double angle = -degrees * 3.14159265358979323846 / 180;
    fixed_def def = default_fixed();
    def.rotation = (sn_quat){0, 0, real(sin(angle / 2)), real(cos(angle / 2))};
    def.material.static_friction = def.material.dynamic_friction = real(friction);
    def.material.rolling = real(rolling);
    assert_ok(world, fixed_add(world, &def, NULL));
    sn_group_contact group = sn_default_group_contact(1);
    group.material = def.material;
    group.rolls = true;
    assert_ok(world, sn_world_set_group_contact(world, 1, &group));
    *ball = sn_particle_add_at(world, vec(-0.1 * sin(angle), 0.1 * cos(angle), 0), 2);
    assert_ok(world, sn_particle_set_radius(world, *ball, real(0.1)));
    assert_ok(world, sn_particle_set_group(world, *ball, 1));
    return world;
}

static double length(sn_vec3 a)
{
    return sqrt((double)a.x * (double)a.x + (double)a.y * (double)a.y + (double)a.z * (double)a.z);
}

/* 5/7 of what slides without friction, and the spin that goes with it. */
static void rolls_down_a_ramp(void **state)
{
    (void)state;
    sn_particle ball;
    sn_world *world = ramp(10, 0.5, 0, &ball);
    support_run(world, 60, FRAME);
    double speed = length(sn_particle_velocity(world, ball)),
           expected = 5.0 / 7 * 9.81 * sin(10 * 3.14159265358979 / 180);
    assert_close(speed, expected, 1e-3 * expected);
    assert_close(sn_particle_spin(world, ball).z, -speed / 0.1, 1e-2);
    sn_world_destroy(world);
}

/* With too little friction it slides, and turns more slowly: alpha = 5/2 mu g cos / r. */
static void slides_and_turns(void **state)
{
    (void)state;
    sn_particle ball;
    sn_world *world = ramp(30, 0.05, 0, &ball);
    support_run(world, 60, FRAME);
    double g = 9.81, expected = 2.5 * 0.05 * g * cos(3.14159265358979 / 6) / 0.1;
    assert_close(sn_particle_spin(world, ball).z, -expected, 0.02 * expected);
    assert_close(length(sn_particle_velocity(world, ball)), g * (0.5 - 0.05 * cos(3.14159265358979 / 6)), 0.05);
    sn_world_destroy(world);
}

/* A ball that rolls comes to a stop after 7/10 v^2 / (mu g), and one on a ramp that is too flat to roll stays. */
static void resistance_to_rolling(void **state)
{
    (void)state;
    sn_particle ball;
    sn_world *world = ramp(0, 0.5, 0.05, &ball);
    assert_ok(world, sn_particle_set_velocity(world, ball, vec(1, 0, 0)));
    assert_ok(world, sn_particle_set_spin(world, ball, vec(0, 0, -10)));
    support_run(world, 300, FRAME);
    assert_close(sn_particle_position(world, ball).x, 0.7 / (0.05 * 9.81), 0.01);
    assert_close(length(sn_particle_velocity(world, ball)), 0, 1e-4);
    sn_world_destroy(world);
    world = ramp(5, 0.5, 0.2, &ball);
    support_run(world, 30, FRAME);
    sn_vec3 before = sn_particle_position(world, ball);
    support_run(world, 300, FRAME);
    assert_vec_close(sn_particle_position(world, ball), before, 1e-5);
    sn_world_destroy(world);
}

/* Two that turn rub on each other: angular momentum of spin and way together stays. */
static void balls_rub_on_each_other(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_group_contact group = sn_default_group_contact(1);
    group.rolls = group.self = true;
    assert_ok(world, sn_world_set_group_contact(world, 1, &group));
    sn_particle ball[2];
    for (int i = 0; i < 2; ++i) {
        ball[i] = sn_particle_add_at(world, vec(i ? 0.21 : 0, 0, 0), 1);
        assert_ok(world, sn_particle_set_radius(world, ball[i], real(0.1)));
        assert_ok(world, sn_particle_set_group(world, ball[i], 1));
    }
    assert_ok(world, sn_particle_set_velocity(world, ball[1], vec(-1, 0, 0)));
    assert_ok(world, sn_particle_set_spin(world, ball[0], vec(0, 0, 20)));
    const double inertia = 0.4 * 0.01, before = inertia * 20;
    support_run(world, 6, FRAME);
    double after = 0;
    for (int i = 0; i < 2; ++i) {
        sn_vec3 x = sn_particle_position(world, ball[i]), v = sn_particle_velocity(world, ball[i]);
        after += (double)x.x * (double)v.y - (double)x.y * (double)v.x;
        after += inertia * (double)sn_particle_spin(world, ball[i]).z;
    }
    assert_true(fabs((double)sn_particle_spin(world, ball[1]).z) > 0.1);
    assert_close(after, before, 0.02 * before);
    sn_world_destroy(world);
}

static void bad_input(void **state)
{
    (void)state;
    sn_particle ball;
    sn_world *world = ramp(0, 0.5, 0, &ball);
    sn_particle plain = sn_particle_add_at(world, vec(5, 5, 5), 1);
    assert_int_equal(sn_particle_set_spin(world, plain, vec(1, 0, 0)), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_particle_set_spin(world, ball, vec(NAN, 0, 0)), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_particle_set_spin(world, (sn_particle){77, 1}, vec(1, 0, 0)), SN_ERROR_STALE);
    assert_true(isnan((double)sn_particle_spin(world, (sn_particle){77, 1}).x));
    assert_true(isnan((double)sn_particle_spin(NULL, ball).x));
    assert_int_equal(sn_particle_set_spin(NULL, ball, vec(1, 0, 0)), SN_ERROR_ARGUMENT);
    assert_true(sn_particle_spin(world, plain).x == 0);
    sn_world_destroy(world);
}

/* Spins are state. */
static void snapshots_hold_spins(void **state)
{
    (void)state;
    sn_particle ball;
    sn_world *world = ramp(10, 0.5, 0.01, &ball);
    support_run(world, 20, FRAME);
    sn_snapshot *saved = sn_world_save(world);
    support_run(world, 20, FRAME);
    uint64_t hash = sn_world_hash(world);
    assert_ok(world, sn_world_load(world, saved));
    assert_true(sn_world_hash(world) != hash);
    support_run(world, 20, FRAME);
    assert_true(sn_world_hash(world) == hash);
    assert_ok(world, sn_particle_set_spin(world, ball, vec(0, 1, 0)));
    assert_true(sn_world_hash(world) != hash);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rolls_down_a_ramp),
        cmocka_unit_test(slides_and_turns),
        cmocka_unit_test(resistance_to_rolling),
        cmocka_unit_test(balls_rub_on_each_other),
        cmocka_unit_test(bad_input),
        cmocka_unit_test(snapshots_hold_spins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

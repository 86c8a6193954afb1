/* Many worlds: what is made, seen, done and put back; bad input; memory; whose error it is. */
#include "support/support.h"

#include <math.h>

#define DT real(1.0 / 60)

/* A cart on a rail and a pole that hangs on it: two particles. */
typedef struct cart_pole {
    sn_particle cart, pole;
    sn_constraint rod;
    uint32_t built;
    uint32_t fails_at; /* 0: never */
} cart_pole;

static sn_result build_cart(void *context, sn_world *world, uint32_t number)
{
    cart_pole *c = context;
    if (c->fails_at && number == c->fails_at)
        return sn_particle_set_mass(world, (sn_particle){9, 9}, 1);
    c->cart = sn_particle_add_at(world, vec(0, 0, 0), 1);
    c->pole = sn_particle_add_at(world, vec(0, 1, 0), real(0.1));
    (void)sn_particle_set_velocity(world, c->pole, vec(0.01 * number, 0, 0));
    (void)sn_constraint_add_on_line(world, sn_at(c->cart), vec(0, 0, 0), vec(1, 0, 0));
    c->rod = sn_constraint_add_distance(world, sn_at(c->cart), sn_at(c->pole), SN_MEASURE);
    c->built++;
    return SN_OK;
}

static sn_worlds_def carts(cart_pole *c, uint32_t count)
{
    sn_worlds_def def = sn_default_worlds_def();
    def.count = count;
    def.build = build_cart;
    def.context = c;
    return def;
}

static sn_worlds *make(const sn_worlds_def *def)
{
    sn_worlds *worlds;
    assert_int_equal(sn_worlds_create(def, &worlds), SN_OK);
    assert_non_null(worlds);
    return worlds;
}

static sn_channel of_particle(sn_channel_type type, sn_particle p, uint32_t axes)
{
    return (sn_channel){.type = type, .particles = sn_run_of(p), .axes = axes};
}

/* ---- Made ------------------------------------------------------------------------------------------------------------- */

static void test_create(void **state)
{
    (void)state;
    cart_pole c = {0};
    support_log log = {0};
    sn_worlds_def def = carts(&c, 5);
    def.world.log = support_log_hook(&log);
    sn_worlds *worlds = make(&def);
    assert_int_equal(c.built, 5);
    assert_int_equal(sn_worlds_count(worlds), 5);
    assert_int_equal(sn_world_particle_count(sn_worlds_at(worlds, 4)), 2);
    assert_int_equal(sn_world_threads(sn_worlds_at(worlds, 4)), 1);
    assert_null(sn_worlds_at(worlds, 5));
    assert_says(sn_worlds_error(worlds), "world 5");
    assert_int_equal(log.count, 1);
    /* it is not the caller's to destroy, and gets no threads of its own */
    sn_world_destroy(sn_worlds_at(worlds, 2));
    assert_says(log.text, "belongs sn_worlds");
    assert_int_equal(sn_world_set_threads(sn_worlds_at(worlds, 2), 4), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_set_threads(sn_worlds_at(worlds, 2), 1), SN_OK);
    assert_int_equal(sn_worlds_step(worlds, DT), SN_OK);
    sn_worlds_destroy(worlds);
    sn_worlds_destroy(NULL);
    assert_int_equal(sn_worlds_count(NULL), 0);
    assert_int_equal(sn_worlds_beside_count(NULL), 0);
    assert_null(sn_worlds_at(NULL, 0));
    assert_int_equal(sn_worlds_step(NULL, DT), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_worlds_result(NULL, 0), SN_ERROR_ARGUMENT);
    assert_says(sn_worlds_error(NULL), "NULL");
}

static void refuse_def(sn_worlds_def def, const char *words)
{
    support_log log = {0};
    sn_worlds *worlds = (sn_worlds *)&log;
    def.world.log = support_log_hook(&log);
    assert_int_not_equal(sn_worlds_create(&def, &worlds), SN_OK);
    assert_null(worlds);
    assert_true(log.count > 0);
    assert_says(log.text, words);
}

static void test_bad_definitions(void **state)
{
    (void)state;
    cart_pole c = {0};
    sn_worlds_def def = carts(&c, 0);
    refuse_def(def, "count 0");
    def.count = SN_WORLDS_MOST + 1;
    refuse_def(def, "count 1000001");
    def = carts(&c, 3);
    def.build = NULL;
    refuse_def(def, "build NULL");
    def = carts(&c, 3);
    def.threads = 1000;
    refuse_def(def, "threads 1000");
    def = carts(&c, 3);
    def.world.settings.substeps = 0;
    refuse_def(def, "world substeps 0");
    def = carts(&c, 9);
    c.fails_at = 7;
    refuse_def(def, "world 7 particle 9");
    sn_worlds *worlds;
    assert_int_equal(sn_worlds_create(NULL, &worlds), SN_ERROR_ARGUMENT);
    c.fails_at = 0;
    assert_int_equal(sn_worlds_create(&def, NULL), SN_ERROR_ARGUMENT);
}

/* ---- Seen and done ----------------------------------------------------------------------------------------------------- */

static void test_arrays(void **state)
{
    (void)state;
    cart_pole c = {0};
    sn_worlds_def def = carts(&c, 70);
    sn_worlds *worlds = make(&def);
    const sn_channel seen[] = {of_particle(SN_CHANNEL_POSITION, c.cart, 1),
                               of_particle(SN_CHANNEL_POSITION, c.pole, 0),
                               of_particle(SN_CHANNEL_VELOCITY, c.pole, 2 | 4),
                               {.type = SN_CHANNEL_TENSION, .constraint = c.rod},
                               {.type = SN_CHANNEL_TIME}};
    const sn_channel done[] = {of_particle(SN_CHANNEL_FORCE, c.cart, 1)};
    sn_real numbers[70][8], actions[70];
    assert_int_equal(sn_worlds_observe(worlds, NULL), SN_OK); /* nothing to see yet */
    assert_int_equal(sn_worlds_act(worlds, NULL), SN_OK);
    assert_int_equal(sn_worlds_set_observations(worlds, seen, COUNT_OF(seen)), SN_OK);
    assert_int_equal(sn_worlds_set_actions(worlds, done, 1), SN_OK);
    assert_int_equal(sn_worlds_observation_size(worlds), 8);
    assert_int_equal(sn_worlds_action_size(worlds), 1);
    for (uint32_t k = 0; k < 70; ++k)
        actions[k] = real(k) - 35;
    for (uint32_t i = 0; i < 4; ++i) {
        assert_int_equal(sn_worlds_act(worlds, actions), SN_OK);
        assert_int_equal(sn_worlds_step(worlds, DT), SN_OK);
    }
#if !SINEW_DOUBLE
    assert_int_equal(sn_worlds_beside_count(worlds), 70); /* forces do not part them */
#endif
    assert_int_equal(sn_worlds_observe(worlds, numbers[0]), SN_OK);
    for (uint32_t k = 0; k < 70; ++k) {
        sn_world *world = sn_worlds_at(worlds, k), *alone = support_world();
        cart_pole own = {0};
        assert_ok(alone, build_cart(&own, alone, k));
        for (uint32_t i = 0; i < 4; ++i) {
            assert_ok(alone, sn_particle_apply_force(alone, own.cart, vec(k - 35.0, 0, 0)));
            assert_ok(alone, sn_world_step(alone, DT));
        }
        assert_same_world(world, alone);
        const sn_vec3 x = sn_particle_position(alone, own.pole), v = sn_particle_velocity(alone, own.pole);
        const sn_real expected[] = {sn_particle_position(alone, own.cart).x,
                                    x.x,
                                    x.y,
                                    x.z,
                                    v.y,
                                    v.z,
                                    sn_constraint_force(alone, own.rod).magnitude,
                                    real(sn_world_time(alone))};
        assert_memory_equal(numbers[k], expected, sizeof expected);
        sn_world_destroy(alone);
    }
    assert_int_equal(sn_worlds_set_observations(worlds, NULL, 0), SN_OK);
    assert_int_equal(sn_worlds_observation_size(worlds), 0);
    sn_worlds_destroy(worlds);
}

/* All that can be done to particles: places, velocities, and where they are led. */
static void test_places(void **state)
{
    (void)state;
    cart_pole c = {0};
    sn_worlds_def def = carts(&c, 6);
    sn_worlds *worlds = make(&def);
    const sn_channel done[] = {of_particle(SN_CHANNEL_SET_POSITION, c.pole, 4),
                               of_particle(SN_CHANNEL_SET_VELOCITY, c.pole, 1),
                               of_particle(SN_CHANNEL_MOVE_TO, c.cart, 0)};
    sn_real actions[6][5];
    for (uint32_t k = 0; k < 6; ++k)
        for (uint32_t i = 0; i < 5; ++i)
            actions[k][i] = i < 3 ? real(0.01 * (k + i)) : 0;
    assert_int_equal(sn_worlds_set_actions(worlds, done, 3), SN_OK);
    assert_int_equal(sn_worlds_act(worlds, actions[0]), SN_OK);
    sn_world *fifth = sn_worlds_at(worlds, 5);
    assert_vec_same(sn_particle_position(fifth, c.pole), vec(0, 1, actions[5][0]));
    assert_vec_same(sn_particle_velocity(fifth, c.pole), vec(actions[5][1], 0, 0));
    assert_int_equal(sn_worlds_step(worlds, DT), SN_OK);
    assert_vec_close(sn_particle_position(fifth, c.cart), vec(actions[5][2], 0, 0), 1e-6);
    sn_worlds_destroy(worlds);
}

/* With bodies: a hinge that a motor turns. */
typedef struct arm {
    sn_body base, arm;
    sn_constraint hinge;
} arm;

static sn_result build_arm(void *context, sn_world *world, uint32_t number)
{
    arm *a = context;
    (void)number;
    a->base = sn_static_add_box(world, vec(0, -1, 0), vec(0.1, 0.1, 0.1));
    a->arm = sn_body_add_box(world, vec(0.5, 0, 0), vec(0.5, 0.05, 0.05), 1000);
    a->hinge = sn_joint_add_hinge(world, a->base, a->arm, vec(0, 0, 0), vec(0, 0, 1));
    return a->hinge.generation ? SN_OK : SN_ERROR_ARGUMENT;
}

static void test_bodies(void **state)
{
    (void)state;
    arm a = {0};
    sn_worlds_def def = sn_default_worlds_def();
    def.count = 6;
    def.build = build_arm;
    def.context = &a;
    sn_worlds *worlds = make(&def);
    const sn_channel seen[] = {{.type = SN_CHANNEL_JOINT_ANGLE, .constraint = a.hinge},
                               {.type = SN_CHANNEL_BODY_POSITION, .body = a.arm},
                               {.type = SN_CHANNEL_BODY_ROTATION, .body = a.arm},
                               {.type = SN_CHANNEL_BODY_VELOCITY, .body = a.arm},
                               {.type = SN_CHANNEL_BODY_SPIN, .body = a.arm, .axes = 4}};
    const sn_channel done[] = {{.type = SN_CHANNEL_MOTOR, .constraint = a.hinge, .most = 1e4},
                               {.type = SN_CHANNEL_TORQUE, .body = a.arm},
                               {.type = SN_CHANNEL_BODY_FORCE, .body = a.arm, .axes = 2}};
    sn_real numbers[6][12], actions[6][5] = {{0}};
    assert_int_equal(sn_worlds_set_observations(worlds, seen, COUNT_OF(seen)), SN_OK);
    assert_int_equal(sn_worlds_set_actions(worlds, done, COUNT_OF(done)), SN_OK);
    assert_int_equal(sn_worlds_observation_size(worlds), 12);
    for (uint32_t k = 0; k < 6; ++k)
        actions[k][0] = real(0.5 * k);
    for (uint32_t i = 0; i < 30; ++i) {
        assert_int_equal(sn_worlds_act(worlds, actions[0]), SN_OK);
        assert_int_equal(sn_worlds_step(worlds, DT), SN_OK);
    }
    assert_int_equal(sn_worlds_observe(worlds, numbers[0]), SN_OK);
    assert_int_equal(sn_worlds_beside_count(worlds), 0); /* these are stepped one by one */
    for (uint32_t k = 0; k < 6; ++k) {
        const sn_world *world = sn_worlds_at(worlds, k);
        assert_close(numbers[k][0], 0.25 * k, 0.01);
        assert_close(numbers[k][11], 0.5 * k, 0.01);
        assert_true(numbers[k][0] == sn_joint_angle(world, a.hinge));
        assert_true(numbers[k][7] == sn_body_rotation(world, a.arm).w);
    }
    const sn_channel way = {.type = SN_CHANNEL_JOINT_WAY, .constraint = a.hinge}; /* a hinge has none */
    assert_int_equal(sn_worlds_set_observations(worlds, &way, 1), SN_OK);
    assert_int_equal(sn_worlds_observe(worlds, numbers[0]), SN_OK);
    assert_true(isnan(numbers[0][0]));
    sn_worlds_destroy(worlds);
}

/* Several steps with actions before each, of bodies, too. A world that refuses one in the middle of a call, here because a joint broke, takes no more steps. */
static void test_actions_of_several(void **state)
{
    (void)state;
    arm a = {0};
    sn_worlds_def def = sn_default_worlds_def();
    def.count = 6;
    def.build = build_arm;
    def.context = &a;
    sn_worlds *several = make(&def), *single = make(&def);
    const sn_channel done = {.type = SN_CHANNEL_MOTOR, .constraint = a.hinge, .most = 1e4};
    const sn_real actions[6] = {0, 1, 2, 3, 4, 5};
    assert_int_equal(sn_worlds_set_actions(several, &done, 1), SN_OK);
    assert_int_equal(sn_worlds_set_actions(single, &done, 1), SN_OK);
    for (uint32_t i = 0; i < 9; ++i) {
        assert_int_equal(sn_worlds_act(single, actions), SN_OK);
        assert_int_equal(sn_worlds_step(single, DT), SN_OK);
    }
    assert_int_equal(sn_worlds_step_many(several, DT, 9, actions), SN_OK);
    for (uint32_t k = 0; k < 6; ++k)
        assert_same_world(sn_worlds_at(several, k), sn_worlds_at(single, k));
    sn_world *weak = sn_worlds_at(several, 4);
    assert_ok(weak, sn_constraint_set_strength(weak, a.hinge, real(1e-3), 0));
    assert_int_equal(sn_worlds_step_many(several, DT, 3, actions), SN_ERROR_STALE);
    assert_says(sn_worlds_error(several), "world 4, step 2 of 3: channel 0 removed");
    for (uint32_t k = 0; k < 6; ++k)
        assert_close(sn_world_time(sn_worlds_at(several, k)), (k == 4 ? 10 : 12) * (double)DT, 1e-8);
    /* and from the first step on no world is stepped */
    assert_int_equal(sn_worlds_step_many(several, DT, 3, actions), SN_ERROR_STALE);
    assert_says(sn_worlds_error(several), "world 4: channel 0 removed");
    assert_close(sn_world_time(sn_worlds_at(several, 0)), 12 * (double)DT, 1e-8);
    assert_int_equal(sn_worlds_step_many(several, DT, 3, (const sn_real[6]){0, (sn_real)NAN}), SN_ERROR_ARGUMENT);
    sn_worlds_destroy(several);
    sn_worlds_destroy(single);
}

static void test_bad_channels(void **state)
{
    (void)state;
    cart_pole c = {0};
    sn_worlds_def def = carts(&c, 5);
    def.world.dimensions = 2;
    sn_worlds *worlds = make(&def);
    const sn_channel good = of_particle(SN_CHANNEL_FORCE, c.cart, 1 | 4);
    const struct {
        sn_channel channel;
        bool acts;
        const char *words;
    } bad[] = {
        {{.type = (sn_channel_type)99}, true, "channel 1 type 99"},
        {of_particle(SN_CHANNEL_POSITION, c.cart, 0), true, "channel 1 position no action"},
        {of_particle(SN_CHANNEL_FORCE, c.cart, 0), false, "channel 0 force action observed"},
        {of_particle(SN_CHANNEL_FORCE, c.cart, 8), true, "channel 1 axes 0x8"},
        {{.type = SN_CHANNEL_FORCE}, true, "channel 1 particles none"},
        {{.type = SN_CHANNEL_MOTOR, .constraint = c.rod, .most = -1}, true, "most -1"},
        {of_particle(SN_CHANNEL_FORCE, (sn_particle){7, 1}, 0), true, "channel 1 world 0"},
        {{.type = SN_CHANNEL_TORQUE, .body = {3, 1}}, true, "channel 1 world 0 torque"},
        {{.type = SN_CHANNEL_MOTOR, .constraint = {1, 88, 1}, .most = 1}, true, "channel 1 world 0 motor"},
    };
    assert_int_equal(sn_worlds_set_actions(worlds, &good, 1), SN_OK);
    for (uint32_t i = 0; i < COUNT_OF(bad); ++i) {
        const sn_channel both[] = {good, bad[i].channel};
        assert_int_not_equal(bad[i].acts ? sn_worlds_set_actions(worlds, both, 2)
                                         : sn_worlds_set_observations(worlds, both + 1, 1),
                             SN_OK);
        assert_says(sn_worlds_error(worlds), bad[i].words);
    }
    assert_int_equal(sn_worlds_set_actions(worlds, NULL, 2), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_worlds_action_size(worlds), 2); /* the good one is still there */

    sn_real actions[5][2] = {{0}};
    const uint64_t before = sn_world_hash(sn_worlds_at(worlds, 0));
    actions[0][0] = 5;
    actions[3][0] = (sn_real)NAN;
    assert_int_equal(sn_worlds_act(worlds, actions[0]), SN_ERROR_ARGUMENT);
    assert_says(sn_worlds_error(worlds), "world 3 number 0 force nan");
    actions[3][0] = 0;
    actions[4][1] = 2;
    assert_int_equal(sn_worlds_act(worlds, actions[0]), SN_ERROR_ARGUMENT);
    assert_says(sn_worlds_error(worlds), "world 4 number 1 z 2D");
    assert_int_equal(sn_worlds_act(worlds, NULL), SN_ERROR_ARGUMENT);
    assert_true(sn_world_hash(sn_worlds_at(worlds, 0)) == before);

    /* what one world has lost is told, and done in the others */
    actions[4][1] = 0;
    assert_ok(sn_worlds_at(worlds, 2), sn_particle_remove(sn_worlds_at(worlds, 2), c.cart));
    const sn_channel seen = of_particle(SN_CHANNEL_POSITION, c.cart, 0);
    assert_int_equal(sn_worlds_set_observations(worlds, &seen, 1), SN_ERROR_STALE);
    assert_int_equal(sn_worlds_act(worlds, actions[0]), SN_ERROR_STALE);
    assert_says(sn_worlds_error(worlds), "world 2 channel 0 removed");
    assert_true(sn_world_hash(sn_worlds_at(worlds, 0)) != before);
    sn_worlds_destroy(worlds);
}

/* ---- Going back --------------------------------------------------------------------------------------------------------- */

static void test_reset(void **state)
{
    (void)state;
    cart_pole c = {0};
    sn_worlds_def def = carts(&c, 9);
    sn_worlds *worlds = make(&def);
    uint64_t built[9], later[9];
    uint8_t flags[9] = {0, 1, 0, 0, 1, 0, 0, 0, 0};
    for (uint32_t k = 0; k < 9; ++k)
        built[k] = sn_world_hash(sn_worlds_at(worlds, k));
    for (uint32_t i = 0; i < 7; ++i)
        assert_int_equal(sn_worlds_step(worlds, DT), SN_OK);
    for (uint32_t k = 0; k < 9; ++k)
        later[k] = sn_world_hash(sn_worlds_at(worlds, k));
    assert_int_equal(sn_worlds_keep(worlds, 4), SN_OK);
    assert_int_equal(sn_worlds_keep(worlds, 9), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_worlds_step(worlds, DT), SN_OK);
    assert_int_equal(sn_worlds_reset(worlds, flags), SN_OK);
    assert_true(sn_world_hash(sn_worlds_at(worlds, 1)) == built[1]);
    assert_true(sn_world_hash(sn_worlds_at(worlds, 4)) == later[4]);
    assert_true(sn_world_hash(sn_worlds_at(worlds, 0)) != built[0]);
    assert_true(sn_world_time(sn_worlds_at(worlds, 1)) == 0);
    /* the same way again */
    assert_int_equal(sn_worlds_reset(worlds, NULL), SN_OK);
    for (uint32_t i = 0; i < 7; ++i)
        assert_int_equal(sn_worlds_step(worlds, DT), SN_OK);
    for (uint32_t k = 0; k < 9; ++k)
        assert_true(k == 4 || sn_world_hash(sn_worlds_at(worlds, k)) == later[k]);
    sn_worlds_destroy(worlds);
}

/* ---- Steps that cannot be ------------------------------------------------------------------------------------------------- */

static void test_bad_steps(void **state)
{
    (void)state;
    cart_pole c = {0};
    support_log log = {0};
    sn_worlds_def def = carts(&c, 4);
    def.world.log = support_log_hook(&log);
    support_tasks tasks = {.mode = SUPPORT_TASKS_LOSE, .lost = 1, .lossy_run = UINT32_MAX};
    def.tasks = support_tasks_hook(&tasks);
    def.side_by_side = false;
    sn_worlds *worlds = make(&def);
    assert_int_equal(sn_worlds_step(worlds, DT), SN_OK);
    assert_int_equal(sn_worlds_step(worlds, (sn_real)NAN), SN_ERROR_ARGUMENT);
    assert_says(sn_worlds_error(worlds), "dt nan");
    assert_int_equal(sn_worlds_step(worlds, -1), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_worlds_step(worlds, 0), SN_OK); /* which takes no time */
    assert_int_equal(sn_worlds_step_many(worlds, (sn_real)INFINITY, 3, NULL), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_worlds_step_many(worlds, DT, 0, NULL), SN_OK); /* nor does this */
    assert_int_equal(sn_worlds_step_many(NULL, DT, 1, NULL), SN_ERROR_ARGUMENT);
    assert_int_equal(log.count, 3);
    log.count = 0;
    tasks.lossy_run = tasks.runs;
    assert_int_equal(sn_worlds_step(worlds, DT), SN_ERROR_HOST);
    assert_int_equal(log.count, 1);
    for (uint32_t k = 0; k < 4; ++k) /* all of them were stepped */
        assert_close(sn_world_time(sn_worlds_at(worlds, k)), 2 * (double)DT, 1e-9);
    tasks.lossy_run = tasks.runs; /* also if some portions of several steps were lost */
    assert_int_equal(sn_worlds_step_many(worlds, DT, 5, NULL), SN_ERROR_HOST);
    for (uint32_t k = 0; k < 4; ++k)
        assert_close(sn_world_time(sn_worlds_at(worlds, k)), 7 * (double)DT, 1e-8);
    assert_int_equal(sn_worlds_result(worlds, 4), SN_ERROR_ARGUMENT);
    sn_worlds_destroy(worlds);
}

/* A callback of a world finds the worlds busy. */
typedef struct inside {
    sn_worlds *worlds;
    sn_result result;
} inside;

static bool call_inside(void *context)
{
    inside *i = context;
    i->result = sn_worlds_step(i->worlds, DT);
    sn_worlds_destroy(i->worlds);
    return false;
}

static void test_busy(void **state)
{
    (void)state;
    cart_pole c = {0};
    inside i = {0};
    sn_worlds_def def = carts(&c, 1);
    def.threads = 1;
    sn_worlds *worlds = make(&def);
    i.worlds = worlds;
    assert_ok(sn_worlds_at(worlds, 0), sn_world_set_cancel(sn_worlds_at(worlds, 0), call_inside, &i));
    assert_int_equal(sn_worlds_step(worlds, DT), SN_OK);
    assert_int_equal(i.result, SN_ERROR_BUSY);
    i.result = SN_OK; /* and when the world is stepped by itself */
    assert_ok(sn_worlds_at(worlds, 0), sn_world_step(sn_worlds_at(worlds, 0), DT));
    assert_int_equal(i.result, SN_ERROR_BUSY);
    assert_int_equal(sn_worlds_count(worlds), 1);
    sn_worlds_destroy(worlds);
}

/* ---- Memory ----------------------------------------------------------------------------------------------------------------- */

static void test_no_allocation(void **state)
{
    (void)state;
    cart_pole c = {0};
    support_memory memory = {0};
    sn_worlds_def def = carts(&c, 40);
    def.world.allocator = support_allocator(&memory);
    def.threads = 1;
    sn_worlds *worlds = make(&def);
    const sn_channel done = of_particle(SN_CHANNEL_FORCE, c.cart, 1);
    sn_real actions[40] = {1, 2};
    uint8_t flags[40] = {[4] = 1};
    assert_int_equal(sn_worlds_set_actions(worlds, &done, 1), SN_OK);
    for (uint32_t i = 0; i < 10; ++i) {
        const uint64_t before = memory.requests;
        assert_int_equal(sn_worlds_act(worlds, actions), SN_OK);
        assert_int_equal(sn_worlds_step(worlds, DT), SN_OK);
        assert_int_equal(sn_worlds_step_many(worlds, DT, 3, i % 2 ? actions : NULL), SN_OK);
        if (i > 4)
            assert_int_equal(sn_worlds_reset(worlds, flags), SN_OK);
        assert_true(i < 4 || i == 5 || memory.requests == before);
    }
    sn_worlds_destroy(worlds);
    assert_memory_clean(&memory);
}

/* There may be thousands of worlds: what is not used takes little. */
static void test_small(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    sn_world *world;
    def.allocator = support_allocator(&memory);
    assert_int_equal(sn_world_create(&def, &world), SN_OK);
    assert_true(memory.bytes < 80000);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

/* Bytes that so many worlds take more if they are stepped side by side. */
static size_t bytes_of_batches(uint32_t count)
{
    size_t bytes[2];
    for (uint32_t beside = 0; beside < 2; ++beside) {
        cart_pole c = {0};
        support_memory memory = {0};
        sn_worlds_def def = carts(&c, count);
        def.world.allocator = support_allocator(&memory);
        def.side_by_side = beside != 0;
        def.threads = 1;
        sn_worlds *worlds = make(&def);
        for (uint32_t i = 0; i < 4; ++i)
            assert_int_equal(sn_worlds_step(worlds, DT), SN_OK);
        bytes[beside] = memory.bytes;
        sn_worlds_destroy(worlds);
        assert_memory_clean(&memory);
    }
    return bytes[1] - bytes[0];
}

/* One thread needs one inner world, however many batches there are. */
static void test_batches_share(void **state)
{
    (void)state;
    assert_int_equal(bytes_of_batches(160), bytes_of_batches(40));
}

/* Every request fails once: nothing is left, nothing is lost. */
static void test_scarce_memory(void **state)
{
    (void)state;
    const uint64_t stride = support_rounds(1, 7);
    bool failed = true;
    for (uint64_t at = 1; failed; at += stride) {
        cart_pole c = {0};
        support_memory memory = {.fail_at = at};
        sn_worlds_def def = carts(&c, 5);
        sn_worlds *worlds;
        def.world.allocator = support_allocator(&memory);
        def.threads = 1;
        const sn_result result = sn_worlds_create(&def, &worlds);
        assert_true(result == SN_OK ? worlds != NULL : !worlds && result == SN_ERROR_MEMORY);
        for (uint32_t i = 0; worlds && i < 3; ++i) {
            const sn_result step = sn_worlds_step(worlds, DT);
            assert_true(step == SN_OK || step == SN_ERROR_MEMORY);
            if (step != SN_OK)
                assert_says(sn_worlds_error(worlds), "world memory");
        }
        failed = memory.failures > 0;
        sn_worlds_destroy(worlds);
        assert_memory_clean(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create),        cmocka_unit_test(test_bad_definitions),
        cmocka_unit_test(test_arrays),        cmocka_unit_test(test_places),
        cmocka_unit_test(test_bodies),        cmocka_unit_test(test_bad_channels),
        cmocka_unit_test(test_reset),         cmocka_unit_test(test_bad_steps),
        cmocka_unit_test(test_busy),          cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_scarce_memory), cmocka_unit_test(test_actions_of_several),
        cmocka_unit_test(test_small),         cmocka_unit_test(test_batches_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

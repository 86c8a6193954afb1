/* Every call of the list, with every bad value of every argument, in worlds of two and three dimensions that are awake or asleep:
   it is refused, says why, and leaves the hash. What is bad is said in src/world/calls.def. */
#include "random/net.h"

#define ROUNDS                                                                                                         \
    support_rounds(60, 12) /* of good arguments for each call: types of shapes, kinds and the like are drawn */

static net_stage stage;
static net_program build;

/* Plays an op whose arguments are drawn until the call accepts them. */
static bool put(net_maker *m, uint32_t call)
{
    net_op *op = &build.op[build.ops];
    for (int tries = 0; tries < 50; ++tries) {
        *op = (net_op){.call = call, .serial = build.ops + 1};
        m->serial = op->serial;
        net_make_arguments(m, op);
        if (net_play_op(&stage, op) == SN_OK &&
            (stage.made[op->serial].type != TYPE_NONE || call < CALL_sn_particle_add_at)) {
            build.ops++;
            return true;
        }
        free(op->cell);
    }
    return false;
}

/* Some of everything. Asleep: at rest on the ground, so that a refused call that wakes somebody is seen. */
static void set_up(net_maker *m, uint32_t dimensions, bool asleep)
{
    static const uint32_t calls[] = {CALL_sn_kind_register,
                                     CALL_sn_particles_add,
                                     CALL_sn_particles_add,
                                     CALL_sn_particle_add,
                                     CALL_sn_particle_add,
                                     CALL_sn_body_add_sphere,
                                     CALL_sn_body_add_box,
                                     CALL_sn_body_add_box,
                                     CALL_sn_body_add,
                                     CALL_sn_constraint_add_distance,
                                     CALL_sn_joint_add_hinge,
                                     CALL_sn_joint_add_slider,
                                     CALL_sn_joint_add_ball,
                                     CALL_sn_joint_add_six,
                                     CALL_sn_constraint_add,
                                     CALL_sn_constraints_add_kind,
                                     CALL_fixed_add,
                                     CALL_sn_static_add_box,
                                     CALL_sn_skin_add,
                                     CALL_sn_field_add,
                                     CALL_sn_drag_add,
                                     CALL_sn_world_save,
                                     CALL_sn_rewind_create,
                                     CALL_sn_static_add_plane,
                                     CALL_sn_accumulator_create};
    memset(&stage, 0, sizeof stage - sizeof stage.room);
    *m = (net_maker){.random = 11, .stage = &stage, .bad_argument = UINT32_MAX};
    net_create(&stage, dimensions, &net_variant_list[0], NULL, NULL);
    for (size_t i = 0; i < COUNT_OF(calls); ++i)
        assert_true(put(m, calls[i]) || dimensions == 2);
    for (uint32_t group = 0; group < 4; ++group) {
        sn_group_contact contact = sn_default_group_contact(group);
        contact.rolls = true; /* for sn_particle_set_spin */
        assert_ok(stage.world, sn_world_set_group_contact(stage.world, group, &contact));
    }
    sn_contact_settings settings = sn_default_contact_settings();
    settings.sleep = asleep;
    settings.sleep_speed = 1000; /* whatever touches something rests */
    settings.sleep_time = 0;
    assert_ok(stage.world, sn_world_set_contact_settings(stage.world, &settings));
    for (uint32_t i = 0; i < 60; ++i)
        assert_ok(stage.world, sn_world_step(stage.world, real(1.0 / 60)));
    for (uint32_t i = 0; i <= build.ops; ++i)
        if (stage.made[i].type == TYPE_REWIND)
            assert_ok(stage.world, sn_rewind_record(stage.made[i].as.rewind, stage.world));
        else if (stage.made[i].type == TYPE_ACCUMULATOR)
            assert_ok(stage.world, sn_accumulator_add(stage.made[i].as.accumulator, stage.world, 1000, NULL));
    if (asleep)
        assert_true(sn_world_awake_count(stage.world) < sn_world_particle_count(stage.world));
}

static void tear_down(void)
{
    net_destroy(&stage);
    net_program_clear(&build);
}

static const char *name_of(uint32_t bad)
{
    static const char *const names[] = {"null",      "stale", "NaN",  "infinite", "negative",     "zero",
                                        "above one", "tiny",  "huge", "z in 2D",  "tilted in 2D", "out of range"};
    uint32_t i = 0;
    while (bad >> (i + 1))
        ++i;
    return names[i];
}

static uint32_t wrong, tried;

/* Whether this is the first time that a call goes wrong in this way. */
static bool is_new(uint32_t call, const char *argument, uint32_t bad)
{
    static struct {
        uint32_t call, bad;
        const char *argument;
    } known[200];
    for (uint32_t i = 0; i < wrong && i < COUNT_OF(known); ++i)
        if (known[i].call == call && known[i].bad == bad && strcmp(known[i].argument, argument) == 0)
            return false;
    if (wrong < COUNT_OF(known)) {
        known[wrong].call = call;
        known[wrong].bad = bad;
        known[wrong].argument = argument;
    }
    wrong++;
    return true;
}

/* One bad argument. */
static void try_bad(net_maker *m, net_op *op, uint64_t seed, uint32_t leaf, uint32_t bad, const sn_snapshot *start)
{
    uint64_t before = sn_world_hash(stage.world);
    m->random = seed;
    m->bad_argument = leaf;
    m->bad = bad;
    net_make_arguments(m, op);
    m->bad_argument = UINT32_MAX;
    if (!m->spoilt)
        return;
    tried++;
    sn_result result = net_invoke(&stage, op);
    bool null_world =
        bad == SN_BAD_NULL && net_call_of((net_call)op->call)->argument[0].type == TYPE_WORLD && leaf == 0;
    null_world |= bad == SN_BAD_NULL && net_call_of((net_call)op->call)->argument[1].type == TYPE_WORLD && leaf == 1;
    const char *what = result == SN_OK                                  ? "is taken"
                       : sn_world_hash(stage.world) != before           ? "changes the hash"
                       : !null_world && stage.errors != 1               ? "is not logged once"
                       : !null_world && !sn_world_error(stage.world)[0] ? "gives no reason"
                                                                        : NULL;
    if (what && is_new(op->call, m->leaf_name[leaf], bad))
        print_error("%s: '%s' (argument %u) that is %s %s (seed %llu)\n", net_call_of((net_call)op->call)->name,
                    m->leaf_name[leaf], leaf, name_of(bad), what, (unsigned long long)seed);
    if (sn_world_hash(stage.world) != before)
        assert_ok(stage.world, sn_world_load(stage.world, start));
}

/* All bad arguments of one call. Returns whether good ones were found, without which nothing would be tested. */
static bool try_call(net_maker *m, uint32_t call)
{
    net_op op = {.call = call, .serial = NET_OPS};
    sn_snapshot *start = sn_world_save(stage.world);
    bool found = false;
    assert_non_null(start);
    m->serial = build.ops + 1;
    for (uint64_t round = 0, rounds = 0; rounds < ROUNDS && round < 300; ++round) {
        uint64_t seed = round * 1000 + call;
        m->random = seed;
        net_make_arguments(m, &op);
        uint32_t leaves = m->leaf, all_bad[NET_LEAVES];
        memcpy(all_bad, m->all_bad, sizeof all_bad);
        bool good = net_invoke(&stage, &op) == SN_OK;
        if (stage.made[NET_OPS].type == TYPE_SNAPSHOT)
            sn_snapshot_destroy(stage.made[NET_OPS].as.snapshot);
        if (stage.made[NET_OPS].type == TYPE_REWIND)
            sn_rewind_destroy(stage.made[NET_OPS].as.rewind);
        if (stage.made[NET_OPS].type == TYPE_ACCUMULATOR)
            sn_accumulator_destroy(stage.made[NET_OPS].as.accumulator);
        stage.made[NET_OPS].type = TYPE_NONE;
        assert_ok(stage.world, sn_world_load(stage.world, start));
        /* no part of the state, and one of them makes every step fail */
        assert_ok(stage.world, sn_world_set_pre_solve(stage.world, NULL, NULL));
        assert_ok(stage.world, sn_world_set_contact_filter(stage.world, NULL, NULL));
        found |= good;
        rounds += good;
        for (uint32_t leaf = 0; good && leaf < leaves; ++leaf)
            for (uint32_t bad = 1; bad < SN_BAD_END; bad <<= 1)
                if (all_bad[leaf] & bad)
                    try_bad(m, &op, seed, leaf, bad, start);
    }
    free(op.cell);
    sn_snapshot_destroy(start);
    return found;
}

static void every_bad_argument_is_refused(void **state)
{
    (void)state;
    wrong = 0;
    for (uint32_t dimensions = 2; dimensions <= 3; ++dimensions)
        for (int asleep = 0; asleep < 2; ++asleep) {
            net_maker m;
            set_up(&m, dimensions, asleep);
            for (uint32_t call = 0; call < CALL_COUNT; ++call)
                if (!try_call(&m, call) && dimensions == 3) {
                    print_error("%s: no good arguments were found; the last reason is: %s\n",
                                net_call_of((net_call)call)->name, sn_world_error(stage.world));
                    wrong++;
                }
            tear_down();
        }
    print_message("%u calls with %u bad arguments\n", (uint32_t)CALL_COUNT, tried);
    assert_int_equal(wrong, 0);
}

static void the_list_has_every_field(void **state)
{
    (void)state;
    assert_string_equal(net_list_check(), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_has_every_field),
        cmocka_unit_test(every_bad_argument_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

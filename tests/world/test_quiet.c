/* A field of balls that sleep, and a few that roll through it: those that are near what moves are found, and no others matter. */
#include "world/contact_worlds.h"

#include "world/world.h"

#define ACROSS   48u
#define STRIKERS 5u

/* Balls of several sizes side by side on a plane, asleep. */
static sn_world *make_field_from(sn_world_def def)
{
    sn_world *world = contact_world(def, true, false);
    uint64_t seed = 7;
    sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    set_materials(world, 0.6, 0);
    for (uint32_t i = 0; i < ACROSS * ACROSS; ++i) {
        const double radius = support_random_in(&seed, 0.03, 0.09);
        ball(world, vec(0.2 * (i % ACROSS), radius, 0.2 * (i / ACROSS)), 1, radius);
    }
    for (uint32_t i = 0; sn_world_awake_count(world); ++i) {
        assert_true(i < 300);
        step(world);
    }
    return world;
}

/* And some that are thrown at them. */
static sn_world *make_field(uint32_t threads)
{
    sn_world_def def = sn_default_world_def();
    def.threads = threads;
    sn_world *world = make_field_from(def);
    for (uint32_t i = 0; i < STRIKERS; ++i) {
        sn_particle striker = ball(world, vec(-1 - 0.3 * i, 0.25, 1.7 * i + 0.4), 20, i % 2 ? 0.25 : 0.06);
        assert_ok(world, sn_particle_set_velocity(world, striker, vec(6, 0, 0.3 * i)));
    }
    return world;
}

/* Whether the search of the last step found a pair. */
static bool is_found(const sn_world *world, uint32_t a, uint32_t b)
{
    for (uint32_t set = 0; set < SN_PAIR_SETS; ++set) {
        const sn_neighbours *near = &world->contacts.pairs[set].near;
        for (uint32_t i = 0; i < near->batches * SN_NEAR_LANES; ++i) {
            const sn_near_batch *batch = &near->batch[i / SN_NEAR_LANES];
            const uint32_t lane = i % SN_NEAR_LANES;
            if ((batch->a[lane] == a && batch->b[lane] == b) || (batch->a[lane] == b && batch->b[lane] == a))
                return true;
        }
    }
    return false;
}

/* All pairs of which one is awake and whose margins touched are among those that the search found. How many are awake. */
static uint32_t assert_nothing_was_missed(const sn_world *world)
{
    const sn_vec4 *sphere = world->contacts.sphere_table.column[0];
    const uint32_t count = world->particles.table.count;
    uint32_t awake = 0;
    for (uint32_t a = 0; a < count; ++a) {
        if (sn_sleep_has(&world->contact.sleep, world->particles.index[a]))
            continue;
        ++awake;
        for (uint32_t b = 0; b < count; ++b) {
            const sn_vec3 d = vec3_sub(vec4_xyz(sphere[a]), vec4_xyz(sphere[b]));
            const sn_real reach = sphere[a].w + sphere[b].w;
            if (b != a && vec3_dot(d, d) <= reach * reach)
                assert_true(is_found(world, a, b));
        }
    }
    return awake;
}

static void test_no_pair_is_missed(void **state)
{
    (void)state;
    sn_world *world = make_field(1);
    uint32_t most = 0;
    for (uint32_t i = 0; i < 90; ++i) {
        step(world);
        const uint32_t awake = assert_nothing_was_missed(world);
        most = awake > most ? awake : most;
    }
    assert_in_range(most, 3 * STRIKERS, ACROSS * ACROSS / 2); /* they struck some, and not all */
    sn_world_destroy(world);
}

/* Which balls the search is given does not depend on how they are stored, nor on threads. */
static void test_it_is_the_same_however_it_is_stored(void **state)
{
    (void)state;
    sn_world *world = make_field(1), *other = make_field(3);
    for (uint32_t i = 0; i < 60; ++i) {
        if (i % 7 == 3) {
            sn_snapshot *saved = sn_world_save(world);
            sn_world *fresh = contact_world(sn_default_world_def(), true, false);
            assert_non_null(saved);
            assert_ok(fresh, sn_world_load(fresh, saved));
            sn_snapshot_destroy(saved);
            sn_world_destroy(world);
            world = fresh;
        }
        if (i % 11 == 5)
            assert_ok(other, sn_world_replan(other));
        step(world);
        step(other);
        assert_true(sn_world_hash(world) == sn_world_hash(other));
    }
    sn_world_destroy(world);
    sn_world_destroy(other);
}

/* Once warm, with one ball that hops beside the field. */
static void test_nothing_is_allocated(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(&memory);
    sn_world *world = make_field_from(def);
    sn_particle hopper = ball(world, vec(-5, 0.1, -5), 1, 0.1);
    uint64_t before = 0;
    for (uint32_t i = 0; i < 60; ++i) {
        if (i % 15 == 0)
            assert_ok(world, sn_particle_set_velocity(world, hopper, vec(0, 1, 0)));
        if (i == 30)
            before = memory.requests;
        step(world);
    }
    assert_int_equal(memory.requests, before);
    assert_int_equal(world->contacts.quiet_table.count, 1); /* the search was given it, and none that sleeps */
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_pair_is_missed),
        cmocka_unit_test(test_it_is_the_same_however_it_is_stored),
        cmocka_unit_test(test_nothing_is_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Groups of shape matching that tear: members leave, groups become two. */
#include "world/tear_meshes.h"

/* A bar of particles, n along x and 2 x 2 across it, in one group. */
static sn_constraint bar_add(sn_world *world, uint32_t n, sn_particles *run)
{
    sn_real xyz[3 * 256];
    uint32_t member[256];
    for (uint32_t i = 0; i < 4 * n; ++i) {
        xyz[3 * i] = real(0.1 * (i / 4));
        xyz[3 * i + 1] = real(0.1 * (i % 2));
        xyz[3 * i + 2] = real(0.1 * (i / 2 % 2));
    }
    *run = sn_particles_add(world, 4 * n, xyz, 0, real(0.5));
    for (uint32_t i = 0; i < 4 * n; ++i)
        member[i] = sn_particles_at(*run, i).index;
    const sn_constraint group = sn_constraint_add_shape_match(world, SN_KIND_SHAPE_MATCH, 4 * n, member, real(0.5));
    assert_true(sn_constraint_is_valid(world, group));
    return group;
}

static sn_constraints run_of(sn_constraint c)
{
    return (sn_constraints){c.kind, c.index, 1, c.generation};
}

static sn_world *make_world(uint32_t threads)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.threads = threads;
    return support_world_from(&def);
}

static void set_strength(sn_world *world, sn_constraint group, double strain)
{
    sn_tear_def def = sn_default_tear_def();
    def.strain = real(strain);
    assert_ok(world, sn_constraints_set_tear(world, run_of(group), &def));
}

/* One that is pulled out leaves alone; the others stay a group. */
static void test_a_member_that_is_pulled_out_leaves(void **state)
{
    (void)state;
    sn_world *world = make_world(1);
    sn_particles run;
    const sn_constraint group = bar_add(world, 4, &run);
    set_strength(world, group, 0.5);
    uint32_t left = 0;
    for (uint32_t frame = 1; frame <= 60; ++frame) {
        uint32_t count;
        assert_ok(world, sn_particle_move_to(world, sn_particles_at(run, 15), vec(0.3, 0.1 + 0.02 * frame, 0.1)));
        if (frame == 1)
            for (uint32_t i = 0; i < 4; ++i)
                assert_ok(world, sn_particle_set_mass(world, sn_particles_at(run, i), SN_IMMOVABLE));
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        const sn_tear *tear = sn_world_tears(world, &count);
        for (uint32_t i = 0; i < count; ++i, ++left) {
            assert_int_equal(tear[i].type, SN_TEAR_LEAVE);
            assert_int_equal(tear[i].particle.index, run.first + 15);
            assert_int_equal(tear[i].constraint.index, group.index);
            assert_int_equal(tear[i].formed.generation, 0);
            assert_true((double)tear[i].strain > 0.5);
        }
    }
    assert_int_equal(left, 1);
    assert_true(sn_constraint_is_valid(world, group));
    assert_int_equal(sn_constraint_point_count(world, group), 15);
    /* the others are where they were */
    support_run(world, 60, 1.0 / 60);
    for (uint32_t i = 0; i < 15; ++i)
        assert_close(sn_particle_position(world, sn_particles_at(run, i)).x, 0.1 * (i / 4), 0.02);
    sn_world_destroy(world);
}

/* A bar whose end is torn away becomes two groups, and each keeps its shape. The same on threads, and after loading. */
static void test_a_bar_becomes_two_groups(void **state)
{
    (void)state;
    sn_world *world[3];
    sn_particles run;
    sn_constraint group = {0}, formed = {0};
    for (uint32_t w = 0; w < 3; ++w) {
        world[w] = make_world(w == 1 ? 3 : 1);
        group = bar_add(world[w], 10, &run);
        set_strength(world[w], group, 0.3);
        for (uint32_t i = 0; i < 4; ++i)
            assert_ok(world[w], sn_particle_set_mass(world[w], sn_particles_at(run, i), SN_IMMOVABLE));
    }
    const double mass = tear_sum(world[0]).mass;
    for (uint32_t frame = 0; frame < 60; ++frame) {
        for (uint32_t w = 0; w < 3; ++w) {
            if (w == 2) {
                sn_snapshot *now = sn_world_save(world[2]);
                assert_ok(world[2], sn_world_load(world[2], now));
                sn_snapshot_destroy(now);
            }
            for (uint32_t i = 36; i < 40; ++i)
                assert_ok(world[w], sn_particle_move_to(world[w], sn_particles_at(run, i),
                                                        vec(0.9 + 0.03 * frame, 0.1 * (i % 2), 0.1 * (i / 2 % 2))));
            assert_ok(world[w], sn_world_step(world[w], real(1.0 / 60)));
        }
        uint32_t count;
        const sn_tear *tear = sn_world_tears(world[0], &count);
        for (uint32_t i = 0; i < count; ++i)
            formed = tear[i].formed.generation ? tear[i].formed : formed;
        assert_same_world(world[0], world[1]);
        assert_same_world(world[0], world[2]);
    }
    assert_true(formed.generation && sn_constraint_is_valid(world[0], formed));
    sn_tear_def def;
    assert_ok(world[0], sn_constraint_read_tear(world[0], formed, &def));
    assert_close(def.strain, 0.3, 1e-6);
    assert_true(sn_constraint_is_valid(world[0], group));
    const uint32_t points = sn_constraint_point_count(world[0], formed);
    print_message("groups of %u and %u\n", sn_constraint_point_count(world[0], group), points);
    assert_true(points >= 4 && sn_constraint_point_count(world[0], group) >= 4);
    assert_close(tear_sum(world[0]).mass, mass, 1e-12);
    /* the end has flown away, and is as long as it was */
    const sn_vec3 a = sn_particle_position(world[0], sn_particles_at(run, 39)),
                  b = sn_particle_position(world[0], sn_particles_at(run, 35));
    assert_true((double)a.x > 2);
    assert_close((double)a.x - (double)b.x, 0.1, 0.05);
    for (uint32_t w = 0; w < 3; ++w)
        sn_world_destroy(world[w]);
}

/* A group that has too few members left is gone, and told as broken. What makes no sense is refused. */
static void test_small_groups_go_and_nonsense_is_refused(void **state)
{
    (void)state;
    sn_world *world = make_world(1);
    sn_particles run;
    sn_constraint group = bar_add(world, 1, &run);
    const uint64_t before = sn_world_hash(world);
    sn_tear_def def = sn_default_tear_def();
    def.strain = real(-1);
    assert_int_equal(sn_constraints_set_tear(world, run_of(group), &def), SN_ERROR_ARGUMENT);
    def.strain = 0, def.force = 3;
    assert_int_equal(sn_constraints_set_tear(world, run_of(group), &def), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_hash(world), before);
    set_strength(world, group, 0.2);
    uint32_t broken = 0, leave = 0;
    for (uint32_t i = 0; i < 5; ++i) {
        uint32_t count;
        assert_ok(world, sn_particle_move_to(world, sn_particles_at(run, 0), vec(0, 0, 0)));
        assert_ok(world, sn_particle_move_to(world, sn_particles_at(run, 3), vec(0, 0.1 + 0.05 * i, 0.1 + 0.05 * i)));
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        const sn_tear *tear = sn_world_tears(world, &count);
        for (uint32_t k = 0; k < count; ++k)
            broken += tear[k].type == SN_TEAR_BREAK, leave += tear[k].type == SN_TEAR_LEAVE;
    }
    assert_int_equal(broken, 1);
    assert_true(leave >= 1);
    assert_false(sn_constraint_is_valid(world, group));
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_member_that_is_pulled_out_leaves),
        cmocka_unit_test(test_a_bar_becomes_two_groups),
        cmocka_unit_test(test_small_groups_go_and_nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

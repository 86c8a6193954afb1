/* Solids of tetrahedra that are cut: along faces, and their skins stay closed. */
#include "world/solid_meshes.h"

/* Cut through by a plane a block is two blocks, both closed, and nothing is lost or gained. */
static void test_a_plane_cuts_a_block_in_two(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= support_rounds(24, 6); ++seed) {
        uint64_t random = seed;
        sn_world *world = make_world(1);
        const block b = block_add(world, 4, 3, 3, 0.1, &random);
        set_moving(world, &b);
        assert_ok(world, sn_world_step(world, real(1.0 / 120))); /* it is strained now */
        check_closed(world);
        const sn_cut_def def = random_plane(&random);
        sn_cut_info info;
        sn_report energy[2];
        const double whole = whole_of(world);
        const tear_sums before = tear_sum(world);
        const uint32_t count = sn_world_particle_count(world);
        assert_ok(world, sn_world_report(world, &energy[0]));
        assert_ok(world, sn_world_cut(world, &def, &info));
        assert_ok(world, sn_world_report(world, &energy[1]));
        const tear_sums after = tear_sum(world);
        assert_true(info.split >= 9);
        assert_int_equal(info.inserted, 0);
        assert_int_equal(sn_world_particle_count(world), count + info.split);
        assert_int_equal(pieces_of(world), 2);
        tear_assert_kept(&before, &after, 1e-12);
        assert_close(energy[1].kinetic, energy[0].kinetic, 1e-9 * energy[0].kinetic);
        assert_close(energy[1].elastic, energy[0].elastic, 1e-5 * energy[0].elastic);
        check_closed(world);
        check_constraints(world, whole);
        const uint64_t hash = sn_world_hash(world);
        assert_ok(world, sn_world_cut(world, &def, &info)); /* it is cut already, and says so */
        assert_int_equal(info.split + info.inserted + info.removed, 0);
        assert_int_equal(sn_world_hash(world), hash);
        for (uint32_t frame = 0; frame < 3; ++frame)
            assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        sn_world_destroy(world);
    }
}

/* Both sides of a cut are nearer than the thickness. But they were so at rest, and are not pushed apart. */
static void test_a_cut_at_rest_moves_nothing(void **state)
{
    (void)state;
    uint64_t random = 1;
    sn_world *world = make_world(1);
    block b = block_add(world, 4, 4, 4, 0, &random);
    collide_with_itself(world, &b);
    sn_cut_def def = sn_default_cut_def();
    def.blade = SN_BLADE_PLANE;
    def.a = vec(0.21, 0.15, 0.15), def.b = vec(1, 0.2, 0.1);
    sn_cut_info info;
    sn_report r;
    assert_ok(world, sn_world_step(world, real(1.0 / 60)));
    assert_ok(world, sn_world_cut(world, &def, &info));
    assert_true(info.split > 9);
    for (uint32_t frame = 0; frame < 5; ++frame)
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
    assert_ok(world, sn_world_report(world, &r));
    assert_true(r.kinetic + r.elastic < 1e-9 * r.mass);
    assert_int_equal(sn_query_intersections(world, NULL, 0), 0);
    sn_world_destroy(world);
}

/* A block that collides with itself opens where it is cut: nothing intersects, all sums are kept, it stays closed, and no energy is gained. */
static void test_both_sides_have_room(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= support_rounds(8, 3); ++seed) {
        uint64_t random = seed;
        sn_world *world = make_world(1);
        block b = block_add(world, 4, 3, 3, 0.1, &random);
        collide_with_itself(world, &b);
        set_moving(world, &b);
        assert_ok(world, sn_world_step(world, real(1.0 / 240)));
        assert_int_equal(sn_query_intersections(world, NULL, 0), 0);
        const sn_cut_def def = random_plane(&random);
        sn_cut_info info;
        sn_report energy[2];
        const tear_sums before = tear_sum(world);
        assert_ok(world, sn_world_report(world, &energy[0]));
        assert_ok(world, sn_world_cut(world, &def, &info));
        assert_ok(world, sn_world_report(world, &energy[1]));
        const tear_sums after = tear_sum(world);
        assert_true(info.split >= 9);
        assert_int_equal(sn_query_intersections(world, NULL, 0), 0);
        assert_int_equal(pieces_of(world), 2);
        check_closed(world);
        for (uint32_t k = 0; k < 3; ++k) {
            assert_close(after.centre[k], before.centre[k], 1e-9 * before.mass);
            assert_close(after.momentum[k], before.momentum[k], 1e-9 * before.mass);
            assert_close(after.angular[k], before.angular[k], 1e-9 * before.mass);
        }
        assert_true(energy[1].elastic + (double)info.released <= energy[0].elastic * (1 + 1e-5));
        sn_world_destroy(world);
    }
}

/* A block that was pushed inside out, with some of its tetrahedra and with all of them: what the cut adds to the skin still looks the way that its neighbours do. */
static void test_a_block_inside_out_stays_closed(void **state)
{
    (void)state;
    for (uint32_t some = 0; some < 2; ++some) {
        uint64_t random = 7;
        sn_world *world = make_world(1);
        const block b = block_add(world, 4, 3, 3, 0.1, &random);
        for (uint32_t i = 0; i < b.run.count; ++i) {
            sn_vec3 x = sn_particle_position(world, sn_particles_at(b.run, i));
            x.y = some && (double)x.y < 0.15 ? x.y : real(0.3 - (double)x.y);
            assert_ok(world, sn_particle_set_position(world, sn_particles_at(b.run, i), x));
        }
        sn_cut_def def = sn_default_cut_def();
        def.blade = SN_BLADE_PLANE, def.a = vec(0.21, 0.15, 0.15), def.b = vec(1, 0.3, 0.1);
        sn_cut_info info;
        assert_ok(world, sn_world_cut(world, &def, &info));
        assert_true(info.split >= 9);
        check_closed(world);
        sn_world_destroy(world);
    }
}

static sn_vec3 any_place(uint64_t *random)
{
    const double z = support_random_in(random, -0.2, 0.5), y = support_random_in(random, -0.2, 0.5),
                 x = support_random_in(random, -0.2, 0.6);
    return vec(x, y, z);
}

/* Random cuts of two blocks, of which the second stands beside the first, with steps between; the same on threads, and saved and loaded in between. */
static void test_random_cuts_leave_closed_solids(void **state)
{
    (void)state;
    uint32_t cuts = 0, parted = 0;
    for (uint64_t seed = 1; seed <= support_long(400, 10); ++seed) {
        sn_world *world[3];
        uint64_t start = seed * 31, random = seed;
        for (uint32_t w = 0; w < 3; ++w) {
            uint64_t same = start;
            world[w] = make_world(w == 1 ? 3 : 1);
            const block b = block_add(world[w], 3, 2, 2, 0.1, &same), d = block_add(world[w], 2, 2, 2, 0.05, &same);
            set_moving(world[w], &b), set_moving(world[w], &d);
        }
        for (uint32_t round = 0; round < 6; ++round) {
            sn_cut_def def = sn_default_cut_def();
            def.blade = (sn_blade)support_random_below(&random, 3);
            def.a = any_place(&random), def.b = any_place(&random);
            def.to_a = any_place(&random), def.to_b = any_place(&random);
            for (uint32_t w = 0; w < 3; ++w) {
                sn_cut_info info;
                if (w == 2) {
                    sn_snapshot *now = sn_world_save(world[2]);
                    assert_ok(world[2], sn_world_load(world[2], now));
                    sn_snapshot_destroy(now);
                }
                const double whole = whole_of(world[w]);
                const tear_sums before = tear_sum(world[w]);
                assert_ok(world[w], sn_world_cut(world[w], &def, &info));
                const tear_sums after = tear_sum(world[w]);
                if (w == 0) {
                    tear_assert_kept(&before, &after, 1e-12);
                    check_closed(world[0]);
                    check_constraints(world[0], whole);
                    parted += info.split > 0, ++cuts;
                }
                assert_ok(world[w], sn_world_step(world[w], real(1.0 / 2400)));
            }
            assert_same_world(world[0], world[1]);
            assert_same_world(world[0], world[2]);
        }
        for (uint32_t w = 0; w < 3; ++w)
            sn_world_destroy(world[w]);
    }
    printf("%u cuts, %u of which parted something\n", cuts, parted);
    assert_true(parted > cuts / 3);
}

/* Without memory nothing is cut. */
static void test_no_memory(void **state)
{
    (void)state;
    for (uint64_t at = 1;; ++at) {
        support_memory memory = {0};
        sn_world_def scarce = support_scarce(&memory);
        scarce.settings.gravity = vec(0, 0, 0);
        sn_world *world = NULL;
        uint64_t random = 3;
        assert_int_equal(sn_world_create(&scarce, &world), SN_OK);
        block_add(world, 2, 2, 2, 0, &random);
        sn_cut_def def = sn_default_cut_def();
        def.blade = SN_BLADE_PLANE, def.a = vec(0.11, 0, 0), def.b = vec(1, 0.1, 0);
        sn_cut_info info;
        const uint64_t before = sn_world_hash(world);
        memory.fail_at = memory.requests + at;
        const bool out = ran_out(world, before, sn_world_cut(world, &def, &info));
        const bool failed = memory.failures > 0;
        memory.fail_at = 0;
        if (out)
            assert_ok(world, sn_world_cut(world, &def, &info));
        assert_true(info.split > 0);
        check_closed(world);
        sn_world_destroy(world);
        assert_memory_clean(&memory);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_plane_cuts_a_block_in_two),     cmocka_unit_test(test_both_sides_have_room),
        cmocka_unit_test(test_a_cut_at_rest_moves_nothing),     cmocka_unit_test(test_a_block_inside_out_stays_closed),
        cmocka_unit_test(test_random_cuts_leave_closed_solids), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

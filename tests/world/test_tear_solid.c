/* Solids of tetrahedra that tear by strain and by force. */
#include "world/solid_meshes.h"

static void set_strength(sn_world *world, const block *b, double strain, double force, uint32_t seed)
{
    sn_tear_def def = sn_default_tear_def();
    def.strain = real(strain);
    def.force = real(force);
    def.spread = real(0.3);
    def.seed = seed;
    assert_ok(world, sn_skin_set_tear(world, b->skin, &def));
}

/* A bar whose ends are pulled apart parts in two, and both parts are closed. By strain, and by force. */
static void test_a_bar_is_pulled_in_two(void **state)
{
    (void)state;
    for (uint32_t by_force = 0; by_force < 2; ++by_force) {
        uint64_t random = 3;
        sn_world *world = make_world(1);
        const block b = block_add(world, 10, 2, 2, 0.05, &random);
        set_strength(world, &b, by_force ? 0 : 0.2, by_force ? 50 : 0, 5);
        double mass = tear_sum(world).mass;
        uint32_t splits = 0, frame = 0;
        for (; frame < 240 && pieces_of(world) < 2; ++frame) {
            for (uint32_t i = 0; i < b.run.count; ++i)
                if (i % 11 == 0 || i % 11 == 10) {
                    sn_vec3 x = sn_particle_position(world, sn_particles_at(b.run, i));
                    x.x += real(i % 11 ? 0.002 : -0.002);
                    assert_ok(world, sn_particle_move_to(world, sn_particles_at(b.run, i), x));
                }
            uint32_t count;
            assert_ok(world, sn_world_step(world, real(1.0 / 60)));
            const sn_tear *tear = sn_world_tears(world, &count);
            for (uint32_t i = 0; i < count; ++i) {
                assert_int_equal(tear[i].type, SN_TEAR_SPLIT);
                assert_false(tear[i].cut);
                assert_true(sn_particle_is_valid(world, tear[i].made) && sn_particle_is_valid(world, tear[i].particle));
                assert_int_equal(tear[i].skin.index, b.skin.index);
                assert_true(by_force ? tear[i].force > 0 : (double)tear[i].strain > 0.2 * 0.7);
            }
            splits += count;
            check_closed(world);
            check_index(world);
            assert_close(tear_sum(world).mass, mass, 1e-12 * mass);
        }
        print_message("%u frames, %u splits, %u pieces\n", frame, splits, pieces_of(world));
        assert_true(frame > 3 && frame < 240);
        assert_true(splits >= 9 && splits < 120); /* nine vertices are across it */
        sn_world_destroy(world);
    }
}

/* Blocks that fly apart: closed after every step, the same on threads and after loading, and momentum stays. */
static void test_random_tears_leave_closed_solids(void **state)
{
    (void)state;
    uint32_t splits = 0;
    for (uint64_t seed = 1; seed <= support_long(300, 6); ++seed) {
        sn_world *world[3];
        for (uint32_t w = 0; w < 3; ++w) {
            uint64_t same = seed * 77;
            world[w] = make_world(w == 1 ? 3 : 1);
            const block b = block_add(world[w], 3, 3, 2, 0.1, &same), d = block_add(world[w], 2, 2, 2, 0.05, &same);
            for (uint32_t i = 0; i < b.run.count; ++i) {
                const sn_vec3 x = sn_particle_position(world[w], sn_particles_at(b.run, i));
                assert_ok(world[w], sn_particle_set_velocity(world[w], sn_particles_at(b.run, i),
                                                             vec(40 * (double)x.x, 10 * (double)x.y, 5 * (double)x.z)));
            }
            set_moving(world[w], &d);
            set_strength(world[w], &b, 0.1, 0, (uint32_t)seed);
            set_strength(world[w], &d, 0.05, 0, (uint32_t)seed);
        }
        const tear_sums before = tear_sum(world[0]);
        for (uint32_t round = 0; round < 12; ++round) {
            for (uint32_t w = 0; w < 3; ++w) {
                if (w == 2) {
                    sn_snapshot *now = sn_world_save(world[2]);
                    assert_ok(world[2], sn_world_load(world[2], now));
                    sn_snapshot_destroy(now);
                }
                assert_ok(world[w], sn_world_step(world[w], real(1.0 / 240)));
            }
            uint32_t count;
            sn_world_tears(world[0], &count);
            splits += count;
            check_closed(world[0]);
            check_index(world[0]);
            assert_same_world(world[0], world[1]);
            assert_same_world(world[0], world[2]);
        }
        const tear_sums after = tear_sum(world[0]);
        assert_close(after.mass, before.mass, 1e-12 * before.mass);
        for (int k = 0; k < 3; ++k)
            assert_close(after.momentum[k], before.momentum[k],
                         1e-5 * before.mass * sqrt(2 * before.kinetic / before.mass));
        for (uint32_t w = 0; w < 3; ++w)
            sn_world_destroy(world[w]);
    }
    print_message("%u splits\n", splits);
    assert_true(splits > 100);
}

/* What a tear itself does: mass, momenta and energy are those of before, to the last bits. */
static void test_a_tear_keeps_all_sums(void **state)
{
    (void)state;
    uint32_t splits = 0;
    for (uint64_t seed = 1; seed <= support_rounds(40, 8); ++seed) {
        uint64_t same = seed;
        sn_world *world = make_world(1);
        const block b = block_add(world, 3, 3, 3, 0.1, &same);
        set_moving(world, &b);
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        set_strength(world, &b, 0.002, 0, (uint32_t)seed);
        sn_report energy[2];
        assert_true(sn_tear_begin(world));
        const tear_sums before = tear_sum(world);
        assert_ok(world, sn_world_report(world, &energy[0]));
        sn_tear_end(world);
        const tear_sums after = tear_sum(world);
        assert_ok(world, sn_world_report(world, &energy[1]));
        tear_assert_kept(&before, &after, 1e-12);
        assert_close(energy[1].kinetic, energy[0].kinetic, 1e-9 * energy[0].kinetic);
        assert_close(energy[1].elastic, energy[0].elastic, 1e-5 * energy[0].elastic);
        check_closed(world);
        uint32_t count;
        sn_world_tears(world, &count);
        splits += count;
        sn_world_destroy(world);
    }
    assert_true(splits > 20);
}

static bool refuse(void *context, const sn_tear *tear)
{
    assert_int_equal(tear->made.generation, 0);
    ++*(uint32_t *)context;
    return false;
}

/* What the caller refuses holds. */
static void test_refused_solids_hold(void **state)
{
    (void)state;
    uint64_t same = 9;
    uint32_t asked = 0;
    sn_world *world = make_world(1);
    const block b = block_add(world, 3, 3, 3, 0.1, &same);
    const uint32_t particles = sn_world_particle_count(world);
    set_moving(world, &b);
    set_strength(world, &b, 0.01, 0, 1);
    assert_ok(world, sn_world_set_tear_function(world, refuse, &asked));
    for (uint32_t i = 0; i < 10; ++i)
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
    assert_true(asked > 0);
    assert_int_equal(sn_world_particle_count(world), particles);
    check_closed(world);
    sn_world_destroy(world);
}

/* Coarse blocks that collide with themselves, turn fast and fall to pieces, and are cut meanwhile: many vertices of a
   cell part in one step, faces that opened before lie next to new ones, and cells are flat. */
static void test_pieces_that_turn_do_not_intersect(void **state)
{
    (void)state;
    uint32_t splits = 0, cuts = 0;
    const char *from = getenv("SINEW_SEED"); /* others */
    const uint64_t first = from ? strtoull(from, NULL, 10) : 1, worlds = support_long(1000, support_rounds(64, 3));
    for (uint64_t seed = first; seed < first + worlds; ++seed) {
        uint64_t random = seed * 31;
        sn_world *world = make_world(1);
        block b = block_add(world, 3, 2, 2, 0.2, &random);
        collide_with_itself(world, &b);
        const double turn = support_random_in(&random, 5, 60), fling = support_random_in(&random, 0, 10);
        for (uint32_t i = 0; i < b.run.count; ++i) {
            const sn_vec3 x = sn_particle_position(world, sn_particles_at(b.run, i));
            assert_ok(world, sn_particle_set_velocity(world, sn_particles_at(b.run, i),
                                                      vec(fling * (double)x.x - turn * (double)x.y,
                                                          fling * (double)x.y + turn * (double)x.x,
                                                          support_random_in(&random, -0.3, 0.3) * turn)));
        }
        set_strength(world, &b, 0.01, 0, (uint32_t)seed);
        const tear_sums whole = tear_sum(world);
        for (uint32_t frame = 0; frame < 10; ++frame) {
            uint32_t count;
            if (frame % 3 == 2) {
                const sn_cut_def def = random_plane(&random);
                sn_cut_info info;
                assert_ok(world, sn_world_cut(world, &def, &info));
                cuts += info.split > 0;
                if (sn_query_intersections(world, NULL, 0))
                    fail_msg("seed %u: a cut before frame %u made something intersect", (uint32_t)seed, frame);
            }
            assert_ok(world, sn_world_step(world, real(1.0 / 120)));
            sn_world_tears(world, &count);
            splits += count;
            if (sn_query_intersections(world, NULL, 0))
                fail_msg("seed %u: something intersects after frame %u", (uint32_t)seed, frame);
        }
        check_closed(world);
        const tear_sums after = tear_sum(world);
        assert_close(after.mass, whole.mass, 1e-9 * whole.mass);
        for (int k = 0; k < 3; ++k)
            assert_close(after.momentum[k], whole.momentum[k], 1e-5 * sqrt(2 * whole.kinetic * whole.mass));
        sn_world_destroy(world);
    }
    print_message("%u splits, %u cuts\n", splits, cuts);
    assert_true(splits > 20 * worlds && cuts > worlds / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_bar_is_pulled_in_two),
        cmocka_unit_test(test_random_tears_leave_closed_solids),
        cmocka_unit_test(test_a_tear_keeps_all_sums),
        cmocka_unit_test(test_refused_solids_hold),
        cmocka_unit_test(test_pieces_that_turn_do_not_intersect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

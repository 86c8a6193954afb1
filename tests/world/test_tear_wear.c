/* Fatigue: loads that come and go take strength away. */
#include "world/tear_meshes.h"

static sn_world *make_world(uint32_t threads)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.threads = threads;
    return support_world_from(&def);
}

/* A rod from a fixed place to one that is moved to and fro: strained by `strain` and let go, `cycles` times at most. Returns after how many it broke. */
static uint32_t cycles_of(double strain, double fatigue, uint32_t cycles, bool reload)
{
    sn_world *world = make_world(1);
    const sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
    const sn_particle b = sn_particle_add_at(world, vec(1, 0, 0), real(1));
    const sn_constraint rod = sn_constraint_add_distance(world, sn_at(a), sn_at(b), SN_MEASURE);
    assert_ok(world, sn_constraint_set_material(world, rod, (sn_material){real(1e-3), 1}));
    sn_tear_def def = sn_default_tear_def();
    def.strain = real(0.2);
    def.fatigue = real(fatigue);
    assert_ok(world, sn_constraints_set_tear(world, (sn_constraints){rod.kind, rod.index, 1, rod.generation}, &def));
    uint32_t done = 0;
    for (; done < cycles && sn_constraint_is_valid(world, rod); ++done)
        for (uint32_t i = 0; i < 8 && sn_constraint_is_valid(world, rod); ++i) {
            assert_ok(world, sn_particle_move_to(world, b, vec(1 + strain * (i < 4 ? i : 8 - i) / 4, 0, 0)));
            assert_ok(world, sn_world_step(world, real(1.0 / 60)));
            if (reload) {
                sn_snapshot *now = sn_world_save(world);
                assert_ok(world, sn_world_load(world, now));
                sn_snapshot_destroy(now);
            }
        }
    if (sn_constraint_is_valid(world, rod)) {
        sn_tear_def left;
        assert_ok(world, sn_constraint_read_tear(world, rod, &left));
        assert_true(fatigue > 0 ? left.strain < def.strain : left.strain == def.strain);
    }
    sn_world_destroy(world);
    return done;
}

static void test_a_rod_wears(void **state)
{
    (void)state;
    assert_int_equal(cycles_of(0.16, 0, 60, false), 60); /* it bears that for ever, */
    const uint32_t much = cycles_of(0.16, 0.05, 200, false), less = cycles_of(0.12, 0.05, 200, false);
    print_message("%u cycles of 0.8 of its strength, %u of 0.6\n", much, less);
    /* each costs 0.05 * 0.8^4 = 0.0205, until 0.2 is lost: the tenth cycle leaves less than 0.8, and the next one breaks it */
    assert_in_range(much, 10, 12);
    assert_in_range(less, 60, 66); /* 0.00648 each, until 0.4 is lost */
    assert_int_equal(cycles_of(0.16, 0.05, 200, true), much);
}

/* The same of a sheet: it holds the load that it is given, but not for ever; the same on threads and after loading. */
static void test_a_sheet_wears(void **state)
{
    (void)state;
    uint32_t first[2] = {0, 0};
    for (uint32_t wears = 0; wears < 2; ++wears) {
        sn_world *world[3];
        tear_sheet sheet = {0};
        for (uint32_t w = 0; w < 3; ++w) {
            world[w] = make_world(w == 1 ? 3 : 1);
            sheet = tear_sheet_add(world[w], 9, 9, 0.1, 0.01, 1e-3, 0, 7);
            sn_tear_def def = sn_default_tear_def();
            def.strain = real(0.3);
            def.spread = real(0.1);
            def.fatigue = real(wears ? 0.5 : 0);
            assert_ok(world[w], sn_skin_set_tear(world[w], sheet.skin, &def));
        }
        for (uint32_t frame = 0; frame < 160 && !first[wears]; ++frame) {
            const double by = 0.014 * (frame % 8 < 4 ? frame % 8 : 8 - frame % 8);
            for (uint32_t w = 0; w < 3; ++w) {
                for (uint32_t c = 0; c < 9; ++c)
                    for (uint32_t k = 0; k < 2; ++k) {
                        const sn_particle p = sn_particle_from_index(world[w], tear_at(&sheet, c, k ? 8 : 0));
                        assert_ok(world[w], sn_particle_move_to(world[w], p, vec(0.1 * c, k ? 0.8 + by : -by, 0)));
                    }
                if (w == 2) {
                    sn_snapshot *now = sn_world_save(world[2]);
                    assert_ok(world[2], sn_world_load(world[2], now));
                    sn_snapshot_destroy(now);
                }
                assert_ok(world[w], sn_world_step(world[w], real(1.0 / 60)));
            }
            uint32_t count;
            sn_world_tears(world[0], &count);
            first[wears] = count ? frame + 1 : 0;
            assert_same_world(world[0], world[1]);
            assert_same_world(world[0], world[2]);
        }
        for (uint32_t w = 0; w < 3; ++w)
            sn_world_destroy(world[w]);
    }
    print_message("torn in frame %u with fatigue, %u without (0: never)\n", first[1], first[0]);
    assert_int_equal(first[0], 0);
    assert_true(first[1] > 8);
}

static void test_nonsense_is_refused(void **state)
{
    (void)state;
    sn_world *world = make_world(1);
    const tear_sheet sheet = tear_sheet_add(world, 3, 3, 0.1, 0.01, 1e-3, 0, 7);
    const uint64_t before = sn_world_hash(world);
    static const double bad[] = {-0.1, 1.01, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < COUNT_OF(bad); ++i) {
        sn_tear_def def = sn_default_tear_def();
        def.strain = real(0.3);
        def.fatigue = (sn_real)bad[i];
        assert_int_equal(sn_skin_set_tear(world, sheet.skin, &def), SN_ERROR_ARGUMENT);
        assert_says(sn_world_error(world), "fatigue between 0 and 1");
    }
    assert_int_equal(sn_world_hash(world), before);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_rod_wears),
        cmocka_unit_test(test_a_sheet_wears),
        cmocka_unit_test(test_nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

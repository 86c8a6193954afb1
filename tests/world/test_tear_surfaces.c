/* Cloth that collides with itself, torn and cut at random: what did not intersect does not afterwards. The same on threads, and saved and loaded between. */
#include "world/tear_meshes.h"

static sn_world *make_world(uint32_t threads)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, -9.81, 0);
    def.threads = threads;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world), SN_OK);
    return world;
}

/* Two sheets, one over the other, as one skin each; some are curved, so that blades meet them twice. */
static void add_sheets(sn_world *world, uint64_t *random, tear_sheet s[2])
{
    const double thickness = support_random_in(random, 0.001, 0.01), bent = support_random_in(random, 0, 3);
    for (uint32_t i = 0; i < 2; ++i) {
        s[i] = tear_sheet_add(world, 4 + support_random_below(random, 6), 4 + support_random_below(random, 6), 0.1,
                              support_random_in(random, 0.005, 0.1), support_random_below(random, 2) ? 1e-4 : 1e-3,
                              -support_random_in(random, 0, 0.2), *random);
        for (uint32_t k = 0; k < s[i].run.count; ++k) {
            const sn_particle p = sn_particles_at(s[i].run, k);
            const sn_vec3 x = sn_particle_position(world, p);
            const double z = bent * (double)x.x * (double)x.x + 0.15 * i;
            assert_ok(world, sn_particle_set_position(world, p, vec((double)x.x, (double)x.y, z)));
        }
        uint32_t count;
        const uint32_t *corner = sn_skin_triangles(world, s[i].skin, &count);
        uint32_t *triangle = malloc(3 * count * sizeof *triangle);
        memcpy(triangle, corner, 3 * count * sizeof *triangle);
        assert_ok(world, sn_skin_remove(world, s[i].skin));
        sn_skin_def def = sn_default_skin_def();
        def.triangles = triangle, def.triangle_count = count;
        def.thickness = real(thickness), def.self_collision = true;
        assert_ok(world, sn_skin_add(world, &def, &s[i].skin));
        free(triangle);
    }
}

/* Whether something is held: then a cut beside it gives the support an impulse. */
static bool throw_sheets(sn_world *world, uint64_t *random, const tear_sheet s[2])
{
    const double fast = support_random_in(random, 0, 6), held = support_random_below(random, 2);
    for (uint32_t i = 0; i < 2; ++i) {
        sn_tear_def tear = sn_default_tear_def();
        tear.strain = real(support_random_in(random, 0.05, 0.3));
        tear.spread = real(support_random_in(random, 0, 0.9));
        tear.seed = (uint32_t)*random;
        assert_ok(world, sn_skin_set_tear(world, s[i].skin, &tear));
        for (uint32_t k = 0; k < s[i].run.count; ++k) {
            const sn_particle p = sn_particles_at(s[i].run, k);
            const sn_vec3 v = vec(support_random_in(random, -fast, fast), support_random_in(random, -fast, fast),
                                  support_random_in(random, -fast, fast));
            assert_ok(world, sn_particle_set_velocity(world, p, v));
            if (held > 0 && k + s[i].columns >= s[i].run.count)
                assert_ok(world, sn_particle_set_mass(world, p, SN_IMMOVABLE));
        }
    }
    return held > 0;
}

static sn_vec3 any_place(uint64_t *random)
{
    return vec(support_random_in(random, -0.3, 1), support_random_in(random, -0.3, 1),
               support_random_in(random, -0.6, 0.6));
}

static void reload(sn_world *world)
{
    sn_snapshot *saved = sn_world_save(world);
    assert_non_null(saved);
    assert_ok(world, sn_world_load(world, saved));
    sn_snapshot_destroy(saved);
}

/* A sweep goes on from where the last blade ended in every other round. */
static sn_cut_def any_cut(uint64_t *random, uint32_t round, sn_vec3 end[2])
{
    sn_cut_def def = sn_default_cut_def();
    def.blade = (sn_blade)support_random_below(random, 3);
    def.a = any_place(random), def.b = any_place(random);
    def.to_a = any_place(random), def.to_b = any_place(random);
    def.edges_only = support_random_below(random, 3) == 0;
    if (round && support_random_below(random, 2)) {
        def.blade = SN_BLADE_SEGMENT;
        def.a = end[0], def.b = end[1];
    }
    end[0] = def.to_a, end[1] = def.to_b;
    return def;
}

static void test_nothing_intersects_that_did_not(void **state)
{
    (void)state;
    uint32_t tears = 0, cuts = 0, met = 0;
    const uint32_t worlds = support_long(1000, support_rounds(1, 0) ? 12 : 4);
    const char *from = getenv("SINEW_SEED"); /* others */
    const uint64_t first_seed = from ? strtoull(from, NULL, 10) : 1;
    for (uint64_t seed = first_seed; seed < first_seed + worlds; ++seed) {
        const uint32_t copies = seed % 4 == 1 ? 3 : 1; /* on three threads, and saved and loaded before every step */
        uint64_t random = 0;
        bool held = false;
        sn_vec3 end[2] = {{0}};
        sn_world *world[3];
        for (uint32_t w = 0; w < copies; ++w) {
            tear_sheet s[2];
            random = seed * 91;
            world[w] = make_world(w == 1 ? 3 : 1);
            add_sheets(world[w], &random, s);
            held = throw_sheets(world[w], &random, s);
        }
        assert_int_equal(sn_query_intersections(world[0], NULL, 0), 0);
        for (uint32_t round = 0; round < 10; ++round) {
            const sn_cut_def def = any_cut(&random, round, end);
            for (uint32_t w = 0; w < copies; ++w) {
                sn_cut_info info;
                const tear_sums before = tear_sum(world[w]);
                assert_ok(world[w], sn_world_cut(world[w], &def, &info));
                const tear_sums after = tear_sum(world[w]);
                if (!held)
                    tear_assert_kept(&before, &after, SINEW_DOUBLE ? 1e-12 : 4e-7);
                if (sn_query_intersections(world[w], NULL, 0))
                    fail_msg("seed %u: a cut made something intersect, in round %u", (uint32_t)seed, round);
                met += info.split > 0;
                ++cuts;
                for (uint32_t frame = 0; frame < 2; ++frame) {
                    uint32_t count;
                    if (w == 2)
                        reload(world[2]);
                    assert_ok(world[w], sn_world_step(world[w], real(1.0 / 60)));
                    sn_world_tears(world[w], &count);
                    if (sn_query_intersections(world[w], NULL, 0))
                        fail_msg("seed %u: %u triangles intersect after round %u, step %u, which tore %u",
                                 (uint32_t)seed, sn_query_intersections(world[w], NULL, 0), round, frame, count);
                    tears += count;
                }
                tear_check(world[w]);
                if (w)
                    assert_same_world(world[0], world[w]);
            }
        }
        for (uint32_t w = 0; w < copies; ++w)
            sn_world_destroy(world[w]);
    }
    assert_true(tears > 2 * worlds && met > worlds);
    printf("%u worlds, %u cuts, %u of which parted something, %u tears\n", worlds, cuts, met, tears);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_intersects_that_did_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Blades that are swept piece by piece, through sheets at rest and through moving ones. */
#include "world/tear_meshes.h"

#define SIDE 15u /* vertices */

static sn_world *make_world(void)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.threads = 1;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world), SN_OK);
    return world;
}

/* A sheet. One that moves hangs from its upper edge, is pulled aside, and begins with this speed, m/s, in a random direction and a turn. */
static sn_world *make_to_sweep(uint32_t round, bool moves, double speed)
{
    sn_world *world = make_world();
    uint64_t random = 1000 + round;
    const tear_sheet s = tear_sheet_add(world, SIDE, SIDE, 0.1, 0.01, 1e-4, round % 3 ? -0.15 : 0, round);
    const double x = support_random_in(&random, -1, 1), y = support_random_in(&random, -1, 1),
                 z = support_random_in(&random, -1, 1), turn = speed * support_random_in(&random, -0.5, 0.5),
                 per = speed / (sqrt(x * x + y * y + z * z) + 1e-6);
    for (uint32_t i = 0; i < SIDE * SIDE && moves; ++i) {
        const sn_particle p = sn_particles_at(s.run, i);
        const sn_vec3 at = sn_particle_position(world, p);
        if (i >= (SIDE - 1) * SIDE)
            assert_ok(world, sn_particle_set_mass(world, p, SN_IMMOVABLE));
        else
            assert_ok(world, sn_particle_set_velocity(world, p, vec(per * x, per * y, per * z + turn * ((double)at.x - 0.7))));
    }
    sn_settings settings = sn_world_settings(world);
    settings.gravity = vec(0, moves ? -9.81 : 0, moves ? 1 : 0);
    assert_ok(world, sn_world_configure(world, &settings));
    return world;
}

static double farthest(const sn_world *world)
{
    double most = 0;
    for (uint32_t i = 0; i < world->particles.table.count; ++i)
        most = fmax(most, (double)world->particles.x[i].x);
    return most;
}

/* A way of two straight parts across a sheet that a segment goes along in short pieces, with so many steps after each, until the sheet is behind it. reload: the world is saved and loaded before each. In how many pieces the sheet is then. */
static uint32_t sweep_across(sn_world *world, uint64_t *random, double wide, uint32_t steps, bool reload)
{
    const double y[3] = {support_random_in(random, 0.2, wide - 0.2), support_random_in(random, 0.2, wide - 0.2),
                         support_random_in(random, 0.2, wide - 0.2)},
                 middle = support_random_in(random, 0.3, wide - 0.3), by = support_random_in(random, 0.02, 0.14);
    sn_cut_def def = sn_default_cut_def();
    def.to_a = vec(-0.11, y[0], -2), def.to_b = vec(-0.11, y[0], 2);
    while ((double)def.to_a.x < fmin(fmax(wide, farthest(world)) + 0.1, 2 * wide)) {
        const double x = (double)def.to_a.x + by;
        const double at = x < middle ? y[0] + (y[1] - y[0]) * (x + 0.11) / (middle + 0.11)
                                     : y[1] + (y[2] - y[1]) * (x - middle) / (wide + 0.2 - middle);
        def.a = def.to_a, def.b = def.to_b;
        def.to_a = vec(x, at, -2), def.to_b = vec(x, at, 2);
        sn_snapshot *saved = reload ? sn_world_save(world) : NULL;
        if (saved)
            assert_ok(world, sn_world_load(world, saved));
        sn_snapshot_destroy(saved);
        assert_ok(world, sn_world_cut(world, &def, NULL));
        for (uint32_t i = 0; i < steps; ++i)
            assert_ok(world, sn_world_step(world, real(1.0 / 60)));
    }
    return tear_pieces(world);
}

/* Triangles of pieces that are smaller than a tenth of the sheet. */
static uint32_t crumbs(const sn_world *world)
{
    (void)world;
    return 0;
}

static void test_try(void **state)
{
    (void)state;
    const double speed[4] = {0, 0, 1, 3};
    for (uint32_t k = 0; k < 4; ++k) {
        uint32_t bridges = 0, open = 0, more = 0, other = 0;
        const uint32_t n = getenv("TRY") ? (uint32_t)atoi(getenv("TRY")) : 400;
        for (uint32_t round = 0; round < n; ++round) {
            uint64_t random = 50 + round;
            sn_world *world = make_to_sweep(round, k > 0, speed[k]);
            const uint32_t pieces = sweep_across(world, &random, 1.4, k > 0, false);
            uint32_t tips = 0;
            const sn_tear_tip *tip = world->tearing.tip_table.column[0];
            for (uint32_t i = 0; i < world->tearing.tip_table.count; ++i)
                if (sn_particle_is_valid(world, tip[i].vertex)) {
                    tips++;
                    if (getenv("TIPS")) {
                        const sn_vec3 x = sn_particle_position(world, tip[i].vertex);
                        uint32_t place[64];
                        printf("tip %u (%g %g %g) from %d fan %u\n", tip[i].vertex.index, (double)x.x, (double)x.y, (double)x.z, (int)tip[i].from.generation, sn_tear_index(world) ? sn_tear_triangles_at(world, tip[i].vertex.index, place, 64) : 0);
                    }
                }
            bridges += pieces < 2, open += tips > 0, more += pieces > 2;
            if (getenv("TELL") && (pieces < 2 || tips || pieces > 2))
                printf("k %u round %u pieces %u tips %u\n", k, round, pieces, tips);
            tear_check(world);
            sn_world_destroy(world);
        }
        printf("moves %d speed %g: of %u: one piece %u, tips %u, crumbs %u %u\n", k > 0, speed[k], n, bridges, open, more, other);
    }
    (void)crumbs;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_try)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

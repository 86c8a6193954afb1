/* The order there and back: every constraint once, a function of the constraints' particles, built anew after every
   edit and only then. */
#include "support/support.h"

#include "solvers/order.h"
#include "world/world.h"

enum { SIDE = 12 };

/* The order is that of SN_SOLVER_GAUSS_SEIDEL. */
static sn_world *reference_world(void)
{
    sn_world_def def = sn_default_world_def();
    def.settings.solver = SN_SOLVER_GAUSS_SEIDEL;
    return support_world_from(&def);
}

static sn_particles add_grid(sn_world *world)
{
    sn_real xyz[3 * SIDE * SIDE];
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        xyz[3 * i] = real(i % SIDE);
        xyz[3 * i + 1] = 0;
        xyz[3 * i + 2] = real(i / SIDE);
    }
    return sn_particles_add(world, SIDE * SIDE, xyz, 0, 1);
}

static sn_constraint add_rod(sn_world *world, uint32_t a, uint32_t b)
{
    return sn_constraint_add_distance(world, sn_at(sn_particle_from_index(world, a)),
                                      sn_at(sn_particle_from_index(world, b)), SN_MEASURE);
}

/* The edges of a grid, vertex by vertex. */
static uint32_t list_edges(uint32_t edge[][2])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        bool right = i % SIDE + 1 < SIDE, down = i + SIDE < SIDE * SIDE;
        const uint32_t to[3] = {i + 1, i + SIDE, i + SIDE + 1};
        const bool there[3] = {right, down, right && down};
        for (uint32_t k = 0; k < 3; ++k)
            if (there[k]) {
                edge[count][0] = i;
                edge[count++][1] = to[k];
            }
    }
    return count;
}

static void shuffle(uint32_t edge[][2], uint32_t count, uint64_t seed)
{
    for (uint32_t i = count - 1; i > 0; --i) {
        uint32_t j = support_random_below(&seed, i + 1), swap[2];
        memcpy(swap, edge[i], sizeof swap);
        memcpy(edge[i], edge[j], sizeof swap);
        memcpy(edge[j], swap, sizeof swap);
    }
}

static sn_world *cloth_in(sn_world *world, uint64_t seed)
{
    uint32_t edge[3 * SIDE * SIDE][2], count = list_edges(edge);
    add_grid(world);
    if (seed)
        shuffle(edge, count, seed);
    assert_int_equal(sn_constraints_add_kind(world, SN_KIND_DISTANCE, count, edge[0], NULL, NULL).count, count);
    return world;
}

static sn_world *cloth(uint64_t seed)
{
    return cloth_in(reference_world(), seed);
}

static const sn_visit *build(sn_world *world)
{
    assert_true(sn_order_build(&world->scratch, &world->allocator, &world->constraints));
    return world->scratch.visit_table.column[0];
}

static uint32_t visit_count(sn_world *world)
{
    build(world);
    return world->scratch.visit_table.count;
}

static uint32_t live_rows(const sn_world *world)
{
    uint32_t count = 0;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind)
        if (!world->constraints.pool[kind]->kind->force)
            count += world->constraints.pool[kind]->ids.live;
    return count;
}

/* Every constraint that is projected is in the order once, and nothing else. */
static void assert_complete(sn_world *world)
{
    const sn_visit *visit = build(world);
    uint32_t count = visit_count(world);
    assert_int_equal(count, live_rows(world));
    for (uint32_t i = 0; i < count; ++i) {
        assert_true(sn_ids_is_live(&world->constraints.pool[visit[i].kind]->ids, visit[i].row));
        for (uint32_t j = 0; j < i; ++j)
            assert_false(visit[i].kind == visit[j].kind && visit[i].row == visit[j].row);
    }
}

/* The particles of the i-th visit to a distance. */
static const uint32_t *visited(sn_world *world, uint32_t i)
{
    const sn_visit *visit = build(world);
    return world->constraints.pool[visit[i].kind]->point + 2 * (size_t)visit[i].row;
}

/* ---- What the order is ------------------------------------------------------------------------------------------- */

static void every_constraint_once(void **state)
{
    (void)state;
    sn_world *world = reference_world();
    assert_complete(world);
    sn_world_destroy(world);
    world = cloth(0);
    assert_complete(world);
    sn_world_destroy(world);
}

/* Kinds of one particle, of two and of many, spots, and a spring, which is a force and not projected. */
static void kinds_mix(void **state)
{
    (void)state;
    sn_world *world = reference_world();
    sn_particles grid = add_grid(world);
    const sn_real stiffness[] = {real(1), real(100), real(0)};
    const uint32_t spring[] = {3, 4};
    sn_point spot = sn_on_triangle(sn_particles_at(grid, 20), sn_particles_at(grid, 21), sn_particles_at(grid, 33),
                                   real(0.25), real(0.25), real(0.5));
    for (uint32_t i = 0; i < 10; ++i) {
        sn_constraint_add_pin(world, sn_particles_at(grid, 50 - i));
        add_rod(world, i, i + 1);
        sn_constraint_add_distance(world, spot, sn_at(sn_particles_at(grid, 60 + i)), SN_MEASURE);
        sn_constraint_add_half_space(world, spot, vec(0, 0, 0), vec(0, 1, 0));
        sn_constraints_add_kind(world, SN_KIND_SPRING, 1, spring, stiffness, NULL);
    }
    assert_true(sn_world_constraint_count(world, SN_KIND_NONE) > 40);
    assert_complete(world);
    sn_world_destroy(world);
}

/* Up, down, and both about equally often; each way by the lower number, then by the higher one. */
static void goes_there_and_back(void **state)
{
    (void)state;
    sn_world *world = cloth(7);
    uint32_t count = visit_count(world), turn = 0;
    for (uint32_t i = 1; i < count && !turn; ++i)
        if (visited(world, i)[0] < visited(world, i - 1)[0])
            turn = i;
    assert_true(turn > 0.4 * count && turn < 0.6 * count);
    for (uint32_t i = 1; i < count; ++i) {
        const uint32_t *p = visited(world, i - 1), *q = visited(world, i);
        bool up = p[0] < q[0] || (p[0] == q[0] && p[1] < q[1]);
        assert_true(i == turn || up == (i < turn));
    }
    sn_world_destroy(world);
}

/* A rope, a branch and two loose rods have no loop: all on the way there. One more rod closes a loop. */
static void bodies_without_loops_go_there(void **state)
{
    (void)state;
    sn_world *world = reference_world();
    add_grid(world);
    for (uint32_t i = 60; i-- > 0;)
        add_rod(world, i, i + 1);
    add_rod(world, 20, 80);
    add_rod(world, 100, 101);
    add_rod(world, 103, 104);
    for (uint32_t i = 1; i < visit_count(world); ++i)
        assert_true(visited(world, i - 1)[0] <= visited(world, i)[0]);
    sn_constraint last = add_rod(world, 60, 80);
    uint32_t down = 0;
    for (uint32_t i = 1; i < visit_count(world); ++i)
        down += visited(world, i - 1)[0] > visited(world, i)[0];
    assert_true(down > 10);
    assert_ok(world, sn_constraint_remove(world, last));
    for (uint32_t i = 1; i < visit_count(world); ++i)
        assert_true(visited(world, i - 1)[0] <= visited(world, i)[0]);
    sn_world_destroy(world);
}

/* What holds one particle to the world has the last word: after a pass the planes hold exactly. */
static void single_particles_come_last(void **state)
{
    (void)state;
    sn_world *world = reference_world();
    sn_particles grid = add_grid(world);
    for (uint32_t i = 0; i < grid.count; ++i)
        sn_constraint_add_half_space(world, sn_at(sn_particles_at(grid, i)), vec(0, 0, 0), vec(0, 1, 0));
    for (uint32_t i = 0; i + 1 < grid.count; ++i)
        add_rod(world, i, i + 1);
    const sn_visit *visit = build(world);
    for (uint32_t i = 0; i < visit_count(world); ++i)
        assert_int_equal(visit[i].kind, i < grid.count - 1 ? SN_KIND_DISTANCE : SN_KIND_HALF_SPACE);
    for (uint32_t i = 0; i < grid.count; ++i)
        assert_int_equal(visit[grid.count - 1 + i].row, i); /* as they were added */
    support_run(world, 30, 1.0 / 60);
    for (uint32_t i = 0; i < grid.count; ++i)
        assert_true(sn_particle_position(world, sn_particles_at(grid, i)).y >= 0);
    sn_world_destroy(world);
}

/* When constraints were added does not matter: bit by bit the same motion. */
static void adding_order_does_not_matter(void **state)
{
    (void)state;
    sn_world *reference = cloth(0);
    support_run(reference, 20, 1.0 / 60);
    for (uint64_t seed = 1; seed < 5; ++seed) {
        sn_world *world = cloth(seed);
        support_run(world, 20, 1.0 / 60);
        for (uint32_t i = 0; i < SIDE * SIDE; ++i)
            assert_vec_same(sn_particle_position(world, sn_particle_from_index(world, i)),
                            sn_particle_position(reference, sn_particle_from_index(reference, i)));
        sn_world_destroy(world);
    }
    sn_world_destroy(reference);
}

/* ---- When it is built --------------------------------------------------------------------------------------------- */

/* Built once, and again after an edit only. */
static void built_after_edits_only(void **state)
{
    (void)state;
    sn_world *world = cloth(3);
    support_run(world, 1, 0.01);
    assert_true(world->scratch.edits == world->constraints.edits);
    sn_visit *visit = world->scratch.visit_table.column[0], first = visit[0];
    visit[0] = visit[1]; /* a mark that a new build would remove */
    support_run(world, 3, 0.01);
    assert_int_equal(visit[0].row, visit[1].row);
    add_rod(world, 0, SIDE * SIDE - 1);
    support_run(world, 1, 0.01);
    visit = world->scratch.visit_table.column[0];
    assert_int_equal(visit[0].row, first.row);
    assert_complete(world);
    sn_world_destroy(world);
}

/* Any edits, and the order is the one that a world with the same constraints builds from nothing. */
static void follows_edits(void **state)
{
    (void)state;
    sn_world *world = cloth(0);
    uint64_t seed = 5;
    for (uint32_t round = 0; round < 30; ++round) {
        for (uint32_t i = 0; i < 12; ++i) { /* rows become free and are used again by other rods */
            uint32_t row = support_random_below(&seed, 300);
            sn_pool *pool = world->constraints.pool[SN_KIND_DISTANCE];
            if (sn_ids_is_live(&pool->ids, row))
                assert_ok(world, sn_constraint_remove(world, (sn_constraint){.kind = SN_KIND_DISTANCE,
                                                                             .index = row,
                                                                             .generation = pool->ids.generation[row]}));
        }
        for (uint32_t i = 0; i < 9; ++i) {
            uint32_t a = support_random_below(&seed, SIDE * SIDE - 1);
            add_rod(world, a, a + 1 + support_random_below(&seed, SIDE * SIDE - 1 - a));
        }
        if (round % 4 == 0)
            assert_ok(world, sn_particle_remove(world, sn_particle_from_index(world, round)));
        support_run(world, 1, 0.001);
        if (round % 4 == 0)
            sn_particle_add_at(world, vec(round, 1, 0), 1);
        assert_complete(world);
    }
    sn_world_destroy(world);
}

/* A constraint that is given other particles moves to another place in the order. */
static void follows_changed_points(void **state)
{
    (void)state;
    sn_world *world = reference_world();
    add_grid(world);
    sn_constraint rod = add_rod(world, 0, 1);
    add_rod(world, 5, 6);
    assert_int_equal(visited(world, 0)[0], 0);
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    const sn_point ends[2] = {sn_at(sn_particle_from_index(world, 8)), sn_at(sn_particle_from_index(world, 9))};
    def.points = ends;
    def.point_count = 2;
    assert_ok(world, sn_constraint_change(world, rod, &def));
    assert_int_equal(visited(world, 0)[0], 5);
    sn_world_destroy(world);
}

/* A snapshot brings its order along, into the world that made it and into another one, also when saving closed gaps. */
static void follows_snapshots(void **state)
{
    (void)state;
    sn_world *world = cloth(2), *other = cloth(9);
    support_run(world, 3, 0.01);
    support_run(other, 3, 0.01);
    for (uint32_t i = 0; i < SIDE; ++i)
        assert_ok(world, sn_particle_remove(world, sn_particle_from_index(world, 3 * i)));
    sn_snapshot *snapshot = sn_world_save(world);
    assert_non_null(snapshot);
    support_run(world, 10, 0.01);
    uint64_t hash = sn_world_hash(world);
    add_rod(world, 1, 143);
    support_run(world, 1, 0.01);
    for (uint32_t i = 0; i < 2; ++i) {
        sn_world *to = i ? other : world;
        assert_ok(to, sn_world_load(to, snapshot));
        support_run(to, 10, 0.01);
        assert_true(sn_world_hash(to) == hash);
        assert_complete(to);
    }
    sn_snapshot_destroy(snapshot);
    sn_world_destroy(world);
    sn_world_destroy(other);
}

/* Without memory for it a step fails and changes nothing; with it, it goes on as if nothing had been. */
static void survives_lack_of_memory(void **state)
{
    (void)state;
    sn_world *reference = cloth(1);
    support_run(reference, 1, 0.01);
    uint64_t hash = sn_world_hash(reference), refused = 0;
    sn_world_destroy(reference);
    for (uint64_t i = 1; refused == i - 1; ++i) {
        support_memory memory = {0};
        sn_world_def def = sn_default_world_def();
        def.allocator = support_allocator(&memory);
        def.settings.solver = SN_SOLVER_GAUSS_SEIDEL;
        sn_world *world = cloth_in(support_world_from(&def), 1);
        uint64_t before = sn_world_hash(world);
        memory.fail_at = memory.requests + i;
        sn_result result = sn_world_step(world, real(0.01));
        if (memory.failures) {
            ++refused;
            assert_result(world, SN_ERROR_MEMORY, result);
            assert_true(sn_world_hash(world) == before);
            assert_ok(world, sn_world_step(world, real(0.01)));
        }
        assert_true(sn_world_hash(world) == hash);
        sn_world_destroy(world);
        assert_memory_clean(&memory);
    }
    assert_true(refused >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_constraint_once),      cmocka_unit_test(kinds_mix),
        cmocka_unit_test(goes_there_and_back),        cmocka_unit_test(bodies_without_loops_go_there),
        cmocka_unit_test(single_particles_come_last), cmocka_unit_test(adding_order_does_not_matter),
        cmocka_unit_test(built_after_edits_only),     cmocka_unit_test(follows_edits),
        cmocka_unit_test(follows_changed_points),     cmocka_unit_test(follows_snapshots),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}

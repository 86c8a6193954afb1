/* The plan of SN_SOLVER_TILED: for bodies of every shape it is what plan.h says, as made, after edits, and after loading;
   it depends on constraints and edits alone; and memory that runs out harms nothing. */
#include "support/graphs.h"
#include "support/plan_check.h"

#include "world/world.h"

static sn_world_def plain_def(void)
{
    sn_world_def def = sn_default_world_def();
    def.threads = 1;
    return def;
}

static sn_world *make_world_with(sn_stiffening stiffening, uint32_t shape, uint32_t size, uint64_t seed)
{
    sn_world_def def = plain_def();
    def.settings.stiffening = stiffening;
    sn_world *world = support_world_from(&def);
    assert_true(sn_kind_register(world, &support_kind_gap) != 0);
    graph_shapes[shape].build(world, size, &seed);
    return world;
}

static sn_world *make_world(uint32_t shape, uint32_t size, uint64_t seed)
{
    return make_world_with(SN_STIFFENING_AUTO, shape, size, seed);
}

static bool is_wide(const sn_world *world)
{
    return world->wide != NULL;
}

/* ---- As made ------------------------------------------------------------------------------------------------------------ */

static void test_every_shape(void **state)
{
    (void)state;
    for (uint32_t shape = 0; shape < GRAPH_SHAPES; ++shape)
        for (uint32_t large = 0; large < 2; ++large) {
            sn_world *world = make_world(shape, large ? graph_shapes[shape].large : 300, 11);
            assert_planned(world, graph_shapes[shape].name);
            assert_true(world->plan.canonical);
            assert_ok(world, sn_world_replan(world));
            assert_planned(world, graph_shapes[shape].name);
            sn_world_destroy(world);
        }
}

/* Random sizes, so that tiles end anywhere. */
static void test_every_size(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (uint32_t shape = GRAPH_ROPE; shape < GRAPH_SHAPES; ++shape)
        for (uint32_t i = 0; i < 12; ++i) {
            uint32_t size = 2 + support_random_below(&seed, 700);
            sn_world *world = make_world(shape, size, seed);
            assert_planned(world, graph_shapes[shape].name);
            sn_world_destroy(world);
        }
}

/* Widths at which the neighbour above is in the next lane, or in the one after. */
static void test_grids_of_every_width(void **state)
{
    (void)state;
    for (uint32_t width = 2; width < 40; ++width)
        for (uint32_t height = 2; height < 40; height += height < 20 ? support_long(1, 3) : 5)
            for (uint32_t over_two = 0; over_two < 2; ++over_two) {
                sn_world_def def = plain_def();
                sn_world *world = support_world_from(&def);
                graph_grid(world, width, height, over_two);
                assert_planned(world, "a grid");
                sn_world_destroy(world);
            }
}

/* Also where the rows of a grid are as long as a lane, or half as long. */
static void test_narrow_grids_get_planes(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{32, 8}, {40, 16}, {33, 8}, {39, 16}};
    for (uint32_t i = 0; i < COUNT_OF(sizes); ++i) {
        sn_world_def def = plain_def();
        sn_world *world = support_world_from(&def);
        graph_grid(world, sizes[i][0], sizes[i][1], true);
        assert_planned(world, "a narrow grid");
        if (is_wide(world) && !(graph_share_in_planes(world) > 0.8))
            fail_msg("a grid of %u x %u has %.0f %% of its constraints in planes", sizes[i][0], sizes[i][1],
                     100 * graph_share_in_planes(world));
        sn_world_destroy(world);
    }
}

static void test_flat_worlds(void **state)
{
    (void)state;
    for (uint32_t shape = 0; shape < GRAPH_SHAPES; ++shape) {
        sn_world_def def = plain_def();
        def.dimensions = 2;
        sn_world *world = support_world_from(&def);
        uint64_t seed = 3;
        graph_shapes[shape].build(world, 400, &seed);
        assert_planned(world, graph_shapes[shape].name);
        for (uint32_t i = 0; i < 100; ++i) {
            graph_edit(world, &seed, true);
            assert_planned(world, graph_shapes[shape].name);
        }
        sn_world_destroy(world);
    }
}

static void test_regular_bodies_get_planes(void **state)
{
    (void)state;
    static const uint32_t regular[] = {GRAPH_ROPE, GRAPH_GRID, GRAPH_CLOTH, GRAPH_ROPES, GRAPH_CLOTHS};
    for (uint32_t i = 0; i < COUNT_OF(regular); ++i) {
        sn_world *world = make_world_with(SN_STIFFENING_OFF, regular[i], 9000, 2);
        if (!is_wide(world)) {
            sn_world_destroy(world);
            skip();
        }
        assert_planned(world, graph_shapes[regular[i]].name);
        double share = graph_share_in_planes(world);
        if (!(share > 0.8))
            fail_msg("%s has %.0f %% of its constraints in planes", graph_shapes[regular[i]].name, 100 * share);
        sn_world_destroy(world);
    }
    sn_world *world = make_world(GRAPH_SHUFFLED, 9000, 2);
    assert_planned(world, "a shuffled grid");
    assert_true(graph_share_in_planes(world) == 0);
    sn_world_destroy(world);
}

static void test_hubs(void **state)
{
    (void)state;
    sn_world_def def = plain_def();
    sn_world *world = support_world_from(&def);
    graph_star(world, 201);
    assert_planned(world, "a star of 200");
    assert_int_equal(world->plan.hub_table.count, 0);
    graph_star(world, 1001);
    assert_ok(world, sn_world_replan(world));
    assert_planned(world, "a star of 1000");
    assert_int_equal(world->plan.hub_table.count, 1000);
    sn_world_destroy(world);
}

/* ---- Edits -------------------------------------------------------------------------------------------------------------- */

/* Where there are trees, an edit of one makes the plan anew. */
static void edit_and_check_with(sn_stiffening stiffening, uint32_t shape, uint32_t size, uint32_t edits, bool rare)
{
    sn_world *world = make_world_with(stiffening, shape, size, shape + 1);
    uint64_t seed = 100 + shape;
    uint32_t followed = 0;
    assert_planned(world, graph_shapes[shape].name);
    for (uint32_t i = 0; i < edits; ++i) {
        graph_edit(world, &seed, rare);
        if (support_random_below(&seed, 3) == 0) /* several at once */
            continue;
        assert_planned(world, graph_shapes[shape].name);
        followed += !world->plan.canonical;
    }
    assert_true(followed > edits / 4 || stiffening == SN_STIFFENING_AUTO);
    assert_ok(world, sn_world_replan(world));
    assert_planned(world, graph_shapes[shape].name);
    assert_true(world->plan.canonical);
    sn_world_destroy(world);
}

static void edit_and_check(uint32_t shape, uint32_t size, uint32_t edits, bool rare)
{
    edit_and_check_with(SN_STIFFENING_AUTO, shape, size, edits / 2, rare);
    edit_and_check_with(SN_STIFFENING_OFF, shape, size, edits, rare);
}

static void test_thousands_of_edits(void **state)
{
    (void)state;
    for (uint32_t shape = 0; shape < GRAPH_SHAPES; ++shape)
        edit_and_check(shape, 300, support_long(1500, 400), shape % 2);
}

static void test_edits_of_large_worlds(void **state)
{
    (void)state;
    edit_and_check(GRAPH_GRID, 9000, 60, false);
    edit_and_check(GRAPH_SHUFFLED, 9000, 60, false);
    edit_and_check(GRAPH_MIXED, 3000, 100, true);
}

/* A plan that has been edited is as one made anew once replanned: nothing of the past is left. */
static void test_replanning_forgets(void **state)
{
    (void)state;
    for (uint32_t shape = GRAPH_ROPE; shape < GRAPH_SHAPES; ++shape) {
        sn_world *world = make_world(shape, 400, 8), *other = make_world(shape, 400, 8);
        uint64_t seed = 9;
        assert_planned(world, graph_shapes[shape].name);
        for (uint32_t i = 0; i < 100; ++i) {
            uint64_t same = seed;
            graph_edit(world, &seed, false);
            graph_edit(other, &same, false);
            assert_int_equal(seed, same);
            assert_planned(world, graph_shapes[shape].name);
        }
        assert_ok(world, sn_world_replan(world));
        assert_planned(world, graph_shapes[shape].name);
        assert_planned(other, graph_shapes[shape].name);
        assert_same_plan(world, other, graph_shapes[shape].name);
        sn_world_destroy(world);
        sn_world_destroy(other);
    }
}

/* Trees that are solved directly are those of the new plan: a bob that became heavy makes one of a short rope. */
static void test_replanning_finds_trees_anew(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (uint32_t stepped = 0; stepped < 2; ++stepped) {
        sn_world_def def = sn_default_world_def();
        sn_world *world = NULL;
        assert_int_equal(sn_world_create(&def, &world), SN_OK);
        sn_particle before = sn_particle_add_at(world, (sn_vec3){0, 0, 0}, 1), bob = before;
        assert_ok(world, sn_particle_set_mass(world, before, (sn_real)INFINITY));
        for (uint32_t i = 1; i < 6; ++i, before = bob) {
            bob = sn_particle_add_at(world, (sn_vec3){(sn_real)0.1 * (sn_real)i, 0, 0}, 1);
            assert_int_not_equal(sn_constraint_add_distance(world, sn_at(before), sn_at(bob), (sn_real)0.1).kind, 0);
        }
        sn_snapshot *start = sn_world_save(world);
        if (stepped)
            assert_ok(world, sn_world_step(world, (sn_real)0.01));
        assert_ok(world, sn_world_load(world, start));
        sn_snapshot_destroy(start);
        assert_ok(world, sn_particle_set_mass(world, bob, 1000));
        assert_ok(world, sn_world_replan(world));
        assert_ok(world, sn_world_step(world, (sn_real)0.01));
        assert_int_equal(world->plan.tree_table.count, 5);
        hash[stepped] = sn_world_hash(world);
        sn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

/* ---- What it depends on ------------------------------------------------------------------------------------------------- */

#define TWINS 6

/* Worlds that should be the same, of different threads and vectors. */
static uint32_t make_twins(sn_world **twin, support_tasks *tasks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < TWINS; ++i) {
        sn_world_def def = plain_def();
        def.simd = (sn_simd)(i % 5);
        def.threads = 1 + 3 * (i % 3);
        if (i == 5) {
            def.threads = 0;
            def.tasks = support_tasks_hook(tasks);
        }
        if (sn_world_def_check(&def, NULL, 0) == SN_OK)
            twin[count++] = support_world_from(&def);
    }
    return count;
}

static void test_same_edits_same_plan(void **state)
{
    (void)state;
    for (uint32_t shape = 0; shape < GRAPH_SHAPES; ++shape) {
        support_tasks tasks = {.mode = SUPPORT_TASKS_REVERSE};
        sn_world *twin[TWINS];
        uint32_t count = make_twins(twin, &tasks);
        uint64_t seed = 0;
        assert_true(count >= 2);
        for (uint32_t i = 0; i < count; ++i) {
            seed = 77;
            graph_shapes[shape].build(twin[i], 600, &seed);
        }
        for (uint32_t round = 0; round < 6; ++round) {
            uint64_t start = seed;
            for (uint32_t i = 0; i < count; ++i) {
                seed = start;
                for (uint32_t k = 0; k < 20 * round; ++k)
                    graph_edit(twin[i], &seed, true);
                assert_planned(twin[i], graph_shapes[shape].name);
                assert_same_plan(twin[0], twin[i], graph_shapes[shape].name);
            }
        }
        for (uint32_t i = 0; i < count; ++i)
            sn_world_destroy(twin[i]);
    }
}

/* Whether somebody looks between two edits must not matter: here, after each of them. */
static void look(sn_world *world, uint32_t how)
{
    if (how == 1)
        assert_true(sn_world_hash(world) != 0);
    if (how == 2) {
        sn_snapshot *snapshot = sn_world_save(world);
        assert_non_null(snapshot);
        sn_snapshot_destroy(snapshot);
    }
}

static void test_looking_changes_nothing(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 60; ++round) {
        sn_world *world[3];
        for (uint32_t how = 0; how < 3; ++how) {
            uint64_t seed = round;
            world[how] =
                make_world(round % 2 ? GRAPH_GRID : GRAPH_CLIQUES, 6, 1); /* few, so that they are edited often */
            assert_planned(world[how], "before");
            for (uint32_t i = 0; i < 40; ++i) {
                graph_edit(world[how], &seed, round % 3 == 0);
                look(world[how], how);
            }
            for (uint32_t i = 0; i < 300; ++i) {
                assert_true(sn_particle_add_at(world[how], vec(i, 0, 0), 1).generation != 0);
                look(world[how], i % 50 ? 0 : how);
            }
            for (uint32_t i = 0; i < 299; ++i) { /* enough to plan anew, had they stayed */
                uint32_t last = world[how]->particles.index[world[how]->particles.table.count - 1];
                assert_ok(world[how], sn_particle_remove(world[how], sn_particle_from_index(world[how], last)));
            }
            assert_planned(world[how], "after");
            assert_same_plan(world[0], world[how], how == 1 ? "hashed" : "saved");
            assert_int_equal(sn_world_hash(world[0]), sn_world_hash(world[how]));
        }
        for (uint32_t how = 0; how < 3; ++how)
            sn_world_destroy(world[how]);
    }
}

/* ---- Snapshots ------------------------------------------------------------------------------------------------------------ */

static void edit(sn_world *world, uint64_t *seed, uint32_t count, bool rare)
{
    for (uint32_t i = 0; i < count; ++i)
        graph_edit(world, seed, rare);
}

/* One world goes on; another comes back to where the first was saved, and goes the same way. A third, of another past,
   takes over. */
static void save_and_load(uint32_t shape, uint32_t before, uint64_t seed)
{
    const char *name = graph_shapes[shape].name;
    sn_world *world = make_world(shape, 400, 4), *other = make_world(GRAPH_CLOTH, 300, 5);
    assert_planned(world, name);
    assert_planned(other, name);
    edit(world, &seed, before, false);
    if (before > 20)
        assert_planned(world, name); /* otherwise edits are saved that no plan has followed */
    sn_snapshot *snapshot = sn_world_save(world);
    assert_non_null(snapshot);
    uint64_t hash = sn_world_hash(world), same = seed, aside = 99;
    edit(world, &seed, 10, false);
    assert_planned(world, name);
    sn_world *first = make_world(shape, 400, 4);
    assert_ok(first, sn_world_load(first, snapshot));
    for (uint32_t i = 0; i < 2; ++i) {
        sn_world *loaded = i ? other : first;
        assert_ok(loaded, sn_world_load(loaded, snapshot));
        assert_int_equal(sn_world_hash(loaded), hash);
        assert_planned(loaded, name);
        edit(loaded, &aside, 15, true);
        assert_planned(loaded, name);
        assert_ok(loaded, sn_world_load(loaded, snapshot));
        uint64_t again = same;
        edit(loaded, &again, 10, false);
        assert_planned(loaded, name);
        assert_same_plan(world, loaded, name);
        assert_int_equal(sn_world_hash(loaded), sn_world_hash(world));
    }
    sn_snapshot_destroy(snapshot);
    sn_world_destroy(world);
    sn_world_destroy(first);
    sn_world_destroy(other);
}

static void test_save_and_load(void **state)
{
    (void)state;
    for (uint32_t shape = 0; shape < GRAPH_SHAPES; ++shape)
        for (uint32_t before = 0; before < 60; before += 15)
            save_and_load(shape, before, shape + 1000 * before);
}

/* Back to the same constraints, but storage has changed: a particle that no constraint held is gone. */
static void test_load_where_particles_differ(void **state)
{
    (void)state;
    sn_world *world = make_world(GRAPH_EMPTY, 0, 1);
    sn_particle loose = sn_particle_add_at(world, vec(0, 5, 0), 1);
    uint64_t seed = 1;
    graph_shapes[GRAPH_SHUFFLED].build(world, 200, &seed);
    assert_planned(world, "with a loose particle");
    sn_snapshot *snapshot = sn_world_save(world);
    assert_ok(world, sn_particle_remove(world, loose));
    assert_planned(world, "without it");
    sn_snapshot *without = sn_world_save(world);
    assert_ok(world, sn_world_load(world, snapshot));
    assert_planned(world, "with it again");
    assert_ok(world, sn_world_load(world, without));
    assert_planned(world, "without it again");
    sn_snapshot_destroy(snapshot);
    sn_snapshot_destroy(without);
    sn_world_destroy(world);
}

/* Back to a plan in which a constraint was in a batch that now is not, or the other way round. */
static void test_load_where_constraints_give_differently(void **state)
{
    (void)state;
    for (uint32_t soft_first = 0; soft_first < 2; ++soft_first) {
        sn_world *world = make_world(GRAPH_GRID, 200, 1), *other = make_world(GRAPH_GRID, 200, 1);
        sn_constraint rod = {SN_KIND_DISTANCE, 7, world->constraints.pool[SN_KIND_DISTANCE]->ids.generation[7]};
        sn_real k[2] = {soft_first ? real(0.5) : 1, soft_first ? 1 : real(0.5)};
        assert_ok(world, sn_constraint_set_stiffness(world, rod, k[0]));
        assert_ok(other, sn_constraint_set_stiffness(other, rod, k[0]));
        assert_planned(world, "a grid");
        assert_planned(other, "the same");
        sn_snapshot *snapshot = sn_world_save(world);
        assert_ok(world, sn_constraint_set_stiffness(world, rod, k[1]));
        assert_ok(world, sn_world_replan(world));
        assert_ok(world, sn_world_load(world, snapshot));
        assert_planned(world, "back");
        assert_same_plan(world, other, "as it was saved");
        sn_snapshot_destroy(snapshot);
        sn_world_destroy(world);
        sn_world_destroy(other);
    }
}

/* A world that had dampers goes on as it is; so must one that is loaded from it. */
static void test_dampers_that_are_gone(void **state)
{
    (void)state;
    sn_world *world = make_world(GRAPH_GRID, 200, 1), *other = make_world(GRAPH_GRID, 200, 1);
    sn_constraint rod = {SN_KIND_DISTANCE, 7, world->constraints.pool[SN_KIND_DISTANCE]->ids.generation[7]};
    assert_ok(world, sn_constraint_set_material(world, rod, (sn_material){real(1e-3), 1}));
    assert_planned(world, "with a damper");
    assert_ok(world, sn_constraint_set_material(world, rod, (sn_material){real(1e-3), 0}));
    assert_planned(world, "without");
    sn_snapshot *snapshot = sn_world_save(world);
    assert_ok(other, sn_world_load(other, snapshot));
    assert_planned(other, "loaded");
    assert_same_plan(world, other, "loaded");
    sn_snapshot_destroy(snapshot);
    sn_world_destroy(world);
    sn_world_destroy(other);
}

/* Particles that came late with low numbers move the cuts between tiles, once everything is planned anew. */
static void test_newcomers_are_saved(void **state)
{
    (void)state;
    sn_world *world = make_world(GRAPH_EMPTY, 0, 1), *other = make_world(GRAPH_EMPTY, 0, 1);
    sn_particle low = sn_particle_add_at(world, vec(0, 9, 0), 1);
    uint64_t seed = 5;
    graph_shapes[GRAPH_SHUFFLED].build(world, 5000, &seed);
    assert_ok(world, sn_particle_remove(world, low));
    assert_planned(world, "a shuffled grid");
    assert_int_equal(sn_particle_add_at(world, vec(0, 9, 0), 1).index, low.index);
    assert_planned(world, "and a newcomer");
    sn_snapshot *snapshot = sn_world_save(world);
    assert_ok(other, sn_world_load(other, snapshot));
    assert_planned(other, "loaded");
    assert_same_plan(world, other, "loaded");
    sn_snapshot_destroy(snapshot);
    sn_world_destroy(world);
    sn_world_destroy(other);
}

/* ---- Memory --------------------------------------------------------------------------------------------------------------- */

static sn_world *make_in(support_memory *memory, uint32_t shape)
{
    sn_world_def def = plain_def();
    def.allocator = support_allocator(memory);
    sn_world *world = support_world_from(&def);
    uint64_t seed = 6;
    graph_shapes[shape].build(world, 400, &seed);
    return world;
}

/* Each request of a first step fails once, or is the first of many to fail. */
static void fail_each_request(uint32_t shape, bool ever_after)
{
    support_memory plain_memory = {0};
    sn_world *plain = make_in(&plain_memory, shape);
    support_run(plain, 1, 1.0 / 60);
    for (uint64_t request = 1 + ever_after;;
         request += support_long(1, 23)) { /* an odd number: even ones step, others replan */
        support_memory memory = {0};
        sn_world *world = make_in(&memory, shape);
        uint64_t hash = sn_world_hash(world);
        memory.fail_at = memory.requests + request;
        memory.fail_ever_after = ever_after;
        sn_result result = request % 2 ? sn_world_replan(world) : sn_world_step(world, real(1.0 / 60));
        bool refused = memory.failures > 0;
        memory.fail_at = 0;
        memory.fail_ever_after = false;
        assert_int_equal(result, refused ? SN_ERROR_MEMORY : SN_OK);
        if (refused)
            assert_int_equal(sn_world_hash(world), hash);
        assert_planned(world, graph_shapes[shape].name);
        if (refused || request % 2)
            support_run(world, 1, 1.0 / 60);
        assert_same_world(world, plain);
        assert_same_plan(world, plain, graph_shapes[shape].name);
        sn_world_destroy(world);
        assert_memory_clean(&memory);
        if (!refused && request % 2 == 0)
            break;
    }
    sn_world_destroy(plain);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    static const uint32_t shapes[] = {GRAPH_EMPTY, GRAPH_ONE, GRAPH_GRID, GRAPH_STAR, GRAPH_MIXED};
    for (uint32_t i = 0; i < COUNT_OF(shapes); ++i) {
        fail_each_request(shapes[i], false);
        fail_each_request(shapes[i], true);
    }
}

/* While following edits nothing is asked for: whether memory is short must not decide what comes out. */
static void test_following_asks_for_nothing(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world *world = make_in(&memory, GRAPH_GRID);
    uint64_t seed = 12;
    assert_planned(world, "a grid");
    for (uint32_t i = 0; i < 150; ++i) {
        graph_edit(world, &seed, false);
        uint64_t before = memory.requests;
        assert_planned(world, "a grid");
        assert_int_equal(memory.requests, before);
    }
    assert_false(world->plan.canonical);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

static bool is_good(const sn_world *world)
{
    char message[256];
    sn_plan_particles particles = {.count = world->particles.table.count,
                                   .numbers = world->ids.table.count,
                                   .slot = world->ids.value,
                                   .index = world->particles.index};
    return support_check_plan(&world->plan, &world->constraints, &particles, message, sizeof message);
}

/* Particles without constraints come last, whatever their numbers are. */
static void test_loose_particles_come_last(void **state)
{
    (void)state;
    sn_world_def def = plain_def();
    sn_world *world = support_world_from(&def);
    sn_particle last = {0, 0};
    uint32_t held = 0;
    for (uint32_t i = 0; i < 9000; ++i) {
        sn_particle p = sn_particle_add_at(world, vec(0.1 * (i % 90), 0.1 * (i / 90), 0), 1);
        if (i % 3 != 1)
            continue;
        if (held)
            sn_constraint_add_distance(world, sn_at(last), sn_at(p), real(0.3));
        last = p;
        ++held;
    }
    assert_planned(world, "grains and a rope");
    assert_int_equal(world->plan.loose, held);
    assert_int_equal(world->plan.particles, 9000);
    for (uint32_t slot = 0; slot < 9000; ++slot)
        assert_int_equal(world->particles.index[slot] % 3 == 1, slot < held);
    assert_ok(world, sn_particle_remove(world, last)); /* and the one before is still held */
    assert_planned(world, "one less");
    assert_int_equal(world->plan.loose, held - 1);
    world->plan.loose = held - 5;
    assert_false(is_good(world));
    sn_world_destroy(world);
}

/* ---- The check itself ------------------------------------------------------------------------------------------------------ */

/* Spoils one number of an array and puts it right again; returns how many times out of some nobody noticed. */
static uint32_t unnoticed(const sn_world *world, void *array, uint32_t count, size_t width, uint64_t *seed)
{
    uint32_t missed = 0;
    for (uint32_t i = 0; count && i < 40; ++i) {
        unsigned char *at = (unsigned char *)array + support_random_below(seed, count) * width, kept = *at;
        *at = (unsigned char)(kept ^ 1);
        missed += is_good(world);
        *at = kept;
    }
    return missed;
}

static void test_the_check_notices(void **state)
{
    (void)state;
    static const uint32_t shapes[] = {GRAPH_GRID, GRAPH_SHUFFLED, GRAPH_STAR, GRAPH_MIXED};
    for (uint32_t i = 0; i < COUNT_OF(shapes); ++i) {
        sn_world *world = make_world(shapes[i], 2500, 3);
        sn_plan *plan = &world->plan;
        uint64_t seed = 4;
        assert_planned(world, graph_shapes[shapes[i]].name);
        assert_int_equal(unnoticed(world, plan->mask, plan->mask_table.count, sizeof *plan->mask, &seed), 0);
        assert_int_equal(unnoticed(world, plan->offset, plan->offset_table.count, sizeof *plan->offset, &seed), 0);
        assert_int_equal(unnoticed(world, plan->list, plan->list_table.count, sizeof *plan->list, &seed), 0);
        assert_int_equal(unnoticed(world, plan->hub, plan->hub_table.count, sizeof *plan->hub, &seed), 0);
        assert_int_equal(unnoticed(world, plan->many, plan->many_table.count, sizeof *plan->many, &seed), 0);
        assert_int_equal(unnoticed(world, plan->visit, plan->visit_table.count, sizeof *plan->visit, &seed), 0);
        assert_int_equal(unnoticed(world, plan->tile, plan->tile_table.count, sizeof *plan->tile, &seed), 0);
        assert_int_equal(unnoticed(world, plan->layer, plan->layer_table.count, sizeof *plan->layer, &seed), 0);
        /* of empty lanes most numbers do not matter */
        assert_true(unnoticed(world, plan->near, plan->near_table.count, sizeof *plan->near, &seed) < 30);
        assert_true(unnoticed(world, plan->row, plan->row_table.count, sizeof *plan->row, &seed) < 30);
        assert_true(is_good(world));
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_shape),
        cmocka_unit_test(test_every_size),
        cmocka_unit_test(test_grids_of_every_width),
        cmocka_unit_test(test_narrow_grids_get_planes),
        cmocka_unit_test(test_flat_worlds),
        cmocka_unit_test(test_regular_bodies_get_planes),
        cmocka_unit_test(test_hubs),
        cmocka_unit_test(test_thousands_of_edits),
        cmocka_unit_test(test_edits_of_large_worlds),
        cmocka_unit_test(test_replanning_forgets),
        cmocka_unit_test(test_replanning_finds_trees_anew),
        cmocka_unit_test(test_same_edits_same_plan),
        cmocka_unit_test(test_looking_changes_nothing),
        cmocka_unit_test(test_save_and_load),
        cmocka_unit_test(test_load_where_particles_differ),
        cmocka_unit_test(test_load_where_constraints_give_differently),
        cmocka_unit_test(test_dampers_that_are_gone),
        cmocka_unit_test(test_newcomers_are_saved),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_following_asks_for_nothing),
        cmocka_unit_test(test_loose_particles_come_last),
        cmocka_unit_test(test_the_check_notices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

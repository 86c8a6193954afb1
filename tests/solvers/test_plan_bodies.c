/* The plan of a body is a function of that body alone: where it is cut, its colours and their order, and how its tiles are moved. Things
   elsewhere in the world change none of it. */
#include "support/graphs.h"

#include "world/world.h"

#include <stdlib.h>
#include <string.h>

#define SIDE      128u
#define PARTICLES (SIDE * SIDE)
#define MOST_RODS (4 * PARTICLES)
#define SPACING   ((sn_real)0.05)

typedef struct cloth {
    sn_world *world;
    sn_particles particles;
    sn_constraints rods;
} cloth;

/* What else is in the world. */
enum { ROD = 1, ROPE = 2, DAMPED = 4, USER = 8, LOOSE = 16, GRID = 32, OTHERS = 64 };

static sn_particle add_particle(sn_world *world, sn_real x, sn_real y)
{
    sn_particle p = sn_particle_add_at(world, (sn_vec3){x, y, 0}, 1);
    assert_true(p.generation != 0);
    return p;
}

static void add_pair(sn_world *world, uint32_t kind, sn_real y, sn_real compliance, sn_real damping)
{
    sn_point points[2] = {sn_at(add_particle(world, 0, y)), sn_at(add_particle(world, 1, y))};
    sn_constraint_def def = sn_default_constraint_def(kind);
    def.points = points;
    def.compliance = compliance;
    def.damping = damping;
    assert_ok(world, sn_constraint_add(world, &def, NULL));
}

static void add_rope(sn_world *world, uint32_t links)
{
    sn_particle last = add_particle(world, 0, 2);
    for (uint32_t i = 1; i < links; ++i) {
        sn_particle next = add_particle(world, (sn_real)i / 16, 2);
        assert_true(sn_constraint_add_distance(world, sn_at(last), sn_at(next), (sn_real)1 / 16).generation != 0);
        last = next;
    }
}

static void add_others(sn_world *world, uint32_t others)
{
    if (others & ROD)
        add_pair(world, SN_KIND_DISTANCE, 1, 0, 0);
    if (others & ROPE)
        add_rope(world, 40);
    if (others & DAMPED)
        add_pair(world, SN_KIND_DISTANCE, 3, (sn_real)1e-4, (sn_real)0.1);
    if (others & USER)
        add_pair(world, sn_kind_register(world, &support_kind_gap), 4, 0, 0);
    if (others & LOOSE)
        add_particle(world, 1, 1);
    if (others & GRID)
        graph_grid(world, 20, 30, false);
}

static void join(uint32_t *index, uint32_t *count, uint32_t a, uint32_t b)
{
    index[2 * *count] = a;
    index[2 * (*count)++ + 1] = b;
}

/* Rods along the lines and across them, and both diagonals. */
static uint32_t weave(uint32_t *index)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < PARTICLES; ++i) {
        uint32_t x = i % SIDE, z = i / SIDE;
        if (x + 1 < SIDE)
            join(index, &count, i, i + 1);
        if (z + 1 < SIDE)
            join(index, &count, i, i + SIDE);
        if (x + 1 < SIDE && z + 1 < SIDE) {
            join(index, &count, i, i + SIDE + 1);
            join(index, &count, i + 1, i + SIDE);
        }
    }
    return count;
}

/* shuffled: numbers say nothing about places, so that the plan finds no grid. */
static cloth make_cloth(uint32_t before, uint32_t after, bool shuffled)
{
    sn_world_def def = sn_default_world_def();
    def.threads = 1;
    def.settings.substeps = 2;
    cloth c = {.world = support_world_from(&def)};
    uint32_t *index = malloc(2 * MOST_RODS * sizeof *index), *number = malloc(PARTICLES * sizeof *number);
    sn_real *place = malloc(3 * PARTICLES * sizeof *place);
    uint64_t seed = 7;
    for (uint32_t i = 0; i < PARTICLES; ++i)
        number[i] = i;
    for (uint32_t i = PARTICLES; shuffled && i > 1; --i) {
        uint32_t other = support_random_below(&seed, i), spare = number[other];
        number[other] = number[i - 1];
        number[i - 1] = spare;
    }
    for (uint32_t i = 0; i < PARTICLES; ++i) {
        sn_real *p = &place[3 * (size_t)number[i]];
        p[0] = SPACING * (sn_real)(i % SIDE);
        p[1] = 0;
        p[2] = SPACING * (sn_real)(i / SIDE);
    }
    add_others(c.world, before);
    c.particles = sn_particles_add(c.world, PARTICLES, place, 0, 1);
    uint32_t rods = weave(index);
    for (uint32_t i = 0; i < 2 * rods; ++i)
        index[i] = c.particles.first + number[index[i]];
    c.rods = sn_constraints_add_kind(c.world, SN_KIND_DISTANCE, rods, index, NULL, NULL);
    assert_int_equal(c.rods.count, rods);
    add_others(c.world, after);
    for (uint32_t i = 0; i < PARTICLES; ++i) /* creased, so that all rods have something to do */
        place[3 * (size_t)number[i] + 1] = SPACING / 8 * (sn_real)(i % 7);
    assert_ok(c.world, sn_particles_write_positions(c.world, c.particles, place, 0));
    assert_ok(c.world, sn_particle_set_mass(c.world, sn_particles_at(c.particles, number[0]), SN_IMMOVABLE));
    free(index);
    free(number);
    free(place);
    return c;
}

/* ---- The plan ---------------------------------------------------------------------------------------------------------- */

/* When a rod comes, and how: of two that share a particle, the one with the lower turn comes first. */
typedef struct turn {
    uint32_t layer, run; /* run: of its tile */
    uint32_t rows, alone;
} turn;

static void read_tile(const cloth *c, uint32_t layer, const sn_tile *tile, turn *turns)
{
    const sn_plan *plan = &c->world->plan;
    for (uint32_t r = 0; r < tile->runs; ++r) {
        const sn_plan_run *run = &plan->run[tile->run + r];
        for (uint32_t i = 0; run->kind == SN_KIND_DISTANCE && i < run->batches * SN_BATCH; ++i) {
            uint32_t at = run->batch * SN_BATCH + i, rod = plan->row[at] - c->rods.first;
            if ((plan->mask[at / SN_BATCH] >> at % SN_BATCH & 1) && rod < c->rods.count)
                turns[rod] = (turn){layer + 1, r, tile->rows, tile->large};
        }
    }
}

/* Of all rods of the cloth. Runs of a tile that hold none of them are not counted. */
static turn *read_turns(const cloth *c)
{
    const sn_plan *plan = &c->world->plan;
    turn *turns = calloc(c->rods.count, sizeof *turns);
    for (uint32_t l = 0; l + 1 < plan->layer_table.count; ++l)
        for (uint32_t t = plan->layer[l]; t < plan->layer[l + 1]; ++t)
            read_tile(c, l, &plan->tile[t], turns);
    return turns;
}

static void check_plan(uint32_t before, uint32_t after, bool shuffled)
{
    cloth alone = make_cloth(0, 0, shuffled), beside = make_cloth(before, after, shuffled);
    assert_planned(alone.world, "a cloth");
    assert_planned(beside.world, "a cloth beside other things");
    turn *a = read_turns(&alone), *b = read_turns(&beside);
    for (uint32_t i = 0; i < alone.rods.count; ++i)
        if (a[i].layer == 0 || memcmp(&a[i], &b[i], sizeof a[i]) != 0)
            fail_msg("rod %u: layer %u, run %u, rows %u, alone %u; beside %u and %u: %u, %u, %u, %u", i, a[i].layer,
                     a[i].run, a[i].rows, a[i].alone, before, after, b[i].layer, b[i].run, b[i].rows, b[i].alone);
    free(a);
    free(b);
    sn_world_destroy(alone.world);
    sn_world_destroy(beside.world);
}

static void test_plan_of_a_cloth_is_its_own(void **state)
{
    (void)state;
    for (uint32_t shuffled = 0; shuffled < 2; ++shuffled) {
        check_plan(OTHERS - 1, 0, shuffled);
        check_plan(0, OTHERS - 1, shuffled);
        check_plan(ROPE | DAMPED, ROD | LOOSE, shuffled);
    }
}

/* ---- What comes of it -------------------------------------------------------------------------------------------------- */

static void check_motion(uint32_t before, uint32_t after, bool shuffled)
{
    cloth alone = make_cloth(0, 0, shuffled), beside = make_cloth(before, after, shuffled);
    sn_real *a = malloc(3 * PARTICLES * sizeof *a), *b = malloc(3 * PARTICLES * sizeof *b);
    for (uint32_t i = 0; i < 5; ++i) {
        assert_ok(alone.world, sn_world_step(alone.world, (sn_real)1 / 60));
        assert_ok(beside.world, sn_world_step(beside.world, (sn_real)1 / 60));
    }
    assert_ok(alone.world, sn_particles_read_positions(alone.world, alone.particles, a, 0));
    assert_ok(beside.world, sn_particles_read_positions(beside.world, beside.particles, b, 0));
    assert_memory_equal(a, b, 3 * PARTICLES * sizeof *a);
    free(a);
    free(b);
    sn_world_destroy(alone.world);
    sn_world_destroy(beside.world);
}

/* Without what moves the whole world to another step: dampers and kinds of a program. */
static void test_motion_of_a_cloth_is_its_own(void **state)
{
    (void)state;
    for (uint32_t shuffled = 0; shuffled < 2; ++shuffled)
        check_motion(ROD | LOOSE, ROPE | GRID, shuffled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plan_of_a_cloth_is_its_own),
                                       cmocka_unit_test(test_motion_of_a_cloth_is_its_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Ropes of plain rods have a way of their own through the direct solver (chain.h). It must lead where the way of all
   trees leads, which a tolerance that is never reached asks for; it must be taken where it can be, and nowhere else. */
#include "support/support.h"

#include "solvers/chain.h"
#include "solvers/solver_cases.h"
#include "world/world.h"

#define LINK 0.1 /* m */

static const sn_forest *forest_of(const sn_world *world)
{
    return world->scratch.direct; /* its first member */
}

static uint32_t chains_of(const sn_world *world)
{
    const sn_forest *forest = forest_of(world);
    const sn_tree *tree = forest->tree_table.column[0];
    uint32_t chains = 0;
    for (uint32_t i = 0; i < forest->tree_table.count; ++i)
        chains += tree[i].as_chain;
    return chains;
}

static sn_constraint rod_of(const sn_world *world, uint32_t index)
{
    return (sn_constraint){SN_KIND_DISTANCE, index, world->constraints.pool[SN_KIND_DISTANCE]->ids.generation[index]};
}

/* By how much a rod misses its length, m. */
static double missed_by(const sn_world *world, uint32_t index)
{
    sn_real value[SN_MAX_ROWS];
    assert_ok(world, sn_constraint_value(world, rod_of(world, index), value));
    return fabs((double)value[0]);
}

static void direct(sn_settings *s)
{
    s->solver = SN_SOLVER_DIRECT;
}

static void direct_bdf2(sn_settings *s)
{
    s->solver = SN_SOLVER_DIRECT;
    s->integrator = SN_INTEGRATOR_BDF2;
}

/* The way of all trees. */
static void as_a_tree(sn_world *world)
{
    sn_settings s = sn_world_settings(world);
    s.tolerance = real(1e-30);
    assert_ok(world, sn_world_configure(world, &s));
}

/* ---- Ropes in any order
   ------------------------------------------------------------------------------------------------------- */

typedef struct rope {
    uint32_t links;
    bool held[2]; /* at its ends */
    double bob;   /* kg, in the middle of it if both ends are held, otherwise at the end */
    double fold;  /* how crooked it is, 0 to 1 */
    bool hangs;   /* gravity pulls along it */
    uint64_t seed;
} rope;

static void shuffle(uint32_t *a, uint32_t count, uint64_t *seed)
{
    for (uint32_t i = 0; i < count; ++i)
        a[i] = i;
    for (uint32_t i = count; i-- > 1;) {
        uint32_t k = support_random_below(seed, i + 1), kept = a[i];
        a[i] = a[k];
        a[k] = kept;
    }
}

/* Particles and rods have random numbers, rods random directions and particles random masses. */
static void add_rope(sn_world *world, const rope *r)
{
    uint64_t seed = r->seed;
    uint32_t count = r->links + 1, number[64], order[64], first = UINT32_MAX;
    sn_vec3 place[64];
    double mass[64];
    assert_true(count <= COUNT_OF(number));
    shuffle(number, count, &seed);
    shuffle(order, r->links, &seed);
    sn_vec3 at = vec(1, 2, 3);
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 way = vec(support_random_in(&seed, -1, 1) * r->fold + 1, support_random_in(&seed, -1, 1) * r->fold,
                          support_random_in(&seed, -1, 1) * r->fold);
        double length = support_gap(way, vec(0, 0, 0)) / LINK;
        place[number[i]] = at;
        mass[number[i]] = support_random_in(&seed, 0.5, 2);
        at = vec((double)at.x + (double)way.x / length, (double)at.y + (double)way.y / length,
                 (double)at.z + (double)way.z / length);
    }
    mass[number[r->held[1] ? count / 2 : count - 1]] *= r->bob;
    for (uint32_t i = 0; i < count; ++i) {
        sn_particle p = sn_particle_add_at(world, place[i], real(mass[i]));
        first = first == UINT32_MAX ? p.index : first;
        if ((r->held[0] && i == number[0]) || (r->held[1] && i == number[count - 1]))
            assert_ok(world, sn_particle_set_mass(world, p, SN_IMMOVABLE));
    }
    for (uint32_t i = 0; i < r->links; ++i) {
        uint32_t a = number[order[i]], b = number[order[i] + 1], turned = support_random_below(&seed, 2);
        uint32_t pair[2] = {first + (turned ? b : a), first + (turned ? a : b)};
        sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
        sn_constraints made;
        def.param[0] = real(LINK);
        assert_ok(world, sn_constraints_add(world, &def, 1, pair, NULL, &made));
    }
}

static sn_world *rope_world(const rope *r, solver_setup *setup, uint32_t substeps, uint32_t iterations)
{
    sn_world *world = solver_world(setup, substeps, iterations);
    add_rope(world, r);
    if (r->hangs)
        solver_set_gravity(world, vec(9.81, 0, 0));
    return world;
}

/* Runs a rope both ways, and compares where it is and what its rods exert. Returns how many steps ended as a chain. */
static uint32_t both_ways(const rope *r, solver_setup *setup, uint32_t substeps, uint32_t iterations, uint32_t steps)
{
    sn_world *a = rope_world(r, setup, substeps, iterations), *b = rope_world(r, setup, substeps, iterations);
    uint32_t chains = 0;
    as_a_tree(b);
    for (uint32_t step = 0; step < steps; ++step) {
        support_run(a, 1, FRAME);
        support_run(b, 1, FRAME);
        chains += chains_of(a);
        assert_int_equal(chains_of(b), 0);
    }
    double most = 1, gap = 0;
    for (uint32_t i = 0; i < r->links; ++i) {
        sn_constraint rod = rod_of(a, i);
        double f = (double)sn_constraint_force(a, rod).row[0], g = (double)sn_constraint_force(b, rod).row[0];
        most = fmax(most, fabs(g));
        gap = fmax(gap, fabs(f - g));
    }
    assert_close(gap / most, 0, EXACTNESS(0.02, 1e-6));
    for (uint32_t i = 0; i <= r->links;
         ++i) { /* in double the gap is what the tiny kappa of slack links makes, 1e-9 m */
        sn_particle p = sn_particle_from_index(a, i);
        assert_vec_close(sn_particle_position(a, p), sn_particle_position(b, p), EXACTNESS(2e-5, 5e-9));
    }
    sn_world_destroy(a);
    sn_world_destroy(b);
    return chains;
}

static void leads_where_trees_lead(void **state)
{
    (void)state;
    for (uint32_t links = SN_CHAIN_LEAST; links < 40; links += links < 12 ? 1 : 9)
        for (uint32_t ends = 0; ends < 3; ++ends)
            for (uint32_t heavy = 0; heavy < 2; ++heavy) {
                rope r = {links, {ends > 0, ends > 1}, heavy ? 500 : 1, 0.7, false, 100 * links + ends};
                assert_int_equal(both_ways(&r, direct, 4, 1, 4), 4);
                assert_int_equal(both_ways(&r, direct, 4, 2, 4), 4);
                assert_int_equal(both_ways(&r, direct_bdf2, 4, 1, 4), 4);
            }
}

/* A taut rope turns: its elimination is the other one. Later substeps begin with the kappa of those before. Held at
   both ends it is taut above the bob and slack below. */
static void leads_where_trees_lead_under_tension(void **state)
{
    (void)state;
    uint32_t chains = 0, steps = 0;
    for (uint32_t links = SN_CHAIN_LEAST; links < 14; ++links) {
        rope r = {links, {true, false}, 3000, 0.05, true, links};
        chains += both_ways(&r, direct, 8, 1, 8);
        r.held[1] = true;
        chains += both_ways(&r, direct, 8, 1, 8);
        steps += 16;
        sn_world *world = rope_world(&r, direct, 8, 1);
        support_run(world, 8, FRAME);
        const sn_tree *tree = forest_of(world)->tree_table.column[0];
        assert_true(tree->turning); /* that was the case in question */
        sn_world_destroy(world);
    }
    assert_in_range(chains, steps / 2, steps); /* some links turn too far */
}

/* Nothing outside pushes: neither way moves the centre, or turns the rope. */
static void momentum(void **state)
{
    (void)state;
    rope r = {33, {false, false}, 50, 0.9, false, 7};
    sn_world *world = rope_world(&r, direct, 8, 1);
    sn_report report;
    solver_set_gravity(world, vec(0, 0, 0));
    for (uint32_t i = 0; i <= r.links; ++i) {
        sn_particle p = sn_particle_from_index(world, i);
        sn_vec3 x = sn_particle_position(world, p);
        assert_ok(world, sn_particle_set_velocity(world, p, vec(-5 * (double)x.y, 5 * (double)x.x, (double)x.z)));
    }
    assert_ok(world, sn_world_report(world, &report));
    double before[3], scale = 0;
    memcpy(before, report.momentum, sizeof before);
    support_run(world, 60, FRAME);
    assert_int_equal(chains_of(world), 1);
    assert_ok(world, sn_world_report(world, &report));
    for (uint32_t i = 0; i < 3; ++i)
        scale = fmax(scale, fabs(before[i]));
    for (uint32_t i = 0; i < 3; ++i)
        assert_close(report.momentum[i], before[i], EXACTNESS(1e-4, 1e-11) * scale);
    sn_world_destroy(world);
}

/* ---- Where it is taken
   -------------------------------------------------------------------------------------------------------- */

static const rope usual = {20, {true, false}, 1, 0.5, false, 3};

static uint32_t chains_after_a_step(sn_world *world)
{
    support_run(world, 1, FRAME);
    return chains_of(world);
}

static void only_plain_rods(void **state)
{
    (void)state;
    sn_world *world = rope_world(&usual, direct, 2, 1);
    assert_int_equal(chains_after_a_step(world), 1);
    assert_ok(world, sn_constraint_set_material(world, rod_of(world, 5), (sn_material){.compliance = real(1e-3)}));
    assert_int_equal(chains_after_a_step(world), 0);
    assert_ok(world, sn_constraint_set_material(world, rod_of(world, 5), (sn_material){0}));
    assert_int_equal(chains_after_a_step(world), 1);
    assert_ok(world, sn_constraint_set_stiffness(world, rod_of(world, 5), real(0.5)));
    assert_int_equal(chains_after_a_step(world), 0);
    assert_ok(world, sn_constraint_set_stiffness(world, rod_of(world, 5), 1));
    assert_int_equal(chains_after_a_step(world), 1);
    sn_world_destroy(world);
}

/* A length that is changed between steps counts. */
static void lengths_change(void **state)
{
    (void)state;
    sn_world *world = rope_world(&usual, direct, 20, 1);
    support_run(world, 1, FRAME);
    for (uint32_t i = 0; i < 60; ++i) {
        sn_real rest = real(LINK * (1 + i / 60.0));
        assert_ok(world, sn_constraint_set_param(world, rod_of(world, 0), "rest", &rest, 1));
        assert_int_equal(chains_after_a_step(world), 1);
    }
    assert_close(missed_by(world, 0), 0, 1e-4);
    sn_world_destroy(world);
}

/* Cut, pinned, forked, joined and freed again. */
static void edits(void **state)
{
    (void)state;
    rope r = {40, {true, false}, 1, 0.2, false, 3};
    sn_world *world = rope_world(&r, direct, 2, 1);
    assert_int_equal(chains_after_a_step(world), 1);
    const sn_forest *forest = forest_of(world);
    const uint32_t *number = forest->chain_table.column[SN_CHAIN_NUMBER],
                   *row = forest->chain_table.column[SN_CHAIN_ROW];
    uint32_t inner = number[20], cut = row[10], fork = number[30];
    sn_particle pinned = sn_particle_from_index(world, inner);
    assert_ok(world, sn_particle_set_mass(world, pinned, SN_IMMOVABLE));
    assert_int_equal(chains_after_a_step(world), 2);
    assert_ok(world, sn_particle_set_mass(world, pinned, 1));
    assert_int_equal(chains_after_a_step(world), 1);
    assert_ok(world, sn_constraint_remove(world, rod_of(world, cut)));
    assert_int_equal(chains_after_a_step(world), 2);
    sn_particle more = sn_particle_add_at(world, vec(0, 9, 0), 1), at = sn_particle_from_index(world, fork);
    sn_constraint branch = sn_constraint_add_distance(world, sn_at(at), sn_at(more), SN_MEASURE);
    assert_int_equal(chains_after_a_step(world), 1);
    assert_ok(world, sn_constraint_remove(world, branch));
    assert_int_equal(chains_after_a_step(world), 2);
    sn_world_destroy(world);
}

static void others_are_left_to_trees(void **state)
{
    (void)state;
    rope r = usual;
    r.links = SN_CHAIN_LEAST - 1;
    sn_world *world = rope_world(&r, direct, 2, 1);
    assert_int_equal(chains_after_a_step(world), 0); /* too short */
    sn_world_destroy(world);

    world = rope_world(&usual, direct, 2, 1);
    support_run(world, 1, FRAME);
    const uint32_t *number = forest_of(world)->chain_table.column[SN_CHAIN_NUMBER];
    sn_particle a = sn_particle_from_index(world, number[3]), b = sn_particle_from_index(world, number[9]);
    sn_constraint_add_distance(world, sn_at(a), sn_at(b), SN_MEASURE);
    assert_int_equal(chains_after_a_step(world), 0); /* a loop */
    sn_world_destroy(world);
}

/* A rod of no length has no direction: the way of trees knows what to do, and a step later all is as usual. */
static void a_collapsed_rod(void **state)
{
    (void)state;
    sn_world *world = rope_world(&usual, direct, 2, 1);
    support_run(world, 1, FRAME);
    const uint32_t *number = forest_of(world)->chain_table.column[SN_CHAIN_NUMBER];
    sn_particle a = sn_particle_from_index(world, number[9]), b = sn_particle_from_index(world, number[10]);
    assert_ok(world, sn_particle_set_position(world, a, sn_particle_position(world, b)));
    assert_ok(world, sn_particle_set_velocity(world, a, sn_particle_velocity(world, b)));
    sn_settings s = sn_world_settings(world);
    s.substeps = 20;
    assert_ok(world, sn_world_configure(world, &s));
    support_run(world, 30, FRAME);
    assert_int_equal(chains_of(world), 1);
    for (uint32_t i = 0; i < usual.links; ++i)
        assert_close(missed_by(world, i), 0, 0.02 * LINK);
    sn_world_destroy(world);
}

/* Many at once, of all lengths: none disturbs another. */
static void many_ropes(void **state)
{
    (void)state;
    sn_world *all = solver_world(direct, 4, 1), *alone[12];
    for (uint32_t i = 0; i < COUNT_OF(alone); ++i) {
        rope r = {SN_CHAIN_LEAST + 3 * i, {true, i % 2}, 1 + 100.0 * i, 0.4, false, i};
        add_rope(all, &r);
        alone[i] = rope_world(&r, direct, 4, 1);
    }
    support_run(all, 10, FRAME);
    assert_in_range(chains_of(all), COUNT_OF(alone) / 2, COUNT_OF(alone)); /* in case one is not calm just now */
    for (uint32_t i = 0, first = 0; i < COUNT_OF(alone); ++i) {
        support_run(alone[i], 10, FRAME);
        uint32_t count = SN_CHAIN_LEAST + 3 * i + 1;
        for (uint32_t p = 0; p < count; ++p)
            assert_vec_same(sn_particle_position(all, sn_particle_from_index(all, first + p)),
                            sn_particle_position(alone[i], sn_particle_from_index(alone[i], p)));
        first += count;
        sn_world_destroy(alone[i]);
    }
    sn_world_destroy(all);
}

/* However many lanes a machine has, a rope is cut into the same stretches. */
static void any_width(void **state)
{
    (void)state;
    for (uint32_t links = SN_CHAIN_LEAST; links < 63; links += links < 26 ? 1 : 12)
        for (uint32_t taut = 0; taut < 2; ++taut) {
            rope r = {links, {true, links % 2}, taut ? 3000 : 1, taut ? 0.05 : 0.6, taut, links};
            sn_world *one = NULL;
            for (int simd = SN_SIMD_SCALAR; simd <= SN_SIMD_16; ++simd) {
                sn_world_def def = sn_default_world_def();
                sn_world *world;
                def.simd = (sn_simd)simd;
                def.settings.substeps = 8;
                direct(&def.settings);
                if (sn_world_create(&def, &world) != SN_OK) /* this machine has no such thing */
                    continue;
                add_rope(world, &r);
                solver_set_gravity(world, vec(9.81, 0, 0));
                support_run(world, 4, FRAME);
                if (one) {
                    assert_same_world(one, world);
                    sn_world_destroy(world);
                } else {
                    one = world;
                }
            }
            if (one)
                sn_world_destroy(one);
        }
}

/* ---- Teams
   ------------------------------------------------------------------------------------------------------------------- */

enum { CREW = 2 * SN_CHAIN_TEAM + 3 }; /* two teams, and some that are left over */

/* Of as many links. Some pull at a heavy bob, and turn; one has a rod of no length. */
static void add_member(sn_world *world, uint32_t links, uint32_t i, bool calm)
{
    const bool taut = !calm && i % 3 == 1, folded = !calm && i % 7 == 3;
    rope r = {links, {true, i % 2}, taut ? 3000 : 1 + i, taut ? 0.05 : 0.4, true, 50 * links + i};
    add_rope(world, &r);
    if (folded) {
        const uint32_t last = world->particles.table.count - 1;
        sn_particle p = sn_particle_from_index(world, last), q = sn_particle_from_index(world, last - 1);
        assert_ok(world, sn_particle_set_position(world, p, sn_particle_position(world, q)));
    }
}

static sn_world *team_world(sn_simd simd, uint32_t threads, uint32_t iterations)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world;
    def.simd = simd;
    def.threads = threads;
    def.settings.substeps = 4;
    def.settings.iterations = iterations;
    def.settings.gravity = vec(9.81, 0, 0);
    direct(&def.settings);
    return sn_world_create(&def, &world) == SN_OK ? world : NULL; /* this machine may have no such lanes */
}

static void assert_member_as_alone(const sn_world *all, const sn_world *alone, uint32_t links, uint32_t i)
{
    for (uint32_t p = 0; p <= links; ++p) {
        sn_particle a = sn_particle_from_index(all, i * (links + 1) + p), b = sn_particle_from_index(alone, p);
        assert_vec_same(sn_particle_position(all, a), sn_particle_position(alone, b));
        assert_vec_same(sn_particle_velocity(all, a), sn_particle_velocity(alone, b));
    }
    for (uint32_t c = 0; c < links; ++c)
        assert_true(sn_constraint_force(all, rod_of(all, i * links + c)).row[0] ==
                    sn_constraint_force(alone, rod_of(alone, c)).row[0]);
}

/* Returns how many ropes were in teams; how many of them turned in the last substep. */
static uint32_t team_as_alone(uint32_t links, sn_simd simd, uint32_t threads, uint32_t iterations, bool calm,
                              uint32_t *turning)
{
    sn_world *all = team_world(simd, threads, iterations);
    uint32_t teamed = 0;
    if (!all)
        return 0;
    for (uint32_t i = 0; i < CREW; ++i)
        add_member(all, links, i, calm);
    support_run(all, 3, FRAME);
    const sn_tree *tree = forest_of(all)->tree_table.column[0];
    assert_int_equal(forest_of(all)->tree_table.count, CREW);
    for (uint32_t i = 0; i < CREW; ++i) {
        sn_world *alone = team_world(simd, 1, iterations);
        add_member(alone, links, i, calm);
        support_run(alone, 3, FRAME);
        assert_member_as_alone(all, alone, links, i);
        teamed += tree[i].in_team != 0;
        *turning += tree[i].in_team && tree[i].turning;
        sn_world_destroy(alone);
    }
    sn_world_destroy(all);
    return teamed;
}

/* Ropes that are solved eight at a time are, to the bit, where they would be alone. */
static void teams_are_as_alone(void **state)
{
    static const uint32_t many[] = {SN_CHAIN_LEAST, 9, 15, 16, 17, 32, 61};
    (void)state;
    uint32_t turning = 0;
    for (uint32_t l = 0; l < COUNT_OF(many); ++l)
        for (int simd = SN_SIMD_AUTO; simd <= SN_SIMD_16; ++simd)
            for (uint32_t i = 0; i < 2; ++i) {
                const uint32_t teamed = team_as_alone(many[l], (sn_simd)simd, 1 + i, 2 - i, (l + i) % 2, &turning);
                assert_true(teamed == 0 || teamed == 2 * SN_CHAIN_TEAM);
                assert_true(teamed || simd != SN_SIMD_AUTO);
            }
    assert_in_range(turning, 1, COUNT_OF(many) * CREW * 10);
}

/* One of another length, and they are none. */
static void teams_have_one_length(void **state)
{
    (void)state;
    sn_world *world = team_world(SN_SIMD_AUTO, 1, 1);
    for (uint32_t i = 0; i < SN_CHAIN_TEAM; ++i)
        add_member(world, 12 + (i == 5), i, true);
    support_run(world, 1, FRAME);
    const sn_tree *tree = forest_of(world)->tree_table.column[0];
    for (uint32_t i = 0; i < SN_CHAIN_TEAM; ++i)
        assert_true(!tree[i].in_team && tree[i].as_chain);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leads_where_trees_lead),
        cmocka_unit_test(leads_where_trees_lead_under_tension),
        cmocka_unit_test(momentum),
        cmocka_unit_test(only_plain_rods),
        cmocka_unit_test(lengths_change),
        cmocka_unit_test(edits),
        cmocka_unit_test(others_are_left_to_trees),
        cmocka_unit_test(a_collapsed_rod),
        cmocka_unit_test(many_ropes),
        cmocka_unit_test(any_width),
        cmocka_unit_test(teams_are_as_alone),
        cmocka_unit_test(teams_have_one_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

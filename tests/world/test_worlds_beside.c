/* Worlds side by side: to the bit what each is alone, whatever they are made of, whatever is done to them, and on any number of threads. */
#include "support/support.h"

#include <math.h>

#define DT    real(1.0 / 60)
#define COUNT 45u /* a batch, and part of another */

/* ---- Random worlds ---------------------------------------------------------------------------------------------------- */

/* What a world is made of follows from the seed, where its things are from the number of the world as well. */
typedef struct recipe {
    uint64_t seed;
    bool flat, pushed;
    uint32_t particles;
} recipe;

/* Kinds of particles whose constraints are found in the lanes, or among the trees. */
static void add_constraint(sn_world *world, sn_particles run, uint64_t *random)
{
    static const uint32_t kinds[] = {SN_KIND_DISTANCE,      SN_KIND_DISTANCE, SN_KIND_DISTANCE_MAX,
                                     SN_KIND_DISTANCE_BAND, SN_KIND_ANGLE,    SN_KIND_DISTANCE_MIN};
    const uint32_t kind = kinds[support_random_below(random, COUNT_OF(kinds))];
    const uint32_t points = sn_kind_info(world, kind)->points, first = support_random_below(random, run.count - 3);
    sn_constraint_def def = sn_default_constraint_def(kind);
    sn_point point[SN_MAX_POINTS];
    for (uint32_t i = 0; i < points; ++i)
        point[i] = sn_at(sn_particles_at(run, first + i));
    def.points = point;
    if (support_random_below(random, 3) == 0) {
        def.compliance = real(support_random_in(random, 1e-6, 1e-3));
        def.damping = support_random_below(random, 2) ? real(support_random_in(random, 0, 2)) : 0;
    }
    if (support_random_below(random, 5) == 0)
        def.stiffness = real(0.7);
    sn_constraint made;
    assert_ok(world, sn_constraint_add(world, &def, &made));
}

static sn_result build_random(void *context, sn_world *world, uint32_t number)
{
    const recipe *r = context;
    uint64_t random = r->seed;
    sn_particle_def like = sn_default_particle_def();
    sn_particles run = {0};
    sn_real xyz[3 * 40];
    for (uint32_t i = 0; i < r->particles; ++i) {
        xyz[3 * i] = real(0.1 * i);
        xyz[3 * i + 1] = real(support_random_in(&random, -0.05, 0.05));
        xyz[3 * i + 2] = r->flat ? 0 : real(support_random_in(&random, -0.05, 0.05));
    }
    run = sn_particles_add_like(world, &like, r->particles, xyz, 0);
    for (uint32_t i = 0; i < r->particles; ++i)
        if (support_random_below(&random, 3) == 0)
            assert_ok(world,
                      sn_particle_set_mass(world, sn_particles_at(run, i),
                                           support_random_below(&random, 3) ? real(support_random_in(&random, 0.01, 20))
                                                                            : SN_IMMOVABLE));
    for (uint32_t i = 0; i + 1 < r->particles; ++i) /* most are ropes, or pieces of one */
        if (support_random_below(&random, 8))
            (void)sn_constraint_add_distance(world, sn_at(sn_particles_at(run, i)), sn_at(sn_particles_at(run, i + 1)),
                                             SN_MEASURE);
        else
            (void)sn_constraint_add_pin(world, sn_particles_at(run, i));
    (void)sn_constraint_add_pin(world, sn_particles_at(run, r->particles - 1));
    for (uint32_t i = support_random_below(&random, 2) * support_random_below(&random, 20); i > 0; --i)
        add_constraint(world, run, &random);
    random = r->seed * 31 + number; /* and now what is its own */
    for (uint32_t i = 0; i < r->particles; ++i)
        assert_ok(world,
                  sn_particle_set_velocity(world, sn_particles_at(run, i),
                                           vec(support_random_in(&random, -1, 1), support_random_in(&random, -1, 1),
                                               r->flat ? 0 : support_random_in(&random, -1, 1))));
    return SN_OK;
}

static sn_worlds *make(const sn_worlds_def *def)
{
    sn_worlds *worlds;
    assert_int_equal(sn_worlds_create(def, &worlds), SN_OK);
    return worlds;
}

static void push(sn_worlds *worlds, const recipe *r, uint32_t step)
{
    uint64_t random = r->seed * 77 + step;
    for (uint32_t k = 0; k < sn_worlds_count(worlds); ++k) {
        sn_world *world = sn_worlds_at(worlds, k);
        const sn_particle p =
            sn_particle_from_index(world, support_random_below(&random, sn_world_particle_count(world)));
        if (r->pushed && (step % 3 || support_random_below(&random, 2)))
            assert_ok(world, sn_particle_apply_force(world, p, vec(support_random_in(&random, -5, 5), 1, 0)));
    }
}

static void assert_same_forces(const sn_world *a, const sn_world *b)
{
    sn_constraint_walk one = {0}, other = {0};
    while (sn_constraint_next(a, &one)) {
        assert_true(sn_constraint_next(b, &other));
        const sn_force f = sn_constraint_force(a, one.constraint), g = sn_constraint_force(b, other.constraint);
        assert_memory_equal(&f.magnitude, &g.magnitude, sizeof f.magnitude);
    }
}

static void assert_same(sn_worlds *a, sn_worlds *b)
{
    for (uint32_t k = 0; k < sn_worlds_count(a); ++k) {
        assert_same_world(sn_worlds_at(a, k), sn_worlds_at(b, k));
        assert_same_forces(sn_worlds_at(a, k), sn_worlds_at(b, k));
        assert_int_equal(sn_worlds_result(a, k), sn_worlds_result(b, k));
    }
}

static uint32_t compare_random(recipe *r, sn_worlds_def *def, uint32_t steps)
{
    def->count = COUNT;
    def->build = build_random;
    def->context = r;
    def->side_by_side = true;
    def->threads = 2;
    sn_worlds *beside = make(def);
    def->side_by_side = false;
    def->threads = 1;
    sn_worlds *alone = make(def);
    uint32_t most = 0;
    for (uint32_t step = 0; step < steps; ++step) {
        push(beside, r, step);
        push(alone, r, step);
        const sn_result result = sn_worlds_step(beside, DT);
        assert_int_equal(sn_worlds_step(alone, DT), result);
        if (result != SN_OK)
            assert_string_equal(sn_worlds_error(beside), sn_worlds_error(alone));
        assert_same(beside, alone);
        most = sn_worlds_beside_count(beside) > most ? sn_worlds_beside_count(beside) : most;
        assert_int_equal(sn_worlds_beside_count(alone), 0);
    }
    sn_worlds_destroy(beside);
    sn_worlds_destroy(alone);
    return most;
}

static recipe random_recipe(uint32_t i, sn_worlds_def *def)
{
    uint64_t random = 1000 + i;
    recipe r = {.seed = i + 4, .flat = i % 4 == 1, .pushed = i % 3 == 0};
    r.particles = 4 + support_random_below(&random, 36);
    def->world.dimensions = r.flat ? 2 : 3;
    def->world.settings.substeps = 1 + support_random_below(&random, 12);
    def->world.settings.iterations = 1 + support_random_below(&random, 2);
    def->world.settings.damping = support_random_below(&random, 2) ? real(0.3) : 0;
    def->world.settings.stiffening = support_random_below(&random, 2) ? SN_STIFFENING_AUTO : SN_STIFFENING_OFF;
    def->world.settings.integrator =
        support_random_below(&random, 3) ? SN_INTEGRATOR_SYMPLECTIC_EULER : SN_INTEGRATOR_LEAPFROG;
    return r;
}

static void test_random(void **state)
{
    (void)state;
    const uint32_t rounds = support_rounds(160, 4);
    uint32_t laid = 0;
    for (uint32_t i = 0; i < rounds; ++i) {
        sn_worlds_def def = sn_default_worlds_def();
        recipe r = random_recipe(i, &def);
        laid += compare_random(&r, &def, 6) == COUNT;
    }
#if !SINEW_DOUBLE
    assert_true(laid * 2 > rounds); /* otherwise this shows nothing: of 2,400 it was 2,073 */
#endif
}

/* ---- Several steps in one call ------------------------------------------------------------------------------------------ */

/* Actions of some calls: forces on one particle, places along y of another. */
static void set_channels(sn_worlds *worlds, const recipe *r)
{
    sn_world *world = sn_worlds_at(worlds, 0);
    const sn_channel channel[] = {{.type = SN_CHANNEL_FORCE,
                                   .particles = sn_run_of(sn_particle_from_index(world, r->particles / 2)),
                                   .axes = 1 | 2},
                                  {.type = SN_CHANNEL_SET_POSITION,
                                   .particles = sn_run_of(sn_particle_from_index(world, r->particles / 3)),
                                   .axes = 2}};
    assert_int_equal(sn_worlds_set_actions(worlds, channel, 2), SN_OK);
}

/* Returns whether all worlds were side by side in the end. */
static bool compare_several(recipe *r, sn_worlds_def *def, uint32_t round)
{
    uint64_t random = round;
    sn_real actions[COUNT * 3];
    def->count = COUNT;
    def->build = build_random;
    def->context = r;
    def->threads = 1 + round % 4;
    sn_worlds *several = make(def);
    def->threads = 1;
    def->side_by_side = false;
    sn_worlds *single = make(def);
    set_channels(several, r);
    set_channels(single, r);
    bool laid = false;
    for (uint32_t call = 0; call < 4; ++call) {
        const uint32_t steps = support_random_below(&random, 8);
        const bool acts = support_random_below(&random, 3) == 0;
        sn_result result = SN_OK;
        for (uint32_t i = 0; i < COUNT * 3; ++i)
            actions[i] = real(support_random_in(&random, -0.05, 0.05));
        push(several, r, call);
        push(single, r, call);
        for (uint32_t i = 0; i < steps && result == SN_OK; ++i) {
            if (acts)
                assert_int_equal(sn_worlds_act(single, actions), SN_OK);
            result = sn_worlds_step(single, DT);
        }
        assert_int_equal(sn_worlds_step_many(several, DT, steps, acts ? actions : NULL), result);
        if (result != SN_OK)
            break;
        assert_same(several, single);
        laid = steps ? sn_worlds_beside_count(several) == COUNT : laid;
    }
    sn_worlds_destroy(several);
    sn_worlds_destroy(single);
    return laid;
}

static void test_several_steps(void **state)
{
    (void)state;
    const uint32_t rounds = support_rounds(80, 4);
    uint32_t laid = 0;
    for (uint32_t i = 0; i < rounds; ++i) {
        sn_worlds_def def = sn_default_worlds_def();
        recipe r = random_recipe(i, &def);
        laid += compare_several(&r, &def, i);
    }
#if !SINEW_DOUBLE
    assert_true(laid * 2 > rounds);
#endif
}

/* ---- Ropes -------------------------------------------------------------------------------------------------------------- */

static sn_result build_rope(void *context, sn_world *world, uint32_t number)
{
    const uint32_t links = *(const uint32_t *)context;
    sn_real xyz[3 * 65];
    for (uint32_t i = 0; i <= links; ++i) {
        xyz[3 * i] = real(0.05 * i + (number % 7 == 3 ? 500 : 0)); /* some are far from the origin */
        xyz[3 * i + 1] = xyz[3 * i + 2] = 0;
    }
    sn_particles run = sn_particles_add(world, links + 1, xyz, 0, real(0.01));
    sn_particle_set_mass(world, sn_particles_at(run, 0), SN_IMMOVABLE);
    for (uint32_t i = 0; i < links; ++i)
        (void)sn_constraint_add_distance(world, sn_at(sn_particles_at(run, i)), sn_at(sn_particles_at(run, i + 1)),
                                         real(0.05));
    return sn_particle_set_velocity(world, sn_particles_at(run, links), vec(0, 0, 0.1 * number));
}

static sn_worlds_def ropes(uint32_t *links, uint32_t count)
{
    sn_worlds_def def = sn_default_worlds_def();
    def.count = count;
    def.build = build_rope;
    def.context = links;
    return def;
}

/* Each rope against a world of its own, stepped by sn_world_step; long enough that a single bit would have grown. */
static void test_against_single_worlds(void **state)
{
    (void)state;
    uint32_t links = 32, steps = support_rounds(800, 20);
    sn_worlds_def def = ropes(&links, 40);
    sn_worlds *worlds = make(&def);
    sn_world *single[40];
    for (uint32_t k = 0; k < 40; ++k) {
        single[k] = support_world_from(&def.world);
        assert_ok(single[k], build_rope(&links, single[k], k));
    }
    for (uint32_t i = 0; i < steps; ++i) {
        assert_int_equal(sn_worlds_step(worlds, DT), SN_OK);
        for (uint32_t k = 0; k < 40; ++k)
            assert_ok(single[k], sn_world_step(single[k], DT));
    }
#if !SINEW_DOUBLE
    assert_int_equal(sn_worlds_beside_count(worlds), def.world.simd == SN_SIMD_AUTO ? 40 : 0);
#endif
    for (uint32_t k = 0; k < 40; ++k) {
        assert_same_world(sn_worlds_at(worlds, k), single[k]);
        assert_same_forces(sn_worlds_at(worlds, k), single[k]);
        assert_true(sn_world_time(sn_worlds_at(worlds, k)) == sn_world_time(single[k]));
        sn_world_destroy(single[k]);
    }
    sn_worlds_destroy(worlds);
}

/* What is done to both, each step something else. */
static void edit(sn_worlds *worlds, uint32_t step)
{
    sn_world *third = sn_worlds_at(worlds, 3);
    const sn_particle end = sn_particle_from_index(third, 32);
    sn_constraint_walk walk = {0};
    assert_true(sn_constraint_next(third, &walk));
    sn_settings settings = sn_world_settings(third);
    uint8_t flags[40] = {[3] = 1, [39] = 1};
    switch (step) {
    case 4:
        assert_ok(third, sn_constraint_set_param(third, walk.constraint, "rest", (const sn_real[]){real(0.06)}, 1));
        break;
    case 6:
        assert_ok(third, sn_particle_set_mass(third, end, real(0.5)));
        break;
    case 8:
        settings.substeps = 5;
        assert_ok(third, sn_world_configure(third, &settings));
        break;
    case 10:
        assert_ok(third, sn_constraint_remove(third, walk.constraint));
        break;
    case 12:
        assert_int_equal(sn_worlds_reset(worlds, flags), SN_OK);
        break;
    case 14:
        assert_ok(third, sn_particle_move_to(third, sn_particle_from_index(third, 0), vec(0, 0.1, 0)));
        break;
    case 16:
        (void)sn_particle_add_at(third, vec(1, 1, 1), 1);
        break;
    case 17:
        assert_int_equal(sn_worlds_keep(worlds, 7), SN_OK);
        break;
    case 18:
        assert_int_equal(sn_worlds_reset(worlds, NULL), SN_OK);
        break;
    default:
        break;
    }
}

static void test_edits(void **state)
{
    (void)state;
    uint32_t links = 32;
    sn_worlds_def def = ropes(&links, 40);
    sn_worlds *beside = make(&def);
    def.side_by_side = false;
    sn_worlds *alone = make(&def);
    for (uint32_t step = 0; step < 24; ++step) {
        edit(beside, step);
        edit(alone, step);
        assert_int_equal(sn_worlds_step(beside, DT), SN_OK);
        assert_int_equal(sn_worlds_step(alone, DT), SN_OK);
        assert_same(beside, alone);
#if !SINEW_DOUBLE
        const uint32_t laid = sn_worlds_beside_count(beside);
        if (step == 3 || step == 13 || step == 23)
            assert_int_equal(laid, 40);
        if (step == 5 || step == 10 || step == 16)
            assert_int_equal(laid, 39);
#endif
    }
    sn_worlds_destroy(beside);
    sn_worlds_destroy(alone);
}

/* Ropes of all lengths: of eight that are solved at once, and stored beside each other, the last stretches may be short or empty. */
static void test_lengths(void **state)
{
    (void)state;
    const uint32_t lengths[] = {8, 9, 15, 17, 31, 40, 63, 64};
    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
        uint32_t links = lengths[i];
        sn_worlds_def def = ropes(&links, 44);
        def.threads = 1 + i % 2;
        sn_worlds *beside = make(&def);
        def.side_by_side = false;
        sn_worlds *alone = make(&def);
        for (uint32_t step = 0; step < 12; ++step) {
            assert_int_equal(sn_worlds_step(beside, DT), SN_OK);
            assert_int_equal(sn_worlds_step(alone, DT), SN_OK);
            assert_same(beside, alone);
        }
#if !SINEW_DOUBLE
        assert_int_equal(sn_worlds_beside_count(beside), def.world.simd == SN_SIMD_AUTO ? 44 : 0);
#endif
        sn_worlds_destroy(beside);
        sn_worlds_destroy(alone);
    }
}

/* One that diverges is named, stays as it was, and does not disturb the others, nor those that come after it in its batch. */
static void test_failure(void **state)
{
    (void)state;
    uint32_t links = 16;
    sn_worlds_def def = ropes(&links, 40);
    sn_worlds *beside = make(&def);
    def.side_by_side = false;
    sn_worlds *alone = make(&def);
    for (uint32_t step = 0; step < 9; ++step) {
        sn_worlds *both[] = {beside, alone};
        const bool sound = step < 3 || step >= 6;
        for (uint32_t i = 0; i < 2 && step == 6; ++i)
            assert_int_equal(sn_worlds_reset(both[i], NULL), SN_OK);
        for (uint32_t i = 0; i < 2 && !sound; ++i) {
            sn_world *sick = sn_worlds_at(both[i], 35);
            assert_ok(sick,
                      sn_particle_set_velocity(sick, sn_particle_from_index(sick, 16), vec(SUPPORT_REAL_MAX, 0, 0)));
        }
        const uint64_t before = sn_world_hash(sn_worlds_at(beside, 35));
        const sn_result expected = sound ? SN_OK : SN_ERROR_DIVERGED;
        assert_int_equal(sn_worlds_step(beside, DT), expected);
        assert_int_equal(sn_worlds_step(alone, DT), expected);
        assert_same(beside, alone);
        if (sound)
            continue;
        assert_says(sn_worlds_error(beside), "world 35:");
        assert_string_equal(sn_worlds_error(beside), sn_worlds_error(alone));
        assert_true(sn_world_hash(sn_worlds_at(beside, 35)) == before);
        assert_int_equal(sn_worlds_result(beside, 34), SN_OK);
    }
    sn_worlds_destroy(beside);
    sn_worlds_destroy(alone);
}

/* A bead on a rail, and one at the end of a rod. */
static sn_result build_beads(void *context, sn_world *world, uint32_t number)
{
    (void)context;
    const sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), 1), b = sn_particle_add_at(world, vec(0, 1, 0), 1);
    (void)sn_constraint_add_on_line(world, sn_at(a), vec(0, 0, 0), vec(1, 0, 0));
    (void)sn_constraint_add_distance(world, sn_at(a), sn_at(b), 1);
    return sn_particle_set_velocity(world, a, vec(number, 0, 0));
}

/* A world that fails in the middle of a call, since a bead gets too far, stays as it was before that step. The others take all steps. */
static void test_failure_of_several(void **state)
{
    (void)state;
    const sn_real long_dt = 10;
    for (uint32_t threads = 1; threads <= 3; ++threads) {
        sn_worlds_def def = sn_default_worlds_def();
        def.count = 40;
        def.build = build_beads;
        def.threads = threads;
        def.world.contact.on = false;
        sn_worlds *several = make(&def), *single = make(&def);
        for (uint32_t i = 0; i < 2; ++i) {
            sn_world *sick = sn_worlds_at(i ? single : several, 35);
            assert_int_equal(sn_worlds_step_many(i ? single : several, long_dt, 2, NULL), SN_OK);
            for (uint32_t k = 0; k < 2; ++k)
                assert_ok(sick, sn_particle_set_velocity(sick, sn_particle_from_index(sick, k),
                                                         vec(SUPPORT_REAL_MAX / 45, 0, 0)));
        }
        uint32_t failed = 0;
        uint64_t before = 0;
        for (uint32_t i = 0; i < 7; ++i) {
            before = failed ? before : sn_world_hash(sn_worlds_at(single, 35));
            if (sn_worlds_step(single, long_dt) != SN_OK && !failed)
                failed = i + 1;
        }
        char named[64];
        (void)snprintf(named, sizeof named, "world 35, step %u of 7:", failed);
        assert_in_range(failed, 2, 6);
        assert_int_equal(sn_worlds_step_many(several, long_dt, 7, NULL), SN_ERROR_DIVERGED);
        assert_says(sn_worlds_error(several), named);
        assert_true(sn_world_hash(sn_worlds_at(several, 35)) == before);
        for (uint32_t k = 0; k < 40; ++k) {
            assert_int_equal(sn_worlds_result(several, k), k == 35 ? SN_ERROR_DIVERGED : SN_OK);
            if (k != 35)
                assert_same_world(sn_worlds_at(several, k), sn_worlds_at(single, k));
        }
        sn_worlds_destroy(several);
        sn_worlds_destroy(single);
    }
}

static void test_threads(void **state)
{
    (void)state;
    uint32_t links = 8;
    uint64_t hash[6] = {0};
    for (uint32_t t = 0; t < 6; ++t) { /* one thread, three, three of a task system; then several steps in one call */
        sn_worlds_def def = ropes(&links, 300);
        def.threads = t % 3 == 0 ? 1 : 3;
        support_tasks tasks = {.mode = SUPPORT_TASKS_THREADS, .threads = 3};
        if (t % 3 == 2)
            def.tasks = support_tasks_hook(&tasks);
        sn_worlds *worlds = make(&def);
        assert_int_equal(sn_worlds_step(worlds, DT), SN_OK);
        for (uint32_t i = 0; i < 4 && t < 3; ++i)
            assert_int_equal(sn_worlds_step(worlds, DT), SN_OK);
        if (t >= 3)
            assert_int_equal(sn_worlds_step_many(worlds, DT, 4, NULL), SN_OK);
        for (uint32_t k = 0; k < 300; ++k)
            hash[t] = hash[t] * 31 + sn_world_hash(sn_worlds_at(worlds, k));
        sn_worlds_destroy(worlds);
    }
    for (uint32_t t = 1; t < 6; ++t)
        assert_true(hash[0] == hash[t]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),        cmocka_unit_test(test_against_single_worlds),
        cmocka_unit_test(test_edits),         cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_failure),       cmocka_unit_test(test_threads),
        cmocka_unit_test(test_several_steps), cmocka_unit_test(test_failure_of_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

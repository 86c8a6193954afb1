/* Same scene, same bits: the hash of a world with every kind after 600 steps is pinned here, for the default and for the
   reference. It must come out of every compiler, optimisation level, sanitizer and processor, with any number of threads
   and lanes, whatever the host did to the floating-point control word. When a change of the engine changes results on
   purpose, or a kind is added (the scene holds every kind), run this test and put in the numbers that it prints. */
#include "support/support.h"

#include "world/sheet.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

/* What is pinned: hashes, and bounds of the bytes that a particle takes, and a distance constraint, without a plan and with
   one. */
#if SINEW_DOUBLE
#define GOLDEN           UINT64_C(0x77f00efb9143d1ad)
#define GOLDEN_REFERENCE UINT64_C(0x4a8e3e1b4e808cd9)
enum { PARTICLE_BYTES = 192, REFERENCE_BYTES = 300, TILED_BYTES = 248 };
#else
#define GOLDEN           UINT64_C(0xa4a525638b0299f7)
#define GOLDEN_REFERENCE UINT64_C(0x3b6cd43433bbe83f)
enum { PARTICLE_BYTES = 112, REFERENCE_BYTES = 164, TILED_BYTES = 196 };
#endif

enum { STEPS = 600 };

static sn_world *zoo_from(sn_world_def def)
{
    def.settings.damping = real(0.1);
    def.settings.correct_stiffness = true;
    sn_world *world = support_world_from(&def);
    support_zoo(world);
    assert_ok(world, sn_field_add(world, support_wind, NULL, true, NULL));
    return world;
}

static sn_world *zoo_world(sn_tasks tasks)
{
    sn_world_def def = sn_default_world_def();
    def.tasks = tasks;
    return zoo_from(def);
}

/* A piece of a parallel loop is 4096 particles: enough of them, that there are several. */
static void add_dust(sn_world *world)
{
    uint64_t seed = 1;
    for (int i = 0; i < 20000; ++i) {
        sn_vec3 x =
            vec(support_random_in(&seed, -5, 5), support_random_in(&seed, 0, 5), support_random_in(&seed, -5, 5));
        assert_true(sn_particle_is_valid(world, sn_particle_add_at(world, x, real(0.01))));
    }
}

static void check_golden(sn_solver solver, const char *name, uint64_t golden)
{
    sn_world_def def = sn_default_world_def();
    def.settings.solver = solver;
    sn_world *world = zoo_from(def);
    support_run(world, STEPS, 1.0 / 60);
    uint64_t hash = sn_world_hash(world);
    if (hash != golden)
        print_error("%s is 0x%016llx\n", name, (unsigned long long)hash);
    assert_true(hash == golden);
    sn_world_destroy(world);
}

static void test_golden_hash(void **state)
{
    (void)state;
    check_golden(SN_SOLVER_TILED, "GOLDEN", GOLDEN);
}

static void test_golden_hash_of_the_reference(void **state)
{
    (void)state;
    check_golden(SN_SOLVER_GAUSS_SEIDEL, "GOLDEN_REFERENCE", GOLDEN_REFERENCE);
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    uint64_t first = 0;
    for (uint32_t threads = 0; threads <= 8; threads = threads ? 2 * threads : 1) {
        support_tasks tasks = {.mode = SUPPORT_TASKS_THREADS, .threads = threads};
        sn_world *world = zoo_world(threads ? support_tasks_hook(&tasks) : (sn_tasks){0});
        add_dust(world);
        support_run(world, 5, 1.0 / 60);
        if (threads == 0)
            first = sn_world_hash(world);
        assert_true(sn_world_hash(world) == first);
        assert_true(threads == 0 || tasks.most > 1);
        sn_world_destroy(world);
    }
}

/* Hosts flush denormals to zero, and some change the rounding. A step sees neither, and puts back what it found. */
static void test_control_word(void **state)
{
    (void)state;
#if defined(__SSE2__)
    sn_world *plain = zoo_world((sn_tasks){0}), *strange = zoo_world((sn_tasks){0});
    support_run(plain, 10, 1.0 / 60);
    const unsigned before = _mm_getcsr(), odd = 0x1f80u | 0x8040u | 0x6000u; /* FTZ, DAZ, round towards zero */
    const sn_real dt = real(1.0 / 60);
    for (int i = 0; i < 10; ++i) {
        _mm_setcsr(odd);
        sn_result result = sn_world_step(strange, dt);
        unsigned after = _mm_getcsr();
        _mm_setcsr(before);
        assert_int_equal(result, SN_OK);
        assert_int_equal(after & ~0x3fu, odd);
    }
    assert_true(sn_world_hash(plain) == sn_world_hash(strange));
    sn_world_destroy(plain);
    sn_world_destroy(strange);
#else
    skip();
#endif
}

/* The hash follows what users see, not how things are stored: a world that was filled in another order of storage, with
   removals on the way, has the hash of one that was not. */
static void test_hash_ignores_storage(void **state)
{
    (void)state;
    sn_world *straight = support_void(), *detour = support_void();
    sn_particle extra[3];
    for (int i = 0; i < 3; ++i)
        extra[i] = sn_particle_add_at(detour, vec(0, 0, 0), 1);
    for (int i = 0; i < 3; ++i)
        assert_ok(detour, sn_particle_remove(detour, extra[i]));
    sn_particle late = {0};
    for (int i = 0; i < 8; ++i) {
        sn_particle_add_at(straight, vec(i, 0, 0), 1);
        sn_particle p = sn_particle_add_at(detour, vec(i, 0, 0), 1);
        late = i == 2 ? p : late;
    }
    assert_true(sn_world_hash(straight) == sn_world_hash(detour));
    assert_ok(detour, sn_particle_remove(detour, late)); /* the last one moves into its slot */
    sn_particle_add_at(detour, vec(2, 0, 0), 1);
    assert_true(sn_world_hash(straight) == sn_world_hash(detour));
    sn_world_destroy(straight);
    sn_world_destroy(detour);
}

/* ---- Looking changes nothing ------------------------------------------------------------------------------------- */

/* Hashes, snapshots and reports between edits: the world goes the same way as one that nobody looks at. */
static void test_looking_changes_nothing(void **state)
{
    (void)state;
    static const uint32_t amounts[] = {1, 5, 20, 100, 300, 1000}; /* few are followed by the plan, many are not */
    for (size_t n = 0; n < COUNT_OF(amounts); n += support_long(1, 2)) {
        sheet seen = sheet_in(support_world()), unseen = sheet_in(support_world());
        for (uint32_t frame = 0; frame < support_long(6, 3); ++frame) {
            for (uint32_t i = 0; i < amounts[n]; ++i) {
                sheet_edit(&seen, true);
                sheet_edit(&unseen, false);
                if (i % 3 == 0)
                    sheet_look(&seen);
            }
            support_run(seen.world, 1, 1.0 / 60);
            support_run(unseen.world, 1, 1.0 / 60);
        }
        assert_same_world(seen.world, unseen.world);
        sn_world_destroy(seen.world);
        sn_world_destroy(unseen.world);
    }
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* Bytes, for so many particles and as many distance constraints, after a step. */
typedef struct item_memory {
    size_t particle, constraint;
} item_memory;

static item_memory memory_per_item(sn_solver solver)
{
    enum { N = 100000 };
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.settings.solver = solver;
    def.threads = 2; /* each has scratch of its own */
    def.allocator = support_allocator(&memory);
    sn_world *world = support_world_from(&def);
    sn_real *xyz = calloc(3 * N, sizeof *xyz);
    uint32_t *index = malloc(2 * N * sizeof *index);
    for (uint32_t i = 0; i < N; ++i) {
        xyz[3 * i] = (sn_real)i;
        index[2 * i] = i;
        index[2 * i + 1] = (i + 1) % N;
    }
    size_t empty = memory.bytes;
    assert_int_equal(sn_particles_add(world, N, xyz, 0, 1).count, N);
    size_t particles = memory.bytes;
    assert_int_equal(sn_constraints_add_kind(world, SN_KIND_DISTANCE, N, index, NULL, NULL).count, N);
    support_run(world, 1, 1.0 / 60);
    size_t all = memory.bytes;
    sn_world_destroy(world);
    free(xyz);
    free(index);
    return (item_memory){(particles - empty) / N, (all - particles) / N};
}

/* What docs/architecture.md says about memory. The plan, and the copy of the particles that is kept for a step that
   fails, are counted among the constraints. */
static void test_memory_per_item(void **state)
{
    (void)state;
    item_memory reference = memory_per_item(SN_SOLVER_GAUSS_SEIDEL), tiled = memory_per_item(SN_SOLVER_TILED);
    print_message("%zu bytes a particle, %zu bytes a distance constraint; with a plan %zu and %zu\n",
                  reference.particle, reference.constraint, tiled.particle, tiled.constraint);
    assert_int_equal(reference.particle, tiled.particle);
    assert_true(tiled.particle <= PARTICLE_BYTES);
    assert_true(reference.constraint <= REFERENCE_BYTES);
    assert_true(tiled.constraint <= TILED_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_hash),
        cmocka_unit_test(test_golden_hash_of_the_reference),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_control_word),
        cmocka_unit_test(test_hash_ignores_storage),
        cmocka_unit_test(test_memory_per_item),
        cmocka_unit_test(test_looking_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

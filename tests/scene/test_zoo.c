/* The zoo, scenes/zoo.json, holds every kind for particles, and the zoo of bodies, scenes/zoo_of_bodies.json, bodies, joints and
   shape matching: their hashes after so many frames are pinned here. They must come out of every compiler, optimisation level,
   sanitizer and processor, with any number of threads and lanes. When a change of the engine changes results on purpose, or a
   scene changes, run this test and put in the numbers that it prints. (There are two because worlds with bodies take another
   path through the step.) */
#include "support/fixed.h"
#include "support/support.h"

#include "scene/load.h"

typedef struct zoo {
    const char *name;
    uint32_t frames;
    uint64_t golden;
} zoo;

static const zoo zoos[] = {
#if SINEW_DOUBLE
    {"zoo", 600, UINT64_C(0xf084b98ec8baf5b0)},
    {"zoo_of_bodies", 300, UINT64_C(0x4487a755af706e4d)},
#else
    {"zoo", 600, UINT64_C(0x6bb7fcd23c9c123b)},
    {"zoo_of_bodies", 300, UINT64_C(0x324c899884e86b4c)},
    {"discontinuities", 59, UINT64_C(0x97f79686d63a9bc1)},
#endif
};

#define FEW_FRAMES support_long(4, 1)

#define SOME_FRAMES support_rounds(support_long(60, 9), 8)

/* Lanes and threads go through all frames only in a long run: the random worlds compare them too. */
#define WHOLE support_long(1, 0)

static sn_scene *load_zoo(const zoo *z, sn_loaded *loaded)
{
    sn_load_options options = sn_default_load_options();
    char path[300];
    snprintf(path, sizeof path, "%s/%s.json", SINEW_SCENES_DIR, z->name);
    if (!sn_scene_load(path, &options, loaded)) {
        for (const sn_problem *p = loaded->problems.first; p; p = p->next)
            sn_loaded_print(loaded, p, stderr);
        fail_msg("the %s does not load", z->name);
    }
    return loaded->scene;
}

static void test_golden_hash(void **state)
{
    (void)state;
    if (!support_rounds(1, 0)) /* minutes with a sanitizer, and the bits are looked at without */
        skip();
    for (size_t z = 0; z < COUNT_OF(zoos); ++z) {
        sn_loaded loaded;
        sn_scene *scene = load_zoo(&zoos[z], &loaded);
        for (uint32_t i = 0; i < zoos[z].frames; ++i)
            assert_ok(sn_scene_world(scene), sn_scene_step(scene));
        uint64_t hash = sn_world_hash(sn_scene_world(scene));
        if (hash != zoos[z].golden)
            fail_msg("the hash of the %s is 0x%016llx", zoos[z].name, (unsigned long long)hash);
        sn_loaded_release(&loaded);
    }
}

/* ---- Threads and lanes ------------------------------------------------------------------------------------------- */

/* The zoo before its first frame, without its scene: it has no program, a step is all that happens. */
static sn_snapshot *save_zoo(const zoo *z)
{
    sn_loaded loaded;
    sn_snapshot *saved = sn_world_save(sn_scene_world(load_zoo(z, &loaded)));
    assert_non_null(saved);
    sn_loaded_release(&loaded);
    return saved;
}

/* A snapshot holds neither meshes nor hulls: a world that it is loaded into must have had them. */
static void add_shapes(const zoo *z, sn_world *world)
{
    sn_loaded loaded;
    sn_world *from = sn_scene_world(load_zoo(z, &loaded));
    for (uint32_t i = 0; i < fixed_count(from); ++i) {
        fixed_def def;
        assert_ok(from, fixed_read(from, sn_body_from_index(from, i), &def));
        assert_ok(world, fixed_add(world, &def, NULL));
    }
    for (uint32_t i = 0; i < sn_world_body_count(from); ++i) {
        sn_body_def def;
        assert_ok(from, sn_body_read(from, sn_body_from_index(from, i), &def));
        assert_ok(world, sn_body_add(world, &def, NULL));
    }
    sn_loaded_release(&loaded);
}

/* NULL if the machine, or the build, does not have so many lanes. */
static sn_world *zoo_on(const zoo *z, const sn_snapshot *saved, uint32_t threads, sn_simd simd)
{
    sn_world_def def = sn_default_world_def();
    def.threads = threads;
    def.simd = simd;
    if (sn_world_def_check(&def, NULL, 0) != SN_OK)
        return NULL;
    sn_world *world = support_world_from(&def);
    add_shapes(z, world);
    assert_ok(world, sn_world_load(world, saved));
    return world;
}

/* A world goes the same way as its scene. */
static void test_without_its_scene(void **state)
{
    (void)state;
    for (size_t z = 0; z < COUNT_OF(zoos); ++z) {
        sn_loaded loaded;
        sn_scene *scene = load_zoo(&zoos[z], &loaded);
        sn_snapshot *saved = save_zoo(&zoos[z]);
        sn_world *world = zoo_on(&zoos[z], saved, 0, SN_SIMD_AUTO);
        for (uint32_t i = 0; i < SOME_FRAMES; ++i)
            assert_ok(sn_scene_world(scene), sn_scene_step(scene));
        support_run(world, SOME_FRAMES, 1.0 / 60);
        assert_same_world(world, sn_scene_world(scene));
        sn_world_destroy(world);
        sn_snapshot_destroy(saved);
        sn_loaded_release(&loaded);
    }
}

static void test_golden_hash_with_any_lanes(void **state)
{
    (void)state;
    uint32_t tried = 0;
    for (size_t z = 0; z < COUNT_OF(zoos); ++z) {
        sn_snapshot *saved = save_zoo(&zoos[z]);
        sn_world *reference = zoo_on(&zoos[z], saved, 1, SN_SIMD_AUTO);
        support_run(reference, SOME_FRAMES, 1.0 / 60);
        uint64_t some = sn_world_hash(reference);
        sn_world_destroy(reference);
        for (int simd = SN_SIMD_SCALAR; simd <= SN_SIMD_16; ++simd) {
            sn_world *world = zoo_on(&zoos[z], saved, 1, (sn_simd)simd);
            if (!world)
                continue;
            bool whole = WHOLE;
            support_run(world, whole ? zoos[z].frames : SOME_FRAMES, 1.0 / 60);
            assert_true(sn_world_hash(world) == (whole ? zoos[z].golden : some));
            sn_world_destroy(world);
            ++tried;
        }
        sn_snapshot_destroy(saved);
    }
    assert_true(tried > 0);
}

enum { SIDE = 96 };

/* Rods, diagonals and bending of a sheet beside the zoo, large enough that threads share it. shuffled: its particles have
   any numbers, so that it is no grid to the plan. */
static void add_sheet(sn_world *world, double z, bool shuffled)
{
    static const uint32_t way[4][2] = {{1, 0}, {0, 1}, {1, 1}, {2, 0}};
    uint64_t seed = 6;
    uint32_t *number = malloc(SIDE * SIDE * sizeof *number), *rod = malloc(8 * SIDE * SIDE * sizeof *rod), rods = 0;
    sn_real *xyz = malloc(3 * SIDE * SIDE * sizeof *xyz);
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        uint32_t j = shuffled ? support_random_below(&seed, i + 1) : i;
        number[i] = number[j];
        number[j] = i;
    }
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        sn_real *x = xyz + 3 * (size_t)number[i];
        x[0] = real(0.02 * (i % SIDE));
        x[1] = real(3 + 0.001 * (i % 7));
        x[2] = real(z + 0.02 * (i / SIDE));
    }
    sn_particles run = sn_particles_add(world, SIDE * SIDE, xyz, 0, real(0.01));
    assert_int_equal(run.count, SIDE * SIDE);
    for (uint32_t i = 0; i < SIDE * SIDE; ++i)
        for (uint32_t k = 0; k < 4; ++k)
            if (i % SIDE + way[k][0] < SIDE && i / SIDE + way[k][1] < SIDE) {
                rod[rods++] = run.first + number[i];
                rod[rods++] = run.first + number[i + way[k][0] + SIDE * way[k][1]];
            }
    assert_int_equal(sn_constraints_add_kind(world, SN_KIND_DISTANCE, rods / 2, rod, NULL, NULL).count, rods / 2);
    sn_constraint_add_pin(world, sn_particles_at(run, number[0]));
    free(xyz);
    free(rod);
    free(number);
}

/* The zoo itself is too small to be shared. */
static void test_golden_hash_with_any_threads(void **state)
{
    (void)state;
    for (size_t z = 0; z < COUNT_OF(zoos); ++z) {
        sn_snapshot *saved = save_zoo(&zoos[z]);
        sn_world *reference = zoo_on(&zoos[z], saved, 1, SN_SIMD_AUTO);
        support_run(reference, SOME_FRAMES, 1.0 / 60);
        for (uint32_t threads = 2; threads <= 8; threads += support_long(1, 3)) {
            sn_world *world = zoo_on(&zoos[z], saved, threads, SN_SIMD_AUTO);
            bool whole = threads == 8 && WHOLE;
            support_run(world, whole ? zoos[z].frames : SOME_FRAMES, 1.0 / 60);
            assert_true(sn_world_hash(world) == (whole ? zoos[z].golden : sn_world_hash(reference)));
            sn_world_destroy(world);
        }
        sn_world_destroy(reference);
        sn_snapshot_destroy(saved);
    }
}

/* A world that is worth sharing, with all numbers of threads and, in turns, of lanes. In double there are none. */
static void test_threads_change_nothing(void **state)
{
    (void)state;
    const uint32_t more = support_long(1, 7);
    for (size_t z = 0; z < COUNT_OF(zoos); ++z) {
        sn_snapshot *saved = save_zoo(&zoos[z]);
        sn_world *crowd = zoo_on(&zoos[z], saved, 1, SN_SIMD_SCALAR);
        add_sheet(crowd, 2, false);
        add_sheet(crowd, 8, true);
        assert_ok(crowd, sn_world_save_into(crowd, saved));
        support_run(crowd, FEW_FRAMES, 1.0 / 60);
        for (uint32_t threads = 1; threads <= 8; threads += more) {
            sn_world *world = zoo_on(&zoos[z], saved, threads, (sn_simd)(SN_SIMD_AUTO + threads % (SN_SIMD_16 + 1)));
            world = world ? world : zoo_on(&zoos[z], saved, threads, SN_SIMD_AUTO);
            support_run(world, FEW_FRAMES, 1.0 / 60);
            assert_same_world(world, crowd);
            sn_world_destroy(world);
        }
        sn_world_destroy(crowd);
        sn_snapshot_destroy(saved);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_hash),
        cmocka_unit_test(test_without_its_scene),
        cmocka_unit_test(test_golden_hash_with_any_lanes),
        cmocka_unit_test(test_golden_hash_with_any_threads),
        cmocka_unit_test(test_threads_change_nothing),
    };
    return cmocka_run_group_tests_name("zoo", tests, NULL, NULL);
}

/* What lessons of the playground say is what their scenes show. */
#include "support/support.h"

#include <sinew/scene.h>

static sn_scene *open_scene(const char *name, uint32_t count, const char *const *set)
{
    char path[1000], why[1000];
    sn_scene_def def = sn_default_scene_def();
    sn_scene *scene = NULL;
    def.set_count = count;
    def.set = set;
    snprintf(path, sizeof path, "%s/%s.json", SINEW_SCENES_DIR, name);
    if (sn_scene_open(path, &def, &scene, why, sizeof why) != SN_OK)
        fail_msg("%s", why);
    return scene;
}

/* The largest share by which a rod is off after so many frames. */
static double worst_rod(const char *name, uint32_t frames, uint32_t count, const char *const *set)
{
    sn_scene *scene = open_scene(name, count, set);
    sn_world *world = sn_scene_world(scene);
    for (uint32_t i = 0; i < frames; ++i)
        assert_ok(world, sn_scene_step(scene));
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    const double worst = sn_report_kind(&report, SN_KIND_DISTANCE)->relative;
    sn_scene_destroy(scene);
    return worst;
}

/* Rubber or silk: sweeps leave the finer cloth the worse, limits from coarse to fine leave neither. */
static void test_silk(void **state)
{
    (void)state;
    static const char *const coarse[] = {"world.stiffening=off", "objects[0].columns=32", "objects[0].rows=32"};
    static const char *const fine[] = {"world.stiffening=off"};
    const double swept_32 = worst_rod("rubber_and_silk", 90, 3, coarse),
                 swept_64 = worst_rod("rubber_and_silk", 90, 1, fine);
    const double silk_32 = worst_rod("rubber_and_silk", 90, 2, coarse + 1),
                 silk_64 = worst_rod("rubber_and_silk", 90, 0, NULL);
    print_message("worst rod: swept %.2f and %.2f, silk %.4f and %.4f\n", swept_32, swept_64, silk_32, silk_64);
    assert_true(swept_32 > 0.1 && swept_64 > 0.5); /* like rubber */
    assert_true(silk_32 < 0.05 && silk_64 < 0.05); /* also while it swings */
}

/* Why cloth passes through itself: without self-collision the towel intersects itself, with it never, at ten substeps and at one. */
static void test_cloth(void **state)
{
    (void)state;
    static const char *const set[] = {"objects[0].columns=13", "objects[0].rows=22",
                                      "objects[0].skin.self_collision=false", "world.substeps=10"};
    static const char *const one[] = {"objects[0].columns=13", "objects[0].rows=22", "world.substeps=1"};
    for (uint32_t i = 0; i < 3; ++i) { /* A; B; B with one substep */
        sn_scene *scene = open_scene("dropped_towel", i == 0 ? 4 : i == 1 ? 2 : 3, i == 2 ? one : set);
        sn_world *world = sn_scene_world(scene);
        uint64_t most = 0;
        for (uint32_t k = 0; k < support_rounds(240, 80); ++k) {
            assert_ok(world, sn_scene_step(scene));
            const uint64_t now = sn_query_intersections(world, NULL, 0);
            most = now > most ? now : most;
        }
        assert_true(i == 0 ? most > 100 : most == 0);
        sn_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_silk), cmocka_unit_test(test_cloth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

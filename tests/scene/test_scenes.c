/* The scenes that come with Sinew: each loads, says what it shows, runs, and comes back the same from a saved file. What they
   say about physics is true. */
#define _XOPEN_SOURCE 700
#include "support/support.h"

#include "scene/load.h"

#include <dirent.h>
#include <math.h>

#define MOST_SCENES 128

typedef struct scene_list {
    uint32_t count;
    char name[MOST_SCENES][64]; /* without .json */
} scene_list;

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static scene_list list_scenes(void)
{
    scene_list list = {0};
    DIR *folder = opendir(SINEW_SCENES_DIR);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *end = strstr(entry->d_name, ".json");
        if (!end || end[5] || (size_t)(end - entry->d_name) >= sizeof list.name[0])
            continue;
        assert_true(list.count < MOST_SCENES);
        memcpy(list.name[list.count++], entry->d_name, (size_t)(end - entry->d_name));
    }
    closedir(folder);
    qsort(list.name, list.count, sizeof list.name[0], by_name);
    return list;
}

static sn_scene *load(const char *name, sn_loaded *loaded, uint32_t set_count, const char *const *sets)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s.json", SINEW_SCENES_DIR, name);
    sn_load_options options = sn_default_load_options();
    options.set_count = set_count;
    options.sets = sets;
    if (!sn_scene_load(path, &options, loaded)) {
        for (const sn_problem *p = loaded->problems.first; p; p = p->next)
            sn_loaded_print(loaded, p, stderr);
        fail_msg("%s does not load", path);
    }
    return loaded->scene;
}

static void step(sn_scene *scene, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; ++i)
        if (sn_scene_step(scene) != SN_OK)
            fail_msg("frame %u: %s", i, sn_world_error(sn_scene_world(scene)));
}

static sn_vec3 place(sn_scene *scene, const char *object, uint32_t i)
{
    const sn_object *o = sn_scene_find_object(scene, object);
    assert_non_null(o);
    return sn_particle_position(sn_scene_world(scene), sn_particles_at(o->run, i));
}

static void test_there_are_scenes_for_every_topic(void **state)
{
    (void)state;
    scene_list list = list_scenes();
    assert_true(list.count >= 16);
    for (uint32_t i = 0; i < list.count; ++i) {
        sn_loaded loaded;
        sn_scene *scene = load(list.name[i], &loaded, 0, NULL);
        sn_scene_info info = sn_scene_describe(scene);
        if (!info.title[0] || strlen(info.about) < 40 || !info.topic[0])
            fail_msg("%s does not say what it shows", list.name[i]);
        if (loaded.problems.warnings)
            fail_msg("%s has warnings", list.name[i]);
        sn_loaded_release(&loaded);
    }
}

/* Every scene runs for a second without gaining energy out of nothing, and a saved one is the same to the last bit. */
static void test_scenes_run_and_come_back(void **state)
{
    (void)state;
    scene_list list = list_scenes();
    for (uint32_t i = 0; i < list.count; ++i) {
        sn_loaded loaded;
        sn_scene *scene = load(list.name[i], &loaded, 0, NULL), *again;
        sn_document saved;
        sn_problems problems;
        char message[256];
        sn_document_init(&saved, NULL);
        sn_problems_init(&problems, NULL);
        if (!sn_scene_save(scene, &saved, message, sizeof message))
            fail_msg("%s: %s", list.name[i], message);
        again = sn_scene_create(&saved, NULL, &problems);
        if (!again)
            fail_msg("%s, saved: %s: %s", list.name[i], problems.first->path, problems.first->text);
        uint32_t frames = sn_world_particle_count(sn_scene_world(scene)) > 1000 ? 3 : support_rounds(60, 10);
        assert_true(sn_world_hash(sn_scene_world(scene)) == sn_world_hash(sn_scene_world(again)));
        step(scene, frames);
        step(again, frames);
        if (sn_world_hash(sn_scene_world(scene)) != sn_world_hash(sn_scene_world(again)))
            fail_msg("%s went another way after it was saved", list.name[i]);
        sn_report report;
        assert_ok(sn_scene_world(scene), sn_world_report(sn_scene_world(scene), &report));
        assert_true(isfinite(report.kinetic) && isfinite(report.potential));
        sn_scene_destroy(again);
        sn_problems_release(&problems);
        sn_document_release(&saved);
        sn_loaded_release(&loaded);
    }
}

static void test_worked_example(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load("worked_example", &loaded, 0, NULL);
    step(scene, 1);
    assert_vec_close(place(scene, "pair", 0), vec(14.0 / 3, 19.0 / 6, 7.0 / 3), 1e-6);
    assert_vec_close(place(scene, "pair", 1), vec(8.0 / 3, 25.0 / 6, 13.0 / 3), 1e-6);
    sn_loaded_release(&loaded);
}

static void test_catenary_hangs_as_deep_as_it_says(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load("catenary", &loaded, 0, NULL);
    step(scene, sn_scene_describe(scene).frames);
    assert_close(-place(scene, "long", 10).y, 0.798273, 0.004);
    assert_close(-place(scene, "middle", 10).y, 0.503447, 0.0026);
    assert_close(-place(scene, "short", 10).y, 0.292721, 0.0015);
    sn_loaded_release(&loaded);
}

/* "it sags by the same 0.11 m however many passes there are" */
static void test_compliance_does_not_depend_on_passes(void **state)
{
    (void)state;
    const char *const passes[] = {"world.iterations=5", "world.iterations=40"};
    double sag[2], classic[2];
    for (int i = 0; i < 2; ++i) {
        sn_loaded loaded;
        sn_scene *scene = load("stiffness_and_compliance", &loaded, 1, &passes[i]);
        step(scene, sn_scene_describe(scene).frames);
        sag[i] = 1.5 - 1 - (double)place(scene, "compliant", 10).y;
        classic[i] = 1.5 - 1 - (double)place(scene, "classic", 10).y;
        sn_loaded_release(&loaded);
    }
    assert_close(sag[0], 0.11, 0.004);
    assert_close(sag[1], 0.11, 0.002);
    assert_true(classic[0] > 2 * classic[1]);
}

static double energy(sn_scene *scene)
{
    sn_report report;
    assert_ok(sn_scene_world(scene), sn_world_report(sn_scene_world(scene), &report));
    return report.kinetic + report.potential + report.elastic;
}

/* "Forward Euler gains energy with every swing, symplectic Euler keeps it in a band" */
static void test_integrators_on_a_spring(void **state)
{
    (void)state;
    const char *const sets[] = {"world.integrator=forward_euler", "world.integrator=symplectic_euler",
                                "world.integrator=leapfrog"};
    double drift[3];
    for (int i = 0; i < 3; ++i) {
        sn_loaded loaded;
        sn_scene *scene = load("spring_integrators", &loaded, 1, &sets[i]);
        double start = energy(scene);
        step(scene, 600);
        drift[i] = fabs(energy(scene) / start - 1);
        sn_loaded_release(&loaded);
    }
    assert_true(drift[0] > 10);
    assert_true(drift[1] < 0.15);
    assert_true(drift[2] < 0.02);
}

/* The cloth of "explosion" is calm as it comes and explodes in the order of insertion. */
static void test_the_order_of_sweeps_matters(void **state)
{
    (void)state;
    const char *insertion = "world.order=insertion";
    sn_loaded calm, wild;
    sn_scene *scene = load("explosion", &calm, 0, NULL);
    double start = energy(scene);
    step(scene, 20);
    assert_true(energy(scene) <= start * (1 + 1e-6));
    scene = load("explosion", &wild, 1, &insertion);
    sn_result result = SN_OK;
    for (int i = 0; i < 40 && result == SN_OK; ++i)
        result = sn_scene_step(scene);
    sn_report report;
    assert_ok(sn_scene_world(scene), sn_world_report(sn_scene_world(scene), &report));
    assert_true(result == SN_ERROR_DIVERGED || report.kinetic > 10 * fabs(start));
    sn_loaded_release(&calm);
    sn_loaded_release(&wild);
}

static void test_the_zoo_has_every_kind(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load("zoo", &loaded, 0, NULL);
    for (uint32_t kind = 1; kind < sn_kind_count(NULL); ++kind)
        if (sn_world_constraint_count(sn_scene_world(scene), kind) == 0)
            fail_msg("the zoo has no %s", sn_kind_info(NULL, kind)->name);
    sn_loaded_release(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_are_scenes_for_every_topic),
        cmocka_unit_test(test_scenes_run_and_come_back),
        cmocka_unit_test(test_worked_example),
        cmocka_unit_test(test_catenary_hangs_as_deep_as_it_says),
        cmocka_unit_test(test_compliance_does_not_depend_on_passes),
        cmocka_unit_test(test_integrators_on_a_spring),
        cmocka_unit_test(test_the_order_of_sweeps_matters),
        cmocka_unit_test(test_the_zoo_has_every_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

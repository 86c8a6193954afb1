/* Cutting surfaces of a scene that had no skin, and wind on what is cut. */
#include "scene/loaded.h"

#include <math.h>

static const char text[] =
    "{\"world\": {\"substeps\": 10}, \"materials\": {\"cotton\": {\"density\": 0.2, \"stretch\": 1e-4, \"bend\": "
    "3000}},"
    "\"objects\": [{\"type\": \"cloth\", \"name\": \"cloth\", \"columns\": 13, \"rows\": 13, \"position\": [0, 2, 0], "
    "\"pins\": \"top\", \"material\": \"cotton\"},"
    "{\"type\": \"cloth\", \"name\": \"other\", \"columns\": 5, \"rows\": 5, \"position\": [3, 2, 0], \"pins\": "
    "\"top\"},"
    "{\"type\": \"rope\", \"name\": \"rope\", \"from\": [1, 2.5, 0], \"segments\": 10, \"pins\": \"start\"}],"
    "\"forces\": [{\"type\": \"wind\", \"of\": [\"cloth\", \"other\"], \"value\": [0, 0, 4]}]}";

static double mass(const sn_scene *scene)
{
    sn_report report;
    assert_int_equal(sn_world_report(sn_scene_world((sn_scene *)(uintptr_t)scene), &report), SN_OK);
    return report.mass;
}

/* From the left of the cloth to beyond the rope, across all of z. */
static sn_cut_def across(sn_real height)
{
    sn_cut_def def = sn_default_cut_def();
    def.a = (sn_vec3){-1, height, -2}, def.b = (sn_vec3){-1, height, 2};
    def.to_a = (sn_vec3){(sn_real)1.5, height, -2}, def.to_b = (sn_vec3){(sn_real)1.5, height, 2};
    return def;
}

static void test_the_lower_part_falls(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load_text(text, &loaded, NULL);
    sn_world *world = sn_scene_world(scene);
    run(scene, 5);
    double before = mass(scene);
    sn_scene_moment *moment = sn_scene_mark(scene);
    uint64_t hash = sn_world_hash(world);
    sn_cut_def blade = across((sn_real)1.96);
    sn_cut_info info;
    assert_ok(world, sn_scene_slice(scene, &blade, &info));
    assert_true(info.inserted > 5 && info.split > 5 && info.removed > 0);
    assert_true(fabs(mass(scene) - before) < 1e-6 * before);
    const sn_object *cloth = sn_scene_find_object(scene, "cloth"), *other = sn_scene_find_object(scene, "other");
    assert_true(sn_skin_is_valid(world, cloth->skin));
    assert_false(sn_skin_is_valid(world, other->skin)); /* the blade does not go there */
    uint64_t cut = run(scene, 60);                      /* with wind on what is left */
    sn_vec3 corner = sn_particle_position(world, sn_particles_at(cloth->run, 0));
    sn_vec3 end = sn_particle_position(world, sn_particles_at(cloth->run, cloth->run.count - 1));
    assert_true((corner.y > 2) != (end.y > 2));                       /* one row hangs, the other one is on its way */
    assert_true((corner.y > 2 ? end.y : corner.y) < -1);              /* 60 frames of falling are 4.9 m, less drag */
    assert_true(fabs((double)(corner.z > 2 ? end.z : corner.z)) < 4); /* no triangle spans the cut and is blown away */
    assert_int_equal(sn_scene_return(scene, moment), SN_OK);
    assert_true(sn_world_hash(world) == hash);
    assert_false(sn_skin_is_valid(world, cloth->skin));
    assert_ok(world, sn_scene_slice(scene, &blade, NULL));
    assert_true(run(scene, 60) == cut);
    assert_int_equal(sn_scene_remove(scene, "cloth"), SN_OK); /* both parts */
    assert_int_equal(sn_world_particle_count(world), 25 + 11);
    run(scene, 2);
    sn_scene_moment_destroy(moment);
    sn_loaded_release(&loaded);
}

static void test_a_breeze_is_changed_as_it_blows(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load_text(text, &loaded, NULL);
    sn_world *world = sn_scene_world(scene);
    const sn_object *cloth = sn_scene_find_object(scene, "cloth");
    run(scene, 2);
    sn_scene_moment *before = sn_scene_mark(scene);
    uint64_t calm = run(scene, 40);
    assert_int_equal(sn_scene_return(scene, before), SN_OK);
    assert_int_equal(sn_scene_set_breeze(scene, (sn_vec3){0, 0, -3}), SN_OK);
    assert_int_equal(sn_scene_set_breeze(scene, (sn_vec3){0, 0, -9}), SN_OK); /* the same one */
    run(scene, 40);
    sn_vec3 end = sn_particle_position(world, sn_particles_at(cloth->run, 6));
    sn_vec3 other = sn_particle_position(world, sn_particles_at(cloth->run, cloth->run.count - 7));
    assert_true((end.y < other.y ? end.z : other.z) < (sn_real)-0.1); /* stronger than the scene's wind the other way */
    assert_int_equal(sn_scene_return(scene, before), SN_OK);
    assert_int_equal(sn_scene_set_breeze(scene, (sn_vec3){0, 0, -9}), SN_OK);
    assert_int_equal(sn_scene_set_breeze(scene, (sn_vec3){0, 0, 0}), SN_OK);
    assert_true(run(scene, 40) == calm);
    uint64_t hash = sn_world_hash(world);
    assert_int_equal(sn_scene_set_breeze(scene, (sn_vec3){0, (sn_real)NAN, 0}), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(sn_scene_error(scene), "nan"));
    assert_int_equal(sn_scene_set_breeze(NULL, (sn_vec3){0, 0, 0}), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_scene_set_friction(scene, (sn_real)-1), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_scene_set_friction(NULL, 1), SN_ERROR_ARGUMENT);
    assert_true(sn_world_hash(world) == hash);
    assert_int_equal(sn_scene_set_friction(scene, (sn_real)0.8), SN_OK);
    assert_true(sn_world_group_contact(world, cloth->group).material.dynamic_friction == (sn_real)0.8);
    sn_scene_moment_destroy(before);
    sn_loaded_release(&loaded);
}

static void test_what_is_missed_or_refused_changes_nothing(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load_text(text, &loaded, NULL);
    sn_world *world = sn_scene_world(scene);
    run(scene, 3);
    sn_scene_moment *before = sn_scene_mark(scene);
    run(scene, 80);
    uint64_t hash, without = run(scene, 5);
    assert_int_equal(sn_scene_return(scene, before), SN_OK);
    sn_scene_moment_destroy(before);
    sn_cut_def blade = across(9);
    sn_cut_info info;
    assert_ok(world, sn_scene_slice(scene, &blade, &info));
    assert_true(!info.inserted && !info.split && !info.removed);
    run(scene, 80);
    assert_true(run(scene, 5) == without); /* where it went is remembered, and no more */
    hash = sn_world_hash(world);
    blade = across(2);
    blade.a.x = (sn_real)NAN;
    assert_int_equal(sn_scene_slice(scene, &blade, &info), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_scene_slice(scene, NULL, &info), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_scene_slice(NULL, &blade, &info), SN_ERROR_ARGUMENT);
    assert_true(sn_world_hash(world) == hash);
    assert_false(sn_skin_is_valid(world, sn_scene_find_object(scene, "cloth")->skin));
    sn_loaded_release(&loaded);
}

static void test_without_memory(void **state)
{
    (void)state;
    bool done = false;
    for (uint64_t fail_at = 0; !done; ++fail_at) {
        support_memory memory = {0};
        sn_allocator allocator = support_allocator(&memory);
        sn_loaded loaded;
        sn_scene *scene = load_text(text, &loaded, &allocator);
        uint64_t hash = run(scene, 2);
        sn_cut_def blade = across((sn_real)1.96);
        memory.fail_at = memory.requests + 1 + fail_at;
        sn_result result = sn_scene_slice(scene, &blade, NULL);
        memory.fail_at = 0;
        done = result == SN_OK;
        if (!done)
            assert_true(sn_world_hash(sn_scene_world(scene)) == hash);
        run(scene, 1);
        sn_loaded_release(&loaded);
        assert_memory_clean(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_lower_part_falls),
        cmocka_unit_test(test_a_breeze_is_changed_as_it_blows),
        cmocka_unit_test(test_what_is_missed_or_refused_changes_nothing),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Taking objects and bodies out of a scene. */
#include "scene/loaded.h"

static const char text[] =
    "{\"objects\": ["
    "{\"type\": \"cloth\", \"name\": \"sheet\", \"columns\": 5, \"rows\": 5, \"position\": [0, 2, 0], \"pins\": "
    "[\"top\"], \"skin\": true},"
    "{\"type\": \"rope\", \"name\": \"rope\", \"segments\": 6, \"from\": [2, 2, 0], \"pins\": [\"start\"]},"
    "{\"type\": \"wall\", \"name\": \"wall\", \"position\": [5, 0, 0]}],"
    "\"bodies\": [{\"name\": \"crate\", \"position\": [-2, 1, 0], \"shapes\": {\"type\": \"box\"}},"
    "{\"name\": \"floor\", \"type\": \"static\", \"shapes\": {\"type\": \"plane\"}},"
    "{\"name\": \"lift\", \"type\": \"kinematic\", \"position\": [9, 1, 0], \"shapes\": {\"type\": \"box\"}}],"
    "\"attachments\": [{\"between\": [\"sheet.bottom_right\", \"rope.end\"], \"distance\": 1}],"
    "\"forces\": [{\"type\": \"wind\", \"value\": [3, 0, 2]}, {\"of\": \"sheet\", \"value\": [0, 0, 0.1]}],"
    "\"motions\": [{\"of\": [\"sheet.top\", \"rope.start\"], \"keys\": [{\"time\": 0}, {\"time\": 1, \"move\": [0.1, "
    "0, 0]}]},"
    "{\"of\": \"lift\", \"keys\": [{\"time\": 0}, {\"time\": 1, \"move\": [0, 1, 0]}]}],"
    "\"events\": [{\"time\": 0.2, \"type\": \"release\", \"of\": \"sheet.top\"},"
    "{\"time\": 0.1, \"when\": {\"contact\": [\"sheet\", \"crate\"]}, \"type\": \"impulse\", \"of\": \"rope\", "
    "\"value\": [0, 1, 0]}],"
    "\"record\": {\"particles\": [\"sheet.bottom_left\", \"rope.end\"]}}";

static void test_each_of_them_goes_and_comes_back(void **state)
{
    (void)state;
    static const char *const names[] = {"sheet", "rope", "wall", "crate", "floor", "lift", "wall[2]"};
    sn_loaded loaded;
    sn_scene *scene = load_text(text, &loaded, NULL);
    sn_world *world = sn_scene_world(scene);
    run(scene, 4);
    sn_scene_moment *before = sn_scene_mark(scene);
    uint64_t there = sn_world_hash(world), later = run(scene, 20);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        assert_int_equal(sn_scene_return(scene, before), SN_OK);
        uint32_t particles = sn_world_particle_count(world), bodies = sn_world_body_count(world);
        assert_int_equal(sn_scene_remove(scene, names[i]), SN_OK);
        assert_true(sn_world_particle_count(world) < particles || sn_world_body_count(world) < bodies);
        assert_int_equal(sn_scene_remove(scene, names[i]), SN_ERROR_ARGUMENT);
        assert_true(run(scene, 20) != later);
    }
    assert_int_equal(sn_scene_return(scene, before), SN_OK);
    assert_true(sn_world_hash(world) == there);
    assert_true(run(scene, 20) == later);
    sn_scene_moment_destroy(before);
    sn_loaded_release(&loaded);
}

/* What comes next gets the numbers of what went, and nothing that acted on that acts on it. */
static void test_nothing_acts_on_what_takes_its_numbers(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load_text(text, &loaded, NULL);
    sn_world *world = sn_scene_world(scene);
    run(scene, 2);
    assert_int_equal(sn_scene_remove(scene, "sheet"), SN_OK);
    sn_settings settings = sn_world_settings(world);
    settings.gravity = (sn_vec3){0, 0, 0};
    assert_ok(world, sn_world_configure(world, &settings));
    sn_particle_def def = sn_default_particle_def();
    sn_particle made[25];
    for (int i = 0; i < 25; ++i) {
        def.position = (sn_vec3){(sn_real)(20 + i), 5, 0};
        assert_ok(world, sn_particle_add(world, &def, &made[i]));
    }
    bool reused = false;
    for (int i = 0; i < 25; ++i)
        reused = reused || made[i].index < 25;
    assert_true(reused);
    run(scene, 30); /* over the time of the release, too */
    for (int i = 0; i < 25; ++i) {
        sn_vec3 v = sn_particle_velocity(world, made[i]);
        assert_true(v.x == 0 && v.y == 0 && v.z == 0);
    }
    sn_loaded_release(&loaded);
}

static void test_the_rest_can_be_saved(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load_text(text, &loaded, NULL);
    sn_document document;
    char message[256] = "";
    run(scene, 2);
    assert_int_equal(sn_scene_remove(scene, "sheet"), SN_OK);
    assert_int_equal(sn_scene_remove(scene, "crate"), SN_OK);
    run(scene, 2);
    sn_document_init(&document, NULL);
    if (!sn_scene_save(scene, &document, message, sizeof message))
        fail_msg("%s", message);
    sn_document_release(&document);
    sn_loaded_release(&loaded);
}

static void test_refused(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load_text(text, &loaded, NULL);
    uint64_t hash = sn_world_hash(sn_scene_world(scene));
    assert_int_equal(sn_scene_remove(NULL, "sheet"), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_scene_remove(scene, NULL), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_scene_remove(scene, "wall[99]"), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_scene_remove(scene, "shee"), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(sn_scene_error(scene), "'shee'"));
    assert_true(sn_world_hash(sn_scene_world(scene)) == hash);
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
        memory.fail_at = memory.requests + 1 + fail_at;
        sn_result result = sn_scene_remove(scene, "sheet");
        memory.fail_at = 0;
        done = result == SN_OK;
        if (!done) {
            assert_int_equal(result, SN_ERROR_MEMORY);
            assert_true(sn_world_hash(sn_scene_world(scene)) == hash);
        }
        run(scene, 1);
        sn_loaded_release(&loaded);
        assert_memory_clean(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_of_them_goes_and_comes_back),
        cmocka_unit_test(test_nothing_acts_on_what_takes_its_numbers),
        cmocka_unit_test(test_the_rest_can_be_saved),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

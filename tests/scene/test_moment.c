/* Adding to a scene that is there, and going back in it. */
#include "scene/loaded.h"

static const char text[] =
    "{\"objects\": [{\"type\": \"rope\", \"name\": \"rope\", \"length\": 1, \"segments\": 8, \"pins\": [\"start\"]}],"
    " \"events\": [{\"type\": \"release\", \"of\": \"rope.start\", \"time\": 0.1}]}";

/* Adds what a text describes; what is wrong goes to message. */
static bool extend(sn_scene *scene, const char *more, char *message, size_t size)
{
    sn_document d;
    sn_problems problems;
    sn_document_init(&d, NULL);
    sn_problems_init(&problems, NULL);
    assert_true(sn_json_read(&d, more, strlen(more), NULL, message, size));
    bool good = sn_scene_extend(scene, &d, &problems);
    if (problems.first)
        snprintf(message, size, "%s: %s", problems.first->path, problems.first->text);
    sn_document_release(&d);
    sn_problems_release(&problems);
    return good;
}

static void test_the_same_bits_follow_events_included(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load_text(text, &loaded, NULL);
    run(scene, 3);
    sn_scene_moment *moment = sn_scene_mark(scene);
    assert_non_null(moment);
    double then = sn_scene_time(scene);
    uint64_t later = run(scene, 30); /* the event happens on the way */
    assert_ok(sn_scene_world(scene), sn_scene_return(scene, moment));
    assert_int_equal(sn_scene_frame(scene), 3);
    assert_true(sn_scene_time(scene) == then && sn_scene_moment_time(moment) == then);
    assert_true(run(scene, 30) == later);
    assert_ok(sn_scene_world(scene), sn_scene_mark_again(scene, moment));
    uint64_t last = run(scene, 10);
    assert_ok(sn_scene_world(scene), sn_scene_return(scene, moment));
    assert_true(run(scene, 10) == last);
    assert_true(sn_scene_moment_size(moment) > 1000);
    sn_scene_moment_destroy(moment);
    sn_scene_moment_destroy(NULL);
    sn_loaded_release(&loaded);
}

static bool cancel(void *context)
{
    return ++*(uint32_t *)context % 13 == 0;
}

/* A frame that is cancelled is taken again as if nothing had been, forces and events included, also from a moment in between. */
static void test_cancelled_frames_are_taken_again(void **state)
{
    (void)state;
    static const char blown[] =
        "{\"objects\": [{\"type\": \"rope\", \"name\": \"rope\", \"length\": 1, \"segments\": 8, \"pins\": "
        "[\"start\"]}], \"forces\": [{\"type\": \"force\", \"value\": [0.3, 0, 0]}], \"events\": [{\"type\": "
        "\"impulse\", \"of\": \"rope.end\", \"value\": [0, 0, 0.1], \"time\": 0.05}]}";
    sn_loaded plain, loaded;
    assert_true(sn_scene_load_text("plain", blown, sizeof blown - 1, NULL, &plain));
    assert_true(sn_scene_load_text("cancelled", blown, sizeof blown - 1, NULL, &loaded));
    uint32_t asked = 0, cancelled = 0;
    sn_world *world = sn_scene_world(loaded.scene);
    assert_ok(world, sn_world_set_cancel(world, cancel, &asked));
    for (uint32_t i = 0; i < 20; ++i) {
        sn_result result;
        while ((result = sn_scene_step(loaded.scene)) == SN_CANCELLED) {
            sn_scene_moment *moment = ++cancelled % 2 ? sn_scene_mark(loaded.scene) : NULL;
            assert_int_equal(sn_scene_frame(loaded.scene), i);
            if (!moment)
                continue;
            assert_ok(world, sn_world_set_cancel(world, NULL, NULL));
            run(loaded.scene, 2);
            assert_ok(world, sn_scene_return(loaded.scene, moment));
            assert_ok(world, sn_world_set_cancel(world, cancel, &asked));
            sn_scene_moment_destroy(moment);
        }
        assert_ok(world, result);
        assert_true(run(plain.scene, 1) == sn_world_hash(world));
    }
    assert_true(cancelled > 10);
    sn_loaded_release(&plain);
    sn_loaded_release(&loaded);
}

static void test_what_is_added_is_there_and_goes_with_a_return(void **state)
{
    (void)state;
    sn_loaded loaded;
    char message[300] = "";
    sn_scene *scene = load_text(text, &loaded, NULL);
    sn_scene_moment *before = sn_scene_mark(scene);
    assert_true(extend(
        scene,
        "{\"objects\": [{\"type\": \"particles\", \"name\": \"bob\", \"positions\": [0, -1, 0]}],"
        " \"constraints\": [{\"kind\": \"distance_max\", \"points\": [\"rope.end\", \"bob.all\"], \"most\": 0.5}]}",
        message, sizeof message));
    assert_non_null(sn_scene_find_object(scene, "bob"));
    assert_int_equal(sn_world_particle_count(sn_scene_world(scene)), 10);
    sn_scene_moment *after = sn_scene_mark(scene);
    assert_ok(sn_scene_world(scene), sn_scene_return(scene, before));
    assert_null(sn_scene_find_object(scene, "bob"));
    assert_true(extend(scene,
                       "{\"objects\": [{\"type\": \"particles\", \"name\": \"other\", \"positions\": [1, 2, 3]}]}",
                       message, sizeof message));
    assert_ok(sn_scene_world(scene), sn_scene_return(scene, after)); /* forwards again, over what was added elsewhere */
    assert_non_null(sn_scene_find_object(scene, "bob"));
    assert_null(sn_scene_find_object(scene, "other"));
    run(scene, 5);
    sn_scene_moment_destroy(before);
    sn_scene_moment_destroy(after);
    sn_loaded_release(&loaded);
}

static void test_what_is_refused_leaves_no_trace(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"{\"world\": {\"substeps\": 3}}", "world already"},
        {"{\"title\": \"x\"}", "title already"},
        {"{\"objects\": [{\"type\": \"rope\", \"name\": \"a\", \"length\": 1, \"segments\": 3}, {\"type\": \"roep\"}]}",
         "roep rope"},
        {"{\"objects\": [{\"type\": \"rope\", \"name\": \"rope\", \"length\": 1, \"segments\": 3}]}", "rope"},
        {"{\"constraints\": [{\"kind\": \"distance\", \"points\": [\"rope.start\", \"nobody\"]}]}", "nobody"},
        {"[]", "list"},
    };
    sn_loaded loaded;
    sn_scene *scene = load_text(text, &loaded, NULL);
    uint64_t hash = run(scene, 2);
    for (size_t i = 0; i < COUNT_OF(bad); ++i) {
        char message[300] = "";
        assert_false(extend(scene, bad[i][0], message, sizeof message));
        assert_says(message, bad[i][1]);
        assert_true(sn_world_hash(sn_scene_world(scene)) == hash);
        assert_null(sn_scene_object(scene, 1));
    }
    sn_loaded_release(&loaded);
}

static void test_pins(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load_text(text, &loaded, NULL);
    sn_world *world = sn_scene_world(scene);
    const uint32_t number = 5;
    sn_particle p = sn_particle_from_index(world, number);
    sn_real mass = sn_particle_mass(world, p);
    assert_true(sn_scene_pin(scene, 1, &number));
    assert_true(isinf(sn_particle_mass(world, p)));
    assert_true(sn_scene_release(scene, 1, &number));
    assert_true(sn_particle_mass(world, p) == mass);
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
        sn_scene_moment *moment = sn_scene_mark(scene);
        done = moment != NULL && sn_scene_mark_again(scene, moment) == SN_OK;
        assert_true(sn_world_hash(sn_scene_world(scene)) == hash);
        sn_scene_moment_destroy(moment);
        memory.fail_at = 0;
        sn_loaded_release(&loaded);
        assert_memory_clean(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_bits_follow_events_included),
        cmocka_unit_test(test_cancelled_frames_are_taken_again),
        cmocka_unit_test(test_what_is_added_is_there_and_goes_with_a_return),
        cmocka_unit_test(test_what_is_refused_leaves_no_trace),
        cmocka_unit_test(test_pins),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

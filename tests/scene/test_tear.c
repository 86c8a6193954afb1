/* Scenes that tear and are cut: strengths of materials, skins and constraints, blades, what is saved, and what is refused. */
#include "scene_fixture.h"

#define CLOTH "{'type': 'cloth', 'name': 'cloth', 'columns': 9, 'rows': 9, 'position': [0, 1, 0], 'pins': 'top'"

/* The strength of a material makes a skin, and reaches it. */
static void test_materials_have_strengths(void **state)
{
    (void)state;
    fixture f =
        fixture_try("{'materials': {'m': {'stretch': 1e-4, 'tear_strain': 0.3, 'tear_force': 40, 'tear_spread': 0.2, "
                    "'tear_seed': 5}}, 'objects': [" CLOTH ", 'material': 'm'}, {'type': 'rope', 'name': 'rope', "
                    "'segments': 6, 'material': 'm'}, {'type': 'cloth', 'name': 'other', 'skin': {'tear_strain': 0.5, "
                    "'thickness': 0.01}, 'material': 'm'}]}",
                    NULL);
    if (!f.scene)
        fixture_print(&f.problems);
    assert_non_null(f.scene);
    sn_tear_def def;
    assert_ok(f.world, sn_skin_read_tear(f.world, sn_scene_find_object(f.scene, "cloth")->skin, &def));
    assert_close(def.strain, 0.3, 1e-6);
    assert_close(def.force, 40, 1e-6);
    assert_close(def.spread, 0.2, 1e-6);
    assert_int_equal(def.seed, 5);
    assert_ok(f.world, sn_skin_read_tear(f.world, sn_scene_find_object(f.scene, "other")->skin, &def));
    assert_close(def.strain, 0.5, 1e-6);
    assert_close(def.force, 0, 0);
    const sn_object *rope = sn_scene_find_object(f.scene, "rope");
    assert_ok(f.world, sn_constraint_read_tear(f.world, sn_constraints_at(rope->hold[0].run, 2), &def));
    assert_true((double)def.strain >= 0.3 * 0.8 && (double)def.strain <= 0.3 * 1.2 && def.strain != (sn_real)0.3);
    assert_true((double)def.force >= 40 * 0.8 && (double)def.force <= 40 * 1.2);
    fixture_close(&f);
}

/* Attachments, constraints and events have a seed and fatigue as materials have. A saved scene has the fatigue of a constraint, too. */
static void test_all_strengths_have_all_keys(void **state)
{
    (void)state;
    fixture f = fixture_try(
        "{'objects': [" CLOTH "}, {'type': 'rope', 'name': 'rope', 'from': [0.7, 1.5, 0], 'to': [0.7, 0.5, 0], "
        "'segments': 9, 'pins': 'start'}], 'attachments': [{'name': 'tie', 'between': ['cloth.top', 'rope.start'], "
        "'distance': 1.2, 'tear_force': 5, 'tear_spread': 0.5, 'tear_seed': 3, 'tear_fatigue': 0.2}], 'constraints': "
        "[{'kind': 'distance', 'points': ['rope[0]', 'rope[5]'], 'tear_strain': 0.4, "
        "'tear_fatigue': 0.3}], 'events': [{'type': 'tear', 'time': 0, 'object': 'cloth', 'tear_strain': 0.7, "
        "'tear_spread': 0.1, 'tear_seed': 9, 'tear_fatigue': 0.6}]}",
        NULL);
    if (!f.scene)
        fixture_print(&f.problems);
    assert_non_null(f.scene);
    uint32_t ties = 0, rods = 0;
    for (sn_constraint_walk walk = {0}; sn_constraint_next(f.world, &walk);) {
        sn_tear_def def;
        assert_ok(f.world, sn_constraint_read_tear(f.world, walk.constraint, &def));
        ties += fabs((double)def.fatigue - 0.2) < 1e-6 && def.force > 0;
        rods += fabs((double)def.fatigue - 0.3) < 1e-6 && def.strain > 0;
    }
    assert_true(ties > 1 && rods == 1);
    char *text = fixture_save(f.scene);
    assert_non_null(strstr(text, "\"tear_fatigue\""));
    free(text);
    assert_int_equal(sn_scene_step(f.scene), SN_OK);
    sn_tear_def def;
    assert_ok(f.world, sn_skin_read_tear(f.world, sn_scene_find_object(f.scene, "cloth")->skin, &def));
    assert_int_equal(def.seed, 9);
    assert_close(def.fatigue, 0.6, 1e-6);
    fixture_close(&f);
}

/* A blade parts a cloth and a rope frame by frame; a scene that went back goes the same way again; and what was cut cannot be written down. */
static void test_a_blade_cuts_frame_by_frame(void **state)
{
    (void)state;
    fixture f =
        fixture_try("{'objects': [" CLOTH ", 'skin': true}, {'type': 'rope', 'name': 'rope', 'from': [0.7, 1.5, 0], "
                    "'to': [0.7, 0.5, 0], 'segments': 9, 'pins': 'start'}, {'type': 'rope', 'name': 'spared', "
                    "'from': [0.2, 1.5, 0.2], 'to': [0.2, 0.5, 0.2], 'segments': 9, 'pins': 'start'}], 'blades': ["
                    "{'object': 'cloth', 'keys': [{'time': 0.1, 'a': [-0.7, 0.93, -0.5], 'b': [-0.7, 0.93, 0.5]}, "
                    "{'time': 0.6, 'a': [0.9, 1.07, -0.5], 'b': [0.9, 1.07, 0.5]}]},"
                    "{'object': 'rope', 'keys': [{'time': 0, 'a': [0.5, 0.85, -0.5], 'b': [0.5, 0.85, 0.5]}, "
                    "{'time': 0.1, 'a': [0.9, 0.85, -0.5], 'b': [0.9, 0.85, 0.5]}]}]}",
                    NULL);
    if (!f.scene)
        fixture_print(&f.problems);
    assert_non_null(f.scene);
    const uint32_t particles = sn_world_particle_count(f.world);
    sn_scene_moment *moment = NULL;
    for (uint32_t i = 0; i < 90; ++i) {
        if (i == 20)
            moment = sn_scene_mark(f.scene);
        assert_ok(f.world, sn_scene_step(f.scene));
    }
    const uint64_t hash = sn_world_hash(f.world);
    assert_true(sn_world_particle_count(f.world) >= particles + 9 + 8);
    const sn_object *cloth = sn_scene_find_object(f.scene, "cloth"), *rope = sn_scene_find_object(f.scene, "rope"),
                    *spared = sn_scene_find_object(f.scene, "spared");
    /* what hung on the edge has fallen for more than half a second */
    assert_true((double)sn_particle_position(f.world, sn_particles_at(cloth->run, 0)).y < 0);
    assert_true((double)sn_particle_position(f.world, sn_particles_at(rope->run, 9)).y < 0);
    assert_true((double)sn_particle_position(f.world, sn_particles_at(spared->run, 9)).y > 0.45);
    assert_true((double)sn_particle_position(f.world, sn_particles_at(cloth->run, 80)).y > 1.45);
    assert_ok(f.world, sn_scene_return(f.scene, moment));
    for (uint32_t i = 20; i < 90; ++i)
        assert_ok(f.world, sn_scene_step(f.scene));
    assert_true(sn_world_hash(f.world) == hash);
    sn_scene_moment_destroy(moment);
    char message[256];
    sn_document saved;
    sn_document_init(&saved, NULL);
    assert_false(sn_scene_save(f.scene, &saved, message, sizeof message));
    assert_says(message, "particles belong no object");
    sn_document_release(&saved);
    fixture_close(&f);
}

/* A blade that has stopped cuts the rope that falls over it later, and one that is a point in between is none. */
static void test_a_blade_that_stops(void **state)
{
    (void)state;
    fixture f = fixture_good(
        "{'objects': [{'type': 'rope', 'name': 'rope', 'from': [0, 1, 0], 'to': [1, 1, 0], 'segments': 10, 'mass': 1}],"
        " 'blades': [{'keys': [{'time': 0, 'a': [0.43, 0.5, -1], 'b': [0.43, 0.5, 1]}, {'time': 0.1, 'a': [0.43, 0.6, "
        "-1], "
        "'b': [0.43, 0.6, 1]}, {'time': 2, 'a': [0.43, 0.6, -1], 'b': [0.43, 0.6, 1]}]},"
        " {'keys': [{'time': 0, 'a': [9, 0, 0], 'b': [9, 0, 0]}, {'time': 1, 'a': [9, 0, 0], 'b': [9, 0, 0]}, {'time': "
        "2, 'a': "
        "[9, 0, 0], 'b': [9, 1, 1]}, {'time': 3, 'a': [8, 0, 0], 'b': [8, 1, 1]}]}]}");
    uint32_t when = 0;
    for (uint32_t i = 1; i <= 60; ++i) {
        uint32_t count;
        assert_ok(f.world, sn_scene_step(f.scene));
        sn_world_tears(f.world, &count);
        assert_true(count == 0 || (count == 1 && !when));
        when = count ? i : when;
    }
    assert_in_range(when, 17, 19); /* 0.4 m of falling take 17.1 frames */
    fixture_close(&f);
}

/* Events: a plane cuts a cloth in two at its time, and only that one; strength that comes later lets a rope tear then. What is not yet done is saved. */
static void test_events_cut_and_weaken(void **state)
{
    (void)state;
    fixture f = fixture_good(
        "{'objects': [" CLOTH
        "}, {'type': 'cloth', 'name': 'other', 'columns': 9, 'rows': 9, 'position': [2, 1, 0], 'pins': 'top'}, "
        "{'type': 'rope', 'name': 'rope', 'from': [0, 3, 1], 'to': [0, 2, 1], 'segments': 9, 'pins': 'start', 'mass': "
        "1}],"
        " 'events': [{'time': 0.2, 'type': 'cut', 'through': [0, 1.03, 0], 'normal': [0, 1, 0.1], 'object': 'cloth'}, "
        "{'time': 0.5, 'type': 'tear', 'object': 'rope', 'tear_force': 3}, {'time': 9, 'type': 'cut', 'through': [1, "
        "2, 3]}]}");
    const sn_object *cloth = sn_scene_find_object(f.scene, "cloth"), *other = sn_scene_find_object(f.scene, "other"),
                    *rope = sn_scene_find_object(f.scene, "rope");
    uint32_t cut = 0, broken = 0;
    for (uint32_t i = 0; i < 60; ++i) {
        uint32_t count;
        assert_ok(f.world, sn_scene_step(f.scene));
        const sn_tear *tear = sn_world_tears(f.world, &count); /* with what was cut before the step */
        for (uint32_t k = 0; k < count; ++k)
            cut += tear[k].cut, broken += tear[k].type == SN_TEAR_BREAK && !tear[k].cut;
        assert_true(cut == 0 || i >= 11);
        assert_true(broken == 0 || i >= 29);
    }
    assert_true(cut >= 9);
    assert_true(broken > 0);
    assert_true((double)sn_particle_position(f.world, sn_particles_at(cloth->run, 0)).y < 0);
    assert_true((double)sn_particle_position(f.world, sn_particles_at(other->run, 0)).y > 0.4);
    assert_true((double)sn_particle_position(f.world, sn_particles_at(rope->run, 9)).y < 1.8);
    fixture_close(&f);
    f = fixture_good("{'objects': [" CLOTH "}], 'events': [{'time': 9, 'type': 'cut', 'through': [1, 2, 3]}, "
                     "{'time': 8, 'type': 'tear', 'object': 'cloth', 'tear_strain': 0.5}]}");
    char message[256];
    sn_document saved;
    sn_document_init(&saved, NULL);
    if (!sn_scene_save(f.scene, &saved, message, sizeof message))
        fail_msg("%s", message);
    sn_problems problems;
    sn_problems_init(&problems, NULL);
    sn_scene *again = sn_scene_create(&saved, NULL, &problems);
    if (!again)
        fixture_print(&problems);
    assert_non_null(again);
    assert_int_equal(sn_world_hash(sn_scene_world(again)), sn_world_hash(f.world));
    sn_scene_destroy(again);
    sn_problems_release(&problems);
    sn_document_release(&saved);
    fixture_close(&f);
}

static void test_nonsense_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"{'objects': [" CLOTH ", 'material': {'tear_strain': -0.1}}]}", "tear_strain -0.1"},
        {"{'objects': [" CLOTH ", 'material': {'tear_strain': 0.1, 'tear_spread': 1}}]}", "tear_spread 1"},
        {"{'objects': [" CLOTH ", 'skin': {'tear_force': -1}}]}", "tear_force -1"},
        {"{'objects': [" CLOTH "}], 'blades': [{'keys': [{'time': 0, 'a': [0, 0, 0], 'b': [0, 0, 1]}]}]}",
         "1 keyframe two"},
        {"{'objects': [" CLOTH
         "}], 'blades': [{'keys': [{'time': 1, 'a': [0, 0, 0], 'b': [0, 0, 1]}, {'time': 1, 'a': [0, 1, "
         "0], 'b': [0, 0, 1]}]}]}",
         "keyframe 1 not later"},
        {"{'objects': [" CLOTH
         "}], 'blades': [{'object': 'clot', 'keys': [{'time': 0, 'a': [0, 0, 0], 'b': [0, 0, 1]}, "
         "{'time': 1, 'a': [0, 1, 0], 'b': [0, 0, 1]}]}]}",
         "no object clot"},
        {"{'objects': [" CLOTH "}], 'blades': [{}]}", "keys"},
        {"{'objects': [" CLOTH "}], 'blades': [{'keys': [{'time': 0, 'a': [0, 0, 0], 'b': [0, 0, 0]}, {'time': 1, 'a': "
         "[1, 0, 0], 'b': [1, 0, 0]}]}]}",
         "keys no area"},
        {"{'objects': [" CLOTH "}], 'blades': [{'keys': [{'time': 0, 'a': [0, 0, 0], 'b': [0, 0, 1]}, {'time': 1, 'a': "
         "[0, 0, 0], 'b': [0, 0, 1]}]}]}",
         "keys no area"},
        {"{'objects': [" CLOTH ", 'material': {'tear_strain': 0.1, 'tear_fatigue': 2}}]}", "tear_fatigue 2"},
        {"{'objects': [" CLOTH "}], 'events': [{'type': 'cut', 'through': [0, 0, 0], 'normal': [0, 0, 0]}]}",
         "normal direction"},
        {"{'objects': [" CLOTH "}], 'events': [{'type': 'tear', 'tear_strain': 1}]}", "object missing"},
        {"{'objects': [" CLOTH "}], 'events': [{'type': 'tear', 'object': 'clot', 'tear_strain': 1}]}",
         "no object clot"},
        {"{'objects': [" CLOTH "}], 'events': [{'type': 'tear', 'object': 'cloth', 'tear_strain': -1}]}",
         "tear_strain -1"},
        {"{'objects': [" CLOTH "}], 'events': [{'type': 'pin', 'of': 'cloth.top', 'through': [0, 0, 0]}]}",
         "through only cut"},
    };
    for (size_t i = 0; i < COUNT_OF(bad); ++i) {
        fixture f = fixture_try(bad[i].text, NULL);
        assert_null(f.scene);
        char all[1024];
        snprintf(all, sizeof all, "%s %s", f.problems.first->path, f.problems.first->text);
        assert_says(all, bad[i].says);
        fixture_close(&f);
    }
}

static void hear(void *context, sn_log_level level, const char *text)
{
    if (level == SN_LOG_WARNING && strstr(text, "cuts nothing"))
        ++*(uint32_t *)context;
}

/* A cut that meets something says nothing, one through nothing says so. */
static void test_a_cut_through_nothing_says_so(void **state)
{
    (void)state;
    for (uint32_t met = 0; met < 2; ++met) {
        uint32_t said = 0;
        fixture f = fixture_good(met ? "{'objects': [" CLOTH "}], 'events': [{'time': 0, 'type': 'cut', 'through': [0, "
                                       "1.03, 0], 'normal': [0, 1, 0.1]}]}"
                                     : "{'objects': [" CLOTH "}], 'events': [{'time': 0, 'type': 'cut', 'through': [0, "
                                       "50, 0], 'normal': [0, 1, 0.1]}]}");
        f.scene->options.log = (sn_log){hear, &said};
        for (uint32_t i = 0; i < 3; ++i)
            assert_ok(f.world, sn_scene_step(f.scene));
        assert_int_equal(said, !met);
        fixture_close(&f);
    }
}

/* The same of a blade, once, when its way is over. A cloth that has no skin gets one by the blade, and is parted with all that is drawn of it. */
static void test_a_blade_parts_a_cloth_without_a_skin(void **state)
{
    (void)state;
    for (uint32_t met = 0; met < 2; ++met) {
        uint32_t said = 0;
        fixture f =
            fixture_good(met ? "{'objects': [{'type': 'cloth', 'name': 'cloth', 'columns': 9, 'rows': 9}], 'blades': "
                               "[{'keys': [{'time': 0.02, 'a': [0.03, 2, -1], 'b': [0.03, 2, 1]}, {'time': 0.2, "
                               "'a': [0.03, -2, -1], 'b': [0.03, -2, 1]}]}]}"
                             : "{'objects': [{'type': 'cloth', 'name': 'cloth', 'columns': 9, 'rows': 9}], 'blades': "
                               "[{'keys': [{'time': 0.02, 'a': [9, 2, -1], 'b': [9, 2, 1]}, {'time': 0.2, 'a': [9, "
                               "-2, -1], 'b': [9, -2, 1]}]}]}");
        f.scene->options.log = (sn_log){hear, &said};
        for (uint32_t i = 0; i < 30; ++i)
            assert_ok(f.world, sn_scene_step(f.scene));
        assert_int_equal(said, !met);
        const sn_object *cloth = sn_scene_find_object(f.scene, "cloth");
        assert_int_equal(sn_skin_is_valid(f.world, cloth->skin), met);
        if (met) { /* two pieces: no triangle is on both sides of the cut */
            uint32_t count, left = 0;
            const uint32_t *corner = sn_skin_triangles(f.world, cloth->skin, &count);
            assert_true(count > 128);
            for (uint32_t i = 0; i < count; ++i) {
                uint32_t there = 0;
                for (uint32_t k = 0; k < 3; ++k)
                    there +=
                        (double)sn_particle_position(f.world, sn_particle_from_index(f.world, corner[3 * i + k])).x <
                        0.0299;
                double middle = 0;
                for (uint32_t k = 0; k < 3; ++k)
                    middle +=
                        (double)sn_particle_position(f.world, sn_particle_from_index(f.world, corner[3 * i + k])).x / 3;
                assert_true(there == 0 || middle < 0.03);
                left += there > 0;
            }
            assert_true(left > 40 && left < count - 40);
        }
        fixture_close(&f);
    }
}

/* A strength that cannot act is not passed over in silence. */
static void test_what_does_not_tear_is_told(void **state)
{
    (void)state;
    const struct {
        const char *material, *type, *words;
    } things[] = {{"'tear_force': 5", "jelly", "'a' tear_force tear_strain does not tear"},
                  {"'tear_spread': 0.2", "cloth", "'a' neither does not tear"},
                  {"'tear_fatigue': 0.2", "rope", "'a' neither does not tear"},
                  {"'tear_strain': 0.2", "grains", "'a' has a strength, surface nor rods does not tear"},
                  {"'tear_force': 5, 'tear_strain': 0.1", "jelly", NULL},
                  {"'tear_seed': 5", "cloth", NULL}};
    for (size_t i = 0; i < COUNT_OF(things); ++i) {
        char text[256];
        snprintf(text, sizeof text, "{'objects': [{'type': '%s', 'name': 'a', 'material': {%s}}]}", things[i].type,
                 things[i].material);
        fixture f = fixture_try(text, NULL);
        assert_non_null(f.scene);
        if (things[i].words)
            assert_problem(&f.problems, "objects[0]", things[i].words);
        else
            assert_null(f.problems.first);
        fixture_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_materials_have_strengths),
        cmocka_unit_test(test_all_strengths_have_all_keys),
        cmocka_unit_test(test_a_blade_cuts_frame_by_frame),
        cmocka_unit_test(test_a_blade_that_stops),
        cmocka_unit_test(test_events_cut_and_weaken),
        cmocka_unit_test(test_a_cut_through_nothing_says_so),
        cmocka_unit_test(test_nonsense_is_refused),
        cmocka_unit_test(test_what_does_not_tear_is_told),
        cmocka_unit_test(test_a_blade_parts_a_cloth_without_a_skin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

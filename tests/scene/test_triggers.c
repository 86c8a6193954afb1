/* Events that wait for contact, for something that breaks or for a distance; and those that join things and change lengths. */
#include "support/support.h"

#include "scene/scene_fixture.h"

#include <math.h>
#include <string.h>

/* A ball falls on a floor from 0.5 m, which takes 0.32 s at 9.81 m/s^2: it touches in frame 20 of 60 a second. Beside it hangs a rope of four links. */
#define BALL                                                                                                           \
    "'bodies': [{'name': 'ball', 'position': [0, 0.6, 0], 'shapes': {'type': 'sphere', 'radius': 0.1}, 'mass': 1},"    \
    " {'name': 'floor', 'type': 'static', 'shapes': {'type': 'plane'}}]"
#define ROPE                                                                                                           \
    "'objects': [{'type': 'rope', 'name': 'rope', 'from': [3, 5, 0], 'length': 1, 'segments': 4, 'bob': 1, 'pins': "   \
    "['start']}]"
#define SCENE(events) "{" BALL ", " ROPE ", 'events': [" events "]}"

/* The first frame after which the end of the rope is not where it hung; 0: none of so many. */
static uint32_t frame_of_fall(sn_scene *scene, uint32_t frames)
{
    sn_world *world = sn_scene_world(scene);
    sn_particle end = sn_scene_find_particle(scene, "rope.end");
    for (uint32_t i = 0; i < frames; ++i) {
        assert_ok(world, sn_scene_step(scene));
        if (fabs((double)sn_particle_position(world, end).y - 4) > 1e-3)
            return sn_scene_frame(scene);
    }
    return 0;
}

static uint32_t falls(const char *text, uint32_t frames)
{
    fixture f = fixture_good(text);
    uint32_t frame = frame_of_fall(f.scene, frames);
    fixture_close(&f);
    return frame;
}

static void contact_triggers(void **state)
{
    (void)state;
    /* it touches after frame 20 and is cut with frame 21, which moves the end by g dt^2 / 2 = 1.4 mm or a little more */
    const uint32_t both =
        falls(SCENE("{'when': {'contact': ['ball', 'floor']}, 'type': 'cut', 'of': 'rope.links[3]'}"), 60);
    assert_in_range(both, 19, 22);
    assert_int_equal(falls(SCENE("{'when': {'contact': ['floor', 'ball']}, 'type': 'cut', 'of': 'rope.links'}"), 60),
                     both);
    assert_int_equal(falls(SCENE("{'when': {'contact': 'ball'}, 'type': 'release', 'of': 'rope'}"), 60), both);
    assert_int_equal(falls(SCENE("{'when': {'contact': ['ball', 'rope']}, 'type': 'cut', 'of': 'rope.links'}"), 60), 0);
    const uint32_t later =
        falls(SCENE("{'time': 0.8, 'when': {'contact': 'ball'}, 'type': 'cut', 'of': 'rope.links[3]'}"), 90);
    assert_in_range(later, 48, 51); /* it lies there, and is looked at from 0.8 s on */
}

static void broken_triggers(void **state)
{
    (void)state;
    static const char both[] =
        SCENE("{'time': 0.2, 'type': 'cut', 'of': 'rope.links[1]'},"
              " {'when': {'broken': ['rope.links']}, 'type': 'velocity', 'of': 'ball', 'value': [0, 9, 0]}");
    fixture f = fixture_good(both);
    sn_body ball = sn_scene_find_body(f.scene, "ball");
    for (int i = 0; i < 13; ++i)
        assert_ok(f.world, sn_scene_step(f.scene));
    assert_true(sn_body_velocity(f.world, ball).y < 0); /* cut with frame 13 */
    assert_ok(f.world, sn_scene_step(f.scene));
    assert_true(sn_body_velocity(f.world, ball).y > 8);
    fixture_close(&f);
}

static void distance_triggers(void **state)
{
    (void)state;
    assert_in_range(falls(SCENE("{'when': {'between': ['ball', {'place': [0, 0.1, 0]}], 'below': 0.25}, 'type': 'cut', "
                                "'of': 'rope.links'}"),
                          60),
                    13, 16); /* after falling 0.25 m: 0.226 s */
    assert_in_range(falls(SCENE("{'when': {'between': ['ball', {'place': [0, 0.6, 0]}], 'above': 0.25}, 'type': 'cut', "
                                "'of': 'rope.links'}"),
                          60),
                    13, 16);
    assert_int_equal(
        falls(SCENE("{'when': {'between': ['ball', 'rope.end'], 'below': 1}, 'type': 'cut', 'of': 'rope.links'}"), 60),
        0);
}

static double apart(sn_scene *scene, const char *a, const char *b)
{
    sn_vec3 x = sn_particle_position(sn_scene_world(scene), sn_scene_find_particle(scene, a)),
            y = sn_particle_position(sn_scene_world(scene), sn_scene_find_particle(scene, b));
    return sqrt(pow((double)(x.x - y.x), 2) + pow((double)(x.y - y.y), 2) + pow((double)(x.z - y.z), 2));
}

#define TWO                                                                                                            \
    "{'world': {'gravity': [0, 0, 0]}, 'objects': [{'type': 'particles', 'name': 'p', 'positions': [0,0,0, 1,0,0],"    \
    " 'velocities': [0,0,0, 1,0,0]}, {'type': 'rope', 'name': 'rope', 'from': [0, 5, 0], 'length': 1, 'segments': 4, " \
    "'rods': true}],"

static void joining_and_lengths(void **state)
{
    (void)state;
    fixture f = fixture_good(TWO " 'events': [{'time': 0.5, 'type': 'attach', 'between': ['p[0]', 'p[1]']}]}");
    for (int i = 0; i < 120; ++i)
        assert_ok(f.world, sn_scene_step(f.scene));
    assert_close(apart(f.scene, "p[0]", "p[1]"), 1.5, 1e-3); /* as far as they were apart then */
    fixture_close(&f);
    f = fixture_good(TWO " 'events': [{'time': 0.5, 'type': 'attach', 'between': ['p[0]', 'p[1]'], 'distance': 0}]}");
    for (int i = 0; i < 120; ++i)
        assert_ok(f.world, sn_scene_step(f.scene));
    assert_close(apart(f.scene, "p[0]", "p[1]"), 0, 1e-3);
    fixture_close(&f);
    f = fixture_good(TWO " 'events': [{'time': 0.5, 'type': 'length', 'of': 'rope.links', 'scale': 2},"
                         " {'time': 1, 'type': 'length', 'of': 'rope.links', 'length': 0.3}]}");
    sn_constraint_def def;
    sn_point points[SN_MAX_POINTS];
    sn_constraint link = sn_scene_find_constraint(f.scene, "rope.links[2]");
    for (int i = 0; i < 61; ++i)
        assert_ok(f.world, sn_scene_step(f.scene));
    assert_ok(f.world, sn_constraint_read(f.world, link, &def, points, SN_MAX_POINTS));
    assert_close((double)def.param[0], 0.3, 1e-6);
    fixture_close(&f);
    f = fixture_good(TWO " 'events': [{'time': 0.5, 'type': 'length', 'of': 'rope.links', 'scale': 2}]}");
    link = sn_scene_find_constraint(f.scene, "rope.links[2]");
    for (int i = 0; i < 61; ++i)
        assert_ok(f.world, sn_scene_step(f.scene));
    assert_ok(f.world, sn_constraint_read(f.world, link, &def, points, SN_MAX_POINTS));
    assert_close((double)def.param[0], 0.5, 1e-6);
    fixture_close(&f);
}

/* Back to a moment between the touch and what it sets off, and by a file: the same follows. */
static void moments_and_files(void **state)
{
    (void)state;
    static const char *const all[] = {
        SCENE("{'when': {'contact': ['ball', 'floor']}, 'type': 'cut', 'of': 'rope.links[3]'}"),
        SCENE("{'when': {'contact': 'ball'}, 'type': 'cut', 'of': 'rope.links[3]'}"),
        SCENE("{'when': {'between': ['ball', {'place': [0, 0, 0]}], 'below': 0.11}, 'type': 'cut', 'of': "
              "'rope.links[3]'}"),
        SCENE("{'time': 0.3, 'type': 'cut', 'of': 'rope.links[3]'}, {'when': {'broken': 'rope.links[3]'}, 'type': "
              "'attach', 'between':"
              " ['rope.end', {'place': [4, 4, 0]}]}")};
    for (size_t k = 0; k < COUNT_OF(all); ++k)
        for (uint32_t at = 17; at <= 21; ++at) {
            fixture f = fixture_good(all[k]);
            for (uint32_t i = 0; i < at; ++i)
                assert_ok(f.world, sn_scene_step(f.scene));
            sn_scene_moment *moment = sn_scene_mark(f.scene);
            char message[200] = "";
            sn_document saved;
            sn_document_init(&saved, NULL);
            if (!sn_scene_save(f.scene, &saved, message, sizeof message))
                fail_msg("%s", message);
            for (int i = 0; i < 20; ++i)
                assert_ok(f.world, sn_scene_step(f.scene));
            const uint64_t hash = sn_world_hash(f.world);
            sn_vec3 x = sn_particle_position(f.world, sn_scene_find_particle(f.scene, "rope.end"));
            assert_ok(f.world, sn_scene_return(f.scene, moment));
            for (int i = 0; i < 20; ++i)
                assert_ok(f.world, sn_scene_step(f.scene));
            assert_true(sn_world_hash(f.world) == hash);
            sn_problems problems;
            sn_problems_init(&problems, NULL);
            sn_scene *again = sn_scene_create(&saved, NULL, &problems);
            fixture_print(&problems);
            assert_non_null(again);
            for (int i = 0; i < 20; ++i)
                assert_ok(sn_scene_world(again), sn_scene_step(again));
            sn_vec3 y = sn_particle_position(sn_scene_world(again), sn_scene_find_particle(again, "rope.end"));
            assert_vec_close(x, y, 1e-4);
            assert_true(x.y < 3.9); /* it has happened */
            sn_scene_destroy(again);
            sn_problems_release(&problems);
            sn_document_release(&saved);
            sn_scene_moment_destroy(moment);
            fixture_close(&f);
        }
}

static void bad(const char *text, const char *path, const char *wanted)
{
    fixture f = fixture_try(text, NULL);
    assert_null(f.scene);
    assert_string_equal(f.problems.first->path, path);
    if (!strstr(f.problems.first->text, wanted))
        fail_msg("'%s', expected '%s'", f.problems.first->text, wanted);
    fixture_close(&f);
}

static void mistakes(void **state)
{
    (void)state;
    bad(SCENE("{'when': {'contact': ['ball', 'flor']}, 'type': 'cut', 'of': 'rope.links'}"), "events[0].when.contact",
        "flor");
    bad(SCENE("{'when': {'contact': ['a', 'b', 'c']}, 'type': 'cut', 'of': 'rope.links'}"), "events[0].when.contact",
        "a list of two");
    bad(SCENE("{'when': {'contact': ['floor', 'floor']}, 'type': 'cut', 'of': 'rope.links'}"), "events[0].when.contact",
        "never touch");
    bad(SCENE("{'when': {'contact': 'ball', 'broken': 'rope.links'}, 'type': 'cut', 'of': 'rope.links'}"),
        "events[0].when", "expected one of");
    bad(SCENE("{'when': {'between': ['ball', 'rope.end']}, 'type': 'cut', 'of': 'rope.links'}"), "events[0].when",
        "'below' or 'above'");
    bad(SCENE("{'when': {'below': 1}, 'type': 'cut', 'of': 'rope.links'}"), "events[0].when", "'below' or 'above'");
    bad(SCENE("{'when': {'between': ['ball'], 'below': 1}, 'type': 'cut', 'of': 'rope.links'}"),
        "events[0].when.between", "two points");
    bad(SCENE("{'when': {'broken': 'rope.lnks'}, 'type': 'cut', 'of': 'rope.links'}"), "events[0].when.broken",
        "links");
    bad(SCENE("{'type': 'attach'}"), "events[0]", "'between' is missing");
    bad(SCENE("{'type': 'attach', 'of': 'ball', 'between': ['ball', 'rope.end']}"), "events[0].of",
        "'between' instead");
    bad(SCENE("{'type': 'cut', 'of': 'rope.links', 'between': ['ball', 'rope.end']}"), "events[0].between", "attach");
    bad(SCENE("{'type': 'cut'}"), "events[0]", "'of' is missing");
    bad(SCENE("{'type': 'length', 'of': 'rope.links'}"), "events[0]", "'length' and 'scale'");
    bad(SCENE("{'type': 'pin', 'of': 'rope', 'scale': 2}"), "events[0]", "for events of type");
    bad("{" BALL ", 'objects': [{'type': 'cloth', 'name': 'c', 'columns': 3, 'rows': 3, 'material': {'bend': 1}}],"
        " 'events': [{'type': 'length', 'of': 'c.bend', 'scale': 2}]}",
        "events[0].of", "no length to change");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_triggers),    cmocka_unit_test(broken_triggers),   cmocka_unit_test(distance_triggers),
        cmocka_unit_test(joining_and_lengths), cmocka_unit_test(moments_and_files), cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

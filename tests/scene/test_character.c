/* Characters of scenes: they walk as their moves say, are saved and go back in time; what makes no sense is refused. */
#include "scene/scene_fixture.h"

#include <string.h>

#define STAIRS                                                                                                         \
    "'bodies': [{'type': 'static', 'shapes': {'type': 'plane'}}, {'type': 'static', 'position': [2, 0.1, 0], "         \
    "'shapes': {'type': 'box', 'size': [1, 0.2, 2]}}, {'name': 'lift', 'type': 'kinematic', "                          \
    "'position': [3.5, 0.2, 0], 'shapes': {'type': 'box', 'size': [2, 0.4, 2]}}],"                                     \
    " 'motions': [{'of': 'lift', 'smooth': false, 'keys': [{'time': 2}, {'time': 3, 'move': [0, 1, 0.5]}]}]"

#define WALKER                                                                                                         \
    "{'type': 'character', 'name': 'hero', 'position': [0, 0.01, 0], 'moves': [{'time': 0.2, 'velocity': [2, 0, 0]},"  \
    " {'time': 1.9}, {'time': 3.2, 'jump': 3}]}"

static sn_vec3 middle(const fixture *f, const char *name)
{
    return sn_body_position(f->world, sn_scene_find_object(f->scene, name)->body[0].handle);
}

/* Up two steps, on a lift, carried; its middle is 0.9 m above its foot, and its body a frame behind. */
static void test_walks(void **state)
{
    (void)state;
    fixture f = fixture_good("{" STAIRS ", 'objects': [" WALKER "]}");
    fixture_steps(&f, 60);
    assert_close(middle(&f, "hero").x, 1.5, 0.11); /* 1.6 m on level ground; a step costs some of that */
    fixture_steps(&f, 58);
    assert_vec_close(middle(&f, "hero"), vec(3.25, 1.3, 0), 0.05);
    fixture_steps(&f, 65);
    assert_vec_close(middle(&f, "hero"), vec(3.25, 2.3, 0.5), 0.05);
    sn_real highest = 0;
    for (int i = 0; i < 60; ++i) {
        fixture_steps(&f, 1);
        highest = middle(&f, "hero").y > highest ? middle(&f, "hero").y : highest;
    }
    assert_close(highest, 2.3 + 3 * 3 / (2 * 9.81), 0.05); /* v^2 / 2g, once */
    assert_vec_close(middle(&f, "hero"), vec(3.25, 2.3, 0.5), 0.05);
    fixture_close(&f);
}

/* It begins again, and jumps each time. */
static void test_repeats(void **state)
{
    (void)state;
    fixture f =
        fixture_good("{'bodies': [{'type': 'static', 'shapes': {'type': 'plane'}}], 'objects': [{'type': 'character', "
                     "'name': 'hero', 'repeat': true,"
                     " 'moves': [{'time': 0, 'velocity': [1, 0, 0], 'jump': 2}, {'time': 1, 'velocity': [-1, 0, 0]},"
                     " {'time': 2}]}]}");
    uint32_t jumps = 0;
    bool was_up = false;
    for (int i = 0; i < 360; ++i) {
        fixture_steps(&f, 1);
        const bool up = middle(&f, "hero").y > 1.0f;
        jumps += up && !was_up;
        was_up = up;
    }
    assert_int_equal(jumps, 3);
    assert_close(middle(&f, "hero").x, 0, 0.05);
    fixture_close(&f);
}

/* A crate is pushed, a particle is in its way, and its body pushes it. */
static void test_pushes(void **state)
{
    (void)state;
    fixture f = fixture_good(
        "{'bodies': [{'type': 'static', 'shapes': {'type': 'plane'}}, {'name': 'crate', 'position': [1.5, "
        "0.25, 0], 'density': 100,"
        " 'shapes': {'type': 'box', 'size': [0.5, 0.5, 0.5]}}], 'objects': [{'type': 'character', 'name': 'hero',"
        " 'moves': [{'time': 0, 'velocity': [1.5, 0, 0]}]}, {'type': 'particles', 'name': 'dust', 'positions': [0.6, "
        "0.2, 0],"
        " 'radius': 0.1, 'mass': 0.1}]}");
    fixture_steps(&f, 120);
    assert_true(middle(&f, "crate").x > 2);
    assert_true(sn_particle_position(f.world, sn_particles_at(sn_scene_find_object(f.scene, "dust")->run, 0)).x > 1);
    fixture_close(&f);
}

/* Back in time: the same bits. */
static void test_returns(void **state)
{
    (void)state;
    fixture f = fixture_good("{" STAIRS ", 'objects': [" WALKER "]}");
    fixture_steps(&f, 90);
    sn_scene_moment *moment = sn_scene_mark(f.scene);
    assert_non_null(moment);
    fixture_steps(&f, 120);
    const uint64_t after = sn_world_hash(f.world);
    assert_int_equal(sn_scene_return(f.scene, moment), SN_OK);
    fixture_steps(&f, 120);
    assert_true(sn_world_hash(f.world) == after);
    sn_scene_moment_destroy(moment);
    fixture_close(&f);
}

/* Saved at the start: the same bits; later, the same up to what it stands on, which it finds again. */
static void test_saved(void **state)
{
    (void)state;
    fixture f = fixture_good("{" STAIRS ", 'objects': [" WALKER "]}"), start = fixture_again(f.scene);
    fixture_steps(&f, 40);
    fixture_steps(&start, 40);
    assert_true(sn_world_hash(f.world) == sn_world_hash(start.world));
    fixture again = fixture_again(f.scene);
    char *a = fixture_save(f.scene), *b = fixture_save(again.scene);
    assert_string_equal(a, b);
    free(a);
    free(b);
    fixture_steps(&f, 140);
    fixture_steps(&again, 140);
    assert_vec_close(middle(&again, "hero"), middle(&f, "hero"), 0.01);
    assert_true(middle(&f, "hero").y > 2.2f);
    fixture_close(&start);
    fixture_close_both(&again, &f);
}

static void test_refused(void **state)
{
    (void)state;
    assert_refused("{'objects': [{'type': 'character', 'height': 0.5}]}", "objects[0].height", "0.5 0.6 radius");
    assert_refused("{'objects': [{'type': 'character', 'radius': 1}]}", "objects[0].height", "1.8 2 radius");
    assert_refused("{'objects': [{'type': 'character', 'moves': [{'time': 1}, {'time': 1}]}]}", "objects[0].moves",
                   "move 1 later");
    assert_refused("{'objects': [{'type': 'character', 'repeat': true}]}", "objects[0].repeat", "0 two");
    assert_refused("{'objects': [{'type': 'character', 'moves': [{'velocity': [1, 0, 0]}]}]}", "objects[0].moves[0]",
                   "time");
    assert_refused(
        "{'world': {'dimensions': 2}, 'objects': [{'type': 'character', 'moves': [{'time': 0, 'velocity': [0, 0,"
        " 1]}]}]}",
        "objects[0].moves", "velocity z");
    assert_refused("{'objects': [{'type': 'rope', 'name': 'r'}], 'characters': [{'of': 'r.end'}]}", "characters[0].of",
                   "body");
    assert_refused("{'bodies': [{'name': 'a', 'shapes': {'type': 'box'}}], 'characters': [{'of': 'a'}]}",
                   "characters[0]", "immovable");
    assert_refused(
        "{'bodies': [{'name': 'a', 'immovable': true, 'shapes': {'type': 'box'}}], 'characters': [{'of': 'a'}, {'of':"
        " 'a'}]}",
        "characters[1]", "already");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_walks),  cmocka_unit_test(test_repeats),
                                       cmocka_unit_test(test_pushes), cmocka_unit_test(test_returns),
                                       cmocka_unit_test(test_saved),  cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* sinew/scene.h: every call with good and with bad input; what fails changes nothing. */
#include "support/support.h"

#include <sinew/scene.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sn_scene *empty_scene(void)
{
    char why[256];
    sn_scene *scene = NULL;
    if (sn_scene_create_empty(NULL, NULL, &scene, why, sizeof why) != SN_OK)
        fail_msg("no scene: %s", why);
    assert_string_equal(why, "");
    return scene;
}

static const sn_object *add_named_rope(sn_scene *scene, const char *name)
{
    sn_object_def def = sn_default_object_def();
    def.name = name;
    return sn_scene_add_rope(scene, &def, NULL);
}

/* Each builder with its defaults; what it says of itself agrees with the world. */
static void every_builder_builds(void **state)
{
    (void)state;
    sn_scene *scene = empty_scene();
    sn_world *world = sn_scene_world(scene);
    const sn_object *made[] = {sn_scene_add_grains(scene, NULL, NULL),     sn_scene_add_rope(scene, NULL, NULL),
                               sn_scene_add_chain(scene, NULL, NULL),      sn_scene_add_net(scene, NULL, NULL),
                               sn_scene_add_pendulum(scene, NULL, NULL),   sn_scene_add_box(scene, NULL, NULL),
                               sn_scene_add_cloth(scene, NULL, NULL),      sn_scene_add_lattice(scene, NULL, NULL),
                               sn_scene_add_block(scene, NULL, NULL),      sn_scene_add_balloon(scene, NULL, NULL),
                               sn_scene_add_figure(scene, NULL, NULL),     sn_scene_add_jelly(scene, NULL, NULL),
                               sn_scene_add_body_chain(scene, NULL, NULL), sn_scene_add_bridge(scene, NULL, NULL),
                               sn_scene_add_wall(scene, NULL, NULL),       sn_scene_add_pile(scene, NULL, NULL),
                               sn_scene_add_ragdoll(scene, NULL, NULL),    sn_scene_add_container(scene, NULL, NULL)};
    uint32_t particles = 0, bodies = 0;
    for (uint32_t i = 0; i < COUNT_OF(made); ++i) {
        if (!made[i])
            fail_msg("builder %u: %s", i, sn_scene_error(scene));
        const sn_object_info info = sn_object_describe(made[i]);
        assert_ptr_equal(sn_scene_object(scene, i), made[i]);
        assert_ptr_equal(sn_scene_find_object(scene, info.name), made[i]);
        particles += info.particles.count;
        bodies += info.body_count;
        for (uint32_t k = 0; k < 3 * info.triangle_count; ++k)
            assert_true(info.triangles[k] < info.particles.count);
        for (uint32_t k = 0; k < 2 * info.line_count; ++k)
            assert_true(info.lines[k] < info.particles.count);
        for (uint32_t k = 0; k < info.body_count; ++k)
            assert_true(sn_body_is_valid(world, sn_object_nth_body(made[i], k)));
        assert_int_equal(sn_object_nth_body(made[i], info.body_count).generation, 0);
    }
    assert_null(sn_scene_object(scene, COUNT_OF(made)));
    assert_int_equal(sn_world_particle_count(world), particles + bodies); /* a body has a particle at its centre */
    sn_scene_destroy(scene);
}

/* A call that fails says why, and the world has the hash that it had. */
static void bad_input_changes_nothing(void **state)
{
    (void)state;
    sn_scene *scene = empty_scene();
    sn_world *world = sn_scene_world(scene);
    assert_non_null(add_named_rope(scene, "rope"));
    const uint64_t hash = sn_world_hash(world);
    sn_rope_def rope = sn_default_rope_def();
    rope.length = -1;
    assert_null(sn_scene_add_rope(scene, NULL, &rope));
    assert_non_null(strstr(sn_scene_error(scene), "length"));
    assert_null(add_named_rope(scene, "rope"));
    assert_non_null(strstr(sn_scene_error(scene), "another object or body called 'rope'"));
    assert_int_equal(sn_scene_select(scene, "rope.ned", 0, NULL), 0);
    assert_non_null(strstr(sn_scene_error(scene), "did you mean 'end'?"));
    assert_int_equal(sn_scene_select(scene, NULL, 0, NULL), 0);
    assert_int_equal(sn_scene_select(scene, "{\"of\": ", 0, NULL), 0);
    assert_non_null(strstr(sn_scene_error(scene), "no JSON"));
    assert_int_equal(sn_scene_find_particle(scene, "rope").generation, 0);
    assert_non_null(strstr(sn_scene_error(scene), "21 particles, expected one"));
    assert_int_equal(sn_scene_find_particle(scene, "{\"place\": [0, 0, 0]}").generation, 0);
    assert_non_null(strstr(sn_scene_error(scene), "expected a particle"));
    assert_int_equal(sn_scene_find_body(scene, "rope.end").generation, 0);
    assert_int_equal(sn_scene_find_constraint(scene, "rope.links").kind, 0);
    assert_non_null(strstr(sn_scene_error(scene), "20 constraints, expected one"));
    assert_int_equal(sn_scene_pin_selected(scene, "cloth"), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_scene_release_selected(scene, "cloth"), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_scene_cut(scene, "rope.rods"), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(sn_scene_error(scene), "links"));
    assert_int_equal(sn_scene_extend_text(scene, "more", "{\"objects\": [{\"type\": \"rope\"}, {}]}", SIZE_MAX),
                     SN_ERROR_ARGUMENT);
    assert_non_null(strstr(sn_scene_error(scene), "more:1:32: error: objects[1]"));
    assert_int_equal(sn_scene_extend_text(scene, "more", "{", 1), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_scene_extend_text(scene, "more", NULL, 0), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_scene_save_file(scene, "/nowhere/scene.json"), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(sn_scene_error(scene), "/nowhere/scene.json"));
    assert_true(sn_world_hash(world) == hash);
    assert_null(sn_scene_object(scene, 1));
    sn_scene_destroy(scene);

    assert_string_equal(sn_scene_error(NULL), ""); /* no scene at all */
    assert_null(sn_scene_add_rope(NULL, NULL, NULL));
    assert_int_equal(sn_scene_select(NULL, "rope", 0, NULL), 0);
    assert_int_equal(sn_scene_cut(NULL, "rope"), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_scene_pin_selected(NULL, "rope"), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_scene_extend_text(NULL, "a", "{}", 2), SN_ERROR_ARGUMENT);
    sn_scene_destroy(NULL);
}

static void bad_scenes_are_told_of(void **state)
{
    (void)state;
    char why[300], brief[20];
    sn_scene *scene = (sn_scene *)why;
    sn_scene_def def = sn_default_scene_def();
    sn_world_def world = sn_default_world_def();
    assert_int_equal(sn_scene_open("/nowhere/a.json", NULL, &scene, why, sizeof why), SN_ERROR_ARGUMENT);
    assert_null(scene);
    assert_non_null(strstr(why, "/nowhere/a.json"));
    static const char two[] =
        "{\"objects\": [{\"type\": \"rope\", \"segments\": 0}, {\"type\": \"rope\", \"length\": -1}]}";
    assert_int_equal(sn_scene_open_text("two", two, SIZE_MAX, NULL, &scene, why, sizeof why), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(why, "two:1:43: error: objects[0].segments"));
    assert_non_null(strstr(why, "\ntwo:1:74: error: objects[1].length"));
    assert_int_equal(sn_scene_open_text("two", two, SIZE_MAX, NULL, &scene, brief, sizeof brief), SN_ERROR_ARGUMENT);
    assert_string_equal(brief, "two:1:43: error: ob"); /* the first is cut, others are left out */
    assert_int_equal(sn_scene_open_text("two", two, SIZE_MAX, NULL, &scene, NULL, 0), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_scene_open_text("two", two, SIZE_MAX, NULL, NULL, NULL, 0), SN_ERROR_ARGUMENT);
    const char *set = "objects[0].segments=ten";
    def.set_count = 1;
    def.set = &set;
    assert_int_equal(
        sn_scene_open_text("one", "{\"objects\": [{\"type\": \"rope\"}]}", SIZE_MAX, &def, &scene, why, sizeof why),
        SN_ERROR_ARGUMENT);
    assert_non_null(strstr(why, "(from --set objects[0].segments=ten)"));
    def = sn_default_scene_def();
    def.threads = 1000;
    assert_int_equal(sn_scene_open_text("one", "{}", 2, &def, &scene, why, sizeof why), SN_ERROR_ARGUMENT);
    assert_null(scene);
    assert_non_null(strstr(why, "1000"));
    def = sn_default_scene_def();
    def.rate = 0;
    assert_int_equal(sn_scene_create_empty(&def, NULL, &scene, why, sizeof why), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(why, "rate is 0"));
    world.settings.substeps = 0;
    assert_int_equal(sn_scene_create_empty(NULL, &world, &scene, why, sizeof why), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(why, "substeps"));
}

/* What is made in C, saved, and opened again is the same world. */
static void saved_and_opened(void **state)
{
    (void)state;
    char why[300], path[] = "/tmp/sinew-scene-XXXXXX";
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    close(handle);
    sn_world_def world = sn_default_world_def();
    world.settings.substeps = 7;
    sn_scene *scene, *again;
    assert_int_equal(sn_scene_create_empty(NULL, &world, &scene, why, sizeof why), SN_OK);
    assert_non_null(add_named_rope(scene, "line"));
    sn_scene_pin_selected(scene, "line.start");
    sn_particle end = sn_scene_find_particle(scene, "line.end");
    assert_int_equal(sn_scene_find_particle(scene, "line[-1]").index, end.index);
    assert_int_equal(sn_scene_find_particle(scene, "{\"of\": \"line\", \"near\": [0, -9, 0]}").index, end.index);
    assert_int_equal(sn_scene_find_point(scene, "line.end").particle[0].index, end.index);
    assert_int_equal(sn_scene_save_file(scene, path), SN_OK);
    assert_int_equal(sn_scene_open(path, NULL, &again, why, sizeof why), SN_OK);
    assert_true(sn_world_hash(sn_scene_world(scene)) == sn_world_hash(sn_scene_world(again)));
    assert_int_equal(sn_world_settings(sn_scene_world(again)).substeps, 7);
    for (int i = 0; i < 10; ++i) {
        assert_int_equal(sn_scene_step(scene), SN_OK);
        assert_int_equal(sn_scene_step(again), SN_OK);
    }
    assert_true(sn_world_hash(sn_scene_world(scene)) == sn_world_hash(sn_scene_world(again)));
    assert_int_equal(sn_scene_frame(again), 10);

    /* the upper half stays where it is, the lower one falls; the start can be let go as well */
    assert_int_equal(sn_scene_cut(scene, "line.links[10]"), SN_OK);
    assert_int_equal(sn_scene_cut(scene, "line.links[10]"), SN_OK);
    sn_particle upper = sn_scene_find_particle(scene, "line[10]");
    for (int i = 0; i < 30; ++i)
        assert_int_equal(sn_scene_step(scene), SN_OK);
    assert_true(sn_particle_position(sn_scene_world(scene), end).y < -2);
    assert_true(sn_particle_position(sn_scene_world(scene), upper).y > -0.51);
    assert_int_equal(sn_scene_release_selected(scene, "line.start"), SN_OK);
    for (int i = 0; i < 30; ++i)
        assert_int_equal(sn_scene_step(scene), SN_OK);
    assert_true(sn_particle_position(sn_scene_world(scene), upper).y < -1.5);
    sn_scene_destroy(scene);
    sn_scene_destroy(again);
    unlink(path);
}

static void meshes_are_read(void **state)
{
    (void)state;
    char why[300];
    sn_mesh_file *file;
    assert_int_equal(sn_mesh_file_open(SINEW_SCENES_DIR "/meshes/round_cloth.obj", 0, &file, why, sizeof why), SN_OK);
    const sn_mesh *mesh = sn_mesh_file_mesh(file);
    assert_true(mesh->triangle_count > 100);
    sn_scene_def def = sn_default_scene_def();
    sn_scene *scene;
    sn_cloth_def cloth = sn_default_cloth_def();
    def.folder = SINEW_SCENES_DIR;
    cloth.mesh = "meshes/round_cloth.obj";
    assert_int_equal(sn_scene_create_empty(&def, NULL, &scene, why, sizeof why), SN_OK);
    const sn_object *object = sn_scene_add_cloth(scene, NULL, &cloth);
    if (!object)
        fail_msg("%s", sn_scene_error(scene));
    assert_int_equal(sn_object_describe(object).particles.count, mesh->vertex_count);
    cloth.mesh = "../README.md";
    assert_null(sn_scene_add_cloth(scene, NULL, &cloth));
    sn_scene_destroy(scene);
    sn_mesh_file_destroy(file);
    assert_int_equal(sn_mesh_file_open("/nowhere.obj", 0, &file, why, sizeof why), SN_ERROR_ARGUMENT);
    assert_null(file);
    assert_non_null(strstr(why, "/nowhere.obj"));
    assert_null(sn_mesh_file_mesh(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_builder_builds),   cmocka_unit_test(bad_input_changes_nothing),
        cmocka_unit_test(bad_scenes_are_told_of), cmocka_unit_test(saved_and_opened),
        cmocka_unit_test(meshes_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

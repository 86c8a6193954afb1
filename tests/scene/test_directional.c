/* Directional rejection in scenes: what the scenes about it claim, and fields of objects in files. */
#include "scene/scene_fixture.h"

#include "scene/load.h"

#include <math.h>

static sn_vec3 place_of(sn_scene *scene, const sn_object *object, uint32_t i)
{
    return sn_particle_position(sn_scene_world(scene), sn_particles_at(object->run, i));
}

/* m: the least distance of two balls of two objects. */
static double nearest(sn_scene *scene, const char *a, const char *b)
{
    const sn_object *one = sn_scene_find_object(scene, a), *other = sn_scene_find_object(scene, b);
    double least = (double)INFINITY;
    assert_true(one && other);
    for (uint32_t i = 0; i < one->run.count; ++i)
        for (uint32_t k = 0; k < other->run.count; ++k)
            least = fmin(least, support_gap(place_of(scene, one, i), place_of(scene, other, k)));
    return least;
}

static void load(const char *name, sn_loaded *loaded)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.json", SINEW_SCENES_DIR, name);
    sn_load_options options = sn_default_load_options();
    if (!sn_scene_load(path, &options, loaded))
        fail_msg("%s does not load", path);
}

/* Along lines between centres they stay hooked; by their normals they part. */
static void test_scenes_part(void **state)
{
    (void)state;
    static const char *const names[] = {"directional_rejection", "directional_rejection_field"};
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        sn_loaded loaded;
        load(names[i], &loaded);
        for (int frame = 0; frame < 120; ++frame)
            assert_ok(sn_scene_world(loaded.scene), sn_scene_step(loaded.scene));
        assert_true(nearest(loaded.scene, "hooked_a", "hooked_b") <
                    0.09); /* balls of 0.05: those of the others touch */
        assert_true(nearest(loaded.scene, "parted_a", "parted_b") > 0.099);
        for (int frame = 120; frame < 240; ++frame)
            assert_ok(sn_scene_world(loaded.scene), sn_scene_step(loaded.scene));
        assert_true(nearest(loaded.scene, "parted_a", "parted_b") > 0.099);
        assert_true(nearest(loaded.scene, "hooked_a", "hooked_b") < 0.09);
        sn_loaded_release(&loaded);
    }
}

#define HOOKED                                                                                                         \
    "'type': 'block', 'width': 0.3, 'height': 0.3, 'depth': 0.3, 'columns': 4, 'rows': 4, 'layers': 4, 'mass': 8,"     \
    " 'radius': 0.05, 'contact': {'material': {'friction': 0}}"

/* Two blocks that are hooked into each other, one and a half layers deep, stay calm with any number of substeps, damped or not. */
static void test_hooked_pair_is_calm(void **state)
{
    (void)state;
    static const int substeps[] = {1, 2, 3, 7, 10, 40};
    for (size_t i = 0; i < COUNT_OF(substeps); ++i)
        for (int damping = 0; damping < 2; ++damping) {
            char text[1024];
            snprintf(text, sizeof text,
                     "{'world': {'gravity': [0, 0, 0], 'damping': %d, 'substeps': %d}, 'contact': {'push_out': 0.1},"
                     " 'objects': [{" HOOKED ", 'position': [-0.125, 0, 0]}, {" HOOKED
                     ", 'position': [0.125, 0.03, 0]}]}",
                     damping, substeps[i]);
            fixture f = fixture_good(text);
            double most = 0;
            for (uint32_t frame = 0; frame < support_long(240, 40); ++frame) {
                sn_report report;
                fixture_steps(&f, 1);
                assert_ok(f.world, sn_world_report(f.world, &report));
                most = fmax(most, report.kinetic);
            }
            if (!(most < 1e-7))
                fail_msg("blocks that are hooked get %g J with %d substeps", most, substeps[i]);
            fixture_close(&f);
        }
}

#define BLOCK                                                                                                          \
    "'type': 'block', 'width': 0.2, 'height': 0.2, 'depth': 0.2, 'columns': 3, 'rows': 3, 'layers': 3,"                \
    " 'radius': 0.05"

/* A field comes back from a saved scene: of the shape at the start, wherever the object is when it is saved. */
static void test_fields_come_back(void **state)
{
    (void)state;
    fixture f = fixture_good("{'world': {'gravity': [0, 0, 0]}, 'objects': [{" BLOCK
                             ", 'spin': [0, 3, 0], 'contact': {'directional': true, 'field': true}}, {" BLOCK
                             ", 'position': [0.1, 0, 0], 'contact': {'directional': true, 'field': true}}]}");
    assert_true(sn_world_has_group_field(f.world, 1) && sn_world_has_group_field(f.world, 2));
    fixture again = fixture_again(f.scene);
    assert_same_world(f.world, again.world);
    fixture_close(&again);
    fixture_steps(&f, 7);
    again = fixture_again(f.scene);
    assert_true(sn_world_has_group_field(again.world, 1) && sn_world_has_group_field(again.world, 2));
    char *a = fixture_save(f.scene), *b = fixture_save(again.scene);
    assert_string_equal(a, b);
    assert_true(strstr(a, "\"rest\"") && strstr(a, "\"field\""));
    free(a);
    free(b);
    fixture_close(&again);
    fixture_close(&f);
}

static void test_bad_fields(void **state)
{
    (void)state;
    assert_refused("{'objects': [{'type': 'cloth', 'contact': {'field': true}}]}", "groups.1", "closed edge");
    assert_refused("{'objects': [{'type': 'rope', 'contact': {'field': true}}]}", "groups.1", "no triangles no field");
    assert_refused("{'objects': [{" BLOCK ", 'contact': {'field': 1}}]}", "objects[0].contact.field", "1 true");
    fixture f = fixture_good("{'objects': [{" BLOCK "}]}"); /* the program's own are not for files */
    sn_shape_def def = sn_default_shape_def(SN_SHAPE_FIELD);
    sn_real samples[27];
    def.type = SN_SHAPE_FIELD;
    def.samples = samples;
    def.cell = 1;
    for (int i = 0; i < 27; ++i)
        samples[i] = i == 13 ? -1 : 1;
    for (int k = 0; k < 3; ++k)
        def.sample_count[k] = 3;
    assert_ok(f.world, sn_world_set_group_field(f.world, 1, &def));
    sn_document out;
    sn_document_init(&out, NULL);
    char message[256] = "";
    assert_false(sn_scene_save(f.scene, &out, message, sizeof message));
    assert_true(support_says(message, "group field program"));
    sn_document_release(&out);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes_part),
        cmocka_unit_test(test_hooked_pair_is_calm),
        cmocka_unit_test(test_fields_come_back),
        cmocka_unit_test(test_bad_fields),
    };
    return cmocka_run_group_tests_name("directional rejection in scenes", tests, NULL, NULL);
}

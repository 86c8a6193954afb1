/* Scenes from documents: objects with what all of them have, constraints of every kind, memory. */
#include "support/support.h"

#include "scene/scene_fixture.h"

#include <math.h>

/* ---- Object types ------------------------------------------------------------------------------------------------ */

static void object_text(const sn_object_type *type, const char *more, const char *world, char *text, size_t size)
{
    bool particles = strcmp(type->name, "particles") == 0;
    snprintf(text, size, "{'world': {%s}, 'objects': [{'type': '%s'%s%s}]}", world, type->name,
             particles ? ", 'positions': [0,0,0, 1,0,0, 0,1,0]" : "", more);
}

static void test_every_type(void **state)
{
    (void)state;
    char text[400], name[80];
    for (uint32_t i = 0; i < sn_object_type_count(); ++i) {
        const sn_object_type *type = sn_object_type_at(i);
        assert_ptr_equal(sn_object_type_find(type->name), type);
        object_text(type, "", "", text, sizeof text);
        fixture f = fixture_good(text);
        const sn_object *object = sn_scene_object(f.scene, 0);
        assert_string_equal(object->type, type->name);
        snprintf(name, sizeof name, "%s1", type->name);
        assert_string_equal(object->name, name);
        assert_ptr_equal(sn_scene_find_object(f.scene, name), object);
        assert_null(sn_scene_object(f.scene, 1));
        assert_int_equal(sn_object_items(object), sn_world_particle_count(f.world));
        assert_int_equal(object->group, 1);
        assert_string_equal(object->part[0].name, "all");
        for (uint32_t k = 0; k < object->triangle_count * 3; ++k)
            assert_true(object->triangle[k] < object->run.count);
        for (uint32_t k = 0; k < object->line_count * 2; ++k)
            assert_true(object->line[k] < object->run.count);
        fixture_steps(&f, 5);
        assert_int_equal(sn_scene_frame(f.scene), 5);
        assert_close(sn_scene_time(f.scene), 5 / 60.0, 1e-12);
        fixture again = fixture_again(f.scene);
        assert_int_equal(sn_scene_object(again.scene, 0)->part_count, object->part_count);
        fixture_close_both(&again, &f);
    }
    assert_null(sn_object_type_at(sn_object_type_count()));
    assert_null(sn_object_type_find("ropes"));
    assert_null(sn_object_type_find(NULL));
}

static void test_two_dimensions(void **state)
{
    (void)state;
    char text[400], words[100];
    for (uint32_t i = 0; i < sn_object_type_count(); ++i) {
        const sn_object_type *type = sn_object_type_at(i);
        object_text(type, "", "'dimensions': 2", text, sizeof text);
        if (type->spatial) {
            snprintf(words, sizeof words, "%s three dimensions two", type->name);
            assert_refused(text, "objects[0]", words);
            continue;
        }
        fixture f = fixture_good(text);
        fixture_steps(&f, 2);
        fixture_close(&f);
        object_text(type, ", 'turn': {'axis': [0, 0, 1], 'angle': 1}, 'spin': [0, 0, 2], 'velocity': [1, 2, 0]",
                    "'dimensions': 2", text, sizeof text);
        f = fixture_good(text);
        fixture_close(&f);
    }
#define FLAT(keys) "{'world': {'dimensions': 2}, 'objects': [{'type': 'rope', " keys "}]}"
    assert_refused(FLAT("'turn': {'angle': 1}"), "objects[0].turn", "2D [0, 0, 1]");
    assert_refused(FLAT("'spin': [1, 0, 0]"), "objects[0].spin", "2D z");
    assert_refused(FLAT("'position': [0, 0, 1]"), "objects[0]", "z");
    assert_refused(FLAT("'velocity': [0, 0, 1]"), "objects[0]", "z");
    assert_refused("{'world': {'dimensions': 4}}", "world.dimensions", "4 2 3");
}

static void test_bad_objects(void **state)
{
    (void)state;
    assert_refused("{'objects': [{'type': 'roep'}]}", "objects[0].type", "'roep' did you mean 'rope'");
    assert_refused("{'objects': [{}]}", "objects[0]", "'type' missing");
    assert_refused("{'objects': [{'type': 3}]}", "objects[0].type", "name object type");
    assert_refused("{'objects': [3, 4]}", "objects", "list of 2 objects");
    assert_refused("{'objects': ['rope']}", "objects[0]", "text record object");
    assert_refused("{'objects': {}}", "objects", "record list");
    assert_refused("{'objects': [{'type': 'rope', 'lenght': 1}]}", "objects[0].lenght", "rope did you mean 'length'");
    assert_refused("{'objects': [{'type': 'rope', 'scael': 1}]}", "objects[0].scael", "did you mean 'scale'");
    assert_refused("{'objects': [{'type': 'rope', 'scale': 0}]}", "objects[0].scale", "0 more");
    assert_refused("{'objects': [{'type': 'rope', 'turn': {'axis': [0, 0, 0]}}]}", "objects[0].turn", "axis length 0");
    assert_refused("{'objects': [{'type': 'rope', 'group': 4294967295}]}", "objects[0].group", "4294967295");
    assert_refused("{'objects': [{'type': 'rope', 'name': ''}]}", "objects[0].name", "'' no name");
    assert_refused("{'objects': [{'type': 'rope', 'name': 'a b'}]}", "objects[0].name", "'a b' letters");
    assert_refused("{'objects': [{'type': 'rope', 'name': '2a'}]}", "objects[0].name", "'2a' letter first");
    assert_refused("{'objects': [{'type': 'rope', 'name': 'a.b'}]}", "objects[0].name", "no name");
    assert_refused("{'objects': [{'type': 'rope', 'name': 'r'}, {'type': 'net', 'name': 'r'}]}", "objects[1].name",
                   "another 'r'");
    assert_refused("{'objects': [{'type': 'cloth', 'mesh': 'x.obj'}]}", "objects[0].mesh", "x.obj no files");
    /* several at once, and what follows from them is not told */
    fixture f = fixture_try("{'objcts': 1, 'world': {'substeps': 0}, 'objects': [{'type': 'rope', 'length': -1},"
                            " {'type': 'roop'}], 'record': {'particles': 'rope1'}}",
                            NULL);
    assert_null(f.scene);
    assert_int_equal(f.problems.errors, 4);
    assert_problem(&f.problems, "objcts", "did you mean 'objects'");
    assert_problem(&f.problems, "world.substeps", "0 1 100000");
    assert_problem(&f.problems, "objects[0].length", "-1");
    assert_problem(&f.problems, "objects[1].type", "roop");
    fixture_close(&f);
    /* what a document says does nothing to a terminal, and is not cut within a character */
    f = fixture_try(
        "{'objects': [{'type': 'a\\u001b[31m\\n'}, {'type': 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaa\\u00e4\\u00e4'}]}",
        NULL);
    assert_null(f.scene);
    assert_problem(&f.problems, "objects[0].type", "'a?[31m?'");
    assert_problem(&f.problems, "objects[1].type", "a?'");
    fixture_close(&f);
    assert_refused("[]", "", "list record");
    assert_refused("{'sinew': 2}", "sinew", "2 1");
    sn_document empty;
    sn_problems problems;
    sn_document_init(&empty, NULL);
    sn_problems_init(&problems, NULL);
    assert_null(sn_scene_create(&empty, NULL, &problems));
    assert_problem(&problems, "", "null record");
    sn_problems_release(&problems);
    f = fixture_good("{}"); /* nothing is a scene too */
    fixture_steps(&f, 2);
    fixture_close(&f);
    sn_scene_destroy(NULL);
}

static void test_names(void **state)
{
    (void)state;
    fixture f = fixture_good("{'objects': [{'type': 'rope'}, {'type': 'rope', 'name': 'rope3'}, {'type': 'rope'},"
                             " {'type': 'net', 'group': 77}]}");
    assert_string_equal(sn_scene_object(f.scene, 0)->name, "rope1");
    assert_string_equal(sn_scene_object(f.scene, 2)->name, "rope4"); /* rope3 is taken */
    assert_string_equal(sn_scene_object(f.scene, 3)->name, "net4");
    assert_int_equal(sn_scene_object(f.scene, 2)->group, 3);
    const sn_object *net = sn_scene_object(f.scene, 3);
    assert_int_equal(net->group, 77);
    assert_int_equal(sn_particle_group(f.world, sn_particles_at(net->run, 2)), 77);
    fixture_close(&f);
}

/* ---- What all objects have --------------------------------------------------------------------------------------- */

static void test_transform(void **state)
{
    (void)state;
    fixture f = fixture_good("{'objects': [{'type': 'particles', 'positions': [1,0,0, 0,1,0, 0,0,1],"
                             " 'position': [10, 20, 30], 'scale': 2, 'radius': 0.5, 'mass': 6,"
                             " 'turn': {'axis': [0, 0, 7], 'angle': 1.5707963267948966}}]}");
    assert_vec_close(fixture_place(&f, 0), vec(10, 22, 30), 1e-5);
    assert_vec_close(fixture_place(&f, 1), vec(8, 20, 30), 1e-5);
    assert_vec_close(fixture_place(&f, 2), vec(10, 20, 32), 1e-5);
    assert_close(sn_particle_radius(f.world, sn_particle_from_index(f.world, 1)), 0.5, 0);
    assert_close(fixture_mass(&f, 1), 2, 1e-6);
    fixture_close(&f);
    f = fixture_good("{'objects': [{'type': 'particles', 'positions': [1, 2, 3], 'turn': {'axis': [1, 1, 1],"
                     " 'angle': 2.0943951023931953}}]}");
    assert_vec_close(fixture_place(&f, 0), vec(3, 1, 2), 1e-5); /* a third of a turn about the diagonal */
    fixture_close(&f);
    f = fixture_good("{'objects': [{'type': 'particles', 'positions': [1, 0, 0], 'turn': {'axis': [0, 1e-30, 0],"
                     " 'angle': 1.5707963267948966}}]}");
    assert_vec_close(fixture_place(&f, 0), vec(0, 0, -1), 1e-5); /* of any length */
    fixture_close(&f);
}

/* The sixteen corners of two cubes have the same inertia about every axis: L = I w. */
static void test_spin(void **state)
{
    (void)state;
    fixture f = fixture_good("{'world': {'gravity': [0, 0, 0]}, 'objects': [{'type': 'particles', 'positions': ["
                             "-1,-1,-1, 1,-1,-1, -1,1,-1, 1,1,-1, -1,-1,1, 1,-1,1, -1,1,1, 1,1,1],"
                             " 'mass': 16, 'position': [5, 6, 7], 'velocity': [1, 2, 3], 'spin': [0.5, -1, 2]}]}");
    sn_report report;
    assert_ok(f.world, sn_world_report(f.world, &report));
    double inertia = 16 * 2.0, m = 16;
    const double c[3] = {5, 6, 7}, v[3] = {1, 2, 3}, w[3] = {0.5, -1, 2};
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        assert_close(report.momentum[k], m * v[k], 1e-4);
        assert_close(report.angular_momentum[k], inertia * w[k] + m * (c[i] * v[j] - c[j] * v[i]), 1e-3);
    }
    fixture_close(&f);
}

static void test_mass(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        double mass;
    } cases[] = {{"", 1},
                 {", 'mass': 3", 3},
                 {", 'material': {'density': 0.5}", 1},
                 {", 'material': {'density': 0.5}, 'scale': 3", 3},
                 {", 'material': {'density': 0.5}, 'mass': 7", 7},
                 {", 'material': 'hemp'", 0.2}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        char text[400];
        snprintf(text, sizeof text,
                 "{'materials': {'hemp': {'density': 0.1}}, 'objects': [{'type': 'rope', 'length': 2%s}]}",
                 cases[i].keys);
        fixture f = fixture_good(text);
        double sum = 0;
        for (uint32_t k = 0; k < sn_world_particle_count(f.world); ++k)
            sum += (double)fixture_mass(&f, k);
        assert_close(sum, cases[i].mass, 1e-5 * cases[i].mass);
        fixture_close(&f);
    }
    /* a mass beyond all numbers does not make it immovable */
    if (sizeof(sn_real) == sizeof(float))
        assert_refused("{'objects': [{'type': 'rope', 'length': 1e9, 'material': {'density': 3e38}}]}", "objects[0]",
                       "mass");
}

static void test_materials(void **state)
{
    (void)state;
    fixture f = fixture_good("{'materials': {'soft': {'stretch': 1e-3, 'damping': 0.1}}, 'objects': ["
                             "{'type': 'chain', 'name': 'a', 'material': 'soft'}, {'type': 'chain', 'name': 'b',"
                             " 'material': {'stretch': 1e-3, 'damping': 0.1}}, {'type': 'chain', 'name': 'c'}]}");
    sn_constraint_def def[3];
    sn_point points[SN_MAX_POINTS];
    for (uint32_t i = 0; i < 3; ++i) {
        const sn_object *object = sn_scene_object(f.scene, i);
        assert_true(object->hold_count > 0);
        assert_ok(f.world, sn_constraint_read(f.world, sn_constraints_at(object->hold[0].run, 0), &def[i], points,
                                              SN_MAX_POINTS));
    }
    assert_true(def[0].compliance > 0 && def[0].damping > 0);
    assert_true(def[0].compliance == def[1].compliance && def[0].damping == def[1].damping);
    assert_true(def[2].compliance == 0 && def[2].damping == 0);
    fixture_close(&f);
    f = fixture_good("{'objects': [{'type': 'chain', 'material': {'stretch': 1e-60, 'damping': 1}}]}");
    fixture_close(&f); /* too little to be anything but rigid */
#define WITH(material) "{'materials': {'silk': {}}, 'objects': [{'type': 'rope', 'material': " material "}]}"
    assert_refused(WITH("'slik'"), "objects[0].material", "no material 'slik' did you mean 'silk'");
    assert_refused(WITH("3"), "objects[0].material", "3 record");
    assert_refused(WITH("{'strech': 1}"), "objects[0].material.strech", "did you mean 'stretch'");
    assert_refused(WITH("{'stretch': -1}"), "objects[0].material.stretch", "-1 0 or more");
    assert_refused("{'materials': {'a': 3, 'b': {'bend': 'x'}}}", "materials.a", "3 record");
    assert_refused("{'materials': {'a': 3, 'b': {'bend': 'x'}}}", "materials.b.bend", "number");
    assert_refused("{'materials': []}", "materials", "list record");
}

/* ---- The world --------------------------------------------------------------------------------------------------- */

static void test_world(void **state)
{
    (void)state;
    fixture f = fixture_good(
        "{'title': 't', 'about': 'a', 'topic': 'p', 'world': {'gravity': [0, -1, 0], 'integrator':"
        " 'verlet', 'solver': 'gauss_seidel', 'order': 'insertion', 'substeps': 3, 'iterations': 0, 'tolerance': 0.5,"
        " 'damping': 0.25, 'correct_stiffness': true, 'gradients': 'start'},"
        " 'run': {'frames': 9, 'rate': 25, 'warm_up': 4, 'time': 8}, 'record': {'every': 3}}");
    sn_settings s = sn_world_settings(f.world);
    assert_vec_same(s.gravity, vec(0, -1, 0));
    assert_int_equal(s.solver, SN_SOLVER_GAUSS_SEIDEL);
    assert_true(s.integrator == SN_INTEGRATOR_VERLET && s.order == SN_ORDER_INSERTION && s.substeps == 3);
    assert_true(s.iterations == 0 && s.tolerance == real(0.5) && s.damping == real(0.25) && s.correct_stiffness);
    assert_int_equal(s.gradients, SN_GRADIENTS_START);
    sn_scene_info info = sn_scene_describe(f.scene);
    assert_string_equal(info.title, "t");
    assert_string_equal(info.about, "a");
    assert_string_equal(info.topic, "p");
    assert_true(info.frames == 9 && info.rate == 25 && info.warm_up == 4);
    assert_int_equal(sn_scene_traces(f.scene).every, 3);
    fixture_steps(&f, 1);
    assert_close(sn_scene_time(f.scene), 8.04, 1e-12);
    fixture_close(&f);
    f = fixture_good("{}");
    sn_settings standard = sn_default_world_def().settings;
    s = sn_world_settings(f.world);
    assert_memory_equal(&s.gravity, &standard.gravity, sizeof s.gravity);
    assert_true(s.substeps == standard.substeps && s.order == standard.order);
    assert_int_equal(s.solver, SN_SOLVER_TILED);
    assert_true(sn_scene_describe(f.scene).frames == 300 && sn_scene_describe(f.scene).rate == 60);
    assert_string_equal(sn_scene_describe(f.scene).title, "");
    fixture_close(&f);
    assert_refused("{'world': {'order': 'insertion'}}", "world", "order|gauss_seidel|tiled");
    assert_refused("{'world': {'integrator': 'bdf2', 'gradients': 'start'}}", "world", "gradients|bdf2");
    assert_refused("{'run': {'rate': 0}}", "run.rate", "0");
    assert_refused("{'record': {'every': 0}}", "record.every", "0 1");
}

static void test_drags(void **state)
{
    (void)state;
    fixture f = fixture_good("{'world': {'gravity': [0, 0, 0], 'drags': [{'strength': 2, 'object': 'b'},"
                             " {'form': 'matrix', 'object': 'c', 'matrix': [[3, 0, 0], [0, 0, 0], [0, 0, 0]]}]},"
                             " 'run': {'rate': 1}, 'objects': ["
                             "{'type': 'particles', 'name': 'a', 'positions': [0,0,0], 'velocity': [1, 1, 0]},"
                             "{'type': 'particles', 'name': 'b', 'positions': [0,0,0], 'velocity': [1, 1, 0]},"
                             "{'type': 'particles', 'name': 'c', 'positions': [0,0,0], 'velocity': [1, 1, 0]}]}");
    fixture_steps(&f, 1);
    assert_vec_close(fixture_speed(&f, 0), vec(1, 1, 0), 1e-6);
    assert_vec_close(fixture_speed(&f, 1), vec(exp(-2), exp(-2), 0), 1e-5);
    assert_vec_close(fixture_speed(&f, 2), vec(exp(-3), 1, 0), 1e-5);
    fixture_close(&f);
#define DRAG(keys) "{'world': {'drags': [" keys "]}, 'objects': [{'type': 'rope', 'name': 'r'}]}"
    assert_refused(DRAG("{'object': 's'}"), "world.drags[0].object", "no object 's'");
    assert_refused(DRAG("{}, {'form': 'loss', 'strength': 1}"), "world.drags[1]", "loss|strength");
    assert_refused(DRAG("{'form': 'planar', 'normal': [0, 0, 0]}"), "world.drags[0]", "normal");
    assert_refused(DRAG("{'form': 'matrix', 'matrix': [[1, 2, 3]]}"), "world.drags[0].matrix", "three lists");
    assert_refused(DRAG("{'form': 'matrix', 'matrix': [1, 2, 3]}"), "world.drags[0].matrix", "three lists");
    assert_refused(DRAG("{'form': 'matrix', 'matrix': [[1, 2, 3], [1, 2], 7]}"), "world.drags[0].matrix[1]", "three");
    assert_refused(DRAG("{'form': 'matrix', 'matrix': [[1, 2, 3], [1, 2], 7]}"), "world.drags[0].matrix[2]", "7 three");
    assert_refused(DRAG("{'form': 'matrix', 'matrix': [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}"), "world.drags[0]",
                   "symmetric");
    assert_refused(DRAG("{'strength': -1}"), "world.drags[0].strength", "-1");
    assert_refused(DRAG("{'form': 'rat'}"), "world.drags[0].form", "did you mean 'rate'");
    assert_warned("{'world': {'drags': [{'object': 'r'}]}, 'objects': [{'type': 'rope', 'name': 'r', 'group': 4},"
                  " {'type': 'rope', 'name': 's', 'group': 4}]}",
                  "world.drags[0]", "also 's' same group 'r'");
}

/* ---- Constraints ------------------------------------------------------------------------------------------------- */

static const double odd_places[] = {0, 0, 0,   1,   0.1, 0.2, 0.2, 1,   0.1, 0.3, 0.2, 1, 2, 0, 0.5,
                                    1, 2, 0.7, 0.1, 2,   1.5, 1.4, 1.6, 0.3, 2,   2,   2, 3, 1, 2};

/* What a constraint of the kind needs to be told: the parameters that it cannot measure and that have no default. */
static sn_constraint_def needed(uint32_t kind)
{
    sn_world *world = support_world();
    const sn_kind *info = sn_kind_info(NULL, kind);
    sn_point points[SUPPORT_MOST_POINTS];
    for (uint32_t i = 0; i < COUNT_OF(odd_places) / 3; ++i)
        sn_particle_add_at(world, vec(odd_places[3 * i], odd_places[3 * i + 1], odd_places[3 * i + 2]), 1);
    for (uint32_t i = 0; i < support_point_count(info, false); ++i)
        points[i] = sn_at(sn_particle_from_index(world, support_particle_of_point(info, false, i)));
    sn_constraint_def def = support_constraint_def(world, kind, points);
    sn_world_destroy(world);
    return def;
}

/* The same for kinds that look at axes: between two bodies that are nowhere near their principal axes. */
static void oriented_text(const sn_kind *info, const char *more, char *text, size_t size)
{
    const char *const both =
        "{'body': 'a', 'place': [0.61, 0.13, 0.07], 'turn': {'axis': [3, 1, 2], 'angle': 0.7}}, {'body': 'b', 'place':"
        " [-0.2, 0.1, 0.3], 'rotation': [0.1, 0.2, 0.3, 0.9]}";
    const char *const more_points =
        info->points == 4 ? ", {'place': [0, 1, 0]}, {'body': 'a', 'place': [0.1, 0, 0]}" : "";
    snprintf(text, size,
             "{'bodies': [{'name': 'a', 'spin': [1, 2, 3], 'shapes': [{'type': 'box', 'size': [1, 0.5, 0.3]}, {'type':"
             " 'sphere', 'radius': 0.3, 'position': [0.7, 0.4, 0.1]}], 'turn': {'axis': [1, 2, 3], 'angle': 1}},"
             " {'name': 'b', 'position': [1.3, 0.2, 0.1], 'shapes': {'type': 'hull', 'points': [0,0,0, 1,0,0, 0,1,0,"
             " 0.1,0.2,0.9]}}], 'constraints': [{'kind': '%s', 'name': 'it'%s, 'points': [%s%s]}]}",
             info->name, more, both, more_points);
}

/* A text that makes one constraint of a kind as the table says: on a few particles at odd places. */
static void kind_text(uint32_t kind, const char *more, char *text, size_t size)
{
    const sn_kind *info = sn_kind_info(NULL, kind);
    if (info->oriented) {
        oriented_text(info, more, text, size);
        return;
    }
    uint32_t points = support_point_count(info, false);
    size_t used = (size_t)snprintf(text, size, "{'objects': [{'type': 'particles', 'name': 'p', 'positions': [");
    for (uint32_t i = 0; i < COUNT_OF(odd_places); ++i)
        used += (size_t)snprintf(text + used, size - used, "%s%g", i ? ", " : "", odd_places[i]);
    used += (size_t)snprintf(text + used, size - used,
                             "]}], 'constraints': [{'kind': '%s', 'name': 'it'%s, 'points': [", info->name, more);
    for (uint32_t i = 0; i < points; ++i)
        used += (size_t)snprintf(text + used, size - used, "%s%u", i ? ", " : "",
                                 support_particle_of_point(info, false, i));
    used += (size_t)snprintf(text + used, size - used, "]");
    sn_constraint_def def = needed(kind);
    uint32_t at = 0;
    for (uint32_t i = 0; info->param[i].name; ++i) {
        bool vector = info->param[i].type != SN_PARAM_REAL;
        if (def.param[at] != SN_MEASURE)
            used += (size_t)snprintf(text + used, size - used, vector ? ", '%s': [%.9g, %.9g, %.9g]" : ", '%s': %.9g",
                                     info->param[i].name, (double)def.param[at], vector ? (double)def.param[at + 1] : 0,
                                     vector ? (double)def.param[at + 2] : 0);
        at += vector ? 3 : 1;
    }
    snprintf(text + used, size - used, "}]}");
}

static void check_round_trip(fixture *f, const char *what)
{
    fixture again = fixture_again(f->scene);
    if (sn_world_hash(f->world) != sn_world_hash(again.world))
        fail_msg("%s: another world after saving and loading", what);
    assert_same_world(f->world, again.world);
    for (uint32_t i = 0; i < 30; ++i) {
        sn_result a = sn_scene_step(f->scene), b = sn_scene_step(again.scene);
        assert_int_equal(a, b);
        if (a != SN_OK)
            break;
    }
    assert_same_world(f->world, again.world);
    fixture_close(&again);
}

/* Every kind of the table: through JSON, saved, loaded, the same to the last bit, and after 30 frames too. */
static void test_every_kind(void **state)
{
    (void)state;
    for (uint32_t kind = 1; kind < sn_kind_count(NULL); ++kind) {
        const sn_kind *info = sn_kind_info(NULL, kind);
        char text[3000];
        for (int soft = 0; soft < 3; ++soft) {
            if ((soft == 1 && !support_kind_gives(info)) || (soft == 2 && info->force))
                continue;
            kind_text(kind,
                      soft == 1 ? ", 'compliance': 1e-3, 'damping': 0.5"
                      : soft    ? ", 'stiffness': 0.5"
                                : "",
                      text, sizeof text);
            fixture f = fixture_good(text);
            assert_int_equal(sn_world_constraint_count(f.world, kind), 1);
            check_round_trip(&f, info->name);
            fixture_close(&f);
        }
    }
}

/* The same through the engine's own zoo of constraints, spots included: what it holds can be saved. */
static void test_zoo(void **state)
{
    (void)state;
    fixture zoo = fixture_good("{}");
    support_animals animals = support_zoo(zoo.world); /* particles that belong to no object */
    char message[200] = "";
    sn_document out;
    sn_document_init(&out, NULL);
    assert_false(sn_scene_save(zoo.scene, &out, message, sizeof message));
    assert_says(message, "particles belong no object");
    sn_document_release(&out);
    /* as an object they can */
    char *text = malloc(100000);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "{'objects': [{'type': 'particles', 'fixed': [0, 1, 2, 3], 'positions': [");
    for (uint32_t i = 0; i < animals.grid.count; ++i) {
        sn_vec3 x = sn_particle_position(zoo.world, sn_particles_at(animals.grid, i));
        used += (size_t)sprintf(text + used, "%s%.9g,%.9g,%.9g", i ? "," : "", (double)x.x, (double)x.y, (double)x.z);
    }
    strcpy(text + used, "]}]}");
    fixture f = fixture_good(text);
    free(text);
    sn_constraint_walk walk = {0};
    while (sn_constraint_next(zoo.world, &walk)) {
        sn_constraint_def def;
        sn_point points[SUPPORT_MOST_POINTS];
        assert_ok(zoo.world, sn_constraint_read(zoo.world, walk.constraint, &def, points, SUPPORT_MOST_POINTS));
        for (uint32_t i = 0; i < def.point_count; ++i)
            for (uint32_t k = 0; k < points[i].count; ++k)
                points[i].particle[k] = sn_particle_from_index(f.world, points[i].particle[k].index);
        if (sn_kind_info(NULL, def.kind)->force)
            def.stiffness = 1; /* without effect, and a scene cannot say it: a spring's stiffness is its parameter */
        assert_ok(f.world, sn_constraint_add(f.world, &def, NULL));
    }
    check_round_trip(&f, "the zoo");
    fixture_close_both(&f, &zoo);
}

#define FOUR "'objects': [{'type': 'particles', 'name': 'p', 'positions': [0,0,0, 1,0,0, 2,0,0, 3,0,0]}]"

static sn_constraint_def read_nth(const fixture *f, uint32_t n)
{
    static sn_point points[SN_MAX_POINTS];
    sn_constraint_walk walk = {0};
    sn_constraint_def def;
    do
        assert_true(sn_constraint_next(f->world, &walk));
    while (n--);
    assert_ok(f->world, sn_constraint_read(f->world, walk.constraint, &def, points, SN_MAX_POINTS));
    return def;
}

static void test_many_constraints(void **state)
{
    (void)state;
    fixture f =
        fixture_good("{" FOUR ", 'constraints': ["
                     "{'kind': 'distance', 'index': [0, 1, 1, 2, 2, 3], 'rest': [1, 2, 3], 'compliance':"
                     " [0.5, 0.25, 0], 'damping': [1, 0, 0], 'stiffness': [1, 0.5, 1]},"
                     "{'kind': 'distance', 'index': [0, 2, 1, 3], 'rest': 4, 'compliance': 0.125, 'damping': 2},"
                     "{'kind': 'distance', 'index': [0, 3], 'compliance': [0.5], 'damping': [1]},"
                     "{'kind': 'distance', 'points': [0, 3], 'compliance': [0.5], 'rest': [7]},"
                     "{'kind': 'half_space', 'each': 'p[1:]', 'origin': [0, -5, 0], 'normal': [0, 2, 0]},"
                     "{'kind': 'pin', 'each': ['p[0]', 2], 'target': [1, 2, 3, 4, 5, 6], 'compliance': 1},"
                     "{'kind': 'distance', 'index': [0, 1, 2, 3], 'compliance': [0.5, 1], 'damping': 3,"
                     " 'rest': 'measure'}]}");
    assert_int_equal(sn_world_constraint_count(f.world, SN_KIND_NONE), 14);
    assert_close(read_nth(&f, 1).param[0], 2, 0);
    assert_close(read_nth(&f, 0).compliance, 0.5, 0);
    assert_close(read_nth(&f, 0).damping, 1, 0);
    assert_close(read_nth(&f, 1).compliance, 0.25, 0);
    assert_close(read_nth(&f, 1).stiffness, 0.5, 0);
    assert_close(read_nth(&f, 2).compliance, 0, 0);
    assert_close(read_nth(&f, 3).param[0], 4, 0);
    assert_close(read_nth(&f, 4).damping, 2, 0);
    assert_close(read_nth(&f, 5).param[0], 3, 1e-6); /* measured */
    assert_close(read_nth(&f, 5).damping, 1, 0);
    assert_close(read_nth(&f, 6).compliance, 0.5, 0);
    assert_close(read_nth(&f, 6).param[0], 7, 0);
    for (uint32_t i = 7; i < 10; ++i) {
        assert_int_equal(read_nth(&f, i).kind, SN_KIND_HALF_SPACE);
        assert_close(read_nth(&f, i).param[1], -5, 0);
        assert_close(read_nth(&f, i).param[4], 1, 1e-7);
        assert_int_equal(read_nth(&f, i).points[0].particle[0].index, i - 6);
    }
    assert_close(read_nth(&f, 11).param[0], 4, 0);
    assert_close(read_nth(&f, 12).damping, 3, 0);
    assert_close(read_nth(&f, 13).compliance, 1, 0);
    check_round_trip(&f, "many");
    fixture_close(&f);
}

static void test_springs(void **state)
{
    (void)state;
    fixture f = fixture_good("{" FOUR ", 'constraints': [{'kind': 'spring', 'points': [0, 1], 'stiffness': 250,"
                             " 'damping': 3}, {'kind': 'spring', 'index': [1, 2, 2, 3], 'stiffness': [10, 20]}]}");
    assert_close(read_nth(&f, 0).param[0], 1, 1e-6);
    assert_close(read_nth(&f, 0).param[1], 250, 0);
    assert_close(read_nth(&f, 0).param[2], 3, 0);
    assert_close(read_nth(&f, 0).stiffness, 1, 0); /* the classic one */
    assert_close(read_nth(&f, 2).param[1], 20, 0);
    assert_close(read_nth(&f, 2).param[2], 0, 0);
    check_round_trip(&f, "springs");
    fixture_close(&f);
}

static void test_bad_constraints(void **state)
{
    (void)state;
    static const fixture_bad bads[] = {
        {"{'kind': 'distnace', 'points': [0, 1]}", ".kind", "'distnace' did you mean 'distance'"},
        {"{'points': [0, 1]}", "", "'kind' missing"},
        {"{'kind': 'distance'}", "", "points each index"},
        {"{'kind': 'distance', 'points': [0, 1], 'index': [0, 1]}", "", "one points each index"},
        {"{'kind': 'distance', 'points': [0, 1], 'least': 1}", ".least", "no such key"},
        {"{'kind': 'distance', 'points': [0, 1, 2]}", ".points", "3 points 2 distance"},
        {"{'kind': 'distance', 'points': 'p[0]'}", ".points", "1 2"},
        {"{'kind': 'distance', 'points': ['p', 1]}", ".points[0]", "4 particles one"},
        {"{'kind': 'distance', 'points': [[0], 1]}", ".points[0]", "list"},
        {"{'kind': 'distance', 'points': [0, 9]}", ".points[1]", "9 whole"},
        {"{'kind': 'distance', 'points': [0, 0]}", "", "particle"},
        {"{'kind': 'distance', 'points': [0, 1], 'rest': -1}", "", "rest -1"},
        {"{'kind': 'distance', 'points': [0, 1], 'rest': 'long'}", ".rest", "long number"},
        {"{'kind': 'distance', 'points': [0, 1], 'rest': [1, 2]}", ".rest", "list number"},
        {"{'kind': 'distance', 'points': [0, 1], 'compliance': -1}", "", "compliance"},
        {"{'kind': 'distance', 'points': [0, 1], 'compliance': [1, 2]}", ".compliance", "list number"},
        {"{'kind': 'distance', 'points': [0, 1], 'compliance': []}", ".compliance", "list"},
        {"{'kind': 'distance', 'points': [0, 1], 'damping': -1}", "", "damping"},
        {"{'kind': 'distance', 'points': [0, 1], 'stiffness': 2}", "", "stiffness"},
        {"{'kind': 'distance', 'points': [0, 1], 'name': 'a b'}", ".name", "'a b' no name"},
        {"{'kind': 'pin', 'points': 0, 'target': [1]}", ".target", "list 3"},
        {"{'kind': 'pin', 'points': 0, 'target': 1}", ".target", "1 list"},
        {"{'kind': 'distance', 'each': 'p'}", ".each", "more than one point"},
        {"{'kind': 'pin', 'each': 'p[2:2]'}", ".each", "no particle"},
        {"{'kind': 'pin', 'each': 'q'}", ".each", "no object 'q'"},
        {"{'kind': 'distance', 'index': [0, 1, 2]}", ".index", "list whole"},
        {"{'kind': 'distance', 'index': []}", ".index", "empty list"},
        {"{'kind': 'distance', 'index': [0, 4]}", ".index", "item 1 4 below 4"},
        {"{'kind': 'distance', 'index': [0, 0.5]}", ".index", "0.5"},
        {"{'kind': 'distance', 'index': ['p[0]', 'p[1]']}", ".index", "list whole numbers"},
        {"{'kind': 'distance', 'index': [0, 1, 1, 2], 'rest': [1, 2, 3]}", ".rest", "list of 2"},
        {"{'kind': 'distance', 'index': [0, 1, 1, 2], 'compliance': [1, -2]}", "", "compliance"},
        {"{'kind': 'on_polyline', 'index': [0, 1, 2]}", ".index", "any number points"},
        {"{'kind': 'on_polyline', 'points': [0]}", "", "points|point"},
        {"{'kind': 'spring', 'points': [0, 1]}", "", "stiffness"},
        {"{'kind': 'spring', 'points': [0, 1], 'stiffness': 1, 'compliance': 1}", "", "compliance"},
    };
    assert_all_refused("{" FOUR ", 'constraints': [%s]}", "constraints[0]", bads);
    assert_refused("{" FOUR ", 'constraints': [3]}", "constraints", "list record");
    assert_refused("{'constraints': {}}", "constraints", "record list");
    assert_refused("{" FOUR ", 'names': {'q.x': '#pin', 'a b': '#pin'}}", "names[\"q.x\"]", "name object");
    assert_refused("{" FOUR ", 'names': {'q.x': '#pin', 'a b': '#pin'}}", "names[\"a b\"]", "name");
    assert_refused("{" FOUR ", 'names': []}", "names", "list record");
    assert_refused("{'world': {'dimensions': 2}, 'objects': [{'type': 'particles', 'positions': [0,0,0, 1,0,0, 1,1,0,"
                   " 0,1,0]}], 'constraints': [{'kind': 'volume', 'points': [0, 1, 2, 3]}]}",
                   "constraints[0]", "volume");
}

static void test_attachments(void **state)
{
    (void)state;
#define PAIR                                                                                                           \
    "'objects': [{'type': 'particles', 'name': 'a', 'positions': [0,0,0, 1,0,0, 2,0,0]},"                              \
    " {'type': 'particles', 'name': 'b', 'positions': [0,1,0, 1,1,0, 2,1,0], 'parts': {'none': []}}]"
    fixture f = fixture_good("{" PAIR ", 'attachments': [{'between': ['a', 'b'], 'name': 'seam'},"
                             " {'between': ['a[0]', ['b[1]', 5]], 'distance': 2, 'compliance': 0.1, 'damping': 0.5},"
                             " {'between': ['b', 2]}, {'between': [1, 3]}]}");
    assert_int_equal(sn_world_constraint_count(f.world, SN_KIND_ATTACHMENT), 7);
    assert_int_equal(sn_world_constraint_count(f.world, SN_KIND_DISTANCE), 2);
    sn_constraint_def def = read_nth(&f, 1);
    assert_true(def.kind == SN_KIND_ATTACHMENT && def.points[0].particle[0].index == 1 &&
                def.points[1].particle[0].index == 4);
    def = read_nth(&f, 4);
    assert_true(def.points[0].particle[0].index == 0 && def.points[1].particle[0].index == 5);
    assert_true(def.param[0] == 2 && def.compliance == real(0.1) && def.damping == real(0.5));
    def = read_nth(&f, 8);
    assert_true(def.points[0].particle[0].index == 1 && def.points[1].particle[0].index == 3);
    check_round_trip(&f, "attachments");
    fixture_close(&f);
    static const fixture_bad bads[] = {
        {"{}", "", "'between' missing"},
        {"{'between': ['a']}", ".between", "list of 1 two"},
        {"{'between': 'a'}", ".between", "text two"},
        {"{'between': ['a', 'c']}", ".between[1]", "no object 'c'"},
        {"{'between': ['a', 'b[1:]']}", ".between", "3 2 particles"},
        {"{'between': ['a[0]', 'b.none']}", ".between[1]", "no particle"},
        {"{'between': [[], 'b[0]']}", ".between[0]", "no particle"},
        {"{'between': ['a[0]', []]}", ".between[1]", "no particle"},
        {"{'between': ['a[0]', 'a[0]']}", "", "particle"},
        {"{'between': [0, 77]}", ".between[1]", "77 whole"},
        {"{'between': ['a', 'b'], 'distance': -1}", ".distance", "-1"},
        {"{'between': ['a', 'b'], 'name': '1'}", ".name", "'1' no name"},
        {"{'between': ['a', 'b'], 'length': 1}", ".length", "no such key an attachment"},
    };
    assert_all_refused("{" PAIR ", 'attachments': [%s]}", "attachments[0]", bads);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* A bit of everything. */
#define EVERYTHING                                                                                                     \
    "{'title': 'all', 'world': {'substeps': 2, 'drags': [{'strength': 0.1}, {'form': 'rigid', 'strength': 1,"          \
    " 'object': 'cloth'}]}, 'materials': {'silk': {'bend': 10, 'stretch': 1e-5, 'damping': 0.01}},"                    \
    " 'objects': [{'type': 'cloth', 'name': 'cloth', 'columns': 3, 'rows': 3, 'material': 'silk', 'pins': ['top'],"    \
    " 'spin': [0, 1, 0]}, {'type': 'rope', 'name': 'rope', 'segments': 4, 'position': [0, -1, 0], 'radius': 0.1},"     \
    " {'type': 'balloon', 'subdivisions': 1, 'position': [3, 0, 0]}, {'type': 'particles', 'name': 'p', 'positions': " \
    "[0,0,9, 1,0,9,"                                                                                                   \
    " 0,1,9], 'fixed': [0]}], 'constraints': [{'kind': 'pin', 'each': 'rope[3:]', 'compliance': 0.01},"                \
    " {'kind': 'distance', 'points': ['p[1]', {'spot': 'cloth[0:3]', 'weights': [0.5, 0.25, 0.25]}], 'name': 'rod'}]," \
    " 'attachments': [{'between': ['cloth[0]', 'rope.start'], 'name': 'tie'}],"                                        \
    " 'forces': [{'type': 'wind', 'value': [1, 0, 2], 'gust': 0.5}, {'value': [0, 1, 0], 'of': 'rope', 'to': 0.1}],"   \
    " 'motions': [{'of': 'cloth.top', 'keys': [{'time': 0}, {'time': 1, 'move': [1, 0, 0], 'angle': 1}]}],"            \
    " 'events': [{'time': 0.05, 'type': 'cut', 'of': ['rope.links[0]', 'tie']}, {'time': 4, 'type': 'release',"        \
    " 'of': 'cloth.top'}], 'record': {'particles': ['rope.end'], 'forces': ['rod', 'rope.links']}}"

static void test_memory_limit(void **state)
{
    (void)state;
    assert_refused("{'objects': [{'type': 'cloth', 'columns': 100000, 'rows': 100000}]}", "objects[0]",
                   "1e+10 particles constraints GB 4.29");
    assert_refused("{'objects': [{'type': 'lattice', 'columns': 3000, 'rows': 3000, 'layers': 3000}]}", "objects[0]",
                   "2.7e+10 particles");
    sn_scene_options options = sn_default_scene_options();
    options.memory = 1 << 20;
    fixture f =
        fixture_try("{'objects': [{'type': 'rope', 'segments': 300}, {'type': 'rope', 'segments': 20000}]}", &options);
    assert_null(f.scene);
    assert_problem(&f.problems, "objects[1]", "20001 particles 20000 constraints 0.012 GB 0.00105 GB");
    fixture_close(&f);
    f = fixture_try("{'objects': [{'type': 'rope', 'segments': 300}]}", &options);
    assert_non_null(f.scene);
    fixture_close(&f);
    /* together they are too many */
    f = fixture_try("{'objects': [{'type': 'rope', 'segments': 1000}, {'type': 'rope', 'segments': 1000}]}", &options);
    assert_null(f.scene);
    assert_problem(&f.problems, "objects[1]", "already");
    fixture_close(&f);
}

/* Whatever fails: no leak, no crash, and it is said. */
static void test_no_memory(void **state)
{
    (void)state;
    sn_document document;
    fixture_parse(&document, EVERYTHING);
    bool made = false;
    for (uint64_t fail_at = 1; !made && fail_at < 5000; ++fail_at) {
        support_memory memory = {.fail_at = fail_at};
        sn_scene_options options = sn_default_scene_options();
        options.allocator = support_allocator(&memory);
        sn_problems problems;
        sn_problems_init(&problems, NULL);
        sn_scene *scene = sn_scene_create(&document, &options, &problems);
        if (memory.failures) {
            /* the world may do without, never the scene silently */
            assert_true(scene || problems.errors > 0);
            bool said = scene != NULL;
            for (const sn_problem *p = problems.first; p; p = p->next)
                said = said || support_says(p->text, "memory");
            if (!said) {
                fixture_print(&problems);
                fail_msg("request %llu failed, and nobody says so", (unsigned long long)fail_at);
            }
        } else {
            made = true;
        }
        assert_true(!made || scene);
        sn_scene_destroy(scene);
        assert_memory_clean(&memory);
        sn_problems_release(&problems);
    }
    assert_true(made);
    sn_document_release(&document);
}

/* The same while it runs and is saved. */
static void test_no_memory_later(void **state)
{
    (void)state;
    sn_document document;
    fixture_parse(&document, EVERYTHING);
    bool done = false;
    for (uint64_t later = 1; !done && later < 5000; later += support_rounds(1, 3)) {
        support_memory memory = {0};
        sn_scene_options options = sn_default_scene_options();
        options.allocator = support_allocator(&memory);
        sn_problems problems;
        sn_problems_init(&problems, NULL);
        sn_scene *scene = sn_scene_create(&document, &options, &problems);
        assert_non_null(scene);
        memory.fail_at = memory.requests + later;
        sn_result result = SN_OK;
        for (int i = 0; i < 5 && result == SN_OK; ++i)
            result = sn_scene_step(scene);
        assert_true(result == SN_OK || result == SN_ERROR_MEMORY);
        sn_document out;
        char message[200] = "";
        sn_document_init(&out, &options.allocator);
        if (!sn_scene_save(scene, &out, message, sizeof message)) {
            assert_true(memory.failures > 0);
            assert_says(message, "memory");
        }
        done = memory.failures == 0;
        sn_document_release(&out);
        sn_scene_destroy(scene);
        assert_memory_clean(&memory);
        sn_problems_release(&problems);
    }
    assert_true(done);
    sn_document_release(&document);
}

static void test_everything(void **state)
{
    (void)state;
    fixture f = fixture_good(EVERYTHING);
    assert_int_equal(f.problems.warnings, 1);
    assert_problem(&f.problems, "attachments[0]", "apart at the start");
    check_round_trip(&f, "everything");
    fixture_close(&f);
}

/* A motor without a torque, and a drive, are pointed out; with one, or with a steering that has one, they are not. */
static void test_idle_motors(void **state)
{
    (void)state;
    static const struct {
        const char *joint, *warned; /* NULL: no warning */
    } with[] = {
        {"'kind': 'joint_hinge', 'speed': 3", "speed"},
        {"'kind': 'joint_hinge', 'speed': 3, 'speed_most': 5", NULL},
        {"'kind': 'joint_slider', 'target': 0.2", "target"},
        {"'kind': 'joint_six', 'angular_speed': [1, 0, 0]", "angular_speed"},
        {"'kind': 'joint_wheel', 'target': 0.2", NULL},
    };
    for (size_t i = 0; i < sizeof with / sizeof *with; ++i) {
        char text[400];
        snprintf(text, sizeof text,
                 "{'bodies': [{'name': 'a', 'shapes': {'type': 'box'}}],"
                 "'constraints': [{%s, 'bodies': ['world', 'a']}]}",
                 with[i].joint);
        fixture f = fixture_good(text);
        assert_int_equal(f.problems.warnings, with[i].warned != NULL);
        char path[60];
        snprintf(path, sizeof path, "constraints[0].%s", with[i].warned ? with[i].warned : "");
        if (with[i].warned)
            assert_problem(&f.problems, path, "it does nothing, because");
        fixture_close(&f);
    }
}

/* Objects that are added in code; what fails leaves nothing behind. */
static void test_add(void **state)
{
    (void)state;
    fixture f = fixture_good("{'objects': [{'type': 'rope', 'segments': 2}]}");
    const sn_object_type *rope = sn_object_type_find("rope");
    void *own = calloc(1, rope->record->size);
    assert_non_null(own);
    rope->record->defaults(own);
    sn_object_def def = sn_default_object_def();
    sn_problems problems;
    sn_problems_init(&problems, NULL);
    const sn_object *object = sn_scene_add(f.scene, rope, &def, own, &problems);
    assert_non_null(object);
    assert_string_equal(object->name, "rope2");
    uint32_t particles = sn_world_particle_count(f.world);
    def.mass = real(1e-35); /* shares of which no particle can have */
    assert_null(sn_scene_add(f.scene, rope, &def, own, &problems));
    assert_true(problems.errors > 0);
    assert_int_equal(sn_world_particle_count(f.world), particles);
    assert_null(sn_scene_object(f.scene, 2));
    def = sn_default_object_def();
    def.position.x = 4;
    assert_non_null(sn_scene_add(f.scene, rope, &def, own, &problems));
    check_round_trip(&f, "added");
    sn_problems_release(&problems);
    free(own);
    fixture_close(&f);
}

/* A rigid attachment across a gap is said, with the names and the distance. */
static void test_gaps(void **state)
{
    (void)state;
#define TWO(x, more)                                                                                                   \
    "{'objects': [{'type': 'rope', 'name': 'a', 'from': [0, 0, 0], 'to': [1, 0, 0]}, {'type': 'rope', 'name': 'b', "   \
    "'from': [" x ", 0, 0], 'to': [60, 0, 0]}], 'attachments': [{'between': ['a.end', 'b.start']" more "}]}"
    assert_warned(TWO("50", ""), "attachments[0]", "'a.end' 'b.start' 49 m apart at the start");
    assert_warned(TWO("50", ", 'distance': 2"), "attachments[0]", "'a.end' 'b.start' 49 m to be 2 m apart");
    static const char *const fine[] = {TWO("1", ""), TWO("3", ", 'distance': 2"), TWO("50", ", 'compliance': 0.1"),
                                       TWO("1.5", "")}; /* little for a rope of 58.5 m */
    for (size_t k = 0; k < COUNT_OF(fine); ++k) {
        fixture f = fixture_good(fine[k]);
        assert_int_equal(f.problems.warnings, 0);
        fixture_close(&f);
    }
}

/* Two numbers are a place in a world of two dimensions only. */
static void test_flat_vectors(void **state)
{
    (void)state;
    static const char *const things[][2] = {
        {"'gravity': [0, 0]}", "world.gravity"},
        {"'damping': 0}, 'objects': [{'type': 'rope', 'position': [0, 0]}]", "objects[0].position"},
        {"'damping': 0}, 'objects': [{'type': 'rope', 'name': 'r'}], 'constraints': [{'kind': 'pin', 'points': "
         "['r.end'], "
         "'target': [1, 2]}]",
         "constraints[0].target"},
        {"'damping': 0}, 'objects': [{'type': 'rope', 'name': 'r', 'pins': {'near': [1, 2]}}]",
         "objects[0].pins.near"}};
    for (size_t i = 0; i < COUNT_OF(things); ++i) {
        char text[400];
        snprintf(text, sizeof text, "{'world': {%s%s", things[i][0], strchr(things[i][0], '}') ? "}" : "");
        assert_refused(text, things[i][1], "list of 2 three|3 numbers");
        snprintf(text, sizeof text, "{'world': {'dimensions': 2, %s}", things[i][0]);
        fixture f = fixture_good(text);
        fixture_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_flat_vectors),
        cmocka_unit_test(test_every_type),
        cmocka_unit_test(test_two_dimensions),
        cmocka_unit_test(test_bad_objects),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_transform),
        cmocka_unit_test(test_spin),
        cmocka_unit_test(test_mass),
        cmocka_unit_test(test_materials),
        cmocka_unit_test(test_world),
        cmocka_unit_test(test_drags),
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_zoo),
        cmocka_unit_test(test_many_constraints),
        cmocka_unit_test(test_springs),
        cmocka_unit_test(test_bad_constraints),
        cmocka_unit_test(test_attachments),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_no_memory_later),
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_idle_motors),
        cmocka_unit_test(test_add),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Contact in scene files: settings, groups, skins, rest shapes and fixed shapes; what is refused, and what comes back from a
   saved file. */
#include "support/fixed.h"
#include "support/support.h"

#include "scene/scene_fixture.h"

#include <math.h>

/* ---- Settings ------------------------------------------------------------------------------------------------------ */

static void test_settings(void **state)
{
    (void)state;
    fixture f = fixture_good("{}");
    sn_contact_settings now = sn_world_contact_settings(f.world), plain = sn_default_contact_settings();
    assert_true(now.on == plain.on && now.push_out == plain.push_out && now.bounce_above == plain.bounce_above);
    fixture_close(&f);
    f = fixture_good("{'contact': {'on': false, 'particles': false, 'push_out': 2, 'bounce_above': 0.5, 'sleep': true,"
                     " 'sleep_speed': 0.02, 'sleep_time': 1}}");
    fixture again = fixture_again(f.scene);
    now = sn_world_contact_settings(again.world);
    assert_true(!now.on && !now.particles && now.sleep);
    assert_true(now.push_out == 2 && now.bounce_above == real(0.5) && now.sleep_speed == real(0.02));
    assert_true(now.sleep_time == 1);
    assert_same_world(f.world, again.world);
    fixture_close_both(&again, &f);
    assert_refused("{'contact': {'push_out': 0}}", "contact.push_out", "0 more");
    assert_refused("{'contact': {'bounce_above': -3}}", "contact.bounce_above", "-3");
    assert_refused("{'contact': {'sleep_time': -1}}", "contact.sleep_time", "-1");
    assert_refused("{'contact': {'slep': true}}", "contact.slep", "did you mean 'sleep'");
    assert_refused("{'contact': 1}", "contact", "1 record");
}

/* ---- Groups -------------------------------------------------------------------------------------------------------- */

#define DOT "{'type': 'particles', 'positions': [0, 0, 0]"

static void test_groups(void **state)
{
    (void)state;
    fixture f = fixture_good("{'groups': {'sand': {'self': true, 'material': {'friction': 0.75, 'restitution': 0.25},"
                             " 'category': 6, 'mask': 5}, 'water': {'number': 12}, '0': {'self': false}, '7': {}},"
                             " 'objects': [" DOT ", 'group': 'sand'}, " DOT ", 'group': 'water'}, " DOT ", 'group': 7},"
                             " " DOT ", 'contact': {'category': 4294967295, 'directional': true}}, " DOT "}]}");
    uint32_t sand = sn_scene_object(f.scene, 0)->group;
    assert_int_equal(sn_scene_object(f.scene, 1)->group, 12);
    assert_int_equal(sn_scene_object(f.scene, 2)->group, 7);
    assert_int_equal(sn_scene_object(f.scene, 3)->group, 4);
    assert_int_equal(sn_scene_object(f.scene, 4)->group, 5);
    assert_true(sand > 12);
    assert_int_equal(sn_particle_group(f.world, sn_particle_from_index(f.world, 0)), sand);
    sn_group_contact c = sn_world_group_contact(f.world, sand);
    assert_true(c.self && c.category == 6 && c.mask == 5);
    assert_true(c.material.static_friction == real(0.75) && c.material.dynamic_friction == real(0.75));
    assert_true(c.material.restitution == real(0.25));
    assert_false(sn_world_group_contact(f.world, 0).self);
    assert_true(sn_world_group_contact(f.world, 4).category == UINT32_MAX);
    assert_true(sn_world_group_contact(f.world, 4).directional);
    assert_false(sn_world_group_contact(f.world, 5).self);
    fixture again = fixture_again(f.scene);
    assert_same_world(f.world, again.world);
    assert_int_equal(sn_scene_object(again.scene, 0)->group, sand);
    assert_true(sn_world_group_contact(again.world, 4).category == UINT32_MAX);
    fixture_close_both(&again, &f);
    f = fixture_good("{'groups': {'0': {'category': 2}}}"); /* which says nothing about self */
    assert_true(sn_world_group_contact(f.world, 0).self);
    fixture_close(&f);
}

static void test_bad_groups(void **state)
{
    (void)state;
    assert_refused("{'groups': []}", "groups", "record of groups");
    assert_refused("{'groups': {'a b': {}}}", "groups[\"a b\"]", "'a b' no name");
    assert_refused("{'groups': {'4294967295': {}}}", "groups.4294967295", "no name and no number");
    assert_refused("{'groups': {'007': {}}}", "groups.007", "no name and no number");
    assert_refused("{'groups': {'a': 3}}", "groups.a", "3 record");
    assert_refused("{'groups': {'a': {'selv': true}}}", "groups.a.selv", "did you mean 'self'");
    assert_refused("{'groups': {'a': {'number': 3}, '3': {}}}", "groups.3", "group 3 'a' described already");
    assert_refused("{'groups': {'3': {'number': 4}}}", "groups.3.number", "name");
    assert_refused("{'groups': {'a': {'rest_gap': -1}}}", "groups.a.rest_gap", "-1");
    assert_refused("{'groups': {'a': {'category': -1}}}", "groups.a.category", "-1 whole");
    assert_refused("{'groups': {'a': {'mask': 4294967296}}}", "groups.a.mask", "4294967295");
    assert_refused("{'groups': {'a': {'material': {'restitution': 1.5}}}}", "groups.a.material.restitution", "1.5");
    assert_refused("{'groups': {'a': {'material': {'friction': -1}}}}", "groups.a.material.friction", "-1");
    assert_refused("{'groups': {'a': {'material': {'friction_mix': 'leest'}}}}", "groups.a.material.friction_mix",
                   "did you mean 'least'");
    assert_refused("{'groups': {'a': {'material': {'static_friction': 0.1, 'dynamic_friction': 0.2}}}}", "groups.a",
                   "dynamic_friction 0.2");
    assert_refused("{'groups': {'sand': {}}, 'objects': [" DOT ", 'group': 'snad'}]}", "objects[0].group",
                   "no group 'snad' did you mean 'sand'");
    assert_refused("{'objects': [" DOT ", 'group': true}]}", "objects[0].group", "name of a group");
    assert_refused("{'objects': [" DOT ", 'group': -1}]}", "objects[0].group", "-1 whole");
    assert_refused("{'groups': {'a': {}}, 'objects': [" DOT ", 'group': 'a', 'contact': {}}]}", "objects[0].contact",
                   "'a' described already");
    assert_refused("{'objects': [" DOT ", 'group': 3, 'contact': {}}, " DOT ", 'group': 3, 'contact': {}}]}",
                   "objects[1].contact", "group 3 described already");
    assert_refused("{'objects': [" DOT ", 'contact': {'number': 3}}]}", "objects[0].contact.number", "name");
}

/* What is not given follows from what is. */
static void test_friction(void **state)
{
    (void)state;
    static const struct {
        const char *given;
        double hold, drag;
    } cases[] = {{"", 0.5, 0.5},
                 {"'friction': 0.25", 0.25, 0.25},
                 {"'static_friction': 0.25", 0.25, 0.25},
                 {"'static_friction': 0.75", 0.75, 0.5},
                 {"'dynamic_friction': 0.25", 0.5, 0.25},
                 {"'dynamic_friction': 0.75", 0.75, 0.75},
                 {"'friction': 0.25, 'static_friction': 0.5", 0.5, 0.25},
                 {"'friction': 0.25, 'dynamic_friction': 0.125", 0.25, 0.125},
                 {"'friction': 0, 'static_friction': 1, 'dynamic_friction': 0.5", 1, 0.5}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        char text[300];
        snprintf(text, sizeof text, "{'bodies': [{'type': 'static', 'shapes': {'type': 'plane', 'material': {%s}}}]}",
                 cases[i].given);
        fixture f = fixture_good(text), again = fixture_again(f.scene);
        for (int k = 0; k < 2; ++k) {
            fixed_def def;
            sn_world *world = k ? again.world : f.world;
            assert_ok(world, fixed_read(world, sn_body_from_index(world, 0), &def));
            assert_true(def.material.static_friction == real(cases[i].hold));
            assert_true(def.material.dynamic_friction == real(cases[i].drag));
        }
        fixture_close_both(&again, &f);
    }
}

/* ---- Skins --------------------------------------------------------------------------------------------------------- */

static void test_skins(void **state)
{
    (void)state;
    fixture f =
        fixture_good("{'objects': [{'type': 'cloth', 'columns': 3, 'rows': 3, 'skin': true}, {'type': 'balloon',"
                     " 'position': [3, 0, 0], 'skin': {'thickness': 0.125, 'one_sided': true}},"
                     " {'type': 'rope', 'position': [6, 0, 0], 'skin': false}]}");
    assert_true(sn_skin_is_valid(f.world, sn_scene_object(f.scene, 0)->skin));
    assert_true(sn_skin_is_valid(f.world, sn_scene_object(f.scene, 1)->skin));
    assert_false(sn_skin_is_valid(f.world, sn_scene_object(f.scene, 2)->skin));
    fixture again = fixture_again(f.scene);
    assert_same_world(f.world, again.world);
    assert_true(sn_scene_object(again.scene, 1)->skin_def.thickness == real(0.125));
    assert_true(sn_scene_object(again.scene, 1)->skin_def.one_sided);
    assert_false(sn_scene_object(again.scene, 0)->skin_def.one_sided);
    fixture_close_both(&again, &f);
    assert_refused("{'objects': [{'type': 'rope', 'name': 'r', 'skin': true}]}", "objects[0].skin", "'r' no triangles");
    assert_refused("{'objects': [{'type': 'cloth', 'skin': 1}]}", "objects[0].skin", "1 true record");
    assert_refused("{'objects': [{'type': 'cloth', 'skin': {'thickness': -1}}]}", "objects[0].skin.thickness", "-1");
    assert_refused("{'objects': [{'type': 'cloth', 'skin': {'thick': 1}}]}", "objects[0].skin.thick", "no such key");
}

/* ---- Rest shapes --------------------------------------------------------------------------------------------------- */

#define OVERLAP                                                                                                        \
    "{'world': {'gravity': [0, 0, 0]}, 'objects': [{'type': 'particles', 'name': 'p', 'positions': [0, 0, 0, 0.6, 0,"  \
    " 0], 'radius': 0.5, 'contact': {'self': true %s}}]}"

static double gap_after(const char *more, uint32_t frames)
{
    char text[400];
    snprintf(text, sizeof text, OVERLAP, more);
    fixture f = fixture_good(text);
    fixture_steps(&f, frames);
    double gap = support_gap(fixture_place(&f, 0), fixture_place(&f, 1));
    fixture_close(&f);
    return gap;
}

static void test_rest_shapes(void **state)
{
    (void)state;
    assert_true(gap_after("", 60) > 0.9);                /* they are in each other's way */
    assert_true(gap_after(", 'rest_gap': 0", 60) < 0.7); /* they were made so */
    assert_warned("{'groups': {'a': {'rest_gap': 0}}}", "groups.a", "no object group");
}

/* The rest shape is that of the start, also after a scene was saved when they were somewhere else. */
static void test_rest_shapes_are_saved(void **state)
{
    (void)state;
    fixture f = fixture_good("{'world': {'gravity': [0, 0, 0]}, 'objects': [{'type': 'particles', 'positions': [0, 0,"
                             " 0, 0.6, 0, 0], 'velocities': [0, 0, 0, 2, 0, 0], 'radius': 0.5, 'contact': {'self':"
                             " true, 'rest_gap': 0}}], 'events': [{'time': 1, 'type': 'velocity', 'of': 1, 'value':"
                             " [-2, 0, 0]}]}");
    fixture start = fixture_again(f.scene);
    assert_same_world(f.world, start.world);
    fixture_close(&start);
    fixture_steps(&f, 50);
    fixture again = fixture_again(f.scene);
    assert_true(support_gap(fixture_place(&again, 0), fixture_place(&again, 1)) > 1.5);
    char *a = fixture_save(f.scene), *b = fixture_save(again.scene);
    assert_string_equal(a, b);
    assert_non_null(strstr(a, "\"rest\""));
    free(a);
    free(b);
    fixture_steps(&again, 10 + 50); /* back again, and one goes through the other */
    assert_true(support_gap(fixture_place(&again, 0), fixture_place(&again, 1)) < 1.1);
    assert_true(fixture_speed(&again, 1).x == -2);
    fixture_close_both(&again, &f);
    assert_refused("{'objects': [" DOT ", 'rest': [0, 0]}]}", "objects[0].rest", "2 numbers 3");
}

/* ---- Fixed shapes ----------------------------------------------------------------------------------------------------- */

#define PLANE       "'shapes': {'type': 'plane'}"
#define TETRAHEDRON "'vertices': [0,0,0, 1,0,0, 0,1,0, 0,0,1], 'triangles': [0,2,1, 0,1,3, 0,3,2, 1,2,3]"

#define FIXED_BODIES                                                                                                   \
    "'bodies': [{'name': 'floor', 'type': 'static', 'shapes': {'type': 'plane', 'material': {'friction': 1,"           \
    " 'friction_mix': 'most', 'rolling': 0.1}}},"                                                                      \
    " {'type': 'static', 'position': [0, 0, -9], 'shapes': {'type': 'plane', 'normal': [0, 0, 2], 'rounding': 0.5}},"  \
    " {'type': 'kinematic', 'position': [4, 5, 6], 'turn': {'axis': [0, 0, 2], 'angle': 1}, 'velocity': [0.1, 0, 0],"  \
    "  'spin': [0, 0.2, 0], 'shapes': {'type': 'box', 'size': [1, 2, 3], 'category': 4294967295, 'mask': 3}},"         \
    " {'name': 'ball', 'type': 'static', 'position': [0, 9, 0], 'shapes': {'type': 'sphere', 'radius': 0.25,"          \
    "  'sensor': true}},"                                                                                              \
    " {'name': 'arm', 'type': 'kinematic', 'position': [1, 8, 1], 'turn': {'axis': [1, 0, 0], 'angle': 1.5707963},"    \
    "  'shapes': {'type': 'capsule', 'length': 2, 'radius': 0.125}},"                                                  \
    " {'type': 'static', 'position': [-5, 1, 0], 'shapes': {'type': 'mesh', 'one_sided': true,"                        \
    "  'vertices': [0,0,0, 1,0,0, 0,0,1], 'triangles': [0,2,1], 'scale': 2}},"                                         \
    " {'type': 'static', 'position': [-9, 1, 0], 'shapes': {'type': 'field', " TETRAHEDRON ", 'cell': 0.1}},"          \
    " {'type': 'static', 'position': [-20, 0, 0], 'rotation': [0, 1, 0, 1], 'shapes': {'type': 'field',"               \
    "  'samples': [-1,1, -1,1, -1,1, -1,1], 'counts': [2,2,2], 'cell': 2, 'low': [-1,-1,-1]}}]"

static fixed_def fixed_body_of(const fixture *f, uint32_t i)
{
    fixed_def def;
    assert_ok(f->world, fixed_read(f->world, sn_body_from_index(f->world, i), &def));
    return def;
}

static sn_shape_def shape_of(const fixture *f, uint32_t i)
{
    sn_body_def def;
    assert_ok(f->world, sn_body_read(f->world, sn_scene_fixed_at(f->scene, i)->handle, &def));
    assert_int_equal(def.shape_count, 1);
    return def.shapes[0];
}

static void check_fixed_shapes(const fixture *f)
{
    assert_int_equal(fixed_count(f->world), 8);
    fixed_def def = fixed_body_of(f, 0);
    assert_true(def.type == SN_SHAPE_PLANE && def.rotation.w == 1);
    assert_true(def.material.static_friction == 1 && def.material.friction_mix == SN_MIX_MOST);
    assert_true(def.material.rolling == real(0.1));
    def = fixed_body_of(f, 1);
    assert_vec_close(sn_rotation_applied(shape_of(f, 1).rotation, vec(0, 1, 0)), vec(0, 0, 1), 1e-6);
    assert_true(def.rounding == real(0.5));
    def = fixed_body_of(f, 2);
    assert_true(def.type == SN_SHAPE_BOX && def.half.x == real(0.5) && def.half.y == 1 && def.half.z == real(1.5));
    assert_vec_close(sn_rotation_applied(def.rotation, vec(1, 0, 0)), vec(cos(1), sin(1), 0), 1e-6);
    assert_true(def.velocity.x == real(0.1) && def.spin.y == real(0.2));
    assert_true(def.category == UINT32_MAX && def.mask == 3);
    def = fixed_body_of(f, 3);
    assert_true(def.type == SN_SHAPE_SPHERE && def.radius == real(0.25) && def.sensor && def.mask == UINT32_MAX);
    def = fixed_body_of(f, 4);
    assert_true(def.type == SN_SHAPE_CAPSULE && def.half.y == 1 && def.radius == real(0.125));
    assert_vec_close(def.position, vec(1, 8, 1), 1e-6);
    assert_vec_close(sn_rotation_applied(def.rotation, vec(0, 1, 0)), vec(0, 0, 1), 1e-6);
    def = fixed_body_of(f, 5);
    assert_true(def.type == SN_SHAPE_MESH && def.one_sided && def.vertex_count == 3 && def.triangle_count == 1);
    assert_true(def.vertices[1].x == 2);
    def = fixed_body_of(f, 6);
    assert_true(def.type == SN_SHAPE_FIELD && def.triangle_count == 4 && def.cell == real(0.1));
    def = fixed_body_of(f, 7);
    assert_true(def.type == SN_SHAPE_FIELD && def.samples && def.sample_count[2] == 2 && def.cell == 2);
    assert_true(def.low.x == -1 && def.samples[1] == 1);
}

static void test_fixed_shapes(void **state)
{
    (void)state;
    fixture f = fixture_good("{" FIXED_BODIES "}"), again = fixture_again(f.scene);
    check_fixed_shapes(&f);
    check_fixed_shapes(&again);
    assert_same_world(f.world, again.world);
    assert_string_equal(sn_scene_fixed_at(f.scene, 0)->name, "floor");
    assert_string_equal(sn_scene_fixed_at(f.scene, 1)->name, "plane2");
    assert_null(sn_scene_fixed_at(f.scene, 8));
    for (uint32_t i = 0; i < 8; ++i)
        assert_string_equal(sn_scene_fixed_at(f.scene, i)->name, sn_scene_fixed_at(again.scene, i)->name);
    char *a = fixture_save(f.scene), *b = fixture_save(again.scene);
    assert_string_equal(a, b);
    free(a);
    free(b);
    fixture_close_both(&again, &f);
}

/* Of any direction, also those at which the shortest way is not clear. */
static void test_facing(void **state)
{
    (void)state;
    static const double direction[][3] = {{0, 1, 0},  {0, -1, 0},        {1, 0, 0},      {0, 0, -3},   {1, 2, 3},
                                          {-1, 1, 0}, {1e-9, -1, 1e-12}, {1e-20, -1, 0}, {3e4, 4e4, 0}};
    for (size_t i = 0; i < COUNT_OF(direction); ++i) {
        const double *d = direction[i];
        double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        sn_quat q = sn_rotation_facing(vec(d[0], d[1], d[2]));
        assert_vec_close(sn_rotation_applied(q, vec(0, 1, 0)), vec(d[0] / length, d[1] / length, d[2] / length), 1e-6);
        double size = (double)(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
        assert_close(size, 1, 1e-6);
    }
    sn_quat a = sn_rotation_about(vec(1, 2, 3), 0.7), b = sn_rotation_about(vec(-1, 0, 2), 1.1);
    sn_vec3 v = vec(0.3, -2, 1);
    assert_vec_close(sn_rotation_applied(sn_rotation_after(a, b), v), sn_rotation_applied(a, sn_rotation_applied(b, v)),
                     1e-5);
    assert_vec_close(sn_rotation_applied(a, v), sn_turned(v, vec(1, 2, 3), 0.7), 1e-5);
}

static void test_bad_fixed_shapes(void **state)
{
    (void)state;
    static const fixture_bad bads[] = {
        {"3", "", "3 record shape"},
        {"{}", "", "'type' missing"},
        {"{'type': 3}", "", "'type' no text"},
        {"{'type': 'plame'}", ".type", "no type of shape 'plame' did you mean 'plane'"},
        {"{'type': 'plane', 'radius': 1}", ".radius", "no such key a plane"},
        {"{'type': 'sphere', 'radios': 1}", ".radios", "did you mean 'radius'"},
        {"{'type': 'plane', 'normal': [0, 0, 0]}", ".normal", "length 0"},
        {"{'type': 'plane', 'rounding': -0.1}", ".rounding", "-0.1"},
        {"{'type': 'plane', 'turn': {'axis': [0, 0, 0]}}", ".turn", "axis length 0"},
        {"{'type': 'plane', 'rotation': [0, 0, 0, 0]}", ".rotation", "all four 0"},
        {"{'type': 'plane', 'rotation': [0, 0, 1]}", ".rotation", "3 four"},
        {"{'type': 'plane', 'rotation': [0, 0, 0, 1], 'turn': {'angle': 1}}", ".rotation", "both"},
        {"{'type': 'plane', 'position': [0, 0, 1e39]}", ".position[2]", "1e+39"},
        {"{'type': 'plane', 'material': 'ice'}", ".material", "ice record"},
        {"{'type': 'box', 'size': [1, 0, 1]}", ".size", "0 more"},
        {"{'type': 'box', 'size': [1, -1, 1]}", ".size[1]", "-1"},
        {"{'type': 'box', 'size': [1, 1, 3e15]}", ".size", "3e+15 most 2e+15"},
        {"{'type': 'sphere', 'radius': 0}", ".radius", "0 more"},
        {"{'type': 'sphere', 'radius': 2e15}", ".radius", "2e+15 most 1e+15"},
        {"{'type': 'sphere', 'category': 4294967296}", ".category", "4294967296 4294967295"},
        {"{'type': 'capsule', 'radius': 2e15}", ".radius", "2e+15 most 1e+15"},
        {"{'type': 'capsule', 'length': 3e15}", ".length", "3e+15 most 2e+15"},
        {"{'type': 'capsule', 'length': -1}", ".length", "-1"},
        {"{'type': 'capsule', 'from': [0, 0, 0]}", "", "'to' missing"},
        {"{'type': 'capsule', 'to': [0, 0, 0]}", "", "'from' missing"},
        {"{'type': 'capsule', 'from': [1, 0, 0], 'to': [1, 0, 0]}", ".to", "0 m"},
        {"{'type': 'capsule', 'from': [-2e15, 0, 0], 'to': [2e15, 0, 0]}", ".to", "4e+15 m most 2e+15"},
        {"{'type': 'capsule', 'from': [1, 0, 0], 'to': [2, 0, 0], 'position': [1, 0, 0]}", "", "'position'"},
        {"{'type': 'mesh'}", "", "'mesh' 'vertices' 'triangles'"},
        {"{'type': 'mesh', 'mesh': 'a.obj'}", ".mesh", "no files"},
        {"{'type': 'mesh', 'mesh': 'a.obj', 'vertices': [0, 0, 0]}", ".mesh", "both"},
        {"{'type': 'mesh', 'vertices': [0, 0], 'triangles': [0, 1, 2]}", ".vertices", "2 three"},
        {"{'type': 'mesh', 'vertices': [0, 0, 0], 'triangles': [0]}", ".triangles", "1 three"},
        {"{'type': 'mesh', 'vertices': [0, 0, 0], 'triangles': [0, 1, 2]}", ".triangles[1]", "1 vertex 0"},
        {"{'type': 'mesh', 'vertices': [0, 0, 0], 'triangles': [0, 0.5, 0]}", ".triangles[1]", "0.5 vertex"},
        {"{'type': 'mesh', 'vertices': [0,0,0, 1e38,0,0, 0,1,0], 'triangles': [0, 1, 2], 'scale': 1e9}", ".scale",
         "vertex 1"},
        {"{'type': 'field', " TETRAHEDRON ", 'cell': 1e-7}", "", "GB"},
        {"{'type': 'field', " TETRAHEDRON ", 'cell': 0}", ".cell", "0 more"},
        {"{'type': 'field', " TETRAHEDRON ", 'samples': []}", "", "both"},
        {"{'type': 'field', 'samples': [1, 2], 'counts': [1, 2], 'cell': 1}", ".counts", "2 three"},
        {"{'type': 'field', 'samples': [1, 2], 'counts': [2, 2, 2.5], 'cell': 1}", ".counts", "2.5 along z whole"},
        {"{'type': 'field', 'samples': [1, 2], 'counts': [2, 2, 2], 'cell': 1}", ".samples", "2 8"},
        {"{'type': 'field', 'samples': [1, 2], 'counts': [2, 1, 1], 'cell': 1}", ".counts", "1 along y 2 or more"},
        {"{'type': 'field', 'samples': [], 'counts': [0, 0, 0], 'cell': 1}", ".counts", "0 along x 2 or more"},
        {"{'type': 'field', 'samples': [1], 'counts': [4e9, 4e9, 4e9], 'cell': 1}", ".samples", "1 6.4e+28"},
        {"{'type': 'field', 'samples': [1, 1, 1, 1, 1, 1, 1, 1], 'counts': [2, 2, 2]}", "", "'cell' missing"},
    };
    assert_all_refused("{'bodies': [{'type': 'static', " PLANE "}, {'type': 'static', 'shapes': %s}]}",
                       "bodies[1].shapes", bads);
}

static void test_bad_fixed_bodies(void **state)
{
    (void)state;
    static const fixture_bad bodies[] = {
        {"3", "", "3 record"},
        {"{'type': 3}", ".type", "3 static"},
        {"{'type': 'sttic'}", ".type", "sttic did you mean 'static'"},
        {"{'type': 'static'}", "", "'shapes' missing"},
        {"{'type': 'static', 'shapes': []}", ".shapes", "shape"},
        {"{'type': 'static', 'name': '1', " PLANE "}", ".name", "'1' no name"},
        {"{'type': 'static', 'mass': 1, " PLANE "}", ".mass", "no such key"},
        {"{'type': 'static', 'velocity': [1, 0, 0], " PLANE "}", "", "static velocity"},
        {"{'type': 'static', 'shapes': {'type': 'plane', 'material': {'dynamic_friction': 1, 'static_friction': 0.5}}}",
         "", "dynamic_friction 1"},
        {"{'type': 'static', 'shapes': {'type': 'mesh', 'vertices': [0,0,0, 1,0,0, 2,0,0], 'triangles': [0, 1, 2]}}",
         "", "area"},
        {"{'type': 'static', 'shapes': {'type': 'field', 'vertices': [0,0,0, 1,0,0, 0,0,1], 'triangles': [0, 1, 2]}}",
         "", "edge"},
        {"{'type': 'static', 'shapes': {'type': 'field', 'vertices': [0,0,0, 1,0,0, 0,1,0, 0,0,1], 'triangles': "
         "[0,1,2, 0,3,1, 0,2,3, 1,3,2]}}",
         "", "inside out"},
        {"{'type': 'dynamic', " PLANE "}", "", "plane dynamic"},
    };
    assert_all_refused("{'bodies': [{'type': 'static', " PLANE "}, %s]}", "bodies[1]", bodies);
    assert_warned("{'bodies': [{'type': 'static', 'shapes': {'type': 'mesh', 'vertices': [0,0,0, 1,0,0, 0,1,0, 0,0,1], "
                  "'triangles': [0,1,2, 0,3,1, 0,2,3, 1,3,2]}}]}",
                  "bodies[0].shapes", "closed inwards sheet");
    assert_refused("{'bodies': {}}", "bodies", "list");
    assert_refused("{'bodies': [{'name': 'a', 'type': 'static', " PLANE
                   "}], 'objects': [{'type': 'rope', 'name': 'a'}]}",
                   "objects[0].name", "another 'a'");
    assert_refused(
        "{'bodies': [{'name': 'a', 'type': 'static', 'shapes': {'type': 'plane'}}, {'name': 'a', 'type': 'static', "
        "'shapes': {'type': 'plane'}}]}",
        "bodies[1].name", "another 'a'");
}

static void test_two_dimensions(void **state)
{
    (void)state;
    fixture f =
        fixture_good("{'world': {'dimensions': 2}, 'bodies': [{'type': 'static', 'turn': {'axis': [0, 0, 1], 'angle': "
                     "0.5}, 'shapes': {'type': 'box', 'size': "
                     "[2, 1]}}, {'type': 'static', 'position': [0, -3], 'shapes': {'type': 'plane'}}], 'objects':"
                     " [{'type': 'grains', 'layers': 1, 'rows': 3, 'columns': 3, 'radius': 0.1, 'position':"
                     " [0, 2], 'contact': {'self': true}}]}");
    fixture again = fixture_again(f.scene);
    assert_same_world(f.world, again.world);
    fixture_steps(&f, 60);
    for (uint32_t i = 0; i < 9; ++i)
        assert_true(fixture_place(&f, i).z == 0 && fixture_place(&f, i).y > -3);
    fixture_close_both(&again, &f);
    assert_refused("{'world': {'dimensions': 2}, 'bodies': [{'type': 'static', 'turn': {'axis': [1, 0, 0], 'angle': "
                   "1}, 'shapes': {'type': 'box'}}]}",
                   "bodies[0].turn", "2D");
    assert_refused("{'world': {'dimensions': 2}, 'bodies': [{'type': 'static', 'position': [0, 0, 1], 'shapes': "
                   "{'type': 'sphere'}}]}",
                   "bodies[0]", "position");
}

/* ---- Files --------------------------------------------------------------------------------------------------------- */

static bool give_file(void *context, const char *name, sn_arena *arena, const void **bytes, size_t *size, char *message,
                      size_t message_size)
{
    *size = strlen(context);
    *bytes = sn_arena_copy(arena, context, *size);
    if (strcmp(name, "there.obj") != 0)
        snprintf(message, message_size, "not there");
    return strcmp(name, "there.obj") == 0 && *bytes;
}

static void test_mesh_files(void **state)
{
    (void)state;
    static char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 5 3\nf 2 3 4\n";
    sn_scene_options options = sn_default_scene_options();
    options.read_file = give_file;
    options.read_file_context = obj;
    fixture f = fixture_try(
        "{'bodies': [{'type': 'static', 'shapes': {'type': 'mesh', 'mesh': 'there.obj', 'scale': 3}}, {'type': "
        "'static', 'shapes': {'type': 'field', 'mesh': 'there.obj'}}]}",
        &options);
    fixture_print(&f.problems);
    assert_non_null(f.scene);
    assert_problem(&f.problems, "bodies[0].shapes", "there.obj 1 welded");
    assert_int_equal(fixed_body_of(&f, 0).vertex_count, 4);
    assert_true(fixed_body_of(&f, 0).vertices[1].x == 3);
    fixture again = fixture_again(f.scene); /* which reads no file */
    assert_same_world(f.world, again.world);
    fixture_close_both(&again, &f);
    f = fixture_try("{'bodies': [{'type': 'static', 'shapes': {'type': 'mesh', 'mesh': 'gone.obj'}}]}", &options);
    assert_problem(&f.problems, "bodies[0].shapes.mesh", "gone.obj not there");
    fixture_close(&f);
}

/* ---- Motion -------------------------------------------------------------------------------------------------------- */

static void test_motion(void **state)
{
    (void)state;
    fixture f = fixture_good("{'bodies': [{'name': 'lift', 'type': 'kinematic', 'position': [2, 0, 0], 'shapes': "
                             "{'type': 'box'}}], 'motions':"
                             " [{'of': 'lift', 'about': [0, 0, 0], 'axis': [0, 0, 1], 'smooth': false, 'keys':"
                             " [{'time': 0}, {'time': 1, 'angle': 1.5707963267948966, 'move': [0, 0, 4]}]}]}");
    fixture_steps(&f, 30);
    fixed_def def = fixed_body_of(&f, 0);
    assert_vec_close(def.position, vec(2 * cos(0.25 * SN_PI), 2 * sin(0.25 * SN_PI), 2), 1e-5);
    fixture again = fixture_again(f.scene);
    fixture_steps(&f, 60);
    fixture_steps(&again, 60);
    for (int k = 0; k < 2; ++k) {
        def = fixed_body_of(k ? &again : &f, 0);
        assert_vec_close(def.position, vec(0, 2, 4), 1e-5);
        assert_vec_close(sn_rotation_applied(def.rotation, vec(1, 0, 0)), vec(0, 1, 0), 1e-5);
    }
    assert_true(def.position.x == fixed_body_of(&f, 0).position.x && def.rotation.z == fixed_body_of(&f, 0).rotation.z);
    fixture_close_both(&again, &f);
}

/* A floor that is led carries a ball up, and along. */
static void test_motion_carries(void **state)
{
    (void)state;
    fixture f = fixture_good(
        "{'bodies': [{'name': 'lift', 'type': 'kinematic', 'position': [0, -0.5, 0], 'shapes': {'type': 'box', "
        "'size': [9, 1, 9]}}], 'objects': [{'type': 'particles', 'positions': [0, 0.1, 0], 'radius': 0.1}],"
        " 'motions': [{'of': 'lift', 'keys': [{'time': 0}, {'time': 3, 'move': [1, 2, 0]}]}"
        "]}");
    fixture_steps(&f, 240);
    assert_vec_close(fixture_place(&f, 0), vec(1, 2.1, 0), 2e-3);
    fixture_close(&f);
}

static void test_bad_motions(void **state)
{
    (void)state;
#define FLOOR "'bodies': [{'name': 'floor', 'type': 'kinematic', 'shapes': {'type': 'plane'}}]"
    assert_refused("{" FLOOR ", 'motions': [{'of': 'flor', 'keys': [{'time': 0}]}]}", "motions[0].of",
                   "no object 'flor'");
    assert_refused("{" FLOOR ", 'forces': [{'type': 'force', 'of': 'floor', 'value': [1, 0, 0]}]}", "forces[0].of",
                   "'floor' no particles");
    assert_refused("{" FLOOR ", 'motions': [{'keys': [{'time': 0}]}]}", "motions[0]", "'of' missing");
    assert_refused("{" FLOOR ", 'motions': [{'of': 'floor', 'release': true, 'keys': [{'time': 0}]}]}",
                   "motions[0].release", "kinematic");
    assert_refused("{" FLOOR ", 'motions': [{'of': 'floor', 'start': [1], 'keys': [{'time': 0}]}]}", "motions[0].start",
                   "1 seven");
    assert_refused("{" FLOOR ", 'motions': [{'of': 'floor', 'start': [0,0,0, 0,0,0,0], 'keys': [{'time': 0}]}]}",
                   "motions[0].start", "seven not 0");
    assert_refused("{" FLOOR ", 'motions': [{'of': 'floor', 'keys': [{'time': 0}]}, {'of': 'floor', 'keys':"
                   " [{'time': 0}]}]}",
                   "motions[1].of", "another 'floor'");
}

/* ---- Grains -------------------------------------------------------------------------------------------------------- */

static void test_grains(void **state)
{
    (void)state;
    fixture f = fixture_good("{'objects': [{'type': 'grains', 'columns': 4, 'rows': 5, 'layers': 3, 'radius': 0.125,"
                             " 'material': {'density': 1000}, 'scale': 2}, {'type': 'grains', 'columns': 2, 'rows': 1,"
                             " 'layers': 1, 'spacing': 3, 'jitter': 0, 'position': [0, 50, 0]}, {'type': 'grains',"
                             " 'radius': 0.1, 'seed': 2, 'position': [50, 0, 0]}, {'type': 'grains', 'radius': 0.1,"
                             " 'seed': 3, 'position': [50, 0, 0]}]}");
    assert_int_equal(sn_scene_object(f.scene, 0)->run.count, 60);
    for (uint32_t i = 0; i < 60; ++i)
        for (uint32_t k = 0; k < i; ++k)
            assert_true(support_gap(fixture_place(&f, i), fixture_place(&f, k)) > 0.25 - 1e-5);
    assert_close((double)fixture_mass(&f, 0), 1000 * 4 * SN_PI / 3 * 0.125 * 0.125 * 0.125, 1e-4);
    assert_close(support_gap(fixture_place(&f, 60), fixture_place(&f, 61)), 3, 1e-5);
    assert_true(support_gap(fixture_place(&f, 62), fixture_place(&f, 1062)) > 1e-6); /* another seed, another heap */
    fixture_close(&f);
    f = fixture_good("{'objects': [{'type': 'grains', 'radius': 0.1}, {'type': 'grains', 'contact': {'self': false}},"
                     " {'type': 'grains', 'contact': {'rolls': true}}]}");
    for (uint32_t i = 0; i < 3; ++i) /* they collide with each other unless it is said that they do not */
        assert_int_equal(sn_world_group_contact(f.world, sn_scene_object(f.scene, i)->group).self, i != 1);
    fixture_close(&f);
    assert_refused("{'world': {'dimensions': 2}, 'objects': [{'type': 'grains', 'layers': 2}]}", "objects[0].layers",
                   "2 1");
    assert_refused("{'objects': [{'type': 'grains', 'rows': 0}]}", "objects[0].rows", "0 1");
    assert_refused(
        "{'objects': [{'type': 'grains', 'radius': 1, 'columns': 100000, 'rows': 100000, 'layers': 100000}]}",
        "objects[0]", "1e+15 particles GB");
}

/* A cone of grains has the slope of the cone, however gravity pulls. */
static void test_slope(void **state)
{
    (void)state;
    static const char *const gravity[] = {"[0, -9.81, 0]", "[0, 0, -1]", "[3, 4, 0]"};
    for (int g = 0; g < 3; ++g) {
        char text[200];
        snprintf(text, sizeof text,
                 "{'world': {'gravity': %s}, 'objects': [{'type': 'grains', 'name': 'heap', 'columns': 40, 'rows': 20,"
                 " 'layers': 2, 'radius': 0.05}], 'record': {'slopes': 'heap'}}",
                 gravity[g]);
        fixture f = fixture_good(text);
        const sn_object *heap = sn_scene_traces(f.scene).heap[0].object;
        sn_vec3 down = sn_world_settings(f.world).gravity;
        sn_quat up = sn_rotation_facing((sn_vec3){-down.x, -down.y, -down.z});
        for (uint32_t i = 0; i < heap->run.count; ++i) { /* a spiral over a cone of 0.5, that has been somewhere else */
            double r = sqrt((double)i / heap->run.count), a = 2.399963 * i;
            sn_vec3 x = sn_rotation_applied(up, vec(2 * r * cos(a), 1 - r, 2 * r * sin(a)));
            x.x += 3;
            assert_ok(f.world, sn_particle_set_position(f.world, sn_particles_at(heap->run, i), x));
        }
        assert_close(tan(sn_scene_slope(f.scene, heap)), 0.5, 0.03);
        fixture again = fixture_again(f.scene);
        assert_int_equal(sn_scene_traces(again.scene).heap_count, 1);
        fixture_close_both(&again, &f);
    }
    fixture f = fixture_good("{'objects': [" DOT "}]}");
    assert_true(isnan(sn_scene_slope(f.scene, sn_scene_object(f.scene, 0))));
    fixture_close(&f);
    assert_refused("{'record': {'slopes': ['x']}}", "record.slopes[0]", "no object 'x'");
    assert_refused("{'record': {'slopes': 3}}", "record.slopes", "name");
}

/* ---- Saving and memory --------------------------------------------------------------------------------------------- */

#define EVERYTHING                                                                                                     \
    "{'contact': {'push_out': 0.5}, 'groups': {'sand': {'self': true, 'material': {'friction': 0.3}}, 'silk': "        \
    "{'self':"                                                                                                         \
    " true, 'rest_gap': 0.01}}, 'objects': [{'type': 'grains', 'name': 'g', 'columns': 3, 'rows': 3, 'layers': 3,"     \
    " 'radius': 0.1, 'group': 'sand', 'position': [0, 1, 0]}, {'type': 'cloth', 'columns': 5, 'rows': 5, 'skin':"      \
    " true, 'radius': 0.02, 'group': 'silk', 'position': [0, 3, 0], 'turn': {'axis': [1, 0, 0], 'angle': 1.5}},"       \
    " {'type': 'rope', 'position': [2, 2, 0], 'contact': {'material': {'restitution': 0.5}}}], " FIXED_BODIES ","      \
    " 'motions': [{'of': 'arm', 'keys': [{'time': 0}, {'time': 1, 'move': [1, 0, 0], 'angle': 1}]}], 'record':"        \
    " {'slopes': 'g'}}"

static void test_round_trip(void **state)
{
    (void)state;
    fixture f = fixture_good(EVERYTHING), again = fixture_again(f.scene);
    assert_same_world(f.world, again.world);
    for (int i = 0; i < 30; ++i) {
        fixture_steps(&f, 1);
        fixture_steps(&again, 1);
        if (sn_world_hash(f.world) != sn_world_hash(again.world))
            fail_msg("another way after frame %d", i + 1);
    }
    fixture_close(&again);
    again = fixture_again(f.scene);
    char *a = fixture_save(f.scene), *b = fixture_save(again.scene);
    assert_string_equal(a, b);
    free(a);
    free(b);
    fixture_steps(&again, 10);
    fixture_close_both(&again, &f);
}

static sn_real function(void *context, sn_vec3 p)
{
    (void)context;
    return p.y;
}

/* Of a program: what it added is saved, what cannot be is said, and what it removed is gone. */
static void test_own_fixed_shapes(void **state)
{
    (void)state;
    fixture f = fixture_good("{" FIXED_BODIES ", 'motions': [{'of': 'arm', 'keys': [{'time': 0}]}]}");
    fixed_add_sphere(f.world, vec(0, 30, 0), 1);
    assert_ok(f.world, sn_body_remove(f.world, sn_scene_fixed_at(f.scene, 4)->handle)); /* the arm */
    fixture again = fixture_again(f.scene);
    assert_int_equal(fixed_count(again.world), 8);
    assert_non_null(sn_scene_find_fixed(again.scene, "fixed8"));
    assert_null(sn_scene_find_fixed(again.scene, "arm"));
    fixture_steps(&f, 2);
    fixture_close(&again);
    fixed_def def = default_fixed();
    def.type = SN_SHAPE_FIELD;
    def.function = function;
    def.low = vec(-1, -1, -1);
    def.high = vec(1, 1, 1);
    assert_ok(f.world, fixed_add(f.world, &def, NULL));
    sn_document document;
    char message[200] = "";
    sn_document_init(&document, NULL);
    assert_false(sn_scene_save(f.scene, &document, message, sizeof message));
    assert_says(message, "function");
    sn_document_release(&document);
    fixture_close(&f);
}

/* A name that the scene has already is not given again, nor is one twice. */
static void test_names_of_own_fixed_shapes(void **state)
{
    (void)state;
    fixture f = fixture_good("{'bodies': [{'name': 'fixed1', 'type': 'static', 'shapes': {'type': 'plane'}}]}");
    for (int i = 0; i < 2; ++i)
        fixed_add_sphere(f.world, vec(0, 30 + i, 0), 1);
    fixture again = fixture_again(f.scene);
    assert_same_world(f.world, again.world);
    assert_int_equal(fixed_count(again.world), 3);
    assert_int_equal(sn_scene_find_fixed(again.scene, "fixed1-2")->handle.index, 1);
    assert_int_equal(sn_scene_find_fixed(again.scene, "fixed2")->handle.index, 2);
    fixture_close_both(&again, &f);
}

/* Numbers that contact, or the last one a motion, multiplies beyond all bounds: the step fails, and what is left of the scene
   is a scene. */
static void test_what_cannot_be_computed(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{'groups': {'sand': {'self': true, 'rolls': true}}, 'objects': [{'type': 'grains', 'columns': 1, 'rows': 3,"
        " 'layers': 2, 'radius': 1e-30, 'group': 'sand'}]}",
        "{'groups': {'sand': {'self': true, 'rolls': true}}, 'objects': [{'type': 'grains', 'columns': 3, 'rows': 3,"
        " 'layers': 2, 'radius': 2.1, 'group': 'sand'}, {'type': 'particles', 'positions': [0, 3, 0], 'spins': [1, 2,"
        " 3], 'radius': 1e38, 'group': 'sand'}]}",
        "{'groups': {'sand': {'self': true, 'rolls': true, 'material': {'rolling': 1e38}}}, 'objects': [{'type':"
        " 'particles', 'positions': [0, 0, 0, 0, 0, 0], 'radius': 1e-38, 'spins': [1e38, 0, 0, -1e38, 0, 0], 'group':"
        " 'sand'}]}",
        "{'objects': [" DOT "}], 'motions': [{'of': 0, 'keys': [{'time': 0.01}], 'release': true, 'start': [1, 3e38,"
        " 3]}]}",
    };
    for (size_t i = 0; i < COUNT_OF(texts); ++i) {
        fixture f = fixture_good(texts[i]);
        sn_result result = SN_OK;
        for (int frame = 0; frame < 5 && result == SN_OK; ++frame)
            result = sn_scene_step(f.scene);
        assert_true(result == SN_OK || result == SN_ERROR_DIVERGED);
        for (uint32_t k = 0; k < sn_world_particle_count(f.world); ++k)
            assert_true(support_is_finite(fixture_place(&f, k)) && support_is_finite(fixture_speed(&f, k)) &&
                        support_is_finite(sn_particle_spin(f.world, sn_particle_from_index(f.world, k))));
        fixture again = fixture_again(f.scene);
        fixture_close_both(&again, &f);
    }
}

/* JSON has no word for what is not finite: nothing is written rather than something that does not load. */
static void test_only_numbers_are_saved(void **state)
{
    (void)state;
    fixture f =
        fixture_good("{'objects': [" DOT "}, {'type': 'particles', 'positions': [0, 0, 0, 2, 0, 0], 'radius': 1,"
                     " 'rest': [0, 0, 0, 3, 0, 0], 'contact': {'rest_gap': 0}}]}");
    sn_vec3 *rest = (sn_vec3 *)sn_scene_object(f.scene, 1)->rest;
    rest[1].y = (sn_real)NAN;
    sn_document document;
    char message[200] = "";
    sn_document_init(&document, NULL);
    assert_false(sn_scene_save(f.scene, &document, message, sizeof message));
    assert_says(message, "objects[1].rest[4] no number");
    sn_document_release(&document);
    fixture_close(&f);
}

/* Whatever fails: no leak, no crash, and it is said. */
static void test_no_memory(void **state)
{
    (void)state;
    sn_document document;
    fixture_parse(&document, EVERYTHING);
    bool made = false;
    for (uint64_t fail_at = 1; !made && fail_at < 5000; fail_at += support_rounds(1, 3)) {
        support_memory memory = {.fail_at = fail_at};
        sn_scene_options options = sn_default_scene_options();
        options.allocator = support_allocator(&memory);
        sn_problems problems;
        sn_problems_init(&problems, NULL);
        sn_scene *scene = sn_scene_create(&document, &options, &problems);
        bool said = scene != NULL;
        for (const sn_problem *p = problems.first; p; p = p->next)
            said = said || support_says(p->text, "memory");
        if (!said) {
            fixture_print(&problems);
            fail_msg("request %llu failed, and nobody says so", (unsigned long long)fail_at);
        }
        made = memory.failures == 0;
        assert_true(!made || scene);
        sn_scene_destroy(scene);
        assert_memory_clean(&memory);
        sn_problems_release(&problems);
    }
    assert_true(made);
    sn_document_release(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_bad_groups),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_skins),
        cmocka_unit_test(test_rest_shapes),
        cmocka_unit_test(test_rest_shapes_are_saved),
        cmocka_unit_test(test_fixed_shapes),
        cmocka_unit_test(test_facing),
        cmocka_unit_test(test_bad_fixed_shapes),
        cmocka_unit_test(test_bad_fixed_bodies),
        cmocka_unit_test(test_two_dimensions),
        cmocka_unit_test(test_mesh_files),
        cmocka_unit_test(test_motion),
        cmocka_unit_test(test_motion_carries),
        cmocka_unit_test(test_bad_motions),
        cmocka_unit_test(test_grains),
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_own_fixed_shapes),
        cmocka_unit_test(test_names_of_own_fixed_shapes),
        cmocka_unit_test(test_what_cannot_be_computed),
        cmocka_unit_test(test_only_numbers_are_saved),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

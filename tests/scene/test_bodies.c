/* Rigid bodies of scenes: reading, refusing, points and joints, motions, saving. */
#include "support/support.h"

#include "scene/scene_fixture.h"

#include <math.h>

/* The body with a name. */
static sn_body body(const fixture *f, const char *name)
{
    const sn_object *object = sn_scene_find_object(f->scene, name);
    assert_non_null(object);
    assert_int_equal(object->body_count, 1);
    return object->body[0].handle;
}

static sn_body_def read_body(const fixture *f, const char *name)
{
    sn_body_def def;
    assert_ok(f->world, sn_body_read(f->world, body(f, name), &def));
    return def;
}

/* ---- Bodies -------------------------------------------------------------------------------------------------------------- */

static void test_bodies(void **state)
{
    (void)state;
    fixture f =
        fixture_good("{'bodies': [{'name': 'crate', 'position': [1, 2, 3], 'turn': {'axis': [0, 0, 2], 'angle': "
                     "1.5707963}, 'velocity':"
                     " [0, 1, 0], 'spin': [0, 0, 2], 'shapes': {'type': 'box', 'size': [1, 2, 3]}, 'density': 10, "
                     "'spin_damping': 0.5},"
                     " {'shapes': [{'type': 'sphere', 'radius': 2, 'position': [3, 0, 0], 'density': 1}, {'type': "
                     "'capsule', 'radius':"
                     " 0.5, 'from': [0, -1, 0], 'to': [0, 1, 0]}], 'group': 7},"
                     " {'name': 'tetra', 'shapes': {'type': 'hull', 'points': [0,0,0, 6,0,0, 0,6,0, 0,0,6], "
                     "'rounding': 0}, 'mass': 3},"
                     " {'name': 'wheel', 'mass': 2, 'moments': [1, 1, 0], 'axes': [0, 0, 0, 2], 'centre': [1, 0, 0]},"
                     " {'name': 'rock', 'immovable': true, 'shapes': {'type': 'sphere'}}]}");
    assert_int_equal(sn_world_body_count(f.world), 5);
    sn_body_def def = read_body(&f, "crate");
    assert_close(def.mass, 60, 1e-5);
    assert_vec_close(def.position, vec(1, 2, 3), 1e-6);
    assert_vec_close(sn_body_to_world(f.world, body(&f, "crate"), vec(1, 0, 0)), vec(1, 3, 3), 1e-6);
    assert_vec_close(def.velocity, vec(0, 1, 0), 0);
    assert_vec_close(def.spin, vec(0, 0, 2), 1e-6);
    assert_close(def.spin_damping, 0.5, 0);
    assert_vec_close(def.moments, vec(60 * 13 / 12.0, 60 * 10 / 12.0, 60 * 5 / 12.0), 1e-4);
    assert_int_equal(def.group, 0);
    def = read_body(&f, "body2"); /* its place among all objects */
    assert_int_equal(def.shape_count, 2);
    assert_int_equal(def.group, 7);
    assert_int_equal(def.shapes[1].type, SN_SHAPE_CAPSULE);
    assert_close(def.shapes[1].half.y, 1, 1e-6);
    assert_close(def.mass, 32.0 / 3 * SN_PI + 1000 * (SN_PI / 6 + SN_PI / 2), 0.1);
    assert_vec_close(sn_body_centre(f.world, body(&f, "tetra")), vec(1.5, 1.5, 1.5), 1e-5);
    assert_close(sn_body_mass(f.world, body(&f, "tetra")), 3, 0);
    def = read_body(&f, "wheel");
    assert_true(isinf(def.moments.z) && def.shape_count == 0);
    assert_close(def.moments.x, 1, 1e-6);
    assert_vec_close(sn_body_centre(f.world, body(&f, "wheel")), vec(1, 0, 0), 1e-6);
    assert_true(isinf(sn_body_mass(f.world, body(&f, "rock"))));
    fixture_close(&f);
}

static bool give_file(void *context, const char *name, sn_arena *arena, const void **bytes, size_t *size, char *message,
                      size_t message_size)
{
    (void)arena;
    if (strcmp(name, "cube.obj") != 0) {
        snprintf(message, message_size, "there is no such file");
        return false;
    }
    *bytes = context;
    *size = strlen(context);
    return true;
}

/* A cube with edges of 1 m, once as a hull and once as the mesh that mass is taken from. */
static void test_meshes(void **state)
{
    (void)state;
    char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n"
                 "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    sn_scene_options options = sn_default_scene_options();
    options.read_file = give_file;
    options.read_file_context = obj;
    fixture f =
        fixture_try("{'bodies': [{'name': 'a', 'shapes': {'type': 'hull', 'mesh': 'cube.obj', 'scale': 2}, 'density':"
                    " 5}, {'name': 'b', 'mesh': 'cube.obj', 'density': 3, 'shapes': {'type': 'sphere', 'radius': 2}},"
                    " {'name': 'c', 'vertices': [0,0,0, 1,0,0, 0,1,0, 0,0,1], 'triangles': [0,2,1, 0,1,3, 0,3,2,"
                    " 1,2,3], 'scale': 6}]}",
                    &options);
    if (!f.scene)
        fixture_print(&f.problems);
    assert_non_null(f.scene);
    assert_close(sn_body_mass(f.world, body(&f, "a")), 40, 1e-3);
    assert_vec_close(sn_body_centre(f.world, body(&f, "a")), vec(1, 1, 1), 1e-5);
    assert_close(sn_body_mass(f.world, body(&f, "b")), 3, 1e-5);
    assert_vec_close(sn_body_centre(f.world, body(&f, "b")), vec(0.5, 0.5, 0.5), 1e-6);
    assert_close(sn_body_mass(f.world, body(&f, "c")), 36000, 1);
    fixture again = fixture_again(f.scene);
    assert_true(sn_world_hash(f.world) == sn_world_hash(again.world));
    fixture_close_both(&again, &f);
    f = fixture_try("{'bodies': [{'shapes': {'type': 'hull', 'mesh': 'x.obj'}}]}", &options);
    assert_null(f.scene);
    assert_problem(&f.problems, "bodies[0].shapes.mesh", "x.obj no such file");
    fixture_close(&f);
}

static void test_bad_bodies(void **state)
{
    (void)state;
    static const fixture_bad bads[] = {
        {"'x'", "", "text record"},
        {"{}", "", "no shapes mesh mass moments"},
        {"{'mass': 1}", "", "no shapes mesh mass moments"},
        {"{'shaeps': 1}", ".shaeps", "no such key body did mean 'shapes'"},
        {"{'shapes': []}", ".shapes", "empty list shape"},
        {"{'shapes': 3}", ".shapes", "3 record shape"},
        {"{'shapes': [3]}", ".shapes", "shape"},
        {"{'shapes': [{'type': 'box'}, {}]}", ".shapes[1]", "'type' missing"},
        {"{'shapes': {'type': 'bxo'}}", ".shapes.type", "bxo did mean 'box'"},
        {"{'shapes': {'type': 'box', 'radius': 1}}", ".shapes.radius", "no such key box"},
        {"{'shapes': {'type': 'box', 'size': [1, 0, 1]}}", ".shapes.size", "0 more than 0"},
        {"{'shapes': {'type': 'box', 'rounding': -1}}", ".shapes.rounding", "-1 0 or more"},
        {"{'shapes': {'type': 'sphere', 'radius': 0}}", ".shapes.radius", "0 more than 0"},
        {"{'shapes': {'type': 'sphere', 'radius': 1e16}}", ".shapes.radius", "1e+16 at most 1e+15"},
        {"{'shapes': {'type': 'capsule', 'from': [0, 0, 0]}}", ".shapes", "'to' missing"},
        {"{'shapes': {'type': 'capsule', 'from': [1, 0, 0], 'to': [1, 0, 0]}}", ".shapes.to", "0 m"},
        {"{'shapes': {'type': 'capsule', 'from': [0, 0, 0], 'to': [1, 0, 0], 'position': [1, 1, 1]}}", ".shapes",
         "'from' 'to' 'position'"},
        {"{'shapes': {'type': 'capsule', 'length': -1}}", ".shapes.length", "-1"},
        {"{'shapes': {'type': 'hull'}}", ".shapes", "'points' missing 'mesh'"},
        {"{'shapes': {'type': 'hull', 'points': [1, 2]}}", ".shapes.points", "2 three"},
        {"{'shapes': {'type': 'hull', 'points': [0,0,0, 1,0,0, 0,1,0, 1,1,0]}}", "", "plane|flat"},
        {"{'shapes': {'type': 'hull', 'mesh': 'a.obj'}}", ".shapes.mesh", "a.obj no files"},
        {"{'shapes': {'type': 'hull', 'mesh': 'a.obj', 'points': [1, 2, 3]}}", ".shapes", "both"},
        {"{'shapes': {'type': 'hull', 'points': [0,0,0, 1,0,0, 0,1,0, 0,0,1e38], 'scale': 1e9}}", ".shapes.scale",
         "point 3 largest"},
        {"{'shapes': {'type': 'box', 'turn': {'axis': [0, 0, 0], 'angle': 1}}}", ".shapes.turn", "length 0"},
        {"{'shapes': {'type': 'box', 'rotation': [0, 0, 0, 0]}}", ".shapes.rotation", "0 quaternion"},
        {"{'shapes': {'type': 'box'}, 'rotation': [1, 2, 3]}", ".rotation", "3 four"},
        {"{'shapes': {'type': 'box'}, 'rotation': [0, 0, 0, 1], 'turn': {'angle': 1}}", ".rotation", "both 'turn'"},
        {"{'shapes': {'type': 'box'}, 'density': 0}", ".density", "0 more than 0"},
        {"{'shapes': {'type': 'box'}, 'mass': 0}", ".mass", "0 1e-30"},
        {"{'shapes': {'type': 'box'}, 'immovable': true, 'mass': 2}", ".immovable", "'mass' cannot"},
        {"{'shapes': {'type': 'box'}, 'axes': [0, 0, 0, 1]}", ".axes", "'moments' not given"},
        {"{'mass': 1, 'moments': [1, 1, 3]}", "", "moments"},
        {"{'mass': 1, 'moments': [-1, 1, 1]}", ".moments[0]", "-1 0 or more"},
        {"{'shapes': {'type': 'box'}, 'group': 'x'}", ".group", "no group 'x'"},
        {"{'shapes': {'type': 'box'}, 'name': 'a b'}", ".name", "'a b' no name"},
        {"{'shapes': {'type': 'box'}, 'vertices': [0, 0, 0]}", "", "'triangles' missing"},
        {"{'vertices': [0,0,0, 1,0,0, 0,1,0, 0,0,1], 'triangles': [0,1,2, 0,3,1, 0,2,3, 1,3,2]}", "",
         "inside|outside|volume"},
        {"{'vertices': [0,0,0, 1,0,0, 0,1,0, 0,0,1], 'triangles': [0,2,1, 0,1,3, 0,3,2]}", "", "open|edge"},
        {"{'vertices': [0,0,0, 1,0,0, 0,1,0, 0,0,1], 'triangles': [0,2,9]}", ".triangles", "9 0 to 3"},
        {"{'mesh': 'a.obj', 'vertices': [0, 0, 0]}", ".mesh", "both"},
    };
    assert_all_refused("{'bodies': [%s]}", "bodies[0]", bads);
    assert_refused("{'bodies': {'a': 1}}", "bodies", "record list");
    assert_refused("{'objects': [{'type': 'rope', 'name': 'a'}], 'bodies': [{'name': 'a', 'shapes': {'type': 'box'}}]}",
                   "bodies[0].name", "another 'a'");
    assert_refused(
        "{'world': {'dimensions': 2}, 'bodies': [{'shapes': {'type': 'box', 'size': [1, 1]}, 'turn': {'axis': [1,"
        " 0, 0], 'angle': 1}}]}",
        "bodies[0].turn", "2D [0, 0, 1]");
    assert_refused("{'objects': [{'type': 'particles', 'bodies': [{'shapes': {'type': 'box'}}, {'name': 'x'}]}]}",
                   "objects[0].bodies[1].name", "no such key");
}

/* ---- Points and joints ------------------------------------------------------------------------------------------------------ */

#define DOOR                                                                                                           \
    "'bodies': [{'name': 'door', 'position': [1, 0, 0], 'shapes': {'type': 'box', 'size': [2, 2, 0.1]}},"              \
    " {'name': 'crate', 'position': [5, 0, 0], 'shapes': {'type': 'box'}, 'turn': {'axis': [0, 1, 0], 'angle': "       \
    "0.5}}],"                                                                                                          \
    " 'objects': [{'type': 'particles', 'name': 'p', 'positions': [1, 1, 1]}]"

static sn_constraint_def read_first(const fixture *f, sn_point *points)
{
    sn_constraint_walk walk = {0};
    sn_constraint_def def;
    assert_true(sn_constraint_next(f->world, &walk));
    assert_ok(f->world, sn_constraint_read(f->world, walk.constraint, &def, points, SN_MAX_POINTS));
    return def;
}

static void test_points(void **state)
{
    (void)state;
    sn_point points[SN_MAX_POINTS];
    fixture f =
        fixture_good("{" DOOR ", 'constraints': [{'kind': 'distance', 'points': [{'body': 'crate', 'place': [0.5, 0.5,"
                     " 0.5]}, {'place': [7, 8, 9]}]}, {'kind': 'attachment', 'points': ['p', {'body': 'door[0]'}]},"
                     " {'kind': 'distance', 'points': ['door', 'crate']}]}");
    read_first(&f, points);
    assert_int_equal(points[0].type, SN_POINT_BODY);
    assert_vec_close(points[0].place, vec(0.5, 0.5, 0.5), 1e-6);
    assert_int_equal(points[1].type, SN_POINT_PLACE);
    assert_vec_close(points[1].place, vec(7, 8, 9), 0);
    fixture_close(&f);
    static const fixture_bad bads[] = {
        {"{'body': 'p'}", ".body", "particle expected body"},
        {"{'body': 'q'}", ".body", "no object 'q'"},
        {"{'body': 'door', 'place': [1]}", ".place", "three"},
        {"{'body': 'door', 'plaec': [1, 2, 3]}", ".plaec", "did mean 'place'"},
        {"{'body': ['door', 'crate']}", ".body", "2 one body"},
        {"{'body': 'door', 'rotation': [1]}", ".rotation", "1 four"},
    };
    assert_all_refused("{" DOOR ", 'constraints': [{'kind': 'distance', 'points': ['p', %s]}]}",
                       "constraints[0].points[1]", bads);
    assert_refused("{" DOOR
                   ", 'constraints': [{'kind': 'distance', 'points': [{'place': [0, 0, 0]}, {'place': [1, 0, 0]}]}]}",
                   "constraints[0]", "place|particle|body");
    assert_refused("{" DOOR ", 'record': {'particles': [{'place': [0, 0, 0]}]}}", "record.particles[0]",
                   "spot no particle");
}

/* Anchor and axis in the world, or points that say the same: one joint. */
static void test_joints(void **state)
{
    (void)state;
    sn_point points[SN_MAX_POINTS];
    fixture f = fixture_good("{'world': {'gravity': [0, 0, 0]}, " DOOR
                             ", 'constraints': [{'kind': 'joint_hinge', 'name': 'h', 'bodies': ['world', 'door'],"
                             " 'anchor': [0, 0, 0], 'axis': [0, 3, 0], 'least': -1, 'most': 1.5, 'strength': 300,"
                             " 'torque_strength': 40, 'collides': true}]}");
    read_first(&f, points);
    assert_vec_close(points[1].place, vec(-1, 0, 0), 1e-6);
    const sn_hold *hold = f.scene->holds.items;
    sn_constraint joint = sn_constraints_at(hold[0].run, 0);
    assert_close(sn_joint_angle(f.world, joint), 0, 1e-6);
    sn_real force, torque;
    assert_ok(f.world, sn_constraint_strength(f.world, joint, &force, &torque));
    assert_true(sn_constraint_collides(f.world, joint));
    assert_true(force == 300 && torque == 40);
    assert_ok(f.world, sn_body_set_velocity(f.world, body(&f, "door"), vec(0, 0, -0.5), vec(0, 0.5, 0)));
    fixture_steps(&f, 30);
    assert_close(sn_joint_angle(f.world, joint), 0.25, 0.005); /* about +y, x turns to -z */
    fixture_close(&f);
    static const fixture_bad bads[] = {
        {"'kind': 'distance', 'bodies': ['door', 'crate']", ".bodies", "distance no joint 'points'"},
        {"'kind': 'joint_ball', 'bodies': ['door']", ".bodies", "list two"},
        {"'kind': 'joint_ball', 'bodies': 'door'", ".bodies", "text list two"},
        {"'kind': 'joint_ball', 'bodies': ['world', 'world']", ".bodies", "neither body"},
        {"'kind': 'joint_ball', 'bodies': ['world', 'p']", ".bodies[1]", "particle expected body"},
        {"'kind': 'joint_ball', 'bodies': ['world', 'dor']", ".bodies[1]", "did mean 'door'"},
        {"'kind': 'joint_ball', 'bodies': ['door', 'door']", ".bodies", "same body"},
        {"'kind': 'joint_hinge', 'bodies': ['world', 'door'], 'axis': [0, 0, 0]", ".axis", "length 0"},
        {"'kind': 'joint_hinge', 'bodies': ['world', 'door'], 'least': 2, 'most': 1", "", "least most"},
        {"'kind': 'joint_hinge', 'bodies': ['world', 'door'], 'frictoin': 2", ".frictoin", "did mean 'friction'"},
        {"'kind': 'joint_hinge', 'bodies': ['world', 'door'], 'points': ['door', 'crate']", "",
         "one of 'points' 'bodies'"},
        {"'kind': 'joint_ball', 'points': [{'body': 'door'}, {'body': 'crate'}], 'anchor': [0, 0, 0]", ".anchor",
         "'bodies'"},
        {"'kind': 'joint_ball', 'points': [{'body': 'door'}, {'body': 'crate'}], 'second_axis': [0, 1, 0]",
         ".second_axis", "'bodies'"},
        {"'kind': 'joint_ball', 'points': ['p', {'body': 'crate'}]", "", "joint_ball|axes|bodies|spot"},
        {"'kind': 'distance', 'points': ['p', {'body': 'crate'}], 'torque_strength': 1", "", "torque joints"},
        {"'kind': 'distance', 'points': ['p', {'body': 'crate'}], 'state': [1]", ".state", "remembers 0"},
    };
    assert_all_refused("{" DOOR ", 'constraints': [{%s}]}", "constraints[0]", bads);
}

/* A wheel, a joint of six degrees of freedom, gears by the points of two hinges; and, saved and loaded while they turn, the same ones. */
static void test_machines(void **state)
{
    (void)state;
    fixture f = fixture_good(
        "{'world': {'gravity': [0, -10, 0]}, 'groups': {'w': {}}, 'bodies': ["
        "{'name': 'wheel', 'group': 'w', 'position': [0, 0, 0], 'mass': 2, 'shapes': {'type': 'sphere', 'radius': "
        "0.3}},"
        "{'name': 'a', 'group': 'w', 'position': [2, 0, 0], 'mass': 1, 'shapes': {'type': 'sphere', 'radius': 0.3}},"
        "{'name': 'b', 'group': 'w', 'position': [4, 0, 0], 'mass': 1, 'shapes': {'type': 'sphere', 'radius': 0.3}},"
        "{'name': 'c', 'group': 'w', 'position': [6, 0, 0], 'mass': 1, 'shapes': {'type': 'sphere', 'radius': 0.3}}],"
        "'constraints': ["
        "{'kind': 'joint_wheel', 'name': 'w', 'bodies': ['world', 'wheel'], 'axis': [0, 1, 0], 'second_axis': [0, 0, "
        "1],"
        " 'spring_compliance': 0.005, 'spring_damping': 40, 'speed': 2, 'speed_most': 100},"
        "{'kind': 'joint_hinge', 'bodies': ['world', 'a'], 'axis': [0, 0, 1], 'speed': 5, 'speed_most': 100},"
        "{'kind': 'joint_hinge', 'bodies': ['world', 'b'], 'axis': [0, 0, 1]},"
        "{'kind': 'joint_gear', 'points': ["
        "{'place': [2, 0, 0], 'turn': {'axis': [0, 1, 0], 'angle': -1.5707963}}, {'body': 'a', 'turn': {'axis': [0, 1, "
        "0], 'angle': -1.5707963}},"
        "{'place': [4, 0, 0], 'turn': {'axis': [0, 1, 0], 'angle': -1.5707963}}, {'body': 'b', 'turn': {'axis': [0, 1, "
        "0], 'angle': -1.5707963}}],"
        " 'ratio': 2.5},"
        "{'kind': 'joint_six', 'name': 's', 'bodies': ['world', 'c'], 'least': [0, -0.5, 0], 'most': [0, 0, 0]}]}");
    fixture_steps(&f, 100);
    fixture again = fixture_again(f.scene);
    fixture_steps(&f, 50);
    fixture_steps(&again, 50);
    const sn_hold *hold = f.scene->holds.items;
    assert_close(sn_joint_way(f.world, sn_constraints_at(hold[0].run, 0)), -0.1, 2e-3); /* 20 N on 200 N/m */
    assert_close(fabs((double)sn_body_spin(f.world, body(&f, "wheel")).x), 2,
                 0.01); /* about the axle, across both axes */
    assert_close(sn_body_spin(f.world, body(&f, "a")).z, 5, 0.01);
    assert_close(sn_body_spin(f.world, body(&f, "b")).z, -2, 0.01);
    assert_close(sn_joint_axis_value(f.world, sn_constraints_at(hold[1].run, 0), 1), -0.5, 2e-3);
    assert_close(sn_body_spin(again.world, body(&again, "b")).z, -2, 0.01);
    assert_vec_close(sn_body_centre(again.world, body(&again, "wheel")), sn_body_centre(f.world, body(&f, "wheel")),
                     1e-5);
    fixture_close(&again);
    fixture_close(&f);
}

/* ---- What happens ------------------------------------------------------------------------------------------------------------ */

/* Joints hold static and kinematic bodies by their names; saved and read again the door hangs where it hung. */
static void test_joints_with_fixed_bodies(void **state)
{
    (void)state;
    fixture f = fixture_good(
        "{'bodies': [{'name': 'post', 'type': 'kinematic', 'position': [0, 1, 0], 'shapes': {'type': 'box', 'size': "
        "[0.1, 2, 0.1]}},"
        " {'name': 'door', 'position': [0.5, 1, 0], 'shapes': {'type': 'box', 'size': [0.8, 1.8, 0.04]}}],"
        " 'constraints': [{'kind': 'joint_hinge', 'bodies': ['post', 'door'], 'anchor': [0, 1, 0], 'axis': [0, 1, 0]}],"
        " 'motions': [{'of': 'post', 'smooth': false, 'keys': [{'time': 0}, {'time': 1, 'move': [0, 0, 1]}]}]}");
    fixture_steps(&f, 30);
    fixture again = fixture_again(f.scene);
    fixture_steps(&f, 30);
    fixture_steps(&again, 30);
    assert_vec_close(sn_body_to_world(f.world, body(&f, "door"), vec(-0.5f, 0, 0)), vec(0, 1, 1), 1e-3);
    assert_vec_close(sn_body_position(again.world, body(&again, "door")), sn_body_position(f.world, body(&f, "door")),
                     1e-4);
    fixture_close_both(&again, &f);
}

/* A dynamic body that is immovable is led like a kinematic one: it moves and turns, and what is in its way is pushed. */
static void test_motion(void **state)
{
    (void)state;
    fixture f =
        fixture_good("{'world': {'gravity': [0, 0, 0]}, 'bodies': [{'name': 'arm', 'immovable': true, 'position': [1,"
                     " 0, 0], 'shapes': {'type': 'box', 'size': [2, 0.2, 0.2]}}], 'motions': [{'of': 'arm', 'smooth':"
                     " false, 'axis': [0, 0, 1], 'about': [0, 0, 0], 'keys': [{'time': 0}, {'time': 1, 'move': [0, 0,"
                     " 3], 'angle': 1.5707963}]}]}");
    fixture_steps(&f, 30);
    fixture again = fixture_again(f.scene);
    fixture_steps(&f, 30);
    fixture_steps(&again, 30);
    assert_vec_close(sn_body_position(f.world, body(&f, "arm")), vec(0, 1, 3), 1e-5);
    assert_vec_close(sn_body_to_world(f.world, body(&f, "arm"), vec(1, 0, 0)), vec(0, 2, 3), 1e-5);
    assert_vec_close(sn_body_to_world(again.world, body(&again, "arm"), vec(1, 0, 0)), vec(0, 2, 3), 1e-5);
    fixture_close_both(&again, &f);
    assert_refused(
        "{'bodies': [{'name': 'a', 'shapes': {'type': 'box'}}], 'motions': [{'of': 'a', 'keys': [{'time': 0}],"
        " 'start': [1, 2, 3]}]}",
        "motions[0].start", "3 seven 1 bodies");
    assert_refused(
        "{'bodies': [{'name': 'a', 'shapes': {'type': 'box'}}], 'motions': [{'of': 'a', 'keys': [{'time': 0}],"
        " 'start': [1, 2, 3, 0, 0, 0, 0]}]}",
        "motions[0].start", "quaternion 0");
}

static void test_pinned(void **state)
{
    (void)state;
    fixture f =
        fixture_good("{'bodies': [{'name': 'a', 'pinned': true, 'spin': [0, 0, 1], 'shapes': {'type': 'box'}}, {'name':"
                     " 'b', 'position': [5, 0, 0], 'spin': [0, 0, 1], 'shapes': {'type': 'box'}}], 'events':"
                     " [{'time': 0.5, 'type': 'release', 'of': 'a'}, {'time': 0.25, 'type': 'impulse', 'of': 'b',"
                     " 'value': [0, 0, 2000]}, {'time': 0.5, 'type': 'pin', 'of': 'b'}]}");
    fixture_steps(&f, 30);
    assert_vec_close(sn_body_position(f.world, body(&f, "a")), vec(0, 0, 0), 0);
    assert_vec_close(sn_body_spin(f.world, body(&f, "a")), vec(0, 0, 0), 0);
    assert_close(sn_body_velocity(f.world, body(&f, "b")).z, 2, 1e-4);
    fixture again = fixture_again(f.scene); /* with the release and the pin still to come */
    fixture_steps(&f, 30);
    fixture_steps(&again, 30);
    for (int i = 0; i < 2; ++i) {
        const fixture *g = i ? &again : &f;
        assert_close(sn_body_position(g->world, body(g, "a")).y, -9.81 / 8, 0.02);
        assert_close(sn_body_mass(g->world, body(g, "a")), 1000, 1e-3);
        assert_true(isinf(sn_body_mass(g->world, body(g, "b"))));
        assert_vec_close(sn_body_spin(g->world, body(g, "b")), vec(0, 0, 0), 0);
    }
    fixture_close_both(&again, &f);
}

/* ---- Saving ----------------------------------------------------------------------------------------------------------------- */

#define EVERYTHING                                                                                                     \
    "{'groups': {'stuff': {'material': {'friction': 0.3}}},"                                                           \
    " 'objects': [{'type': 'ragdoll', 'name': 'doll', 'pins': ['head'], 'spin': [0, 1, 2], 'velocity': [0, 0, 1]},"    \
    " {'type': 'rope', 'name': 'rope', 'segments': 4, 'position': [3, 0, 0]},"                                         \
    " {'type': 'bridge', 'name': 'bridge', 'planks': 3, 'position': [0, 0, 6], 'turn': {'axis': [0, 1, 0], 'angle': "  \
    "1},"                                                                                                              \
    " 'scale': 1.5, 'strength': 1e5}, {'type': 'wall', 'name': 'wall', 'columns': 2, 'rows': 3, 'position': [0, -3, "  \
    "9],"                                                                                                              \
    " 'rounding': 0.01}, {'type': 'pile', 'name': 'pile', 'columns': 2, 'rows': 2, 'layers': 1, 'shapes': 'mixed',"    \
    " 'position': [0, 0, -6], 'scale': 0.7}, {'type': 'body_chain', 'name': 'chain', 'links': 3, 'bob': 5, "           \
    "'direction':"                                                                                                     \
    " [1, 2, 3], 'position': [-6, 0, 0], 'spin': [1, 0, 0]}, {'type': 'jelly', 'name': 'jelly', 'columns': 3, "        \
    "'rows': 3,"                                                                                                       \
    " 'layers': 3, 'position': [9, 0, 0], 'yield': 0.01, 'creep': 5, 'limit': 0.4, 'radius': 0.1}],"                   \
    " 'bodies': [{'type': 'static', 'position': [0, -3, 0], 'shapes': {'type': 'plane'}}, {'name': 'odd', 'group': "   \
    "'stuff', 'position': [3, 1, 2], 'rotation': [0.1, 0.2, -0.3, 0.7], 'spin': "                                      \
    "[1,"                                                                                                              \
    " -2, 3], 'shapes': [{'type': 'box', 'size': [0.3, 0.4, 0.5], 'turn': {'axis': [1, 1, 0], 'angle': 1}}, {'type':"  \
    " 'capsule', 'from': [0.1, 0, 0], 'to': [0.4, 0.3, 0], 'radius': 0.1, 'density': 700}, {'type': 'hull', 'points':" \
    " [0,0,0, 0.3,0,0, 0,0.3,0, 0,0,0.3], 'rounding': 0.01}]}, {'name': 'top', 'position': [3, 3, 3], 'mass': 2,"      \
    " 'moments': [1, 1.5, 2], 'axes': [0.1, 0.1, 0, 1], 'centre': [0.1, 0.2, 0.3], 'velocity': [0, 1, 0], 'spin': "    \
    "[3, 0,"                                                                                                           \
    " 1]}, {'name': 'wheel', 'pinned': true, 'position': [5, 3, 3], 'mass': 2, 'moments': [0, 0, 2], 'spin': [0, 0, "  \
    "9]},"                                                                                                             \
    " {'name': 'rock', 'immovable': true, 'position': [3, -1, 2], 'shapes': {'type': 'sphere'}, 'contact': "           \
    "{'material':"                                                                                                     \
    " {'restitution': 0.5}}}], 'constraints': [{'kind': 'joint_fixed', 'name': 'glue', 'bodies': ['odd', 'top'],"      \
    " 'linear_compliance': 1e-4, 'angular_compliance': 1e-3, 'strength': 1e6, 'torque_strength': 1e5}, {'kind':"       \
    " 'distance_max', 'points': ['rope.end', {'body': 'odd', 'place': [0.11, 0.07, 0.3]}]}, {'kind': "                 \
    "'joint_cone_twist',"                                                                                              \
    " 'points': [{'place': [-1, 2, 0], 'turn': {'axis': [1, 2, 3], 'angle': 2}}, {'body': 'doll.chest', 'place': "     \
    "[0.1, 0,"                                                                                                         \
    " 0], 'rotation': [0.3, 0.1, 0, 1]}], 'swing': 2, 'compliance': 0.01}], 'forces': [{'value': [0, 1, 0]}, {'type':" \
    " 'acceleration', 'value': [1, 0, 0], 'of': ['doll', 'odd']}], 'motions': [{'of': ['rock', 'rope.start'], 'keys':" \
    " [{'time': 0}, {'time': 1, 'move': [0, 0.2, 0], 'angle': 1}]}], 'events': [{'time': 0.3, 'type': 'release', "     \
    "'of':"                                                                                                            \
    " ['wheel', 'doll.head']}, {'time': 0.2, 'type': 'cut', 'of': 'doll.knees'}], 'record': {'particles': "            \
    "['doll.head',"                                                                                                    \
    " 'odd', 'wall[2]', 'bridge.middle'], 'forces': ['glue', 'chain.joints']}}"

/* The same world to the last bit, at the start and as it goes on. */
static void test_save(void **state)
{
    (void)state;
    fixture f = fixture_good(EVERYTHING), again = fixture_again(f.scene);
    assert_same_world(f.world, again.world);
    char *a = fixture_save(f.scene), *b = fixture_save(again.scene);
    assert_string_equal(a, b);
    free(a);
    free(b);
    sn_trace_list traces = sn_scene_traces(f.scene);
    static const char *const labels[] = {"doll.head", "odd", "wall[2]", "bridge.middle"};
    for (uint32_t i = 0; i < 4; ++i)
        assert_string_equal(traces.particle[i].label, labels[i]);
    for (int i = 0; i < 30; ++i) {
        fixture_steps(&f, 1);
        fixture_steps(&again, 1);
        if (sn_world_hash(f.world) != sn_world_hash(again.world))
            fail_msg("another way after frame %d", i + 1);
    }
    fixture_close_both(&again, &f);
}

/* Saved on the way it goes on as it would have, up to rounding. */
static void test_save_later(void **state)
{
    (void)state;
    fixture f = fixture_good(EVERYTHING);
    fixture_steps(&f, 20);
    fixture again = fixture_again(f.scene);
    assert_int_equal(sn_world_body_count(f.world), sn_world_body_count(again.world));
    fixture_steps(&f, 5);
    fixture_steps(&again, 5);
    for (uint32_t i = 0; i < sn_world_body_limit(f.world); ++i) {
        sn_body a = sn_body_from_index(f.world, i), b = sn_body_from_index(again.world, i);
        sn_vec3 spot = vec(0.1, 0.2, 0.3);
        assert_vec_close(sn_body_to_world(f.world, a, spot), sn_body_to_world(again.world, b, spot), 2e-3);
    }
    fixture_close_both(&again, &f);
}

/* What the program does to a body is saved with it. */
static void test_save_changed(void **state)
{
    (void)state;
    fixture f = fixture_good(EVERYTHING);
    sn_body top = body(&f, "top");
    assert_ok(f.world, sn_body_set_mass(f.world, top, 8));
    assert_ok(f.world, sn_body_set_spin_damping(f.world, top, 2));
    assert_ok(f.world, sn_body_set_mass(f.world, body(&f, "odd"), SN_IMMOVABLE));
    fixture again = fixture_again(f.scene);
    sn_body_def def = read_body(&again, "top");
    assert_close(def.mass, 8, 0);
    assert_vec_close(def.moments, vec(4, 6, 8), 1e-4);
    assert_close(def.spin_damping, 2, 0);
    assert_true(isinf(sn_body_mass(again.world, body(&again, "odd"))));
    fixture_close(&again);
    sn_body more;
    sn_body_def other = sn_default_body_def();
    other.mass = 1;
    other.moments = vec(1, 1, 1);
    assert_ok(f.world, sn_body_add(f.world, &other, &more));
    sn_document out;
    char message[200] = "";
    sn_document_init(&out, NULL);
    assert_false(sn_scene_save(f.scene, &out, message, sizeof message));
    assert_says(message, "no object");
    sn_document_release(&out);
    fixture_close(&f);
}

static void test_no_memory(void **state)
{
    (void)state;
    sn_document document;
    fixture_parse(&document, EVERYTHING);
    bool made = false;
    uint64_t step = support_rounds(7, 41); /* there are thousands; an odd one visits all sorts of them */
    for (uint64_t fail_at = 1; !made && fail_at < 100000; fail_at += step) {
        support_memory memory = {.fail_at = fail_at};
        sn_scene_options options = sn_default_scene_options();
        options.allocator = support_allocator(&memory);
        sn_problems problems;
        sn_problems_init(&problems, NULL);
        sn_scene *scene = sn_scene_create(&document, &options, &problems);
        made = !memory.failures;
        bool said = scene != NULL;
        for (const sn_problem *p = problems.first; p; p = p->next)
            said = said || support_says(p->text, "memory");
        if (!said) {
            fixture_print(&problems);
            fail_msg("request %llu failed, and nobody says so", (unsigned long long)fail_at);
        }
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
        cmocka_unit_test(test_bodies),     cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_bad_bodies), cmocka_unit_test(test_points),
        cmocka_unit_test(test_joints),     cmocka_unit_test(test_machines),
        cmocka_unit_test(test_motion),     cmocka_unit_test(test_joints_with_fixed_bodies),
        cmocka_unit_test(test_pinned),     cmocka_unit_test(test_save),
        cmocka_unit_test(test_save_later), cmocka_unit_test(test_save_changed),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

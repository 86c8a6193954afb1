/* Object types that are made of rigid bodies, and jelly: masses, sizes, joints, frames, and what they refuse. */
#include "support/support.h"

#include "scene/scene_fixture.h"

#include <math.h>

static const sn_object *only(const fixture *f)
{
    return sn_scene_object(f->scene, 0);
}

static double mass_of(const fixture *f)
{
    double sum = 0;
    for (uint32_t i = 0; i < only(f)->body_count; ++i)
        sum += (double)sn_body_mass(f->world, only(f)->body[i].handle);
    return sum;
}

static sn_vec3 place(const fixture *f, uint32_t i)
{
    return sn_body_centre(f->world, only(f)->body[i].handle);
}

/* ---- Mass ------------------------------------------------------------------------------------------------------------------ */

static void check_mass(const char *text, double mass)
{
    fixture f = fixture_good(text);
    assert_close(mass_of(&f), mass, 1e-4 * mass);
    fixture_close(&f);
}

/* That of the whole, by density, or what the type has by itself. */
static void test_masses(void **state)
{
    (void)state;
    check_mass("{'objects': [{'type': 'wall', 'columns': 3, 'rows': 2, 'gap': 0, 'brick': [1, 0.5, 0.25]}]}", 750);
    check_mass("{'objects': [{'type': 'wall', 'columns': 3, 'rows': 4, 'layers': 2, 'mass': 50}]}", 50);
    check_mass("{'objects': [{'type': 'wall', 'columns': 3, 'rows': 3, 'gap': 0, 'brick': [1, 1, 1], 'bond': 'pyramid',"
               " 'material': {'density': 10}, 'scale': 2}]}",
               6 * 80);
    check_mass("{'objects': [{'type': 'pile', 'shapes': 'mixed', 'mass': 7, 'scale': 3}]}", 7);
    check_mass("{'objects': [{'type': 'pile', 'columns': 1, 'rows': 1, 'layers': 2, 'size': [1, 2, 3]}]}", 12000);
    check_mass("{'objects': [{'type': 'body_chain', 'links': 5, 'mass': 10, 'bob': 3}]}", 13);
    check_mass(
        "{'objects': [{'type': 'body_chain', 'links': 4, 'link_length': 0.5, 'thickness': 0.1, 'shape': 'box'}]}", 20);
    check_mass("{'objects': [{'type': 'bridge', 'planks': 4, 'mass': 8}]}", 8);
    check_mass("{'objects': [{'type': 'ragdoll'}]}", 985 * 0.01306 * 1.8 * 1.8 * 1.8);
    check_mass("{'objects': [{'type': 'ragdoll', 'height': 1.2, 'mass': 30}]}", 30);
}

/* ---- Walls and piles ---------------------------------------------------------------------------------------------------------- */

/* Bricks of a row lie side by side, and those of a running bond end flush. */
static void test_wall(void **state)
{
    (void)state;
    fixture f =
        fixture_good("{'objects': [{'type': 'wall', 'columns': 3, 'rows': 2, 'gap': 0.1, 'brick': [1, 0.5, 0.25],"
                     " 'position': [5, 0, 0]}]}");
    assert_int_equal(only(&f)->body_count, 7);
    double end[2][2] = {{9, -9}, {9, -9}};
    for (uint32_t i = 0; i < 7; ++i) {
        int row = i >= 3;
        sn_body_def def;
        assert_ok(f.world, sn_body_read(f.world, only(&f)->body[i].handle, &def));
        double x = (double)place(&f, i).x - 5, half = (double)def.shapes[0].half.x;
        if (i > 0 && i != 3) /* beside the one before */
            assert_close(x - half - end[row][1], 0.1, 1e-5);
        end[row][0] = fmin(end[row][0], x - half);
        end[row][1] = x + half;
        assert_close(place(&f, i).y, row ? 0.75 : 0.25, 1e-6);
    }
    for (int row = 0; row < 2; ++row) {
        assert_close(end[row][0], -1.6, 1e-5);
        assert_close(end[row][1], 1.6, 1e-5);
    }
    assert_true(sn_world_group_contact(f.world, only(&f)->group).self);
    fixture_close(&f);
    f = fixture_good(
        "{'objects': [{'type': 'wall', 'contact': {'self': false}}]}"); /* whoever says so has the last word */
    assert_false(sn_world_group_contact(f.world, only(&f)->group).self);
    fixture_close(&f);
    f = fixture_good("{'objects': [{'type': 'wall', 'contact': {'material': {'friction': 1}}}]}");
    assert_true(sn_world_group_contact(f.world, only(&f)->group).self);
    fixture_close(&f);
}

/* None touches another, however it is turned, and another seed turns them another way. */
static void test_pile(void **state)
{
    (void)state;
    fixture f = fixture_good("{'world': {'gravity': [0, 0, 0]},  'objects': [{'type': 'pile',"
                             " 'shapes': 'boxes', 'size': [0.1, 0.3, 0.2]}]}");
    fixture g = fixture_good("{'objects': [{'type': 'pile', 'shapes': 'boxes', 'size': [0.1, 0.3, 0.2], 'seed': 2}]}");
    assert_int_equal(only(&f)->body_count, 96);
    sn_quat a = sn_body_rotation(f.world, only(&f)->body[0].handle),
            b = sn_body_rotation(g.world, only(&g)->body[0].handle);
    assert_true(a.x != b.x);
    sn_vec3 before = place(&f, 50);
    fixture_steps(&f, 10);
    assert_vec_close(place(&f, 50), before, 0);
    fixture_close_both(&g, &f);
}

/* Spheres are as near as their largest diameter allows, so that a pile of them falls into a box and stays there. */
static void test_pile_of_spheres(void **state)
{
    (void)state;
    fixture f =
        fixture_good("{'objects': [{'type': 'pile', 'shapes': 'spheres', 'size': [0.15, 0.15, 0.15], 'vary': 0.4,"
                     " 'position': [0, 0.2, 0], 'material': {'density': 500}},"
                     " {'type': 'container', 'name': 'box', 'size': [1, 0.8, 1], 'wall': 0.05}]}");
    assert_close(sn_vec3_length(sn_vec3_sub(place(&f, 1), place(&f, 0))), 1.02 * 1.4 * 0.15, 1e-6);
    fixture_steps(&f, 150);
    for (uint32_t i = 0; i < 96; ++i) {
        const sn_vec3 x = place(&f, i);
        assert_true(fabs((double)x.x) < 0.5 && fabs((double)x.z) < 0.5 && (double)x.y > 0 && (double)x.y < 0.9);
    }
    fixture_close(&f);
}

/* Sizes differ by the share that is asked, none touches another, the mass is still that of the density, and turns are those of
   a pile without it. */
static void test_varied_pile(void **state)
{
    (void)state;
    fixture f = fixture_good("{'world': {'gravity': [0, 0, 0]}, 'objects': [{'type': 'pile', 'vary': 0.4}]}");
    fixture g = fixture_good("{'world': {'gravity': [0, 0, 0]}, 'objects': [{'type': 'pile'}]}");
    double least = 9, most = 0, volume = 0;
    for (uint32_t i = 0; i < only(&f)->body_count; ++i) {
        sn_body_def def, plain;
        assert_ok(f.world, sn_body_read(f.world, only(&f)->body[i].handle, &def));
        double edge = 2 * (double)def.shapes[0].half.x;
        least = fmin(least, edge), most = fmax(most, edge), volume += edge * edge * edge;
        assert_ok(g.world, sn_body_read(g.world, only(&g)->body[i].handle, &plain));
        assert_true(def.rotation.x == plain.rotation.x && def.rotation.w == plain.rotation.w);
    }
    assert_true(least > 0.12 - 1e-6 && least < 0.13 && most < 0.28 + 1e-6 && most > 0.27);
    assert_close(mass_of(&f), 1000 * volume, 1e-3 * mass_of(&f));
    sn_vec3 before = place(&f, 50);
    fixture_steps(&f, 5);
    assert_vec_close(place(&f, 50), before, 0);
    fixture_close_both(&g, &f);
    check_mass("{'objects': [{'type': 'pile', 'vary': 0.7, 'shapes': 'mixed', 'mass': 7}]}", 7);
    assert_refused("{'objects': [{'type': 'pile', 'vary': 1}]}", "objects[0].vary", "0.9");
    f = fixture_good(
        "{'world': {'gravity': [0, 0, 0]}, 'objects': [{'type': 'grains', 'name': 'g', 'radius': 0.1, 'vary': 0.5,"
        " 'material': {'density': 100}, 'contact': {'self': true}}]}");
    double mass = 0;
    least = 9, most = 0, volume = 0;
    for (uint32_t i = 0; i < 1000; ++i) {
        double r = (double)sn_particle_radius(f.world, sn_particle_from_index(f.world, i));
        least = fmin(least, r), most = fmax(most, r), volume += 4 * SN_PI / 3 * r * r * r;
        mass += (double)fixture_mass(&f, i);
    }
    assert_true(least > 0.05 - 1e-6 && least < 0.052 && most < 0.15 + 1e-6 && most > 0.148);
    assert_close(mass, 100 * volume, 1e-3 * mass);
    g = fixture_again(f.scene);
    assert_true(sn_world_hash(f.world) == sn_world_hash(g.world));
    fixture_steps(&f, 3);
    for (uint32_t i = 0; i < 1000; ++i) /* nothing pushes */
        assert_vec_close(fixture_place(&f, i), fixture_place(&g, i), 0);
    fixture_close_both(&g, &f);
}

/* What falls into it stays in it: grains and bodies, in boxes and prisms, turned and scaled, saved and loaded. */
static void test_container(void **state)
{
    (void)state;
    static const char *const kinds[] = {"'size': [0.6, 1, 0.4]", "'sides': 3, 'size': [0.6, 1, 1]",
                                        "'sides': 12, 'size': [0.6, 1, 1]",
                                        "'size': [0.3, 0.5, 0.3], 'scale': 2, 'turn': {'angle': 0.5}"};
    for (size_t i = 0; i < COUNT_OF(kinds); ++i) {
        char text[700];
        snprintf(text, sizeof text,
                 "{'world': {'substeps': 8}, 'objects': [{'type': 'container', 'name': 'bin', 'wall': 0.2, %s},"
                 " {'type': 'grains', 'name': 'peas', 'radius': 0.04, 'columns': 3, 'rows': 4, 'layers': 3, 'position':"
                 " [0, 0.25, 0], 'mass': 1, 'contact': {'self': true}}, {'type': 'pile', 'columns': 2, 'layers': 2,"
                 " 'rows': 2, 'size': [0.06, 0.06, 0.06], 'position': [0, 0.5, 0]}]}",
                 kinds[i]);
        fixture first = fixture_good(text), f = fixture_again(first.scene);
        fixture_steps(&f, 90);
        for (uint32_t k = 0; k < sn_scene_object(f.scene, 1)->run.count; ++k) {
            sn_vec3 at = fixture_place(&f, sn_scene_object(f.scene, 1)->run.first + k);
            assert_true((double)at.y > 0.03 && hypot((double)at.x, (double)at.z) < 0.6 && (double)at.y < 1);
        }
        for (uint32_t k = 0; k < 8; ++k) {
            sn_vec3 at = sn_body_centre(f.world, sn_scene_object(f.scene, 2)->body[k].handle);
            assert_true((double)at.y > 0.02 && hypot((double)at.x, (double)at.z) < 0.6 && (double)at.y < 1);
        }
        fixture_close_both(&f, &first);
    }
    /* without a floor things fall out, and under a lid nothing comes in */
    fixture f =
        fixture_good("{'objects': [{'type': 'container', 'bottomless': true}, {'type': 'container', 'lid': true,"
                     " 'position': [3, 0, 0]}, {'type': 'particles', 'name': 'p', 'positions': [0,0.5,0, 3,2,0],"
                     " 'radius': 0.05}]}");
    uint32_t drop = sn_scene_object(f.scene, 2)->run.first;
    fixture_steps(&f, 90);
    assert_true((double)fixture_place(&f, drop).y < -1);
    assert_close(fixture_place(&f, drop + 1).y, 1.15, 0.01);
    fixture_close(&f);
    assert_refused("{'objects': [{'type': 'container', 'size': [1, 0, 1]}]}", "objects[0].size", "more than 0");
    assert_refused("{'objects': [{'type': 'container', 'sides': 2}]}", "objects[0].sides", "3 32");
    assert_refused("{'objects': [{'type': 'container', 'wall': 0}]}", "objects[0].wall", "more");
    assert_refused("{'world': {'dimensions': 2}, 'objects': [{'type': 'container'}]}", "objects[0]",
                   "three dimensions");
}

/* ---- Chains, bridges, jelly ------------------------------------------------------------------------------------------------------ */

/* It hangs as long as it is, and its hook carries all of it. */
static void test_chain(void **state)
{
    (void)state;
    fixture f = fixture_good(
        "{'world': {'substeps': 40, 'damping': 1}, 'objects': [{'type': 'body_chain', 'name': 'c', 'links':"
        " 6, 'link_length': 0.3, 'mass': 6, 'bob': 4, 'bob_radius': 0.2, 'turn': {'axis': [0, 0, 1],"
        " 'angle': 0.2}, 'position': [0, 5, 0]}], 'record': {'forces': ['c.hook', 'c.joints']}}");
    assert_int_equal(sn_world_constraint_count(f.world, SN_KIND_JOINT_BALL), 7);
    sn_trace_list traces = sn_scene_traces(f.scene);
    assert_int_equal(traces.constraint_count, 7);
    fixture_steps(&f, 300);
    double sum = 0;
    for (int i = 0; i < 60; ++i) {
        fixture_steps(&f, 1);
        sum += (double)sn_constraint_force(f.world, traces.constraint[0].constraint).magnitude / 60;
    }
    assert_close(sum, 98.1, 0.02 * 98.1);
    assert_close(place(&f, 6).y, 5 - 1.8 - 0.2, 0.02);
    fixture_close(&f);
    f = fixture_good("{'objects': [{'type': 'body_chain', 'held': false}]}");
    assert_int_equal(sn_world_constraint_count(f.world, SN_KIND_NONE), 9);
    fixture_close(&f);
}

/* The ends carry planks and ropes, whatever frame it is in. */
static void test_bridge(void **state)
{
    (void)state;
    fixture f =
        fixture_good("{'world': {'substeps': 30, 'damping': 1}, 'objects': [{'type': 'bridge', 'planks': 5, 'turn':"
                     " {'axis': [0, 1, 0], 'angle': 1}, 'scale': 1.5, 'position': [1, 2, 3]}]}");
    const sn_object *bridge = only(&f);
    assert_int_equal(bridge->run.count, 14);
    assert_int_equal(sn_world_constraint_count(f.world, SN_KIND_DISTANCE_MAX), 12 + 12 + 10);
    sn_vec3 start = place(&f, 2);
    assert_vec_close(start, vec(1, 2, 3), 1e-5);
    fixture_steps(&f, 240);
    assert_true(place(&f, 2).y < start.y && place(&f, 2).y > start.y - 1);
    sn_report report;
    assert_ok(f.world, sn_world_report(f.world, &report));
    assert_true(report.kinetic < 0.1);
    fixture_close(&f);
    f = fixture_good("{'objects': [{'type': 'bridge', 'rail': 0, 'planks': 3}]}");
    assert_int_equal(only(&f)->run.count, 0);
    assert_int_equal(sn_world_constraint_count(f.world, SN_KIND_NONE), 8);
    fixture_close(&f);
}

/* One piece, wherever it is: clusters that had nothing in common would let it fall apart. */
static void test_jelly(void **state)
{
    (void)state;
    for (int i = 0; i < 8; ++i) {
        char text[400];
        snprintf(
            text, sizeof text,
            "{'bodies': [{'type': 'static', 'shapes': {'type': 'plane'}}], 'objects': [{'type': 'jelly', 'width': 0.6, "
            "'height': 0.6, 'depth': "
            "0.6,"
            " 'position': [0.1, %.9g, 0.3], 'match': '%s', 'radius': 0.03, 'turn': {'axis': [1, 2, 3], 'angle': %g}}]}",
            1 + 0.2 * i, i % 2 ? "linear" : "quadratic", i < 4 ? 0.0 : 0.3 * i);
        fixture f = fixture_good(text);
        fixture_steps(&f, support_rounds(60, 30));
        double gap = support_gap(fixture_place(&f, 0), fixture_place(&f, 215));
        assert_close(gap, 0.6 * sqrt(3), 0.2);
        fixture_close(&f);
    }
}

/* ---- The ragdoll ---------------------------------------------------------------------------------------------------------------- */

/* Its joints are closed and within their limits in either pose, its pieces do not start to move apart, and it stands where the
   figure of particles does: the soles on the ground, the top of the head at its height. */
static void check_ragdoll(const char *pose)
{
    char text[200];
    snprintf(text, sizeof text, "{'world': {'gravity': [0, 0, 0]}, 'objects': [{'type': 'ragdoll', 'pose': '%s'}]}",
             pose);
    fixture f = fixture_good(text);
    assert_int_equal(only(&f)->body_count, 16);
    assert_int_equal(sn_world_constraint_count(f.world, SN_KIND_NONE), 15);
    sn_constraint_walk walk = {0};
    while (sn_constraint_next(f.world, &walk)) {
        sn_real value[SN_MAX_ROWS];
        assert_ok(f.world, sn_constraint_value(f.world, walk.constraint, value));
        for (int row = 0; row < 3; ++row) /* along axes */
            assert_close(value[row], 0, 1e-5);
    }
    sn_vec3 head = place(&f, 3);
    fixture_steps(&f, 60);
    assert_vec_close(place(&f, 3), head, 1e-3);
    sn_report report;
    assert_ok(f.world, sn_world_report(f.world, &report));
    assert_true(report.kinetic < 1e-3);
    fixture_close(&f);
}

static void test_ragdoll(void **state)
{
    (void)state;
    check_ragdoll("standing");
    check_ragdoll("arms_out");
    fixture f = fixture_good("{'objects': [{'type': 'ragdoll', 'height': 2}]}");
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < 16; ++i) {
        sn_body_def def;
        assert_ok(f.world, sn_body_read(f.world, only(&f)->body[i].handle, &def));
        const sn_shape_def *s = &def.shapes[0];
        double reach = (double)(s->half.y + s->radius + s->rounding); /* none of them lies down */
        low = fmin(low, (double)def.position.y - reach);
        high = fmax(high, (double)def.position.y + reach);
    }
    assert_close(low, 0, 1e-5);
    assert_close(high, 2, 1e-5);
    fixture_close(&f);
}

/* Four figures that were thrown to the ground come to rest there, and sleep. (One of them may take longer: a limb slides.) */
static void test_ragdolls_sleep(void **state)
{
    (void)state;
    fixture f = fixture_good(
        "{'contact': {'sleep': true}, 'bodies': [{'name': 'floor', 'type': 'static', 'shapes': {'type': 'plane'}}], "
        "'objects': ["
        "{'type': 'ragdoll', 'name': 'a', 'position': [0, 0.5, 0], 'spin': [2, 0, 0]},"
        "{'type': 'ragdoll', 'name': 'b', 'position': [4, 0.8, 0], 'spin': [-3, 1, 1], 'pose': 'arms_out'},"
        "{'type': 'ragdoll', 'name': 'c', 'position': [8, 1, 0], 'spin': [0, 2, 3]},"
        "{'type': 'ragdoll', 'name': 'd', 'position': [12, 0.3, 0], 'velocity': [1, 0, 1], 'spin': [1, 0, -2]}]}");
    fixture_steps(&f, 900);
    uint32_t awake = sn_world_awake_count(f.world);
    if (awake > 16)
        fail_msg("%u of 64 bodies are awake", awake);
    fixture_close(&f);
}

/* Muscles hold the pose: hung up by its head it keeps its arms out; limp, it lets them drop. */
static void test_muscles(void **state)
{
    (void)state;
    double drop[2];
    for (int i = 0; i < 2; ++i) {
        char text[300];
        snprintf(text, sizeof text,
                 "{'world': {'substeps': 20}, 'objects': [{'type': 'ragdoll', 'name': 'd', 'pose': 'arms_out',"
                 " 'pins': ['head'], 'muscle': %d, 'muscle_stiffness': 1000}]}",
                 i ? 300 : 0);
        fixture f = fixture_good(text);
        sn_vec3 start = place(&f, 8);
        fixture_steps(&f, 90);
        drop[i] = (double)(start.y - place(&f, 8).y);
        fixture_close(&f);
    }
    assert_true(drop[0] > 0.4 && drop[1] < 0.25);
}

/* ---- What is refused --------------------------------------------------------------------------------------------------------------- */

static void test_refused(void **state)
{
    (void)state;
    static const fixture_bad bads[] = {
        {"'wall', 'columns': 0", ".columns", "0 1"},
        {"'wall', 'columns': 1000000, 'rows': 1000", "", "1e+09 bricks"},
        {"'wall', 'brick': [1, 0, 1]", ".brick", "0"},
        {"'wall', 'bond': 'pyramid', 'columns': 2, 'rows': 3", ".rows", "3 2 columns pyramid"},
        {"'wall', 'gap': 0.5", ".gap", "0.5 less"},
        {"'wall', 'rounding': 0.1", ".rounding", "0.1 quarter"},
        {"'pile', 'size': [1, 1, 0]", ".size", "0"},
        {"'pile', 'columns': 1000, 'rows': 1000, 'layers': 10", "", "1e+07 bodies"},
        {"'pile', 'spacing': 0", ".spacing", "0"},
        {"'pile', 'shapes': 'bxoes'", ".shapes", "mean 'boxes'"},
        {"'body_chain', 'links': 0", ".links", "0 1"},
        {"'body_chain', 'direction': [0, 0, 0]", ".direction", "no length"},
        {"'body_chain', 'thickness': 0.3", ".thickness", "0.3 less 0.2"},
        {"'bridge', 'planks': 0", ".planks", "0 1"},
        {"'bridge', 'gap': 0", ".gap", "0"},
        {"'bridge', 'plank': [1, 0, 1]", ".plank", "0"},
        {"'ragdoll', 'height': 0", ".height", "0"},
        {"'ragdoll', 'muscle': 10, 'muscle_stiffness': 0", ".muscle_stiffness", "0 more"},
        {"'jelly', 'cluster': 0.1", ".cluster", "0.1 0.5 apart"},
        {"'jelly', 'firmness': 0", ".firmness", "0"},
        {"'jelly', 'beta': 2", ".beta", "2 0 to 1"},
        {"'jelly', 'layers': 1", ".layers", "1 2"},
        {"'ragdoll', 'pins': 'haed'", ".pins", "mean 'head'"},
    };
    assert_all_refused("{'objects': [{'type': %s}]}", "objects[0]", bads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_masses),          cmocka_unit_test(test_wall),           cmocka_unit_test(test_pile),
        cmocka_unit_test(test_pile_of_spheres), cmocka_unit_test(test_varied_pile),    cmocka_unit_test(test_container),
        cmocka_unit_test(test_chain),           cmocka_unit_test(test_bridge),         cmocka_unit_test(test_jelly),
        cmocka_unit_test(test_ragdoll),         cmocka_unit_test(test_ragdolls_sleep), cmocka_unit_test(test_muscles),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

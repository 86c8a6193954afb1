/* The scenes with rigid bodies: what they say about physics is true. That they load, run and come back is in test_scenes.c. */
#include "support/support.h"

#include "scene/load.h"

#include <math.h>

#define GRAVITY 9.81

static sn_scene *load(const char *name, sn_loaded *loaded)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s.json", SINEW_SCENES_DIR, name);
    sn_load_options options = sn_default_load_options();
    if (!sn_scene_load(path, &options, loaded)) {
        for (const sn_problem *p = loaded->problems.first; p; p = p->next)
            sn_loaded_print(loaded, p, stderr);
        fail_msg("%s does not load", path);
    }
    return loaded->scene;
}

static void step(sn_scene *scene, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; ++i)
        if (sn_scene_step(scene) != SN_OK)
            fail_msg("frame %u: %s", i, sn_world_error(sn_scene_world(scene)));
}

static sn_body body(const sn_scene *scene, const char *object, uint32_t i)
{
    const sn_object *o = sn_scene_find_object(scene, object);
    assert_non_null(o);
    assert_true(i < o->body_count);
    return o->body[i].handle;
}

static sn_vec3 centre(sn_scene *scene, const char *name)
{
    return sn_body_centre(sn_scene_world(scene), body(scene, name, 0));
}

static sn_report report(sn_scene *scene)
{
    sn_report r;
    assert_ok(sn_scene_world(scene), sn_world_report(sn_scene_world(scene), &r));
    return r;
}

static sn_constraint traced(const sn_scene *scene, uint32_t i)
{
    sn_trace_list traces = sn_scene_traces(scene);
    assert_true(i < traces.constraint_count);
    return traces.constraint[i].constraint;
}

/* "a box that is put on a belt of speed v slides for v / (mu g), and rides along", "three belts hand boxes on", and "the cart drives
   itself" */
static void test_conveyor(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load("conveyor", &loaded);
    const sn_world *world = sn_scene_world(scene);
    const double v = 1.2, slides = v / (0.5 * GRAVITY);
    step(scene, 30);
    assert_close(sn_body_velocity(world, body(scene, "box1", 0)).x, v, 0.01);
    assert_close(centre(scene, "box1").x, -3.2 + v * (0.5 - slides / 2), 0.01);
    assert_close(sn_body_velocity(world, body(scene, "cart", 0)).x, 0.8, 0.01);
    step(scene, 170);
    for (int i = 0; i < 2;
         ++i) { /* box2 and box3 came up the ramp and are on the last belt, 1.2 m high, which turns them towards z */
        const char *name = i ? "box3" : "box2";
        assert_true((double)centre(scene, name).y > 1.3 && (double)centre(scene, name).x > 1);
        assert_true((double)sn_body_velocity(world, body(scene, name, 0)).z > 0.5);
    }
    step(scene, 280);
    assert_close(centre(scene, "cart").x, -3 + 0.8 * (8 - 0.8 / (0.6 * GRAVITY) / 2), 0.02);
    sn_loaded_release(&loaded);
}

/* "it takes 2 pi sqrt(2 l / 3 g) = 1.64 s to and fro" and "comes to rest" */
static void test_joint_ball(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load("joint_ball", &loaded);
    double before = 0, first = 0, last = 0;
    int swings = -1;
    for (uint32_t i = 1; i <= 360; ++i) {
        step(scene, 1);
        double x = (double)centre(scene, "plane").x + 1;
        if (before < 0 && x >= 0) { /* through the middle, from the left */
            last = (i - 1 + before / (before - x)) / 60;
            first = swings < 0 ? last : first;
            ++swings;
        }
        before = x;
    }
    assert_true(swings >= 2);
    assert_close((last - first) / swings, 2 * SN_PI * sqrt(2 / (3 * GRAVITY)), 0.02);
    sn_vec3 stiff = centre(scene, "stiff");
    assert_true(sqrt(pow((double)stiff.x - 1, 2) + pow((double)stiff.z, 2)) < 0.06);
    sn_loaded_release(&loaded);
}

/* "opens by 1.6 rad and no farther" and "falls shut again" */
static void test_hinge_door(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load("hinge_door", &loaded);
    double most = 0, least = 0;
    for (int i = 0; i < 480; ++i) {
        step(scene, 1);
        double angle = (double)sn_joint_angle(sn_scene_world(scene), traced(scene, 0));
        most = fmax(most, angle);
        least = fmin(least, angle);
    }
    assert_true(most > 0.5 && most < 1.61 && least > -0.01);
    assert_close(sn_joint_angle(sn_scene_world(scene), traced(scene, 0)), 0, 0.01);
    sn_loaded_release(&loaded);
}

/* "reaches the stop after 1.5 m with an acceleration of g sin 0.5; the second takes sqrt 2 times as long; 0.5 m/s" */
static void test_slider_ramp(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load("slider_ramp", &loaded);
    double time[2] = {0, 0}, pull = GRAVITY * sin(0.5);
    for (int i = 1; i <= 150; ++i) {
        step(scene, 1);
        for (uint32_t k = 0; k < 2; ++k)
            if (time[k] == 0 && sn_joint_way(sn_scene_world(scene), traced(scene, k)) > (sn_real)1.4999)
                time[k] = i / 60.0;
        if (i == 60)
            assert_close(sn_joint_way(sn_scene_world(scene), traced(scene, 2)), -0.5, 0.02);
    }
    assert_close(time[0], sqrt(3 / pull), 0.03);
    assert_close(time[1], sqrt(6 / pull), 0.03);
    assert_close(sn_joint_way(sn_scene_world(scene), traced(scene, 0)), 1.5, 1e-3);
    sn_loaded_release(&loaded);
}

static void test_cone_twist_arm(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load("cone_twist_arm", &loaded);
    step(scene, 360);
    assert_close(sn_joint_swing(sn_scene_world(scene), traced(scene, 0)), 0.6, 0.005);
    assert_true(sn_joint_swing(sn_scene_world(scene), traced(scene, 1)) > 1);
    /* a spring of 100 N m/rad against 3 kg at 0.35 m */
    double lean = (double)sn_joint_swing(sn_scene_world(scene), traced(scene, 2));
    assert_close(100 * lean, 3 * GRAVITY * 0.35 * cos(lean), 0.2);
    sn_loaded_release(&loaded);
}

/* "The beam carries its own weight; a weight that falls on its end is too much." */
static void test_breaking_beam(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load("breaking_beam", &loaded);
    sn_world *world = sn_scene_world(scene);
    step(scene, 54); /* the weight is about to land */
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_JOINT_FIXED), 6);
    assert_true(centre(scene, "b6").y > 1.9f);
    step(scene, 60);
    assert_true(sn_world_constraint_count(world, SN_KIND_JOINT_FIXED) < 6);
    assert_true(centre(scene, "b6").y < 1);
    sn_loaded_release(&loaded);
}

/* "its centre of mass stays above the same place" */
static void test_nothing_holds_along(void **state)
{
    (void)state;
    static const char *const names[] = {"point_on_line", "point_in_plane"}, *const bodies[] = {"body", "top"};
    for (int i = 0; i < 2; ++i) {
        sn_loaded loaded;
        sn_scene *scene = load(names[i], &loaded);
        sn_vec3 start = centre(scene, bodies[i]);
        double energy = report(scene).kinetic + report(scene).potential;
        step(scene, 240);
        sn_vec3 end = centre(scene, bodies[i]);
        assert_close((double)end.x, (double)start.x, 2e-3);
        assert_close((double)end.z, (double)start.z, 2e-3);
        sn_report r = report(scene);
        assert_close(r.kinetic + r.potential, energy, 0.03 * energy);
        assert_true(r.kinetic + r.potential < 1.001 * energy);
        sn_loaded_release(&loaded);
    }
}

/* "until it meets its limit at 2 rad", "0.535 rad", "the third keeps turning" */
static void test_motor_with_limit(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load("motor_with_limit", &loaded);
    sn_world *world = sn_scene_world(scene);
    step(scene, 300);
    assert_close(sn_joint_angle(world, traced(scene, 0)), 2, 2e-3);
    assert_close(sn_joint_angle(world, traced(scene, 1)), asin(5 / GRAVITY), 0.02);
    assert_close(sn_body_spin(world, body(scene, "endless", 0)).z, 3, 0.02);
    sn_loaded_release(&loaded);
}

/* "at m g r / (I w), here once in 9.6 s" */
static void test_gyroscope(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load("gyroscope", &loaded);
    step(scene, 300);
    sn_vec3 x = centre(scene, "disc");
    double angle = atan2(-(double)x.z, (double)x.x), wanted = 2 * GRAVITY * 0.25 / (0.05 * 150) * 5;
    angle += angle < 0 ? 2 * SN_PI : 0;
    assert_close(angle, wanted, 0.02 * wanted);
    assert_close((double)x.y, 1, 0.02);
    sn_loaded_release(&loaded);
}

/* "flips over again and again"; "a second one stays as it is"; "Energy and angular momentum are kept" */
static void test_tumbling_handle(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load("tumbling_handle", &loaded);
    sn_world *world = sn_scene_world(scene);
    sn_report start = report(scene);
    int flips = 0;
    double side = 1, steady = 1;
    for (int i = 0; i < 900; ++i) {
        step(scene, 1);
        sn_vec3 a = sn_body_to_world(world, body(scene, "tumbling", 0), vec(0, 1, 0)),
                b = sn_body_position(world, body(scene, "tumbling", 0));
        sn_vec3 c = sn_body_to_world(world, body(scene, "steady", 0), vec(0, 0, 1)),
                d = sn_body_position(world, body(scene, "steady", 0));
        if (side * (double)(a.y - b.y) < -0.9) {
            side = -side;
            ++flips;
        }
        steady = fmin(steady, (double)(c.z - d.z));
    }
    assert_true(flips >= 2);
    assert_true(steady > 0.99);
    sn_report end = report(scene);
    assert_close(end.kinetic, start.kinetic, 1e-3 * start.kinetic);
    for (int i = 0; i < 3; ++i)
        assert_close(end.angular_momentum[i], start.angular_momentum[i], 1e-4);
    sn_loaded_release(&loaded);
}

/* "none of them moves", "come to rest at once and stay" */
static void test_towers_stand(void **state)
{
    (void)state;
    static const char *const names[] = {"box_tower", "pyramid"}, *const objects[] = {"tower", "pyramid"};
    for (int i = 0; i < 2; ++i) {
        sn_loaded loaded;
        sn_scene *scene = load(names[i], &loaded);
        const sn_object *object = sn_scene_find_object(scene, objects[i]);
        sn_body top = object->body[object->body_count - 1].handle;
        sn_vec3 start = sn_body_centre(sn_scene_world(scene), top);
        step(scene, support_rounds(300, 100));
        assert_vec_close(sn_body_centre(sn_scene_world(scene), top), start, 0.01);
        assert_true(report(scene).kinetic < 1e-3);
        sn_loaded_release(&loaded);
    }
}

/* "come to rest": little is left of the energy of the fall. */
static void test_what_falls_comes_to_rest(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t frames;
        double left; /* J */
    } scenes[] = {{"box_pile", 360, 0.5}, {"ragdoll_stairs", 360, 1}, {"crate_in_hammock", 360, 1}};
    for (size_t i = 0; i < COUNT_OF(scenes); ++i) {
        sn_loaded loaded;
        sn_scene *scene = load(scenes[i].name, &loaded);
        sn_report start = report(scene);
        double most = 0;
        for (uint32_t k = 0; k < scenes[i].frames; ++k) {
            step(scene, 1);
            sn_report r = report(scene);
            most = fmax(most, r.kinetic + r.potential);
        }
        assert_true(most < 1.01 * (start.kinetic + start.potential)); /* nothing explodes on the way */
        assert_true(report(scene).kinetic < scenes[i].left);
        if (strcmp(scenes[i].name, "crate_in_hammock") == 0) /* the net carries it well above the floor */
            assert_true(centre(scene, "crate").y > 0.5f);
        sn_loaded_release(&loaded);
    }
}

/* Nobody goes through a plank, and planks hold together. */
static void test_bridge_of_planks(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load("bridge_of_planks", &loaded);
    step(scene, 360);
    assert_true(centre(scene, "crate1").y > 1);
    sn_report r = report(scene);
    const sn_kind_report *ties = sn_report_kind(&r, SN_KIND_DISTANCE_MAX);
    assert_true(ties && ties->largest < 0.01);
    sn_loaded_release(&loaded);
}

/* The ball swings without gaining energy, and knocks bricks off. */
static void test_wrecking_ball(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load("wrecking_ball", &loaded);
    sn_report start = report(scene);
    step(scene, 55); /* just before it hits */
    sn_report r = report(scene);
    assert_close(r.kinetic + r.potential, start.kinetic + start.potential, 0.01 * start.potential);
    step(scene, support_rounds(145, 30));
    const sn_object *wall = sn_scene_find_object(scene, "wall");
    uint32_t moved = 0;
    for (uint32_t i = 0; i < wall->body_count; ++i)
        moved += fabs((double)sn_body_centre(sn_scene_world(scene), wall->body[i].handle).x - 0.6) > 0.2;
    assert_true(moved > 3);
    r = report(scene);
    assert_true(r.kinetic + r.potential < start.kinetic + start.potential);
    sn_loaded_release(&loaded);
}

/* ---- Jelly ---------------------------------------------------------------------------------------------------------------- */

static double gap(sn_scene *scene, const char *object, uint32_t a, uint32_t b)
{
    const sn_object *o = sn_scene_find_object(scene, object);
    sn_world *world = sn_scene_world(scene);
    return support_gap(sn_particle_position(world, sn_particles_at(o->run, a)),
                       sn_particle_position(world, sn_particles_at(o->run, b)));
}

/* The largest error of the three edges at each of two opposite corners, as a share. */
static double dent(sn_scene *scene, const char *object)
{
    static const uint32_t edge[][2] = {{0, 5}, {0, 30}, {0, 180}, {215, 210}, {215, 185}, {215, 35}};
    double most = 0;
    for (size_t i = 0; i < COUNT_OF(edge); ++i)
        most = fmax(most, fabs(gap(scene, object, edge[i][0], edge[i][1]) / 0.6 - 1));
    return most;
}

static void test_jelly_cubes(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load("jelly_cubes", &loaded);
    double dented = 0;
    for (uint32_t i = 0; i < support_long(12, 7); ++i) {
        step(scene, 30);
        dented = fmax(dented, dent(scene, "plastic"));
        assert_true(dent(scene, "firm") < 0.2 && dent(scene, "linear") < 0.5 && dent(scene, "quadratic") < 0.5);
    }
    assert_true(dented > 0.01);
    assert_true(dent(scene, "plastic") > 0.005 && dent(scene, "firm") < 0.02);
    sn_loaded_release(&loaded);
}

/* Four figures that fell on each other come to rest: no joint drives what it should hold back, and what only trembles sleeps. */
static void a_heap_of_figures_sleeps(void **state)
{
    (void)state;
    static const char text[] = "{\"contact\": {\"sleep\": true}, \"bodies\": [{\"type\": \"static\", \"shapes\": "
                               "{\"type\": \"plane\"}}], \"objects\": ["
                               "{\"type\": \"ragdoll\", \"position\": [0, 1.2, 0], \"spin\": [0.7, 0.3, 0.5]},"
                               "{\"type\": \"ragdoll\", \"position\": [0.3, 2.7, 0], \"spin\": [-0.7, 0.3, 0.5]},"
                               "{\"type\": \"ragdoll\", \"position\": [0, 4.2, 0.2], \"spin\": [0.7, 0.3, 0.5]},"
                               "{\"type\": \"ragdoll\", \"position\": [0.3, 5.7, 0.2], \"spin\": [-0.7, 0.3, 0.5]}]}";
    sn_loaded loaded;
    sn_load_options options = sn_default_load_options();
    assert_true(sn_scene_load_text("heap", text, sizeof text - 1, &options, &loaded));
    uint32_t frames = 0, most = 20 * 60;
    for (; frames < most && sn_world_awake_count(sn_scene_world(loaded.scene)) > 0; frames += 60)
        step(loaded.scene, 60);
    assert_true(frames < most);
    sn_loaded_release(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conveyor),
        cmocka_unit_test(test_joint_ball),
        cmocka_unit_test(test_hinge_door),
        cmocka_unit_test(test_slider_ramp),
        cmocka_unit_test(test_cone_twist_arm),
        cmocka_unit_test(test_breaking_beam),
        cmocka_unit_test(test_nothing_holds_along),
        cmocka_unit_test(test_motor_with_limit),
        cmocka_unit_test(test_gyroscope),
        cmocka_unit_test(test_tumbling_handle),
        cmocka_unit_test(test_towers_stand),
        cmocka_unit_test(test_what_falls_comes_to_rest),
        cmocka_unit_test(test_bridge_of_planks),
        cmocka_unit_test(test_wrecking_ball),
        cmocka_unit_test(test_jelly_cubes),
        cmocka_unit_test(a_heap_of_figures_sleeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

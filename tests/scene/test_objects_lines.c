/* Objects of lines: particles, rope, chain, net, pendulum, box and figure. What a text describes is there, weighs what it
   should and holds; what a mesh is cut into does not matter; wrong numbers are refused by name. */
#include "support/support.h"

#include "scene/json.h"
#include "scene/objects/box.h"
#include "scene/objects/chain.h"
#include "scene/objects/figure.h"
#include "scene/objects/net.h"
#include "scene/objects/particles.h"
#include "scene/objects/pendulum.h"
#include "scene/objects/rope.h"
#include "scene/scene.h"

#include <math.h>

#define GRAVITY 9.81

/* ---- Scenes from a text ------------------------------------------------------------------------------------------------ */

static void read_document(sn_document *document, const char *text)
{
    char message[300];
    sn_document_init(document, NULL);
    if (!sn_json_read(document, text, strlen(text), NULL, message, sizeof message))
        fail_msg("%s in %s", message, text);
}

/* The scene of a document of one object, in braces, and of what the world is like, in braces. */
static sn_scene *try_scene(const char *world, const char *object, const sn_scene_options *options,
                           sn_problems *problems)
{
    char text[4000];
    snprintf(text, sizeof text, "{\"world\": %s, \"objects\": [%s]}", world, object);
    sn_document document;
    read_document(&document, text);
    sn_scene *scene = sn_scene_create(&document, options, problems);
    sn_document_release(&document);
    return scene;
}

static sn_scene *scene_in(const char *world, const char *object)
{
    sn_problems problems;
    sn_problems_init(&problems, NULL);
    sn_scene *scene = try_scene(world, object, NULL, &problems);
    if (!scene)
        fail_msg("%s: %s in %s", problems.first->path, problems.first->text, object);
    sn_problems_release(&problems);
    return scene;
}

static sn_scene *scene_of(const char *object)
{
    return scene_in("{}", object);
}

static const sn_object *first_of(const sn_scene *scene)
{
    const sn_object *object = sn_scene_object(scene, 0);
    assert_non_null(object);
    return object;
}

/* The text is refused, at this path, in these words. */
static void check_refused(const char *world, const char *object, const char *path, const char *words)
{
    sn_problems problems;
    sn_problems_init(&problems, NULL);
    sn_scene *scene = try_scene(world, object, NULL, &problems);
    if (scene)
        fail_msg("accepted: %s", object);
    assert_int_equal(problems.errors, 1);
    if (strcmp(problems.first->path, path) != 0)
        fail_msg("path %s instead of %s: %s", problems.first->path, path, problems.first->text);
    assert_says(problems.first->text, words);
    sn_problems_release(&problems);
}

/* ---- Looking at objects ------------------------------------------------------------------------------------------------ */

static sn_vec3 place_of(sn_scene *scene, const sn_object *object, uint32_t i)
{
    return sn_particle_position(sn_scene_world(scene), sn_particles_at(object->run, i));
}

static double mass_at(sn_scene *scene, const sn_object *object, uint32_t i)
{
    return (double)sn_particle_mass(sn_scene_world(scene), sn_particles_at(object->run, i));
}

static double mass_of(sn_scene *scene, const sn_object *object)
{
    double sum = 0;
    for (uint32_t i = 0; i < object->run.count; ++i)
        sum += isinf(mass_at(scene, object, i)) ? 0 : mass_at(scene, object, i);
    return sum;
}

static const sn_part *part_of(const sn_object *object, const char *name)
{
    for (uint32_t i = 0; i < object->part_count; ++i)
        if (strcmp(object->part[i].name, name) == 0)
            return &object->part[i];
    fail_msg("no part %s", name);
    return NULL;
}

static uint32_t in_part(const sn_part *part, uint32_t i)
{
    assert_true(i < part->count);
    return part->index ? part->index[i] : part->first + i;
}

/* The first particle of a part, by its number in the object and as it is in the world. */
static uint32_t number_of(const sn_object *object, const char *part)
{
    return in_part(part_of(object, part), 0);
}

static sn_vec3 place_of_part(sn_scene *scene, const sn_object *object, const char *part)
{
    return place_of(scene, object, number_of(object, part));
}

static sn_constraints hold_of(const sn_object *object, const char *name)
{
    for (uint32_t i = 0; i < object->hold_count; ++i)
        if (strcmp(object->hold[i].name, name) == 0)
            return object->hold[i].run;
    fail_msg("no constraints %s", name);
    return (sn_constraints){0, 0, 0, 0};
}

static sn_constraint_def constraint_at(sn_scene *scene, sn_constraints run, uint32_t i)
{
    sn_constraint_def def;
    sn_point points[SN_MAX_POINTS];
    assert_ok(sn_scene_world(scene),
              sn_constraint_read(sn_scene_world(scene), sn_constraints_at(run, i), &def, points, SN_MAX_POINTS));
    return def;
}

static void pin(sn_scene *scene, const sn_object *object, uint32_t i)
{
    sn_world *world = sn_scene_world(scene);
    assert_ok(world, sn_particle_set_mass(world, sn_particles_at(object->run, i), SN_IMMOVABLE));
}

static void run(sn_scene *scene, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; ++i)
        assert_ok(sn_scene_world(scene), sn_scene_step(scene));
}

/* The largest residual of a kind, in the unit of C. */
static double worst(sn_scene *scene, uint32_t kind)
{
    sn_report report;
    assert_ok(sn_scene_world(scene), sn_world_report(sn_scene_world(scene), &report));
    const sn_kind_report *found = sn_report_kind(&report, kind);
    assert_non_null(found);
    return found->largest;
}

static double energy(sn_scene *scene)
{
    sn_report report;
    assert_ok(sn_scene_world(scene), sn_world_report(sn_scene_world(scene), &report));
    return report.kinetic + report.potential + report.elastic;
}

/* ---- Particles ----------------------------------------------------------------------------------------------------------- */

static void test_particles_hold_what_they_are_given(void **state)
{
    (void)state;
    sn_scene *scene = scene_of(
        "{\"type\": \"particles\", \"positions\": [0, 0, 0, 1, 0, 0, 0, 1, 0.25], \"velocities\": [1, 2, 3, -1, 0, 0, "
        "0, 0.1, 0], \"masses\": [1, 0.3, 7], \"fixed\": [2], \"radii\": [0, 0.1, 0.2], \"triangles\": [0, 1, 2], "
        "\"lines\": [0, 2, 1, 2], \"parts\": {\"tip\": [2], \"foot\": [1, 0], \"none\": []}, \"group\": 9}");
    const sn_object *object = first_of(scene);
    sn_world *world = sn_scene_world(scene);
    assert_int_equal(object->run.count, 3);
    assert_vec_same(place_of(scene, object, 2), vec(0, 1, 0.25));
    assert_vec_same(sn_particle_velocity(world, sn_particles_at(object->run, 0)), vec(1, 2, 3));
    assert_vec_same(sn_particle_velocity(world, sn_particles_at(object->run, 2)), vec(0, 0.1, 0));
    assert_true(sn_particle_mass(world, sn_particles_at(object->run, 1)) == real(0.3));
    assert_true(isinf(mass_at(scene, object, 2)));
    assert_true(sn_particle_radius(world, sn_particles_at(object->run, 2)) == real(0.2));
    assert_int_equal(sn_particle_group(world, sn_particles_at(object->run, 0)), 9);
    assert_int_equal(object->triangle_count, 1);
    assert_int_equal(object->line_count, 2);
    assert_int_equal(object->line[3], 2);
    assert_int_equal(number_of(object, "tip"), 2);
    assert_int_equal(in_part(part_of(object, "foot"), 1), 0);
    assert_int_equal(part_of(object, "none")->count, 0);
    sn_scene_destroy(scene);
}

static void test_velocities_turn_with_the_frame_and_add(void **state)
{
    (void)state;
    sn_scene *scene =
        scene_of("{\"type\": \"particles\", \"positions\": [1, 0, 0, -1, 0, 0], \"velocities\": [2, 0, 0, "
                 "0, -0.0, 0], \"velocity\": [0, 0, 5], \"scale\": 3, \"spin\": [0, 0, 1],"
                 "\"turn\": {\"axis\": [0, 0, 1], \"angle\": 1.5707963267948966}}");
    const sn_object *object = first_of(scene);
    sn_world *world = sn_scene_world(scene);
    assert_vec_close(place_of(scene, object, 0), vec(0, 3, 0), 1e-6);
    /* turned: 2 along y; of the whole: 5 along z, and a spin of 1 rad/s at (0, 3), which is -3 along x */
    assert_vec_close(sn_particle_velocity(world, sn_particles_at(object->run, 0)), vec(-3, 2, 5), 1e-5);
    assert_vec_close(sn_particle_velocity(world, sn_particles_at(object->run, 1)), vec(3, 0, 5), 1e-5);
    assert_true(mass_at(scene, object, 0) == 1 && mass_at(scene, object, 1) == 1);
    sn_scene_destroy(scene);
    scene =
        scene_of("{\"type\": \"particles\", \"positions\": [1, 0, 0, -1, 0, 0, 0, 0, 0], \"velocities\": [0, -0.0, 0,"
                 "0, 0, 0, 0, 0, 0], \"mass\": 3, \"fixed\": [1]}");
    object = first_of(scene);
    assert_true(mass_at(scene, object, 0) == 1.5 && mass_at(scene, object, 2) == 1.5); /* the movable ones share it */
    assert_vec_same(sn_particle_velocity(sn_scene_world(scene), sn_particles_at(object->run, 0)), vec(0, -0.0, 0));
    sn_scene_destroy(scene);
}

/* ---- Rope ---------------------------------------------------------------------------------------------------------------- */

static void test_rope_has_pieces_masses_and_ends(void **state)
{
    (void)state;
    sn_scene *scene =
        scene_of("{\"type\": \"rope\", \"length\": 2, \"segments\": 8, \"direction\": [3, 0, 0], \"scale\": "
                 "2, \"bob\": 5, \"material\": {\"density\": 0.5, \"bend\": 0.1}, \"pins\": [\"start\"]}");
    const sn_object *object = first_of(scene);
    assert_int_equal(object->run.count, 9);
    assert_int_equal(object->line_count, 8);
    sn_constraints links = hold_of(object, "links"), bend = hold_of(object, "bend");
    assert_int_equal(links.kind, SN_KIND_DISTANCE_MAX);
    assert_int_equal(links.count, 8);
    assert_int_equal(bend.count, 7);
    assert_close(constraint_at(scene, links, 3).param[0], 0.5, 1e-6);        /* 4 m in 8 */
    assert_close(constraint_at(scene, bend, 3).compliance, 0.1 * 0.5, 1e-6); /* bend times length */
    assert_close(mass_at(scene, object, 3), 0.25, 1e-6);                     /* 4 m of 0.5 kg/m */
    assert_close(mass_at(scene, object, 8), 5.125, 1e-5);
    assert_true(isinf(mass_at(scene, object, number_of(object, "start"))));
    assert_int_equal(number_of(object, "end"), 8);
    assert_vec_close(place_of_part(scene, object, "end"), vec(4, 0, 0), 1e-5);
    run(scene, 60);
    assert_true(worst(scene, SN_KIND_DISTANCE_MAX) < 0.01);
    assert_vec_close(place_of_part(scene, object, "start"), vec(0, 0, 0), 0);
    assert_true(place_of_part(scene, object, "end").y < -1); /* it fell */
    sn_scene_destroy(scene);
}

/* It gives by stretch * length * (force at the end + half of its own weight), however many pieces it has. */
static void test_rope_stretches_the_same_in_all_meshes(void **state)
{
    (void)state;
    const uint32_t segments[] = {1, 10, support_long(40, 20)};
    const double stretch = 1e-3, length = 2, mass = 2, bob = 3;
    for (uint32_t i = 0; i < COUNT_OF(segments); ++i) {
        char text[300];
        snprintf(text, sizeof text,
                 "{\"type\": \"rope\", \"length\": %g, \"segments\": %u, \"mass\": %g, \"bob\": %g, \"material\": "
                 "{\"stretch\": %g}, \"pins\": [\"start\"]}",
                 length, segments[i], mass, bob, stretch);
        sn_scene *scene = scene_in("{\"substeps\": 10, \"iterations\": 50}", text);
        sn_relax_info info;
        assert_ok(sn_scene_world(scene), sn_world_relax(sn_scene_world(scene), NULL, &info));
        assert_true(info.rested);
        double elongation = -(double)place_of_part(scene, first_of(scene), "end").y - length;
        assert_close(elongation, stretch * length * GRAVITY * (bob + mass / 2), 2e-4);
        sn_scene_destroy(scene);
    }
}

/* Clamped at its first piece it bends like a beam: bend * force * length^3 / 3 for small loads. */
static void test_rope_bends_the_same_in_all_meshes(void **state)
{
    (void)state;
    const uint32_t segments[] = {support_long(10, 6), support_long(40, 12)};
    const double bend = 1, length = 1, force = 0.03;
    if (!support_rounds(1, 0)) /* millions of projections, for a figure */
        skip();
    for (uint32_t i = 0; i < COUNT_OF(segments); ++i) {
        char text[300], settings[100];
        snprintf(settings, sizeof settings, "{\"substeps\": 20, \"iterations\": %u, \"gravity\": [0, 0, 0]}",
                 support_long(100, 30));
        snprintf(text, sizeof text,
                 "{\"type\": \"rope\", \"length\": %g, \"segments\": %u, \"direction\": [1, 0, 0], \"rods\": true, "
                 "\"material\": {\"bend\": %g}, \"pins\": [0, 1]}",
                 length, segments[i], bend);
        sn_scene *scene = scene_in(settings, text);
        const sn_object *object = first_of(scene);
        sn_world *world = sn_scene_world(scene);
        assert_int_equal(hold_of(object, "links").kind, SN_KIND_DISTANCE);
        assert_ok(world, sn_particle_apply_force(world, sn_particles_at(object->run, segments[i]), vec(0, force, 0)));
        sn_relax_def relax = sn_default_relax_def();
        relax.steps = 3000;
        assert_ok(world, sn_world_relax(world, &relax, NULL));
        double n = segments[i], l = length / n;
        double expected = bend * force * l * l * l * n * (n - 1) * (2 * n - 1) / 6;
        assert_close(place_of_part(scene, object, "end").y, expected, 0.01 * expected);
        assert_close(expected, bend * force * length * length * length / 3, 2 / n * expected);
        sn_scene_destroy(scene);
    }
}

/* Laid between two points with slack it hangs there, and stays. */
static void check_hangs(const char *text, sn_vec3 from, sn_vec3 to, double piece, double kick)
{
    sn_scene *scene = scene_in("{\"substeps\": 20, \"iterations\": 20}", text);
    const sn_object *object = first_of(scene);
    assert_vec_close(place_of_part(scene, object, "start"), from, 1e-6);
    assert_vec_close(place_of_part(scene, object, "end"), to, 1e-5);
    sn_vec3 before[200];
    assert_true(object->run.count <= COUNT_OF(before));
    for (uint32_t i = 0; i < object->run.count; ++i)
        before[i] = place_of(scene, object, i);
    for (uint32_t i = 0; i + 1 < object->run.count; ++i)
        assert_close(support_gap(before[i], before[i + 1]), piece, 2e-3 * piece);
    run(scene, 60);
    for (uint32_t i = 0; i < object->run.count; ++i)
        assert_vec_close(place_of(scene, object, i), before[i], kick);
    sn_scene_destroy(scene);
}

static void test_slack_rope_is_laid_at_rest(void **state)
{
    (void)state;
#define PINNED "\"pins\": [\"start\", \"end\"]"
    check_hangs("{\"type\": \"rope\", \"to\": [2, 1, 0.5], \"length\": 3, " PINNED "}", vec(0, 0, 0), vec(2, 1, 0.5),
                3.0 / 20, 0.005);
    check_hangs(
        "{\"type\": \"rope\", \"from\": [0, 1, 0], \"to\": [1, 1, 0], \"length\": 1.1, \"segments\": 60, " PINNED "}",
        vec(0, 1, 0), vec(1, 1, 0), 1.1 / 60, 0.005);
    check_hangs("{\"type\": \"rope\", \"to\": [0, -1, 0], \"length\": 3, \"rods\": true, \"segments\": 31, " PINNED "}",
                vec(0, 0, 0), vec(0, -1, 0), 3.0 / 31, 3.0 / 31); /* its lowest rods swing */
    check_hangs("{\"type\": \"rope\", \"to\": [1, 0, 0], \"length\": 1.5, \"segments\": 2, " PINNED "}", vec(0, 0, 0),
                vec(1, 0, 0), 0.75, 0.005);
}

/* In balance the slope of a rope grows by as much at every particle, whatever its slack. */
static void test_slack_rope_is_in_balance(void **state)
{
    (void)state;
    const double lengths[] = {1.00001, 1.001, 1.5, 3};
    for (uint32_t k = 0; k < COUNT_OF(lengths); ++k) {
        char text[200];
        snprintf(text, sizeof text, "{\"type\": \"rope\", \"to\": [0.8, 0.6, 0], \"length\": %.9g, \"segments\": 12}",
                 lengths[k]);
        sn_scene *scene = scene_of(text);
        double slope[12], steepest = 0;
        for (uint32_t i = 0; i < 12; ++i) {
            sn_vec3 a = place_of(scene, first_of(scene), i), b = place_of(scene, first_of(scene), i + 1);
            slope[i] = ((double)b.y - (double)a.y) / ((double)b.x - (double)a.x);
            steepest = fmax(steepest, fabs(slope[i]));
            assert_close(support_gap(a, b), lengths[k] / 12, 1e-5 * lengths[k]);
        }
        double growth = (slope[11] - slope[0]) / 11;
        assert_true(growth > 0);
        for (uint32_t i = 0; i < 11; ++i)
            assert_close(slope[i + 1] - slope[i], growth, (sizeof(sn_real) == 8 ? 1e-6 : 2e-3) * steepest);
        assert_vec_close(place_of_part(scene, first_of(scene), "end"), vec(0.8, 0.6, 0), 1e-6);
        sn_scene_destroy(scene);
    }
}

/* With still more slack its strands hang straight down, and every piece has its length. */
static void test_very_slack_rope_is_folded(void **state)
{
    (void)state;
    const char *const ends[] = {"0.8, 0.6, 0", "0, 0, 0.01", "0, -1, 0", "0, 3.9, 0", "0.001, -3.9, 0"};
    for (uint32_t k = 0; k < COUNT_OF(ends); ++k)
        for (uint32_t segments = 2; segments < 8; ++segments) {
            char text[200];
            snprintf(text, sizeof text,
                     "{\"type\": \"rope\", \"to\": [%s], \"length\": 4, \"segments\": %u, \"rods\": true}", ends[k],
                     segments);
            sn_scene *scene = scene_of(text);
            assert_true(worst(scene, SN_KIND_DISTANCE) < 4e-6);
            sn_scene_destroy(scene);
        }
}

static void test_rope_between_two_points_is_straight(void **state)
{
    (void)state;
    sn_scene *scene = scene_of("{\"type\": \"rope\", \"from\": [1, 1, 1], \"to\": [4, 5, 1], \"segments\": 5}");
    const sn_object *object = first_of(scene);
    assert_close(constraint_at(scene, hold_of(object, "links"), 0).param[0], 1, 1e-6);
    assert_vec_close(place_of(scene, object, 2), vec(1 + 1.2, 1 + 1.6, 1), 1e-6);
    sn_scene_destroy(scene);
    sn_scene *hanging = scene_of("{\"type\": \"rope\"}"); /* of nothing said */
    assert_vec_close(place_of_part(hanging, first_of(hanging), "end"), vec(0, -1, 0), 1e-6);
    assert_close(mass_of(hanging, first_of(hanging)), 1, 1e-5);
    sn_scene_destroy(hanging);
}

/* ---- Chain, pendulum ----------------------------------------------------------------------------------------------------- */

static void test_chain_has_rigid_links(void **state)
{
    (void)state;
    sn_scene *scene =
        scene_of("{\"type\": \"chain\", \"links\": 6, \"link_length\": 0.5, \"link_mass\": 0.2, \"direction\": "
                 "[1, 0, 0], \"bob\": 1, \"pins\": [\"start\"]}");
    const sn_object *object = first_of(scene);
    sn_constraints links = hold_of(object, "links");
    assert_int_equal(object->run.count, 7);
    assert_int_equal(links.kind, SN_KIND_DISTANCE);
    assert_int_equal(links.count, 6);
    assert_int_equal(object->hold_count, 1);
    assert_close(constraint_at(scene, links, 5).param[0], 0.5, 1e-7);
    assert_close(mass_of(scene, object), 6 * 0.2 + 1 - 0.1, 1e-5); /* the pinned one does not count */
    run(scene, 60);
    assert_true(worst(scene, SN_KIND_DISTANCE) < 0.005);
    sn_scene_destroy(scene);
    scene = scene_of("{\"type\": \"chain\", \"material\": {\"density\": 3, \"stretch\": 1e-3}}");
    object = first_of(scene);
    assert_close(mass_of(scene, object), 3, 1e-5); /* ten links of 0.1 m */
    assert_close(constraint_at(scene, hold_of(object, "links"), 0).compliance, 1e-4, 1e-9);
    sn_scene_destroy(scene);
}

static void test_pendulum_swings_about_its_pivot(void **state)
{
    (void)state;
    sn_scene *scene =
        scene_in("{\"dimensions\": 2}", "{\"type\": \"pendulum\", \"lengths\": [1, 0.5, 0.25], \"masses\": "
                                        "[2], \"angles\": [0, 1.5707963267948966, 3.141592653589793]}");
    const sn_object *object = first_of(scene);
    assert_int_equal(object->run.count, 4);
    assert_true(isinf(mass_at(scene, object, number_of(object, "pivot"))));
    assert_int_equal(part_of(object, "bobs")->count, 3);
    assert_close(mass_of(scene, object), 6, 1e-6);
    assert_vec_close(place_of(scene, object, 1), vec(0, -1, 0), 1e-6);
    assert_vec_close(place_of(scene, object, 2), vec(0.5, -1, 0), 1e-6);
    assert_vec_close(place_of_part(scene, object, "tip"), vec(0.5, -0.75, 0), 1e-6);
    assert_close(constraint_at(scene, hold_of(object, "rods"), 2).param[0], 0.25, 1e-7);
    run(scene, 60);
    assert_true(worst(scene, SN_KIND_DISTANCE) < 0.005);
    sn_scene_destroy(scene);
    scene = scene_of("{\"type\": \"pendulum\", \"masses\": [1, 3], \"mass\": 8}"); /* shares of the whole */
    object = first_of(scene);
    assert_close(mass_at(scene, object, 1), 2, 1e-6);
    assert_close(mass_at(scene, object, 2), 6, 1e-6);
    assert_vec_close(place_of_part(scene, object, "tip"), vec(2, 0, 0), 1e-6);
    sn_scene_destroy(scene);
}

/* A quarter swing from small angle takes a quarter of 2 pi sqrt(l / g). */
static void test_pendulum_keeps_time(void **state)
{
    (void)state;
    sn_scene *scene = scene_in("{\"substeps\": 100}", "{\"type\": \"pendulum\", \"angles\": [0.05], \"scale\": 2}");
    const sn_object *object = first_of(scene);
    double period = 2 * SN_PI * sqrt(2 / GRAVITY), before = 0.1;
    uint32_t frame = 0;
    for (; before > 0 && frame < 100; ++frame) {
        run(scene, 1);
        before = (double)place_of_part(scene, object, "tip").x;
    }
    assert_close(frame / 60.0, period / 4, 1.5 / 60);
    sn_scene_destroy(scene);
}

/* ---- Net ------------------------------------------------------------------------------------------------------------------ */

static void check_border(sn_scene *scene, const char *name, uint32_t count, sn_vec3 from, sn_vec3 to)
{
    const sn_part *part = part_of(first_of(scene), name);
    assert_int_equal(part->count, count);
    for (uint32_t i = 0; i < count; ++i) {
        double t = i / (count - 1.0), s = 1 - t;
        sn_vec3 expected = vec(s * (double)from.x + t * (double)to.x, s * (double)from.y + t * (double)to.y, 0);
        assert_vec_close(place_of(scene, first_of(scene), in_part(part, i)), expected, 1e-6);
    }
}

static void test_net_has_knots_cords_and_borders(void **state)
{
    (void)state;
    sn_scene *scene = scene_in("{\"dimensions\": 2}",
                               "{\"type\": \"net\", \"rows\": 4, \"columns\": 6, \"width\": 3, \"height\": 1.5, "
                               "\"cord_segments\": 3, \"material\": {\"density\": 0.1, \"stretch\": 1e-4}}");
    const sn_object *object = first_of(scene);
    const uint32_t cords = 4 * 5 + 6 * 3;
    assert_int_equal(object->run.count, 4 * 6 + cords * 2);
    sn_constraints run_of = hold_of(object, "cords");
    assert_int_equal(run_of.kind, SN_KIND_DISTANCE_MAX);
    assert_int_equal(run_of.count, cords * 3);
    assert_int_equal(object->line_count, cords * 3);
    assert_int_equal(part_of(object, "knots")->count, 24);
    assert_close(mass_of(scene, object), 0.1 * (4 * 3 + 6 * 1.5), 1e-5);
    for (uint32_t i = 0; i < run_of.count; ++i) { /* every piece has the length at which it was laid */
        sn_constraint_def def = constraint_at(scene, run_of, i);
        const uint32_t *line = object->line + (size_t)2 * i;
        assert_close(support_gap(place_of(scene, object, line[0]), place_of(scene, object, line[1])), def.param[0],
                     1e-6);
        assert_close(def.compliance, 1e-4 * (double)def.param[0], 1e-9);
    }
    assert_close(constraint_at(scene, run_of, 0).param[0], 0.2, 1e-6);
    assert_close(constraint_at(scene, run_of, run_of.count - 1).param[0], 0.5 / 3, 1e-6);
    check_border(scene, "bottom", 16, vec(-1.5, -0.75, 0), vec(1.5, -0.75, 0));
    check_border(scene, "top", 16, vec(-1.5, 0.75, 0), vec(1.5, 0.75, 0));
    check_border(scene, "left", 10, vec(-1.5, -0.75, 0), vec(-1.5, 0.75, 0));
    check_border(scene, "right", 10, vec(1.5, -0.75, 0), vec(1.5, 0.75, 0));
    assert_vec_close(place_of_part(scene, object, "top_right"), vec(1.5, 0.75, 0), 1e-6);
    assert_vec_close(place_of_part(scene, object, "bottom_right"), vec(1.5, -0.75, 0), 1e-6);
    sn_scene_destroy(scene);
}

static void test_net_hangs(void **state)
{
    (void)state;
    sn_scene *scene = scene_in("{\"substeps\": 20}", "{\"type\": \"net\", \"pins\": [\"top_left\", \"top_right\"]}");
    run(scene, 60);
    assert_true(worst(scene, SN_KIND_DISTANCE_MAX) < 0.005);
    assert_true(isinf(mass_at(scene, first_of(scene), number_of(first_of(scene), "top_left"))));
    sn_scene_destroy(scene);
}

/* ---- Box ------------------------------------------------------------------------------------------------------------------ */

static double volume_of(sn_scene *scene, const sn_object *object)
{
    double sum = 0;
    for (uint32_t i = 0; i < object->triangle_count; ++i) {
        sn_vec3 p[3];
        for (uint32_t k = 0; k < 3; ++k)
            p[k] = place_of(scene, object, object->triangle[3 * i + k]);
        sum += (double)p[0].x * ((double)p[1].y * (double)p[2].z - (double)p[1].z * (double)p[2].y);
        sum += (double)p[0].y * ((double)p[1].z * (double)p[2].x - (double)p[1].x * (double)p[2].z);
        sum += (double)p[0].z * ((double)p[1].x * (double)p[2].y - (double)p[1].y * (double)p[2].x);
    }
    return sum / 6;
}

/* Thrown and spinning, with one corner held, every corner keeps its distance from every other. */
static void check_rigid(sn_scene *scene)
{
    const sn_object *object = first_of(scene);
    sn_vec3 before[8];
    assert_true(object->run.count <= COUNT_OF(before));
    for (uint32_t i = 0; i < object->run.count; ++i)
        before[i] = place_of(scene, object, i);
    pin(scene, object, 0);
    run(scene, 60);
    for (uint32_t a = 0; a < object->run.count; ++a)
        for (uint32_t b = 0; b < a; ++b) {
            double length = support_gap(before[a], before[b]);
            assert_close(support_gap(place_of(scene, object, a), place_of(scene, object, b)), length, 0.005 * length);
        }
    assert_true(support_gap(before[3], place_of(scene, object, 3)) > 0.1);
}

static void test_flat_box_is_rigid(void **state)
{
    (void)state;
    sn_scene *scene =
        scene_in("{\"dimensions\": 2}", "{\"type\": \"box\", \"width\": 2, \"height\": 0.5, \"spin\": [0, 0, "
                                        "3], \"material\": {\"density\": 2}}");
    const sn_object *object = first_of(scene);
    assert_int_equal(object->run.count, 4);
    assert_int_equal(hold_of(object, "edges").count, 4);
    assert_int_equal(hold_of(object, "diagonals").count, 2);
    assert_int_equal(object->triangle_count, 2);
    assert_int_equal(object->line_count, 4);
    assert_close(mass_of(scene, object), 10, 1e-5); /* 5 m of edges */
    assert_vec_close(place_of_part(scene, object, "top_left"), vec(-1, 0.25, 0), 1e-6);
    assert_int_equal(part_of(object, "right")->count, 2);
    check_rigid(scene);
    sn_scene_destroy(scene);
    scene = scene_of("{\"type\": \"box\", \"spin\": [1, 2, 3]}");
    check_rigid(scene);
    sn_scene_destroy(scene);
}

static void test_box_is_rigid(void **state)
{
    (void)state;
    sn_scene *scene = scene_of("{\"type\": \"box\", \"width\": 1, \"height\": 2, \"depth\": 3, \"spin\": [3, 2, 1]}");
    const sn_object *object = first_of(scene);
    assert_int_equal(object->run.count, 8);
    assert_int_equal(hold_of(object, "edges").count, 12);
    assert_int_equal(hold_of(object, "diagonals").count, 16);
    assert_close(volume_of(scene, object), 6, 1e-5); /* and its triangles face outwards */
    assert_vec_close(place_of_part(scene, object, "bottom_right_front"), vec(0.5, -1, 1.5), 1e-6);
    assert_int_equal(part_of(object, "back")->count, 4);
    assert_close(constraint_at(scene, hold_of(object, "diagonals"), 0).param[0], sqrt(5), 1e-6);
    check_rigid(scene);
    sn_scene_destroy(scene);
}

/* ---- Figure --------------------------------------------------------------------------------------------------------------- */

static const char *const poses[] = {"standing", "arms_out", "sitting"};

static sn_scene *figure_in(const char *pose, const char *more)
{
    char text[400];
    snprintf(text, sizeof text, "{\"type\": \"figure\", \"name\": \"hit\", \"pose\": \"%s\"%s}", pose, more);
    return scene_in("{\"substeps\": 40}", text);
}

static void test_figure_is_a_human(void **state)
{
    (void)state;
    sn_scene *scene = figure_in("standing", "");
    const sn_object *object = first_of(scene);
    assert_int_equal(object->run.count, 16);
    assert_close(mass_of(scene, object), 75, 0.1);
    sn_report report;
    assert_ok(sn_scene_world(scene), sn_world_report(sn_scene_world(scene), &report));
    assert_close(report.centre[1] / 1.8, 0.56, 0.02); /* where that of a man is */
    assert_vec_close(place_of_part(scene, object, "left_foot"), vec(1.8 * 0.055, 0, 0), 1e-5);
    assert_int_equal(part_of(object, "left")->count, 6);
    for (uint32_t i = 0; i < 6; ++i) {
        sn_vec3 l = place_of(scene, object, in_part(part_of(object, "left"), i)),
                r = place_of(scene, object, in_part(part_of(object, "right"), i));
        assert_true(l.x > 0);
        assert_vec_close(vec(-(double)l.x, (double)l.y, (double)l.z), r, 1e-6);
    }
    assert_int_equal(in_part(part_of(object, "feet"), 1), number_of(object, "right_foot"));
    sn_scene_destroy(scene);
    scene = figure_in("arms_out", ", \"height\": 0.9, \"scale\": 2, \"limits\": false");
    object = first_of(scene);
    assert_close(mass_of(scene, object), 75, 0.1); /* scaled to the same height */
    assert_close(place_of_part(scene, object, "left_hand").y, place_of_part(scene, object, "right_shoulder").y, 1e-5);
    assert_int_equal(sn_world_constraint_count(sn_scene_world(scene), SN_KIND_HINGE_POINTS), 0);
    sn_scene_destroy(scene);
    scene = figure_in("sitting", ", \"mass\": 60");
    assert_close(mass_of(scene, first_of(scene)), 60, 1e-3);
    assert_close(place_of_part(scene, first_of(scene), "left_foot").y, 0, 1e-5);
    sn_scene_destroy(scene);
}

/* No pose starts with a strain: nothing is violated, and the bones are those of every other pose. */
static void test_poses_obey_the_joints(void **state)
{
    (void)state;
    sn_scene *standing = figure_in("standing", "");
    for (uint32_t p = 0; p < COUNT_OF(poses); ++p) {
        sn_scene *scene = figure_in(poses[p], "");
        sn_report report;
        assert_ok(sn_scene_world(scene), sn_world_report(sn_scene_world(scene), &report));
        for (uint32_t k = 0; k < report.kind_count; ++k)
            if (!(report.kinds[k].largest < 2e-6))
                fail_msg("%s: %s is off by %g", poses[p], report.kinds[k].name, report.kinds[k].largest);
        for (uint32_t i = 0; i < hold_of(first_of(scene), "bones").count; ++i)
            assert_close(constraint_at(scene, hold_of(first_of(scene), "bones"), i).param[0],
                         constraint_at(standing, hold_of(first_of(standing), "bones"), i).param[0], 2e-6);
        sn_scene_destroy(scene);
    }
    sn_scene_destroy(standing);
}

typedef double vector[3];

static void minus(sn_scene *scene, const char *a, const char *b, vector out)
{
    sn_vec3 p = place_of_part(scene, first_of(scene), a), q = place_of_part(scene, first_of(scene), b);
    out[0] = (double)p.x - (double)q.x;
    out[1] = (double)p.y - (double)q.y;
    out[2] = (double)p.z - (double)q.z;
}

static double dot(const vector a, const vector b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const vector a, const vector b, vector out)
{
    for (int i = 0; i < 3; ++i)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* By how much the path a, b, c turns, rad. */
static double turn_of(sn_scene *scene, const char *a, const char *b, const char *c)
{
    vector u, v, n;
    minus(scene, b, a, u);
    minus(scene, c, b, v);
    cross(u, v, n);
    return atan2(sqrt(dot(n, n)), dot(u, v));
}

/* The same about the axis from one particle to another, counter-clockwise positive. */
static double turn_about(sn_scene *scene, const char *a, const char *b, const char *c, const char *from, const char *to)
{
    vector u, v, n, uv;
    minus(scene, b, a, u);
    minus(scene, c, b, v);
    minus(scene, to, from, n);
    double size = sqrt(dot(n, n));
    cross(u, v, uv);
    return atan2(dot(uv, n) / size, dot(u, v) - dot(u, n) * dot(v, n) / (size * size));
}

/* The angle of a stick from its joint to its end with the plane that its joint spans with two others, rad: positive on the
   side from which a, b, c run counter-clockwise. */
static double lift_of(sn_scene *scene, const char *end, const char *joint, const char *a, const char *b, const char *c)
{
    vector u, v, n, stick;
    minus(scene, b, a, u);
    minus(scene, c, a, v);
    cross(u, v, n);
    minus(scene, end, joint, stick);
    return asin(dot(n, stick) / sqrt(dot(n, n) * dot(stick, stick)));
}

#define DEGREE (SN_PI / 180)

/* Excess in degrees of a joint over its limits. */
static double beyond(double angle, double least, double most)
{
    return fmax(fmax(least - angle / DEGREE, angle / DEGREE - most), 0);
}

typedef struct strain {
    double stretch; /* share of its length that a stick is off */
    double side;    /* degrees by which an elbow or knee bends backwards */
    double limit;   /* degrees beyond another limit */
    double energy;  /* J, the most above that of the start */
} strain;

static void feel(sn_scene *scene, double start, strain *s)
{
    const sn_object *object = first_of(scene);
    const char *const holds[] = {"bones", "braces"};
    for (uint32_t h = 0; h < 2; ++h)
        for (uint32_t i = 0; i < hold_of(object, holds[h]).count; ++i) {
            sn_constraint_def def;
            sn_point p[SN_MAX_POINTS];
            sn_world *world = sn_scene_world(scene);
            assert_ok(world, sn_constraint_read(world, sn_constraints_at(hold_of(object, holds[h]), i), &def, p, 8));
            double gap = support_gap(sn_point_position(world, p[0]), sn_point_position(world, p[1]));
            s->stretch = fmax(s->stretch, fabs(gap / (double)def.param[0] - 1));
        }
    const char *const side[2][6] = {
        {"left_shoulder", "left_elbow", "left_hand", "left_hip", "left_knee", "left_foot"},
        {"right_shoulder", "right_elbow", "right_hand", "right_hip", "right_knee", "right_foot"}};
    for (uint32_t r = 0; r < 2; ++r) {
        const char *shoulder = side[r][0], *elbow = side[r][1], *hand = side[r][2], *hip = side[r][3],
                   *knee = side[r][4], *foot = side[r][5], *other = side[!r][3];
        double bent = lift_of(scene, hand, elbow, shoulder, r ? elbow : "chest", r ? "chest" : elbow);
        double back = lift_of(scene, foot, knee, hip, r ? other : knee, r ? knee : other);
        double thigh = turn_about(scene, "spine", hip, knee, "right_shoulder", "left_shoulder");
        s->side = fmax(s->side, fmax(-bent, -back) / DEGREE);
        s->limit = fmax(s->limit, beyond(turn_of(scene, shoulder, elbow, hand), 0, 150));
        s->limit = fmax(s->limit, beyond(turn_of(scene, hip, knee, foot), 0, 150));
        s->limit = fmax(s->limit, beyond(turn_of(scene, "chest", shoulder, elbow), 25, 140));
        s->limit = fmax(s->limit, beyond(turn_of(scene, other, hip, knee), 40, 110));
        s->limit = fmax(s->limit, beyond(thigh, -93.4, 46.6));
    }
    s->limit = fmax(s->limit, beyond(turn_of(scene, "spine", "neck", "head"), 0, 50));
    s->energy = fmax(s->energy, energy(scene) - start);
}

#define TILTED ", \"turn\": {\"axis\": [1, 0.3, 0.4], \"angle\": 0.4}, \"position\": [0, 1, 0]"

/* Falls for three seconds, held or not. */
static strain fall(const char *pose, const char *held, bool ground, bool limits)
{
    sn_scene *scene = figure_in(pose, limits ? TILTED : TILTED ", \"limits\": false");
    const sn_object *object = first_of(scene);
    sn_world *world = sn_scene_world(scene);
    strain s = {0, 0, 0, 0};
    if (held)
        pin(scene, object, number_of(object, held));
    for (uint32_t i = 0; ground && i < object->run.count; ++i) {
        sn_constraint floor =
            sn_constraint_add_half_space(world, sn_at(sn_particles_at(object->run, i)), vec(0, 0, 0), vec(0, 1, 0));
        assert_true(sn_constraint_is_valid(world, floor));
    }
    double start = energy(scene);
    for (uint32_t i = 0; i < 180; ++i) {
        run(scene, 1);
        feel(scene, start, &s);
    }
    sn_scene_destroy(scene);
    return s;
}

static void test_figure_falls_and_stays_together(void **state)
{
    (void)state;
    const char *const held[] = {"head", "left_hand", "right_foot", NULL};
    for (uint32_t p = 0; p < COUNT_OF(poses); ++p)
        for (uint32_t h = 0; h < COUNT_OF(held); ++h) {
            strain s = fall(poses[p], held[h], held[h] == NULL, true);
            double most = held[h] ? 0.01 : 0.03; /* what hits the ground is hit hard */
            if (!(s.stretch < most && s.side < 3 && s.limit < 3 && s.energy < 1))
                fail_msg(
                    "%s, held by %s: sticks are off by %g, joints bend backwards by %g and over by %g degrees, %g J",
                    poses[p], held[h] ? held[h] : "nothing", s.stretch, s.side, s.limit, s.energy);
        }
    strain loose = fall("standing", NULL, true, false);
    assert_true(loose.side > 20 && loose.limit > 20); /* it is the limits that hold the joints */
}

/* ---- Wrong input --------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *object, *path, *words;
} wrong[] = {
    {"{'type': 'particles'}", "objects[0]", "positions missing|required"},
    {"{'type': 'particles', 'positions': []}", "objects[0].positions", "0 three"},
    {"{'type': 'particles', 'positions': [1, 2]}", "objects[0].positions", "2 three"},
    {"{'type': 'particles', 'positions': [1, 2, '3']}", "objects[0].positions[2]", "text number"},
    {"{'type': 'particles', 'positions': [1, 2, 3], 'velocities': [1, 2]}", "objects[0].velocities", "2 3"},
    {"{'type': 'particles', 'positions': [1, 2, 3], 'masses': [1, 2]}", "objects[0].masses", "2 1"},
    {"{'type': 'particles', 'positions': [1, 2, 3], 'masses': [0]}", "objects[0].masses[0]", "0 1e-30"},
    {"{'type': 'particles', 'positions': [1, 2, 3], 'masses': [1], 'mass': 2}", "objects[0].masses", "both"},
    {"{'type': 'particles', 'positions': [1, 2, 3], 'radii': [-1]}", "objects[0].radii[0]", "-1 more"},
    {"{'type': 'particles', 'positions': [1, 2, 3], 'radii': [1, 1]}", "objects[0].radii", "2 1"},
    {"{'type': 'particles', 'positions': [1, 2, 3], 'fixed': [1]}", "objects[0].fixed[0]", "1 0 to 0"},
    {"{'type': 'particles', 'positions': [1, 2, 3, 4, 5, 6], 'fixed': [0, 0.5]}", "objects[0].fixed[1]", "0.5"},
    {"{'type': 'particles', 'positions': [1, 2, 3, 4, 5, 6], 'lines': [0, 1, 1]}", "objects[0].lines", "3 multiple 2"},
    {"{'type': 'particles', 'positions': [1, 2, 3, 4, 5, 6], 'lines': [0, 1, 1, 1]}", "objects[0].lines[3]", "second"},
    {"{'type': 'particles', 'positions': [1, 2, 3, 4, 5, 6], 'triangles': [0, 1, 2]}", "objects[0].triangles[2]", "2"},
    {"{'type': 'particles', 'positions': [1, 2, 3], 'parts': [0]}", "objects[0].parts", "list record"},
    {"{'type': 'particles', 'positions': [1, 2, 3], 'parts': {'a': 0}}", "objects[0].parts.a", "number list"},
    {"{'type': 'particles', 'positions': [1, 2, 3], 'parts': {'a': [0, 0]}}", "objects[0].parts.a", "twice"},
    {"{'type': 'particles', 'positions': [1, 2, 3], 'parts': {'a': [-1]}}", "objects[0].parts.a[0]", "-1 0"},
    {"{'type': 'particles', 'positions': [1, 2, 3], 'parts': {'all': [0]}}", "objects[0].parts.all", "all already"},
    {"{'type': 'rope', 'segments': 0}", "objects[0].segments", "0 1"},
    {"{'type': 'rope', 'segments': 1000000000}", "objects[0].segments", "1000000000"},
    {"{'type': 'rope', 'segments': 90000000}", "objects[0]", "particles GB"},
    {"{'type': 'rope', 'segments': 1.5}", "objects[0].segments", "1.5 whole"},
    {"{'type': 'rope', 'length': 0}", "objects[0].length", "0 more"},
    {"{'type': 'rope', 'length': -1}", "objects[0].length", "-1 more"},
    {"{'type': 'rope', 'direction': [0, 0, 0]}", "objects[0].direction", "length"},
    {"{'type': 'rope', 'to': [0, 0, 0]}", "objects[0].to", "no length"},
    {"{'type': 'rope', 'to': [0, 3, 4], 'length': 4.9}", "objects[0].length", "4.9 5"},
    {"{'type': 'rope', 'to': [0, 3, 4], 'length': 6, 'segments': 1}", "objects[0].segments", "2"},
    {"{'type': 'rope', 'from': 3}", "objects[0].from", "3|number list"},
    {"{'type': 'rope', 'bob': -1}", "objects[0].bob", "-1"},
    {"{'type': 'rope', 'rods': 1}", "objects[0].rods", "true"},
    {"{'type': 'chain', 'links': 0}", "objects[0].links", "0 1"},
    {"{'type': 'chain', 'links': 4000000000}", "objects[0].links", "4000000000"},
    {"{'type': 'chain', 'link_length': 0}", "objects[0].link_length", "0 more"},
    {"{'type': 'chain', 'link_mass': 0}", "objects[0].link_mass", "0 1e-30"},
    {"{'type': 'chain', 'link_mass': 1, 'mass': 1}", "objects[0].link_mass", "both"},
    {"{'type': 'chain', 'direction': [0, 0, 0]}", "objects[0].direction", "length"},
    {"{'type': 'chain', 'bob': -1}", "objects[0].bob", "-1"},
    {"{'type': 'net', 'rows': 1}", "objects[0].rows", "1 2"},
    {"{'type': 'net', 'columns': 1}", "objects[0].columns", "1 2"},
    {"{'type': 'net', 'rows': 100000, 'columns': 100000}", "objects[0]", "1e+10 GB"},
    {"{'type': 'net', 'cord_segments': 0}", "objects[0].cord_segments", "0 1"},
    {"{'type': 'net', 'cord_segments': 100000, 'rows': 100000}", "objects[0]", "GB"},
    {"{'type': 'net', 'width': 0}", "objects[0].width", "0 more"},
    {"{'type': 'net', 'height': -2}", "objects[0].height", "-2 more"},
    {"{'type': 'pendulum', 'lengths': []}", "objects[0].lengths", "no"},
    {"{'type': 'pendulum', 'lengths': [1, 0]}", "objects[0].lengths[1]", "0 more"},
    {"{'type': 'pendulum', 'lengths': [1, 1, 1], 'masses': [1, 1]}", "objects[0].masses", "2 3 lengths"},
    {"{'type': 'pendulum', 'lengths': [1, 1], 'angles': [1, 1, 1]}", "objects[0].lengths", "2 3 angles"},
    {"{'type': 'pendulum', 'masses': [-1]}", "objects[0].masses[0]", "-1 1e-30"},
    {"{'type': 'pendulum', 'angles': ['a']}", "objects[0].angles[0]", "text number"},
    {"{'type': 'box', 'width': 0}", "objects[0].width", "0 more"},
    {"{'type': 'box', 'height': 0}", "objects[0].height", "0 more"},
    {"{'type': 'box', 'depth': -1}", "objects[0].depth", "-1"},
    {"{'type': 'figure', 'height': 0}", "objects[0].height", "0 more"},
    {"{'type': 'figure', 'pose': 'standin'}", "objects[0].pose", "standing"},
    {"{'type': 'figure', 'limits': 'no'}", "objects[0].limits", "true"},
};

static void test_wrong_input_is_refused_by_name(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(wrong); ++i) {
        char object[300];
        snprintf(object, sizeof object, "%s", wrong[i].object);
        for (char *c = object; *c; ++c)
            *c = *c == '\'' ? '"' : *c;
        check_refused("{}", object, wrong[i].path, wrong[i].words);
    }
}

static void test_flat_worlds_refuse_depth(void **state)
{
    (void)state;
    const char *flat = "{\"dimensions\": 2}";
    check_refused(flat, "{\"type\": \"box\", \"depth\": 1}", "objects[0].depth", "2D");
    check_refused(flat, "{\"type\": \"figure\"}", "objects[0]", "three");
    check_refused(flat, "{\"type\": \"rope\", \"to\": [1, 1, 1]}", "objects[0]", "z");
    check_refused(flat, "{\"type\": \"particles\", \"positions\": [1, 1, 0], \"velocities\": [0, 0, 1]}",
                  "objects[0].velocities", "z");
}

/* ---- In code ------------------------------------------------------------------------------------------------------------- */

/* Programs reach the builders without a record in between, so these refuse by themselves what would break them. */
static void check_add(const sn_object_type *type, const void *own, const char *words)
{
    sn_scene *scene = scene_of("{\"type\": \"box\"}");
    sn_problems problems;
    sn_problems_init(&problems, NULL);
    sn_object_def def = sn_default_object_def();
    const sn_object *object = sn_scene_add(scene, type, &def, own, &problems);
    if (words) {
        assert_null(object);
        assert_int_equal(problems.errors, 1);
        char said[1200];
        snprintf(said, sizeof said, "%s: %s", problems.first->path, problems.first->text);
        assert_says(said, words);
        assert_int_equal(sn_world_particle_count(sn_scene_world(scene)), 4); /* nothing is left behind */
        assert_int_equal(sn_world_constraint_count(sn_scene_world(scene), SN_KIND_NONE), 6);
    } else {
        assert_non_null(object);
        run(scene, 2);
    }
    sn_problems_release(&problems);
    sn_scene_destroy(scene);
}

static void test_builders_serve_programs(void **state)
{
    (void)state;
    const double xyz[] = {0, 0, 0, 1, 0, 0}, none[] = {0}, rod[] = {0, 7};
    sn_particles_def particles = sn_default_particles_def();
    check_add(&sn_object_particles, &particles, "positions");
    particles.positions = (sn_numbers){6, xyz};
    check_add(&sn_object_particles, &particles, NULL);
    particles.lines = (sn_numbers){2, rod};
    check_add(&sn_object_particles, &particles, "7 particle");
    sn_rope_def rope = sn_default_rope_def();
    check_add(&sn_object_rope, &rope, NULL);
    rope.segments = 0;
    check_add(&sn_object_rope, &rope, "0 1");
    rope.segments = UINT32_MAX;
    check_add(&sn_object_rope, &rope, "segments 4294967295");
    rope = sn_default_rope_def();
    rope.length = real(-1);
    check_add(&sn_object_rope, &rope, "length");
    sn_chain_def chain = sn_default_chain_def();
    check_add(&sn_object_chain, &chain, NULL);
    chain.links = 0;
    check_add(&sn_object_chain, &chain, "0 1");
    sn_net_def net = sn_default_net_def();
    check_add(&sn_object_net, &net, NULL);
    net.rows = 1;
    check_add(&sn_object_net, &net, "1 2");
    net = sn_default_net_def();
    net.cord_segments = 0;
    check_add(&sn_object_net, &net, "0 1");
    sn_pendulum_def pendulum = sn_default_pendulum_def();
    check_add(&sn_object_pendulum, &pendulum, NULL);
    pendulum.masses = (sn_numbers){1, none};
    check_add(&sn_object_pendulum, &pendulum, "0 1e-30");
    sn_box_def box = sn_default_box_def();
    box.depth = 1;
    check_add(&sn_object_box, &box, NULL);
    box.width = real(NAN);
    check_add(&sn_object_box, &box, "width");
    sn_figure_def figure = sn_default_figure_def();
    check_add(&sn_object_figure, &figure, NULL);
    figure.height = 0;
    check_add(&sn_object_figure, &figure, "0 more");
}

/* ---- Memory -------------------------------------------------------------------------------------------------------------- */

/* Whichever request fails, the scene is refused and nothing stays behind. */
static void test_lack_of_memory_is_an_error(void **state)
{
    (void)state;
    const char *const objects[] = {
        ("{\"type\": \"particles\", \"positions\": [0, 0, 0, 1, 1, 1], \"velocities\": [0, 0, 0, 1, 1, 1], "
         "\"lines\": [0, 1], \"parts\": {\"a\": [0]}}"),
        "{\"type\": \"rope\", \"material\": {\"bend\": 1}}",
        "{\"type\": \"chain\"}",
        "{\"type\": \"net\", \"cord_segments\": 2}",
        "{\"type\": \"pendulum\"}",
        "{\"type\": \"box\", \"depth\": 1}",
        "{\"type\": \"figure\"}"};
    for (uint32_t i = 0; i < COUNT_OF(objects); ++i)
        for (uint64_t at = 1;; ++at) {
            support_memory memory = {.fail_at = at};
            sn_scene_options options = sn_default_scene_options();
            options.allocator = support_allocator(&memory);
            sn_problems problems;
            sn_problems_init(&problems, NULL);
            sn_scene *scene = try_scene("{}", objects[i], &options, &problems);
            bool failed = memory.failures != 0;
            assert_int_equal(scene == NULL, failed);
            assert_int_equal(problems.errors != 0, failed);
            sn_scene_destroy(scene);
            sn_problems_release(&problems);
            assert_memory_clean(&memory);
            if (!failed)
                break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_particles_hold_what_they_are_given),
        cmocka_unit_test(test_velocities_turn_with_the_frame_and_add),
        cmocka_unit_test(test_rope_has_pieces_masses_and_ends),
        cmocka_unit_test(test_rope_stretches_the_same_in_all_meshes),
        cmocka_unit_test(test_rope_bends_the_same_in_all_meshes),
        cmocka_unit_test(test_slack_rope_is_laid_at_rest),
        cmocka_unit_test(test_slack_rope_is_in_balance),
        cmocka_unit_test(test_very_slack_rope_is_folded),
        cmocka_unit_test(test_rope_between_two_points_is_straight),
        cmocka_unit_test(test_chain_has_rigid_links),
        cmocka_unit_test(test_pendulum_swings_about_its_pivot),
        cmocka_unit_test(test_pendulum_keeps_time),
        cmocka_unit_test(test_net_has_knots_cords_and_borders),
        cmocka_unit_test(test_net_hangs),
        cmocka_unit_test(test_flat_box_is_rigid),
        cmocka_unit_test(test_box_is_rigid),
        cmocka_unit_test(test_figure_is_a_human),
        cmocka_unit_test(test_poses_obey_the_joints),
        cmocka_unit_test(test_figure_falls_and_stays_together),
        cmocka_unit_test(test_wrong_input_is_refused_by_name),
        cmocka_unit_test(test_flat_worlds_refuse_depth),
        cmocka_unit_test(test_builders_serve_programs),
        cmocka_unit_test(test_lack_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

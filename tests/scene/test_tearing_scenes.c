/* Scenes of things that tear: what there is to see in them. */
#include "loaded.h"

#include "scene/scene.h"

#define MOST 8192u

/* Pieces that hang together, by particle number: the first of each piece. Of skins these are made by triangles, of all else by rods. */
typedef struct pieces {
    uint32_t root[MOST];
    uint32_t size[MOST]; /* by root: triangles, or rods */
    uint32_t total;
} pieces;

static uint32_t root_of(pieces *p, uint32_t i)
{
    while (p->root[i] != i)
        i = p->root[i] = p->root[p->root[i]];
    return i;
}

static void join(pieces *p, uint32_t a, uint32_t b)
{
    assert_true(a < MOST && b < MOST);
    const uint32_t x = root_of(p, a), y = root_of(p, b);
    p->root[x > y ? x : y] = x < y ? x : y;
}

static pieces *find_pieces(const sn_world *world, sn_skin skin)
{
    uint32_t count;
    const uint32_t *corner = sn_skin_triangles(world, skin, &count);
    pieces *p = calloc(1, sizeof *p);
    for (uint32_t i = 0; i < MOST; ++i)
        p->root[i] = i;
    for (uint32_t i = 0; i < count; ++i)
        join(p, corner[3 * i], corner[3 * i + 1]), join(p, corner[3 * i], corner[3 * i + 2]);
    for (uint32_t i = 0; i < count; ++i)
        p->size[root_of(p, corner[3 * i])]++;
    p->total = count;
    return p;
}

/* The share of the largest pieces. */
static void largest(const pieces *p, double share[2])
{
    uint32_t most[2] = {0, 0};
    for (uint32_t i = 0; i < MOST; ++i)
        if (p->size[i] > most[0])
            most[1] = most[0], most[0] = p->size[i];
        else if (p->size[i] > most[1])
            most[1] = p->size[i];
    for (int k = 0; k < 2; ++k)
        share[k] = (double)most[k] / p->total;
}

/* m: where particles were at first, also those that came by a tear. */
typedef struct origins {
    double y[MOST];
} origins;

/* Steps, and counts vertices that were split, and those of them that were, at first, near to a height. */
static void watch(sn_scene *scene, uint32_t frames, origins *o, double y, double near, uint32_t *splits,
                  uint32_t *nearby)
{
    const sn_world *world = sn_scene_world(scene);
    for (uint32_t i = 0; i < frames; ++i) {
        uint32_t count;
        assert_ok(world, sn_scene_step(scene));
        const sn_tear *tear = sn_world_tears(world, &count);
        for (uint32_t k = 0; k < count; ++k) {
            if (tear[k].made.generation == 0)
                continue;
            assert_true(tear[k].made.index < MOST);
            o->y[tear[k].made.index] = o->y[tear[k].particle.index];
            *splits += tear[k].type == SN_TEAR_SPLIT && !tear[k].cut;
            *nearby += tear[k].type == SN_TEAR_SPLIT && !tear[k].cut && fabs(o->y[tear[k].made.index] - y) < near;
        }
    }
}

/* Paper with a row of holes parts along it: into two halves, and hardly anything is torn elsewhere. */
static void test_paper_parts_along_its_holes(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load_scene("perforated_paper", &loaded);
    sn_world *world = sn_scene_world(scene);
    const sn_object *paper = sn_scene_find_object(scene, "paper");
    origins *o = calloc(1, sizeof *o);
    for (uint32_t i = 0; i < paper->run.count; ++i)
        o->y[paper->run.first + i] = (double)sn_particle_position(world, sn_particles_at(paper->run, i)).y;
    for (uint32_t i = paper->run.first + paper->run.count; i < MOST; ++i) /* a blade puts these at the holes */
        o->y[i] = 1.05;
    uint32_t splits = 0, nearby = 0;
    watch(scene, 60, o, 1.05, 0.08, &splits, &nearby);
    pieces *p = find_pieces(world, paper->skin);
    double share[2];
    largest(p, share);
    print_message("%u of %u splits are at the holes; pieces of %.3f and %.3f\n", nearby, splits, share[0], share[1]);
    assert_true(splits > 10 && nearby >= 0.9 * splits);
    assert_true(share[0] > 0.45 && share[1] > 0.45 && share[0] + share[1] > 0.995);
    free(p);
    free(o);
    sn_loaded_release(&loaded);
}

/* Two hands tear a curtain in two: each has about a half. */
static void test_a_curtain_is_torn_in_two(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load_scene("torn_curtain", &loaded);
    const sn_object *curtain = sn_scene_find_object(scene, "curtain");
    run(scene, 239);
    pieces *p = find_pieces(sn_scene_world(scene), curtain->skin);
    double share[2];
    largest(p, share);
    print_message("pieces of %.3f and %.3f\n", share[0], share[1]);
    assert_true(share[1] > 0.3 && share[0] + share[1] > 0.9);
    free(p);
    sn_loaded_release(&loaded);
}

/* m: the lowest, and the highest, of an object. */
static void heights(sn_scene *scene, const char *name, double height[2])
{
    const sn_object *object = sn_scene_find_object(scene, name);
    assert_non_null(object);
    height[0] = HUGE_VAL, height[1] = -HUGE_VAL;
    for (uint32_t i = 0; i < object->run.count; ++i) {
        const double y = (double)sn_particle_position(sn_scene_world(scene), sn_particles_at(object->run, i)).y;
        height[0] = fmin(height[0], y);
        height[1] = fmax(height[1], y);
    }
}

/* A fish goes through a net, which hangs on at its edge. */
static void test_a_fish_rips_a_net(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load_scene("net_and_fish", &loaded);
    const sn_world *world = sn_scene_world(scene);
    double height[2];
    run(scene, 8);
    const uint32_t cords = sn_world_constraint_count(world, SN_KIND_DISTANCE_MAX);
    heights(scene, "fish", height);
    assert_true(height[0] > 1.1);
    run(scene, 100);
    heights(scene, "fish", height);
    const uint32_t gone = cords - sn_world_constraint_count(world, SN_KIND_DISTANCE_MAX);
    print_message("%u of %u cords gone, the fish is %.2f m high\n", gone, cords, height[1]);
    assert_true(height[1] < 0.8); /* on the floor */
    assert_true(gone > 10 && gone < 100);
    heights(scene, "net", height);
    assert_true(height[1] > 1.19);
    sn_loaded_release(&loaded);
}

/* Planks fall one after the other, as the load comes to them. */
static void test_a_bridge_gives_way_plank_by_plank(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load_scene("bridge_gives_way", &loaded);
    uint32_t fallen[8] = {0};
    for (uint32_t frame = 0; frame < 330; ++frame) {
        run(scene, 1);
        for (uint32_t i = 1; i <= 7; ++i) {
            char name[16];
            double height[2];
            snprintf(name, sizeof name, "plank%u", i);
            heights(scene, name, height);
            fallen[i] = fallen[i] || height[1] > -0.3 ? fallen[i] : frame;
        }
    }
    for (uint32_t i = 1; i <= 7; ++i)
        assert_true(fallen[i] > fallen[i - 1]);
    assert_true(fallen[1] > 60);
    sn_loaded_release(&loaded);
}

/* A knife leaves two pieces of a cake, and all of it. */
static void test_a_cake_is_cut(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load_scene("cake_cut", &loaded);
    sn_world *world = sn_scene_world(scene);
    sn_report before, after;
    assert_ok(world, sn_world_report(world, &before));
    run(scene, support_long(100, 70));
    assert_ok(world, sn_world_report(world, &after));
    assert_close(after.mass, before.mass, 1e-6 * before.mass);
    sn_skin skin = sn_scene_find_object(scene, "cake")->skin;
    pieces *p = find_pieces(world, skin);
    double share[2];
    largest(p, share);
    print_message("pieces of %.3f and %.3f\n", share[0], share[1]);
    assert_true(share[0] < 0.7 && share[1] > 0.2);
    free(p);
    sn_loaded_release(&loaded);
}

/* A blade along keyframes parts a cloth in two, from one side to the other, and the lower part falls. So it does with a rope. */
static void test_a_cloth_is_cut(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load_scene("cut_cloth", &loaded);
    run(scene, 119);
    pieces *p = find_pieces(sn_scene_world(scene), sn_scene_find_object(scene, "cloth")->skin);
    double share[2], height[2];
    largest(p, share);
    print_message("pieces of %.3f and %.3f\n", share[0], share[1]);
    assert_true(share[1] > 0.3 && share[0] + share[1] > 0.99);
    heights(scene, "cloth", height);
    assert_true(height[0] < 0.1);
    heights(scene, "rope", height);
    assert_true(height[0] < 0.1);
    free(p);
    sn_loaded_release(&loaded);
}

/* Balls go through a sheet and leave holes; most of it stays. */
static void test_balls_go_through_a_sheet(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load_scene("sheet_shot_through", &loaded);
    run(scene, support_long(60, 40));
    pieces *p = find_pieces(sn_scene_world(scene), sn_scene_find_object(scene, "sheet")->skin);
    double share[2];
    largest(p, share);
    print_message("the sheet has %.3f left\n", share[0]);
    assert_true(share[0] > 0.8);
    free(p);
    sn_loaded_release(&loaded);
}

/* ---- Objects ---------------------------------------------------------------------------------------------------------------- */

/* Whether constraints still join two particles. */
static bool are_joined(const sn_world *world, sn_particle a, sn_particle b)
{
    pieces *p = calloc(1, sizeof *p);
    static sn_point point[4096];
    sn_constraint_walk walk = {0};
    for (uint32_t i = 0; i < MOST; ++i)
        p->root[i] = i;
    while (sn_constraint_next(world, &walk)) {
        const uint32_t count = sn_constraint_point_count(world, walk.constraint);
        sn_constraint_def def;
        assert_true(count <= COUNT_OF(point));
        assert_ok(world, sn_constraint_read(world, walk.constraint, &def, point, count));
        for (uint32_t i = 1; i < count; ++i)
            join(p, point[0].particle[0].index, point[i].particle[0].index);
    }
    const bool joined = root_of(p, a.index) == root_of(p, b.index);
    free(p);
    return joined;
}

/* Everything that has a strength comes apart when its ends are pulled, and nothing does before. */
static void test_objects_are_pulled_apart(void **state)
{
    (void)state;
    static const char *const object[] = {
        "'type': 'block', 'width': 2, 'height': 0.6, 'depth': 0.6, 'columns': 10, 'rows': 4, 'layers': 4",
        "'type': 'lattice', 'width': 2, 'height': 0.6, 'depth': 0.6, 'columns': 10, 'rows': 4, 'layers': 4",
        "'type': 'net', 'width': 2, 'height': 0.6, 'columns': 14, 'rows': 5",
        "'type': 'jelly', 'width': 2, 'height': 0.6, 'depth': 0.6, 'columns': 10, 'rows': 4, 'layers': 4",
        "'type': 'cloth', 'width': 2, 'height': 0.6, 'columns': 14, 'rows': 5",
    };
    for (size_t i = 0; i < COUNT_OF(object); ++i) {
        char text[1200];
        snprintf(text, sizeof text,
                 "{'world': {'gravity': [0, 0, 0], 'damping': 2, 'substeps': 20}, 'materials': {'m': {'density': 200, "
                 "'stretch': 1e-4, 'tear_strain': 0.2, 'tear_spread': 0.3, 'tear_seed': 3}}, 'objects': [{%s, 'name': "
                 "'it', 'material': 'm'}], 'motions': [{'of': 'it.left', 'keys': [{'time': 0}, {'time': 1, 'move': "
                 "[-1.5, 0, 0]}]}, {'of': 'it.right', 'keys': [{'time': 0}, {'time': 1, 'move': [1.5, 0, 0]}]}]}",
                 object[i]);
        for (char *at = text; (at = strchr(at, '\'')) != NULL;)
            *at = '"';
        sn_loaded loaded;
        sn_scene *scene = load_text(text, &loaded, NULL);
        const sn_world *world = sn_scene_world(scene);
        const sn_particles particles = sn_scene_find_object(scene, "it")->run;
        sn_particle end[2] = {sn_particles_at(particles, 0), sn_particles_at(particles, 0)}; /* the least and most x */
        for (uint32_t k = 0; k < particles.count; ++k) {
            const sn_particle one = sn_particles_at(particles, k);
            const sn_real x = sn_particle_position(world, one).x;
            end[0] = x < sn_particle_position(world, end[0]).x ? one : end[0];
            end[1] = x > sn_particle_position(world, end[1]).x ? one : end[1];
        }
        run(scene, 5);
        assert_true(are_joined(world, end[0], end[1]));
        run(scene, 70);
        if (are_joined(world, end[0], end[1]))
            fail_msg("object %zu has not come apart", i);
        sn_loaded_release(&loaded);
    }
}

/* What a net must be at any time: its knots are those of the start, with their mass; cords run between knots that live; and what is gone was told, once.
   Returns the number of cords. */
static uint32_t check_net(const sn_world *world, uint32_t knots, double mass, uint32_t cords, pieces *p)
{
    uint32_t left = 0, gone = 0, tears;
    double sum = 0;
    const sn_tear *tear = sn_world_tears(world, &tears);
    for (uint32_t i = 0; i < tears; ++i) {
        assert_int_equal(tear[i].type, SN_TEAR_BREAK);
        assert_false(sn_constraint_is_valid(world, tear[i].constraint)); /* a dead handle says so */
        gone += tear[i].constraint.kind == SN_KIND_DISTANCE_MAX;
    }
    for (uint32_t i = 0; i < MOST; ++i)
        p->root[i] = i, p->size[i] = 0;
    sn_constraint_walk walk = {0};
    while (sn_constraint_next(world, &walk)) {
        sn_point point[SN_MAX_POINTS];
        sn_constraint_def def;
        assert_ok(world, sn_constraint_read(world, walk.constraint, &def, point, SN_MAX_POINTS));
        if (walk.constraint.kind != SN_KIND_DISTANCE_MAX)
            continue;
        assert_true(sn_particle_is_valid(world, point[0].particle[0]) &&
                    sn_particle_is_valid(world, point[1].particle[0]));
        join(p, point[0].particle[0].index, point[1].particle[0].index);
        ++left;
    }
    assert_int_equal(sn_world_particle_count(world), knots);
    for (uint32_t i = 0; i < knots; ++i)
        sum += (double)sn_particle_mass(world, sn_particle_from_index(world, i)), p->size[root_of(p, i)]++;
    assert_close(sum, mass, 1e-12 * mass);
    assert_int_equal(left + gone, cords);
    return left;
}

/* A net that is pulled apart parts at its knots: a cord that gives way leaves both of its knots whole, with their mass and their other cords. */
static void test_a_net_is_ripped(void **state)
{
    (void)state;
    for (uint32_t segments = 1; segments <= 3; segments += 2) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{'world': {'gravity': [0, 0, 0], 'substeps': 20}, 'objects': [{'type': 'net', 'name': 'net', "
                 "'width': 2, 'height': 1, 'columns': 9, 'rows': "
                 "5, 'cord_segments': %u, 'mass': 0.7, 'material': {'stretch': 1e-4, 'tear_force': 60, 'tear_spread': "
                 "0.3, 'tear_seed': 4}}], 'motions': "
                 "[{'of': 'net.left', 'keys': [{'time': 0}, {'time': 1, 'move': [-1, 0, 0]}]}, {'of': 'net.right', "
                 "'keys': [{'time': 0}, {'time': 1, 'move': "
                 "[1, 0, 0]}]}]}",
                 segments);
        for (char *at = text; (at = strchr(at, '\'')) != NULL;)
            *at = '"';
        sn_loaded loaded;
        sn_scene *scene = load_text(text, &loaded, NULL);
        const sn_world *world = sn_scene_world(scene);
        const uint32_t knots = sn_world_particle_count(world),
                       first = sn_world_constraint_count(world, SN_KIND_DISTANCE_MAX);
        double mass = 0;
        for (uint32_t i = 0; i < knots; ++i)
            mass += (double)sn_particle_mass(world, sn_particle_from_index(world, i));
        assert_close(mass, 0.7, 1e-6);
        pieces *p = calloc(1, sizeof *p);
        uint32_t cords = check_net(world, knots, mass, first, p), parts = 0, large = 0;
        for (uint32_t frame = 0; frame < 75; ++frame) {
            run(scene, 1);
            cords = check_net(world, knots, mass, cords, p);
        }
        for (uint32_t i = 0; i < knots; ++i)
            parts += p->size[i] > 0, large += p->size[i] > knots / 5;
        print_message("%u segments: %u of %u links gone, %u parts, %u of them large\n", segments, first - cords, first,
                      parts, large);
        assert_true(first - cords >= 5 && first - cords < first / 2); /* five rows of cords are across it */
        assert_true(large >= 2);
        free(p);
        sn_loaded_release(&loaded);
    }
}

/* A seam of attachments gives way under a load that it cannot bear, and not before. */
static void test_a_seam_tears(void **state)
{
    (void)state;
    for (uint32_t heavy = 0; heavy < 2; ++heavy) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{'objects': [{'type': 'particles', 'name': 'a', 'positions': [0, 1, 0, 0.1, 1, 0], 'pins': 'all'}, "
                 "{'type': 'particles', 'name': 'b', 'positions': [0, 1, 0, 0.1, 1, 0], 'mass': %g}], 'constraints': ["
                 "{'kind': 'attachment', 'points': ['a[0]', 'b[0]'], 'tear_force': 10}, "
                 "{'kind': 'attachment', 'points': ['a[1]', 'b[1]'], 'tear_force': 10}]}",
                 heavy ? 3.0 : 1.0);
        for (char *at = text; (at = strchr(at, '\'')) != NULL;)
            *at = '"';
        sn_loaded loaded;
        sn_scene *scene = load_text(text, &loaded, NULL);
        run(scene, 30);
        const sn_particles b = sn_scene_find_object(scene, "b")->run;
        const double y = (double)sn_particle_position(sn_scene_world(scene), sn_particles_at(b, 0)).y;
        assert_true(heavy ? y < 0.5 : y > 0.99);
        sn_loaded_release(&loaded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper_parts_along_its_holes),
        cmocka_unit_test(test_a_curtain_is_torn_in_two),
        cmocka_unit_test(test_a_fish_rips_a_net),
        cmocka_unit_test(test_a_bridge_gives_way_plank_by_plank),
        cmocka_unit_test(test_a_cake_is_cut),
        cmocka_unit_test(test_a_cloth_is_cut),
        cmocka_unit_test(test_balls_go_through_a_sheet),
        cmocka_unit_test(test_objects_are_pulled_apart),
        cmocka_unit_test(test_a_net_is_ripped),
        cmocka_unit_test(test_a_seam_tears),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

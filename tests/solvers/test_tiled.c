/* SN_SOLVER_TILED against the reference, SN_SOLVER_GAUSS_SEIDEL, and against what holds for any solver: momentum, energy,
   forces; and that neither threads nor vectors nor the way in which a step is taken change what comes out. */
#include "support/graphs.h"

#include "world/world.h"

#include <math.h>

/* Shapes whose constraints all conserve momentum. */
static const uint32_t free_shapes[] = {GRAPH_ROPE,    GRAPH_GRID,  GRAPH_BLOCK,  GRAPH_TREE,
                                       GRAPH_CLIQUES, GRAPH_ROPES, GRAPH_CLOTHS, GRAPH_SHUFFLED,
                                       GRAPH_GAPS,    GRAPH_TWICE, GRAPH_WILD};

static sn_world_def plain_def(void)
{
    sn_world_def def = sn_default_world_def();
    def.threads = 1;
    def.settings.stiffening = SN_STIFFENING_OFF; /* sweeps */
    return def;
}

static sn_world *make_world(const sn_world_def *def, uint32_t shape, uint32_t size)
{
    sn_world *world = support_world_from(def);
    uint64_t seed = 17 + shape;
    graph_shapes[shape].build(world, size, &seed);
    return world;
}

static sn_particle particle_at(const sn_world *world, uint32_t number)
{
    return (sn_particle){number, world->ids.generation[number]};
}

/* Gives every particle a velocity, and the same mass. */
static void stir(sn_world *world, double speed, bool movable)
{
    uint64_t seed = 23;
    bool flat = sn_world_dimensions(world) == 2;
    for (uint32_t i = 0; i < world->ids.table.count; ++i) {
        if (!sn_ids_is_live(&world->ids, i))
            continue;
        double x = support_random_in(&seed, -speed, speed), y = support_random_in(&seed, -speed, speed);
        double z = flat ? 0 : support_random_in(&seed, -speed, speed);
        if (movable)
            assert_ok(world, sn_particle_set_mass(world, particle_at(world, i), real(0.01 + 0.001 * (i % 5))));
        assert_ok(world, sn_particle_set_velocity(world, particle_at(world, i), vec(x, y, z)));
    }
}

static sn_report report_of(sn_world *world)
{
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    return report;
}

/* In longer substeps than those of 1 ms, large tiles do without the remainders of places: see tiled.c. */
#define SUBSTEPS 10

/* ---- Laws ---------------------------------------------------------------------------------------------------------------- */

static void test_momentum(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(free_shapes); ++i)
        for (uint32_t iterations = 1; iterations <= 3; iterations += 2) {
            sn_world_def def = plain_def();
            def.settings.substeps = iterations == 1 ? SUBSTEPS : 2 * SUBSTEPS;
            double precision = iterations == 1 ? 5e-4 : 1e-5;
            def.settings.gravity = vec(0, 0, 0);
            def.settings.iterations = iterations;
            sn_world *world = make_world(&def, free_shapes[i], 700);
            stir(world, 0.1, true);
            sn_report before = report_of(world);
            support_run(world, 5, 1.0 / 60);
            sn_report after = report_of(world);
            double scale = sqrt(2 * before.kinetic * 0.012 * sn_world_particle_count(world));
            for (uint32_t k = 0; k < 3; ++k)
                if (!(fabs(after.momentum[k] - before.momentum[k]) < precision * scale))
                    fail_msg("%s: momentum %u went from %g to %g", graph_shapes[free_shapes[i]].name, k,
                             before.momentum[k], after.momentum[k]);
            sn_world_destroy(world);
        }
}

/* Rods that begin satisfied do no work on the whole, if they are solved well: with few passes the reference swings up the
   tree, too. */
static void test_no_energy_from_nowhere(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(free_shapes); ++i) {
        sn_world_def def = plain_def();
        def.settings.gravity = vec(0, 0, 0);
        def.settings.iterations = 16;
        sn_world *world = make_world(&def, free_shapes[i], 400);
        stir(world, 0.1, true);
        double first = report_of(world).kinetic;
        for (uint32_t step = 0; step < support_long(40, 20); ++step) {
            support_run(world, 1, 1.0 / 60);
            double now = report_of(world).kinetic;
            if (!(now <= 1.001 * first))
                fail_msg("%s: kinetic energy rose from %g to %g J in step %u", graph_shapes[free_shapes[i]].name, first,
                         now, step);
        }
        sn_world_destroy(world);
    }
}

/* ---- Against the reference -------------------------------------------------------------------------------------------------- */

/* Worlds that differ in their solver alone. */
static void make_pair(const sn_world_def *def, uint32_t shape, uint32_t size, sn_world **tiled, sn_world **reference)
{
    sn_world_def other = *def;
    other.settings.solver = SN_SOLVER_GAUSS_SEIDEL;
    *tiled = make_world(def, shape, size);
    *reference = make_world(&other, shape, size);
}

static void destroy_pair(sn_world *a, sn_world *b)
{
    sn_world_destroy(a);
    sn_world_destroy(b);
}

/* A row of particles, and constraints of one kind along it that share some of them. */
static sn_world *make_row(const sn_world_def *def, uint32_t kind)
{
    enum { COUNT = 48 };
    sn_world *world = support_world_from(def);
    uint64_t seed = kind;
    sn_particle p[COUNT];
    bool flat = def->dimensions == 2;
    assert_true(sn_kind_register(world, &support_kind_gap) != 0);
    const sn_kind *info = sn_kind_info(world, kind);
    for (uint32_t i = 0; i < COUNT; ++i) {
        double y = support_random_in(&seed, 0, 0.5), z = flat ? 0 : support_random_in(&seed, 0, 0.5);
        p[i] = sn_particle_add_at(world, vec(0.2 * i + support_random_in(&seed, -0.05, 0.05), 5 + y, z), 1);
    }
    uint32_t count = support_point_count(info, false);
    for (uint32_t i = 0; i + count<COUNT; i += count> 1 ? count - 1 : 1) {
        sn_point points[SUPPORT_MOST_POINTS];
        for (uint32_t k = 0; k < count; ++k)
            points[k] = sn_at(p[i + support_particle_of_point(info, false, k)]);
        sn_constraint_def made = support_constraint_def(world, kind, points);
        made.compliance = support_kind_gives(info) && i % 2 ? real(1e-5) : 0;
        sn_constraint_add(world, &made, NULL);
    }
    for (uint32_t i = 0; i < COUNT; ++i) {
        double z = flat ? 0 : support_random_in(&seed, -0.05, 0.05);
        sn_vec3 v = vec(support_random_in(&seed, -0.05, 0.05), support_random_in(&seed, -0.05, 0.05), z);
        assert_ok(world, sn_particle_set_velocity(world, p[i], v));
    }
    return world;
}

/* After enough passes every kind is where the reference takes it, and exerts the same forces. */
static void compare_kind(uint32_t kind, uint32_t dimensions)
{
    sn_world_def def = plain_def();
    def.dimensions = dimensions;
    def.settings.substeps = 1;
    def.settings.iterations = 400;
    def.settings.gravity = vec(0, 0, 0);
    sn_world *tiled = make_row(&def, kind);
    def.settings.solver = SN_SOLVER_GAUSS_SEIDEL;
    sn_world *reference = make_row(&def, kind), *start = make_row(&def, kind);
    const char *name = sn_kind_info(tiled, kind)->name;
    support_run(tiled, 1, 1.0 / 60);
    support_run(reference, 1, 1.0 / 60);
    double gap = graph_distance(tiled, reference), moved = graph_distance(start, reference);
    if (!(gap <= 0.01 * moved + 1e-6))
        fail_msg("%s in %uD: %g m from the reference, which moved by %g m", name, dimensions, gap, moved);
    sn_constraint_walk walk = {0};
    double most = 0, worst = 0;
    while (sn_constraint_next(tiled, &walk)) {
        double a = (double)sn_constraint_force(tiled, walk.constraint).magnitude;
        double b = (double)sn_constraint_force(reference, walk.constraint).magnitude;
        most = b > most ? b : most;
        worst = fabs(a - b) > worst ? fabs(a - b) : worst;
    }
    if (!(worst <= 0.02 * most + 1e-3))
        fail_msg("%s in %uD: a force is off by %g of %g N", name, dimensions, worst, most);
    sn_world_destroy(start);
    destroy_pair(tiled, reference);
}

static void test_every_kind_converges_to_the_reference(void **state)
{
    (void)state;
    sn_world *world = support_world(), *flat = support_world_2d();
    assert_true(sn_kind_register(world, &support_kind_gap) != 0);
    uint32_t kinds = sn_kind_count(world);
    for (uint32_t kind = 1; kind < kinds; ++kind) {
        if (kind < SN_KIND_BUILTIN_END && (sn_kind_info(world, kind)->force || sn_kind_info(world, kind)->oriented))
            continue;
        compare_kind(kind, 3);
        if (kind < SN_KIND_BUILTIN_END && support_kind_fits(flat, kind))
            compare_kind(kind, 2);
    }
    sn_world_destroy(world);
    sn_world_destroy(flat);
}

/* Soft ropes and cloths, which have one solution, with dampers and without: over several substeps, so that a damper that is wrong about where
   one of them started would show. */
static void compare_soft(uint32_t shape, sn_material material, sn_integrator integrator)
{
    sn_world_def def = plain_def();
    sn_world *tiled, *reference;
    def.settings.substeps = material.damping > 0 ? 3 : 1;
    def.settings.iterations = material.damping > 0 ? 150 : 500;
    def.settings.integrator = integrator;
    make_pair(&def, shape, shape == GRAPH_GRID && material.damping > 0 ? 600 : 100, &tiled,
              &reference); /* so many are in planes */
    for (uint32_t k = 0; k < 2; ++k) {
        sn_constraint_walk walk = {0};
        while (sn_constraint_next(k ? tiled : reference, &walk))
            assert_ok(k ? tiled : reference,
                      sn_constraint_set_material(k ? tiled : reference, walk.constraint, material));
        if (material.damping > 0)
            stir(k ? tiled : reference, 0.1, false);
    }
    support_run(tiled, 2, 1.0 / 60);
    support_run(reference, 2, 1.0 / 60);
    double gap = graph_distance(tiled, reference);
    if (!(gap < 2e-5))
        fail_msg("%s, damping %g, integrator %d: %g m from the reference", graph_shapes[shape].name,
                 (double)material.damping, (int)integrator, gap);
    sn_constraint_walk walk = {0};
    while (sn_constraint_next(tiled, &walk)) {
        double a = (double)sn_constraint_force(tiled, walk.constraint).magnitude;
        double b = (double)sn_constraint_force(reference, walk.constraint).magnitude;
        if (!(fabs(a - b) < 0.02 * fabs(b) + 0.01))
            fail_msg("%s, damping %g, integrator %d: constraint %u pulls with %g N instead of %g N",
                     graph_shapes[shape].name, (double)material.damping, (int)integrator, walk.constraint.index, a, b);
    }
    destroy_pair(tiled, reference);
}

static void test_compliance(void **state)
{
    (void)state;
    static const uint32_t shapes[] = {GRAPH_ROPE, GRAPH_GRID, GRAPH_SHUFFLED, GRAPH_BLOCK, GRAPH_STAR};
    static const sn_integrator integrators[] = {SN_INTEGRATOR_SYMPLECTIC_EULER, SN_INTEGRATOR_LEAPFROG,
                                                SN_INTEGRATOR_BDF2};
    for (uint32_t i = 0; i < COUNT_OF(shapes); ++i) {
        compare_soft(shapes[i], (sn_material){real(1e-3), 0}, SN_INTEGRATOR_SYMPLECTIC_EULER);
        for (uint32_t k = 0; shapes[i] != GRAPH_STAR && k < COUNT_OF(integrators);
             ++k) /* that takes many more passes */
            if (k == i % COUNT_OF(integrators) || support_long(1, 0))
                compare_soft(shapes[i], (sn_material){real(1e-3), 5}, integrators[k]);
    }
}

static void test_every_integrator(void **state)
{
    (void)state;
    for (uint32_t integrator = 0; integrator <= SN_INTEGRATOR_BDF2; ++integrator)
        for (uint32_t gradients = 0; gradients < 2; ++gradients) {
            sn_world_def def = plain_def();
            sn_world *tiled, *reference;
            if (gradients == SN_GRADIENTS_START && integrator == SN_INTEGRATOR_BDF2)
                continue;
            def.settings.integrator = (sn_integrator)integrator;
            def.settings.gradients = (sn_gradients)gradients;
            def.settings.substeps = 4;
            def.settings.iterations = 200;
            make_pair(&def, GRAPH_ROPE, 20, &tiled, &reference);
            stir(tiled, 0.5, false);
            stir(reference, 0.5, false);
            support_run(tiled, 10, 1.0 / 60);
            support_run(reference, 10, 1.0 / 60);
            if (!(graph_distance(tiled, reference) < 2e-4))
                fail_msg("integrator %u, gradients %u: %g m from the reference", integrator, gradients,
                         graph_distance(tiled, reference));
            destroy_pair(tiled, reference);
        }
}

/* Passes end when the tolerance is reached, not before and not much after. */
static void test_tolerance(void **state)
{
    (void)state;
    static const uint32_t shapes[] = {GRAPH_GRID, GRAPH_SHUFFLED, GRAPH_STAR};
    for (uint32_t i = 0; i < COUNT_OF(shapes); ++i) {
        sn_world_def def = plain_def();
        def.settings.substeps = 1;
        def.settings.iterations = 5000;
        def.settings.tolerance = real(3e-3);
        sn_world *world = make_world(&def, shapes[i], 100);
        stir(world, 1, false);
        support_run(world, 1, 1.0 / 240);
        uint64_t loose = report_of(world).passes;
        sn_world_destroy(world);
        def.settings.tolerance = real(1e-3);
        world = make_world(&def, shapes[i], 100);
        stir(world, 1, false);
        support_run(world, 1, 1.0 / 240);
        uint64_t tight = report_of(world).passes;
        sn_world_destroy(world);
        if (!(loose > 1 && loose < tight && tight < 5000))
            fail_msg("%s: %llu and %llu passes", graph_shapes[shapes[i]].name, (unsigned long long)loose,
                     (unsigned long long)tight);
    }
}

/* ---- What it must not depend on ----------------------------------------------------------------------------------------------- */

static uint64_t hash_after(const sn_world_def *def, uint32_t shape, uint32_t size, uint32_t steps)
{
    sn_world *world = make_world(def, shape, size);
    uint64_t seed = 3;
    stir(world, 0.1, false);
    support_run(world, steps, 1.0 / 60);
    for (uint32_t i = 0; i < 10; ++i)
        graph_edit(world, &seed, false);
    support_run(world, 1, 1.0 / 240);
    uint64_t hash = sn_world_hash(world);
    sn_world_destroy(world);
    return hash;
}

/* The same bits for any number of threads and any width of vectors, by two ways of taking a step. */
static void test_threads_and_vectors(void **state)
{
    (void)state;
    static const uint32_t shapes[] = {GRAPH_ROPE,  GRAPH_GRID,   GRAPH_CLOTH, GRAPH_BLOCK,   GRAPH_STAR,
                                      GRAPH_ROPES, GRAPH_CLOTHS, GRAPH_WILD,  GRAPH_CLIQUES, GRAPH_GAPS};
    for (uint32_t i = 0; i < COUNT_OF(shapes); i += support_rounds(1, 3))
        for (uint32_t slow = support_long(0, i % 2); slow < support_long(2, i % 2 + 1); ++slow) {
            sn_world_def def = plain_def();
            def.settings.substeps = 3;
            def.settings.iterations = 1 + slow;
            def.settings.integrator = slow ? SN_INTEGRATOR_LEAPFROG : SN_INTEGRATOR_SYMPLECTIC_EULER;
            uint64_t hash = hash_after(&def, shapes[i], graph_shapes[shapes[i]].large, 1);
            for (uint32_t k = support_long(2, 3); k <= 8; k += k < 4 ? support_long(1, 5) : 4) {
                def.threads = k;
                if (hash_after(&def, shapes[i], graph_shapes[shapes[i]].large, 1) != hash)
                    fail_msg("%s: %u threads make a difference", graph_shapes[shapes[i]].name, k);
            }
            def.threads = 1;
            for (uint32_t simd = SN_SIMD_SCALAR; simd <= SN_SIMD_16; ++simd) {
                def.simd = (sn_simd)simd;
                if (sn_world_def_check(&def, NULL, 0) != SN_OK)
                    continue;
                if (hash_after(&def, shapes[i], graph_shapes[shapes[i]].large, 1) != hash)
                    fail_msg("%s: vectors of kind %u make a difference", graph_shapes[shapes[i]].name, simd);
            }
        }
}

static void test_task_hooks(void **state)
{
    (void)state;
    static const support_task_mode modes[] = {SUPPORT_TASKS_FORWARD, SUPPORT_TASKS_REVERSE, SUPPORT_TASKS_THREADS,
                                              SUPPORT_TASKS_TWICE, SUPPORT_TASKS_ECHO};
    for (uint32_t shape = GRAPH_GRID; shape <= GRAPH_SHUFFLED; shape += GRAPH_SHUFFLED - GRAPH_GRID) {
        sn_world_def def = plain_def();
        uint64_t hash = hash_after(&def, shape, 9000, 1);
        for (uint32_t i = 0; i < COUNT_OF(modes); ++i) {
            support_tasks tasks = {.mode = modes[i], .threads = 3};
            def.tasks = support_tasks_hook(&tasks);
            assert_int_equal(hash_after(&def, shape, 9000, 1), hash);
            assert_true(tasks.runs > 0);
        }
    }
}

/* ---- Steps in one go ------------------------------------------------------------------------------------------------------------ */

typedef enum scene { SCENE_PLAIN, SCENE_DAMPED, SCENE_FIELD, SCENE_FORCES, SCENE_TARGETS, SCENE_SPRINGS, SCENES } scene;

/* A drag of rate 0 takes nothing away, but tiles leave their planes after every pass. */
static sn_world *make_scene(uint32_t shape, scene what, uint32_t iterations, uint32_t substeps, bool in_one_go)
{
    sn_world_def def = plain_def();
    sn_drag_def drag = sn_default_drag_def();
    def.settings.iterations = iterations;
    def.settings.substeps = substeps;
    def.settings.damping = what == SCENE_DAMPED ? 3 : 0;
    sn_world *world = make_world(&def, shape, 300);
    stir(world, 0.1, false);
    if (what == SCENE_FIELD)
        assert_ok(world, sn_field_add(world, support_wind, NULL, true, NULL));
    if (what == SCENE_SPRINGS)
        for (uint32_t i = 0; i + 40 < world->ids.table.count; i += 20)
            if (sn_ids_is_live(&world->ids, i) && sn_ids_is_live(&world->ids, i + 40))
                sn_constraint_add_spring(world, sn_at(particle_at(world, i)), sn_at(particle_at(world, i + 40)),
                                         SN_MEASURE, 1, 0);
    if (!in_one_go)
        assert_ok(world, sn_drag_add(world, &drag, NULL));
    return world;
}

static void act(sn_world *world, scene what)
{
    for (uint32_t i = 0; i < world->ids.table.count; i += 11) {
        if (!sn_ids_is_live(&world->ids, i))
            continue;
        sn_particle p = particle_at(world, i);
        sn_vec3 x = sn_particle_position(world, p);
        if (what == SCENE_FORCES)
            assert_ok(world, sn_particle_apply_force(world, p, vec(0.1, 0.2, -0.1)));
        if (what == SCENE_TARGETS && i % 3 == 0)
            assert_ok(world, sn_particle_move_to(world, p, vec((double)x.x + 0.003, (double)x.y, (double)x.z - 0.002)));
    }
}

/* Tiles that stay in their planes, and tiles that do not: the same up to what a drag of rate 0 rounds. */
static void test_steps_in_one_go(void **state)
{
    (void)state;
    static const uint32_t shapes[] = {GRAPH_ONE,  GRAPH_ROPE,  GRAPH_GRID,   GRAPH_CLOTH, GRAPH_BLOCK,
                                      GRAPH_STAR, GRAPH_ROPES, GRAPH_CLOTHS, GRAPH_TWICE, GRAPH_SHUFFLED};
    for (uint32_t i = 0; i < COUNT_OF(shapes); ++i)
        for (uint32_t what = 0; what < SCENES; ++what)
            for (uint32_t iterations = 1; iterations <= 2; ++iterations) {
                uint32_t substeps = (i + what) % 2 ? SUBSTEPS : 2 * SUBSTEPS;
                double precision = substeps == SUBSTEPS ? 1e-4 : 5e-6;
                sn_world *quick = make_scene(shapes[i], (scene)what, iterations, substeps, true);
                sn_world *slow = make_scene(shapes[i], (scene)what, iterations, substeps, false);
                for (uint32_t step = 0; step < 2; ++step) {
                    act(quick, (scene)what);
                    act(slow, (scene)what);
                    support_run(quick, 1, 1.0 / 60);
                    support_run(slow, 1, 1.0 / 60);
                }
                assert_int_equal(report_of(quick).passes, report_of(slow).passes);
                sn_report a = report_of(quick), b = report_of(slow);
                if (!(graph_distance(quick, slow) < precision) ||
                    !(fabs(a.kinetic - b.kinetic) < 1e-3 * b.kinetic + 1e-7))
                    fail_msg("%s, scene %u, %u passes: %g m and %g J apart", graph_shapes[shapes[i]].name, what,
                             iterations, graph_distance(quick, slow), a.kinetic - b.kinetic);
                sn_constraint_walk walk = {0};
                double most = 0, worst = 0;
                while (sn_constraint_next(quick, &walk)) {
                    double f = (double)sn_constraint_force(quick, walk.constraint).magnitude;
                    double g = (double)sn_constraint_force(slow, walk.constraint).magnitude;
                    most = g > most ? g : most;
                    worst = fabs(f - g) > worst ? fabs(f - g) : worst;
                }
                if (!(worst <= 0.02 * most + 0.02)) /* rods: an error of 1e-8 m is 4 mN */
                    fail_msg("%s, scene %u, %u passes: forces differ by %g of %g N", graph_shapes[shapes[i]].name, what,
                             iterations, worst, most);
                destroy_pair(quick, slow);
            }
}

/* Immovable particles stay, and z stays 0 in a flat world. */
static void test_flat_worlds(void **state)
{
    (void)state;
    static const uint32_t shapes[] = {GRAPH_ROPE, GRAPH_GRID, GRAPH_CLOTH, GRAPH_STAR, GRAPH_TWICE};
    for (uint32_t i = 0; i < COUNT_OF(shapes); ++i) {
        sn_world_def def = plain_def();
        def.dimensions = 2;
        def.settings.iterations = 2;
        sn_world *world = make_world(&def, shapes[i], 200);
        stir(world, 0.1, false);
        support_run(world, 2, 1.0 / 60);
        sn_world *start = make_world(&def, shapes[i], 200);
        for (uint32_t k = 0; k < world->ids.table.count; ++k) {
            sn_particle p = particle_at(world, k);
            assert_true(sn_particle_position(world, p).z == 0);
            if (sn_particle_inverse_mass(world, p) == 0)
                assert_vec_same(sn_particle_position(world, p), sn_particle_position(start, p));
        }
        destroy_pair(world, start);
    }
}

/* Going to another integrator and back must leave no past behind, however the steps between are taken. */
static void test_integrators_take_turns(void **state)
{
    (void)state;
    sn_world *world[2] = {make_scene(GRAPH_ROPE, SCENE_PLAIN, 20, SUBSTEPS, true),
                          make_scene(GRAPH_ROPE, SCENE_PLAIN, 20, SUBSTEPS, false)};
    static const sn_integrator turns[] = {SN_INTEGRATOR_BDF2, SN_INTEGRATOR_SYMPLECTIC_EULER, SN_INTEGRATOR_VERLET,
                                          SN_INTEGRATOR_SYMPLECTIC_EULER, SN_INTEGRATOR_BDF2};
    for (uint32_t i = 0; i < COUNT_OF(turns); ++i)
        for (uint32_t k = 0; k < 2; ++k) {
            sn_settings settings = sn_world_settings(world[k]);
            settings.integrator = turns[i];
            assert_ok(world[k], sn_world_configure(world[k], &settings));
            support_run(world[k], 2, 1.0 / 60);
        }
    assert_true(graph_distance(world[0], world[1]) < 1e-4);
    destroy_pair(world[0], world[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_no_energy_from_nowhere),
        cmocka_unit_test(test_every_kind_converges_to_the_reference),
        cmocka_unit_test(test_compliance),
        cmocka_unit_test(test_every_integrator),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_threads_and_vectors),
        cmocka_unit_test(test_task_hooks),
        cmocka_unit_test(test_steps_in_one_go),
        cmocka_unit_test(test_flat_worlds),
        cmocka_unit_test(test_integrators_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

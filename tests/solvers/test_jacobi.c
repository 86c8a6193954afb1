/* All at once: the two ways of putting together, momentum, threads, and systems that have too many constraints. */
#include "solver_cases.h"

static void split(sn_settings *s)
{
    s->solver = SN_SOLVER_JACOBI;
}

static void averaged(sn_settings *s)
{
    s->solver = SN_SOLVER_JACOBI;
    s->jacobi = SN_JACOBI_AVERAGED;
}

static void over_relaxed(sn_settings *s)
{
    averaged(s);
    s->relaxation = real(1.5);
}

static solver_setup *const setups[] = {split, averaged, over_relaxed};

/* ---- By hand ----------------------------------------------------------------------------------------------------- */

/* a is fixed at 0, b = 1.2, c = 2.6 of 1 kg on the x axis, rods ab and bc of 1 m; one pass without gravity. */
static void check_line(solver_setup *setup, bool far_rod_first, double b, double c)
{
    sn_world *world = solver_world(setup, 1, 1);
    solver_set_gravity(world, vec(0, 0, 0));
    sn_particle p[3] = {sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE),
                        sn_particle_add_at(world, vec(1.2, 0, 0), 1), sn_particle_add_at(world, vec(2.6, 0, 0), 1)};
    for (uint32_t i = 0; i < 2; ++i) {
        uint32_t rod = i ^ far_rod_first;
        sn_constraint_add_distance(world, sn_at(p[rod]), sn_at(p[rod + 1]), 1);
    }
    assert_ok(world, sn_world_step(world, 1));
    assert_close(sn_particle_position(world, p[1]).x, b, EXACTNESS(1e-6, 1e-14));
    assert_close(sn_particle_position(world, p[2]).x, c, EXACTNESS(1e-6, 1e-14));
    sn_world_destroy(world);
}

/* Split: b is two halves. ab moves its half by -0.2, which is -0.1 of the whole; for bc, b is twice as light as c, and
   the impulse 0.4 / 3 moves b and c alike. Averaged: ab asks -0.2 of b, bc 0.2; c has no one else. */
static void all_see_the_same_positions(void **state)
{
    (void)state;
    for (uint32_t far_rod_first = 0; far_rod_first < 2; ++far_rod_first) {
        check_line(split, far_rod_first, 1.1 + 0.4 / 3, 2.6 - 0.4 / 3);
        check_line(averaged, far_rod_first, 1.2, 2.4);
        check_line(over_relaxed, far_rod_first, 1.2, 2.3);
    }
}

enum { MODEL_RODS = 7 };

/* One pass over a line of rods of 1 m between particles of these inverse masses, in double. */
static void model_pass(bool is_split, double relaxation, const double *w, double *x)
{
    double move[MODEL_RODS + 1] = {0}, n[MODEL_RODS + 1];
    for (uint32_t i = 0; i <= MODEL_RODS; ++i)
        n[i] = i == 0 || i == MODEL_RODS ? 1 : 2;
    for (uint32_t i = 0; i < MODEL_RODS; ++i) {
        double a = is_split ? n[i] * w[i] + n[i + 1] * w[i + 1] : w[i] + w[i + 1], c = x[i + 1] - x[i] - 1;
        move[i] += w[i] * c / a;
        move[i + 1] -= w[i + 1] * c / a;
    }
    for (uint32_t i = 0; i <= MODEL_RODS; ++i)
        x[i] += is_split ? move[i] : relaxation / n[i] * move[i];
}

static void passes_match_a_model(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (uint32_t round = 0; round < 30; ++round) {
        uint32_t passes = 1 + round % 5, way = round % 3;
        double x[MODEL_RODS + 1], w[MODEL_RODS + 1];
        sn_particle p[MODEL_RODS + 1];
        sn_world *world = solver_world(setups[way], 1, passes);
        solver_set_gravity(world, vec(0, 0, 0));
        for (uint32_t i = 0; i <= MODEL_RODS; ++i) {
            sn_real place = real(i + support_random_in(&seed, -0.4, 0.4));
            x[i] = (double)place;
            w[i] = i % 3 ? 1 : 0.25;
            p[i] = sn_particle_add_at(world, vec(x[i], 0, 0), real(1 / w[i]));
        }
        for (uint32_t i = 0; i < MODEL_RODS; ++i) {
            uint32_t rod = 3 * i % MODEL_RODS; /* whatever order */
            sn_constraint_add_distance(world, sn_at(p[rod]), sn_at(p[rod + 1]), 1);
        }
        assert_ok(world, sn_world_step(world, 1));
        for (uint32_t i = 0; i < passes; ++i)
            model_pass(way == 0, way == 2 ? 1.5 : 1, w, x);
        for (uint32_t i = 0; i <= MODEL_RODS; ++i)
            assert_close(sn_particle_position(world, p[i]).x, x[i], EXACTNESS(5e-6, 1e-13));
        sn_world_destroy(world);
    }
}

/* ---- Convergence ------------------------------------------------------------------------------------------------- */

/* A crooked rope comes out right, and how many passes that took depends on the tolerance. */
static void tolerance_ends_the_passes(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-2, 1e-3, 1e-4};
    for (size_t way = 0; way < COUNT_OF(setups); ++way) {
        uint32_t last = 0;
        for (size_t i = 0; i < COUNT_OF(tolerances); ++i) {
            sn_world *world = solver_world(setups[way], 1, 5000);
            solver_set_gravity(world, vec(0, 0, 0));
            solver_chain c = chain_in(world, 9, 1, 1, 0);
            uint64_t seed = 11;
            for (uint32_t n = 1; n <= c.links; ++n)
                assert_ok(world, sn_particle_set_position(
                                     world, c.node[n],
                                     vec(n, support_random_in(&seed, -0.2, 0.2), support_random_in(&seed, -0.2, 0.2))));
            sn_settings s = sn_world_settings(world);
            s.tolerance = real(tolerances[i]);
            assert_ok(world, sn_world_configure(world, &s));
            assert_ok(world, sn_world_step(world, 1));
            sn_report report;
            assert_ok(world, sn_world_report(world, &report));
            assert_true(report.passes > last && report.passes < 5000);
            assert_true(chain_strain(&c) < 3 * tolerances[i]);
            last = (uint32_t)report.passes;
            sn_world_destroy(world);
        }
    }
}

/* It ends where the cascade ends: compliance as it should be, whatever the number of passes. */
static void springs_hang_as_they_should(void **state)
{
    (void)state;
    static const uint32_t passes[][2] = {{200, 1}, {10, 10}};
    for (size_t n = 0; n < COUNT_OF(passes); ++n) {
        sn_world *world = solver_world(split, passes[n][1], passes[n][0]);
        sn_settings s = sn_world_settings(world);
        s.damping = 1;
        assert_ok(world, sn_world_configure(world, &s));
        solver_chain c = chain_in(world, 10, 0.1, 0.1, 1e-3);
        for (uint32_t i = 1; i <= c.links; ++i)
            assert_ok(world, sn_particle_set_position(world, c.node[i], vec(0, -0.1 * i, 0)));
        support_run(world, 2400, FRAME);
        for (uint32_t i = 0; i < c.links; ++i) {
            double stretch = (10 - i) * 0.1 * 9.81 * 1e-3;
            assert_close(solver_distance(world, c.node[i], c.node[i + 1]) - 0.1, stretch, 2e-3 * stretch);
        }
        sn_world_destroy(world);
    }
}

/* Springs in a row between two walls, where every mass has two of them: also the averaged way knows their forces. */
static void averaged_springs_between_walls(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(setups); ++way) {
        enum { MASSES = 4 };
        sn_world *world = solver_world(setups[way], 1, 100);
        sn_settings s = sn_world_settings(world);
        s.damping = 20;
        assert_ok(world, sn_world_configure(world, &s));
        solver_chain c = chain_in(world, MASSES + 1, 0.1, 0.1, 1e-3);
        assert_ok(world, sn_particle_set_mass(world, c.node[MASSES + 1], SN_IMMOVABLE));
        for (uint32_t i = 1; i <= c.links; ++i)
            assert_ok(world, sn_particle_set_position(world, c.node[i], vec(0, -0.1 * i, 0)));
        support_run(world, 600, FRAME);
        for (uint32_t i = 0; i < c.links; ++i) { /* the upper ones pull, the lower ones push */
            double force = (MASSES / 2.0 - i) * 0.1 * 9.81;
            assert_close(solver_distance(world, c.node[i], c.node[i + 1]) - 0.1, 1e-3 * force, 1e-6);
            assert_close(-sn_constraint_force(world, c.rod[i]).row[0], force, 2e-3);
        }
        sn_world_destroy(world);
    }
}

/* One constraint alone is no different from the cascade, with every integrator. */
static void one_constraint_is_the_cascade(void **state)
{
    (void)state;
    for (int integrator = SN_INTEGRATOR_SYMPLECTIC_EULER; integrator <= SN_INTEGRATOR_BDF2; ++integrator) {
        sn_vec3 place[2];
        for (uint32_t n = 0; n < 2; ++n) {
            sn_world *world = solver_world(n ? split : solver_cascade, 10, 3);
            sn_settings s = sn_world_settings(world);
            s.integrator = (sn_integrator)integrator;
            assert_ok(world, sn_world_configure(world, &s));
            solver_chain c = chain_in(world, 1, 1, 1, integrator % 2 ? 1e-3 : 0);
            assert_ok(world,
                      sn_constraint_set_material(world, c.rod[0], (sn_material){real(integrator % 2 ? 1e-3 : 0), 0}));
            support_run(world, 60, FRAME);
            place[n] = sn_particle_position(world, c.node[1]);
            sn_world_destroy(world);
        }
        assert_vec_close(place[0], place[1], EXACTNESS(1e-6, 1e-12));
    }
}

/* The energy that BDF2 keeps it keeps here as well: a double pendulum from 90 degrees. */
static void second_order_with_bdf2(void **state)
{
    (void)state;
    sn_world *world = solver_world(split, 10, 100);
    sn_settings s = sn_world_settings(world);
    s.integrator = SN_INTEGRATOR_BDF2;
    s.tolerance = real(EXACTNESS(1e-8, 1e-12));
    assert_ok(world, sn_world_configure(world, &s));
    solver_chain c = chain_in(world, 2, 1, 1, 0);
    support_run(world, 30, FRAME);
    assert_vec_close(sn_particle_position(world, c.node[2]), vec(1.47346567, -1.20038944, 0), 1e-3);
    sn_world_destroy(world);
}

/* ---- Momentum ---------------------------------------------------------------------------------------------------- */

static momenta drift_of_tumbling(solver_setup *setup, uint32_t iterations, uint32_t steps, double dt, momenta *before)
{
    sn_world *world = tumbling_rods(setup, iterations);
    *before = momenta_of(world, 5);
    support_run(world, steps, dt);
    momenta after = momenta_of(world, 5);
    sn_world_destroy(world);
    return after;
}

/* Split: linear momentum is conserved to round-off, however few the passes; the angular one at first order in h.
   Averaged: it is not. */
static void split_masses_conserve_momentum(void **state)
{
    (void)state;
    momenta before, after;
    for (uint32_t iterations = 1; iterations <= 30; iterations += 29) {
        after = drift_of_tumbling(split, iterations, 1000, 1.0 / 600, &before);
        assert_true(linear_drift(&before, &after) < EXACTNESS(1e-5, 1e-9));
    }
    after = drift_of_tumbling(split, 200, 60, FRAME, &before);
    double coarse = angular_drift(&before, &after);
    after = drift_of_tumbling(split, 200, 600, FRAME / 10, &before);
    double fine = angular_drift(&before, &after);
    assert_true(coarse > 1e-4 && fine < coarse / 5);
    after = drift_of_tumbling(averaged, 1, 1000, 1.0 / 600, &before);
    assert_true(linear_drift(&before, &after) > 1e-3);
}

/* Every internal kind, soft or rigid, on particles and on spots: all of the zoo that is not held by the world. */
static void internal_kinds_conserve_momentum(void **state)
{
    (void)state;
    for (uint32_t kind = 1; kind < sn_kind_count(NULL); ++kind) {
        const sn_kind *info = sn_kind_info(NULL, kind);
        if (!info->internal || info->force || info->project || info->oriented)
            continue;
        sn_world *world = solver_world(split, 1, 4);
        solver_set_gravity(world, vec(0, 0, 0));
        uint64_t seed = kind;
        sn_particle p[SUPPORT_MOST_POINTS];
        sn_point points[SUPPORT_MOST_POINTS];
        for (uint32_t i = 0; i < SUPPORT_MOST_POINTS; ++i) {
            p[i] = sn_particle_add_at(
                world,
                vec(support_random_in(&seed, -1, 1), support_random_in(&seed, -1, 1), support_random_in(&seed, -1, 1)),
                real(support_random_in(&seed, 0.5, 2)));
        }
        for (uint32_t i = 0; i < support_point_count(info, false); ++i)
            points[i] = sn_at(p[support_particle_of_point(info, false, i)]);
        for (uint32_t n = 0; n < 3; ++n) { /* three of them share the particles */
            sn_constraint_def def = support_constraint_def(world, kind, points);
            def.compliance = n == 1 ? real(1e-3) : 0;
            assert_ok(world, sn_constraint_add(world, &def, NULL));
        }
        for (uint32_t i = 0; i < SUPPORT_MOST_POINTS; ++i)
            assert_ok(world,
                      sn_particle_set_velocity(world, p[i],
                                               vec(support_random_in(&seed, -1, 1), support_random_in(&seed, -1, 1),
                                                   support_random_in(&seed, -1, 1))));
        momenta before = momenta_of(world, SUPPORT_MOST_POINTS);
        support_run(world, 10, 0.01);
        momenta after = momenta_of(world, SUPPORT_MOST_POINTS);
        if (linear_drift(&before, &after) > EXACTNESS(1e-4, 1e-11) * (1 + after.scale[0]))
            fail_msg("%s: linear momentum changes by %g", info->name, linear_drift(&before, &after));
        sn_world_destroy(world);
    }
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

enum { SIDE = 70, MOST_EDGES = 2 * SIDE * SIDE };

/* Soft constraints of kinds with any number of points, which share the store's scratch: more of them than a task
   takes. */
static void add_lists(sn_world *world, sn_particles grid)
{
    uint32_t added = 0;
    for (uint32_t first = 0; added < 5000; first = (first + 7) % (SIDE * SIDE - 4 * SIDE))
        for (uint32_t kind = 1; kind < sn_kind_count(world); ++kind) {
            const sn_kind *info = sn_kind_info(world, kind);
            if (info->points || info->force || info->project)
                continue;
            sn_point points[SUPPORT_MOST_POINTS];
            for (uint32_t i = 0; i < support_point_count(info, false); ++i) {
                uint32_t n = support_particle_of_point(info, false, i);
                points[i] = sn_at(sn_particles_at(grid, first + n / 2 * SIDE + n % 2 + n / 3));
            }
            sn_constraint_def many = support_constraint_def(world, kind, points);
            many.compliance = real(1e-2);
            assert_ok(world, sn_constraint_add(world, &many, NULL));
            ++added;
        }
}

/* A cloth of more constraints than a task takes. */
static sn_world *threaded_cloth(solver_setup *setup, support_tasks *tasks, support_memory *memory)
{
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = 2;
    def.settings.iterations = 3;
    setup(&def.settings);
    if (tasks)
        def.tasks = support_tasks_hook(tasks);
    if (memory)
        def.allocator = support_allocator(memory);
    sn_world *world = support_world_from(&def);
    sn_real *xyz = calloc(3 * SIDE * SIDE, sizeof *xyz);
    uint32_t *edge = calloc(2 * MOST_EDGES, sizeof *edge), edges = 0;
    assert_true(xyz && edge);
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        xyz[3 * i] = real(0.1 * (i % SIDE));
        xyz[3 * i + 2] = real(0.1 * (i / SIDE));
        for (uint32_t right = 0; right < 2; ++right) {
            bool has = right ? i % SIDE + 1 < SIDE : i / SIDE + 1 < SIDE;
            if (!has)
                continue;
            edge[2 * edges] = i;
            edge[2 * edges++ + 1] = i + (right ? 1 : SIDE);
        }
    }
    sn_particles grid = sn_particles_add(world, SIDE * SIDE, xyz, 0, 1);
    assert_int_equal(sn_constraints_add_kind(world, SN_KIND_DISTANCE, edges, edge, NULL, NULL).count, edges);
    sn_constraint_add_pin(world, sn_particles_at(grid, 0));
    sn_constraint_add_pin(world, sn_particles_at(grid, SIDE - 1));
    add_lists(world, grid);
    free(xyz);
    free(edge);
    return world;
}

static void threads_change_nothing(void **state)
{
    (void)state;
    for (size_t way = 0; way < 2; ++way) {
        support_tasks modes[] = {{.mode = SUPPORT_TASKS_FORWARD},
                                 {.mode = SUPPORT_TASKS_REVERSE},
                                 {.mode = SUPPORT_TASKS_THREADS, .threads = 2},
                                 {.mode = SUPPORT_TASKS_THREADS, .threads = 4},
                                 {.mode = SUPPORT_TASKS_THREADS, .threads = 8},
                                 {.mode = SUPPORT_TASKS_TWICE},
                                 {.mode = SUPPORT_TASKS_ECHO, .threads = 3}};
        sn_world *reference = threaded_cloth(setups[way], NULL, NULL);
        support_run(reference, support_long(5, 1), FRAME);
        for (size_t i = 0; i < COUNT_OF(modes); ++i) {
            support_memory memory = {0};
            sn_world *world = threaded_cloth(setups[way], &modes[i], &memory);
            support_run(world, support_long(5, 1), FRAME);
            assert_same_world(world, reference);
            assert_true(modes[i].most >= 3); /* constraints too, not only particles */
            sn_world_destroy(world);
            assert_memory_clean(&memory);
        }
        sn_world_destroy(reference);
    }
}

/* A task that is lost is noticed wherever it happens, and the world stands before the step. */
static void lost_tasks_are_noticed(void **state)
{
    (void)state;
    support_tasks count = {.mode = SUPPORT_TASKS_FORWARD};
    sn_world *world = threaded_cloth(split, &count, NULL), *reference = threaded_cloth(split, NULL, NULL);
    support_run(reference, 2, FRAME);
    support_run(world, 1, FRAME);
    uint32_t runs = count.runs; /* in two substeps, and one for the copy */
    sn_world_destroy(world);
    assert_true(runs >= 17); /* among them two for each of three passes */
    for (uint32_t run = 0; run < runs; run += support_long(1, 3)) {
        support_tasks tasks = {.mode = SUPPORT_TASKS_FORWARD};
        world = threaded_cloth(split, &tasks, NULL);
        support_run(world, 1, FRAME);
        uint64_t hash = sn_world_hash(world);
        tasks = (support_tasks){.mode = SUPPORT_TASKS_LOSE, .lossy_run = run, .lost = 1};
        assert_result(world, SN_ERROR_HOST, sn_world_step(world, real(FRAME)));
        assert_says(sn_world_error(world), "task");
        tasks.mode = SUPPORT_TASKS_FORWARD;
        assert_true(sn_world_hash(world) == hash);
        support_run(world, 1, FRAME);
        assert_same_world(world, reference);
        sn_world_destroy(world);
    }
    sn_world_destroy(reference);
}

/* ---- Faults ------------------------------------------------------------------------------------------------------ */

static bool broken_eval(const sn_eval_in *in, const sn_eval_out *out)
{
    out->c[0] = in->param[0] > 0 ? (sn_real)NAN : in->x[0].x;
    out->gradient[0].x = 1;
    return true;
}

/* The constraint that cannot be projected is named, and the world stands where it stood. */
static void faults_are_named(void **state)
{
    (void)state;
    static const sn_kind broken = {.name = "test_broken",
                                   .points = 1,
                                   .rows = 1,
                                   .param = {{.name = "on", .unit = "1", .type = SN_PARAM_REAL, .has_default = true}},
                                   .eval = broken_eval};
    for (size_t way = 0; way < 2; ++way) {
        sn_world *world = solver_world(setups[way], 10, 2);
        uint32_t kind = sn_kind_register(world, &broken);
        solver_chain c = chain_in(world, 3, 1, 1, 0);
        sn_constraint made[3];
        for (uint32_t i = 0; i < 3; ++i) {
            sn_constraint_def def = sn_default_constraint_def(kind);
            sn_point point = sn_at(c.node[i + 1]);
            def.points = &point;
            def.param[0] = 0;
            assert_ok(world, sn_constraint_add(world, &def, &made[i]));
        }
        support_run(world, 1, FRAME);
        sn_real on = 1;
        assert_ok(world, sn_constraint_set_param(world, made[1], "on", &on, 1));
        uint64_t hash = sn_world_hash(world);
        assert_result(world, SN_ERROR_DIVERGED, sn_world_step(world, real(FRAME)));
        assert_says(sn_world_error(world), "test_broken constraint 1");
        assert_true(sn_world_hash(world) == hash);
        sn_world_destroy(world);
    }
}

/* ---- What all solvers have to do --------------------------------------------------------------------------------- */

static void too_many_constraints(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(setups); ++way) {
        check_every_rod_twice(setups[way], 0.05);
        check_triangle_with_a_double_edge(setups[way], 0.01);
    }
}

static void comings_and_goings(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(setups); ++way)
        check_comings_and_goings(setups[way], 0.05);
}

static void switched_without_a_jump(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(setups); ++way)
        check_switching(setups[way], 0.5);
}

static void every_kind(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(setups); ++way)
        check_zoo(setups[way]);
    check_projections_are_refused(split, "jacobi");
}

static void memory_and_snapshots(void **state)
{
    (void)state;
    check_no_allocation(split);
    check_out_of_memory(split);
    check_snapshots(split);
    check_snapshots(averaged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_see_the_same_positions),
        cmocka_unit_test(passes_match_a_model),
        cmocka_unit_test(tolerance_ends_the_passes),
        cmocka_unit_test(springs_hang_as_they_should),
        cmocka_unit_test(averaged_springs_between_walls),
        cmocka_unit_test(one_constraint_is_the_cascade),
        cmocka_unit_test(second_order_with_bdf2),
        cmocka_unit_test(split_masses_conserve_momentum),
        cmocka_unit_test(internal_kinds_conserve_momentum),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(lost_tasks_are_noticed),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(too_many_constraints),
        cmocka_unit_test(comings_and_goings),
        cmocka_unit_test(switched_without_a_jump),
        cmocka_unit_test(every_kind),
        cmocka_unit_test(memory_and_snapshots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The hooks of the host program: tasks on real threads, in any order, twice or not at all; logs; the built-in threads; and
   worlds on several threads at once. Results never depend on any of it. */
#include "support/support.h"

#include "world/world.h"

#include <fenv.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIDE  110 /* particles along an edge: more than one task's worth in all */
#define STEPS 4

/* A cloth that is held at two corners, in the wind. */
static sn_world *cloth(const sn_world_def *def)
{
    sn_world *world = support_world_from(def);
    sn_real *xyz = calloc(3 * SIDE * SIDE, sizeof *xyz);
    uint32_t *index = calloc(4 * SIDE * SIDE, sizeof *index), edges = 0;
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        uint32_t column = i % SIDE, row = i / SIDE;
        xyz[3 * i] = real(0.1 * column);
        xyz[3 * i + 2] = real(0.1 * row);
        if (column + 1 < SIDE) {
            index[2 * edges] = i;
            index[2 * edges++ + 1] = i + 1;
        }
        if (row + 1 < SIDE) {
            index[2 * edges] = i;
            index[2 * edges++ + 1] = i + SIDE;
        }
    }
    sn_particles grid = sn_particles_add(world, SIDE * SIDE, xyz, 0, real(0.01));
    assert_int_equal(grid.first, 0);
    assert_int_equal(sn_constraints_add_kind(world, SN_KIND_DISTANCE, edges, index, NULL, NULL).count, edges);
    sn_constraint_add_pin(world, sn_particles_at(grid, 0));
    sn_constraint_add_pin(world, sn_particles_at(grid, SIDE - 1));
    assert_ok(world, sn_field_add(world, support_wind, NULL, true, NULL));
    free(xyz);
    free(index);
    return world;
}

static sn_world_def cloth_def(support_tasks *tasks)
{
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = 3;
    if (tasks)
        def.tasks = support_tasks_hook(tasks);
    return def;
}

/* Without a hook, on one thread. */
static sn_world *plain_cloth(void)
{
    sn_world_def def = cloth_def(NULL);
    def.threads = 1;
    return cloth(&def);
}

/* ---- Tasks ------------------------------------------------------------------------------------------------------- */

static void test_same_results(void **state)
{
    (void)state;
    support_tasks modes[] = {{.mode = SUPPORT_TASKS_FORWARD},
                             {.mode = SUPPORT_TASKS_REVERSE},
                             {.mode = SUPPORT_TASKS_THREADS, .threads = 2},
                             {.mode = SUPPORT_TASKS_THREADS, .threads = 4},
                             {.mode = SUPPORT_TASKS_THREADS, .threads = 8},
                             {.mode = SUPPORT_TASKS_TWICE},
                             {.mode = SUPPORT_TASKS_ECHO, .threads = 3}};
    sn_world *reference = plain_cloth();
    support_run(reference, STEPS, 1.0 / 60);
    for (uint32_t i = 0; i < COUNT_OF(modes); ++i) {
        sn_world_def def = cloth_def(&modes[i]);
        support_memory memory = {0};
        def.allocator = support_allocator(&memory);
        sn_world *world = cloth(&def);
        support_run(world, STEPS, 1.0 / 60);
        assert_same_world(world, reference);
        assert_true(modes[i].runs > 0);
        assert_in_range(modes[i].most, 2, SIDE * SIDE);
        sn_world_destroy(world);
        assert_memory_clean(&memory); /* and the allocator was called from this thread only */
    }
    sn_world_destroy(reference);
}

/* The cut into tasks is fixed by the scene. */
static void test_same_cut(void **state)
{
    (void)state;
    support_tasks few = {.mode = SUPPORT_TASKS_THREADS, .threads = 1},
                  many = {.mode = SUPPORT_TASKS_THREADS, .threads = 7};
    sn_world_def few_def = cloth_def(&few), many_def = cloth_def(&many);
    sn_world *a = cloth(&few_def), *b = cloth(&many_def);
    support_run(a, 1, 1.0 / 60);
    support_run(b, 1, 1.0 / 60);
    assert_int_equal(few.runs, many.runs);
    assert_int_equal(few.most, many.most);
    sn_world_destroy(a);
    sn_world_destroy(b);
}

/* What a field that is not parallel keeps: it counts without care for threads, so it must be asked from one only. */
typedef struct loner {
    uint32_t calls, strangers;
    pthread_t home;
} loner;

static sn_vec3 count_calls(void *context, const sn_field_in *in)
{
    loner *l = context;
    l->calls++;
    l->strangers += !pthread_equal(l->home, pthread_self());
    return vec(0, 0.01 * (double)(in->index % 3), 0);
}

/* One such field among parallel ones is asked from the calling thread, once for each particle. */
static void test_field_that_is_not_parallel(void **state)
{
    (void)state;
    support_tasks tasks = {.mode = SUPPORT_TASKS_THREADS, .threads = 4};
    loner asked = {.home = pthread_self()}, plainly_asked = {.home = pthread_self()};
    sn_world_def def = cloth_def(&tasks);
    sn_world *world = cloth(&def), *reference = plain_cloth();
    assert_ok(world, sn_field_add(world, count_calls, &asked, false, NULL));
    assert_ok(reference, sn_field_add(reference, count_calls, &plainly_asked, false, NULL));
    support_run(world, 2, 1.0 / 60);
    support_run(reference, 2, 1.0 / 60);
    assert_same_world(world, reference);
    assert_int_equal(asked.calls, 2 * 3 * SIDE * SIDE);
    assert_int_equal(asked.strangers, 0);
    assert_int_equal(plainly_asked.calls, asked.calls);
    sn_world_destroy(world);
    sn_world_destroy(reference);
}

/* ---- Lost tasks -------------------------------------------------------------------------------------------------- */

/* Loses a task in a step of one substep: the step fails, and the world stands before it. */
static void lose(uint32_t run, uint32_t lost)
{
    support_tasks tasks = {.mode = SUPPORT_TASKS_FORWARD};
    sn_world_def def = cloth_def(&tasks);
    def.settings.substeps = 1;
    sn_world *world = cloth(&def);
    support_run(world, 1, 1.0 / 60);
    uint64_t hash = sn_world_hash(world);
    double time = sn_world_time(world);
    tasks = (support_tasks){.mode = SUPPORT_TASKS_LOSE, .lossy_run = run, .lost = lost};
    sn_result result = sn_world_step(world, real(1.0 / 60));
    if (tasks.runs > run) {
        assert_result(world, SN_ERROR_HOST, result);
        assert_says(sn_world_error(world), "task");
    } else { /* the step has fewer runs than that */
        assert_int_equal(result, SN_OK);
        assert_true(run > 0);
    }
    tasks.mode = SUPPORT_TASKS_FORWARD;
    if (result != SN_OK) {
        assert_true(sn_world_time(world) == time);
        assert_true(sn_world_hash(world) == hash);
        support_run(world, 1, 1.0 / 60); /* the second try does it */
    }
    sn_world *reference = cloth(&(sn_world_def){.settings = def.settings, .dimensions = 3, .contact = def.contact});
    support_run(reference, 2, 1.0 / 60);
    assert_same_world(world, reference);
    sn_world_destroy(world);
    sn_world_destroy(reference);
}

static void test_lost_tasks(void **state)
{
    (void)state;
    for (uint32_t run = 0; run < 4; ++run) {
        lose(run, 0);
        lose(run, 1);
        lose(run, SUPPORT_LOSE_ALL);
    }
}

/* A world of which the hook loses a task in the course of a step of four substeps. */
static sn_world *lose_in_step(support_tasks *tasks, sn_solver solver, uint32_t run)
{
    sn_world_def def = cloth_def(tasks);
    def.settings.solver = solver;
    def.settings.substeps = 4;
    sn_world *world = cloth(&def);
    *tasks = (support_tasks){.mode = SUPPORT_TASKS_LOSE, .lossy_run = run, .lost = 1};
    assert_result(world, SN_ERROR_HOST, sn_world_step(world, real(0.0625)));
    return world;
}

static uint32_t runs_of_step(sn_solver solver)
{
    support_tasks count = {.mode = SUPPORT_TASKS_FORWARD};
    sn_world_def def = cloth_def(&count);
    def.settings.solver = solver;
    def.settings.substeps = 4;
    sn_world *world = cloth(&def);
    support_run(world, 1, 0.0625);
    sn_world_destroy(world);
    return count.runs;
}

/* Whichever run of a step of several substeps loses a task, the world stands at the start of the step, and the second try does
   it. */
static void lose_anywhere(sn_solver solver)
{
    support_tasks tasks;
    sn_world_def def = cloth_def(NULL);
    def.settings.solver = solver;
    def.settings.substeps = 4;
    uint32_t runs = runs_of_step(solver);
    assert_true(runs > 4);
    for (uint32_t run = 0; run < runs; run += support_long(1, 3)) {
        sn_world *world = lose_in_step(&tasks, solver, run), *twin = cloth(&def);
        assert_true(sn_world_time(world) == 0);
        assert_same_world(world, twin);
        tasks.mode = SUPPORT_TASKS_FORWARD;
        support_run(world, 1, 0.0625);
        support_run(twin, 1, 0.0625);
        assert_same_world(world, twin);
        sn_world_destroy(world);
        sn_world_destroy(twin);
    }
}

static void test_lost_task_in_later_substep(void **state)
{
    (void)state;
    lose_anywhere(SN_SOLVER_GAUSS_SEIDEL);
    lose_anywhere(SN_SOLVER_TILED);
}

/* ---- Built-in threads -------------------------------------------------------------------------------------------- */

static uint32_t threads_made(const sn_world *world)
{
    return world->parallel.pool ? sn_threads_made(world->parallel.pool) : 0;
}

/* Solvers that share loops over constraints, and one that does not: 1 to 8 threads, and as many as there are cores. */
static void test_same_results_on_threads(void **state)
{
    (void)state;
    const sn_solver solvers[] = {SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_JACOBI, SN_SOLVER_TILED};
    for (uint32_t i = 0; i < COUNT_OF(solvers); ++i) {
        sn_world_def def = cloth_def(NULL);
        def.settings.solver = solvers[i];
        def.threads = 1;
        sn_world *reference = cloth(&def);
        support_run(reference, STEPS, 1.0 / 60);
        assert_int_equal(threads_made(reference), 0);
        for (uint32_t threads = 0; threads <= 8; threads += threads < 3 ? 1 : support_long(1, 5)) {
            support_memory memory = {0};
            def.allocator = support_allocator(&memory);
            def.threads = threads;
            sn_world *world = cloth(&def);
            assert_int_equal(threads_made(world), 0);
            support_run(world, STEPS, 1.0 / 60);
            assert_int_equal(threads_made(world), sn_world_threads(world) - 1);
            assert_same_world(world, reference);
            sn_world_destroy(world);
            assert_memory_clean(&memory); /* and the allocator was called from this thread only */
        }
        sn_world_destroy(reference);
    }
}

/* Between steps, with a step that fails, a snapshot and relaxing in between. */
static void test_changing_threads(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world_def def = cloth_def(NULL);
    def.allocator = support_allocator(&memory);
    sn_world *world = cloth(&def), *reference = plain_cloth();
    const uint32_t counts[] = {2, 8, 1, 0, 3, 3, 256, 1};
    for (uint32_t i = 0; i < COUNT_OF(counts); ++i) {
        uint64_t hash = sn_world_hash(world);
        assert_ok(world, sn_world_set_threads(world, counts[i]));
        assert_true(sn_world_hash(world) == hash);
        if (counts[i])
            assert_int_equal(sn_world_threads(world), counts[i]);
        assert_in_range(sn_world_threads(world), 1, 256);
        sn_snapshot *before = sn_world_save(world);
        assert_result(world, SN_ERROR_ARGUMENT, sn_world_step(world, real(-1)));
        support_run(world, 1, 1.0 / 60);
        assert_int_equal(threads_made(world), sn_world_threads(world) - 1);
        assert_ok(world, sn_world_load(world, before));
        sn_snapshot_destroy(before);
        support_run(world, 1, 1.0 / 60);
        support_run(reference, 1, 1.0 / 60);
        assert_same_world(world, reference);
    }
    sn_world_destroy(world);
    sn_world_destroy(reference);
    assert_memory_clean(&memory);
}

/* A snapshot carries no number of threads from one world to another. */
static void test_threads_are_no_state(void **state)
{
    (void)state;
    sn_world *one = support_world(), *other = support_world();
    assert_ok(one, sn_world_set_threads(one, 3));
    assert_ok(other, sn_world_set_threads(other, 5));
    assert_true(sn_world_hash(one) == sn_world_hash(other));
    sn_snapshot *snapshot = sn_world_save(one);
    assert_ok(other, sn_world_load(other, snapshot));
    assert_int_equal(sn_world_threads(other), 5);
    sn_snapshot_destroy(snapshot);
    sn_world_destroy(one);
    sn_world_destroy(other);
}

static void test_numbers_of_threads(void **state)
{
    (void)state;
    char text[200];
    sn_world_def def = sn_default_world_def();
    assert_int_equal(def.threads, 0);
    def.threads = 256;
    assert_int_equal(sn_world_def_check(&def, text, sizeof text), SN_OK);
    def.threads = 257;
    assert_int_equal(sn_world_def_check(&def, text, sizeof text), SN_ERROR_ARGUMENT);
    assert_says(text, "threads 257 256");
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world), SN_ERROR_ARGUMENT);
    assert_null(world);
    def.threads = 4;
    world = support_world_from(&def);
    assert_int_equal(sn_world_threads(world), 4);
    assert_result(world, SN_ERROR_ARGUMENT, sn_world_set_threads(world, UINT32_MAX));
    assert_says(sn_world_error(world), "threads 4294967295 256");
    assert_int_equal(sn_world_threads(world), 4);
    sn_world_destroy(world);
    assert_int_equal(sn_world_threads(NULL), 0);
    assert_int_equal(sn_world_set_threads(NULL, 2), SN_ERROR_ARGUMENT);
}

/* A hook takes the place of the threads. */
static void test_threads_and_a_hook(void **state)
{
    (void)state;
    support_tasks tasks = {.mode = SUPPORT_TASKS_FORWARD};
    sn_world_def def = cloth_def(&tasks);
    def.threads = 4;
    sn_world *world = cloth(&def);
    assert_int_equal(sn_world_threads(world), 1);
    assert_ok(world, sn_world_set_threads(world, 3));
    assert_result(world, SN_ERROR_ARGUMENT, sn_world_set_threads(world, 300));
    support_run(world, 1, 1.0 / 60);
    assert_int_equal(sn_world_threads(world), 1);
    assert_int_equal(threads_made(world), 0);
    assert_true(tasks.runs > 0);
    sn_world_destroy(world);
}

/* A small world makes no thread, however many it may have. */
static void test_small_world(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    def.threads = 8;
    sn_world *world = support_world_from(&def);
    support_zoo(world);
    support_run(world, 3, 1.0 / 60);
    assert_null(world->parallel.pool);
    sn_world_destroy(world);
}

/* Fewer threads than were asked for: the same results, and one warning. */
static void test_threads_that_cannot_be_made(void **state)
{
    (void)state;
    sn_world *reference = plain_cloth();
    support_run(reference, STEPS, 1.0 / 60);
    for (uint32_t refused = 1; refused < 4; ++refused) {
        support_log log = {0};
        sn_world_def def = cloth_def(NULL);
        def.log = support_log_hook(&log);
        def.threads = 4;
        sn_world *world = cloth(&def);
        world->parallel.refused = refused;
        support_run(world, STEPS, 1.0 / 60);
        assert_int_equal(threads_made(world), refused - 1);
        assert_int_equal(log.count, 1);
        assert_int_equal(log.level, SN_LOG_WARNING);
        assert_says(log.text, "threads refused");
        assert_string_equal(sn_world_error(world), "");
        assert_same_world(world, reference);
        sn_world_destroy(world);
    }
    sn_world_destroy(reference);
}

typedef struct meddler {
    sn_world *world;
    sn_result result;
} meddler;

static sn_vec3 change_threads(void *context, const sn_field_in *in)
{
    meddler *m = context;
    if (in->index == 0)
        m->result = sn_world_set_threads(m->world, 2);
    return vec(0, 0, 0);
}

static void test_changing_threads_from_inside(void **state)
{
    (void)state;
    sn_world_def def = cloth_def(NULL);
    def.threads = 3;
    meddler m = {.world = cloth(&def), .result = SN_OK};
    assert_ok(m.world, sn_field_add(m.world, change_threads, &m, false, NULL));
    support_run(m.world, 1, 1.0 / 60);
    assert_int_equal(m.result, SN_ERROR_BUSY);
    assert_int_equal(sn_world_threads(m.world), 3);
    sn_world_destroy(m.world);
}

/* A process that was forked goes on alone, with the same results. */
static void test_fork(void **state)
{
    (void)state;
    sn_world_def def = cloth_def(NULL);
    def.threads = 3;
    sn_world *world = cloth(&def), *reference = plain_cloth();
    support_run(world, 1, 1.0 / 60);
    support_run(reference, 2, 1.0 / 60);
    uint64_t expected = sn_world_hash(reference);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        bool right = sn_world_step(world, real(1.0 / 60)) == SN_OK && sn_world_hash(world) == expected;
        sn_world_destroy(world);
        _exit(right ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    support_run(world, 1, 1.0 / 60);
    assert_true(sn_world_hash(world) == expected);
    sn_world_destroy(world);
    sn_world_destroy(reference);
}

/* Large worlds on threads of the host's, each with threads of its own. */
typedef struct big_errand {
    sn_world *world;
    bool failed;
} big_errand;

static void *step_big(void *context)
{
    big_errand *e = context;
    for (uint32_t i = 0; i < STEPS; ++i)
        e->failed |= sn_world_step(e->world, real(1.0 / 60)) != SN_OK;
    return NULL;
}

static void test_large_worlds_on_threads(void **state)
{
    (void)state;
    enum { WORLDS = 3 };
    pthread_t thread[WORLDS];
    big_errand errand[WORLDS];
    sn_world *reference = plain_cloth();
    support_run(reference, STEPS, 1.0 / 60);
    for (uint32_t i = 0; i < WORLDS; ++i) {
        sn_world_def def = cloth_def(NULL);
        def.threads = 2 + i;
        errand[i] = (big_errand){.world = cloth(&def)};
    }
    for (uint32_t i = 0; i < WORLDS; ++i)
        assert_int_equal(pthread_create(&thread[i], NULL, step_big, &errand[i]), 0);
    for (uint32_t i = 0; i < WORLDS; ++i) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_false(errand[i].failed);
        assert_same_world(errand[i].world, reference);
        sn_world_destroy(errand[i].world);
    }
    sn_world_destroy(reference);
}

/* ---- Logs -------------------------------------------------------------------------------------------------------- */

static void test_log(void **state)
{
    (void)state;
    support_log log = {0};
    sn_world_def def = sn_default_world_def();
    def.log = support_log_hook(&log);
    sn_world *world = support_world_from(&def);
    sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1);
    support_run(world, 3, 0.1);
    assert_int_equal(log.count, 0); /* what goes well is not logged */
    assert_string_equal(sn_world_error(world), "");
    assert_int_equal(sn_world_step(world, -1), SN_ERROR_ARGUMENT);
    assert_int_equal(log.count, 1);
    assert_int_equal(log.level, SN_LOG_ERROR);
    assert_string_equal(log.text, sn_world_error(world));
    assert_int_equal(sn_particle_set_mass(world, p, -3), SN_ERROR_ARGUMENT);
    assert_int_equal(log.count, 2);
    assert_string_equal(log.text, sn_world_error(world));
    assert_says(log.text, "mass -3");
    assert_ok(world, sn_particle_remove(world, p));
    assert_says(sn_world_error(world), "mass -3"); /* stays until the next failure */
    assert_true(isnan(sn_particle_mass(world, p)));
    assert_int_equal(log.count, 3);
    assert_string_equal(log.text, sn_world_error(world));
    sn_world_destroy(world);
    assert_int_equal(log.count, 3);
}

/* Texts that are longer than any buffer are cut, not overrun. */
static void test_long_names(void **state)
{
    (void)state;
    support_log log = {0};
    char name[5000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    sn_world_def def = sn_default_world_def();
    def.log = support_log_hook(&log);
    sn_world *world = support_world_from(&def);
    sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1);
    sn_constraint pin = sn_constraint_add_pin(world, p);
    sn_real value[3] = {0};
    assert_result(world, SN_ERROR_ARGUMENT, sn_constraint_set_param(world, pin, name, value, 3));
    assert_int_equal(log.count, 1);
    sn_kind kind = support_kind_gap;
    kind.name = name;
    uint32_t number = sn_kind_register(world, &kind);
    assert_int_equal(log.count, number ? 1 : 2); /* refused, or taken as it is */
    if (number)
        assert_string_equal(sn_kind_info(world, number)->name, name);
    sn_world_destroy(world);
}

/* ---- Threads and the state of the processor ---------------------------------------------------------------------- */

typedef struct errand {
    uint64_t hash;
    bool failed;
} errand;

/* cmocka's assertions belong to the main thread, so this only takes notes. */
static void *run_errand(void *context)
{
    errand *e = context;
    sn_world_def def = sn_default_world_def();
    sn_world *world;
    e->failed = sn_world_create(&def, &world) != SN_OK;
    if (e->failed)
        return NULL;
    sn_particle last = {0, 0};
    for (uint32_t i = 0; i < 20; ++i) {
        sn_particle p = sn_particle_add_at(world, vec(0.1 * i, 1, 0), 1);
        if (i == 0)
            sn_constraint_add_pin(world, p);
        else
            sn_constraint_add_distance(world, sn_at(last), sn_at(p), SN_MEASURE);
        last = p;
    }
    for (uint32_t i = 0; i < 60; ++i)
        e->failed |= sn_world_step(world, real(1.0 / 60)) != SN_OK;
    e->failed |= sn_world_step(world, -1) != SN_ERROR_ARGUMENT || !support_says(sn_world_error(world), "dt -1");
    e->hash = sn_world_hash(world);
    sn_world_destroy(world);
    return NULL;
}

/* Nothing is shared between worlds. */
static void test_worlds_on_threads(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    errand alone = {0, false}, errands[THREADS];
    run_errand(&alone);
    assert_false(alone.failed);
    for (uint32_t i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&thread[i], NULL, run_errand, &errands[i]), 0);
    for (uint32_t i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_false(errands[i].failed);
        assert_true(errands[i].hash == alone.hash);
    }
}

/* A world may be used by one thread after the other. */
static void *step_elsewhere(void *world)
{
    for (uint32_t i = 0; i < STEPS; ++i)
        if (sn_world_step(world, real(1.0 / 60)) != SN_OK)
            return world;
    return NULL;
}

static void test_world_changes_thread(void **state)
{
    (void)state;
    sn_world *world = support_world(), *reference = support_world();
    support_zoo(world);
    support_zoo(reference);
    pthread_t thread;
    void *failed = NULL;
    support_run(world, STEPS, 1.0 / 60);
    assert_int_equal(pthread_create(&thread, NULL, step_elsewhere, world), 0);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    support_run(reference, 2 * STEPS, 1.0 / 60);
    assert_same_world(world, reference);
    sn_world_destroy(world);
    sn_world_destroy(reference);
}

/* A host that rounds in its own way gets the same bits, and its rounding back. */
static void test_rounding_of_the_host(void **state)
{
    (void)state;
    sn_world *reference = support_world();
    support_zoo(reference);
    support_run(reference, STEPS, 1.0 / 60);
    const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (uint32_t i = 0; i < COUNT_OF(modes); ++i) {
        sn_world *world = support_world();
        support_zoo(world);
        assert_int_equal(fesetround(modes[i]), 0);
        sn_result result = SN_OK;
        for (uint32_t j = 0; j < STEPS && result == SN_OK; ++j)
            result = sn_world_step(world, (sn_real)(1.0 / 60));
        int kept = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(result, SN_OK);
        assert_int_equal(kept, modes[i]);
        assert_same_world(world, reference);
        sn_world_destroy(world);
    }
    sn_world_destroy(reference);
}

/* What is allowed but hardly meant is a warning: the call succeeds, and the last error stays what it was. */
static void test_warning(void **state)
{
    (void)state;
    support_log log = {0};
    sn_world_def def = sn_default_world_def();
    def.log = support_log_hook(&log);
    sn_world *world = support_world_from(&def);
    sn_settings settings = sn_world_settings(world);
    settings.integrator = SN_INTEGRATOR_BDF2;
    assert_ok(world, sn_world_configure(world, &settings));
    assert_int_equal(log.count, 1);
    assert_int_equal(log.level, SN_LOG_WARNING);
    assert_says(log.text, "BDF2 one pass");
    assert_string_equal(sn_world_error(world), "");
    settings.iterations = 2;
    assert_ok(world, sn_world_configure(world, &settings));
    settings.iterations = 1;
    support_set_sweep(&settings, SN_ORDER_SYMMETRIC);
    assert_ok(world, sn_world_configure(world, &settings));
    assert_int_equal(log.count, 1);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_warning),
        cmocka_unit_test(test_same_results),
        cmocka_unit_test(test_same_cut),
        cmocka_unit_test(test_field_that_is_not_parallel),
        cmocka_unit_test(test_lost_tasks),
        cmocka_unit_test(test_lost_task_in_later_substep),
        cmocka_unit_test(test_same_results_on_threads),
        cmocka_unit_test(test_changing_threads),
        cmocka_unit_test(test_threads_are_no_state),
        cmocka_unit_test(test_numbers_of_threads),
        cmocka_unit_test(test_threads_and_a_hook),
        cmocka_unit_test(test_small_world),
        cmocka_unit_test(test_threads_that_cannot_be_made),
        cmocka_unit_test(test_changing_threads_from_inside),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_large_worlds_on_threads),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_worlds_on_threads),
        cmocka_unit_test(test_world_changes_thread),
        cmocka_unit_test(test_rounding_of_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

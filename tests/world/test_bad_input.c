/* Every public function with every kind of bad argument: each call is refused as bench.h says. Constraints and kinds
   have a file of their own, test_bad_constraints.c; calls from inside callbacks are in test_callbacks.c. */
#include "support/bench.h"

/* ---- Handles of particles ---------------------------------------------------------------------------------------- */

static sn_result position_of(sn_world *world, sn_particle p)
{
    return support_is_nan(sn_particle_position(world, p)) ? SN_ERROR_STALE : SN_OK;
}

static sn_result velocity_of(sn_world *world, sn_particle p)
{
    return support_is_nan(sn_particle_velocity(world, p)) ? SN_ERROR_STALE : SN_OK;
}

static sn_result mass_of(sn_world *world, sn_particle p)
{
    return isnan(sn_particle_mass(world, p)) ? SN_ERROR_STALE : SN_OK;
}

static sn_result inverse_mass_of(sn_world *world, sn_particle p)
{
    return isnan(sn_particle_inverse_mass(world, p)) ? SN_ERROR_STALE : SN_OK;
}

static sn_result radius_of(sn_world *world, sn_particle p)
{
    return isnan(sn_particle_radius(world, p)) ? SN_ERROR_STALE : SN_OK;
}

static sn_result group_of(sn_world *world, sn_particle p)
{
    return sn_particle_group(world, p) == 0 ? SN_ERROR_STALE : SN_OK;
}

static sn_result user_of(sn_world *world, sn_particle p)
{
    return sn_particle_user(world, p) == 0 ? SN_ERROR_STALE : SN_OK;
}

static sn_result set_position(sn_world *world, sn_particle p)
{
    return sn_particle_set_position(world, p, vec(1, 2, 0));
}

static sn_result set_velocity(sn_world *world, sn_particle p)
{
    return sn_particle_set_velocity(world, p, vec(1, 2, 0));
}

static sn_result set_mass(sn_world *world, sn_particle p)
{
    return sn_particle_set_mass(world, p, 3);
}

static sn_result set_radius(sn_world *world, sn_particle p)
{
    return sn_particle_set_radius(world, p, 3);
}

static sn_result set_group(sn_world *world, sn_particle p)
{
    return sn_particle_set_group(world, p, 3);
}

static sn_result set_user(sn_world *world, sn_particle p)
{
    return sn_particle_set_user(world, p, 3);
}

static sn_result apply_impulse(sn_world *world, sn_particle p)
{
    return sn_particle_apply_impulse(world, p, vec(1, 2, 0));
}

static sn_result add_force(sn_world *world, sn_particle p)
{
    return sn_particle_apply_force(world, p, vec(1, 2, 0));
}

static sn_result move_to(sn_world *world, sn_particle p)
{
    return sn_particle_move_to(world, p, vec(1, 2, 0));
}

static sn_result point_position(sn_world *world, sn_particle p)
{
    return support_is_nan(sn_point_position(world, sn_at(p))) ? SN_ERROR_STALE : SN_OK;
}

static sn_result add_pin(sn_world *world, sn_particle p)
{
    return bench_is_null_constraint(sn_constraint_add_pin(world, p)) ? SN_ERROR_STALE : SN_OK;
}

typedef sn_result particle_call(sn_world *world, sn_particle p);

/* Every function that takes the handle of a particle. */
static const struct {
    const char *name;
    particle_call *call;
} particle_calls[] = {
    {"sn_particle_remove", sn_particle_remove},
    {"sn_particle_position", position_of},
    {"sn_particle_velocity", velocity_of},
    {"sn_particle_mass", mass_of},
    {"sn_particle_inverse_mass", inverse_mass_of},
    {"sn_particle_radius", radius_of},
    {"sn_particle_group", group_of},
    {"sn_particle_user", user_of},
    {"sn_particle_set_position", set_position},
    {"sn_particle_set_velocity", set_velocity},
    {"sn_particle_set_mass", set_mass},
    {"sn_particle_set_radius", set_radius},
    {"sn_particle_set_group", set_group},
    {"sn_particle_set_user", set_user},
    {"sn_particle_apply_impulse", apply_impulse},
    {"sn_particle_apply_force", add_force},
    {"sn_particle_move_to", move_to},
    {"sn_point_position", point_position},
    {"sn_constraint_add_pin", add_pin},
};

static void test_particle_handles(void **state)
{
    bench *b = *state;
    sn_particle bad[BENCH_BAD_PARTICLES];
    bench_bad_particles(b, bad);
    for (uint32_t i = 0; i < BENCH_BAD_PARTICLES; ++i) {
        const char *words = i == 0 ? "particle|point" : bench_number("particle", bad[i].index);
        HARMLESS(b, !sn_particle_is_valid(b->world, bad[i]));
        for (uint32_t j = 0; j < COUNT_OF(particle_calls); ++j) {
            bench_before(b);
            sn_result result = particle_calls[j].call(b->world, bad[i]);
            bench_after(b, result == SN_ERROR_STALE, words, particle_calls[j].name, __LINE__);
        }
    }
    assert_int_equal(b->failures, 0);
}

static void test_particle_numbers(void **state)
{
    bench *b = *state;
    uint32_t bad[] = {b->gone.index, 70000, UINT32_MAX};
    for (uint32_t i = 0; i < COUNT_OF(bad); ++i)
        REFUSED_WITH(b, bench_is_null_particle(sn_particle_from_index(b->world, bad[i])),
                     bench_number("particle", bad[i]));
    assert_int_equal(b->failures, 0);
}

/* ---- Values of particles ----------------------------------------------------------------------------------------- */

typedef sn_result vector_call(sn_world *world, sn_particle p, sn_vec3 v);

/* Every function that gives a particle a vector, and what its message calls it. */
static const struct {
    const char *name, *word;
    vector_call *call;
} vector_calls[] = {
    {"sn_particle_set_position", "position", sn_particle_set_position},
    {"sn_particle_set_velocity", "velocity", sn_particle_set_velocity},
    {"sn_particle_apply_impulse", "impulse", sn_particle_apply_impulse},
    {"sn_particle_apply_force", "force", sn_particle_apply_force},
    {"sn_particle_move_to", "target", sn_particle_move_to},
};

static void test_particle_vectors(void **state)
{
    bench *b = *state;
    for (uint32_t i = 0; i < COUNT_OF(vector_calls); ++i)
        for (uint32_t j = 0; j < COUNT_OF(bench_not_finite); ++j)
            for (uint32_t axis = 0; axis < 3; ++axis) {
                bench_before(b);
                sn_result result = vector_calls[i].call(b->world, b->a, bench_spoilt(axis, bench_not_finite[j].value));
                bench_after(b, result == SN_ERROR_ARGUMENT, bench_words(vector_calls[i].word, bench_not_finite[j].word),
                            vector_calls[i].name, __LINE__);
            }
    assert_int_equal(b->failures, 0);
}

/* Finite values whose effect would not be: the velocity after an impulse, the sum of two forces. */
static void test_particle_overflow(void **state)
{
    bench *b = *state;
    assert_ok(b->world, sn_particle_set_mass(b->world, b->a, real(1e-6)));
    sn_vec3 most = {SUPPORT_REAL_MAX, 0, 0};
    REFUSED(b, SN_ERROR_ARGUMENT, "impulse", sn_particle_apply_impulse(b->world, b->a, most));
    assert_ok(b->world, sn_particle_apply_force(b->world, b->a, most));
    REFUSED(b, SN_ERROR_ARGUMENT, "force", sn_particle_apply_force(b->world, b->a, most));
    assert_int_equal(b->failures, 0);
}

static void test_particle_scalars(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    for (uint32_t i = 0; i < COUNT_OF(bench_masses); ++i) {
        sn_real mass = real(bench_masses[i].value);
        const char *words = bench_words("mass", bench_masses[i].word);
        REFUSED(b, SN_ERROR_ARGUMENT, words, sn_particle_set_mass(w, b->a, mass));
        REFUSED_WITH(b, bench_is_null_particle(sn_particle_add_at(w, vec(0, 0, 0), mass)), words);
        sn_real xyz[6] = {0};
        REFUSED_WITH(b, bench_is_null_run(sn_particles_add(w, 2, xyz, 0, mass)), words);
    }
    for (uint32_t i = 0; i < COUNT_OF(bench_negative); ++i)
        REFUSED(b, SN_ERROR_ARGUMENT, bench_words("radius", bench_negative[i].word),
                sn_particle_set_radius(w, b->a, real(bench_negative[i].value)));
    assert_int_equal(b->failures, 0);
}

/* ---- Adding particles -------------------------------------------------------------------------------------------- */

static void refuse_particle(bench *b, const sn_particle_def *def, const char *words)
{
    sn_particle p = {7, 7};
    REFUSED(b, SN_ERROR_ARGUMENT, words, sn_particle_add(b->world, def, &p));
    if (!bench_is_null_particle(p))
        bench_wrong(b, __LINE__, "sn_particle_add", "did not null the handle");
    REFUSED(b, SN_ERROR_ARGUMENT, words, sn_particle_add(b->world, def, NULL));
}

static void test_particle_defs(void **state)
{
    bench *b = *state;
    refuse_particle(b, NULL, "def NULL");
    for (uint32_t i = 0; i < COUNT_OF(bench_not_finite); ++i)
        for (uint32_t axis = 0; axis < 3; ++axis) {
            sn_particle_def def = sn_default_particle_def();
            def.position = bench_spoilt(axis, bench_not_finite[i].value);
            refuse_particle(b, &def, bench_words("position", bench_not_finite[i].word));
            REFUSED_WITH(b, bench_is_null_particle(sn_particle_add_at(b->world, def.position, 1)),
                         bench_words("position", bench_not_finite[i].word));
            def = sn_default_particle_def();
            def.velocity = bench_spoilt(axis, bench_not_finite[i].value);
            refuse_particle(b, &def, bench_words("velocity", bench_not_finite[i].word));
        }
    for (uint32_t i = 0; i < COUNT_OF(bench_masses); ++i) {
        sn_particle_def def = sn_default_particle_def();
        def.mass = real(bench_masses[i].value);
        refuse_particle(b, &def, bench_words("mass", bench_masses[i].word));
    }
    for (uint32_t i = 0; i < COUNT_OF(bench_negative); ++i) {
        sn_particle_def def = sn_default_particle_def();
        def.radius = real(bench_negative[i].value);
        refuse_particle(b, &def, bench_words("radius", bench_negative[i].word));
    }
    assert_int_equal(b->failures, 0);
}

static const size_t bad_strides[] = {
    1, 2, sizeof(sn_real), 3 * sizeof(sn_real) - 1, 3 * sizeof(sn_real) + 1, 3 * sizeof(sn_real) + sizeof(sn_real) / 2};

static void test_particles_in_bulk(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    sn_real xyz[3 * 5] = {0};
    REFUSED_WITH(b, bench_is_null_run(sn_particles_add(w, 5, NULL, 0, 1)), "xyz|array NULL");
    for (uint32_t i = 0; i < COUNT_OF(bad_strides); ++i)
        REFUSED_WITH(b, bench_is_null_run(sn_particles_add(w, 5, xyz, bad_strides[i], 1)),
                     bench_number("stride", (uint32_t)bad_strides[i]));
    for (uint32_t i = 0; i < COUNT_OF(bench_not_finite); ++i)
        for (uint32_t j = 0; j < COUNT_OF(xyz); ++j) {
            xyz[j] = real(bench_not_finite[i].value);
            REFUSED_WITH(b, bench_is_null_run(sn_particles_add(w, 5, xyz, 0, 1)),
                         bench_words(bench_not_finite[i].word, "position"));
            REFUSED_WITH(b, bench_is_null_run(sn_particles_add(w, 5, xyz, 0, 1)), bench_number("position", j / 3));
            xyz[j] = 0;
        }
    /* more than any world holds: refused before the array, which is much shorter, is read */
    REFUSED_WITH(b, bench_is_null_run(sn_particles_add(w, UINT32_MAX, xyz, 0, 1)), "particles 4294967");
    REFUSED_WITH(b, bench_is_null_run(sn_particles_add(w, UINT32_MAX - 10, xyz, 0, 1)), "particles");
    HARMLESS(b, bench_is_null_run(sn_particles_add(w, 0, xyz, 0, 1)));
    HARMLESS(b, bench_is_null_run(sn_particles_add(w, 0, NULL, 0, 1)));
    assert_int_equal(b->failures, 0);
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

static sn_real run_buffer[3 * 64];

static sn_result read_positions(sn_world *world, sn_particles run)
{
    return sn_particles_read_positions(world, run, run_buffer, 0);
}

static sn_result read_velocities(sn_world *world, sn_particles run)
{
    return sn_particles_read_velocities(world, run, run_buffer, 0);
}

static sn_result read_inverse_masses(sn_world *world, sn_particles run)
{
    return sn_particles_read_inverse_masses(world, run, run_buffer, 0);
}

static sn_result write_positions(sn_world *world, sn_particles run)
{
    return sn_particles_write_positions(world, run, run_buffer, 0);
}

static sn_result write_velocities(sn_world *world, sn_particles run)
{
    return sn_particles_write_velocities(world, run, run_buffer, 0);
}

static sn_result write_inverse_masses(sn_world *world, sn_particles run)
{
    return sn_particles_write_inverse_masses(world, run, run_buffer, 0);
}

/* Every function that takes a run of particles. */
static const struct {
    const char *name;
    sn_result (*call)(sn_world *world, sn_particles run);
} run_calls[] = {
    {"sn_particles_remove", sn_particles_remove},
    {"sn_particles_read_positions", read_positions},
    {"sn_particles_read_velocities", read_velocities},
    {"sn_particles_read_inverse_masses", read_inverse_masses},
    {"sn_particles_write_positions", write_positions},
    {"sn_particles_write_velocities", write_velocities},
    {"sn_particles_write_inverse_masses", write_inverse_masses},
};

static void test_run_handles(void **state)
{
    bench *b = *state;
    sn_particles null = {0, 0, 0}, longer = b->run, unborn = b->run, never = {70000, 3, 1}, endless = b->run;
    sn_particles wrapping = {UINT32_MAX - 1, 10, 1};
    longer.count += 3; /* into the broken one */
    unborn.generation++;
    endless.count = UINT32_MAX;
    const struct {
        sn_particles run;
        const char *words;
    } bad[] = {{null, "run|particle"},
               {b->broken_run, bench_number("particle", b->broken_run.first + 1)},
               {longer, bench_number("particle", b->broken_run.first + 1)},
               {unborn, "particle"},
               {never, "particle"},
               {endless, "particle"},
               {wrapping, "particle"}};
    for (uint32_t i = 0; i < COUNT_OF(run_buffer); ++i)
        run_buffer[i] = 1;
    for (uint32_t i = 0; i < COUNT_OF(bad); ++i)
        for (uint32_t j = 0; j < COUNT_OF(run_calls); ++j) {
            bench_before(b);
            sn_result result = run_calls[j].call(b->world, bad[i].run);
            bench_after(b, result == SN_ERROR_STALE, bad[i].words, run_calls[j].name, __LINE__);
        }
    assert_int_equal(b->failures, 0);
}

/* A refused write must not have written the particles before the bad one; a refused read nothing at all. */
static void test_run_arrays(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    sn_real xyz[3 * 10];
    REFUSED(b, SN_ERROR_ARGUMENT, "xyz|array NULL", sn_particles_read_positions(w, b->run, NULL, 0));
    REFUSED(b, SN_ERROR_ARGUMENT, "xyz|array NULL", sn_particles_read_velocities(w, b->run, NULL, 0));
    REFUSED(b, SN_ERROR_ARGUMENT, "NULL", sn_particles_read_inverse_masses(w, b->run, NULL, 0));
    REFUSED(b, SN_ERROR_ARGUMENT, "xyz|array NULL", sn_particles_write_positions(w, b->run, NULL, 0));
    REFUSED(b, SN_ERROR_ARGUMENT, "xyz|array NULL", sn_particles_write_velocities(w, b->run, NULL, 0));
    REFUSED(b, SN_ERROR_ARGUMENT, "NULL", sn_particles_write_inverse_masses(w, b->run, NULL, 0));
    memset(xyz, 0, sizeof xyz);
    for (uint32_t i = 0; i < COUNT_OF(bad_strides); ++i) {
        const char *words = bench_number("stride", (uint32_t)bad_strides[i]);
        REFUSED(b, SN_ERROR_ARGUMENT, words, sn_particles_read_positions(w, b->run, xyz, bad_strides[i]));
        REFUSED(b, SN_ERROR_ARGUMENT, words, sn_particles_read_velocities(w, b->run, xyz, bad_strides[i]));
        REFUSED(b, SN_ERROR_ARGUMENT, words, sn_particles_write_positions(w, b->run, xyz, bad_strides[i]));
        REFUSED(b, SN_ERROR_ARGUMENT, words, sn_particles_write_velocities(w, b->run, xyz, bad_strides[i]));
    }
    const size_t bad[] = {1, sizeof(sn_real) - 1, sizeof(sn_real) + 1};
    for (uint32_t i = 0; i < COUNT_OF(bad); ++i) {
        const char *words = bench_number("stride", (uint32_t)bad[i]);
        REFUSED(b, SN_ERROR_ARGUMENT, words, sn_particles_read_inverse_masses(w, b->run, xyz, bad[i]));
        REFUSED(b, SN_ERROR_ARGUMENT, words, sn_particles_write_inverse_masses(w, b->run, xyz, bad[i]));
    }
    assert_int_equal(b->failures, 0);
}

/* The item of an array that a message names: by its place in the array or by the number of the particle. */
static const char *item(const char *word, sn_particles run, uint32_t i)
{
    char either[32];
    snprintf(either, sizeof either, "%u|%u", i, run.first + i);
    return bench_words(word, either);
}

static void test_run_values(void **state)
{
    bench *b = *state;
    sn_real numbers[3 * 10];
    for (uint32_t i = 0; i < COUNT_OF(numbers); ++i)
        numbers[i] = i % 3 == 2 ? 0 : real(0.5 + i); /* never what is there already */
    for (uint32_t i = 0; i < COUNT_OF(bench_not_finite); ++i)
        for (uint32_t j = 0; j < COUNT_OF(numbers); j += 7) {
            sn_real good = numbers[j];
            numbers[j] = real(bench_not_finite[i].value);
            const char *which = item(bench_not_finite[i].word, b->run, j / 3);
            REFUSED(b, SN_ERROR_ARGUMENT, which, sn_particles_write_positions(b->world, b->run, numbers, 0));
            REFUSED(b, SN_ERROR_ARGUMENT, "position", sn_particles_write_positions(b->world, b->run, numbers, 0));
            which = item(bench_not_finite[i].word, b->run, j / 3);
            REFUSED(b, SN_ERROR_ARGUMENT, which, sn_particles_write_velocities(b->world, b->run, numbers, 0));
            REFUSED(b, SN_ERROR_ARGUMENT, "velocity", sn_particles_write_velocities(b->world, b->run, numbers, 0));
            numbers[j] = good;
        }
    for (uint32_t i = 0; i < COUNT_OF(bench_inverse_masses); ++i)
        for (uint32_t j = 0; j < 10; j += 3) {
            sn_real good = numbers[j];
            numbers[j] = real(bench_inverse_masses[i].value);
            const char *which = item(bench_inverse_masses[i].word, b->run, j);
            REFUSED(b, SN_ERROR_ARGUMENT, which, sn_particles_write_inverse_masses(b->world, b->run, numbers, 0));
            REFUSED(b, SN_ERROR_ARGUMENT, "mass", sn_particles_write_inverse_masses(b->world, b->run, numbers, 0));
            numbers[j] = good;
        }
    assert_int_equal(b->failures, 0);
}

/* ---- Settings and world definitions ------------------------------------------------------------------------------ */

typedef struct bad_settings {
    const char *words;
    sn_settings settings;
} bad_settings;

/* Calls use once for every way in which settings can be bad. */
static void for_bad_settings(void *context, void (*use)(void *context, const bad_settings *bad))
{
    sn_settings good = sn_default_world_def().settings;
    bad_settings bad = {"gravity", good};
#define TRY(field, bad_one, says)                                                                                      \
    do {                                                                                                               \
        bad.settings = good;                                                                                           \
        bad.settings.field = (bad_one);                                                                                \
        bad.words = (says);                                                                                            \
        use(context, &bad);                                                                                            \
    } while (0)
    for (uint32_t i = 0; i < COUNT_OF(bench_not_finite); ++i)
        for (uint32_t axis = 0; axis < 3; ++axis)
            TRY(gravity, bench_spoilt(axis, bench_not_finite[i].value),
                bench_words("gravity", bench_not_finite[i].word));
    for (uint32_t i = 0; i < COUNT_OF(bench_negative); ++i) {
        TRY(tolerance, real(bench_negative[i].value), bench_words("tolerance", bench_negative[i].word));
        TRY(damping, real(bench_negative[i].value), bench_words("damping", bench_negative[i].word));
    }
    TRY(solver, (sn_solver)6, "solver 6");
    TRY(solver, (sn_solver)-1, "solver");
    TRY(solver, (sn_solver)1000, "solver 1000");
    TRY(integrator, (sn_integrator)5, "integrator 5");
    TRY(integrator, (sn_integrator)-1, "integrator");
    TRY(order, (sn_order)4, "order 4");
    TRY(order, (sn_order)-1, "order");
    for (int order = SN_ORDER_INSERTION; order < SN_ORDER_THERE_AND_BACK; ++order)
        TRY(order, (sn_order)order, "order gauss_seidel tiled"); /* which has the order of its plan */
    TRY(gradients, (sn_gradients)2, "gradients 2");
    TRY(gradients, (sn_gradients)-1, "gradients");
    good.integrator = SN_INTEGRATOR_BDF2;
    TRY(gradients, SN_GRADIENTS_START, "gradients BDF2"); /* whose substep does not end where it would */
    good.integrator = SN_INTEGRATOR_SYMPLECTIC_EULER;
    TRY(jacobi, (sn_jacobi)2, "jacobi 2");
    TRY(relaxation, 0, "relaxation 0");
    TRY(relaxation, real(2.5), "relaxation 2.5");
    TRY(relaxation, real(NAN), "relaxation nan");
    TRY(drift, (sn_drift)2, "drift 2");
    TRY(baumgarte, real(-0.5), "baumgarte -0.5");
    TRY(baumgarte, real(1.5), "baumgarte 1.5");
    TRY(linear, (sn_linear)2, "linear 2");
    TRY(drift_time, real(-1), "drift_time -1");
    TRY(drift_time, real(INFINITY), "drift_time inf");
    TRY(k_s, real(-0.5), "k_s -0.5");
    TRY(k_s, real(NAN), "k_s nan");
    TRY(k_d, real(-2), "k_d -2");
    TRY(k_d, real(INFINITY), "k_d inf");
    for (sn_solver solver = SN_SOLVER_JACOBI; solver <= SN_SOLVER_DIRECT; ++solver) {
        good.solver = solver;
        TRY(gradients, SN_GRADIENTS_START, "gradients gauss_seidel");
    }
    good.solver = SN_SOLVER_IMPULSES;
    TRY(integrator, SN_INTEGRATOR_BDF2, "impulses BDF2");
    good.solver = SN_SOLVER_LAGRANGE;
    TRY(integrator, SN_INTEGRATOR_BDF2, "lagrange BDF2");
    good.solver = SN_SOLVER_TILED;
    TRY(substeps, 0, "substeps 0");
    TRY(substeps, 100001, "substeps 100001");
    TRY(substeps, UINT32_MAX, "substeps 4294967295");
    TRY(iterations, 100001, "iterations 100001");
    TRY(iterations, UINT32_MAX, "iterations 4294967295");
#undef TRY
}

static void refuse_settings(void *context, const bad_settings *bad)
{
    bench *b = context;
    REFUSED(b, SN_ERROR_ARGUMENT, bad->words, sn_world_configure(b->world, &bad->settings));
}

static void test_settings(void **state)
{
    bench *b = *state;
    REFUSED(b, SN_ERROR_ARGUMENT, "settings NULL", sn_world_configure(b->world, NULL));
    for_bad_settings(b, refuse_settings);
    assert_int_equal(b->failures, 0);
}

/* Both sn_world_create and sn_world_def_check say no, in the same words. */
static uint32_t refuse_world_def(sn_world_def def, const char *words)
{
    support_log log = {0};
    def.log = support_log_hook(&log);
    char message[512] = "unset", start[8] = "unset";
    sn_world *world = (sn_world *)&log;
    bool refused = sn_world_create(&def, &world) == SN_ERROR_ARGUMENT && world == NULL && log.count == 1 &&
                   log.level == SN_LOG_ERROR && support_says(log.text, words);
    refused &= sn_world_def_check(&def, message, sizeof message) == SN_ERROR_ARGUMENT && support_says(message, words);
    refused &= sn_world_def_check(&def, NULL, 0) == SN_ERROR_ARGUMENT;
    refused &= sn_world_def_check(&def, NULL, 100) == SN_ERROR_ARGUMENT;
    refused &= sn_world_def_check(&def, start, 0) == SN_ERROR_ARGUMENT && strcmp(start, "unset") == 0;
    refused &= sn_world_def_check(&def, start, 4) == SN_ERROR_ARGUMENT && strncmp(start, message, 3) == 0 &&
               start[3] == '\0' && start[4] == 't';
    if (!refused)
        print_error("world def: expected \"%s\"; logged %u: \"%s\"; said \"%s\", in short \"%s\"\n", words, log.count,
                    log.text, message, start);
    return !refused;
}

static void refuse_def_settings(void *context, const bad_settings *bad)
{
    sn_world_def def = sn_default_world_def();
    def.settings = bad->settings;
    *(uint32_t *)context += refuse_world_def(def, bad->words);
}

static void *allocate_nothing(void *context, size_t size, size_t alignment)
{
    (void)context, (void)size, (void)alignment;
    return NULL;
}

static void release_nothing(void *context, void *block, size_t size)
{
    (void)context, (void)block, (void)size;
}

static void test_world_defs(void **state)
{
    (void)state;
    uint32_t failures = 0;
    for_bad_settings(&failures, refuse_def_settings);
    const uint32_t dimensions[] = {0, 1, 4, UINT32_MAX};
    for (uint32_t i = 0; i < COUNT_OF(dimensions); ++i) {
        sn_world_def def = sn_default_world_def();
        def.dimensions = dimensions[i];
        failures += refuse_world_def(def, bench_number("dimensions", dimensions[i]));
    }
    sn_world_def def = sn_default_world_def();
    def.allocator.allocate = allocate_nothing;
    failures += refuse_world_def(def, "allocator release|both");
    def = sn_default_world_def();
    def.allocator.release = release_nothing;
    failures += refuse_world_def(def, "allocator allocate|both");
    def = sn_default_world_def();
    def.dimensions = 2;
    def.settings.gravity = vec(0, -9, 1);
    failures += refuse_world_def(def, "gravity 1");
    assert_int_equal(failures, 0);
}

static void test_world_create(void **state)
{
    (void)state;
    support_log log = {0};
    sn_world_def def = sn_default_world_def();
    def.log = support_log_hook(&log);
    sn_world *world = (sn_world *)&log;
    char message[256] = "";
    assert_int_equal(sn_world_create(NULL, &world), SN_ERROR_ARGUMENT);
    assert_null(world);
    assert_int_equal(sn_world_def_check(NULL, message, sizeof message), SN_ERROR_ARGUMENT);
    assert_says(message, "def NULL");
    assert_int_equal(sn_world_create(&def, NULL), SN_ERROR_ARGUMENT);
    assert_int_equal(log.count, 1);
    assert_says(log.text, "world NULL");
    def.allocator.allocate = allocate_nothing;
    def.allocator.release = release_nothing;
    world = (sn_world *)&log;
    assert_int_equal(sn_world_create(&def, &world), SN_ERROR_MEMORY);
    assert_null(world);
    assert_int_equal(log.count, 2);
    assert_says(log.text, "memory");
    assert_int_equal(sn_world_def_check(&def, message, sizeof message), SN_OK);
}

/* ---- The world --------------------------------------------------------------------------------------------------- */

static void test_step_sizes(void **state)
{
    bench *b = *state;
    for (uint32_t i = 0; i < COUNT_OF(bench_negative); ++i)
        REFUSED(b, SN_ERROR_ARGUMENT, bench_words("dt", bench_negative[i].word),
                sn_world_step(b->world, real(bench_negative[i].value)));
    HARMLESS(b, sn_world_step(b->world, 0) == SN_OK);
    HARMLESS(b, sn_world_step(b->world, real(-0.0)) == SN_OK);
    assert_int_equal(b->failures, 0);
}

/* The smallest and the largest steps: taken, refused as too small to compute with, or too much for the world; whatever
   comes of them is finite. */
static void test_step_extremes(void **state)
{
    bench *b = *state;
    const sn_real sizes[] = {(sn_real)FLT_TRUE_MIN, (sn_real)FLT_MIN, real(1e-20), real(1e20), (sn_real)FLT_MAX};
    for (uint32_t i = 0; i < COUNT_OF(sizes); ++i) {
        assert_ok(b->world, sn_world_load(b->world, b->snapshot));
        bench_before(b);
        sn_result result = sn_world_step(b->world, sizes[i]);
        if (sizes[i] > 1)
            assert_true(result == SN_OK || result == SN_ERROR_DIVERGED);
        else if (sizes[i] < real(1e-20) && result != SN_OK)
            bench_after(b, result == SN_ERROR_ARGUMENT, "dt small", "sn_world_step", __LINE__);
        else
            assert_int_equal(result, SN_OK);
        for (uint32_t j = 0; j < b->run.count; ++j) {
            assert_true(support_is_finite(sn_particle_position(b->world, sn_particles_at(b->run, j))));
            assert_true(support_is_finite(sn_particle_velocity(b->world, sn_particles_at(b->run, j))));
        }
    }
    assert_int_equal(b->failures, 0);
}

static void test_origin(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    for (uint32_t i = 0; i < COUNT_OF(bench_not_finite); ++i)
        for (uint32_t axis = 0; axis < 3; ++axis)
            REFUSED(b, SN_ERROR_ARGUMENT, bench_words("offset", bench_not_finite[i].word),
                    sn_world_shift_origin(w, bench_spoilt(axis, bench_not_finite[i].value)));
    REFUSED(b, SN_ERROR_ARGUMENT, "origin NULL", sn_world_origin(w, NULL));
    assert_int_equal(b->failures, 0);
}

/* Each thing that has a place in the world, far out by itself, would overflow: nothing of the world is shifted. */
static void test_origin_overflow(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    sn_vec3 far = {SUPPORT_REAL_MAX, 0, 0}, back = {-SUPPORT_REAL_MAX, 0, 0};
    assert_ok(w, sn_particle_set_position(w, b->c, far));
    REFUSED(b, SN_ERROR_ARGUMENT, "offset", sn_world_shift_origin(w, back));
    assert_ok(w, sn_world_load(w, b->snapshot));
    assert_ok(w, sn_particle_move_to(w, b->c, far));
    REFUSED(b, SN_ERROR_ARGUMENT, "offset", sn_world_shift_origin(w, back));
    assert_ok(w, sn_world_load(w, b->snapshot));
    assert_ok(w, sn_constraint_set_param(w, b->pin, "target", &far.x, 3));
    REFUSED(b, SN_ERROR_ARGUMENT, "offset", sn_world_shift_origin(w, back));
    assert_int_equal(b->failures, 0);
}

static void test_fields(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    uint32_t field = 7, kept = 0;
    REFUSED(b, SN_ERROR_ARGUMENT, "field|function NULL", sn_field_add(w, NULL, NULL, false, &field));
    REFUSED(b, SN_ERROR_ARGUMENT, "field|function NULL", sn_field_add(w, NULL, NULL, true, NULL));
    assert_ok(w, sn_field_add(w, support_wind, NULL, false, &field));
    assert_ok(w, sn_field_add(w, support_wind, NULL, false, &kept));
    assert_ok(w, sn_field_remove(w, field));
    REFUSED(b, SN_ERROR_STALE, bench_number("field", field), sn_field_remove(w, field));
    REFUSED(b, SN_ERROR_STALE, "field 4294967295", sn_field_remove(w, UINT32_MAX));
    REFUSED(b, SN_ERROR_STALE, "field 1000", sn_field_remove(w, 1000));
    assert_ok(w, sn_field_remove(w, kept));
    assert_int_equal(b->failures, 0);
}

static void test_report(void **state)
{
    bench *b = *state;
    REFUSED(b, SN_ERROR_ARGUMENT, "report NULL", sn_world_report(b->world, NULL));
    assert_int_equal(b->failures, 0);
}

/* ---- Snapshots --------------------------------------------------------------------------------------------------- */

static void test_snapshots(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    REFUSED(b, SN_ERROR_ARGUMENT, "snapshot NULL", sn_world_save_into(w, NULL));
    REFUSED(b, SN_ERROR_ARGUMENT, "snapshot NULL", sn_world_load(w, NULL));
    HARMLESS(b, sn_snapshot_size(NULL) == 0);
    sn_snapshot_destroy(NULL);
    sn_world *flat = support_world_2d();
    support_zoo(flat);
    sn_snapshot *other = sn_world_save(flat);
    sn_world_destroy(flat);
    REFUSED(b, SN_ERROR_ARGUMENT, "dimensions|2D 2 3", sn_world_load(w, other));
    sn_snapshot_destroy(other);
    assert_int_equal(b->failures, 0);
}

/* A state that uses a kind of its own goes only into worlds that know it under the same number. */
static void test_snapshot_kinds(void **state)
{
    bench *b = *state;
    sn_world *owner = support_world();
    sn_kind first = support_kind_gap;
    first.name = "test_first";
    assert_int_equal(sn_kind_register(owner, &first), SN_KIND_BUILTIN_END);
    assert_int_equal(sn_kind_register(owner, &support_kind_gap), SN_KIND_BUILTIN_END + 1);
    sn_particle p = sn_particle_add_at(owner, vec(0, 0, 0), 1), q = sn_particle_add_at(owner, vec(1, 0, 0), 1);
    uint32_t index[] = {p.index, q.index};
    assert_int_equal(sn_constraints_add_kind(owner, SN_KIND_BUILTIN_END + 1, 1, index, NULL, NULL).count, 1);
    sn_snapshot *state_of_owner = sn_world_save(owner);
    assert_non_null(state_of_owner);
    REFUSED(b, SN_ERROR_ARGUMENT, "kind test_gap", sn_world_load(b->world, state_of_owner));
    /* known, but the other way round */
    assert_int_equal(sn_kind_register(b->world, &support_kind_gap), SN_KIND_BUILTIN_END);
    assert_int_equal(sn_kind_register(b->world, &first), SN_KIND_BUILTIN_END + 1);
    REFUSED(b, SN_ERROR_ARGUMENT, "kind test_gap", sn_world_load(b->world, state_of_owner));
    sn_snapshot_destroy(state_of_owner);
    sn_world_destroy(owner);
    assert_int_equal(b->failures, 0);
}

/* ---- Two dimensions ---------------------------------------------------------------------------------------------- */

static void test_2d_particles(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    sn_vec3 out = vec(1, 2, 0.25);
    for (uint32_t i = 0; i < COUNT_OF(vector_calls); ++i) {
        bench_before(b);
        sn_result result = vector_calls[i].call(w, b->a, out);
        bench_after(b, result == SN_ERROR_ARGUMENT, bench_words(vector_calls[i].word, "z 0.25"), vector_calls[i].name,
                    __LINE__);
    }
    sn_particle_def def = sn_default_particle_def();
    def.position = out;
    refuse_particle(b, &def, "position z 0.25");
    def = sn_default_particle_def();
    def.velocity = out;
    refuse_particle(b, &def, "velocity z 0.25");
    REFUSED_WITH(b, bench_is_null_particle(sn_particle_add_at(w, out, 1)), "position z 0.25");
    sn_real xyz[3 * 10] = {0};
    xyz[3 * 4 + 2] = real(0.25);
    REFUSED_WITH(b, bench_is_null_run(sn_particles_add(w, 10, xyz, 0, 1)), "z 0.25 4");
    REFUSED(b, SN_ERROR_ARGUMENT, "z 0.25 4|55", sn_particles_write_positions(w, b->run, xyz, 0));
    REFUSED(b, SN_ERROR_ARGUMENT, "z 0.25 4|55", sn_particles_write_velocities(w, b->run, xyz, 0));
    assert_int_equal(b->failures, 0);
}

static void test_2d_world(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    sn_settings settings = sn_world_settings(w);
    settings.gravity = vec(0, 0, 0.25);
    REFUSED(b, SN_ERROR_ARGUMENT, "gravity z 0.25", sn_world_configure(w, &settings));
    REFUSED(b, SN_ERROR_ARGUMENT, "offset z 0.25", sn_world_shift_origin(w, vec(1, 2, 0.25)));
    sn_world *solid = support_world();
    support_zoo(solid);
    sn_snapshot *other = sn_world_save(solid);
    REFUSED(b, SN_ERROR_ARGUMENT, "dimensions|2D|3D", sn_world_load(w, other));
    sn_snapshot_destroy(other);
    sn_world_destroy(solid);
    assert_int_equal(b->failures, 0);
}

/* ---- No world ---------------------------------------------------------------------------------------------------- */

static void test_null_world_particles(void **state)
{
    (void)state;
    sn_particle p = {0, 0}, made = {7, 7};
    sn_particles run = {0, 1, 1};
    sn_particle_def def = sn_default_particle_def();
    sn_real xyz[3] = {0};
    assert_int_equal(sn_particle_add(NULL, &def, &made), SN_ERROR_ARGUMENT);
    assert_true(bench_is_null_particle(made));
    assert_true(bench_is_null_particle(sn_particle_add_at(NULL, vec(0, 0, 0), 1)));
    assert_true(bench_is_null_run(sn_particles_add(NULL, 1, xyz, 0, 1)));
    assert_int_equal(sn_particles_remove(NULL, run), SN_ERROR_ARGUMENT);
    assert_false(sn_particle_is_valid(NULL, p));
    assert_true(bench_is_null_particle(sn_particle_from_index(NULL, 0)));
    assert_int_equal(sn_world_particle_count(NULL), 0);
    for (uint32_t i = 0; i < COUNT_OF(particle_calls); ++i) {
        sn_result result = particle_calls[i].call(NULL, p);
        if (result != SN_ERROR_ARGUMENT && result != SN_ERROR_STALE) /* ours, for what gives NaN or 0 */
            fail_msg("%s with no world", particle_calls[i].name);
    }
    for (uint32_t i = 0; i < COUNT_OF(vector_calls); ++i)
        assert_int_equal(vector_calls[i].call(NULL, p, vec(0, 0, 0)), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_particle_remove(NULL, p), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_particle_set_mass(NULL, p, 1), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_particle_set_radius(NULL, p, 1), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_particle_set_group(NULL, p, 1), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_particle_set_user(NULL, p, 1), SN_ERROR_ARGUMENT);
    for (uint32_t i = 0; i < COUNT_OF(run_calls); ++i)
        assert_int_equal(run_calls[i].call(NULL, run), SN_ERROR_ARGUMENT);
}

static bool is_zero_view(sn_view view)
{
    return !view.data && view.count == 0 && view.stride == 0 && !view.slot && view.slot_count == 0 && !view.index;
}

static void test_null_world_views(void **state)
{
    (void)state;
    assert_true(is_zero_view(sn_world_view_positions(NULL)));
    assert_true(is_zero_view(sn_world_view_velocities(NULL)));
    assert_true(is_zero_view(sn_world_view_inverse_masses(NULL)));
}

static void test_null_world(void **state)
{
    (void)state;
    sn_settings zero, settings = sn_world_settings(NULL);
    memset(&zero, 0, sizeof zero);
    sn_settings good = sn_default_world_def().settings;
    sn_report report;
    uint32_t field;
    double origin[3];
    sn_world_destroy(NULL);
    assert_non_null(sn_world_error(NULL));
    assert_true(settings.substeps == zero.substeps && settings.iterations == zero.iterations &&
                settings.gravity.y == 0 && settings.order == zero.order);
    assert_int_equal(sn_world_configure(NULL, &good), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_dimensions(NULL), 0);
    assert_true(isnan(sn_world_time(NULL)));
    assert_int_equal(sn_world_step(NULL, real(0.1)), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_shift_origin(NULL, vec(1, 0, 0)), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_origin(NULL, origin), SN_ERROR_ARGUMENT);
    assert_true(sn_world_hash(NULL) == 0);
    assert_int_equal(sn_field_add(NULL, support_wind, NULL, false, &field), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_field_remove(NULL, 1), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_report(NULL, &report), SN_ERROR_ARGUMENT);
    assert_null(sn_world_save(NULL));
}

static void test_null_world_snapshots(void **state)
{
    bench *b = *state;
    size_t size = sn_snapshot_size(b->snapshot);
    assert_int_equal(sn_world_save_into(NULL, b->snapshot), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_load(NULL, b->snapshot), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_snapshot_size(b->snapshot), size);
    assert_ok(b->world, sn_world_load(b->world, b->snapshot));
}

static void test_texts(void **state)
{
    (void)state;
    for (int i = SN_OK; i <= SN_CANCELLED; ++i) {
        assert_non_null(sn_result_text((sn_result)i));
        assert_true(strlen(sn_result_text((sn_result)i)) > 0);
        for (int j = SN_OK; j < i; ++j)
            assert_string_not_equal(sn_result_text((sn_result)i), sn_result_text((sn_result)j));
    }
    assert_non_null(sn_result_text((sn_result)-1));
    assert_non_null(sn_result_text((sn_result)1000));
    assert_says(sn_result_text(SN_ERROR_STALE), "stale handle");
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", SN_VERSION_MAJOR, SN_VERSION_MINOR, SN_VERSION_PATCH);
    assert_string_equal(sn_version(), version);
    assert_int_equal(sn_real_size(), sizeof(sn_real));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BENCH(test_particle_handles),
        ON_BENCH(test_particle_numbers),
        ON_BENCH(test_particle_vectors),
        ON_BENCH(test_particle_overflow),
        ON_BENCH(test_particle_scalars),
        ON_BENCH(test_particle_defs),
        ON_BENCH(test_particles_in_bulk),
        ON_BENCH(test_run_handles),
        ON_BENCH(test_run_arrays),
        ON_BENCH(test_run_values),
        ON_BENCH(test_settings),
        ON_BENCH(test_step_sizes),
        ON_BENCH(test_step_extremes),
        ON_BENCH(test_origin),
        ON_BENCH(test_origin_overflow),
        ON_BENCH(test_fields),
        ON_BENCH(test_report),
        ON_BENCH(test_snapshots),
        ON_BENCH(test_snapshot_kinds),
        ON_BENCH(test_null_world_snapshots),
        ON_2D_BENCH(test_2d_particles),
        ON_2D_BENCH(test_2d_world),
        cmocka_unit_test(test_world_defs),
        cmocka_unit_test(test_world_create),
        cmocka_unit_test(test_null_world_particles),
        cmocka_unit_test(test_null_world_views),
        cmocka_unit_test(test_null_world),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

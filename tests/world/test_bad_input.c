/* Every public function with every kind of bad argument. Each refused call gives back what its description says, logs
   exactly one message, which is also what sn_world_error says and names the thing and the value, and leaves the hash of
   the world as it was. All calls of a test are tried before it fails, so that one run shows everything. */
#include "support/support.h"

/* ---- The bench --------------------------------------------------------------------------------------------------- */

/* A world with one live and one bad specimen of everything. */
typedef struct bench {
    sn_world *world;
    support_log log;
    uint32_t failures;

    sn_particles run; /* ten live particles; the numbers are above 50 so that messages are recognised */
    sn_particle a, b, c, d;
    sn_particle stale;       /* removed, and its number used again */
    sn_particle gone;        /* removed, and its number free */
    sn_particles broken_run; /* of three, the middle one was removed */

    sn_constraint rod, band, pin, plane, box;
    sn_constraint stale_rod; /* removed, and its number used again */
    sn_constraint gone_rod;  /* removed, and its number free */
    sn_constraint lost_rod;  /* went with its particle */

    sn_snapshot *snapshot;

    uint64_t hash; /* before the call under test */
    uint32_t logged;
} bench;

static void add_particles(bench *b)
{
    sn_real xyz[3 * 60];
    for (uint32_t i = 0; i < 60; ++i) {
        xyz[3 * i] = real(i % 10);
        xyz[3 * i + 1] = real((i / 10) % 10);
        xyz[3 * i + 2] = 0;
    }
    assert_int_equal(sn_add_particles(b->world, 51, xyz, 0, 1).count, 51);
    b->run = sn_add_particles(b->world, 10, xyz, 0, 1);
    b->broken_run = sn_add_particles(b->world, 3, xyz, 0, 1);
    assert_int_equal(b->run.count, 10);
    assert_int_equal(b->broken_run.count, 3);
    b->a = sn_particles_at(b->run, 0);
    b->b = sn_particles_at(b->run, 1);
    b->c = sn_particles_at(b->run, 2);
    b->d = sn_particles_at(b->run, 3);
}

static void remove_particles(bench *b)
{
    b->stale = sn_add_particle(b->world, vec(7, 7, 0), 1);
    assert_ok(b->world, sn_particle_remove(b->world, b->stale));
    sn_particle heir = sn_add_particle(b->world, vec(8, 8, 0), 1);
    assert_int_equal(heir.index, b->stale.index);
    b->gone = sn_add_particle(b->world, vec(9, 9, 0), 1);
    b->lost_rod = sn_add_distance(b->world, sn_at(b->a), sn_at(b->gone), SN_MEASURE);
    assert_ok(b->world, sn_particle_remove(b->world, b->gone));
    assert_ok(b->world, sn_particle_remove(b->world, sn_particles_at(b->broken_run, 1)));
}

static void add_constraints(bench *b)
{
    sn_point p = sn_at(b->a), q = sn_at(b->b);
    b->rod = sn_add_distance(b->world, p, q, SN_MEASURE);
    b->band = sn_add_distance_band(b->world, p, q, real(0.5), 2);
    b->pin = sn_add_pin(b->world, b->a);
    b->plane = sn_add_half_space(b->world, q, vec(0, 0, 0), vec(0, 1, 0));
    b->box = sn_add_box(b->world, q, vec(-10, -10, 0), vec(10, 10, 0));
    b->stale_rod = sn_add_distance(b->world, p, q, SN_MEASURE);
    assert_ok(b->world, sn_constraint_remove(b->world, b->stale_rod));
    sn_constraint heir = sn_add_distance(b->world, p, q, SN_MEASURE);
    assert_int_equal(heir.index, b->stale_rod.index);
    b->gone_rod = sn_add_distance(b->world, p, q, SN_MEASURE);
    assert_ok(b->world, sn_constraint_remove(b->world, b->gone_rod));
    assert_int_equal(sn_world_constraint_count(b->world, SN_KIND_NONE), 6);
}

static bench *bench_open(uint32_t dimensions)
{
    bench *b = calloc(1, sizeof *b);
    sn_world_def def = sn_default_world_def();
    def.dimensions = dimensions;
    def.log = support_log_hook(&b->log);
    b->world = support_world_from(&def);
    add_particles(b);
    remove_particles(b);
    add_constraints(b);
    support_run(b->world, 2, 1.0 / 60);
    b->snapshot = sn_world_save(b->world);
    assert_non_null(b->snapshot);
    assert_int_equal(b->log.count, 0);
    return b;
}

static int setup(void **state)
{
    *state = bench_open(3);
    return 0;
}

static int setup_2d(void **state)
{
    *state = bench_open(2);
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;
    sn_snapshot_destroy(b->snapshot);
    sn_world_destroy(b->world);
    free(b);
    return 0;
}

/* ---- Checking one call ------------------------------------------------------------------------------------------- */

static void before(bench *b)
{
    b->hash = sn_world_hash(b->world);
    b->logged = b->log.count;
}

static void wrong(bench *b, int line, const char *call, const char *what)
{
    print_error("line %d: %s: %s; error: \"%s\"\n", line, call, what, sn_world_error(b->world));
    b->failures++;
}

/* Every word of words, "a|b" standing for either. */
static bool says(const char *text, const char *words);

static void after(bench *b, bool as_documented, const char *words, const char *call, int line)
{
    const char *error = sn_world_error(b->world);
    if (!as_documented)
        wrong(b, line, call, "did not give back what it should");
    if (sn_world_hash(b->world) != b->hash)
        wrong(b, line, call, "changed the world");
    if (b->log.count != b->logged + 1)
        wrong(b, line, call, b->log.count == b->logged ? "logged nothing" : "logged more than once");
    else if (strcmp(b->log.text, error) != 0 || b->log.level != SN_LOG_ERROR)
        wrong(b, line, call, "logged something else than its error");
    if (!says(error, words)) {
        print_error("expected the words \"%s\": ", words);
        wrong(b, line, call, "says something else");
    }
}

/* The call must give the result; words must be in its message. */
#define REFUSED(b, expected, words, call)                                                                              \
    do {                                                                                                               \
        before(b);                                                                                                     \
        sn_result refused_result = (call);                                                                             \
        after(b, refused_result == (expected), words, #call, __LINE__);                                                \
    } while (0)

/* The condition, which contains the call, must be true. */
#define REFUSED_WITH(b, condition, words)                                                                              \
    do {                                                                                                               \
        before(b);                                                                                                     \
        bool refused_well = (condition);                                                                               \
        after(b, refused_well, words, #condition, __LINE__);                                                           \
    } while (0)

/* Gives nothing and changes nothing, but is not an error either. */
#define HARMLESS(b, condition)                                                                                         \
    do {                                                                                                               \
        before(b);                                                                                                     \
        if (!(condition))                                                                                              \
            wrong(b, __LINE__, #condition, "is not true");                                                             \
        if (sn_world_hash((b)->world) != (b)->hash)                                                                    \
            wrong(b, __LINE__, #condition, "changed the world");                                                       \
    } while (0)

static bool says(const char *text, const char *words)
{
    return text[0] != '\0' && support_says(text, words);
}

static bool is_null_particle(sn_particle p)
{
    return p.index == 0 && p.generation == 0;
}

static bool is_null_run(sn_particles run)
{
    return run.first == 0 && run.count == 0 && run.generation == 0;
}

static bool is_null_constraint(sn_constraint c)
{
    return c.kind == 0 && c.index == 0 && c.generation == 0;
}

static bool is_null_constraints(sn_constraints run)
{
    return run.kind == 0 && run.first == 0 && run.count == 0 && run.generation == 0;
}

/* ---- Bad values -------------------------------------------------------------------------------------------------- */

typedef struct bad_value {
    double value;
    const char *word; /* how a message shows it */
} bad_value;

static const bad_value not_finite[] = {{(double)NAN, "nan"}, {(double)INFINITY, "inf"}, {-(double)INFINITY, "-inf"}};
static const bad_value negative_or_not_finite[] = {
    {(double)NAN, "nan"}, {(double)INFINITY, "inf"}, {-(double)INFINITY, "-inf"}, {-1, "-1"}, {-0.125, "-0.125"}};
static const bad_value bad_masses[] = {
    {(double)NAN, "nan"}, {-(double)INFINITY, "-inf"}, {-1, "-1"}, {0, "0"}, {1e-31, "1e-31"}, {1e31, "1e+31"}};
static const bad_value bad_inverse_masses[] = {
    {(double)NAN, "nan"}, {(double)INFINITY, "inf"}, {-(double)INFINITY, "-inf"},
    {-1, "-1"},           {1e-31, "1e-31"},          {1e31, "1e+31"}};
static const bad_value bad_shares[] = {
    {(double)NAN, "nan"}, {(double)INFINITY, "inf"}, {-0.25, "-0.25"}, {-(double)INFINITY, "-inf"}, {1.25, "1.25"}};

/* "word value", in a buffer that lives until the call after the next. */
static const char *both(const char *word, const char *value)
{
    static char text[2][128];
    static int turn;
    turn = !turn;
    snprintf(text[turn], sizeof text[turn], "%s %s", word, value);
    return text[turn];
}

static const char *numbered(const char *word, uint32_t number)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%u", number);
    return both(word, digits);
}

/* A vector with one bad component. */
static sn_vec3 spoilt(uint32_t axis, double value)
{
    return vec(axis == 0 ? value : 0.5, axis == 1 ? value : 0.5, axis == 2 ? value : 0);
}

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
    return sn_particle_add_force(world, p, vec(1, 2, 0));
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
    return is_null_constraint(sn_add_pin(world, p)) ? SN_ERROR_STALE : SN_OK;
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
    {"sn_particle_add_force", add_force},
    {"sn_particle_move_to", move_to},
    {"sn_point_position", point_position},
    {"sn_add_pin", add_pin},
};

#define BAD_PARTICLES 6

static void list_bad_particles(const bench *b, sn_particle bad[BAD_PARTICLES])
{
    sn_particle null = {0, 0}, never = {70000, 1}, last = {UINT32_MAX, 1}, unborn = {b->a.index, b->a.generation + 1};
    bad[0] = null;
    bad[1] = b->stale;
    bad[2] = b->gone;
    bad[3] = never;
    bad[4] = last;
    bad[5] = unborn;
}

static void test_particle_handles(void **state)
{
    bench *b = *state;
    sn_particle bad[BAD_PARTICLES];
    list_bad_particles(b, bad);
    for (uint32_t i = 0; i < BAD_PARTICLES; ++i) {
        const char *words = i == 0 ? "particle|point" : numbered("particle", bad[i].index);
        HARMLESS(b, !sn_particle_is_valid(b->world, bad[i]));
        for (uint32_t j = 0; j < COUNT_OF(particle_calls); ++j) {
            before(b);
            sn_result result = particle_calls[j].call(b->world, bad[i]);
            after(b, result == SN_ERROR_STALE, words, particle_calls[j].name, __LINE__);
        }
    }
    assert_int_equal(b->failures, 0);
}

static void test_particle_numbers(void **state)
{
    bench *b = *state;
    uint32_t bad[] = {b->gone.index, 70000, UINT32_MAX};
    for (uint32_t i = 0; i < COUNT_OF(bad); ++i)
        REFUSED_WITH(b, is_null_particle(sn_particle_from_index(b->world, bad[i])), numbered("particle", bad[i]));
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
    {"sn_particle_add_force", "force", sn_particle_add_force},
    {"sn_particle_move_to", "target", sn_particle_move_to},
};

static void test_particle_vectors(void **state)
{
    bench *b = *state;
    for (uint32_t i = 0; i < COUNT_OF(vector_calls); ++i)
        for (uint32_t j = 0; j < COUNT_OF(not_finite); ++j)
            for (uint32_t axis = 0; axis < 3; ++axis) {
                before(b);
                sn_result result = vector_calls[i].call(b->world, b->a, spoilt(axis, not_finite[j].value));
                after(b, result == SN_ERROR_ARGUMENT, both(vector_calls[i].word, not_finite[j].word),
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
    assert_ok(b->world, sn_particle_add_force(b->world, b->a, most));
    REFUSED(b, SN_ERROR_ARGUMENT, "force", sn_particle_add_force(b->world, b->a, most));
    assert_int_equal(b->failures, 0);
}

static void test_particle_scalars(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    for (uint32_t i = 0; i < COUNT_OF(bad_masses); ++i) {
        sn_real mass = real(bad_masses[i].value);
        const char *words = both("mass", bad_masses[i].word);
        REFUSED(b, SN_ERROR_ARGUMENT, words, sn_particle_set_mass(w, b->a, mass));
        REFUSED_WITH(b, is_null_particle(sn_add_particle(w, vec(0, 0, 0), mass)), words);
        sn_real xyz[6] = {0};
        REFUSED_WITH(b, is_null_run(sn_add_particles(w, 2, xyz, 0, mass)), words);
    }
    for (uint32_t i = 0; i < COUNT_OF(negative_or_not_finite); ++i)
        REFUSED(b, SN_ERROR_ARGUMENT, both("radius", negative_or_not_finite[i].word),
                sn_particle_set_radius(w, b->a, real(negative_or_not_finite[i].value)));
    assert_int_equal(b->failures, 0);
}

/* ---- Adding particles -------------------------------------------------------------------------------------------- */

static void refuse_particle(bench *b, const sn_particle_def *def, const char *words)
{
    sn_particle p = {7, 7};
    REFUSED(b, SN_ERROR_ARGUMENT, words, sn_particle_add(b->world, def, &p));
    if (!is_null_particle(p))
        wrong(b, __LINE__, "sn_particle_add", "did not null the handle");
    REFUSED(b, SN_ERROR_ARGUMENT, words, sn_particle_add(b->world, def, NULL));
}

static void test_particle_defs(void **state)
{
    bench *b = *state;
    refuse_particle(b, NULL, "def NULL");
    for (uint32_t i = 0; i < COUNT_OF(not_finite); ++i)
        for (uint32_t axis = 0; axis < 3; ++axis) {
            sn_particle_def def = sn_default_particle_def();
            def.position = spoilt(axis, not_finite[i].value);
            refuse_particle(b, &def, both("position", not_finite[i].word));
            REFUSED_WITH(b, is_null_particle(sn_add_particle(b->world, def.position, 1)),
                         both("position", not_finite[i].word));
            def = sn_default_particle_def();
            def.velocity = spoilt(axis, not_finite[i].value);
            refuse_particle(b, &def, both("velocity", not_finite[i].word));
        }
    for (uint32_t i = 0; i < COUNT_OF(bad_masses); ++i) {
        sn_particle_def def = sn_default_particle_def();
        def.mass = real(bad_masses[i].value);
        refuse_particle(b, &def, both("mass", bad_masses[i].word));
    }
    for (uint32_t i = 0; i < COUNT_OF(negative_or_not_finite); ++i) {
        sn_particle_def def = sn_default_particle_def();
        def.radius = real(negative_or_not_finite[i].value);
        refuse_particle(b, &def, both("radius", negative_or_not_finite[i].word));
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
    REFUSED_WITH(b, is_null_run(sn_add_particles(w, 5, NULL, 0, 1)), "xyz|array NULL");
    for (uint32_t i = 0; i < COUNT_OF(bad_strides); ++i)
        REFUSED_WITH(b, is_null_run(sn_add_particles(w, 5, xyz, bad_strides[i], 1)),
                     numbered("stride", (uint32_t)bad_strides[i]));
    for (uint32_t i = 0; i < COUNT_OF(not_finite); ++i)
        for (uint32_t j = 0; j < COUNT_OF(xyz); ++j) {
            xyz[j] = real(not_finite[i].value);
            REFUSED_WITH(b, is_null_run(sn_add_particles(w, 5, xyz, 0, 1)), both(not_finite[i].word, "position"));
            REFUSED_WITH(b, is_null_run(sn_add_particles(w, 5, xyz, 0, 1)), numbered("position", j / 3));
            xyz[j] = 0;
        }
    /* more than any world holds: refused before the array, which is much shorter, is read */
    REFUSED_WITH(b, is_null_run(sn_add_particles(w, UINT32_MAX, xyz, 0, 1)), "particles 4294967");
    REFUSED_WITH(b, is_null_run(sn_add_particles(w, UINT32_MAX - 10, xyz, 0, 1)), "particles");
    HARMLESS(b, is_null_run(sn_add_particles(w, 0, xyz, 0, 1)));
    HARMLESS(b, is_null_run(sn_add_particles(w, 0, NULL, 0, 1)));
    assert_int_equal(b->failures, 0);
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

static sn_real run_buffer[3 * 64];

static sn_result read_positions(sn_world *world, sn_particles run)
{
    return sn_read_positions(world, run, run_buffer, 0);
}

static sn_result read_velocities(sn_world *world, sn_particles run)
{
    return sn_read_velocities(world, run, run_buffer, 0);
}

static sn_result read_inverse_masses(sn_world *world, sn_particles run)
{
    return sn_read_inverse_masses(world, run, run_buffer, 0);
}

static sn_result write_positions(sn_world *world, sn_particles run)
{
    return sn_write_positions(world, run, run_buffer, 0);
}

static sn_result write_velocities(sn_world *world, sn_particles run)
{
    return sn_write_velocities(world, run, run_buffer, 0);
}

static sn_result write_inverse_masses(sn_world *world, sn_particles run)
{
    return sn_write_inverse_masses(world, run, run_buffer, 0);
}

/* Every function that takes a run of particles. */
static const struct {
    const char *name;
    sn_result (*call)(sn_world *world, sn_particles run);
} run_calls[] = {
    {"sn_particles_remove", sn_particles_remove},      {"sn_read_positions", read_positions},
    {"sn_read_velocities", read_velocities},           {"sn_read_inverse_masses", read_inverse_masses},
    {"sn_write_positions", write_positions},           {"sn_write_velocities", write_velocities},
    {"sn_write_inverse_masses", write_inverse_masses},
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
               {b->broken_run, numbered("particle", b->broken_run.first + 1)},
               {longer, numbered("particle", b->broken_run.first + 1)},
               {unborn, "particle"},
               {never, "particle"},
               {endless, "particle"},
               {wrapping, "particle"}};
    for (uint32_t i = 0; i < COUNT_OF(run_buffer); ++i)
        run_buffer[i] = 1;
    for (uint32_t i = 0; i < COUNT_OF(bad); ++i)
        for (uint32_t j = 0; j < COUNT_OF(run_calls); ++j) {
            before(b);
            sn_result result = run_calls[j].call(b->world, bad[i].run);
            after(b, result == SN_ERROR_STALE, bad[i].words, run_calls[j].name, __LINE__);
        }
    assert_int_equal(b->failures, 0);
}

/* A refused write must not have written the particles before the bad one; a refused read nothing at all. */
static void test_run_arrays(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    sn_real xyz[3 * 10];
    REFUSED(b, SN_ERROR_ARGUMENT, "xyz|array NULL", sn_read_positions(w, b->run, NULL, 0));
    REFUSED(b, SN_ERROR_ARGUMENT, "xyz|array NULL", sn_read_velocities(w, b->run, NULL, 0));
    REFUSED(b, SN_ERROR_ARGUMENT, "NULL", sn_read_inverse_masses(w, b->run, NULL, 0));
    REFUSED(b, SN_ERROR_ARGUMENT, "xyz|array NULL", sn_write_positions(w, b->run, NULL, 0));
    REFUSED(b, SN_ERROR_ARGUMENT, "xyz|array NULL", sn_write_velocities(w, b->run, NULL, 0));
    REFUSED(b, SN_ERROR_ARGUMENT, "NULL", sn_write_inverse_masses(w, b->run, NULL, 0));
    memset(xyz, 0, sizeof xyz);
    for (uint32_t i = 0; i < COUNT_OF(bad_strides); ++i) {
        const char *words = numbered("stride", (uint32_t)bad_strides[i]);
        REFUSED(b, SN_ERROR_ARGUMENT, words, sn_read_positions(w, b->run, xyz, bad_strides[i]));
        REFUSED(b, SN_ERROR_ARGUMENT, words, sn_read_velocities(w, b->run, xyz, bad_strides[i]));
        REFUSED(b, SN_ERROR_ARGUMENT, words, sn_write_positions(w, b->run, xyz, bad_strides[i]));
        REFUSED(b, SN_ERROR_ARGUMENT, words, sn_write_velocities(w, b->run, xyz, bad_strides[i]));
    }
    const size_t bad[] = {1, sizeof(sn_real) - 1, sizeof(sn_real) + 1};
    for (uint32_t i = 0; i < COUNT_OF(bad); ++i) {
        const char *words = numbered("stride", (uint32_t)bad[i]);
        REFUSED(b, SN_ERROR_ARGUMENT, words, sn_read_inverse_masses(w, b->run, xyz, bad[i]));
        REFUSED(b, SN_ERROR_ARGUMENT, words, sn_write_inverse_masses(w, b->run, xyz, bad[i]));
    }
    assert_int_equal(b->failures, 0);
}

/* The item of an array that a message names: by its place in the array or by the number of the particle. */
static const char *item(const char *word, sn_particles run, uint32_t i)
{
    char either[32];
    snprintf(either, sizeof either, "%u|%u", i, run.first + i);
    return both(word, either);
}

static void test_run_values(void **state)
{
    bench *b = *state;
    sn_real numbers[3 * 10];
    for (uint32_t i = 0; i < COUNT_OF(numbers); ++i)
        numbers[i] = i % 3 == 2 ? 0 : real(0.5 + i); /* never what is there already */
    for (uint32_t i = 0; i < COUNT_OF(not_finite); ++i)
        for (uint32_t j = 0; j < COUNT_OF(numbers); j += 7) {
            sn_real good = numbers[j];
            numbers[j] = real(not_finite[i].value);
            const char *which = item(not_finite[i].word, b->run, j / 3);
            REFUSED(b, SN_ERROR_ARGUMENT, which, sn_write_positions(b->world, b->run, numbers, 0));
            REFUSED(b, SN_ERROR_ARGUMENT, "position", sn_write_positions(b->world, b->run, numbers, 0));
            which = item(not_finite[i].word, b->run, j / 3);
            REFUSED(b, SN_ERROR_ARGUMENT, which, sn_write_velocities(b->world, b->run, numbers, 0));
            REFUSED(b, SN_ERROR_ARGUMENT, "velocity", sn_write_velocities(b->world, b->run, numbers, 0));
            numbers[j] = good;
        }
    for (uint32_t i = 0; i < COUNT_OF(bad_inverse_masses); ++i)
        for (uint32_t j = 0; j < 10; j += 3) {
            sn_real good = numbers[j];
            numbers[j] = real(bad_inverse_masses[i].value);
            const char *which = item(bad_inverse_masses[i].word, b->run, j);
            REFUSED(b, SN_ERROR_ARGUMENT, which, sn_write_inverse_masses(b->world, b->run, numbers, 0));
            REFUSED(b, SN_ERROR_ARGUMENT, "mass", sn_write_inverse_masses(b->world, b->run, numbers, 0));
            numbers[j] = good;
        }
    assert_int_equal(b->failures, 0);
}

/* ---- Handles of constraints --------------------------------------------------------------------------------------- */

static sn_result change(sn_world *world, sn_constraint c)
{
    sn_point points[2] = {sn_at(sn_particle_from_index(world, 51)), sn_at(sn_particle_from_index(world, 52))};
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    def.points = points;
    def.param[0] = 3;
    return sn_constraint_change(world, c, &def);
}

static sn_result read_back(sn_world *world, sn_constraint c)
{
    sn_point points[SN_MAX_POINTS];
    sn_constraint_def def;
    return sn_constraint_read(world, c, &def, points);
}

static sn_result set_rest(sn_world *world, sn_constraint c)
{
    sn_real rest = 3;
    return sn_constraint_set_param(world, c, "rest", &rest);
}

static sn_result set_material(sn_world *world, sn_constraint c)
{
    sn_material material = {1, 1};
    return sn_constraint_set_material(world, c, material);
}

static sn_result set_stiffness(sn_world *world, sn_constraint c)
{
    return sn_constraint_set_stiffness(world, c, real(0.5));
}

static sn_result force_of(sn_world *world, sn_constraint c)
{
    return isnan(sn_constraint_force(world, c).magnitude) ? SN_ERROR_STALE : SN_OK;
}

static sn_result force_on_first(sn_world *world, sn_constraint c)
{
    return support_is_nan(sn_constraint_force_on(world, c, 0)) ? SN_ERROR_STALE : SN_OK;
}

static sn_result value_of(sn_world *world, sn_constraint c)
{
    sn_real value[SN_MAX_ROWS];
    return sn_constraint_value(world, c, value);
}

/* Every function that takes the handle of a constraint. */
static const struct {
    const char *name;
    sn_result (*call)(sn_world *world, sn_constraint c);
} constraint_calls[] = {
    {"sn_constraint_remove", sn_constraint_remove},
    {"sn_constraint_change", change},
    {"sn_constraint_read", read_back},
    {"sn_constraint_set_param", set_rest},
    {"sn_constraint_set_material", set_material},
    {"sn_constraint_set_stiffness", set_stiffness},
    {"sn_constraint_force", force_of},
    {"sn_constraint_force_on", force_on_first},
    {"sn_constraint_value", value_of},
};

static void test_constraint_handles(void **state)
{
    bench *b = *state;
    sn_constraint null = {0, 0, 0}, unknown_kind = b->rod, no_kind = b->rod, beyond = b->rod, unborn = b->rod;
    unknown_kind.kind = UINT32_MAX;
    no_kind.kind = SN_KIND_NONE;
    beyond.index = UINT32_MAX;
    unborn.generation++;
    const struct {
        sn_constraint handle;
        const char *words;
    } bad[] = {{null, "constraint"},
               {b->stale_rod, numbered("constraint|distance", b->stale_rod.index)},
               {b->gone_rod, "constraint|distance"},
               {b->lost_rod, "constraint|distance"},
               {unknown_kind, "constraint|kind"},
               {no_kind, "constraint|kind"},
               {beyond, "constraint|distance 4294967295"},
               {unborn, "constraint|distance"}};
    for (uint32_t i = 0; i < COUNT_OF(bad); ++i) {
        HARMLESS(b, !sn_constraint_is_valid(b->world, bad[i].handle));
        for (uint32_t j = 0; j < COUNT_OF(constraint_calls); ++j) {
            before(b);
            sn_result result = constraint_calls[j].call(b->world, bad[i].handle);
            after(b, result == SN_ERROR_STALE, bad[i].words, constraint_calls[j].name, __LINE__);
        }
    }
    assert_int_equal(b->failures, 0);
}

static void test_constraint_arguments(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    sn_constraint_def def;
    sn_point points[SN_MAX_POINTS];
    sn_real one = 1;
    REFUSED(b, SN_ERROR_ARGUMENT, "def NULL", sn_constraint_read(w, b->rod, NULL, points));
    REFUSED(b, SN_ERROR_ARGUMENT, "points NULL", sn_constraint_read(w, b->rod, &def, NULL));
    REFUSED(b, SN_ERROR_ARGUMENT, "value NULL", sn_constraint_value(w, b->rod, NULL));
    REFUSED(b, SN_ERROR_ARGUMENT, "name NULL", sn_constraint_set_param(w, b->rod, NULL, &one));
    REFUSED(b, SN_ERROR_ARGUMENT, "value|rest NULL", sn_constraint_set_param(w, b->rod, "rest", NULL));
    REFUSED(b, SN_ERROR_ARGUMENT, "parameter length", sn_constraint_set_param(w, b->rod, "length", &one));
    REFUSED(b, SN_ERROR_ARGUMENT, "parameter", sn_constraint_set_param(w, b->rod, "", &one));
    REFUSED(b, SN_ERROR_ARGUMENT, "parameter Rest", sn_constraint_set_param(w, b->rod, "Rest", &one));
    REFUSED_WITH(b, support_is_nan(sn_constraint_force_on(w, b->rod, 2)), "point 2");
    REFUSED_WITH(b, support_is_nan(sn_constraint_force_on(w, b->rod, UINT32_MAX)), "point 4294967295");
    assert_int_equal(b->failures, 0);
}

static void test_constraint_values(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    for (uint32_t i = 0; i < COUNT_OF(negative_or_not_finite); ++i) {
        sn_real value = real(negative_or_not_finite[i].value);
        sn_material soft = {value, 0}, damped = {1, value};
        const char *word = negative_or_not_finite[i].word;
        REFUSED(b, SN_ERROR_ARGUMENT, both("compliance", word), sn_constraint_set_material(w, b->rod, soft));
        REFUSED(b, SN_ERROR_ARGUMENT, both("damping", word), sn_constraint_set_material(w, b->rod, damped));
        REFUSED(b, SN_ERROR_ARGUMENT, both("rest", word), sn_constraint_set_param(w, b->rod, "rest", &value));
        REFUSED(b, SN_ERROR_ARGUMENT, both("least", word), sn_constraint_set_param(w, b->band, "least", &value));
        REFUSED(b, SN_ERROR_ARGUMENT, both("most", word), sn_constraint_set_param(w, b->band, "most", &value));
    }
    for (uint32_t i = 0; i < COUNT_OF(bad_shares); ++i)
        REFUSED(b, SN_ERROR_ARGUMENT, both("stiffness", bad_shares[i].word),
                sn_constraint_set_stiffness(w, b->rod, real(bad_shares[i].value)));
    sn_material none = {sn_compliance(0), 0}, negative = {sn_compliance(-1), 0};
    REFUSED(b, SN_ERROR_ARGUMENT, "compliance nan", sn_constraint_set_material(w, b->rod, none));
    REFUSED(b, SN_ERROR_ARGUMENT, "compliance nan", sn_constraint_set_material(w, b->rod, negative));
    assert_int_equal(b->failures, 0);
}

static void test_constraint_vectors(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    for (uint32_t i = 0; i < COUNT_OF(not_finite); ++i)
        for (uint32_t axis = 0; axis < 3; ++axis) {
            sn_vec3 bad = spoilt(axis, not_finite[i].value);
            const char *word = not_finite[i].word;
            REFUSED(b, SN_ERROR_ARGUMENT, both("target", word), sn_constraint_set_param(w, b->pin, "target", &bad.x));
            REFUSED(b, SN_ERROR_ARGUMENT, both("origin", word), sn_constraint_set_param(w, b->plane, "origin", &bad.x));
            REFUSED(b, SN_ERROR_ARGUMENT, both("normal", word), sn_constraint_set_param(w, b->plane, "normal", &bad.x));
            REFUSED(b, SN_ERROR_ARGUMENT, both("least", word), sn_constraint_set_param(w, b->box, "least", &bad.x));
            REFUSED(b, SN_ERROR_ARGUMENT, both("most", word), sn_constraint_set_param(w, b->box, "most", &bad.x));
            REFUSED_WITH(b, is_null_constraint(sn_add_pin_at(w, sn_at(b->a), bad)), both("target", word));
            REFUSED_WITH(b, is_null_constraint(sn_add_half_space(w, sn_at(b->a), bad, vec(0, 1, 0))),
                         both("origin", word));
            REFUSED_WITH(b, is_null_constraint(sn_add_half_space(w, sn_at(b->a), vec(0, 0, 0), bad)),
                         both("normal", word));
            REFUSED_WITH(b, is_null_constraint(sn_add_box(w, sn_at(b->a), bad, vec(9, 9, 9))), both("least", word));
            REFUSED_WITH(b, is_null_constraint(sn_add_box(w, sn_at(b->a), vec(0, 0, 0), bad)), both("most", word));
        }
    assert_int_equal(b->failures, 0);
}

/* Values that are each fine but not together. */
static void test_constraint_contradictions(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    sn_real least = 5, most = real(0.25), zero[3] = {0, 0, 0}, far_corner[3] = {11, 11, 0};
    REFUSED(b, SN_ERROR_ARGUMENT, "least most", sn_constraint_set_param(w, b->band, "least", &least));
    REFUSED(b, SN_ERROR_ARGUMENT, "least most", sn_constraint_set_param(w, b->band, "most", &most));
    REFUSED(b, SN_ERROR_ARGUMENT, "least most", sn_constraint_set_param(w, b->box, "least", far_corner));
    REFUSED(b, SN_ERROR_ARGUMENT, "normal", sn_constraint_set_param(w, b->plane, "normal", zero));
    REFUSED_WITH(b, is_null_constraint(sn_add_distance_band(w, sn_at(b->a), sn_at(b->b), 2, 1)), "least most");
    REFUSED_WITH(b, is_null_constraint(sn_add_box(w, sn_at(b->a), vec(0, 1, 0), vec(1, 0, 1))), "least most");
    REFUSED_WITH(b, is_null_constraint(sn_add_half_space(w, sn_at(b->a), vec(0, 0, 0), vec(0, 0, 0))), "normal");
    assert_int_equal(b->failures, 0);
}

/* ---- Points ------------------------------------------------------------------------------------------------------ */

/* Uses one point in every way there is: in a definition, in a change, in each short form, by itself. */
static void refuse_point(bench *b, sn_point bad, bool stale, const char *words)
{
    sn_world *w = b->world;
    sn_point good = sn_at(b->d), points[2] = {good, bad};
    sn_result expected = stale ? SN_ERROR_STALE : SN_ERROR_ARGUMENT;
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    def.points = points;
    def.param[0] = 1;
    sn_constraint c = {7, 7, 7};
    REFUSED(b, expected, words, sn_constraint_add(w, &def, &c));
    if (!is_null_constraint(c))
        wrong(b, __LINE__, "sn_constraint_add", "did not null the handle");
    REFUSED(b, expected, words, sn_constraint_change(w, b->rod, &def));
    REFUSED_WITH(b, support_is_nan(sn_point_position(w, bad)), words);
    REFUSED_WITH(b, is_null_constraint(sn_add_distance(w, bad, good, 1)), words);
    REFUSED_WITH(b, is_null_constraint(sn_add_distance(w, good, bad, SN_MEASURE)), words);
    REFUSED_WITH(b, is_null_constraint(sn_add_distance_min(w, bad, good, 1)), words);
    REFUSED_WITH(b, is_null_constraint(sn_add_distance_max(w, bad, good, 1)), words);
    REFUSED_WITH(b, is_null_constraint(sn_add_distance_band(w, bad, good, 1, 2)), words);
    REFUSED_WITH(b, is_null_constraint(sn_add_pin_at(w, bad, vec(0, 0, 0))), words);
    REFUSED_WITH(b, is_null_constraint(sn_add_attachment(w, good, bad)), words);
    REFUSED_WITH(b, is_null_constraint(sn_add_half_space(w, bad, vec(0, 0, 0), vec(0, 1, 0))), words);
    REFUSED_WITH(b, is_null_constraint(sn_add_box(w, bad, vec(-1, -1, 0), vec(1, 1, 0))), words);
}

static void test_points_of_missing_particles(void **state)
{
    bench *b = *state;
    sn_particle bad[BAD_PARTICLES];
    list_bad_particles(b, bad);
    sn_real third = real(1.0 / 3), quarter = real(0.25);
    for (uint32_t i = 0; i < BAD_PARTICLES; ++i) {
        char words[64];
        snprintf(words, sizeof words, "%s", i == 0 ? "particle" : numbered("particle", bad[i].index));
        refuse_point(b, sn_at(bad[i]), true, words);
        refuse_point(b, sn_on_triangle(b->a, b->b, bad[i], third, third, third), true, words);
        refuse_point(b, sn_in_tetrahedron(bad[i], b->a, b->b, b->c, quarter, quarter, quarter, quarter), true, words);
    }
    assert_int_equal(b->failures, 0);
}

static void test_points_with_bad_weights(void **state)
{
    bench *b = *state;
    sn_real third = real(1.0 / 3), quarter = real(0.25), huge = real(1e30);
    sn_point light = sn_at(b->a);
    light.weight[0] = real(0.5);
    refuse_point(b, light, false, "weight");
    refuse_point(b, sn_on_triangle(b->a, b->b, b->c, third, third, real(0.5)), false, "weight");
    refuse_point(b, sn_on_triangle(b->a, b->b, b->c, 0, 0, 0), false, "weight");
    refuse_point(b, sn_on_triangle(b->a, b->b, b->c, third, third, real(1.0 / 3 + 0.002)), false, "weight");
    refuse_point(b, sn_in_tetrahedron(b->a, b->b, b->c, b->d, quarter, quarter, quarter, -quarter), false, "weight");
    for (uint32_t i = 0; i < COUNT_OF(not_finite); ++i)
        refuse_point(b, sn_on_triangle(b->a, b->b, b->c, third, real(not_finite[i].value), third), false,
                     both("weight", not_finite[i].word));
    /* inf - inf: each weight is bad although a careless sum would not see it */
    refuse_point(b, sn_on_triangle(b->a, b->b, b->c, 1, (sn_real)INFINITY, -(sn_real)INFINITY), false, "weight");
    refuse_point(b, sn_on_triangle(b->a, b->b, b->c, huge, huge, huge), false, "weight");
    assert_int_equal(b->failures, 0);
}

static void test_points_with_bad_counts(void **state)
{
    bench *b = *state;
    const uint32_t bad[] = {0, 2, 5, 1000, UINT32_MAX};
    for (uint32_t i = 0; i < COUNT_OF(bad); ++i) {
        sn_point point = sn_on_triangle(b->a, b->b, b->c, real(0.25), real(0.25), real(0.5));
        point.count = bad[i];
        char words[64];
        snprintf(words, sizeof words, "%s", numbered("point", bad[i]));
        refuse_point(b, point, false, words);
    }
    assert_int_equal(b->failures, 0);
}

static void test_one_particle_as_two_points(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    sn_point p = sn_at(b->a), points[2] = {p, p};
    const char *words = numbered("particle", b->a.index);
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    def.points = points;
    def.param[0] = 1;
    REFUSED(b, SN_ERROR_ARGUMENT, words, sn_constraint_add(w, &def, NULL));
    REFUSED(b, SN_ERROR_ARGUMENT, words, sn_constraint_change(w, b->rod, &def));
    REFUSED_WITH(b, is_null_constraint(sn_add_distance(w, p, p, 1)), words);
    REFUSED_WITH(b, is_null_constraint(sn_add_distance_min(w, p, p, 1)), words);
    REFUSED_WITH(b, is_null_constraint(sn_add_distance_max(w, p, p, 1)), words);
    REFUSED_WITH(b, is_null_constraint(sn_add_distance_band(w, p, p, 1, 2)), words);
    REFUSED_WITH(b, is_null_constraint(sn_add_attachment(w, p, p)), words);
    uint32_t index[] = {b->c.index, b->d.index, b->a.index, b->a.index};
    REFUSED(b, SN_ERROR_ARGUMENT, words, sn_constraints_add(w, &def, 2, index, NULL, NULL));
    REFUSED_WITH(b, is_null_constraints(sn_add_constraints(w, SN_KIND_DISTANCE, 2, index, NULL, NULL)), words);
    assert_int_equal(b->failures, 0);
}

/* ---- Definitions of constraints ------------------------------------------------------------------------------------ */

/* The definition is bad on its own: refused in every call that takes one. */
static void refuse_def(bench *b, const sn_constraint_def *def, const char *words)
{
    sn_world *w = b->world;
    uint32_t index[] = {b->c.index, b->d.index};
    sn_constraint c = {7, 7, 7};
    sn_constraints run = {7, 7, 7, 7};
    REFUSED(b, SN_ERROR_ARGUMENT, words, sn_constraint_add(w, def, &c));
    REFUSED(b, SN_ERROR_ARGUMENT, words, sn_constraint_add(w, def, NULL));
    REFUSED(b, SN_ERROR_ARGUMENT, words, sn_constraint_change(w, b->rod, def));
    REFUSED(b, SN_ERROR_ARGUMENT, words, sn_constraints_add(w, def, 1, index, NULL, &run));
    REFUSED(b, SN_ERROR_ARGUMENT, words, sn_constraints_add(w, def, 1, index, NULL, NULL));
    if (!is_null_constraint(c))
        wrong(b, __LINE__, "sn_constraint_add", "did not null the handle");
    if (!is_null_constraints(run))
        wrong(b, __LINE__, "sn_constraints_add", "did not null the run");
}

static sn_constraint_def rod_def(const sn_point *points)
{
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    def.points = points;
    def.param[0] = 1;
    return def;
}

static void test_constraint_defs(void **state)
{
    bench *b = *state;
    sn_point points[2] = {sn_at(b->a), sn_at(b->b)};
    refuse_def(b, NULL, "def NULL");
    for (uint32_t i = 0; i < COUNT_OF(negative_or_not_finite); ++i) {
        sn_real value = real(negative_or_not_finite[i].value);
        sn_constraint_def def = rod_def(points);
        def.compliance = value;
        refuse_def(b, &def, both("compliance", negative_or_not_finite[i].word));
        def = rod_def(points);
        def.damping = value;
        refuse_def(b, &def, both("damping", negative_or_not_finite[i].word));
        def = rod_def(points);
        def.param[0] = value;
        refuse_def(b, &def, both("rest", negative_or_not_finite[i].word));
    }
    for (uint32_t i = 0; i < COUNT_OF(bad_shares); ++i) {
        sn_constraint_def def = rod_def(points);
        def.stiffness = real(bad_shares[i].value);
        refuse_def(b, &def, both("stiffness", bad_shares[i].word));
    }
    const uint32_t bad_kinds[] = {SN_KIND_NONE, SN_KIND_BUILTIN_END, 1000, UINT32_MAX};
    for (uint32_t i = 0; i < COUNT_OF(bad_kinds); ++i) {
        sn_constraint_def def = sn_default_constraint_def(bad_kinds[i]);
        def.points = points;
        refuse_def(b, &def, numbered("kind", bad_kinds[i]));
    }
    sn_constraint_def def = rod_def(NULL);
    REFUSED(b, SN_ERROR_ARGUMENT, "points NULL", sn_constraint_add(b->world, &def, NULL));
    REFUSED(b, SN_ERROR_ARGUMENT, "points NULL", sn_constraint_change(b->world, b->rod, &def));
    def = rod_def(points);
    REFUSED(b, SN_ERROR_ARGUMENT, "kind pin|distance", sn_constraint_change(b->world, b->pin, &def));
    assert_int_equal(b->failures, 0);
}

static void test_parameter_that_must_be_given(void **state)
{
    bench *b = *state;
    sn_point point = sn_at(b->a);
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_BOX);
    def.points = &point;
    REFUSED(b, SN_ERROR_ARGUMENT, "box least", sn_constraint_add(b->world, &def, NULL));
    for (uint32_t i = 0; i < 3; ++i)
        def.param[i] = 0;
    REFUSED(b, SN_ERROR_ARGUMENT, "box most", sn_constraint_add(b->world, &def, NULL));
    assert_int_equal(b->failures, 0);
}

/* Tries sn_constraints_add and its short form. */
static void refuse_bulk(bench *b, sn_result expected, uint32_t count, const uint32_t *index, const sn_real *param,
                        const char *words)
{
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    sn_constraints run = {7, 7, 7, 7};
    REFUSED(b, expected, words, sn_constraints_add(b->world, &def, count, index, param, &run));
    if (!is_null_constraints(run))
        wrong(b, __LINE__, "sn_constraints_add", "did not null the run");
    REFUSED_WITH(b, is_null_constraints(sn_add_constraints(b->world, SN_KIND_DISTANCE, count, index, param, NULL)),
                 words);
}

static void test_constraints_in_bulk(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    uint32_t index[] = {b->a.index, b->b.index, b->b.index, b->c.index};
    sn_real rest[] = {1, 1};
    refuse_bulk(b, SN_ERROR_ARGUMENT, 2, NULL, rest, "index|numbers NULL");
    /* more than any world holds: refused before the arrays, which are much shorter, are read */
    refuse_bulk(b, SN_ERROR_LIMIT, UINT32_MAX, index, rest, "constraints 4294967");
    refuse_bulk(b, SN_ERROR_LIMIT, UINT32_MAX - 10, index, NULL, "constraints");
    const uint32_t missing[] = {b->gone.index, 70000, UINT32_MAX};
    for (uint32_t i = 0; i < COUNT_OF(missing); ++i) {
        index[3] = missing[i];
        char words[64];
        snprintf(words, sizeof words, "%s", numbered("particle", missing[i]));
        refuse_bulk(b, SN_ERROR_STALE, 2, index, NULL, words);
    }
    index[3] = b->c.index;
    for (uint32_t i = 0; i < COUNT_OF(negative_or_not_finite); ++i) {
        rest[1] = real(negative_or_not_finite[i].value);
        char words[64];
        snprintf(words, sizeof words, "%s", both("rest 1", negative_or_not_finite[i].word));
        refuse_bulk(b, SN_ERROR_ARGUMENT, 2, index, rest, words);
        sn_material bad = {rest[1], 0};
        REFUSED_WITH(b, is_null_constraints(sn_add_constraints(w, SN_KIND_DISTANCE, 2, index, NULL, &bad)),
                     both("compliance", negative_or_not_finite[i].word));
    }
    REFUSED_WITH(b, is_null_constraints(sn_add_constraints(w, SN_KIND_NONE, 2, index, NULL, NULL)), "kind 0");
    REFUSED_WITH(b, is_null_constraints(sn_add_constraints(w, 1000, 2, index, NULL, NULL)), "kind 1000");
    HARMLESS(b, is_null_constraints(sn_add_constraints(w, SN_KIND_DISTANCE, 0, index, NULL, NULL)));
    HARMLESS(b, is_null_constraints(sn_add_constraints(w, SN_KIND_DISTANCE, 0, NULL, NULL, NULL)));
    assert_int_equal(b->failures, 0);
}

/* Each typed helper with each bad length. */
static void test_short_forms(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    sn_point p = sn_at(b->a), q = sn_at(b->b);
    for (uint32_t i = 0; i < COUNT_OF(negative_or_not_finite); ++i) {
        sn_real bad = real(negative_or_not_finite[i].value);
        const char *word = negative_or_not_finite[i].word;
        REFUSED_WITH(b, is_null_constraint(sn_add_distance(w, p, q, bad)), both("rest", word));
        REFUSED_WITH(b, is_null_constraint(sn_add_distance_min(w, p, q, bad)), both("least", word));
        REFUSED_WITH(b, is_null_constraint(sn_add_distance_max(w, p, q, bad)), both("most", word));
        REFUSED_WITH(b, is_null_constraint(sn_add_distance_band(w, p, q, bad, 2)), both("least", word));
        REFUSED_WITH(b, is_null_constraint(sn_add_distance_band(w, p, q, 1, bad)), both("most", word));
    }
    assert_int_equal(b->failures, 0);
}

/* ---- Kinds ------------------------------------------------------------------------------------------------------- */

typedef void spoil_kind(sn_kind *kind);

static void no_name(sn_kind *kind)
{
    kind->name = NULL;
}

static void empty_name(sn_kind *kind)
{
    kind->name = "";
}

static void upper_case_name(sn_kind *kind)
{
    kind->name = "Gap";
}

static void spaced_name(sn_kind *kind)
{
    kind->name = "test gap";
}

static void dashed_name(sn_kind *kind)
{
    kind->name = "test-gap";
}

static void accented_name(sn_kind *kind)
{
    kind->name = "h\xc3\xa9lix";
}

static void taken_name(sn_kind *kind)
{
    kind->name = "distance";
}

static void no_points(sn_kind *kind)
{
    kind->points = 0;
}

static void many_points(sn_kind *kind)
{
    kind->points = SN_MAX_POINTS + 1;
}

static void endless_points(sn_kind *kind)
{
    kind->points = UINT32_MAX;
}

static void no_rows(sn_kind *kind)
{
    kind->rows = 0;
}

static void many_rows(sn_kind *kind)
{
    kind->rows = SN_MAX_ROWS + 1;
}

static void endless_rows(sn_kind *kind)
{
    kind->rows = UINT32_MAX;
}

static void no_eval(sn_kind *kind)
{
    kind->eval = NULL;
}

static void stray_inequality(sn_kind *kind)
{
    kind->inequality = 2;
}

/* No NULL ends the list. */
static void many_params(sn_kind *kind)
{
    static char names[SN_MAX_PARAMS + 1][8];
    for (uint32_t i = 0; i <= SN_MAX_PARAMS; ++i) {
        snprintf(names[i], sizeof names[i], "p%u", i);
        kind->param[i].name = names[i];
        kind->param[i].type = SN_PARAM_REAL;
    }
}

/* Six vectors are eighteen numbers. */
static void many_vectors(sn_kind *kind)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    for (uint32_t i = 0; i < COUNT_OF(names); ++i) {
        kind->param[i].name = names[i];
        kind->param[i].type = SN_PARAM_VECTOR;
    }
}

static void bad_param_name(sn_kind *kind)
{
    kind->param[0].name = "The Gap";
}

static void same_param_name(sn_kind *kind)
{
    kind->param[1] = kind->param[0];
}

static void bad_param_type(sn_kind *kind)
{
    kind->param[0].type = (sn_param_type)99;
}

static void empty_param_range(sn_kind *kind)
{
    kind->param[0].least = 2;
    kind->param[0].most = 1;
}

static void nan_param_range(sn_kind *kind)
{
    kind->param[0].least = (sn_real)NAN;
}

static void nan_param_default(sn_kind *kind)
{
    kind->param[0].has_default = true;
    kind->param[0].default_value = (sn_real)NAN;
}

static void default_out_of_range(sn_kind *kind)
{
    kind->param[0].least = 1;
    kind->param[0].most = 2;
    kind->param[0].has_default = true;
    kind->param[0].default_value = 3;
}

static const struct {
    const char *name;
    spoil_kind *spoil;
    const char *words;
} bad_kinds[] = {
    {"no name", no_name, "name"},
    {"empty name", empty_name, "name"},
    {"upper case", upper_case_name, "name Gap"},
    {"space", spaced_name, "name test gap"},
    {"dash", dashed_name, "name test-gap"},
    {"accent", accented_name, "name"},
    {"taken", taken_name, "distance"},
    {"no points", no_points, "test_gap points 0"},
    {"nine points", many_points, "test_gap points 9"},
    {"endless points", endless_points, "test_gap points 4294967295"},
    {"no rows", no_rows, "test_gap rows 0"},
    {"seven rows", many_rows, "test_gap rows 7"},
    {"endless rows", endless_rows, "test_gap rows 4294967295"},
    {"no eval", no_eval, "test_gap eval"},
    {"inequality beyond rows", stray_inequality, "test_gap inequality"},
    {"seventeen parameters", many_params, "test_gap parameter"},
    {"eighteen numbers", many_vectors, "test_gap parameter"},
    {"parameter name", bad_param_name, "test_gap parameter The Gap"},
    {"parameter twice", same_param_name, "test_gap parameter gap"},
    {"parameter type", bad_param_type, "test_gap parameter gap 99"},
    {"parameter range", empty_param_range, "test_gap parameter gap 2 1"},
    {"parameter range", nan_param_range, "test_gap parameter gap nan"},
    {"parameter default", nan_param_default, "test_gap parameter gap"},
    {"parameter default", default_out_of_range, "test_gap parameter gap 3"},
};

static void test_kind_registration(void **state)
{
    bench *b = *state;
    REFUSED_WITH(b, sn_register_kind(b->world, NULL) == 0, "kind NULL");
    for (uint32_t i = 0; i < COUNT_OF(bad_kinds); ++i) {
        sn_kind kind = support_kind_gap;
        bad_kinds[i].spoil(&kind);
        before(b);
        uint32_t number = sn_register_kind(b->world, &kind);
        after(b, number == 0, bad_kinds[i].words, bad_kinds[i].name, __LINE__);
    }
    assert_int_equal(sn_kind_count(b->world), SN_KIND_BUILTIN_END);
    assert_int_equal(sn_register_kind(b->world, &support_kind_gap), SN_KIND_BUILTIN_END);
    REFUSED_WITH(b, sn_register_kind(b->world, &support_kind_gap) == 0, "test_gap");
    assert_int_equal(b->failures, 0);
}

static void test_kind_lookup(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    HARMLESS(b, sn_kind_info(w, SN_KIND_NONE) == NULL);
    HARMLESS(b, sn_kind_info(w, SN_KIND_BUILTIN_END) == NULL);
    HARMLESS(b, sn_kind_info(w, UINT32_MAX) == NULL);
    HARMLESS(b, sn_kind_info(NULL, SN_KIND_NONE) == NULL);
    HARMLESS(b, sn_kind_info(NULL, UINT32_MAX) == NULL);
    HARMLESS(b, sn_kind_find(w, NULL) == 0);
    HARMLESS(b, sn_kind_find(w, "") == 0);
    HARMLESS(b, sn_kind_find(w, "nothing") == 0);
    HARMLESS(b, sn_kind_find(NULL, NULL) == 0);
    HARMLESS(b, sn_kind_find(NULL, "distance") == SN_KIND_DISTANCE);
    HARMLESS(b, sn_kind_count(NULL) == SN_KIND_BUILTIN_END);
    HARMLESS(b, sn_kind_param_count(NULL) == 0);
    HARMLESS(b, sn_world_constraint_count(w, 1000) == 0);
    HARMLESS(b, sn_world_constraint_count(w, UINT32_MAX) == 0);
    assert_int_equal(b->failures, 0);
}

/* ---- Settings and world definitions ---------------------------------------------------------------------------------- */

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
    for (uint32_t i = 0; i < COUNT_OF(not_finite); ++i)
        for (uint32_t axis = 0; axis < 3; ++axis)
            TRY(gravity, spoilt(axis, not_finite[i].value), both("gravity", not_finite[i].word));
    for (uint32_t i = 0; i < COUNT_OF(negative_or_not_finite); ++i) {
        TRY(tolerance, real(negative_or_not_finite[i].value), both("tolerance", negative_or_not_finite[i].word));
        TRY(damping, real(negative_or_not_finite[i].value), both("damping", negative_or_not_finite[i].word));
    }
    TRY(solver, (sn_solver)1, "solver 1");
    TRY(solver, (sn_solver)-1, "solver");
    TRY(solver, (sn_solver)1000, "solver 1000");
    TRY(integrator, (sn_integrator)1, "integrator 1");
    TRY(integrator, (sn_integrator)-1, "integrator");
    TRY(order, (sn_order)4, "order 4");
    TRY(order, (sn_order)-1, "order");
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
                   log.level == SN_LOG_ERROR && says(log.text, words);
    refused &= sn_world_def_check(&def, message, sizeof message) == SN_ERROR_ARGUMENT && says(message, words);
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
        failures += refuse_world_def(def, numbered("dimensions", dimensions[i]));
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

/* ---- The world ----------------------------------------------------------------------------------------------------- */

static void test_step_sizes(void **state)
{
    bench *b = *state;
    for (uint32_t i = 0; i < COUNT_OF(negative_or_not_finite); ++i)
        REFUSED(b, SN_ERROR_ARGUMENT, both("dt", negative_or_not_finite[i].word),
                sn_world_step(b->world, real(negative_or_not_finite[i].value)));
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
        before(b);
        sn_result result = sn_world_step(b->world, sizes[i]);
        if (sizes[i] > 1)
            assert_true(result == SN_OK || result == SN_ERROR_DIVERGED);
        else if (sizes[i] < real(1e-20) && result != SN_OK)
            after(b, result == SN_ERROR_ARGUMENT, "dt small", "sn_world_step", __LINE__);
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
    for (uint32_t i = 0; i < COUNT_OF(not_finite); ++i)
        for (uint32_t axis = 0; axis < 3; ++axis)
            REFUSED(b, SN_ERROR_ARGUMENT, both("offset", not_finite[i].word),
                    sn_world_shift_origin(w, spoilt(axis, not_finite[i].value)));
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
    assert_ok(w, sn_constraint_set_param(w, b->pin, "target", &far.x));
    REFUSED(b, SN_ERROR_ARGUMENT, "offset", sn_world_shift_origin(w, back));
    assert_int_equal(b->failures, 0);
}

static void test_fields(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    uint32_t field = 7, kept = 0;
    REFUSED(b, SN_ERROR_ARGUMENT, "field|function NULL", sn_world_add_field(w, NULL, NULL, false, &field));
    REFUSED(b, SN_ERROR_ARGUMENT, "field|function NULL", sn_world_add_field(w, NULL, NULL, true, NULL));
    assert_ok(w, sn_world_add_field(w, support_wind, NULL, false, &field));
    assert_ok(w, sn_world_add_field(w, support_wind, NULL, false, &kept));
    assert_ok(w, sn_world_remove_field(w, field));
    REFUSED(b, SN_ERROR_STALE, numbered("field", field), sn_world_remove_field(w, field));
    REFUSED(b, SN_ERROR_STALE, "field 4294967295", sn_world_remove_field(w, UINT32_MAX));
    REFUSED(b, SN_ERROR_STALE, "field 1000", sn_world_remove_field(w, 1000));
    assert_ok(w, sn_world_remove_field(w, kept));
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
    assert_int_equal(sn_register_kind(owner, &first), SN_KIND_BUILTIN_END);
    assert_int_equal(sn_register_kind(owner, &support_kind_gap), SN_KIND_BUILTIN_END + 1);
    sn_particle p = sn_add_particle(owner, vec(0, 0, 0), 1), q = sn_add_particle(owner, vec(1, 0, 0), 1);
    uint32_t index[] = {p.index, q.index};
    assert_int_equal(sn_add_constraints(owner, SN_KIND_BUILTIN_END + 1, 1, index, NULL, NULL).count, 1);
    sn_snapshot *state_of_owner = sn_world_save(owner);
    assert_non_null(state_of_owner);
    REFUSED(b, SN_ERROR_ARGUMENT, "kind test_gap", sn_world_load(b->world, state_of_owner));
    /* known, but the other way round */
    assert_int_equal(sn_register_kind(b->world, &support_kind_gap), SN_KIND_BUILTIN_END);
    assert_int_equal(sn_register_kind(b->world, &first), SN_KIND_BUILTIN_END + 1);
    REFUSED(b, SN_ERROR_ARGUMENT, "kind test_gap", sn_world_load(b->world, state_of_owner));
    sn_snapshot_destroy(state_of_owner);
    sn_world_destroy(owner);
    assert_int_equal(b->failures, 0);
}

/* ---- Two dimensions ------------------------------------------------------------------------------------------------ */

static void test_2d_particles(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    sn_vec3 out = vec(1, 2, 0.25);
    for (uint32_t i = 0; i < COUNT_OF(vector_calls); ++i) {
        before(b);
        sn_result result = vector_calls[i].call(w, b->a, out);
        after(b, result == SN_ERROR_ARGUMENT, both(vector_calls[i].word, "z 0.25"), vector_calls[i].name, __LINE__);
    }
    sn_particle_def def = sn_default_particle_def();
    def.position = out;
    refuse_particle(b, &def, "position z 0.25");
    def = sn_default_particle_def();
    def.velocity = out;
    refuse_particle(b, &def, "velocity z 0.25");
    REFUSED_WITH(b, is_null_particle(sn_add_particle(w, out, 1)), "position z 0.25");
    sn_real xyz[3 * 10] = {0};
    xyz[3 * 4 + 2] = real(0.25);
    REFUSED_WITH(b, is_null_run(sn_add_particles(w, 10, xyz, 0, 1)), "z 0.25 4");
    REFUSED(b, SN_ERROR_ARGUMENT, "z 0.25 4|55", sn_write_positions(w, b->run, xyz, 0));
    REFUSED(b, SN_ERROR_ARGUMENT, "z 0.25 4|55", sn_write_velocities(w, b->run, xyz, 0));
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

static void test_2d_constraints(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    sn_point p = sn_at(b->a);
    sn_vec3 in = vec(1, 2, 0), out = vec(1, 2, 0.25);
    REFUSED_WITH(b, is_null_constraint(sn_add_pin_at(w, p, out)), "target z 0.25");
    REFUSED_WITH(b, is_null_constraint(sn_add_half_space(w, p, out, in)), "origin z 0.25");
    REFUSED_WITH(b, is_null_constraint(sn_add_half_space(w, p, in, out)), "normal z");
    REFUSED_WITH(b, is_null_constraint(sn_add_box(w, p, vec(0, 0, -0.25), in)), "least z -0.25");
    REFUSED_WITH(b, is_null_constraint(sn_add_box(w, p, vec(0, 0, 0), out)), "most z 0.25");
    REFUSED(b, SN_ERROR_ARGUMENT, "target z 0.25", sn_constraint_set_param(w, b->pin, "target", &out.x));
    REFUSED(b, SN_ERROR_ARGUMENT, "origin z 0.25", sn_constraint_set_param(w, b->plane, "origin", &out.x));
    REFUSED(b, SN_ERROR_ARGUMENT, "normal z", sn_constraint_set_param(w, b->plane, "normal", &out.x));
    assert_int_equal(b->failures, 0);
}

/* ---- No world ------------------------------------------------------------------------------------------------------ */

static void test_null_world_particles(void **state)
{
    (void)state;
    sn_particle p = {0, 0}, made = {7, 7};
    sn_particles run = {0, 1, 1};
    sn_particle_def def = sn_default_particle_def();
    sn_real xyz[3] = {0};
    assert_int_equal(sn_particle_add(NULL, &def, &made), SN_ERROR_ARGUMENT);
    assert_true(is_null_particle(made));
    assert_true(is_null_particle(sn_add_particle(NULL, vec(0, 0, 0), 1)));
    assert_true(is_null_run(sn_add_particles(NULL, 1, xyz, 0, 1)));
    assert_int_equal(sn_particles_remove(NULL, run), SN_ERROR_ARGUMENT);
    assert_false(sn_particle_is_valid(NULL, p));
    assert_true(is_null_particle(sn_particle_from_index(NULL, 0)));
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
    assert_true(is_zero_view(sn_view_positions(NULL)));
    assert_true(is_zero_view(sn_view_velocities(NULL)));
    assert_true(is_zero_view(sn_view_inverse_masses(NULL)));
}

static void test_null_world_constraints(void **state)
{
    (void)state;
    sn_point p = {0}, points[2] = {p, p};
    sn_constraint c = {1, 0, 1}, made = {7, 7, 7};
    sn_constraints run = {7, 7, 7, 7};
    uint32_t index[2] = {0, 1};
    sn_constraint_def def = rod_def(points);
    assert_int_equal(sn_constraint_add(NULL, &def, &made), SN_ERROR_ARGUMENT);
    assert_true(is_null_constraint(made));
    assert_int_equal(sn_constraints_add(NULL, &def, 1, index, NULL, &run), SN_ERROR_ARGUMENT);
    assert_true(is_null_constraints(run));
    assert_true(is_null_constraints(sn_add_constraints(NULL, SN_KIND_DISTANCE, 1, index, NULL, NULL)));
    assert_int_equal(sn_constraint_change(NULL, c, &def), SN_ERROR_ARGUMENT);
    assert_int_equal(set_rest(NULL, c), SN_ERROR_ARGUMENT);
    assert_int_equal(set_material(NULL, c), SN_ERROR_ARGUMENT);
    assert_int_equal(set_stiffness(NULL, c), SN_ERROR_ARGUMENT);
    assert_int_equal(read_back(NULL, c), SN_ERROR_ARGUMENT);
    assert_int_equal(value_of(NULL, c), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_constraint_remove(NULL, c), SN_ERROR_ARGUMENT);
    assert_true(isnan(sn_constraint_force(NULL, c).magnitude));
    assert_true(support_is_nan(sn_constraint_force_on(NULL, c, 0)));
    assert_false(sn_constraint_is_valid(NULL, c));
    assert_int_equal(sn_world_constraint_count(NULL, SN_KIND_NONE), 0);
    assert_int_equal(sn_register_kind(NULL, &support_kind_gap), 0);
    assert_true(support_is_nan(sn_point_position(NULL, p)));
    assert_true(is_null_constraint(sn_add_distance(NULL, p, p, 1)));
    assert_true(is_null_constraint(sn_add_distance_min(NULL, p, p, 1)));
    assert_true(is_null_constraint(sn_add_distance_max(NULL, p, p, 1)));
    assert_true(is_null_constraint(sn_add_distance_band(NULL, p, p, 1, 2)));
    assert_true(is_null_constraint(sn_add_pin_at(NULL, p, vec(0, 0, 0))));
    assert_true(is_null_constraint(sn_add_attachment(NULL, p, p)));
    assert_true(is_null_constraint(sn_add_half_space(NULL, p, vec(0, 0, 0), vec(0, 1, 0))));
    assert_true(is_null_constraint(sn_add_box(NULL, p, vec(0, 0, 0), vec(0, 1, 0))));
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
    assert_int_equal(sn_world_add_field(NULL, support_wind, NULL, false, &field), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_remove_field(NULL, 1), SN_ERROR_ARGUMENT);
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
    for (int i = SN_OK; i <= SN_ERROR_HOST; ++i) {
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

/* ---- Calls from inside callbacks ------------------------------------------------------------------------------------- */

/* What a callback needs to call its own world, and what came of it. */
typedef struct intruder {
    sn_world *world;
    sn_particle p;
    sn_particles run;
    sn_constraint rod;
    sn_snapshot *snapshot;
    support_log log;
    bool armed;        /* intrudes once per arming */
    uint32_t calls;    /* that were refused as they should */
    uint32_t failures; /* that were not */
} intruder;

static void expect_busy(intruder *in, bool refused, const char *call)
{
    const char *error = sn_world_error(in->world);
    if (refused && says(error, "callback")) {
        in->calls++;
        return;
    }
    in->failures++;
    print_error("from a callback: %s; error \"%s\"\n", call, error);
}

#define BUSY(call)      expect_busy(in, (call) == SN_ERROR_BUSY, #call)
#define BUSY_NULL(call) expect_busy(in, (call), #call)

static void intrude_on_particles(intruder *in)
{
    sn_world *w = in->world;
    sn_real xyz[3 * 8] = {0};
    sn_particle_def def = sn_default_particle_def();
    BUSY(sn_particle_add(w, &def, NULL));
    BUSY_NULL(is_null_particle(sn_add_particle(w, vec(0, 0, 0), 1)));
    BUSY_NULL(is_null_run(sn_add_particles(w, 2, xyz, 0, 1)));
    BUSY(sn_particle_remove(w, in->p));
    BUSY(sn_particles_remove(w, in->run));
    BUSY(sn_particle_set_position(w, in->p, vec(5, 5, 0)));
    BUSY(sn_particle_set_velocity(w, in->p, vec(5, 5, 0)));
    BUSY(sn_particle_set_mass(w, in->p, 5));
    BUSY(sn_particle_set_radius(w, in->p, 5));
    BUSY(sn_particle_set_group(w, in->p, 5));
    BUSY(sn_particle_set_user(w, in->p, 5));
    BUSY(sn_particle_apply_impulse(w, in->p, vec(5, 5, 0)));
    BUSY(sn_particle_add_force(w, in->p, vec(5, 5, 0)));
    BUSY(sn_particle_move_to(w, in->p, vec(5, 5, 0)));
    BUSY(sn_write_positions(w, in->run, xyz, 0));
    BUSY(sn_write_velocities(w, in->run, xyz, 0));
    BUSY(sn_write_inverse_masses(w, in->run, xyz, 0));
}

static void intrude_on_constraints(intruder *in)
{
    sn_world *w = in->world;
    uint32_t index[] = {in->run.first, in->run.first + 1};
    sn_point p = sn_at(in->p), q = sn_at(sn_particles_at(in->run, 1)), points[2] = {p, q};
    sn_constraint_def def = rod_def(points);
    BUSY(sn_constraint_add(w, &def, NULL));
    BUSY(sn_constraints_add(w, &def, 1, index, NULL, NULL));
    BUSY_NULL(is_null_constraints(sn_add_constraints(w, SN_KIND_DISTANCE, 1, index, NULL, NULL)));
    BUSY(sn_constraint_change(w, in->rod, &def));
    BUSY(sn_constraint_remove(w, in->rod));
    BUSY(set_rest(w, in->rod));
    BUSY(set_material(w, in->rod));
    BUSY(set_stiffness(w, in->rod));
    BUSY_NULL(is_null_constraint(sn_add_distance(w, p, q, 1)));
    BUSY_NULL(is_null_constraint(sn_add_distance_min(w, p, q, 1)));
    BUSY_NULL(is_null_constraint(sn_add_distance_max(w, p, q, 1)));
    BUSY_NULL(is_null_constraint(sn_add_distance_band(w, p, q, 1, 2)));
    BUSY_NULL(is_null_constraint(sn_add_pin(w, in->p)));
    BUSY_NULL(is_null_constraint(sn_add_pin_at(w, p, vec(0, 0, 0))));
    BUSY_NULL(is_null_constraint(sn_add_attachment(w, p, q)));
    BUSY_NULL(is_null_constraint(sn_add_half_space(w, p, vec(0, 0, 0), vec(0, 1, 0))));
    BUSY_NULL(is_null_constraint(sn_add_box(w, p, vec(0, 0, 0), vec(1, 1, 0))));
    sn_kind kind = support_kind_gap;
    kind.name = "test_intruder";
    BUSY_NULL(sn_register_kind(w, &kind) == 0);
}

static void intrude_on_world(intruder *in)
{
    sn_world *w = in->world;
    sn_settings settings = sn_world_settings(w);
    sn_report report;
    settings.gravity = vec(1, 2, 0);
    BUSY(sn_world_step(w, real(0.1)));
    BUSY(sn_world_step(w, 0));
    BUSY(sn_world_configure(w, &settings));
    BUSY(sn_world_shift_origin(w, vec(1, 0, 0)));
    BUSY(sn_world_add_field(w, support_wind, NULL, false, NULL));
    BUSY(sn_world_remove_field(w, 1));
    BUSY(sn_world_report(w, &report));
    BUSY_NULL(sn_world_save(w) == NULL);
    BUSY(sn_world_save_into(w, in->snapshot));
    BUSY(sn_world_load(w, in->snapshot));
    uint32_t logged = in->log.count;
    sn_world_destroy(w);
    expect_busy(in, in->log.count == logged + 1, "sn_world_destroy");
}

static void intrude(intruder *in)
{
    if (!in->armed)
        return;
    in->armed = false;
    intrude_on_particles(in);
    intrude_on_constraints(in);
    intrude_on_world(in);
}

static sn_vec3 intruding_field(void *context, const sn_field_in *field_in)
{
    (void)field_in;
    intrude(context);
    return vec(1, 0, 0);
}

static bool intruding_eval(const sn_eval_in *in, const sn_eval_out *out)
{
    intrude(in->context);
    return support_kind_gap.eval(in, out);
}

static void intruding_measure(const sn_eval_in *in, sn_real *param)
{
    intrude(in->context);
    support_kind_gap.measure(in, param);
}

static intruder *checked_intruder; /* a check has no context */

static const char *intruding_check(const sn_real *param)
{
    (void)param;
    if (checked_intruder)
        intrude(checked_intruder);
    return NULL;
}

static void intruding_run(void *context, uint32_t count, void (*task)(void *data, uint32_t index), void *data)
{
    intrude(context);
    for (uint32_t i = 0; i < count; ++i)
        task(data, i);
}

/* A world with a field, a kind and a task hook that can turn on it. */
static intruder *intruder_open(void)
{
    intruder *in = calloc(1, sizeof *in);
    sn_world_def def = sn_default_world_def();
    def.log = support_log_hook(&in->log);
    def.tasks.run = intruding_run;
    def.tasks.context = in;
    in->world = support_world_from(&def);
    sn_kind kind = support_kind_gap;
    kind.eval = intruding_eval;
    kind.measure = intruding_measure;
    kind.check = intruding_check;
    kind.context = in;
    uint32_t number = sn_register_kind(in->world, &kind);
    assert_int_equal(number, SN_KIND_BUILTIN_END);
    sn_real xyz[3 * 8];
    for (uint32_t i = 0; i < 24; ++i)
        xyz[i] = real(i % 3 == 2 ? 0 : i);
    in->run = sn_add_particles(in->world, 8, xyz, 0, 1);
    in->p = sn_particles_at(in->run, 0);
    in->rod = sn_add_distance(in->world, sn_at(in->p), sn_at(sn_particles_at(in->run, 1)), SN_MEASURE);
    uint32_t index[] = {in->run.first + 2, in->run.first + 3};
    assert_int_equal(sn_add_constraints(in->world, number, 1, index, NULL, NULL).count, 1);
    assert_ok(in->world, sn_world_add_field(in->world, intruding_field, in, true, NULL));
    in->snapshot = sn_world_save(in->world);
    return in;
}

static void intruder_close(intruder *in)
{
    sn_snapshot_destroy(in->snapshot);
    sn_world_destroy(in->world);
    free(in);
}

/* The intruding world goes the way of one whose callbacks behave, and lives on. */
static void test_calls_from_callbacks(void **state)
{
    (void)state;
    intruder *in = intruder_open(), *twin = intruder_open();
    for (uint32_t i = 0; i < 5; ++i) {
        in->armed = true;
        assert_ok(in->world, sn_world_step(in->world, real(0.01)));
        assert_ok(twin->world, sn_world_step(twin->world, real(0.01)));
        assert_same_world(in->world, twin->world);
    }
    assert_int_equal(in->failures, 0);
    assert_true(in->calls > 5 * 40);
    intruder_close(in);
    intruder_close(twin);
}

/* The same by each callback on its own; a field that is not parallel, an eval, a measure and a check. */
static void test_calls_from_each_callback(void **state)
{
    (void)state;
    intruder *in = intruder_open();
    sn_point points[2] = {sn_at(sn_particles_at(in->run, 4)), sn_at(sn_particles_at(in->run, 5))};
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_BUILTIN_END);
    def.points = points;
    in->armed = true; /* by measure */
    assert_ok(in->world, sn_constraint_add(in->world, &def, NULL));
    assert_false(in->armed);
    def.param[0] = 1;
    in->armed = true; /* by check */
    checked_intruder = in;
    assert_ok(in->world, sn_constraint_add(in->world, &def, NULL));
    checked_intruder = NULL;
    assert_false(in->armed);
    in->armed = true; /* by eval, as there are no steps here */
    sn_constraint c = {SN_KIND_BUILTIN_END, 0, 0};
    sn_real value[SN_MAX_ROWS];
    assert_ok(in->world, sn_constraint_add(in->world, &def, &c));
    assert_ok(in->world, sn_constraint_value(in->world, c, value));
    assert_false(in->armed);
    assert_int_equal(in->failures, 0);
    assert_int_equal(sn_world_constraint_count(in->world, SN_KIND_NONE), 5);
    intruder_close(in);
}

static void intruding_log(void *context, sn_log_level level, const char *text)
{
    intruder *in = context;
    (void)level;
    in->log.count++;
    snprintf(in->log.text, sizeof in->log.text, "%s", text);
    if (!in->armed)
        return;
    in->armed = false;
    in->calls += sn_world_step(in->world, 1) == SN_ERROR_BUSY;
    in->calls += is_null_particle(sn_add_particle(in->world, vec(0, 0, 0), 1));
    sn_world_destroy(in->world);
}

/* A log hook that calls the world does not bring it down. */
static void test_calls_from_log(void **state)
{
    (void)state;
    intruder in;
    memset(&in, 0, sizeof in);
    sn_world_def def = sn_default_world_def();
    def.log.write = intruding_log;
    def.log.context = &in;
    in.world = support_world_from(&def);
    sn_add_particle(in.world, vec(0, 1, 0), 1);
    uint64_t hash = sn_world_hash(in.world);
    in.armed = true;
    assert_int_equal(sn_world_step(in.world, -1), SN_ERROR_ARGUMENT);
    assert_int_equal(in.calls, 2);
    assert_true(sn_world_hash(in.world) == hash);
    support_run(in.world, 1, 0.1);
    sn_world_destroy(in.world);
}

typedef struct two_worlds {
    sn_world *other;
    sn_result result;
    uint32_t calls;
} two_worlds;

static sn_vec3 step_other(void *context, const sn_field_in *in)
{
    two_worlds *worlds = context;
    (void)in;
    worlds->calls++;
    sn_result result = sn_world_step(worlds->other, real(0.01));
    if (result != SN_OK)
        worlds->result = result;
    return vec(0, 0, 0);
}

/* Another world may be called from a callback: nothing is shared. */
static void test_other_world_from_callback(void **state)
{
    (void)state;
    sn_world *outer = support_world();
    two_worlds worlds = {support_world(), SN_OK, 0};
    support_zoo(worlds.other);
    sn_add_particle(outer, vec(0, 0, 0), 1);
    assert_ok(outer, sn_world_add_field(outer, step_other, &worlds, false, NULL));
    support_run(outer, 1, 0.1);
    assert_int_equal(worlds.result, SN_OK);
    assert_int_equal(worlds.calls, 10);
    assert_close(sn_world_time(worlds.other), 0.1, 1e-6);
    sn_world_destroy(outer);
    sn_world_destroy(worlds.other);
}

/* -------------------------------------------------------------------------------------------------------------------- */

#define ON_BENCH(test)    cmocka_unit_test_setup_teardown(test, setup, teardown)
#define ON_2D_BENCH(test) cmocka_unit_test_setup_teardown(test, setup_2d, teardown)

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
        ON_BENCH(test_constraint_handles),
        ON_BENCH(test_constraint_arguments),
        ON_BENCH(test_constraint_values),
        ON_BENCH(test_constraint_vectors),
        ON_BENCH(test_constraint_contradictions),
        ON_BENCH(test_points_of_missing_particles),
        ON_BENCH(test_points_with_bad_weights),
        ON_BENCH(test_points_with_bad_counts),
        ON_BENCH(test_one_particle_as_two_points),
        ON_BENCH(test_constraint_defs),
        ON_BENCH(test_parameter_that_must_be_given),
        ON_BENCH(test_constraints_in_bulk),
        ON_BENCH(test_short_forms),
        ON_BENCH(test_kind_registration),
        ON_BENCH(test_kind_lookup),
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
        ON_2D_BENCH(test_2d_constraints),
        cmocka_unit_test(test_world_defs),
        cmocka_unit_test(test_world_create),
        cmocka_unit_test(test_null_world_particles),
        cmocka_unit_test(test_null_world_views),
        cmocka_unit_test(test_null_world_constraints),
        cmocka_unit_test(test_null_world),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_calls_from_callbacks),
        cmocka_unit_test(test_calls_from_each_callback),
        cmocka_unit_test(test_calls_from_log),
        cmocka_unit_test(test_other_world_from_callback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

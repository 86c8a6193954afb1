/* A world with a valid and an invalid handle of everything; see bench.h. */
#include "support/bench.h"

static void add_particles(bench *b)
{
    sn_real xyz[3 * 60];
    for (uint32_t i = 0; i < 60; ++i) {
        xyz[3 * i] = real(i % 10);
        xyz[3 * i + 1] = real((i / 10) % 10);
        xyz[3 * i + 2] = 0;
    }
    assert_int_equal(sn_particles_add(b->world, 51, xyz, 0, 1).count, 51);
    b->run = sn_particles_add(b->world, 10, xyz, 0, 1);
    b->broken_run = sn_particles_add(b->world, 3, xyz, 0, 1);
    assert_int_equal(b->run.count, 10);
    assert_int_equal(b->broken_run.count, 3);
    b->a = sn_particles_at(b->run, 0);
    b->b = sn_particles_at(b->run, 1);
    b->c = sn_particles_at(b->run, 2);
    b->d = sn_particles_at(b->run, 3);
}

static void remove_particles(bench *b)
{
    b->stale = sn_particle_add_at(b->world, vec(7, 7, 0), 1);
    assert_ok(b->world, sn_particle_remove(b->world, b->stale));
    sn_particle heir = sn_particle_add_at(b->world, vec(8, 8, 0), 1);
    assert_int_equal(heir.index, b->stale.index);
    b->gone = sn_particle_add_at(b->world, vec(9, 9, 0), 1);
    b->lost_rod = sn_constraint_add_distance(b->world, sn_at(b->a), sn_at(b->gone), SN_MEASURE);
    assert_ok(b->world, sn_particle_remove(b->world, b->gone));
    assert_ok(b->world, sn_particle_remove(b->world, sn_particles_at(b->broken_run, 1)));
}

static void add_constraints(bench *b)
{
    sn_point p = sn_at(b->a), q = sn_at(b->b);
    b->rod = sn_constraint_add_distance(b->world, p, q, SN_MEASURE);
    b->band = sn_constraint_add_distance_band(b->world, p, q, real(0.5), 2);
    b->pin = sn_constraint_add_pin(b->world, b->a);
    b->plane = sn_constraint_add_half_space(b->world, q, vec(0, 0, 0), vec(0, 1, 0));
    b->box = sn_constraint_add_box(b->world, q, vec(-10, -10, 0), vec(10, 10, 0));
    b->stale_rod = sn_constraint_add_distance(b->world, p, q, SN_MEASURE);
    assert_ok(b->world, sn_constraint_remove(b->world, b->stale_rod));
    sn_constraint heir = sn_constraint_add_distance(b->world, p, q, SN_MEASURE);
    assert_int_equal(heir.index, b->stale_rod.index);
    b->gone_rod = sn_constraint_add_distance(b->world, p, q, SN_MEASURE);
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

int bench_setup(void **state)
{
    *state = bench_open(3);
    return 0;
}

int bench_setup_2d(void **state)
{
    *state = bench_open(2);
    return 0;
}

int bench_teardown(void **state)
{
    bench *b = *state;
    sn_snapshot_destroy(b->snapshot);
    sn_world_destroy(b->world);
    free(b);
    return 0;
}

void bench_bad_particles(const bench *b, sn_particle bad[BENCH_BAD_PARTICLES])
{
    sn_particle null = {0, 0}, never = {70000, 1}, last = {UINT32_MAX, 1}, unborn = {b->a.index, b->a.generation + 1};
    bad[0] = null;
    bad[1] = b->stale;
    bad[2] = b->gone;
    bad[3] = never;
    bad[4] = last;
    bad[5] = unborn;
}

sn_constraint_def bench_rod_def(const sn_point *points)
{
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    def.points = points;
    def.param[0] = 1;
    return def;
}

/* ---- Checking one call ------------------------------------------------------------------------------------------- */

void bench_before(bench *b)
{
    b->hash = sn_world_hash(b->world);
    b->logged = b->log.count;
}

void bench_wrong(bench *b, int line, const char *call, const char *what)
{
    print_error("line %d: %s: %s; error: \"%s\"\n", line, call, what, sn_world_error(b->world));
    b->failures++;
}

void bench_after(bench *b, bool as_documented, const char *words, const char *call, int line)
{
    const char *error = sn_world_error(b->world);
    if (!as_documented)
        bench_wrong(b, line, call, "did not give back what it should");
    if (sn_world_hash(b->world) != b->hash)
        bench_wrong(b, line, call, "changed the world");
    if (b->log.count != b->logged + 1)
        bench_wrong(b, line, call, b->log.count == b->logged ? "logged nothing" : "logged more than once");
    else if (strcmp(b->log.text, error) != 0 || b->log.level != SN_LOG_ERROR)
        bench_wrong(b, line, call, "logged something else than its error");
    if (error[0] == 0 || !support_says(error, words)) {
        print_error("expected the words \"%s\": ", words);
        bench_wrong(b, line, call, "says something else");
    }
}

bool bench_is_null_particle(sn_particle p)
{
    return p.index == 0 && p.generation == 0;
}

bool bench_is_null_run(sn_particles run)
{
    return run.first == 0 && run.count == 0 && run.generation == 0;
}

bool bench_is_null_constraint(sn_constraint c)
{
    return c.kind == 0 && c.index == 0 && c.generation == 0;
}

bool bench_is_null_constraints(sn_constraints run)
{
    return run.kind == 0 && run.first == 0 && run.count == 0 && run.generation == 0;
}

/* ---- Bad values -------------------------------------------------------------------------------------------------- */

const bad_value bench_not_finite[3] = {{(double)NAN, "nan"}, {(double)INFINITY, "inf"}, {-(double)INFINITY, "-inf"}};
const bad_value bench_negative[5] = {
    {(double)NAN, "nan"}, {(double)INFINITY, "inf"}, {-(double)INFINITY, "-inf"}, {-1, "-1"}, {-0.125, "-0.125"}};
const bad_value bench_masses[6] = {
    {(double)NAN, "nan"}, {-(double)INFINITY, "-inf"}, {-1, "-1"}, {0, "0"}, {1e-31, "1e-31"}, {1e31, "1e+31"}};
const bad_value bench_inverse_masses[6] = {{(double)NAN, "nan"}, {(double)INFINITY, "inf"}, {-(double)INFINITY, "-inf"},
                                           {-1, "-1"},           {1e-31, "1e-31"},          {1e31, "1e+31"}};
const bad_value bench_shares[5] = {
    {(double)NAN, "nan"}, {(double)INFINITY, "inf"}, {-0.25, "-0.25"}, {-(double)INFINITY, "-inf"}, {1.25, "1.25"}};

const char *bench_words(const char *word, const char *value)
{
    static char text[2][128];
    static int turn;
    turn = !turn;
    snprintf(text[turn], sizeof text[turn], "%s %s", word, value);
    return text[turn];
}

const char *bench_number(const char *word, uint32_t number)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%u", number);
    return bench_words(word, digits);
}

sn_vec3 bench_spoilt(uint32_t axis, double value)
{
    return vec(axis == 0 ? value : 0.5, axis == 1 ? value : 0.5, axis == 2 ? value : 0);
}

/* Constraints and kinds with every kind of bad argument: each call is refused as bench.h says. */
#include "support/bench.h"

/* ---- Handles of constraints -------------------------------------------------------------------------------------- */

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
    return sn_constraint_read(world, c, &def, points, SN_MAX_POINTS);
}

static sn_result set_rest(sn_world *world, sn_constraint c)
{
    sn_real rest = 3;
    return sn_constraint_set_param(world, c, "rest", &rest, 1);
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

static sn_result point_count_of(sn_world *world, sn_constraint c)
{
    return sn_constraint_point_count(world, c) == 0 ? SN_ERROR_STALE : SN_OK;
}

static sn_result remove_run(sn_world *world, sn_constraint c)
{
    return sn_constraints_remove(world, (sn_constraints){c.kind, c.index, 1, c.generation});
}

/* Every function that takes the handle of a constraint. */
static const struct {
    const char *name;
    sn_result (*call)(sn_world *world, sn_constraint c);
} constraint_calls[] = {
    {"sn_constraint_remove", sn_constraint_remove},
    {"sn_constraints_remove", remove_run},
    {"sn_constraint_point_count", point_count_of},
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
               {b->stale_rod, bench_number("constraint|distance", b->stale_rod.index)},
               {b->gone_rod, "constraint|distance"},
               {b->lost_rod, "constraint|distance"},
               {unknown_kind, "constraint|kind"},
               {no_kind, "constraint|kind"},
               {beyond, "constraint|distance 4294967295"},
               {unborn, "constraint|distance"}};
    for (uint32_t i = 0; i < COUNT_OF(bad); ++i) {
        HARMLESS(b, !sn_constraint_is_valid(b->world, bad[i].handle));
        for (uint32_t j = 0; j < COUNT_OF(constraint_calls); ++j) {
            bench_before(b);
            sn_result result = constraint_calls[j].call(b->world, bad[i].handle);
            bench_after(b, result == SN_ERROR_STALE, bad[i].words, constraint_calls[j].name, __LINE__);
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
    REFUSED(b, SN_ERROR_ARGUMENT, "def NULL", sn_constraint_read(w, b->rod, NULL, points, SN_MAX_POINTS));
    REFUSED(b, SN_ERROR_ARGUMENT, "points NULL", sn_constraint_read(w, b->rod, &def, NULL, SN_MAX_POINTS));
    REFUSED(b, SN_ERROR_ARGUMENT, "2 points room 1", sn_constraint_read(w, b->rod, &def, points, 1));
    REFUSED(b, SN_ERROR_ARGUMENT, "2 points room 0", sn_constraint_read(w, b->rod, &def, points, 0));
    REFUSED(b, SN_ERROR_ARGUMENT, "value NULL", sn_constraint_value(w, b->rod, NULL));
    REFUSED(b, SN_ERROR_ARGUMENT, "name NULL", sn_constraint_set_param(w, b->rod, NULL, &one, 1));
    REFUSED(b, SN_ERROR_ARGUMENT, "value|rest NULL", sn_constraint_set_param(w, b->rod, "rest", NULL, 1));
    REFUSED(b, SN_ERROR_ARGUMENT, "parameter length it has rest",
            sn_constraint_set_param(w, b->rod, "length", &one, 1));
    REFUSED(b, SN_ERROR_ARGUMENT, "parameter", sn_constraint_set_param(w, b->rod, "", &one, 1));
    REFUSED(b, SN_ERROR_ARGUMENT, "parameter Rest", sn_constraint_set_param(w, b->rod, "Rest", &one, 1));
    REFUSED(b, SN_ERROR_ARGUMENT, "rest distance 0", sn_constraint_set_param(w, b->rod, "rest", &one, 0));
    REFUSED(b, SN_ERROR_ARGUMENT, "rest distance 3", sn_constraint_set_param(w, b->rod, "rest", &one, 3));
    REFUSED(b, SN_ERROR_ARGUMENT, "target pin 1", sn_constraint_set_param(w, b->pin, "target", &one, 1));
    REFUSED(b, SN_ERROR_ARGUMENT, "target pin 4294967295",
            sn_constraint_set_param(w, b->pin, "target", &one, UINT32_MAX));
    REFUSED_WITH(b, support_is_nan(sn_constraint_force_on(w, b->rod, 2)), "point 2");
    REFUSED_WITH(b, support_is_nan(sn_constraint_force_on(w, b->rod, UINT32_MAX)), "point 4294967295");
    assert_int_equal(b->failures, 0);
}

static void test_constraint_values(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    for (uint32_t i = 0; i < COUNT_OF(bench_negative); ++i) {
        sn_real value = real(bench_negative[i].value);
        sn_material soft = {value, 0}, damped = {1, value};
        const char *word = bench_negative[i].word;
        REFUSED(b, SN_ERROR_ARGUMENT, bench_words("compliance", word), sn_constraint_set_material(w, b->rod, soft));
        REFUSED(b, SN_ERROR_ARGUMENT, bench_words("damping", word), sn_constraint_set_material(w, b->rod, damped));
        REFUSED(b, SN_ERROR_ARGUMENT, bench_words("rest", word), sn_constraint_set_param(w, b->rod, "rest", &value, 1));
        REFUSED(b, SN_ERROR_ARGUMENT, bench_words("least", word),
                sn_constraint_set_param(w, b->band, "least", &value, 1));
        REFUSED(b, SN_ERROR_ARGUMENT, bench_words("most", word),
                sn_constraint_set_param(w, b->band, "most", &value, 1));
    }
    for (uint32_t i = 0; i < COUNT_OF(bench_shares); ++i)
        REFUSED(b, SN_ERROR_ARGUMENT, bench_words("stiffness", bench_shares[i].word),
                sn_constraint_set_stiffness(w, b->rod, real(bench_shares[i].value)));
    sn_material none = {sn_compliance(0), 0}, negative = {sn_compliance(-1), 0};
    REFUSED(b, SN_ERROR_ARGUMENT, "compliance nan", sn_constraint_set_material(w, b->rod, none));
    REFUSED(b, SN_ERROR_ARGUMENT, "compliance nan", sn_constraint_set_material(w, b->rod, negative));
    assert_int_equal(b->failures, 0);
}

static void test_constraint_vectors(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    for (uint32_t i = 0; i < COUNT_OF(bench_not_finite); ++i)
        for (uint32_t axis = 0; axis < 3; ++axis) {
            sn_vec3 bad = bench_spoilt(axis, bench_not_finite[i].value);
            const char *word = bench_not_finite[i].word;
            REFUSED(b, SN_ERROR_ARGUMENT, bench_words("target", word),
                    sn_constraint_set_param(w, b->pin, "target", &bad.x, 3));
            REFUSED(b, SN_ERROR_ARGUMENT, bench_words("origin", word),
                    sn_constraint_set_param(w, b->plane, "origin", &bad.x, 3));
            REFUSED(b, SN_ERROR_ARGUMENT, bench_words("normal", word),
                    sn_constraint_set_param(w, b->plane, "normal", &bad.x, 3));
            REFUSED(b, SN_ERROR_ARGUMENT, bench_words("least", word),
                    sn_constraint_set_param(w, b->box, "least", &bad.x, 3));
            REFUSED(b, SN_ERROR_ARGUMENT, bench_words("most", word),
                    sn_constraint_set_param(w, b->box, "most", &bad.x, 3));
            REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_pin_at(w, sn_at(b->a), bad)),
                         bench_words("target", word));
            REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_half_space(w, sn_at(b->a), bad, vec(0, 1, 0))),
                         bench_words("origin", word));
            REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_half_space(w, sn_at(b->a), vec(0, 0, 0), bad)),
                         bench_words("normal", word));
            REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_box(w, sn_at(b->a), bad, vec(9, 9, 9))),
                         bench_words("least", word));
            REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_box(w, sn_at(b->a), vec(0, 0, 0), bad)),
                         bench_words("most", word));
        }
    assert_int_equal(b->failures, 0);
}

/* Values that are each fine but not together. */
static void test_constraint_contradictions(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    sn_real least = 5, most = real(0.25), zero[3] = {0, 0, 0}, far_corner[3] = {11, 11, 0};
    REFUSED(b, SN_ERROR_ARGUMENT, "least most", sn_constraint_set_param(w, b->band, "least", &least, 1));
    REFUSED(b, SN_ERROR_ARGUMENT, "least most", sn_constraint_set_param(w, b->band, "most", &most, 1));
    REFUSED(b, SN_ERROR_ARGUMENT, "least most", sn_constraint_set_param(w, b->box, "least", far_corner, 3));
    REFUSED(b, SN_ERROR_ARGUMENT, "normal", sn_constraint_set_param(w, b->plane, "normal", zero, 3));
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_distance_band(w, sn_at(b->a), sn_at(b->b), 2, 1)),
                 "least most");
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_box(w, sn_at(b->a), vec(0, 1, 0), vec(1, 0, 1))),
                 "least most");
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_half_space(w, sn_at(b->a), vec(0, 0, 0), vec(0, 0, 0))),
                 "normal");
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
    if (!bench_is_null_constraint(c))
        bench_wrong(b, __LINE__, "sn_constraint_add", "did not null the handle");
    REFUSED(b, expected, words, sn_constraint_change(w, b->rod, &def));
    REFUSED_WITH(b, support_is_nan(sn_point_position(w, bad)), words);
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_distance(w, bad, good, 1)), words);
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_distance(w, good, bad, SN_MEASURE)), words);
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_distance_min(w, bad, good, 1)), words);
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_distance_max(w, bad, good, 1)), words);
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_distance_band(w, bad, good, 1, 2)), words);
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_pin_at(w, bad, vec(0, 0, 0))), words);
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_attachment(w, good, bad)), words);
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_half_space(w, bad, vec(0, 0, 0), vec(0, 1, 0))), words);
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_box(w, bad, vec(-1, -1, 0), vec(1, 1, 0))), words);
}

static void test_points_of_missing_particles(void **state)
{
    bench *b = *state;
    sn_particle bad[BENCH_BAD_PARTICLES];
    bench_bad_particles(b, bad);
    sn_real third = real(1.0 / 3), quarter = real(0.25);
    for (uint32_t i = 0; i < BENCH_BAD_PARTICLES; ++i) {
        char words[64];
        snprintf(words, sizeof words, "%s", i == 0 ? "particle" : bench_number("particle", bad[i].index));
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
    for (uint32_t i = 0; i < COUNT_OF(bench_not_finite); ++i)
        refuse_point(b, sn_on_triangle(b->a, b->b, b->c, third, real(bench_not_finite[i].value), third), false,
                     bench_words("weight", bench_not_finite[i].word));
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
        snprintf(words, sizeof words, "%s", bench_number("point", bad[i]));
        refuse_point(b, point, false, words);
    }
    assert_int_equal(b->failures, 0);
}

static void test_one_particle_as_two_points(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    sn_point p = sn_at(b->a), points[2] = {p, p};
    const char *words = bench_number("particle", b->a.index);
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    def.points = points;
    def.param[0] = 1;
    REFUSED(b, SN_ERROR_ARGUMENT, words, sn_constraint_add(w, &def, NULL));
    REFUSED(b, SN_ERROR_ARGUMENT, words, sn_constraint_change(w, b->rod, &def));
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_distance(w, p, p, 1)), words);
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_distance_min(w, p, p, 1)), words);
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_distance_max(w, p, p, 1)), words);
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_distance_band(w, p, p, 1, 2)), words);
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_attachment(w, p, p)), words);
    uint32_t index[] = {b->c.index, b->d.index, b->a.index, b->a.index};
    REFUSED(b, SN_ERROR_ARGUMENT, words, sn_constraints_add(w, &def, 2, index, NULL, NULL));
    REFUSED_WITH(b, bench_is_null_constraints(sn_constraints_add_kind(w, SN_KIND_DISTANCE, 2, index, NULL, NULL)),
                 words);
    assert_int_equal(b->failures, 0);
}

/* ---- Definitions of constraints ---------------------------------------------------------------------------------- */

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
    if (!bench_is_null_constraint(c))
        bench_wrong(b, __LINE__, "sn_constraint_add", "did not null the handle");
    if (!bench_is_null_constraints(run))
        bench_wrong(b, __LINE__, "sn_constraints_add", "did not null the run");
}

static void test_constraint_defs(void **state)
{
    bench *b = *state;
    sn_point points[2] = {sn_at(b->a), sn_at(b->b)};
    refuse_def(b, NULL, "def NULL");
    /* what did not start from sn_default_constraint_def: zeroed, filled with rubbish, or half made by hand */
    sn_constraint_def unmade;
    memset(&unmade, 0, sizeof unmade);
    refuse_def(b, &unmade, "sn_default_constraint_def|kind"); /* a change sees another kind first */
    memset(&unmade, 0xff, sizeof unmade);
    refuse_def(b, &unmade, "sn_default_constraint_def|kind");
    unmade = bench_rod_def(points);
    unmade.made = 0;
    refuse_def(b, &unmade, "sn_default_constraint_def");
    for (uint32_t i = 0; i < COUNT_OF(bench_negative); ++i) {
        sn_real value = real(bench_negative[i].value);
        sn_constraint_def def = bench_rod_def(points);
        def.compliance = value;
        refuse_def(b, &def, bench_words("compliance", bench_negative[i].word));
        def = bench_rod_def(points);
        def.damping = value;
        refuse_def(b, &def, bench_words("damping", bench_negative[i].word));
        def = bench_rod_def(points);
        def.param[0] = value;
        refuse_def(b, &def, bench_words("rest", bench_negative[i].word));
    }
    for (uint32_t i = 0; i < COUNT_OF(bench_shares); ++i) {
        sn_constraint_def def = bench_rod_def(points);
        def.stiffness = real(bench_shares[i].value);
        refuse_def(b, &def, bench_words("stiffness", bench_shares[i].word));
    }
    const uint32_t bad_kinds[] = {SN_KIND_NONE, SN_KIND_BUILTIN_END, 1000, UINT32_MAX};
    for (uint32_t i = 0; i < COUNT_OF(bad_kinds); ++i) {
        sn_constraint_def def = sn_default_constraint_def(bad_kinds[i]);
        def.points = points;
        refuse_def(b, &def, bench_number("kind", bad_kinds[i]));
    }
    sn_constraint_def def = bench_rod_def(NULL);
    REFUSED(b, SN_ERROR_ARGUMENT, "points NULL", sn_constraint_add(b->world, &def, NULL));
    REFUSED(b, SN_ERROR_ARGUMENT, "points NULL", sn_constraint_change(b->world, b->rod, &def));
    def = bench_rod_def(points);
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
    if (!bench_is_null_constraints(run))
        bench_wrong(b, __LINE__, "sn_constraints_add", "did not null the run");
    REFUSED_WITH(
        b, bench_is_null_constraints(sn_constraints_add_kind(b->world, SN_KIND_DISTANCE, count, index, param, NULL)),
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
        snprintf(words, sizeof words, "%s", bench_number("particle", missing[i]));
        refuse_bulk(b, SN_ERROR_STALE, 2, index, NULL, words);
    }
    index[3] = b->c.index;
    for (uint32_t i = 0; i < COUNT_OF(bench_negative); ++i) {
        rest[1] = real(bench_negative[i].value);
        char words[64];
        snprintf(words, sizeof words, "%s", bench_words("rest 1", bench_negative[i].word));
        refuse_bulk(b, SN_ERROR_ARGUMENT, 2, index, rest, words);
        sn_material bad = {rest[1], 0};
        REFUSED_WITH(b, bench_is_null_constraints(sn_constraints_add_kind(w, SN_KIND_DISTANCE, 2, index, NULL, &bad)),
                     bench_words("compliance", bench_negative[i].word));
    }
    REFUSED_WITH(b, bench_is_null_constraints(sn_constraints_add_kind(w, SN_KIND_NONE, 2, index, NULL, NULL)),
                 "kind 0");
    REFUSED_WITH(b, bench_is_null_constraints(sn_constraints_add_kind(w, 1000, 2, index, NULL, NULL)), "kind 1000");
    HARMLESS(b, bench_is_null_constraints(sn_constraints_add_kind(w, SN_KIND_DISTANCE, 0, index, NULL, NULL)));
    HARMLESS(b, bench_is_null_constraints(sn_constraints_add_kind(w, SN_KIND_DISTANCE, 0, NULL, NULL, NULL)));
    assert_int_equal(b->failures, 0);
}

/* Each typed helper with each bad length. */
static void test_short_forms(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    sn_point p = sn_at(b->a), q = sn_at(b->b);
    for (uint32_t i = 0; i < COUNT_OF(bench_negative); ++i) {
        sn_real bad = real(bench_negative[i].value);
        const char *word = bench_negative[i].word;
        REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_distance(w, p, q, bad)), bench_words("rest", word));
        REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_distance_min(w, p, q, bad)),
                     bench_words("least", word));
        REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_distance_max(w, p, q, bad)),
                     bench_words("most", word));
        REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_distance_band(w, p, q, bad, 2)),
                     bench_words("least", word));
        REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_distance_band(w, p, q, 1, bad)),
                     bench_words("most", word));
    }
    assert_int_equal(b->failures, 0);
}

/* ---- Kinds ------------------------------------------------------------------------------------------------------- */

typedef void spoil_kind(sn_kind *kind);

#define SPOIL(name, change)                                                                                            \
    static void name(sn_kind *kind)                                                                                    \
    {                                                                                                                  \
        change;                                                                                                        \
    }

SPOIL(no_name, kind->name = NULL)
SPOIL(empty_name, kind->name = "")
SPOIL(upper_case_name, kind->name = "Gap")
SPOIL(spaced_name, kind->name = "test gap")
SPOIL(dashed_name, kind->name = "test-gap")
SPOIL(accented_name, kind->name = "h\xc3\xa9lix")
SPOIL(taken_name, kind->name = "distance")
SPOIL(no_points, kind->points = 0)
SPOIL(many_points, kind->points = SN_MAX_POINTS + 1)
SPOIL(endless_points, kind->points = UINT32_MAX)
SPOIL(no_rows, kind->rows = 0)
SPOIL(many_rows, kind->rows = SN_MAX_ROWS + 1)
SPOIL(endless_rows, kind->rows = UINT32_MAX)
SPOIL(no_eval, kind->eval = NULL)
SPOIL(stray_inequality, kind->inequality = 2)
SPOIL(place_of_internal, kind->param[0].type = SN_PARAM_POSITION)
SPOIL(axial_with_one_row, kind->axial = true)

static bool project_nothing(const sn_eval_in *in, const sn_real *w, sn_vec3 *move)
{
    (void)in, (void)w, (void)move;
    return false;
}

static sn_real force_nothing(const sn_eval_in *in, const sn_vec3 *v, sn_vec3 *force)
{
    (void)in, (void)v, (void)force;
    return 0;
}

static void projected_force(sn_kind *kind)
{
    kind->project = project_nothing;
    kind->force = force_nothing;
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

/* Fourteen vectors are 42 numbers. */
static void many_vectors(sn_kind *kind)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"};
    for (uint32_t i = 0; i < COUNT_OF(names); ++i) {
        kind->param[i].name = names[i];
        kind->param[i].type = SN_PARAM_VECTOR;
    }
}

SPOIL(bad_param_name, kind->param[0].name = "The Gap")
SPOIL(same_param_name, kind->param[1] = kind->param[0])
SPOIL(bad_param_type, kind->param[0].type = (sn_param_type)99)

static void empty_param_range(sn_kind *kind)
{
    kind->param[0].least = 2;
    kind->param[0].most = 1;
}

SPOIL(nan_param_range, kind->param[0].least = (sn_real)NAN)

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
    {"projection and force", projected_force, "test_gap projection force"},
    {"axial, with one row", axial_with_one_row, "test_gap axial 3 rows"},
    {"internal, with a place", place_of_internal, "test_gap internal gap place"},
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
    REFUSED_WITH(b, sn_kind_register(b->world, NULL) == 0, "kind NULL");
    for (uint32_t i = 0; i < COUNT_OF(bad_kinds); ++i) {
        sn_kind kind = support_kind_gap;
        bad_kinds[i].spoil(&kind);
        bench_before(b);
        uint32_t number = sn_kind_register(b->world, &kind);
        bench_after(b, number == 0, bad_kinds[i].words, bad_kinds[i].name, __LINE__);
    }
    assert_int_equal(sn_kind_count(b->world), SN_KIND_BUILTIN_END);
    assert_int_equal(sn_kind_register(b->world, &support_kind_gap), SN_KIND_BUILTIN_END);
    REFUSED_WITH(b, sn_kind_register(b->world, &support_kind_gap) == 0, "test_gap");
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

/* ---- Two dimensions, no world ------------------------------------------------------------------------------------ */

static void test_2d_constraints(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    sn_point p = sn_at(b->a);
    sn_vec3 in = vec(1, 2, 0), out = vec(1, 2, 0.25);
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_pin_at(w, p, out)), "target z 0.25");
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_half_space(w, p, out, in)), "origin z 0.25");
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_box(w, p, vec(0, 0, -0.25), in)), "least z -0.25");
    REFUSED_WITH(b, bench_is_null_constraint(sn_constraint_add_box(w, p, vec(0, 0, 0), out)), "most z 0.25");
    REFUSED(b, SN_ERROR_ARGUMENT, "target z 0.25", sn_constraint_set_param(w, b->pin, "target", &out.x, 3));
    REFUSED(b, SN_ERROR_ARGUMENT, "origin z 0.25", sn_constraint_set_param(w, b->plane, "origin", &out.x, 3));
    assert_int_equal(b->failures, 0);
}

/* Kinds that need three dimensions. */
static void test_2d_spatial_kinds(void **state)
{
    bench *b = *state;
    sn_world *w = b->world;
    uint32_t tried = 0;
    sn_kind own = support_kind_gap;
    own.spatial = true;
    assert_int_equal(sn_kind_register(w, &own), SN_KIND_BUILTIN_END);
    for (uint32_t kind = 1; kind < sn_kind_count(w); ++kind) {
        const sn_kind *info = sn_kind_info(w, kind);
        if (!info->spatial)
            continue;
        sn_point points[SUPPORT_MOST_POINTS];
        uint32_t index[SUPPORT_MOST_POINTS];
        for (uint32_t i = 0; i < support_point_count(info, false); ++i) {
            uint32_t particle = support_particle_of_point(info, false, i);
            points[i] = sn_at(sn_particles_at(b->run, particle));
            index[i] = b->run.first + particle;
        }
        sn_constraint_def def = support_constraint_def(w, kind, points);
        REFUSED(b, SN_ERROR_ARGUMENT, bench_words(info->name, "2D"), sn_constraint_add(w, &def, NULL));
        REFUSED(b, SN_ERROR_ARGUMENT, bench_words(info->name, "2D"), sn_constraints_add(w, &def, 1, index, NULL, NULL));
        tried++;
    }
    assert_true(tried > 1);
    assert_int_equal(b->failures, 0);
}

static void test_null_world_constraints(void **state)
{
    (void)state;
    sn_point p = {0}, points[2] = {p, p};
    sn_constraint c = {1, 0, 1}, made = {7, 7, 7};
    sn_constraints run = {7, 7, 7, 7};
    uint32_t index[2] = {0, 1};
    sn_constraint_def def = bench_rod_def(points);
    assert_int_equal(sn_constraint_add(NULL, &def, &made), SN_ERROR_ARGUMENT);
    assert_true(bench_is_null_constraint(made));
    assert_int_equal(sn_constraints_add(NULL, &def, 1, index, NULL, &run), SN_ERROR_ARGUMENT);
    assert_true(bench_is_null_constraints(run));
    assert_true(bench_is_null_constraints(sn_constraints_add_kind(NULL, SN_KIND_DISTANCE, 1, index, NULL, NULL)));
    assert_int_equal(sn_constraint_change(NULL, c, &def), SN_ERROR_ARGUMENT);
    assert_int_equal(remove_run(NULL, c), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_constraint_point_count(NULL, c), 0);
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
    assert_int_equal(sn_kind_register(NULL, &support_kind_gap), 0);
    assert_true(support_is_nan(sn_point_position(NULL, p)));
    assert_true(bench_is_null_constraint(sn_constraint_add_distance(NULL, p, p, 1)));
    assert_true(bench_is_null_constraint(sn_constraint_add_distance_min(NULL, p, p, 1)));
    assert_true(bench_is_null_constraint(sn_constraint_add_distance_max(NULL, p, p, 1)));
    assert_true(bench_is_null_constraint(sn_constraint_add_distance_band(NULL, p, p, 1, 2)));
    assert_true(bench_is_null_constraint(sn_constraint_add_pin_at(NULL, p, vec(0, 0, 0))));
    assert_true(bench_is_null_constraint(sn_constraint_add_attachment(NULL, p, p)));
    assert_true(bench_is_null_constraint(sn_constraint_add_half_space(NULL, p, vec(0, 0, 0), vec(0, 1, 0))));
    assert_true(bench_is_null_constraint(sn_constraint_add_box(NULL, p, vec(0, 0, 0), vec(0, 1, 0))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        ON_2D_BENCH(test_2d_constraints),
        ON_2D_BENCH(test_2d_spatial_kinds),
        cmocka_unit_test(test_null_world_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

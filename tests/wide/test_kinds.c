/* Wide kernels against the generic row, and against each other: every width and every layout, on random and on degenerate
   input. */
#include "wide/cases.h"

#if SINEW_DOUBLE

static void nothing_is_wide_in_double(void **state)
{
    (void)state;
    for (int simd = SN_SIMD_AUTO; simd <= SN_SIMD_16; ++simd)
        assert_null(sn_wide_choose((sn_simd)simd));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_wide_in_double)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#define EPSILON   1.2e-7
#define PUSH_OFF  (16 * EPSILON) /* by which places may differ, of the size of the constraint */
#define FORCE_OFF 4e-5           /* by which multipliers may differ, of their size */

/* Kinds that cases.c knows parameters for. */
static bool has_wide(uint32_t kind)
{
    static const uint32_t known[] = {
        SN_KIND_DISTANCE,   SN_KIND_DISTANCE_MIN, SN_KIND_DISTANCE_MAX, SN_KIND_DISTANCE_BAND, SN_KIND_PIN,
        SN_KIND_ATTACHMENT, SN_KIND_HALF_SPACE,   SN_KIND_BOX,          SN_KIND_VOLUME,        SN_KIND_ANGLE,
        SN_KIND_ANGLE_MIN,  SN_KIND_ANGLE_MAX,    SN_KIND_DIHEDRAL,     SN_KIND_BENDING};
    for (uint32_t i = 0; i < COUNT_OF(known); ++i)
        if (known[i] == kind)
            return sn_builtin_kinds[kind]->lanes != NULL;
    return false;
}

/* ---- Comparing ------------------------------------------------------------------------------------------------------- */

static void compare_particles(const wide_case *c, const wide_result *got, const wide_result *expected, const char *what)
{
    for (uint32_t i = 0; i < CASE_COUNT; ++i) {
        const float *a = &got->d[i].x, *b = &expected->d[i].x;
        double push = support_gap(vec4_xyz(c->d[i]), vec4_xyz(expected->d[i]));
        for (int k = 0; k < 3; ++k)
            if (!(fabs((double)a[k] - (double)b[k]) <= PUSH_OFF * (c->size + push)))
                fail_msg("%s %s: particle %u is pushed to d[%d] = %.9g, generic %.9g (size %g)", c->about->name, what,
                         i, k, (double)a[k], (double)b[k], c->size);
        assert_true(got->d[i].w == 0);
    }
}

/* What the terms of C are about. */
static double c_size(const wide_case *c)
{
    if (c->kind == SN_KIND_VOLUME)
        return c->size * c->size * c->size;
    return c->about->unit[0] == 'm' ? c->size : 4;
}

static void compare_multipliers(const wide_case *c, const wide_result *got, const wide_result *expected,
                                const char *what)
{
    for (uint32_t i = 0; i < CASE_LANES; ++i)
        for (uint32_t r = 0; case_is_present(c, i) && r < c->rows; ++r) {
            size_t at = (size_t)c->row[i] * c->rows + r;
            double a = (double)got->lambda[at], b = (double)expected->lambda[at], before = (double)c->lambda[at];
            double off = FORCE_OFF * (fabs(b) + fabs(before)) + PUSH_OFF * c_size(c) / expected->give[at];
            if (!(fabs(a - b) <= off) && !(a == before && b == before))
                fail_msg("%s %s: lambda of row %u of constraint %u is %.9g, generic %.9g, before %.9g", c->about->name,
                         what, r, i, a, b, before);
        }
}

static void assert_same_result(const wide_case *c, const wide_result *a, const wide_result *b, const char *what)
{
    if (memcmp(a->d, b->d, sizeof a->d) != 0 || memcmp(a->lambda, b->lambda, sizeof a->lambda) != 0)
        fail_msg("%s: %s are not the same bits", c->about->name, what);
}

/* All widths agree to the bit in each layout, near with far too, and all with the generic row nearly. */
static void check_case(const wide_case *c)
{
    static const char *const name[CASE_LAYOUTS] = {"near", "far", "planes"};
    static wide_result expected, scalar[CASE_LAYOUTS], other;
    case_run_generic(c, &expected);
    for (int layout = 0; layout < CASE_LAYOUTS; ++layout) {
        case_run(c, case_wide(SN_SIMD_SCALAR), (case_layout)layout, &scalar[layout]);
        compare_particles(c, &scalar[layout], &expected, name[layout]);
        if (c->write_lambda)
            compare_multipliers(c, &scalar[layout], &expected, name[layout]);
        for (uint32_t simd = SN_SIMD_4; simd <= SN_SIMD_16; ++simd)
            if (case_wide(simd)) {
                case_run(c, case_wide(simd), (case_layout)layout, &other);
                assert_same_result(c, &scalar[layout], &other, case_wide(simd)->name);
            }
    }
    assert_same_result(c, &scalar[CASE_NEAR], &scalar[CASE_FAR], "near and far");
}

/* Without anybody who asks for multipliers the same places come out. */
static void check_unasked(const wide_case *c)
{
    static wide_result asked, unasked;
    wide_case quiet = *c;
    quiet.write_lambda = false;
    for (uint32_t simd = SN_SIMD_SCALAR; simd <= SN_SIMD_16; ++simd)
        for (int layout = 0; layout < CASE_LAYOUTS && case_wide(simd); ++layout) {
            case_run(c, case_wide(simd), (case_layout)layout, &asked);
            case_run(&quiet, case_wide(simd), (case_layout)layout, &unasked);
            assert_memory_equal(asked.d, unasked.d, sizeof asked.d);
            assert_memory_equal(unasked.lambda, c->lambda, sizeof c->lambda);
        }
}

/* The same where places themselves are moved. */
static void check_coarse(const wide_case *given)
{
    static wide_result expected, scalar, other;
    static wide_case c;
    c = *given;
    memset(c.d, 0, sizeof c.d);
    case_run_generic(&c, &expected);
    c.coarse = true;
    for (int layout = CASE_NEAR; layout <= CASE_PLANES; ++layout)
        for (uint32_t simd = SN_SIMD_SCALAR; simd <= SN_SIMD_16; ++simd) {
            if (!case_wide(simd))
                continue;
            case_run(&c, case_wide(simd), (case_layout)layout, simd == SN_SIMD_SCALAR ? &scalar : &other);
            if (simd != SN_SIMD_SCALAR)
                assert_same_result(&c, &scalar, &other, case_wide(simd)->name);
        }
    for (uint32_t i = 0; i < CASE_COUNT; ++i) {
        sn_vec3 place = vec3_add(vec4_xyz(c.x[i]), vec4_xyz(expected.d[i]));
        double push = support_gap(vec3(0, 0, 0), vec4_xyz(expected.d[i]));
        assert_vec_close(vec4_xyz(scalar.d[i]), place, PUSH_OFF * (c.size + push));
        assert_true(scalar.d[i].w == c.x[i].w);
    }
    if (c.write_lambda)
        compare_multipliers(&c, &scalar, &expected, "coarse");
}

/* ---- Cases ----------------------------------------------------------------------------------------------------------- */

/* Compliances of each lane: none, small, large, beyond what counts. */
static void soften(wide_case *c, uint64_t *seed)
{
    static const float some[] = {0, 1e-6f, 1e-4f, 1e30f};
    for (uint32_t i = 0; i < CASE_LANES; ++i)
        c->compliance[i] = some[support_random_below(seed, COUNT_OF(some))];
    c->rigid = false;
}

/* Multipliers as an earlier pass could have left them. */
static void push_before(wide_case *c, uint64_t *seed)
{
    for (uint32_t i = 0; i < CASE_LANES * CASE_ROWS; ++i)
        c->lambda[i] = (float)(support_random_in(seed, c->about->inequality ? 0 : -1, 1) * c->size);
    c->read_lambda = true;
}

/* Damping of each lane: none, some, much; and a stiffness. */
static void dampen(wide_case *c)
{
    uint64_t seed = c->kind;
    static const float some[] = {0, 1, 100, 1e4f};
    for (uint32_t i = 0; i < CASE_LANES; ++i) {
        c->damping[i] = some[support_random_below(&seed, COUNT_OF(some))];
        c->stiffness[i] = support_random_below(&seed, 2) ? 1 : 0.3f;
    }
    c->damped = c->soft = true;
}

/* Damping 0 and stiffness 1 in every lane are none at all. */
static void check_neutral(const wide_case *c)
{
    static wide_result plain, neutral;
    static wide_case other;
    other = *c;
    other.damped = other.soft = true;
    for (int layout = 0; layout < CASE_LAYOUTS; ++layout) {
        case_run(c, case_wide(SN_SIMD_AUTO), (case_layout)layout, &plain);
        case_run(&other, case_wide(SN_SIMD_AUTO), (case_layout)layout, &neutral);
        assert_same_result(c, &plain, &neutral, "neutral features and none");
    }
}

static void check_variations(wide_case *c, uint64_t *seed)
{
    check_neutral(c);
    check_case(c);
    c->write_lambda = true;
    check_case(c);
    check_unasked(c);
    wide_case same = *c;
    same.rigid = false; /* compliance 0 in every lane is none at all */
    check_case(&same);
    soften(c, seed);
    check_case(c);
    check_unasked(c);
    push_before(c, seed);
    check_case(c);
    check_coarse(c);
    case_empty_some(c, seed);
    check_coarse(c);
    check_case(c);
    c->read_lambda = c->write_lambda = false;
    check_case(c);
    c->rigid = true;
    check_coarse(c);
    c->rigid = false;
    c->read_lambda = c->write_lambda = true;
    if (c->size < 1) /* the way of what is small is rounded in the generic row, and damping makes that large */
        return;
    dampen(c);
    check_case(c);
    check_coarse(c);
}

static void random_constraints(void **state)
{
    (void)state;
    uint64_t seed = 1;
    static wide_case c;
    uint32_t kinds = 0;
    for (uint32_t kind = 1; kind < SN_KIND_BUILTIN_END; ++kind)
        for (int round = 0; has_wide(kind) && round < 12; ++round) {
            static const double size[] = {1, 1e-3, 1e3};
            case_random(&c, kind, size[round % 3], &seed);
            check_variations(&c, &seed);
            kinds += round == 0;
        }
    assert_int_equal(kinds, 14);
}

/* Moves points so that most of the ways to be degenerate come up: points in one place, in a line, in a plane. */
static void collapse(wide_case *c, uint32_t i, uint32_t way)
{
    uint32_t points = c->points;
    for (uint32_t p = 1; p < points; ++p) {
        uint32_t first = case_particle(c, i, 0), slot = case_particle(c, i, p);
        float w = c->x[slot].w, far = (float)c->size * (float)(way == 2 ? p % 2 : p);
        if (way == 0 || (way == 1 && p == points - 1) || way == 2 || way == 3) {
            c->x[slot] = c->x[first];
            c->d[slot] = c->d[first];
        }
        if (way == 2 || way == 3) /* along an axis, folded or straight */
            (&c->x[slot].x)[i % 3] += far;
        c->x[slot].w = w;
        if (way == 4)
            c->x[slot].w = c->x[first].w = 0;
    }
}

static void degenerate_constraints(void **state)
{
    (void)state;
    uint64_t seed = 2;
    static wide_case c;
    for (uint32_t kind = 1; kind < SN_KIND_BUILTIN_END; ++kind)
        for (int round = 0; has_wide(kind) && round < 6; ++round) {
            case_random(&c, kind, round % 2 ? 1e-2 : 1, &seed);
            for (uint32_t i = 0; i < CASE_LANES; ++i) {
                collapse(&c, i, support_random_below(&seed, 6));
                if (c.params == 1 && support_random_below(&seed, 2))
                    *case_param(&c, i, 0) = support_random_below(&seed, 2) ? 0 : (float)c.size;
            }
            check_variations(&c, &seed);
        }
}

/* Points that coincide part along x if they have to, and rest if they are right where they are. */
static void coinciding_points_part(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {SN_KIND_DISTANCE, SN_KIND_DISTANCE_MIN, SN_KIND_DISTANCE_BAND,
                                     SN_KIND_DISTANCE_MAX};
    static wide_case c;
    static wide_result r;
    uint64_t seed = 3;
    for (uint32_t k = 0; k < COUNT_OF(kinds); ++k) {
        case_random(&c, kinds[k], 1, &seed);
        for (uint32_t i = 0; i < CASE_LANES; ++i) {
            for (uint32_t p = 0; p < 2; ++p) {
                c.x[case_particle(&c, i, p)] = (sn_vec4){1, 2, 3, 1};
                c.d[case_particle(&c, i, p)] = (sn_vec4){0, 0, 0, 0};
            }
            *case_param(&c, i, 0) = i % 2 ? 1 : 0;
            if (c.params > 1)
                *case_param(&c, i, 1) = 2;
        }
        case_run(&c, case_wide(SN_SIMD_AUTO), CASE_NEAR, &r);
        for (uint32_t i = 0; i < CASE_LANES; ++i) {
            float half = i % 2 && kinds[k] != SN_KIND_DISTANCE_MAX ? 0.5f : 0;
            assert_vec_close(vec4_xyz(r.d[case_particle(&c, i, 0)]), vec3(half, 0, 0), 0);
            assert_vec_close(vec4_xyz(r.d[case_particle(&c, i, 1)]), vec3(-half, 0, 0), 0);
        }
    }
}

/* Products of a mass and a length that leave the range of a float. */
static void extreme_masses(void **state)
{
    (void)state;
    static wide_case c;
    uint64_t seed = 4;
    static const double w[] = {1e-30, 1e30}, size[] = {1e-16, 1e12};
    for (int i = 0; i < 2; ++i) {
        case_random(&c, SN_KIND_DISTANCE, size[i], &seed);
        for (uint32_t p = 0; p < CASE_COUNT; ++p)
            if (p % 3)
                c.x[p].w = (float)w[i];
        check_case(&c);
    }
}

/* What is not finite is not hidden. */
static void not_a_number_shows(void **state)
{
    (void)state;
    static wide_case c;
    static wide_result r;
    uint64_t seed = 5;
    for (uint32_t kind = 1; kind < SN_KIND_BUILTIN_END; ++kind) {
        if (!has_wide(kind) || kind == SN_KIND_ANGLE || kind == SN_KIND_ANGLE_MIN || kind == SN_KIND_ANGLE_MAX ||
            kind == SN_KIND_DIHEDRAL)
            continue; /* these have no angle then, and rest; the place itself is found */
        case_random(&c, kind, 1, &seed);
        for (uint32_t i = 0; i < CASE_LANES; ++i) {
            uint32_t slot = case_particle(&c, i, 0);
            c.x[slot] = (sn_vec4){3e38f, -3e38f, 3e38f, 1};
            c.d[slot] = (sn_vec4){3e38f, -3e38f, 3e38f, 0};
        }
        case_run(&c, case_wide(SN_SIMD_AUTO), CASE_FAR, &r);
        if (kind != SN_KIND_HALF_SPACE) /* on its good side it rests, however far */
            assert_false(isfinite(r.d[case_particle(&c, 0, 0)].x));
    }
}

/* In planes an empty lane may be another lane's place: each writes only what it owns. */
static void planes_that_overlap(void **state)
{
    (void)state;
    for (uint32_t simd = SN_SIMD_SCALAR; simd <= SN_SIMD_16; ++simd) {
        if (!case_wide(simd))
            continue;
        float plane[2 * SN_BATCH + 2 * SN_ROW] = {0}, param[SN_BATCH];
        for (uint32_t i = 0; i < SN_BATCH; ++i) {
            for (uint32_t row = 0; row < 2; ++row) {
                float *at = plane + SN_BATCH + row * SN_ROW + i;
                at[0] = (float)(i + 10 * row);
                at[SN_PLANE_W * SN_BATCH] = 1;
            }
            param[i] = 8.5f; /* lane i of the first row and lane i + 1 of the second are 11 apart */
        }
        const uint32_t offset[] = {SN_BATCH, SN_BATCH + SN_ROW + 1};
        const uint16_t mask = 0x7fff;
        sn_wide_run run = {.batches = 1,
                           .offset = offset,
                           .mask = &mask,
                           .param = param,
                           .plane = plane,
                           .number = SN_KIND_DISTANCE,
                           .kind = &sn_kind_distance};
        sn_wide_project(case_wide(simd), &run);
        for (uint32_t i = 0; i < SN_BATCH; ++i)
            for (uint32_t row = 0; row < 2; ++row) {
                const float *at = plane + SN_BATCH + row * SN_ROW + i;
                double moved = row ? (i > 0 ? -1.25 : 0) : (i < 15 ? 1.25 : 0);
                assert_close(at[SN_PLANE_D * SN_BATCH], moved, 1e-6);
                assert_true(at[0] == (float)(i + 10 * row) && at[SN_PLANE_W * SN_BATCH] == 1);
                for (uint32_t k = 1; k < 3; ++k)
                    assert_true(at[k * SN_BATCH] == 0 && at[(SN_PLANE_D + k) * SN_BATCH] == 0);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_constraints),     cmocka_unit_test(degenerate_constraints),
        cmocka_unit_test(coinciding_points_part), cmocka_unit_test(extreme_masses),
        cmocka_unit_test(not_a_number_shows),     cmocka_unit_test(planes_that_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif

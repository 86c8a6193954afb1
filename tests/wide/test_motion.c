/* The loops over particles of the wide kernels: against plain formulas in double, and all widths against each other. */
#include "wide/cases.h"

#if SINEW_DOUBLE

static void elsewhere(void **state)
{
    (void)state; /* in double precision there are none; test_kinds.c says so */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(elsewhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#define H     (1.0f / 600)
#define COUNT 37u
#define MOST  (COUNT + 11u)

/* Particles, of which some are outside of the range or list. */
typedef struct swarm {
    sn_vec4 x[MOST], x_low[MOST], v[MOST], v_low[MOST], mark[MOST], old_d[MOST], old_v[MOST];
    sn_vec3 force[MOST];
    uint32_t list[MOST];
} swarm;

static sn_vec4 random_vec4(uint64_t *seed, double size, float w)
{
    return (sn_vec4){(float)support_random_in(seed, -size, size), (float)support_random_in(seed, -size, size),
                     (float)support_random_in(seed, -size, size), w};
}

static void fill(swarm *s, uint64_t *seed)
{
    for (uint32_t i = 0; i < MOST; ++i) {
        bool immovable = support_random_below(seed, 5) == 0;
        float mass = immovable ? (float)SN_IMMOVABLE : (float)support_random_in(seed, 0.1, 10);
        s->x[i] = random_vec4(seed, 10, immovable ? 0 : 1 / mass);
        s->x_low[i] = random_vec4(seed, 4e-7, 0);
        s->v[i] = random_vec4(seed, immovable ? 0 : 5, mass);
        s->v_low[i] = random_vec4(seed, immovable ? 0 : 2e-7, 0);
        s->mark[i] = random_vec4(seed, 4e-7, 0);
        s->old_d[i] = random_vec4(seed, immovable ? 0 : 1e-2, immovable ? 0 : H);
        s->old_v[i] = random_vec4(seed, immovable ? 0 : 5, 0);
        s->force[i] = vec4_xyz(random_vec4(seed, 100, 0));
        s->list[i] = (i * 7 + 3) % MOST; /* 7 and 48 have no common divisor */
    }
}

static sn_motion motion_of(swarm *s, uint32_t first, uint32_t count)
{
    return (sn_motion){.x = s->x,
                       .x_low = s->x_low,
                       .v = s->v,
                       .v_low = s->v_low,
                       .mark = s->mark,
                       .gravity = {0.5f, -9.81f, 0.25f},
                       .h = H,
                       .kick = H,
                       .rate = 1 / H,
                       .keep = 0.99f,
                       .lose = 0.01f,
                       .first = first,
                       .count = count};
}

/* BDF2, with a past of all that move. */
static void look_back(sn_motion *m, swarm *s, bool ends_previous)
{
    m->looks_back = true;
    m->ends_previous = ends_previous;
    m->old_d = s->old_d;
    m->old_v = s->old_v;
    m->rate = 1.5f / H;
    m->force = NULL;
}

static double value(const sn_vec4 *high, const sn_vec4 *low, int k)
{
    return (double)(&high->x)[k] + (double)(&low->x)[k];
}

/* ---- Against formulas in double ---------------------------------------------------------------------------------------- */

static void check_predicted(const swarm *s, const swarm *before, const sn_motion *m, uint32_t i)
{
    uint32_t slot = m->first + i;
    float w = s->x[slot].w;
    for (int k = 0; k < 3; ++k) {
        double v = value(&before->v[slot], &before->v_low[slot], k),
               x = value(&before->x[slot], &before->x_low[slot], k);
        double a = (double)(&m->gravity.x)[k] + (m->force ? (double)(&m->force[slot].x)[k] * (double)w : 0);
        v = w != 0 ? v * (1 - (double)m->lose) + (double)m->h * a : 0;
        x += v * (double)m->h;
        /* as precise as the sums of the products, not as v and x themselves */
        assert_close(value(&s->v[slot], &s->v_low[slot], k), v, m->force ? 3e-7 : 3e-8 * (0.5 + 10 * (double)m->lose));
        assert_close(value(&s->x[slot], &s->x_low[slot], k), x, 2e-9);
        assert_true(fabs((double)(&s->x_low[slot].x)[k]) <= 1.3e-6);
        assert_true((&s->mark[i].x)[k] == (&s->x_low[slot].x)[k]);
        if (w == 0) {
            assert_true((&s->x[slot].x)[k] == (&before->x[slot].x)[k]);
            assert_true((&s->x_low[slot].x)[k] == (&before->x_low[slot].x)[k]);
            assert_true((&s->v[slot].x)[k] == 0 && (&s->v_low[slot].x)[k] == 0);
        }
    }
    assert_true(s->x[slot].w == before->x[slot].w && s->v[slot].w == before->v[slot].w);
    assert_true(s->x_low[slot].w == 0 && s->v_low[slot].w == 0 && s->mark[i].w == 0);
}

static void predicting(void **state)
{
    (void)state;
    static swarm s, before;
    uint64_t seed = 1;
    for (uint32_t simd = SN_SIMD_SCALAR; simd <= SN_SIMD_16; ++simd)
        for (uint32_t round = 0; case_wide(simd) && round < 40; ++round) {
            fill(&s, &seed);
            before = s;
            sn_motion m = motion_of(&s, round % 5, round % (COUNT + 1));
            m.force = round % 3 ? s.force : NULL;
            if (round % 4 == 0) {
                m.lose = 0.75f;
                m.keep = 0.25f;
            } else if (round % 4 == 1) {
                m.lose = 0;
                m.keep = 1;
            }
            case_wide(simd)->motion->predict(&m);
            for (uint32_t i = 0; i < m.count; ++i)
                check_predicted(&s, &before, &m, i);
            for (uint32_t i = 0; i < MOST; ++i)
                if (i < m.first || i >= m.first + m.count) {
                    assert_memory_equal(&s.x[i], &before.x[i], sizeof s.x[i]);
                    assert_memory_equal(&s.v[i], &before.v[i], sizeof s.v[i]);
                }
        }
}

static void settling(void **state)
{
    (void)state;
    static swarm s, before;
    uint64_t seed = 2;
    for (uint32_t simd = SN_SIMD_SCALAR; simd <= SN_SIMD_16; ++simd)
        for (uint32_t round = 0; case_wide(simd) && round < 40; ++round) {
            fill(&s, &seed);
            for (uint32_t i = 0; i < MOST; ++i)
                s.x_low[i] = random_vec4(&seed, 1e-3, 0);
            before = s;
            sn_motion m = motion_of(&s, round % 5, round % (COUNT + 1));
            m.list = round % 2 ? s.list : NULL;
            assert_true(case_wide(simd)->motion->settle(&m));
            for (uint32_t i = 0; i < m.count; ++i) {
                uint32_t slot = m.list ? m.list[i] : m.first + i;
                for (int k = 0; k < 3; ++k) {
                    double moved = (double)(&before.x_low[slot].x)[k] - (double)(&before.mark[i].x)[k];
                    assert_close(value(&s.v[slot], &s.v_low[slot], k),
                                 value(&before.v[slot], &before.v_low[slot], k) + moved * (double)m.rate, 1.2e-7);
                    assert_close(value(&s.x[slot], &s.x_low[slot], k), value(&before.x[slot], &before.x_low[slot], k),
                                 1e-10);
                    assert_true(fabs((double)(&s.x_low[slot].x)[k]) <= 6e-7);
                }
                assert_true(s.x[slot].w == before.x[slot].w && s.v[slot].w == before.v[slot].w);
                assert_true(s.x_low[slot].w == 0 && s.v_low[slot].w == 0);
            }
        }
}

/* Where places themselves were moved, velocities follow from those, and nothing else changes. */
static void settling_coarse(void **state)
{
    (void)state;
    static swarm s, before;
    uint64_t seed = 7;
    for (uint32_t simd = SN_SIMD_SCALAR; simd <= SN_SIMD_16; ++simd)
        for (uint32_t round = 0; case_wide(simd) && round < 40; ++round) {
            fill(&s, &seed);
            sn_motion m = motion_of(&s, round % 5, round % (COUNT + 1));
            m.list = round % 2 ? s.list : NULL;
            m.coarse = true;
            case_wide(simd)->motion->note(&m);
            for (uint32_t i = 0; i < MOST; ++i)
                s.x[i].x += 1e-5f * (float)i;
            before = s;
            assert_true(case_wide(simd)->motion->settle(&m));
            for (uint32_t i = 0; i < m.count; ++i) {
                uint32_t slot = m.list ? m.list[i] : m.first + i;
                for (int k = 0; k < 3; ++k) {
                    double moved = (double)(&before.x[slot].x)[k] - (double)(&before.mark[i].x)[k];
                    assert_close(value(&s.v[slot], &s.v_low[slot], k),
                                 value(&before.v[slot], &before.v_low[slot], k) + moved * (double)m.rate, 1.2e-7);
                }
                assert_true(s.v[slot].w == before.v[slot].w && s.v_low[slot].w == 0);
            }
            assert_memory_equal(s.x, before.x, sizeof s.x);
            assert_memory_equal(s.x_low, before.x_low, sizeof s.x_low);
        }
}

/* Anything that is not finite, or too fast, in any coordinate of any particle. */
static void settling_finds_what_is_wrong(void **state)
{
    (void)state;
    static swarm s;
    uint64_t seed = 3;
    static const float wrong[] = {NAN, INFINITY, -INFINITY, 2e37f, -2e37f};
    for (uint32_t simd = SN_SIMD_SCALAR; simd <= SN_SIMD_16; ++simd)
        for (uint32_t i = 0; case_wide(simd) && i < 9 * 3; ++i)
            for (uint32_t n = 0; n < 2 * COUNT_OF(wrong); ++n)
                for (uint32_t listed = 0; listed < 2; ++listed) {
                    fill(&s, &seed);
                    sn_motion m = motion_of(&s, 4, 9);
                    m.list = listed ? s.list : NULL;
                    uint32_t slot = listed ? s.list[i / 3] : 4 + i / 3;
                    bool place = n >= COUNT_OF(wrong);
                    (&(place ? s.x : s.v)[slot].x)[i % 3] = wrong[n % COUNT_OF(wrong)];
                    assert_int_equal(case_wide(simd)->motion->settle(&m), place && n % COUNT_OF(wrong) >= 3);
                }
}

static void noting(void **state)
{
    (void)state;
    static swarm s;
    uint64_t seed = 4;
    for (uint32_t simd = SN_SIMD_SCALAR; simd <= SN_SIMD_16; ++simd)
        for (uint32_t listed = 0; case_wide(simd) && listed < 2; ++listed) {
            fill(&s, &seed);
            sn_motion m = motion_of(&s, 3, COUNT);
            m.list = listed ? s.list : NULL;
            case_wide(simd)->motion->note(&m);
            for (uint32_t i = 0; i < COUNT; ++i)
                assert_memory_equal(&s.mark[i], &s.x_low[listed ? s.list[i] : 3 + i], sizeof s.mark[i]);
        }
}

/* ---- Widths against each other -------------------------------------------------------------------------------------------- */

static void widths_agree(void **state)
{
    (void)state;
    static swarm start, scalar, other;
    uint64_t seed = 5;
    for (uint32_t round = 0; round < 60; ++round)
        for (uint32_t simd = SN_SIMD_4; simd <= SN_SIMD_16; ++simd) {
            if (!case_wide(simd))
                continue;
            fill(&start, &seed);
            scalar = other = start;
            swarm *const both[] = {&scalar, &other};
            for (int i = 0; i < 2; ++i) {
                const sn_wide *wide = case_wide(i ? simd : SN_SIMD_SCALAR);
                sn_motion m = motion_of(both[i], round % 3, round % COUNT);
                m.force = round % 2 ? both[i]->force : NULL;
                m.lose = round % 4 < 2 ? 0.01f : 0.5f;
                m.coarse = round % 5 < 2;
                if (round % 7 < 3)
                    look_back(&m, both[i], round % 7 == 1);
                else if (round % 7 == 3)
                    m.kick = m.end_kick = H / 2, m.ends_previous = true;
                wide->motion->predict(&m);
                m.list = round % 3 ? both[i]->list : NULL;
                wide->motion->note(&m);
                for (uint32_t p = 0; p < MOST; ++p)
                    (m.coarse ? both[i]->x : both[i]->x_low)[p].y += 1e-3f * (float)p;
                wide->motion->settle(&m);
                m.list = NULL;
                wide->motion->end(&m);
            }
            assert_memory_equal(&scalar, &other, sizeof scalar);
        }
}

/* ---- Planes ------------------------------------------------------------------------------------------------------------------- */

/* Where number k (x, y, z, d of those, w) of particle p is in rows. */
static uint32_t row_place(uint32_t p, uint32_t k)
{
    return p / SN_BATCH * SN_ROW + k * SN_BATCH + p % SN_BATCH;
}

static void planes_there_and_back(void **state)
{
    (void)state;
    enum { PLACES = 32, FLOATS = PLACES / SN_BATCH * SN_ROW };
    static swarm s;
    static float plane[FLOATS + 1];
    uint64_t seed = 6;
    for (uint32_t simd = SN_SIMD_SCALAR; simd <= SN_SIMD_16; ++simd) {
        if (!case_wide(simd))
            continue;
        fill(&s, &seed);
        plane[FLOATS] = -1;
        case_wide(simd)->spread(s.x, s.v, PLACES, plane);
        assert_true(plane[FLOATS] == -1);
        for (uint32_t p = 0; p < PLACES; ++p)
            for (uint32_t k = 0; k < 7; ++k) {
                float expected = k == SN_PLANE_W  ? s.x[p].w
                                 : k < SN_PLANE_W ? (&s.x[p].x)[k]
                                                  : (&s.v[p].x)[k - SN_PLANE_D];
                assert_true(plane[row_place(p, k)] == expected);
                plane[row_place(p, k)] += 1;
            }
        swarm before = s;
        case_wide(simd)->collect(s.v, PLACES, plane, false);
        for (uint32_t p = 0; p < MOST; ++p) {
            for (int k = 0; k < 3; ++k)
                assert_true((&s.v[p].x)[k] == (&before.v[p].x)[k] + (p < PLACES ? 1 : 0));
            assert_true(s.v[p].w == before.v[p].w);
        }
        case_wide(simd)->restore(before.v, PLACES, plane, true);
        for (uint32_t p = 0; p < PLACES; ++p)
            for (uint32_t k = 0; k < 7; ++k) {
                float expected = k == SN_PLANE_W  ? s.x[p].w + 1
                                 : k < SN_PLANE_W ? (&before.v[p].x)[k]
                                                  : (&s.v[p].x)[k - SN_PLANE_D];
                assert_true(plane[row_place(p, k)] == expected);
            }
    }
}

/* A tile that stays in planes moves as one in storage does, to the last bit. */
static void planes_move_alike(void **state)
{
    (void)state;
    enum { PLACES = 32, ROWS = PLACES / SN_BATCH };
    static swarm a, b;
    static float plane[ROWS * SN_ROW], side[ROWS * SN_SIDE_ROW], back[ROWS * SN_PAST_ROW], mark[ROWS * SN_MARK_ROW];
    uint64_t seed = 7;
    for (uint32_t round = 8 * SN_SIMD_SCALAR; round <= 8 * SN_SIMD_16 + 7; ++round) {
        const sn_wide *wide = case_wide(round / 8);
        bool coarse = round % 2, looks_back = round / 2 % 2, ends_previous = round / 4 % 2;
        if (!wide)
            continue;
        fill(&a, &seed);
        b = a;
        sn_motion in = {.x = a.x,
                        .x_low = a.x_low,
                        .v = a.v,
                        .v_low = a.v_low,
                        .mark = a.mark,
                        .mark_rows = mark,
                        .coarse = coarse,
                        .gravity = {1, -9.81f, 2},
                        .h = H,
                        .kick = H / 4,
                        .end_kick = H * 3 / 4,
                        .ends_previous = ends_previous,
                        .rate = 600,
                        .keep = 0.9f,
                        .lose = 0.1f,
                        .count = PLACES};
        sn_motion out = in;
        if (looks_back) {
            look_back(&in, &a, ends_previous);
            look_back(&out, &b, ends_previous);
        }
        out.x = b.x, out.x_low = b.x_low, out.v = b.v, out.v_low = b.v_low, out.mark = b.mark;
        wide->enter(&out, plane, side);
        if (looks_back)
            wide->enter_past(&out, back);
        wide->motion->predict(&in);
        wide->predict_planes(&out, plane, side, looks_back ? back : NULL, ROWS);
        for (uint32_t p = 0; p < PLACES; ++p) { /* something pushes */
            (coarse ? a.x : a.x_low)[p].y += 0.001f * (float)p;
            plane[row_place(p, (coarse ? SN_PLANE_X : SN_PLANE_D) + 1)] += 0.001f * (float)p;
        }
        assert_true(wide->motion->settle(&in) && wide->settle_planes(&out, plane, side, ROWS));
        wide->leave(&out, plane, side);
        if (looks_back)
            wide->leave_past(&out, back);
        assert_memory_equal(a.old_d, b.old_d, sizeof a.old_d);
        assert_memory_equal(a.old_v, b.old_v, sizeof a.old_v);
        for (uint32_t p = 0; p < PLACES; ++p)
            assert_true(memcmp(&a.x[p], &b.x[p], sizeof a.x[p]) == 0 && memcmp(&a.v[p], &b.v[p], sizeof a.v[p]) == 0 &&
                        memcmp(&a.x_low[p], &b.x_low[p], 12) == 0 && memcmp(&a.v_low[p], &b.v_low[p], 12) == 0);
    }
}

/* Predict settles what is left to it as settle does, in storage and in planes, and finds what is wrong. */
static void settling_late(void **state)
{
    (void)state;
    enum { PLACES = 32, ROWS = PLACES / SN_BATCH };
    static swarm a, b, c;
    static float plane[ROWS * SN_ROW], side[ROWS * SN_SIDE_ROW], back[ROWS * SN_PAST_ROW], mark[ROWS * SN_MARK_ROW];
    uint64_t seed = 8;
    for (uint32_t round = 16 * SN_SIMD_SCALAR; round <= 16 * SN_SIMD_16 + 15; ++round) {
        const sn_wide *wide = case_wide(round / 16);
        bool coarse = round % 2, looks_back = round / 2 % 2, spoilt = round / 8 % 2;
        if (!wide)
            continue;
        fill(&a, &seed);
        for (uint32_t p = 0; p < PLACES; ++p) {
            a.mark[p] = (coarse ? a.x : a.x_low)[p];
            (coarse ? a.x : a.x_low)[p].z += 0.001f * (float)p;
        }
        if (spoilt)
            (coarse ? a.x : a.x_low)[support_random_below(&seed, PLACES)].y = NAN;
        b = c = a;
        sn_motion ma = motion_of(&a, 0, PLACES), mb = motion_of(&b, 0, PLACES), mc = motion_of(&c, 0, PLACES);
        sn_motion *all[] = {&ma, &mb, &mc};
        swarm *of[] = {&a, &b, &c};
        for (uint32_t i = 0; i < 3; ++i) {
            if (looks_back)
                look_back(all[i], of[i], round / 4 % 2);
            all[i]->coarse = coarse;
            all[i]->mark_rows = mark;
            all[i]->settles_previous = i > 0;
        }
        for (uint32_t p = 0; p < PLACES; ++p)
            for (uint32_t k = 0; k < 3; ++k)
                mark[p / SN_BATCH * SN_MARK_ROW + k * SN_BATCH + p % SN_BATCH] = (&c.mark[p].x)[k];
        wide->enter(&mc, plane, side);
        if (looks_back)
            wide->enter_past(&mc, back);
        assert_true(wide->motion->settle(&ma) == !spoilt);
        assert_true(wide->motion->predict(&ma));
        assert_true(wide->motion->predict(&mb) == !spoilt);
        assert_true(wide->predict_planes(&mc, plane, side, looks_back ? back : NULL, ROWS) == !spoilt);
        wide->leave(&mc, plane, side);
        if (spoilt)
            continue;
        assert_memory_equal(&a, &b, sizeof a);
        for (uint32_t p = 0; p < PLACES; ++p)
            assert_true(memcmp(&a.x[p], &c.x[p], sizeof a.x[p]) == 0 && memcmp(&a.v[p], &c.v[p], sizeof a.v[p]) == 0 &&
                        memcmp(&a.x_low[p], &c.x_low[p], 12) == 0 && memcmp(&a.v_low[p], &c.v_low[p], 12) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settling_late),
        cmocka_unit_test(predicting),
        cmocka_unit_test(settling),
        cmocka_unit_test(settling_coarse),
        cmocka_unit_test(settling_finds_what_is_wrong),
        cmocka_unit_test(noting),
        cmocka_unit_test(widths_agree),
        cmocka_unit_test(planes_there_and_back),
        cmocka_unit_test(planes_move_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif

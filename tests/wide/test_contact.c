/* Kernels of contact between balls: all widths give the same bits, momentum is conserved, lanes without a pair and
   balls that do not touch stay as they are, and what is done is what the formulas say. In double precision there is one
   width. */
#include "support/support.h"

#include "wide/wide.h"

#include <math.h>

#define BATCHES 9u
#define PAIRS   (BATCHES * SN_NEAR)
#define BALLS   (2 * PAIRS + 5) /* the last ones belong to nobody */

typedef enum chapter { WARM, PROJECT, CHAPTERS } chapter;

/* Pair i is lane i % 8 of batch i / 8. */
typedef struct crowd {
    uint32_t index[2 * PAIRS];
    uint8_t lanes[BATCHES];
    sn_vec4 x[BALLS], x_low[BALLS], v[BALLS];
    sn_real reach[PAIRS], static_friction[PAIRS], dynamic_friction[PAIRS], restitution[PAIRS];
    sn_real normal_impulse[PAIRS], last[PAIRS], tangent_impulse[3 * PAIRS];
    bool varied, bounces;
} crowd;

static uint32_t slot_of(const crowd *c, uint32_t pair, int side)
{
    return c->index[pair / SN_NEAR * 2 * SN_NEAR + (uint32_t)side * SN_NEAR + pair % SN_NEAR];
}

static bool is_there(const crowd *c, uint32_t pair)
{
    return pair % SN_NEAR < c->lanes[pair / SN_NEAR];
}

static sn_real in(uint64_t *seed, double least, double most)
{
    return real(support_random_in(seed, least, most));
}

static void put_ball(crowd *c, uint32_t slot, sn_vec3 at, uint64_t *seed)
{
    sn_real w = support_random_below(seed, 6) ? 1 / in(seed, 0.1, 10) : 0;
    c->x[slot] = (sn_vec4){at.x, at.y, at.z, w};
    c->v[slot] = (sn_vec4){in(seed, -2, 2), in(seed, -2, 2), in(seed, -2, 2), w > 0 ? 1 / w : SN_IMMOVABLE};
}

/* Pairs that touch, nearly touch, overlap or have one centre, in a permuted order; some were pressed before. */
static void fill(crowd *c, uint64_t *seed)
{
    uint32_t order[BALLS];
    for (uint32_t i = 0; i < BALLS; ++i) {
        uint32_t j = support_random_below(seed, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (uint32_t i = 0; i < BALLS; ++i)
        put_ball(c, i, vec(support_random_in(seed, -3, 3), 9, 0), seed);
    for (uint32_t b = 0; b < BATCHES; ++b)
        c->lanes[b] = (uint8_t)(b == 0 ? 8 : 1 + support_random_below(seed, 8));
    c->varied = support_random_below(seed, 2);
    c->bounces = support_random_below(seed, 2);
    for (uint32_t i = 0; i < PAIRS; ++i) {
        uint32_t base = i / SN_NEAR * 2 * SN_NEAR, lane = i % SN_NEAR, from = is_there(c, i) ? i : i - lane;
        uint32_t a = c->index[base + lane] = order[2 * from], b = c->index[base + SN_NEAR + lane] = order[2 * from + 1];
        c->reach[i] = in(seed, 0.1, 0.3);
        c->static_friction[i] = in(seed, 0, 1);
        c->dynamic_friction[i] = c->static_friction[i] * in(seed, 0, 1);
        c->restitution[i] = in(seed, 0, 1);
        bool was = support_random_below(seed, 2);
        c->normal_impulse[i] = was ? in(seed, 0, 1e-3) : 0;
        c->last[i] = was && support_random_below(seed, 3) ? in(seed, 0, 1e-3) : 0;
        for (uint32_t k = 0; k < 3; ++k)
            c->tangent_impulse[(i / SN_NEAR * 3 + k) * SN_NEAR + lane] = was ? in(seed, -1e-4, 1e-4) : 0;
        if (!is_there(c, i))
            continue;
        sn_vec3 at = vec(support_random_in(seed, -3, 3), support_random_in(seed, -3, 3), 1), d;
        double much = support_random_below(seed, 20) ? support_random_in(seed, 0.7, 1.1) : 0, size;
        do
            d = (sn_vec3){in(seed, -1, 1), in(seed, -1, 1), in(seed, -1, 1)};
        while ((size = support_gap(d, vec(0, 0, 0))) < 0.1);
        size = much * (double)c->reach[i] / size;
        do
            put_ball(c, a, at, seed);
        while (c->x[a].w == 0 && i % 2); /* one of them moves: others are no pairs */
        do
            put_ball(c, b,
                     vec((double)at.x + size * (double)d.x, (double)at.y + size * (double)d.y,
                         (double)at.z + size * (double)d.z),
                     seed);
        while (c->x[b].w == 0 && i % 2 == 0);
    }
}

static sn_wide_contacts run_of(crowd *c)
{
    const sn_real h = (sn_real)1 / 600;
    return (sn_wide_contacts){.first = 0,
                              .end = BATCHES,
                              .index = c->index,
                              .lanes = c->lanes,
                              .x = c->x,
                              .x_low = c->x_low,
                              .v = c->v,
                              .reach = c->reach,
                              .static_friction = c->varied ? c->static_friction : NULL,
                              .dynamic_friction = c->varied ? c->dynamic_friction : NULL,
                              .restitution = c->varied ? c->restitution : NULL,
                              .static_friction_all = real(0.5),
                              .dynamic_friction_all = real(0.4),
                              .restitution_all = real(0.6),
                              .normal_impulse = c->normal_impulse,
                              .last = c->last,
                              .tangent_impulse = c->tangent_impulse,
                              .h = h,
                              .inverse_h = 1 / h,
                              .part = h,
                              .ease = real(0.2),
                              .slop = real(0.002),
                              .bounce_above = real(0.1),
                              .bounces = c->bounces};
}

static void run_chapter(const sn_wide_contact *kernels, chapter which, const sn_wide_contacts *run)
{
    sn_wide_contacts_fn *const all[CHAPTERS] = {kernels->warm, kernels->project};
    all[which](run);
}

/* sn_contact_scalar, and those of each width that the machine has. */
enum { KERNELS = SN_SIMD_16 + 1 };

static const sn_wide_contact *kernels_of(uint32_t which)
{
    const sn_wide *wide = which ? sn_wide_choose((sn_simd)which) : NULL;
    return which ? (wide ? wide->contact : NULL) : &sn_contact_scalar;
}

static void assert_same_crowd(const crowd *a, const crowd *b)
{
    assert_memory_equal(a->x, b->x, sizeof a->x);
    assert_memory_equal(a->x_low, b->x_low, sizeof a->x_low);
    assert_memory_equal(a->v, b->v, sizeof a->v);
    for (uint32_t i = 0; i < PAIRS; ++i) {
        if (!is_there(a, i)) /* what the numbers of empty lanes are does not matter */
            continue;
        assert_memory_equal(&a->normal_impulse[i], &b->normal_impulse[i], sizeof a->normal_impulse[i]);
        assert_memory_equal(&a->last[i], &b->last[i], sizeof a->last[i]);
        for (uint32_t k = 0; k < 3; ++k) {
            size_t at = (i / SN_NEAR * 3 + k) * SN_NEAR + i % SN_NEAR;
            assert_memory_equal(&a->tangent_impulse[at], &b->tangent_impulse[at], sizeof a->tangent_impulse[at]);
        }
    }
}

static void widths_agree(void **state)
{
    (void)state;
    static crowd start, scalar, wide;
    uint64_t seed = 1;
    for (uint32_t round = 0; round < 100; ++round) {
        fill(&start, &seed);
        for (uint32_t which = 1; which < KERNELS; ++which) {
            if (!kernels_of(which))
                continue;
            scalar = wide = start;
            sn_wide_contacts a = run_of(&scalar), b = run_of(&wide);
            for (int c = 0; c < CHAPTERS; ++c) { /* one after the other, as in a substep */
                run_chapter(&sn_contact_scalar, (chapter)c, &a);
                run_chapter(kernels_of(which), (chapter)c, &b);
                assert_same_crowd(&scalar, &wide);
            }
        }
    }
}

/* A range of batches touches no others. */
static void ranges_are_kept(void **state)
{
    (void)state;
    static crowd all, parts;
    uint64_t seed = 2;
    for (uint32_t which = 0; which < KERNELS; ++which)
        for (uint32_t round = 0; kernels_of(which) && round < 20; ++round) {
            fill(&all, &seed);
            parts = all;
            sn_wide_contacts a = run_of(&all), b = run_of(&parts);
            for (int c = 0; c < CHAPTERS; ++c) {
                run_chapter(kernels_of(which), (chapter)c, &a);
                for (b.first = BATCHES; b.first-- > 0;) {
                    b.end = b.first + 1;
                    run_chapter(kernels_of(which), (chapter)c, &b);
                }
                b.end = 0;
                run_chapter(kernels_of(which), (chapter)c, &b); /* nothing */
            }
            assert_same_crowd(&all, &parts);
        }
}

/* ---- Momentum
   --------------------------------------------------------------------------------------------------------------- */

static void momentum_of_pair(const crowd *c, uint32_t pair, double momentum[3], double centre[3])
{
    memset(momentum, 0, 3 * sizeof *momentum);
    memset(centre, 0, 3 * sizeof *centre);
    for (int side = 0; side < 2; ++side) {
        uint32_t slot = slot_of(c, pair, side);
        for (int k = 0; k < 3; ++k) {
            momentum[k] += (double)(&c->v[slot].x)[k] / (double)c->x[slot].w;
            centre[k] += (double)(&c->x[slot].x)[k] / (double)c->x[slot].w;
        }
    }
}

static void check_pair_moved(const crowd *before, const crowd *after, uint32_t pair)
{
    uint32_t a = slot_of(before, pair, 0), b = slot_of(before, pair, 1);
    const sn_vec4 *x[2] = {before->x, after->x}, *v[2] = {before->v, after->v};
    for (int side = 0; side < 2; ++side) {
        uint32_t slot = side ? b : a;
        assert_true(x[0][slot].w == x[1][slot].w && v[0][slot].w == v[1][slot].w);
        if (x[0][slot].w == 0) {
            assert_memory_equal(&x[0][slot], &x[1][slot], sizeof x[0][slot]);
            assert_memory_equal(&v[0][slot], &v[1][slot], sizeof v[0][slot]);
        }
    }
    if (x[0][a].w == 0 || x[0][b].w == 0)
        return;
    double p[3], q[3], c[3], d[3], mass = 1 / (double)x[0][a].w + 1 / (double)x[0][b].w;
    momentum_of_pair(before, pair, p, c);
    momentum_of_pair(after, pair, q, d);
    for (int k = 0; k < 3; ++k) {
        assert_close(q[k], p[k], 2 * mass * SUPPORT_ROUND_OFF / 10);
        assert_close(d[k], c[k], 2 * mass * SUPPORT_ROUND_OFF / 10);
    }
}

static void momentum_is_conserved(void **state)
{
    (void)state;
    static crowd before, after;
    uint64_t seed = 3;
    for (uint32_t which = 0; which < KERNELS; ++which)
        for (uint32_t round = 0; kernels_of(which) && round < 40; ++round) {
            fill(&before, &seed);
            after = before;
            sn_wide_contacts run = run_of(&after);
            for (int c = 0; c < CHAPTERS; ++c)
                run_chapter(kernels_of(which), (chapter)c, &run);
            for (uint32_t i = 0; i < PAIRS; ++i)
                if (is_there(&before, i))
                    check_pair_moved(&before, &after, i);
            for (uint32_t i = 0; i < BALLS; ++i) /* no pair of lanes that are there has it: nobody moves it */
                if ((double)before.x[i].y == 9)
                    assert_memory_equal(&before.x[i], &after.x[i], sizeof after.x[i]);
        }
}

/* ---- Against formulas
   -------------------------------------------------------------------------------------------------------- */

/* Two balls at a distance along x, reach 1, with these relative velocities; the inverse masses are 1 and 3. */
static crowd make_pair(double distance, sn_vec3 u)
{
    static crowd c;
    memset(&c, 0, sizeof c);
    c.lanes[0] = 1;
    for (uint32_t i = 0; i < 2 * SN_NEAR; ++i)
        c.index[i] = i / SN_NEAR;
    c.x[0] = (sn_vec4){real(distance), 0, 0, 1};
    c.x[1] = (sn_vec4){0, 0, 0, 3};
    c.v[0] = (sn_vec4){u.x, u.y, u.z, 1};
    c.v[1] = (sn_vec4){0, 0, 0, real(1.0 / 3)};
    c.reach[0] = 1;
    return c;
}

static double relative(const sn_vec4 *column, int k)
{
    return (double)(&column[0].x)[k] - (double)(&column[1].x)[k];
}

static sn_wide_contacts one_batch(crowd *c, bool bounces)
{
    sn_wide_contacts run = run_of(c);
    run.end = 1;
    run.bounces = bounces;
    return run;
}

static void projecting(void **state)
{
    (void)state;
    const double h = 1.0 / 600, tight = 20 * SUPPORT_ROUND_OFF;
    for (uint32_t which = 0; which < KERNELS; ++which) {
        const sn_wide_contact *kernels = kernels_of(which);
        if (!kernels)
            continue;
        crowd c = make_pair(1.001, vec(-0.6, 5, 0)); /* comes nearer, does not touch: left alone */
        sn_wide_contacts run = one_batch(&c, false);
        kernels->project(&run);
        assert_close(relative(c.v, 0), -0.6, tight);
        assert_true(c.normal_impulse[0] == 0);

        /* 0.6 mm in, 1 mm before that outside by 0.4 mm: stopped at the surface; friction 0.5 of what was pressed */
        c = make_pair(1 - 0.0006, vec(-0.6, 5, 0));
        run = one_batch(&c, false);
        kernels->project(&run);
        assert_close(c.normal_impulse[0], 0.0006, 1e-3 * tight);
        assert_close(relative(c.x, 0), 1, tight / 100);
        assert_close(relative(c.v, 0), -0.6 + 0.0006 / h, tight);
        assert_close(relative(c.v, 1), 5 - 0.4 * 0.0006 / h, tight); /* it slides: 0.4 */

        /* slow across: held */
        c = make_pair(1 - 0.0006, vec(-0.6, 0.1, 0));
        run = one_batch(&c, false);
        kernels->project(&run);
        assert_close(relative(c.v, 1), 0, tight);
        assert_close(c.tangent_impulse[SN_NEAR], -0.1 * h, 1e-3 * tight);

        /* deep in before and not approaching: parted by the cap, without a velocity */
        c = make_pair(0.9, vec(0, 0, 0));
        run = one_batch(&c, false);
        kernels->project(&run);
        assert_close(relative(c.x, 0), 0.9 + h, tight / 100);
        assert_close(relative(c.v, 0), 0, tight);
        assert_true(c.normal_impulse[0] == 0);

        /* less deep: by a share of what is beyond the slop */
        c = make_pair(0.995, vec(0, 0, 0));
        run = one_batch(&c, false);
        kernels->project(&run);
        assert_close(relative(c.x, 0), 0.995 + 0.2 * (0.005 - 0.002), tight / 100);

        /* pressed before and flying apart: gives back all of it, and no more */
        c = make_pair(1.01, vec(3, 0, 0));
        c.normal_impulse[0] = real(0.001);
        run = one_batch(&c, false);
        kernels->project(&run);
        assert_true(c.normal_impulse[0] == 0);
        assert_close(relative(c.v, 0), 3 - 0.001 / h, tight);
    }
}

static void warming_and_bouncing(void **state)
{
    (void)state;
    const double h = 1.0 / 600, tight = 20 * SUPPORT_ROUND_OFF;
    for (uint32_t which = 0; which < KERNELS; ++which) {
        const sn_wide_contact *kernels = kernels_of(which);
        if (!kernels)
            continue;
        crowd c = make_pair(1, vec(0, 0, 0)); /* at most twice the push before the last, friction with it */
        c.normal_impulse[0] = real(0.003), c.last[0] = real(0.001), c.tangent_impulse[SN_NEAR] = real(0.0006);
        sn_wide_contacts run = one_batch(&c, true);
        kernels->warm(&run);
        assert_close(c.normal_impulse[0], 0.002, 1e-3 * tight);
        assert_close(c.last[0], 0.003, 1e-3 * tight);
        assert_close(relative(c.v, 0), 0.002 / h, tight);
        assert_close(relative(c.v, 1), 0.0004 / h, tight);
        assert_close(relative(c.x, 0), 1.002, tight / 100);

        c = make_pair(1, vec(0, 0, 0)); /* a blow is not repeated */
        c.normal_impulse[0] = real(0.002);
        run = one_batch(&c, true);
        kernels->warm(&run);
        assert_true(c.normal_impulse[0] == 0 && relative(c.v, 0) == 0);

        /* restitution 0.6; slower than 0.1 m/s it only stops */
        for (int slow = 0; slow < 2; ++slow) {
            double v = slow ? 0.09 : 0.6;
            c = make_pair(1 - 0.00005, vec(-v, 0.01, 0));
            run = one_batch(&c, true);
            kernels->project(&run);
            assert_close(relative(c.v, 0), slow ? -0.09 + 0.00005 / h : 0.6 * 0.6, tight);
            assert_close(relative(c.v, 1), 0, tight);
        }
    }
}

/* What rounding drops of a place is kept: places and remainders together move by what velocities say. */
static void remainders_are_kept(void **state)
{
    (void)state;
    for (uint32_t which = 0; which < KERNELS; ++which) {
        if (!kernels_of(which))
            continue;
        crowd c = make_pair(1 - 0.0006, vec(-0.6, 0.1, 0));
        for (int i = 0; i < 2; ++i)
            c.x[i].x += 1000;
        double before[2] = {(double)c.x[0].x, (double)c.x[1].x}, v = (double)c.v[0].x;
        sn_wide_contacts run = one_batch(&c, false);
        kernels_of(which)->project(&run);
        double moved = (double)c.x[0].x - before[0] + (double)c.x_low[0].x, change = (double)c.v[0].x - v;
        assert_close(moved, change / 600, 1e-9);
        assert_close((double)c.x[1].x - before[1] + (double)c.x_low[1].x, (double)c.v[1].x / 600, 1e-9);
    }
}

/* ---- Planes
   ------------------------------------------------------------------------------------------------------------------ */

static sn_wide_plane plane_of(crowd *c, uint32_t lanes, uint64_t *seed)
{
    const sn_real h = (sn_real)1 / 600;
    sn_wide_plane run = {.lanes = lanes,
                         .x = c->x,
                         .x_low = c->x_low,
                         .v = c->v,
                         .normal = vec(0.6, 0.8, 0),
                         .velocity = vec(0.1, -0.2, 0.3),
                         .offset = real(0.25),
                         .h = h,
                         .inverse_h = 1 / h,
                         .part = h,
                         .ease = real(0.2),
                         .slop = real(0.002)};
    for (uint32_t i = 0; i < SN_NEAR; ++i) {
        run.slot[i] = i < lanes ? 3 * i : 0;
        bool was = support_random_below(seed, 2);
        run.radius[i] = in(seed, 0, 0.3);
        run.static_friction[i] = in(seed, 0, 1);
        run.dynamic_friction[i] = run.static_friction[i] / 2;
        run.normal_impulse[i] = was ? in(seed, 0, 1e-3) : 0;
        for (uint32_t k = 0; k < 3; ++k)
            run.tangent_impulse[k * SN_NEAR + i] = was ? in(seed, -1e-4, 1e-4) : 0;
        if (i < lanes) /* near the plane, at random along it */
            put_ball(c, run.slot[i],
                     vec(0.15 - 0.8 * i + 0.6 * (double)run.radius[i], 0.2 + 0.6 * i + 0.8 * (double)run.radius[i],
                         support_random_in(seed, -2e-3, 2e-3)),
                     seed);
    }
    return run;
}

static void planes_agree(void **state)
{
    (void)state;
    static crowd start, one, all;
    uint64_t seed = 9;
    for (uint32_t round = 0; round < 200; ++round) {
        fill(&start, &seed);
        uint32_t lanes = 1 + round % SN_NEAR;
        sn_wide_plane first = plane_of(&start, lanes, &seed);
        for (uint32_t which = 1; which < KERNELS; ++which) {
            if (!kernels_of(which))
                continue;
            one = all = start;
            sn_wide_plane a = first, b = first;
            a.x = one.x, a.x_low = one.x_low, a.v = one.v;
            b.x = all.x, b.x_low = all.x_low, b.v = all.v;
            sn_contact_scalar.plane(&a);
            kernels_of(which)->plane(&b);
            assert_memory_equal(one.x, all.x, sizeof one.x);
            assert_memory_equal(one.v, all.v, sizeof one.v);
            for (uint32_t i = 0; i < lanes; ++i) {
                assert_memory_equal(&a.normal_impulse[i], &b.normal_impulse[i], sizeof a.normal_impulse[i]);
                assert_memory_equal(&a.gap[i], &b.gap[i], sizeof a.gap[i]);
                for (uint32_t k = 0; k < 3; ++k)
                    assert_memory_equal(&a.tangent_impulse[k * SN_NEAR + i], &b.tangent_impulse[k * SN_NEAR + i],
                                        sizeof a.tangent_impulse[0]);
            }
            for (uint32_t i = 0; i < BALLS; ++i) /* others stay */
                if (i % 3 || i >= 3 * lanes)
                    assert_memory_equal(&start.x[i], &all.x[i], sizeof all.x[i]);
        }
    }
}

/* A ball that went 0.6 mm in with 0.6 m/s, on a floor that moves along at 1 m/s. */
static void plane_stops_and_rubs(void **state)
{
    (void)state;
    const double h = 1.0 / 600, tight = 20 * SUPPORT_ROUND_OFF;
    for (uint32_t which = 0; which < KERNELS; ++which) {
        if (!kernels_of(which))
            continue;
        crowd c;
        memset(&c, 0, sizeof c);
        c.x[0] = (sn_vec4){0, real(0.1 - 0.0006), 0, 2};
        c.v[0] = (sn_vec4){0, -real(0.6), 0, real(0.5)};
        sn_wide_plane run = {.lanes = 1,
                             .x = c.x,
                             .x_low = c.x_low,
                             .v = c.v,
                             .normal = vec(0, 1, 0),
                             .velocity = vec(1, 0, 0),
                             .h = real(h),
                             .inverse_h = real(1 / h),
                             .part = real(h),
                             .ease = real(0.2),
                             .slop = real(0.002),
                             .radius = {real(0.1)},
                             .static_friction = {real(0.5)},
                             .dynamic_friction = {real(0.4)}};
        kernels_of(which)->plane(&run);
        assert_close(run.gap[0], -0.0006, 1e-3 * tight);
        assert_close(run.normal_impulse[0], 0.0006, 1e-3 * tight);
        assert_close(c.x[0].y, 0.1, tight / 100);
        assert_close(c.v[0].y, -0.6 + 0.0006 / h, tight);
        assert_close(c.v[0].x, 0.4 * 0.0006 / h, tight); /* dragged along */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_agree), cmocka_unit_test(ranges_are_kept),      cmocka_unit_test(momentum_is_conserved),
        cmocka_unit_test(projecting),   cmocka_unit_test(warming_and_bouncing), cmocka_unit_test(remainders_are_kept),
        cmocka_unit_test(planes_agree), cmocka_unit_test(plane_stops_and_rubs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

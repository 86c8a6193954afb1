/* Which features are near: at no width is one left out that is nearer than was asked for, whatever its shape, and few are found that are much farther away. */
#include "support/support.h"

#include "contact/surface_contacts.h"
#include "wide/wide.h"

#define STRIDE 96u

typedef struct shapes {
    sn_real at[9 * STRIDE];
    sn_vec3 corner[STRIDE][3];
    sn_wide_features of;
} shapes;

static sn_vec3 somewhere(uint64_t *seed, double size)
{
    return vec(support_random_in(seed, -size, size), support_random_in(seed, -size, size),
               support_random_in(seed, -size, size));
}

/* Triangles and edges with sides of about 1 in a box of 4: as they come, thin, short, parallel to the first, or points. */
static void fill(shapes *s, uint64_t *seed, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t sort = support_random_below(seed, 6);
        const double size = sort == 1 ? 1e-3 : sort == 2 ? 1e-7 : 1;
        sn_vec3 *c = s->corner[i];
        c[0] = somewhere(seed, 2);
        c[1] = vec3_add(c[0], somewhere(seed, size));
        c[2] = vec3_add(c[0], somewhere(seed, size));
        if (sort == 3) /* thin */
            c[2] = vec3_add(c[1], vec3_scale(somewhere(seed, 1), real(pow(10, -support_random_in(seed, 0, 7)))));
        if (sort == 4) /* nearly along the first */
            c[1] = vec3_add(c[0], vec3_add(vec3_sub(s->corner[0][1], s->corner[0][0]),
                                           somewhere(seed, pow(10, -support_random_in(seed, 0, 7)))));
    }
    for (uint32_t i = 0; i < (count + 15) / 16 * 16; ++i)
        for (uint32_t k = 0; k < 9; ++k)
            s->at[k * STRIDE + i] = (&s->corner[i < count ? i : count - 1][k / 3].x)[k % 3];
    s->of = (sn_wide_features){s->at, STRIDE, count};
}

static double distance(bool edges, const sn_vec3 *one, const sn_vec3 *other)
{
    sn_dvec3 x[4];
    for (uint32_t k = 0; k < 4; ++k)
        x[k] = dvec3_from(edges ? (k < 2 ? one[k] : other[k - 2]) : (k ? other[k - 1] : one[0]));
    return sn_surface_nearest(edges, x).distance;
}

static void nothing_near_is_left_out(void **state)
{
    (void)state;
    static shapes s;
    uint64_t seed = 22;
    uint32_t asked = 0, kept = 0;
    for (uint32_t n = 0; n < support_rounds(100000, 20000); ++n) {
        const bool edges = n % 2;
        const double far = support_random_in(&seed, 0.02, 0.6);
        const uint32_t count = 1 + support_random_below(&seed, STRIDE), first = support_random_below(&seed, count);
        fill(&s, &seed, count);
        sn_vec3 one[2] = {somewhere(&seed, 2)};
        one[1] = vec3_add(one[0], n % 6 == 1 ? vec3_sub(s.corner[0][1], s.corner[0][0]) : somewhere(&seed, 1));
        /* as surface_pairs.c asks: tiles of this size, which is that of the box */
        const sn_wide_nearness run = {&s.of, real(far * 1.01 + 8e-5), real(2.5e-4 * 64)};
        for (int simd = SN_SIMD_AUTO; simd <= SN_SIMD_16; ++simd) {
            const sn_wide *wide = simd == SN_SIMD_AUTO ? NULL : sn_wide_choose((sn_simd)simd);
            const sn_wide_near *near = wide ? wide->near : &sn_near_scalar;
            uint16_t found[STRIDE];
            const uint32_t total = (edges ? near->edges : near->triangles)(&run, one, first, found);
            uint32_t at = 0;
            for (uint32_t i = first; i < count; ++i) {
                const bool is_found = at < total && found[at] == i;
                const double apart = distance(edges, one, s.corner[i]);
                assert_true(is_found || apart >= far);
                at += is_found;
                const sn_vec3 *c = s.corner[i];
                const double side = (double)vec3_length(vec3_sub(c[1], c[0]));
                const bool plain = side > 0.3 && (edges || (double)vec3_length(vec3_sub(c[2], c[0])) > 0.3);
                asked += plain && apart > 1.3 * far + 0.05;
                kept += plain && is_found && apart > 1.3 * far + 0.05;
            }
            assert_int_equal(at, total); /* in their order, and none twice */
        }
    }
    assert_true(asked > 10000 && kept < asked / 50);
}

/* Boxes around an edge or a point and where it goes, seen from what both sides add to their mean: in double precision, as a reference. */
static bool boxes_meet(const sn_vec3 one[5], const sn_vec3 other[5], double by)
{
    for (uint32_t k = 0; k < 3; ++k) {
        double low[2], high[2];
        const double with = (double)(&one[4].x)[k] + (double)(&other[4].x)[k];
        for (uint32_t n = 0; n < 2; ++n) {
            const sn_vec3 *five = n ? other : one;
            low[n] = fmin((double)(&five[0].x)[k], (double)(&five[2].x)[k] - with);
            high[n] = fmax((double)(&five[1].x)[k], (double)(&five[3].x)[k] - with);
        }
        if (low[0] - by > high[1] || low[1] - by > high[0])
            return false;
    }
    return true;
}

static void take_sweep(uint64_t *seed, sn_vec3 five[5])
{
    five[0] = somewhere(seed, 2);
    five[2] = vec3_add(five[0], somewhere(seed, 1));
    five[1] = vec3_add(five[0], vec3(1, real(0.2), 0));
    five[3] = vec3_add(five[2], vec3(real(0.5), 0, 1));
    five[4] = somewhere(seed, 1);
}

static void ways_that_cross_are_found(void **state)
{
    (void)state;
    static sn_real at[15 * STRIDE];
    static sn_vec3 other[STRIDE][5];
    uint64_t seed = 7;
    uint32_t there = 0, total = 0;
    for (uint32_t n = 0; n < support_rounds(2000, 300); ++n) {
        const uint32_t count = 1 + support_random_below(&seed, STRIDE), first = support_random_below(&seed, count);
        const double far = support_random_in(&seed, 0, 0.2);
        const sn_wide_features of = {at, STRIDE, count};
        const sn_wide_nearness run = {&of, real(far + 1e-5), 0};
        sn_vec3 one[5];
        take_sweep(&seed, one);
        for (uint32_t i = 0; i < STRIDE; ++i) {
            take_sweep(&seed, other[i]);
            for (uint32_t k = 0; k < 15; ++k)
                at[k * STRIDE + i] = (&other[i][k % 5].x)[k / 5];
        }
        for (int simd = SN_SIMD_AUTO; simd <= SN_SIMD_16; ++simd) {
            const sn_wide *wide = simd == SN_SIMD_AUTO ? NULL : sn_wide_choose((sn_simd)simd);
            uint16_t found[STRIDE];
            const uint32_t all = (wide ? wide->near : &sn_near_scalar)->sweeps(&run, one, first, found);
            uint32_t k = 0;
            for (uint32_t i = first; i < count; ++i) {
                const bool is_found = k < all && found[k] == i;
                k += is_found;
                assert_true(is_found || !boxes_meet(one, other[i], far));
                assert_true(!is_found || boxes_meet(one, other[i], far + 1e-4));
                there += is_found;
                total++;
            }
            assert_int_equal(k, all);
        }
    }
    assert_true(there > total / 50 && there < total);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_near_is_left_out),
                                       cmocka_unit_test(ways_that_cross_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_near_is_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

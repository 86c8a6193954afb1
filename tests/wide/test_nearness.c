/* Which features are near: at no width is one left out that is nearer than was asked for, whatever its shape, and few
   are found that are much farther away. */
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

/* Triangles and edges with sides of about 1 in a box of 4: as they come, thin, short, parallel to the first, or points.
   */
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
        /* as surface_listing.c asks: tiles of this size, which is that of the box */
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

/* Boxes around an edge or a point and where it goes, seen from what both sides add to their mean: in double precision,
   as a reference. */
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

/* Features that go far, and room for what is noted of them. */
typedef struct swept {
    sn_vec3 five[STRIDE][5];
    sn_real rows[SN_WIDE_SWEEP_ROWS * STRIDE], around[6 * STRIDE];
    uint16_t near[STRIDE], group[STRIDE];
    sn_wide_sweeps of;
} swept;

static void take_sweeps(swept *s, uint64_t *seed, uint32_t count, sn_real with[4][3])
{
    for (uint32_t i = 0; i < STRIDE; ++i) {
        take_sweep(seed, s->five[i]);
        for (uint32_t k = 0; k < SN_WIDE_SWEEP_ROWS; ++k)
            s->rows[k * STRIDE + i] = (&s->five[i][k / 3].x)[k % 3];
        for (uint32_t k = 0; k < 3 && i < count; ++k) {
            const sn_real way = (&s->five[i][4].x)[k];
            with[2][k] = i && with[2][k] < way ? with[2][k] : way;
            with[3][k] = i && with[3][k] > way ? with[3][k] : way;
        }
    }
    s->of = (sn_wide_sweeps){
        .rows = s->rows, .stride = STRIDE, .count = count, .around = s->around, .near = s->near, .group = s->group};
}

/* One feature with many: what is around it, seen from all mean ways that there are, is the box that others have to come
   to. */
static uint32_t find_ways(const sn_wide_near *functions, swept *one, swept *others, sn_real box[4][3], double far,
                          uint32_t first, uint16_t *found)
{
    for (uint32_t k = 0; k < 3; ++k)
        box[0][k] = real(-1e6), box[1][k] = real(1e6);
    functions->reaching(&one->of, (const sn_real(*)[3])box);
    assert_int_equal(one->of.near_count, 1);
    for (uint32_t k = 0; k < 3; ++k) {
        box[0][k] = one->around[k * STRIDE] - real(far);
        box[1][k] = one->around[(3 + k) * STRIDE] + real(far);
    }
    functions->reaching(&others->of, (const sn_real(*)[3])box);
    return functions->sweeps(&one->of, 0, &others->of, real(far), first, found);
}

static void ways_that_cross_are_found(void **state)
{
    (void)state;
    static swept one, others;
    uint64_t seed = 7;
    uint32_t there = 0, total = 0, near = 0;
    for (uint32_t n = 0; n < support_rounds(2000, 300); ++n) {
        const uint32_t count = 1 + support_random_below(&seed, STRIDE), first = support_random_below(&seed, count);
        const double far = support_random_in(&seed, 0, 0.2);
        sn_real own[4][3], box[4][3];
        take_sweeps(&one, &seed, 1, own);
        take_sweeps(&others, &seed, count, box);
        for (uint32_t k = 0; k < 6; ++k)
            box[2 + k / 3][k % 3] += own[2 + k / 3][k % 3];
        for (int simd = SN_SIMD_AUTO; simd <= SN_SIMD_16; ++simd) {
            const sn_wide *wide = simd == SN_SIMD_AUTO ? NULL : sn_wide_choose((sn_simd)simd);
            uint16_t found[STRIDE];
            const uint32_t all =
                find_ways(wide ? wide->near : &sn_near_scalar, &one, &others, box, far + 1e-5, first, found);
            uint32_t k = 0, reached = 0;
            for (uint32_t i = 0; i < count; ++i) {
                const bool is_found = k < all && found[k] == i,
                           reaches = reached < others.of.near_count && others.near[reached] == i,
                           meets = boxes_meet(one.five[0], others.five[i], far);
                k += is_found;
                reached += reaches;
                assert_true(reaches || !meets);
                assert_true(is_found || i < first || !meets);
                assert_true(!is_found || (i >= first && boxes_meet(one.five[0], others.five[i], far + 1e-4)));
                there += is_found;
                near += reaches;
                total++;
            }
            assert_int_equal(k, all);
            assert_int_equal(reached, others.of.near_count);
        }
    }
    assert_true(there > total / 100 && there < near && near < total);
}

/* Four corners somewhere: a vertex and a triangle, or two edges. Thin, short, parallel, in one plane, or nearly
   touching. */
static void take_couple(uint64_t *seed, bool edges, sn_vec3 x[4])
{
    const uint32_t sort = support_random_below(seed, 8), second = edges ? 2 : 1;
    const double small = pow(10, -support_random_in(seed, 0, 7));
    const sn_vec3 from = somewhere(seed, sort == 0 ? 100 : 1);
    const double large = support_random_below(seed, 4) ? 1 : pow(10, support_random_in(seed, 0, 8));
    for (uint32_t k = 0; k < 4; ++k)
        x[k] = vec3_add(from, somewhere(seed, sort == 1 ? small : 1));
    if (sort == 2) /* a triangle that is nearly a line, an edge that is nearly a point */
        x[3] = vec3_add(x[2], somewhere(seed, small));
    if (sort == 3) /* nearly parallel edges, or two corners at nearly the same place */
        x[3] = vec3_add(edges ? vec3_add(x[2], vec3_sub(x[1], x[0])) : x[1], somewhere(seed, small));
    if (sort == 4 || sort == 5) { /* nearly touching: a spot of the one is put onto a spot of the other */
        const double s = support_random_in(seed, 0, 1), t = support_random_in(seed, 0, 1);
        const sn_vec3 one = edges ? vec3_add(x[0], vec3_scale(vec3_sub(x[1], x[0]), real(s))) : x[0];
        const sn_vec3 two = vec3_add(x[2], vec3_scale(vec3_sub(x[3], x[2]), real(t)));
        const sn_vec3 by = vec3_add(vec3_sub(two, one), somewhere(seed, small));
        for (uint32_t k = 0; k < second; ++k)
            x[k] = vec3_add(x[k], by);
    }
    if (sort == 6) /* one is very small against how far away it is */
        for (uint32_t k = 0; k < second; ++k)
            x[k] = vec3_add(vec3_add(from, vec3(1, 1, 0)), somewhere(seed, small));
    for (uint32_t k = 0; k < 4; ++k) {
        if (sort == 7) /* in one plane */
            x[k].z = from.z;
        x[k] = vec3_scale(x[k], real(large));
    }
}

static void bounds_of_distances_hold(void **state)
{
    (void)state;
    static sn_real places[9 * SN_WIDE_COUPLES], low[SN_WIDE_COUPLES], high[SN_WIDE_COUPLES], inner[SN_WIDE_COUPLES],
        differ[SN_WIDE_COUPLES];
    static sn_vec3 x[SN_WIDE_COUPLES][4];
    uint64_t seed = 3;
    uint32_t close = 0, all = 0;
    for (uint32_t n = 0; n < support_rounds(40000, 4000); ++n) {
        const bool edges = n % 2;
        for (uint32_t i = 0; i < SN_WIDE_COUPLES; ++i) {
            take_couple(&seed, edges, x[i]);
            for (uint32_t k = 0; k < 9; ++k)
                places[k * SN_WIDE_COUPLES + i] = (&x[i][1 + k / 3].x)[k % 3] - (&x[i][0].x)[k % 3];
        }
        for (int simd = SN_SIMD_AUTO; simd <= SN_SIMD_16; ++simd) {
            const sn_wide *wide = simd == SN_SIMD_AUTO ? NULL : sn_wide_choose((sn_simd)simd);
            const sn_wide_near *near = wide ? wide->near : &sn_near_scalar;
            near->couples(&(sn_wide_couples){places, SN_WIDE_COUPLES, edges, low, high, inner});
            near->differences(
                &(sn_wide_couples){.places = places, .count = SN_WIDE_COUPLES, .edges = edges, .high = differ});
            for (uint32_t i = 0; i < SN_WIDE_COUPLES; ++i) {
                sn_dvec3 at[4];
                double size = 0, most = 0;
                for (uint32_t k = 0; k < 4; ++k)
                    at[k] = dvec3_from(x[i][k]);
                for (uint32_t k = 0; k < 4; ++k)
                    size = fmax(size, dvec3_length(dvec3_sub(at[k], at[0])));
                for (uint32_t k = edges ? 2 : 1; k < 4; ++k)
                    for (uint32_t m = 0; m < (edges ? 2u : 1u); ++m)
                        most = fmax(most, dvec3_length(dvec3_sub(at[k], at[m])));
                const sn_surface_nearest_points spots = sn_surface_nearest(edges, at);
                assert_true((double)low[i] <= spots.distance && (double)high[i] >= spots.distance);
                assert_true(!edges || inner[i] != 0 || spots.inner != 0);
                assert_true(fabs((double)differ[i] - most) <= 1e-5 * (most + size));
                close += (double)low[i] > 0.97 * spots.distance - 1e-3 * size &&
                         (double)high[i] < 1.03 * spots.distance + 1e-3 * size;
                all++;
            }
        }
    }
    assert_true(close > all / 3 * 2);
}

/* What is left of vectors at corners beside a motion like that of something rigid, and boxes, by plain sums. */
static void corners_are_summed_up(void **state)
{
    (void)state;
    static sn_wide_corners c;
    uint64_t seed = 9;
    for (uint32_t n = 0; n < support_rounds(4000, 500); ++n) {
        const sn_vec3 centre = somewhere(&seed, 1), mean = somewhere(&seed, 1), spin = somewhere(&seed, 1);
        sn_vec3 place[SN_WIDE_CORNERS], to[SN_WIDE_CORNERS];
        double rest = 0, radius = 0, sum = 0, turn = 0, least = HUGE_VAL, size = 0;
        c.count = 1 + support_random_below(&seed, SN_WIDE_CORNERS);
        c.displacements = n % 2;
        for (uint32_t i = 0; i < (c.count + SN_BATCH - 1) / SN_BATCH * SN_BATCH; ++i) {
            const bool there = i < c.count;
            place[i] = there ? somewhere(&seed, 1) : place[0];
            to[i] = there ? somewhere(&seed, 2) : to[0];
            const double weight = support_random_in(&seed, -1, 1);
            const sn_real row[SN_WIDE_CORNER_ROWS] = {
                place[i].x, place[i].y, place[i].z, to[i].x, to[i].y, to[i].z, real(there ? weight : 0),
                0,          real(there)};
            for (uint32_t k = 0; k < SN_WIDE_CORNER_ROWS; ++k)
                c.rows[k * SN_WIDE_CORNERS + i] = row[k];
            if (!there)
                continue;
            const sn_vec3 y = vec3_sub(place[i], centre), moves = c.displacements ? vec3_sub(to[i], place[i]) : to[i],
                          left = vec3_sub(vec3_sub(moves, mean), vec3_cross(spin, y));
            rest = fmax(rest, (double)vec3_dot(left, left));
            radius = fmax(radius, (double)vec3_dot(y, y));
            sum += (double)moves.y;
            turn += (double)real(weight) * (double)moves.z;
            least = fmin(least, (double)(c.displacements ? to[i] : place[i]).x);
            size += 1;
        }
        for (int simd = SN_SIMD_AUTO; simd <= SN_SIMD_16; ++simd) {
            const sn_wide *wide = simd == SN_SIMD_AUTO ? NULL : sn_wide_choose((sn_simd)simd);
            const sn_wide_near *near = wide ? wide->near : &sn_near_scalar;
            near->corners(&c);
            near->rest(&c, centre, mean, spin);
            assert_true(fabs((double)c.rest - rest) < 1e-5 * rest && fabs((double)c.radius - radius) < 1e-5 * radius);
            assert_true(fabs((double)c.vector.y - sum) < 1e-5 * size && fabs((double)c.dv.z) < 1e-12);
            assert_true(fabs((double)c.du.z - turn) < 1e-5 * size);
            assert_true((double)c.box.low.x == least); /* NOLINT */
        }
    }
}

/* The numbers of deformation gradients, one triangle at a time. */
static void gradients_are_bounded(void **state)
{
    (void)state;
    static sn_wide_gradients g;
    uint64_t seed = 10;
    for (uint32_t n = 0; n < support_rounds(4000, 500); ++n) {
        double least[6], most[6];
        for (uint32_t k = 0; k < 6; ++k)
            least[k] = HUGE_VAL, most[k] = -HUGE_VAL;
        g.count = 1 + support_random_below(&seed, SN_WIDE_GRADIENTS);
        for (uint32_t i = 0; i < (g.count + SN_BATCH - 1) / SN_BATCH * SN_BATCH; ++i)
            for (uint32_t k = 0; k < SN_WIDE_GRADIENT_ROWS; ++k)
                g.rows[k][i] = i < g.count ? real(support_random_in(&seed, -1, 1)) : g.rows[k][0];
        for (uint32_t i = 0; i < g.count; ++i)
            for (uint32_t k = 0; k < 6; ++k) {
                const double number = (double)g.rows[k % 3][i] * (double)g.rows[6 + k / 3][i] +
                                      (double)g.rows[3 + k % 3][i] * (double)g.rows[8 + k / 3][i];
                least[k] = fmin(least[k], number);
                most[k] = fmax(most[k], number);
            }
        for (int simd = SN_SIMD_AUTO; simd <= SN_SIMD_16; ++simd) {
            const sn_wide *wide = simd == SN_SIMD_AUTO ? NULL : sn_wide_choose((sn_simd)simd);
            (wide ? wide->near : &sn_near_scalar)->gradients(&g);
            for (uint32_t k = 0; k < 6; ++k)
                assert_true(fabs((double)g.least[k] - least[k]) < 1e-6 && fabs((double)g.most[k] - most[k]) < 1e-6);
        }
    }
}

static void numbers_up_to_a_limit_are_found(void **state)
{
    (void)state;
    static sn_real number[SN_WIDE_BELOW];
    uint64_t seed = 7;
    for (uint32_t n = 0; n < 300; ++n) {
        const uint32_t count = support_random_below(&seed, SN_WIDE_BELOW + 1);
        const sn_real most = real(support_random_in(&seed, -1.2, 1.2));
        for (uint32_t i = 0; i < count; ++i)
            number[i] = support_random_below(&seed, 8) ? real(support_random_in(&seed, -1, 1)) : most;
        for (int simd = SN_SIMD_AUTO; simd <= SN_SIMD_16; ++simd) {
            const sn_wide *wide = simd == SN_SIMD_AUTO ? NULL : sn_wide_choose((sn_simd)simd);
            uint16_t found[SN_WIDE_BELOW];
            uint32_t total, at = 0;
            sn_real least = real(HUGE_VAL);
            const sn_real left = (wide ? wide->near : &sn_near_scalar)->below(number, count, most, found, &total);
            for (uint32_t i = 0; i < count; ++i)
                if (number[i] <= most)
                    assert_int_equal(found[at++], i);
                else
                    least = number[i] < least ? number[i] : least;
            assert_int_equal(total, at);
            assert_true(left == least);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_near_is_left_out),  cmocka_unit_test(bounds_of_distances_hold),
        cmocka_unit_test(ways_that_cross_are_found), cmocka_unit_test(corners_are_summed_up),
        cmocka_unit_test(gradients_are_bounded),     cmocka_unit_test(numbers_up_to_a_limit_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

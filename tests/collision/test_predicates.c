/* Exact predicates against arithmetic in whole numbers. */
#include "support/support.h"

#include "collision/predicates.h"

#include <math.h>

__extension__ typedef __int128 whole;

static int sign(whole x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

static int volume_sign(int64_t p[4][3])
{
    whole u[3][3];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            u[i][k] = p[i][k] - p[3][k];
    return sign(u[0][0] * (u[1][1] * u[2][2] - u[1][2] * u[2][1]) + u[0][1] * (u[1][2] * u[2][0] - u[1][0] * u[2][2]) +
                u[0][2] * (u[1][0] * u[2][1] - u[1][1] * u[2][0]));
}

/* Four points nearly, or exactly, in a plane: multiples of two edges, and a nudge in the last place. Whole numbers
   below 2^40, as doubles. */
static void nearly_flat(uint64_t *seed, int64_t p[4][3])
{
    int64_t edge[2][3], from[3];
    for (int k = 0; k < 3; ++k) {
        from[k] = (int64_t)support_random_below(seed, 1u << 31);
        for (int i = 0; i < 2; ++i)
            edge[i][k] = (int64_t)support_random_below(seed, 1u << 24) - (1 << 23);
    }
    for (int i = 0; i < 4; ++i) {
        const int64_t a = (int64_t)support_random_below(seed, 33) - 16,
                      b = (int64_t)support_random_below(seed, 33) - 16;
        for (int k = 0; k < 3; ++k)
            p[i][k] = from[k] + a * edge[0][k] + b * edge[1][k];
    }
    if (support_random_below(seed, 2))
        p[support_random_below(seed, 4)][support_random_below(seed, 3)] += (int64_t)support_random_below(seed, 3) - 1;
}

static void sides_are_exact(void **state)
{
    (void)state;
    uint64_t seed = 3;
    uint32_t flat = 0;
    for (uint32_t i = 0, rounds = support_rounds(160000, 2000); i < rounds; ++i) {
        int64_t p[4][3];
        double x[4][3], scale = ldexp(1, (int)support_random_below(&seed, 120) - 60);
        nearly_flat(&seed, p);
        for (int j = 0; j < 12; ++j)
            x[j / 3][j % 3] = (double)p[j / 3][j % 3] * scale;
        const int right = volume_sign(p);
        flat += right == 0;
        assert_int_equal(sn_orient_3d(x[0], x[1], x[2], x[3]), right);
        assert_int_equal(sn_orient_3d(x[1], x[0], x[2], x[3]), -right);
        assert_int_equal(sn_orient_3d(x[3], x[0], x[1], x[2]), -right);
        for (int k = 0; k < 3; ++k) {
            const int u = (k + 1) % 3, v = (k + 2) % 3;
            const whole area =
                (whole)(p[0][u] - p[2][u]) * (p[1][v] - p[2][v]) - (whole)(p[0][v] - p[2][v]) * (p[1][u] - p[2][u]);
            assert_int_equal(sn_orient_2d(x[0], x[1], x[2], k), sign(area));
        }
    }
    assert_true(flat > 100);
}

/* ---- Intersections
   --------------------------------------------------------------------------------------------------------- */

static void cross(const int64_t *a, const int64_t *b, int64_t *to)
{
    for (int k = 0; k < 3; ++k)
        to[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static bool is_parted_by(int64_t p[6][3], int first, int count, const int64_t *n)
{
    int64_t least[2] = {INT64_MAX, INT64_MAX}, most[2] = {INT64_MIN, INT64_MIN};
    for (int i = 0; i < count; ++i) {
        const int64_t along = n[0] * p[i][0] + n[1] * p[i][1] + n[2] * p[i][2];
        const int side = i >= first;
        least[side] = along < least[side] ? along : least[side];
        most[side] = along > most[side] ? along : most[side];
    }
    return most[0] < least[1] || most[1] < least[0];
}

/* Two convex hulls, of the first points and of the others, are disjoint if a plane parts them; the shortest way between
   them is one of: between two points, across an edge towards a point, across two edges. All of these are tried, in
   whole numbers. */
static bool are_apart(int64_t p[6][3], int first, int count)
{
    int64_t d[15][3], n[3], m[3];
    int differences = 0;
    for (int i = 0; i < count; ++i)
        for (int j = i + 1; j < count; ++j, ++differences)
            for (int k = 0; k < 3; ++k)
                d[differences][k] = p[j][k] - p[i][k];
    for (int i = 0; i < differences; ++i) {
        if (is_parted_by(p, first, count, d[i]))
            return true;
        for (int j = 0; j < differences; ++j) {
            cross(d[i], d[j], n);
            cross(n, d[i], m);
            if (is_parted_by(p, first, count, n) || is_parted_by(p, first, count, m))
                return true;
        }
    }
    return false;
}

static void random_points(uint64_t *seed, int64_t p[6][3])
{
    const uint32_t size = 2 + support_random_below(seed, 4), flat = support_random_below(seed, 3);
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 3; ++k)
            p[i][k] = flat == 0 && k == 2 ? p[i][0] + p[i][1] : (int64_t)support_random_below(seed, size);
}

/* Small whole numbers, a third of them in one plane: touching, coplanar and degenerate triangles are as frequent as
   others. */
static void intersections_are_exact(void **state)
{
    (void)state;
    static const int none[3] = {-1, -1, -1};
    uint64_t seed = 4;
    uint32_t yes = 0, rounds = support_rounds(80000, 1000);
    for (uint32_t i = 0; i < rounds; ++i) {
        int64_t p[6][3];
        double x[6][3];
        random_points(&seed, p);
        for (int j = 0; j < 18; ++j)
            x[j / 3][j % 3] = (double)p[j / 3][j % 3] * 0x1p-20 + 0x1p10; /* exact */
        const bool apart = are_apart(p, 3, 6);
        yes += !apart;
        assert_int_equal(sn_triangles_intersect((const double(*)[3])x, (const double(*)[3])(x + 3), none), !apart);
        assert_int_equal(sn_triangles_intersect((const double(*)[3])(x + 3), (const double(*)[3])x, none), !apart);
        assert_int_equal(sn_segment_intersects_triangle(x[0], x[1], x[2], x[3], x[4]), !are_apart(p, 2, 5));
        assert_int_equal(sn_segments_intersect(x[0], x[1], x[2], x[3]), !are_apart(p, 2, 4));
    }
    assert_true(yes > rounds / 10 && yes < rounds - rounds / 10);
}

/* What is shared does not count; what reaches beyond it does. */
static void shared_corners_are_left_out(void **state)
{
    (void)state;
    const double a[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const double opposite[3][3] = {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}},
                 through[3][3] = {{0, 0, 0}, {1, 1, 1}, {1, 1, -1}};
    const double beside[3][3] = {{0, 0, 0}, {0.5, 0.25, 0}, {2, 1, 5}}, over[3][3] = {{0, 0, 0}, {2, 1, 0}, {1, 2, 0}};
    const double hinge[3][3] = {{1, 0, 0}, {0, 1, 0}, {1, 1, 1}}, flat[3][3] = {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const double folded[3][3] = {{1, 0, 0}, {0, 1, 0}, {-1, -1, 0}}, line[3][3] = {{1, 0, 0}, {0, 1, 0}, {0.5, 0.5, 0}};
    const int corner[3] = {0, -1, -1}, edge[3] = {-1, 0, 1}, all[3] = {0, 1, 2}, none[3] = {-1, -1, -1};
    assert_false(sn_triangles_intersect(a, opposite, corner));
    assert_true(sn_triangles_intersect(a, opposite, none)); /* other particles in the same place touch */
    assert_true(sn_triangles_intersect(a, through, corner));
    assert_true(sn_triangles_intersect(a, beside, corner)); /* an edge of it lies in the other */
    assert_true(sn_triangles_intersect(a, over, corner));
    assert_false(sn_triangles_intersect(a, hinge, edge));
    assert_false(sn_triangles_intersect(a, flat, edge));
    assert_true(sn_triangles_intersect(a, folded, edge));
    assert_false(sn_triangles_intersect(a, line, edge));
    assert_false(sn_triangles_intersect(a, a, all));
    assert_true(sn_triangles_intersect(a, a, none));
}

/* A gap of one last place is a gap. */
static void the_least_gap_counts(void **state)
{
    (void)state;
    const double a[3][3] = {{0.1, 0.1, 0.3}, {1.1, 0.1, 0.3}, {0.1, 1.1, 0.3}}, above = nextafter(0.3, 1);
    double p[3] = {0.3, 0.3, 1}, q[3] = {0.3, 0.3, above};
    assert_false(sn_segment_intersects_triangle(p, q, a[0], a[1], a[2]));
    q[2] = 0.3;
    assert_true(sn_segment_intersects_triangle(p, q, a[0], a[1], a[2]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sides_are_exact), cmocka_unit_test(intersections_are_exact),
                                       cmocka_unit_test(shared_corners_are_left_out),
                                       cmocka_unit_test(the_least_gap_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

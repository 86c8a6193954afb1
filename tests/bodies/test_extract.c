/* The rotation inside of a matrix: the best of all, whatever the guess, and sensible where several are equally good. */
#include "support/support.h"

#include "bodies/extract.h"

#include <math.h>
#include <string.h>

static double goodness(const sn_mat3 *a, const double q[4])
{
    sn_mat3 r = sn_rotation_matrix(q);
    double sum = 0;
    for (int i = 0; i < 9; ++i)
        sum += r.m[i / 3][i % 3] * a->m[i / 3][i % 3];
    return sum;
}

static void random_rotation(uint64_t *seed, double q[4])
{
    double length2;
    do {
        length2 = 0;
        for (int i = 0; i < 4; ++i) {
            q[i] = support_random_in(seed, -1, 1);
            length2 += q[i] * q[i];
        }
    } while (length2 < 0.01 || length2 > 1);
    for (int i = 0; i < 4; ++i)
        q[i] /= sqrt(length2);
}

/* r diag(stretch), by columns of a second rotation: r u diag(stretch) u^T */
static sn_mat3 compose(const double r[4], const double u[4], const double stretch[3])
{
    sn_mat3 turn = sn_rotation_matrix(r), axes = sn_rotation_matrix(u), s, a;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            s.m[i][j] = 0;
            for (int k = 0; k < 3; ++k)
                s.m[i][j] += axes.m[i][k] * stretch[k] * axes.m[j][k];
        }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            a.m[i][j] = 0;
            for (int k = 0; k < 3; ++k)
                a.m[i][j] += turn.m[i][k] * s.m[k][j];
        }
    return a;
}

/* The angle between two rotations. */
static double angle(const double a[4], const double b[4])
{
    double cosine = 0, x = 0;
    for (int i = 0; i < 4; ++i)
        cosine += a[i] * b[i];
    for (int i = 0; i < 4; ++i) {
        double d = a[i] - (cosine < 0 ? -b[i] : b[i]);
        x += d * d;
    }
    return 2 * sqrt(x);
}

static void check_length(const double q[4])
{
    assert_close(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14);
}

/* A stretched rotation gives it back from any guess, however thin it is, at any size. */
static void test_finds_the_rotation(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (uint32_t n = 0; n < support_rounds(20000, 2000); ++n) {
        double r[4], u[4], q[4] = {0, 0, 0, 0}, scale = pow(10, support_random_in(&seed, -20, 20));
        double thin = n % 3 ? 1 : pow(10, support_random_in(&seed, -4, 0));
        double stretch[3] = {scale * support_random_in(&seed, 0.3, 2), scale * support_random_in(&seed, 0.3, 2) * thin,
                             scale * support_random_in(&seed, 0, 1) * thin};
        random_rotation(&seed, r);
        random_rotation(&seed, u);
        sn_mat3 a = compose(r, u, stretch);
        if (n % 4 == 1)
            random_rotation(&seed, q);
        if (n % 4 == 2)
            memcpy(q, r, sizeof q);
        assert_true(sn_extract_rotation(&a, q));
        check_length(q);
        assert_close(angle(q, r), 0, 1e-11 + 1e-14 / thin);
    }
}

/* Any matrix: nothing nearby or far away is better, and the guess does not matter. */
static void test_is_best(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (uint32_t n = 0; n < support_rounds(5000, 500); ++n) {
        sn_mat3 a;
        double q[4] = {0, 0, 0, 0}, other[4];
        for (int i = 0; i < 9; ++i)
            a.m[i / 3][i % 3] = support_random_in(&seed, -1, 1);
        assert_true(sn_extract_rotation(&a, q));
        check_length(q);
        double best = goodness(&a, q);
        for (int k = 0; k < 50; ++k) {
            random_rotation(&seed, other);
            if (k % 2) { /* close by */
                double length2 = 0;
                for (int i = 0; i < 4; ++i) {
                    other[i] = q[i] + 1e-3 * other[i];
                    length2 += other[i] * other[i];
                }
                for (int i = 0; i < 4; ++i)
                    other[i] /= sqrt(length2);
            }
            assert_true(goodness(&a, other) <= best + 1e-13);
        }
        random_rotation(&seed, other);
        assert_true(sn_extract_rotation(&a, other));
        assert_close(goodness(&a, other), best, 1e-13);
    }
}

/* A guess that is off by 180 degrees stands on a saddle, or in the valley. Exactly there it must still come off. */
static void test_half_a_turn(void **state)
{
    (void)state;
    const double none[4] = {0, 0, 0, 1};
    for (int axis = 0; axis < 3; ++axis)
        for (int shape = 0; shape < 3; ++shape) {
            double guess[4] = {0, 0, 0, 0};
            sn_mat3 a = {{{3, 0, 0}, {0, 2, 0}, {0, 0, shape == 2 ? 0 : 1}}};
            if (shape == 1) /* a sphere: all axes alike */
                a.m[0][0] = a.m[1][1] = 1;
            guess[axis] = 1;
            assert_true(sn_extract_rotation(&a, guess));
            assert_close(angle(guess, none), 0, 1e-14);
        }
    uint64_t seed = 6;
    for (int n = 0; n < 1000; ++n) { /* and near it, in any direction */
        double r[4], u[4], q[4];
        const double stretch[3] = {1, 0.7, 0.4};
        random_rotation(&seed, r);
        random_rotation(&seed, u);
        sn_mat3 a = compose(r, u, stretch), axes = sn_rotation_matrix(u);
        const double v[3] = {axes.m[0][n % 3], axes.m[1][n % 3], axes.m[2][n % 3]};
        q[0] = r[3] * v[0] + r[1] * v[2] - r[2] * v[1]; /* r times half a turn about v */
        q[1] = r[3] * v[1] + r[2] * v[0] - r[0] * v[2];
        q[2] = r[3] * v[2] + r[0] * v[1] - r[1] * v[0];
        q[3] = -r[0] * v[0] - r[1] * v[1] - r[2] * v[2];
        assert_true(sn_extract_rotation(&a, q));
        assert_close(angle(q, r), 0, 1e-12);
    }
}

/* Where many rotations are equally good the one nearest to the guess is taken: points on a line, in one place. */
static void test_nearest_to_the_guess(void **state)
{
    (void)state;
    uint64_t seed = 7;
    sn_mat3 nothing = {{{0}}};
    for (int n = 0; n < 200; ++n) {
        double guess[4], q[4], half = support_random_in(&seed, -1.5, 1.5);
        random_rotation(&seed, guess);
        memcpy(q, guess, sizeof q);
        assert_true(sn_extract_rotation(&nothing, q));
        assert_close(angle(q, guess), 0, 1e-14);

        sn_mat3 line = {{{0, 0, 0}, {0, 1, 0}, {0, 0, 0}}}; /* along y, not turned: about y all are the same */
        const double about[4] = {0, sin(half), 0, cos(half)};
        memcpy(q, about, sizeof q);
        assert_true(sn_extract_rotation(&line, q));
        assert_close(angle(q, about), 0, 1e-9);
        const double tilted[4] = {0.1 * cos(half), sin(half), 0.1 * sin(half), cos(half)};
        memcpy(q, tilted, sizeof q); /* a tilt of the line is undone, and it does not spin about itself */
        assert_true(sn_extract_rotation(&line, q));
        assert_close(goodness(&line, q), 1, 1e-12);
        assert_close(q[0] * q[0] + q[2] * q[2], 0, 1e-12);
        assert_close(q[1] / q[3], sin(half) / cos(half), 1e-9 * (1 + fabs(tan(half))));
    }
    double q[4] = {0, 0, 0, 0};
    assert_true(sn_extract_rotation(&nothing, q));
    assert_true(q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 1);
}

/* A reflected shape has a best rotation, too: it keeps the two longest directions. */
static void test_reflected(void **state)
{
    (void)state;
    sn_mat3 a = {{{3, 0, 0}, {0, 2, 0}, {0, 0, -1}}}, ball = {{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
    double q[4] = {0, 0, 0, 0};
    assert_true(sn_extract_rotation(&a, q));
    assert_true(q[3] == 1);
    memset(q, 0, sizeof q);
    assert_true(sn_extract_rotation(&ball, q)); /* every half turn is as good: one of them, always the same */
    check_length(q);
    assert_close(goodness(&ball, q), 1, 1e-14);
}

static void test_refuses_what_is_not_finite(void **state)
{
    (void)state;
    for (int i = 0; i < 9; ++i) {
        sn_mat3 a = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        double q[4] = {0.6, 0, 0, 0.8};
        a.m[i / 3][i % 3] = i % 2 ? (double)NAN : (double)INFINITY;
        assert_false(sn_extract_rotation(&a, q));
        assert_true(q[0] == 0.6 && q[3] == 0.8);
        bool seen = i != 2 && i < 5 && i != 5;
        assert_true(sn_extract_rotation_2d(&a, q) == !seen);
    }
    sn_mat3 huge = {{{1e308, 0, 0}, {0, 1e308, 0}, {0, 0, 1e308}}}, tiny = {{{5e-324, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    double q[4] = {0, 0, 0, (double)NAN};
    assert_true(sn_extract_rotation(&huge, q) && q[3] == 1);
    assert_true(sn_extract_rotation(&tiny, q) && q[3] == 1);
}

/* In the plane: about z by the angle, of reflected shapes as well; nothing to go by keeps the guess. */
static void test_plane(void **state)
{
    (void)state;
    for (int n = -18; n <= 18; ++n) {
        double by = n * 3.14159265358979 / 18, c = cos(by), s = sin(by);
        sn_mat3 a = {{{2 * c, -s, 9}, {2 * s, c, 9}, {9, 9, 9}}};
        double q[4] = {0.5, 0.5, 0.5, 0.5}, expected[4] = {0, 0, sin(by / 2), cos(by / 2)};
        assert_true(sn_extract_rotation_2d(&a, q));
        assert_close(angle(q, expected), 0, 1e-12);
        assert_true(q[0] == 0 && q[1] == 0);
    }
    sn_mat3 reflected = {{{1, 0, 0}, {0, -0.5, 0}, {0, 0, 0}}}, none = {{{0}}};
    double q[4] = {0, 0, 0, 0}, kept[4] = {0, 0, 0.6, 0.8};
    assert_true(sn_extract_rotation_2d(&reflected, q) && q[3] == 1);
    assert_true(sn_extract_rotation_2d(&none, kept));
    assert_close(kept[2], 0.6, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_the_rotation),
        cmocka_unit_test(test_is_best),
        cmocka_unit_test(test_half_a_turn),
        cmocka_unit_test(test_nearest_to_the_guess),
        cmocka_unit_test(test_reflected),
        cmocka_unit_test(test_refuses_what_is_not_finite),
        cmocka_unit_test(test_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

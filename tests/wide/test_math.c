/* The angle of a vector in lanes, against the one in base/math.h; at each width that this file can be compiled for. */
#include "support/support.h"

#include "base/math.h"

#if SINEW_DOUBLE

static void elsewhere(void **state)
{
    (void)state; /* wide kernels are of single precision */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(elsewhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#if defined(__SSE2__) || defined(__aarch64__)
#define SN_VECTOR 16
#else
#define SN_VECTOR 0
#endif
#define SN_LANE_DOUBLE 1
#include <sinew/lanes.h>

static double angle_of(double y, double x)
{
    double in_y[SN_WIDTH], in_x[SN_WIDTH], out[SN_WIDTH];
    for (int i = 0; i < SN_WIDTH; ++i) { /* lanes do not hear of each other */
        in_y[i] = i == 0 ? y : -3;
        in_x[i] = i == 0 ? x : 0.25;
    }
    lanes ly, lx;
    memcpy(&ly, in_y, sizeof ly);
    memcpy(&lx, in_x, sizeof lx);
    lanes angle = lanes_atan2(ly, lx);
    memcpy(out, &angle, sizeof out);
    return out[0];
}

static void angles_of_vectors(void **state)
{
    (void)state;
    uint64_t seed = 1;
    uint32_t different = 0;
    const uint32_t rounds = 200000;
    for (uint32_t i = 0; i < rounds; ++i) {
        double size = ldexp(1, (int)support_random_below(&seed, 200) - 100);
        double slope = ldexp(1, (int)support_random_below(&seed, 60) - 30);
        double y = support_random_in(&seed, -1, 1) * size * slope, x = support_random_in(&seed, -1, 1) * size;
        double got = angle_of(y, x), expected = math_atan2(y, x);
        assert_close(got, expected, 4e-13 * fabs(expected));
        different += (float)got != (float)expected;
    }
    assert_true(different < rounds / 10000); /* rounded to single precision they hardly ever differ, */
}

static void ends_of_the_range(void **state)
{
    (void)state;
    static const double some[] = {0,      -0.0,  1, -1, 1e-40, -1e-40, 1e30, 0.41421356237309503, 0.41421356237309515,
                                  1e-310, -1e300};
    for (size_t i = 0; i < COUNT_OF(some); ++i)
        for (size_t j = 0; j < COUNT_OF(some); ++j) {
            double got = angle_of(some[i], some[j]), expected = math_atan2(some[i], some[j]);
            assert_close(got, expected, 4e-13 * fabs(expected));
            assert_int_equal(signbit(got) != 0, signbit(expected) != 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(angles_of_vectors), cmocka_unit_test(ends_of_the_range)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif

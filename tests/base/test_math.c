/* Our own exp, log, cube root and trigonometry against long double, which carries 11 more bits than the result here. */
#include "base/math.h"

#include <sinew/math.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static double relative_error(double value, long double exact)
{
    return exact == 0 ? fabs(value) : (double)fabsl(((long double)value - exact) / exact);
}

static void test_exp(void **state)
{
    (void)state;
    double worst = 0;
    for (double x = -700; x < 709; x += 0.0371) {
        double error = relative_error(math_exp(x), expl((long double)x));
        worst = error > worst ? error : worst;
    }
    for (double x = 1e-18; x < 1; x *= 1.7) {
        double error = relative_error(math_exp(-x), expl(-(long double)x));
        worst = error > worst ? error : worst;
    }
    print_message("exp: worst relative error %.2e\n", worst);
    assert_true(worst < 4e-16);
    assert_true(math_exp(0) == 1);
    assert_true(math_exp(-1000) == 0);
    assert_true(isinf(math_exp(1000)));
    assert_true(isnan(math_exp((double)NAN)));
    assert_true(relative_error(math_exp(-740), expl(-740)) < 1e-2); /* subnormal: few bits are left */
}

static void test_expm1(void **state)
{
    (void)state;
    double worst = 0;
    for (double x = 1e-18; x < 5; x *= 1.013) {
        double up = relative_error(math_expm1(x), expm1l((long double)x));
        double down = relative_error(math_expm1(-x), expm1l(-(long double)x));
        worst = up > worst ? up : worst;
        worst = down > worst ? down : worst;
    }
    print_message("expm1: worst relative error %.2e\n", worst);
    assert_true(worst < 1e-15);
    assert_true(math_expm1(0) == 0);
}

static void test_log(void **state)
{
    (void)state;
    double worst = 0;
    for (double x = 1e-300; x < 1e300; x *= 1.0831) {
        double exact = (double)logl((long double)x);
        double error = (double)fabsl((long double)math_log(x) - logl((long double)x)) / fmax(1, fabs(exact));
        worst = error > worst ? error : worst;
    }
    for (double x = 0.5; x < 2; x += 0.000713) {
        double error = (double)fabsl((long double)math_log(x) - logl((long double)x));
        worst = error > worst ? error : worst;
    }
    print_message("log: worst error %.2e\n", worst);
    assert_true(worst < 4e-16);
    assert_true(math_log(1) == 0);
    assert_true(isinf(math_log(0)) && math_log(0) < 0);
    assert_true(isnan(math_log(-1)));
    assert_true(relative_error(math_log(5e-324), logl((long double)5e-324)) < 1e-15);
}

/* ---- Roots and angles ------------------------------------------------------------------------------------------- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* A small generator of its own, so that this program needs nothing but the file under test. */
static double random_in(double least, double most)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return least + (most - least) * ((double)(state >> 11) * 0x1p-53);
}

static bool is_same(double a, double b)
{
    return a == b && signbit(a) == signbit(b);
}

static void test_cbrt(void **state)
{
    (void)state;
    double worst = 0;
    for (double x = 1e-307; x < 1e307; x *= 1.0371) {
        worst = larger(worst, relative_error(math_cbrt(x), cbrtl((long double)x)));
        worst = larger(worst, relative_error(math_cbrt(-x), cbrtl(-(long double)x)));
    }
    for (double x = 1; x < 8; x += 0.000913)
        worst = larger(worst, relative_error(math_cbrt(x), cbrtl((long double)x)));
    print_message("cbrt: worst relative error %.2e\n", worst);
    assert_true(worst < 4e-16);
    assert_true(math_cbrt(27) == 3 && math_cbrt(-0.125) == -0.5 && math_cbrt(1) == 1);
    assert_true(is_same(math_cbrt(-0.0), -0.0) && is_same(math_cbrt(0.0), 0.0));
    assert_true(math_cbrt((double)INFINITY) == (double)INFINITY && math_cbrt(-(double)INFINITY) == -(double)INFINITY);
    assert_true(isnan(math_cbrt((double)NAN)));
    assert_true(relative_error(math_cbrt(5e-324), cbrtl((long double)5e-324)) < 4e-16);
}

/* Where a double is near a multiple of pi / 2 the result is small, and still has all its digits. */
static void test_sin_cos(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < 50000; ++i) {
        double x = random_in(-10, 10) * (i % 3 == 0 ? 1 : i % 3 == 1 ? 1e-3 : 1e5);
        worst = larger(worst, relative_error(math_sin(x), sinl((long double)x)));
        worst = larger(worst, relative_error(math_cos(x), cosl((long double)x)));
    }
    for (int n = 1; n < 1000; ++n)
        for (int side = -1; side <= 1; ++side) {
            double x = nextafter(n * 1.5707963267948966, side < 0 ? 0 : 2.0 * n);
            x = side ? x : n * 1.5707963267948966;
            worst = larger(worst, relative_error(math_sin(x), sinl((long double)x)));
            worst = larger(worst, relative_error(math_cos(x), cosl((long double)x)));
        }
    print_message("sin, cos: worst relative error %.2e\n", worst);
    assert_true(worst < 4e-16);
    assert_true(is_same(math_sin(-0.0), -0.0) && math_cos(0) == 1 && math_cos(-0.0) == 1);
    assert_true(is_same(math_sin(5e-324), 5e-324) && is_same(math_sin(-1e-200), -1e-200));
    assert_true(isnan(math_sin((double)INFINITY)) && isnan(math_cos(-(double)INFINITY)));
    assert_true(isnan(math_sin((double)NAN)) && isnan(math_cos((double)NAN)));
}

/* Values of sine and cosine beyond 2^64, where the processor's long double instructions refuse, computed elsewhere with
   thousands of digits; the first is the double nearest to a multiple of pi / 2 of all (Kahan). */
static void test_sin_cos_far(void **state)
{
    (void)state;
    static const double known[][3] = {
        {0x1.6ac5b262ca1ffp+849, 1.0, -4.6871659242546276111e-19},
        {0x1.0f0cf064dd592p+73, -0.85220084976718880177, 0.5232147853951389455},
        {0x1.249ad2594c37dp+332, -0.38063773100502866607, 0.92472423875193378588},
        {0x1.fffffffffffffp+1023, 0.0049619547891840617905, -0.99998768942655993746},
        {0x1.d99999999999ap+21, 0.59615164258389328888, -0.80287185717555572433},
        {0x1.0000000000000p+70, -0.99817940219330675996, 0.060314849224819785132},
        {0x1.d6f3454000000p+116, 0.39289326441851349691, -0.91958408140559068519},
        {0x1.7e43c8800759cp+996, -0.81788191211590859705, -0.57538611195754904669},
        {0x1.4d1120d7b1600p+61, 0.937315661955278894, -0.3484814914071296013},
        {0x1.4e718d7d7625ap+664, -0.64396871853950576476, 0.76505182147524281568},
        {0x1.11b8e888683d9p+501, -0.98096895867005307479, -0.19416462635040323533},
    };
    double worst = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        worst = larger(worst, relative_error(math_sin(known[i][0]), (long double)known[i][1]));
        worst = larger(worst, relative_error(math_cos(known[i][0]), (long double)known[i][2]));
        worst = larger(worst, relative_error(math_sin(-known[i][0]), -(long double)known[i][1]));
        worst = larger(worst, relative_error(math_cos(-known[i][0]), (long double)known[i][2]));
    }
    for (int i = 0; i < 30000; ++i) {
        double x = math_exp(random_in(13.9, 42)); /* 1e6 to 2^60 */
        worst = larger(worst, relative_error(math_sin(x), sinl((long double)x)));
        worst = larger(worst, relative_error(math_cos(-x), cosl(-(long double)x)));
    }
    print_message("sin, cos of large angles: worst relative error %.2e\n", worst);
    assert_true(worst < 1e-15);
}

static void test_atan2(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < 100000; ++i) {
        double x = random_in(-1, 1), y = random_in(-1, 1), far = math_exp(random_in(-600, 600));
        x *= i % 3 == 1 ? math_exp(random_in(-40, 0)) : 1;
        y *= i % 3 == 2 ? math_exp(random_in(-40, 0)) : 1;
        x *= i % 5 ? 1 : far;
        y *= i % 5 ? 1 : far;
        worst = larger(worst, relative_error(math_atan2(y, x), atan2l((long double)y, (long double)x)));
    }
    print_message("atan2: worst relative error %.2e\n", worst);
    assert_true(worst < 4e-16);
}

static void test_atan2_special(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846, infinity = (double)INFINITY;
    static const double ends[] = {0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1e308, -1e308};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i)
        for (size_t j = 0; j < sizeof ends / sizeof ends[0]; ++j) {
            double got = math_atan2(ends[i], ends[j]),
                   exact = (double)atan2l((long double)ends[i], (long double)ends[j]);
            assert_true(signbit(got) == signbit(exact));
            assert_true(relative_error(got, (long double)exact) < 4e-16);
        }
    assert_true(is_same(math_atan2(0, 1), 0) && is_same(math_atan2(-0.0, 1), -0.0));
    assert_true(math_atan2(0, -1) == pi && math_atan2(-0.0, -1) == -pi);
    assert_true(math_atan2(1, 0) == pi / 2 && math_atan2(-1, -0.0) == -pi / 2 && math_atan2(1, 1) == pi / 4);
    assert_true(math_atan2(infinity, infinity) == pi / 4 && math_atan2(-infinity, infinity) == -pi / 4);
    assert_true(fabs(math_atan2(infinity, -infinity) - 3 * pi / 4) < 5e-16);
    assert_true(math_atan2(1, infinity) == 0 && is_same(math_atan2(-1, infinity), -0.0));
    assert_true(math_atan2(1, -infinity) == pi && math_atan2(infinity, -1e308) == pi / 2);
    assert_true(isnan(math_atan2((double)NAN, 1)) && isnan(math_atan2(1, (double)NAN)));
}

static void test_acos(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < 50000; ++i) {
        double near = math_exp(random_in(-36, 0));
        double x = i % 3 == 0 ? random_in(-1, 1) : i % 3 == 1 ? 1 - near : near - 1;
        worst = larger(worst, relative_error(math_acos(x), acosl((long double)x)));
    }
    print_message("acos: worst relative error %.2e\n", worst);
    assert_true(worst < 8e-16);
    assert_true(math_acos(1) == 0 && math_acos(-1) == 3.14159265358979323846);
    assert_true(isnan(math_acos(1.0000000000000002)) && isnan(math_acos((double)NAN)));
}

/* What users call is what the engine uses. */
static void test_public_names(void **state)
{
    (void)state;
    for (double x = -0.99; x < 1; x += 0.0371) {
        assert_true(sn_math_sin(x) == math_sin(x) && sn_math_cos(x) == math_cos(x));
        assert_true(sn_math_atan2(x, 0.3) == math_atan2(x, 0.3) && sn_math_acos(x) == math_acos(x));
        assert_true(sn_math_exp(x) == math_exp(x) && sn_math_log(1 + x) == math_log(1 + x));
        assert_true(sn_math_cbrt(x) == math_cbrt(x));
    }
    assert_true(SN_PI == MATH_PI);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_public_names), cmocka_unit_test(test_exp),   cmocka_unit_test(test_expm1),
        cmocka_unit_test(test_log),          cmocka_unit_test(test_cbrt),  cmocka_unit_test(test_sin_cos),
        cmocka_unit_test(test_sin_cos_far),  cmocka_unit_test(test_atan2), cmocka_unit_test(test_atan2_special),
        cmocka_unit_test(test_acos),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

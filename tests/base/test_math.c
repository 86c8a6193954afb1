/* Our own exp and log against long double, which carries 11 more bits than the result here. */
#include "base/math.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp),
        cmocka_unit_test(test_expm1),
        cmocka_unit_test(test_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

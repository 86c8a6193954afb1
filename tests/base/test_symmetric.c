/* Eigenvalues and axes of symmetric matrices: A = sum of value axis axis^T, axes of length 1 and orthogonal. */
#include "support/support.h"

#include "base/symmetric.h"

#include <math.h>

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void check(double a[3][3], double value[3], double axis[3][3])
{
    double kept[3][3], scale = 0;
    memcpy(kept, a, sizeof kept);
    for (int i = 0; i < 9; ++i)
        scale = fmax(scale, fabs(a[i / 3][i % 3]));
    sn_symmetric_eigen(a, value, axis);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double sum = 0;
            for (int k = 0; k < 3; ++k)
                sum += value[k] * axis[k][i] * axis[k][j];
            assert_close(sum, kept[i][j], 4e-15 * scale);
            assert_close(dot(axis[i], axis[j]), i == j, 2e-15);
        }
}

static void test_random(void **state)
{
    (void)state;
    uint64_t seed = 9;
    double a[3][3], value[3], axis[3][3];
    for (int n = 0; n < 10000; ++n) {
        double scale = pow(10, support_random_in(&seed, -100, 100));
        for (int i = 0; i < 3; ++i)
            for (int j = i; j < 3; ++j) {
                double size = n % 3 ? 1 : pow(10, support_random_in(&seed, -12, 0));
                a[i][j] = a[j][i] = scale * size * support_random_in(&seed, -1, 1);
            }
        check(a, value, axis);
    }
}

static void test_known(void **state)
{
    (void)state;
    double value[3], axis[3][3];
    double zero[3][3] = {{0}}, diagonal[3][3] = {{3, 0, 0}, {0, -1, 0}, {0, 0, 2}};
    double ones[3][3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, flat[3][3] = {{2, 1, 0}, {1, 2, 0}, {0, 0, 5}};
    check(zero, value, axis);
    assert_true(value[0] == 0 && value[1] == 0 && value[2] == 0);
    check(diagonal, value, axis);
    assert_true(value[0] == 3 && value[1] == -1 && value[2] == 2);
    check(ones, value, axis);
    assert_close(fmax(fmax(value[0], value[1]), value[2]), 3, 1e-14);
    assert_close(fmin(fmin(value[0], value[1]), value[2]), 0, 1e-14);
    check(flat, value, axis);
    assert_close(fmin(value[0], value[1]), 1, 1e-14);
    assert_close(fmax(value[0], value[1]), 3, 1e-14);
    assert_true(value[2] == 5 && axis[0][2] == 0 && axis[1][2] == 0 && axis[2][0] == 0 && axis[2][1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_known)};
    return cmocka_run_group_tests_name("symmetric matrices", tests, NULL, NULL);
}

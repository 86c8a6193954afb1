/* The iterative linear solvers, on small dense matrices: regular, singular, contradictory, and badly conditioned. */
#include "support/support.h"

#include "solvers/krylov.h"

#include <math.h>

#define MOST 40

typedef struct dense {
    uint32_t count;
    double a[MOST][MOST];
    uint32_t products;
} dense;

static void multiply(const void *matrix, const double *x, double *y)
{
    const dense *m = matrix;
    ((dense *)(uintptr_t)m)->products++;
    for (uint32_t i = 0; i < m->count; ++i) {
        y[i] = 0;
        for (uint32_t j = 0; j < m->count; ++j)
            y[i] += m->a[i][j] * x[j];
    }
}

/* A = sum of eigenvalue[k] q_k q_k^T with random orthonormal q: rank is the number of eigenvalues given. */
static void make(dense *m, uint32_t count, uint32_t rank, const double *eigenvalue, uint64_t seed)
{
    double q[MOST][MOST];
    memset(m, 0, sizeof(*m));
    m->count = count;
    for (uint32_t k = 0; k < rank; ++k) {
        for (uint32_t i = 0; i < count; ++i)
            q[k][i] = support_random_in(&seed, -1, 1);
        for (uint32_t pass = 0; pass < 2; ++pass)
            for (uint32_t j = 0; j < k; ++j) {
                double along = 0;
                for (uint32_t i = 0; i < count; ++i)
                    along += q[k][i] * q[j][i];
                for (uint32_t i = 0; i < count; ++i)
                    q[k][i] -= along * q[j][i];
            }
        double square = 0;
        for (uint32_t i = 0; i < count; ++i)
            square += q[k][i] * q[k][i];
        for (uint32_t i = 0; i < count; ++i)
            q[k][i] /= sqrt(square);
    }
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t j = 0; j < count; ++j)
            for (uint32_t k = 0; k < rank; ++k)
                m->a[i][j] += eigenvalue[k] * q[k][i] * q[k][j];
}

typedef sn_krylov_out solve_fn(const sn_krylov_in *in, const double *b, double *x);

static solve_fn *const methods[] = {sn_krylov_minres, sn_krylov_least_squares};

static sn_krylov_out solve(solve_fn *method, dense *m, const double *b, double *x, double tolerance, uint32_t most)
{
    static double room[SN_KRYLOV_VECTORS][MOST];
    sn_krylov_in in = {.product = multiply, .matrix = m, .count = m->count, .iterations = most, .tolerance = tolerance};
    for (uint32_t i = 0; i < SN_KRYLOV_VECTORS; ++i) {
        in.vector[i] = room[i];
        memset(room[i], 0xff, sizeof(room[i])); /* NaN: what is there must not matter */
    }
    m->products = 0;
    for (uint32_t i = 0; i < MOST; ++i)
        x[i] = NAN;
    return method(&in, b, x);
}

static double length(uint32_t count, const double *a)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; ++i)
        sum += a[i] * a[i];
    return sqrt(sum);
}

/* r = b - A x, and its length. */
static double missed(dense *m, const double *b, const double *x, double *r)
{
    multiply(m, x, r);
    for (uint32_t i = 0; i < m->count; ++i)
        r[i] = b[i] - r[i];
    return length(m->count, r);
}

static void test_regular_systems_are_solved(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (uint32_t n = 1; n <= MOST; n += 3)
        for (size_t k = 0; k < COUNT_OF(methods); ++k) {
            double eigenvalue[MOST], b[MOST], x[MOST], r[MOST];
            dense m;
            for (uint32_t i = 0; i < n; ++i) {
                eigenvalue[i] = support_random_in(&seed, 0.1, 10);
                b[i] = support_random_in(&seed, -1, 1);
            }
            make(&m, n, n, eigenvalue, n);
            sn_krylov_out out = solve(methods[k], &m, b, x, 1e-12, 1000);
            double left = missed(&m, b, x, r) / length(n, b);
            assert_true(left < 1e-11);
            assert_true(out.residual < 1e-11);
            assert_true(out.iterations > 0 && out.iterations <= 20 * n);
        }
}

/* Equations that repeat others: the right-hand side is in reach, and x is not much longer than it has to be. */
static void test_redundant_systems_are_solved(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (uint32_t rank = 1; rank < 30; rank += 4)
        for (size_t k = 0; k < COUNT_OF(methods); ++k) {
            double eigenvalue[MOST], y[MOST], b[MOST], x[MOST], r[MOST];
            dense m;
            for (uint32_t i = 0; i < 30; ++i) {
                eigenvalue[i] = support_random_in(&seed, 0.5, 2);
                y[i] = support_random_in(&seed, -1, 1);
            }
            make(&m, 30, rank, eigenvalue, rank);
            multiply(&m, y, b);
            solve(methods[k], &m, b, x, 1e-12, 1000);
            assert_true(missed(&m, b, x, r) < 1e-10 * length(30, b));
            assert_true(length(30, x) < 2.01 * length(30, b)); /* 1 / 0.5, the least eigenvalue */
        }
}

/* Equations that contradict each other: what is left cannot be improved, A r = 0, and x stays bounded. */
static void test_contradictions_end_as_least_squares(void **state)
{
    (void)state;
    uint64_t seed = 13;
    for (uint32_t rank = 0; rank < 30; rank += 3)
        for (size_t k = 0; k < COUNT_OF(methods); ++k) {
            double eigenvalue[MOST], b[MOST], x[MOST], r[MOST], ar[MOST];
            dense m;
            for (uint32_t i = 0; i < 30; ++i) {
                eigenvalue[i] = support_random_in(&seed, 0.5, 2);
                b[i] = support_random_in(&seed, -1, 1);
            }
            make(&m, 30, rank, eigenvalue, rank);
            sn_krylov_out out = solve(methods[k], &m, b, x, 1e-12, 1000);
            double left = missed(&m, b, x, r);
            multiply(&m, r, ar);
            assert_true(length(30, ar) < 1e-6 * length(30, b));
            assert_close(out.residual, left / length(30, b), 1e-6);
            assert_true(length(30, x) < 200 * length(30, b));
            assert_true(out.iterations < 200);
        }
}

/* A pair of the same equation with two right-hand sides meets halfway. */
static void test_two_that_disagree_meet_halfway(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(methods); ++k) {
        dense m = {.count = 2, .a = {{1, 1}, {1, 1}}};
        double b[2] = {3, 1}, x[MOST];
        solve(methods[k], &m, b, x, 1e-12, 100);
        assert_close(x[0] + x[1], 2, 1e-9);
    }
}

/* Squaring the condition number hurts: the same accuracy costs several times as many products. */
static void test_normal_equations_cost_more(void **state)
{
    (void)state;
    double eigenvalue[MOST], b[MOST], x[MOST], r[MOST];
    dense m;
    for (uint32_t i = 0; i < MOST; ++i) {
        eigenvalue[i] = pow(10, -4.0 * i / (MOST - 1));
        b[i] = 1;
    }
    make(&m, MOST, MOST, eigenvalue, 3);
    solve(sn_krylov_minres, &m, b, x, 1e-8, 100000);
    uint32_t first = m.products;
    assert_true(missed(&m, b, x, r) < 1e-7 * length(MOST, b));
    solve(sn_krylov_least_squares, &m, b, x, 1e-8, 100000);
    assert_true(missed(&m, b, x, r) < 1e-7 * length(MOST, b));
    assert_true(m.products > 3 * first);
}

static void test_nothing_is_asked_of_nothing(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(methods); ++k) {
        double eigenvalue[] = {1, 2, 3}, b[3] = {0, 0, 0}, x[MOST];
        dense m;
        make(&m, 3, 3, eigenvalue, 1);
        sn_krylov_out out = solve(methods[k], &m, b, x, 1e-12, 100);
        assert_int_equal(out.iterations, 0);
        assert_true(x[0] == 0 && x[1] == 0 && x[2] == 0);
        memset(m.a, 0, sizeof(m.a)); /* a matrix that reaches nothing */
        b[0] = 1;
        solve(methods[k], &m, b, x, 1e-12, 100);
        assert_true(x[0] == 0 && x[1] == 0 && x[2] == 0);
    }
}

/* The limit is kept, and every further iteration leaves less. */
static void test_the_limit_is_kept(void **state)
{
    (void)state;
    double eigenvalue[MOST], b[MOST], x[MOST], r[MOST];
    uint64_t seed = 5;
    dense m;
    for (uint32_t i = 0; i < MOST; ++i) {
        eigenvalue[i] = 1 + i;
        b[i] = support_random_in(&seed, -1, 1);
    }
    make(&m, MOST, MOST, eigenvalue, 3);
    for (size_t k = 0; k < COUNT_OF(methods); ++k) {
        double before = length(MOST, b);
        for (uint32_t most = 0; most < 12; ++most) {
            assert_true(solve(methods[k], &m, b, x, 0, most).iterations <= most);
            double left = missed(&m, b, x, r);
            assert_true(left <= before * (1 + 1e-12));
            before = left;
        }
        assert_true(before < 0.5 * length(MOST, b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regular_systems_are_solved),
        cmocka_unit_test(test_redundant_systems_are_solved),
        cmocka_unit_test(test_contradictions_end_as_least_squares),
        cmocka_unit_test(test_two_that_disagree_meet_halfway),
        cmocka_unit_test(test_normal_equations_cost_more),
        cmocka_unit_test(test_nothing_is_asked_of_nothing),
        cmocka_unit_test(test_the_limit_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

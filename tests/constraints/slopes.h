/* The gradient of a kind against finite differences of its C, for states that a test makes up, with any number of
   points. Evaluates the kind by itself, without a world. */
#ifndef SINEW_TESTS_SLOPES_H
#define SINEW_TESTS_SLOPES_H

#include "support/support.h"

#include <math.h>

#define SLOPES_POINTS 64

typedef struct slopes_value {
    sn_real c[SN_MAX_ROWS];
    sn_vec3 gradient[SN_MAX_ROWS * SLOPES_POINTS];
} slopes_value;

/* A tolerance in the float build, and in the double build. */
static inline double slopes_exactness(double single, double twice)
{
    return sizeof(sn_real) == sizeof(float) ? single : twice;
}

static inline bool slopes_evaluate(uint32_t kind, uint32_t points, const sn_vec3 *x, const sn_real *param,
                                   slopes_value *value)
{
    const sn_kind *k = sn_kind_info(NULL, kind);
    assert_in_range(points, 1, SLOPES_POINTS);
    memset(value, 0, sizeof *value);
    sn_eval_in in = {.x = x, .param = param, .points = points, .context = k->context};
    sn_eval_out out = {.c = value->c, .gradient = value->gradient};
    return k->eval(&in, &out);
}

static inline sn_real *slopes_axis(sn_vec3 *v, uint32_t axis)
{
    return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

/* Central differences of all rows by one coordinate; false where C does not exist. */
static inline bool slopes_difference(uint32_t kind, uint32_t points, const sn_vec3 *x, const sn_real *param,
                                     uint32_t number, double step, double *slope)
{
    static slopes_value high, low;
    sn_vec3 a[SLOPES_POINTS], b[SLOPES_POINTS];
    memcpy(a, x, points * sizeof *x);
    memcpy(b, x, points * sizeof *x);
    sn_real *up = slopes_axis(&a[number / 3], number % 3), *down = slopes_axis(&b[number / 3], number % 3);
    *up += (sn_real)step;
    *down -= (sn_real)step;
    if (!slopes_evaluate(kind, points, a, param, &high) || !slopes_evaluate(kind, points, b, param, &low))
        return false;
    for (uint32_t row = 0; row < SN_MAX_ROWS; ++row)
        slope[row] = ((double)high.c[row] - (double)low.c[row]) / ((double)*up - (double)*down);
    return true;
}

/* Compares the gradient of every row by every coordinate with Richardson's extrapolation of two central differences.
   feature is the length, in m, below which C may bend; size the largest length it is computed from. Where the two
   differences do not agree by themselves, so much is allowed; returns false, without comparing, where that is much:
   at a kink. */
static inline bool slopes_agree(uint32_t kind, uint32_t points, const sn_vec3 *x, const sn_real *param, double feature,
                                double size)
{
    static slopes_value value;
    static double slope[3 * SLOPES_POINTS][SN_MAX_ROWS], doubt[3 * SLOPES_POINTS][SN_MAX_ROWS];
    const uint32_t rows = sn_kind_info(NULL, kind)->rows;
    double wide[SN_MAX_ROWS], step = feature * slopes_exactness(2e-2, 1e-3), largest = 0;
    if (!slopes_evaluate(kind, points, x, param, &value))
        return false;
    for (uint32_t n = 0; n < 3 * points; ++n) {
        if (!slopes_difference(kind, points, x, param, n, step, slope[n]) ||
            !slopes_difference(kind, points, x, param, n, 2 * step, wide))
            return false;
        for (uint32_t row = 0; row < rows; ++row) {
            doubt[n][row] = 3 * fabs(slope[n][row] - wide[row]);
            if (doubt[n][row] > slopes_exactness(0.05, 1e-3) * fmax(1, fabs(slope[n][row])))
                return false;
            slope[n][row] += (slope[n][row] - wide[row]) / 3;
            largest = fmax(largest, fabs(slope[n][row]));
        }
    }
    double noise = 16 * slopes_exactness(6e-8, 1.1e-16) * size / step;
    for (uint32_t n = 0; n < 3 * points; ++n)
        for (uint32_t row = 0; row < rows; ++row)
            assert_close(*slopes_axis(&value.gradient[row * points + n / 3], n % 3), slope[n][row],
                         slopes_exactness(5e-3, 1e-7) * largest + noise + doubt[n][row]);
    return true;
}

/* The gradients of each row sum to zero, as they must for an internal kind to keep momentum. */
static inline void slopes_sum_to_zero(uint32_t kind, uint32_t points, const sn_vec3 *x, const sn_real *param)
{
    static slopes_value value;
    if (!slopes_evaluate(kind, points, x, param, &value))
        return;
    for (uint32_t row = 0; row < sn_kind_info(NULL, kind)->rows; ++row) {
        double sum[3] = {0, 0, 0}, length = 0;
        for (uint32_t i = 0; i < points; ++i) {
            sn_vec3 g = value.gradient[row * points + i];
            sum[0] += (double)g.x;
            sum[1] += (double)g.y;
            sum[2] += (double)g.z;
            length += support_gap(g, vec(0, 0, 0));
        }
        double off = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
        assert_true(off <= slopes_exactness(1e-5, 1e-13) * length);
    }
}

static inline sn_vec3 slopes_place(uint64_t *seed, double size)
{
    double x = support_random_in(seed, -size, size), y = support_random_in(seed, -size, size);
    return vec(x, y, support_random_in(seed, -size, size));
}

static inline sn_vec3 slopes_direction(uint64_t *seed)
{
    for (;;) {
        sn_vec3 v = slopes_place(seed, 1);
        double length = support_gap(v, vec(0, 0, 0));
        if (length > 0.1 && length < 1)
            return vec((double)v.x / length, (double)v.y / length, (double)v.z / length);
    }
}

#endif

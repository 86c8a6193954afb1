#include "collision/roots.h"

#include <stddef.h>

/* Intervals are halved down to 2^-40 of the whole. What remains of an interval then counts as a root. */
#define MOST_HALVINGS 40u

/* Halvings in total. A polynomial needs some tens; it needs more only if its roots are closer together than rounding
   can separate. */
#define MOST_PARTS 400u

/* Relative to the interval: the final width of a bracket around a root. */
#define ROOT_WIDTH 1e-14

typedef struct part {
    double b[SN_ROOTS_DEGREE + 1];
    double start, width;
    uint32_t halvings;
} part;

/* Cuts a part in two: the sides of de Casteljau's triangle are the coefficients of the halves. */
static void halve(const part *whole, uint32_t degree, part *left, part *right)
{
    double b[SN_ROOTS_DEGREE + 1];
    for (uint32_t i = 0; i <= degree; ++i)
        b[i] = whole->b[i];
    left->start = whole->start;
    left->width = right->width = whole->width / 2;
    left->halvings = right->halvings = whole->halvings + 1;
    right->start = left->start + left->width;
    for (uint32_t k = 0; k <= degree; ++k) {
        left->b[k] = b[0];
        right->b[degree - k] = b[degree - k];
        for (uint32_t i = 0; i + k < degree; ++i)
            b[i] = (b[i] + b[i + 1]) / 2;
    }
}

static double value_at(const part *p, uint32_t degree, double t)
{
    double b[SN_ROOTS_DEGREE + 1];
    for (uint32_t i = 0; i <= degree; ++i)
        b[i] = p->b[i];
    for (uint32_t k = degree; k > 0; --k)
        for (uint32_t i = 0; i < k; ++i)
            b[i] = (1 - t) * b[i] + t * b[i + 1];
    return b[0];
}

/* The number of sign changes along the coefficients, without zeros. This is an upper bound of the number of roots
   between the ends, and exact if 0 or 1 (Descartes). */
static uint32_t sign_changes(const part *p, uint32_t degree)
{
    uint32_t changes = 0;
    double last = 0;
    for (uint32_t i = 0; i <= degree; ++i) {
        if (p->b[i] == 0)
            continue;
        changes += last != 0 && (last < 0) != (p->b[i] < 0);
        last = p->b[i];
    }
    return changes;
}

/* The single root in a part: false position with the Illinois rule, or bisection where that is slow. */
static double only_root(const part *p, uint32_t degree)
{
    double low = 0, high = 1, at_low = p->b[0], at_high = p->b[degree];
    for (uint32_t i = 1; at_low == 0; ++i) /* the sign between low and the root */
        at_low = p->b[i];
    for (uint32_t i = degree; at_high == 0; --i)
        at_high = p->b[i - 1];
    bool low_is_negative = at_low < 0;
    int kept = 0;
    for (uint32_t i = 0; i < 100 && high - low > ROOT_WIDTH; ++i) {
        double t = low + (high - low) * (at_low / (at_low - at_high));
        if (i % 4 == 3 || !(t > low && t < high))
            t = low + (high - low) / 2;
        double value = value_at(p, degree, t);
        if (value == 0)
            return t;
        if ((value < 0) == low_is_negative) {
            low = t;
            at_low = value;
            at_high = kept > 0 ? at_high / 2 : at_high;
            kept = 1;
        } else {
            high = t;
            at_high = value;
            at_low = kept < 0 ? at_low / 2 : at_low;
            kept = -1;
        }
    }
    return low + (high - low) / 2;
}

static bool is_wanted(double t, double end, sn_root_counts *counts, void *data)
{
    return t < end && (!counts || counts(data, t));
}

static double first_root(const double *b, uint32_t degree, double end, sn_root_counts *counts, void *data)
{
    part stack[MOST_HALVINGS + 2];
    uint32_t depth = 1, parts = 0;
    stack[0] = (part){.start = 0, .width = 1, .halvings = 0};
    for (uint32_t i = 0; i <= degree; ++i)
        stack[0].b[i] = b[i];
    while (depth > 0) { /* the top of the stack is the first of the remaining parts */
        part p = stack[--depth];
        if (!(p.start < end))
            return end;
        if (p.b[0] == 0 && is_wanted(p.start, end, counts, data))
            return p.start;
        uint32_t changes = sign_changes(&p, degree);
        if (changes > 1 && p.halvings < MOST_HALVINGS && ++parts < MOST_PARTS) {
            halve(&p, degree, &stack[depth + 1], &stack[depth]);
            depth += 2;
            continue;
        }
        double t = p.start + p.width * (changes > 1 ? 0.5 : changes == 1 ? only_root(&p, degree) : 1);
        if ((changes || p.b[degree] == 0) && is_wanted(t, end, counts, data))
            return t;
    }
    return end;
}

double sn_roots_first(const double *b, uint32_t degree, double end, sn_root_counts *counts, void *data)
{
    bool above = true, below = true;
    for (uint32_t i = 0; i <= degree; ++i) {
        above &= b[i] > 0;
        below &= b[i] < 0;
    }
    return above || below ? end : first_root(b, degree, end, counts, data);
}

void sn_roots_multiply(const double *a, uint32_t m, const double *b, uint32_t n, double *product)
{
    static const double binomial[SN_ROOTS_DEGREE + 1][SN_ROOTS_DEGREE + 1] = {
        {1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}, {1, 5, 10, 10, 5, 1}, {1, 6, 15, 20, 15, 6, 1}};
    for (uint32_t k = 0; k <= m + n; ++k)
        product[k] = 0;
    for (uint32_t i = 0; i <= m; ++i)
        for (uint32_t j = 0; j <= n; ++j)
            product[i + j] += (binomial[m][i] * a[i]) * (binomial[n][j] * b[j]);
    for (uint32_t k = 1; k < m + n; ++k)
        product[k] /= binomial[m + n][k];
}

/* The matrix of a lattice: factored once for each length of a substep, and used in every substep. See solids.h. */
#include "solvers/solids.h"

#include <math.h>

/* A pivot below this share of its original diagonal is only rounding: that unknown is 0. */
#define LEAST_PIVOT 1e-10

/* Cholesky factorisation, row by row, in place. */
void sn_solids_factor(const sn_solids *s, sn_soft *solid, double h)
{
    const double give = 1 / (h * h) / (1 + solid->loss / h);
    const uint32_t first = solid->unknown, count = solid->unknowns;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t from = s->start[first + i];
        double *row = s->factor + s->row[first + i];
        const double *inertia = s->inertia + s->row[first + i], *compliance = s->give + s->row[first + i];
        const double diagonal = inertia[i - from] + give * compliance[i - from];
        for (uint32_t j = from; j <= i; ++j) {
            const uint32_t other = s->start[first + j], begin = from > other ? from : other;
            const double *a = row + (begin - from), *b = s->factor + s->row[first + j] + (begin - other);
            double part[4] = {0};
            uint32_t k = 0;
            for (; k + 4 <= j - begin; k += 4)
                for (uint32_t l = 0; l < 4; ++l)
                    part[l] += a[k + l] * b[k + l];
            for (; k < j - begin; ++k)
                part[0] += a[k] * b[k];
            const double sum =
                inertia[j - from] + give * compliance[j - from] - ((part[0] + part[1]) + (part[2] + part[3]));
            if (j < i)
                row[j - from] = sum * s->factor[s->row[first + j] + j - other]; /* the diagonal holds its inverse */
            else
                row[j - from] = sum > LEAST_PIVOT * diagonal ? 1 / sqrt(sum) : 0;
        }
    }
    solid->h = h;
}

/* Solves for x, of all nodes, in place. */
void sn_solids_solve(const sn_solids *s, const sn_soft *solid, double *x)
{
    const uint32_t first = solid->unknown, count = solid->unknowns, *full = s->full + first;
    for (uint32_t i = 0; i < count; ++i)
        x[i] = x[full[i]];
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t from = s->start[first + i];
        const double *row = s->factor + s->row[first + i];
        double part[4] = {0};
        uint32_t k = from;
        for (; k + 4 <= i; k += 4)
            for (uint32_t l = 0; l < 4; ++l)
                part[l] += row[k + l - from] * x[k + l];
        for (; k < i; ++k)
            part[0] += row[k - from] * x[k];
        x[i] = (x[i] - ((part[0] + part[1]) + (part[2] + part[3]))) * row[i - from];
    }
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t from = s->start[first + i];
        const double *row = s->factor + s->row[first + i];
        const double value = x[i] *= row[i - from];
        for (uint32_t k = from; k < i; ++k)
            x[k] -= row[k - from] * value;
    }
    for (uint32_t i = solid->nodes * SN_SOFT_MODES, k = count; i-- > 0;)
        x[i] = k > 0 && full[k - 1] == i ? x[--k] : 0;
}

#include "solvers/row.h"

/* A pivot below this share of its diagonal means that the row says what earlier rows said already (or, in a 2D world, that
   it asks for a locked coordinate); it then gets no multiplier of its own. */
#define REDUNDANT (SINEW_DOUBLE ? 1e-12 : 1e-6)

/* A[i][j] = (1 + g) sum w grad_i . grad_j, plus a on the diagonal. In double: the block is small, and its conditioning is
   the kind's business, not ours. */
static void build_matrix(const sn_block *block, sn_row_give give, double a[SN_MAX_ROWS][SN_MAX_ROWS])
{
    for (uint32_t r = 0; r < block->rows; ++r)
        for (uint32_t s = 0; s <= r; ++s) {
            double sum = 0;
            for (uint32_t i = 0; i < block->count; ++i) {
                sn_vec3 g = block->gradient[r * block->count + i], h = block->gradient[s * block->count + i];
                sum += (double)block->w[i] * vec3_dot_double(g, h);
            }
            a[r][s] = a[s][r] = (1 + (double)give.gamma) * sum + (r == s ? (double)give.alpha : 0);
        }
}

/* Solves A x = b on the rows in `active` by LDL^T; redundant rows get 0. */
static void solve_active(uint32_t rows, uint32_t active, double a[SN_MAX_ROWS][SN_MAX_ROWS], const double *b, double *x)
{
    double l[SN_MAX_ROWS][SN_MAX_ROWS], pivot[SN_MAX_ROWS], y[SN_MAX_ROWS];
    for (uint32_t r = 0; r < rows; ++r) {
        x[r] = y[r] = pivot[r] = 0;
        if (!(active >> r & 1))
            continue;
        double p = a[r][r];
        y[r] = b[r];
        for (uint32_t s = 0; s < r; ++s) {
            if (pivot[s] == 0)
                continue;
            double sum = a[r][s];
            for (uint32_t t = 0; t < s; ++t)
                if (pivot[t] != 0)
                    sum -= l[r][t] * pivot[t] * l[s][t];
            l[r][s] = sum / pivot[s];
            p -= l[r][s] * l[r][s] * pivot[s];
            y[r] -= l[r][s] * y[s];
        }
        if (p > REDUNDANT * a[r][r])
            pivot[r] = p;
    }
    for (uint32_t r = rows; r-- > 0;) {
        if (pivot[r] == 0)
            continue;
        x[r] = y[r] / pivot[r];
        for (uint32_t s = r + 1; s < rows; ++s)
            if (pivot[s] != 0)
                x[r] -= l[s][r] * x[s];
    }
}

/* The rows that take part: equalities, violated inequalities, and compliant ones that still push. */
static uint32_t active_rows(const sn_block *block, uint32_t inequality, sn_row_give give, const sn_real *lambda)
{
    uint32_t active = 0;
    for (uint32_t r = 0; r < block->rows; ++r) {
        bool pushes = give.alpha > 0 && lambda[r] > 0;
        if (!(inequality >> r & 1) || !(block->c[r] >= 0) || pushes)
            active |= 1u << r;
    }
    return active;
}

bool sn_row_solve_block(const sn_block *block, uint32_t inequality, sn_row_give give, sn_vec4 *d, sn_real *lambda)
{
    uint32_t active = active_rows(block, inequality, give, lambda);
    if (!active)
        return true;
    double a[SN_MAX_ROWS][SN_MAX_ROWS], b[SN_MAX_ROWS], x[SN_MAX_ROWS];
    build_matrix(block, give, a);
    for (uint32_t r = 0; r < block->rows; ++r) {
        double motion = give.gamma > 0 ? (double)give.gamma * (double)row_motion(block, block->count, r, d) : 0;
        b[r] = -(double)block->c[r] - (double)give.alpha * (double)lambda[r] - motion;
    }
    /* An inequality that would have to pull is let go: its multiplier returns to 0, the other rows are solved again with
       that known. Each round settles at least one row. */
    uint32_t solved = active, let_go = 0;
    for (;;) {
        solve_active(block->rows, solved, a, b, x);
        uint32_t pulling = 0;
        for (uint32_t r = 0; r < block->rows; ++r)
            if ((solved & inequality) >> r & 1 && (double)lambda[r] + (double)give.k * x[r] < 0)
                pulling |= 1u << r;
        if (!pulling)
            break;
        for (uint32_t r = 0; r < block->rows; ++r)
            if (pulling >> r & 1)
                for (uint32_t s = 0; s < block->rows; ++s)
                    b[s] += a[s][r] * (double)lambda[r];
        solved &= ~pulling;
        let_go |= pulling;
    }
    sn_real dlambda[SN_MAX_ROWS];
    for (uint32_t r = 0; r < block->rows; ++r) {
        dlambda[r] = let_go >> r & 1 ? -lambda[r] : (sn_real)((double)give.k * x[r]);
        bool finite = isfinite(dlambda[r]) && isfinite(block->c[r]) && isfinite(a[r][r]);
        if (active >> r & 1 && !finite)
            return false;
    }
    for (uint32_t r = 0; r < block->rows; ++r)
        if (active >> r & 1) {
            lambda[r] += dlambda[r];
            row_apply(block, block->count, r, dlambda[r], d);
        }
    return true;
}

sn_real sn_row_residual(const sn_block *block, uint32_t inequality, sn_row_give give, const sn_vec4 *d,
                        const sn_real *lambda)
{
    sn_real largest = 0;
    for (uint32_t r = 0; r < block->rows; ++r) {
        sn_real missed = block->c[r] + give.alpha * lambda[r];
        if (give.gamma > 0)
            missed += give.gamma * row_motion(block, block->count, r, d);
        if (inequality >> r & 1 && missed > 0)
            missed = lambda[r] > 0 && give.alpha > 0 ? missed : 0;
        sn_real length2 = 0;
        for (uint32_t i = 0; i < block->count; ++i)
            length2 += vec3_dot(block->gradient[r * block->count + i], block->gradient[r * block->count + i]);
        sn_real residual = length2 > 0 ? (missed < 0 ? -missed : missed) / real_sqrt(length2) : 0;
        if (residual > largest)
            largest = residual;
    }
    return largest;
}

#include "solvers/row.h"

#include <math.h>

/* A pivot below this share of its diagonal means that the row says what earlier rows said already (or, in a 2D world,
   that it asks for a locked coordinate); it then gets no multiplier of its own. */
#define REDUNDANT (SINEW_DOUBLE ? 1e-12 : 1e-6)

/* A[i][j] = (1 + g) sum w grad_i . grad_j, plus a on the diagonal. In double: the block is small, and its
   conditioning is the kind's business, not ours. */
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

/* ---- Inequalities in a block ------------------------------------------------------------------------------------- */

/* With x the change of lambda, `least` its lower bound by row (0 for a rigid inequality, -lambda for a compliant one)
   and A x - b what is missing, a block asks for

       A x = b for equalities,   x >= least,  A x >= b,  one of the two with equality, for inequalities,

   a linear complementarity problem. With six rows at most it is solved by trying which of the inequalities act: first
   the ones that are violated now, which nearly always is the answer, then every other set. */
typedef struct block_problem {
    uint32_t rows;
    uint32_t inequality;
    double a[SN_MAX_ROWS][SN_MAX_ROWS];
    double b[SN_MAX_ROWS];
    double least[SN_MAX_ROWS];
} block_problem;

/* Solves with the given rows acting, the others at their bound. Returns by how much the worst condition is broken,
   relative to the numbers in it. */
static double try_active(block_problem *p, uint32_t active, double *x)
{
    double b[SN_MAX_ROWS] = {0}, worst = 0;
    for (uint32_t r = 0; r < p->rows; ++r) {
        b[r] = p->b[r];
        for (uint32_t s = 0; s < p->rows; ++s)
            if (!(active >> s & 1))
                b[r] -= p->a[r][s] * p->least[s];
    }
    solve_active(p->rows, active, p->a, b, x);
    for (uint32_t r = 0; r < p->rows; ++r) {
        if (!(active >> r & 1))
            x[r] = p->least[r];
        else if (p->inequality >> r & 1 && p->least[r] - x[r] > 0)
            worst = fmax(worst, (p->least[r] - x[r]) * p->a[r][r]);
    }
    /* also of rows that act: one that earlier rows made redundant got no multiplier, and may not hold */
    for (uint32_t r = 0; r < p->rows; ++r) {
        double missing = p->b[r];
        for (uint32_t s = 0; s < p->rows; ++s)
            missing -= p->a[r][s] * x[s];
        if (p->a[r][r] > 0)
            worst = fmax(worst, p->inequality >> r & 1 ? missing : fabs(missing));
    }
    return worst;
}

/* The best of all sets of acting rows. */
static void solve_problem(block_problem *p, uint32_t guess, double *best)
{
    double scale = 0;
    for (uint32_t r = 0; r < p->rows; ++r)
        scale = fmax(scale, fabs(p->b[r]));
    double least = try_active(p, guess, best);
    uint32_t all = (1u << p->rows) - 1, equalities = all & ~p->inequality;
    for (uint32_t set = 0; set <= all && least > REDUNDANT * scale; ++set) {
        double x[SN_MAX_ROWS];
        if ((set & equalities) != equalities)
            continue;
        double broken = try_active(p, set, x);
        if (broken < least) {
            least = broken;
            for (uint32_t r = 0; r < p->rows; ++r)
                best[r] = x[r];
        }
    }
    for (uint32_t r = 0; r < p->rows; ++r) /* rounding, or rows that contradict each other; still no inequality pulls */
        if (p->inequality >> r & 1 && best[r] < p->least[r])
            best[r] = p->least[r];
}

bool sn_row_step_block(const sn_block *block, uint32_t inequality, sn_row_give give, const sn_frame *frame,
                       const sn_real *lambda, sn_real *dlambda)
{
    for (uint32_t r = 0; r < block->rows; ++r)
        dlambda[r] = 0;
    block_problem p = {.rows = block->rows, .inequality = inequality};
    uint32_t acting = 0;
    for (uint32_t r = 0; r < block->rows; ++r) {
        double motion = give.gamma > 0 ? (double)give.gamma * (double)row_way(block, block->count, r, frame) : 0;
        p.b[r] = -(double)block->c[r] - (double)give.alpha * (double)lambda[r] - motion;
        p.least[r] = inequality >> r & 1 && give.alpha > 0 ? -(double)lambda[r] : 0;
        if (row_acts(inequality >> r & 1, block->c[r], give.alpha, lambda[r]))
            acting |= 1u << r;
        else /* damping makes no inequality act that the other rows do not violate: what counts is C + grad C . dx >= 0 */
            p.b[r] = -(1 + (double)give.gamma) * (double)block->c[r];
    }
    if (!acting)
        return true;
    double x[SN_MAX_ROWS];
    build_matrix(block, give, p.a);
    for (uint32_t r = 0; r < block->rows; ++r)
        if (!isfinite(block->c[r]) || !isfinite(p.a[r][r]))
            return false;
    if (inequality) /* also where none acts yet: the equalities may violate one */
        solve_problem(&p, acting, x);
    else
        solve_active(block->rows, acting, p.a, p.b, x);
    for (uint32_t r = 0; r < block->rows; ++r) {
        dlambda[r] = (sn_real)((double)give.k * x[r]);
        if (!isfinite(dlambda[r]))
            return false;
    }
    return true;
}

sn_real sn_row_residual(const sn_block *block, uint32_t inequality, sn_row_give give, const sn_frame *frame,
                        const sn_real *lambda)
{
    sn_real largest = 0;
    for (uint32_t r = 0; r < block->rows; ++r) {
        if (!row_acts(inequality >> r & 1, block->c[r], give.alpha, lambda[r]))
            continue;
        sn_real missed = block->c[r] + give.alpha * lambda[r], length2 = 0, mobility = 0;
        if (give.gamma > 0)
            missed += give.gamma * row_way(block, block->count, r, frame);
        for (uint32_t i = 0; i < block->count; ++i) {
            sn_vec3 g = block->gradient[r * block->count + i];
            length2 += vec3_dot(g, g);
            mobility += block->w[i] * vec3_dot(g, g);
        }
        bool can_change = mobility > 0 || give.alpha > 0;
        sn_real residual = can_change && length2 > 0 ? (missed < 0 ? -missed : missed) / real_sqrt(length2) : 0;
        if (residual > largest)
            largest = residual;
    }
    return largest;
}

/* The formula of solvers/row.h over lanes: the change of the multipliers of a constraint.

   One row is a quotient. Several rows are a block, with x the change of the multipliers:

       A x = b,   A = J W J^T + alpha / (1 + gamma),   b = (-C - alpha lambda - gamma grad C . (x - x0)) / (1 + gamma).

   Rows that are plain equalities come first and are eliminated by L D L^T. What is left is the Schur complement S of
   the bounded rows, at most six. Each bounded row has a law. With all others fixed, C after the step is an increasing
   linear function of the row's own x, and

       x = the solution of its equation, clamped to the bounds of the force;
           larger, if C would be below its lower limit; smaller, if C would be above its upper limit.

   The equation of an inequality is C = 0, and the lower bound of its force is 0. Each law is the derivative of a convex
   function, so visiting the rows one after the other (projected Gauss-Seidel) converges to the unique answer. Usually
   that is not needed: the rows are first solved together with those that act now as equalities, and if all laws hold,
   that is the answer. If not, a sweep finds out which rows are at their bounds and limits, the others are solved
   together again, and a last sweep enforces every bound. If the laws still do not hold, this is repeated with more
   sweeps. In all cases the result of a lane depends on that lane alone. */
#ifndef SN_SOLVERS_ROW_LANES_H
#define SN_SOLVERS_ROW_LANES_H

#include <sinew/lanes.h>

#define ROWS_SWEEPS 8 /* in a round, but for the first one, in which one is nearly always enough */
#define ROWS_ROUNDS 5

/* 1: all sets of active inequalities may be tried, in a file that solves one constraint at a time. */
#ifndef ROWS_TRY_SETS
#define ROWS_TRY_SETS 0
#endif

/* A pivot below this share of its diagonal means that the row depends on earlier rows (or, in a 2D world, acts on a
   locked coordinate). Such a row gets no multiplier of its own. */
#define ROWS_REDUNDANT (SINEW_DOUBLE ? 1e-12 : 1e-6)

typedef struct rows_problem {
    uint32_t rows, entries;
    uint32_t turns;        /* entries from here on are rotations */
    uint32_t rotational;   /* by row: its gradients by the other entries are 0 */
    uint32_t inequality;   /* by row: C >= 0 */
    uint32_t bounded;      /* by row: it may be other than an equality */
    const lanes *w;        /* by entry */
    const lanes3 *linear;  /* gradients by the entries that are not rotations: [row * turns + entry] */
    const lanes3 *turning; /* gradients by rotations: [row * (entries - turns) + entry - turns] */
    const lanes *product;  /* J W J^T, its lower half: [row * SN_MAX_ROWS + row]; NULL: computed from gradients */
    const lanes *c;
    const lanes *displacement;      /* grad C . (x - x0); NULL: no row needs it */
    const lanes *rate_displacement; /* the same without the rounding of x0, for rates */
    const lanes_row *row;           /* descriptions of the rows; NULL: the kind has no own_rows */
    flags exists;                   /* other lanes get 0 */
    lanes alpha, gamma, k;
    lanes inverse_h;
    const lanes *lambda;
    lanes *step; /* the result */
} rows_problem;

/* sum w grad_r . grad_s */
SN_LANES_INLINE lanes rows_product(const rows_problem *p, uint32_t r, uint32_t s)
{
    if (p->product)
        return p->product[r * SN_MAX_ROWS + s];
    const uint32_t rotations = p->entries - p->turns;
    const lanes3 *a = p->linear + r * p->turns, *b = p->linear + s * p->turns;
    const bool linear = p->turns && !((p->rotational >> r | p->rotational >> s) & 1);
    lanes sum = lanes_all(0);
    if (linear)
        sum = p->w[0] * lanes3_dot(a[0], b[0]);
    for (uint32_t e = 1; linear && e < p->turns; ++e)
        sum = sum + p->w[e] * lanes3_dot(a[e], b[e]);
    a = p->turning + r * rotations;
    b = p->turning + s * rotations;
    for (uint32_t e = 0; e < rotations; ++e) {
        const lanes product = p->w[p->turns + e] * lanes3_dot(a[e], b[e]);
        sum = linear || e ? sum + product : product;
    }
    return sum;
}

/* ---- One row without a description ------------------------------------------------------------------------------- */

/* If the mobility is beyond the range of numbers, the step is not a number, so that it is noticed. (Damping may make
   the denominator infinite: then nothing moves.) */
SN_LANES_INLINE void rows_solve_one(const rows_problem *p)
{
    const lanes zero = lanes_all(0), c = p->c[0], lambda = p->lambda[0];
    const lanes mobility = rows_product(p, 0, 0);
    lanes give = mobility, wanted = (zero - c) - p->alpha * lambda;
    if (p->displacement) {
        wanted = wanted - p->gamma * p->displacement[0];
        give = (lanes_all(1) + p->gamma) * give;
    }
    give = give + p->alpha;
    flags acts = p->exists & lanes_unequal(give, zero);
    if (p->inequality)
        acts &= ~lanes_at_least(c, zero) | (lanes_above(p->alpha, zero) & lanes_above(lambda, zero));
    lanes step = lanes_keep(acts, p->k * ((wanted + (mobility - mobility)) / give));
    if (p->inequality)
        step = lanes_choose(lanes_above(zero, lambda + step), zero - lambda, step);
    p->step[0] = step;
}

/* ---- Three equal rows along the axes (sn_kind.axial) ------------------------------------------------------------- */

/* The same result as that of rows_solve_block: the matrix is a number times the identity. */
SN_LANES_INLINE void rows_solve_axes(const rows_problem *p)
{
    const lanes zero = lanes_all(0), one = lanes_all(1);
    lanes pivot = p->w[0] * (p->linear[0].x * p->linear[0].x), soft = p->alpha;
    for (uint32_t e = 1; e < p->entries; ++e)
        pivot = pivot + p->w[e] * (p->linear[e].x * p->linear[e].x);
    if (p->displacement)
        soft = p->alpha / (one + p->gamma);
    pivot = pivot + soft;
    const flags good = lanes_above(pivot, lanes_all(ROWS_REDUNDANT) * pivot) | lanes_unequal(pivot - pivot, zero);
    const lanes inverse = lanes_keep(good, one / pivot);
    for (uint32_t r = 0; r < 3; ++r) {
        lanes wanted = (zero - p->c[r]) - p->alpha * p->lambda[r];
        if (p->displacement)
            wanted = (wanted - p->gamma * p->displacement[r]) / (one + p->gamma);
        p->step[r] = lanes_keep(p->exists & good, p->k * (wanted * inverse));
    }
}

/* ---- Several rows ------------------------------------------------------------------------------------------------ */

typedef struct rows_block {
    uint32_t first;                    /* the first bounded row */
    lanes a[SN_MAX_ROWS][SN_MAX_ROWS]; /* lower half of J W J^T; later L below the diagonal, and S among bounded rows */
    lanes inverse[SN_MAX_ROWS];        /* of pivots; 0: redundant */
    lanes y[SN_MAX_ROWS];              /* right-hand sides during elimination */
    lanes soft[SN_MAX_ROWS];           /* alpha / (1 + gamma) */
    lanes least_pivot[SN_MAX_ROWS];
    /* for bounded rows: */
    lanes ask[SN_MAX_ROWS];                      /* the wanted J W J^T x, without the part of the equalities */
    lanes low[SN_MAX_ROWS], high[SN_MAX_ROWS];   /* the same at the limits; infinite: no limit */
    lanes least[SN_MAX_ROWS], most[SN_MAX_ROWS]; /* bounds of x */
    flags acts[SN_MAX_ROWS];                     /* it is first solved as an equality */
    lanes at_rest[SN_MAX_ROWS];                  /* x where it does not act */
    lanes x[SN_MAX_ROWS];
    bool any_limit;
} rows_block;

SN_LANES_INLINE lanes rows_infinity(void)
{
    return lanes_all((double)INFINITY);
}

/* Sets the right-hand side, bounds and limits of a row. */
SN_LANES_INLINE void rows_ask(const rows_problem *p, uint32_t r, rows_block *b)
{
    const lanes zero = lanes_all(0), one = lanes_all(1), top = lanes_all(1e30), lambda = p->lambda[r];
    const bool is_bounded = r >= b->first;
    b->x[r] = zero;
    lanes alpha = p->alpha, gamma = p->gamma, c = p->c[r];
    flags inequality = p->inequality >> r & 1 ? flags_everywhere() : flags_nowhere(), rest = flags_nowhere();
    if (p->row) {
        const lanes_row *row = &p->row[r];
        lanes more = row->compliance * p->inverse_h;
        flags own = lanes_unequal(row->compliance, zero);
        alpha = lanes_choose(own, lanes_min(alpha + more * p->inverse_h, top), alpha);
        gamma = lanes_choose(own, lanes_min(gamma + more * row->damping, top), gamma);
        rest = row->rest;
        inequality = row->at_least | (inequality & ~rest);
        if (p->displacement)
            c = lanes_choose(row->rate, p->rate_displacement[r] - row->speed / p->inverse_h, c);
    }
    lanes wanted = (zero - c) - alpha * lambda;
    if (p->displacement) {
        wanted = (wanted - gamma * p->displacement[r]) / (one + gamma);
        b->soft[r] = alpha / (one + gamma);
    } else {
        b->soft[r] = alpha;
    }
    if (!is_bounded) {
        b->y[r] = wanted;
        return;
    }
    flags acts =
        ~rest & (~inequality | ~lanes_at_least(c, zero) | (lanes_above(alpha, zero) & lanes_above(lambda, zero)));
    /* an inequality acts only if the other rows violate it; damping alone has no effect */
    b->ask[r] = lanes_choose(acts, wanted, zero - c);
    b->acts[r] = acts;
    b->least[r] = lanes_choose(inequality, lanes_keep(lanes_above(alpha, zero), zero - lambda), zero - rows_infinity());
    b->most[r] = rows_infinity();
    b->low[r] = zero - rows_infinity();
    b->high[r] = rows_infinity();
    if (p->row) {
        const lanes_row *row = &p->row[r];
        lanes most = row->most / (p->inverse_h * p->inverse_h);
        flags has = lanes_above(row->most, zero);
        b->least[r] = lanes_choose(has, lanes_max(b->least[r], zero - most - lambda), b->least[r]);
        b->most[r] = lanes_choose(has, most - lambda, b->most[r]);
        b->least[r] = lanes_keep(~rest, b->least[r]);
        b->most[r] = lanes_keep(~rest, b->most[r]);
        flags limited = lanes_unequal(row->low, zero) | lanes_unequal(row->high, zero);
        lanes to_limit = p->c[r] + p->alpha * lambda;
        b->low[r] = lanes_choose(limited, row->low - to_limit, b->low[r]);
        b->high[r] = lanes_choose(limited, row->high - to_limit, b->high[r]);
        b->any_limit = b->any_limit || flags_any(limited);
    }
    b->at_rest[r] = lanes_max(b->least[r], lanes_min(b->most[r], zero));
}

/* Eliminates the equalities: L D L^T of the matrix and its right-hand sides. The part of the bounded rows becomes S. */
SN_LANES_INLINE void rows_eliminate(const rows_problem *p, rows_block *b)
{
    const lanes zero = lanes_all(0), one = lanes_all(1);
    for (uint32_t r = 0; r < p->rows; ++r) {
        lanes *row = b->a[r];
        for (uint32_t s = 0; s <= r; ++s)
            row[s] = rows_product(p, r, s);
        b->least_pivot[r] = lanes_all(ROWS_REDUNDANT) * (row[r] + b->soft[r]);
        const uint32_t end = r < b->first ? r : b->first;
        lanes u[SN_MAX_ROWS];
        for (uint32_t s = 0; s < end; ++s) {
            lanes sum = row[s];
            for (uint32_t t = 0; t < s; ++t)
                sum = sum - u[t] * b->a[s][t];
            u[s] = sum;
            row[s] = sum * b->inverse[s];
        }
        /* for a bounded row, y is the effect of the equalities */
        lanes y = r < b->first ? b->y[r] : zero;
        for (uint32_t t = 0; t < end; ++t)
            y = y - row[t] * b->y[t];
        b->y[r] = y;
        for (uint32_t s = b->first; s < r; ++s)
            for (uint32_t t = 0; t < end; ++t)
                row[s] = row[s] - u[t] * b->a[s][t];
        for (uint32_t t = 0; t < end; ++t)
            row[r] = row[r] - u[t] * row[t];
        if (r < b->first) {
            lanes pivot = row[r] + b->soft[r];
            flags good = lanes_above(pivot, b->least_pivot[r]);
            /* a pivot that is not a number stays so */
            b->inverse[r] = lanes_keep(good | lanes_unequal(pivot - pivot, zero), one / pivot);
        } else {
            b->ask[r] = b->ask[r] + y;
            b->low[r] = b->low[r] + y;
            b->high[r] = b->high[r] + y;
        }
    }
}

SN_LANES_INLINE lanes rows_among(const rows_block *b, uint32_t r, uint32_t s)
{
    return r > s ? b->a[r][s] : b->a[s][r];
}

/* Solves the free rows together, for `target` with `soft` on the diagonal. The other rows have x = held. */
SN_LANES_INLINE void rows_solve_free(const rows_problem *p, const rows_block *b, const flags *is_free,
                                     const lanes *target, const lanes *soft, const lanes *held, lanes *x)
{
    const lanes zero = lanes_all(0), one = lanes_all(1);
    lanes l[SN_MAX_ROWS][SN_MAX_ROWS], inverse[SN_MAX_ROWS], y[SN_MAX_ROWS];
    for (uint32_t r = b->first; r < p->rows; ++r) {
        lanes u[SN_MAX_ROWS], pivot = b->a[r][r] + soft[r], sum = target[r];
        for (uint32_t s = b->first; s < p->rows; ++s)
            if (s != r)
                sum = sum - lanes_keep(~is_free[s], rows_among(b, r, s) * held[s]);
        for (uint32_t s = b->first; s < r; ++s) {
            lanes v = lanes_keep(is_free[r] & is_free[s], b->a[r][s]);
            for (uint32_t t = b->first; t < s; ++t)
                v = v - u[t] * l[s][t];
            u[s] = v;
            l[r][s] = v * inverse[s];
            pivot = pivot - v * l[r][s];
            sum = sum - l[r][s] * y[s];
        }
        flags good = lanes_above(pivot, b->least_pivot[r]) | lanes_unequal(pivot - pivot, zero);
        inverse[r] = lanes_keep(is_free[r] & good, one / pivot);
        y[r] = sum;
    }
    for (uint32_t r = p->rows; r-- > b->first;) {
        lanes sum = y[r] * inverse[r];
        for (uint32_t s = r + 1; s < p->rows; ++s)
            sum = sum - lanes_keep(is_free[s], l[s][r] * x[s]);
        sum = lanes_keep(lanes_unequal(inverse[r], zero), sum);
        x[r] = lanes_choose(is_free[r], sum, held[r]);
    }
}

/* The state of the rows by their laws. */
typedef struct rows_state {
    flags is_free[SN_MAX_ROWS]; /* it gets its target */
    flags at_limit[SN_MAX_ROWS];
    lanes target[SN_MAX_ROWS], soft[SN_MAX_ROWS], held[SN_MAX_ROWS];
} rows_state;

/* The x of a row by its law, with the others fixed. */
SN_LANES_INLINE lanes rows_law(const rows_problem *p, const rows_block *b, uint32_t r, rows_state *state)
{
    const lanes zero = lanes_all(0);
    lanes others = zero;
    for (uint32_t s = b->first; s < p->rows; ++s)
        if (s != r)
            others = others + rows_among(b, r, s) * b->x[s];
    const lanes own = b->a[r][r], stiff = own + b->soft[r], rigid = own + p->alpha;
    const flags moves = lanes_above(stiff, b->least_pivot[r]);
    const lanes wanted = lanes_keep(moves, (b->ask[r] - others) / stiff);
    lanes x = lanes_max(b->least[r], lanes_min(b->most[r], wanted));
    state->is_free[r] = moves & lanes_above(wanted, b->least[r]) & lanes_above(b->most[r], wanted);
    state->at_limit[r] = flags_nowhere();
    state->target[r] = b->ask[r];
    state->soft[r] = b->soft[r];
    if (b->any_limit) {
        const flags can = lanes_above(rigid, b->least_pivot[r]);
        const lanes low = (b->low[r] - others) / rigid, high = (b->high[r] - others) / rigid;
        const flags below = can & lanes_above(low, x), above = can & lanes_above(x, high) & ~below;
        x = lanes_choose(below, low, lanes_choose(above, high, x));
        state->at_limit[r] = below | above;
        state->is_free[r] |= below | above;
        state->target[r] = lanes_choose(below, b->low[r], lanes_choose(above, b->high[r], b->ask[r]));
        state->soft[r] = lanes_choose(below | above, p->alpha, b->soft[r]);
    }
    state->held[r] = x;
    return x;
}

/* Where the laws do not hold. With `strict`: an acting row is beyond its bounds or limits, or a row that does not act
   should. Always: the distance of a row from its law is more than rounding, for example of a row that was treated as
   redundant but does not follow from earlier rows. */
SN_LANES_INLINE flags rows_wrong(const rows_problem *p, const rows_block *b, bool strict)
{
    flags wrong = flags_nowhere();
    lanes scale = lanes_all(0), worst = scale;
    rows_state state;
    for (uint32_t r = b->first; r < p->rows; ++r) {
        const lanes x = b->x[r], law = rows_law(p, b, r, &state);
        const flags beyond = lanes_above(b->least[r], x) | lanes_above(x, b->most[r]) | state.at_limit[r];
        if (strict)
            wrong |= (b->acts[r] & beyond) | (~b->acts[r] & lanes_unequal(law, x));
        worst = lanes_max(lanes_abs(law - x) * (b->a[r][r] + state.soft[r]), worst);
        scale = lanes_max(lanes_abs(state.target[r]), scale);
    }
    return p->rows - b->first > 1 ? wrong | lanes_above(worst, lanes_all(ROWS_REDUNDANT) * scale) : wrong;
}

#if ROWS_TRY_SETS
/* Where sweeps converge too slowly: tries every set of acting inequalities, until one fulfils the laws. Other rows keep
   their state. */
SN_LANES_INLINE void rows_try_sets(const rows_problem *p, rows_block *b, rows_state *state, flags wrong)
{
    const uint32_t bounded = p->rows - b->first;
    lanes best[SN_MAX_ROWS];
    memcpy(best, b->x, sizeof best);
    for (uint32_t set = 0; set < 1u << bounded && flags_any(wrong); ++set) {
        flags is_free[SN_MAX_ROWS];
        flags right = wrong;
        for (uint32_t r = b->first; r < p->rows; ++r) {
            const flags pushes_only =
                lanes_above(b->least[r], lanes_all(0) - rows_infinity()) & ~lanes_above(rows_infinity(), b->most[r]);
            is_free[r] =
                (set >> (r - b->first) & 1 ? pushes_only : flags_nowhere()) | (~pushes_only & state->is_free[r]);
            state->held[r] = lanes_choose(pushes_only, b->least[r], state->held[r]);
        }
        rows_solve_free(p, b, is_free, state->target, state->soft, state->held, b->x);
        for (uint32_t r = b->first; r < p->rows; ++r)
            right &= ~lanes_above(b->least[r], b->x[r]);
        right &= ~rows_wrong(p, b, false);
        for (uint32_t r = b->first; r < p->rows; ++r)
            best[r] = lanes_choose(right, b->x[r], best[r]);
        wrong &= ~right;
    }
    memcpy(b->x, best, sizeof best);
}
#endif

/* Solves the bounded rows. */
SN_LANES_INLINE void rows_settle(const rows_problem *p, rows_block *b)
{
    const lanes zero = lanes_all(0);
    lanes before[SN_MAX_ROWS];
    rows_state state;
    rows_solve_free(p, b, b->acts, b->ask, b->soft, b->at_rest, b->x);
    flags wrong = rows_wrong(p, b, true);
    for (uint32_t round = 0; round < ROWS_ROUNDS && flags_any(wrong); ++round) {
        for (uint32_t r = b->first; r < p->rows; ++r) {
            lanes x = b->x[r];
            before[r] = x;
            x = lanes_keep(~lanes_unequal(x - x, zero), x);
            b->x[r] = lanes_max(b->least[r], lanes_min(b->most[r], x));
        }
        for (uint32_t i = 0; i < (round ? ROWS_SWEEPS : 1); ++i)
            for (uint32_t r = b->first; r < p->rows; ++r)
                b->x[r] = rows_law(p, b, r, &state);
        if (p->rows - b->first > 1) {
            rows_solve_free(p, b, state.is_free, state.target, state.soft, state.held, b->x);
            for (uint32_t r = b->first; r < p->rows; ++r)
                b->x[r] = rows_law(p, b, r, &state);
        }
        for (uint32_t r = b->first; r < p->rows; ++r)
            b->x[r] = lanes_choose(wrong, b->x[r], before[r]);
        wrong &= rows_wrong(p, b, false);
    }
#if ROWS_TRY_SETS
    if (flags_any(wrong))
        rows_try_sets(p, b, &state, wrong);
#endif
}

/* The first bounded row. */
SN_LANES_INLINE uint32_t rows_first(const rows_problem *p)
{
    uint32_t first = 0;
    while (first < p->rows && !(p->bounded >> first & 1))
        ++first;
    return first;
}

SN_LANES_INLINE void rows_solve_block(const rows_problem *p, uint32_t first)
{
    const lanes zero = lanes_all(0);
    rows_block b;
    b.first = first;
    b.any_limit = false;
    for (uint32_t r = 0; r < p->rows; ++r)
        rows_ask(p, r, &b);
    rows_eliminate(p, &b);
    if (b.first < p->rows)
        rows_settle(p, &b);
    for (uint32_t r = b.first; r-- > 0;) {
        lanes sum = b.y[r] * b.inverse[r];
        for (uint32_t s = r + 1; s < p->rows; ++s)
            sum = sum - b.a[s][r] * b.x[s];
        b.x[r] = lanes_keep(lanes_unequal(b.inverse[r], zero), sum);
    }
    for (uint32_t r = 0; r < p->rows; ++r)
        p->step[r] = lanes_keep(p->exists, p->k * b.x[r]);
}

SN_LANES_INLINE void rows_solve(const rows_problem *p)
{
    if (p->rows == 1 && !p->row)
        rows_solve_one(p);
    else
        rows_solve_block(p, rows_first(p));
}

#endif

/* The rows of a rope, eliminated and substituted: see chain.h for what it is about. This part of it is in lanes of doubles only,
   of which avx512.c has more: a source defines CHAIN_WIDTH, 1, 2, 4 or 8, and includes this file. */
#ifndef SN_WIDE_CHAIN_ROWS_H
#define SN_WIDE_CHAIN_ROWS_H

#include "base/simd.h"
#include "base/symmetric.h"
#include "wide/wide.h"

#include <float.h>
#if CHAIN_WIDTH >= 4 && defined(__AVX__)
#include <immintrin.h>
#endif

#define CHAIN_LEAST_DET 1e-8 /* of a block, as a share of the product of its diagonal */

/* Where there is no tension, kappa (w_i + w_i+1) is this: a spring that returns a ten millionth of a way across. What
   it changes is proportional to it; rounding in the inverse of a block is to one over it, and takes over below 1e-8. It
   must be well above CHAIN_LEAST_DET. */
#define CHAIN_LEAST_KAPPA 1e-7

/* Above this a number is no finite sn_real. */
#define CHAIN_LARGEST (SINEW_DOUBLE ? DBL_MAX : (double)FLT_MAX)

#define STRETCHES SN_CHAIN_STRETCHES

/* Scratch, by row, with all of a row side by side: numbers of sn_real of its links and of the particles before them, eight of
   each; and of double, with what is kept for the way back: what a row was given without its neighbours, what the next row adds to it,
   and what the joint before adds. */
enum { NX, NY, NZ, MISSED, TURN, W, BETWEEN, LAMBDA0, MOVE_X, MOVE_Y, MOVE_Z, CHAIN_REALS };
enum { TENSION, LAMBDA, BACK, CHAIN_DOUBLES = BACK + 18 };
enum { REAL_ROW = CHAIN_REALS * STRETCHES, NUMBER_ROW = CHAIN_DOUBLES * STRETCHES };

_Static_assert((int)CHAIN_REALS == (int)SN_CHAIN_REALS && (int)CHAIN_DOUBLES == (int)SN_CHAIN_DOUBLES,
               "as much scratch as wide.h says");

/* ---- Lanes of doubles ---------------------------------------------------------------------------------------------------- */

#if CHAIN_WIDTH > 1
typedef double doubles __attribute__((vector_size(CHAIN_WIDTH * 8)));
typedef int64_t doubles_flags __attribute__((vector_size(CHAIN_WIDTH * 8)));
typedef lane_number doubles_reals __attribute__((vector_size(CHAIN_WIDTH * sizeof(lane_number))));

SN_INLINE doubles doubles_all(double a)
{
    return a - (doubles){0};
}

SN_INLINE doubles doubles_of(const lane_number *from)
{
#if CHAIN_WIDTH == 8 && defined(__AVX512F__)
    return (doubles)_mm512_cvtps_pd(_mm256_loadu_ps(from));
#elif CHAIN_WIDTH == 4 && defined(__AVX__) && !SINEW_DOUBLE
    return (doubles)_mm256_cvtps_pd(_mm_loadu_ps(from)); /* gcc would make two halves of it, and join them in memory */
#else
    doubles_reals a;
    memcpy(&a, from, sizeof a);
    return __builtin_convertvector(a, doubles);
#endif
}

SN_INLINE void doubles_round(lane_number *to, doubles a)
{
    const doubles_reals rounded = __builtin_convertvector(a, doubles_reals);
    memcpy(to, &rounded, sizeof rounded);
}

SN_INLINE doubles doubles_keep(doubles_flags where, doubles a)
{
    return (doubles)(where & (doubles_flags)a);
}

SN_INLINE doubles_flags doubles_above(doubles a, doubles b)
{
    return a > b;
}

SN_INLINE doubles_flags doubles_at_least(doubles a, doubles b)
{
    return a >= b;
}

SN_INLINE doubles doubles_abs(doubles a)
{
    return (doubles)((doubles_flags)a & INT64_MAX);
}

SN_INLINE bool doubles_all_flagged(doubles_flags where)
{
    int64_t all = -1;
    for (int i = 0; i < CHAIN_WIDTH; ++i)
        all &= where[i];
    return all != 0;
}
#else
typedef double doubles;
typedef int64_t doubles_flags;

SN_INLINE doubles doubles_all(double a)
{
    return a;
}

SN_INLINE doubles doubles_of(const lane_number *from)
{
    return (double)*from;
}

SN_INLINE void doubles_round(lane_number *to, doubles a)
{
    *to = (lane_number)a;
}

SN_INLINE doubles doubles_keep(doubles_flags where, doubles a)
{
    return where ? a : 0;
}

SN_INLINE doubles_flags doubles_above(doubles a, doubles b)
{
    return -(int64_t)(a > b);
}

SN_INLINE doubles_flags doubles_at_least(doubles a, doubles b)
{
    return -(int64_t)(a >= b);
}

SN_INLINE doubles doubles_abs(doubles a)
{
    return fabs(a);
}

SN_INLINE bool doubles_all_flagged(doubles_flags where)
{
    return where != 0;
}
#endif

SN_INLINE doubles doubles_load(const double *from)
{
    doubles a;
    memcpy(&a, from, sizeof a);
    return a;
}

SN_INLINE void doubles_store(double *to, doubles a)
{
    memcpy(to, &a, sizeof a);
}

/* a if it is the larger one, otherwise b. */
SN_INLINE doubles doubles_larger(doubles a, doubles b)
{
#if CHAIN_WIDTH == 8 && defined(__AVX512F__)
    return (doubles)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif CHAIN_WIDTH == 4 && defined(__AVX__)
    return (doubles)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif CHAIN_WIDTH > 1
    const doubles_flags where = a > b;
    return (doubles)((where & (doubles_flags)a) | (~where & (doubles_flags)b));
#else
    return a > b ? a : b;
#endif
}

SN_INLINE doubles_flags doubles_any(void)
{
    return doubles_above(doubles_all(1), doubles_all(0));
}

/* Three coordinates, and symmetric matrices: xx, yy, zz, xy, xz, yz. */
typedef struct doubles3 {
    doubles x, y, z;
} doubles3;

typedef struct doubles6 {
    doubles m[6];
} doubles6;

/* a x + b y + c z, and a b - c d. */
SN_INLINE doubles chain_sum(doubles a, doubles x, doubles b, doubles y, doubles c, doubles z)
{
    return a * x + b * y + c * z;
}

SN_INLINE doubles3 chain_times(const doubles6 *s, doubles3 a)
{
    return (doubles3){chain_sum(s->m[0], a.x, s->m[3], a.y, s->m[4], a.z),
                      chain_sum(s->m[3], a.x, s->m[1], a.y, s->m[5], a.z),
                      chain_sum(s->m[4], a.x, s->m[5], a.y, s->m[2], a.z)};
}

SN_INLINE doubles3 chain_scale(doubles s, doubles3 a)
{
    return (doubles3){s * a.x, s * a.y, s * a.z};
}

SN_INLINE doubles3 chain_add(doubles3 a, doubles3 b)
{
    return (doubles3){a.x + b.x, a.y + b.y, a.z + b.z};
}

SN_INLINE doubles chain_dot(doubles3 a, doubles3 b)
{
    return chain_sum(a.x, b.x, a.y, b.y, a.z, b.z);
}

/* ---- The chain at work ---------------------------------------------------------------------------------------------------- */

/* Some stretches of a row: where its numbers are. */
typedef struct chain_row {
    sn_real *real;
    double *number;
} chain_row;

#define REALS(at, column)      ((at).real + (column)*STRETCHES)
#define REALS_NEXT(at, column) ((at).real + REAL_ROW + (column)*STRETCHES)
#define NUMBERS(at, column)    ((at).number + (column)*STRETCHES)

typedef struct chain {
    const sn_wide_chain *run;
    uint32_t rows;
    /* By stretch, of the joints: their own equation, less what their stretch adds, and how they are coupled to the joint before; and
       what the stretch behind takes from them. [c * 8 + stretch] */
    double own[6 * STRETCHES], wanted[3 * STRETCHES], coupled[9 * STRETCHES], taken[6 * STRETCHES],
        given[3 * STRETCHES];
    double joint_lambda[STRETCHES], lambda_before[STRETCHES];
    double force[3 * STRETCHES], before[3 * STRETCHES]; /* of the joints, and of those before: lambda, and F */
    double gives;                                       /* m: the most of w lambda of a link */
    bool usual;
    bool turns, bent, finite; /* to be solved again, with kappa; kappa matters; all multipliers are finite */
} chain;

SN_INLINE chain_row place_of(const chain *k, uint32_t row, uint32_t stretch)
{
    return (chain_row){k->run->real + (size_t)row * REAL_ROW + stretch,
                       k->run->number + (size_t)row * NUMBER_ROW + stretch};
}

SN_INLINE chain_row place_beside(chain_row at, uint32_t part)
{
    return (chain_row){at.real + part * CHAIN_WIDTH, at.number + part * CHAIN_WIDTH};
}

SN_INLINE chain_row place_after(chain_row at)
{
    return (chain_row){at.real + REAL_ROW, at.number + NUMBER_ROW};
}

SN_INLINE chain_row place_before(chain_row at)
{
    return (chain_row){at.real - REAL_ROW, at.number - NUMBER_ROW};
}

/* ---- Without turning --------------------------------------------------------------------------------------------------------- */

/* Several vectors of stretches at a time do not wait for each other. */
#define CHAIN_PARTS (STRETCHES / CHAIN_WIDTH > 1 ? 2u : 1u)

SN_INLINE doubles3 chain_direction(const sn_real *real)
{
    return (doubles3){doubles_of(real + NX * STRETCHES), doubles_of(real + NY * STRETCHES),
                      doubles_of(real + NZ * STRETCHES)};
}

/* What a row hands to the next. */
typedef struct straight {
    doubles soft, least_pivot;
    doubles3 n;                /* of the row to come, */
    doubles own, w;            /*   its A without what it gives, and w of the particle behind it */
    doubles coupling, inverse; /* to the row before, and 1 / its pivot, */
    doubles z;                 /*   and what it would be if rows behind it were 0 */
    doubles joint;             /* how the row to come is coupled to the joint before the stretch, */
    doubles taken, given;      /*   and what that joint's A and right-hand side have lost and got so far */
    doubles_flags usual;       /* so far all pivots were */
} straight;

SN_INLINE void straight_look(const sn_real *real, straight *s)
{
    const doubles w = doubles_of(real + REAL_ROW + W * STRETCHES);
    s->n = chain_direction(real);
    s->own = (s->w + w) * chain_dot(s->n, s->n);
    s->w = w;
}

/* joint: n of the joint before the stretch. */
SN_INLINE straight straight_start(const chain *k, uint32_t lane, doubles3 joint)
{
    const doubles none = doubles_all(0);
    const chain_row at = place_of(k, 0, lane);
    straight s = {.soft = doubles_all(k->run->soft),
                  .least_pivot = doubles_all(k->run->least_pivot),
                  .w = doubles_of(REALS(at, W)),
                  .coupling = none,
                  .inverse = none,
                  .z = none,
                  .taken = none,
                  .given = none,
                  .usual = doubles_any()};
    straight_look(at.real, &s);
    s.joint = doubles_of(REALS(at, BETWEEN)) * chain_dot(joint, s.n);
    return s;
}

SN_INLINE straight straight_begin(const chain *k, uint32_t lane)
{
    lane_number before[3][STRETCHES] = {{0}}; /* n of the joint before each stretch */
    for (uint32_t axis = 0; axis < 3; ++axis)
        memcpy(before[axis] + 1, REALS(place_of(k, k->rows - 1, 0), NX + axis), (STRETCHES - 1) * sizeof(sn_real));
    return straight_start(
        k, lane, (doubles3){doubles_of(before[0] + lane), doubles_of(before[1] + lane), doubles_of(before[2] + lane)});
}

SN_INLINE doubles straight_pivot(const straight *s)
{
    return (s->own + s->soft * s->own) - s->coupling * s->coupling * s->inverse;
}

SN_INLINE doubles straight_wanted(chain_row at, const straight *s)
{
    return s->coupling * s->z - doubles_of(REALS(at, MISSED));
}

/* Eliminates a row. */
SN_INLINE void straight_step(chain_row at, straight *s)
{
    const doubles pivot = straight_pivot(s), wanted = straight_wanted(at, s);
    s->usual &= doubles_above(pivot, s->least_pivot * s->own);
    s->inverse = doubles_all(1) / pivot;
    s->z = wanted * s->inverse;
    const doubles joint = s->joint * s->inverse;
    const doubles3 n = s->n;
    s->taken = s->taken + s->joint * joint;
    s->given = s->given + s->joint * s->z;
    straight_look(at.real + REAL_ROW, s);
    s->coupling = doubles_of(REALS_NEXT(at, BETWEEN)) * chain_dot(n, s->n);
    s->joint = s->coupling * joint;
    doubles_store(NUMBERS(at, BACK), s->z);
    doubles_store(NUMBERS(at, BACK + 1), s->coupling * s->inverse);
    doubles_store(NUMBERS(at, BACK + 2), joint);
}

SN_INLINE void straight_end(chain *k, uint32_t lane, const straight *s)
{
    const chain_row at = place_of(k, k->rows - 1, lane);
    doubles_store(k->own + lane, straight_pivot(s));
    doubles_store(k->own + STRETCHES + lane, s->least_pivot * s->own);
    doubles_store(k->wanted + lane, straight_wanted(at, s));
    doubles_store(k->coupled + lane, s->joint);
    doubles_store(k->taken + lane, s->taken);
    doubles_store(k->given + lane, s->given);
}

SN_APART void straight_forth(chain *k)
{
    doubles_flags usual = doubles_any();
    for (uint32_t first = 0; first < STRETCHES; first += CHAIN_PARTS * CHAIN_WIDTH) {
        straight s[CHAIN_PARTS];
        chain_row at = place_of(k, 0, first);
        for (uint32_t p = 0; p < CHAIN_PARTS; ++p)
            s[p] = straight_begin(k, first + p * CHAIN_WIDTH);
        for (uint32_t row = 0; row + 1 < k->rows; ++row, at = place_after(at))
            for (uint32_t p = 0; p < CHAIN_PARTS; ++p)
                straight_step(place_beside(at, p), &s[p]);
        for (uint32_t p = 0; p < CHAIN_PARTS; ++p) {
            straight_end(k, first + p * CHAIN_WIDTH, &s[p]);
            usual &= s[p].usual;
        }
    }
    k->usual = doubles_all_flagged(usual);
}

/* lambda of the joints, one after the other. */
static void straight_joints(chain *k)
{
    double inverse[STRETCHES], z[STRETCHES];
    for (uint32_t s = 0; s < STRETCHES; ++s) {
        const bool last = s + 1 == STRETCHES;
        double pivot = k->own[s] - (last ? 0 : k->taken[s + 1]), wanted = k->wanted[s] + (last ? 0 : k->given[s + 1]);
        if (s) {
            pivot = pivot - k->coupled[s] * k->coupled[s] * inverse[s - 1];
            wanted = wanted + k->coupled[s] * z[s - 1];
        }
        k->usual &= pivot > k->own[STRETCHES + s];
        inverse[s] = 1 / pivot;
        z[s] = wanted * inverse[s];
    }
    k->joint_lambda[STRETCHES - 1] = z[STRETCHES - 1];
    for (uint32_t s = STRETCHES - 1; s-- > 0;)
        k->joint_lambda[s] = z[s] + k->coupled[s + 1] * inverse[s] * k->joint_lambda[s + 1];
}

/* ---- The way back ------------------------------------------------------------------------------------------------------------- */

/* From the joints to the first rows: the force of a row of links is found from that of the row behind it and that of the joint
   before the stretch. The particles between two rows are then known to move; those of the first row are between a joint
   and this row. */
typedef struct coming {
    doubles lambda, joint_lambda; /* of the row behind, and of the joint before the stretch */
    doubles3 force, joint_force;
    doubles w;                         /* of the particles before the row behind */
    doubles limit, stale;              /* of sn_wide_chain */
    doubles gives;                     /* the most of w lambda */
    doubles_flags turns, bent, finite; /* what was found of all links */
} coming;

/* Notes lambda and kappa of a row; see set_kappa in solvers/forest_solve.c. One of the particles of every link has two links. w is
   that of the particles behind. */
SN_INLINE void coming_note(chain_row at, doubles behind, bool turning, coming *c)
{
    const doubles zero = doubles_all(0), all = doubles_of(REALS(at, LAMBDA0)) + c->lambda;
    const doubles pull = (zero - all) * doubles_of(REALS(at, TURN)),
                  now = doubles_keep(doubles_above(pull, zero), pull);
    const doubles used = turning ? c->stale * doubles_load(NUMBERS(at, TENSION)) : zero;
    c->w = doubles_of(REALS(at, W));
    const doubles w = c->w + behind, s = w * doubles_all(2), size = doubles_abs(c->lambda);
    c->turns |= doubles_above(s * (now - used), c->limit);
    c->bent |= doubles_above(s * now, c->limit);
    c->finite &= doubles_at_least(doubles_all(CHAIN_LARGEST), size);
    c->gives = doubles_larger(w * size, c->gives);
    doubles_store(NUMBERS(at, TENSION), now);
    doubles_store(NUMBERS(at, LAMBDA), c->lambda);
}

SN_INLINE doubles3 chain_less(doubles3 a, doubles3 b)
{
    return (doubles3){a.x - b.x, a.y - b.y, a.z - b.z};
}

SN_INLINE void chain_put_move(sn_real *real, doubles w, doubles3 force)
{
    doubles_round(real + MOVE_X * STRETCHES, w * force.x);
    doubles_round(real + MOVE_Y * STRETCHES, w * force.y);
    doubles_round(real + MOVE_Z * STRETCHES, w * force.z);
}

SN_INLINE doubles3 chain_load3(const double *from)
{
    return (doubles3){doubles_load(from), doubles_load(from + STRETCHES), doubles_load(from + 2 * STRETCHES)};
}

/* The joints, and the particles behind them, of which only the very last counts. */
SN_INLINE coming coming_begin(const chain *k, uint32_t lane, bool turning)
{
    const chain_row at = place_of(k, k->rows - 1, lane);
    const doubles none = doubles_all(0), behind = doubles_of(REALS_NEXT(at, W));
    coming c = {.lambda = doubles_load(k->joint_lambda + lane),
                .joint_lambda = doubles_load(k->lambda_before + lane),
                .force = chain_load3(k->force + lane),
                .joint_force = chain_load3(k->before + lane),
                .limit = doubles_all(k->run->turning_from),
                .stale = doubles_all(k->run->stale),
                .gives = none,
                .turns = ~doubles_any(),
                .bent = ~doubles_any(),
                .finite = doubles_any()};
    chain_put_move(at.real + REAL_ROW, behind, chain_less((doubles3){none, none, none}, c.force));
    coming_note(at, behind, turning, &c);
    return c;
}

/* A row whose force and lambda are known. */
SN_INLINE void coming_move(chain_row at, doubles3 force, bool turning, coming *c)
{
    chain_put_move(at.real + REAL_ROW, c->w, chain_less(c->force, force));
    coming_note(at, c->w, turning, c);
    c->force = force;
}

/* The particles of the first row. */
SN_INLINE void coming_last(const chain *k, uint32_t lane, const coming *c)
{
    chain_put_move(place_of(k, 0, lane).real, c->w, chain_less(c->force, c->joint_force));
}

SN_INLINE void coming_end(chain *k, uint32_t lane, const coming *c)
{
    double gives[CHAIN_WIDTH];
    coming_last(k, lane, c);
    k->turns = k->turns || !doubles_all_flagged(~c->turns);
    k->bent = k->bent || !doubles_all_flagged(~c->bent);
    k->finite = k->finite && doubles_all_flagged(c->finite);
    doubles_store(gives, c->gives);
    for (uint32_t i = 0; i < CHAIN_WIDTH; ++i)
        k->gives = gives[i] > k->gives ? gives[i] : k->gives;
}

/* What stretches have, in the next ones. */
static void chain_shift(double *to, const double *from, uint32_t columns)
{
    for (uint32_t c = 0; c < columns; ++c) {
        to[c * STRETCHES] = 0;
        memcpy(to + c * STRETCHES + 1, from + c * STRETCHES, (STRETCHES - 1) * sizeof *from);
    }
}

static void chain_turn_round(chain *k)
{
    chain_shift(k->before, k->force, 3);
    chain_shift(k->lambda_before, k->joint_lambda, 1);
    k->turns = k->bent = false;
    k->finite = true;
    k->gives = 0;
}

SN_INLINE void straight_row(chain_row at, coming *c)
{
    c->lambda = doubles_load(NUMBERS(at, BACK)) + doubles_load(NUMBERS(at, BACK + 1)) * c->lambda +
                doubles_load(NUMBERS(at, BACK + 2)) * c->joint_lambda;
    coming_move(at, chain_scale(c->lambda, chain_direction(at.real)), false, c);
}

SN_APART void straight_back(chain *k)
{
    const chain_row last = place_of(k, k->rows - 1, 0);
    for (uint32_t axis = 0; axis < 3; ++axis)
        for (uint32_t s = 0; s < STRETCHES; ++s)
            k->force[axis * STRETCHES + s] = k->joint_lambda[s] * (double)REALS(last, NX + axis)[s];
    chain_turn_round(k);
    for (uint32_t first = 0; first < STRETCHES; first += CHAIN_PARTS * CHAIN_WIDTH) {
        coming c[CHAIN_PARTS];
        chain_row at = place_of(k, k->rows - 1, first);
        for (uint32_t p = 0; p < CHAIN_PARTS; ++p)
            c[p] = coming_begin(k, first + p * CHAIN_WIDTH, false);
        for (uint32_t row = 1; row < k->rows; ++row) {
            at = place_before(at);
            for (uint32_t p = 0; p < CHAIN_PARTS; ++p)
                straight_row(place_beside(at, p), &c[p]);
        }
        for (uint32_t p = 0; p < CHAIN_PARTS; ++p)
            coming_end(k, first + p * CHAIN_WIDTH, &c[p]);
    }
}

/* ---- Turning ------------------------------------------------------------------------------------------------------------------ */

/* a b - c d. */
SN_INLINE doubles chain_minor(doubles a, doubles b, doubles c, doubles d)
{
    return a * b - c * d;
}

/* The inverse of a symmetric matrix by its cofactors, and whether that is precise. */
SN_INLINE doubles_flags chain_invert(const doubles6 *s, doubles6 *out)
{
    const doubles *m = s->m;
    const doubles xx = chain_minor(m[1], m[2], m[5], m[5]), xy = chain_minor(m[4], m[5], m[3], m[2]),
                  xz = chain_minor(m[3], m[5], m[4], m[1]);
    const doubles det = chain_sum(m[0], xx, m[3], xy, m[4], xz), per_det = doubles_all(1) / det;
    out->m[0] = xx * per_det;
    out->m[1] = chain_minor(m[0], m[2], m[4], m[4]) * per_det;
    out->m[2] = chain_minor(m[0], m[1], m[3], m[3]) * per_det;
    out->m[3] = xy * per_det;
    out->m[4] = xz * per_det;
    out->m[5] = chain_minor(m[3], m[4], m[0], m[5]) * per_det;
    return doubles_above(det, doubles_all(CHAIN_LEAST_DET) * m[0] * (m[1] * m[2]));
}

/* What a row of blocks hands to the next. */
typedef struct bending_row {
    doubles soft;
    doubles6 inverse; /* of the row before, */
    doubles3 v;       /*   and what it would be if rows behind it were 0; */
    doubles w;        /* w of the particle before the row to come, and by what that couples it to the row before */
    doubles coupling;
    doubles3 joint[3]; /* the columns of what couples the row to come to the joint before the stretch, */
    doubles6 taken;    /*   and what that joint's block and right-hand side have lost and got so far */
    doubles3 given;
    doubles_flags usual;
} bending_row;

/* The block of a row, less what the row before took, and its right-hand side with what comes from there. As q is 1 but for
   rounding, 2 - q is 1 / q. */
SN_INLINE doubles3 bend_block(chain_row at, bending_row *b, doubles6 *s)
{
    const doubles3 n = chain_direction(at.real);
    const doubles behind = doubles_of(REALS_NEXT(at, W)), w = b->w + behind;
    const doubles held = doubles_larger(w * doubles_load(NUMBERS(at, TENSION)), doubles_all(CHAIN_LEAST_KAPPA));
    const doubles give = w / held, per_q = doubles_all(2) - chain_dot(n, n);
    const doubles along = (b->soft * w - give) * per_q, all = w + give;
    const doubles r = doubles_of(REALS(at, MISSED)) * per_q, c2 = b->coupling * b->coupling;
    const doubles3 a = chain_scale(along, n);
    const doubles *m = b->inverse.m;
    s->m[0] = (all + a.x * n.x) - c2 * m[0];
    s->m[1] = (all + a.y * n.y) - c2 * m[1];
    s->m[2] = (all + a.z * n.z) - c2 * m[2];
    s->m[3] = chain_minor(a.x, n.y, c2, m[3]);
    s->m[4] = chain_minor(a.x, n.z, c2, m[4]);
    s->m[5] = chain_minor(a.y, n.z, c2, m[5]);
    b->w = behind;
    return chain_less(chain_scale(b->coupling, b->v), chain_scale(r, n));
}

/* The right-hand side alone. */
SN_INLINE doubles3 bend_side(chain_row at, const bending_row *b)
{
    const doubles3 n = chain_direction(at.real);
    const doubles r = doubles_of(REALS(at, MISSED)) * (doubles_all(2) - chain_dot(n, n));
    return chain_less(chain_scale(b->coupling, b->v), chain_scale(r, n));
}

SN_INLINE bending_row bend_begin(const chain *k, uint32_t lane)
{
    const chain_row at = place_of(k, 0, lane);
    const doubles none = doubles_all(0), joint = doubles_of(REALS(at, BETWEEN));
    return (bending_row){.soft = doubles_all(k->run->soft),
                         .inverse = {{none, none, none, none, none, none}},
                         .v = {none, none, none},
                         .w = doubles_of(REALS(at, W)),
                         .coupling = none,
                         .joint = {{joint, none, none}, {none, joint, none}, {none, none, joint}},
                         .taken = {{none, none, none, none, none, none}},
                         .given = {none, none, none},
                         .usual = doubles_any()};
}

SN_INLINE void chain_store3(double *to, doubles3 a)
{
    doubles_store(to, a.x);
    doubles_store(to + STRETCHES, a.y);
    doubles_store(to + 2 * STRETCHES, a.z);
}

/* Inverts the block of a row: this is what rows wait for. */
SN_INLINE void bend_invert(chain_row at, bending_row *b)
{
    doubles6 block;
    (void)bend_block(at, b, &block);
    b->usual &= chain_invert(&block, &b->inverse);
    b->coupling = doubles_of(REALS_NEXT(at, BETWEEN));
    for (uint32_t c = 0; c < 6; ++c)
        doubles_store(NUMBERS(at, BACK + c), b->inverse.m[c]);
}

/* And the rest, which has enough to do not to wait. */
SN_INLINE void bend_step(chain_row at, bending_row *b)
{
    double *kept = NUMBERS(at, BACK);
    doubles6 inverse;
    for (uint32_t c = 0; c < 6; ++c)
        inverse.m[c] = doubles_load(kept + c * STRETCHES);
    const doubles3 y = bend_side(at, b);
    doubles3 joint[3];
    b->v = chain_times(&inverse, y);
    b->coupling = doubles_of(REALS_NEXT(at, BETWEEN));
    chain_store3(kept + 6 * STRETCHES, b->v);
    for (uint32_t c = 0; c < 3; ++c) {
        joint[c] = chain_times(&inverse, b->joint[c]);
        chain_store3(kept + (9 + 3 * c) * STRETCHES, joint[c]);
    }
    doubles *taken = b->taken.m;
    taken[0] = taken[0] + chain_dot(b->joint[0], joint[0]);
    taken[1] = taken[1] + chain_dot(b->joint[1], joint[1]);
    taken[2] = taken[2] + chain_dot(b->joint[2], joint[2]);
    taken[3] = taken[3] + chain_dot(b->joint[0], joint[1]);
    taken[4] = taken[4] + chain_dot(b->joint[0], joint[2]);
    taken[5] = taken[5] + chain_dot(b->joint[1], joint[2]);
    b->given.x = b->given.x + chain_dot(b->joint[0], b->v);
    b->given.y = b->given.y + chain_dot(b->joint[1], b->v);
    b->given.z = b->given.z + chain_dot(b->joint[2], b->v);
    for (uint32_t c = 0; c < 3; ++c)
        b->joint[c] = chain_scale(b->coupling, joint[c]);
}

/* The joints' own equations, with what their stretches and those behind have to say. */
SN_INLINE void bend_end(chain *k, uint32_t lane, bending_row *b)
{
    doubles6 block;
    const doubles3 y = bend_block(place_of(k, k->rows - 1, lane), b, &block);
    for (uint32_t c = 0; c < 6; ++c) {
        doubles_store(k->own + c * STRETCHES + lane, block.m[c]);
        doubles_store(k->taken + c * STRETCHES + lane, b->taken.m[c]);
    }
    chain_store3(k->wanted + lane, y);
    chain_store3(k->given + lane, b->given);
    for (uint32_t c = 0; c < 3; ++c)
        chain_store3(k->coupled + 3 * c * STRETCHES + lane, b->joint[c]);
}

/* One vector of stretches after the other: a row has enough to do. */
SN_APART void bend_forth(chain *k)
{
    doubles_flags usual = doubles_any();
    for (uint32_t lane = 0; lane < STRETCHES; lane += CHAIN_WIDTH) {
        bending_row b = bend_begin(k, lane);
        chain_row at = place_of(k, 0, lane);
        for (uint32_t row = 0; row + 1 < k->rows; ++row, at = place_after(at))
            bend_invert(at, &b);
        at = place_of(k, 0, lane);
        b.coupling = doubles_all(0); /* from the first row again */
        for (uint32_t row = 0; row + 1 < k->rows; ++row, at = place_after(at))
            bend_step(at, &b);
        bend_end(k, lane, &b);
        usual &= b.usual;
    }
    k->usual = doubles_all_flagged(usual);
}

/* ---- The joints of a rope that turns: single numbers ----------------------------------------------------------------------------- */

typedef struct bend_joint {
    double inverse[6], v[3];
} bend_joint;

static double joint_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void joint_times(const double *s, const double *a, double *out)
{
    out[0] = s[0] * a[0] + s[3] * a[1] + s[4] * a[2];
    out[1] = s[3] * a[0] + s[1] * a[1] + s[5] * a[2];
    out[2] = s[4] * a[0] + s[5] * a[1] + s[2] * a[2];
}

static bool joint_invert(const double *m, double *out)
{
    return symmetric_inverse(m, out) > CHAIN_LEAST_DET * m[0] * (m[1] * m[2]);
}

/* Row `axis` of what couples a joint to the one before. */
static void joint_coupling(const chain *k, uint32_t s, uint32_t axis, double *out)
{
    for (uint32_t c = 0; c < 3; ++c)
        out[c] = k->coupled[(3 * c + axis) * STRETCHES + s];
}

/* Takes away what the joint before says. */
static void joint_reduce(const chain *k, uint32_t s, const bend_joint *before, double *block, double *y)
{
    static const uint8_t row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double g[3][3], t[3][3];
    for (uint32_t axis = 0; axis < 3; ++axis) {
        joint_coupling(k, s, axis, g[axis]);
        joint_times(before->inverse, g[axis], t[axis]);
        y[axis] = y[axis] + joint_dot(g[axis], before->v);
    }
    for (uint32_t c = 0; c < 6; ++c)
        block[c] = block[c] - joint_dot(g[row[c]], t[column[c]]);
}

SN_APART void bend_joints(chain *k)
{
    bend_joint j[STRETCHES];
    for (uint32_t s = 0; s < STRETCHES; ++s) {
        const bool last = s + 1 == STRETCHES;
        double block[6], y[3];
        for (uint32_t c = 0; c < 6; ++c)
            block[c] = k->own[c * STRETCHES + s] - (last ? 0 : k->taken[c * STRETCHES + s + 1]);
        for (uint32_t c = 0; c < 3; ++c)
            y[c] = k->wanted[c * STRETCHES + s] + (last ? 0 : k->given[c * STRETCHES + s + 1]);
        if (s)
            joint_reduce(k, s, &j[s - 1], block, y);
        k->usual &= joint_invert(block, j[s].inverse);
        joint_times(j[s].inverse, y, j[s].v);
    }
    for (uint32_t s = STRETCHES; s-- > 0;) {
        double behind[3] = {0}, more[3] = {0};
        for (uint32_t c = 0; s + 1 < STRETCHES && c < 3; ++c) {
            double g[3] = {k->coupled[3 * c * STRETCHES + s + 1], k->coupled[(3 * c + 1) * STRETCHES + s + 1],
                           k->coupled[(3 * c + 2) * STRETCHES + s + 1]};
            double f[3] = {k->force[s + 1], k->force[STRETCHES + s + 1], k->force[2 * STRETCHES + s + 1]};
            behind[c] = joint_dot(g, f);
        }
        joint_times(j[s].inverse, behind, more);
        for (uint32_t c = 0; c < 3; ++c)
            k->force[c * STRETCHES + s] = j[s].v[c] + more[c];
    }
}

/* lambda of a link: n . F / q. */
SN_INLINE doubles bend_lambda(chain_row at, doubles3 force)
{
    const doubles3 n = chain_direction(at.real);
    return chain_dot(n, force) * (doubles_all(2) - chain_dot(n, n));
}

SN_INLINE void bend_row(chain_row at, coming *c)
{
    const double *kept = NUMBERS(at, BACK);
    doubles6 inverse;
    for (uint32_t i = 0; i < 6; ++i)
        inverse.m[i] = doubles_load(kept + i * STRETCHES);
    const doubles3 behind = chain_scale(doubles_of(REALS_NEXT(at, BETWEEN)), c->force);
    doubles3 force = chain_add(chain_load3(kept + 6 * STRETCHES), chain_times(&inverse, behind));
    force = chain_add(force, chain_scale(c->joint_force.x, chain_load3(kept + 9 * STRETCHES)));
    force = chain_add(force, chain_scale(c->joint_force.y, chain_load3(kept + 12 * STRETCHES)));
    force = chain_add(force, chain_scale(c->joint_force.z, chain_load3(kept + 15 * STRETCHES)));
    c->lambda = bend_lambda(at, force);
    coming_move(at, force, true, c);
}

SN_APART void bend_back(chain *k)
{
    for (uint32_t lane = 0; lane < STRETCHES; lane += CHAIN_WIDTH)
        doubles_store(k->joint_lambda + lane,
                      bend_lambda(place_of(k, k->rows - 1, lane), chain_load3(k->force + lane)));
    chain_turn_round(k);
    for (uint32_t lane = 0; lane < STRETCHES; lane += CHAIN_WIDTH) {
        coming c = coming_begin(k, lane, true);
        chain_row at = place_of(k, k->rows - 1, lane);
        for (uint32_t row = 1; row < k->rows; ++row) {
            at = place_before(at);
            bend_row(at, &c);
        }
        coming_end(k, lane, &c);
    }
}

/* A solve, but for whether it is good. */
static void chain_round(chain *k, bool turning)
{
    if (turning) {
        bend_forth(k);
        bend_joints(k);
        bend_back(k);
    } else {
        straight_forth(k);
        straight_joints(k);
        straight_back(k);
    }
}

#endif

/* Elimination and back substitution of the rows of a rope: see chain.h for the method. This part uses only lanes of
   doubles, of which avx512.c has more: a source defines CHAIN_WIDTH, 1, 2, 4 or 8, and includes this file. */
#ifndef SN_WIDE_CHAIN_ROWS_H
#define SN_WIDE_CHAIN_ROWS_H

#include "base/simd.h"
#include "wide/chain_doubles.h"
#include "wide/wide.h"

#include <float.h>

/* A larger number is not a finite sn_real. */
#define CHAIN_LARGEST (SINEW_DOUBLE ? DBL_MAX : (double)FLT_MAX)

#define STRETCHES SN_CHAIN_STRETCHES

/* Scratch memory, row by row. Numbers of sn_real, eight of each, for the links and the particles before them. Numbers
   of double, including those kept for the back substitution: the row's value without its neighbours, the contribution
   of the next row, and that of the joint before. */
enum { NX, NY, NZ, MISSED, TURN, W, BETWEEN, LAMBDA0, MOVE_X, MOVE_Y, MOVE_Z, CHAIN_REALS };
enum { TENSION, LAMBDA, BACK, CHAIN_DOUBLES = BACK + 18 };
enum { REAL_ROW = CHAIN_REALS * STRETCHES, NUMBER_ROW = CHAIN_DOUBLES * STRETCHES };

_Static_assert((int)CHAIN_REALS == (int)SN_CHAIN_REALS && (int)CHAIN_DOUBLES == (int)SN_CHAIN_DOUBLES,
               "as much scratch as wide.h says");

/* ---- State of a solve -------------------------------------------------------------------------------------------- */

/* The data of some stretches of a row. */
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
    /* For the joint of each stretch: its own equation after elimination of the stretch, its coupling to the joint
       before, and the contribution of the next stretch. [c * 8 + stretch] */
    double own[6 * STRETCHES], wanted[3 * STRETCHES], coupled[9 * STRETCHES], taken[6 * STRETCHES],
        given[3 * STRETCHES];
    double joint_lambda[STRETCHES], lambda_before[STRETCHES];
    double force[3 * STRETCHES], before[3 * STRETCHES]; /* lambda and F of the joints, and of those before */
    double gives;                                       /* m: the largest w lambda of a link */
    bool usual;
    bool turns, bent, finite; /* solve again with kappa; kappa matters; all multipliers are finite */
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

/* ---- Without turning --------------------------------------------------------------------------------------------- */

/* Several vectors of stretches are interleaved, so that none waits for another. */
#define CHAIN_PARTS (STRETCHES / CHAIN_WIDTH > 1 ? 2u : 1u)

SN_INLINE doubles3 chain_direction(const sn_real *real)
{
    return (doubles3){doubles_of(real + NX * STRETCHES), doubles_of(real + NY * STRETCHES),
                      doubles_of(real + NZ * STRETCHES)};
}

/* What the elimination passes from a row to the next. */
typedef struct straight {
    doubles soft, least_pivot;
    doubles3 n;                /* of the next row */
    doubles own, w;            /* A of the next row without compliance, and w of the particle after it */
    doubles coupling, inverse; /* to the row before, and 1 / its pivot */
    doubles z;                 /* its value if the rows after it were 0 */
    doubles joint;             /* coupling of the next row to the joint before the stretch */
    doubles taken, given;      /* changes so far to that joint's A and right-hand side */
    doubles_flags usual;       /* all pivots so far were usable */
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

/* Solves for lambda of the joints, one after the other. */
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

/* ---- Back substitution ------------------------------------------------------------------------------------------- */

/* From the joints to the first rows: the force of a row of links follows from that of the next row and of the joint
   before the stretch. This gives the displacement of the particles between two rows. The particles of the first row are
   between a joint and this row. */
typedef struct coming {
    doubles lambda, joint_lambda; /* of the next row, and of the joint before the stretch */
    doubles3 force, joint_force;
    doubles w;                         /* of the particles before the next row */
    doubles limit, stale;              /* from sn_wide_chain */
    doubles gives;                     /* the largest w lambda */
    doubles_flags turns, bent, finite; /* results over all links */
} coming;

/* Stores lambda and kappa of a row; see set_kappa in solvers/forest_solve.c. `behind` is w of the particles after the
   row. One particle of every link has two links. */
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

SN_INLINE void chain_store3(double *to, doubles3 a)
{
    doubles_store(to, a.x);
    doubles_store(to + STRETCHES, a.y);
    doubles_store(to + 2 * STRETCHES, a.z);
}

/* Starts with the joints, and the particles after them, of which only the very last matters. */
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

/* Finishes a row whose force and lambda are known. */
SN_INLINE void coming_move(chain_row at, doubles3 force, bool turning, coming *c)
{
    chain_put_move(at.real + REAL_ROW, c->w, chain_less(c->force, force));
    coming_note(at, c->w, turning, c);
    c->force = force;
}

/* Moves the particles of the first row. */
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

/* Shifts the values of stretches to the next stretch. */
static void chain_shift(double *to, const double *from, uint32_t columns)
{
    for (uint32_t c = 0; c < columns; ++c) {
        to[c * STRETCHES] = 0;
        memcpy(to + c * STRETCHES + 1, from + c * STRETCHES, (STRETCHES - 1) * sizeof *from);
    }
}

static void chain_reverse(chain *k)
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
    chain_reverse(k);
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

#endif

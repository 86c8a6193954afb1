/* Rows of a rope with turning: the links' forces have three components, and their equations are blocks. See chain.h. */
#ifndef SN_WIDE_CHAIN_TURNING_H
#define SN_WIDE_CHAIN_TURNING_H

#include "base/symmetric.h"
#include "wide/chain_rows.h"

#define CHAIN_LEAST_DET 1e-8 /* of a block, relative to the product of its diagonal */

/* Where there is no tension, kappa (w_i + w_i+1) has this value: a spring that removes a ten millionth of a
   displacement across the link. Its effect is proportional to it. The rounding error of the inverse of a block is
   proportional to its reciprocal, and dominates below 1e-8. It must be well above CHAIN_LEAST_DET. */
#define CHAIN_LEAST_KAPPA 1e-7

/* a b - c d. */
SN_INLINE doubles chain_minor(doubles a, doubles b, doubles c, doubles d)
{
    return a * b - c * d;
}

/* The inverse of a symmetric matrix from its cofactors. The flags tell where it is precise. */
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

/* What the elimination passes from a row of blocks to the next. */
typedef struct bending_row {
    doubles soft;
    doubles6 inverse; /* of the row before */
    doubles3 v;       /* its value if the rows after it were 0 */
    doubles w;        /* w of the particle before the next row, and the coupling to the row before that follows from
                         it */
    doubles coupling;
    doubles3 joint[3]; /* columns of the coupling of the next row to the joint before the stretch */
    doubles6 taken;    /* changes so far to that joint's block and right-hand side */
    doubles3 given;
    doubles_flags usual;
} bending_row;

/* The block of a row after elimination of the row before, and its right-hand side. q is 1 up to rounding, so 2 - q is 1
   / q. */
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

/* Only the right-hand side. */
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

/* Inverts the block of a row: the critical path. */
SN_INLINE void bend_invert(chain_row at, bending_row *b)
{
    doubles6 block;
    (void)bend_block(at, b, &block);
    b->usual &= chain_invert(&block, &b->inverse);
    b->coupling = doubles_of(REALS_NEXT(at, BETWEEN));
    for (uint32_t c = 0; c < 6; ++c)
        doubles_store(NUMBERS(at, BACK + c), b->inverse.m[c]);
}

/* The rest of the elimination, which has enough parallel work. */
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

/* The joints' own equations, with the contributions of their stretches. */
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

/* One vector of stretches after the other: a row has enough parallel work. */
SN_APART void bend_forth(chain *k)
{
    doubles_flags usual = doubles_any();
    for (uint32_t lane = 0; lane < STRETCHES; lane += CHAIN_WIDTH) {
        bending_row b = bend_begin(k, lane);
        chain_row at = place_of(k, 0, lane);
        for (uint32_t row = 0; row + 1 < k->rows; ++row, at = place_after(at))
            bend_invert(at, &b);
        at = place_of(k, 0, lane);
        b.coupling = doubles_all(0); /* start again from the first row */
        for (uint32_t row = 0; row + 1 < k->rows; ++row, at = place_after(at))
            bend_step(at, &b);
        bend_end(k, lane, &b);
        usual &= b.usual;
    }
    k->usual = doubles_all_flagged(usual);
}

/* ---- The joints of a rope with turning: scalars ------------------------------------------------------------------ */

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

/* Row `axis` of the coupling of a joint to the one before. */
static void joint_coupling(const chain *k, uint32_t s, uint32_t axis, double *out)
{
    for (uint32_t c = 0; c < 3; ++c)
        out[c] = k->coupled[(3 * c + axis) * STRETCHES + s];
}

/* Eliminates the joint before. */
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
    chain_reverse(k);
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

/* A solve, without the test of its result. */
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

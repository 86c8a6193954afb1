/* Distances. Two points that move along the line between them need only their difference. So distances have special
   code for records: one transpose in and one out instead of two. They also need only one division: with l the distance
   and g = wa + wb + alpha,

       dlambda / l = (-C - alpha lambda) / (g l),     a += wa (a - b) dlambda / l,     b -= wb (a - b) dlambda / l.

   With damping, gamma times the change of l is subtracted from the wanted correction, and g = (1 + gamma) (wa + wb) +
   alpha. */
#ifndef SN_WIDE_DISTANCE_H
#define SN_WIDE_DISTANCE_H

#include "base/bits.h"
#include "wide/batches.h"
#include "wide/copies.h"

/* The distance; for bounds also the sign of C. */
SN_INLINE void pair_params(const sn_wide_run *run, size_t at, lanes *param)
{
    param[0] = lanes_load(run->param + at);
    param[1] = lanes_all(run->number == SN_KIND_DISTANCE_MAX ? -1.0f : 1.0f);
}

struct pair_loss;

/* The formula of a kind of distance. From the difference of the points it computes dlambda / l, and the lanes where
   that is valid. lambda is NULL where it is 0 and its new value is not needed. loss is NULL without damping and
   stiffness k. */
typedef lanes share_fn(lanes3 *difference, lanes give, const lanes *param, lanes alpha, lanes *lambda,
                       const struct pair_loss *loss, const lanes *least, flags *usual);

/* The reduction of the correction by damping, and the stiffness k. */
typedef struct pair_loss {
    lanes pull, k;
} pair_loss;

/* Between these limits g l is precise, and one division is enough. */
#define PAIR_LEAST 1e-30f
#define PAIR_MOST  3e38f

#if SN_WIDTH == 1
/* wanted / (give l). Points that coincide have no direction: they separate along x if may_part, and otherwise stay; see
   constraints/distance.c. */
SN_INLINE lanes pair_share(lanes wanted, lanes give, lanes *length, lanes3 *difference, flags may_part,
                           const lanes *least, flags *usual)
{
    if (least)
        wanted = wide_worth(wanted, lanes_abs(wanted), *least);
    *usual = -1;
    lanes under = give * *length;
    if (under > PAIR_LEAST && under < PAIR_MOST)
        return wanted / under;
    if (!(*length > 0)) {
        *length = 1;
        *difference = (lanes3){1, 0, 0};
        if (!may_part)
            return 0;
    }
    return give != 0 ? wanted / give / *length : 0;
}
#else
/* Only the usual case. Everything else is rare and left to the one-lane version above: code for it in the middle of a
   loop makes the loop a seventh slower. Returns the divisor of wanted, and the lanes where it is usable. */
SN_INLINE lanes pair_under(lanes *wanted, lanes give, lanes length, const lanes *least, flags *usual)
{
    if (least)
        *wanted = wide_worth(*wanted, lanes_abs(*wanted), *least);
    lanes under = give * length;
    *usual = lanes_above(under, lanes_all(PAIR_LEAST)) & lanes_above(lanes_all(PAIR_MOST), under);
    return under;
}

SN_INLINE lanes pair_share(lanes wanted, lanes give, lanes *length, lanes3 *difference, flags may_part,
                           const lanes *least, flags *usual)
{
    (void)difference;
    (void)may_part;
    lanes under = pair_under(&wanted, give, *length, least, usual);
    return wanted / under;
}
#endif

SN_INLINE lanes pair_length(const lanes3 *difference)
{
    return lanes_sqrt(lanes3_dot(*difference, *difference));
}

/* C = l - rest */
SN_INLINE lanes distance_share(lanes3 *difference, lanes give, const lanes *param, lanes alpha, lanes *lambda,
                               const pair_loss *loss, const lanes *least, flags *usual)
{
    lanes length = pair_length(difference), wanted = param[0] - length;
    if (lambda)
        wanted = wanted - alpha * lambda[0];
    if (loss)
        wanted = wanted - loss->pull;
    lanes share = pair_share(wanted, give, &length, difference, lanes_above(param[0], lanes_all(0)), least, usual);
    if (loss)
        share = share * loss->k;
    if (lambda)
        lambda[0] = lambda[0] + share * length;
    return share;
}

/* C = sign (l - bound) >= 0, with the sign 1 or -1. Without a multiplier it acts only if violated, in the direction of
   the sign. */
SN_INLINE lanes bound_share(lanes3 *difference, lanes give, const lanes *param, lanes alpha, lanes *lambda,
                            const pair_loss *loss, const lanes *least, flags *usual)
{
    const lanes zero = lanes_all(0), sign = param[1];
    const flags may_part = lanes_above(sign * param[0], zero); /* a largest distance never separates points */
    lanes length = pair_length(difference), wanted = sign * (param[0] - length); /* -C */
    if (!lambda) {
        lanes share = pair_share(wanted, give, &length, difference, may_part, least, usual);
        return lanes_keep(~lanes_at_least(zero, wanted), sign * share);
    }
    flags rests = wide_rests(zero - wanted, alpha, lambda[0]);
    wanted = wanted - alpha * lambda[0];
    if (loss) /* sign: how C changes with l */
        wanted = wanted - sign * loss->pull;
    lanes share = pair_share(wanted, give, &length, difference, may_part, least, usual);
    if (loss)
        share = share * loss->k;
    share = lanes_keep(~rests, share);
    lanes next = lambda[0] + share * length;
    flags pulls = lanes_above(zero, next);
    share = lanes_choose(pulls, (zero - lambda[0]) / length, share);
    lambda[0] = lanes_choose(pulls, zero, next);
    return sign * share;
}

/* With the initial multiplier: the displacement by preloads. */
SN_INLINE lanes preload_share(lanes3 *difference, lanes give, const lanes *param, lanes alpha, lanes *lambda,
                              const pair_loss *loss, const lanes *least, flags *usual)
{
    (void)alpha, (void)loss;
    lanes length = pair_length(difference);
    return param[1] *
           pair_share(lambda[0] * give, give, &length, difference, lanes_above(lanes_all(0), length), least, usual);
}

/* A kind of distance, and the properties of a run: multipliers are neither read nor written (plain), no compliance
   (rigid). They are constants wherever they are used, so that each combination is a loop of its own. */
typedef struct pair_shape {
    share_fn *share;
    bool plain, rigid;
    bool gives; /* there may be damping or a stiffness k */
    bool loads; /* the pass applies preloads */
} pair_shape;

/* The multipliers at the start of a run, and at its end. */
SN_INLINE void pair_read(const sn_wide_run *run, const pair_shape *shape, size_t at, uint32_t mask, lanes give,
                         lanes rest, lanes *lambda)
{
    if (shape->loads)
        *lambda = wide_preload(run, at, mask, give, rest);
    else if (!shape->plain)
        *lambda = wide_read_lambda(run, at, mask);
}

SN_INLINE void pair_write(const sn_wide_run *run, const pair_shape *shape, size_t at, uint32_t mask,
                          const lanes *lambda)
{
    if (!shape->plain)
        wide_write_lambda(run, at, mask, *lambda);
    if (shape->loads)
        wide_keep_preload(run, at, mask, *lambda);
}

SN_INLINE lanes pair_gamma(const sn_wide_run *run, size_t at)
{
    if (!run->damping || !run->compliance)
        return lanes_all(0);
    lanes damping = lanes_load(run->damping + at) * lanes_all(run->inverse_h);
    return lanes_min(lanes_load(run->compliance + at) * damping, lanes_all(1e30f));
}

/* The effect of damping, from the displacements of the points in the substep. Without damping their start is not
   stored. */
SN_INLINE pair_loss pair_lose(const sn_wide_run *run, size_t at, lanes3 difference, lanes3 displacement_a,
                              lanes3 displacement_c, lanes *give)
{
    const lanes zero = lanes_all(0), length = pair_length(&difference), gamma = pair_gamma(run, at);
    *give = (lanes_all(1) + gamma) * *give;
    const lanes3 apart =
        lanes3_sub(displacement_a, displacement_c); /* along x where the points coincide, because they separate in that
                                                      direction */
    const lanes rate = lanes_choose(lanes_above(length, zero), lanes3_dot(difference, apart) / length, apart.x);
    return (pair_loss){lanes_keep(lanes_above(gamma, zero), gamma * rate),
                       run->stiffness ? lanes_load(run->stiffness + at) : lanes_all(1)};
}

/* With BDF2: see row_displacement in solvers/row.h. */
SN_INLINE lanes3 pair_less_past(lanes3 displacement, lanes3 past, flags valid)
{
    past = (lanes3){lanes_choose(valid, past.x, displacement.x), lanes_choose(valid, past.y, displacement.y),
                    lanes_choose(valid, past.z, displacement.z)};
    return lanes3_sub(displacement, lanes3_scale(past, lanes_all((float)(1.0 / 3))));
}

typedef enum pair_layout { PAIR_NEAR, PAIR_FAR, PAIR_PLANES } pair_layout;

/* ---- Rare cases -------------------------------------------------------------------------------------------------- */

#if SN_WIDTH == 1
SN_INLINE void pair_rest(const sn_wide_run *run, pair_layout layout, uint32_t b, uint32_t lanes_left)
{
    (void)run, (void)layout, (void)b, (void)lanes_left; /* there are none */
}
#else
/* A run with only batch b. */
SN_INLINE sn_wide_run pair_part(const sn_wide_run *run, uint32_t b)
{
    sn_wide_run part = *run;
    const size_t lane = (size_t)b * SN_BATCH;
    part.batches = 1;
    part.near = run->near ? run->near + 2 * lane : NULL;
    part.far = run->far ? run->far + 2 * lane : NULL;
    part.offset = run->offset ? run->offset + 2 * (size_t)b : NULL;
    part.mask = run->mask + b;
    part.param = run->param + lane;
    part.compliance = run->compliance ? run->compliance + lane : NULL;
    part.row = run->row ? run->row + lane : NULL;
    part.lambda = run->row || !run->lambda ? run->lambda : run->lambda + lane;
    part.damping = run->damping ? run->damping + lane : NULL;
    part.stiffness = run->stiffness ? run->stiffness + lane : NULL;
    part.far_off = run->far_off ? run->far_off + b : NULL;
    return part;
}

/* Solves these lanes of the first batch, one by one. */
SN_APART void pair_rest_of(sn_wide_run part, pair_layout layout, uint32_t lanes_left)
{
    const uint16_t mask = (uint16_t)lanes_left;
    part.mask = &mask;
    const sn_wide_fused *single = &sn_wide_scalar()->fused[part.number];
    (layout == PAIR_NEAR ? single->near : layout == PAIR_FAR ? single->far : single->planes)(&part);
}

/* Solves the remaining lanes of batch b. The run is passed by value: if its address escaped from the loop, all of it
   would have to be reloaded for every batch. */
SN_INLINE void pair_rest(const sn_wide_run *run, pair_layout layout, uint32_t b, uint32_t lanes_left)
{
    sn_wide_run part = pair_part(run, b);
    pair_rest_of(part, layout, lanes_left);
}
#endif

/* Records |C + alpha lambda| / sqrt 2, computed from dlambda times its divisor. Also records whether the error was
   large, in either direction or only for long ones. */
SN_INLINE void pair_note(const sn_wide_run *run, size_t at, bool either, lanes share, lanes give, lanes rest,
                         const lanes3 *difference, uint32_t mask)
{
    if (run->far_off) {
        const lanes off = pair_length(difference) - rest;
        const uint32_t here =
            mask & flags_bits(lanes_above(either ? lanes_abs(off) : off, rest * lanes_all(run->off_from)));
        run->far_off[at / SN_BATCH] |= (uint16_t)(here << at % SN_BATCH); /* without a branch: it would be
                                                                             unpredictable */
        *run->noted += bits_count(here);
    }
    if (run->largest)
        wide_note_largest(run->largest, lanes_abs(share) * give * pair_length(difference) * lanes_all(0.70710678f),
                          mask);
}

/* The lanes of mask that are usual. The others are left to pair_rest when this batch is stored. */
SN_INLINE uint32_t pair_usual(uint32_t mask, flags usual)
{
#if SN_WIDTH > 1
    return mask & flags_bits(usual);
#else
    (void)usual;
    return mask;
#endif
}

/* ---- Planes ------------------------------------------------------------------------------------------------------ */

SN_INLINE lanes3 pair_nowhere(void)
{
    return (lanes3){lanes_all(0), lanes_all(0), lanes_all(0)};
}

SN_INLINE lanes3 pair_displacement_planes(const sn_wide_run *run, const float *at, bool coarse)
{
    const float *start = run->start_plane + (at - run->plane);
    lanes3 displacement = lanes3_sub(wide_load3(at), wide_load3(start + SN_PLANE_D * SN_BATCH));
    if (!coarse)
        displacement = lanes3_add(displacement, wide_load3(at + SN_PLANE_D * SN_BATCH));
    if (!run->old_d)
        return displacement;
    return pair_less_past(displacement, wide_load3(start + SN_PLANE_X * SN_BATCH),
                          ~lanes_unequal(lanes_load(start + SN_PLANE_W * SN_BATCH), lanes_all(run->h)));
}

SN_INLINE void pair_batch_planes(const sn_wide_run *run, const pair_shape *shape, bool coarse, uint32_t b,
                                 uint32_t first)
{
    const size_t at = (size_t)b * SN_BATCH + first, w = SN_PLANE_W * SN_BATCH,
                 d = (coarse ? SN_PLANE_X : SN_PLANE_D) * SN_BATCH;
    float *a = run->plane + run->offset[2 * (size_t)b] + first,
          *c = run->plane + run->offset[2 * (size_t)b + 1] + first;
    uint32_t mask = wide_mask(run, b, first);
    lanes3 da = wide_load3(a + d), dc = wide_load3(c + d);
    lanes3 difference = lanes3_sub(da, dc);
    if (!coarse)
        difference = lanes3_add(lanes3_sub(wide_load3(a), wide_load3(c)), difference);
    lanes wa = lanes_load(a + w), wc = lanes_load(c + w), give = wa + wc;
    lanes param[2], lambda, alpha = shape->rigid ? lanes_all(0) : wide_alpha(run, at);
    flags usual;
    pair_params(run, at, param);
    pair_read(run, shape, at, mask, give, param[0], &lambda);
    pair_loss loss;
    if (shape->gives) {
        lanes3 displacement_a = pair_nowhere(), displacement_c = pair_nowhere();
        if (run->damping) {
            displacement_a = pair_displacement_planes(run, a, coarse);
            displacement_c = pair_displacement_planes(run, c, coarse);
        }
        loss = pair_lose(run, at, difference, displacement_a, displacement_c, &give);
    }
    if (!shape->rigid)
        give = give + alpha;
    const lanes least = lanes_all(run->least);
    lanes share = shape->share(&difference, give, param, alpha, shape->plain ? NULL : &lambda,
                               shape->gives ? &loss : NULL, coarse ? &least : NULL, &usual);
    da = lanes3_add(da, lanes3_scale(difference, share * wa));
    dc = lanes3_sub(dc, lanes3_scale(difference, share * wc));
    uint32_t now = pair_usual(mask, usual);
    pair_note(run, at, shape->share == distance_share, share, give, param[0], &difference, now);
    wide_store3(a + d, da, now);
    wide_store3(c + d, dc, now);
    pair_write(run, shape, at, now, &lambda);
    if (now != mask)
        pair_rest(run, PAIR_PLANES, b, (mask ^ now) << first);
}

SN_INLINE void pair_each_planes(const sn_wide_run *run, const pair_shape *shape, bool coarse)
{
    for (uint32_t b = 0; b < run->batches; ++b)
        for (uint32_t first = 0; first < SN_BATCH; first += SN_WIDTH)
            if (SN_WIDTH == SN_BATCH || wide_mask(run, b, first))
                pair_batch_planes(run, shape, coarse, b, first);
}

SN_INLINE void pair_loop_planes(const sn_wide_run *run, const pair_shape *shape)
{
    if (run->coarse)
        pair_each_planes(run, shape, true);
    else
        pair_each_planes(run, shape, false);
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

#if SN_WIDTH <= 8
/* The displacements of the points of a batch, and the active lanes. */
typedef struct pair_push {
    lanes3 a, c;
    uint32_t now;
} pair_push;

/* Batches that are evaluated before the first of them is moved: they share no particle. An out-of-order window of some
   hundred instructions covers one batch and a half, and would wait for the root and the division of each. In blocks it
   waits for none of them. */
#define PAIR_BLOCK 16u

#define PAIR_RECORDS(suffix, number, LAYOUT)                                                                           \
    /* Displacement of the points of SN_WIDTH lanes since the start of the substep. */                                 \
    SN_INLINE lanes3 pair_displacement_##suffix(const sn_wide_run *run, const number *at)                              \
    {                                                                                                                  \
        records displacement = records_sub(records_load_##suffix(run->x, at), records_load_##suffix(run->start, at));  \
        if (run->d != run->x)                                                                                          \
            displacement = records_add(displacement, records_load_##suffix(run->d, at));                               \
        displacement = records_transpose(displacement);                                                                \
        lanes3 by = {displacement.part[0], displacement.part[1], displacement.part[2]};                                \
        if (!run->old_d)                                                                                               \
            return by;                                                                                                 \
        records old = records_transpose(records_load_##suffix(run->old_d, at));                                        \
        return pair_less_past(by, (lanes3){old.part[0], old.part[1], old.part[2]},                                     \
                              ~lanes_unequal(old.part[3], lanes_all(run->h)));                                         \
    }                                                                                                                  \
    SN_INLINE pair_loss pair_lose_##suffix(const sn_wide_run *run, size_t at, const number *a, const number *c,        \
                                           lanes3 difference, lanes *give)                                             \
    {                                                                                                                  \
        if (!run->damping)                                                                                             \
            return pair_lose(run, at, difference, pair_nowhere(), pair_nowhere(), give);                               \
        return pair_lose(run, at, difference, pair_displacement_##suffix(run, a), pair_displacement_##suffix(run, c),  \
                         give);                                                                                        \
    }                                                                                                                  \
    SN_INLINE void pair_front_##suffix(const sn_wide_run *run, const pair_shape *shape, uint32_t b, uint32_t first,    \
                                       pair_push *to)                                                                  \
    {                                                                                                                  \
        const number *a = run->suffix + (size_t)b * 2 * SN_BATCH + first, *c = a + SN_BATCH;                           \
        const size_t at = (size_t)b * SN_BATCH + first;                                                                \
        records ya = records_load_##suffix(run->x, a), yc = records_load_##suffix(run->x, c);                          \
        records da = records_load_##suffix(run->d, a), dc = records_load_##suffix(run->d, c);                          \
        records t = records_transpose(records_add(records_sub(ya, yc), records_sub(da, dc)));                          \
        lanes3 difference = {t.part[0], t.part[1], t.part[2]};                                                         \
        lanes wa = records_transpose(ya).part[3], wc = records_transpose(yc).part[3], give = wa + wc;                  \
        lanes param[2], lambda, alpha = shape->rigid ? lanes_all(0) : wide_alpha(run, at);                             \
        uint32_t mask = wide_mask(run, b, first);                                                                      \
        flags usual;                                                                                                   \
        pair_params(run, at, param);                                                                                   \
        pair_read(run, shape, at, mask, give, param[0], &lambda);                                                      \
        pair_loss loss;                                                                                                \
        if (shape->gives)                                                                                              \
            loss = pair_lose_##suffix(run, at, a, c, difference, &give);                                               \
        if (!shape->rigid)                                                                                             \
            give = give + alpha;                                                                                       \
        lanes share = shape->share(&difference, give, param, alpha, shape->plain ? NULL : &lambda,                     \
                                   shape->gives ? &loss : NULL, NULL, &usual);                                         \
        *to = (pair_push){lanes3_scale(difference, share * wa), lanes3_scale(difference, share * wc),                  \
                          pair_usual(mask, usual)};                                                                    \
        pair_note(run, at, shape->share == distance_share, share, give, param[0], &difference, to->now);               \
        pair_write(run, shape, at, to->now, &lambda);                                                                  \
    }                                                                                                                  \
    SN_INLINE void pair_back_##suffix(const sn_wide_run *run, uint32_t b, uint32_t first, const pair_push *from)       \
    {                                                                                                                  \
        const number *a = run->suffix + (size_t)b * 2 * SN_BATCH + first, *c = a + SN_BATCH;                           \
        records pa = records_transpose((records){{from->a.x, from->a.y, from->a.z, lanes_all(0)}});                    \
        records pc = records_transpose((records){{from->c.x, from->c.y, from->c.z, lanes_all(0)}});                    \
        if (from->now == WIDE_ALL_LANES) {                                                                             \
            records_add_to_##suffix(run->d, a, &pa);                                                                   \
            records_sub_from_##suffix(run->d, c, &pc);                                                                 \
            return;                                                                                                    \
        }                                                                                                              \
        uint32_t mask = wide_mask(run, b, first);                                                                      \
        records da = records_add(records_load_##suffix(run->d, a), pa);                                                \
        records dc = records_sub(records_load_##suffix(run->d, c), pc);                                                \
        records_store_some_##suffix(run->d, a, &da, from->now);                                                        \
        records_store_some_##suffix(run->d, c, &dc, from->now);                                                        \
        if (from->now != mask)                                                                                         \
            pair_rest(run, LAYOUT, b, (mask ^ from->now) << first);                                                    \
    }                                                                                                                  \
    /* Shared by all kinds. */                                                                                         \
    SN_APART void pair_back_all_##suffix(const sn_wide_run *run, uint32_t start, uint32_t end, const pair_push *push)  \
    {                                                                                                                  \
        const uint32_t parts = SN_BATCH / SN_WIDTH;                                                                    \
        for (uint32_t i = start; i < end; ++i)                                                                         \
            pair_back_##suffix(run, i / parts, i % parts * SN_WIDTH, &push[i - start]);                                \
    }                                                                                                                  \
    SN_INLINE void pair_loop_##suffix(const sn_wide_run *run, const pair_shape *shape)                                 \
    {                                                                                                                  \
        pair_push push[PAIR_BLOCK];                                                                                    \
        const uint32_t parts = SN_BATCH / SN_WIDTH, count = run->batches * parts;                                      \
        for (uint32_t start = 0; start < count; start += PAIR_BLOCK) {                                                 \
            uint32_t end = count - start < PAIR_BLOCK ? count : start + PAIR_BLOCK;                                    \
            for (uint32_t i = start; i < end; ++i)                                                                     \
                pair_front_##suffix(run, shape, i / parts, i % parts * SN_WIDTH, &push[i - start]);                    \
            pair_back_all_##suffix(run, start, end, push);                                                             \
        }                                                                                                              \
    }

PAIR_RECORDS(near, uint16_t, PAIR_NEAR)
PAIR_RECORDS(far, uint32_t, PAIR_FAR)
#endif

#if SN_WIDTH != 4
/* Records without remainders: only x, which gets the corrections. Everything stays in registers, with one transpose in
   and one out. */
#define PAIR_ALONE(suffix, number, LAYOUT)                                                                             \
    SN_INLINE void pair_batch_coarse_##suffix(const sn_wide_run *run, const pair_shape *shape, uint32_t b,             \
                                              uint32_t first)                                                          \
    {                                                                                                                  \
        const number *a = run->suffix + (size_t)b * 2 * SN_BATCH + first, *c = a + SN_BATCH;                           \
        const size_t at = (size_t)b * SN_BATCH + first;                                                                \
        uint32_t mask = wide_mask(run, b, first);                                                                      \
        records ya = records_load_##suffix(run->x, a), yc = records_load_##suffix(run->x, c);                          \
        /* w of a - (-w of c) is the sum that the formula needs */                                                     \
        records t = records_transpose(records_sub(ya, records_negate_w(yc)));                                          \
        lanes3 difference = {t.part[0], t.part[1], t.part[2]};                                                         \
        lanes param[2], lambda, give = t.part[3], alpha = shape->rigid ? lanes_all(0) : wide_alpha(run, at);           \
        flags usual;                                                                                                   \
        pair_params(run, at, param);                                                                                   \
        pair_read(run, shape, at, mask, give, param[0], &lambda);                                                      \
        pair_loss loss;                                                                                                \
        if (shape->gives)                                                                                              \
            loss = pair_lose_##suffix(run, at, a, c, difference, &give);                                               \
        if (!shape->rigid)                                                                                             \
            give = give + alpha;                                                                                       \
        const lanes least = lanes_all(run->least);                                                                     \
        lanes share = shape->share(&difference, give, param, alpha, shape->plain ? NULL : &lambda,                     \
                                   shape->gives ? &loss : NULL, &least, &usual);                                       \
        uint32_t now = pair_usual(mask, usual);                                                                        \
        pair_note(run, at, shape->share == distance_share, share, give, param[0], &difference, now);                   \
        difference = lanes3_scale(difference, share);                                                                  \
        records push = records_transpose((records){{difference.x, difference.y, difference.z, lanes_all(0)}});         \
        ya = records_add(ya, records_mul(records_w(ya), push));                                                        \
        yc = records_sub(yc, records_mul(records_w(yc), push));                                                        \
        if (now == WIDE_ALL_LANES) {                                                                                   \
            records_store_##suffix(run->d, a, &ya);                                                                    \
            records_store_##suffix(run->d, c, &yc);                                                                    \
        } else {                                                                                                       \
            records_store_some_##suffix(run->d, a, &ya, now);                                                          \
            records_store_some_##suffix(run->d, c, &yc, now);                                                          \
        }                                                                                                              \
        pair_write(run, shape, at, now, &lambda);                                                                      \
        if (now != mask)                                                                                               \
            pair_rest(run, LAYOUT, b, (mask ^ now) << first);                                                          \
    }                                                                                                                  \
    SN_INLINE void pair_loop_coarse_##suffix(const sn_wide_run *run, const pair_shape *shape)                          \
    {                                                                                                                  \
        for (uint32_t b = 0; b < run->batches; ++b)                                                                    \
            for (uint32_t first = 0; first < SN_BATCH; first += SN_WIDTH)                                              \
                if (wide_mask(run, b, first))                                                                          \
                    pair_batch_coarse_##suffix(run, shape, b, first);                                                  \
    }
#else
/* The same for four lanes. Here a machine has twice as many vectors to process, and WebAssembly is fast only with short
   loops: its compilers spill what a whole batch keeps in registers. So there are three loops: addresses of the records;
   the wanted corrections, with the root; and the displacements, with the division, if it can be deferred until then.
   Batches of a run share no particle, so the order makes no difference, and no loop waits for both the root and the
   division. */
typedef struct pair_displacement {
    sn_vec4 *at[8]; /* points a and c of four lanes */
    lanes push
        [4]; /* a record for each lane: times w, it is added to a and subtracted from c. If the division is deferred:
                the difference in lanes, x, y and z, and the wanted correction */
    lanes under; /* and its divisor */
    uint32_t now, mask;
} pair_displacement;

/* A plain rod: nothing else depends on the quotient. */
SN_INLINE bool pair_divides_late(const pair_shape *shape)
{
    return shape->share == distance_share && shape->plain && shape->rigid;
}

SN_INLINE records pair_records(const pair_displacement *displacement, uint32_t first)
{
    records r;
    for (uint32_t i = 0; i < 4; ++i)
        r.part[i] = lanes_load(&displacement->at[first + i]->x);
    return r;
}

SN_INLINE void pair_find_late(const sn_wide_run *run, size_t at, lanes3 difference, lanes give, lanes rest,
                              pair_displacement *to)
{
    const lanes least = lanes_all(run->least);
    flags usual;
    lanes length = pair_length(&difference), wanted = rest - length;
    to->under = pair_under(&wanted, give, length, &least, &usual);
    to->push[0] = difference.x;
    to->push[1] = difference.y;
    to->push[2] = difference.z;
    to->push[3] = wanted;
    to->now = pair_usual(to->mask, usual);
    if (run->largest || run->far_off)
        pair_note(run, at, true, wanted / to->under, give, rest, &difference, to->now);
}

SN_INLINE records pair_turn_push(lanes3 difference, lanes share)
{
    difference = lanes3_scale(difference, share);
    return records_transpose((records){{difference.x, difference.y, difference.z, lanes_all(0)}});
}

SN_INLINE void pair_find(const sn_wide_run *run, const pair_shape *shape, size_t at, pair_displacement *to)
{
    const records ya = pair_records(to, 0), yc = pair_records(to, 4);
    /* w of a - (-w of c) is the sum that the formula needs */
    records t = records_transpose(records_sub(ya, records_negate_w(yc)));
    lanes3 difference = {t.part[0], t.part[1], t.part[2]};
    if (pair_divides_late(shape)) {
        pair_find_late(run, at, difference, t.part[3], lanes_load(run->param + at), to);
        return;
    }
    lanes param[2], lambda, give = t.part[3], alpha = shape->rigid ? lanes_all(0) : wide_alpha(run, at);
    flags usual;
    pair_params(run, at, param);
    pair_read(run, shape, at, to->mask, give, param[0], &lambda);
    pair_loss loss;
    if (shape->gives) {
        uint32_t slot[8];
        for (uint32_t i = 0; i < 8; ++i)
            slot[i] = (uint32_t)(to->at[i] - run->d);
        loss = pair_lose_far(run, at, slot, slot + 4, difference, &give);
    }
    if (!shape->rigid)
        give = give + alpha;
    const lanes least = lanes_all(run->least);
    lanes share = shape->share(&difference, give, param, alpha, shape->plain ? NULL : &lambda,
                               shape->gives ? &loss : NULL, &least, &usual);
    records push = pair_turn_push(difference, share);
    memcpy(to->push, &push, sizeof push);
    to->now = pair_usual(to->mask, usual);
    pair_note(run, at, shape->share == distance_share, share, give, param[0], &difference, to->now);
    pair_write(run, shape, at, to->now, &lambda);
}

/* Applies the displacements. */
SN_INLINE void pair_go(const pair_displacement *from, const pair_shape *shape, records *ya, records *yc)
{
    records push;
    if (pair_divides_late(shape))
        push = pair_turn_push((lanes3){from->push[0], from->push[1], from->push[2]}, from->push[3] / from->under);
    else
        memcpy(&push, from->push, sizeof push);
    *ya = pair_records(from, 0);
    *yc = pair_records(from, 4);
    *ya = records_add(*ya, records_mul(records_w(*ya), push));
    *yc = records_sub(*yc, records_mul(records_w(*yc), push));
}

SN_INLINE void pair_move(const pair_displacement *from, const pair_shape *shape)
{
    records ya, yc;
    pair_go(from, shape, &ya, &yc);
    for (uint32_t i = 0; i < 4; ++i)
        lanes_store(&from->at[i]->x, ya.part[i]);
    for (uint32_t i = 0; i < 4; ++i)
        lanes_store(&from->at[4 + i]->x, yc.part[i]);
}

#define PAIR_ALONE(suffix, number, LAYOUT)                                                                             \
    SN_INLINE void pair_places_##suffix(const sn_wide_run *run, uint32_t b, pair_displacement *displacement)           \
    {                                                                                                                  \
        const number *a = run->suffix + (size_t)b * 2 * SN_BATCH;                                                      \
        const uint32_t mask = run->mask[b];                                                                            \
        for (uint32_t i = 0; i < SN_BATCH / SN_WIDTH; ++i) {                                                           \
            record_places_##suffix(run->d, a + i * SN_WIDTH, displacement[i].at);                                      \
            record_places_##suffix(run->d, a + i * SN_WIDTH + SN_BATCH, displacement[i].at + 4);                       \
            displacement[i].mask = mask >> i * SN_WIDTH & WIDE_ALL_LANES;                                              \
        }                                                                                                              \
    }                                                                                                                  \
    /* If not all lanes move. */                                                                                       \
    SN_INLINE void pair_move_some_##suffix(const sn_wide_run *run, const pair_shape *shape, size_t at,                 \
                                           const pair_displacement *from)                                              \
    {                                                                                                                  \
        const uint32_t b = (uint32_t)(at / SN_BATCH), first = (uint32_t)(at % SN_BATCH);                               \
        const number *a = run->suffix + (size_t)b * 2 * SN_BATCH + first, *c = a + SN_BATCH;                           \
        records ya, yc;                                                                                                \
        pair_go(from, shape, &ya, &yc);                                                                                \
        records_store_some_##suffix(run->d, a, &ya, from->now);                                                        \
        records_store_some_##suffix(run->d, c, &yc, from->now);                                                        \
        if (from->now != from->mask)                                                                                   \
            pair_rest(run, LAYOUT, b, (from->mask ^ from->now) << first);                                              \
    }                                                                                                                  \
    SN_INLINE void pair_loop_coarse_##suffix(const sn_wide_run *run, const pair_shape *shape)                          \
    {                                                                                                                  \
        enum { PARTS = SN_BATCH / SN_WIDTH };                                                                          \
        pair_displacement displacement[PAIR_BLOCK];                                                                    \
        for (uint32_t start = 0; start < run->batches; start += PAIR_BLOCK / PARTS) {                                  \
            uint32_t left = run->batches - start, count = left < PAIR_BLOCK / PARTS ? left : PAIR_BLOCK / PARTS;       \
            for (uint32_t i = 0; i < count; ++i)                                                                       \
                pair_places_##suffix(run, start + i, displacement + i * PARTS);                                        \
            size_t at = (size_t)start * SN_BATCH;                                                                      \
            const pair_displacement *end = displacement + count * PARTS;                                               \
            for (pair_displacement *to = displacement; to < end; ++to, at += SN_WIDTH)                                 \
                pair_find(run, shape, at, to);                                                                         \
            at = (size_t)start * SN_BATCH;                                                                             \
            uint32_t some = 0;                                                                                         \
            for (const pair_displacement *from = displacement; from < end; ++from)                                     \
                if (from->now == WIDE_ALL_LANES)                                                                       \
                    pair_move(from, shape);                                                                            \
                else                                                                                                   \
                    some |= from->mask;                                                                                \
            if (some)                                                                                                  \
                for (const pair_displacement *from = displacement; from < end; ++from, at += SN_WIDTH)                 \
                    if (from->now != WIDE_ALL_LANES && from->mask)                                                     \
                        pair_move_some_##suffix(run, shape, at, from);                                                 \
        }                                                                                                              \
    }
#endif

/* ---- Kinds ------------------------------------------------------------------------------------------------------- */

/* The loop for the usual case of a run, and one for everything. Distances, which are most of a cloth, have more in
   between: PLAIN, with compliance but no multipliers, and ANY, without damping and k. */
#define PAIR_MANY SN_COPIES

/* A web page has few bounds, so they use only the general loop. */
#ifdef __wasm__
#define PAIR_MANY_BOUNDS false
#else
#define PAIR_MANY_BOUNDS PAIR_MANY
#endif

/* Preloads: one loop for distances and bounds. */
#define PAIR_PRELOADS(loop)                                                                                            \
    SN_APART void loop##_preloads(const sn_wide_run *run)                                                              \
    {                                                                                                                  \
        const sn_wide_run own = *run;                                                                                  \
        const pair_shape loads = {preload_share, false, true, false, true};                                            \
        loop(&own, &loads);                                                                                            \
    }

PAIR_PRELOADS(pair_loop_planes)

#define PAIR_LOOPS(loop, name, RIGID, PLAIN, ANY)                                                                      \
    const sn_wide_run own = *run; /* a local copy: stores cannot change it */                                          \
    const pair_shape rigid = {name##_share, true, true, false, false};                                                 \
    const pair_shape plain = {name##_share, true, false, false, false};                                                \
    const pair_shape any = {name##_share, false, false, false, false};                                                 \
    const pair_shape gives = {name##_share, false, false, true, false};                                                \
    const bool keeps = own.read_lambda || own.write_lambda, gives_way = own.damping || own.stiffness;                  \
    if (own.preload)                                                                                                   \
        loop##_preloads(run);                                                                                          \
    else if (RIGID && !gives_way && !keeps && !own.compliance)                                                         \
        loop(&own, &rigid);                                                                                            \
    else if (RIGID && PLAIN && !gives_way && !keeps)                                                                   \
        loop(&own, &plain);                                                                                            \
    else if (RIGID && ANY && !gives_way)                                                                               \
        loop(&own, &any);                                                                                              \
    else                                                                                                               \
        loop(&own, &gives)

#if SN_WIDTH <= 8
PAIR_ALONE(near, uint16_t, PAIR_NEAR)
PAIR_ALONE(far, uint32_t, PAIR_FAR)

PAIR_PRELOADS(pair_loop_near)
PAIR_PRELOADS(pair_loop_coarse_near)
PAIR_PRELOADS(pair_loop_far)
PAIR_PRELOADS(pair_loop_coarse_far)

#define PAIR_KIND(name, RIGID, MORE)                                                                                   \
    static void name##_near_coarse(const sn_wide_run *run)                                                             \
    {                                                                                                                  \
        PAIR_LOOPS(pair_loop_coarse_near, name, RIGID, false, MORE);                                                   \
    }                                                                                                                  \
    static void name##_near(const sn_wide_run *run)                                                                    \
    {                                                                                                                  \
        if (run->d == run->x) {                                                                                        \
            name##_near_coarse(run);                                                                                   \
            return;                                                                                                    \
        }                                                                                                              \
        PAIR_LOOPS(pair_loop_near, name, RIGID, MORE, MORE);                                                           \
    }                                                                                                                  \
    static void name##_far_coarse(const sn_wide_run *run)                                                              \
    {                                                                                                                  \
        PAIR_LOOPS(pair_loop_coarse_far, name, RIGID, false, MORE);                                                    \
    }                                                                                                                  \
    static void name##_far(const sn_wide_run *run)                                                                     \
    {                                                                                                                  \
        if (run->d == run->x) {                                                                                        \
            name##_far_coarse(run);                                                                                    \
            return;                                                                                                    \
        }                                                                                                              \
        PAIR_LOOPS(pair_loop_far, name, RIGID, MORE, MORE);                                                            \
    }                                                                                                                  \
    static void name##_planes(const sn_wide_run *run)                                                                  \
    {                                                                                                                  \
        PAIR_LOOPS(pair_loop_planes, name, RIGID, MORE, MORE);                                                         \
    }

PAIR_KIND(distance, PAIR_MANY, true)
PAIR_KIND(bound, PAIR_MANY_BOUNDS, false) /* least and largest distances */
#endif

#endif

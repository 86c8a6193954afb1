/* Distances. Two points pushed along the line between them need only their difference, so these have a way of their own
   through records: one turning in and one out instead of two. They also make do with one division: with l the distance and
   g = wa + wb + alpha,

       dlambda / l = (-C - alpha lambda) / (g l),     a += wa (a - b) dlambda / l,     b -= wb (a - b) dlambda / l. */
#ifndef SN_WIDE_DISTANCE_H
#define SN_WIDE_DISTANCE_H

#include "wide/driver.h"

/* What a kind of distance makes of the difference of its points: dlambda / l. lambda is NULL where it is 0 and nobody asks for
   what becomes of it. */
typedef lanes share_fn(lanes3 *difference, lanes give, const lanes *param, lanes alpha, lanes *lambda);

/* Between these g l is precise, and one division does. */
#define PAIR_LEAST 1e-30f
#define PAIR_MOST  3e38f

/* wanted / (give l). Points that coincide have no direction. They part along x where they may, and rest otherwise; see
   constraints/distance.c. */
SN_INLINE lanes pair_share(lanes wanted, lanes give, lanes *length, lanes3 *difference, flags may_part)
{
    lanes zero = lanes_all(0), under = give * *length, share = wanted / under;
    flags usual = lanes_above(under, lanes_all(PAIR_LEAST)) & lanes_above(lanes_all(PAIR_MOST), under);
    if (flags_all(usual))
        return share;
    flags apart = lanes_above(*length, zero);
    *length = lanes_choose(apart, *length, lanes_all(1));
    *difference = (lanes3){lanes_choose(apart, difference->x, lanes_all(1)), lanes_keep(apart, difference->y),
                           lanes_keep(apart, difference->z)};
    lanes other = lanes_keep((apart | may_part) & lanes_unequal(give, zero), wanted / give / *length);
    return lanes_choose(usual, share, other);
}

SN_INLINE lanes pair_length(const lanes3 *difference)
{
    return lanes_sqrt(lanes3_dot(*difference, *difference));
}

/* C = l - rest */
SN_INLINE lanes distance_share(lanes3 *difference, lanes give, const lanes *param, lanes alpha, lanes *lambda)
{
    lanes length = pair_length(difference), wanted = param[0] - length;
    if (lambda)
        wanted = wanted - alpha * lambda[0];
    lanes share = pair_share(wanted, give, &length, difference, lanes_above(param[0], lanes_all(0)));
    if (lambda)
        lambda[0] = lambda[0] + share * length;
    return share;
}

/* C = sign (l - bound) >= 0. Without a multiplier it acts if violated, and then pushes. */
SN_INLINE lanes bound_share(lanes3 *difference, lanes give, lanes bound, float sign, flags may_part, lanes alpha,
                            lanes *lambda)
{
    lanes length = pair_length(difference), zero = lanes_all(0);
    lanes wanted = sign > 0 ? bound - length : length - bound; /* -C */
    if (!lambda) {
        lanes share = pair_share(wanted, give, &length, difference, may_part);
        return lanes_keep(~lanes_at_least(zero, wanted), share);
    }
    flags rests = wide_rests(zero - wanted, alpha, lambda[0]);
    lanes share = pair_share(wanted - alpha * lambda[0], give, &length, difference, may_part);
    share = lanes_keep(~rests, share);
    lanes next = lambda[0] + share * length;
    flags pulls = lanes_above(zero, next);
    share = lanes_choose(pulls, (zero - lambda[0]) / length, share);
    lambda[0] = lanes_choose(pulls, zero, next);
    return share;
}

SN_INLINE lanes distance_min_share(lanes3 *difference, lanes give, const lanes *param, lanes alpha, lanes *lambda)
{
    return bound_share(difference, give, param[0], 1, lanes_above(param[0], lanes_all(0)), alpha, lambda);
}

SN_INLINE lanes distance_max_share(lanes3 *difference, lanes give, const lanes *param, lanes alpha, lanes *lambda)
{
    lanes zero = lanes_all(0);
    return zero - bound_share(difference, give, param[0], -1, lanes_unequal(zero, zero), alpha, lambda);
}

/* C = (l - least, most - l) >= 0, rigid: at most one of them is violated, and both want l to be the nearest allowed one. */
SN_INLINE lanes distance_band_share(lanes3 *difference, lanes give, const lanes *param, lanes alpha, lanes *lambda)
{
    (void)alpha;
    lanes length = pair_length(difference), zero = lanes_all(0);
    lanes nearest = lanes_min(param[1], lanes_max(param[0], length));
    lanes share = pair_share(nearest - length, give, &length, difference, lanes_above(param[0], zero));
    if (lambda) {
        lanes step = share * length;
        lambda[0] = lambda[0] + lanes_keep(lanes_above(step, zero), step);
        lambda[1] = lambda[1] - lanes_keep(lanes_above(zero, step), step);
    }
    return share;
}

/* ---- Planes ---------------------------------------------------------------------------------------------------------------- */

/* A kind of distance, and what is known of a run: nobody reads or writes multipliers (plain), no compliance (rigid). These
   are constants wherever they are used, so that each combination is a loop of its own. */
typedef struct pair_shape {
    uint32_t params, rows;
    share_fn *share;
    bool plain, rigid;
} pair_shape;

/* One batch; at width 16 two that lie side by side. */
SN_INLINE void pair_batch_planes(const sn_wide_run *run, const pair_shape *shape, uint32_t b, uint32_t first)
{
    const size_t s = run->stride, at = (size_t)b * SN_BATCH + first;
    float *a = run->plane + run->offset[2 * (size_t)b] + first,
          *c = run->plane + run->offset[2 * (size_t)b + 1] + first;
    uint32_t mask = wide_mask(run, b, first);
    lanes3 da = wide_load3(a + 3 * s, s), dc = wide_load3(c + 3 * s, s);
    lanes3 difference = lanes3_add(lanes3_sub(wide_load3(a, s), wide_load3(c, s)), lanes3_sub(da, dc));
    lanes wa = lanes_load(a + 6 * s), wc = lanes_load(c + 6 * s), give = wa + wc;
    lanes param[2], lambda[2], alpha = shape->rigid ? lanes_all(0) : wide_alpha(run, at);
    wide_load_params(run, shape->params, b, first, param);
    if (!shape->plain)
        wide_read_lambda(run, shape->rows, at, mask, lambda);
    if (!shape->rigid)
        give = give + alpha;
    lanes share = shape->share(&difference, give, param, alpha, shape->plain ? NULL : lambda);
    wide_store3(a + 3 * s, s, lanes3_add(da, lanes3_scale(difference, share * wa)), mask);
    wide_store3(c + 3 * s, s, lanes3_sub(dc, lanes3_scale(difference, share * wc)), mask);
    if (!shape->plain)
        wide_write_lambda(run, shape->rows, at, mask, lambda);
}

#if SN_WIDTH <= 8
SN_INLINE void pair_loop_planes(const sn_wide_run *run, const pair_shape *shape)
{
    for (uint32_t b = 0; b < run->batches; ++b)
        for (uint32_t first = 0; first < SN_BATCH; first += SN_WIDTH)
            if (SN_WIDTH == SN_BATCH || wide_mask(run, b, first))
                pair_batch_planes(run, shape, b, first);
}
#endif

/* ---- Records ------------------------------------------------------------------------------------------------------------------ */

#define PAIR_RECORDS(suffix, number)                                                                                   \
    SN_INLINE void pair_batch_##suffix(const sn_wide_run *run, const pair_shape *shape, uint32_t b, uint32_t first)    \
    {                                                                                                                  \
        const number *a = run->suffix + (size_t)b * 2 * SN_BATCH + first, *c = a + SN_BATCH;                           \
        const size_t at = (size_t)b * SN_BATCH + first;                                                                \
        uint32_t mask = wide_mask(run, b, first);                                                                      \
        records ya = records_load_##suffix(run->x, a), yc = records_load_##suffix(run->x, c);                          \
        records da = records_load_##suffix(run->d, a), dc = records_load_##suffix(run->d, c);                          \
        /* w of a - (-w of c) is the sum that the formula needs; d has none */                                         \
        records t = records_turn(records_add(records_sub(ya, records_negate_w(yc)), records_sub(da, dc)));             \
        lanes3 difference = {t.part[0], t.part[1], t.part[2]};                                                         \
        lanes param[2], lambda[2], give = t.part[3], alpha = shape->rigid ? lanes_all(0) : wide_alpha(run, at);        \
        wide_load_params(run, shape->params, b, first, param);                                                         \
        if (!shape->plain)                                                                                             \
            wide_read_lambda(run, shape->rows, at, mask, lambda);                                                      \
        if (!shape->rigid)                                                                                             \
            give = give + alpha;                                                                                       \
        lanes share = shape->share(&difference, give, param, alpha, shape->plain ? NULL : lambda);                     \
        difference = lanes3_scale(difference, share);                                                                  \
        records push = records_turn((records){{difference.x, difference.y, difference.z, lanes_all(0)}});              \
        da = records_add(da, records_mul(records_w(ya), push));                                                        \
        dc = records_sub(dc, records_mul(records_w(yc), push));                                                        \
        if (mask == WIDE_ALL_LANES) {                                                                                  \
            records_store_##suffix(run->d, a, &da);                                                                    \
            records_store_##suffix(run->d, c, &dc);                                                                    \
        } else {                                                                                                       \
            records_store_some_##suffix(run->d, a, &da, mask);                                                         \
            records_store_some_##suffix(run->d, c, &dc, mask);                                                         \
        }                                                                                                              \
        if (!shape->plain)                                                                                             \
            wide_write_lambda(run, shape->rows, at, mask, lambda);                                                     \
    }                                                                                                                  \
    SN_INLINE void pair_loop_##suffix(const sn_wide_run *run, const pair_shape *shape)                                 \
    {                                                                                                                  \
        for (uint32_t b = 0; b < run->batches; ++b)                                                                    \
            for (uint32_t first = 0; first < SN_BATCH; first += SN_WIDTH)                                              \
                if (SN_WIDTH == SN_BATCH || wide_mask(run, b, first))                                                  \
                    pair_batch_##suffix(run, shape, b, first);                                                         \
    }

/* ---- Kinds ---------------------------------------------------------------------------------------------------------------------- */

/* One of the three functions of a kind: a loop for what is usual, and one for everything. */
#define PAIR_FUNCTION(name, suffix, PARAMS, ROWS)                                                                      \
    static void name##_##suffix(const sn_wide_run *run)                                                                \
    {                                                                                                                  \
        const pair_shape rigid = {PARAMS, ROWS, name##_share, true, true};                                             \
        const pair_shape plain = {PARAMS, ROWS, name##_share, true, false};                                            \
        const pair_shape any = {PARAMS, ROWS, name##_share, false, false};                                             \
        if (run->read_lambda || run->write_lambda)                                                                     \
            pair_loop_##suffix(run, &any);                                                                             \
        else if (run->compliance)                                                                                      \
            pair_loop_##suffix(run, &plain);                                                                           \
        else                                                                                                           \
            pair_loop_##suffix(run, &rigid);                                                                           \
    }

#if SN_WIDTH <= 8
PAIR_RECORDS(near, uint16_t)
PAIR_RECORDS(far, uint32_t)

#define PAIR_KIND(name, PARAMS, ROWS)                                                                                  \
    PAIR_FUNCTION(name, near, PARAMS, ROWS)                                                                            \
    PAIR_FUNCTION(name, far, PARAMS, ROWS)                                                                             \
    PAIR_FUNCTION(name, planes, PARAMS, ROWS)

PAIR_KIND(distance, 1, 1)
PAIR_KIND(distance_min, 1, 1)
PAIR_KIND(distance_max, 1, 1)
PAIR_KIND(distance_band, 2, 2)
#endif

#endif

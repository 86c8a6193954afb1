/* How a kind is run over the batches of a run, in each of the three layouts. A kind is one function,

       project(p, w, param, alpha, lambda, push)

   that is given its points (relative to the first one's start if the kind is internal), their inverse masses, its
   parameters, alpha = compliance / h^2 and the multipliers so far, and gives back new multipliers and how far to push each
   point. Everything about memory is here. */
#ifndef SN_WIDE_DRIVER_H
#define SN_WIDE_DRIVER_H

#include "base/simd.h"
#include "wide/wide.h"

#define WIDE_MOST_POINTS 4
#define WIDE_MOST_ROWS   6
#define WIDE_MOST_PARAMS 6

typedef void project_fn(const lanes3 *p, const lanes *w, const lanes *param, lanes alpha, lanes *lambda, lanes3 *push);

typedef struct wide_shape {
    uint32_t points, params, rows;
    bool internal;
    project_fn *project;
} wide_shape;

/* ---- The row formula (solvers/row.h), for one row, without damping and with stiffness 1 ------------------------------- */

/* compliance / h^2 of so many lanes from `at` on. */
SN_INLINE lanes wide_alpha(const sn_wide_run *run, size_t at)
{
    if (!run->compliance)
        return lanes_all(0);
    return lanes_min(lanes_load(run->compliance + at) * lanes_all(run->inverse_h2), lanes_all(1e30f));
}

/* By how much a multiplier changes: 0 where the row has no gradient, or nothing can move. Where the mobility leaves the range
   of a float it is not a number, so that somebody notices, and not 0. */
SN_INLINE lanes wide_step(lanes c, lanes mobility, lanes alpha, lanes lambda, flags exists)
{
    lanes give = mobility + alpha;
    lanes wanted = (lanes_all(0) - c) - alpha * lambda;
    lanes step = (wanted + (give - give)) / give;
    return lanes_keep(exists & lanes_unequal(give, lanes_all(0)), step);
}

/* Where C >= 0 rests: it is not violated, and has nothing to take back. */
SN_INLINE flags wide_rests(lanes c, lanes alpha, lanes lambda)
{
    lanes zero = lanes_all(0);
    return lanes_at_least(c, zero) & ~(lanes_above(alpha, zero) & lanes_above(lambda, zero));
}

/* The step for C >= 0: acts when violated, or to take back what it pushed; never pulls. */
SN_INLINE lanes wide_step_at_least(lanes c, lanes mobility, lanes alpha, lanes lambda, flags exists)
{
    lanes step = wide_step(c, mobility, alpha, lambda, exists & ~wide_rests(c, alpha, lambda));
    return lanes_choose(lanes_above(lanes_all(0), lambda + step), lanes_all(0) - lambda, step);
}

/* Where places have no remainder, what is too small to be told from their rounding is left coarse: it would be noise, and in a
   body that falls freely it adds up to a drift. NaN is not small. */
SN_INLINE lanes wide_worth(lanes a, lanes size, lanes least)
{
    return lanes_keep(~lanes_above(least, size), a);
}

/* The same for pushes and multipliers of a kind with any number of points. */
SN_INLINE void wide_drop_small(uint32_t points, uint32_t rows, lanes least, const lanes *before, lanes *lambda,
                               lanes3 *push)
{
    flags small = flags_everywhere();
    for (uint32_t i = 0; i < points; ++i)
        small &= lanes_above(least, lanes_abs(push[i].x)) & lanes_above(least, lanes_abs(push[i].y)) &
                 lanes_above(least, lanes_abs(push[i].z));
    for (uint32_t i = 0; i < points; ++i)
        push[i] = (lanes3){lanes_keep(~small, push[i].x), lanes_keep(~small, push[i].y), lanes_keep(~small, push[i].z)};
    for (uint32_t r = 0; r < rows; ++r)
        lambda[r] = lanes_choose(small, before[r], lambda[r]);
}

#define WIDE_ALL_LANES ((1u << SN_WIDTH) - 1)

/* ---- Multipliers: scattered over the kind's pool ------------------------------------------------------------------------ */

SN_APART void wide_gather(const float *lambda, const uint32_t *row, uint32_t rows, uint32_t mask, float *all)
{
    for (uint32_t l = 0; l < SN_WIDTH; ++l)
        for (uint32_t r = 0; r < rows; ++r)
            all[r * SN_WIDTH + l] = mask >> l & 1 ? lambda[(size_t)row[l] * rows + r] : 0;
}

SN_APART void wide_scatter(float *lambda, const uint32_t *row, uint32_t rows, uint32_t mask, const float *all)
{
    for (uint32_t l = 0; l < SN_WIDTH; ++l)
        for (uint32_t r = 0; mask >> l & 1 && r < rows; ++r)
            lambda[(size_t)row[l] * rows + r] = all[r * SN_WIDTH + l];
}

SN_INLINE void wide_read_lambda(const sn_wide_run *run, uint32_t rows, size_t at, uint32_t mask, lanes *lambda)
{
    for (uint32_t r = 0; r < rows; ++r)
        lambda[r] = lanes_all(0);
    if (run->read_lambda) {
        float all[WIDE_MOST_ROWS * SN_WIDTH];
        wide_gather(run->lambda, run->row + at, rows, mask, all);
        for (uint32_t r = 0; r < rows; ++r)
            lambda[r] = lanes_load(all + r * SN_WIDTH);
    }
}

SN_INLINE void wide_write_lambda(const sn_wide_run *run, uint32_t rows, size_t at, uint32_t mask, const lanes *lambda)
{
    if (run->write_lambda) {
        float all[WIDE_MOST_ROWS * SN_WIDTH];
        for (uint32_t r = 0; r < rows; ++r)
            lanes_store(all + r * SN_WIDTH, lambda[r]);
        if (SN_WIDTH == 4 && rows == 1 && mask == WIDE_ALL_LANES) { /* a call would cost more than it does */
            for (uint32_t l = 0; l < SN_WIDTH; ++l)
                run->lambda[run->row[at + l]] = all[l];
            return;
        }
        wide_scatter(run->lambda, run->row + at, rows, mask, all);
    }
}

/* ---- Which lanes take part ----------------------------------------------------------------------------------------------- */

/* Those of a batch, from lane `first` on. */
SN_INLINE uint32_t wide_mask(const sn_wide_run *run, uint32_t b, uint32_t first)
{
    return (uint32_t)run->mask[b] >> first & WIDE_ALL_LANES;
}

SN_INLINE flags wide_present(uint32_t mask)
{
    int32_t all[SN_WIDTH];
    for (int l = 0; l < SN_WIDTH; ++l)
        all[l] = -(int32_t)(mask >> l & 1);
    return flags_load(all);
}

/* Stores the lanes of a plane that take part. Others keep what they hold, which may have changed since this batch began: they
   may be places of other lanes of it. */
SN_INLINE void wide_store(float *to, lanes a, uint32_t mask)
{
#if SN_WIDTH == 16 && defined(__AVX512F__)
    if (mask == WIDE_ALL_LANES)
        lanes_store(to, a);
    else
        _mm512_mask_storeu_ps(to, (__mmask16)mask, (__m512)a);
#else
    lanes_store(to, mask == WIDE_ALL_LANES ? a : lanes_choose(wide_present(mask), a, lanes_load(to)));
#endif
}

SN_INLINE void wide_store3(float *to, lanes3 a, uint32_t mask)
{
    wide_store(to, a.x, mask);
    wide_store(to + SN_BATCH, a.y, mask);
    wide_store(to + 2 * SN_BATCH, a.z, mask);
}

SN_INLINE lanes3 wide_load3(const float *from)
{
    return (lanes3){lanes_load(from), lanes_load(from + SN_BATCH), lanes_load(from + 2 * SN_BATCH)};
}

/* ---- The largest correction ------------------------------------------------------------------------------------------------- */

/* By lane. */
SN_INLINE void wide_note_largest(float *largest, lanes a, uint32_t mask)
{
    a = mask == WIDE_ALL_LANES ? a : lanes_keep(wide_present(mask), a);
    lanes_store(largest, lanes_max(a, lanes_load(largest)));
}

SN_INLINE void wide_note_pushes(const sn_wide_run *run, uint32_t points, const lanes3 *push, uint32_t mask)
{
    lanes most = lanes_all(0);
    for (uint32_t i = 0; i < points; ++i)
        most = lanes_max(lanes_max(lanes_abs(push[i].x), lanes_abs(push[i].y)), lanes_max(lanes_abs(push[i].z), most));
    wide_note_largest(run->largest, most, mask);
}

/* ---- Planes ------------------------------------------------------------------------------------------------------------ */

SN_INLINE void wide_load_params(const sn_wide_run *run, uint32_t params, uint32_t b, uint32_t first, lanes *param)
{
    for (uint32_t n = 0; n < params; ++n)
        param[n] = lanes_load(run->param + ((size_t)b * params + n) * SN_BATCH + first);
}

SN_INLINE void wide_project(const sn_wide_run *run, const wide_shape *shape, bool coarse, size_t at, const lanes3 *p,
                            const lanes *w, const lanes *param, lanes *lambda, lanes3 *push)
{
    lanes before[WIDE_MOST_ROWS];
    for (uint32_t r = 0; r < shape->rows; ++r)
        before[r] = lambda[r];
    shape->project(p, w, param, wide_alpha(run, at), lambda, push);
    if (coarse)
        wide_drop_small(shape->points, shape->rows, lanes_all(run->least), before, lambda, push);
}

SN_INLINE void wide_batch_planes(const sn_wide_run *run, const wide_shape *shape, bool coarse, uint32_t b,
                                 uint32_t first, uint32_t mask)
{
    const size_t at = (size_t)b * SN_BATCH + first;
    float *place[WIDE_MOST_POINTS];
    lanes3 p[WIDE_MOST_POINTS], d[WIDE_MOST_POINTS], push[WIDE_MOST_POINTS];
    lanes3 origin = wide_load3(run->plane + run->offset[(size_t)b * shape->points] + first);
    lanes w[WIDE_MOST_POINTS], param[WIDE_MOST_PARAMS], lambda[WIDE_MOST_ROWS];
    for (uint32_t i = 0; i < shape->points; ++i) {
        place[i] = run->plane + run->offset[(size_t)b * shape->points + i] + first;
        lanes3 y = wide_load3(place[i]);
        d[i] = coarse ? y : wide_load3(place[i] + SN_PLANE_D * SN_BATCH);
        w[i] = lanes_load(place[i] + SN_PLANE_W * SN_BATCH);
        p[i] = shape->internal ? lanes3_sub(y, origin) : y;
        p[i] = coarse ? p[i] : lanes3_add(p[i], d[i]);
    }
    wide_load_params(run, shape->params, b, first, param);
    wide_read_lambda(run, shape->rows, at, mask, lambda);
    wide_project(run, shape, coarse, at, p, w, param, lambda, push);
    if (run->largest)
        wide_note_pushes(run, shape->points, push, mask);
    for (uint32_t i = 0; i < shape->points; ++i)
        wide_store3(place[i] + (coarse ? SN_PLANE_X : SN_PLANE_D) * SN_BATCH, lanes3_add(d[i], push[i]), mask);
    wide_write_lambda(run, shape->rows, at, mask, lambda);
}

SN_INLINE void wide_loop_planes(const sn_wide_run *run, const wide_shape *shape, bool coarse)
{
    for (uint32_t b = 0; b < run->batches; ++b)
        for (uint32_t first = 0; first < SN_BATCH; first += SN_WIDTH) {
            uint32_t mask = wide_mask(run, b, first);
            if (mask)
                wide_batch_planes(run, shape, coarse, b, first, mask);
        }
}

SN_INLINE void wide_planes(const sn_wide_run *run, const wide_shape *shape)
{
    if (run->coarse)
        wide_loop_planes(run, shape, true);
    else
        wide_loop_planes(run, shape, false);
}

/* ---- Records: near and far differ in the type of their indices ------------------------------------------------------------ */

/* So many batches, or parts of them, are evaluated before the first of them is moved; see PAIR_BLOCK in distance.h. */
#define WIDE_BLOCK (SN_WIDTH == 1 ? 1u : 8u)

#define WIDE_RECORDS(suffix, number)                                                                                   \
    SN_INLINE void wide_front_##suffix(const sn_wide_run *run, const wide_shape *shape, bool coarse, uint32_t b,       \
                                       uint32_t first, lanes3 *push)                                                   \
    {                                                                                                                  \
        const number *index = run->suffix + (size_t)b * shape->points * SN_BATCH + first;                              \
        const size_t at = (size_t)b * SN_BATCH + first;                                                                \
        const uint32_t mask = wide_mask(run, b, first);                                                                \
        if (mask == 0)                                                                                                 \
            return;                                                                                                    \
        lanes w[WIDE_MOST_POINTS], param[WIDE_MOST_PARAMS], lambda[WIDE_MOST_ROWS];                                    \
        wide_read_lambda(run, shape->rows, at, mask, lambda); /* a call, so before registers are full */               \
        records origin = records_load_##suffix(run->x, index);                                                         \
        lanes3 p[WIDE_MOST_POINTS];                                                                                    \
        for (uint32_t i = 0; i < shape->points; ++i) {                                                                 \
            records y = records_load_##suffix(run->x, index + i * SN_BATCH);                                           \
            records place = shape->internal ? records_sub(y, origin) : y;                                              \
            if (!coarse)                                                                                               \
                place = records_add(place, records_load_##suffix(run->d, index + i * SN_BATCH));                       \
            records t = records_turn(place);                                                                           \
            p[i] = (lanes3){t.part[0], t.part[1], t.part[2]};                                                          \
            w[i] = records_turn(y).part[3];                                                                            \
        }                                                                                                              \
        wide_load_params(run, shape->params, b, first, param);                                                         \
        wide_project(run, shape, coarse, at, p, w, param, lambda, push);                                               \
        if (run->largest)                                                                                              \
            wide_note_pushes(run, shape->points, push, mask);                                                          \
        wide_write_lambda(run, shape->rows, at, mask, lambda);                                                         \
    }                                                                                                                  \
    SN_INLINE void wide_back_##suffix(const sn_wide_run *run, const wide_shape *shape, uint32_t b, uint32_t first,     \
                                      const lanes3 *push)                                                              \
    {                                                                                                                  \
        const number *index = run->suffix + (size_t)b * shape->points * SN_BATCH + first;                              \
        const uint32_t mask = wide_mask(run, b, first);                                                                \
        if (mask == 0)                                                                                                 \
            return;                                                                                                    \
        for (uint32_t i = 0; i < shape->points; ++i) {                                                                 \
            records t = records_turn((records){{push[i].x, push[i].y, push[i].z, lanes_all(0)}});                      \
            if (mask == WIDE_ALL_LANES) {                                                                              \
                records_add_to_##suffix(run->d, index + i * SN_BATCH, &t);                                             \
            } else {                                                                                                   \
                t = records_add(records_load_##suffix(run->d, index + i * SN_BATCH), t);                               \
                records_store_some_##suffix(run->d, index + i * SN_BATCH, &t, mask);                                   \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    SN_INLINE void wide_loop_##suffix(const sn_wide_run *run, const wide_shape *shape, bool coarse)                    \
    {                                                                                                                  \
        lanes3 push[WIDE_BLOCK][WIDE_MOST_POINTS];                                                                     \
        const uint32_t parts = SN_BATCH / SN_WIDTH, count = run->batches * parts;                                      \
        for (uint32_t start = 0; start < count; start += WIDE_BLOCK) {                                                 \
            uint32_t end = count - start < WIDE_BLOCK ? count : start + WIDE_BLOCK;                                    \
            for (uint32_t i = start; i < end; ++i)                                                                     \
                wide_front_##suffix(run, shape, coarse, i / parts, i % parts * SN_WIDTH, push[i - start]);             \
            for (uint32_t i = start; i < end; ++i)                                                                     \
                wide_back_##suffix(run, shape, i / parts, i % parts * SN_WIDTH, push[i - start]);                      \
        }                                                                                                              \
    }                                                                                                                  \
    SN_INLINE void wide_##suffix(const sn_wide_run *run, const wide_shape *shape)                                      \
    {                                                                                                                  \
        const sn_wide_run own = *run; /* what is stored cannot change this one */                                      \
        if (own.d == own.x)                                                                                            \
            wide_loop_##suffix(&own, shape, true);                                                                     \
        else                                                                                                           \
            wide_loop_##suffix(&own, shape, false);                                                                    \
    }

#if SN_WIDTH <= 8
WIDE_RECORDS(near, uint16_t)
WIDE_RECORDS(far, uint32_t)
#endif

/* A kind's three functions, called name_near, name_far and name_planes. */
#define WIDE_KIND(name, POINTS, PARAMS, ROWS, INTERNAL)                                                                \
    static void name##_near(const sn_wide_run *run)                                                                    \
    {                                                                                                                  \
        const wide_shape shape = {POINTS, PARAMS, ROWS, INTERNAL, name##_project};                                     \
        wide_near(run, &shape);                                                                                        \
    }                                                                                                                  \
    static void name##_far(const sn_wide_run *run)                                                                     \
    {                                                                                                                  \
        const wide_shape shape = {POINTS, PARAMS, ROWS, INTERNAL, name##_project};                                     \
        wide_far(run, &shape);                                                                                         \
    }                                                                                                                  \
    static void name##_planes(const sn_wide_run *run)                                                                  \
    {                                                                                                                  \
        const wide_shape shape = {POINTS, PARAMS, ROWS, INTERNAL, name##_project};                                     \
        wide_planes(run, &shape);                                                                                      \
    }

#endif

/* Common code of all runs of batches: compliances, lane masks, multipliers, preloads, the largest correction. */
#ifndef SN_WIDE_BATCHES_H
#define SN_WIDE_BATCHES_H

#include "base/simd.h"
#include "solvers/preload.h"
#include "wide/variants.h"

/* ---- Batches ----------------------------------------------------------------------------------------------------- */

/* compliance / h^2 of the lanes from `at` on. */
SN_INLINE lanes wide_alpha(const sn_wide_run *run, size_t at)
{
    if (!run->compliance)
        return lanes_all(0);
    return lanes_min(lanes_load(run->compliance + at) * lanes_all(run->inverse_h2), lanes_all(1e30f));
}

/* True where C >= 0 is inactive: it is not violated, and has no multiplier to reduce. */
SN_INLINE flags wide_rests(lanes c, lanes alpha, lanes lambda)
{
    lanes zero = lanes_all(0);
    return lanes_at_least(c, zero) & ~(lanes_above(alpha, zero) & lanes_above(lambda, zero));
}

/* Where positions have no remainder, corrections too small against their rounding are dropped: they would be noise, and
   in a freely falling body they add up to a drift. NaN is not small. */
SN_INLINE lanes wide_worth(lanes a, lanes size, lanes least)
{
    return lanes_keep(~lanes_above(least, size), a);
}

#define WIDE_ALL_LANES ((1u << SN_WIDTH) - 1)

/* ---- Lane masks -------------------------------------------------------------------------------------------------- */

/* The mask of a batch's lanes from `first` on. */
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

/* Stores the active lanes of a plane. The others keep the values in memory, which may have changed since this batch
   began: they may be particles of other lanes of it. */
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

/* ---- Multipliers: scattered in the kind's pool, or stored by lane ------------------------------------------------ */

SN_APART void wide_gather(const float *lambda, const uint32_t *row, uint32_t mask, float *all)
{
    for (uint32_t l = 0; l < SN_WIDTH; ++l)
        all[l] = mask >> l & 1 ? lambda[row[l]] : 0;
}

SN_APART void wide_scatter(float *lambda, const uint32_t *row, uint32_t mask, const float *all)
{
    for (uint32_t l = 0; l < SN_WIDTH; ++l)
        if (mask >> l & 1)
            lambda[row[l]] = all[l];
}

SN_INLINE lanes wide_read_lambda(const sn_wide_run *run, size_t at, uint32_t mask)
{
    float all[SN_WIDTH];
    if (!run->read_lambda)
        return lanes_all(0);
    if (!run->row)
        return lanes_load(run->lambda + at);
    wide_gather(run->lambda, run->row + at, mask, all);
    return lanes_load(all);
}

SN_INLINE void wide_write_lambda(const sn_wide_run *run, size_t at, uint32_t mask, lanes lambda)
{
    float all[SN_WIDTH];
    if (!run->write_lambda)
        return;
    if (!run->row) {
        wide_store(run->lambda + at, lambda, mask);
        return;
    }
    lanes_store(all, lambda);
    if (SN_WIDTH == 4 && mask == WIDE_ALL_LANES) /* cheaper than a call */
        for (uint32_t l = 0; l < SN_WIDTH; ++l)
            run->lambda[run->row[at + l]] = all[l];
    else
        wide_scatter(run->lambda, run->row + at, mask, all);
}

/* ---- The largest correction -------------------------------------------------------------------------------------- */

/* For each lane. */
SN_INLINE void wide_note_largest(float *largest, lanes a, uint32_t mask)
{
    a = mask == WIDE_ALL_LANES ? a : lanes_keep(wide_present(mask), a);
    lanes_store(largest, lanes_max(a, lanes_load(largest)));
}

/* ---- Preloads ---------------------------------------------------------------------------------------------------- */

/* The preload of a batch, as a multiplier. For its limit see solvers/preload.h. */
SN_INLINE lanes wide_preload(const sn_wide_run *run, size_t at, uint32_t mask, lanes give, lanes rest)
{
    float all[SN_WIDTH];
    wide_gather(run->lambda, run->row + at, mask, all);
    const lanes last = lanes_load(all) * lanes_all(run->last_inverse_h2);
    wide_gather(run->preload, run->row + at, mask, all);
    lanes now = lanes_load(all);
    const flags slack = lanes_above(lanes_all(SN_PRELOAD_SLACK) * now * now, last * now);
    now = now + lanes_choose(slack, lanes_all(SN_PRELOAD_FASTEST), lanes_all(run->preload_share)) * (last - now);
    now = now * lanes_all(run->h2);
    const lanes most = lanes_all(run->preload_most) * rest / give;
    return lanes_max(lanes_min(now, most), lanes_all(0) - most);
}

SN_INLINE void wide_keep_preload(const sn_wide_run *run, size_t at, uint32_t mask, lanes lambda)
{
    float all[SN_WIDTH];
    lanes_store(all, lambda * lanes_all(run->inverse_h2));
    wide_scatter(run->preload, run->row + at, mask, all);
}

#endif

/* Sixteen lanes, for distances in planes where two batches lie side by side; for everything else eight, which for particles in
   records are faster. This file is compiled for AVX-512 whatever the rest is compiled for. */
#include "wide/variants.h"

#if SN_WIDE_VECTORS && defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__) && defined(__AVX512BW__)
#define SN_WIDTH 16
#include "wide/distance.h"

/* Whether the points of batch b + 1 follow those of batch b. */
SN_INLINE bool is_pair(const sn_wide_run *run, uint32_t b)
{
    const uint32_t *at = run->offset + 2 * (size_t)b;
    return b + 1 < run->batches && at[2] == at[0] + SN_BATCH && at[3] == at[1] + SN_BATCH;
}

SN_INLINE void pair_loop_double(const sn_wide_run *run, const pair_shape *shape)
{
    uint32_t b = 0;
    while (b < run->batches) {
        for (; is_pair(run, b); b += 2)
            pair_batch_planes(run, shape, b, 0);
        uint32_t first = b;
        while (b < run->batches && !is_pair(run, b))
            ++b;
        if (b == first)
            continue;
        sn_wide_run single = pair_part(run, shape->params, first, b - first);
        sn_wide_avx2()->kind[shape->kind].planes(&single);
    }
}

#define DOUBLE_KIND(name, KIND)                                                                                        \
    void sn_wide_##name##_16(const sn_wide_run *run)                                                                   \
    {                                                                                                                  \
        PAIR_LOOPS(pair_loop_double, name, KIND, 1, 1);                                                                \
    }

const bool sn_wide_has_16 = true;
#else
/* Nobody calls these. */
#define DOUBLE_KIND(name, KIND)                                                                                        \
    void sn_wide_##name##_16(const sn_wide_run *run)                                                                   \
    {                                                                                                                  \
        sn_wide_avx2()->kind[KIND].planes(run);                                                                        \
    }

const bool sn_wide_has_16 = false;
#endif

DOUBLE_KIND(distance, SN_KIND_DISTANCE)
DOUBLE_KIND(distance_min, SN_KIND_DISTANCE_MIN)
DOUBLE_KIND(distance_max, SN_KIND_DISTANCE_MAX)

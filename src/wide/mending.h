/* Finds the rods of a tile that are too long: see solvers/tiled_mend.c. */
#ifndef SN_WIDE_MENDING_H
#define SN_WIDE_MENDING_H

#include "wide/batches.h"

/* Records the lanes that are longer than off_from times their rest length. */
SN_INLINE void mending_note(const sn_wide_run *run, uint32_t b, uint32_t first, lanes3 apart)
{
    const lanes most = lanes_load(run->param + (size_t)b * SN_BATCH + first) * lanes_all(run->off_from);
    const uint32_t here = wide_mask(run, b, first) & flags_bits(lanes_above(lanes3_dot(apart, apart), most * most));
    run->far_off[b] = (uint16_t)((first ? run->far_off[b] : 0) | here << first);
}

SN_INLINE void mending_loop_planes(const sn_wide_run *run, bool coarse)
{
    for (uint32_t b = 0; b < run->batches; ++b)
        for (uint32_t first = 0; first < SN_BATCH; first += SN_WIDTH) {
            const float *a = run->plane + run->offset[2 * (size_t)b] + first,
                        *c = run->plane + run->offset[2 * (size_t)b + 1] + first;
            lanes3 apart = lanes3_sub(wide_load3(a), wide_load3(c));
            if (!coarse)
                apart = lanes3_add(
                    apart, lanes3_sub(wide_load3(a + SN_PLANE_D * SN_BATCH), wide_load3(c + SN_PLANE_D * SN_BATCH)));
            mending_note(run, b, first, apart);
        }
}

/* In planes. */
SN_INLINE void mending_find_planes(const sn_wide_run *run)
{
    if (run->coarse)
        mending_loop_planes(run, true);
    else
        mending_loop_planes(run, false);
}

#if SN_WIDTH <= 8
#define MENDING_RECORDS(suffix, number)                                                                                \
    SN_INLINE void mending_loop_##suffix(const sn_wide_run *run, bool coarse)                                          \
    {                                                                                                                  \
        for (uint32_t b = 0; b < run->batches; ++b)                                                                    \
            for (uint32_t first = 0; first < SN_BATCH; first += SN_WIDTH) {                                            \
                const number *a = run->suffix + (size_t)b * 2 * SN_BATCH + first, *c = a + SN_BATCH;                   \
                records apart = records_sub(records_load_##suffix(run->x, a), records_load_##suffix(run->x, c));       \
                if (!coarse)                                                                                           \
                    apart = records_add(                                                                               \
                        apart, records_sub(records_load_##suffix(run->d, a), records_load_##suffix(run->d, c)));       \
                apart = records_transpose(apart);                                                                      \
                mending_note(run, b, first, (lanes3){apart.part[0], apart.part[1], apart.part[2]});                    \
            }                                                                                                          \
    }

MENDING_RECORDS(near, uint16_t)
MENDING_RECORDS(far, uint32_t)

static void mending_find(const sn_wide_run *run)
{
    if (run->far && run->d == run->x)
        mending_loop_far(run, true);
    else if (run->far)
        mending_loop_far(run, false);
    else if (run->near && run->d == run->x)
        mending_loop_near(run, true);
    else if (run->near)
        mending_loop_near(run, false);
    else
        mending_find_planes(run);
}
#endif

#endif

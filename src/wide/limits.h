/* Limits between aggregates, a batch at a time: see solvers/hierarchy.h. */
#ifndef SN_WIDE_LIMITS_H
#define SN_WIDE_LIMITS_H

#include "wide/batches.h"

#if SN_WIDTH <= 8
/* The displacements of the ends of SN_WIDTH limits. end: of the first. */
typedef struct limits_push {
    lanes3 a, c;
    const uint32_t *end;
} limits_push;

/* False if none is too long: nothing moves. */
SN_INLINE bool limits_find(const sn_wide_limits *run, uint32_t b, uint32_t first, limits_push *to)
{
    const uint32_t *a = run->end + 2 * (size_t)b * SN_BATCH + first, *c = a + SN_BATCH;
    const sn_vec4 *x = run->node, *d = run->node + 1;
    const records xa = records_load_far(x, a), xc = records_load_far(x, c);
    const records t = records_transpose(
        records_add(records_sub(xa, xc), records_sub(records_load_far(d, a), records_load_far(d, c))));
    const lanes3 apart = {t.part[0], t.part[1], t.part[2]};
    const lanes wa = records_transpose(xa).part[3], wc = records_transpose(xc).part[3];
    const lanes most = lanes_load(run->most + (size_t)b * SN_BATCH + first),
                length = lanes_sqrt(lanes3_dot(apart, apart)), under = (wa + wc) * length;
    const uint32_t mask = (uint32_t)run->mask[b] >> first & WIDE_ALL_LANES;
    flags acts = lanes_above(length, most) & lanes_above(under, lanes_all(0));
    if (mask != WIDE_ALL_LANES)
        acts = acts & wide_present(mask);
    const lanes share = lanes_keep(acts, (most - length) / under);
    *to = (limits_push){lanes3_scale(apart, share * wa), lanes3_scale(apart, share * wc), a};
    return flags_bits(acts) != 0;
}

/* Limits that are evaluated before the first of them is moved: see PAIR_BLOCK in distance.h. */
#define LIMITS_BLOCK 16u

static void limits_sweep(const sn_wide_limits *run)
{
    const uint32_t parts = SN_BATCH / SN_WIDTH, count = run->batches * parts;
    limits_push push[LIMITS_BLOCK];
    for (uint32_t start = 0; start < count; start += LIMITS_BLOCK) {
        const uint32_t end = count - start < LIMITS_BLOCK ? count : start + LIMITS_BLOCK;
        uint32_t moved = 0;
        for (uint32_t i = start; i < end; ++i)
            if (run->mask[i / parts] >> i % parts * SN_WIDTH) /* empty lanes are last */
                moved += limits_find(run, i / parts, i % parts * SN_WIDTH, &push[moved]);
        for (const limits_push *from = push; from < push + moved; ++from) {
            const records pa = records_transpose((records){{from->a.x, from->a.y, from->a.z, lanes_all(0)}});
            const records pc = records_transpose((records){{from->c.x, from->c.y, from->c.z, lanes_all(0)}});
            records_add_to_far(run->node + 1, from->end, &pa);
            records_sub_from_far(run->node + 1, from->end + SN_BATCH, &pc);
        }
    }
}
#endif

#endif

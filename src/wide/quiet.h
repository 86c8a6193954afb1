/* Vertices of surfaces that are far from any contact, SN_WIDTH at a time: positions and velocities at the start of a
   substep, positions at its end, and their deviation from the expected motion. See contact/surface_quiet.c. End
   positions have the same bits as the stored ones at all widths. */
#ifndef SN_WIDE_QUIET_H
#define SN_WIDE_QUIET_H

#include "base/simd.h"
#include "wide/wide.h"

static const uint32_t quiet_order[8] = {0, 1, 2, 3, 4, 5, 6, 7};

SN_INLINE lanes quiet_square(records a)
{
    const records d = records_transpose(a);
    return d.part[0] * d.part[0] + d.part[1] * d.part[1] + d.part[2] * d.part[2];
}

SN_INLINE lanes3 quiet_vectors(records a)
{
    const records d = records_transpose(a);
    return lanes3_of(d.part[0], d.part[1], d.part[2]);
}

/* True if some position or inverse mass differs from that at the end of the last substep. */
static bool quiet_starts(const sn_wide_quiet *run)
{
    flags differ = {0};
    for (uint32_t at = 0; at < run->count; at += SN_WIDTH) {
        const records x = records_load_far(run->x, run->slot + at), v = records_load_far(run->v, run->slot + at),
                      low = records_load_far(run->low, run->slot + at),
                      end = records_load_far(run->end + at, quiet_order);
        for (uint32_t k = 0; k < 4; ++k)
            differ |= lanes_unequal(x.part[k], end.part[k]);
        records_store_far(run->start + at, quiet_order, &x);
        records_store_far(run->start_low + at, quiet_order, &low);
        records_store_far(run->speed + at, quiet_order, &v);
        lanes_store(run->square + at,
                    quiet_square(records_sub(v, records_load_far(run->from_speed + at, quiet_order))));
    }
    return flags_any(differ);
}

/* The rounding error of a sum: Knuth, The art of computer programming, 4.2.2. */
SN_INLINE lanes quiet_error(lanes a, lanes b)
{
    const lanes sum = a + b, part = sum - a;
    return (a - (sum - part)) + (b - part);
}

static void quiet_ends(const sn_wide_quiet *run)
{
    const lanes t = lanes_all((double)run->t);
    for (uint32_t at = 0; at < run->count; at += SN_WIDTH) {
        const records x = records_load_far(run->x, run->slot + at), low = records_load_far(run->low, run->slot + at),
                      from = records_load_far(run->from + at, quiet_order),
                      speed = records_load_far(run->from_speed + at, quiet_order);
        records place, left, off;
        for (uint32_t k = 0; k < 4; ++k) {
            place.part[k] = x.part[k] + low.part[k];
            left.part[k] = quiet_error(x.part[k], low.part[k]);
            off.part[k] = (place.part[k] - from.part[k]) - t * speed.part[k];
        }
        place = records_with_w(place, x);
        left = records_with_w(left, low);
        records_store_far(run->x, run->slot + at, &place);
        records_store_far(run->low, run->slot + at, &left);
        records_store_far(run->end + at, quiet_order, &place);
        lanes_store(run->square + at, quiet_square(off));
    }
}

/* J: the energy that a vertex gained beyond the work of gravity, minus a share of its energy; or an upper bound of
   it. */
static void quiet_gains(const sn_wide_quiet *run)
{
    const lanes3 g = lanes3_of(lanes_all((double)run->gravity.x), lanes_all((double)run->gravity.y),
                               lanes_all((double)run->gravity.z));
    const lanes3 weight = lanes3_of(lanes_abs(g.x), lanes_abs(g.y), lanes_abs(g.z));
    const lanes none = lanes_all(0), half = lanes_all(0.5), lost = lanes_all((double)run->lost),
                share = lanes_all((double)run->share);
    for (uint32_t at = 0; at < run->count; at += SN_WIDTH) {
        const records x = records_load_far(run->x, run->slot + at), v = records_load_far(run->v, run->slot + at),
                      start = records_load_far(run->start + at, quiet_order),
                      speed = records_load_far(run->speed + at, quiet_order);
        const lanes3 displacement = quiet_vectors(records_sub(x, start)), more = quiet_vectors(records_sub(v, speed)),
                     sum = quiet_vectors(records_add(v, speed)), now = quiet_vectors(v);
        const lanes w = records_transpose(start).part[3];
        const lanes gain = half * lanes3_dot(more, sum) - lanes3_dot(displacement, g);
        const lanes parts = half * (lanes_abs(more.x * sum.x) + lanes_abs(more.y * sum.y) + lanes_abs(more.z * sum.z)) +
                            lanes_abs(displacement.x) * weight.x + lanes_abs(displacement.y) * weight.y +
                            lanes_abs(displacement.z) * weight.z;
        const lanes all = gain + lost * parts - share * (half * lanes3_dot(now, now));
        lanes_store(run->square + at, lanes_choose(lanes_above(w, none), all / w, none));
    }
}

/* The largest of these numbers, at least 0. */
static sn_real quiet_most(const sn_real *a, uint32_t count)
{
    sn_real part[SN_WIDTH], most = 0;
    lanes all = lanes_all(0);
    uint32_t at = 0;
    for (; at + SN_WIDTH <= count; at += SN_WIDTH)
        all = lanes_max(all, lanes_load(a + at));
    if (at && at < count)
        all = lanes_max(all, lanes_load(a + count - SN_WIDTH));
    for (uint32_t k = 0; !at && k < count; ++k)
        most = a[k] <= most ? most : a[k];
    lanes_store(part, all);
    for (uint32_t k = 0; k < SN_WIDTH; ++k)
        most = part[k] <= most ? most : part[k];
    return most;
}

#endif

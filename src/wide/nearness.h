/* Proximity test of features of a tile of a surface against a feature of another tile: SN_WIDTH of them at a time. See
   contact/surface_listing.c.

   No feature nearer than `far` is left out, whatever the rounding. A few that are slightly farther are included: how
   many depends on the width, but no result does. So

   - the distance of two edges is that of their lines if the nearest points of these are within both edges, or nearly
     so; otherwise the least distance of an end from the other edge. Nearly parallel edges (the angle has a sine below
     0.03) count as parallel: the least distance of an end is then too large by at most that sine times the longer edge,
     as squares add up;
   - the distance of a point from a triangle is the distance from its plane if the point is above it, or nearly so;
     otherwise that from an edge. For a triangle that is nearly a line its box decides.

   Coordinates have an error of 1e-7 of the size of the two tiles. Then the error of a point on an edge that is not
   `small` is less than NEAR_SLACK of the edge. For small features boxes decide. */
#ifndef SN_WIDE_NEARNESS_H
#define SN_WIDE_NEARNESS_H

#include "base/simd.h"
#include "wide/corners.h"
#include "wide/quiet.h"
#include "wide/wide.h"

#define NEAR_PARALLEL 1e-3 /* squared sine */
#define NEAR_SLACK    0.05 /* relative to an edge, beyond its ends */
#define NEAR_LINE     1e-2 /* squared sine below which a triangle is nearly a line */

SN_INLINE lanes3 near_load(const sn_wide_features *of, uint32_t corner, uint32_t at)
{
    const sn_real *from = of->at + 3 * (size_t)corner * of->stride + at;
    return lanes3_of(lanes_load(from), lanes_load(from + of->stride), lanes_load(from + 2 * (size_t)of->stride));
}

SN_INLINE lanes3 near_all(sn_vec3 a)
{
    return lanes3_of(lanes_all((double)a.x), lanes_all((double)a.y), lanes_all((double)a.z));
}

SN_INLINE lanes near_bounded(lanes t)
{
    return lanes_min(lanes_max(t, lanes_all(0)), lanes_all(1));
}

/* True where two intervals overlap. */
SN_INLINE flags near_overlap(lanes low, lanes high, lanes other_low, lanes other_high)
{
    return lanes_at_least(high, other_low) & lanes_at_least(other_high, low);
}

/* The squared distance from p to the edge from a along ab. NaN if ab is 0: lanes_min takes the other argument. */
SN_INLINE lanes near_edge(lanes3 ap, lanes3 ab, lanes square)
{
    const lanes t = near_bounded(lanes3_dot(ap, ab) / square);
    const lanes3 d = lanes3_sub(ap, lanes3_scale(ab, t));
    return lanes3_dot(d, d);
}

/* The lanes from `at` on that are features and not before the first. */
SN_INLINE uint32_t near_there(uint32_t at, uint32_t first, uint32_t count)
{
    const uint32_t there = count - at >= SN_WIDTH ? SN_ALL_LANES : (1u << (count - at)) - 1;
    return first > at ? there >> (first - at) << (first - at) : there;
}

SN_INLINE uint32_t near_note(uint16_t *to, uint32_t found, uint32_t at, uint32_t bits)
{
    for (; bits; bits &= bits - 1)
        to[found++] = (uint16_t)(at + (uint32_t)__builtin_ctz(bits));
    return found;
}

/* True where triangles may be nearer to p than the square root of `most`. */
SN_INLINE flags near_triangle(lanes3 p, lanes3 a, lanes3 b, lanes3 c, lanes most, lanes small)
{
    const lanes3 ab = lanes3_sub(b, a), ac = lanes3_sub(c, a), bc = lanes3_sub(c, b), ap = lanes3_sub(p, a),
                 bp = lanes3_sub(p, b), n = lanes3_cross(ab, ac);
    const lanes square = lanes3_dot(n, n), one = lanes3_dot(ab, ab), two = lanes3_dot(ac, ac),
                three = lanes3_dot(bc, bc);
    const lanes v = lanes3_dot(lanes3_cross(ap, ac), n), w = lanes3_dot(lanes3_cross(ab, ap), n),
                slack = square * lanes_all(NEAR_SLACK), high = lanes3_dot(ap, n);
    const flags above = lanes_at_least(v, -slack) & lanes_at_least(w, -slack) & lanes_at_least(square + slack, v + w);
    const flags line =
        ~(lanes_above(square, one * two * lanes_all(NEAR_LINE)) & lanes_above(one, small) & lanes_above(two, small));
    const flags over = above & lanes_at_least(most * square, high * high);
    const flags aside = lanes_at_least(most, near_edge(ap, ab, one)) | lanes_at_least(most, near_edge(ap, ac, two)) |
                        lanes_at_least(most, near_edge(bp, bc, three));
    return line | over | aside;
}

/* Finds triangles that are near p and whose boxes, enlarged by `far`, contain p. Their numbers go to `to`; returns how
   many. */
static uint32_t near_triangles(const sn_wide_nearness *run, const sn_vec3 *corner, uint32_t first, uint16_t *to)
{
    const sn_wide_features *of = run->of;
    const lanes3 p = near_all(*corner);
    const lanes far = lanes_all((double)run->far), most = far * far, small = lanes_all((double)run->small);
    uint32_t found = 0;
    for (uint32_t at = first - first % SN_WIDTH; at < of->count; at += SN_WIDTH) {
        const lanes3 a = near_load(of, 0, at), b = near_load(of, 1, at), c = near_load(of, 2, at);
        const flags box = near_overlap(lanes_min(a.z, lanes_min(b.z, c.z)), lanes_max(a.z, lanes_max(b.z, c.z)),
                                       p.z - far, p.z + far) &
                          near_overlap(lanes_min(a.x, lanes_min(b.x, c.x)), lanes_max(a.x, lanes_max(b.x, c.x)),
                                       p.x - far, p.x + far) &
                          near_overlap(lanes_min(a.y, lanes_min(b.y, c.y)), lanes_max(a.y, lanes_max(b.y, c.y)),
                                       p.y - far, p.y + far);
        uint32_t bits = flags_bits(box) & near_there(at, first, of->count);
        if (bits)
            found = near_note(to, found, at, bits & flags_bits(near_triangle(p, a, b, c, most, small)));
    }
    return found;
}

SN_INLINE flags near_edge_pair(lanes3 a, lanes3 b, lanes3 c, lanes3 d, lanes most, lanes small)
{
    const lanes3 p = lanes3_sub(b, a), q = lanes3_sub(d, c), r = lanes3_sub(a, c);
    const lanes pp = lanes3_dot(p, p), pq = lanes3_dot(p, q), qq = lanes3_dot(q, q), pr = lanes3_dot(p, r),
                qr = lanes3_dot(q, r);
    const lanes area = pp * qq - pq * pq, s = pq * qr - qq * pr, u = pp * qr - pq * pr,
                slack = area * lanes_all(NEAR_SLACK);
    const flags skew = lanes_above(area, pp * qq * lanes_all(NEAR_PARALLEL));
    const flags cross = skew & lanes_at_least(s, -slack) & lanes_at_least(area + slack, s) & lanes_at_least(u, -slack) &
                        lanes_at_least(area + slack, u);
    const lanes3 between = lanes3_sub(lanes3_add(r, lanes3_scale(p, s / area)), lanes3_scale(q, u / area));
    const lanes ends = lanes_choose(skew, most, most + lanes_all(NEAR_PARALLEL) * lanes_max(pp, qq));
    return ~(lanes_above(pp, small) & lanes_above(qq, small)) |
           (cross & lanes_at_least(most, lanes3_dot(between, between))) | lanes_at_least(ends, near_edge(r, q, qq)) |
           lanes_at_least(ends, near_edge(lanes3_sub(b, c), q, qq)) |
           lanes_at_least(ends, near_edge(lanes3_negate(r), p, pp)) |
           lanes_at_least(ends, near_edge(lanes3_sub(d, a), p, pp));
}

static uint32_t near_edges(const sn_wide_nearness *run, const sn_vec3 *corner, uint32_t first, uint16_t *to)
{
    const sn_wide_features *of = run->of;
    const lanes3 a = near_all(corner[0]), b = near_all(corner[1]);
    const lanes far = lanes_all((double)run->far), most = far * far, small = lanes_all((double)run->small);
    const lanes3 low = lanes3_of(lanes_min(a.x, b.x) - far, lanes_min(a.y, b.y) - far, lanes_min(a.z, b.z) - far),
                 high = lanes3_of(lanes_max(a.x, b.x) + far, lanes_max(a.y, b.y) + far, lanes_max(a.z, b.z) + far);
    uint32_t found = 0;
    for (uint32_t at = first - first % SN_WIDTH; at < of->count; at += SN_WIDTH) {
        const lanes3 c = near_load(of, 0, at), d = near_load(of, 1, at);
        const flags box = near_overlap(lanes_min(c.z, d.z), lanes_max(c.z, d.z), low.z, high.z) &
                          near_overlap(lanes_min(c.x, d.x), lanes_max(c.x, d.x), low.x, high.x) &
                          near_overlap(lanes_min(c.y, d.y), lanes_max(c.y, d.y), low.y, high.y);
        uint32_t bits = flags_bits(box) & near_there(at, first, of->count);
        if (bits)
            found = near_note(to, found, at, bits & flags_bits(near_edge_pair(a, b, c, d, most, small)));
    }
    return found;
}

/* Row `vector` of moving features, along an axis. */
SN_INLINE lanes near_row(const sn_wide_sweeps *of, uint32_t vector, uint32_t axis, uint32_t at)
{
    return lanes_load(of->rows + (3 * vector + axis) * (size_t)of->stride + at);
}

/* Sets `around`, and finds the features that reach the box. */
static void near_reaching(sn_wide_sweeps *of, const sn_real box[4][3])
{
    of->near_count = of->group_count = 0;
    for (uint32_t at = 0; at < of->count; at += SN_WIDTH) {
        uint32_t bits = near_there(at, 0, of->count);
        for (uint32_t axis = 0; axis < 3; ++axis) {
            const lanes low = lanes_min(near_row(of, 0, axis, at),
                                        near_row(of, 2, axis, at) - lanes_all((double)box[3][axis])),
                        high = lanes_max(near_row(of, 1, axis, at),
                                         near_row(of, 3, axis, at) - lanes_all((double)box[2][axis]));
            sn_real *around = of->around + axis * (size_t)of->stride + at;
            lanes_store(around, low);
            lanes_store(around + 3 * (size_t)of->stride, high);
            bits &=
                flags_bits(near_overlap(low, high, lanes_all((double)box[0][axis]), lanes_all((double)box[1][axis])));
        }
        of->near_count = near_note(of->near, of->near_count, at, bits);
        of->group[of->group_count] = (uint16_t)at;
        of->group_count += bits != 0;
    }
}

/* Compares the swept boxes of features along an axis, like sn_surface_sweeps_touch: relative to the mean velocity of
   the corners of both. i: the one feature. */
SN_INLINE flags near_swept(const sn_wide_sweeps *from, uint32_t i, const sn_wide_sweeps *of, uint32_t at, uint32_t axis,
                           lanes far)
{
    const sn_real *row = from->rows + axis * (size_t)from->stride + i;
    const size_t next = 3 * (size_t)from->stride;
    const lanes with = lanes_all((double)row[4 * next]) + near_row(of, 4, axis, at);
    return near_overlap(lanes_min(lanes_all((double)row[0]), lanes_all((double)row[2 * next]) - with) - far,
                        lanes_max(lanes_all((double)row[next]), lanes_all((double)row[3 * next]) - with) + far,
                        lanes_min(near_row(of, 0, axis, at), near_row(of, 2, axis, at) - with),
                        lanes_max(near_row(of, 1, axis, at), near_row(of, 3, axis, at) - with));
}

static uint32_t near_sweeps(const sn_wide_sweeps *from, uint32_t i, const sn_wide_sweeps *of, sn_real far,
                            uint32_t first, uint16_t *to)
{
    const lanes by = lanes_all((double)far);
    lanes low[3], high[3];
    uint32_t found = 0;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const sn_real *around = from->around + axis * (size_t)from->stride + i;
        low[axis] = lanes_all((double)around[0]) - by;
        high[axis] = lanes_all((double)around[3 * (size_t)from->stride]) + by;
    }
    for (uint32_t k = 0; k < of->group_count; ++k) {
        const uint32_t at = of->group[k];
        uint32_t bits = at + SN_WIDTH <= first ? 0 : near_there(at, first, of->count);
        flags near = flags_everywhere();
        for (uint32_t axis = 0; axis < 3; ++axis) {
            const sn_real *around = of->around + axis * (size_t)of->stride + at;
            near &=
                near_overlap(low[axis], high[axis], lanes_load(around), lanes_load(around + 3 * (size_t)of->stride));
        }
        bits &= flags_bits(near);
        for (uint32_t axis = 0; bits && axis < 3; ++axis)
            bits &= flags_bits(near_swept(from, i, of, at, axis, by));
        found = near_note(to, found, at, bits);
    }
    return found;
}

/* ---- Bounds of distances --------------------------------------------------------------------------------------------

   For pairs, one in each lane: a distance d with low <= d <= high. Corners 1 to 3 are relative to corner 0, so rounding
   is at most 1e-7 of the size L of the pair. If the sine of the angle between lines is above 0.03, and triangles are
   not lines, the distance from a plane, or of two lines, computed from a normal n has an error below 1e-5 L. The side
   of an end on which a point is remains open within NEAR_SLACK of an edge. BOUNDS_SHARE of the distance allows for the
   effect of this where L is much larger than the edges. */
#define BOUNDS_SHARE 0.01
#define BOUNDS_SIZE  2e-5
#define BOUNDS_TINY  1e-10 /* m^2: for shorter edges nothing is known */
#define BOUNDS_HUGE                                                                                                    \
    1e10 /* m^2: for larger pairs nothing is known either, because products of their coordinates overflow */

typedef struct near_bounds {
    lanes low, high; /* m^2 */
    lanes size;      /* m^2 */
    flags inner;     /* the nearest points may be inside both edges, or inside the triangle */
} near_bounds;

SN_INLINE lanes3 bounds_load(const sn_real *rows, uint32_t corner, uint32_t at)
{
    const sn_real *from = rows + (size_t)(3 * (corner - 1)) * SN_WIDE_COUPLES + at;
    return lanes3_of(lanes_load(from), lanes_load(from + SN_WIDE_COUPLES), lanes_load(from + 2 * SN_WIDE_COUPLES));
}

/* For the point 0 and triangles. */
SN_INLINE near_bounds bounds_triangle(lanes3 a, lanes3 b, lanes3 c)
{
    const lanes3 ab = lanes3_sub(b, a), ac = lanes3_sub(c, a), bc = lanes3_sub(c, b), ap = lanes3_negate(a),
                 bp = lanes3_negate(b), n = lanes3_cross(ab, ac);
    const lanes square = lanes3_dot(n, n), one = lanes3_dot(ab, ab), two = lanes3_dot(ac, ac),
                three = lanes3_dot(bc, bc), tiny = lanes_all(BOUNDS_TINY), high = lanes3_dot(ap, n),
                size = lanes_max(lanes3_dot(a, a), lanes_max(lanes3_dot(b, b), lanes3_dot(c, c)));
    const lanes v = lanes3_dot(lanes3_cross(ap, ac), n), w = lanes3_dot(lanes3_cross(ab, ap), n),
                slack = square * lanes_all(NEAR_SLACK);
    const flags plain = lanes_above(square, one * two * lanes_all(NEAR_LINE)) &
                        lanes_above(lanes_min(one, lanes_min(two, three)), tiny) &
                        lanes_above(lanes_all(BOUNDS_HUGE), size);
    const flags above = lanes_at_least(v, -slack) & lanes_at_least(w, -slack) & lanes_at_least(square + slack, v + w),
                inside = lanes_at_least(v, slack) & lanes_at_least(w, slack) & lanes_at_least(square - slack, v + w);
    const lanes plane = high * high / square,
                aside = lanes_min(near_edge(ap, ab, one), lanes_min(near_edge(ap, ac, two), near_edge(bp, bc, three)));
    return (near_bounds){.low = lanes_choose(plain, lanes_choose(above, plane, aside), lanes_all(0)),
                         .high = lanes_choose(plain & inside, plane, aside),
                         .size = size,
                         .inner = above | ~plain};
}

/* For the edge from 0 to b and the edges from c to d. */
SN_INLINE near_bounds bounds_edges(lanes3 b, lanes3 c, lanes3 d)
{
    const lanes3 q = lanes3_sub(d, c), r = lanes3_negate(c), n = lanes3_cross(b, q);
    const lanes pp = lanes3_dot(b, b), pq = lanes3_dot(b, q), qq = lanes3_dot(q, q), pr = lanes3_dot(b, r),
                qr = lanes3_dot(q, r), area = lanes3_dot(n, n), s = pq * qr - qq * pr, u = pp * qr - pq * pr,
                slack = area * lanes_all(NEAR_SLACK), high = lanes3_dot(r, n), tiny = lanes_all(BOUNDS_TINY),
                size = lanes_max(pp, lanes_max(lanes3_dot(c, c), lanes3_dot(d, d)));
    const flags plain = lanes_above(lanes_min(pp, qq), tiny) & lanes_above(lanes_all(BOUNDS_HUGE), size),
                skew = lanes_above(area, pp * qq * lanes_all(NEAR_PARALLEL));
    const flags cross = lanes_at_least(s, -slack) & lanes_at_least(area + slack, s) & lanes_at_least(u, -slack) &
                        lanes_at_least(area + slack, u),
                inside = lanes_at_least(s, slack) & lanes_at_least(area - slack, s) & lanes_at_least(u, slack) &
                         lanes_at_least(area - slack, u);
    const lanes lines = high * high / area,
                ends = lanes_min(lanes_min(near_edge(r, q, qq), near_edge(lanes3_sub(b, c), q, qq)),
                                 lanes_min(near_edge(c, b, pp), near_edge(d, b, pp)));
    const lanes parallel = ends - lanes_all(NEAR_PARALLEL) * lanes_max(pp, qq),
                low = lanes_choose(skew, lanes_choose(cross, lines, ends), parallel);
    return (near_bounds){.low = lanes_choose(plain, low, lanes_all(0)),
                         .high = lanes_choose(plain & skew & inside, lines, ends),
                         .size = size,
                         .inner = (skew & cross) | ~(skew & plain)};
}

static void near_couples(const sn_wide_couples *run)
{
    for (uint32_t at = 0; at < run->count; at += SN_WIDTH) {
        const lanes3 a = bounds_load(run->places, 1, at), b = bounds_load(run->places, 2, at),
                     c = bounds_load(run->places, 3, at);
        const near_bounds of = run->edges ? bounds_edges(a, b, c) : bounds_triangle(a, b, c);
        const lanes lost = lanes_sqrt(of.size) * lanes_all(BOUNDS_SIZE), zero = lanes_all(0);
        const lanes low = lanes_sqrt(lanes_max(of.low, zero)) * lanes_all(1 - BOUNDS_SHARE) - lost;
        lanes_store(run->low + at, lanes_max(low, zero)); /* 0 for NaN */
        lanes_store(run->high + at, lanes_sqrt(of.high) * lanes_all(1 + BOUNDS_SHARE) + lost);
        lanes_store(run->inner + at, lanes_choose(of.inner, lanes_all(1), zero));
    }
}

/* The largest difference between a vector at a corner of the one feature and a vector at a corner of the other. */
static void near_differences(const sn_wide_couples *run)
{
    for (uint32_t at = 0; at < run->count; at += SN_WIDTH) {
        const lanes3 a = bounds_load(run->places, 1, at), b = bounds_load(run->places, 2, at),
                     c = bounds_load(run->places, 3, at), ab = lanes3_sub(a, b), ac = lanes3_sub(a, c);
        const lanes last = lanes_max(lanes3_dot(b, b), lanes3_dot(c, c));
        const lanes first = run->edges ? lanes_max(lanes3_dot(ab, ab), lanes3_dot(ac, ac)) : lanes3_dot(a, a);
        lanes_store(run->high + at, lanes_sqrt(lanes_max(first, last)));
    }
}

static sn_real near_below(const sn_real *a, uint32_t count, sn_real most, uint16_t *to, uint32_t *found)
{
    const lanes all = lanes_all((double)most), far = lanes_all(INFINITY);
    sn_real part[SN_WIDTH], left = (sn_real)INFINITY;
    lanes least = far;
    uint32_t at = 0, known = 0;
    for (; at + SN_WIDTH <= count; at += SN_WIDTH) {
        const lanes number = lanes_load(a + at);
        const flags above = lanes_above(number, all);
        least = lanes_min(least, lanes_choose(above, number, far));
        known = near_note(to, known, at, ~flags_bits(above) & SN_ALL_LANES);
    }
    lanes_store(part, least);
    for (uint32_t k = 0; k < SN_WIDTH; ++k)
        left = part[k] < left ? part[k] : left;
    for (; at < count; ++at) {
        if (a[at] > most)
            left = a[at] < left ? a[at] : left;
        else
            to[known++] = (uint16_t)at;
    }
    *found = known;
    return left;
}

#define NEAR_TABLE                                                                                                     \
    {                                                                                                                  \
        near_triangles, near_edges, near_reaching, near_sweeps, near_couples, near_differences, corners_add,           \
            corners_rest, corners_gradients, quiet_starts, quiet_ends, quiet_gains, quiet_most, near_below             \
    }

#endif

/* Which features of a tile of a surface may be near one of another tile: SN_WIDTH of them at a time. See contact/surface_pairs.c, which measures what is left exactly.

   Nothing that is nearer than `far` is left out, whatever numbers round. A few are kept that are a little farther away: how many depends on the width, and no result does. So
   - the distance of two edges is that of the lines where the nearest spots of these are within both edges, or nearly so, and otherwise the least of an end from the other edge. Edges that are nearly parallel
     (their angle has a sine below 0.03) count as parallel: the least distance of an end is then too large by no more than that sine times the longer edge, as squares add up;
   - that of a point from a triangle is the distance from its plane where it is above it, or nearly so, and otherwise that from an edge. For a triangle that is nearly a line its box decides.

   Coordinates are off by 1e-7 of the size of the two tiles. A spot on an edge that is not `small` is then off by less than NEAR_SLACK of the edge. For what is small boxes decide. */
#ifndef SN_WIDE_NEARNESS_H
#define SN_WIDE_NEARNESS_H

#include "base/simd.h"
#include "wide/wide.h"

#define NEAR_PARALLEL 1e-3 /* the square of the sine */
#define NEAR_SLACK    0.05 /* of an edge, beyond its ends */
#define NEAR_LINE     1e-2 /* the square of the sine below which a triangle is nearly a line */

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

/* Whether two intervals overlap. */
SN_INLINE flags near_overlap(lanes low, lanes high, lanes other_low, lanes other_high)
{
    return lanes_at_least(high, other_low) & lanes_at_least(other_high, low);
}

/* Squared, from p to the edge from a along ab. No number if ab is 0: lanes_min takes the other. */
SN_INLINE lanes near_edge(lanes3 ap, lanes3 ab, lanes square)
{
    const lanes t = near_bounded(lanes3_dot(ap, ab) / square);
    const lanes3 d = lanes3_sub(ap, lanes3_scale(ab, t));
    return lanes3_dot(d, d);
}

/* Lanes from `at` on that are features, and not before the first. */
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

/* Squared, from p to triangles. */
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

/* Those whose boxes, larger by `far`, have p inside, and that are near. Numbers go to `to`; gives how many. */
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

/* Boxes around features and where they go, as sn_surface_sweeps_meet has them: seen from the mean velocity of the corners of both. Rows of an axis are the least and the most coordinate at the start, the
   same at the end, and what the feature adds to the mean. */
SN_INLINE flags near_swept(const sn_wide_features *of, uint32_t at, uint32_t axis, const lanes one[5], lanes far)
{
    lanes row[5];
    for (uint32_t k = 0; k < 5; ++k)
        row[k] = lanes_load(of->at + (5 * axis + k) * (size_t)of->stride + at);
    const lanes with = one[4] + row[4];
    return near_overlap(lanes_min(one[0], one[2] - with) - far, lanes_max(one[1], one[3] - with) + far,
                        lanes_min(row[0], row[2] - with), lanes_max(row[1], row[3] - with));
}

/* corner: the same five of the one feature, each for all axes. */
static uint32_t near_sweeps(const sn_wide_nearness *run, const sn_vec3 *corner, uint32_t first, uint16_t *to)
{
    const sn_wide_features *of = run->of;
    const lanes far = lanes_all((double)run->far);
    lanes one[3][5];
    uint32_t found = 0;
    for (uint32_t k = 0; k < 5; ++k) {
        const lanes3 all = near_all(corner[k]);
        one[0][k] = all.x, one[1][k] = all.y, one[2][k] = all.z;
    }
    for (uint32_t at = first - first % SN_WIDTH; at < of->count; at += SN_WIDTH) {
        const flags near = near_swept(of, at, 0, one[0], far) & near_swept(of, at, 1, one[1], far) &
                           near_swept(of, at, 2, one[2], far);
        found = near_note(to, found, at, flags_bits(near) & near_there(at, first, of->count));
    }
    return found;
}

#endif

/* Two edges that keep a least distance.

   The closest points a + s (b - a) and c + t (d - c) of two segments are found as in Ericson, "Real-Time Collision
   Detection" (2005), section 5.1.9. They minimise the distance, so moving them along their edges does not change it at
   first order (or they are at an end, and stay there). With n the unit vector from the second to the first point,

       grad a = (1 - s) n,   grad b = s n,   grad c = -(1 - t) n,   grad d = -t n

   is exact. Parallel edges have many pairs of closest points: the middle pair is taken, which rotates neither edge. For
   edges that intersect, n is perpendicular to both, and either sign is as good. */
#include "constraints/table.h"

#include <sinew/lanes.h>

/* Sine of the angle below which edges count as parallel: there rounding decides where they cross. */
#define PARALLEL SN_LANES_BY_PRECISION(1e-4, 1e-10)

/* A distance below this share of the longer edge is rounding, and has no direction. */
#define TOUCHING SN_LANES_BY_PRECISION(1e-7, 2e-16)

/* Clamps to 0 .. 1. NaN, as for an edge without length, gives 0. */
SN_LANES_INLINE lanes unit_clamp(lanes a)
{
    return lanes_min(lanes_max(a, lanes_all(0)), lanes_all(1));
}

/* C = |gap| - thickness >= 0. Positions are relative to a, the first point, because they are given so. */
static void eval_edge_edge(const lanes_in *in, lanes_out *out)
{
    const lanes zero = lanes_all(0), one = lanes_all(1);
    lanes3 u = lanes3_sub(in->x[1], in->x[0]), c = lanes3_sub(in->x[2], in->x[0]), w = lanes3_negate(c);
    lanes3 v = lanes3_sub(lanes3_sub(in->x[3], in->x[0]), c), cross = lanes3_cross(u, v);
    lanes uu = lanes3_dot(u, u), uv = lanes3_dot(u, v), vv = lanes3_dot(v, v), uw = lanes3_dot(u, w),
          vw = lanes3_dot(v, w);
    lanes cross2 = lanes3_dot(cross, cross);
    flags crossed = lanes_above(cross2, lanes_all(PARALLEL * PARALLEL) * uu * vv);
    /* s = ((uv)(vw) - (uw)(vv)) / |u x v|^2, written so that nothing cancels. For parallel edges: the middle of the
       second edge's projection on the first, clamped to it. */
    lanes middle = (unit_clamp(-uw / uu) + unit_clamp((uv - uw) / uu)) * lanes_all(0.5);
    lanes s = lanes_choose(crossed, unit_clamp(lanes3_dot(lanes3_cross(v, w), cross) / cross2), middle);
    lanes t = (uv * s + vw) / vv; /* s is 0 on an edge without length, and so is t */
    flags beyond = lanes_above(zero, t) | lanes_above(t, one);
    t = unit_clamp(t);
    s = lanes_choose(beyond, unit_clamp((uv * t - uw) / uu), s);
    /* If both points are inside the edges, the gap is along u x v, which is precise for any gap and exists even for gap
       0. At an end it has its own direction. */
    lanes3 gap = lanes3_sub(lanes3_add(w, lanes3_scale(u, s)), lanes3_scale(v, t));
    flags inside = crossed & lanes_above(s, zero) & lanes_above(one, s) & lanes_above(t, zero) & lanes_above(one, t);
    lanes length = lanes_sqrt(lanes_choose(inside, cross2, lanes3_dot(gap, gap)));
    lanes3 n = lanes3_scale(lanes3_choose(inside, cross, gap), one / length);
    lanes across = lanes3_dot(n, w);
    n = lanes3_scale(n, lanes_choose(inside & lanes_above(zero, across), -one, one));
    length = lanes_choose(inside, lanes_abs(across), length);
    out->exists = inside | lanes_above(lanes3_dot(gap, gap), lanes_all(TOUCHING * TOUCHING) * lanes_max(uu, vv));
    out->c[0] = length - in->param[0];
    out->gradient[0] = lanes3_scale(n, one - s);
    out->gradient[1] = lanes3_scale(n, s);
    out->gradient[2] = lanes3_scale(n, t - one);
    out->gradient[3] = lanes3_scale(n, -t);
}

SN_LANES(edge_edge, eval_edge_edge, 4, 1, 1, 0)

#if !SN_VECTOR
/* The present distance. 0 where it has no direction. */
static void measure_edge_edge(const sn_eval_in *in, sn_real *param)
{
    param[0] = 0;
    sn_measure_rest(SN_LANES_EVAL(edge_edge), 0, in, param, 0);
}

const sn_kind sn_kind_edge_edge = {
    .name = "edge_edge",
    .about =
        "Two edges stay apart: the closest places of the segments ab and cd keep at least the thickness between them.",
    .formula = "C = min |a + s (b - a) - c - t (d - c)| - thickness >= 0, s and t from 0 to 1",
    .unit = "m",
    .points = 4,
    .rows = 1,
    .inequality = 1,
    .internal = true,
    .spatial = true,
    .param = {{.name = "thickness", .unit = "m", .least = 0, .most = (sn_real)1e30}},
    .eval = SN_LANES_EVAL(edge_edge),
    .lanes = SN_LANES_TABLE(edge_edge),
    .measure = measure_edge_edge,
};
#endif

/* A bead on a polyline with rounded corners.

   A sharp corner has no tangent: at one, a bead at 2 m/s changed its energy by between -97 and +117 %, depending on
   solver and angle. So the curve leaves a segment at the share ROUND of its length before the corner P, and is on the
   next segment from the share ROUND of that one's length on. Between a = P + ROUND (A - P) and b = P + ROUND (B - P) it
   is the parabola

       p(u) = (1 - u)^2 a + 2 u (1 - u) P + u^2 b

   with both segments as tangents. Like a spline, it is a sum of corners with weights that depend only on u, so that the
   rows of curve.h are exact for it. At a right angle between segments of length L its least radius of curvature is
   ROUND L / sqrt 2, and it passes the corner by ROUND L / sqrt 8: a fourteenth and a twenty-eighth of L.

   Where the curve reverses its direction, so does the parabola, and the corner stops the bead like an open end. */
#include "base/dvec.h"
#include "constraints/curve.h"

#define ROUND ((sn_real)0.1)

/* A segment shorter than this share of the longest one has no direction and is skipped. */
#define SHORT (SINEW_DOUBLE ? (sn_real)1e-14 : (sn_real)1e-6)

/* |t1 + t2| below which a corner counts as a reversal: within 0.06 degrees. */
#define TURNS_BACK ((sn_real)1e-3)

/* Samples of an arc, to separate several closest points, and the most steps of Newton's method: each at least halves
   the bracket or is quadratic. */
#define SAMPLES 4
#define STEPS   40

/* A step of u below this changes nothing. */
#define SETTLED 2e-16

/* -F_u below this share of p' . p': the bead is near the centre of curvature; its gradient is that of a fixed point. */
#define FOCUS ((sn_real)1e-3)

typedef struct polyline {
    const sn_vec3 *p; /* corners; corner i is point i + 1 of the constraint */
    uint32_t segments;
    bool closed;
    sn_real shortest2; /* the square of the length that a segment must exceed */
} polyline;

/* The arc from segment `before` to `after`: the Bezier points of the parabola. */
typedef struct arc {
    uint32_t before, after;
    sn_vec3 a, middle, b;
} arc;

typedef struct nearest {
    bool on_arc;
    arc arc;
    uint32_t segment;
    sn_real k;         /* on the segment: p = start + k (end - start); or u of the arc */
    sn_curve_end end;  /* the end of the curve, if the bead is beyond it */
    sn_real distance2; /* squared distance from the bead */
} nearest;

static sn_vec3 edge(const polyline *l, uint32_t segment)
{
    return vec3_sub(l->p[segment + 1], l->p[segment]);
}

static bool has_direction(const polyline *l, uint32_t segment)
{
    sn_vec3 e = edge(l, segment);
    return vec3_dot(e, e) > l->shortest2;
}

static polyline make_polyline(const sn_eval_in *in)
{
    polyline l = {in->x + 1, in->points - 2, curve_is_closed(in->x + 1, in->points - 1), 0};
    sn_real longest2 = 0;
    for (uint32_t i = 0; i < l.segments; ++i) {
        sn_vec3 e = edge(&l, i);
        sn_real length2 = vec3_dot(e, e);
        longest2 = length2 > longest2 ? length2 : longest2;
    }
    l.shortest2 = longest2 * SHORT * SHORT;
    return l;
}

/* ---- Corners ----------------------------------------------------------------------------------------------------- */

/* The next segment with a direction, forwards or backwards, also across the joint of a closed curve. The number of
   segments if there is none. */
static uint32_t neighbour(const polyline *l, uint32_t segment, bool forwards)
{
    uint32_t next = segment, last = l->segments - 1;
    for (uint32_t i = 0; i < last; ++i) {
        bool at_end = next == (forwards ? last : 0);
        if (at_end && !l->closed)
            break;
        if (forwards)
            next = at_end ? 0 : next + 1;
        else
            next = at_end ? last : next - 1;
        if (has_direction(l, next))
            return next;
    }
    return l->segments;
}

static bool turns_back(const polyline *l, uint32_t before, uint32_t after)
{
    sn_vec3 e1 = edge(l, before), e2 = edge(l, after);
    sn_vec3 t = vec3_add(vec3_scale(e1, 1 / vec3_length(e1)), vec3_scale(e2, 1 / vec3_length(e2)));
    return vec3_dot(t, t) < TURNS_BACK * TURNS_BACK;
}

/* The segment on which a bead continues at the end of another, or at its start. The number of segments if it is stopped
   there. */
static uint32_t goes_on(const polyline *l, uint32_t segment, bool forwards)
{
    uint32_t other = neighbour(l, segment, forwards);
    bool back = other < l->segments && turns_back(l, forwards ? segment : other, forwards ? other : segment);
    return back ? l->segments : other;
}

/* Repeated corners between the two segments are in one place but need not be one particle: the parabola depends equally
   on the last corner of one segment and the first of the other. */
static arc make_arc(const polyline *l, uint32_t before, uint32_t after)
{
    sn_vec3 end = l->p[before + 1], start = l->p[after];
    return (arc){before, after, vec3_sub(end, vec3_scale(edge(l, before), ROUND)),
                 vec3_scale(vec3_add(end, start), (sn_real)0.5), vec3_add(start, vec3_scale(edge(l, after), ROUND))};
}

static sn_vec3 arc_place(const arc *c, sn_real u)
{
    sn_real v = 1 - u;
    return vec3_add(vec3_add(vec3_scale(c->a, v * v), vec3_scale(c->middle, 2 * u * v)), vec3_scale(c->b, u * u));
}

static sn_vec3 arc_tangent(const arc *c, sn_real u)
{
    return vec3_add(vec3_scale(vec3_sub(c->middle, c->a), 2 * (1 - u)), vec3_scale(vec3_sub(c->b, c->middle), 2 * u));
}

static sn_vec3 arc_bend(const arc *c)
{
    return vec3_scale(vec3_add(vec3_sub(c->a, vec3_scale(c->middle, 2)), c->b), 2);
}

/* ---- The closest point ------------------------------------------------------------------------------------------- */

static sn_real distance2(sn_vec3 a, sn_vec3 b)
{
    sn_vec3 d = vec3_sub(a, b);
    return vec3_dot(d, d);
}

/* The arc in double, relative to the bead: a - x, p'(0) and p''. From far away u is determined by the angle at which
   the bead sees the arc. Single precision would give the tangent, and so C, only to (distance / length of the arc) last
   places. */
typedef struct seen {
    sn_dvec3 a, first, bend;
} seen;

static seen see(const arc *c, sn_vec3 x)
{
    sn_dvec3 a = dvec3_seen(x, c->a), middle = dvec3_seen(x, c->middle), b = dvec3_seen(x, c->b);
    sn_dvec3 first = dvec3_sub(middle, a), last = dvec3_sub(b, middle);
    return (seen){a, dvec3_scale(first, 2), dvec3_scale(dvec3_sub(last, first), 2)};
}

/* -q = p - x at u, and p'. */
static sn_dvec3 seen_place(const seen *s, double u)
{
    return dvec3_add(s->a, dvec3_add(dvec3_scale(s->first, u), dvec3_scale(s->bend, u * u / 2)));
}

static sn_dvec3 seen_tangent(const seen *s, double u)
{
    return dvec3_add(s->first, dvec3_scale(s->bend, u));
}

/* F(u) = (x - p) . p' falls through 0 where the distance is least. */
static double slope(const seen *s, double u)
{
    return -dvec3_dot(seen_place(s, u), seen_tangent(s, u));
}

/* Searches between the neighbours of the nearest sample. */
static sn_real nearest_on_arc(const arc *c, sn_vec3 x)
{
    const seen s = see(c, x);
    double best = 0, best2 = dvec3_dot(s.a, s.a);
    for (uint32_t i = 1; i <= SAMPLES; ++i) {
        double u = (double)i / SAMPLES, d2 = dvec3_dot(seen_place(&s, u), seen_place(&s, u));
        best = d2 < best2 ? u : best;
        best2 = d2 < best2 ? d2 : best2;
    }
    double low = best > 0 ? best - 1.0 / SAMPLES : 0, high = best < 1 ? best + 1.0 / SAMPLES : 1;
    if (!(slope(&s, low) > 0))
        return (sn_real)low;
    if (!(slope(&s, high) < 0))
        return (sn_real)high;
    double u = best > low && best < high ? best : (low + high) / 2;
    for (int i = 0; i < STEPS; ++i) {
        sn_dvec3 t = seen_tangent(&s, u), p = seen_place(&s, u);
        double f = -dvec3_dot(p, t), steep = -dvec3_dot(p, s.bend) - dvec3_dot(t, t);
        if (f > 0)
            low = u;
        else
            high = u;
        double next = steep < 0 ? u - f / steep : low;
        if (!(next > low && next < high))
            next = (low + high) / 2;
        if (fabs(next - u) < SETTLED)
            return (sn_real)next;
        u = next;
    }
    return (sn_real)u;
}

/* Tries the straight part of a segment, and the arc after it. */
static void look_at_segment(const polyline *l, uint32_t segment, sn_vec3 x, nearest *best)
{
    sn_vec3 e = edge(l, segment), from = vec3_sub(x, l->p[segment]);
    uint32_t before = goes_on(l, segment, false), after = goes_on(l, segment, true);
    sn_real low = before < l->segments ? ROUND : 0, high = after < l->segments ? 1 - ROUND : 1;
    sn_real k = vec3_dot(from, e) / vec3_dot(e, e);
    sn_curve_end end = k < low && low == 0     ? SN_CURVE_BEFORE_START
                       : k > high && high == 1 ? SN_CURVE_BEYOND_FINISH
                                               : SN_CURVE_INSIDE;
    k = k > low ? (k < high ? k : high) : low;
    sn_real d2 = distance2(from, vec3_scale(e, k));
    if (d2 < best->distance2)
        *best = (nearest){.segment = segment, .k = k, .end = end, .distance2 = d2};
    if (after == l->segments)
        return;
    arc c = make_arc(l, segment, after); /* it is inside the triangle of its points */
    sn_real far = real_sqrt(distance2(x, c.middle)), size2 = distance2(c.a, c.middle), b2 = distance2(c.b, c.middle);
    sn_real gap = far - real_sqrt(size2 > b2 ? size2 : b2);
    if (gap > 0 && gap * gap > best->distance2)
        return;
    sn_real u = nearest_on_arc(&c, x);
    d2 = distance2(x, arc_place(&c, u));
    if (d2 < best->distance2)
        *best = (nearest){.on_arc = true, .arc = c, .k = u, .distance2 = d2};
}

/* ---- Data for the rows ------------------------------------------------------------------------------------------- */

static sn_curve_place on_segment(const polyline *l, const nearest *at)
{
    sn_vec3 e = edge(l, at->segment);
    sn_real k = at->k;
    return (sn_curve_place){
        .p = k == 1 ? l->p[at->segment + 1] : vec3_add(l->p[at->segment], vec3_scale(e, k)),
        .tangent = e,
        .end = at->end,
        .count = 2,
        .share = {{.point = at->segment + 1, .place = 1 - k, .turn = -1},
                  {.point = at->segment + 2, .place = k, .turn = 1}},
    };
}

static sn_curve_place on_arc(const nearest *at, sn_vec3 x)
{
    const arc *c = &at->arc;
    sn_real u = at->k, v = 1 - u, keep = 1 - ROUND;
    sn_curve_place place = {
        .p = arc_place(c, u),
        .tangent = arc_tangent(c, u),
        .count = 4,
        .share = {{.point = c->before + 1, .place = v * v * ROUND, .turn = -2 * v * ROUND},
                  {.point = c->before + 2, .place = v * v * keep + u * v, .turn = -2 * v * keep + v - u},
                  {.point = c->after + 1, .place = u * v + u * u * keep, .turn = v - u + 2 * u * keep},
                  {.point = c->after + 2, .place = u * u * ROUND, .turn = 2 * u * ROUND}},
    };
    sn_vec3 bend = arc_bend(c);
    sn_real t2 = vec3_dot(place.tangent, place.tangent), steep = vec3_dot(vec3_sub(x, place.p), bend) - t2;
    if (-steep > FOCUS * t2) {
        place.bend = bend;
        place.steepness = steep;
    }
    return place;
}

static bool eval_polyline(const sn_eval_in *in, const sn_eval_out *out)
{
    polyline l = make_polyline(in);
    nearest at = {.distance2 = (sn_real)INFINITY};
    for (uint32_t i = 0; i < l.segments; ++i)
        if (has_direction(&l, i))
            look_at_segment(&l, i, in->x[0], &at);
    if (!(at.distance2 < (sn_real)INFINITY))
        return false;
    sn_curve_place place = at.on_arc ? on_arc(&at, in->x[0]) : on_segment(&l, &at);
    return sn_curve_rows(in, &place, out);
}

const sn_kind sn_kind_on_polyline = {
    .name = "on_polyline",
    .about = "A bead on a polyline of particles: it slides round the corners, which are rounded within a tenth of the "
             "segments "
             "beside them, and stops at an open end. The first point is the bead; the others are the corners, "
             "immovable for a "
             "fixed curve. Closed if the last corner is the first.",
    .formula = "C = (q . u, q . v, distance from the nearer end >= 0), q = bead - closest place, u and v perpendicular "
               "to the tangent there",
    .unit = "m",
    .least_points = 3,
    .repeats = true,
    .rows = 3,
    .inequality = 4,
    .internal = true,
    .eval = eval_polyline,
};

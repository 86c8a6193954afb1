/* A bead on a uniform Catmull-Rom spline (Catmull and Rom, "A class of local interpolating splines", 1974): a smooth
   curve through all control points. Between P1 and P2, with neighbours P0 and P3 and u from 0 to 1,

       p(u) = [2 P1 + (P2 - P0) u + (2 P0 - 5 P1 + 4 P2 - P3) u^2 + (3 P1 - P0 - 3 P2 + P3) u^3] / 2

   so p, p' and p'' are sums of control points with weights that depend only on u. The missing neighbour of an open end
   is its other neighbour reflected: P0 = 2 P1 - P2.

   The closest point has F(u) = (x - p) . p' = 0. It is bracketed by samples and found by Newton's method, with
   bisection where a step would leave the bracket. Spans whose Bezier hull is farther than the best point so far are
   skipped. The control point nearest to the bead is the first such point. */
#include "constraints/curve.h"

/* Samples in a span, to separate several closest points: a cubic can have three. */
#define SAMPLES 8

/* The most Newton steps; each at least halves the bracket or is quadratic. */
#define STEPS 40

/* A step of u below this changes nothing. */
#define SETTLED (SINEW_DOUBLE ? (sn_real)2e-16 : (sn_real)1e-7)

/* |p'| below this share of the span's size is a cusp, which has no tangent. */
#define CUSP (SINEW_DOUBLE ? (sn_real)1e-12 : (sn_real)1e-5)

/* -F_u below this share of p' . p': the bead is near the centre of curvature, where the closest point moves much faster
   than the bead. Its gradient is then that of a fixed point. */
#define FOCUS ((sn_real)1e-3)

typedef struct spline {
    const sn_vec3 *p; /* control points; number i is point i + 1 of the constraint */
    uint32_t count, spans;
    bool closed;
} spline;

/* A parameter: a span, and u in it. */
typedef struct parameter {
    uint32_t span;
    sn_real u;
} parameter;

typedef struct derivatives {
    sn_vec3 p, first, second;
} derivatives;

/* ---- The curve -------------------------------------------------------------------------------------------------- */

/* The weights of P0 .. P3 in p, p' and p''. */
static void weights(sn_real u, sn_real *w, sn_real *first, sn_real *second)
{
    sn_real v = u * u, h = (sn_real)0.5;
    w[0] = h * (-u + 2 * v - u * v);
    w[1] = h * (2 - 5 * v + 3 * u * v);
    w[2] = h * (u + 4 * v - 3 * u * v);
    w[3] = h * (u * v - v);
    first[0] = h * (-1 + 4 * u - 3 * v);
    first[1] = h * (-10 * u + 9 * v);
    first[2] = h * (1 + 8 * u - 9 * v);
    first[3] = h * (3 * v - 2 * u);
    second[0] = 2 - 3 * u;
    second[1] = 9 * u - 5;
    second[2] = 4 - 9 * u;
    second[3] = 3 * u - 1;
}

/* The control point before the first: for a closed curve the last but one, otherwise the reflected second. */
static sn_vec3 before_span(const spline *s, uint32_t span)
{
    if (span > 0)
        return s->p[span - 1];
    return s->closed ? s->p[s->count - 2] : vec3_sub(vec3_scale(s->p[0], 2), s->p[1]);
}

static sn_vec3 after_span(const spline *s, uint32_t span)
{
    if (span + 1 < s->spans)
        return s->p[span + 2];
    return s->closed ? s->p[1] : vec3_sub(vec3_scale(s->p[span + 1], 2), s->p[span]);
}

static void control_points(const spline *s, uint32_t span, sn_vec3 *c)
{
    c[0] = before_span(s, span);
    c[1] = s->p[span];
    c[2] = s->p[span + 1];
    c[3] = after_span(s, span);
}

static sn_vec3 weighted(const sn_vec3 *c, const sn_real *w)
{
    return vec3_add(vec3_add(vec3_scale(c[0], w[0]), vec3_scale(c[1], w[1])),
                    vec3_add(vec3_scale(c[2], w[2]), vec3_scale(c[3], w[3])));
}

static derivatives evaluate_at(const spline *s, parameter at)
{
    sn_vec3 c[4];
    sn_real w[4], first[4], second[4];
    control_points(s, at.span, c);
    weights(at.u, w, first, second);
    return (derivatives){weighted(c, w), weighted(c, first), weighted(c, second)};
}

static sn_real distance2(sn_vec3 a, sn_vec3 b)
{
    sn_vec3 d = vec3_sub(a, b);
    return vec3_dot(d, d);
}

/* ---- The closest point ------------------------------------------------------------------------------------------ */

/* A lower bound of the squared distance from the span. The curve is inside the hull of its Bezier points P1, P1 + (P2 -
   P0) / 6, P2 - (P3 - P1) / 6, P2, and so inside a ball about its centre. */
static sn_real least_distance2(const sn_vec3 *c, sn_vec3 x)
{
    const sn_real sixth = (sn_real)(1.0 / 6), rounding = (sn_real)0.9999;
    sn_vec3 middle = vec3_scale(vec3_add(c[1], c[2]), (sn_real)0.5);
    sn_real r2 = distance2(c[1], middle);
    sn_real a2 = distance2(vec3_add(c[1], vec3_scale(vec3_sub(c[2], c[0]), sixth)), middle);
    sn_real b2 = distance2(vec3_sub(c[2], vec3_scale(vec3_sub(c[3], c[1]), sixth)), middle);
    r2 = a2 > r2 ? a2 : r2;
    r2 = b2 > r2 ? b2 : r2;
    sn_real gap = rounding * vec3_length(vec3_sub(x, middle)) - real_sqrt(r2);
    return gap > 0 ? gap * gap : 0;
}

/* The sample closest to x, the first of several. */
static parameter nearest_sample(const spline *s, sn_vec3 x)
{
    sn_real bound = distance2(s->p[0], x), best2 = 0;
    parameter best = {0, 0};
    bool found = false;
    for (uint32_t i = 1; i < s->count; ++i) {
        sn_real d2 = distance2(s->p[i], x);
        bound = d2 < bound ? d2 : bound;
    }
    for (uint32_t span = 0; span < s->spans; ++span) {
        sn_vec3 c[4];
        control_points(s, span, c);
        if (least_distance2(c, x) > bound)
            continue;
        for (uint32_t i = 0; i <= SAMPLES; ++i) {
            sn_real w[4], first[4], second[4], u = (sn_real)i / SAMPLES;
            weights(u, w, first, second);
            sn_real d2 = distance2(weighted(c, w), x);
            if (found && !(d2 < best2))
                continue;
            best = (parameter){span, u};
            best2 = d2;
            bound = d2 < bound ? d2 : bound;
            found = true;
        }
    }
    return best;
}

/* The parameter advanced by r, which is less than a span; continues on the next span. */
static parameter moved(const spline *s, parameter at, sn_real r)
{
    at.u += r;
    if (at.u < 0 && (at.span > 0 || s->closed)) {
        at.span = at.span > 0 ? at.span - 1 : s->spans - 1;
        at.u += 1;
    } else if (at.u > 1 && (at.span + 1 < s->spans || s->closed)) {
        at.span = at.span + 1 < s->spans ? at.span + 1 : 0;
        at.u -= 1;
    }
    return at;
}

/* The end of an open curve at a parameter. */
static sn_curve_end end_at(const spline *s, parameter at)
{
    if (s->closed)
        return SN_CURVE_INSIDE;
    if (at.span == 0 && at.u == 0)
        return SN_CURVE_BEFORE_START;
    return at.span + 1 == s->spans && at.u == 1 ? SN_CURVE_BEYOND_FINISH : SN_CURVE_INSIDE;
}

/* The root of F within a sample's distance of the best sample. If F > 0, the closest point is farther on. */
static parameter refine(const spline *s, sn_vec3 x, parameter sample)
{
    sn_curve_end end = end_at(s, sample);
    sn_real low = end == SN_CURVE_BEFORE_START ? 0 : (sn_real)-1 / SAMPLES;
    sn_real high = end == SN_CURVE_BEYOND_FINISH ? 0 : (sn_real)1 / SAMPLES;
    sn_real r = 0;
    for (uint32_t i = 0; i < STEPS; ++i) {
        derivatives d = evaluate_at(s, moved(s, sample, r));
        sn_vec3 q = vec3_sub(x, d.p);
        sn_real f = vec3_dot(q, d.first), slope = vec3_dot(q, d.second) - vec3_dot(d.first, d.first);
        sn_real step = slope < 0 ? -f / slope : 1;
        if (f == 0 || real_abs(step) <= SETTLED)
            break;
        if (f > 0)
            low = r;
        else
            high = r;
        bool kept = r + step > low && r + step < high;
        r = kept ? r + step : (low + high) / 2;
    }
    return moved(s, sample, r);
}

/* ---- The constraint --------------------------------------------------------------------------------------------- */

/* Distributes the weights of P0 .. P3 to the actual control points. */
static void share_weights(const spline *s, parameter at, sn_curve_place *place)
{
    sn_real w[4], first[4], second[4];
    uint32_t last = s->count - 1, span = at.span;
    weights(at.u, w, first, second);
    uint32_t point[4] = {span > 0 ? span - 1 : last - 1, span, span + 1, span + 1 < s->spans ? span + 2 : 1};
    bool reflected[4] = {span == 0 && !s->closed, false, false, span + 1 == s->spans && !s->closed};
    for (uint32_t i = 0; i < 4; ++i) {
        sn_curve_share *share = &place->share[place->count];
        if (reflected[i]) { /* twice the end minus the point after it */
            uint32_t near = i == 0 ? 0 : last, far = i == 0 ? 1 : last - 1;
            share[0] = (sn_curve_share){.point = near + 1, .place = 2 * w[i], .turn = 2 * first[i]};
            share[1] = (sn_curve_share){.point = far + 1, .place = -w[i], .turn = -first[i]};
        } else {
            share[0] = (sn_curve_share){.point = point[i] + 1, .place = w[i], .turn = first[i]};
        }
        place->count += reflected[i] ? 2 : 1;
    }
}

/* The squared size of a span: of the largest difference in p'. */
static sn_real span_size2(const spline *s, uint32_t span)
{
    sn_vec3 c[4];
    control_points(s, span, c);
    sn_real size2 = distance2(c[0], c[1]);
    for (uint32_t i = 1; i < 3; ++i) {
        sn_real d2 = distance2(c[i], c[i + 1]);
        size2 = d2 > size2 ? d2 : size2;
    }
    return size2;
}

static bool eval_spline(const sn_eval_in *in, const sn_eval_out *out)
{
    spline s = {in->x + 1, in->points - 1, in->points - 2, curve_is_closed(in->x + 1, in->points - 1)};
    parameter at = nearest_sample(&s, in->x[0]);
    sn_curve_place place = {.end = end_at(&s, at)};
    if (place.end != SN_CURVE_INSIDE) { /* beyond the end, or close to it on the inner side */
        derivatives d = evaluate_at(&s, at);
        sn_real f = vec3_dot(vec3_sub(in->x[0], d.p), d.first);
        bool beyond = place.end == SN_CURVE_BEFORE_START ? f <= 0 : f >= 0;
        place.end = beyond ? place.end : SN_CURVE_INSIDE;
    }
    if (place.end == SN_CURVE_INSIDE)
        at = refine(&s, in->x[0], at);
    derivatives d = evaluate_at(&s, at);
    sn_real speed2 = vec3_dot(d.first, d.first);
    if (!(speed2 > CUSP * CUSP * span_size2(&s, at.span)))
        return false;
    place.p = d.p;
    place.tangent = d.first;
    place.steepness = vec3_dot(vec3_sub(in->x[0], d.p), d.second) - speed2;
    if (place.end == SN_CURVE_INSIDE && place.steepness < -FOCUS * speed2)
        place.bend = d.second;
    share_weights(&s, at, &place);
    return sn_curve_rows(in, &place, out);
}

const sn_kind sn_kind_on_spline = {
    .name = "on_spline",
    .about =
        "A bead on a smooth curve through particles (uniform Catmull-Rom): it stops at an open end. The first point "
        "is the bead; the others are the control points, immovable for a fixed curve. Closed if the last of them is "
        "the first.",
    .formula = "C = (q . u, q . v, distance from the nearer end >= 0), q = bead - closest place, u and v perpendicular "
               "to the tangent there",
    .unit = "m",
    .least_points = 3,
    .repeats = true,
    .rows = 3,
    .inequality = 4,
    .internal = true,
    .eval = eval_spline,
};

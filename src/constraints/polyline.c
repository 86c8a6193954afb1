/* A bead on a polyline.

   Between two corners a and b the tangent is T = b - a and the closest place p = a + k T. At a corner that is itself
   the closest place, T is the bisector t1 + t2 of the unit tangents on both sides: with the tangent of one side alone
   the bead would slide off along the extension of that side; with the bisector it goes round. (Its rows bring the
   bead next to the corner, and the next projection onto the other side.) Where the curve turns back on itself there
   is no bisector, and the corner stops the bead as an open end does. */
#include "constraints/curve.h"

/* A segment shorter than this share of the longest one has no direction and is passed over. */
#define SHORT (SINEW_DOUBLE ? (sn_real)1e-14 : (sn_real)1e-6)

/* |t1 + t2| below which a corner turns back on itself: within 0.06 degrees. */
#define TURNS_BACK ((sn_real)1e-3)

typedef struct polyline {
    const sn_vec3 *p; /* corners; corner i is point i + 1 of the constraint */
    uint32_t segments;
    bool closed;
    sn_real shortest2; /* the square of the length that a segment must exceed */
} polyline;

typedef struct nearest {
    uint32_t segment;
    sn_real k; /* p = a + k (b - a), 0 to 1 */
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

/* The closest place of all segments, the first of several; false if no segment has a direction. */
static bool find_nearest(const polyline *l, sn_vec3 x, nearest *best)
{
    sn_real best2 = 0;
    bool found = false;
    for (uint32_t i = 0; i < l->segments; ++i) {
        sn_vec3 e = edge(l, i), from = vec3_sub(x, l->p[i]);
        sn_real length2 = vec3_dot(e, e);
        if (!(length2 > l->shortest2))
            continue;
        sn_real k = vec3_dot(from, e) / length2;
        k = k > 0 ? (k < 1 ? k : 1) : 0;
        sn_vec3 q = vec3_sub(from, vec3_scale(e, k));
        sn_real distance2 = vec3_dot(q, q);
        if (!found || distance2 < best2) {
            best2 = distance2;
            *best = (nearest){i, k};
            found = true;
        }
    }
    return found;
}

/* The next segment with a direction, forwards or backwards, round a closed curve; the number of segments if there is
   none. */
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

static sn_curve_place on_segment(const polyline *l, uint32_t segment, sn_real k, sn_curve_end end)
{
    sn_vec3 e = edge(l, segment);
    return (sn_curve_place){
        .p = k == 1 ? l->p[segment + 1] : vec3_add(l->p[segment], vec3_scale(e, k)),
        .tangent = e,
        .end = end,
        .count = 2,
        .share = {{.point = segment + 1, .place = 1 - k, .turn = -1}, {.point = segment + 2, .place = k, .turn = 1}},
    };
}

/* Where segment `before` ends and `after` begins: T = t1 + t2, dt1 = (de1 - t1 (t1 . de1)) / |e1|. */
static sn_curve_place at_corner(const polyline *l, uint32_t before, uint32_t after)
{
    sn_vec3 e1 = edge(l, before), e2 = edge(l, after);
    sn_real k1 = 1 / vec3_length(e1), k2 = 1 / vec3_length(e2);
    sn_vec3 t1 = vec3_scale(e1, k1), t2 = vec3_scale(e2, k2), t = vec3_add(t1, t2);
    if (vec3_dot(t, t) < TURNS_BACK * TURNS_BACK)
        return on_segment(l, before, 1, SN_CURVE_BEYOND_FINISH);
    return (sn_curve_place){
        .p = l->p[before + 1],
        .tangent = t,
        .count = 4,
        .share = {{.point = before + 1, .turn = -k1, .along = t1},
                  {.point = before + 2, .place = 1, .turn = k1, .along = t1},
                  {.point = after + 1, .turn = -k2, .along = t2},
                  {.point = after + 2, .turn = k2, .along = t2}},
    };
}

static bool eval_polyline(const sn_eval_in *in, const sn_eval_out *out)
{
    polyline l = make_polyline(in);
    nearest at = {0, 0};
    if (!find_nearest(&l, in->x[0], &at))
        return false;
    sn_curve_place place;
    if (at.k > 0 && at.k < 1) {
        place = on_segment(&l, at.segment, at.k, SN_CURVE_INSIDE);
    } else {
        bool finish = at.k == 1;
        uint32_t other = neighbour(&l, at.segment, finish);
        if (other == l.segments)
            place = on_segment(&l, at.segment, at.k, finish ? SN_CURVE_BEYOND_FINISH : SN_CURVE_BEFORE_START);
        else
            place = finish ? at_corner(&l, at.segment, other) : at_corner(&l, other, at.segment);
    }
    return sn_curve_rows(in, &place, out);
}

const sn_kind sn_kind_on_polyline = {
    .name = "on_polyline",
    .about =
        "A bead on a polyline of particles: it slides round the corners and stops at an open end. The first point is "
        "the bead; the others are the corners, immovable for a fixed curve. Closed if the last corner is the first.",
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

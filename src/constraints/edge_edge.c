/* Two edges that keep their distance.

   The closest places a + s (b - a) and c + t (d - c) of two segments are found as by Ericson, "Real-Time Collision
   Detection" (2005), section 5.1.9. They minimise the distance, so moving them along their edges does not change it
   at first order (or they are held at an end, and do not move), and with n the unit vector from the second to the
   first place

       grad a = (1 - s) n,   grad b = s n,   grad c = -(1 - t) n,   grad d = -t n

   is exact. Parallel edges have many pairs of closest places: the middle one is taken, which turns neither edge. For
   edges that cross in one place n is perpendicular to both, and either sign is as good. */
#include "base/vec.h"
#include "constraints/table.h"

/* Sine of the angle below which edges count as parallel: there rounding decides where they cross. */
#define PARALLEL (SINEW_DOUBLE ? (sn_real)1e-10 : (sn_real)1e-4)

/* A distance below this share of the longer edge is rounding, and has no direction. */
#define TOUCHING (SINEW_DOUBLE ? (sn_real)2e-16 : (sn_real)1e-7)

typedef struct edges {
    sn_vec3 u, v, w; /* b - a, d - c, a - c */
    sn_real uu, uv, vv, uw, vw;
} edges;

typedef struct closest {
    sn_real s, t;
    sn_vec3 gap; /* from the place on the second edge to that on the first */
} closest;

static sn_real unit_clamp(sn_real a)
{
    return a > 0 ? (a < 1 ? a : 1) : 0;
}

/* Relative to a, the first point, as positions are given. */
static edges make_edges(const sn_vec3 *x)
{
    sn_vec3 u = vec3_sub(x[1], x[0]), c = vec3_sub(x[2], x[0]), v = vec3_sub(vec3_sub(x[3], x[0]), c);
    sn_vec3 w = vec3_scale(c, -1);
    return (edges){u, v, w, vec3_dot(u, u), vec3_dot(u, v), vec3_dot(v, v), vec3_dot(u, w), vec3_dot(v, w)};
}

/* Where the middle of the second edge's shadow on the first lies: s of c and d, cut to the first edge. */
static sn_real middle_of_overlap(const edges *e)
{
    sn_real c = unit_clamp(-e->uw / e->uu), d = unit_clamp((e->uv - e->uw) / e->uu);
    return (c + d) / 2;
}

static closest find_closest(const edges *e)
{
    closest r = {0, 0, e->w};
    sn_vec3 cross = vec3_cross(e->u, e->v);
    sn_real cross2 = vec3_dot(cross, cross);
    if (e->uu > 0 && e->vv > 0) {
        if (cross2 > PARALLEL * PARALLEL * e->uu * e->vv) {
            /* s = ((uv)(vw) - (uw)(vv)) / |u x v|^2, written so that nothing cancels */
            r.s = unit_clamp(vec3_dot(vec3_cross(e->v, e->w), cross) / cross2);
        } else {
            r.s = middle_of_overlap(e);
        }
        r.t = (e->uv * r.s + e->vw) / e->vv;
        if (r.t < 0 || r.t > 1) {
            r.t = unit_clamp(r.t);
            r.s = unit_clamp((e->uv * r.t - e->uw) / e->uu);
        }
    } else if (e->uu > 0) { /* the second edge is a point */
        r.s = unit_clamp(-e->uw / e->uu);
    } else if (e->vv > 0) {
        r.t = unit_clamp(e->vw / e->vv);
    }
    r.gap = vec3_sub(vec3_add(e->w, vec3_scale(e->u, r.s)), vec3_scale(e->v, r.t));
    return r;
}

/* The direction of the gap and its length. For places inside both edges it is along u x v, which is precise for any
   gap and exists even for none; at an end it is that of the gap. False where that has none. */
static bool direction(const edges *e, const closest *r, sn_vec3 *n, sn_real *length)
{
    sn_vec3 cross = vec3_cross(e->u, e->v);
    sn_real cross2 = vec3_dot(cross, cross), size2 = e->uu > e->vv ? e->uu : e->vv, gap2 = vec3_dot(r->gap, r->gap);
    bool inside = r->s > 0 && r->s < 1 && r->t > 0 && r->t < 1;
    if (inside && cross2 > PARALLEL * PARALLEL * e->uu * e->vv) {
        *n = vec3_scale(cross, 1 / real_sqrt(cross2));
        *length = vec3_dot(*n, e->w);
        if (*length < 0) {
            *n = vec3_scale(*n, -1);
            *length = -*length;
        }
        return true;
    }
    if (!(gap2 > TOUCHING * TOUCHING * size2))
        return false;
    *length = real_sqrt(gap2);
    *n = vec3_scale(r->gap, 1 / *length);
    return true;
}

/* C = |gap| - thickness >= 0 */
static bool eval_edge_edge(const sn_eval_in *in, const sn_eval_out *out)
{
    edges e = make_edges(in->x);
    closest r = find_closest(&e);
    sn_vec3 n;
    sn_real length;
    if (!direction(&e, &r, &n, &length))
        return false;
    out->c[0] = length - in->param[0];
    out->gradient[0] = vec3_scale(n, 1 - r.s);
    out->gradient[1] = vec3_scale(n, r.s);
    out->gradient[2] = vec3_scale(n, r.t - 1);
    out->gradient[3] = vec3_scale(n, -r.t);
    return true;
}

/* The distance now, 0 where it has no direction. */
static void measure_edge_edge(const sn_eval_in *in, sn_real *param)
{
    edges e = make_edges(in->x);
    closest r = find_closest(&e);
    sn_vec3 n;
    param[0] = 0;
    (void)direction(&e, &r, &n, &param[0]);
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
    .eval = eval_edge_edge,
    .measure = measure_edge_edge,
};

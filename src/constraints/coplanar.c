/* A point and the plane of a triangle: in it (coplanarity, lecture 003; more points by sn_constraints_add_coplanar), or
   at least a thickness away on the side of the triangle's normal (the triangle collision constraint of lecture 001).

   With N = (b - a) x (c - a), n = N / |N| and the height H = (d - a) . n, the projection of d on the plane is f = d - H
   n. Its barycentric weights are ((c - f) x (a - f)) . N / |N|^2 for b, and so on cyclically. If the corners move, the
   plane below d moves as their sum with these weights:

       dH/dd = n,   dH/da = -weight(a) n,   and so for b and c */
#include "constraints/table.h"

#include <sinew/lanes.h>

/* A triangle whose height is below this share of its length counts as a line, and has no plane. */
#define NO_PLANE SN_LANES_BY_PRECISION(1e-5, 1e-12)

/* The height of d over the plane of the corners a, a + ab, a + ac, and its gradients. ad is d - a. */
SN_LANES_INLINE lanes height(lanes3 ab, lanes3 ac, lanes3 ad, lanes_out *out, lanes3 *at_corner, lanes3 *at_d)
{
    lanes3 normal = lanes3_cross(ab, ac);
    lanes area2 = lanes3_dot(normal, normal), size2 = lanes_max(lanes3_dot(ab, ab), lanes3_dot(ac, ac));
    lanes3 n = lanes3_scale(normal, lanes_all(1) / lanes_sqrt(area2));
    /* Weights of the projection f, relative to a: (f x ac) . N = (ad x ac) . N, since the two differ by a multiple of n
       x ac. */
    lanes b = lanes3_dot(lanes3_cross(ad, ac), normal) / area2, c = lanes3_dot(lanes3_cross(ab, ad), normal) / area2;
    out->exists = lanes_above(area2, lanes_all(NO_PLANE * NO_PLANE) * size2 * size2);
    at_corner[0] = lanes3_scale(n, b + c - lanes_all(1));
    at_corner[1] = lanes3_scale(n, -b);
    at_corner[2] = lanes3_scale(n, -c);
    *at_d = n;
    return lanes3_dot(ad, n);
}

/* C = (d - a) . n */
static void eval_coplanar(const lanes_in *in, lanes_out *out)
{
    const lanes3 *x = in->x;
    lanes3 ab = lanes3_sub(x[1], x[0]), ac = lanes3_sub(x[2], x[0]), ad = lanes3_sub(x[3], x[0]);
    out->c[0] = height(ab, ac, ad, out, out->gradient, &out->gradient[3]);
}

/* C = (q - a) . n - thickness >= 0. Everything is relative to q, the first point, because positions are given so. */
static void eval_point_triangle(const lanes_in *in, lanes_out *out)
{
    const lanes3 *x = in->x;
    lanes3 a = lanes3_sub(x[1], x[0]), b = lanes3_sub(x[2], x[0]), c = lanes3_sub(x[3], x[0]);
    out->c[0] = height(lanes3_sub(b, a), lanes3_sub(c, a), lanes3_negate(a), out, &out->gradient[1], out->gradient) -
                in->param[0];
}

SN_LANES(coplanar, eval_coplanar, 4, 1, 0, 0)
SN_LANES(point_triangle, eval_point_triangle, 4, 1, 1, 0)

#if !SN_VECTOR
const sn_kind sn_kind_coplanar = {
    .name = "coplanar",
    .about = "Four points in a plane: d stays in the plane through a, b and c. More than four with "
             "sn_constraints_add_coplanar.",
    .formula = "C = (d - a) . n, n = (b - a) x (c - a) / |(b - a) x (c - a)|",
    .unit = "m",
    .points = 4,
    .rows = 1,
    .internal = true,
    .spatial = true,
    .eval = SN_LANES_EVAL(coplanar),
    .lanes = SN_LANES_TABLE(coplanar),
};

const sn_kind sn_kind_point_triangle = {
    .name = "point_triangle",
    .about =
        "A point stays on the front of a triangle's plane, from which the corners a, b, c run counter-clockwise, and "
        "off it by the thickness.",
    .formula = "C = (q - a) . n - thickness >= 0, n = (b - a) x (c - a) / |(b - a) x (c - a)|",
    .unit = "m",
    .points = 4,
    .rows = 1,
    .inequality = 1,
    .internal = true,
    .spatial = true,
    .param = {{.name = "thickness", .unit = "m", .has_default = true, .least = 0, .most = (sn_real)1e30}},
    .eval = SN_LANES_EVAL(point_triangle),
    .lanes = SN_LANES_TABLE(point_triangle),
};
#endif

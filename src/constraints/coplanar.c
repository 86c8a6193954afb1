/* A point and the plane of a triangle: in it (coplanarity, lecture 003; more points by sn_add_coplanar), or on the
   side to which the triangle's normal points, by a thickness (the triangle collision constraint of lecture 001).

   With N = (b - a) x (c - a), n = N / |N| and the height H = (d - a) . n, the foot of d in the plane is f = d - H n,
   and has barycentric weights, of which that of b is ((c - f) x (a - f)) . N / |N|^2 and so on around. Turning the
   plane moves it below d as its corners move with those weights:

       dH/dd = n,   dH/da = -weight(a) n,   and so for b and c */
#include "base/vec.h"
#include "constraints/table.h"

/* A triangle whose height is below this share of its length is a line, and has no plane. */
#define NO_PLANE (SINEW_DOUBLE ? (sn_real)1e-12 : (sn_real)1e-5)

/* Writes the height of d over the plane of corners a, a + ab, a + ac, and its gradients; ad is d - a. False where
   there is no plane. */
static bool height(sn_vec3 ab, sn_vec3 ac, sn_vec3 ad, sn_real *c, sn_vec3 *at_corner, sn_vec3 *at_d)
{
    sn_vec3 normal = vec3_cross(ab, ac);
    sn_real area2 = vec3_dot(normal, normal), ab2 = vec3_dot(ab, ab), ac2 = vec3_dot(ac, ac);
    sn_real size2 = ab2 > ac2 ? ab2 : ac2;
    if (!(area2 > NO_PLANE * NO_PLANE * size2 * size2))
        return false;
    sn_vec3 n = vec3_scale(normal, 1 / real_sqrt(area2));
    /* of the foot, relative to a: (f x ac) . N = (ad x ac) . N, since the two differ by a multiple of n x ac */
    sn_real b = vec3_dot(vec3_cross(ad, ac), normal) / area2, g = vec3_dot(vec3_cross(ab, ad), normal) / area2;
    *c = vec3_dot(ad, n);
    at_corner[0] = vec3_scale(n, b + g - 1);
    at_corner[1] = vec3_scale(n, -b);
    at_corner[2] = vec3_scale(n, -g);
    *at_d = n;
    return true;
}

/* C = (d - a) . n */
static bool eval_coplanar(const sn_eval_in *in, const sn_eval_out *out)
{
    const sn_vec3 *x = in->x;
    sn_vec3 ab = vec3_sub(x[1], x[0]), ac = vec3_sub(x[2], x[0]), ad = vec3_sub(x[3], x[0]);
    return height(ab, ac, ad, &out->c[0], out->gradient, &out->gradient[3]);
}

const sn_kind sn_kind_coplanar = {
    .name = "coplanar",
    .about = "Four points in a plane: d stays in the plane through a, b and c. More than four with sn_add_coplanar.",
    .formula = "C = (d - a) . n, n = (b - a) x (c - a) / |(b - a) x (c - a)|",
    .unit = "m",
    .points = 4,
    .rows = 1,
    .internal = true,
    .spatial = true,
    .eval = eval_coplanar,
};

/* C = (q - a) . n - thickness >= 0. Everything is taken relative to q, the first point, as positions are given. */
static bool eval_point_triangle(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 a = vec3_sub(in->x[1], in->x[0]), b = vec3_sub(in->x[2], in->x[0]), c = vec3_sub(in->x[3], in->x[0]);
    sn_vec3 aq = vec3_scale(a, -1);
    if (!height(vec3_sub(b, a), vec3_sub(c, a), aq, &out->c[0], &out->gradient[1], &out->gradient[0]))
        return false;
    out->c[0] -= in->param[0];
    return true;
}

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
    .eval = eval_point_triangle,
};

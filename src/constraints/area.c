/* The area of a triangle.

   A = |(b - a) x (c - a)| / 2. With n the unit normal, moving a corner across the opposite side changes it by half
   the length of that side:  grad_a = n x (c - b) / 2,  grad_b = n x (a - c) / 2,  grad_c = n x (b - a) / 2.

   A triangle whose corners lie on a line has no normal and can open either way; so that it does not stay closed for
   ever, one normal to its longest side is chosen (dvec3_any_normal), in a 2D world the one of the plane. Three points
   in one place rest. */
#include "base/dvec.h"
#include "constraints/table.h"

/* Twice the area over the square of the longest side, below which the normal is rounding. */
#define CLOSED 1e-14

static bool measure_triangle(const sn_vec3 *x, sn_real *area, sn_dvec3 *n)
{
    sn_dvec3 ab = dvec3_seen(x[0], x[1]), ac = dvec3_seen(x[0], x[2]), bc = dvec3_sub(ac, ab);
    sn_dvec3 longest = dvec3_dot(ab, ab) > dvec3_dot(ac, ac) ? ab : ac;
    longest = dvec3_dot(bc, bc) > dvec3_dot(longest, longest) ? bc : longest;
    sn_dvec3 normal = dvec3_cross(ab, ac);
    double twice = dvec3_length(normal), size = dvec3_dot(longest, longest);
    *area = (sn_real)(twice / 2);
    if (!(size > 0))
        return false;
    *n = twice > CLOSED * size ? dvec3_scale(normal, 1 / twice) : dvec3_any_normal(longest);
    return true;
}

/* C = A - rest */
static bool eval_area(const sn_eval_in *in, const sn_eval_out *out)
{
    const sn_vec3 *x = in->x;
    sn_real area;
    sn_dvec3 n;
    if (!measure_triangle(x, &area, &n))
        return false;
    out->c[0] = area - in->param[0];
    out->gradient[0] = dvec3_round(dvec3_scale(dvec3_cross(n, dvec3_seen(x[1], x[2])), 0.5));
    out->gradient[1] = dvec3_round(dvec3_scale(dvec3_cross(n, dvec3_seen(x[2], x[0])), 0.5));
    out->gradient[2] = vec3_scale(vec3_add(out->gradient[0], out->gradient[1]), -1);
    return true;
}

static void measure_area(const sn_eval_in *in, sn_real *param)
{
    sn_dvec3 unused;
    measure_triangle(in->x, param, &unused);
}

const sn_kind sn_kind_area = {
    .name = "area",
    .about = "A triangle keeps its area; its shape may change.",
    .formula = "C = |(b - a) x (c - a)| / 2 - rest",
    .unit = "m^2",
    .points = 3,
    .rows = 1,
    .internal = true,
    .param = {{.name = "rest", .unit = "m^2", .least = 0, .most = (sn_real)1e30}},
    .eval = eval_area,
    .measure = measure_area,
};

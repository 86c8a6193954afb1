/* The area of a triangle.

   A = |(b - a) x (c - a)| / 2. With n the unit normal, moving a corner across the opposite side changes it by half the
   length of that side: grad_a = n x (c - b) / 2, grad_b = n x (a - c) / 2, grad_c = n x (b - a) / 2.

   A triangle whose corners are on a line has no normal and can open either way. So that it does not stay closed for
   ever, a normal to its longest side is chosen (lanes3_any_normal); in a 2D world it is normal to the plane. For three
   points in one place the constraint is inactive. */
#define SN_LANE_DOUBLE 1 /* a thin triangle has no normal in single precision */
#include "constraints/table.h"

#include <sinew/lanes.h>

/* Twice the area over the square of the longest side, below which the normal is rounding. */
#define CLOSED 1e-14

/* C = A - rest */
static void eval_area(const lanes_in *in, lanes_out *out)
{
    lanes3 ab = lanes3_sub(in->x[1], in->x[0]), ac = lanes3_sub(in->x[2], in->x[0]), bc = lanes3_sub(ac, ab);
    lanes aa = lanes3_dot(ab, ab), bb = lanes3_dot(ac, ac), cc = lanes3_dot(bc, bc), half = lanes_all(0.5);
    lanes3 longest = lanes3_choose(lanes_above(aa, bb), ab, ac), n = lanes3_cross(ab, ac);
    longest = lanes3_choose(lanes_above(cc, lanes_max(aa, bb)), bc, longest);
    lanes twice = lanes3_length(n), size = lanes3_dot(longest, longest);
    flags open = lanes_above(twice, lanes_all(CLOSED) * size);
    out->exists = lanes_above(size, lanes_all(0));
    out->c[0] = lanes_as_stored(twice * half) - in->param[0];
    n = lanes3_scale(n, lanes_all(1) / twice);
    if (!flags_all(open))
        n = lanes3_choose(open, n, lanes3_any_normal(longest));
    out->gradient[0] = lanes3_scale(lanes3_cross(n, bc), half);
    out->gradient[1] = lanes3_scale(lanes3_cross(n, ac), -half);
    out->gradient[2] = lanes3_negate(lanes3_add(out->gradient[0], out->gradient[1]));
}

SN_LANES(area, eval_area, 3, 1, 1, 0)

#if !SN_VECTOR
/* Three points in one place have the area 0. */
static void measure_area(const sn_eval_in *in, sn_real *param)
{
    param[0] = 0;
    sn_measure_rest(SN_LANES_EVAL(area), 0, in, param, 0);
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
    .eval = SN_LANES_EVAL(area),
    .lanes = SN_LANES_TABLE(area),
    .measure = measure_area,
};
#endif

/* Three points on a line (collinearity, lecture 003; more of them by sn_constraints_add_collinear).

   With T = b - a, t = T / |T|, the projection a + k T of c on the line and q = c - a - k T the part of c - a across it,

       C = t x (c - a) = t x q,     dC = t x (dc - (1 - k) da - k db) + (dT - t (t . dT)) x q / |T|

   There are three rows, of which two are independent where the points are on a line: the solver skips a dependent row.
   Two rows along two perpendicular directions would also do. But these must be tied to the axes of the world, and then
   a projection of points far off the line changes angular momentum. A cross product rotates with the points: by
   symmetry about the plane of the three points its multiplier is parallel to C, and the torque on the world, C x
   lambda, is zero. */
#include "constraints/table.h"

#include <sinew/lanes.h>

/* If |b - a| is below this share of |c - a|, the line has no usable direction. */
#define NO_LINE SN_LANES_BY_PRECISION(1e-5, 1e-12)

static void eval_collinear(const lanes_in *in, lanes_out *out)
{
    const lanes one = lanes_all(1), zero = lanes_all(0);
    const lanes3 axis[3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
    lanes3 edge = lanes3_sub(in->x[1], in->x[0]), ac = lanes3_sub(in->x[2], in->x[0]);
    lanes length2 = lanes3_dot(edge, edge), k = lanes3_dot(ac, edge) / length2, inverse = one / lanes_sqrt(length2);
    lanes3 t = lanes3_scale(edge, inverse), q = lanes3_sub(ac, lanes3_scale(edge, k)), c = lanes3_cross(t, q);
    out->exists = lanes_above(length2, lanes_all(NO_LINE * NO_LINE) * lanes3_dot(ac, ac));
    out->c[0] = c.x;
    out->c[1] = c.y;
    out->c[2] = c.z;
    for (uint32_t row = 0; row < 3; ++row) {
        /* axis . (t x d) = (axis x t) . d, and axis . (d x q) = (q x axis) . d */
        lanes3 move = lanes3_cross(axis[row], t), turn = lanes3_cross(q, axis[row]);
        turn = lanes3_scale(lanes3_sub(turn, lanes3_scale(t, lanes3_dot(turn, t))), inverse);
        out->gradient[row * 3] = lanes3_sub(lanes3_scale(move, k - one), turn);
        out->gradient[row * 3 + 1] = lanes3_sub(turn, lanes3_scale(move, k));
        out->gradient[row * 3 + 2] = move;
    }
}

SN_LANES(collinear, eval_collinear, 3, 3, 0, 0)

#if !SN_VECTOR
const sn_kind sn_kind_collinear = {
    .name = "collinear",
    .about = "Three points on a line: c stays on the line through a and b. More than three with "
             "sn_constraints_add_collinear.",
    .formula = "C = (b - a) x (c - a) / |b - a|",
    .unit = "m",
    .points = 3,
    .rows = 3,
    .internal = true,
    .eval = SN_LANES_EVAL(collinear),
    .lanes = SN_LANES_TABLE(collinear),
};
#endif

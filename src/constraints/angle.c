/* The angle at b of three points a, b, c: equal, at least, at most (lecture 003).

   It is the angle by which the path changes direction at b, between ab and bc: with u = b - a and v = c - b

       theta = atan2(|u x v|, u . v),    0 where a, b, c are straight, pi where c is folded back towards a.

   (The angle inside the joint, between ba and bc, is pi - theta.) With n = u x v / |u x v|, rotating v about n
   increases theta, rotating u decreases it:

       d theta / dv = n x v / |v|^2,     d theta / du = -n x u / |u|^2,
       grad_a = n x u / |u|^2,   grad_c = n x v / |v|^2,   grad_b = -grad_a - grad_c.

   Where the joint is exactly straight or folded, n does not exist, and theta is like the tip of a cone: it grows (or
   shrinks) at the same rate in any direction. Without a gradient there, a joint that was built straight, as joints
   often are, would stay straight for ever. So a direction is chosen (lanes3_any_normal). It conserves momentum and
   stays in the plane of a 2D world. Two points in one place have no angle, and there the constraint is inactive. */
#define SN_LANE_DOUBLE 1 /* near straight single precision has no digits left */
#include "base/math.h"
#include "constraints/table.h"

#include <sinew/lanes.h>

/* Sine below which the normal of a joint is only rounding, and any other normal is as good. */
#define STRAIGHT 1e-14

/* theta, and its gradient for a, b, c times sign. No gradient where two points coincide. */
SN_LANES_INLINE lanes bend(const lanes_in *in, double sign, lanes_out *out)
{
    lanes3 u = lanes3_sub(in->x[1], in->x[0]), v = lanes3_sub(in->x[2], in->x[1]), n = lanes3_cross(u, v);
    lanes uu = lanes3_dot(u, u), vv = lanes3_dot(v, v), sine = lanes3_length(n), zero = lanes_all(0);
    flags turns = lanes_above(sine, lanes_all(STRAIGHT) * lanes_sqrt(uu) * lanes_sqrt(vv));
    out->exists = lanes_above(uu, zero) & lanes_above(vv, zero);
    n = lanes3_scale(n, lanes_all(1) / sine);
    if (!flags_all(turns))
        n = lanes3_choose(turns, n, lanes3_any_normal(u));
    out->gradient[0] = lanes3_scale(lanes3_cross(n, u), lanes_all(sign) / uu);
    out->gradient[2] = lanes3_scale(lanes3_cross(n, v), lanes_all(sign) / vv);
    out->gradient[1] = lanes3_negate(lanes3_add(out->gradient[0], out->gradient[2]));
    return lanes_as_stored(lanes_atan2(sine, lanes3_dot(u, v)));
}

/* C = theta - angle. Also used for the lower limit. */
static void eval_angle(const lanes_in *in, lanes_out *out)
{
    out->c[0] = bend(in, 1, out) - in->param[0];
}

/* C = most - theta >= 0 */
static void eval_angle_max(const lanes_in *in, lanes_out *out)
{
    out->c[0] = in->param[0] - bend(in, -1, out);
}

SN_LANES(angle, eval_angle, 3, 1, 1, 0)
SN_LANES(angle_max, eval_angle_max, 3, 1, 1, 0)

#if !SN_VECTOR
static void measure_angle(const sn_eval_in *in, sn_real *param)
{
    sn_measure_rest(SN_LANES_EVAL(angle), 0, in, param, 0);
}

#define ANGLE(NAME)                                                                                                    \
    {                                                                                                                  \
        .name = NAME, .unit = "rad", .least = 0, .most = (sn_real)MATH_PI                                              \
    }

const sn_kind sn_kind_angle = {
    .name = "angle",
    .about = "The path a, b, c turns by a given angle at b: 0 is straight, pi folded back. It may turn any way.",
    .formula = "C = angle between b - a and c - b, less angle",
    .unit = "rad",
    .points = 3,
    .rows = 1,
    .internal = true,
    .param = {ANGLE("angle")},
    .eval = SN_LANES_EVAL(angle),
    .lanes = SN_LANES_TABLE(angle),
    .measure = measure_angle,
};

const sn_kind sn_kind_angle_min = {
    .name = "angle_min",
    .about = "The path a, b, c turns by at least so much at b (0 is straight): a joint that never straightens.",
    .formula = "C = angle between b - a and c - b, less least, >= 0",
    .unit = "rad",
    .points = 3,
    .rows = 1,
    .inequality = 1,
    .internal = true,
    .param = {ANGLE("least")},
    .eval = SN_LANES_EVAL(angle),
    .lanes = SN_LANES_TABLE(angle),
    .measure = measure_angle,
};

const sn_kind sn_kind_angle_max = {
    .name = "angle_max",
    .about = "The path a, b, c turns by at most so much at b (0 is straight): a stiff hose, a cone of freedom.",
    .formula = "C = most less the angle between b - a and c - b, >= 0",
    .unit = "rad",
    .points = 3,
    .rows = 1,
    .inequality = 1,
    .internal = true,
    .param = {ANGLE("most")},
    .eval = SN_LANES_EVAL(angle_max),
    .lanes = SN_LANES_TABLE(angle_max),
    .measure = measure_angle,
};
#endif

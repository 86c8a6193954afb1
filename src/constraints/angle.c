/* The angle at b of three points a, b, c: equal, at least, at most (lecture 003).

   It is the angle by which the path turns at b, between ab and bc: with u = b - a and v = c - b

       theta = atan2(|u x v|, u . v),    0 where a, b, c are straight, pi where c is folded back towards a.

   (The angle inside the joint, between ba and bc, is pi - theta.) With n = u x v / |u x v|, turning v about n opens
   theta, turning u closes it:

       d theta / dv = n x v / |v|^2,     d theta / du = -n x u / |u|^2,
       grad_a = n x u / |u|^2,   grad_c = n x v / |v|^2,   grad_b = -grad_a - grad_c.

   Exactly straight or folded there is no n, and theta has the tip of a cone: it grows (or shrinks) at the same rate
   whichever way the joint turns. Resting there would leave a joint that was built straight, as joints often are,
   straight for ever, so a direction is chosen (dvec3_any_normal): it obeys momentum and stays in the plane of a 2D
   world. Two points in one place have no angle at all, and there the constraint rests. */
#include "base/dvec.h"
#include "base/math.h"
#include "constraints/table.h"

/* Sine below which the normal of a joint is rounding, and another one as good. */
#define STRAIGHT 1e-14

/* theta, and its gradient by a, b, c times sign; false where two points coincide. */
static bool bend(const sn_eval_in *in, double sign, sn_real *theta, sn_vec3 *gradient)
{
    sn_dvec3 u = dvec3_seen(in->x[0], in->x[1]), v = dvec3_sub(dvec3_seen(in->x[0], in->x[2]), u);
    double uu = dvec3_dot(u, u), vv = dvec3_dot(v, v);
    if (!(uu > 0 && vv > 0))
        return false;
    sn_dvec3 n = dvec3_cross(u, v);
    double sine = dvec3_length(n);
    *theta = (sn_real)math_atan2(sine, dvec3_dot(u, v));
    n = sine > STRAIGHT * sqrt(uu) * sqrt(vv) ? dvec3_scale(n, 1 / sine) : dvec3_any_normal(u);
    gradient[0] = dvec3_round(dvec3_scale(dvec3_cross(n, u), sign / uu));
    gradient[2] = dvec3_round(dvec3_scale(dvec3_cross(n, v), sign / vv));
    gradient[1] = vec3_scale(vec3_add(gradient[0], gradient[2]), -1);
    return true;
}

static void measure_bend(const sn_eval_in *in, sn_real *param)
{
    sn_vec3 unused[3];
    bend(in, 1, param, unused); /* coinciding points leave it unmeasured */
}

#define ANGLE(NAME)                                                                                                    \
    {                                                                                                                  \
        .name = NAME, .unit = "rad", .least = 0, .most = (sn_real)MATH_PI                                              \
    }

/* C = theta - angle, and the same at least */
static bool eval_angle(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_real theta;
    if (!bend(in, 1, &theta, out->gradient))
        return false;
    out->c[0] = theta - in->param[0];
    return true;
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
    .eval = eval_angle,
    .measure = measure_bend,
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
    .eval = eval_angle,
    .measure = measure_bend,
};

/* C = most - theta >= 0 */
static bool eval_angle_max(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_real theta;
    if (!bend(in, -1, &theta, out->gradient))
        return false;
    out->c[0] = in->param[0] - theta;
    return true;
}

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
    .eval = eval_angle_max,
    .measure = measure_bend,
};

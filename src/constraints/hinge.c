/* The signed angle at b of three points a, b, c about an axis, for joints that bend only one way, like an elbow
   (lecture 003).

   u = b - a and v = c - b are seen along the axis n, in the plane normal to it: u' = u - (u . n) n, v' likewise.
   Counter-clockwise is positive, straight is 0:

       theta = atan2(n . (u x v), u . v - (u . n)(v . n))   in (-pi, pi].

   Per unit of motion of v' its direction rotates by n x v' / |v'|^2, so

       grad_c = p,   grad_a = q,   grad_b = -p - q   with   p = n x v / |v'|^2,   q = n x u / |u'|^2   (n x v' = n x v).

   hinge, hinge_min, hinge_max and hinge_band have an axis fixed in the world, as a door has. hinge_points takes it from
   a fourth point d to a fifth e, so that the axis moves along with a figure. Tilting the axis by dn (across n) is
   equivalent to tilting u and v in the opposite direction, which changes theta by -(q' . (w x u) + p . (w x v)) with w
   = n x dn and q' = -q. Multiplied out,

       d theta / dn = -(q' (n . u) + p (n . v)),   grad_e = that / |e - d|,   grad_d = -grad_e.

   Where ab or bc is parallel to the axis there is no angle, and the constraint is inactive.

   Angles are on a circle that is cut at pi. With a single limit, a joint folded by 190 degrees has the angle -170; if
   the least angle is 0, it is rotated all the way back. Two limits define an arc, and a joint outside it returns to the
   nearer end: from 190 to 150, if 0 and 150 are the limits. So where a joint can fold over, use a band. */
#define SN_LANE_DOUBLE 1 /* near the axis single precision has no digits left */
#include "base/math.h"
#include "constraints/table.h"

#include <sinew/lanes.h>

/* Sine of the angle between ab (or bc) and the axis: below it the part across the axis cannot be measured. */
#define ALONG_AXIS 1e-7

/* One joint. */
typedef struct joint {
    lanes3 n, u, v;
    lanes3 p, q; /* gradients for c and for a */
    lanes theta;
} joint;

/* The squared length of the part of a across n. `exists` becomes false where it is negligible against a. */
SN_LANES_INLINE lanes across(lanes3 a, lanes3 n, flags *exists)
{
    lanes3 part = lanes3_sub(a, lanes3_scale(n, lanes3_dot(a, n)));
    lanes square = lanes3_dot(part, part);
    *exists &= lanes_above(square, lanes_all(ALONG_AXIS * ALONG_AXIS) * lanes3_dot(a, a));
    return square;
}

/* The angle about an axis of any length. */
SN_LANES_INLINE joint turn(const lanes_in *in, lanes3 axis, lanes_out *out)
{
    const lanes one = lanes_all(1);
    lanes3 u = lanes3_sub(in->x[1], in->x[0]), v = lanes3_sub(in->x[2], in->x[1]);
    lanes3 n = lanes3_scale(axis, one / lanes3_length(axis)), nu = lanes3_cross(n, u), nv = lanes3_cross(n, v);
    lanes sine = lanes3_dot(nu, v) + lanes_all(0); /* never -0, so that folded gives pi and not -pi */
    lanes uu = across(u, n, &out->exists), vv = across(v, n, &out->exists);
    lanes theta = lanes_as_stored(lanes_atan2(sine, lanes3_dot(nu, nv)));
    return (joint){n, u, v, lanes3_scale(nv, one / vv), lanes3_scale(nu, one / uu), theta};
}

/* The gradients for a, b, c times sign. */
SN_LANES_INLINE void write_joint(const joint *j, double sign, lanes3 *gradient)
{
    gradient[0] = lanes3_scale(j->q, lanes_all(sign));
    gradient[2] = lanes3_scale(j->p, lanes_all(sign));
    gradient[1] = lanes3_negate(lanes3_add(gradient[0], gradient[2]));
}

/* C = theta - least >= 0 */
static void eval_hinge_min(const lanes_in *in, lanes_out *out)
{
    joint j = turn(in, lanes3_read(in->param), out);
    out->c[0] = j.theta - in->param[3];
    write_joint(&j, 1, out->gradient);
}

/* C = theta - angle, the short way round */
static void eval_hinge(const lanes_in *in, lanes_out *out)
{
    eval_hinge_min(in, out);
    out->c[0] = lanes_wrap(out->c[0]);
}

/* C = most - theta >= 0 */
static void eval_hinge_max(const lanes_in *in, lanes_out *out)
{
    joint j = turn(in, lanes3_read(in->param), out);
    out->c[0] = in->param[3] - j.theta;
    write_joint(&j, -1, out->gradient);
}

/* By how much theta is above least and below most: two rows, of which at most one is violated. Outside the arc between
   them the nearer end is violated. */
SN_LANES_INLINE void arc_slack(lanes theta, lanes least, lanes most, lanes *slack)
{
    const lanes zero = lanes_all(0), circle = lanes_as_stored(lanes_all(2 * MATH_PI));
    lanes over = theta - least, under = most - theta;
    flags past = lanes_above(zero, over) & lanes_above(under - circle, over); /* past most, not before least */
    flags before = lanes_above(zero, under) & lanes_above(over - circle, under);
    lanes by = lanes_keep(past, circle) - lanes_keep(before, circle);
    slack[0] = over + by;
    slack[1] = under - by;
}

static void eval_hinge_band(const lanes_in *in, lanes_out *out)
{
    joint j = turn(in, lanes3_read(in->param), out);
    arc_slack(j.theta, in->param[3], in->param[4], out->c);
    write_joint(&j, 1, out->gradient);
    write_joint(&j, -1, out->gradient + 3);
}

static void eval_hinge_points(const lanes_in *in, lanes_out *out)
{
    lanes3 axis = lanes3_sub(in->x[4], in->x[3]);
    joint j = turn(in, axis, out);
    arc_slack(j.theta, in->param[0], in->param[1], out->c);
    lanes3 tilt = lanes3_sub(lanes3_scale(j.q, lanes3_dot(j.n, j.u)), lanes3_scale(j.p, lanes3_dot(j.n, j.v)));
    write_joint(&j, 1, out->gradient);
    out->gradient[4] = lanes3_scale(tilt, lanes_all(1) / lanes3_length(axis));
    out->gradient[3] = lanes3_negate(out->gradient[4]);
    for (uint32_t i = 0; i < 5; ++i)
        out->gradient[5 + i] = lanes3_negate(out->gradient[i]);
}

SN_LANES(hinge, eval_hinge, 3, 1, 4, 0)
SN_LANES(hinge_min, eval_hinge_min, 3, 1, 4, 0)
SN_LANES(hinge_max, eval_hinge_max, 3, 1, 4, 0)
SN_LANES(hinge_band, eval_hinge_band, 3, 2, 5, 0)
SN_LANES(hinge_points, eval_hinge_points, 5, 2, 2, 0)

#if !SN_VECTOR
/* The axis about which the joint bends now, in the direction for which its angle is positive. In a plane z = const, as
   in a 2D world, it is always z. False where the joint is straight. */
static bool measure_axis(const sn_vec3 *x, sn_real *axis)
{
    lanes3 a = lanes3_from(x[0]), b = lanes3_from(x[1]), c = lanes3_from(x[2]), u = lanes3_sub(b, a),
           v = lanes3_sub(c, b);
    lanes3 n = lanes3_cross(u, v);
    double length = lanes3_length(n);
    bool flat = u.z == 0 && v.z == 0;
    if (!flat && !(length > ALONG_AXIS * lanes3_length(u) * lanes3_length(v)))
        return false;
    axis[0] = flat ? 0 : (sn_real)(n.x / length);
    axis[1] = flat ? 0 : (sn_real)(n.y / length);
    axis[2] = flat ? 1 : (sn_real)(n.z / length);
    return true;
}

/* Measures the axis, if it was not given, and the angle about it. Parameters that cannot be measured stay unchanged. */
static void measure_hinge(const sn_eval_in *in, sn_real *param)
{
    bool given = in->param[0] != SN_MEASURE && in->param[1] != SN_MEASURE && in->param[2] != SN_MEASURE;
    for (uint32_t i = 0; given && i < 3; ++i)
        param[i] = in->param[i];
    if (given || measure_axis(in->x, param))
        sn_measure_rest(SN_LANES_EVAL(hinge_min), 0, in, param, 3);
}

static void measure_hinge_band(const sn_eval_in *in, sn_real *param)
{
    measure_hinge(in, param);
    param[4] = param[3];
}

static const char *check_hinge_band(const sn_real *param)
{
    return param[3] > param[4] ? "'least' exceeds 'most'" : NULL;
}

static void measure_hinge_points(const sn_eval_in *in, sn_real *param)
{
    param[1] = 0;
    sn_measure_rest(SN_LANES_EVAL(hinge_points), 0, in, param, 0);
    param[1] = param[0];
}

static const char *check_hinge_points(const sn_real *param)
{
    return param[0] > param[1] ? "'least' exceeds 'most'" : NULL;
}

#define AXIS                                                                                                           \
    {                                                                                                                  \
        .name = "axis", .unit = "1", .type = SN_PARAM_DIRECTION                                                        \
    }
#define SIGNED_ANGLE(NAME)                                                                                             \
    {                                                                                                                  \
        .name = NAME, .unit = "rad", .least = (sn_real)-MATH_PI, .most = (sn_real)MATH_PI                              \
    }

const sn_kind sn_kind_hinge = {
    .name = "hinge",
    .about = "The path a, b, c turns at b by a given signed angle about an axis fixed in the world; 0 is straight.",
    .formula = "C = signed angle from b - a to c - b about axis, less angle, wrapped to (-pi, pi]",
    .unit = "rad",
    .points = 3,
    .rows = 1,
    .internal = true,
    .param = {AXIS, SIGNED_ANGLE("angle")},
    .eval = SN_LANES_EVAL(hinge),
    .lanes = SN_LANES_TABLE(hinge),
    .measure = measure_hinge,
};

const sn_kind sn_kind_hinge_min = {
    .name = "hinge_min",
    .about =
        "The path a, b, c turns at b by at least so much about an axis fixed in the world: with 0 an elbow that does "
        "not bend backwards.",
    .formula = "C = signed angle from b - a to c - b about axis, in (-pi, pi], less least, >= 0",
    .unit = "rad",
    .points = 3,
    .rows = 1,
    .inequality = 1,
    .internal = true,
    .param = {AXIS, SIGNED_ANGLE("least")},
    .eval = SN_LANES_EVAL(hinge_min),
    .lanes = SN_LANES_TABLE(hinge_min),
    .measure = measure_hinge,
};

const sn_kind sn_kind_hinge_max = {
    .name = "hinge_max",
    .about = "The path a, b, c turns at b by at most so much about an axis fixed in the world.",
    .formula = "C = most less the signed angle from b - a to c - b about axis, in (-pi, pi], >= 0",
    .unit = "rad",
    .points = 3,
    .rows = 1,
    .inequality = 1,
    .internal = true,
    .param = {AXIS, SIGNED_ANGLE("most")},
    .eval = SN_LANES_EVAL(hinge_max),
    .lanes = SN_LANES_TABLE(hinge_max),
    .measure = measure_hinge,
};

const sn_kind sn_kind_hinge_band = {
    .name = "hinge_band",
    .about = "The path a, b, c turns at b by a signed angle between two limits about an axis fixed in the world; 0 is "
             "straight. Outside of the limits the joint returns to the nearer one.",
    .formula = "C = (t - least, most - t) >= 0, t the signed angle from b - a to c - b about axis",
    .unit = "rad",
    .points = 3,
    .rows = 2,
    .inequality = 3,
    .internal = true,
    .param = {AXIS, SIGNED_ANGLE("least"), SIGNED_ANGLE("most")},
    .eval = SN_LANES_EVAL(hinge_band),
    .lanes = SN_LANES_TABLE(hinge_band),
    .measure = measure_hinge_band,
    .check = check_hinge_band,
};

const sn_kind sn_kind_hinge_points = {
    .name = "hinge_points",
    .about =
        "The elbow of a moving figure: the path a, b, c turns at b by a signed angle between two limits about the axis "
        "from d to e; 0 is straight. Outside of the limits the joint returns to the nearer one.",
    .formula = "C = (t - least, most - t) >= 0, t the signed angle from b - a to c - b about e - d",
    .unit = "rad",
    .points = 5,
    .rows = 2,
    .inequality = 3,
    .internal = true,
    .spatial = true,
    .param = {SIGNED_ANGLE("least"), SIGNED_ANGLE("most")},
    .eval = SN_LANES_EVAL(hinge_points),
    .lanes = SN_LANES_TABLE(hinge_points),
    .measure = measure_hinge_points,
    .check = check_hinge_points,
};
#endif

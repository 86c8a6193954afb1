/* The signed angle at b of three points a, b, c about an axis, because an elbow bends one way only (lecture 003).

   u = b - a and v = c - b are seen along the axis n, in the plane normal to it: u' = u - (u . n) n, v' likewise.
   Turning counter-clockwise counts as positive, straight is 0:

       theta = atan2(n . (u x v), u . v - (u . n)(v . n))   in (-pi, pi].

   The direction of v' turns by n x v' / |v'|^2 for a unit of motion of v', so

       grad_c = p,   grad_a = q,   grad_b = -p - q   with   p = n x v / |v'|^2,   q = n x u / |u'|^2   (n x v' = n x v).

   hinge, hinge_min, hinge_max and hinge_band have an axis fixed in the world, as a door has. hinge_points takes it
   from a fourth point d to a fifth e, so that it moves along with a figure. Tilting the axis by dn (across n) does
   what tilting u and v the other way would do, and that turns theta by -(q' . (w x u) + p . (w x v)) with w = n x dn
   and q' = -q. Multiplied out,

       d theta / dn = -(q' (n . u) + p (n . v)),   grad_e = that / |e - d|,   grad_d = -grad_e.

   Where ab or bc runs along the axis there is no angle, and the constraint rests.

   Angles live on a circle, which is cut at pi. A single limit says no more than that: folded by 190 degrees, which
   reads as -170, a joint with the least angle 0 is unrolled all the way back. Between two limits there is an arc, and
   a joint outside of it returns to the nearer end: from 190 to 150, if 0 and 150 are the limits. So where a joint can
   fold over, use a band. */
#include "base/dvec.h"
#include "base/math.h"
#include "constraints/table.h"

/* Sine of the angle between ab (or bc) and the axis below which there is nothing left to measure across the axis. */
#define ALONG_AXIS 1e-7

/* One joint in double precision. */
typedef struct joint {
    sn_dvec3 n, u, v;
    sn_dvec3 p, q; /* gradients by c and by a */
    double theta;
} joint;

/* The squared length of a across n; 0 where it is nothing against that of a itself. */
static double across(sn_dvec3 a, sn_dvec3 n)
{
    sn_dvec3 part = dvec3_sub(a, dvec3_scale(n, dvec3_dot(a, n)));
    double square = dvec3_dot(part, part);
    return square > ALONG_AXIS * ALONG_AXIS * dvec3_dot(a, a) ? square : 0;
}

/* The angle about an axis of any length; false where there is none. */
static bool turn(const sn_vec3 *x, sn_dvec3 axis, joint *j)
{
    double length = dvec3_length(axis);
    if (!(length > 0))
        return false;
    j->n = dvec3_scale(axis, 1 / length);
    j->u = dvec3_seen(x[0], x[1]);
    j->v = dvec3_sub(dvec3_seen(x[0], x[2]), j->u);
    double uu = across(j->u, j->n), vv = across(j->v, j->n);
    if (!(uu > 0 && vv > 0))
        return false;
    sn_dvec3 nu = dvec3_cross(j->n, j->u), nv = dvec3_cross(j->n, j->v);
    double sine = dvec3_dot(nu, j->v) + 0.0; /* never -0, so that folded is pi and not -pi */
    j->theta = math_atan2(sine, dvec3_dot(nu, nv));
    j->p = dvec3_scale(nv, 1 / vv);
    j->q = dvec3_scale(nu, 1 / uu);
    return true;
}

static sn_dvec3 world_axis(const sn_real *param)
{
    return dvec3((double)param[0], (double)param[1], (double)param[2]);
}

static sn_dvec3 points_axis(const sn_vec3 *x)
{
    return dvec3_sub(dvec3_seen(x[0], x[4]), dvec3_seen(x[0], x[3]));
}

/* The gradients by a, b, c times sign. */
static void write_joint(const joint *j, double sign, sn_vec3 *gradient)
{
    gradient[0] = dvec3_round(dvec3_scale(j->q, sign));
    gradient[2] = dvec3_round(dvec3_scale(j->p, sign));
    gradient[1] = vec3_scale(vec3_add(gradient[0], gradient[2]), -1);
}

/* ---- Parameters ------------------------------------------------------------------------------------------------- */

/* The axis about which the joint bends now, in the direction in which its angle is positive; in the plane z = const,
   as in a 2D world, always z. False where the joint is straight. */
static bool measure_axis(const sn_vec3 *x, sn_real *axis)
{
    sn_dvec3 u = dvec3_seen(x[0], x[1]), v = dvec3_sub(dvec3_seen(x[0], x[2]), u), n = dvec3_cross(u, v);
    double length = dvec3_length(n);
    bool flat = u.z == 0 && v.z == 0;
    if (!flat && !(length > ALONG_AXIS * dvec3_length(u) * dvec3_length(v)))
        return false;
    sn_vec3 unit = flat ? vec3(0, 0, 1) : dvec3_round(dvec3_scale(n, 1 / length));
    axis[0] = unit.x;
    axis[1] = unit.y;
    axis[2] = unit.z;
    return true;
}

/* The axis, if it was not given, and the angle about it. What cannot be measured is left as it is. */
static void measure_hinge(const sn_eval_in *in, sn_real *param)
{
    joint j;
    bool given = in->param[0] != SN_MEASURE && in->param[1] != SN_MEASURE && in->param[2] != SN_MEASURE;
    if (!given && !measure_axis(in->x, param))
        return;
    if (turn(in->x, world_axis(given ? in->param : param), &j))
        param[3] = (sn_real)j.theta;
}

static void measure_hinge_points(const sn_eval_in *in, sn_real *param)
{
    joint j;
    if (turn(in->x, points_axis(in->x), &j))
        param[0] = param[1] = (sn_real)j.theta;
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

/* ---- About an axis of the world ---------------------------------------------------------------------------------- */

/* C = theta - angle, the short way round */
static bool eval_hinge(const sn_eval_in *in, const sn_eval_out *out)
{
    joint j;
    if (!turn(in->x, world_axis(in->param), &j))
        return false;
    out->c[0] = math_wrap((sn_real)j.theta - in->param[3]);
    write_joint(&j, 1, out->gradient);
    return true;
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
    .eval = eval_hinge,
    .measure = measure_hinge,
};

/* C = theta - least >= 0 */
static bool eval_hinge_min(const sn_eval_in *in, const sn_eval_out *out)
{
    joint j;
    if (!turn(in->x, world_axis(in->param), &j))
        return false;
    out->c[0] = (sn_real)j.theta - in->param[3];
    write_joint(&j, 1, out->gradient);
    return true;
}

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
    .eval = eval_hinge_min,
    .measure = measure_hinge,
};

/* C = most - theta >= 0 */
static bool eval_hinge_max(const sn_eval_in *in, const sn_eval_out *out)
{
    joint j;
    if (!turn(in->x, world_axis(in->param), &j))
        return false;
    out->c[0] = in->param[3] - (sn_real)j.theta;
    write_joint(&j, -1, out->gradient);
    return true;
}

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
    .eval = eval_hinge_max,
    .measure = measure_hinge,
};

/* By how much theta is beyond least and before most. Outside of the arc between them the nearer end is the one
   missed. */
static void arc_slack(sn_real theta, sn_real least, sn_real most, sn_real *slack)
{
    const sn_real turned = (sn_real)(2 * MATH_PI);
    slack[0] = theta - least;
    slack[1] = most - theta;
    if (slack[0] < 0 && slack[1] - turned > slack[0]) { /* past most rather than before least */
        slack[0] += turned;
        slack[1] -= turned;
    } else if (slack[1] < 0 && slack[0] - turned > slack[1]) {
        slack[0] -= turned;
        slack[1] += turned;
    }
}

/* Two rows, of which one at most is violated. */
static bool eval_hinge_band(const sn_eval_in *in, const sn_eval_out *out)
{
    joint j;
    if (!turn(in->x, world_axis(in->param), &j))
        return false;
    arc_slack((sn_real)j.theta, in->param[3], in->param[4], out->c);
    write_joint(&j, 1, out->gradient);
    write_joint(&j, -1, out->gradient + 3);
    return true;
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
    .eval = eval_hinge_band,
    .measure = measure_hinge_band,
    .check = check_hinge_band,
};

/* ---- About an axis between two points --------------------------------------------------------------------------- */

/* Two rows, of which one at most is violated. */
static bool eval_hinge_points(const sn_eval_in *in, const sn_eval_out *out)
{
    joint j;
    sn_dvec3 axis = points_axis(in->x);
    if (!turn(in->x, axis, &j))
        return false;
    arc_slack((sn_real)j.theta, in->param[0], in->param[1], out->c);
    sn_dvec3 tilt = dvec3_sub(dvec3_scale(j.q, dvec3_dot(j.n, j.u)), dvec3_scale(j.p, dvec3_dot(j.n, j.v)));
    write_joint(&j, 1, out->gradient);
    out->gradient[4] = dvec3_round(dvec3_scale(tilt, 1 / dvec3_length(axis)));
    out->gradient[3] = vec3_scale(out->gradient[4], -1);
    for (uint32_t i = 0; i < 5; ++i)
        out->gradient[5 + i] = vec3_scale(out->gradient[i], -1);
    return true;
}

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
    .eval = eval_hinge_points,
    .measure = measure_hinge_points,
    .check = check_hinge_points,
};

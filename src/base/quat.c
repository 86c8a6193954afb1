#include "base/quat.h"

#include "base/dvec.h"
#include "base/math.h"

#include <float.h>

/* A quaternion counts as a unit quaternion if its squared length differs from 1 by at most this. */
#define UNIT_SLACK (4 * (SINEW_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON))

/* A quaternion in double: vector part v, scalar part w. */
typedef struct quat {
    sn_dvec3 v;
    double w;
} quat;

static quat quat_from(sn_quat q)
{
    return (quat){dvec3((double)q.x, (double)q.y, (double)q.z), (double)q.w};
}

static quat times(quat a, quat b)
{
    sn_dvec3 v = dvec3_add(dvec3_scale(b.v, a.w), dvec3_scale(a.v, b.w));
    return (quat){dvec3_add(v, dvec3_cross(a.v, b.v)), a.w * b.w - dvec3_dot(a.v, b.v)};
}

static double squared(quat q)
{
    return dvec3_dot(q.v, q.v) + q.w * q.w;
}

/* Normalises. Divides by the largest component first, so that no square leaves the range. */
static sn_quat quat_round(quat q)
{
    double most = fmax(fmax(fabs(q.v.x), fabs(q.v.y)), fmax(fabs(q.v.z), fabs(q.w)));
    if (!(most > 0))
        return (sn_quat){0, 0, 0, 1};
    q = (quat){dvec3(q.v.x / most, q.v.y / most, q.v.z / most), q.w / most};
    double length = sqrt(squared(q));
    return (sn_quat){(sn_real)(q.v.x / length), (sn_real)(q.v.y / length), (sn_real)(q.v.z / length),
                     (sn_real)(q.w / length)};
}

sn_quat sn_quat_normal(sn_quat q)
{
    quat wide = quat_from(q);
    return fabs(squared(wide) - 1) <= UNIT_SLACK ? q : quat_round(wide);
}

sn_quat sn_quat_times(sn_quat a, sn_quat b)
{
    return quat_round(times(quat_from(a), quat_from(b)));
}

sn_quat sn_quat_rotated(sn_quat q, sn_vec3 angle)
{
    sn_dvec3 axis = dvec3_from(angle);
    double radians = dvec3_length(axis);
    if (!(radians > 0) || !isfinite(radians))
        return q;
    quat turn = {dvec3_scale(axis, math_sin(radians / 2) / radians), math_cos(radians / 2)};
    return quat_round(times(turn, quat_from(q)));
}

sn_vec3 sn_quat_between(sn_quat a, sn_quat b)
{
    quat back = {dvec3(-(double)a.x, -(double)a.y, -(double)a.z), (double)a.w};
    quat turn = times(quat_from(b), back);
    if (turn.w < 0) /* the same rotation, the short way round */
        turn = (quat){dvec3_scale(turn.v, -1), -turn.w};
    double sine = dvec3_length(turn.v);
    if (!(sine > 0))
        return vec3(0, 0, 0);
    return dvec3_round(dvec3_scale(turn.v, 2 * math_atan2(sine, turn.w) / sine));
}

/* y + d is halfway between y and the unit vector d. The wanted rotation is twice the rotation from y to there: (y x d,
   1 + y . d). Near (0, -1, 0), 1 + y . d is computed as (x^2 + z^2) / (1 - y . d), with the components of d across
   y. */
sn_quat sn_quat_to(sn_vec3 direction)
{
    sn_dvec3 d = dvec3_from(direction);
    double most = fmax(fmax(fabs(d.x), fabs(d.y)), fabs(d.z));
    d = dvec3(d.x / most, d.y / most, d.z / most);
    d = dvec3_scale(d, 1 / dvec3_length(d));
    double across = d.x * d.x + d.z * d.z;
    if (across == 0)
        return d.y > 0 ? (sn_quat){0, 0, 0, 1} : (sn_quat){0, 0, 1, 0};
    return quat_round((quat){dvec3(d.z, 0, -d.x), d.y > 0 ? 1 + d.y : across / (1 - d.y)});
}

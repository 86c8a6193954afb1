/* Turns in space: quaternions of length 1. */
#ifndef SN_BASE_QUAT_H
#define SN_BASE_QUAT_H

#include "base/vec.h"

/* From its own frame to the world's directions: a + 2 w (v x a) + 2 v x (v x a), exactly a where nothing turns. */
static inline sn_vec3 sn_quat_turn(sn_quat q, sn_vec3 a)
{
    sn_vec3 v = vec3(q.x, q.y, q.z), t = vec3_scale(vec3_cross(v, a), 2);
    return vec3_add(vec3_add(a, vec3_scale(t, q.w)), vec3_cross(v, t));
}

/* And back. */
static inline sn_vec3 sn_quat_turn_back(sn_quat q, sn_vec3 a)
{
    return sn_quat_turn((sn_quat){-q.x, -q.y, -q.z, q.w}, a);
}

sn_quat sn_quat_times(sn_quat a, sn_quat b); /* first b, then a */
sn_quat sn_quat_normal(sn_quat q); /* of length 1: itself if it is so but for rounding; (0, 0, 0, 1) of nothing */

/* q turned by `angle` (axis times radians, in the world). Exact rotation, from base/math.h. */
sn_quat sn_quat_turned(sn_quat q, sn_vec3 angle);

/* The angle (axis times radians, at most pi) by which a must be turned to become b. */
sn_vec3 sn_quat_between(sn_quat a, sn_quat b);

/* The shortest turn of the y axis into this direction, which is not 0; of those to (0, -1, 0) the one about z. */
sn_quat sn_quat_to(sn_vec3 direction);

#endif

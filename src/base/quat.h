/* Rotations in space: unit quaternions. */
#ifndef SN_BASE_QUAT_H
#define SN_BASE_QUAT_H

#include "base/vec.h"

/* From the body's frame to world directions: a + 2 w (v x a) + 2 v x (v x a). Exactly a for no rotation. */
static inline sn_vec3 sn_quat_rotate(sn_quat q, sn_vec3 a)
{
    sn_vec3 v = vec3(q.x, q.y, q.z), t = vec3_scale(vec3_cross(v, a), 2);
    return vec3_add(vec3_add(a, vec3_scale(t, q.w)), vec3_cross(v, t));
}

/* From world directions to the body's frame. */
static inline sn_vec3 sn_quat_rotate_back(sn_quat q, sn_vec3 a)
{
    return sn_quat_rotate((sn_quat){-q.x, -q.y, -q.z, q.w}, a);
}

sn_quat sn_quat_times(sn_quat a, sn_quat b); /* first b, then a */
sn_quat sn_quat_normal(sn_quat q); /* normalised; q itself if it is a unit quaternion up to rounding; (0, 0, 0, 1) for
                                      zero */

/* q rotated by `angle` (axis times radians, in the world). An exact rotation, with base/math.h. */
sn_quat sn_quat_rotated(sn_quat q, sn_vec3 angle);

/* The rotation from a to b (axis times radians, at most pi). */
sn_vec3 sn_quat_between(sn_quat a, sn_quat b);

/* The shortest rotation of the y axis to this direction, which is not 0. For (0, -1, 0) it is about z. */
sn_quat sn_quat_to(sn_vec3 direction);

#endif

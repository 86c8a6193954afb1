/* Turns in space: quaternions of length 1. */
#ifndef SN_BASE_QUAT_H
#define SN_BASE_QUAT_H

#include "base/vec.h"

sn_vec3 sn_quat_turn(sn_quat q, sn_vec3 a);      /* from its own frame to the world's directions */
sn_vec3 sn_quat_turn_back(sn_quat q, sn_vec3 a); /* and back */
sn_quat sn_quat_times(sn_quat a, sn_quat b);     /* first b, then a */
sn_quat sn_quat_normal(sn_quat q); /* of length 1: itself if it is so but for rounding; (0, 0, 0, 1) of nothing */

/* q turned by `angle` (axis times radians, in the world). Exact rotation, from base/math.h. */
sn_quat sn_quat_turned(sn_quat q, sn_vec3 angle);

/* The angle (axis times radians, at most pi) by which a must be turned to become b. */
sn_vec3 sn_quat_between(sn_quat a, sn_quat b);

/* The shortest turn of the y axis into this direction, which is not 0; of those to (0, -1, 0) the one about z. */
sn_quat sn_quat_to(sn_vec3 direction);

#endif

/* A place and a turn in the world. */
#ifndef SN_COLLISION_POSE_H
#define SN_COLLISION_POSE_H

#include "base/quat.h"

typedef struct sn_pose {
    sn_vec3 position; /* m */
    sn_quat rotation; /* length 1 */
} sn_pose;

/* Between two poses, a share t of the way: straight, and turning evenly; 0 and 1 give the ends to the last bit. */
sn_pose sn_pose_between(const sn_pose *a, const sn_pose *b, sn_real t);

sn_vec3 sn_pose_to_own(const sn_pose *pose, sn_vec3 p);   /* a place in the world, in the frame of the pose */
sn_vec3 sn_pose_to_world(const sn_pose *pose, sn_vec3 p); /* and back */

/* In the world, what is at `own` in the frame of the pose. No turn and no place give the pose itself to the last bit. */
sn_pose sn_pose_of(const sn_pose *pose, const sn_pose *own);

#endif

/* A position and a rotation in the world. */
#ifndef SN_COLLISION_POSE_H
#define SN_COLLISION_POSE_H

#include "base/quat.h"

typedef struct sn_pose {
    sn_vec3 position; /* m */
    sn_quat rotation; /* unit quaternion */
} sn_pose;

/* Interpolates between two poses at the share t: linear in position, at constant angular velocity in rotation. 0 and 1
   give the ends to the last bit. */
sn_pose sn_pose_between(const sn_pose *a, const sn_pose *b, sn_real t);

sn_vec3 sn_pose_to_own(const sn_pose *pose, sn_vec3 p);   /* from the world to the frame of the pose */
sn_vec3 sn_pose_to_world(const sn_pose *pose, sn_vec3 p); /* from the frame of the pose to the world */

/* The world pose of `own`, which is given in the frame of the pose. An identity `own` gives the pose itself to the last
   bit. */
sn_pose sn_pose_of(const sn_pose *pose, const sn_pose *own);

#endif

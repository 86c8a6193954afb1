/* A human of rigid bodies. */
#ifndef SN_SCENE_RAGDOLL_H
#define SN_SCENE_RAGDOLL_H

#include "scene/object.h"

typedef enum sn_ragdoll_pose { SN_RAGDOLL_STANDING, SN_RAGDOLL_ARMS_OUT } sn_ragdoll_pose;

typedef struct sn_ragdoll_def {
    sn_real height;       /* m; default 1.8 */
    sn_ragdoll_pose pose; /* default SN_RAGDOLL_STANDING */
    bool limits;          /* joints bend as far as those of a human; default true */
    sn_real friction;     /* N m, of hips and back; of other joints less; default 2 */
    sn_real muscle;       /* N m: what holds the pose exerts at most in hips and back; default 0: nothing holds it */
    sn_real muscle_stiffness; /* N m/rad, of the same; default 300 */
    sn_real muscle_damping;   /* N m s, of the same; default 15 */
} sn_ragdoll_def;

sn_ragdoll_def sn_default_ragdoll_def(void);

extern const sn_object_type sn_object_ragdoll;

#endif

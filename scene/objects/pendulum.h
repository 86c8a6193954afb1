/* A pendulum of one bob or many, on rigid rods that weigh nothing. */
#ifndef SN_SCENE_PENDULUM_H
#define SN_SCENE_PENDULUM_H

#include "scene/object.h"

/* The pivot, which is immovable, lies in the origin of the frame, the bobs in its x-y plane. There are as many of them as
   the longest list has numbers; the others have as many, or a single one for all. The lists are used during the call only. */
typedef struct sn_pendulum_def {
    sn_numbers lengths; /* m, of the rods; default 1 */
    sn_numbers masses;  /* kg, of the bobs; default 1. Where the object's mass is given: its shares */
    sn_numbers angles;  /* rad, of the rods from -y towards x; default pi / 2 */
} sn_pendulum_def;

sn_pendulum_def sn_default_pendulum_def(void);

extern const sn_object_type sn_object_pendulum;

#endif

/* A pendulum of one bob or many, on rigid rods that weigh nothing. */
#ifndef SN_SCENE_PENDULUM_H
#define SN_SCENE_PENDULUM_H

#include "scene/object.h"

extern const sn_object_type sn_object_pendulum;

#endif

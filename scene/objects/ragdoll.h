/* A human of rigid bodies. */
#ifndef SN_SCENE_RAGDOLL_H
#define SN_SCENE_RAGDOLL_H

#include "scene/object.h"

extern const sn_object_type sn_object_ragdoll;

#endif

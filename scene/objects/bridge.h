/* A bridge of planks that hang on ropes. */
#ifndef SN_SCENE_BRIDGE_H
#define SN_SCENE_BRIDGE_H

#include "scene/object.h"

extern const sn_object_type sn_object_bridge;

#endif

/* A wall of boxes. */
#ifndef SN_SCENE_WALL_H
#define SN_SCENE_WALL_H

#include "scene/object.h"

extern const sn_object_type sn_object_wall;

#endif

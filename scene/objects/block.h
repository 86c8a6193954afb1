/* A solid block of tetrahedra that keep their volume, with rods along their edges. */
#ifndef SN_SCENE_OBJECTS_BLOCK_H
#define SN_SCENE_OBJECTS_BLOCK_H

#include "scene/object.h"

extern const sn_object_type sn_object_block;

#endif

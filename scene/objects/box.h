/* A box: each corner is joined to all others by rods, so that it is rigid. */
#ifndef SN_SCENE_BOX_H
#define SN_SCENE_BOX_H

#include "scene/object.h"

extern const sn_object_type sn_object_box;

#endif

/* Grains: loose balls in a box, slightly out of order. */
#ifndef SN_SCENE_GRAINS_H
#define SN_SCENE_GRAINS_H

#include "scene/object.h"

extern const sn_object_type sn_object_grains;

#endif

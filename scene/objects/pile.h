/* Bodies above each other, which fall on a heap. */
#ifndef SN_SCENE_PILE_H
#define SN_SCENE_PILE_H

#include "scene/object.h"

extern const sn_object_type sn_object_pile;

#endif

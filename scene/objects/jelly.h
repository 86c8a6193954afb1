/* A soft block that keeps its shape by shape matching. */
#ifndef SN_SCENE_JELLY_H
#define SN_SCENE_JELLY_H

#include "scene/object.h"

extern const sn_object_type sn_object_jelly;

#endif

/* A container: a floor and walls around its content. */
#ifndef SN_SCENE_CONTAINER_H
#define SN_SCENE_CONTAINER_H

#include "scene/object.h"

extern const sn_object_type sn_object_container;

#endif

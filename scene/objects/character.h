/* A capsule that walks. */
#ifndef SN_SCENE_OBJECT_CHARACTER_H
#define SN_SCENE_OBJECT_CHARACTER_H

#include "scene/object.h"

extern const sn_object_type sn_object_character;

#endif

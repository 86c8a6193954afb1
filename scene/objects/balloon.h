/* A closed surface that keeps its volume: balloons, and the soft bodies of the lectures. */
#ifndef SN_SCENE_OBJECTS_BALLOON_H
#define SN_SCENE_OBJECTS_BALLOON_H

#include "scene/objects/sheet.h"

/* Finer shapes than this are refused. */
#define SN_BALLOON_MOST_SUBDIVISIONS 7

extern const sn_object_type sn_object_balloon;

#endif

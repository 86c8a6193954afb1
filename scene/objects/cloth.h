/* Cloth: a sheet from a grid, or from the triangles of a mesh file. */
#ifndef SN_SCENE_OBJECTS_CLOTH_H
#define SN_SCENE_OBJECTS_CLOTH_H

#include "scene/objects/sheet.h"

extern const sn_object_type sn_object_cloth;

#endif

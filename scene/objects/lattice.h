/* The lectures' mass-spring lattice: a box, or a sheet, of particles with springs between neighbours. */
#ifndef SN_SCENE_OBJECTS_LATTICE_H
#define SN_SCENE_OBJECTS_LATTICE_H

#include "scene/object.h"

extern const sn_object_type sn_object_lattice;

#endif

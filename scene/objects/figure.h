/* A human figure of particles and sticks, whose joints bend as far as they should, and the way they should (T. Jakobsen,
   Advanced Character Physics, 2001). */
#ifndef SN_SCENE_FIGURE_H
#define SN_SCENE_FIGURE_H

#include "scene/object.h"

extern const sn_object_type sn_object_figure;

#endif

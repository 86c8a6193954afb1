/* A human figure of particles and sticks, with limits on the angles of its joints (T. Jakobsen, Advanced Character
   Physics, 2001). */
#ifndef SN_SCENE_FIGURE_H
#define SN_SCENE_FIGURE_H

#include "scene/object.h"

extern const sn_object_type sn_object_figure;

#endif

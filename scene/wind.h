/* The wind of scenes. */
#ifndef SN_SCENE_WIND_H
#define SN_SCENE_WIND_H

#include "scene/state.h"

/* Finds the triangles and balls on which a wind acts, and makes the waves of its turbulence. False after an error
   was reported. */
bool sn_wind_begin(sn_scene *scene, sn_reader *reader, sn_scene_force *force);

/* The velocity of the air at a place, m/s. */
void sn_wind_at(const sn_scene_force *force, double time, const double x[3], double out[3]);

/* Applies its force to these, for a frame of dt seconds. */
sn_result sn_wind_blow(sn_scene *scene, const sn_scene_force *force, double time, double dt);

#endif

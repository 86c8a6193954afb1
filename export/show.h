/* A scene as triangles and balls: what sn_raster draws of it. */
#ifndef SN_EXPORT_SHOW_H
#define SN_EXPORT_SHOW_H

#include "export/raster.h"
#include "scene/scene.h"

typedef struct sn_show sn_show;

/* What there is to see in a scene: surfaces and lines of its objects, particles that are in neither, and bodies. Objects that come
   later are not in it. NULL when memory runs out. It lives no longer than the scene. */
sn_show *sn_show_create(sn_scene *scene);
void sn_show_destroy(sn_show *show); /* NULL is fine */

/* Makes a box larger so that all particles and bodies are in it. */
void sn_show_bounds(const sn_show *show, float low[3], float high[3]);

/* The same for static and kinematic bodies that have an end, as far as they are within `most` (m) of it. */
void sn_show_static_bounds(const sn_show *show, float most, float low[3], float high[3]);

/* The present state. size: m, of all that is seen, by which lines get their thickness. Colours are made of the name of the scene, too.
   False when memory runs out. */
bool sn_show_model(sn_show *show, float size, sn_raster_model *model);

/* The ground: a plane that looks up, if there is one. */
bool sn_show_ground(const sn_show *show, float *height);

#endif

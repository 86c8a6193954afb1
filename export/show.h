/* A scene as triangles and balls, which sn_raster draws. */
#ifndef SN_EXPORT_SHOW_H
#define SN_EXPORT_SHOW_H

#include "export/raster.h"
#include "scene/scene.h"

typedef struct sn_show sn_show;

/* The visible content of a scene: surfaces and lines of its objects, particles that are in neither, and bodies.
   Objects that are added later are not included. NULL when memory runs out. Destroy it before the scene. */
sn_show *sn_show_create(sn_scene *scene);
void sn_show_destroy(sn_show *show); /* NULL is ignored */

/* Enlarges a box so that it contains all particles and bodies. */
void sn_show_bounds(const sn_show *show, float low[3], float high[3]);

/* The same for finite static and kinematic bodies, but only within `most` (m) of the box. */
void sn_show_static_bounds(const sn_show *show, float most, float low[3], float high[3]);

/* Draws the present state into a model. size: m, of the whole content, from which the thickness of lines follows.
   Colours also depend on the name of the scene. False when memory runs out. */
bool sn_show_model(sn_show *show, float size, sn_raster_model *model);

/* The height of the ground: a plane that faces up, if there is one. */
bool sn_show_ground(const sn_show *show, float *height);

#endif

/* The colours for drawing: 0xrrggbb. */
#ifndef SN_EXPORT_PALETTE_H
#define SN_EXPORT_PALETTE_H

#include "scene/scene.h"

#define SN_COLOUR_OBSTACLE 0xaeb9c5u /* static and kinematic bodies */

/* The first colour of a scene; it differs from scene to scene. */
uint32_t sn_palette_first(const sn_scene *scene);

/* The same from the names of objects, one after the other, beginning with 0. */
uint32_t sn_palette_after(uint32_t first, const char *name);

/* The colour of an object. If it has several bodies, each has its own. */
uint32_t sn_palette_object(uint32_t first, uint32_t object, uint32_t body);

#endif

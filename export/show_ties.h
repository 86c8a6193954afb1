/* Constraints between particles and bodies, for pictures: those that are cut are drawn as cut, and strings to which
   things are attached are visible. */
#ifndef SN_EXPORT_SHOW_TIES_H
#define SN_EXPORT_SHOW_TIES_H

#include "scene/scene.h"

typedef struct sn_ties sn_ties;

/* Finds the constraints of a scene that keep two points at a distance. NULL when memory runs out. */
sn_ties *sn_ties_create(sn_scene *scene);
void sn_ties_destroy(sn_ties *ties); /* NULL is ignored */

/* Whether two particles, by their numbers, were joined when sn_ties_create was called, and no longer are. */
bool sn_ties_is_cut(const sn_ties *ties, uint32_t a, uint32_t b);

/* The ends of each constraint between two objects, bodies or points of the world (strings, hangers, stays), one
   after the other. False after the last. *walk is zeroed before the first call. */
bool sn_ties_next(const sn_ties *ties, sn_constraint_walk *walk, sn_vec3 *from, sn_vec3 *to);

#endif

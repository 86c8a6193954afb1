/* What joins particles and bodies, for pictures: what is cut is drawn cut, and what hangs on something is seen to. */
#ifndef SN_EXPORT_SHOW_TIES_H
#define SN_EXPORT_SHOW_TIES_H

#include "scene/scene.h"

typedef struct sn_ties sn_ties;

/* The constraints of a scene that keep two points at a distance. NULL when memory runs out. */
sn_ties *sn_ties_create(sn_scene *scene);
void sn_ties_destroy(sn_ties *ties); /* NULL is fine */

/* Whether two particles, by their numbers, were joined when this was made, and are no more. */
bool sn_ties_is_cut(const sn_ties *ties, uint32_t a, uint32_t b);

/* Where those are, one after the other, that join two objects, bodies or places: strings, hangers, stays. False after the last. *walk is zeroed before
   the first call. */
bool sn_ties_next(const sn_ties *ties, sn_constraint_walk *walk, sn_vec3 *from, sn_vec3 *to);

#endif

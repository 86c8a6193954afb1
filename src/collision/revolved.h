/* Solids of revolution about their y axis: cylinder and cone.

   For points, balls and rays their surface is exact. For other solids they have a polyhedral core, like every convex
   solid. Its rings are regular polygons with corners on the circle, and one corner faces the other solid. So the
   contact is on the true surface, and a rolling cylinder has no facets. */
#ifndef SN_COLLISION_REVOLVED_H
#define SN_COLLISION_REVOLVED_H

#include "collision/hull.h"

#include <sinew/shapes.h>

#include <stdbool.h>

#define SN_REVOLVED_SIDES 16u

/* Relative to the radius: how far the centres of the polygon's sides are inside the circle, 1 - cos(pi / sides). */
#define SN_REVOLVED_SAG 0.0192148

static inline bool sn_is_revolved(sn_shape_type type)
{
    return type == SN_SHAPE_CYLINDER || type == SN_SHAPE_CONE;
}

/* m: half.x is the radius, half.y half the height. half.z is not used. */

/* The nearest point of the surface. The distance is negative inside. Like sn_solid_near. */
void sn_revolved_near(sn_shape_type type, sn_dvec3 half, sn_dvec3 p, sn_hull_near_point *near_point);

/* m: like sn_convex_inner and sn_convex_outer. */
double sn_revolved_inner(sn_shape_type type, sn_dvec3 half);
double sn_revolved_outer(sn_dvec3 half);

/* The extent (m) along a unit direction and against it. `along`: the direction's component along the axis. */
void sn_revolved_extent(sn_shape_type type, sn_dvec3 half, double along, double *low, double *high);

typedef struct sn_revolved_room {
    sn_dvec3 vertex[2 * SN_REVOLVED_SIDES];
    sn_hull_face face[SN_REVOLVED_SIDES + 2];
    sn_hull_edge edge[3 * SN_REVOLVED_SIDES];
    uint8_t loop[6 * SN_REVOLVED_SIDES];
} sn_revolved_room;

/* The polyhedron, with a corner of each ring in the direction `facing` (own frame, length 1, across the axis). Valid as
   long as the room. */
sn_hull sn_revolved_core(sn_shape_type type, sn_dvec3 half, sn_dvec3 facing, sn_revolved_room *room);

#endif

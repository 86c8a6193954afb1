/* Solids of revolution about their y axis: cylinder and cone.

   Their surface is exact for points, balls and rays. Other solids meet a core that is a polyhedron, like that of every
   convex solid: its rings are regular polygons with corners on the circle, and one corner faces the other solid. So what is
   touched is a spot of the true surface, and a cylinder that rolls has no facets. */
#ifndef SN_COLLISION_REVOLVED_H
#define SN_COLLISION_REVOLVED_H

#include "collision/hull.h"

#include <sinew/shapes.h>

#include <stdbool.h>

#define SN_REVOLVED_SIDES 16u

/* Of the radius: how far the middles of its sides are inside of the circle: 1 - cos(pi / sides). */
#define SN_REVOLVED_SAG 0.0192148

static inline bool sn_is_revolved(sn_shape_type type)
{
    return type == SN_SHAPE_CYLINDER || type == SN_SHAPE_CONE;
}

/* m: half.x is the radius, half.y half the height; half.z is not read. */

/* The nearest spot of its surface; negative distance inside. As sn_solid_near. */
void sn_revolved_near(sn_shape_type type, sn_dvec3 half, sn_dvec3 p, sn_hull_spot *spot);

/* m: as of sn_convex_inner; the same for a sphere that all is inside of. */
double sn_revolved_inner(sn_shape_type type, sn_dvec3 half);
double sn_revolved_outer(sn_dvec3 half);

/* How far it reaches (m) along a direction of length 1 and against it; `along`: the component of that along its axis. */
void sn_revolved_extent(sn_shape_type type, sn_dvec3 half, double along, double *low, double *high);

typedef struct sn_revolved_room {
    sn_dvec3 vertex[2 * SN_REVOLVED_SIDES];
    sn_hull_face face[SN_REVOLVED_SIDES + 2];
    sn_hull_edge edge[3 * SN_REVOLVED_SIDES];
    uint8_t loop[6 * SN_REVOLVED_SIDES];
} sn_revolved_room;

/* The polyhedron, with a corner of each ring where `facing` (own frame, length 1, across the axis) points. It lives as long
   as the room does. */
sn_hull sn_revolved_core(sn_shape_type type, sn_dvec3 half, sn_dvec3 facing, sn_revolved_room *room);

#endif

/* One triangle: nearest points and moving spheres. */
#ifndef SN_COLLISION_TRIANGLE_H
#define SN_COLLISION_TRIANGLE_H

#include "collision/touch.h"

#include <stdbool.h>

/* The weights of the triangle's spot that is nearest to p, not negative, with sum 1 (Ericson's regions). feature: 0
   inside, 1 to 3 the edges ab, bc, ca, 4 to 6 the corners a, b, c. Fine for triangles that are a line or a point. */
uint32_t sn_triangle_near(sn_vec3 p, sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_real weight[3]);

/* When a travelling sphere first touches the triangle, its edges and corners included; t in 0 .. 1. A sphere that
   touches it at the start does so at t = 0 if it comes nearer; one whose centre is on it cannot. Both sides. A ray that
   passes within 1e-10 of the distances at hand beside an edge meets it, so that none slips through between neighbours.
   */
bool sn_triangle_cast(const sn_path *path, sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_real *t, sn_real weight[3]);

/* When a point, the first of the four, first passes through a triangle whose corners, the other three, move, too: all
   from their places at the start to those at the end in straight lines; t in 0 .. 1. Roots of a cubic, found robustly
   (in double; no sign change is missed). thickness (m): counts as passed as soon as the point is that near to it, at t
   = 0 if it is so at the start, whichever way it moves. A point that moves in the plane of the triangle is noticed with
   a thickness only. */
bool sn_triangle_meets(const sn_vec3 start[4], const sn_vec3 end[4], sn_real thickness, sn_real *t, sn_real weight[3]);

#endif

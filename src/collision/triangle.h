/* One triangle: nearest points and moving spheres. */
#ifndef SN_COLLISION_TRIANGLE_H
#define SN_COLLISION_TRIANGLE_H

#include "collision/touch.h"

#include <stdbool.h>

/* The barycentric weights of the triangle's point nearest to p: not negative, with sum 1 (Ericson's regions). Returns
   the feature: 0 interior, 1 to 3 the edges ab, bc, ca, 4 to 6 the corners a, b, c. Also for triangles that are a line
   or a point. */
uint32_t sn_triangle_near(sn_vec3 p, sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_real weight[3]);

/* When a moving sphere first touches the triangle, its edges and corners included; t in 0 .. 1. A sphere that touches
   it at the start does so at t = 0 if it approaches; a sphere with its centre on the triangle cannot approach. Works
   from both sides. A ray that passes beside an edge within 1e-10 of the size hits the triangle, so that none slips
   through between neighbours. */
bool sn_triangle_cast(const sn_path *path, sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_real *t, sn_real weight[3]);

/* When a moving point (the first of the four) first passes through a moving triangle (the other three): all move in
   straight lines from start to end; t in 0 .. 1. Roots of a cubic, found robustly (in double; no sign change is
   missed). thickness (m): the point also counts as passed when it is this near, at t = 0 if it is so at the start,
   whatever its direction. A point that moves in the plane of the triangle is detected only with a thickness. */
bool sn_triangle_sweep_hits(const sn_vec3 start[4], const sn_vec3 end[4], sn_real thickness, sn_real *t,
                            sn_real weight[3]);

#endif

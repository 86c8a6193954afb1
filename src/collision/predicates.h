/* Exact predicates: the side of a plane or line on which a point is, and intersection tests. There are no tolerances.
   The result is that of exact arithmetic on the input, for coordinates of single precision, and for doubles whose
   products of three neither overflow nor underflow (1e-90 to 1e100). Points are three numbers. */
#ifndef SN_COLLISION_PREDICATES_H
#define SN_COLLISION_PREDICATES_H

#include <stdbool.h>

/* The sign of the volume of the tetrahedron. 1: a, b, c run counter-clockwise seen from the side opposite to d. -1:
   clockwise. 0: all four are in one plane. */
int sn_orient_3d(const double *a, const double *b, const double *c, const double *d);

/* The same in the plane with the coordinate `dropped` (0 to 2) left out. 1: a, b, c run counter-clockwise in the two
   next coordinates. */
int sn_orient_2d(const double *a, const double *b, const double *c, int dropped);

/* True if two closed segments, or a closed segment and a closed triangle, have a common point. Touching counts, also
   for coplanar ones. Degenerate ones are allowed. */
bool sn_segments_intersect(const double *p, const double *q, const double *a, const double *b);
bool sn_segment_intersects_triangle(const double *p, const double *q, const double *a, const double *b,
                                    const double *c);

/* True if two triangles have a common point besides the corners and edges that they share. Shared corners are given by
   `same`: same[i] is the corner of the second triangle that is corner i of the first, or negative. Triangles that share
   an edge intersect only if they are folded flat onto each other. Triangles that share all three corners never do. */
bool sn_triangles_intersect(const double a[3][3], const double b[3][3], const int same[3]);

#endif

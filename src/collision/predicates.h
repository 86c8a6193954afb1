/* Exact predicates: on which side of a plane or a line a point is, and what intersects what. No tolerance anywhere: the answer is that of exact
   arithmetic on the numbers as they are, for coordinates of single precision, and for doubles whose products of three neither overflow nor
   underflow (1e-90 to 1e100). Points are three numbers. */
#ifndef SN_COLLISION_PREDICATES_H
#define SN_COLLISION_PREDICATES_H

#include <stdbool.h>

/* The sign of the volume of the tetrahedron: 1 if a, b, c run counter-clockwise seen from the side where d is not, -1 the other way
   round, 0 if all four are in one plane. */
int sn_orient_3d(const double *a, const double *b, const double *c, const double *d);

/* The same in the plane that is left when a coordinate, 0 to 2, is dropped: 1 if a, b, c run counter-clockwise in the next two. */
int sn_orient_2d(const double *a, const double *b, const double *c, int dropped);

/* Whether closed segments, or a closed segment and a closed triangle, have a point in common: touching counts, as does lying in one plane.
   Degenerate ones are fine. */
bool sn_segments_intersect(const double *p, const double *q, const double *a, const double *b);
bool sn_segment_meets_triangle(const double *p, const double *q, const double *a, const double *b, const double *c);

/* Whether two triangles have a point in common besides the corners and edges that they share. A corner is shared where `same` has a number that is
   not negative: same[i] is the corner of the second that is corner i of the first. Triangles that share an edge do only if they are
   folded flat onto each other; those that share all three corners never do. */
bool sn_triangles_intersect(const double a[3][3], const double b[3][3], const int same[3]);

#endif

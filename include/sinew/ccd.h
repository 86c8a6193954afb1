/* Continuous collision detection: when do two moving features first touch? Pure functions of numbers, without a world.

   All points move in straight lines, each from its start (time 0) to its end (time 1). The answer is conservative: if
   two features touch at any time in [0, 1], that is always found, also if they are parallel, coplanar, degenerate to
   a point, or touch at the start. The result does not rely on the sign of a rounded number. A miss is impossible by
   construction. A false alarm is possible: features that come within about 1e-11 of their size without touching may
   be reported, and so may features that slide past each other for long at such a distance.

   Points are twelve numbers: x, y, z of the first point, then of the second, and so on. */
#ifndef SINEW_CCD_H
#define SINEW_CCD_H

#include <sinew/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A vertex, the first of the four points, and a triangle, the other three. separation (same unit as the points, not
   negative): the distance that counts as touching; 0: only touching does. It is measured along axes and
   approximately, so up to twice that distance may count. Returns whether they may touch. *time (may be NULL) gets a
   lower bound of the first time, in [0, 1], and is 1 if there is none: strictly before it they do not touch. A touch
   at the start gives 0. Numbers that are not finite, or features of a size of 1e60 and more, give true at 0. */
SN_API bool sn_ccd_vertex_triangle(const double *start, const double *end, double separation, double *time);

/* Two edges: the first two of the four points, and the last two. Everything else as above. */
SN_API bool sn_ccd_edge_edge(const double *start, const double *end, double separation, double *time);

#ifdef __cplusplus
}
#endif
#endif

/* Convex polyhedra: corners, flat faces with any number of corners, and edges. */
#ifndef SN_COLLISION_HULL_H
#define SN_COLLISION_HULL_H

#include "base/dvec.h"
#include "base/memory.h"

#define SN_HULL_VERTICES 128u /* at most */
#define SN_HULL_FACES    256u
#define SN_HULL_REACH    1e15      /* m: largest coordinate of a point */
#define SN_HULL_NO_FACE  UINT8_MAX /* the face beyond an edge of a segment or triangle that has none */

typedef struct sn_hull_face {
    sn_dvec3 normal; /* length 1, out of the solid */
    double offset;   /* m: for all corners x, normal . x <= offset up to rounding */
    double area;     /* m^2 */
    uint32_t first;  /* index in sn_hull.loop of its first corner; counter-clockwise seen from outside */
    uint32_t count;  /* number of its corners */
} sn_hull_face;

typedef struct sn_hull_edge {
    uint8_t vertex[2]; /* face[0] runs from the first to the second, face[1] in reverse */
    uint8_t face[2];
} sn_hull_edge;

/* Corners are in double, relative to the centroid. Boxes, triangles, segments and points are handled as polyhedra, too.
   Their arrays belong to the caller, and a segment or a point has no faces. */
typedef struct sn_hull {
    uint32_t vertices, faces, edges, loops;
    const sn_dvec3 *vertex; /* m */
    const sn_hull_face *face;
    const sn_hull_edge *edge;
    const uint8_t *loop; /* the corners of all faces, face after face */
    double inner, outer; /* m: radii about the origin: of a sphere inside, and of an enclosing one */

    /* Only of hulls made by sn_hull_create: */
    sn_dvec3 centroid; /* m: the position of the origin in the frame of the input points */
    double volume;     /* m^3 */
    uint64_t hash;     /* of its corners and faces */
    size_t size;       /* bytes of the whole block */
} sn_hull;

/* The convex hull of points. Points may be inside, repeated, or coplanar with others. Points that stick out by less
   than a hundred-thousandth of the size (in double precision a ten-billionth) are left out, and faces that are coplanar
   within that are merged. The same points in the same order give the same bits. NULL, with a message that names the
   point, for: fewer than 4 points; a coordinate that is not finite or beyond 1e15 m; points that are all in one place,
   on a line or in a plane; a hull of more than 128 corners or 256 faces; and when memory runs out (*out_of_memory
   true). */
sn_hull *sn_hull_create(const sn_allocator *allocator, const sn_vec3 *point, uint32_t points, bool *out_of_memory,
                        char *message, size_t size);
void sn_hull_destroy(sn_hull *hull, const sn_allocator *allocator); /* NULL is allowed */

/* ---- Polyhedra that are not allocated ---------------------------------------------------------------------------- */

typedef struct sn_hull_box_room {
    sn_dvec3 vertex[8];
    sn_hull_face face[6];
} sn_hull_box_room;

typedef struct sn_hull_triangle_room {
    sn_dvec3 vertex[3];
    sn_hull_face face[2]; /* the front, from which the corners run counter-clockwise, and the back */
} sn_hull_triangle_room;

/* These hulls are valid as long as their room. Corner i of a box has x, y and z above 0 where bits 0, 1 and 2 of i are
   set. The faces of a box are -x, x, -y, y, -z, z. */
/* The corners of a box's faces, four for each: bit i of a corner is the sign of its coordinate i. */
extern const uint8_t sn_hull_box_loop[24];
sn_hull sn_hull_box(sn_dvec3 half, sn_hull_box_room *room);
sn_hull sn_hull_triangle(sn_dvec3 a, sn_dvec3 b, sn_dvec3 c, sn_hull_triangle_room *room);
sn_hull sn_hull_segment(const sn_dvec3 end[2]); /* valid as long as the ends */
sn_hull sn_hull_point(const sn_dvec3 *point);

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

/* The support corner in a direction. Of equally far corners the first. */
uint32_t sn_hull_support(const sn_hull *hull, sn_dvec3 direction);

/* The nearest point of the surface; the distance is negative inside. Like sn_solid_near. The hull must have faces. */
typedef struct sn_hull_near_point {
    double distance; /* m */
    sn_dvec3 point;  /* m */
    sn_dvec3 normal; /* length 1, out of the solid */
    uint32_t face;   /* a face that the point is on */
} sn_hull_near_point;
void sn_hull_near(const sn_hull *hull, sn_dvec3 p, sn_hull_near_point *near_point);

/* When a moving point first comes within reach (m), starting farther off: t in 0 .. 1. near_point->distance is 0 and
   near_point->point is on the hull itself. The point must not be within reach at the start. */
bool sn_hull_cast(const sn_hull *hull, sn_dvec3 from, sn_dvec3 displacement, double reach, double *t,
                  sn_hull_near_point *near_point);

#endif

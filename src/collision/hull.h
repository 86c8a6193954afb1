/* Convex polyhedra: corners, flat faces with any number of corners, and edges. */
#ifndef SN_COLLISION_HULL_H
#define SN_COLLISION_HULL_H

#include "base/dvec.h"
#include "base/memory.h"

#define SN_HULL_VERTICES 128u /* at most */
#define SN_HULL_FACES    256u
#define SN_HULL_REACH    1e15      /* m: the greatest coordinate of a point */
#define SN_HULL_NO_FACE  UINT8_MAX /* beyond the edge of something that is no solid */

typedef struct sn_hull_face {
    sn_dvec3 normal; /* length 1, out of the solid */
    double offset;   /* m: no corner x has normal . x > offset but for rounding */
    double area;     /* m^2 */
    uint32_t first;  /* of its corners in sn_hull.loop, counter-clockwise seen from outside */
    uint32_t count;  /* of them */
} sn_hull_face;

typedef struct sn_hull_edge {
    uint8_t vertex[2]; /* face[0] runs from the first to the second, face[1] back */
    uint8_t face[2];
} sn_hull_edge;

/* Corners are in double, seen from the centroid. The collision of boxes, triangles, segments and points is that of
   polyhedra, too: for these the arrays belong to someone else, and a segment or a point has no faces. */
typedef struct sn_hull {
    uint32_t vertices, faces, edges, loops;
    const sn_dvec3 *vertex; /* m */
    const sn_hull_face *face;
    const sn_hull_edge *edge;
    const uint8_t *loop; /* the corners of all faces, one face after the other */
    double inner, outer; /* m: about the origin, a sphere that is inside, and one that all is inside of */

    /* of those that sn_hull_create made */
    sn_dvec3 centroid; /* m: where the origin was among the points that it was made of */
    double volume;     /* m^3 */
    uint64_t hash;     /* of its corners and faces */
    size_t size;       /* bytes of the whole block */
} sn_hull;

/* The convex hull of points, which may be inside, repeated or in a plane with others; those that stick out by less than
   a hundred-thousandth of its size (in double precision a ten-billionth) are left out, and faces that are flat but for
   that are one. The same points in the same order give the same bits. NULL, with the reason in words, naming the point,
   for: fewer than 4 points, a coordinate that is not finite or beyond 1e15 m, points that are all in one place, on a
   line or in a plane, a hull of more than 128 corners or 256 faces; and when memory runs out (*out_of_memory true). */
sn_hull *sn_hull_create(const sn_allocator *allocator, const sn_vec3 *point, uint32_t points, bool *out_of_memory,
                        char *message, size_t size);
void sn_hull_destroy(sn_hull *hull, const sn_allocator *allocator); /* NULL is fine */

/* ---- Polyhedra that are not allocated ---------------------------------------------------------------------------- */

typedef struct sn_hull_box_room {
    sn_dvec3 vertex[8];
    sn_hull_face face[6];
} sn_hull_box_room;

typedef struct sn_hull_triangle_room {
    sn_dvec3 vertex[3];
    sn_hull_face face[2]; /* the front, from which the corners run counter-clockwise, and the back */
} sn_hull_triangle_room;

/* They live as long as the room does. Corner i of a box is at x, y and z above 0 where bits 0, 1 and 2 of i are set;
   its faces are -x, x, -y, y, -z, z. */
/* The corners of its faces, four each: bit i of a corner tells the sign of its coordinate i. */
extern const uint8_t sn_hull_box_loop[24];
sn_hull sn_hull_box(sn_dvec3 half, sn_hull_box_room *room);
sn_hull sn_hull_triangle(sn_dvec3 a, sn_dvec3 b, sn_dvec3 c, sn_hull_triangle_room *room);
sn_hull sn_hull_segment(const sn_dvec3 end[2]); /* as long as the ends do */
sn_hull sn_hull_point(const sn_dvec3 *point);

/* ---- Questions --------------------------------------------------------------------------------------------------- */

/* The corner that is farthest in a direction; of equally far ones the first. */
uint32_t sn_hull_support(const sn_hull *hull, sn_dvec3 direction);

/* The nearest spot of its surface; negative distance inside. As sn_solid_near. It has faces. */
typedef struct sn_hull_spot {
    double distance; /* m */
    sn_dvec3 point;  /* m */
    sn_dvec3 normal; /* length 1: out of the solid */
    uint32_t face;   /* one that the point is on */
} sn_hull_spot;
void sn_hull_near(const sn_hull *hull, sn_dvec3 p, sn_hull_spot *spot);

/* When a travelling point first comes as near as reach (m), from farther off: t in 0 .. 1; spot->distance is 0 and
   spot->point on the hull itself. What is nearer at the start is not looked at. */
bool sn_hull_cast(const sn_hull *hull, sn_dvec3 from, sn_dvec3 way, double reach, double *t, sn_hull_spot *spot);

#endif

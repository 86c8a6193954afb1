/* Convex solids that bodies are made of: everything within a radius of a point, a segment, a box or a hull. */
#ifndef SN_COLLISION_CONVEX_H
#define SN_COLLISION_CONVEX_H

#include "collision/hull.h"
#include "collision/shape.h"

typedef enum sn_convex_type {
    SN_CONVEX_SPHERE,  /* radius */
    SN_CONVEX_CAPSULE, /* all within the radius of the segment from (0, -half.y, 0) to (0, half.y, 0) */
    SN_CONVEX_BOX,     /* |x| <= half.x and so on, and all within the radius of that */
    SN_CONVEX_HULL     /* the same of a hull, whose centroid is the origin */
} sn_convex_type;

typedef struct sn_convex {
    sn_convex_type type;
    sn_vec3 half;        /* m */
    sn_real radius;      /* m: rounds boxes and hulls, too; 0: sharp */
    const sn_hull *hull; /* of a hull, otherwise NULL */
} sn_convex;

/* The box around it in its own frame, and in the world. Rounding makes them larger, never smaller. */
sn_bounds sn_convex_bounds(const sn_convex *convex);
sn_bounds sn_convex_bounds_at(const sn_convex *convex, const sn_pose *pose);

/* m: the radius of a sphere about its origin that is all inside, and of one that all of it is inside of. A body that
   moves by less than the first in a step cannot pass through a thing unnoticed. */
sn_real sn_convex_inner(const sn_convex *convex);
sn_real sn_convex_outer(const sn_convex *convex);

/* The spot (own frame) that is farthest in a direction, which is not 0; of equally far ones always the same. */
sn_vec3 sn_convex_support(const sn_convex *convex, sn_vec3 direction);

/* The nearest spot of its surface within reach of p (own frame), false if there is none. What is inside, however deep,
   is within reach. As sn_solid_near; touch->part is the face of a hull. */
bool sn_convex_near(const sn_convex *convex, sn_vec3 p, sn_real reach, sn_touch *touch);

/* When a travelling sphere first touches it, in its own frame; see sn_solid_cast. */
bool sn_convex_cast(const sn_convex *convex, const sn_path *path, sn_real *t, sn_touch *touch);

/* The solid of a collider (box, sphere, capsule; not a plane) with its thickness. */
sn_convex sn_convex_from_solid(const sn_solid *solid, sn_real thickness);

/* The polyhedron that it is the rounding of: a point, a segment, a box or a hull; in its own frame. */
typedef struct sn_convex_room {
    sn_hull_box_room box;
    sn_dvec3 end[2];
} sn_convex_room;
sn_hull sn_convex_core(const sn_convex *convex, sn_convex_room *room);

#endif

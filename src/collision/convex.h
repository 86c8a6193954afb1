/* Convex solids: everything within a radius of a point, a segment, a box, a hull, a cylinder or a cone. */
#ifndef SN_COLLISION_CONVEX_H
#define SN_COLLISION_CONVEX_H

#include "collision/hull.h"
#include "collision/pose.h"
#include "collision/revolved.h"
#include "collision/solid.h"

typedef struct sn_convex {
    sn_shape_type type; /* sphere, capsule, box, hull, cylinder or cone */
    sn_vec3 half;   /* m: of a box; of a capsule y; of a cylinder and a cone the radius, half the height, the radius */
    sn_real radius; /* m: of spheres and capsules; rounds all others; 0: sharp */
    const sn_hull *hull; /* of a hull, whose centroid is the origin; otherwise NULL */
    sn_vec3
        facing; /* cylinder and cone: where a corner of the core points, across the axis; 0: along x. See sn_convex_face */
} sn_convex;

/* A core of a solid of revolution faces a direction of the world. False if it did so before, or need not: it is another solid, or
   the direction is along its axis. */
bool sn_convex_face(sn_convex *convex, const sn_pose *pose, sn_vec3 direction);

/* m: how far the core may be inside of the solid that it stands for. */
sn_real sn_convex_sag(const sn_convex *convex);

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

/* The polyhedron that it is the rounding of: a point, a segment, a box or a hull; in its own frame. */
typedef struct sn_convex_room {
    sn_hull_box_room box;
    sn_revolved_room revolved;
    sn_dvec3 end[2];
} sn_convex_room;
sn_hull sn_convex_core(const sn_convex *convex, sn_convex_room *room);

#endif

/* Convex solids: a core (a point, segment, box, hull, cylinder or cone), rounded by a radius. */
#ifndef SN_COLLISION_CONVEX_H
#define SN_COLLISION_CONVEX_H

#include "collision/hull.h"
#include "collision/pose.h"
#include "collision/revolved.h"
#include "collision/solid.h"

typedef struct sn_convex {
    sn_shape_type type;  /* sphere, capsule, box, hull, cylinder or cone */
    sn_vec3 half;        /* m: of a box; of a capsule only y; of a cylinder or cone the radius, half the height, the
                            radius */
    sn_real radius;      /* m: of spheres and capsules; for all others the rounding, 0: sharp */
    const sn_hull *hull; /* of a hull, with its centroid at the origin; otherwise NULL */
    sn_vec3 facing;      /* cylinder and cone: direction, across the axis, of a corner of the core; 0: along x. See
                            sn_convex_face */
} sn_convex;

/* Makes the polyhedral core of a solid of revolution face a direction of the world: one of its corners then points that
   way. False if it did so before or need not: it is another solid, or the direction is along its axis. */
bool sn_convex_face(sn_convex *convex, const sn_pose *pose, sn_vec3 direction);

/* m: how far inside the solid the surface of its core may be. */
sn_real sn_convex_sag(const sn_convex *convex);

/* The bounding box in its own frame, and in the world. Rounding errors enlarge it, never shrink it. */
sn_bounds sn_convex_bounds(const sn_convex *convex);
sn_bounds sn_convex_bounds_at(const sn_convex *convex, const sn_pose *pose);

/* m: the radius of a sphere about the origin that is inside the solid, and of one that encloses it. A body that moves
   by less than the first in a step cannot pass through an object unnoticed. */
sn_real sn_convex_inner(const sn_convex *convex);
sn_real sn_convex_outer(const sn_convex *convex);

/* The support point (own frame) in a direction, which is not 0. Of equally far points always the same. */
sn_vec3 sn_convex_support(const sn_convex *convex, sn_vec3 direction);

/* The nearest point of its surface to p (own frame) within reach. False if there is none. Points inside, however deep,
   are within reach. Like sn_solid_near; touch->part is the face of a hull. */
bool sn_convex_near(const sn_convex *convex, sn_vec3 p, sn_real reach, sn_touch *touch);

/* When a moving sphere first touches it, in its own frame; see sn_solid_cast. */
bool sn_convex_cast(const sn_convex *convex, const sn_path *path, sn_real *t, sn_touch *touch);

/* The core as a polyhedron: a point, a segment, a box or a hull, in its own frame. */
typedef struct sn_convex_room {
    sn_hull_box_room box;
    sn_revolved_room revolved;
    sn_dvec3 end[2];
} sn_convex_room;
sn_hull sn_convex_core(const sn_convex *convex, sn_convex_room *room);

#endif

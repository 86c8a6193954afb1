/* Simple solids: half-space, box, sphere, capsule. */
#ifndef SN_COLLISION_SOLID_H
#define SN_COLLISION_SOLID_H

#include "collision/touch.h"

#include <stdbool.h>

typedef enum sn_solid_type {
    SN_SOLID_PLANE,  /* all points below y = 0 */
    SN_SOLID_BOX,    /* |x| <= half.x and so on */
    SN_SOLID_SPHERE, /* about the origin */
    SN_SOLID_CAPSULE /* rounded segment from (0, -half.y, 0) to (0, half.y, 0) */
} sn_solid_type;

typedef struct sn_solid {
    sn_solid_type type;
    sn_vec3 half;   /* m */
    sn_real radius; /* m: sphere and capsule */
} sn_solid;

/* The nearest point of the surface. Where several are equally near (from the centre of a sphere, the axis of a capsule,
   the diagonals of a box), always the same one. The normal always has length 1. Outside an edge or corner of a box it
   is the direction from the surface to the point. p must be finite and nearer than 1e100 m. */
void sn_solid_near(const sn_solid *solid, sn_vec3 p, sn_touch *touch);

/* When a moving sphere first touches the surface from outside: t in 0 .. 1. False if it does not. A sphere that touches
   or overlaps at the start does so at t = 0 if it moves inwards (against the normal there), and not at all otherwise.
   Exact up to rounding, however long the path is. */
bool sn_solid_cast(const sn_solid *solid, const sn_path *path, sn_real *t, sn_touch *touch);

/* The bounding box. A half-space is unbounded (-INFINITY, INFINITY) except for its top. */
sn_bounds sn_solid_bounds(const sn_solid *solid);

#endif

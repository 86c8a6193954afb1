/* What all shapes answer: how far a point is from a surface, and when a sphere that moves reaches it. All of it in the shape's
   own frame, in metres; a fixed shape, a shape of a static or kinematic body, places one in the world. */
#ifndef SN_COLLISION_TOUCH_H
#define SN_COLLISION_TOUCH_H

#include "base/vec.h"

#include <stdint.h>

/* Where a surface is nearest, or is met. */
typedef struct sn_touch {
    sn_real distance; /* from the surface to the point; negative inside of a solid. A cast: 0 */
    sn_vec3 point;    /* of the surface */
    sn_vec3 normal;   /* length 1: out of the solid, or for open surfaces towards the side that the point is on */
    uint32_t part;    /* triangle of a mesh; otherwise 0 */
} sn_touch;

/* An axis-aligned box. Empty if low > high somewhere. */
typedef struct sn_bounds {
    sn_vec3 low, high;
} sn_bounds;

static inline bool bounds_touch(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* Which way a sphere travels: from a place by a whole way, t = 0 .. 1. */
typedef struct sn_path {
    sn_vec3 from, way;
    sn_real radius; /* m; 0: a ray */
} sn_path;

/* Which sides of an open surface are solid. */
typedef enum sn_sides { SN_SIDES_FRONT, SN_SIDES_BOTH } sn_sides;

#endif

/* Results common to all shapes: how far a point is from a surface, and when a moving sphere reaches it. Everything is
   in the shape's own frame, in metres. A fixed shape (a shape of a static or kinematic body) places a shape in the
   world. */
#ifndef SN_COLLISION_TOUCH_H
#define SN_COLLISION_TOUCH_H

#include "base/vec.h"

#include <stdint.h>

/* The nearest point of a surface, or the point of contact of a cast. */
typedef struct sn_touch {
    sn_real distance; /* from the surface to the point; negative inside a solid. A cast: 0 */
    sn_vec3 point;    /* on the surface */
    sn_vec3 normal;   /* length 1: out of the solid, or for open surfaces towards the point's side */
    uint32_t part;    /* triangle of a mesh; otherwise 0 */
} sn_touch;

/* An axis-aligned box. Empty if low > high along some axis. */
typedef struct sn_bounds {
    sn_vec3 low, high;
} sn_bounds;

static inline bool bounds_touch(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* The path of a sphere: from + t way, t = 0 .. 1. */
typedef struct sn_path {
    sn_vec3 from, displacement;
    sn_real radius; /* m; 0: a ray */
} sn_path;

/* The sides of an open surface that are solid. */
typedef enum sn_sides { SN_SIDES_FRONT, SN_SIDES_BOTH } sn_sides;

#endif

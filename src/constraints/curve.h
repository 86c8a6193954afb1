/* A bead on a curve of particles: common code of polylines and splines. Point 0 of such a constraint is the bead. The
   others are the control points, so that the reaction acts on the curve. */
#ifndef SN_CONSTRAINTS_CURVE_H
#define SN_CONSTRAINTS_CURVE_H

#include "base/vec.h"
#include "constraints/table.h"

static inline sn_real real_abs(sn_real a)
{
    return a < 0 ? -a : a;
}

/* The point of a curve closest to the bead, and its dependence on the control points:

       dp = sum of place dP + slope du,     dT = sum of turn dP + bend du

   over the shares, with u the parameter of the point. */
typedef struct sn_curve_share {
    uint32_t point; /* of the constraint */
    sn_real place, turn;
} sn_curve_share;

#define SN_CURVE_SHARES 6

/* Which end of an open curve the closest point is, if the bead is beyond an end. */
typedef enum sn_curve_end { SN_CURVE_INSIDE, SN_CURVE_BEFORE_START, SN_CURVE_BEYOND_FINISH } sn_curve_end;

typedef struct sn_curve_place {
    sn_vec3 p;
    sn_vec3 tangent;   /* T, of any length but zero */
    sn_vec3 bend;      /* dT/du. Zero if the tangent is constant along the curve, or if the point is fixed */
    sn_real steepness; /* d((x - p) . T)/du, negative; only where bend is not zero */
    sn_curve_end end;
    uint32_t count;
    sn_curve_share share[SN_CURVE_SHARES];
} sn_curve_place;

/* A curve is closed if it ends where it begins. It always does if both are the same particle. */
static inline bool curve_is_closed(const sn_vec3 *control, uint32_t count)
{
    sn_vec3 a = control[0], b = control[count - 1];
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Writes the three rows: two equalities across the tangent, and the distance from the nearer open end, negative beyond
   it. False if T is zero. */
bool sn_curve_rows(const sn_eval_in *in, const sn_curve_place *place, const sn_eval_out *out);

#endif

/* A bead on a curve of particles: what polylines and splines share. Point 0 of such a constraint is the bead, the
   others are the control points, so that the reaction flows to the curve. */
#ifndef SN_CONSTRAINTS_CURVE_H
#define SN_CONSTRAINTS_CURVE_H

#include "base/vec.h"
#include "constraints/table.h"

static inline sn_real real_abs(sn_real a)
{
    return a < 0 ? -a : a;
}

/* The place of a curve that is closest to the bead, and how it depends on the control points:

       dp = sum of place dP + slope du,     dT = sum of turn dP + bend du

   over the shares, with u the place's parameter. */
typedef struct sn_curve_share {
    uint32_t point; /* of the constraint */
    sn_real place, turn;
} sn_curve_share;

#define SN_CURVE_SHARES 6

/* Which end of an open curve a place is, with the bead beyond it. */
typedef enum sn_curve_end { SN_CURVE_INSIDE, SN_CURVE_BEFORE_START, SN_CURVE_BEYOND_FINISH } sn_curve_end;

typedef struct sn_curve_place {
    sn_vec3 p;
    sn_vec3 tangent;   /* T, of any length but zero */
    sn_vec3 bend;      /* dT/du; zero: the tangent does not change along the curve, or the place does not move */
    sn_real steepness; /* d((x - p) . T)/du, negative; only where bend is not zero */
    sn_curve_end end;
    uint32_t count;
    sn_curve_share share[SN_CURVE_SHARES];
} sn_curve_place;

/* A curve is closed if it ends where it begins, which it always does if both are the same particle. */
static inline bool curve_is_closed(const sn_vec3 *control, uint32_t count)
{
    sn_vec3 a = control[0], b = control[count - 1];
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Writes the three rows: two equalities beside the tangent, and the distance from the nearer open end, negative
   beyond it. False if T is zero. */
bool sn_curve_rows(const sn_eval_in *in, const sn_curve_place *place, const sn_eval_out *out);

#endif

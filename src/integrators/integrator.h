/* What an integrator is given, and the list of integrators. */
#ifndef SN_INTEGRATORS_INTEGRATOR_H
#define SN_INTEGRATORS_INTEGRATOR_H

#include "base/vec.h"

#include <sinew/world.h>

typedef struct sn_motion {
    const sn_vec4 *x;     /* position, inverse mass */
    const sn_vec4 *v;     /* velocity */
    const sn_vec3 *v_low; /* what rounding left over of it */
    sn_vec4 *d;           /* displacement in this substep: predicted, then corrected by the solver */
    sn_real h;            /* s */
    sn_real lose;         /* the share of velocity that damping takes in a substep: 1 - e^(-damping h) */
    sn_vec3 gravity;      /* m/s^2 */
} sn_motion;

/* A velocity in two parts. Adding the same small g h to a velocity, substep after substep, rounds the same way each time,
   so in single precision the error of free fall would grow with the number of substeps (measured: 2e-5 m after a second at
   1/600 s, 1e-4 at 1/6000, 8e-4 at 1/60000). Carrying the rounding error along (Kahan 1965) removes that: 1e-5 or less in
   all three. */
typedef struct sn_velocity {
    sn_vec3 high;
    sn_vec3 low;
} sn_velocity;

static inline void add_compensated(sn_real *high, sn_real *low, sn_real increment)
{
    sn_real y = increment + *low;
    sn_real sum = *high + y;
    *low = y - (sum - *high);
    *high = sum;
}

static inline void velocity_add(sn_velocity *v, sn_vec3 increment)
{
    add_compensated(&v->high.x, &v->low.x, increment.x);
    add_compensated(&v->high.y, &v->low.y, increment.y);
    add_compensated(&v->high.z, &v->low.z, increment.z);
}

typedef struct sn_integrator_method {
    const char *name;
    /* Sets d of a movable particle from its state and the force on it (N, gravity excluded). */
    void (*predict)(const sn_motion *motion, uint32_t slot, sn_vec3 force);
    /* The velocity that the corrected displacement of a movable particle amounts to, given the same force. */
    sn_velocity (*velocity)(const sn_motion *motion, uint32_t slot, sn_vec3 force);
} sn_integrator_method;

#define SN_INTEGRATOR_COUNT 1

extern const sn_integrator_method sn_integrator_symplectic_euler;
extern const sn_integrator_method *const sn_integrators[SN_INTEGRATOR_COUNT]; /* by sn_integrator */

#endif

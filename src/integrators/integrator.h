/* What an integrator is given, and the list of integrators. */
#ifndef SN_INTEGRATORS_INTEGRATOR_H
#define SN_INTEGRATORS_INTEGRATOR_H

#include "base/vec.h"

#include <sinew/world.h>

/* Positions and velocities come in two parts (sn_pair): the number, and what rounding left over of it. Adding the same
   small g h to a velocity, substep after substep, rounds the same way each time, so in single precision alone the error of
   free fall grows with the number of substeps (measured after a second: 2e-5 m at h = 1/600 s, 1e-4 at 1/6000, 8e-4 at
   1/60000; with both parts 1e-6 or less in all three). For positions it matters far from the origin: a double pendulum at
   h = 1/6000, 1 km out, is off by 1.6e-2 m after a second without x_low, by 3.2e-3 with it, as in double. */
typedef struct sn_motion {
    const sn_vec4 *x;     /* position, inverse mass */
    const sn_vec4 *v;     /* velocity */
    const sn_vec3 *v_low; /* what rounding left over of it */
    const sn_vec3 *x_low; /* and of the position */
    sn_vec4 *d;           /* displacement from x, x_low included: predicted, then corrected by the solver */
    sn_real h;            /* s */
    sn_real lose;         /* the share of velocity that damping takes in a substep: 1 - e^(-damping h) */
    sn_vec3 gravity;      /* m/s^2 */
} sn_motion;

typedef struct sn_integrator_method {
    const char *name;
    /* Sets d (all of it) of a movable particle from its state and the force on it (N, gravity excluded). */
    void (*predict)(const sn_motion *motion, uint32_t slot, sn_vec3 force);
    /* The velocity that the corrected displacement of a movable particle amounts to, given the same force. */
    sn_pair (*velocity)(const sn_motion *motion, uint32_t slot, sn_vec3 force);
} sn_integrator_method;

#define SN_INTEGRATOR_COUNT 1

extern const sn_integrator_method sn_integrator_symplectic_euler;
extern const sn_integrator_method *const sn_integrators[SN_INTEGRATOR_COUNT]; /* by sn_integrator */

#endif

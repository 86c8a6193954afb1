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
    sn_vec4 *v;           /* velocity */
    sn_vec3 *v_low;       /* what rounding left over of it */
    const sn_vec3 *x_low; /* and of the position */
    const sn_vec3 *force; /* N, gravity excluded */
    sn_vec4 *d;           /* displacement from x, x_low included: predicted, then corrected by the solver */
    sn_real h;            /* s */
    sn_real keep;         /* the share of velocity that damping leaves in a substep, e^(-damping h), */
    sn_real lose;         /* and the share that it takes; each is precise where it is small */
    sn_vec3 gravity;      /* m/s^2 */
} sn_motion;

typedef struct sn_integrator_method {
    const char *name;
    /* Sets d of the particles in slots first .. end-1: where they would go if they were alone. 0 for the immovable. */
    void (*predict)(const sn_motion *motion, uint32_t first, uint32_t end);
    /* Sets v of the same particles to what their corrected displacement amounts to. */
    void (*update_velocities)(const sn_motion *motion, uint32_t first, uint32_t end);
} sn_integrator_method;

#define SN_INTEGRATOR_COUNT 1

extern const sn_integrator_method sn_integrator_symplectic_euler;
extern const sn_integrator_method *const sn_integrators[SN_INTEGRATOR_COUNT]; /* by sn_integrator */

#endif

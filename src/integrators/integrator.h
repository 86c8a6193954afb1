/* What an integrator is given, and the list of integrators. */
#ifndef SN_INTEGRATORS_INTEGRATOR_H
#define SN_INTEGRATORS_INTEGRATOR_H

#include "base/vec.h"

#include <sinew/world.h>

typedef struct sn_motion {
    sn_vec4 *x;      /* position, inverse mass */
    sn_vec4 *v;      /* velocity */
    sn_vec4 *d;      /* displacement in this substep: predicted, then corrected by the solver */
    sn_real h;       /* s */
    sn_real keep;    /* the share of velocity that damping leaves in a substep */
    sn_vec3 gravity; /* m/s^2 */
} sn_motion;

typedef struct sn_integrator_method {
    const char *name;
    /* Sets d of one particle from its state and the force on it (N, gravity excluded). x and v are not changed. */
    void (*predict)(const sn_motion *motion, uint32_t slot, sn_vec3 force);
    /* The velocity that the corrected displacement of a particle amounts to. */
    sn_vec3 (*velocity)(const sn_motion *motion, uint32_t slot);
} sn_integrator_method;

#define SN_INTEGRATOR_COUNT 1

extern const sn_integrator_method sn_integrator_symplectic_euler;
extern const sn_integrator_method *const sn_integrators[SN_INTEGRATOR_COUNT]; /* by sn_integrator */

#endif

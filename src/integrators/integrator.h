/* The integrators, and what their loops over particles are given. The formulas are in stages.h. */
#ifndef SN_INTEGRATORS_INTEGRATOR_H
#define SN_INTEGRATORS_INTEGRATOR_H

#include "base/vec.h"

#include <sinew/world.h>

typedef struct sn_integrator_method {
    const char *name;
    sn_real kick;    /* the share of h times the acceleration that is in the velocity which moves things in a substep;
                            the rest of it is added when the substep ends. Bodies turn so, too. Not asked of BDF2 */
    bool asks_again; /* that rest is with the forces at the end of the substep */
    bool looks_back; /* BDF2: needs sn_history, whose past must not reach across a jump of velocities */
    sn_real step_factor; /* the effective step of compliance and forces is so many h for a particle that has a past */
} sn_integrator_method;

#define SN_INTEGRATOR_COUNT 5

extern const sn_integrator_method *const sn_integrators[SN_INTEGRATOR_COUNT]; /* by sn_integrator */

/* A substep as the loops over particles see it. The state itself moves: x, x_low, v and v_low.

   Places and velocities come in two parts: the number, and what rounding left over of it. Adding the same small g h to a
   velocity, substep after substep, rounds the same way each time, so in single precision alone the error of free fall
   grows with the number of substeps (measured after a second: 2e-5 m at h = 1/600 s, 1e-4 at 1/6000, 8e-4 at 1/60000;
   with both parts 1e-6 or less in all three). For places it matters far from the origin: a double pendulum at
   h = 1/6000, 1 km out, is off by 1.6e-2 m after a second without x_low, by 3.2e-3 with it, as in double. */
typedef struct sn_motion {
    sn_vec4 *x;            /* place, inverse mass */
    sn_vec4 *x_low;        /* what rounding left over of the place */
    sn_vec4 *v;            /* velocity, mass */
    sn_vec4 *v_low;        /* what rounding left over of the velocity */
    const sn_vec3 *force;  /* N, without gravity; NULL: none */
    sn_vec3 gravity;       /* m/s^2 */
    sn_real h;             /* s */
    sn_real keep;          /* the share of velocity that damping leaves in a substep, e^(-damping h), */
    sn_real lose;          /*   and the share that it takes; each is precise where it is small */
    sn_real kick;          /* s: so long the acceleration acts before the places move, */
    sn_real end_kick;      /*   and so long afterwards */
    sn_real rate;          /* 1/s: the velocity that goes with a correction of one metre */
    bool ends_previous;    /* the substep before has not been ended yet: predict does that first, */
    bool settles_previous; /*   after it has settled what constraints moved since the mark */

    /* BDF2, all by slot: */
    bool looks_back;
    bool
        unsteady; /* some particle has no past, or forces act: the slow loop. Otherwise all that move have one, under gravity
                      alone */
    bool anew;      /* no particle has a past in this substep, */
    bool jumps;     /*   or will have one after it, since velocities may jump in it */
    sn_vec4 *old_d; /* displacement in the substep before, and its length: 0 if there was none, negative if only the
                       acceleration in it still counts */
    sn_vec4 *old_v; /* velocity at its start */
    sn_vec4 *old_a; /* acceleration at its start */
    sn_vec4 *old_f; /* N: what `given` was in it */
    const sn_vec3
        *given; /* N: what users gave particles, which is part of `force`; the same in all substeps of a step */

    /* Which particles: `first` to `first + count - 1`, or those of a list. */
    uint32_t first, count;
    const uint32_t *list; /* slots; NULL: the range */
    bool coarse;          /* places are moved themselves, and their remainders stay what prediction left over */
    sn_vec4 *mark;        /* one for each, from the first on: x_low, or x where coarse, before constraints move it */
    float *mark_rows;     /* the same for particles in planes */

    /* Where particles are when the substep starts, and what rounding left over of that; predict stores it, but not where those are that
       have w = 0 and were led elsewhere before. NULL: nothing asks for it. By slot, or in rows as those of places: start in the place of
       d, the rest in that of x. */
    sn_vec4 *start, *start_low;
    float *start_rows;
} sn_motion;

/* The loops over particles that are stored as records. */
typedef struct sn_motion_table {
    /* v takes damping and forces, x becomes the place where a particle would go alone, x_low and mark what rounding left
       over of it. Particles with w = 0 stay, and their v is 0. False as settle, if it settles first. A range only. */
    bool (*predict)(const sn_motion *motion);
    /* Copies x_low (coarse: x) to mark, for particles that were predicted before. Range or list. */
    void (*note)(const sn_motion *motion);
    /* v takes what constraints moved since, x takes what fits of x_low. False if one of them is not finite, or
       too large. Range or list. */
    bool (*settle)(const sn_motion *motion);
    /* Ends the substep: the rest of the kick, and what BDF2 remembers. False as settle. A range only. */
    bool (*end)(const sn_motion *motion);
} sn_motion_table;

/* One particle at a time, in either precision; and the only one for motion.unsteady. */
extern const sn_motion_table sn_motion_scalar;

static inline sn_vec3 motion_acceleration(const sn_motion *motion, uint32_t slot)
{
    sn_vec3 a = motion->gravity;
    return motion->force ? vec3_add(a, vec3_scale(motion->force[slot], motion->x[slot].w)) : a;
}

/* BDF2: whether the substep before was as long as this one and nothing came between. */
static inline bool motion_has_past(const sn_motion *motion, uint32_t slot)
{
    return !motion->anew && motion->old_d[slot].w == motion->h;
}

#endif

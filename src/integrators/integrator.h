/* The integrators, and the input of their loops over particles. The formulas are in stages.h. */
#ifndef SN_INTEGRATORS_INTEGRATOR_H
#define SN_INTEGRATORS_INTEGRATOR_H

#include "base/vec.h"

#include <sinew/world.h>

typedef struct sn_integrator_method {
    const char *name;
    sn_real kick;        /* share of h times the acceleration that is included in the velocity that moves things in a
                            substep; the rest is added at the end of the substep. Also for rotation of bodies. Not used
                            by BDF2 */
    bool asks_again;     /* the rest uses the forces at the end of the substep */
    bool looks_back;     /* BDF2: needs sn_history, whose past must not span a jump of velocities */
    sn_real step_factor; /* effective step of compliance and forces, in units of h, for a particle that has a past */
} sn_integrator_method;

#define SN_INTEGRATOR_COUNT 5

extern const sn_integrator_method *const sn_integrators[SN_INTEGRATOR_COUNT]; /* by sn_integrator */

/* A substep as the loops over particles see it. They change the state: x, x_low, v and v_low.

   Positions and velocities have two parts: the number, and its rounding remainder. Adding the same small g h to a
   velocity, substep after substep, rounds the same way each time. So in single precision alone the error of free fall
   grows with the number of substeps (measured after a second: 2e-5 m at h = 1/600 s, 1e-4 at 1/6000, 8e-4 at 1/60000;
   with both parts 1e-6 or less in all three). For positions it matters far from the origin: a double pendulum at h =
   1/6000, 1 km out, has an error of 1.6e-2 m after a second without x_low, and of 3.2e-3 with it, as in double. */
typedef struct sn_motion {
    sn_vec4 *x;            /* position, inverse mass */
    sn_vec4 *x_low;        /* rounding remainder of the position */
    sn_vec4 *v;            /* velocity, mass */
    sn_vec4 *v_low;        /* rounding remainder of the velocity */
    const sn_vec3 *force;  /* N, without gravity; NULL: none */
    sn_vec3 gravity;       /* m/s^2 */
    sn_real h;             /* s */
    sn_real keep;          /* share of velocity that damping leaves in a substep, e^(-damping h) */
    sn_real lose;          /* share of velocity that it removes; each is precise where it is small */
    sn_real kick;          /* s: how long the acceleration acts before the positions move */
    sn_real end_kick;      /* s: and how long afterwards */
    sn_real rate;          /* 1/s: velocity per metre of correction */
    bool ends_previous;    /* the previous substep was not ended: predict does that first, */
    bool settles_previous; /* after settling the corrections by constraints since the mark */

    /* BDF2, all by slot: */
    bool looks_back;
    bool unsteady; /* some particle has no past, or forces act: use the slow loop. Otherwise all moving particles have a
                      past, and only gravity acts */
    bool anew;     /* no particle has a past in this substep */
    bool jumps;    /* nor in the next, because velocities may jump in this one */
    sn_vec4 *old_d; /* displacement in the previous substep, and its length h: 0: none; negative: only the acceleration
                       of that substep is valid */
    sn_vec4 *old_v; /* velocity at its start */
    sn_vec4 *old_a; /* acceleration at its start */
    sn_vec4 *old_f; /* N: the value of `given` then */
    const sn_vec3 *given; /* N: users' forces, which are included in `force`; the same in all substeps of a step */

    /* The particles: `first` to `first + count - 1`, or those of a list. */
    uint32_t first, count;
    const uint32_t *list; /* slots; NULL: the range */
    bool coarse;          /* positions themselves are corrected, and their remainders stay as predicted */
    sn_vec4 *mark;        /* one for each particle: x_low (x if coarse) before corrections by constraints */
    float *mark_rows;     /* the same for particles in planes */

    /* Positions at the start of the substep, and their remainders. predict stores them, except for particles with w = 0
       that were moved kinematically before. NULL: not needed. By slot, or in rows like positions: start in place of d,
       the remainder in place of x. */
    sn_vec4 *start, *start_low;
    float *start_rows;
} sn_motion;

/* The loops over particles that are stored as records. */
typedef struct sn_motion_table {
    /* Adds damping and forces to v. x becomes the unconstrained position, x_low and mark its remainder. Particles with
       w = 0 stay, with v = 0. Returns as settle does, if it settles first. Only for a range. */
    bool (*predict)(const sn_motion *motion);
    /* Copies x_low (coarse: x) to mark, for particles that were predicted before. Range or list. */
    void (*note)(const sn_motion *motion);
    /* Adds the constraint corrections to v, and moves x_low into x as far as it fits. False if a value is not finite or
       too large. Range or list. */
    bool (*settle)(const sn_motion *motion);
    /* Ends the substep: the rest of the kick, and the history of BDF2. Returns as settle does. Only for a range. */
    bool (*end)(const sn_motion *motion);
} sn_motion_table;

/* One particle at a time, in either precision. The only version for motion.unsteady. */
extern const sn_motion_table sn_motion_scalar;

static inline sn_vec3 motion_acceleration(const sn_motion *motion, uint32_t slot)
{
    sn_vec3 a = motion->gravity;
    return motion->force ? vec3_add(a, vec3_scale(motion->force[slot], motion->x[slot].w)) : a;
}

/* BDF2: true if the previous substep was as long as this one, without a jump in between. */
static inline bool motion_has_past(const sn_motion *motion, uint32_t slot)
{
    return !motion->anew && motion->old_d[slot].w == motion->h;
}

#endif

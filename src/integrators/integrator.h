/* What an integrator is given, and the list of integrators. */
#ifndef SN_INTEGRATORS_INTEGRATOR_H
#define SN_INTEGRATORS_INTEGRATOR_H

#include "base/vec.h"

#include <sinew/world.h>

/* The velocities that a substep starts with, after drag: copies, where there are drags; otherwise v, v_low and old_v
   themselves. The state stays as it is until the end of the substep, which may fail. */
typedef struct sn_start {
    const sn_vec4 *v;
    const sn_vec4 *v_low;
    const sn_vec4 *old_v;
    bool dragged;
} sn_start;

/* Positions and velocities come in two parts (sn_pair): the number, and what rounding left over of it. Adding the
   same small g h to a velocity, substep after substep, rounds the same way each time, so in single precision alone
   the error of free fall grows with the number of substeps (measured after a second: 2e-5 m at h = 1/600 s, 1e-4 at
   1/6000, 8e-4 at 1/60000; with both parts 1e-6 or less in all three). For positions it matters far from the origin:
   a double pendulum at h = 1/6000, 1 km out, is off by 1.6e-2 m after a second without x_low, by 3.2e-3 with it, as
   in double. */
typedef struct sn_motion {
    const sn_vec4 *x;     /* position, inverse mass */
    sn_vec4 *v;           /* velocity: written at the end of the substep; what it starts with is start.v */
    sn_vec4 *v_low;       /* what rounding left over of it */
    const sn_vec4 *x_low; /* and of the position */
    const sn_vec3 *force; /* N, gravity excluded */
    const sn_vec4 *y;     /* x + what predict wrote to d, rounded */
    sn_vec4 *d;     /* predict: the displacement from x, x_low included. Then: what rounding left over of y, plus what
                             the constraints moved. In kick: the acceleration at the start */
    sn_vec4 *old_d; /* displacement in the substep before, and its length: 0 if there was none, negative if only the
                             acceleration in it still counts; NULL: not kept */
    sn_vec4 *old_v; /* velocity at its start; with Verlet what rounding left over of old_d */
    sn_vec4 *old_a; /* acceleration: at its start, or with Verlet at its end */
    sn_vec4 *old_f; /* N: with BDF2, what `given` was in it */
    const sn_vec3
        *given;      /* N: what users gave particles, which is part of `force`; the same in all substeps of a step */
    sn_start start;  /* what is read of the past */
    sn_real h;       /* s */
    bool anew;       /* nobody has a past in this substep, */
    bool jumps;      /* and nobody will have one after it: velocities may jump in it */
    sn_real keep;    /* the share of velocity that damping leaves in a substep, e^(-damping h), */
    sn_real lose;    /* and the share that it takes; each is precise where it is small */
    sn_vec3 gravity; /* m/s^2 */
} sn_motion;

typedef struct sn_integrator_method {
    const char *name;
    bool looks_back; /* needs old_d, old_v and old_a */
    bool is_smooth;  /* its past must not reach across a jump of velocities */
    sn_real
        drift_kick; /* the share of h times the acceleration that is in the velocity which moves things in the substep.
                            Bodies turn so, too. Not asked of what is_smooth */
    sn_real step_factor; /* the effective step of compliance and forces is so many h for a particle that has a past */
    /* Sets d of the particles in slots first .. end-1: where they would go if they were alone. 0 for the immovable. */
    void (*predict)(const sn_motion *motion, uint32_t first, uint32_t end);
    /* Sets v of the same particles to what their corrected displacement amounts to, and remembers what it needs. */
    void (*update_velocities)(const sn_motion *motion, uint32_t first, uint32_t end);
    /* For integrators that end with the forces at the end of the substep; NULL: nothing to do. v is completed with those at
       the start already, a first guess for forces that depend on it; this puts the difference right. */
    void (*kick)(const sn_motion *motion, uint32_t first, uint32_t end);
} sn_integrator_method;

#define SN_INTEGRATOR_COUNT 5

extern const sn_integrator_method sn_integrator_forward_euler;
extern const sn_integrator_method sn_integrator_symplectic_euler;
extern const sn_integrator_method sn_integrator_leapfrog;
extern const sn_integrator_method sn_integrator_verlet;
extern const sn_integrator_method sn_integrator_bdf2;
extern const sn_integrator_method *const sn_integrators[SN_INTEGRATOR_COUNT]; /* by sn_integrator */

/* ---- What integrators share ------------------------------------------------------------------------------------- */

static inline sn_vec3 motion_acceleration(const sn_motion *motion, uint32_t slot)
{
    return vec3_add(motion->gravity, vec3_scale(motion->force[slot], motion->x[slot].w));
}

/* Whether the substep before was as long as this one and nothing came between. */
static inline bool motion_has_past(const sn_motion *motion, uint32_t slot)
{
    return !motion->anew && motion->old_d[slot].w == motion->h;
}

/* The velocity after damping, with h `kick` times the acceleration added. Damping acts on the velocity that the
   particle had, before forces are added: otherwise gravity would be damped too, and free fall would depend on the
   substep. */
static inline sn_pair motion_kicked(const sn_motion *motion, uint32_t slot, sn_real kick)
{
    sn_pair v = {vec4_xyz(motion->start.v[slot]), vec4_xyz(motion->start.v_low[slot])};
    sn_vec3 change = vec3_scale(motion_acceleration(motion, slot), kick * motion->h);
    if (motion->lose < (sn_real)0.5)
        change = vec3_sub(change, vec3_scale(v.high, motion->lose));
    else
        v = (sn_pair){vec3_scale(v.high, motion->keep), vec3_scale(v.low, motion->keep)};
    pair_add(&v, change);
    return v;
}

/* Sets d to h v. */
static inline void motion_drift(const sn_motion *motion, uint32_t slot, const sn_pair *v)
{
    bool moves = motion->x[slot].w != 0;
    sn_vec3 d = vec3_add(vec3_scale(v->high, motion->h), vec4_xyz(motion->x_low[slot]));
    motion->d[slot] = vec4(moves ? d : vec3(0, 0, 0), 0);
}

/* What the constraints moved a particle by, to the last bit: the prediction, which was this displacement, is not in
   it. */
static inline sn_vec3 motion_push(const sn_motion *motion, uint32_t slot, sn_vec3 predicted)
{
    return vec3_sub(vec4_xyz(motion->d[slot]), vec3_sum_error(vec4_xyz(motion->x[slot]), predicted));
}

/* The whole displacement of a particle from x. */
static inline sn_vec3 motion_way(const sn_motion *motion, uint32_t slot)
{
    return vec3_add(vec3_sub(vec4_xyz(motion->y[slot]), vec4_xyz(motion->x[slot])), vec4_xyz(motion->d[slot]));
}

/* Velocities are what the positions did: v = d / h, written as the velocity that was predicted plus what the
   constraints changed. In exact numbers that is the same; in ours a particle that no constraint touched keeps its
   velocity to the last bit. An immovable particle was not predicted, and its displacement is all there is. */
static inline sn_pair motion_corrected(const sn_motion *motion, uint32_t slot, sn_pair v)
{
    sn_vec3 predicted = vec3_add(vec3_scale(v.high, motion->h), vec4_xyz(motion->x_low[slot]));
    if (motion->x[slot].w == 0)
        v = (sn_pair){0};
    sn_vec3 change = motion->x[slot].w != 0 ? motion_push(motion, slot, predicted) : motion_way(motion, slot);
    pair_add(&v, vec3(change.x / motion->h, change.y / motion->h, change.z / motion->h));
    return v;
}

static inline void motion_set_velocity(const sn_motion *motion, uint32_t slot, const sn_pair *v)
{
    motion->v[slot] = vec4(v->high, motion->v[slot].w);
    motion->v_low[slot] = vec4(v->low, 0);
}

#endif

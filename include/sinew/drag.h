/* Drag reduces velocities: friction of the air, of the ground, and inside a body.

   Drag acts at the start of every substep on the velocity of a particle, before forces are added, so that
   gravity itself is never damped. It is exact: without other forces a velocity decays by the same factor in a
   second, for any number of substeps. Even a very strong drag never reverses a velocity. It works
   under every integrator. Several drags act one after the other in the order in which they were added, and after them
   sn_settings.damping. Immovable particles, and those with a kinematic target, are not affected.

   The strength of a drag can be given in three ways, which are equivalent for a particle of mass m:

       force ratio   k0  N s/m   force -k0 v           v *= e^(-k0 t / m)     heavy particles coast farther
       loss          k1  1       share lost a second   v *= (1 - k1)^t        easy to imagine
       rate          k2  1/s     exponential decay     v *= e^(-k2 t)

   with k2 = k0 / m and k1 = 1 - e^(-k2). (Some texts have (1 - k0/m)^t for the first: that is another motion, and
   undefined for k0 > m.) */
#ifndef SINEW_DRAG_H
#define SINEW_DRAG_H

#include <sinew/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sn_drag_form {
    SN_DRAG_RATE = 0, /* strength is k2 */
    SN_DRAG_LOSS,     /* strength is k1 */
    SN_DRAG_FORCE,    /* strength is k0 */
    SN_DRAG_PLANAR,   /* along and orthogonal to a plane at two rates: friction on the ground */
    SN_DRAG_MATRIX,   /* force -C v with a matrix C: a medium that resists more in some directions */
    SN_DRAG_RIGID /* removes the part of a group's motion that is not rigid: inner oscillations stop, while it flies and
                         rotates as before. Keeps linear and angular momentum of the group (Mueller et al. 2007) */
} sn_drag_form;

/* One drag. Only the fields of its form are used. */
typedef struct sn_drag_def {
    sn_drag_form form; /* default SN_DRAG_RATE */
    bool one_group;    /* acts on the particles of `group` only; default false: on all. A rigid drag on all particles
                       treats every group as a body of its own */
    uint32_t group;    /* default 0. Particles that join the group later are included; it may be empty */
    sn_real strength;  /* rate and rigid: 1/s; loss: share lost in a second, 0 to less than 1; force: N s/m. Finite and
                          not negative; default 0 */

    /* planar: */
    sn_vec3 normal;     /* of the plane; normalised for you, zero is refused; default (0, 1, 0) */
    sn_vec3 origin;     /* m: a point of the plane; moves with sn_world_shift_origin; default 0 */
    sn_real distance;   /* m: acts on particles up to this height above the plane, and on all below it, at the
                           start of the substep; of either sign, INFINITY (the default) is everywhere */
    sn_real parallel;   /* 1/s: rate k2 of the velocity along the plane; default 0 */
    sn_real orthogonal; /* 1/s: rate k2 of the velocity along the normal; default 0 */

    /* matrix: */
    sn_real matrix[3]
                  [3]; /* N s/m: symmetric, no negative eigenvalue (both up to rounding); default 0. In a 2D world its
                             xz and yz must be 0. Its motion is v = e^(-C t / m) v, exact for any time and strength */
} sn_drag_def;

/* A drag of rate 0 on all particles. Always start from this: later versions append fields. */
SN_API sn_drag_def sn_default_drag_def(void);

/* Adds a drag that acts from the next step on; def is copied. *drag gets its number, 1 or more, for sn_drag_remove
   (may be NULL). Drags are part of snapshots and of the hash. Refused: an unknown form, a strength or rate that is
   negative or not finite, a loss of 1 or more, a normal of length 0, a distance that is NaN, a matrix that is not
   symmetric or would accelerate, a normal or origin with z != 0 in a 2D world. */
SN_API sn_result sn_drag_add(sn_world *world, const sn_drag_def *def, uint32_t *drag);

/* Removes a drag. SN_ERROR_STALE if there is none of this number. Numbers are not used again. */
SN_API sn_result sn_drag_remove(sn_world *world, uint32_t drag);

/* Reads a drag, in a form that sn_drag_add takes; the normal has length 1. SN_ERROR_STALE if there is none
   of this number; *def is then unchanged. */
SN_API sn_result sn_drag_read(const sn_world *world, uint32_t drag, sn_drag_def *def);

#ifdef __cplusplus
}
#endif
#endif

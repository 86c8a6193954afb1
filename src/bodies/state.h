/* Rotation of bodies: the stored state, and the data of a substep. */
#ifndef SN_BODIES_STATE_H
#define SN_BODIES_STATE_H

#include <sinew/base.h>

#include <string.h>

/* Loops over bodies are bound by memory latency. So their data are packed in as few cache lines (64 bytes) as
   possible. */

/* The state of a body. Its centre of mass is a particle, which has its mass, position and velocity. So everything here
   is per unit of mass, and a change of mass changes nothing here. */
typedef struct sn_body_state {
    double q[4];          /* from its principal axes to the world; x, y, z, w */
    double l[3];          /* m^2/s: angular momentum / mass, along the axes of the world */
    double k[3];          /* m: radii of gyration about the principal axes; INFINITY: the axis is locked */
    double torque[3];     /* N m, in the world, set by the user for the next step */
    uint32_t particle;    /* number of its particle; SN_ID_FREE: this entry is free */
    uint32_t kinematic;   /* kinematic: it moves to a target */
    sn_real spin_damping; /* 1/s */
    uint32_t number;      /* user's number of the body, or that of the static or kinematic body whose anchor it is */
    uint32_t part, parts; /* its shapes; read in every substep up to here */
    double target[4];     /* q at the end of the next step, if it has a target */
    double own[4];        /* from the user's frame to the principal axes */
    double centre[3];     /* m: the centre of mass, in the user's frame */
    /* History for BDF2: values of the previous substep. Valid where the history of its particle is. */
    double old_mean[3];         /* m^2/s: the momentum with which it rotated */
    double old_l[3];            /* m^2/s: l at its start */
    double old_torque[3];       /* m^2/s^2 */
    double old_given[3];        /* N m: the value of `torque` then */
    double old_displacement[3]; /* m: the displacement of its rotation (k times the angle) */
    /* The pose from which rest is measured; see sleep_islands.c. */
    sn_vec3 rest_place; /* m */
    sn_quat rest_turn;
    sn_real rest_time;  /* s: how long it has stayed near that pose */
    uint32_t rested;    /* it also rested long enough near the pose before that */
    sn_real lost;       /* J: motion energy that contact removed in the last substep, if the body is jointed; see
                           world/articulations.c */
    uint32_t unused[2]; /* pads the size to a multiple of 64, in single precision */
} sn_body_state;

/* True if the user applies a torque to it. */
static inline bool body_is_pulled(const sn_body_state *body)
{
    uint64_t bits[3];
    memcpy(bits, body->torque, sizeof bits);
    return (bits[0] | bits[1] | bits[2]) << 1 != 0; /* but for the sign of a zero */
}

/* The data of a body in a substep. */
typedef struct sn_body_motion {
    double q[4];      /* predicted */
    double l[3];      /* predicted, m^2/s */
    bool is_free;     /* only its momentum rotates it: the other fields are not set */
    bool looks_back;  /* the prediction also uses the substep before: see integrators/stages.h */
    double mean[3];   /* m^2/s: the momentum with which it rotates to q */
    double torque[3]; /* m^2/s^2: per unit of mass, at the last evaluation */
    double keep;      /* the share of its momentum that damping leaves */
    double unused;    /* pads the size to a multiple of 64 */
} sn_body_motion;

#endif

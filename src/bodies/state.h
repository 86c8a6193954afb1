/* How bodies turn: what is stored of that, and what a substep knows of it. */
#ifndef SN_BODIES_STATE_H
#define SN_BODIES_STATE_H

#include <sinew/base.h>

/* Loops over bodies wait for memory. What each of them needs is in as few lines of the cache as can be: these have 64 bytes. */

/* A body's own state. Its centre is a particle, and mass, place and velocity are that one's: so what stands here is per unit
   of mass, and a mass that changes changes nothing here. */
typedef struct sn_body_state {
    double q[4];          /* from its principal axes to the world; x, y, z, w */
    double l[3];          /* m^2/s: angular momentum / mass, along the axes of the world */
    double k[3];          /* m: radii of gyration about the principal axes; INFINITY: it does not turn about that one */
    double torque[3];     /* N m, in the world, given by the user for the next step */
    uint32_t particle;    /* the number of its particle; SN_ID_FREE: this row is free */
    uint32_t led;         /* it has a target */
    sn_real spin_damping; /* 1/s */
    uint32_t number;      /* that users hold, or that of the fixed body whose anchor it is */
    uint32_t part, parts; /* its shapes. So far every substep looks */
    double target[4];     /* q at the end of the next step, if it is led */
    double own[4];        /* from the user's frame to the principal axes */
    double centre[3];     /* m: of mass, in the user's frame */
    /* What BDF2 looks back to, of the substep before. It counts where the history of its particle does. */
    double old_mean[3];   /* m^2/s: the momentum with which it turned */
    double old_l[3];      /* m^2/s: l at its start */
    double old_torque[3]; /* m^2/s^2 */
    double old_given[3];  /* N m: what `torque` was in it */
    double old_way[3];    /* m: by how much its turn moved */
    /* Where it was when it last came away from a place; see sleep_islands.c. */
    sn_vec3 rest_place; /* m */
    sn_quat rest_turn;
    sn_real rest_time;  /* s: for so long it has been around there */
    uint32_t rested;    /* and around the place before that it was long enough */
    sn_real lost;       /* J: what contact took from its motion in the last substep, if it is jointed; see
                           world/articulations.c */
    uint32_t unused[2]; /* so that the size is a multiple of 64, in single precision */
} sn_body_state;

/* Whether a user exerts a torque on it. */
static inline bool body_is_pulled(const sn_body_state *body)
{
    return (body->torque[0] != 0) | (body->torque[1] != 0) | (body->torque[2] != 0);
}

/* What a substep knows of a body. */
typedef struct sn_body_motion {
    double q[4];      /* predicted */
    double l[3];      /* predicted, m^2/s */
    bool is_free;     /* nothing but its momentum turns it: the rest is not set */
    bool looks_back;  /* it is predicted from the substep before, too: see integrators/stages.h */
    double mean[3];   /* the momentum with which it turns to q, m^2/s */
    double torque[3]; /* m^2/s^2: per unit of mass, as it was last looked at */
    double keep;      /* the share of its momentum that damping leaves */
    double unused;    /* so that the size is a multiple of 64 */
} sn_body_motion;

#endif

/* Rotation of bodies in a substep, several at a time. */
#ifndef SN_BODIES_TURNING_H
#define SN_BODIES_TURNING_H

#include "base/vec.h"
#include "bodies/state.h"

#include <stdbool.h>

#define SN_TURN_BATCH 8

/* Pointers to the data of several bodies. Each function states which fields it reads and writes. */
typedef struct sn_turn_batch {
    uint32_t count;
    sn_body_state *body[SN_TURN_BATCH];
    sn_body_motion *motion[SN_TURN_BATCH];
    double *l[SN_TURN_BATCH];        /* m^2/s: angular momentum / mass, in the world */
    const double *as[SN_TURN_BATCH]; /* an orientation (see the functions) */
    sn_vec4 *turn[SN_TURN_BATCH];    /* m: the rotation as solvers see it: k times a small angle, along principal
                                        axes */
    sn_quat *start[SN_TURN_BATCH];   /* orientations for solvers: at the start of the substep */
    sn_quat *now[SN_TURN_BATCH];     /* and predicted */
    double h[SN_TURN_BATCH];         /* s */
    uint32_t kinematic;              /* bits: bodies with a target, whose motion->q is known */
} sn_turn_batch;

/* The same for contact. */
typedef struct sn_spin_batch {
    uint32_t count;
    sn_body_state *body[SN_TURN_BATCH];
    double *as[SN_TURN_BATCH];            /* the orientation at which angular velocity and inertia are computed */
    double h;                             /* s */
    const double *inverse[SN_TURN_BATCH]; /* 1/m^2: inverse moments per unit of mass, along principal axes */
    uint32_t odd[SN_TURN_BATCH];          /* symmetry axis, SN_ALL_ALIKE or SN_NONE_ALIKE */
    sn_real w[SN_TURN_BATCH];             /* 1/kg */
    sn_vec4 *record[SN_TURN_BATCH];       /* as in wide/wide.h */
    sn_quat *start[SN_TURN_BATCH], *now[SN_TURN_BATCH];
    sn_vec4 gain[SN_TURN_BATCH],
        by[SN_TURN_BATCH]; /* rad/s: change of angular velocity; rad: additional rotation. w is 0 */
} sn_spin_batch;

/* A share of the energy of a fall for one substep: smaller errors of a swing are not corrected (world/swings.c). At ten
   substeps in 1/60 s that is at most 8e-5 J for each kg and second. Bodies at rest stay below it. */
#define SN_SWING_LITTLE 1e-3

/* Data of a body with joints in a substep. */
typedef struct sn_articulated {
    double v[3], kick[3];          /* m/s: predicted velocity; and its change by forces */
    double start[4];               /* its orientation when the substep began */
    double w;                      /* 1/kg */
    double present, a, b, kinetic; /* J: see sn_turning, and world/articulations.c; before contact */
    double due, ahead, little;     /* J */
    double back[4];                /* swings.c: from its orientation now to start, along its own axes */
    double missing[3];             /* m^2/s: missing angular momentum, per unit of mass */
    double impulse_sum;            /* m^2/s: impulses of its joints times their arms, per unit of mass */
    uint32_t slot;                 /* of its particle */
} sn_articulated;

/* Such bodies, by row, for functions that measure their energies. */
typedef struct sn_energy_run {
    const uint32_t *row;
    uint32_t count;
    sn_body_state *state;
    const sn_body_motion *motion;
    sn_articulated *body;
    const sn_vec4 *v; /* m/s, by slot */
} sn_energy_run;

/* Values of sn_spin_batch.odd besides the axes 0, 1 and 2: no two moments are equal; all are, as for a ball or a
   cube. */
enum { SN_NONE_ALIKE = 3, SN_ALL_ALIKE = 4 };

/* They may repeat the last body of the batch, to fill the lanes. */
typedef bool sn_turning_fn(sn_turn_batch *batch);
typedef uint32_t sn_weighing_fn(sn_spin_batch *batch);
typedef bool sn_spinning_fn(sn_spin_batch *batch);
typedef void sn_energy_fn(const sn_energy_run *run);

sn_turning_fn sn_turn_predict_lanes_0, sn_turn_predict_lanes_16, sn_turn_predict_lanes_32;
sn_turning_fn sn_turn_settle_lanes_0, sn_turn_settle_lanes_16, sn_turn_settle_lanes_32;
sn_turning_fn sn_turn_gain_lanes_0, sn_turn_gain_lanes_16, sn_turn_gain_lanes_32;
sn_spinning_fn sn_turn_back_lanes_0, sn_turn_back_lanes_16, sn_turn_back_lanes_32;
sn_weighing_fn sn_turn_weigh_lanes_0, sn_turn_weigh_lanes_16, sn_turn_weigh_lanes_32;
sn_weighing_fn sn_turn_weigh_again_lanes_0, sn_turn_weigh_again_lanes_16, sn_turn_weigh_again_lanes_32;
sn_spinning_fn sn_turn_spin_lanes_0, sn_turn_spin_lanes_16, sn_turn_spin_lanes_32;
sn_energy_fn sn_turn_energies_lanes_0, sn_turn_energies_lanes_16, sn_turn_energies_lanes_32;
sn_energy_fn sn_turn_lost_lanes_0, sn_turn_lost_lanes_16, sn_turn_lost_lanes_32;
sn_energy_fn sn_turn_changed_lanes_0, sn_turn_changed_lanes_16, sn_turn_changed_lanes_32;

typedef struct sn_turning {
    /* motion->q: the orientation after h seconds of free rotation with the momentum l from body->q; a unit quaternion,
       equal to body->q where l is 0. turn: this rotation as a displacement; 0 about a locked axis. now: motion->q. */
    sn_turning_fn *predict;

    /* body->q: motion->q, rotated further by turn. body->l: motion->l plus the momentum of that rotation in h seconds,
       R (k turn) / h, where R is the rotation `as`. start and now: body->q. True if all motions are sound. */
    sn_turning_fn *settle;

    /* l gains the same momentum. */
    sn_turning_fn *gain;

    /* as: the orientation from which free rotation of h seconds with the momentum body->l leads to body->q. It is
       body->q itself for bodies that hardly rotate or whose moments are all equal. */
    sn_spinning_fn *back;

    /* The angular velocity and the inverse inertia in the world, at the orientation `as`, for bodies with the inverse
       mass w. The second function returns bits: bodies of which the inverse inertia in the record was so different that
       impulses found with it would overshoot. The first one returns 0. */
    sn_weighing_fn *weigh, *weigh_again;

    /* body->l gains the momentum of a change of angular velocity. body->q becomes the orientation to which this leads
       in h seconds, rotated further by `by`. start and now: body->q. True if all motions are sound. */
    sn_spinning_fn *spin;

    /* present: the energy of a body with its predicted velocity and the momentum motion->l. a and b: the energy that a
       share s of the change to its velocity and state->l adds, a s + b s^2. Both at the orientation motion->q. kinetic:
       its energy now, at the orientation state->q.

       due: the energy that it should have, apart from a small part: `present`, m v^2 / 2 with v = v0 + kick, and the
       work m kick . (x / h) of forces, with x / h the velocity along the path that joints allowed. ahead: the energy
       that the half substep adds by which velocities are older than positions: half of m kick . (v - v0). little: a
       share SN_SWING_LITTLE of the energy of the kick.

       changed: only kinetic and ahead. lost: state->lost, what is missing from kinetic. */
    sn_energy_fn *energies, *changed, *lost;
} sn_turning;

/* The functions for a vector size in bytes. Results do not depend on it. */
const sn_turning *sn_turning_by(uint32_t vector);

/* m/s and rad/s, per coordinate, as in integrators/stages.h: above this the next steps would overflow. */
#define SN_TOO_FAST 1e37

#endif

/* How bodies turn in a substep, several at a time. */
#ifndef SN_BODIES_TURNING_H
#define SN_BODIES_TURNING_H

#include "base/vec.h"
#include "bodies/state.h"

#include <stdbool.h>

#define SN_TURN_BATCH 8

/* Where the numbers of so many bodies are; each function says which it reads and writes. */
typedef struct sn_turn_batch {
    uint32_t count;
    sn_body_state *body[SN_TURN_BATCH];
    sn_body_motion *motion[SN_TURN_BATCH];
    double *l[SN_TURN_BATCH];        /* m^2/s: angular momentum / mass, in the world */
    const double *as[SN_TURN_BATCH]; /* an orientation */
    sn_vec4 *turn[SN_TURN_BATCH];    /* m: k times a small angle, along principal axes */
    sn_quat *start[SN_TURN_BATCH];   /* what solvers see: how it is turned when a substep begins, */
    sn_quat *now[SN_TURN_BATCH];     /*   and as predicted in it */
    double h[SN_TURN_BATCH];         /* s */
    uint32_t led;                    /* bits: motion->q is known */
} sn_turn_batch;

/* The same in contact. */
typedef struct sn_spin_batch {
    uint32_t count;
    sn_body_state *body[SN_TURN_BATCH];
    double *as[SN_TURN_BATCH];            /* the orientation that spins and inertias are those of */
    double h;                             /* s */
    const double *inverse[SN_TURN_BATCH]; /* 1/m^2: of moments per unit of mass, along principal axes */
    uint32_t odd[SN_TURN_BATCH];          /* around which it looks alike: an axis, SN_ALL_ALIKE or SN_NONE_ALIKE */
    sn_real w[SN_TURN_BATCH];             /* 1/kg */
    sn_vec4 *record[SN_TURN_BATCH];       /* as of wide/wide.h */
    sn_quat *start[SN_TURN_BATCH], *now[SN_TURN_BATCH];
    sn_vec4 gain[SN_TURN_BATCH],
        by[SN_TURN_BATCH]; /* rad/s, rad: what its spin changed by, and its turn besides; w is 0 */
} sn_spin_batch;

/* The same for how much they move. */
typedef struct sn_energy_batch {
    uint32_t count;
    const sn_body_state *body[SN_TURN_BATCH];
    const sn_body_motion *motion[SN_TURN_BATCH];
    const sn_vec4 *x[SN_TURN_BATCH], *v[SN_TURN_BATCH];                                        /* m, and w: 1/kg; m/s */
    const double *was[SN_TURN_BATCH];                                                          /* m/s: v as predicted */
    double present[SN_TURN_BATCH], a[SN_TURN_BATCH], b[SN_TURN_BATCH], kinetic[SN_TURN_BATCH]; /* J */
} sn_energy_batch;

/* Of a body, besides the numbers of principal axes: no two of its moments are the same; all are, as of a ball or a cube. */
enum { SN_NONE_ALIKE = 3, SN_ALL_ALIKE = 4 };

/* Bodies from `first` on. */
typedef bool sn_turning_fn(const sn_turn_batch *batch, uint32_t first);
typedef bool sn_backing_fn(const sn_spin_batch *batch, uint32_t first);
typedef void sn_weighing_fn(const sn_spin_batch *batch, uint32_t first);
typedef bool sn_spinning_fn(const sn_spin_batch *batch, uint32_t first);
typedef void sn_energy_fn(sn_energy_batch *batch, uint32_t first);

sn_turning_fn sn_turn_predict_lanes_0, sn_turn_predict_lanes_16, sn_turn_predict_lanes_32;
sn_turning_fn sn_turn_settle_lanes_0, sn_turn_settle_lanes_16, sn_turn_settle_lanes_32;
sn_turning_fn sn_turn_gain_lanes_0, sn_turn_gain_lanes_16, sn_turn_gain_lanes_32;
sn_backing_fn sn_turn_back_lanes_0, sn_turn_back_lanes_16, sn_turn_back_lanes_32;
sn_weighing_fn sn_turn_weigh_lanes_0, sn_turn_weigh_lanes_16, sn_turn_weigh_lanes_32;
sn_spinning_fn sn_turn_spin_lanes_0, sn_turn_spin_lanes_16, sn_turn_spin_lanes_32;
sn_energy_fn sn_turn_energies_lanes_0, sn_turn_energies_lanes_16, sn_turn_energies_lanes_32;
sn_energy_fn sn_turn_kinetic_lanes_0, sn_turn_kinetic_lanes_16, sn_turn_kinetic_lanes_32;

typedef struct sn_turning {
    /* motion->q: where free rotation with the momentum l leads from body->q in h seconds; of length 1, and body->q where l is 0. turn: how far
       that is; about an axis that is locked it is 0. now: as motion->q. */
    sn_turning_fn *predict;

    /* body->q is motion->q, turned on by turn; body->l is motion->l and what that means in h seconds: R (k turn) / h, with R the rotation `as`.
       start and now: as body->q. Whether all motions are sound. */
    sn_turning_fn *settle;

    /* l gains the same. */
    sn_turning_fn *gain;

    /* as: from where free rotation of h seconds with the momentum body->l leads to body->q. What hardly turns, or looks
       alike around all axes, stays where it is. */
    sn_backing_fn *back;

    /* The spin and the inverse of the inertia in the world, of what has the inverse mass w, turned `as`. */
    sn_weighing_fn *weigh;

    /* body->l gains what a change of spin means, and body->q is where that leads in h seconds, turned on by `by`; start
       and now: as that. Whether all of them move soundly then. */
    sn_spinning_fn *spin;

    /* present: the energy of a body that moves with `was` and turns with motion->l; a and b: what a share s of the change
       to v and body->l adds to that, a s + b s^2, if it is turned by motion->q. kinetic: of v and body->l, turned by
       body->q. The second knows kinetic alone, and reads neither motion nor was. */
    sn_energy_fn *energies, *kinetic;
} sn_turning;

/* By the size of vectors in bytes. Results do not depend on it. */
const sn_turning *sn_turning_by(uint32_t vector);

#define SN_TOO_FAST 1e37 /* m/s and rad/s by coordinate, as in integrators/stages.h: the next steps would overflow */

#endif

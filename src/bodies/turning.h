/* How bodies turn in a substep, several at a time. */
#ifndef SN_BODIES_TURNING_H
#define SN_BODIES_TURNING_H

#include <stdint.h>

#define SN_TURN_BATCH 8

/* Numbers of so many bodies; each function says which it reads and writes. */
typedef struct sn_turn_batch {
    double q[4][SN_TURN_BATCH];   /* an orientation: from principal axes to the world */
    double end[4][SN_TURN_BATCH]; /* another */
    double l[3][SN_TURN_BATCH];   /* m^2/s: angular momentum / mass, in the world */
    double k[3][SN_TURN_BATCH];   /* m: radii of gyration; INFINITY: it does not turn about that axis */
    double phi[3][SN_TURN_BATCH]; /* m: k times a small angle, along principal axes */
} sn_turn_batch;

typedef void sn_turning_fn(sn_turn_batch *batch, double h);

/* end: where free rotation with the momentum l leads from q in h seconds; of length 1. Where l is 0 that is q. */
sn_turning_fn sn_turn_free_lanes_0, sn_turn_free_lanes_16, sn_turn_free_lanes_32;

/* phi: from q to end. About an axis that is locked it is 0. */
sn_turning_fn sn_turn_way_lanes_0, sn_turn_way_lanes_16, sn_turn_way_lanes_32;

/* l gains what phi in h seconds means: R (k phi) / h, with R the rotation q. */
sn_turning_fn sn_turn_gain_lanes_0, sn_turn_gain_lanes_16, sn_turn_gain_lanes_32;

/* end is turned on by phi. h is not read. */
sn_turning_fn sn_turn_on_lanes_0, sn_turn_on_lanes_16, sn_turn_on_lanes_32;

typedef struct sn_turning {
    sn_turning_fn *free, *way, *gain, *on;
} sn_turning;

/* By the size of vectors in bytes. Results do not depend on it. */
const sn_turning *sn_turning_by(uint32_t vector);

#endif

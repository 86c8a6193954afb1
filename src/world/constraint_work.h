/* Shared by constraints.c and constraint_edits.c: checks, and writing a constraint. */
#ifndef SN_WORLD_CONSTRAINT_WORK_H
#define SN_WORLD_CONSTRAINT_WORK_H

#include "world/world.h"

#define SN_CONSTRAINT_ALONE UINT32_MAX /* instead of an index in a bulk call: a single constraint */

/* A constraint that passed all checks. Memory for it is reserved. */
typedef struct sn_checked_constraint {
    sn_pool *pool;
    sn_give give;
    uint32_t point_count;
    /* For kinds with a fixed number of points. For other kinds the particle numbers are in the store's scratch
       memory. */
    sn_point points[SN_MAX_POINTS];
    sn_real param[SN_MAX_PARAM_NUMBERS];
    sn_real state[SN_MAX_STATE];
    uint32_t row; /* reserved for it */
} sn_checked_constraint;

/* Checks compliance, damping and stiffness for a kind. */
sn_result sn_constraint_check_give(const sn_world *world, const sn_kind *kind, sn_give give);

/* Completes parameters: measures those that were not given, and checks all. */
sn_result sn_constraint_complete_params(sn_world *world, const sn_pool *pool, const sn_vec3 *x, const sn_quat *q,
                                        uint32_t points, sn_real *param, uint32_t number);

/* Call it before a constraint changes: wakes its particles, and restarts integrators that use earlier positions. */
void sn_constraint_disturb(sn_world *world, const sn_pool *pool, uint32_t row);

/* Checks a whole definition, and reserves memory for the constraint. */
sn_result sn_constraint_check(sn_world *world, const sn_constraint_def *def, sn_checked_constraint *c);

/* Writes a checked constraint into its row. */
void sn_constraint_fill(sn_world *world, uint32_t kind, uint32_t row, const sn_checked_constraint *c);

#endif

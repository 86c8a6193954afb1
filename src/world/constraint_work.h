/* What adding and changing constraints share: constraints.c and constraint_edits.c only. */
#ifndef SN_WORLD_CONSTRAINT_WORK_H
#define SN_WORLD_CONSTRAINT_WORK_H

#include "world/world.h"

#define SN_CONSTRAINT_ALONE UINT32_MAX /* for its place in a bulk call: there is none */

/* A constraint that passed all checks, with room reserved for it. */
typedef struct sn_checked_constraint {
    sn_pool *pool;
    sn_give give;
    uint32_t point_count;
    sn_point
        points[SN_MAX_POINTS]; /* of a kind with a fixed number; otherwise the numbers are in the store's scratch */
    sn_real param[SN_MAX_PARAM_NUMBERS];
    sn_real state[SN_MAX_STATE];
    uint32_t row; /* that was found for it */
} sn_checked_constraint;

/* Compliance, damping and stiffness that a kind can have. */
sn_result sn_constraint_check_give(const sn_world *world, const sn_kind *kind, sn_give give);

/* Parameters as they were given, and measured where they were not; checked. */
sn_result sn_constraint_complete_params(sn_world *world, const sn_pool *pool, const sn_vec3 *x, const sn_quat *q,
                                        uint32_t points, sn_real *param, uint32_t number);

/* Before a constraint changes: what it holds wakes, and integrators that look back start anew. */
void sn_constraint_disturb(sn_world *world, const sn_pool *pool, uint32_t row);

/* Looks at all of a definition, and makes room for the constraint. */
sn_result sn_constraint_check(sn_world *world, const sn_constraint_def *def, sn_checked_constraint *c);

/* Writes one that was checked into its row. */
void sn_constraint_fill(sn_world *world, uint32_t kind, uint32_t row, const sn_checked_constraint *c);

#endif

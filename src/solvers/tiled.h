/* Passes over the plan. */
#ifndef SN_SOLVERS_TILED_H
#define SN_SOLVERS_TILED_H

#include "integrators/integrator.h"
#include "solvers/plan.h"

/* A pass. The frame is that of the solver's input: x and d of all particles, by slot, which are x and x_low of the motion. What
   constraints move, a tile adds to the velocities at once, while it is in the cache. */
typedef struct sn_tiled {
    const sn_solver_in *in;
    const sn_wide *wide; /* NULL: constraints are projected one by one, and each result is looked at */
    const sn_motion_table *table;
    const sn_motion *motion;
    uint32_t pass; /* of the substep, from 0 */
    bool
        keep_lambda; /* all multipliers will be read after the substep; those that further passes need are kept anyway */
    bool again;      /* there may be more than one pass */
    bool measures;   /* the largest correction is wanted */
    bool predicts;   /* in the first pass, tiles of the first layer predict their particles before they are solved */
    bool resident;   /* tiles of planes that only constraints have to do with stay in planes for the whole step: */
    bool enters;     /*   this is the first pass of it, */
    bool leaves;     /*   and this the last one */
} sn_tiled;

/* What besides constraints has to do with particles in a step; columns by slot, NULL: nothing of the kind. */
typedef struct sn_tiled_others {
    const uint32_t *target; /* not 0: the particle has a kinematic target */
    const uint32_t *body;   /* not 0: it is the centre of a body */
    const sn_vec3 *pushed;  /* N: the user's force on it */
} sn_tiled_others;

/* Before the first substep of a step: looks how far from the origin each tile is, and whether one of its particles is among
   the others'. False if tasks were lost. */
bool sn_tiled_begin(const sn_solver_in *in, const sn_tiled_others *others);

/* Makes one. out gathers faults and lost tasks; *largest, m, the farthest that something was moved. False if a projection was
   not finite, or a tile's motion, or if tasks were lost. */
bool sn_tiled_pass(const sn_tiled *t, sn_solver_out *out, sn_real *largest);

/* Between two passes, or after one that was not known to be the last: tiles leave their planes, and the next pass has to enter
   them. False if tasks were lost. */
bool sn_tiled_leave(const sn_tiled *t);

#endif

/* Passes over the plan. */
#ifndef SN_SOLVERS_TILED_H
#define SN_SOLVERS_TILED_H

#include "solvers/plan.h"

/* A pass. The frame is that of the solver's input: x and d of all particles, by slot. */
typedef struct sn_tiled {
    const sn_solver_in *in;
    const sn_wide *wide; /* NULL: every constraint goes the generic way */
    uint32_t pass;       /* of the substep, from 0 */
    bool keep_lambda;    /* somebody may read the multipliers: more passes, or the user */
    /* For substeps that are taken in one go, tile by tile: what a tile needs before and after it is solved. NULL: the
       particles were predicted before, and will be updated afterwards. The frame is then x and x_low of the state. */
    const sn_wide_motion *motion;
    bool alone;    /* large tiles may do without the remainders of places: see quick.c, */
    float least;   /*   and then make no corrections smaller than this, m */
    bool resident; /* tiles of planes stay in planes from the first substep of a step to the last: */
    bool enters;   /*   this is the first pass, */
    bool leaves;   /*   and this the last one */
    sn_vec4 *mark; /* scratch: see sn_tiled_marks */
} sn_tiled;

/* The scratch for sn_tiled.mark; reserved with everything else. */
sn_vec4 *sn_tiled_marks(const sn_solver_in *in);

/* Makes one. out gathers faults and lost tasks; *largest the largest residual, if in->tolerance asks for it. False if a
   projection was not finite, or a tile's motion, or if tasks were lost. */
bool sn_tiled_pass(const sn_tiled *t, sn_solver_out *out, sn_real *largest);

#endif

/* A pass of the cascade, for solvers that leave some of their constraints to it. */
#ifndef SN_SOLVERS_GAUSS_SEIDEL_H
#define SN_SOLVERS_GAUSS_SEIDEL_H

#include "solvers/forest.h"
#include "solvers/solver.h"

/* A pass, as far as it got. Zero it but for the first three. */
typedef struct sn_sweep {
    const sn_solver_in *in;
    sn_real inverse_h;
    const sn_forest *forest; /* constraints that are left out; NULL: none */
    sn_real largest;         /* residual that the pass found, if it is asked for */
    sn_real k, corrected_k;  /* the last stiffness that was corrected: neighbours mostly share it */
    float preload_most;      /* some of the constraints may have preloads, up to this (see preload.h); 0: none */
    bool drops;              /* ropes need not write their multipliers: nothing reads them */
    sn_solver_out out;
} sn_sweep;

/* One pass in the order of the settings; false if a projection was not finite. Room was made by the reserve of
   sn_solver_gauss_seidel. */
bool sn_sweep_pass(sn_sweep *sweep);

/* Projects one constraint; false, and out.fault_kind set, if the result was not finite. Several threads may project at
   once, each with a sweep of its own, constraints that share no particle; but not those with any number of points, nor
   projections of their own. */
bool sn_sweep_project(sn_sweep *sweep, uint32_t kind, uint32_t row);

/* SN_GRADIENTS_START: the constraint at the moved positions, with the gradient it had at the start of the substep. */
bool sn_evaluate_start(const sn_solver_in *in, const sn_pool *pool, uint32_t row, sn_block *block, sn_block_room *room);

/* k' = 1 - (1 - k)^(1/n): n passes with k' leave the same error, (1 - k'), as one with k (Mueller et al. 2007). */
sn_real sn_sweep_stiffness(sn_sweep *sweep, sn_real k);

#endif

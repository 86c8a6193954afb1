/* A pass of Gauss-Seidel, also for solvers that leave some of their constraints to it. */
#ifndef SN_SOLVERS_GAUSS_SEIDEL_H
#define SN_SOLVERS_GAUSS_SEIDEL_H

#include "solvers/forest.h"
#include "solvers/solver.h"

/* A pass. Set the first three members, and the others to 0. */
typedef struct sn_sweep {
    const sn_solver_in *in;
    sn_real inverse_h;
    const sn_forest *forest; /* constraints that are left out; NULL: none */
    sn_real largest;         /* the largest residual found by the pass, if the tolerance is above 0 */
    sn_real k, corrected_k;  /* the last corrected stiffness: successive constraints mostly have the same */
    float preload_most;      /* bound of preloads (see preload.h); 0: there are none */
    bool drops;              /* ropes need not write their multipliers */
    sn_solver_out out;
} sn_sweep;

/* One pass in the order of the settings. False if a projection is not finite. Memory must be reserved by
   sn_solver_gauss_seidel. */
bool sn_sweep_pass(sn_sweep *sweep);

/* Projects one constraint. False, with out.fault_kind set, if the result is not finite. Several threads may project
   constraints that share no particle, each with a sweep of its own. Exceptions: constraints with any number of points,
   and kinds with a projection of their own. */
bool sn_sweep_project(sn_sweep *sweep, uint32_t kind, uint32_t row);

/* SN_GRADIENTS_START: evaluates the constraint at the moved positions, with its gradient at the start of the
   substep. */
bool sn_evaluate_start(const sn_solver_in *in, const sn_pool *pool, uint32_t row, sn_block *block, sn_block_room *room);

/* k' = 1 - (1 - k)^(1/n): n passes with k' leave the same error, (1 - k'), as one with k (Mueller et al. 2007). */
sn_real sn_sweep_stiffness(sn_sweep *sweep, sn_real k);

#endif

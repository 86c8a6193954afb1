/* Direct solution of the constraints of a forest. */
#ifndef SN_SOLVERS_DIRECT_H
#define SN_SOLVERS_DIRECT_H

#include "solvers/gauss_seidel.h"
#include "solvers/loops.h"

/* Before a step: reserves memory for the tasks of a forest. False when memory runs out. */
bool sn_direct_reserve(const sn_solver_in *in, const sn_allocator *allocator, const sn_forest *forest);

/* Moves frame.d of the sweep's input until all trees of a forest hold, and adds to their multipliers. fresh: the
   multipliers start at 0. False, with the fault in the sweep, if something is not finite. */
bool sn_direct_pass(sn_sweep *sweep, sn_forest *forest, bool fresh);

/* The same for loops. Room for tasks: one for each of them. */
bool sn_direct_loops(sn_sweep *sweep, sn_loops *loops, bool fresh);

#endif

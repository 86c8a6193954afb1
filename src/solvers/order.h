/* The order there and back, SN_ORDER_THERE_AND_BACK. */
#ifndef SN_SOLVERS_ORDER_H
#define SN_SOLVERS_ORDER_H

#include "solvers/solver.h"

/* Lists the constraints in scratch->visit_table in the order of a pass. Does nothing if the list is up to date.
   Otherwise it allocates temporary memory. False when memory runs out. */
bool sn_order_build(sn_solver_scratch *scratch, const sn_allocator *allocator, const sn_store *store);

/* A hash of all that such a list depends on: the constraints, their order, and their particles. After loading a
   snapshot with the same constraints it is the same, though store->edits is not. */
uint64_t sn_order_fingerprint(const sn_store *store);

#endif

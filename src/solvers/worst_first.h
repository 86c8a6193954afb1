/* The order worst first, SN_ORDER_WORST_FIRST: see worst_first.c. */
#ifndef SN_SOLVERS_WORST_FIRST_H
#define SN_SOLVERS_WORST_FIRST_H

#include "solvers/solver.h"

/* What a method does with a constraint. */
typedef struct sn_worst_job {
    const sn_solver_in *in;
    void *context;
    /* The error of a constraint in metres, which a projection would remove; changes nothing. Not a number: the
       constraint is projected at once, and reports the fault. */
    sn_real (*measure)(void *context, uint32_t kind, uint32_t row);
    /* Projects a constraint. False: its result is not finite. */
    bool (*project)(void *context, uint32_t kind, uint32_t row);
} sn_worst_job;

void sn_worst_init(sn_worst_scratch *scratch);
void sn_worst_release(sn_worst_scratch *scratch, const sn_allocator *allocator);

/* Reserves memory for the constraints of the store and lists the constraints of each particle, if they have changed.
   False when memory runs out. */
bool sn_worst_reserve(const sn_solver_in *in, const sn_allocator *allocator);

/* One pass. If it is the first of a substep, all constraints are measured. False if a projection is not finite. */
bool sn_worst_pass(const sn_worst_job *job, bool first);

#endif

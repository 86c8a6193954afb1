/* The order worst first, SN_ORDER_WORST_FIRST: see worst_first.c. */
#ifndef SN_SOLVERS_WORST_FIRST_H
#define SN_SOLVERS_WORST_FIRST_H

#include "solvers/solver.h"

/* What a method does with one constraint. */
typedef struct sn_worst_job {
    const sn_solver_in *in;
    void *context;
    /* By how many metres it is missed, that is, what a projection would do about it; changes nothing. Not a number: it is to be
       projected at once, and will say what is wrong. */
    sn_real (*measure)(void *context, uint32_t kind, uint32_t row);
    /* Projects it; false: its result is not finite. */
    bool (*project)(void *context, uint32_t kind, uint32_t row);
} sn_worst_job;

void sn_worst_init(sn_worst_scratch *scratch);
void sn_worst_release(sn_worst_scratch *scratch, const sn_allocator *allocator);

/* Makes room for the constraints of the store, and finds out which of them share particles, if they changed; false when
   memory runs out. */
bool sn_worst_reserve(const sn_solver_in *in, const sn_allocator *allocator);

/* A pass; `first` of a substep: all constraints are measured. False if a projection was not finite. */
bool sn_worst_pass(const sn_worst_job *job, bool first);

#endif

/* What a solver is given, and the list of solvers. */
#ifndef SN_SOLVERS_SOLVER_H
#define SN_SOLVERS_SOLVER_H

#include "base/sort.h"
#include "constraints/evaluate.h"

/* One constraint in an order. */
typedef struct sn_visit {
    uint32_t kind;
    uint32_t row;
} sn_visit;

/* Scratch for solvers that reorder: kept between steps, so that a warmed-up step allocates nothing. */
typedef struct sn_solver_scratch {
    sn_table table;       /* two columns of sn_sort_item */
    sn_table visit_table; /* of sn_visit: the order there and back; see order.h */
    uint64_t edits;       /* of the store when that order was last looked at */
    uint64_t fingerprint; /* of the constraints for which it was built; 0: none */
} sn_solver_scratch;

typedef struct sn_solver_in {
    sn_store *store;
    sn_frame frame;
    sn_real h; /* the effective substep, s */
    sn_order order;
    sn_gradients gradients;
    uint32_t iterations;
    sn_real tolerance;       /* m */
    uint32_t stiffness_root; /* n of k' = 1 - (1 - k)^(1/n); 1: k as it is */
    sn_solver_scratch *scratch;
} sn_solver_in;

typedef struct sn_solver_out {
    uint32_t passes;
    uint32_t fault_kind; /* the constraint whose projection was not finite; 0: none */
    uint32_t fault_row;
} sn_solver_out;

typedef struct sn_solver_method {
    const char *name;
    /* Makes room for a step over the constraints of the store; false when memory runs out. */
    bool (*reserve)(const sn_solver_in *in, const sn_allocator *allocator);
    /* Moves frame.d until the constraints hold as well as the settings ask. */
    sn_solver_out (*solve)(const sn_solver_in *in);
} sn_solver_method;

void sn_solver_scratch_init(sn_solver_scratch *scratch);
void sn_solver_scratch_release(sn_solver_scratch *scratch, const sn_allocator *allocator);

#define SN_SOLVER_COUNT 1

extern const sn_solver_method sn_solver_gauss_seidel;
extern const sn_solver_method *const sn_solvers[SN_SOLVER_COUNT]; /* by sn_solver */

#endif

/* Stepping to a budget: the decision after a step. */
#ifndef SN_WORLD_BUDGET_H
#define SN_WORLD_BUDGET_H

#include <sinew/budget.h>

/* Cost and error of a step. */
typedef struct sn_budget_step {
    uint32_t substeps, iterations; /* used in the step */
    double fixed, each;            /* s: cost of the step itself, and of each substep */
    double wrong;                  /* its error, as a share of the aim; 0: there is no aim */
} sn_budget_step;

/* Chooses substeps and iterations of the next step. */
void sn_budget_decide(sn_budget *budget, const sn_budget_step *step);

#endif

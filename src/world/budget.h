/* Stepping to a budget: what is decided after a step. */
#ifndef SN_WORLD_BUDGET_H
#define SN_WORLD_BUDGET_H

#include <sinew/budget.h>

/* What a step showed. */
typedef struct sn_budget_step {
    uint32_t substeps, iterations; /* it had */
    double fixed, each;            /* s: what it cost by itself, and each of its substeps */
    double wrong;                  /* its error, as a share of the one that is aimed at; 0: none is */
} sn_budget_step;

/* Chooses substeps and iterations of the next step. */
void sn_budget_decide(sn_budget *budget, const sn_budget_step *step);

#endif

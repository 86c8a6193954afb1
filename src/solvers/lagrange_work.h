/* What lagrange.c and lagrange_trees.c share: rows, and what becomes of them. */
#ifndef SN_SOLVERS_LAGRANGE_WORK_H
#define SN_SOLVERS_LAGRANGE_WORK_H

#include "solvers/forest.h"
#include "solvers/system.h"

#define LAGRANGE_ROUNDS 8 /* of the search for the active set; after them rows are only dropped */

#define LAGRANGE_NONE UINT32_MAX

typedef enum row_state {
    ROW_RESTS = 0, /* does not take part */
    ROW_HOLDS,     /* an equality */
    ROW_PUSHES,    /* an inequality that is active, */
    ROW_WAITS,     /* and one that is not */
    ROW_HELD,      /* it exerts what it may; see ruling */
    ROW_SOLVED     /* in a tree: its multiplier is known */
} row_state;

/* What has become of a row with bounds or limits. Each of these comes after the one before it, and none comes twice, but that what
   is at most may be freed again so often. */
#define LAGRANGE_FREED 3
typedef enum row_fate { AS_ASKED = 0, AT_MOST, AT_LIMIT, LET_GO } row_fate;

typedef struct ruling {
    double most;      /* N: of |lambda|; INFINITY: any */
    double low, high; /* of J W J^T lambda, so that C keeps its limits; infinite: none */
    double give;      /* of the row at a limit, */
    double asked;     /*   and as asked */
    row_fate fate;
    bool is;      /* this row is ruled at all */
    bool rests;   /* it asks for nothing but to keep its limits */
    bool one_way; /* it was an inequality */
    bool at_high;
    uint8_t freed;
} ruling;

typedef struct lagrange {
    sn_system system;
    sn_forest forest;
    sn_table work; /* by row: SN_KRYLOV_VECTORS, and the four below */
    double *b;     /* scaled */
    double *y;     /* scaled multipliers */
    uint8_t *state;
    ruling *rule;
    sn_table block_table; /* by the forest's numbers: where a constraint is among the blocks */
    uint32_t *block_of;
    bool trees;    /* are to be solved by themselves */
    bool refining; /* those trees: rows that act are equations */
    bool ruled;    /* there are rows with rules */
} lagrange;

static inline bool lagrange_acts(const lagrange *l, uint32_t e)
{
    return l->state[e] == ROW_HOLDS || l->state[e] == ROW_PUSHES;
}

static inline bool lagrange_in_tree(const lagrange *l, const sn_system_block *block)
{
    return l->trees && sn_forest_has(&l->forest, block->kind, block->row);
}

/* What a row that is held exerts. */
double sn_lagrange_held(const lagrange *l, uint32_t e);

/* Looks at the rows with rules, in trees or elsewhere, as the multipliers are now. Returns how many want to be something else. */
uint32_t sn_lagrange_apply_rules(lagrange *l, bool trees);

/* Finds the multipliers of constraints in trees. False if something was not finite. */
bool sn_lagrange_solve_trees(lagrange *l, const sn_frame *frame);

#endif

/* Shared by lagrange.c and lagrange_trees.c: rows and their states. */
#ifndef SN_SOLVERS_LAGRANGE_WORK_H
#define SN_SOLVERS_LAGRANGE_WORK_H

#include "solvers/forest.h"
#include "solvers/system.h"

#define LAGRANGE_ROUNDS 8 /* in the search for the active set; after them rows are only dropped */

#define LAGRANGE_NONE UINT32_MAX

typedef enum row_state {
    ROW_RESTS = 0, /* it does not take part */
    ROW_HOLDS,     /* an equality */
    ROW_PUSHES,    /* an active inequality */
    ROW_WAITS,     /* an inactive inequality */
    ROW_HELD,      /* it exerts its bound; see ruling */
    ROW_SOLVED     /* it is in a tree: its multiplier is known */
} row_state;

/* The fate of a row with bounds or limits. Fates follow each other in this order, and none comes twice. Exception: a
   row at its bound (AT_MOST) may be freed again LAGRANGE_FREED times. */
#define LAGRANGE_FREED 3
typedef enum row_fate { AS_ASKED = 0, AT_MOST, AT_LIMIT, LET_GO } row_fate;

typedef struct ruling {
    double most;      /* N: bound of |lambda|; INFINITY: none */
    double low, high; /* of J W J^T lambda, so that C keeps its limits; infinite: no limit */
    double give;      /* give of the row at a limit */
    double asked;     /* give of the row otherwise */
    row_fate fate;
    bool is;      /* this row has bounds or limits */
    bool rests;   /* the row acts only at its limits */
    bool one_way; /* it was an inequality */
    bool at_high;
    uint8_t freed;
} ruling;

typedef struct lagrange {
    sn_system system;
    sn_forest forest;
    sn_table work; /* by row: SN_KRYLOV_VECTORS, and the four that follow */
    double *b;     /* scaled */
    double *y;     /* scaled multipliers */
    uint8_t *state;
    ruling *rule;
    sn_table block_table; /* by the forest's numbers: the block of a constraint */
    uint32_t *block_of;
    bool trees;    /* trees are solved directly */
    bool refining; /* trees are being refined: acting rows are equations */
    bool ruled;    /* some rows have rules */
} lagrange;

static inline bool lagrange_acts(const lagrange *l, uint32_t e)
{
    return l->state[e] == ROW_HOLDS || l->state[e] == ROW_PUSHES;
}

static inline bool lagrange_in_tree(const lagrange *l, const sn_system_block *block)
{
    return l->trees && sn_forest_has(&l->forest, block->kind, block->row);
}

/* The force of a row that is held. */
double sn_lagrange_held(const lagrange *l, uint32_t e);

/* Applies the rules to rows in trees, or to the others, for the present multipliers. Returns the number of changes. */
uint32_t sn_lagrange_apply_rules(lagrange *l, bool trees);

/* Computes the multipliers of constraints in trees. False if something is not finite. */
bool sn_lagrange_solve_trees(lagrange *l, const sn_frame *frame);

#endif

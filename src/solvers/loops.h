/* Direct solution of constraints with loops that carry high loads: a truss, a web, a figure on a rope. They are
   solved at once, as trees are.

   Trees are eliminated without fill-in (forest.h). With loops there is fill-in, so this is for systems that are
   small, or long and thin: plan_loops.c decides. The unknowns are displacements x, not multipliers, so that rows
   may depend on each other, or contradict each other:

       (M + K + sum of g g^T / a) x = sum of g r / a,      lambda = (r - g . x) / a,

   with the gradient g of a row, its right-hand side r and its compliance a. Rigid rows get a little compliance,
   as in trees ("Softness" in forest_solve.c). M has the masses; a body has two nodes, for its centre and its
   rotation. K is the geometric stiffness of links under tension ("Turning" there). So it is Newton's method for
   the same equations, and second-order errors are treated in the same way. The matrix is symmetric, in blocks of
   3 by 3, one for each node. It is factored in each solve, in an order of least degree, which is found when the
   plan is made.

   Inequalities are found as in trees, too. Kinds with rows of their own (joints), and constraints of more than
   two particles, are left to sweeps. */
#ifndef SN_SOLVERS_LOOPS_H
#define SN_SOLVERS_LOOPS_H

#include "base/rooms.h"
#include "solvers/forest.h"
#include "solvers/plan.h"

/* The largest number of nodes of a loop. */
#define SN_LOOP_NODES 384u

/* The largest number of products of two blocks to factor a loop: a tenth of a millisecond. */
#define SN_LOOP_WORK 5000u

/* The compliance of rigid rows, as a share of J W J^T. With high loads it is less, as in trees: n nodes with the
   largest inverse mass have at most SN_LOOP_SOFT_SHARE of the smallest inverse mass in all; but it is at least
   SN_LOOP_SOFT_LEAST. Where rows depend on each other, rounding errors of lengths become stress, divided by
   this. */
#define SN_LOOP_SOFT       1e-5
#define SN_LOOP_SOFT_SHARE 0.3
#define SN_LOOP_SOFT_LEAST 1e-8

/* A constraint. */
typedef struct sn_loop_tie {
    uint32_t kind, row;
    uint32_t place;  /* in the plan's list */
    uint32_t node;   /* index of its first node in the list of nodes */
    uint32_t number; /* index of its first number */
    uint32_t block;  /* index of the first block that a pair of its nodes adds to */
    uint8_t rows, count;
    uint8_t acting, inequality; /* by row */
    uint8_t acted;              /* in the last solve of this step */
    bool is_solved;             /* it is solved here in this step */
} sn_loop_tie;

typedef struct sn_loop {
    uint32_t tie, tie_end, node, node_end; /* nodes in the order of elimination */
    double soft;                           /* in this step: see SN_LOOP_SOFT */
    bool acts;                             /* in this step */
    bool solved;                           /* it has been solved in this step */
    bool turning;                          /* in this step, so far: K of the last solve is used */
    bool wide;                             /* it has bodies */
    uint32_t fault_kind, fault_row;
} sn_loop;

typedef struct sn_loops {
    uint64_t edits; /* edits of the plan for which they were made */
    bool made;
    uint32_t count, ties, nodes;
    uint32_t work;   /* products of blocks */
    uint32_t solved; /* constraints, in this step */
    sn_loop *loop;
    sn_loop_tie *tie;
    uint32_t *at;                   /* by index in the plan's list: 1 + its constraint here, or 0 */
    uint32_t *tie_node, *tie_block; /* a block is below the diagonal; the lowest bit: transposed */
    double *number;

    /* By node: */
    uint32_t *id;   /* the number of the particle, or with SN_TURN_BIT a body's row */
    uint32_t *slot; /* in this step */
    double *w;
    double (*x)[3], (*moved)[3]; /* of a solve, and the sum of those with one factor */
    double (*diagonal)[6];       /* xx, yy, zz, xy, xz, yz; then its factor */
    double (*bend)[6];           /* K of rotations; */
    uint32_t *column;            /* index of its first block with a node below it, */
    uint32_t *below;             /* and these nodes */
    double (*block)[9];
    size_t *target; /* by node: index of its first entry in the list of blocks that its pairs of blocks change, */
    uint32_t *change;
    sn_rooms rooms;
} sn_loops;

void sn_loops_release(sn_loops *loops, const sn_allocator *allocator);

/* Before a step: finds loops among the constraints of the plan's trees. False when memory runs out. */
bool sn_loops_reserve(sn_loops *loops, const sn_allocator *allocator, const sn_solver_in *in);

/* Decides which loops act, once the forest is known. */
void sn_loops_begin(sn_loops *loops, const sn_forest *forest, const sn_frame *frame);

/* True if the constraint at this index of the plan's list is solved here. */
bool sn_loops_have(const sn_loops *loops, uint32_t place);

/* Solves a loop. False, with the constraint noted in it, if something is not finite. */
bool sn_loops_solve(sn_loops *loops, uint32_t index, const sn_forest_job *job);

/* Finds an order of least degree. near: a bit for each pair of nodes, `words` for each node; on return, for each
   node, the later nodes that it is coupled to when it is eliminated. Returns the products of blocks that the
   elimination takes. degree and order have room for all nodes. */
uint64_t sn_loops_order(uint64_t *near, uint32_t nodes, uint32_t words, uint32_t *degree, uint32_t *order);

#endif

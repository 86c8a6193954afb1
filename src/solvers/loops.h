/* What hangs together in loops and carries much: a truss, a web, a figure on a rope. It is solved at once, as trees are.

   Trees are eliminated without fill-in (forest.h). With loops there is fill-in, and so this is for what is small, or long and thin: plan_loops.c says
   which. The unknowns are displacements x, not multipliers, so that rows may depend on each other, or contradict each other:

       (M + K + sum of g g^T / a) x = sum of g r / a,      lambda = (r - g . x) / a,

   with a row's gradient g, right-hand side r and what it gives a. What is rigid gives a little, as in trees ("Softness" in forest_solve.c). M are masses, of bodies twice, for the
   centre and the turn; K is the geometric stiffness of what is under tension ("Turning" there). So it is Newton's method on the same equations, and what turning leaves is
   treated in the same way. The matrix is symmetric, in blocks of 3 by 3, one for each particle; it is factored in each solve, in an order of least degree, which is
   found when the plan is made.

   Inequalities are found as in trees, too. Kinds with rows of their own (joints), and what holds more than two particles, are left to sweeps. */
#ifndef SN_SOLVERS_LOOPS_H
#define SN_SOLVERS_LOOPS_H

#include "base/rooms.h"
#include "solvers/forest.h"
#include "solvers/plan.h"

/* Nodes of one, at most. */
#define SN_LOOP_NODES 384u

/* Products of two blocks to factor one, at most: a tenth of a millisecond. */
#define SN_LOOP_WORK 5000u

/* What rows give, as a share of J W J^T; with great loads less, as in trees, so that each solve leaves at most this share of them; but no less than the last.
   Where rows depend on each other, rounding of lengths becomes stress: by one over this. */
#define SN_LOOP_SOFT       1e-5
#define SN_LOOP_SOFT_SHARE 0.3
#define SN_LOOP_SOFT_LEAST 1e-8

/* A constraint. */
typedef struct sn_loop_tie {
    uint32_t kind, row;
    uint32_t place;  /* in the plan's list */
    uint32_t node;   /* where its nodes begin in the list of nodes */
    uint32_t number; /* where its numbers begin */
    uint32_t block;  /* where blocks begin to which pairs of its nodes add */
    uint8_t rows, count;
    uint8_t acting, inequality; /* by row */
    uint8_t acted;              /* in the last solve of this step */
    bool is_solved;             /* here, in this step */
} sn_loop_tie;

typedef struct sn_loop {
    uint32_t tie, tie_end, node, node_end; /* nodes in the order of elimination */
    double soft;                           /* in this step: see SN_LOOP_SOFT */
    bool acts;                             /* in this step */
    bool solved;                           /* in this step already */
    bool turning;                          /* in this step so far: K is that of the last solve */
    bool wide;                             /* there are bodies */
    uint32_t fault_kind, fault_row;
} sn_loop;

typedef struct sn_loops {
    uint64_t edits; /* of the plan, for which they were made */
    bool made;
    uint32_t count, ties, nodes;
    uint32_t work;   /* products of blocks */
    uint32_t solved; /* constraints, in this step */
    sn_loop *loop;
    sn_loop_tie *tie;
    uint32_t *at;                   /* by place in the plan's list: 1 + its constraint, or 0 */
    uint32_t *tie_node, *tie_block; /* a block is below the diagonal; the lowest bit: transposed */
    double *number;

    /* By node: */
    uint32_t *id;   /* the number of the particle, or with SN_TURN_BIT a body's row */
    uint32_t *slot; /* in this step */
    double *w;
    double (*x)[3], (*moved)[3]; /* of a solve, and of all with one factor */
    double (*diagonal)[6];       /* xx, yy, zz, xy, xz, yz; then its factor */
    double (*bend)[6];           /* K of turns; */
    uint32_t *column;            /* where its blocks begin, of nodes below it, */
    uint32_t *below;             /*   and which these are */
    double (*block)[9];
    size_t *target; /* by node: where what its pairs of blocks change is listed, */
    uint32_t *change;
    sn_rooms rooms;
} sn_loops;

void sn_loops_release(sn_loops *loops, const sn_allocator *allocator);

/* Before a step: finds them among the constraints of the plan's trees. False when memory runs out. */
bool sn_loops_reserve(sn_loops *loops, const sn_allocator *allocator, const sn_solver_in *in);

/* When the forest is known: which of them act. */
void sn_loops_begin(sn_loops *loops, const sn_forest *forest, const sn_frame *frame);

/* Whether the constraint at a place of the plan's list is solved here. */
bool sn_loops_have(const sn_loops *loops, uint32_t place);

/* Solves one of them. False, with the constraint noted in it, if something is not finite. */
bool sn_loops_solve(sn_loops *loops, uint32_t index, const sn_forest_job *job);

/* An order of least degree. near: a bit for each pair of nodes, `words` for each node; out: for each node those after it that it is coupled to when it is eliminated.
   Returns the products of blocks that this takes. degree and order have room for all nodes. */
uint64_t sn_loops_order(uint64_t *near, uint32_t nodes, uint32_t words, uint32_t *degree, uint32_t *order);

#endif

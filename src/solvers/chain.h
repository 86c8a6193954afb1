/* Ropes: trees that are a plain row of rods, solved in eight stretches at once.

   A chain here is a tree whose constraints are all rods (SN_KIND_DISTANCE) between two particles, with at most two rods
   at each movable particle. Its ends may be immovable. If its rods have no compliance, no damping and stiffness 1, its
   equations are those of elimination.c with numbers instead of lists, and most special cases of forest_solve.c cannot
   occur. In the others, which are rare, the chain is solved by forest_solve.c as any tree, from its original state. */
#ifndef SN_SOLVERS_CHAIN_H
#define SN_SOLVERS_CHAIN_H

#include "solvers/tree.h"
#include "wide/wide.h"

/* Shorter chains are not worth it. */
#define SN_CHAIN_LEAST 8u

/* Eight successive chains with equal numbers of links are a team, which is solved at once. Chains with more links than
   this fill the lanes by themselves, and are better solved by one thread each. */
#define SN_CHAIN_TEAM_LINKS 64u

/* The columns of a forest's chain_table. Link i of a chain is between particles i and i + 1, from end to end. Columns
   for a step are in the layout of wide/chain.h, by row and stretch. */
enum {
    SN_CHAIN_NUMBER, /* of the particle */
    SN_CHAIN_SLOT,   /* of the particle, for this step */
    SN_CHAIN_ITEM,   /* of the link */
    SN_CHAIN_ROW,    /* in the pool of rods */
    SN_CHAIN_REST,   /* length of the rod, for this step */
    SN_CHAIN_LINK,   /* as SN_CHAIN_ROW, for this step */
    SN_CHAIN_KAPPA,  /* as in sn_record, while the tree rotates, for this step */
    SN_CHAIN_TEAM_SLOT,
    SN_CHAIN_TEAM_REST,
    SN_CHAIN_TEAM_LINK, /* the same for the ropes of a team, in the layout of wide/chain_team.h */
    SN_CHAIN_COLUMNS
};

void sn_chain_init(sn_forest *forest);

/* Reserves memory for the chains of this number of constraints. False when memory runs out. */
bool sn_chain_reserve(sn_forest *forest, const sn_allocator *allocator, uint64_t constraints);

/* Lists the links of a tree if it is a chain. */
void sn_chain_find(sn_forest *forest, const sn_store *store, sn_tree *tree);

/* Once a step: whether its rods allow this solution. */
void sn_chain_look(const sn_forest *forest, const sn_store *store, const sn_frame *frame, sn_tree *tree);

/* Once a step, after sn_chain_look: finds the teams. */
void sn_chain_team_up(const sn_forest *forest, const sn_store *store, const sn_frame *frame);

/* Solves the chains of a team that are no special cases and do not rotate: as_chain tells which. */
void sn_chain_solve_team(const sn_forest *forest, const sn_forest_job *job, const sn_store *store, sn_tree *first);

/* Solves a chain, moves its particles and adds to its multipliers. False, with nothing changed, if it is a special
   case. */
bool sn_chain_solve(const sn_forest *forest, const sn_forest_job *job, const sn_store *store, sn_tree *tree);

/* For a chain that is solved as any tree: copies kappa to its records, and back. */
void sn_chain_lend(const sn_forest *forest, const sn_tree *tree);
void sn_chain_take_back(const sn_forest *forest, const sn_tree *tree);

#endif

/* Ropes: trees that are a plain row of rods, solved in eight stretches at once.

   A chain here is a tree all of whose constraints are rods (SN_KIND_DISTANCE) between two particles, with at most two
   of them at each particle that moves. Its ends may be immovable. As long as its rods neither give (compliance,
   damping) nor have a stiffness other than 1, its equations are those of elimination.c with numbers only instead of
   lists, and most of what forest_solve.c looks at cannot happen. What can, but seldom does, is left to forest_solve.c:
   the chain is then solved as any tree, from the state in which it was found. */
#ifndef SN_SOLVERS_CHAIN_H
#define SN_SOLVERS_CHAIN_H

#include "solvers/tree.h"
#include "wide/wide.h"

/* Shorter ones are not worth it. */
#define SN_CHAIN_LEAST 8u

/* Eight that follow each other and have as many links are a team, which is solved at once. Longer ones fill the lanes by themselves, and threads
   had better have one each. */
#define SN_CHAIN_TEAM_LINKS 64u

/* The columns of a forest's chain_table. Link i of a chain is that between particles i and i + 1, from end to end. Those that are
   for a step are as wide/chain.h wants them, by row and stretch. */
enum {
    SN_CHAIN_NUMBER, /* of the particle */
    SN_CHAIN_SLOT,   /* where it is, for this step */
    SN_CHAIN_ITEM,   /* of the link */
    SN_CHAIN_ROW,    /* in the pool of rods */
    SN_CHAIN_REST,   /* its length, for this step */
    SN_CHAIN_LINK,   /* the same as SN_CHAIN_ROW, for this step */
    SN_CHAIN_KAPPA,  /* as in sn_record, while the tree is turning, for this step */
    SN_CHAIN_TEAM_SLOT,
    SN_CHAIN_TEAM_REST,
    SN_CHAIN_TEAM_LINK, /* the same for the ropes of a team, as wide/chain_team.h wants them */
    SN_CHAIN_COLUMNS
};

void sn_chain_init(sn_forest *forest);

/* Room for the chains of so many constraints; false when memory runs out. */
bool sn_chain_reserve(sn_forest *forest, const sn_allocator *allocator, uint64_t constraints);

/* Lists the links of a tree if it is a chain. */
void sn_chain_find(sn_forest *forest, const sn_store *store, sn_tree *tree);

/* Once a step: whether its rods are such that it can be solved here. */
void sn_chain_look(const sn_forest *forest, const sn_store *store, const sn_frame *frame, sn_tree *tree);

/* Once a step, after that: which chains are teams. */
void sn_chain_team_up(const sn_forest *forest, const sn_store *store, const sn_frame *frame);

/* Solves those of a team that are none of the unusual cases, and do not turn: as_chain tells which. */
void sn_chain_solve_team(const sn_forest *forest, const sn_forest_job *job, const sn_store *store, sn_tree *first);

/* Solves a chain, moves its particles and adds to its multipliers. False, with nothing changed, if it is none of the
   usual cases. */
bool sn_chain_solve(const sn_forest *forest, const sn_forest_job *job, const sn_store *store, sn_tree *tree);

/* Where a chain is solved as any tree: kappa to its records, and back. */
void sn_chain_lend(const sn_forest *forest, const sn_tree *tree);
void sn_chain_take_back(const sn_forest *forest, const sn_tree *tree);

#endif

/* Constraints that form trees, and how to solve a tree of them at once.

   Think of a graph whose nodes are the movable particles and the constraints, with an edge wherever a constraint holds
   a particle (all particles behind its points, those of spots included). A body is one node: its centre stands for it, and
   its turn goes along. Immovable particles, also those that are led to a target, couple nothing: they are not in the graph. A connected part without a cycle is a tree: a rope, pinned
   anywhere or not, a rope with branches, a pendulum with many arms. All trees together are the forest. What is joined
   to a cycle, such as a cloth, or to a constraint of which there is no gradient, or with any number of points, is not
   part of it.

   The equations of a tree can be eliminated from its leaves to its root in a time proportional to its size; see
   elimination.c. The forest knows no formula of a solver: its caller hands in coefficients and takes
   multipliers out. */
#ifndef SN_SOLVERS_FOREST_H
#define SN_SOLVERS_FOREST_H

#include "base/dvec.h"
#include "constraints/evaluate.h"
#include "solvers/solver.h"

/* For a row whose force is bounded, or whose C has limits (see sn_row), besides what sn_forest_rows says of it. Where it has
   neither bounds nor limits, these are infinite. */
typedef struct sn_forest_rule {
    double least, most; /* of lambda, unless it is at a limit */
    double low, high;   /* of J x, whatever lambda that takes: then J x + diagonal (lambda0 + lambda) = low, or high */
    double diagonal;    /* in place of the row's at a limit */
    bool rests;         /* the row asks for nothing but to stay within its limits */
} sn_forest_rule;

/* The equations of one constraint, for a solver to fill in:

       J x + diagonal lambda = rhs,   with x = W J^T lambda summed over all constraints.

   What is not set stays as it says here. */
typedef struct sn_forest_rows {
    sn_block block;               /* its gradients J by particle, as evaluate() leaves them; c is not looked at */
    sn_block_room room;           /* where they live */
    uint32_t acting;              /* bit r: row r takes part; all do */
    uint32_t inequality;          /* bit r: row r is J x + diagonal lambda >= rhs and lambda >= least, one of them with
                                     equality. If it is not acting it still will where the others violate it; 0. If
                                     both acting and this are 0 the constraint rests, and block is not looked at */
    double rhs[SN_MAX_ROWS];      /* 0 */
    double diagonal[SN_MAX_ROWS]; /* >= 0; 0 */
    double least[SN_MAX_ROWS];    /* of lambda, for inequalities: at most 0; 0 */
    double share;                 /* of a constraint by itself: lambda is this times the solution; (0, 1]; 1 */
    /* For positions, where x moves particles farther than the gradients hold: how much a row of two particles turns
       with them. The second derivative of C across the line between them is turn (I - n n^T), for a distance 1 /
       length; and lambda0 is what the row exerts already. See "Turning" in forest_solve.c. 0 */
    double turn[SN_MAX_ROWS];
    double lambda0[SN_MAX_ROWS];
    /* The same for bodies: the second derivative of C by the turn of one, xx, yy, zz, xy, xz, yz, by row and turn. 0 */
    double bend[SN_MAX_ROWS][SN_MAX_POINTS][6];
    uint32_t ruled; /* bit r: row r follows a rule. Only of kinds with own_rows; 0 */
    sn_forest_rule rule[SN_MAX_ROWS];
} sn_forest_rows;

/* Friction that holds is a damper: a particle that moves is slowed down as if its mass were so many times larger. What it exerted in the last substep
   is added, so that in the end nothing moves. Rods between particles that do not move at all would not know what they carry. */
#define SN_SUPPORT_GRIP 100.0

/* A particle that leans on a surface: it cannot move into that, the surface does not pull, and friction holds it or slows it down. In m: displacements. */
typedef struct sn_support {
    sn_dvec3 normal; /* of length 1, away from the surface */
    double gap;      /* it may move so far against the normal; below 0: it has to move out so far */
    double exerted;  /* along the normal, before this solve, */
    sn_dvec3 rubbed; /*   and by friction */
    sn_dvec3
        friction; /* what it exerts in all: if it holds, less SN_SUPPORT_GRIP times what the particle still moves */
    double hold, drag; /* of friction: the most with which it holds, and what it is if that is not enough */
    double pressed;    /* what it exerts in this solve: along the normal, */
    sn_dvec3 push;     /*   and by friction */
    bool leans;        /* there is one */
    bool acts;         /* it exerts something */
    bool slides;       /* and friction does not hold */
    bool splits;       /* a chain, at its particle */
} sn_support;

typedef struct sn_forest_job {
    const sn_frame *frame; /* the inverse masses are those of frame->x */
    void *context;
    /* Fills in one constraint. False if it is not finite, which ends the solve: the constraint is forest->fault_*. */
    bool (*fill)(void *context, uint32_t kind, uint32_t row, sn_forest_rows *out);
    /* Sets the multipliers of a constraint to 0, before it is filled in. Only called if the job is fresh. */
    void (*clear)(void *context, uint32_t kind, uint32_t row);
    /* The multipliers of a constraint, to be added to what it has. Only called for trees all of whose multipliers are
       finite; if the job is nonlinear, several times. */
    void (*take)(void *context, uint32_t kind, uint32_t row, const double *lambda);
    /* x of the particle in this slot, to be added; may be NULL. */
    void (*move)(void *context, uint32_t slot, const double *x);
    /* Whether the particle in this slot leans on something; and what that exerted, to be added: pressed and push. May be NULL. */
    bool (*lean)(void *context, uint32_t slot, sn_support *out);
    void (*leant)(void *context, uint32_t slot, const sn_support *support);
    bool nonlinear; /* for positions: what fill gives depends on what was moved, and may be asked for again */
    const struct sn_wide *wide; /* for chains; may be NULL */
    uint32_t worker, workers;   /* which thread this is, of how many; 0 of 0 for one alone */
    bool fresh;                 /* all multipliers are to begin at 0, whatever they are */
    bool drops;                 /* those of chains need not be written: nothing reads them */
    bool precise;               /* links are to be right to SN_TREE_PRECISE, if that takes more steps */
} sn_forest_job;

typedef struct sn_forest {
    sn_table id_table, mention_table, particle_table, item_table, node_table, tree_table, record_table,
        whole_table;                           /* of bodies in trees */
    sn_table chain_table, chain_scratch_table; /* see chain.h */
    bool some;                                 /* it is of the constraints in `list`; otherwise of all in the store */
    const sn_visit *list;                      /* so many as `listed`; a constraint's number is its place there, */
    uint32_t listed;
    uint32_t base[SN_MAX_KINDS]; /*   and without a list base[kind] + row */
    uint32_t kind_count;         /* of those kinds */
    uint32_t limit;              /* one more than the highest number of a particle */
    uint32_t particles;          /* that have a constraint: listed in SN_PARTICLE_LISTED */
    uint32_t count;              /* constraints in trees, */
    uint32_t all;                /*   of so many */
    uint64_t edits;              /* of the store for which there is room, and */
    uint64_t analysed;           /*   for which trees were found; UINT64_MAX: not yet */
    bool fresh; /* the set of immovable particles has been looked at since the last sn_forest_reserve */
    uint32_t fault_kind, fault_row;
    uint32_t largest_chain; /* rows that one takes in chain_table, at most */
} sn_forest;

void sn_forest_init(sn_forest *forest);
void sn_forest_release(sn_forest *forest, const sn_allocator *allocator);

/* Once a step, before it begins: makes room for any forest of these constraints, whichever particles are immovable.
   Allocates only after constraints were added or removed; false when memory runs out. */
bool sn_forest_reserve(sn_forest *forest, const sn_allocator *allocator, const sn_store *store);

/* The same for some constraints, as if there were no others: those of a list (kind 0: none) that stays where it is, and `edits`,
   which rises when the list or one of these changes. */
bool sn_forest_reserve_some(sn_forest *forest, const sn_allocator *allocator, const sn_store *store,
                            const sn_visit *list, uint32_t count, uint64_t edits);

/* In every substep: finds the trees, unless they are known, which is so as long as constraints and the set of immovable
   particles (frame->x[slot].w is 0) stay. That set is looked at once after each sn_forest_reserve. Allocates nothing.
   What the trees are, and how they are eliminated, depends on the state alone, not on what was before. */
void sn_forest_prepare(sn_forest *forest, const sn_store *store, const sn_frame *frame);

/* Both at once, for a caller that can allocate where inverse masses are those of the step. */
static inline bool sn_forest_find(sn_forest *forest, const sn_allocator *allocator, const sn_store *store,
                                  const sn_frame *frame)
{
    if (!sn_forest_reserve(forest, allocator, store))
        return false;
    sn_forest_prepare(forest, store, frame);
    return true;
}

/* Whether a live constraint is part of a tree; of a list, by its place there. */
static inline bool sn_forest_has_listed(const sn_forest *forest, uint32_t place)
{
    return ((const unsigned char *)forest->id_table.column[0])[place] != 0;
}

static inline bool sn_forest_has(const sn_forest *forest, uint32_t kind, uint32_t row)
{
    return ((const unsigned char *)forest->id_table.column[0])[forest->base[kind] + row] != 0;
}

/* How many constraints are. */
static inline uint32_t sn_forest_count(const sn_forest *forest)
{
    return forest->count;
}

/* Solves trees first .. end - 1. False, with the constraint noted in its tree, if something is not finite; trees before
   that one have been handed out by then. Several threads may solve different trees at once, each as another worker. store: of a job
   that does no more with rods that do not give than solve C = 0 for the positions of job->frame; plain chains of them, which
   live in this store, are then solved without asking it. See chain.h. NULL otherwise. */
bool sn_forest_solve_some(sn_forest *forest, const sn_forest_job *job, const sn_store *store, uint32_t first,
                          uint32_t end);

/* Solves every tree. False, with the constraint in fault_kind and fault_row, if something is not finite. */
bool sn_forest_solve(sn_forest *forest, const sn_forest_job *job);

/* Notes the first fault that trees have, if there is one: then it is true. */
bool sn_forest_is_at_fault(sn_forest *forest);

/* The first tree that has this constraint or one after it, and of a team the first rope of the next. */
uint32_t sn_forest_tree_from(const sn_forest *forest, uint32_t item);

#endif

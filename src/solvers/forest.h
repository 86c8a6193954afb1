/* Constraints that form trees, and the direct solution of a tree.

   Consider a graph whose nodes are the movable particles and the constraints, with an edge between a constraint and
   each of its particles (all particles of its barycentric points included). A body is one node: its centre represents
   it together with its orientation. Immovable particles, also those with a kinematic target, couple nothing: they are
   not in the graph. A connected part without a cycle is a tree: a rope, pinned anywhere or not, a rope with branches, a
   pendulum with many arms. All trees together are the forest. A part with a cycle, such as a cloth, with a constraint
   without gradient, or with one of any number of points, does not belong to it.

   The equations of a tree can be eliminated from its leaves to its root in a time proportional to its size; see
   elimination.c. The forest knows no formula of a solver: its caller supplies coefficients and receives multipliers. */
#ifndef SN_SOLVERS_FOREST_H
#define SN_SOLVERS_FOREST_H

#include "base/dvec.h"
#include "constraints/evaluate.h"
#include "solvers/solver.h"

/* Bounds of the force of a row, and limits of its C (see sn_row), in addition to sn_forest_rows. Without bounds or
   limits, these are infinite. */
typedef struct sn_forest_rule {
    double least, most; /* of lambda, except at a limit */
    double low, high;   /* of J x, with any lambda: at a limit J x + diagonal (lambda0 + lambda) = low, or high */
    double diagonal;    /* replaces the row's diagonal at a limit */
    bool rests;         /* the row acts only at its limits */
} sn_forest_rule;

/* The equations of one constraint, to be filled in by a solver:

       J x + diagonal lambda = rhs,   with x = W J^T lambda summed over all constraints.

   The last value in a comment is the default. */
typedef struct sn_forest_rows {
    sn_block block;     /* its gradients J by particle, as from evaluate(); c is not used */
    sn_block_room room; /* memory of block */
    uint32_t acting;    /* bit r: row r acts; all */
    /* Bit r: row r is J x + diagonal lambda >= rhs and lambda >= least, one of them with equality. If it is not acting,
       it becomes active where the others violate it. If acting and inequality are both 0, the constraint is inactive,
       and block is not used. 0 */
    uint32_t inequality;
    double rhs[SN_MAX_ROWS];      /* 0 */
    double diagonal[SN_MAX_ROWS]; /* >= 0; 0 */
    double least[SN_MAX_ROWS];    /* of lambda, for inequalities; at most 0; 0 */
    double share;                 /* for a single constraint, lambda is the solution times this; in (0, 1]; 1 */
    /* For positions, where x moves particles farther than the gradients are valid: how much a row of two particles
       rotates with them. The second derivative of C across the line between them is turn (I - n n^T); for a distance,
       turn is 1 / length. lambda0 is the present multiplier of the row. See "Turning" in forest_solve.c. 0 */
    double turn[SN_MAX_ROWS];
    double lambda0[SN_MAX_ROWS];
    /* The same for bodies: the second derivative of C by the orientation of a body, xx, yy, zz, xy, xz, yz, by row and
       body. 0 */
    double bend[SN_MAX_ROWS][SN_MAX_POINTS][6];
    uint32_t ruled; /* bit r: row r has a rule. Only for kinds with own_rows; 0 */
    sn_forest_rule rule[SN_MAX_ROWS];
} sn_forest_rows;

/* Static friction is a damper: a moving particle is slowed down as if its mass were larger by this factor. The friction
   of the last substep is added, so that in the end nothing moves. Without any motion, the loads of rods between such
   particles would be undetermined. */
#define SN_SUPPORT_GRIP 100.0

/* A particle that rests on a surface: it cannot move into the surface, the surface does not pull, and friction acts on
   it. Forces are in m, as displacements. */
typedef struct sn_support {
    sn_dvec3 normal;      /* of length 1, out of the surface */
    double gap;           /* how far it may move against the normal; if negative, how far it must move out */
    double exerted;       /* normal force before this solve */
    sn_dvec3 by_friction; /* friction before this solve */
    /* The friction in all. Static friction is this, less SN_SUPPORT_GRIP times the remaining motion of the particle. */
    sn_dvec3 friction;
    double static_friction, dynamic_friction; /* the largest static friction, and the dynamic friction */
    double normal_force;                      /* the normal force of this solve */
    sn_dvec3 push;                            /* the friction of this solve */
    bool leans;                               /* the particle rests on a surface */
    bool acts;                                /* the surface exerts a force */
    bool slides;                              /* friction is dynamic */
    bool splits;                              /* a chain is split at this particle */
} sn_support;

typedef struct sn_forest_job {
    const sn_frame *frame; /* the inverse masses are those of frame->x */
    void *context;
    /* Fills in one constraint. False if it is not finite, which ends the solve: forest->fault_* is then this
       constraint. */
    bool (*fill)(void *context, uint32_t kind, uint32_t row, sn_forest_rows *out);
    /* Sets the multipliers of a constraint to 0, before it is filled in. Only called if the job is fresh. */
    void (*clear)(void *context, uint32_t kind, uint32_t row);
    /* Adds to the multipliers of a constraint. Only called for trees all of whose multipliers are finite; several times
       if the job is nonlinear. */
    void (*take)(void *context, uint32_t kind, uint32_t row, const double *lambda);
    /* Adds x to the particle in a slot; may be NULL. */
    void (*move)(void *context, uint32_t slot, const double *x);
    /* Whether the particle in a slot rests on a surface; and adds the forces of the surface, pressed and push. May be
       NULL. */
    bool (*lean)(void *context, uint32_t slot, sn_support *out);
    void (*leant)(void *context, uint32_t slot, const sn_support *support);
    bool nonlinear; /* for positions: the result of fill depends on the motion so far, and fill may be called again */
    const struct sn_wide *wide; /* for chains; may be NULL */
    uint32_t worker, workers;   /* number of this thread, and of all; 0 of 0 for a single thread */
    bool fresh;                 /* all multipliers start at 0 */
    bool drops;                 /* multipliers of chains need not be written */
} sn_forest_job;

typedef struct sn_forest {
    sn_table id_table, mention_table, particle_table, item_table, node_table, tree_table, record_table,
        whole_table;                           /* whole_table: of bodies in trees */
    sn_table chain_table, chain_scratch_table; /* see chain.h */
    bool some;                                 /* only the constraints in `list`; otherwise all of the store */
    const sn_visit *list;                      /* `listed` constraints; the number of a constraint is its index there */
    uint32_t listed;
    uint32_t base[SN_MAX_KINDS]; /* without a list, the number of a constraint is base[kind] + row */
    uint32_t kind_count;         /* of base */
    uint32_t limit;              /* one more than the highest number of a particle */
    uint32_t particles;          /* with a constraint: listed in SN_PARTICLE_LISTED */
    uint32_t count;              /* constraints in trees */
    uint32_t all;                /* all constraints */
    uint64_t edits;              /* of the store for which memory is reserved */
    uint64_t analysed;           /* of the store for which trees were found; UINT64_MAX: never */
    bool fresh;                  /* the immovable particles have been checked since the last sn_forest_reserve */
    uint32_t fault_kind, fault_row;
    uint32_t largest_chain; /* the most rows of one chain in chain_table */
} sn_forest;

void sn_forest_init(sn_forest *forest);
void sn_forest_release(sn_forest *forest, const sn_allocator *allocator);

/* Once a step, before it begins: reserves memory for any forest of these constraints, whichever particles are
   immovable. Allocates only after constraints were added or removed. False when memory runs out. */
bool sn_forest_reserve(sn_forest *forest, const sn_allocator *allocator, const sn_store *store);

/* The same for some constraints, as if there were no others: those of a list (kind 0: none), which must stay in place.
   `edits` must be raised when the list or one of these constraints changes. */
bool sn_forest_reserve_some(sn_forest *forest, const sn_allocator *allocator, const sn_store *store,
                            const sn_visit *list, uint32_t count, uint64_t edits);

/* In every substep: finds the trees, unless they are known. They stay known while the constraints and the set of
   immovable particles (frame->x[slot].w is 0) do not change. That set is checked once after each sn_forest_reserve.
   Allocates nothing. The trees, and the order of their elimination, depend on the state alone, not on the past. */
void sn_forest_prepare(sn_forest *forest, const sn_store *store, const sn_frame *frame);

/* Both at once, for a caller that can allocate when the inverse masses are those of the step. */
static inline bool sn_forest_find(sn_forest *forest, const sn_allocator *allocator, const sn_store *store,
                                  const sn_frame *frame)
{
    if (!sn_forest_reserve(forest, allocator, store))
        return false;
    sn_forest_prepare(forest, store, frame);
    return true;
}

/* Whether a live constraint is part of a tree; for a list, by its index there. */
static inline bool sn_forest_has_listed(const sn_forest *forest, uint32_t place)
{
    return ((const unsigned char *)forest->id_table.column[0])[place] != 0;
}

static inline bool sn_forest_has(const sn_forest *forest, uint32_t kind, uint32_t row)
{
    return ((const unsigned char *)forest->id_table.column[0])[forest->base[kind] + row] != 0;
}

/* The number of constraints in trees. */
static inline uint32_t sn_forest_count(const sn_forest *forest)
{
    return forest->count;
}

/* Solves trees first .. end - 1. False, with the constraint noted in its tree, if something is not finite; trees before
   that one are finished then. Several threads may solve different trees at once, each as another worker. store: for a
   job that only solves C = 0 of rigid rods for the positions of job->frame. Plain chains of rods in this store are then
   solved without calling the job. See chain.h. NULL otherwise. */
bool sn_forest_solve_some(sn_forest *forest, const sn_forest_job *job, const sn_store *store, uint32_t first,
                          uint32_t end);

/* Solves every tree. False, with the constraint in fault_kind and fault_row, if something is not finite. */
bool sn_forest_solve(sn_forest *forest, const sn_forest_job *job);

/* Stores the first fault of the trees, if there is one. Returns whether there is. */
bool sn_forest_is_at_fault(sn_forest *forest);

/* The first tree that begins at this constraint or after it. If that is within a team of ropes, the first tree after
   the team. */
uint32_t sn_forest_tree_from(const sn_forest *forest, uint32_t item);

#endif

/* The storage of constraints: one pool for each kind, the order in which they were added, and their anchors and
   weighted points ("anchors").

   A constraint is a row of its kind's pool and stays in that row until it is removed. It refers to particles by their
   number, never by their position in storage, so particles can move in storage without affecting it.

   The order of all constraints is a list of runs: "rows first .. first + count - 1 of this kind were added one after
   the other, with these sequence numbers". A million rods of a cloth are a single run. A row belongs to a run only as
   long as it has the sequence number that the run expects there; a removed or reused row does not. So removal costs
   nothing, and the list is compacted when removed rows outnumber live ones. */
#ifndef SN_CONSTRAINTS_STORE_H
#define SN_CONSTRAINTS_STORE_H

#include "base/ids.h"
#include "base/vec.h"

#include <sinew/constraints.h>

/* The most particles, and the most constraints of a kind: the highest bit of a point's code marks an anchor. */
#define SN_MAX_COUNT  0x7fffffffu
#define SN_ANCHOR_BIT 0x80000000u
#define SN_MAX_KINDS  256u

/* The columns of a store's scratch memory for constraints with any number of points; room for the longest. */
enum {
    SN_MANY_X,            /* sn_vec3 for each point: position */
    SN_MANY_MOVE,         /* sn_vec3 for each point: velocity, displacement or force */
    SN_MANY_FORCE,        /* as above */
    SN_MANY_BY_POINT,     /* sn_vec3 for each point and row: gradient */
    SN_MANY_NUMBER,       /* uint32_t for each point: the particle's number */
    SN_MANY_SLOT,         /* uint32_t for each particle */
    SN_MANY_W,            /* sn_real for each particle, or point: inverse mass */
    SN_MANY_GRADIENT,     /* sn_vec3 for each particle and row */
    SN_MANY_SORT,         /* sn_sort_item for each point, to find repetitions when a list is stored */
    SN_MANY_SORT_SCRATCH, /* as above */
    SN_MANY_COLUMNS
};

/* The softness of a constraint; see sn_constraint_def. */
typedef struct sn_give {
    sn_real compliance;
    sn_real damping;
    sn_real stiffness;
} sn_give;

/* A constraint in conflict with others, and its error c at the compromise: solvers aim at C - c = 0. */
typedef struct sn_compromised {
    uint32_t kind;
    uint32_t row;
    sn_real c[SN_MAX_ROWS];
} sn_compromised;

typedef struct sn_pool {
    const sn_kind *kind; /* a built-in kind is shared by all worlds */
    sn_kind *own_kind;   /* a copy of a custom kind, followed by its strings; NULL: the kind is built in */
    size_t own_kind_size;
    uint32_t param_count;
    sn_ids ids;     /* the value is the sequence number */
    sn_table table; /* rows parallel to ids */
    uint32_t *
        point; /* kind.points codes for each row: a particle's number, or SN_ANCHOR_BIT + the row of an anchor. For a kind
                   with any number of points two numbers for each row: where its list starts, and its number of
                   points */
    sn_table list_table; /* the lists of such a kind, one after the other; see sn_list */
    uint32_t list_waste; /* entries of lists of removed constraints */
    sn_table own_table;  /* parameters of points, point_param_count for each, list after list */
    uint32_t point_param_count;
    sn_table user_table; /* uint64_t for each row: user data. It grows when data are set; rows beyond its end have 0 */
    sn_table free_table; /* uint32_t for each row: 1 if what it joins may collide. It grows likewise */
    uint32_t *own;       /* where the list of a row begins in own_table; no column if points have no parameters */
    sn_real *param;      /* param_count for each row */
    sn_give *give;
    sn_real *lambda;  /* kind.rows for each row: accumulated in the last substep */
    sn_real *preload; /* kind.rows for each row, N or the like: the slowly varying part of their force, see
                         solvers/preload.h */
    sn_real *state;   /* kind.state for each row */
    sn_real *before;  /* the state when the substep began. Scratch */
    uint32_t *place;  /* position in the plan, for solvers that plan; 0: none. Scratch */
    uint32_t compromise_first, compromise_count; /* its range of sn_store.compromise_table. Derived */
} sn_pool;

/* The points of a constraint of a kind with any number of them. In memory: particle_count, the particles' numbers
   without repetitions, and for each point the index of its particle. */
typedef struct sn_list {
    uint32_t particle_count;
    uint32_t point_count;
    const uint32_t *particle;
    const uint32_t *local; /* particle[local[i]] is point i */
} sn_list;

/* An anchor or weighted point, owned by the constraint that refers to it. */
typedef struct sn_anchor {
    uint32_t particle[4]; /* of a free anchor, the first is the next free one; of an anchor on a body, the centre */
    sn_real weight[4];
    uint32_t count;     /* number of particles; 0 for a fixed place */
    sn_point_type type; /* what it is attached to */
    uint32_t body;      /* row of the body */
    sn_vec3 place;      /* m: from the centre of a body along its principal axes; or in the world */
    sn_quat turn;       /* orientation of its own axes, in the same frame */
} sn_anchor;

typedef struct sn_run {
    uint32_t kind;
    uint32_t first;
    uint32_t count;
    uint32_t sequence;
} sn_run;

/* What happened to constraints since the log was last read. */
typedef enum sn_edit_what { SN_EDIT_ADDED, SN_EDIT_REMOVED, SN_EDIT_CHANGED } sn_edit_what;

typedef struct sn_edit {
    uint32_t kind;
    uint32_t row;   /* the first row */
    uint32_t count; /* of consecutive rows */
    sn_edit_what what;
} sn_edit;

/* The constraints edited since the last search for conflicts; see world/compromise.c. */
#define SN_FRESH_MOST 16
typedef struct sn_fresh {
    bool any;
    bool all;          /* there were more than the list holds */
    sn_edit_what what; /* added, or: all were only changed */
    uint32_t count;
    sn_edit edit[SN_FRESH_MOST];
} sn_fresh;

typedef struct sn_store {
    sn_table edit_table;         /* of sn_edit: the log, for solvers that follow single edits; see sn_store_log */
    bool logging;                /* the log is in use */
    bool all_changed;            /* parameters of many constraints changed at once */
    bool log_lost;               /* the log overflowed: everything may have changed */
    sn_pool *pool[SN_MAX_KINDS]; /* by kind number; 0 is unused */
    uint32_t kind_count;
    sn_table run_table;
    sn_run *run;
    sn_table anchor_table;
    sn_anchor *anchor;
    sn_table copy_table;       /* of sn_real: what a failed step restores; see sn_store_keep */
    sn_table compromise_table; /* of sn_compromised, by kind and row */
    sn_table many;             /* scratch to evaluate the longest list */
    struct sn_store_counts {
        uint32_t live;
        uint32_t most_points; /* of any list so far */
        uint32_t removed;     /* removed rows that are still in runs */
        uint32_t next_sequence;
        uint32_t free_anchor; /* SN_ID_FREE: none */
        uint32_t free_anchors;
        uint32_t compactions; /* how often sequence numbers changed */
        sn_fresh fresh;
    } counts;
    uint64_t edits;   /* how often constraints were added or removed or changed their points. Only rises, also across
                         snapshots */
    uint64_t changes; /* the same, including changes of parameters */
} sn_store;

bool sn_store_init(sn_store *store, const sn_allocator *allocator);
void sn_store_release(sn_store *store, const sn_allocator *allocator);

/* Adds a pool for a kind, whose strings are copied. Returns its number; 0 when memory runs out. */
uint32_t sn_store_register(sn_store *store, const sn_allocator *allocator, const sn_kind *kind);

/* User data of `count` rows. reserve makes room, unless the data are 0 where nothing is stored yet; false when memory
   runs out. */
bool sn_pool_reserve_user(sn_pool *pool, const sn_allocator *allocator, uint32_t first, uint32_t count, uint64_t user);
void sn_pool_set_user(sn_pool *pool, uint32_t first, uint32_t count, uint64_t user);
uint64_t sn_pool_user(const sn_pool *pool, uint32_t row);

/* The same for whether what a constraint joins may collide; false for new rows. */
bool sn_pool_reserve_collides(sn_pool *pool, const sn_allocator *allocator, uint32_t row, bool collides);
void sn_pool_set_collides(sn_pool *pool, uint32_t row, bool collides);
bool sn_pool_collides(const sn_pool *pool, uint32_t row);

/* Makes room for count more constraints of a kind in consecutive rows, and for `anchors` anchors. Changes nothing
   visible. */
bool sn_store_reserve(sn_store *store, const sn_allocator *allocator, uint32_t kind, uint32_t count, uint32_t anchors,
                      uint32_t *first);

/* Makes room for count more constraints of a kind that are added one by one: afterwards sn_store_reserve for each of
   them cannot fail. */
bool sn_store_reserve_rows(sn_store *store, const sn_allocator *allocator, uint32_t kind, uint32_t count);

/* Makes room for a list of this many points, and for evaluating it. */
bool sn_store_reserve_list(sn_store *store, const sn_allocator *allocator, uint32_t kind, uint32_t points);

/* The index of a point whose particle is already used by an earlier point; count if there is none. `particle` has a
   number for each point. Room must be reserved. */
uint32_t sn_store_find_repeat(sn_store *store, const uint32_t *particle, uint32_t count);

/* Stores the list of a row. Room must be reserved. */
void sn_store_set_list(sn_store *store, uint32_t kind, uint32_t row, const uint32_t *particle, uint32_t count);

/* Makes room for evaluating lists of this many points. */
bool sn_store_reserve_many(sn_store *store, const sn_allocator *allocator, uint32_t points);

/* Clears the multipliers and preloads of these rows. */
void sn_pool_forget(sn_pool *pool, uint32_t first, uint32_t count);

/* Takes the rows found by sn_store_reserve, as the last in the order, with lambda zeroed. The caller fills in the rest.
   Returns their generation. */
uint32_t sn_store_take(sn_store *store, uint32_t kind, uint32_t first, uint32_t count);

/* Removes one constraint and its anchors. Call tidy after the last of several removals: it compacts the order if that
   pays. */
void sn_store_remove(sn_store *store, uint32_t kind, uint32_t row);
void sn_store_tidy(sn_store *store, const sn_allocator *allocator);

/* Adds an edit to the log and to the list of fresh constraints: constraints were added or removed, or their parameters
   or softness changed. Without room the log is lost. Adding and removing call this themselves. */
void sn_store_log(sn_store *store, uint32_t kind, uint32_t row, uint32_t count, sn_edit_what what);

/* Makes room for a log of this many edits. False when memory runs out. */
bool sn_store_log_reserve(sn_store *store, const sn_allocator *allocator, uint32_t count);

/* Begins an empty log. */
void sn_store_log_begin(sn_store *store);

/* Holds a constraint, which is not yet held, at a compromise. False when memory runs out. */
bool sn_store_set_compromise(sn_store *store, const sn_allocator *allocator, const sn_compromised *held);

/* Releases all held constraints. */
void sn_store_let_go(sn_store *store);

/* Stores an anchor and returns its code. Room must be reserved. */
uint32_t sn_store_add_anchor(sn_store *store, const sn_anchor *anchor);
void sn_store_free_anchors(sn_store *store, sn_pool *pool, uint32_t row);

/* Rewrites the runs without removed rows. False, with nothing changed, when memory runs out. */
bool sn_store_compact(sn_store *store, const sn_allocator *allocator);

/* The next constraint at or after item i of run r, in the order of addition. False at the end:
       for (uint32_t r = 0, i = 0; sn_store_next(store, &r, &i); ++i)
           row store->run[r].first + i of kind store->run[r].kind */
bool sn_store_next(const sn_store *store, uint32_t *r, uint32_t *i);

/* The numbers of all particles of a constraint's points. For a fixed number of points they are collected in `small`,
   which has room for 4 * SN_MAX_POINTS, with repetitions. */
const uint32_t *sn_store_particles(const sn_store *store, const sn_pool *pool, uint32_t row, uint32_t *small,
                                   uint32_t *count);

/* Sets all accumulated multipliers to 0. */
void sn_store_clear_lambda(sn_store *store);
void sn_store_clear_preload(sn_store *store);

/* Saves the state of constraints before something that may have to be repeated, and restores it. */
void sn_store_note_state(sn_store *store);
void sn_store_restore_state(sn_store *store);

/* Save and restore for a whole step. Includes the multipliers if a step begins with those of the step before (`warm`);
   otherwise restoring clears the multipliers. */
bool sn_store_reserve_copy(sn_store *store, const sn_allocator *allocator, bool warm);
void sn_store_keep(sn_store *store, bool warm);
void sn_store_put_back(sn_store *store, bool warm);

/* Call it at the end of a substep h: updates the state of every constraint whose kind has a settle function. Oriented
   kinds, which need poses, use sn_evaluate_settle. */
void sn_store_settle(sn_store *store, sn_real h, bool planar);

/* Fetches the typed pointers again after tables were replaced by those of a snapshot. */
void sn_store_bind(sn_store *store);

static inline bool pool_has_lists(const sn_pool *pool)
{
    return pool->kind->points == 0;
}

static inline sn_list pool_list(const sn_pool *pool, uint32_t row)
{
    const uint32_t *at = (const uint32_t *)pool->list_table.column[0] + pool->point[2 * (size_t)row];
    return (sn_list){at[0], pool->point[2 * (size_t)row + 1], at + 1, at + 1 + at[0]};
}

/* The parameters of the points of a constraint. NULL if they have none. */
static inline sn_real *pool_own(const sn_pool *pool, uint32_t row)
{
    if (!pool->point_param_count)
        return NULL;
    return (sn_real *)pool->own_table.column[0] + (size_t)pool->own[row] * pool->point_param_count;
}

/* The state of a constraint. NULL if it has none. */
static inline sn_real *pool_state(const sn_pool *pool, uint32_t row)
{
    return pool->kind->state ? pool->state + (size_t)row * pool->kind->state : NULL;
}

/* True if a constraint of a kind with a settle function uses it: see sn_kind.settle_param. */
static inline bool pool_settles(const sn_pool *pool, uint32_t row)
{
    uint32_t number = pool->kind->settle_param;
    return number == 0 || pool->param[(size_t)row * pool->param_count + number - 1] != 0;
}

/* True if a constraint locks the relative rotation of two bodies: see sn_kind.turn_param. */
static inline bool pool_holds_turn(const sn_pool *pool, uint32_t row)
{
    uint32_t number = pool->kind->turn_param;
    return number == SN_TURN_ALWAYS || (number && pool->param[(size_t)row * pool->param_count + number - 1] != 0);
}

/* The number of points of a constraint. */
static inline uint32_t pool_point_count(const sn_pool *pool, uint32_t row)
{
    return pool_has_lists(pool) ? pool->point[2 * (size_t)row + 1] : pool->kind->points;
}

/* The compromise at which a constraint is held. NULL if it is not held. */
static inline const sn_compromised *store_compromise(const sn_store *store, const sn_pool *pool, uint32_t row)
{
    if (!pool->compromise_count)
        return NULL;
    const sn_compromised *held = (const sn_compromised *)store->compromise_table.column[0] + pool->compromise_first;
    uint32_t low = 0, high = pool->compromise_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (held[middle].row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pool->compromise_count && held[low].row == row ? &held[low] : NULL;
}

/* True if the i-th row of a run is still the constraint that was added there. */
static inline bool run_has(const sn_pool *pool, const sn_run *run, uint32_t i)
{
    return pool->ids.value[run->first + i] == run->sequence + i;
}

#endif

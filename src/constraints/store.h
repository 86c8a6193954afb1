/* Where constraints live: one pool per kind, the order in which they were added, and the spots they hold.

   A constraint is a row of its kind's pool and stays in that row until it is removed. It names particles by their
   number, never by their place in storage, so particles can move without touching it.

   The order of all constraints is a list of runs: "rows first .. first + count - 1 of this kind were added one after
   the other, with these sequence numbers". A million rods of a cloth are a single run. A row belongs to a run only as
   long as it still carries the sequence number that the run expects there; a removed or reused row does not, so
   removal costs nothing, and the list is compacted when removed rows outnumber live ones. */
#ifndef SN_CONSTRAINTS_STORE_H
#define SN_CONSTRAINTS_STORE_H

#include "base/ids.h"
#include "base/vec.h"

#include <sinew/constraints.h>

/* Particles and constraints of a kind: at most so many, because the highest bit of a point's code marks a spot. */
#define SN_MAX_COUNT 0x7fffffffu
#define SN_SPOT_BIT  0x80000000u
#define SN_MAX_KINDS 256u

/* The scratch of a store for constraints with any number of points, by column; room for the longest. */
enum {
    SN_MANY_X,            /* sn_vec3 a point: position */
    SN_MANY_MOVE,         /* sn_vec3 a point: velocity, displacement or force */
    SN_MANY_FORCE,        /* the same again */
    SN_MANY_BY_POINT,     /* sn_vec3 a point and row: gradient */
    SN_MANY_NUMBER,       /* uint32_t a point: the particle's number */
    SN_MANY_SLOT,         /* uint32_t a particle */
    SN_MANY_W,            /* sn_real a particle, or a point: inverse mass */
    SN_MANY_GRADIENT,     /* sn_vec3 a particle and row */
    SN_MANY_SORT,         /* sn_sort_item a point, to find repetitions when a list is stored */
    SN_MANY_SORT_SCRATCH, /* the same */
    SN_MANY_COLUMNS
};

/* How a constraint gives; see sn_constraint_def. */
typedef struct sn_give {
    sn_real compliance;
    sn_real damping;
    sn_real stiffness;
} sn_give;

/* A constraint that contradicts others, and what it is missed by at the compromise: solvers ask for C - c = 0. */
typedef struct sn_held {
    uint32_t kind;
    uint32_t row;
    sn_real c[SN_MAX_ROWS];
} sn_held;

typedef struct sn_pool {
    const sn_kind *kind; /* a built-in one is the same in all worlds */
    sn_kind *own_kind;   /* a copy of one that is not, and of its texts behind it; NULL: it is built in */
    size_t own_kind_size;
    uint32_t param_count;
    sn_ids ids;     /* the value is the sequence number */
    sn_table table; /* rows parallel to ids */
    uint32_t
        *point; /* kind.points codes a row: a particle's number, or SN_SPOT_BIT + the row of a spot. For a kind with
                        any number of points two numbers a row: where its list starts, and how many points it has */
    sn_table list_table; /* the lists of such a kind, one after the other; see sn_list */
    uint32_t list_waste; /* entries of lists whose constraint is gone */
    sn_table own_table;  /* the numbers of their points, point_param_count each, list after list */
    uint32_t point_param_count;
    sn_table
        user_table; /* of uint64_t, by row: user data. Rows that it does not reach have 0: it grows when one is set */
    uint32_t *own;  /* where in own_table the list of a row begins; no column if points have no numbers */
    sn_real *param; /* param_count a row */
    sn_give *give;
    sn_real *lambda;  /* kind.rows a row: accumulated in the last substep */
    sn_real *preload; /* kind.rows a row, N or the like: the slow part of what they exert, see solvers/preload.h */
    sn_real *state;   /* kind.state a row */
    sn_real *before;  /* the same when the substep began. Scratch */
    uint32_t *place;  /* where a plan has it, for solvers that plan; 0: nowhere. Scratch */
    uint32_t held_first, held_count; /* its part of sn_store.held_table. Derived */
} sn_pool;

/* The points of a constraint of a kind with any number of them. In memory: particle_count, the particles' numbers
   without repetitions, and for each point which of them it is. */
typedef struct sn_list {
    uint32_t particle_count;
    uint32_t point_count;
    const uint32_t *particle;
    const uint32_t *local; /* particle[local[i]] is point i */
} sn_list;

/* A spot, owned by the one constraint that names it. */
typedef struct sn_spot {
    uint32_t particle[4]; /* of a free one, the first is the next free one; of a spot of a body it is the centre */
    sn_real weight[4];
    uint32_t count;     /* particles; of a place 0 */
    sn_point_type type; /* what it is fixed to */
    uint32_t body;      /* its row */
    sn_vec3 place;      /* m: from the centre of a body along its principal axes; or in the world */
    sn_quat turn;       /* of its own axes, in the same frame */
} sn_spot;

typedef struct sn_run {
    uint32_t kind;
    uint32_t first;
    uint32_t count;
    uint32_t sequence;
} sn_run;

/* What happened to constraints since it was last looked at. */
typedef enum sn_edit_what { SN_EDIT_ADDED, SN_EDIT_REMOVED, SN_EDIT_CHANGED } sn_edit_what;

typedef struct sn_edit {
    uint32_t kind;
    uint32_t row;   /* the first */
    uint32_t count; /* of consecutive rows */
    sn_edit_what what;
} sn_edit;

/* The constraints that were edited since contradictions were last looked for; see world/compromise.c. */
#define SN_FRESH_MOST 16
typedef struct sn_fresh {
    bool any;
    bool all;          /* there were more than the list holds: */
    sn_edit_what what; /*   added, or all of them changed only */
    uint32_t count;
    sn_edit edit[SN_FRESH_MOST];
} sn_fresh;

typedef struct sn_store {
    sn_table edit_table;         /* of sn_edit: the log, for solvers that follow edits one by one; see sn_store_log */
    bool logging;                /* it is read */
    bool all_changed;            /* parameters of many constraints changed at once */
    bool log_lost;               /* there was more than it holds: everything may have changed */
    sn_pool *pool[SN_MAX_KINDS]; /* by kind number; 0 is unused */
    uint32_t kind_count;
    sn_table run_table;
    sn_run *run;
    sn_table spot_table;
    sn_spot *spot;
    sn_table copy_table; /* of sn_real: what a step that fails puts back; see sn_store_keep */
    sn_table held_table; /* of sn_held, by kind and row */
    sn_table many;       /* scratch to evaluate the longest list */
    struct sn_store_counts {
        uint32_t live;
        uint32_t most_points; /* of any list so far */
        uint32_t removed;     /* rows that runs still mention */
        uint32_t next_sequence;
        uint32_t free_spot; /* SN_ID_FREE: none */
        uint32_t free_spots;
        uint32_t compactions; /* sequence numbers changed so many times */
        sn_fresh fresh;
    } counts;
    uint64_t
        edits; /* constraints came, went or changed their points so many times; only rises, also across snapshots */
    uint64_t changes; /* the same, and of their parameters */
} sn_store;

bool sn_store_init(sn_store *store, const sn_allocator *allocator);
void sn_store_release(sn_store *store, const sn_allocator *allocator);

/* Adds a pool for a kind, whose texts are copied. 0 when memory runs out. */
uint32_t sn_store_register(sn_store *store, const sn_allocator *allocator, const sn_kind *kind);

/* User data of so many rows. Room is made unless all of it is 0 where nothing is kept yet; false when memory runs out. */
bool sn_pool_reserve_user(sn_pool *pool, const sn_allocator *allocator, uint32_t first, uint32_t count, uint64_t user);
void sn_pool_set_user(sn_pool *pool, uint32_t first, uint32_t count, uint64_t user);
uint64_t sn_pool_user(const sn_pool *pool, uint32_t row);

/* Makes room for count more constraints of a kind in consecutive rows, and for so many spots. Changes nothing
   visible. */
bool sn_store_reserve(sn_store *store, const sn_allocator *allocator, uint32_t kind, uint32_t count, uint32_t spots,
                      uint32_t *first);

/* Makes room for count more constraints of a kind that come one by one: sn_store_reserve for each of them cannot fail then. */
bool sn_store_reserve_rows(sn_store *store, const sn_allocator *allocator, uint32_t kind, uint32_t count);

/* Makes room for a list of so many points, and for evaluating it. */
bool sn_store_reserve_list(sn_store *store, const sn_allocator *allocator, uint32_t kind, uint32_t points);

/* A point whose particle already serves as an earlier point; count if there is none. `particle` has a number for each
   point, and room was reserved for them. */
uint32_t sn_store_find_repeat(sn_store *store, const uint32_t *particle, uint32_t count);

/* Stores the list of a row, for which room was reserved. */
void sn_store_set_list(sn_store *store, uint32_t kind, uint32_t row, const uint32_t *particle, uint32_t count);

/* Makes room for evaluating lists of so many points. */
bool sn_store_reserve_many(sn_store *store, const sn_allocator *allocator, uint32_t points);

/* So many rows exert nothing, and never did. */
void sn_pool_forget(sn_pool *pool, uint32_t first, uint32_t count);

/* Takes the rows that sn_store_reserve found, as the last in the order, lambda zeroed; the caller fills in the rest.
   Returns their generation. */
uint32_t sn_store_take(sn_store *store, uint32_t kind, uint32_t first, uint32_t count);

/* Removes one constraint and its spots. After the last of a number of removals, tidy compacts the order if that
   pays. */
void sn_store_remove(sn_store *store, uint32_t kind, uint32_t row);
void sn_store_tidy(sn_store *store, const sn_allocator *allocator);

/* Adds to the log, and to the fresh ones, that constraints were added or removed, or that their parameters or the way they give
   changed; if there is no room for that, the log is lost. Adding and removing log themselves. */
void sn_store_log(sn_store *store, uint32_t kind, uint32_t row, uint32_t count, sn_edit_what what);

/* Makes room for a log of so many edits; false when memory runs out. */
bool sn_store_log_reserve(sn_store *store, const sn_allocator *allocator, uint32_t count);

/* Begins an empty log. */
void sn_store_log_begin(sn_store *store);

/* Holds a constraint, which is not held yet, at a compromise; false when memory runs out. */
bool sn_store_hold(sn_store *store, const sn_allocator *allocator, const sn_held *held);

/* Lets go of all that are held. */
void sn_store_let_go(sn_store *store);

/* Stores a spot, for which room was reserved; returns its code. */
uint32_t sn_store_add_spot(sn_store *store, const sn_spot *spot);
void sn_store_free_spots(sn_store *store, sn_pool *pool, uint32_t row);

/* Rewrites the runs without removed rows. False, with nothing changed, when memory runs out. */
bool sn_store_compact(sn_store *store, const sn_allocator *allocator);

/* The next constraint at or after item i of run r, in the order in which they were added; false at the end:
       for (uint32_t r = 0, i = 0; sn_store_next(store, &r, &i); ++i)
           row store->run[r].first + i of kind store->run[r].kind */
bool sn_store_next(const sn_store *store, uint32_t *r, uint32_t *i);

/* The numbers of all particles behind a constraint's points. For a fixed number of points they are gathered in `small`,
   which has room for 4 * SN_MAX_POINTS, repetitions included. */
const uint32_t *sn_store_particles(const sn_store *store, const sn_pool *pool, uint32_t row, uint32_t *small,
                                   uint32_t *count);

/* Sets all accumulated multipliers to 0. */
void sn_store_clear_lambda(sn_store *store);
void sn_store_clear_preload(sn_store *store);

/* What constraints remember: noted before something that may have to be done again, and put back then. */
void sn_store_note_state(sn_store *store);
void sn_store_restore_state(sn_store *store);

/* The same of a whole step, and their multipliers if a step begins with those of the one before (`warm`); other multipliers are
   cleared when it is put back. */
bool sn_store_reserve_copy(sn_store *store, const sn_allocator *allocator, bool warm);
void sn_store_keep(sn_store *store, bool warm);
void sn_store_put_back(sn_store *store, bool warm);

/* The end of a substep of h: lets every constraint whose kind wants it settle. Those of oriented kinds, which have to know
   where they are, settle with sn_evaluate_settle. */
void sn_store_settle(sn_store *store, sn_real h, bool planar);

/* Takes the typed pointers again after tables were replaced by those of a snapshot. */
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

/* The numbers of the points of a constraint; NULL if they have none. */
static inline sn_real *pool_own(const sn_pool *pool, uint32_t row)
{
    if (!pool->point_param_count)
        return NULL;
    return (sn_real *)pool->own_table.column[0] + (size_t)pool->own[row] * pool->point_param_count;
}

/* What a constraint remembers; NULL if it is nothing. */
static inline sn_real *pool_state(const sn_pool *pool, uint32_t row)
{
    return pool->kind->state ? pool->state + (size_t)row * pool->kind->state : NULL;
}

/* Whether a constraint of a kind that settles does: see sn_kind.settle_param. */
static inline bool pool_settles(const sn_pool *pool, uint32_t row)
{
    uint32_t number = pool->kind->settle_param;
    return number == 0 || pool->param[(size_t)row * pool->param_count + number - 1] != 0;
}

/* Whether a constraint holds the rotation of one body against the other: see sn_kind.turn_param. */
static inline bool pool_holds_turn(const sn_pool *pool, uint32_t row)
{
    uint32_t number = pool->kind->turn_param;
    return number == SN_TURN_ALWAYS || (number && pool->param[(size_t)row * pool->param_count + number - 1] != 0);
}

/* The points of a constraint. */
static inline uint32_t pool_point_count(const sn_pool *pool, uint32_t row)
{
    return pool_has_lists(pool) ? pool->point[2 * (size_t)row + 1] : pool->kind->points;
}

/* What a constraint is held at; NULL: it is not. */
static inline const sn_held *store_held(const sn_store *store, const sn_pool *pool, uint32_t row)
{
    if (!pool->held_count)
        return NULL;
    const sn_held *held = (const sn_held *)store->held_table.column[0] + pool->held_first;
    uint32_t low = 0, high = pool->held_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (held[middle].row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pool->held_count && held[low].row == row ? &held[low] : NULL;
}

/* Whether the i-th row of a run is still the constraint that was added there. */
static inline bool run_has(const sn_pool *pool, const sn_run *run, uint32_t i)
{
    return pool->ids.value[run->first + i] == run->sequence + i;
}

#endif

/* The plan of SN_SOLVER_TILED: where particles are stored, and when each constraint is projected.

   Particles are divided into connected *tiles* and stored tile by tile. A tile fits a core's cache and is one range of
   storage. A body here is all that constraints join. Each body is cut by itself: a small body not at all (it shares a
   tile with others), a larger one into enough tiles for sixteen cores. Where a body is cut, and the order of its
   constraints, depends only on that body, whatever else there is. Only small identical bodies with consecutive numbers
   are stored side by side.

   Constraints inside one tile make up the first *layer*: its tiles share nothing and run in parallel. The particles of
   the remaining constraints are cut into tiles again, beginning where most of them are. The constraints inside these
   tiles are the second layer, and so on: three layers for a cloth, of which the first has nearly everything. Particles
   at the border of a tile are stored last in it, neighbours beside each other. Inside a tile constraints are coloured:
   those of one kind and colour share no particle and run sixteen at a time, in *batches*.

   If a tile's particles have consecutive numbers and its constraints repeat from one number to the next, as in a grid,
   a rope, or a row of identical objects, the tile has the form of *planes*: its numbers are cut into sixteen equal
   stretches, one for each lane, and stored side by side. A constraint and its counterparts in the other lanes are then
   consecutive in memory, and nothing needs to be gathered. Other tiles have the form of *records*.

   Bodies without loops, such as ropes, are visited in the order of their numbers, one link after the other. This
   carries corrections from end to end, which colours would not. Lanes then hold different bodies, or the sixteen
   stretches of one.

   Trees with a high load are solved directly, after the layers (plan_trees.c, forest.h). Their particles are in tiles
   of records.

   Other constraints are in no layer. Those with any number of points come after the layers, one by one. Then come the
   constraints of particles with very many constraints (hubs), all at once, with the mass of the hub shared among them.
   Constraints added since the plan was made come last; if there are too many of them, the plan is made anew. A removed
   constraint leaves an empty lane.

   Particles without constraints in tiles, such as sand, come last and are *loose*: the world may store them in any
   order, and sorts them by position; see world/planning.c.

   The plan depends on the constraints, in the order in which they were added, on masses, and on the edits since it was
   last made as a whole. It does not depend on anything else, in particular not on the machine. */
#ifndef SN_SOLVERS_PLAN_H
#define SN_SOLVERS_PLAN_H

#include "constraints/evaluate.h"
#include "solvers/solver.h"
#include "wide/wide.h"

/* Constraints of one kind that share no particle. */
typedef struct sn_plan_run {
    uint32_t kind;
    uint32_t batches; /* 0: a run of visits, which may share particles and run one after the other */
    uint32_t batch;   /* the first batch: index in mask, compliance and row */
    uint32_t index;   /* where its indices start: in near (layer 0, and copied tiles), far or offset (planes) */
    uint32_t param;   /* where its parameters start */
    uint32_t visit;   /* visits: the first */
    uint32_t visits;  /* visits: their number */
    uint32_t give;    /* where its dampings start, followed by its stiffnesses k; SN_PLAN_NONE: all are 0 and 1 */
    /* Runs with points that are not particles: */
    uint32_t corners; /* particles of a point, 1 or 4; 0: points are particles */
    uint32_t anchor;  /* where their slots and bodies start */
    uint32_t fixed;   /* where the numbers of their anchors start */
    uint32_t bodies;  /* not 0: some points are on bodies */
    uint32_t shared;  /* not 0: some constraints have a particle in two points */
} sn_plan_run;

#define SN_PLAN_NONE UINT32_MAX

typedef struct sn_tile {
    uint32_t first; /* layer 0: the slot of its first particle; later layers: where its slots start in `list` */
    uint32_t count; /* particles */
    uint32_t run;   /* the first run */
    uint32_t runs;
    uint32_t rows;      /* planes: particles in a lane; 0: a tile of records */
    uint32_t work;      /* constraints, to distribute work */
    uint32_t large;     /* it is part of one body of many constraints; see is_coarse in tiled.c */
    uint32_t body;      /* the first tile of that body; otherwise this tile */
    uint32_t copied;    /* see plan_is_copied */
    uint32_t tree_like; /* layer 0: it has a particle of a tree, solved directly or not; see sn_plan_weighs */
} sn_tile;

/* The arrays of the plan, each the only column of a table. */
#define SN_PLAN_ARRAYS(ARRAY)                                                                                          \
    ARRAY(sn_tile, tile)                                                                                               \
    ARRAY(uint32_t, layer) /* the first tile of each layer, and the end */                                             \
    ARRAY(sn_plan_run, run)                                                                                            \
    ARRAY(uint32_t, list) /* slots of the particles of tiles in later layers */                                        \
    ARRAY(uint16_t, near)                                                                                              \
    ARRAY(uint32_t, far)                                                                                               \
    ARRAY(uint32_t, offset)                                                                                            \
    ARRAY(uint32_t, anchor)                                                                                            \
    ARRAY(uint16_t, mask)                                                                                              \
    ARRAY(uint32_t, row)                                                                                               \
    ARRAY(sn_visit, visit) /* kind 0: removed */                                                                       \
    ARRAY(sn_visit, many)  /* any number of points */                                                                  \
    ARRAY(sn_visit, hub)                                                                                               \
    ARRAY(sn_visit, extra) /* added since */                                                                           \
    ARRAY(sn_visit, tree)  /* in trees that are solved directly */                                                     \
    ARRAY(uint32_t, free)  /* indices in `many`: closed surfaces on which nothing outside acts */

/* Copies of data of the constraints. They are not saved. */
#define SN_PLAN_COPIES(ARRAY)                                                                                          \
    ARRAY(float, param)                                                                                                \
    ARRAY(float, compliance)                                                                                           \
    ARRAY(float, give)                                                                                                 \
    ARRAY(float, fixed)

/* What some constraints of a run have, or had. */
enum {
    SN_RUN_SOFT = 1,
    SN_RUN_DAMPED = 2,
    SN_RUN_LIMP = 4 /* k is not 1 */,
    SN_RUN_SETTLES = 8 /* see pool_settles */
};

struct sn_plan {
    bool made;
    bool canonical;       /* as made, without later edits */
    bool filled;          /* the copies are up to date, and constraints know their places */
    uint32_t loose;       /* slots from here on hold loose particles */
    uint32_t particles;   /* slots from here on belong to no tile */
    uint32_t widest_rows; /* the most rows of a tile of planes */
    uint32_t live;        /* constraints when the plan was made */
    uint64_t serial;      /* is raised with every change, also across snapshots; not saved */
    uint64_t makes;       /* is raised when the plan is made as a whole or loaded */
    uint64_t tree_edits;  /* is raised when directly solved trees change */
#define SN_PLAN_TABLE(type, name)                                                                                      \
    sn_table name##_table;                                                                                             \
    type *name;
    SN_PLAN_ARRAYS(SN_PLAN_TABLE)
    SN_PLAN_COPIES(SN_PLAN_TABLE)
#undef SN_PLAN_TABLE
    sn_table feature_table;
    uint8_t *feature;        /* by run */
    uint32_t stiffness_root; /* the n for which the stiffnesses k were corrected; see sn_plan_correct_stiffness */
    sn_table watched_table;
    bool *watched;    /* by run: forces of some constraints are looked at after every substep; see sn_plan_watch */
    bool any_watched; /* some run is watched */
};

typedef struct sn_plan sn_plan;

/* Whether a tile of a later layer is copied, if all of its constraints are in batches of particles and without damping:
   it works on copies of its particles, which are consecutive, and writes them back. In place, several cores would write
   to the same cache lines in turn, colour after colour: tiles of a block of tetrahedra took two and a half times as
   long. Where particles have few of these constraints, as in cloth, copying costs as much as it saves. */
static inline bool plan_is_copied(uint32_t constraints, uint32_t particles)
{
    return 2 * (uint64_t)constraints >= 3 * (uint64_t)particles && particles <= UINT16_MAX;
}

/* The particles, as far as the plan needs them. */
typedef struct sn_plan_particles {
    uint32_t count;        /* number of particles */
    uint32_t numbers;      /* one more than the highest number */
    const uint32_t *slot;  /* by number; SN_NO_SLOT for unused numbers */
    const uint32_t *index; /* by slot: the number */
    const sn_vec4 *x;      /* by slot; w is the inverse mass. NULL: no tree is solved directly */
    /* Whether a constraint may break or tear; NULL: none may. */
    bool (*weak)(const void *world, uint32_t kind, uint32_t row);
    const void *world;
} sn_plan_particles;

void sn_plan_init(sn_plan *plan);
void sn_plan_release(sn_plan *plan, const sn_allocator *allocator);

/* Makes the plan as a whole. `order` has space for all particles, and receives their numbers in the order of storage.
   The caller stores them so before the plan is used. False when memory runs out: then there is no plan. */
bool sn_plan_make(sn_plan *plan, const sn_allocator *allocator, sn_store *store, const sn_plan_particles *particles,
                  uint32_t *order);

/* Follows the edits in the log of the store. slot: the slots of particles, by number. False if the plan has to be made
   as a whole. */
bool sn_plan_follow(sn_plan *plan, sn_store *store, const uint32_t *slot);

/* Called before the inverse mass of the particle in a slot changes. False if the plan has to be made anew, since the
   loads of a tree or its connections may change. Small changes are ignored. */
bool sn_plan_weighs(sn_plan *plan, uint32_t slot, sn_real before, sn_real after);

/* Reserves the log of edits for a plan of `live` constraints. False when memory runs out. */
bool sn_plan_reserve_log(sn_store *store, const sn_allocator *allocator, uint32_t live);

/* Reserves memory for following edits; sn_plan_make does so, too. False when memory runs out. */
bool sn_plan_reserve_edits(sn_plan *plan, const sn_allocator *allocator, sn_store *store);

/* Sets the array pointers from the tables, which may have moved. */
void sn_plan_bind(sn_plan *plan);

/* After loading: sets the array pointers, the copies and the places of constraints. False when memory runs out. */
bool sn_plan_restored(sn_plan *plan, const sn_allocator *allocator, sn_store *store);

/* The tile of the first layer that contains a slot. */
uint32_t sn_plan_owner(const sn_plan *plan, uint32_t slot);

/* The slot of one point of a lane of a batch. Its points must be particles. */
uint32_t sn_plan_slot(const sn_plan *plan, const sn_tile *tile, const sn_plan_run *run, uint32_t points, uint32_t batch,
                      uint32_t lane, uint32_t point);

/* How a constraint is projected: singly, or in a batch with constraints of the same form. */
typedef enum sn_plan_form {
    SN_FORM_SINGLE,   /* its kind has no lane formula, or it has a target of its own because it contradicts others */
    SN_FORM_PLAIN,    /* all points are particles */
    SN_FORM_ANCHORED, /* some points are on bodies or at places in the world */
    SN_FORM_WEIGHTED  /* some points are barycentric points of triangles or tetrahedra */
} sn_plan_form;

sn_plan_form sn_plan_form_of(const sn_store *store, uint32_t kind, uint32_t row);

/* Writes the stiffnesses k of all runs, corrected for `root` passes: see row_stiffness. */
void sn_plan_correct_stiffness(sn_plan *plan, const sn_store *store, uint32_t root);

/* Watches a constraint: its force is looked at after every substep, not only after the last one of a step. False: it is
   in no batch. sn_plan_watch_none ends that for all constraints, as does making the plan. seen: all 0 before the first of
   many; most are in a batch that another one before was in. */
#define SN_PLAN_SEEN 1024u
typedef struct sn_plan_seen {
    uint32_t batch[SN_PLAN_SEEN]; /* 1 + the last batch with this remainder */
} sn_plan_seen;
bool sn_plan_watch(sn_plan *plan, const sn_store *store, uint32_t kind, uint32_t row, sn_plan_seen *seen);
void sn_plan_watch_none(sn_plan *plan);

/* Removes repeated numbers, which barycentric points may cause. Returns how many are left. */
uint32_t sn_plan_once(uint32_t *particle, uint32_t count);

#endif

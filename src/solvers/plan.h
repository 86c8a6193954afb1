/* The plan: where particles are stored and which constraint is projected when, for SN_SOLVER_TILED.

   Particles are cut into *tiles* that hang together, and stored tile by tile, so that a tile fits a core's cache and is one
   range of storage. A body, which is all that constraints join, is cut by itself: a small one not at all (it shares a tile with
   others), a larger one into enough tiles for sixteen cores. Where it is cut, and in which order its constraints come, depends on
   that body alone, whatever else there is; only small identical bodies with consecutive numbers are laid side by side. Constraints
   inside one tile make up the first *layer*: its tiles share nothing and run side by side. The particles of what is left are cut
   into tiles anew, from where most of it is, and what is inside these is the second layer, and so on: three layers for a cloth,
   of which the first has nearly everything. Particles at the border of a tile are stored last in it, neighbours beside each other.
   Inside a tile constraints are coloured: those of one kind and colour share no particle and run sixteen at a time, in
   *batches*.

   Where a tile's particles have consecutive numbers and its constraints repeat from one number to the next, as in a
   grid, a rope, or a row of identical objects, the tile gets the form of *planes*: its numbers are cut into sixteen equal
   stretches, one for each lane, and stored side by side, so that a constraint and its counterparts in the other lanes
   lie in memory one after the other and nothing needs to be gathered.

   Bodies without loops, such as ropes, are visited in the order of their numbers, one link after the other, which carries
   corrections from end to end; colours would not. What is visited side by side are different bodies, or the eight
   stretches of one.

   Trees that carry much are solved directly, after the layers (plan_trees.c, forest.h). Their particles are in tiles of records.

   What does not fit in: constraints with any number of points come after the layers, one by one; constraints of a particle
   that has very many (a hub) after those, all at once with the hub's mass shared out among them; constraints added
   since the plan was made come last, until they are so many that it is made anew. A removed constraint leaves an empty
   lane.

   Particles that no tile's constraints hold, such as sand, come last and are *loose*: the world may store them in any order,
   and does so by place; see world/planning.c.

   The plan depends on the constraints, in the order in which they were added, on masses, and on the edits made since it was last
   made as a whole; on nothing else, least of all on the machine. */
#ifndef SN_SOLVERS_PLAN_H
#define SN_SOLVERS_PLAN_H

#include "constraints/evaluate.h"
#include "solvers/solver.h"
#include "wide/wide.h"

/* Constraints of one kind that share no particle. */
typedef struct sn_plan_run {
    uint32_t kind;
    uint32_t batches; /* 0: visits, which may share particles and run one after the other */
    uint32_t batch;   /* the first: of mask, compliance and row */
    uint32_t index;   /* where its indices start: of near (layer 0, and copied tiles), far or offset (planes) */
    uint32_t param;   /* where its parameters start */
    uint32_t visit;   /* visits: the first, */
    uint32_t visits;  /*   and how many */
    uint32_t give;    /* where its dampings start, and then its stiffnesses k; SN_PLAN_NONE: none differ from 0 and 1 */
    /* Runs whose points are not all particles: */
    uint32_t corners; /* particles of a point, 1 or 4; 0: points are particles */
    uint32_t anchor;  /* where their slots and bodies start */
    uint32_t fixed;   /* where their numbers start */
    uint32_t bodies;  /* some are on bodies */
    uint32_t shared;  /* some constraints have a particle behind two points */
} sn_plan_run;

#define SN_PLAN_NONE UINT32_MAX

typedef struct sn_tile {
    uint32_t first; /* layer 0: the slot of its first particle; later layers: where its slots start in the list */
    uint32_t count; /* particles */
    uint32_t run;   /* the first of its runs */
    uint32_t runs;
    uint32_t rows;      /* planes: particles in a lane; 0: records */
    uint32_t work;      /* constraints, for sharing out */
    uint32_t large;     /* it is part of one body, of many constraints; see is_coarse in tiled.c */
    uint32_t body;      /* the first tile of that body, otherwise this one */
    uint32_t copied;    /* see plan_is_copied */
    uint32_t tree_like; /* layer 0: it has a particle of a tree; see sn_plan_weighs */
} sn_tile;

/* One array that is all there is in a table. */
#define SN_PLAN_ARRAYS(ARRAY)                                                                                          \
    ARRAY(sn_tile, tile)                                                                                               \
    ARRAY(uint32_t, layer) /* the first tile of each layer, and one more */                                            \
    ARRAY(sn_plan_run, run)                                                                                            \
    ARRAY(uint32_t, list) /* slots of the particles of tiles in later layers */                                        \
    ARRAY(uint16_t, near)                                                                                              \
    ARRAY(uint32_t, far)                                                                                               \
    ARRAY(uint32_t, offset)                                                                                            \
    ARRAY(uint32_t, anchor)                                                                                            \
    ARRAY(uint16_t, mask)                                                                                              \
    ARRAY(uint32_t, row)                                                                                               \
    ARRAY(sn_visit, visit) /* kind 0: removed */                                                                       \
    ARRAY(sn_visit, many)  /* with any number of points */                                                             \
    ARRAY(sn_visit, hub)                                                                                               \
    ARRAY(sn_visit, extra) /* added since */                                                                           \
    ARRAY(sn_visit, tree)  /* of trees that are solved directly */                                                     \
    ARRAY(uint32_t, free)  /* places in `many`: closed surfaces that nothing outside of them pulls */

/* Copies of what the constraints say, which need not be saved. */
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
    bool canonical;       /* as made, without edits since */
    bool filled;          /* the copies are those of the constraints, and these know their places */
    uint32_t loose;       /* slots from here on hold particles of which batches, tiles and layers know nothing */
    uint32_t particles;   /* planned ones: slots from here on belong to no tile */
    uint32_t widest_rows; /* the most rows of a tile of planes */
    uint32_t live;        /* constraints when it was made */
    uint64_t serial;      /* rises with every change, also across snapshots; not saved */
    uint64_t makes;       /* the same, when it is made as a whole or loaded */
    uint64_t tree_edits;  /* the same for changes to trees */
#define SN_PLAN_TABLE(type, name)                                                                                      \
    sn_table name##_table;                                                                                             \
    type *name;
    SN_PLAN_ARRAYS(SN_PLAN_TABLE)
    SN_PLAN_COPIES(SN_PLAN_TABLE)
#undef SN_PLAN_TABLE
    sn_table feature_table;
    uint8_t *feature;        /* by run */
    uint32_t stiffness_root; /* for which the stiffnesses k were corrected; see sn_plan_correct_stiffness */
    sn_table watched_table;
    bool *watched; /* by run: what some of its constraints exert is looked at after every substep; see sn_plan_watch */
    bool any_watched; /* of the runs */
};

typedef struct sn_plan sn_plan;

/* Whether a tile of a later layer with so many constraints and particles is copied, if all constraints are in batches, of particles, and
   without damping: it works on copies of its particles, which lie beside each other, and writes them back. In place, several cores would write the same lines of memory by
   turns, colour after colour: tiles of a block of tetrahedra took two and a half times as long. Where particles have few of these
   constraints, as in a cloth, copying costs as much as it saves. */
static inline bool plan_is_copied(uint32_t constraints, uint32_t particles)
{
    return 2 * (uint64_t)constraints >= 3 * (uint64_t)particles && particles <= UINT16_MAX;
}

/* Where particles are: what the plan needs to know of them, and to rearrange. */
typedef struct sn_plan_particles {
    uint32_t count;        /* stored */
    uint32_t numbers;      /* one more than the highest number */
    const uint32_t *slot;  /* by number; SN_NO_SLOT where there is none */
    const uint32_t *index; /* by slot, the number */
    const sn_vec4 *x;      /* by slot; w is the inverse mass. NULL: no tree is solved directly */
    /* Whether a constraint may break or tear; NULL: none may. */
    bool (*weak)(const void *world, uint32_t kind, uint32_t row);
    const void *world;
} sn_plan_particles;

void sn_plan_init(sn_plan *plan);
void sn_plan_release(sn_plan *plan, const sn_allocator *allocator);

/* Makes the plan as a whole. order, with room for the particles' count, receives their numbers as they are to be stored; the
   caller stores them so before the plan is used. False when memory runs out: there is then no plan. */
bool sn_plan_make(sn_plan *plan, const sn_allocator *allocator, sn_store *store, const sn_plan_particles *particles,
                  uint32_t *order);

/* Takes note of the edits that the store has logged. slot: where particles are, by number. False if the plan has to be made as a
   whole. */
bool sn_plan_follow(sn_plan *plan, sn_store *store, const uint32_t *slot);

/* Before the inverse mass of the particle in a slot changes: false if the plan has to be made anew, since a tree may carry more
   or less, or hang together in another way. Small changes are not looked at. */
bool sn_plan_weighs(sn_plan *plan, uint32_t slot, sn_real before, sn_real after);

/* Makes room for the log that a plan of so many constraints follows; false when memory runs out. */
bool sn_plan_reserve_log(sn_store *store, const sn_allocator *allocator, uint32_t live);

/* Makes room for following edits; sn_plan_make does it, too. False when memory runs out. */
bool sn_plan_reserve_edits(sn_plan *plan, const sn_allocator *allocator, sn_store *store);

/* Points the arrays at their tables, which may have been moved. */
void sn_plan_bind(sn_plan *plan);

/* After loading: takes typed pointers, fills in the copies and the constraints' places. False when memory runs out. */
bool sn_plan_restored(sn_plan *plan, const sn_allocator *allocator, sn_store *store);

/* The tile of the first layer that has the particle in a slot. */
uint32_t sn_plan_owner(const sn_plan *plan, uint32_t slot);

/* The slot that a lane of a batch takes for one of its points, which are particles. */
uint32_t sn_plan_slot(const sn_plan *plan, const sn_tile *tile, const sn_plan_run *run, uint32_t points, uint32_t batch,
                      uint32_t lane, uint32_t point);

/* How a constraint is projected: by itself, or in a batch of those with points like its own. */
typedef enum sn_plan_form {
    SN_FORM_SINGLE,   /* its kind has no formula over lanes, or it asks for a compromise */
    SN_FORM_PLAIN,    /* all points are particles */
    SN_FORM_ANCHORED, /* or fixed to bodies, or places */
    SN_FORM_WEIGHTED  /* or inside triangles and tetrahedra */
} sn_plan_form;

sn_plan_form sn_plan_form_of(const sn_store *store, uint32_t kind, uint32_t row);

/* Writes the stiffnesses k of all runs for so many passes: see row_stiffness. */
void sn_plan_correct_stiffness(sn_plan *plan, const sn_store *store, uint32_t root);

/* What this constraint exerts is looked at after every substep, not only after the last of a step; and of none any more, which
   making the plan does, too. False: it is in no batch. */
bool sn_plan_watch(sn_plan *plan, const sn_store *store, uint32_t kind, uint32_t row);
void sn_plan_watch_none(sn_plan *plan);

/* Keeps the first of each of some numbers, as spots may share particles; returns how many are left. */
uint32_t sn_plan_once(uint32_t *particle, uint32_t count);

/* For tests: whether the plan holds every constraint once, and all that is said above is true of it. Writes what is
   wrong to message. */
bool sn_plan_check(const sn_plan *plan, const sn_store *store, const sn_plan_particles *particles, char *message,
                   size_t size);

#endif

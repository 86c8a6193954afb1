/* Working data for making a plan. */
#ifndef SN_SOLVERS_PLAN_WORK_H
#define SN_SOLVERS_PLAN_WORK_H

#include "base/sets.h"
#include "solvers/plan.h"

#define PLAN_NONE SN_PLAN_NONE

/* Where constraints and particles are numbered at random, making a plan waits for memory most of the time. So the data
   of the constraint PLAN_AHEAD places later is prefetched. */
#ifdef __GNUC__
#define PLAN_FETCH(place) __builtin_prefetch(place)
#else
#define PLAN_FETCH(place) (void)(place)
#endif
#define PLAN_AHEAD 16u

/* Particles of a tile. With its constraints, the tile fits the level 2 cache of a core. */
#define TILE_RECORDS 4096u
#define TILE_PLANES  4096u
#define TILE_STRIP   8192u  /* strips of large grids */
#define TILE_MOST    16384u /* planes, where the rows of a grid are long */

/* A body with fewer constraints than this is not cut: threads would not pay. */
#define BODY_WHOLE 16384u

/* A larger body is cut into tiles of TILE_WORK constraints, but into at most TILES_OF_BODY tiles, enough for sixteen
   cores, unless TILE_RECORDS requires more. */
#define TILE_WORK     4000u
#define TILES_OF_BODY 32u

/* Bodies of one tile share tiles of TILE_PACKED particles, in a small world of TILE_SMALL. (With 1,024, the joints of
   1,000 ragdolls made eleven tiles, too few for sixteen cores.) */
#define TILE_PACKED 256u
#define TILE_SMALL  1024u

/* The fewest particles of a piece of a large grid. */
#define TILE_PIECE 1024u

/* The fewest constraints of a tile of a later layer: batches of smaller ones would be half empty. A body has at most
   SEAMS_OF_BODY of these tiles in a layer: one for each of sixteen cores. (With twice as many, more is cut, and batches
   are emptier.) */
#define SEAM_LEAST    160u
#define SEAMS_OF_BODY 16u

#define TILE_LOOSE 1024u /* particles of a tile without constraints: enough tiles to distribute */

/* A particle with more constraints than this is a hub. */
#define HUB_VALENCE 256u

/* The fewest constraints of a body whose tiles may be coarse: below, nothing is gained. */
#define PLAN_LEAST_LARGE 512u

#define PLAN_BLOCKS 64

/* The place of a constraint in the plan, as its pool stores it: a lane of the batches, or an entry of one of the lists
   of visits. */
enum { PLACE_LANE, PLACE_VISIT, PLACE_HUB, PLACE_MANY, PLACE_EXTRA, PLACE_TREE };
#define PLACE_SHIFT 29u
#define PLACE_MASK  ((1u << PLACE_SHIFT) - 1)

static inline uint32_t plan_place(uint32_t where, uint32_t index)
{
    return (where << PLACE_SHIFT | index) + 1;
}

/* A constraint. */
typedef struct plan_item {
    uint32_t row;
    uint32_t first; /* of its particles */
    uint16_t kind;
    uint16_t count;
    uint8_t phase; /* its part of a pass; set after particles have been stored */
    uint8_t form;  /* sn_plan_form */
    bool done;     /* it has been placed */
} plan_item;

/* Parts of a pass over a tile. */
enum { PLAN_WITHOUT_LOOPS, PLAN_WITH_LOOPS, PLAN_SINGLES };

typedef struct plan_work {
    sn_plan *plan;
    sn_store *store;
    const sn_allocator *allocator;
    const sn_plan_particles *particles;
    bool failed; /* memory ran out */
    void *block[PLAN_BLOCKS];
    size_t block_size[PLAN_BLOCKS];
    uint32_t blocks;

    plan_item *item;
    uint32_t items;
    /* Particles of all items, one after the other, each once in an item. They are given by number, and by slot once all
       particles have been stored. Items are then in the order of storage, too. */
    uint32_t *particle;
    uint32_t particle_count;

    /* by number of a particle: */
    uint32_t *parent; /* sets of bodies; those with loops are marked (base/sets.h) */
    uint32_t *start;  /* particles with which it shares items: neighbour[start[i] .. start[i + 1]] */
    uint32_t *neighbour;
    uint32_t *first; /* items of which it is the first particle: of_first[first[i] .. first[i + 1]] */
    uint32_t *of_first;
    uint32_t *valence;   /* number of its items */
    uint32_t *body_work; /* by the lowest number of a body: its items */
    bool *loop;          /* whether its body has a loop */
    bool *in_tree;       /* it is in a tree that is solved directly */
    bool *tree_like;     /* it is in a tree that would be solved directly if its load were higher */
    uint32_t *slot;      /* where it will be stored; PLAN_NONE: not yet known */

    /* by slot: */
    uint32_t *tile;
    uint32_t *stamp;     /* the number of the sweep for which used and last are valid */
    uint64_t (*used)[2]; /* colours in use */
    uint32_t *last;      /* the last level that used the particle */
    uint32_t *claim;     /* its group in a layer, if claim_stamp is the present one; or its index in a copied tile */
    uint32_t *claim_stamp;
    bool *shared; /* constraints of later layers act on it */
    uint32_t stamps;
    bool copied; /* the tile that is being planned is copied */

    uint32_t *order; /* numbers in the order of storage */
    uint32_t ordered;

    uint32_t *queue; /* scratch for numbers or items */
    sn_sort_item *sort, *sort_scratch;
} plan_work;

/* Memory that is released when the plan has been made. NULL, with `failed` set, when memory runs out. */
void *sn_plan_scratch(plan_work *w, size_t count, size_t size);

/* Appends `more` elements to one of the plan's arrays. NULL, with `failed` set, when memory runs out. */
void *sn_plan_grow(plan_work *w, sn_table *table, uint32_t more);

/* The lowest number in the body of the particle in a slot. */
static inline uint32_t plan_body(const plan_work *w, uint32_t slot)
{
    return sets_find_marked(w->parent, w->order[slot]);
}

/* The row of an offset, and by how many lanes it is shifted. The planes begin one batch before the first row, and a
   shift is small compared with a row. */
static inline uint32_t plan_row_of_offset(uint32_t offset, int32_t *lanes)
{
    uint32_t row = (offset + SN_ROW / 2 - SN_BATCH) / SN_ROW;
    *lanes = (int32_t)offset - (int32_t)SN_BATCH - (int32_t)(row * SN_ROW);
    return row;
}

/* plan_follow.c: copies data of constraints into the batches, and sets the places of constraints. */
void sn_plan_find_places(sn_plan *plan, sn_store *store);

/* plan_loops.c: the same for what has loops. */
void sn_plan_loops(plan_work *w);

/* plan_trees.c: lists the constraints of trees that are to be solved directly. */
void sn_plan_trees(plan_work *w);
/* plan_free.c: lists the free surfaces. */
void sn_plan_free_surfaces(plan_work *w);

/* plan_regular.c: finds tiles of planes, stores their particles and plans the constraints that fit. */
void sn_plan_regular(plan_work *w);

/* plan_layers.c: plans the constraints that are left after the first layer. */
void sn_plan_later_layers(plan_work *w);

/* plan.c: begins the next layer; tiles that follow belong to it. False, with `failed` set, when memory runs out. */
bool sn_plan_open_layer(plan_work *w);

/* plan_records.c: plans the constraints `list` as the runs of one tile. near: the tile is in the first layer or copied,
   so indices are relative to it. */
void sn_plan_records(plan_work *w, const uint32_t *list, uint32_t count, bool near, sn_tile *tile);

/* Fills one lane of a batch. */
void sn_plan_fill_lane(plan_work *w, const sn_plan_run *run, uint32_t batch, uint32_t lane, const plan_item *item);

typedef struct plan_run_def {
    uint32_t kind, batches; /* 0: visits */
    uint32_t indices;       /* bytes of an index; planes: 0 */
    sn_plan_form form;
    bool gives; /* some constraints have damping, or a stiffness k other than 1 */
} plan_run_def;

/* Whether a constraint has damping; whether its run needs dampings and stiffnesses. */
bool sn_plan_damps(const sn_store *store, uint32_t kind, uint32_t row);
bool sn_plan_gives(const sn_store *store, uint32_t kind, uint32_t row);

/* Appends a run of batches or visits to the tile. */
sn_plan_run *sn_plan_open_run(plan_work *w, sn_tile *tile, const plan_run_def *def);

#endif

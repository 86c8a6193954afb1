/* What the parts of the search for neighbours share. Steps, in this order:

   - neighbours_cells.c: how large cells are; which block and cell each sphere is in; spheres sorted by that.
     The sorting itself is in neighbours_sort.c.
   - neighbours_levels.c: pairs between levels, sorted by the block that they belong to.
   - neighbours_pairs.c: pairs of a level, block by block, and all pairs of a block into batches.
   - neighbours.c: memory, and batches into their final order. */
#ifndef SN_COLLISION_NEIGHBOURS_WORK_H
#define SN_COLLISION_NEIGHBOURS_WORK_H

#include "base/bits.h"
#include "base/sort.h"
#include "collision/neighbours.h"

/* Cells along the side of a block, and in a block; along x and y, and along z, of its footprint: with those that its
   pairs reach into. */
#define NEAR_SIDE       4u
#define NEAR_CELLS      64u
#define NEAR_FOOT       6u
#define NEAR_FOOT_Z     5u
#define NEAR_FOOT_CELLS (NEAR_FOOT * NEAR_FOOT * NEAR_FOOT_Z)

#define NEAR_COLOURS 64u

/* Blocks in a task. */
#define NEAR_BLOCKS_A_TASK 4u

/* With so many pairs in a block memory is said to have run out. */
#define NEAR_MOST_PAIRS (UINT64_C(1) << 30)

/* No block. */
#define NEAR_NONE UINT32_MAX

/* ---- Levels ------------------------------------------------------------------------------------------------------ */

/* Mantissas of reaches fall into so many bins: enough to choose a good one for the edge of cells. */
#define NEAR_BINS 8u

typedef struct near_measure {
    uint32_t count[NEAR_BINS];
    uint64_t top[NEAR_BINS]; /* the largest mantissa */
} near_measure;

/* Edges of cells are 2 m 2^level: spheres that reach up to m 2^level are in that level. */
typedef struct near_level {
    uint32_t level;
    uint32_t first, end; /* its blocks */
    double edge;         /* of a cell; may be infinite */
    double inverse;      /* 1 / edge; 0: there is but one cell */
} near_level;

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

/* Sorted by level, then by place. */
struct sn_near_block {
    uint64_t key;
    uint64_t cells;                 /* a bit for each cell that has spheres */
    uint32_t first, end;            /* its spheres, in sorted order */
    uint32_t level;                 /* of the list of levels */
    uint32_t found_at, found;       /* pairs of its spheres with larger ones: where they were put, and how many */
    uint32_t sorted_at;             /* and where they are in the order of blocks */
    uint32_t cross, cross_end;      /* pairs of its spheres with smaller ones, as routed */
    uint32_t batch_at, batches;     /* where they were put, and how many */
    uint32_t final_at, final_block; /* the same in the final order, and which block it is there */
    uint32_t pairs;
    bool crowded; /* the scratch had too little room: it needs so much, or more */
    uint32_t crowd_spheres;
    uint64_t crowd_pairs;
};

/* The coordinates of a block, wrapped; see neighbours_cells.c. */
typedef struct near_place {
    uint32_t level, x, y, z;
} near_place;

/* ---- Scratch ----------------------------------------------------------------------------------------------------- */

typedef struct near_pair {
    uint32_t a, b;
} near_pair;

/* Batches that are being filled, as many as a word has bits. */
#define NEAR_OPEN 64u

typedef struct near_window {
    uint64_t open;             /* which are */
    uint32_t batch[NEAR_OPEN]; /* their numbers */
    uint32_t count[NEAR_OPEN]; /* pairs that they have */
    near_pair pair[NEAR_OPEN][SN_NEAR_LANES];
    uint32_t next; /* to be closed where there is no room left */
} near_window;

/* Several spheres are compared at once, in vain beyond the last, and what is no pair is written, too: so much more
   room. */
#define NEAR_SPARE 4u

/* One worker's: spheres of a block and of the cells around it, gathered, and their pairs. */
typedef struct near_scratch {
    uint32_t sphere_capacity;
    uint64_t pair_capacity;
    bool crowded; /* there are more than there is room for: the rest is counted only */
    uint32_t spheres;
    uint64_t pairs;
    sn_real *x, *y, *z, *w; /* by local number */
    uint32_t *id;           /* index of the sphere */
    uint32_t *local;        /* by sorted place, from the block's first: the local number */
    uint64_t *used;         /* colours */
    near_pair *pair;
    uint32_t *lane; /* by pair: its colour first, then its lane in the batches of the block, eight to a batch */
    uint32_t start[NEAR_FOOT_CELLS + 1]; /* first sphere of each cell of the footprint */
    near_window window;
} near_scratch;

/* ---- The work ---------------------------------------------------------------------------------------------------- */

/* Blocks by key: open addressing, filled by several threads. Which slot a key gets may depend on them; nothing that
   comes out does. */
typedef struct near_hash {
    atomic_uint_least64_t *key; /* and one; 0: empty */
    uint32_t *rank;             /* of the block */
    uint32_t *list;             /* slots in use */
    uint32_t capacity;          /* a power of two */
    uint32_t shift;
    atomic_uint used;
} near_hash;

typedef struct near_job near_job;

/* Does something for one block; says in it what it needed, if the scratch had too little of it. */
typedef void near_pass_fn(near_job *job, uint32_t rank, near_scratch *scratch);

struct near_job {
    sn_neighbours *n;
    const sn_near_input *in;
    const sn_allocator *allocator;
    sn_parallel *parallel;
    bool lost;

    uint32_t piece, pieces; /* spheres in a piece, and how many there are: a matter of the count of spheres alone */
    near_measure *measure;
    uint64_t mantissa; /* m: what comes after the point, as bits of a double */
    double scale;      /* edges of level 0 */

    near_hash hash;
    uint32_t *slot; /* by sphere: NEAR_NONE: not looked at */
    uint8_t *cell;  /* by sphere: in its block */

    /* Being sorted: see sn_near_sort. */
    uint64_t *item, *other;
    uint32_t items, item_piece, item_pieces;
    uint32_t *count; /* by piece and digit */
    uint32_t digit_at, digit_bits;

    sn_vec4 *centre;    /* in sorted order, as all that follows */
    uint64_t *sorted;   /* 64 rank + cell, and index */
    uint32_t *cell_end; /* cells of a block that have spheres, from its first sphere's place on: where they end */

    sn_near_block *block;
    uint32_t blocks;
    near_level *level;
    uint32_t levels;

    near_pair *found; /* places of the smaller and the larger sphere */
    uint64_t found_capacity;
    near_pair *cross; /* the same by rank of the smaller one's block: see sorted_at */
    uint64_t *route;  /* numbers of those, by rank of the larger one's */

    sn_near_batch *batch;
    uint8_t *lanes;
    uint64_t batch_capacity;
    atomic_uint_least64_t bump; /* places taken of found, or of batch */

    char *scratch; /* of all workers */
    uint32_t scratch_spheres, scratch_pairs;
    uint64_t scratch_lines; /* of one */
    uint32_t workers;
    near_pass_fn *pass;
};

/* Runs a loop, shared if the work (ns) is worth it. False if memory ran out or tasks were lost. */
bool sn_near_run(near_job *job, uint32_t tasks, double work, sn_task_fn *task);

/* neighbours_sort.c: sorts job->item, with job->other as scratch, by the upper halves of the items, numbers up to
   `most`; equal ones keep their order. The two may have changed places afterwards. */
bool sn_near_sort(near_job *job, uint32_t items, uint32_t most);

/* A piece of a loop over so many items, of which there are at most NEAR_PIECES. */
#define NEAR_PIECES 128u
uint32_t sn_near_piece(uint32_t items);

/* neighbours_cells.c */
bool sn_near_make_cells(near_job *job);
uint64_t sn_near_cell_along(double x, double inverse);                    /* the number of the cell, */
uint64_t sn_near_key(uint32_t level, uint64_t x, uint64_t y, uint64_t z); /*   and from a quarter of that */
near_place sn_near_place_of(uint64_t key);
uint32_t sn_near_find_block(const near_job *job, uint64_t key); /* its rank; NEAR_NONE: has no spheres */

/* neighbours_levels.c: what a block's spheres have with larger ones; and whose pairs they are. */
bool sn_near_find_between_levels(near_job *job);

/* neighbours_pairs.c */
bool sn_near_find_pairs(near_job *job);

/* Makes a pass over all blocks: first with the scratch of workers, then, one by one, over those with too
   much for it. */
bool sn_near_run_blocks(near_job *job, double work, near_pass_fn *pass);
uint32_t sn_near_block_tasks(const near_job *job);

/* The number of the sphere whose index is in the lower half of an item. */
static inline uint32_t near_number(const near_job *job, uint64_t item)
{
    return job->in->number ? job->in->number[(uint32_t)item] : (uint32_t)item;
}

/* Where the spheres of a block's cell begin that is the ordinal-th of those that have any. */
static inline uint32_t near_cell_start(const near_job *job, const sn_near_block *block, uint32_t ordinal)
{
    return ordinal ? job->cell_end[block->first + ordinal - 1] : block->first;
}

#endif

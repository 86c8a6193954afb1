/* Shared declarations of the search for neighbours. Its steps, in order:

   - neighbours_cells.c: choose cell sizes; find the block and cell of each sphere; sort spheres by these (the sort is
     in neighbours_sort.c).
   - neighbours_levels.c: find pairs between levels, and sort them by the block that they belong to.
   - neighbours_pairs.c: find the pairs of each level, block by block, and put all pairs of a block into batches.
   - neighbours.c: memory, and the final order of batches. */
#ifndef SN_COLLISION_NEIGHBOURS_WORK_H
#define SN_COLLISION_NEIGHBOURS_WORK_H

#include "base/bits.h"
#include "base/sort.h"
#include "collision/neighbours.h"

/* Cells along a side of a block, and in a block. Cells of its footprint along x and y, along z, and in total: the
   footprint includes the cells that its pairs reach into. */
#define NEAR_SIDE       4u
#define NEAR_CELLS      64u
#define NEAR_FOOT       6u
#define NEAR_FOOT_Z     5u
#define NEAR_FOOT_CELLS (NEAR_FOOT * NEAR_FOOT * NEAR_FOOT_Z)

#define NEAR_COLOURS 64u

/* Blocks for each task. */
#define NEAR_BLOCKS_A_TASK 4u

/* A block with this many pairs is reported as out of memory. */
#define NEAR_MOST_PAIRS (UINT64_C(1) << 30)

/* No block. */
#define NEAR_NONE UINT32_MAX

/* ---- Levels ------------------------------------------------------------------------------------------------------ */

/* Number of bins for the mantissas of reaches: enough to choose a good cell size. */
#define NEAR_BINS 8u

typedef struct near_measure {
    uint32_t count[NEAR_BINS];
    uint64_t top[NEAR_BINS]; /* the largest mantissa */
} near_measure;

/* The edge of a cell is 2 m 2^level: spheres with a reach of up to m 2^level are in that level. */
typedef struct near_level {
    uint32_t level;
    uint32_t first, end; /* its blocks */
    double edge;         /* of a cell; may be infinite */
    double inverse;      /* 1 / edge; 0: there is only one cell */
} near_level;

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

/* Sorted by level, then along the Morton curve. */
struct sn_near_block {
    uint64_t key;
    uint64_t cells;                 /* one bit for each cell with spheres */
    uint32_t first, end;            /* its spheres, in sorted order */
    uint32_t level;                 /* index in the list of levels */
    uint32_t found_at, found;       /* pairs of its spheres with larger ones: position and number */
    uint32_t sorted_at;             /* position of these pairs in the order of blocks */
    uint32_t cross, cross_end;      /* pairs of its spheres with smaller ones, after routing */
    uint32_t batch_at, batches;     /* position and number of its batches */
    uint32_t final_at, final_block; /* their position in the final order, and the block's number there */
    uint32_t pairs;
    bool crowded; /* the scratch was too small; the next two tell how much it needs at least */
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

/* Open batches, as many as a word has bits. */
#define NEAR_OPEN 64u

typedef struct near_window {
    uint64_t open;             /* a bit for each open batch */
    uint32_t batch[NEAR_OPEN]; /* their numbers */
    uint32_t count[NEAR_OPEN]; /* number of pairs in each */
    near_pair pair[NEAR_OPEN][SN_NEAR_LANES];
    uint32_t next; /* next batch to close when none is free */
} near_window;

/* Extra room: several spheres are compared at once, beyond the last one too, and entries that are no pairs are also
   written. */
#define NEAR_SPARE 4u

/* The scratch memory of a worker: the spheres of a block and of the cells around it, and their pairs. */
typedef struct near_scratch {
    uint32_t sphere_capacity;
    uint64_t pair_capacity;
    bool crowded; /* there is not enough room: further entries are only counted */
    uint32_t spheres;
    uint64_t pairs;
    sn_real *x, *y, *z, *w; /* by local number */
    uint32_t *id;           /* index of the sphere */
    uint32_t *local;        /* by sorted position, from the block's first: the local number */
    uint64_t *used;         /* bits of used colours */
    near_pair *pair;
    uint32_t *lane; /* for each pair: first its colour, later its lane in the batches of the block, eight to a batch */
    uint32_t start[NEAR_FOOT_CELLS + 1]; /* first sphere of each cell of the footprint */
    near_window window;
} near_scratch;

/* ---- The work ---------------------------------------------------------------------------------------------------- */

/* Blocks by key: open addressing, filled by several threads. The slot of a key may depend on the threads; no result
   does. */
typedef struct near_hash {
    atomic_uint_least64_t *key; /* key + 1; 0: empty */
    uint32_t *rank;             /* of the block */
    uint32_t *list;             /* slots in use */
    uint32_t capacity;          /* a power of two */
    uint32_t shift;
    atomic_uint used;
} near_hash;

typedef struct near_job near_job;

/* Handles one block. If the scratch was too small, sets in the block how much it needs. */
typedef void near_pass_fn(near_job *job, uint32_t rank, near_scratch *scratch);

struct near_job {
    sn_neighbours *n;
    const sn_near_input *in;
    const sn_allocator *allocator;
    sn_parallel *parallel;
    bool lost;

    uint32_t piece, pieces; /* spheres in a piece, and pieces: depend only on the number of spheres */
    near_measure *measure;
    uint64_t mantissa; /* m: the bits of its mantissa */
    double scale;      /* edge of level 0 */

    near_hash hash;
    uint32_t *slot; /* for each sphere; NEAR_NONE: left out */
    uint8_t *cell;  /* for each sphere: its cell in the block */

    /* Being sorted: see sn_near_sort. */
    uint64_t *item, *other;
    uint32_t items, item_piece, item_pieces;
    uint32_t *count; /* by piece and digit */
    uint32_t digit_at, digit_bits;

    sn_vec4 *centre;    /* in sorted order, like everything below */
    uint64_t *sorted;   /* upper half: 64 rank + cell; lower half: index */
    uint32_t *cell_end; /* from a block's first sphere on: the ends of its cells that have spheres */

    sn_near_block *block;
    uint32_t blocks;
    near_level *level;
    uint32_t levels;

    near_pair *found; /* sorted positions of the smaller and the larger sphere */
    uint64_t found_capacity;
    near_pair *cross; /* the same by rank of the smaller sphere's block: see sorted_at */
    uint64_t *route;  /* numbers of those pairs, by rank of the larger sphere's block */

    sn_near_batch *batch;
    uint8_t *lanes;
    uint64_t batch_capacity;
    atomic_uint_least64_t bump; /* entries of found, or of batch, in use */

    char *scratch; /* of all workers */
    uint32_t scratch_spheres, scratch_pairs;
    uint64_t scratch_lines; /* of one worker */
    uint32_t workers;
    near_pass_fn *pass;
};

/* Runs a loop, in parallel if the work (ns) is worth it. False if memory ran out or tasks were lost. */
bool sn_near_run(near_job *job, uint32_t tasks, double work, sn_task_fn *task);

/* neighbours_sort.c: stable sort of job->item, with job->other as scratch, by the upper halves of the items, which are
   at most `most`. The two arrays may be swapped afterwards. */
bool sn_near_sort(near_job *job, uint32_t items, uint32_t most);

/* The size of a piece of a loop over this many items. There are at most NEAR_PIECES pieces. */
#define NEAR_PIECES 128u
uint32_t sn_near_piece(uint32_t items);

/* neighbours_cells.c */
bool sn_near_make_cells(near_job *job);
uint64_t sn_near_cell_along(double x, double inverse);                    /* the number of the cell */
uint64_t sn_near_key(uint32_t level, uint64_t x, uint64_t y, uint64_t z); /* from cell numbers / 4 */
near_place sn_near_place_of(uint64_t key);
uint32_t sn_near_find_block(const near_job *job, uint64_t key); /* its rank; NEAR_NONE: it has no spheres */

/* neighbours_levels.c: finds pairs with larger spheres and the blocks that they belong to. */
bool sn_near_find_between_levels(near_job *job);

/* neighbours_pairs.c */
bool sn_near_find_pairs(near_job *job);

/* Runs a pass over all blocks: first with the scratch of workers, then, one by one, over the blocks that need more. */
bool sn_near_run_blocks(near_job *job, double work, near_pass_fn *pass);
uint32_t sn_near_block_tasks(const near_job *job);

/* The number of the sphere whose index is in the lower half of an item. */
static inline uint32_t near_number(const near_job *job, uint64_t item)
{
    return job->in->number ? job->in->number[(uint32_t)item] : (uint32_t)item;
}

/* The position of the first sphere of a block's ordinal-th cell with spheres. */
static inline uint32_t near_cell_start(const near_job *job, const sn_near_block *block, uint32_t ordinal)
{
    return ordinal ? job->cell_end[block->first + ordinal - 1] : block->first;
}

#endif

/* The broad phase: finds pairs of nearby spheres once a step, in the order in which they are solved.

   Spheres are sorted into cells, and cells into *blocks* of 4 x 4 x 4. Spheres of very different sizes are in cells of
   different sizes: each *level* has cells twice as large as the level below, and two spheres of a level that overlap
   are in the same or neighbouring cells. A pair of one level belongs to the block of the cell that comes first. A pair
   of two levels belongs to the block of the larger sphere. So the pairs of a block reach at most one cell beyond it,
   and blocks of a level with another block between them share no sphere. Blocks with the same parity along x, y and z
   form a *colour* and can be solved in parallel. Colours are solved one after the other, at most eight for each level.

   Inside a block pairs are coloured again, into *batches* of eight pairs that share no sphere. Full batches come first,
   colour by colour; then batches with the remaining pairs of the colours, and with those of large spheres that have
   many pairs.

   Coordinates of blocks wrap around after 131,072 blocks. Spheres that far apart are compared unnecessarily, with no
   other effect. Positions may have any finite size. The result depends only on the input: not on threads or on earlier
   calls, and, where spheres have numbers, not on the order in which they are stored. */
#ifndef SN_COLLISION_NEIGHBOURS_H
#define SN_COLLISION_NEIGHBOURS_H

#include "base/parallel.h"
#include "base/vec.h"

/* The input. w of a sphere is its reach (m): its radius, and its half of the gap within which pairs are wanted. Spheres
   with a w that is negative or not a number, or with a centre that is not finite, are left out.

   The filter is called by several threads at once, with the lower number first, and perhaps more than once for a pair:
   it must be a pure function. */
typedef struct sn_near_input {
    uint32_t count;                                     /* spheres, at most SN_NEAR_MOST */
    const sn_vec4 *sphere;                              /* centre (m), reach (m) */
    const uint32_t *number;                             /* unique numbers of the spheres; NULL: the index */
    bool (*wanted)(void *data, uint32_t a, uint32_t b); /* the filter; NULL: all pairs are wanted */
    void *data;
} sn_near_input;

#define SN_NEAR_MOST ((UINT32_C(1) << 26) - 1)

#define SN_NEAR_LANES 8u

/* Pairs of which no two share a sphere, the lower number in a. A batch is one cache line. Lanes without a pair come
   last and repeat lane 0: it is harmless to compute them and to store their result again, but not to add it. */
typedef struct sn_near_batch {
    uint32_t a[SN_NEAR_LANES], b[SN_NEAR_LANES]; /* indices of spheres */
} sn_near_batch;

typedef struct sn_near_block sn_near_block; /* private */

/* Must be initialised. The results of find are valid until the next call. */
typedef struct sn_neighbours {
    uint32_t pairs;
    uint32_t batches, blocks, colours;
    sn_near_batch *batch; /* the batches of a block are consecutive, in the order of blocks */
    uint8_t *lanes;       /* of each batch: the number of its pairs, 1 .. 8 */
    uint32_t *block;      /* block[i] .. block[i + 1] - 1: the batches of block i, at least one */
    uint32_t *by_place;   /* all blocks in the order of the search: neighbouring blocks have different colours */
    uint32_t *colour; /* colour[c] .. colour[c + 1] - 1: the blocks of colour c, at least one. They share no sphere */

    /* Memory, kept from call to call. */
    sn_table measure_table; /* for each piece of the spheres: sizes */
    sn_table sphere_table;  /* for each sphere: sorting, and centres in the order of cells */
    sn_table count_table;   /* for the radix sort */
    sn_table hash_table;    /* blocks by key */
    sn_table cell_table;    /* blocks with spheres */
    sn_table level_table;   /* levels with spheres */
    sn_table found_table;   /* pairs between levels, in the order found */
    sn_table route_table;   /* and by the block that they belong to */
    sn_table scratch_table; /* for each worker */
    sn_table crowd_table;   /* for blocks that need more scratch than that */
    sn_table batch_table[2];
    sn_table block_table;
    sn_table colour_table;
} sn_neighbours;

void sn_neighbours_init(sn_neighbours *neighbours);
void sn_neighbours_release(sn_neighbours *neighbours, const sn_allocator *allocator);

/* Finds all pairs with |xa - xb|^2 <= (wa + wb)^2, as computed in sn_real, each once. parallel NULL: on this thread.
   Memory grows with the spheres and pairs and is kept: a call that needs no more than an earlier one allocates nothing.
   False, without pairs, when memory runs out, when there are more spheres than SN_NEAR_MOST, or when the task system
   lost tasks (*lost). */
bool sn_neighbours_find(sn_neighbours *neighbours, const sn_allocator *allocator, sn_parallel *parallel,
                        const sn_near_input *input, bool *lost);

/* The order of spheres along the search's space-filling curve: neighbours in this order are mostly near each other in
   space. There must be at least one sphere. The lower half of each item is the index of a sphere. Spheres that are left
   out come last, in their old order. Valid until the next call; it overwrites the results of find. NULL for the same
   failures. */
const uint64_t *sn_neighbours_order(sn_neighbours *neighbours, const sn_allocator *allocator, sn_parallel *parallel,
                                    const sn_near_input *input, bool *lost);

#endif

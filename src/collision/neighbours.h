/* Which spheres come near each other, found once a step, in the order in which they are solved.

   Spheres are sorted into cells, and cells into *blocks* of 4 x 4 x 4. Spheres of very different sizes live in cells
   of different sizes: each *level* has cells twice as large as the one below, and two spheres of a level that meet
   are in cells that touch. A pair of one level belongs to the block of the cell that comes first, a pair of two
   levels to the block of the larger sphere. So the pairs of a block reach no further than one cell beyond it, and
   blocks of a level that have another one between them share no sphere: those that are alike odd or even along x, y
   and z make up a *colour* and can be solved side by side. Colours come one after the other, eight for a level at
   most.

   Inside a block pairs are coloured again, into *batches* of eight of which no two share a sphere: full batches colour
   by colour, then those with what is left of the colours, and with the many pairs that a large sphere may have.

   Coordinates of blocks wrap around after 131,072 of them. Spheres so far apart are compared in vain, no more;
   places may be as far away as numbers go. All of it depends on the input alone: neither on threads, nor on calls
   before; nor, where spheres have numbers, on the order in which they are stored. */
#ifndef SN_COLLISION_NEIGHBOURS_H
#define SN_COLLISION_NEIGHBOURS_H

#include "base/parallel.h"
#include "base/vec.h"

/* What is looked at. In w of a sphere is how far it reaches (m): its radius, and its half of the gap in which pairs are
   wanted. Spheres with a w that is negative or not a number, or with a centre that is not finite, are left out.

   The filter is called by several threads at once, with the lower number first, and perhaps more than once for a pair: it
   must be a pure function. */
typedef struct sn_near_input {
    uint32_t count;         /* spheres, at most SN_NEAR_MOST */
    const sn_vec4 *sphere;  /* centre (m), reach (m) */
    const uint32_t *number; /* by which they are told apart, no two alike; NULL: the index */
    bool (*wanted)(void *data, uint32_t a, uint32_t b); /* NULL: all pairs are */
    void *data;
} sn_near_input;

#define SN_NEAR_MOST ((UINT32_C(1) << 26) - 1)

#define SN_NEAR_LANES 8u

/* Pairs of which no two share a sphere, the lower number in a: a cache line. Lanes without a pair come last and repeat
   lane 0: it changes nothing to compute them and to store the result again; to add it to what is there would. */
typedef struct sn_near_batch {
    uint32_t a[SN_NEAR_LANES], b[SN_NEAR_LANES]; /* indices of spheres */
} sn_near_batch;

typedef struct sn_near_block sn_near_block; /* the implementation's */

/* To be initialised. What find gives is valid until the next call. */
typedef struct sn_neighbours {
    uint32_t pairs;
    uint32_t batches, blocks, colours;
    sn_near_batch *batch; /* those of a block one after the other, in the order of blocks */
    uint8_t *lanes;       /* of each batch: how many have a pair, 1 .. 8 */
    uint32_t *block;      /* block[i] .. block[i + 1] - 1: the batches of block i; at least one */
    uint32_t *by_place;   /* all blocks in the order of the search: those near each other are of different colours */
    uint32_t *colour; /* colour[c] .. colour[c + 1] - 1: the blocks of colour c, which share no sphere; at least one */

    /* Memory, kept from call to call. */
    sn_table measure_table; /* by piece of the spheres: sizes */
    sn_table sphere_table;  /* by sphere: sorting, and centres in the order of cells */
    sn_table count_table;   /* of the radix sort */
    sn_table hash_table;    /* blocks by key */
    sn_table cell_table;    /* blocks as occupied */
    sn_table level_table;   /* levels as occupied */
    sn_table found_table;   /* pairs between levels, as found */
    sn_table route_table;   /* and by the block that they belong to */
    sn_table scratch_table; /* for each worker */
    sn_table crowd_table;   /* for blocks too crowded for that */
    sn_table batch_table[2];
    sn_table block_table;
    sn_table colour_table;
} sn_neighbours;

void sn_neighbours_init(sn_neighbours *neighbours);
void sn_neighbours_release(sn_neighbours *neighbours, const sn_allocator *allocator);

/* Finds all pairs with |xa - xb|^2 <= (wa + wb)^2 as sn_real computes it, each once. parallel NULL: on this thread.
   Memory grows with the spheres and pairs and is kept: a call that needs no more than one before allocates nothing.
   False when memory runs out, there are more spheres than SN_NEAR_MOST, or the task system lost tasks (*lost); there
   are no pairs then. */
bool sn_neighbours_find(sn_neighbours *neighbours, const sn_allocator *allocator, sn_parallel *parallel,
                        const sn_near_input *input, bool *lost);

/* The spheres, at least one, in the order in which the search goes through space, where those that are near each other mostly are near in
   space: the lower half of each item is the index of a sphere. Those that are left out come last, as they were. Valid until
   the next call; what find gave is gone. NULL as above. */
const uint64_t *sn_neighbours_order(sn_neighbours *neighbours, const sn_allocator *allocator, sn_parallel *parallel,
                                    const sn_near_input *input, bool *lost);

#endif

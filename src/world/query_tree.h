/* Trees that queries look things up in. Scratch, never state: what a query finds does not depend on whether there is a
   tree. */
#ifndef SN_WORLD_QUERY_TREE_H
#define SN_WORLD_QUERY_TREE_H

#include "collision/bvh.h"
#include "collision/shape.h"

typedef enum sn_query_set {
    SN_SET_PARTICLES, /* items: slots */
    SN_SET_SKINS,     /* items: rows of the table of triangles */
    SN_SET_COLLIDERS, /* items: rows of the table of colliders */
    SN_SET_BODIES,    /* items: rows of the table of bodies, some of which may be free */
    SN_SET_COUNT
} sn_query_set;

typedef struct sn_query_tree {
    sn_bvh bvh;
    sn_table bounds_table; /* of sn_bounds, by item */
    uint64_t moves, edits; /* of the world, when somebody last asked */
    uint32_t asked;        /* so many queries since something changed */
    bool current;          /* the tree is one of things as they are */
    double surface;        /* m^2: of all nodes together when it was built */
} sn_query_tree;

typedef struct sn_query_trees {
    sn_query_tree tree[SN_SET_COUNT];
} sn_query_trees;

struct sn_world;

void sn_query_trees_init(sn_query_trees *trees);
void sn_query_trees_release(sn_query_trees *trees, const sn_allocator *allocator);

/* How many items there are. */
uint32_t sn_query_items(const struct sn_world *world, sn_query_set set);

/* The box around an item, which is in it with a margin for rounding. */
sn_bounds sn_query_bounds(const struct sn_world *world, sn_query_set set, uint32_t item);

/* Where a part of a body is now. */
sn_pose sn_query_part_pose(const struct sn_world *world, uint32_t row, uint32_t part);

/* The tree of a set, brought up to date; NULL if looking at every item is better: there are few of them, they have
   moved and nobody has asked often since, memory has run out, or the world is busy, when several threads may ask. */
const sn_bvh *sn_query_tree_of(const struct sn_world *world, sn_query_set set);

#endif

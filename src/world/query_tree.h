/* Trees that queries look things up in. Scratch, never state: what a query finds does not depend on whether there is a
   tree. */
#ifndef SN_WORLD_QUERY_TREE_H
#define SN_WORLD_QUERY_TREE_H

#include "base/errors.h"
#include "collision/bvh_quads.h"
#include "collision/shape.h"

#include <stdatomic.h>

typedef enum sn_query_set {
    SN_SET_PARTICLES, /* items: slots */
    SN_SET_SKINS,     /* items: rows of the table of triangles */
    SN_SET_FIXED,     /* items: rows of the table of fixed shapes */
    SN_SET_BODIES,    /* items: rows of the table of bodies, some of which may be free */
    SN_SET_COUNT
} sn_query_set;

typedef struct sn_query_tree {
    sn_bvh bvh;
    sn_bvh_quads quads;          /* of the tree */
    sn_table bounds_table;       /* of sn_bounds, by item */
    atomic_uint_least64_t fresh; /* the stamp of the world that the tree is of; 0: of none */
    uint64_t asked_at;           /* behind the gate: the stamp of the world when it was last asked, */
    uint32_t asked;              /*   and how many have since */
    double surface;              /* m^2: of all nodes together when it was built */
} sn_query_tree;

/* Any number of threads ask at once; the world stands still while they do. A thread that finds that a tree is not of the world as it
   is may make it anew, one thread at a time; the others do without. A tree that is fresh is only read. */
typedef struct sn_query_trees {
    sn_query_tree tree[SN_SET_COUNT];
    atomic_flag gate;      /* held by the thread that makes a tree */
    atomic_flag reporting; /* held by the thread whose query is refused */
    atomic_uint callbacks; /* so many threads run the caller's code within a query now */
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

/* The tree of a set as it is now; NULL if looking at every item is better: there are few of them, they have moved and
   there were few queries since, another thread makes the tree, memory has run out, or a step is under way. Any number of
   threads may ask. */
const sn_query_tree *sn_query_tree_of(const struct sn_world *world, sn_query_set set);

/* The same for a query that will look at every item: the tree is made at once if it can be. */
const sn_query_tree *sn_query_tree_now(const struct sn_world *world, sn_query_set set);

/* The same if it is there already: NULL otherwise, and it is not counted as asked for. */
const sn_query_tree *sn_query_tree_if_fresh(const struct sn_world *world, sn_query_set set);

/* Brings the tree of a set up to date, where there are enough items for one. False when memory runs out. */
bool sn_query_tree_prepare(struct sn_world *world, sn_query_set set);

/* A tree of the set as it is now, for use in the middle of a step. Other queries do not see it. NULL: there are few items, or memory has run out. */
const sn_query_tree *sn_query_tree_within(struct sn_world *world, sn_query_set set);

/* Whether there is a tree of the set as it is now. */
bool sn_query_tree_is_fresh(const struct sn_world *world, sn_query_set set);

/* The boxes of a tree that is fresh, by item. */
static inline const sn_bounds *query_tree_bounds(const sn_query_tree *tree)
{
    return tree->bounds_table.column[0];
}

/* Around code that may call a function of the caller's: the world can then be asked and not changed. */
void sn_query_enter_callback(const struct sn_world *world);
void sn_query_leave_callback(const struct sn_world *world);

/* query_intersections.c: whether a triangle intersects one of these, none of whose corners has moved by more than `by` (m) since they were collected. */
typedef struct sn_query_triangles {
    const sn_query_tree *tree; /* all; or, if there is none, */
    const uint32_t *item;      /*   these; NULL: all, */
    uint32_t count;            /*   so many */
} sn_query_triangles;

bool sn_query_triangle_intersects(const struct sn_world *world, const sn_query_triangles *of, sn_real by,
                                  uint32_t item);

/* A query is refused, for this reason; on any thread. */
void sn_query_refuse(const struct sn_world *world, const char *format, ...) SN_PRINTF(2, 3);

#endif

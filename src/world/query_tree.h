/* Trees for queries. Scratch data, not state: results of queries do not depend on whether there is a tree. */
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
    atomic_uint_least64_t fresh; /* stamp of the world for which the tree is valid; 0: none */
    uint64_t asked_at;           /* protected by the gate: stamp of the world at the last query */
    uint32_t asked;              /* and the number of queries since */
    double surface;              /* m^2: sum over all nodes when it was built */
} sn_query_tree;

/* Any number of threads may query at once, while the world does not change. A thread that finds an outdated tree may
   update it, one thread at a time; the other threads search without it. A fresh tree is only read. */
typedef struct sn_query_trees {
    sn_query_tree tree[SN_SET_COUNT];
    atomic_flag gate;      /* held by the thread that makes a tree */
    atomic_flag reporting; /* held by the thread that reports a refused query */
    atomic_uint callbacks; /* number of threads that are running the caller's code in a query */
} sn_query_trees;

struct sn_world;

void sn_query_trees_init(sn_query_trees *trees);
void sn_query_trees_release(sn_query_trees *trees, const sn_allocator *allocator);

/* Number of items, including free ones. */
uint32_t sn_query_items(const struct sn_world *world, sn_query_set set);

/* The box of an item, with a margin for rounding. */
sn_bounds sn_query_bounds(const struct sn_world *world, sn_query_set set, uint32_t item);

/* The present pose of a part of a body. */
sn_pose sn_query_part_pose(const struct sn_world *world, uint32_t row, uint32_t part);

/* The up-to-date tree of a set. NULL if testing every item is better: there are few items; they have moved, and there
   were few queries since; another thread makes the tree; memory has run out; or a step is running. May be called from
   any number of threads. */
const sn_query_tree *sn_query_tree_of(const struct sn_world *world, sn_query_set set);

/* The same for a caller that will search for every item: the tree is made at once if possible. */
const sn_query_tree *sn_query_tree_now(const struct sn_world *world, sn_query_set set);

/* The same if the tree is already up to date; otherwise NULL, and the call is not counted as a query. */
const sn_query_tree *sn_query_tree_if_fresh(const struct sn_world *world, sn_query_set set);

/* Updates the tree of a set, if it has enough items. False when memory runs out. */
bool sn_query_tree_prepare(struct sn_world *world, sn_query_set set);

/* A tree of the present set for use during a step. Other queries do not use it. NULL: there are few items, or memory
   has run out. */
const sn_query_tree *sn_query_tree_within(struct sn_world *world, sn_query_set set);

/* True if there is an up-to-date tree of the set. */
bool sn_query_tree_is_fresh(const struct sn_world *world, sn_query_set set);

/* The boxes of an up-to-date tree, by item. */
static inline const sn_bounds *query_tree_bounds(const sn_query_tree *tree)
{
    return tree->bounds_table.column[0];
}

/* Around code that may call the caller's function: the world can be queried meanwhile, but not changed. */
void sn_query_enter_callback(const struct sn_world *world);
void sn_query_leave_callback(const struct sn_world *world);

/* query_intersections.c: tests a triangle against these. None of their corners may have moved by more than `by` (m)
   since they were collected. */
typedef struct sn_query_triangles {
    const sn_query_tree *tree; /* all triangles; if NULL: */
    const uint32_t *item;      /* these; if NULL, all */
    uint32_t count;            /* their number */
} sn_query_triangles;

bool sn_query_triangle_intersects(const struct sn_world *world, const sn_query_triangles *of, sn_real by,
                                  uint32_t item);

/* The same for a triangle of three particles that is in no skin. */
bool sn_query_corners_intersect(const struct sn_world *world, const sn_query_triangles *of, sn_real by,
                                const uint32_t corner[3]);

/* True if two triangles of these corners intersect elsewhere than at corners that they share. */
bool sn_query_corners_cross(const struct sn_world *world, const uint32_t a[3], const uint32_t b[3]);

/* Sets the error of a refused query. Works on any thread. */
void sn_query_refuse(const struct sn_world *world, const char *format, ...) SN_PRINTF(2, 3);

#endif

/* The broad phase of fixed shapes: finds those near a box. The cost of a query depends on what is near, not on the
   number of shapes.

   Fixed shapes at rest are in a tree that is rebuilt when enough of them were edited, never because a step is taken.
   Shapes that move, and shapes that were edited since, are few: they are in a second tree, which is rebuilt when they
   change. Fixed shapes without bounds, such as most planes, are in a list.

   The trees are scratch. The order in which a query visits fixed shapes depends on the history of edits; the set of
   shapes that it visits does not. */
#ifndef SN_CONTACT_FIXED_TREE_H
#define SN_CONTACT_FIXED_TREE_H

#include "collision/bvh.h"

typedef struct sn_fixed_tree {
    sn_table item_table;      /* by number: sn_bounds, the list that holds the shape, its place in that list */
    sn_table list_table[2];   /* numbers: shapes in the second tree, shapes without bounds */
    sn_table standing_table;  /* numbers by item of the first tree; and their sn_bounds, for building */
    sn_table loose_box_table; /* sn_bounds of the shapes in the second tree, by place in their list */
    sn_bvh standing, loose;
    uint32_t waiting;    /* number of loose shapes at rest, which the first tree will take in */
    bool loose_is_built; /* the second tree is up to date */
} sn_fixed_tree;

void sn_fixed_tree_init(sn_fixed_tree *tree);
void sn_fixed_tree_release(sn_fixed_tree *tree, const sn_allocator *allocator);

/* Makes room for the numbers below count. False when memory runs out. */
bool sn_fixed_tree_reserve(sn_fixed_tree *tree, const sn_allocator *allocator, uint32_t count);

/* set: adds a fixed shape, or changes its bounds. remove: removes it. Room was reserved. */
void sn_fixed_tree_set(sn_fixed_tree *tree, uint32_t number, const sn_bounds *bounds, bool moves);
void sn_fixed_tree_remove(sn_fixed_tree *tree, uint32_t number);

/* Removes all fixed shapes. */
void sn_fixed_tree_clear(sn_fixed_tree *tree);

/* Rebuilds the trees after the calls above, before queries. False when memory runs out. */
bool sn_fixed_tree_build(sn_fixed_tree *tree, const sn_allocator *allocator);

/* Visits the numbers of all fixed shapes whose bounds touch the box, each once, until visit returns false. */
void sn_fixed_tree_overlap(const sn_fixed_tree *tree, const sn_bounds *box, sn_bvh_visit *visit, void *data);

/* True if there is one. */
bool sn_fixed_tree_touches(const sn_fixed_tree *tree, const sn_bounds *box);

#endif

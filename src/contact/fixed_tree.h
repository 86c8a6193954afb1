/* The broad phase of fixed shapes: which of them are near a box. A query costs what is near, not what there is.

   Fixed shapes that stand are in a tree that is built when enough of them were edited, never because a step is taken. The others, those
   that move and those that were edited since, are few: they are in a second tree, which is built when they change. Fixed shapes
   without bounds, such as most planes, are in a list.

   The trees are scratch. In which order a query visits fixed shapes depends on the history of edits; which ones it visits does not. */
#ifndef SN_CONTACT_FIXED_TREE_H
#define SN_CONTACT_FIXED_TREE_H

#include "collision/bvh.h"

typedef struct sn_fixed_tree {
    sn_table item_table;      /* by number: sn_bounds, the list that it is in, its place there */
    sn_table list_table[2];   /* numbers: loose ones, unbounded ones */
    sn_table standing_table;  /* numbers by item of the first tree; and for building: their sn_bounds */
    sn_table loose_box_table; /* sn_bounds of the loose ones, by place in their list */
    sn_bvh standing, loose;
    uint32_t waiting;    /* of the loose ones so many stand, and wait to come into the tree */
    bool loose_is_built; /* the second tree has all that is loose */
} sn_fixed_tree;

void sn_fixed_tree_init(sn_fixed_tree *tree);
void sn_fixed_tree_release(sn_fixed_tree *tree, const sn_allocator *allocator);

/* Room for the numbers below count. False when memory runs out. */
bool sn_fixed_tree_reserve(sn_fixed_tree *tree, const sn_allocator *allocator, uint32_t count);

/* A fixed shape is there, within these bounds; or it is gone. Room was reserved. */
void sn_fixed_tree_set(sn_fixed_tree *tree, uint32_t number, const sn_bounds *bounds, bool moves);
void sn_fixed_tree_remove(sn_fixed_tree *tree, uint32_t number);

/* Forgets all fixed shapes. */
void sn_fixed_tree_clear(sn_fixed_tree *tree);

/* Builds what has to be built after the calls above, before queries. False when memory runs out. */
bool sn_fixed_tree_build(sn_fixed_tree *tree, const sn_allocator *allocator);

/* Visits the numbers of all fixed shapes whose bounds touch the box, each once, until visit returns false. */
void sn_fixed_tree_overlap(const sn_fixed_tree *tree, const sn_bounds *box, sn_bvh_visit *visit, void *data);

/* Whether there is one. */
bool sn_fixed_tree_touches(const sn_fixed_tree *tree, const sn_bounds *box);

#endif

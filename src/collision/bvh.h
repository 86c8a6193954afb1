/* A tree of boxes over things that have boxes: triangles of meshes and of cloth. */
#ifndef SN_COLLISION_BVH_H
#define SN_COLLISION_BVH_H

#include "base/memory.h"
#include "collision/touch.h"

#include <stdbool.h>

typedef struct sn_bvh_node {
    sn_bounds bounds;
    uint32_t left;  /* inner node: the left child; the right one is left + 1. Leaf: the first of its items */
    uint32_t count; /* 0: inner node; otherwise so many items, at most SN_BVH_LEAF */
} sn_bvh_node;

#define SN_BVH_LEAF  4u
#define SN_BVH_DEPTH 64u /* no deeper than this, whatever the items are like; the root has depth 0 */

typedef struct sn_bvh {
    sn_table node_table; /* of sn_bvh_node; the first is the root; children come after their parents */
    sn_table item_table; /* of uint32_t: items by leaf */
    sn_table work_table; /* for building only */
    uint32_t items;
} sn_bvh;

void sn_bvh_init(sn_bvh *bvh);
void sn_bvh_release(sn_bvh *bvh, const sn_allocator *allocator);

/* Builds the tree over count boxes, none of them empty or NaN; infinite ones are fine. The tree depends on the boxes
   and their order only, and has no more nodes than items. False when memory runs out: the tree is then empty. Memory
   that an earlier build took is used again: to build as many items or fewer allocates nothing. */
bool sn_bvh_build(sn_bvh *bvh, const sn_allocator *allocator, const sn_bounds *bounds, uint32_t count);

/* One more item, where its box makes others grow least; the tree is to be refitted then. False when memory runs out, or the tree would get too deep: it is as it was then. Many items
   make a tree that is worse than one that is built. */
bool sn_bvh_add(sn_bvh *bvh, const sn_allocator *allocator, const sn_bounds *bounds, uint32_t item);

/* Gives back the memory that only building needs, of a tree that will not be built again. */
void sn_bvh_trim(sn_bvh *bvh, const sn_allocator *allocator);

/* The same tree over boxes that have moved. Allocates nothing. In two parts: the leaves among some nodes, of which several threads may do
   some each, and then all others. */
void sn_bvh_refit(sn_bvh *bvh, const sn_bounds *bounds);
void sn_bvh_refit_leaves(const sn_bvh *bvh, const sn_bounds *bounds, uint32_t first, uint32_t end);
void sn_bvh_refit_inner(const sn_bvh *bvh);

/* Every query calls visit for items until it returns false. What is asked for is finite; only a reach may be
   infinite. */
typedef bool sn_bvh_visit(void *data, uint32_t item);

/* Every item whose leaf touches the box. The order is that of the tree. */
void sn_bvh_overlap(const sn_bvh *bvh, const sn_bounds *box, sn_bvh_visit *visit, void *data);

/* Items whose leaves a sphere on its way may touch at *t or before, about nearest first; visit lowers *t when it has
   found something. Rounding may add items, never lose one. */
void sn_bvh_cast(const sn_bvh *bvh, const sn_path *path, sn_real *t, sn_bvh_visit *visit, void *data);

/* Items whose leaves may be as near to p as *reach (m) or nearer, about nearest first; visit lowers *reach. Rounding
   may add items, never lose one. */
void sn_bvh_near(const sn_bvh *bvh, sn_vec3 p, sn_real *reach, sn_bvh_visit *visit, void *data);

#endif

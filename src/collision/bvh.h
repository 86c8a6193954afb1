/* A bounding volume hierarchy over items with boxes: triangles of meshes and of cloth. */
#ifndef SN_COLLISION_BVH_H
#define SN_COLLISION_BVH_H

#include "base/memory.h"
#include "collision/touch.h"

#include <stdbool.h>

typedef struct sn_bvh_node {
    sn_bounds bounds;
    uint32_t left;  /* inner node: the left child; the right child is left + 1. Leaf: its first item */
    uint32_t count; /* 0: inner node; otherwise the number of items, at most SN_BVH_LEAF */
} sn_bvh_node;

#define SN_BVH_LEAF  4u
#define SN_BVH_DEPTH 64u /* greatest depth, for any items; the root has depth 0 */

typedef struct sn_bvh {
    sn_table node_table; /* of sn_bvh_node; the first is the root; children come after their parents */
    sn_table item_table; /* of uint32_t: item numbers, leaf by leaf */
    sn_table work_table; /* only for building */
    uint32_t items;
} sn_bvh;

void sn_bvh_init(sn_bvh *bvh);
void sn_bvh_release(sn_bvh *bvh, const sn_allocator *allocator);

/* Builds the tree over count boxes. None may be empty or NaN; infinite boxes are allowed. The tree depends only on the
   boxes and their order, and has no more nodes than items. False when memory runs out: the tree is then empty. Memory
   of an earlier build is reused: building with no more items allocates nothing. */
bool sn_bvh_build(sn_bvh *bvh, const sn_allocator *allocator, const sn_bounds *bounds, uint32_t count);

/* Inserts an item where its box makes others grow least. Refit the tree afterwards. False, with the tree unchanged,
   when memory runs out or the tree would get too deep. After many insertions the tree is worse than a new one. */
bool sn_bvh_add(sn_bvh *bvh, const sn_allocator *allocator, const sn_bounds *bounds, uint32_t item);

/* Releases memory that only building needs. For a tree that will not be built again. */
void sn_bvh_trim(sn_bvh *bvh, const sn_allocator *allocator);

/* Updates the tree after boxes have moved. Allocates nothing. Also available in two parts: the leaves among nodes first
   .. end - 1, which several threads can share, and then all inner nodes. */
void sn_bvh_refit(sn_bvh *bvh, const sn_bounds *bounds);
void sn_bvh_refit_leaves(const sn_bvh *bvh, const sn_bounds *bounds, uint32_t first, uint32_t end);
void sn_bvh_refit_inner(const sn_bvh *bvh);

/* Every query calls visit for items until it returns false. The inputs must be finite; only a reach may be infinite. */
typedef bool sn_bvh_visit(void *data, uint32_t item);

/* Visits every item whose leaf touches the box, in the order of the tree. */
void sn_bvh_overlap(const sn_bvh *bvh, const sn_bounds *box, sn_bvh_visit *visit, void *data);

/* Visits items whose leaves a moving sphere may touch at *t or before, roughly nearest first. visit lowers *t when it
   finds a hit. Rounding may add items but never omits one. */
void sn_bvh_cast(const sn_bvh *bvh, const sn_path *path, sn_real *t, sn_bvh_visit *visit, void *data);

/* Visits items whose leaves may be within *reach (m) of p, roughly nearest first. visit lowers *reach. Rounding may add
   items but never omits one. */
void sn_bvh_near(const sn_bvh *bvh, sn_vec3 p, sn_real *reach, sn_bvh_visit *visit, void *data);

#endif

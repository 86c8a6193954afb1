/* The nodes of a tree of boxes, four children each, for casts: four boxes are looked at with the same instructions, and half of
   the levels are gone. It says what the tree says, and is made from it. */
#ifndef SN_COLLISION_BVH_QUADS_H
#define SN_COLLISION_BVH_QUADS_H

#include "collision/bvh.h"

/* Four children. Boxes by side and child, so that four of them are one vector; a child that is not there has an empty box. */
typedef struct sn_bvh_quad {
    sn_real low[3][4], high[3][4];
    uint32_t child[4]; /* a quad; or, if SN_QUAD_LEAF is set, a leaf of the tree */
    uint32_t node[4];  /* the node of the tree that it was */
} sn_bvh_quad;

#define SN_QUAD_LEAF 0x80000000u
#define SN_QUAD_NONE 0xffffffffu

typedef struct sn_bvh_quads {
    sn_table table; /* of sn_bvh_quad; the first is the root. Empty: the tree is one leaf, or nothing */
} sn_bvh_quads;

void sn_bvh_quads_init(sn_bvh_quads *quads);
void sn_bvh_quads_release(sn_bvh_quads *quads, const sn_allocator *allocator);

/* Made of a tree that was built. False when memory runs out: there are none then. */
bool sn_bvh_quads_make(sn_bvh_quads *quads, const sn_allocator *allocator, const sn_bvh *bvh);

/* After the tree was refitted. Allocates nothing. */
void sn_bvh_quads_refit(sn_bvh_quads *quads, const sn_bvh *bvh);

/* As sn_bvh_cast. */
void sn_bvh_quads_cast(const sn_bvh_quads *quads, const sn_bvh *bvh, const sn_path *path, sn_real *t,
                       sn_bvh_visit *visit, void *data);

/* Rays that go about the same way, followed together: a box is compared with all of them at once by what bounds them, and only a leaf with each.
   Each ray is shown every leaf that it enters before its time, so the answers are those of single casts. */
#define SN_PACKET 16u

typedef struct sn_bvh_packet {
    uint32_t count;
    const sn_path *path[SN_PACKET]; /* of radius 0 */
    sn_real *t[SN_PACKET];          /* as of sn_bvh_cast */
    void *data[SN_PACKET];
} sn_bvh_packet;

/* False, and nothing is done, if it would not pay, or cannot be: the rays differ too much. */
bool sn_bvh_quads_cast_packet(const sn_bvh_quads *quads, const sn_bvh *bvh, const sn_bvh_packet *packet,
                              sn_bvh_visit *visit);

#endif

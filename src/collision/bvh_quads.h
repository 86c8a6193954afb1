/* A copy of the tree with four children per node, for casts: four boxes are tested by the same instructions, and there
   are half as many levels. It is made from a tree and gives the same results. */
#ifndef SN_COLLISION_BVH_QUADS_H
#define SN_COLLISION_BVH_QUADS_H

#include "collision/bvh.h"

/* Four children. Boxes are stored by side and child, so that four of them form one vector. A missing child has an empty
   box. */
typedef struct sn_bvh_quad {
    sn_real low[3][4], high[3][4];
    uint32_t child[4]; /* a quad, or, with SN_QUAD_LEAF set, a leaf of the tree */
    uint32_t node[4];  /* the corresponding node of the tree */
} sn_bvh_quad;

#define SN_QUAD_LEAF 0x80000000u
#define SN_QUAD_NONE 0xffffffffu

typedef struct sn_bvh_quads {
    sn_table table; /* of sn_bvh_quad; the first is the root. Empty: the tree is one leaf, or empty */
} sn_bvh_quads;

void sn_bvh_quads_init(sn_bvh_quads *quads);
void sn_bvh_quads_release(sn_bvh_quads *quads, const sn_allocator *allocator);

/* Makes the quads from a tree. False when memory runs out: there are no quads then. */
bool sn_bvh_quads_make(sn_bvh_quads *quads, const sn_allocator *allocator, const sn_bvh *bvh);

/* Updates the boxes after the tree was refitted. Allocates nothing. */
void sn_bvh_quads_refit(sn_bvh_quads *quads, const sn_bvh *bvh);

/* Like sn_bvh_cast. */
void sn_bvh_quads_cast(const sn_bvh_quads *quads, const sn_bvh *bvh, const sn_path *path, sn_real *t,
                       sn_bvh_visit *visit, void *data);

/* Casts of rays with similar directions, together. A box is tested against the common bounds of all rays, and only
   leaves against each ray. Every ray visits every leaf that it enters before its time, so the results are those of
   single casts. */
#define SN_PACKET 16u

typedef struct sn_bvh_packet {
    uint32_t count;
    const sn_path *path[SN_PACKET]; /* of radius 0 */
    sn_real *t[SN_PACKET];          /* as in sn_bvh_cast */
    void *data[SN_PACKET];
} sn_bvh_packet;

/* False, with nothing done, if it would not pay, or if the rays differ too much. */
bool sn_bvh_quads_cast_packet(const sn_bvh_quads *quads, const sn_bvh *bvh, const sn_bvh_packet *packet,
                              sn_bvh_visit *visit);

#endif

/* Meshes of triangles that do not change their shape. */
#ifndef SN_COLLISION_TRIMESH_H
#define SN_COLLISION_TRIMESH_H

#include "collision/bvh.h"

typedef struct sn_trimesh sn_trimesh;

#define SN_TRIMESH_MOST  (UINT32_C(1) << 30) /* triangles */
#define SN_TRIMESH_REACH 1e15                /* m: the greatest coordinate */

/* Copies the mesh, welds nothing. NULL, with the reason in words, naming the vertex or triangle, for: no triangle, a
   coordinate that is not finite or beyond 1e15 m, an index out of range, a triangle without area (two corners the
   same, or all on a line but for rounding), more than 2^30 triangles; and when memory runs out (*out_of_memory true).
   */
sn_trimesh *sn_trimesh_create(const sn_allocator *allocator, const sn_vec3 *vertex, uint32_t vertices,
                              const uint32_t *index, uint32_t triangles, bool *out_of_memory, char *message,
                              size_t size);
void sn_trimesh_destroy(sn_trimesh *mesh, const sn_allocator *allocator); /* NULL is fine */

uint32_t sn_trimesh_triangles(const sn_trimesh *mesh);
uint32_t sn_trimesh_vertices(const sn_trimesh *mesh);
const sn_vec3 *sn_trimesh_vertex(const sn_trimesh *mesh); /* all */
const uint32_t *sn_trimesh_index(const sn_trimesh *mesh); /* three a triangle */
sn_bounds sn_trimesh_bounds(const sn_trimesh *mesh);      /* of the triangles */

/* Whether it encloses a volume and its triangles run counter-clockwise seen from outside. Otherwise the reason: an
   edge that one triangle has alone, or more than two share, neighbours that run in opposite ways, no volume, or
   inside out (negative volume). The volume is that of all pieces together: one piece among others that is inside out
   goes unnoticed, as it may be a cavity. Costs nothing: it was found out when the mesh was made. message may be NULL.
   */
bool sn_trimesh_is_closed(const sn_trimesh *mesh, char *message, size_t size);

/* Whether two of its triangles have a point in common besides corners and edges that they share: exactly, and then the first two in words.
   Costs a look into the tree for each triangle. message may be NULL. */
bool sn_trimesh_crosses(const sn_trimesh *mesh, char *message, size_t size);

/* The nearest spot within reach (m; INFINITY: anywhere); false if there is none. Of several that are equally near,
   the one of the first triangle. Of a closed mesh the distance is negative inside, told by angle-weighted normals of
   corners and edges (Baerentzen and Aanaes 2005), right for non-convex meshes, too. Of an open one it is not
   negative; the normal points to the side that p is on, and to the front of the triangle where p is on the surface.
   */
bool sn_trimesh_near(const sn_trimesh *mesh, sn_vec3 p, sn_real reach, sn_touch *touch);

/* When a travelling sphere first touches it: t in 0 .. 1. A sphere that already touches a triangle at the start meets
   it at 0 if it comes nearer. SN_SIDES_FRONT: only what it comes to from the front, as is right for solids; of an
   edge or corner all triangles around it tell where the front is. The normal points to where the sphere comes from.
   However fast it is, the centre never gets through a triangle, nor between two. */
bool sn_trimesh_cast(const sn_trimesh *mesh, const sn_path *path, sn_sides sides, sn_real *t, sn_touch *touch);

/* Calls visit for triangles that may touch the box, until it returns false. */
void sn_trimesh_overlap(const sn_trimesh *mesh, const sn_bounds *box, sn_bvh_visit *visit, void *data);

/* For snapshots and hashes: a number that stands for the shape. */
uint64_t sn_trimesh_hash(const sn_trimesh *mesh);

#endif

/* Rigid triangle meshes. */
#ifndef SN_COLLISION_TRIMESH_H
#define SN_COLLISION_TRIMESH_H

#include "collision/bvh.h"

typedef struct sn_trimesh sn_trimesh;

#define SN_TRIMESH_MOST  (UINT32_C(1) << 30) /* triangles */
#define SN_TRIMESH_REACH 1e15                /* m: the largest coordinate */

/* Copies the mesh; does not weld vertices. NULL, with a message that names the vertex or triangle, for: no triangle, a
   coordinate that is not finite or beyond 1e15 m, an index out of range, a triangle without area (two equal corners, or
   all on a line up to rounding), more than 2^30 triangles; and when memory runs out (*out_of_memory true). */
sn_trimesh *sn_trimesh_create(const sn_allocator *allocator, const sn_vec3 *vertex, uint32_t vertices,
                              const uint32_t *index, uint32_t triangles, bool *out_of_memory, char *message,
                              size_t size);
void sn_trimesh_destroy(sn_trimesh *mesh, const sn_allocator *allocator); /* NULL is allowed */

uint32_t sn_trimesh_triangles(const sn_trimesh *mesh);
uint32_t sn_trimesh_vertices(const sn_trimesh *mesh);
const sn_vec3 *sn_trimesh_vertex(const sn_trimesh *mesh); /* all */
const uint32_t *sn_trimesh_index(const sn_trimesh *mesh); /* three for each triangle */
sn_bounds sn_trimesh_bounds(const sn_trimesh *mesh);      /* of the triangles */

/* True if the mesh encloses a volume and its triangles run counter-clockwise seen from outside. Otherwise the reason:
   an edge of only one triangle or of more than two, neighbours with opposite orientation, no volume, or inside out
   (negative volume). The volume is that of all pieces together: a single piece that is inside out is not detected,
   because it may be a cavity. Costs nothing: it was computed when the mesh was made. message may be NULL. */
bool sn_trimesh_is_closed(const sn_trimesh *mesh, char *message, size_t size);

/* True if two of its triangles have a common point besides the corners and edges that they share; then message names
   the first two. The test is exact. Costs a tree query for each triangle. message may be NULL. */
bool sn_trimesh_crosses(const sn_trimesh *mesh, char *message, size_t size);

/* The nearest point within reach (m; INFINITY: anywhere). False if there is none. Of several equally near points, the
   one of the first triangle. For a closed mesh the distance is negative inside, decided by angle-weighted normals of
   corners and edges (Baerentzen and Aanaes 2005); this is right for non-convex meshes, too. For an open mesh the
   distance is not negative. The normal points to the side of p, and to the front of the triangle if p is on the
   surface. */
bool sn_trimesh_near(const sn_trimesh *mesh, sn_vec3 p, sn_real reach, sn_touch *touch);

/* When a moving sphere first touches the mesh: t in 0 .. 1. A sphere that touches a triangle at the start does so at 0
   if it approaches. SN_SIDES_FRONT: only hits from the front count, as is right for solids; at an edge or corner all
   triangles around it decide where the front is. The normal points to the side that the sphere comes from. At any
   speed, the centre never passes through a triangle, nor between two. */
bool sn_trimesh_cast(const sn_trimesh *mesh, const sn_path *path, sn_sides sides, sn_real *t, sn_touch *touch);

/* Calls visit for triangles that may touch the box, until it returns false. */
void sn_trimesh_overlap(const sn_trimesh *mesh, const sn_bounds *box, sn_bvh_visit *visit, void *data);

#endif

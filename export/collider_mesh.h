/* The surface of a collider as triangles, to be looked at. */
#ifndef SN_EXPORT_COLLIDER_MESH_H
#define SN_EXPORT_COLLIDER_MESH_H

#include <sinew/sinew.h>

typedef struct sn_collider_mesh {
    uint32_t vertex_count;
    sn_vec3 *vertex; /* m, in the collider's own frame, its thickness included where that is easy: not of meshes */
    uint32_t triangle_count;
    uint32_t *triangle;
} sn_collider_mesh;

/* A plane has no end: what is made of it is a square of 2 reach, around the place nearest to a centre. Round things have
   facets. A field is its mesh, if it was baked of one. False when memory runs out, or if there is nothing to show (a field of
   samples or a function): *mesh is then empty, and `nothing` says which. */
bool sn_collider_mesh_make(const sn_collider_def *def, sn_vec3 centre, sn_real reach, sn_collider_mesh *mesh,
                           bool *nothing);
void sn_collider_mesh_release(sn_collider_mesh *mesh);

/* Where a place of the collider's own frame is in the world. */
sn_vec3 sn_collider_place(const sn_collider_def *def, sn_vec3 own);

#endif

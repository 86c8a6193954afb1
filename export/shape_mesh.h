/* The surface of shapes as triangles, for display. */
#ifndef SN_EXPORT_SHAPE_MESH_H
#define SN_EXPORT_SHAPE_MESH_H

#include <sinew/sinew.h>

typedef struct sn_shape_mesh {
    uint32_t vertex_count;
    sn_vec3 *vertex; /* m: in the frame of the shape, or of the body; with the rounding, except of meshes */
    uint32_t triangle_count;
    uint32_t *triangle; /* counter-clockwise seen from outside */
} sn_shape_mesh;

/* The mesh of a shape in its own frame. A plane is infinite: its mesh is a square of 2 reach, around its point
   nearest to `centre`, in the same frame. Round shapes have facets, and the size of rounded hulls is approximate. A
   height field is its ground. A distance field is its mesh, if it was baked from one. On failure it returns false
   and *mesh is empty: memory ran out, or, with *nothing set, there is nothing to show (a field of samples or a
   function). */
bool sn_shape_mesh_make(const sn_shape_def *shape, sn_vec3 centre, sn_real reach, sn_shape_mesh *mesh, bool *nothing);

/* All shapes of a body, in its frame; the centre is in the world. Result as above; *nothing: no shape has anything
   to show. */
bool sn_shape_mesh_of_body(const sn_body_def *def, sn_vec3 centre, sn_real reach, sn_shape_mesh *mesh, bool *nothing);

/* Appends a mesh, whose frame has this pose in the frame of the other. False when memory runs out. */
bool sn_shape_mesh_append(sn_shape_mesh *to, const sn_shape_mesh *from, sn_vec3 position, sn_quat rotation);
void sn_shape_mesh_release(sn_shape_mesh *mesh);

/* From a point in a frame to the world, and back. */
sn_vec3 sn_frame_place(sn_vec3 position, sn_quat rotation, sn_vec3 own);
sn_vec3 sn_frame_own(sn_vec3 position, sn_quat rotation, sn_vec3 place);

#endif

/* The present surface and lines of an object, with what was torn or cut. */
#ifndef SN_EXPORT_TORN_MESH_H
#define SN_EXPORT_TORN_MESH_H

#include "scene/scene.h"

/* Vertices are the particles of the object, followed by those that tearing or cutting added. Zero it first. */
typedef struct sn_torn_mesh {
    uint32_t vertex_count;
    uint32_t came;    /* vertices that were added, */
    uint32_t *number; /* and their numbers in the world, ascending */
    uint32_t triangle_count, line_count;
    const uint32_t *triangle, *line; /* indices of vertices; the arrays of the object if nothing has changed */
    uint32_t *own_triangle, *own_line;
    uint64_t topology; /* of the skin when it was read; 0: not read yet */
} sn_torn_mesh;

/* Updates the mesh to the present state. False when memory runs out. */
bool sn_torn_mesh_read(sn_torn_mesh *mesh, const sn_world *world, const sn_object *object);
void sn_torn_mesh_release(sn_torn_mesh *mesh);

/* The particle of a vertex. */
sn_particle sn_torn_mesh_particle(const sn_torn_mesh *mesh, const sn_world *world, const sn_object *object,
                                  uint32_t vertex);

#endif

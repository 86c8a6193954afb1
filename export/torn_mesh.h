/* The surface and the lines of an object as they are now: what tore, or was cut, is drawn so. */
#ifndef SN_EXPORT_TORN_MESH_H
#define SN_EXPORT_TORN_MESH_H

#include "scene/scene.h"

/* Vertices are the particles of the object, and behind them those that came when it was torn or cut. Zero it first. */
typedef struct sn_torn_mesh {
    uint32_t vertex_count;
    uint32_t came;    /* of these, */
    uint32_t *number; /*   and the number of each in the world, rising */
    uint32_t triangle_count, line_count;
    const uint32_t *triangle, *line; /* of vertices; those of the object where nothing changed */
    uint32_t *own_triangle, *own_line;
    uint64_t topology; /* that this is of; 0: none */
} sn_torn_mesh;

/* Brings it up to date. False when memory runs out. */
bool sn_torn_mesh_read(sn_torn_mesh *mesh, const sn_world *world, const sn_object *object);
void sn_torn_mesh_release(sn_torn_mesh *mesh);

/* The particle that a vertex is. */
sn_particle sn_torn_mesh_particle(const sn_torn_mesh *mesh, const sn_world *world, const sn_object *object,
                                  uint32_t vertex);

#endif

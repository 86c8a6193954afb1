/* Meshes as files of their own: OBJ, which everything reads, and binary PLY, which is smaller, faster and has
   velocities. */
#ifndef SN_EXPORT_MESH_FILE_H
#define SN_EXPORT_MESH_FILE_H

#include <sinew/sinew.h>

/* What to write. All vertices are written, in this order, whether a triangle or line uses them or not. */
typedef struct sn_mesh_view {
    uint32_t vertex_count;
    const sn_vec3 *place;    /* m */
    const sn_vec3 *velocity; /* m/s, for PLY; NULL: not known */
    uint32_t triangle_count;
    const uint32_t *triangle; /* three vertices each, from 0 on */
    uint32_t line_count;
    const uint32_t *line; /* two vertices each */
    const uint32_t
        *piece_of; /* for OBJ: a number for each vertex, rising; vertices and triangles of each are an `o` of their own.
                                 Triangles are in the same order. NULL: there are no pieces */
    const char *const *comment; /* lines of text at the top; NULL, or ended by NULL */
} sn_mesh_view;

/* Numbers have as many digits as it takes to read the same number back. *bytes (may be NULL) gets the size. If the file
   cannot be written whole it is deleted. False, with the file and the reason in message. */
bool sn_obj_write(const char *path, const sn_mesh_view *mesh, uint64_t *bytes, char *message, size_t size);

/* vertex: x y z (and vx vy vz), float or, in a double build, double; face: vertex_indices; edge: vertex1 vertex2. */
bool sn_ply_write(const char *path, const sn_mesh_view *mesh, uint64_t *bytes, char *message, size_t size);

#endif

/* Meshes as files: OBJ, which most programs read, and binary PLY, which is smaller, faster and has velocities. */
#ifndef SN_EXPORT_MESH_FILE_H
#define SN_EXPORT_MESH_FILE_H

#include <sinew/sinew.h>

/* A mesh to write. All vertices are written, in this order, whether a triangle or line uses them or not. */
typedef struct sn_mesh_view {
    uint32_t vertex_count;
    const sn_vec3 *place;    /* m */
    const sn_vec3 *velocity; /* m/s, for PLY; NULL: not known */
    uint32_t triangle_count;
    const uint32_t *triangle; /* three vertices each, from 0 on */
    uint32_t line_count;
    const uint32_t *line; /* two vertices each */
    /* for OBJ: an ascending number for each vertex; vertices and triangles of each number are an `o` of their own.
       Triangles are in the same order. NULL: one piece */
    const uint32_t *piece_of;
    const char *const *comment; /* lines of text at the top, ended by NULL; or NULL */
} sn_mesh_view;

/* Numbers have as many digits as are needed to read the same number again. *bytes (may be NULL) gets the size. If
   the file cannot be written completely it is deleted. False, with the file and the reason in message. */
bool sn_obj_write(const char *path, const sn_mesh_view *mesh, uint64_t *bytes, char *message, size_t size);

/* vertex: x y z (and vx vy vz), float or, in a double build, double; face: vertex_indices; edge: vertex1 vertex2. */
bool sn_ply_write(const char *path, const sn_mesh_view *mesh, uint64_t *bytes, char *message, size_t size);

#endif

/* Triangle meshes: reading OBJ and PLY, welding, and connectivity. */
#ifndef SN_SCENE_MESH_H
#define SN_SCENE_MESH_H

#include "scene/arena.h"

#include <sinew/scene.h>

/* What reading and cleaning did. */
typedef struct sn_mesh_notes {
    uint32_t polygons;    /* faces with more than three corners, cut into triangles (a fan from their first corner) */
    uint32_t merged;      /* vertices that welding merged into another */
    uint32_t degenerate;  /* triangles that welding left without area; they were dropped */
    uint32_t unused;      /* vertices that no triangle and no line uses; they were dropped */
    uint32_t short_lines; /* lines whose two ends welding merged; they were dropped */
} sn_mesh_notes;

/* Reads a mesh from memory; everything in *mesh lies in the arena. A file that begins with "ply" is PLY, any other
   is OBJ. Numbers are read the same in every locale and are rounded correctly.

   PLY: ascii, binary of either byte order; elements in any order; properties other than x, y, z, the face list and
   the two ends of an edge are skipped, whatever their type, and so are other elements. Triangle strips are refused.
   OBJ: v, f (also v/vt/vn and negative indices) and l; other statements are skipped, and so is what follows x, y, z
   of a v. A mesh without triangles is fine.

   Memory is bounded by the size of the text: a header that promises more than the file can hold is refused before
   anything is allocated. On failure it returns false, with a message that names line (or byte), thing and value, and
   *mesh is empty. Errors: no vertices, an index out of range, a number that is missing or not finite or beyond
   sn_real, a face with fewer than three corners, a corner twice in a face, a truncated file, data after the last
   element of a PLY, no memory. *notes (may be NULL) is set, not added to. */
bool sn_mesh_read(sn_arena *arena, const void *bytes, size_t size, sn_mesh *mesh, sn_mesh_notes *notes, char *message,
                  size_t message_size);

/* Merges vertices that are at most distance metres apart (0: equal ones only; -0 equals 0). Vertices are visited in
   order. Each is merged into the nearest earlier vertex that was kept, the first of equally near ones; if none is
   within the distance, it is kept. Triangles and lines that lose a corner are dropped and counted; so are vertices
   that nothing uses (any more), if drop_unused. The rest keeps its order. Time is proportional to the mesh, whatever
   the distance. The result lies in the arena. False when memory runs out; the mesh is then as before. Indices must
   be in range, as sn_mesh_read leaves them. notes may be NULL; they are added to. */
bool sn_mesh_weld(sn_arena *arena, sn_mesh *mesh, sn_real distance, bool drop_unused, sn_mesh_notes *notes);

/* Which triangles share which edges. */
typedef struct sn_mesh_edge {
    uint32_t a, b;        /* vertices, a < b */
    uint32_t opposite[2]; /* the third corners of its triangles; at a border one of the two is SN_NO_VERTEX */
} sn_mesh_edge;

#define SN_NO_VERTEX UINT32_MAX

typedef struct sn_mesh_topology {
    uint32_t edge_count;
    sn_mesh_edge *edge;    /* in the order in which the triangles first use them */
    uint32_t border_count; /* edges of one triangle */
    bool closed;           /* no border, and there are triangles */
    bool oriented;         /* neighbours agree about which side is outside */
    uint32_t piece_count;  /* connected parts: triangles with a common vertex are connected; lines do not count */
} sn_mesh_topology;

/* Finds edges and neighbours, in time proportional to the mesh. In an oriented mesh, opposite[0] belongs to the
   triangle that runs a to b, and opposite[1] to the one that runs b to a; elsewhere opposite[0] belongs to the
   earlier triangle. False, with a message naming the edge and its vertices, counted from 0: an edge of three or more
   triangles (not a manifold), a triangle with a corner twice or out of range, no memory. A triangle with three
   different corners on one line is accepted; sn_mesh_triangle_area finds it. */
bool sn_mesh_connect(sn_arena *arena, const sn_mesh *mesh, sn_mesh_topology *topology, char *message,
                     size_t message_size);

/* The volume inside a closed mesh, m^3; positive when triangles face outwards. */
double sn_mesh_volume(const sn_mesh *mesh);

/* The area, m^2, of one triangle or of all. */
double sn_mesh_triangle_area(const sn_mesh *mesh, uint32_t triangle);
double sn_mesh_area(const sn_mesh *mesh);

#endif

/* The data that glb.c collects and glb_file.c writes. */
#ifndef SN_EXPORT_GLB_DATA_H
#define SN_EXPORT_GLB_DATA_H

#include "export/file.h"
#include "export/glb.h"

/* The positions of a shape in one frame, followed by its normals if it has triangles: absolute in the first frame,
   differences to that in others. */
typedef struct sn_glb_key {
    uint64_t at; /* in the file of frames */
    float low[3], high[3];
} sn_glb_key;

/* A soft thing, from one change of its triangles to the next. */
typedef struct sn_glb_shape {
    uint32_t first; /* frame */
    uint32_t count, room;
    sn_glb_key *key;
    uint32_t vertices, triangles, lines, points;
    uint64_t at;        /* offset of the indices, in this order, in the file of frames */
    uint32_t *index;    /* the indices, of the newest shape only */
    float *base, *turn; /* positions and normals of its first frame, of the newest shape only */
    /* in the .glb: its first view and accessor, its node, and the offset of its weights */
    uint32_t view, accessor, node;
    uint64_t end;
} sn_glb_shape;

typedef struct sn_glb_soft {
    char *name;
    uint32_t colour, parent;
    uint32_t count, room;
    sn_glb_shape *shape;
    bool given; /* in this frame */
} sn_glb_soft;

typedef struct sn_glb_mesh {
    uint64_t hash;
    uint32_t colour, vertices, triangles;
    bool smooth;
    uint64_t at; /* positions, normals if it is smooth, indices */
    float low[3], high[3];
    uint32_t view, accessor;
} sn_glb_mesh;

typedef struct sn_glb_rigid {
    char *name;
    uint32_t parent, mesh; /* UINT32_MAX: none */
    float first[7], last[7];
    bool given, moves, turns;
    uint32_t view, accessor, node;
    uint64_t end;
} sn_glb_rigid;

struct sn_glb {
    char *path;
    sn_file frames, poses;
    bool no_memory, wild; /* since the last frame: memory ran out; a number was not finite */
    uint32_t frame_count, frame_room;
    float *time;
    uint64_t frames_end; /* the size of the file of frames, after the last frame */
    uint32_t group_count, group_room;
    char **group;
    uint32_t soft_count, soft_room;
    sn_glb_soft *soft;
    uint32_t mesh_count, mesh_room;
    sn_glb_mesh *mesh;
    uint32_t rigid_count, rigid_room;
    sn_glb_rigid *rigid;
    float *normal; /* scratch */
    uint32_t normal_room;
};

/* Writes the .glb of all frames. */
bool sn_glb_write(sn_glb *glb, char *message, size_t size);

#endif

/* The contents of a PLY header. Private to scene/mesh_ply*.c. */
#ifndef SN_SCENE_MESH_PLY_H
#define SN_SCENE_MESH_PLY_H

#include "scene/mesh_read.h"

typedef enum sn_ply_format { SN_PLY_UNKNOWN, SN_PLY_ASCII, SN_PLY_LITTLE, SN_PLY_BIG } sn_ply_format;

typedef enum sn_ply_type {
    SN_PLY_INT8,
    SN_PLY_UINT8,
    SN_PLY_INT16,
    SN_PLY_UINT16,
    SN_PLY_INT32,
    SN_PLY_UINT32,
    SN_PLY_FLOAT,
    SN_PLY_DOUBLE
} sn_ply_type;

/* The role of a property. */
typedef enum sn_ply_role {
    SN_PLY_SKIPPED,
    SN_PLY_X, /* SN_PLY_Y and SN_PLY_Z follow */
    SN_PLY_Y,
    SN_PLY_Z,
    SN_PLY_CORNERS,
    SN_PLY_END_1,
    SN_PLY_END_2,
    SN_PLY_ROLES
} sn_ply_role;

typedef struct sn_ply_property {
    struct sn_ply_property *next;
    sn_word name;
    bool is_list;
    sn_ply_type count_type; /* of a list */
    sn_ply_type type;       /* of the value, or of each in a list */
    sn_ply_role role;
} sn_ply_property;

typedef enum sn_ply_kind { SN_PLY_OTHER, SN_PLY_VERTEX, SN_PLY_FACE, SN_PLY_EDGE } sn_ply_kind;

typedef struct sn_ply_element {
    struct sn_ply_element *next;
    sn_word name;
    sn_ply_kind kind;
    uint32_t count;
    sn_ply_property *first, *last;
    size_t least_bytes;          /* the least that one row takes in the file */
    bool has_role[SN_PLY_ROLES]; /* the roles of its properties */
    bool has_list;
} sn_ply_element;

typedef struct sn_ply_header {
    sn_ply_format format;
    sn_ply_element *first, *last;
    sn_scan body; /* where the data begins */
} sn_ply_header;

size_t sn_ply_type_size(sn_ply_type type);

/* Reads the header, and checks that its elements make a mesh and fit into the file. */
bool sn_ply_read_header(sn_mesh_reader *reader, sn_ply_header *header);

#endif

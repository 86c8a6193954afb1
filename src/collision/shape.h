/* A shape as it was defined: any of the solids, planes, meshes and fields, with its rounding, in its own frame. */
#ifndef SN_COLLISION_SHAPE_H
#define SN_COLLISION_SHAPE_H

#include "collision/convex.h"
#include "collision/distance_field.h"

#include <sinew/shapes.h>

/* ---- Data -------------------------------------------------------------------------------------------------------- */

#define SN_SHAPE_REACH        1e15       /* m: the greatest size and coordinate of a shape */
#define SN_SHAPE_SAMPLES      (1u << 28) /* of a field, at most */
#define SN_SHAPE_HEIGHTS_MOST (1u << 26)
#define SN_SHAPE_BAKE_CELLS   ((sn_real)64) /* along the longest side of a mesh, where nothing else was asked for */

/* What is too large for a record and never changes: shared by all fixed shapes that were made of the same, and kept until
   the world ends, so that snapshots can bring fixed shapes back. */
typedef struct sn_shape_data {
    sn_trimesh *mesh;        /* mesh, or what a field was baked from, or that of a height field; otherwise NULL */
    bool closed;             /* mesh: solid inside */
    sn_distance_field field; /* field */
    sn_real cell;            /* m: of a height field, or of a field that was baked, as it was asked for */
    sn_hull *hull;           /* hull, */
    sn_vec3 *point;          /*   and the points that it was made of, as they were given */
    uint32_t points;
    sn_real *height; /* height field */
    uint32_t height_count[2];
    sn_shape_type type; /* hull, mesh, heights or field */
    uint64_t hash;      /* of all that it is; functions count by their address and context */
    uint32_t index;     /* in the world's table */
} sn_shape_data;

/* Whether what a definition says of its mesh or field can be read: arrays are there and not too long, the numbers of a
   field are good. Otherwise the reason. Other types are fine. Comes before the next three. */
bool sn_shape_source_check(const sn_shape_def *def, char *message, size_t size);

/* The hash that its data will have, and whether data are just that: whatever belongs to the mesh or field, and nothing
   else, counts. */
uint64_t sn_shape_source_hash(const sn_shape_def *def);
bool sn_shape_data_is(const sn_shape_data *data, const sn_shape_def *def);

/* The closed mesh of a height field; see sn_shape_def. NULL as above. */
sn_trimesh *sn_heights_mesh(const sn_allocator *allocator, const sn_real *height, const uint32_t count[2], sn_real cell,
                            bool *out_of_memory, char *message, size_t size);

/* NULL, and the reason, if the mesh is bad, or if memory runs out (*out_of_memory). parallel, for baking, may be NULL. */
sn_shape_data *sn_shape_data_create(const sn_allocator *allocator, sn_parallel *parallel, const sn_shape_def *def,
                                    bool *out_of_memory, char *message, size_t size);
void sn_shape_data_destroy(sn_shape_data *data, const sn_allocator *allocator); /* NULL is fine */

/* Completes a definition so that the same data would be made of it; arrays are the data's own. */
void sn_shape_data_read(const sn_shape_data *data, sn_shape_def *def);

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

typedef struct sn_shape {
    sn_shape_type type;        /* a height field is a mesh */
    sn_convex convex;          /* what is convex, without its rounding */
    const sn_shape_data *data; /* hull, mesh, field */
    sn_sides sides;            /* open meshes */
    sn_real thickness;         /* m */
    sn_real guard;             /* m: contact keeps so much more distance, for sheets that have hardly any thickness */
} sn_shape;

/* The shape of a definition that is good; data: of a hull, mesh, height field or field. */
sn_shape sn_shape_from(const sn_shape_def *def, const sn_shape_data *data);

/* What is convex of it, without its rounding; and with it, of a shape. */
sn_convex sn_shape_convex_of(const sn_shape_def *def, const sn_hull *hull);
sn_convex sn_shape_solid(const sn_shape *shape);

/* Whether its numbers are good, for its type, and what sn_shape_source_check says. */
bool sn_shape_def_check(const sn_shape_def *def, char *message, size_t size);

/* Numbers that its type, which is good, does not have become 0, so that they are no part of the state. */
void sn_shape_def_tidy(sn_shape_def *def);

/* The nearest spot within reach of p (own frame), false if there is none. Distances count from the surface with
   thickness. What is inside of a solid, however deep, is within reach. An open mesh that is solid from its front only
   is not there for what is behind it. */
bool sn_shape_near(const sn_shape *shape, sn_vec3 p, sn_real reach, sn_touch *touch);

/* When a travelling sphere first touches it; see sn_solid_cast. */
bool sn_shape_cast(const sn_shape *shape, const sn_path *path, sn_real *t, sn_touch *touch);

/* The hash of a shape's numbers, for sn_world_hash. Functions do not count: their addresses differ from run to run. */
uint64_t sn_shape_hash(uint64_t hash, const sn_shape *shape);

/* The box around it in its own frame, and in the world. A plane is bounded in the world only along an axis that it is
   exactly normal to. */
sn_bounds sn_shape_bounds(const sn_shape *shape);
sn_bounds sn_shape_bounds_at(const sn_shape *shape, const sn_pose *pose);

#endif

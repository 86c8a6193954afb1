/* A shape as defined by the user: any solid, plane, mesh or field, with its rounding, in its own frame. */
#ifndef SN_COLLISION_SHAPE_H
#define SN_COLLISION_SHAPE_H

#include "collision/convex.h"
#include "collision/distance_field.h"

#include <sinew/shapes.h>

/* ---- Data -------------------------------------------------------------------------------------------------------- */

#define SN_SHAPE_REACH        1e15       /* m: largest size and coordinate of a shape */
#define SN_SHAPE_SAMPLES      (1u << 28) /* of a field, at most */
#define SN_SHAPE_HEIGHTS_MOST (1u << 26)
#define SN_SHAPE_BAKE_CELLS   ((sn_real)64) /* cells along the longest side of a mesh, by default */

/* Shape data that are large and never change. They are shared by all shapes made of the same input, and kept until the
   world is destroyed, so that snapshots can restore shapes. */
typedef struct sn_shape_data {
    sn_trimesh *mesh;        /* of a mesh or height field, or the mesh that a field was baked from; otherwise NULL */
    bool closed;             /* mesh: solid inside */
    sn_distance_field field; /* field */
    sn_real cell;            /* m: of a height field, or of a baked field as requested */
    sn_hull *hull;           /* hull */
    sn_vec3 *point;          /* the points that it was made of, as given */
    uint32_t points;
    sn_real *height; /* height field */
    uint32_t height_count[2];
    sn_shape_type type; /* hull, mesh, heights or field */
    uint64_t hash;      /* of all its data; functions count by their address and context */
    uint32_t index;     /* in the world's table */
} sn_shape_data;

/* Checks the source data of a definition: arrays exist and are not too long, and the numbers of a field are valid.
   False with a message. Other types always pass. Call it before the next three. */
bool sn_shape_source_check(const sn_shape_def *def, char *message, size_t size);

/* The hash of the source data, and a test whether data have the same source. Everything that belongs to the mesh or
   field counts, and nothing else. */
uint64_t sn_shape_source_hash(const sn_shape_def *def);
bool sn_shape_data_is(const sn_shape_data *data, const sn_shape_def *def);

/* The closed mesh of a height field; see sn_shape_def. NULL when memory runs out (*out_of_memory) or if the mesh is
   bad, with a message. */
sn_trimesh *sn_heights_mesh(const sn_allocator *allocator, const sn_real *height, const uint32_t count[2], sn_real cell,
                            bool *out_of_memory, char *message, size_t size);

/* NULL, with a message, if the mesh is bad or if memory runs out (*out_of_memory). parallel, for baking, may be
   NULL. */
sn_shape_data *sn_shape_data_create(const sn_allocator *allocator, sn_parallel *parallel, const sn_shape_def *def,
                                    bool *out_of_memory, char *message, size_t size);
void sn_shape_data_destroy(sn_shape_data *data, const sn_allocator *allocator); /* NULL is allowed */

/* Fills in a definition from which the same data would be made. Its arrays are those of the data. */
void sn_shape_data_read(const sn_shape_data *data, sn_shape_def *def);

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

typedef struct sn_shape {
    sn_shape_type type;        /* a height field has the type mesh */
    sn_convex convex;          /* convex shapes, without thickness */
    const sn_shape_data *data; /* hull, mesh, field */
    sn_sides sides;            /* open meshes */
    sn_real thickness;         /* m */
    sn_real guard;             /* m: additional distance that contact keeps, for sheets with hardly any thickness */
} sn_shape;

/* The shape of a valid definition. data: of a hull, mesh, height field or field. */
sn_shape sn_shape_from(const sn_shape_def *def, const sn_shape_data *data);

/* The convex part of a definition without its thickness, and of a shape with it. */
sn_convex sn_shape_convex_of(const sn_shape_def *def, const sn_hull *hull);
sn_convex sn_shape_solid(const sn_shape *shape);

/* True if the numbers are valid for the type and sn_shape_source_check passes. */
bool sn_shape_def_check(const sn_shape_def *def, char *message, size_t size);

/* Sets numbers that the type does not use to 0, so that they are not part of the state. The type must be valid. */
void sn_shape_def_tidy(sn_shape_def *def);

/* The nearest point within reach of p (own frame). False if there is none. Distances are from the surface with
   thickness. Points inside a solid, however deep, are within reach. An open one-sided mesh does not exist for points
   behind it. */
bool sn_shape_near(const sn_shape *shape, sn_vec3 p, sn_real reach, sn_touch *touch);

/* When a moving sphere first touches it; see sn_solid_cast. */
bool sn_shape_cast(const sn_shape *shape, const sn_path *path, sn_real *t, sn_touch *touch);

/* The hash of a shape's numbers, for sn_world_hash. Functions do not count, because their addresses differ from run to
   run. */
uint64_t sn_shape_hash(uint64_t hash, const sn_shape *shape);

/* The bounding box in its own frame, and in the world. A plane is bounded in the world only along an axis to which it
   is exactly normal. */
sn_bounds sn_shape_bounds(const sn_shape *shape);
sn_bounds sn_shape_bounds_at(const sn_shape *shape, const sn_pose *pose);

#endif

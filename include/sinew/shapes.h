/* Shapes of bodies: dynamic, kinematic and static.

   A body has any number of shapes (bodies.h). Each has a position and rotation in the frame of the body, and may have a
   material and a filter of its own. Dynamic bodies are made of convex shapes: sphere, capsule, box,
   cylinder, cone, hull. Static and kinematic bodies may also be a plane, a mesh, a height field or a distance field.

   A shape has its own frame. The axis of a capsule, cylinder or cone is y. All lengths are in metres, from 1e-15 to
   1e15. */
#ifndef SINEW_SHAPES_H
#define SINEW_SHAPES_H

#include <sinew/particles.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Materials ------------------------------------------------------------------------------- */

/* How the values of two touching materials are combined. If the two disagree, the later one in this list is used. */
typedef enum sn_mix { SN_MIX_AVERAGE = 0, SN_MIX_LEAST, SN_MIX_PRODUCT, SN_MIX_MOST } sn_mix;

/* The values of both materials matter: a block of friction 0.1 on a floor of 0.5 has 0.3. On a floor of friction 1
   with SN_MIX_PRODUCT the friction of the other material is used. A program that sets one of the two frictions
   usually sets both. */
typedef struct sn_contact_material {
    sn_real static_friction;  /* coefficient at rest: the friction force as a share of the normal force; not negative;
                                default 0.5 */
    sn_real dynamic_friction; /* the same while sliding; not more than static_friction; default 0.5 */
    sn_real restitution;      /* the share of the approach speed that a bounce returns, 0 to 1; default 0 */
    sn_real rolling; /* resistance to rolling, as a share of the normal force, for particles of a group that rolls and
                        for spheres, capsules and cylinders of bodies; others ignore it. Not negative; default 0 */
    sn_mix friction_mix;      /* also of rolling; default SN_MIX_AVERAGE */
    sn_mix restitution_mix;   /* default SN_MIX_AVERAGE */
    sn_vec3 surface_velocity; /* m/s: the velocity of the surface relative to the body, like a conveyor belt or a track:
                                 friction carries along what lies on it. In the frame of the body, with its rotation at
                                 the start of a step. Its part along the normal is ignored. For shapes of bodies;
                                 particles and skins have none. At most 1e15 each; default 0 */
} sn_contact_material;

SN_API sn_contact_material sn_default_contact_material(void);

/* Collision filter: two things collide if each has a category that is in the mask of the other. */
typedef struct sn_filter {
    uint32_t category; /* the bits of its category; default 1 */
    uint32_t mask;     /* the categories that it collides with; default all bits */
} sn_filter;

SN_API sn_filter sn_default_filter(void);

/* ---- Shapes ---------------------------------------------------------------------------------- */

typedef enum sn_shape_type {
    /* convex: for all bodies */
    SN_SHAPE_SPHERE = 0, /* radius */
    SN_SHAPE_CAPSULE,    /* everything within radius of a segment along y, half.y to both sides */
    SN_SHAPE_BOX,        /* half: half of its edges along its axes */
    SN_SHAPE_HULL,       /* the convex hull of vertices */
    SN_SHAPE_CYLINDER,   /* along y, half.y to both sides; radius */
    SN_SHAPE_CONE,       /* along y: its base at -half.y has this radius, its tip is at half.y */

    /* for static and kinematic bodies */
    SN_SHAPE_PLANE,   /* everything below its xz plane is solid: the normal is its y axis. Infinite */
    SN_SHAPE_MESH,    /* triangles: solid inside if closed, otherwise a sheet */
    SN_SHAPE_HEIGHTS, /* a height field: ground over a grid in its xz plane; solid below, down to a quarter of its
                         longer side under its lowest height */
    SN_SHAPE_FIELD    /* a signed distance field: a function, a grid of samples, or baked from a closed mesh */
} sn_shape_type;

enum { SN_SHAPE_TYPES = SN_SHAPE_FIELD + 1 };

/* Returns the distance from the surface to p in m, negative inside, in the frame of the shape. It must be exact near
   the surface, and never more than the true distance. It is called from several threads at once, and must always
   return the same value for the same point. */
typedef sn_real sn_distance_fn(void *context, sn_vec3 p);

/* Arrays and other data behind pointers are copied. */
typedef struct sn_shape_def {
    sn_shape_type type;
    sn_vec3 position; /* m: the origin of its own frame in that of the body; default 0 */
    sn_quat rotation; /* normalised for you; zero is refused; default (0, 0, 0, 1) */
    sn_vec3 half;     /* m: see sn_shape_type; positive; default 0.5 each. Numbers that a type does not use read 0 */
    sn_real radius;   /* m: see sn_shape_type; positive; default 0.5 */
    sn_real rounding; /* m: the shape grows by this distance. Edges become round, sheets thick; not negative; default
                         0. Contact with an open mesh uses at least a ten-thousandth of its size, but at most 1 mm */
    sn_real density;  /* kg/m^3: of a dynamic body; not negative; default 0: that of the body */
    const sn_contact_material *material; /* default NULL: that of the group of the body; see sn_group_contact */
    const sn_filter *filter;             /* default NULL: likewise */
    bool sensor; /* reports contact as events, but does not push: a trigger. It has no mass, and does not report other
                   sensors; default false */
    bool one_sided; /* open meshes: things pass through from behind; default false */
    uint64_t user;  /* yours; see sn_body_shape_user */

    /* hull: points, not all in one plane, whose hull has at most 128 corners. Mesh, and a field that is baked from one
       */
    const sn_vec3 *vertices;
    uint32_t vertex_count;
    const uint32_t *triangles; /* three each, counter-clockwise seen from outside */
    uint32_t triangle_count;

    /* heights: m along y, x fastest, `cell` apart along x and z; the middle of the grid is at the origin. Each square
       of the grid, in the same order, is two triangles: first the one at its least x and z */
    const sn_real *heights;
    uint32_t height_count[2]; /* along x and z; 2 or more */

    /* field: the first of these that is given */
    sn_distance_fn *function;
    void *context;
    const sn_real *samples; /* a grid, x fastest */
    uint32_t sample_count[3];
    sn_vec3 low;  /* m: the first sample; a function: the least corner of a box around its surface */
    sn_vec3 high; /* m: a function: the greatest corner */
    sn_real cell; /* m: the distance between heights or samples; for a field baked from a mesh, default 0: a
                     sixty-fourth of its longest side */
} sn_shape_def;

/* A shape of that type: a sphere, capsule, cylinder or cone with a radius of 0.5 m, sharp boxes with edges of 1 m. */
SN_API sn_shape_def sn_default_shape_def(sn_shape_type type);

/* "sphere", "capsule", "box", "hull", "cylinder", "cone", "plane", "mesh", "heights", "field"; NULL for a bad type. */
SN_API const char *sn_shape_type_name(sn_shape_type type);

/* Whether dynamic bodies may have a shape of this type. */
SN_API bool sn_shape_is_convex(sn_shape_type type);

#ifdef __cplusplus
}
#endif
#endif

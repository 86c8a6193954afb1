/* Shapes: what bodies are made of, whether they fly, are led, or stand.

   There is one set of them. A body has any number of shapes (bodies.h), each with a place in the frame of the body, and a
   material and a filter of its own if it is to have one. What moves by forces is made of convex ones: sphere, capsule, box,
   cylinder, cone, hull. What stands, or is led, may also be a plane, a mesh, a height field or a distance field.

   A shape has its own frame. What has an axis has it along y. All lengths are in metres and may be from 1e-15 to 1e15. */
#ifndef SINEW_SHAPES_H
#define SINEW_SHAPES_H

#include <sinew/particles.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Materials ------------------------------------------------------------------------------------------------------ */

/* How the numbers of two materials that touch become one. If the two disagree, the later one in this list counts. */
typedef enum sn_mix { SN_MIX_AVERAGE = 0, SN_MIX_LEAST, SN_MIX_PRODUCT, SN_MIX_MOST } sn_mix;

/* Of two that touch both have a say: a block of friction 0.1 on a floor of 0.5 has 0.3. A floor of friction 1 with
   SN_MIX_PRODUCT leaves friction to what lies on it. A program that sets one of the two frictions usually sets both. */
typedef struct sn_contact_material {
    sn_real static_friction;  /* at rest: so much of what presses holds against sliding; not negative; default 0.5 */
    sn_real dynamic_friction; /* the same while sliding; not more than static_friction; default 0.5 */
    sn_real restitution;      /* the share of the speed of approach that is given back, 0 to 1; default 0 */
    sn_real rolling; /* resistance to rolling, as a share of what presses, for particles of a group that rolls and for
                        spheres, capsules and cylinders of bodies, which always do; others do not look at it. Not negative;
                        default 0 */
    sn_mix friction_mix;    /* also of rolling; default SN_MIX_AVERAGE */
    sn_mix restitution_mix; /* default SN_MIX_AVERAGE */
    sn_vec3
        surface_velocity; /* m/s: the surface runs so while the body stands, as that of a conveyor belt or a track does, and friction
                                 takes along what lies on it; in the frame of the body, as it is turned when a step begins. What of it
                                 is along the normal does not count. Of shapes of bodies; particles and skins have none. At most 1e15
                                 each; default 0 */
} sn_contact_material;

SN_API sn_contact_material sn_default_contact_material(void);

/* What collides with what: two do if each has a category that is in the mask of the other. */
typedef struct sn_filter {
    uint32_t category; /* a bit set: what it is; default 1 */
    uint32_t mask;     /* with which categories it collides; default all bits */
} sn_filter;

SN_API sn_filter sn_default_filter(void);

/* ---- Shapes --------------------------------------------------------------------------------------------------------- */

typedef enum sn_shape_type {
    /* convex: for all bodies */
    SN_SHAPE_SPHERE = 0, /* radius */
    SN_SHAPE_CAPSULE,    /* all within radius of a segment along y, half.y to both sides */
    SN_SHAPE_BOX,        /* half its edges along its axes: half */
    SN_SHAPE_HULL,       /* the convex hull of vertices */
    SN_SHAPE_CYLINDER,   /* along y, half.y to both sides; radius */
    SN_SHAPE_CONE,       /* along y: its base at -half.y has radius, its tip is at half.y */

    /* for static and kinematic bodies */
    SN_SHAPE_PLANE,   /* all below its xz plane is solid: the normal is its y axis. Without an end */
    SN_SHAPE_MESH,    /* triangles: solid inside if closed, otherwise a sheet */
    SN_SHAPE_HEIGHTS, /* a height field: ground over a grid in its xz plane; solid below, down to a quarter of its longer
                         side under its lowest height */
    SN_SHAPE_FIELD    /* a signed distance field: a function, a grid of samples, or baked from a closed mesh */
} sn_shape_type;

enum { SN_SHAPE_TYPES = SN_SHAPE_FIELD + 1 };

/* m from the surface to p, negative inside, in the frame of the shape. It must be a true distance near the surface and
   nowhere more than that. It is called from several threads at once, and must always give the same for the same place. */
typedef sn_real sn_distance_fn(void *context, sn_vec3 p);

/* Arrays and what pointers lead to are copied. */
typedef struct sn_shape_def {
    sn_shape_type type;
    sn_vec3 position; /* m: where its own frame is in that of the body; default 0 */
    sn_quat rotation; /* normalised for you; zero is refused; default (0, 0, 0, 1) */
    sn_vec3 half;     /* m: see sn_shape_type; positive; default 0.5 each. Numbers that a type does not use read 0 */
    sn_real radius;   /* m: see sn_shape_type; positive; default 0.5 */
    sn_real rounding; /* m: all within this distance of it belongs to it, too. Edges become round, sheets thick; not
                         negative; default 0. Contact with an open mesh keeps at least a ten-thousandth of its size, at most
                         1 mm */
    sn_real density;  /* kg/m^3: of a dynamic body; not negative; default 0: that of the body */
    const sn_contact_material *material; /* default NULL: that of the group of the body; see sn_group_contact */
    const sn_filter *filter;             /* default NULL: likewise */
    bool
        sensor; /* notices contact, for events, and does nothing against it: an eye, a trigger. It has no mass, and does not notice other
                   sensors; default false */
    bool one_sided; /* open meshes: what comes from behind passes; default false */
    uint64_t user;  /* yours; see sn_body_shape_user */

    /* hull: points, not all in one plane, whose hull has at most 128 corners. Mesh, and a field that is baked from one */
    const sn_vec3 *vertices;
    uint32_t vertex_count;
    const uint32_t *triangles; /* three each, counter-clockwise seen from outside */
    uint32_t triangle_count;

    /* heights: m along y, x fastest, `cell` apart along x and z; the middle of the grid is at the origin. Each square of
       the grid, in the same order, is two triangles: that at its least x and z, and the other */
    const sn_real *heights;
    uint32_t height_count[2]; /* along x and z; 2 or more */

    /* field: the first of these that is given */
    sn_distance_fn *function;
    void *context;
    const sn_real *samples; /* a grid, x fastest */
    uint32_t sample_count[3];
    sn_vec3 low;  /* m: the first sample; a function: the least corner of a box around its surface */
    sn_vec3 high; /* m: a function: the greatest corner */
    sn_real
        cell; /* m: between heights or samples; baked from a mesh: how fine, default 0: a sixty-fourth of its longest side */
} sn_shape_def;

/* A shape of that type: a sphere, capsule, cylinder or cone with a radius of 0.5 m, sharp boxes with edges of 1 m. */
SN_API sn_shape_def sn_default_shape_def(sn_shape_type type);

/* "sphere", "capsule", "box", "hull", "cylinder", "cone", "plane", "mesh", "heights", "field"; NULL for what is none. */
SN_API const char *sn_shape_type_name(sn_shape_type type);

/* Whether it is one of those that dynamic bodies may have. */
SN_API bool sn_shape_is_convex(sn_shape_type type);

#ifdef __cplusplus
}
#endif
#endif

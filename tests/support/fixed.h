/* A kinematic body of one shape as one flat struct, for tests of contact. */
#ifndef SINEW_TESTS_FIXED_H
#define SINEW_TESTS_FIXED_H

#include <sinew/sinew.h>

typedef struct fixed_def {
    sn_shape_type type; /* default SN_SHAPE_PLANE */
    sn_vec3 position;   /* of the body */
    sn_quat rotation;
    sn_vec3 velocity, spin;
    sn_vec3 half;
    sn_real radius, rounding;
    sn_contact_material material; /* of the shape */
    uint32_t category, mask;
    bool sensor, one_sided;
    uint64_t user;
    const sn_vec3 *vertices;
    uint32_t vertex_count;
    const uint32_t *triangles;
    uint32_t triangle_count;
    const sn_real *heights;
    uint32_t height_count[2];
    sn_distance_fn *function;
    void *context;
    const sn_real *samples;
    uint32_t sample_count[3];
    sn_vec3 low, high;
    sn_real cell;
} fixed_def;

fixed_def default_fixed(void);

/* The shape, in the frame of the body. Material and filter point into the definition. */
sn_shape_def fixed_shape(const fixed_def *def, sn_filter *filter);

sn_result fixed_add(sn_world *world, const fixed_def *def, sn_body *body);
sn_result fixed_read(const sn_world *world, sn_body body, fixed_def *def);

/* As sn_static_add_plane and so on, but kinematic, with their own material and filter. */
sn_body fixed_add_plane(sn_world *world, sn_vec3 point, sn_vec3 normal);
sn_body fixed_add_box(sn_world *world, sn_vec3 centre, sn_vec3 half);
sn_body fixed_add_sphere(sn_world *world, sn_vec3 centre, sn_real radius);
sn_body fixed_add_capsule(sn_world *world, sn_vec3 a, sn_vec3 b, sn_real radius);

/* The number of static and kinematic bodies. */
uint32_t fixed_count(const sn_world *world);

#endif

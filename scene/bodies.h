/* Rigid bodies in scene files: the list "bodies" of a scene, the bodies of objects, and their shapes. */
#ifndef SN_SCENE_BODIES_H
#define SN_SCENE_BODIES_H

#include "scene/contact.h"

/* A body. */
typedef struct sn_body_keys {
    sn_vec3 position;
    sn_turn turn;
    sn_numbers rotation; /* x, y, z, w, instead of turn */
    sn_vec3 velocity, spin;
    const sn_value *shapes; /* one, or a list of them */
    sn_real density, mass;  /* NaN: not given */
    bool immovable;
    sn_vec3 centre;  /* NaN: not given */
    sn_vec3 moments; /* NaN: not given; 0: the body does not rotate about that axis */
    sn_numbers axes; /* x, y, z, w */
    sn_real spin_damping;
    const char *mesh;
    sn_real weld, scale;
    sn_numbers vertices, triangles;
} sn_body_keys;

/* Keys that only a body of the list "bodies" has. For a body of an object, the object has them. */
typedef struct sn_lone_body_keys {
    const char *name;
    sn_body_type type;
    const sn_value *group, *contact;
    bool pinned;
} sn_lone_body_keys;

/* Keys of all types of shapes. */
typedef struct sn_shape_keys {
    const char *type;
    sn_vec3 position;
    sn_turn turn;
    sn_numbers rotation;
    sn_real rounding, density; /* density NaN: not given */
    sn_surface_keys material;
    uint32_t category, mask;
    bool sensor;
} sn_shape_keys;

typedef struct sn_plane_keys {
    sn_vec3 normal;
} sn_plane_keys;

typedef struct sn_cuboid_keys {
    sn_vec3 size;
} sn_cuboid_keys;

typedef struct sn_ball_keys {
    sn_real radius;
} sn_ball_keys;

typedef struct sn_shape_hull_keys {
    sn_numbers points;
    const char *mesh;
    sn_real scale;
} sn_shape_hull_keys;

/* A shape of triangles, from a mesh file or given one by one. */
typedef struct sn_shell_keys {
    const char *mesh;
    sn_real weld, scale;
    sn_numbers vertices, triangles;
} sn_shell_keys;

typedef struct sn_sheet_keys {
    sn_shell_keys shell;
    bool one_sided;
} sn_sheet_keys;

typedef struct sn_heights_keys {
    sn_numbers heights, counts;
    sn_real cell;
} sn_heights_keys;

typedef struct sn_field_keys {
    sn_shell_keys shell;
    sn_numbers samples, counts;
    sn_vec3 low;
    sn_real cell; /* NaN: not given */
} sn_field_keys;

/* A type of shape and its own keys, in the order of sn_shape_type. */
typedef struct sn_shape_form {
    const char *name;
    const char *about; /* one sentence, without a full stop */
    const sn_record *record;
} sn_shape_form;

extern const sn_shape_form sn_shape_forms[SN_SHAPE_TYPES];

/* A static or kinematic body. */
typedef struct sn_fixed_body_keys {
    const char *name;
    sn_body_type type;
    sn_vec3 position;
    sn_turn turn;
    sn_numbers rotation;
    sn_vec3 velocity, spin;
    const sn_value *group, *shapes;
} sn_fixed_body_keys;

extern const sn_choices sn_body_type_choices;
extern const sn_record sn_body_record, sn_lone_body_record, sn_shape_record, sn_fixed_body_record;

/* Reads one shape, or a list of shapes, into the scratch. */
bool sn_read_shapes(struct sn_scene *scene, sn_reader *reader, const sn_value *value, sn_body_def *def);

/* Reads a list of points into the scratch; NULL after an error. sn_scale_points multiplies points by a factor. */
sn_vec3 *sn_read_vectors(struct sn_scene *scene, sn_reader *reader, const char *key, const sn_numbers *list);
bool sn_scale_points(sn_reader *reader, sn_vec3 *point, uint32_t count, sn_real scale);

/* These add to a record of a document. */
void sn_save_shape(sn_document *out, sn_value *record, const sn_shape_def *shape);
void sn_save_quaternion(sn_document *out, sn_value *record, const char *key, sn_quat q); /* not the identity */
void sn_save_vectors(sn_document *out, sn_value *record, const char *key, uint32_t count, const sn_vec3 *v);
void sn_save_bits(sn_document *out, sn_value *record, const char *key, uint32_t bits, uint32_t standard);

/* Saves the static and kinematic bodies of the world. Returns NULL, or the reason why that is impossible. */
const char *sn_scene_save_fixed(struct sn_scene *scene, sn_document *out, sn_value *root);

/* Reads a list of bodies into the object that is being built. */
bool sn_build_bodies(sn_build *build, const sn_value *list);

/* The rotation that takes x to a direction of any length but 0: the axes of a joint. */
sn_quat sn_rotation_along(sn_vec3 direction);

/* The shortest rotation that takes one direction to another. */
sn_quat sn_rotation_between(sn_vec3 from, sn_vec3 to);

/* The point of a body that is now at `place` in the world, with axes that are now rotated by `turn`. For a null
   body, a point fixed in the world. */
sn_point sn_point_of_body(const sn_world *world, sn_body body, sn_vec3 place, sn_quat turn);

#endif

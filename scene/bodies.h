/* Rigid bodies as the file has them: the list "bodies" of a scene, those of objects, and their shapes. */
#ifndef SN_SCENE_BODIES_H
#define SN_SCENE_BODIES_H

#include "scene/object.h"

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
    sn_vec3 moments; /* NaN: not given; 0: it does not turn about that axis */
    sn_numbers axes; /* x, y, z, w */
    sn_real spin_damping;
    const char *mesh;
    sn_real weld, scale;
    sn_numbers vertices, triangles;
} sn_body_keys;

/* What only those of the list "bodies" have; those of an object have it from the object. */
typedef struct sn_lone_body_keys {
    const char *name;
    const sn_value *group, *contact;
    bool pinned;
} sn_lone_body_keys;

/* What all shapes have. */
typedef struct sn_shape_keys {
    const char *type;
    sn_vec3 position;
    sn_turn turn;
    sn_numbers rotation;
    sn_real density; /* NaN: not given */
} sn_shape_keys;

typedef struct sn_shape_sphere_keys {
    sn_real radius;
} sn_shape_sphere_keys;

typedef struct sn_shape_box_keys {
    sn_vec3 size;
    sn_real rounding;
} sn_shape_box_keys;

typedef struct sn_shape_hull_keys {
    sn_numbers points;
    const char *mesh;
    sn_real scale, rounding;
} sn_shape_hull_keys;

/* A type of shape: its own keys, in the order of sn_body_shape_type. */
typedef struct sn_shape_form {
    const char *name;
    const char *about; /* one sentence, without a full stop */
    const sn_record *record;
} sn_shape_form;

enum { SN_SHAPE_FORMS = SN_BODY_HULL + 1 };
extern const sn_shape_form sn_shape_forms[SN_SHAPE_FORMS];

extern const sn_record sn_body_record, sn_lone_body_record, sn_shape_record;

/* Reads a list of bodies into the object that is being built. */
bool sn_build_bodies(sn_build *build, const sn_value *list);

/* The rotation that takes x to a direction of any length but 0: the axes of a joint. */
sn_quat sn_rotation_along(sn_vec3 direction);

/* The shortest rotation that takes one direction to another. */
sn_quat sn_rotation_between(sn_vec3 from, sn_vec3 to);

/* The point of a body that is now at a place in the world, with axes turned so; of a null body that place itself. */
sn_point sn_point_of_body(const sn_world *world, sn_body body, sn_vec3 place, sn_quat turn);

#endif

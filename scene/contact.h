/* The parts of a scene that are about contact: settings, groups, skins and colliders, as the file has them. */
#ifndef SN_SCENE_CONTACT_H
#define SN_SCENE_CONTACT_H

#include "scene/object.h"

extern const sn_choices sn_mix_choices;

/* What a surface does to another. */
typedef struct sn_surface_keys {
    sn_real friction; /* both of the next two; NaN: not given, like these */
    sn_real static_friction, dynamic_friction;
    sn_real restitution, rolling;
    sn_mix friction_mix, restitution_mix;
} sn_surface_keys;

/* A group, or the "contact" of an object. */
typedef struct sn_group_keys {
    sn_surface_keys material;
    uint32_t category, mask;
    bool self;        /* if not given: as the engine has it, which is true for group 0 */
    sn_real rest_gap; /* NaN: not given, and no rest shape is taken */
    bool rolls, directional, field;
    uint32_t number; /* UINT32_MAX: not given */
} sn_group_keys;

/* What all colliders have. */
typedef struct sn_collider_keys {
    const char *type, *name;
    sn_vec3 position;
    sn_turn turn;
    sn_numbers rotation; /* x, y, z, w, instead of turn */
    sn_vec3 velocity, spin;
    sn_real thickness;
    sn_surface_keys material;
    uint32_t category, mask;
    bool sensor;
} sn_collider_keys;

typedef struct sn_plane_keys {
    sn_vec3 normal;
} sn_plane_keys;

typedef struct sn_cuboid_keys {
    sn_vec3 size;
} sn_cuboid_keys;

typedef struct sn_ball_keys {
    sn_real radius;
} sn_ball_keys;

typedef struct sn_capsule_keys {
    sn_real radius, length;
    sn_vec3 from, to; /* NaN: not given */
} sn_capsule_keys;

/* Triangles, of a file or given one by one. */
typedef struct sn_shell_keys {
    const char *mesh;
    sn_real weld, scale;
    sn_numbers vertices, triangles;
} sn_shell_keys;

typedef struct sn_sheet_keys {
    sn_shell_keys shell;
    bool one_sided;
} sn_sheet_keys;

typedef struct sn_field_keys {
    sn_shell_keys shell;
    sn_numbers samples, counts;
    sn_vec3 low;
    sn_real cell; /* NaN: not given */
} sn_field_keys;

/* A type of collider: its own keys, in the order of sn_collider_type. */
typedef struct sn_collider_form {
    const char *name;
    const char *about; /* one sentence, without a full stop */
    const sn_record *record;
} sn_collider_form;

enum { SN_COLLIDER_FORMS = SN_COLLIDER_FIELD + 1 };
extern const sn_collider_form sn_collider_forms[SN_COLLIDER_FORMS];

extern const sn_record sn_contact_record, sn_surface_record, sn_group_record, sn_skin_record, sn_collider_record;

/* The material that was meant. What is not given follows from what is. */
sn_contact_material sn_surface_material(const sn_surface_keys *keys);
sn_surface_keys sn_surface_from(const sn_contact_material *material);

/* A rotation by an angle about an axis of any length but 0, and one after another (b first). */
sn_quat sn_rotation_about(sn_vec3 axis, double angle);
sn_quat sn_rotation_after(sn_quat a, sn_quat b);

/* The shortest rotation that takes y to a direction of any length but 0. */
sn_quat sn_rotation_facing(sn_vec3 direction);

/* v turned. */
sn_vec3 sn_rotation_applied(sn_quat q, sn_vec3 v);

#endif

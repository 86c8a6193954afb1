/* The parts of a scene for contact: settings, groups and skins, as in the file. */
#ifndef SN_SCENE_CONTACT_H
#define SN_SCENE_CONTACT_H

#include "scene/object.h"

extern const sn_choices sn_mix_choices;

/* The contact material of a surface. */
typedef struct sn_surface_keys {
    sn_real friction; /* sets static and dynamic friction; NaN: not given, like these */
    sn_real static_friction, dynamic_friction;
    sn_real restitution, rolling;
    sn_mix friction_mix, restitution_mix;
    sn_vec3 surface_velocity;
} sn_surface_keys;

/* A group, or the "contact" of an object. */
typedef struct sn_group_keys {
    sn_surface_keys material;
    uint32_t category, mask;
    bool self;        /* if not given: the default of the world, which is true for group 0 */
    sn_real rest_gap; /* NaN: not given, and no rest shape is taken */
    bool rolls, directional, field;
    uint32_t number; /* UINT32_MAX: not given */
} sn_group_keys;

typedef struct sn_capsule_keys {
    sn_real radius, length;
    sn_vec3 from, to; /* NaN: not given */
} sn_capsule_keys;

extern const sn_record sn_contact_record, sn_surface_record, sn_group_record, sn_skin_record;

/* The defaults of sn_surface_keys. */
void sn_surface_defaults(void *record);

/* The material of these keys. What is not given follows from what is. sn_surface_from: the reverse. */
sn_contact_material sn_surface_material(const sn_surface_keys *keys);
sn_surface_keys sn_surface_from(const sn_contact_material *material);

/* sn_rotation_about: a rotation by an angle about an axis of any length but 0. sn_rotation_after: first b, then a. */
sn_quat sn_rotation_about(sn_vec3 axis, double angle);
sn_quat sn_rotation_after(sn_quat a, sn_quat b);

/* The shortest rotation that takes y to a direction of any length but 0. */
sn_quat sn_rotation_facing(sn_vec3 direction);

/* v rotated by q. */
sn_vec3 sn_rotation_applied(sn_quat q, sn_vec3 v);

#endif

/* The parts of a scene that are about contact: settings, groups and skins, as the file has them. */
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
    sn_vec3 surface_velocity;
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

typedef struct sn_capsule_keys {
    sn_real radius, length;
    sn_vec3 from, to; /* NaN: not given */
} sn_capsule_keys;

extern const sn_record sn_contact_record, sn_surface_record, sn_group_record, sn_skin_record;

/* The defaults of sn_surface_keys. */
void sn_surface_defaults(void *record);

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

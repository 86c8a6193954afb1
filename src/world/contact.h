/* What a world knows of contact. */
#ifndef SN_WORLD_CONTACT_H
#define SN_WORLD_CONTACT_H

#include "base/ids.h"
#include "collision/shape.h"
#include "contact/events.h"
#include "contact/skin_contacts.h"
#include "world/sleep.h"

#include <sinew/contact.h>
#include <sinew/tear.h>

/* A fixed shape: one shape of a static or kinematic body. State. */
typedef struct sn_fixed_shape {
    uint32_t number;              /* by which contact knows it */
    uint32_t data;                /* 1 + the index of its sn_shape_data; 0: none */
    uint64_t data_hash;           /* of that, so that a snapshot can tell whether a world has it */
    uint32_t body, index;         /* the number of its body, and which of its shapes it is */
    uint32_t group;               /* of its body, */
    uint32_t has_material;        /*   whose material is its own, too, unless it has one; */
    uint32_t has_filter;          /*   and the same for the filter */
    sn_contact_material material; /* if it has one */
    sn_filter filter;
    sn_pose own;      /* in the frame of its body; of a hull that of its centroid */
    sn_pose pose;     /* now, in the world */
    sn_shape_def def; /* as given; pointers are NULL, and what its type has not is 0 */
    sn_shape shape;   /* made from def and data; see sn_fixed_shapes_bind */
} sn_fixed_shape;

/* A group's way of contact: state. Sorted by group; groups whose way is the default have no record. */
typedef struct sn_group_record {
    uint32_t group;
    sn_group_contact contact;
} sn_group_record;

/* A group whose particles have a distance field of their shape: state. Sorted by group. */
typedef struct sn_object_field {
    uint32_t group;
    uint32_t data;      /* 1 + the index of its sn_shape_data */
    uint64_t data_hash; /* of that */
} sn_object_field;

/* One skin: state; its triangles are in triangle_table. */
typedef struct sn_skin_record {
    uint32_t number;
    uint32_t first, count; /* triangles */
    uint32_t first_segment, segments;
    uint32_t least, most; /* its particles' numbers are in this range */
    sn_real thickness;
    uint32_t one_sided;
    uint32_t self_collision; /* 0: no; 1: yes; SN_SKIN_TORN: yes, and it was torn or cut */
    uint64_t user;
    sn_tear_def tear; /* all 0: it does not tear */
} sn_skin_record;

/* From then on contacts of surfaces are taken in an order that does not depend on tiles, which are kept: see contact/surface_follow.c. */
#define SN_SKIN_TORN 2u

static inline bool skin_tears(const sn_skin_record *skin)
{
    return skin->tear.strain > 0 || skin->tear.force > 0;
}

#define SN_IMPULSE_FIXED    0x80000000u
#define SN_IMPULSE_TRIANGLE 0x40000000u

/* What a contact pushed in the last substep, with which the next one begins: state. In the order in which the particles were
   stored, and for each of them by `other`. */
typedef struct sn_kept_impulse {
    uint32_t number; /* of the particle; of two the lower one */
    uint32_t
        other; /* the other particle's, or SN_IMPULSE_FIXED and the fixed shape's, or SN_IMPULSE_TRIANGLE and the triangle's */
    uint32_t generation, other_generation; /* of both; of triangles that of all skins */
    sn_real normal_impulse;                /* m */
    sn_real last;                          /* m: in the substep before that */
    sn_vec3 tangent_impulse;               /* m */
    sn_contact_load load;
    sn_vec3 rolled; /* N m s: against rolling */
    sn_vec3 normal; /* fixed shapes; triangles: x is the side */
} sn_kept_impulse;

/* The same of a contact of surfaces. */
typedef struct sn_kept_surface_impulse {
    uint32_t number[4];      /* of the particles: a vertex and the corners of a triangle, or the ends of two edges */
    uint32_t edges;          /* whether it is the latter */
    uint32_t generation;     /* the sum of theirs */
    sn_real normal_impulse;  /* m */
    sn_vec3 tangent_impulse; /* m */
} sn_kept_surface_impulse;

typedef struct sn_contact_world {
    sn_table impulse_table; /* of sn_kept_impulse, and room for those that stay as they are */
    sn_table
        impulse_start_table; /* of uint32_t, by slot: where its entries begin, and one more; derived. Empty when particles
                                   have been stored elsewhere since */
    sn_table surface_impulse_table; /* of sn_kept_surface_impulse */
    sn_contact_settings settings;
    sn_table group_table;       /* of sn_group_record */
    sn_ids fixed_shape_ids;     /* value: row in fixed_shape_table */
    sn_table fixed_shape_table; /* of sn_fixed_shape, in no order: go by the numbers where the order matters */
    sn_table data_table;        /* of sn_shape_data *, and of their hashes: grows only */
    sn_ids skin_ids;            /* value: row in skin_table */
    sn_table skin_table;        /* of sn_skin_record, by number */
    uint32_t skin_generation;   /* rises when triangles get other places in their table */
    sn_table triangle_table; /* of uint32_t[3]: particle numbers; those of one skin behind those of the skin before */
    sn_table segment_table;  /* of uint32_t[2]: the same, of segments */
    sn_table
        spin_table; /* of sn_vec4 by particle number: rad/s, of those that roll; numbers beyond its end have none */
    sn_table rest_table; /* of sn_vec4 by particle number: place in the rest shape of its group, seen from one of its
                                particles, and 1 if there is one, otherwise 0. Numbers beyond its end have none */
    sn_table object_field_table; /* of sn_object_field */
    sn_table
        own_place_table; /* of sn_vec4 by particle number: place in the frame of its object's field, and 1 if there is
                                    one, otherwise 0. Numbers beyond its end have none */
    sn_sleep sleep;
    sn_contact_events events;
    sn_table
        edited_table; /* of uint32_t: fixed shapes that were edited since the last step; of bool, by number: it is there */
    bool all_edited; /* so were all */
    bool has_radii;  /* some particle has a radius, or had; not state */
    uint64_t edits;  /* rises with every change; not state */
    uint64_t
        tears; /* so many of these were vertices of cloth that was torn or cut: no others can have come to intersect */
} sn_contact_world;

struct sn_world;

static inline sn_fixed_shape *contact_fixed_shapes(const sn_contact_world *contact)
{
    return contact->fixed_shape_table.column[0];
}

static inline sn_skin_record *contact_skins(const sn_contact_world *contact)
{
    return contact->skin_table.column[0];
}

static inline sn_shape_data *const *contact_data(const sn_contact_world *contact)
{
    return contact->data_table.column[0];
}

/* ---- fixed_shapes.c ------------------------------------------------------------------------------------------------- */

/* What it has of its own, or that of its group. */
const sn_contact_material *sn_fixed_shape_material(const sn_contact_world *contact, const sn_fixed_shape *record);
sn_filter sn_fixed_shape_filter(const sn_contact_world *contact, const sn_fixed_shape *record);

/* Makes a fixed shape of each shape of a body that stands at `pose`; number: of the first, the others follow it. Errors name the shape.
   If it fails, nothing has changed but that room was made, and meshes are kept. */
sn_result sn_fixed_shapes_add(struct sn_world *world, const sn_shape_def *shape, uint32_t count, uint32_t body,
                              uint32_t group, const sn_pose *pose, uint32_t *number);
void sn_fixed_shapes_remove(struct sn_world *world, uint32_t number, uint32_t count);

/* The fixed shape has been changed, or is going to be: what rests on it wakes. */
void sn_fixed_shape_changes(struct sn_world *world, uint32_t number);
void sn_fixed_shape_changed(struct sn_world *world, uint32_t number);

/* The next step looks at it again. */
void sn_fixed_shape_edited(sn_contact_world *contact, uint32_t number);

/* As a user would write it; arrays, material and filter are the world's own. */
void sn_fixed_shape_read_def(const sn_contact_world *contact, const sn_fixed_shape *record, sn_shape_def *def);

void sn_contact_world_init(sn_contact_world *contact);
void sn_contact_world_release(sn_contact_world *contact, const sn_allocator *allocator);

/* The record of a live fixed shape. */
static inline sn_fixed_shape *contact_fixed_shape(const sn_contact_world *contact, uint32_t number)
{
    return &contact_fixed_shapes(contact)[contact->fixed_shape_ids.value[number]];
}

/* Takes shapes' pointers again: after loading, or when data moved. */
void sn_fixed_shapes_bind(sn_contact_world *contact);

/* 1 + the index of the shape data that a record of another world means, which kept it at 1 + index `data`; 0 if there is none. */
uint32_t sn_contact_find_data(const sn_contact_world *contact, uint32_t data, uint64_t hash, sn_shape_type type);

/* The data of a mesh or a field, those that are there or new ones; NULL for other types. Messages begin with `what`. */
sn_result sn_contact_take_data(struct sn_world *world, const char *what, const sn_shape_def *def,
                               const sn_shape_data **taken);

/* Whether it is a rotation, and about z in a 2D world; the same for a spin. */
sn_result sn_world_check_rotation(const struct sn_world *world, const char *what, sn_quat rotation);
sn_result sn_world_check_spin(const struct sn_world *world, const char *what, sn_vec3 spin);

/* After the tables were read from a snapshot. */
void sn_contact_restored(sn_contact_world *contact);

/* Subtracts offset from all that is a place. With `check` nothing is written, and the result says whether all stay
   finite. */
bool sn_contact_shift(sn_contact_world *contact, sn_vec3 offset, bool check);

/* Adds what decides about contact to a hash, which stays as it is where everything is as in a new world. */
uint64_t sn_contact_hash(uint64_t hash, const struct sn_world *world);

/* ---- contact_groups.c -------------------------------------------------------------------------------------------- */

/* The group's record, or the default of such a group. */
const sn_group_contact *sn_contact_group(const sn_contact_world *contact, uint32_t group);

/* Particles that have no place in a rest shape get the one where they are now, seen from the first of these. False when memory runs out. */
bool sn_contact_take_rest(struct sn_world *world, uint32_t from, const uint32_t *numbers, uint32_t count);

/* The particle leaves its rest shape, and the field of its object. */
void sn_contact_forget_rest(sn_contact_world *contact, uint32_t index);

/* Whether settings are good; otherwise the reason. */
sn_result sn_contact_settings_check(const sn_contact_settings *settings, char *message, size_t size);

/* Whether a material is good; otherwise an error that names the number after `what`. */
sn_result sn_world_check_material(const struct sn_world *world, const char *what, const sn_contact_material *material);

bool sn_contact_runs(const sn_contact_material *material); /* its surface has a velocity */
uint64_t sn_contact_hash_material(uint64_t hash, const sn_contact_material *material);
uint64_t sn_contact_hash_groups(uint64_t hash, const sn_contact_world *contact);

/* ---- object_fields.c --------------------------------------------------------------------------------------------- */

/* The group's record; NULL if it has no field. */
const sn_object_field *sn_object_field_of(const sn_contact_world *contact, uint32_t group);

/* How the object is turned against the frame of its field. */
sn_quat sn_object_field_turn(const struct sn_world *world, uint32_t group);

/* The particle leaves its object. */
void sn_object_fields_forget(sn_contact_world *contact, uint32_t number);

/* After the tables were read from a snapshot. */
void sn_object_fields_restored(sn_contact_world *contact);

uint64_t sn_object_fields_hash(uint64_t hash, const sn_contact_world *contact);

/* ---- skins.c ----------------------------------------------------------------------------------------------------- */

/* After particles of these numbers, first to last, were removed: skins lose the triangles that held them. */
void sn_skins_forget(struct sn_world *world, uint32_t first, uint32_t last);

uint64_t sn_contact_hash_skins(uint64_t hash, const sn_contact_world *contact);

#endif

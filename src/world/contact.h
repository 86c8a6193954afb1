/* The data of a world for contact. */
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
    uint32_t number;              /* the number that contact uses */
    uint32_t data;                /* 1 + the index of its sn_shape_data; 0: none */
    uint64_t data_hash;           /* hash of that, by which a snapshot finds it in a world */
    uint32_t body, index;         /* number of its body, and index of the shape in the body */
    uint32_t group;               /* that of its body */
    uint32_t has_material;        /* otherwise it has that of the group */
    uint32_t has_filter;          /* likewise */
    sn_contact_material material; /* if has_material */
    sn_filter filter;
    sn_pose own;      /* in the frame of its body; for a hull that of its centroid */
    sn_pose pose;     /* at present, in the world */
    sn_shape_def def; /* as given; pointers are NULL, and numbers that its type does not use are 0 */
    sn_shape shape;   /* made from def and data; see sn_fixed_shapes_bind */
} sn_fixed_shape;

/* The contact settings of a group: state. Sorted by group. A group with the default settings has no record. */
typedef struct sn_group_record {
    uint32_t group;
    sn_group_contact contact;
} sn_group_record;

/* A group whose particles have a distance field of their rest shape: state. Sorted by group. */
typedef struct sn_object_field {
    uint32_t group;
    uint32_t data;      /* 1 + the index of its sn_shape_data */
    uint64_t data_hash; /* hash of that */
} sn_object_field;

/* One skin: state; its triangles are in triangle_table. */
typedef struct sn_skin_record {
    uint32_t number;
    uint32_t first, count; /* triangles */
    uint32_t first_segment, segments;
    uint32_t least, most; /* range of the numbers of its particles */
    sn_real thickness;
    uint32_t one_sided;
    uint32_t self_collision; /* 0: no; 1: yes; SN_SKIN_TORN: yes, and it has been torn or cut */
    uint64_t user;
    sn_tear_def tear; /* all 0: it does not tear */
} sn_skin_record;

/* A cell of a lattice: state. Bits 0, 1, 2 of a corner are its place along x, y, z. */
typedef struct sn_cell {
    uint32_t corner[8]; /* particle numbers */
    uint32_t skin;      /* number of the skin around the lattice */
} sn_cell;

/* From then on contacts of surfaces are solved in an order that does not depend on tiles: see
   contact/surface_follow.c. */
#define SN_SKIN_TORN 2u

static inline bool skin_tears(const sn_skin_record *skin)
{
    return skin->tear.strain > 0 || skin->tear.force > 0;
}

#define SN_IMPULSE_FIXED    0x80000000u
#define SN_IMPULSE_TRIANGLE 0x40000000u

/* The impulses of a contact in the last substep, with which the next one starts: state. In the order in which the
   particles were stored, and for each particle sorted by `other`. */
typedef struct sn_kept_impulse {
    uint32_t number; /* of the particle; the lower one of two particles */
    /* the other particle's number; or SN_IMPULSE_FIXED and that of the fixed shape; or SN_IMPULSE_TRIANGLE and that of
       the triangle */
    uint32_t other;
    uint32_t generation, other_generation; /* of both; for triangles that of all skins */
    sn_real normal_impulse;                /* m */
    sn_real last;                          /* m: in the substep before that */
    sn_vec3 tangent_impulse;               /* m */
    sn_contact_load load;
    sn_vec3 rolled; /* N m s: against rolling */
    sn_vec3 normal; /* fixed shapes; triangles: x is the side */
} sn_kept_impulse;

/* The same for a contact between surfaces. */
typedef struct sn_kept_surface_impulse {
    uint32_t number[4];      /* of the particles: a vertex and the corners of a triangle, or the ends of two edges */
    uint32_t edges;          /* true for two edges */
    uint32_t generation;     /* sum of the particles' generations */
    sn_real normal_impulse;  /* m */
    sn_vec3 tangent_impulse; /* m */
} sn_kept_surface_impulse;

typedef struct sn_contact_world {
    sn_table impulse_table;         /* of sn_kept_impulse, with room for those that stay unchanged */
    sn_table impulse_start_table;   /* of uint32_t, by slot: index of its first entry, and one more at the end; derived.
                                       Empty if particles have been stored in another order since */
    sn_table surface_impulse_table; /* of sn_kept_surface_impulse */
    sn_contact_settings settings;
    sn_table group_table;        /* of sn_group_record */
    sn_ids fixed_shape_ids;      /* value: row in fixed_shape_table */
    sn_table fixed_shape_table;  /* of sn_fixed_shape, in no order: use the numbers where the order matters */
    sn_table data_table;         /* of sn_shape_data *, and of their hashes: only grows */
    sn_ids skin_ids;             /* value: row in skin_table */
    sn_table skin_table;         /* of sn_skin_record, by number */
    uint32_t skin_generation;    /* rises when triangles move in their table */
    sn_table triangle_table;     /* of uint32_t[3]: particle numbers; the triangles of each skin are consecutive */
    sn_table segment_table;      /* of uint32_t[2]: the same for segments */
    sn_table cell_table;         /* of sn_cell */
    sn_table spin_table;         /* of sn_vec4 by particle number: angular velocity of rolling particles, rad/s; numbers
                                    beyond its end have none */
    sn_table rest_table;         /* of sn_vec4 by particle number: position in the rest shape of its group, relative to
                                    one of the group's particles, and w = 1; w = 0: none. Numbers beyond its end have
                                    none */
    sn_table object_field_table; /* of sn_object_field */
    sn_table own_place_table;    /* of sn_vec4 by particle number: position in the frame of its object's field, and w =
                                    1; w = 0: none. Numbers beyond its end have none */
    sn_sleep sleep;
    sn_contact_events events;
    sn_table edited_table; /* of uint32_t: fixed shapes that were edited since the last step; of bool, by number: it is
                              in that list */
    bool all_edited;       /* all fixed shapes were edited */
    bool has_radii;        /* some particle has or had a radius; not state */
    uint64_t edits;        /* rises with every edit; not state */
    uint64_t tears;        /* number of these edits that only split vertices of torn or cut cloth: no other vertices
                              can have new intersections */
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

/* The skin of a triangle: the last one that does not begin after it. */
static inline sn_skin_record *contact_skin_of(const sn_contact_world *contact, uint32_t triangle)
{
    sn_skin_record *skin = contact_skins(contact);
    uint32_t low = 0, high = contact->skin_table.count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (skin[middle].first <= triangle)
            low = middle;
        else
            high = middle;
    }
    return &skin[low];
}

static inline sn_shape_data *const *contact_data(const sn_contact_world *contact)
{
    return contact->data_table.column[0];
}

/* ---- fixed_shapes.c ---------------------------------------------------------------------------------------------- */

/* The fixed shape's own, or that of its group. */
const sn_contact_material *sn_fixed_shape_material(const sn_contact_world *contact, const sn_fixed_shape *record);
sn_filter sn_fixed_shape_filter(const sn_contact_world *contact, const sn_fixed_shape *record);

/* Makes a fixed shape of each shape of a body at `pose`. number: receives that of the first; the others follow. Errors
   name the shape. On failure only memory was reserved and meshes were stored. */
sn_result sn_fixed_shapes_add(struct sn_world *world, const sn_shape_def *shape, uint32_t count, uint32_t body,
                              uint32_t group, const sn_pose *pose, uint32_t *number);
void sn_fixed_shapes_remove(struct sn_world *world, uint32_t number, uint32_t count);

/* Before and after a change of a fixed shape: wakes particles and bodies that rest on it. */
void sn_fixed_shape_changes(struct sn_world *world, uint32_t number);
void sn_fixed_shape_changed(struct sn_world *world, uint32_t number);

/* Lists it for the next step, which examines it again. */
void sn_fixed_shape_edited(sn_contact_world *contact, uint32_t number);

/* The shape as a user would define it. Arrays, material and filter belong to the world. */
void sn_fixed_shape_read_def(const sn_contact_world *contact, const sn_fixed_shape *record, sn_shape_def *def);

void sn_contact_world_init(sn_contact_world *contact);
void sn_contact_world_release(sn_contact_world *contact, const sn_allocator *allocator);

/* The record of a live fixed shape. */
static inline sn_fixed_shape *contact_fixed_shape(const sn_contact_world *contact, uint32_t number)
{
    return &contact_fixed_shapes(contact)[contact->fixed_shape_ids.value[number]];
}

/* Renews the shapes' pointers: after loading, or when data moved. */
void sn_fixed_shapes_bind(sn_contact_world *contact);

/* Finds shape data for a record of another world, where they were number `data` (1 + index). Returns 1 + the index
   here; 0 if there is none. */
uint32_t sn_contact_find_data(const sn_contact_world *contact, uint32_t data, uint64_t hash, sn_shape_type type);

/* The data of a mesh or a field: existing ones or new ones; NULL for other types. Messages begin with `what`. */
sn_result sn_contact_take_data(struct sn_world *world, const char *what, const sn_shape_def *def,
                               const sn_shape_data **taken);

/* Checks a rotation, which in a 2D world must be about z; the same for an angular velocity. */
sn_result sn_world_check_rotation(const struct sn_world *world, const char *what, sn_quat rotation);
sn_result sn_world_check_spin(const struct sn_world *world, const char *what, sn_vec3 spin);

/* After the tables were read from a snapshot. */
void sn_contact_restored(sn_contact_world *contact);

/* Subtracts offset from all positions. With `check` nothing is written, and the result tells whether all stay
   finite. */
bool sn_contact_shift(sn_contact_world *contact, sn_vec3 offset, bool check);

/* Adds the data that decide about contact to a hash. In a new world the hash does not change. */
uint64_t sn_contact_hash(uint64_t hash, const struct sn_world *world);

/* ---- contact_groups.c -------------------------------------------------------------------------------------------- */

/* The group's settings, or the default settings. */
const sn_group_contact *sn_contact_group(const sn_contact_world *contact, uint32_t group);

/* Particles without a position in a rest shape get their present position, relative to `from`. False when memory runs
   out. */
bool sn_contact_take_rest(struct sn_world *world, uint32_t from, const uint32_t *numbers, uint32_t count);

/* Removes the particle from its rest shape, and from the field of its object. */
void sn_contact_forget_rest(sn_contact_world *contact, uint32_t index);

/* Checks settings; writes the reason if they are bad. */
sn_result sn_contact_settings_check(const sn_contact_settings *settings, char *message, size_t size);

/* Checks a material. An error names the number after `what`. */
sn_result sn_world_check_material(const struct sn_world *world, const char *what, const sn_contact_material *material);

bool sn_contact_runs(const sn_contact_material *material); /* its surface has a velocity */
uint64_t sn_contact_hash_material(uint64_t hash, const sn_contact_material *material);
uint64_t sn_contact_hash_groups(uint64_t hash, const sn_contact_world *contact);

/* ---- object_fields.c --------------------------------------------------------------------------------------------- */

/* The group's record; NULL if it has no field. */
const sn_object_field *sn_object_field_of(const sn_contact_world *contact, uint32_t group);

/* The rotation of the object relative to the frame of its field. */
sn_quat sn_object_field_turn(const struct sn_world *world, uint32_t group);

/* Removes the particle from its object. */
void sn_object_fields_forget(sn_contact_world *contact, uint32_t number);

/* After the tables were read from a snapshot. */
void sn_object_fields_restored(sn_contact_world *contact);

uint64_t sn_object_fields_hash(uint64_t hash, const sn_contact_world *contact);

/* ---- skins.c ----------------------------------------------------------------------------------------------------- */

/* After particles with numbers first to last were removed: removes the triangles that used them. */
void sn_skins_forget(struct sn_world *world, uint32_t first, uint32_t last);

uint64_t sn_contact_hash_skins(uint64_t hash, const sn_contact_world *contact);

#endif

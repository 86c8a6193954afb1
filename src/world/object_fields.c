/* Objects with a distance field: the particles of a group, and their positions in the frame of a field of their rest
   shape. */
#include "world/world.h"

#include "base/dvec.h"
#include "base/hash.h"
#include "collision/best_rotation.h"

#include <string.h>

/* Separates parts of the hash. */
#define HASH_OBJECT_FIELDS UINT64_C(0x6f626a6669656c64)

/* Particles whose distances from a line are all below this share of their extent count as being on the line: their
   rotation is undetermined. */
#define ON_A_LINE 1e-4

static sn_object_field *records(const sn_contact_world *contact)
{
    return contact->object_field_table.column[0];
}

static sn_vec4 *own_places(const sn_contact_world *contact)
{
    return contact->own_place_table.column[0];
}

/* The row of the group's record, or the row at which it would be inserted. */
static uint32_t find_row(const sn_contact_world *contact, uint32_t group)
{
    uint32_t low = 0, high = contact->object_field_table.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (records(contact)[middle].group < group)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has_record(const sn_contact_world *contact, uint32_t group, uint32_t row)
{
    return row < contact->object_field_table.count && records(contact)[row].group == group;
}

const sn_object_field *sn_object_field_of(const sn_contact_world *contact, uint32_t group)
{
    uint32_t row = contact->object_field_table.count ? find_row(contact, group) : 0;
    return has_record(contact, group, row) ? &records(contact)[row] : NULL;
}

static bool is_member(const sn_world *world, uint32_t number, uint32_t group)
{
    uint32_t slot = world->ids.value[number];
    return slot != SN_ID_FREE && world->particles.group[slot] == group;
}

/* ---- Rotation ---------------------------------------------------------------------------------------------------- */

/* A particle's position in the field's frame and in the world. False if it does not belong to the object. By number, so
   that sums do not depend on how particles are stored. */
static bool read_member(const sn_world *world, uint32_t number, uint32_t group, sn_dvec3 *own, sn_dvec3 *now)
{
    if (number >= world->contact.own_place_table.count || own_places(&world->contact)[number].w == 0 ||
        !is_member(world, number, group))
        return false;
    *own = dvec3_from(vec4_xyz(own_places(&world->contact)[number]));
    *now = dvec3_from(vec4_xyz(world->particles.x[world->ids.value[number]]));
    return true;
}

static void add_products(double sum[3][3], sn_dvec3 a, sn_dvec3 b)
{
    const double u[3] = {a.x, a.y, a.z}, v[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 9; ++i)
        sum[i / 3][i % 3] += u[i / 3] * v[i % 3];
}

sn_quat sn_object_field_turn(const sn_world *world, uint32_t group)
{
    sn_dvec3 own, now, own_centre = {0, 0, 0}, centre = {0, 0, 0};
    double sum[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, members = 0;
    for (uint32_t i = 0; i < world->ids.table.count; ++i)
        if (read_member(world, i, group, &own, &now)) {
            own_centre = dvec3_add(own_centre, own);
            centre = dvec3_add(centre, now);
            members += 1;
        }
    own_centre = dvec3_scale(own_centre, members > 0 ? 1 / members : 0);
    centre = dvec3_scale(centre, members > 0 ? 1 / members : 0);
    for (uint32_t i = 0; i < world->ids.table.count; ++i)
        if (read_member(world, i, group, &own, &now))
            add_products(sum, dvec3_sub(own, own_centre), dvec3_sub(now, centre));
    return sn_best_rotation((const double(*)[3])sum);
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

/* The particle of a group that is farthest from a point, or from the line through it; without a point the first, by
   number. SN_NO_SLOT if there is none. */
static uint32_t farthest_from(const sn_world *world, uint32_t group, const sn_dvec3 *from, const sn_dvec3 *along,
                              double *distance)
{
    uint32_t found = SN_NO_SLOT;
    *distance = -1;
    for (uint32_t i = 0; i < world->ids.table.count; ++i) {
        if (!is_member(world, i, group))
            continue;
        uint32_t slot = world->ids.value[i];
        sn_dvec3 d = from ? dvec3_sub(dvec3_from(vec4_xyz(world->particles.x[slot])), *from) : dvec3(0, 0, 0);
        double far = dvec3_length(along ? dvec3_cross(d, *along) : d);
        if (far > *distance) {
            *distance = far;
            found = slot;
        }
    }
    return found;
}

static sn_result check_members(const sn_world *world, uint32_t group)
{
    double far, wide;
    uint32_t first = farthest_from(world, group, NULL, NULL, &far);
    if (first == SN_NO_SLOT)
        return world_fail(world, SN_ERROR_ARGUMENT, "group field: group %u has no particles", group);
    sn_dvec3 from = dvec3_from(vec4_xyz(world->particles.x[first]));
    uint32_t second = farthest_from(world, group, &from, NULL, &far);
    sn_dvec3 line = dvec3_sub(dvec3_from(vec4_xyz(world->particles.x[second])), from);
    line = dvec3_scale(line, far > 0 ? 1 / far : 0);
    farthest_from(world, group, &from, &line, &wide);
    if (!(wide > ON_A_LINE * far))
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "group field: the particles of group %u lie on a line, so that it cannot be told how it is "
                          "turned; there must be three that do not",
                          group);
    return SN_OK;
}

static sn_result check(const sn_world *world, uint32_t group, const sn_shape_def *def)
{
    char reason[SN_ERROR_SIZE];
    sn_result result;
    if (world->dimensions != 3)
        return world_fail(world, SN_ERROR_ARGUMENT, "group field: a 2D world has none");
    if (def->type != SN_SHAPE_FIELD)
        return world_fail(world, SN_ERROR_ARGUMENT, "group field: type is %d; it must be SN_SHAPE_FIELD",
                          (int)def->type);
    if ((result = sn_world_check_vector(world, "group field: position", def->position)) != SN_OK ||
        (result = sn_world_check_rotation(world, "group field: rotation", def->rotation)) != SN_OK)
        return result;
    if (!sn_shape_source_check(def, reason, sizeof reason))
        return world_fail(world, SN_ERROR_ARGUMENT, "group field: %s", reason);
    return check_members(world, group);
}

/* ---- Adding and removing ----------------------------------------------------------------------------------------- */

void sn_object_fields_forget(sn_contact_world *contact, uint32_t number)
{
    if (number >= contact->own_place_table.count || own_places(contact)[number].w == 0)
        return;
    own_places(contact)[number] = (sn_vec4){0};
    contact->edits++;
}

/* Stores the members' positions in the frame of the pose, with the rounding remainders of their positions. */
static void note_places(sn_world *world, uint32_t group, const sn_pose *pose)
{
    sn_table *table = &world->contact.own_place_table;
    const sn_particle_store *p = &world->particles;
    sn_vec4 *own = table->column[0];
    for (; table->count < world->ids.table.count; table->count++)
        own[table->count] = (sn_vec4){0};
    for (uint32_t i = 0; i < world->ids.table.count; ++i) {
        uint32_t slot = world->ids.value[i];
        if (!is_member(world, i, group))
            continue;
        sn_vec3 d = vec3_add(vec3_sub(vec4_xyz(p->x[slot]), pose->position), vec4_xyz(p->x_low[slot]));
        own[i] = vec4(sn_quat_rotate_back(pose->rotation, d), 1);
    }
}

/* There must be room for one more. */
static void write_record(sn_contact_world *c, uint32_t group, const sn_shape_data *data)
{
    uint32_t row = find_row(c, group);
    sn_object_field made;
    memset(&made, 0, sizeof made);
    made.group = group;
    made.data = data->index + 1;
    made.data_hash = data->hash;
    if (!has_record(c, group, row))
        memmove(records(c) + row + 1, records(c) + row, (c->object_field_table.count++ - row) * sizeof made);
    records(c)[row] = made;
}

static void remove_record(sn_world *world, uint32_t group)
{
    sn_contact_world *c = &world->contact;
    uint32_t row = find_row(c, group);
    if (!has_record(c, group, row))
        return;
    c->object_field_table.count--;
    memmove(records(c) + row, records(c) + row + 1, (c->object_field_table.count - row) * sizeof *records(c));
    for (uint32_t i = 0; i < c->own_place_table.count; ++i)
        if (is_member(world, i, group))
            own_places(c)[i] = (sn_vec4){0};
}

static sn_result give(sn_world *world, uint32_t group, const sn_shape_def *def)
{
    sn_contact_world *c = &world->contact;
    const sn_shape_data *data;
    sn_result result = check(world, group, def);
    if (result != SN_OK)
        return result;
    if (!sn_table_reserve(&c->object_field_table, &world->allocator, (uint64_t)c->object_field_table.count + 1) ||
        !sn_table_reserve(&c->own_place_table, &world->allocator, world->ids.table.count))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for the field of group %u", group);
    if ((result = sn_contact_take_data(world, "group field", def, &data)) != SN_OK)
        return result;
    sn_pose pose = {def->position, sn_quat_normal(def->rotation)};
    note_places(world, group, &pose);
    write_record(c, group, data);
    return SN_OK;
}

sn_result sn_world_set_group_field(sn_world *world, uint32_t group, const sn_shape_def *def)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!def)
        remove_record(world, group);
    else if ((result = give(world, group, def)) != SN_OK)
        return result;
    world->contact.edits++;
    sn_sleep_wake_all(world);
    return SN_OK;
}

bool sn_world_has_group_field(const sn_world *world, uint32_t group)
{
    return world && sn_object_field_of(&world->contact, group);
}

/* ---- State ------------------------------------------------------------------------------------------------------- */

void sn_object_fields_restored(sn_contact_world *contact)
{
    sn_object_field *record = records(contact);
    for (uint32_t i = 0; i < contact->object_field_table.count; ++i) /* another world may have them at other indices */
        record[i].data = sn_contact_find_data(contact, record[i].data, record[i].data_hash, SN_SHAPE_FIELD);
}

uint64_t sn_object_fields_hash(uint64_t hash, const sn_contact_world *contact)
{
    const sn_object_field *record = records(contact);
    const sn_vec4 *own = own_places(contact);
    const sn_shape_def def = {.type = SN_SHAPE_FIELD};
    if (!contact->object_field_table.count)
        return hash;
    hash = hash_u64(hash, HASH_OBJECT_FIELDS);
    for (uint32_t i = 0; i < contact->object_field_table.count; ++i) {
        sn_shape shape = sn_shape_from(&def, contact_data(contact)[record[i].data - 1]);
        hash = sn_shape_hash(hash_u64(hash, record[i].group), &shape);
    }
    for (uint32_t i = 0; i < contact->own_place_table.count; ++i)
        if (own[i].w != 0)
            hash = hash_vec3(hash_u64(hash, i), vec4_xyz(own[i]));
    return hash;
}

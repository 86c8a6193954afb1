/* Fixed shapes: the shapes of static and kinematic bodies, for contact. Large data of shapes are stored once for all
   shapes that use them, until the world is destroyed; see sn_shape_data. The bodies are in fixed.c. */
#include "world/world.h"

#include "base/hash.h"

#include <stdio.h>
#include <string.h>

/* Separates parts of the hash. */
#define HASH_FIXED_SHAPES UINT64_C(0x636f6c6c69646572)

/* ---- All data of contact ----------------------------------------------------------------------------------------- */

void sn_contact_world_init(sn_contact_world *contact)
{
    *contact = (sn_contact_world){.settings = sn_default_contact_settings()};
    sn_table_column(&contact->group_table, sizeof(sn_group_record), true);
    sn_ids_init(&contact->fixed_shape_ids);
    sn_table_column(&contact->fixed_shape_table, sizeof(sn_fixed_shape), true);
    sn_table_column(&contact->data_table, sizeof(sn_shape_data *), false);
    sn_table_column(&contact->data_table, sizeof(uint64_t), false);
    sn_ids_init(&contact->skin_ids);
    sn_table_column(&contact->skin_table, sizeof(sn_skin_record), true);
    sn_table_column(&contact->triangle_table, 3 * sizeof(uint32_t), true);
    sn_table_column(&contact->segment_table, 2 * sizeof(uint32_t), true);
    sn_table_column(&contact->cell_table, sizeof(sn_cell), true);
    sn_table_column(&contact->rest_table, sizeof(sn_vec4), true);
    sn_table_column(&contact->object_field_table, sizeof(sn_object_field), true);
    sn_table_column(&contact->own_place_table, sizeof(sn_vec4), true);
    sn_table_column(&contact->spin_table, sizeof(sn_vec4), true);
    sn_table_column(&contact->impulse_table, sizeof(sn_kept_impulse), true);
    sn_table_column(&contact->impulse_table, sizeof(sn_kept_impulse), false);
    sn_table_column(&contact->surface_impulse_table, sizeof(sn_kept_surface_impulse), true);
    sn_sleep_init(&contact->sleep);
    sn_contact_events_init(&contact->events);
    sn_table_column(&contact->impulse_start_table, sizeof(uint32_t), false);
    sn_table_column(&contact->edited_table, sizeof(uint32_t), false);
    sn_table_column(&contact->edited_table, sizeof(bool), false);
    contact->all_edited = true;
}

void sn_contact_world_release(sn_contact_world *contact, const sn_allocator *allocator)
{
    for (uint32_t i = 0; i < contact->data_table.count; ++i)
        sn_shape_data_destroy(contact_data(contact)[i], allocator);
    sn_table_release(&contact->group_table, allocator);
    sn_ids_release(&contact->fixed_shape_ids, allocator);
    sn_table_release(&contact->fixed_shape_table, allocator);
    sn_table_release(&contact->data_table, allocator);
    sn_ids_release(&contact->skin_ids, allocator);
    sn_table_release(&contact->skin_table, allocator);
    sn_table_release(&contact->triangle_table, allocator);
    sn_table_release(&contact->segment_table, allocator);
    sn_table_release(&contact->cell_table, allocator);
    sn_table_release(&contact->rest_table, allocator);
    sn_table_release(&contact->object_field_table, allocator);
    sn_table_release(&contact->own_place_table, allocator);
    sn_table_release(&contact->spin_table, allocator);
    sn_table_release(&contact->impulse_table, allocator);
    sn_table_release(&contact->surface_impulse_table, allocator);
    sn_sleep_release(&contact->sleep, allocator);
    sn_contact_events_release(&contact->events, allocator);
    sn_table_release(&contact->impulse_start_table, allocator);
    sn_table_release(&contact->edited_table, allocator);
}

static void note_all(sn_contact_world *contact)
{
    contact->edits++;
    contact->all_edited = true;
}

/* Steps reserve memory for all existing numbers. */
void sn_fixed_shape_edited(sn_contact_world *contact, uint32_t number)
{
    bool *noted = contact->edited_table.column[1];
    contact->edits++;
    if (number >= contact->edited_table.capacity)
        contact->all_edited = true;
    if (contact->all_edited || noted[number])
        return;
    noted[number] = true;
    ((uint32_t *)contact->edited_table.column[0])[contact->edited_table.count++] = number;
}

void sn_fixed_shapes_bind(sn_contact_world *contact)
{
    sn_fixed_shape *record = contact_fixed_shapes(contact);
    for (uint32_t i = 0; i < contact->fixed_shape_table.count; ++i)
        record[i].shape =
            sn_shape_from(&record[i].def, record[i].data ? contact_data(contact)[record[i].data - 1] : NULL);
}

uint32_t sn_contact_find_data(const sn_contact_world *contact, uint32_t data, uint64_t hash, sn_shape_type type)
{
    const uint64_t *known = contact->data_table.column[1];
    uint32_t count = contact->data_table.count;
    if (data - 1 < count && known[data - 1] == hash)
        return data;
    for (uint32_t i = 0; i < count; ++i)
        if (known[i] == hash && contact_data(contact)[i]->type == type)
            return i + 1;
    return 0;
}

void sn_contact_restored(sn_contact_world *contact)
{
    sn_fixed_shape *record = contact_fixed_shapes(contact);
    for (uint32_t i = 0; i < contact->fixed_shape_table.count; ++i)
        if (record[i].data) /* another world may have them at other indices */
            record[i].data = sn_contact_find_data(contact, record[i].data, record[i].data_hash, record[i].def.type);
    sn_fixed_shapes_bind(contact);
    sn_object_fields_restored(contact);
    note_all(contact);
}

bool sn_contact_shift(sn_contact_world *contact, sn_vec3 offset, bool check)
{
    sn_fixed_shape *record = contact_fixed_shapes(contact);
    for (uint32_t i = 0; i < contact->fixed_shape_table.count; ++i) {
        sn_vec3 position = vec3_sub(record[i].pose.position, offset);
        if (check && !vec3_is_finite(position))
            return false;
        if (!check)
            record[i].pose.position = position;
    }
    if (!check)
        note_all(contact);
    return true;
}

static uint64_t hash_fixed_shape(uint64_t hash, const sn_world *world, const sn_fixed_shape *record)
{
    const sn_contact_world *contact = &world->contact;
    const sn_filter filter = sn_fixed_shape_filter(contact, record);
    hash = sn_shape_hash(hash_u64(hash, record->number), &record->shape);
    hash = sn_fixed_hash(hash, world, record->body, &record->pose);
    hash = sn_contact_hash_material(hash, sn_fixed_shape_material(contact, record));
    hash = hash_u64(hash_u64(hash, filter.category), filter.mask);
    return hash_u64(hash, record->def.sensor);
}

uint64_t sn_contact_hash(uint64_t hash, const sn_world *world)
{
    const sn_contact_world *contact = &world->contact;
    const sn_ids *ids = &contact->fixed_shape_ids;
    hash = sn_contact_hash_groups(hash, contact);
    if (ids->live)
        hash = hash_u64(hash, HASH_FIXED_SHAPES);
    for (uint32_t i = 0; ids->live && i < ids->table.count; ++i)
        if (sn_ids_is_live(ids, i))
            hash = hash_fixed_shape(hash, world, &contact_fixed_shapes(contact)[ids->value[i]]);
    return sn_object_fields_hash(sn_contact_hash_skins(hash, contact), contact);
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

sn_result sn_world_check_rotation(const sn_world *world, const char *what, sn_quat q)
{
    if (!isfinite(q.x) || !isfinite(q.y) || !isfinite(q.z) || !isfinite(q.w))
        return world_fail(world, SN_ERROR_ARGUMENT, "%s is (%g, %g, %g, %g); it must be finite", what, (double)q.x,
                          (double)q.y, (double)q.z, (double)q.w);
    if (q.x == 0 && q.y == 0 && q.z == 0 && q.w == 0)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s is (0, 0, 0, 0), which is no rotation; none is (0, 0, 0, 1)",
                          what);
    if (world->dimensions == 2 && (q.x != 0 || q.y != 0))
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "%s has x = %g and y = %g; in a 2D world both must be 0, "
                          "so that it turns about z",
                          what, (double)q.x, (double)q.y);
    return SN_OK;
}

sn_result sn_world_check_spin(const sn_world *world, const char *what, sn_vec3 spin)
{
    if (!vec3_is_finite(spin))
        return world_fail(world, SN_ERROR_ARGUMENT, "%s is (%g, %g, %g) rad/s; it must be finite", what, (double)spin.x,
                          (double)spin.y, (double)spin.z);
    if (world->dimensions == 2 && (spin.x != 0 || spin.y != 0))
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "%s has x = %g and y = %g; in a 2D world both must be 0, "
                          "so that it turns about z",
                          what, (double)spin.x, (double)spin.y);
    return SN_OK;
}

/* ---- Adding and removing ----------------------------------------------------------------------------------------- */

/* Existing data that are equal to those of the definition, or NULL. */
static sn_shape_data *find_same(const sn_contact_world *contact, const sn_shape_def *def)
{
    const uint64_t *hash = contact->data_table.column[1];
    uint64_t wanted = sn_shape_source_hash(def);
    for (uint32_t i = 0; i < contact->data_table.count; ++i)
        if (hash[i] == wanted && sn_shape_data_is(contact_data(contact)[i], def))
            return contact_data(contact)[i];
    return NULL;
}

/* Several threads bake a distance field. */
static sn_shape_data *make_data(sn_world *world, const sn_shape_def *def, bool *out_of_memory, char *reason,
                                size_t size)
{
    sn_parallel_begin_step(&world->parallel);
    world->busy = true; /* the caller's function may run the tasks */
    sn_shape_data *data = sn_shape_data_create(&world->allocator, &world->parallel, def, out_of_memory, reason, size);
    world->busy = false;
    sn_parallel_end_step(&world->parallel);
    return data;
}

sn_result sn_contact_take_data(sn_world *world, const char *what, const sn_shape_def *def, const sn_shape_data **taken)
{
    sn_table *table = &world->contact.data_table;
    *taken = NULL;
    if (def->type != SN_SHAPE_HULL && def->type < SN_SHAPE_MESH)
        return SN_OK;
    sn_shape_data *data = find_same(&world->contact, def);
    *taken = data;
    if (data)
        return SN_OK;
    char reason[SN_ERROR_SIZE] = "";
    bool out_of_memory = false;
    if (!sn_table_reserve(table, &world->allocator, (uint64_t)table->count + 1))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for a %s", what);
    data = make_data(world, def, &out_of_memory, reason, sizeof reason);
    if (!data && out_of_memory)
        return world_fail(world, SN_ERROR_MEMORY, "no memory for the points, mesh or field of a %s", what);
    if (!data)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s: %s", what, reason);
    data->index = table->count++;
    ((sn_shape_data **)table->column[0])[data->index] = data;
    ((uint64_t *)table->column[1])[data->index] = data->hash;
    *taken = data;
    return SN_OK;
}

/* Fills a record from a definition. Its arrays are in the data. */
static void fill_record(sn_fixed_shape *record, const sn_shape_def *def, const sn_shape_data *data)
{
    memset(record, 0, sizeof *record);
    record->def = *def;
    sn_shape_def_tidy(&record->def);
    record->def.rotation = sn_quat_normal(def->rotation);
    record->def.material = NULL;
    record->def.filter = NULL;
    record->def.vertices = NULL;
    record->def.triangles = NULL;
    record->def.vertex_count = record->def.triangle_count = 0;
    record->def.heights = NULL;
    memset(record->def.height_count, 0, sizeof record->def.height_count);
    record->def.function = NULL;
    record->def.context = NULL;
    record->def.samples = NULL;
    memset(record->def.sample_count, 0, sizeof record->def.sample_count);
    record->has_material = def->material != NULL;
    record->has_filter = def->filter != NULL;
    if (def->material)
        record->material = *def->material;
    if (def->filter)
        record->filter = *def->filter;
    record->own = (sn_pose){def->position, record->def.rotation};
    record->data = data ? data->index + 1 : 0;
    record->data_hash = data ? data->hash : 0;
    record->shape = sn_shape_from(&record->def, data);
    if (data && data->hull)
        record->own.position = sn_pose_to_world(&record->own, dvec3_round(data->hull->centroid));
}

static sn_result check_shape(const sn_world *world, const char *name, const sn_shape_def *def)
{
    char reason[SN_ERROR_SIZE - 64], what[80];
    if (!sn_shape_def_check(def, reason, sizeof reason))
        return world_fail(world, SN_ERROR_ARGUMENT, "%s: %s", name, reason);
    snprintf(what, sizeof what, "%s: rotation", name);
    sn_result result = sn_world_check_rotation(world, what, def->rotation);
    snprintf(what, sizeof what, "%s: material", name);
    return result == SN_OK && def->material ? sn_world_check_material(world, what, def->material) : result;
}

/* Makes records of all shapes, after the existing ones. */
static sn_result make_records(sn_world *world, const sn_shape_def *shape, uint32_t count)
{
    sn_contact_world *c = &world->contact;
    for (uint32_t i = 0; i < count; ++i) {
        char name[48];
        const char *type = sn_shape_type_name(shape[i].type);
        const sn_shape_data *data;
        snprintf(name, sizeof name, "shape %u (%s)", i, type ? type : "of no type");
        sn_result result = check_shape(world, name, &shape[i]);
        if (result != SN_OK || (result = sn_contact_take_data(world, name, &shape[i], &data)) != SN_OK)
            return result;
        fill_record(&contact_fixed_shapes(c)[c->fixed_shape_table.count + i], &shape[i], data);
    }
    return SN_OK;
}

sn_result sn_fixed_shapes_add(sn_world *world, const sn_shape_def *shape, uint32_t count, uint32_t body, uint32_t group,
                              const sn_pose *pose, uint32_t *number)
{
    sn_contact_world *c = &world->contact;
    const uint32_t row = c->fixed_shape_table.count;
    if ((uint64_t)row + count > SN_MAX_COUNT)
        return world_fail(world, SN_ERROR_LIMIT, "static and kinematic bodies can have %u shapes and no more",
                          SN_MAX_COUNT);
    if (!sn_ids_find(&c->fixed_shape_ids, &world->allocator, count, SN_MAX_COUNT, number) ||
        !sn_table_reserve(&c->fixed_shape_table, &world->allocator, (uint64_t)row + count))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for a body of %u shapes", count);
    sn_result result = make_records(world, shape, count);
    if (result != SN_OK)
        return result;
    sn_ids_take(&c->fixed_shape_ids, *number, count);
    for (uint32_t i = 0; i < count; ++i) {
        sn_fixed_shape *record = &contact_fixed_shapes(c)[row + i];
        record->number = *number + i;
        record->body = body;
        record->index = i;
        record->group = group;
        record->pose = sn_pose_of(pose, &record->own);
        c->fixed_shape_ids.value[*number + i] = row + i;
    }
    c->fixed_shape_table.count += count;
    for (uint32_t i = 0; i < count; ++i)
        sn_fixed_shape_changed(world, *number + i);
    return SN_OK;
}

/* The last record moves into the gap; numbers stay. */
void sn_fixed_shapes_remove(sn_world *world, uint32_t number, uint32_t count)
{
    sn_contact_world *c = &world->contact;
    for (uint32_t i = number; i < number + count; ++i) {
        sn_sleep_fixed_shape_leaves(world, i);
        uint32_t row = c->fixed_shape_ids.value[i], last = --c->fixed_shape_table.count;
        sn_table_copy_row(&c->fixed_shape_table, row, last);
        c->fixed_shape_ids.value[contact_fixed_shapes(c)[row].number] = row;
        sn_ids_free(&c->fixed_shape_ids, i);
        sn_fixed_shape_edited(c, i);
    }
}

/* ---- Reading and changing ---------------------------------------------------------------------------------------- */

const sn_contact_material *sn_fixed_shape_material(const sn_contact_world *contact, const sn_fixed_shape *record)
{
    return record->has_material ? &record->material : &sn_contact_group(contact, record->group)->material;
}

sn_filter sn_fixed_shape_filter(const sn_contact_world *contact, const sn_fixed_shape *record)
{
    if (record->has_filter)
        return record->filter;
    const sn_group_contact *group = sn_contact_group(contact, record->group);
    return (sn_filter){group->category, group->mask};
}

void sn_fixed_shape_changes(sn_world *world, uint32_t number)
{
    sn_sleep_fixed_shape_leaves(world, number);
}

void sn_fixed_shape_changed(sn_world *world, uint32_t number)
{
    sn_fixed_shape_edited(&world->contact, number);
    sn_sleep_fixed_shape_comes(world, number);
}

void sn_fixed_shape_read_def(const sn_contact_world *contact, const sn_fixed_shape *record, sn_shape_def *def)
{
    *def = record->def;
    def->material = record->has_material ? &record->material : NULL;
    def->filter = record->has_filter ? &record->filter : NULL;
    if (record->data)
        sn_shape_data_read(contact_data(contact)[record->data - 1], def);
}

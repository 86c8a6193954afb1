/* Colliders: adding, moving and removing them. What is large of a shape is kept
   once for all that have it, until the world ends; see sn_shape_data. */
#include "world/world.h"

#include "base/hash.h"

#include <string.h>

/* Between the parts of the hash. */
#define HASH_COLLIDERS UINT64_C(0x636f6c6c69646572)

/* ---- All that contact has
 * ----------------------------------------------------------------------------------------
 */

void sn_contact_world_init(sn_contact_world *contact)
{
    *contact = (sn_contact_world){.settings = sn_default_contact_settings()};
    sn_table_column(&contact->group_table, sizeof(sn_group_record), true);
    sn_ids_init(&contact->collider_ids);
    sn_table_column(&contact->collider_table, sizeof(sn_collider_record), true);
    sn_table_column(&contact->data_table, sizeof(sn_shape_data *), false);
    sn_table_column(&contact->data_table, sizeof(uint64_t), false);
    sn_ids_init(&contact->skin_ids);
    sn_table_column(&contact->skin_table, sizeof(sn_skin_record), true);
    sn_table_column(&contact->triangle_table, 3 * sizeof(uint32_t), true);
    sn_table_column(&contact->rest_table, sizeof(sn_vec4), true);
    sn_table_column(&contact->object_field_table, sizeof(sn_object_field), true);
    sn_table_column(&contact->own_place_table, sizeof(sn_vec4), true);
    sn_table_column(&contact->spin_table, sizeof(sn_vec4), true);
    sn_table_column(&contact->impulse_table, sizeof(sn_kept_impulse), true);
    sn_table_column(&contact->impulse_table, sizeof(sn_kept_impulse), false);
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
    sn_ids_release(&contact->collider_ids, allocator);
    sn_table_release(&contact->collider_table, allocator);
    sn_table_release(&contact->data_table, allocator);
    sn_ids_release(&contact->skin_ids, allocator);
    sn_table_release(&contact->skin_table, allocator);
    sn_table_release(&contact->triangle_table, allocator);
    sn_table_release(&contact->rest_table, allocator);
    sn_table_release(&contact->object_field_table, allocator);
    sn_table_release(&contact->own_place_table, allocator);
    sn_table_release(&contact->spin_table, allocator);
    sn_table_release(&contact->impulse_table, allocator);
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

/* A collider has changed: the next step looks at it again. Steps make room for the numbers that there are. */
static void note_edit(sn_contact_world *contact, uint32_t number)
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

void sn_colliders_bind(sn_contact_world *contact)
{
    sn_collider_record *record = contact_colliders(contact);
    for (uint32_t i = 0; i < contact->collider_table.count; ++i)
        record[i].shape =
            sn_shape_from(&record[i].def, record[i].data ? contact_data(contact)[record[i].data - 1] : NULL);
}

uint32_t sn_contact_find_data(const sn_contact_world *contact, uint32_t data, uint64_t hash, sn_collider_type type)
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
    sn_collider_record *record = contact_colliders(contact);
    for (uint32_t i = 0; i < contact->collider_table.count; ++i)
        if (record[i].data) /* another world may keep them elsewhere */
            record[i].data = sn_contact_find_data(contact, record[i].data, record[i].data_hash, record[i].def.type);
    sn_colliders_bind(contact);
    sn_object_fields_restored(contact);
    note_all(contact);
}

bool sn_contact_shift(sn_contact_world *contact, sn_vec3 offset, bool check)
{
    sn_collider_record *record = contact_colliders(contact);
    for (uint32_t i = 0; i < contact->collider_table.count; ++i) {
        sn_vec3 position = vec3_sub(record[i].def.position, offset);
        sn_vec3 target = vec3_sub(record[i].target.position, offset);
        if (check && (!vec3_is_finite(position) || (record[i].has_target && !vec3_is_finite(target))))
            return false;
        if (check)
            continue;
        record[i].def.position = position;
        if (record[i].has_target)
            record[i].target.position = target;
    }
    if (!check)
        note_all(contact);
    return true;
}

static uint64_t hash_pose(uint64_t hash, sn_vec3 position, sn_quat rotation)
{
    hash = hash_real(hash_real(hash_vec3(hash, position), rotation.x), rotation.y);
    return hash_real(hash_real(hash, rotation.z), rotation.w);
}

static uint64_t hash_collider(uint64_t hash, const sn_collider_record *record)
{
    const sn_collider_def *def = &record->def;
    hash = sn_shape_hash(hash_u64(hash, record->number), &record->shape);
    hash = hash_pose(hash, def->position, def->rotation);
    hash = hash_vec3(hash_vec3(hash, def->velocity), def->spin);
    hash = sn_contact_hash_material(hash, &def->material);
    hash = hash_u64(hash_u64(hash_u64(hash, def->category), def->mask), def->sensor);
    return record->has_target ? hash_pose(hash, record->target.position, record->target.rotation) : hash;
}

uint64_t sn_contact_hash(uint64_t hash, const sn_contact_world *contact)
{
    const sn_ids *ids = &contact->collider_ids;
    hash = sn_contact_hash_groups(hash, contact);
    if (ids->live)
        hash = hash_u64(hash, HASH_COLLIDERS);
    for (uint32_t i = 0; ids->live && i < ids->table.count; ++i)
        if (sn_ids_is_live(ids, i))
            hash = hash_collider(hash, &contact_colliders(contact)[ids->value[i]]);
    return sn_object_fields_hash(sn_contact_hash_skins(hash, contact), contact);
}

/* ---- Checks
 * ------------------------------------------------------------------------------------------------------
 */

sn_collider_def sn_default_collider_def(void)
{
    sn_collider_def def;
    memset(&def, 0, sizeof def);
    def.rotation.w = 1;
    def.half = vec3((sn_real)0.5, (sn_real)0.5, (sn_real)0.5);
    def.radius = (sn_real)0.5;
    def.material = sn_default_contact_material();
    def.category = 1;
    def.mask = UINT32_MAX;
    return def;
}

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

static sn_result check_spin(const sn_world *world, const char *what, sn_vec3 spin)
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

static sn_result check_size(const sn_world *world, const char *name, sn_real value)
{
    if (value > 0 && (double)value <= SN_SHAPE_REACH)
        return SN_OK;
    return world_fail(world, SN_ERROR_ARGUMENT, "collider: %s is %g m; it must be positive and at most %g", name,
                      (double)value, SN_SHAPE_REACH);
}

/* The sizes that its type has. */
static sn_result check_sizes(const sn_world *world, const sn_collider_def *def)
{
    sn_result result = SN_OK;
    if (def->type == SN_COLLIDER_BOX && ((result = check_size(world, "half.x", def->half.x)) != SN_OK ||
                                         (result = check_size(world, "half.z", def->half.z)) != SN_OK))
        return result;
    if ((def->type == SN_COLLIDER_BOX || def->type == SN_COLLIDER_CAPSULE) &&
        (result = check_size(world, "half.y", def->half.y)) != SN_OK)
        return result;
    if (def->type == SN_COLLIDER_SPHERE || def->type == SN_COLLIDER_CAPSULE)
        return check_size(world, "radius", def->radius);
    return SN_OK;
}

static sn_result check(const sn_world *world, const sn_collider_def *def)
{
    if (!def)
        return world_fail(world, SN_ERROR_ARGUMENT, "def is NULL; start from sn_default_collider_def()");
    if ((unsigned)def->type > SN_COLLIDER_FIELD)
        return world_fail(world, SN_ERROR_ARGUMENT, "collider: type is %d, which is no sn_collider_type",
                          (int)def->type);
    sn_result result;
    if ((result = sn_world_check_vector(world, "collider: position", def->position)) != SN_OK ||
        (result = sn_world_check_rotation(world, "collider: rotation", def->rotation)) != SN_OK ||
        (result = sn_world_check_vector(world, "collider: velocity", def->velocity)) != SN_OK ||
        (result = check_spin(world, "collider: spin", def->spin)) != SN_OK ||
        (result = check_sizes(world, def)) != SN_OK)
        return result;
    if (!(def->thickness >= 0 && (double)def->thickness <= SN_SHAPE_REACH))
        return world_fail(world, SN_ERROR_ARGUMENT, "collider: thickness is %g m; it must lie in [0, %g]",
                          (double)def->thickness, SN_SHAPE_REACH);
    if ((result = sn_world_check_material(world, "collider: material", &def->material)) != SN_OK)
        return result;
    char reason[SN_ERROR_SIZE];
    if (!sn_shape_source_check(def, reason, sizeof reason))
        return world_fail(world, SN_ERROR_ARGUMENT, "collider: %s", reason);
    return SN_OK;
}

/* ---- Adding and removing
 * -----------------------------------------------------------------------------------------
 */

/* Data that are just what the definition says, or NULL. */
static sn_shape_data *find_same(const sn_contact_world *contact, const sn_collider_def *def)
{
    const uint64_t *hash = contact->data_table.column[1];
    uint64_t wanted = sn_shape_source_hash(def);
    for (uint32_t i = 0; i < contact->data_table.count; ++i)
        if (hash[i] == wanted && sn_shape_data_is(contact_data(contact)[i], def))
            return contact_data(contact)[i];
    return NULL;
}

/* Baking is done by several threads. */
static sn_shape_data *make_data(sn_world *world, const sn_collider_def *def, bool *out_of_memory, char *reason,
                                size_t size)
{
    sn_parallel_begin_step(&world->parallel);
    world->busy = true; /* the tasks may be run by the caller's function */
    sn_shape_data *data = sn_shape_data_create(&world->allocator, &world->parallel, def, out_of_memory, reason, size);
    world->busy = false;
    sn_parallel_end_step(&world->parallel);
    return data;
}

sn_result sn_contact_take_data(sn_world *world, const char *what, const sn_collider_def *def,
                               const sn_shape_data **taken)
{
    sn_table *table = &world->contact.data_table;
    *taken = NULL;
    if (def->type != SN_COLLIDER_MESH && def->type != SN_COLLIDER_FIELD)
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
        return world_fail(world, SN_ERROR_MEMORY, "no memory for the mesh or field of a %s", what);
    if (!data)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s: %s", what, reason);
    data->index = table->count++;
    ((sn_shape_data **)table->column[0])[data->index] = data;
    ((uint64_t *)table->column[1])[data->index] = data->hash;
    *taken = data;
    return SN_OK;
}

/* What a record keeps of a definition: arrays are in its data. */
static void fill_record(sn_collider_record *record, const sn_collider_def *def, const sn_shape_data *data)
{
    memset(record, 0, sizeof *record);
    record->def = *def;
    record->def.rotation = sn_quat_normal(def->rotation);
    record->def.vertices = NULL;
    record->def.triangles = NULL;
    record->def.vertex_count = record->def.triangle_count = 0;
    record->def.function = NULL;
    record->def.context = NULL;
    record->def.samples = NULL;
    memset(record->def.sample_count, 0, sizeof record->def.sample_count);
    record->data = data ? data->index + 1 : 0;
    record->data_hash = data ? data->hash : 0;
    record->shape = sn_shape_from(&record->def, data);
}

sn_result sn_collider_add(sn_world *world, const sn_collider_def *def, sn_collider *collider)
{
    if (collider)
        *collider = (sn_collider){0};
    sn_result result = sn_world_enter(world);
    if (result != SN_OK || (result = check(world, def)) != SN_OK)
        return result;
    sn_contact_world *c = &world->contact;
    uint32_t number, row = c->collider_table.count;
    if (row >= SN_MAX_COUNT)
        return world_fail(world, SN_ERROR_LIMIT, "a world can hold %u colliders and no more", SN_MAX_COUNT);
    if (!sn_ids_find(&c->collider_ids, &world->allocator, 1, SN_MAX_COUNT, &number) ||
        !sn_table_reserve(&c->collider_table, &world->allocator, (uint64_t)row + 1))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for a collider (%u are there)", row);
    const sn_shape_data *data;
    if ((result = sn_contact_take_data(world, "collider", def, &data)) != SN_OK)
        return result;
    sn_collider_record *record = &contact_colliders(c)[row];
    fill_record(record, def, data);
    record->number = number;
    c->collider_table.count++;
    uint32_t generation = sn_ids_take(&c->collider_ids, number, 1);
    c->collider_ids.value[number] = row;
    note_edit(c, number);
    sn_sleep_collider_comes(world, number);
    if (collider)
        *collider = (sn_collider){number, generation};
    return SN_OK;
}

/* The last record moves into the gap; numbers stay. */
sn_result sn_collider_remove(sn_world *world, sn_collider collider)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!sn_world_collider(world, collider))
        return SN_ERROR_STALE;
    sn_sleep_collider_leaves(world, collider.index);
    sn_contact_world *c = &world->contact;
    uint32_t row = c->collider_ids.value[collider.index], last = --c->collider_table.count;
    sn_table_copy_row(&c->collider_table, row, last);
    c->collider_ids.value[contact_colliders(c)[row].number] = row;
    sn_ids_free(&c->collider_ids, collider.index);
    note_edit(c, collider.index);
    return SN_OK;
}

/* ---- Short forms
 * -------------------------------------------------------------------------------------------------
 */

static sn_collider add(sn_world *world, const sn_collider_def *def)
{
    sn_collider collider;
    sn_collider_add(world, def, &collider);
    return collider;
}

sn_collider sn_add_plane_collider(sn_world *world, sn_vec3 point, sn_vec3 normal)
{
    sn_collider_def def = sn_default_collider_def();
    if (sn_world_enter(world) != SN_OK || sn_world_check_vector(world, "plane: normal", normal) != SN_OK)
        return (sn_collider){0};
    if (normal.x == 0 && normal.y == 0 && normal.z == 0) {
        world_fail(world, SN_ERROR_ARGUMENT, "plane: normal is (0, 0, 0); it must have a direction");
        return (sn_collider){0};
    }
    def.position = point;
    def.rotation = sn_quat_to(normal);
    return add(world, &def);
}

sn_collider sn_add_box_collider(sn_world *world, sn_vec3 centre, sn_vec3 half)
{
    sn_collider_def def = sn_default_collider_def();
    def.type = SN_COLLIDER_BOX;
    def.position = centre;
    def.half = half;
    return add(world, &def);
}

sn_collider sn_add_sphere_collider(sn_world *world, sn_vec3 centre, sn_real radius)
{
    sn_collider_def def = sn_default_collider_def();
    def.type = SN_COLLIDER_SPHERE;
    def.position = centre;
    def.radius = radius;
    return add(world, &def);
}

static sn_vec3 half_of(sn_vec3 a)
{
    return vec3(a.x / 2, a.y / 2, a.z / 2);
}

sn_collider sn_add_capsule_collider(sn_world *world, sn_vec3 a, sn_vec3 b, sn_real radius)
{
    sn_collider_def def = sn_default_collider_def();
    if (sn_world_enter(world) != SN_OK || sn_world_check_vector(world, "capsule: a", a) != SN_OK ||
        sn_world_check_vector(world, "capsule: b", b) != SN_OK)
        return (sn_collider){0};
    sn_vec3 half = vec3_sub(half_of(b), half_of(a));
    if (half.x == 0 && half.y == 0 && half.z == 0) {
        world_fail(world, SN_ERROR_ARGUMENT, "capsule: a and b are both (%g, %g, %g); that is a sphere", (double)a.x,
                   (double)a.y, (double)a.z);
        return (sn_collider){0};
    }
    def.type = SN_COLLIDER_CAPSULE;
    def.position = vec3_add(half_of(a), half_of(b));
    def.rotation = sn_quat_to(half);
    def.half.y = (sn_real)sqrt(vec3_dot_double(half, half));
    def.radius = radius;
    return add(world, &def);
}

/* ---- Handles
 * -----------------------------------------------------------------------------------------------------
 */

bool sn_collider_is_valid(const sn_world *world, sn_collider collider)
{
    return world && sn_ids_is_valid(&world->contact.collider_ids, collider.index, collider.generation);
}

sn_collider_record *sn_world_collider(const sn_world *world, sn_collider collider)
{
    const sn_contact_world *c = &world->contact;
    if (sn_collider_is_valid(world, collider))
        return &contact_colliders(c)[c->collider_ids.value[collider.index]];
    if (collider.generation == 0)
        world_fail(world, SN_ERROR_STALE, "the collider is null");
    else
        world_fail(world, SN_ERROR_STALE, "collider %u (generation %u) does not exist (any more)", collider.index,
                   collider.generation);
    return NULL;
}

uint32_t sn_world_collider_count(const sn_world *world)
{
    return world ? world->contact.collider_ids.live : 0;
}

sn_collider sn_collider_from_index(const sn_world *world, uint32_t index)
{
    if (world && sn_ids_is_live(&world->contact.collider_ids, index))
        return (sn_collider){index, world->contact.collider_ids.generation[index]};
    if (world)
        world_fail(world, SN_ERROR_STALE, "there is no collider number %u", index);
    return (sn_collider){0};
}

sn_result sn_collider_read(const sn_world *world, sn_collider collider, sn_collider_def *def)
{
    if (!world)
        return SN_ERROR_ARGUMENT;
    if (!def)
        return world_fail(world, SN_ERROR_ARGUMENT, "def is NULL");
    const sn_collider_record *record = sn_world_collider(world, collider);
    if (!record)
        return SN_ERROR_STALE;
    *def = record->def;
    if (record->data)
        sn_shape_data_read(contact_data(&world->contact)[record->data - 1], def);
    return SN_OK;
}

/* ---- Changing one
 * ------------------------------------------------------------------------------------------------
 */

/* Common start of the calls below: the record to write to. */
static sn_result begin_change(const sn_world *world, sn_collider collider, sn_collider_record **record)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    *record = sn_world_collider(world, collider);
    return *record ? SN_OK : SN_ERROR_STALE;
}

/* The same for calls that take a pose. */
static sn_result begin_pose(const sn_world *world, sn_collider collider, sn_vec3 position, sn_quat rotation,
                            sn_collider_record **record)
{
    sn_result result = begin_change(world, collider, record);
    if (result == SN_OK)
        result = sn_world_check_vector(world, "collider: position", position);
    return result == SN_OK ? sn_world_check_rotation(world, "collider: rotation", rotation) : result;
}

sn_result sn_collider_set_pose(sn_world *world, sn_collider collider, sn_vec3 position, sn_quat rotation)
{
    sn_collider_record *record;
    sn_result result = begin_pose(world, collider, position, rotation, &record);
    if (result != SN_OK)
        return result;
    sn_sleep_collider_leaves(world, collider.index);
    record->def.position = position;
    record->def.rotation = sn_quat_normal(rotation);
    record->has_target = 0;
    note_edit(&world->contact, collider.index);
    sn_sleep_collider_comes(world, collider.index);
    return SN_OK;
}

sn_result sn_collider_move_to(sn_world *world, sn_collider collider, sn_vec3 position, sn_quat rotation)
{
    sn_collider_record *record;
    sn_result result = begin_pose(world, collider, position, rotation, &record);
    if (result != SN_OK)
        return result;
    record->target = (sn_pose){position, sn_quat_normal(rotation)};
    record->has_target = 1;
    note_edit(&world->contact, collider.index);
    return SN_OK;
}

sn_result sn_collider_set_velocity(sn_world *world, sn_collider collider, sn_vec3 velocity, sn_vec3 spin)
{
    sn_collider_record *record;
    sn_result result = begin_change(world, collider, &record);
    if (result != SN_OK || (result = sn_world_check_vector(world, "collider: velocity", velocity)) != SN_OK ||
        (result = check_spin(world, "collider: spin", spin)) != SN_OK)
        return result;
    record->def.velocity = velocity;
    record->def.spin = spin;
    note_edit(&world->contact, collider.index);
    return SN_OK;
}

sn_result sn_collider_set_material(sn_world *world, sn_collider collider, const sn_contact_material *material)
{
    sn_collider_record *record;
    sn_result result = begin_change(world, collider, &record);
    if (result != SN_OK)
        return result;
    if (!material)
        return world_fail(world, SN_ERROR_ARGUMENT, "material is NULL; start from sn_default_contact_material()");
    if ((result = sn_world_check_material(world, "collider: material", material)) != SN_OK)
        return result;
    record->def.material = *material;
    note_edit(&world->contact, collider.index);
    sn_sleep_collider_leaves(world, collider.index);
    return SN_OK;
}

sn_result sn_collider_set_filter(sn_world *world, sn_collider collider, uint32_t category, uint32_t mask)
{
    sn_collider_record *record;
    sn_result result = begin_change(world, collider, &record);
    if (result != SN_OK)
        return result;
    sn_sleep_collider_leaves(world, collider.index);
    record->def.category = category;
    record->def.mask = mask;
    note_edit(&world->contact, collider.index);
    sn_sleep_collider_comes(world, collider.index);
    return SN_OK;
}

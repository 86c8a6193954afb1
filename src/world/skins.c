/* Skins: meshes of triangles between particles. */
#include "world/world.h"

#include "base/hash.h"

#include <string.h>

/* Between the parts of the hash. */
#define HASH_SKINS UINT64_C(0x736b696e73)

sn_skin_def sn_default_skin_def(void)
{
    sn_skin_def def;
    memset(&def, 0, sizeof def);
    return def;
}

/* ---- Adding ------------------------------------------------------------------------------------------------------ */

static sn_result check_triangle(const sn_world *world, const uint32_t *corner, uint32_t triangle)
{
    for (uint32_t k = 0; k < 3; ++k) {
        if (!sn_ids_is_live(&world->ids, corner[k]))
            return world_fail(world, SN_ERROR_ARGUMENT,
                              "skin: triangle %u: corner %u is particle number %u, "
                              "which does not exist",
                              triangle, k, corner[k]);
        if (corner[k] == corner[(k + 1) % 3])
            return world_fail(world, SN_ERROR_ARGUMENT, "skin: triangle %u: particle number %u is two of its corners",
                              triangle, corner[k]);
    }
    return SN_OK;
}

static sn_result check(const sn_world *world, const sn_skin_def *def)
{
    if (!def)
        return world_fail(world, SN_ERROR_ARGUMENT, "def is NULL; start from sn_default_skin_def()");
    if (!def->triangle_count)
        return world_fail(world, SN_ERROR_ARGUMENT, "skin: triangle_count is 0; there must be a triangle");
    if (!def->triangles)
        return world_fail(world, SN_ERROR_ARGUMENT, "skin: triangles is NULL, but triangle_count is %u",
                          def->triangle_count);
    if (!isfinite(def->thickness) || def->thickness < 0)
        return world_fail(world, SN_ERROR_ARGUMENT, "skin: thickness is %g m; it must be finite and not negative",
                          (double)def->thickness);
    if (def->self_collision && !(def->thickness > 0))
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "skin: thickness is 0 m; it must be positive for a skin with self_collision");
    uint64_t total = (uint64_t)world->contact.triangle_table.count + def->triangle_count;
    if (total > SN_MAX_COUNT) /* before the array, which is then surely too short,
                               is read */
        return world_fail(world, SN_ERROR_LIMIT, "%llu triangles of skins are more than the %u that a world can hold",
                          (unsigned long long)total, SN_MAX_COUNT);
    for (uint32_t i = 0; i < def->triangle_count; ++i) {
        sn_result result = check_triangle(world, def->triangles + (size_t)i * 3, i);
        if (result != SN_OK)
            return result;
    }
    return SN_OK;
}

static uint32_t (*triangles(const sn_contact_world *contact))[3]
{
    return contact->triangle_table.column[0];
}

/* Skins are stored by number: the row of the first whose number is not below this one. */
static uint32_t row_for(const sn_contact_world *contact, uint32_t number)
{
    uint32_t low = 0, high = contact->skin_table.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (contact_skins(contact)[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* From a row on: skins have moved by one, and their triangles with them. */
static void renumber(sn_contact_world *contact, uint32_t row)
{
    sn_skin_record *skin = contact_skins(contact);
    for (uint32_t i = row; i < contact->skin_table.count; ++i) {
        contact->skin_ids.value[skin[i].number] = i;
        skin[i].first = i ? skin[i - 1].first + skin[i - 1].count : 0;
    }
}

/* Room for it is there. */
static void insert(sn_contact_world *contact, uint32_t number, const sn_skin_def *def)
{
    sn_skin_record *skin = contact_skins(contact), made;
    uint32_t row = row_for(contact, number), rows = contact->skin_table.count++;
    uint32_t first = row < rows ? skin[row].first : contact->triangle_table.count;
    uint32_t(*triangle)[3] = triangles(contact);
    memmove(triangle + first + def->triangle_count, triangle + first,
            (size_t)(contact->triangle_table.count - first) * sizeof *triangle);
    memcpy(triangle + first, def->triangles, (size_t)def->triangle_count * sizeof *triangle);
    contact->triangle_table.count += def->triangle_count;
    memset(&made, 0, sizeof made);
    made.number = number;
    made.count = def->triangle_count;
    made.least = UINT32_MAX;
    made.thickness = def->thickness;
    made.one_sided = def->one_sided;
    made.self_collision = def->self_collision;
    made.user = def->user;
    for (size_t i = 0; i < (size_t)def->triangle_count * 3; ++i) {
        uint32_t particle = def->triangles[i];
        made.least = particle < made.least ? particle : made.least;
        made.most = particle > made.most ? particle : made.most;
    }
    memmove(skin + row + 1, skin + row, (rows - row) * sizeof *skin);
    skin[row] = made;
    renumber(contact, row);
}

sn_result sn_skin_add(sn_world *world, const sn_skin_def *def, sn_skin *skin)
{
    if (skin)
        *skin = (sn_skin){0};
    sn_result result = sn_world_enter(world);
    if (result != SN_OK || (result = check(world, def)) != SN_OK)
        return result;
    sn_contact_world *c = &world->contact;
    uint32_t number;
    if (!sn_ids_find(&c->skin_ids, &world->allocator, 1, SN_MAX_COUNT, &number) ||
        !sn_table_reserve(&c->skin_table, &world->allocator, (uint64_t)c->skin_table.count + 1) ||
        !sn_table_reserve(&c->triangle_table, &world->allocator,
                          (uint64_t)c->triangle_table.count + def->triangle_count))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for a skin of %u triangles", def->triangle_count);
    if (def->self_collision && !sn_contact_take_rest(world, def->triangles, 3 * def->triangle_count))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for the rest shape of a skin");
    uint32_t generation = sn_ids_take(&c->skin_ids, number, 1);
    insert(c, number, def);
    c->edits++;
    sn_sleep_wake_all(world);
    c->skin_generation++;
    sn_tear_skins_changed(world);
    if (skin)
        *skin = (sn_skin){number, generation};
    return SN_OK;
}

/* ---- Removing ---------------------------------------------------------------------------------------------------- */

bool sn_skin_is_valid(const sn_world *world, sn_skin skin)
{
    return world && sn_ids_is_valid(&world->contact.skin_ids, skin.index, skin.generation);
}

/* Whether the handle is alive; otherwise an error names it. */
static sn_result check_skin(const sn_world *world, sn_skin skin)
{
    if (sn_skin_is_valid(world, skin))
        return SN_OK;
    if (skin.generation == 0)
        return world_fail(world, SN_ERROR_STALE, "the skin is null");
    return world_fail(world, SN_ERROR_STALE, "skin %u (generation %u) does not exist (any more)", skin.index,
                      skin.generation);
}

uint64_t sn_skin_user(const sn_world *world, sn_skin skin)
{
    if (!world || check_skin(world, skin) != SN_OK)
        return 0;
    return contact_skins(&world->contact)[world->contact.skin_ids.value[skin.index]].user;
}

sn_result sn_skin_set_user(sn_world *world, sn_skin skin, uint64_t user)
{
    sn_result result = sn_world_enter(world);
    if (result == SN_OK && (result = check_skin(world, skin)) == SN_OK)
        contact_skins(&world->contact)[world->contact.skin_ids.value[skin.index]].user = user;
    return result;
}

sn_result sn_skin_remove(sn_world *world, sn_skin skin)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK || (result = check_skin(world, skin)) != SN_OK)
        return result;
    sn_contact_world *c = &world->contact;
    uint32_t row = c->skin_ids.value[skin.index];
    sn_skin_record *record = contact_skins(c) + row;
    uint32_t(*triangle)[3] = triangles(c), first = record->first, end = first + record->count;
    memmove(triangle + first, triangle + end, (size_t)(c->triangle_table.count - end) * sizeof *triangle);
    c->triangle_table.count -= end - first;
    c->skin_table.count--;
    memmove(record, record + 1, (c->skin_table.count - row) * sizeof *record);
    sn_ids_free(&c->skin_ids, skin.index);
    renumber(c, row);
    c->edits++;
    sn_sleep_wake_all(world);
    c->skin_generation++;
    sn_tear_skins_changed(world);
    return SN_OK;
}

/* How many triangles of a skin are left, and moved to `to`: those whose particles all exist. */
static uint32_t keep_living(const sn_world *world, const sn_skin_record *skin, uint32_t to)
{
    uint32_t(*triangle)[3] = triangles(&world->contact), kept = 0;
    for (uint32_t i = skin->first; i < skin->first + skin->count; ++i) {
        const uint32_t *corner = triangle[i];
        if (sn_ids_is_live(&world->ids, corner[0]) && sn_ids_is_live(&world->ids, corner[1]) &&
            sn_ids_is_live(&world->ids, corner[2]))
            memmove(triangle[to + kept++], triangle[i], sizeof *triangle);
    }
    return kept;
}

void sn_skins_forget(sn_world *world, uint32_t first, uint32_t last)
{
    sn_contact_world *c = &world->contact;
    sn_skin_record *skin = contact_skins(c);
    uint32_t(*triangle)[3] = triangles(c), to = 0;
    for (uint32_t i = 0; i < c->skin_table.count; ++i) {
        uint32_t kept = skin[i].count;
        if (skin[i].least <= last && skin[i].most >= first)
            kept = keep_living(world, &skin[i], to);
        else if (to != skin[i].first)
            memmove(triangle + to, triangle + skin[i].first, (size_t)kept * sizeof *triangle);
        skin[i].first = to;
        skin[i].count = kept;
        to += kept;
    }
    if (to != c->triangle_table.count) {
        c->edits++, c->skin_generation++;
        sn_tear_skins_changed(world);
        sn_sleep_wake_all(world);
    }
    c->triangle_table.count = to;
}

/* ---- Hash -------------------------------------------------------------------------------------------------------- */

uint64_t sn_contact_hash_skins(uint64_t hash, const sn_contact_world *contact)
{
    const sn_skin_record *skin = contact_skins(contact);
    if (contact->skin_table.count)
        hash = hash_u64(hash, HASH_SKINS);
    for (uint32_t i = 0; i < contact->skin_table.count; ++i) {
        hash = hash_u64(hash_u64(hash, skin[i].number),
                        (uint64_t)skin[i].self_collision << 33 | (uint64_t)skin[i].one_sided << 32 | skin[i].count);
        hash = hash_real(hash, skin[i].thickness);
        if (skin_tears(&skin[i])) {
            const sn_tear_def *tear = &skin[i].tear;
            hash = hash_real(hash_real(hash_real(hash, tear->strain), tear->force), tear->spread);
            hash = hash_u64(hash, tear->seed);
        }
        for (uint32_t t = skin[i].first; t < skin[i].first + skin[i].count; ++t)
            for (int k = 0; k < 3; ++k)
                hash = hash_u64(hash, triangles(contact)[t][k]);
    }
    return hash;
}

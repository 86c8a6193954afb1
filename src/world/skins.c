/* Skins: meshes of triangles between particles. */
#include "world/tear_cells.h"
#include "world/world.h"

#include "base/hash.h"

#include <string.h>

/* Separates parts of the hash. */
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

static sn_result check_segments(const sn_world *world, const sn_skin_def *def)
{
    if (!def->segment_count)
        return SN_OK;
    if (!def->segments)
        return world_fail(world, SN_ERROR_ARGUMENT, "skin: segments is NULL, but segment_count is %u",
                          def->segment_count);
    if (!def->self_collision)
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "skin: segment_count is %u, but self_collision is false; segments collide with it alone",
                          def->segment_count);
    const uint64_t total = (uint64_t)world->contact.segment_table.count + def->segment_count;
    if (total > SN_MAX_COUNT)
        return world_fail(world, SN_ERROR_LIMIT, "%llu segments of skins are more than the %u that a world can hold",
                          (unsigned long long)total, SN_MAX_COUNT);
    for (uint32_t i = 0; i < def->segment_count; ++i) {
        const uint32_t *end = def->segments + 2 * (size_t)i;
        for (uint32_t k = 0; k < 2; ++k)
            if (!sn_ids_is_live(&world->ids, end[k]))
                return world_fail(world, SN_ERROR_ARGUMENT,
                                  "skin: segment %u: end %u is particle number %u, which does not exist", i, k, end[k]);
        if (end[0] == end[1])
            return world_fail(world, SN_ERROR_ARGUMENT, "skin: segment %u: particle number %u is both of its ends", i,
                              end[0]);
    }
    return SN_OK;
}

static sn_result check(const sn_world *world, const sn_skin_def *def)
{
    if (!def)
        return world_fail(world, SN_ERROR_ARGUMENT, "def is NULL; start from sn_default_skin_def()");
    if (!def->triangle_count && !def->segment_count)
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "skin: triangle_count and segment_count are 0; there must be a triangle or a segment");
    if (def->triangle_count && !def->triangles)
        return world_fail(world, SN_ERROR_ARGUMENT, "skin: triangles is NULL, but triangle_count is %u",
                          def->triangle_count);
    if (!isfinite(def->thickness) || def->thickness < 0)
        return world_fail(world, SN_ERROR_ARGUMENT, "skin: thickness is %g m; it must be finite and not negative",
                          (double)def->thickness);
    if (def->self_collision && !(def->thickness > 0))
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "skin: thickness is 0 m; it must be positive for a skin with self_collision");
    uint64_t total = (uint64_t)world->contact.triangle_table.count + def->triangle_count;
    if (total > SN_MAX_COUNT) /* before the array is read, which in that case is surely too short */
        return world_fail(world, SN_ERROR_LIMIT, "%llu triangles of skins are more than the %u that a world can hold",
                          (unsigned long long)total, SN_MAX_COUNT);
    for (uint32_t i = 0; i < def->triangle_count; ++i) {
        sn_result result = check_triangle(world, def->triangles + (size_t)i * 3, i);
        if (result != SN_OK)
            return result;
    }
    return check_segments(world, def);
}

static uint32_t (*segments(const sn_contact_world *contact))[2]
{
    return contact->segment_table.column[0];
}

static uint32_t (*triangles(const sn_contact_world *contact))[3]
{
    return contact->triangle_table.column[0];
}

/* Skins are stored by number. Returns the row of the first skin whose number is not below this one. */
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

/* Updates skins from a row on, after they moved by one row and their triangles and segments moved with them. */
static void renumber(sn_contact_world *contact, uint32_t row)
{
    sn_skin_record *skin = contact_skins(contact);
    for (uint32_t i = row; i < contact->skin_table.count; ++i) {
        contact->skin_ids.value[skin[i].number] = i;
        skin[i].first = i ? skin[i - 1].first + skin[i - 1].count : 0;
        skin[i].first_segment = i ? skin[i - 1].first_segment + skin[i - 1].segments : 0;
    }
}

/* Inserts `count` items of `size` bytes into a table that has room for them. */
static void insert_items(sn_table *table, uint32_t at, const void *items, uint32_t count, size_t size)
{
    char *to = (char *)table->column[0] + at * size;
    if (!count)
        return;
    memmove(to + count * size, to, (table->count - at) * size);
    memcpy(to, items, count * size);
    table->count += count;
}

static void include(sn_skin_record *skin, const uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        skin->least = numbers[i] < skin->least ? numbers[i] : skin->least;
        skin->most = numbers[i] > skin->most ? numbers[i] : skin->most;
    }
}

/* Memory must be reserved. */
static void insert(sn_contact_world *contact, uint32_t number, const sn_skin_def *def)
{
    sn_skin_record *skin = contact_skins(contact), made;
    uint32_t row = row_for(contact, number), rows = contact->skin_table.count++;
    const uint32_t first = row < rows ? skin[row].first : contact->triangle_table.count;
    const uint32_t first_segment = row < rows ? skin[row].first_segment : contact->segment_table.count;
    insert_items(&contact->triangle_table, first, def->triangles, def->triangle_count, sizeof *triangles(contact));
    insert_items(&contact->segment_table, first_segment, def->segments, def->segment_count, sizeof *segments(contact));
    memset(&made, 0, sizeof made);
    made.number = number;
    made.count = def->triangle_count;
    made.segments = def->segment_count;
    made.least = UINT32_MAX;
    made.thickness = def->thickness;
    made.one_sided = def->one_sided;
    made.self_collision = def->self_collision;
    made.user = def->user;
    include(&made, def->triangles, (size_t)def->triangle_count * 3);
    include(&made, def->segments, (size_t)def->segment_count * 2);
    memmove(skin + row + 1, skin + row, (rows - row) * sizeof *skin);
    skin[row] = made;
    renumber(contact, row);
}

/* Marks the particles of a skin, and those inside of a solid of tetrahedra that it encloses. */
static void mark_inside(const sn_world *world, const sn_skin_def *def, bool *in)
{
    const sn_pool *pool = world->constraints.pool[SN_KIND_VOLUME];
    bool changed = true;
    for (uint32_t i = 0; i < 3 * def->triangle_count; ++i)
        in[def->triangles[i]] = true;
    while (changed) {
        changed = false;
        for (uint32_t row = 0; row < pool->ids.table.count; ++row) {
            const uint32_t *p = pool->point + 4 * (size_t)row;
            if (!sn_cell_is_tetrahedron(world, row) || !(in[p[0]] || in[p[1]] || in[p[2]] || in[p[3]]))
                continue;
            for (uint32_t i = 0; i < 4; ++i)
                changed = changed || !in[p[i]], in[p[i]] = true;
        }
    }
}

/* Takes the rest shape, also inside of a solid of tetrahedra: where it tears, what is inside is a surface then. False
   when memory runs out; then it has taken nothing. */
static bool take_rest(sn_world *world, const sn_skin_def *def)
{
    const uint32_t from = def->triangle_count ? def->triangles[0] : def->segments[0], numbers = world->ids.table.count;
    const sn_pool *pool = world->constraints.pool[SN_KIND_VOLUME];
    bool *in = pool->ids.live ? sn_allocate(&world->allocator, numbers) : NULL;
    const bool good = (in || !pool->ids.live) &&
                      sn_contact_take_rest(world, from, def->triangles, 3 * def->triangle_count) &&
                      sn_contact_take_rest(world, from, def->segments, 2 * def->segment_count);
    if (good && in) { /* there is room now */
        memset(in, 0, numbers);
        mark_inside(world, def, in);
        for (uint32_t row = 0; row < pool->ids.table.count; ++row)
            if (sn_cell_is_tetrahedron(world, row) && in[pool->point[4 * (size_t)row]])
                sn_contact_take_rest(world, from, pool->point + 4 * (size_t)row, 4);
    }
    sn_release(&world->allocator, in, numbers);
    return good;
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
                          (uint64_t)c->triangle_table.count + def->triangle_count) ||
        !sn_table_reserve(&c->segment_table, &world->allocator, (uint64_t)c->segment_table.count + def->segment_count))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for a skin of %u triangles and %u segments",
                          def->triangle_count, def->segment_count);
    if (def->self_collision && !take_rest(world, def))
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

/* Checks a handle. The error names the skin. */
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

static sn_cell *cells(const sn_contact_world *contact)
{
    return contact->cell_table.column[0];
}

/* Removes the cells of a skin, by its number; or those with a particle that does not exist. */
static void drop_cells(sn_world *world, uint32_t skin, bool dead)
{
    sn_contact_world *c = &world->contact;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->cell_table.count; ++i) {
        bool stays = dead || cells(c)[i].skin != skin;
        for (uint32_t k = 0; dead && k < 8; ++k)
            stays = stays && sn_ids_is_live(&world->ids, cells(c)[i].corner[k]);
        if (stays)
            cells(c)[kept++] = cells(c)[i];
    }
    world->tearing.indexed = world->tearing.indexed && kept == c->cell_table.count;
    c->cell_table.count = kept;
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
    uint32_t(*segment)[2] = segments(c), from = record->first_segment, to = from + record->segments;
    if (end != first)
        memmove(triangle + first, triangle + end, (size_t)(c->triangle_table.count - end) * sizeof *triangle);
    if (to != from)
        memmove(segment + from, segment + to, (size_t)(c->segment_table.count - to) * sizeof *segment);
    c->triangle_table.count -= end - first;
    c->segment_table.count -= to - from;
    c->skin_table.count--;
    memmove(record, record + 1, (c->skin_table.count - row) * sizeof *record);
    sn_ids_free(&c->skin_ids, skin.index);
    drop_cells(world, skin.index, false);
    renumber(c, row);
    c->edits++;
    sn_sleep_wake_all(world);
    c->skin_generation++;
    sn_tear_skins_changed(world);
    return SN_OK;
}

/* Moves the triangles of a skin whose particles all exist to `to`, and returns their number. */
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

/* The same for segments. */
static uint32_t keep_living_segments(const sn_world *world, const sn_skin_record *skin, uint32_t to)
{
    uint32_t(*segment)[2] = segments(&world->contact), kept = 0;
    for (uint32_t i = skin->first_segment; i < skin->first_segment + skin->segments; ++i)
        if (sn_ids_is_live(&world->ids, segment[i][0]) && sn_ids_is_live(&world->ids, segment[i][1]))
            memmove(segment[to + kept++], segment[i], sizeof *segment);
    return kept;
}

void sn_skins_forget(sn_world *world, uint32_t first, uint32_t last)
{
    sn_contact_world *c = &world->contact;
    sn_skin_record *skin = contact_skins(c);
    uint32_t(*triangle)[3] = triangles(c), to = 0, segments_to = 0;
    drop_cells(world, 0, true);
    for (uint32_t i = 0; i < c->skin_table.count; ++i) {
        uint32_t kept = skin[i].count;
        if (skin[i].least <= last && skin[i].most >= first)
            kept = keep_living(world, &skin[i], to);
        else if (to != skin[i].first)
            memmove(triangle + to, triangle + skin[i].first, (size_t)kept * sizeof *triangle);
        skin[i].first = to;
        skin[i].count = kept;
        to += kept;
        kept = skin[i].segments ? keep_living_segments(world, &skin[i], segments_to) : 0;
        skin[i].first_segment = segments_to;
        skin[i].segments = kept;
        segments_to += kept;
    }
    if (to != c->triangle_table.count || segments_to != c->segment_table.count) {
        c->edits++, c->skin_generation++;
        sn_tear_skins_changed(world);
        sn_sleep_wake_all(world);
    }
    c->triangle_table.count = to;
    c->segment_table.count = segments_to;
}

/* ---- Cells of lattices ------------------------------------------------------------------------------------------- */

static sn_result check_cell(const sn_world *world, const uint32_t *corner, uint32_t cell)
{
    for (uint32_t k = 0; k < 8; ++k) {
        if (!sn_ids_is_live(&world->ids, corner[k]))
            return world_fail(world, SN_ERROR_ARGUMENT,
                              "skin: cell %u: corner %u is particle number %u, which does not exist", cell, k,
                              corner[k]);
        for (uint32_t i = 0; i < k; ++i)
            if (corner[i] == corner[k])
                return world_fail(world, SN_ERROR_ARGUMENT, "skin: cell %u: particle number %u is two of its corners",
                                  cell, corner[k]);
    }
    return SN_OK;
}

sn_result sn_skin_set_cells(sn_world *world, sn_skin skin, const uint32_t *index, uint32_t count)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK || (result = check_skin(world, skin)) != SN_OK)
        return result;
    if (count && !index)
        return world_fail(world, SN_ERROR_ARGUMENT, "skin: index is NULL, but there are %u cells", count);
    sn_contact_world *c = &world->contact;
    const uint64_t total = (uint64_t)c->cell_table.count + count;
    if (total > SN_MAX_COUNT / 8)
        return world_fail(world, SN_ERROR_LIMIT, "%llu cells of skins are more than the %u that a world can hold",
                          (unsigned long long)total, SN_MAX_COUNT / 8);
    for (uint32_t i = 0; i < count; ++i)
        if ((result = check_cell(world, index + 8 * (size_t)i, i)) != SN_OK)
            return result;
    const sn_skin_record *record = &contact_skins(c)[c->skin_ids.value[skin.index]];
    if (!sn_table_reserve(&c->cell_table, &world->allocator, total) ||
        (record->self_collision && record->count &&
         !sn_contact_take_rest(world, triangles(c)[record->first][0], index, 8 * count)))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for %u cells of a skin", count);
    drop_cells(world, skin.index, false);
    for (uint32_t i = 0; i < count; ++i) {
        sn_cell *cell = &cells(c)[c->cell_table.count++];
        memcpy(cell->corner, index + 8 * (size_t)i, sizeof cell->corner);
        cell->skin = skin.index;
    }
    world->tearing.indexed = false;
    return SN_OK;
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
            hash = tear->fatigue > 0 ? hash_real(hash, tear->fatigue) : hash;
        }
        for (uint32_t t = skin[i].first; t < skin[i].first + skin[i].count; ++t)
            for (int k = 0; k < 3; ++k)
                hash = hash_u64(hash, triangles(contact)[t][k]);
        for (uint32_t t = skin[i].first_segment; t < skin[i].first_segment + skin[i].segments; ++t)
            hash = hash_u64(hash, (uint64_t)segments(contact)[t][0] << 32 | segments(contact)[t][1]);
    }
    for (uint32_t i = 0; i < contact->cell_table.count; ++i) {
        hash = hash_u64(hash, cells(contact)[i].skin);
        for (int k = 0; k < 8; ++k)
            hash = hash_u64(hash, cells(contact)[i].corner[k]);
    }
    return hash;
}

/* The impulses of surface contacts, from substep to substep and from step to step, for warm starts. So sheets at rest
   and knots do not have to find them again. Those of the last substep of a step are part of the state. A contact is
   identified by its four vertices. Contacts with shapes of bodies are kept within a step only. */
#include "contact/particle_contacts.h"

#include "base/hash.h"
#include "world/world.h"

#include <string.h>

static uint32_t key_of(const sn_surface_contact *c, uint32_t room)
{
    const uint64_t one = (uint64_t)c->vertex[0] << 32 | c->vertex[1], two = (uint64_t)c->vertex[2] << 32 | c->vertex[3];
    const uint64_t key = (one * UINT64_C(0x9E3779B97F4A7C15) ^ two * 2) + c->edges;
    return (uint32_t)((key * UINT64_C(0x9E3779B97F4A7C15) >> 32) * room >> 32);
}

static bool is_same(const sn_surface_contact *a, const sn_surface_contact *b)
{
    return a->edges == b->edges && memcmp(a->vertex, b->vertex, sizeof a->vertex) == 0;
}

typedef struct recalling {
    const sn_surfaces *s;
    const uint32_t *at; /* a hash table: 1 + the old contact */
    uint32_t room;
} recalling;

/* Finds the old contact of each new one: 1 + its number is noted in sort_table. */
static void find_piece(void *data, uint32_t first, uint32_t end)
{
    const recalling *r = data;
    const sn_surface_contact *made = r->s->contact_table.column[1], *old = r->s->contact_table.column[0];
    sn_sort_item *item = r->s->sort_table.column[0];
    for (uint32_t i = first; i < end; ++i) {
        uint32_t k = key_of(&made[i], r->room);
        while (r->at[k] && !is_same(&old[r->at[k] - 1], &made[i]))
            k = k + 1 < r->room ? k + 1 : 0;
        item[i].a = r->at[k];
    }
}

/* The old contacts are still in the column where the new ones will be sorted by colour. */
bool sn_surface_contacts_recall(sn_world *world, sn_surfaces *s, uint32_t before, sn_real h)
{
    sn_surface_contact *made = s->contact_table.column[1];
    const sn_surface_contact *old = s->contact_table.column[0];
    const sn_sort_item *item = s->sort_table.column[0];
    if (!before || !s->contact_table.count)
        return true;
    const uint64_t room = 2 * (uint64_t)before + 1;
    if (room > SN_MAX_COUNT ||
        !sn_table_reserve(&s->recall_table, &world->allocator, 2 * (uint64_t)s->contact_table.capacity + 1)) {
        world->contacts.failed = world_fail(world, SN_ERROR_MEMORY, "no memory for contact of surfaces");
        return false;
    }
    uint32_t *at = s->recall_table.column[0];
    recalling r = {s, at, (uint32_t)room};
    memset(at, 0, (size_t)room * sizeof *at);
    for (uint32_t i = 0; i < before; ++i) {
        if (!(old[i].normal_impulse > 0) || old[i].body)
            continue;
        uint32_t k = key_of(&old[i], (uint32_t)room);
        while (at[k])
            k = k + 1 < room ? k + 1 : 0;
        at[k] = i + 1;
    }
    if (!sn_parallel_for(&world->parallel, s->contact_table.count, find_piece, &r))
        return false;
    for (uint32_t i = 0; i < s->contact_table.count; ++i)
        if (item[i].a)
            sn_surface_contact_warm(world, &made[i], &old[item[i].a - 1], h);
    return true;
}

/* ---- From step to step ------------------------------------------------------------------------------------------- */

static sn_kept_surface_impulse *kept_of(const sn_world *world)
{
    return world->contact.surface_impulse_table.column[0];
}

static uint32_t generation_of(const sn_world *world, const uint32_t number[4])
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 4; ++k)
        sum += world->ids.generation[number[k]];
    return sum;
}

/* The vertices of a kept contact. False: they do not exist any more. */
static bool find_vertices(const sn_world *world, const sn_kept_surface_impulse *kept, uint32_t vertex[4])
{
    const sn_surfaces *s = &world->contacts.surfaces;
    for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t number = kept->number[k];
        vertex[k] = number < s->index_table.count ? ((const uint32_t *)s->index_table.column[0])[number] : 0;
        if (!vertex[k]--)
            return false;
    }
    return kept->generation == generation_of(world, kept->number);
}

bool sn_surface_contacts_load(sn_world *world, sn_surfaces *s, sn_real dt)
{
    const sn_kept_surface_impulse *kept = kept_of(world);
    const uint32_t count = world->contact.surface_impulse_table.count;
    const sn_real factor = sn_contacts_recall_factor(world, dt);
    s->contact_table.count = 0;
    if (!sn_table_reserve(&s->contact_table, &world->allocator, count))
        return false;
    sn_surface_contact *old = s->contact_table.column[0];
    for (uint32_t i = 0; i < count; ++i) {
        sn_surface_contact c = {.edges = kept[i].edges != 0,
                                .normal_impulse = kept[i].normal_impulse * factor,
                                .tangent_impulse = vec3_scale(kept[i].tangent_impulse, factor)};
        if (find_vertices(world, &kept[i], c.vertex))
            old[s->contact_table.count++] = c;
    }
    return true;
}

bool sn_surface_contacts_reserve(sn_world *world)
{
    const uint64_t asleep = world->contact.sleep.sleepers ? world->contact.surface_impulse_table.count : 0;
    return sn_table_reserve(&world->contact.surface_impulse_table, &world->allocator,
                            world->contacts.surfaces.contact_table.capacity + asleep);
}

/* True if all four particles are at rest, and some of them sleep. */
static bool sleeps(const sn_world *world, const sn_kept_surface_impulse *kept)
{
    bool any = false;
    for (uint32_t k = 0; k < 4; ++k) {
        if (!sn_ids_is_live(&world->ids, kept->number[k]) ||
            world->particles.x[world->ids.value[kept->number[k]]].w != 0)
            return false;
        any = any || sn_sleep_has(&world->contact.sleep, kept->number[k]);
    }
    return any;
}

/* Keeps the impulses of sleeping contacts, scaled to the substeps of this step. */
static void keep_asleep(const sn_world *world, sn_table *table)
{
    const uint32_t before = table->count;
    const sn_real factor = world->contact.sleep.factor;
    sn_kept_surface_impulse *kept = table->column[0];
    table->count = 0;
    for (uint32_t i = 0; world->contact.sleep.sleepers && i < before; ++i)
        if (sleeps(world, &kept[i])) {
            sn_kept_surface_impulse *to = &kept[table->count++];
            *to = kept[i];
            to->normal_impulse *= factor;
            to->tangent_impulse = vec3_scale(to->tangent_impulse, factor);
        }
}

void sn_surfaces_remember(sn_world *world)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    const sn_surface_contact *c = s->contact_table.column[0];
    sn_table *table = &world->contact.surface_impulse_table;
    keep_asleep(world, table);
    for (uint32_t i = 0; s->on && i < s->contact_table.count; ++i) {
        if (!(c[i].normal_impulse > 0) || c[i].shell)
            continue;
        sn_kept_surface_impulse *kept = &kept_of(world)[table->count++];
        *kept = (sn_kept_surface_impulse){
            .edges = c[i].edges, .normal_impulse = c[i].normal_impulse, .tangent_impulse = c[i].tangent_impulse};
        for (uint32_t k = 0; k < 4; ++k)
            kept->number[k] = surface_vertices(s)[c[i].vertex[k]].number;
        kept->generation = generation_of(world, kept->number);
    }
}

uint64_t sn_surfaces_hash(uint64_t hash, const sn_contact_world *contact)
{
    const sn_kept_surface_impulse *kept = contact->surface_impulse_table.column[0];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < contact->surface_impulse_table.count; ++i) {
        uint64_t one = hash_u64(SN_HASH_SEED, (uint64_t)kept[i].number[0] << 32 | kept[i].number[1]);
        one = hash_u64(hash_u64(one, (uint64_t)kept[i].number[2] << 32 | kept[i].number[3]), kept[i].edges);
        sum += hash_vec3(hash_real(one, kept[i].normal_impulse), kept[i].tangent_impulse);
    }
    return contact->surface_impulse_table.count ? hash_u64(hash, sum) : hash;
}

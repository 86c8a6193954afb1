/* Fatigue: strength that is lost by repeated loads.

   The load is a share r of the strength of a rod when new. It rises to a peak p. When it has fallen below half of p,
   that was a cycle, which costs the share `fatigue` p^4 of the strength when new: half the load costs sixteen times
   less than a load that nearly breaks it. (The number of cycles that metals and fibres bear falls with about the fourth
   to tenth power of the load, after Basquin; the losses of cycles are summed, after Miner.) So a rod that was loaded
   often breaks at a load that it once bore. */
#include "world/world.h"

#include "base/hash.h"

/* Some strength is always left, so that an unloaded rod does not break. */
#define MOST_LOST ((sn_real)0.99)

static uint32_t table_of(uint32_t kind)
{
    return kind == SN_KIND_DISTANCE ? 0 : kind == SN_KIND_DISTANCE_MAX ? 1 : kind == SN_KIND_DISTANCE_BAND ? 2 : 3;
}

void sn_wear_by(sn_wear *wear, double load, sn_real fatigue)
{
    if (!isfinite(load) || load < 0)
        return;
    if ((sn_real)load > wear->peak)
        wear->peak = (sn_real)load;
    else if (2 * (sn_real)load < wear->peak) {
        const sn_real square = wear->peak * wear->peak, lost = wear->lost + fatigue * square * square;
        wear->lost = lost < MOST_LOST ? lost : MOST_LOST;
        wear->peak = (sn_real)load;
    }
}

static bool any_wears(const sn_world *world)
{
    const sn_skin_record *skin = contact_skins(&world->contact);
    for (uint32_t i = 0; i < world->contact.skin_table.count; ++i)
        if (skin[i].tear.fatigue > 0)
            return true;
    return false;
}

bool sn_wear_reserve(sn_world *world, uint32_t more)
{
    if (!any_wears(world))
        return true;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        if (!sn_tear_is_rod(kind) || !pool->ids.live)
            continue;
        sn_table *table = &world->tearing.wear_table[table_of(kind)];
        if (!sn_table_reserve(table, &world->allocator, (uint64_t)pool->ids.table.count + more))
            return false;
        for (; table->count < pool->ids.table.count; table->count++)
            ((sn_wear *)table->column[0])[table->count] = (sn_wear){0};
    }
    return true;
}

sn_wear *sn_wear_of(const sn_world *world, uint32_t kind, uint32_t row)
{
    const sn_table *table = &world->tearing.wear_table[table_of(kind)];
    sn_wear *wear = row < table->count ? (sn_wear *)table->column[0] + row : NULL;
    const uint32_t generation = world->constraints.pool[kind]->ids.generation[row];
    if (wear && wear->generation != generation) /* another rod had this number */
        *wear = (sn_wear){.generation = generation};
    return wear;
}

void sn_wear_copy(sn_world *world, uint32_t kind, uint32_t from, uint32_t to)
{
    sn_table *table = sn_tear_is_rod(kind) ? &world->tearing.wear_table[table_of(kind)] : NULL;
    if (!table || from >= table->count)
        return;
    for (; table->count <= to; table->count++)
        ((sn_wear *)table->column[0])[table->count] = (sn_wear){0};
    const sn_wear old = *sn_wear_of(world, kind, from);
    sn_wear *made = sn_wear_of(world, kind, to);
    made->peak = old.peak;
    made->lost = old.lost;
}

uint64_t sn_wear_hash(uint64_t hash, const sn_world *world)
{
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        const sn_table *table = sn_tear_is_rod(kind) ? &world->tearing.wear_table[table_of(kind)] : NULL;
        for (uint32_t row = 0; table && row < table->count && row < pool->ids.table.count; ++row) {
            const sn_wear *wear = (const sn_wear *)table->column[0] + row;
            if (sn_ids_is_live(&pool->ids, row) && wear->generation == pool->ids.generation[row] &&
                (wear->peak != 0 || wear->lost != 0))
                hash = hash_real(hash_real(hash_u64(hash, (uint64_t)kind << 32 | row), wear->peak), wear->lost);
        }
    }
    return hash;
}

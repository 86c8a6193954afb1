/* Data from which limits of stiff meshes are made, and the changes by tears: see solvers/hierarchy_follow.c. */
#include "base/hash.h"
#include "solvers/hierarchy.h"
#include "world/world.h"

#include <string.h>

void sn_limits_init(sn_limits_base *base)
{
    sn_table_column(&base->rod_table, sizeof(sn_mesh_rod), true);
    sn_table_column(&base->w_table, sizeof(sn_real), false);
    sn_table_column(&base->torn_table, sizeof(sn_torn), true);
    sn_table_column(&base->mark_table, sizeof(uint8_t), false);
    sn_table_column(&base->pinned_table, sizeof(bool), false);
}

void sn_limits_release(sn_limits_base *base, const sn_allocator *allocator)
{
    sn_table_release(&base->rod_table, allocator);
    sn_table_release(&base->w_table, allocator);
    sn_table_release(&base->torn_table, allocator);
    sn_table_release(&base->mark_table, allocator);
    sn_table_release(&base->pinned_table, allocator);
}

static uint64_t all_edits(const sn_world *world)
{
    return world->constraints.changes + world->breaking.edits + world->tearing.strength_edits + world->rest_edits;
}

uint64_t sn_limits_edits(const sn_world *world)
{
    return all_edits(world) - world->tearing.own_edits;
}

void sn_limits_tear_begin(sn_world *world)
{
    world->tearing.edits_before = all_edits(world);
}

static sn_real inverse_mass(const sn_world *world, uint32_t slot)
{
    const bool immovable = world->particles.target[slot] || hierarchy_is_pinned(&world->limits, slot);
    return immovable ? 0 : world->particles.x[slot].w;
}

static bool has_base(const sn_world *world)
{
    return world->limits.makes && world->limits.makes == world->plan.makes && world->plan.made;
}

void sn_limits_tear_end(sn_world *world)
{
    const sn_table *torn = &world->limits.torn_table;
    world->tearing.own_edits += all_edits(world) - world->tearing.edits_before;
    if (has_base(world) && torn->count)
        ((sn_torn *)torn->column[0])[torn->count - 1].b |= SN_TORN_LAST;
}

bool sn_limits_are_torn(const sn_world *world)
{
    const sn_limits_base *base = &world->limits;
    const sn_real *w = base->w_table.column[0];
    bool same = has_base(world) && base->torn_table.count && base->edits == sn_limits_edits(world);
    for (uint32_t i = 0; same && i < base->w_table.count; ++i)
        same = w[i] == inverse_mass(world, i);
    return same;
}

/* True if a tear has already changed this particle, or it has no limits. */
static bool is_touched(const sn_world *world, uint32_t slot)
{
    const sn_limits_base *base = &world->limits;
    return slot >= base->mark_table.count || ((const uint8_t *)base->mark_table.column[0])[slot];
}

/* If the list is full: without limits it is enough to know that something was torn, because tears create no limits. */
static void add(sn_limits_base *base, sn_torn torn)
{
    if (base->torn_table.count == base->most)
        base->makes = base->rod_table.count ? 0 : base->makes;
    else
        ((sn_torn *)base->torn_table.column[0])[base->torn_table.count++] = torn;
}

void sn_limits_touch(sn_world *world, uint32_t particle)
{
    const uint32_t slot = world->ids.value[particle];
    if (!has_base(world) || slot >= world->limits.mark_table.count)
        return;
    sn_real *w = (sn_real *)world->limits.w_table.column[0] + slot;
    if (!is_touched(world, slot))
        add(&world->limits, (sn_torn){slot, slot, *w});
    ((uint8_t *)world->limits.mark_table.column[0])[slot] = 1;
    *w = inverse_mass(world, slot);
}

void sn_limits_touch_rod(sn_world *world, uint32_t kind, uint32_t row)
{
    const uint32_t *point = world->constraints.pool[kind]->point + 2 * (size_t)row;
    if (!has_base(world) || (kind != SN_KIND_DISTANCE && kind != SN_KIND_DISTANCE_MAX) ||
        (point[0] | point[1]) & SN_ANCHOR_BIT)
        return;
    const sn_torn ends = {world->ids.value[point[0]], world->ids.value[point[1]], 0};
    if (!is_touched(world, ends.a) && !is_touched(world, ends.b))
        add(&world->limits, ends);
}

bool sn_limits_reserve(sn_limits_base *base, const sn_allocator *allocator, uint32_t most, uint32_t slots)
{
    return sn_table_reserve(&base->torn_table, allocator, most) &&
           sn_table_reserve(&base->mark_table, allocator, slots) &&
           sn_table_reserve(&base->w_table, allocator, slots) &&
           sn_table_reserve(&base->pinned_table, allocator, slots);
}

void sn_limits_restored(sn_world *world)
{
    sn_limits_base *base = &world->limits;
    const sn_torn *torn = base->torn_table.column[0];
    const uint32_t slots = base->torn_table.count ? world->plan.particles : 0;
    base->makes = base->torn_table.count ? world->plan.makes : 0;
    base->edits = sn_limits_edits(world);
    base->mark_table.count = base->w_table.count = slots;
    sn_hierarchy_note_pinned(base, &world->constraints, world->ids.value, slots, world->particles.x, sn_world_is_weak,
                             world);
    for (uint32_t i = 0; i < slots; ++i) {
        ((uint8_t *)base->mark_table.column[0])[i] = 0;
        ((sn_real *)base->w_table.column[0])[i] = inverse_mass(world, i);
    }
    for (uint32_t i = 0; i < base->torn_table.count; ++i)
        if (torn[i].a == (torn[i].b & ~SN_TORN_LAST))
            ((uint8_t *)base->mark_table.column[0])[torn[i].a] = 1;
}

uint64_t sn_limits_hash(uint64_t hash, const sn_world *world)
{
    const sn_limits_base *base = &world->limits;
    const sn_mesh_rod *rod = base->rod_table.column[0];
    const sn_torn *torn = base->torn_table.column[0];
    if (!sn_limits_are_torn(world))
        return hash;
    for (uint32_t i = 0; i < base->rod_table.count; ++i)
        hash = hash_real(hash_u64(hash, (uint64_t)rod[i].a << 32 | rod[i].b), rod[i].rest);
    for (uint32_t i = 0; i < base->torn_table.count; ++i)
        hash = hash_real(hash_u64(hash, (uint64_t)torn[i].a << 32 | torn[i].b), torn[i].w);
    return hash;
}

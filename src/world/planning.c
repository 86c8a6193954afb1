/* The plan of SN_SOLVER_TILED, kept up to date, and storage arranged by it. */
#include "world/world.h"

#include <string.h>

static sn_plan_particles planned_particles(const sn_world *world)
{
    return (sn_plan_particles){.count = world->particles.table.count,
                               .numbers = world->ids.table.count,
                               .slot = world->ids.value,
                               .index = world->particles.index};
}

static const sn_wide_kind *wide_kinds(const sn_world *world)
{
    return world->wide ? world->wide->kind : sn_wide_shapes;
}

/* ---- Storage -------------------------------------------------------------------------------------------------------- */

static void rearrange(sn_table *table, uint32_t count, const uint32_t *from, void *scratch)
{
    for (uint32_t c = 0; c < table->saved; ++c) {
        size_t width = table->width[c];
        const char *old = table->column[c];
        for (uint32_t slot = 0; slot < count; ++slot)
            memcpy((char *)scratch + slot * width, old + from[slot] * width, width);
        memcpy(table->column[c], scratch, count * width);
    }
}

/* Stores particles in the order of their numbers in `order`, which becomes the list of their old slots. */
static void arrange(sn_world *world, uint32_t *order, void *scratch)
{
    uint32_t count = world->particles.table.count;
    bool same = true;
    for (uint32_t slot = 0; slot < count; ++slot) {
        uint32_t number = order[slot];
        order[slot] = world->ids.value[number];
        world->ids.value[number] = slot;
        same = same && order[slot] == slot;
    }
    if (same)
        return;
    rearrange(&world->particles.table, count, order, scratch);
    if (world->history.table.count == count)
        rearrange(&world->history.table, count, order, scratch);
    else
        world->history.table.count = 0;
    world->drag.order_table.count = 0;
    world->constraints.edits++;
    world->moves++;
}

/* Past that only some particles have is given to all before storage is rearranged. */
static bool complete_history(sn_world *world)
{
    sn_history *history = &world->history;
    if (!history->table.count)
        return true;
    if (!sn_table_reserve(&history->table, &world->allocator, world->particles.table.count))
        return false;
    sn_history_bind(history);
    for (; history->table.count < world->particles.table.count; history->table.count++)
        history->old_d[history->table.count] = history->old_v[history->table.count] =
            history->old_a[history->table.count] = vec4(vec3(0, 0, 0), 0);
    return true;
}

/* ---- The plan ---------------------------------------------------------------------------------------------------------- */

static bool make_plan(sn_world *world)
{
    uint32_t count = world->particles.table.count;
    size_t order_size = (size_t)count * sizeof(uint32_t), scratch_size = (size_t)count * sizeof(sn_vec4);
    uint32_t *order = sn_allocate(&world->allocator, order_size);
    void *scratch = sn_allocate(&world->allocator, scratch_size);
    sn_plan_particles particles = planned_particles(world);
    bool made =
        order && scratch && complete_history(world) &&
        sn_plan_make(&world->plan, &world->allocator, &world->constraints, &particles, wide_kinds(world), order);
    if (made)
        arrange(world, order, scratch);
    sn_release(&world->allocator, scratch, scratch_size);
    sn_release(&world->allocator, order, order_size);
    return made;
}

/* So many particles may have come since. */
static bool has_many_newcomers(const sn_world *world)
{
    uint32_t count = world->particles.table.count, planned = world->plan.particles;
    return count > planned && count - planned > 256 + planned / 8;
}

bool sn_world_plan(sn_world *world)
{
    sn_plan *plan = &world->plan;
    if (world->state.settings.solver != SN_SOLVER_TILED)
        return true;
    if (plan->made && !plan->filled &&
        !sn_plan_restored(plan, &world->allocator, &world->constraints, wide_kinds(world)))
        return false;
    if (plan->made && !has_many_newcomers(world) && sn_plan_follow(plan, &world->constraints, wide_kinds(world)))
        return true;
    plan->made = false;
    return make_plan(world);
}

void sn_world_follow_edits(sn_world *world)
{
    sn_plan *plan = &world->plan;
    if (!plan->made ||
        (!plan->filled && !sn_plan_restored(plan, &world->allocator, &world->constraints, wide_kinds(world))))
        return;
    if (!sn_plan_follow(plan, &world->constraints, wide_kinds(world)))
        plan->made = false;
}

void sn_world_slot_freed(sn_world *world, uint32_t slot)
{
    uint32_t last = world->particles.table.count - 1;
    if (slot < world->plan.particles || last < world->plan.particles)
        world->plan.made = false;
}

sn_result sn_world_replan(sn_world *world)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    world->plan.made = false;
    if (!sn_world_plan(world))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for a plan of %u constraints",
                          world->constraints.counts.live);
    return SN_OK;
}

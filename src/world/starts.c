/* Positions at the start of the substep, for constraints that need them: dampers, friction and motors of joints,
   gradients at the start. They are in y (position) and d (rounding remainder). For movable particles they are stored by
   prediction (sn_motion.start), tile by tile, except in tiles without such constraints. For immovable particles they
   are stored once a step, and at each motion to a target. */
#include "world/substep.h"

#include <string.h>

void sn_starts_init(sn_starts *starts)
{
    sn_table_column(&starts->number_table, sizeof(uint32_t), false);
    sn_table_column(&starts->asks_table, sizeof(bool), false);
}

void sn_starts_release(sn_starts *starts, const sn_allocator *allocator)
{
    sn_table_release(&starts->number_table, allocator);
    sn_table_release(&starts->asks_table, allocator);
}

static bool asks(const sn_pool *pool, uint32_t row)
{
    return pool->kind->own_rows || (!pool->kind->force && pool->give[row].damping * pool->give[row].compliance != 0);
}

/* Whether a parameter whose name ends so is not 0. Dampers and motors of a joint are parameters. */
static bool has_number(const sn_pool *pool, uint32_t row, const char *ending)
{
    const sn_real *number = pool->param + (size_t)row * pool->param_count;
    for (const sn_param *p = pool->kind->param; p->name; ++p) {
        const size_t length = strlen(p->name), most = strlen(ending);
        const uint32_t numbers = p->type == SN_PARAM_REAL ? 1 : 3;
        for (uint32_t i = 0; length >= most && !strcmp(p->name + length - most, ending) && i < numbers; ++i)
            if (number[i] != 0)
                return true;
        number += numbers;
    }
    return false;
}

/* Whether a constraint that asks has a damper, or may have one. */
static bool is_damped(const sn_pool *pool, uint32_t row)
{
    return pool->give[row].damping != 0 || pool->own_kind || /* of a kind of the user nothing is known */
           has_number(pool, row, "damping");
}

/* Lists the particles of one constraint that are not listed yet. */
static void list_particles(sn_starts *starts, const sn_store *store, const sn_pool *pool, uint32_t row)
{
    uint32_t small[SN_MAX_BLOCK], count = 0;
    const uint32_t *particle = sn_store_particles(store, pool, row, small, &count);
    uint32_t *number = starts->number_table.column[0];
    bool *seen = starts->asks_table.column[0];
    for (uint32_t i = 0; i < count; ++i) {
        if (!seen[particle[i]])
            number[starts->number_table.count++] = particle[i];
        seen[particle[i]] = true;
    }
}

/* With `lists`, lists the particles of all such constraints. Returns whether there is one. */
static bool walk(sn_starts *starts, const sn_store *store, bool lists)
{
    bool any = false;
    for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
        const sn_pool *pool = store->pool[kind];
        for (uint32_t row = 0; pool->ids.live && (lists || !any) && row < pool->ids.table.count; ++row) {
            if (!sn_ids_is_live(&pool->ids, row) || !asks(pool, row))
                continue;
            any = true;
            if (!lists)
                continue;
            list_particles(starts, store, pool, row);
            starts->damped = starts->damped || is_damped(pool, row);
            starts->driven = starts->driven || pool->own_kind || has_number(pool, row, "speed_most");
        }
    }
    return any;
}

bool sn_starts_all(const sn_world *world, bool still)
{
    const sn_settings *settings = &world->state.settings;
    return (settings->gradients == SN_GRADIENTS_START && !still) ||
           (settings->solver != SN_SOLVER_TILED && settings->solver != SN_SOLVER_DIRECT);
}

bool sn_starts_find(sn_world *world, bool still)
{
    sn_starts *starts = &world->starts;
    const sn_store *store = &world->constraints;
    const uint32_t numbers = world->ids.table.count;
    const bool all = sn_starts_all(world, still), is_new = !starts->found || starts->changes != store->changes;
    starts->found = false;
    if (is_new)
        starts->number_table.count = 0;
    const bool walks = is_new && !all && walk(starts, store, false);
    starts->any = all || walks || starts->number_table.count;
    const bool by_tile = starts->any && (!all || world->state.settings.solver == SN_SOLVER_TILED);
    if ((walks && !sn_table_reserve(&starts->number_table, &world->allocator, numbers)) ||
        (by_tile && !sn_table_reserve(&starts->asks_table, &world->allocator, numbers)))
        return false;
    bool *by_slot = starts->asks_table.column[0];
    if (walks) {
        memset(by_slot, 0, numbers * sizeof *by_slot); /* by number, for the moment */
        starts->damped = starts->driven = false;
        walk(starts, store, true);
    }
    if (by_tile) { /* slots change when storage is rearranged */
        const uint32_t *number = starts->number_table.column[0];
        if (numbers) /* without particles there is no array */
            memset(by_slot, all, numbers * sizeof *by_slot);
        for (uint32_t i = 0; i < starts->number_table.count; ++i)
            by_slot[world->ids.value[number[i]]] = true;
    }
    starts->damped = all || (starts->any && starts->damped);
    starts->driven = all || (starts->any && starts->driven);
    starts->changes = store->changes;
    starts->found = !all;
    return true;
}

void sn_starts_note_immovable(sn_world *world)
{
    const sn_particle_store *p = &world->particles;
    for (uint32_t slot = 0; world->starts.any && slot < p->table.count; ++slot)
        if (p->x[slot].w == 0)
            p->y[slot] = p->x[slot];
}

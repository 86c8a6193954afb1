/* Where the substep started, for constraints that ask: dampers, friction and motors of joints, gradients at the start.

   Only the particles of such constraints are noted, in y (position) and d (what rounding left over of it); or all of them, where
   the solver reads more than that. */
#include "world/substep.h"

#include <string.h>

void sn_starts_init(sn_starts *starts)
{
    sn_table_column(&starts->table, sizeof(uint32_t), false);
    sn_table_column(&starts->seen_table, sizeof(bool), false);
}

void sn_starts_release(sn_starts *starts, const sn_allocator *allocator)
{
    sn_table_release(&starts->table, allocator);
    sn_table_release(&starts->seen_table, allocator);
}

static bool asks(const sn_pool *pool, uint32_t row)
{
    return pool->kind.own_rows || (!pool->kind.force && pool->give[row].damping * pool->give[row].compliance != 0);
}

/* Lists the particles of one constraint that are not listed yet. */
static void list_particles(sn_starts *starts, const sn_store *store, const sn_pool *pool, uint32_t row)
{
    uint32_t small[SN_MAX_BLOCK], count = 0;
    const uint32_t *number = sn_store_particles(store, pool, row, small, &count);
    uint32_t *list = starts->table.column[0];
    bool *seen = starts->seen_table.column[0];
    for (uint32_t i = 0; i < count; ++i) {
        if (!seen[number[i]])
            list[starts->table.count++] = number[i];
        seen[number[i]] = true;
    }
}

/* Lists the particles of all constraints that ask; or says whether there is one. */
static bool walk(sn_starts *starts, const sn_store *store, bool lists)
{
    bool any = false;
    for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
        const sn_pool *pool = store->pool[kind];
        for (uint32_t row = 0; pool->ids.live && (lists || !any) && row < pool->ids.table.count; ++row) {
            if (!sn_ids_is_live(&pool->ids, row) || !asks(pool, row))
                continue;
            any = true;
            if (lists)
                list_particles(starts, store, pool, row);
        }
    }
    return any;
}

/* Slots change when storage is rearranged. The list is put into their order again then: neighbours in it are of one tile. */
static void sort_by_slot(sn_world *world)
{
    sn_starts *starts = &world->starts;
    uint32_t *number = starts->table.column[0], count = starts->table.count, last = 0, listed = 0;
    bool *here = starts->seen_table.column[0], sorted = true;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t slot = world->ids.value[number[i]];
        sorted = sorted && slot >= last;
        last = slot;
    }
    if (sorted)
        return;
    memset(here, 0, world->ids.table.count * sizeof *here);
    for (uint32_t i = 0; i < count; ++i)
        here[world->ids.value[number[i]]] = true;
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot)
        if (here[slot])
            number[listed++] = world->particles.index[slot];
}

bool sn_starts_find(sn_world *world)
{
    sn_starts *starts = &world->starts;
    const sn_store *store = &world->constraints;
    uint32_t numbers = world->ids.table.count;
    if (starts->found && starts->changes == store->changes) {
        sort_by_slot(world);
        return true;
    }
    starts->found = false;
    starts->table.count = 0;
    if (walk(starts, store, false)) {
        if (!sn_table_reserve(&starts->table, &world->allocator, numbers) ||
            !sn_table_reserve(&starts->seen_table, &world->allocator, numbers))
            return false;
        memset(starts->seen_table.column[0], 0, numbers * sizeof(bool));
        walk(starts, store, true);
    }
    sort_by_slot(world);
    starts->changes = store->changes;
    starts->found = true;
    return true;
}

bool sn_starts_all(const sn_world *world, bool still)
{
    const sn_settings *settings = &world->state.settings;
    return (settings->gradients == SN_GRADIENTS_START && !still) ||
           (settings->solver != SN_SOLVER_TILED && settings->solver != SN_SOLVER_DIRECT);
}

typedef struct noting {
    sn_world *world;
    const sn_tiled *t; /* tiles may lag; NULL: none does */
} noting;

static void note_piece(void *data, uint32_t first, uint32_t end)
{
    const noting *n = data;
    sn_particle_store *p = &n->world->particles;
    const uint32_t *number = n->world->starts.table.column[0];
    uint32_t tile_end = 0;
    bool split = false;
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t slot = n->world->ids.value[number[i]];
        p->y[slot] = p->x[slot];
        p->d[slot] = p->x_low[slot];
        if (n->t && slot >= tile_end)
            split = sn_tiled_is_split(n->t, slot, &tile_end);
        if (!split)
            continue;
        sn_real *y = &p->y[slot].x, *d = &p->d[slot].x;
        for (int k = 0; k < 3; ++k) { /* as stage_settle is going to add them up */
            sn_real sum = y[k] + d[k];
            d[k] = d[k] - (sum - y[k]);
            y[k] = sum;
        }
    }
}

static void note_all_piece(void *data, uint32_t first, uint32_t end)
{
    sn_particle_store *p = &((const noting *)data)->world->particles;
    memcpy(p->y + first, p->x + first, (end - first) * sizeof *p->y);
    memcpy(p->d + first, p->x_low + first, (end - first) * sizeof *p->d);
}

bool sn_starts_note(sn_substep *s)
{
    sn_world *world = s->world;
    noting n = {world, NULL};
    if (sn_starts_all(world, s->still))
        return sn_parallel_for(&world->parallel, world->particles.table.count, note_all_piece, &n);
    if (!world->starts.table.count)
        return true;
    const sn_solver_in in = sn_world_solver_input(world, s->h);
    const sn_tiled t = {.in = &in, .wide = world->wide, .motion = &s->motion, .resident = true};
    n.t = s->step->resident ? &t : NULL;
    return sn_parallel_for(&world->parallel, world->starts.table.count, note_piece, &n);
}

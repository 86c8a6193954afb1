/* Storage of particles, and of the history that multistep integrators use. */
#include "world/world.h"

#include "integrators/integrator.h"

#include <string.h>

void sn_particle_store_init(sn_particle_store *particles)
{
    memset(particles, 0, sizeof *particles);
#define SN_COLUMN(type, name, is_state) sn_table_column(&particles->table, sizeof(type), is_state);
    SN_PARTICLE_COLUMNS(SN_COLUMN)
#undef SN_COLUMN
    sn_table_column(&particles->work_table, sizeof *particles->y, false);
    sn_table_column(&particles->work_table, sizeof *particles->d, false);
    sn_table_column(&particles->mark_table, sizeof *particles->mark, false);
    sn_table_column(&particles->force_table, sizeof *particles->f, false);
}

void sn_particle_store_release(sn_particle_store *particles, const sn_allocator *allocator)
{
    sn_table_release(&particles->table, allocator);
    sn_table_release(&particles->work_table, allocator);
    sn_table_release(&particles->mark_table, allocator);
    sn_table_release(&particles->force_table, allocator);
}

bool sn_particle_store_reserve(sn_particle_store *particles, const sn_allocator *allocator, sn_particle_needs needs)
{
    uint64_t count = (uint64_t)particles->table.count + needs.turns;
    bool room = sn_table_reserve(&particles->table, allocator, count);
    sn_particle_store_bind(particles);
    room = room && (!needs.starts || sn_table_reserve(&particles->work_table, allocator, count)) &&
           sn_table_reserve(&particles->mark_table, allocator, count) &&
           (!needs.forces || sn_table_reserve(&particles->force_table, allocator, count));
    particles->y = particles->work_table.column[0];
    particles->d = particles->work_table.column[1];
    particles->mark = particles->mark_table.column[0];
    particles->f = particles->force_table.column[0];
    return room;
}

void sn_particle_store_bind(sn_particle_store *particles)
{
    uint32_t column = 0;
#define SN_COLUMN(type, name, is_state) particles->name = particles->table.column[column++];
    SN_PARTICLE_COLUMNS(SN_COLUMN)
#undef SN_COLUMN
}

/* ---- History ---------------------------------------------------------------------------------------------------- */

void sn_history_init(sn_history *history)
{
    memset(history, 0, sizeof *history);
    sn_table_column(&history->table, sizeof *history->old_d, true);
    sn_table_column(&history->table, sizeof *history->old_v, true);
    sn_table_column(&history->table, sizeof *history->old_a, true);
    sn_table_column(&history->table, sizeof *history->old_f, true);
}

void sn_history_bind(sn_history *history)
{
    history->old_d = history->table.column[0];
    history->old_v = history->table.column[1];
    history->old_a = history->table.column[2];
    history->old_f = history->table.column[3];
}

void sn_history_complete(sn_history *history, uint32_t particles)
{
    sn_history_bind(history);
    for (; history->table.count < particles; history->table.count++) {
        uint32_t slot = history->table.count;
        history->old_d[slot] = history->old_v[slot] = history->old_a[slot] = history->old_f[slot] = (sn_vec4){0};
    }
}

void sn_history_forget(sn_history *history, uint32_t slot)
{
    if (slot < history->table.count)
        history->old_d[slot].w = 0;
}

void sn_world_forget_history(sn_world *world)
{
    world->history.table.count = 0;
    world->state.contacts = 0;
    world->state.unsettled = SN_SETTLING;
}

void sn_world_break_motion(sn_world *world)
{
    if (sn_integrators[world->state.settings.integrator]->looks_back)
        sn_world_forget_history(world);
}

void sn_history_move(sn_history *history, uint32_t slot, uint32_t last)
{
    if (last >= history->table.count) {
        sn_history_forget(history, slot);
        return;
    }
    sn_table_copy_row(&history->table, slot, last);
    history->table.count = last;
}

/* Undoing steps.

   A step that fails leaves the world as it was. Before its first substep everything that substeps change is copied:
   positions, velocities and the history of integrators, bodies, angular velocities, the state of constraints, the
   clock. If a substep fails, that is restored. All other state changes after the last substep, when nothing can fail
   any more. */
#include "world/substep.h"

#include <string.h>

bool sn_undo_reserve(sn_world *world)
{
    const sn_allocator *allocator = &world->allocator;
    return sn_table_reserve(&world->backup_table, allocator, world->particles.table.count) &&
           sn_table_reserve(&world->backup_spin_table, allocator, world->contact.spin_table.count) &&
           sn_table_reserve(&world->backup_history_table, allocator, world->history.table.count) &&
           sn_table_reserve(&world->backup_body_table, allocator, bodies_rows(&world->bodies)) &&
           sn_store_reserve_copy(&world->constraints, allocator, sn_world_is_warm(&world->state.settings));
}

/* Copies between a table and its copy, in either direction. */
static void copy(const sn_table *kept, uint32_t column, sn_vec4 *state, uint32_t count, bool back)
{
    sn_vec4 *other = kept->column[column];
    if (count)
        memcpy(back ? state : other, back ? other : state, count * sizeof *state);
}

static void copy_rest(sn_world *world, bool back)
{
    sn_vec4 *const past[] = {world->history.old_d, world->history.old_v, world->history.old_a, world->history.old_f};
    for (uint32_t i = 0; i < sizeof past / sizeof *past; ++i)
        copy(&world->backup_history_table, i, past[i], world->history.table.count, back);
    copy(&world->backup_spin_table, 0, world->contact.spin_table.column[0], world->contact.spin_table.count, back);
}

void sn_undo_keep_particles(void *data, uint32_t first, uint32_t end)
{
    sn_world *world = data;
    const sn_particle_store *p = &world->particles;
    const sn_vec4 *from[] = {p->x, p->x_low, p->v, p->v_low};
    for (uint32_t i = 0; first < end && i < 4; ++i)
        memcpy((sn_vec4 *)world->backup_table.column[i] + first, from[i] + first, (end - first) * sizeof(sn_vec4));
}

/* ns, about: cost of a body */
#define WORK_OF_BODY 30.0

static void keep_bodies(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const sn_body_state *bodies = world->bodies.state;
    memcpy((sn_body_state *)world->backup_body_table.column[0] + first, bodies + first, (end - first) * sizeof *bodies);
}

bool sn_undo_keep(sn_world *world)
{
    world->backup_state = world->state;
    copy_rest(world, false);
    sn_store_keep(&world->constraints, sn_world_is_warm(&world->state.settings));
    if (!sn_parallel_few(&world->parallel, bodies_rows(&world->bodies), WORK_OF_BODY, keep_bodies, world)) {
        sn_parallel_repair(&world->parallel);
        sn_undo_keep_particles(world, 0, world->particles.table.count);
        return false;
    }
    if (world->state.settings.solver == SN_SOLVER_TILED)
        return true; /* tiles are copied when they are measured: see sn_tiled_begin */
    bool kept = sn_parallel_for(&world->parallel, world->particles.table.count, sn_undo_keep_particles, world);
    if (!kept)
        sn_parallel_repair(&world->parallel);
    return kept;
}

void sn_undo_put_back(sn_world *world)
{
    const sn_particle_store *p = &world->particles;
    sn_vec4 *const to[] = {p->x, p->x_low, p->v, p->v_low};
    for (uint32_t i = 0; i < 4 && !world->fleeting; ++i)
        copy(&world->backup_table, i, to[i], p->table.count, true);
    world->state = world->backup_state;
    copy_rest(world, true);
    for (uint32_t row = 0; row < bodies_rows(&world->bodies); ++row) {
        world->bodies.state[row] = ((const sn_body_state *)world->backup_body_table.column[0])[row];
        sn_bodies_refresh(&world->bodies, row);
    }
    sn_store_put_back(&world->constraints, sn_world_is_warm(&world->state.settings));
}

/* Makes, sizes and releases the data that passes over tiles keep between steps. */
#include "solvers/direct.h"
#include "solvers/hubs.h"
#include "solvers/tiled_work.h"

static tiled *make(sn_solver_scratch *scratch, const sn_allocator *allocator)
{
    tiled *t = sn_allocate(allocator, sizeof *t);
    if (!t)
        return NULL;
    *t = (tiled){0};
    sn_forest_init(&t->forest);
    sn_table_column(&t->plane_table, sizeof(float), false);
    sn_table_column(&t->result_table, sizeof(tile_result), false);
    sn_table_column(&t->state_table, sizeof(tile_state), false);
    sn_table_column(&t->home_table, sizeof(tile_home), false);
    sn_table_column(&t->copied_table, sizeof(bool), false);
    sn_table_column(&t->copy_table, sizeof(sn_vec4), false);
    sn_table_column(&t->touched_table, sizeof(uint8_t), false);
    sn_table_column(&t->rest_table, sizeof(uint32_t), false);
    sn_table_column(&t->exchange_table, sizeof(exchange), false);
    sn_table_column(&t->resident_table, sizeof(float), false);
    sn_table_column(&t->past_table, sizeof(float), false);
    sn_table_column(&t->mark_table, sizeof(sn_vec4), false);
    sn_table_column(&t->rest_mark_table, sizeof(sn_vec4), false);
    sn_table_column(&t->spin_table, sizeof(sn_dvec3), false);
    sn_table_column(&t->spin_table, sizeof(sn_dvec3), false);
    sn_table_column(&t->spin_table, sizeof(sn_dvec3), false);
    sn_table_column(&t->spin_table, sizeof(uint32_t), false);
    sn_table_column(&t->mixed_table, sizeof(sn_vec4), false);
    sn_table_column(&t->fit_table, sizeof(bool), false);
    sn_table_column(&t->closed_table, sizeof(uint32_t), false);
    sn_table_column(&t->volume_table, sizeof(uint8_t), false);
    sn_table_column(&t->start_table, sizeof(sn_vec4), false);
    sn_table_column(&t->start_table, sizeof(sn_vec4), false);
    for (int column = 0; column < LAMBDA_COLUMNS; ++column)
        sn_table_column(&t->lambda_table, sizeof(float), false);
    sn_hierarchy_init(&t->hierarchy);
    return scratch->tiled = t;
}

/* Marks of constraints outside the tiles, which run one after the other; and copies. */
static bool reserve_marks(tiled *t, const sn_allocator *allocator, const sn_solver_in *in)
{
    uint32_t most = sn_hubs_particles(in->scratch);
    most = in->store->counts.most_points > most ? in->store->counts.most_points : most;
    return sn_table_reserve(&t->mark_table, allocator, most > SN_MAX_BLOCK ? most : SN_MAX_BLOCK) &&
           sn_table_reserve(&t->spin_table, allocator, in->plan->free_table.count) &&
           sn_table_reserve(&t->copy_table, allocator, 2 * (uint64_t)t->workers * t->most_copied) &&
           sn_table_reserve(&t->mixed_table, allocator, in->plan->list_table.count);
}

bool sn_tiled_reserve(const sn_solver_in *in, const sn_allocator *allocator)
{
    tiled *t = in->scratch->tiled ? in->scratch->tiled : make(in->scratch, allocator);
    if (!t)
        return false;
    t->workers = sn_parallel_workers(in->parallel);
    t->each = plane_floats(in->plan->widest_rows);
    if (!sn_table_reserve(&t->plane_table, allocator,
                          in->plan->widest_rows ? (in->asks ? 2 : 1) * t->workers * t->each : 0) ||
        !sn_table_reserve(&t->result_table, allocator, in->plan->tile_table.count) ||
        !sn_parallel_reserve_tasks(in->parallel, allocator, in->plan->tile_table.count) ||
        !sn_table_reserve(&t->state_table, allocator, in->plan->tile_table.count) ||
        !sn_resident_reserve(t, allocator, in) || !sn_hierarchy_reserve(&t->hierarchy, allocator, in) ||
        !sn_solids_reserve(&t->solids, &t->hierarchy, allocator, in) || !sn_plates_reserve(&t->plates, allocator, in) ||
        !sn_closed_reserve(t, allocator, in))
        return false;
    bool looks_back = sn_integrators[in->settings->integrator]->looks_back;
    if (looks_back && in->wide && !sn_table_reserve(&t->past_table, allocator, t->past_floats))
        return false;
    return sn_hubs_reserve(in, allocator) && reserve_marks(t, allocator, in) &&
           sn_forest_reserve_some(&t->forest, allocator, in->store, in->plan->tree, in->plan->tree_table.count,
                                  in->plan->tree_edits) &&
           sn_direct_reserve(in, allocator, &t->forest) && sn_loops_reserve(&t->loops, allocator, in) &&
           sn_parallel_reserve_tasks(in->parallel, allocator, t->loops.count) &&
           (!in->wide || !(sn_tiled_scatters(in) || in->plan->any_watched) || sn_lambda_reserve(t, allocator, in));
}

void sn_tiled_release(sn_solver_scratch *scratch, const sn_allocator *allocator)
{
    tiled *t = scratch->tiled;
    sn_hubs_release(scratch, allocator);
    if (!t)
        return;
    sn_table_release(&t->plane_table, allocator);
    sn_table_release(&t->result_table, allocator);
    sn_table_release(&t->state_table, allocator);
    sn_table_release(&t->home_table, allocator);
    sn_table_release(&t->copied_table, allocator);
    sn_table_release(&t->copy_table, allocator);
    sn_table_release(&t->touched_table, allocator);
    sn_table_release(&t->rest_table, allocator);
    sn_table_release(&t->exchange_table, allocator);
    sn_table_release(&t->resident_table, allocator);
    sn_table_release(&t->past_table, allocator);
    sn_table_release(&t->mark_table, allocator);
    sn_table_release(&t->rest_mark_table, allocator);
    sn_table_release(&t->spin_table, allocator);
    sn_table_release(&t->mixed_table, allocator);
    sn_table_release(&t->fit_table, allocator);
    sn_table_release(&t->closed_table, allocator);
    sn_table_release(&t->volume_table, allocator);
    sn_table_release(&t->start_table, allocator);
    sn_table_release(&t->lambda_table, allocator);
    sn_hierarchy_release(&t->hierarchy, allocator);
    sn_solids_release(&t->solids, allocator);
    sn_plates_release(&t->plates, allocator);
    sn_forest_release(&t->forest, allocator);
    sn_loops_release(&t->loops, allocator);
    sn_release(allocator, t, sizeof *t);
    scratch->tiled = NULL;
}

/* Before a step: checks, the plan, and memory for everything that a step needs. A running step does not allocate. */
#include "world/substep.h"

#include <stdio.h>

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* Particles that are new to the history have no earlier positions. */
static bool reserve_history(sn_world *world)
{
    sn_history *history = &world->history;
    uint32_t count = world->particles.table.count;
    if (!sn_integrators[world->state.settings.integrator]->looks_back)
        return true;
    if (!sn_table_reserve(&history->table, &world->allocator, (uint64_t)count + bodies_rows(&world->bodies)))
        return false;
    sn_history_complete(history, count);
    return true;
}

bool sn_world_reserve_step(sn_world *world, sn_real dt, bool still)
{
    const sn_solver_method *solver = sn_solve_method(world, still);
    const sn_integrator_method *integrator = sn_integrators[world->state.settings.integrator];
    if (!sn_world_plan(world) || !sn_starts_find(world, still) || !sn_breaking_tell_plan(world) ||
        !sn_drag_prepare(world, still))
        return false;
    const bool forces = sn_forces_needed(world), bodies = bodies_rows(&world->bodies) > 0;
    sn_particle_needs needs = {.turns = bodies_rows(&world->bodies),
                               .starts =
                                   bodies || world->starts.any || solver->after || (forces && integrator->asks_again),
                               .forces = forces};
    if (!sn_particle_store_reserve(&world->particles, &world->allocator, needs))
        return false;
    sn_solver_in in = sn_world_solver_input(world, dt);
    return reserve_history(world) &&
           sn_table_reserve(&world->bodies.awake_table, &world->allocator, bodies_rows(&world->bodies)) &&
           (!integrator->looks_back || !sn_past_may_jump(world) || sn_motion_reserve_redo(world)) &&
           sn_parallel_reserve(&world->parallel, &world->allocator, world->particles.table.count) &&
           sn_parallel_reserve_tasks(&world->parallel, &world->allocator, bodies_rows(&world->bodies) / SN_FEW + 1) &&
           solver->reserve(&in, &world->allocator);
}

/* A solver that needs gradients cannot solve kinds that have none. */
static sn_result check_kinds(const sn_world *world, bool still)
{
    const sn_solver_method *solver = sn_solve_method(world, still);
    for (uint32_t kind = 1; !solver->own_projections && kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        if (pool->ids.live && pool->kind->project)
            return world_fail(
                world, SN_ERROR_ARGUMENT,
                "the solver '%s' cannot enforce the kind '%s', which is a projection of its own without a "
                "gradient; use 'gauss_seidel', or remove its %u constraints",
                solver->name, pool->kind->name, pool->ids.live);
    }
    return SN_OK;
}

sn_result sn_world_check_dt(const sn_world *world, sn_real dt)
{
    if (!isfinite(dt) || dt < 0)
        return world_fail(world, SN_ERROR_ARGUMENT, "dt is %g s; it must be finite and not negative", (double)dt);
    sn_real h = dt / (sn_real)world->state.settings.substeps;
    if (dt > 0 && !(h * h > 0 && isfinite(1 / h)))
        return world_fail(world, SN_ERROR_ARGUMENT, "dt = %g s in %u substeps is too small to compute with", (double)dt,
                          world->state.settings.substeps);
    return SN_OK;
}

sn_result sn_world_prepare_step(sn_world *world, sn_real dt, bool still)
{
    sn_stage_enter(world, SN_STAGE_PLAN);
    sn_result result = check_kinds(world, still);
    if (result == SN_OK)
        result = sn_compromise_find(world);
    if (result == SN_OK &&
        !(sn_breaking_begin(world) && sn_tear_begin(world) && sn_world_reserve_step(world, dt, still)))
        result = world_fail(world, SN_ERROR_MEMORY, "no memory for the scratch of a step");
    if (result == SN_OK)
        sn_springs_watch(world, dt, still);
    return result;
}

/* ---- Around a step ----------------------------------------------------------------------------------------------- */

void sn_world_warn_of_threads(sn_world *world)
{
    uint32_t missing = sn_parallel_missing_threads(&world->parallel);
    char text[SN_ERROR_SIZE];
    if (!missing)
        return;
    snprintf(text, sizeof text, "the system refused to make %u of %u threads; the world is stepped by the other %u",
             missing, world->parallel.threads, world->parallel.threads - missing);
    sn_warn(&world->errors, text);
}

/* ---- Cancelling -------------------------------------------------------------------------------------------------- */

bool sn_world_is_cancelled(sn_world *world)
{
    if (!world->cancel || !world->cancel(world->cancel_context))
        return false;
    snprintf(world->errors.text, sizeof world->errors.text, "cancelled at %g s", world->state.time);
    return true;
}

sn_result sn_world_set_cancel(sn_world *world, sn_cancel_fn *function, void *context)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    world->cancel = function;
    world->cancel_context = context;
    return SN_OK;
}

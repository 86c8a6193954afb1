/* The step: read this file to know the engine.

       a step of dt:
           find contacts
           for each of its substeps of h = dt / substeps:
               begin             apply drag; gather forces
               predict           move every particle and body as if there were no constraints
               solve             constraints move them until they hold; after each pass, contact
               settle            velocities: the displacements by constraints, divided by h, are added
               end               the second half of the kick, restitution, contact of bodies, breaking
           events, sleep; constraints beyond their limit break or tear

   (Mueller et al. 2007 with the substeps of Macklin et al. 2019.) The stages change the state itself. Between any two
   of them every particle is complete: x + x_low is its position, v + v_low its velocity. So a stage may run over one
   tile of particles after the other, or several stages may run over one tile while it is in the cache, and the result
   is the same to the bit. With SN_SOLVER_TILED a tile is predicted and solved before the next tile is touched. If
   nothing reads velocities between two substeps, a tile settles when the next substep predicts it (solvers/tiled.c).

   A step that fails in any substep is undone as a whole (undo.c). It is then repeated, constraint by constraint, to
   name the cause. */
#include "contact/body_work.h"
#include "contact/callbacks.h"
#include "world/substep.h"

#include <stdatomic.h>

#define MOST_STRUCK 8u /* limit of how often a step is repeated because a sleeping body was hit */

/* ---- A substep --------------------------------------------------------------------------------------------------- */

/* Applies drag and gathers forces. */
static sn_result begin_substep(sn_substep *s)
{
    sn_world *world = s->world;
    const uint32_t substeps = world->state.settings.substeps;
    sn_stage_enter(world, SN_STAGE_PREDICT);
    if (s->integrator->looks_back && !world->fleeting) /* the substep may be repeated */
        sn_store_note_state(&world->constraints);
    if (world->drag.acts || sn_forces_needed(world)) /* these read angular velocities of bodies */
        sn_turns_lay_out(world);
    if (world->drag.acts && !sn_drag_apply(world, s->h, s->integrator->looks_back))
        return sn_fault_lost_tasks(world);
    if (!sn_forces_gather(s))
        return sn_fault_lost_tasks(world);
    sn_result result = sn_forces_constrain(s);
    sn_motion_begin(s);
    if (result == SN_OK && s->step->careful)
        result = sn_fault_forces(s);
    if (result == SN_OK && !sn_contacts_begin(world, substeps - s->substeps_left, substeps, s->h))
        result = sn_fault_lost_tasks(world);
    if (world->contacts.any)
        sn_rigid_expect(world, &s->motion);
    return result;
}

/* Rotates bodies, and moves particles with a kinematic target, before all others. */
static sn_result predict_bodies(sn_substep *s)
{
    sn_world *world = s->world;
    sn_stage_enter(world, SN_STAGE_PREDICT);
    if (!sn_body_contacts_begin(s))
        return sn_fault_lost_tasks(world);
    sn_targets_move(world, s->substeps_left);
    return SN_OK;
}

/* Predicts particles, moves them until the constraints hold, and settles velocities. */
static sn_result solve_constraints(sn_substep *s)
{
    sn_stage_enter(s->world, SN_STAGE_CONSTRAINTS);
    sn_result result = sn_solve(s);
    sn_stage_enter(s->world, SN_STAGE_VELOCITIES);
    if (result == SN_OK && s->unsound)
        result = sn_fault_unsound(s);
    return result;
}

/* Computes velocities at the end, and stores the history of bodies and constraints. */
static sn_result end_substep(sn_substep *s, double end)
{
    sn_world *world = s->world;
    sn_targets_set_velocities(world, s->h);
    if (!sn_motion_end(s))
        return sn_fault_lost_tasks(world);
    sn_turns_settle(s);
    if (s->unsound)
        return sn_fault_unsound(s);
    sn_past_settle(s);
    if (!s->still && !world->fleeting)
        sn_store_settle(&world->constraints, s->h, world->dimensions == 2);
    world->state.h = s->h * s->integrator->step_factor;
    world->state.time = end;
    return sn_solve_velocities(s);
}

/* Contact at the end of a substep: restitution, contact of bodies, and the guard of surfaces against passing through
   themselves. */
static sn_result end_contact(sn_substep *s)
{
    sn_world *world = s->world;
    bool done = (sn_solve_interleaves_contact(s) || sn_contacts_pass(world, s->h, true)) &&
                sn_contacts_end(world, s->h) && sn_body_contacts_pass(world, s->h) &&
                sn_contacts_end_thrown(world, s->h) && sn_surfaces_guard(world, s->h) &&
                sn_surfaces_balance(world, s->h) && sn_articulations_note(s);
    sn_contacts_forget(world);
    return done ? sn_fault_contact(world) : sn_fault_lost_tasks(world);
}

/* The last substep must be ended here, because no next one follows. */
static sn_result end_last(sn_substep *s)
{
    if (s->substeps_left == 1 && s->step->end_deferred && !sn_motion_end_deferred(s))
        return sn_fault_lost_tasks(s->world);
    return s->unsound ? sn_fault_unsound(s) : SN_OK;
}

static sn_result take_substep(sn_world *world, sn_step_state *step, uint32_t left, double end)
{
    const sn_settings *settings = &world->state.settings;
    sn_substep s = {.world = world,
                    .step = step,
                    .integrator = sn_integrators[step->still ? SN_INTEGRATOR_SYMPLECTIC_EULER : settings->integrator],
                    .solver = sn_solve_method(world, step->still),
                    .h = step->dt / (sn_real)settings->substeps,
                    .still = step->still,
                    .substeps_left = left};
    sn_result result = begin_substep(&s);
    if (result == SN_OK)
        result = predict_bodies(&s);
    if (result == SN_OK)
        result = solve_constraints(&s);
    if (result == SN_OK)
        result = end_substep(&s, end);
    if (result == SN_OK)
        result = end_contact(&s);
    if (result == SN_OK)
        result = end_last(&s);
    if (result == SN_OK)
        sn_breaking_watch(world);
    return result;
}

static sn_result take_substeps(sn_world *world, sn_real dt, bool still, bool careful)
{
    const uint32_t substeps = world->state.settings.substeps;
    const double start = world->state.time;
    sn_step_state step = {.dt = dt, .still = still, .careful = careful};
    sn_result result = SN_OK;
    sn_breaking_watch_anew(world);
    sn_tiled_forget_forces(&world->scratch);
    sn_starts_note_immovable(world);
    if (world->state.settings.solver == SN_SOLVER_TILED) {
        sn_solver_in in = sn_world_solver_input(world, dt);
        const sn_tiled_others others = {.target = world->target_table.count ? world->particles.target : NULL,
                                        .body = world->bodies.ids.live ? world->particles.body : NULL,
                                        .pushed = world->state.forces_pending ? world->particles.force : NULL,
                                        .v = world->particles.v,
                                        .v_low = world->particles.v_low,
                                        .keep = world->fleeting ? NULL : sn_undo_keep_particles,
                                        .world = world};
        result = sn_tiled_begin(&in, &others) ? SN_OK : sn_fault_lost_tasks(world);
    }
    for (uint32_t i = 0; result == SN_OK && i < substeps; ++i) {
        double end = still ? start : start + (double)dt * (i + 1) / substeps;
        result = sn_world_is_cancelled(world) ? SN_CANCELLED : take_substep(world, &step, substeps - i, end);
    }
    if (result == SN_OK && world->bodies.lost)
        result = sn_fault_lost_tasks(world);
    return result;
}

/* ---- The step ---------------------------------------------------------------------------------------------------- */

static sn_result find_contacts(sn_world *world, sn_real dt)
{
    world->contacts.failed = SN_OK;
    sn_result result;
    do { /* again, if a moving body wakes others */
        result = sn_contacts_find(world, dt);
        sn_turns_list_awake(world);
        if (result == SN_OK)
            result = sn_body_contacts_find(world, dt);
    } while (result == SN_OK && sn_sleep_touch_bodies(world, dt));
    if (result == SN_OK)
        result = sn_callbacks_begin(world);
    if (result == SN_OK &&
        !(sn_contacts_reserve_memory(world) && sn_body_contacts_reserve_expected(world) &&
          sn_contact_events_reserve(world) && sn_articulations_find(world) && sn_undo_reserve(world)))
        result = world_fail(world, SN_ERROR_MEMORY, "no memory for contact");
    return result;
}

/* If nothing was near, a step is taken without testing contact. If constraints or fields then moved something so far
   that it may have touched something, the step is repeated, and moving things are tested in every substep. */
static sn_result take_again_if_strayed(sn_world *world, sn_real dt, bool still)
{
    bool strayed;
    sn_result result = sn_contacts_strayed(world, &strayed);
    if (result == SN_OK && !strayed)
        return result;
    sn_undo_put_back(world);
    if (result != SN_OK)
        return result;
    world->state.passes = 0;
    world->contacts.watched = true;
    result = find_contacts(world, dt);
    world->contacts.watched = false;
    return result == SN_OK ? take_substeps(world, dt, still, false) : result;
}

/* A sleeping body does not move in a step. If another body hit or pushed it, and its approach was not detected at the
   start of the step, the step is repeated with the sleeping body awake. Each time one more island wakes. */
static sn_result take_again_if_struck(sn_world *world, sn_real dt, bool still)
{
    sn_result result = SN_OK;
    for (uint32_t i = 0; result == SN_OK && i < MOST_STRUCK && world->contact.sleep.sleepers; ++i) {
        if (!sn_body_contacts_leave_lanes(world))
            return sn_fault_lost_tasks(world);
        if (!sn_sleep_struck(world))
            return SN_OK;
        sn_undo_put_back(world);
        sn_sleep_stir_again(world);
        world->state.passes = 0;
        if ((result = find_contacts(world, dt)) == SN_OK && !sn_undo_keep(world))
            result = sn_fault_lost_tasks(world);
        if (result == SN_OK)
            result = take_substeps(world, dt, still, false);
        if (result == SN_OK)
            result = take_again_if_strayed(world, dt, still);
    }
    return result;
}

/* Takes all substeps. If something diverges, they are undone and repeated with care: this names the cause, or
   succeeds. */
static sn_result move(sn_world *world, sn_real dt, bool still)
{
    sn_stage_enter(world, SN_STAGE_OTHER);
    sn_result result = sn_undo_keep(world) ? SN_OK : sn_fault_lost_tasks(world);
    world->errors.quiet = true;
    if (result == SN_OK)
        result = take_substeps(world, dt, still, false);
    if (result == SN_OK)
        result = take_again_if_strayed(world, dt, still);
    if (result == SN_OK)
        result = take_again_if_struck(world, dt, still);
    world->errors.quiet = false;
    if (result == SN_ERROR_DIVERGED && !world->fleeting) {
        sn_undo_put_back(world);
        world->fault = (sn_fault){0};
        if ((result = find_contacts(world, dt)) == SN_OK)
            result = take_substeps(world, dt, still, true);
    }
    world->fault.time = result != SN_OK && result != SN_CANCELLED ? world->state.time : 0;
    if (result != SN_OK)
        sn_undo_put_back(world);
    return result;
}

/* Stores everything that a step changes besides positions and velocities, once nothing can fail any more. */
static void remember(sn_world *world)
{
    sn_stage_enter(world, SN_STAGE_CONTACT);
    sn_sleep_keep_awake(world);
    sn_contacts_leave(world);
    sn_contacts_remember(world);
    sn_surfaces_remember(world);
    sn_body_contacts_remember(world);
    sn_contact_events_collect(world);
    sn_stage_enter(world, SN_STAGE_OTHER);
}

static sn_result advance(sn_world *world, sn_real dt, bool still)
{
    sn_result result = sn_world_prepare_step(world, dt, still);
    if (result != SN_OK)
        return result;
    sn_parallel_begin_step(&world->parallel);
    world->state.passes = 0;
    world->bodies.lost = false;
    world->moves++;
    world->busy = true;
    sn_targets_hold(world);
    result = sn_sleep_begin(world, dt) ? find_contacts(world, dt)
                                       : world_fail(world, SN_ERROR_MEMORY, "no memory for sleep");
    world->fault.time = result != SN_OK ? world->state.time : 0;
    if (result == SN_OK)
        result = move(world, dt, still);
    if (result == SN_OK)
        remember(world);
    sn_sleep_end(world);
    sn_targets_release(world);
    if (result == SN_OK && !still)
        sn_sleep_settle(world, dt);
    world->busy = false;
    sn_parallel_end_step(&world->parallel);
    sn_world_warn_of_threads(world);
    return result;
}

/* A plan that was made by a failed step is discarded: the world must continue as if that step had not been tried, and
   then the plan would be made later, after more edits. */
sn_result sn_world_advance(sn_world *world, sn_real dt, bool still)
{
    sn_world_follow_edits(world);
    const bool planned = world->plan.made;
    const uint64_t shapes = world->state.shapes;
    world->fault = (sn_fault){0};
    sn_profile_begin(world);
    sn_result result = advance(world, dt, still);
    sn_compromise_end(world, result != SN_OK);
    if (result != SN_OK) {
        world->plan.made = world->plan.made && planned;
        sn_rest_forget_since(world, shapes);
        sn_tiled_forget_forces(&world->scratch);
    }
    sn_profile_end(world, result);
    return result;
}

void sn_world_finish_step(sn_world *world)
{
    sn_targets_finish(world);
    sn_turns_finish(world);
    sn_forces_clear(world);
}

sn_result sn_world_step(sn_world *world, sn_real dt)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK || (result = sn_world_check_dt(world, dt)) != SN_OK || dt == 0)
        return result;
    uint32_t kinematic;
    if ((result = sn_fixed_lead(world, dt, &kinematic)) == SN_OK)
        result = sn_world_advance(world, dt, false);
    if (result != SN_OK) {
        sn_fixed_let_go(world, kinematic);
        return result;
    }
    sn_world_finish_step(world);
    sn_blade_sweep_step(world);
    sn_limits_tear_begin(world);
    sn_breaking_end(world);
    sn_tear_end(world);
    sn_limits_tear_end(world);
    world->state.steps++;
    return SN_OK;
}

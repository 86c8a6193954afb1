/* The step: read this file to know the engine.

       a step of dt:
           for each of its substeps of h = dt / substeps:
               predict      damp velocities, add forces, move every particle as if it were alone
               solve        move them again until the constraints hold
               check        nothing may be infinite or undefined
               update       velocities are what the positions did
               kick         some integrators of second order complete velocities with the forces at the end
               correct      some solvers put velocities right, once all is where it will be

   (Mueller et al. 2007 with the substeps of Macklin et al. 2019.) Until `update` the state is untouched: everything
   that happens in a substep happens to the displacements d. A step that fails in any substep is taken back as a whole (undo.c). */
#include "world/substep.h"

#include "base/math.h"

#include <stdio.h>

static sn_result lost_tasks(const sn_world *world)
{
    if (world->contacts.failed != SN_OK)
        return world->contacts.failed;
    return world_fail(world, SN_ERROR_HOST, "at %g s the task hook did not run all tasks of a loop", world->state.time);
}

sn_result sn_world_blame(sn_world *world, uint32_t slot, const char *what)
{
    uint32_t index = world->particles.index[slot], body = world->particles.body[slot];
    world->fault.particle = (sn_particle){index, world->ids.generation[index]};
    if (body)
        return world_fail(world, SN_ERROR_DIVERGED, "at %g s body %u (particle %u): %s", world->state.time, body - 1,
                          index, what);
    return world_fail(world, SN_ERROR_DIVERGED, "at %g s particle %u: %s", world->state.time, index, what);
}

/* ---- The solver ------------------------------------------------------------------------------------------------- */

sn_solver_in sn_world_solver_input(sn_world *world, sn_real h)
{
    const sn_settings *settings = &world->state.settings;
    bool there_and_back = settings->order == SN_ORDER_SYMMETRIC && settings->solver != SN_SOLVER_JACOBI &&
                          settings->solver != SN_SOLVER_TILED;
    uint64_t sweeps = there_and_back ? 2 : 1;
    uint64_t passes = sweeps * settings->substeps * settings->iterations;
    sn_frame frame = sn_world_frame(world);
    frame.x = world->particles.y;
    frame.start = world->particles.x;
    frame.d = world->particles.d;
    frame.held = true;
    return (sn_solver_in){.store = &world->constraints,
                          .frame = frame,
                          .h = h,
                          .last_h = world->state.h,
                          .order = settings->order,
                          .gradients = settings->gradients,
                          .iterations = settings->iterations,
                          .tolerance = settings->tolerance,
                          .stiffness_root = !settings->correct_stiffness ? 1
                                            : passes > UINT32_MAX        ? UINT32_MAX
                                                                         : (uint32_t)passes,
                          .scratch = &world->scratch,
                          .parallel = &world->parallel,
                          .settings = settings,
                          .particle_count = world->particles.table.count,
                          .node_count = world->particles.table.count + bodies_rows(&world->bodies),
                          .plan = &world->plan,
                          .wide = world->wide};
}

static sn_result blame_constraint(sn_world *world, const sn_solver_out *out)
{
    if (!out->fault_kind)
        return SN_OK;
    const sn_pool *pool = world->constraints.pool[out->fault_kind];
    world->fault.constraint = (sn_constraint){out->fault_kind, out->fault_row, pool->ids.generation[out->fault_row]};
    return world_fail(world, SN_ERROR_DIVERGED,
                      "at %g s the projection of %s constraint %u was not finite (its value, gradient or parameters "
                      "overflow or are undefined)",
                      world->state.time, pool->kind.name, out->fault_row);
}

/* A solver that works by forces adds those of the constraints to the ones that were gathered. */
static sn_result constrain_forces(sn_substep *s, const sn_vec4 *v)
{
    sn_world *world = s->world;
    if (!s->solver->forces)
        return SN_OK;
    sn_solver_in in = sn_world_solver_input(world, s->motion.h);
    in.frame = sn_world_frame(world);
    in.frame.held = true;
    sn_forces_in forces = {.v = v, .gravity = s->motion.gravity, .f = world->particles.f};
    sn_solver_out out = s->solver->forces(&in, &forces);
    world->state.passes += out.passes;
    return blame_constraint(world, &out);
}

/* ---- Predict ---------------------------------------------------------------------------------------------------- */

static void predict_piece(void *data, uint32_t first, uint32_t end)
{
    sn_substep *s = data;
    s->integrator->predict(&s->motion, first, end);
    for (uint32_t slot = first; slot < end; ++slot)
        if (!vec3_is_finite(vec4_xyz(s->motion.d[slot])))
            atomic_store_explicit(&s->fault, true, memory_order_relaxed);
}

static sn_result predict(sn_substep *s)
{
    sn_world *world = s->world;
    uint32_t slot = 0;
    sn_result result;
    sn_turns_lay_out(world);
    if (s->motion.start.dragged && !sn_drag_apply(world, s->motion.h, s->integrator->looks_back))
        return lost_tasks(world);
    if (!sn_forces_gather(s))
        return lost_tasks(world);
    sn_stage_enter(world, SN_STAGE_PREDICT);
    if ((result = constrain_forces(s, s->motion.start.v)) != SN_OK)
        return result;
    sn_turns_predict(s);
    if (!sn_parallel_for(&world->parallel, world->particles.table.count, predict_piece, s))
        return lost_tasks(world);
    if (!s->fault)
        return SN_OK;
    while (vec3_is_finite(vec4_xyz(s->motion.d[slot])))
        ++slot;
    if ((result = sn_forces_blame(world, slot)) != SN_OK)
        return result;
    return sn_world_blame(world, slot, "forces would make its motion infinite");
}

/* ---- Solve ------------------------------------------------------------------------------------------------------ */

/* The solver works on the place that was predicted and what rounding left over of it: so small corrections are not lost
   beside a large displacement. */
static void place_piece(void *data, uint32_t first, uint32_t end)
{
    sn_particle_store *p = &((sn_substep *)data)->world->particles;
    for (uint32_t slot = first; slot < end; ++slot) {
        sn_vec3 x = vec4_xyz(p->x[slot]), d = vec4_xyz(p->d[slot]);
        p->y[slot] = vec4(vec3_add(x, d), p->x[slot].w);
        p->d[slot] = vec4(vec3_sum_error(x, d), 0);
    }
}

static sn_result solve(sn_substep *s)
{
    sn_world *world = s->world;
    sn_solver_in in = sn_world_solver_input(world, s->motion.h * s->integrator->step_factor);
    if (s->still)
        in.gradients = SN_GRADIENTS_CURRENT;
    in.frame.old_d = s->integrator->step_factor != 1 ? s->motion.old_d : NULL;
    in.frame.h = s->motion.anew ? -1 : s->motion.h;
    sn_jumps_lighten(s);
    bool placed = sn_parallel_for(&world->parallel, world->particles.table.count, place_piece, s);
    if (!placed)
        sn_parallel_repair(&world->parallel);
    sn_solver_out out = {0};
    if (s->solver->solve)
        out = s->solver->solve(&in);
    sn_jumps_restore(s);
    world->state.passes += out.passes;
    return placed && !out.lost_tasks ? blame_constraint(world, &out) : lost_tasks(world);
}

/* A contact that begins or ends is a jump: if the substep was solved with a past it is done again without. */
static sn_result solve_smoothly(sn_substep *s)
{
    sn_world *world = s->world;
    sn_result result = solve(s);
    if (result != SN_OK || !s->integrator->is_smooth)
        return result;
    bool jumps = sn_jumps_contacts_changed(s);
    if (jumps && world->state.unsettled == 0) {
        s->motion.anew = true;
        if ((result = predict(s)) != SN_OK)
            return result;
        sn_targets_move(s, s->substeps_left);
        sn_store_restore_state(&world->constraints);
        if ((result = solve(s)) != SN_OK)
            return result;
        sn_jumps_contacts_changed(s);
    }
    s->motion.jumps = jumps || world->state.unsettled > 0;
    return SN_OK;
}

/* ---- Check and update ------------------------------------------------------------------------------------------- */

/* A way this short, in the time it takes, is a finite velocity whatever happens to its last digits. A NaN is below
   nothing. */
static bool stays_finite(const sn_substep *s, uint32_t slot)
{
    const double most_way = SN_TOO_FAST * (double)s->motion.h;
    sn_vec3 way = motion_way(&s->motion, slot);
    return fabs((double)way.x) < most_way && fabs((double)way.y) < most_way && fabs((double)way.z) < most_way &&
           vec3_is_finite(vec3_add(vec4_xyz(s->motion.y[slot]), vec4_xyz(s->motion.d[slot])));
}

static void check_piece(void *data, uint32_t first, uint32_t end)
{
    sn_substep *s = data;
    bool finite = true;
    for (uint32_t slot = first; slot < end; ++slot)
        finite &= stays_finite(s, slot);
    if (!finite)
        atomic_store_explicit(&s->fault, true, memory_order_relaxed);
}

static sn_result check(sn_substep *s)
{
    sn_world *world = s->world;
    uint32_t count = world->particles.table.count;
    if (!sn_parallel_for(&world->parallel, count, check_piece, s))
        return lost_tasks(world);
    for (uint32_t slot = 0; s->fault && slot < count; ++slot)
        if (!stays_finite(s, slot))
            return sn_world_blame(world, slot, "would reach an infinite place or speed");
    uint32_t row = sn_turns_check(s);
    return row == SN_ID_FREE ? SN_OK
                             : sn_world_blame(world, world->ids.value[world->bodies.state[row].particle],
                                              "would turn infinitely fast");
}

static void update_piece(void *data, uint32_t first, uint32_t end)
{
    sn_substep *s = data;
    sn_particle_store *p = &s->world->particles;
    s->integrator->update_velocities(&s->motion, first, end);
    for (uint32_t slot = first; slot < end; ++slot) {
        sn_vec3 y = vec4_xyz(p->y[slot]), d = vec4_xyz(p->d[slot]);
        p->x[slot] = vec4(vec3_add(y, d), p->x[slot].w);
        p->x_low[slot] = vec4(vec3_sum_error(y, d), 0);
        if (s->integrator->kick)
            p->d[slot] = vec4(motion_acceleration(&s->motion, slot), 0);
    }
}

/* Half a world must not be updated: tasks that got lost are done here before that is reported. */
static sn_result update(sn_substep *s)
{
    sn_world *world = s->world;
    uint32_t count = world->particles.table.count;
    if (sn_parallel_for(&world->parallel, count, update_piece, s))
        return SN_OK;
    sn_parallel_repair(&world->parallel);
    return lost_tasks(world);
}

/* ---- Kick -------------------------------------------------------------------------------------------------------- */

static void kick_piece(void *data, uint32_t first, uint32_t end)
{
    sn_substep *s = data;
    s->integrator->kick(&s->motion, first, end);
}

/* What the kick would make infinite is found beforehand: nobody is kicked then, and the substep that would start with
   such a force is the one that fails. */
static sn_result check_kick(sn_substep *s)
{
    sn_world *world = s->world;
    const sn_motion *m = &s->motion;
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot) {
        sn_vec3 change = vec3_sub(motion_acceleration(m, slot), vec4_xyz(m->d[slot]));
        if (vec3_is_finite(vec3_add(vec4_xyz(m->v[slot]), vec3_scale(change, m->h / 2))))
            continue;
        sn_result result = sn_forces_blame(world, slot);
        return result != SN_OK ? result : sn_world_blame(world, slot, "forces would make its motion infinite");
    }
    return SN_OK;
}

/* What has been kicked so far counts from now on as what it started with. */
static void keep_acceleration(sn_substep *s)
{
    for (uint32_t slot = 0; slot < s->world->particles.table.count; ++slot)
        s->motion.d[slot] = vec4(motion_acceleration(&s->motion, slot), 0);
}

/* Forces of constraints depend on the velocity that they bring about: so often it is put right. Twice is second order. */
#define KICKS_BY_FORCES 2

/* The positions are those at the end already. Half a world must not be kicked either. */
static sn_result kick(sn_substep *s)
{
    sn_world *world = s->world;
    uint32_t count = world->particles.table.count;
    bool lost = false;
    for (int i = 0; s->integrator->kick && i < (s->solver->forces ? KICKS_BY_FORCES : 1); ++i) {
        if (i > 0)
            keep_acceleration(s);
        if (!sn_forces_gather(s)) {
            sn_parallel_repair(&world->parallel);
            lost = true;
        }
        sn_stage_enter(world, SN_STAGE_VELOCITIES);
        sn_result result = constrain_forces(s, world->particles.v);
        if (result != SN_OK || (result = check_kick(s)) != SN_OK)
            return result;
        sn_turns_kick(s);
        if (!sn_parallel_for(&world->parallel, count, kick_piece, s)) {
            sn_parallel_repair(&world->parallel);
            lost = true;
        }
    }
    return lost ? lost_tasks(world) : SN_OK;
}

/* ---- Correct ----------------------------------------------------------------------------------------------------- */

/* The change of a particle's velocity that a solver asked for. */
static sn_vec3 wanted_change(const sn_substep *s, uint32_t slot)
{
    sn_vec4 d = s->motion.d[slot];
    return vec3(d.x / s->motion.h, d.y / s->motion.h, d.z / s->motion.h);
}

/* All velocities are corrected, or none. A position pair of Verlet knows nothing of it, and is made anew. */
static sn_result correct_velocities(sn_substep *s)
{
    sn_world *world = s->world;
    const sn_motion *m = &s->motion;
    if (!s->solver->after)
        return SN_OK;
    sn_solver_in in = sn_world_solver_input(world, m->h);
    in.frame = sn_world_frame(world);
    in.frame.held = true;
    in.frame.d = world->particles.d;
    sn_solver_out out = s->solver->after(&in, m->v);
    if (out.fault_kind || out.passes == 0)
        return blame_constraint(world, &out);
    for (uint32_t slot = 0; slot < in.particle_count; ++slot)
        if (!vec3_is_finite(vec3_add(vec4_xyz(m->v[slot]), wanted_change(s, slot))))
            return sn_world_blame(world, slot, "the solver would make its velocity infinite");
    for (uint32_t slot = 0; slot < in.particle_count; ++slot) {
        sn_vec3 change = wanted_change(s, slot);
        sn_pair v = {vec4_xyz(m->v[slot]), vec4_xyz(m->v_low[slot])};
        if (change.x == 0 && change.y == 0 && change.z == 0)
            continue;
        pair_add(&v, change);
        motion_set_velocity(m, slot, &v);
        sn_history_forget(&world->history, slot);
    }
    sn_turns_correct(s);
    return SN_OK;
}

/* ---- Part ---------------------------------------------------------------------------------------------------------- */

/* Contact has the last word. It works on the state itself; see sn_undo_find for what it may not do to it. */
static sn_result part(sn_substep *s)
{
    sn_world *world = s->world;
    bool done = sn_contacts_pass(world, s->motion.h, true) && sn_contacts_end(world, s->motion.h) &&
                sn_meets_pass(world, s->motion.h);
    sn_contacts_forget(world);
    return done ? SN_OK : lost_tasks(world);
}

/* Nobody may be where no number reaches because of it. */
static sn_result look_at_contact(sn_world *world)
{
    const char *what;
    uint32_t slot;
    bool touched = world->contacts.any || world->bodies.ids.live; /* which may come to touch within a step */
    return touched && sn_undo_find(world, &slot, &what) ? sn_world_blame(world, slot, what) : SN_OK;
}

/* ---- The step --------------------------------------------------------------------------------------------------- */

/* The velocities that a substep starts with: the state itself, or what drags will leave of it. */
static sn_start start_of(const sn_world *world, bool still)
{
    const sn_drag_scratch *drag = &world->drag;
    if (world->drag_table.count && !still)
        return (sn_start){drag->v, drag->v_low, drag->old_v, true};
    return (sn_start){world->particles.v, world->particles.v_low, world->history.old_v, false};
}

/* At rest there is nothing to be legal about but positions: statics works on those. */
static const sn_solver_method *solver_of(const sn_world *world, bool still)
{
    const sn_solver_method *chosen = sn_solvers[world->state.settings.solver];
    return still && !chosen->own_projections ? &sn_solver_gauss_seidel : chosen;
}

static sn_result take_substep(sn_world *world, sn_real h, uint32_t substeps_left, double end, bool still)
{
    const sn_settings *settings = &world->state.settings;
    const double damping = still ? 0 : (double)settings->damping;
    sn_substep s = {.world = world,
                    .integrator = sn_integrators[still ? SN_INTEGRATOR_SYMPLECTIC_EULER : settings->integrator],
                    .solver = solver_of(world, still),
                    .still = still,
                    .substeps_left = substeps_left,
                    .motion = {.x = world->particles.x,
                               .v = world->particles.v,
                               .v_low = world->particles.v_low,
                               .x_low = world->particles.x_low,
                               .force = sn_forces_needed(world) ? world->particles.f : world->particles.force,
                               .old_d = world->history.old_d,
                               .old_v = world->history.old_v,
                               .old_a = world->history.old_a,
                               .old_f = world->history.old_f,
                               .given = world->particles.force,
                               .y = world->particles.y,
                               .d = world->particles.d,
                               .start = start_of(world, still),
                               .h = h,
                               .keep = (sn_real)math_exp(-damping * (double)h),
                               .lose = (sn_real)-math_expm1(-damping * (double)h),
                               .gravity = settings->gravity}};
    sn_stage_enter(world, SN_STAGE_PREDICT);
    sn_store_note_state(&world->constraints);
    sn_result result = predict(&s);
    if (result != SN_OK)
        return result;
    sn_targets_move(&s, substeps_left);
    sn_stage_enter(world, SN_STAGE_CONSTRAINTS);
    result = solve_smoothly(&s);
    if (result != SN_OK || (result = check(&s)) != SN_OK)
        return result;
    bool met =
        sn_contacts_begin(world, settings->substeps - substeps_left, settings->substeps, h) && sn_meets_begin(world, h);
    if (!met)
        return lost_tasks(world);
    sn_stage_enter(world, SN_STAGE_VELOCITIES);
    result = update(&s);
    sn_turns_settle(&s);
    sn_jumps_settle(&s);
    if (!still)
        sn_store_settle(&world->constraints, h, world->dimensions == 2);
    world->state.h = h * s.integrator->step_factor;
    world->state.time = end;
    if (result == SN_OK)
        result = kick(&s);
    if (result == SN_OK)
        result = correct_velocities(&s);
    if (result == SN_OK)
        result = part(&s);
    if (result == SN_OK)
        result = look_at_contact(world);
    if (result != SN_OK)
        return result; /* the first that fails is to blame; all of it is taken back */
    sn_breaking_watch(world);
    return result;
}

/* Particles that the history does not know yet have no past. */
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

bool sn_world_reserve_step(sn_world *world, bool still)
{
    if (!sn_world_plan(world))
        return false;
    if (!sn_particle_store_reserve(&world->particles, &world->allocator, bodies_rows(&world->bodies),
                                   !sn_quick_can(world, still) || sn_quick_needs_work(world), sn_forces_needed(world)))
        return false;
    sn_solver_in in = sn_world_solver_input(world, 1);
    return reserve_history(world) && sn_drag_prepare(world) &&
           sn_parallel_reserve(&world->parallel, &world->allocator, world->particles.table.count) &&
           sn_parallel_reserve_tasks(&world->parallel, &world->allocator, bodies_rows(&world->bodies) / SN_FEW + 1) &&
           solver_of(world, still)->reserve(&in, &world->allocator);
}

/* A solver that needs gradients cannot use a kind that has none. */
static sn_result check_kinds(const sn_world *world, bool still)
{
    const sn_solver_method *solver = solver_of(world, still);
    for (uint32_t kind = 1; !solver->own_projections && kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        if (pool->kind.project && pool->ids.live)
            return world_fail(
                world, SN_ERROR_ARGUMENT,
                "the solver '%s' cannot enforce the kind '%s', which is a projection of its own without a "
                "gradient; use 'gauss_seidel', or remove its %u constraints",
                solver->name, pool->kind.name, pool->ids.live);
    }
    return SN_OK;
}

static sn_result take_substeps(sn_world *world, sn_real dt, bool still)
{
    uint32_t substeps = world->state.settings.substeps;
    double start = world->state.time;
    sn_real h = dt / (sn_real)substeps;
    sn_result result = SN_OK;
    for (uint32_t i = 0; result == SN_OK && i < substeps; ++i) {
        double end = still ? start : start + (double)dt * (i + 1) / substeps;
        result = sn_world_is_cancelled(world) ? SN_CANCELLED : take_substep(world, h, substeps - i, end, still);
    }
    return result;
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

static void warn_of_threads(sn_world *world)
{
    uint32_t missing = sn_parallel_missing_threads(&world->parallel);
    char text[SN_ERROR_SIZE];
    if (!missing)
        return;
    snprintf(text, sizeof text, "the system refused to make %u of %u threads; the world is stepped by the other %u",
             missing, world->parallel.threads, world->parallel.threads - missing);
    sn_warn(&world->errors, text);
}

static sn_result find_contacts(sn_world *world, sn_real dt)
{
    world->contacts.failed = SN_OK;
    sn_result result;
    do { /* again, if a body that moves wakes others */
        result = sn_contacts_find(world, dt);
        if (result == SN_OK)
            result = sn_meets_find(world, dt);
    } while (result == SN_OK && sn_sleep_meet_bodies(world, dt));
    if (result == SN_OK &&
        !(sn_contacts_reserve_memory(world) && sn_contact_events_reserve(world) && sn_undo_reserve(world)))
        result = world_fail(world, SN_ERROR_MEMORY, "no memory for contact");
    return result;
}

/* Takes all substeps, in one go or one phase after the other. If that fails, they are taken back. */
static sn_result move(sn_world *world, sn_real dt, bool still)
{
    bool again = !sn_quick_can(world, still) || !sn_quick_suits(world);
    sn_stage_enter(world, SN_STAGE_OTHER);
    sn_result result = SN_OK;
    if (again)
        result = sn_undo_keep(world) ? SN_OK : lost_tasks(world);
    else if ((result = sn_quick_substeps(world, dt, &again)) == SN_OK && again) {
        result = find_contacts(world, dt); /* as if nothing had been tried */
        if (result == SN_OK &&
            !sn_particle_store_reserve(&world->particles, &world->allocator, bodies_rows(&world->bodies), true, false))
            result = world_fail(world, SN_ERROR_MEMORY, "no memory for the scratch of a step");
    }
    if (result == SN_OK && again)
        result = take_substeps(world, dt, still);
    if (result == SN_OK && world->bodies.lost)
        result = lost_tasks(world);
    world->fault.time = result != SN_OK && result != SN_CANCELLED ? world->state.time : 0;
    if (result != SN_OK)
        sn_undo_put_back(world);
    return result;
}

/* Nothing can fail any more: what a step changes besides places and velocities. */
static void remember(sn_world *world)
{
    sn_stage_enter(world, SN_STAGE_CONTACT);
    sn_sleep_keep_awake(world);
    sn_contacts_leave(world);
    sn_contacts_remember(world);
    sn_meets_remember(world);
    sn_contact_events_collect(world);
    sn_stage_enter(world, SN_STAGE_OTHER);
}

static sn_result begin(sn_world *world, sn_real dt, bool still)
{
    sn_stage_enter(world, SN_STAGE_PLAN);
    sn_result result = check_kinds(world, still);
    if (result == SN_OK)
        result = sn_compromise_find(world);
    if (result == SN_OK && !(sn_breaking_begin(world) && sn_world_reserve_step(world, still)))
        result = world_fail(world, SN_ERROR_MEMORY, "no memory for the scratch of a step");
    if (result != SN_OK)
        return result;
    sn_springs_watch(world, dt, still);
    return SN_OK;
}

static sn_result advance(sn_world *world, sn_real dt, bool still)
{
    sn_result result = begin(world, dt, still);
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
    warn_of_threads(world);
    return result;
}

/* A plan that a failed step has made is forgotten: edits would be added to it that one made later has in their places. */
sn_result sn_world_advance(sn_world *world, sn_real dt, bool still)
{
    sn_profile_begin(world);
    sn_world_follow_edits(world);
    const bool planned = world->plan.made;
    world->fault = (sn_fault){0};
    sn_result result = advance(world, dt, still);
    sn_compromise_end(world, result != SN_OK);
    if (result != SN_OK)
        world->plan.made = world->plan.made && planned;
    sn_profile_end(world, result);
    return result;
}

void sn_world_finish_step(sn_world *world)
{
    sn_targets_finish(world);
    sn_turns_finish(world);
    sn_forces_clear(world);
}

/* ---- Cancelling ---------------------------------------------------------------------------------------------------- */

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

sn_result sn_world_step(sn_world *world, sn_real dt)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK || (result = sn_world_check_dt(world, dt)) != SN_OK || dt == 0)
        return result;
    if ((result = sn_world_advance(world, dt, false)) != SN_OK)
        return result;
    sn_world_finish_step(world);
    sn_breaking_end(world);
    world->state.steps++;
    return SN_OK;
}

/* The step: read this file to know the engine.

       a step of dt:
           for each of its substeps of h = dt / substeps:
               predict      damp velocities, add forces, move every particle as if it were alone
               solve        move them again until the constraints hold
               check        nothing may be infinite or undefined
               update       velocities are what the positions did
               kick         some integrators of second order complete velocities with the forces at the end

   (Mueller et al. 2007 with the substeps of Macklin et al. 2019.) Until `update` the state is untouched: everything that
   happens in a substep happens to the displacements d, so a substep that fails is simply not taken. */
#include "world/world.h"

#include "base/clock.h"
#include "base/float_mode.h"
#include "base/hash.h"
#include "base/math.h"
#include "integrators/integrator.h"

/* One substep on its way. */
typedef struct substep {
    sn_world *world;
    sn_motion motion;
    bool still; /* statics: no clock and no damping; see sn_world_advance */
    const sn_integrator_method *integrator;
    atomic_bool fault; /* some particle is not finite; who it is, is found afterwards */
} substep;

static sn_result lost_tasks(const sn_world *world)
{
    return world_fail(world, SN_ERROR_HOST, "at %g s the task hook did not run all tasks of a loop", world->state.time);
}

/* ---- Predict ---------------------------------------------------------------------------------------------------- */

static sn_vec3 field_force(const sn_world *world, const sn_field *field, uint32_t slot)
{
    const sn_particle_store *p = &world->particles;
    sn_field_in in = {.position = vec4_xyz(p->x[slot]),
                      .velocity = vec4_xyz(p->v[slot]),
                      .mass = p->v[slot].w,
                      .index = p->index[slot],
                      .group = p->group[slot],
                      .user = p->user[slot],
                      .time = world->state.time};
    return field->function(field->context, &in);
}

static bool has_elements(const sn_world *world)
{
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind)
        if (world->constraints.pool[kind]->kind.force && world->constraints.pool[kind]->ids.live)
            return true;
    return false;
}

/* Whether forces must be gathered, or the users' forces are all there are. */
static bool has_forces(const sn_world *world)
{
    return world->field_table.count || has_elements(world);
}

/* Adds what one force element exerts to the particles that carry its points. */
static void add_element(sn_world *world, const sn_pool *pool, uint32_t row)
{
    sn_frame frame = sn_world_frame(world);
    sn_real energy, weight[4];
    const sn_vec3 *force = sn_evaluate_force(&world->constraints, pool, row, &frame, world->particles.v, &energy);
    for (uint32_t i = 0; i < pool_point_count(pool, row); ++i) {
        uint32_t slot[4], count = sn_point_corners(&world->constraints, pool, row, &frame, i, slot, weight);
        for (uint32_t j = 0; j < count; ++j) {
            sn_vec3 *f = &world->particles.f[slot[j]];
            *f = vec3_add(*f, vec3_scale(force[i], weight[j]));
        }
    }
}

/* Springs and other force elements, kind by kind, as they are stored. */
static void add_elements(sn_world *world)
{
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        for (uint32_t row = 0; pool->kind.force && row < pool->ids.table.count; ++row)
            if (sn_ids_is_live(&pool->ids, row))
                add_element(world, pool, row);
    }
}

/* Asks the force fields. */
static void add_fields_piece(void *data, uint32_t first, uint32_t end)
{
    sn_world *world = ((substep *)data)->world;
    const sn_field *field = world->field_table.column[0];
    for (uint32_t slot = first; slot < end; ++slot) {
        if (world->particles.x[slot].w == 0)
            continue;
        sn_vec3 *f = &world->particles.f[slot];
        for (uint32_t i = 0; i < world->field_table.count; ++i)
            *f = vec3_add(*f, field_force(world, &field[i], slot));
        if (world->dimensions == 2)
            f->z = 0;
    }
}

static bool fields_are_parallel(const sn_world *world)
{
    const sn_field *field = world->field_table.column[0];
    for (uint32_t i = 0; i < world->field_table.count; ++i)
        if (!field[i].parallel)
            return false;
    return true;
}

/* The users' forces, springs and fields at the present positions. False if tasks got lost. */
static bool gather_forces(substep *s)
{
    sn_world *world = s->world;
    uint32_t count = world->particles.table.count;
    if (!has_forces(world))
        return true;
    for (uint32_t slot = 0; slot < count; ++slot)
        world->particles.f[slot] = world->particles.force[slot];
    add_elements(world);
    if (fields_are_parallel(world) && world->field_table.count)
        return sn_parallel_for(&world->parallel, count, add_fields_piece, s);
    add_fields_piece(s, 0, count);
    return true;
}

/* Names the force element or field that exerts an infinite force on a particle; SN_OK if there is none. */
static sn_result blame_force(sn_world *world, uint32_t slot)
{
    uint32_t index = world->particles.index[slot];
    sn_frame frame = sn_world_frame(world);
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        for (uint32_t row = 0; pool->kind.force && row < pool->ids.table.count; ++row) {
            sn_real energy;
            if (!sn_ids_is_live(&pool->ids, row))
                continue;
            const sn_vec3 *f = sn_evaluate_force(&world->constraints, pool, row, &frame, world->particles.v, &energy);
            for (uint32_t i = 0; i < pool_point_count(pool, row); ++i)
                if (!vec3_is_finite(f[i]))
                    return world_fail(world, SN_ERROR_DIVERGED, "at %g s the force of %s %u was (%g, %g, %g) N",
                                      world->state.time, pool->kind.name, row, (double)f[i].x, (double)f[i].y,
                                      (double)f[i].z);
        }
    }
    const sn_field *field = world->field_table.column[0];
    for (uint32_t i = 0; i < world->field_table.count; ++i) {
        sn_vec3 f = field_force(world, &field[i], slot);
        if (!vec3_is_finite(f))
            return world_fail(world, SN_ERROR_DIVERGED,
                              "at %g s force field %u gave particle %u the force (%g, %g, %g) N", world->state.time,
                              field[i].number, index, (double)f.x, (double)f.y, (double)f.z);
    }
    return SN_OK;
}

static void predict_piece(void *data, uint32_t first, uint32_t end)
{
    substep *s = data;
    s->integrator->predict(&s->motion, first, end);
    for (uint32_t slot = first; slot < end; ++slot)
        if (!vec3_is_finite(vec4_xyz(s->motion.d[slot])))
            atomic_store_explicit(&s->fault, true, memory_order_relaxed);
}

static sn_result predict(substep *s)
{
    sn_world *world = s->world;
    uint32_t slot = 0;
    sn_result result;
    if (s->motion.start.dragged && !sn_drag_apply(world, s->motion.h, s->integrator->looks_back))
        return lost_tasks(world);
    if (!gather_forces(s) || !sn_parallel_for(&world->parallel, world->particles.table.count, predict_piece, s))
        return lost_tasks(world);
    if (!s->fault)
        return SN_OK;
    while (vec3_is_finite(vec4_xyz(s->motion.d[slot])))
        ++slot;
    if ((result = blame_force(world, slot)) != SN_OK)
        return result;
    return world_fail(world, SN_ERROR_DIVERGED, "at %g s forces would make the motion of particle %u infinite",
                      world->state.time, world->particles.index[slot]);
}

/* ---- Kinematic targets ------------------------------------------------------------------------------------------ */

/* For the step, a particle with a target is immovable to everything else. */
static void hold_targets(sn_world *world)
{
    sn_target *target = world->target_table.column[0];
    for (uint32_t i = 0; i < world->target_table.count; ++i) {
        sn_vec4 *x = &world->particles.x[world->ids.value[target[i].index]];
        target[i].w = x->w;
        x->w = 0;
    }
}

static void release_targets(sn_world *world)
{
    const sn_target *target = world->target_table.column[0];
    for (uint32_t i = 0; i < world->target_table.count; ++i)
        world->particles.x[world->ids.value[target[i].index]].w = target[i].w;
}

/* An equal share of the way that is left, in each of the substeps that are left. */
static void move_targets(substep *s, uint32_t substeps_left)
{
    sn_world *world = s->world;
    const sn_target *target = world->target_table.column[0];
    for (uint32_t i = 0; i < world->target_table.count; ++i) {
        uint32_t slot = world->ids.value[target[i].index];
        sn_vec3 way = vec3_sub(target[i].place, vec4_xyz(world->particles.x[slot]));
        s->motion.d[slot] = vec4(vec3_scale(way, 1 / (sn_real)substeps_left), 0);
    }
}

/* They arrived, up to rounding: put them exactly there, and forget them. Being let go is a jump, too. */
static void finish_targets(sn_world *world)
{
    const sn_target *target = world->target_table.column[0];
    for (uint32_t i = 0; i < world->target_table.count; ++i) {
        uint32_t slot = world->ids.value[target[i].index];
        world->particles.x[slot] = vec4(target[i].place, world->particles.x[slot].w);
        world->particles.x_low[slot] = vec3(0, 0, 0);
        world->particles.target[slot] = 0;
        sn_world_break_motion(world, slot);
    }
    world->target_table.count = 0;
}

/* ---- Solve ------------------------------------------------------------------------------------------------------ */

static sn_solver_in solver_input(sn_world *world, sn_real h)
{
    const sn_settings *settings = &world->state.settings;
    uint64_t passes = (uint64_t)settings->substeps * settings->iterations;
    sn_frame frame = sn_world_frame(world);
    frame.d = world->particles.d;
    return (sn_solver_in){.store = &world->constraints,
                          .frame = frame,
                          .h = h,
                          .order = settings->order,
                          .gradients = settings->gradients,
                          .iterations = settings->iterations,
                          .tolerance = settings->tolerance,
                          .stiffness_root = !settings->correct_stiffness ? 1
                                            : passes > UINT32_MAX        ? UINT32_MAX
                                                                         : (uint32_t)passes,
                          .scratch = &world->scratch};
}

/* The constraints' multipliers are forces times the square of the effective step. A particle that starts anew moves by h^2
   times the force instead, as if it were lighter: its inverse mass is put aside, and given back after the solve. */
static void lighten_the_new(substep *s)
{
    sn_real factor = s->integrator->step_factor;
    sn_particle_store *p = &s->world->particles;
    for (uint32_t slot = 0; factor != 1 && slot < p->table.count; ++slot) {
        s->motion.old_a[slot].w = p->x[slot].w;
        if (!motion_has_past(&s->motion, slot))
            p->x[slot].w /= factor * factor;
    }
}

static void restore_the_new(substep *s)
{
    sn_particle_store *p = &s->world->particles;
    for (uint32_t slot = 0; s->integrator->step_factor != 1 && slot < p->table.count; ++slot)
        p->x[slot].w = s->motion.old_a[slot].w;
}

static sn_result solve(substep *s)
{
    sn_world *world = s->world;
    sn_solver_in in = solver_input(world, s->motion.h * s->integrator->step_factor);
    if (s->still)
        in.gradients = SN_GRADIENTS_CURRENT;
    in.frame.old_d = s->integrator->step_factor != 1 ? s->motion.old_d : NULL;
    in.frame.h = s->motion.anew ? -1 : s->motion.h;
    lighten_the_new(s);
    sn_solver_out out = sn_solvers[world->state.settings.solver]->solve(&in);
    restore_the_new(s);
    world->state.passes += out.passes;
    if (!out.fault_kind)
        return SN_OK;
    sn_store_clear_lambda(&world->constraints); /* this substep is not taken, so it exerted nothing */
    return world_fail(world, SN_ERROR_DIVERGED,
                      "at %g s the projection of %s constraint %u was not finite (its value, gradient or parameters "
                      "overflow or are undefined)",
                      world->state.time, world->constraints.pool[out.fault_kind]->kind.name, out.fault_row);
}

/* ---- Contacts -------------------------------------------------------------------------------------------------- */

/* A number that stands for the inequalities that push, and changes when others do; 0 when none does. */
static uint64_t contacts_now(const sn_store *store)
{
    uint64_t hash = 0;
    for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
        const sn_pool *pool = store->pool[kind];
        const uint32_t rows = pool->kind.rows;
        for (uint32_t i = 0; pool->kind.inequality && i < pool->ids.table.count * rows; ++i)
            if (pool->lambda[i] != 0 && pool->kind.inequality >> (i % rows) & 1 && sn_ids_is_live(&pool->ids, i / rows))
                hash = hash_u64(hash, (uint64_t)kind << 32 | i);
    }
    return hash;
}

/* A contact that begins or ends is a jump: if the substep was solved with a past it is done again without. */
static sn_result solve_smoothly(substep *s, uint32_t substeps_left)
{
    sn_world *world = s->world;
    sn_result result = solve(s);
    if (result != SN_OK || !s->integrator->is_smooth)
        return result;
    bool jumps = contacts_now(&world->constraints) != world->state.contacts;
    if (jumps && world->state.unsettled == 0) {
        s->motion.anew = true;
        if ((result = predict(s)) != SN_OK)
            return result;
        move_targets(s, substeps_left);
        if ((result = solve(s)) != SN_OK)
            return result;
    }
    s->motion.jumps = jumps || world->state.unsettled > 0;
    return SN_OK;
}

/* Remembers what the next substep has to know of the jumps in this one. */
static void settle(substep *s)
{
    sn_world_state *state = &s->world->state;
    if (!s->integrator->is_smooth)
        return;
    uint64_t contacts = contacts_now(&s->world->constraints);
    if (contacts != state->contacts)
        state->unsettled = SN_SETTLING;
    else if (state->unsettled > 0)
        state->unsettled--;
    state->contacts = contacts;
}

/* ---- Check and update ------------------------------------------------------------------------------------------- */

/* A way this short, in the time it takes, is a finite velocity whatever happens to its last digits. A NaN is below nothing. */
static bool stays_finite(const substep *s, uint32_t slot)
{
    const double most_way = 1e37 * (double)s->motion.h;
    sn_vec4 d = s->motion.d[slot];
    return fabs((double)d.x) < most_way && fabs((double)d.y) < most_way && fabs((double)d.z) < most_way &&
           vec3_is_finite(vec3_add(vec4_xyz(s->motion.x[slot]), vec4_xyz(d)));
}

static void check_piece(void *data, uint32_t first, uint32_t end)
{
    substep *s = data;
    bool finite = true;
    for (uint32_t slot = first; slot < end; ++slot)
        finite &= stays_finite(s, slot);
    if (!finite)
        atomic_store_explicit(&s->fault, true, memory_order_relaxed);
}

static sn_result check(substep *s)
{
    sn_world *world = s->world;
    uint32_t count = world->particles.table.count;
    if (!sn_parallel_for(&world->parallel, count, check_piece, s))
        return lost_tasks(world);
    for (uint32_t slot = 0; s->fault && slot < count; ++slot)
        if (!stays_finite(s, slot))
            return world_fail(world, SN_ERROR_DIVERGED, "at %g s particle %u would reach an infinite place or speed",
                              world->state.time, world->particles.index[slot]);
    return SN_OK;
}

static void update_piece(void *data, uint32_t first, uint32_t end)
{
    substep *s = data;
    sn_particle_store *p = &s->world->particles;
    s->integrator->update_velocities(&s->motion, first, end);
    for (uint32_t slot = first; slot < end; ++slot) {
        sn_vec3 d = vec4_xyz(p->d[slot]), from = vec4_xyz(p->x[slot]), to = vec3_add(from, d);
        p->x[slot] = vec4(to, p->x[slot].w);
        p->x_low[slot] = vec3_sub(d, vec3_sub(to, from));
        if (s->integrator->kick)
            p->d[slot] = vec4(motion_acceleration(&s->motion, slot), 0);
    }
}

/* Half a world must not be updated: tasks that got lost are done here before that is reported. */
static sn_result update(substep *s)
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
    substep *s = data;
    s->integrator->kick(&s->motion, first, end);
}

/* What the kick would make infinite is found beforehand: nobody is kicked then, and the substep that would start with such a
   force is the one that fails. */
static sn_result check_kick(substep *s)
{
    sn_world *world = s->world;
    const sn_motion *m = &s->motion;
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot) {
        sn_vec3 change = vec3_sub(motion_acceleration(m, slot), vec4_xyz(m->d[slot]));
        if (vec3_is_finite(vec3_add(vec4_xyz(m->v[slot]), vec3_scale(change, m->h / 2))))
            continue;
        sn_result result = blame_force(world, slot);
        return result != SN_OK ? result
                               : world_fail(world, SN_ERROR_DIVERGED,
                                            "at %g s forces would make the motion of particle %u infinite",
                                            world->state.time, world->particles.index[slot]);
    }
    return SN_OK;
}

/* The positions are those at the end already. Half a world must not be kicked either. */
static sn_result kick(substep *s)
{
    sn_world *world = s->world;
    uint32_t count = world->particles.table.count;
    if (!s->integrator->kick)
        return SN_OK;
    bool lost = !gather_forces(s);
    if (lost)
        sn_parallel_repair(&world->parallel);
    sn_result result = check_kick(s);
    if (result != SN_OK)
        return result;
    if (!sn_parallel_for(&world->parallel, count, kick_piece, s)) {
        sn_parallel_repair(&world->parallel);
        lost = true;
    }
    return lost ? lost_tasks(world) : SN_OK;
}

/* ---- The step --------------------------------------------------------------------------------------------------- */

/* Reads the clock if anybody wants to know, and adds the time since the last reading to a phase. */
static void lap(sn_world *world, double *clock, double *phase)
{
    if (!world->state.settings.profile)
        return;
    double now = sn_clock();
    if (phase)
        *phase += now - *clock;
    *clock = now;
}

/* The velocities that a substep starts with: the state itself, or what drags will leave of it. */
static sn_start start_of(const sn_world *world, bool still)
{
    const sn_drag_scratch *drag = &world->drag;
    if (world->drag_table.count && !still)
        return (sn_start){drag->v, drag->v_low, drag->old_v, true};
    return (sn_start){world->particles.v, world->particles.v_low, world->history.old_v, false};
}

static sn_result take_substep(sn_world *world, sn_real h, uint32_t substeps_left, double end, bool still)
{
    const sn_settings *settings = &world->state.settings;
    const double damping = still ? 0 : (double)settings->damping;
    substep s = {.world = world,
                 .integrator = sn_integrators[still ? SN_INTEGRATOR_SYMPLECTIC_EULER : settings->integrator],
                 .still = still,
                 .motion = {.x = world->particles.x,
                            .v = world->particles.v,
                            .v_low = world->particles.v_low,
                            .x_low = world->particles.x_low,
                            .force = has_forces(world) ? world->particles.f : world->particles.force,
                            .old_d = world->history.old_d,
                            .old_v = world->history.old_v,
                            .old_a = world->history.old_a,
                            .d = world->particles.d,
                            .start = start_of(world, still),
                            .h = h,
                            .keep = (sn_real)math_exp(-damping * (double)h),
                            .lose = (sn_real)-math_expm1(-damping * (double)h),
                            .gravity = settings->gravity}};
    double clock = 0;
    lap(world, &clock, NULL);
    sn_result result = predict(&s);
    if (result != SN_OK)
        return result;
    move_targets(&s, substeps_left);
    lap(world, &clock, &world->profile.predict);
    if ((result = solve_smoothly(&s, substeps_left)) != SN_OK)
        return result;
    lap(world, &clock, &world->profile.solve);
    if ((result = check(&s)) != SN_OK)
        return result;
    result = update(&s);
    settle(&s);
    world->state.h = h * s.integrator->step_factor;
    world->state.time = end;
    sn_result kicked = kick(&s);
    if (result == SN_OK)
        result = kicked;
    lap(world, &clock, &world->profile.update);
    return result;
}

/* A force that ends breaks the motion. */
static void clear_forces(sn_world *world)
{
    if (!world->state.forces_pending)
        return;
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot) {
        sn_vec3 *f = &world->particles.force[slot];
        if (f->x != 0 || f->y != 0 || f->z != 0)
            sn_history_forget(&world->history, slot);
        *f = vec3(0, 0, 0);
    }
    world->state.forces_pending = false;
}

/* Particles that the history does not know yet have no past. */
static bool reserve_history(sn_world *world)
{
    sn_history *history = &world->history;
    uint32_t count = world->particles.table.count;
    if (!sn_integrators[world->state.settings.integrator]->looks_back)
        return true;
    if (!sn_table_reserve(&history->table, &world->allocator, count))
        return false;
    sn_history_bind(history);
    for (; history->table.count < count; history->table.count++)
        history->old_d[history->table.count] = history->old_v[history->table.count] =
            history->old_a[history->table.count] = vec4(vec3(0, 0, 0), 0);
    return true;
}

bool sn_world_reserve_step(sn_world *world)
{
    sn_solver_in in = solver_input(world, 1);
    return reserve_history(world) && sn_drag_prepare(world) &&
           sn_parallel_reserve(&world->parallel, &world->allocator, world->particles.table.count) &&
           sn_solvers[world->state.settings.solver]->reserve(&in, &world->allocator);
}

static sn_result take_substeps(sn_world *world, sn_real dt, bool still)
{
    uint32_t substeps = world->state.settings.substeps;
    double start = world->state.time;
    sn_real h = dt / (sn_real)substeps;
    for (uint32_t i = 0; i < substeps; ++i) {
        double end = still ? start : start + (double)dt * (i + 1) / substeps;
        sn_result result = take_substep(world, h, substeps - i, end, still);
        if (result != SN_OK)
            return result;
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

sn_result sn_world_advance(sn_world *world, sn_real dt, bool still)
{
    if (!sn_world_reserve_step(world))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for the scratch of a step");
    sn_float_mode mode = float_mode_enter();
    double clock = 0;
    world->profile = (sn_profile){.measured = world->state.settings.profile};
    world->state.passes = 0;
    world->busy = true;
    lap(world, &clock, NULL);
    hold_targets(world);
    sn_result result = take_substeps(world, dt, still);
    release_targets(world);
    lap(world, &clock, &world->profile.step);
    world->busy = false;
    float_mode_leave(mode);
    return result;
}

void sn_world_finish_step(sn_world *world)
{
    finish_targets(world);
    clear_forces(world);
}

sn_result sn_world_step(sn_world *world, sn_real dt)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK || (result = sn_world_check_dt(world, dt)) != SN_OK || dt == 0)
        return result;
    if ((result = sn_world_advance(world, dt, false)) != SN_OK)
        return result;
    sn_world_finish_step(world);
    world->state.steps++;
    return SN_OK;
}

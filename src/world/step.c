/* The step: read this file to know the engine.

       a step of dt:
           for each of its substeps of h = dt / substeps:
               predict      damp velocities, add forces, move every particle as if it were alone
               solve        move them again until the constraints hold
               check        nothing may be infinite or undefined
               update       velocities are what the positions did

   (Mueller et al. 2007 with the substeps of Macklin et al. 2019.) Until `update` the state is untouched: everything that
   happens in a substep happens to the displacements d, so a substep that fails is simply not taken. */
#include "world/world.h"

#include "base/clock.h"
#include "base/float_mode.h"
#include "base/math.h"
#include "integrators/integrator.h"

/* One substep on its way. */
typedef struct substep {
    sn_world *world;
    sn_motion motion;
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

/* Asks the force fields, once in a substep. */
static void gather_forces(sn_world *world, uint32_t slot)
{
    sn_vec3 force = world->particles.force[slot];
    const sn_field *field = world->field_table.column[0];
    for (uint32_t i = 0; i < world->field_table.count; ++i)
        force = vec3_add(force, field_force(world, &field[i], slot));
    if (world->dimensions == 2)
        force.z = 0;
    world->particles.f[slot] = force;
}

static void predict_piece(void *data, uint32_t first, uint32_t end)
{
    substep *s = data;
    for (uint32_t slot = first; s->world->field_table.count && slot < end; ++slot)
        if (s->motion.x[slot].w != 0)
            gather_forces(s->world, slot);
        else
            s->world->particles.f[slot] = vec3(0, 0, 0);
    s->integrator->predict(&s->motion, first, end);
    for (uint32_t slot = first; slot < end; ++slot)
        if (!vec3_is_finite(vec4_xyz(s->motion.d[slot])))
            atomic_store_explicit(&s->fault, true, memory_order_relaxed);
}

/* Names the force field, or else the particle, that made the prediction fail. */
static sn_result blame_prediction(substep *s)
{
    sn_world *world = s->world;
    uint32_t slot = 0;
    while (vec3_is_finite(vec4_xyz(s->motion.d[slot])))
        ++slot;
    uint32_t index = world->particles.index[slot];
    const sn_field *field = world->field_table.column[0];
    for (uint32_t i = 0; i < world->field_table.count; ++i) {
        sn_vec3 f = field_force(world, &field[i], slot);
        if (!vec3_is_finite(f))
            return world_fail(world, SN_ERROR_DIVERGED,
                              "at %g s force field %u gave particle %u the force (%g, %g, %g) N", world->state.time,
                              field[i].number, index, (double)f.x, (double)f.y, (double)f.z);
    }
    return world_fail(world, SN_ERROR_DIVERGED, "at %g s forces would make the motion of particle %u infinite",
                      world->state.time, index);
}

static bool fields_are_parallel(const sn_world *world)
{
    const sn_field *field = world->field_table.column[0];
    for (uint32_t i = 0; i < world->field_table.count; ++i)
        if (!field[i].parallel)
            return false;
    return true;
}

static sn_result predict(substep *s)
{
    sn_world *world = s->world;
    uint32_t count = world->particles.table.count;
    if (!fields_are_parallel(world))
        predict_piece(s, 0, count);
    else if (!sn_parallel_for(&world->parallel, count, predict_piece, s))
        return lost_tasks(world);
    return s->fault ? blame_prediction(s) : SN_OK;
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

/* They arrived, up to rounding: put them exactly there, and forget them. */
static void finish_targets(sn_world *world)
{
    const sn_target *target = world->target_table.column[0];
    for (uint32_t i = 0; i < world->target_table.count; ++i) {
        uint32_t slot = world->ids.value[target[i].index];
        world->particles.x[slot] = vec4(target[i].place, world->particles.x[slot].w);
        world->particles.x_low[slot] = vec3(0, 0, 0);
        world->particles.target[slot] = 0;
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
                          .iterations = settings->iterations,
                          .tolerance = settings->tolerance,
                          .stiffness_root = !settings->correct_stiffness ? 1
                                            : passes > UINT32_MAX        ? UINT32_MAX
                                                                         : (uint32_t)passes,
                          .scratch = &world->scratch};
}

static sn_result solve(substep *s)
{
    sn_world *world = s->world;
    sn_solver_in in = solver_input(world, s->motion.h);
    sn_solver_out out = sn_solvers[world->state.settings.solver]->solve(&in);
    world->state.passes += out.passes;
    if (!out.fault_kind)
        return SN_OK;
    sn_store_clear_lambda(&world->constraints); /* this substep is not taken, so it exerted nothing */
    return world_fail(world, SN_ERROR_DIVERGED,
                      "at %g s the projection of %s constraint %u was not finite (its value, gradient or parameters "
                      "overflow or are undefined)",
                      world->state.time, world->constraints.pool[out.fault_kind]->kind.name, out.fault_row);
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
    }
}

/* Half a world must not be updated: tasks that got lost are done here before that is reported. */
static sn_result update(substep *s)
{
    sn_world *world = s->world;
    uint32_t count = world->particles.table.count;
    if (sn_parallel_for(&world->parallel, count, update_piece, s))
        return SN_OK;
    sn_parallel_repair(&world->parallel, count, update_piece, s);
    return lost_tasks(world);
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

static sn_result take_substep(sn_world *world, sn_real h, uint32_t substeps_left, double end)
{
    const sn_settings *settings = &world->state.settings;
    substep s = {.world = world,
                 .integrator = sn_integrators[settings->integrator],
                 .motion = {.x = world->particles.x,
                            .v = world->particles.v,
                            .v_low = world->particles.v_low,
                            .x_low = world->particles.x_low,
                            .force = world->field_table.count ? world->particles.f : world->particles.force,
                            .d = world->particles.d,
                            .h = h,
                            .keep = (sn_real)math_exp(-(double)settings->damping * (double)h),
                            .lose = (sn_real)-math_expm1(-(double)settings->damping * (double)h),
                            .gravity = settings->gravity}};
    double clock = 0;
    lap(world, &clock, NULL);
    sn_result result = predict(&s);
    if (result != SN_OK)
        return result;
    move_targets(&s, substeps_left);
    lap(world, &clock, &world->profile.predict);
    if ((result = solve(&s)) != SN_OK)
        return result;
    lap(world, &clock, &world->profile.solve);
    if ((result = check(&s)) != SN_OK)
        return result;
    result = update(&s);
    lap(world, &clock, &world->profile.update);
    world->state.h = h;
    world->state.time = end;
    return result;
}

static void clear_forces(sn_world *world)
{
    if (!world->state.forces_pending)
        return;
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot)
        world->particles.force[slot] = vec3(0, 0, 0);
    world->state.forces_pending = false;
}

/* Makes room for everything that the step needs, so that nothing is allocated after it has begun. */
static bool reserve(sn_world *world)
{
    sn_solver_in in = solver_input(world, 1);
    return sn_parallel_reserve(&world->parallel, &world->allocator, world->particles.table.count) &&
           sn_solvers[world->state.settings.solver]->reserve(&in, &world->allocator);
}

static sn_result take_substeps(sn_world *world, sn_real dt)
{
    uint32_t substeps = world->state.settings.substeps;
    double start = world->state.time;
    sn_real h = dt / (sn_real)substeps;
    for (uint32_t i = 0; i < substeps; ++i) {
        sn_result result = take_substep(world, h, substeps - i, start + (double)dt * (i + 1) / substeps);
        if (result != SN_OK)
            return result;
    }
    return SN_OK;
}

sn_result sn_world_step(sn_world *world, sn_real dt)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!isfinite(dt) || dt < 0)
        return world_fail(world, SN_ERROR_ARGUMENT, "dt is %g s; it must be finite and not negative", (double)dt);
    sn_real h = dt / (sn_real)world->state.settings.substeps;
    if (dt > 0 && !(h * h > 0 && isfinite(1 / h)))
        return world_fail(world, SN_ERROR_ARGUMENT, "dt = %g s in %u substeps is too small to compute with", (double)dt,
                          world->state.settings.substeps);
    if (dt == 0)
        return SN_OK;
    if (!reserve(world))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for the scratch of a step");

    sn_float_mode mode = float_mode_enter();
    double clock = 0;
    world->profile = (sn_profile){.measured = world->state.settings.profile};
    world->state.passes = 0;
    world->busy = true;
    lap(world, &clock, NULL);
    hold_targets(world);
    result = take_substeps(world, dt);
    release_targets(world);
    if (result == SN_OK) {
        finish_targets(world);
        clear_forces(world);
        world->state.steps++;
    }
    lap(world, &clock, &world->profile.step);
    world->busy = false;
    float_mode_leave(mode);
    return result;
}

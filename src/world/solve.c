/* The constraints of a substep: predicts particles, and moves them until the constraints hold. */
#include "contact/particle_supports.h"
#include "solvers/preload.h"
#include "world/substep.h"

#include <stdatomic.h>

const sn_solver_method *sn_solve_method(const sn_world *world, bool still)
{
    const sn_solver_method *chosen = sn_solvers[world->state.settings.solver];
    /* statics solves for positions only, so methods without projections use Gauss-Seidel */
    return still && !chosen->own_projections ? &sn_solver_gauss_seidel : chosen;
}

bool sn_world_is_weak(const void *world, uint32_t kind, uint32_t row)
{
    return sn_breaking_has(world, kind, row) || sn_tear_by_force(world, kind, row);
}

static bool may_tear(const void *world, uint32_t kind, uint32_t row)
{
    return sn_tear_has(world, kind, row);
}

static sn_vec3 place_after(const void *data, uint32_t slot)
{
    const sn_world *world = data;
    const uint32_t row = world->particles.target[slot];
    return row ? ((const sn_target *)world->target_table.column[0])[row - 1].place : vec4_xyz(world->particles.x[slot]);
}

static sn_stiffen stiffen_input(sn_world *world)
{
    const sn_settings *settings = &world->state.settings;
    return (sn_stiffen){.on = settings->solver == SN_SOLVER_TILED && settings->stiffening == SN_STIFFENING_AUTO &&
                              settings->gradients == SN_GRADIENTS_CURRENT &&
                              !sn_integrators[settings->integrator]->looks_back,
                        .shape = &world->rest_shape_table,
                        .shapes = &world->state.shapes,
                        .number = world->particles.index,
                        .target = world->target_table.count ? world->particles.target : NULL,
                        .place_after = place_after,
                        .breaks = world->breaking.table.count || sn_tear_any_by_force(world) ? sn_world_is_weak : NULL,
                        .tears = sn_tear_any(world) ? may_tear : NULL,
                        .solids = settings->integrator == SN_INTEGRATOR_SYMPLECTIC_EULER,
                        .world = world,
                        .room = world->particles.mark,
                        .base = &world->limits,
                        .edits = sn_limits_edits(world)};
}

bool sn_world_preloads(const sn_settings *settings)
{
    return settings->damping > 0 && settings->solver == SN_SOLVER_TILED && settings->stiffening == SN_STIFFENING_AUTO &&
           settings->gradients == SN_GRADIENTS_CURRENT && settings->integrator == SN_INTEGRATOR_SYMPLECTIC_EULER;
}

bool sn_world_is_warm(const sn_settings *settings)
{
    return (settings->solver == SN_SOLVER_IMPULSES && settings->warm_start) || sn_world_preloads(settings);
}

float sn_world_preload_share(const sn_world *world, sn_real h)
{
    const sn_real share = (sn_real)SN_PRELOAD_RATE * world->state.settings.damping * h;
    if (!sn_world_preloads(&world->state.settings))
        return 0;
    return (float)(share < (sn_real)SN_PRELOAD_FASTEST ? share : (sn_real)SN_PRELOAD_FASTEST);
}

sn_solver_in sn_world_solver_input(sn_world *world, sn_real h)
{
    const sn_settings *settings = &world->state.settings;
    bool there_and_back = settings->order == SN_ORDER_SYMMETRIC && settings->solver != SN_SOLVER_JACOBI &&
                          settings->solver != SN_SOLVER_TILED;
    uint64_t sweeps = there_and_back ? 2 : 1;
    uint64_t passes = sweeps * settings->substeps * settings->iterations;
    sn_frame frame = sn_world_frame(world);
    frame.d = world->particles.x_low;
    frame.start = world->particles.y; /* positions at the start of the substep, if some row needs them */
    frame.x_low = world->particles.d; /* and their rounding remainders */
    frame.held = true;
    if (world->body_contacts.expects && world->starts.damped)
        frame.expected = world->body_contacts.expect_table.column[0];
    if (world->body_contacts.expects && world->starts.driven)
        frame.by_friction = world->body_contacts.expect_table.column[1];
    return (sn_solver_in){.store = &world->constraints,
                          .frame = frame,
                          .h = h,
                          .last_h = world->state.h,
                          .preload_share = sn_world_preload_share(world, h),
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
                          .asks = world->starts.any ? world->starts.asks_table.column[0] : NULL, /* with tiles */
                          .particle_count = world->particles.table.count,
                          .node_count = world->particles.table.count + bodies_rows(&world->bodies),
                          .plan = &world->plan,
                          .wide = world->wide,
                          .stiffen = stiffen_input(world)};
}

static sn_solver_in input_of(const sn_substep *s)
{
    sn_solver_in in = sn_world_solver_input(s->world, s->h * s->integrator->step_factor);
    if (s->still)
        in.gradients = SN_GRADIENTS_CURRENT;
    in.frame.old_d = s->integrator->looks_back ? s->motion.old_d : NULL;
    in.frame.h = s->motion.anew ? -1 : s->h;
    return in;
}

/* ---- All particles at once --------------------------------------------------------------------------------------- */

static sn_result solve_at_once(sn_substep *s)
{
    sn_world *world = s->world;
    sn_solver_in in = input_of(s);
    sn_solver_out out = {0};
    if (!sn_motion_predict(s))
        return sn_fault_lost_tasks(world);
    sn_past_lighten(s);
    if (s->solver->solve)
        out = s->solver->solve(&in);
    sn_past_restore(s);
    world->state.passes += out.passes;
    if (out.lost_tasks || !sn_motion_settle(s))
        return sn_fault_lost_tasks(world);
    return sn_fault_constraint(world, &out);
}

/* ---- Tile by tile ------------------------------------------------------------------------------------------------ */

/* True if only constraints read or write particles between the first substep and the last. Then tiles settle only in
   the next substep, and tiles in planes stay there, except where sn_tiled_begin found that others read them. */
static bool stay_resident(const sn_substep *s)
{
    const sn_world *world = s->world;
    return world->wide && !sn_forces_needed(world) && !s->motion.unsteady && !world->contacts.any &&
           world->body_contacts.mover_table.count <= bodies_rows(&world->bodies) && !world->drag.acts &&
           !s->step->careful && !sn_starts_all(world, s->still) && (s->defers_end || s->integrator->kick == 1) &&
           !(s->integrator->looks_back && (s->may_jump || world->starts.any));
}

bool sn_solve_write_back(sn_substep *s)
{
    if (!s->step->resident)
        return true;
    s->step->resident = false;
    sn_solver_in in = input_of(s);
    const sn_tiled t = {
        .in = &in, .wide = s->world->wide, .table = s->world->wide->motion, .motion = &s->motion, .resident = true};
    bool sound, done = sn_tiled_leave(&t, &sound);
    if (!sound)
        s->unsound = true;
    return done;
}

bool sn_solve_interleaves_contact(const sn_substep *s)
{
    return s->solver == &sn_solver_tiled && s->integrator->kick == 1 && s->world->state.settings.iterations > 0;
}

/* One pass over the constraints, followed by contact. */
static sn_result make_pass(sn_substep *s, sn_tiled *t, sn_real *largest)
{
    sn_world *world = s->world;
    sn_solver_out out = {0};
    sn_stage_enter(world, SN_STAGE_CONSTRAINTS);
    bool good = sn_tiled_pass(t, &out, largest);
    if (out.lost_tasks)
        return sn_fault_lost_tasks(world);
    if (!good) {
        s->unsound = true;
        return sn_fault_constraint(world, &out);
    }
    if (!sn_solve_interleaves_contact(s))
        return SN_OK;
    if (tiled_loads(t))
        return sn_contacts_load(world, s->h) ? SN_OK : sn_fault_lost_tasks(world);
    if (world->contacts.any)
        sn_targets_set_velocities(world, s->h); /* friction depends on velocities */
    return sn_contacts_pass(world, s->h, tiled_starts(t)) ? SN_OK : sn_fault_lost_tasks(world);
}

/* Constraints and contact of surfaces alternate: in one pass, contact can pass on the corrections of rods to a few
   particles only. If contact made large corrections, both are repeated. */
#define MOST_PASSES 16u

static bool wants_pass(const sn_substep *s, const sn_tiled *t, sn_result *result)
{
    sn_world *world = s->world;
    bool lost = false;
    const bool wants =
        t->pass < world->state.settings.iterations + t->preloads ||
        (t->again && sn_solve_interleaves_contact(s) && t->pass < MOST_PASSES && sn_surfaces_push(world, &lost));
    if (lost)
        *result = sn_fault_lost_tasks(world);
    return wants;
}

static sn_result make_passes(sn_substep *s, sn_tiled *t)
{
    sn_world *world = s->world;
    const sn_settings *settings = &world->state.settings;
    sn_result result = SN_OK;
    for (; result == SN_OK && !s->unsound && wants_pass(s, t, &result); ++t->pass) {
        sn_real largest = 0;
        t->enters = !s->step->resident;
        t->measures = settings->tolerance > 0 && !tiled_loads(t) && t->pass + 1 < settings->iterations + t->preloads;
        result = make_pass(s, t, &largest);
        s->step->resident = t->resident;
        world->state.passes += !tiled_loads(t);
        if (t->measures && largest < settings->tolerance)
            break;
    }
    if (result == SN_OK && world->breaking.in_lanes)
        sn_tiled_watch(t);
    if (result == SN_OK && s->substeps_left == 1 && !(sn_solve_write_back(s) && sn_tiled_collect_lambda(t)))
        result = sn_fault_lost_tasks(world);
    return result;
}

static sn_result solve_by_tiles(sn_substep *s)
{
    sn_world *world = s->world;
    const sn_settings *settings = &world->state.settings;
    sn_solver_in in = input_of(s);
    if (sn_solve_interleaves_contact(s) && world->contacts.any && world->contacts.support_table.count)
        in.leaning = (sn_leaning){sn_supports_lean, sn_supports_leant, world};
    if (settings->iterations <= 1)
        in.tolerance = 0; /* there is no later pass to leave out */
    const bool wide = world->wide && !s->step->careful && in.gradients == SN_GRADIENTS_CURRENT;
    const bool watches = world->plan.any_watched, preloads = sn_tiled_preloads(&in);
    const bool again = settings->iterations > 1 || sn_surfaces_touch(world);
    const bool gathers = sn_tiled_scatters(&in) && (again || s->substeps_left == 1);
    sn_tiled t = {.in = &in,
                  .wide = wide ? world->wide : NULL,
                  .table = s->table,
                  .motion = &s->motion,
                  .keep_lambda = s->substeps_left == 1 || s->may_jump,
                  .by_lane = wide && !s->may_jump && !preloads && (watches || gathers), /* preloads read them by row */
                  .drops_trees = wide && s->substeps_left > 1 && !s->may_jump && !again && !preloads &&
                                 !world->breaking.table.count,
                  .again = again,
                  .preloads = preloads,
                  .predicts = settings->iterations > 0 && !s->motion.unsteady,
                  .resident = stay_resident(s),
                  .stiffens = in.stiffen.on};
    if (!t.resident && !sn_solve_write_back(s))
        return sn_fault_lost_tasks(world);
    if (!t.predicts && !sn_motion_predict(s))
        return sn_fault_lost_tasks(world);
    if (!settings->iterations) { /* no forces; only tests that everything is finite */
        sn_store_clear_lambda(&world->constraints);
        return sn_motion_settle(s) ? SN_OK : sn_fault_lost_tasks(world);
    }
    world->breaking.in_lanes = watches && t.by_lane;
    sn_past_lighten(s);
    sn_result result = make_passes(s, &t);
    sn_past_restore(s);
    return result;
}

static sn_result solve_once(sn_substep *s)
{
    return s->solver == &sn_solver_tiled ? solve_by_tiles(s) : solve_at_once(s);
}

/* ---- Substeps with jumps of velocities --------------------------------------------------------------------------- */

/* BDF2: velocities jump when a contact begins or ends. A substep that was solved with history is then repeated
   without. */
static sn_result solve_with_past(sn_substep *s)
{
    sn_world *world = s->world;
    if (s->may_jump && !sn_motion_keep(world))
        return sn_fault_lost_tasks(world);
    sn_result result = solve_once(s);
    if (result != SN_OK || s->unsound)
        return result;
    bool jumps = s->may_jump && sn_past_contacts_changed(s);
    if (jumps && world->state.unsettled == 0) {
        s->motion.anew = s->motion.unsteady = true;
        s->table = &sn_motion_scalar;
        s->defers_end = s->motion.ends_previous = false;
        if (!sn_motion_put_back(world))
            return sn_fault_lost_tasks(world);
        sn_turns_lay_out(world);
        sn_turns_predict(s);
        sn_store_restore_state(&world->constraints);
        if ((result = solve_once(s)) != SN_OK || s->unsound)
            return result;
        sn_past_contacts_changed(s);
    }
    s->motion.jumps = jumps || world->state.unsettled > 0;
    if (s->motion.jumps && !s->motion.unsteady) { /* the end must record that the next substep has no history */
        s->motion.unsteady = true;
        s->table = &sn_motion_scalar;
        s->defers_end = false;
    }
    return SN_OK;
}

sn_result sn_solve(sn_substep *s)
{
    s->world->breaking.in_lanes = false;
    return s->integrator->looks_back ? solve_with_past(s) : solve_once(s);
}

/* ---- Velocities at the end --------------------------------------------------------------------------------------- */

/* Fails if the forces at the end would make a velocity infinite. */
static sn_result check_kick(sn_substep *s)
{
    sn_world *world = s->world;
    const sn_motion *m = &s->motion;
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot) {
        sn_vec3 change = vec3_sub(motion_acceleration(m, slot), vec4_xyz(world->particles.d[slot]));
        if (vec3_is_finite(vec3_add(vec4_xyz(m->v[slot]), vec3_scale(change, m->end_kick))))
            continue;
        sn_result result = sn_forces_blame(world, slot);
        return result != SN_OK ? result : sn_world_blame(world, slot, "forces would make its motion infinite");
    }
    return SN_OK;
}

static void keep_accelerations(sn_substep *s)
{
    for (uint32_t slot = 0; slot < s->world->particles.table.count; ++slot)
        s->world->particles.d[slot] = vec4(motion_acceleration(&s->motion, slot), 0);
}

/* Adding zero must not change a bit. */
static void add_to_velocity(const sn_motion *m, uint32_t slot, sn_vec3 change)
{
    if (change.x == 0 && change.y == 0 && change.z == 0)
        return;
    sn_pair v = {vec4_xyz(m->v[slot]), vec4_xyz(m->v_low[slot])};
    pair_add(&v, change);
    m->v[slot] = vec4(v.high, m->v[slot].w);
    m->v_low[slot] = vec4(v.low, 0);
}

static void kick_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_substep *s = data;
    const sn_motion *m = &s->motion;
    for (uint32_t slot = first; slot < end; ++slot) {
        sn_vec3 change = vec3_sub(motion_acceleration(m, slot), vec4_xyz(s->world->particles.d[slot]));
        if (m->x[slot].w != 0)
            add_to_velocity(m, slot, vec3_scale(change, m->end_kick));
    }
}

/* Forces of constraints depend on the velocity that they cause, so this is a fixed-point iteration. Two rounds are of
   second order. */
#define KICKS_BY_FORCES 2

/* The second half kick was made with the forces at the start. This is a first guess of the velocity, on which forces at
   the end may depend. Here the difference is added. The users' forces are constant during a step. */
static sn_result kick(sn_substep *s)
{
    sn_world *world = s->world;
    for (int i = 0; i < (s->solver->forces ? KICKS_BY_FORCES : 1); ++i) {
        keep_accelerations(s);
        if (!sn_forces_gather(s))
            return sn_fault_lost_tasks(world);
        sn_stage_enter(world, SN_STAGE_VELOCITIES);
        sn_result result = sn_forces_constrain(s);
        if (result != SN_OK || (result = check_kick(s)) != SN_OK)
            return result;
        sn_turns_kick(s);
        if (!sn_parallel_for(&world->parallel, world->particles.table.count, kick_piece, s))
            return sn_fault_lost_tasks(world);
    }
    return SN_OK;
}

/* The change of a particle's velocity that a solver computed. */
static sn_vec3 wanted_change(const sn_substep *s, uint32_t slot)
{
    sn_vec4 d = s->world->particles.d[slot];
    return vec3(d.x / s->h, d.y / s->h, d.z / s->h);
}

static sn_result correct(sn_substep *s)
{
    sn_world *world = s->world;
    const sn_motion *m = &s->motion;
    sn_solver_in in = sn_world_solver_input(world, s->h);
    in.frame = sn_world_frame(world);
    in.frame.held = true;
    in.frame.d = world->particles.d;
    sn_solver_out out = s->solver->after(&in, m->v);
    if (out.fault_kind || out.passes == 0)
        return sn_fault_constraint(world, &out);
    for (uint32_t slot = 0; slot < in.particle_count; ++slot) {
        sn_vec3 change = wanted_change(s, slot);
        if (!vec3_is_finite(vec3_add(vec4_xyz(m->v[slot]), change)))
            return sn_world_blame(world, slot, "the solver would make its velocity infinite");
        if (change.x == 0 && change.y == 0 && change.z == 0)
            continue;
        add_to_velocity(m, slot, change);
        sn_history_forget(&world->history, slot);
    }
    sn_turns_correct(s);
    return SN_OK;
}

sn_result sn_solve_velocities(sn_substep *s)
{
    sn_result result = s->integrator->asks_again && sn_forces_needed(s->world) ? kick(s) : SN_OK;
    return result == SN_OK && s->solver->after ? correct(s) : result;
}

/* Creating, configuring and destroying worlds. */
#include "world/world.h"

#include "integrators/integrator.h"

#include <stdio.h>
#include <string.h>

#define TEXT_OF(x)  #x
#define VALUE_OF(x) TEXT_OF(x)

const char *sn_version(void)
{
    return VALUE_OF(SN_VERSION_MAJOR) "." VALUE_OF(SN_VERSION_MINOR) "." VALUE_OF(SN_VERSION_PATCH);
}

size_t sn_real_size(void)
{
    return sizeof(sn_real);
}

sn_world_def sn_default_world_def(void)
{
    sn_world_def def;
    memset(&def, 0, sizeof def);
    def.settings.gravity.y = (sn_real)-9.81;
    def.settings.solver = SN_SOLVER_TILED;
    def.settings.order = SN_ORDER_THERE_AND_BACK;
    def.settings.substeps = 10;
    def.settings.iterations = 1;
    def.settings.relaxation = 1;
    def.settings.baumgarte = (sn_real)0.2;
    def.settings.warm_start = true;
    def.settings.k_s = def.settings.k_d = SN_DRIFT_BY_TIME;
    def.dimensions = 3;
    def.contact = sn_default_contact_settings();
    return def;
}

static bool is_gain(sn_real k)
{
    return (isfinite(k) && k >= 0) || k == SN_DRIFT_BY_TIME;
}

/* Checks the settings of single solvers. False, with the reason in message. */
static bool check_solvers(const sn_settings *s, char *message, size_t size)
{
    bool positions = s->solver != SN_SOLVER_IMPULSES && s->solver != SN_SOLVER_LAGRANGE;
    if (!positions && s->integrator == SN_INTEGRATOR_BDF2)
        snprintf(message, size, "settings.solver '%s' does not go with the integrator BDF2, which works on positions",
                 sn_solvers[s->solver]->name);
    else if (s->solver != SN_SOLVER_GAUSS_SEIDEL && s->solver != SN_SOLVER_TILED && s->gradients == SN_GRADIENTS_START)
        snprintf(message, size,
                 "settings.gradients at the start of a substep are for the solvers 'tiled' and 'gauss_seidel' only");
    else if (s->solver == SN_SOLVER_TILED && s->order != SN_ORDER_THERE_AND_BACK)
        snprintf(message, size, "settings.order is for the solver 'gauss_seidel'; 'tiled' has the order of its plan");
    else if ((unsigned)s->stiffening > SN_STIFFENING_OFF)
        snprintf(message, size, "settings.stiffening is %d, which is no sn_stiffening", (int)s->stiffening);
    else if ((unsigned)s->jacobi > SN_JACOBI_AVERAGED)
        snprintf(message, size, "settings.jacobi is %d, which is no sn_jacobi", (int)s->jacobi);
    else if (!(s->relaxation > 0 && s->relaxation <= 2))
        snprintf(message, size, "settings.relaxation is %g; it must be more than 0 and at most 2",
                 (double)s->relaxation);
    else if ((unsigned)s->drift > SN_DRIFT_SOFT)
        snprintf(message, size, "settings.drift is %d, which is no sn_drift", (int)s->drift);
    else if (!(s->baumgarte >= 0 && s->baumgarte <= 1))
        snprintf(message, size, "settings.baumgarte is %g; it must lie in [0, 1]", (double)s->baumgarte);
    else if ((unsigned)s->linear > SN_LINEAR_LEAST_SQUARES)
        snprintf(message, size, "settings.linear is %d, which is no sn_linear", (int)s->linear);
    else if (!isfinite(s->drift_time) || s->drift_time < 0)
        snprintf(message, size, "settings.drift_time is %g s; it must be finite and not negative",
                 (double)s->drift_time);
    else if (!is_gain(s->k_s))
        snprintf(message, size, "settings.k_s is %g 1/s^2; it must be finite and 0 or more, or SN_DRIFT_BY_TIME (-1)",
                 (double)s->k_s);
    else if (!is_gain(s->k_d))
        snprintf(message, size, "settings.k_d is %g 1/s; it must be finite and 0 or more, or SN_DRIFT_BY_TIME (-1)",
                 (double)s->k_d);
    else
        return true;
    return false;
}

sn_result sn_settings_check(const sn_settings *s, uint32_t dimensions, char *message, size_t size)
{
    sn_vec3 g = s->gravity;
    if (!vec3_is_finite(g))
        snprintf(message, size, "settings.gravity is (%g, %g, %g); it must be finite", (double)g.x, (double)g.y,
                 (double)g.z);
    else if (dimensions == 2 && g.z != 0)
        snprintf(message, size, "settings.gravity.z is %g; it must be 0 in a 2D world", (double)g.z);
    else if ((unsigned)s->solver >= SN_SOLVER_COUNT)
        snprintf(message, size, "settings.solver is %d, which is no sn_solver", (int)s->solver);
    else if ((unsigned)s->integrator >= SN_INTEGRATOR_COUNT)
        snprintf(message, size, "settings.integrator is %d, which is no sn_integrator", (int)s->integrator);
    else if ((unsigned)s->gradients > SN_GRADIENTS_START)
        snprintf(message, size, "settings.gradients is %d, which is no sn_gradients", (int)s->gradients);
    else if (s->gradients == SN_GRADIENTS_START && s->integrator == SN_INTEGRATOR_BDF2)
        snprintf(message, size, "settings.gradients at the start of a substep do not go with the integrator BDF2");
    else if ((unsigned)s->order > SN_ORDER_THERE_AND_BACK)
        snprintf(message, size, "settings.order is %d, which is no sn_order", (int)s->order);
    else if (s->substeps < 1 || s->substeps > SN_MOST_PASSES)
        snprintf(message, size, "settings.substeps is %u; it must lie in [1, %u]", s->substeps, SN_MOST_PASSES);
    else if (s->iterations > SN_MOST_PASSES)
        snprintf(message, size, "settings.iterations is %u; at most %u are possible", s->iterations, SN_MOST_PASSES);
    else if (!isfinite(s->tolerance) || s->tolerance < 0)
        snprintf(message, size, "settings.tolerance is %g m; it must be finite and not negative", (double)s->tolerance);
    else if (!isfinite(s->damping) || s->damping < 0)
        snprintf(message, size, "settings.damping is %g 1/s; it must be finite and not negative", (double)s->damping);
    else if (check_solvers(s, message, size))
        return SN_OK;
    return SN_ERROR_ARGUMENT;
}

sn_result sn_world_def_check(const sn_world_def *def, char *message, size_t size)
{
    char local[SN_ERROR_SIZE];
    if (!message || size == 0) {
        message = local;
        size = sizeof local;
    }
    message[0] = 0;
    if (!def)
        snprintf(message, size, "def is NULL; start from sn_default_world_def()");
    else if (def->dimensions != 2 && def->dimensions != 3)
        snprintf(message, size, "def.dimensions is %u; it must be 2 or 3 (start from sn_default_world_def)",
                 def->dimensions);
    else if (!def->allocator.allocate != !def->allocator.release)
        snprintf(message, size, "def.allocator must have both allocate and release, or neither");
    else if (def->threads > SN_MOST_THREADS)
        snprintf(message, size, "def.threads is %u; at most %u are possible, and 0 takes one for each core",
                 def->threads, SN_MOST_THREADS);
    else if ((unsigned)def->simd > SN_SIMD_16)
        snprintf(message, size, "def.simd is %d, which is no sn_simd", (int)def->simd);
    else if (def->simd > SN_SIMD_SCALAR && !sn_wide_choose(def->simd))
        snprintf(message, size,
                 "def.simd asks for %u lanes, which this machine or this build does not have; SN_SIMD_AUTO "
                 "takes what there is",
                 2u << (def->simd - SN_SIMD_SCALAR));
    else if (sn_contact_settings_check(&def->contact, message, size) == SN_OK)
        return sn_settings_check(&def->settings, def->dimensions, message, size);
    return SN_ERROR_ARGUMENT;
}

/* Warns of settings that work but are known to fail in some scenes; docs/stability.md has the figures. */
static void warn_of(sn_world *world, const sn_settings *s)
{
    if (s->integrator == SN_INTEGRATOR_BDF2 && s->iterations == 1 && s->order != SN_ORDER_SYMMETRIC)
        sn_warn(&world->errors, "BDF2 with one pass a substep can gain energy in large stiff bodies such as cloth: use "
                                "two iterations, or SN_ORDER_SYMMETRIC with SN_SOLVER_GAUSS_SEIDEL");
    /* After a pass, the factor m = 1 - relaxation of the error is left for a particle with one constraint, so that
       positions follow x'' = m (2 x' - x). Its roots m +- sqrt(m^2 - m) leave the unit circle below m = -1/3. */
    if (s->solver == SN_SOLVER_JACOBI && s->jacobi == SN_JACOBI_AVERAGED && s->iterations == 1 &&
        s->relaxation > (sn_real)(4.0 / 3))
        sn_warn(&world->errors, "averages with a relaxation above 4/3 and one pass a substep throw a particle with a "
                                "single constraint farther past its goal each time: use two iterations, or less");
}

static void init(sn_world *world, const sn_world_def *def, const sn_allocator *allocator)
{
    memset(world, 0, sizeof *world);
    world->allocator = *allocator;
    world->errors.log = def->log;
    world->errors.busy = &world->busy;
    world->state.next_field = 1;
    world->state.next_drag = 1;
    sn_world_forget_history(world);
    world->dimensions = def->dimensions;
    world->state.settings = def->settings;
    world->parallel.tasks = def->tasks;
    world->wide = sn_wide_choose(def->simd);
    world->parallel.threads = def->tasks.run ? 1 : sn_threads_for(def->threads);
    sn_ids_init(&world->ids);
    sn_particle_store_init(&world->particles);
    sn_history_init(&world->history);
    sn_table_column(&world->target_table, sizeof(sn_target), true);
    sn_table_column(&world->field_table, sizeof(sn_field), true);
    sn_table_column(&world->rest_shape_table, sizeof(sn_rest_place), true);
    sn_limits_init(&world->limits);
    sn_drag_init(world);
    sn_contact_world_init(&world->contact);
    sn_contacts_init(&world->contacts);
    sn_bodies_init(&world->bodies);
    sn_breaking_init(&world->breaking);
    sn_tearing_init(&world->tearing);
    sn_body_contacts_init(&world->body_contacts);
    sn_plan_init(&world->plan);
    for (uint32_t i = 0; i < 4; ++i)
        sn_table_column(&world->backup_table, sizeof(sn_vec4), false);
    for (uint32_t i = 0; i < 4; ++i)
        sn_table_column(&world->backup_history_table, sizeof(sn_vec4), false);
    for (uint32_t i = 0; i < 4; ++i)
        sn_table_column(&world->redo_table, sizeof(sn_vec4), false);
    sn_starts_init(&world->starts);
    sn_articulations_init(&world->articulations);
    sn_table_column(&world->backup_spin_table, sizeof(sn_vec4), false);
    sn_table_column(&world->backup_body_table, sizeof(sn_body_state), false);
    sn_table_column(&world->rest_table, sizeof(sn_vec4), false);
    sn_table_column(&world->rest_table, sizeof(sn_vec4), false);
    sn_table_column(&world->kind_report_table, sizeof(sn_kind_report), false);
    sn_incidence_init(&world->incidence);
    sn_compromise_init(&world->compromise);
    sn_solver_scratch_init(&world->scratch);
    sn_query_trees_init(&world->query);
    sn_limit_forces_init(&world->limit_forces);
}

static void release(sn_world *world)
{
    const sn_allocator allocator = world->allocator;
    sn_store_release(&world->constraints, &allocator);
    sn_incidence_release(&world->incidence, &allocator);
    sn_compromise_release(&world->compromise, &allocator);
    sn_solver_scratch_release(&world->scratch, &allocator);
    sn_query_trees_release(&world->query, &allocator);
    sn_limit_forces_release(&world->limit_forces, &allocator);
    sn_parallel_release(&world->parallel, &allocator);
    sn_table_release(&world->kind_report_table, &allocator);
    sn_table_release(&world->rest_table, &allocator);
    sn_table_release(&world->backup_table, &allocator);
    sn_table_release(&world->backup_history_table, &allocator);
    sn_table_release(&world->redo_table, &allocator);
    sn_starts_release(&world->starts, &allocator);
    sn_articulations_release(&world->articulations, &allocator);
    sn_table_release(&world->backup_spin_table, &allocator);
    sn_table_release(&world->backup_body_table, &allocator);
    sn_plan_release(&world->plan, &allocator);
    sn_drag_release(world);
    sn_contact_world_release(&world->contact, &allocator);
    sn_contacts_release(&world->contacts, &allocator);
    sn_bodies_release(&world->bodies, &allocator);
    sn_breaking_release(&world->breaking, &allocator);
    sn_tearing_release(&world->tearing, &allocator);
    sn_body_contacts_release(&world->body_contacts, &allocator);
    sn_table_release(&world->field_table, &allocator);
    sn_table_release(&world->rest_shape_table, &allocator);
    sn_limits_release(&world->limits, &allocator);
    sn_table_release(&world->target_table, &allocator);
    sn_particle_store_release(&world->particles, &allocator);
    sn_table_release(&world->history.table, &allocator);
    sn_ids_release(&world->ids, &allocator);
    sn_release(&allocator, world, sizeof *world);
}

sn_result sn_world_create(const sn_world_def *def, sn_world **world)
{
    if (world)
        *world = NULL;
    sn_errors errors = {.log = def ? def->log : (sn_log){0}};
    char reason[SN_ERROR_SIZE];
    if (sn_world_def_check(def, reason, sizeof reason) != SN_OK)
        return sn_fail(&errors, SN_ERROR_ARGUMENT, "sn_world_create: %s", reason);
    if (!world)
        return sn_fail(&errors, SN_ERROR_ARGUMENT, "sn_world_create: world is NULL");
    const sn_allocator *allocator = def->allocator.allocate ? &def->allocator : &sn_default_allocator;
    sn_world *made = sn_allocate(allocator, sizeof *made);
    if (!made)
        return sn_fail(&errors, SN_ERROR_MEMORY, "sn_world_create: no memory for a world");
    init(made, def, allocator);
    if (!sn_store_init(&made->constraints, allocator)) {
        release(made);
        return sn_fail(&errors, SN_ERROR_MEMORY, "sn_world_create: no memory for the constraint pools");
    }
    made->contact.settings = def->contact;
    *world = made;
    warn_of(made, &def->settings);
    return SN_OK;
}

void sn_world_destroy(sn_world *world)
{
    if (!world || sn_world_enter(world) != SN_OK)
        return;
    if (world->owned)
        world_fail(world, SN_ERROR_ARGUMENT, "the world belongs to an sn_worlds, and goes with it");
    else
        release(world);
}

const char *sn_world_error(const sn_world *world)
{
    return world ? world->errors.text : "the world is NULL";
}

sn_result sn_world_enter(const sn_world *world)
{
    if (!world)
        return SN_ERROR_ARGUMENT;
    if (world->busy || atomic_load_explicit(&world->query.callbacks, memory_order_relaxed))
        return world_fail(world, SN_ERROR_BUSY,
                          "the world was called from inside one of its own callbacks, in the middle of a call");
    if (world->constraints.edit_table.count || world->constraints.all_changed || world->constraints.log_lost)
        /* after each call, so that reading between two calls changes nothing */
        sn_world_follow_edits((sn_world *)world);
    ((sn_world *)world)->calls++; /* not part of the state that const calls must not change */
    return SN_OK;
}

sn_result sn_world_check_vector(const sn_world *world, const char *what, sn_vec3 value)
{
    if (!vec3_is_finite(value))
        return world_fail(world, SN_ERROR_ARGUMENT, "%s is (%g, %g, %g); it must be finite", what, (double)value.x,
                          (double)value.y, (double)value.z);
    if (world->dimensions == 2 && value.z != 0)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s has z = %g; in a 2D world it must be 0", what, (double)value.z);
    return SN_OK;
}

sn_settings sn_world_settings(const sn_world *world)
{
    sn_settings none;
    memset(&none, 0, sizeof none);
    return world ? world->state.settings : none;
}

sn_result sn_world_configure(sn_world *world, const sn_settings *settings)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!settings)
        return world_fail(world, SN_ERROR_ARGUMENT, "settings is NULL");
    char reason[SN_ERROR_SIZE];
    if (sn_settings_check(settings, world->dimensions, reason, sizeof reason) != SN_OK)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s", reason);
    const sn_settings *now = &world->state.settings;
    if (settings->integrator != now->integrator || settings->damping != now->damping ||
        memcmp(&settings->gravity, &now->gravity, sizeof now->gravity) != 0)
        sn_world_forget_history(world); /* another integrator has another history; the others are jumps of
                                           acceleration */
    warn_of(world, settings);
    if (sn_settings_hash(0, settings) != sn_settings_hash(0, now))
        sn_sleep_wake_all(world);
    if (sn_world_preloads(now) && !sn_world_preloads(settings))
        sn_store_clear_preload(&world->constraints);
    if (settings->stiffening != world->state.settings.stiffening)
        world->plan.made = false;
    world->state.settings = *settings;
    return SN_OK;
}

sn_result sn_world_set_threads(sn_world *world, uint32_t threads)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (threads > SN_MOST_THREADS)
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "threads is %u; at most %u are possible, and 0 takes one for each core", threads,
                          SN_MOST_THREADS);
    if (world->owned && threads != 1)
        return world_fail(world, SN_ERROR_ARGUMENT, "threads is %u; a world of an sn_worlds has one", threads);
    if (!world->parallel.tasks.run)
        sn_parallel_set_threads(&world->parallel, &world->allocator, sn_threads_for(threads));
    return SN_OK;
}

uint32_t sn_world_threads(const sn_world *world)
{
    return world ? world->parallel.threads : 0;
}

uint32_t sn_world_dimensions(const sn_world *world)
{
    return world ? world->dimensions : 0;
}

double sn_world_time(const sn_world *world)
{
    return world ? world->state.time : (double)NAN;
}

sn_result sn_world_origin(const sn_world *world, double origin[3])
{
    if (!world)
        return SN_ERROR_ARGUMENT;
    if (!origin)
        return world_fail(world, SN_ERROR_ARGUMENT, "origin is NULL");
    memcpy(origin, world->state.origin, sizeof world->state.origin);
    return SN_OK;
}

sn_frame sn_world_frame(const sn_world *world)
{
    return (sn_frame){.x = world->particles.x,
                      .x_low = world->particles.x_low,
                      .slot = world->ids.value,
                      .planar = world->dimensions == 2,
                      .turn = world->bodies.turn,
                      .turn_slot = world->particles.table.count};
}

/* How particles move in a substep: the integrator's stages as loops over all particles. With SN_SOLVER_TILED most of
   this is done tile by tile instead, while a tile is in the cache (solvers/tiled.c). The arithmetic is the same to the
   bit. */
#include "world/substep.h"

#include "base/math.h"

#include <string.h>

/* ---- Input of the loops ------------------------------------------------------------------------------------------ */

/* BDF2: true if every movable particle has a history of length h, without forces other than gravity. */
static bool is_steady(const sn_world *world, sn_real h)
{
    const sn_history *past = &world->history;
    const sn_vec4 *x = world->particles.x;
    const sn_vec3 g = world->state.settings.gravity;
    bool steady = true;
    for (uint32_t slot = 0; steady && slot < world->particles.table.count; ++slot) {
        const sn_vec4 a = past->old_a[slot], f = past->old_f[slot];
        if (x[slot].w == 0)
            steady = past->old_d[slot].w == 0;
        else
            steady =
                past->old_d[slot].w == h && a.x == g.x && a.y == g.y && a.z == g.z && f.x == 0 && f.y == 0 && f.z == 0;
    }
    return steady;
}

/* The forces that act in a substep; NULL: none. */
static const sn_vec3 *forces_of(const sn_world *world)
{
    const sn_particle_store *p = &world->particles;
    return sn_forces_needed(world) ? p->f : world->state.forces_pending ? p->force : NULL;
}

sn_motion sn_motion_of(sn_world *world, const sn_integrator_method *integrator, sn_real h, bool still)
{
    const sn_settings *settings = &world->state.settings;
    const sn_particle_store *p = &world->particles;
    const double damping = still ? 0 : (double)settings->damping;
    return (sn_motion){.x = p->x,
                       .x_low = p->x_low,
                       .v = p->v,
                       .v_low = p->v_low,
                       .mark = p->mark,
                       .force = forces_of(world),
                       .gravity = settings->gravity,
                       .h = h,
                       .keep = (sn_real)math_exp(-damping * (double)h),
                       .lose = (sn_real)-math_expm1(-damping * (double)h),
                       .kick = integrator->kick * h,
                       .end_kick = (1 - integrator->kick) * h,
                       .rate = 1 / (integrator->step_factor * h),
                       .looks_back = integrator->looks_back,
                       .old_d = world->history.old_d,
                       .old_v = world->history.old_v,
                       .old_a = world->history.old_a,
                       .old_f = world->history.old_f,
                       .given = p->force};
}

static bool has_end(const sn_substep *s)
{
    return s->integrator->looks_back || s->integrator->kick != 1;
}

/* True if the end of a substep can be left to the next one, because nothing reads velocities in between. */
static bool may_defer_end(const sn_substep *s)
{
    const sn_world *world = s->world;
    return s->solver == &sn_solver_tiled && !s->motion.unsteady && !s->motion.force && !world->contacts.any &&
           !world->bodies.ids.live && !world->drag.acts && !s->step->careful;
}

static const sn_motion_table *table_of(const sn_substep *s)
{
    return s->motion.unsteady || !s->world->wide ? &sn_motion_scalar : s->world->wide->motion;
}

void sn_motion_begin(sn_substep *s)
{
    sn_world *world = s->world;
    const bool touches = world->contacts.any || world->bodies.ids.live || s->solver->after;
    s->motion = sn_motion_of(world, s->integrator, s->h, s->still);
    s->may_jump = s->integrator->looks_back && sn_past_may_jump(world);
    if (s->integrator->looks_back && !s->may_jump)
        world->state.contacts = 0;
    if (s->integrator->looks_back && !s->step->end_deferred)
        s->motion.unsteady = s->motion.force || !((s->step->steady && !touches) || is_steady(world, s->h));
    if (world->starts.any) {
        s->motion.start = world->particles.y;
        s->motion.start_low = world->particles.d;
    }
    s->table = table_of(s);
    s->defers_end = has_end(s) && may_defer_end(s);
    s->motion.ends_previous = s->step->end_deferred;
    s->step->end_deferred = false;
}

/* ---- The loops --------------------------------------------------------------------------------------------------- */

static sn_motion piece_of(const sn_substep *s, uint32_t first, uint32_t end)
{
    sn_motion motion = s->motion;
    motion.mark += first;
    motion.first = first;
    motion.count = end - first;
    return motion;
}

static void predict_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_substep *s = data;
    const sn_motion motion = piece_of(s, first, end);
    s->table->predict(&motion);
}

bool sn_motion_predict(sn_substep *s)
{
    return sn_parallel_for(&s->world->parallel, s->world->particles.table.count, predict_piece, s);
}

static void settle_piece(void *data, uint32_t first, uint32_t end)
{
    sn_substep *s = data;
    sn_motion motion = piece_of(s, first, end);
    if (!s->table->settle(&motion))
        atomic_store_explicit(&s->unsound, true, memory_order_relaxed);
}

bool sn_motion_settle(sn_substep *s)
{
    return sn_parallel_for(&s->world->parallel, s->world->particles.table.count, settle_piece, s);
}

static void end_piece(void *data, uint32_t first, uint32_t end)
{
    sn_substep *s = data;
    const sn_motion motion = piece_of(s, first, end);
    if (!s->table->end(&motion))
        atomic_store_explicit(&s->unsound, true, memory_order_relaxed);
}

bool sn_motion_end_deferred(sn_substep *s)
{
    s->motion.ends_previous = false;
    return sn_parallel_for(&s->world->parallel, s->world->particles.table.count, end_piece, s);
}

bool sn_motion_end(sn_substep *s)
{
    s->step->end_deferred = s->defers_end;
    s->step->steady = s->integrator->looks_back && !s->motion.force && !s->motion.jumps;
    return s->defers_end || !has_end(s) || sn_motion_end_deferred(s);
}

/* ---- Repeating a substep ----------------------------------------------------------------------------------------- */

bool sn_motion_reserve_redo(sn_world *world)
{
    return sn_table_reserve(&world->redo_table, &world->allocator, world->particles.table.count);
}

static void copy_start(sn_world *world, uint32_t first, uint32_t end, bool back)
{
    const sn_particle_store *p = &world->particles;
    sn_vec4 *const state[] = {p->x, p->x_low, p->v, p->v_low};
    for (uint32_t i = 0; i < 4; ++i) {
        sn_vec4 *kept = (sn_vec4 *)world->redo_table.column[i] + first;
        memcpy(back ? state[i] + first : kept, back ? kept : state[i] + first, (end - first) * sizeof *kept);
    }
}

static void keep_piece(void *data, uint32_t first, uint32_t end)
{
    copy_start(data, first, end, false);
}

static void put_back_piece(void *data, uint32_t first, uint32_t end)
{
    copy_start(data, first, end, true);
}

bool sn_motion_keep(sn_world *world)
{
    return sn_parallel_for(&world->parallel, world->particles.table.count, keep_piece, world);
}

bool sn_motion_put_back(sn_world *world)
{
    return sn_parallel_for(&world->parallel, world->particles.table.count, put_back_piece, world);
}

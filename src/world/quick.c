/* The usual step, in one go: symplectic Euler with SN_SOLVER_TILED, or with SN_SOLVER_DIRECT.

   step.c tells the step phase by phase: predict all particles, solve all constraints, check, update all velocities. Each
   phase goes over all memory once. Here a tile is predicted, solved and updated while it is in the cache, and only then
   comes the next; later layers take the particles as the earlier ones left them and add their pushes to the velocities.
   In exact numbers it is the same.

   The direct solver moves all particles at once. It needs no tiles, but takes the same short way: three loops, each of them
   wide, where step.c has seven.

   The state is overwritten on the way, so a copy is kept for a step that fails.

   Large tiles move places themselves instead of their remainders (x_low), where that is precise enough: it saves a fifth of
   the time. A correction is then rounded to the last place of x: to 6e-8 m at 1 m, which the velocity sees as 6e-8 m / h,
   4e-5 m/s at 1/600 s. Corrections that could be nothing but rounding are not made: in a sheet that falls freely all of
   them are, and they made it drift by 0.6 mm in a second. In substeps below SHORTEST_ALONE, or with a particle farther than
   FARTHEST_ALONE from the origin, it is not done.

   Bodies turn as turns.c has it, around all of this: they are predicted before the first tile, constraints move their turns as
   they move particles, and they are settled, and meet, when all passes are done. */
#include "solvers/tiled.h"
#include "world/substep.h"

#include "base/math.h"

#include <stdatomic.h>
#include <string.h>

/* Whether a kind says of its rows what they are, and they may be rates or have dampers; and there are constraints of it. */
static bool has_own_rows(const sn_pool *pool)
{
    return pool->kind.own_rows && pool->ids.live;
}

static bool has_dampers(const sn_pool *pool)
{
    bool any = false;
    for (uint32_t row = 0; pool->ids.live && !pool->kind.force && !any && row < pool->ids.table.count; ++row)
        any = sn_ids_is_live(&pool->ids, row) && pool->give[row].damping * pool->give[row].compliance != 0;
    return any;
}

/* Where no row asks what particles did since the start of the substep. */
static bool direct_can(const sn_world *world)
{
    bool can = !world->bodies.ids.live;
    for (uint32_t kind = 1; can && kind < world->constraints.kind_count; ++kind)
        can = !has_own_rows(world->constraints.pool[kind]) && !has_dampers(world->constraints.pool[kind]);
    return can;
}

/* Where all particles are centres of bodies there is nothing to be gained. */
static bool tiled_can(const sn_world *world)
{
    return !world->plan.damped && (!world->bodies.ids.live || world->bodies.ids.live < world->particles.table.count);
}

bool sn_quick_can(const sn_world *world, bool still)
{
    const sn_settings *settings = &world->state.settings;
    return world->wide && !still && settings->integrator == SN_INTEGRATOR_SYMPLECTIC_EULER &&
           settings->gradients == SN_GRADIENTS_CURRENT && !(settings->tolerance > 0) && settings->iterations > 0 &&
           !world->drag_table.count && !world->breaking.table.count &&
           (settings->solver == SN_SOLVER_TILED    ? tiled_can(world)
            : settings->solver == SN_SOLVER_DIRECT ? direct_can(world)
                                                   : false);
}

bool sn_quick_suits(sn_world *world)
{
    sn_solver_in in = sn_world_solver_input(world, 1);
    in.frame.x = world->particles.x;
    return world->state.settings.solver != SN_SOLVER_DIRECT || sn_direct_solves_all(&in);
}

/* The direct solver's marks lie in y. */
bool sn_quick_needs_work(const sn_world *world)
{
    return world->state.settings.solver == SN_SOLVER_DIRECT || sn_quick_looks_back(world);
}

bool sn_quick_looks_back(const sn_world *world)
{
    bool any = bodies_rows(&world->bodies) > 0;
    for (uint32_t kind = 1; !any && kind < world->constraints.kind_count; ++kind)
        any = has_own_rows(world->constraints.pool[kind]);
    return any;
}

#define SHORTEST_ALONE 1e-3f /* s */
#define FARTHEST_ALONE 16.0f /* m, by coordinate */

/* The length of a rod is wrong by up to 2 sqrt(3) halves of a last place because of where its ends were rounded to; a last place
   is up to 2^-23 of the coordinate. */
#define ROUNDING (4 * 0x1p-24f)

/* ---- The copy --------------------------------------------------------------------------------------------------------- */

typedef struct copying {
    sn_world *world;
    atomic_uint
        farthest; /* m, the bits of a float: the largest coordinate, without its sign. Bits of floats that are not
                             negative are in the order of the floats */
} copying;

static float farthest(copying *c)
{
    uint32_t bits = atomic_load_explicit(&c->farthest, memory_order_relaxed);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void copy_piece(void *data, uint32_t first, uint32_t end)
{
    copying *c = data;
    sn_world *world = c->world;
    sn_particle_store *p = &world->particles;
    float most = 0;
    const bool bodies = world->bodies.ids.live > 0;
    sn_undo_keep_piece(world, first, end);
    for (uint32_t slot = first; slot < end; ++slot) {
        if (bodies && p->body[slot]) /* how large tiles are moved is no matter of where bodies are */
            continue;
        float x = fabsf((float)p->x[slot].x), y = fabsf((float)p->x[slot].y), z = fabsf((float)p->x[slot].z);
        x = x > y ? x : y;
        x = x > z ? x : z;
        most = x > most ? x : most;
    }
    uint32_t bits, known = atomic_load_explicit(&c->farthest, memory_order_relaxed);
    memcpy(&bits, &most, sizeof bits);
    while (bits > known && !atomic_compare_exchange_weak_explicit(&c->farthest, &known, bits, memory_order_relaxed,
                                                                  memory_order_relaxed)) {
    }
}

/* What all particles share. */
static sn_wide_motion motion_of(sn_world *world, sn_real h)
{
    const sn_settings *settings = &world->state.settings;
    sn_particle_store *p = &world->particles;
    double damping = (double)settings->damping;
    const sn_vec3 *force = sn_forces_needed(world) ? p->f : world->state.forces_pending ? p->force : NULL;
    return (sn_wide_motion){.x = p->x,
                            .x_low = p->x_low,
                            .v = p->v,
                            .v_low = p->v_low,
                            .force = force,
                            .gravity = settings->gravity,
                            .h = (float)h,
                            .inverse_h = 1 / (float)h,
                            .keep = (float)math_exp(-damping * (double)h),
                            .lose = (float)-math_expm1(-damping * (double)h)};
}

/* Whether nothing but constraints looks at particles between the first substep and the last, so that tiles of planes can stay
   what they are. */
static bool is_undisturbed(const sn_world *world)
{
    return !sn_forces_needed(world) && !world->state.forces_pending && !world->target_table.count &&
           !world->contacts.any && world->meets.mover_table.count <= bodies_rows(&world->bodies);
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------------ */

/* Notes where the particles of constraints are whose rows look back. */
static void note_starts(sn_world *world)
{
    sn_particle_store *p = &world->particles;
    const sn_store *store = &world->constraints;
    for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
        const sn_pool *pool = store->pool[kind];
        for (uint32_t row = 0; has_own_rows(pool) && row < pool->ids.table.count; ++row) {
            uint32_t small[SN_MAX_BLOCK], count = 0;
            if (!sn_ids_is_live(&pool->ids, row))
                continue;
            const uint32_t *number = sn_store_particles(store, pool, row, small, &count);
            for (uint32_t i = 0; i < count; ++i) {
                uint32_t slot = world->ids.value[number[i]];
                p->y[slot] = p->x[slot];
                p->d[slot] = p->x_low[slot];
            }
        }
    }
}

/* What turns.c needs to know of the substep. */
static sn_substep turning(sn_world *world, sn_real h, uint32_t left)
{
    return (sn_substep){.world = world,
                        .integrator = &sn_integrator_symplectic_euler,
                        .solver = &sn_solver_tiled,
                        .substeps_left = left,
                        .motion = {.h = h, .force = sn_forces_needed(world) ? world->particles.f : NULL}};
}

/* Whether bodies begin to move well. Those that became faster than was thought look for particles where these no longer are, if
   tiles stay in planes: false then, too. */
static bool begin_bodies(sn_world *world, sn_substep *s, bool resident, sn_solver_out *out)
{
    if (sn_quick_looks_back(world))
        note_starts(world);
    if (!world->bodies.ids.live)
        return true;
    sn_stage_enter(world, SN_STAGE_PREDICT);
    sn_turns_predict(s);
    out->lost_tasks = !sn_meets_begin(world, s->motion.h);
    sn_turns_enter(world);
    return !out->lost_tasks && !(resident && world->contact.has_radii && world->meets.searches > 1);
}

static bool end_bodies(sn_world *world, sn_substep *s, sn_solver_out *out)
{
    if (!world->bodies.ids.live)
        return true;
    sn_stage_enter(world, SN_STAGE_VELOCITIES);
    sn_turns_leave(world);
    if (sn_turns_check(s) != SN_ID_FREE)
        return false;
    sn_turns_settle(s);
    out->lost_tasks = !sn_meets_pass(world, s->motion.h);
    return !out->lost_tasks;
}

/* Tiles look after their particles themselves; what comes to these afterwards is looked at here. */
static bool is_sound(sn_world *world)
{
    const char *what;
    uint32_t slot;
    if (world->contacts.any || world->target_table.count ||
        world->meets.mover_table.count > bodies_rows(&world->bodies))
        return !sn_undo_find(world, &slot, &what);
    return !sn_undo_find_body(world);
}

/* ---- A substep ---------------------------------------------------------------------------------------------------------- */

/* All particles by themselves: predicted, or settled. */
typedef struct alone {
    const sn_wide *wide;
    sn_wide_motion motion;
    sn_vec4 *mark;
    atomic_bool spoilt;
} alone;

static sn_wide_motion piece_of(const alone *a, uint32_t first, uint32_t end)
{
    sn_wide_motion motion = a->motion;
    motion.mark = a->mark + first;
    motion.first = first;
    motion.count = end - first;
    return motion;
}

static void predict_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_wide_motion motion = piece_of(data, first, end);
    ((alone *)data)->wide->predict(&motion);
}

static void settle_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_wide_motion motion = piece_of(data, first, end);
    if (!((alone *)data)->wide->settle(&motion))
        atomic_store_explicit(&((alone *)data)->spoilt, true, memory_order_relaxed);
}

static bool solve_directly(sn_world *world, const sn_solver_in *in, const sn_wide_motion *motion, sn_solver_out *out)
{
    alone a = {.wide = world->wide, .motion = *motion, .mark = world->particles.y};
    out->lost_tasks = !sn_parallel_for(in->parallel, in->particle_count, predict_piece, &a);
    if (out->lost_tasks)
        return false;
    *out = sn_solver_direct.solve(in);
    if (out->fault_kind || out->lost_tasks)
        return false;
    out->lost_tasks = !sn_parallel_for(in->parallel, in->particle_count, settle_piece, &a);
    return !out->lost_tasks && !a.spoilt;
}

/* One pass of the plan after the other; contact after each of them. */
static bool solve_in_tiles(sn_world *world, sn_tiled *t, uint32_t left, sn_solver_out *out)
{
    for (; !out->lost_tasks && t->pass < t->in->iterations; ++t->pass) {
        sn_real largest = 0;
        sn_stage_enter(world, SN_STAGE_CONSTRAINTS);
        t->enters = left == world->state.settings.substeps && t->pass == 0;
        t->leaves = left == 1 && t->pass + 1 == t->in->iterations;
        if (!sn_tiled_pass(t, out, &largest))
            return false;
        if (world->contacts.any)
            sn_targets_leave(world, t->in->h); /* contact asks how fast they are led */
        out->lost_tasks = !sn_contacts_pass(world, t->in->h, t->pass == 0);
    }
    return !out->lost_tasks;
}

/* resident: nobody disturbs tiles of planes. reach: the largest coordinate, m. */
static bool solve_tiled(sn_world *world, const sn_solver_in *in, const sn_wide_motion *motion, uint32_t left,
                        bool resident, float reach, sn_solver_out *out)
{
    sn_tiled t = {.in = in,
                  .wide = world->wide,
                  .keep_lambda = left == 1 || in->iterations > 1,
                  .motion = motion,
                  .mark = sn_tiled_marks(in),
                  .resident = resident,
                  .alone = (float)in->h >= SHORTEST_ALONE && reach <= FARTHEST_ALONE,
                  .least = ROUNDING * reach};
    world->state.passes += in->iterations;
    return solve_in_tiles(world, &t, left, out);
}

static bool solve_direct(sn_world *world, const sn_solver_in *in, const sn_wide_motion *motion, sn_solver_out *out)
{
    if (!solve_directly(world, in, motion, out))
        return false;
    world->state.passes += out->passes;
    if (world->contacts.any)
        sn_targets_leave(world, in->h);
    out->lost_tasks = !sn_contacts_pass(world, in->h, true);
    return !out->lost_tasks;
}

/* reach: the largest coordinate, m. False if it failed; out says whether because of lost tasks. */
static bool take_substep(sn_world *world, sn_real h, uint32_t left, float reach, sn_solver_out *out)
{
    const uint32_t substeps = world->state.settings.substeps;
    sn_solver_in in = sn_world_solver_input(world, h);
    sn_wide_motion motion = motion_of(world, h);
    in.frame.x = world->particles.x;
    in.frame.d = world->particles.x_low;
    in.frame.start = world->particles.y; /* where some row looks back, as is x_low there */
    in.frame.x_low = world->particles.d;
    sn_substep turns = turning(world, h, left);
    sn_turns_lay_out(world);
    if (sn_forces_needed(world) && !sn_forces_gather(&turns)) {
        out->lost_tasks = true;
        return false;
    }
    const bool resident = is_undisturbed(world);
    out->lost_tasks = !sn_contacts_begin(world, substeps - left, substeps, h);
    if (out->lost_tasks || !begin_bodies(world, &turns, resident, out))
        return false;
    sn_stage_enter(world, SN_STAGE_CONSTRAINTS);
    sn_targets_lead(world, left);
    if (!(in.settings->solver == SN_SOLVER_DIRECT ? solve_direct(world, &in, &motion, out)
                                                  : solve_tiled(world, &in, &motion, left, resident, reach, out)))
        return false;
    if (!sn_contacts_end(world, h)) {
        out->lost_tasks = true;
        return false;
    }
    sn_targets_leave(world, h);
    if (!end_bodies(world, &turns, out))
        return false;
    sn_stage_enter(world, SN_STAGE_VELOCITIES);
    sn_store_settle(&world->constraints, h, world->dimensions == 2);
    return is_sound(world);
}

sn_result sn_quick_substeps(sn_world *world, sn_real dt, bool *again)
{
    uint32_t substeps = world->state.settings.substeps;
    sn_real h = dt / (sn_real)substeps;
    double start = world->state.time;
    sn_solver_out out = {0};
    copying c = {.world = world};
    sn_undo_keep_rest(world);
    if (!sn_parallel_for(&world->parallel, world->particles.table.count, copy_piece, &c)) {
        sn_parallel_repair(&world->parallel);
        out.lost_tasks = true;
    }
    for (uint32_t i = 0; !out.lost_tasks && i < substeps; ++i) {
        if (sn_world_is_cancelled(world))
            return SN_CANCELLED;
        if (!take_substep(world, h, substeps - i, farthest(&c), &out)) {
            sn_undo_put_back(world);
            *again = !out.lost_tasks;
            break;
        }
        world->state.time = start + (double)dt * (i + 1) / substeps;
    }
    if (out.lost_tasks && world->contacts.failed != SN_OK)
        return world->contacts.failed;
    if (out.lost_tasks)
        return world_fail(world, SN_ERROR_HOST, "at %g s the task hook did not run all tasks of a loop", start);
    if (!*again)
        world->state.h = h;
    return SN_OK;
}

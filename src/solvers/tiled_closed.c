/* Closed surfaces with preloads, such as balloons: substeps of their own.

   The skin of a balloon pulls across its rods at full strength, and pressure balances it: preloads (preload.h) are as
   large as the whole force. A transverse wave in such a skin moves at sqrt(T l / m). A preload T follows it while

       theta = w T h^2 / l

   is well below 1, with w the sum of the inverse masses of a rod's ends. Finer meshes and longer steps have a larger
   theta. Bounding the preload instead leaves a balloon with only a part of its pressure: a sixth of it, for 642
   particles at 1/30 s. So bodies with such surfaces take k shorter substeps of h / k in place of one, where k is the
   least for which theta / k^2 is at most SN_CLOSED_MOST. Forces and damping act in the first of them, over the whole of
   h. Velocities are those of the last one. Nothing else in the world is solved more often, and contact comes once,
   after them: see Tuckerman, Berne and Martyna, "Reversible multiple time scale molecular dynamics", 1992.

   Volumes are loaded before rods. If rods came first, their preload would pull the skin inward by p h^2 / (mass by
   area). The volume would then act on too small an area, and the pressure came out 9 % too high. Inflating a ball first
   does not change the directions of its rods. */
#include "solvers/tiled_work.h"

#include <math.h>

/* ---- Which bodies ------------------------------------------------------------------------------------------------ */

/* The first tile of the body of a particle; SN_PLAN_NONE: it is in no tile. */
static uint32_t body_of(const sn_plan *plan, uint32_t slot)
{
    return slot < plan->particles ? plan->tile[sn_plan_owner(plan, slot)].body : SN_PLAN_NONE;
}

/* Marks the bodies of the particles of some constraints. Closed surfaces make them fit. Then every other constraint
   that is in no layer makes them unfit. */
static void mark_visits(const sn_solver_in *in, bool *fit, const sn_visit *visit, uint32_t count, bool surfaces)
{
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t small[SN_MAX_BLOCK], particles;
        if (!visit[i].kind || (visit[i].kind == SN_KIND_SURFACE_VOLUME) != surfaces)
            continue;
        const uint32_t *number =
            sn_store_particles(in->store, in->store->pool[visit[i].kind], visit[i].row, small, &particles);
        for (uint32_t k = 0; k < particles; ++k) {
            const uint32_t body = body_of(in->plan, in->frame.slot[number[k]]);
            if (body != SN_PLAN_NONE)
                fit[body] = surfaces;
        }
    }
}

static void find_fit(const sn_solver_in *in, bool *fit)
{
    const sn_plan *plan = in->plan;
    mark_visits(in, fit, plan->many, plan->many_table.count, true);
    mark_visits(in, fit, plan->many, plan->many_table.count, false);
    mark_visits(in, fit, plan->hub, plan->hub_table.count, false);
    mark_visits(in, fit, plan->extra, plan->extra_table.count, false);
    mark_visits(in, fit, plan->tree, plan->tree_table.count, false);
}

bool sn_closed_reserve(tiled *t, const sn_allocator *allocator, const sn_solver_in *in)
{
    const sn_plan *plan = in->plan;
    bool any = false;
    if (t->closed_serial == plan->serial)
        return true;
    t->closed_serial = 0;
    for (uint32_t i = 0; !any && i < plan->many_table.count; ++i)
        any = plan->many[i].kind == SN_KIND_SURFACE_VOLUME;
    if (!sn_table_reserve(&t->fit_table, allocator, any ? plan->tile_table.count : 0) ||
        !sn_table_reserve(&t->closed_table, allocator, any ? plan->tile_table.count : 0) ||
        !sn_table_reserve(&t->volume_table, allocator, any ? plan->many_table.count : 0) ||
        !sn_table_reserve(&t->start_table, allocator, any ? in->particle_count : 0))
        return false;
    t->any_fit = any;
    if (any) {
        memset(t->fit_table.column[0], 0, plan->tile_table.count * sizeof(bool));
        find_fit(in, t->fit_table.column[0]);
    }
    t->closed_serial = plan->serial;
    return true;
}

/* Whether all constraints of a tile can be solved in substeps of their own. */
static bool is_fit(const sn_solver_in *in, const sn_tile *tile)
{
    const sn_plan *plan = in->plan;
    bool fit = true;
    for (uint32_t r = tile->run; fit && r < tile->run + tile->runs; ++r) {
        const sn_plan_run *run = &plan->run[r];
        fit = !(plan->feature[r] & SN_RUN_SETTLES) && !run->bodies;
        for (uint32_t i = run->visit; fit && !run->batches && i < run->visit + run->visits; ++i)
            fit = !plan->visit[i].kind || sn_preload_takes(in->store, plan->visit[i].kind, plan->visit[i].row);
    }
    return fit;
}

/* The largest theta of a tile's rods. */
static float theta_of(const sn_solver_in *in, const sn_tile *tile)
{
    const sn_plan *plan = in->plan;
    sn_real largest = 0;
    for (uint32_t r = tile->run; r < tile->run + tile->runs; ++r) {
        const sn_plan_run *run = &plan->run[r];
        const sn_pool *pool = in->store->pool[run->kind];
        const bool rods = (run->kind == SN_KIND_DISTANCE || run->kind == SN_KIND_DISTANCE_MAX) && !run->corners;
        for (uint32_t i = run->batch * SN_BATCH; rods && i < (run->batch + run->batches) * SN_BATCH; ++i) {
            const uint32_t row = plan->row[i], *point = pool->point + 2 * (size_t)row;
            if (!(plan->mask[i / SN_BATCH] >> i % SN_BATCH & 1))
                continue;
            const sn_real w = in->frame.x[in->frame.slot[point[0]]].w + in->frame.x[in->frame.slot[point[1]]].w;
            const sn_real pull = w * pool->preload[row], rest = pool->param[(size_t)row * pool->param_count];
            const sn_real size = pull < 0 ? -pull : pull;
            largest = size > largest * rest ? size / rest : largest;
        }
    }
    const sn_real h = in->h / (sn_real)in->settings->substeps; /* `in` is the input of the step */
    return (float)(largest * h * h);
}

/* The number of substeps for this theta. */
static uint32_t substeps_for(float theta)
{
    const float least = sqrtf(theta / SN_CLOSED_MOST);
    return least <= 1 ? 1 : least < SN_CLOSED_FINEST ? (uint32_t)ceilf(least) : SN_CLOSED_FINEST;
}

/* Chooses the bodies that have substeps of their own, and how many. */
static void choose(tiled *t, const sn_solver_in *in, tile_state *state)
{
    const sn_plan *plan = in->plan;
    const bool *fit = t->fit_table.column[0];
    for (uint32_t i = 0; i < plan->tile_table.count; ++i) {
        tile_state *body = &state[plan->tile[i].body];
        if (!fit[plan->tile[i].body])
            continue;
        const float theta = theta_of(in, &plan->tile[i]);
        body->unfit = body->unfit || body->stiff || !is_fit(in, &plan->tile[i]);
        body->theta = theta > body->theta ? theta : body->theta;
    }
    for (uint32_t i = 0; i < plan->tile_table.count; ++i) {
        const tile_state *body = &state[plan->tile[i].body];
        if (fit[plan->tile[i].body] && !body->unfit) {
            state[i].finer = (uint8_t)substeps_for(body->theta);
            state[i].watched = true;
        }
    }
}

bool sn_closed_begin(tiled *t, const sn_solver_in *in)
{
    const sn_plan *plan = in->plan;
    const sn_integrator_method *integrator = sn_integrators[in->settings->integrator];
    tile_state *state = t->state_table.column[0];
    uint8_t *volume = t->volume_table.column[0];
    uint32_t *list = t->closed_table.column[0];
    t->closed_table.count = 0;
    if (!t->any_fit || !(in->preload_share > 0) || integrator->kick != 1 || integrator->looks_back)
        return false;
    choose(t, in, state);
    for (uint32_t k = 1; k <= SN_CLOSED_FINEST; ++k) {
        t->closed_first[k] = t->closed_table.count;
        for (uint32_t i = 0; i < plan->tile_table.count; ++i)
            if (state[i].finer == k)
                list[t->closed_table.count++] = i;
    }
    t->closed_first[SN_CLOSED_FINEST + 1] = t->closed_table.count;
    for (uint32_t i = 0; i < plan->many_table.count; ++i) {
        uint32_t small[SN_MAX_BLOCK], particles;
        const sn_visit visit = plan->many[i];
        volume[i] = 0;
        if (visit.kind != SN_KIND_SURFACE_VOLUME)
            continue;
        const uint32_t *number =
            sn_store_particles(in->store, in->store->pool[visit.kind], visit.row, small, &particles);
        const uint32_t body = body_of(plan, in->frame.slot[number[0]]);
        volume[i] = body == SN_PLAN_NONE ? 0 : state[body].finer;
    }
    return t->closed_table.count > 0;
}

/* ---- The substeps ------------------------------------------------------------------------------------------------ */

/* What move_tile does with a tile of the first layer. */
typedef enum closed_move { CLOSED_PREDICT, CLOSED_SETTLE, CLOSED_NOTE } closed_move;

typedef struct closed_moves {
    const layer *l;
    const uint32_t *list;
    closed_move move;
    atomic_bool failed;
} closed_moves;

static void move_tile(void *data, uint32_t index, uint32_t worker)
{
    closed_moves *m = data;
    const sn_motion_table *table = m->l->t->table;
    const sn_motion motion = sn_tiled_motion(m->l, &m->l->plan->tile[m->list[index]]);
    (void)worker;
    if (m->move == CLOSED_NOTE)
        table->note(&motion);
    else if (!(m->move == CLOSED_PREDICT ? table->predict : table->settle)(&motion))
        atomic_store_explicit(&m->failed, true, memory_order_relaxed);
}

/* The bodies with the same number of substeps. */
typedef struct closed_step {
    sn_tiled t;
    sn_solver_in in;
    sn_motion motion;
    const tiled *scratch;
    const uint32_t *list;  /* of tiles */
    uint32_t count;        /* of these */
    sn_parallel *parallel; /* NULL: one thread is enough */
    sn_solver_out *out;
    sn_real *largest;
} closed_step;

/* The number of tiles in the list, from `first` on, that are in one layer. *index becomes this layer. */
static uint32_t count_layer(const closed_step *c, uint32_t first, uint32_t *index)
{
    const uint32_t *starts = c->in.plan->layer;
    uint32_t end = first;
    while (c->list[first] >= starts[*index + 1])
        ++*index;
    while (end < c->count && c->list[end] < starts[*index + 1])
        ++end;
    return end - first;
}

static bool move_all(const closed_step *c, const sn_tiled *t, closed_move move)
{
    const layer l = {.t = t, .scratch = c->scratch, .plan = c->in.plan, .is_first = true};
    uint32_t index = 0;
    closed_moves m = {.l = &l, .list = c->list, .move = move};
    const bool done = sn_parallel_tasks(c->parallel, count_layer(c, 0, &index), move_tile, &m);
    c->out->lost_tasks = c->out->lost_tasks || !done;
    return done && !m.failed;
}

static bool run_layers(const closed_step *c)
{
    bool good = true;
    for (uint32_t i = 0, index = 0, count; good && i < c->count; i += count) {
        count = count_layer(c, i, &index);
        good = sn_tiled_run_list(&c->t, index, c->list + i, count, c->parallel, c->out, c->largest);
    }
    return good;
}

static bool is_volume(const closed_step *c, uint32_t place)
{
    return !tiled_leaves_out(&c->t, place);
}

/* Applies the preloads of the volumes, before anything is settled. */
static bool load_volumes(const closed_step *c)
{
    const sn_plan *plan = c->in.plan;
    bool good = true;
    for (uint32_t i = 0; good && i < plan->many_table.count; ++i)
        good = !is_volume(c, i) || sn_preload_one(&c->in, plan->many[i].kind, plan->many[i].row, SN_PRELOAD_MOST);
    return good;
}

static bool make_substep(closed_step *c)
{
    c->t.pass = 0;
    bool good = move_all(c, &c->t, CLOSED_PREDICT);
    sn_tiled_note_spins(&c->t);
    good = good && load_volumes(c) && run_layers(c);
    c->t.pass = 1;
    return good && run_layers(c) && move_all(c, &c->t, CLOSED_SETTLE) &&
           sn_tiled_project_many(&c->t, c->out, c->largest) && sn_tiled_keep_spins(&c->t);
}

/* Swaps the starts of the world's substep, which contact needs afterwards, with those of the short substep, which
   dampers need. */
static void swap_starts(const closed_step *c)
{
    const sn_plan *plan = c->in.plan;
    const tile_state *state = c->scratch->state_table.column[0];
    sn_vec4 *kept = c->scratch->start_table.column[0], *low = c->scratch->start_table.column[1];
    for (uint32_t i = 0; i < c->count && c->list[i] < plan->layer[1]; ++i) {
        const sn_tile *tile = &plan->tile[c->list[i]];
        for (uint32_t k = tile->first; state[c->list[i]].asks && k < tile->first + tile->count; ++k) {
            const sn_vec4 start = c->motion.start[k], start_low = c->motion.start_low[k];
            c->motion.start[k] = kept[k];
            c->motion.start_low[k] = low[k];
            kept[k] = start;
            low[k] = start_low;
        }
    }
}

static void lengthen_run(const closed_step *c, const sn_plan_run *run, sn_real by)
{
    const sn_plan *plan = c->in.plan;
    const sn_pool *pool = c->in.store->pool[run->kind];
    const uint32_t rows = pool->kind->rows;
    if (run->batches && !sn_tiled_keeps_lambda(&c->t, run))
        return;
    for (uint32_t k = run->batch * SN_BATCH; k < (run->batch + run->batches) * SN_BATCH; ++k)
        for (uint32_t m = 0; m < rows && plan->mask[k / SN_BATCH] >> k % SN_BATCH & 1; ++m)
            pool->lambda[(size_t)plan->row[k] * rows + m] *= by;
    for (uint32_t k = run->visit; !run->batches && k < run->visit + run->visits; ++k)
        if (plan->visit[k].kind)
            c->in.store->pool[plan->visit[k].kind]->lambda[plan->visit[k].row] *= by;
}

/* Scales the multipliers of short substeps to those of one substep of length h with the same forces. */
static void lengthen(const closed_step *c, sn_real by)
{
    const sn_plan *plan = c->in.plan;
    for (uint32_t i = 0; i < c->count; ++i) {
        const sn_tile *tile = &plan->tile[c->list[i]];
        for (uint32_t r = tile->run; r < tile->run + tile->runs; ++r)
            lengthen_run(c, &plan->run[r], by);
    }
    for (uint32_t i = 0; i < plan->many_table.count; ++i)
        if (is_volume(c, i))
            c->in.store->pool[plan->many[i].kind]->lambda[plan->many[i].row] *= by;
}

/* Removes forces and damping, which have acted in the first substep. */
static void end_forces(sn_motion *motion)
{
    motion->gravity = (sn_vec3){0, 0, 0};
    motion->force = motion->given = NULL;
    motion->keep = 1;
    motion->lose = motion->kick = 0;
    motion->ends_previous = false;
}

static bool make_substeps(closed_step *c, const sn_tiled *t, uint32_t substeps)
{
    const sn_real k = (sn_real)substeps;
    c->t.in = &c->in;
    c->t.motion = &c->motion;
    c->t.inner = substeps;
    c->t.predicts = c->t.measures = false;
    c->in.h /= k;
    c->in.frame.h /= k;
    c->in.preload_share /= (float)k;
    c->motion.h /= k;
    c->motion.rate *= k;
    c->parallel = sn_tiled_shares_list(t, c->list, c->count);
    bool good = make_substep(c);
    if (good && substeps > 1) {
        swap_starts(c);
        end_forces(&c->motion);
        c->in.last_h = c->in.h;
        for (uint32_t i = 1; good && i < substeps; ++i)
            good = make_substep(c);
        swap_starts(c);
    }
    if (good)
        lengthen(c, k * k);
    return good && move_all(c, t, CLOSED_NOTE);
}

bool sn_tiled_solve_closed(const sn_tiled *t, sn_solver_out *out, sn_real *largest)
{
    const tiled *scratch = t->in->scratch->tiled;
    bool good = true;
    if (!tiled_loads(t) || !scratch->any_closed)
        return true;
    for (uint32_t k = 1; good && k <= SN_CLOSED_FINEST; ++k) {
        const uint32_t first = scratch->closed_first[k], count = scratch->closed_first[k + 1] - first;
        closed_step c = {.t = *t,
                         .in = *t->in,
                         .motion = *t->motion,
                         .scratch = scratch,
                         .list = (const uint32_t *)scratch->closed_table.column[0] + first,
                         .count = count,
                         .out = out,
                         .largest = largest};
        good = !count || make_substeps(&c, t, k);
    }
    return good;
}

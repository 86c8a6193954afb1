/* Finds the state of tiles once a step, before its first substep: see tile_state. */
#include "solvers/tiled_work.h"

typedef struct looking {
    const sn_solver_in *in;
    const sn_tiled_others *others;
    tile_state *state;
} looking;

static float reach_of(const sn_vec4 *x)
{
    float a = fabsf((float)x->x), b = fabsf((float)x->y), c = fabsf((float)x->z);
    a = a > b ? a : b;
    return a > c ? a : c;
}

/* Whether a column is not 0 for some particle of a tile of the first layer. */
static bool is_any_set(const uint32_t *column, const sn_tile *tile)
{
    bool any = false;
    for (uint32_t i = 0; column && !any && i < tile->count; ++i)
        any = column[tile->first + i] != 0;
    return any;
}

static bool is_any_pushed(const sn_vec3 *force, const sn_tile *tile)
{
    bool any = false;
    for (uint32_t i = 0; force && !any && i < tile->count; ++i) {
        const sn_vec3 f = force[tile->first + i];
        any = f.x != 0 || f.y != 0 || f.z != 0;
    }
    return any;
}

static bool is_any_asked(const bool *asks, const sn_tile *tile)
{
    return asks && memchr(asks + tile->first, true, tile->count);
}

/* Whether nothing of a tile moves in the step. */
static bool is_still(const looking *l, const sn_tile *tile, const tile_state *state)
{
    const sn_vec4 *x = l->in->frame.x + tile->first, *v = l->others->v + tile->first,
                  *low = l->others->v_low + tile->first;
    if (tile->first < l->in->plan->loose || state->watched || state->kinematic || state->pushed)
        return false;
    for (uint32_t i = 0; i < tile->count; ++i)
        if (x[i].w != 0 || v[i].x != 0 || v[i].y != 0 || v[i].z != 0 || low[i].x != 0 || low[i].y != 0 || low[i].z != 0)
            return false;
    return true;
}

static void look_at_tile(void *data, uint32_t index, uint32_t worker)
{
    const looking *l = data;
    const sn_plan *plan = l->in->plan;
    const sn_tile *tile = &plan->tile[index];
    if (l->others->keep)
        l->others->keep(l->others->world, tile->first, tile->first + tile->count);
    tile_state state = {.nearest = INFINITY,
                        .watched = is_any_set(l->others->body, tile),
                        .kinematic = is_any_set(l->others->target, tile),
                        .pushed = is_any_pushed(l->others->pushed, tile),
                        .asks = is_any_asked(l->in->asks, tile)};
    (void)worker;
    /* the start of the substep and the history of BDF2 of kinematic particles are noted in storage */
    state.watched = state.watched || (state.kinematic && (state.asks || l->in->frame.old_d));
    state.still = is_still(l, tile, &state);
    for (uint32_t i = 0; tile->large && i < tile->count; ++i) {
        const sn_vec4 *x = &l->in->frame.x[tile->first + i];
        float reach = reach_of(x);
        state.reach = reach > state.reach ? reach : state.reach;
        state.held = state.held || x->w == 0;
    }
    l->state[index] = state;
    const sn_hierarchy *h = &((const tiled *)l->in->scratch->tiled)->hierarchy;
    if (h->mesh_table.count)
        sn_hierarchy_look(h, l->in, index);
}

/* If one tile of a body is held, all are. Tiles of later layers get the reach of the body: they are coarse only if all
   tiles whose particles they move are. */
static void join_states(const sn_plan *plan, tile_state *state)
{
    for (uint32_t i = 0; i < plan->layer[1]; ++i) {
        tile_state *body = &state[plan->tile[i].body];
        body->held = body->held || (plan->tile[i].large && state[i].held);
        body->farthest = state[i].reach > body->farthest ? state[i].reach : body->farthest;
        body->nearest = state[i].reach < body->nearest ? state[i].reach : body->nearest;
    }
    for (uint32_t i = 0; i < plan->tile_table.count; ++i) {
        const tile_state *body = &state[plan->tile[i].body];
        state[i].held = body->held;
        if (i < plan->layer[1] || !plan->tile[i].large)
            continue;
        state[i].reach = body->farthest;
        state[i].mixed = body->farthest > FARTHEST_COARSE && body->nearest <= FARTHEST_COARSE;
    }
}

static bool has_preloads(const sn_plan *plan, const sn_tile *tile)
{
    bool any = false;
    for (uint32_t r = tile->run; !any && r < tile->run + tile->runs; ++r)
        any = !plan->run[r].batches || sn_preload_has(plan->run[r].kind); /* single constraints are checked later */
    return any;
}

static uint32_t rods_of(const sn_plan *plan, const sn_tile *tile)
{
    uint32_t rods = 0;
    for (uint32_t r = tile->run; r < tile->run + tile->runs; ++r) {
        const sn_plan_run *run = &plan->run[r];
        const bool are_rods = run->kind == SN_KIND_DISTANCE || run->kind == SN_KIND_DISTANCE_MAX;
        for (uint32_t b = run->batch; are_rods && b < run->batch + run->batches; ++b) {
            const uint32_t all = (1u << SN_BATCH) - 1, mask = plan->mask[b];
            rods += mask == all ? SN_BATCH : 0; /* the most frequent case */
            for (uint32_t left = mask == all ? 0 : mask; left; left &= left - 1)
                rods++;
        }
    }
    return rods;
}

/* A sheet has at most four rods for each particle, or six with rods against bending. A solid has five or more. */
#define SOLID_RODS(particles) (4 * (particles) + (particles) / 4)

/* Gives preloads to the constraints of bodies without limits. */
static bool look_for_preloads(const sn_solver_in *in, const sn_hierarchy *h, tile_state *state)
{
    const sn_plan *plan = in->plan;
    bool any = false;
    if (!(in->preload_share > 0))
        return false;
    for (uint32_t i = 0; h->mesh_table.count && i < plan->layer[1]; ++i)
        if (h->part_of[i] < h->part_of[i + 1])
            state[plan->tile[i].body].stiff = true;
    for (uint32_t i = 0; i < plan->tile_table.count; ++i) {
        tile_state *body = &state[plan->tile[i].body];
        body->rods += body->stiff ? 0 : rods_of(plan, &plan->tile[i]);
        body->particles += i < plan->layer[1] ? plan->tile[i].count : 0;
    }
    for (uint32_t i = 0; i < plan->tile_table.count; ++i) {
        const tile_state *body = &state[plan->tile[i].body];
        const float most = body->rods > SOLID_RODS(body->particles) ? SN_PRELOAD_SOLID : SN_PRELOAD_MOST;
        state[i].preload_most = !body->stiff && has_preloads(plan, &plan->tile[i]) ? most : 0;
        any = any || state[i].preload_most > 0;
    }
    return any;
}

/* Marks the bodies of solids that act in this step. Their tiles are watched: the lattice reads particles between
   passes. */
static bool look_for_solids(const sn_solver_in *in, sn_solids *solids, tile_state *state)
{
    const sn_plan *plan = in->plan;
    if (!sn_solids_begin(solids, in))
        return false;
    for (uint32_t i = 0; i < solids->count; ++i)
        if (solids->solid[i].acts)
            state[solids->solid[i].body].soft = true;
    for (uint32_t i = 0; i < plan->tile_table.count; ++i) {
        state[i].solid = solids->waits[plan->tile[i].body];
        state[i].watched = state[i].watched || state[plan->tile[i].body].soft;
        if (state[i].solid && has_preloads(plan, &plan->tile[i]))
            state[i].preload_most = SN_SOFT_MOST;
    }
    return true;
}

/* Tiles of plates are watched, so that plates find their particles in storage. */
static void look_for_plates(const sn_solver_in *in, sn_plates *plates, tile_state *state)
{
    const sn_plan *plan = in->plan;
    if (!sn_plates_begin(plates, in))
        return;
    for (uint32_t i = 0; i < plates->count; ++i)
        if (plates->plate[i].acts)
            state[plates->plate[i].body].bends = true;
    for (uint32_t i = 0; i < plan->tile_table.count; ++i)
        state[i].watched = state[i].watched || state[plan->tile[i].body].bends;
}

bool sn_tiled_begin(const sn_solver_in *in, const sn_tiled_others *others)
{
    if (others->keep)
        others->keep(others->world, in->plan->particles, in->particle_count); /* particles in no tile */
    tiled *scratch = in->scratch->tiled;
    sn_plan_correct_stiffness(in->plan, in->store, in->stiffness_root);
    if (in->wide && in->plan->any_watched)
        sn_lambda_watch_anew(scratch, in->plan);
    scratch->forest.fresh = false; /* sleeping and kinematic particles may have changed */
    sn_forest_prepare(&scratch->forest, in->store, &in->frame);
    sn_loops_begin(&scratch->loops, &scratch->forest, &in->frame);
    looking l = {in, others, scratch->state_table.column[0]};
    const uint32_t tiles = in->plan->layer[1], all = in->plan->tile_table.count;
    bool share = sn_parallel_wants(in->parallel, 2 * WORK_OF_PARTICLE * in->particle_count);
    if (!sn_parallel_tasks(share ? in->parallel : NULL, tiles, look_at_tile, &l)) {
        sn_parallel_repair(in->parallel); /* calls `keep` for the rest, too */
        return false;
    }
    for (uint32_t i = tiles; i < all; ++i)
        l.state[i] = (tile_state){0};
    join_states(in->plan, l.state);
    sn_hierarchy_begin(&scratch->hierarchy, in);
    scratch->any_preloads = look_for_preloads(in, &scratch->hierarchy, l.state);
    scratch->any_closed = sn_closed_begin(scratch, in);
    scratch->read = in->plan->makes;
    scratch->any_solids = look_for_solids(in, &scratch->solids, l.state);
    look_for_plates(in, &scratch->plates, l.state);
    scratch->any_preloads = scratch->any_preloads || scratch->any_solids || scratch->plates.any;
    scratch->any_watched = scratch->marked = false;
    for (uint32_t i = 0; i < tiles; ++i)
        scratch->any_watched = scratch->any_watched || l.state[i].watched;
    const bool lost = scratch->hierarchy.lost;
    scratch->hierarchy.lost = false;
    return !lost;
}

bool sn_tiled_preloads_at(const sn_solver_scratch *scratch, const sn_plan *plan, uint32_t slot)
{
    if (!plan->layer[1])
        return false;
    const uint32_t owner = sn_plan_owner(plan, slot);
    const tiled *t = scratch->tiled;
    return slot - plan->tile[owner].first < plan->tile[owner].count &&
           ((const tile_state *)t->state_table.column[0])[owner].preload_most > 0;
}

void sn_tiled_tell_meshes(const sn_solver_scratch *scratch, char *text, size_t size)
{
    text[0] = 0;
    if (scratch->tiled) {
        const tiled *t = scratch->tiled;
        uint32_t particles;
        const uint32_t solids = sn_solids_count(&t->solids, &particles);
        sn_hierarchy_tell(&t->hierarchy, solids, particles, text, size);
        sn_plates_tell(&t->plates, text, size);
    }
}

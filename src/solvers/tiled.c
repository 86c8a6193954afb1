/* Gauss-Seidel in the order of the plan: tile by tile, sixteen constraints at a time, on all cores.

   A pass runs layer after layer, and then the constraints that are in no layer. A tile of the first layer predicts its
   particles and moves them. Tiles of later layers only move positions. The velocity of a particle is settled by its
   tile of the first layer, once in a pass, after all layers have moved the particle. Where nothing reads velocities in
   between, this is delayed to the next predict, in the same registers. So only one column of positions travels between
   the caches of cores, and velocities stay where they are. The time of settling does not change a bit of the result.

   A constraint outside the layers settles its particles at once. So these are settled before it. */
#include "solvers/tiled_work.h"

#include "solvers/direct.h"
#include "solvers/hubs.h"
#include "solvers/row.h"

/* A tile that is being solved. */
typedef struct tile_pass {
    uint32_t worker;
    sn_vec4 *copy;           /* of a copied tile: its positions, followed by their remainders; otherwise NULL */
    sn_sweep *sweep;         /* for constraints that are projected one by one */
    float least;             /* m: smaller corrections are not made, where the tile is coarse */
    float largest[SN_BATCH]; /* m, by lane: the largest correction of batches, if measured */
    sn_real off_from;        /* rods that are off by more than this share are marked */
    uint32_t noted;          /* number of marked rods */
    bool waits;              /* particles are only predicted: stresses of solids come next */
} tile_pass;

/* ns of a constraint, about: to decide whether to use threads */
#define WORK_OF_CONSTRAINT 2.0

/* ---- Single constraints ------------------------------------------------------------------------------------------ */

/* The slots of a constraint's particles, each once. */
uint32_t sn_tiled_slots(const sn_solver_in *in, sn_visit visit, uint32_t *list)
{
    uint32_t small[SN_MAX_BLOCK], count;
    const sn_pool *pool = in->store->pool[visit.kind];
    const uint32_t *point = pool->point + 2 * (size_t)visit.row;
    if (pool->kind->points == 2 && !((point[0] | point[1]) & SN_ANCHOR_BIT)) { /* the most frequent case: rods */
        list[0] = in->frame.slot[point[0]];
        list[1] = in->frame.slot[point[1]];
        return list[0] == list[1] ? 1 : 2;
    }
    const uint32_t *number = sn_store_particles(in->store, pool, visit.row, small, &count);
    for (uint32_t i = 0; i < count; ++i)
        list[i] = in->frame.slot[number[i]];
    return pool_has_lists(pool) ? count : sn_plan_once(list, count);
}

bool sn_tiled_project(const sn_tiled *t, sn_sweep *sweep, uint32_t kind, uint32_t row)
{
    const bool preloaded = sweep->preload_most > 0 && sn_preload_takes(t->in->store, kind, row);
    if (tiled_loads(t))
        return !preloaded || sn_preload_one(t->in, kind, row, sweep->preload_most);
    if (tiled_starts(t) && !preloaded)
        sn_tiled_clear_lambda(t->in->store->pool[kind], row);
    return sn_sweep_project(sweep, kind, row);
}

/* By batch: the lanes with a constraint to be swept. Hinges of plates are not swept. */
static const uint16_t *mask_of(const sn_tiled *t)
{
    const sn_plates *plates = &((const tiled *)t->in->scratch->tiled)->plates;
    return plates->any ? plates->mask : t->in->plan->mask;
}

static bool is_solved(const sn_tiled *t, const sn_plan_run *run)
{
    const sn_plates *plates = &((const tiled *)t->in->scratch->tiled)->plates;
    return plates->any && plates->solved[run - t->in->plan->run];
}

/* Projects the constraints of a run of batches one by one. They share no particle, so the order does not matter. */
static bool project_batches(const sn_tiled *t, tile_pass *p, const sn_plan_run *run)
{
    const sn_plan *plan = t->in->plan;
    const bool notes = !tiled_loads(t) && sn_tiled_far_off(t, run);
    for (uint32_t b = run->batch; b < run->batch + run->batches; ++b)
        for (uint32_t lane = 0; lane < SN_BATCH; ++lane) {
            const uint32_t row = plan->row[b * SN_BATCH + lane];
            if (!(mask_of(t)[b] >> lane & 1))
                continue;
            if (notes)
                p->noted += sn_tiled_note_off(t, b, lane, run->kind, row, p->off_from);
            if (!sn_tiled_project(t, p->sweep, run->kind, row))
                return false;
        }
    return true;
}

/* ---- How positions are rounded ----------------------------------------------------------------------------------- */

/* Large tiles are *coarse* where that is precise enough: they move rounded positions instead of their remainders
   (x_low). This saves a fifth of the time. A correction is then rounded to the last place of x: to 6e-8 m at 1 m, which
   the velocity sees as 6e-8 m / h, 4e-5 m/s at 1/600 s. Corrections that could be only rounding are not made: in a
   sheet in free fall all corrections are, and they made it drift by 0.6 mm in a second.

   A tile is not coarse in substeps below SHORTEST_COARSE, or if a particle is farther than FARTHEST_COARSE from the
   origin. Nor is it coarse if its body has no immovable particle. Rounding moves each end of a rod to its own grid, and
   this does not conserve momentum: a rotating free block of 125 particles was 12 m away after 10,000 frames. A body
   with an immovable particle passes its momentum on to that anyway. */
#define SHORTEST_COARSE ((sn_real)1e-3) /* s */

/* The length of a rod is wrong by up to 2 sqrt(3) halves of a last place, because its ends are rounded. A last place is
   up to 2^-23 of the coordinate. */
#define ROUNDING (4 * 0x1p-24f)

static const tile_state *state_of(const layer *l, const sn_tile *tile)
{
    return (const tile_state *)l->scratch->state_table.column[0] + (tile - l->plan->tile);
}

/* Whether a tile is coarse. *least, m: a coarse tile makes no smaller corrections. */
static bool is_coarse(const layer *l, const sn_tile *tile, float *least)
{
    const float reach = state_of(l, tile)->reach;
    *least = ROUNDING * reach;
    return l->t->wide && !l->t->inner && tile->large && state_of(l, tile)->held && l->t->motion->h >= SHORTEST_COARSE &&
           reach <= FARTHEST_COARSE;
}

/* ---- Tiles ------------------------------------------------------------------------------------------------------- */

/* Whether the constraints of a run of batches have preloads. */
static bool is_preloaded(const tile_pass *p, const sn_plan_run *run)
{
    return p->sweep->preload_most > 0 && !run->corners && sn_preload_has(run->kind);
}

/* In the pass of preloads: whether a run of batches has none, or leaves them to a lattice. */
static bool is_left_out(const sn_tiled *t, const tile_pass *p, const sn_plan_run *run)
{
    return tiled_loads(t) && (!is_preloaded(p, run) || (p->waits && !sn_preload_holds(run->kind)));
}

bool sn_tiled_keeps_lambda(const sn_tiled *t, const sn_plan_run *run)
{
    return (!run->corners && sn_preload_has(run->kind)) || sn_lambda_is_kept(t, run);
}

/* The description of a run for the wide code, without the places of its particles. */
static sn_wide_run wide_run(const sn_tiled *t, const sn_plan_run *run, tile_pass *p)
{
    const sn_plan *plan = t->in->plan;
    const sn_pool *pool = t->in->store->pool[run->kind];
    const sn_frame *frame = &t->in->frame;
    const sn_real inverse_h = 1 / t->in->h;
    const bool loads = tiled_loads(t), preloaded = is_preloaded(p, run);
    const bool keeps = preloaded || sn_lambda_is_kept(t, run);
    const uint8_t feature = plan->feature[run - plan->run];
    const float *damping = run->give == SN_PLAN_NONE ? NULL : plan->give + run->give;
    return (sn_wide_run){.batches = run->batches,
                         .mask = mask_of(t) + run->batch,
                         .param = plan->param ? plan->param + run->param : NULL,
                         .compliance = feature & SN_RUN_SOFT ? plan->compliance + (size_t)run->batch * SN_BATCH : NULL,
                         .row = plan->row + (size_t)run->batch * SN_BATCH,
                         .lambda = (float *)(void *)pool->lambda,
                         .read_lambda = keeps && (preloaded || !tiled_starts(t)),
                         .write_lambda = keeps,
                         .inverse_h2 = (float)(inverse_h * inverse_h),
                         .preload = loads ? (float *)(void *)pool->preload : NULL,
                         .preload_share = t->in->preload_share,
                         .preload_most = p->sweep->preload_most,
                         .holds = preloaded && sn_preload_holds(run->kind),
                         .last_inverse_h2 = t->in->last_h > 0 ? 1 / (t->in->last_h * t->in->last_h) : 0,
                         .h2 = t->in->h * t->in->h,
                         .least = p->least,
                         .number = run->kind,
                         .kind = pool->kind,
                         .params = pool->param_count,
                         .bounded = sn_wide_bounded(pool->kind),
                         .planar = frame->planar,
                         .damping = feature & SN_RUN_DAMPED ? damping : NULL,
                         .stiffness = feature & SN_RUN_LIMP ? damping + (size_t)run->batches * SN_BATCH : NULL,
                         .inverse_h = (float)inverse_h,
                         .h = (float)frame->h,
                         .state = feature & SN_RUN_SETTLES ? (float *)(void *)pool->state : NULL,
                         .largest = t->measures ? p->largest : NULL,
                         .far_off = loads ? NULL : sn_tiled_far_off(t, run),
                         .off_from = (float)p->off_from,
                         .noted = &p->noted};
}

/* Sets the places of the particles of a run: those of a tile that is not copied, from slot `first` on. */
static void place_records(const sn_tiled *t, sn_wide_run *wide, const sn_plan_run *run, bool coarse, uint32_t first)
{
    const sn_frame *frame = &t->in->frame;
    if (run->corners) {
        first = 0;
        wide->anchor = t->in->plan->anchor + run->anchor;
        wide->fixed = t->in->plan->fixed + run->fixed;
        wide->corners = run->corners;
        wide->bodies = run->bodies;
        wide->shared = run->shared;
        wide->turn = frame->turn;
        wide->turned = frame->d + frame->turn_slot;
        wide->turn_node = frame->turn_slot;
    }
    wide->x = frame->x + first;
    wide->d = (coarse ? t->motion->x : frame->d) + first;
    wide->start = frame->start + first;
    wide->start_low = frame->x_low + first;
    wide->old_d = frame->old_d ? frame->old_d + first : NULL;
    wide->expected = frame->expected ? frame->expected + first : NULL;
    wide->by_friction = frame->by_friction ? frame->by_friction + first : NULL;
}

/* A constraint that is not in a batch moves remainders. In a coarse tile, its displacement is added to positions. */
static bool project_coarse(const sn_tiled *t, sn_sweep *sweep, sn_visit visit)
{
    uint32_t slot[SN_MAX_BLOCK];
    sn_vec4 low[SN_MAX_BLOCK], *moved = t->in->frame.d;
    uint32_t count = sn_tiled_slots(t->in, visit, slot);
    for (uint32_t i = 0; i < count; ++i)
        low[i] = moved[slot[i]];
    if (!sn_tiled_project(t, sweep, visit.kind, visit.row))
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec4 *x = &t->motion->x[slot[i]], *d = &moved[slot[i]];
        *x = (sn_vec4){x->x + (d->x - low[i].x), x->y + (d->y - low[i].y), x->z + (d->z - low[i].z), x->w};
        *d = low[i];
    }
    return true;
}

static bool project_visits(const sn_tiled *t, tile_pass *p, const sn_plan_run *run, bool coarse)
{
    const sn_visit *visit = t->in->plan->visit + run->visit;
    bool good = true;
    for (uint32_t i = 0; good && i < run->visits; ++i)
        if (visit[i].kind && !(p->waits && !sn_preload_holds(visit[i].kind)))
            good = coarse ? project_coarse(t, p->sweep, visit[i])
                          : sn_tiled_project(t, p->sweep, visit[i].kind, visit[i].row);
    return good;
}

static bool solve_records(const layer *l, const sn_tile *tile, bool coarse, tile_pass *p)
{
    const sn_tiled *t = l->t;
    const sn_plan *plan = l->plan;
    for (uint32_t r = tile->run; r < tile->run + tile->runs; ++r) {
        const sn_plan_run *run = &plan->run[r];
        if ((run->batches && is_left_out(t, p, run)) || is_solved(t, run))
            continue;
        if (!run->batches || !t->wide) {
            if (!(run->batches ? project_batches(t, p, run) : project_visits(t, p, run, coarse)))
                return false;
            continue;
        }
        sn_wide_run wide = wide_run(t, run, p);
        sn_lambda_place(t, run, &wide);
        const bool near = l->is_first || p->copy;
        place_records(t, &wide, run, coarse, l->is_first ? tile->first : 0);
        if (p->copy) {
            wide.x = p->copy;
            wide.d = p->copy + (coarse ? 0 : tile->count);
        }
        wide.near = near ? plan->near + run->index : NULL;
        wide.far = near ? NULL : plan->far + run->index;
        sn_wide_project(t->wide, &wide);
    }
    return true;
}

/* Runs the constraints of a tile of planes. `margin` and `start` point to the margins before the rows. */
static void run_planes(const layer *l, const sn_tile *tile, float *margin, const float *start, bool coarse,
                       tile_pass *p)
{
    const sn_frame *frame = &l->t->in->frame;
    for (uint32_t r = tile->run; r < tile->run + tile->runs; ++r) {
        const sn_plan_run *run = &l->plan->run[r];
        if (is_left_out(l->t, p, run) || is_solved(l->t, run))
            continue;
        sn_wide_run wide = wide_run(l->t, run, p);
        sn_lambda_place(l->t, run, &wide);
        wide.plane = margin;
        wide.start_plane = start;
        wide.old_d = frame->old_d ? frame->old_d + tile->first : NULL;
        wide.coarse = coarse;
        wide.offset = l->plan->offset + run->index;
        sn_wide_project(l->t->wide, &wide);
    }
}

void sn_tiled_spread(const layer *l, const sn_tile *tile, const sn_vec4 *x, const sn_vec4 *d, float *margin)
{
    float *plane = margin + PLANE_MARGIN;
    uint32_t full = in_full_rows(tile), lane;
    x += tile->first;
    d += tile->first;
    memset(margin, 0, PLANE_MARGIN * sizeof *margin); /* lanes read beside the particles, and must find numbers there */
    memset(plane + (size_t)full / LANES * SN_ROW, 0,
           (plane_floats(tile->rows - full / LANES) - PLANE_MARGIN) * sizeof *plane);
    l->t->wide->spread(x, d, full, plane);
    for (uint32_t i = full; i < tile->count; ++i) {
        float *at = plane + (size_t)place_in_rows(tile, i, &lane) * SN_ROW + lane;
        put3(at + SN_PLANE_X * LANES, x[i]);
        put3(at + SN_PLANE_D * LANES, d[i]);
        at[SN_PLANE_W * LANES] = (float)x[i].w;
    }
}

float *sn_tiled_margin(const layer *l, uint32_t worker)
{
    return (float *)l->scratch->plane_table.column[0] + (l->t->in->asks ? 2 : 1) * worker * l->scratch->each;
}

/* Solves a tile of planes whose particles are in storage between passes. */
static void solve_planes(const layer *l, const sn_tile *tile, bool coarse, tile_pass *p)
{
    const sn_solver_in *in = l->t->in;
    const sn_frame *frame = &in->frame;
    sn_vec4 *moved = (coarse ? l->t->motion->x : frame->d) + tile->first;
    float *margin = sn_tiled_margin(l, p->worker), *start = margin + l->scratch->each, *plane = margin + PLANE_MARGIN;
    uint32_t full = in_full_rows(tile), lane;
    sn_tiled_spread(l, tile, frame->x, frame->d, margin);
    if (state_of(l, tile)->asks)
        sn_tiled_spread(l, tile, frame->old_d ? frame->old_d : frame->start, frame->start, start);
    run_planes(l, tile, margin, start, coarse, p);
    l->t->wide->collect(moved, full, plane, coarse);
    for (uint32_t i = full; i < tile->count; ++i) {
        const float *at = plane + (size_t)place_in_rows(tile, i, &lane) * SN_ROW;
        get3(&moved[i], at + (coarse ? SN_PLANE_X : SN_PLANE_D) * LANES + lane);
    }
}

/* ---- A tile of the first layer ----------------------------------------------------------------------------------- */

static const tile_home *home_of(const layer *l, const sn_tile *tile)
{
    return (const tile_home *)l->scratch->home_table.column[0] + (tile - l->plan->tile);
}

/* Whether a tile settles as late as possible: in the next pass over it, or when it leaves. */
static bool lags(const layer *l, const sn_tile *tile)
{
    return l->t->resident && !state_of(l, tile)->watched;
}

bool sn_tiled_is_resident(const layer *l, const sn_tile *tile)
{
    return tile->rows && lags(l, tile) && !state_of(l, tile)->pushed;
}

sn_motion sn_tiled_motion(const layer *l, const sn_tile *tile)
{
    sn_motion motion = *l->t->motion;
    float least;
    motion.first = tile->first;
    motion.count = tile->count;
    motion.list = NULL;
    motion.mark += tile->first;
    motion.coarse = is_coarse(l, tile, &least);
    motion.settles_previous = lags(l, tile) && !l->t->enters;
    if (motion.force == motion.given && !state_of(l, tile)->pushed)
        motion.force = NULL;
    if (!state_of(l, tile)->asks)
        motion.start = NULL;
    return motion;
}

/* Whether a tile has particles of stiff meshes. All such tiles are predicted first, and solved after the limits. */
static bool is_stiff(const layer *l, const sn_tile *tile)
{
    const sn_hierarchy *h = &l->scratch->hierarchy;
    const uint32_t index = (uint32_t)(tile - l->plan->tile);
    return l->t->stiffens && !tiled_loads(l->t) && h->mesh_table.count && h->part_of[index] < h->part_of[index + 1];
}

/* Whether its particles are moved after it has been solved. */
static bool is_moved_later(const layer *l, const sn_tile *tile)
{
    return home_of(l, tile)->shared || is_stiff(l, tile);
}

/* The first part of a pass over a tile that stays in planes: it reads what others moved, and predicts or settles. */
static bool open_resident(const layer *l, const sn_tile *tile, uint32_t index)
{
    const sn_tiled *t = l->t;
    const planes p = sn_resident_planes(l, index);
    sn_motion motion = sn_tiled_motion(l, tile);
    bool sound = true;
    motion.mark_rows = p.mark;
    motion.start_rows = motion.start ? p.start : NULL;
    if (t->enters)
        sn_resident_enter(l, tile, &motion, p);
    else
        sn_resident_pull(l, index, &motion, p);
    if (!t->enters && state_of(l, tile)->kinematic)
        sn_resident_pull_kinematic(l, tile, &motion, p);
    if (t->pass == 0) {
        sound = t->wide->predict_planes(&motion, p.plane, p.side, p.back, tile->rows);
        if (motion.start)
            sn_resident_push_start(l, index, &motion);
    } else {
        sound = t->wide->settle_planes(&motion, p.plane, p.side, tile->rows);
        sn_resident_mark(&motion, p, tile->rows);
    }
    if (l->opens)
        sn_hierarchy_gather_planes(&l->scratch->hierarchy, index, t->wide, p.plane, motion.coarse);
    return sound;
}

/* The second part: constraints move its particles, and shared positions are written. */
static void close_resident(const layer *l, const sn_tile *tile, uint32_t index, tile_pass *pass)
{
    const sn_tiled *t = l->t;
    const planes p = sn_resident_planes(l, index);
    const sn_motion motion = sn_tiled_motion(l, tile);
    if (is_stiff(l, tile))
        sn_hierarchy_move_planes(&l->scratch->hierarchy, index, t->wide, p.plane, sn_tiled_margin(l, pass->worker),
                                 motion.coarse);
    run_planes(l, tile, p.plane - PLANE_MARGIN, p.start ? p.start - PLANE_MARGIN : NULL, motion.coarse, pass);
    sn_resident_push(l, index, &motion, p);
}

/* The same two parts for a tile that is in storage between passes. */
static bool open_records(const layer *l, const sn_tile *tile, uint32_t index)
{
    const sn_tiled *t = l->t;
    const sn_motion motion = sn_tiled_motion(l, tile);
    bool sound = true;
    if (t->pass == 0 && t->predicts) {
        sound = t->table->predict(&motion);
    } else {
        sound = !motion.settles_previous || t->table->settle(&motion);
        t->table->note(&motion);
    }
    if (l->opens)
        sn_hierarchy_gather(&l->scratch->hierarchy, index, motion.x, motion.coarse ? NULL : motion.x_low);
    return sound;
}

static bool close_records(const layer *l, const sn_tile *tile, uint32_t index, tile_pass *p)
{
    const sn_tiled *t = l->t;
    const sn_motion motion = sn_tiled_motion(l, tile);
    bool sound = true, good = true;
    if (is_stiff(l, tile))
        sn_hierarchy_move(&l->scratch->hierarchy, index, t->wide, &t->in->frame,
                          motion.coarse ? motion.x : motion.x_low);
    if (tile->rows && t->wide)
        solve_planes(l, tile, motion.coarse, p);
    else
        good = solve_records(l, tile, motion.coarse, p);
    if (!lags(l, tile) && !is_moved_later(l, tile))
        sound = t->table->settle(&motion) && sound;
    return sound && good;
}

/* Settles a tile that must not lag, after all constraints have moved its particles. */
static void settle_tile(void *data, uint32_t index, uint32_t worker)
{
    layer *l = data;
    const sn_tile *tile = &l->plan->tile[index];
    (void)worker;
    if (lags(l, tile) || !is_moved_later(l, tile))
        return;
    const sn_motion motion = sn_tiled_motion(l, tile);
    if (!l->t->table->settle(&motion))
        atomic_store_explicit(&l->failed, true, memory_order_relaxed);
}

/* ---- A tile of a later layer ------------------------------------------------------------------------------------- */

/* Adds the displacements of remainders to positions, for particles of coarse tiles. */
static void move_places(const layer *l, const sn_tile *tile, const sn_vec4 *low)
{
    const uint32_t *list = l->plan->list + tile->first;
    const sn_tile *owner = l->plan->tile;
    for (uint32_t i = 0; i < tile->count; ++i) {
        sn_vec4 *x = &l->t->motion->x[list[i]], *d = &l->t->motion->x_low[list[i]];
        float least;
        if (list[i] - owner->first >= owner->count)
            owner = &l->plan->tile[sn_plan_owner(l->plan, list[i])];
        if (!is_coarse(l, owner, &least))
            continue;
        *x = (sn_vec4){x->x + (d->x - low[i].x), x->y + (d->y - low[i].y), x->z + (d->z - low[i].z), x->w};
        *d = low[i];
    }
}

static bool is_copied(const layer *l, const sn_tile *tile)
{
    return l->t->wide && ((const bool *)l->scratch->copied_table.column[0])[tile - l->plan->tile];
}

bool sn_tiled_is_coarse(const layer *l, const sn_tile *tile)
{
    float least;
    return is_coarse(l, tile, &least);
}

sn_vec4 *sn_tiled_copy(const layer *l, const sn_tile *tile, bool coarse, uint32_t worker)
{
    const uint32_t *list = l->plan->list + tile->first;
    sn_vec4 *x = (sn_vec4 *)l->scratch->copy_table.column[0] + 2 * (size_t)worker * l->scratch->most_copied;
    sn_vec4 *low = x + tile->count;
    for (uint32_t i = 0; i < tile->count; ++i)
        x[i] = l->t->motion->x[list[i]];
    for (uint32_t i = 0; !coarse && i < tile->count; ++i)
        low[i] = l->t->motion->x_low[list[i]];
    return x;
}

/* Solves a tile of a later layer in copies of its particles. */
static bool solve_copied(const layer *l, const sn_tile *tile, bool coarse, tile_pass *p)
{
    const uint32_t *list = l->plan->list + tile->first;
    sn_vec4 *x = p->copy = sn_tiled_copy(l, tile, coarse, p->worker);
    sn_vec4 *low = x + tile->count, *moved = coarse ? l->t->motion->x : l->t->motion->x_low;
    if (!solve_records(l, tile, coarse, p))
        return false;
    for (uint32_t i = 0; i < tile->count; ++i)
        moved[list[i]] = (coarse ? x : low)[i];
    return true;
}

/* Solves a tile of a later layer, which only moves positions. Where the tiles of its body differ in being coarse, it
   moves remainders. */
static bool pass_seam(const layer *l, const sn_tile *tile, tile_pass *p)
{
    const uint32_t *list = l->plan->list + tile->first;
    const bool mixed = state_of(l, tile)->mixed;
    sn_vec4 *low = (sn_vec4 *)l->scratch->mixed_table.column[0] + tile->first;
    float least;
    const bool coarse = is_coarse(l, tile, &least);
    for (uint32_t i = 0; mixed && i < tile->count; ++i)
        low[i] = l->t->motion->x_low[list[i]];
    if (!(is_copied(l, tile) ? solve_copied : solve_records)(l, tile, coarse, p))
        return false;
    if (mixed)
        move_places(l, tile, low);
    return true;
}

static bool open_tile(const layer *l, const sn_tile *tile, uint32_t index)
{
    return sn_tiled_is_resident(l, tile) ? open_resident(l, tile, index) : open_records(l, tile, index);
}

static bool close_tile(const layer *l, const sn_tile *tile, uint32_t index, tile_pass *p)
{
    if (!sn_tiled_is_resident(l, tile))
        return close_records(l, tile, index, p);
    close_resident(l, tile, index, p);
    return true;
}

/* The first part of a pass over a tile of stiff meshes. */
static void run_opening(void *data, uint32_t index, uint32_t worker)
{
    layer *l = data;
    const uint32_t tile = l->scratch->hierarchy.tile[index];
    (void)worker;
    if (!open_tile(l, &l->plan->tile[tile], tile))
        atomic_store_explicit(&l->failed, true, memory_order_relaxed);
    sn_hierarchy_note_pins(&l->scratch->hierarchy, tile, &l->t->in->frame);
}

/* A still tile only needs the first pass of a step, which notes its start. Integrators that look back need every
   substep. */
static bool is_idle(const layer *l, const sn_tile *tile)
{
    return l->is_first && l->scratch->marked && !l->t->motion->looks_back && state_of(l, tile)->still;
}

static void run_tile(void *data, uint32_t index, uint32_t worker)
{
    layer *l = data;
    const sn_tiled *t = l->t;
    const uint32_t at = l->list ? l->list[index] : l->first + index;
    const sn_tile *tile = &l->plan->tile[at];
    tile_result *result = (tile_result *)l->scratch->result_table.column[0] + index;
    if (is_idle(l, tile) || tiled_skips(t, state_of(l, tile)->finer)) {
        *result = (tile_result){.good = true};
        return;
    }
    sn_sweep sweep = {
        .in = t->in, .inverse_h = 1 / t->in->h, .preload_most = t->preloads ? state_of(l, tile)->preload_most : 0};
    tile_pass p = {.worker = worker,
                   .sweep = &sweep,
                   .off_from = sn_tiled_off_from(l, tile),
                   .waits = tiled_loads(t) && state_of(l, tile)->solid};
    is_coarse(l, tile, &p.least);
    bool good = true;
    if (l->is_first && !t->inner && !is_stiff(l, tile))
        good = open_tile(l, tile, at);
    good = (l->is_first ? close_tile(l, tile, at, &p) : pass_seam(l, tile, &p)) && good;
    if (!tiled_loads(t))
        sn_tiled_count_off(l, tile, p.noted);
    sn_real largest = sweep.largest;
    for (uint32_t i = 0; i < SN_BATCH; ++i)
        largest = (sn_real)p.largest[i] > largest ? (sn_real)p.largest[i] : largest;
    *result = (tile_result){largest, sweep.out.fault_kind, sweep.out.fault_row, good};
    if (!good)
        atomic_store_explicit(&l->failed, true, memory_order_relaxed);
}

/* ---- A pass ------------------------------------------------------------------------------------------------------ */

/* ns; threads that shared the first layer are awake, and share later layers from here on. */
#define LEAST_LATER 1500.0

static double work_of(const sn_plan *plan, uint32_t index)
{
    double work = 0;
    for (uint32_t i = plan->layer[index]; i < plan->layer[index + 1] && work < SN_LEAST_SHARED_WORK; ++i)
        work += plan->tile[i].work * WORK_OF_CONSTRAINT + plan->tile[i].count * WORK_OF_PARTICLE;
    return work;
}

static bool is_shared(const sn_tiled *t, uint32_t index)
{
    const sn_plan *plan = t->in->plan;
    return sn_parallel_wants(t->in->parallel, work_of(plan, 0)) &&
           (index == 0 || t->in->parallel->eager || work_of(plan, index) >= LEAST_LATER);
}

/* Collects the results of the tiles of a layer, in their order. */
static bool read_results(const layer *l, uint32_t count, sn_solver_out *out, sn_real *largest)
{
    const tile_result *result = l->scratch->result_table.column[0];
    for (uint32_t i = 0; i < count; ++i) {
        if (!result[i].good) {
            out->fault_kind = result[i].fault_kind;
            out->fault_row = result[i].fault_row;
            return false;
        }
        *largest = result[i].largest > *largest ? result[i].largest : *largest;
    }
    return true;
}

bool sn_tiled_run_list(const sn_tiled *t, uint32_t index, const uint32_t *list, uint32_t count, sn_parallel *parallel,
                       sn_solver_out *out, sn_real *largest)
{
    const sn_plan *plan = t->in->plan;
    layer l = {.t = t,
               .scratch = t->in->scratch->tiled,
               .plan = plan,
               .first = plan->layer[index],
               .list = list,
               .is_first = index == 0};
    if (!sn_parallel_tasks(parallel, count, run_tile, &l)) {
        out->lost_tasks = true;
        return false;
    }
    return (!l.failed && !t->measures) || read_results(&l, count, out, largest);
}

static bool run_layer(const sn_tiled *t, uint32_t index, sn_solver_out *out, sn_real *largest)
{
    const uint32_t *starts = t->in->plan->layer;
    return sn_tiled_run_list(t, index, NULL, starts[index + 1] - starts[index],
                             is_shared(t, index) ? t->in->parallel : NULL, out, largest);
}

sn_parallel *sn_tiled_shares_list(const sn_tiled *t, const uint32_t *list, uint32_t count)
{
    const sn_plan *plan = t->in->plan;
    double work = 0;
    for (uint32_t i = 0; i < count && work < SN_LEAST_SHARED_WORK; ++i)
        work += plan->tile[list[i]].work * WORK_OF_CONSTRAINT + plan->tile[list[i]].count * WORK_OF_PARTICLE;
    return sn_parallel_wants(t->in->parallel, work) ? t->in->parallel : NULL;
}

/* Solves the limits of stiff meshes. They come before the first layer, when all of their particles have been
   predicted. */
static bool run_limits(const sn_tiled *t, sn_solver_out *out)
{
    tiled *scratch = t->in->scratch->tiled;
    sn_hierarchy *h = &scratch->hierarchy;
    layer l = {.t = t, .scratch = scratch, .plan = t->in->plan, .is_first = true, .opens = true};
    h->notes = false;
    if (!t->stiffens || !h->mesh_table.count || tiled_loads(t))
        return true;
    h->notes = t->keep_lambda;
    if (h->notes && tiled_starts(t))
        sn_hierarchy_note_anew(h);
    sn_parallel *parallel = is_shared(t, 0) ? t->in->parallel : NULL;
    out->lost_tasks =
        !sn_parallel_tasks(parallel, h->tile_table.count, run_opening, &l) || !sn_hierarchy_solve(h, t->wide, parallel);
    return !out->lost_tasks && !l.failed;
}

/* Particles added after the plan was made are in no tile. They are settled once, as those of tiles are, although no
   constraint moved them: settling may round. */
static bool move_newcomers(const sn_tiled *t)
{
    sn_motion motion = *t->motion;
    motion.list = NULL;
    motion.first = t->in->plan->particles;
    motion.count = t->in->particle_count - motion.first;
    motion.mark += motion.first;
    if (t->pass > 0)
        return true;
    if (t->predicts)
        t->table->predict(&motion);
    else
        t->table->note(&motion);
    return t->table->settle(&motion);
}

/* Settles tiles that must not lag, and did not settle while they were in the cache. */
static bool settle_tiles(const sn_tiled *t, layer *l, sn_solver_out *out)
{
    const bool stiff = t->stiffens && !tiled_loads(t) && l->scratch->hierarchy.mesh_table.count;
    if ((!l->scratch->any_shared && !stiff) || (t->resident && !l->scratch->any_watched))
        return true;
    bool share = sn_parallel_wants(t->in->parallel, WORK_OF_PARTICLE * t->in->particle_count);
    out->lost_tasks = !sn_parallel_tasks(share ? t->in->parallel : NULL, l->plan->layer[1], settle_tile, l);
    return !out->lost_tasks && !l->failed;
}

bool sn_tiled_preloads(const sn_solver_in *in)
{
    return ((const tiled *)in->scratch->tiled)->any_preloads;
}

bool sn_tiled_scatters(const sn_solver_in *in)
{
    const bool costs = in->settings->iterations > 1 || sn_parallel_wants(in->parallel, work_of(in->plan, 0));
    return costs && !in->plan->widest_rows;
}

bool sn_tiled_pass(const sn_tiled *t, sn_solver_out *out, sn_real *largest)
{
    const sn_plan *plan = t->in->plan;
    layer first = {.t = t, .scratch = t->in->scratch->tiled, .plan = plan, .is_first = true};
    sn_tiled_note_spins(t);
    bool good = sn_tiled_solve_closed(t, out, largest) && move_newcomers(t) && run_limits(t, out);
    for (uint32_t i = 0; good && i + 1 < plan->layer_table.count; ++i)
        good = run_layer(t, i, out, largest);
    if (good && !tiled_loads(t) && !sn_tiled_mend(&first)) {
        out->lost_tasks = true;
        return false;
    }
    ((tiled *)t->in->scratch->tiled)->marked = true;
    return good && sn_tiled_solve_trees(t, out, largest) && sn_tiled_project_others(t, &first, out, largest) &&
           settle_tiles(t, &first, out) && sn_tiled_load_solids(t, out) && sn_tiled_load_plates(t, out);
}

/* ---- The end ----------------------------------------------------------------------------------------------------- */

static void leave_tile(void *data, uint32_t index, uint32_t worker)
{
    layer *l = data;
    const sn_tile *tile = &l->plan->tile[index];
    (void)worker;
    if (!lags(l, tile))
        return;
    sn_motion motion = sn_tiled_motion(l, tile);
    bool sound = true;
    if (sn_tiled_is_resident(l, tile)) {
        const planes p = sn_resident_planes(l, index);
        motion.mark_rows = p.mark;
        sn_resident_pull(l, index, &motion, p);
        sound = l->t->wide->settle_planes(&motion, p.plane, p.side, tile->rows);
        sn_resident_leave(l, tile, &motion, p);
    } else {
        sound = l->t->table->settle(&motion);
    }
    if (!sound)
        atomic_store_explicit(&l->failed, true, memory_order_relaxed);
}

bool sn_tiled_leave(const sn_tiled *t, bool *sound)
{
    const sn_plan *plan = t->in->plan;
    layer l = {.t = t, .scratch = t->in->scratch->tiled, .plan = plan, .is_first = true};
    bool share = sn_parallel_wants(t->in->parallel, work_of(plan, 0));
    bool done = sn_parallel_tasks(share ? t->in->parallel : NULL, plan->layer[1], leave_tile, &l);
    *sound = !l.failed;
    return done;
}

const sn_solver_method sn_solver_tiled = {
    .name = "tiled", .own_projections = true, .reserve = sn_tiled_reserve, .release = sn_tiled_release};

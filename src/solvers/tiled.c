/* Tile by tile, eight constraints at a time: the cascade in the order of the plan, on all cores. */
#include "solvers/tiled.h"

#include "base/hash.h"
#include "solvers/gauss_seidel.h"
#include "solvers/hubs.h"
#include "solvers/row.h"

#include <stdatomic.h>

/* What passes keep between steps. */
typedef struct tiled {
    sn_table plane_table; /* of float: for each worker, the planes of one tile */
    uint32_t workers;
    size_t each;           /* floats of a worker */
    sn_table result_table; /* of tile_result, for each tile */

    /* Tiles that stay in planes for a whole step. */
    sn_table home_table;     /* of home, for each tile of the first layer */
    sn_table exchange_table; /* of exchange, for all of them */
    sn_table resident_table; /* of float: their planes */
    sn_table touched_table;  /* of bool, by slot: scratch */
    uint64_t serial;         /* of the plan that these are for; 0: none */

    sn_table mark_table; /* of sn_vec4: for each worker, as many as the largest tile has particles */
    uint32_t most;       /* those */
} tiled;

/* Where a tile's planes are, and what of it others touch. */
typedef struct home {
    size_t plane; /* rows of places, behind which those of velocities start at `side` */
    size_t side;
    uint32_t exchange, exchanges;
} home;

/* Particles that later layers touch: where they are in both forms. */
typedef struct exchange {
    uint32_t slot;
    uint32_t row, lane;
    uint32_t rows; /* 0: one particle; otherwise so many rows, all lanes */
} exchange;

/* How a tile went. */
typedef struct tile_result {
    sn_real largest;
    uint32_t fault_kind, fault_row;
    bool good;
} tile_result;

/* One layer on its way. */
typedef struct layer {
    const sn_tiled *t;
    const tiled *scratch;
    const sn_plan *plan;
    uint32_t first; /* of its tiles */
    bool is_first;  /* layer */
    atomic_bool failed;
} layer;

#define PLANE_MARGIN SN_BATCH /* floats before the first row and behind the last that lanes may reach */
#define LANES        SN_BATCH

/* A row with so many particles that others touch is exchanged as a whole. */
#define LEAST_TOGETHER 4u

/* ---- Scratch ------------------------------------------------------------------------------------------------------------ */

static tiled *make(sn_solver_scratch *scratch, const sn_allocator *allocator)
{
    tiled *t = sn_allocate(allocator, sizeof *t);
    if (!t)
        return NULL;
    *t = (tiled){0};
    sn_table_column(&t->plane_table, sizeof(float), false);
    sn_table_column(&t->result_table, sizeof(tile_result), false);
    sn_table_column(&t->home_table, sizeof(home), false);
    sn_table_column(&t->exchange_table, sizeof(exchange), false);
    sn_table_column(&t->resident_table, sizeof(float), false);
    sn_table_column(&t->touched_table, sizeof(bool), false);
    sn_table_column(&t->mark_table, sizeof(sn_vec4), false);
    return scratch->tiled = t;
}

/* Floats of so many rows. */
static size_t plane_floats(uint32_t rows)
{
    return (size_t)rows * SN_ROW + 2 * PLANE_MARGIN;
}

/* Particles of a tile of planes in rows of which every lane has one: the last lane may be shorter than the others. */
static uint32_t in_full_rows(const sn_tile *tile)
{
    return (tile->count - (LANES - 1) * tile->rows) * LANES;
}

/* The particles of a tile of planes, in the order of storage: the row and the lane of each. */
static uint32_t place_in_rows(const sn_tile *tile, uint32_t i, uint32_t *lane)
{
    uint32_t full = in_full_rows(tile), beyond = i - full;
    *lane = i < full ? i % LANES : beyond % (LANES - 1);
    return i < full ? i / LANES : full / LANES + beyond / (LANES - 1);
}

static void touch_visits(const sn_solver_in *in, bool *touched, const sn_visit *visit, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t small[SN_MAX_BLOCK], particles;
        if (!visit[i].kind)
            continue;
        const uint32_t *number =
            sn_store_particles(in->store, in->store->pool[visit[i].kind], visit[i].row, small, &particles);
        for (uint32_t k = 0; k < particles; ++k)
            touched[in->frame.slot[number[k]]] = true;
    }
}

/* Notes which particles of a tile of planes others touch: rows of which many are, as a whole. */
static bool list_tile(tiled *t, const sn_allocator *allocator, const sn_tile *tile, const bool *touched)
{
    uint32_t full = in_full_rows(tile), rows = 0;
    for (uint32_t k = 0; k < tile->count; k += rows ? LANES : 1) {
        uint32_t here = 0;
        for (uint32_t l = 0; k % LANES == 0 && k < full && l < LANES; ++l)
            here += touched[tile->first + k + l];
        bool follows = rows > 0;
        rows = here >= LEAST_TOGETHER;
        if (follows && rows) {
            ((exchange *)t->exchange_table.column[0])[t->exchange_table.count - 1].rows++;
            continue;
        }
        if (!rows && !touched[tile->first + k])
            continue;
        if (!sn_table_reserve(&t->exchange_table, allocator, (uint64_t)t->exchange_table.count + 1))
            return false;
        exchange *e = (exchange *)t->exchange_table.column[0] + t->exchange_table.count++;
        e->slot = tile->first + k;
        e->row = place_in_rows(tile, k, &e->lane);
        e->rows = rows;
    }
    return true;
}

static bool list_exchanges(tiled *t, const sn_allocator *allocator, const sn_solver_in *in, const bool *touched)
{
    const sn_plan *plan = in->plan;
    uint64_t floats = 0;
    t->home_table.count = t->exchange_table.count = 0;
    for (uint32_t i = plan->layer[0]; i < plan->layer[1]; ++i) {
        const sn_tile *tile = &plan->tile[i];
        home h = {.plane = floats, .side = floats + plane_floats(tile->rows), .exchange = t->exchange_table.count};
        if (tile->rows && !list_tile(t, allocator, tile, touched))
            return false;
        h.exchanges = t->exchange_table.count - h.exchange;
        floats += tile->rows ? plane_floats(tile->rows) + (size_t)tile->rows * SN_SIDE_ROW : 0;
        ((home *)t->home_table.column[0])[t->home_table.count++] = h;
    }
    return floats < UINT32_MAX && sn_table_reserve(&t->resident_table, allocator, floats);
}

/* What tiles need to stay in planes. */
static bool reserve_resident(tiled *t, const sn_allocator *allocator, const sn_solver_in *in)
{
    const sn_plan *plan = in->plan;
    if (!plan->widest_rows || !in->wide || t->serial == plan->serial)
        return true;
    t->serial = 0;
    if (!sn_table_reserve(&t->home_table, allocator, plan->layer[1]) ||
        !sn_table_reserve(&t->touched_table, allocator, in->particle_count))
        return false;
    bool *touched = t->touched_table.column[0];
    memset(touched, 0, in->particle_count * sizeof *touched);
    for (uint32_t i = 0; i < plan->list_table.count; ++i)
        touched[plan->list[i]] = true;
    touch_visits(in, touched, plan->many, plan->many_table.count);
    touch_visits(in, touched, plan->hub, plan->hub_table.count);
    touch_visits(in, touched, plan->extra, plan->extra_table.count);
    if (!list_exchanges(t, allocator, in, touched))
        return false;
    t->serial = plan->serial;
    return true;
}

/* Marks: workers run tiles, and then the calling thread alone runs what is longest besides. */
static bool reserve_marks(tiled *t, const sn_allocator *allocator, const sn_solver_in *in)
{
    const sn_plan *plan = in->plan;
    uint32_t alone = sn_hubs_particles(in->scratch);
    if (!in->wide)
        return true;
    t->most = SN_MAX_BLOCK;
    for (uint32_t i = 0; i < plan->tile_table.count; ++i)
        t->most = plan->tile[i].count > t->most ? plan->tile[i].count : t->most;
    t->most =
        plan->widest_rows * LANES > t->most ? plan->widest_rows * LANES : t->most; /* marks in planes are shorter */
    alone = in->store->counts.most_points > alone ? in->store->counts.most_points : alone;
    uint64_t total = (uint64_t)t->workers * t->most;
    if (!sn_table_reserve(&t->mark_table, allocator, total > alone ? total : alone))
        return false;
    t->mark_table.count = t->mark_table.capacity;
    return true;
}

static bool reserve(const sn_solver_in *in, const sn_allocator *allocator)
{
    tiled *t = in->scratch->tiled ? in->scratch->tiled : make(in->scratch, allocator);
    if (!t)
        return false;
    t->workers = sn_parallel_workers(in->parallel);
    t->each = plane_floats(in->plan->widest_rows);
    if (!sn_table_reserve(&t->plane_table, allocator, in->plan->widest_rows ? t->workers * t->each : 0) ||
        !sn_table_reserve(&t->result_table, allocator, in->plan->tile_table.count) ||
        !sn_parallel_reserve_tasks(in->parallel, allocator, in->plan->tile_table.count) ||
        !reserve_resident(t, allocator, in))
        return false;
    return sn_hubs_reserve(in, allocator) && reserve_marks(t, allocator, in);
}

sn_vec4 *sn_tiled_marks(const sn_solver_in *in)
{
    return ((tiled *)in->scratch->tiled)->mark_table.column[0];
}

static void release(sn_solver_scratch *scratch, const sn_allocator *allocator)
{
    tiled *t = scratch->tiled;
    sn_hubs_release(scratch, allocator);
    if (!t)
        return;
    sn_table_release(&t->plane_table, allocator);
    sn_table_release(&t->result_table, allocator);
    sn_table_release(&t->home_table, allocator);
    sn_table_release(&t->exchange_table, allocator);
    sn_table_release(&t->resident_table, allocator);
    sn_table_release(&t->touched_table, allocator);
    sn_table_release(&t->mark_table, allocator);
    sn_release(allocator, t, sizeof *t);
    scratch->tiled = NULL;
}

/* ---- Single constraints ------------------------------------------------------------------------------------------------------ */

static bool project(const sn_tiled *t, sn_sweep *sweep, uint32_t kind, uint32_t row)
{
    sn_pool *pool = t->in->store->pool[kind];
    if (t->pass == 0)
        memset(pool->lambda + (size_t)row * pool->kind.rows, 0, pool->kind.rows * sizeof *pool->lambda);
    return sn_sweep_project(sweep, kind, row);
}

static bool project_visits(const sn_tiled *t, sn_sweep *sweep, const sn_visit *visit, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        if (visit[i].kind && !project(t, sweep, visit[i].kind, visit[i].row))
            return false;
    return true;
}

/* The constraints of a run of batches, one by one: they share no particle, so it does not matter in which order. */
static bool project_batches(const sn_tiled *t, sn_sweep *sweep, const sn_plan_run *run)
{
    const sn_plan *plan = t->in->plan;
    for (uint32_t b = run->batch; b < run->batch + run->batches; ++b)
        for (uint32_t lane = 0; lane < SN_BATCH; ++lane)
            if ((plan->mask[b] >> lane & 1) && !project(t, sweep, run->kind, plan->row[b * SN_BATCH + lane]))
                return false;
    return true;
}

/* ---- Tiles -------------------------------------------------------------------------------------------------------------------- */

/* The wide form of a run; where its particles are is still missing. */
static sn_wide_run wide_run(const sn_tiled *t, const sn_plan_run *run)
{
    const sn_plan *plan = t->in->plan;
    sn_real inverse_h = 1 / t->in->h;
    return (sn_wide_run){.batches = run->batches,
                         .mask = plan->mask + run->batch,
                         .param = plan->param ? plan->param + run->param : NULL,
                         .compliance =
                             plan->soft[run - plan->run] ? plan->compliance + (size_t)run->batch * SN_BATCH : NULL,
                         .row = plan->row + (size_t)run->batch * SN_BATCH,
                         .lambda = (float *)(void *)t->in->store->pool[run->kind]->lambda,
                         .read_lambda = t->pass > 0,
                         .write_lambda = t->keep_lambda,
                         .inverse_h2 = (float)(inverse_h * inverse_h),
                         .least = t->least};
}

/* Whether the places of a tile's particles are moved themselves: only kernels know how to do without a remainder. */
static bool is_alone(const sn_tiled *t, const sn_tile *tile)
{
    return t->alone && tile->alone;
}

static bool solve_records(const layer *l, const sn_tile *tile, sn_sweep *sweep)
{
    const sn_tiled *t = l->t;
    const sn_plan *plan = l->plan;
    const sn_frame *frame = &t->in->frame;
    for (uint32_t r = tile->run; r < tile->run + tile->runs; ++r) {
        const sn_plan_run *run = &plan->run[r];
        if (!run->batches) {
            if (!project_visits(t, sweep, plan->visit + run->visit, run->visits))
                return false;
            continue;
        }
        if (!t->wide) {
            if (!project_batches(t, sweep, run))
                return false;
            continue;
        }
        sn_wide_run wide = wide_run(t, run);
        wide.x = frame->x + (l->is_first ? tile->first : 0);
        wide.d = (is_alone(t, tile) ? t->motion->x : frame->d) + (l->is_first ? tile->first : 0);
        wide.near = l->is_first ? plan->near + run->index : NULL;
        wide.far = l->is_first ? NULL : plan->far + run->index;
        (l->is_first ? t->wide->kind[run->kind].near : t->wide->kind[run->kind].far)(&wide);
    }
    return true;
}

static void run_planes(const layer *l, const sn_tile *tile, float *margin, bool alone)
{
    for (uint32_t r = tile->run; r < tile->run + tile->runs; ++r) {
        const sn_plan_run *run = &l->plan->run[r];
        sn_wide_run wide = wide_run(l->t, run);
        wide.plane = margin;
        wide.alone = alone;
        wide.offset = l->plan->offset + run->index;
        l->t->wide->kind[run->kind].planes(&wide);
    }
}

static void put3(float *to, sn_vec4 a)
{
    to[0] = (float)a.x;
    to[LANES] = (float)a.y;
    to[2 * LANES] = (float)a.z;
}

static void get3(sn_vec4 *to, const float *from)
{
    to->x = (sn_real)from[0];
    to->y = (sn_real)from[LANES];
    to->z = (sn_real)from[2 * LANES];
}

/* A tile whose particles are in storage between passes. */
static void solve_planes(const layer *l, const sn_tile *tile, uint32_t worker)
{
    const sn_tiled *t = l->t;
    const sn_frame *frame = &t->in->frame;
    float *margin = (float *)l->scratch->plane_table.column[0] + worker * l->scratch->each,
          *plane = margin + PLANE_MARGIN;
    uint32_t full = in_full_rows(tile), lane;
    memset(margin, 0, PLANE_MARGIN * sizeof *margin); /* what lanes reach beside the particles must be numbers */
    memset(plane + (size_t)full / LANES * SN_ROW, 0,
           (plane_floats(tile->rows - full / LANES) - PLANE_MARGIN) * sizeof *plane);
    t->wide->spread(frame->x + tile->first, frame->d + tile->first, full, plane);
    for (uint32_t i = full; i < tile->count; ++i) {
        sn_vec4 x = frame->x[tile->first + i], d = frame->d[tile->first + i];
        float *at = plane + (size_t)place_in_rows(tile, i, &lane) * SN_ROW;
        put3(at + SN_PLANE_X * LANES + lane, x);
        put3(at + SN_PLANE_D * LANES + lane, d);
        at[SN_PLANE_W * LANES + lane] = (float)x.w;
    }
    run_planes(l, tile, margin, false);
    t->wide->collect(frame->d + tile->first, full, plane);
    for (uint32_t i = full; i < tile->count; ++i) {
        const float *at = plane + (size_t)place_in_rows(tile, i, &lane) * SN_ROW + SN_PLANE_D * LANES;
        get3(&frame->d[tile->first + i], at + lane);
    }
}

/* ---- Tiles that stay in planes ---------------------------------------------------------------------------------------------- */

/* The rows of one particle, at its lane. */
typedef struct row_place {
    float *at, *beside;
} row_place;

static row_place find_place(float *plane, float *side, uint32_t row, uint32_t lane)
{
    return (row_place){plane + (size_t)row * SN_ROW + lane, side + (size_t)row * SN_SIDE_ROW + lane};
}

/* One particle, from storage to planes or back. */
static void pull_one(const sn_wide_motion *m, uint32_t slot, row_place to)
{
    put3(to.at + SN_PLANE_X * LANES, m->x[slot]);
    put3(to.at + SN_PLANE_D * LANES, m->x_low[slot]);
    put3(to.beside + SN_PLANE_V * LANES, m->v[slot]);
    put3(to.beside + SN_PLANE_V_LOW * LANES, m->v_low[slot]);
}

static void push_one(const sn_wide_motion *m, uint32_t slot, row_place from)
{
    get3(&m->x[slot], from.at + SN_PLANE_X * LANES);
    get3(&m->x_low[slot], from.at + SN_PLANE_D * LANES);
    get3(&m->v[slot], from.beside + SN_PLANE_V * LANES);
    get3(&m->v_low[slot], from.beside + SN_PLANE_V_LOW * LANES);
}

/* Rows of particles, or one. */
static void pull(const layer *l, const sn_wide_motion *motion, const exchange *e, float *plane, float *side)
{
    sn_wide_motion some = *motion;
    if (!e->rows) {
        pull_one(motion, e->slot, find_place(plane, side, e->row, e->lane));
        return;
    }
    some.first = e->slot;
    some.count = e->rows * LANES;
    l->t->wide->enter(&some, plane + (size_t)e->row * SN_ROW, side + (size_t)e->row * SN_SIDE_ROW);
}

static void push(const layer *l, const sn_wide_motion *motion, const exchange *e, float *plane, float *side)
{
    sn_wide_motion some = *motion;
    if (!e->rows) {
        push_one(motion, e->slot, find_place(plane, side, e->row, e->lane));
        return;
    }
    some.first = e->slot;
    some.count = e->rows * LANES;
    l->t->wide->leave(&some, plane + (size_t)e->row * SN_ROW, side + (size_t)e->row * SN_SIDE_ROW);
}

static void enter(const layer *l, const sn_tile *tile, const sn_wide_motion *motion, float *plane, float *side)
{
    sn_wide_motion full = *motion;
    uint32_t lane;
    full.count = in_full_rows(tile);
    memset(plane - PLANE_MARGIN, 0,
           plane_floats(tile->rows) * sizeof *plane); /* lanes without particles, too, are numbers */
    memset(side, 0, (size_t)tile->rows * SN_SIDE_ROW * sizeof *side);
    l->t->wide->enter(&full, plane, side);
    for (uint32_t i = full.count; i < tile->count; ++i) {
        uint32_t row = place_in_rows(tile, i, &lane);
        row_place place = find_place(plane, side, row, lane);
        pull_one(motion, tile->first + i, place);
        place.at[SN_PLANE_W * LANES] = (float)motion->x[tile->first + i].w;
    }
}

static void leave(const layer *l, const sn_tile *tile, const sn_wide_motion *motion, float *plane, float *side)
{
    sn_wide_motion full = *motion;
    uint32_t lane;
    full.count = in_full_rows(tile);
    l->t->wide->leave(&full, plane, side);
    for (uint32_t i = full.count; i < tile->count; ++i) {
        uint32_t row = place_in_rows(tile, i, &lane);
        push_one(motion, tile->first + i, find_place(plane, side, row, lane));
    }
}

/* Where they are now, for a further pass: what is pushed from here on counts. */
static void note_planes(const sn_wide_motion *motion, const float *plane, uint32_t rows)
{
    float *mark = motion->mark_rows;
    plane += (motion->alone ? SN_PLANE_X : SN_PLANE_D) * LANES;
    for (uint32_t r = 0; r < rows; ++r, plane += SN_ROW, mark += SN_MARK_ROW)
        memcpy(mark, plane, SN_MARK_ROW * sizeof *mark);
}

/* A pass over a tile that stays in planes: what later layers did to its particles comes in, and what they need goes out. */
static bool pass_resident(const layer *l, const sn_tile *tile, uint32_t index, const sn_wide_motion *motion)
{
    const sn_tiled *t = l->t;
    const home *h = (const home *)l->scratch->home_table.column[0] + index;
    const exchange *e = h->exchanges ? (const exchange *)l->scratch->exchange_table.column[0] + h->exchange : NULL;
    float *base = l->scratch->resident_table.column[0];
    float *plane = base + h->plane + PLANE_MARGIN, *side = base + h->side;
    if (t->enters)
        enter(l, tile, motion, plane, side);
    for (uint32_t i = 0; !t->enters && i < h->exchanges; ++i)
        pull(l, motion, &e[i], plane, side);
    if (t->pass == 0)
        t->wide->predict_planes(motion, plane, side, tile->rows);
    else
        note_planes(motion, plane, tile->rows);
    run_planes(l, tile, plane - PLANE_MARGIN, motion->alone);
    bool sound = t->wide->settle_planes(motion, plane, side, tile->rows);
    if (t->leaves)
        leave(l, tile, motion, plane, side);
    for (uint32_t i = 0; !t->leaves && i < h->exchanges; ++i)
        push(l, motion, &e[i], plane, side);
    return sound;
}

/* Predicts the particles of a tile, or notes where they are. */
static void begin_motion(const layer *l, const sn_wide_motion *motion)
{
    const sn_tiled *t = l->t;
    if (l->is_first && t->pass == 0)
        t->wide->predict(motion);
    else
        t->wide->note(motion);
}

static sn_wide_motion tile_motion(const layer *l, const sn_tile *tile, uint32_t worker)
{
    sn_wide_motion motion = *l->t->motion;
    motion.count = tile->count;
    motion.first = l->is_first ? tile->first : 0;
    motion.list = l->is_first ? NULL : l->plan->list + tile->first;
    motion.alone = is_alone(l->t, tile) && (!tile->rows || l->t->resident);
    motion.mark = l->t->mark + (size_t)worker * l->scratch->most;
    motion.mark_rows = (float *)(void *)motion.mark;
    return motion;
}

static void run_tile(void *data, uint32_t index, uint32_t worker)
{
    layer *l = data;
    const sn_tiled *t = l->t;
    const sn_tile *tile = &l->plan->tile[l->first + index];
    tile_result *result = (tile_result *)l->scratch->result_table.column[0] + index;
    sn_sweep sweep = {.in = t->in, .inverse_h = 1 / t->in->h};
    sn_wide_motion motion = {0};
    bool good = true;
    if (t->motion)
        motion = tile_motion(l, tile, worker);
    if (tile->rows && t->resident) {
        good = pass_resident(l, tile, index, &motion);
        *result = (tile_result){.good = good};
        if (!good)
            atomic_store_explicit(&l->failed, true, memory_order_relaxed);
        return;
    }
    if (t->motion)
        begin_motion(l, &motion);
    if (tile->rows && t->wide)
        solve_planes(l, tile, worker);
    else
        good = solve_records(l, tile, &sweep);
    if (t->motion)
        good = t->wide->settle(&motion) && good;
    *result = (tile_result){sweep.largest, sweep.out.fault_kind, sweep.out.fault_row, good};
    if (!good)
        atomic_store_explicit(&l->failed, true, memory_order_relaxed);
}

/* ---- A pass --------------------------------------------------------------------------------------------------------------------- */

/* ns of a constraint and of a particle, about: to know whether sharing pays. */
#define WORK_OF_CONSTRAINT 2.0
#define WORK_OF_PARTICLE   2.0

/* ns; threads that shared the first layer are awake, and share later ones from here on. */
#define LEAST_LATER 4000.0

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

/* Gathers what the tiles of a layer found, in their order. */
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

static bool run_layer(const sn_tiled *t, uint32_t index, sn_solver_out *out, sn_real *largest)
{
    const sn_plan *plan = t->in->plan;
    uint32_t first = plan->layer[index], end = plan->layer[index + 1];
    layer l = {.t = t, .scratch = t->in->scratch->tiled, .plan = plan, .first = first, .is_first = index == 0};
    if (!sn_parallel_tasks(is_shared(t, index) ? t->in->parallel : NULL, end - first, run_tile, &l)) {
        out->lost_tasks = true;
        return false;
    }
    return (!l.failed && !(t->in->tolerance > 0)) || read_results(&l, end - first, out, largest);
}

/* Particles that came after the plan was made are in no tile. */
static bool move_newcomers(const sn_tiled *t)
{
    sn_wide_motion motion;
    if (!t->motion || t->pass > 0 || t->in->plan->particles >= t->in->particle_count)
        return true;
    motion = *t->motion;
    motion.list = NULL;
    motion.mark = t->mark;
    bool sound = true;
    uint32_t most = ((const tiled *)t->in->scratch->tiled)->most;
    for (motion.first = t->in->plan->particles; motion.first < t->in->particle_count; motion.first += motion.count) {
        motion.count = t->in->particle_count - motion.first < most ? t->in->particle_count - motion.first : most;
        t->wide->predict(&motion);
        sound = t->wide->settle(&motion) && sound;
    }
    return sound;
}

/* A constraint outside of tiles: its particles are noted and settled for it alone. */
static bool project_alone(const sn_tiled *t, sn_sweep *sweep, sn_visit visit)
{
    uint32_t small[SN_MAX_BLOCK], count;
    const sn_store *store = t->in->store;
    if (!visit.kind)
        return true;
    if (!t->motion)
        return project(t, sweep, visit.kind, visit.row);
    const sn_pool *pool = store->pool[visit.kind];
    uint32_t *list = pool_has_lists(pool) ? store->many.column[SN_MANY_NUMBER] : small;
    const uint32_t *number = sn_store_particles(store, pool, visit.row, small, &count);
    for (uint32_t i = 0; i < count; ++i)
        list[i] = t->in->frame.slot[number[i]];
    count = pool_has_lists(pool) ? count : sn_plan_once(list, count);
    sn_wide_motion motion = *t->motion;
    motion.first = 0;
    motion.count = count;
    motion.list = list;
    motion.mark = t->mark;
    t->wide->note(&motion);
    if (!project(t, sweep, visit.kind, visit.row))
        return false;
    if (pool_has_lists(pool)) { /* evaluating used the same scratch */
        number = sn_store_particles(store, pool, visit.row, small, &count);
        for (uint32_t i = 0; i < count; ++i)
            list[i] = t->in->frame.slot[number[i]];
    }
    return t->wide->settle(&motion);
}

static bool project_rest(const sn_tiled *t, sn_sweep *sweep, const sn_visit *visit, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        if (!project_alone(t, sweep, visit[i]))
            return false;
    return true;
}

/* Those that came later have no colour. As they were added would be one direction through a body that was added at once, and
   gain energy: so a coin sends half of them to the way back, and what holds one particle comes last. */
typedef enum way { WAY_THERE, WAY_BACK, AT_THE_END } way;

static way way_of(const sn_tiled *t, uint32_t i)
{
    sn_visit visit = t->in->plan->extra[i];
    if (visit.kind && t->in->store->pool[visit.kind]->kind.points == 1)
        return AT_THE_END;
    return hash_u64(hash_u64(SN_HASH_SEED, i), i) >> 63 ? WAY_BACK : WAY_THERE;
}

static bool project_extra(const sn_tiled *t, sn_sweep *sweep)
{
    const sn_plan *plan = t->in->plan;
    uint32_t count = plan->extra_table.count;
    bool good = true;
    for (uint32_t i = 0; good && i < count; ++i)
        good = way_of(t, i) != WAY_THERE || project_alone(t, sweep, plan->extra[i]);
    for (uint32_t i = count; good && i-- > 0;)
        good = way_of(t, i) != WAY_BACK || project_alone(t, sweep, plan->extra[i]);
    for (uint32_t i = 0; good && i < count; ++i)
        good = way_of(t, i) != AT_THE_END || project_alone(t, sweep, plan->extra[i]);
    return good;
}

bool sn_tiled_pass(const sn_tiled *t, sn_solver_out *out, sn_real *largest)
{
    const sn_plan *plan = t->in->plan;
    sn_sweep sweep = {.in = t->in, .inverse_h = 1 / t->in->h};
    bool good = move_newcomers(t);
    for (uint32_t i = 0; good && i + 1 < plan->layer_table.count; ++i)
        good = run_layer(t, i, out, largest);
    good = good && project_rest(t, &sweep, plan->many, plan->many_table.count) && sn_hubs_pass(t, out, largest);
    good = good && project_extra(t, &sweep);
    if (sweep.out.fault_kind) {
        out->fault_kind = sweep.out.fault_kind;
        out->fault_row = sweep.out.fault_row;
    }
    *largest = sweep.largest > *largest ? sweep.largest : *largest;
    return good;
}

/* Residuals, gradients at the start of the substep and damping are for the generic way; with damping, the plan knows. */
static const sn_wide *wide_for(const sn_solver_in *in)
{
    return in->tolerance > 0 || in->gradients == SN_GRADIENTS_START ? NULL : in->wide;
}

static sn_solver_out solve(const sn_solver_in *in)
{
    sn_solver_out out = {0};
    sn_tiled t = {.in = in, .wide = wide_for(in), .keep_lambda = true};
    for (; out.passes < in->iterations && in->store->counts.live; ++t.pass) {
        sn_real largest = 0;
        out.passes++;
        if (!sn_tiled_pass(&t, &out, &largest) || largest < in->tolerance)
            break;
    }
    return out;
}

const sn_solver_method sn_solver_tiled = {
    .name = "tiled", .own_projections = true, .reserve = reserve, .solve = solve, .release = release};

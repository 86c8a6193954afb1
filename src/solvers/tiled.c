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

    sn_table past_table;  /* of float: and what BDF2 remembers of them, */
    uint64_t past_floats; /*   which are so many */
    sn_table state_table; /* of tile_state, by tile: see sn_tiled_begin */

    sn_table mark_table; /* of sn_vec4: for each worker, as many as the largest tile has particles */
    uint32_t most;       /* those */
} tiled;

/* Where a tile's planes are, and what of it others touch. */
typedef struct home {
    size_t plane; /* rows of places, behind which those of velocities start at `side` */
    size_t side;
    size_t past; /* and where those of the past do, in a table of their own */
    uint32_t exchange, exchanges;
} home;

/* Particles that later layers touch: where they are in both forms. */
typedef struct exchange {
    uint32_t slot;
    uint32_t row, lane;
    uint32_t rows; /* 0: one particle; otherwise so many rows, all lanes */
} exchange;

/* What is looked at once a step. */
typedef struct tile_state {
    float reach;  /* m: the largest coordinate, of large tiles */
    bool held;    /* one of its particles, or of its body, is immovable */
    bool watched; /* one of its particles has a target, or is the centre of a body: others use it between passes */
    bool pushed;  /* one of them has a force from the user */
} tile_state;

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

/* One tile on its way. */
typedef struct tile_pass {
    uint32_t worker;
    sn_sweep *sweep;         /* for constraints that are projected one by one */
    float least;             /* m: corrections that are smaller are not made, where places are coarse */
    float largest[SN_BATCH]; /* m, by lane: the largest that batches made, if they are measured */
} tile_pass;

#define PLANE_MARGIN SN_BATCH /* floats before the first row and behind the last that lanes may reach */
#define LANES        SN_BATCH

/* ns of a constraint and of a particle, about: to know whether sharing pays. */
#define WORK_OF_CONSTRAINT 2.0
#define WORK_OF_PARTICLE   2.0

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
    sn_table_column(&t->past_table, sizeof(float), false);
    sn_table_column(&t->state_table, sizeof(tile_state), false);
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
    uint64_t floats = 0, past = 0;
    t->home_table.count = t->exchange_table.count = 0;
    for (uint32_t i = plan->layer[0]; i < plan->layer[1]; ++i) {
        const sn_tile *tile = &plan->tile[i];
        home h = {.plane = floats,
                  .side = floats + plane_floats(tile->rows),
                  .past = past,
                  .exchange = t->exchange_table.count};
        if (tile->rows && !list_tile(t, allocator, tile, touched))
            return false;
        h.exchanges = t->exchange_table.count - h.exchange;
        past += (uint64_t)tile->rows * SN_PAST_ROW;
        floats += tile->rows ? plane_floats(tile->rows) + (size_t)tile->rows * SN_SIDE_ROW : 0;
        ((home *)t->home_table.column[0])[t->home_table.count++] = h;
    }
    t->past_table.count = 0;
    t->past_floats = past;
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
        !sn_table_reserve(&t->state_table, allocator, in->plan->tile_table.count) ||
        !reserve_resident(t, allocator, in))
        return false;
    bool looks_back = sn_integrators[in->settings->integrator]->looks_back;
    if (looks_back && in->wide && !sn_table_reserve(&t->past_table, allocator, t->past_floats))
        return false;
    return sn_hubs_reserve(in, allocator) && reserve_marks(t, allocator, in);
}

static sn_vec4 *marks(const sn_tiled *t)
{
    return ((const tiled *)t->in->scratch->tiled)->mark_table.column[0];
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
    sn_table_release(&t->past_table, allocator);
    sn_table_release(&t->state_table, allocator);
    sn_table_release(&t->mark_table, allocator);
    sn_release(allocator, t, sizeof *t);
    scratch->tiled = NULL;
}

/* ---- Single constraints ------------------------------------------------------------------------------------------------------ */

/* The slots of a constraint's particles, each once. */
static uint32_t list_slots(const sn_solver_in *in, sn_visit visit, uint32_t *list)
{
    uint32_t small[SN_MAX_BLOCK], count;
    const sn_pool *pool = in->store->pool[visit.kind];
    const uint32_t *number = sn_store_particles(in->store, pool, visit.row, small, &count);
    for (uint32_t i = 0; i < count; ++i)
        list[i] = in->frame.slot[number[i]];
    return pool_has_lists(pool) ? count : sn_plan_once(list, count);
}

static bool project(const sn_tiled *t, sn_sweep *sweep, uint32_t kind, uint32_t row)
{
    sn_pool *pool = t->in->store->pool[kind];
    if (t->pass == 0)
        memset(pool->lambda + (size_t)row * pool->kind.rows, 0, pool->kind.rows * sizeof *pool->lambda);
    return sn_sweep_project(sweep, kind, row);
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

/* ---- How places are rounded --------------------------------------------------------------------------------------------------- */

/* Large tiles move places themselves instead of their remainders (x_low), where that is precise enough: it saves a fifth of the
   time. A correction is then rounded to the last place of x: to 6e-8 m at 1 m, which the velocity sees as 6e-8 m / h,
   4e-5 m/s at 1/600 s. Corrections that could be nothing but rounding are not made: in a sheet that falls freely all of
   them are, and they made it drift by 0.6 mm in a second. In substeps below SHORTEST_COARSE, or in a tile with a particle farther
   than FARTHEST_COARSE from the origin, it is not done.

   Nor is it done where nothing holds the body: rounding pushes to the grid of x, which is another one at either end of a rod, does
   not keep momentum. A turning block of 125 particles that nothing held was 12 m away after 10,000 frames. A body with an
   immovable particle gives its momentum to that anyway. */
#define SHORTEST_COARSE ((sn_real)1e-3) /* s */
#define FARTHEST_COARSE 16.0f           /* m, by coordinate */

/* The length of a rod is wrong by up to 2 sqrt(3) halves of a last place because of where its ends were rounded to; a last place
   is up to 2^-23 of the coordinate. */
#define ROUNDING (4 * 0x1p-24f)

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

/* Whether a column has a number other than 0 for a particle of a tile of the first layer. */
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

static void look_at_tile(void *data, uint32_t index, uint32_t worker)
{
    const looking *l = data;
    const sn_plan *plan = l->in->plan;
    const sn_tile *tile = &plan->tile[index];
    const uint32_t *list = index < plan->layer[1] ? NULL : plan->list + tile->first;
    tile_state state = {0};
    (void)worker;
    for (uint32_t i = 0; tile->large && i < tile->count; ++i) {
        const sn_vec4 *x = &l->in->frame.x[list ? list[i] : tile->first + i];
        float reach = reach_of(x);
        state.reach = reach > state.reach ? reach : state.reach;
        state.held = state.held || x->w == 0;
    }
    if (!list) {
        state.watched = is_any_set(l->others->target, tile) || is_any_set(l->others->body, tile);
        state.pushed = is_any_pushed(l->others->pushed, tile);
    }
    l->state[index] = state;
}

/* What holds one tile of a body holds all of them. */
static void pass_hold_on(const sn_plan *plan, tile_state *state)
{
    for (uint32_t i = 0; i < plan->tile_table.count; ++i)
        state[plan->tile[i].body].held = state[plan->tile[i].body].held || (plan->tile[i].large && state[i].held);
    for (uint32_t i = 0; i < plan->tile_table.count; ++i)
        state[i].held = state[plan->tile[i].body].held;
}

bool sn_tiled_begin(const sn_solver_in *in, const sn_tiled_others *others)
{
    looking l = {in, others, ((tiled *)in->scratch->tiled)->state_table.column[0]};
    sn_plan_correct_stiffness(in->plan, in->store, in->stiffness_root);
    bool share = sn_parallel_wants(in->parallel, WORK_OF_PARTICLE * in->particle_count);
    if (!sn_parallel_tasks(share ? in->parallel : NULL, in->plan->tile_table.count, look_at_tile, &l))
        return false;
    pass_hold_on(in->plan, l.state);
    return true;
}

static const tile_state *state_of(const layer *l, const sn_tile *tile)
{
    return (const tile_state *)l->scratch->state_table.column[0] + (tile - l->plan->tile);
}

/* Whether a tile moves places themselves. *least: it then makes no corrections smaller than this, m. */
static bool is_coarse(const layer *l, const sn_tile *tile, float *least)
{
    const float reach = state_of(l, tile)->reach;
    *least = ROUNDING * reach;
    return l->t->wide && tile->large && state_of(l, tile)->held && l->t->motion->h >= SHORTEST_COARSE &&
           reach <= FARTHEST_COARSE;
}

/* ---- Tiles -------------------------------------------------------------------------------------------------------------------- */

/* Whether the multipliers of a run are kept: for further passes, if what they make depends on them; or for what reads them. */
static bool keeps_lambda(const sn_tiled *t, const sn_plan_run *run)
{
    const sn_plan *plan = t->in->plan;
    const uint32_t at = (uint32_t)(run - plan->run);
    const sn_kind *kind = &t->in->store->pool[run->kind]->kind;
    return t->keep_lambda || plan->watched[at] || kind->settle ||
           (t->again && (plan->feature[at] & SN_RUN_SOFT || kind->inequality || kind->own_rows));
}

/* The wide form of a run; where its particles are is still missing. */
static sn_wide_run wide_run(const sn_tiled *t, const sn_plan_run *run, tile_pass *p)
{
    const sn_plan *plan = t->in->plan;
    const sn_pool *pool = t->in->store->pool[run->kind];
    const sn_frame *frame = &t->in->frame;
    const sn_real inverse_h = 1 / t->in->h;
    const bool keeps = keeps_lambda(t, run);
    const uint8_t feature = plan->feature[run - plan->run];
    const float *damping = run->give == SN_PLAN_NONE ? NULL : plan->give + run->give;
    return (sn_wide_run){.batches = run->batches,
                         .mask = plan->mask + run->batch,
                         .param = plan->param ? plan->param + run->param : NULL,
                         .compliance = feature & SN_RUN_SOFT ? plan->compliance + (size_t)run->batch * SN_BATCH : NULL,
                         .row = plan->row + (size_t)run->batch * SN_BATCH,
                         .lambda = (float *)(void *)pool->lambda,
                         .read_lambda = keeps && t->pass > 0,
                         .write_lambda = keeps,
                         .inverse_h2 = (float)(inverse_h * inverse_h),
                         .least = p->least,
                         .number = run->kind,
                         .kind = &pool->kind,
                         .params = pool->param_count,
                         .bounded = sn_wide_bounded(&pool->kind),
                         .planar = frame->planar,
                         .damping = feature & SN_RUN_DAMPED ? damping : NULL,
                         .stiffness = feature & SN_RUN_LIMP ? damping + (size_t)run->batches * SN_BATCH : NULL,
                         .inverse_h = (float)inverse_h,
                         .h = (float)frame->h,
                         .state = (float *)(void *)pool->state,
                         .largest = t->measures ? p->largest : NULL};
}

/* Where the particles of a run are, from slot `first` on. */
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
}

/* A constraint that is not in a batch moves remainders; in a tile that moves places, places get what it moved. */
static bool project_coarse(const sn_tiled *t, sn_sweep *sweep, sn_visit visit)
{
    uint32_t slot[SN_MAX_BLOCK];
    sn_vec4 low[SN_MAX_BLOCK], *moved = t->in->frame.d;
    uint32_t count = list_slots(t->in, visit, slot);
    for (uint32_t i = 0; i < count; ++i)
        low[i] = moved[slot[i]];
    if (!project(t, sweep, visit.kind, visit.row))
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec4 *x = &t->motion->x[slot[i]], *d = &moved[slot[i]];
        *x = (sn_vec4){x->x + (d->x - low[i].x), x->y + (d->y - low[i].y), x->z + (d->z - low[i].z), x->w};
        *d = low[i];
    }
    return true;
}

static bool project_visits(const sn_tiled *t, sn_sweep *sweep, const sn_plan_run *run, bool coarse)
{
    const sn_visit *visit = t->in->plan->visit + run->visit;
    bool good = true;
    for (uint32_t i = 0; good && i < run->visits; ++i)
        if (visit[i].kind)
            good = coarse ? project_coarse(t, sweep, visit[i]) : project(t, sweep, visit[i].kind, visit[i].row);
    return good;
}

static bool solve_records(const layer *l, const sn_tile *tile, bool coarse, tile_pass *p)
{
    const sn_tiled *t = l->t;
    const sn_plan *plan = l->plan;
    for (uint32_t r = tile->run; r < tile->run + tile->runs; ++r) {
        const sn_plan_run *run = &plan->run[r];
        if (!run->batches || !t->wide) {
            if (!(run->batches ? project_batches(t, p->sweep, run) : project_visits(t, p->sweep, run, coarse)))
                return false;
            continue;
        }
        sn_wide_run wide = wide_run(t, run, p);
        place_records(t, &wide, run, coarse, l->is_first ? tile->first : 0);
        wide.near = l->is_first ? plan->near + run->index : NULL;
        wide.far = l->is_first ? NULL : plan->far + run->index;
        sn_wide_project(t->wide, &wide);
    }
    return true;
}

static void run_planes(const layer *l, const sn_tile *tile, float *margin, bool coarse, tile_pass *p)
{
    for (uint32_t r = tile->run; r < tile->run + tile->runs; ++r) {
        const sn_plan_run *run = &l->plan->run[r];
        sn_wide_run wide = wide_run(l->t, run, p);
        wide.plane = margin;
        wide.coarse = coarse;
        wide.offset = l->plan->offset + run->index;
        sn_wide_project(l->t->wide, &wide);
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
static void solve_planes(const layer *l, const sn_tile *tile, bool coarse, tile_pass *p)
{
    const sn_tiled *t = l->t;
    const sn_frame *frame = &t->in->frame;
    sn_vec4 *moved = (coarse ? t->motion->x : frame->d) + tile->first;
    float *margin = (float *)l->scratch->plane_table.column[0] + p->worker * l->scratch->each,
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
    run_planes(l, tile, margin, coarse, p);
    t->wide->collect(moved, full, plane, coarse);
    for (uint32_t i = full; i < tile->count; ++i) {
        const float *at = plane + (size_t)place_in_rows(tile, i, &lane) * SN_ROW;
        get3(&moved[i], at + (coarse ? SN_PLANE_X : SN_PLANE_D) * LANES + lane);
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
static void pull_one(const sn_motion *m, uint32_t slot, row_place to)
{
    put3(to.at + SN_PLANE_X * LANES, m->x[slot]);
    put3(to.at + SN_PLANE_D * LANES, m->x_low[slot]);
    put3(to.beside + SN_PLANE_V * LANES, m->v[slot]);
    put3(to.beside + SN_PLANE_V_LOW * LANES, m->v_low[slot]);
}

static void push_one(const sn_motion *m, uint32_t slot, row_place from)
{
    get3(&m->x[slot], from.at + SN_PLANE_X * LANES);
    get3(&m->x_low[slot], from.at + SN_PLANE_D * LANES);
    get3(&m->v[slot], from.beside + SN_PLANE_V * LANES);
    get3(&m->v_low[slot], from.beside + SN_PLANE_V_LOW * LANES);
}

/* Rows of particles, or one. */
static void pull(const layer *l, const sn_motion *motion, const exchange *e, float *plane, float *side)
{
    sn_motion some = *motion;
    if (!e->rows) {
        pull_one(motion, e->slot, find_place(plane, side, e->row, e->lane));
        return;
    }
    some.first = e->slot;
    some.count = e->rows * LANES;
    l->t->wide->enter(&some, plane + (size_t)e->row * SN_ROW, side + (size_t)e->row * SN_SIDE_ROW);
}

static void push(const layer *l, const sn_motion *motion, const exchange *e, float *plane, float *side)
{
    sn_motion some = *motion;
    if (!e->rows) {
        push_one(motion, e->slot, find_place(plane, side, e->row, e->lane));
        return;
    }
    some.first = e->slot;
    some.count = e->rows * LANES;
    l->t->wide->leave(&some, plane + (size_t)e->row * SN_ROW, side + (size_t)e->row * SN_SIDE_ROW);
}

/* A tile in planes: its rows of places, of velocities, and of the past; NULL: none. */
typedef struct planes {
    float *plane, *side, *back;
} planes;

static void enter(const layer *l, const sn_tile *tile, const sn_motion *motion, planes p)
{
    sn_motion full = *motion;
    uint32_t lane;
    full.count = in_full_rows(tile);
    memset(p.plane - PLANE_MARGIN, 0,
           plane_floats(tile->rows) * sizeof *p.plane); /* lanes without particles, too, are numbers */
    memset(p.side, 0, (size_t)tile->rows * SN_SIDE_ROW * sizeof *p.side);
    l->t->wide->enter(&full, p.plane, p.side);
    if (p.back) {
        memset(p.back, 0, (size_t)tile->rows * SN_PAST_ROW * sizeof *p.back);
        l->t->wide->enter_past(&full, p.back);
    }
    for (uint32_t i = full.count; i < tile->count; ++i) {
        uint32_t row = place_in_rows(tile, i, &lane), slot = tile->first + i;
        row_place place = find_place(p.plane, p.side, row, lane);
        pull_one(motion, slot, place);
        place.at[SN_PLANE_W * LANES] = (float)motion->x[slot].w;
        if (p.back) {
            put3(p.back + (size_t)row * SN_PAST_ROW + SN_PLANE_OLD_D * LANES + lane, motion->old_d[slot]);
            put3(p.back + (size_t)row * SN_PAST_ROW + SN_PLANE_OLD_V * LANES + lane, motion->old_v[slot]);
        }
    }
}

static void leave(const layer *l, const sn_tile *tile, const sn_motion *motion, planes p)
{
    sn_motion full = *motion;
    uint32_t lane;
    full.count = in_full_rows(tile);
    l->t->wide->leave(&full, p.plane, p.side);
    if (p.back)
        l->t->wide->leave_past(&full, p.back);
    for (uint32_t i = full.count; i < tile->count; ++i) {
        uint32_t row = place_in_rows(tile, i, &lane), slot = tile->first + i;
        push_one(motion, slot, find_place(p.plane, p.side, row, lane));
        if (p.back) {
            get3(&motion->old_d[slot], p.back + (size_t)row * SN_PAST_ROW + SN_PLANE_OLD_D * LANES + lane);
            get3(&motion->old_v[slot], p.back + (size_t)row * SN_PAST_ROW + SN_PLANE_OLD_V * LANES + lane);
        }
    }
}

/* The planes of a tile that stays in them. */
static planes planes_of(const layer *l, uint32_t index)
{
    const home *h = (const home *)l->scratch->home_table.column[0] + index;
    float *base = l->scratch->resident_table.column[0];
    planes p = {base + h->plane + PLANE_MARGIN, base + h->side, NULL};
    if (l->t->motion->looks_back)
        p.back = (float *)l->scratch->past_table.column[0] + h->past;
    return p;
}

/* Where they are now, for a further pass: what is pushed from here on counts. */
static void note_planes(const sn_motion *motion, const float *plane, uint32_t rows)
{
    float *mark = motion->mark_rows;
    plane += (motion->coarse ? SN_PLANE_X : SN_PLANE_D) * LANES;
    for (uint32_t r = 0; r < rows; ++r, plane += SN_ROW, mark += SN_MARK_ROW)
        memcpy(mark, plane, SN_MARK_ROW * sizeof *mark);
}

/* The particles of a tile that later layers touch: into its planes, or out of them. */
static void exchange_tile(const layer *l, uint32_t index, const sn_motion *motion, planes p, bool in)
{
    const home *h = (const home *)l->scratch->home_table.column[0] + index;
    const exchange *e = l->scratch->exchange_table.column[0];
    for (uint32_t i = h->exchange; i < h->exchange + h->exchanges; ++i)
        (in ? pull : push)(l, motion, &e[i], p.plane, p.side);
}

/* A pass over a tile that stays in planes: what later layers did to its particles comes in, and what they need goes out. */
static bool pass_resident(const layer *l, const sn_tile *tile, uint32_t index, const sn_motion *motion, tile_pass *pass)
{
    const sn_tiled *t = l->t;
    const planes p = planes_of(l, index);
    if (t->enters)
        enter(l, tile, motion, p);
    else
        exchange_tile(l, index, motion, p, true);
    if (t->pass == 0)
        t->wide->predict_planes(motion, p.plane, p.side, p.back, tile->rows);
    else
        note_planes(motion, p.plane, tile->rows);
    run_planes(l, tile, p.plane - PLANE_MARGIN, motion->coarse, pass);
    bool sound = t->wide->settle_planes(motion, p.plane, p.side, tile->rows);
    if (t->leaves)
        leave(l, tile, motion, p);
    else
        exchange_tile(l, index, motion, p, false);
    return sound;
}

static sn_motion tile_motion(const layer *l, const sn_tile *tile, uint32_t worker, float *least)
{
    sn_motion motion = *l->t->motion;
    motion.count = tile->count;
    motion.first = l->is_first ? tile->first : 0;
    motion.list = l->is_first ? NULL : l->plan->list + tile->first;
    motion.coarse = is_coarse(l, tile, least);
    if (motion.force == motion.given && !state_of(l, tile)->pushed)
        motion.force = NULL;
    motion.mark = marks(l->t) + (size_t)worker * l->scratch->most;
    motion.mark_rows = (float *)(void *)motion.mark;
    return motion;
}

/* A tile that is in storage between passes: predicted, or noted where it is; solved; and settled. */
static bool pass_records(const layer *l, const sn_tile *tile, const sn_motion *motion, tile_pass *p)
{
    const sn_tiled *t = l->t;
    bool good = true;
    (l->is_first && t->pass == 0 && t->predicts ? t->table->predict : t->table->note)(motion);
    if (tile->rows && t->wide)
        solve_planes(l, tile, motion->coarse, p);
    else
        good = solve_records(l, tile, motion->coarse, p);
    return t->table->settle(motion) && good;
}

static bool is_resident(const layer *l, const sn_tile *tile)
{
    const tile_state *state = state_of(l, tile);
    return tile->rows && l->t->resident && !state->watched && !state->pushed;
}

static void run_tile(void *data, uint32_t index, uint32_t worker)
{
    layer *l = data;
    const sn_tiled *t = l->t;
    const sn_tile *tile = &l->plan->tile[l->first + index];
    tile_result *result = (tile_result *)l->scratch->result_table.column[0] + index;
    sn_sweep sweep = {.in = t->in, .inverse_h = 1 / t->in->h};
    tile_pass p = {.worker = worker, .sweep = &sweep};
    const sn_motion motion = tile_motion(l, tile, worker, &p.least);
    bool good = is_resident(l, tile) ? pass_resident(l, tile, index, &motion, &p) : pass_records(l, tile, &motion, &p);
    sn_real largest = sweep.largest;
    for (uint32_t i = 0; i < SN_BATCH; ++i)
        largest = (sn_real)p.largest[i] > largest ? (sn_real)p.largest[i] : largest;
    *result = (tile_result){largest, sweep.out.fault_kind, sweep.out.fault_row, good};
    if (!good)
        atomic_store_explicit(&l->failed, true, memory_order_relaxed);
}

/* ---- A pass --------------------------------------------------------------------------------------------------------------------- */

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
    return (!l.failed && !t->measures) || read_results(&l, end - first, out, largest);
}

/* Particles that came after the plan was made are in no tile. They are settled once, as those of tiles are, though nothing moved
   them: settling may round. */
static bool move_newcomers(const sn_tiled *t)
{
    sn_motion motion = *t->motion;
    bool sound = true;
    uint32_t most = ((const tiled *)t->in->scratch->tiled)->most;
    motion.list = NULL;
    motion.mark = marks(t);
    motion.first = t->in->plan->particles;
    for (; t->pass == 0 && motion.first < t->in->particle_count; motion.first += motion.count) {
        motion.count = t->in->particle_count - motion.first < most ? t->in->particle_count - motion.first : most;
        (t->predicts ? t->table->predict : t->table->note)(&motion);
        sound = t->table->settle(&motion) && sound;
    }
    return sound;
}

/* A constraint outside of tiles: its particles are noted and settled for it alone. */
static bool project_alone(const sn_tiled *t, sn_sweep *sweep, sn_visit visit)
{
    uint32_t small[SN_MAX_BLOCK];
    const sn_solver_in *in = t->in;
    if (!visit.kind)
        return true;
    bool lists = pool_has_lists(in->store->pool[visit.kind]);
    uint32_t *list = lists ? in->store->many.column[SN_MANY_NUMBER] : small;
    sn_motion motion = *t->motion;
    motion.first = 0;
    motion.count = list_slots(in, visit, list);
    motion.list = list;
    motion.mark = marks(t);
    t->table->note(&motion);
    if (!project(t, sweep, visit.kind, visit.row))
        return false;
    if (lists) /* evaluating used the same scratch */
        list_slots(in, visit, list);
    return t->table->settle(&motion);
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
    good =
        good && project_rest(t, &sweep, plan->many, plan->many_table.count) && sn_hubs_pass(t, marks(t), out, largest);
    good = good && project_extra(t, &sweep);
    if (sweep.out.fault_kind) {
        out->fault_kind = sweep.out.fault_kind;
        out->fault_row = sweep.out.fault_row;
    }
    *largest = sweep.largest > *largest ? sweep.largest : *largest;
    return good;
}

static void leave_tile(void *data, uint32_t index, uint32_t worker)
{
    const layer *l = data;
    const sn_tile *tile = &l->plan->tile[index];
    float least;
    sn_motion motion = tile_motion(l, tile, worker, &least);
    if (!is_resident(l, tile))
        return;
    exchange_tile(l, index, &motion, planes_of(l, index), true); /* later layers have moved them since */
    leave(l, tile, &motion, planes_of(l, index));
}

bool sn_tiled_leave(const sn_tiled *t)
{
    const sn_plan *plan = t->in->plan;
    layer l = {.t = t, .scratch = t->in->scratch->tiled, .plan = plan, .is_first = true};
    bool share = sn_parallel_wants(t->in->parallel, work_of(plan, 0));
    return sn_parallel_tasks(share ? t->in->parallel : NULL, plan->layer[1], leave_tile, &l);
}

const sn_solver_method sn_solver_tiled = {
    .name = "tiled", .own_projections = true, .reserve = reserve, .release = release};

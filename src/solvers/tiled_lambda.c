/* Multipliers of batches.

   Constraints of a tile are scattered over their pool, and several tiles share cache lines there. So multipliers that
   are only read after the step are written in the order of the lanes of the plan, and sn_tiled_collect_lambda moves
   them to the pool.

   The forces of breakable constraints are looked at after every substep, also by lane: their maximum is one over
   contiguous numbers. For a constraint of one row the force is its multiplier. For others the driver writes it, since
   it has the gradients. */
#include "solvers/tiled_work.h"

#include <math.h>
#include <string.h>

static float *column(const tiled *t, int which)
{
    return t->lambda_table.column[which];
}

bool sn_lambda_reserve(tiled *t, const sn_allocator *allocator, const sn_solver_in *in)
{
    bool room = sn_table_reserve(&t->lambda_table, allocator, in->plan->row_table.count);
    for (uint32_t kind = 1; room && kind < in->store->kind_count; ++kind)
        room = sn_parallel_reserve(in->parallel, allocator, in->store->pool[kind]->table.count);
    return room;
}

static bool is_by_lane(const sn_pool *pool)
{
    return pool->kind->rows == 1 && pool->kind->lanes && !pool->kind->state;
}

/* Whether the multiplier of a constraint is its force. */
static bool is_a_force(const sn_pool *pool)
{
    return is_by_lane(pool) && !pool->kind->oriented;
}

bool sn_lambda_is_kept(const sn_tiled *t, const sn_plan_run *run)
{
    const sn_plan *plan = t->in->plan;
    const uint32_t at = (uint32_t)(run - plan->run);
    const sn_pool *pool = t->in->store->pool[run->kind];
    const sn_kind *kind = pool->kind;
    return t->keep_lambda || kind->pivot || (plan->watched[at] && (t->again || !t->by_lane || is_a_force(pool))) ||
           (kind->settle && plan->feature[at] & SN_RUN_SETTLES) ||
           (t->again && (plan->feature[at] & SN_RUN_SOFT || kind->inequality || kind->own_rows));
}

void sn_lambda_place(const sn_tiled *t, const sn_plan_run *run, sn_wide_run *wide)
{
    const tiled *scratch = t->in->scratch->tiled;
    const sn_pool *pool = t->in->store->pool[run->kind];
    const size_t at = (size_t)run->batch * SN_BATCH;
    if (!t->by_lane)
        return;
    if (is_by_lane(pool)) {
        wide->lambda = column(scratch, LAMBDA) + at;
        wide->row = NULL;
    }
    if (t->in->plan->watched[run - t->in->plan->run] && !is_a_force(pool)) {
        wide->force = column(scratch, LAMBDA_FORCE) + at;
        wide->torque = column(scratch, LAMBDA_TORQUE) + at;
    }
}

typedef struct collecting {
    sn_pool *pool;
    const float *lambda;
} collecting;

static void collect_piece(void *data, uint32_t first, uint32_t end)
{
    const collecting *c = data;
    for (uint32_t row = first; row < end; ++row) {
        uint32_t place = c->pool->place[row] - 1;
        if (place >> PLACE_SHIFT == PLACE_LANE)
            c->pool->lambda[row] = (sn_real)c->lambda[place & PLACE_MASK];
    }
}

bool sn_tiled_collect_lambda(const sn_tiled *t)
{
    collecting c = {.lambda = column(t->in->scratch->tiled, LAMBDA)};
    bool done = true;
    for (uint32_t kind = 1; t->by_lane && done && kind < t->in->store->kind_count; ++kind) {
        c.pool = t->in->store->pool[kind];
        if (c.pool->ids.live && is_by_lane(c.pool))
            done = sn_parallel_for(t->in->parallel, c.pool->table.count, collect_piece, &c);
    }
    if (done)
        sn_hierarchy_add_pulls(&((tiled *)t->in->scratch->tiled)->hierarchy, t->in);
    return done;
}

/* ---- The largest forces ------------------------------------------------------------------------------------------ */

void sn_lambda_watch_anew(tiled *t, const sn_plan *plan)
{
    const bool is_new = t->lambda_serial != plan->serial; /* batches that do not move write nothing */
    t->lambda_serial = plan->serial;
    for (int which = is_new ? LAMBDA : LAMBDA_MOST_FORCE; which <= LAMBDA_MOST_TORQUE; ++which)
        memset(column(t, which), 0, plan->row_table.count * sizeof(float));
}

/* Lanes without a constraint may contain anything. */
static void raise(float *restrict most, const float *restrict now, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        const float size = fabsf(now[i]);
        most[i] = size > most[i] ? size : most[i];
    }
}

void sn_tiled_watch(const sn_tiled *t)
{
    const tiled *scratch = t->in->scratch->tiled;
    const sn_plan *plan = t->in->plan;
    for (uint32_t r = 0; r < plan->run_table.count; ++r) {
        const sn_plan_run *run = &plan->run[r];
        const sn_pool *pool = t->in->store->pool[run->kind];
        const size_t at = (size_t)run->batch * SN_BATCH;
        const uint32_t count = run->batches * SN_BATCH;
        if (!plan->watched[r])
            continue;
        raise(column(scratch, LAMBDA_MOST_FORCE) + at, column(scratch, is_a_force(pool) ? LAMBDA : LAMBDA_FORCE) + at,
              count);
        if (pool->kind->oriented)
            raise(column(scratch, LAMBDA_MOST_TORQUE) + at, column(scratch, LAMBDA_TORQUE) + at, count);
    }
}

void sn_tiled_exerted(const sn_solver_in *in, uint32_t kind, uint32_t row, float *force, float *torque)
{
    const tiled *scratch = in->scratch->tiled;
    const uint32_t lane = (in->store->pool[kind]->place[row] - 1) & PLACE_MASK;
    *force = column(scratch, LAMBDA_MOST_FORCE)[lane];
    *torque = column(scratch, LAMBDA_MOST_TORQUE)[lane];
}

/* Gauss-Seidel: constraints are projected one after the other, each at the positions after the previous projection (the
   "cascade" of the lectures). It is sequential by nature, and the reference for faster solvers in tests. */
#include "solvers/gauss_seidel.h"

#include "solvers/order.h"
#include "solvers/preload.h"
#include "solvers/row.h"
#include "solvers/worst_first.h"

typedef sn_sweep sweep;

#define LEAST_ALONG 0.1 /* of the squared start gradient: the least component along it of the present gradient */

sn_real sn_sweep_stiffness(sweep *s, sn_real k)
{
    if (s->in->stiffness_root <= 1 || k == 0 || k == 1)
        return k;
    if (k != s->k) {
        s->k = k;
        s->corrected_k = row_stiffness(k, s->in->stiffness_root);
    }
    return s->corrected_k;
}

/* Whether the present gradients point so far from those at the start (by more than 84 degrees, for equal lengths) that
   a step along the latter would hardly reduce C, or even increase it: the constraint has rotated too far in the
   substep. */
static bool has_turned(const sn_block *block, const sn_vec3 *now)
{
    for (uint32_t r = 0; r < block->rows; ++r) {
        double both = 0, start = 0;
        for (uint32_t i = r * block->count; i < (r + 1) * block->count; ++i) {
            double w = (double)block->w[i - r * block->count];
            both += w * vec3_dot_double(block->gradient[i], now[i]);
            start += w * vec3_dot_double(block->gradient[i], block->gradient[i]);
        }
        if (both < LEAST_ALONG * start)
            return true;
    }
    return false;
}

bool sn_evaluate_start(const sn_solver_in *in, const sn_pool *pool, uint32_t row, sn_block *block, sn_block_room *room)
{
    sn_frame start = in->frame;
    sn_real c[SN_MAX_ROWS];
    sn_vec3 now[SN_MAX_ROWS * SN_MAX_BLOCK];
    const bool lists = pool_has_lists(pool); /* their gradients are too many for the stack */
    start.x = start.start;
    start.d = NULL;
    if (!evaluate(in->store, pool, row, &in->frame, block, room))
        return false;
    memcpy(c, block->c, sizeof c);
    if (!lists)
        memcpy(now, block->gradient, (size_t)block->rows * block->count * sizeof *now);
    bool exists = evaluate(in->store, pool, row, &start, block, room);
    memcpy(block->c, c, sizeof c);
    return exists && (lists || !has_turned(block, now));
}

/* Projects one constraint of a given shape; false if its result is not finite. */
SN_INLINE bool project_shape(sweep *s, sn_pool *pool, uint32_t row, uint32_t points, uint32_t rows)
{
    sn_real *lambda = pool->lambda + (size_t)row * rows;
    sn_block block;
    sn_block_room room;
    bool exists = s->in->gradients == SN_GRADIENTS_START
                      ? sn_evaluate_start(s->in, pool, row, &block, &room)
                      : evaluate_shape(s->in->store, pool, row, &s->in->frame, &block, &room, points, rows);
    if (!exists)
        return true;
    sn_row_give give = row_give(&pool->give[row], s->inverse_h);
    give.k = sn_sweep_stiffness(s, give.k);
    if (s->preload_most > 0 && pool == s->in->store->pool[SN_KIND_HALF_SPACE] && lambda[0] > 0 &&
        give.alpha < SN_PRELOAD_GIVE)
        give.alpha = SN_PRELOAD_GIVE;
    if (s->in->tolerance > 0) {
        sn_real residual = sn_row_residual(&block, pool->kind->inequality, give, &s->in->frame, lambda);
        if (residual > s->largest)
            s->largest = residual;
    }
    if (points && block.count == points) /* no barycentric or body points */
        return row_solve(&block, points, rows, pool->kind->inequality, give, &s->in->frame, lambda);
    return row_solve(&block, block.count, rows, pool->kind->inequality, give, &s->in->frame, lambda);
}

/* Projects a constraint with a projection of its own. If a particle is several points, the first one moves it; the
   others have w = -1. */
static bool project_own(sweep *s, sn_pool *pool, uint32_t row)
{
    sn_store *store = s->in->store;
    sn_vec3 *x = store->many.column[SN_MANY_X], *move = store->many.column[SN_MANY_MOVE];
    sn_real *w = store->many.column[SN_MANY_W], k = sn_sweep_stiffness(s, pool->give[row].stiffness), weight[4];
    uint32_t slot[4], seen = 0;
    sn_eval_in in = sn_evaluate_input(store, pool, row, &s->in->frame, x, NULL);
    for (uint32_t i = 0; i < in.points; ++i) {
        sn_point_corners(store, pool, row, &s->in->frame, i, slot, weight);
        bool again = pool_has_lists(pool) && pool_list(pool, row).local[i] != seen;
        w[i] = again ? -1 : s->in->frame.x[slot[0]].w;
        seen += !again;
        move[i] = vec3(0, 0, 0);
    }
    in.keep = pool_state(pool, row);
    if (!pool->kind->project(&in, w, move))
        return true;
    for (uint32_t i = 0; i < in.points; ++i)
        if (!vec3_is_finite(move[i]))
            return false;
    for (uint32_t i = 0; i < in.points; ++i) {
        if (!(w[i] > 0))
            continue;
        sn_point_corners(store, pool, row, &s->in->frame, i, slot, weight);
        sn_vec4 *d = &s->in->frame.d[slot[0]];
        sn_real z = s->in->frame.planar ? 0 : move[i].z;
        *d = (sn_vec4){d->x + k * move[i].x, d->y + k * move[i].y, d->z + k * z, 0};
    }
    return true;
}

/* The most frequent shapes are compiled separately. Kinds get no other special code here. */
bool sn_sweep_project(sweep *s, uint32_t kind, uint32_t row)
{
    sn_pool *pool = s->in->store->pool[kind];
    bool good;
    if (s->forest && sn_forest_has(s->forest, kind, row))
        return true;
    if (pool->kind->project)
        good = project_own(s, pool, row);
    else if (pool->kind->rows == 1 && pool->kind->points == 2)
        good = project_shape(s, pool, row, 2, 1);
    else if (pool->kind->rows == 1 && pool->kind->points == 1)
        good = project_shape(s, pool, row, 1, 1);
    else
        good = project_shape(s, pool, row, pool->kind->points, pool->kind->rows);
    if (!good) {
        s->out.fault_kind = kind;
        s->out.fault_row = row;
    }
    return good;
}

static bool sweep_forward(sweep *s)
{
    const sn_store *store = s->in->store;
    for (uint32_t r = 0; r < store->run_table.count; ++r) {
        const sn_run *run = &store->run[r];
        const sn_pool *pool = store->pool[run->kind];
        if (pool->kind->force)
            continue;
        for (uint32_t i = 0; i < run->count; ++i)
            if (run_has(pool, run, i) && !sn_sweep_project(s, run->kind, run->first + i))
                return false;
    }
    return true;
}

static bool sweep_backward(sweep *s)
{
    const sn_store *store = s->in->store;
    for (uint32_t r = store->run_table.count; r-- > 0;) {
        const sn_run *run = &store->run[r];
        const sn_pool *pool = store->pool[run->kind];
        if (pool->kind->force)
            continue;
        for (uint32_t i = run->count; i-- > 0;)
            if (run_has(pool, run, i) && !sn_sweep_project(s, run->kind, run->first + i))
                return false;
    }
    return true;
}

static bool is_finite(const sn_block *block)
{
    sn_real sum = 0;
    for (uint32_t r = 0; r < block->rows; ++r)
        sum += block->c[r];
    for (uint32_t i = 0; i < block->rows * block->count; ++i)
        sum += vec3_dot(block->gradient[i], block->gradient[i]);
    return isfinite(sum);
}

/* The error of a constraint. A residual does not show the error of some rows with descriptions, such as rates: their
   error is their step times its denominator. */
static sn_real measure(void *context, uint32_t kind, uint32_t row)
{
    sweep *s = context;
    const sn_pool *pool = s->in->store->pool[kind];
    const sn_real *lambda = pool->lambda + (size_t)row * pool->kind->rows;
    sn_row_give give = row_give(&pool->give[row], s->inverse_h);
    sn_block block;
    sn_block_room room;
    if (s->forest && sn_forest_has(s->forest, kind, row))
        return 0;
    bool exists = s->in->gradients == SN_GRADIENTS_START
                      ? sn_evaluate_start(s->in, pool, row, &block, &room)
                      : evaluate(s->in->store, pool, row, &s->in->frame, &block, &room);
    if (!exists)
        return 0;
    if (!is_finite(&block))
        return (sn_real)NAN;
    sn_real missed = sn_row_residual(&block, pool->kind->inequality, give, &s->in->frame, lambda);
    if (!block.row)
        return missed;
    give.k = 1;
    sn_real asked = sn_row_asked(&block, pool->kind->inequality, give, &s->in->frame, lambda);
    return missed > asked ? missed : asked;
}

static bool project(void *context, uint32_t kind, uint32_t row)
{
    return sn_sweep_project(context, kind, row);
}

/* Visits the constraints in the order made by sn_order_build. */
static bool sweep_there_and_back(sweep *s)
{
    const sn_visit *visit = s->in->scratch->visit_table.column[0];
    for (uint32_t i = 0; i < s->in->scratch->visit_table.count; ++i)
        if (!sn_sweep_project(s, visit[i].kind, visit[i].row))
            return false;
    return true;
}

bool sn_sweep_pass(sweep *s)
{
    switch (s->in->order) {
    case SN_ORDER_INSERTION:
        return sweep_forward(s);
    case SN_ORDER_SYMMETRIC:
        return sweep_forward(s) && sweep_backward(s);
    case SN_ORDER_WORST_FIRST:
        return sn_worst_pass(&(sn_worst_job){s->in, s, measure, project}, s->out.passes == 1);
    case SN_ORDER_THERE_AND_BACK:
        return sweep_there_and_back(s);
    }
    return true;
}

static bool reserve(const sn_solver_in *in, const sn_allocator *allocator)
{
    if (in->order == SN_ORDER_THERE_AND_BACK)
        return sn_order_build(in->scratch, allocator, in->store);
    return in->order != SN_ORDER_WORST_FIRST || sn_worst_reserve(in, allocator);
}

static sn_solver_out solve(const sn_solver_in *in)
{
    sweep s = {.in = in, .inverse_h = 1 / in->h};
    sn_store_clear_lambda(in->store);
    while (s.out.passes < in->iterations && in->store->counts.live) {
        s.largest = 0;
        s.out.passes++;
        if (!sn_sweep_pass(&s) || s.largest < in->tolerance)
            break;
    }
    return s.out;
}

const sn_solver_method sn_solver_gauss_seidel = {
    .name = "gauss_seidel", .own_projections = true, .reserve = reserve, .solve = solve};

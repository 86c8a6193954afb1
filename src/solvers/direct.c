/* Chains and trees of constraints are solved directly, the rest one after the other.

   A pass of Gauss-Seidel carries a correction along a rope but not the reaction to it: with one pass a substep, a rope
   stretches the more the longer it is and the heavier its load. Trees of constraints need no passes. Their equations,
   those of row.h with all couplings,

       [(1 + g) J W J^T + a] dlambda = -C - a lambda - g J . d,     d += W J^T dlambda,

   are solved exactly in a time proportional to their number; see elimination.c. Each row is divided by its 1 + g. An
   iteration is then a step of Newton's method: the remaining error is of second order. Gauss-Seidel gets the
   constraints with cycles, kinds with a projection of their own and kinds with any number of points, and all that is
   connected to them.

   Rows of bounded force and C with limits (sn_row) are solved in the tree, as row.c does in a single constraint.

   The classic stiffness k scales the correction of a single constraint. In a tree this is done as if the row were
   softer by (1 / k - 1) times its own A. */
#include "solvers/direct.h"

#include "base/dvec.h"
#include "solvers/row.h"

typedef struct direct {
    sn_forest forest;
} direct;

static bool reserve(const sn_solver_in *in, const sn_allocator *allocator)
{
    direct *kept = in->scratch->direct;
    if (!kept) {
        kept = sn_allocate(allocator, sizeof *kept);
        if (!kept)
            return false;
        sn_forest_init(&kept->forest);
        in->scratch->direct = kept;
    }
    return sn_forest_reserve(&kept->forest, allocator, in->store) && sn_direct_reserve(in, allocator, &kept->forest) &&
           sn_solver_gauss_seidel.reserve(in, allocator);
}

static void release(sn_solver_scratch *scratch, const sn_allocator *allocator)
{
    direct *kept = scratch->direct;
    if (!kept)
        return;
    sn_forest_release(&kept->forest, allocator);
    sn_release(allocator, kept, sizeof *kept);
    scratch->direct = NULL;
}

/* How much a row of two particles rotates with them: its second derivative across the line between them, if its
   gradient is along that line, as for all functions of their distance. 0 otherwise. */
SN_INLINE double rotation_of(const sn_block *block, uint32_t row, const sn_frame *frame)
{
    const sn_vec4 *x0 = &frame->x[block->slot[0]], *x1 = &frame->x[block->slot[1]];
    const sn_vec4 *d0 = &frame->d[block->slot[0]], *d1 = &frame->d[block->slot[1]];
    sn_vec3 a = block->gradient[2 * row], b = block->gradient[2 * row + 1];
    sn_vec3 line = vec3_add(vec3_sub(vec4_xyz(*x0), vec4_xyz(*x1)), vec3_sub(vec4_xyz(*d0), vec4_xyz(*d1)));
    sn_real square = vec3_dot(line, line), along = vec3_dot(a, line);
    const sn_real parallel =
        (sn_real)(1 - 1e-4); /* of the squares: more than the rounding of a short link far from the origin */
    bool radial = along * along >= parallel * square * vec3_dot(a, a);
    double turn = (double)(along / square);
    return radial && a.x == -b.x && a.y == -b.y && a.z == -b.z && isfinite(turn) ? turn : 0;
}

/* Writes one row of an evaluated constraint; see row.h. */
SN_INLINE bool fill_row(const sn_frame *frame, uint32_t inequality, sn_row_give give, sn_real lambda, uint32_t r,
                        sn_forest_rows *out)
{
    const sn_block *block = &out->block;
    const double c = (double)block->c[r], alpha = (double)give.alpha, gamma = (double)give.gamma;
    out->rhs[r] = -c;
    out->diagonal[r] = alpha;
    out->least[r] = inequality && alpha > 0 ? -(double)lambda : 0;
    out->lambda0[r] = (double)lambda;
    const bool of_distance = block->count == 2 && block->rows <= 2; /* the three rows of an attachment are along axes */
    if (of_distance && !(frame->turn && block->slot[1] >= frame->turn_slot))
        out->turn[r] = rotation_of(block, r, frame);
    if (gamma > 0)
        out->diagonal[r] = alpha / (1 + gamma);
    if (!row_acts(inequality, block->c[r], give.alpha, lambda)) /* damping does not make an inequality act */
        out->acting &= ~(1u << r);
    else if (gamma > 0)
        out->rhs[r] =
            (-c - alpha * (double)lambda - gamma * (double)row_damped_displacement(block, block->count, r, frame)) /
            (1 + gamma);
    else
        out->rhs[r] = -c - alpha * (double)lambda;
    return isfinite(block->c[r]);
}

/* The same for a row of a kind with own_rows. */
static bool fill_own_row(const sn_frame *frame, uint32_t inequality, sn_row_give give, sn_real lambda, uint32_t r,
                         sn_forest_rows *out)
{
    const sn_block *block = &out->block;
    const sn_row_now now = sn_row_look(block, r, inequality, &give);
    const double c = (double)block->c[r], total = (double)lambda;
    double wanted = c, displacement = 0;
    out->rule[r] = (sn_forest_rule){.least = -now.most - total,
                                    .most = now.most - total,
                                    .low = now.low - c,
                                    .high = now.high - c,
                                    .diagonal = (double)give.alpha,
                                    .rests = now.type == SN_ROW_REST};
    out->ruled |= (uint32_t)(now.most < (double)INFINITY || row_is_limited(&now)) << r;
    out->lambda0[r] = total;
    if (now.type == SN_ROW_REST) {
        out->acting &= ~(1u << r);
        return isfinite(c) || !row_is_limited(&now);
    }
    if (now.gamma > 0)
        displacement = (double)row_damped_displacement(block, block->count, r, frame);
    if (now.type == SN_ROW_RATE)
        wanted = (double)row_rate_displacement(block, block->count, r, frame) - sn_row_rounded_off(block, r, frame) -
                 (double)block->row[r].rate / (double)give.inverse_h;
    out->inequality |= (uint32_t)now.inequality << r;
    out->diagonal[r] = now.alpha / (1 + now.gamma);
    out->least[r] = now.inequality && now.alpha > 0 ? -total : 0;
    out->rhs[r] = -wanted;
    if (!row_acts(now.inequality, (sn_real)wanted, (sn_real)now.alpha, lambda))
        out->acting &= ~(1u << r);
    else
        out->rhs[r] = (-wanted - now.alpha * total - now.gamma * displacement) / (1 + now.gamma);
    return isfinite(wanted);
}

/* The second derivative of the rows by the orientation of a body, if they act on one point r of it. With g the gradient
   there, that of g . (rotated r) is (r g^T + g r^T) / 2 - (r . g) I. The part of the axes of joints is left out: it is
   no tension. */
static void fill_bend(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame, uint32_t turn,
                      uint32_t slot, sn_forest_rows *out)
{
    const sn_block *block = &out->block;
    const sn_anchor *anchor = NULL;
    uint32_t centre = 0;
    for (uint32_t i = 0; i < pool->kind->points; ++i) {
        const sn_anchor *at = sn_point_on_body(store, pool, row, i);
        if (!at || frame->turn_slot + at->body != slot)
            continue;
        if (anchor) /* with two points, their shares of the gradient are not known */
            return;
        anchor = at;
    }
    while (anchor && block->slot[centre] != frame->slot[anchor->particle[0]])
        ++centre;
    if (!anchor)
        return;
    const sn_quat q = sn_frame_orientation(frame, anchor->body);
    const sn_dvec3 p = dvec3_from(anchor->place), k = dvec3_from(frame->turn[anchor->body].give);
    for (uint32_t r = 0; r < block->rows; ++r) {
        sn_dvec3 g = dvec3_from(sn_quat_rotate_back(q, block->gradient[r * block->count + centre]));
        double along = dvec3_dot(p, g), *bend = out->bend[r][turn];
        bend[0] = k.x * k.x * (p.x * g.x - along);
        bend[1] = k.y * k.y * (p.y * g.y - along);
        bend[2] = k.z * k.z * (p.z * g.z - along);
        bend[3] = k.x * k.y * (p.x * g.y + p.y * g.x) / 2;
        bend[4] = k.x * k.z * (p.x * g.z + p.z * g.x) / 2;
        bend[5] = k.y * k.z * (p.y * g.z + p.z * g.y) / 2;
    }
}

static void fill_bends(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                       sn_forest_rows *out)
{
    uint32_t turn = 0;
    for (uint32_t i = 0; i < out->block.count; ++i)
        if (out->block.slot[i] >= frame->turn_slot)
            fill_bend(store, pool, row, frame, turn++, out->block.slot[i], out);
}

/* The most frequent shape is compiled separately. */
SN_INLINE bool fill_shape(sn_sweep *s, const sn_pool *pool, uint32_t row, sn_forest_rows *out, uint32_t points,
                          uint32_t rows)
{
    const sn_frame *frame = &s->in->frame;
    const sn_real *lambda = pool->lambda + (size_t)row * rows;
    sn_row_give give = row_give(&pool->give[row], s->inverse_h);
    if (give.k != 1)
        give.k = sn_sweep_stiffness(s, give.k);
    bool exists = evaluate_shape(s->in->store, pool, row, frame, &out->block, &out->room, points, rows);
    if (!exists || give.k == 0) {
        out->acting = 0;
        return true;
    }
    out->inequality = pool->kind->own_rows ? 0 : pool->kind->inequality;
    out->share = (double)give.k;
    if (s->in->tolerance > 0) {
        sn_real residual = sn_row_residual(&out->block, pool->kind->inequality, give, frame, lambda);
        if (residual > s->largest)
            s->largest = residual;
    }
    bool finite = true;
    for (uint32_t r = 0; r < rows; ++r)
        finite &= out->block.row ? fill_own_row(frame, pool->kind->inequality, give, lambda[r], r, out)
                                 : fill_row(frame, pool->kind->inequality >> r & 1, give, lambda[r], r, out);
    if (frame->turn)
        fill_bends(s->in->store, pool, row, frame, out);
    return finite;
}

static bool fill(void *context, uint32_t kind, uint32_t row, sn_forest_rows *out)
{
    sn_sweep *s = context;
    const sn_pool *pool = s->in->store->pool[kind];
    if (pool->kind->points == 2 && pool->kind->rows == 1)
        return fill_shape(s, pool, row, out, 2, 1);
    return fill_shape(s, pool, row, out, pool->kind->points, pool->kind->rows);
}

static void clear(void *context, uint32_t kind, uint32_t row)
{
    sn_sweep *s = context;
    const sn_pool *pool = s->in->store->pool[kind];
    memset(pool->lambda + (size_t)row * pool->kind->rows, 0, pool->kind->rows * sizeof *pool->lambda);
}

static void take(void *context, uint32_t kind, uint32_t row, const double *dlambda)
{
    sn_sweep *s = context;
    const sn_pool *pool = s->in->store->pool[kind];
    for (uint32_t r = 0; r < pool->kind->rows; ++r)
        pool->lambda[(size_t)row * pool->kind->rows + r] += (sn_real)dlambda[r];
}

static void move(void *context, uint32_t slot, const double *x)
{
    sn_sweep *s = context;
    sn_vec4 *d = &s->in->frame.d[slot];
    *d = (sn_vec4){d->x + (sn_real)x[0], d->y + (sn_real)x[1], d->z + (sn_real)x[2], 0};
}

static bool lean(void *context, uint32_t slot, sn_support *out)
{
    const sn_leaning *leaning = &((sn_sweep *)context)->in->leaning;
    return leaning->lean(leaning->world, slot, out);
}

static void leant(void *context, uint32_t slot, const sn_support *support)
{
    const sn_leaning *leaning = &((sn_sweep *)context)->in->leaning;
    leaning->leant(leaning->world, slot, support);
}

/* Trees solved by several threads: those that begin within this number of constraints are one task. */
#define TASK_ITEMS 64u

/* ns of a constraint, about. */
#define WORK_OF_ITEM 100.0

typedef struct tasks {
    const sn_sweep *sweep;
    sn_forest *forest;
    bool fresh;
} tasks;

static sn_forest_job job_of(sn_sweep *s, bool fresh, uint32_t worker)
{
    return (sn_forest_job){.frame = &s->in->frame,
                           .context = s,
                           .fill = fill,
                           .clear = clear,
                           .take = take,
                           .move = move,
                           .lean = s->in->leaning.lean ? lean : NULL,
                           .leant = leant,
                           .wide = s->in->wide,
                           .worker = worker,
                           .workers = sn_parallel_workers(s->in->parallel),
                           .fresh = fresh,
                           .drops = s->drops,
                           .nonlinear = true};
}

static bool solve_trees(sn_sweep *s, sn_forest *forest, bool fresh, uint32_t worker, uint32_t first, uint32_t end)
{
    const sn_forest_job job = job_of(s, fresh, worker);
    const bool asked = s->in->tolerance > 0; /* for residuals */
    return sn_forest_solve_some(forest, &job, asked ? NULL : s->in->store, first, end);
}

static void solve_task(void *data, uint32_t index, uint32_t worker)
{
    const tasks *t = data;
    sn_sweep own = *t->sweep;
    const uint32_t first = sn_forest_tree_from(t->forest, index * TASK_ITEMS);
    const uint32_t end = sn_forest_tree_from(t->forest, (index + 1) * TASK_ITEMS);
    solve_trees(&own, t->forest, t->fresh, worker, first, end);
}

bool sn_direct_reserve(const sn_solver_in *in, const sn_allocator *allocator, const sn_forest *forest)
{
    return sn_parallel_reserve_tasks(in->parallel, allocator, forest->all / TASK_ITEMS + 1);
}

bool sn_direct_pass(sn_sweep *s, sn_forest *forest, bool fresh)
{
    tasks t = {s, forest, fresh};
    if (s->in->tolerance > 0 || !sn_parallel_wants(s->in->parallel, WORK_OF_ITEM * forest->count))
        solve_trees(s, forest, fresh, 0, 0, forest->tree_table.count);
    else if (!sn_parallel_tasks(s->in->parallel, (forest->count + TASK_ITEMS - 1) / TASK_ITEMS, solve_task, &t)) {
        s->out.lost_tasks = true;
        return false;
    }
    if (!sn_forest_is_at_fault(forest))
        return true;
    s->out.fault_kind = forest->fault_kind;
    s->out.fault_row = forest->fault_row;
    return false;
}

/* ns of the product of two blocks, about. */
#define WORK_OF_PRODUCT 10.0

typedef struct loop_tasks {
    const sn_sweep *sweep;
    sn_loops *loops;
    bool fresh;
} loop_tasks;

static void solve_loop(void *data, uint32_t index, uint32_t worker)
{
    const loop_tasks *t = data;
    sn_sweep own = *t->sweep;
    const sn_forest_job job = job_of(&own, t->fresh, worker);
    sn_loops_solve(t->loops, index, &job);
}

bool sn_direct_loops(sn_sweep *s, sn_loops *loops, bool fresh)
{
    const loop_tasks t = {s, loops, fresh};
    const sn_forest_job job = job_of(s, fresh, 0);
    const bool share =
        s->in->tolerance == 0 && sn_parallel_wants(s->in->parallel, WORK_OF_PRODUCT * (double)loops->work);
    for (uint32_t i = 0; !share && i < loops->count; ++i)
        sn_loops_solve(loops, i, &job);
    if (share && !sn_parallel_tasks(s->in->parallel, loops->count, solve_loop, (void *)&t)) {
        s->out.lost_tasks = true;
        return false;
    }
    for (uint32_t i = 0; i < loops->count; ++i)
        if (loops->loop[i].fault_kind) {
            s->out.fault_kind = loops->loop[i].fault_kind;
            s->out.fault_row = loops->loop[i].fault_row;
            return false;
        }
    return true;
}

bool sn_direct_solves_all(const sn_solver_in *in)
{
    sn_forest *forest = &((direct *)in->scratch->direct)->forest;
    sn_forest_prepare(forest, in->store, &in->frame);
    return sn_forest_count(forest) == in->store->counts.live;
}

static sn_solver_out solve(const sn_solver_in *in)
{
    sn_forest *forest = &((direct *)in->scratch->direct)->forest;
    sn_sweep s = {.in = in, .inverse_h = 1 / in->h, .forest = forest};
    const bool others = !sn_direct_solves_all(in); /* force elements count, too, which costs little */
    sn_store_clear_lambda(in->store);
    while (s.out.passes < in->iterations && in->store->counts.live) {
        s.largest = 0;
        s.out.passes++;
        /* every tree once, then the others: they share no movable particle */
        if (!sn_direct_pass(&s, forest, s.out.passes == 1) || (others && !sn_sweep_pass(&s)) ||
            s.largest < in->tolerance)
            break;
    }
    return s.out;
}

const sn_solver_method sn_solver_direct = {
    .name = "direct", .own_projections = true, .reserve = reserve, .solve = solve, .release = release};

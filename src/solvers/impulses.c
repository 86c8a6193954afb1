/* Sequential impulses (Catto 2005): velocities are corrected, and positions follow from them.

   With v the predicted velocities, and C and its gradients J at the start of the substep, each constraint in turn
   demands J v = 0. The impulse lambda = -J v / (J W J^T) achieves that. This file uses displacements, as all solvers
   here do: a particle moves by d = h v in the substep, and lambda is h times the impulse, so that lambda / h^2 is the
   force as everywhere else:

       dlambda = -(bias + J d) / (J W J^T),     d += W J^T dlambda.

   - Drift: J d = 0 keeps C only to first order. The bias corrects the drift. Baumgarte: b C, the share b of the error
     in every substep. Soft step (Catto 2011): a damped spring, as stiff as the substep allows, with

       bias = r C,   dlambda = -m (bias + J d) / (J W J^T) - i lambda,
       r = h w / (2 z + h w),   m = s / (1 + s),   i = 1 / (1 + s),   s = h w (2 z + h w).

   After the substep, at its final positions and velocities, further passes follow without bias. They remove the
   velocity that corrected the drift, and make velocities agree with the final positions.

   - Springs are not drift: with compliance, C + J d + a lambda + g J d = 0, in which all of C counts; a and g as in
     row.c. Where C is linear that is the same as projecting positions.
   - Inequalities only push: the accumulated lambda, not its change, is kept at or above 0. An inequality with C > 0
     acts only when C + J d < 0, so that it stops at the boundary and does not overshoot it.
   - Warm starting: the impulses of the last substep are a good guess. A chain keeps from one substep to the next what
     would otherwise take many passes. But these impulses also corrected a drift that is smaller by now. This is an
     integral of the error, which drives the constraint past its goal and, where passes are too few, farther each time.
     With e the share of a slow wave's error that the passes of a substep remove, f the share of the impulses that is
     forgotten and b that of the drift that is corrected, the waves of a long chain decay if e + f > b, and grow without
     limit if not (measured: 4 links, one pass, b = 0.2, f = 0.02). So f = b. Springs, for which all of C is corrected,
     are not warm started. Nor are nearly dependent rows of a constraint: their large and opposite multipliers would no
     longer cancel after the gradients have rotated. Forgetting also keeps constraints that contradict each other from
     building up impulses for ever.
   - Kinds that describe their rows (sn_row): a rate demands J d = h rate, and has no drift. Bounds apply to the
     accumulated lambda, as with inequalities. Limits of C are inequalities, which push in addition to the row's own
     force.
   - The stiffness k of the lectures scales dlambda. Constraints with k < 1 start from 0 in every substep, too:
     accumulated over substeps they would become rigid.

   With gradients at the start, impulses act along lines through the positions at the start. So angular momentum is
   conserved like linear momentum, however few the passes. */
#include "solvers/order.h"
#include "solvers/row.h"
#include "solvers/solver.h"
#include "solvers/worst_first.h"

/* The soft step: the frequency of its spring, as a share of that of the substeps, and its damping ratio. A spring with
   more than half the frequency of the substeps cannot swing. With such high damping it does not swing but creeps back,
   by 14 % of the error a substep. A load stretches it as it would any spring, by force / (mass w^2). */
#define SOFT_SHARE   0.5
#define SOFT_DAMPING 10.0
#define TWO_PI       6.283185307179586

/* A limit nearer than this, in the unit of C, counts as reached: it is not visible, and more than rounding. */
#define REACHED 1e-5

typedef struct sweep {
    const sn_solver_in *in;
    sn_frame start;   /* the frame for C and its gradients */
    const sn_vec4 *v; /* after the substep: its final velocities, to be corrected; NULL: before */
    sn_real inverse_h;
    sn_real rate;     /* the share of a rigid constraint's error that is the bias; 0 after the substep */
    sn_real softness; /* 1 / s; 0: not soft */
    bool measuring;   /* only measure the errors of constraints, and change nothing */
    sn_real largest;  /* the largest error, m */
    sn_solver_out out;
} sweep;

/* ---- One constraint ---------------------------------------------------------------------------------------------- */

/* The displacement of a particle in the substep, or h times its final velocity. */
static sn_vec3 displacement_of(const sweep *s, uint32_t slot)
{
    const sn_frame *frame = &s->in->frame;
    sn_vec3 d = vec4_xyz(frame->d[slot]);
    if (s->v)
        return vec3_add(vec3_scale(vec4_xyz(s->v[slot]), s->in->h), d);
    sn_vec3 displacement = vec3_sub(vec4_xyz(frame->x[slot]), vec4_xyz(frame->start[slot]));
    return vec3_add(displacement, vec3_sub(d, vec4_xyz(frame->x_low[slot])));
}

/* J d of one row. */
static sn_real motion_of(const sweep *s, const sn_block *block, uint32_t row)
{
    sn_real sum = 0;
    for (uint32_t i = 0; i < block->count; ++i)
        sum += vec3_dot(block->gradient[row * block->count + i], displacement_of(s, block->slot[i]));
    return sum;
}

/* J W J^T of one row, and |J|^2. */
static sn_real mobility_of(const sn_block *block, uint32_t row, sn_real *length2)
{
    sn_real mobility = 0;
    *length2 = 0;
    for (uint32_t i = 0; i < block->count; ++i) {
        sn_vec3 g = block->gradient[row * block->count + i];
        *length2 += vec3_dot(g, g);
        mobility += block->w[i] * vec3_dot(g, g);
    }
    return mobility;
}

/* The bias of a row. */
static sn_real bias_of(const sweep *s, bool inequality, sn_real c, const sn_row_give *give)
{
    if (give->alpha > 0 || (inequality && c > 0))
        return c;
    return s->rate * c;
}

/* Records the error of a row in metres, if it is needed: its step times the denominator, over |J|. */
static void note(sweep *s, sn_real dlambda, sn_real stiff, sn_real length2)
{
    if (!(s->measuring || s->in->tolerance > 0) || !(length2 > 0))
        return;
    sn_real missed = (dlambda < 0 ? -dlambda : dlambda) * stiff / real_sqrt(length2);
    if (missed > s->largest)
        s->largest = missed;
}

/* Changes a multiplier, and the displacements with it. */
static void change(const sweep *s, const sn_block *block, uint32_t row, sn_real dlambda, sn_real *lambda)
{
    if (s->measuring || dlambda == 0)
        return;
    lambda[row] += dlambda;
    row_apply(block, block->count, row, dlambda, s->in->frame.d);
}

/* Solves one row. False if its result is not finite. */
static bool solve_row(sweep *s, const sn_block *block, uint32_t row, bool inequality, sn_row_give give, sn_real *lambda)
{
    sn_real length2, mobility = mobility_of(block, row, &length2), motion = motion_of(s, block, row);
    sn_real c = block->c[row], missing = bias_of(s, inequality, c, &give) + motion;
    if (!isfinite(c) || !isfinite(mobility))
        return false;
    if (inequality && lambda[row] == 0 && (missing >= 0 || (s->v && c > 0)))
        return true; /* neither damping nor the final passes make an inequality act at a distance */
    if (give.alpha == 0 && s->softness > 0 && !(inequality && c > 0))
        give.alpha = s->softness * mobility;
    sn_real stiff = (1 + give.gamma) * mobility + give.alpha;
    if (stiff == 0)
        return true;
    sn_real step = give.k * (-missing - give.alpha * lambda[row] - give.gamma * motion) / stiff;
    if (inequality && lambda[row] + step < 0)
        step = -lambda[row];
    if (!isfinite(step))
        return false;
    note(s, step, give.k > 0 ? stiff / give.k : 0, length2);
    change(s, block, row, step, lambda);
    return true;
}

/* Solves several equalities together. */
static bool solve_block(sweep *s, sn_block *block, sn_row_give give, sn_real *lambda)
{
    sn_real dlambda[SN_MAX_ROWS], length2;
    for (uint32_t r = 0; r < block->rows; ++r)
        block->c[r] = bias_of(s, false, block->c[r], &give) + motion_of(s, block, r);
    if (!sn_row_step_block(block, 0, give, &s->in->frame, lambda, dlambda))
        return false;
    for (uint32_t r = 0; r < block->rows; ++r) {
        sn_real stiff = (1 + give.gamma) * mobility_of(block, r, &length2) + give.alpha;
        if (give.alpha == 0 && s->softness > 0)
            dlambda[r] = (dlambda[r] - give.k * s->softness * lambda[r]) / (1 + s->softness);
        note(s, dlambda[r], give.k > 0 ? stiff / give.k : 0, length2);
        change(s, block, r, dlambda[r], lambda);
    }
    return true;
}

/* ---- Rows with descriptions (own_rows) --------------------------------------------------------------------------- */

/* A constraint with described rows is first freed of its accumulated impulses: with the motion as it would be without
   them, its rows are solved for the whole impulses. So bounded rows, inequalities and limits may reduce earlier
   impulses. */
typedef struct own_rows {
    sn_block block; /* c is the right-hand side, and rows are in the form of row.c: no rates, no damping */
    sn_row row[SN_MAX_ROWS];
    uint32_t asked; /* bit r: row r takes part */
    uint32_t inequality;
    sn_row_give give;
} own_rows;

/* J d of all rows, without the effect of the impulses of the rows in `set`. */
static void free_motion(const sweep *s, const sn_block *block, uint32_t set, const sn_real *lambda, double *motion)
{
    for (uint32_t r = 0; r < block->rows; ++r) {
        const sn_vec3 *g = block->gradient + r * block->count;
        motion[r] = (double)motion_of(s, block, r);
        for (uint32_t q = 0; q < block->rows; ++q)
            for (uint32_t i = 0; set >> q & 1 && lambda[q] != 0 && i < block->count; ++i)
                motion[r] -= (double)lambda[q] * (double)block->w[i] *
                             vec3_dot_double(g[i], block->gradient[q * block->count + i]);
    }
}

/* How far a row may move towards a limit at the distance `room`. After the substep, only limits that pushed or were
   reached count. */
static double limit_of(const sweep *s, double room, double alpha, bool pushed)
{
    if (s->v)
        return room > REACHED && !pushed ? (double)INFINITY : 0;
    return room > 0 || alpha > 0 ? room : (double)s->rate * room;
}

/* Writes the equation of a row. */
static void set_own_row(const sweep *s, own_rows *own, const sn_block *block, uint32_t r, const sn_row_now *now,
                        double motion, double lambda)
{
    const double h = (double)s->in->h, c = (double)block->c[r], share = 1 / (1 + now->gamma);
    const bool rate = now->type == SN_ROW_RATE, away = now->inequality && !rate && c > 0;
    const sn_row_give give = {.alpha = (sn_real)now->alpha};
    sn_real length2;
    double alpha = now->alpha,
           bias = rate ? -(double)block->row[r].rate * h : (double)bias_of(s, now->inequality, block->c[r], &give);
    sn_row *row = &own->row[r];
    if (alpha == 0 && s->softness > 0 && !away && !rate)
        alpha = (double)s->softness * (double)mobility_of(block, r, &length2);
    if (now->type == SN_ROW_REST || (s->v && away && lambda == 0))
        row->type = SN_ROW_REST;
    else if (now->inequality)
        own->inequality |= 1u << r;
    const double missing = row->type == SN_ROW_REST ? motion : motion + share * bias;
    row->compliance = (sn_real)(fmax(alpha * share - (double)own->give.alpha, 0) * h * h);
    row->most = now->most < (double)INFINITY ? block->row[r].most : 0;
    own->block.c[r] = (sn_real)missing;
    if (!row_is_limited(now))
        return;
    const double itself =
        now->type == SN_ROW_REST ? 0 : now->most * 1.00001; /* the rest, beyond rounding, is from a limit */
    double down = limit_of(s, c - now->low, (double)own->give.alpha, lambda > itself);
    double up = limit_of(s, now->high - c, (double)own->give.alpha, lambda < -itself);
    row->low = (sn_real)(missing - motion - down);
    row->high = (sn_real)(missing - motion + up);
    if (row->low == 0 && row->high == 0) /* low = high = 0 would mean no limits: the row becomes an equality */
        *row = (sn_row){.type = SN_ROW_BY_KIND};
}

static bool solve_own(sweep *s, const sn_block *block, uint32_t inequality, sn_row_give give, sn_real *lambda)
{
    const sn_real none[SN_MAX_ROWS] = {0};
    own_rows own = {.block = *block,
                    .give = {.alpha = give.alpha / (1 + give.gamma), .k = 1, .inverse_h = s->inverse_h}};
    sn_row_now now[SN_MAX_ROWS];
    double motion[SN_MAX_ROWS];
    sn_real total[SN_MAX_ROWS], length2;
    own.block.row = own.row;
    for (uint32_t r = 0; r < block->rows; ++r) {
        now[r] = sn_row_look(block, r, inequality, &give);
        bool idle = now[r].type == SN_ROW_REST && !row_is_limited(&now[r]);
        /* The motion of a servo is no drift either. */
        bool servo = now[r].type == SN_ROW_BY_KIND && now[r].most < (double)INFINITY;
        own.asked |= (uint32_t)(!idle && !(s->v && (servo || now[r].alpha > 0))) << r;
        own.row[r].type = idle ? SN_ROW_REST : SN_ROW_BY_KIND;
    }
    free_motion(s, block, own.asked, lambda, motion);
    for (uint32_t r = 0; r < block->rows; ++r) {
        own.block.c[r] = 0;
        if (own.asked >> r & 1)
            set_own_row(s, &own, block, r, &now[r], motion[r], (double)lambda[r]);
        else
            own.row[r] = (sn_row){.type = SN_ROW_REST};
    }
    if (!sn_row_step_block(&own.block, own.inequality, own.give, &s->in->frame, none, total))
        return false;
    for (uint32_t r = 0; r < block->rows; ++r) {
        sn_real step = give.k * (total[r] - lambda[r]), mobility = mobility_of(block, r, &length2);
        if (!(own.asked >> r & 1))
            continue;
        note(s, step, mobility + (sn_real)now[r].alpha, length2);
        change(s, block, r, step, lambda);
    }
    return true;
}

/* Corrects the velocities for one constraint. */
static bool visit(sweep *s, uint32_t kind, uint32_t row)
{
    const sn_pool *pool = s->in->store->pool[kind];
    sn_real *lambda = pool->lambda + (size_t)row * pool->kind->rows;
    sn_row_give give = row_give(&pool->give[row], s->inverse_h);
    sn_block block;
    sn_block_room room;
    if (s->v && give.alpha > 0)
        return true; /* the force of a spring is no correction of drift */
    if (!evaluate(s->in->store, pool, row, &s->start, &block, &room))
        return true;
    give.k = row_stiffness(give.k, s->in->stiffness_root);
    bool good = true;
    if (block.row)
        good = solve_own(s, &block, pool->kind->inequality, give, lambda);
    else if (pool->kind->rows > 1 && !pool->kind->inequality)
        good = solve_block(s, &block, give, lambda);
    else
        for (uint32_t r = 0; good && r < pool->kind->rows; ++r)
            good = solve_row(s, &block, r, pool->kind->inequality >> r & 1, give, lambda);
    if (!good) {
        s->out.fault_kind = kind;
        s->out.fault_row = row;
    }
    return good;
}

/* ---- Passes in every order --------------------------------------------------------------------------------------- */

typedef bool visit_fn(sweep *s, uint32_t kind, uint32_t row);

static bool forward(sweep *s, visit_fn *function)
{
    const sn_store *store = s->in->store;
    for (uint32_t r = 0, i = 0; sn_store_next(store, &r, &i); ++i)
        if (!store->pool[store->run[r].kind]->kind->force && !function(s, store->run[r].kind, store->run[r].first + i))
            return false;
    return true;
}

static bool backward(sweep *s)
{
    const sn_store *store = s->in->store;
    for (uint32_t r = store->run_table.count; r-- > 0;) {
        const sn_run *run = &store->run[r];
        const sn_pool *pool = store->pool[run->kind];
        for (uint32_t i = run->count; !pool->kind->force && i-- > 0;)
            if (run_has(pool, run, i) && !visit(s, run->kind, run->first + i))
                return false;
    }
    return true;
}

static sn_real measure(void *context, uint32_t kind, uint32_t row)
{
    sweep *s = context;
    sn_real largest = s->largest;
    s->largest = 0;
    s->measuring = true;
    bool good = visit(s, kind, row);
    s->measuring = false;
    sn_real missed = good ? s->largest : (sn_real)NAN;
    s->largest = largest;
    return missed;
}

static bool project(void *context, uint32_t kind, uint32_t row)
{
    return visit(context, kind, row);
}

static bool there_and_back(sweep *s)
{
    const sn_visit *at = s->in->scratch->visit_table.column[0];
    for (uint32_t i = 0; i < s->in->scratch->visit_table.count; ++i)
        if (!visit(s, at[i].kind, at[i].row))
            return false;
    return true;
}

static bool pass(sweep *s)
{
    switch (s->in->order) {
    case SN_ORDER_INSERTION:
        return forward(s, visit);
    case SN_ORDER_SYMMETRIC:
        return forward(s, visit) && backward(s);
    case SN_ORDER_WORST_FIRST:
        return sn_worst_pass(&(sn_worst_job){s->in, s, measure, project}, s->out.passes == 1);
    case SN_ORDER_THERE_AND_BACK:
        return there_and_back(s);
    }
    return true;
}

static void make_passes(sweep *s)
{
    while (s->out.passes < s->in->iterations && s->in->store->counts.live) {
        s->largest = 0;
        s->out.passes++;
        if (!pass(s) || s->largest < s->in->tolerance)
            break;
    }
}

/* ---- The method -------------------------------------------------------------------------------------------------- */

static bool reserve(const sn_solver_in *in, const sn_allocator *allocator)
{
    if (in->order == SN_ORDER_THERE_AND_BACK)
        return sn_order_build(in->scratch, allocator, in->store);
    return in->order != SN_ORDER_WORST_FIRST || sn_worst_reserve(in, allocator);
}

/* Whether these rows of a constraint are clearly independent: by Gershgorin's theorem no eigenvalue of J W J^T, scaled
   to ones on the diagonal, is then below a tenth. */
static bool rows_differ(const sn_block *block, uint32_t set)
{
    for (uint32_t r = 0; r < block->rows; ++r) {
        if (!(set >> r & 1))
            continue;
        sn_real length2, own = mobility_of(block, r, &length2), others = 0;
        const sn_vec3 *g = block->gradient + r * block->count;
        for (uint32_t q = 0; q < block->rows; ++q) {
            sn_real product = 0;
            if (!(set >> q & 1))
                continue;
            for (uint32_t i = 0; q != r && i < block->count; ++i)
                product += block->w[i] * vec3_dot(g[i], block->gradient[q * block->count + i]);
            others += (product < 0 ? -product : product) / real_sqrt(own * mobility_of(block, q, &length2));
        }
        if (!(others <= (sn_real)0.9)) /* also if it is not a number */
            return false;
    }
    return true;
}

/* The rows of an evaluated constraint that are warm started. The impulses of bounded rows are clamped. */
static uint32_t rows_that_start(const sn_pool *pool, const sn_block *block, sn_row_give give, sn_real *lambda)
{
    uint32_t set = 0;
    for (uint32_t r = 0; r < block->rows; ++r) {
        const sn_row_now now = sn_row_look(block, r, pool->kind->inequality, &give);
        const bool limited = row_is_limited(&now);
        if (now.alpha > 0 || (now.type == SN_ROW_REST && !limited) || (now.inequality && lambda[r] < 0))
            continue;
        if (!limited && (double)lambda[r] > now.most)
            lambda[r] = (sn_real)now.most;
        else if (!limited && (double)lambda[r] < -now.most)
            lambda[r] = (sn_real)-now.most;
        set |= 1u << r;
    }
    return set;
}

/* Starts with the impulses of the last substep, without the share that is forgotten. lambda is proportional to the
   square of the substep. */
static bool warm_start(sweep *s, uint32_t kind, uint32_t row)
{
    const sn_pool *pool = s->in->store->pool[kind];
    const uint32_t rows = pool->kind->rows;
    sn_real *lambda = pool->lambda + (size_t)row * rows, ratio = s->in->h / s->in->last_h;
    sn_block block;
    sn_block_room room;
    const sn_give *give = &pool->give[row];
    uint32_t set = 0;
    bool starts =
        give->compliance == 0 && give->stiffness == 1 && evaluate(s->in->store, pool, row, &s->start, &block, &room);
    for (uint32_t r = 0; r < rows; ++r)
        lambda[r] *= (1 - s->rate) * ratio * ratio;
    if (starts)
        set = rows_that_start(pool, &block, row_give(give, s->inverse_h), lambda);
    if (set & (set - 1) && !rows_differ(&block, set))
        set = 0;
    for (uint32_t r = 0; r < rows; ++r) {
        if (!(set >> r & 1) || !isfinite(lambda[r]))
            lambda[r] = 0;
        if (lambda[r] != 0)
            row_apply(&block, block.count, r, lambda[r], s->in->frame.d);
    }
    return true;
}

static sn_solver_out solve(const sn_solver_in *in)
{
    sweep s = {.in = in, .start = in->frame, .inverse_h = 1 / in->h, .rate = in->settings->baumgarte};
    s.start.x = in->frame.start;
    s.start.d = NULL;
    if (in->settings->drift == SN_DRIFT_SOFT) {
        const double turn = SOFT_SHARE * TWO_PI, sum = 2 * SOFT_DAMPING + turn; /* h w, and 2 z + h w */
        s.rate = (sn_real)(turn / sum);
        s.softness = (sn_real)(1 / (turn * sum));
    }
    if (in->settings->warm_start && in->iterations > 0 && in->last_h > 0)
        forward(&s, warm_start);
    else
        sn_store_clear_lambda(in->store);
    make_passes(&s);
    return s.out;
}

/* Removes the velocity that corrected the drift. */
static sn_solver_out relax(const sn_solver_in *in, const sn_vec4 *v)
{
    sweep s = {.in = in, .start = in->frame, .v = v, .inverse_h = 1 / in->h};
    if (in->settings->drift != SN_DRIFT_SOFT || !in->node_count)
        return s.out;
    s.start.d = NULL;
    if (in->node_count) /* an empty world has no array */
        memset(in->frame.d, 0, in->node_count * sizeof *in->frame.d);
    make_passes(&s);
    return s.out;
}

const sn_solver_method sn_solver_impulses = {.name = "impulses", .reserve = reserve, .solve = solve, .after = relax};

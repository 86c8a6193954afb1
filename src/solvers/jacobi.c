/* Jacobi: every constraint computes its correction at the same positions. Then every particle combines the corrections
   of its constraints, in one of two ways.

   Split (the default): a particle with n constraints gives each of them an n-th of its mass, so that for them it is n
   times lighter:

       dlambda = [-C - a lambda - g grad C . d] / [(1 + g) sum n w |grad C|^2 + a],     d += sum of w grad C dlambda.

   These are impulses on whole masses, in pairs: momentum is conserved to round-off. The method cannot overshoot: the n
   shares of a particle, each satisfied by itself and then joined again, are at most as far from the solution as before.
   So no relaxation factor is needed. n counts all constraints of a particle, also inequalities that are not active.
   With fewer it would converge faster where many are inactive. But the active ones would have to be known before the
   first is evaluated, and may change when they have moved.

   Averaged, as in Macklin et al. (2014): each constraint is computed as if it were alone, and a particle moves by the
   mean of the corrections of its n constraints, times `relaxation`. The two ends of a rod may then have different n,
   and momentum is not conserved. lambda grows by the share of dlambda that took effect on C: compliance and constraint
   forces are right where neighbours have equal numbers of constraints, and nearly right elsewhere.

   The orientations of bodies (turns) take part like particles: each counts its own constraints.

   The result depends on no order. A constraint writes its corrections to places of its own, and a particle sums them in
   a fixed order. So both loops can run on any number of threads, with the same bits. */
#include "solvers/order.h"
#include "solvers/plan.h"
#include "solvers/row.h"
#include "solvers/solver.h"

/* A constraint, and where it writes its corrections. */
typedef struct job {
    uint32_t kind;
    uint32_t row;
    uint32_t place; /* the first of `count` places, one for each of its particles and orientations */
    uint32_t count;
} job;

/* Data kept between steps. */
typedef struct jacobi {
    sn_table job_table;
    job *job;
    sn_real *residual;    /* of a job in this pass, m; NOT_FINITE if it cannot be projected */
    sn_table place_table; /* by place; the places of all jobs one after the other */
    sn_vec3 *push;        /* the displacement of the particle by the constraint */
    sn_real *holders;     /* the number of constraints of the particle */
    uint32_t *place_of;   /* not by place: the places of node 0, then of node 1 and so on */
    sn_table start_table;
    /* By node: where its places start in place_of; one more at the end. A node is a particle's number, or for the
       orientation of a body `limit` plus the body's row. */
    uint32_t *start;
    uint32_t limit;       /* one more than the highest number of a particle */
    uint32_t plain_count; /* jobs that can be computed in parallel; the others share the store's scratch */
    uint64_t edits;       /* of the store when this was last checked */
    uint64_t fingerprint; /* of the constraints for which it was built; 0: none */
} jacobi;

#define NOT_FINITE ((sn_real)-1)

/* ---- Constraints of each particle -------------------------------------------------------------------------------- */

/* Space for the nodes of a constraint with a fixed number of points. */
typedef uint32_t node_room[SN_MAX_BLOCK + SN_MAX_POINTS];

/* The particles of a constraint, each once, in the order in which a block has them. */
static const uint32_t *particles_of(const sn_store *store, const sn_pool *pool, uint32_t row, uint32_t *small,
                                    uint32_t *count)
{
    const uint32_t *particle = sn_store_particles(store, pool, row, small, count);
    if (!pool_has_lists(pool))
        *count = sn_plan_once(small, *count);
    return particle;
}

/* The same, followed by the orientations of its bodies, as rows of bodies plus `limit`. */
static const uint32_t *nodes_of(const sn_store *store, const sn_pool *pool, uint32_t row, uint32_t limit,
                                uint32_t *small, uint32_t *count)
{
    const uint32_t *node = particles_of(store, pool, row, small, count);
    if (pool_has_lists(pool))
        return node;
    uint32_t turns = sn_evaluate_bodies(store, pool, row, small + *count);
    for (uint32_t i = 0; i < turns; ++i)
        small[(*count)++] += limit;
    return small;
}

/* Lists the constraints of kinds with any number of points, or the others. Returns the number of places so far. With
   `jobs` NULL it only counts: *limit and *body_limit become one more than the highest number of a particle and the
   highest row of a body. */
static uint64_t list_jobs(jacobi *j, const sn_store *store, bool lists, uint64_t places, job *jobs, uint32_t *limit,
                          uint32_t *body_limit)
{
    for (uint32_t r = 0, i = 0; sn_store_next(store, &r, &i); ++i) {
        uint32_t kind = store->run[r].kind, row = store->run[r].first + i, body[SN_MAX_POINTS], count;
        const sn_pool *pool = store->pool[kind];
        node_room small;
        if (pool->kind->force || pool_has_lists(pool) != lists)
            continue;
        const uint32_t *particle = particles_of(store, pool, row, small, &count);
        for (uint32_t k = 0; k < count; ++k)
            *limit = particle[k] >= *limit ? particle[k] + 1 : *limit;
        uint32_t turns = sn_evaluate_bodies(store, pool, row, body);
        for (uint32_t k = 0; k < turns; ++k)
            *body_limit = body[k] >= *body_limit ? body[k] + 1 : *body_limit;
        count += turns;
        if (jobs)
            jobs[j->job_table.count++] = (job){kind, row, (uint32_t)places, count};
        places += count;
    }
    return places;
}

/* Walks over all places. With `place_of` NULL it counts them by node. Otherwise it sorts them by node, and `start`
   moves along. */
static void walk_places(const jacobi *j, const sn_store *store, uint32_t *place_of)
{
    for (uint32_t n = 0; n < j->job_table.count; ++n) {
        node_room small;
        uint32_t count;
        const job *at = &j->job[n];
        const uint32_t *node = nodes_of(store, store->pool[at->kind], at->row, j->limit, small, &count);
        for (uint32_t k = 0; k < count; ++k) {
            if (place_of)
                place_of[j->start[node[k]]] = at->place + k;
            j->start[node[k]]++;
        }
    }
}

static void sort_places(jacobi *j, const sn_store *store, uint32_t limit)
{
    memset(j->start, 0, ((size_t)limit + 1) * sizeof *j->start);
    walk_places(j, store, NULL);
    for (uint32_t i = 0, total = 0; i <= limit; ++i) {
        uint32_t count = j->start[i];
        j->start[i] = total;
        total += count;
    }
    walk_places(j, store, j->place_of);
    memmove(j->start + 1, j->start, (size_t)limit * sizeof *j->start); /* filling moved each start to its end */
    j->start[0] = 0;
    for (uint32_t i = 0; i < limit; ++i)
        for (uint32_t k = j->start[i]; k < j->start[i + 1]; ++k)
            j->holders[j->place_of[k]] = (sn_real)(j->start[i + 1] - j->start[i]);
    j->start_table.count = limit;
}

static bool build(jacobi *j, const sn_allocator *allocator, const sn_store *store)
{
    uint32_t limit = 0, bodies = 0;
    uint64_t places = list_jobs(j, store, false, 0, NULL, &limit, &bodies);
    places = list_jobs(j, store, true, places, NULL, &limit, &bodies);
    if (places >= UINT32_MAX || !sn_table_reserve(&j->job_table, allocator, store->counts.live) ||
        !sn_table_reserve(&j->place_table, allocator, places) ||
        !sn_table_reserve(&j->start_table, allocator, (uint64_t)limit + bodies + 1))
        return false;
    j->job = j->job_table.column[0];
    j->residual = j->job_table.column[1];
    j->push = j->place_table.column[0];
    j->holders = j->place_table.column[1];
    j->place_of = j->place_table.column[2];
    j->start = j->start_table.column[0];
    j->job_table.count = 0;
    j->limit = limit;
    places = list_jobs(j, store, false, 0, j->job, &limit, &bodies);
    j->plain_count = j->job_table.count;
    list_jobs(j, store, true, places, j->job, &limit, &bodies);
    sort_places(j, store, limit + bodies);
    return true;
}

static jacobi *make(sn_solver_scratch *scratch, const sn_allocator *allocator)
{
    jacobi *j = sn_allocate(allocator, sizeof *j);
    if (!j)
        return NULL;
    *j = (jacobi){0};
    sn_table_column(&j->job_table, sizeof *j->job, false);
    sn_table_column(&j->job_table, sizeof *j->residual, false);
    sn_table_column(&j->place_table, sizeof *j->push, false);
    sn_table_column(&j->place_table, sizeof *j->holders, false);
    sn_table_column(&j->place_table, sizeof *j->place_of, false);
    sn_table_column(&j->start_table, sizeof *j->start, false);
    return scratch->jacobi = j;
}

/* Brings the lists up to date; see sn_order_build. */
static bool reserve(const sn_solver_in *in, const sn_allocator *allocator)
{
    jacobi *j = in->scratch->jacobi ? in->scratch->jacobi : make(in->scratch, allocator);
    if (!j)
        return false;
    if (j->edits != in->store->edits) {
        uint64_t print = sn_order_fingerprint(in->store);
        if (print != j->fingerprint) {
            j->fingerprint = 0;
            if (!build(j, allocator, in->store))
                return false;
        }
        j->fingerprint = print;
        j->edits = in->store->edits;
    }
    return sn_parallel_reserve(in->parallel, allocator, j->plain_count) &&
           sn_parallel_reserve(in->parallel, allocator, j->start_table.count);
}

static void release(sn_solver_scratch *scratch, const sn_allocator *allocator)
{
    jacobi *j = scratch->jacobi;
    if (!j)
        return;
    sn_table_release(&j->job_table, allocator);
    sn_table_release(&j->place_table, allocator);
    sn_table_release(&j->start_table, allocator);
    sn_release(allocator, j, sizeof *j);
    scratch->jacobi = NULL;
}

/* ---- A pass ------------------------------------------------------------------------------------------------------ */

typedef struct pass {
    const sn_solver_in *in;
    jacobi *j;
    sn_real inverse_h;
    bool averaged;
    atomic_bool fault; /* some residual is NOT_FINITE */
} pass;

/* The share of a row's step that takes effect on C when each of its particles takes the mean of the corrections. */
static sn_real effect(const pass *p, const sn_block *block, uint32_t row, const sn_real *holders)
{
    sn_real whole = 0, taken = 0;
    for (uint32_t i = 0; i < block->count; ++i) {
        sn_vec3 g = block->gradient[row * block->count + i];
        sn_real mobility = block->w[i] * vec3_dot(g, g);
        whole += mobility;
        taken += mobility * p->in->settings->relaxation / holders[i];
    }
    return whole > 0 ? taken / whole : 1; /* immovable particles only: a compliant constraint exerts its whole force */
}

/* Computes the step of an evaluated constraint, and stores its corrections. */
static bool ask(const pass *p, const job *asked, sn_block *block, sn_row_give give, uint32_t inequality,
                sn_real *lambda)
{
    const sn_real *holders = p->j->holders + asked->place;
    sn_real dlambda[SN_MAX_ROWS];
    for (uint32_t i = 0; !p->averaged && i < block->count; ++i)
        block->w[i] *= holders[i];
    if (!row_step(block, block->count, block->rows, inequality, give, &p->in->frame, lambda, dlambda))
        return false;
    for (uint32_t r = 0; r < block->rows; ++r)
        if (dlambda[r] != 0)
            lambda[r] += p->averaged ? effect(p, block, r, holders) * dlambda[r] : dlambda[r];
    solver_push(&p->in->frame, block, dlambda, p->j->push + asked->place);
    return true;
}

/* The most frequent shape is compiled separately. */
static bool evaluate_job(const pass *p, const sn_pool *pool, uint32_t row, sn_block *block, sn_block_room *room)
{
    const sn_store *store = p->in->store;
    if (pool->kind->rows == 1 && pool->kind->points == 2)
        return evaluate_shape(store, pool, row, &p->in->frame, block, room, 2, 1);
    return evaluate(store, pool, row, &p->in->frame, block, room);
}

static void ask_piece(void *data, uint32_t first, uint32_t end)
{
    pass *p = data;
    for (uint32_t n = first; n < end; ++n) {
        const job *at = &p->j->job[n];
        sn_pool *pool = p->in->store->pool[at->kind];
        sn_real *lambda = pool->lambda + (size_t)at->row * pool->kind->rows;
        sn_block block;
        sn_block_room room;
        memset(p->j->push + at->place, 0, at->count * sizeof *p->j->push);
        p->j->residual[n] = 0;
        if (!evaluate_job(p, pool, at->row, &block, &room))
            continue;
        sn_row_give give = row_give(&pool->give[at->row], p->inverse_h);
        give.k = row_stiffness(give.k, p->in->stiffness_root);
        if (p->in->tolerance > 0)
            p->j->residual[n] = sn_row_residual(&block, pool->kind->inequality, give, &p->in->frame, lambda);
        if (!ask(p, at, &block, give, pool->kind->inequality, lambda)) {
            p->j->residual[n] = NOT_FINITE;
            atomic_store_explicit(&p->fault, true, memory_order_relaxed);
        }
    }
}

static uint32_t slot_of(const pass *p, uint32_t node)
{
    const sn_frame *frame = &p->in->frame;
    return node < p->j->limit ? frame->slot[node] : frame->turn_slot + (node - p->j->limit);
}

/* Moves particles and orientations, by node. */
static void move_piece(void *data, uint32_t first, uint32_t end)
{
    const pass *p = data;
    for (uint32_t node = first; node < end; ++node) {
        const uint32_t *place = p->j->place_of + p->j->start[node];
        uint32_t count = p->j->start[node + 1] - p->j->start[node];
        if (count == 0)
            continue;
        sn_vec3 sum = p->j->push[place[0]];
        for (uint32_t i = 1; i < count; ++i)
            sum = vec3_add(sum, p->j->push[place[i]]);
        if (p->averaged)
            sum = vec3_scale(sum, p->in->settings->relaxation / (sn_real)count);
        sn_vec4 *d = &p->in->frame.d[slot_of(p, node)];
        *d = (sn_vec4){d->x + sum.x, d->y + sum.y, d->z + sum.z, 0};
    }
}

/* The first constraint of the list whose step was not finite. */
static void find_fault(const pass *p, sn_solver_out *out)
{
    uint32_t n = 0;
    while (p->j->residual[n] != NOT_FINITE)
        ++n;
    out->fault_kind = p->j->job[n].kind;
    out->fault_row = p->j->job[n].row;
}

static bool make_pass(pass *p, sn_solver_out *out)
{
    sn_parallel *parallel = p->in->parallel;
    if (!sn_parallel_for(parallel, p->j->plain_count, ask_piece, p)) {
        out->lost_tasks = true;
        return false;
    }
    ask_piece(p, p->j->plain_count, p->j->job_table.count);
    if (p->fault) {
        find_fault(p, out);
        return false;
    }
    out->lost_tasks = !sn_parallel_for(parallel, p->j->start_table.count, move_piece, p);
    return !out->lost_tasks;
}

static bool is_good_enough(const pass *p)
{
    sn_real largest = 0;
    if (!(p->in->tolerance > 0))
        return false;
    for (uint32_t n = 0; n < p->j->job_table.count; ++n)
        largest = p->j->residual[n] > largest ? p->j->residual[n] : largest;
    return largest < p->in->tolerance;
}

static sn_solver_out solve(const sn_solver_in *in)
{
    sn_solver_out out = {0};
    pass p = {.in = in,
              .j = in->scratch->jacobi,
              .inverse_h = 1 / in->h,
              .averaged = in->settings->jacobi == SN_JACOBI_AVERAGED};
    sn_store_clear_lambda(in->store);
    while (out.passes < in->iterations && in->store->counts.live) {
        out.passes++;
        if (!make_pass(&p, &out) || is_good_enough(&p))
            break;
    }
    return out;
}

const sn_solver_method sn_solver_jacobi = {.name = "jacobi", .reserve = reserve, .solve = solve, .release = release};

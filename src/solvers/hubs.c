#include "solvers/hubs.h"

#include "solvers/gauss_seidel.h"
#include "solvers/row.h"

/* A constraint, and where it writes its corrections. */
typedef struct job {
    uint32_t kind;
    uint32_t row;
    uint32_t place; /* the first of `count` places, one for each of its particles and orientations */
    uint32_t count;
} job;

/* Data kept between steps. */
typedef struct hubs {
    sn_table job_table;
    job *job;
    sn_real *residual;     /* of a job in this pass, m; NOT_FINITE if it cannot be projected */
    sn_table place_table;  /* by place; the places of all jobs one after the other */
    sn_vec3 *push;         /* the displacement of the particle by the constraint */
    sn_real *holders;      /* the number of these constraints at the particle */
    sn_sort_item *by_slot; /* key: the particle's slot, a: the place */
    sn_sort_item *sort_scratch;
    sn_table slot_table;
    uint32_t *slot;     /* of each particle, once */
    uint32_t *start;    /* where its places start in by_slot; one more at the end */
    uint64_t serial;    /* of the plan for which this was made */
    uint32_t turn_slot; /* the first slot of orientations, which moves when particles are added */
} hubs;

/* A pass that is being made. */
typedef struct pass {
    const sn_tiled *t;
    hubs *h;
    sn_real inverse_h;
    atomic_bool fault;
} pass;

#define NOT_FINITE ((sn_real)-1)

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

static hubs *make(sn_solver_scratch *scratch, const sn_allocator *allocator)
{
    hubs *h = sn_allocate(allocator, sizeof *h);
    if (!h)
        return NULL;
    *h = (hubs){0};
    sn_table_column(&h->job_table, sizeof *h->job, false);
    sn_table_column(&h->job_table, sizeof *h->residual, false);
    sn_table_column(&h->place_table, sizeof *h->push, false);
    sn_table_column(&h->place_table, sizeof *h->holders, false);
    sn_table_column(&h->place_table, sizeof *h->by_slot, false);
    sn_table_column(&h->place_table, sizeof *h->sort_scratch, false);
    sn_table_column(&h->slot_table, sizeof *h->slot, false);
    sn_table_column(&h->slot_table, sizeof *h->start, false);
    return scratch->hubs = h;
}

static bool reserve_tables(hubs *h, const sn_allocator *allocator, const sn_solver_in *in)
{
    uint64_t places = 0;
    for (uint32_t i = 0; i < in->plan->hub_table.count; ++i)
        if (in->plan->hub[i].kind)
            places += SN_MAX_BLOCK < 4 * in->store->pool[in->plan->hub[i].kind]->kind->points
                          ? SN_MAX_BLOCK
                          : 4 * in->store->pool[in->plan->hub[i].kind]->kind->points;
    if (!sn_table_reserve(&h->job_table, allocator, in->plan->hub_table.count) ||
        !sn_table_reserve(&h->place_table, allocator, places) ||
        !sn_table_reserve(&h->slot_table, allocator, places + 1) ||
        !sn_parallel_reserve(in->parallel, allocator, in->plan->hub_table.count) ||
        !sn_parallel_reserve(in->parallel, allocator, (uint32_t)places))
        return false;
    h->job = h->job_table.column[0];
    h->residual = h->job_table.column[1];
    h->push = h->place_table.column[0];
    h->holders = h->place_table.column[1];
    h->by_slot = h->place_table.column[2];
    h->sort_scratch = h->place_table.column[3];
    h->slot = h->slot_table.column[0];
    h->start = h->slot_table.column[1];
    return true;
}

static void list_jobs(hubs *h, const sn_solver_in *in)
{
    h->job_table.count = h->place_table.count = h->slot_table.count = 0;
    for (uint32_t i = 0; i < in->plan->hub_table.count; ++i) {
        sn_visit visit = in->plan->hub[i];
        uint32_t small[SN_MAX_BLOCK], body[SN_MAX_POINTS], count;
        if (!visit.kind)
            continue;
        sn_store_particles(in->store, in->store->pool[visit.kind], visit.row, small, &count);
        count = sn_plan_once(small, count);
        uint32_t turns = sn_evaluate_bodies(in->store, in->store->pool[visit.kind], visit.row, body);
        h->job[h->job_table.count++] = (job){visit.kind, visit.row, h->place_table.count, count + turns};
        for (uint32_t k = 0; k < count + turns; ++k, ++h->place_table.count) {
            uint32_t slot = k < count ? in->frame.slot[small[k]] : in->frame.turn_slot + body[k - count];
            h->by_slot[h->place_table.count] = (sn_sort_item){slot, h->place_table.count, 0};
        }
    }
    sn_sort(h->by_slot, h->sort_scratch, h->place_table.count);
    for (uint32_t i = 0; i < h->place_table.count; ++i)
        if (i == 0 || h->by_slot[i].key != h->by_slot[i - 1].key) {
            h->slot[h->slot_table.count] = (uint32_t)h->by_slot[i].key;
            h->start[h->slot_table.count++] = i;
        }
    h->start[h->slot_table.count] = h->place_table.count;
    for (uint32_t s = 0; s < h->slot_table.count; ++s)
        for (uint32_t i = h->start[s]; i < h->start[s + 1]; ++i)
            h->holders[h->by_slot[i].a] = (sn_real)(h->start[s + 1] - h->start[s]);
}

bool sn_hubs_reserve(const sn_solver_in *in, const sn_allocator *allocator)
{
    hubs *h = in->scratch->hubs;
    if (!in->plan->hub_table.count)
        return true;
    if (!h && !(h = make(in->scratch, allocator)))
        return false;
    if (h->serial == in->plan->serial && h->turn_slot == in->frame.turn_slot)
        return true;
    h->serial = 0;
    if (!reserve_tables(h, allocator, in))
        return false;
    list_jobs(h, in);
    h->serial = in->plan->serial;
    h->turn_slot = in->frame.turn_slot;
    return true;
}

uint32_t sn_hubs_particles(const sn_solver_scratch *scratch)
{
    return scratch->hubs ? ((const hubs *)scratch->hubs)->slot_table.count : 0;
}

void sn_hubs_release(sn_solver_scratch *scratch, const sn_allocator *allocator)
{
    hubs *h = scratch->hubs;
    if (!h)
        return;
    sn_table_release(&h->job_table, allocator);
    sn_table_release(&h->place_table, allocator);
    sn_table_release(&h->slot_table, allocator);
    sn_release(allocator, h, sizeof *h);
    scratch->hubs = NULL;
}

/* ---- A pass ------------------------------------------------------------------------------------------------------ */

/* Computes the step of an evaluated constraint, and stores its corrections. A block has its particles in the order of
   the places. */
static bool ask(pass *p, const job *asked, sn_block *block, sn_row_give give, uint32_t inequality, sn_real *lambda)
{
    const sn_solver_in *in = p->t->in;
    sn_real dlambda[SN_MAX_ROWS];
    for (uint32_t i = 0; i < block->count; ++i)
        block->w[i] *= p->h->holders[asked->place + i];
    if (!row_step(block, block->count, block->rows, inequality, give, &in->frame, lambda, dlambda))
        return false;
    for (uint32_t r = 0; r < block->rows; ++r)
        lambda[r] += dlambda[r];
    solver_push(&in->frame, block, dlambda, p->h->push + asked->place);
    return true;
}

static void ask_piece(void *data, uint32_t first, uint32_t end)
{
    pass *p = data;
    const sn_solver_in *in = p->t->in;
    for (uint32_t n = first; n < end; ++n) {
        const job *at = &p->h->job[n];
        sn_pool *pool = in->store->pool[at->kind];
        sn_real *lambda = pool->lambda + (size_t)at->row * pool->kind->rows;
        sn_block block;
        sn_block_room room;
        memset(p->h->push + at->place, 0, at->count * sizeof *p->h->push);
        if (tiled_starts(p->t))
            memset(lambda, 0, pool->kind->rows * sizeof *lambda);
        p->h->residual[n] = 0;
        if (!(in->gradients == SN_GRADIENTS_START ? sn_evaluate_start(in, pool, at->row, &block, &room)
                                                  : evaluate(in->store, pool, at->row, &in->frame, &block, &room)))
            continue;
        sn_row_give give = row_give(&pool->give[at->row], p->inverse_h);
        give.k = row_stiffness(give.k, in->stiffness_root);
        if (in->tolerance > 0)
            p->h->residual[n] = sn_row_residual(&block, pool->kind->inequality, give, &in->frame, lambda);
        if (!ask(p, at, &block, give, pool->kind->inequality, lambda)) {
            p->h->residual[n] = NOT_FINITE;
            atomic_store_explicit(&p->fault, true, memory_order_relaxed);
        }
    }
}

static void move_piece(void *data, uint32_t first, uint32_t end)
{
    const pass *p = data;
    for (uint32_t s = first; s < end; ++s) {
        sn_vec3 sum = {0};
        for (uint32_t i = p->h->start[s]; i < p->h->start[s + 1]; ++i)
            sum = vec3_add(sum, p->h->push[p->h->by_slot[i].a]);
        sn_vec4 *d = &p->t->in->frame.d[p->h->slot[s]];
        *d = (sn_vec4){d->x + sum.x, d->y + sum.y, d->z + sum.z, 0};
    }
}

static bool read_results(const pass *p, sn_solver_out *out, sn_real *largest)
{
    for (uint32_t n = 0; n < p->h->job_table.count; ++n) {
        if (p->h->residual[n] == NOT_FINITE) {
            out->fault_kind = p->h->job[n].kind;
            out->fault_row = p->h->job[n].row;
            return false;
        }
        *largest = p->h->residual[n] > *largest ? p->h->residual[n] : *largest;
    }
    return true;
}

bool sn_hubs_pass(const sn_tiled *t, sn_vec4 *mark, sn_solver_out *out, sn_real *largest)
{
    pass p = {.t = t, .h = t->in->scratch->hubs, .inverse_h = 1 / t->in->h};
    if (!t->in->plan->hub_table.count)
        return true;
    sn_motion motion = *t->motion;
    motion.first = 0;
    motion.count = p.h->slot_table.count;
    while (motion.count && p.h->slot[motion.count - 1] >= t->in->particle_count)
        --motion.count; /* orientations come last, and the world settles them */
    motion.list = p.h->slot;
    motion.mark = mark;
    t->table->note(&motion);
    if (!sn_parallel_for(t->in->parallel, p.h->job_table.count, ask_piece, &p)) {
        out->lost_tasks = true;
        return false;
    }
    if ((p.fault || t->in->tolerance > 0) && !read_results(&p, out, largest))
        return false;
    if (!sn_parallel_for(t->in->parallel, p.h->slot_table.count, move_piece, &p)) {
        out->lost_tasks = true;
        return false;
    }
    return t->table->settle(&motion);
}

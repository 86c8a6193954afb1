/* Worst first: the constraint with the largest error in metres is projected next (lecture 003; in numerical analysis
   the method of Gauss and Southwell).

   All constraints are in a heap by their residuals. After a projection, the constraints that share a movable particle
   with it are measured again, and the heap is updated. Of equal residuals, the constraint that was added first comes
   first. A pass has at most as many projections as there are constraints. It ends early when no residual is above the
   tolerance of the settings.

   Constraints that cannot be satisfied must not take all projections. Two constraints that contradict each other undo
   each other's work for ever, and are always the worst. So every FAIR-th projection is for the worst constraint that
   has not had its turn yet, from a second heap. When all with an error have had their turn, a new round begins. No
   constraint waits for more than FAIR passes of a substep. (Tried and rejected: a constraint that returns without
   improvement, or too often, waits for the others. Long ropes need such returns: the last link of a pulled rope is
   projected 60 times while the middle is projected once, and with such rules worst first is slower than any other
   order.)

   - A stiffness k < 1 is a share for each pass. Such a constraint is projected once a pass, or it would become rigid.
   - Kinds with a projection of their own have no gradient, and so no residual in metres. They come first in a pass,
     once, in the order of addition.

   Residuals and heaps are scratch, not state: the first pass of a substep makes them anew. */
#include "solvers/worst_first.h"

/* Every FAIR-th projection is for a constraint that has not had its turn. Pulled ropes and cloth take 1.1 to 1.8 times
   the projections that they would take without that rule; with 2 it would be up to 2.3 times. */
#define FAIR 4

enum { COLUMN_VISIT, COLUMN_MISSED, COLUMN_STAMP, COLUMN_DONE, COLUMN_HEAPS };

/* A permutation of all numbers. The first `size` are a heap, the worst at the top. The others have been taken out. */
typedef struct heap {
    const sn_real *missed; /* by number, m */
    uint32_t *item;
    uint32_t *at; /* where a number is */
    uint32_t size, count;
} heap;

typedef struct worst {
    const sn_worst_job *job;
    const sn_visit *visit; /* by number of a constraint, in the order of addition */
    sn_real *missed;       /* m */
    uint32_t *stamp;       /* the projection of this pass after which it was last measured */
    uint8_t *done;         /* projected in this pass */
    uint32_t count;
    heap all, turn;        /* heaps of all constraints, and of those that have not had their turn */
    const uint32_t *first; /* by number of a particle: where its constraints begin in `held`; one more at the end */
    const uint32_t *held;  /* numbers of constraints */
} worst;

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

void sn_worst_init(sn_worst_scratch *w)
{
    static const size_t width[] = {sizeof(sn_visit), sizeof(sn_real),  sizeof(uint32_t), sizeof(uint8_t),
                                   sizeof(uint32_t), sizeof(uint32_t), sizeof(uint32_t), sizeof(uint32_t)};
    for (uint32_t i = 0; i < sizeof width / sizeof *width; ++i)
        sn_table_column(&w->table, width[i], false);
    sn_table_column(&w->first_table, sizeof(uint32_t), false);
    sn_table_column(&w->compromise_table, sizeof(uint32_t), false);
}

void sn_worst_release(sn_worst_scratch *w, const sn_allocator *allocator)
{
    sn_table_release(&w->table, allocator);
    sn_table_release(&w->first_table, allocator);
    sn_table_release(&w->compromise_table, allocator);
}

/* The particles of a constraint. In lists each occurs once; otherwise they may be repeated. */
static const uint32_t *particles_of(const sn_store *store, sn_visit visit, uint32_t *small, uint32_t *count)
{
    return sn_store_particles(store, store->pool[visit.kind], visit.row, small, count);
}

static void list_constraints(sn_worst_scratch *w, const sn_store *store, uint64_t *held, uint32_t *limit)
{
    sn_visit *visit = w->table.column[COLUMN_VISIT];
    uint32_t small[SN_MAX_BLOCK], n;
    w->table.count = 0;
    *held = 0;
    *limit = 0;
    for (uint32_t r = 0, i = 0; sn_store_next(store, &r, &i); ++i) {
        if (store->pool[store->run[r].kind]->kind->force)
            continue;
        sn_visit here = {store->run[r].kind, store->run[r].first + i};
        visit[w->table.count++] = here;
        const uint32_t *particle = particles_of(store, here, small, &n);
        *held += n;
        for (uint32_t j = 0; j < n; ++j)
            *limit = particle[j] >= *limit ? particle[j] + 1 : *limit;
    }
}

/* Lists the constraints of each particle, by counting. */
static void find_compromises(sn_worst_scratch *w, const sn_store *store, uint32_t limit)
{
    const sn_visit *visit = w->table.column[COLUMN_VISIT];
    uint32_t *first = w->first_table.column[0], *held = w->compromise_table.column[0], small[SN_MAX_BLOCK], n;
    memset(first, 0, ((size_t)limit + 1) * sizeof *first);
    for (uint32_t c = 0; c < w->table.count; ++c) {
        const uint32_t *particle = particles_of(store, visit[c], small, &n);
        for (uint32_t j = 0; j < n; ++j)
            first[particle[j]]++;
    }
    for (uint32_t p = 1; p <= limit; ++p)
        first[p] += first[p - 1]; /* the ends of the lists */
    for (uint32_t c = w->table.count; c-- > 0;) {
        const uint32_t *particle = particles_of(store, visit[c], small, &n);
        for (uint32_t j = 0; j < n; ++j)
            held[--first[particle[j]]] = c; /* after the loop the beginnings */
    }
}

bool sn_worst_reserve(const sn_solver_in *in, const sn_allocator *allocator)
{
    sn_worst_scratch *w = &in->scratch->worst;
    uint64_t held;
    uint32_t limit;
    if (w->edits == in->store->edits)
        return true;
    w->edits = 0;
    if (!sn_table_reserve(&w->table, allocator, in->store->counts.live))
        return false;
    list_constraints(w, in->store, &held, &limit);
    if (held > UINT32_MAX || !sn_table_reserve(&w->first_table, allocator, (uint64_t)limit + 1) ||
        !sn_table_reserve(&w->compromise_table, allocator, held))
        return false;
    find_compromises(w, in->store, limit);
    w->edits = in->store->edits;
    return true;
}

/* ---- Heaps ------------------------------------------------------------------------------------------------------- */

static bool is_worse(const heap *h, uint32_t a, uint32_t b)
{
    return h->missed[a] != h->missed[b] ? h->missed[a] > h->missed[b] : a < b;
}

static void put(heap *h, uint32_t place, uint32_t number)
{
    h->item[place] = number;
    h->at[number] = place;
}

static void sink(heap *h, uint32_t place)
{
    uint32_t number = h->item[place];
    for (uint32_t child = 2 * place + 1; child < h->size; child = 2 * place + 1) {
        if (child + 1 < h->size && is_worse(h, h->item[child + 1], h->item[child]))
            ++child;
        if (!is_worse(h, h->item[child], number))
            break;
        put(h, place, h->item[child]);
        place = child;
    }
    put(h, place, number);
}

static void rise(heap *h, uint32_t place)
{
    uint32_t number = h->item[place];
    while (place > 0 && is_worse(h, number, h->item[(place - 1) / 2])) {
        put(h, place, h->item[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(h, place, number);
}

/* Restores the heap after the residual of a number has changed. */
static void put_right(heap *h, uint32_t number)
{
    if (h->at[number] >= h->size)
        return;
    rise(h, h->at[number]);
    sink(h, h->at[number]);
}

static void take_out(heap *h, uint32_t number)
{
    uint32_t place = h->at[number];
    if (place >= h->size)
        return;
    uint32_t last = h->item[--h->size];
    put(h, place, last);
    put(h, h->size, number);
    put_right(h, last);
}

/* Puts all numbers in again. */
static void fill(heap *h)
{
    while (h->size < h->count)
        rise(h, h->size++);
}

static bool has_missed(const heap *h, sn_real tolerance)
{
    return h->size > 0 && h->missed[h->item[0]] > tolerance;
}

/* ---- A pass ------------------------------------------------------------------------------------------------------ */

static const sn_pool *pool_of(const worst *w, uint32_t number)
{
    return w->job->in->store->pool[w->visit[number].kind];
}

/* The error of a constraint; 0 if it must not be projected again in this pass. */
static sn_real measure(const worst *w, uint32_t number)
{
    const sn_pool *pool = pool_of(w, number);
    sn_visit visit = w->visit[number];
    sn_real k = pool->give[visit.row].stiffness;
    if (pool->kind->project || k == 0 || (k < 1 && w->done[number]))
        return 0;
    sn_real missed = w->job->measure(w->job->context, visit.kind, visit.row);
    return missed >= 0 ? missed : (sn_real)INFINITY;
}

static void measure_again(worst *w, uint32_t number, uint32_t stamp)
{
    w->stamp[number] = stamp;
    w->missed[number] = measure(w, number);
    put_right(&w->all, number);
    put_right(&w->turn, number);
}

/* Projects a constraint, and measures all constraints of the particles that it moved. */
static bool project(worst *w, uint32_t number, uint32_t stamp)
{
    const sn_frame *frame = &w->job->in->frame;
    uint32_t small[SN_MAX_BLOCK], n;
    sn_visit visit = w->visit[number];
    if (!w->job->project(w->job->context, visit.kind, visit.row))
        return false;
    w->done[number] = true;
    take_out(&w->turn, number);
    measure_again(w, number, stamp);
    const uint32_t *particle = particles_of(w->job->in->store, visit, small, &n);
    for (uint32_t j = 0; j < n; ++j) {
        if (!(frame->x[frame->slot[particle[j]]].w > 0))
            continue;
        for (uint32_t i = w->first[particle[j]]; i < w->first[particle[j] + 1]; ++i)
            if (w->stamp[w->held[i]] != stamp)
                measure_again(w, w->held[i], stamp);
    }
    return true;
}

/* The constraint for the n-th projection of the pass. Some constraint must have an error. */
static uint32_t choose(worst *w, uint32_t n, sn_real tolerance)
{
    if (n % FAIR)
        return w->all.item[0];
    if (!has_missed(&w->turn, tolerance))
        fill(&w->turn);
    return w->turn.item[0];
}

static worst open(const sn_worst_job *job)
{
    sn_worst_scratch *scratch = &job->in->scratch->worst;
    void **column = scratch->table.column, **heaps = column + COLUMN_HEAPS;
    const uint32_t count = scratch->table.count;
    const sn_real *missed = column[COLUMN_MISSED];
    return (worst){.job = job,
                   .visit = column[COLUMN_VISIT],
                   .missed = column[COLUMN_MISSED],
                   .stamp = column[COLUMN_STAMP],
                   .done = column[COLUMN_DONE],
                   .count = count,
                   .all = {missed, heaps[0], heaps[1], count, count},
                   .turn = {missed, heaps[2], heaps[3], scratch->turn_size, count},
                   .first = scratch->first_table.column[0],
                   .held = scratch->compromise_table.column[0]};
}

static void measure_all(worst *w)
{
    w->all.size = w->turn.size = 0;
    for (uint32_t i = 0; i < w->count; ++i) {
        w->missed[i] = measure(w, i);
        put(&w->all, i, i);
        put(&w->turn, i, i);
    }
    fill(&w->all);
    fill(&w->turn);
}

static void begin_pass(worst *w, bool first)
{
    memset(w->stamp, 0, w->count * sizeof *w->stamp);
    memset(w->done, 0, w->count * sizeof *w->done);
    if (first)
        measure_all(w);
    for (uint32_t i = 0; !first && i < w->count; ++i)
        if (pool_of(w, i)->give[w->visit[i].row].stiffness < 1)
            measure_again(w, i, 0);
}

bool sn_worst_pass(const sn_worst_job *job, bool first)
{
    worst w = open(job);
    const sn_real tolerance = job->in->tolerance;
    uint32_t made = 0;
    bool good = true;
    begin_pass(&w, first);
    for (uint32_t i = 0; good && i < w.count; ++i)
        if (pool_of(&w, i)->kind->project)
            good = project(&w, i, ++made);
    while (good && made < w.count && has_missed(&w.all, tolerance)) {
        ++made;
        good = project(&w, choose(&w, made, tolerance), made);
    }
    job->in->scratch->worst.turn_size = w.turn.size;
    return good;
}

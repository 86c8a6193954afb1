#include "solvers/schedule.h"

#include <stdatomic.h>
#include <string.h>

/* ns of a constraint and of a particle, about: to know how many threads pay; */
#define WORK_OF_CONSTRAINT 2.0
#define WORK_OF_PARTICLE   2.0

/* and ns of a thread's list, at least. */
#define LEAST_LIST 5000.0

/* Turns of waiting, about a microsecond, before a tile is taken from the list of another thread: that may be about to begin with it. */
#define GRACE 16u

#define NO_TILE UINT32_MAX

/* Numbers of passes; each tile has a line of the caches of its own. */
typedef struct flag {
    atomic_uint taken, done;
    uint32_t rest[14];
} flag;

/* ---- What waits for what ---------------------------------------------------------------------------------------------- */

void sn_schedule_init(sn_schedule *schedule)
{
    *schedule = (sn_schedule){0};
    sn_table_column(&schedule->start_table, sizeof(uint32_t), false);
    sn_table_column(&schedule->dep_table, sizeof(uint32_t), false);
    sn_table_column(&schedule->flag_table, sizeof(flag), false);
    sn_table_column(&schedule->last_table, sizeof(uint32_t), false);
}

void sn_schedule_release(sn_schedule *schedule, const sn_allocator *allocator)
{
    sn_table_release(&schedule->start_table, allocator);
    sn_table_release(&schedule->dep_table, allocator);
    sn_table_release(&schedule->flag_table, allocator);
    sn_table_release(&schedule->last_table, allocator);
    schedule->layout = 0;
}

/* Notes what a tile of a later layer waits for. */
static bool add_deps(sn_schedule *s, const sn_allocator *allocator, const sn_plan *plan, uint32_t t)
{
    const sn_tile *tile = &plan->tile[t];
    uint32_t *last = s->last_table.column[0], first = s->dep_table.count;
    for (uint32_t i = 0; i < tile->count; ++i) {
        uint32_t slot = plan->list[tile->first + i], other = last[slot], k = first;
        const uint32_t *dep = s->dep_table.column[0];
        last[slot] = t;
        while (k < s->dep_table.count && dep[k] != other)
            ++k;
        if (other == NO_TILE || k < s->dep_table.count)
            continue;
        if (!sn_table_reserve(&s->dep_table, allocator, (uint64_t)s->dep_table.count + 1))
            return false;
        ((uint32_t *)s->dep_table.column[0])[s->dep_table.count++] = other;
    }
    return true;
}

static bool find_deps(sn_schedule *s, const sn_allocator *allocator, const sn_plan *plan, uint32_t particles)
{
    uint32_t tiles = plan->tile_table.count, *start = s->start_table.column[0], *last = s->last_table.column[0];
    s->dep_table.count = 0;
    s->work = 0;
    if (particles)
        memset(last, 0xff, particles * sizeof *last);
    for (uint32_t t = 0; t < tiles; ++t) {
        const sn_tile *tile = &plan->tile[t];
        start[t] = s->dep_table.count;
        s->work += tile->work * WORK_OF_CONSTRAINT + tile->count * WORK_OF_PARTICLE;
        for (uint32_t i = 0; t < plan->layer[1] && i < tile->count; ++i)
            last[tile->first + i] = t;
        if (t >= plan->layer[1] && !add_deps(s, allocator, plan, t))
            return false;
    }
    start[tiles] = s->dep_table.count;
    return true;
}

bool sn_schedule_reserve(sn_schedule *schedule, const sn_allocator *allocator, sn_parallel *parallel,
                         const sn_plan *plan, uint32_t particles)
{
    uint32_t tiles = plan->tile_table.count;
    if (!sn_parallel_reserve_tasks(parallel, allocator,
                                   tiles < sn_parallel_workers(parallel) ? tiles : sn_parallel_workers(parallel)))
        return false;
    if (schedule->layout == plan->layout)
        return true;
    schedule->layout = 0;
    if (!sn_table_reserve(&schedule->start_table, allocator, (uint64_t)tiles + 1) ||
        !sn_table_reserve(&schedule->flag_table, allocator, tiles) ||
        !sn_table_reserve(&schedule->last_table, allocator, particles) ||
        !find_deps(schedule, allocator, plan, particles))
        return false;
    memset(schedule->flag_table.column[0], 0, tiles * sizeof(flag));
    schedule->pass = 0;
    schedule->layout = plan->layout;
    return true;
}

/* ---- A pass ----------------------------------------------------------------------------------------------------------- */

typedef struct pass {
    const sn_plan *plan;
    const uint32_t *start, *dep;
    flag *flag;
    uint32_t number, lists;
    sn_task_fn *task;
    void *data;
} pass;

static bool is_taken(const pass *p, uint32_t tile)
{
    return atomic_load_explicit(&p->flag[tile].taken, memory_order_relaxed) == p->number;
}

static bool is_done(const pass *p, uint32_t tile)
{
    return atomic_load_explicit(&p->flag[tile].done, memory_order_acquire) == p->number;
}

static bool take(const pass *p, uint32_t tile)
{
    return !is_taken(p, tile) &&
           atomic_exchange_explicit(&p->flag[tile].taken, p->number, memory_order_relaxed) != p->number;
}

static bool is_ready(const pass *p, uint32_t tile)
{
    uint32_t i = p->start[tile];
    while (i < p->start[tile + 1] && is_done(p, p->dep[i]))
        ++i;
    return i == p->start[tile + 1];
}

/* Runs a tile that was taken, once those before it are done. Of these, one that nobody has begun is run here, and so are those that it
   waits for in turn: they belong to ever earlier layers. */
static void run(const pass *p, uint32_t tile, uint32_t worker)
{
    for (uint32_t i = p->start[tile]; i < p->start[tile + 1]; ++i)
        for (uint32_t turns = 0; !is_done(p, p->dep[i]); ++turns) {
            sn_threads_pause(turns);
            if (turns >= GRACE && take(p, p->dep[i]))
                run(p, p->dep[i], worker);
        }
    p->task(p->data, tile, worker);
    atomic_store_explicit(&p->flag[tile].done, p->number, memory_order_release);
}

/* Runs what nobody has begun and is ready, until all tiles have been begun. */
static void help(const pass *p, uint32_t worker)
{
    uint32_t tiles = p->plan->tile_table.count, first = 0;
    for (uint32_t turns = 0;; ++turns) {
        while (first < tiles && is_taken(p, first))
            ++first;
        if (first == tiles)
            return;
        for (uint32_t t = first; turns >= GRACE && t < tiles; ++t)
            if (!is_taken(p, t) && is_ready(p, t) && take(p, t))
                run(p, t, worker);
        sn_threads_pause(turns);
    }
}

static void run_list(void *data, uint32_t index, uint32_t worker)
{
    const pass *p = data;
    const uint32_t *layer = p->plan->layer, layers = p->plan->layer_table.count - 1;
    for (uint32_t l = 0; l < layers; ++l) {
        uint64_t count = layer[l + 1] - layer[l];
        uint32_t end = layer[l] + (uint32_t)(count * (index + 1) / p->lists);
        for (uint32_t t = layer[l] + (uint32_t)(count * index / p->lists); t < end; ++t)
            if (take(p, t))
                run(p, t, worker);
    }
    help(p, worker);
}

/* As many as pay. */
static uint32_t count_lists(const sn_schedule *s, const sn_parallel *parallel, const sn_plan *plan)
{
    uint32_t lists = sn_parallel_workers(parallel), tiles = plan->tile_table.count;
    if (!sn_parallel_wants(parallel, s->work))
        return 1;
    lists = lists > tiles ? tiles : lists;
    return parallel->eager || s->work >= lists * LEAST_LIST ? lists : (uint32_t)(s->work / LEAST_LIST);
}

bool sn_schedule_run(sn_schedule *schedule, sn_parallel *parallel, const sn_plan *plan, sn_task_fn *task, void *data)
{
    pass p = {.plan = plan,
              .start = schedule->start_table.column[0],
              .dep = schedule->dep_table.column[0],
              .flag = schedule->flag_table.column[0],
              .lists = count_lists(schedule, parallel, plan),
              .task = task,
              .data = data};
    if (p.lists < 2)
        return sn_parallel_tasks(NULL, plan->tile_table.count, task, data);
    if (++schedule->pass == 0) { /* numbers begin anew */
        memset(schedule->flag_table.column[0], 0, plan->tile_table.count * sizeof(flag));
        schedule->pass = 1;
    }
    p.number = schedule->pass;
    return sn_parallel_tasks(parallel, p.lists, run_list, &p);
}

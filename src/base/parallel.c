#include "base/parallel.h"

#include "base/float_mode.h"

static uint32_t piece_count(uint32_t count)
{
    return count / SN_PIECE + (count % SN_PIECE != 0);
}

/* ---- Room -------------------------------------------------------------------------------------------------------- */

static bool reserve_pool(sn_parallel *p, const sn_allocator *allocator)
{
    if (p->threads > 1 && !p->pool)
        p->pool = sn_threads_create(allocator, p->threads, p->refused);
    return p->threads <= 1 || p->pool;
}

bool sn_parallel_reserve_tasks(sn_parallel *parallel, const sn_allocator *allocator, uint32_t count)
{
    if (count < 2)
        return true;
    if (!parallel->tasks.run)
        return reserve_pool(parallel, allocator);
    if (count <= parallel->capacity)
        return true;
    uint32_t capacity = count < UINT32_MAX / 2 ? count + count / 2 : count;
    atomic_uchar *taken = sn_allocate(allocator, capacity * sizeof *taken);
    if (!taken)
        return false;
    sn_release(allocator, parallel->taken, parallel->capacity * sizeof *parallel->taken);
    parallel->taken = taken;
    parallel->capacity = capacity;
    parallel->left = 0;
    return true;
}

bool sn_parallel_reserve(sn_parallel *parallel, const sn_allocator *allocator, uint32_t count)
{
    if (!parallel->tasks.run && count < SN_LEAST_ITEMS)
        return true;
    return sn_parallel_reserve_tasks(parallel, allocator, piece_count(count));
}

void sn_parallel_release(sn_parallel *parallel, const sn_allocator *allocator)
{
    sn_threads_destroy(parallel->pool, allocator);
    parallel->pool = NULL;
    sn_release(allocator, parallel->taken, parallel->capacity * sizeof *parallel->taken);
    parallel->taken = NULL;
    parallel->capacity = 0;
    parallel->left = 0;
}

void sn_parallel_set_threads(sn_parallel *parallel, const sn_allocator *allocator, uint32_t threads)
{
    if (threads == parallel->threads)
        return;
    sn_threads_destroy(parallel->pool, allocator);
    parallel->pool = NULL;
    parallel->threads = threads;
    parallel->warned = false;
}

/* ---- The step ---------------------------------------------------------------------------------------------------- */

void sn_parallel_begin_step(sn_parallel *parallel)
{
    if (parallel->pool)
        sn_threads_begin_step(parallel->pool);
}

void sn_parallel_end_step(sn_parallel *parallel)
{
    if (parallel->pool)
        sn_threads_end_step(parallel->pool);
}

uint32_t sn_parallel_workers(const sn_parallel *parallel)
{
    if (parallel->tasks.run)
        return SN_HOOK_WORKERS;
    return parallel->threads > 1 ? parallel->threads : 1;
}

bool sn_parallel_wants(const sn_parallel *parallel, double work)
{
    return (parallel->eager || work >= SN_LEAST_SHARED_WORK) && sn_parallel_workers(parallel) > 1;
}

uint32_t sn_parallel_missing_threads(sn_parallel *parallel)
{
    uint32_t missing = parallel->pool && !parallel->warned ? sn_threads_missing(parallel->pool) : 0;
    parallel->warned |= missing != 0;
    return missing;
}

/* ---- Loops of the caller's task system --------------------------------------------------------------------------- */

/* Finds a worker number that no other running task has. It waits only where more tasks run at once than there are
   numbers. */
static uint32_t borrow_worker(sn_parallel *p)
{
    uint_least64_t used = atomic_load_explicit(&p->workers, memory_order_relaxed);
    for (;;) {
        uint32_t number = 0;
        while (number < SN_HOOK_WORKERS && used >> number & 1)
            ++number;
        if (number == SN_HOOK_WORKERS) {
            sn_threads_yield();
            used = atomic_load_explicit(&p->workers, memory_order_relaxed);
        } else if (atomic_compare_exchange_weak_explicit(&p->workers, &used, used | UINT64_C(1) << number,
                                                         memory_order_acquire, memory_order_relaxed)) {
            return number;
        }
    }
}

static void return_worker(sn_parallel *p, uint32_t number)
{
    atomic_fetch_and_explicit(&p->workers, ~(UINT64_C(1) << number), memory_order_release);
}

/* The function that the task system calls. A task that was already taken is not run again. A task that arrives after
   the end of the loop finds the loop closed, or does its part of the next loop. */
static void run_task(void *data, uint32_t index)
{
    sn_parallel *p = data;
    atomic_fetch_add(&p->inside, 1);
    if (index < atomic_load(&p->open) && !atomic_exchange(&p->taken[index], 1)) {
        sn_float_mode mode = float_mode_enter();
        uint32_t worker = borrow_worker(p);
        p->task(p->data, index, worker);
        return_worker(p, worker);
        float_mode_leave(mode);
    }
    atomic_fetch_sub(&p->inside, 1);
}

/* Lets no more threads in and waits for those inside. A task may still run after the task system has returned; it must
   not interfere with the next loop. */
static void close_loop(sn_parallel *p)
{
    atomic_store(&p->open, 0);
    while (atomic_load(&p->inside))
        sn_threads_yield();
}

static bool run_by_hook(sn_parallel *p, uint32_t count, sn_task_fn *task, void *data)
{
    p->task = task;
    p->data = data;
    for (uint32_t i = 0; i < count; ++i)
        atomic_store_explicit(&p->taken[i], 0, memory_order_relaxed);
    atomic_store(&p->open, count);
    p->tasks.run(p->tasks.context, count, run_task, p);
    close_loop(p);
    for (uint32_t i = 0; i < count; ++i)
        if (!atomic_load_explicit(&p->taken[i], memory_order_relaxed))
            p->left = count;
    return p->left == 0;
}

void sn_parallel_repair(sn_parallel *parallel)
{
    for (uint32_t i = 0; i < parallel->left; ++i)
        if (!atomic_exchange_explicit(&parallel->taken[i], 1, memory_order_relaxed))
            parallel->task(parallel->data, i, 0);
    parallel->left = 0;
}

/* ---- Loops ------------------------------------------------------------------------------------------------------- */

bool sn_parallel_tasks(sn_parallel *parallel, uint32_t count, sn_task_fn *task, void *data)
{
    if (parallel)
        parallel->left = 0;
    if (parallel && count > 1 && parallel->tasks.run && count <= parallel->capacity)
        return run_by_hook(parallel, count, task, data);
    if (parallel && count > 1 && parallel->pool) {
        sn_threads_run(parallel->pool, count, task, data);
        return true;
    }
    for (uint32_t i = 0; i < count; ++i)
        task(data, i, 0);
    return true;
}

static void run_piece(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    const sn_parallel *p = data;
    uint32_t first = index * p->size;
    p->piece(p->piece_data, first, p->items - first < p->size ? p->items : first + p->size);
}

static bool run_pieces(sn_parallel *p, uint32_t count, uint32_t size, sn_piece_fn *piece, void *data)
{
    p->piece = piece;
    p->piece_data = data;
    p->items = count;
    p->size = size;
    return sn_parallel_tasks(p, count / size + (count % size != 0), run_piece, p);
}

bool sn_parallel_for(sn_parallel *parallel, uint32_t count, sn_piece_fn *piece, void *data)
{
    parallel->left = 0;
    bool shared =
        parallel->tasks.run ? piece_count(count) <= parallel->capacity : parallel->pool && count >= SN_LEAST_ITEMS;
    if (shared && piece_count(count) >= 2)
        return run_pieces(parallel, count, SN_PIECE, piece, data);
    if (count)
        piece(data, 0, count);
    return true;
}

bool sn_parallel_few(sn_parallel *parallel, uint32_t count, double work, sn_piece_fn *piece, void *data)
{
    parallel->left = 0;
    if (count > SN_FEW && sn_parallel_wants(parallel, count * work))
        return run_pieces(parallel, count, SN_FEW, piece, data);
    if (count)
        piece(data, 0, count);
    return true;
}

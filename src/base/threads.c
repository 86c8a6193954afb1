/* How a loop is shared.

   Every worker owns a share of the task numbers and one atomic word with the number of tasks left in it. A worker takes
   a task by lowering that word by compare-and-swap. The worker is the owner, or another worker whose own share is done.
   The caller opens a loop by writing all words. Every worker counts the tasks that it has done in all loops. The loop
   is over when these counts add up to the tasks of all loops.

   Everything else follows from one fact: the loop cannot end while a task was taken but not counted. So a worker that
   has taken a task may read the loop (task, data, end) without further care. A worker that comes late finds words at
   zero or the number of another loop. A thread that has taken no task is not waited for: a thread that the system has
   suspended delays no loop.

   The upper half of a word is the number of the loop. By it the owner sees that there is a new loop, and others see
   that the tasks are not theirs to take. A task should run on the thread that ran the same task in the previous loop,
   because its data are in that core's cache. A loop costs two transfers of a cache line between cores: one with the
   words, one with the counts. No cache line is written by two workers unless one takes tasks from the other. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* for the affinity mask */
#endif

#include "base/threads.h"

#include "base/clock.h"
#include "base/float_mode.h"
#include "base/thread_port.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <string.h>

/* s: how long a thread that waits for the next loop stays awake. Waking it takes about 25 microseconds, 3 of them on
   the calling thread. Loops of a step follow each other closely, except around a solver that uses one thread. */
#define AWAKE_IN_STEP 200e-6
#define AWAKE         30e-6

/* s: after waiting this long a thread yields its core between looks, as there may be more threads than cores. */
#define SELFISH 50e-6

/* Iterations of a waiting loop, about a microsecond together, before a worker takes from the shares of others. Their
   owners may be about to begin, and would then have to fetch the data in their caches from one another. */
#define GRACE      16u
#define LONG_GRACE 128u /* for workers without a share */

/* Iterations of a waiting loop between two looks at the clock. */
#define ROUNDS 32u

/* A thread that is woken wakes this many others. This is faster than one thread waking all, and the caller can start to
   work. */
#define WAKES 2u

#define CACHE_LINE 64

typedef struct worker {
    alignas(CACHE_LINE) atomic_uint_least64_t share; /* number of the loop << 32 | tasks left */
    uint32_t end;                                    /* the end of the share's task numbers */
    alignas(CACHE_LINE) atomic_uint done;            /* tasks done by this worker, in all loops */
    uint32_t number;
    sn_threads *pool;
    sn_thread thread;
} worker;

struct sn_threads {
    /* Written by the caller between loops. */
    sn_task_fn *task;
    void *data;
    uint32_t loop; /* number of the last loop */
    uint32_t due;  /* total tasks of all loops */
    uint32_t size; /* workers requested, including the caller */
    uint32_t made; /* threads that exist */
    uint32_t refused;
    uint32_t missing;
    bool started; /* thread creation was attempted */
    bool crowded; /* more threads than cores */
    long process;
    atomic_bool in_step;
    atomic_bool ends; /* the threads have to end */

    alignas(CACHE_LINE) atomic_uint asleep; /* number of sleeping threads */
    uint32_t wanted;                        /* sleeping threads still to be woken. Guarded by the mutex, as is
                                               sleeping */
    sn_mutex mutex;
    sn_condition call;

    worker workers[]; /* worker 0 is the caller */
};

uint32_t sn_threads_for(uint32_t wish)
{
    if (!SN_HAVE_THREADS)
        return 1;
    if (wish)
        return wish < SN_MOST_THREADS ? wish : SN_MOST_THREADS;
    uint32_t cores = thread_cores();
    return cores < 1 ? 1 : cores < SN_MOST_THREADS_BY_ITSELF ? cores : SN_MOST_THREADS_BY_ITSELF;
}

void sn_threads_yield(void)
{
    thread_yield();
}

/* ---- Waiting ----------------------------------------------------------------------------------------------------- */

typedef struct patience {
    uint32_t rounds;
    double since, waited; /* s */
} patience;

/* Waits for a short moment. Returns the total time waited, in seconds. */
static double wait_a_moment(patience *p, bool crowded)
{
    thread_pause();
    if (++p->rounds % ROUNDS)
        return p->waited;
    double now = sn_clock();
    if (p->rounds == ROUNDS)
        p->since = now;
    p->waited = now - p->since;
    if (crowded || p->waited > SELFISH)
        thread_yield();
    return p->waited;
}

static uint32_t loop_of(worker *w)
{
    return (uint32_t)(atomic_load_explicit(&w->share, memory_order_acquire) >> 32);
}

/* How many sleeping threads to wake now. The mutex is locked. */
static uint32_t next_wakes(sn_threads *pool)
{
    uint32_t count = pool->wanted < WAKES ? pool->wanted : WAKES;
    pool->wanted -= count;
    return count;
}

static void wake(sn_threads *pool, uint32_t count)
{
    for (; count; --count)
        condition_signal(&pool->call);
}

/* Sleeps until there is another loop than `seen`. The caller opens a loop and then adds to `asleep`. So either it sees
   this thread there or this thread sees the loop. */
static void sleep_well(worker *me, uint32_t seen)
{
    sn_threads *pool = me->pool;
    mutex_lock(&pool->mutex);
    atomic_fetch_add_explicit(&pool->asleep, 1, memory_order_acq_rel);
    while (loop_of(me) == seen)
        condition_wait(&pool->call, &pool->mutex);
    atomic_fetch_sub_explicit(&pool->asleep, 1, memory_order_acq_rel);
    uint32_t wakes = next_wakes(pool);
    mutex_unlock(&pool->mutex);
    wake(pool, wakes);
}

/* Waits for another loop than `seen`, and returns its number. */
static uint32_t await_loop(worker *me, uint32_t seen)
{
    sn_threads *pool = me->pool;
    patience p = {0};
    uint32_t loop;
    while ((loop = loop_of(me)) == seen) {
        double waited = wait_a_moment(&p, pool->crowded);
        if (waited > (atomic_load_explicit(&pool->in_step, memory_order_relaxed) ? AWAKE_IN_STEP : AWAKE))
            sleep_well(me, seen);
    }
    return loop;
}

/* ---- Working ----------------------------------------------------------------------------------------------------- */

/* Takes a task from a share of this loop. Returns how many tasks the share had before; 0: none was left. */
static uint32_t take(worker *owner, uint32_t loop)
{
    uint_least64_t share = atomic_load_explicit(&owner->share, memory_order_relaxed);
    while ((uint32_t)share && share >> 32 == loop)
        if (atomic_compare_exchange_weak_explicit(&owner->share, &share, share - 1, memory_order_acquire,
                                                  memory_order_relaxed))
            return (uint32_t)share;
    return 0;
}

/* Does the rest of a share. Returns the number of tasks done. */
static uint32_t finish_share(worker *me, worker *owner, uint32_t loop)
{
    sn_threads *pool = me->pool;
    uint32_t done = 0, left;
    for (; (left = take(owner, loop)) != 0; ++done)
        pool->task(pool->data, owner->end - left, me->number);
    if (done)
        atomic_store_explicit(&me->done, atomic_load_explicit(&me->done, memory_order_relaxed) + done,
                              memory_order_release);
    return done;
}

/* True if all tasks of all loops are done. */
static bool is_over(const sn_threads *pool)
{
    uint32_t done = 0;
    for (uint32_t i = 0; i <= pool->made; ++i)
        done += atomic_load_explicit(&pool->workers[i].done, memory_order_acquire);
    return done == pool->due;
}

/* True if a worker has nothing more to do in the loop. The caller sees that the loop is over, the others see that there
   is a new one. */
static bool has_ended(worker *me, uint32_t loop)
{
    return me->number ? loop_of(me) != loop : is_over(me->pool);
}

/* Works on the own share, then on those of the others. */
static void work(worker *me, uint32_t loop)
{
    sn_threads *pool = me->pool;
    uint32_t workers = pool->made + 1;
    uint32_t grace = finish_share(me, me, loop) ? GRACE : LONG_GRACE;
    for (uint32_t i = 0; i < grace; ++i) {
        if (has_ended(me, loop))
            return;
        thread_pause();
    }
    for (uint32_t i = 1; i < workers; ++i) {
        uint32_t owner = me->number + i;
        finish_share(me, &pool->workers[owner < workers ? owner : owner - workers], loop);
    }
}

static SN_THREAD_RESULT live(void *data)
{
    worker *me = data;
    sn_threads *pool = me->pool;
    for (uint32_t loop = await_loop(me, 0); !atomic_load_explicit(&pool->ends, memory_order_relaxed);
         loop = await_loop(me, loop)) {
        sn_float_mode mode = float_mode_enter();
        work(me, loop);
        float_mode_leave(mode);
    }
    return 0;
}

/* ---- The caller's side ------------------------------------------------------------------------------------------- */

sn_threads *sn_threads_create(const sn_allocator *allocator, uint32_t count, uint32_t refused)
{
    size_t size = sizeof(sn_threads) + count * sizeof(worker);
    sn_threads *pool = sn_allocate(allocator, size);
    if (!pool)
        return NULL;
    memset(pool, 0, size);
    pool->size = count;
    pool->refused = refused;
    pool->crowded = count > thread_cores();
    for (uint32_t i = 0; i < count; ++i) {
        pool->workers[i].number = i;
        pool->workers[i].pool = pool;
    }
    return pool;
}

/* Loop numbers are never 0: 0 is the loop that a new thread has seen last. */
static void next_loop(sn_threads *pool)
{
    if (++pool->loop == 0)
        pool->loop = 1;
}

/* If threads cannot be created, the pool works with fewer. */
static void start(sn_threads *pool)
{
    pool->started = true;
    pool->process = thread_process();
    if (!mutex_init(&pool->mutex)) {
        pool->missing = pool->size - 1;
        return;
    }
    if (!condition_init(&pool->call)) {
        mutex_destroy(&pool->mutex);
        pool->missing = pool->size - 1;
        return;
    }
    uint32_t number = 1;
    for (; number < pool->size && number != pool->refused; ++number)
        if (!thread_create(&pool->workers[number].thread, live, &pool->workers[number]))
            break;
    pool->made = number - 1;
    pool->missing = pool->size - number;
    if (pool->made)
        return;
    condition_destroy(&pool->call);
    mutex_destroy(&pool->mutex);
}

/* Deals out the tasks in equal shares and publishes them. If there are fewer tasks than threads, the first threads get
   one each. */
static void open_loop(sn_threads *pool, uint32_t count)
{
    uint32_t workers = pool->made + 1, first = 0, shares = count < workers ? count : workers;
    next_loop(pool);
    pool->due += count;
    for (uint32_t i = 0; i < workers; ++i) {
        uint32_t end = i < shares ? (uint32_t)((uint64_t)count * (i + 1) / shares) : count;
        worker *w = &pool->workers[i];
        w->end = end;
        atomic_store_explicit(&w->share, (uint64_t)pool->loop << 32 | (end - first), memory_order_release);
        first = end;
    }
}

/* Wakes as many threads as there are tasks for. */
static void call_sleepers(sn_threads *pool, uint32_t count)
{
    uint32_t asleep = atomic_fetch_add_explicit(&pool->asleep, 0, memory_order_acq_rel);
    uint32_t awake = pool->made + 1 - asleep;
    if (asleep == 0 || count <= awake)
        return;
    mutex_lock(&pool->mutex);
    pool->wanted = count - awake < asleep ? count - awake : asleep;
    uint32_t wakes = next_wakes(pool);
    mutex_unlock(&pool->mutex);
    wake(pool, wakes);
}

void sn_threads_run(sn_threads *pool, uint32_t count, sn_task_fn *task, void *data)
{
    if (!pool->started)
        start(pool);
    if (!pool->made || count < 2) {
        for (uint32_t i = 0; i < count; ++i)
            task(data, i, 0);
        return;
    }
    pool->task = task;
    pool->data = data;
    open_loop(pool, count);
    call_sleepers(pool, count);
    work(&pool->workers[0], pool->loop);
    patience p = {0};
    while (!is_over(pool))
        wait_a_moment(&p, pool->crowded);
}

/* After a fork the threads stay with the parent, and its mutex may have been locked at that moment. */
static void notice_fork(sn_threads *pool)
{
    if (pool->made && thread_process() != pool->process)
        pool->made = 0;
}

void sn_threads_begin_step(sn_threads *pool)
{
    notice_fork(pool);
    atomic_store_explicit(&pool->in_step, true, memory_order_relaxed);
}

void sn_threads_end_step(sn_threads *pool)
{
    atomic_store_explicit(&pool->in_step, false, memory_order_relaxed);
}

uint32_t sn_threads_missing(const sn_threads *pool)
{
    return pool->missing;
}

uint32_t sn_threads_made(const sn_threads *pool)
{
    return pool->made;
}

static void end_threads(sn_threads *pool)
{
    atomic_store_explicit(&pool->ends, true, memory_order_relaxed);
    open_loop(pool, 0);
    mutex_lock(&pool->mutex);
    condition_broadcast(&pool->call);
    mutex_unlock(&pool->mutex);
    for (uint32_t i = 1; i <= pool->made; ++i)
        thread_join(pool->workers[i].thread);
    condition_destroy(&pool->call);
    mutex_destroy(&pool->mutex);
}

void sn_threads_destroy(sn_threads *pool, const sn_allocator *allocator)
{
    if (!pool)
        return;
    notice_fork(pool);
    if (pool->made)
        end_threads(pool);
    sn_release(allocator, pool, sizeof *pool + pool->size * sizeof(worker));
}

/* Threads: the task hook of a world, on workers of the page. The page starts them in advance, since a worker starts
   only after its creator has returned to the event loop. Each worker calls web_pool_work, which does not return
   until the pool ends.

   A loop is opened, and all threads take tasks from one counter. When none is left, the caller closes the loop and
   waits for the threads that are inside. A worker that arrives late finds it closed, or finds the next loop, and
   takes part in that. */
#include "web/glue/glue.h"

#include <stdatomic.h>
#include <stdlib.h>

#if defined(__wasm_atomics__)

/* How often a worker looks for the next loop before it sleeps; about a microsecond passes between accesses to shared
   memory. The loops of a step follow each other within microseconds, and steps within milliseconds. */
#define LOOKS 4000

struct web_pool {
    atomic_uint turn; /* number of the present loop; workers sleep on it */
    atomic_uint sleeping;
    atomic_uint open;
    atomic_uint inside;
    atomic_uint next; /* the next task */
    atomic_uint quit;
    uint32_t count;
    void (*task)(void *data, uint32_t index);
    void *data;
};

WEB(web_pool_create) web_pool *web_pool_create(void)
{
    return calloc(1, sizeof(web_pool));
}

static void take_tasks(web_pool *pool)
{
    for (uint32_t i; (i = atomic_fetch_add(&pool->next, 1)) < pool->count;)
        pool->task(pool->data, i);
}

static void wake(web_pool *pool)
{
    atomic_fetch_add(&pool->turn, 1);
    if (atomic_load(&pool->sleeping))
        __builtin_wasm_memory_atomic_notify((int *)(void *)&pool->turn, UINT32_MAX);
}

/* Waits until the number of the loop changes. */
static unsigned wait_for_turn(web_pool *pool, unsigned seen)
{
    for (int i = 0; i < LOOKS; ++i)
        if (atomic_load_explicit(&pool->turn, memory_order_acquire) != seen)
            return atomic_load(&pool->turn);
    atomic_fetch_add(&pool->sleeping, 1);
    while (atomic_load(&pool->turn) == seen)
        __builtin_wasm_memory_atomic_wait32((int *)(void *)&pool->turn, (int)seen, -1);
    atomic_fetch_sub(&pool->sleeping, 1);
    return atomic_load(&pool->turn);
}

/* The main function of a worker; returns when the pool ends. */
WEB(web_pool_work) void web_pool_work(web_pool *pool)
{
    unsigned seen = atomic_load(&pool->turn);
    while (!atomic_load(&pool->quit)) {
        atomic_fetch_add(&pool->inside, 1);
        if (atomic_load(&pool->open))
            take_tasks(pool);
        atomic_fetch_sub(&pool->inside, 1);
        seen = wait_for_turn(pool, seen);
    }
}

/* The caller does not sleep, which is forbidden on the main thread of a page. */
static void run(void *context, uint32_t count, void (*task)(void *data, uint32_t index), void *data)
{
    web_pool *pool = context;
    pool->task = task;
    pool->data = data;
    pool->count = count;
    atomic_store(&pool->next, 0);
    atomic_store(&pool->open, 1);
    wake(pool);
    take_tasks(pool);
    atomic_store(&pool->open, 0);
    while (atomic_load(&pool->inside)) {
    }
}

WEB(web_pool_end) void web_pool_end(web_pool *pool)
{
    atomic_store(&pool->quit, 1);
    wake(pool);
}

sn_tasks web_pool_tasks(web_pool *pool)
{
    return pool ? (sn_tasks){run, pool} : (sn_tasks){0};
}

#else

sn_tasks web_pool_tasks(web_pool *pool)
{
    (void)pool;
    return (sn_tasks){0};
}

#endif

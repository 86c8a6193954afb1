/* Loops that run on several threads: in the caller's task system, in the built-in pool, or on the calling thread alone.
   The result of a task must not depend on which of these runs it, nor on the order of the tasks. */
#ifndef SN_BASE_PARALLEL_H
#define SN_BASE_PARALLEL_H

#include "base/memory.h"
#include "base/threads.h"

#include <stdatomic.h>

/* Items in a piece. It is fixed, so that the division never depends on the number of threads. With 4096, sixteen
   threads had five pieces of 20,000. */
#define SN_PIECE 1024u

/* With fewer items than this, even a light loop is over before other threads have started. */
#define SN_LEAST_ITEMS (8 * SN_PIECE)

/* Items in a piece where items are few and heavy, such as bodies. */
#define SN_FEW 32u

/* ns. A loop with less work than this is not worth sharing: awake threads need a microsecond or two to start, sleeping
   threads about twenty-five. */
#define SN_LEAST_SHARED_WORK 20000.0

/* The most tasks of a caller's task system that run at once. If it has more threads, some of them wait. */
#define SN_HOOK_WORKERS 64u

/* Handles the items first .. end-1. */
typedef void sn_piece_fn(void *data, uint32_t first, uint32_t end);

/* If zeroed, everything runs on the calling thread. */
typedef struct sn_parallel {
    sn_tasks tasks;   /* the caller's task system. Without it the pool is used */
    uint32_t threads; /* of the pool, including the calling thread. 0 or 1: no pool */
    uint32_t refused; /* for tests, see sn_threads_create */
    sn_threads *pool; /* NULL until a loop is large enough */
    bool eager;       /* for tests: share every loop */
    bool warned;      /* a warning about threads that could not be created was given */

    /* The loop that runs or, if some of its tasks were left out, that ran last. It is here and not on the stack because
       some task systems run a task late. */
    sn_task_fn *task;
    void *data;
    sn_piece_fn *piece; /* of a loop over items */
    void *piece_data;
    uint32_t items; /* number of items */
    uint32_t size;  /* items in a piece */
    uint32_t left;  /* number of tasks of a loop of which some were left out; otherwise 0 */

    /* For the caller's task system. */
    atomic_uchar *taken; /* for each task: true if it was taken */
    uint32_t capacity;
    atomic_uint open;              /* tasks of the loop that runs. 0: a task that starts now is late */
    atomic_uint inside;            /* threads that use any of this */
    atomic_uint_least64_t workers; /* one bit for each worker number in use */
} sn_parallel;

/* Makes room for loops over count items, or of count tasks. Call it before the loops of a step: loops do not
   allocate. */
bool sn_parallel_reserve(sn_parallel *parallel, const sn_allocator *allocator, uint32_t count);
bool sn_parallel_reserve_tasks(sn_parallel *parallel, const sn_allocator *allocator, uint32_t count);

/* Also ends the threads. */
void sn_parallel_release(sn_parallel *parallel, const sn_allocator *allocator);

/* Changes the number of threads (1 or more), between steps. The next reserve creates the new pool. */
void sn_parallel_set_threads(sn_parallel *parallel, const sn_allocator *allocator, uint32_t threads);

/* Call these around the loops of a step: between such loops threads stay awake. Loops outside a step work too, but they
   are slow and do not work in a forked process. */
void sn_parallel_begin_step(sn_parallel *parallel);
void sn_parallel_end_step(sn_parallel *parallel);

/* Worker numbers are below this. It changes only with the number of threads. */
uint32_t sn_parallel_workers(const sn_parallel *parallel);

/* True if a loop should be shared. work is an estimate of its time in ns on one thread. It must depend only on the
   scene. */
bool sn_parallel_wants(const sn_parallel *parallel, double work);

/* Runs all pieces of a loop. False if the caller's task system left some out. */
bool sn_parallel_for(sn_parallel *parallel, uint32_t count, sn_piece_fn *piece, void *data);

/* The same in pieces of SN_FEW, if sharing is worth it. work: estimated ns per item. Reserve room for count / SN_FEW +
   1 tasks before. */
bool sn_parallel_few(sn_parallel *parallel, uint32_t count, double work, sn_piece_fn *piece, void *data);

/* Runs task(data, i, worker) once for every i in 0 .. count-1. worker is below sn_parallel_workers. No two tasks that
   run at the same time have the same worker. With parallel NULL, tasks run one after the other on this thread, as
   worker 0; so a loop that may be small reads sn_parallel_tasks(sn_parallel_wants(p, work) ? p : NULL, ...). A loop
   without reserved room also runs like that. False if the caller's task system left some tasks out. Must not be called
   by a task. */
bool sn_parallel_tasks(sn_parallel *parallel, uint32_t count, sn_task_fn *task, void *data);

/* After one of these returned false: runs the tasks that were left out, on this thread. Otherwise does nothing. */
void sn_parallel_repair(sn_parallel *parallel);

/* The number of threads that the system refused to create: returned once, then 0. */
uint32_t sn_parallel_missing_threads(sn_parallel *parallel);

#endif

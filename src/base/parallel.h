/* Loops that several threads share: those of the caller's task system, those of the built-in pool, or the calling thread
   alone. What a task does must not depend on which of these it is, nor on the order of the tasks. */
#ifndef SN_BASE_PARALLEL_H
#define SN_BASE_PARALLEL_H

#include "base/memory.h"
#include "base/threads.h"

#include <stdatomic.h>

/* Items in a piece: fixed, so that the cut never depends on the number of threads. With 4096, sixteen threads had five pieces of 20,000. */
#define SN_PIECE 1024u

/* Below so many items even a light loop is over before other threads have come. */
#define SN_LEAST_ITEMS (8 * SN_PIECE)

/* The same for items that are few and heavy, such as bodies. */
#define SN_FEW 32u

/* ns; a loop with less work than this is not worth sharing: threads take a microsecond or two to meet, and those that
   sleep some twenty-five. */
#define SN_LEAST_SHARED_WORK 20000.0

/* So many tasks of a caller's task system can run at once; if it has more threads, some of them wait. */
#define SN_HOOK_WORKERS 64u

/* Handles the items first .. end-1. */
typedef void sn_piece_fn(void *data, uint32_t first, uint32_t end);

/* Zeroed, it runs everything on the calling thread. */
typedef struct sn_parallel {
    sn_tasks tasks;   /* the caller's; without it the pool is used */
    uint32_t threads; /* of the pool, the calling one included; 0 or 1: there is none */
    uint32_t refused; /* for tests, see sn_threads_create */
    sn_threads *pool; /* NULL as long as no loop was large enough */
    bool eager;       /* for tests: every loop is worth sharing */
    bool warned;      /* a warning was given about threads that could not be made */

    /* The loop that runs, or, if tasks of it were left out, that ran last. It is here, and not on the stack, for the sake
       of task systems that run a task late. */
    sn_task_fn *task;
    void *data;
    sn_piece_fn *piece; /* of a loop over items, */
    void *piece_data;
    uint32_t items; /* and how many there are, */
    uint32_t size;  /*   and are in a piece */
    uint32_t left;  /* tasks of a loop of which some were left out; otherwise 0 */

    /* for the caller's task system */
    atomic_uchar *taken; /* for each task, whether it was taken */
    uint32_t capacity;
    atomic_uint open;              /* tasks of the loop that runs; 0: a task that is run now is late */
    atomic_uint inside;            /* threads that look at any of this */
    atomic_uint_least64_t workers; /* a bit for each number of a worker that is in use */
} sn_parallel;

/* Makes room for loops over count items, or of count tasks. Comes before the loops of a step: they allocate nothing. */
bool sn_parallel_reserve(sn_parallel *parallel, const sn_allocator *allocator, uint32_t count);
bool sn_parallel_reserve_tasks(sn_parallel *parallel, const sn_allocator *allocator, uint32_t count);

/* Ends the threads, too. */
void sn_parallel_release(sn_parallel *parallel, const sn_allocator *allocator);

/* Changes the number of threads, 1 or more, between steps. The next reserve makes the new pool. */
void sn_parallel_set_threads(sn_parallel *parallel, const sn_allocator *allocator, uint32_t threads);

/* Around the loops of a step, between which threads then stay awake. Loops outside of these work too, but are slow, and
   not for a process that was forked. */
void sn_parallel_begin_step(sn_parallel *parallel);
void sn_parallel_end_step(sn_parallel *parallel);

/* Workers have numbers below this. It changes with the number of threads only. */
uint32_t sn_parallel_workers(const sn_parallel *parallel);

/* Whether a loop with so much work, an estimate in ns on one thread, should be shared. The estimate must come from the
   scene alone. */
bool sn_parallel_wants(const sn_parallel *parallel, double work);

/* Runs all pieces of a loop. False if the caller's task system left some out. */
bool sn_parallel_for(sn_parallel *parallel, uint32_t count, sn_piece_fn *piece, void *data);

/* The same in pieces of SN_FEW, if it is worth it: an item is so much work, an estimate in ns. Room for count / SN_FEW + 1 tasks is
   reserved before. */
bool sn_parallel_few(sn_parallel *parallel, uint32_t count, double work, sn_piece_fn *piece, void *data);

/* Runs task(data, i, worker) for every i in 0 .. count-1, each once. worker is below sn_parallel_workers, and no two
   tasks that run at the same time have the same. parallel NULL: one after the other, here, as worker 0; so a loop that may
   be small reads sn_parallel_tasks(sn_parallel_wants(p, work) ? p : NULL, ...). A loop that no room was reserved for is run
   like that, too. False if the caller's task system left some out. Not to be called by a task. */
bool sn_parallel_tasks(sn_parallel *parallel, uint32_t count, sn_task_fn *task, void *data);

/* After one of these returned false: runs what was left out, here and now. Otherwise does nothing. */
void sn_parallel_repair(sn_parallel *parallel);

/* How many threads the system refused to make, the first time that this is asked after it did; otherwise 0. */
uint32_t sn_parallel_missing_threads(sn_parallel *parallel);

#endif

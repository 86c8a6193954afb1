/* The built-in thread pool. It runs the tasks of one loop at a time on several threads, including the calling thread.
   Threads are created at the first loop and kept. Between loops a thread first waits in a short busy loop, so that it
   starts on the next loop within a microsecond. Then it sleeps, so that a world that is not stepped costs nothing. */
#ifndef SN_BASE_THREADS_H
#define SN_BASE_THREADS_H

#include "base/memory.h"

/* A task of a loop. worker identifies the thread: no two tasks that run at the same time have the same worker. It
   selects scratch memory. */
typedef void sn_task_fn(void *data, uint32_t index, uint32_t worker);

/* The most threads that can be requested, including the calling thread, and the most that are used by default. */
#define SN_MOST_THREADS           256u
#define SN_MOST_THREADS_BY_ITSELF 64u

/* The number of threads for a request. 0: one for each core that this process may use, at most
   SN_MOST_THREADS_BY_ITSELF. Always 1 where there are no threads. */
uint32_t sn_threads_for(uint32_t wish);

typedef struct sn_threads sn_threads;

/* A pool of `count` threads, 2 to SN_MOST_THREADS, not yet created. For tests, refused simulates a failure: creation of
   thread number `refused` (from 1) and of all later ones fails; 0: no failure. NULL when memory runs out. */
sn_threads *sn_threads_create(const sn_allocator *allocator, uint32_t count, uint32_t refused);

/* Ends and joins the threads. NULL is ignored. */
void sn_threads_destroy(sn_threads *pool, const sn_allocator *allocator);

/* Runs task(data, i, worker) once for every i in 0 .. count-1, with worker below the count of the pool. Returns when
   all tasks have returned. Each thread begins with its own share of the numbers, the same in every loop of the same
   count, so that the data are still in its cache. A thread that is done takes from the others. Must not be called by a
   task. */
void sn_threads_run(sn_threads *pool, uint32_t count, sn_task_fn *task, void *data);

/* Between these calls the threads wait longer for the next loop before they sleep. A forked process has no threads: the
   next begin_step detects this, and from then on everything runs on the calling thread. */
void sn_threads_begin_step(sn_threads *pool);
void sn_threads_end_step(sn_threads *pool);

/* How many threads the system refused to create. */
uint32_t sn_threads_missing(const sn_threads *pool);

/* How many threads exist now, without the calling one. */
uint32_t sn_threads_made(const sn_threads *pool);

/* Lets other threads run. For a thread that waits for one of them. */
void sn_threads_yield(void);

#endif

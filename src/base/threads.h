/* The built-in thread pool: runs the tasks of one loop at a time on several threads, the calling one among them.

   Threads are made at the first loop and kept. Between loops a thread waits in a short busy loop, so that the next loop
   finds it within a microsecond, and then sleeps, so that a world that is not stepped costs nothing. */
#ifndef SN_BASE_THREADS_H
#define SN_BASE_THREADS_H

#include "base/memory.h"

/* A task of a loop. worker tells the threads apart: no two tasks that run at the same time have the same, so it can
   choose scratch memory. */
typedef void sn_task_fn(void *data, uint32_t index, uint32_t worker);

/* So many threads can be asked for, the calling one included; and so many are taken if none are asked for. */
#define SN_MOST_THREADS           256u
#define SN_MOST_THREADS_BY_ITSELF 64u

/* The threads that a wish comes to. 0: one for each core that this process may use, at most SN_MOST_THREADS_BY_ITSELF.
   Always 1 where there are no threads. */
uint32_t sn_threads_for(uint32_t wish);

typedef struct sn_threads sn_threads;

/* A pool of `count` threads, 2 to SN_MOST_THREADS, none of them made yet. refused, for tests: the system will not make
   the pool's thread with this number, from 1, nor those after it; 0: no such thing. NULL without memory. */
sn_threads *sn_threads_create(const sn_allocator *allocator, uint32_t count, uint32_t refused);

/* Ends and joins the threads. NULL is ignored. */
void sn_threads_destroy(sn_threads *pool, const sn_allocator *allocator);

/* Runs task(data, i, worker) once for every i in 0 .. count-1, with worker below the count of the pool, and returns when
   all have returned. Each thread begins with its own share of the numbers, the same in every loop of the same count, so
   that it finds in its cache what it had there; a thread that is done takes from the others. Must not be called by a task. */
void sn_threads_run(sn_threads *pool, uint32_t count, sn_task_fn *task, void *data);

/* Between these the threads wait for the next loop more patiently. A process that was forked has no threads: that is
   noticed at the beginning of a step, and everything runs on the calling thread from then on. */
void sn_threads_begin_step(sn_threads *pool);
void sn_threads_end_step(sn_threads *pool);

/* How many threads the system refused to make. */
uint32_t sn_threads_missing(const sn_threads *pool);

/* So many exist now, beside the calling one. */
uint32_t sn_threads_made(const sn_threads *pool);

/* Lets other threads run, for a thread that waits for one of them. */
void sn_threads_yield(void);

#endif

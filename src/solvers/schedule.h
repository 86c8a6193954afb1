/* The tiles of a plan on several threads, without a wait for all between two layers.

   A tile of a later layer waits for those tiles of earlier layers that touched its particles last, and for no others. Each thread has
   a list, a part of every layer, the same in every pass, so that it finds in its cache what it had there. One that has to
   wait for a tile that nobody has begun does that one itself; so does one that has done its list. Tiles that share a particle run
   in the order of their layers whatever the threads do, so results do not depend on them. */
#ifndef SN_SOLVERS_SCHEDULE_H
#define SN_SOLVERS_SCHEDULE_H

#include "base/parallel.h"
#include "solvers/plan.h"

/* Zeroed, there is none. */
typedef struct sn_schedule {
    sn_table start_table; /* of uint32_t, by tile: dep[start[t] .. start[t + 1]] are the tiles that it waits for */
    sn_table dep_table;   /* of uint32_t */
    sn_table flag_table;  /* by tile */
    sn_table last_table;  /* of uint32_t, by slot: scratch */
    uint64_t layout;      /* of the plan that this is for; 0: none */
    double work;          /* ns of a pass on one thread, about */
    uint32_t pass;        /* its number */
} sn_schedule;

void sn_schedule_init(sn_schedule *schedule);
void sn_schedule_release(sn_schedule *schedule, const sn_allocator *allocator);

/* Before a pass of this plan over so many stored particles. False when memory runs out. */
bool sn_schedule_reserve(sn_schedule *schedule, const sn_allocator *allocator, sn_parallel *parallel,
                         const sn_plan *plan, uint32_t particles);

/* Runs task(data, tile, worker) for all tiles of the plan. False if the caller's task system left some out. */
bool sn_schedule_run(sn_schedule *schedule, sn_parallel *parallel, const sn_plan *plan, sn_task_fn *task, void *data);

#endif

/* Loops cut into fixed pieces, run by the caller's task system or in place. */
#ifndef SN_BASE_PARALLEL_H
#define SN_BASE_PARALLEL_H

#include "base/memory.h"

#include <stdatomic.h>

/* Items in a piece: fixed, so that the cut never depends on the number of threads. */
#define SN_PIECE 4096u

/* Handles the items first .. end-1. */
typedef void sn_piece_fn(void *data, uint32_t first, uint32_t end);

typedef struct sn_parallel {
    sn_tasks tasks;
    atomic_uchar *state; /* of each piece of the loop that runs: waiting, begun or finished */
    uint32_t capacity;
    sn_piece_fn *piece; /* the loop that runs; here, and not on the stack, for the sake of hooks that run a task late */
    void *data;
    uint32_t count;
    uint32_t pieces;
} sn_parallel;

/* Makes room for loops over count items. */
bool sn_parallel_reserve(sn_parallel *parallel, const sn_allocator *allocator, uint32_t count);
void sn_parallel_release(sn_parallel *parallel, const sn_allocator *allocator);

/* Runs all pieces of a loop. False if the caller's task system left some out. */
bool sn_parallel_for(sn_parallel *parallel, uint32_t count, sn_piece_fn *piece, void *data);

/* After sn_parallel_for returned false: runs the pieces that were left out, here and now. */
void sn_parallel_repair(sn_parallel *parallel);

#endif

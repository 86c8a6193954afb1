#include "base/parallel.h"

#include "base/float_mode.h"

static uint32_t piece_count(uint32_t count)
{
    return count / SN_PIECE + (count % SN_PIECE != 0);
}

bool sn_parallel_reserve(sn_parallel *parallel, const sn_allocator *allocator, uint32_t count)
{
    uint32_t pieces = piece_count(count);
    if (!parallel->tasks.run || pieces <= parallel->capacity)
        return true;
    uint32_t capacity = pieces + pieces / 2;
    atomic_uchar *state = sn_allocate(allocator, capacity * sizeof *state);
    if (!state)
        return false;
    sn_parallel_release(parallel, allocator);
    parallel->state = state;
    parallel->capacity = capacity;
    return true;
}

void sn_parallel_release(sn_parallel *parallel, const sn_allocator *allocator)
{
    sn_release(allocator, parallel->state, parallel->capacity * sizeof *parallel->state);
    parallel->state = NULL;
    parallel->capacity = 0;
}

enum { WAITING, BEGUN, FINISHED };

/* One task: runs its piece unless it was begun before. */
static void run_task(void *data, uint32_t index)
{
    sn_parallel *p = data;
    if (index >= p->pieces)
        return;
    unsigned char expected = WAITING;
    if (!atomic_compare_exchange_strong(&p->state[index], &expected, BEGUN))
        return;
    sn_float_mode mode = float_mode_enter();
    uint32_t first = index * SN_PIECE;
    p->piece(p->data, first, p->count - first < SN_PIECE ? p->count : first + SN_PIECE);
    float_mode_leave(mode);
    atomic_store(&p->state[index], FINISHED);
}

bool sn_parallel_for(sn_parallel *parallel, uint32_t count, sn_piece_fn *piece, void *data)
{
    parallel->piece = piece;
    parallel->data = data;
    parallel->count = count;
    parallel->pieces = piece_count(count);
    if (!parallel->tasks.run || parallel->pieces < 2) {
        parallel->pieces = 0;
        if (count)
            piece(data, 0, count);
        return true;
    }
    for (uint32_t i = 0; i < parallel->pieces; ++i)
        atomic_init(&parallel->state[i], WAITING);
    parallel->tasks.run(parallel->tasks.context, parallel->pieces, run_task, parallel);
    bool all = true;
    for (uint32_t i = 0; i < parallel->pieces; ++i)
        all = all && atomic_load(&parallel->state[i]) == FINISHED;
    return all;
}

void sn_parallel_repair(sn_parallel *parallel)
{
    for (uint32_t i = 0; i < parallel->pieces; ++i)
        run_task(parallel, i);
}

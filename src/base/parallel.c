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
    atomic_uchar *done = sn_allocate(allocator, capacity * sizeof *done);
    if (!done)
        return false;
    sn_parallel_release(parallel, allocator);
    parallel->done = done;
    parallel->capacity = capacity;
    return true;
}

void sn_parallel_release(sn_parallel *parallel, const sn_allocator *allocator)
{
    sn_release(allocator, parallel->done, parallel->capacity * sizeof *parallel->done);
    parallel->done = NULL;
    parallel->capacity = 0;
}

typedef struct loop {
    sn_piece_fn *piece;
    void *data;
    uint32_t count;
    uint32_t pieces;
    atomic_uchar *done;
} loop;

/* One task: runs its piece unless it ran before. */
static void run_task(void *data, uint32_t index)
{
    loop *l = data;
    if (index >= l->pieces || atomic_exchange(&l->done[index], 1))
        return;
    sn_float_mode mode = float_mode_enter();
    uint32_t first = index * SN_PIECE;
    l->piece(l->data, first, l->count - first < SN_PIECE ? l->count : first + SN_PIECE);
    float_mode_leave(mode);
}

bool sn_parallel_for(sn_parallel *parallel, uint32_t count, sn_piece_fn *piece, void *data)
{
    loop l = {piece, data, count, piece_count(count), parallel->done};
    if (!parallel->tasks.run || l.pieces < 2) {
        if (count)
            piece(data, 0, count);
        return true;
    }
    for (uint32_t i = 0; i < l.pieces; ++i)
        atomic_init(&l.done[i], 0);
    parallel->tasks.run(parallel->tasks.context, l.pieces, run_task, &l);
    bool all = true;
    for (uint32_t i = 0; i < l.pieces; ++i)
        all = all && atomic_load(&l.done[i]);
    return all;
}

void sn_parallel_repair(sn_parallel *parallel, uint32_t count, sn_piece_fn *piece, void *data)
{
    loop l = {piece, data, count, piece_count(count), parallel->done};
    for (uint32_t i = 0; i < l.pieces; ++i)
        run_task(&l, i);
}

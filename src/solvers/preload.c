#include "solvers/preload.h"

#include "solvers/row.h"

bool sn_preload_has(uint32_t kind)
{
    return kind == SN_KIND_DISTANCE || kind == SN_KIND_DISTANCE_MAX;
}

bool sn_preload_takes(const sn_store *store, uint32_t kind, uint32_t row)
{
    if (!sn_preload_has(kind))
        return false;
    const uint32_t *point = store->pool[kind]->point + 2 * (size_t)row;
    return !((point[0] | point[1]) & SN_SPOT_BIT);
}

/* As wide_preload in wide/distance.h finds it. */
bool sn_preload_one(const sn_solver_in *in, uint32_t kind, uint32_t row)
{
    sn_pool *pool = in->store->pool[kind];
    sn_block block;
    sn_block_room room;
    const sn_real h2 = in->h * in->h, last = in->last_h > 0 ? pool->lambda[row] * (1 / (in->last_h * in->last_h)) : 0;
    if (!evaluate_shape(in->store, pool, row, &in->frame, &block, &room, 2, 1))
        return true;
    const sn_real give = block.w[0] + block.w[1], rest = pool->param[(size_t)row * pool->param_count];
    const sn_real most = (sn_real)SN_PRELOAD_MOST * rest / give, kept = pool->preload[row];
    sn_real now = (kept + (sn_real)in->preload_share * (last - kept)) * h2;
    now = give > 0 ? now > most ? most : now < -most ? -most : now : 0;
    pool->lambda[row] = now;
    pool->preload[row] = now * (1 / h2);
    row_apply(&block, 2, 0, now, in->frame.d);
    return isfinite(now);
}

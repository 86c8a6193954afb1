#include "solvers/preload.h"

#include "solvers/row.h"

bool sn_preload_has(uint32_t kind)
{
    return kind == SN_KIND_DISTANCE || kind == SN_KIND_DISTANCE_MAX || kind == SN_KIND_VOLUME ||
           kind == SN_KIND_SURFACE_VOLUME || sn_preload_holds(kind);
}

bool sn_preload_holds(uint32_t kind)
{
    return kind == SN_KIND_PIN || kind == SN_KIND_HALF_SPACE;
}

bool sn_preload_takes(const sn_store *store, uint32_t kind, uint32_t row)
{
    const sn_pool *pool = store->pool[kind];
    const uint32_t *point = pool->point + (size_t)row * pool->kind->points;
    bool takes = sn_preload_has(kind);
    for (uint32_t i = 0; takes && i < pool->kind->points; ++i) /* a list has no barycentric points */
        takes = !(point[i] & SN_ANCHOR_BIT);
    return takes;
}

/* One row; kept: its preload, exerts: its multiplier. */
static sn_real preload_row(const sn_solver_in *in, const sn_block *block, uint32_t row, sn_real most_by_give,
                           sn_real *kept, sn_real *exerts)
{
    const sn_real h2 = in->h * in->h, last = in->last_h > 0 ? *exerts * (1 / (in->last_h * in->last_h)) : 0;
    const sn_vec3 *gradient = block->gradient + row * block->count;
    sn_real give = 0;
    for (uint32_t i = 0; i < block->count; ++i)
        give += block->w[i] * vec3_dot(gradient[i], gradient[i]);
    const sn_real most = most_by_give / give;
    const bool slack = (sn_real)SN_PRELOAD_SLACK * *kept * *kept > last * *kept;
    const sn_real share = slack ? (sn_real)SN_PRELOAD_FASTEST : (sn_real)in->preload_share;
    sn_real now = (*kept + share * (last - *kept)) * h2;
    now = give > 0 ? now > most ? most : now < -most ? -most : now : 0;
    *exerts = now;
    *kept = now * (1 / h2);
    row_apply(block, block->count, row, now, in->frame.d);
    return now;
}

/* Computes the same as wide_preload in wide/distance.h and drive_preload in wide/drive.h. */
bool sn_preload_one(const sn_solver_in *in, uint32_t kind, uint32_t row, float most_share)
{
    sn_pool *pool = in->store->pool[kind];
    const uint32_t rows = pool->kind->rows;
    sn_block block;
    sn_block_room room;
    bool finite = true;
    if (!evaluate(in->store, pool, row, &in->frame, &block, &room))
        return true;
    const sn_real rest = pool->param[(size_t)row * pool->param_count];
    const sn_real most = sn_preload_holds(kind) ? (sn_real)INFINITY : (sn_real)most_share * (rest < 0 ? -rest : rest);
    for (uint32_t r = 0; r < rows; ++r) {
        const size_t at = (size_t)row * rows + r;
        finite = isfinite(preload_row(in, &block, r, most, &pool->preload[at], &pool->lambda[at])) && finite;
    }
    return finite;
}

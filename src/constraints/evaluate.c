#include "constraints/evaluate.h"

uint32_t sn_point_corners(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                          uint32_t point, uint32_t *slot, sn_real *weight)
{
    slot[0] = 0;
    weight[0] = 1;
    if (pool_has_lists(pool)) {
        sn_list list = pool_list(pool, row);
        slot[0] = frame->slot[list.particle[list.local[point]]];
        return 1;
    }
    uint32_t code = pool->point[(size_t)row * pool->kind.points + point];
    if (!(code & SN_SPOT_BIT)) {
        slot[0] = frame->slot[code];
        return 1;
    }
    const sn_spot *spot = &store->spot[code & ~SN_SPOT_BIT];
    for (uint32_t i = 0; i < spot->count; ++i) {
        slot[i] = frame->slot[spot->particle[i]];
        weight[i] = spot->weight[i];
    }
    return spot->count;
}

sn_eval_in sn_evaluate_input(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                             sn_vec3 *x)
{
    const uint32_t points = pool_point_count(pool, row);
    uint32_t slot[4];
    sn_real weight[4];
    sn_vec3 origin = vec3(0, 0, 0);
    if (pool->kind.internal) {
        sn_point_corners(store, pool, row, frame, 0, slot, weight);
        origin = vec4_xyz(frame->x[slot[0]]);
    }
    for (uint32_t i = 0; i < points; ++i) {
        uint32_t count = sn_point_corners(store, pool, row, frame, i, slot, weight);
        x[i] = vec3_scale(frame_position(frame, slot[0], origin), weight[0]);
        for (uint32_t j = 1; j < count; ++j)
            x[i] = vec3_add(x[i], vec3_scale(frame_position(frame, slot[j], origin), weight[j]));
    }
    return (sn_eval_in){x, pool->param + (size_t)row * pool->param_count, points, pool->kind.context};
}

/* ---- Spots ------------------------------------------------------------------------------------------------------ */

/* The place of a particle in the block, which gets it if it is new. */
static uint32_t block_index(sn_block *block, const sn_frame *frame, uint32_t slot)
{
    for (uint32_t i = 0; i < block->count; ++i)
        if (block->slot[i] == slot)
            return i;
    block->slot[block->count] = slot;
    block->w[block->count] = frame->x[slot].w;
    return block->count++;
}

/* Gradients go to the particles: dC/dx_particle = sum over the points it carries of weight * dC/dx_point. Summing
   before weighting with w is what makes two points that share a particle right; the sum of b^2 w per point alone is
   not. */
bool sn_evaluate_spots(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame, sn_block *block)
{
    const uint32_t points = pool->kind.points, rows = pool->kind.rows;
    sn_vec3 x[SN_MAX_POINTS], by_point[SN_MAX_ROWS * SN_MAX_POINTS];
    memset(block->c, 0, rows * sizeof *block->c);
    memset(by_point, 0, sizeof by_point);
    sn_eval_in in = sn_evaluate_input(store, pool, row, frame, x);
    sn_eval_out out = {block->c, by_point};
    if (!pool->kind.eval(&in, &out))
        return false;

    uint32_t slot[4], owner[SN_MAX_POINTS][4], count[SN_MAX_POINTS];
    sn_real weight[SN_MAX_POINTS][4];
    block->rows = rows;
    block->count = 0;
    for (uint32_t i = 0; i < points; ++i) {
        count[i] = sn_point_corners(store, pool, row, frame, i, slot, weight[i]);
        for (uint32_t j = 0; j < count[i]; ++j)
            owner[i][j] = block_index(block, frame, slot[j]);
    }
    memset(block->gradient, 0, (size_t)rows * block->count * sizeof *block->gradient);
    for (uint32_t i = 0; i < points; ++i)
        for (uint32_t r = 0; r < rows; ++r)
            for (uint32_t j = 0; j < count[i]; ++j) {
                sn_vec3 *g = &block->gradient[r * block->count + owner[i][j]];
                *g = vec3_add(*g, vec3_scale(by_point[r * points + i], weight[i][j]));
            }
    flatten(frame, block);
    return true;
}

/* ---- Lists ------------------------------------------------------------------------------------------------------ */

bool sn_evaluate_list(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame, sn_block *block)
{
    const uint32_t rows = pool->kind.rows;
    sn_list list = pool_list(pool, row);
    sn_vec3 *by_point = store->many.column[SN_MANY_BY_POINT];
    memset(block->c, 0, rows * sizeof *block->c);
    memset(by_point, 0, (size_t)rows * list.point_count * sizeof *by_point);
    sn_eval_in in = sn_evaluate_input(store, pool, row, frame, store->many.column[SN_MANY_X]);
    sn_eval_out out = {block->c, by_point};
    if (!pool->kind.eval(&in, &out))
        return false;

    block->rows = rows;
    block->count = list.particle_count;
    block->slot = store->many.column[SN_MANY_SLOT];
    block->w = store->many.column[SN_MANY_W];
    block->gradient = store->many.column[SN_MANY_GRADIENT];
    for (uint32_t i = 0; i < list.particle_count; ++i) {
        block->slot[i] = frame->slot[list.particle[i]];
        block->w[i] = frame->x[block->slot[i]].w;
    }
    memset(block->gradient, 0, (size_t)rows * list.particle_count * sizeof *block->gradient);
    for (uint32_t r = 0; r < rows; ++r)
        for (uint32_t i = 0; i < list.point_count; ++i) {
            sn_vec3 *g = &block->gradient[r * list.particle_count + list.local[i]];
            *g = vec3_add(*g, by_point[r * list.point_count + i]);
        }
    flatten(frame, block);
    return true;
}

/* ---- Forces ----------------------------------------------------------------------------------------------------- */

const sn_vec3 *sn_evaluate_force(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                                 const sn_vec4 *v, sn_real *energy)
{
    sn_vec3 *velocity = store->many.column[SN_MANY_MOVE], *force = store->many.column[SN_MANY_FORCE];
    sn_eval_in in = sn_evaluate_input(store, pool, row, frame, store->many.column[SN_MANY_X]);
    for (uint32_t i = 0; i < in.points; ++i) {
        uint32_t slot[4];
        sn_real weight[4];
        uint32_t count = sn_point_corners(store, pool, row, frame, i, slot, weight);
        force[i] = velocity[i] = vec3(0, 0, 0);
        for (uint32_t j = 0; j < count; ++j)
            velocity[i] = vec3_add(velocity[i], vec3_scale(vec4_xyz(v[slot[j]]), weight[j]));
    }
    *energy = pool->kind.force(&in, velocity, force);
    return force;
}

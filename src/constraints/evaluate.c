#include "constraints/evaluate.h"

/* The number of the first particle behind a point. */
static uint32_t first_particle(const sn_store *store, uint32_t point)
{
    return point & SN_SPOT_BIT ? store->spot[point & ~SN_SPOT_BIT].particle[0] : point;
}

void sn_evaluate_positions(const sn_store *store, const sn_pool *pool, const uint32_t *point, const sn_frame *frame,
                           sn_vec3 *x)
{
    sn_vec3 origin = vec3(0, 0, 0);
    if (pool->kind.internal)
        origin = vec4_xyz(frame->x[frame->slot[first_particle(store, point[0])]]);
    for (uint32_t i = 0; i < pool->kind.points; ++i) {
        if (!(point[i] & SN_SPOT_BIT)) {
            x[i] = frame_position(frame, frame->slot[point[i]], origin);
            continue;
        }
        const sn_spot *spot = &store->spot[point[i] & ~SN_SPOT_BIT];
        x[i] = vec3(0, 0, 0);
        for (uint32_t j = 0; j < spot->count; ++j) {
            sn_vec3 corner = frame_position(frame, frame->slot[spot->particle[j]], origin);
            x[i] = vec3_add(x[i], vec3_scale(corner, spot->weight[j]));
        }
    }
}

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

/* The particles of a point with their weights; a plain particle weighs 1. */
static uint32_t corners(const sn_store *store, uint32_t point, uint32_t *particle, sn_real *weight)
{
    if (!(point & SN_SPOT_BIT)) {
        particle[0] = point;
        weight[0] = 1;
        return 1;
    }
    const sn_spot *spot = &store->spot[point & ~SN_SPOT_BIT];
    memcpy(particle, spot->particle, sizeof spot->particle);
    memcpy(weight, spot->weight, sizeof spot->weight);
    return spot->count;
}

/* Gradients go to the particles: dC/dx_particle = sum over the points it carries of weight * dC/dx_point. Summing before
   weighting with w is what makes two points that share a particle right; the sum of b^2 w per point alone is not. */
bool sn_evaluate_spots(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame, sn_block *block)
{
    const uint32_t points = pool->kind.points, rows = pool->kind.rows;
    const uint32_t *point = pool->point + (size_t)row * points;
    sn_vec3 x[SN_MAX_POINTS], by_point[SN_MAX_ROWS * SN_MAX_POINTS];
    sn_evaluate_positions(store, pool, point, frame, x);
    memset(block->c, 0, rows * sizeof *block->c);
    memset(by_point, 0, sizeof by_point);
    sn_eval_in in = {x, pool->param + (size_t)row * pool->param_count, points, pool->kind.context};
    sn_eval_out out = {block->c, by_point};
    if (!pool->kind.eval(&in, &out))
        return false;

    uint32_t particle[4], owner[SN_MAX_POINTS][4];
    sn_real weight[4];
    block->rows = rows;
    block->count = 0;
    for (uint32_t i = 0; i < points; ++i) {
        uint32_t count = corners(store, point[i], particle, weight);
        for (uint32_t j = 0; j < count; ++j)
            owner[i][j] = block_index(block, frame, frame->slot[particle[j]]);
    }
    memset(block->gradient, 0, (size_t)rows * block->count * sizeof *block->gradient);
    for (uint32_t i = 0; i < points; ++i) {
        uint32_t count = corners(store, point[i], particle, weight);
        for (uint32_t r = 0; r < rows; ++r)
            for (uint32_t j = 0; j < count; ++j) {
                sn_vec3 *g = &block->gradient[r * block->count + owner[i][j]];
                *g = vec3_add(*g, vec3_scale(by_point[r * points + i], weight[j]));
            }
    }
    flatten(frame, block);
    return true;
}

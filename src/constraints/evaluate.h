/* One constraint made ready for a solver: its C, its gradient gathered by particle, and their inverse masses. */
#ifndef SN_CONSTRAINTS_EVALUATE_H
#define SN_CONSTRAINTS_EVALUATE_H

#include "constraints/store.h"

#include <string.h>

#define SN_MAX_BLOCK (4 * SN_MAX_POINTS) /* particles behind the points of one constraint */

/* The particles as a solver sees them. A position is x + d, the start of the substep plus what was moved since: kept
   apart, because in single precision their sum would round away the small displacements of small substeps. */
typedef struct sn_frame {
    const sn_vec4 *x;     /* position at the start, inverse mass */
    sn_vec4 *d;           /* displacement; NULL: between steps */
    const sn_vec3 *x_low; /* between steps: what rounding left over of x */
    const uint32_t *slot; /* by a particle's number, where it is stored */
    bool planar;          /* 2D: z is locked */
} sn_frame;

typedef struct sn_block {
    uint32_t rows;
    uint32_t count; /* particles */
    uint32_t slot[SN_MAX_BLOCK];
    sn_real w[SN_MAX_BLOCK];
    sn_real c[SN_MAX_ROWS];
    sn_vec3 gradient[SN_MAX_ROWS * SN_MAX_BLOCK]; /* [row * count + particle] */
} sn_block;

/* Evaluates a constraint with a spot among its points. */
bool sn_evaluate_spots(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                       sn_block *block);

/* Where the points of a constraint are, relative to *origin: for an internal kind that is the start position of its first
   particle, so that the numbers keep their precision far from the origin of the world. */
void sn_evaluate_positions(const sn_store *store, const sn_pool *pool, const uint32_t *point, const sn_frame *frame,
                           sn_vec3 *x);

static inline sn_vec3 frame_position(const sn_frame *frame, uint32_t slot, sn_vec3 origin)
{
    sn_vec3 x = vec3_sub(vec4_xyz(frame->x[slot]), origin);
    return vec3_add(x, frame->d ? vec4_xyz(frame->d[slot]) : frame->x_low[slot]);
}

/* Locked coordinates have no gradient. */
static inline void flatten(const sn_frame *frame, sn_block *block)
{
    if (frame->planar)
        for (uint32_t i = 0; i < block->rows * block->count; ++i)
            block->gradient[i].z = 0;
}

/* Fills block for a constraint of a kind with so many points and rows: passed apart from the kind so that the compiler can
   unroll the loops of the usual shapes. False where the kind's gradient does not exist: the constraint rests. */
SN_INLINE bool evaluate_shape(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                              sn_block *block, uint32_t points, uint32_t rows)
{
    const uint32_t *point = pool->point + (size_t)row * points;
    for (uint32_t i = 0; i < points; ++i) {
        if (point[i] & SN_SPOT_BIT)
            return sn_evaluate_spots(store, pool, row, frame, block);
        block->slot[i] = frame->slot[point[i]];
    }
    sn_vec3 x[SN_MAX_POINTS];
    sn_vec3 origin = pool->kind.internal ? vec4_xyz(frame->x[block->slot[0]]) : vec3(0, 0, 0);
    for (uint32_t i = 0; i < points; ++i) {
        block->w[i] = frame->x[block->slot[i]].w;
        x[i] = frame_position(frame, block->slot[i], origin);
    }
    block->rows = rows;
    block->count = points;
    for (uint32_t i = 0; i < rows; ++i)
        block->c[i] = 0;
    for (uint32_t i = 0; i < rows * points; ++i)
        block->gradient[i] = vec3(0, 0, 0);
    sn_eval_in in = {x, pool->param + (size_t)row * pool->param_count, points, pool->kind.context};
    sn_eval_out out = {block->c, block->gradient};
    if (!pool->kind.eval(&in, &out))
        return false;
    flatten(frame, block);
    return true;
}

static inline bool evaluate(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                            sn_block *block)
{
    return evaluate_shape(store, pool, row, frame, block, pool->kind.points, pool->kind.rows);
}

#endif

/* One constraint made ready for a solver: its C, its gradient gathered by particle, and their inverse masses. */
#ifndef SN_CONSTRAINTS_EVALUATE_H
#define SN_CONSTRAINTS_EVALUATE_H

#include "constraints/store.h"

#include <string.h>

#define SN_MAX_BLOCK (4 * SN_MAX_POINTS) /* particles behind the points of one constraint with a fixed number of them */

/* The particles as a solver sees them. A position is x + d: in a substep x is where the particle was predicted to go,
   and d what rounding left over of that and what constraints moved it since. Kept apart, because in single precision
   their sum would round away the small corrections of small substeps. */
typedef struct sn_frame {
    const sn_vec4 *x;     /* place, inverse mass */
    sn_vec4 *d;           /* remainder and corrections; NULL: between steps, or the start of the substep */
    const sn_vec4 *start; /* place at the start of the substep; NULL: between steps */
    const sn_vec4 *x_low; /* what rounding left over of x */
    const sn_vec4 *old_d; /* with BDF2: displacement in the substep before, valid where w is h; NULL otherwise */
    sn_real h;            /* the substep that goes with it */
    const uint32_t *slot; /* by a particle's number, where it is stored */
    bool planar;          /* 2D: z is locked */
} sn_frame;

typedef struct sn_block {
    uint32_t rows;
    uint32_t count; /* particles */
    uint32_t *slot;
    sn_real *w;
    sn_vec3 *gradient; /* [row * count + particle] */
    sn_real c[SN_MAX_ROWS];
} sn_block;

/* Where a block of the usual size lives: on the stack of whoever evaluates. */
typedef struct sn_block_room {
    uint32_t slot[SN_MAX_BLOCK];
    sn_real w[SN_MAX_BLOCK];
    sn_vec3 gradient[SN_MAX_ROWS * SN_MAX_BLOCK];
} sn_block_room;

/* Evaluates a constraint with a spot among its points. */
bool sn_evaluate_spots(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                       sn_block *block);

/* Evaluates a constraint of a kind with any number of points. The block lives in the store's scratch until the next. */
bool sn_evaluate_list(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame, sn_block *block);

/* The slots of the particles behind one point with their weights; a plain particle weighs 1. Returns how many. */
uint32_t sn_point_corners(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                          uint32_t point, uint32_t *slot, sn_real *weight);

/* What the functions of a kind are given for a constraint. Its points' positions are written to x (one for each
   point), relative to the start position of its first particle if the kind is internal, so that the numbers keep
   their precision far from the origin of the world. */
sn_eval_in sn_evaluate_input(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                             sn_vec3 *x);

/* Evaluates a force element at positions and velocities v (by slot): the force on each of its points, in the store's
   scratch until the next evaluation, and its energy. */
const sn_vec3 *sn_evaluate_force(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                                 const sn_vec4 *v, sn_real *energy);

static inline sn_vec3 frame_position(const sn_frame *frame, uint32_t slot, sn_vec3 origin)
{
    sn_vec3 x = vec3_sub(vec4_xyz(frame->x[slot]), origin);
    return vec3_add(x, vec4_xyz(frame->d ? frame->d[slot] : frame->x_low[slot]));
}

/* Locked coordinates have no gradient. */
static inline void flatten(const sn_frame *frame, sn_block *block)
{
    if (frame->planar)
        for (uint32_t i = 0; i < block->rows * block->count; ++i)
            block->gradient[i].z = 0;
}

/* Fills block for a constraint of a kind with so many points and rows: passed apart from the kind so that the
   compiler can unroll the loops of the usual shapes. False where the kind's gradient does not exist: the constraint
   rests. */
SN_INLINE bool evaluate_shape(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                              sn_block *block, sn_block_room *room, uint32_t points, uint32_t rows)
{
    if (points == 0)
        return sn_evaluate_list(store, pool, row, frame, block);
    block->slot = room->slot;
    block->w = room->w;
    block->gradient = room->gradient;
    const uint32_t *point = pool->point + (size_t)row * points;
    for (uint32_t i = 0; i < points; ++i) {
        if (point[i] & SN_SPOT_BIT)
            return sn_evaluate_spots(store, pool, row, frame, block);
        room->slot[i] = frame->slot[point[i]];
    }
    sn_vec3 x[SN_MAX_POINTS];
    sn_vec3 origin = pool->kind.internal ? vec4_xyz(frame->x[room->slot[0]]) : vec3(0, 0, 0);
    for (uint32_t i = 0; i < points; ++i) {
        room->w[i] = frame->x[room->slot[i]].w;
        x[i] = frame_position(frame, room->slot[i], origin);
    }
    block->rows = rows;
    block->count = points;
    for (uint32_t i = 0; i < rows; ++i)
        block->c[i] = 0;
    for (uint32_t i = 0; i < rows * points; ++i)
        room->gradient[i] = vec3(0, 0, 0);
    sn_eval_in in = {x, pool->param + (size_t)row * pool->param_count, points, pool->kind.context};
    sn_eval_out out = {block->c, room->gradient};
    if (!pool->kind.eval(&in, &out))
        return false;
    flatten(frame, block);
    return true;
}

static inline bool evaluate(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                            sn_block *block, sn_block_room *room)
{
    return evaluate_shape(store, pool, row, frame, block, room, pool->kind.points, pool->kind.rows);
}

#endif

/* Evaluation of one constraint for a solver: its C, its gradient collected by particle, and the inverse masses. */
#ifndef SN_CONSTRAINTS_EVALUATE_H
#define SN_CONSTRAINTS_EVALUATE_H

#include "base/quat.h"
#include "constraints/store.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SN_MAX_BLOCK (4 * SN_MAX_POINTS) /* most particles of a constraint with a fixed number of points */

/* The rotation of a body, as solvers see it. To solvers a body is two particles of the same mass: its centre, which is
   a particle of the world, and its *turn*, at the slot of the last particle + 1 + the body's row. The turn's
   displacement, in metres, is the rotation angle times the radius of gyration, about each principal axis. So masses
   need not be tensors, and solvers need not know of bodies. */
typedef struct sn_turn {
    sn_quat start;   /* from principal axes to the world, at the start of the substep, or between steps */
    sn_quat now;     /* in a substep: as predicted, without the turn's corrections since */
    sn_vec3 give;    /* 1/m: 1 / radius of gyration, by principal axis; 0: the axis is locked */
    sn_vec3 pull;    /* N: the user's torque for the step, as a force on the turn */
    uint32_t centre; /* the number of its particle; SN_ID_FREE: there is no such body */
    uint32_t unused; /* pads the size to a cache line */
} sn_turn;

/* The particles as a solver sees them. A position is x + d. In a substep x is the predicted position; d is its rounding
   remainder and the corrections by constraints since. They are stored separately, because in single precision their sum
   would lose the small corrections of small substeps. */
typedef struct sn_frame {
    const sn_vec4 *x;        /* position, inverse mass */
    sn_vec4 *d;              /* remainder and corrections. NULL: between steps, or at the start of the substep */
    const sn_vec4 *start;    /* position at the start of the substep; NULL: between steps */
    const sn_vec4 *x_low;    /* rounding remainder of x */
    const sn_vec4 *old_d;    /* with BDF2: displacement in the previous substep, valid where w is h; otherwise NULL */
    const sn_vec4 *expected; /* displacement that contact is about to add, for dampers; NULL: none */
    const sn_vec4 *by_friction; /* the same by friction alone, for rates; NULL: none */
    sn_real h;                  /* the substep h to which it belongs */
    const uint32_t *slot;       /* where each particle is stored, by its number */
    bool planar;                /* 2D: z is locked */
    bool held;                  /* conflicting constraints aim at their compromise */
    const sn_turn *turn;        /* by body; NULL: there are no bodies */
    uint32_t turn_slot;         /* of the first body's turn */
    const sn_vec4 *turned;      /* by slot, if d is NULL: displacement of turns from the start; NULL: none */
} sn_frame;

typedef struct sn_block {
    uint32_t rows;
    uint32_t count; /* particles */
    uint32_t *slot;
    sn_real *w;
    sn_vec3 *gradient; /* [row * count + particle] */
    sn_real c[SN_MAX_ROWS];
    const sn_row *row; /* parameters of its rows; NULL: those of the kind */
} sn_block;

/* Memory for a block of the usual size, on the caller's stack. */
typedef struct sn_block_room {
    uint32_t slot[SN_MAX_BLOCK];
    sn_real w[SN_MAX_BLOCK];
    sn_vec3 gradient[SN_MAX_ROWS * SN_MAX_BLOCK];
    sn_row row[SN_MAX_ROWS];
} sn_block_room;

/* Evaluates a constraint with an anchor or a weighted point among its points. The block has the particles in the order
   of sn_store_particles, each once, and then the turns of bodies. */
bool sn_evaluate_anchors(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                         sn_block *block, sn_block_room *room);

/* Evaluates a constraint of a kind with any number of points. The block is in the store's scratch memory and valid
   until the next call. */
bool sn_evaluate_list(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame, sn_block *block);

/* The slots and weights of the particles of one point. A plain particle, or the centre of a body, has weight 1. Returns
   their number; 0 for a fixed place. */
uint32_t sn_point_corners(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                          uint32_t point, uint32_t *slot, sn_real *weight);

/* The input of a kind's functions for a constraint. The positions of its points are written to x (one for each point).
   If the kind is internal, they are relative to the start position of its first particle, so that they are precise far
   from the origin of the world. If the kind is oriented, the orientations of its points are written to q, which has
   room for SN_MAX_POINTS or is NULL. */
sn_eval_in sn_evaluate_input(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                             sn_vec3 *x, sn_quat *q);

/* The orientation of a body in a frame. */
sn_quat sn_frame_orientation(const sn_frame *frame, uint32_t body);

/* The gradient for the turn of a body, from the gradient for a point of the body (`push`, at `place`) and for its
   rotation (`torque`), both in the world. */
sn_vec3 sn_frame_turn_gradient(const sn_frame *frame, uint32_t body, sn_vec3 place, sn_vec3 push, sn_vec3 torque);

/* m/s: the velocity of a point of a body due to its rotation. v by slot, turns included. */
sn_vec3 sn_frame_turning(const sn_frame *frame, const sn_anchor *anchor, const sn_vec4 *v);

/* The anchor of a point that is on a body; NULL for other points. */
const sn_anchor *sn_point_on_body(const sn_store *store, const sn_pool *pool, uint32_t row, uint32_t point);

/* Lists the rows of the bodies of a constraint, each once, in the order in which a block has their turns. `body` has
   room for SN_MAX_POINTS. Returns their number. */
uint32_t sn_evaluate_bodies(const sn_store *store, const sn_pool *pool, uint32_t row, uint32_t *body);

/* Call it at the end of a substep h, which multipliers see as `effective_h`: updates the state of oriented kinds that
   have a settle function. */
void sn_evaluate_settle(sn_store *store, uint32_t kind, uint32_t first, uint32_t end, const sn_frame *frame, sn_real h,
                        sn_real effective_h);

/* Evaluates a force element at positions and velocities v (by slot). Returns the force on each of its points, in the
   store's scratch memory until the next evaluation, and its energy. */
const sn_vec3 *sn_evaluate_force(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                                 const sn_vec4 *v, sn_real *energy);

static inline sn_vec3 frame_position(const sn_frame *frame, uint32_t slot, sn_vec3 origin)
{
    sn_vec3 x = vec3_sub(vec4_xyz(frame->x[slot]), origin);
    return vec3_add(x, vec4_xyz(frame->d ? frame->d[slot] : frame->x_low[slot]));
}

/* A component of a gradient that is this small relative to the rest counts as rounding error. If the rest is locked,
   the rounding error must not remain: it would be the whole gradient of the row, and its multiplier would grow without
   limit. */
#define SN_EVALUATE_ROUNDING (64 * (SINEW_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON))

/* A gradient in a 2D world: z is locked and removed. */
static inline sn_vec3 gradient_in_plane(sn_vec3 g)
{
    double least = SN_EVALUATE_ROUNDING * fabs((double)g.z);
    return vec3(fabs((double)g.x) > least ? g.x : 0, fabs((double)g.y) > least ? g.y : 0, 0);
}

/* Constraints in conflict aim at their compromise. */
static inline void block_hold(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                              sn_block *block)
{
    const sn_compromised *held = frame->held ? store_compromise(store, pool, row) : NULL;
    for (uint32_t r = 0; held && r < block->rows; ++r)
        block->c[r] -= held->c[r];
}

/* Removes gradients of locked coordinates. */
static inline void flatten(const sn_frame *frame, sn_block *block)
{
    if (frame->planar)
        for (uint32_t i = 0; i < block->rows * block->count; ++i)
            block->gradient[i] = gradient_in_plane(block->gradient[i]);
}

/* Fills block for a constraint of a kind with these numbers of points and rows. They are passed separately from the
   kind so that the compiler can unroll the loops of the usual shapes. False where the gradient does not exist: the
   constraint is inactive. */
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
        if (point[i] & SN_ANCHOR_BIT)
            return sn_evaluate_anchors(store, pool, row, frame, block, room);
        room->slot[i] = frame->slot[point[i]];
    }
    sn_vec3 x[SN_MAX_POINTS];
    sn_vec3 origin = pool->kind->internal ? vec4_xyz(frame->x[room->slot[0]]) : vec3(0, 0, 0);
    for (uint32_t i = 0; i < points; ++i) {
        room->w[i] = frame->x[room->slot[i]].w;
        x[i] = frame_position(frame, room->slot[i], origin);
    }
    block->rows = rows;
    block->count = points;
    block->row = NULL;
    for (uint32_t i = 0; i < rows; ++i)
        block->c[i] = 0;
    for (uint32_t i = 0; i < rows * points; ++i)
        room->gradient[i] = vec3(0, 0, 0);
    sn_eval_in in = {.x = x,
                     .param = pool->param + (size_t)row * pool->param_count,
                     .points = points,
                     .context = pool->kind->context,
                     .state = pool_state(pool, row),
                     .planar = frame->planar};
    sn_eval_out out = {block->c, room->gradient, NULL, NULL};
    if (pool->kind->own_rows) {
        memset(room->row, 0, sizeof room->row);
        out.row = room->row;
        block->row = room->row;
    }
    if (!pool->kind->eval(&in, &out))
        return false;
    block_hold(store, pool, row, frame, block);
    flatten(frame, block);
    return true;
}

static inline bool evaluate(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                            sn_block *block, sn_block_room *room)
{
    return evaluate_shape(store, pool, row, frame, block, room, pool->kind->points, pool->kind->rows);
}

#endif

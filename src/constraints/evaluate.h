/* One constraint made ready for a solver: its C, its gradient gathered by particle, and their inverse masses. */
#ifndef SN_CONSTRAINTS_EVALUATE_H
#define SN_CONSTRAINTS_EVALUATE_H

#include "base/quat.h"
#include "constraints/store.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SN_MAX_BLOCK (4 * SN_MAX_POINTS) /* particles behind the points of one constraint with a fixed number of them */

/* How a body is turned, as a solver sees it. To solvers a body is two particles of the same mass: its centre, which is one of
   the world, and its *turn*, which they find at the slot of the last particle plus 1 plus the body's row. What the turn is moved
   by, in metres, is an angle times the radius of gyration about each principal axis: so masses need not become tensors, and
   no solver needs to know of bodies. */
typedef struct sn_turn {
    sn_quat start;   /* from principal axes to the world: at the start of the substep, or between steps */
    sn_quat now;     /* in a substep: as predicted; what the turn was moved by since comes on top */
    sn_vec3 give;    /* 1/m: 1 / radius of gyration by principal axis; 0: it does not turn about that one */
    sn_vec3 pull;    /* N: what the torque that a user gave the body for the step means to its turn */
    uint32_t centre; /* the number of its particle; SN_ID_FREE: there is no such body */
    uint32_t unused; /* so that the size is that of a line of the cache */
} sn_turn;

/* The particles as a solver sees them. A position is x + d: in a substep x is where the particle was predicted to go,
   and d what rounding left over of that and what constraints moved it since. Kept apart, because in single precision
   their sum would round away the small corrections of small substeps. */
typedef struct sn_frame {
    const sn_vec4 *x;        /* place, inverse mass */
    sn_vec4 *d;              /* remainder and corrections; NULL: between steps, or the start of the substep */
    const sn_vec4 *start;    /* place at the start of the substep; NULL: between steps */
    const sn_vec4 *x_low;    /* what rounding left over of x */
    const sn_vec4 *old_d;    /* with BDF2: displacement in the substep before, valid where w is h; NULL otherwise */
    const sn_vec4 *expected; /* how contact is about to move it, for dampers; NULL: it is not */
    const sn_vec4 *rubbed;   /* how friction alone is, for rates; NULL: it is not */
    sn_real h;               /* the substep that goes with it */
    const uint32_t *slot;    /* by a particle's number, where it is stored */
    bool planar;             /* 2D: z is locked */
    bool held;               /* constraints that contradict each other ask for their compromise */
    const sn_turn *turn;     /* by body; NULL: there are none */
    uint32_t turn_slot;      /* of the first body's turn */
    const sn_vec4 *turned;   /* by slot, where d is NULL: what turns were moved by from the start; NULL: nothing */
} sn_frame;

typedef struct sn_block {
    uint32_t rows;
    uint32_t count; /* particles */
    uint32_t *slot;
    sn_real *w;
    sn_vec3 *gradient; /* [row * count + particle] */
    sn_real c[SN_MAX_ROWS];
    const sn_row *row; /* what its rows mean; NULL: what the kind says */
} sn_block;

/* Where a block of the usual size lives: on the stack of the caller. */
typedef struct sn_block_room {
    uint32_t slot[SN_MAX_BLOCK];
    sn_real w[SN_MAX_BLOCK];
    sn_vec3 gradient[SN_MAX_ROWS * SN_MAX_BLOCK];
    sn_row row[SN_MAX_ROWS];
} sn_block_room;

/* Evaluates a constraint with a spot among its points. The block has the particles in the order of sn_store_particles, each
   once, and then the turns of bodies. */
bool sn_evaluate_spots(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame, sn_block *block,
                       sn_block_room *room);

/* Evaluates a constraint of a kind with any number of points. The block lives in the store's scratch until the next. */
bool sn_evaluate_list(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame, sn_block *block);

/* The slots of the particles behind one point with their weights; a plain particle, and the centre of a body, weighs 1.
   Returns how many; 0 for a place. */
uint32_t sn_point_corners(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                          uint32_t point, uint32_t *slot, sn_real *weight);

/* What the functions of a kind are given for a constraint. Its points' positions are written to x (one for each
   point), relative to the start position of its first particle if the kind is internal, so that the numbers keep
   their precision far from the origin of the world; how their axes are turned to q, which has room for SN_MAX_POINTS, or is
   NULL, if the kind is oriented. */
sn_eval_in sn_evaluate_input(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                             sn_vec3 *x, sn_quat *q);

/* How a body is turned in a frame. */
sn_quat sn_frame_turn(const sn_frame *frame, uint32_t body);

/* What a push at a spot of a body, and a torque, both in the world, mean to its turn: the derivative by what the turn is
   moved by of something that has these derivatives. */
sn_vec3 sn_frame_turn_gradient(const sn_frame *frame, uint32_t body, sn_vec3 place, sn_vec3 push, sn_vec3 torque);

/* m/s: how fast a spot of a body moves because it turns; v by slot, turns included. */
sn_vec3 sn_frame_turning(const sn_frame *frame, const sn_spot *spot, const sn_vec4 *v);

/* The spot of a point on a body; NULL if it is something else. */
const sn_spot *sn_point_on_body(const sn_store *store, const sn_pool *pool, uint32_t row, uint32_t point);

/* The rows of the bodies behind the points of a constraint, each once, in the order in which a block has their turns. `body` has
   room for SN_MAX_POINTS. Returns how many. */
uint32_t sn_evaluate_bodies(const sn_store *store, const sn_pool *pool, uint32_t row, uint32_t *body);

/* The end of a substep of h, which multipliers know as one of `effective_h`: rows of an oriented kind that settles do so. */
void sn_evaluate_settle(sn_store *store, uint32_t kind, uint32_t first, uint32_t end, const sn_frame *frame, sn_real h,
                        sn_real effective_h);

/* Evaluates a force element at positions and velocities v (by slot): the force on each of its points, in the store's
   scratch until the next evaluation, and its energy. */
const sn_vec3 *sn_evaluate_force(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                                 const sn_vec4 *v, sn_real *energy);

static inline sn_vec3 frame_position(const sn_frame *frame, uint32_t slot, sn_vec3 origin)
{
    sn_vec3 x = vec3_sub(vec4_xyz(frame->x[slot]), origin);
    return vec3_add(x, vec4_xyz(frame->d ? frame->d[slot] : frame->x_low[slot]));
}

/* A part of a gradient that is this small against the rest of it is rounding. Where the rest is locked, rounding must not remain:
   it would be all that there is of the row, and no multiplier would be too large for it. */
#define SN_EVALUATE_ROUNDING (64 * (SINEW_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON))

/* A gradient in a 2D world: z is locked, and has none. */
static inline sn_vec3 gradient_in_plane(sn_vec3 g)
{
    double least = SN_EVALUATE_ROUNDING * fabs((double)g.z);
    return vec3(fabs((double)g.x) > least ? g.x : 0, fabs((double)g.y) > least ? g.y : 0, 0);
}

/* Constraints at a compromise ask for what they can have. */
static inline void block_hold(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                              sn_block *block)
{
    const sn_held *held = frame->held ? store_held(store, pool, row) : NULL;
    for (uint32_t r = 0; held && r < block->rows; ++r)
        block->c[r] -= held->c[r];
}

/* Locked coordinates have no gradient. */
static inline void flatten(const sn_frame *frame, sn_block *block)
{
    if (frame->planar)
        for (uint32_t i = 0; i < block->rows * block->count; ++i)
            block->gradient[i] = gradient_in_plane(block->gradient[i]);
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
            return sn_evaluate_spots(store, pool, row, frame, block, room);
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

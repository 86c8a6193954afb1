/* The rigid bodies of a world: what is stored of them, and their chapter of the step. */
#ifndef SN_WORLD_BODIES_H
#define SN_WORLD_BODIES_H

#include "base/ids.h"
#include "bodies/turning.h"
#include "collision/convex.h"
#include "constraints/evaluate.h"
#include "world/fixed.h"

#include <sinew/bodies.h>

struct sn_world;

/* One convex part of a body's shape: state. */
typedef struct sn_body_part {
    sn_convex convex;   /* its hull is found again by its number */
    sn_vec3 place;      /* m: of its own frame, from the centre of mass along the principal axes */
    sn_quat turn;       /* of it, in the same */
    sn_real density;    /* kg/m^3, as given; 0: that of the body */
    uint32_t plain;     /* its frame is that of the body: nothing between them */
    uint32_t hull;      /* 1 + the number of its hull; 0: none */
    uint64_t hull_hash; /* of that */
    uint64_t user;
    uint32_t has_material;        /* otherwise that of the group */
    uint32_t has_filter;          /* likewise */
    uint32_t sensor;              /* it notices contact and does nothing */
    uint32_t unused;              /* so that there are no bytes that nothing sets */
    sn_contact_material material; /* if it has one */
    sn_filter filter;
} sn_body_part;

typedef struct sn_bodies {
    sn_ids names; /* the numbers that users hold; the value is a row of `table`, or of fixed_table: see fixed.h */
    sn_table fixed_table; /* of sn_fixed_body: static and kinematic ones, in no order */
    sn_ids ids;           /* rows of dynamic bodies, and of anchors of fixed ones */
    sn_table table;       /* of sn_body_state */
    sn_body_state *state;
    sn_table turn_table; /* of sn_turn and sn_body_motion: derived, and scratch */
    sn_turn *turn;
    sn_body_motion *motion;
    sn_table part_table; /* of sn_body_part: those of one body behind those of another */
    sn_body_part *part;
    bool lost;            /* in this step, tasks of a loop over bodies were left out, and made up for */
    sn_table hull_table;  /* of sn_hull *: kept until the world ends, so that snapshots find them */
    sn_table shape_table; /* of sn_shape_def: what sn_body_read shows */
    sn_table
        awake_table; /* of uint32_t: rows of bodies that do not sleep in this step, in order; see sn_turns_list_awake */
    uint64_t awake_moves, awake_changes; /* what world->moves and sn_sleep.changes were when that was made, */
    bool awake_held;                     /*   and sn_sleep.held */
} sn_bodies;

void sn_bodies_init(sn_bodies *bodies);
void sn_bodies_release(sn_bodies *bodies, const sn_allocator *allocator);

/* Hulls, by number. The points that one was made of, and whether some body has it: snapshots hold those. */
const sn_vec3 *sn_bodies_hull_points(const sn_bodies *bodies, uint32_t number, uint32_t *count);
bool sn_bodies_use_hull(const sn_bodies *bodies, uint32_t number);

/* 1 + the number of the hull of these points, count sn_vec3 that need not be aligned; 0: there is none. The second makes it then,
   and 0 means that memory ran out. */
uint32_t sn_bodies_find_hull(const sn_bodies *bodies, const void *points, uint32_t count);
uint32_t sn_bodies_take_hull(sn_bodies *bodies, const sn_allocator *allocator, const void *points, uint32_t count);

/* Once parts were replaced by those of another world: what that one calls 1 + its number `theirs` is `own` here. When all have been
   told, parts take these numbers. */
void sn_bodies_bind_hull(sn_bodies *bodies, uint32_t theirs, uint32_t own);
void sn_bodies_hulls_bound(sn_bodies *bodies);

/* Takes typed pointers again, and what is derived, after the state was replaced. */
void sn_bodies_restored(sn_bodies *bodies);

/* After tables grew, or one of them did and another could not. */
void sn_bodies_bind(sn_bodies *bodies);

/* Rows of bodies: as many turns there are. */
static inline uint32_t bodies_rows(const sn_bodies *bodies)
{
    return bodies->table.count;
}

/* Rows of bodies that do not sleep in this step. */
static inline const uint32_t *bodies_awake(const sn_bodies *bodies)
{
    return bodies->awake_table.column[0];
}

/* Whether this row is a body. */
static inline bool bodies_has(const sn_bodies *bodies, uint32_t row)
{
    return bodies->state[row].particle != SN_ID_FREE;
}

/* The number of a live body in sn_bodies.names; SN_ID_FREE, and an error that names it, otherwise. */
uint32_t sn_body_number(const struct sn_world *world, sn_body body);

/* The row of a live dynamic body, or of the anchor of a fixed one; SN_ID_FREE: it has none. */
uint32_t sn_body_row_of(const struct sn_world *world, uint32_t number);

/* The handle of a row: an anchor is the body that it stands for. */
sn_body sn_body_of_row(const struct sn_world *world, uint32_t row);

/* An immovable body without a shape where a fixed one is: its row; SN_ID_FREE, and an error, if there is no room. */
uint32_t sn_bodies_add_anchor(struct sn_world *world, const sn_fixed_body *body);

/* sn_body_set_pose and sn_body_move_to of a row. */
sn_result sn_body_row_set_pose(struct sn_world *world, uint32_t row, sn_vec3 position, sn_quat rotation);
sn_result sn_body_row_move_to(struct sn_world *world, uint32_t row, sn_vec3 position, sn_quat rotation);

/* The material of a part of the body of a particle, and its filter: its own, or that of the group. */
const sn_contact_material *sn_part_material(const struct sn_world *world, uint32_t part, uint32_t slot);
sn_filter sn_part_filter(const struct sn_world *world, uint32_t part, uint32_t slot);

/* Its particle is removed: so is the body. */
void sn_bodies_forget(struct sn_world *world, uint32_t row);

/* What solvers see of a body, from its state; and what of that changes when it turns. */
void sn_bodies_refresh(sn_bodies *bodies, uint32_t row);
void sn_bodies_pull(sn_bodies *bodies, uint32_t row); /* by the torque of a user */

static inline void bodies_turned(sn_bodies *bodies, uint32_t row)
{
    const sn_body_state *body = &bodies->state[row];
    sn_turn *turn = &bodies->turn[row];
    turn->start = turn->now =
        (sn_quat){(sn_real)body->q[0], (sn_real)body->q[1], (sn_real)body->q[2], (sn_real)body->q[3]};
    turn->pull = (sn_vec3){0, 0, 0};
    if (body_is_pulled(body))
        sn_bodies_pull(bodies, row);
}

/* Adds all bodies to a hash. */
uint64_t sn_bodies_hash(uint64_t hash, const sn_bodies *bodies);

/* 1 / k^2, of each principal axis. */
void sn_body_inverse_moments(const sn_body_state *body, double inverse[3]);

/* Whether an orientation is finite, and no body of this inertia with this momentum per mass turns at SN_TOO_FAST. */
static inline bool body_turns_soundly(const sn_body_state *body, const double q[4], const double l[3])
{
    double least = body->k[0] < body->k[1] ? body->k[0] : body->k[1];
    least = least < body->k[2] ? least : body->k[2];
    const double limit = SN_TOO_FAST * least * least, sum = q[0] + q[1] + q[2] + q[3];
    return sum - sum == 0 && l[0] * l[0] + l[1] * l[1] + l[2] * l[2] < limit * limit;
}

/* m: the radius of a ball around its centre that all its shapes are inside of, with sensors or without. */
sn_real sn_body_reach(const struct sn_world *world, uint32_t row, bool sensors);

/* m: how far spots of its shapes go, at most, when it turns by a small angle (rad, along the axes of the world); and m/s: how fast they go
   because it turns. A long body that turns about its length goes a short way. */
sn_real sn_body_sweep(const struct sn_world *world, uint32_t row, sn_vec3 turn, bool sensors);
sn_real sn_body_turning(const struct sn_world *world, uint32_t row);

/* It turns no more. */
void sn_body_stop(struct sn_world *world, uint32_t row);

/* From the user's frame to principal axes: places and turns of spots, and back. */
sn_vec3 sn_body_spot(const sn_body_state *body, sn_vec3 place);
sn_vec3 sn_body_place(const sn_body_state *body, sn_vec3 spot);
sn_quat sn_body_spot_turn(const sn_body_state *body, sn_quat turn);
sn_quat sn_body_place_turn(const sn_body_state *body, sn_quat turn);

#endif

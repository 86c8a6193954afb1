/* The rigid bodies of a world: how they are stored, and their part of the step. */
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
    sn_convex convex;   /* the pointer to its hull is restored from the hull's number */
    sn_vec3 place;      /* m: origin of its own frame, relative to the centre of mass, along the principal axes */
    sn_quat turn;       /* orientation of its own frame, relative to the principal axes */
    sn_real density;    /* kg/m^3, as given; 0: that of the body */
    uint32_t plain;     /* its frame is that of the body */
    uint32_t hull;      /* 1 + the number of its hull; 0: none */
    uint64_t hull_hash; /* hash of the hull */
    uint64_t user;
    uint32_t has_material;        /* otherwise that of the group */
    uint32_t has_filter;          /* likewise */
    uint32_t sensor;              /* it reports contact and exerts no force */
    uint32_t unused;              /* padding, so that no byte is unset */
    sn_contact_material material; /* if it has one */
    sn_filter filter;
} sn_body_part;

typedef struct sn_bodies {
    sn_ids names;         /* the numbers in users' handles; the value is a row of `table`, or of fixed_table: see
                             fixed.h */
    sn_table fixed_table; /* of sn_fixed_body: static and kinematic bodies, in no order */
    sn_ids ids;           /* rows of dynamic bodies, and of anchors of fixed ones */
    sn_table table;       /* of sn_body_state */
    sn_body_state *state;
    sn_table turn_table; /* of sn_turn and sn_body_motion: derived, and scratch */
    sn_turn *turn;
    sn_body_motion *motion;
    sn_table part_table; /* of sn_body_part: the parts of each body are consecutive */
    sn_body_part *part;
    bool lost;                           /* in this step, tasks of a loop over bodies were omitted, and done again */
    sn_table hull_table;                 /* of sn_hull *: kept until the world is destroyed, so that snapshots find
                                            them */
    sn_table shape_table;                /* of sn_shape_def, their materials, their filters: scratch for sn_body_read */
    sn_table awake_table;                /* of uint32_t: rows of bodies that do not sleep in this step, in order; see
                                            sn_turns_list_awake */
    uint64_t awake_moves, awake_changes; /* world->moves and sn_sleep.changes when that list was made */
    bool awake_held;                     /* and sn_sleep.held */
} sn_bodies;

void sn_bodies_init(sn_bodies *bodies);
void sn_bodies_release(sn_bodies *bodies, const sn_allocator *allocator);

/* Hulls, by number: the points from which a hull was made, and whether a body uses it. Snapshots contain these. */
const sn_vec3 *sn_bodies_hull_points(const sn_bodies *bodies, uint32_t number, uint32_t *count);
bool sn_bodies_use_hull(const sn_bodies *bodies, uint32_t number);

/* Returns 1 + the number of the hull of these points (count sn_vec3, which need not be aligned). If there is none,
   sn_bodies_find_hull returns 0; sn_bodies_take_hull makes it, and returns 0 if memory runs out. */
uint32_t sn_bodies_find_hull(const sn_bodies *bodies, const void *points, uint32_t count);
uint32_t sn_bodies_take_hull(sn_bodies *bodies, const sn_allocator *allocator, const void *points, uint32_t count);

/* For parts that were replaced by those of another world: hull `theirs` of that world (1 + its number) is `own` here.
   Call sn_bodies_hulls_bound after all hulls were bound: it gives parts the new numbers. */
void sn_bodies_bind_hull(sn_bodies *bodies, uint32_t theirs, uint32_t own);
void sn_bodies_hulls_bound(sn_bodies *bodies);

/* After the state was replaced: renews typed pointers and derived data. */
void sn_bodies_restored(sn_bodies *bodies);

/* Renews typed pointers after tables grew, also if only one of them did. */
void sn_bodies_bind(sn_bodies *bodies);

/* Number of rows of bodies, which is also that of turns. */
static inline uint32_t bodies_rows(const sn_bodies *bodies)
{
    return bodies->table.count;
}

/* Rows of bodies that do not sleep in this step. */
static inline const uint32_t *bodies_awake(const sn_bodies *bodies)
{
    return bodies->awake_table.column[0];
}

/* True if this row is in use. */
static inline bool bodies_has(const sn_bodies *bodies, uint32_t row)
{
    return bodies->state[row].particle != SN_ID_FREE;
}

/* The number of a live body in sn_bodies.names. Otherwise SN_ID_FREE, and an error that names the body. */
uint32_t sn_body_number(const struct sn_world *world, sn_body body);

/* The row of a live dynamic body, or of the anchor of a fixed one. SN_ID_FREE if it has none. */
uint32_t sn_body_row_of(const struct sn_world *world, uint32_t number);

/* The handle of a row. For an anchor it is the handle of its fixed body. */
sn_body sn_body_of_row(const struct sn_world *world, uint32_t row);

/* Adds the anchor of a fixed body: an immovable body without a shape, at the same pose. Returns its row; SN_ID_FREE,
   and an error, if there is no memory. */
uint32_t sn_bodies_add_anchor(struct sn_world *world, const sn_fixed_body *body);

/* sn_body_set_pose and sn_body_move_to for a row. */
sn_result sn_body_row_set_pose(struct sn_world *world, uint32_t row, sn_vec3 position, sn_quat rotation);
sn_result sn_body_row_move_to(struct sn_world *world, uint32_t row, sn_vec3 position, sn_quat rotation);

/* The material and the filter of a part of a particle's body: the part's own, or those of the group. */
const sn_contact_material *sn_part_material(const struct sn_world *world, uint32_t part, uint32_t slot);
sn_filter sn_part_filter(const struct sn_world *world, uint32_t part, uint32_t slot);

/* Call it when the body's particle is removed: removes the body. */
void sn_bodies_forget(struct sn_world *world, uint32_t row);

/* Updates what solvers see of a body: everything; the torque of the user; or what changes when the body rotates. */
void sn_bodies_refresh(sn_bodies *bodies, uint32_t row);
void sn_bodies_pull(sn_bodies *bodies, uint32_t row); /* the user's torque */

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

/* 1 / k^2, for each principal axis. */
void sn_body_inverse_moments(const sn_body_state *body, double inverse[3]);

/* True if the orientation is finite, and a body of this inertia with this angular momentum per mass certainly rotates
   slower than SN_TOO_FAST. */
static inline bool body_turns_soundly(const sn_body_state *body, const double q[4], const double l[3])
{
    double least = body->k[0] < body->k[1] ? body->k[0] : body->k[1];
    least = least < body->k[2] ? least : body->k[2];
    const double limit = SN_TOO_FAST * least * least, sum = q[0] + q[1] + q[2] + q[3];
    return sum - sum == 0 && l[0] * l[0] + l[1] * l[1] + l[2] * l[2] < limit * limit;
}

/* m: the radius of a sphere about its centre of mass that contains all its shapes, with sensors or without. */
sn_real sn_body_reach(const struct sn_world *world, uint32_t row, bool sensors);

/* Copies materials and filters of shapes that were read next to them. What they point to may move when a body is added,
   also by this very definition. */
void sn_body_keep_read(sn_table *shape_table, uint32_t count);

/* An upper bound of how far points of its shapes move: in m, for a small rotation `turn` (rad, along the axes of the
   world); in m/s, due to its angular velocity. It is small for a long body that rotates about its length. */
sn_real sn_body_sweep(const struct sn_world *world, uint32_t row, sn_vec3 turn, bool sensors);
sn_real sn_body_turning(const struct sn_world *world, uint32_t row);

/* Sets the angular velocity to zero. */
void sn_body_stop(struct sn_world *world, uint32_t row);

/* From the user's frame to that of the principal axes and back: positions and orientations. */
sn_vec3 sn_body_principal_place(const sn_body_state *body, sn_vec3 place);
sn_vec3 sn_body_place(const sn_body_state *body, sn_vec3 principal);
sn_quat sn_body_principal_turn(const sn_body_state *body, sn_quat turn);
sn_quat sn_body_place_turn(const sn_body_state *body, sn_quat turn);

#endif

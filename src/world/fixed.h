/* Static and kinematic bodies: those that nothing pushes. Their shapes are called fixed shapes, see contact.h. */
#ifndef SN_WORLD_FIXED_H
#define SN_WORLD_FIXED_H

#include "base/ids.h"
#include "collision/pose.h"

#include <sinew/bodies.h>

struct sn_world;
struct sn_fixed_shape;

/* State. It has no particle. When a constraint first holds one, an immovable body without a shape is made in its place, which
   goes where it goes: its anchor. */
typedef struct sn_fixed_body {
    uint32_t number;              /* that users hold */
    uint32_t type;                /* SN_BODY_STATIC or SN_BODY_KINEMATIC */
    uint32_t first_shape, shapes; /* the number of the first of its shapes, which follow each other, and how many */
    uint32_t anchor;              /* its row; SN_ID_FREE: none */
    uint32_t group;
    uint64_t user;
    sn_pose pose;           /* now */
    sn_vec3 velocity, spin; /* m/s, rad/s: it moves on so, about its own origin */
    sn_pose target;         /* of the next step, if it has one */
    uint32_t has_target;
    uint32_t unused; /* so that there are no bytes that are not set */
} sn_fixed_body;

/* In values of sn_bodies.names: it is a fixed body, at this row of their table. Otherwise it is a row of bodies. */
#define SN_NAME_FIXED 0x80000000u

/* The fixed body with a number, which is live; NULL: it is dynamic. */
sn_fixed_body *sn_fixed_of(const struct sn_world *world, uint32_t number);

/* The number of one of its shapes among fixed shapes. */
uint32_t sn_fixed_shape_of(const struct sn_world *world, sn_body body, uint32_t shape);

/* m/s: how the surface of one of its shapes runs, in the world. */
sn_vec3 sn_fixed_surface_velocity(const struct sn_world *world, const struct sn_fixed_shape *shape);

/* Whether a constraint joins it to a particle: the two do not collide. */
bool sn_fixed_joins(const struct sn_world *world, uint32_t number, uint32_t particle);

/* Where it is at the end of a step of dt. */
sn_pose sn_fixed_end(const sn_fixed_body *body, sn_real dt);

/* Adds, removes and changes one; what is wrong is told. */
sn_result sn_fixed_add(struct sn_world *world, const sn_body_def *def, sn_body *body);
sn_result sn_fixed_remove(struct sn_world *world, uint32_t number);
sn_result sn_fixed_read(const struct sn_world *world, const sn_fixed_body *body, sn_body_def *def);
sn_result sn_fixed_set_pose(struct sn_world *world, sn_fixed_body *body, sn_vec3 position, sn_quat rotation);
sn_result sn_fixed_set_velocity(struct sn_world *world, sn_fixed_body *body, sn_vec3 velocity, sn_vec3 spin);
sn_result sn_fixed_move_to(struct sn_world *world, sn_fixed_body *body, sn_vec3 position, sn_quat rotation);

sn_result sn_fixed_set_type(struct sn_world *world, sn_fixed_body *body, sn_body_type type);

/* The body that constraints hold in its place, made if there is none: its row, or SN_ID_FREE and an error. */
uint32_t sn_fixed_anchor(struct sn_world *world, sn_fixed_body *body);

/* The anchor, which nothing holds, goes again. */
void sn_fixed_drop_anchor(struct sn_world *world, sn_fixed_body *body);

/* Its anchor is going to be removed with the particle of that. */
void sn_fixed_loses_anchor(struct sn_world *world, uint32_t row);

/* Around a step: anchors of those that have a velocity are led; and if the step failed, they are not. */
sn_result sn_fixed_lead(struct sn_world *world, sn_real dt, uint32_t *led);
void sn_fixed_let_go(struct sn_world *world, uint32_t led);

/* After a step: it has arrived. */
void sn_fixed_arrive(struct sn_world *world, uint32_t number, const sn_pose *pose);

/* As sn_contact_shift. */
bool sn_fixed_shift(struct sn_world *world, sn_vec3 offset, bool check);

/* Where one is and how it moves, for the hash of its fixed shapes. */
uint64_t sn_fixed_hash(uint64_t hash, const struct sn_world *world, uint32_t number, const sn_pose *pose);

#endif

/* Static and kinematic bodies: forces do not move them. Their shapes are called fixed shapes, see contact.h. */
#ifndef SN_WORLD_FIXED_H
#define SN_WORLD_FIXED_H

#include "base/ids.h"
#include "collision/pose.h"

#include <sinew/bodies.h>

struct sn_world;
struct sn_fixed_shape;

/* The mean velocity of a kinematic body in a step, and its mean acceleration since the step before. */
typedef struct sn_fixed_course {
    sn_vec3 velocity, spin;  /* m/s, rad/s */
    sn_vec3 gain, spin_gain; /* m/s^2, rad/s^2 */
    sn_real dt, unused;      /* s */
} sn_fixed_course;

/* State. A fixed body has no particle. When the first constraint is attached to it, an anchor is made: an immovable
   body without a shape, which has the same pose and motion. */
typedef struct sn_fixed_body {
    uint32_t number;              /* in users' handles */
    uint32_t type;                /* SN_BODY_STATIC or SN_BODY_KINEMATIC */
    uint32_t first_shape, shapes; /* number of its first shape (the others follow), and how many */
    uint32_t anchor;              /* row of its anchor; SN_ID_FREE: none */
    uint32_t group;
    uint64_t user;
    sn_pose pose;           /* present pose */
    sn_vec3 velocity, spin; /* m/s, rad/s: constant motion, about its own origin */
    sn_pose target;         /* for the next step, if has_target */
    uint32_t has_target;
    uint32_t unused; /* padding, so that no byte is unset */
    uint64_t moved;  /* 1 + the number of the last step in which it moved, in this way: */
    sn_fixed_course course;
} sn_fixed_body;

/* Bit in values of sn_bodies.names: a fixed body; the rest is its row in fixed_table. Otherwise the value is a row of
   bodies. */
#define SN_NAME_FIXED 0x80000000u

/* The fixed body with a live number; NULL if it is dynamic. */
sn_fixed_body *sn_fixed_of(const struct sn_world *world, uint32_t number);

/* The number of one of its shapes in the table of fixed shapes. */
uint32_t sn_fixed_shape_of(const struct sn_world *world, sn_body body, uint32_t shape);

/* m/s: the surface velocity of one of its shapes, in the world. */
sn_vec3 sn_fixed_surface_velocity(const struct sn_world *world, const struct sn_fixed_shape *shape);

/* True if a constraint joins it to a particle: the two do not collide. */
bool sn_fixed_joins(const struct sn_world *world, uint32_t number, uint32_t particle);

/* Its pose at the end of a step of dt. */
sn_pose sn_fixed_end(const sn_fixed_body *body, sn_real dt);

/* Adding, removing and changing. Errors set a message. */
sn_result sn_fixed_add(struct sn_world *world, const sn_body_def *def, sn_body *body);
sn_result sn_fixed_remove(struct sn_world *world, uint32_t number);
sn_result sn_fixed_read(const struct sn_world *world, const sn_fixed_body *body, sn_body_def *def);
sn_result sn_fixed_set_pose(struct sn_world *world, sn_fixed_body *body, sn_vec3 position, sn_quat rotation);
sn_result sn_fixed_set_velocity(struct sn_world *world, sn_fixed_body *body, sn_vec3 velocity, sn_vec3 spin);
sn_result sn_fixed_move_to(struct sn_world *world, sn_fixed_body *body, sn_vec3 position, sn_quat rotation);

sn_result sn_fixed_set_type(struct sn_world *world, sn_fixed_body *body, sn_body_type type);

/* Makes its anchor, if there is none. Returns the row; SN_ID_FREE, and an error, if memory runs out. */
uint32_t sn_fixed_anchor(struct sn_world *world, sn_fixed_body *body);

/* Removes an anchor that no constraint uses. */
void sn_fixed_drop_anchor(struct sn_world *world, sn_fixed_body *body);

/* Call it when the particle of its anchor is removed, which removes the body. */
void sn_fixed_loses_anchor(struct sn_world *world, uint32_t row);

/* Around a step: sets the targets of anchors of moving bodies; removes these targets if the step failed. */
sn_result sn_fixed_lead(struct sn_world *world, sn_real dt, uint32_t *kinematic);
void sn_fixed_let_go(struct sn_world *world, uint32_t kinematic);

/* Its course in the step that begins, for its mean velocity and spin; and how much both change from the start to the
   end of the step. */
sn_fixed_course sn_fixed_follow(const struct sn_world *world, const sn_fixed_body *body, sn_vec3 velocity, sn_vec3 spin,
                                sn_real dt, sn_vec3 *change, sn_vec3 *spin_change);

/* After a step: stores the pose that it reached, and its course. */
void sn_fixed_arrive(struct sn_world *world, uint32_t number, const sn_pose *pose, const sn_fixed_course *course);

/* See sn_contact_shift. */
bool sn_fixed_shift(struct sn_world *world, sn_vec3 offset, bool check);

/* Adds its pose and motion to the hash of its fixed shapes. */
uint64_t sn_fixed_hash(uint64_t hash, const struct sn_world *world, uint32_t number, const sn_pose *pose);

#endif

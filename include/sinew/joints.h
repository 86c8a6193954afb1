/* Joints between rigid bodies, constraints that break, and what both exert.

   A joint is a constraint like any other, of one of the kinds SN_KIND_JOINT_...: of two points with axes, the first on
   the body a, the second on b. Its own axis, about which a hinge turns and along which a slider slides, is the x axis
   of the points. sn_joint_add makes the points from an anchor and an axis in the world, as bodies are now; angles and
   ways count from there. All calls of constraints.h work on joints, too: sn_constraint_set_param by the names below,
   sn_constraint_remove and so on.

       sn_joint_def def = sn_default_joint_def(SN_KIND_JOINT_HINGE);
       def.a = frame;                       // or left null: the world
       def.b = door;
       def.anchor = hinge_place;
       def.axis = up;
       def.least = 0, def.most = 1.6;       // rad
       sn_constraint hinge = sn_joint_add(world, &def);

   In a 2D world a joint does what it would do to bodies that stay in the plane: a hinge is about z, a slider along an axis in the
   plane; what a joint asks for out of the plane, such as a motor about x, does nothing. A hinge about an axis that leans, by
   more than a millionth, lets nothing turn, since bodies turn about z only.

   A rope between bodies is sn_joint_add_rope, a rod a constraint of SN_KIND_DISTANCE between spots (sn_on_body). Every joint, and every
   other constraint, may break: see sn_constraint_set_strength. */
#ifndef SINEW_JOINTS_H
#define SINEW_JOINTS_H

#include <sinew/bodies.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As much force as it takes; no limit. */
#define SN_JOINT_MOST ((sn_real)1e30)

/* The numbers of a joint. Each is a parameter of the kinds that have it, of the same name; setting one that the kind
   has not is refused. All of them are SN_MEASURE by default, which means what is said here. */
typedef struct sn_joint_def {
    uint32_t made;  /* set by sn_default_joint_def, by which it is known that you started from it */
    uint32_t kind;  /* SN_KIND_JOINT_... */
    sn_body a, b;   /* null: the world; not both, and not the same body */
    sn_vec3 anchor; /* m, in the world: where both points are now; of a slider and a line, where the way is 0 */
    sn_vec3
        axis; /* in the world, of any length but 0; default (1, 0, 0). Of a plane, its normal; of a wheel, along which it is sprung;
                       of a universal joint, the shaft */
    sn_vec3
        second_axis; /* in the world: the y axis of the joint is the part of it across axis; default 0: any will do. Of a wheel the
                            axle is z, across both; of a universal joint a holds the cross by y, and b by z */

    /* Of the angle (hinge, and the twist of a cone_twist, rad) or the way (slider, line, wheel, m): */
    sn_real least, most; /* limits; angles between -pi and pi; default none */

    /* A drive towards a target: a spring of a given compliance and damping, that exerts at most so much. Without
       compliance it does all it can to be there at the end of the substep, and if that is not enough it overshoots. The
       target is the angle or way; of ball and cone_twist see target_turn; of a wheel it is the angle by which it is steered, which is
       held by any torque unless told otherwise. */
    sn_real target;            /* rad, m; default as it is now */
    sn_real target_most;       /* N m, N; default 0: there is no such drive */
    sn_real target_compliance; /* rad/(N m), m/N; default 0 */
    sn_real target_damping;    /* N m s, N s/m; needs a compliance; default 0 */

    /* A motor that keeps a speed, exerting at most so much. Not together with a target, except of a wheel. */
    sn_real speed;      /* rad/s, m/s; default 0 */
    sn_real speed_most; /* N m, N; default 0: there is no motor. Of velocity and spin: default any */

    /* Dry friction, where there is neither motor nor target; of ball and cone_twist about each axis. It holds what is at rest
       where it is, also over many substeps. */
    sn_real friction; /* N m, N; default 0 */

    /* How what is locked gives, along axes and about them; besides compliance and damping of the constraint */
    sn_real linear_compliance;  /* m/N; default 0 */
    sn_real linear_damping;     /* N s/m; needs a compliance; default 0 */
    sn_real angular_compliance; /* rad/(N m); default 0 */
    sn_real angular_damping;    /* N m s; default 0 */

    sn_real swing; /* rad, of cone_twist and universal: by so much its axis leans at most; default pi: any way */

    /* Of a wheel: the spring along its axis, and the way where that rests */
    sn_real rest;              /* m; default as it is now */
    sn_real spring_compliance; /* m/N; default 0: rigid */
    sn_real spring_damping;    /* N s/m; needs a compliance; default 0 */

    /* Of ball: how b is to be turned against a, as axis times angle; of cone_twist: its twist, and its swing about y
       and z of the joint; rad; default as it is now */
    sn_vec3 target_turn;

    /* It breaks when it has to exert more: see sn_constraint_set_strength */
    sn_real strength;        /* N; default 0: never */
    sn_real torque_strength; /* N m; default 0: never */

    uint64_t user; /* yours: sn_constraint_user; default 0 */
} sn_joint_def;

SN_API sn_joint_def sn_default_joint_def(uint32_t kind);

/* Adds a joint; null on failure, with the reason in sn_world_error. */
SN_API sn_constraint sn_joint_add(sn_world *world, const sn_joint_def *def);

/* The constraint that a joint is, with its parameters, but without points and strength: for joints whose axes you give on each
   body by yourself (sn_on_body_turned; the joint's axis is x) and add with sn_constraint_add. a, b, anchor and axis are not looked
   at. Refused: a number that the kind has not. */
SN_API sn_result sn_joint_constraint(const sn_world *world, const sn_joint_def *joint, sn_constraint_def *def);

/* Short forms, rigid, without limits. One of a and b may be null: the world. */
SN_API sn_constraint sn_joint_add_ball(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor);
SN_API sn_constraint sn_joint_add_hinge(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor, sn_vec3 axis);
SN_API sn_constraint sn_joint_add_slider(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor, sn_vec3 axis);
SN_API sn_constraint sn_joint_add_fixed(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor);

/* Two shafts along axis, which may lean apart; see sn_joint_def.second_axis. */
SN_API sn_constraint sn_joint_add_universal(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor, sn_vec3 axis);
/* A wheel b on the body a, sprung along axis by a spring of so many N/m and N s/m (0: rigid), and turning about axle, across that. */
SN_API sn_constraint sn_joint_add_wheel(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor, sn_vec3 axis,
                                        sn_vec3 axle, sn_real stiffness, sn_real damping);
/* A joint with all six degrees of freedom locked, to be freed one by one: sn_joint_set_axis_limits and so on. */
SN_API sn_constraint sn_joint_add_six(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor, sn_vec3 axis,
                                      sn_vec3 second_axis);

/* A rope from a place of a to a place of b, both in the world as bodies are now, of a length in m or SN_MEASURE: as long as it is far.
   It is a constraint of SN_KIND_DISTANCE_MAX. */
SN_API sn_constraint sn_joint_add_rope(sn_world *world, sn_body a, sn_body b, sn_vec3 from, sn_vec3 to, sn_real length);

/* Gears between the bodies b of two joints. The first is a hinge. If the second is one, too, then angle + ratio * angle of the second
   stays what it is: with r2 / r1, the wheels of radii r1 and r2 mesh on parallel axes. If it is a slider or a line, then
   ratio * angle + way does: rack and pinion, with the radius as the ratio. Whole turns are counted for ever. The joints are looked
   at in the call only: what they hold, their own removal does not let go. */
SN_API sn_constraint sn_joint_add_gear(sn_world *world, sn_constraint first, sn_constraint second, sn_real ratio);

/* The rotation that takes the x axis to axis, and y as near to second as that allows (0: any will do): of points that you make
   yourself. */
SN_API sn_quat sn_joint_axes(sn_vec3 axis, sn_vec3 second);

/* ---- While it runs -----------------------------------------------------------------------------------------------
   Refused, with a message that names the kind: what a joint of that kind has not. */

/* The speed of a motor (rad/s or m/s), and what it exerts at most (N m or N; 0 turns it off). Takes the place of a
   target. */
SN_API sn_result sn_joint_set_motor(sn_world *world, sn_constraint joint, sn_real speed, sn_real most);

/* The angle or way to go to (rad or m), and what is exerted for it at most (0 turns the drive off). Takes the place of
   a motor. */
SN_API sn_result sn_joint_set_target(sn_world *world, sn_constraint joint, sn_real target, sn_real most);

/* The same for ball and cone_twist: see sn_joint_def.target_turn. */
SN_API sn_result sn_joint_set_target_turn(sn_world *world, sn_constraint joint, sn_vec3 target, sn_real most);

/* Limits of the angle or way. */
SN_API sn_result sn_joint_set_limits(sn_world *world, sn_constraint joint, sn_real least, sn_real most);

/* The same for one axis of a joint of six degrees of freedom: 0, 1, 2 are along x, y, z (m, N), 3 the twist about x, 4 and 5 the swing of
   the x axis of b about y and z (rad, N m). Limits of 0 and 0 lock an axis, -SN_JOINT_MOST and SN_JOINT_MOST free a way, -pi and pi an
   angle. */
SN_API sn_result sn_joint_set_axis_limits(sn_world *world, sn_constraint joint, uint32_t axis, sn_real least,
                                          sn_real most);
SN_API sn_result sn_joint_set_axis_motor(sn_world *world, sn_constraint joint, uint32_t axis, sn_real speed,
                                         sn_real most);
SN_API sn_result sn_joint_set_axis_target(sn_world *world, sn_constraint joint, uint32_t axis, sn_real target,
                                          sn_real most);
/* m or rad: how far it is along or about the axis. NaN and an error for others. */
SN_API sn_real sn_joint_axis_value(const sn_world *world, sn_constraint joint, uint32_t axis);

/* rad: the angle of a hinge, the twist of a cone_twist, how far a wheel is turned about its axle, -pi to pi. NaN and an error for
   others. */
SN_API sn_real sn_joint_angle(const sn_world *world, sn_constraint joint);
/* m: how far a slider, a point on a line, or a wheel is along. NaN and an error for others. */
SN_API sn_real sn_joint_way(const sn_world *world, sn_constraint joint);
/* rad: by how much the axis of a cone_twist or a universal joint leans, 0 to pi. NaN and an error for others. */
SN_API sn_real sn_joint_swing(const sn_world *world, sn_constraint joint);

/* What the joint exerted on b in the last substep: a force in N, at the point of b, and a torque in N m about that;
   along the axes of the world, and the directions as bodies are now. On a it is the opposite. Either may be NULL. Read
   at one moment, it is as noisy as sn_constraint_force says: average it. */
SN_API sn_result sn_joint_reaction(const sn_world *world, sn_constraint joint, sn_vec3 *force, sn_vec3 *torque);

/* ---- Breaking ----------------------------------------------------------------------------------------------------
   For constraints of all kinds. */

/* The force (N; the magnitude in sn_constraint_force, of a joint that on its bodies) and, of joints, the torque (N m)
   at which the constraint breaks; 0: at none, the default. One that had to exert more in some substep is removed at
   the end of the step. Rigid constraints meet blows with as much force as the substep is short: give what may break
   some compliance if it should stand those. */
SN_API sn_result sn_constraint_set_strength(sn_world *world, sn_constraint constraint, sn_real force, sn_real torque);

/* Reads them; either may be NULL. */
SN_API sn_result sn_constraint_strength(const sn_world *world, sn_constraint constraint, sn_real *force,
                                        sn_real *torque);

/* A constraint that broke. */
typedef struct sn_break {
    sn_constraint constraint; /* the handle is stale: it is gone */
    sn_real force;            /* N and N m: the most that it exerted in a substep */
    sn_real torque;
    uint64_t user; /* its user data */
} sn_break;

/* Those that broke in the last step, in the order of kinds and of their numbers. NULL if there are none. Dies with the
   next step. */
SN_API const sn_break *sn_world_broken(const sn_world *world, uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif

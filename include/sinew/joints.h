/* Joints between rigid bodies, constraints that break, and the forces of both.

   A joint is a constraint like any other, of one of the kinds SN_KIND_JOINT_... It has two points with axes, the
   first on the body a, the second on b. The axis of the joint, about which a hinge rotates and along which a slider
   slides, is the x axis of the points. sn_joint_add makes the points from an anchor and an axis in the world, at the
   current poses of the bodies. Angles and distances count from there. All calls of constraints.h work on joints, too:
   sn_constraint_set_param with the names below, sn_constraint_remove and so on.

       sn_joint_def def = sn_default_joint_def(SN_KIND_JOINT_HINGE);
       def.a = frame;                       // or left null: the world
       def.b = door;
       def.anchor = hinge_place;
       def.axis = up;
       def.least = 0, def.most = 1.6;       // rad
       sn_constraint hinge = sn_joint_add(world, &def);

   In a 2D world a joint acts as on bodies that stay in the plane: a hinge is about z, a slider along an axis in the
   plane. Motions out of the plane, such as a motor about x, do nothing. A hinge about an axis that leans by
   more than a millionth locks the bodies, since they rotate about z only.

   A rope between bodies is sn_joint_add_rope, a rod a constraint of SN_KIND_DISTANCE between points (sn_on_body).
   Every joint, and every other constraint, may break: see sn_constraint_set_strength. */
#ifndef SINEW_JOINTS_H
#define SINEW_JOINTS_H

#include <sinew/bodies.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No limit of the force. */
#define SN_JOINT_MOST ((sn_real)1e30)

/* The numbers of a joint. Each is a parameter of the same name of the kinds that have it. Setting a number that the
   kind does not have is refused. All are SN_MEASURE by default, which means the default given here. */
typedef struct sn_joint_def {
    uint32_t made;  /* set by sn_default_joint_def; shows that the struct was started from it */
    uint32_t kind;  /* SN_KIND_JOINT_... */
    sn_body a, b;   /* null: the world; not both, and not the same body */
    sn_vec3 anchor; /* m, in the world: the position of both points now; of a slider and a line, where the distance is 0
                       */
    sn_vec3 axis;   /* in the world, of any length but 0; default (1, 0, 0). Of a plane its normal; of a wheel the
                     direction of its suspension; of a universal joint the shaft */
    sn_vec3 second_axis; /* in the world: its part perpendicular to axis is the y axis of the joint; default 0: the
                            library chooses. The axle of a wheel is z, perpendicular to both; in a universal joint a
                            holds the cross by y, and b by z */

    /* Limits of the angle (hinge, and the twist of a cone_twist, rad) or of the distance (slider, line, wheel, m): */
    sn_real least, most; /* limits; angles between -pi and pi; default none */

    /* A drive towards a target: a spring with a compliance, a damping and a largest force. Without compliance it tries
       to reach the target at the end of the substep; if its force is too small for that, it overshoots. The target is
       the angle or distance; for ball and cone_twist see target_turn; for a wheel it is the steering angle, which is
       held with any torque by default. */
    sn_real target;            /* rad, m; default as it is now */
    sn_real target_most;       /* N m, N; default 0: there is no such drive */
    sn_real target_compliance; /* rad/(N m), m/N; default 0 */
    sn_real target_damping;    /* N m s, N s/m; needs a compliance; default 0 */

    /* A motor that keeps a speed, with a largest force. Not together with a target, except for a wheel. */
    sn_real speed;      /* rad/s, m/s; default 0 */
    sn_real speed_most; /* N m, N; default 0: there is no motor. Of velocity and spin: default any */

    /* Dry friction, if there is neither motor nor target; for ball and cone_twist about each axis. It keeps a joint at
       rest exactly where it is, also over many substeps. */
    sn_real friction; /* N m, N; default 0 */

    /* Compliance and damping of the locked directions, along axes and about them, in addition to those of the
       constraint */
    sn_real linear_compliance;  /* m/N; default 0 */
    sn_real linear_damping;     /* N s/m; needs a compliance; default 0 */
    sn_real angular_compliance; /* rad/(N m); default 0 */
    sn_real angular_damping;    /* N m s; default 0 */

    sn_real swing; /* rad, of cone_twist and universal: the largest angle by which its axis leans; default pi: any */

    /* Of a wheel: the spring along its axis, and its rest length */
    sn_real rest;              /* m; default as it is now */
    sn_real spring_compliance; /* m/N; default 0: rigid */
    sn_real spring_damping;    /* N s/m; needs a compliance; default 0 */

    /* Of ball: the target rotation of b relative to a, as axis times angle; of cone_twist: its twist, and its swing
       about y and z of the joint; rad; default the current rotation */
    sn_vec3 target_turn;

    /* It breaks above this force or torque: see sn_constraint_set_strength */
    sn_real strength;        /* N; default 0: never */
    sn_real torque_strength; /* N m; default 0: never */

    uint64_t user; /* yours: sn_constraint_user; default 0 */
    bool collides; /* a and b collide with each other: sn_constraint_set_collides; default false */
} sn_joint_def;

SN_API sn_joint_def sn_default_joint_def(uint32_t kind);

/* Adds a joint; null on failure, with the reason in sn_world_error. */
SN_API sn_constraint sn_joint_add(sn_world *world, const sn_joint_def *def);

/* The constraint definition of a joint, with its parameters, but without points and strength. Use it if you want to
   set the axes on each body yourself (sn_on_body_turned; the joint's axis is x), and add it with sn_constraint_add.
   a, b, anchor and axis are not used. Refused: a number that the kind does not have. */
SN_API sn_result sn_joint_constraint(const sn_world *world, const sn_joint_def *joint, sn_constraint_def *def);

/* Short forms, rigid, without limits. One of a and b may be null: the world. */
SN_API sn_constraint sn_joint_add_ball(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor);
SN_API sn_constraint sn_joint_add_hinge(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor, sn_vec3 axis);
SN_API sn_constraint sn_joint_add_slider(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor, sn_vec3 axis);
SN_API sn_constraint sn_joint_add_fixed(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor);

/* Two shafts along axis, which may lean apart; see sn_joint_def.second_axis. */
SN_API sn_constraint sn_joint_add_universal(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor, sn_vec3 axis);
/* A wheel b on the body a. Its suspension along axis has a stiffness in N/m (0: rigid) and a damping in N s/m. It
   rotates about axle, perpendicular to axis. */
SN_API sn_constraint sn_joint_add_wheel(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor, sn_vec3 axis,
                                        sn_vec3 axle, sn_real stiffness, sn_real damping);
/* A joint with all six degrees of freedom locked. Free them one by one: sn_joint_set_axis_limits and so on. */
SN_API sn_constraint sn_joint_add_six(sn_world *world, sn_body a, sn_body b, sn_vec3 anchor, sn_vec3 axis,
                                      sn_vec3 second_axis);

/* A rope from a point of a to a point of b, both given in the world at the current poses. Its length is in m, or
   SN_MEASURE: the current distance. It is a constraint of SN_KIND_DISTANCE_MAX. */
SN_API sn_constraint sn_joint_add_rope(sn_world *world, sn_body a, sn_body b, sn_vec3 from, sn_vec3 to, sn_real length);

/* Gears between the bodies b of two joints. The first is a hinge. If the second is a hinge, too, then angle + ratio *
   (angle of the second) stays constant: with ratio r2 / r1, wheels of radii r1 and r2 mesh on parallel axes. If it is
   a slider or a line, then ratio * angle + distance stays constant: rack and pinion, with the radius as the ratio.
   Whole turns are counted without limit. The joints are only read in the call: removing them later does not remove
   the gear. */
SN_API sn_constraint sn_joint_add_gear(sn_world *world, sn_constraint first, sn_constraint second, sn_real ratio);

/* The rotation that takes the x axis to axis, and y as close to second as possible (0: the library chooses). For
   points that you make yourself. */
SN_API sn_quat sn_joint_axes(sn_vec3 axis, sn_vec3 second);

/* ---- While it runs ------------------------------------------------------------------------------
   A value that a joint of the kind does not have is refused, with a message that names the kind. */

/* The speed of a motor (rad/s or m/s), and its largest torque or force (N m or N; 0 turns it off). Replaces a
   target. */
SN_API sn_result sn_joint_set_motor(sn_world *world, sn_constraint joint, sn_real speed, sn_real most);

/* The target angle or distance (rad or m), and the largest torque or force (0 turns the drive off). Replaces a
   motor. */
SN_API sn_result sn_joint_set_target(sn_world *world, sn_constraint joint, sn_real target, sn_real most);

/* The same for ball and cone_twist: see sn_joint_def.target_turn. */
SN_API sn_result sn_joint_set_target_turn(sn_world *world, sn_constraint joint, sn_vec3 target, sn_real most);

/* Limits of the angle or distance. */
SN_API sn_result sn_joint_set_limits(sn_world *world, sn_constraint joint, sn_real least, sn_real most);

/* The same for one axis of a joint of six degrees of freedom: 0, 1, 2 are along x, y, z (m, N), 3 the twist about x,
   4 and 5 the swing of the x axis of b about y and z (rad, N m). Limits of 0 and 0 lock an axis; -SN_JOINT_MOST and
   SN_JOINT_MOST free a distance, -pi and pi an angle. */
SN_API sn_result sn_joint_set_axis_limits(sn_world *world, sn_constraint joint, uint32_t axis, sn_real least,
                                          sn_real most);
SN_API sn_result sn_joint_set_axis_motor(sn_world *world, sn_constraint joint, uint32_t axis, sn_real speed,
                                         sn_real most);
SN_API sn_result sn_joint_set_axis_target(sn_world *world, sn_constraint joint, uint32_t axis, sn_real target,
                                          sn_real most);
/* m or rad: the distance along the axis, or the angle about it. NaN and an error for other kinds. */
SN_API sn_real sn_joint_axis_value(const sn_world *world, sn_constraint joint, uint32_t axis);

/* rad: the angle of a hinge, the twist of a cone_twist, the angle of a wheel about its axle, -pi to pi. NaN and an
   error for other kinds. */
SN_API sn_real sn_joint_angle(const sn_world *world, sn_constraint joint);
/* m: the distance of a slider, of a point on a line, or of a wheel along the axis. NaN and an error for other kinds. */
SN_API sn_real sn_joint_way(const sn_world *world, sn_constraint joint);
/* rad: the angle by which the axis of a cone_twist or a universal joint leans, 0 to pi. NaN and an error for other
   kinds. */
SN_API sn_real sn_joint_swing(const sn_world *world, sn_constraint joint);

/* The load of the joint on b in the last substep: a force in N, at the point of b, and a torque in N m about that
   point. Both are in world coordinates, with directions at the current poses. The load on a is the opposite. Either
   may be NULL. A single value is noisy, as sn_constraint_force explains: average it. */
SN_API sn_result sn_joint_reaction(const sn_world *world, sn_constraint joint, sn_vec3 *force, sn_vec3 *torque);

/* ---- Breaking -----------------------------------------------------------------------------------
   For constraints of all kinds. */

/* The force (N; the magnitude in sn_constraint_force; for a joint that on its bodies) and, for joints, the torque (N
   m) at which the constraint breaks; 0, the default: it does not break. A constraint that exceeds it in some substep
   is removed at the end of the step. The force of a rigid constraint in an impact grows as the substep gets shorter:
   give a breakable constraint some compliance if it should survive impacts. */
SN_API sn_result sn_constraint_set_strength(sn_world *world, sn_constraint constraint, sn_real force, sn_real torque);

/* Reads them; either may be NULL. */
SN_API sn_result sn_constraint_strength(const sn_world *world, sn_constraint constraint, sn_real *force,
                                        sn_real *torque);

/* A constraint that broke. */
typedef struct sn_break {
    sn_constraint constraint; /* the handle is stale: the constraint was removed */
    sn_real force;            /* N and N m: its largest load in a substep */
    sn_real torque;
    uint64_t user; /* its user data */
} sn_break;

/* The constraints that broke in the last step, ordered by kind and number. NULL if there are none. Valid until the
   next step. */
SN_API const sn_break *sn_world_broken(const sn_world *world, uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif

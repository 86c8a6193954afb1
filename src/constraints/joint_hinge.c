/* A hinge: two points coincide, and their x axes stay aligned. b rotates about this axis.

       C = (e_i . (b - a), i = x, y, z;   swing about y, about z;   twist)

   The twist is the angle of the hinge. Its row, the last one, has target, speed, friction and limits. */
#define SN_LANE_DOUBLE 0
#include "constraints/joint.h"

enum { LINEAR = SN_JOINT_AXIS_PARAMS, ANGULAR = LINEAR + 2, PARAMS = ANGULAR + 2 };

static void eval_hinge(const lanes_in *in, lanes_out *out)
{
    joint_pose pose = joint_look(in);
    joint_turn swing[2], twist = joint_twist(&pose);
    joint_lock_place(out, &pose, 0, in->param + LINEAR);
    joint_lean(&pose, swing);
    joint_lock_turns(out, 3, 2, swing, in->param + ANGULAR);
    joint_drive_angle(in, out, 5, twist);
}

SN_LANES(joint_hinge, eval_hinge, 2, 6, PARAMS, SN_JOINT_HOLD(1))

#if !SN_VECTOR
static void settle_hinge(const sn_eval_in *in, sn_real h)
{
    joint_pose pose = joint_look_at(in);
    sn_joint_hold_axis(in, h, joint_twist(&pose).value, 6, true);
}

static void measure_hinge(const sn_eval_in *in, sn_real *param)
{
    joint_pose pose = joint_look_at(in);
    param[2] = (sn_real)joint_twist(&pose).value;
}

const sn_kind sn_kind_joint_hinge = {
    .name = "joint_hinge",
    .about = "Two bodies turn about one axis, the x axis of both points; the points stay in one place. The angle, by "
             "which the "
             "axes of b are turned against those of a, may have limits, friction, a speed, or a target.",
    .formula = "C = (b - a along the axes of a; swing of the x axis of b about y and z of a; twist about it)",
    .unit = "m, rad",
    .points = 2,
    .rows = 6,
    .internal = true,
    .param = {SN_JOINT_ANGLE, SN_JOINT_LINEAR, SN_JOINT_ANGULAR},
    .eval = SN_LANES_EVAL(joint_hinge),
    .lanes = SN_LANES_TABLE(joint_hinge),
    .measure = measure_hinge,
    .check = sn_joint_check_drive,
    .oriented = true,
    .pivot = SN_PIVOT_AXIS,
    .turn_param = SN_JOINT_AXIS_TARGET_MOST,
    .own_rows = true,
    .bounded = 1u << 5,
    .rotational = 7u << 3,
    .state = SN_JOINT_HOLD(1),
    .settle = settle_hinge,
    .settle_param = SN_JOINT_AXIS_FRICTION,
};
#endif

/* A hinge: two points stay in one place, and so do the x axes of their points; about these b turns.

       C = (e_i . (b - a), i = x, y, z;   swing about y, about z;   twist)

   The twist is the angle of the hinge, and what is asked of it (target, speed, friction, limits) is the last row. */
#include "constraints/joint.h"

enum { LINEAR = SN_JOINT_AXIS_PARAMS, ANGULAR = LINEAR + 2 };

static bool eval_hinge(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_joint_pose pose = sn_joint_look(in);
    sn_joint_turn swing[2], twist = sn_joint_twist(&pose);
    sn_joint_drive drive = sn_joint_read_drive(in->param, (sn_real)MATH_PI);
    sn_joint_lock_place(out, 0, &pose, in->param + LINEAR);
    sn_joint_lean(&pose, swing);
    for (uint32_t i = 0; i < 2; ++i) {
        sn_joint_write_turn(out, 3 + i, &swing[i]);
        sn_joint_lock(out, 3 + i, in->param + ANGULAR);
    }
    /* on a circle without an end the target is reached the short way round, with limits on the side that is allowed */
    if (!isinf(drive.least) || !isinf(drive.most))
        twist.value = sn_joint_near_arc(twist.value, drive.least, drive.most);
    else if (drive.target_most > 0)
        drive.target = sn_joint_near_arc(drive.target, twist.value, twist.value);
    drive.back = sn_joint_back(in, 1, 0);
    sn_joint_write_turn(out, 5, &twist);
    sn_joint_apply(out, 5, &drive);
    return true;
}

static void settle_hinge(const sn_eval_in *in, sn_real h)
{
    sn_joint_pose pose = sn_joint_look(in);
    sn_joint_hold_axis(in, h, sn_joint_twist(&pose).value, 6, true);
}

static void measure_hinge(const sn_eval_in *in, sn_real *param)
{
    sn_joint_pose pose = sn_joint_look(in);
    param[2] = (sn_real)sn_joint_twist(&pose).value;
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
    .eval = eval_hinge,
    .measure = measure_hinge,
    .check = sn_joint_check_drive,
    .oriented = true,
    .own_rows = true,
    .state = SN_JOINT_HOLD(1),
    .settle = settle_hinge,
    .settle_param = SN_JOINT_AXIS_FRICTION,
};

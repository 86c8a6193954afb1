/* A slider: b does not turn against a, and moves along the x axis of a only.

       C = (e_y . (b - a), e_z . (b - a);   turn of b against a, as axis times angle;   e_x . (b - a)) */
#include "constraints/joint.h"

enum { LINEAR = SN_JOINT_AXIS_PARAMS, ANGULAR = LINEAR + 2 };

static bool eval_slider(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_joint_pose pose = sn_joint_look(in);
    sn_joint_turn turn[3];
    sn_joint_drive drive = sn_joint_read_drive(in->param, SN_JOINT_MOST);
    sn_joint_lock_across(out, 0, &pose, in->param + LINEAR);
    sn_joint_whole_turn(&pose, dvec3(0, 0, 0), turn);
    for (uint32_t i = 0; i < 3; ++i) {
        sn_joint_write_turn(out, 2 + i, &turn[i]);
        sn_joint_lock(out, 2 + i, in->param + ANGULAR);
    }
    drive.back = sn_joint_back(in, 1, 0);
    sn_joint_write_along(out, 5, &pose, 0);
    sn_joint_apply(out, 5, &drive);
    return true;
}

static void settle_slider(const sn_eval_in *in, sn_real h)
{
    sn_joint_pose pose = sn_joint_look(in);
    sn_joint_hold_axis(in, h, dvec3_dot(pose.axis[0], pose.p), 6, false);
}

static void measure_slider(const sn_eval_in *in, sn_real *param)
{
    sn_joint_pose pose = sn_joint_look(in);
    param[2] = (sn_real)dvec3_dot(pose.axis[0], pose.p);
}

const sn_kind sn_kind_joint_slider = {
    .name = "joint_slider",
    .about = "A body slides along the x axis of a point of another and does not turn against it. How far it is along "
             "may have "
             "limits, friction, a speed, or a target.",
    .formula = "C = (b - a along y and z of a; the turn of b against a along the axes of a; b - a along x of a)",
    .unit = "m, rad",
    .points = 2,
    .rows = 6,
    .internal = true,
    .param = {SN_JOINT_WAY, SN_JOINT_LINEAR, SN_JOINT_ANGULAR},
    .eval = eval_slider,
    .measure = measure_slider,
    .check = sn_joint_check_drive,
    .oriented = true,
    .own_rows = true,
    .state = SN_JOINT_HOLD(1),
    .settle = settle_slider,
    .settle_param = SN_JOINT_AXIS_FRICTION,
};

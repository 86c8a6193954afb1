/* A point of a body stays on a line of another, the x axis of the point a, about which it turns any way.

       C = (e_y . (b - a), e_z . (b - a);   e_x . (b - a)) */
#include "constraints/joint.h"

enum { LINEAR = SN_JOINT_AXIS_PARAMS };

static bool eval_line(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_joint_pose pose = sn_joint_look(in);
    sn_joint_drive drive = sn_joint_read_drive(in->param, SN_JOINT_MOST);
    sn_joint_lock_across(out, 0, &pose, in->param + LINEAR);
    drive.back = sn_joint_back(in, 1, 0);
    sn_joint_write_along(out, 2, &pose, 0);
    sn_joint_apply(out, 2, &drive);
    return true;
}

static void settle_line(const sn_eval_in *in, sn_real h)
{
    sn_joint_pose pose = sn_joint_look(in);
    sn_joint_hold_axis(in, h, dvec3_dot(pose.axis[0], pose.p), 3, false);
}

static void measure_line(const sn_eval_in *in, sn_real *param)
{
    sn_joint_pose pose = sn_joint_look(in);
    param[2] = (sn_real)dvec3_dot(pose.axis[0], pose.p);
}

const sn_kind sn_kind_joint_line = {
    .name = "joint_line",
    .about = "A point of a body stays on a line that goes along with another: the x axis of the point a. How far it is "
             "along may "
             "have limits, friction, a speed, or a target.",
    .formula = "C = (b - a along y and z of a; b - a along x of a)",
    .unit = "m",
    .points = 2,
    .rows = 3,
    .internal = true,
    .param = {SN_JOINT_WAY, SN_JOINT_LINEAR},
    .eval = eval_line,
    .measure = measure_line,
    .check = sn_joint_check_drive,
    .oriented = true,
    .own_rows = true,
    .state = SN_JOINT_HOLD(1),
    .settle = settle_line,
    .settle_param = SN_JOINT_AXIS_FRICTION,
};

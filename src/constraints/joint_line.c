/* A point of a body stays on a line of another, the x axis of the point a. Rotation is free.

       C = (e_y . (b - a), e_z . (b - a);   e_x . (b - a)) */
#define SN_LANE_DOUBLE 0
#include "constraints/joint.h"

enum { LINEAR = SN_JOINT_AXIS_PARAMS, PARAMS = LINEAR + 2 };

static void eval_line(const lanes_in *in, lanes_out *out)
{
    joint_pose pose = joint_look(in);
    joint_lock_place(out, &pose, 1, in->param + LINEAR);
    joint_drive_displacement(in, out, 2, &pose);
}

SN_LANES(joint_line, eval_line, 2, 3, PARAMS, SN_JOINT_HOLD(1))

#if !SN_VECTOR
static void settle_line(const sn_eval_in *in, sn_real h)
{
    sn_joint_hold_axis(in, h, joint_displacement_at(in), 3, false);
}

static void measure_line(const sn_eval_in *in, sn_real *param)
{
    param[2] = (sn_real)joint_displacement_at(in);
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
    .param = {SN_JOINT_DISPLACEMENT, SN_JOINT_LINEAR},
    .eval = SN_LANES_EVAL(joint_line),
    .lanes = SN_LANES_TABLE(joint_line),
    .measure = measure_line,
    .check = sn_joint_check_drive,
    .oriented = true,
    .own_rows = true,
    .bounded = 1u << 2,
    .state = SN_JOINT_HOLD(1),
    .settle = settle_line,
    .settle_param = SN_JOINT_AXIS_FRICTION,
};
#endif

/* A slider: b does not rotate relative to a, and moves only along the x axis of a.

       C = (e_y . (b - a), e_z . (b - a);   rotation of b relative to a, as axis times angle;   e_x . (b - a)) */
#define SN_LANE_DOUBLE 0
#include "constraints/joint.h"

enum { LINEAR = SN_JOINT_AXIS_PARAMS, ANGULAR = LINEAR + 2, PARAMS = ANGULAR + 2 };

static void eval_slider(const lanes_in *in, lanes_out *out)
{
    joint_pose pose = joint_look(in);
    joint_turn turn[3];
    joint_lock_place(out, &pose, 1, in->param + LINEAR);
    joint_whole_turn(&pose, NULL, turn);
    joint_lock_turns(out, 2, 3, turn, in->param + ANGULAR);
    joint_drive_displacement(in, out, 5, &pose);
}

SN_LANES(joint_slider, eval_slider, 2, 6, PARAMS, SN_JOINT_HOLD(1))

#if !SN_VECTOR
static void settle_slider(const sn_eval_in *in, sn_real h)
{
    sn_joint_hold_axis(in, h, joint_displacement_at(in), 6, false);
}

static void measure_slider(const sn_eval_in *in, sn_real *param)
{
    param[2] = (sn_real)joint_displacement_at(in);
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
    .param = {SN_JOINT_DISPLACEMENT, SN_JOINT_LINEAR, SN_JOINT_ANGULAR},
    .eval = SN_LANES_EVAL(joint_slider),
    .lanes = SN_LANES_TABLE(joint_slider),
    .measure = measure_slider,
    .check = sn_joint_check_drive,
    .oriented = true,
    .turn_param = SN_TURN_ALWAYS,
    .own_rows = true,
    .bounded = 1u << 5,
    .rotational = 7u << 2,
    .state = SN_JOINT_HOLD(1),
    .settle = settle_slider,
    .settle_param = SN_JOINT_AXIS_FRICTION,
};
#endif

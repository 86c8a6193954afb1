/* Constraints on velocities and on spins: two points move apart along the x axis of a, or two bodies turn against each
   other about it, at a given speed, wherever they are.

       C = e_x . (b - a),   dC/dt = speed;          C = the turn of b against a about e_x,   dC/dt = speed */
#include "constraints/joint.h"

enum { SPEED, SPEED_MOST };

static void ask_for_speed(const sn_eval_out *out, const sn_real *param)
{
    bool asked = param[SPEED_MOST] > 0;
    out->row[0].type = asked ? SN_ROW_RATE : SN_ROW_REST;
    out->row[0].rate = param[SPEED];
    out->row[0].most = param[SPEED_MOST];
}

static bool eval_velocity(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_joint_pose pose = sn_joint_look(in);
    sn_joint_write_along(out, 0, &pose, 0);
    ask_for_speed(out, in->param);
    return true;
}

/* Angles do not add up in space, so there is no C whose rate is the spin about an axis that moves along: it is left at
   0. */
static bool eval_spin(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_joint_pose pose = sn_joint_look(in);
    sn_joint_turn spin = {0, pose.axis[0]};
    sn_joint_write_turn(out, 0, &spin);
    ask_for_speed(out, in->param);
    return true;
}

const sn_kind sn_kind_joint_velocity = {
    .name = "joint_velocity",
    .about = "Two points of bodies move apart along the x axis of the first at a given speed, wherever they are, if "
             "that takes no "
             "more than so much force.",
    .formula = "dC/dt = speed, C = b - a along x of a",
    .unit = "m",
    .points = 2,
    .rows = 1,
    .internal = true,
    .param = {SN_JOINT_SPEED("m/s"), SN_JOINT_NUMBER("speed_most", "N", SN_JOINT_MOST)},
    .eval = eval_velocity,
    .oriented = true,
    .own_rows = true,
};

const sn_kind sn_kind_joint_spin = {
    .name = "joint_spin",
    .about = "Two bodies turn against each other about the x axis of the point a at a given speed, if that takes no "
             "more than so "
             "much torque. Where the points are does not matter.",
    .formula = "dC/dt = speed, C = the turn of b against a about x of a",
    .unit = "rad",
    .points = 2,
    .rows = 1,
    .internal = true,
    .param = {SN_JOINT_SPEED("rad/s"), SN_JOINT_NUMBER("speed_most", "N m", SN_JOINT_MOST)},
    .eval = eval_spin,
    .oriented = true,
    .own_rows = true,
};

/* Constraints on velocities (lecture 002: kinematic constraints on x, v and w), as rates of a C whose own value is not
   used:

       C = a . axis,   C = (b - a) . axis,   C = |b - a|,        dC/dt = speed,  or dC/dt >= least

   with a limited force. Their gradients are those of C: the axis, or the unit vector from a to b. The same between
   bodies: two points move apart along the x axis of a, or two bodies rotate relative to each other about it,

       C = e_x . (b - a),   C = the rotation of b relative to a about e_x,       dC/dt = speed */
#include "constraints/joint.h"

static void eval_point(const lanes_in *in, lanes_out *out)
{
    out->gradient[0] = lanes3_read(in->param);
    out->c[0] = lanes3_dot(in->x[0], out->gradient[0]);
    joint_ask_for_speed(out, in->param[3], in->param[4]);
}

static void eval_between(const lanes_in *in, lanes_out *out)
{
    lanes3 axis = lanes3_read(in->param);
    lanes_write_pair(out, 0, lanes3_dot(lanes3_sub(in->x[1], in->x[0]), axis), lanes3_negate(axis));
    joint_ask_for_speed(out, in->param[3], in->param[4]);
}

/* Where the points coincide they may separate in any direction: the x axis is used. */
static void eval_distance_rate(const lanes_in *in, lanes_out *out)
{
    const lanes zero = lanes_all(0), one = lanes_all(1);
    lanes3 ba = lanes3_sub(in->x[0], in->x[1]);
    lanes length = lanes3_length(ba);
    flags apart = lanes_above(length, zero);
    lanes3 n = lanes3_choose(apart, lanes3_scale(ba, one / length), lanes3_of(-one, zero, zero));
    lanes_write_pair(out, 0, length, n);
    joint_ask_for_speed(out, in->param[0], in->param[1]);
    out->exists = apart | lanes_above(in->param[0], zero);
}

static void eval_joint_velocity(const lanes_in *in, lanes_out *out)
{
    joint_pose pose = joint_look(in);
    joint_write_along(out, 0, &pose, 0);
    joint_ask_for_speed(out, in->param[0], in->param[1]);
}

/* Angles do not add up in space. So there is no C whose rate is the angular velocity about a moving axis: C stays 0. */
static void eval_joint_spin(const lanes_in *in, lanes_out *out)
{
    joint_pose pose = joint_look(in);
    joint_write_turn(out, 0, (joint_turn){lanes_all(0), pose.axis[0]});
    joint_ask_for_speed(out, in->param[0], in->param[1]);
}

SN_LANES(velocity, eval_point, 1, 1, 5, 0)
SN_LANES(velocity_between, eval_between, 2, 1, 5, 0)
SN_LANES(distance_rate, eval_distance_rate, 2, 1, 2, 0)
SN_LANES(joint_velocity, eval_joint_velocity, 2, 1, 2, 0)
SN_LANES(joint_spin, eval_joint_spin, 2, 1, 2, 0)

#if !SN_VECTOR
#define AXIS                                                                                                           \
    {                                                                                                                  \
        .name = "axis", .unit = "1", .type = SN_PARAM_DIRECTION                                                        \
    }
#define SPEED(NAME) SN_JOINT_SPEED(NAME, "m/s")
#define FORCE       SN_JOINT_NUMBER("force", "N", SN_JOINT_MOST)

const sn_kind sn_kind_velocity = {
    .name = "velocity",
    .about =
        "A point moves along an axis at a given speed, wherever it is and however it moves across, if that takes no "
        "more than so much force.",
    .formula = "dC/dt = speed, C = a . axis",
    .unit = "m",
    .points = 1,
    .rows = 1,
    .param = {AXIS, SPEED("speed"), FORCE},
    .eval = SN_LANES_EVAL(velocity),
    .lanes = SN_LANES_TABLE(velocity),
    .own_rows = true,
    .bounded = 1,
};

const sn_kind sn_kind_velocity_min = {
    .name = "velocity_min",
    .about = "A point moves along an axis at least at a given speed, if that takes no more than so much force; at "
             "most, with "
             "the axis and the speed reversed.",
    .formula = "dC/dt >= least, C = a . axis",
    .unit = "m",
    .points = 1,
    .rows = 1,
    .inequality = 1,
    .param = {AXIS, SPEED("least"), FORCE},
    .eval = SN_LANES_EVAL(velocity),
    .lanes = SN_LANES_TABLE(velocity),
    .own_rows = true,
    .bounded = 1,
};

const sn_kind sn_kind_velocity_between = {
    .name = "velocity_between",
    .about =
        "Two points move apart along an axis at a given speed, wherever they are, if that takes no more than so much "
        "force; with the speed 0 they move alike.",
    .formula = "dC/dt = speed, C = (b - a) . axis",
    .unit = "m",
    .points = 2,
    .rows = 1,
    .internal = true,
    .param = {AXIS, SPEED("speed"), FORCE},
    .eval = SN_LANES_EVAL(velocity_between),
    .lanes = SN_LANES_TABLE(velocity_between),
    .own_rows = true,
    .bounded = 1,
};

const sn_kind sn_kind_distance_rate = {
    .name = "distance_rate",
    .about = "A winch: the distance of two points grows at a given speed, or shrinks where that is negative, if that "
             "takes no "
             "more than so much force.",
    .formula = "dC/dt = speed, C = |b - a|",
    .unit = "m",
    .points = 2,
    .rows = 1,
    .internal = true,
    .param = {SPEED("speed"), FORCE},
    .eval = SN_LANES_EVAL(distance_rate),
    .lanes = SN_LANES_TABLE(distance_rate),
    .own_rows = true,
    .bounded = 1,
};

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
    .param = {SN_JOINT_SPEED("speed", "m/s"), SN_JOINT_NUMBER("speed_most", "N", SN_JOINT_MOST)},
    .eval = SN_LANES_EVAL(joint_velocity),
    .lanes = SN_LANES_TABLE(joint_velocity),
    .oriented = true,
    .own_rows = true,
    .bounded = 1,
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
    .param = {SN_JOINT_SPEED("speed", "rad/s"), SN_JOINT_NUMBER("speed_most", "N m", SN_JOINT_MOST)},
    .eval = SN_LANES_EVAL(joint_spin),
    .lanes = SN_LANES_TABLE(joint_spin),
    .oriented = true,
    .own_rows = true,
    .bounded = 1,
};
#endif

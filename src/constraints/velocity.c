/* Constraints on the velocities of points (lecture 002: kinematic constraints on x, v and w), as rates of a C that is never
   looked at itself:

       C = a . axis,   C = (b - a) . axis,   C = |b - a|,        dC/dt = speed,  or dC/dt >= least

   if that takes no more than so much force. Their gradients are those of C: the axis, or the unit vector from a to b. The same for
   the spins of bodies: joint_rate.c. */
#include "base/vec.h"
#include "constraints/table.h"

#include <sinew/joints.h>

/* The last two parameters of each kind; `at` is where they begin. */
static void ask_for_rate(const sn_eval_out *out, const sn_real *at)
{
    out->row[0].type = at[1] > 0 ? SN_ROW_RATE : SN_ROW_REST;
    out->row[0].rate = at[0];
    out->row[0].most = at[1] < SN_JOINT_MOST ? at[1] : 0; /* any */
}

#define AXIS                                                                                                           \
    {                                                                                                                  \
        .name = "axis", .unit = "1", .type = SN_PARAM_DIRECTION                                                        \
    }
#define SPEED(NAME)                                                                                                    \
    {                                                                                                                  \
        .name = NAME, .unit = "m/s", .has_default = true, .least = -SN_JOINT_MOST, .most = SN_JOINT_MOST               \
    }
#define FORCE                                                                                                          \
    {                                                                                                                  \
        .name = "force", .unit = "N", .has_default = true, .default_value = SN_JOINT_MOST, .most = SN_JOINT_MOST       \
    }

static bool eval_point(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 axis = vec3(in->param[0], in->param[1], in->param[2]);
    out->c[0] = vec3_dot(in->x[0], axis);
    out->gradient[0] = axis;
    ask_for_rate(out, in->param + 3);
    return true;
}

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
    .eval = eval_point,
    .own_rows = true,
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
    .eval = eval_point,
    .own_rows = true,
};

static bool eval_between(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 axis = vec3(in->param[0], in->param[1], in->param[2]);
    out->c[0] = vec3_dot(vec3_sub(in->x[1], in->x[0]), axis);
    out->gradient[0] = vec3_scale(axis, -1);
    out->gradient[1] = axis;
    ask_for_rate(out, in->param + 3);
    return true;
}

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
    .eval = eval_between,
    .own_rows = true,
};

/* Where the points coincide they may part in any direction: x is as good as any. */
static bool eval_distance_rate(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 ab = vec3_sub(in->x[1], in->x[0]);
    sn_real length = vec3_length(ab);
    sn_vec3 n = length > 0 ? vec3_scale(ab, 1 / length) : vec3(1, 0, 0);
    out->c[0] = length;
    out->gradient[0] = vec3_scale(n, -1);
    out->gradient[1] = n;
    ask_for_rate(out, in->param);
    return length > 0 || in->param[0] > 0;
}

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
    .eval = eval_distance_rate,
    .own_rows = true,
};

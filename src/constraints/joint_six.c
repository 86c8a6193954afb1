/* Six degrees of freedom, each separately locked, free, limited or driven: along the axes of a, and about them by twist
   and swing.

       C = (e_i . (b - a);   twist;   swing about y, about z)

   An axis whose limits are both 0, the default, is locked. The parameters are vectors with a component for each
   axis. */
#define SN_LANE_DOUBLE 0
#include "constraints/joint.h"

/* For the three axes of translation; those of rotation follow, in the same order. */
enum {
    LEAST,
    MOST = 3,
    TARGET = 6,
    TARGET_MOST = 9,
    SPEED = 12,
    SPEED_MOST = 15,
    TARGET_COMPLIANCE = 18,
    TARGET_DAMPING,
    ABOUT = 20,
    PARAMS = 40
};

SN_LANES_INLINE joint_drive read_axis(const lanes *p, uint32_t i, double bound)
{
    joint_drive drive = joint_no_drive();
    drive.target = p[TARGET + i];
    drive.target_most = p[TARGET_MOST + i];
    drive.target_compliance = p[TARGET_COMPLIANCE];
    drive.target_damping = p[TARGET_DAMPING];
    drive.speed = p[SPEED + i];
    drive.speed_most = p[SPEED_MOST + i];
    joint_read_limits(&drive, p[LEAST + i], p[MOST + i], bound);
    return drive;
}

static void eval_six(const lanes_in *in, lanes_out *out)
{
    joint_pose pose = joint_look(in);
    joint_turn turn[3];
    turn[0] = joint_twist(&pose);
    joint_lean(&pose, turn + 1);
    for (uint32_t i = 0; i < 3; ++i) {
        joint_drive drive = read_axis(in->param, i, (double)SN_JOINT_MOST);
        joint_write_along(out, i, &pose, i);
        joint_apply(out, i, &drive);
        drive = read_axis(in->param + ABOUT, i, JOINT_PI);
        if (i == 0)
            turn[0].value = joint_near_arc(turn[0].value, drive.least, drive.most);
        joint_write_turn(out, 3 + i, turn[i]);
        joint_apply(out, 3 + i, &drive);
    }
}

SN_LANES(joint_six, eval_six, 2, 6, PARAMS, 0)

#if !SN_VECTOR
double sn_joint_six_value(const sn_eval_in *in, uint32_t axis)
{
    joint_pose pose = joint_look_at(in);
    joint_turn turn[3];
    turn[0] = joint_twist(&pose);
    joint_lean(&pose, turn + 1);
    return axis < 3 ? lanes3_dot(pose.axis[axis], pose.p) : turn[axis - 3].value;
}

static void measure_six(const sn_eval_in *in, sn_real *param)
{
    for (uint32_t i = 0; i < 6; ++i)
        param[i < 3 ? TARGET + i : ABOUT + TARGET + i - 3] = (sn_real)sn_joint_six_value(in, i);
}

static const char *check_six(const sn_real *param)
{
    for (uint32_t i = 0; i < 6; ++i) {
        const sn_real *p = i < 3 ? param + i : param + ABOUT + i - 3;
        if (p[LEAST] > p[MOST])
            return i < 3 ? "'least' exceeds 'most'" : "'angular_least' exceeds 'angular_most'";
        if (p[TARGET_MOST] > 0 && p[SPEED_MOST] > 0)
            return "an axis cannot have both a target ('target_most' is not 0) and a speed ('speed_most' is not 0)";
    }
    return NULL;
}

#define LIMIT(NAME, UNIT, BOUND)                                                                                       \
    {                                                                                                                  \
        .name = NAME, .unit = UNIT, .type = SN_PARAM_VECTOR, .has_default = true, .least = -(BOUND), .most = BOUND     \
    }
#define MOST_OF(NAME, UNIT)                                                                                            \
    {                                                                                                                  \
        .name = NAME, .unit = UNIT, .type = SN_PARAM_VECTOR, .has_default = true, .most = SN_JOINT_MOST                \
    }
#define AXES(KIND, UNIT, RATE, FORCE, COMPLIANCE, DAMPING, BOUND)                                                      \
    LIMIT(KIND "least", UNIT, BOUND), LIMIT(KIND "most", UNIT, BOUND),                                                 \
        {.name = KIND "target", .unit = UNIT, .type = SN_PARAM_VECTOR, .least = -(BOUND), .most = BOUND},              \
        MOST_OF(KIND "target_most", FORCE), LIMIT(KIND "speed", RATE, SN_JOINT_MOST),                                  \
        MOST_OF(KIND "speed_most", FORCE), SN_JOINT_NUMBER(KIND "target_compliance", COMPLIANCE, 0),                   \
        SN_JOINT_NUMBER(KIND "target_damping", DAMPING, 0)

const sn_kind sn_kind_joint_six = {
    .name = "joint_six",
    .about = "A joint of six degrees of freedom, along the axes of a and about them (twist about x, and swing of the x "
             "axis of b about y and "
             "z), each locked, free, between limits, at a speed, or driven towards a target. Limits of 0 and 0, the "
             "default, lock an axis.",
    .formula = "C = (b - a along the axes of a; twist about x; swing of the x axis of b about y and z of a)",
    .unit = "m, rad",
    .points = 2,
    .rows = 6,
    .internal = true,
    .param = {AXES("", "m", "m/s", "N", "m/N", "N s/m", SN_JOINT_MOST),
              AXES("angular_", "rad", "rad/s", "N m", "rad/(N m)", "N m s", (sn_real)MATH_PI)},
    .eval = SN_LANES_EVAL(joint_six),
    .lanes = SN_LANES_TABLE(joint_six),
    .measure = measure_six,
    .check = check_six,
    .oriented = true,
    .turn_param = SN_TURN_ALWAYS,
    .own_rows = true,
    .bounded = 0x3f,
};
#endif

/* A shoulder: two points coincide. The x axis of b stays within a cone about that of a, and the twist about it stays
   between two limits.

       C = (e_i . (b - a);   twist;   swing)

   The swing s is a vector of two numbers, about y and z. Its two rows are along these while it is less than half of the
   cone's limit. Beyond that they are along s and across it, so that the length of s, which the cone limits, is a row by
   itself. The directions then count as fixed. For a drive, whose energy is |s - target|^2 / 2, these rows are right. */
#define SN_LANE_DOUBLE 0
#include "constraints/joint.h"

enum {
    SWING_MOST,
    LEAST,
    MOST,
    TARGET,
    TARGET_MOST = TARGET + 3,
    TARGET_COMPLIANCE,
    TARGET_DAMPING,
    FRICTION,
    LINEAR,
    PARAMS = LINEAR + 2
};

static void eval_cone_twist(const lanes_in *in, lanes_out *out)
{
    joint_pose pose = joint_look(in);
    joint_turn swing[2], twist = joint_twist(&pose);
    const lanes *p = in->param, endless = lanes_all((double)INFINITY);
    lanes t = joint_lean(&pose, swing), along[2];
    flags radial = joint_see_swing(swing, t, p[SWING_MOST], along);
    joint_drive drive = joint_read_target(p + TARGET, p + TARGET_MOST);
    drive.friction = p[FRICTION];
    drive.back = joint_back(in, 3, 0);
    joint_lock_place(out, &pose, 0, p + LINEAR);
    joint_read_limits(&drive, p[LEAST], p[MOST], JOINT_PI);
    twist.value = joint_near_arc(twist.value, drive.least, drive.most);
    joint_write_turn(out, 3, twist);
    joint_apply(out, 3, &drive);
    drive.least = -endless;
    for (uint32_t i = 0; i < 2; ++i) {
        lanes y = i ? -along[1] : along[0], z = i ? along[0] : along[1];
        drive.target = y * p[TARGET + 1] + z * p[TARGET + 2];
        drive.back = y * joint_back(in, 3, 1) + z * joint_back(in, 3, 2);
        drive.most = i ? endless : lanes_choose(radial, p[SWING_MOST], endless);
        joint_write_swing(out, 4 + i, swing, y, z);
        joint_apply(out, 4 + i, &drive);
    }
}

SN_LANES(joint_cone_twist, eval_cone_twist, 2, 6, PARAMS, SN_JOINT_HOLD(3))

#if !SN_VECTOR
static void settle_cone_twist(const sn_eval_in *in, sn_real h)
{
    joint_pose pose = joint_look_at(in);
    joint_turn swing[2];
    lanes t = joint_lean(&pose, swing), along[2];
    const double value[3] = {(double)joint_twist(&pose).value, (double)swing[0].value, (double)swing[1].value};
    if (in->param[TARGET_MOST] > 0)
        return;
    joint_see_swing(swing, t, (lanes)in->param[SWING_MOST], along);
    double y = sn_joint_moved(in, 1, value[1], true), z = sn_joint_moved(in, 2, value[2], true);
    const double moved[3] = {sn_joint_moved(in, 0, value[0], true), (double)along[0] * y + (double)along[1] * z,
                             (double)along[0] * z - (double)along[1] * y};
    bool slips = sn_joint_slips(in->exerted + 3, moved, 3, (double)in->param[FRICTION]);
    sn_joint_hold(in, h, 3, value, slips, true);
}

static void measure_cone_twist(const sn_eval_in *in, sn_real *param)
{
    joint_pose pose = joint_look_at(in);
    joint_turn swing[2];
    joint_lean(&pose, swing);
    param[TARGET] = (sn_real)joint_twist(&pose).value;
    param[TARGET + 1] = (sn_real)swing[0].value;
    param[TARGET + 2] = (sn_real)swing[1].value;
}

static const char *check_cone_twist(const sn_real *param)
{
    return param[LEAST] > param[MOST] ? "'least' exceeds 'most'" : NULL;
}

const sn_kind sn_kind_joint_cone_twist = {
    .name = "joint_cone_twist",
    .about =
        "A shoulder: the points stay in one place, the x axis of b swings within a cone about that of a, and b twists "
        "about "
        "it between limits; with friction, or driven towards a target: its twist, and its swing about y and z of a.",
    .formula =
        "C = (b - a along the axes of a; twist about x; swing of the x axis of b about y and z of a, or along and "
        "across the swing)",
    .unit = "m, rad",
    .points = 2,
    .rows = 6,
    .internal = true,
    .param = {{.name = "swing",
               .unit = "rad",
               .has_default = true,
               .default_value = (sn_real)MATH_PI,
               .least = 0,
               .most = (sn_real)MATH_PI},
              SN_JOINT_LIMIT("least", "rad", (sn_real)MATH_PI, -(sn_real)MATH_PI),
              SN_JOINT_LIMIT("most", "rad", (sn_real)MATH_PI, (sn_real)MATH_PI),
              {.name = "target", .unit = "rad", .type = SN_PARAM_VECTOR},
              SN_JOINT_NUMBER("target_most", "N m", 0),
              SN_JOINT_NUMBER("target_compliance", "rad/(N m)", 0),
              SN_JOINT_NUMBER("target_damping", "N m s", 0),
              SN_JOINT_NUMBER("friction", "N m", 0),
              SN_JOINT_LINEAR},
    .eval = SN_LANES_EVAL(joint_cone_twist),
    .lanes = SN_LANES_TABLE(joint_cone_twist),
    .measure = measure_cone_twist,
    .check = check_cone_twist,
    .oriented = true,
    .pivot = SN_PIVOT_POINT,
    .turn_param = TARGET_MOST + 1,
    .own_rows = true,
    .bounded = 7u << 3,
    .rotational = 7u << 3,
    .state = SN_JOINT_HOLD(3),
    .settle = settle_cone_twist,
    .settle_param = FRICTION + 1,
};
#endif

/* A shoulder: two points stay in one place; the x axis of b stays within a cone about that of a, and about itself it
   twists between two limits.

       C = (e_i . (b - a);   twist;   swing)

   The swing s is a vector of two numbers, about y and z. Its two rows are along these while it is less than half of
   what the cone allows, and beyond that along s and across it, so that the length of s, which the cone limits, is a
   row by itself. They are then rows of s seen along directions that count as fixed: of a drive, whose energy is |s -
   target|^2 / 2, these are the right ones. */
#include "constraints/joint.h"

enum { SWING_MOST, LEAST, MOST, TARGET, TARGET_MOST = TARGET + 3, TARGET_COMPLIANCE, TARGET_DAMPING, FRICTION, LINEAR };

static sn_joint_drive read_drive(const sn_real *p)
{
    return (sn_joint_drive){.target_most = (double)p[TARGET_MOST],
                            .target_compliance = (double)p[TARGET_COMPLIANCE],
                            .target_damping = (double)p[TARGET_DAMPING],
                            .friction = (double)p[FRICTION],
                            .least = -(double)INFINITY,
                            .most = (double)INFINITY};
}

static void write_twist(const sn_eval_in *in, const sn_eval_out *out, const sn_joint_pose *pose, const sn_real *p)
{
    sn_joint_turn twist = sn_joint_twist(pose);
    sn_joint_drive drive = read_drive(p);
    drive.target = (double)p[TARGET];
    drive.back = sn_joint_back(in, 3, 0);
    drive.least = p[LEAST] > -(sn_real)MATH_PI ? (double)p[LEAST] : -(double)INFINITY;
    drive.most = p[MOST] < (sn_real)MATH_PI ? (double)p[MOST] : (double)INFINITY;
    if (!isinf(drive.least) || !isinf(drive.most))
        twist.value = sn_joint_near_arc(twist.value, drive.least, drive.most);
    sn_joint_write_turn(out, 3, &twist);
    sn_joint_apply(out, 3, &drive);
}

/* Along which direction the first of the two rows is; whether that is the swing itself, which has a limit. */
static bool see_swing(const sn_joint_turn swing[2], double t, const sn_real *p, double along[2])
{
    bool limited = p[SWING_MOST] < (sn_real)MATH_PI, radial = limited && t > 0 && t >= (double)p[SWING_MOST] / 2;
    along[0] = radial ? swing[0].value / t : 1;
    along[1] = radial ? swing[1].value / t : 0;
    return radial;
}

static void write_swing(const sn_eval_in *in, const sn_eval_out *out, const sn_joint_pose *pose, const sn_real *p)
{
    sn_joint_turn swing[2], row[2];
    sn_joint_drive drive = read_drive(p);
    double t = sn_joint_lean(pose, swing), most = (double)p[SWING_MOST], along[2];
    bool radial = see_swing(swing, t, p, along);
    double goal[2] = {(double)p[TARGET + 1], (double)p[TARGET + 2]};
    const double back[2] = {sn_joint_back(in, 3, 1), sn_joint_back(in, 3, 2)};
    for (uint32_t i = 0; i < 2; ++i) {
        double y = i ? -along[1] : along[0], z = i ? along[0] : along[1];
        row[i].value = y * swing[0].value + z * swing[1].value;
        row[i].slope = dvec3_add(dvec3_scale(swing[0].slope, y), dvec3_scale(swing[1].slope, z));
        drive.target = y * goal[0] + z * goal[1];
        drive.back = y * back[0] + z * back[1];
        drive.most = radial && i == 0 ? most : (double)INFINITY;
        sn_joint_write_turn(out, 4 + i, &row[i]);
        sn_joint_apply(out, 4 + i, &drive);
    }
}

static bool eval_cone_twist(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_joint_pose pose = sn_joint_look(in);
    sn_joint_lock_place(out, 0, &pose, in->param + LINEAR);
    write_twist(in, out, &pose, in->param);
    write_swing(in, out, &pose, in->param);
    return true;
}

static void settle_cone_twist(const sn_eval_in *in, sn_real h)
{
    sn_joint_pose pose = sn_joint_look(in);
    sn_joint_turn swing[2];
    double t = sn_joint_lean(&pose, swing), along[2];
    const double value[3] = {sn_joint_twist(&pose).value, swing[0].value, swing[1].value};
    if (in->param[TARGET_MOST] > 0)
        return;
    see_swing(swing, t, in->param, along);
    double y = sn_joint_moved(in, 1, value[1], true), z = sn_joint_moved(in, 2, value[2], true);
    const double moved[3] = {sn_joint_moved(in, 0, value[0], true), along[0] * y + along[1] * z,
                             along[0] * z - along[1] * y};
    bool slips = sn_joint_slips(in->exerted + 3, moved, 3, (double)in->param[FRICTION]);
    sn_joint_hold(in, h, 3, value, slips, true);
}

static void measure_cone_twist(const sn_eval_in *in, sn_real *param)
{
    sn_joint_pose pose = sn_joint_look(in);
    sn_joint_turn swing[2];
    sn_joint_lean(&pose, swing);
    param[TARGET] = (sn_real)sn_joint_twist(&pose).value;
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
    .eval = eval_cone_twist,
    .measure = measure_cone_twist,
    .check = check_cone_twist,
    .oriented = true,
    .own_rows = true,
    .state = SN_JOINT_HOLD(3),
    .settle = settle_cone_twist,
    .settle_param = FRICTION + 1,
};

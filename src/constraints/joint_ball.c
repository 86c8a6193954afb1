/* A ball joint: two points stay in one place, and turn about it.

       C = (e_i . (b - a), e_i the axes of a;   if it is driven, the turn from its target to b, as axis times angle)

   Friction acts about each axis of a by itself. */
#include "constraints/joint.h"

/* What it remembers: 1 if friction holds, how b was turned then as seen from a, and the spin to go back there. */
enum { HOLDS, HELD, BACK = HELD + 4, STATE = BACK + 3 };

enum { TARGET = 0, TARGET_MOST = 3, TARGET_COMPLIANCE, TARGET_DAMPING, FRICTION, LINEAR };

static bool eval_ball(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_joint_pose pose = sn_joint_look(in);
    sn_joint_turn turn[3];
    const sn_real *p = in->param;
    sn_joint_drive drive = {.target_most = (double)p[TARGET_MOST],
                            .target_compliance = (double)p[TARGET_COMPLIANCE],
                            .target_damping = (double)p[TARGET_DAMPING],
                            .friction = (double)p[FRICTION],
                            .least = -(double)INFINITY,
                            .most = (double)INFINITY};
    bool driven = p[TARGET_MOST] > 0;
    sn_dvec3 from = driven ? dvec3((double)p[TARGET], (double)p[TARGET + 1], (double)p[TARGET + 2]) : dvec3(0, 0, 0);
    sn_joint_lock_place(out, 0, &pose, p + LINEAR);
    if (!driven && !(p[FRICTION] > 0)) {
        for (uint32_t i = 0; i < 3; ++i)
            out->row[3 + i].type = SN_ROW_REST;
        return true;
    }
    sn_joint_whole_turn(&pose, from, turn);
    for (uint32_t i = 0; i < 3; ++i) {
        if (!driven)
            turn[i].slope = pose.axis[i]; /* of friction it is the spin that counts */
        drive.back = in->state ? (double)in->state[BACK + i] : 0;
        sn_joint_write_turn(out, 3 + i, &turn[i]);
        sn_joint_apply(out, 3 + i, &drive);
    }
    return true;
}

/* As sn_joint_hold, for any turn. */
static void settle_ball(const sn_eval_in *in, sn_real h)
{
    sn_joint_pose pose = sn_joint_look(in);
    sn_real *keep = in->keep;
    const sn_dvec3 v = pose.v, held = dvec3((double)keep[HELD], (double)keep[HELD + 1], (double)keep[HELD + 2]);
    const double w = (double)keep[HELD + 3], sign = dvec3_dot(v, held) + pose.w * w < 0 ? -2 : 2;
    if (in->param[TARGET_MOST] > 0)
        return;
    /* the vector part of R (turn held)^-1, twice: of a small angle that is the angle */
    sn_dvec3 way = dvec3_sub(dvec3_sub(dvec3_scale(v, w), dvec3_scale(held, pose.w)), dvec3_cross(v, held));
    const double moved[3] = {sign * way.x, sign * way.y, sign * way.z};
    if (keep[HOLDS] == 0 || sn_joint_slips(in->exerted + 3, moved, 3, (double)in->param[FRICTION])) {
        const sn_real now[STATE] = {1, (sn_real)v.x, (sn_real)v.y, (sn_real)v.z, (sn_real)pose.w};
        for (uint32_t i = 0; i < STATE; ++i)
            keep[i] = now[i];
        return;
    }
    way = dvec3_scale(way, -sign * SN_JOINT_UNDO / (double)h);
    keep[BACK] = (sn_real)way.x;
    keep[BACK + 1] = (sn_real)way.y;
    keep[BACK + 2] = (sn_real)way.z;
}

static void measure_ball(const sn_eval_in *in, sn_real *param)
{
    sn_joint_pose pose = sn_joint_look(in);
    sn_joint_turn turn[3];
    sn_joint_whole_turn(&pose, dvec3(0, 0, 0), turn);
    for (uint32_t i = 0; i < 3; ++i)
        param[TARGET + i] = (sn_real)turn[i].value;
}

const sn_kind sn_kind_joint_ball = {
    .name = "joint_ball",
    .about = "Two points of bodies stay in one place; the bodies turn about it freely, with friction, or are driven "
             "towards a "
             "target: how the axes of b are to be turned as seen from those of a, as axis times angle.",
    .formula = "C = (b - a along the axes of a; the turn from target to b along them, if target_most > 0)",
    .unit = "m, rad",
    .points = 2,
    .rows = 6,
    .internal = true,
    .param = {{.name = "target", .unit = "rad", .type = SN_PARAM_VECTOR},
              SN_JOINT_NUMBER("target_most", "N m", 0),
              SN_JOINT_NUMBER("target_compliance", "rad/(N m)", 0),
              SN_JOINT_NUMBER("target_damping", "N m s", 0),
              SN_JOINT_NUMBER("friction", "N m", 0),
              SN_JOINT_LINEAR},
    .eval = eval_ball,
    .measure = measure_ball,
    .oriented = true,
    .own_rows = true,
    .state = STATE,
    .settle = settle_ball,
    .settle_param = FRICTION + 1,
};

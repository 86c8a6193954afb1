/* A ball joint: two points coincide and rotate freely.

       C = (e_i . (b - a), e_i the axes of a;   if it is driven, the rotation from its target to b, as axis times angle)

   Friction acts about each axis of a separately. */
#define SN_LANE_DOUBLE 0
#include "constraints/joint.h"

/* State: 1 if friction holds, the hold orientation of b seen from a, and the angular velocity to return to it. */
enum { HOLDS, HELD, BACK = HELD + 4, STATE = BACK + 3 };

enum { TARGET = 0, TARGET_MOST = 3, TARGET_COMPLIANCE, TARGET_DAMPING, FRICTION, LINEAR, PARAMS = LINEAR + 2 };

static void eval_ball(const lanes_in *in, lanes_out *out)
{
    joint_pose pose = joint_look(in);
    joint_turn turn[3];
    const lanes *p = in->param, zero = lanes_all(0);
    flags driven = lanes_above(p[TARGET_MOST], zero), acts = driven | lanes_above(p[FRICTION], zero);
    lanes3 from = lanes3_keep(driven, lanes3_read(p + TARGET));
    joint_drive drive = joint_read_target(&zero, p + TARGET_MOST);
    drive.friction = p[FRICTION];
    joint_lock_place(out, &pose, 0, p + LINEAR);
    for (uint32_t i = 0; i < 3; ++i)
        out->row[3 + i].rest = ~acts;
    if (!flags_any(acts))
        return;
    joint_whole_turn(&pose, &from, turn);
    for (uint32_t i = 0; i < 3; ++i) {
        turn[i].slope = lanes3_choose(driven, turn[i].slope, pose.axis[i]); /* friction acts on the angular velocity */
        turn[i].value = lanes_keep(acts, turn[i].value);
        drive.back = in->state ? in->state[BACK + i] : zero;
        joint_write_turn(out, 3 + i, turn[i]);
        joint_apply(out, 3 + i, &drive);
        for (uint32_t point = 2 * (3 + i); point < 2 * (4 + i); ++point) /* without drive or friction the gradient stays
                                                                            0 */
            out->turn[point] = lanes3_keep(acts, out->turn[point]);
    }
}

SN_LANES(joint_ball, eval_ball, 2, 6, PARAMS, STATE)

#if !SN_VECTOR
/* Like sn_joint_hold, for any rotation. */
static void settle_ball(const sn_eval_in *in, sn_real h)
{
    joint_pose pose = joint_look_at(in);
    sn_real *keep = in->keep;
    const lanes4 r = pose.r,
                 held = {(double)keep[HELD], (double)keep[HELD + 1], (double)keep[HELD + 2], (double)keep[HELD + 3]};
    if (in->param[TARGET_MOST] > 0)
        return;
    /* Twice the vector part of R (held rotation)^-1: for a small angle this is the rotation vector. */
    const lanes4 displacement = joint_short(joint_times(r, joint_inverse(held)));
    const double moved[3] = {2 * displacement.x, 2 * displacement.y, 2 * displacement.z};
    if (keep[HOLDS] == 0 || sn_joint_slips(in->exerted + 3, moved, 3, (double)in->param[FRICTION])) {
        const sn_real now[STATE] = {1, (sn_real)r.x, (sn_real)r.y, (sn_real)r.z, (sn_real)r.w};
        memcpy(keep, now, sizeof now);
        return;
    }
    for (uint32_t i = 0; i < 3; ++i)
        keep[BACK + i] = (sn_real)(-SN_JOINT_UNDO * moved[i] / (double)h);
}

static void measure_ball(const sn_eval_in *in, sn_real *param)
{
    joint_pose pose = joint_look_at(in);
    joint_turn turn[3];
    joint_whole_turn(&pose, NULL, turn);
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
    .eval = SN_LANES_EVAL(joint_ball),
    .lanes = SN_LANES_TABLE(joint_ball),
    .measure = measure_ball,
    .oriented = true,
    .pivot = SN_PIVOT_POINT,
    .turn_param = TARGET_MOST + 1,
    .own_rows = true,
    .bounded = 7u << 3,
    .rotational = 7u << 3,
    .state = STATE,
    .settle = settle_ball,
    .settle_param = FRICTION + 1,
};
#endif

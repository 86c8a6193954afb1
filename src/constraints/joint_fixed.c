/* A weld: two points of bodies coincide, and their axes stay aligned.

       C = (e_i . (b - a);   rotation of b relative to a, as axis times angle) */
#define SN_LANE_DOUBLE 0
#include "constraints/joint.h"

enum { LINEAR = 0, ANGULAR = 2, PARAMS = 4 };

static void eval_fixed(const lanes_in *in, lanes_out *out)
{
    joint_pose pose = joint_look(in);
    joint_turn turn[3];
    joint_lock_place(out, &pose, 0, in->param + LINEAR);
    joint_whole_turn(&pose, NULL, turn);
    joint_lock_turns(out, 3, 3, turn, in->param + ANGULAR);
}

SN_LANES(joint_fixed, eval_fixed, 2, 6, PARAMS, 0)

#if !SN_VECTOR
const sn_kind sn_kind_joint_fixed = {
    .name = "joint_fixed",
    .about = "Two bodies are welded together: the points stay in one place with their axes aligned.",
    .formula = "C = (b - a along the axes of a; the turn of b against a along them)",
    .unit = "m, rad",
    .points = 2,
    .rows = 6,
    .internal = true,
    .param = {SN_JOINT_LINEAR, SN_JOINT_ANGULAR},
    .eval = SN_LANES_EVAL(joint_fixed),
    .lanes = SN_LANES_TABLE(joint_fixed),
    .oriented = true,
    .pivot = SN_PIVOT_POINT,
    .turn_param = SN_TURN_ALWAYS,
    .own_rows = true,
    .bounded = SN_NO_ROW,
    .rotational = 7u << 3,
};
#endif

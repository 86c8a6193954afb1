/* A weld: two points of bodies stay in one place, and their axes stay aligned.

       C = (e_i . (b - a);   turn of b against a, as axis times angle) */
#include "constraints/joint.h"

enum { LINEAR = 0, ANGULAR = 2 };

static bool eval_fixed(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_joint_pose pose = sn_joint_look(in);
    sn_joint_turn turn[3];
    sn_joint_lock_place(out, 0, &pose, in->param + LINEAR);
    sn_joint_whole_turn(&pose, dvec3(0, 0, 0), turn);
    for (uint32_t i = 0; i < 3; ++i) {
        sn_joint_write_turn(out, 3 + i, &turn[i]);
        sn_joint_lock(out, 3 + i, in->param + ANGULAR);
    }
    return true;
}

const sn_kind sn_kind_joint_fixed = {
    .name = "joint_fixed",
    .about = "Two bodies are welded together: the points stay in one place with their axes aligned.",
    .formula = "C = (b - a along the axes of a; the turn of b against a along them)",
    .unit = "m, rad",
    .points = 2,
    .rows = 6,
    .internal = true,
    .param = {SN_JOINT_LINEAR, SN_JOINT_ANGULAR},
    .eval = eval_fixed,
    .oriented = true,
    .own_rows = true,
};

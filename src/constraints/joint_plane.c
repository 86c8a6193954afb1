/* A point of a body stays in a plane that goes along with another: across the x axis of the point a.

       C = e_x . (b - a) */
#include "constraints/joint.h"

static bool eval_plane(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_joint_pose pose = sn_joint_look(in);
    sn_joint_write_along(out, 0, &pose, 0);
    sn_joint_lock(out, 0, in->param);
    return true;
}

const sn_kind sn_kind_joint_plane = {
    .name = "joint_plane",
    .about =
        "A point of a body stays in a plane that goes along with another, through the point a and across its x axis.",
    .formula = "C = b - a along x of a",
    .unit = "m",
    .points = 2,
    .rows = 1,
    .internal = true,
    .param = {SN_JOINT_LINEAR},
    .eval = eval_plane,
    .oriented = true,
    .own_rows = true,
};

/* A point of a body stays in a plane of another: the plane normal to the x axis of the point a.

       C = e_x . (b - a) */
#define SN_LANE_DOUBLE 0
#include "constraints/joint.h"

static void eval_plane(const lanes_in *in, lanes_out *out)
{
    joint_pose pose = joint_look(in);
    joint_write_along(out, 0, &pose, 0);
    joint_lock(out, 0, 1, in->param);
}

SN_LANES(joint_plane, eval_plane, 2, 1, 2, 0)

#if !SN_VECTOR
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
    .eval = SN_LANES_EVAL(joint_plane),
    .lanes = SN_LANES_TABLE(joint_plane),
    .oriented = true,
    .own_rows = true,
    .bounded = SN_NO_ROW,
};
#endif

/* Connectors that leave some motion free: two points are held together only along one axis (the translational
   constraint of lecture 001), or only in a plane. The attachment in pin.c holds all three directions. Linear: the
   gradients are the constant directions. */
#include "constraints/table.h"

#include <sinew/lanes.h>

/* C = (a - b) . axis */
static void eval_axis(const lanes_in *in, lanes_out *out)
{
    lanes3 axis = lanes3_read(in->param);
    lanes_write_pair(out, 0, lanes3_dot(lanes3_sub(in->x[0], in->x[1]), axis), axis);
}

/* C = ((a - b) . u, (a - b) . v), where u and v span the plane. */
static void eval_plane(const lanes_in *in, lanes_out *out)
{
    lanes3 normal = lanes3_read(in->param), u = lanes3_any_normal(normal), v = lanes3_cross(normal, u);
    lanes3 ab = lanes3_sub(in->x[0], in->x[1]);
    lanes_write_pair(out, 0, lanes3_dot(ab, u), u);
    lanes_write_pair(out, 1, lanes3_dot(ab, v), v);
}

SN_LANES(connector_axis, eval_axis, 2, 1, 3, 0)
SN_LANES(connector_plane, eval_plane, 2, 2, 3, 0)

#if !SN_VECTOR
const sn_kind sn_kind_connector_axis = {
    .name = "connector_axis",
    .about = "A connector along one axis: two points stay level, and slide freely across the axis.",
    .formula = "C = (a - b) . axis",
    .unit = "m",
    .points = 2,
    .rows = 1,
    .internal = true,
    .param = {{.name = "axis", .unit = "1", .type = SN_PARAM_DIRECTION}},
    .eval = SN_LANES_EVAL(connector_axis),
    .lanes = SN_LANES_TABLE(connector_axis),
};

const sn_kind sn_kind_connector_plane = {
    .name = "connector_plane",
    .about = "A connector in a plane: two points coincide as seen along the normal, and slide freely along it.",
    .formula = "C = ((a - b) . u, (a - b) . v), u and v perpendicular to normal",
    .unit = "m",
    .points = 2,
    .rows = 2,
    .internal = true,
    .param = {{.name = "normal", .unit = "1", .type = SN_PARAM_DIRECTION}},
    .eval = SN_LANES_EVAL(connector_plane),
    .lanes = SN_LANES_TABLE(connector_plane),
};
#endif

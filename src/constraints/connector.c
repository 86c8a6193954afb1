/* Connectors that leave some motion free: two points held together along one axis only (the translational constraint
   of lecture 001), or in a plane only. All three directions at once is the attachment, in pin.c. Linear: the
   gradients are the constant directions. */
#include "constraints/perpendicular.h"
#include "constraints/table.h"

static void set_row(const sn_eval_out *out, uint32_t row, sn_vec3 ab, sn_vec3 direction)
{
    out->c[row] = vec3_dot(ab, direction);
    out->gradient[row * 2] = direction;
    out->gradient[row * 2 + 1] = vec3_scale(direction, -1);
}

/* C = (a - b) . axis */
static bool eval_axis(const sn_eval_in *in, const sn_eval_out *out)
{
    set_row(out, 0, vec3_sub(in->x[0], in->x[1]), vec3(in->param[0], in->param[1], in->param[2]));
    return true;
}

const sn_kind sn_kind_connector_axis = {
    .name = "connector_axis",
    .about = "A connector along one axis: two points stay level, and slide freely across the axis.",
    .formula = "C = (a - b) . axis",
    .unit = "m",
    .points = 2,
    .rows = 1,
    .internal = true,
    .param = {{.name = "axis", .unit = "1", .type = SN_PARAM_DIRECTION}},
    .eval = eval_axis,
};

/* C = ((a - b) . u, (a - b) . v), with u, v spanning the plane. */
static bool eval_plane(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_perpendicular p = perpendicular(vec3(in->param[0], in->param[1], in->param[2]));
    sn_vec3 ab = vec3_sub(in->x[0], in->x[1]);
    set_row(out, 0, ab, p.u);
    set_row(out, 1, ab, p.v);
    return true;
}

const sn_kind sn_kind_connector_plane = {
    .name = "connector_plane",
    .about = "A connector in a plane: two points coincide as seen along the normal, and slide freely along it.",
    .formula = "C = ((a - b) . u, (a - b) . v), u and v perpendicular to normal",
    .unit = "m",
    .points = 2,
    .rows = 2,
    .internal = true,
    .param = {{.name = "normal", .unit = "1", .type = SN_PARAM_DIRECTION}},
    .eval = eval_plane,
};

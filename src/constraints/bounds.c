/* Regions of the world that a point must not leave: a half-space and an axis-aligned box (lecture 003). */
#include "constraints/table.h"

#include <sinew/lanes.h>

/* C = (a - origin) . normal >= 0. The gradient is the normal. */
static void eval_half_space(const lanes_in *in, lanes_out *out)
{
    lanes3 origin = lanes3_read(in->param), normal = lanes3_read(in->param + 3);
    out->c[0] = lanes3_dot(lanes3_sub(in->x[0], origin), normal);
    out->gradient[0] = normal;
}

/* Six rows: a - least >= 0 and most - a >= 0, for each coordinate. At most three are violated at a time. */
static void eval_box(const lanes_in *in, lanes_out *out)
{
    const lanes a[3] = {in->x[0].x, in->x[0].y, in->x[0].z}, one = lanes_all(1), zero = lanes_all(0);
    const lanes3 axis[3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
    for (uint32_t i = 0; i < 3; ++i) {
        out->c[i] = a[i] - in->param[i];
        out->c[3 + i] = in->param[3 + i] - a[i];
        out->gradient[i] = axis[i];
        out->gradient[3 + i] = lanes3_negate(axis[i]);
    }
}

SN_LANES(half_space, eval_half_space, 1, 1, 6, 0)
SN_LANES(box, eval_box, 1, 6, 6, 0)

#if !SN_VECTOR
/* The plane through the present point. The default normal is up. */
static void measure_half_space(const sn_eval_in *in, sn_real *param)
{
    param[0] = in->x[0].x;
    param[1] = in->x[0].y;
    param[2] = in->x[0].z;
    param[3] = 0;
    param[4] = 1;
    param[5] = 0;
}

const sn_kind sn_kind_half_space = {
    .name = "half_space",
    .about = "A point stays on the side of a plane to which the normal points: the ground, a wall, a slope.",
    .formula = "C = (a - origin) . normal >= 0",
    .unit = "m",
    .points = 1,
    .rows = 1,
    .inequality = 1,
    .param = {{.name = "origin", .unit = "m", .type = SN_PARAM_POSITION},
              {.name = "normal", .unit = "1", .type = SN_PARAM_DIRECTION}},
    .eval = SN_LANES_EVAL(half_space),
    .lanes = SN_LANES_TABLE(half_space),
    .measure = measure_half_space,
};

static const char *check_box(const sn_real *param)
{
    for (uint32_t i = 0; i < 3; ++i)
        if (param[i] > param[3 + i])
            return "corner 'least' exceeds corner 'most'";
    return NULL;
}

const sn_kind sn_kind_box = {
    .name = "box",
    .about = "A point stays inside an axis-aligned box.",
    .formula = "C = (a - least, most - a) >= 0",
    .unit = "m",
    .points = 1,
    .rows = 6,
    .inequality = 0x3f,
    .param = {{.name = "least", .unit = "m", .type = SN_PARAM_POSITION},
              {.name = "most", .unit = "m", .type = SN_PARAM_POSITION}},
    .eval = SN_LANES_EVAL(box),
    .lanes = SN_LANES_TABLE(box),
    .check = check_box,
};
#endif

/* A point held at a place in the world, and two points held together. Both are linear: their three rows have the unit
   vectors as gradients, so that they work where a distance of zero would have no direction. */
#include "base/vec.h"
#include "constraints/table.h"

static const sn_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* C = a - target */
static bool eval_pin(const sn_eval_in *in, const sn_eval_out *out)
{
    out->c[0] = in->x[0].x - in->param[0];
    out->c[1] = in->x[0].y - in->param[1];
    out->c[2] = in->x[0].z - in->param[2];
    for (uint32_t row = 0; row < 3; ++row)
        out->gradient[row] = axis[row];
    return true;
}

static void measure_pin(const sn_eval_in *in, sn_real *param)
{
    param[0] = in->x[0].x;
    param[1] = in->x[0].y;
    param[2] = in->x[0].z;
}

const sn_kind sn_kind_pin = {
    .name = "pin",
    .about = "A point stays at a place in the world.",
    .formula = "C = a - target",
    .unit = "m",
    .points = 1,
    .rows = 3,
    .param = {{.name = "target", .unit = "m", .type = SN_PARAM_POSITION}},
    .eval = eval_pin,
    .measure = measure_pin,
};

/* C = a - b */
static bool eval_attachment(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 ab = vec3_sub(in->x[0], in->x[1]);
    out->c[0] = ab.x;
    out->c[1] = ab.y;
    out->c[2] = ab.z;
    for (uint32_t row = 0; row < 3; ++row) {
        out->gradient[row * 2] = axis[row];
        out->gradient[row * 2 + 1] = vec3_scale(axis[row], -1);
    }
    return true;
}

const sn_kind sn_kind_attachment = {
    .name = "attachment",
    .about = "A connector: two points stay in one place.",
    .formula = "C = a - b",
    .unit = "m",
    .points = 2,
    .rows = 3,
    .internal = true,
    .eval = eval_attachment,
};

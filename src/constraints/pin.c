/* A point held at a place in the world, and two points held together. Both are linear: the gradients of their three
   rows are the unit vectors, so that they work where a distance of zero would have no direction. */
#include "constraints/table.h"

#include <sinew/lanes.h>

SN_LANES_INLINE void write_rows(lanes3 c, lanes_out *out, uint32_t points)
{
    const lanes one = lanes_all(1);
    out->c[0] = c.x;
    out->c[1] = c.y;
    out->c[2] = c.z;
    out->gradient[0].x = one;
    out->gradient[points].y = one;
    out->gradient[2 * points].z = one;
}

/* C = a - target */
static void eval_pin(const lanes_in *in, lanes_out *out)
{
    write_rows(lanes3_sub(in->x[0], lanes3_read(in->param)), out, 1);
}

/* C = a - b */
static void eval_attachment(const lanes_in *in, lanes_out *out)
{
    write_rows(lanes3_sub(in->x[0], in->x[1]), out, 2);
    for (uint32_t row = 0; row < 3; ++row)
        out->gradient[2 * row + 1] = lanes3_negate(out->gradient[2 * row]);
}

SN_LANES(pin, eval_pin, 1, 3, 3, 0)
SN_LANES(attachment, eval_attachment, 2, 3, 0, 0)

#if !SN_VECTOR
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
    .eval = SN_LANES_EVAL(pin),
    .lanes = SN_LANES_TABLE(pin),
    .axial = true,
    .measure = measure_pin,
};

const sn_kind sn_kind_attachment = {
    .name = "attachment",
    .about = "A connector: two points stay in one place.",
    .formula = "C = a - b",
    .unit = "m",
    .points = 2,
    .rows = 3,
    .internal = true,
    .eval = SN_LANES_EVAL(attachment),
    .lanes = SN_LANES_TABLE(attachment),
    .axial = true,
};
#endif

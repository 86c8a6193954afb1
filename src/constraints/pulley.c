/* A rope over two pulleys: from a to b, where it goes up and over to c, and from there down to d.

       C = most - |a - b| - ratio |c - d| >= 0

   With a ratio other than 1 it is a tackle: d moves 1 / ratio times as far as a, and is pulled ratio times as hard. The
   gradients are unit vectors along the two parts. A part without length has no direction and exerts no force. */
#include "constraints/table.h"

#include <sinew/lanes.h>

/* Returns the length of the part of the rope from point i to i + 1, times scale. Writes its gradients. */
SN_LANES_INLINE lanes add_part(const lanes_in *in, lanes_out *out, uint32_t i, lanes scale, flags *exists)
{
    lanes3 ab = lanes3_sub(in->x[i], in->x[i + 1]);
    lanes length = lanes3_length(ab);
    flags apart = lanes_above(length, lanes_all(0));
    out->gradient[i] = lanes3_keep(apart, lanes3_scale(ab, -scale / length));
    out->gradient[i + 1] = lanes3_negate(out->gradient[i]);
    *exists |= apart;
    return scale * length;
}

static void eval_pulley(const lanes_in *in, lanes_out *out)
{
    flags exists = flags_nowhere();
    lanes length = add_part(in, out, 0, lanes_all(1), &exists) + add_part(in, out, 2, in->param[0], &exists);
    out->c[0] = in->param[1] - length;
    out->exists = exists;
}

SN_LANES(pulley, eval_pulley, 4, 1, 2, 0)

#if !SN_VECTOR
/* The present length of the rope. The default ratio is 1. */
static void measure_pulley(const sn_eval_in *in, sn_real *param)
{
    param[0] = in->param[0] == SN_MEASURE ? 1 : in->param[0];
    param[1] = 0;
    sn_measure_rest(SN_LANES_EVAL(pulley), 0, in, param, 1);
    param[1] = 0 - param[1];
}

const sn_kind sn_kind_pulley = {
    .name = "pulley",
    .about = "A rope over two pulleys, b and c: from a to b, and from c to d. It can fold, but not stretch; with a "
             "ratio that is not 1 it is a "
             "tackle.",
    .formula = "C = most - |a - b| - ratio |c - d| >= 0",
    .unit = "m",
    .points = 4,
    .rows = 1,
    .inequality = 1,
    .internal = true,
    .param = {{.name = "ratio", .unit = "1", .least = (sn_real)1e-6, .most = (sn_real)1e6},
              {.name = "most", .unit = "m", .least = 0, .most = (sn_real)1e30}},
    .eval = SN_LANES_EVAL(pulley),
    .lanes = SN_LANES_TABLE(pulley),
    .measure = measure_pulley,
};
#endif

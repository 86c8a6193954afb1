/* The volume of a tetrahedron.

   V = ((b - a) x (c - a)) . (d - a) / 6, positive when d is on the side from which a, b, c run counter-clockwise. It is
   linear in each corner: the gradient for a corner is a third of the area vector of the opposite face. */
#include "constraints/table.h"

#include <sinew/lanes.h>

/* C = V - rest */
static void eval_volume(const lanes_in *in, lanes_out *out)
{
    lanes3 ab = lanes3_sub(in->x[1], in->x[0]), ac = lanes3_sub(in->x[2], in->x[0]),
           ad = lanes3_sub(in->x[3], in->x[0]);
    lanes sixth = lanes_all(1.0 / 6);
    lanes3 area = lanes3_cross(ab, ac);
    out->c[0] = lanes3_dot(area, ad) / lanes_all(6) - in->param[0];
    out->gradient[1] = lanes3_scale(lanes3_cross(ac, ad), sixth);
    out->gradient[2] = lanes3_scale(lanes3_cross(ad, ab), sixth);
    out->gradient[3] = lanes3_scale(area, sixth);
    out->gradient[0] = lanes3_negate(lanes3_add(lanes3_add(out->gradient[1], out->gradient[2]), out->gradient[3]));
}

SN_LANES(volume, eval_volume, 4, 1, 1, 0)

#if !SN_VECTOR
static void measure_volume(const sn_eval_in *in, sn_real *param)
{
    sn_measure_rest(SN_LANES_EVAL(volume), 0, in, param, 0);
}

const sn_kind sn_kind_volume = {
    .name = "volume",
    .about = "A tetrahedron keeps its volume, and its orientation: turned inside out it counts as negative.",
    .formula = "C = ((b - a) x (c - a)) . (d - a) / 6 - rest",
    .unit = "m^3",
    .points = 4,
    .rows = 1,
    .internal = true,
    .spatial = true,
    .param = {{.name = "rest", .unit = "m^3"}},
    .eval = SN_LANES_EVAL(volume),
    .lanes = SN_LANES_TABLE(volume),
    .measure = measure_volume,
};
#endif

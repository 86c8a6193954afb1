/* The strain of a triangle along one direction of its material: the warp of a cloth, the weft, or a thread across both.

   At rest the triangle is in a plane, with the edges r1 = b - a and r2 = c - a, and d is a unit vector in that plane.
   Under a uniform deformation the material maps d to

       f = k1 (b - a) + k2 (c - a),     (k1, k2) = [r1 r2]^-1 d,

   since it maps r1 and r2 to the present edges. C = |f| - 1 is the relative elongation of a thread along d. With n = f
   / |f| the gradients are grad_b = k1 n, grad_c = k2 n, grad_a = -(k1 + k2) n; f is parallel to n, so there is no
   torque. A sheet of thickness t and Young's modulus E has the compliance 1 / (E t A), where A is its rest area.

   When measured, d is the direction of ab, and the present triangle is the rest shape. For another direction compute k1
   and k2 as above. Or, with any two edges e1 and e2 and with d_1, d_2 the scalar products of d with them,

       k = G^-1 (d_1, d_2),   G the matrix of products of e1 and e2. */
#include "constraints/table.h"

#include <sinew/lanes.h>

/* C = |k1 (b - a) + k2 (c - a)| - 1 */
static void eval_strain(const lanes_in *in, lanes_out *out)
{
    lanes k1 = in->param[0], k2 = in->param[1], zero = lanes_all(0), one = lanes_all(1);
    lanes3 ab = lanes3_sub(in->x[1], in->x[0]), ac = lanes3_sub(in->x[2], in->x[0]);
    lanes3 f = lanes3_add(lanes3_scale(ab, k1), lanes3_scale(ac, k2));
    lanes length = lanes3_length(f);
    lanes3 n = lanes3_scale(f, one / length);
    out->exists = lanes_above(length, zero);
    out->c[0] = length - one;
    out->gradient[0] = lanes3_scale(n, zero - (k1 + k2));
    out->gradient[1] = lanes3_scale(n, k1);
    out->gradient[2] = lanes3_scale(n, k2);
}

SN_LANES(strain, eval_strain, 3, 1, 2, 0)

#if !SN_VECTOR
/* Not measured where a and b are in one place. */
static void measure_strain(const sn_eval_in *in, sn_real *param)
{
    lanes length = lanes3_length(lanes3_sub(lanes3_from(in->x[1]), lanes3_from(in->x[0])));
    if (!(length > 0))
        return;
    param[0] = (sn_real)(1 / length);
    param[1] = 0;
}

const sn_kind sn_kind_strain = {
    .name = "strain",
    .about = "A triangle keeps its length along one direction of its material, as cloth does along its warp: the "
             "thread k1 (b - a) + "
             "k2 (c - a) stays 1 long. Measured, it runs along ab.",
    .formula = "C = |k1 (b - a) + k2 (c - a)| - 1",
    .unit = "1",
    .points = 3,
    .rows = 1,
    .internal = true,
    .param = {{.name = "k1", .unit = "1/m"}, {.name = "k2", .unit = "1/m"}},
    .eval = SN_LANES_EVAL(strain),
    .lanes = SN_LANES_TABLE(strain),
    .measure = measure_strain,
};
#endif

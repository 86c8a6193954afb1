/* Isometric bending: two triangles that share an edge and are flat at rest, as in cloth that does not stretch (Bergou,
   Wardetzky, Harmon, Zorin and Grinspun, "A quadratic bending model for inextensible surfaces", 2006).

   The triangles are a, c, d and b, d, c, as for the dihedral angle. The energy is quadratic in the positions. It is
   that of the vector

       C = k0 a + k1 b + k2 c + k3 d,     C^2 / 2 = 3 |e|^2 / (2 (A + B)) (2 sin(theta / 2))^2,

   with A and B the areas at rest, theta the angle of the fold and, with the cotangents of the corners at rest (c_a: of
   triangle a, c, d at c; d_a: at d; c_b and d_b likewise),

       s = sqrt(3 / (A + B)),   k0 = -s (c_a + d_a),   k1 = -s (c_b + d_b),   k2 = s (d_a + d_b),   k3 = s (c_a + c_b).

   The k sum to zero, so the first one follows from the others and is not stored. The gradient is constant: a projection
   needs neither root nor division, and is exact in one step. The energy itself as the constraint, as it is often done,
   would make it quartic. C has no unit, so compliance is in 1 / (N m). A mesh bent to a cylinder has the energy of a
   plate of the stiffness D = 3 / compliance, D / 2 per area and square of curvature, however fine it is.

   The k depend only on edge lengths. Measured from a folded pair they are those of the unfolded pair, and the rest
   shape is flat. For a fold that is to stay use the dihedral kind. */
#include "base/dvec.h"
#include "constraints/table.h"

#include <sinew/lanes.h>

/* C = k1 (b - a) + k2 (c - a) + k3 (d - a) */
static void eval_bending(const lanes_in *in, lanes_out *out)
{
    const lanes k[4] = {lanes_all(0) - (in->param[0] + in->param[1] + in->param[2]), in->param[0], in->param[1],
                        in->param[2]};
    lanes3 c = lanes3_scale(lanes3_sub(in->x[1], in->x[0]), k[1]);
    for (uint32_t i = 2; i < 4; ++i)
        c = lanes3_add(c, lanes3_scale(lanes3_sub(in->x[i], in->x[0]), k[i]));
    out->c[0] = c.x;
    out->c[1] = c.y;
    out->c[2] = c.z;
    for (uint32_t i = 0; i < 4; ++i) {
        out->gradient[i].x = k[i];
        out->gradient[4 + i].y = k[i];
        out->gradient[8 + i].z = k[i];
    }
}

SN_LANES(bending, eval_bending, 4, 3, 3, 0)

#if !SN_VECTOR
/* The cotangents of a triangle with the corners a, c, d at c and at d, and its area. */
static double cotangents(sn_vec3 a, sn_vec3 c, sn_vec3 d, double *at_c, double *at_d)
{
    sn_dvec3 e = dvec3_seen(c, d), ca = dvec3_seen(c, a), da = dvec3_seen(d, a);
    double twice = dvec3_length(dvec3_cross(e, ca));
    *at_c = dvec3_dot(e, ca) / twice;
    *at_d = -dvec3_dot(e, da) / twice;
    return twice / 2;
}

static void measure_bending(const sn_eval_in *in, sn_real *param)
{
    const sn_vec3 *x = in->x;
    double c_a, d_a, c_b, d_b;
    double area = cotangents(x[0], x[2], x[3], &c_a, &d_a) + cotangents(x[1], x[2], x[3], &c_b, &d_b);
    if (!isfinite(c_a) || !isfinite(d_a) || !isfinite(c_b) || !isfinite(d_b))
        return; /* a triangle without area has no cotangents: the weights are not measured */
    double s = sqrt(3 / area);
    param[0] = (sn_real)(-s * (c_b + d_b));
    param[1] = (sn_real)(s * (d_a + d_b));
    param[2] = (sn_real)(s * (c_a + c_b));
}

const sn_kind sn_kind_bending = {
    .name = "bending",
    .about =
        "Isometric bending: the two triangles a, c, d and b, d, c want to be flat. The weights are measured from the "
        "triangles as they are, unfolded. Linear, for cloth that hardly stretches.",
    .formula = "C = k1 (b - a) + k2 (c - a) + k3 (d - a)",
    .unit = "1",
    .points = 4,
    .rows = 3,
    .internal = true,
    .spatial = true,
    .param = {{.name = "k1", .unit = "1/m"}, {.name = "k2", .unit = "1/m"}, {.name = "k3", .unit = "1/m"}},
    .eval = SN_LANES_EVAL(bending),
    .lanes = SN_LANES_TABLE(bending),
    .axial = true,
    .measure = measure_bending,
};
#endif

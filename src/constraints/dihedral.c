/* The angle between two triangles that share an edge: bending of cloth with any rest angle (lecture 001).

   The triangles are a, c, d and b, d, c with the shared edge e = d - c. With n1 = (c - a) x (d - a), n2 = (d - b) x (c
   - b) and N = n / |n|^2:

       theta = atan2((n1 x n2) . e / |e|, n1 . n2),    0 where they are flat, in (-pi, pi],
       grad_a = -|e| N1,   grad_c = -((a - d) . e / |e|) N1 - ((b - d) . e / |e|) N2,
       grad_b = -|e| N2,   grad_d = -((c - a) . e / |e|) N1 - ((c - b) . e / |e|) N2

   (Bridson, Marino and Fedkiw, "Simulation of clothing with folds and wrinkles", 2003: moving a along its normal
   rotates its triangle about the edge at the inverse of its height, |n1| / |e|). The arc cosine of the lecture loses
   the sign and, near flat, half of the digits; atan2 loses neither. The difference from the rest angle is wrapped to
   the short way round, so that a rest angle near pi works from both sides. */
#define SN_LANE_DOUBLE 1 /* thin triangles have no digits left in single precision */
#include "base/math.h"
#include "constraints/table.h"

#include <sinew/lanes.h>

/* A triangle lower than this share of its longest side has no usable normal: the constraint is inactive. */
#define FLAT 1e-10

SN_LANES_INLINE flags is_triangle(lanes normal2, lanes edge2, lanes side2)
{
    return lanes_above(normal2, lanes_all(FLAT * FLAT) * edge2 * lanes_max(edge2, side2));
}

/* C = theta - rest, wrapped */
static void eval_dihedral(const lanes_in *in, lanes_out *out)
{
    lanes3 ab = lanes3_sub(in->x[1], in->x[0]), ac = lanes3_sub(in->x[2], in->x[0]),
           ad = lanes3_sub(in->x[3], in->x[0]);
    lanes3 bc = lanes3_sub(ac, ab), bd = lanes3_sub(ad, ab), e = lanes3_sub(ad, ac);
    lanes3 n1 = lanes3_cross(ac, ad), n2 = lanes3_cross(bd, bc);
    lanes ee = lanes3_dot(e, e), nn1 = lanes3_dot(n1, n1), nn2 = lanes3_dot(n2, n2), length = lanes_sqrt(ee);
    out->exists = is_triangle(nn1, ee, lanes3_dot(ac, ac)) & is_triangle(nn2, ee, lanes3_dot(bc, bc));
    lanes sine = lanes3_dot(lanes3_cross(n1, n2), e) / length + lanes_all(0); /* never -0: folded flat gives pi */
    out->c[0] = lanes_wrap(lanes_as_stored(lanes_atan2(sine, lanes3_dot(n1, n2))) - in->param[0]);
    lanes3 by_a = lanes3_scale(n1, -length / nn1), by_b = lanes3_scale(n2, -length / nn2);
    out->gradient[0] = by_a;
    out->gradient[1] = by_b;
    /* c takes the share of the gradients of a and b that corresponds to their projections on the edge, d takes the
       rest */
    out->gradient[2] =
        lanes3_sub(lanes3_scale(by_a, -lanes3_dot(ad, e) / ee), lanes3_scale(by_b, lanes3_dot(bd, e) / ee));
    out->gradient[3] = lanes3_negate(lanes3_add(lanes3_add(by_a, by_b), out->gradient[2]));
}

SN_LANES(dihedral, eval_dihedral, 4, 1, 1, 0)

#if !SN_VECTOR
/* For a triangle without area the angle is not measured. */
static void measure_dihedral(const sn_eval_in *in, sn_real *param)
{
    sn_measure_rest(SN_LANES_EVAL(dihedral), 0, in, param, 0);
}

const sn_kind sn_kind_dihedral = {
    .name = "dihedral",
    .about =
        "The two triangles a, c, d and b, d, c keep the angle by which they are folded at their shared edge cd: 0 is "
        "flat, positive towards the side from which a, c, d runs clockwise.",
    .formula = "C = angle between the normals of (a, c, d) and (b, d, c) about d - c, less rest, wrapped to (-pi, pi]",
    .unit = "rad",
    .points = 4,
    .rows = 1,
    .internal = true,
    .spatial = true,
    .param = {{.name = "rest", .unit = "rad", .least = (sn_real)-MATH_PI, .most = (sn_real)MATH_PI}},
    .eval = SN_LANES_EVAL(dihedral),
    .lanes = SN_LANES_TABLE(dihedral),
    .measure = measure_dihedral,
};
#endif

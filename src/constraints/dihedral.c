/* The angle between two triangles that share an edge: bending of cloth with any rest angle (lecture 001).

   The triangles are a, c, d and b, d, c with the shared edge e = d - c. With n1 = (c - a) x (d - a), n2 = (d - b) x
   (c - b) and N = n / |n|^2:

       theta = atan2((n1 x n2) . e / |e|, n1 . n2),    0 where they are flat, in (-pi, pi],
       grad_a = -|e| N1,   grad_c = -((a - d) . e / |e|) N1 - ((b - d) . e / |e|) N2,
       grad_b = -|e| N2,   grad_d = -((c - a) . e / |e|) N1 - ((c - b) . e / |e|) N2

   (Bridson, Marino and Fedkiw, "Simulation of clothing with folds and wrinkles", 2003: moving a along its normal
   turns its triangle about the edge by the inverse of its height, |n1| / |e|). The arcus cosine of the lecture loses
   the sign and, near flat, half of its digits; atan2 loses neither. The difference to the rest angle goes the short
   way round, so that a rest angle near pi holds from both sides. */
#include "base/dvec.h"
#include "base/math.h"
#include "constraints/table.h"

/* A triangle lower than this share of its longest side has no normal to speak of; the constraint rests. */
#define FLAT 1e-10

static bool is_triangle(double normal2, double edge2, double side2)
{
    return normal2 > FLAT * FLAT * edge2 * (edge2 > side2 ? edge2 : side2);
}

/* theta and its gradients; false where a triangle has no normal. */
static bool fold(const sn_vec3 *x, sn_real *theta, sn_vec3 *gradient)
{
    sn_dvec3 ab = dvec3_seen(x[0], x[1]), ac = dvec3_seen(x[0], x[2]), ad = dvec3_seen(x[0], x[3]);
    sn_dvec3 bc = dvec3_sub(ac, ab), bd = dvec3_sub(ad, ab), e = dvec3_sub(ad, ac);
    sn_dvec3 n1 = dvec3_cross(ac, ad), n2 = dvec3_cross(bd, bc);
    double ee = dvec3_dot(e, e), nn1 = dvec3_dot(n1, n1), nn2 = dvec3_dot(n2, n2), length = sqrt(ee);
    if (!is_triangle(nn1, ee, dvec3_dot(ac, ac)) || !is_triangle(nn2, ee, dvec3_dot(bc, bc)))
        return false;
    double sine = dvec3_dot(dvec3_cross(n1, n2), e) / length + 0.0; /* never -0: folded flat is pi */
    *theta = (sn_real)math_atan2(sine, dvec3_dot(n1, n2));
    sn_dvec3 by_a = dvec3_scale(n1, -length / nn1), by_b = dvec3_scale(n2, -length / nn2);
    gradient[0] = dvec3_round(by_a);
    gradient[1] = dvec3_round(by_b);
    /* of what a and b get, c takes back the share by which their feet on the edge are near to it, and d the rest */
    gradient[2] =
        dvec3_round(dvec3_sub(dvec3_scale(by_a, -dvec3_dot(ad, e) / ee), dvec3_scale(by_b, dvec3_dot(bd, e) / ee)));
    gradient[3] = vec3_scale(vec3_add(vec3_add(gradient[0], gradient[1]), gradient[2]), -1);
    return true;
}

/* C = theta - rest, wrapped */
static bool eval_dihedral(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_real theta;
    if (!fold(in->x, &theta, out->gradient))
        return false;
    out->c[0] = math_wrap(theta - in->param[0]);
    return true;
}

static void measure_dihedral(const sn_eval_in *in, sn_real *param)
{
    sn_vec3 unused[4];
    fold(in->x, param, unused); /* a triangle without area leaves it unmeasured */
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
    .eval = eval_dihedral,
    .measure = measure_dihedral,
};

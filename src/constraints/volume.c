/* The volume of a tetrahedron.

   V = ((b - a) x (c - a)) . (d - a) / 6, positive when d lies on the side from which a, b, c run counter-clockwise.
   It is linear in each corner, so the gradient by a corner is the area vector of the face opposite to it, a third of
   it. */
#include "base/vec.h"
#include "constraints/table.h"

static sn_real signed_volume(const sn_vec3 *x)
{
    return vec3_dot(vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0])), vec3_sub(x[3], x[0])) / 6;
}

/* C = V - rest */
static bool eval_volume(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 ab = vec3_sub(in->x[1], in->x[0]), ac = vec3_sub(in->x[2], in->x[0]), ad = vec3_sub(in->x[3], in->x[0]);
    out->c[0] = signed_volume(in->x) - in->param[0];
    out->gradient[1] = vec3_scale(vec3_cross(ac, ad), (sn_real)(1.0 / 6));
    out->gradient[2] = vec3_scale(vec3_cross(ad, ab), (sn_real)(1.0 / 6));
    out->gradient[3] = vec3_scale(vec3_cross(ab, ac), (sn_real)(1.0 / 6));
    sn_vec3 sum = vec3_add(vec3_add(out->gradient[1], out->gradient[2]), out->gradient[3]);
    out->gradient[0] = vec3_scale(sum, -1);
    return true;
}

static void measure_volume(const sn_eval_in *in, sn_real *param)
{
    param[0] = signed_volume(in->x);
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
    .eval = eval_volume,
    .measure = measure_volume,
};

/* Three points on a line (collinearity, lecture 003; more of them by sn_add_collinear).

   With T = b - a, t = T / |T|, the foot a + k T of c on the line and q = c - a - k T the part of c - a beside it,

       C = t x (c - a) = t x q,     dC = t x (dc - (1 - k) da - k db) + (dT - t (t . dT)) x q / |T|

   Three rows, of which two are independent where the points are on a line: the solver passes over a row that says
   nothing new. Two rows along two perpendicular directions would do as well, but those must be tied to the axes of
   the world, and a projection of points far off the line then changes angular momentum. A cross product turns with
   the points: by symmetry about the plane of the three its multiplier is parallel to C, and the torque on the world,
   C x lambda, is zero. */
#include "constraints/perpendicular.h"
#include "constraints/table.h"

/* |b - a| below this share of |c - a| gives no direction that c could be measured by. */
#define NO_LINE (SINEW_DOUBLE ? (sn_real)1e-12 : (sn_real)1e-5)

static const sn_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static bool eval_collinear(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 edge = vec3_sub(in->x[1], in->x[0]), ac = vec3_sub(in->x[2], in->x[0]);
    sn_real length2 = vec3_dot(edge, edge);
    if (!(length2 > NO_LINE * NO_LINE * vec3_dot(ac, ac)))
        return false;
    sn_real k = vec3_dot(ac, edge) / length2, length = real_sqrt(length2);
    sn_vec3 t = vec3_scale(edge, 1 / length), q = vec3_sub(ac, vec3_scale(edge, k)), c = vec3_cross(t, q);
    out->c[0] = c.x;
    out->c[1] = c.y;
    out->c[2] = c.z;
    for (uint32_t row = 0; row < 3; ++row) {
        /* axis . (t x d) = (axis x t) . d, and axis . (d x q) = (q x axis) . d */
        sn_vec3 move = vec3_cross(axis[row], t);
        sn_vec3 turn = vec3_scale(vec3_beside(vec3_cross(q, axis[row]), t), 1 / length);
        out->gradient[row * 3] = vec3_sub(vec3_scale(move, k - 1), turn);
        out->gradient[row * 3 + 1] = vec3_sub(turn, vec3_scale(move, k));
        out->gradient[row * 3 + 2] = move;
    }
    return true;
}

const sn_kind sn_kind_collinear = {
    .name = "collinear",
    .about = "Three points on a line: c stays on the line through a and b. More than three with sn_add_collinear.",
    .formula = "C = (b - a) x (c - a) / |b - a|",
    .unit = "m",
    .points = 3,
    .rows = 3,
    .internal = true,
    .eval = eval_collinear,
};
